/* Shape inference: dispatch, helpers, and the families whose result has a shape of the inputs. */
#include "graph/infer.h"

#include "base/bytes.h"

static const mlia_shape_rule shape_rules[MLIA_OP_LIMIT] = {
#define X(name, rule, ranks, constants, types, set) [MLIA_OP_##name] = mlia_infer_##rule,
#include "graph/rules.def"
#undef X
};

/* --- dispatch --- */

static bool operand_kinds_fit(const mlia_graph *graph, const char *pattern, const uint32_t *values,
                              uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool shape_wanted = mlia_pattern_at(pattern, i, count) == 'S';
        bool is_shape = graph->values[values[i]].kind == MLIA_KIND_SHAPE;
        if (shape_wanted != is_shape || graph->values[values[i]].kind == MLIA_KIND_NO_VALUE)
            return false;
    }
    return true;
}

bool mlia_operator_well_formed(const mlia_graph *graph, const mlia_operator *op)
{
    if (op->op == MLIA_OP_FOREIGN || op->op >= MLIA_OP_LIMIT)
        return false;
    mlia_op_rule rule = mlia_op_rule_of(op->op);
    bool needs_attributes = mlia_op_describe(op->op)->field_count > 0 || op->op == MLIA_OP_VARIABLE_READ ||
                            op->op == MLIA_OP_VARIABLE_WRITE;
    return mlia_pattern_fits(rule.types, op->input_count) &&
           mlia_pattern_fits(rule.results, op->output_count) &&
           (op->attributes != NULL || !needs_attributes) &&
           operand_kinds_fit(graph, rule.types, op->inputs, op->input_count) &&
           operand_kinds_fit(graph, rule.results, op->outputs, op->output_count);
}

static mlia_status *check_dims(const mlia_graph_value *value)
{
    if (value->rank > MLIA_RANK_LIMIT)
        return MLIA_SHAPE_ERROR("input" MLIA_NAME " has rank %u, at most %d is possible",
                                MLIA_NAME_ARG(value->name), value->rank, MLIA_RANK_LIMIT);
    for (uint32_t i = 0; i < value->rank; i++)
        if (value->dims[i] < 1 && value->dims[i] != MLIA_DIM_UNKNOWN)
            return MLIA_SHAPE_ERROR("dimension %u of input" MLIA_NAME " is %lld, must be at least 1", i,
                                    MLIA_NAME_ARG(value->name), (long long)value->dims[i]);
    return NULL;
}

static mlia_status *check_rank(const mlia_infer *infer, uint32_t input, char wanted)
{
    const mlia_graph_value *value = mlia_infer_input(infer, input);
    if (wanted == '.' || value->unranked)
        return NULL;
    if (wanted == '+' && value->rank == 0)
        return MLIA_SHAPE_ERROR("input %u" MLIA_NAME " has rank 0, must have at least 1", input,
                                MLIA_NAME_ARG(value->name));
    if (wanted == '=')
        wanted = '1';
    if (wanted >= '0' && wanted <= '9' && value->rank != (uint32_t)(wanted - '0'))
        return MLIA_SHAPE_ERROR("input %u" MLIA_NAME " has rank %u, must have %c", input,
                                MLIA_NAME_ARG(value->name), value->rank, wanted);
    return NULL;
}

/* Zero points, shifts and the like; the rank is right. */
static mlia_status *check_single(const mlia_infer *infer, uint32_t input)
{
    const mlia_graph_value *value = mlia_infer_input(infer, input);
    if (value->unranked || mlia_dims_agree(value->dims[0], 1))
        return NULL;
    return MLIA_SHAPE_ERROR("input %u" MLIA_NAME " has %lld elements, must have one", input,
                            MLIA_NAME_ARG(value->name), (long long)value->dims[0]);
}

/* True when nothing can be said: a tensor input has no rank. RESHAPE can do without. */
static bool has_unranked_input(const mlia_infer *infer)
{
    for (uint32_t i = 0; i < infer->op->input_count; i++)
        if (mlia_infer_input(infer, i)->unranked)
            return infer->op->op != MLIA_OP_RESHAPE;
    return false;
}

mlia_status *mlia_infer_bare(const mlia_graph *graph, const mlia_operator *op, mlia_arena *arena,
                             mlia_inferred *results, bool *rank_error)
{
    mlia_infer infer = {graph, op, arena, results};
    const char *ranks = mlia_op_rule_of(op->op).ranks;
    for (uint32_t i = 0; i < op->output_count; i++) {
        results[i].known = false;
        results[i].rank = 0;
        results[i].shape_values = NULL;
    }
    for (uint32_t i = 0; i < op->input_count; i++) {
        mlia_status *status = check_rank(&infer, i, mlia_pattern_at(ranks, i, op->input_count));
        if (rank_error != NULL)
            *rank_error = status != NULL;
        MLIA_TRY(status);
    }
    for (uint32_t i = 0; i < op->input_count; i++)
        if (mlia_infer_input(&infer, i)->kind == MLIA_KIND_TENSOR)
            MLIA_TRY(check_dims(mlia_infer_input(&infer, i)));
    for (uint32_t i = 0; i < op->input_count; i++)
        if (mlia_pattern_at(ranks, i, op->input_count) == '=')
            MLIA_TRY(check_single(&infer, i));
    if (has_unranked_input(&infer))
        return NULL;
    return shape_rules[op->op](&infer);
}

mlia_status *mlia_operator_infer(const mlia_graph *graph, const mlia_operator *op, mlia_arena *arena,
                                 mlia_inferred *results)
{
    if (op->op == MLIA_OP_FOREIGN) {
        for (uint32_t i = 0; i < op->output_count; i++)
            results[i].known = false;
        return NULL;
    }
    mlia_str name = mlia_operator_name(op);
    if (!mlia_operator_well_formed(graph, op))
        return mlia_status_at_operator(mlia_error(MLIA_E_TOSA_SCHEMA,
                                                  "%.*s has the wrong number or kind of operands",
                                                  MLIA_STR_ARG(name)),
                                       graph, op);
    mlia_status *status = mlia_infer_bare(graph, op, arena, results, NULL);
    return mlia_status_at_operator(mlia_status_about(status, "%.*s", MLIA_STR_ARG(name)), graph, op);
}

/* --- helpers --- */

void mlia_infer_set(mlia_infer *infer, uint32_t index, uint32_t rank, const int64_t *dims)
{
    mlia_inferred *result = &infer->results[index];
    if (rank > MLIA_RANK_LIMIT)
        return;
    result->known = true;
    result->rank = rank;
    if (rank > 0)
        memcpy(result->dims, dims, rank * sizeof *dims);
}

void mlia_infer_set_like(mlia_infer *infer, uint32_t index, const mlia_graph_value *input)
{
    mlia_infer_set(infer, index, input->rank, input->dims);
}

mlia_str mlia_dims_text(mlia_arena *arena, uint32_t rank, const int64_t *dims)
{
    mlia_buffer buffer = {0};
    mlia_buffer_add_byte(&buffer, '[');
    for (uint32_t i = 0; i < rank; i++) {
        if (i > 0)
            mlia_buffer_add(&buffer, ", ", 2);
        if (dims[i] == MLIA_DIM_UNKNOWN)
            mlia_buffer_add_byte(&buffer, '?');
        else
            mlia_buffer_format(&buffer, "%lld", (long long)dims[i]);
    }
    mlia_buffer_add_byte(&buffer, ']');
    mlia_str text = buffer.failed ? MLIA_STR_NONE : mlia_arena_str(arena, mlia_buffer_str(&buffer));
    mlia_buffer_free(&buffer);
    return text;
}

mlia_status *mlia_infer_list(const mlia_int_list *list, const char *name, uint32_t count, int64_t minimum,
                             int64_t *numbers)
{
    if (list->count != count)
        return MLIA_ATTRIBUTE_ERROR("%s has %u numbers, must have %u", name, list->count, count);
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = list->values[i];
        if (numbers[i] < minimum)
            return MLIA_ATTRIBUTE_ERROR("%s is %lld, must be at least %lld", name, (long long)numbers[i],
                                        (long long)minimum);
    }
    return NULL;
}

mlia_status *mlia_infer_operand(const mlia_infer *infer, uint32_t input, const char *name, uint32_t count,
                                int64_t minimum, int64_t *numbers, bool *known)
{
    const mlia_graph_value *value = mlia_infer_input(infer, input);
    if (value->rank != count)
        return MLIA_SHAPE_ERROR("%s has %u numbers, must have %u", name, value->rank, count);
    *known = value->shape_values != NULL;
    if (!*known)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = value->shape_values[i];
        if (numbers[i] < minimum)
            return MLIA_SHAPE_ERROR("%s is %lld, must be at least %lld", name, (long long)numbers[i],
                                    (long long)minimum);
    }
    return NULL;
}

mlia_status *mlia_infer_axis(const mlia_infer *infer, uint32_t *axis)
{
    int32_t value = infer->op->attributes->axis;
    uint32_t rank = mlia_infer_input(infer, 0)->rank;
    if (value < 0 || (uint32_t)value >= rank)
        return MLIA_ATTRIBUTE_ERROR("axis is %d, must be at least 0 and below the rank %u", value, rank);
    *axis = (uint32_t)value;
    return NULL;
}

mlia_status *mlia_infer_window(const char *what, int64_t size, mlia_wide range, int64_t step, int64_t *result)
{
    *result = MLIA_DIM_UNKNOWN;
    if (size < 0)
        return NULL;
    if (range < 0)
        return MLIA_SHAPE_ERROR("the window is larger than the padded input in %s", what);
    if (range % step != 0)
        return MLIA_SHAPE_ERROR("the steps of %lld do not divide the range of %lld in %s", (long long)step,
                                (long long)range, what);
    mlia_wide count = range / step + 1;
    if (count > INT64_MAX)
        return MLIA_SHAPE_ERROR("the result is too large in %s", what);
    *result = (int64_t)count;
    return NULL;
}

mlia_status *mlia_infer_check_blocks(const mlia_infer *infer, const mlia_graph_value *data)
{
    if (infer->op->attributes->block_size != 32)
        return MLIA_ATTRIBUTE_ERROR("block_size is %u, must be 32", infer->op->attributes->block_size);
    if (data->rank == 0)
        return MLIA_SHAPE_ERROR("block-scaled data" MLIA_NAME " has rank 0", MLIA_NAME_ARG(data->name));
    int64_t last = data->dims[data->rank - 1];
    if (last >= 0 && last % 32 != 0)
        return MLIA_SHAPE_ERROR("the last dimension of tensor" MLIA_NAME " is %lld, must be a multiple of 32",
                                MLIA_NAME_ARG(data->name), (long long)last);
    return NULL;
}

mlia_status *mlia_infer_check_scale(const mlia_infer *infer, const mlia_graph_value *data,
                                    const mlia_graph_value *scale)
{
    MLIA_TRY(mlia_infer_check_blocks(infer, data));
    bool fits = data->rank == scale->rank;
    for (uint32_t i = 0; fits && i < data->rank; i++) {
        int64_t blocks = i + 1 < data->rank || data->dims[i] < 0 ? data->dims[i] : data->dims[i] / 32;
        fits = mlia_dims_agree(blocks, scale->dims[i]);
    }
    if (fits)
        return NULL;
    return MLIA_SHAPE_ERROR("scale" MLIA_NAME " %.*s does not fit data %.*s: one scale per 32 elements",
                            MLIA_NAME_ARG(scale->name),
                            MLIA_STR_ARG(mlia_dims_text(infer->arena, scale->rank, scale->dims)),
                            MLIA_STR_ARG(mlia_dims_text(infer->arena, data->rank, data->dims)));
}

/* --- families --- */

/* CONST, CUSTOM, …: only the file knows. */
mlia_status *mlia_infer_stored(mlia_infer *infer)
{
    (void)infer;
    return NULL;
}

mlia_status *mlia_infer_same(mlia_infer *infer)
{
    mlia_infer_set_like(infer, 0, mlia_infer_input(infer, 0));
    return NULL;
}

mlia_status *mlia_infer_clamp(mlia_infer *infer)
{
    return mlia_infer_same(infer);
}

/* Dimension of the result of broadcasting; false when they do not fit. A known dimension other than 1
 * decides. */
static bool broadcast_dim(int64_t a, int64_t b, int64_t *result)
{
    if (a == b || b == 1)
        *result = a;
    else if (a == 1)
        *result = b;
    else if (a < 0 || b < 0)
        *result = a < 0 ? b : a;
    else
        return false;
    return true;
}

static mlia_status *broadcast_inputs(mlia_infer *infer, uint32_t count)
{
    const mlia_graph_value *first = mlia_infer_input(infer, 0);
    mlia_infer_set_like(infer, 0, first);
    for (uint32_t i = 1; i < count; i++) {
        const mlia_graph_value *other = mlia_infer_input(infer, i);
        bool fits = other->rank == first->rank;
        for (uint32_t d = 0; fits && d < first->rank; d++)
            fits = broadcast_dim(infer->results[0].dims[d], other->dims[d], &infer->results[0].dims[d]);
        if (!fits)
            return MLIA_SHAPE_ERROR("inputs %.*s and %.*s do not broadcast: %s",
                                    MLIA_STR_ARG(mlia_dims_text(infer->arena, first->rank, first->dims)),
                                    MLIA_STR_ARG(mlia_dims_text(infer->arena, other->rank, other->dims)),
                                    other->rank == first->rank ? "dimensions must be equal or 1"
                                                               : "ranks must be equal");
    }
    return NULL;
}

mlia_status *mlia_infer_broadcast(mlia_infer *infer)
{
    return broadcast_inputs(infer, infer->op->input_count);
}

/* MUL: input 2 is the shift. */
mlia_status *mlia_infer_mul(mlia_infer *infer)
{
    return broadcast_inputs(infer, 2);
}

mlia_status *mlia_infer_reduce(mlia_infer *infer)
{
    uint32_t axis = 0;
    MLIA_TRY(mlia_infer_axis(infer, &axis));
    mlia_infer_set_like(infer, 0, mlia_infer_input(infer, 0));
    infer->results[0].dims[axis] = 1;
    return NULL;
}

mlia_status *mlia_infer_argmax(mlia_infer *infer)
{
    uint32_t axis = 0;
    MLIA_TRY(mlia_infer_axis(infer, &axis));
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    int64_t dims[MLIA_RANK_LIMIT];
    uint32_t rank = 0;
    for (uint32_t i = 0; i < input->rank; i++)
        if (i != axis)
            dims[rank++] = input->dims[i];
    mlia_infer_set(infer, 0, rank, dims);
    return NULL;
}

mlia_status *mlia_infer_reverse(mlia_infer *infer)
{
    uint32_t axis = 0;
    MLIA_TRY(mlia_infer_axis(infer, &axis));
    return mlia_infer_same(infer);
}

mlia_status *mlia_infer_table(mlia_infer *infer)
{
    int64_t length = mlia_infer_input(infer, 1)->dims[0];
    int64_t expected = mlia_infer_input(infer, 0)->type == MLIA_TYPE_INT16 ? 513 : 256;
    if (!mlia_dims_agree(length, expected))
        return MLIA_SHAPE_ERROR("the table has %lld entries, must have %lld", (long long)length,
                                (long long)expected);
    return mlia_infer_same(infer);
}

mlia_status *mlia_infer_rescale(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    bool per_channel = infer->op->attributes->per_channel;
    if (per_channel && input->rank == 0)
        return MLIA_SHAPE_ERROR("per_channel needs an input of rank 1 or more");
    int64_t channels = per_channel ? input->dims[input->rank - 1] : 1;
    static const char *const names[] = {"", "multiplier", "shift"};
    for (uint32_t i = 1; i <= 2; i++) {
        int64_t length = mlia_infer_input(infer, i)->dims[0];
        if (!mlia_dims_agree(length, channels))
            return MLIA_SHAPE_ERROR("%s has %lld entries, must have %lld", names[i], (long long)length,
                                    (long long)channels);
    }
    return mlia_infer_same(infer);
}

mlia_status *mlia_infer_cast_from_block_scaled(mlia_infer *infer)
{
    const mlia_graph_value *data = mlia_infer_input(infer, 0);
    MLIA_TRY(mlia_infer_check_scale(infer, data, mlia_infer_input(infer, 1)));
    return mlia_infer_same(infer);
}

mlia_status *mlia_infer_cast_to_block_scaled(mlia_infer *infer)
{
    const mlia_graph_value *data = mlia_infer_input(infer, 0);
    MLIA_TRY(mlia_infer_check_blocks(infer, data));
    mlia_infer_set_like(infer, 0, data);
    mlia_infer_set_like(infer, 1, data);
    if (data->dims[data->rank - 1] >= 0)
        infer->results[1].dims[data->rank - 1] /= 32;
    return NULL;
}
