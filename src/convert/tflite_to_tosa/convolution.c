/* CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV, CONV_3D, FULLY_CONNECTED: multiply-accumulate operators with
 * bias, requantisation and fused activation. */
#include <math.h>

#include "convert/tflite_to_tosa/rules.h"

/* What the operators of this file have in common once the windows are known. */
typedef struct convolution {
    operand *input;
    operand *filter;
    operand *bias; /* NULL when absent */
    operand *output;
    round_kind round;
} convolution;

static bool is_hybrid(const convolution *c)
{
    return mlia_lower_is_float(c->input) && !mlia_lower_is_float(c->filter);
}

/* Type of the accumulator: INT32, INT48 for 16-bit activations, or the float type. */
static uint32_t accumulator_type(const operand *input)
{
    switch (input->type) {
    case MLIA_TFLITE_INT16:
        return MLIA_TYPE_INT48;
    case MLIA_TFLITE_INT8:
    case MLIA_TFLITE_UINT8:
        return MLIA_TYPE_INT32;
    default:
        return mlia_lower_type(input->type);
    }
}

/* Float filter of a hybrid operator: the quantised weights as FP32 constants. */
static uint32_t dequantised_filter(lowering *l, const operand *filter, uint32_t rank, const int64_t *dims)
{
    const mlia_tflite_quantization *q = &filter->tensor->quantization;
    mlia_lower_scale(l, filter);
    float *values = l->fault == NULL ? MLIA_NEW_ARRAY(l->arena, float, (size_t)filter->elements) : NULL;
    if (values == NULL) {
        if (l->fault == NULL)
            mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    uint64_t inner = 1; /* elements between two steps of the quantised dimension */
    for (uint32_t i = filter->rank; i > 0 && (int32_t)(i - 1) > q->dimension; i--)
        inner *= (uint64_t)filter->dims[i - 1];
    for (uint64_t i = 0; i < filter->elements; i++) {
        size_t channel = q->scale_count > 1 ? (size_t)(i / inner % q->scale_count) : 0;
        values[i] = (float)(mlia_lower_integer_at(filter, i) - q->zero_points[channel]) * q->scales[channel];
    }
    return mlia_emit_floats(l, rank, dims, values);
}

/* The filter with the dimensions that TOSA wants; the bytes stay. */
static uint32_t filter_value(lowering *l, const convolution *c, uint32_t rank, const int64_t *dims)
{
    operand *filter = c->filter;
    if (is_hybrid(c) && filter->is_constant)
        return dequantised_filter(l, filter, rank, dims);
    if (!filter->is_constant)
        return mlia_emit_reshape(l, mlia_lower_value(l, filter), rank, dims);
    operand shaped = *filter;
    shaped.value = MLIA_NONE;
    shaped.rank = rank;
    memcpy(shaped.dims, dims, rank * sizeof *dims);
    return mlia_lower_value(l, &shaped);
}

static uint32_t bias_value(lowering *l, const convolution *c, uint32_t accumulator)
{
    if (c->bias == NULL)
        return mlia_emit_scalar(l, accumulator, 1, 0.0);
    operand *bias = c->bias;
    if (mlia_lower_is_float(bias))
        return mlia_emit_cast(l, mlia_lower_value(l, bias), accumulator);
    uint32_t count = 0;
    if (!bias->is_constant)
        return mlia_lower_value(l, bias);
    const int64_t *values = mlia_lower_integers(l, bias, UINT32_MAX, &count);
    return values ? mlia_emit_ints(l, accumulator, count, values) : MLIA_NONE;
}

/* One bias per output channel, or one for all. */
static bool check_bias(lowering *l, const convolution *c, int64_t channels)
{
    const operand *bias = c->bias;
    if (l->fault == NULL && bias != NULL &&
        (bias->rank != 1 || (bias->dims[0] != channels && bias->dims[0] != 1)))
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "the bias must have %lld elements", (long long)channels);
    return l->fault == NULL;
}

/* The factor that 16 bits hold nearest to m. */
static double nearest16(double m)
{
    int exponent;
    double fraction = frexp(m, &exponent);
    return ldexp(round(ldexp(fraction, 15)), exponent - 15);
}

/* Accumulator of the output channels from `first` on → quantised result. */
static uint32_t requantise(lowering *l, const convolution *c, uint32_t x, uint32_t first)
{
    double in = mlia_lower_scale(l, c->input);
    double out = mlia_lower_scale(l, c->output);
    mlia_lower_scale(l, c->filter);
    if (l->fault != NULL || x == MLIA_NONE)
        return MLIA_NONE;
    const mlia_tflite_quantization *q = &c->filter->tensor->quantization;
    int64_t channels = VALUE_DIMS(l, x)[VALUE_RANK(l, x) - 1];
    uint32_t count = q->scale_count > 1 ? (uint32_t)channels : 1;
    if (q->scale_count > 1 && first + channels > (int64_t)q->scale_count)
        mlia_lower_error(l, MLIA_E_TFLITE_QUANTIZATION, "%u scales for %lld channels", q->scale_count,
                         (long long)channels);
    double *multipliers = l->fault == NULL ? MLIA_NEW_ARRAY(l->arena, double, count) : NULL;
    if (multipliers == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    bool legacy = c->input->type == MLIA_TFLITE_UINT8;
    /* On INT16, FULLY_CONNECTED computes with the true factor, the others with one of 16 bits that never
     * rounds up to a power of two. */
    bool nearest = c->round == ROUND_SINGLE && c->input->type == MLIA_TFLITE_INT16;
    for (uint32_t i = 0; i < count; i++) {
        float scale = q->scales[q->scale_count > 1 ? first + i : 0];
        multipliers[i] = legacy ? (double)((float)in * scale) / out : in * (double)scale / out;
        multipliers[i] = nearest ? nearest16(multipliers[i]) : multipliers[i];
    }
    return mlia_emit_rescale(l, x, mlia_lower_type(c->output->type), multipliers, count, 0,
                             mlia_lower_zero(c->output), c->round);
}

/* Accumulator → result type, then the fused activation. INT16 is no accumulator: then it is done. */
static uint32_t finish(lowering *l, const convolution *c, uint32_t x, int32_t activation)
{
    if (mlia_lower_is_float(c->input))
        x = mlia_emit_cast(l, x, mlia_lower_type(c->output->type));
    else if (VALUE_TYPE(l, x) != MLIA_TYPE_INT16)
        x = requantise(l, c, x, 0);
    return mlia_emit_activation(l, x, activation, c->output);
}

static int32_t zero_of(const convolution *c, const operand *x)
{
    return mlia_lower_is_float(c->input) ? 0 : mlia_lower_zero(x);
}

/* Emits the multiply-accumulate operator on `x`. */
static uint32_t accumulate(lowering *l, const convolution *c, mlia_op op, uint32_t x, uint32_t filter,
                           const mlia_attributes *geometry, uint32_t rank, const int64_t *dims)
{
    uint32_t accumulator = accumulator_type(c->input);
    if (!check_bias(l, c, dims[rank - 1]))
        return MLIA_NONE;
    uint32_t inputs[5] = {
        x,
        filter,
        bias_value(l, c, accumulator),
        mlia_emit_int(l, VALUE_TYPE(l, x), zero_of(c, c->input)),
        mlia_emit_int(l, VALUE_TYPE(l, filter), zero_of(c, c->filter)),
    };
    if (mlia_lower_is_float(c->input)) {
        inputs[3] = mlia_emit_scalar(l, VALUE_TYPE(l, x), 1, 0.0);
        inputs[4] = mlia_emit_scalar(l, VALUE_TYPE(l, filter), 1, 0.0);
    }
    mlia_attributes attributes = *geometry;
    attributes.acc_type = accumulator == MLIA_TYPE_FP16 || accumulator == MLIA_TYPE_BF16
                              ? (uint32_t)MLIA_TYPE_FP32
                              : accumulator;
    return mlia_emit(l, op, inputs, 5, &attributes, accumulator, rank, dims);
}

/* Windows of all spatial axes; cuts what no window covers off the input. */
static uint32_t place_windows(lowering *l, uint32_t x, uint32_t axes, const int64_t *kernel,
                              const int64_t *stride, const int64_t *dilation, bool same,
                              mlia_attributes *attributes, int64_t *out)
{
    int64_t pad[6];
    int64_t used[MAX_RANK];
    static const int64_t start[MAX_RANK] = {0};
    if (x == MLIA_NONE || l->fault != NULL)
        return MLIA_NONE;
    memcpy(used, VALUE_DIMS(l, x), VALUE_RANK(l, x) * sizeof *used);
    for (uint32_t i = 0; i < axes && l->fault == NULL; i++) {
        window w = mlia_lower_window(l, used[1 + i], kernel[i], stride[i], dilation[i], same);
        pad[2 * i] = w.before;
        pad[2 * i + 1] = w.after;
        out[i] = w.out;
        used[1 + i] = w.used;
    }
    if (l->fault != NULL)
        return MLIA_NONE;
    x = mlia_emit_slice(l, x, start, used);
    *attributes = mlia_attributes_default();
    attributes->pad = mlia_lower_list(l, 2 * axes, pad);
    attributes->stride = mlia_lower_list(l, axes, stride);
    attributes->dilation = mlia_lower_list(l, axes, dilation);
    return x;
}

static bool take_operands(lowering *l, convolution *c, uint32_t input, uint32_t rank)
{
    c->input = mlia_lower_required(l, input);
    c->filter = mlia_lower_required(l, 1);
    c->bias = mlia_lower_input(l, input == 0 ? 2 : input + 1);
    c->output = mlia_lower_output(l, 0);
    c->round = ROUND_DOUBLE;
    if (l->fault == NULL && (c->output == NULL || c->input->rank != rank || c->filter->rank != rank))
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "input and filter must have rank %u", rank);
    return l->fault == NULL;
}

/* A part of a per-channel constant (filter, bias): `count` entries of axis 0 from `start`. */
static operand channel_part(operand *x, uint64_t start, uint64_t count)
{
    operand part = *x;
    size_t bytes = x->data.size / (size_t)x->dims[0];
    part.value = MLIA_NONE;
    part.dims[0] = (int64_t)count;
    part.elements = x->elements / (uint64_t)x->dims[0] * count;
    part.data = mlia_bytes_slice(x->data, (size_t)start * bytes, (size_t)count * bytes);
    return part;
}

/* One convolution without groups. */
static uint32_t plain_conv2d(lowering *l, const convolution *c, uint32_t x, const mlia_attributes *geometry,
                             const int64_t *out)
{
    const operand *f = c->filter;
    int64_t dims[4] = {VALUE_DIMS(l, x)[0], out[0], out[1], f->dims[0]};
    return accumulate(l, c, MLIA_OP_CONV2D, x, filter_value(l, c, 4, f->dims), geometry, 4, dims);
}

/* A filter of four bits per element as one of bytes, which can be cut anywhere. */
static bool widen(lowering *l, operand *filter)
{
    uint8_t *bytes = MLIA_NEW_ARRAY(l->arena, uint8_t, (size_t)filter->elements);
    if (bytes == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return false;
    }
    for (uint64_t i = 0; i < filter->elements; i++)
        bytes[i] = (uint8_t)mlia_lower_integer_at(filter, i);
    filter->type = MLIA_TFLITE_INT8;
    filter->data = (mlia_bytes){bytes, (size_t)filter->elements};
    return true;
}

static uint32_t grouped_conv2d(lowering *l, const convolution *c, uint32_t x, const mlia_attributes *geometry,
                               const int64_t *out)
{
    int64_t width = c->filter->dims[3];
    uint32_t groups = (uint32_t)(c->input->dims[3] / width);
    uint64_t per_group = (uint64_t)c->filter->dims[0] / groups;
    uint32_t *parts = MLIA_NEW_ARRAY(l->arena, uint32_t, groups);
    operand whole = *c->filter;
    if (parts == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    if (mlia_tflite_type_bits(whole.type) < 8 && !widen(l, &whole))
        return MLIA_NONE;
    for (uint32_t g = 0; g < groups; g++) {
        operand filter = channel_part(&whole, g * per_group, per_group);
        bool own_bias = c->bias != NULL && c->bias->dims[0] > 1;
        operand bias = own_bias ? channel_part(c->bias, g * per_group, per_group) : (operand){0};
        convolution part = *c;
        part.filter = &filter;
        part.bias = own_bias ? &bias : c->bias;
        parts[g] = plain_conv2d(l, &part, mlia_emit_part(l, x, 3, (int64_t)g * width, width), geometry, out);
        if (VALUE_TYPE(l, parts[g]) == MLIA_TYPE_INT48) /* which CONCAT does not take */
            parts[g] = requantise(l, c, parts[g], (uint32_t)(g * per_group));
    }
    return mlia_emit_concat(l, parts, groups, 3);
}

void mlia_lower_conv_2d(lowering *l)
{
    convolution c;
    if (!take_operands(l, &c, 0, 4))
        return;
    const operand *f = c.filter;
    int64_t kernel[2] = {f->dims[1], f->dims[2]};
    int64_t stride[2] = {mlia_lower_option(l, MLIA_TFLITE_Conv2DOptions_stride_h),
                         mlia_lower_option(l, MLIA_TFLITE_Conv2DOptions_stride_w)};
    int64_t dilation[2] = {mlia_lower_option(l, MLIA_TFLITE_Conv2DOptions_dilation_h_factor),
                           mlia_lower_option(l, MLIA_TFLITE_Conv2DOptions_dilation_w_factor)};
    bool grouped = f->dims[3] != c.input->dims[3];
    if (f->dims[3] < 1 || c.input->dims[3] % f->dims[3] != 0 ||
        f->dims[0] % (c.input->dims[3] / f->dims[3]) != 0) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "a filter for %lld channels on an input of %lld",
                         (long long)f->dims[3], (long long)c.input->dims[3]);
        return;
    }
    if (grouped && (!f->is_constant || (c.bias != NULL && !c.bias->is_constant))) {
        mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT,
                         "a grouped convolution needs a constant filter and bias");
        return;
    }
    mlia_attributes geometry;
    int64_t out[2];
    uint32_t x = place_windows(l, mlia_lower_value(l, c.input), 2, kernel, stride, dilation,
                               mlia_lower_option(l, MLIA_TFLITE_Conv2DOptions_padding) == 0, &geometry, out);
    if (x == MLIA_NONE || !check_bias(l, &c, f->dims[0]))
        return;
    uint32_t y = grouped ? grouped_conv2d(l, &c, x, &geometry, out) : plain_conv2d(l, &c, x, &geometry, out);
    mlia_lower_set(
        l, 0, finish(l, &c, y, mlia_lower_option(l, MLIA_TFLITE_Conv2DOptions_fused_activation_function)));
}

void mlia_lower_depthwise_conv_2d(lowering *l)
{
    convolution c;
    if (!take_operands(l, &c, 0, 4))
        return;
    const operand *f = c.filter;
    int64_t channels = c.input->dims[3];
    if (channels < 1 || f->dims[3] % channels != 0) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "%lld filter channels for %lld input channels",
                         (long long)f->dims[3], (long long)channels);
        return;
    }
    int64_t kernel[2] = {f->dims[1], f->dims[2]};
    int64_t stride[2] = {mlia_lower_option(l, MLIA_TFLITE_DepthwiseConv2DOptions_stride_h),
                         mlia_lower_option(l, MLIA_TFLITE_DepthwiseConv2DOptions_stride_w)};
    int64_t dilation[2] = {mlia_lower_option(l, MLIA_TFLITE_DepthwiseConv2DOptions_dilation_h_factor),
                           mlia_lower_option(l, MLIA_TFLITE_DepthwiseConv2DOptions_dilation_w_factor)};
    int64_t filter_dims[4] = {f->dims[1], f->dims[2], channels, f->dims[3] / channels};
    mlia_attributes geometry;
    int64_t out[2];
    uint32_t x =
        place_windows(l, mlia_lower_value(l, c.input), 2, kernel, stride, dilation,
                      mlia_lower_option(l, MLIA_TFLITE_DepthwiseConv2DOptions_padding) == 0, &geometry, out);
    if (x == MLIA_NONE)
        return;
    int64_t dims[4] = {c.input->dims[0], out[0], out[1], f->dims[3]};
    uint32_t y = accumulate(l, &c, MLIA_OP_DEPTHWISE_CONV2D, x, filter_value(l, &c, 4, filter_dims),
                            &geometry, 4, dims);
    mlia_lower_set(
        l, 0,
        finish(l, &c, y, mlia_lower_option(l, MLIA_TFLITE_DepthwiseConv2DOptions_fused_activation_function)));
}

/* Padding before the first output of a transposed convolution along one axis. */
static int64_t transposed_before(bool same, int64_t out, int64_t stride, int64_t kernel)
{
    int64_t total = ((out + stride - 1) / stride - 1) * stride + kernel - out;
    return same && total > 0 ? total / 2 : 0;
}

void mlia_lower_transpose_conv(lowering *l)
{
    convolution c;
    uint32_t count = 0;
    const int64_t *shape = mlia_lower_integers(l, mlia_lower_required(l, 0), 4, &count);
    if (!take_operands(l, &c, 2, 4) || shape == NULL)
        return;
    const operand *f = c.filter;
    int64_t stride[2] = {mlia_lower_option(l, MLIA_TFLITE_TransposeConvOptions_stride_h),
                         mlia_lower_option(l, MLIA_TFLITE_TransposeConvOptions_stride_w)};
    if (count != 4 || stride[0] < 1 || stride[1] < 1) {
        mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE,
                         "the output shape needs 4 values and strides of at least 1");
        return;
    }
    bool same = mlia_lower_option(l, MLIA_TFLITE_TransposeConvOptions_padding) == 0;
    int64_t out_pad[4];
    for (uint32_t i = 0; i < 2; i++) {
        int64_t kernel = f->dims[1 + i];
        int64_t before = transposed_before(same, shape[1 + i], stride[i], kernel);
        out_pad[2 * i] = -before;
        out_pad[2 * i + 1] = shape[1 + i] - (c.input->dims[1 + i] - 1) * stride[i] - kernel + before;
    }
    mlia_attributes geometry = mlia_attributes_default();
    geometry.out_pad = mlia_lower_list(l, 4, out_pad);
    geometry.stride = mlia_lower_list(l, 2, stride);
    int64_t dims[4] = {c.input->dims[0], shape[1], shape[2], f->dims[0]};
    uint32_t y = accumulate(l, &c, MLIA_OP_TRANSPOSE_CONV2D, mlia_lower_value(l, c.input),
                            filter_value(l, &c, 4, f->dims), &geometry, 4, dims);
    mlia_lower_set(
        l, 0,
        finish(l, &c, y, mlia_lower_option(l, MLIA_TFLITE_TransposeConvOptions_fused_activation_function)));
}

void mlia_lower_fully_connected(lowering *l)
{
    convolution c = {mlia_lower_required(l, 0), mlia_lower_required(l, 1), mlia_lower_input(l, 2),
                     mlia_lower_output(l, 0), ROUND_SINGLE};
    if (l->fault != NULL)
        return;
    if (mlia_lower_option(l, MLIA_TFLITE_FullyConnectedOptions_weights_format) != 0) {
        mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "shuffled weights are not read");
        return;
    }
    const operand *f = c.filter;
    uint64_t elements = 1;
    for (uint32_t i = 0; i < c.input->rank; i++)
        elements *= (uint64_t)c.input->dims[i];
    if (f->rank != 2 || f->dims[1] < 1 || elements % (uint64_t)f->dims[1] != 0) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "weights of %lld inputs on %llu elements",
                         (long long)(f->rank == 2 ? f->dims[1] : 0), (unsigned long long)elements);
        return;
    }
    int64_t batch = (int64_t)(elements / (uint64_t)f->dims[1]);
    int64_t in_dims[4] = {batch, 1, 1, f->dims[1]};
    int64_t filter_dims[4] = {f->dims[0], 1, 1, f->dims[1]};
    int64_t dims[4] = {batch, 1, 1, f->dims[0]};
    int64_t ones[2] = {1, 1};
    mlia_attributes geometry;
    int64_t out[2];
    uint32_t x = mlia_emit_reshape(l, mlia_lower_value(l, c.input), 4, in_dims);
    x = place_windows(l, x, 2, ones, ones, ones, false, &geometry, out);
    if (x == MLIA_NONE)
        return;
    uint32_t y =
        accumulate(l, &c, MLIA_OP_CONV2D, x, filter_value(l, &c, 4, filter_dims), &geometry, 4, dims);
    y = finish(l, &c, y, mlia_lower_option(l, MLIA_TFLITE_FullyConnectedOptions_fused_activation_function));
    int64_t result[MAX_RANK];
    uint32_t rank = 2;
    if (mlia_lower_option(l, MLIA_TFLITE_FullyConnectedOptions_keep_num_dims) != 0 && c.input->rank > 0) {
        rank = c.input->rank;
        memcpy(result, c.input->dims, rank * sizeof *result);
    } else {
        result[0] = batch;
    }
    result[rank - 1] = f->dims[0];
    mlia_lower_set(l, 0, mlia_emit_reshape(l, y, rank, result));
}
