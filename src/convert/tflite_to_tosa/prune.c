/* Dead operators and values, found backwards from the outputs. Blocks are in definition order, so one pass is
 * enough. */
#include "convert/tflite_to_tosa/prune.h"

static bool has_side_effect(const mlia_operator *op)
{
    return op->op == MLIA_OP_VARIABLE_WRITE || op->op == MLIA_OP_VARIABLE || op->op == MLIA_OP_COND_IF ||
           op->op == MLIA_OP_WHILE_LOOP || op->op == MLIA_OP_ASSERT_EQUAL_SHAPE;
}

static void mark_live(const mlia_graph *graph, bool *live_values, bool *live_operators)
{
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const mlia_block *block = &graph->blocks[b];
        for (uint32_t i = 0; i < block->output_count; i++)
            live_values[block->outputs[i]] = true;
        for (uint32_t i = 0; i < block->input_count; i++)
            live_values[block->inputs[i]] = true;
    }
    for (uint32_t b = graph->block_count; b > 0; b--) {
        const mlia_block *block = &graph->blocks[b - 1];
        for (uint32_t i = block->operator_count; i > 0; i--) {
            uint32_t index = block->operators[i - 1];
            const mlia_operator *op = &graph->operators[index];
            bool live = has_side_effect(op);
            for (uint32_t k = 0; k < op->output_count && !live; k++)
                live = live_values[op->outputs[k]];
            live_operators[index] = live;
            for (uint32_t k = 0; live && k < op->input_count; k++)
                live_values[op->inputs[k]] = true;
            for (uint32_t k = 0; live && k < op->output_count; k++)
                live_values[op->outputs[k]] = true;
        }
    }
}

/* Moves what is live to the front; `place` becomes the new index of each old one. */
static void compact_values(mlia_graph *graph, const bool *live, uint32_t *place)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < graph->value_count; i++) {
        place[i] = used;
        if (live[i])
            graph->values[used++] = graph->values[i];
    }
    graph->value_count = used;
}

static void compact_operators(mlia_graph *graph, const bool *live, uint32_t *place)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        place[i] = used;
        if (live[i]) {
            graph->operators[used] = graph->operators[i];
            graph->operators[used].number = used;
            used++;
        }
    }
    graph->operator_count = used;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        mlia_block *block = &graph->blocks[b];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < block->operator_count; i++)
            if (live[block->operators[i]]) {
                block->operators[kept] = place[block->operators[i]];
                graph->operators[block->operators[kept]].operator_index = kept;
                kept++;
            }
        block->operator_count = kept;
    }
}

static uint32_t *renumbered(mlia_arena *arena, const uint32_t *values, uint32_t count, const uint32_t *place)
{
    uint32_t *copy = MLIA_NEW_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; copy != NULL && i < count; i++)
        copy[i] = place[values[i]];
    return copy;
}

static mlia_status *renumber(mlia_graph *graph, const uint32_t *value_place, const uint32_t *operator_place)
{
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        mlia_operator *op = &graph->operators[i];
        op->inputs = renumbered(graph->arena, op->inputs, op->input_count, value_place);
        op->outputs = renumbered(graph->arena, op->outputs, op->output_count, value_place);
        MLIA_TRY_ALLOC(op->inputs);
        MLIA_TRY_ALLOC(op->outputs);
    }
    for (uint32_t b = 0; b < graph->block_count; b++) {
        mlia_block *block = &graph->blocks[b];
        for (uint32_t i = 0; i < block->input_count; i++)
            block->inputs[i] = value_place[block->inputs[i]];
        for (uint32_t i = 0; i < block->output_count; i++)
            block->outputs[i] = value_place[block->outputs[i]];
    }
    for (uint32_t i = 0; i < graph->value_count; i++)
        if (graph->values[i].producer != MLIA_NONE)
            graph->values[i].producer = operator_place[graph->values[i].producer];
    return NULL;
}

mlia_status *mlia_graph_prune(mlia_graph *graph)
{
    bool *live_values = MLIA_NEW_ARRAY(graph->arena, bool, graph->value_count);
    bool *live_operators = MLIA_NEW_ARRAY(graph->arena, bool, graph->operator_count);
    uint32_t *value_place = MLIA_NEW_ARRAY(graph->arena, uint32_t, graph->value_count);
    uint32_t *operator_place = MLIA_NEW_ARRAY(graph->arena, uint32_t, graph->operator_count);
    MLIA_TRY_ALLOC(live_values);
    MLIA_TRY_ALLOC(live_operators);
    MLIA_TRY_ALLOC(value_place);
    MLIA_TRY_ALLOC(operator_place);
    mark_live(graph, live_values, live_operators);
    compact_values(graph, live_values, value_place);
    compact_operators(graph, live_operators, operator_place);
    return renumber(graph, value_place, operator_place);
}
