/* RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR. */
#include <math.h>

#include "convert/tflite_to_tosa/rules.h"

enum { ONE = 1 << 10 }; /* the kernel for integers counts positions in 1/ONE */

/* Scale, offset and border of one axis in TOSA's terms. */
typedef struct axis_scale {
    int64_t n;
    int64_t d;
    int64_t offset;
    int64_t border;
} axis_scale;

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static axis_scale scale_of(int64_t in, int64_t out, bool align_corners, bool half_pixel, bool nearest)
{
    if (in == 1)
        return (axis_scale){out, 1, 0, out - 1};
    int64_t a = align_corners && out > 1 ? out - 1 : out;
    int64_t b = align_corners && out > 1 ? in - 1 : in;
    int64_t g = common_divisor(a, b);
    axis_scale s = {.n = 2 * a / g, .d = 2 * b / g};
    if (half_pixel)
        s.offset = (s.d - s.n) / 2;
    else if (nearest && !align_corners)
        s.offset = -s.n / 2; /* TOSA rounds to the nearest, TFLite takes the lower one */
    s.border = (out - 1) * s.d - (in - 1) * s.n + s.offset;
    return s;
}

/* The distance between two elements in the kernel for INT8 and INT16, which rounds it to 10 bits. */
static int64_t kernel_step(int64_t in, int64_t out, bool align_corners)
{
    int64_t a = align_corners && out > 1 ? out - 1 : out;
    int64_t b = align_corners && out > 1 ? in - 1 : in;
    return (ONE * b + a / 2) / a;
}

/* Where that distance is not the true one, this is the scale with the kernel's positions. */
static axis_scale kernel_scale(axis_scale s, int64_t in, int64_t out, bool align_corners, bool half_pixel)
{
    axis_scale k = {.n = ONE, .d = kernel_step(in, out, align_corners)};
    k.offset = half_pixel ? k.d / 2 - ONE / 2 : 0;
    k.border = (out - 1) * k.d - (in - 1) * k.n + k.offset;
    bool same = k.d * s.n == s.d * k.n && k.offset * s.n == s.offset * k.n;
    return in == 1 || same ? s : k;
}

/* Demands of RESIZE, and of level 8K: at most 256 times as large. */
static bool within_limits(axis_scale s)
{
    return s.n > 0 && s.n <= 2048 && s.d > 0 && s.d < 16 * s.n && s.n <= 256 * s.d && s.offset >= -s.n &&
           s.offset < 16 * s.n && s.border >= -16 * s.n && s.border < s.n;
}

/* ---- beyond what RESIZE can say: constant positions ---- */

/* The elements of one axis at `out` positions. */
static uint32_t gather_axis(lowering *l, uint32_t x, uint32_t axis, const int64_t *positions, int64_t out)
{
    int64_t dims[4];
    if (x == MLIA_NONE)
        return MLIA_NONE;
    memcpy(dims, VALUE_DIMS(l, x), sizeof dims);
    int64_t before = axis == 1 ? dims[0] : dims[0] * dims[1];
    int64_t behind = axis == 1 ? dims[2] * dims[3] : dims[3];
    int64_t flat[3] = {before, dims[axis], behind};
    int64_t index_dims[2] = {before, out};
    if (!mlia_fold_bounded(l, before, out))
        return MLIA_NONE;
    int64_t *indices = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)(before * out));
    if (indices == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (int64_t i = 0; i < before * out; i++)
        indices[i] = positions[i % out];
    uint32_t y = mlia_emit_gather(
        l, mlia_emit_reshape(l, x, 3, flat),
        mlia_emit_reshape(l, mlia_emit_ints(l, MLIA_TYPE_INT32, (uint32_t)(before * out), indices), 2,
                          index_dims));
    dims[axis] = out;
    return mlia_emit_reshape(l, y, 4, dims);
}

/* The two elements that each result lies between, and their shares. */
typedef struct axis_taps {
    int64_t out;
    int64_t *positions[2];
    int64_t *shares[2]; /* integers, in 1/ONE */
    float *parts[2];    /* floats */
} axis_taps;

static bool new_taps(lowering *l, axis_taps *t, int64_t out)
{
    if (!mlia_fold_bounded(l, out, 8))
        return false;
    *t = (axis_taps){.out = out};
    for (int i = 0; i < 2 && l->fault == NULL; i++) {
        t->positions[i] = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)out);
        t->shares[i] = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)out);
        t->parts[i] = MLIA_NEW_ARRAY(l->arena, float, (size_t)out);
        if (t->positions[i] == NULL || t->shares[i] == NULL || t->parts[i] == NULL)
            mlia_lower_fail(l, mlia_error_memory());
    }
    return l->fault == NULL;
}

static int64_t inside(int64_t position, int64_t in)
{
    return position < 0 ? 0 : position < in ? position : in - 1;
}

/* Nearest neighbours: one position each. */
static void find_nearest(axis_taps *t, axis_scale s, int64_t in)
{
    for (int64_t i = 0; i < t->out; i++) {
        int64_t at = (i * s.d + s.offset) * 2 + s.n;
        t->positions[0][i] = inside(at < 0 ? 0 : at / (2 * s.n), in);
    }
}

/* As the kernel for INT8 and INT16: positions in 1/ONE. */
static void find_integer_taps(axis_taps *t, int64_t in, bool align_corners, bool half_pixel)
{
    int64_t step = kernel_step(in, t->out, align_corners);
    for (int64_t i = 0; i < t->out; i++) {
        int64_t at = i * step + (half_pixel ? step / 2 - ONE / 2 : 0);
        t->positions[0][i] = inside(at / ONE, in);
        t->positions[1][i] = inside((at + ONE - 1) / ONE, in);
        t->shares[1][i] = at - ONE * t->positions[0][i];
        t->shares[0][i] = ONE - t->shares[1][i];
    }
}

/* As the kernel for floats (and for bytes without a sign): float32 throughout. */
static void find_float_taps(axis_taps *t, int64_t in, bool align_corners, bool half_pixel)
{
    float step = (float)in / (float)t->out;
    if (align_corners && t->out > 1)
        step = (float)(in - 1) / (float)(t->out - 1);
    for (int64_t i = 0; i < t->out; i++) {
        float at = half_pixel ? ((float)i + 0.5f) * step - 0.5f : (float)i * step;
        t->positions[0][i] = inside((int64_t)floorf(at), in);
        t->positions[1][i] = inside((int64_t)ceilf(at), in);
        t->parts[1][i] = at - (float)t->positions[0][i];
        t->parts[0][i] = 1.0f - t->parts[1][i];
    }
}

/* x times the shares of one tap along `axis`. */
static uint32_t weighted(lowering *l, uint32_t x, uint32_t axis, const axis_taps *t, int tap)
{
    int64_t dims[4] = {1, 1, 1, 1};
    dims[axis] = t->out;
    if (mlia_type_is_float(VALUE_TYPE(l, x)))
        return mlia_emit_mul(l, x, mlia_emit_floats(l, 4, dims, t->parts[tap]), 0);
    uint32_t shares = mlia_emit_ints(l, MLIA_TYPE_INT32, (uint32_t)t->out, t->shares[tap]);
    return mlia_emit_mul(l, x, mlia_emit_reshape(l, shares, 4, dims), 0);
}

/* Sum of the four neighbours in the kernel's order. */
static uint32_t bilinear_floats(lowering *l, uint32_t x, const axis_taps t[2])
{
    uint32_t sum = MLIA_NONE;
    uint32_t rows[2];
    for (int k = 0; k < 2; k++)
        rows[k] = weighted(l, gather_axis(l, x, 1, t[0].positions[k], t[0].out), 1, &t[0], k);
    for (int k = 0; k < 4; k++) {
        uint32_t column = gather_axis(l, rows[k % 2], 2, t[1].positions[k / 2], t[1].out);
        uint32_t term = weighted(l, column, 2, &t[1], k / 2);
        sum = k == 0 ? term : mlia_emit_binary(l, MLIA_OP_ADD, sum, term);
    }
    return sum;
}

static uint32_t blend(lowering *l, uint32_t a, uint32_t b, uint32_t axis, const axis_taps *t)
{
    return mlia_emit_binary(l, MLIA_OP_ADD, weighted(l, a, axis, t, 0), weighted(l, b, axis, t, 1));
}

/* The same in integers. A sum over both axes has 36 bits: it is blended in two halves of 10 and 26, and
 * divided by ONE², halves away from zero. */
static uint32_t bilinear_integers(lowering *l, uint32_t x, const axis_taps t[2])
{
    uint32_t high[2];
    uint32_t low[2];
    uint32_t ten = mlia_emit_scalar(l, MLIA_TYPE_INT32, 4, 10.0);
    uint32_t mask = mlia_emit_scalar(l, MLIA_TYPE_INT32, 4, (double)(ONE - 1));
    x = mlia_emit_cast(l, x, MLIA_TYPE_INT32);
    uint32_t y = blend(l, gather_axis(l, x, 1, t[0].positions[0], t[0].out),
                       gather_axis(l, x, 1, t[0].positions[1], t[0].out), 1, &t[0]);
    for (int k = 0; k < 2; k++) {
        uint32_t column = gather_axis(l, y, 2, t[1].positions[k], t[1].out);
        high[k] = mlia_emit_shift_right(l, column, ten, false);
        low[k] = mlia_emit_binary(l, MLIA_OP_BITWISE_AND, column, mask);
    }
    uint32_t rest = blend(l, low[0], low[1], 2, &t[1]);
    uint32_t whole = mlia_emit_binary(l, MLIA_OP_ADD, blend(l, high[0], high[1], 2, &t[1]),
                                      mlia_emit_shift_right(l, rest, ten, false));
    /* whole + rest / ONE: a half is rounded up unless the number is negative and exactly that half. */
    rest = mlia_emit_binary(l, MLIA_OP_BITWISE_AND, rest, mask);
    uint32_t zero = mlia_emit_scalar(l, MLIA_TYPE_INT32, 4, 0.0);
    uint32_t up =
        mlia_emit_binary(l, MLIA_OP_GREATER, mlia_emit_binary(l, MLIA_OP_MAXIMUM, whole, rest), zero);
    uint32_t half = mlia_emit_select(l, up, mlia_emit_scalar(l, MLIA_TYPE_INT32, 4, ONE / 2.0),
                                     mlia_emit_scalar(l, MLIA_TYPE_INT32, 4, ONE / 2.0 - 1.0));
    return mlia_emit_shift_right(l, mlia_emit_binary(l, MLIA_OP_ADD, whole, half), ten, false);
}

/* A resize along both axes by GATHER. */
static uint32_t resize_by_position(lowering *l, const operand *x, uint32_t value, const axis_scale s[2],
                                   const int64_t size[2], bool align_corners, bool half_pixel, bool nearest)
{
    axis_taps t[2];
    uint32_t type = VALUE_TYPE(l, value);
    bool integers = x->type == MLIA_TFLITE_INT8 || x->type == MLIA_TFLITE_INT16;
    for (int i = 0; i < 2; i++) {
        if (!new_taps(l, &t[i], size[i]))
            return MLIA_NONE;
        if (nearest)
            find_nearest(&t[i], s[i], x->dims[1 + i]);
        else if (integers)
            find_integer_taps(&t[i], x->dims[1 + i], align_corners, half_pixel);
        else
            find_float_taps(&t[i], x->dims[1 + i], align_corners, half_pixel);
    }
    if (nearest)
        return gather_axis(l, gather_axis(l, value, 1, t[0].positions[0], size[0]), 2, t[1].positions[0],
                           size[1]);
    if (integers)
        return mlia_emit_cast(l, bilinear_integers(l, value, t), type);
    if (x->type == MLIA_TFLITE_FLOAT32)
        return bilinear_floats(l, value, t);
    if (x->type != MLIA_TFLITE_UINT8) {
        mlia_lower_error(l, MLIA_E_TFLITE_TYPE, "on %.*s beyond the scales of TOSA's RESIZE",
                         MLIA_STR_ARG(mlia_tflite_type_name(x->type)));
        return MLIA_NONE;
    }
    uint32_t shift = mlia_emit_scalar(l, MLIA_TYPE_FP32, 4, 128.0);
    uint32_t raw = mlia_emit_binary(l, MLIA_OP_ADD, mlia_emit_cast(l, value, MLIA_TYPE_FP32), shift);
    uint32_t up = mlia_emit_binary(l, MLIA_OP_ADD, bilinear_floats(l, raw, t),
                                   mlia_emit_scalar(l, MLIA_TYPE_FP32, 4, 0.5));
    uint32_t y = mlia_emit_binary(l, MLIA_OP_SUB, mlia_emit_unary(l, MLIA_OP_FLOOR, up), shift);
    return mlia_emit_cast(l, y, type);
}

/* ---- with RESIZE ---- */

static uint32_t emit_resize(lowering *l, uint32_t x, const axis_scale s[2], const int64_t size[2],
                            bool nearest, uint32_t type)
{
    int64_t scale[4] = {s[0].n, s[0].d, s[1].n, s[1].d};
    int64_t offset[2] = {s[0].offset, s[1].offset};
    int64_t border[2] = {s[0].border, s[1].border};
    int64_t dims[4] = {VALUE_DIMS(l, x)[0], size[0], size[1], VALUE_DIMS(l, x)[3]};
    uint32_t inputs[4] = {x, mlia_emit_shape(l, 4, scale), mlia_emit_shape(l, 2, offset),
                          mlia_emit_shape(l, 2, border)};
    mlia_attributes attributes = mlia_attributes_default();
    attributes.mode = nearest ? MLIA_RESIZE_NEAREST : MLIA_RESIZE_BILINEAR;
    return mlia_emit(l, MLIA_OP_RESIZE, inputs, 4, &attributes, type, 4, dims);
}

void mlia_lower_resize(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    uint32_t count = 0;
    const int64_t *size = mlia_lower_integers(l, mlia_lower_required(l, 1), 2, &count);
    operand *out = mlia_lower_output(l, 0);
    if (l->fault != NULL || out == NULL)
        return;
    bool nearest = l->op->op == MLIA_TFLITE_OP_RESIZE_NEAREST_NEIGHBOR;
    bool align = mlia_lower_option(l, nearest ? MLIA_TFLITE_ResizeNearestNeighborOptions_align_corners
                                              : MLIA_TFLITE_ResizeBilinearOptions_align_corners) != 0;
    bool half = mlia_lower_option(l, nearest ? MLIA_TFLITE_ResizeNearestNeighborOptions_half_pixel_centers
                                             : MLIA_TFLITE_ResizeBilinearOptions_half_pixel_centers) != 0;
    if (x->rank != 4 || count != 2 || size[0] < 1 || size[1] < 1) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "needs an input of rank 4 and a size of two numbers");
        return;
    }
    uint32_t value = mlia_lower_value(l, x);
    if (x->dims[1] == size[0] && x->dims[2] == size[1]) {
        mlia_lower_set(l, 0, value);
        return;
    }
    axis_scale s[2];
    bool fits = true;
    for (uint32_t i = 0; i < 2; i++) {
        s[i] = scale_of(x->dims[1 + i], size[i], align, half, nearest);
        if (!nearest && (x->type == MLIA_TFLITE_INT8 || x->type == MLIA_TFLITE_INT16)) {
            axis_scale own = kernel_scale(s[i], x->dims[1 + i], size[i], align, half);
            s[i] = within_limits(own) ? own : s[i];
        }
        fits = fits && within_limits(s[i]) && x->dims[1 + i] < 16384 && size[i] < 16384;
    }
    if (!fits) {
        mlia_lower_set(l, 0, resize_by_position(l, x, value, s, size, align, half, nearest));
        return;
    }
    uint32_t type = VALUE_TYPE(l, value);
    uint32_t wide = nearest || mlia_type_is_float(type) ? type
                    : type == MLIA_TYPE_INT8            ? (uint32_t)MLIA_TYPE_INT32
                                                        : (uint32_t)MLIA_TYPE_INT48;
    uint32_t y = emit_resize(l, value, s, size, nearest, wide);
    /* The kernel rounds halves away from zero: those of bytes without a sign, which it computes in floats,
     * up. */
    if (wide == MLIA_TYPE_INT32 && x->type != MLIA_TFLITE_UINT8)
        y = mlia_emit_quotient(l, y, type, s[0].n * s[1].n);
    else if (wide != type)
        y = mlia_emit_rescale1(l, y, type, 1.0 / ((double)s[0].n * (double)s[1].n), 0, 0, ROUND_EXACT);
    mlia_lower_set(l, 0, y);
}
