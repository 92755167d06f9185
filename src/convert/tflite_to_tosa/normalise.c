/* SOFTMAX, LOG_SOFTMAX, L2_NORMALIZATION, LOCAL_RESPONSE_NORMALIZATION. The integer softmax follows the
 * fixed-point kernel step by step, so that its results are equal to the bit. */
#include <math.h>

#include "convert/tflite_to_tosa/fixed_point.h"
#include "convert/tflite_to_tosa/rules.h"

/* ---- fixed point ---- */

/* e^a for a ≤ 0 in Q5.26; result in Q0.31. */
static int32_t exponential(int32_t a)
{
    static const int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    if (a == 0)
        return INT32_MAX;
    int32_t quarter = 1 << 24;
    int32_t b = (int32_t)((uint32_t)a & (uint32_t)(quarter - 1)) - quarter; /* in [-1/4, 0) */
    int32_t c = b * 32 + (1 << 28);
    int32_t c2 = mlia_fixed_multiply_high(c, c);
    int32_t c3 = mlia_fixed_multiply_high(c2, c);
    int32_t c4 = mlia_fixed_multiply_high(c2, c2);
    int32_t p = mlia_fixed_divide_by_power(
        mlia_fixed_multiply_high(mlia_fixed_divide_by_power(c4, 2) + c3, 715827883) + c2, 1);
    int32_t result = 1895147668 + mlia_fixed_multiply_high(1895147668, c + p);
    int32_t rest = b - a;
    for (int bit = 0; bit < 7; bit++)
        if ((rest >> (24 + bit) & 1) != 0)
            result = mlia_fixed_multiply_high(result, factors[bit]);
    return result;
}

/* The four byte tables of the integer exponential, indexed by difference + 256. */
static void exponential_tables(lowering *l, double beta_scale, int64_t tables[4][513])
{
    double real = fmin(beta_scale * 67108864.0, 2147483647.0); /* 2^26 */
    int32_t multiplier;
    int32_t shift;
    mlia_lower_multiplier(real, &multiplier, &shift);
    if (multiplier == 0 || shift < 0) { /* the interpreter too takes only factors above 1 */
        mlia_lower_error(l, MLIA_E_TFLITE_QUANTIZATION, "scale times beta is %g, at least 2^-26 is needed",
                         beta_scale);
        return;
    }
    int32_t lowest = -(int32_t)floor(31.0 * 67108864.0 / ldexp(1.0, shift));
    for (int d = -256; d <= 256; d++) {
        int32_t value = 0;
        if (d >= lowest && d <= 0)
            value = exponential(
                mlia_fixed_multiply_high((int32_t)((int64_t)d * ((int64_t)1 << shift)), multiplier));
        for (int byte = 0; byte < 4; byte++)
            tables[byte][d + 256] = value >> (24 - 8 * byte) & 0xFF;
    }
}

static uint32_t scalar32(lowering *l, uint32_t like, double value)
{
    return mlia_emit_scalar(l, MLIA_TYPE_INT32, VALUE_RANK(l, like), value);
}

static uint32_t shift_left(lowering *l, uint32_t x, double bits)
{
    return mlia_emit_binary(l, MLIA_OP_LOGICAL_LEFT_SHIFT, x, scalar32(l, x, bits));
}

static uint32_t shift_right(lowering *l, uint32_t x, double bits)
{
    return mlia_emit_shift_right(l, x, scalar32(l, x, bits), true);
}

/* x, shifted left until its top bit is next to the sign; `zeros` gets the leading zeros. */
static uint32_t normalised(lowering *l, uint32_t x, uint32_t *zeros)
{
    *zeros = mlia_emit_unary(l, MLIA_OP_CLZ, x);
    return mlia_emit_binary(l, MLIA_OP_LOGICAL_LEFT_SHIFT, x,
                            mlia_emit_binary(l, MLIA_OP_SUB, *zeros, scalar32(l, x, 1.0)));
}

static uint32_t softmax8(lowering *l, operand *in, operand *out)
{
    double scale =
        (double)mlia_lower_option_float(l, MLIA_TFLITE_SoftmaxOptions_beta) * mlia_lower_scale(l, in);
    int64_t tables[4][513] = {0};
    exponential_tables(l, scale, tables);
    uint32_t axis = in->rank - 1;
    uint32_t x = mlia_emit_centred(l, in);
    uint32_t d = mlia_emit_binary(l, MLIA_OP_SUB, x, mlia_emit_reduce(l, MLIA_OP_REDUCE_MAX, x, axis));
    uint32_t index = mlia_emit_rescale_raw(l, d, MLIA_TYPE_INT16, 1 << 30, 23, 0, 0, ROUND_EXACT);
    uint32_t e = shift_left(l, mlia_emit_table(l, index, tables[0]), 17.0);
    e = mlia_emit_binary(l, MLIA_OP_ADD, e, shift_left(l, mlia_emit_table(l, index, tables[1]), 9.0));
    e = mlia_emit_binary(l, MLIA_OP_ADD, e, shift_left(l, mlia_emit_table(l, index, tables[2]), 1.0));
    e = mlia_emit_binary(l, MLIA_OP_ADD, e, shift_right(l, mlia_emit_table(l, index, tables[3]), 7.0));
    uint32_t zeros;
    uint32_t sum = mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, shift_right(l, e, 12.0), axis);
    uint32_t n = normalised(l, sum, &zeros);
    /* Newton-Raphson for 1 / n. */
    uint32_t r = mlia_emit_binary(l, MLIA_OP_ADD, scalar32(l, n, 1515870810.0),
                                  mlia_emit_mul(l, n, scalar32(l, n, -1010580540.0), 31));
    for (int i = 0; i < 3; i++) {
        uint32_t rest =
            mlia_emit_binary(l, MLIA_OP_SUB, scalar32(l, n, 536870912.0), mlia_emit_mul(l, r, n, 31));
        r = mlia_emit_binary(l, MLIA_OP_ADD, r,
                             mlia_emit_mul(l, mlia_emit_mul(l, r, rest, 31), scalar32(l, n, 4.0), 0));
    }
    uint32_t y = mlia_emit_mul(l, e, r, 30);
    if (out->type == MLIA_TFLITE_INT16) {
        y = mlia_emit_shift_right(l, y, mlia_emit_binary(l, MLIA_OP_SUB, scalar32(l, zeros, 27.0), zeros),
                                  true);
        return mlia_emit_retype(l, mlia_emit_binary(l, MLIA_OP_SUB, y, scalar32(l, y, 32768.0)),
                                MLIA_TYPE_INT16, 0, 0);
    }
    /* The sum of 512 and more can have so few leading zeros that this is a shift by 32 and more, which TOSA
     * does not have: then RESCALE makes the last bits of it, and rounds instead. */
    int32_t left = 0;
    while (left < 3 && in->dims[axis] >= (int64_t)512 << left)
        left++;
    uint32_t bits = mlia_emit_binary(l, MLIA_OP_SUB, scalar32(l, zeros, 35.0 - left), zeros);
    return mlia_emit_rescale_raw(l, mlia_emit_shift_right(l, y, bits, left == 0), MLIA_TYPE_INT8, 1 << 30,
                                 30 + left, 0, -128, ROUND_EXACT);
}

static double one_over(double x, double unused)
{
    (void)unused;
    return 1.0 / (1.0 + x);
}

static double exponential_of(double x, double unused)
{
    (void)unused;
    return exp(x);
}

static uint32_t softmax16(lowering *l, operand *in)
{
    int64_t exp_table[513];
    int64_t reciprocal_table[513];
    mlia_lower_table16(10.0 / 65535.0, 32767, 2.0 / 65535.0, 0, exponential_of, 0.0, true, exp_table);
    mlia_lower_table16(1.0 / 65535.0, -32768, 2.0 / 65535.0, 0, one_over, 0.0, true, reciprocal_table);
    double beta = (double)mlia_lower_option_float(l, MLIA_TFLITE_SoftmaxOptions_beta);
    uint32_t axis = in->rank - 1;
    uint32_t x = mlia_emit_cast(l, mlia_lower_value(l, in), MLIA_TYPE_INT32);
    uint32_t d = mlia_emit_binary(l, MLIA_OP_SUB, x, mlia_emit_reduce(l, MLIA_OP_REDUCE_MAX, x, axis));
    uint32_t y = mlia_emit_rescale1(l, d, MLIA_TYPE_INT32, mlia_lower_scale(l, in) * beta / (10.0 / 65535.0),
                                    0, 0, ROUND_DOUBLE);
    y = mlia_emit_retype(l, mlia_emit_binary(l, MLIA_OP_ADD, y, scalar32(l, y, 32767.0)), MLIA_TYPE_INT16, 0,
                         0);
    uint32_t e = shift_right(l, mlia_emit_table(l, y, exp_table), 7.0);
    uint32_t zeros;
    uint32_t n = normalised(l, mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, e, axis), &zeros);
    uint32_t k = shift_right(l, mlia_emit_binary(l, MLIA_OP_SUB, n, scalar32(l, n, 1073741824.0)), 14.0);
    k = mlia_emit_retype(l, mlia_emit_binary(l, MLIA_OP_SUB, k, scalar32(l, k, 32768.0)), MLIA_TYPE_INT16, 0,
                         0);
    uint32_t c = shift_right(l, mlia_emit_table(l, k, reciprocal_table), 7.0);
    uint32_t bits = mlia_emit_binary(l, MLIA_OP_SUB, scalar32(l, zeros, 31.0), zeros);
    return mlia_emit_retype(l, mlia_emit_shift_right(l, mlia_emit_mul(l, c, e, 0), bits, true),
                            MLIA_TYPE_INT16, 0, 0);
}

/* x less its maximum along the last axis. */
static uint32_t below_maximum(lowering *l, uint32_t x, uint32_t axis)
{
    return mlia_emit_binary(l, MLIA_OP_SUB, x, mlia_emit_reduce(l, MLIA_OP_REDUCE_MAX, x, axis));
}

static uint32_t softmax_float(lowering *l, operand *in)
{
    uint32_t axis = in->rank - 1;
    double beta = (double)mlia_lower_option_float(l, MLIA_TFLITE_SoftmaxOptions_beta);
    uint32_t d = below_maximum(l, mlia_lower_value(l, in), axis);
    if (beta != 1.0)
        d = mlia_emit_mul(l, d, mlia_emit_scalar(l, VALUE_TYPE(l, d), in->rank, beta), 0);
    uint32_t e = mlia_emit_unary(l, MLIA_OP_EXP, d);
    return mlia_emit_mul(
        l, e, mlia_emit_unary(l, MLIA_OP_RECIPROCAL, mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, e, axis)), 0);
}

static bool take_one(lowering *l, operand **in, operand **out)
{
    *in = mlia_lower_required(l, 0);
    *out = mlia_lower_output(l, 0);
    if (l->fault == NULL && (*out == NULL || (*in)->rank == 0))
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "needs an input of rank 1 or more");
    return l->fault == NULL;
}

void mlia_lower_softmax(lowering *l)
{
    operand *in;
    operand *out;
    if (!take_one(l, &in, &out))
        return;
    if (mlia_lower_is_float(in))
        mlia_lower_set(l, 0, softmax_float(l, in));
    else if (in->type == MLIA_TFLITE_INT16)
        mlia_lower_set(l, 0, softmax16(l, in));
    else
        mlia_lower_set(l, 0, softmax8(l, in, out));
}

void mlia_lower_log_softmax(lowering *l)
{
    operand *in;
    operand *out;
    if (!take_one(l, &in, &out))
        return;
    bool quantised = mlia_lower_is_quantised(in);
    uint32_t axis = in->rank - 1;
    uint32_t d = below_maximum(l, quantised ? mlia_emit_dequantise(l, in) : mlia_lower_value(l, in), axis);
    uint32_t sum = mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, mlia_emit_unary(l, MLIA_OP_EXP, d), axis);
    uint32_t y = mlia_emit_binary(l, MLIA_OP_SUB, d, mlia_emit_unary(l, MLIA_OP_LOG, sum));
    mlia_lower_set(l, 0, quantised ? mlia_emit_quantise(l, y, out) : y);
}

void mlia_lower_l2_normalization(lowering *l)
{
    operand *in;
    operand *out;
    if (!take_one(l, &in, &out))
        return;
    bool quantised = mlia_lower_is_quantised(in);
    uint32_t x =
        quantised ? mlia_emit_cast(l, mlia_emit_centred(l, in), MLIA_TYPE_FP32) : mlia_lower_value(l, in);
    uint32_t sum = mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, mlia_emit_mul(l, x, x, 0), in->rank - 1);
    uint32_t floor_value = mlia_emit_scalar(l, VALUE_TYPE(l, sum), in->rank, quantised ? 1.0 : 1e-12);
    uint32_t y = mlia_emit_mul(
        l, x, mlia_emit_unary(l, MLIA_OP_RSQRT, mlia_emit_binary(l, MLIA_OP_MAXIMUM, sum, floor_value)), 0);
    y = quantised ? mlia_emit_quantise(l, y, out) : y;
    mlia_lower_set(l, 0,
                   mlia_emit_activation(
                       l, y, mlia_lower_option(l, MLIA_TFLITE_L2NormOptions_fused_activation_function), out));
}

/* The sum over neighbouring channels is a 1×1 convolution of the squares with a band of ones; the reference
 * kernel leaves the upper end of the band out. */
void mlia_lower_local_response_normalization(lowering *l)
{
    operand *in;
    operand *out;
    if (!take_one(l, &in, &out))
        return;
    int64_t channels = in->dims[in->rank - 1];
    int64_t radius = mlia_lower_option(l, MLIA_TFLITE_LocalResponseNormalizationOptions_radius);
    float alpha = mlia_lower_option_float(l, MLIA_TFLITE_LocalResponseNormalizationOptions_alpha);
    float bias = mlia_lower_option_float(l, MLIA_TFLITE_LocalResponseNormalizationOptions_bias);
    float beta = mlia_lower_option_float(l, MLIA_TFLITE_LocalResponseNormalizationOptions_beta);
    if (in->rank != 4 || channels > 4096) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "needs rank 4 and at most 4096 channels");
        return;
    }
    float *band = MLIA_NEW_ARRAY(l->arena, float, (size_t)(channels * channels));
    if (band == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return;
    }
    for (int64_t o = 0; o < channels; o++)
        for (int64_t c = 0; c < channels; c++)
            band[o * channels + c] = c >= o - radius && c < o + radius ? alpha : 0.0f;
    int64_t filter_dims[4] = {channels, 1, 1, channels};
    int64_t zeros[4] = {0};
    int64_t ones[2] = {1, 1};
    uint32_t x = mlia_lower_value(l, in);
    uint32_t zero = mlia_emit_scalar(l, MLIA_TYPE_FP32, 1, 0.0);
    uint32_t inputs[5] = {mlia_emit_mul(l, x, x, 0), mlia_emit_floats(l, 4, filter_dims, band),
                          mlia_emit_scalar(l, MLIA_TYPE_FP32, 1, (double)bias), zero, zero};
    mlia_attributes attributes = mlia_attributes_default();
    attributes.pad = mlia_lower_list(l, 4, zeros);
    attributes.stride = mlia_lower_list(l, 2, ones);
    attributes.dilation = mlia_lower_list(l, 2, ones);
    attributes.acc_type = MLIA_TYPE_FP32;
    uint32_t sum = mlia_emit(l, MLIA_OP_CONV2D, inputs, 5, &attributes, MLIA_TYPE_FP32, 4, in->dims);
    uint32_t power =
        mlia_emit_binary(l, MLIA_OP_POW, sum, mlia_emit_scalar(l, MLIA_TYPE_FP32, 4, (double)-beta));
    mlia_lower_set(l, 0, mlia_emit_mul(l, x, power, 0));
}
