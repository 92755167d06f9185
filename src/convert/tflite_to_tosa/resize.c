/* RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR. */
#include "convert/tflite_to_tosa/rules.h"

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

/* The kernel for INT8 and INT16 rounds the distance between two elements to 10 bits. Where that is not the
 * true one, this is the scale with the kernel's positions. */
static axis_scale kernel_scale(axis_scale s, int64_t in, int64_t out, bool align_corners, bool half_pixel)
{
    enum { ONE = 1 << 10 };
    int64_t a = align_corners && out > 1 ? out - 1 : out;
    int64_t b = align_corners && out > 1 ? in - 1 : in;
    axis_scale k = {.n = ONE, .d = (ONE * b + a / 2) / a};
    k.offset = half_pixel ? k.d / 2 - ONE / 2 : 0;
    k.border = (out - 1) * k.d - (in - 1) * k.n + k.offset;
    bool same = k.d * s.n == s.d * k.n && k.offset * s.n == s.offset * k.n;
    return in == 1 || same ? s : k;
}

static bool within_limits(axis_scale s)
{
    return s.n > 0 && s.n <= 2048 && s.d > 0 && s.d < 16 * s.n && s.offset >= -s.n && s.offset < 16 * s.n &&
           s.border >= -16 * s.n && s.border < s.n;
}

/* Nearest neighbour along one axis by constant indices: for sizes beyond what RESIZE can say. */
static uint32_t gather_axis(lowering *l, uint32_t x, uint32_t axis, axis_scale s, int64_t out)
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
    for (int64_t i = 0; i < before * out; i++) {
        int64_t at = (i % out * s.d + s.offset) * 2 + s.n;
        int64_t index = at < 0 ? 0 : at / (2 * s.n);
        indices[i] = index < dims[axis] ? index : dims[axis] - 1;
    }
    uint32_t y = mlia_emit_gather(
        l, mlia_emit_reshape(l, x, 3, flat),
        mlia_emit_reshape(l, mlia_emit_ints(l, MLIA_TYPE_INT32, (uint32_t)(before * out), indices), 2,
                          index_dims));
    dims[axis] = out;
    return mlia_emit_reshape(l, y, 4, dims);
}

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
    if (!fits && nearest) {
        value = gather_axis(l, gather_axis(l, value, 1, s[0], size[0]), 2, s[1], size[1]);
        mlia_lower_set(l, 0, value);
        return;
    }
    if (!fits) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "%lld x %lld to %lld x %lld is beyond the scales of RESIZE",
                         (long long)x->dims[1], (long long)x->dims[2], (long long)size[0],
                         (long long)size[1]);
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
