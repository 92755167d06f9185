/* Simplification of TOSA graphs before they are written: operators that change nothing go, chains become one
 * operator, what can be computed from constants alone is. The same rules as the official model converter
 * applies, so that both give the same operators. Results are unchanged for every input. */
#ifndef MLIA_SIMPLIFY_SIMPLIFY_H
#define MLIA_SIMPLIFY_SIMPLIFY_H

#include "convert/simplify/edit.h"

/* Applies the rules until none fires. */
mlia_status *mlia_simplify(mlia_edit *edit);
/* Once, after mlia_simplify: computes transposes and reductions of constants that nothing else reads. */
mlia_status *mlia_fold_constants(mlia_edit *edit);

/* A rule looks at the live operator `op`. It may change it, replace its result (mlia_edit_replace), or append
 * operators (mlia_edit_append) that then stand before it; whatever it does it notes in edit->changed. */
typedef mlia_status *mlia_simplify_rule(mlia_edit *edit, uint32_t op);

/* One function per pattern, in the files rules_*.c. Table: simplify.c. */
mlia_simplify_rule mlia_rule_same_type, mlia_rule_clamp_nothing, mlia_rule_clamp_clamp, mlia_rule_concat_one,
    mlia_rule_concat_concat, mlia_rule_pool_nothing, mlia_rule_reduce_one, mlia_rule_reverse_one,
    mlia_rule_negate_negate, mlia_rule_abs_abs, mlia_rule_cast_cast, mlia_rule_select, mlia_rule_argmax_one,
    mlia_rule_resize_unit, mlia_rule_adaptive_pool;
mlia_simplify_rule mlia_rule_reshape_reshape, mlia_rule_reshape_constant, mlia_rule_transpose_identity,
    mlia_rule_transpose_transpose, mlia_rule_transpose_reshape, mlia_rule_pad_zero, mlia_rule_slice_whole,
    mlia_rule_tile_ones, mlia_rule_tile_broadcast, mlia_rule_slice_concat, mlia_rule_slice_pad,
    mlia_rule_slice_constant, mlia_rule_pad_into;
mlia_simplify_rule mlia_rule_add, mlia_rule_sub, mlia_rule_mul, mlia_rule_intdiv, mlia_rule_compare,
    mlia_rule_cast_constant, mlia_rule_reciprocal_constant, mlia_rule_same_constant,
    mlia_rule_constant_second;

#endif
