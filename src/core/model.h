/* The model file of a run: opened once, told by its content. */
#ifndef MLIA_CORE_MODEL_H
#define MLIA_CORE_MODEL_H

#include "base/diagnostics.h"
#include "base/file.h"
#include "base/hash.h"
#include "formats/detect/format.h"

typedef struct mlia_model_file {
    mlia_file *file;
    mlia_str path; /* as typed; "stdin" for standard input */
    mlia_str name; /* base name */
    mlia_str stem; /* base name without known suffix, of bytes [A-Za-z0-9._-], at most 100 */
    mlia_format format;
    char hash[MLIA_SHA256_HEX_SIZE + 1]; /* empty before mlia_model_hash */
} mlia_model_file;

/* Opens `path` ("-" is standard input). Texts live in `arena`; the caller frees model->file. Errors: file
 * errors, E_FORMAT_UNKNOWN with the first bytes. W_EXTENSION when name and content disagree. */
mlia_status *mlia_model_open(const char *path, mlia_arena *arena, mlia_diagnostics *diagnostics,
                             mlia_model_file *model);

/* Fills model->hash with the SHA-256 of the file, for those who print it. */
void mlia_model_hash(mlia_model_file *model);

#endif
