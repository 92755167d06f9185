/* BATCH_MATMUL, RFFT2D, REAL, IMAG, COMPLEX_ABS. */
#include "convert/tflite_to_tosa/rules.h"

/* One operand as [batch…, rows, columns] with its last two dimensions exchanged when asked. */
static uint32_t oriented(lowering *l, uint32_t x, bool transposed)
{
    uint32_t order[MAX_RANK];
    uint32_t rank = VALUE_RANK(l, x);
    for (uint32_t i = 0; i < rank; i++)
        order[i] = i;
    if (transposed && rank >= 2) {
        order[rank - 1] = rank - 2;
        order[rank - 2] = rank - 1;
    }
    return mlia_emit_transpose(l, x, order);
}

/* Repeats batch dimensions up to `batch` and merges them: [N, rows, columns]. */
static uint32_t batched(lowering *l, uint32_t x, uint32_t batch_rank, const int64_t *batch)
{
    int64_t dims[MAX_RANK];
    int64_t multiples[MAX_RANK];
    uint32_t rank = VALUE_RANK(l, x);
    uint32_t lead = batch_rank + 2 - rank;
    int64_t n = 1;
    if (x == MLIA_NONE)
        return x;
    for (uint32_t i = 0; i < batch_rank + 2; i++)
        dims[i] = i < lead ? 1 : VALUE_DIMS(l, x)[i - lead];
    for (uint32_t i = 0; i < batch_rank; i++) {
        multiples[i] = batch[i] / dims[i];
        n *= batch[i];
    }
    multiples[batch_rank] = multiples[batch_rank + 1] = 1;
    int64_t merged[3] = {n, dims[batch_rank], dims[batch_rank + 1]};
    return mlia_emit_reshape(l, mlia_emit_tile(l, mlia_emit_reshape(l, x, batch_rank + 2, dims), multiples),
                             3, merged);
}

/* A quantised operand of a float product is dequantised. */
static uint32_t matrix_value(lowering *l, operand *x, bool to_float)
{
    return to_float && !mlia_lower_is_float(x) ? mlia_emit_dequantise(l, x) : mlia_lower_value(l, x);
}

void mlia_lower_batch_matmul(lowering *l)
{
    operand *a = mlia_lower_required(l, 0);
    operand *b = mlia_lower_required(l, 1);
    operand *out = mlia_lower_output(l, 0);
    if (l->fault != NULL || out == NULL)
        return;
    if (a->rank < 2 || b->rank < 2 || a->rank > TOSA_MAX_RANK || b->rank > TOSA_MAX_RANK) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "operands of rank %u and %u", a->rank, b->rank);
        return;
    }
    bool to_float = mlia_lower_is_float(a) || mlia_lower_is_float(b);
    uint32_t batch_rank = (a->rank > b->rank ? a->rank : b->rank) - 2;
    int64_t batch[MAX_RANK];
    for (uint32_t i = 0; i < batch_rank; i++) {
        int64_t of_a = i + a->rank >= batch_rank + 2 ? a->dims[i + a->rank - batch_rank - 2] : 1;
        int64_t of_b = i + b->rank >= batch_rank + 2 ? b->dims[i + b->rank - batch_rank - 2] : 1;
        batch[i] = of_a > of_b ? of_a : of_b;
        if ((of_a != batch[i] && of_a != 1) || (of_b != batch[i] && of_b != 1))
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "batches of %lld and %lld", (long long)of_a,
                             (long long)of_b);
    }
    if (l->fault != NULL)
        return;
    uint32_t x = batched(l,
                         oriented(l, matrix_value(l, a, to_float),
                                  mlia_lower_option(l, MLIA_TFLITE_BatchMatMulOptions_adj_x) != 0),
                         batch_rank, batch);
    uint32_t y = batched(l,
                         oriented(l, matrix_value(l, b, to_float),
                                  mlia_lower_option(l, MLIA_TFLITE_BatchMatMulOptions_adj_y) != 0),
                         batch_rank, batch);
    if (l->fault != NULL)
        return;
    if (VALUE_DIMS(l, x)[2] != VALUE_DIMS(l, y)[1]) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "%lld columns and %lld rows", (long long)VALUE_DIMS(l, x)[2],
                         (long long)VALUE_DIMS(l, y)[1]);
        return;
    }
    uint32_t type = VALUE_TYPE(l, x);
    uint32_t wide = type == MLIA_TYPE_INT8    ? (uint32_t)MLIA_TYPE_INT32
                    : type == MLIA_TYPE_INT16 ? (uint32_t)MLIA_TYPE_INT48
                                              : type;
    uint32_t inputs[4] = {x, y, mlia_emit_scalar(l, type, 1, to_float ? 0.0 : mlia_lower_zero(a)),
                          mlia_emit_scalar(l, VALUE_TYPE(l, y), 1, to_float ? 0.0 : mlia_lower_zero(b))};
    int64_t dims[3] = {VALUE_DIMS(l, x)[0], VALUE_DIMS(l, x)[1], VALUE_DIMS(l, y)[2]};
    uint32_t product = mlia_emit(l, MLIA_OP_MATMUL, inputs, 4, NULL, wide, 3, dims);
    if (!to_float && mlia_lower_type(out->type) != MLIA_TYPE_INT32) {
        double scale =
            (double)(mlia_lower_scale32(l, a) * mlia_lower_scale32(l, b)) / mlia_lower_scale(l, out);
        product = mlia_emit_rescale1(l, product, mlia_lower_type(out->type), scale, 0, mlia_lower_zero(out),
                                     ROUND_DOUBLE);
    }
    int64_t result[MAX_RANK];
    memcpy(result, batch, batch_rank * sizeof *result);
    result[batch_rank] = dims[1];
    result[batch_rank + 1] = dims[2];
    mlia_lower_set(l, 0, mlia_emit_reshape(l, product, batch_rank + 2, result));
}

/* A complex tensor is a pair in a last dimension of 2: real, imaginary. */
void mlia_lower_rfft2d(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    uint32_t count = 0;
    const int64_t *length = mlia_lower_integers(l, mlia_lower_required(l, 1), 2, &count);
    if (l->fault != NULL)
        return;
    if (x->rank < 2 || count != 2 || length[0] < 1 || length[1] < 1 || (length[0] & (length[0] - 1)) != 0 ||
        (length[1] & (length[1] - 1)) != 0) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "needs two lengths that are powers of two");
        return;
    }
    int64_t n = 1;
    for (uint32_t i = 0; i + 2 < x->rank; i++)
        n *= x->dims[i];
    int64_t flat[3] = {n, x->dims[x->rank - 2], x->dims[x->rank - 1]};
    uint32_t value = mlia_emit_reshape(l, mlia_lower_value(l, x), 3, flat);
    int64_t pads[6] = {0};
    for (uint32_t i = 0; i < 2 && l->fault == NULL; i++) {
        int64_t missing = length[i] - flat[1 + i];
        if (missing < 0)
            value = mlia_emit_part(l, value, 1 + i, 0, length[i]);
        else
            pads[3 + 2 * i] = missing;
    }
    value = mlia_emit_pad(l, value, pads, mlia_emit_scalar(l, MLIA_TYPE_FP32, 1, 0.0));
    int64_t dims[3] = {n, length[0], length[1] / 2 + 1};
    if (l->fault != NULL)
        return;
    mlia_attributes attributes = mlia_attributes_default();
    uint32_t parts[2] = {mlia_graph_add_tensor(l->graph, l->block, MLIA_STR_NONE, MLIA_TYPE_FP32, 3, dims),
                         mlia_graph_add_tensor(l->graph, l->block, MLIA_STR_NONE, MLIA_TYPE_FP32, 3, dims)};
    if (parts[0] == MLIA_NONE || parts[1] == MLIA_NONE ||
        mlia_graph_add_operator(l->graph, l->block, MLIA_OP_RFFT2D, &value, 1, parts, 2, &attributes,
                                l->source) == MLIA_NONE) {
        mlia_lower_fail(l, mlia_error_memory());
        return;
    }
    int64_t column[4] = {n, dims[1], dims[2], 1};
    uint32_t pair[2] = {mlia_emit_reshape(l, parts[0], 4, column), mlia_emit_reshape(l, parts[1], 4, column)};
    uint32_t complex = mlia_emit_concat(l, pair, 2, 3);
    operand *out = mlia_lower_output(l, 0);
    if (l->fault != NULL || out == NULL)
        return;
    /* The result is complex: its TOSA form has one dimension more than the model declares. */
    out->value = complex;
    out->rank = x->rank;
    memcpy(out->dims, x->dims, x->rank * sizeof *out->dims);
    out->dims[x->rank - 2] = dims[1];
    out->dims[x->rank - 1] = dims[2];
}

/* Real (0) or imaginary (1) part of a complex operand. */
static uint32_t part_of(lowering *l, operand *x, int64_t which)
{
    uint32_t value = mlia_lower_value(l, x);
    if (value == MLIA_NONE)
        return value;
    uint32_t rank = VALUE_RANK(l, value);
    return mlia_emit_reshape(l, mlia_emit_part(l, value, rank - 1, which, 1), x->rank, x->dims);
}

static operand *complex_operand(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    if (l->fault == NULL && x->type != MLIA_TFLITE_COMPLEX64)
        mlia_lower_error(l, MLIA_E_TFLITE_TYPE, "on %.*s", MLIA_STR_ARG(mlia_tflite_type_name(x->type)));
    return l->fault == NULL ? x : NULL;
}

void mlia_lower_complex_part(lowering *l)
{
    operand *x = complex_operand(l);
    if (x != NULL)
        mlia_lower_set(l, 0, part_of(l, x, l->op->op == MLIA_TFLITE_OP_IMAG ? 1 : 0));
}

void mlia_lower_complex_abs(lowering *l)
{
    operand *x = complex_operand(l);
    if (x == NULL)
        return;
    uint32_t real = part_of(l, x, 0);
    uint32_t imaginary = part_of(l, x, 1);
    uint32_t square = mlia_emit_binary(l, MLIA_OP_ADD, mlia_emit_mul(l, real, real, 0),
                                       mlia_emit_mul(l, imaginary, imaginary, 0));
    mlia_lower_set(l, 0, mlia_emit_unary(l, MLIA_OP_RECIPROCAL, mlia_emit_unary(l, MLIA_OP_RSQRT, square)));
}
