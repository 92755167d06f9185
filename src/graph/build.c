/* Adding parts to a graph. Nothing is checked here but memory and the number of operators: mlia_graph_finish
 * (finish.c) does that when all parts are there. */
#include "graph/build.h"

enum { MAX_OPERATORS = 1 << 24 };

mlia_graph *mlia_graph_new(mlia_arena *arena, mlia_source_format format)
{
    mlia_graph *graph = MLIA_NEW(arena, mlia_graph);
    if (graph == NULL)
        return NULL;
    graph->arena = arena;
    graph->format = format;
    graph->version[0] = 1;
    return graph;
}

/* Appends `item` to graph->LIST and gives its index, or MLIA_NONE. */
#define APPEND(graph, list, counter, room, item)                                                             \
    (!MLIA_RESERVE((graph)->arena, (graph)->list, (graph)->counter, (graph)->room)                           \
         ? MLIA_NONE                                                                                         \
         : ((graph)->list[(graph)->counter] = (item), (graph)->counter++))

static bool copy_indexes(mlia_arena *arena, const uint32_t *values, uint32_t count, uint32_t **copy)
{
    *copy = MLIA_NEW_ARRAY(arena, uint32_t, count);
    if (*copy == NULL)
        return false;
    if (count > 0)
        memcpy(*copy, values, count * sizeof *values);
    return true;
}

uint32_t mlia_graph_add_region(mlia_graph *graph, mlia_str name, mlia_str block_name)
{
    mlia_block block = {.name = block_name, .region = graph->region_count};
    uint32_t block_index = APPEND(graph, blocks, block_count, block_capacity, block);
    if (block_index == MLIA_NONE)
        return MLIA_NONE;
    mlia_region region = {name, block_index, MLIA_NONE};
    return APPEND(graph, regions, region_count, region_capacity, region);
}

uint32_t mlia_graph_add_variable(mlia_graph *graph, mlia_variable variable)
{
    return APPEND(graph, variables, variable_count, variable_capacity, variable);
}

uint32_t mlia_graph_add_source(mlia_graph *graph, mlia_source source)
{
    return APPEND(graph, sources, source_count, source_capacity, source);
}

static const int64_t *copy_numbers(mlia_arena *arena, const int64_t *numbers, uint32_t count)
{
    int64_t *copy = MLIA_NEW_ARRAY(arena, int64_t, count);
    if (copy != NULL && count > 0)
        memcpy(copy, numbers, count * sizeof *numbers);
    return copy;
}

static uint32_t add_value(mlia_graph *graph, mlia_graph_value value)
{
    value.variable = MLIA_NONE;
    value.producer = MLIA_NONE;
    return APPEND(graph, values, value_count, value_capacity, value);
}

uint32_t mlia_graph_add_tensor(mlia_graph *graph, uint32_t block, mlia_str name, uint32_t type, uint32_t rank,
                               const int64_t *dims)
{
    mlia_graph_value value = {
        .name = name, .kind = MLIA_KIND_TENSOR, .type = (uint8_t)type, .rank = rank, .block = block};
    if (rank > 0 && (value.dims = copy_numbers(graph->arena, dims, rank)) == NULL)
        return MLIA_NONE;
    return add_value(graph, value);
}

uint32_t mlia_graph_add_shape(mlia_graph *graph, uint32_t block, mlia_str name, uint32_t length,
                              const int64_t *values)
{
    mlia_graph_value value = {
        .name = name, .kind = MLIA_KIND_SHAPE, .type = MLIA_TYPE_SHAPE, .rank = length, .block = block};
    if ((values != NULL || length == 0) &&
        (value.shape_values = copy_numbers(graph->arena, values, length)) == NULL)
        return MLIA_NONE;
    return add_value(graph, value);
}

static bool append_to_block(mlia_graph *graph, mlia_block *block, uint32_t operator_index)
{
    if (!MLIA_RESERVE(graph->arena, block->operators, block->operator_count, block->operator_capacity))
        return false;
    block->operators[block->operator_count++] = operator_index;
    return true;
}

uint32_t mlia_graph_add_operator(mlia_graph *graph, uint32_t block, uint32_t op, const uint32_t *inputs,
                                 uint32_t input_count, const uint32_t *outputs, uint32_t output_count,
                                 const mlia_attributes *attributes, uint32_t source)
{
    if (graph->operator_count >= MAX_OPERATORS)
        return MLIA_NONE;
    mlia_operator item = {.op = op,
                          .block = block,
                          .input_count = input_count,
                          .output_count = output_count,
                          .source = source,
                          .number = graph->operator_count,
                          .region_index = graph->blocks[block].region,
                          .operator_index = graph->blocks[block].operator_count,
                          .offset = MLIA_NO_OFFSET};
    uint32_t *input_copy;
    uint32_t *output_copy;
    if (!copy_indexes(graph->arena, inputs, input_count, &input_copy) ||
        !copy_indexes(graph->arena, outputs, output_count, &output_copy))
        return MLIA_NONE;
    item.inputs = input_copy;
    item.outputs = output_copy;
    if (attributes != NULL) {
        mlia_attributes *copy = MLIA_NEW(graph->arena, mlia_attributes);
        if (copy == NULL)
            return MLIA_NONE;
        *copy = *attributes;
        item.attributes = copy;
    }
    uint32_t index = APPEND(graph, operators, operator_count, operator_capacity, item);
    if (index == MLIA_NONE || !append_to_block(graph, &graph->blocks[block], index))
        return MLIA_NONE;
    for (uint32_t i = 0; i < output_count; i++) {
        mlia_graph_value *output = &graph->values[outputs[i]];
        if (output->producer == MLIA_NONE) {
            output->producer = index;
            output->producer_output = i;
        }
    }
    return index;
}

void mlia_operator_take_place(mlia_operator *op, const mlia_operator *original)
{
    op->number = original->number;
    op->region_index = original->region_index;
    op->block_index = original->block_index;
    op->operator_index = original->operator_index;
    op->offset = original->offset;
    op->line = original->line;
    op->column = original->column;
}

bool mlia_graph_set_block_inputs(mlia_graph *graph, uint32_t block, const uint32_t *values, uint32_t count)
{
    graph->blocks[block].input_count = count;
    return copy_indexes(graph->arena, values, count, &graph->blocks[block].inputs);
}

bool mlia_graph_set_block_outputs(mlia_graph *graph, uint32_t block, const uint32_t *values, uint32_t count)
{
    graph->blocks[block].output_count = count;
    return copy_indexes(graph->arena, values, count, &graph->blocks[block].outputs);
}

mlia_attributes mlia_attributes_default(void)
{
    return (mlia_attributes){.nan_mode = MLIA_NAN_PROPAGATE,
                             .variable = MLIA_NONE,
                             .then_graph = MLIA_NONE,
                             .else_graph = MLIA_NONE,
                             .cond_graph = MLIA_NONE,
                             .body_graph = MLIA_NONE};
}
