/* TensorFlow Lite → TOSA: lowers a model read by formats/tflite to a TOSA graph that computes the same
 * numbers.
 *
 * Operators without a TOSA meaning stay as CUSTOM of the domain "TFL", so that one of them never spoils the
 * whole model. Every TOSA operator keeps the TFLite operator it came from (mlia_source ids "operator/N",
 * "subgraph/S/operator/N"). docs/formats/tflite.md lists every lowering and its numerics.
 */
#ifndef MLIA_CONVERT_TFLITE_TO_TOSA_CONVERT_H
#define MLIA_CONVERT_TFLITE_TO_TOSA_CONVERT_H

#include "formats/tflite/tflite.h"
#include "graph/analyse.h"
#include "graph/build.h"

/* Rounding of requantisation. */
typedef enum mlia_tflite_rounding {
    MLIA_TFLITE_ROUNDING_REFERENCE, /* per operator as the reference kernels of the interpreter */
    MLIA_TFLITE_ROUNDING_SINGLE, /* single rounding everywhere: equals XNNPACK, needs no DOUBLEROUND extension
                                  */
    MLIA_TFLITE_ROUNDING_OFFICIAL, /* double rounding as the official converter */
} mlia_tflite_rounding;

/* What becomes of variables and recurrent state. */
typedef enum mlia_tflite_state {
    MLIA_TFLITE_STATE_VARIABLE, /* TOSA variables */
    MLIA_TFLITE_STATE_IO,       /* an extra input NAME and output NAME_next each */
    MLIA_TFLITE_STATE_ZERO,     /* the initial value as a constant; the new value is dropped */
} mlia_tflite_state;

typedef struct mlia_tflite_to_tosa_options {
    mlia_tflite_rounding rounding;
    mlia_tflite_state state;
    bool keep_int4;         /* INT4 convolution weights stay INT4 instead of being widened */
    bool keep_control_flow; /* COND_IF and WHILE_LOOP where a branch or loop cannot be resolved; false: inline
                               or CUSTOM */
    const mlia_input_shape *input_shapes;
    size_t input_shape_count;
    uint32_t subgraph; /* the entry; 0 usually */
} mlia_tflite_to_tosa_options;

/* Lowers the model. *graph lives in `arena`, is finished and has complete shapes; constants that no lowering
 * changes are views into the model's file. `file_name` is the base name for locations. Errors:
 * E_TFLITE_SHAPE, E_TFLITE_OPERANDS, E_TFLITE_ATTRIBUTE, E_TFLITE_TYPE, E_TFLITE_QUANTIZATION (the model is
 * wrong), E_INPUT_SHAPE. An operator that cannot be lowered stays CUSTOM, with one W_TFLITE naming operator
 * and reason. */
mlia_status *mlia_tflite_to_tosa(const mlia_tflite *model, mlia_str file_name,
                                 const mlia_tflite_to_tosa_options *options, mlia_arena *arena,
                                 mlia_diagnostics *diagnostics, mlia_graph **graph);

#endif
