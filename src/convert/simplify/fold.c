/* Folding of constants that one operator reads and nothing else: transposes, reciprocals, and reductions of
 * whole numbers. */
#include "base/bytes.h"
#include "convert/simplify/number.h"
#include "convert/simplify/simplify.h"

/* Element [i0, i1, …] of the result is element [i_perm…] of the operand. */
static mlia_status *transpose_bytes(mlia_edit *edit, uint32_t value, const mlia_int_list *perms,
                                    mlia_bytes *result)
{
    const mlia_graph_value *tensor = mlia_edit_tensor(edit, value);
    mlia_bytes bytes = {NULL, 0};
    MLIA_TRY(mlia_edit_bytes(edit, value, &bytes));
    uint64_t elements = 1;
    if (!mlia_value_elements(tensor, &elements) || elements == 0)
        return mlia_error(MLIA_E_TOSA_DATA, "a constant without elements");
    size_t size = bytes.size / (size_t)elements;
    uint8_t *data = MLIA_NEW_ARRAY(edit->arena, uint8_t, bytes.size);
    MLIA_TRY_ALLOC(data);
    size_t strides[MLIA_RANK_LIMIT]; /* in the operand, per dimension of the result */
    uint64_t counts[MLIA_RANK_LIMIT];
    uint64_t position[MLIA_RANK_LIMIT] = {0};
    for (uint32_t i = 0; i < tensor->rank; i++) {
        uint32_t from = (uint32_t)perms->values[i];
        counts[i] = (uint64_t)tensor->dims[from];
        strides[i] = size;
        for (uint32_t k = from + 1; k < tensor->rank; k++)
            strides[i] *= (size_t)tensor->dims[k];
    }
    size_t source = 0;
    for (uint64_t i = 0; i < elements; i++) {
        memcpy(data + i * size, bytes.data + source, size);
        for (uint32_t k = tensor->rank; k-- > 0;) {
            source += strides[k];
            if (++position[k] < counts[k])
                break;
            source -= strides[k] * (size_t)counts[k];
            position[k] = 0;
        }
    }
    *result = (mlia_bytes){data, bytes.size};
    return NULL;
}

static mlia_status *fold_transpose(mlia_edit *edit, uint32_t op, uint32_t value)
{
    const mlia_operator *transpose = mlia_edit_operator(edit, op);
    if (transpose->attributes->perms.count != mlia_edit_tensor(edit, value)->rank)
        return NULL;
    mlia_bytes bytes = {NULL, 0};
    MLIA_TRY(transpose_bytes(edit, value, &transpose->attributes->perms, &bytes));
    return mlia_edit_make_constant(edit, op, bytes, false);
}

/* Two whole numbers become one. Sums and products wrap. */
static int64_t combine(uint32_t kind, int64_t a, int64_t b)
{
    switch (kind) {
    case MLIA_OP_REDUCE_ALL:
        return a != 0 && b != 0;
    case MLIA_OP_REDUCE_ANY:
        return a != 0 || b != 0;
    case MLIA_OP_REDUCE_MAX:
        return a > b ? a : b;
    case MLIA_OP_REDUCE_MIN:
        return a < b ? a : b;
    case MLIA_OP_REDUCE_PRODUCT:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    default:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    }
}

static bool is_reduction(uint32_t kind)
{
    return kind >= MLIA_OP_REDUCE_ALL && kind <= MLIA_OP_REDUCE_SUM;
}

static mlia_status *fold_reduction(mlia_edit *edit, uint32_t op, uint32_t value)
{
    const mlia_graph_value *tensor = mlia_edit_tensor(edit, value);
    uint32_t kind = mlia_edit_operator(edit, op)->op;
    int32_t axis = mlia_edit_operator(edit, op)->attributes->axis;
    uint64_t elements = 0;
    if (!mlia_type_is_integer(tensor->type) || axis < 0 || (uint32_t)axis >= tensor->rank ||
        !mlia_value_elements(tensor, &elements) || elements == 0)
        return NULL;
    mlia_bytes bytes = {NULL, 0};
    MLIA_TRY(mlia_edit_bytes(edit, value, &bytes));
    size_t size = bytes.size / (size_t)elements;
    size_t length = (size_t)tensor->dims[axis];
    size_t stride = 1; /* elements between neighbours along the axis */
    for (uint32_t i = (uint32_t)axis + 1; i < tensor->rank; i++)
        stride *= (size_t)tensor->dims[i];
    size_t results = (size_t)elements / length;
    uint8_t *data = MLIA_NEW_ARRAY(edit->arena, uint8_t, results * size + MLIA_NUMBER_SIZE);
    MLIA_TRY_ALLOC(data);
    for (size_t i = 0; i < results; i++) {
        size_t first = i / stride * stride * length + i % stride;
        mlia_number total = {0};
        for (size_t k = 0; k < length; k++) {
            mlia_number next = {0};
            mlia_number_read(tensor->type, mlia_bytes_slice(bytes, (first + k * stride) * size, size), &next);
            total.integer = k == 0 ? next.integer : combine(kind, total.integer, next.integer);
        }
        mlia_number_write(tensor->type, total, data + i * size);
    }
    return mlia_edit_make_constant(edit, op, (mlia_bytes){data, results * size}, false);
}

static mlia_status *fold_reciprocal(mlia_edit *edit, uint32_t op, uint32_t value)
{
    uint32_t type = mlia_edit_tensor(edit, value)->type;
    mlia_bytes bytes = {NULL, 0};
    MLIA_TRY(mlia_edit_bytes(edit, value, &bytes));
    uint8_t *data = MLIA_NEW_ARRAY(edit->arena, uint8_t, bytes.size + MLIA_NUMBER_SIZE);
    MLIA_TRY_ALLOC(data);
    for (size_t at = 0, size = 0; at < bytes.size; at += size) {
        mlia_number number = {0};
        uint8_t element[MLIA_NUMBER_SIZE];
        if (!mlia_number_read(type, mlia_bytes_slice(bytes, at, bytes.size - at), &number))
            return NULL;
        bool nan = isnan(number.real); /* stays the same one */
        number.real = 1 / number.real;
        size = mlia_number_write(type, number, element);
        if (size == 0)
            return NULL;
        memcpy(data + at, nan ? bytes.data + at : element, size);
    }
    return mlia_edit_make_constant(edit, op, (mlia_bytes){data, bytes.size}, false);
}

static mlia_status *fold(mlia_edit *edit, uint32_t op, uint32_t value)
{
    switch (mlia_edit_operator(edit, op)->op) {
    case MLIA_OP_TRANSPOSE:
        return fold_transpose(edit, op, value);
    case MLIA_OP_RECIPROCAL:
        return fold_reciprocal(edit, op, value);
    default:
        return fold_reduction(edit, op, value);
    }
}

mlia_status *mlia_fold_constants(mlia_edit *edit)
{
    MLIA_TRY(mlia_edit_count_uses(edit));
    for (size_t i = 0; i < edit->operator_count; i++) {
        uint32_t op = edit->operators[i];
        uint32_t kind = mlia_edit_operator(edit, op)->op;
        if (kind != MLIA_OP_TRANSPOSE && kind != MLIA_OP_RECIPROCAL && !is_reduction(kind))
            continue;
        uint32_t value = mlia_edit_input(edit, op, 0);
        if (mlia_edit_producer(edit, value, MLIA_OP_CONST) == MLIA_NONE || edit->uses[value] != 1)
            continue;
        MLIA_TRY(fold(edit, op, value));
    }
    MLIA_TRY(mlia_edit_count_uses(edit));
    return mlia_edit_hoist(edit);
}
