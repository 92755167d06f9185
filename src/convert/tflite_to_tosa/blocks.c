/* Blocks of space moved into depth or batch, and back: SPACE_TO_DEPTH, DEPTH_TO_SPACE, SPACE_TO_BATCH_ND,
 * BATCH_TO_SPACE_ND. */
#include "convert/tflite_to_tosa/rules.h"

static bool image(lowering *l, operand **x)
{
    *x = mlia_lower_required(l, 0);
    if (l->fault == NULL && (*x)->rank != 4)
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "the input must have rank 4, not %u", (*x)->rank);
    return l->fault == NULL;
}

static const uint32_t block_order[6] = {0, 1, 3, 2, 4, 5};

void mlia_lower_space_to_depth(lowering *l)
{
    operand *x;
    if (!image(l, &x))
        return;
    int64_t b = mlia_lower_option(l, MLIA_TFLITE_SpaceToDepthOptions_block_size);
    if (b < 1 || x->dims[1] % b != 0 || x->dims[2] % b != 0) {
        mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "blocks of %lld on %lld x %lld", (long long)b,
                         (long long)x->dims[1], (long long)x->dims[2]);
        return;
    }
    int64_t apart[6] = {x->dims[0], x->dims[1] / b, b, x->dims[2] / b, b, x->dims[3]};
    int64_t dims[4] = {apart[0], apart[1], apart[3], b * b * x->dims[3]};
    uint32_t y = mlia_emit_transpose(l, mlia_emit_reshape(l, mlia_lower_value(l, x), 6, apart), block_order);
    mlia_lower_set(l, 0, mlia_emit_reshape(l, y, 4, dims));
}

void mlia_lower_depth_to_space(lowering *l)
{
    operand *x;
    if (!image(l, &x))
        return;
    int64_t b = mlia_lower_option(l, MLIA_TFLITE_DepthToSpaceOptions_block_size);
    if (b < 1 || x->dims[3] % (b * b) != 0) {
        mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "blocks of %lld on %lld channels", (long long)b,
                         (long long)x->dims[3]);
        return;
    }
    int64_t apart[6] = {x->dims[0], x->dims[1], x->dims[2], b, b, x->dims[3] / (b * b)};
    int64_t dims[4] = {apart[0], apart[1] * b, apart[2] * b, apart[5]};
    uint32_t y = mlia_emit_transpose(l, mlia_emit_reshape(l, mlia_lower_value(l, x), 6, apart), block_order);
    mlia_lower_set(l, 0, mlia_emit_reshape(l, y, 4, dims));
}

/* Blocks and the pairs of paddings or crops of the two batch operators. */
static bool blocks(lowering *l, operand **x, const int64_t **block, const int64_t **edges, uint32_t *count)
{
    uint32_t edge_count = 0;
    *x = mlia_lower_required(l, 0);
    *block = mlia_lower_integers(l, mlia_lower_required(l, 1), MAX_RANK, count);
    *edges = mlia_lower_integers(l, mlia_lower_required(l, 2), 2 * MAX_RANK, &edge_count);
    if (l->fault == NULL && (edge_count != 2 * *count || *count + 1 > (*x)->rank))
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "%u blocks and %u edges for rank %u", *count, edge_count,
                         (*x)->rank);
    for (uint32_t i = 0; l->fault == NULL && i < *count; i++)
        if ((*block)[i] < 1)
            mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "a block of %lld", (long long)(*block)[i]);
    return l->fault == NULL;
}

/* Several axes at once, as many as the rank leaves room for: the number of blocks from `from` on that one
 * step takes. */
static uint32_t group_end(const int64_t *block, uint32_t from, uint32_t count, uint32_t rank)
{
    uint32_t room = rank < TOSA_MAX_RANK ? TOSA_MAX_RANK - rank : 1;
    uint32_t i = from;
    for (uint32_t used = 0; i < count && used + (block[i] > 1) <= room; i++)
        used += block[i] > 1;
    return i;
}

/* [n, …, d, …] → [n, …, d/b, b, …] → [b, n, …, d/b, …] → [b·n, …] for the axes of blocks from … to - 1. */
static uint32_t into_batch(lowering *l, uint32_t x, const int64_t *block, uint32_t from, uint32_t to)
{
    int64_t dims[MAX_RANK];
    int64_t apart[2 * MAX_RANK];
    uint32_t order[2 * MAX_RANK];
    uint32_t rest[2 * MAX_RANK];
    uint32_t used = 0;
    uint32_t front = 0;
    uint32_t behind = 0;
    uint32_t rank = VALUE_RANK(l, x);
    memcpy(dims, VALUE_DIMS(l, x), rank * sizeof *dims);
    for (uint32_t axis = 0; axis < rank; axis++) {
        int64_t b = axis > from && axis <= to ? block[axis - 1] : 1;
        if (dims[axis] % b != 0) {
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "%lld is no multiple of the block %lld",
                             (long long)dims[axis], (long long)b);
            return MLIA_NONE;
        }
        rest[behind++] = used;
        apart[used++] = dims[axis] / b;
        if (b == 1)
            continue;
        order[front++] = used;
        apart[used++] = b;
        dims[axis] /= b;
        dims[0] *= b;
    }
    memcpy(order + front, rest, behind * sizeof *rest);
    if (used > TOSA_MAX_RANK)
        return mlia_emit_reshape(l, x, used, apart); /* says what is wrong */
    return mlia_emit_reshape(l, mlia_emit_transpose(l, mlia_emit_reshape(l, x, used, apart), order), rank,
                             dims);
}

/* The inverse: [b·n, …, d, …] → [b, n, …, d, …] → [n, …, d, b, …] → [n, …, d·b, …]. */
static uint32_t out_of_batch(lowering *l, uint32_t x, const int64_t *block, uint32_t from, uint32_t to)
{
    int64_t dims[MAX_RANK];
    int64_t apart[2 * MAX_RANK];
    uint32_t order[2 * MAX_RANK];
    uint32_t used = 0;
    uint32_t rank = VALUE_RANK(l, x);
    memcpy(dims, VALUE_DIMS(l, x), rank * sizeof *dims);
    for (uint32_t i = from; i < to; i++) {
        if (dims[0] % block[i] != 0) {
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "a batch of %lld is no multiple of the block %lld",
                             (long long)dims[0], (long long)block[i]);
            return MLIA_NONE;
        }
        dims[0] /= block[i];
        if (block[i] > 1)
            apart[used++] = block[i];
    }
    uint32_t own = 0;
    uint32_t placed = 0;
    memcpy(apart + used, dims, rank * sizeof *dims);
    for (uint32_t axis = 0; axis < rank; axis++) {
        order[placed++] = used + axis;
        if (axis <= from || axis > to || block[axis - 1] == 1)
            continue;
        order[placed++] = own++;
        dims[axis] *= block[axis - 1];
    }
    if (placed > TOSA_MAX_RANK)
        return mlia_emit_reshape(l, x, placed, apart); /* says what is wrong */
    return mlia_emit_reshape(l, mlia_emit_transpose(l, mlia_emit_reshape(l, x, placed, apart), order), rank,
                             dims);
}

void mlia_lower_space_to_batch_nd(lowering *l)
{
    operand *x;
    const int64_t *block;
    const int64_t *edges;
    uint32_t count;
    if (!blocks(l, &x, &block, &edges, &count))
        return;
    int64_t pads[2 * MAX_RANK] = {0};
    uint32_t ends[MAX_RANK];
    uint32_t groups = 0;
    memcpy(pads + 2, edges, 2 * (size_t)count * sizeof *pads);
    uint32_t y = mlia_lower_value(l, x);
    y = mlia_emit_pad(
        l, y, pads,
        mlia_emit_scalar(l, VALUE_TYPE(l, y), 1, mlia_lower_is_float(x) ? 0.0 : mlia_lower_zero(x)));
    for (uint32_t i = 0; i < count;)
        i = ends[groups++] = group_end(block, i, count, x->rank);
    /* Later axes come out in front of earlier ones, so they go last to first. */
    for (uint32_t g = groups; g > 0 && y != MLIA_NONE; g--)
        y = into_batch(l, y, block, g > 1 ? ends[g - 2] : 0, ends[g - 1]);
    mlia_lower_set(l, 0, y);
}

void mlia_lower_batch_to_space_nd(lowering *l)
{
    operand *x;
    const int64_t *block;
    const int64_t *edges;
    uint32_t count;
    if (!blocks(l, &x, &block, &edges, &count))
        return;
    uint32_t y = mlia_lower_value(l, x);
    for (uint32_t i = 0; i < count && y != MLIA_NONE;) {
        uint32_t end = group_end(block, i, count, x->rank);
        y = out_of_batch(l, y, block, i, end);
        i = end;
    }
    if (y == MLIA_NONE)
        return;
    int64_t start[MAX_RANK] = {0};
    int64_t size[MAX_RANK];
    memcpy(size, VALUE_DIMS(l, y), VALUE_RANK(l, y) * sizeof *size);
    for (uint32_t i = 0; i < count; i++) {
        start[i + 1] = edges[2 * i];
        size[i + 1] -= edges[2 * i] + edges[2 * i + 1];
    }
    mlia_lower_set(l, 0, mlia_emit_slice(l, y, start, size));
}
