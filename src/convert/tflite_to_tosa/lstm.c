/* LSTM, UNIDIRECTIONAL_SEQUENCE_LSTM, BIDIRECTIONAL_SEQUENCE_LSTM: operands, and the float arithmetic (also
 * for hybrid models, whose weights are dequantised). Time is unrolled. */
#include "convert/tflite_to_tosa/lstm.h"

/* ---- operands ---- */

/* Where the operands of one direction stand; 0: the operator has none. */
typedef struct layout {
    uint8_t input;
    uint8_t recurrent;
    uint8_t peephole; /* input, forget, output */
    uint8_t bias;
    uint8_t projection;
    uint8_t hidden;
    uint8_t cell;
    uint8_t norm;
} layout;

static const layout unidirectional = {1, 5, 9, 12, 16, 18, 19, 20};
static const layout forward = {1, 5, 9, 12, 16, 35, 36, 0};
static const layout backward = {18, 22, 26, 29, 33, 37, 38, 0};

static lstm take_lstm(lowering *l, const layout *at)
{
    lstm r = {
        .source = mlia_lower_required(l, 0),
        .projection = mlia_lower_input(l, at->projection),
        .projection_bias = mlia_lower_input(l, at->projection + 1u),
        .hidden = mlia_lower_required(l, at->hidden),
        .cell = mlia_lower_required(l, at->cell),
    };
    r.coupled = mlia_lower_input(l, at->input) == NULL;
    r.first_gate = r.coupled ? GATE_FORGET : GATE_INPUT;
    r.gate_count = GATES - r.first_gate;
    for (uint32_t g = r.first_gate; g < GATES; g++) {
        r.input[g] = mlia_lower_required(l, at->input + g);
        r.recurrent[g] = mlia_lower_required(l, at->recurrent + g);
        r.bias[g] = g == GATE_INPUT ? mlia_lower_input(l, at->bias) : mlia_lower_required(l, at->bias + g);
        r.norm[g] = at->norm != 0 ? mlia_lower_input(l, at->norm + g) : NULL;
        if (g != GATE_CELL)
            r.peephole[g] = mlia_lower_input(l, at->peephole + (g == GATE_OUTPUT ? 2u : g));
    }
    if (l->fault == NULL)
        r.units = r.input[GATE_FORGET]->dims[0];
    return r;
}

static void check_lstm(lowering *l, const lstm *r)
{
    for (uint32_t g = r->first_gate; g < GATES && l->fault == NULL; g++)
        if (r->input[g]->rank != 2 || r->recurrent[g]->rank != 2 || r->input[g]->dims[0] != r->units ||
            r->recurrent[g]->dims[0] != r->units)
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "weights of gate %u are not those of %lld units", g,
                             (long long)r->units);
    for (uint32_t g = r->first_gate; g < GATES && l->fault == NULL; g++)
        if ((r->norm[g] == NULL) != (r->norm[GATE_FORGET] == NULL))
            mlia_lower_error(l, MLIA_E_TFLITE_OPERANDS, "layer normalisation of gate %u is missing", g);
}

/* ---- shared by both arithmetics ---- */

sequence mlia_lstm_products(lowering *l, const sequence *s, uint32_t products, int64_t width)
{
    int64_t dims[3] = {s->batch, s->time, width};
    if (s->time_axis == 0) {
        dims[0] = s->time;
        dims[1] = s->batch;
    }
    sequence result = *s;
    result.value = mlia_emit_reshape(l, products, 3, dims);
    return result;
}

uint32_t mlia_lstm_gate(lowering *l, const lstm *r, uint32_t x, uint32_t gate)
{
    return mlia_emit_part(l, x, 1, (int64_t)(gate - r->first_gate) * r->units, r->units);
}

/* ---- float ---- */

/* Constants of the float arithmetic, emitted once. */
typedef struct float_weights {
    uint32_t recurrent;
    uint32_t peephole[GATES];
    uint32_t norm[GATES];
    uint32_t bias[GATES]; /* with layer normalisation: added after it */
    uint32_t projection;
    uint32_t projection_bias;
    uint32_t none; /* a bias of 0 */
} float_weights;

static float_weights emit_weights(lowering *l, lstm *r)
{
    float_weights w = {.none = mlia_emit_scalar(l, MLIA_TYPE_FP32, 1, 0.0)};
    w.recurrent = mlia_stack_weights(l, &r->recurrent[r->first_gate], r->gate_count, true);
    for (uint32_t g = r->first_gate; g < GATES; g++) {
        bool normed = r->norm[g] != NULL;
        w.peephole[g] =
            r->peephole[g] ? mlia_stack_vectors(l, &r->peephole[g], 1, r->units, true) : MLIA_NONE;
        w.norm[g] = normed ? mlia_stack_vectors(l, &r->norm[g], 1, r->units, true) : MLIA_NONE;
        w.bias[g] = normed ? mlia_stack_vectors(l, &r->bias[g], 1, r->units, true) : MLIA_NONE;
    }
    if (r->projection != NULL) {
        w.projection = mlia_stack_weights(l, &r->projection, 1, true);
        w.projection_bias = r->projection_bias
                                ? mlia_stack_vectors(l, &r->projection_bias, 1, r->projection->dims[0], true)
                                : w.none;
    }
    return w;
}

/* v of a gate: plus peephole of the cell, normalised over the units where the layer asks for it. */
static uint32_t gate_sum(lowering *l, const lstm *r, const float_weights *w, uint32_t gate, uint32_t sums,
                         uint32_t cell)
{
    uint32_t v = mlia_lstm_gate(l, r, sums, gate);
    if (r->peephole[gate] != NULL)
        v = mlia_emit_binary(l, MLIA_OP_ADD, v, mlia_emit_mul(l, cell, w->peephole[gate], 0));
    if (r->norm[gate] == NULL || l->fault != NULL)
        return v;
    uint32_t share = mlia_emit_scalar(l, MLIA_TYPE_FP32, 2, 1.0 / (double)r->units);
    uint32_t mean = mlia_emit_mul(l, mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, v, 1), share, 0);
    v = mlia_emit_binary(l, MLIA_OP_SUB, v, mean);
    uint32_t variance =
        mlia_emit_mul(l, mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, mlia_emit_mul(l, v, v, 0), 1), share, 0);
    uint32_t least = mlia_emit_scalar(l, MLIA_TYPE_FP32, 2, 1e-8);
    v = mlia_emit_mul(
        l, v, mlia_emit_unary(l, MLIA_OP_RSQRT, mlia_emit_binary(l, MLIA_OP_ADD, variance, least)), 0);
    return mlia_emit_binary(l, MLIA_OP_ADD, mlia_emit_mul(l, v, w->norm[gate], 0), w->bias[gate]);
}

static uint32_t clipped(lowering *l, uint32_t x, float limit)
{
    return limit > 0.0f ? mlia_emit_clamp(l, x, -(double)limit, (double)limit) : x;
}

/* One step: sums [B, N · gates] of the products with input and output state; new cell and output states. */
static void float_step(lowering *l, const lstm *r, const float_weights *w, uint32_t sums, uint32_t *cell,
                       uint32_t *hidden)
{
    uint32_t f = mlia_emit_unary(l, MLIA_OP_SIGMOID, gate_sum(l, r, w, GATE_FORGET, sums, *cell));
    uint32_t i;
    if (r->coupled)
        i = mlia_emit_binary(l, MLIA_OP_SUB, mlia_emit_scalar(l, MLIA_TYPE_FP32, 2, 1.0), f);
    else
        i = mlia_emit_unary(l, MLIA_OP_SIGMOID, gate_sum(l, r, w, GATE_INPUT, sums, *cell));
    uint32_t g = mlia_emit_activation(l, gate_sum(l, r, w, GATE_CELL, sums, *cell), r->activation, r->source);
    uint32_t c = mlia_emit_binary(l, MLIA_OP_ADD, mlia_emit_mul(l, f, *cell, 0), mlia_emit_mul(l, i, g, 0));
    *cell = clipped(l, c, r->cell_clip);
    uint32_t o = mlia_emit_unary(l, MLIA_OP_SIGMOID, gate_sum(l, r, w, GATE_OUTPUT, sums, *cell));
    *hidden = mlia_emit_mul(l, o, mlia_emit_activation(l, *cell, r->activation, r->source), 0);
    if (r->projection != NULL)
        *hidden = clipped(l, mlia_emit_linear(l, *hidden, w->projection, w->projection_bias, 0),
                          r->projection_clip);
}

uint32_t mlia_lstm_float(lowering *l, lstm *r, const sequence *s, uint32_t rank)
{
    uint32_t *steps = MLIA_NEW_ARRAY(l->arena, uint32_t, (size_t)s->time);
    if (steps == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    float_weights w = emit_weights(l, r);
    int64_t flat[2] = {s->batch * s->time, s->width};
    bool normed = r->norm[GATE_FORGET] != NULL;
    uint32_t bias =
        normed ? w.none : mlia_stack_vectors(l, &r->bias[r->first_gate], r->gate_count, r->units, true);
    uint32_t products =
        mlia_emit_linear(l, mlia_emit_reshape(l, s->value, 2, flat),
                         mlia_stack_weights(l, &r->input[r->first_gate], r->gate_count, true), bias, 0);
    sequence inner = mlia_lstm_products(l, s, products, r->units * r->gate_count);
    uint32_t hidden = mlia_state_read(l, r->hidden);
    uint32_t cell = mlia_state_read(l, r->cell);
    for (int64_t t = 0; t < s->time && l->fault == NULL; t++) {
        uint32_t sums = mlia_emit_binary(l, MLIA_OP_ADD, mlia_sequence_step(l, &inner, t),
                                         mlia_emit_linear(l, hidden, w.recurrent, w.none, 0));
        float_step(l, r, &w, sums, &cell, &hidden);
        steps[t] = hidden;
    }
    mlia_state_write(l, r->hidden, hidden);
    mlia_state_write(l, r->cell, cell);
    return l->fault == NULL ? mlia_sequence_join(l, s, steps, rank) : MLIA_NONE;
}

/* ---- the operators ---- */

static uint32_t run_lstm(lowering *l, lstm *r, const sequence *s, uint32_t rank)
{
    check_lstm(l, r);
    if (l->fault != NULL)
        return MLIA_NONE;
    if (r->source->type == MLIA_TFLITE_FLOAT32)
        return mlia_lstm_float(l, r, s, rank);
    if (r->source->type == MLIA_TFLITE_INT8 && r->cell->type == MLIA_TFLITE_INT16)
        return mlia_lstm_integer(l, r, s, rank);
    mlia_lower_error(l, MLIA_E_TFLITE_OPERATOR,
                     "the form with %.*s input and %.*s cell state is not supported",
                     MLIA_STR_ARG(mlia_tflite_type_name(r->source->type)),
                     MLIA_STR_ARG(mlia_tflite_type_name(r->cell->type)));
    return MLIA_NONE;
}

/* The LSTM with five operands: input, previous output, weights [4N, I + N], bias, previous cell. Gates are
 * input, cell, forget, output. */
static void lower_basic(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    operand *hidden = mlia_lower_required(l, 1);
    operand *weights = mlia_lower_required(l, 2);
    operand *bias = mlia_lower_required(l, 3);
    operand *cell = mlia_lower_required(l, 4);
    if (l->fault == NULL && x->type != MLIA_TFLITE_FLOAT32)
        mlia_lower_error(l, MLIA_E_TFLITE_OPERATOR, "the basic kernel on %.*s is not supported",
                         MLIA_STR_ARG(mlia_tflite_type_name(x->type)));
    if (l->fault == NULL && (weights->rank != 2 || x->rank != 2 || weights->dims[0] % 4 != 0))
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "input and weights must be matrices");
    if (l->fault != NULL)
        return;
    lstm r = {.units = weights->dims[0] / 4};
    uint32_t parts[2] = {mlia_lower_value(l, x), mlia_state_read(l, hidden)};
    uint32_t joined = mlia_emit_concat(l, parts, 2, 1);
    uint32_t v = mlia_emit_linear(l, joined, mlia_stack_weights(l, &weights, 1, true),
                                  mlia_stack_vectors(l, &bias, 1, weights->dims[0], true), 0);
    uint32_t i = mlia_emit_unary(l, MLIA_OP_SIGMOID, mlia_lstm_gate(l, &r, v, 0));
    uint32_t g = mlia_emit_unary(l, MLIA_OP_TANH, mlia_lstm_gate(l, &r, v, 1));
    uint32_t f = mlia_emit_unary(l, MLIA_OP_SIGMOID, mlia_lstm_gate(l, &r, v, 2));
    uint32_t o = mlia_emit_unary(l, MLIA_OP_SIGMOID, mlia_lstm_gate(l, &r, v, 3));
    uint32_t c = mlia_emit_binary(l, MLIA_OP_ADD, mlia_emit_mul(l, f, mlia_state_read(l, cell), 0),
                                  mlia_emit_mul(l, i, g, 0));
    uint32_t h = mlia_emit_mul(l, o, mlia_emit_unary(l, MLIA_OP_TANH, c), 0);
    mlia_state_write(l, hidden, h);
    mlia_state_write(l, cell, c);
    uint32_t results[4] = {h, c, joined, v};
    for (uint32_t k = 0; k < 4; k++)
        mlia_lower_set(l, k, results[k]);
}

void mlia_lower_lstm(lowering *l)
{
    bool timed = l->op->op == MLIA_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_LSTM;
    if (!timed && mlia_lower_option(l, MLIA_TFLITE_LSTMOptions_kernel_type) != 0) {
        lower_basic(l);
        return;
    }
    lstm r = take_lstm(l, &unidirectional);
    if (timed) {
        r.activation =
            mlia_lower_option(l, MLIA_TFLITE_UnidirectionalSequenceLSTMOptions_fused_activation_function);
        r.cell_clip = mlia_lower_option_float(l, MLIA_TFLITE_UnidirectionalSequenceLSTMOptions_cell_clip);
        r.projection_clip =
            mlia_lower_option_float(l, MLIA_TFLITE_UnidirectionalSequenceLSTMOptions_proj_clip);
        if (mlia_lower_option(l, MLIA_TFLITE_UnidirectionalSequenceLSTMOptions_diagonal_recurrent_tensors) !=
            0)
            mlia_lower_error(l, MLIA_E_TFLITE_OPERATOR, "diagonal recurrent weights are not supported");
    } else {
        r.activation = mlia_lower_option(l, MLIA_TFLITE_LSTMOptions_fused_activation_function);
        r.cell_clip = mlia_lower_option_float(l, MLIA_TFLITE_LSTMOptions_cell_clip);
        r.projection_clip = mlia_lower_option_float(l, MLIA_TFLITE_LSTMOptions_proj_clip);
    }
    bool time_major =
        timed && mlia_lower_option(l, MLIA_TFLITE_UnidirectionalSequenceLSTMOptions_time_major) != 0;
    if (l->fault != NULL)
        return;
    sequence s = mlia_sequence_of(l, r.source, time_major, r.gate_count);
    mlia_lower_set(l, 0, run_lstm(l, &r, &s, r.source->rank));
}

void mlia_lower_bidirectional_lstm(lowering *l)
{
    lstm runs[2] = {take_lstm(l, &forward), take_lstm(l, &backward)};
    if (l->fault == NULL && mlia_lower_input(l, 39) != NULL)
        mlia_lower_error(l, MLIA_E_TFLITE_OPERATOR, "an auxiliary input is not supported");
    for (uint32_t i = 0; i < 2; i++) {
        runs[i].activation =
            mlia_lower_option(l, MLIA_TFLITE_BidirectionalSequenceLSTMOptions_fused_activation_function);
        runs[i].cell_clip =
            mlia_lower_option_float(l, MLIA_TFLITE_BidirectionalSequenceLSTMOptions_cell_clip);
        runs[i].projection_clip =
            mlia_lower_option_float(l, MLIA_TFLITE_BidirectionalSequenceLSTMOptions_proj_clip);
    }
    if (l->fault != NULL)
        return;
    bool time_major = mlia_lower_option(l, MLIA_TFLITE_BidirectionalSequenceLSTMOptions_time_major) != 0;
    sequence s = mlia_sequence_of(l, runs[0].source, time_major, 2 * GATES);
    sequence reversed = s;
    reversed.value = mlia_emit_reverse(l, s.value, s.time_axis);
    uint32_t results[2] = {run_lstm(l, &runs[0], &s, 3), run_lstm(l, &runs[1], &reversed, 3)};
    results[1] = mlia_emit_reverse(l, results[1], s.time_axis);
    if (mlia_lower_option(l, MLIA_TFLITE_BidirectionalSequenceLSTMOptions_merge_outputs) != 0) {
        mlia_lower_set(l, 0, mlia_emit_concat(l, results, 2, 2));
        return;
    }
    mlia_lower_set(l, 0, results[0]);
    mlia_lower_set(l, 1, results[1]);
}
