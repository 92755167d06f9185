/* RNN, UNIDIRECTIONAL_SEQUENCE_RNN, BIDIRECTIONAL_SEQUENCE_RNN, SVDF, and what the LSTMs share with them. */
#include "convert/tflite_to_tosa/recurrent.h"

/* ---- time ---- */

sequence mlia_sequence_of(lowering *l, operand *x, bool time_major, uint32_t gates)
{
    sequence s = {.value = MLIA_NONE, .time_axis = time_major ? 0 : 1, .time = 1};
    if (l->fault != NULL)
        return s;
    if (x->rank != 2 && x->rank != 3) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "the input must have rank 2 or 3, not %u", x->rank);
        return s;
    }
    bool timed = x->rank == 3;
    s.batch = timed ? x->dims[1 - s.time_axis] : x->dims[0];
    s.time = timed ? x->dims[s.time_axis] : 1;
    s.width = x->dims[x->rank - 1];
    if (s.time > UNROLL_LIMIT / gates) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "%lld steps, at most %u are unrolled", (long long)s.time,
                         UNROLL_LIMIT / gates);
        return s;
    }
    int64_t dims[3] = {s.batch, s.time, s.width};
    if (time_major) {
        dims[0] = s.time;
        dims[1] = s.batch;
    }
    s.value = mlia_emit_reshape(l, mlia_lower_value(l, x), 3, dims);
    return s;
}

uint32_t mlia_sequence_step(lowering *l, const sequence *s, int64_t t)
{
    if (l->fault != NULL || s->value == MLIA_NONE)
        return MLIA_NONE;
    int64_t dims[2] = {s->batch, VALUE_DIMS(l, s->value)[2]};
    return mlia_emit_reshape(l, mlia_emit_part(l, s->value, s->time_axis, t, 1), 2, dims);
}

uint32_t mlia_sequence_join(lowering *l, const sequence *like, const uint32_t *steps, uint32_t rank)
{
    uint32_t *parts = MLIA_NEW_ARRAY(l->arena, uint32_t, (size_t)like->time);
    if (parts == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    if (l->fault != NULL)
        return MLIA_NONE;
    if (rank == 2)
        return steps[0];
    for (int64_t t = 0; t < like->time && l->fault == NULL; t++) {
        int64_t dims[3] = {like->batch, 1, VALUE_DIMS(l, steps[t])[1]};
        if (like->time_axis == 0) {
            dims[0] = 1;
            dims[1] = like->batch;
        }
        parts[t] = mlia_emit_reshape(l, steps[t], 3, dims);
    }
    return mlia_emit_concat(l, parts, (uint32_t)like->time, like->time_axis);
}

/* ---- weights ---- */

/* Element of a weight as a number, dequantised. */
static float real_at(const operand *x, uint64_t i, uint64_t channel)
{
    const mlia_tflite_quantization *q = &x->tensor->quantization;
    if (mlia_lower_is_float(x) || q->scale_count == 0)
        return (float)mlia_lower_number_at(x, i);
    uint32_t c = q->scale_count > 1 && channel < q->scale_count ? (uint32_t)channel : 0;
    return (float)(mlia_lower_integer_at(x, i) - q->zero_points[c]) * q->scales[c];
}

static bool are_constant(lowering *l, operand *const *weights, uint32_t count)
{
    for (uint32_t g = 0; g < count && l->fault == NULL; g++)
        if (weights[g] != NULL && !weights[g]->is_constant)
            mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT, "weights '%.*s' are no constant",
                             MLIA_STR_ARG(weights[g]->tensor->name));
    return l->fault == NULL;
}

static bool are_matrices(lowering *l, operand *const *weights, uint32_t count)
{
    for (uint32_t g = 0; g < count && l->fault == NULL; g++)
        if (weights[g] == NULL)
            mlia_lower_error(l, MLIA_E_TFLITE_OPERANDS, "weights of gate %u are missing", g);
        else if (weights[g]->rank != 2 || weights[g]->dims[1] != weights[0]->dims[1])
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "weights of gate %u do not fit those of gate 0", g);
    return l->fault == NULL;
}

uint32_t mlia_stack_weights(lowering *l, operand *const *weights, uint32_t count, bool to_float)
{
    if (!are_matrices(l, weights, count) || !are_constant(l, weights, count))
        return MLIA_NONE;
    int64_t dims[4] = {0, 1, 1, weights[0]->dims[1]};
    uint64_t total = 0;
    for (uint32_t g = 0; g < count; g++) {
        dims[0] += weights[g]->dims[0];
        total += weights[g]->elements;
    }
    float *reals = to_float ? MLIA_NEW_ARRAY(l->arena, float, (size_t)total) : NULL;
    uint8_t *bytes = to_float ? NULL : MLIA_NEW_ARRAY(l->arena, uint8_t, (size_t)total);
    if (reals == NULL && bytes == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    uint64_t to = 0;
    for (uint32_t g = 0; g < count; g++)
        for (uint64_t i = 0; i < weights[g]->elements; i++, to++)
            if (to_float)
                reals[to] = real_at(weights[g], i, i / (uint64_t)dims[3]);
            else
                bytes[to] = (uint8_t)mlia_lower_integer_at(weights[g], i);
    return to_float ? mlia_emit_floats(l, 4, dims, reals)
                    : mlia_emit_const(l, MLIA_TYPE_INT8, 4, dims, (mlia_bytes){bytes, (size_t)total});
}

uint32_t mlia_stack_vectors(lowering *l, operand *const *vectors, uint32_t count, int64_t width,
                            bool to_float)
{
    if (l->fault != NULL || !are_constant(l, vectors, count))
        return MLIA_NONE;
    int64_t dims[1] = {width * count};
    float *reals = MLIA_NEW_ARRAY(l->arena, float, (size_t)dims[0]);
    int64_t *integers = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)dims[0]);
    if (reals == NULL || integers == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (uint32_t g = 0; g < count; g++) {
        if (vectors[g] != NULL && vectors[g]->elements != (uint64_t)width) {
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "'%.*s' has %llu elements, not %lld",
                             MLIA_STR_ARG(vectors[g]->tensor->name), (unsigned long long)vectors[g]->elements,
                             (long long)width);
            return MLIA_NONE;
        }
        for (uint64_t i = 0; vectors[g] != NULL && i < (uint64_t)width; i++) {
            reals[g * (uint64_t)width + i] = real_at(vectors[g], i, i);
            integers[g * (uint64_t)width + i] = mlia_lower_integer_at(vectors[g], i);
        }
    }
    return to_float ? mlia_emit_floats(l, 1, dims, reals)
                    : mlia_emit_ints(l, MLIA_TYPE_INT32, (uint32_t)dims[0], integers);
}

uint32_t mlia_emit_linear(lowering *l, uint32_t x, uint32_t filter, uint32_t bias, int32_t zero)
{
    if (l->fault != NULL || x == MLIA_NONE || filter == MLIA_NONE)
        return MLIA_NONE;
    bool is_float = mlia_type_is_float(VALUE_TYPE(l, x));
    int64_t rows = VALUE_DIMS(l, x)[0];
    int64_t columns = VALUE_DIMS(l, filter)[0];
    int64_t image[4] = {rows, 1, 1, VALUE_DIMS(l, x)[1]};
    int64_t dims[4] = {rows, 1, 1, columns};
    if (VALUE_DIMS(l, filter)[3] != image[3]) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "weights for %lld numbers on %lld",
                         (long long)VALUE_DIMS(l, filter)[3], (long long)image[3]);
        return MLIA_NONE;
    }
    static const int64_t ones[2] = {1, 1};
    static const int64_t no_pad[4] = {0, 0, 0, 0};
    uint32_t type = is_float ? VALUE_TYPE(l, x) : (uint32_t)MLIA_TYPE_INT32;
    uint32_t inputs[5] = {
        mlia_emit_reshape(l, x, 4, image),
        filter,
        bias,
        is_float ? mlia_emit_scalar(l, type, 1, 0.0) : mlia_emit_int(l, VALUE_TYPE(l, x), zero),
        is_float ? mlia_emit_scalar(l, type, 1, 0.0) : mlia_emit_int(l, VALUE_TYPE(l, filter), 0),
    };
    mlia_attributes attributes = mlia_attributes_default();
    attributes.stride = mlia_lower_list(l, 2, ones);
    attributes.dilation = mlia_lower_list(l, 2, ones);
    attributes.pad = mlia_lower_list(l, 4, no_pad);
    attributes.acc_type = type;
    uint32_t y = mlia_emit(l, MLIA_OP_CONV2D, inputs, 5, &attributes, type, 4, dims);
    int64_t flat[2] = {rows, columns};
    return mlia_emit_reshape(l, y, 2, flat);
}

/* ---- RNN ---- */

/* Operands of one direction: weights, recurrent weights, bias, state. */
typedef struct rnn {
    operand *weights;
    operand *recurrent;
    operand *bias;
    operand *state;
    int32_t activation;
} rnn;

static rnn rnn_operands(lowering *l, uint32_t first, int32_t activation)
{
    return (rnn){mlia_lower_required(l, first), mlia_lower_required(l, first + 1),
                 mlia_lower_required(l, first + 2), mlia_lower_required(l, first + 3), activation};
}

/* h = A(W x + R h + b) over all steps; the products with x are one convolution. */
static uint32_t run_rnn(lowering *l, const rnn *r, const sequence *s, uint32_t rank)
{
    if (l->fault != NULL)
        return MLIA_NONE;
    int64_t units = r->weights->dims[0];
    uint32_t *steps = MLIA_NEW_ARRAY(l->arena, uint32_t, (size_t)s->time);
    if (steps == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    int64_t flat[2] = {s->batch * s->time, s->width};
    uint32_t products = mlia_emit_linear(l, mlia_emit_reshape(l, s->value, 2, flat),
                                         mlia_stack_weights(l, &r->weights, 1, true),
                                         mlia_stack_vectors(l, &r->bias, 1, units, true), 0);
    int64_t dims[3] = {s->batch, s->time, units};
    if (s->time_axis == 0) {
        dims[0] = s->time;
        dims[1] = s->batch;
    }
    sequence inner = *s;
    inner.value = mlia_emit_reshape(l, products, 3, dims);
    uint32_t recurrent = mlia_stack_weights(l, &r->recurrent, 1, true);
    uint32_t none = mlia_emit_scalar(l, MLIA_TYPE_FP32, 1, 0.0);
    uint32_t h = mlia_state_read(l, r->state);
    for (int64_t t = 0; t < s->time && l->fault == NULL; t++) {
        uint32_t sum = mlia_emit_binary(l, MLIA_OP_ADD, mlia_sequence_step(l, &inner, t),
                                        mlia_emit_linear(l, h, recurrent, none, 0));
        h = steps[t] = mlia_emit_activation(l, sum, r->activation, r->state);
    }
    mlia_state_write(l, r->state, h);
    return mlia_sequence_join(l, s, steps, rank);
}

static bool is_float_input(lowering *l, const operand *x)
{
    if (l->fault == NULL && x->type != MLIA_TFLITE_FLOAT32)
        mlia_lower_error(l, MLIA_E_TFLITE_TYPE, "on %.*s", MLIA_STR_ARG(mlia_tflite_type_name(x->type)));
    return l->fault == NULL;
}

void mlia_lower_rnn(lowering *l)
{
    bool timed = l->op->op == MLIA_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_RNN;
    bool time_major = timed && mlia_lower_option(l, MLIA_TFLITE_SequenceRNNOptions_time_major) != 0;
    int32_t activation =
        mlia_lower_option(l, timed ? (uint32_t)MLIA_TFLITE_SequenceRNNOptions_fused_activation_function
                                   : (uint32_t)MLIA_TFLITE_RNNOptions_fused_activation_function);
    operand *x = mlia_lower_required(l, 0);
    rnn r = rnn_operands(l, 1, activation);
    if (l->fault != NULL || !is_float_input(l, x))
        return;
    sequence s = mlia_sequence_of(l, x, time_major, 1);
    mlia_lower_set(l, 0, run_rnn(l, &r, &s, x->rank));
}

void mlia_lower_bidirectional_rnn(lowering *l)
{
    bool time_major = mlia_lower_option(l, MLIA_TFLITE_BidirectionalSequenceRNNOptions_time_major) != 0;
    int32_t activation =
        mlia_lower_option(l, MLIA_TFLITE_BidirectionalSequenceRNNOptions_fused_activation_function);
    operand *x = mlia_lower_required(l, 0);
    rnn forward = rnn_operands(l, 1, activation);
    rnn backward = rnn_operands(l, 5, activation);
    if (l->fault == NULL && mlia_lower_input(l, 9) != NULL)
        mlia_lower_error(l, MLIA_E_TFLITE_OPERATOR, "an auxiliary input is not supported");
    if (l->fault != NULL || !is_float_input(l, x))
        return;
    sequence s = mlia_sequence_of(l, x, time_major, 2);
    sequence reversed = s;
    reversed.value = mlia_emit_reverse(l, s.value, s.time_axis);
    uint32_t results[2] = {run_rnn(l, &forward, &s, 3), run_rnn(l, &backward, &reversed, 3)};
    results[1] = l->fault == NULL ? mlia_emit_reverse(l, results[1], s.time_axis) : MLIA_NONE;
    if (mlia_lower_option(l, MLIA_TFLITE_BidirectionalSequenceRNNOptions_merge_outputs) != 0) {
        mlia_lower_set(l, 0, mlia_emit_concat(l, results, 2, 2));
        return;
    }
    mlia_lower_set(l, 0, results[0]);
    mlia_lower_set(l, 1, results[1]);
}

/* ---- SVDF ---- */

typedef struct svdf {
    operand *input;
    operand *features; /* [F, I] */
    operand *times;    /* [F, M] */
    operand *bias;     /* [U], may be absent */
    operand *state;    /* [B, M·F] */
    operand *output;
    int64_t rank;
} svdf;

static bool take_svdf(lowering *l, svdf *s)
{
    s->input = mlia_lower_required(l, 0);
    s->features = mlia_lower_required(l, 1);
    s->times = mlia_lower_required(l, 2);
    s->bias = mlia_lower_input(l, 3);
    s->state = mlia_lower_required(l, 4);
    s->output = mlia_lower_output(l, 0);
    s->rank = mlia_lower_option(l, MLIA_TFLITE_SVDFOptions_rank);
    if (l->fault != NULL || s->output == NULL)
        return false;
    if (s->input->rank != 2 || s->features->rank != 2 || s->times->rank != 2 || s->rank < 1 ||
        s->features->dims[0] != s->times->dims[0] || s->features->dims[0] % s->rank != 0)
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "rank %lld does not fit the weights", (long long)s->rank);
    return l->fault == NULL;
}

/* The new state [B, F, M]: the oldest column goes, `newest` [B, F] comes. */
static uint32_t shift_in(lowering *l, const svdf *s, uint32_t newest)
{
    int64_t batch = s->input->dims[0];
    int64_t filters = s->features->dims[0];
    int64_t memory = s->times->dims[1];
    int64_t cube[3] = {batch, filters, memory};
    int64_t column[3] = {batch, filters, 1};
    int64_t flat[2] = {batch, filters * memory};
    uint32_t old = mlia_emit_reshape(l, mlia_state_read(l, s->state), 3, cube);
    uint32_t parts[2] = {MLIA_NONE, mlia_emit_reshape(l, newest, 3, column)};
    uint32_t state = parts[1];
    if (memory > 1) {
        parts[0] = mlia_emit_part(l, old, 2, 1, memory - 1);
        state = mlia_emit_concat(l, parts, 2, 2);
    }
    mlia_state_write(l, s->state, mlia_emit_reshape(l, state, 2, flat));
    return state;
}

/* Sum over memory, then over the filters of a unit, plus bias: [B, U]. */
static uint32_t svdf_sum(lowering *l, const svdf *s, uint32_t state, uint32_t times, uint32_t bias)
{
    int64_t batch = s->input->dims[0];
    int64_t units = s->features->dims[0] / s->rank;
    int64_t grouped[3] = {batch, units, s->rank};
    int64_t dims[2] = {batch, units};
    uint32_t sum = mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, mlia_emit_mul(l, state, times, 0), 2);
    sum = mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, mlia_emit_reshape(l, sum, 3, grouped), 2);
    return mlia_emit_binary(l, MLIA_OP_ADD, mlia_emit_reshape(l, sum, 2, dims), bias);
}

static void float_svdf(lowering *l, const svdf *s)
{
    int64_t cube[3] = {1, s->times->dims[0], s->times->dims[1]};
    int64_t units = s->features->dims[0] / s->rank;
    uint32_t zero = mlia_emit_scalar(l, MLIA_TYPE_FP32, 1, 0.0);
    uint32_t a = mlia_emit_linear(l, mlia_lower_value(l, s->input),
                                  mlia_stack_weights(l, &s->features, 1, true), zero, 0);
    uint32_t times = mlia_emit_reshape(l, mlia_stack_weights(l, &s->times, 1, true), 3, cube);
    uint32_t sum = svdf_sum(l, s, shift_in(l, s, a), times, mlia_stack_vectors(l, &s->bias, 1, units, true));
    mlia_lower_set(
        l, 0,
        mlia_emit_activation(l, sum, mlia_lower_option(l, MLIA_TFLITE_SVDFOptions_fused_activation_function),
                             s->output));
}

/* The interpreter's integer kernel ignores the fused activation; so do we. */
static void integer_svdf(lowering *l, const svdf *s)
{
    int64_t cube[3] = {1, s->times->dims[0], s->times->dims[1]};
    int64_t units = s->features->dims[0] / s->rank;
    float in = mlia_lower_scale32(l, s->input) * mlia_lower_scale32(l, s->features);
    float state_scale = mlia_lower_scale32(l, s->state);
    float sum_scale = state_scale * mlia_lower_scale32(l, s->times);
    float out_scale = mlia_lower_scale32(l, s->output);
    uint32_t a =
        mlia_emit_linear(l, mlia_lower_value(l, s->input), mlia_stack_weights(l, &s->features, 1, false),
                         mlia_emit_int(l, MLIA_TYPE_INT32, 0), mlia_lower_zero(s->input));
    a = mlia_emit_rescale1(l, a, MLIA_TYPE_INT16, (double)(in / state_scale), 0, 0, ROUND_DOUBLE);
    uint32_t times = mlia_emit_reshape(l, mlia_lower_value(l, s->times), 3, cube);
    uint32_t sum = svdf_sum(l, s, shift_in(l, s, a), times, mlia_stack_vectors(l, &s->bias, 1, units, false));
    mlia_lower_set(l, 0,
                   mlia_emit_rescale1(l, sum, MLIA_TYPE_INT8, (double)(sum_scale / out_scale), 0,
                                      mlia_lower_zero(s->output), ROUND_DOUBLE));
}

void mlia_lower_svdf(lowering *l)
{
    svdf s;
    if (!take_svdf(l, &s))
        return;
    if (mlia_lower_is_float(s.input))
        float_svdf(l, &s);
    else if (s.input->type == MLIA_TFLITE_INT8 && s.state->type == MLIA_TFLITE_INT16)
        integer_svdf(l, &s);
    else
        mlia_lower_error(l, MLIA_E_TFLITE_OPERATOR,
                         "the form with %.*s input and %.*s state is not supported",
                         MLIA_STR_ARG(mlia_tflite_type_name(s.input->type)),
                         MLIA_STR_ARG(mlia_tflite_type_name(s.state->type)));
}
