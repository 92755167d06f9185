/* TOPK_V2: the largest of each row in order, the first of equal ones first. */
#include "convert/tflite_to_tosa/rules.h"

/* Best k of each row of [rows, width]: values and their positions, both [rows, k]. */
typedef struct best {
    uint32_t values;
    uint32_t positions;
} best;

/* Floats: k times the largest, which is then taken out. */
static best topk_by_turns(lowering *l, uint32_t x, int64_t k)
{
    enum { MOST = 64 };
    uint32_t values[MOST];
    uint32_t positions[MOST];
    if (k > MOST) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "k = %lld on floats, at most %d", (long long)k, MOST);
        return (best){MLIA_NONE, MLIA_NONE};
    }
    int64_t column[2] = {VALUE_DIMS(l, x)[0], 1};
    uint32_t iota = mlia_emit_iota(l, VALUE_DIMS(l, x)[1], 0, 1);
    uint32_t lowest = mlia_emit_scalar(l, VALUE_TYPE(l, x), 2, -3.4028234663852886e38);
    for (int64_t i = 0; i < k && l->fault == NULL; i++) {
        mlia_attributes attributes = mlia_attributes_default();
        attributes.axis = 1;
        uint32_t largest = mlia_emit(l, MLIA_OP_ARGMAX, &x, 1, &attributes, MLIA_TYPE_INT32, 1, column);
        positions[i] = mlia_emit_reshape(l, largest, 2, column);
        values[i] = mlia_emit_reduce(l, MLIA_OP_REDUCE_MAX, x, 1);
        x = mlia_emit_select(l, mlia_emit_binary(l, MLIA_OP_EQUAL, iota, positions[i]), lowest, x);
    }
    return (best){mlia_emit_concat(l, values, (uint32_t)k, 1),
                  mlia_emit_concat(l, positions, (uint32_t)k, 1)};
}

/* BOOL constant [1, width, width]: true where the column stands before the row. */
static uint32_t earlier(lowering *l, int64_t width)
{
    int64_t dims[3] = {1, width, width};
    if (!mlia_fold_bounded(l, width, width))
        return MLIA_NONE;
    uint8_t *bytes = MLIA_NEW_ARRAY(l->arena, uint8_t, (size_t)(width * width));
    if (bytes == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (int64_t i = 0; i < width; i++)
        memset(bytes + i * width, 1, (size_t)i);
    return mlia_emit_const(l, MLIA_TYPE_BOOL, 3, dims, (mlia_bytes){bytes, (size_t)(width * width)});
}

/* Integers, every one of which may be in the data: the rank of an element is how many are larger, or equal
 * and earlier. */
static best topk_by_rank(lowering *l, uint32_t x, int64_t k)
{
    int64_t rows = VALUE_DIMS(l, x)[0];
    int64_t width = VALUE_DIMS(l, x)[1];
    int64_t down[3] = {rows, width, 1};
    int64_t along[3] = {rows, 1, width};
    int64_t flat[2] = {rows, k};
    uint32_t wide = mlia_emit_cast(l, x, MLIA_TYPE_INT32);
    uint32_t own = mlia_emit_reshape(l, wide, 3, down);
    uint32_t other = mlia_emit_reshape(l, wide, 3, along);
    uint32_t tie = mlia_emit_binary(l, MLIA_OP_LOGICAL_AND, mlia_emit_binary(l, MLIA_OP_EQUAL, other, own),
                                    earlier(l, width));
    uint32_t ahead =
        mlia_emit_binary(l, MLIA_OP_LOGICAL_OR, mlia_emit_binary(l, MLIA_OP_GREATER, other, own), tie);
    uint32_t rank = mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, mlia_emit_cast(l, ahead, MLIA_TYPE_INT32), 2);
    uint32_t hit =
        mlia_emit_binary(l, MLIA_OP_EQUAL, mlia_emit_reshape(l, rank, 3, along), mlia_emit_iota(l, k, 1, 3));
    uint32_t position =
        mlia_emit_mul(l, mlia_emit_cast(l, hit, MLIA_TYPE_INT32), mlia_emit_iota(l, width, 2, 3), 0);
    position = mlia_emit_reshape(l, mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, position, 2), 2, flat);
    uint32_t values = mlia_emit_gather(l, mlia_emit_reshape(l, x, 3, down), position);
    return (best){mlia_emit_reshape(l, values, 2, flat), position};
}

void mlia_lower_topk_v2(lowering *l)
{
    operand *in = mlia_lower_required(l, 0);
    uint32_t one = 0;
    const int64_t *k = mlia_lower_integers(l, mlia_lower_required(l, 1), 1, &one);
    if (l->fault != NULL || one != 1)
        return;
    int64_t width = in->rank > 0 ? in->dims[in->rank - 1] : 0;
    if (k[0] < 1 || k[0] > width) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "k = %lld of %lld", (long long)k[0], (long long)width);
        return;
    }
    int64_t flat[2] = {1, width};
    int64_t dims[MAX_RANK];
    memcpy(dims, in->dims, in->rank * sizeof *dims);
    dims[in->rank - 1] = k[0];
    for (uint32_t i = 0; i + 1 < in->rank; i++)
        flat[0] = mlia_lower_times(flat[0], in->dims[i]);
    uint32_t x = mlia_emit_reshape(l, mlia_lower_value(l, in), 2, flat);
    if (l->fault != NULL)
        return;
    best found = mlia_lower_is_float(in) ? topk_by_turns(l, x, k[0]) : topk_by_rank(l, x, k[0]);
    mlia_lower_set(l, 0, mlia_emit_reshape(l, found.values, in->rank, dims));
    mlia_lower_set(l, 1, mlia_emit_reshape(l, found.positions, in->rank, dims));
}
