/* The operator, field, enumeration and type tables and their look-ups. */
#include "graph/operators.h"

#include <stddef.h>

#include "graph/graph.h"

/* FIELDS(AXIS, NAN_MODE) → a list of MLIA_FIELD_AXIS, MLIA_FIELD_NAN_MODE and its length. */
#define F1(a)                               MLIA_FIELD_##a
#define F2(a, b)                            F1(a), F1(b)
#define F3(a, b, c)                         F2(a, b), F1(c)
#define F4(a, b, c, d)                      F3(a, b, c), F1(d)
#define F5(a, b, c, d, e)                   F4(a, b, c, d), F1(e)
#define PICK(_1, _2, _3, _4, _5, name, ...) name
#define FIELDS(...)                         LIST(PICK(__VA_ARGS__, F5, F4, F3, F2, F1, )(__VA_ARGS__))
#define LIST(...)                                                                                            \
    (const mlia_field[]){__VA_ARGS__}, sizeof((const mlia_field[]){__VA_ARGS__}) / sizeof(mlia_field)
#define NO_FIELDS NULL, 0

static const mlia_op_info ops[MLIA_OP_LIMIT] = {
#define X(number, name, mlir, table, group, inputs, outputs, fields)                                         \
    [number] = {MLIA_STR_INIT(#name),                                                                        \
                MLIA_STR_INIT(mlir),                                                                         \
                MLIA_STR_INIT(table),                                                                        \
                MLIA_GROUP_##group,                                                                          \
                MLIA_STR_INIT(inputs),                                                                       \
                MLIA_STR_INIT(outputs),                                                                      \
                fields},
#include "graph/operators.def"
#undef X
};

static const mlia_type_info types[MLIA_TYPE_LIMIT] = {
#define X(number, name, mlir, bits) [number] = {MLIA_STR_INIT(#name), MLIA_STR_INIT(mlir), bits},
#include "graph/types.def"
#undef X
};

static const mlia_enum_item nan_modes[] = {
    {MLIA_NAN_PROPAGATE, MLIA_STR_INIT("PROPAGATE")},
    {MLIA_NAN_IGNORE, MLIA_STR_INIT("IGNORE")},
    {0, {NULL, 0}},
};
static const mlia_enum_item rounding_modes[] = {
    {MLIA_ROUNDING_SINGLE_ROUND, MLIA_STR_INIT("SINGLE_ROUND")},
    {MLIA_ROUNDING_INEXACT_ROUND, MLIA_STR_INIT("INEXACT_ROUND")},
    {MLIA_ROUNDING_DOUBLE_ROUND, MLIA_STR_INIT("DOUBLE_ROUND")},
    {0, {NULL, 0}},
};
static const mlia_enum_item resize_modes[] = {
    {MLIA_RESIZE_NEAREST, MLIA_STR_INIT("NEAREST")},
    {MLIA_RESIZE_BILINEAR, MLIA_STR_INIT("BILINEAR")},
    {0, {NULL, 0}},
};
static const mlia_enum_item block_sizes[] = {
    {1, MLIA_STR_INIT("BLOCK_SIZE_1")},
    {32, MLIA_STR_INIT("BLOCK_SIZE_32")},
    {0, {NULL, 0}},
};

#define FIELD(id, member, type, items)                                                                       \
    [MLIA_FIELD_##id] = {MLIA_STR_INIT(#member), MLIA_FIELD_##type, offsetof(mlia_attributes, member), items}
static const mlia_field_info fields[MLIA_FIELD_COUNT] = {
    FIELD(AXIS, axis, I32, NULL),
    FIELD(NAN_MODE, nan_mode, ENUM, nan_modes),
    FIELD(KERNEL, kernel, I32_LIST, NULL),
    FIELD(STRIDE, stride, I32_LIST, NULL),
    FIELD(PAD, pad, I32_LIST, NULL),
    FIELD(DILATION, dilation, I32_LIST, NULL),
    FIELD(OUT_PAD, out_pad, I32_LIST, NULL),
    FIELD(ACC_TYPE, acc_type, ENUM, NULL),
    FIELD(LOCAL_BOUND, local_bound, BOOL, NULL),
    FIELD(INVERSE, inverse, BOOL, NULL),
    FIELD(MIN_VAL, min_val, ELEMENT, NULL),
    FIELD(MAX_VAL, max_val, ELEMENT, NULL),
    FIELD(ROUND, round, BOOL, NULL),
    FIELD(PERMS, perms, I32_LIST, NULL),
    FIELD(MODE, mode, ENUM, resize_modes),
    FIELD(SCALE32, scale32, BOOL, NULL),
    FIELD(ROUNDING_MODE, rounding_mode, ENUM, rounding_modes),
    FIELD(PER_CHANNEL, per_channel, BOOL, NULL),
    FIELD(INPUT_UNSIGNED, input_unsigned, BOOL, NULL),
    FIELD(OUTPUT_UNSIGNED, output_unsigned, BOOL, NULL),
    FIELD(OPERATOR_NAME, operator_name, TEXT, NULL),
    FIELD(DOMAIN_NAME, domain_name, TEXT, NULL),
    FIELD(IMPLEMENTATION_ATTRS, implementation_attrs, BLOB, NULL),
    FIELD(THEN_GRAPH, then_graph, REGION, NULL),
    FIELD(ELSE_GRAPH, else_graph, REGION, NULL),
    FIELD(COND_GRAPH, cond_graph, REGION, NULL),
    FIELD(BODY_GRAPH, body_graph, REGION, NULL),
    FIELD(BLOCK_SIZE, block_size, ENUM, block_sizes),
    FIELD(ALLOW_BROADCAST, allow_broadcast, BOOL, NULL),
};

const mlia_op_info *mlia_op_describe(uint32_t op)
{
    return &ops[op < MLIA_OP_LIMIT ? op : 0];
}

mlia_op mlia_op_by_name(mlia_str name)
{
    for (uint32_t op = 1; op < MLIA_OP_LIMIT; op++)
        if (mlia_str_equal(ops[op].name, name))
            return (mlia_op)op;
    return MLIA_OP_FOREIGN;
}

mlia_op mlia_op_by_mlir_name(mlia_str name)
{
    for (uint32_t op = 1; op < MLIA_OP_LIMIT; op++)
        if (mlia_str_equal(ops[op].mlir_name, name))
            return (mlia_op)op;
    return MLIA_OP_FOREIGN;
}

const mlia_field_info *mlia_field_describe(mlia_field field)
{
    return &fields[field];
}

bool mlia_op_has_field(uint32_t op, mlia_field field)
{
    const mlia_op_info *info = mlia_op_describe(op);
    for (uint32_t i = 0; i < info->field_count; i++)
        if (info->fields[i] == field)
            return true;
    return false;
}

const mlia_type_info *mlia_type_describe(uint32_t type)
{
    return &types[type < MLIA_TYPE_LIMIT ? type : 0];
}

mlia_type mlia_type_by_name(mlia_str name)
{
    for (uint32_t type = 1; type < MLIA_TYPE_LIMIT; type++)
        if (mlia_str_equal(types[type].name, name))
            return (mlia_type)type;
    return MLIA_TYPE_UNKNOWN;
}

bool mlia_type_is_float(uint32_t type)
{
    switch (type) {
    case MLIA_TYPE_FP32:
    case MLIA_TYPE_FP16:
    case MLIA_TYPE_BF16:
    case MLIA_TYPE_FP8E4M3:
    case MLIA_TYPE_FP8E5M2:
    case MLIA_TYPE_FP6E2M3:
    case MLIA_TYPE_FP6E3M2:
    case MLIA_TYPE_FP4E2M1:
    case MLIA_TYPE_FP8UE8M0:
        return true;
    default:
        return false;
    }
}

bool mlia_type_is_integer(uint32_t type)
{
    return type != MLIA_TYPE_UNKNOWN && type != MLIA_TYPE_SHAPE && type < MLIA_TYPE_LIMIT &&
           !mlia_type_is_float(type);
}

uint32_t mlia_type_bytes(uint32_t type)
{
    return (mlia_type_describe(type)->bits + 7) / 8;
}

bool mlia_letters_variadic(mlia_str letters)
{
    return mlia_str_find(letters, 'L') != SIZE_MAX || mlia_str_find(letters, 'Z') != SIZE_MAX;
}
