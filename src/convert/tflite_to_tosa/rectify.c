/* Rectifiers: RELU and its kin, LEAKY_RELU, PRELU. */
#include <math.h>

#include "convert/tflite_to_tosa/rules.h"

void mlia_lower_relu(lowering *l)
{
    static const struct {
        uint32_t builtin;
        double low;
        double high; /* 0: none */
    } ranges[] = {
        {MLIA_TFLITE_OP_RELU, 0.0, 0.0},
        {MLIA_TFLITE_OP_RELU6, 0.0, 6.0},
        {MLIA_TFLITE_OP_RELU_N1_TO_1, -1.0, 1.0},
        {MLIA_TFLITE_OP_RELU_0_TO_1, 0.0, 1.0},
    };
    operand *in;
    operand *out;
    if (!mlia_lower_take(l, &in, &out))
        return;
    size_t i = 0;
    while (ranges[i].builtin != l->op->op)
        i++;
    double low = ranges[i].low;
    double high = ranges[i].high;
    uint32_t x = mlia_lower_value(l, in);
    if (!mlia_lower_is_quantised(in)) {
        mlia_lower_set(l, 0, mlia_emit_clamp(l, x, low, high != 0.0 ? high : 3.4028234663852886e38));
        return;
    }
    float scale = mlia_lower_scale32(l, out);
    int32_t zero = mlia_lower_zero(out);
    if (mlia_lower_scale(l, in) != (double)scale || mlia_lower_zero(in) != zero)
        x = mlia_emit_rescale1(l, x, mlia_lower_type(out->type), (double)(mlia_lower_scale32(l, in) / scale),
                               mlia_lower_zero(in), zero, ROUND_DOUBLE);
    double bottom = fmax(mlia_lower_min(out), zero + round((double)((float)low / scale)));
    double top = high != 0.0 ? fmin(mlia_lower_max(out), zero + round((double)((float)high / scale)))
                             : mlia_lower_max(out);
    if (bottom > mlia_lower_min(out) || top < mlia_lower_max(out))
        x = mlia_emit_clamp(l, x, fmin(bottom, top), top);
    mlia_lower_set(l, 0, x);
}

void mlia_lower_leaky_relu(lowering *l)
{
    operand *in;
    operand *out;
    if (!mlia_lower_take(l, &in, &out))
        return;
    float alpha = mlia_lower_option_float(l, MLIA_TFLITE_LeakyReluOptions_alpha);
    mlia_op op = alpha <= 1.0f ? MLIA_OP_MAXIMUM : MLIA_OP_MINIMUM;
    uint32_t x = mlia_lower_value(l, in);
    if (!mlia_lower_is_quantised(in) && (alpha == 0.0f || alpha == 1.0f)) {
        mlia_lower_set(l, 0, alpha == 1.0f ? x : mlia_emit_clamp(l, x, 0.0, 3.4028234663852886e38));
        return;
    }
    if (!mlia_lower_is_quantised(in)) {
        mlia_lower_set(
            l, 0, mlia_emit_binary(l, op, mlia_emit_mul(l, x, mlia_emit_number(l, x, (double)alpha), 0), x));
        return;
    }
    float scale_in = mlia_lower_scale32(l, in);
    float scale_out = mlia_lower_scale32(l, out);
    int32_t zero = mlia_lower_zero(in);
    float steepness = fabsf(scale_in * alpha / scale_out); /* RESCALE takes no negative factor */
    uint32_t slope = mlia_emit_rescale1(l, x, MLIA_TYPE_INT32, (double)steepness, zero, 0, ROUND_DOUBLE);
    if (alpha < 0.0f)
        slope = mlia_emit_negate(l, slope);
    uint32_t same =
        mlia_emit_rescale1(l, x, MLIA_TYPE_INT32, (double)(scale_in / scale_out), zero, 0, ROUND_DOUBLE);
    mlia_lower_set(l, 0,
                   mlia_emit_retype(l, mlia_emit_binary(l, op, slope, same), mlia_lower_type(out->type), 0,
                                    mlia_lower_zero(out)));
}

void mlia_lower_prelu(lowering *l)
{
    operand *in;
    operand *out;
    operand *alpha = mlia_lower_required(l, 1);
    if (!mlia_lower_take(l, &in, &out))
        return;
    if (!mlia_lower_is_quantised(in)) {
        uint32_t x = mlia_lower_value(l, in);
        uint32_t positive = mlia_emit_binary(l, MLIA_OP_GREATER_EQUAL, x, mlia_emit_number(l, x, 0.0));
        mlia_lower_set(l, 0,
                       mlia_emit_select(l, positive, x, mlia_emit_mul(l, x, mlia_lower_value(l, alpha), 0)));
        return;
    }
    float scale_in = mlia_lower_scale32(l, in);
    float scale_out = mlia_lower_scale32(l, out);
    uint32_t x = mlia_emit_centred(l, in);
    uint32_t product = mlia_emit_mul(l, x, mlia_emit_centred(l, alpha), 0);
    uint32_t same =
        mlia_emit_rescale1(l, x, MLIA_TYPE_INT32, (double)(scale_in / scale_out), 0, 0, ROUND_DOUBLE);
    uint32_t slope =
        mlia_emit_rescale1(l, product, MLIA_TYPE_INT32,
                           (double)(scale_in * mlia_lower_scale32(l, alpha) / scale_out), 0, 0, ROUND_DOUBLE);
    uint32_t positive = mlia_emit_binary(l, MLIA_OP_GREATER_EQUAL, x, mlia_emit_number(l, x, 0.0));
    mlia_lower_set(l, 0,
                   mlia_emit_retype(l, mlia_emit_select(l, positive, same, slope), mlia_lower_type(out->type),
                                    0, mlia_lower_zero(out)));
}
