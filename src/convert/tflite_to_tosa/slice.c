/* SLICE, STRIDED_SLICE, DYNAMIC_UPDATE_SLICE. Where begins are computed, see positions.c. */
#include "convert/tflite_to_tosa/rules.h"

static bool fold_slice(lowering *l, const operand *x, const int64_t *begin, const int64_t *sizes)
{
    int64_t strides[MAX_RANK];
    int64_t offset = 0;
    mlia_fold_strides(x, strides);
    for (uint32_t i = 0; i < x->rank; i++) {
        if (begin[i] < 0 || sizes[i] < 0 || begin[i] > x->dims[i] - sizes[i])
            return false; /* emitting it says what is wrong */
        offset += begin[i] * strides[i];
    }
    return mlia_fold_view(l, 0, x, x->rank, sizes, offset, strides);
}

void mlia_lower_slice(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    uint32_t begin_count = 0;
    uint32_t size_count = 0;
    operand *start = mlia_lower_required(l, 1);
    const int64_t *size = mlia_lower_integers(l, mlia_lower_required(l, 2), MAX_RANK, &size_count);
    if (l->fault == NULL && !start->is_constant && start->rank == 1 && start->dims[0] == x->rank &&
        size_count == x->rank) {
        mlia_lower_computed_slice(l, x, start, size);
        return;
    }
    const int64_t *begin = mlia_lower_integers(l, start, MAX_RANK, &begin_count);
    if (l->fault != NULL)
        return;
    if (begin_count != x->rank || size_count != x->rank) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "%u begins and %u sizes for rank %u", begin_count,
                         size_count, x->rank);
        return;
    }
    int64_t sizes[MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++)
        sizes[i] = size[i] == -1 ? x->dims[i] - begin[i] : size[i];
    if (fold_slice(l, x, begin, sizes))
        return;
    mlia_lower_set(l, 0, mlia_emit_slice(l, mlia_lower_value(l, x), begin, sizes));
}

/* One dimension of the input after the masks are worked out. */
typedef struct range {
    int64_t begin;
    int64_t stride;
    int64_t size;
    bool dropped;
} range;

static int64_t bounded(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* The three operands and five masks of STRIDED_SLICE. */
typedef struct strided {
    const int64_t *begin;
    const int64_t *end;
    const int64_t *stride;
    uint32_t count;
    uint32_t begin_mask;
    uint32_t end_mask;
    uint32_t ellipsis_mask;
    uint32_t new_axis_mask;
    uint32_t shrink_mask;
    bool offset;
} strided;

static bool bit(uint32_t mask, uint32_t i)
{
    return (mask >> i & 1u) != 0;
}

static range one_range(lowering *l, const strided *s, uint32_t i, int64_t size)
{
    int64_t stride = s->stride[i];
    if (stride == 0) {
        mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "stride 0");
        return (range){0};
    }
    int64_t begin = s->begin[i] < 0 ? s->begin[i] + size : s->begin[i];
    int64_t last = s->offset ? s->begin[i] + s->end[i] : s->end[i];
    int64_t end = last < 0 && !s->offset ? last + size : last;
    if (bit(s->shrink_mask, i)) {
        if (begin < 0 || begin >= size)
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "index %lld of a dimension of %lld", (long long)begin,
                             (long long)size);
        return (range){begin, 1, 1, true};
    }
    int64_t low = stride > 0 ? 0 : -1;
    int64_t high = stride > 0 ? size : size - 1;
    begin = bit(s->begin_mask, i) ? (stride > 0 ? 0 : size - 1) : bounded(begin, low, high);
    end = bit(s->end_mask, i) ? (stride > 0 ? size : -1) : bounded(end, low, high);
    int64_t count = stride > 0 ? (end - begin + stride - 1) / stride : (begin - end - stride - 1) / -stride;
    if (count <= 0)
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "the result is empty");
    return (range){begin, stride, count, false};
}

/* Walks the specification: a range for every input dimension, and the dimensions of the result, each with the
 * input axis it comes from (MLIA_NONE: a new axis). */
static uint32_t walk(lowering *l, const strided *s, const operand *x, range ranges[MAX_RANK],
                     int64_t dims[MAX_RANK], uint32_t from[MAX_RANK])
{
    uint32_t plain = 0; /* entries that consume a dimension */
    uint32_t axis = 0;
    uint32_t rank = 0;
    for (uint32_t i = 0; i < s->count; i++)
        plain += !bit(s->ellipsis_mask, i) && !bit(s->new_axis_mask, i);
    uint32_t rest = x->rank > plain ? x->rank - plain : 0;
    bool expanded = false;
    for (uint32_t i = 0; i < s->count && l->fault == NULL; i++) {
        if (bit(s->ellipsis_mask, i) && !expanded) {
            expanded = true;
            for (; rest > 0 && axis < x->rank; rest--, axis++) {
                ranges[axis] = (range){0, 1, x->dims[axis], false};
                from[rank] = axis;
                dims[rank++] = x->dims[axis];
            }
        } else if (bit(s->new_axis_mask, i)) {
            if (rank < MAX_RANK) {
                from[rank] = MLIA_NONE;
                dims[rank++] = 1;
            }
        } else if (axis < x->rank) {
            ranges[axis] = one_range(l, s, i, x->dims[axis]);
            if (!ranges[axis].dropped && rank < MAX_RANK) {
                from[rank] = axis;
                dims[rank++] = ranges[axis].size;
            }
            axis++;
        } else {
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "more entries than dimensions");
        }
    }
    for (; axis < x->rank && rank < MAX_RANK; axis++) {
        ranges[axis] = (range){0, 1, x->dims[axis], false};
        from[rank] = axis;
        dims[rank++] = x->dims[axis];
    }
    return rank;
}

/* Takes every `stride`-th element along one axis: split the axis into (size, stride) and keep the first of
 * each. */
static uint32_t take_strided(lowering *l, uint32_t y, uint32_t axis, int64_t size, int64_t stride)
{
    int64_t dims[MAX_RANK];
    int64_t apart[MAX_RANK + 1];
    uint32_t rank = VALUE_RANK(l, y);
    if (y == MLIA_NONE)
        return y;
    memcpy(dims, VALUE_DIMS(l, y), rank * sizeof *dims);
    int64_t missing = size * stride - dims[axis];
    if (missing > 0) {
        int64_t pads[2 * MAX_RANK] = {0};
        pads[2 * axis + 1] = missing;
        y = mlia_emit_pad(l, y, pads, mlia_emit_scalar(l, VALUE_TYPE(l, y), 1, 0.0));
    } else {
        y = mlia_emit_part(l, y, axis, 0, size * stride);
    }
    /* Merge everything before and behind the axis, so that the rank stays at four. */
    int64_t before = 1;
    int64_t behind = 1;
    for (uint32_t i = 0; i < axis; i++)
        before *= dims[i];
    for (uint32_t i = axis + 1; i < rank; i++)
        behind *= dims[i];
    apart[0] = before;
    apart[1] = size;
    apart[2] = stride;
    apart[3] = behind;
    y = mlia_emit_part(l, mlia_emit_reshape(l, y, 4, apart), 2, 0, 1);
    dims[axis] = size;
    return mlia_emit_reshape(l, y, rank, dims);
}

/* The same ranges of a constant. */
static bool fold_ranges(lowering *l, const operand *x, const range *ranges, uint32_t rank,
                        const int64_t *dims, const uint32_t *from)
{
    int64_t own[MAX_RANK];
    int64_t strides[MAX_RANK] = {0};
    int64_t offset = 0;
    mlia_fold_strides(x, own);
    for (uint32_t i = 0; i < x->rank; i++)
        offset += ranges[i].begin * own[i];
    for (uint32_t i = 0; i < rank; i++)
        if (from[i] != MLIA_NONE)
            strides[i] = ranges[from[i]].stride * own[from[i]];
    return mlia_fold_view(l, 0, x, rank, dims, offset, strides);
}

void mlia_lower_strided_slice(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    strided s = {
        .begin_mask = (uint32_t)mlia_lower_option(l, MLIA_TFLITE_StridedSliceOptions_begin_mask),
        .end_mask = (uint32_t)mlia_lower_option(l, MLIA_TFLITE_StridedSliceOptions_end_mask),
        .ellipsis_mask = (uint32_t)mlia_lower_option(l, MLIA_TFLITE_StridedSliceOptions_ellipsis_mask),
        .new_axis_mask = (uint32_t)mlia_lower_option(l, MLIA_TFLITE_StridedSliceOptions_new_axis_mask),
        .shrink_mask = (uint32_t)mlia_lower_option(l, MLIA_TFLITE_StridedSliceOptions_shrink_axis_mask),
        .offset = mlia_lower_option(l, MLIA_TFLITE_StridedSliceOptions_offset) != 0,
    };
    uint32_t ends = 0;
    uint32_t strides = 0;
    s.begin = mlia_lower_integers(l, mlia_lower_required(l, 1), MAX_RANK, &s.count);
    s.end = mlia_lower_integers(l, mlia_lower_required(l, 2), MAX_RANK, &ends);
    s.stride = mlia_lower_integers(l, mlia_lower_required(l, 3), MAX_RANK, &strides);
    if (l->fault == NULL && (ends != s.count || strides != s.count))
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "begin, end and strides differ in length");
    if (l->fault != NULL)
        return;
    range ranges[MAX_RANK];
    int64_t dims[MAX_RANK];
    uint32_t from[MAX_RANK];
    uint32_t rank = walk(l, &s, x, ranges, dims, from);
    if (l->fault != NULL || fold_ranges(l, x, ranges, rank, dims, from))
        return;
    uint32_t y = mlia_lower_value(l, x);
    for (uint32_t i = 0; i < x->rank && l->fault == NULL; i++) {
        range r = ranges[i];
        if (r.stride < 0) {
            y = mlia_emit_reverse(l, y, i);
            r.begin = x->dims[i] - 1 - r.begin;
            r.stride = -r.stride;
        }
        int64_t reach = r.stride == 1 ? r.size : x->dims[i] - r.begin;
        y = mlia_emit_part(l, y, i, r.begin, reach);
        if (r.stride > 1)
            y = take_strided(l, y, i, r.size, r.stride);
    }
    if (l->fault == NULL)
        mlia_lower_set(l, 0, mlia_emit_reshape(l, y, rank, dims));
}

/* BOOL: true where the padded update has elements of its own; a large one is made of ones and zeros on the
 * device. */
static uint32_t update_mask(lowering *l, const operand *x, const operand *update, const int64_t *pads)
{
    enum { MOST = 1 << 16 };
    int64_t count = 1;
    for (uint32_t i = 0; i < x->rank; i++)
        count = mlia_lower_times(count, x->dims[i]);
    if (count > MOST) {
        uint32_t ones = mlia_emit_tile(l, mlia_emit_scalar(l, MLIA_TYPE_INT8, x->rank, 1.0), update->dims);
        ones = mlia_emit_pad(l, ones, pads, mlia_emit_scalar(l, MLIA_TYPE_INT8, 1, 0.0));
        return mlia_emit_cast(l, ones, MLIA_TYPE_BOOL);
    }
    uint8_t *bytes = MLIA_NEW_ARRAY(l->arena, uint8_t, (size_t)count);
    if (bytes == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    int64_t at[MAX_RANK] = {0};
    int64_t place = 0;
    do {
        bool inside = true;
        for (uint32_t i = 0; i < x->rank; i++)
            inside = inside && at[i] >= pads[2 * i] && at[i] < pads[2 * i] + update->dims[i];
        bytes[place++] = inside;
    } while (mlia_fold_next(x->rank, x->dims, at));
    return mlia_emit_const(l, MLIA_TYPE_BOOL, x->rank, x->dims, (mlia_bytes){bytes, (size_t)count});
}

/* A constant start: the padded update where the mask says so. */
void mlia_lower_dynamic_update_slice(lowering *l)
{
    operand *x = mlia_lower_required(l, 0);
    operand *update = mlia_lower_required(l, 1);
    operand *begin = mlia_lower_required(l, 2);
    if (l->fault == NULL && (begin->rank != 1 || begin->dims[0] != x->rank || update->rank != x->rank))
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "operand, update and start differ in rank");
    for (uint32_t i = 0; l->fault == NULL && i < x->rank; i++)
        if (update->dims[i] > x->dims[i])
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "an update of %lld into %lld along axis %u",
                             (long long)update->dims[i], (long long)x->dims[i], i);
    if (l->fault != NULL)
        return;
    if (memcmp(update->dims, x->dims, x->rank * sizeof *x->dims) == 0) {
        mlia_lower_set(l, 0, mlia_lower_value(l, update));
        return;
    }
    if (!begin->is_constant) {
        mlia_lower_computed_update(l, x, update, begin);
        return;
    }
    uint32_t count = 0;
    const int64_t *start = mlia_lower_integers(l, begin, MAX_RANK, &count);
    if (l->fault != NULL)
        return;
    int64_t pads[2 * MAX_RANK];
    for (uint32_t i = 0; i < x->rank; i++) {
        int64_t at = bounded(start[i], 0, x->dims[i] - update->dims[i]);
        pads[2 * i] = at;
        pads[2 * i + 1] = x->dims[i] - update->dims[i] - at;
    }
    uint32_t value = mlia_lower_value(l, update);
    uint32_t type = VALUE_TYPE(l, value);
    uint32_t moved = mlia_emit_pad(l, value, pads, mlia_emit_scalar(l, type, 1, 0.0));
    uint32_t mask = update_mask(l, x, update, pads);
    mlia_lower_set(l, 0, mlia_emit_select(l, mask, moved, mlia_lower_value(l, x)));
}
