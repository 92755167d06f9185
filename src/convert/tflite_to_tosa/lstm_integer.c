/* The LSTM on bytes: INT8 input, weights and output state, INT16 cell state (8x8→16). Follows the
 * interpreter's integer kernel step by step: gates in 1/4096, cell state in a power of two. Layer
 * normalisation in integers and the form with twelve intermediates are refused. */
#include <math.h>

#include "convert/tflite_to_tosa/lstm.h"

enum {
    GATE_BITS = 12 /* gate sums are multiples of 2^-12 */,
    MAX_CELL_EXPONENT = -9,
    SCALE_LIMIT = 16 << 20
};

/* What stays the same over all steps. */
typedef struct integer_lstm {
    double *recurrent_scales; /* one per column of the stacked weights */
    uint32_t recurrent;
    uint32_t projection;
    uint32_t projection_bias;
    uint32_t none;     /* a bias of 0 */
    int cell_exponent; /* the cell state is a multiple of 2^cell_exponent */
    float hidden_scale;
    int32_t hidden_zero;
} integer_lstm;

static uint32_t scalar(lowering *l, double value)
{
    return mlia_emit_scalar(l, MLIA_TYPE_INT32, 2, value);
}

static uint32_t to_int16(lowering *l, uint32_t x)
{
    return mlia_emit_retype(l, x, MLIA_TYPE_INT16, 0, 0);
}

/* Factors from products of each gate to gate sums: N equal ones per gate. */
static double *gate_scales(lowering *l, const lstm *r, operand *const *weights, float source_scale)
{
    uint32_t width = (uint32_t)r->units;
    double *factors = MLIA_NEW_ARRAY(l->arena, double, (size_t)width * r->gate_count);
    if (factors == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return NULL;
    }
    for (uint32_t g = 0; g < r->gate_count; g++) {
        float product = mlia_lower_scale32(l, weights[r->first_gate + g]) * source_scale;
        for (uint32_t i = 0; i < width; i++)
            factors[g * width + i] = (double)(float)((double)product * (1 << GATE_BITS));
    }
    return factors;
}

/* logistic or tanh of an INT16 value in steps of 2^exponent, as INT32 in steps of 2^-15. */
static uint32_t function_table(lowering *l, uint32_t x, bool is_tanh, int exponent)
{
    int64_t entries[513];
    for (int i = 0; i < 513; i++) {
        double at = ldexp(128.0 * (i - 256), exponent);
        double y = is_tanh ? tanh(at) : 1.0 / (1.0 + exp(-at));
        int64_t entry = mlia_lower_round(y * 32768.0);
        entries[i] = entry > INT16_MAX ? INT16_MAX : entry < INT16_MIN ? INT16_MIN : entry;
    }
    return mlia_emit_shift_right(l, mlia_emit_table(l, x, entries), scalar(l, 7.0), true);
}

/* Sum of a gate as INT16: what input and output state give, and the peephole of the cell. */
static uint32_t gate_sum(lowering *l, const lstm *r, const integer_lstm *k, uint32_t gate, uint32_t sums,
                         uint32_t cell)
{
    uint32_t v = mlia_lstm_gate(l, r, sums, gate);
    if (r->peephole[gate] != NULL) {
        double factor = ldexp((double)mlia_lower_scale32(l, r->peephole[gate]), k->cell_exponent + GATE_BITS);
        uint32_t product = mlia_emit_mul(l, cell, mlia_lower_value(l, r->peephole[gate]), 0);
        v = mlia_emit_cast(l, to_int16(l, v), MLIA_TYPE_INT32);
        v = mlia_emit_binary(
            l, MLIA_OP_ADD, v,
            mlia_emit_rescale1(l, product, MLIA_TYPE_INT32, (double)(float)factor, 0, 0, ROUND_DOUBLE));
    }
    return to_int16(l, v);
}

static uint32_t new_cell(lowering *l, const lstm *r, const integer_lstm *k, uint32_t sums, uint32_t cell)
{
    uint32_t f = function_table(l, gate_sum(l, r, k, GATE_FORGET, sums, cell), false, -GATE_BITS);
    uint32_t i = r->coupled ? mlia_emit_binary(l, MLIA_OP_SUB, scalar(l, 32767.0), f)
                            : function_table(l, gate_sum(l, r, k, GATE_INPUT, sums, cell), false, -GATE_BITS);
    uint32_t g = function_table(l, gate_sum(l, r, k, GATE_CELL, sums, cell), true, -GATE_BITS);
    uint32_t kept = mlia_emit_mul(l, f, mlia_emit_cast(l, cell, MLIA_TYPE_INT32), 0);
    uint32_t added = mlia_emit_mul(l, i, g, 0);
    uint32_t sum =
        mlia_emit_binary(l, MLIA_OP_ADD, mlia_emit_shift_right(l, kept, scalar(l, 15.0), true),
                         mlia_emit_shift_right(l, added, scalar(l, 30.0 + k->cell_exponent), true));
    uint32_t c = to_int16(l, sum);
    if (r->cell_clip > 0.0f) {
        double limit = fmin(trunc(ldexp((double)r->cell_clip, -k->cell_exponent)), 32767.0);
        c = mlia_emit_clamp(l, c, -limit, limit);
    }
    return c;
}

/* Output state [B, P] as INT8. */
static uint32_t new_hidden(lowering *l, const lstm *r, const integer_lstm *k, uint32_t sums, uint32_t cell)
{
    uint32_t o = function_table(l, gate_sum(l, r, k, GATE_OUTPUT, sums, cell), false, -GATE_BITS);
    uint32_t t = function_table(l, cell, true, k->cell_exponent);
    double factor = (double)(float)(ldexp(1.0, -30) / (double)k->hidden_scale);
    /* Before a projection the kernel takes the zero point off instead of adding it, which shows where bytes
     * saturate. */
    int32_t zero = r->projection != NULL ? -k->hidden_zero : k->hidden_zero;
    uint32_t h =
        mlia_emit_rescale1(l, mlia_emit_mul(l, o, t, 0), MLIA_TYPE_INT8, factor, 0, zero, ROUND_DOUBLE);
    if (r->projection == NULL)
        return h;
    float product = mlia_lower_scale32(l, r->projection) * k->hidden_scale;
    float state_scale = mlia_lower_scale32(l, r->hidden);
    h = mlia_emit_linear(l, h, k->projection, k->projection_bias, zero);
    h = mlia_emit_rescale1(l, h, MLIA_TYPE_INT8, (double)(product / state_scale), 0,
                           mlia_lower_zero(r->hidden), ROUND_DOUBLE);
    if (r->projection_clip > 0.0f) {
        double limit = fmin(trunc((double)(r->projection_clip / state_scale)), 127.0);
        h = mlia_emit_clamp(l, h, -limit, limit);
    }
    return h;
}

/* The quantisation of o·tanh(c): the fifth intermediate tensor. */
static void take_hidden_quantisation(lowering *l, integer_lstm *k)
{
    const mlia_tflite_indexes *intermediates = &l->op->intermediates;
    if (intermediates->count != 5 || intermediates->values[4] < 0) {
        mlia_lower_error(l, MLIA_E_TFLITE_OPERATOR,
                         "%u intermediate tensors; only the form with 5 is supported", intermediates->count);
        return;
    }
    const operand *x = &l->frame->tensors[intermediates->values[4]];
    k->hidden_scale = mlia_lower_scale32(l, x);
    k->hidden_zero = mlia_lower_zero(x);
}

static bool prepare(lowering *l, lstm *r, integer_lstm *k)
{
    if (r->norm[GATE_FORGET] != NULL) {
        mlia_lower_error(l, MLIA_E_TFLITE_OPERATOR, "layer normalisation in integers is not supported");
        return false;
    }
    int exponent;
    double fraction = frexp(mlia_lower_scale(l, r->cell), &exponent);
    k->cell_exponent = fraction * fraction >= 0.5 ? exponent : exponent - 1; /* nearest power of two */
    take_hidden_quantisation(l, k);
    if (l->fault == NULL && (k->cell_exponent > MAX_CELL_EXPONENT || k->cell_exponent < -30))
        mlia_lower_error(l, MLIA_E_TFLITE_QUANTIZATION,
                         "the scale %g of the cell state is no small power of two",
                         mlia_lower_scale(l, r->cell));
    k->none = mlia_emit_int(l, MLIA_TYPE_INT32, 0);
    k->recurrent = mlia_stack_weights(l, &r->recurrent[r->first_gate], r->gate_count, false);
    if (l->fault == NULL)
        k->recurrent_scales = gate_scales(l, r, r->recurrent, mlia_lower_scale32(l, r->hidden));
    if (r->projection != NULL) {
        k->projection = mlia_stack_weights(l, &r->projection, 1, false);
        k->projection_bias =
            r->projection_bias ? mlia_stack_vectors(l, &r->projection_bias, 1, r->projection->dims[0], false)
                               : k->none;
    }
    return l->fault == NULL;
}

uint32_t mlia_lstm_integer(lowering *l, lstm *r, const sequence *s, uint32_t rank)
{
    integer_lstm k = {0};
    uint32_t *steps = MLIA_NEW_ARRAY(l->arena, uint32_t, (size_t)s->time);
    if (steps == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    if (!prepare(l, r, &k))
        return MLIA_NONE;
    if (r->units * r->gate_count * s->time > SCALE_LIMIT) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "%lld units over %lld steps", (long long)r->units,
                         (long long)s->time);
        return MLIA_NONE;
    }
    uint32_t width = (uint32_t)r->units * r->gate_count;
    int64_t flat[2] = {s->batch * s->time, s->width};
    uint32_t products =
        mlia_emit_linear(l, mlia_emit_reshape(l, s->value, 2, flat),
                         mlia_stack_weights(l, &r->input[r->first_gate], r->gate_count, false),
                         mlia_stack_vectors(l, &r->bias[r->first_gate], r->gate_count, r->units, false),
                         mlia_lower_zero(r->source));
    double *scales = gate_scales(l, r, r->input, mlia_lower_scale32(l, r->source));
    if (l->fault != NULL)
        return MLIA_NONE;
    products = mlia_emit_rescale(l, products, MLIA_TYPE_INT16, scales, width, 0, 0, ROUND_DOUBLE);
    sequence inner = mlia_lstm_products(l, s, products, width);
    uint32_t hidden = mlia_state_read(l, r->hidden);
    uint32_t cell = mlia_state_read(l, r->cell);
    for (int64_t t = 0; t < s->time && l->fault == NULL; t++) {
        uint32_t recurrent = mlia_emit_linear(l, hidden, k.recurrent, k.none, mlia_lower_zero(r->hidden));
        recurrent =
            mlia_emit_rescale(l, recurrent, MLIA_TYPE_INT32, k.recurrent_scales, width, 0, 0, ROUND_DOUBLE);
        uint32_t own = mlia_emit_cast(l, mlia_sequence_step(l, &inner, t), MLIA_TYPE_INT32);
        uint32_t sums = mlia_emit_binary(l, MLIA_OP_ADD, own, recurrent);
        cell = new_cell(l, r, &k, sums, cell);
        hidden = new_hidden(l, r, &k, sums, cell);
        steps[t] = hidden;
    }
    mlia_state_write(l, r->hidden, hidden);
    mlia_state_write(l, r->cell, cell);
    return l->fault == NULL ? mlia_sequence_join(l, s, steps, rank) : MLIA_NONE;
}
