/* Shape rules of operators that compute shapes, run regions or access variables. */
#include "base/checked.h"
#include "graph/infer.h"

/* --- shape operators --- */

static mlia_status *set_values(mlia_infer *infer, uint32_t length, const int64_t *values)
{
    if (length > MLIA_RANK_LIMIT * 2)
        return MLIA_SHAPE_ERROR("the result has %u values, at most %d are possible", length,
                                MLIA_RANK_LIMIT * 2);
    int64_t *copy = MLIA_NEW_ARRAY(infer->arena, int64_t, length);
    MLIA_TRY_ALLOC(copy);
    if (length > 0)
        memcpy(copy, values, length * sizeof *values);
    infer->results[0].known = true;
    infer->results[0].rank = length;
    infer->results[0].shape_values = copy;
    return NULL;
}

mlia_status *mlia_infer_dim(mlia_infer *infer)
{
    uint32_t axis = 0;
    MLIA_TRY(mlia_infer_axis(infer, &axis));
    int64_t size = mlia_infer_input(infer, 0)->dims[axis];
    return size < 0 ? NULL : set_values(infer, 1, &size);
}

mlia_status *mlia_infer_concat_shape(mlia_infer *infer)
{
    int64_t values[MLIA_RANK_LIMIT * 2];
    uint32_t length = 0;
    if (infer->op->input_count == 0)
        return MLIA_SHAPE_ERROR("the list of inputs is empty");
    for (uint32_t i = 0; i < infer->op->input_count; i++) {
        const mlia_graph_value *part = mlia_infer_input(infer, i);
        if (part->rank == 0)
            return MLIA_SHAPE_ERROR("input %u is empty", i);
        if (part->rank > MLIA_RANK_LIMIT * 2 - length)
            return MLIA_SHAPE_ERROR("the result has more than %d values", MLIA_RANK_LIMIT * 2);
        if (part->shape_values == NULL)
            return NULL;
        memcpy(values + length, part->shape_values, part->rank * sizeof *values);
        length += part->rank;
    }
    return set_values(infer, length, values);
}

static mlia_status *combine(uint32_t op, int64_t a, int64_t b, int64_t *result)
{
    bool fits = true;
    bool divides = op == MLIA_OP_MOD_SHAPE || op == MLIA_OP_DIV_CEIL_SHAPE || op == MLIA_OP_DIV_FLOOR_SHAPE;
    if (divides && (a < 0 || b < 1))
        return MLIA_SHAPE_ERROR("%lld and %lld: the first must be at least 0, the second at least 1",
                                (long long)a, (long long)b);
    switch (op) {
    case MLIA_OP_ADD_SHAPE:
        fits = mlia_add_i64(a, b, result);
        break;
    case MLIA_OP_SUB_SHAPE:
        fits = mlia_sub_i64(a, b, result);
        break;
    case MLIA_OP_MUL_SHAPE:
        fits = mlia_mul_i64(a, b, result);
        break;
    case MLIA_OP_MAX_SHAPE:
        *result = a > b ? a : b;
        break;
    case MLIA_OP_MIN_SHAPE:
        *result = a < b ? a : b;
        break;
    case MLIA_OP_MOD_SHAPE:
        *result = a % b;
        break;
    case MLIA_OP_DIV_CEIL_SHAPE:
        *result = a / b + (a % b != 0);
        break;
    default:
        *result = a / b;
        break;
    }
    return fits ? NULL
                : MLIA_SHAPE_ERROR("%lld and %lld: the result does not fit 64 bits", (long long)a,
                                   (long long)b);
}

mlia_status *mlia_infer_shape_binary(mlia_infer *infer)
{
    const mlia_graph_value *a = mlia_infer_input(infer, 0);
    const mlia_graph_value *b = mlia_infer_input(infer, 1);
    if (a->rank != b->rank)
        return MLIA_SHAPE_ERROR("the inputs have %u and %u values, must have equally many", a->rank, b->rank);
    if (a->shape_values == NULL || b->shape_values == NULL)
        return NULL;
    int64_t values[MLIA_RANK_LIMIT * 2];
    for (uint32_t i = 0; i < a->rank && i < MLIA_RANK_LIMIT * 2; i++)
        MLIA_TRY(combine(infer->op->op, a->shape_values[i], b->shape_values[i], &values[i]));
    return set_values(infer, a->rank, values);
}

static mlia_status *transform(uint32_t op, int64_t x, int64_t *result)
{
    if (op == MLIA_OP_EXP2_SHAPE) {
        if (x < 0 || x > 62)
            return MLIA_SHAPE_ERROR("exponent %lld must be at least 0 and at most 62", (long long)x);
        *result = INT64_C(1) << x;
        return NULL;
    }
    if (x < 1)
        return MLIA_SHAPE_ERROR("logarithm of %lld, must be at least 1", (long long)x);
    int64_t floor = 63 - __builtin_clzll((unsigned long long)x);
    bool exact = (x & (x - 1)) == 0;
    *result = floor + (op == MLIA_OP_LOG2_CEIL_SHAPE && !exact);
    return NULL;
}

mlia_status *mlia_infer_shape_unary(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    if (input->shape_values == NULL)
        return NULL;
    int64_t values[MLIA_RANK_LIMIT * 2];
    for (uint32_t i = 0; i < input->rank && i < MLIA_RANK_LIMIT * 2; i++)
        MLIA_TRY(transform(infer->op->op, input->shape_values[i], &values[i]));
    return set_values(infer, input->rank, values);
}

mlia_status *mlia_infer_slice_shape(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    int64_t start;
    int64_t size;
    if (!mlia_constant_integer(mlia_infer_input(infer, 1), 0, &start) ||
        !mlia_constant_integer(mlia_infer_input(infer, 2), 0, &size))
        return NULL;
    if (start < 0 || size < 1 || (mlia_wide)start + size > input->rank)
        return MLIA_SHAPE_ERROR("start %lld and size %lld leave the %u values of the input", (long long)start,
                                (long long)size, input->rank);
    if (input->shape_values == NULL)
        return NULL;
    return set_values(infer, (uint32_t)size, input->shape_values + start);
}

mlia_status *mlia_infer_assert_equal_shape(mlia_infer *infer)
{
    const mlia_graph_value *a = mlia_infer_input(infer, 0);
    const mlia_graph_value *b = mlia_infer_input(infer, 1);
    if (a->rank != b->rank)
        return MLIA_SHAPE_ERROR("the inputs have %u and %u values, must have equally many", a->rank, b->rank);
    if (a->shape_values == NULL || b->shape_values == NULL)
        return NULL;
    for (uint32_t i = 0; i < a->rank; i++) {
        int64_t x = a->shape_values[i];
        int64_t y = b->shape_values[i];
        if (x != y && !(infer->op->attributes->allow_broadcast && (x == 1 || y == 1)))
            return MLIA_SHAPE_ERROR("the shapes differ at position %u: %lld and %lld", i, (long long)x,
                                    (long long)y);
    }
    return NULL;
}

/* --- regions --- */

static bool same_shape(const mlia_graph_value *a, const mlia_graph_value *b)
{
    if (a->kind != b->kind || (a->kind == MLIA_KIND_SHAPE && a->rank != b->rank))
        return false;
    if (a->kind != MLIA_KIND_TENSOR || a->unranked || b->unranked)
        return true;
    for (uint32_t i = 0; i < a->rank && a->rank == b->rank; i++)
        if (!mlia_dims_agree(a->dims[i], b->dims[i]))
            return false;
    return a->rank == b->rank;
}

/* The two lists of values agree in number, types and shapes. */
static mlia_status *check_lists(const mlia_infer *infer, const char *what, const uint32_t *a,
                                uint32_t a_count, const uint32_t *b, uint32_t b_count)
{
    const mlia_graph_value *values = infer->graph->values;
    if (a_count != b_count)
        return MLIA_SHAPE_ERROR("%s: %u and %u values", what, a_count, b_count);
    for (uint32_t i = 0; i < a_count; i++)
        if (values[a[i]].type != values[b[i]].type || !same_shape(&values[a[i]], &values[b[i]]))
            return MLIA_SHAPE_ERROR("%s: value %u differs in type or shape", what, i);
    return NULL;
}

static const mlia_block *region_block(const mlia_infer *infer, uint32_t region)
{
    return &infer->graph->blocks[infer->graph->regions[region].block];
}

static void set_results(mlia_infer *infer, const uint32_t *values)
{
    for (uint32_t i = 0; i < infer->op->output_count; i++) {
        const mlia_graph_value *value = &infer->graph->values[values[i]];
        if (value->kind == MLIA_KIND_TENSOR && !value->unranked)
            mlia_infer_set_like(infer, i, value);
    }
}

static mlia_status *check_condition(const mlia_graph_value *condition)
{
    uint64_t count;
    if (condition->kind != MLIA_KIND_TENSOR || condition->type != MLIA_TYPE_BOOL)
        return MLIA_SHAPE_ERROR("the condition is not BOOL");
    if (mlia_value_elements(condition, &count) && count != 1)
        return MLIA_SHAPE_ERROR("the condition has %llu elements, must have one", (unsigned long long)count);
    return NULL;
}

mlia_status *mlia_infer_cond_if(mlia_infer *infer)
{
    const mlia_operator *op = infer->op;
    MLIA_TRY(check_condition(mlia_infer_input(infer, 0)));
    uint32_t regions[2] = {op->attributes->then_graph, op->attributes->else_graph};
    for (uint32_t i = 0; i < 2; i++) {
        const mlia_block *block = region_block(infer, regions[i]);
        MLIA_TRY(check_lists(
            infer, i == 0 ? "inputs and inputs of the then region" : "inputs and inputs of the else region",
            op->inputs + 1, op->input_count - 1, block->inputs, block->input_count));
    }
    const mlia_block *then_block = region_block(infer, regions[0]);
    const mlia_block *else_block = region_block(infer, regions[1]);
    MLIA_TRY(check_lists(infer, "results of the two regions", then_block->outputs, then_block->output_count,
                         else_block->outputs, else_block->output_count));
    if (then_block->output_count != op->output_count)
        return MLIA_SHAPE_ERROR("%u outputs, but the regions give %u", op->output_count,
                                then_block->output_count);
    set_results(infer, then_block->outputs);
    return NULL;
}

mlia_status *mlia_infer_while_loop(mlia_infer *infer)
{
    const mlia_operator *op = infer->op;
    const mlia_block *cond = region_block(infer, op->attributes->cond_graph);
    const mlia_block *body = region_block(infer, op->attributes->body_graph);
    MLIA_TRY(check_lists(infer, "inputs and inputs of the cond region", op->inputs, op->input_count,
                         cond->inputs, cond->input_count));
    MLIA_TRY(check_lists(infer, "inputs and inputs of the body region", op->inputs, op->input_count,
                         body->inputs, body->input_count));
    MLIA_TRY(check_lists(infer, "inputs and results of the body region", body->inputs, body->input_count,
                         body->outputs, body->output_count));
    if (cond->output_count != 1)
        return MLIA_SHAPE_ERROR("the cond region has %u results, must have one", cond->output_count);
    MLIA_TRY(check_condition(&infer->graph->values[cond->outputs[0]]));
    if (op->output_count != op->input_count)
        return MLIA_SHAPE_ERROR("%u outputs for %u inputs, must be as many", op->output_count,
                                op->input_count);
    set_results(infer, op->inputs);
    return NULL;
}

/* --- variables --- */

/* NULL when the file does not declare it. */
static const mlia_variable *find_variable(const mlia_infer *infer)
{
    uint32_t index = infer->op->attributes->variable;
    return index < infer->graph->variable_count ? &infer->graph->variables[index] : NULL;
}

mlia_status *mlia_infer_variable_read(mlia_infer *infer)
{
    const mlia_variable *variable = find_variable(infer);
    if (variable == NULL)
        return MLIA_ATTRIBUTE_ERROR("the variable is not declared");
    mlia_infer_set(infer, 0, variable->rank, variable->dims);
    return NULL;
}

mlia_status *mlia_infer_variable_write(mlia_infer *infer)
{
    const mlia_variable *variable = find_variable(infer);
    if (variable == NULL)
        return MLIA_ATTRIBUTE_ERROR("the variable is not declared");
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    bool fits = input->type == variable->type && input->rank == variable->rank;
    for (uint32_t i = 0; fits && i < input->rank; i++)
        fits = mlia_dims_agree(input->dims[i], variable->dims[i]);
    return fits ? NULL
                : MLIA_SHAPE_ERROR("the value differs from variable '%.*s' in type or shape",
                                   MLIA_STR_ARG(variable->name));
}
