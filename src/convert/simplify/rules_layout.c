/* Rules about operators that only move elements: RESHAPE, TRANSPOSE, PAD, SLICE, TILE, and PAD before pooling
 * and convolution. */
#include "base/bytes.h"
#include "convert/simplify/number.h"
#include "convert/simplify/simplify.h"

enum { PAD_LIMIT = 8192 }; /* of one side of a convolution or pooling */

mlia_status *mlia_rule_reshape_reshape(mlia_edit *edit, uint32_t op)
{
    uint32_t first = mlia_edit_producer(edit, mlia_edit_input(edit, op, 0), MLIA_OP_RESHAPE);
    if (first != MLIA_NONE)
        mlia_edit_set_input(edit, op, 0, mlia_edit_input(edit, first, 0));
    return NULL;
}

/* Constant of the result's type with the operand's elements. */
static mlia_status *take_constant(mlia_edit *edit, uint32_t op, mlia_bytes bytes, bool is_splat)
{
    if (!mlia_edit_static(edit, mlia_edit_operator(edit, op)->outputs[0]))
        return NULL;
    return mlia_edit_make_constant(edit, op, bytes, is_splat);
}

mlia_status *mlia_rule_same_constant(mlia_edit *edit, uint32_t op)
{
    mlia_bytes element;
    return mlia_edit_splat(edit, mlia_edit_input(edit, op, 0), &element)
               ? take_constant(edit, op, element, true)
               : NULL;
}

/* Constants of equal elements can be had in any shape; others are not stored twice. */
mlia_status *mlia_rule_reshape_constant(mlia_edit *edit, uint32_t op)
{
    uint32_t input = mlia_edit_input(edit, op, 0);
    if (mlia_edit_producer(edit, input, MLIA_OP_CONST) == MLIA_NONE)
        return NULL;
    mlia_bytes bytes = {NULL, 0};
    if (mlia_edit_splat(edit, input, &bytes))
        return take_constant(edit, op, bytes, true);
    if (edit->uses[input] != 1)
        return NULL;
    MLIA_TRY(mlia_edit_bytes(edit, input, &bytes));
    return take_constant(edit, op, bytes, false);
}

static const mlia_int_list *perms_of(mlia_edit *edit, uint32_t op)
{
    return &mlia_edit_operator(edit, op)->attributes->perms;
}

mlia_status *mlia_rule_transpose_identity(mlia_edit *edit, uint32_t op)
{
    const mlia_int_list *perms = perms_of(edit, op);
    for (uint32_t i = 0; i < perms->count; i++)
        if (perms->values[i] != (int32_t)i)
            return NULL;
    return mlia_rule_same_type(edit, op);
}

mlia_status *mlia_rule_transpose_transpose(mlia_edit *edit, uint32_t op)
{
    uint32_t first = mlia_edit_producer(edit, mlia_edit_input(edit, op, 0), MLIA_OP_TRANSPOSE);
    if (first == MLIA_NONE || perms_of(edit, first)->count != perms_of(edit, op)->count)
        return NULL;
    const mlia_int_list *inner = perms_of(edit, first);
    const mlia_int_list *outer = perms_of(edit, op);
    int32_t *values = MLIA_NEW_ARRAY(edit->arena, int32_t, outer->count);
    mlia_attributes *attributes = MLIA_NEW(edit->arena, mlia_attributes);
    MLIA_TRY_ALLOC(values);
    MLIA_TRY_ALLOC(attributes);
    for (uint32_t i = 0; i < outer->count; i++) {
        if (outer->values[i] < 0 || (uint32_t)outer->values[i] >= inner->count)
            return NULL;
        values[i] = inner->values[outer->values[i]];
    }
    *attributes = *mlia_edit_operator(edit, op)->attributes;
    attributes->perms = (mlia_int_list){outer->count, values};
    mlia_edit_operator(edit, op)->attributes = attributes;
    mlia_edit_set_input(edit, op, 0, mlia_edit_input(edit, first, 0));
    return NULL;
}

/* A transpose that keeps the order of all dimensions but those of size 1 moves nothing: a reshape. */
mlia_status *mlia_rule_transpose_reshape(mlia_edit *edit, uint32_t op)
{
    uint32_t input = mlia_edit_input(edit, op, 0);
    const mlia_graph_value *value = mlia_edit_tensor(edit, input);
    const mlia_int_list *perms = perms_of(edit, op);
    if (mlia_edit_producer(edit, input, MLIA_OP_TRANSPOSE) != MLIA_NONE || value->unranked ||
        perms->count != value->rank)
        return NULL;
    int32_t last = -1;
    uint32_t unknown = 0;
    for (uint32_t i = 0; i < perms->count; i++) {
        if (perms->values[i] < 0 || (uint32_t)perms->values[i] >= value->rank)
            return NULL;
        int64_t size = value->dims[perms->values[i]];
        unknown += size < 0;
        if (size == 1)
            continue;
        if (perms->values[i] < last)
            return NULL;
        last = perms->values[i];
    }
    if (unknown > 1)
        return NULL;
    const mlia_graph_value *output = mlia_edit_tensor(edit, mlia_edit_operator(edit, op)->outputs[0]);
    uint32_t shape;
    MLIA_TRY(mlia_edit_add_shape(edit, output->dims, output->rank, &shape));
    uint32_t inputs[2] = {input, shape};
    mlia_edit_operator(edit, op)->op = MLIA_OP_RESHAPE;
    mlia_edit_operator(edit, op)->attributes = NULL;
    return mlia_edit_set_inputs(edit, op, inputs, 2);
}

static bool all_are(const int64_t *values, uint32_t count, int64_t number)
{
    for (uint32_t i = 0; i < count; i++)
        if (values[i] != number)
            return false;
    return true;
}

/* Values of the shape operand `index`, as many as `count`; else NULL. */
static const int64_t *shape_operand(mlia_edit *edit, uint32_t op, uint32_t index, uint32_t count)
{
    if (index >= mlia_edit_operator(edit, op)->input_count)
        return NULL;
    uint32_t value = mlia_edit_input(edit, op, index);
    return mlia_edit_tensor(edit, value)->rank == count ? mlia_edit_shape(edit, value) : NULL;
}

static uint32_t input_rank(mlia_edit *edit, uint32_t op)
{
    return mlia_edit_tensor(edit, mlia_edit_input(edit, op, 0))->rank;
}

mlia_status *mlia_rule_pad_zero(mlia_edit *edit, uint32_t op)
{
    uint32_t rank = input_rank(edit, op);
    const int64_t *pad = shape_operand(edit, op, 1, 2 * rank);
    return pad != NULL && all_are(pad, 2 * rank, 0) ? mlia_rule_same_type(edit, op) : NULL;
}

mlia_status *mlia_rule_tile_ones(mlia_edit *edit, uint32_t op)
{
    uint32_t rank = input_rank(edit, op);
    const int64_t *multiples = shape_operand(edit, op, 1, rank);
    return multiples != NULL && all_are(multiples, rank, 1) ? mlia_rule_same_type(edit, op) : NULL;
}

/* The TILE of operand `index` of a broadcasting operator when nothing else reads it and broadcasting does the
 * same: it repeats dimensions of size 1 alone, and the other operand has the size they get. */
static uint32_t needless_tile(mlia_edit *edit, uint32_t op, uint32_t index)
{
    uint32_t tiled = mlia_edit_input(edit, op, index);
    uint32_t tile = mlia_edit_producer(edit, tiled, MLIA_OP_TILE);
    if (tile == MLIA_NONE || edit->uses[tiled] != 1)
        return MLIA_NONE;
    const mlia_graph_value *from = mlia_edit_tensor(edit, mlia_edit_input(edit, tile, 0));
    const mlia_graph_value *to = mlia_edit_tensor(edit, tiled);
    const mlia_graph_value *other = mlia_edit_tensor(edit, mlia_edit_input(edit, op, 1 - index));
    if (from->unranked || to->unranked || other->unranked || from->rank != to->rank ||
        other->rank != to->rank)
        return MLIA_NONE;
    for (uint32_t i = 0; i < to->rank; i++)
        if (from->dims[i] != to->dims[i] && (from->dims[i] != 1 || other->dims[i] != to->dims[i]))
            return MLIA_NONE;
    return tile;
}

/* Of two the one that stands first. */
mlia_status *mlia_rule_tile_broadcast(mlia_edit *edit, uint32_t op)
{
    if (mlia_edit_operator(edit, op)->input_count < 2)
        return NULL;
    uint32_t tiles[2] = {needless_tile(edit, op, 0), needless_tile(edit, op, 1)};
    uint32_t index = tiles[1] < tiles[0];
    if (tiles[index] != MLIA_NONE)
        mlia_edit_set_input(edit, op, index, mlia_edit_input(edit, tiles[index], 0));
    return NULL;
}

/* A slice as large as its operand can only be all of it. */
mlia_status *mlia_rule_slice_whole(mlia_edit *edit, uint32_t op)
{
    return mlia_edit_static(edit, mlia_edit_input(edit, op, 0)) ? mlia_rule_same_type(edit, op) : NULL;
}

mlia_status *mlia_rule_slice_constant(mlia_edit *edit, uint32_t op)
{
    uint32_t input = mlia_edit_input(edit, op, 0);
    mlia_bytes bytes = {NULL, 0};
    if (mlia_edit_producer(edit, input, MLIA_OP_CONST) == MLIA_NONE)
        return NULL;
    if (mlia_edit_splat(edit, input, &bytes))
        return take_constant(edit, op, bytes, true);
    const mlia_graph_value *value = mlia_edit_tensor(edit, input);
    const int64_t *start = shape_operand(edit, op, 1, value->rank);
    uint64_t wanted = 0;
    uint64_t elements = 0;
    if (start == NULL ||
        !mlia_value_elements(mlia_edit_tensor(edit, mlia_edit_operator(edit, op)->outputs[0]), &wanted) ||
        wanted != 1 || !mlia_value_elements(value, &elements) || elements == 0)
        return NULL;
    uint64_t index = 0;
    for (uint32_t i = 0; i < value->rank; i++) {
        if (start[i] < 0 || start[i] >= value->dims[i])
            return NULL;
        index = index * (uint64_t)value->dims[i] + (uint64_t)start[i];
    }
    MLIA_TRY(mlia_edit_bytes(edit, input, &bytes));
    size_t size = bytes.size / (size_t)elements;
    return take_constant(edit, op, mlia_bytes_slice(bytes, size * (size_t)index, size), true);
}

/* A slice that lies inside one operand of a concatenation is a slice of that. */
mlia_status *mlia_rule_slice_concat(mlia_edit *edit, uint32_t op)
{
    uint32_t concat = mlia_edit_producer(edit, mlia_edit_input(edit, op, 0), MLIA_OP_CONCAT);
    uint32_t rank = input_rank(edit, op);
    const int64_t *start = shape_operand(edit, op, 1, rank);
    const int64_t *size = shape_operand(edit, op, 2, rank);
    if (concat == MLIA_NONE || start == NULL || size == NULL ||
        !mlia_edit_static(edit, mlia_edit_operator(edit, op)->outputs[0]))
        return NULL;
    int32_t axis = mlia_edit_operator(edit, concat)->attributes->axis;
    if (axis < 0 || (uint32_t)axis >= rank || rank > MLIA_RANK_LIMIT)
        return NULL;
    int64_t first = start[axis];
    for (uint32_t i = 0; i < mlia_edit_operator(edit, concat)->input_count; i++) {
        uint32_t part = mlia_edit_input(edit, concat, i);
        if (mlia_edit_tensor(edit, part)->rank != rank || mlia_edit_tensor(edit, part)->dims[axis] < 0)
            return NULL;
        int64_t length = mlia_edit_tensor(edit, part)->dims[axis];
        if (first >= 0 && first < length && size[axis] <= length - first) {
            int64_t moved[MLIA_RANK_LIMIT];
            memcpy(moved, start, rank * sizeof *moved);
            moved[axis] = first;
            uint32_t shape;
            MLIA_TRY(mlia_edit_add_shape(edit, moved, rank, &shape));
            mlia_edit_set_input(edit, op, 0, part);
            mlia_edit_set_input(edit, op, 1, shape);
            return NULL;
        }
        first -= length;
    }
    return NULL;
}

/* What a slice takes away of a padding need not be put there. */
mlia_status *mlia_rule_slice_pad(mlia_edit *edit, uint32_t op)
{
    uint32_t padded = mlia_edit_input(edit, op, 0);
    uint32_t pad_op = mlia_edit_producer(edit, padded, MLIA_OP_PAD);
    uint32_t rank = input_rank(edit, op);
    const int64_t *start = shape_operand(edit, op, 1, rank);
    const int64_t *size = shape_operand(edit, op, 2, rank);
    if (pad_op == MLIA_NONE || edit->uses[padded] != 1 || start == NULL || size == NULL ||
        rank > MLIA_RANK_LIMIT / 2)
        return NULL;
    const int64_t *pad = shape_operand(edit, pad_op, 1, 2 * rank);
    uint32_t inner = mlia_edit_input(edit, pad_op, 0);
    const mlia_graph_value *value = mlia_edit_tensor(edit, inner);
    if (pad == NULL || !mlia_edit_static(edit, inner) || value->rank != rank)
        return NULL;
    int64_t new_pad[MLIA_RANK_LIMIT];
    int64_t new_start[MLIA_RANK_LIMIT];
    int64_t dims[MLIA_RANK_LIMIT];
    for (uint32_t i = 0; i < rank; i++) {
        int64_t before = pad[2 * i];
        int64_t beyond = start[i] + size[i] - before - value->dims[i];
        if (before < 0 || pad[2 * i + 1] < 0 || start[i] < 0 || size[i] < 1 || start[i] > INT32_MAX ||
            size[i] > INT32_MAX)
            return NULL;
        new_pad[2 * i] = before > start[i] ? before - start[i] : 0;
        new_start[i] = start[i] > before ? start[i] - before : 0;
        new_pad[2 * i + 1] = beyond > 0 ? beyond : 0;
        dims[i] = new_pad[2 * i] + value->dims[i] + new_pad[2 * i + 1];
    }
    if (memcmp(new_pad, pad, 2 * rank * sizeof *pad) == 0)
        return NULL;
    uint32_t inputs[3] = {inner, 0, mlia_edit_input(edit, pad_op, 2)};
    uint32_t shape;
    uint32_t new_op;
    MLIA_TRY(mlia_edit_add_shape(edit, new_pad, 2 * rank, &inputs[1]));
    MLIA_TRY(mlia_edit_add_shape(edit, new_start, rank, &shape));
    uint32_t type = mlia_edit_tensor(edit, padded)->type;
    MLIA_TRY(mlia_edit_add_operator(edit, MLIA_OP_PAD, pad_op, inputs, 3, type, rank, dims, NULL, &new_op));
    MLIA_TRY(mlia_edit_append(edit, new_op));
    mlia_edit_set_input(edit, op, 0, mlia_edit_operator(edit, new_op)->outputs[0]);
    mlia_edit_set_input(edit, op, 1, shape);
    return NULL;
}

/* The value that a padding must have so that the operator would pad with the same. */
static bool neutral_padding(mlia_edit *edit, uint32_t op, mlia_bytes element, uint32_t type)
{
    mlia_number number;
    if (!mlia_number_read(type, element, &number))
        return false;
    if (mlia_edit_operator(edit, op)->op == MLIA_OP_MAX_POOL2D) {
        mlia_number lowest = {.real = -INFINITY};
        uint8_t bytes[MLIA_NUMBER_SIZE];
        if (!mlia_type_is_float(type))
            return number.integer == mlia_number_lowest(type);
        /* the most negative finite value: one step above minus infinity */
        size_t size = mlia_number_write(type, lowest, bytes);
        for (size_t i = 0; i < size; i++)
            if (bytes[i]-- != 0)
                break;
        return size == element.size && memcmp(bytes, element.data, size) == 0;
    }
    mlia_bytes zero_point;
    return mlia_edit_operator(edit, op)->input_count > 3 &&
           mlia_edit_splat(edit, mlia_edit_input(edit, op, 3), &zero_point) &&
           zero_point.size == element.size && memcmp(zero_point.data, element.data, element.size) == 0;
}

/* Padding of height and width becomes the operator's own. */
mlia_status *mlia_rule_pad_into(mlia_edit *edit, uint32_t op)
{
    uint32_t pad_op = mlia_edit_producer(edit, mlia_edit_input(edit, op, 0), MLIA_OP_PAD);
    const mlia_attributes *old = mlia_edit_operator(edit, op)->attributes;
    if (pad_op == MLIA_NONE || old->pad.count != 4 || mlia_edit_operator(edit, pad_op)->input_count != 3)
        return NULL;
    const int64_t *pad = shape_operand(edit, pad_op, 1, 8);
    uint32_t inner = mlia_edit_input(edit, pad_op, 0);
    mlia_bytes element;
    if (pad == NULL || pad[0] != 0 || pad[1] != 0 || pad[6] != 0 || pad[7] != 0 ||
        !mlia_edit_splat(edit, mlia_edit_input(edit, pad_op, 2), &element) ||
        !neutral_padding(edit, op, element, mlia_edit_tensor(edit, inner)->type))
        return NULL;
    int32_t *sum = MLIA_NEW_ARRAY(edit->arena, int32_t, 4);
    mlia_attributes *attributes = MLIA_NEW(edit->arena, mlia_attributes);
    MLIA_TRY_ALLOC(sum);
    MLIA_TRY_ALLOC(attributes);
    bool pool = mlia_edit_operator(edit, op)->op == MLIA_OP_MAX_POOL2D;
    for (uint32_t i = 0; i < 4; i++) {
        if (pad[2 + i] < 0 || pad[2 + i] > PAD_LIMIT || old->pad.values[i] < 0)
            return NULL;
        sum[i] = (int32_t)(pad[2 + i] + old->pad.values[i]);
        if (sum[i] > PAD_LIMIT || (pool && (old->kernel.count != 2 || sum[i] >= old->kernel.values[i / 2])))
            return NULL; /* a window must not lie in the padding as a whole */
    }
    *attributes = *old;
    attributes->pad = (mlia_int_list){4, sum};
    mlia_edit_operator(edit, op)->attributes = attributes;
    mlia_edit_set_input(edit, op, 0, inner);
    return NULL;
}
