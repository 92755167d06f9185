/* Emitting TOSA operators that move data. What moves again what an operator of the same kind moved becomes
 * one operator. */
#include "convert/tflite_to_tosa/lower.h"

static bool same_dims(const mlia_graph_value *info, uint32_t rank, const int64_t *dims)
{
    return info->rank == rank && (rank == 0 || memcmp(info->dims, dims, rank * sizeof *dims) == 0);
}

/* The operator that made x, if it is of this kind: what moves its result again can start from its operand. An
 * operator in between that nothing reads any more is dropped in the end. */
static const mlia_operator *made_by(const lowering *l, uint32_t x, mlia_op op)
{
    uint32_t producer = x == MLIA_NONE ? MLIA_NONE : l->graph->values[x].producer;
    return producer != MLIA_NONE && l->graph->operators[producer].op == op ? &l->graph->operators[producer]
                                                                           : NULL;
}

uint32_t mlia_emit_reshape(lowering *l, uint32_t x, uint32_t rank, const int64_t *dims)
{
    const mlia_operator *before = made_by(l, x, MLIA_OP_RESHAPE);
    x = before != NULL ? before->inputs[0] : x;
    if (x == MLIA_NONE || same_dims(mlia_lower_info(l, x), rank, dims))
        return x;
    if (rank > TOSA_MAX_RANK) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "needs rank %u, TOSA has %d", rank, TOSA_MAX_RANK);
        return MLIA_NONE;
    }
    uint64_t elements;
    uint64_t after = 1;
    for (uint32_t i = 0; i < rank; i++)
        after *= (uint64_t)dims[i];
    if (!mlia_value_elements(mlia_lower_info(l, x), &elements) || elements != after) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "reshape of %llu elements to %llu",
                         (unsigned long long)elements, (unsigned long long)after);
        return MLIA_NONE;
    }
    uint32_t folded = mlia_fold_reshaped(l, x, rank, dims);
    if (folded != MLIA_NONE)
        return folded;
    uint32_t inputs[2] = {x, mlia_emit_shape(l, rank, dims)};
    return mlia_emit(l, MLIA_OP_RESHAPE, inputs, 2, NULL, VALUE_TYPE(l, x), rank, dims);
}

uint32_t mlia_emit_transpose(lowering *l, uint32_t x, const uint32_t *perms)
{
    uint32_t own[MAX_RANK] = {0};
    const mlia_operator *before = made_by(l, x, MLIA_OP_TRANSPOSE);
    if (before != NULL) {
        for (uint32_t i = 0; i < VALUE_RANK(l, x); i++)
            own[i] = (uint32_t)before->attributes->perms.values[perms[i]];
        perms = own;
        x = before->inputs[0];
    }
    const mlia_graph_value *info = mlia_lower_info(l, x);
    bool in_order = true; /* of the dimensions that are not 1 */
    uint32_t last = 0;
    int64_t dims[MAX_RANK];
    int32_t *copy = MLIA_NEW_ARRAY(l->arena, int32_t, info->rank);
    if (copy == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    for (uint32_t i = 0; i < info->rank; i++) {
        copy[i] = (int32_t)perms[i];
        dims[i] = info->dims[perms[i]];
        if (dims[i] == 1)
            continue;
        in_order = in_order && perms[i] >= last;
        last = perms[i];
    }
    if (x == MLIA_NONE || in_order) /* nothing moves in memory */
        return mlia_emit_reshape(l, x, info->rank, dims);
    mlia_attributes attributes = mlia_attributes_default();
    attributes.perms = (mlia_int_list){info->rank, copy};
    return mlia_emit(l, MLIA_OP_TRANSPOSE, &x, 1, &attributes, info->type, info->rank, dims);
}

uint32_t mlia_emit_slice(lowering *l, uint32_t x, const int64_t *start, const int64_t *size)
{
    const mlia_graph_value *info = mlia_lower_info(l, x);
    if (x == MLIA_NONE || same_dims(info, info->rank, size))
        return x;
    for (uint32_t i = 0; i < info->rank; i++)
        if (start[i] < 0 || size[i] < 1 || start[i] > info->dims[i] - size[i]) {
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "slice [%lld, +%lld) of dimension %u, which is %lld",
                             (long long)start[i], (long long)size[i], i, (long long)info->dims[i]);
            return MLIA_NONE;
        }
    uint32_t rank = info->rank;
    int64_t own[MAX_RANK];
    const mlia_operator *before = made_by(l, x, MLIA_OP_SLICE);
    const int64_t *first = before != NULL ? mlia_lower_info(l, before->inputs[1])->shape_values : NULL;
    if (first != NULL) {
        for (uint32_t i = 0; i < rank; i++)
            own[i] = first[i] + start[i];
        start = own;
        x = before->inputs[0];
    }
    uint32_t inputs[3] = {x, mlia_emit_shape(l, rank, start), mlia_emit_shape(l, rank, size)};
    return mlia_emit(l, MLIA_OP_SLICE, inputs, 3, NULL, VALUE_TYPE(l, x), rank, size);
}

uint32_t mlia_emit_part(lowering *l, uint32_t x, uint32_t axis, int64_t start, int64_t size)
{
    const mlia_graph_value *info = mlia_lower_info(l, x);
    int64_t starts[MAX_RANK] = {0};
    int64_t sizes[MAX_RANK];
    if (x == MLIA_NONE)
        return MLIA_NONE;
    memcpy(sizes, info->dims, info->rank * sizeof *sizes);
    starts[axis] = start;
    sizes[axis] = size;
    return mlia_emit_slice(l, x, starts, sizes);
}

uint32_t mlia_emit_concat(lowering *l, const uint32_t *values, uint32_t count, uint32_t axis)
{
    if (!mlia_lower_alive(l, values, count))
        return MLIA_NONE;
    if (count == 1)
        return values[0];
    const mlia_graph_value *first = mlia_lower_info(l, values[0]);
    int64_t dims[MAX_RANK] = {0};
    if (first->rank > 0)
        memcpy(dims, first->dims, first->rank * sizeof *dims);
    dims[axis] = 0;
    for (uint32_t i = 0; i < count; i++) {
        const mlia_graph_value *info = mlia_lower_info(l, values[i]);
        bool fits = info->rank == first->rank && info->dims != NULL;
        for (uint32_t k = 0; fits && k < first->rank; k++)
            fits = k == axis || info->dims[k] == dims[k];
        if (!fits) {
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "operand %u does not fit the others", i);
            return MLIA_NONE;
        }
        dims[axis] += info->dims[axis];
    }
    mlia_attributes attributes = mlia_attributes_default();
    attributes.axis = (int32_t)axis;
    return mlia_emit(l, MLIA_OP_CONCAT, values, count, &attributes, first->type, first->rank, dims);
}

uint32_t mlia_emit_pad(lowering *l, uint32_t x, const int64_t *pads, uint32_t value)
{
    const mlia_graph_value *info = mlia_lower_info(l, x);
    int64_t dims[MAX_RANK];
    bool identity = true;
    if (x == MLIA_NONE)
        return MLIA_NONE;
    for (uint32_t i = 0; i < info->rank; i++) {
        if (pads[2 * i] < 0 || pads[2 * i + 1] < 0 || pads[2 * i] > INT32_MAX ||
            pads[2 * i + 1] > INT32_MAX) {
            mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "padding of dimension %u is %lld, %lld", i,
                             (long long)pads[2 * i], (long long)pads[2 * i + 1]);
            return MLIA_NONE;
        }
        identity = identity && pads[2 * i] == 0 && pads[2 * i + 1] == 0;
        dims[i] = pads[2 * i] + info->dims[i] + pads[2 * i + 1];
    }
    if (identity)
        return x;
    uint32_t rank = info->rank;
    uint32_t inputs[3] = {x, mlia_emit_shape(l, 2 * rank, pads), value};
    return mlia_emit(l, MLIA_OP_PAD, inputs, 3, NULL, VALUE_TYPE(l, x), rank, dims);
}

uint32_t mlia_emit_tile(lowering *l, uint32_t x, const int64_t *multiples)
{
    const mlia_graph_value *info = mlia_lower_info(l, x);
    int64_t dims[MAX_RANK];
    bool identity = true;
    for (uint32_t i = 0; i < info->rank; i++) {
        identity = identity && multiples[i] == 1;
        dims[i] = mlia_lower_times(info->dims[i], multiples[i]);
    }
    if (x == MLIA_NONE || identity)
        return x;
    uint32_t rank = info->rank;
    uint32_t inputs[2] = {x, mlia_emit_shape(l, rank, multiples)};
    return mlia_emit(l, MLIA_OP_TILE, inputs, 2, NULL, VALUE_TYPE(l, x), rank, dims);
}

uint32_t mlia_emit_reverse(lowering *l, uint32_t x, uint32_t axis)
{
    const mlia_graph_value *info = mlia_lower_info(l, x);
    if (x == MLIA_NONE || info->dims[axis] == 1)
        return x;
    mlia_attributes attributes = mlia_attributes_default();
    attributes.axis = (int32_t)axis;
    return mlia_emit(l, MLIA_OP_REVERSE, &x, 1, &attributes, info->type, info->rank, info->dims);
}

uint32_t mlia_emit_gather(lowering *l, uint32_t values, uint32_t indices)
{
    uint32_t inputs[2] = {values, indices};
    if (!mlia_lower_alive(l, inputs, 2))
        return MLIA_NONE;
    const mlia_graph_value *info = mlia_lower_info(l, values);
    int64_t dims[3] = {info->dims[0], VALUE_DIMS(l, indices)[1], info->dims[2]};
    return mlia_emit(l, MLIA_OP_GATHER, inputs, 2, NULL, info->type, 3, dims);
}
