/* The table of rules and the loop that applies them. */
#include "convert/simplify/simplify.h"

static const struct {
    mlia_op op;
    mlia_simplify_rule *rule;
} rules[] = {
    {MLIA_OP_CLAMP, mlia_rule_clamp_nothing},
    {MLIA_OP_CLAMP, mlia_rule_clamp_clamp},
    {MLIA_OP_CONCAT, mlia_rule_concat_one},
    {MLIA_OP_CONCAT, mlia_rule_concat_concat},
    {MLIA_OP_AVG_POOL2D, mlia_rule_pool_nothing},
    {MLIA_OP_MAX_POOL2D, mlia_rule_pool_nothing},
    {MLIA_OP_MAX_POOL2D_ADAPTIVE, mlia_rule_adaptive_pool},
    {MLIA_OP_AVG_POOL2D_ADAPTIVE, mlia_rule_adaptive_pool},
    {MLIA_OP_REDUCE_ALL, mlia_rule_reduce_one},
    {MLIA_OP_REDUCE_ANY, mlia_rule_reduce_one},
    {MLIA_OP_REDUCE_MAX, mlia_rule_reduce_one},
    {MLIA_OP_REDUCE_MIN, mlia_rule_reduce_one},
    {MLIA_OP_REDUCE_PRODUCT, mlia_rule_reduce_one},
    {MLIA_OP_REDUCE_SUM, mlia_rule_reduce_one},
    {MLIA_OP_ARGMAX, mlia_rule_argmax_one},
    {MLIA_OP_REVERSE, mlia_rule_reverse_one},
    {MLIA_OP_REVERSE, mlia_rule_same_constant},
    {MLIA_OP_NEGATE, mlia_rule_negate_negate},
    {MLIA_OP_ABS, mlia_rule_abs_abs},
    {MLIA_OP_CAST, mlia_rule_same_type},
    {MLIA_OP_CAST, mlia_rule_cast_constant},
    {MLIA_OP_CAST, mlia_rule_cast_cast},
    {MLIA_OP_SELECT, mlia_rule_select},
    {MLIA_OP_RESIZE, mlia_rule_resize_unit},
    {MLIA_OP_RESHAPE, mlia_rule_same_type},
    {MLIA_OP_RESHAPE, mlia_rule_reshape_reshape},
    {MLIA_OP_RESHAPE, mlia_rule_reshape_constant},
    {MLIA_OP_TRANSPOSE, mlia_rule_same_constant},
    {MLIA_OP_TRANSPOSE, mlia_rule_transpose_identity},
    {MLIA_OP_TRANSPOSE, mlia_rule_transpose_transpose},
    {MLIA_OP_TRANSPOSE, mlia_rule_transpose_reshape},
    {MLIA_OP_PAD, mlia_rule_pad_zero},
    {MLIA_OP_SLICE, mlia_rule_slice_whole},
    {MLIA_OP_SLICE, mlia_rule_slice_constant},
    {MLIA_OP_SLICE, mlia_rule_slice_concat},
    {MLIA_OP_SLICE, mlia_rule_slice_pad},
    {MLIA_OP_TILE, mlia_rule_tile_ones},
    {MLIA_OP_CONV2D, mlia_rule_pad_into},
    {MLIA_OP_DEPTHWISE_CONV2D, mlia_rule_pad_into},
    {MLIA_OP_MAX_POOL2D, mlia_rule_pad_into},
    {MLIA_OP_ADD, mlia_rule_add},
    {MLIA_OP_SUB, mlia_rule_sub},
    {MLIA_OP_MUL, mlia_rule_mul},
    {MLIA_OP_INTDIV, mlia_rule_intdiv},
    {MLIA_OP_EQUAL, mlia_rule_compare},
    {MLIA_OP_GREATER, mlia_rule_compare},
    {MLIA_OP_GREATER_EQUAL, mlia_rule_compare},
    {MLIA_OP_RECIPROCAL, mlia_rule_reciprocal_constant},
};

/* Each pass can only make the graph smaller or simpler; the limits are for rules that would fight each other.
 */
enum { PASS_LIMIT = 64, FIRING_LIMIT = 64 };

/* Applies the rules to one operator until none fires or it is dead. */
static mlia_status *apply(mlia_edit *edit, uint32_t op, bool *changed)
{
    for (uint32_t firing = 0; firing < FIRING_LIMIT && !edit->dead[op]; firing++) {
        edit->changed = false;
        for (size_t i = 0; i < sizeof rules / sizeof rules[0] && !edit->dead[op] && !edit->changed; i++)
            if (edit->graph->operators[op].op == (uint32_t)rules[i].op)
                MLIA_TRY(rules[i].rule(edit, op));
        if (!edit->changed)
            return NULL;
        *changed = true;
    }
    return NULL;
}

/* One pass over the operators, from the last to the first: so that a chain is seen from its end, before its
 * parts change (two transposes become one before the first could become a reshape). */
static mlia_status *pass(mlia_edit *edit, bool *changed)
{
    const uint32_t *old = edit->operators;
    size_t count = edit->operator_count;
    mlia_edit listing = {.arena = edit->arena}; /* the new list, backwards */
    edit->operators = NULL;
    edit->operator_count = edit->operator_capacity = 0;
    for (size_t i = count; i-- > 0;) {
        if (edit->dead[old[i]])
            continue;
        MLIA_TRY(apply(edit, old[i], changed));
        if (!edit->dead[old[i]])
            MLIA_TRY(mlia_edit_append(&listing, old[i]));
        while (edit->operator_count > 0) /* new ones that stand before it */
            MLIA_TRY(mlia_edit_append(&listing, edit->operators[--edit->operator_count]));
    }
    for (size_t i = 0; i < listing.operator_count / 2; i++) {
        uint32_t swap = listing.operators[i];
        listing.operators[i] = listing.operators[listing.operator_count - 1 - i];
        listing.operators[listing.operator_count - 1 - i] = swap;
    }
    edit->operators = listing.operators;
    edit->operator_count = listing.operator_count;
    edit->operator_capacity = listing.operator_capacity;
    return NULL;
}

mlia_status *mlia_simplify(mlia_edit *edit)
{
    bool changed = true;
    for (uint32_t i = 0; i < PASS_LIMIT && changed; i++) {
        changed = false;
        MLIA_TRY(mlia_edit_count_uses(edit));
        MLIA_TRY(pass(edit, &changed));
    }
    MLIA_TRY(mlia_edit_count_uses(edit));
    return mlia_edit_hoist(edit);
}

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

mlia_status *mlia_fold_transposes(mlia_edit *edit)
{
    MLIA_TRY(mlia_edit_count_uses(edit));
    for (size_t i = 0; i < edit->operator_count; i++) {
        uint32_t op = edit->operators[i];
        const mlia_operator *transpose = mlia_edit_operator(edit, op);
        if (transpose->op != MLIA_OP_TRANSPOSE)
            continue;
        uint32_t value = mlia_edit_input(edit, op, 0);
        if (mlia_edit_producer(edit, value, MLIA_OP_CONST) == MLIA_NONE || edit->uses[value] != 1 ||
            transpose->attributes->perms.count != mlia_edit_tensor(edit, value)->rank)
            continue;
        mlia_bytes bytes = {NULL, 0};
        MLIA_TRY(transpose_bytes(edit, value, &transpose->attributes->perms, &bytes));
        MLIA_TRY(mlia_edit_make_constant(edit, op, bytes, false));
    }
    MLIA_TRY(mlia_edit_count_uses(edit));
    return mlia_edit_hoist(edit);
}
