/* GATHER, GATHER_ND, SCATTER_ND, ONE_HOT, EMBEDDING_LOOKUP, SPARSE_TO_DENSE, BUCKETIZE, REVERSE_SEQUENCE. */
#include <math.h>

#include "convert/tflite_to_tosa/rules.h"

static int64_t product(const int64_t *dims, uint32_t from, uint32_t to)
{
    int64_t count = 1;
    for (uint32_t i = from; i < to; i++)
        count = mlia_lower_times(count, dims[i]);
    return count;
}

/* Constant indices of a GATHER must not be negative; the interpreter refuses them too. */
static bool check_indices(lowering *l, const operand *indices, int64_t limit)
{
    for (uint64_t i = 0; indices->is_constant && i < indices->elements; i++) {
        int64_t index = mlia_lower_integer_at(indices, i);
        if (index < 0 || index >= limit) {
            mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "index %lld of a dimension of %lld",
                             (long long)index, (long long)limit);
            return false;
        }
    }
    return true;
}

/* Rows of a constant picked by constant indices: [batch, before, k, behind] → [batch, before, w, behind]. */
static bool fold_gather(lowering *l, const operand *x, const operand *indices, const int64_t sizes[5],
                        uint32_t rank, const int64_t *dims)
{
    uint64_t elements;
    size_t size;
    if (!x->is_constant || !indices->is_constant)
        return false;
    uint8_t *bytes = mlia_fold_room(l, x->type, rank, dims, &elements, &size);
    if (bytes == NULL)
        return false;
    uint64_t before = (uint64_t)sizes[1];
    uint64_t k = (uint64_t)sizes[2];
    uint64_t w = (uint64_t)sizes[4];
    size_t row = (size_t)sizes[3] * (mlia_tflite_type_bits(x->type) / 8);
    for (size_t to = 0; row > 0 && to * row < size; to++) {
        uint64_t batch = to / w / before;
        uint64_t index = (uint64_t)mlia_lower_integer_at(indices, batch * w + to % w);
        memcpy(bytes + to * row, x->data.data + (to / w * k + index) * row, row);
    }
    mlia_lower_set_constant(l, 0, rank, dims, (mlia_bytes){bytes, size});
    return true;
}

void mlia_lower_gather(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    operand *indices = mlia_lower_required(l, 1);
    if (l->fault != NULL)
        return;
    uint32_t axis = mlia_lower_axis(l, mlia_lower_option(l, MLIA_TFLITE_GatherOptions_axis), x->rank);
    int64_t batch_option = mlia_lower_option(l, MLIA_TFLITE_GatherOptions_batch_dims);
    uint32_t batch = (uint32_t)(batch_option < 0 ? batch_option + (int64_t)indices->rank : batch_option);
    if (l->fault == NULL && (batch > axis || batch > indices->rank))
        mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "%u batch dimensions, axis %u", batch, axis);
    if (l->fault != NULL || !check_indices(l, indices, x->dims[axis]))
        return;
    /* [batch, before, K, behind] → [batch, K, before · behind] */
    int64_t n = product(x->dims, 0, batch);
    int64_t before = product(x->dims, batch, axis);
    int64_t k = x->dims[axis];
    int64_t behind = product(x->dims, axis + 1, x->rank);
    int64_t w = product(indices->dims, batch, indices->rank);
    int64_t dims[2 * MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < axis; i++)
        dims[rank++] = x->dims[i];
    for (uint32_t i = batch; i < indices->rank; i++)
        dims[rank++] = indices->dims[i];
    for (uint32_t i = axis + 1; i < x->rank; i++)
        dims[rank++] = x->dims[i];
    int64_t sizes[5] = {n, before, k, behind, w};
    if (rank <= MAX_RANK && fold_gather(l, x, indices, sizes, rank, dims))
        return;
    int64_t apart[4] = {n, before, k, behind};
    static const uint32_t to_front[4] = {0, 2, 1, 3};
    int64_t flat[3] = {n, k, before * behind};
    int64_t flat_indices[2] = {n, w};
    uint32_t value = mlia_lower_value(l, x);
    if (before > 1)
        value = mlia_emit_transpose(l, mlia_emit_reshape(l, value, 4, apart), to_front);
    uint32_t y = mlia_emit_gather_any(l, mlia_emit_reshape(l, value, 3, flat),
                                      mlia_emit_reshape(l, mlia_lower_value(l, indices), 2, flat_indices));
    if (before > 1) {
        int64_t gathered[4] = {n, w, before, behind};
        y = mlia_emit_transpose(l, mlia_emit_reshape(l, y, 4, gathered), to_front);
    }
    mlia_lower_set(l, 0, mlia_emit_reshape(l, y, rank, dims));
}

/* Index vectors along the last dimension as one linear index each: [1, W]. Constants are computed here. */
static uint32_t linear_indices(lowering *l, operand *indices, const int64_t *dims, int64_t w, uint32_t depth,
                               const int64_t **known)
{
    int64_t strides[MAX_RANK];
    int64_t step = 1;
    *known = NULL;
    for (uint32_t i = depth; i > 0; i--) {
        strides[i - 1] = step;
        step = mlia_lower_times(step, dims[i - 1]);
    }
    if (step < 1 || step > INT32_MAX) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "indices into %lld places", (long long)step);
        return MLIA_NONE;
    }
    int64_t flat[2] = {1, w};
    if (!indices->is_constant) {
        if (depth == 1)
            return mlia_emit_reshape(l, mlia_lower_value(l, indices), 2, flat);
        int64_t table[2] = {w, depth};
        uint32_t scaled = mlia_emit_mul(l, mlia_emit_reshape(l, mlia_lower_value(l, indices), 2, table),
                                        mlia_emit_ints(l, MLIA_TYPE_INT32, depth, strides), 0);
        return mlia_emit_reshape(l, mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, scaled, 1), 2, flat);
    }
    int64_t *linear = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)w);
    if (linear == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (int64_t i = 0; i < w; i++)
        for (uint32_t k = 0; k < depth; k++) {
            int64_t index = mlia_lower_integer_at(indices, (uint64_t)(i * depth + k));
            if (index < 0 || index >= dims[k]) {
                mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "index %lld of a dimension of %lld",
                                 (long long)index, (long long)dims[k]);
                return MLIA_NONE;
            }
            linear[i] += index * strides[k];
        }
    *known = linear;
    return mlia_emit_reshape(l, mlia_emit_ints(l, MLIA_TYPE_INT32, (uint32_t)w, linear), 2, flat);
}

/* Depth of the index vectors: the last dimension of the indices. */
static uint32_t index_depth(lowering *l, const operand *indices, uint32_t limit)
{
    int64_t depth = indices->rank > 0 ? indices->dims[indices->rank - 1] : 0;
    if (depth < 1 || depth > (int64_t)limit) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "index vectors of %lld entries", (long long)depth);
        return 1;
    }
    return (uint32_t)depth;
}

void mlia_lower_gather_nd(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    operand *indices = mlia_lower_required(l, 1);
    if (l->fault != NULL)
        return;
    uint32_t depth = index_depth(l, indices, x->rank);
    if (l->fault != NULL)
        return;
    int64_t w = product(indices->dims, 0, indices->rank - 1);
    int64_t flat[3] = {1, product(x->dims, 0, depth), product(x->dims, depth, x->rank)};
    const int64_t *known;
    if (l->fault != NULL)
        return;
    uint32_t y = mlia_emit_gather_any(l, mlia_emit_reshape(l, mlia_lower_value(l, x), 3, flat),
                                      linear_indices(l, indices, x->dims, w, depth, &known));
    int64_t dims[2 * MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i + 1 < indices->rank; i++)
        dims[rank++] = indices->dims[i];
    for (uint32_t i = depth; i < x->rank; i++)
        dims[rank++] = x->dims[i];
    mlia_lower_set(l, 0, mlia_emit_reshape(l, y, rank, dims));
}

/* SCATTER on tensors of any type: BOOL goes through INT8. */
static uint32_t scatter(lowering *l, uint32_t into, uint32_t indices, uint32_t updates)
{
    bool truth = VALUE_TYPE(l, into) == MLIA_TYPE_BOOL;
    uint32_t inputs[3] = {truth ? mlia_emit_cast(l, into, MLIA_TYPE_INT8) : into, indices,
                          truth ? mlia_emit_cast(l, updates, MLIA_TYPE_INT8) : updates};
    const mlia_graph_value *info = mlia_lower_info(l, inputs[0]);
    uint32_t y = mlia_emit(l, MLIA_OP_SCATTER, inputs, 3, NULL, info->type, 3, info->dims);
    return truth ? mlia_emit_cast(l, y, MLIA_TYPE_BOOL) : y;
}

/* A tensor full of one number; a large one is one constant element, repeated. */
static uint32_t filled(lowering *l, uint32_t type, double value, const int64_t dims[3])
{
    enum { MOST = 1 << 16 };
    uint32_t single = mlia_emit_scalar(l, type, 3, value);
    int64_t count = mlia_lower_times(mlia_lower_times(dims[0], dims[1]), dims[2]);
    if (single == MLIA_NONE || count < 1 || count > MOST)
        return mlia_emit_tile(l, single, dims);
    mlia_bytes one = mlia_lower_info(l, single)->constant->bytes;
    uint8_t *bytes = MLIA_NEW_ARRAY(l->arena, uint8_t, (size_t)count * one.size);
    if (bytes == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (int64_t i = 0; i < count; i++)
        memcpy(bytes + (size_t)i * one.size, one.data, one.size);
    return mlia_emit_const(l, type, 3, dims, (mlia_bytes){bytes, (size_t)count * one.size});
}

/* Layers of a scatter added up as the kernel does: in the type of the elements, which wraps. `zero` is what
 * stands for 0. */
static uint32_t add_layers(lowering *l, uint32_t a, uint32_t b, int32_t zero)
{
    uint32_t type = VALUE_TYPE(l, a);
    if (type != MLIA_TYPE_INT8 && type != MLIA_TYPE_INT16)
        return mlia_emit_binary(l, MLIA_OP_ADD, a, b);
    uint32_t sum = mlia_emit_binary(l, MLIA_OP_ADD, mlia_emit_cast(l, a, MLIA_TYPE_INT32),
                                    mlia_emit_cast(l, b, MLIA_TYPE_INT32));
    if (zero != 0)
        sum = mlia_emit_binary(l, MLIA_OP_SUB, sum, mlia_emit_scalar(l, MLIA_TYPE_INT32, 3, zero));
    return mlia_emit_cast(l, sum, type);
}

/* TOSA scatters to distinct places only, TFLite adds what meets: constant indices are split into rounds
 * without repetition. */
static uint32_t scatter_rounds(lowering *l, const int64_t *linear, int64_t w, uint32_t updates, int32_t zero,
                               const int64_t flat[3])
{
    if (!mlia_fold_bounded(l, flat[1], 1))
        return MLIA_NONE;
    int64_t *level = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)w);
    int64_t *seen = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)flat[1]);
    int64_t *chosen = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)w);
    uint32_t *rows = MLIA_NEW_ARRAY(l->arena, uint32_t, (size_t)w);
    if (level == NULL || seen == NULL || chosen == NULL || rows == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    int64_t rounds = 0;
    for (int64_t i = 0; i < w; i++) {
        level[i] = seen[linear[i]]++;
        if (level[i] + 1 > rounds)
            rounds = level[i] + 1;
    }
    uint32_t type = VALUE_TYPE(l, updates);
    uint32_t sum = MLIA_NONE;
    for (int64_t round = 0; round < rounds && l->fault == NULL; round++) {
        uint32_t count = 0;
        for (int64_t i = 0; i < w; i++)
            if (level[i] == round) {
                chosen[count] = linear[i];
                rows[count++] = mlia_emit_part(l, updates, 1, i, 1);
            }
        int64_t index_dims[2] = {1, count};
        uint32_t part = rounds == 1 ? updates : mlia_emit_concat(l, rows, count, 1);
        uint32_t indices =
            mlia_emit_reshape(l, mlia_emit_ints(l, MLIA_TYPE_INT32, count, chosen), 2, index_dims);
        uint32_t layer = scatter(l, filled(l, type, zero, flat), indices, part);
        sum = round == 0 ? layer : add_layers(l, sum, layer, zero);
    }
    return sum;
}

void mlia_lower_scatter_nd(lowering *l)
{
    operand *indices = mlia_lower_required(l, 0);
    operand *updates = mlia_lower_required(l, 1);
    uint32_t rank = 0;
    const int64_t *dims = mlia_lower_integers(l, mlia_lower_required(l, 2), MAX_RANK, &rank);
    if (l->fault != NULL)
        return;
    uint32_t depth = index_depth(l, indices, rank);
    if (l->fault != NULL)
        return;
    int64_t w = product(indices->dims, 0, indices->rank - 1);
    int64_t flat[3] = {1, product(dims, 0, depth), product(dims, depth, rank)};
    int64_t update_dims[3] = {1, w, flat[2]};
    const int64_t *known = NULL;
    if (l->fault != NULL)
        return;
    uint32_t at = linear_indices(l, indices, dims, w, depth, &known);
    uint32_t values = mlia_emit_reshape(l, mlia_lower_value(l, updates), 3, update_dims);
    if (l->fault != NULL)
        return;
    uint32_t y;
    if (known != NULL) {
        y = scatter_rounds(l, known, w, values, mlia_lower_raw_zero(updates), flat);
    } else {
        mlia_warn(l->diagnostics, MLIA_W_TFLITE,
                  "SCATTER_ND: TOSA needs distinct indices; repeated ones would not be added up");
        y = scatter(l, filled(l, VALUE_TYPE(l, values), mlia_lower_raw_zero(updates), flat), at, values);
    }
    mlia_lower_set(l, 0, mlia_emit_reshape(l, y, rank, dims));
}

void mlia_lower_one_hot(lowering *l)
{
    operand *indices = mlia_lower_required(l, 0);
    uint32_t one = 0;
    const int64_t *depth = mlia_lower_integers(l, mlia_lower_required(l, 1), 1, &one);
    operand *on = mlia_lower_required(l, 2);
    operand *off = mlia_lower_required(l, 3);
    if (l->fault != NULL || one != 1)
        return;
    uint32_t rank = indices->rank + 1;
    uint32_t axis = mlia_lower_axis(l, mlia_lower_option(l, MLIA_TFLITE_OneHotOptions_axis), rank);
    int64_t dims[MAX_RANK + 1];
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i < axis ? indices->dims[i] : i == axis ? 1 : indices->dims[i - 1];
    uint32_t x = mlia_emit_cast(l, mlia_lower_value(l, indices), MLIA_TYPE_INT32);
    uint32_t hit = mlia_emit_binary(l, MLIA_OP_EQUAL, mlia_emit_reshape(l, x, rank, dims),
                                    mlia_emit_iota(l, depth[0], axis, rank));
    mlia_lower_set(l, 0, mlia_emit_select(l, hit, mlia_lower_value(l, on), mlia_lower_value(l, off)));
}

void mlia_lower_embedding_lookup(lowering *l)
{
    operand *ids = mlia_lower_required(l, 0);
    operand *table = mlia_lower_required(l, 1);
    if (l->fault != NULL || !check_indices(l, ids, table->dims[0]))
        return;
    operand *out = mlia_lower_output(l, 0);
    bool quantised = mlia_lower_is_quantised(table) && out != NULL && mlia_lower_is_float(out);
    int64_t flat[3] = {1, table->dims[0], product(table->dims, 1, table->rank)};
    int64_t index_dims[2] = {1, product(ids->dims, 0, ids->rank)};
    uint32_t values = quantised ? mlia_emit_dequantise(l, table) : mlia_lower_value(l, table);
    uint32_t y = mlia_emit_gather(l, mlia_emit_reshape(l, values, 3, flat),
                                  mlia_emit_reshape(l, mlia_lower_value(l, ids), 2, index_dims));
    int64_t dims[2 * MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < ids->rank; i++)
        dims[rank++] = ids->dims[i];
    for (uint32_t i = 1; i < table->rank; i++)
        dims[rank++] = table->dims[i];
    mlia_lower_set(l, 0, mlia_emit_reshape(l, y, rank, dims));
}

void mlia_lower_sparse_to_dense(lowering *l)
{
    operand *indices = mlia_lower_required(l, 0);
    uint32_t rank = 0;
    const int64_t *dims = mlia_lower_integers(l, mlia_lower_required(l, 1), MAX_RANK, &rank);
    operand *values = mlia_lower_required(l, 2);
    operand *initial = mlia_lower_required(l, 3);
    if (l->fault != NULL)
        return;
    if (!initial->is_constant) {
        mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT,
                         "the default value must be known when the model is converted");
        return;
    }
    uint32_t depth = indices->rank == 2 ? index_depth(l, indices, rank) : 1;
    int64_t w = indices->rank == 0 ? 1 : indices->dims[0];
    int64_t flat[3] = {1, product(dims, 0, rank), 1};
    int64_t update_dims[3] = {1, w, 1};
    const int64_t *known;
    uint32_t at = linear_indices(l, indices, dims, w, depth, &known);
    uint32_t updates = mlia_lower_value(l, values);
    static const int64_t single[3] = {1, 1, 1};
    updates = values->rank == 0 ? mlia_emit_tile(l, mlia_emit_reshape(l, updates, 3, single), update_dims)
                                : mlia_emit_reshape(l, updates, 3, update_dims);
    double fill = mlia_lower_number_at(initial, 0) + mlia_lower_raw_zero(initial);
    uint32_t y = scatter(l, filled(l, VALUE_TYPE(l, updates), fill, flat), at, updates);
    mlia_lower_set(l, 0, mlia_emit_reshape(l, y, rank, dims));
}

/* Integers reach a boundary where they reach the next integer above it. */
static uint32_t whole_boundaries(lowering *l, uint32_t rank, const int64_t *dims, const float *values)
{
    int64_t count = dims[rank - 1];
    int64_t *above = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)count);
    if (above == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (int64_t i = 0; i < count; i++) {
        above[i] = mlia_lower_round((double)ceilf(values[i]));
        if (above[i] < INT32_MIN || above[i] > INT32_MAX) {
            mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "a boundary of %g on integers", (double)values[i]);
            return MLIA_NONE;
        }
    }
    return mlia_emit_reshape(l, mlia_emit_ints(l, MLIA_TYPE_INT32, (uint32_t)count, above), rank, dims);
}

void mlia_lower_bucketize(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    if (l->fault != NULL)
        return;
    mlia_flatbuf_vector boundaries =
        mlia_flatbuf_list(l->op->options, MLIA_TFLITE_BucketizeOptions_boundaries);
    float *values = MLIA_NEW_ARRAY(l->arena, float, boundaries.count);
    if (values == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return;
    }
    if (boundaries.count == 0 || x->rank + 1 > TOSA_MAX_RANK) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "%zu boundaries on rank %u", boundaries.count, x->rank);
        return;
    }
    for (size_t i = 0; i < boundaries.count; i++)
        values[i] = (float)mlia_flatbuf_real_at(boundaries, i);
    int64_t apart[MAX_RANK + 1];
    int64_t row[MAX_RANK + 1];
    for (uint32_t i = 0; i <= x->rank; i++) {
        apart[i] = i < x->rank ? x->dims[i] : 1;
        row[i] = i < x->rank ? 1 : (int64_t)boundaries.count;
    }
    uint32_t value = mlia_lower_value(l, x);
    uint32_t limits = mlia_lower_is_float(x) ? mlia_emit_floats(l, x->rank + 1, row, values)
                                             : whole_boundaries(l, x->rank + 1, row, values);
    if (limits == MLIA_NONE)
        return;
    uint32_t above =
        mlia_emit_binary(l, MLIA_OP_GREATER_EQUAL, mlia_emit_reshape(l, value, x->rank + 1, apart), limits);
    uint32_t count =
        mlia_emit_reduce(l, MLIA_OP_REDUCE_SUM, mlia_emit_cast(l, above, MLIA_TYPE_INT32), x->rank);
    mlia_lower_set(l, 0, mlia_emit_reshape(l, count, x->rank, x->dims));
}

/* Indices [n, k] that run backwards over the first `lengths` elements of each row. */
static uint32_t backward_indices(lowering *l, operand *lengths, int64_t n, int64_t k)
{
    int64_t dims[2] = {n, k};
    if (!mlia_fold_bounded(l, n, k))
        return MLIA_NONE;
    if (!lengths->is_constant) {
        int64_t column[2] = {n, 1};
        uint32_t length = mlia_emit_reshape(l, mlia_lower_value(l, lengths), 2, column);
        uint32_t at = mlia_emit_iota(l, k, 1, 2);
        uint32_t last =
            mlia_emit_binary(l, MLIA_OP_SUB, length, mlia_emit_scalar(l, MLIA_TYPE_INT32, 2, 1.0));
        return mlia_emit_select(l, mlia_emit_binary(l, MLIA_OP_GREATER, length, at),
                                mlia_emit_binary(l, MLIA_OP_SUB, last, at), at);
    }
    int64_t *indices = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)(n * k));
    if (indices == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t length = mlia_lower_integer_at(lengths, (uint64_t)i);
        for (int64_t j = 0; j < k; j++)
            indices[i * k + j] = j < length && length <= k ? length - 1 - j : j;
    }
    return mlia_emit_reshape(l, mlia_emit_ints(l, MLIA_TYPE_INT32, (uint32_t)(n * k), indices), 2, dims);
}

void mlia_lower_reverse_sequence(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    operand *lengths = mlia_lower_required(l, 1);
    if (l->fault != NULL)
        return;
    uint32_t sequence =
        mlia_lower_axis(l, mlia_lower_option(l, MLIA_TFLITE_ReverseSequenceOptions_seq_dim), x->rank);
    uint32_t batch =
        mlia_lower_axis(l, mlia_lower_option(l, MLIA_TFLITE_ReverseSequenceOptions_batch_dim), x->rank);
    if (l->fault == NULL && (sequence == batch || lengths->rank != 1 || lengths->dims[0] != x->dims[batch]))
        mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "lengths do not fit batch axis %u, sequence axis %u",
                         batch, sequence);
    if (l->fault != NULL)
        return;
    uint32_t order[MAX_RANK] = {batch, sequence};
    uint32_t back[MAX_RANK] = {0};
    int64_t moved[MAX_RANK] = {0};
    uint32_t used = 2;
    for (uint32_t i = 0; i < x->rank; i++)
        if (i != batch && i != sequence)
            order[used++] = i;
    for (uint32_t i = 0; i < x->rank; i++) {
        back[order[i]] = i;
        moved[i] = x->dims[order[i]];
    }
    int64_t flat[3] = {moved[0], moved[1], product(moved, 2, x->rank)};
    uint32_t at = backward_indices(l, lengths, moved[0], moved[1]);
    uint32_t value = mlia_emit_transpose(l, mlia_lower_value(l, x), order);
    uint32_t y = mlia_emit_gather_any(l, mlia_emit_reshape(l, value, 3, flat), at);
    mlia_lower_set(l, 0, mlia_emit_transpose(l, mlia_emit_reshape(l, y, x->rank, moved), back));
}
