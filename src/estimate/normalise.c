/* First stage: what is work at all. Constants, aliases (RESHAPE and everything that changes nothing), padding
 * that a convolution does itself, shape arithmetic and dead operators are free; operators without known cost
 * are listed. These are the simplifications that the official model converter makes as well, so that a TOSA
 * file and the VGF made of it are priced alike. */
#include "base/bytes.h"
#include "estimate/plan.h"

enum { ELEMENTS_LOOKED_AT = 16 };

static const char CONTROL_FLOW[] = "how often control flow runs is not known";

#define BYTES_LIMIT 281474976710656.0 /* 2^48: larger tensors are not priced */

mlia_extent mlia_extent_of(const mlia_graph_value *value)
{
    double dims[4] = {1, 1, 1, 1};
    mlia_extent extent = {.element_bytes = mlia_type_bytes(value->type), .elements = 1};
    for (uint32_t i = 0; i < value->rank; i++)
        extent.elements *= (double)value->dims[i];
    if (value->rank == 1 || value->rank == 2) {
        dims[2] = (double)value->dims[value->rank - 1];
        dims[1] = value->rank == 2 ? (double)value->dims[0] : 1;
    } else {
        for (uint32_t i = 0; i < value->rank; i++) {
            uint32_t place = value->rank - i > 4 ? 0 : 4 - (value->rank - i);
            dims[place] *= (double)value->dims[i];
        }
    }
    if (value->rank >= 3 && dims[1] == 1 && dims[2] == 1) {
        dims[2] = dims[0];
        dims[0] = 1;
    }
    extent.batch = dims[0];
    extent.rows = dims[1];
    extent.columns = dims[2];
    extent.channels = dims[3];
    return extent;
}

static const mlia_graph_value *input(const mlia_graph *graph, const mlia_operator *op, uint32_t index)
{
    return index < op->input_count ? &graph->values[op->inputs[index]] : NULL;
}

static bool same_dims(const mlia_graph_value *a, const mlia_graph_value *b)
{
    if (a->unranked || b->unranked || a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i])
            return false;
    return true;
}

/* Every element of a small or splat constant equals `number`. */
static bool is_all(const mlia_graph_value *value, double number)
{
    uint64_t elements = 0;
    if (value == NULL || value->constant == NULL || !mlia_value_elements(value, &elements) || elements == 0)
        return false;
    if (value->constant->splat)
        elements = 1;
    if (elements > ELEMENTS_LOOKED_AT)
        return false;
    for (uint64_t i = 0; i < elements; i++) {
        double element = 0;
        if (!mlia_constant_number(value, i, &element) || element < number || element > number)
            return false;
    }
    return true;
}

/* Bounds of a CLAMP that no value of the type exceeds. Elements are little-endian. */
static bool clamp_is_open(const mlia_operator *op, const mlia_graph_value *value)
{
    static const uint8_t lowest[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    const mlia_attributes *a = op->attributes;
    size_t size = mlia_type_bytes(value->type);
    if (a == NULL || a->min_val.size != size || a->max_val.size != size || size == 0 || size > 8)
        return false;
    if (mlia_type_is_integer(value->type)) {
        for (size_t i = 0; i + 1 < size; i++)
            if (a->min_val.data[i] != 0 || a->max_val.data[i] != 0xFF)
                return false;
        if (value->is_unsigned)
            return a->min_val.data[size - 1] == 0 && a->max_val.data[size - 1] == 0xFF;
        return a->min_val.data[size - 1] == 0x80 && a->max_val.data[size - 1] == 0x7F;
    }
    uint16_t high = size >= 2 ? mlia_load_u16(a->max_val.data + size - 2) : 0;
    uint16_t low = size >= 2 ? mlia_load_u16(a->min_val.data + size - 2) : 0;
    uint16_t infinity = value->type == MLIA_TYPE_FP16 ? 0x7C00 : 0x7F80;
    return size >= 2 && high == infinity && low == (infinity | 0x8000) &&
           memcmp(a->min_val.data, lowest, size - 2) == 0 && memcmp(a->max_val.data, lowest, size - 2) == 0;
}

/* The dimensions larger than one keep their order: memory is unchanged. */
static bool transpose_keeps_order(const mlia_operator *op, const mlia_graph_value *value)
{
    int32_t previous = -1;
    if (op->attributes == NULL || op->attributes->perms.count != value->rank)
        return false;
    for (uint32_t i = 0; i < value->rank; i++) {
        int32_t axis = op->attributes->perms.values[i];
        if (axis < 0 || (uint32_t)axis >= value->rank)
            return false;
        if (value->dims[axis] == 1)
            continue;
        if (axis < previous)
            return false;
        previous = axis;
    }
    return true;
}

static bool resize_is_unit(const mlia_graph *graph, const mlia_operator *op)
{
    const mlia_graph_value *scale = input(graph, op, 1);
    return scale != NULL && scale->shape_values != NULL && scale->rank == 4 &&
           scale->shape_values[0] == scale->shape_values[1] &&
           scale->shape_values[2] == scale->shape_values[3];
}

static bool window_is_one(const mlia_operator *op)
{
    const mlia_attributes *a = op->attributes;
    return a != NULL && a->kernel.count == 2 && a->kernel.values[0] == 1 && a->kernel.values[1] == 1;
}

/* The first input whose bytes the result repeats, or MLIA_NONE. */
static uint32_t alias_of(const mlia_graph *graph, const mlia_operator *op)
{
    if (op->input_count == 0 || op->output_count != 1)
        return MLIA_NONE;
    const mlia_graph_value *in = input(graph, op, 0);
    const mlia_graph_value *out = &graph->values[op->outputs[0]];
    bool same = same_dims(in, out) && in->type == out->type;
    bool alias = false;
    switch (op->op) {
    case MLIA_OP_IDENTITY:
    case MLIA_OP_RESHAPE:
        alias = true;
        break;
    case MLIA_OP_CLAMP:
        alias = clamp_is_open(op, in);
        break;
    case MLIA_OP_TRANSPOSE:
        alias = transpose_keeps_order(op, in);
        break;
    case MLIA_OP_CONCAT:
        alias = op->input_count == 1;
        break;
    case MLIA_OP_CAST:
    case MLIA_OP_PAD:
    case MLIA_OP_SLICE:
    case MLIA_OP_TILE:
    case MLIA_OP_REDUCE_ALL:
    case MLIA_OP_REDUCE_ANY:
    case MLIA_OP_REDUCE_MAX:
    case MLIA_OP_REDUCE_MIN:
    case MLIA_OP_REDUCE_PRODUCT:
    case MLIA_OP_REDUCE_SUM:
        alias = same;
        break;
    case MLIA_OP_RESIZE:
        alias = same && resize_is_unit(graph, op);
        break;
    case MLIA_OP_MAX_POOL2D:
        alias = same && window_is_one(op);
        break;
    case MLIA_OP_REVERSE:
        alias = op->attributes != NULL && op->attributes->axis >= 0 &&
                (uint32_t)op->attributes->axis < in->rank && in->dims[op->attributes->axis] == 1;
        break;
    case MLIA_OP_ADD:
        if (same && is_all(input(graph, op, 1), 0))
            alias = true;
        else if (is_all(in, 0) && same_dims(input(graph, op, 1), out))
            return op->inputs[1];
        break;
    case MLIA_OP_SUB:
        alias = same && is_all(input(graph, op, 1), 0);
        break;
    case MLIA_OP_MUL:
        alias =
            same && is_all(input(graph, op, 1), 1) && (op->input_count < 3 || is_all(input(graph, op, 2), 0));
        break;
    default:
        break;
    }
    return alias ? op->inputs[0] : MLIA_NONE;
}

/* A PAD that only this convolution reads, with the zero point as value and neither batch nor channel padded:
 * the convolution pads by itself. */
static uint32_t absorbed_pad(const mlia_graph *graph, const mlia_operator *op)
{
    if (op->op != MLIA_OP_CONV2D && op->op != MLIA_OP_DEPTHWISE_CONV2D)
        return MLIA_NONE;
    const mlia_graph_value *in = input(graph, op, 0);
    if (in == NULL || in->use_count != 1 || in->producer == MLIA_NONE)
        return MLIA_NONE;
    const mlia_operator *pad = &graph->operators[in->producer];
    const mlia_graph_value *amounts = pad->op == MLIA_OP_PAD ? input(graph, pad, 1) : NULL;
    if (amounts == NULL || amounts->shape_values == NULL || amounts->rank != 8)
        return MLIA_NONE;
    const int64_t *p = amounts->shape_values;
    double zero = 0;
    const mlia_graph_value *zero_point = input(graph, op, 3);
    if (p[0] != 0 || p[1] != 0 || p[6] != 0 || p[7] != 0 || zero_point == NULL ||
        !mlia_constant_number(zero_point, 0, &zero) || !is_all(input(graph, pad, 2), zero))
        return MLIA_NONE;
    return in->producer;
}

/* A role for each operator that is work; FREE for the others by default. */
static mlia_role role_of(const mlia_operator *op, const char **reason)
{
    switch (op->op) {
    case MLIA_OP_CONV2D:
    case MLIA_OP_CONV3D:
    case MLIA_OP_TRANSPOSE_CONV2D:
    case MLIA_OP_MATMUL:
    case MLIA_OP_MATMUL_T:
        return MLIA_ROLE_CONVOLUTION;
    case MLIA_OP_DEPTHWISE_CONV2D:
        return MLIA_ROLE_DEPTHWISE;
    case MLIA_OP_AVG_POOL2D:
    case MLIA_OP_MAX_POOL2D:
        return MLIA_ROLE_POOL;
    case MLIA_OP_ARGMAX:
        return MLIA_ROLE_REDUCE;
    case MLIA_OP_CAST:
    case MLIA_OP_RESCALE:
    case MLIA_OP_FFT2D:
    case MLIA_OP_RFFT2D:
        return MLIA_ROLE_ELEMENT;
    case MLIA_OP_IDENTITY: /* left over only when it must copy */
    case MLIA_OP_VARIABLE_WRITE:
    case MLIA_OP_RESIZE:
    case MLIA_OP_ROW_GATHER:
        return MLIA_ROLE_TRANSFORM;
    case MLIA_OP_CONST:
    case MLIA_OP_CONST_SHAPE:
    case MLIA_OP_VARIABLE:
    case MLIA_OP_VARIABLE_READ:
        return MLIA_ROLE_FREE;
    case MLIA_OP_CUSTOM:
        *reason = "custom operators have no known cost";
        return MLIA_ROLE_UNESTIMATED;
    case MLIA_OP_FOREIGN:
        *reason = "operators of other dialects have no known cost";
        return MLIA_ROLE_UNESTIMATED;
    default:
        break;
    }
    switch (mlia_op_describe(op->op)->group) {
    case MLIA_GROUP_ACTIVATION:
    case MLIA_GROUP_ELEMENTWISE_BINARY:
    case MLIA_GROUP_ELEMENTWISE_UNARY:
    case MLIA_GROUP_ELEMENTWISE_TERNARY:
    case MLIA_GROUP_COMPARISON:
        return MLIA_ROLE_ELEMENT;
    case MLIA_GROUP_REDUCTION:
        return MLIA_ROLE_REDUCE;
    case MLIA_GROUP_SHAPE:
        return MLIA_ROLE_FREE;
    case MLIA_GROUP_DATA_LAYOUT:
    case MLIA_GROUP_SCATTER_GATHER:
        if (op->op <= MLIA_OP_LAST_1_0)
            return MLIA_ROLE_TRANSFORM;
        break;
    case MLIA_GROUP_CONTROL_FLOW:
        *reason = CONTROL_FLOW;
        return MLIA_ROLE_UNESTIMATED;
    default:
        break;
    }
    *reason = "operators of the TOSA 1.1 draft have no known cost";
    return MLIA_ROLE_UNESTIMATED;
}

static bool is_priceable(const mlia_graph_value *value)
{
    uint64_t bytes = 0;
    if (value->kind == MLIA_KIND_SHAPE || value->kind == MLIA_KIND_NO_VALUE)
        return true;
    return mlia_value_bytes(value, &bytes) && (double)bytes < BYTES_LIMIT;
}

/* Operand counts that the cost model relies on. */
static bool has_operands(const mlia_operator *op, mlia_role role)
{
    if (op->op == MLIA_OP_VARIABLE_WRITE)
        return op->input_count == 1;
    if (op->output_count == 0 || op->input_count == 0)
        return false;
    return (role != MLIA_ROLE_CONVOLUTION && role != MLIA_ROLE_DEPTHWISE) || op->input_count >= 2;
}

static void classify(mlia_plan *plan, uint32_t index)
{
    const mlia_graph *graph = plan->graph;
    const mlia_operator *op = &graph->operators[index];
    mlia_plan_operator *info = &plan->operators[index];
    info->role = (uint8_t)role_of(op, &info->reason);
    info->weight = 1;
    if (info->role == MLIA_ROLE_FREE || info->role == MLIA_ROLE_UNESTIMATED)
        return;
    bool known = has_operands(op, info->role);
    for (uint32_t i = 0; i < op->input_count && known; i++)
        known = is_priceable(input(graph, op, i));
    for (uint32_t i = 0; i < op->output_count && known; i++)
        known = is_priceable(&graph->values[op->outputs[i]]);
    if (!known) {
        info->role = MLIA_ROLE_UNESTIMATED;
        info->reason = "a dimension is unknown or a tensor is too large";
        return;
    }
    uint64_t elements = 1;
    if (op->output_count > 0 && mlia_value_elements(&graph->values[op->outputs[0]], &elements) &&
        elements == 0)
        info->role = MLIA_ROLE_FREE; /* nothing to compute */
    const mlia_graph_value *shift = op->op == MLIA_OP_MUL ? input(graph, op, 2) : NULL;
    bool rounds = op->op == MLIA_OP_ARITHMETIC_RIGHT_SHIFT && op->attributes != NULL && op->attributes->round;
    if (rounds ||
        (shift != NULL && shift->type != MLIA_TYPE_UNKNOWN && shift->constant != NULL && !is_all(shift, 0)))
        info->weight = 2;
}

/* An alias of a model input or a constant that leaves the model must really be copied. */
static bool must_copy(const mlia_plan *plan, const bool *leaves, const mlia_operator *op, uint32_t root)
{
    return leaves[op->outputs[0]] && plan->graph->values[root].producer == MLIA_NONE;
}

static void follow(mlia_plan *plan, const bool *leaves, uint32_t index)
{
    const mlia_graph *graph = plan->graph;
    const mlia_operator *op = &graph->operators[index];
    uint32_t pad = absorbed_pad(graph, op);
    if (pad != MLIA_NONE && plan->operators[pad].role == MLIA_ROLE_TRANSFORM) {
        plan->operators[pad].role = MLIA_ROLE_FREE;
        plan->roots[op->inputs[0]] = plan->roots[graph->operators[pad].inputs[0]];
    }
    classify(plan, index);
    for (uint32_t i = 0; i < op->output_count; i++)
        plan->roots[op->outputs[i]] = op->outputs[i];
    if (op->output_count > 0 && mlia_value_is_constant(graph, op->outputs[0])) {
        plan->operators[index].role = MLIA_ROLE_FREE;
        return;
    }
    uint32_t alias = alias_of(graph, op);
    if (alias == MLIA_NONE)
        return;
    uint32_t root = plan->roots[alias];
    if (must_copy(plan, leaves, op, root)) {
        if (plan->operators[index].role != MLIA_ROLE_UNESTIMATED)
            plan->operators[index].role = MLIA_ROLE_TRANSFORM;
        return;
    }
    plan->operators[index].role = MLIA_ROLE_FREE;
    plan->roots[op->outputs[0]] = root;
}

static bool has_effect(const mlia_operator *op)
{
    return op->op == MLIA_OP_VARIABLE_WRITE || op->op == MLIA_OP_CUSTOM || op->op == MLIA_OP_FOREIGN ||
           mlia_op_describe(op->op)->group == MLIA_GROUP_CONTROL_FLOW;
}

/* Operators whose results nobody needs become free. Walks backwards, so that a reader is seen before what it
 * reads. */
static void drop_dead(mlia_plan *plan, const mlia_block *block, bool *needed)
{
    for (uint32_t i = block->operator_count; i-- > 0;) {
        const mlia_operator *op = &plan->graph->operators[block->operators[i]];
        mlia_plan_operator *info = &plan->operators[block->operators[i]];
        bool live = has_effect(op);
        for (uint32_t k = 0; k < op->output_count; k++)
            live = live || needed[plan->roots[op->outputs[k]]];
        if (!live)
            info->role = MLIA_ROLE_FREE;
        if (info->role == MLIA_ROLE_FREE)
            continue;
        for (uint32_t k = 0; k < op->input_count; k++)
            needed[plan->roots[op->inputs[k]]] = true;
    }
}

/* Lists the priced operators and who reads what. */
static mlia_status *index_readers(mlia_plan *plan, const mlia_block *block)
{
    const mlia_graph *graph = plan->graph;
    size_t reads = 0;
    for (uint32_t i = 0; i < block->operator_count; i++) {
        uint32_t index = block->operators[i];
        const mlia_operator *op = &graph->operators[index];
        uint8_t role = plan->operators[index].role;
        if (role == MLIA_ROLE_FREE)
            continue;
        if (role != MLIA_ROLE_UNESTIMATED)
            plan->order[plan->order_count++] = index;
        for (uint32_t k = 0; k < op->input_count; k++)
            plan->reader_start[plan->roots[op->inputs[k]] + 1]++;
        reads += op->input_count;
    }
    for (uint32_t i = 0; i < graph->value_count; i++)
        plan->reader_start[i + 1] += plan->reader_start[i];
    plan->readers = MLIA_NEW_ARRAY(plan->arena, uint32_t, reads);
    uint32_t *next = MLIA_NEW_ARRAY(plan->arena, uint32_t, (size_t)graph->value_count + 1);
    MLIA_TRY_ALLOC(plan->readers);
    MLIA_TRY_ALLOC(next);
    memcpy(next, plan->reader_start, ((size_t)graph->value_count + 1) * sizeof *next);
    for (uint32_t i = 0; i < block->operator_count; i++) {
        uint32_t index = block->operators[i];
        const mlia_operator *op = &graph->operators[index];
        if (plan->operators[index].role == MLIA_ROLE_FREE)
            continue;
        for (uint32_t k = 0; k < op->input_count; k++)
            plan->readers[next[plan->roots[op->inputs[k]]]++] = index;
    }
    return NULL;
}

/* Bodies of control flow: nobody knows how often they run. */
static void refuse_nested(mlia_plan *plan, uint32_t main_block)
{
    for (uint32_t i = 0; i < plan->graph->operator_count; i++) {
        const mlia_operator *op = &plan->graph->operators[i];
        bool constant = op->op == MLIA_OP_CONST || op->op == MLIA_OP_CONST_SHAPE;
        if (op->block == main_block || constant)
            continue;
        plan->operators[i].role = MLIA_ROLE_UNESTIMATED;
        plan->operators[i].reason = CONTROL_FLOW;
    }
}

mlia_status *mlia_plan_normalise(mlia_plan *plan)
{
    const mlia_graph *graph = plan->graph;
    plan->operators = MLIA_NEW_ARRAY(plan->arena, mlia_plan_operator, graph->operator_count);
    plan->roots = MLIA_NEW_ARRAY(plan->arena, uint32_t, graph->value_count);
    plan->is_output = MLIA_NEW_ARRAY(plan->arena, bool, graph->value_count);
    plan->order = MLIA_NEW_ARRAY(plan->arena, uint32_t, graph->operator_count);
    plan->reader_start = MLIA_NEW_ARRAY(plan->arena, uint32_t, (size_t)graph->value_count + 1);
    bool *leaves = MLIA_NEW_ARRAY(plan->arena, bool, graph->value_count);
    bool *needed = MLIA_NEW_ARRAY(plan->arena, bool, graph->value_count);
    MLIA_TRY_ALLOC(plan->operators);
    MLIA_TRY_ALLOC(plan->roots);
    MLIA_TRY_ALLOC(plan->is_output);
    MLIA_TRY_ALLOC(plan->order);
    MLIA_TRY_ALLOC(plan->reader_start);
    MLIA_TRY_ALLOC(leaves);
    MLIA_TRY_ALLOC(needed);
    for (uint32_t i = 0; i < graph->value_count; i++)
        plan->roots[i] = i;
    for (uint32_t i = 0; i < graph->operator_count; i++)
        plan->operators[i].fused = MLIA_NONE;
    if (graph->region_count == 0)
        return NULL;
    const mlia_block *block = mlia_graph_main(graph);
    refuse_nested(plan, graph->regions[0].block);
    for (uint32_t i = 0; i < block->output_count; i++)
        leaves[block->outputs[i]] = true;
    for (uint32_t i = 0; i < block->operator_count; i++) {
        plan->operators[block->operators[i]].position = i;
        follow(plan, leaves, block->operators[i]);
    }
    for (uint32_t i = 0; i < block->output_count; i++) {
        plan->is_output[plan->roots[block->outputs[i]]] = true;
        needed[plan->roots[block->outputs[i]]] = true;
    }
    drop_dead(plan, block, needed);
    return index_readers(plan, block);
}
