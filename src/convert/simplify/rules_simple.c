/* Rules about operators that change nothing, and about two of a kind in a row. */
#include "convert/simplify/number.h"
#include "convert/simplify/simplify.h"

static bool same_as_input(mlia_edit *edit, uint32_t op)
{
    return mlia_edit_same_type(edit, mlia_edit_input(edit, op, 0), mlia_edit_operator(edit, op)->outputs[0]);
}

mlia_status *mlia_rule_same_type(mlia_edit *edit, uint32_t op)
{
    if (same_as_input(edit, op))
        mlia_edit_replace(edit, op, mlia_edit_input(edit, op, 0));
    return NULL;
}

/* A clamp to the whole range of the type. Of floats: from minus infinity to infinity. */
static bool clamps_nothing(mlia_edit *edit, uint32_t op)
{
    uint32_t type = mlia_edit_tensor(edit, mlia_edit_input(edit, op, 0))->type;
    const mlia_attributes *attributes = mlia_edit_operator(edit, op)->attributes;
    mlia_number low;
    mlia_number high;
    if (!mlia_number_read(type, attributes->min_val, &low) ||
        !mlia_number_read(type, attributes->max_val, &high))
        return false;
    bool whole = mlia_type_is_float(type) ? low.real == -INFINITY && high.real == INFINITY
                                          : low.integer <= mlia_number_lowest(type) &&
                                                high.integer >= -1 - mlia_number_lowest(type);
    return whole && same_as_input(edit, op);
}

mlia_status *mlia_rule_clamp_nothing(mlia_edit *edit, uint32_t op)
{
    if (clamps_nothing(edit, op))
        mlia_edit_replace(edit, op, mlia_edit_input(edit, op, 0));
    return NULL;
}

/* Two clamps whose ranges overlap are one with the common range. */
mlia_status *mlia_rule_clamp_clamp(mlia_edit *edit, uint32_t op)
{
    uint32_t first = mlia_edit_producer(edit, mlia_edit_input(edit, op, 0), MLIA_OP_CLAMP);
    if (first == MLIA_NONE || clamps_nothing(edit, first)) /* that one goes by itself */
        return NULL;
    uint32_t type = mlia_edit_tensor(edit, mlia_edit_input(edit, op, 0))->type;
    mlia_attributes merged = *mlia_edit_operator(edit, op)->attributes;
    const mlia_attributes *inner = mlia_edit_operator(edit, first)->attributes;
    mlia_number low[2];
    mlia_number high[2];
    if (!mlia_number_read(type, merged.min_val, &low[0]) ||
        !mlia_number_read(type, inner->min_val, &low[1]) ||
        !mlia_number_read(type, merged.max_val, &high[0]) ||
        !mlia_number_read(type, inner->max_val, &high[1]))
        return NULL;
    bool reals = mlia_type_is_float(type);
    for (uint32_t i = 0; i < 2; i++)
        if (reals ? !(low[i].real < high[1 - i].real) : low[i].integer >= high[1 - i].integer)
            return NULL;
    if (merged.nan_mode == MLIA_NAN_IGNORE && inner->nan_mode == MLIA_NAN_PROPAGATE)
        return NULL; /* the first one lets NaN through, the second would turn it into a bound */
    if (reals ? low[1].real > low[0].real : low[1].integer > low[0].integer)
        merged.min_val = inner->min_val;
    if (reals ? high[1].real < high[0].real : high[1].integer < high[0].integer)
        merged.max_val = inner->max_val;
    merged.nan_mode = inner->nan_mode;
    mlia_attributes *copy = MLIA_NEW(edit->arena, mlia_attributes);
    MLIA_TRY_ALLOC(copy);
    *copy = merged;
    mlia_edit_operator(edit, op)->attributes = copy;
    mlia_edit_set_input(edit, op, 0, mlia_edit_input(edit, first, 0));
    return NULL;
}

mlia_status *mlia_rule_concat_one(mlia_edit *edit, uint32_t op)
{
    return mlia_edit_operator(edit, op)->input_count == 1 ? mlia_rule_same_type(edit, op) : NULL;
}

/* Operands that are concatenations along the same axis are replaced by their operands. */
mlia_status *mlia_rule_concat_concat(mlia_edit *edit, uint32_t op)
{
    const mlia_operator concat = *mlia_edit_operator(edit, op);
    size_t count = 0;
    bool nested = false;
    for (uint32_t pass = 0; pass < 2; pass++) {
        uint32_t *inputs = pass == 0 ? NULL : MLIA_NEW_ARRAY(edit->arena, uint32_t, count);
        if (pass == 1 && !nested)
            return NULL;
        if (pass == 1)
            MLIA_TRY_ALLOC(inputs);
        size_t used = 0;
        for (uint32_t i = 0; i < concat.input_count; i++) {
            uint32_t value = mlia_edit_input(edit, op, i);
            uint32_t inner = mlia_edit_producer(edit, value, MLIA_OP_CONCAT);
            bool same = inner != MLIA_NONE &&
                        mlia_edit_operator(edit, inner)->attributes->axis == concat.attributes->axis;
            nested = nested || same;
            uint32_t parts = same ? mlia_edit_operator(edit, inner)->input_count : 1;
            for (uint32_t k = 0; k < parts; k++, used++)
                if (pass == 1)
                    inputs[used] = same ? mlia_edit_input(edit, inner, k) : value;
        }
        count = used;
        if (count > 65536)
            return NULL;
        if (pass == 1)
            MLIA_TRY(mlia_edit_set_inputs(edit, op, inputs, (uint32_t)count));
    }
    return NULL;
}

static bool all_are(mlia_int_list list, int32_t number)
{
    for (uint32_t i = 0; i < list.count; i++)
        if (list.values[i] != number)
            return false;
    return true;
}

/* Pooling with windows of one element, or of a 1×1 image to a 1×1 image. Not with NaN ignored. */
mlia_status *mlia_rule_pool_nothing(mlia_edit *edit, uint32_t op)
{
    const mlia_operator *pool = mlia_edit_operator(edit, op);
    const mlia_graph_value *value = mlia_edit_tensor(edit, mlia_edit_input(edit, op, 0));
    bool maximum = pool->op == MLIA_OP_MAX_POOL2D;
    bool unit = all_are(pool->attributes->kernel, 1) && all_are(pool->attributes->stride, 1) &&
                all_are(pool->attributes->pad, 0);
    bool single = maximum && value->rank == 4 && value->dims[1] == 1 && value->dims[2] == 1;
    bool exact = maximum ? pool->attributes->nan_mode != MLIA_NAN_IGNORE : mlia_type_is_float(value->type);
    return (unit && exact) || single ? mlia_rule_same_type(edit, op) : NULL;
}

static bool axis_of_one(mlia_edit *edit, uint32_t op)
{
    const mlia_graph_value *value = mlia_edit_tensor(edit, mlia_edit_input(edit, op, 0));
    int32_t axis = mlia_edit_operator(edit, op)->attributes->axis;
    return value->rank == 0 || (axis >= 0 && (uint32_t)axis < value->rank && value->dims[axis] == 1);
}

mlia_status *mlia_rule_reduce_one(mlia_edit *edit, uint32_t op)
{
    return axis_of_one(edit, op) ? mlia_rule_same_type(edit, op) : NULL;
}

mlia_status *mlia_rule_reverse_one(mlia_edit *edit, uint32_t op)
{
    return axis_of_one(edit, op) ? mlia_rule_same_type(edit, op) : NULL;
}

/* The greatest of one is the one at index 0. */
mlia_status *mlia_rule_argmax_one(mlia_edit *edit, uint32_t op)
{
    static const uint8_t zero[4] = {0};
    uint32_t output = mlia_edit_operator(edit, op)->outputs[0];
    if (!axis_of_one(edit, op) || !mlia_edit_static(edit, output) ||
        mlia_edit_tensor(edit, output)->type != MLIA_TYPE_INT32)
        return NULL;
    return mlia_edit_make_constant(edit, op, (mlia_bytes){zero, sizeof zero}, true);
}

static bool zero_points_are_zero(mlia_edit *edit, uint32_t op)
{
    mlia_bytes element;
    for (uint32_t i = 1; i < mlia_edit_operator(edit, op)->input_count; i++)
        if (!mlia_edit_splat(edit, mlia_edit_input(edit, op, i), &element) || !mlia_number_is_zero(element))
            return false;
    return true;
}

/* What two negations in a row, `op` the second, leave: MLIA_NONE when it is not such a pair. */
static uint32_t negated_twice(mlia_edit *edit, uint32_t op)
{
    uint32_t first = mlia_edit_producer(edit, mlia_edit_input(edit, op, 0), MLIA_OP_NEGATE);
    if (first == MLIA_NONE || !zero_points_are_zero(edit, op) || !zero_points_are_zero(edit, first))
        return MLIA_NONE;
    uint32_t input = mlia_edit_input(edit, first, 0);
    return mlia_edit_same_type(edit, input, mlia_edit_operator(edit, op)->outputs[0]) ? input : MLIA_NONE;
}

/* Of three in a row the last one stays, so the pair in front of it goes first. */
mlia_status *mlia_rule_negate_negate(mlia_edit *edit, uint32_t op)
{
    uint32_t input = negated_twice(edit, op);
    if (input == MLIA_NONE)
        return NULL;
    uint32_t first = mlia_edit_producer(edit, mlia_edit_input(edit, op, 0), MLIA_OP_NEGATE);
    if (negated_twice(edit, first) == MLIA_NONE)
        mlia_edit_replace(edit, op, input);
    return NULL;
}

mlia_status *mlia_rule_abs_abs(mlia_edit *edit, uint32_t op)
{
    uint32_t input = mlia_edit_input(edit, op, 0);
    if (mlia_edit_producer(edit, input, MLIA_OP_ABS) != MLIA_NONE)
        mlia_edit_replace(edit, op, input);
    return NULL;
}

/* A cast that loses nothing, followed by another of the same family, is skipped. */
mlia_status *mlia_rule_cast_cast(mlia_edit *edit, uint32_t op)
{
    uint32_t middle = mlia_edit_input(edit, op, 0);
    uint32_t first = mlia_edit_producer(edit, middle, MLIA_OP_CAST);
    if (first == MLIA_NONE)
        return NULL;
    uint32_t input = mlia_edit_input(edit, first, 0);
    uint32_t from = mlia_edit_tensor(edit, input)->type;
    uint32_t through = mlia_edit_tensor(edit, middle)->type;
    uint32_t to = mlia_edit_tensor(edit, mlia_edit_operator(edit, op)->outputs[0])->type;
    if (mlia_cast_is_widening(from, through, to))
        mlia_edit_set_input(edit, op, 0, input);
    return NULL;
}

/* A choice that is no choice; a condition that is negated. */
mlia_status *mlia_rule_select(mlia_edit *edit, uint32_t op)
{
    uint32_t condition = mlia_edit_input(edit, op, 0);
    uint32_t arms[2] = {mlia_edit_input(edit, op, 1), mlia_edit_input(edit, op, 2)};
    uint32_t output = mlia_edit_operator(edit, op)->outputs[0];
    mlia_bytes element;
    uint32_t chosen = MLIA_NONE;
    if (arms[0] == arms[1] && mlia_edit_static(edit, condition)) /* which cannot make the result larger */
        chosen = arms[0];
    else if (mlia_edit_static(edit, arms[0]) && mlia_edit_static(edit, arms[1]) &&
             mlia_edit_splat(edit, condition, &element))
        chosen = mlia_number_is_zero(element) ? arms[1] : arms[0];
    if (chosen != MLIA_NONE && mlia_edit_same_type(edit, chosen, output)) {
        mlia_edit_replace(edit, op, chosen);
        return NULL;
    }
    uint32_t negation = mlia_edit_producer(edit, condition, MLIA_OP_LOGICAL_NOT);
    if (negation == MLIA_NONE)
        return NULL;
    mlia_edit_set_input(edit, op, 0, mlia_edit_input(edit, negation, 0));
    mlia_edit_set_input(edit, op, 1, arms[1]);
    mlia_edit_set_input(edit, op, 2, arms[0]);
    return NULL;
}

/* Scale 1, no offset, no border. */
mlia_status *mlia_rule_resize_unit(mlia_edit *edit, uint32_t op)
{
    if (mlia_edit_operator(edit, op)->input_count != 4)
        return NULL;
    const int64_t *scale = mlia_edit_shape(edit, mlia_edit_input(edit, op, 1));
    const int64_t *offset = mlia_edit_shape(edit, mlia_edit_input(edit, op, 2));
    const int64_t *border = mlia_edit_shape(edit, mlia_edit_input(edit, op, 3));
    bool known = scale != NULL && offset != NULL && border != NULL &&
                 mlia_edit_tensor(edit, mlia_edit_input(edit, op, 1))->rank == 4 &&
                 mlia_edit_tensor(edit, mlia_edit_input(edit, op, 2))->rank == 2 &&
                 mlia_edit_tensor(edit, mlia_edit_input(edit, op, 3))->rank == 2;
    bool unit = known && scale[0] == scale[1] && scale[2] == scale[3] && offset[0] == 0 && offset[1] == 0 &&
                border[0] == 0 && border[1] == 0;
    return unit ? mlia_rule_same_type(edit, op) : NULL;
}

static mlia_status *constant_list(mlia_edit *edit, uint32_t value, mlia_int_list *list)
{
    const int64_t *values = mlia_edit_shape(edit, value);
    uint32_t count = values == NULL ? 0 : mlia_edit_tensor(edit, value)->rank;
    int32_t *copy = MLIA_NEW_ARRAY(edit->arena, int32_t, count);
    MLIA_TRY_ALLOC(copy);
    for (uint32_t i = 0; i < count; i++)
        copy[i] = (int32_t)values[i];
    *list = (mlia_int_list){count, copy};
    return NULL;
}

/* Pooling of the TOSA 1.1 draft whose window is constant is pooling of TOSA 1.0. */
mlia_status *mlia_rule_adaptive_pool(mlia_edit *edit, uint32_t op)
{
    const mlia_operator *pool = mlia_edit_operator(edit, op);
    bool average = pool->op == MLIA_OP_AVG_POOL2D_ADAPTIVE;
    uint32_t tensors = average ? 3 : 1;
    if (pool->input_count != tensors + 3)
        return NULL;
    mlia_attributes *attributes = MLIA_NEW(edit->arena, mlia_attributes);
    MLIA_TRY_ALLOC(attributes);
    *attributes = *pool->attributes;
    MLIA_TRY(constant_list(edit, mlia_edit_input(edit, op, tensors), &attributes->kernel));
    MLIA_TRY(constant_list(edit, mlia_edit_input(edit, op, tensors + 1), &attributes->stride));
    MLIA_TRY(constant_list(edit, mlia_edit_input(edit, op, tensors + 2), &attributes->pad));
    if (attributes->kernel.count != 2 || attributes->stride.count != 2 || attributes->pad.count != 4)
        return NULL;
    mlia_operator *changed = mlia_edit_operator(edit, op);
    changed->attributes = attributes;
    changed->op = average ? MLIA_OP_AVG_POOL2D : MLIA_OP_MAX_POOL2D;
    changed->input_count = tensors;
    edit->changed = true;
    return NULL;
}
