/* Source labels in a debug database: splitting a cell into labels, and finding the SPIR-V result id that a
 * label means. */
#ifndef MLIA_MEASURE_LABELS_H
#define MLIA_MEASURE_LABELS_H

#include "measure/module.h"

/* Splits a cell at ';', but not inside a debug name of the module and not inside quotes or brackets. The
 * labels are views into `cell`, the list is in `arena`. `*budget` bounds the bytes that may be compared with
 * debug names over all cells; E_LIMIT when it is used up (only a file made for it gets there). */
mlia_status *mlia_labels_split(mlia_str cell, const mlia_measured_module *module, uint64_t *budget,
                               mlia_arena *arena, const mlia_str **labels, size_t *count);

typedef enum mlia_label_outcome {
    MLIA_LABEL_FOUND,
    MLIA_LABEL_NONE,       /* a module without debug names: nothing to compare with */
    MLIA_LABEL_AMBIGUOUS,  /* several ids have this name */
    MLIA_LABEL_UNMATCHED,  /* no id has this name */
    MLIA_LABEL_UNRESOLVED, /* names an id that the module does not have */
} mlia_label_outcome;

/* The id that a label means: "…_spirv_id_N", or the one id of that debug name. */
mlia_label_outcome mlia_label_resolve(mlia_str label, const mlia_measured_module *module, uint32_t *id);

#endif
