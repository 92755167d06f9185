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

/* Appends the SPIR-V modules of a VGF, or a module by itself, as text: one instruction a line in the form of
 * spirv-dis
 * --raw-id, each module behind a line "; module N NAME". E_FORMAT_BACKEND for other formats; errors of the
 * readers. */
mlia_status *mlia_inspect_spirv(const mlia_model_file *model, mlia_arena *arena,
                                mlia_diagnostics *diagnostics, mlia_buffer *text);

#endif
