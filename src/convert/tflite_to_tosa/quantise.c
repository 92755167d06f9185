/* QUANTIZE, DEQUANTIZE, FAKE_QUANT, CAST, DENSIFY. */
#include <math.h>

#include "convert/tflite_to_tosa/rules.h"

void mlia_lower_quantize(lowering *l)
{
    operand *in;
    operand *out;
    if (!mlia_lower_take(l, &in, &out) || mlia_fold_quantise(l, in, out))
        return;
    if (mlia_lower_is_float(in)) {
        mlia_lower_set(
            l, 0, mlia_emit_quantise(l, mlia_emit_cast(l, mlia_lower_value(l, in), MLIA_TYPE_FP32), out));
        return;
    }
    double factor = mlia_lower_scale(l, in) / mlia_lower_scale(l, out);
    mlia_lower_set(l, 0,
                   mlia_emit_rescale1(l, mlia_lower_value(l, in), mlia_lower_type(out->type), factor,
                                      mlia_lower_zero(in), mlia_lower_zero(out), ROUND_DOUBLE));
}

/* A constant as FP32, so that the device does not compute it on every inference. */
static void set_float_constant(lowering *l, const operand *in)
{
    const mlia_tflite_quantization *q = &in->tensor->quantization;
    uint8_t *bytes = MLIA_NEW_ARRAY(l->arena, uint8_t, (size_t)in->elements * 4);
    if (bytes == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return;
    }
    uint64_t inner = 1;
    for (uint32_t i = in->rank; i > 0 && (int32_t)(i - 1) > q->dimension; i--)
        inner *= (uint64_t)in->dims[i - 1];
    for (uint64_t i = 0; i < in->elements; i++) {
        size_t channel = q->scale_count > 1 ? (size_t)(i / inner % q->scale_count) : 0;
        float value =
            mlia_lower_is_float(in)
                ? (float)mlia_lower_number_at(in, i)
                : (float)(mlia_lower_integer_at(in, i) - q->zero_points[channel]) * q->scales[channel];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        for (unsigned k = 0; k < 4; k++)
            bytes[4 * i + k] = (uint8_t)(bits >> (8 * k));
    }
    mlia_lower_set_constant(l, 0, in->rank, in->dims, (mlia_bytes){bytes, (size_t)in->elements * 4});
}

void mlia_lower_dequantize(lowering *l)
{
    operand *in;
    operand *out;
    if (!mlia_lower_take(l, &in, &out))
        return;
    if (in->is_constant && out->type == MLIA_TFLITE_FLOAT32 &&
        (mlia_lower_is_float(in) || mlia_lower_is_quantised(in)))
        set_float_constant(l, in);
    else if (mlia_lower_is_float(in))
        mlia_lower_set(l, 0, mlia_emit_cast(l, mlia_lower_value(l, in), mlia_lower_type(out->type)));
    else
        mlia_lower_set(l, 0, mlia_emit_dequantise(l, in));
}

void mlia_lower_densify(lowering *l)
{
    operand *in = mlia_lower_required(l, 0);
    if (l->fault != NULL)
        return;
    if (in->is_constant)
        mlia_lower_set_constant(l, 0, in->rank, in->dims, in->data);
    else
        mlia_lower_set(l, 0, mlia_lower_value(l, in));
}

void mlia_lower_fake_quant(lowering *l)
{
    operand *in;
    operand *out;
    if (!mlia_lower_take(l, &in, &out))
        return;
    float low = mlia_lower_option_float(l, MLIA_TFLITE_FakeQuantOptions_min);
    float high = mlia_lower_option_float(l, MLIA_TFLITE_FakeQuantOptions_max);
    int32_t bits = mlia_lower_option(l, MLIA_TFLITE_FakeQuantOptions_num_bits);
    if (bits < 2 || bits > 16 || !(high > low)) {
        mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "%d bits from %g to %g", bits, (double)low,
                         (double)high);
        return;
    }
    float most = (float)((1 << bits) - 1);
    float least = mlia_lower_option(l, MLIA_TFLITE_FakeQuantOptions_narrow_range) != 0 ? 1.0f : 0.0f;
    float scale = (high - low) / (most - least);
    float zero = roundf(fminf(fmaxf(least - low / scale, least), most));
    float nudged_low = (least - zero) * scale;
    float nudged_high = (most - zero) * scale;
    uint32_t x = mlia_emit_clamp(l, mlia_lower_value(l, in), (double)nudged_low, (double)nudged_high);
    uint32_t rank = in->rank;
    x = mlia_emit_binary(l, MLIA_OP_SUB, x, mlia_emit_scalar(l, MLIA_TYPE_FP32, rank, (double)nudged_low));
    x = mlia_emit_mul(l, x, mlia_emit_scalar(l, MLIA_TYPE_FP32, rank, (double)(1.0f / scale)), 0);
    x = mlia_emit_unary(l, MLIA_OP_FLOOR,
                        mlia_emit_binary(l, MLIA_OP_ADD, x, mlia_emit_scalar(l, MLIA_TYPE_FP32, rank, 0.5)));
    x = mlia_emit_mul(l, x, mlia_emit_scalar(l, MLIA_TYPE_FP32, rank, (double)scale), 0);
    mlia_lower_set(
        l, 0,
        mlia_emit_binary(l, MLIA_OP_ADD, x, mlia_emit_scalar(l, MLIA_TYPE_FP32, rank, (double)nudged_low)));
}

/* ---- CAST ---- */

/* Towards zero, as C converts. */
static uint32_t truncated(lowering *l, uint32_t x)
{
    uint32_t zero = mlia_emit_number(l, x, 0.0);
    return mlia_emit_select(l, mlia_emit_binary(l, MLIA_OP_GREATER_EQUAL, x, zero),
                            mlia_emit_unary(l, MLIA_OP_FLOOR, x), mlia_emit_unary(l, MLIA_OP_CEIL, x));
}

/* An unsigned byte as INT32: inside the graph it is stored less 128. */
static uint32_t byte_as_integer(lowering *l, uint32_t x)
{
    return mlia_emit_retype(l, x, MLIA_TYPE_INT32, -128, 0);
}

static uint32_t integer_as_byte(lowering *l, uint32_t x)
{
    uint32_t moved =
        mlia_emit_binary(l, MLIA_OP_SUB, x, mlia_emit_scalar(l, MLIA_TYPE_INT32, VALUE_RANK(l, x), 128.0));
    return mlia_emit_cast(l, moved, MLIA_TYPE_INT8);
}

static uint32_t cast_value(lowering *l, uint32_t x, uint32_t from, uint32_t to)
{
    uint32_t type = mlia_lower_type(to);
    if (from == MLIA_TFLITE_BOOL && to == MLIA_TFLITE_BOOL)
        return x;
    if (from == MLIA_TFLITE_UINT8)
        x = to == MLIA_TFLITE_UINT8 ? x : byte_as_integer(l, x);
    bool is_float = mlia_type_is_float(VALUE_TYPE(l, x));
    if (to == MLIA_TFLITE_BOOL && is_float) {
        uint32_t zero = mlia_emit_number(l, x, 0.0);
        return mlia_emit_unary(l, MLIA_OP_LOGICAL_NOT, mlia_emit_binary(l, MLIA_OP_EQUAL, x, zero));
    }
    if (to == MLIA_TFLITE_UINT8 && from != MLIA_TFLITE_UINT8) {
        if (is_float)
            x = mlia_emit_clamp(l, mlia_emit_unary(l, MLIA_OP_FLOOR, x), 0.0, 255.0);
        return integer_as_byte(l, mlia_emit_cast(l, x, MLIA_TYPE_INT32));
    }
    if (is_float && !mlia_type_is_float(type))
        x = truncated(l, x);
    if (VALUE_TYPE(l, x) == MLIA_TYPE_BOOL && mlia_type_is_float(type))
        x = mlia_emit_cast(l, x, MLIA_TYPE_INT32);
    if ((VALUE_TYPE(l, x) == MLIA_TYPE_FP16 && type == MLIA_TYPE_BF16) ||
        (VALUE_TYPE(l, x) == MLIA_TYPE_BF16 && type == MLIA_TYPE_FP16))
        x = mlia_emit_cast(l, x, MLIA_TYPE_FP32);
    return mlia_emit_cast(l, x, type);
}

void mlia_lower_cast(lowering *l)
{
    operand *in;
    operand *out;
    if (!mlia_lower_take(l, &in, &out) || mlia_fold_cast(l, in, out))
        return;
    if (mlia_lower_type(out->type) == MLIA_TYPE_UNKNOWN) {
        mlia_lower_error(l, MLIA_E_TFLITE_TYPE, "to %.*s", MLIA_STR_ARG(mlia_tflite_type_name(out->type)));
        return;
    }
    if (in->type == MLIA_TFLITE_UINT32 || out->type == MLIA_TFLITE_UINT32)
        mlia_warn(l->diagnostics, MLIA_W_TFLITE,
                  "CAST: UINT32 is handled as INT32; values from 2^31 on are wrong");
    mlia_lower_set(l, 0, cast_value(l, mlia_lower_value(l, in), in->type, out->type));
}
