/* Operators of one operand whose quantised form the reference kernel computes in integers, or by other rules
 * than a table of a real function: SQRT, RSQRT (INT8), ABS, HARD_SWISH. */
#include <math.h>
#include <stdlib.h>

#include "convert/tflite_to_tosa/fixed_point.h"
#include "convert/tflite_to_tosa/rules.h"

static int64_t byte(int64_t x)
{
    return x > INT8_MAX ? INT8_MAX : x < INT8_MIN ? INT8_MIN : x;
}

/* The square root of an INT8 is truncated where other tables round. */
static void sqrt_table(lowering *l, const operand *in, const operand *out, int64_t entries[256])
{
    float scale_in = mlia_lower_scale32(l, in);
    float scale_out = mlia_lower_scale32(l, out);
    for (int q = -128; q < 128; q++) {
        float x = scale_in * (float)(q - mlia_lower_zero(in));
        float y = x > 0.0f ? fminf(truncf(sqrtf(x) / scale_out), 256.0f) : 0.0f;
        entries[q + 128] = byte(mlia_lower_round((double)y) + mlia_lower_zero(out));
    }
}

static uint32_t float_root(lowering *l, uint32_t x)
{
    return mlia_emit_unary(l, MLIA_OP_RECIPROCAL, mlia_emit_unary(l, MLIA_OP_RSQRT, x));
}

/* INT16 has too many values for a table, and the kernel does not interpolate: in floats, truncated too. */
static uint32_t sqrt16(lowering *l, operand *in, const operand *out)
{
    uint32_t root = float_root(l, mlia_emit_dequantise(l, in));
    uint32_t inverse =
        mlia_emit_scalar(l, MLIA_TYPE_FP32, in->rank, (double)(1.0f / mlia_lower_scale32(l, out)));
    uint32_t floor = mlia_emit_unary(l, MLIA_OP_FLOOR, mlia_emit_mul(l, root, inverse, 0));
    return mlia_emit_cast(l, mlia_emit_clamp(l, floor, 0.0, 32767.0), MLIA_TYPE_INT16);
}

void mlia_lower_sqrt(lowering *l)
{
    operand *in;
    operand *out;
    if (!mlia_lower_take(l, &in, &out))
        return;
    if (mlia_lower_is_float(in)) {
        mlia_lower_set(l, 0, float_root(l, mlia_lower_value(l, in)));
        return;
    }
    if (in->type == MLIA_TFLITE_INT16) {
        mlia_lower_set(l, 0, sqrt16(l, in, out));
        return;
    }
    int64_t entries[256];
    sqrt_table(l, in, out, entries);
    mlia_lower_set(l, 0, mlia_emit_table(l, mlia_lower_value(l, in), entries));
}

/* An INT8: the integer iteration, a little off the real root. Values without one, which the kernel refuses,
 * give 127. */
static void rsqrt_table(lowering *l, const operand *in, const operand *out, int64_t entries[256])
{
    enum { FRACTION = 20 };
    int32_t multiplier;
    int32_t exponent;
    mlia_lower_multiplier(1.0 / (double)(sqrtf(mlia_lower_scale32(l, in)) * mlia_lower_scale32(l, out)),
                          &multiplier, &exponent);
    for (int q = -128; q < 128; q++) {
        int32_t distance = q - mlia_lower_zero(in);
        int32_t root;
        int power;
        mlia_fixed_inverse_root(distance, &root, &power);
        int32_t value =
            mlia_fixed_scale(mlia_fixed_scale(1, root, power + FRACTION), multiplier, exponent - FRACTION);
        entries[q + 128] = distance <= 0 ? INT8_MAX : byte((int64_t)value + mlia_lower_zero(out));
    }
}

void mlia_lower_rsqrt(lowering *l)
{
    operand *in;
    operand *out;
    if (!mlia_lower_take(l, &in, &out))
        return;
    if (!mlia_lower_is_quantised(in) || in->type == MLIA_TFLITE_INT16) {
        mlia_lower_unary(l);
        return;
    }
    int64_t entries[256];
    rsqrt_table(l, in, out, entries);
    mlia_lower_set(l, 0, mlia_emit_table(l, mlia_lower_value(l, in), entries));
}

void mlia_lower_abs(lowering *l)
{
    operand *in;
    operand *out;
    if (!mlia_lower_take(l, &in, &out))
        return;
    uint32_t x = mlia_lower_value(l, in);
    if (!mlia_lower_is_quantised(in)) {
        mlia_lower_set(l, 0,
                       mlia_emit_cast(l,
                                      mlia_emit_unary(l, MLIA_OP_ABS,
                                                      mlia_type_is_float(VALUE_TYPE(l, x))
                                                          ? x
                                                          : mlia_emit_cast(l, x, MLIA_TYPE_INT32)),
                                      mlia_lower_type(out->type)));
        return;
    }
    float factor = mlia_lower_scale32(l, in) / mlia_lower_scale32(l, out);
    if (in->type == MLIA_TFLITE_INT16) {
        uint32_t size = mlia_emit_unary(l, MLIA_OP_ABS, mlia_emit_cast(l, x, MLIA_TYPE_INT32));
        mlia_lower_set(l, 0,
                       mlia_emit_rescale1(l, size, MLIA_TYPE_INT16, (double)factor, 0, 0, ROUND_DOUBLE));
        return;
    }
    int32_t multiplier;
    int32_t exponent;
    int64_t entries[256];
    mlia_lower_multiplier((double)factor, &multiplier, &exponent);
    for (int q = -128; q < 128; q++) {
        int32_t distance = abs(q - mlia_lower_zero(in));
        entries[q + 128] =
            byte((int64_t)mlia_fixed_scale(distance, multiplier, exponent) + mlia_lower_zero(out));
    }
    mlia_lower_set(l, 0, mlia_emit_table(l, x, entries));
}

/* ---- HARD_SWISH ---- */

static int16_t multiply_high16(int16_t a, int16_t b)
{
    if (a == INT16_MIN && b == INT16_MIN)
        return INT16_MAX;
    int32_t product = a * b;
    return (int16_t)((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

static int16_t saturate16(int32_t x)
{
    return (int16_t)(x > 32767 ? 32767 : x < -32768 ? -32768 : x);
}

/* A multiplier reduced to 16 bits. */
static void multiplier16(double m, int16_t *multiplier, int32_t *exponent)
{
    int32_t wide;
    mlia_lower_multiplier(m, &wide, exponent);
    *multiplier = wide >= INT32_MAX - (1 << 15) ? INT16_MAX : (int16_t)((wide + (1 << 15)) >> 16);
}

/* The integer form of the reference kernel for one input value. */
static int64_t hard_swish_entry(int32_t x, int16_t out_multiplier, int32_t out_exponent, int16_t multiplier,
                                int32_t exponent)
{
    int16_t wide = (int16_t)(x * 128);
    int16_t product = multiply_high16(wide, out_multiplier);
    int16_t reluish = wide;
    if (exponent > 0)
        reluish = saturate16(reluish * (1 << (exponent - 1)));
    reluish = multiply_high16(reluish, multiplier);
    if (exponent > 0)
        reluish = saturate16(reluish * 2);
    if (exponent < 0)
        reluish = (int16_t)mlia_fixed_divide_by_power(reluish, -exponent);
    int32_t share = (reluish + (1 << 15)) >> 1;
    int32_t y = (int32_t)((int64_t)share * product / (1 << 15));
    return mlia_fixed_divide_by_power(y, -out_exponent);
}

void mlia_lower_hard_swish(lowering *l)
{
    operand *in;
    operand *out;
    if (!mlia_lower_take(l, &in, &out))
        return;
    uint32_t x = mlia_lower_value(l, in);
    if (!mlia_lower_is_quantised(in)) {
        uint32_t bounded =
            mlia_emit_clamp(l, mlia_emit_binary(l, MLIA_OP_ADD, x, mlia_emit_number(l, x, 3.0)), 0.0, 6.0);
        mlia_lower_set(
            l, 0, mlia_emit_mul(l, mlia_emit_mul(l, x, bounded, 0), mlia_emit_number(l, x, 1.0 / 6.0), 0));
        return;
    }
    float fine = mlia_lower_scale32(l, in) / 128.0f;
    int16_t out_multiplier;
    int16_t multiplier;
    int32_t out_exponent;
    int32_t exponent;
    multiplier16((double)(fine / mlia_lower_scale32(l, out)), &out_multiplier, &out_exponent);
    multiplier16((double)(fine / (3.0f / 32768.0f)), &multiplier, &exponent);
    if (out_exponent > 0 || out_exponent < -30 || exponent > 15 || exponent < -30 ||
        VALUE_TYPE(l, x) != MLIA_TYPE_INT8) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "scales that the integer form does not cover");
        return;
    }
    int64_t entries[256];
    for (int q = -128; q < 128; q++) {
        entries[q + 128] = byte(
            hard_swish_entry(q - mlia_lower_zero(in), out_multiplier, out_exponent, multiplier, exponent) +
            mlia_lower_zero(out));
    }
    mlia_lower_set(l, 0, mlia_emit_table(l, x, entries));
}
