/* The file formats the program knows, and how one is told from another: by content (docs/formats). The name
 * of the file only breaks ties. Nothing is parsed here beyond the first bytes and, for ZIP archives, the
 * member names. */
#ifndef MLIA_FORMATS_DETECT_FORMAT_H
#define MLIA_FORMATS_DETECT_FORMAT_H

#include "base/text.h"

/* MLIA_FORMAT_TFLITE, … in the order of format.def. */
typedef enum mlia_format {
#define X(name, id, title, suffixes) MLIA_FORMAT_##name,
#include "formats/detect/format.def"
#undef X
    MLIA_FORMAT_COUNT,
    MLIA_FORMAT_UNKNOWN = MLIA_FORMAT_COUNT
} mlia_format;

/* Set of formats: bit N is format N. */
#define MLIA_FORMAT_BIT(format) (UINT32_C(1) << (format))

typedef struct mlia_format_info {
    mlia_str id;       /* "tosa": `model.format` of the document */
    mlia_str title;    /* "TOSA FlatBuffer" */
    mlia_str suffixes; /* usual endings of the name, blank-separated, longest first: ".tosa.mlir .mlir" */
} mlia_format_info;

/* Entry of a format below MLIA_FORMAT_COUNT. */
const mlia_format_info *mlia_format_describe(mlia_format format);
/* Format by id ("tosa"); MLIA_FORMAT_UNKNOWN when none. */
mlia_format mlia_format_by_id(mlia_str id);
/* Format whose usual ending `path` has (letter case ignored), and that ending's length (may be NULL). */
mlia_format mlia_format_by_suffix(mlia_str path, size_t *suffix_size);

/* Format of a file by its content; MLIA_FORMAT_UNKNOWN when nothing is recognised. */
mlia_format mlia_format_detect(mlia_bytes content);

#endif
