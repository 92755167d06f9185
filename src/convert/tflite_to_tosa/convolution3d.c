/* CONV_3D and CONV_3D_TRANSPOSE (float). */
#include "convert/tflite_to_tosa/rules.h"

/* The filter [D,H,W,A,B] as [O,D,H,W,I]: `outputs_last` when O is the last dimension (CONV_3D), else I is.
 * `flipped` turns all three spatial axes around. Constants are rearranged here, not on the device. */
static uint32_t filter3d(lowering *l, const operand *f, bool outputs_last, bool flipped)
{
    int64_t d = f->dims[0];
    int64_t h = f->dims[1];
    int64_t w = f->dims[2];
    int64_t outputs = f->dims[outputs_last ? 4 : 3];
    int64_t inputs = f->dims[outputs_last ? 3 : 4];
    int64_t dims[5] = {outputs, d, h, w, inputs};
    float *values = MLIA_NEW_ARRAY(l->arena, float, (size_t)f->elements);
    if (values == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    uint64_t to = 0;
    for (int64_t o = 0; o < outputs; o++)
        for (int64_t z = 0; z < d * h * w; z++)
            for (int64_t i = 0; i < inputs; i++) {
                int64_t at = flipped ? d * h * w - 1 - z : z;
                int64_t from =
                    outputs_last ? (at * inputs + i) * outputs + o : (at * outputs + o) * inputs + i;
                values[to++] = (float)mlia_lower_number_at(f, (uint64_t)from);
            }
    return mlia_emit_floats(l, 5, dims, values);
}

static bool check3d(lowering *l, const operand *x, const operand *f)
{
    if (l->fault != NULL)
        return false;
    if (x->rank != 5 || f->rank != 5 || !f->is_constant || f->type != MLIA_TFLITE_FLOAT32) {
        mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT,
                         "needs an input of rank 5 and a constant float filter");
        return false;
    }
    return true;
}

static uint32_t emit3d(lowering *l, uint32_t x, uint32_t filter, operand *bias, const int64_t pad[6],
                       const int64_t stride[3], const int64_t dilation[3], const int64_t dims[5])
{
    uint32_t zero = mlia_emit_scalar(l, MLIA_TYPE_FP32, 1, 0.0);
    uint32_t inputs[5] = {x, filter, bias ? mlia_lower_value(l, bias) : zero, zero, zero};
    mlia_attributes attributes = mlia_attributes_default();
    attributes.pad = mlia_lower_list(l, 6, pad);
    attributes.stride = mlia_lower_list(l, 3, stride);
    attributes.dilation = mlia_lower_list(l, 3, dilation);
    attributes.acc_type = MLIA_TYPE_FP32;
    return mlia_emit(l, MLIA_OP_CONV3D, inputs, 5, &attributes, MLIA_TYPE_FP32, 5, dims);
}

static void strides3d(const lowering *l, int64_t stride[3])
{
    stride[0] = mlia_lower_option(l, MLIA_TFLITE_Conv3DOptions_stride_d);
    stride[1] = mlia_lower_option(l, MLIA_TFLITE_Conv3DOptions_stride_h);
    stride[2] = mlia_lower_option(l, MLIA_TFLITE_Conv3DOptions_stride_w);
}

void mlia_lower_conv_3d(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    operand *f = mlia_lower_required(l, 1);
    operand *out = mlia_lower_output(l, 0);
    if (out == NULL || !check3d(l, x, f))
        return;
    bool same = mlia_lower_option(l, MLIA_TFLITE_Conv3DOptions_padding) == 0;
    int64_t stride[3];
    int64_t dilation[3] = {mlia_lower_option(l, MLIA_TFLITE_Conv3DOptions_dilation_d_factor),
                           mlia_lower_option(l, MLIA_TFLITE_Conv3DOptions_dilation_h_factor),
                           mlia_lower_option(l, MLIA_TFLITE_Conv3DOptions_dilation_w_factor)};
    int64_t pad[6];
    int64_t dims[5] = {x->dims[0], 0, 0, 0, f->dims[4]};
    uint32_t value = mlia_lower_value(l, x);
    strides3d(l, stride);
    for (uint32_t i = 0; i < 3 && l->fault == NULL; i++) {
        window w = mlia_lower_window(l, x->dims[1 + i], f->dims[i], stride[i], dilation[i], same);
        pad[2 * i] = w.before;
        pad[2 * i + 1] = w.after;
        dims[1 + i] = w.out;
        value = l->fault == NULL ? mlia_emit_part(l, value, 1 + i, 0, w.used) : MLIA_NONE;
    }
    if (l->fault != NULL)
        return;
    uint32_t y =
        emit3d(l, value, filter3d(l, f, true, false), mlia_lower_input(l, 2), pad, stride, dilation, dims);
    mlia_lower_set(l, 0,
                   mlia_emit_activation(
                       l, y, mlia_lower_option(l, MLIA_TFLITE_Conv3DOptions_fused_activation_function), out));
}

/* Puts stride - 1 zeros between the elements of an axis; the last element gets none. */
static uint32_t spread(lowering *l, uint32_t x, uint32_t axis, int64_t stride)
{
    if (x == MLIA_NONE || stride == 1)
        return x;
    int64_t dims[5];
    memcpy(dims, VALUE_DIMS(l, x), sizeof dims);
    int64_t before = 1;
    int64_t behind = 1;
    for (uint32_t i = 0; i < 5; i++)
        *(i <= axis ? &before : &behind) *= dims[i];
    int64_t apart[3] = {before, 1, behind};
    int64_t pads[6] = {0, 0, 0, stride - 1, 0, 0};
    uint32_t y = mlia_emit_pad(l, mlia_emit_reshape(l, x, 3, apart), pads,
                               mlia_emit_scalar(l, MLIA_TYPE_FP32, 1, 0.0));
    int64_t size = (dims[axis] - 1) * stride + 1;
    dims[axis] *= stride;
    return mlia_emit_part(l, mlia_emit_reshape(l, y, 5, dims), axis, 0, size);
}

/* A transposed convolution is a plain one on the spread input with the filter turned around. */
void mlia_lower_conv_3d_transpose(lowering *l)
{
    uint32_t count = 0;
    const int64_t *shape = mlia_lower_integers(l, mlia_lower_required(l, 0), 5, &count);
    operand *f = mlia_lower_required(l, 1);
    operand *x = mlia_lower_required(l, 2);
    operand *out = mlia_lower_output(l, 0);
    if (out == NULL || !check3d(l, x, f))
        return;
    static const int64_t ones[3] = {1, 1, 1};
    bool same = mlia_lower_option(l, MLIA_TFLITE_Conv3DOptions_padding) == 0;
    int64_t stride[3];
    int64_t pad[6];
    uint32_t value = mlia_lower_value(l, x);
    strides3d(l, stride);
    for (uint32_t i = 0; i < 3 && l->fault == NULL; i++) {
        int64_t kernel = f->dims[i];
        if (stride[i] < 1 || count != 5 || shape[1 + i] < 1) {
            mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "stride %lld, output %lld", (long long)stride[i],
                             (long long)(count == 5 ? shape[1 + i] : 0));
            return;
        }
        int64_t total = ((shape[1 + i] + stride[i] - 1) / stride[i] - 1) * stride[i] + kernel - shape[1 + i];
        int64_t before = same && total > 0 ? total / 2 : 0;
        int64_t size = (x->dims[1 + i] - 1) * stride[i] + 1;
        int64_t lead = kernel - 1 - before;
        int64_t trail = shape[1 + i] - size - lead + kernel - 1;
        value = spread(l, value, 1 + i, stride[i]);
        int64_t cut_lead = lead < 0 ? -lead : 0;
        int64_t cut_trail = trail < 0 ? -trail : 0;
        value = l->fault == NULL ? mlia_emit_part(l, value, 1 + i, cut_lead, size - cut_lead - cut_trail)
                                 : MLIA_NONE;
        pad[2 * i] = lead > 0 ? lead : 0;
        pad[2 * i + 1] = trail > 0 ? trail : 0;
    }
    if (l->fault != NULL)
        return;
    int64_t dims[5] = {x->dims[0], shape[1], shape[2], shape[3], f->dims[3]};
    uint32_t y = emit3d(l, value, filter3d(l, f, false, true), mlia_lower_input(l, 3), pad, ones, ones, dims);
    mlia_lower_set(l, 0,
                   mlia_emit_activation(
                       l, y, mlia_lower_option(l, MLIA_TFLITE_Conv3DOptions_fused_activation_function), out));
}
