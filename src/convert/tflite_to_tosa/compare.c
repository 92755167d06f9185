/* Comparisons, logic and selection. */
#include "convert/tflite_to_tosa/rules.h"

/* Quantised operand at a common fine scale: shifted left by 8, then multiplied by its scale, as the reference
 * kernel. */
static uint32_t comparable(lowering *l, operand *x)
{
    uint32_t value = mlia_lower_value(l, x);
    if (mlia_lower_is_quantised(x)) {
        uint32_t fine = mlia_emit_rescale_raw(l, value, MLIA_TYPE_INT32, 1 << 30, 22, mlia_lower_zero(x), 0,
                                              ROUND_DOUBLE);
        return mlia_emit_rescale1(l, fine, MLIA_TYPE_INT32, mlia_lower_scale(l, x), 0, 0, ROUND_DOUBLE);
    }
    uint32_t type = VALUE_TYPE(l, value);
    return type == MLIA_TYPE_INT8 || type == MLIA_TYPE_INT16 ? mlia_emit_cast(l, value, MLIA_TYPE_INT32)
                                                             : value;
}

void mlia_lower_compare(lowering *l)
{
    static const struct {
        uint32_t builtin;
        mlia_op op;
        bool swapped;
        bool negated;
    } rows[] = {
        {MLIA_TFLITE_OP_EQUAL, MLIA_OP_EQUAL, false, false},
        {MLIA_TFLITE_OP_NOT_EQUAL, MLIA_OP_EQUAL, false, true},
        {MLIA_TFLITE_OP_GREATER, MLIA_OP_GREATER, false, false},
        {MLIA_TFLITE_OP_GREATER_EQUAL, MLIA_OP_GREATER_EQUAL, false, false},
        {MLIA_TFLITE_OP_LESS, MLIA_OP_GREATER, true, false},
        {MLIA_TFLITE_OP_LESS_EQUAL, MLIA_OP_GREATER_EQUAL, true, false},
    };
    size_t i = 0;
    while (rows[i].builtin != l->op->op)
        i++;
    operand *first = mlia_lower_required(l, 0);
    operand *second = mlia_lower_required(l, 1);
    if (l->fault != NULL)
        return;
    uint32_t a = comparable(l, first);
    uint32_t b = comparable(l, second);
    uint32_t y;
    if (VALUE_TYPE(l, a) == MLIA_TYPE_BOOL) {
        y = mlia_emit_binary(l, MLIA_OP_LOGICAL_XOR, a, b);
        y = rows[i].negated ? y : mlia_emit_unary(l, MLIA_OP_LOGICAL_NOT, y);
    } else {
        y = rows[i].swapped ? mlia_emit_binary(l, rows[i].op, b, a) : mlia_emit_binary(l, rows[i].op, a, b);
        y = rows[i].negated ? mlia_emit_unary(l, MLIA_OP_LOGICAL_NOT, y) : y;
    }
    mlia_lower_set(l, 0, y);
}

void mlia_lower_logical(lowering *l)
{
    uint32_t a = mlia_lower_value(l, mlia_lower_required(l, 0));
    if (l->op->op == MLIA_TFLITE_OP_LOGICAL_NOT) {
        mlia_lower_set(l, 0, mlia_emit_unary(l, MLIA_OP_LOGICAL_NOT, a));
        return;
    }
    mlia_op op = l->op->op == MLIA_TFLITE_OP_LOGICAL_AND ? MLIA_OP_LOGICAL_AND : MLIA_OP_LOGICAL_OR;
    mlia_lower_set(l, 0, mlia_emit_binary(l, op, a, mlia_lower_value(l, mlia_lower_required(l, 1))));
}

/* Arm of a selection in the quantisation of the result. */
static uint32_t arm(lowering *l, operand *x, const operand *out)
{
    uint32_t value = mlia_lower_value(l, x);
    if (!mlia_lower_is_quantised(x) || !mlia_lower_is_quantised(out) ||
        (mlia_lower_scale(l, x) == mlia_lower_scale(l, out) && mlia_lower_zero(x) == mlia_lower_zero(out)))
        return value;
    return mlia_emit_rescale1(l, value, mlia_lower_type(out->type),
                              mlia_lower_scale(l, x) / mlia_lower_scale(l, out), mlia_lower_zero(x),
                              mlia_lower_zero(out), ROUND_DOUBLE);
}

/* One arm of a selection by a single constant. */
static bool fold_select(lowering *l, const operand *condition, const operand *a, const operand *b)
{
    if (!condition->is_constant || condition->elements != 1)
        return false;
    const operand *chosen = mlia_lower_integer_at(condition, 0) != 0 ? a : b;
    const operand *other = chosen == a ? b : a;
    bool same = other->rank == chosen->rank &&
                memcmp(other->dims, chosen->dims, other->rank * sizeof *other->dims) == 0;
    return same && chosen->is_constant && !mlia_lower_is_quantised(chosen) &&
           mlia_fold_broadcast(l, 0, chosen, chosen->rank, chosen->dims);
}

void mlia_lower_select(lowering *l)
{
    operand *condition = mlia_lower_required(l, 0);
    operand *a = mlia_lower_required(l, 1);
    operand *b = mlia_lower_required(l, 2);
    operand *out = mlia_lower_output(l, 0);
    if (l->fault != NULL || out == NULL)
        return;
    if (fold_select(l, condition, a, b))
        return;
    uint32_t choose = mlia_lower_value(l, condition);
    /* SELECT with a condition of rank 1 chooses rows of the first dimension. */
    if (l->op->op == MLIA_TFLITE_OP_SELECT && condition->rank == 1 && a->rank > 1) {
        int64_t dims[MAX_RANK] = {condition->dims[0], 1, 1, 1, 1, 1, 1, 1};
        choose = mlia_emit_reshape(l, choose, a->rank, dims);
    }
    mlia_lower_set(l, 0, mlia_emit_select(l, choose, arm(l, a, out), arm(l, b, out)));
}
