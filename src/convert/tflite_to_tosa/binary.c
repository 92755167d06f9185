/* Element-wise operators of two operands: ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, SQUARED_DIFFERENCE, POW,
 * FLOOR_DIV, FLOOR_MOD, ATAN2, ADD_N, bitwise. */
#include <math.h>

#include "convert/tflite_to_tosa/rules.h"

/* Takes both operands; false after a fault. */
static bool take_pair(lowering *l, operand **a, operand **b, operand **out)
{
    bool taken = mlia_lower_take(l, a, out);
    *b = mlia_lower_required(l, 1);
    return taken && *b != NULL;
}

/* Fused activation: ADD, SUB, MUL and DIV have it in field 0 of their options. */
static void set_activated(lowering *l, uint32_t y, const operand *out)
{
    mlia_lower_set(l, 0,
                   mlia_emit_activation(
                       l, y, mlia_lower_option(l, MLIA_TFLITE_AddOptions_fused_activation_function), out));
}

/* Operand brought to INT32 at the common scale M, shifted left by `bits`: the larger scale is M / 2 exactly,
 * so that one rescale does it; the other takes two, as the reference kernel rounds. */
static uint32_t common_scale(lowering *l, operand *x, double common, int32_t bits)
{
    double scale = mlia_lower_scale(l, x);
    uint32_t value = mlia_lower_value(l, x);
    int32_t zero = mlia_lower_zero(x);
    if (scale * 2.0 == common)
        return VALUE_TYPE(l, value) == MLIA_TYPE_INT16 && bits - 1 > 14
                   ? mlia_emit_binary(l, MLIA_OP_LOGICAL_LEFT_SHIFT,
                                      mlia_emit_cast(l, value, MLIA_TYPE_INT32),
                                      mlia_emit_scalar(l, MLIA_TYPE_INT32, VALUE_RANK(l, value), bits - 1))
                   : mlia_emit_rescale1(l, value, MLIA_TYPE_INT32, ldexp(1.0, bits - 1), zero, 0,
                                        ROUND_DOUBLE);
    uint32_t wide =
        x->type == MLIA_TFLITE_INT16
            ? mlia_emit_binary(l, MLIA_OP_LOGICAL_LEFT_SHIFT, mlia_emit_cast(l, value, MLIA_TYPE_INT32),
                               mlia_emit_scalar(l, MLIA_TYPE_INT32, VALUE_RANK(l, value), bits))
            : mlia_emit_rescale1(l, value, MLIA_TYPE_INT32, ldexp(1.0, bits), zero, 0, ROUND_DOUBLE);
    return mlia_emit_rescale1(l, wide, MLIA_TYPE_INT32, scale / common, 0, 0, ROUND_DOUBLE);
}

static bool check_zero16(lowering *l, const operand *x)
{
    if (x->type != MLIA_TFLITE_INT16 || mlia_lower_zero(x) == 0)
        return true;
    mlia_lower_error(l, MLIA_E_TFLITE_QUANTIZATION, "'%.*s' is INT16 with zero point %d, which must be 0",
                     MLIA_STR_ARG(x->tensor->name), mlia_lower_zero(x));
    return false;
}

/* Bits by which an operand is shifted right to the scale of the result, where both scales are powers of two;
 * -1 else. */
static int32_t power_of_two_shift(lowering *l, const operand *x, const operand *out)
{
    float in_log2 = logf(mlia_lower_scale32(l, x)) * (1.0f / logf(2.0f));
    float out_log2 = logf(mlia_lower_scale32(l, out)) * (1.0f / logf(2.0f));
    if (fabsf(in_log2 - roundf(in_log2)) >= 1e-3f || fabsf(out_log2 - roundf(out_log2)) >= 1e-3f)
        return -1;
    return (int32_t)(roundf(out_log2) - roundf(in_log2));
}

static uint32_t shifted(lowering *l, operand *x, int32_t bits)
{
    uint32_t value = mlia_lower_value(l, x);
    return bits == 0 ? mlia_emit_cast(l, value, MLIA_TYPE_INT32)
                     : mlia_emit_quotient(l, value, MLIA_TYPE_INT32, (int64_t)1 << bits);
}

/* INT16 whose scales are powers of two and may be taken as such: one operand is shifted, the other has the
 * result's scale. MLIA_NONE where that does not hold. */
static uint32_t shifted_sum(lowering *l, mlia_op op, operand *a, operand *b, const operand *out)
{
    bool allowed = mlia_lower_option(l, op == MLIA_OP_ADD ? MLIA_TFLITE_AddOptions_pot_scale_int16
                                                          : MLIA_TFLITE_SubOptions_pot_scale_int16) != 0;
    if (a->type != MLIA_TFLITE_INT16 || !allowed)
        return MLIA_NONE;
    int32_t first = power_of_two_shift(l, a, out);
    int32_t second = power_of_two_shift(l, b, out);
    if (first < 0 || second < 0 || first > 15 || second > 15 || (first > 0 && second > 0))
        return MLIA_NONE;
    uint32_t sum = mlia_emit_binary(l, op, shifted(l, a, first), shifted(l, b, second));
    return mlia_emit_retype(l, sum, MLIA_TYPE_INT16, 0, 0);
}

static uint32_t quantised_sum(lowering *l, mlia_op op, operand *a, operand *b, operand *out)
{
    if (!check_zero16(l, a) || !check_zero16(l, b) || !check_zero16(l, out))
        return MLIA_NONE;
    uint32_t simple = shifted_sum(l, op, a, b, out);
    if (simple != MLIA_NONE)
        return simple;
    int32_t bits = a->type == MLIA_TFLITE_INT16 ? 15 : 20;
    double common = 2.0 * fmax(mlia_lower_scale(l, a), mlia_lower_scale(l, b));
    double scale = common / (ldexp(1.0, bits) * mlia_lower_scale(l, out));
    uint32_t x = common_scale(l, a, common, bits);
    uint32_t y = common_scale(l, b, common, bits);
    return mlia_emit_rescale1(l, mlia_emit_binary(l, op, x, y), mlia_lower_type(out->type), scale, 0,
                              mlia_lower_zero(out), ROUND_DOUBLE);
}

static void add_or_sub(lowering *l, mlia_op op)
{
    operand *a;
    operand *b;
    operand *out;
    if (!take_pair(l, &a, &b, &out))
        return;
    uint32_t y = mlia_lower_is_quantised(out)
                     ? quantised_sum(l, op, a, b, out)
                     : mlia_emit_binary(l, op, mlia_lower_value(l, a), mlia_lower_value(l, b));
    set_activated(l, y, out);
}

void mlia_lower_add(lowering *l)
{
    add_or_sub(l, MLIA_OP_ADD);
}

void mlia_lower_sub(lowering *l)
{
    add_or_sub(l, MLIA_OP_SUB);
}

void mlia_lower_mul(lowering *l)
{
    operand *a;
    operand *b;
    operand *out;
    if (!take_pair(l, &a, &b, &out))
        return;
    if (!mlia_lower_is_quantised(out)) {
        set_activated(l, mlia_emit_mul(l, mlia_lower_value(l, a), mlia_lower_value(l, b), 0), out);
        return;
    }
    /* The kernel computes this factor in float32. */
    float product = mlia_lower_scale32(l, a) * mlia_lower_scale32(l, b);
    float factor = product / mlia_lower_scale32(l, out);
    uint32_t y = mlia_emit_mul(l, mlia_emit_centred(l, a), mlia_emit_centred(l, b), 0);
    set_activated(l,
                  mlia_emit_rescale1(l, y, mlia_lower_type(out->type), (double)factor, 0,
                                     mlia_lower_zero(out), ROUND_DOUBLE),
                  out);
}

void mlia_lower_squared_difference(lowering *l)
{
    operand *a;
    operand *b;
    operand *out;
    if (!take_pair(l, &a, &b, &out))
        return;
    if (!mlia_lower_is_quantised(out)) {
        uint32_t d = mlia_emit_binary(l, MLIA_OP_SUB, mlia_lower_value(l, a), mlia_lower_value(l, b));
        mlia_lower_set(l, 0, mlia_emit_mul(l, d, d, 0));
        return;
    }
    enum { BITS = 7 };
    double common = 2.0 * fmax(mlia_lower_scale(l, a), mlia_lower_scale(l, b));
    uint32_t d =
        mlia_emit_binary(l, MLIA_OP_SUB, common_scale(l, a, common, BITS), common_scale(l, b, common, BITS));
    double scale = common * common / (ldexp(1.0, 2 * BITS) * mlia_lower_scale(l, out));
    mlia_lower_set(l, 0,
                   mlia_emit_rescale1(l, mlia_emit_mul(l, d, d, 0), mlia_lower_type(out->type), scale, 0,
                                      mlia_lower_zero(out), ROUND_DOUBLE));
}

static bool same_quantisation(lowering *l, const operand *a, const operand *b)
{
    return mlia_lower_scale(l, a) == mlia_lower_scale(l, b) && mlia_lower_zero(a) == mlia_lower_zero(b);
}

/* Operand as INT32 in the quantisation of `out`. */
static uint32_t like_output(lowering *l, operand *x, const operand *out)
{
    if (same_quantisation(l, x, out))
        return mlia_emit_retype(l, mlia_lower_value(l, x), MLIA_TYPE_INT32, mlia_lower_zero(x), 0);
    uint32_t same = mlia_emit_rescale1(l, mlia_lower_value(l, x), mlia_lower_type(out->type),
                                       mlia_lower_scale(l, x) / mlia_lower_scale(l, out), mlia_lower_zero(x),
                                       mlia_lower_zero(out), ROUND_DOUBLE);
    return mlia_emit_retype(l, same, MLIA_TYPE_INT32, mlia_lower_zero(out), 0);
}

void mlia_lower_maximum(lowering *l)
{
    operand *a;
    operand *b;
    operand *out;
    if (!take_pair(l, &a, &b, &out))
        return;
    mlia_op op = l->op->op == MLIA_TFLITE_OP_MAXIMUM ? MLIA_OP_MAXIMUM : MLIA_OP_MINIMUM;
    if (mlia_lower_is_float(out) || mlia_lower_type(out->type) == MLIA_TYPE_INT32) {
        mlia_lower_set(l, 0, mlia_emit_binary(l, op, mlia_lower_value(l, a), mlia_lower_value(l, b)));
        return;
    }
    if (!mlia_lower_is_quantised(out)) {
        uint32_t y = mlia_emit_binary(l, op, mlia_emit_cast(l, mlia_lower_value(l, a), MLIA_TYPE_INT32),
                                      mlia_emit_cast(l, mlia_lower_value(l, b), MLIA_TYPE_INT32));
        mlia_lower_set(l, 0, mlia_emit_cast(l, y, mlia_lower_type(out->type)));
        return;
    }
    uint32_t y = mlia_emit_binary(l, op, like_output(l, a, out), like_output(l, b, out));
    mlia_lower_set(l, 0, mlia_emit_retype(l, y, mlia_lower_type(out->type), 0, mlia_lower_zero(out)));
}

/* Both operands as FP32, whatever their type. */
static uint32_t as_float(lowering *l, operand *x)
{
    return mlia_lower_is_quantised(x) ? mlia_emit_dequantise(l, x) : mlia_lower_value(l, x);
}

void mlia_lower_div(lowering *l)
{
    operand *a;
    operand *b;
    operand *out;
    if (!take_pair(l, &a, &b, &out))
        return;
    if (mlia_lower_type(out->type) == MLIA_TYPE_INT32) {
        set_activated(l, mlia_emit_binary(l, MLIA_OP_INTDIV, mlia_lower_value(l, a), mlia_lower_value(l, b)),
                      out);
        return;
    }
    uint32_t y = mlia_emit_mul(l, as_float(l, a), mlia_emit_unary(l, MLIA_OP_RECIPROCAL, as_float(l, b)), 0);
    set_activated(l, mlia_lower_is_quantised(out) ? mlia_emit_quantise(l, y, out) : y, out);
}

/* Where integers differ in sign: (a XOR b) < 0. */
static uint32_t signs_differ(lowering *l, uint32_t a, uint32_t b)
{
    uint32_t mixed = mlia_emit_binary(l, MLIA_OP_BITWISE_XOR, a, b);
    return mlia_emit_binary(l, MLIA_OP_GREATER,
                            mlia_emit_scalar(l, MLIA_TYPE_INT32, VALUE_RANK(l, mixed), 0.0), mixed);
}

static uint32_t is_nonzero(lowering *l, uint32_t x)
{
    uint32_t zero = mlia_emit_number(l, x, 0.0);
    return mlia_emit_unary(l, MLIA_OP_LOGICAL_NOT, mlia_emit_binary(l, MLIA_OP_EQUAL, x, zero));
}

/* x - y · q */
static uint32_t remainder_of(lowering *l, uint32_t x, uint32_t y, uint32_t q)
{
    return mlia_emit_binary(l, MLIA_OP_SUB, x, mlia_emit_mul(l, y, q, 0));
}

void mlia_lower_floor_div(lowering *l)
{
    operand *a;
    operand *b;
    operand *out;
    if (!take_pair(l, &a, &b, &out))
        return;
    uint32_t x = as_float(l, a);
    uint32_t y = as_float(l, b);
    if (mlia_type_is_float(VALUE_TYPE(l, x))) {
        uint32_t q = mlia_emit_unary(l, MLIA_OP_FLOOR,
                                     mlia_emit_mul(l, x, mlia_emit_unary(l, MLIA_OP_RECIPROCAL, y), 0));
        mlia_lower_set(l, 0, mlia_lower_is_quantised(out) ? mlia_emit_quantise(l, q, out) : q);
        return;
    }
    uint32_t x32 = mlia_emit_cast(l, x, MLIA_TYPE_INT32);
    uint32_t y32 = mlia_emit_cast(l, y, MLIA_TYPE_INT32);
    uint32_t q = mlia_emit_binary(l, MLIA_OP_INTDIV, x32, y32);
    uint32_t whole = mlia_emit_binary(l, MLIA_OP_EQUAL, mlia_emit_mul(l, y32, q, 0), x32);
    uint32_t rounds_up = mlia_emit_binary(
        l, MLIA_OP_LOGICAL_AND, mlia_emit_unary(l, MLIA_OP_LOGICAL_NOT, whole), signs_differ(l, x32, y32));
    uint32_t less =
        mlia_emit_binary(l, MLIA_OP_SUB, q, mlia_emit_scalar(l, MLIA_TYPE_INT32, VALUE_RANK(l, q), 1.0));
    q = mlia_emit_select(l, rounds_up, less, q);
    if (l->fault == NULL && VALUE_TYPE(l, q) != mlia_lower_type(out->type)) /* the least by -1 saturates */
        q = mlia_emit_retype(l, q, mlia_lower_type(out->type), 0, 0);
    mlia_lower_set(l, 0, q);
}

static uint32_t float_mod(lowering *l, uint32_t x, uint32_t y)
{
    uint32_t q =
        mlia_emit_unary(l, MLIA_OP_FLOOR, mlia_emit_mul(l, x, mlia_emit_unary(l, MLIA_OP_RECIPROCAL, y), 0));
    uint32_t r = remainder_of(l, x, y, q);
    /* The quotient may be off by one: bring the remainder back to the divisor's side. */
    uint32_t zero = mlia_emit_number(l, r, 0.0);
    uint32_t wrong_sign = mlia_emit_binary(l, MLIA_OP_GREATER, zero, mlia_emit_mul(l, r, y, 0));
    r = mlia_emit_select(l, wrong_sign, mlia_emit_binary(l, MLIA_OP_ADD, r, y), r);
    uint32_t too_large = mlia_emit_binary(l, MLIA_OP_GREATER_EQUAL, mlia_emit_unary(l, MLIA_OP_ABS, r),
                                          mlia_emit_unary(l, MLIA_OP_ABS, y));
    return mlia_emit_select(l, too_large, mlia_emit_binary(l, MLIA_OP_SUB, r, y), r);
}

void mlia_lower_floor_mod(lowering *l)
{
    operand *a;
    operand *b;
    operand *out;
    if (!take_pair(l, &a, &b, &out))
        return;
    uint32_t x = as_float(l, a);
    uint32_t y = as_float(l, b);
    if (mlia_type_is_float(VALUE_TYPE(l, x))) {
        uint32_t r = float_mod(l, x, y);
        mlia_lower_set(l, 0, mlia_lower_is_quantised(out) ? mlia_emit_quantise(l, r, out) : r);
        return;
    }
    uint32_t x32 = mlia_emit_cast(l, x, MLIA_TYPE_INT32);
    uint32_t y32 = mlia_emit_cast(l, y, MLIA_TYPE_INT32);
    uint32_t r = remainder_of(l, x32, y32, mlia_emit_binary(l, MLIA_OP_INTDIV, x32, y32));
    uint32_t wrong = mlia_emit_binary(l, MLIA_OP_LOGICAL_AND, is_nonzero(l, r), signs_differ(l, r, y32));
    uint32_t fixed = mlia_emit_select(l, wrong, mlia_emit_binary(l, MLIA_OP_ADD, r, y32), r);
    mlia_lower_set(l, 0, mlia_emit_cast(l, fixed, mlia_lower_type(out->type)));
}

/* x to a natural power by squaring; 0 gives MLIA_NONE. */
static uint32_t natural_power(lowering *l, uint32_t x, uint32_t exponent)
{
    uint32_t y = MLIA_NONE;
    for (; exponent > 0; exponent /= 2) {
        if (exponent % 2 != 0)
            y = y == MLIA_NONE ? x : mlia_emit_mul(l, y, x, 0);
        if (exponent > 1)
            x = mlia_emit_mul(l, x, x, 0);
    }
    return y;
}

/* x to a small constant power by products, reciprocals and roots; MLIA_NONE when there is no such form. */
static uint32_t constant_power(lowering *l, uint32_t x, double exponent)
{
    if (exponent == 1.0 || exponent == 2.0 || exponent == 3.0 || exponent == 4.0)
        return natural_power(l, x, (uint32_t)exponent);
    if (exponent == -1.0)
        return mlia_emit_unary(l, MLIA_OP_RECIPROCAL, x);
    if (exponent == -0.5)
        return mlia_emit_unary(l, MLIA_OP_RSQRT, x);
    if (exponent == 0.5)
        return mlia_emit_unary(l, MLIA_OP_RECIPROCAL, mlia_emit_unary(l, MLIA_OP_RSQRT, x));
    return MLIA_NONE;
}

static uint32_t integer_power(lowering *l, uint32_t x, const operand *exponent)
{
    int64_t n = exponent->is_constant && exponent->elements == 1 ? mlia_lower_integer_at(exponent, 0) : -1;
    if (n < 0 || n > UINT32_MAX) {
        mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT,
                         "an integer power needs one constant exponent of at least 0");
        return MLIA_NONE;
    }
    if (n > 0)
        return natural_power(l, x, (uint32_t)n);
    uint32_t zero = mlia_emit_binary(l, MLIA_OP_SUB, x, x);
    return mlia_emit_binary(l, MLIA_OP_ADD, zero,
                            mlia_emit_scalar(l, MLIA_TYPE_INT32, VALUE_RANK(l, x), 1.0));
}

void mlia_lower_pow(lowering *l)
{
    operand *a;
    operand *b;
    operand *out;
    if (!take_pair(l, &a, &b, &out))
        return;
    uint32_t x = mlia_lower_value(l, a);
    bool constant = b->is_constant && b->elements == 1;
    double exponent = constant ? mlia_lower_number_at(b, 0) : 0.0;
    if (!mlia_lower_is_float(out)) {
        mlia_lower_set(l, 0, integer_power(l, x, b));
        return;
    }
    uint32_t y = constant ? constant_power(l, x, exponent) : MLIA_NONE;
    if (y == MLIA_NONE && constant && exponent == floor(exponent)) {
        /* TOSA wants a base of at least 0: take the size, then put the sign back for odd exponents. */
        y = mlia_emit_binary(l, MLIA_OP_POW, mlia_emit_unary(l, MLIA_OP_ABS, x), mlia_lower_value(l, b));
        if (fmod(exponent, 2.0) != 0.0) {
            uint32_t negative = mlia_emit_binary(l, MLIA_OP_GREATER, mlia_emit_number(l, x, 0.0), x);
            y = mlia_emit_select(l, negative, mlia_emit_negate(l, y), y);
        }
    } else if (y == MLIA_NONE) {
        mlia_warn(l->diagnostics, MLIA_W_TFLITE, "POW: TOSA defines it for bases of at least 0 only");
        y = mlia_emit_binary(l, MLIA_OP_POW, x, mlia_lower_value(l, b));
    }
    mlia_lower_set(l, 0, y);
}

void mlia_lower_add_n(lowering *l)
{
    uint32_t sum = mlia_lower_value(l, mlia_lower_required(l, 0));
    for (uint32_t i = 1; i < l->op->inputs.count; i++)
        sum = mlia_emit_binary(l, MLIA_OP_ADD, sum, mlia_lower_value(l, mlia_lower_required(l, i)));
    mlia_lower_set(l, 0, sum);
}

/* A byte without a sign is stored less 128, that is with its upper bit turned over. */
void mlia_lower_bitwise_xor(lowering *l)
{
    operand *first = mlia_lower_required(l, 0);
    uint32_t a = mlia_lower_value(l, first);
    mlia_op op = VALUE_TYPE(l, a) == MLIA_TYPE_BOOL ? MLIA_OP_LOGICAL_XOR : MLIA_OP_BITWISE_XOR;
    uint32_t y = mlia_emit_binary(l, op, a, mlia_lower_value(l, mlia_lower_required(l, 1)));
    if (l->fault == NULL && first->type == MLIA_TFLITE_UINT8)
        y = mlia_emit_binary(l, op, y, mlia_emit_scalar(l, MLIA_TYPE_INT8, VALUE_RANK(l, y), -128.0));
    mlia_lower_set(l, 0, y);
}

void mlia_lower_right_shift(lowering *l)
{
    operand *first = mlia_lower_required(l, 0);
    uint32_t a = mlia_lower_value(l, first);
    uint32_t b = mlia_lower_value(l, mlia_lower_required(l, 1));
    if (l->fault == NULL && first->type == MLIA_TFLITE_UINT8) {
        uint32_t y = mlia_emit_shift_right(l, mlia_emit_retype(l, a, MLIA_TYPE_INT32, -128, 0),
                                           mlia_emit_retype(l, b, MLIA_TYPE_INT32, -128, 0), false);
        mlia_lower_set(l, 0, mlia_emit_retype(l, y, MLIA_TYPE_INT8, 0, -128));
        return;
    }
    mlia_lower_set(l, 0, mlia_emit_shift_right(l, a, b, false));
}

/* atan of 0 … 1 by a table over 16 bits, then the quadrants. */
void mlia_lower_atan2(lowering *l)
{
    int64_t entries[513];
    for (int i = 0; i < 513; i++) {
        int64_t value = mlia_lower_round(atan(i / 512.0) * 32768.0);
        entries[i] = value > 32767 ? 32767 : value;
    }
    uint32_t y = mlia_lower_value(l, mlia_lower_required(l, 0));
    uint32_t x = mlia_lower_value(l, mlia_lower_required(l, 1));
    uint32_t rank = VALUE_RANK(l, y) > VALUE_RANK(l, x) ? VALUE_RANK(l, y) : VALUE_RANK(l, x);
    uint32_t size_x = mlia_emit_unary(l, MLIA_OP_ABS, x);
    uint32_t size_y = mlia_emit_unary(l, MLIA_OP_ABS, y);
    uint32_t larger = mlia_emit_binary(l, MLIA_OP_MAXIMUM, size_y, size_x);
    uint32_t ratio = mlia_emit_mul(l, mlia_emit_binary(l, MLIA_OP_MINIMUM, size_y, size_x),
                                   mlia_emit_unary(l, MLIA_OP_RECIPROCAL, larger), 0);
    uint32_t centred = mlia_emit_binary(
        l, MLIA_OP_SUB, mlia_emit_mul(l, ratio, mlia_emit_scalar(l, MLIA_TYPE_FP32, rank, 2.0), 0),
        mlia_emit_scalar(l, MLIA_TYPE_FP32, rank, 1.0));
    uint32_t index = mlia_emit_cast(
        l, mlia_emit_mul(l, centred, mlia_emit_scalar(l, MLIA_TYPE_FP32, rank, 32767.0), 0), MLIA_TYPE_INT16);
    uint32_t angle = mlia_emit_mul(l, mlia_emit_cast(l, mlia_emit_table(l, index, entries), MLIA_TYPE_FP32),
                                   mlia_emit_scalar(l, MLIA_TYPE_FP32, rank, ldexp(1.0, -22)), 0);
    uint32_t zero = mlia_emit_scalar(l, MLIA_TYPE_FP32, rank, 0.0);
    uint32_t steep = mlia_emit_binary(l, MLIA_OP_GREATER, size_y, size_x);
    angle = mlia_emit_select(l, steep,
                             mlia_emit_binary(l, MLIA_OP_SUB,
                                              mlia_emit_scalar(l, MLIA_TYPE_FP32, rank, 1.5707963267948966),
                                              angle),
                             angle);
    angle = mlia_emit_select(
        l, mlia_emit_binary(l, MLIA_OP_GREATER, zero, x),
        mlia_emit_binary(l, MLIA_OP_SUB, mlia_emit_scalar(l, MLIA_TYPE_FP32, rank, 3.141592653589793), angle),
        angle);
    mlia_lower_set(l, 0,
                   mlia_emit_select(l, mlia_emit_binary(l, MLIA_OP_GREATER, zero, y),
                                    mlia_emit_negate(l, angle), angle));
}
