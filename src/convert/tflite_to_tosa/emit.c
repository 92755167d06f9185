/* Emitting TOSA operators: each function adds one operator (or none where nothing would change) and infers
 * its result. Data movement is in emit_move.c. */
#include <math.h>

#include "convert/tflite_to_tosa/lower.h"

#define ELEMENT_LIMIT ((int64_t)1 << 40) /* of one result */

const mlia_graph_value *mlia_lower_info(const lowering *l, uint32_t value)
{
    static const mlia_graph_value nothing = {0};
    return value == MLIA_NONE ? &nothing : &l->graph->values[value];
}

bool mlia_lower_alive(const lowering *l, const uint32_t *inputs, uint32_t count)
{
    if (l->fault != NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (inputs[i] == MLIA_NONE)
            return false;
    return true;
}

/* Dimensions of a result: none empty, and all of them together a number that nothing overflows on. */
static bool is_sane(lowering *l, uint32_t rank, const int64_t *dims)
{
    int64_t elements = 1;
    for (uint32_t i = 0; i < rank; i++)
        if (dims[i] < 1 || dims[i] > INT32_MAX ||
            (elements = mlia_lower_times(elements, dims[i])) > ELEMENT_LIMIT) {
            mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "dimension %u of a result would be %lld", i,
                             (long long)dims[i]);
            return false;
        }
    return true;
}

uint32_t mlia_emit(lowering *l, mlia_op op, const uint32_t *inputs, uint32_t count,
                   const mlia_attributes *attributes, uint32_t type, uint32_t rank, const int64_t *dims)
{
    if (!mlia_lower_alive(l, inputs, count) || !is_sane(l, rank, dims))
        return MLIA_NONE;
    uint32_t result = mlia_graph_add_tensor(l->graph, l->block, MLIA_STR_NONE, type, rank, dims);
    if (result == MLIA_NONE || mlia_graph_add_operator(l->graph, l->block, op, inputs, count, &result, 1,
                                                       attributes, l->source) == MLIA_NONE) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    return result;
}

/* ---- constants ---- */

/* Key of a constant: type, dimensions and bytes. Long bytes count by address and size: they are views of one
 * file. */
static mlia_str constant_key(lowering *l, uint32_t type, uint32_t rank, const int64_t *dims, mlia_bytes bytes)
{
    enum { BY_CONTENT = 4096 };
    mlia_buffer key = {0};
    mlia_buffer_add_u32(&key, type);
    mlia_buffer_add_u32(&key, rank);
    for (uint32_t i = 0; i < rank; i++)
        mlia_buffer_add_u64(&key, (uint64_t)dims[i]);
    if (bytes.size <= BY_CONTENT) {
        mlia_buffer_add(&key, bytes.data, bytes.size);
    } else {
        mlia_buffer_add_u64(&key, (uint64_t)(uintptr_t)bytes.data);
        mlia_buffer_add_u64(&key, bytes.size);
    }
    mlia_str copy = key.failed ? MLIA_STR_NONE : mlia_arena_str(l->arena, mlia_buffer_str(&key));
    mlia_buffer_free(&key);
    return copy;
}

/* Emits a CONST or CONST_SHAPE without source operator, or finds the equal one that is there. */
static uint32_t shared_constant(lowering *l, mlia_str key, mlia_op op, uint32_t value)
{
    uint32_t *known = key.data ? mlia_map_insert(&l->constants, key, value, NULL) : NULL;
    if (known == NULL || value == MLIA_NONE ||
        mlia_graph_add_operator(l->graph, l->block, op, NULL, 0, &value, 1, NULL, MLIA_NONE) == MLIA_NONE) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    return value;
}

uint32_t mlia_emit_const(lowering *l, uint32_t type, uint32_t rank, const int64_t *dims, mlia_bytes bytes)
{
    if (l->fault != NULL)
        return MLIA_NONE;
    mlia_str key = constant_key(l, type, rank, dims, bytes);
    const uint32_t *known = key.data ? mlia_map_find(&l->constants, key) : NULL;
    if (known != NULL)
        return *known;
    mlia_constant *constant = MLIA_NEW(l->arena, mlia_constant);
    uint32_t value =
        constant ? mlia_graph_add_tensor(l->graph, l->block, MLIA_STR_NONE, type, rank, dims) : MLIA_NONE;
    if (value != MLIA_NONE) {
        *constant = (mlia_constant){.bytes = bytes, .encoding = MLIA_ENCODING_TOSA};
        l->graph->values[value].constant = constant;
    }
    return shared_constant(l, key, MLIA_OP_CONST, value);
}

/* Little-endian integers of the type's width (INT48: 6 bytes) in the arena. */
static mlia_bytes pack_integers(lowering *l, uint32_t type, uint32_t count, const int64_t *values)
{
    uint32_t width = mlia_type_bytes(type);
    uint8_t *bytes = MLIA_NEW_ARRAY(l->arena, uint8_t, (size_t)count * width);
    if (bytes == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return (mlia_bytes){0};
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < width; k++)
            bytes[i * width + k] = (uint8_t)((uint64_t)values[i] >> (8 * k));
    return (mlia_bytes){bytes, (size_t)count * width};
}

uint32_t mlia_emit_ints(lowering *l, uint32_t type, uint32_t count, const int64_t *values)
{
    int64_t dims[1] = {count};
    return mlia_emit_const(l, type, 1, dims, pack_integers(l, type, count, values));
}

uint32_t mlia_emit_int(lowering *l, uint32_t type, int64_t value)
{
    return mlia_emit_ints(l, type, 1, &value);
}

uint32_t mlia_emit_floats(lowering *l, uint32_t rank, const int64_t *dims, const float *values)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; i++)
        count *= (uint64_t)dims[i];
    uint8_t *bytes = MLIA_NEW_ARRAY(l->arena, uint8_t, (size_t)count * 4);
    if (bytes == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        for (unsigned k = 0; k < 4; k++)
            bytes[4 * i + k] = (uint8_t)(bits >> (8 * k));
    }
    return mlia_emit_const(l, MLIA_TYPE_FP32, rank, dims, (mlia_bytes){bytes, (size_t)count * 4});
}

/* Bits of a number in a 16-bit float type, rounded to nearest even. */
static uint16_t half_bits(double value, uint32_t type)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (type == MLIA_TYPE_BF16)
        return (uint16_t)((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000u);
    double magnitude = fabs((double)single);
    if (!(magnitude < 65520.0))
        return (uint16_t)(sign | (isnan(single) ? 0x7E00u : 0x7C00u));
    int exponent;
    frexp(magnitude, &exponent);
    if (magnitude == 0.0 || exponent < -13)
        return (uint16_t)(sign | (uint16_t)nearbyint(ldexp(magnitude, 24)));
    uint32_t mantissa = (uint32_t)nearbyint(ldexp(magnitude, 11 - exponent)); /* 1024 … 2048 */
    return (uint16_t)(sign | (((uint32_t)(exponent + 14) << 10) + (mantissa - 1024u)));
}

uint32_t mlia_emit_scalar(lowering *l, uint32_t type, uint32_t rank, double value)
{
    static const int64_t ones[MAX_RANK] = {1, 1, 1, 1, 1, 1, 1, 1};
    if (l->fault != NULL)
        return MLIA_NONE;
    if (type == MLIA_TYPE_FP32) {
        float single = (float)value;
        return mlia_emit_floats(l, rank, ones, &single);
    }
    int64_t integer =
        type == MLIA_TYPE_FP16 || type == MLIA_TYPE_BF16 ? half_bits(value, type) : mlia_lower_round(value);
    uint32_t width_type = type == MLIA_TYPE_FP16 || type == MLIA_TYPE_BF16 ? MLIA_TYPE_INT16 : type;
    return mlia_emit_const(l, type, rank, ones, pack_integers(l, width_type, 1, &integer));
}

uint32_t mlia_emit_number(lowering *l, uint32_t like, double value)
{
    return mlia_emit_scalar(l, VALUE_TYPE(l, like), VALUE_RANK(l, like), value);
}

uint32_t mlia_emit_shape(lowering *l, uint32_t length, const int64_t *values)
{
    if (l->fault != NULL)
        return MLIA_NONE;
    mlia_str key = constant_key(l, MLIA_TYPE_SHAPE, length, values, (mlia_bytes){0});
    const uint32_t *known = key.data ? mlia_map_find(&l->constants, key) : NULL;
    if (known != NULL)
        return *known;
    return shared_constant(l, key, MLIA_OP_CONST_SHAPE,
                           mlia_graph_add_shape(l->graph, l->block, MLIA_STR_NONE, length, values));
}

/* ---- element-wise ---- */

static uint32_t with_rank(lowering *l, uint32_t x, uint32_t rank)
{
    const mlia_graph_value *info = mlia_lower_info(l, x);
    if (x == MLIA_NONE || info->rank >= rank)
        return x;
    int64_t dims[MAX_RANK];
    uint32_t lead = rank - info->rank;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i < lead ? 1 : info->dims[i - lead];
    return mlia_emit_reshape(l, x, rank, dims);
}

/* Brings values to one rank and finds the broadcast dimensions. */
static uint32_t broadcast(lowering *l, uint32_t *values, uint32_t count, int64_t dims[MAX_RANK])
{
    uint32_t rank = 0;
    for (uint32_t i = 0; i < count; i++)
        if (VALUE_RANK(l, values[i]) > rank)
            rank = VALUE_RANK(l, values[i]);
    for (uint32_t k = 0; k < rank; k++)
        dims[k] = 1;
    for (uint32_t i = 0; i < count; i++) {
        values[i] = with_rank(l, values[i], rank);
        if (values[i] == MLIA_NONE)
            return rank;
        for (uint32_t k = 0; k < rank; k++) {
            int64_t size = VALUE_DIMS(l, values[i])[k];
            if (size != 1 && dims[k] != 1 && size != dims[k]) {
                mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "dimensions %lld and %lld do not broadcast",
                                 (long long)dims[k], (long long)size);
                return rank;
            }
            if (size != 1)
                dims[k] = size;
        }
    }
    return rank;
}

static bool gives_bool(mlia_op op)
{
    return op == MLIA_OP_EQUAL || op == MLIA_OP_GREATER || op == MLIA_OP_GREATER_EQUAL;
}

uint32_t mlia_emit_own(lowering *l, uint32_t value, const uint32_t *earlier, uint32_t count)
{
    uint32_t producer = value == MLIA_NONE ? MLIA_NONE : l->graph->values[value].producer;
    bool shared = producer == MLIA_NONE || l->graph->operators[producer].op == MLIA_OP_CONST;
    for (uint32_t i = 0; i < count && !shared; i++)
        shared = earlier[i] == value;
    return shared ? mlia_emit_unary(l, MLIA_OP_IDENTITY, value) : value;
}

uint32_t mlia_emit_unary(lowering *l, mlia_op op, uint32_t x)
{
    uint32_t folded = op == MLIA_OP_RECIPROCAL ? mlia_fold_reciprocal(l, x) : MLIA_NONE;
    if (folded != MLIA_NONE)
        return folded;
    const mlia_graph_value *info = mlia_lower_info(l, x);
    return mlia_emit(l, op, &x, 1, NULL, info->type, info->rank, info->dims);
}

uint32_t mlia_emit_binary(lowering *l, mlia_op op, uint32_t a, uint32_t b)
{
    uint32_t inputs[2] = {a, b};
    if (!mlia_lower_alive(l, inputs, 2))
        return MLIA_NONE;
    int64_t dims[MAX_RANK];
    uint32_t rank = broadcast(l, inputs, 2, dims);
    mlia_attributes attributes = mlia_attributes_default();
    bool has_fields = mlia_op_describe(op)->field_count > 0;
    return mlia_emit(l, op, inputs, 2, has_fields ? &attributes : NULL,
                     gives_bool(op) ? MLIA_TYPE_BOOL : VALUE_TYPE(l, a), rank, dims);
}

uint32_t mlia_emit_mul(lowering *l, uint32_t a, uint32_t b, int32_t shift)
{
    uint32_t inputs[3] = {a, b, mlia_emit_int(l, MLIA_TYPE_INT8, shift)};
    if (!mlia_lower_alive(l, inputs, 3))
        return MLIA_NONE;
    int64_t dims[MAX_RANK];
    uint32_t rank = broadcast(l, inputs, 2, dims);
    uint32_t type = mlia_type_is_integer(VALUE_TYPE(l, a)) ? (uint32_t)MLIA_TYPE_INT32 : VALUE_TYPE(l, a);
    return mlia_emit(l, MLIA_OP_MUL, inputs, 3, NULL, type, rank, dims);
}

uint32_t mlia_emit_select(lowering *l, uint32_t condition, uint32_t a, uint32_t b)
{
    uint32_t inputs[3] = {condition, a, b};
    if (!mlia_lower_alive(l, inputs, 3))
        return MLIA_NONE;
    int64_t dims[MAX_RANK];
    uint32_t rank = broadcast(l, inputs, 3, dims);
    return mlia_emit(l, MLIA_OP_SELECT, inputs, 3, NULL, VALUE_TYPE(l, a), rank, dims);
}

uint32_t mlia_emit_shift_right(lowering *l, uint32_t a, uint32_t b, bool round)
{
    uint32_t inputs[2] = {a, b};
    if (!mlia_lower_alive(l, inputs, 2))
        return MLIA_NONE;
    int64_t dims[MAX_RANK];
    uint32_t rank = broadcast(l, inputs, 2, dims);
    mlia_attributes attributes = mlia_attributes_default();
    attributes.round = round;
    return mlia_emit(l, MLIA_OP_ARITHMETIC_RIGHT_SHIFT, inputs, 2, &attributes, VALUE_TYPE(l, a), rank, dims);
}

uint32_t mlia_emit_negate(lowering *l, uint32_t x)
{
    const mlia_graph_value *info = mlia_lower_info(l, x);
    uint32_t zero = mlia_emit_scalar(l, info->type, 1, 0.0);
    uint32_t inputs[3] = {x, zero, zero};
    info = mlia_lower_info(l, x);
    return mlia_emit(l, MLIA_OP_NEGATE, inputs, 3, NULL, info->type, info->rank, info->dims);
}

uint32_t mlia_emit_cast(lowering *l, uint32_t x, uint32_t type)
{
    const mlia_graph_value *info = mlia_lower_info(l, x);
    if (info->type == type)
        return x;
    uint32_t folded = mlia_fold_retyped(l, x, type);
    if (folded != MLIA_NONE)
        return folded;
    info = mlia_lower_info(l, x);
    return mlia_emit(l, MLIA_OP_CAST, &x, 1, NULL, type, info->rank, info->dims);
}

/* One element of `type` in TOSA encoding. */
static mlia_bytes element_bytes(lowering *l, uint32_t type, double value)
{
    if (type == MLIA_TYPE_FP32) {
        float single = (float)value;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        int64_t word = bits;
        return pack_integers(l, MLIA_TYPE_INT32, 1, &word);
    }
    bool half = type == MLIA_TYPE_FP16 || type == MLIA_TYPE_BF16;
    int64_t word = half ? half_bits(value, type) : mlia_lower_round(value);
    return pack_integers(l, half ? (uint32_t)MLIA_TYPE_INT16 : type, 1, &word);
}

uint32_t mlia_emit_clamp(lowering *l, uint32_t x, double low, double high)
{
    if (x == MLIA_NONE)
        return MLIA_NONE;
    mlia_attributes attributes = mlia_attributes_default();
    uint32_t type = VALUE_TYPE(l, x);
    attributes.min_val = element_bytes(l, type, low);
    attributes.max_val = element_bytes(l, type, high);
    const mlia_graph_value *info = mlia_lower_info(l, x);
    return mlia_emit(l, MLIA_OP_CLAMP, &x, 1, &attributes, type, info->rank, info->dims);
}

uint32_t mlia_emit_table(lowering *l, uint32_t x, const int64_t *entries)
{
    bool wide = VALUE_TYPE(l, x) == MLIA_TYPE_INT16;
    uint32_t inputs[2] = {x, mlia_emit_ints(l, VALUE_TYPE(l, x), wide ? 513 : 256, entries)};
    const mlia_graph_value *info = mlia_lower_info(l, x);
    return mlia_emit(l, MLIA_OP_TABLE, inputs, 2, NULL, wide ? MLIA_TYPE_INT32 : MLIA_TYPE_INT8, info->rank,
                     info->dims);
}

uint32_t mlia_emit_reduce(lowering *l, mlia_op op, uint32_t x, uint32_t axis)
{
    const mlia_graph_value *info = mlia_lower_info(l, x);
    if (x == MLIA_NONE || info->dims[axis] == 1)
        return x;
    int64_t dims[MAX_RANK];
    memcpy(dims, info->dims, info->rank * sizeof *dims);
    dims[axis] = 1;
    mlia_attributes attributes = mlia_attributes_default();
    attributes.axis = (int32_t)axis;
    return mlia_emit(l, op, &x, 1, &attributes, info->type, info->rank, dims);
}
