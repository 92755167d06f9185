/* Logical work of operators: multiply-accumulates, other operations and bytes, exact and without padding to
 * hardware blocks (docs/formats/tosa.md). Anything that cannot be counted (unknown dimensions, overflow,
 * CUSTOM and foreign operators) is reported as unknown, never as zero. */
#include "base/checked.h"
#include "graph/rules.h"

/* What a rule looks at: the element counts of the first input and the first output, and the rest through the
 * operator. */
typedef struct counted {
    const mlia_graph *graph;
    const mlia_operator *op;
    uint64_t in;
    uint64_t out;
} counted;

/* Adds the operator's own work; false when it cannot be counted. */
typedef bool (*work_rule)(const counted *c, mlia_work *work);

static const mlia_graph_value *input_of(const counted *c, uint32_t index)
{
    return &c->graph->values[c->op->inputs[index]];
}

/* --- rules --- */

static bool no_work(const counted *c, mlia_work *work)
{
    (void)c;
    (void)work;
    return true;
}

static bool unknown_work(const counted *c, mlia_work *work)
{
    (void)c;
    (void)work;
    return false;
}

static bool one_per_output(const counted *c, mlia_work *work)
{
    work->operations = c->out;
    return true;
}

static bool two_per_output(const counted *c, mlia_work *work)
{
    return mlia_mul_u64(c->out, 2, &work->operations);
}

/* RESCALE: subtract, multiply and shift, add and clip. */
static bool three_per_output(const counted *c, mlia_work *work)
{
    return mlia_mul_u64(c->out, 3, &work->operations);
}

static bool transcendental(const counted *c, mlia_work *work)
{
    work->transcendental = c->out;
    return true;
}

static bool reduction(const counted *c, mlia_work *work)
{
    work->operations = c->in >= c->out ? c->in - c->out : 0;
    return true;
}

/* INT8 looks up, INT16 interpolates. */
static bool table(const counted *c, mlia_work *work)
{
    return mlia_mul_u64(c->out, input_of(c, 0)->type == MLIA_TYPE_INT16 ? 4 : 1, &work->operations);
}

/* Every output element needs one MAC per weight of its channel, and the bias one addition. */
static bool convolution(const counted *c, mlia_work *work)
{
    const mlia_graph_value *weight = input_of(c, c->op->op == MLIA_OP_CONV2D_BLOCK_SCALED ? 2 : 1);
    uint64_t weights;
    if (!mlia_value_elements(weight, &weights) || weight->dims[0] < 1)
        return false;
    work->operations = c->out;
    if (!mlia_mul_u64(c->out, weights / (uint64_t)weight->dims[0], &work->macs))
        return false;
    return c->op->op != MLIA_OP_CONV2D_BLOCK_SCALED ||
           mlia_add_u64(work->operations, work->macs / 32, &work->operations);
}

static bool depthwise_convolution(const counted *c, mlia_work *work)
{
    const int64_t *kernel = input_of(c, 1)->dims;
    uint64_t window;
    work->operations = c->out;
    return kernel[0] > 0 && kernel[1] > 0 &&
           mlia_mul_u64((uint64_t)kernel[0], (uint64_t)kernel[1], &window) &&
           mlia_mul_u64(c->out, window, &work->macs);
}

/* Every input element meets all weights of its channel, also those that out_pad crops away. */
static bool transposed_convolution(const counted *c, mlia_work *work)
{
    const mlia_graph_value *weight = input_of(c, 1);
    uint64_t weights;
    work->operations = c->out;
    return mlia_value_elements(weight, &weights) && weight->dims[3] > 0 &&
           mlia_mul_u64(c->in, weights / (uint64_t)weight->dims[3], &work->macs);
}

static bool matrix_product(const counted *c, mlia_work *work)
{
    int64_t depth = input_of(c, 0)->dims[2];
    if (depth < 0 || !mlia_mul_u64(c->out, (uint64_t)depth, &work->macs))
        return false;
    if (c->op->op == MLIA_OP_MATMUL_T_BLOCK_SCALED)
        work->operations = work->macs / 32;
    return true;
}

static uint32_t log2_floor(uint64_t x)
{
    return x > 1 ? 63 - (uint32_t)__builtin_clzll(x) : 0;
}

/* 5·N·H·W·log2(H·W), the operations of the fast algorithm; half of it for real input. */
static bool fourier_transform(const counted *c, mlia_work *work)
{
    const int64_t *dims = input_of(c, 0)->dims;
    uint64_t levels = log2_floor((uint64_t)dims[1]) + log2_floor((uint64_t)dims[2]);
    if (!mlia_mul_u64(c->in, 5 * levels, &work->operations))
        return false;
    if (c->op->op == MLIA_OP_RFFT2D)
        work->operations /= 2;
    return true;
}

static bool kernel_size(const counted *c, uint64_t *size)
{
    int64_t kernel[2];
    if (mlia_op_has_field(c->op->op, MLIA_FIELD_KERNEL)) {
        if (c->op->attributes->kernel.count != 2)
            return false;
        kernel[0] = c->op->attributes->kernel.values[0];
        kernel[1] = c->op->attributes->kernel.values[1];
    } else {
        const mlia_graph_value *operand = input_of(c, c->op->input_count - 3);
        if (!mlia_constant_integer(operand, 0, &kernel[0]) || !mlia_constant_integer(operand, 1, &kernel[1]))
            return false;
    }
    return kernel[0] > 0 && kernel[1] > 0 && mlia_mul_u64((uint64_t)kernel[0], (uint64_t)kernel[1], size);
}

/* One addition per element of the window, one multiplication per output. */
static bool average_pool(const counted *c, mlia_work *work)
{
    uint64_t window;
    return kernel_size(c, &window) && window < UINT64_MAX &&
           mlia_mul_u64(c->out, window + 1, &work->operations);
}

static bool maximum_pool(const counted *c, mlia_work *work)
{
    uint64_t window;
    return kernel_size(c, &window) && mlia_mul_u64(c->out, window - 1, &work->operations);
}

static bool resize(const counted *c, mlia_work *work)
{
    return mlia_mul_u64(c->out, c->op->attributes->mode == MLIA_RESIZE_BILINEAR ? 8 : 0, &work->operations);
}

/* Operators that are not listed do no arithmetic: they move elements or say what they are. */
static const work_rule work_rules[MLIA_OP_LIMIT] = {
    [MLIA_OP_CONV2D] = convolution,
    [MLIA_OP_CONV3D] = convolution,
    [MLIA_OP_CONV2D_BLOCK_SCALED] = convolution,
    [MLIA_OP_DEPTHWISE_CONV2D] = depthwise_convolution,
    [MLIA_OP_TRANSPOSE_CONV2D] = transposed_convolution,
    [MLIA_OP_MATMUL] = matrix_product,
    [MLIA_OP_MATMUL_T] = matrix_product,
    [MLIA_OP_MATMUL_T_BLOCK_SCALED] = matrix_product,
    [MLIA_OP_FFT2D] = fourier_transform,
    [MLIA_OP_RFFT2D] = fourier_transform,
    [MLIA_OP_AVG_POOL2D] = average_pool,
    [MLIA_OP_AVG_POOL2D_ADAPTIVE] = average_pool,
    [MLIA_OP_MAX_POOL2D] = maximum_pool,
    [MLIA_OP_MAX_POOL2D_ADAPTIVE] = maximum_pool,
    [MLIA_OP_ARGMAX] = reduction,
    [MLIA_OP_REDUCE_ALL] = reduction,
    [MLIA_OP_REDUCE_ANY] = reduction,
    [MLIA_OP_REDUCE_MAX] = reduction,
    [MLIA_OP_REDUCE_MIN] = reduction,
    [MLIA_OP_REDUCE_PRODUCT] = reduction,
    [MLIA_OP_REDUCE_SUM] = reduction,
    [MLIA_OP_CLAMP] = two_per_output,
    [MLIA_OP_RESCALE] = three_per_output,
    [MLIA_OP_TABLE] = table,
    [MLIA_OP_RESIZE] = resize,
    [MLIA_OP_ERF] = transcendental,
    [MLIA_OP_SIGMOID] = transcendental,
    [MLIA_OP_TANH] = transcendental,
    [MLIA_OP_POW] = transcendental,
    [MLIA_OP_COS] = transcendental,
    [MLIA_OP_EXP] = transcendental,
    [MLIA_OP_LOG] = transcendental,
    [MLIA_OP_RECIPROCAL] = transcendental,
    [MLIA_OP_RSQRT] = transcendental,
    [MLIA_OP_SIN] = transcendental,
    [MLIA_OP_ADD] = one_per_output,
    [MLIA_OP_ARITHMETIC_RIGHT_SHIFT] = one_per_output,
    [MLIA_OP_BITWISE_AND] = one_per_output,
    [MLIA_OP_BITWISE_OR] = one_per_output,
    [MLIA_OP_BITWISE_XOR] = one_per_output,
    [MLIA_OP_INTDIV] = one_per_output,
    [MLIA_OP_LOGICAL_AND] = one_per_output,
    [MLIA_OP_LOGICAL_LEFT_SHIFT] = one_per_output,
    [MLIA_OP_LOGICAL_RIGHT_SHIFT] = one_per_output,
    [MLIA_OP_LOGICAL_OR] = one_per_output,
    [MLIA_OP_LOGICAL_XOR] = one_per_output,
    [MLIA_OP_MAXIMUM] = one_per_output,
    [MLIA_OP_MINIMUM] = one_per_output,
    [MLIA_OP_MUL] = one_per_output,
    [MLIA_OP_SUB] = one_per_output,
    [MLIA_OP_ABS] = one_per_output,
    [MLIA_OP_BITWISE_NOT] = one_per_output,
    [MLIA_OP_CEIL] = one_per_output,
    [MLIA_OP_CLZ] = one_per_output,
    [MLIA_OP_FLOOR] = one_per_output,
    [MLIA_OP_LOGICAL_NOT] = one_per_output,
    [MLIA_OP_NEGATE] = one_per_output,
    [MLIA_OP_SELECT] = one_per_output,
    [MLIA_OP_EQUAL] = one_per_output,
    [MLIA_OP_GREATER] = one_per_output,
    [MLIA_OP_GREATER_EQUAL] = one_per_output,
    [MLIA_OP_CAST] = one_per_output,
    [MLIA_OP_CAST_FROM_BLOCK_SCALED] = one_per_output,
    [MLIA_OP_CAST_TO_BLOCK_SCALED] = one_per_output,
    [MLIA_OP_CUSTOM] = unknown_work,
    [MLIA_OP_COND_IF] = unknown_work,
    [MLIA_OP_WHILE_LOOP] = unknown_work,
};

/* --- bytes --- */

static bool add_bytes(const mlia_graph_value *value, mlia_work *work, bool is_input)
{
    uint64_t elements;
    uint64_t bytes;
    if (value->kind != MLIA_KIND_TENSOR)
        return true;
    if (!mlia_value_elements(value, &elements))
        return false;
    if (!is_input)
        return mlia_value_bytes(value, &bytes) &&
               mlia_add_u64(work->output_bytes, bytes, &work->output_bytes);
    if (value->is_constant)
        return mlia_constant_bytes(value->type, MLIA_ENCODING_TOSA, elements, &bytes) &&
               mlia_add_u64(work->weight_bytes, bytes, &work->weight_bytes) &&
               mlia_add_u64(work->input_bytes, bytes, &work->input_bytes);
    return mlia_value_bytes(value, &bytes) && mlia_add_u64(work->input_bytes, bytes, &work->input_bytes);
}

static bool count_bytes(const mlia_graph *graph, const mlia_operator *op, mlia_work *work)
{
    for (uint32_t i = 0; i < op->input_count; i++)
        if (!add_bytes(&graph->values[op->inputs[i]], work, true))
            return false;
    for (uint32_t i = 0; i < op->output_count; i++)
        if (!add_bytes(&graph->values[op->outputs[i]], work, false))
            return false;
    return true;
}

/* --- operators --- */

static bool ranks_fit(const mlia_graph *graph, const mlia_operator *op)
{
    const char *ranks = mlia_op_rule_of(op->op).ranks;
    for (uint32_t i = 0; i < op->input_count; i++) {
        char wanted = mlia_pattern_at(ranks, i, op->input_count);
        if (wanted >= '0' && wanted <= '9' && graph->values[op->inputs[i]].rank != (uint32_t)(wanted - '0'))
            return false;
    }
    return true;
}

mlia_work mlia_operator_work(const mlia_graph *graph, const mlia_operator *op)
{
    mlia_work work = {0};
    if (!mlia_operator_well_formed(graph, op) || !ranks_fit(graph, op) || !count_bytes(graph, op, &work))
        return (mlia_work){.known = false};
    counted c = {graph, op, 0, 0};
    if (op->input_count > 0)
        mlia_value_elements(&graph->values[op->inputs[0]], &c.in);
    if (op->output_count > 0)
        mlia_value_elements(&graph->values[op->outputs[0]], &c.out);
    work_rule rule = work_rules[op->op] ? work_rules[op->op] : no_work;
    work.known = rule(&c, &work);
    return work.known ? work : (mlia_work){.known = false};
}

/* --- regions --- */

typedef struct region_walk {
    const mlia_graph *graph;
    mlia_work *works;   /* per operator */
    mlia_work *regions; /* per region: sum of its operators */
    bool *done;         /* per region */
} region_walk;

static void add_work(mlia_work *sum, const mlia_work *part)
{
    sum->known = sum->known && part->known && mlia_add_u64(sum->macs, part->macs, &sum->macs) &&
                 mlia_add_u64(sum->operations, part->operations, &sum->operations) &&
                 mlia_add_u64(sum->transcendental, part->transcendental, &sum->transcendental) &&
                 mlia_add_u64(sum->input_bytes, part->input_bytes, &sum->input_bytes) &&
                 mlia_add_u64(sum->output_bytes, part->output_bytes, &sum->output_bytes) &&
                 mlia_add_u64(sum->weight_bytes, part->weight_bytes, &sum->weight_bytes);
}

/* Which of two branches is the larger: by MACs, then by everything else. */
static bool is_larger(const mlia_work *a, const mlia_work *b)
{
    if (a->macs != b->macs)
        return a->macs > b->macs;
    return (long double)a->operations + (long double)a->transcendental >
           (long double)b->operations + (long double)b->transcendental;
}

/* Recursion follows the nesting of regions, which mlia_graph_finish limits. */
static void walk_region(region_walk *walk, uint32_t region);

static mlia_work control_flow_work(region_walk *walk, const mlia_operator *op)
{
    uint32_t regions[2];
    mlia_operator_regions(op, regions);
    walk_region(walk, regions[0]);
    walk_region(walk, regions[1]);
    mlia_work work = walk->regions[regions[0]];
    const mlia_work *second = &walk->regions[regions[1]];
    if (op->op == MLIA_OP_WHILE_LOOP)
        add_work(&work, second);
    else if (!work.known || !second->known)
        work.known = false;
    else if (is_larger(second, &work))
        work = *second;
    return work.known ? work : (mlia_work){.known = false};
}

static void walk_region(region_walk *walk, uint32_t region)
{
    if (walk->done[region])
        return;
    walk->done[region] = true;
    const mlia_block *block = &walk->graph->blocks[walk->graph->regions[region].block];
    mlia_work sum = {.known = true};
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const mlia_operator *op = &walk->graph->operators[block->operators[i]];
        bool control_flow = op->op == MLIA_OP_COND_IF || op->op == MLIA_OP_WHILE_LOOP;
        mlia_work work = control_flow ? control_flow_work(walk, op) : mlia_operator_work(walk->graph, op);
        walk->works[block->operators[i]] = work;
        add_work(&sum, &work);
    }
    walk->regions[region] = sum.known ? sum : (mlia_work){.known = false};
}

mlia_status *mlia_graph_work(const mlia_graph *graph, mlia_arena *arena, mlia_work *works)
{
    region_walk walk = {graph, works, MLIA_NEW_ARRAY(arena, mlia_work, graph->region_count),
                        MLIA_NEW_ARRAY(arena, bool, graph->region_count)};
    MLIA_TRY_ALLOC(walk.regions);
    MLIA_TRY_ALLOC(walk.done);
    for (uint32_t i = 0; i < graph->region_count; i++)
        walk_region(&walk, i);
    return NULL;
}
