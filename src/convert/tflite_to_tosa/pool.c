/* AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D. */
#include "convert/tflite_to_tosa/rules.h"

typedef struct pool {
    operand *input;
    operand *output;
    mlia_attributes attributes;
    int64_t dims[4];
    uint32_t x; /* the input without what no window covers */
} pool;

static bool prepare(lowering *l, pool *p)
{
    p->input = mlia_lower_required(l, 0);
    p->output = mlia_lower_output(l, 0);
    if (l->fault != NULL)
        return false;
    if (p->input->rank != 4 || p->output == NULL) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "the input must have rank 4, not %u", p->input->rank);
        return false;
    }
    bool same = mlia_lower_option(l, MLIA_TFLITE_Pool2DOptions_padding) == 0;
    int64_t kernel[2] = {mlia_lower_option(l, MLIA_TFLITE_Pool2DOptions_filter_height),
                         mlia_lower_option(l, MLIA_TFLITE_Pool2DOptions_filter_width)};
    int64_t stride[2] = {mlia_lower_option(l, MLIA_TFLITE_Pool2DOptions_stride_h),
                         mlia_lower_option(l, MLIA_TFLITE_Pool2DOptions_stride_w)};
    int64_t pad[4] = {0};
    p->x = mlia_lower_value(l, p->input);
    p->dims[0] = p->input->dims[0];
    p->dims[3] = p->input->dims[3];
    for (uint32_t i = 0; i < 2 && l->fault == NULL; i++) {
        window w = mlia_lower_window(l, p->input->dims[1 + i], kernel[i], stride[i], 1, same);
        pad[2 * i] = w.before;
        pad[2 * i + 1] = w.after;
        p->dims[1 + i] = w.out;
        if (l->fault == NULL)
            p->x = mlia_emit_part(l, p->x, 1 + i, 0, w.used);
    }
    p->attributes = mlia_attributes_default();
    p->attributes.kernel = mlia_lower_list(l, 2, kernel);
    p->attributes.stride = mlia_lower_list(l, 2, stride);
    p->attributes.pad = mlia_lower_list(l, 4, pad);
    return l->fault == NULL;
}

static void set_pooled(lowering *l, const pool *p, uint32_t y)
{
    mlia_lower_set(
        l, 0,
        mlia_emit_activation(l, y, mlia_lower_option(l, MLIA_TFLITE_Pool2DOptions_fused_activation_function),
                             p->output));
}

static uint32_t average(lowering *l, pool *p, uint32_t x, double zero)
{
    uint32_t type = VALUE_TYPE(l, x);
    uint32_t zero_point = mlia_emit_scalar(l, type, 1, zero);
    uint32_t inputs[3] = {x, zero_point, zero_point};
    p->attributes.acc_type = mlia_type_is_float(type) ? (uint32_t)MLIA_TYPE_FP32 : (uint32_t)MLIA_TYPE_INT32;
    return mlia_emit(l, MLIA_OP_AVG_POOL2D, inputs, 3, &p->attributes, type, 4, p->dims);
}

/* Two operands whose quantisation differs: the interpreter works on the raw values all the same. */
static void warn_quantisation(lowering *l, const pool *p)
{
    if (!mlia_lower_is_quantised(p->input) || !mlia_lower_is_quantised(p->output))
        return;
    if (p->input->tensor->quantization.scales[0] != p->output->tensor->quantization.scales[0] ||
        mlia_lower_zero(p->input) != mlia_lower_zero(p->output))
        mlia_warn(l->diagnostics, MLIA_W_TFLITE,
                  "%.*s: input and output are quantised differently; raw values are pooled",
                  MLIA_STR_ARG(mlia_tflite_op_name(l->op->op)));
}

void mlia_lower_average_pool_2d(lowering *l)
{
    pool p;
    if (!prepare(l, &p))
        return;
    warn_quantisation(l, &p);
    /* The rounding of unsigned values: they are pooled as distances from the smallest value. */
    set_pooled(l, &p, average(l, &p, p.x, p.input->type == MLIA_TFLITE_UINT8 ? -128.0 : 0.0));
}

void mlia_lower_max_pool_2d(lowering *l)
{
    pool p;
    if (!prepare(l, &p))
        return;
    warn_quantisation(l, &p);
    set_pooled(l, &p,
               mlia_emit(l, MLIA_OP_MAX_POOL2D, &p.x, 1, &p.attributes, VALUE_TYPE(l, p.x), 4, p.dims));
}

void mlia_lower_l2_pool_2d(lowering *l)
{
    pool p;
    if (!prepare(l, &p))
        return;
    uint32_t mean = average(l, &p, mlia_emit_mul(l, p.x, p.x, 0), 0.0);
    uint32_t tiny = mlia_emit_scalar(l, VALUE_TYPE(l, mean), 4, 1.1754943508222875e-38);
    uint32_t root = mlia_emit_unary(l, MLIA_OP_RSQRT, mlia_emit_binary(l, MLIA_OP_MAXIMUM, mean, tiny));
    set_pooled(l, &p, mlia_emit_unary(l, MLIA_OP_RECIPROCAL, root));
}
