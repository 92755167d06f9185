/* Limits of level 8K: sizes that an implementation must support at least. A graph beyond them is legal, and
 * the model converter takes it; whether a device does is another matter, so these findings are advice. */
#include "graph/verify.h"

enum {
    MAX_RANK = 6,
    MAX_KERNEL = 8192,
    MAX_STRIDE = 8192,
    MAX_SCALE = 256,
    MAX_LOG2_SIZE = 31,
    MAX_NESTING = 6,
    MAX_TENSOR_LIST_SIZE = 64,
    MAX_SHAPE_LENGTH = 16,
};

static mlia_status *check(mlia_verifier *verifier, const char *what, mlia_wide number, int64_t limit,
                          const char *limit_name)
{
    if (number <= limit)
        return NULL;
    long long shown = number > INT64_MAX ? INT64_MAX : (long long)number;
    return mlia_verify_add(verifier, MLIA_RULE_LEVEL, "%s %lld is above %lld (%s of level 8K)", what, shown,
                           (long long)limit, limit_name);
}

static mlia_status *check_list(mlia_verifier *verifier, const char *what, const mlia_int_list *list,
                               int64_t limit, const char *limit_name)
{
    int32_t largest = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->values[i] > largest)
            largest = list->values[i];
    return check(verifier, what, largest, limit, limit_name);
}

static mlia_status *check_operand(mlia_verifier *verifier, const char *what, uint32_t input, int64_t limit,
                                  const char *limit_name)
{
    const mlia_graph_value *value = &verifier->graph->values[verifier->op->inputs[input]];
    int64_t largest = 0;
    for (uint32_t i = 0; value->shape_values != NULL && i < value->rank; i++)
        if (value->shape_values[i] > largest)
            largest = value->shape_values[i];
    return check(verifier, what, largest, limit, limit_name);
}

/* Rank and size of a tensor, numbers of a shape. */
static mlia_status *check_value(mlia_verifier *verifier, const mlia_graph_value *value)
{
    uint64_t bytes;
    if (value->kind == MLIA_KIND_SHAPE) {
        for (uint32_t i = 0; value->shape_values != NULL && i < value->rank; i++)
            if (value->shape_values[i] < -(INT64_C(1) << MAX_LOG2_SIZE) ||
                value->shape_values[i] >= INT64_C(1) << MAX_LOG2_SIZE)
                return mlia_verify_add(verifier, MLIA_RULE_LEVEL,
                                       "%lld in shape" MLIA_NAME
                                       " does not fit 32 bits (MAX_LOG2_SIZE of level 8K)",
                                       (long long)value->shape_values[i], MLIA_NAME_ARG(value->name));
        return NULL;
    }
    MLIA_TRY(check(verifier, "rank", value->rank, MAX_RANK, "MAX_RANK"));
    if (mlia_value_bytes(value, &bytes) && bytes >= UINT64_C(1) << MAX_LOG2_SIZE)
        return mlia_verify_add(verifier, MLIA_RULE_LEVEL,
                               "tensor" MLIA_NAME " has %llu bytes, 2^31 or more (MAX_LOG2_SIZE of level 8K)",
                               MLIA_NAME_ARG(value->name), (unsigned long long)bytes);
    return NULL;
}

/* Results, and the inputs that nothing in the graph produces: so each value is named once, more or less. */
static mlia_status *check_values(mlia_verifier *verifier)
{
    const mlia_operator *op = verifier->op;
    for (uint32_t i = 0; i < op->output_count; i++)
        MLIA_TRY(check_value(verifier, &verifier->graph->values[op->outputs[i]]));
    for (uint32_t i = 0; i < op->input_count; i++)
        if (verifier->graph->values[op->inputs[i]].producer == MLIA_NONE)
            MLIA_TRY(check_value(verifier, &verifier->graph->values[op->inputs[i]]));
    return NULL;
}

/* Dilated kernel of a convolution: dilation × kernel size per axis. */
static mlia_status *check_dilated_kernel(mlia_verifier *verifier)
{
    const mlia_operator *op = verifier->op;
    const mlia_graph_value *weight = &verifier->graph->values[op->inputs[1]];
    const mlia_int_list *dilation = &op->attributes->dilation;
    uint32_t first = op->op == MLIA_OP_DEPTHWISE_CONV2D ? 0 : 1; /* [KH, KW, C, M], else [OC, …, IC] */
    uint32_t axes = op->op == MLIA_OP_CONV3D ? 3 : 2;
    if (weight->unranked || weight->rank < first + axes)
        return NULL;
    for (uint32_t i = 0; i < axes; i++) {
        int32_t factor = i < dilation->count ? dilation->values[i] : 1;
        MLIA_TRY(check(verifier, "dilation times kernel", (mlia_wide)weight->dims[first + i] * factor,
                       MAX_KERNEL, "MAX_KERNEL"));
    }
    return NULL;
}

static mlia_status *check_windows(mlia_verifier *verifier)
{
    const mlia_attributes *attributes = verifier->op->attributes;
    MLIA_TRY(check_list(verifier, "kernel", &attributes->kernel, MAX_KERNEL, "MAX_KERNEL"));
    MLIA_TRY(check_list(verifier, "pad", &attributes->pad, MAX_KERNEL, "MAX_KERNEL"));
    MLIA_TRY(check_list(verifier, "out_pad", &attributes->out_pad, MAX_KERNEL, "MAX_KERNEL"));
    return check_list(verifier, "stride", &attributes->stride, MAX_STRIDE, "MAX_STRIDE");
}

static mlia_status *check_adaptive_pool(mlia_verifier *verifier)
{
    uint32_t first = verifier->op->input_count - 3;
    MLIA_TRY(check_operand(verifier, "kernel", first, MAX_KERNEL, "MAX_KERNEL"));
    MLIA_TRY(check_operand(verifier, "stride", first + 1, MAX_STRIDE, "MAX_STRIDE"));
    return check_operand(verifier, "pad", first + 2, MAX_KERNEL, "MAX_KERNEL");
}

/* CONV2D_BLOCK_SCALED has its pad and stride as operands. */
static mlia_status *check_block_scaled(mlia_verifier *verifier)
{
    MLIA_TRY(check_operand(verifier, "pad", 5, MAX_KERNEL, "MAX_KERNEL"));
    return check_operand(verifier, "stride", 6, MAX_STRIDE, "MAX_STRIDE");
}

static mlia_status *check_transform(mlia_verifier *verifier)
{
    const mlia_graph_value *input = &verifier->graph->values[verifier->op->inputs[0]];
    for (uint32_t i = 1; i < input->rank; i++)
        MLIA_TRY(check(verifier, i == 1 ? "height" : "width", input->dims[i], MAX_KERNEL, "MAX_KERNEL"));
    return NULL;
}

static mlia_status *check_scale(mlia_verifier *verifier)
{
    const mlia_graph_value *scale = &verifier->graph->values[verifier->op->inputs[1]];
    for (uint32_t i = 0; scale->shape_values != NULL && i + 1 < scale->rank; i += 2) {
        int64_t numerator = scale->shape_values[i];
        int64_t denominator = scale->shape_values[i + 1];
        if (denominator > 0 && (mlia_wide)numerator > (mlia_wide)denominator * MAX_SCALE)
            return mlia_verify_add(verifier, MLIA_RULE_LEVEL,
                                   "scale %lld/%lld is above %d (MAX_SCALE of level 8K)",
                                   (long long)numerator, (long long)denominator, MAX_SCALE);
    }
    return NULL;
}

static mlia_status *check_list_size(mlia_verifier *verifier)
{
    uint32_t size = verifier->op->input_count;
    if (verifier->op->output_count > size)
        size = verifier->op->output_count;
    return check(verifier, "list of", size, MAX_TENSOR_LIST_SIZE, "MAX_TENSOR_LIST_SIZE");
}

static mlia_status *check_nesting(mlia_verifier *verifier)
{
    uint32_t depth = 1;
    const mlia_graph *graph = verifier->graph;
    uint32_t parent = graph->regions[graph->blocks[verifier->op->block].region].parent;
    for (; parent != MLIA_NONE; depth++)
        parent = graph->regions[graph->blocks[graph->operators[parent].block].region].parent;
    MLIA_TRY(check(verifier, "nesting", depth, MAX_NESTING, "MAX_NESTING"));
    return check_list_size(verifier);
}

static mlia_status *check_shape_length(mlia_verifier *verifier)
{
    for (uint32_t i = 0; i < verifier->op->input_count; i++)
        MLIA_TRY(check(verifier, "shape length", verifier->graph->values[verifier->op->inputs[i]].rank,
                       MAX_SHAPE_LENGTH, "MAX_SHAPE_LEN"));
    return verifier->op->op == MLIA_OP_CONCAT_SHAPE ? check_list_size(verifier) : NULL;
}

static mlia_status *check_operator(mlia_verifier *verifier)
{
    switch (verifier->op->op) {
    case MLIA_OP_CONV2D:
    case MLIA_OP_CONV3D:
    case MLIA_OP_DEPTHWISE_CONV2D:
    case MLIA_OP_TRANSPOSE_CONV2D:
        MLIA_TRY(check_dilated_kernel(verifier));
        return check_windows(verifier);
    case MLIA_OP_AVG_POOL2D:
    case MLIA_OP_MAX_POOL2D:
        return check_windows(verifier);
    case MLIA_OP_AVG_POOL2D_ADAPTIVE:
    case MLIA_OP_MAX_POOL2D_ADAPTIVE:
        return check_adaptive_pool(verifier);
    case MLIA_OP_CONV2D_BLOCK_SCALED:
        return check_block_scaled(verifier);
    case MLIA_OP_FFT2D:
    case MLIA_OP_RFFT2D:
        return check_transform(verifier);
    case MLIA_OP_RESIZE:
        return check_scale(verifier);
    case MLIA_OP_CONCAT:
    case MLIA_OP_CUSTOM:
        return check_list_size(verifier);
    case MLIA_OP_COND_IF:
    case MLIA_OP_WHILE_LOOP:
        return check_nesting(verifier);
    default:
        return mlia_op_describe(verifier->op->op)->group == MLIA_GROUP_SHAPE &&
                       verifier->op->op != MLIA_OP_DIM
                   ? check_shape_length(verifier)
                   : NULL;
    }
}

mlia_status *mlia_verify_level(mlia_verifier *verifier)
{
    MLIA_TRY(check_values(verifier));
    return check_operator(verifier);
}
