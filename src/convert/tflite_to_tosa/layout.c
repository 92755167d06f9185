/* Data movement: reshapes, transposes, concatenation, splitting, padding, tiling. */
#include "convert/tflite_to_tosa/rules.h"

/* The same elements with other dimensions; a constant stays a constant. */
static void set_reshaped(lowering *l, operand *x, uint32_t rank, const int64_t *dims)
{
    if (x->is_constant)
        mlia_lower_set_constant(l, 0, rank, dims, x->data);
    else
        mlia_lower_set(l, 0, mlia_emit_reshape(l, mlia_lower_value(l, x), rank, dims));
}

static int64_t element_count(const operand *x)
{
    int64_t count = 1;
    for (uint32_t i = 0; i < x->rank; i++)
        count = mlia_lower_times(count, x->dims[i]);
    return count;
}

/* Puts the number that makes the element count fit in place of a -1. */
static bool resolve_minus_one(lowering *l, int64_t elements, uint32_t rank, int64_t *dims)
{
    int64_t product = 1;
    uint32_t open = MLIA_NONE;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == -1 && open == MLIA_NONE)
            open = i;
        else if (dims[i] < 0)
            product = 0;
        else
            product = mlia_lower_times(product, dims[i]);
    }
    if (open != MLIA_NONE && product > 0 && elements % product == 0)
        dims[open] = elements / product;
    else if (open != MLIA_NONE || product != elements) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "%lld elements do not fill the new shape",
                         (long long)elements);
        return false;
    }
    return true;
}

void mlia_lower_reshape(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    operand *shape = mlia_lower_input(l, 1);
    operand *out = mlia_lower_output(l, 0);
    int64_t dims[MAX_RANK] = {0};
    uint32_t rank = 0;
    if (l->fault != NULL || out == NULL)
        return;
    mlia_flatbuf_vector from_options = {0};
    if (l->op->options.schema != NULL)
        from_options = mlia_flatbuf_list(l->op->options, MLIA_TFLITE_ReshapeOptions_new_shape);
    if (shape != NULL && shape->is_constant) {
        const int64_t *values = mlia_lower_integers(l, shape, MAX_RANK, &rank);
        for (uint32_t i = 0; values != NULL && i < rank; i++)
            dims[i] = values[i];
    } else if (from_options.count > 0 && from_options.count <= MAX_RANK) {
        rank = (uint32_t)from_options.count;
        for (uint32_t i = 0; i < rank; i++)
            dims[i] = mlia_flatbuf_integer_at(from_options, i);
    } else {
        rank = out->tensor->rank; /* the declared shape; one unknown dimension can be worked out */
        for (uint32_t i = 0; i < rank; i++)
            dims[i] = out->tensor->signature != NULL ? out->tensor->signature[i] : out->tensor->shape[i];
    }
    if (l->fault == NULL && resolve_minus_one(l, element_count(x), rank, dims))
        set_reshaped(l, x, rank, dims);
}

void mlia_lower_squeeze(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    if (l->fault != NULL)
        return;
    mlia_flatbuf_vector axes = mlia_flatbuf_list(l->op->options, MLIA_TFLITE_SqueezeOptions_squeeze_dims);
    bool dropped[MAX_RANK] = {false};
    for (size_t i = 0; i < axes.count && l->fault == NULL; i++)
        dropped[mlia_lower_axis(l, mlia_flatbuf_integer_at(axes, i), x->rank)] = true;
    int64_t dims[MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->rank; i++)
        if (x->dims[i] != 1 || (axes.count > 0 && !dropped[i]))
            dims[rank++] = x->dims[i];
    set_reshaped(l, x, rank, dims);
}

void mlia_lower_expand_dims(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    uint32_t count = 0;
    const int64_t *axes = mlia_lower_integers(l, mlia_lower_required(l, 1), 1, &count);
    if (l->fault != NULL || count != 1)
        return;
    uint32_t axis = mlia_lower_axis(l, axes[0], x->rank + 1);
    int64_t dims[MAX_RANK + 1];
    for (uint32_t i = 0; i <= x->rank; i++)
        dims[i] = i < axis ? x->dims[i] : i == axis ? 1 : x->dims[i - 1];
    if (x->rank + 1 > MAX_RANK)
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "rank %u", x->rank + 1);
    set_reshaped(l, x, x->rank + 1, dims);
}

static bool fold_transpose(lowering *l, const operand *x, const uint32_t *order)
{
    int64_t own[MAX_RANK];
    int64_t strides[MAX_RANK];
    int64_t dims[MAX_RANK];
    mlia_fold_strides(x, own);
    for (uint32_t i = 0; i < x->rank; i++) {
        strides[i] = own[order[i]];
        dims[i] = x->dims[order[i]];
    }
    return mlia_fold_view(l, 0, x, x->rank, dims, 0, strides);
}

void mlia_lower_transpose(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    uint32_t count = 0;
    const int64_t *perms = mlia_lower_integers(l, mlia_lower_required(l, 1), MAX_RANK, &count);
    if (l->fault != NULL)
        return;
    uint32_t order[MAX_RANK] = {0};
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count && count == x->rank; i++) {
        order[i] = mlia_lower_axis(l, perms[i], x->rank);
        seen |= 1u << order[i];
    }
    if (l->fault == NULL && (count != x->rank || seen != (1u << x->rank) - 1u))
        mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "the permutation does not name every dimension once");
    if (l->fault != NULL || fold_transpose(l, x, order))
        return;
    mlia_lower_set(l, 0, mlia_emit_transpose(l, mlia_lower_value(l, x), order));
}

/* Operand in the quantisation of the result. */
static uint32_t requantised(lowering *l, operand *x, const operand *out)
{
    uint32_t value = mlia_lower_value(l, x);
    if (!mlia_lower_is_quantised(x) || !mlia_lower_is_quantised(out) ||
        (mlia_lower_scale(l, x) == mlia_lower_scale(l, out) && mlia_lower_zero(x) == mlia_lower_zero(out)))
        return value;
    return mlia_emit_rescale1(l, value, mlia_lower_type(out->type),
                              mlia_lower_scale(l, x) / mlia_lower_scale(l, out), mlia_lower_zero(x),
                              mlia_lower_zero(out), ROUND_SINGLE);
}

static bool fold_concatenation(lowering *l, const operand *first)
{
    int64_t dims[MAX_RANK];
    int64_t option = mlia_lower_option(l, MLIA_TFLITE_ConcatenationOptions_axis);
    int64_t axis = option < 0 ? option + (int64_t)first->rank : option;
    if (axis < 0 || axis >= (int64_t)first->rank ||
        mlia_lower_option(l, MLIA_TFLITE_ConcatenationOptions_fused_activation_function) != 0)
        return false;
    memcpy(dims, first->dims, first->rank * sizeof *dims);
    dims[axis] = 0;
    for (uint32_t i = 0; i < l->op->inputs.count; i++) {
        const operand *x = mlia_lower_input(l, i);
        if (x == NULL || x->rank != first->rank)
            return false;
        dims[axis] += x->dims[axis];
    }
    return mlia_fold_concat(l, (uint32_t)axis, first->rank, dims);
}

void mlia_lower_concatenation(lowering *l)
{
    operand *out = mlia_lower_output(l, 0);
    operand *first = mlia_lower_required(l, 0);
    uint32_t *values = MLIA_NEW_ARRAY(l->arena, uint32_t, l->op->inputs.count);
    if (values == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    if (l->fault != NULL || out == NULL || fold_concatenation(l, first))
        return;
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->op->inputs.count && l->fault == NULL; i++) {
        operand *x = mlia_lower_required(l, i);
        if (x != NULL && element_count(x) > 0)
            values[count++] = requantised(l, x, out);
    }
    uint32_t axis =
        mlia_lower_axis(l, mlia_lower_option(l, MLIA_TFLITE_ConcatenationOptions_axis), first->rank);
    if (l->fault == NULL && count == 0)
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "all operands are empty");
    uint32_t y = l->fault == NULL ? mlia_emit_concat(l, values, count, axis) : MLIA_NONE;
    mlia_lower_set(
        l, 0,
        mlia_emit_activation(
            l, y, mlia_lower_option(l, MLIA_TFLITE_ConcatenationOptions_fused_activation_function), out));
}

void mlia_lower_pack(lowering *l)
{
    operand *first = mlia_lower_required(l, 0);
    uint32_t *values = MLIA_NEW_ARRAY(l->arena, uint32_t, l->op->inputs.count);
    if (values == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    if (l->fault != NULL)
        return;
    uint32_t axis = mlia_lower_axis(l, mlia_lower_option(l, MLIA_TFLITE_PackOptions_axis), first->rank + 1);
    int64_t dims[MAX_RANK + 1];
    for (uint32_t i = 0; i <= first->rank; i++)
        dims[i] = i < axis ? first->dims[i] : i == axis ? 1 : first->dims[i - 1];
    int64_t packed[MAX_RANK + 1];
    memcpy(packed, dims, sizeof dims);
    packed[axis] = l->op->inputs.count;
    if (l->fault != NULL || (first->rank < MAX_RANK && mlia_fold_concat(l, axis, first->rank + 1, packed)))
        return;
    /* Joined along the axis that the new one stands before, then taken apart. Behind the last there is none.
     */
    bool inside = axis < first->rank;
    for (uint32_t i = 0; i < l->op->inputs.count; i++) {
        values[i] = mlia_lower_value(l, mlia_lower_required(l, i));
        values[i] = inside ? values[i] : mlia_emit_reshape(l, values[i], first->rank + 1, dims);
    }
    uint32_t y = mlia_emit_concat(l, values, l->op->inputs.count, axis);
    mlia_lower_set(l, 0, inside ? mlia_emit_reshape(l, y, first->rank + 1, packed) : y);
}

void mlia_lower_unpack(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    if (l->fault != NULL)
        return;
    uint32_t axis = mlia_lower_axis(l, mlia_lower_option(l, MLIA_TFLITE_UnpackOptions_axis), x->rank);
    int64_t dims[MAX_RANK];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->rank; i++)
        if (i != axis)
            dims[rank++] = x->dims[i];
    if (l->fault == NULL && l->op->outputs.count != (uint64_t)x->dims[axis])
        mlia_lower_error(l, MLIA_E_TFLITE_OPERANDS, "%u results for a dimension of %lld",
                         l->op->outputs.count, (long long)x->dims[axis]);
    for (uint32_t i = 0; i < l->op->outputs.count && l->fault == NULL; i++)
        if (!mlia_fold_part(l, i, x, axis, i, 1, false))
            mlia_lower_set(
                l, i,
                mlia_emit_reshape(l, mlia_emit_part(l, mlia_lower_value(l, x), axis, i, 1), rank, dims));
}

/* Cuts x along an axis into parts of the given sizes, one result each. */
static void split(lowering *l, operand *x, uint32_t axis, const int64_t *sizes, uint32_t count)
{
    int64_t start = 0;
    for (uint32_t i = 0; i < count && l->fault == NULL; i++) {
        if (!mlia_fold_part(l, i, x, axis, start, sizes[i], true))
            mlia_lower_set(l, i, mlia_emit_part(l, mlia_lower_value(l, x), axis, start, sizes[i]));
        start += sizes[i];
    }
}

void mlia_lower_split(lowering *l)
{
    uint32_t one = 0;
    const int64_t *axes = mlia_lower_integers(l, mlia_lower_required(l, 0), 1, &one);
    operand *x = mlia_lower_required(l, 1);
    uint32_t count = l->op->outputs.count;
    int64_t *sizes = MLIA_NEW_ARRAY(l->arena, int64_t, count);
    if (sizes == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    if (l->fault != NULL || one != 1)
        return;
    uint32_t axis = mlia_lower_axis(l, axes[0], x->rank);
    if (l->fault == NULL && (count == 0 || x->dims[axis] % count != 0))
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "%u equal parts of %lld", count, (long long)x->dims[axis]);
    for (uint32_t i = 0; i < count && l->fault == NULL; i++)
        sizes[i] = x->dims[axis] / count;
    if (l->fault == NULL)
        split(l, x, axis, sizes, count);
}

void mlia_lower_split_v(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    uint32_t count = 0;
    uint32_t one = 0;
    const int64_t *given = mlia_lower_integers(l, mlia_lower_required(l, 1), 4096, &count);
    const int64_t *axes = mlia_lower_integers(l, mlia_lower_required(l, 2), 1, &one);
    int64_t *sizes = MLIA_NEW_ARRAY(l->arena, int64_t, count);
    if (sizes == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    if (l->fault != NULL || one != 1)
        return;
    uint32_t axis = mlia_lower_axis(l, axes[0], x->rank);
    int64_t rest = l->fault == NULL ? x->dims[axis] : 0;
    for (uint32_t i = 0; i < count; i++)
        rest -= given[i] >= 0 ? given[i] : 0;
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = given[i] >= 0 ? given[i] : rest;
    if (l->fault == NULL)
        split(l, x, axis, sizes, count);
}

/* ---- padding ---- */

/* The paddings of operand 1 as before and after per axis. */
static const int64_t *paddings(lowering *l, const operand *x)
{
    uint32_t count = 0;
    const int64_t *pads = mlia_lower_integers(l, mlia_lower_required(l, 1), 2 * MAX_RANK, &count);
    if (l->fault == NULL && count != 2 * x->rank)
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "%u paddings for rank %u", count, x->rank);
    return l->fault == NULL ? pads : NULL;
}

void mlia_lower_pad(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    const int64_t *pads = l->fault == NULL ? paddings(l, x) : NULL;
    operand *fill = mlia_lower_input(l, 2);
    if (pads == NULL)
        return;
    uint32_t value = mlia_lower_value(l, x);
    uint32_t constant;
    if (fill != NULL) {
        if (!fill->is_constant) {
            mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT,
                             "the padding value must be known when the model is converted");
            return;
        }
        operand single = *fill;
        single.rank = 1;
        single.dims[0] = 1;
        single.value = MLIA_NONE;
        constant = mlia_lower_value(l, &single);
    } else {
        constant =
            mlia_emit_scalar(l, VALUE_TYPE(l, value), 1, mlia_lower_is_float(x) ? 0.0 : mlia_lower_zero(x));
    }
    mlia_lower_set(l, 0, mlia_emit_pad(l, value, pads, constant));
}

/* The mirrored part before or after: `width` elements that begin `from` the edge. */
static uint32_t mirror(lowering *l, uint32_t x, uint32_t axis, int64_t start, int64_t width)
{
    return mlia_emit_reverse(l, mlia_emit_part(l, x, axis, start, width), axis);
}

void mlia_lower_mirror_pad(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    const int64_t *pads = l->fault == NULL ? paddings(l, x) : NULL;
    if (pads == NULL)
        return;
    int64_t skip = mlia_lower_option(l, MLIA_TFLITE_MirrorPadOptions_mode) == 0
                       ? 1
                       : 0; /* REFLECT leaves the edge out */
    uint32_t y = mlia_lower_value(l, x);
    for (uint32_t axis = 0; axis < x->rank && l->fault == NULL; axis++) {
        int64_t size = x->dims[axis];
        uint32_t parts[3];
        uint32_t count = 0;
        if (pads[2 * axis] > 0)
            parts[count++] = mirror(l, y, axis, skip, pads[2 * axis]);
        parts[count++] = y;
        if (pads[2 * axis + 1] > 0)
            parts[count++] = mirror(l, y, axis, size - skip - pads[2 * axis + 1], pads[2 * axis + 1]);
        y = mlia_emit_concat(l, parts, count, axis);
    }
    mlia_lower_set(l, 0, y);
}

/* ---- repetition ---- */

void mlia_lower_tile(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    uint32_t count = 0;
    const int64_t *multiples = mlia_lower_integers(l, mlia_lower_required(l, 1), MAX_RANK, &count);
    if (l->fault == NULL && count != x->rank)
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "%u multiples for rank %u", count, x->rank);
    for (uint32_t i = 0; i < count && l->fault == NULL; i++)
        if (multiples[i] < 1)
            mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "a multiple of %lld", (long long)multiples[i]);
    if (l->fault == NULL)
        mlia_lower_set(l, 0, mlia_emit_tile(l, mlia_lower_value(l, x), multiples));
}

/* x repeated up to `dims`, into which it broadcasts. */
static uint32_t broadcast_to(lowering *l, uint32_t x, uint32_t rank, const int64_t *dims)
{
    int64_t aligned[MAX_RANK];
    int64_t multiples[MAX_RANK];
    uint32_t own = VALUE_RANK(l, x);
    if (x == MLIA_NONE || own > rank)
        return MLIA_NONE;
    for (uint32_t i = 0; i < rank; i++)
        aligned[i] = i < rank - own ? 1 : VALUE_DIMS(l, x)[i - (rank - own)];
    for (uint32_t i = 0; i < rank; i++) {
        if (aligned[i] != 1 && aligned[i] != dims[i])
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "%lld does not broadcast to %lld", (long long)aligned[i],
                             (long long)dims[i]);
        multiples[i] = aligned[i] == 1 ? dims[i] : 1;
    }
    return mlia_emit_tile(l, mlia_emit_reshape(l, x, rank, aligned), multiples);
}

void mlia_lower_broadcast_to(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    uint32_t rank = 0;
    const int64_t *dims = mlia_lower_integers(l, mlia_lower_required(l, 1), MAX_RANK, &rank);
    if (l->fault == NULL && !mlia_fold_broadcast(l, 0, x, rank, dims))
        mlia_lower_set(l, 0, broadcast_to(l, mlia_lower_value(l, x), rank, dims));
}

void mlia_lower_fill(lowering *l)
{
    uint32_t rank = 0;
    const int64_t *dims = mlia_lower_integers(l, mlia_lower_required(l, 0), MAX_RANK, &rank);
    operand *x = mlia_lower_required(l, 1);
    if (l->fault == NULL && !mlia_fold_broadcast(l, 0, x, rank, dims))
        mlia_lower_set(l, 0, broadcast_to(l, mlia_lower_value(l, x), rank, dims));
}

void mlia_lower_reverse_v2(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    uint32_t count = 0;
    const int64_t *axes = mlia_lower_integers(l, mlia_lower_required(l, 1), MAX_RANK, &count);
    uint32_t y = mlia_lower_value(l, x);
    for (uint32_t i = 0; i < count && l->fault == NULL; i++) {
        uint32_t axis = mlia_lower_axis(l, axes[i], x->rank);
        y = l->fault == NULL ? mlia_emit_reverse(l, y, axis) : MLIA_NONE;
    }
    mlia_lower_set(l, 0, y);
}
