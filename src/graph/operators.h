/* The table of TOSA operators, their attribute fields, and the enumerations: what every reader, writer,
 * verifier and the cost model look things up in. Source: TOSA specification 1.0.1 and 1.1 draft, and the
 * public FlatBuffers schema. */
#ifndef MLIA_GRAPH_OPERATORS_H
#define MLIA_GRAPH_OPERATORS_H

#include "base/text.h"

/* MLIA_OP_CONV2D = 3, …; 0 is an operator of another dialect (foreign). */
typedef enum mlia_op {
    MLIA_OP_FOREIGN = 0,
#define X(number, name, mlir, table, group, inputs, outputs, fields) MLIA_OP_##name = (number),
#include "graph/operators.def"
#undef X
} mlia_op;
enum { MLIA_OP_LIMIT = 101, MLIA_OP_LAST_1_0 = 75, MLIA_OP_LAST_SPIRV = 66 };

typedef enum mlia_op_group {
    MLIA_GROUP_TENSOR,
    MLIA_GROUP_ACTIVATION,
    MLIA_GROUP_ELEMENTWISE_BINARY,
    MLIA_GROUP_ELEMENTWISE_UNARY,
    MLIA_GROUP_ELEMENTWISE_TERNARY,
    MLIA_GROUP_COMPARISON,
    MLIA_GROUP_REDUCTION,
    MLIA_GROUP_DATA_LAYOUT,
    MLIA_GROUP_SCATTER_GATHER,
    MLIA_GROUP_IMAGE,
    MLIA_GROUP_TYPE_CONVERSION,
    MLIA_GROUP_DATA_NODE,
    MLIA_GROUP_CUSTOM,
    MLIA_GROUP_CONTROL_FLOW,
    MLIA_GROUP_VARIABLE,
    MLIA_GROUP_SHAPE,
} mlia_op_group;

/* Element types: MLIA_TYPE_INT8 = 3, … (FlatBuffers numbers). */
typedef enum mlia_type {
    MLIA_TYPE_UNKNOWN = 0,
#define X(number, name, mlir, bits) MLIA_TYPE_##name = (number),
#include "graph/types.def"
#undef X
} mlia_type;
enum { MLIA_TYPE_LIMIT = 19, MLIA_TYPE_LAST_1_0 = 12 };

/* Enumerations of attributes, FlatBuffers numbers; 0 = unknown. */
typedef enum mlia_nan_mode { MLIA_NAN_PROPAGATE = 1, MLIA_NAN_IGNORE = 2 } mlia_nan_mode;
typedef enum mlia_rounding_mode {
    MLIA_ROUNDING_SINGLE_ROUND = 1,
    MLIA_ROUNDING_INEXACT_ROUND = 2,
    MLIA_ROUNDING_DOUBLE_ROUND = 3,
} mlia_rounding_mode;
typedef enum mlia_resize_mode { MLIA_RESIZE_NEAREST = 1, MLIA_RESIZE_BILINEAR = 2 } mlia_resize_mode;

/* Attribute fields. */
typedef enum mlia_field {
    MLIA_FIELD_AXIS,
    MLIA_FIELD_NAN_MODE,
    MLIA_FIELD_KERNEL,
    MLIA_FIELD_STRIDE,
    MLIA_FIELD_PAD,
    MLIA_FIELD_DILATION,
    MLIA_FIELD_OUT_PAD,
    MLIA_FIELD_ACC_TYPE,
    MLIA_FIELD_LOCAL_BOUND,
    MLIA_FIELD_INVERSE,
    MLIA_FIELD_MIN_VAL,
    MLIA_FIELD_MAX_VAL,
    MLIA_FIELD_ROUND,
    MLIA_FIELD_PERMS,
    MLIA_FIELD_MODE,
    MLIA_FIELD_SCALE32,
    MLIA_FIELD_ROUNDING_MODE,
    MLIA_FIELD_PER_CHANNEL,
    MLIA_FIELD_INPUT_UNSIGNED,
    MLIA_FIELD_OUTPUT_UNSIGNED,
    MLIA_FIELD_OPERATOR_NAME,
    MLIA_FIELD_DOMAIN_NAME,
    MLIA_FIELD_IMPLEMENTATION_ATTRS,
    MLIA_FIELD_THEN_GRAPH,
    MLIA_FIELD_ELSE_GRAPH,
    MLIA_FIELD_COND_GRAPH,
    MLIA_FIELD_BODY_GRAPH,
    MLIA_FIELD_BLOCK_SIZE,
    MLIA_FIELD_ALLOW_BROADCAST,
    MLIA_FIELD_COUNT,
} mlia_field;

typedef enum mlia_field_type {
    MLIA_FIELD_I32,      /* int32_t */
    MLIA_FIELD_I32_LIST, /* mlia_int_list */
    MLIA_FIELD_BOOL,     /* bool */
    MLIA_FIELD_ENUM,     /* uint32_t, one of an enumeration */
    MLIA_FIELD_ELEMENT,  /* mlia_bytes: one element in the input's type, FlatBuffers encoding, not padded */
    MLIA_FIELD_TEXT,     /* mlia_str */
    MLIA_FIELD_BLOB,     /* mlia_bytes */
    MLIA_FIELD_REGION,   /* uint32_t, index of a region of the graph */
} mlia_field_type;

typedef struct mlia_enum_item {
    uint32_t number;
    mlia_str name; /* FlatBuffers and specification spelling; MLIR writes NEAREST as NEAREST_NEIGHBOR */
} mlia_enum_item;

typedef struct mlia_field_info {
    mlia_str name; /* "axis"; the same in FlatBuffers and MLIR */
    mlia_field_type type;
    size_t offset; /* in mlia_attributes */
    const mlia_enum_item
        *items; /* MLIA_FIELD_ENUM: ended by number 0; NULL for acc_type, whose values are element types */
} mlia_field_info;

typedef struct mlia_op_info {
    mlia_str name;            /* "CONV2D" */
    mlia_str mlir_name;       /* "conv2d", without the dialect */
    mlia_str attribute_table; /* "Conv2dAttribute" */
    mlia_op_group group;
    mlia_str inputs; /* letters of operators.def */
    mlia_str outputs;
    const mlia_field *fields; /* in FlatBuffers id order */
    uint32_t field_count;
} mlia_op_info;

typedef struct mlia_type_info {
    mlia_str name; /* "INT8" */
    mlia_str mlir; /* "i8" */
    uint32_t bits;
} mlia_type_info;

/* Entry of operator 1-100; for 0 and anything above an entry with empty texts. Never NULL. */
const mlia_op_info *mlia_op_describe(uint32_t op);
/* Operator by specification name ("CONV2D") or by MLIR name without dialect ("conv2d"); MLIA_OP_FOREIGN when
 * none. */
mlia_op mlia_op_by_name(mlia_str name);
mlia_op mlia_op_by_mlir_name(mlia_str name);

const mlia_field_info *mlia_field_describe(mlia_field field);
/* True when `op` has the field. */
bool mlia_op_has_field(uint32_t op, mlia_field field);

/* Entry of a type 1-18; for others an entry with empty texts and 0 bits. Never NULL. */
const mlia_type_info *mlia_type_describe(uint32_t type);
mlia_type mlia_type_by_name(mlia_str name);
bool mlia_type_is_float(uint32_t type);   /* FP32, FP16, BF16, FP8*, FP6*, FP4* */
bool mlia_type_is_integer(uint32_t type); /* BOOL, INT4…INT64, MXINT8 */
/* Bytes of one element in memory, as the cost model counts: at least 1; INT48 is 6. 0 for UNKNOWN. */
uint32_t mlia_type_bytes(uint32_t type);

/* True when the inputs of `op` allow any number of operands (a letter L or Z); else the count is the number
 * of letters. */
bool mlia_letters_variadic(mlia_str letters);

#endif
