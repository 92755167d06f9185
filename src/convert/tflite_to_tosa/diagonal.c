/* MATRIX_DIAG, MATRIX_SET_DIAG, DILATE, SEGMENT_SUM, UNSORTED_SEGMENT_SUM. */
#include "convert/tflite_to_tosa/rules.h"

/* BOOL constant [1, …, rows, columns] that is true on the diagonal. */
static uint32_t diagonal_mask(lowering *l, uint32_t rank, int64_t rows, int64_t columns)
{
    if (!mlia_fold_bounded(l, rows, columns))
        return MLIA_NONE;
    size_t size = (size_t)(rows * columns);
    uint8_t *bytes = MLIA_NEW_ARRAY(l->arena, uint8_t, size);
    int64_t dims[MAX_RANK];
    if (bytes == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (int64_t i = 0; i < rows && i < columns; i++)
        bytes[i * columns + i] = 1;
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i + 2 < rank ? 1 : i + 2 == rank ? rows : columns;
    return mlia_emit_const(l, MLIA_TYPE_BOOL, rank, dims, (mlia_bytes){bytes, size});
}

/* [.., n] as a column [.., n, 1], which a mask broadcasts over its row. */
static uint32_t as_column(lowering *l, operand *x)
{
    int64_t dims[MAX_RANK + 1];
    memcpy(dims, x->dims, x->rank * sizeof *dims);
    dims[x->rank] = 1;
    return mlia_emit_reshape(l, mlia_lower_value(l, x), x->rank + 1, dims);
}

static bool fits_rank(lowering *l, const operand *x, uint32_t least, uint32_t most)
{
    if (l->fault == NULL && (x->rank < least || x->rank > most))
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "an operand of rank %u, it must be %u to %u", x->rank, least,
                         most);
    return l->fault == NULL;
}

void mlia_lower_matrix_diag(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    if (!fits_rank(l, x, 1, TOSA_MAX_RANK - 1))
        return;
    int64_t n = x->dims[x->rank - 1];
    uint32_t mask = diagonal_mask(l, x->rank + 1, n, n);
    uint32_t column = as_column(l, x);
    uint32_t zero = mlia_emit_scalar(l, VALUE_TYPE(l, column), x->rank + 1, mlia_lower_raw_zero(x));
    mlia_lower_set(l, 0, mlia_emit_select(l, mask, column, zero));
}

void mlia_lower_matrix_set_diag(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    operand *diagonal = mlia_lower_required(l, 1);
    if (!fits_rank(l, x, 2, TOSA_MAX_RANK) || !fits_rank(l, diagonal, x->rank - 1, x->rank - 1))
        return;
    int64_t rows = x->dims[x->rank - 2];
    int64_t columns = x->dims[x->rank - 1];
    uint32_t column = as_column(l, diagonal);
    /* Rows below the last column have no diagonal element: any number does for them. */
    int64_t missing = rows - diagonal->dims[diagonal->rank - 1];
    int64_t pads[2 * MAX_RANK] = {0};
    pads[2 * (x->rank - 2) + 1] = missing;
    if (l->fault == NULL && missing > 0)
        column = mlia_emit_pad(l, column, pads, mlia_emit_scalar(l, VALUE_TYPE(l, column), 1, 0.0));
    mlia_lower_set(
        l, 0, mlia_emit_select(l, diagonal_mask(l, x->rank, rows, columns), column, mlia_lower_value(l, x)));
}

/* Puts step - 1 elements `fill` behind every element of an axis but the last. */
static uint32_t spread(lowering *l, uint32_t x, uint32_t axis, int64_t step, uint32_t fill)
{
    if (x == MLIA_NONE || step == 1)
        return x;
    int64_t dims[MAX_RANK];
    uint32_t rank = VALUE_RANK(l, x);
    int64_t before = 1;
    int64_t behind = 1;
    memcpy(dims, VALUE_DIMS(l, x), rank * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++)
        *(i <= axis ? &before : &behind) *= dims[i];
    int64_t apart[3] = {before, 1, behind};
    int64_t pads[6] = {0, 0, 0, step - 1, 0, 0};
    uint32_t y = mlia_emit_pad(l, mlia_emit_reshape(l, x, 3, apart), pads, fill);
    int64_t size = (dims[axis] - 1) * step + 1;
    dims[axis] *= step;
    return mlia_emit_part(l, mlia_emit_reshape(l, y, rank, dims), axis, 0, size);
}

void mlia_lower_dilate(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    uint32_t count = 0;
    const int64_t *steps = mlia_lower_integers(l, mlia_lower_required(l, 1), MAX_RANK, &count);
    operand *value = mlia_lower_required(l, 2);
    if (l->fault != NULL)
        return;
    if (count != x->rank || !value->is_constant || value->elements != 1) {
        mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT, "needs %u dilations and a constant value", x->rank);
        return;
    }
    operand single = *value;
    single.rank = 1;
    single.dims[0] = 1;
    single.value = MLIA_NONE;
    uint32_t fill = mlia_lower_value(l, &single);
    uint32_t y = mlia_lower_value(l, x);
    for (uint32_t i = 0; i < count && l->fault == NULL; i++) {
        if (steps[i] < 1 || steps[i] > INT32_MAX)
            mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "a dilation of %lld", (long long)steps[i]);
        y = spread(l, y, i, steps[i], fill);
    }
    mlia_lower_set(l, 0, y);
}

/* Constant of segments · rows numbers: 1 where a row belongs to a segment. Ids below 0 belong to none. */
static uint32_t membership(lowering *l, const operand *ids, int64_t segments, uint32_t type,
                           const int64_t dims[3])
{
    int64_t rows = (int64_t)ids->elements;
    if (!mlia_fold_bounded(l, segments, rows))
        return MLIA_NONE;
    uint8_t *bytes = MLIA_NEW_ARRAY(l->arena, uint8_t, (size_t)(segments * rows) * 4);
    if (bytes == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (int64_t i = 0; i < rows; i++) {
        int64_t id = mlia_lower_integer_at(ids, (uint64_t)i);
        if (id >= segments)
            mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "segment %lld of %lld", (long long)id,
                             (long long)segments);
        else if (id >= 0 && type == MLIA_TYPE_FP32)
            mlia_fold_store_float(bytes, (uint64_t)(id * rows + i), 1.0f);
        else if (id >= 0)
            mlia_fold_store(bytes, MLIA_TFLITE_INT32, (uint64_t)(id * rows + i), 1);
    }
    return mlia_emit_const(l, type, 3, dims, (mlia_bytes){bytes, (size_t)(segments * rows) * 4});
}

/* [1, rows, columns] → [segments, columns] values: floats as a product of matrices, which TOSA has not for
 * INT32. */
static uint32_t summed(lowering *l, uint32_t x, const operand *ids, int64_t segments)
{
    int64_t rows = (int64_t)ids->elements;
    uint32_t type = VALUE_TYPE(l, x);
    if (type == MLIA_TYPE_INT32) {
        int64_t dims[3] = {segments, rows, 1};
        uint32_t chosen = mlia_emit_mul(l, membership(l, ids, segments, type, dims), x, 0);
        return mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, chosen, 1);
    }
    int64_t dims[3] = {1, segments, rows};
    int64_t product_dims[3] = {1, segments, VALUE_DIMS(l, x)[2]};
    uint32_t zero = mlia_emit_scalar(l, MLIA_TYPE_FP32, 1, 0.0);
    uint32_t inputs[4] = {membership(l, ids, segments, type, dims), x, zero, zero};
    return mlia_emit(l, MLIA_OP_MATMUL, inputs, 4, NULL, MLIA_TYPE_FP32, 3, product_dims);
}

/* Sums of rows by constant ids. */
void mlia_lower_segment_sum(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    operand *ids = mlia_lower_required(l, 1);
    bool unsorted = l->op->op == MLIA_TFLITE_OP_UNSORTED_SEGMENT_SUM;
    int64_t segments = 0;
    uint32_t one = 1;
    if (l->fault == NULL &&
        (!ids->is_constant || (x->type != MLIA_TFLITE_FLOAT32 && x->type != MLIA_TFLITE_INT32)))
        mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT, "needs constant ids and FLOAT32 or INT32 data");
    const int64_t *number = unsorted ? mlia_lower_integers(l, mlia_lower_required(l, 2), 1, &one) : NULL;
    if (l->fault != NULL || one != 1)
        return;
    for (uint64_t i = 0; i < ids->elements; i++)
        if (mlia_lower_integer_at(ids, i) >= segments)
            segments = mlia_lower_integer_at(ids, i) + 1;
    segments = number != NULL ? number[0] : segments;
    if (ids->rank != 1 || x->rank < 1 || x->dims[0] != ids->dims[0] || segments < 1) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "needs one id per row, and segments");
        return;
    }
    int64_t dims[MAX_RANK];
    int64_t flat[3] = {1, x->dims[0], 1};
    dims[0] = segments;
    for (uint32_t i = 1; i < x->rank; i++) {
        dims[i] = x->dims[i];
        flat[2] = mlia_lower_times(flat[2], x->dims[i]);
    }
    uint32_t value = mlia_emit_reshape(l, mlia_lower_value(l, x), 3, flat);
    if (l->fault == NULL)
        mlia_lower_set(l, 0, mlia_emit_reshape(l, summed(l, value, ids, segments), x->rank, dims));
}
