/* Reductions and scans: MEAN, SUM, REDUCE_*, ARG_MAX, ARG_MIN, CUMSUM. */
#include <math.h>

#include "convert/tflite_to_tosa/rules.h"

/* The reduced axes as a set, in ascending order. */
typedef struct reduction {
    operand *in;
    operand *out;
    bool reduced[MAX_RANK];
    int64_t count; /* elements that go into one result */
} reduction;

static bool take(lowering *l, reduction *r)
{
    *r = (reduction){.in = mlia_lower_required(l, 0), .out = mlia_lower_output(l, 0), .count = 1};
    uint32_t axis_count = 0;
    const int64_t *axes = mlia_lower_integers(l, mlia_lower_required(l, 1), MAX_RANK, &axis_count);
    if (l->fault != NULL || r->out == NULL)
        return false;
    for (uint32_t i = 0; i < axis_count && l->fault == NULL; i++)
        r->reduced[mlia_lower_axis(l, axes[i], r->in->rank)] = true;
    for (uint32_t i = 0; i < r->in->rank; i++)
        if (r->reduced[i])
            r->count *= r->in->dims[i];
    return l->fault == NULL;
}

/* One TOSA reduction per axis; the reduced dimensions are 1. */
static uint32_t reduce_all(lowering *l, const reduction *r, mlia_op op, uint32_t x)
{
    for (uint32_t i = 0; i < r->in->rank; i++)
        if (r->reduced[i])
            x = mlia_emit_reduce(l, op, x, i);
    return x;
}

/* Drops the reduced dimensions unless they are kept. */
static void set_reduced(lowering *l, const reduction *r, uint32_t y)
{
    int64_t dims[MAX_RANK];
    uint32_t rank = 0;
    bool keep = mlia_lower_option(l, MLIA_TFLITE_ReducerOptions_keep_dims) != 0;
    for (uint32_t i = 0; i < r->in->rank; i++)
        if (keep || !r->reduced[i])
            dims[rank++] = r->reduced[i] ? 1 : r->in->dims[i];
    mlia_lower_set(l, 0, mlia_emit_reshape(l, y, rank, dims));
}

/* The factor of a quantised mean: the scale ratio divided by the count in integers, as the kernel does. */
static uint32_t rescale_mean(lowering *l, const reduction *r, uint32_t sum)
{
    int32_t multiplier;
    int32_t exponent;
    mlia_lower_multiplier(mlia_lower_scale(l, r->in) / mlia_lower_scale(l, r->out), &multiplier, &exponent);
    int32_t bits = 63 - __builtin_clzll((unsigned long long)r->count);
    if (bits > 32)
        bits = 32;
    if (bits > 31 + exponent)
        bits = 31 + exponent;
    if (bits < 0)
        bits = 0;
    int64_t share = (int64_t)(((uint64_t)multiplier << bits) / (uint64_t)r->count);
    int32_t shift = 31 - exponent + bits;
    if (share > INT32_MAX || shift < 2 || shift > 62) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "a mean of %lld elements at these scales",
                         (long long)r->count);
        return MLIA_NONE;
    }
    return mlia_emit_rescale_raw(l, sum, mlia_lower_type(r->out->type), (int32_t)share, shift, 0,
                                 mlia_lower_zero(r->out), ROUND_DOUBLE);
}

void mlia_lower_mean(lowering *l)
{
    reduction r;
    if (!take(l, &r))
        return;
    if (mlia_lower_is_quantised(r.in)) {
        uint32_t sum = reduce_all(l, &r, MLIA_OP_REDUCE_SUM, mlia_emit_centred(l, r.in));
        set_reduced(l, &r, rescale_mean(l, &r, sum));
        return;
    }
    uint32_t x = mlia_lower_value(l, r.in);
    bool is_float = mlia_type_is_float(VALUE_TYPE(l, x));
    uint32_t sum =
        reduce_all(l, &r, MLIA_OP_REDUCE_SUM, is_float ? x : mlia_emit_cast(l, x, MLIA_TYPE_INT32));
    uint32_t mean =
        is_float
            ? mlia_emit_mul(
                  l, sum,
                  mlia_emit_scalar(l, VALUE_TYPE(l, sum), r.in->rank, (double)(1.0f / (float)r.count)), 0)
            : mlia_emit_binary(l, MLIA_OP_INTDIV, sum,
                               mlia_emit_scalar(l, MLIA_TYPE_INT32, r.in->rank, (double)r.count));
    set_reduced(l, &r, mlia_emit_cast(l, mean, mlia_lower_type(r.out->type)));
}

void mlia_lower_sum(lowering *l)
{
    reduction r;
    if (!take(l, &r))
        return;
    if (!mlia_lower_is_quantised(r.in)) {
        set_reduced(l, &r, reduce_all(l, &r, MLIA_OP_REDUCE_SUM, mlia_lower_value(l, r.in)));
        return;
    }
    uint32_t sum = reduce_all(l, &r, MLIA_OP_REDUCE_SUM, mlia_emit_centred(l, r.in));
    set_reduced(l, &r,
                mlia_emit_rescale1(l, sum, mlia_lower_type(r.out->type),
                                   mlia_lower_scale(l, r.in) / mlia_lower_scale(l, r.out), 0,
                                   mlia_lower_zero(r.out), ROUND_SINGLE));
}

void mlia_lower_reduce(lowering *l)
{
    static const struct {
        uint32_t builtin;
        mlia_op op;
    } rows[] = {
        {MLIA_TFLITE_OP_REDUCE_MAX, MLIA_OP_REDUCE_MAX},
        {MLIA_TFLITE_OP_REDUCE_MIN, MLIA_OP_REDUCE_MIN},
        {MLIA_TFLITE_OP_REDUCE_ANY, MLIA_OP_REDUCE_ANY},
        {MLIA_TFLITE_OP_REDUCE_ALL, MLIA_OP_REDUCE_ALL},
    };
    reduction r;
    if (!take(l, &r))
        return;
    size_t i = 0;
    while (rows[i].builtin != l->op->op)
        i++;
    set_reduced(l, &r, reduce_all(l, &r, rows[i].op, mlia_lower_value(l, r.in)));
}

/* Product of the slices along one axis. */
static uint32_t product_along(lowering *l, uint32_t x, uint32_t axis)
{
    enum { MOST = 64 };
    int64_t size = VALUE_DIMS(l, x)[axis];
    if (size > MOST) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "an integer product of %lld elements, at most %d",
                         (long long)size, MOST);
        return MLIA_NONE;
    }
    uint32_t y = mlia_emit_part(l, x, axis, 0, 1);
    for (int64_t k = 1; k < size; k++)
        y = mlia_emit_mul(l, y, mlia_emit_part(l, x, axis, k, 1), 0);
    return y;
}

/* Bytes: the kernel spreads the scales of a quantised product over its steps, each with a multiplier of 16
 * bits. */
static uint32_t quantised_product(lowering *l, const reduction *r)
{
    enum { MOST = 64 };
    if (r->count > MOST) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "a quantised product of %lld elements, at most %d",
                         (long long)r->count, MOST);
        return MLIA_NONE;
    }
    int32_t multiplier;
    int32_t exponent;
    double scale_out = mlia_lower_scale(l, r->out);
    mlia_lower_multiplier(mlia_lower_scale(l, r->in) / pow(scale_out, 1.0 / (double)r->count), &multiplier,
                          &exponent);
    multiplier = multiplier < 0x7FFF0000 ? (multiplier + 0x8000) / 0x10000 * 0x10000 : 0x7FFF0000;
    uint32_t x = mlia_emit_centred(l, r->in);
    int64_t at[MAX_RANK] = {0};
    int64_t steps[MAX_RANK];
    int64_t size[MAX_RANK];
    for (uint32_t i = 0; i < r->in->rank; i++) {
        steps[i] = r->reduced[i] ? r->in->dims[i] : 1;
        size[i] = r->reduced[i] ? 1 : r->in->dims[i];
    }
    uint32_t y = mlia_emit_slice(l, x, at, size);
    while (mlia_fold_next(r->in->rank, steps, at) && l->fault == NULL) {
        y = mlia_emit_mul(l, y, mlia_emit_slice(l, x, at, size), 0);
        y = mlia_emit_rescale_raw(l, y, MLIA_TYPE_INT32, multiplier, 31 - exponent, 0, 0, ROUND_EXACT);
    }
    return mlia_emit_rescale_raw(l, y, mlia_lower_type(r->out->type), multiplier, 31 - exponent, 0,
                                 mlia_lower_zero(r->out), ROUND_EXACT);
}

void mlia_lower_reduce_prod(lowering *l)
{
    reduction r;
    if (!take(l, &r))
        return;
    bool quantised = mlia_lower_is_quantised(r.in);
    if (quantised && mlia_lower_type(r.in->type) == MLIA_TYPE_INT8) {
        set_reduced(l, &r, quantised_product(l, &r));
        return;
    }
    /* The steps of INT16 need more than 32 bits: floats are as near as the kernel's own multipliers. */
    uint32_t x = quantised ? mlia_emit_dequantise(l, r.in) : mlia_lower_value(l, r.in);
    if (l->fault == NULL && mlia_type_is_float(VALUE_TYPE(l, x)))
        x = reduce_all(l, &r, MLIA_OP_REDUCE_PRODUCT, x);
    else
        for (uint32_t i = 0; i < r.in->rank && x != MLIA_NONE; i++)
            if (r.reduced[i])
                x = product_along(l, x, i);
    set_reduced(l, &r, quantised ? mlia_emit_quantise(l, x, r.out) : x);
}

/* Positions of the first greatest (or least) INT32 along an axis, which keeps size 1: TOSA's ARGMAX does not
 * take INT32. */
static uint32_t first_position(lowering *l, uint32_t x, uint32_t axis, bool least)
{
    if (l->fault != NULL)
        return MLIA_NONE;
    uint32_t rank = VALUE_RANK(l, x);
    int64_t size = VALUE_DIMS(l, x)[axis];
    uint32_t positions = mlia_emit_iota(l, size, axis, rank);
    uint32_t best = mlia_emit_reduce(l, least ? MLIA_OP_REDUCE_MIN : MLIA_OP_REDUCE_MAX, x, axis);
    uint32_t is_best = mlia_emit_binary(l, MLIA_OP_EQUAL, x, best);
    uint32_t none = mlia_emit_scalar(l, MLIA_TYPE_INT32, rank, (double)size);
    return mlia_emit_reduce(l, MLIA_OP_REDUCE_MIN, mlia_emit_select(l, is_best, positions, none), axis);
}

void mlia_lower_arg(lowering *l)
{
    operand *in = mlia_lower_required(l, 0);
    uint32_t count = 0;
    const int64_t *axes = mlia_lower_integers(l, mlia_lower_required(l, 1), 1, &count);
    if (l->fault != NULL || count != 1)
        return;
    uint32_t axis = mlia_lower_axis(l, axes[0], in->rank);
    uint32_t x = mlia_lower_value(l, in);
    if (l->fault == NULL && VALUE_TYPE(l, x) == MLIA_TYPE_BOOL)
        x = mlia_emit_cast(l, x, MLIA_TYPE_INT8);
    bool least = l->op->op == MLIA_TFLITE_OP_ARG_MIN;
    bool is_wide = VALUE_TYPE(l, x) == MLIA_TYPE_INT32;
    if (is_wide)
        x = first_position(l, x, axis, least);
    else if (least)
        x = mlia_type_is_float(VALUE_TYPE(l, x)) ? mlia_emit_negate(l, x)
                                                 : mlia_emit_unary(l, MLIA_OP_BITWISE_NOT, x);
    int64_t dims[MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < in->rank; i++)
        if (i != axis)
            dims[rank++] = in->dims[i];
    if (is_wide) {
        mlia_lower_set(l, 0, mlia_emit_reshape(l, x, rank, dims));
        return;
    }
    mlia_attributes attributes = mlia_attributes_default();
    attributes.axis = (int32_t)axis;
    mlia_lower_set(l, 0, mlia_emit(l, MLIA_OP_ARGMAX, &x, 1, &attributes, MLIA_TYPE_INT32, rank, dims));
}

/* x moved by n along an axis, zeros from the front. */
static uint32_t moved(lowering *l, uint32_t x, uint32_t axis, int64_t n)
{
    int64_t pads[2 * MAX_RANK] = {0};
    pads[2 * axis] = n;
    uint32_t part = mlia_emit_part(l, x, axis, 0, VALUE_DIMS(l, x)[axis] - n);
    return mlia_emit_pad(l, part, pads, mlia_emit_scalar(l, VALUE_TYPE(l, x), 1, 0.0));
}

void mlia_lower_cumsum(lowering *l)
{
    operand *in = mlia_lower_required(l, 0);
    uint32_t count = 0;
    const int64_t *axes = mlia_lower_integers(l, mlia_lower_required(l, 1), 1, &count);
    if (l->fault != NULL || count != 1)
        return;
    uint32_t axis = mlia_lower_axis(l, axes[0], in->rank);
    bool reverse = mlia_lower_option(l, MLIA_TFLITE_CumsumOptions_reverse) != 0;
    uint32_t x = mlia_lower_value(l, in);
    if (l->fault != NULL)
        return;
    int64_t size = in->dims[axis];
    if (reverse)
        x = mlia_emit_reverse(l, x, axis);
    for (int64_t n = 1; n < size; n *= 2)
        x = mlia_emit_binary(l, MLIA_OP_ADD, x, moved(l, x, axis, n));
    if (mlia_lower_option(l, MLIA_TFLITE_CumsumOptions_exclusive) != 0)
        x = size > 1 ? moved(l, x, axis, 1) : mlia_emit_binary(l, MLIA_OP_SUB, x, x);
    if (reverse)
        x = mlia_emit_reverse(l, x, axis);
    mlia_lower_set(l, 0, x);
}
