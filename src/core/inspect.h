/* What is inside a file: format, version, segments, operators, tensors, constants, as a value to print. */
#ifndef MLIA_CORE_INSPECT_H
#define MLIA_CORE_INSPECT_H

#include "core/model.h"
#include "core/route.h"

typedef struct mlia_inspect_options {
    bool operators; /* list every operator */
    bool tensors;   /* list every tensor and shape value */
    bool constants; /* list every constant */
} mlia_inspect_options;

/* Object that describes `model`; lives in `arena` and refers to the file. Errors of the format's reader. */
mlia_status *mlia_inspect(const mlia_model_file *model, const mlia_inspect_options *options,
                          mlia_arena *arena, mlia_diagnostics *diagnostics, mlia_value **value);

#endif
