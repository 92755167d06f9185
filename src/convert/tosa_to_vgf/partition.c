/* Splits a graph at its shader operators and numbers the values that cross, as the official converter does.
 */
#include "convert/tosa_to_vgf/partition.h"

#include <stdlib.h>

#include "convert/tosa_to_vgf/shader.h"

typedef struct splitting {
    const mlia_graph *graph;
    mlia_arena *arena;
    mlia_partitions *out;
    size_t capacity;
    uint32_t model_inputs; /* their number */
    uint32_t *last_reader; /* by value: partition that has it in its inputs last, to list it once */
} splitting;

static mlia_status *open_partition(splitting *state, bool is_shader, uint32_t *index)
{
    mlia_partitions *out = state->out;
    size_t count = out->count;
    if (!MLIA_RESERVE(state->arena, out->items, count, state->capacity))
        return mlia_error_memory();
    out->items[out->count] = (mlia_partition){.is_shader = is_shader};
    *index = out->count++;
    return NULL;
}

static bool is_constant(const mlia_operator *op)
{
    return op->op == MLIA_OP_CONST || op->op == MLIA_OP_CONST_SHAPE;
}

static bool reads_constant(const splitting *state, const mlia_operator *op)
{
    for (uint32_t i = 0; i < op->input_count; i++)
        if (state->graph->values[op->inputs[i]].constant != NULL)
            return true;
    return false;
}

/* Partition of an operator that is no shader. */
static mlia_status *place_operator(splitting *state, const mlia_operator *op, uint32_t *place)
{
    mlia_partitions *out = state->out;
    uint32_t latest = MLIA_NONE;
    for (uint32_t i = 0; i < op->input_count; i++) {
        uint32_t from = out->of_value[op->inputs[i]];
        if (from != MLIA_NONE && (latest == MLIA_NONE || from > latest))
            latest = from;
    }
    if (latest != MLIA_NONE && !out->items[latest].is_shader) {
        *place = latest;
        return NULL;
    }
    if (out->count == 0 || out->items[out->count - 1].is_shader)
        return open_partition(state, false, place);
    *place = out->count - 1; /* behind every shader it could read from */
    return NULL;
}

/* A constant that a shader reads is put out by a graph partition before it. */
static mlia_status *place_shader_constants(splitting *state, const mlia_operator *op)
{
    mlia_partitions *out = state->out;
    if (!reads_constant(state, op))
        return NULL;
    uint32_t before = out->count;
    while (before > 0 && out->items[before - 1].is_shader)
        before--;
    if (before == 0)
        MLIA_TRY(open_partition(state, false, &before));
    else
        before--;
    for (uint32_t i = 0; i < op->input_count; i++)
        if (state->graph->values[op->inputs[i]].constant != NULL && out->of_value[op->inputs[i]] == MLIA_NONE)
            out->of_value[op->inputs[i]] = before;
    return NULL;
}

static mlia_status *add_operator(splitting *state, uint32_t place, uint32_t op)
{
    mlia_partition *partition = &state->out->items[place];
    size_t capacity = partition->capacity;
    size_t count = partition->operator_count;
    if (!MLIA_RESERVE(state->arena, partition->operators, count, capacity))
        return mlia_error_memory();
    partition->capacity = (uint32_t)capacity;
    partition->operators[partition->operator_count++] = op;
    for (uint32_t i = 0; i < state->graph->operators[op].output_count; i++)
        state->out->of_value[state->graph->operators[op].outputs[i]] = place;
    return NULL;
}

static mlia_status *assign(splitting *state)
{
    const mlia_block *block = mlia_graph_main(state->graph);
    for (uint32_t i = 0; i < block->operator_count; i++) {
        uint32_t index = block->operators[i];
        const mlia_operator *op = &state->graph->operators[index];
        uint32_t place = 0;
        if (is_constant(op))
            continue;
        if (mlia_is_shader(op)) {
            MLIA_TRY(place_shader_constants(state, op));
            MLIA_TRY(open_partition(state, true, &place));
        } else {
            MLIA_TRY(place_operator(state, op, &place));
        }
        MLIA_TRY(add_operator(state, place, index));
    }
    uint32_t unused;
    return state->out->count == 0 ? open_partition(state, false, &unused) : NULL;
}

typedef struct by_binding {
    uint32_t binding;
    uint32_t value;
} by_binding;

static int compare(const void *left, const void *right)
{
    const by_binding *a = left;
    const by_binding *b = right;
    int order = (a->binding > b->binding) - (a->binding < b->binding);
    return order != 0 ? order : (a->value > b->value) - (a->value < b->value);
}

static void sort(by_binding *list, size_t count)
{
    if (count > 1)
        qsort(list, count, sizeof *list, compare);
}

static mlia_status *sorted(splitting *state, by_binding *list, size_t count, uint32_t **values)
{
    *values = MLIA_NEW_ARRAY(state->arena, uint32_t, count);
    MLIA_TRY_ALLOC(*values);
    sort(list, count);
    for (size_t i = 0; i < count; i++)
        (*values)[i] = list[i].value;
    return NULL;
}

/* Marks the values that another partition than their own reads. Constants are written again in every graph
 * partition, so only shaders make them cross. */
static void mark_crossing(const splitting *state, bool *crosses)
{
    const mlia_graph *graph = state->graph;
    const mlia_partitions *out = state->out;
    for (uint32_t p = 0; p < out->count; p++)
        for (uint32_t i = 0; i < out->items[p].operator_count; i++) {
            const mlia_operator *op = &graph->operators[out->items[p].operators[i]];
            for (uint32_t k = 0; k < op->input_count; k++) {
                uint32_t from = out->of_value[op->inputs[k]];
                bool constant = graph->values[op->inputs[k]].constant != NULL && !out->items[p].is_shader;
                if (from != MLIA_NONE && from != p && !constant)
                    crosses[op->inputs[k]] = true;
            }
        }
}

/* Constants that cross, by partition and then in the order of the block. */
static mlia_status *crossing_constants(const splitting *state, const bool *crosses, by_binding **list,
                                       size_t *count)
{
    const mlia_block *block = mlia_graph_main(state->graph);
    *list = MLIA_NEW_ARRAY(state->arena, by_binding, block->operator_count);
    MLIA_TRY_ALLOC(*list);
    *count = 0;
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const mlia_operator *op = &state->graph->operators[block->operators[i]];
        if (is_constant(op) && crosses[op->outputs[0]])
            (*list)[(*count)++] = (by_binding){state->out->of_value[op->outputs[0]], i};
    }
    sort(*list, *count);
    return NULL;
}

/* Crossing values get numbers behind the inputs, in the order in which they are made; then the outputs. */
static mlia_status *number_values(splitting *state)
{
    const mlia_graph *graph = state->graph;
    const mlia_block *block = mlia_graph_main(graph);
    mlia_partitions *out = state->out;
    bool *crosses = MLIA_NEW_ARRAY(state->arena, bool, graph->value_count);
    MLIA_TRY_ALLOC(crosses);
    mark_crossing(state, crosses);
    by_binding *constants = NULL;
    size_t constant_count = 0;
    MLIA_TRY(crossing_constants(state, crosses, &constants, &constant_count));
    uint32_t next = block->input_count;
    for (uint32_t i = 0; i < block->input_count; i++)
        out->bindings[block->inputs[i]] = i;
    size_t constant = 0;
    for (uint32_t p = 0; p < out->count; p++) {
        for (; constant < constant_count && constants[constant].binding == p; constant++)
            out->bindings[graph->operators[block->operators[constants[constant].value]].outputs[0]] = next++;
        for (uint32_t i = 0; i < out->items[p].operator_count; i++) {
            const mlia_operator *op = &graph->operators[out->items[p].operators[i]];
            for (uint32_t k = 0; k < op->output_count; k++)
                if (crosses[op->outputs[k]])
                    out->bindings[op->outputs[k]] = next++;
        }
    }
    for (uint32_t i = 0; i < block->output_count; i++)
        if (out->bindings[block->outputs[i]] == MLIA_NONE)
            out->bindings[block->outputs[i]] = next++;
    return NULL;
}

/* Values that partition `p` reads from elsewhere. */
static mlia_status *list_inputs(splitting *state, uint32_t p)
{
    mlia_partition *partition = &state->out->items[p];
    by_binding *list = NULL;
    size_t count = 0;
    size_t capacity = 0;
    for (uint32_t i = 0; i < partition->operator_count; i++) {
        const mlia_operator *op = &state->graph->operators[partition->operators[i]];
        for (uint32_t k = 0; k < op->input_count; k++) {
            uint32_t value = op->inputs[k];
            bool constant = state->graph->values[value].constant != NULL && !partition->is_shader;
            bool here =
                state->out->of_value[value] == p || state->graph->values[value].kind == MLIA_KIND_SHAPE;
            if (constant || here || state->last_reader[value] == p)
                continue;
            state->last_reader[value] = p;
            if (!MLIA_RESERVE(state->arena, list, count, capacity))
                return mlia_error_memory();
            list[count++] = (by_binding){state->out->bindings[value], value};
        }
    }
    partition->input_count = (uint32_t)count;
    partition->arguments = MLIA_NEW_ARRAY(state->arena, uint32_t, count);
    MLIA_TRY_ALLOC(partition->arguments);
    for (size_t i = 0; i < count; i++) {
        partition->arguments[i] = list[i].value;
        if (!state->out->is_model_input[list[i].value] && !partition->is_shader)
            list[i].binding = state->model_inputs + (uint32_t)i;
        else if (partition->is_shader)
            list[i].binding = (uint32_t)i;
    }
    return sorted(state, list, count, &partition->inputs);
}

/* Partition that puts a value out; MLIA_NONE for inputs. Constants that the model returns are put out by the
 * first. */
static uint32_t maker(const splitting *state, uint32_t value)
{
    uint32_t p = state->out->of_value[value];
    return p == MLIA_NONE && !state->out->is_model_input[value] ? 0 : p;
}

/* Values that leave their partition: those that the model returns first, in its order, then the others by
 * binding. */
static mlia_status *list_outputs(splitting *state)
{
    const mlia_block *block = mlia_graph_main(state->graph);
    mlia_partitions *out = state->out;
    by_binding *list = MLIA_NEW_ARRAY(state->arena, by_binding, state->graph->value_count);
    bool *listed = MLIA_NEW_ARRAY(state->arena, bool, state->graph->value_count);
    MLIA_TRY_ALLOC(list);
    MLIA_TRY_ALLOC(listed);
    size_t count = 0;
    for (uint32_t i = 0; i < block->output_count; i++)
        if (maker(state, block->outputs[i]) != MLIA_NONE && !listed[block->outputs[i]]) {
            listed[block->outputs[i]] = true;
            list[count++] = (by_binding){i, block->outputs[i]};
        }
    size_t returned = count;
    for (uint32_t value = 0; value < state->graph->value_count; value++)
        if (out->of_value[value] != MLIA_NONE && out->bindings[value] != MLIA_NONE && !listed[value])
            list[count++] = (by_binding){out->bindings[value], value};
    sort(list + returned, count - returned);
    for (size_t i = 0; i < count; i++)
        out->items[maker(state, list[i].value)].output_count++;
    for (uint32_t p = 0; p < out->count; p++) {
        out->items[p].outputs = MLIA_NEW_ARRAY(state->arena, uint32_t, out->items[p].output_count);
        MLIA_TRY_ALLOC(out->items[p].outputs);
        out->items[p].output_count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        mlia_partition *partition = &out->items[maker(state, list[i].value)];
        partition->outputs[partition->output_count++] = list[i].value;
    }
    return NULL;
}

mlia_status *mlia_partition_graph(const mlia_graph *graph, mlia_arena *arena, mlia_partitions *partitions)
{
    splitting state = {.graph = graph, .arena = arena, .out = partitions};
    const mlia_block *block = mlia_graph_main(graph);
    *partitions = (mlia_partitions){
        .of_value = MLIA_NEW_ARRAY(arena, uint32_t, graph->value_count),
        .bindings = MLIA_NEW_ARRAY(arena, uint32_t, graph->value_count),
        .is_model_input = MLIA_NEW_ARRAY(arena, bool, graph->value_count),
        .is_model_output = MLIA_NEW_ARRAY(arena, bool, graph->value_count),
    };
    state.model_inputs = block->input_count;
    state.last_reader = MLIA_NEW_ARRAY(arena, uint32_t, graph->value_count);
    MLIA_TRY_ALLOC(partitions->of_value);
    MLIA_TRY_ALLOC(partitions->bindings);
    MLIA_TRY_ALLOC(partitions->is_model_input);
    MLIA_TRY_ALLOC(partitions->is_model_output);
    MLIA_TRY_ALLOC(state.last_reader);
    memset(partitions->of_value, 0xFF, graph->value_count * sizeof(uint32_t));
    memset(partitions->bindings, 0xFF, graph->value_count * sizeof(uint32_t));
    memset(state.last_reader, 0xFF, graph->value_count * sizeof(uint32_t));
    for (uint32_t i = 0; i < block->input_count; i++)
        partitions->is_model_input[block->inputs[i]] = true;
    for (uint32_t i = 0; i < block->output_count; i++)
        partitions->is_model_output[block->outputs[i]] = true;
    MLIA_TRY(assign(&state));
    MLIA_TRY(number_values(&state));
    for (uint32_t p = 0; p < partitions->count; p++)
        MLIA_TRY(list_inputs(&state, p));
    MLIA_TRY(list_outputs(&state));
    if (partitions->count == 1) { /* all inputs, used or not */
        partitions->items[0].inputs = partitions->items[0].arguments = block->inputs;
        partitions->items[0].input_count = block->input_count;
    }
    return NULL;
}
