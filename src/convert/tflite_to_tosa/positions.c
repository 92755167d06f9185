/* Positions that the device computes: GATHER along one axis, and with it SLICE and DYNAMIC_UPDATE_SLICE whose
 * begins are not known at conversion. */
#include "convert/tflite_to_tosa/rules.h"

uint32_t mlia_emit_iota(lowering *l, int64_t count, uint32_t axis, uint32_t rank)
{
    enum { MOST = 1 << 24 };
    int64_t *steps = count > 0 && count <= MOST ? MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)count) : NULL;
    if (steps == NULL) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "a list of %lld positions", (long long)count);
        return MLIA_NONE;
    }
    int64_t dims[MAX_RANK];
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i == axis ? count : 1;
    for (int64_t i = 0; i < count; i++)
        steps[i] = i;
    return mlia_emit_reshape(l, mlia_emit_ints(l, MLIA_TYPE_INT32, (uint32_t)count, steps), rank, dims);
}

uint32_t mlia_emit_gather_any(lowering *l, uint32_t values, uint32_t indices)
{
    if (VALUE_TYPE(l, values) != MLIA_TYPE_BOOL)
        return mlia_emit_gather(l, values, indices);
    uint32_t y = mlia_emit_gather(l, mlia_emit_cast(l, values, MLIA_TYPE_INT8), indices);
    return mlia_emit_cast(l, y, MLIA_TYPE_BOOL);
}

/* The elements of one axis at the positions [W]. */
static uint32_t gather_along(lowering *l, uint32_t x, uint32_t axis, uint32_t positions)
{
    int64_t dims[MAX_RANK];
    int64_t flat[3] = {1, 1, 1};
    if (l->fault != NULL)
        return MLIA_NONE;
    uint32_t rank = VALUE_RANK(l, x);
    memcpy(dims, VALUE_DIMS(l, x), rank * sizeof *dims);
    for (uint32_t i = 0; i < rank; i++)
        flat[i < axis ? 0 : i == axis ? 1 : 2] *= dims[i];
    int64_t row[2] = {1, VALUE_DIMS(l, positions)[0]};
    int64_t every[2] = {flat[0], 1};
    dims[axis] = row[1];
    uint32_t at = mlia_emit_tile(l, mlia_emit_reshape(l, positions, 2, row), every);
    return mlia_emit_reshape(l, mlia_emit_gather_any(l, mlia_emit_reshape(l, x, 3, flat), at), rank, dims);
}

void mlia_lower_computed_slice(lowering *l, operand *x, operand *begin, const int64_t *size)
{
    uint32_t y = mlia_lower_value(l, x);
    uint32_t begins = mlia_lower_value(l, begin);
    for (uint32_t axis = 0; axis < x->rank && l->fault == NULL; axis++) {
        if (size[axis] == x->dims[axis])
            continue;
        if (size[axis] < 1 || !mlia_fold_bounded(l, size[axis], 1)) {
            mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT, "the size of axis %u follows from the begin",
                             axis);
            return;
        }
        y = gather_along(l, y, axis,
                         mlia_emit_binary(l, MLIA_OP_ADD, mlia_emit_part(l, begins, 0, axis, 1),
                                          mlia_emit_iota(l, size[axis], 0, 1)));
    }
    mlia_lower_set(l, 0, y);
}

/* x between two numbers, INT32 of rank 1. */
static uint32_t between(lowering *l, uint32_t x, int64_t low, int64_t high)
{
    return mlia_emit_binary(l, MLIA_OP_MINIMUM,
                            mlia_emit_binary(l, MLIA_OP_MAXIMUM, x, mlia_emit_int(l, MLIA_TYPE_INT32, low)),
                            mlia_emit_int(l, MLIA_TYPE_INT32, high));
}

void mlia_lower_computed_update(lowering *l, operand *x, operand *update, operand *begin)
{
    uint32_t y = mlia_lower_value(l, update);
    uint32_t begins = mlia_lower_value(l, begin);
    uint32_t mask = MLIA_NONE;
    for (uint32_t axis = 0; axis < x->rank && l->fault == NULL; axis++) {
        int64_t room = x->dims[axis];
        int64_t size = update->dims[axis];
        if (size == room)
            continue;
        /* Position in the update of every element of the axis; outside of it nothing changes. */
        uint32_t at = between(l, mlia_emit_part(l, begins, 0, axis, 1), 0, room - size);
        uint32_t own = mlia_emit_binary(l, MLIA_OP_SUB, mlia_emit_iota(l, room, 0, 1), at);
        uint32_t position = between(l, own, 0, size - 1);
        int64_t dims[MAX_RANK];
        for (uint32_t i = 0; i < x->rank; i++)
            dims[i] = i == axis ? room : 1;
        uint32_t inside =
            mlia_emit_reshape(l, mlia_emit_binary(l, MLIA_OP_EQUAL, own, position), x->rank, dims);
        mask = mask == MLIA_NONE ? inside : mlia_emit_binary(l, MLIA_OP_LOGICAL_AND, mask, inside);
        y = gather_along(l, y, axis, position);
    }
    mlia_lower_set(l, 0, mask == MLIA_NONE ? y : mlia_emit_select(l, mask, y, mlia_lower_value(l, x)));
}
