/* Requantisation and tables: real multipliers as TOSA multiplier and shift, fused activations, table
 * constants.
 *
 * The arithmetic follows the TensorFlow Lite reference kernels; where they compute in float32, so does this
 * file. */
#include <math.h>

#include "convert/tflite_to_tosa/lower.h"

enum { MIN_SHIFT = 2, MAX_SHIFT = 62 };

int64_t mlia_lower_round(double x)
{
    double rounded = round(x); /* half away from zero */
    if (isnan(rounded))
        return 0;
    if (rounded >= 9223372036854775807.0)
        return INT64_MAX;
    if (rounded <= -9223372036854775808.0)
        return INT64_MIN;
    return (int64_t)rounded;
}

void mlia_lower_multiplier(double m, int32_t *multiplier, int32_t *exponent)
{
    *multiplier = 0;
    *exponent = 0;
    if (!(m > 0.0) || !isfinite(m))
        return;
    int e;
    double fraction = frexp(m, &e);
    int64_t scaled = mlia_lower_round(ldexp(fraction, 31));
    if (scaled == (int64_t)1 << 31) {
        scaled /= 2;
        e++;
    }
    *multiplier = (int32_t)scaled;
    *exponent = e;
}

/* The rounding mode of a RESCALE under --tflite-rounding. */
static uint32_t rounding_mode(const lowering *l, round_kind round)
{
    if (round == ROUND_EXACT || l->options->rounding == MLIA_TFLITE_ROUNDING_SINGLE)
        return MLIA_ROUNDING_SINGLE_ROUND;
    if (l->options->rounding == MLIA_TFLITE_ROUNDING_OFFICIAL)
        return MLIA_ROUNDING_DOUBLE_ROUND;
    return round == ROUND_DOUBLE ? MLIA_ROUNDING_DOUBLE_ROUND : MLIA_ROUNDING_SINGLE_ROUND;
}

/* Multiplier and shift of one factor; `wide` for INT48 inputs (16-bit multipliers). False when the shift is
 * too small. */
static bool factor(double m, bool wide, int64_t *multiplier, int64_t *shift)
{
    int32_t m31;
    int32_t exponent;
    mlia_lower_multiplier(m, &m31, &exponent);
    if (m31 == 0) {
        *multiplier = 0;
        *shift = 31;
        return true;
    }
    if (wide) {
        *multiplier = m31 < 0x7FFF0000 ? (m31 + 0x8000) >> 16 : 0x7FFF;
        *shift = 15 - exponent;
    } else {
        *multiplier = m31;
        *shift = 31 - exponent;
    }
    if (*shift > MAX_SHIFT) {
        int64_t over = *shift - MAX_SHIFT;
        *multiplier >>= over < 31 ? over : 31;
        *shift = MAX_SHIFT;
    }
    return *shift >= MIN_SHIFT;
}

static uint32_t emit_rescale(lowering *l, uint32_t x, uint32_t type, const int64_t *multipliers,
                             const int64_t *shifts, uint32_t count, int32_t zero_in, int32_t zero_out,
                             uint32_t rounding)
{
    uint32_t type_in = VALUE_TYPE(l, x);
    bool wide = type_in == MLIA_TYPE_INT48;
    rescale_numbers numbers = {multipliers[0], shifts[0], zero_in, zero_out, rounding};
    uint32_t folded = count == 1 ? mlia_fold_rescaled(l, x, type, numbers) : MLIA_NONE;
    if (folded != MLIA_NONE)
        return folded;
    uint32_t inputs[5] = {
        x,
        mlia_emit_ints(l, wide ? MLIA_TYPE_INT16 : MLIA_TYPE_INT32, count, multipliers),
        mlia_emit_ints(l, MLIA_TYPE_INT8, count, shifts),
        mlia_emit_int(l, type_in, zero_in),
        mlia_emit_int(l, type, zero_out),
    };
    mlia_attributes attributes = mlia_attributes_default();
    attributes.scale32 = !wide;
    attributes.rounding_mode = wide ? (uint32_t)MLIA_ROUNDING_SINGLE_ROUND : rounding;
    attributes.per_channel = count > 1;
    const mlia_graph_value *info = mlia_lower_info(l, x);
    return mlia_emit(l, MLIA_OP_RESCALE, inputs, 5, &attributes, type, info->rank, info->dims);
}

uint32_t mlia_emit_rescale(lowering *l, uint32_t x, uint32_t type, const double *multipliers, uint32_t count,
                           int32_t zero_in, int32_t zero_out, round_kind round)
{
    if (l->fault != NULL || x == MLIA_NONE)
        return MLIA_NONE;
    bool wide = VALUE_TYPE(l, x) == MLIA_TYPE_INT48;
    int64_t *numbers = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)count * 2);
    if (numbers == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (uint32_t i = 0; i < count; i++)
        if (!factor(multipliers[i], wide, &numbers[i], &numbers[count + i])) {
            mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "a scale ratio of %g needs a shift below %d",
                             multipliers[i], MIN_SHIFT);
            return MLIA_NONE;
        }
    return emit_rescale(l, x, type, numbers, numbers + count, count, zero_in, zero_out,
                        rounding_mode(l, round));
}

uint32_t mlia_emit_rescale1(lowering *l, uint32_t x, uint32_t type, double multiplier, int32_t zero_in,
                            int32_t zero_out, round_kind round)
{
    return mlia_emit_rescale(l, x, type, &multiplier, 1, zero_in, zero_out, round);
}

uint32_t mlia_emit_rescale_raw(lowering *l, uint32_t x, uint32_t type, int32_t multiplier, int32_t shift,
                               int32_t zero_in, int32_t zero_out, round_kind round)
{
    if (l->fault != NULL || x == MLIA_NONE)
        return MLIA_NONE;
    int64_t numbers[2] = {multiplier, shift};
    return emit_rescale(l, x, type, &numbers[0], &numbers[1], 1, zero_in, zero_out, rounding_mode(l, round));
}

static uint32_t emit_quotient(lowering *l, uint32_t x, uint32_t type, int64_t divisor, int32_t zero_out)
{
    /* Single rounding takes halves up. A multiplier a little above the true one moves them away from zero on
     * both sides, and is too near to it to move anything else. */
    int32_t shift = 30;
    while (divisor > (int64_t)1 << (shift - 30))
        shift++;
    int32_t multiplier = (int32_t)(((int64_t)1 << shift) / divisor + 1);
    return mlia_emit_rescale_raw(l, x, type, multiplier, shift, 0, zero_out, ROUND_EXACT);
}

uint32_t mlia_emit_quotient(lowering *l, uint32_t x, uint32_t type, int64_t divisor)
{
    return emit_quotient(l, x, type, divisor, 0);
}

uint32_t mlia_emit_retype(lowering *l, uint32_t x, uint32_t type, int32_t zero_in, int32_t zero_out)
{
    return mlia_emit_rescale_raw(l, x, type, 1 << 30, 30, zero_in, zero_out, ROUND_EXACT);
}

uint32_t mlia_emit_edge(lowering *l, const operand *x, uint32_t value, bool into)
{
    int64_t zero = x->tensor->quantization.scale_count > 0 ? x->tensor->quantization.zero_points[0] : 0;
    int64_t raw = zero > 127 ? zero - 256 : zero; /* the bit pattern as INT8 */
    uint32_t inputs[5] = {
        value,
        mlia_emit_int(l, MLIA_TYPE_INT32, 1 << 30),
        mlia_emit_int(l, MLIA_TYPE_INT8, 30),
        mlia_emit_int(l, MLIA_TYPE_INT8, into ? raw : zero - 128),
        mlia_emit_int(l, MLIA_TYPE_INT8, into ? zero - 128 : raw),
    };
    mlia_attributes attributes = mlia_attributes_default();
    attributes.scale32 = true;
    attributes.rounding_mode = MLIA_ROUNDING_SINGLE_ROUND;
    attributes.input_unsigned = into;
    attributes.output_unsigned = !into;
    const mlia_graph_value *info = mlia_lower_info(l, value);
    return mlia_emit(l, MLIA_OP_RESCALE, inputs, 5, &attributes, MLIA_TYPE_INT8, info->rank, info->dims);
}

uint32_t mlia_emit_centred(lowering *l, operand *x)
{
    return mlia_emit_retype(l, mlia_lower_value(l, x), MLIA_TYPE_INT32, mlia_lower_zero(x), 0);
}

/* Scale (or zero point, or reciprocal scale) of every channel, times a factor, as an FP32 constant that
 * broadcasts over `x`.
 */
static uint32_t channel_constant(lowering *l, const operand *x, float (*pick)(const operand *, uint32_t),
                                 float factor)
{
    const mlia_tflite_quantization *q = &x->tensor->quantization;
    int64_t dims[MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++)
        dims[i] = q->scale_count > 1 && (int32_t)i == q->dimension ? q->scale_count : 1;
    float *values = MLIA_NEW_ARRAY(l->arena, float, q->scale_count);
    if (values == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (uint32_t i = 0; i < q->scale_count; i++)
        values[i] = pick(x, i) * factor;
    return mlia_emit_floats(l, x->rank, dims, values);
}

static float pick_scale(const operand *x, uint32_t i)
{
    return x->tensor->quantization.scales[i];
}

static float pick_reciprocal(const operand *x, uint32_t i)
{
    return 1.0f / x->tensor->quantization.scales[i];
}

static float pick_zero(const operand *x, uint32_t i)
{
    return (float)(x->tensor->quantization.zero_points[i] - (x->type == MLIA_TFLITE_UINT8 ? 128 : 0));
}

uint32_t mlia_emit_dequantise(lowering *l, operand *x)
{
    mlia_lower_scale(l, x); /* there must be one */
    uint32_t value = mlia_emit_cast(l, mlia_lower_value(l, x), MLIA_TYPE_FP32);
    if (l->fault != NULL)
        return MLIA_NONE;
    bool centred = true;
    for (uint32_t i = 0; i < x->tensor->quantization.scale_count; i++)
        centred = centred && pick_zero(x, i) == 0.0f;
    if (!centred)
        value = mlia_emit_binary(l, MLIA_OP_SUB, value, channel_constant(l, x, pick_zero, 1.0f));
    return mlia_emit_mul(l, value, channel_constant(l, x, pick_scale, 1.0f), 0);
}

uint32_t mlia_emit_quantise(lowering *l, uint32_t x, const operand *as)
{
    mlia_lower_scale(l, as);
    if (l->fault != NULL || x == MLIA_NONE)
        return MLIA_NONE;
    /* CAST rounds halves to even and RESCALE does not take floats: through INT32 with a fraction, which keeps
     * halves as they are and has room for the range of the type. Both saturate. */
    int32_t fraction = as->type == MLIA_TFLITE_INT16 ? 15 : 22;
    uint32_t type = mlia_lower_type(as->type);
    float step = ldexpf(1.0f, fraction);
    uint32_t scaled = mlia_emit_mul(l, x, channel_constant(l, as, pick_reciprocal, step), 0);
    uint32_t fixed = mlia_emit_cast(l, scaled, MLIA_TYPE_INT32);
    return emit_quotient(l, fixed, type, (int64_t)1 << fraction, mlia_lower_zero(as));
}

/* ---- fused activations ---- */

enum { ACTIVATION_NONE, ACTIVATION_RELU, ACTIVATION_RELU_N1_TO_1, ACTIVATION_RELU6, ACTIVATION_TANH };

static const struct {
    float low;
    float high; /* 0: no upper bound */
} bounds[] = {
    [ACTIVATION_RELU] = {0.0f, 0.0f},
    [ACTIVATION_RELU_N1_TO_1] = {-1.0f, 1.0f},
    [ACTIVATION_RELU6] = {0.0f, 6.0f},
};

static double quantised(const operand *as, float x)
{
    return (double)mlia_lower_zero(as) + round((double)(x / as->tensor->quantization.scales[0]));
}

uint32_t mlia_emit_activation(lowering *l, uint32_t x, int32_t activation, const operand *as)
{
    bool is_float = mlia_type_is_float(VALUE_TYPE(l, x));
    if (x == MLIA_NONE || activation == ACTIVATION_NONE)
        return x;
    if (activation == ACTIVATION_TANH && is_float)
        return mlia_emit_unary(l, MLIA_OP_TANH, x);
    if (activation < 0 || activation > ACTIVATION_RELU6) {
        mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "fused activation %d is not defined for %.*s",
                         activation, MLIA_STR_ARG(mlia_tflite_type_name(as->type)));
        return MLIA_NONE;
    }
    bool bounded = bounds[activation].high != 0.0f;
    if (is_float)
        return mlia_emit_clamp(l, x, (double)bounds[activation].low,
                               bounded ? (double)bounds[activation].high : 3.4028234663852886e38);
    if (VALUE_TYPE(l, x) == MLIA_TYPE_INT32 && !mlia_lower_is_quantised(as)) {
        uint32_t low = mlia_emit_scalar(l, MLIA_TYPE_INT32, VALUE_RANK(l, x), (double)bounds[activation].low);
        x = mlia_emit_binary(l, MLIA_OP_MAXIMUM, x, low);
        if (!bounded)
            return x;
        return mlia_emit_binary(
            l, MLIA_OP_MINIMUM, x,
            mlia_emit_scalar(l, MLIA_TYPE_INT32, VALUE_RANK(l, x), (double)bounds[activation].high));
    }
    mlia_lower_scale(l, as);
    if (l->fault != NULL)
        return MLIA_NONE;
    double low = fmax(mlia_lower_min(as), quantised(as, bounds[activation].low));
    double high =
        bounded ? fmin(mlia_lower_max(as), quantised(as, bounds[activation].high)) : mlia_lower_max(as);
    if (low <= mlia_lower_min(as) && high >= mlia_lower_max(as))
        return x;
    return mlia_emit_clamp(l, x, fmin(low, high), high);
}

/* ---- tables ---- */

static int64_t clamp_to(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

void mlia_lower_table8(lowering *l, const operand *in, const operand *out,
                       float (*f)(float x, float parameter), float parameter, int64_t entries[256])
{
    float scale_in = mlia_lower_scale32(l, in);
    float inverse = 1.0f / mlia_lower_scale32(l, out);
    int32_t zero_in = mlia_lower_zero(in);
    int32_t zero_out = mlia_lower_zero(out);
    for (int q = -128; q < 128; q++) {
        float y = f(scale_in * (float)(q - zero_in), parameter) * inverse;
        int64_t rounded = clamp_to(mlia_lower_round((double)y), INT32_MIN, INT32_MAX);
        entries[q + 128] = clamp_to(rounded + zero_out, -128, 127);
    }
}

/* Rounds the argument to float32 first unless `wide`. */
static double narrow(double x, bool wide)
{
    return wide ? x : (double)(float)x;
}

void mlia_lower_table16(double scale_in, int32_t zero_in, double scale_out, int32_t zero_out,
                        double (*f)(double x, double parameter), double parameter, bool wide,
                        int64_t entries[513])
{
    double in_min = narrow(scale_in * (-32768 - zero_in), wide);
    double in_max = narrow(scale_in * (32767 - zero_in), wide);
    double out_min = narrow(scale_out * (-32768 - zero_out), wide);
    double out_max = narrow(scale_out * (32767 - zero_out), wide);
    double step = narrow(narrow(in_max - in_min, wide) / 512, wide);
    double half = narrow(step / 2, wide);
    double gain = narrow(65536.0 / narrow(out_max - out_min, wide), wide);
    for (int i = 0; i < 512; i++) {
        double at = narrow(in_min + narrow(i * step, wide), wide);
        double value = narrow(f(at, parameter) * gain, wide);
        double next = narrow(f(narrow(in_min + narrow((i + 1) * step, wide), wide), parameter) * gain, wide);
        double middle = narrow(f(narrow(at + half, wide), parameter) * gain, wide);
        double rounded = round(value);
        double between = round(narrow(narrow(next + rounded, wide) / 2, wide));
        double bias = round(narrow(narrow(between - round(middle), wide) / 2, wide));
        entries[i] = clamp_to(mlia_lower_round(narrow(rounded - bias, wide)), -32768, 32767);
    }
    entries[512] = clamp_to(mlia_lower_round(narrow(f(in_max, parameter) * gain, wide)), -32768, 32767);
}
