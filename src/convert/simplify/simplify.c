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
    {MLIA_OP_ADD, mlia_rule_constant_second},
    {MLIA_OP_BITWISE_AND, mlia_rule_constant_second},
    {MLIA_OP_BITWISE_OR, mlia_rule_constant_second},
    {MLIA_OP_BITWISE_XOR, mlia_rule_constant_second},
    {MLIA_OP_LOGICAL_AND, mlia_rule_constant_second},
    {MLIA_OP_LOGICAL_OR, mlia_rule_constant_second},
    {MLIA_OP_LOGICAL_XOR, mlia_rule_constant_second},
    {MLIA_OP_MAXIMUM, mlia_rule_constant_second},
    {MLIA_OP_MINIMUM, mlia_rule_constant_second},
    {MLIA_OP_EQUAL, mlia_rule_constant_second},
    {MLIA_OP_ADD, mlia_rule_add},
    {MLIA_OP_SUB, mlia_rule_sub},
    {MLIA_OP_MUL, mlia_rule_mul},
    {MLIA_OP_INTDIV, mlia_rule_intdiv},
    {MLIA_OP_EQUAL, mlia_rule_compare},
    {MLIA_OP_GREATER, mlia_rule_compare},
    {MLIA_OP_GREATER_EQUAL, mlia_rule_compare},
    {MLIA_OP_RECIPROCAL, mlia_rule_reciprocal_constant},
    {MLIA_OP_ADD, mlia_rule_tile_broadcast},
    {MLIA_OP_SUB, mlia_rule_tile_broadcast},
    {MLIA_OP_MUL, mlia_rule_tile_broadcast},
    {MLIA_OP_INTDIV, mlia_rule_tile_broadcast},
    {MLIA_OP_POW, mlia_rule_tile_broadcast},
    {MLIA_OP_MAXIMUM, mlia_rule_tile_broadcast},
    {MLIA_OP_MINIMUM, mlia_rule_tile_broadcast},
    {MLIA_OP_BITWISE_AND, mlia_rule_tile_broadcast},
    {MLIA_OP_BITWISE_OR, mlia_rule_tile_broadcast},
    {MLIA_OP_BITWISE_XOR, mlia_rule_tile_broadcast},
    {MLIA_OP_LOGICAL_AND, mlia_rule_tile_broadcast},
    {MLIA_OP_LOGICAL_OR, mlia_rule_tile_broadcast},
    {MLIA_OP_LOGICAL_XOR, mlia_rule_tile_broadcast},
    {MLIA_OP_LOGICAL_LEFT_SHIFT, mlia_rule_tile_broadcast},
    {MLIA_OP_LOGICAL_RIGHT_SHIFT, mlia_rule_tile_broadcast},
    {MLIA_OP_ARITHMETIC_RIGHT_SHIFT, mlia_rule_tile_broadcast},
    {MLIA_OP_EQUAL, mlia_rule_tile_broadcast},
    {MLIA_OP_GREATER, mlia_rule_tile_broadcast},
    {MLIA_OP_GREATER_EQUAL, mlia_rule_tile_broadcast},
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
    mlia_edit listing = {.scratch = edit->scratch}; /* the new list, backwards */
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
