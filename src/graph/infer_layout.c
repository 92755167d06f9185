/* Shape rules of the operators that move elements: CONCAT, PAD, RESHAPE, SLICE, TILE, TRANSPOSE, GATHER,
 * SCATTER. */
#include "graph/infer.h"

static mlia_status *check_result_dim(mlia_wide size, size_t dimension)
{
    if (size > INT64_MAX)
        return MLIA_SHAPE_ERROR("dimension %zu of the result is too large", dimension);
    return NULL;
}

mlia_status *mlia_infer_concat(mlia_infer *infer)
{
    if (infer->op->input_count == 0)
        return MLIA_SHAPE_ERROR("the list of inputs is empty");
    uint32_t axis = 0;
    MLIA_TRY(mlia_infer_axis(infer, &axis));
    const mlia_graph_value *first = mlia_infer_input(infer, 0);
    mlia_infer_set_like(infer, 0, first);
    int64_t *dims = infer->results[0].dims;
    for (uint32_t i = 1; i < infer->op->input_count; i++) {
        const mlia_graph_value *part = mlia_infer_input(infer, i);
        if (part->rank != first->rank)
            return MLIA_SHAPE_ERROR("input %u has rank %u, input 0 has %u", i, part->rank, first->rank);
        for (uint32_t d = 0; d < first->rank; d++) {
            if (d == axis) {
                mlia_wide sum = (mlia_wide)dims[d] + part->dims[d];
                MLIA_TRY(check_result_dim(sum, d));
                dims[d] = dims[d] < 0 || part->dims[d] < 0 ? MLIA_DIM_UNKNOWN : (int64_t)sum;
            } else if (mlia_dims_agree(dims[d], part->dims[d])) {
                dims[d] = mlia_dims_known_one(dims[d], part->dims[d]);
            } else {
                return MLIA_SHAPE_ERROR("dimension %u of input %u is %lld, of the inputs before %lld", d, i,
                                        (long long)part->dims[d], (long long)dims[d]);
            }
        }
    }
    return NULL;
}

mlia_status *mlia_infer_pad(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    int64_t padding[2 * MLIA_RANK_LIMIT];
    bool known;
    MLIA_TRY(mlia_infer_operand(infer, 1, "padding", 2 * input->rank, 0, padding, &known));
    if (!known)
        return NULL;
    int64_t dims[MLIA_RANK_LIMIT];
    for (size_t i = 0; i < input->rank; i++) {
        mlia_wide size = (mlia_wide)input->dims[i] + padding[2 * i] + padding[2 * i + 1];
        MLIA_TRY(check_result_dim(size, i));
        dims[i] = input->dims[i] < 0 ? MLIA_DIM_UNKNOWN : (int64_t)size;
    }
    mlia_infer_set(infer, 0, input->rank, dims);
    return NULL;
}

/* --- RESHAPE --- */

/* Product of the known dimensions; *complete false when some are unknown. False when it does not fit. */
static bool known_product(uint32_t rank, const int64_t *dims, int64_t *result, bool *complete)
{
    mlia_wide count = 1;
    *complete = true;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] < 0) {
            *complete = false;
            continue;
        }
        count *= dims[i];
        if (count > INT64_MAX)
            return false;
    }
    *result = (int64_t)count;
    return true;
}

static mlia_status *check_target(uint32_t rank, const int64_t *target, uint32_t *wildcard)
{
    *wildcard = MLIA_NONE;
    if (rank > MLIA_RANK_LIMIT)
        return MLIA_SHAPE_ERROR("the shape has rank %u, at most %d is possible", rank, MLIA_RANK_LIMIT);
    for (uint32_t i = 0; i < rank; i++) {
        if (target[i] < -1 || target[i] == 0)
            return MLIA_SHAPE_ERROR("dimension %u of the shape is %lld, must be at least 1", i,
                                    (long long)target[i]);
        if (target[i] != MLIA_DIM_UNKNOWN)
            continue;
        if (*wildcard != MLIA_NONE)
            return MLIA_SHAPE_ERROR("the shape has more than one -1");
        *wildcard = i;
    }
    return NULL;
}

/* The shape that `input` takes: target with its -1 resolved where the input's element count is known. */
static mlia_status *reshape(const mlia_infer *infer, const mlia_graph_value *input, uint32_t rank,
                            int64_t *target)
{
    uint32_t wildcard = MLIA_NONE;
    MLIA_TRY(check_target(rank, target, &wildcard));
    int64_t have = 0;
    int64_t want = 0;
    bool complete = false;
    bool ignored;
    if (!known_product(rank, target, &want, &ignored) ||
        (!input->unranked && !known_product(input->rank, input->dims, &have, &complete)))
        return MLIA_SHAPE_ERROR("the element count is too large");
    if (!complete)
        return NULL;
    if (wildcard != MLIA_NONE && want > 0 && have % want == 0) {
        target[wildcard] = have / want;
        return NULL;
    }
    if (wildcard == MLIA_NONE && have == want)
        return NULL;
    return MLIA_SHAPE_ERROR("input" MLIA_NAME " %.*s has %lld elements, the shape %.*s %s %lld",
                            MLIA_NAME_ARG(input->name),
                            MLIA_STR_ARG(mlia_dims_text(infer->arena, input->rank, input->dims)),
                            (long long)have, MLIA_STR_ARG(mlia_dims_text(infer->arena, rank, target)),
                            wildcard == MLIA_NONE ? "has" : "needs a multiple of", (long long)want);
}

/* The list of a block-scaled operator is data alone (block size 1) or data and scale (block size 32). */
static mlia_status *check_list(const mlia_infer *infer, uint32_t list_size)
{
    uint32_t expected = list_size == 1 ? 1 : 32;
    if (list_size < 1 || list_size > 2 || infer->op->output_count != list_size)
        return MLIA_ATTRIBUTE_ERROR("%u inputs and %u outputs in the lists, must be one or two of each",
                                    list_size, infer->op->output_count);
    if (infer->op->attributes->block_size != expected)
        return MLIA_ATTRIBUTE_ERROR("block_size is %u, must be %u for a list of %u",
                                    infer->op->attributes->block_size, expected, list_size);
    if (list_size == 2)
        return mlia_infer_check_scale(infer, mlia_infer_input(infer, 0), mlia_infer_input(infer, 1));
    return NULL;
}

mlia_status *mlia_infer_reshape(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    const mlia_graph_value *shape = mlia_infer_input(infer, infer->op->input_count - 1);
    if (infer->op->op == MLIA_OP_RESHAPE_BLOCK_SCALED)
        MLIA_TRY(check_list(infer, infer->op->input_count - 1));
    if (shape->shape_values == NULL)
        return NULL;
    int64_t target[MLIA_RANK_LIMIT] = {0};
    if (shape->rank <= MLIA_RANK_LIMIT && shape->rank > 0)
        memcpy(target, shape->shape_values, shape->rank * sizeof *target);
    MLIA_TRY(reshape(infer, input, shape->rank, target));
    mlia_infer_set(infer, 0, shape->rank, target);
    if (infer->op->output_count < 2)
        return NULL;
    if (shape->rank == 0 || target[shape->rank - 1] % 32 > 0)
        return MLIA_SHAPE_ERROR("the last dimension of the shape must be a multiple of 32");
    if (target[shape->rank - 1] > 0)
        target[shape->rank - 1] /= 32;
    mlia_infer_set(infer, 1, shape->rank, target);
    return NULL;
}

/* --- SLICE, TILE, TRANSPOSE --- */

mlia_status *mlia_infer_slice(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    int64_t start[MLIA_RANK_LIMIT];
    int64_t size[MLIA_RANK_LIMIT];
    bool start_known;
    bool size_known;
    MLIA_TRY(mlia_infer_operand(infer, 1, "start", input->rank, 0, start, &start_known));
    MLIA_TRY(mlia_infer_operand(infer, 2, "size", input->rank, -1, size, &size_known));
    if (!start_known || !size_known)
        return NULL;
    for (uint32_t i = 0; i < input->rank; i++) {
        int64_t dim = input->dims[i];
        if (size[i] == MLIA_DIM_UNKNOWN && dim >= 0)
            size[i] = dim - start[i];
        if (size[i] == 0 || (dim >= 0 && (size[i] < 1 || (mlia_wide)start[i] + size[i] > dim)))
            return MLIA_SHAPE_ERROR("start %lld and size %lld leave dimension %u, which is %lld",
                                    (long long)start[i], (long long)size[i], i, (long long)dim);
    }
    mlia_infer_set(infer, 0, input->rank, size);
    return NULL;
}

mlia_status *mlia_infer_tile(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    int64_t multiples[MLIA_RANK_LIMIT] = {0};
    bool known;
    MLIA_TRY(mlia_infer_operand(infer, 1, "multiples", input->rank, 1, multiples, &known));
    if (!known)
        return NULL;
    for (uint32_t i = 0; i < input->rank; i++) {
        mlia_wide size = (mlia_wide)input->dims[i] * multiples[i];
        MLIA_TRY(check_result_dim(size, i));
        multiples[i] = input->dims[i] < 0 ? MLIA_DIM_UNKNOWN : (int64_t)size;
    }
    mlia_infer_set(infer, 0, input->rank, multiples);
    return NULL;
}

mlia_status *mlia_infer_transpose(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    int64_t perms[MLIA_RANK_LIMIT];
    int64_t dims[MLIA_RANK_LIMIT];
    bool taken[MLIA_RANK_LIMIT] = {false};
    MLIA_TRY(mlia_infer_list(&infer->op->attributes->perms, "perms", input->rank, 0, perms));
    for (uint32_t i = 0; i < input->rank; i++) {
        if (perms[i] >= input->rank || taken[perms[i]])
            return MLIA_ATTRIBUTE_ERROR("perms is not a permutation of 0 to %u", input->rank - 1);
        taken[perms[i]] = true;
        dims[i] = input->dims[perms[i]];
    }
    mlia_infer_set(infer, 0, input->rank, dims);
    return NULL;
}

/* --- GATHER, SCATTER --- */

static mlia_status *check_equal(const char *what, int64_t a, int64_t b)
{
    if (!mlia_dims_agree(a, b))
        return MLIA_SHAPE_ERROR("%s differs between the inputs: %lld and %lld", what, (long long)a,
                                (long long)b);
    return NULL;
}

/* values [N, K, C], indices [N, W] → [N, W, C]. */
mlia_status *mlia_infer_gather(mlia_infer *infer)
{
    const mlia_graph_value *values = mlia_infer_input(infer, 0);
    const mlia_graph_value *indices = mlia_infer_input(infer, 1);
    MLIA_TRY(check_equal("the batch", values->dims[0], indices->dims[0]));
    int64_t batch = mlia_dims_known_one(values->dims[0], indices->dims[0]);
    mlia_infer_set(infer, 0, 3, (const int64_t[]){batch, indices->dims[1], values->dims[2]});
    return NULL;
}

/* values_in [N, K, C], indices [N, W], input [N, W, C] → [N, K, C]. */
mlia_status *mlia_infer_scatter(mlia_infer *infer)
{
    const mlia_graph_value *values = mlia_infer_input(infer, 0);
    const mlia_graph_value *indices = mlia_infer_input(infer, 1);
    const mlia_graph_value *input = mlia_infer_input(infer, 2);
    MLIA_TRY(check_equal("the batch", values->dims[0], indices->dims[0]));
    MLIA_TRY(check_equal("the batch", values->dims[0], input->dims[0]));
    MLIA_TRY(check_equal("the number of indices", indices->dims[1], input->dims[1]));
    MLIA_TRY(check_equal("the number of channels", values->dims[2], input->dims[2]));
    return mlia_infer_same(infer);
}

/* values [N, K, C] (and its scale), indices [N, W], row_count [1] → [N, W · row_count, C]. */
mlia_status *mlia_infer_row_gather(mlia_infer *infer)
{
    uint32_t list_size = infer->op->input_count - 2;
    const mlia_graph_value *indices = mlia_infer_input(infer, list_size);
    const mlia_graph_value *row_count = mlia_infer_input(infer, list_size + 1);
    if (infer->op->op == MLIA_OP_ROW_GATHER_BLOCK_SCALED)
        MLIA_TRY(check_list(infer, list_size));
    int64_t rows;
    if (!mlia_constant_integer(row_count, 0, &rows))
        return NULL;
    if (rows < 1)
        return MLIA_SHAPE_ERROR("row_count is %lld, must be at least 1", (long long)rows);
    mlia_wide width = (mlia_wide)indices->dims[1] * rows;
    MLIA_TRY(check_result_dim(width, 1));
    for (uint32_t i = 0; i < list_size; i++) {
        const mlia_graph_value *values = mlia_infer_input(infer, i);
        MLIA_TRY(check_equal("the batch", values->dims[0], indices->dims[0]));
        int64_t batch = mlia_dims_known_one(values->dims[0], indices->dims[0]);
        int64_t size = indices->dims[1] < 0 ? MLIA_DIM_UNKNOWN : (int64_t)width;
        mlia_infer_set(infer, i, 3, (const int64_t[]){batch, size, values->dims[2]});
    }
    return NULL;
}
