/* Constants that rules make of constants: what a RESHAPE, RESCALE, CAST or RECIPROCAL of one would give is
 * worked out here instead of on the device at every inference. Each function returns MLIA_NONE where that is
 * not possible, and then the caller emits the operator. */
#include "convert/tflite_to_tosa/lower.h"

enum { MOST = 1 << 16 /* elements: wider types of large constants would only grow the file */ };

static const mlia_constant *constant_of(const lowering *l, uint32_t value)
{
    const mlia_graph_value *x = mlia_lower_info(l, value);
    const mlia_constant *c = x->constant;
    bool emitted = l->fault == NULL && c != NULL && x->producer != MLIA_NONE &&
                   l->graph->operators[x->producer].op == MLIA_OP_CONST;
    return emitted && c->encoding == MLIA_ENCODING_TOSA && !c->splat ? c : NULL;
}

uint32_t mlia_fold_reshaped(lowering *l, uint32_t x, uint32_t rank, const int64_t *dims)
{
    const mlia_constant *c = constant_of(l, x);
    return c == NULL ? MLIA_NONE : mlia_emit_const(l, VALUE_TYPE(l, x), rank, dims, c->bytes);
}

static bool is_integer(uint32_t type)
{
    return type == MLIA_TYPE_INT8 || type == MLIA_TYPE_INT16 || type == MLIA_TYPE_INT32;
}

/* Elements of a small constant, 0 when x is none. */
static uint64_t foldable(const lowering *l, uint32_t x)
{
    uint64_t count;
    return constant_of(l, x) != NULL && mlia_value_elements(mlia_lower_info(l, x), &count) && count <= MOST
               ? count
               : 0;
}

static int64_t integer_at(const lowering *l, uint32_t x, uint64_t index)
{
    int64_t number = 0;
    mlia_constant_integer(mlia_lower_info(l, x), index, &number);
    return number;
}

/* A constant of the shape of x. */
static uint32_t emit_integers(lowering *l, uint32_t x, uint32_t type, const int64_t *values, uint64_t count)
{
    return mlia_emit_reshape(l, mlia_emit_ints(l, type, (uint32_t)count, values), VALUE_RANK(l, x),
                             VALUE_DIMS(l, x));
}

uint32_t mlia_fold_rescaled(lowering *l, uint32_t x, uint32_t type, rescale_numbers n)
{
    uint64_t count = foldable(l, x);
    uint32_t from = VALUE_TYPE(l, x);
    if (count == 0 || !is_integer(from) || !is_integer(type) || n.shift < 2 || n.shift > 62)
        return MLIA_NONE;
    int64_t *values = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)count);
    int64_t top = ((int64_t)1 << (8 * mlia_type_bytes(type) - 1)) - 1;
    for (uint64_t i = 0; values != NULL && i < count; i++) {
        int64_t value = integer_at(l, x, i) - n.zero_in;
        int64_t half = (int64_t)1 << (n.shift - 1);
        if (n.rounding == MLIA_ROUNDING_DOUBLE_ROUND && n.shift > 31)
            half += value >= 0 ? (int64_t)1 << 30 : -((int64_t)1 << 30);
        int64_t scaled = ((value * n.multiplier + half) >> n.shift) + n.zero_out;
        values[i] = scaled > top ? top : scaled < -top - 1 ? -top - 1 : scaled;
    }
    return values != NULL ? emit_integers(l, x, type, values, count) : MLIA_NONE;
}

uint32_t mlia_fold_retyped(lowering *l, uint32_t x, uint32_t type)
{
    uint64_t count = foldable(l, x);
    uint32_t from = VALUE_TYPE(l, x);
    if (count == 0 || !is_integer(from) || (!is_integer(type) && type != MLIA_TYPE_FP32))
        return MLIA_NONE;
    if (type == MLIA_TYPE_FP32) {
        float *numbers = MLIA_NEW_ARRAY(l->arena, float, (size_t)count);
        for (uint64_t i = 0; numbers != NULL && i < count; i++)
            numbers[i] = (float)integer_at(l, x, i);
        return numbers != NULL ? mlia_emit_floats(l, VALUE_RANK(l, x), VALUE_DIMS(l, x), numbers) : MLIA_NONE;
    }
    int64_t *values = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)count);
    for (uint64_t i = 0; values != NULL && i < count; i++)
        values[i] = integer_at(l, x, i);
    return values != NULL ? emit_integers(l, x, type, values, count) : MLIA_NONE;
}

uint32_t mlia_fold_reciprocal(lowering *l, uint32_t x)
{
    uint64_t count = foldable(l, x);
    if (count == 0 || VALUE_TYPE(l, x) != MLIA_TYPE_FP32)
        return MLIA_NONE;
    float *numbers = MLIA_NEW_ARRAY(l->arena, float, (size_t)count);
    for (uint64_t i = 0; numbers != NULL && i < count; i++) {
        double number = 0.0;
        mlia_constant_number(mlia_lower_info(l, x), i, &number);
        numbers[i] = 1.0f / (float)number;
    }
    return numbers != NULL ? mlia_emit_floats(l, VALUE_RANK(l, x), VALUE_DIMS(l, x), numbers) : MLIA_NONE;
}
