/* Dead operators and values, found backwards from the outputs (blocks are in definition order, so one pass is
 * enough), and the order of the others, found by walking from each result to what it is made of. */
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

/* The walk: operators in their new order, which become `place`. */
typedef struct ordering {
    mlia_graph *graph;
    const bool *live;
    uint32_t *place; /* by old operator: its new index, MLIA_NONE before it has one */
    uint32_t *order; /* old operators in the new order */
    uint32_t count;
    uint32_t *stack; /* operators whose operands are being walked */
    uint32_t *next;  /* by old operator: the operand to look at next */
    bool *entered;
} ordering;

static void enter(ordering *o, uint32_t *depth, uint32_t index)
{
    if (index == MLIA_NONE || o->entered[index] || !o->live[index])
        return;
    o->entered[index] = true;
    o->stack[(*depth)++] = index;
}

/* Places an operator behind everything it is made of. Every operator is entered once: the stack cannot
 * overflow. */
static void place_operator(ordering *o, uint32_t index)
{
    uint32_t depth = 0;
    enter(o, &depth, index);
    while (depth > 0) {
        uint32_t top = o->stack[depth - 1];
        const mlia_operator *op = &o->graph->operators[top];
        if (o->next[top] < op->input_count) {
            enter(o, &depth, o->graph->values[op->inputs[o->next[top]++]].producer);
            continue;
        }
        o->place[top] = o->count;
        o->order[o->count++] = top;
        depth--;
    }
}

static void place_all(ordering *o, const uint32_t *results, size_t count)
{
    for (size_t i = 0; i < count; i++)
        place_operator(o, o->graph->values[results[i]].producer);
    for (uint32_t b = 0; b < o->graph->block_count; b++) {
        const mlia_block *block = &o->graph->blocks[b];
        for (uint32_t i = 0; i < block->output_count; i++)
            place_operator(o, o->graph->values[block->outputs[i]].producer);
        for (uint32_t i = 0; i < block->operator_count; i++)
            place_operator(o, block->operators[i]); /* what has only effects */
    }
}

static mlia_status *order_operators(mlia_graph *graph, const bool *live, const uint32_t *results,
                                    size_t count, uint32_t *place)
{
    uint32_t total = graph->operator_count;
    ordering o = {
        .graph = graph,
        .live = live,
        .place = place,
        .order = MLIA_NEW_ARRAY(graph->arena, uint32_t, total),
        .stack = MLIA_NEW_ARRAY(graph->arena, uint32_t, total),
        .next = MLIA_NEW_ARRAY(graph->arena, uint32_t, total),
        .entered = MLIA_NEW_ARRAY(graph->arena, bool, total),
    };
    mlia_operator *moved = MLIA_NEW_ARRAY(graph->arena, mlia_operator, total);
    MLIA_TRY_ALLOC(o.order);
    MLIA_TRY_ALLOC(o.stack);
    MLIA_TRY_ALLOC(o.next);
    MLIA_TRY_ALLOC(o.entered);
    MLIA_TRY_ALLOC(moved);
    place_all(&o, results, count);
    for (uint32_t b = 0; b < graph->block_count; b++)
        graph->blocks[b].operator_count = 0;
    for (uint32_t i = 0; i < o.count; i++) {
        moved[i] = graph->operators[o.order[i]];
        mlia_block *block = &graph->blocks[moved[i].block];
        moved[i].number = i;
        moved[i].operator_index = block->operator_count;
        block->operators[block->operator_count++] = i;
    }
    graph->operators = moved;
    graph->operator_count = o.count;
    graph->operator_capacity = total;
    return NULL;
}

/* Numbers the values as they appear: block inputs, then results in operator order. */
static mlia_status *order_values(mlia_graph *graph, uint32_t *place)
{
    uint32_t total = graph->value_count;
    mlia_graph_value *moved = MLIA_NEW_ARRAY(graph->arena, mlia_graph_value, total);
    MLIA_TRY_ALLOC(moved);
    uint32_t used = 0;
    for (uint32_t i = 0; i < total; i++)
        place[i] = MLIA_NONE;
    for (uint32_t b = 0; b < graph->block_count; b++)
        for (uint32_t i = 0; i < graph->blocks[b].input_count; i++)
            if (place[graph->blocks[b].inputs[i]] == MLIA_NONE)
                place[graph->blocks[b].inputs[i]] = used++;
    for (uint32_t i = 0; i < graph->operator_count; i++)
        for (uint32_t k = 0; k < graph->operators[i].output_count; k++)
            if (place[graph->operators[i].outputs[k]] == MLIA_NONE)
                place[graph->operators[i].outputs[k]] = used++;
    for (uint32_t i = 0; i < total; i++)
        if (place[i] != MLIA_NONE)
            moved[place[i]] = graph->values[i];
    graph->values = moved;
    graph->value_count = used;
    graph->value_capacity = total;
    return NULL;
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

mlia_status *mlia_graph_prune(mlia_graph *graph, const uint32_t *results, size_t count)
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
    MLIA_TRY(order_operators(graph, live_operators, results, count, operator_place));
    MLIA_TRY(order_values(graph, value_place));
    return renumber(graph, value_place, operator_place);
}
