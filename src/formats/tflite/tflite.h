/* TensorFlow Lite models (.tflite, schema version 3): the file as structs, fully verified.
 *
 * Everything is a view into the file or lives in the arena. Refused (kinds E_TFLITE_*): what leads outside of
 * the file, indexes out of range, constants shorter than their shape, quantisation parameters that contradict
 * the tensor, sparse data that does not unfold, options of another operator. docs/formats/tflite.md.
 */
#ifndef MLIA_FORMATS_TFLITE_TFLITE_H
#define MLIA_FORMATS_TFLITE_TFLITE_H

#include "base/arena.h"
#include "formats/flatbuf/flatbuf.h"

typedef enum mlia_tflite_type {
    MLIA_TFLITE_FLOAT32,
    MLIA_TFLITE_FLOAT16,
    MLIA_TFLITE_INT32,
    MLIA_TFLITE_UINT8,
    MLIA_TFLITE_INT64,
    MLIA_TFLITE_STRING,
    MLIA_TFLITE_BOOL,
    MLIA_TFLITE_INT16,
    MLIA_TFLITE_COMPLEX64,
    MLIA_TFLITE_INT8,
    MLIA_TFLITE_FLOAT64,
    MLIA_TFLITE_COMPLEX128,
    MLIA_TFLITE_UINT64,
    MLIA_TFLITE_RESOURCE,
    MLIA_TFLITE_VARIANT,
    MLIA_TFLITE_UINT32,
    MLIA_TFLITE_UINT16,
    MLIA_TFLITE_INT4,
    MLIA_TFLITE_BFLOAT16,
    MLIA_TFLITE_INT2,
    MLIA_TFLITE_UINT4,
    MLIA_TFLITE_FLOAT8_E4M3FN,
    MLIA_TFLITE_FLOAT8_E5M2,
    MLIA_TFLITE_TYPE_COUNT,
} mlia_tflite_type;

/* "FLOAT32"; bits of one element, 0 when it has no fixed size (STRING, RESOURCE, VARIANT). */
mlia_str mlia_tflite_type_name(uint32_t type);
uint32_t mlia_tflite_type_bits(uint32_t type);

/* MLIA_TFLITE_OP_CONV_2D = 3, … */
typedef enum mlia_tflite_op {
#define BUILTIN(number, name, options) MLIA_TFLITE_OP_##name = (number),
#include "formats/tflite/builtins.def"
#undef BUILTIN
    MLIA_TFLITE_OP_UNKNOWN = 210, /* newer than this program's schema */
    MLIA_TFLITE_OP_LIMIT
} mlia_tflite_op;

/* "CONV_2D", or an empty view for an unknown number. */
mlia_str mlia_tflite_op_name(uint32_t op);

/* Field ids of the option tables: MLIA_TFLITE_Conv2DOptions_stride_w; MLIA_TFLITE_Conv2DOptions_FIELDS is
 * their number. */
#define OPTIONS(name, union_number, number)       enum {
#define FIELD(table, name, type, vector, initial) MLIA_TFLITE_##table##_##name,
#define END(name)                                                                                            \
    MLIA_TFLITE_##name##_FIELDS                                                                              \
    }                                                                                                        \
    ;
#include "formats/tflite/options.def"
#undef OPTIONS
#undef FIELD
#undef END

/* The option table that an operator has, NULL for operators without one. */
const mlia_flatbuf_schema *mlia_tflite_op_options(uint32_t op);

typedef struct mlia_tflite_quantization {
    uint32_t scale_count; /* 0: not quantised */
    const float *scales;
    const int64_t *zero_points; /* scale_count of them; zeros where the file has none */
    int32_t dimension;          /* of per-channel parameters */
} mlia_tflite_quantization;

typedef struct mlia_tflite_tensor {
    mlia_str name; /* any bytes; may be empty or repeated */
    uint32_t type; /* mlia_tflite_type */
    uint32_t rank;
    const int32_t *shape;     /* `rank` sizes ≥ 0 */
    const int32_t *signature; /* `rank` sizes, -1 = unknown; NULL when the file has none */
    bool is_variable;
    bool is_constant;
    bool was_sparse;
    uint32_t buffer;
    mlia_bytes data; /* constants: a view into the file, or the dense form of sparse data */
    mlia_tflite_quantization quantization;
} mlia_tflite_tensor;

typedef struct mlia_tflite_indexes {
    uint32_t count;
    const int32_t *values; /* tensor indexes of the subgraph, -1 = absent operand */
} mlia_tflite_indexes;

typedef struct mlia_tflite_operator {
    uint32_t op;          /* mlia_tflite_op */
    mlia_str custom_code; /* of CUSTOM; "BUILTIN_NUMBER" of UNKNOWN */
    int32_t version;
    mlia_tflite_indexes inputs;
    mlia_tflite_indexes outputs;
    mlia_tflite_indexes intermediates;
    mlia_flatbuf_table options; /* of the operator's own kind; an absent one has all defaults */
    mlia_bytes custom_options;
    uint64_t offset; /* of the operator's table in the file */
} mlia_tflite_operator;

/* What to call an operator: "CONV_2D", "MyOp". */
static inline mlia_str mlia_tflite_operator_name(const mlia_tflite_operator *op)
{
    bool own = op->op == MLIA_TFLITE_OP_CUSTOM || op->op == MLIA_TFLITE_OP_UNKNOWN;
    return own ? op->custom_code : mlia_tflite_op_name(op->op);
}

typedef struct mlia_tflite_subgraph {
    mlia_str name;
    mlia_tflite_tensor *tensors;
    uint32_t tensor_count;
    mlia_tflite_operator *operators;
    uint32_t operator_count;
    mlia_tflite_indexes inputs;
    mlia_tflite_indexes outputs;
} mlia_tflite_subgraph;

typedef struct mlia_tflite_binding {
    mlia_str name;
    uint32_t tensor;
} mlia_tflite_binding;

typedef struct mlia_tflite_signature {
    mlia_str key;
    uint32_t subgraph;
    mlia_tflite_binding *inputs;
    uint32_t input_count;
    mlia_tflite_binding *outputs;
    uint32_t output_count;
} mlia_tflite_signature;

typedef struct mlia_tflite_metadata {
    mlia_str name;
    mlia_bytes data;
} mlia_tflite_metadata;

typedef struct mlia_tflite {
    mlia_flatbuf buffer;
    mlia_str description;
    mlia_tflite_subgraph *subgraphs; /* at least one */
    uint32_t subgraph_count;
    mlia_tflite_signature *signatures;
    uint32_t signature_count;
    mlia_tflite_metadata *metadata;
    uint32_t metadata_count;
} mlia_tflite;

/* Opens a file named by an external buffer group. `name` is relative, without "..", links or an absolute
 * start; the bytes must live as long as the model. */
typedef mlia_status *mlia_tflite_open_external(void *context, mlia_str name, mlia_bytes *bytes);

/* Reads a model. `open_external` NULL: external buffers are refused (E_TFLITE_BUFFER_RANGE). `file` must
 * outlive the result; *model lives in `arena`. */
mlia_status *mlia_tflite_read(mlia_bytes file, mlia_tflite_open_external *open_external, void *context,
                              mlia_arena *arena, mlia_diagnostics *diagnostics, mlia_tflite **model);

/* Elements of a tensor; false on overflow. */
bool mlia_tflite_elements(const mlia_tflite_tensor *tensor, uint64_t *count);

#endif
