/* Changes of element types before a graph is written. */
#ifndef MLIA_TOSA_TO_VGF_TYPES_H
#define MLIA_TOSA_TO_VGF_TYPES_H

#include "convert/simplify/edit.h"
#include "convert/tosa_to_vgf/tosa_to_vgf.h"

/* False when none of the following changes anything. */
bool mlia_vgf_changes_types(const mlia_graph *graph, mlia_narrowing narrowing);

/* FP32 becomes FP16: values, constants (to nearest even), bounds of CLAMP, accumulators. */
mlia_status *mlia_narrow_floats(mlia_edit *edit, mlia_narrowing narrowing);
/* INT64 becomes INT32 (constants saturate, with a warning); casts from INT4 to INT8, which look the same in a
 * VGF, go. Refuses casts to INT4. */
mlia_status *mlia_vgf_lower_integers(mlia_edit *edit, mlia_diagnostics *diagnostics);
/* Refuses operators that have no instruction for their types, as they are after these changes. */
mlia_status *mlia_vgf_check_types(const mlia_graph *graph, mlia_arena *arena);

#endif
