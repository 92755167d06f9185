/* Operators of one operand: activations, logarithms, rounding, sign. Float operands get TOSA
 * operators, INT8 ones a table of 256 entries, INT16 ones an interpolated table of 513. */
#include <math.h>

#include "convert/tflite_to_tosa/rules.h"

/* One builtin: its TOSA operator (0 = none), its function for tables, and whether a table rounds by
 * truncation. */
typedef struct unary_row {
    uint32_t builtin;
    mlia_op op;
    float (*f)(float x, float parameter);
    double (*wide)(double x, double parameter);
} unary_row;

static float f_logistic(float x, float p)
{
    (void)p;
    return 1.0f / (1.0f + expf(-x));
}
static float f_tanh(float x, float p)
{
    (void)p;
    return tanhf(x);
}
static float f_exp(float x, float p)
{
    (void)p;
    return expf(x);
}
/* Of a value that has no logarithm: the smallest output, -128, which the parameter gives in real terms. */
static float f_log(float x, float lowest)
{
    return x > 0.0f ? logf(x) : lowest;
}
static float f_gelu(float x, float approximate)
{
    return approximate != 0.0f ? 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)))
                               : 0.5f * x * erfcf(x * -0.70710678118654752440f);
}
static float f_elu(float x, float p)
{
    (void)p;
    return x < 0.0f ? expm1f(x) : x;
}
static float f_square(float x, float p)
{
    (void)p;
    return x * x;
}
static float f_sin(float x, float p)
{
    (void)p;
    return sinf(x);
}
static float f_cos(float x, float p)
{
    (void)p;
    return cosf(x);
}
static float f_sign(float x, float p)
{
    (void)p;
    return (float)((x > 0.0f) - (x < 0.0f));
}
static float f_floor(float x, float p)
{
    (void)p;
    return floorf(x);
}
static float f_ceil(float x, float p)
{
    (void)p;
    return ceilf(x);
}
static float f_round(float x, float p)
{
    (void)p;
    return nearbyintf(x);
}
static float f_neg(float x, float p)
{
    (void)p;
    return -x;
}
static double wide_gelu(double x, double p)
{
    (void)p;
    return (double)f_gelu((float)x, 0.0f);
}
static double wide_gelu_tanh(double x, double p)
{
    (void)p;
    return (double)f_gelu((float)x, 1.0f);
}
static double wide_exp(double x, double p)
{
    (void)p;
    return (double)expf((float)x);
}

static double wide_log(double x, double lowest)
{
    return x > 0.0 ? (double)logf((float)x) : lowest;
}
static double wide_rsqrt(double x, double highest)
{
    return x > 0.0 ? (double)(1.0f / sqrtf((float)x)) : highest;
}

static const unary_row rows[] = {
    {MLIA_TFLITE_OP_LOGISTIC, MLIA_OP_SIGMOID, f_logistic, NULL},
    {MLIA_TFLITE_OP_TANH, MLIA_OP_TANH, f_tanh, NULL},
    {MLIA_TFLITE_OP_EXP, MLIA_OP_EXP, f_exp, wide_exp},
    {MLIA_TFLITE_OP_LOG, MLIA_OP_LOG, f_log, wide_log},
    {MLIA_TFLITE_OP_RSQRT, MLIA_OP_RSQRT, NULL, wide_rsqrt},
    {MLIA_TFLITE_OP_SIN, MLIA_OP_SIN, f_sin, NULL},
    {MLIA_TFLITE_OP_COS, MLIA_OP_COS, f_cos, NULL},
    {MLIA_TFLITE_OP_FLOOR, MLIA_OP_FLOOR, f_floor, NULL},
    {MLIA_TFLITE_OP_CEIL, MLIA_OP_CEIL, f_ceil, NULL},
    {MLIA_TFLITE_OP_ROUND, MLIA_OP_FOREIGN, f_round, NULL},
    {MLIA_TFLITE_OP_GELU, MLIA_OP_FOREIGN, f_gelu, wide_gelu},
    {MLIA_TFLITE_OP_ELU, MLIA_OP_FOREIGN, f_elu, NULL},
    {MLIA_TFLITE_OP_SQUARE, MLIA_OP_FOREIGN, f_square, NULL},
    {MLIA_TFLITE_OP_SIGN, MLIA_OP_FOREIGN, f_sign, NULL},
    {MLIA_TFLITE_OP_NEG, MLIA_OP_FOREIGN, f_neg, NULL},
};

/* ---- float forms of what TOSA has no operator for ---- */

static uint32_t float_round(lowering *l, uint32_t x)
{
    /* A CAST to an integer rounds half to even; above 2^23 every float is an integer already. */
    uint32_t rounded = mlia_emit_cast(l, mlia_emit_cast(l, x, MLIA_TYPE_INT32), VALUE_TYPE(l, x));
    uint32_t small = mlia_emit_binary(l, MLIA_OP_GREATER, mlia_emit_number(l, x, 8388608.0),
                                      mlia_emit_unary(l, MLIA_OP_ABS, x));
    return mlia_emit_select(l, small, rounded, x);
}

static uint32_t float_gelu(lowering *l, uint32_t x)
{
    bool approximate = mlia_lower_option(l, MLIA_TFLITE_GeluOptions_approximate) != 0;
    uint32_t inner;
    if (approximate) {
        /* sqrt(2/π) · (x + 0.044715 · x³), x taken out */
        uint32_t bent =
            mlia_emit_mul(l, mlia_emit_mul(l, x, x, 0), mlia_emit_number(l, x, 0.7978845608 * 0.044715), 0);
        uint32_t slope = mlia_emit_binary(l, MLIA_OP_ADD, bent, mlia_emit_number(l, x, 0.7978845608));
        inner = mlia_emit_unary(l, MLIA_OP_TANH, mlia_emit_mul(l, slope, x, 0));
    } else {
        inner = mlia_emit_unary(l, MLIA_OP_ERF,
                                mlia_emit_mul(l, x, mlia_emit_number(l, x, 0.70710678118654752440), 0));
    }
    uint32_t half = mlia_emit_mul(l, x, mlia_emit_number(l, x, 0.5), 0);
    return mlia_emit_mul(l, half, mlia_emit_binary(l, MLIA_OP_ADD, inner, mlia_emit_number(l, x, 1.0)), 0);
}

/* Zeros and NaN stay as they are. */
static uint32_t float_sign(lowering *l, uint32_t x)
{
    uint32_t zero = mlia_emit_number(l, x, 0.0);
    uint32_t negative =
        mlia_emit_select(l, mlia_emit_binary(l, MLIA_OP_GREATER, zero, x), mlia_emit_number(l, x, -1.0), x);
    return mlia_emit_select(l, mlia_emit_binary(l, MLIA_OP_GREATER, x, zero), mlia_emit_number(l, x, 1.0),
                            negative);
}

static uint32_t float_elu(lowering *l, uint32_t x)
{
    uint32_t curve =
        mlia_emit_binary(l, MLIA_OP_SUB, mlia_emit_unary(l, MLIA_OP_EXP, x), mlia_emit_number(l, x, 1.0));
    return mlia_emit_select(l, mlia_emit_binary(l, MLIA_OP_GREATER_EQUAL, x, mlia_emit_number(l, x, 0.0)), x,
                            curve);
}

static uint32_t float_form(lowering *l, const unary_row *row, uint32_t x)
{
    if (row->op != MLIA_OP_FOREIGN)
        return mlia_emit_unary(l, row->op, x);
    switch (row->builtin) {
    case MLIA_TFLITE_OP_ROUND:
        return float_round(l, x);
    case MLIA_TFLITE_OP_GELU:
        return float_gelu(l, x);
    case MLIA_TFLITE_OP_ELU:
        return float_elu(l, x);
    case MLIA_TFLITE_OP_SIGN:
        return float_sign(l, x);
    case MLIA_TFLITE_OP_NEG:
        return mlia_emit_negate(l, x);
    default:
        return mlia_emit_mul(l, x, x, 0);
    }
}

/* ---- tables ---- */

/* INT16 table, and the RESCALE that interpolates: the table gives the value × 128. */
static uint32_t table16(lowering *l, uint32_t x, int64_t entries[513])
{
    /* TOSA wants neighbours to be less than 2^15 apart. The kernel's own differences wrap where they are not.
     */
    for (int i = 511; i >= 0; i--)
        entries[i] = entries[i] < entries[i + 1] - 32767   ? entries[i + 1] - 32767
                     : entries[i] > entries[i + 1] + 32768 ? entries[i + 1] + 32768
                                                           : entries[i];
    return mlia_emit_rescale_raw(l, mlia_emit_table(l, x, entries), MLIA_TYPE_INT16, 1 << 30, 37, 0, 0,
                                 ROUND_EXACT);
}

/* LOGISTIC and TANH use the plain function at 513 points over the range where it still changes. */
static uint32_t squashing16(lowering *l, operand *in, bool is_tanh)
{
    uint32_t x = mlia_lower_value(l, in);
    double scale = mlia_lower_scale(l, in);
    double reach = is_tanh ? 16.0 / 3.0 : 32.0 / 3.0; /* the kernel's own points are 1/48 and 1/24 apart */
    if (scale * 32768.0 > reach) {
        x = mlia_emit_rescale1(l, x, MLIA_TYPE_INT16, scale * 32768.0 / reach, 0, 0, ROUND_SINGLE);
        scale = reach / 32768.0;
    }
    int64_t entries[513];
    for (int i = 0; i < 513; i++) {
        double at = scale * 128.0 * (i - 256);
        int64_t value = mlia_lower_round((is_tanh ? tanh(at) : 1.0 / (1.0 + exp(-at))) * 32768.0);
        entries[i] = value > 32767 ? 32767 : value < -32768 ? -32768 : value;
    }
    return table16(l, x, entries);
}

static uint32_t table_form(lowering *l, const unary_row *row, operand *in, const operand *out)
{
    bool approximate =
        row->builtin == MLIA_TFLITE_OP_GELU && mlia_lower_option(l, MLIA_TFLITE_GeluOptions_approximate) != 0;
    double scale = mlia_lower_scale(l, out);
    if (in->type == MLIA_TFLITE_INT16) {
        if (row->builtin == MLIA_TFLITE_OP_LOGISTIC || row->builtin == MLIA_TFLITE_OP_TANH)
            return squashing16(l, in, row->builtin == MLIA_TFLITE_OP_TANH);
        if (row->wide == NULL) {
            mlia_lower_error(l, MLIA_E_TFLITE_OPERATOR, "there is no INT16 form of it");
            return MLIA_NONE;
        }
        int64_t entries[513];
        float beyond = (float)scale * (row->builtin == MLIA_TFLITE_OP_LOG ? -32768.0f : 32767.0f);
        mlia_lower_table16(mlia_lower_scale(l, in), mlia_lower_zero(in), scale, mlia_lower_zero(out),
                           approximate ? wide_gelu_tanh : row->wide, (double)beyond, false, entries);
        return table16(l, mlia_lower_value(l, in), entries);
    }
    int64_t entries[256];
    float parameter = approximate ? 1.0f : 0.0f;
    if (row->builtin == MLIA_TFLITE_OP_LOG)
        parameter = mlia_lower_scale32(l, out) * (float)(-128 - mlia_lower_zero(out));
    mlia_lower_table8(l, in, out, row->f, parameter, entries);
    return mlia_emit_table(l, mlia_lower_value(l, in), entries);
}

void mlia_lower_unary(lowering *l)
{
    operand *in;
    operand *out;
    if (!mlia_lower_take(l, &in, &out))
        return;
    const unary_row *row = rows;
    while (row->builtin != l->op->op)
        row++;
    if (mlia_lower_is_quantised(in))
        mlia_lower_set(l, 0, table_form(l, row, in, out));
    else if (mlia_lower_is_float(in) || row->builtin == MLIA_TFLITE_OP_NEG ||
             row->builtin == MLIA_TFLITE_OP_SQUARE)
        mlia_lower_set(l, 0, float_form(l, row, mlia_lower_value(l, in)));
    else if (row->builtin == MLIA_TFLITE_OP_SIGN)
        mlia_lower_set(l, 0, float_sign(l, mlia_lower_value(l, in)));
    else
        mlia_lower_error(l, MLIA_E_TFLITE_TYPE, "on %.*s", MLIA_STR_ARG(mlia_tflite_type_name(in->type)));
}

/* NEG of equal quantisation is the operator with its zero points; the interpreter ignores them and negates
 * raw bytes. */
void mlia_lower_neg(lowering *l)
{
    operand *in;
    operand *out;
    if (!mlia_lower_take(l, &in, &out))
        return;
    bool same = mlia_lower_is_quantised(in) && in->type != MLIA_TFLITE_INT16 &&
                mlia_lower_scale(l, in) == mlia_lower_scale(l, out) &&
                mlia_lower_zero(in) == mlia_lower_zero(out);
    if (!same) {
        mlia_lower_unary(l);
        return;
    }
    uint32_t zero = mlia_emit_int(l, MLIA_TYPE_INT8, mlia_lower_zero(in));
    uint32_t inputs[3] = {mlia_lower_value(l, in), zero, zero};
    const mlia_graph_value *info = mlia_lower_info(l, inputs[0]);
    mlia_lower_set(l, 0, mlia_emit(l, MLIA_OP_NEGATE, inputs, 3, NULL, info->type, info->rank, info->dims));
}
