/* Normal form of a graph: every value has one definition, regions are linked without cycles, the operators of
 * each block stand in execution order, constants are marked. All steps are near-linear and none recurses. */
#include "graph/build.h"

enum { MAX_REGION_NESTING = 256 };

/* --- definitions and uses --- */

/* The definition of values while connecting, one byte each. */
enum { UNDEFINED, BLOCK_INPUT, PRODUCED };

static mlia_status *two_definitions(const mlia_graph *graph, const mlia_operator *op, uint32_t output)
{
    mlia_str name = graph->values[op->outputs[output]].name;
    mlia_status *status =
        mlia_error(MLIA_E_TOSA_DUPLICATE, "value '%.*s' is defined twice: %.*s defines it again",
                   MLIA_STR_ARG(name), MLIA_STR_ARG(mlia_operator_name(op)));
    return mlia_status_at_operator(status, graph, op);
}

static mlia_status *define_outputs(mlia_graph *graph, uint32_t index, uint8_t *definitions)
{
    const mlia_operator *op = &graph->operators[index];
    for (uint32_t i = 0; i < op->output_count; i++) {
        mlia_graph_value *value = &graph->values[op->outputs[i]];
        bool variable =
            value->variable != MLIA_NONE; /* FlatBuffers: written like an output, any number of times */
        if (definitions[op->outputs[i]] != UNDEFINED && !variable)
            return two_definitions(graph, op, i);
        definitions[op->outputs[i]] = PRODUCED;
        value->producer = index;
        value->producer_output = i;
    }
    return NULL;
}

/* Counts one use of `value` in `block`; false when nothing in that block defines it. */
static bool use_value(mlia_graph *graph, uint32_t value, uint32_t block, const uint8_t *definitions)
{
    mlia_graph_value *item = &graph->values[value];
    item->use_count++;
    return item->block == block && (definitions[value] != UNDEFINED || item->variable != MLIA_NONE);
}

static mlia_status *dangling(const mlia_graph *graph, uint32_t value, const mlia_operator *op)
{
    return mlia_status_at_operator(
        mlia_error(MLIA_E_TOSA_DANGLING,
                   "%.*s reads '%.*s', which is neither a block input, an operator's output nor a variable",
                   MLIA_STR_ARG(mlia_operator_name(op)), MLIA_STR_ARG(graph->values[value].name)),
        graph, op);
}

static mlia_status *connect(mlia_graph *graph)
{
    uint8_t *definitions = MLIA_NEW_ARRAY(graph->arena, uint8_t, graph->value_count);
    MLIA_TRY_ALLOC(definitions);
    for (uint32_t i = 0; i < graph->value_count; i++) {
        graph->values[i].producer = MLIA_NONE;
        graph->values[i].producer_output = 0;
        graph->values[i].use_count = 0;
    }
    for (uint32_t b = 0; b < graph->block_count; b++)
        for (uint32_t i = 0; i < graph->blocks[b].input_count; i++)
            definitions[graph->blocks[b].inputs[i]] = BLOCK_INPUT;
    for (uint32_t i = 0; i < graph->operator_count; i++)
        MLIA_TRY(define_outputs(graph, i, definitions));
    for (uint32_t o = 0; o < graph->operator_count; o++) {
        const mlia_operator *op = &graph->operators[o];
        for (uint32_t i = 0; i < op->input_count; i++)
            if (!use_value(graph, op->inputs[i], op->block, definitions))
                return dangling(graph, op->inputs[i], op);
    }
    for (uint32_t b = 0; b < graph->block_count; b++) {
        const mlia_block *block = &graph->blocks[b];
        for (uint32_t i = 0; i < block->output_count; i++)
            if (!use_value(graph, block->outputs[i], b, definitions))
                return mlia_status_in(mlia_error(MLIA_E_TOSA_DANGLING,
                                                 "output '%.*s' of block '%.*s' is never produced",
                                                 MLIA_STR_ARG(graph->values[block->outputs[i]].name),
                                                 MLIA_STR_ARG(block->name)),
                                      "regions[%u].blocks[0].outputs[%u]", block->region, i);
    }
    return NULL;
}

/* --- regions --- */

static const mlia_field region_fields[] = {MLIA_FIELD_THEN_GRAPH, MLIA_FIELD_ELSE_GRAPH,
                                           MLIA_FIELD_COND_GRAPH, MLIA_FIELD_BODY_GRAPH};
enum { REGION_FIELDS = sizeof region_fields / sizeof *region_fields };

uint32_t mlia_operator_regions(const mlia_operator *op, uint32_t regions[2])
{
    uint32_t count = 0;
    if (op->attributes == NULL || (op->op != MLIA_OP_COND_IF && op->op != MLIA_OP_WHILE_LOOP))
        return 0;
    for (size_t i = 0; i < REGION_FIELDS; i++)
        if (mlia_op_has_field(op->op, region_fields[i]))
            memcpy(&regions[count++],
                   (const char *)op->attributes + mlia_field_describe(region_fields[i])->offset,
                   sizeof *regions);
    return count;
}

static mlia_status *set_parents(mlia_graph *graph)
{
    for (uint32_t i = 0; i < graph->region_count; i++)
        graph->regions[i].parent = MLIA_NONE;
    for (uint32_t o = 0; o < graph->operator_count; o++) {
        const mlia_operator *op = &graph->operators[o];
        uint32_t regions[2];
        uint32_t count = mlia_operator_regions(op, regions);
        for (uint32_t i = 0; i < count; i++) {
            if (regions[i] >= graph->region_count)
                return mlia_status_at_operator(mlia_error(MLIA_E_TOSA_DANGLING,
                                                          "%.*s runs a region that does not exist",
                                                          MLIA_STR_ARG(mlia_operator_name(op))),
                                               graph, op);
            if (graph->regions[regions[i]].parent == MLIA_NONE)
                graph->regions[regions[i]].parent = o;
        }
    }
    return NULL;
}

/* One region on the path that the search follows, and how far its operators were looked through. */
typedef struct region_step {
    uint32_t region;
    uint32_t operator_position;
    uint32_t field;
} region_step;

/* The search state of a region: not seen, on the path, or finished with the depth of what it runs. */
enum { REGION_NEW, REGION_ON_PATH, REGION_DONE };

/* Next region that the region of `step` runs, or MLIA_NONE. */
static uint32_t next_child(const mlia_graph *graph, region_step *step)
{
    const mlia_block *block = &graph->blocks[graph->regions[step->region].block];
    for (; step->operator_position < block->operator_count; step->operator_position++, step->field = 0) {
        uint32_t regions[2];
        uint32_t count =
            mlia_operator_regions(&graph->operators[block->operators[step->operator_position]], regions);
        if (step->field < count)
            return regions[step->field++];
    }
    return MLIA_NONE;
}

static mlia_status *region_error(const mlia_graph *graph, mlia_kind kind, const region_step *step,
                                 const char *what)
{
    const mlia_block *block = &graph->blocks[graph->regions[step->region].block];
    return mlia_status_at_operator(
        mlia_error(kind, "region '%.*s' %s", MLIA_STR_ARG(graph->regions[step->region].name), what), graph,
        &graph->operators[block->operators[step->operator_position]]);
}

/* Walks through everything that `root` runs, depth first with an explicit stack. height[r] becomes the number
 * of nested regions in r, itself included. */
static mlia_status *search_regions(const mlia_graph *graph, uint32_t root, uint8_t *states, uint16_t *heights)
{
    region_step path[MAX_REGION_NESTING + 1] = {{.region = root}};
    uint32_t depth = 1;
    states[root] = REGION_ON_PATH;
    heights[root] = 1;
    while (depth > 0) {
        region_step *step = &path[depth - 1];
        uint32_t child = next_child(graph, step);
        if (child == MLIA_NONE) {
            states[step->region] = REGION_DONE;
            uint16_t height = heights[step->region];
            if (--depth > 0 && heights[path[depth - 1].region] <= height)
                heights[path[depth - 1].region] = (uint16_t)(height + 1);
            continue;
        }
        if (states[child] == REGION_ON_PATH)
            return region_error(graph, MLIA_E_TOSA_CYCLE, step, "runs itself");
        if (depth + (states[child] == REGION_DONE ? heights[child] : 1u) > MAX_REGION_NESTING + 1)
            return region_error(graph, MLIA_E_TOSA_LIMIT, step, "is nested more than 256 deep");
        if (states[child] == REGION_DONE) {
            if (heights[step->region] <= heights[child])
                heights[step->region] = (uint16_t)(heights[child] + 1);
        } else {
            states[child] = REGION_ON_PATH;
            heights[child] = 1;
            path[depth++] = (region_step){.region = child};
        }
    }
    return NULL;
}

static mlia_status *link_regions(mlia_graph *graph)
{
    MLIA_TRY(set_parents(graph));
    uint8_t *states = MLIA_NEW_ARRAY(graph->arena, uint8_t, graph->region_count);
    uint16_t *heights = MLIA_NEW_ARRAY(graph->arena, uint16_t, graph->region_count);
    MLIA_TRY_ALLOC(states);
    MLIA_TRY_ALLOC(heights);
    for (uint32_t i = 0; i < graph->region_count; i++)
        if (states[i] == REGION_NEW)
            MLIA_TRY(search_regions(graph, i, states, heights));
    return NULL;
}

/* --- order --- */

/* Scratch of sorting one block: operators are numbered by their position in the block. */
typedef struct block_sorter {
    mlia_graph *graph;
    mlia_block *block;
    const uint32_t *position; /* of each operator of the graph in its block */
    uint32_t *waiting;        /* inputs of each operator that are not computed yet */
    uint32_t *users_start;    /* users of operator i: users[users_start[i] … users_start[i + 1]) */
    uint32_t *users;
    uint32_t *heap; /* operators that can run, smallest position first */
    uint32_t heap_size;
} block_sorter;

/* Position of the operator that input `i` of `op` waits for, or MLIA_NONE. */
static uint32_t producer_position(const block_sorter *sorter, const mlia_operator *op, uint32_t i)
{
    const mlia_graph_value *value = &sorter->graph->values[op->inputs[i]];
    return value->producer == MLIA_NONE || value->variable != MLIA_NONE ? MLIA_NONE
                                                                        : sorter->position[value->producer];
}

static const mlia_operator *operator_at(const block_sorter *sorter, uint32_t position)
{
    return &sorter->graph->operators[sorter->block->operators[position]];
}

static bool in_order(const block_sorter *sorter)
{
    for (uint32_t p = 0; p < sorter->block->operator_count; p++) {
        const mlia_operator *op = operator_at(sorter, p);
        for (uint32_t i = 0; i < op->input_count; i++) {
            uint32_t producer = producer_position(sorter, op, i);
            if (producer != MLIA_NONE && producer >= p)
                return false;
        }
    }
    return true;
}

static bool collect_users(block_sorter *sorter)
{
    mlia_arena *arena = sorter->graph->arena;
    uint32_t count = sorter->block->operator_count;
    sorter->waiting = MLIA_NEW_ARRAY(arena, uint32_t, count);
    sorter->users_start = MLIA_NEW_ARRAY(arena, uint32_t, (size_t)count + 2);
    sorter->heap = MLIA_NEW_ARRAY(arena, uint32_t, count);
    if (sorter->waiting == NULL || sorter->users_start == NULL || sorter->heap == NULL)
        return false;
    /* Counting sort: users_start is shifted by two while counting and by one while filling. */
    uint32_t total = 0;
    for (uint32_t p = 0; p < count; p++) {
        const mlia_operator *op = operator_at(sorter, p);
        for (uint32_t i = 0; i < op->input_count; i++) {
            uint32_t producer = producer_position(sorter, op, i);
            if (producer == MLIA_NONE)
                continue;
            sorter->waiting[p]++;
            sorter->users_start[producer + 2]++;
            total++;
        }
    }
    for (uint32_t p = 2; p < count + 2; p++)
        sorter->users_start[p] += sorter->users_start[p - 1];
    sorter->users = MLIA_NEW_ARRAY(arena, uint32_t, total);
    if (sorter->users == NULL)
        return false;
    for (uint32_t p = 0; p < count; p++) {
        const mlia_operator *op = operator_at(sorter, p);
        for (uint32_t i = 0; i < op->input_count; i++) {
            uint32_t producer = producer_position(sorter, op, i);
            if (producer != MLIA_NONE)
                sorter->users[sorter->users_start[producer + 1]++] = p;
        }
    }
    return true;
}

static void heap_push(block_sorter *sorter, uint32_t item)
{
    uint32_t i = sorter->heap_size++;
    for (; i > 0 && sorter->heap[(i - 1) / 2] > item; i = (i - 1) / 2)
        sorter->heap[i] = sorter->heap[(i - 1) / 2];
    sorter->heap[i] = item;
}

static uint32_t heap_pop(block_sorter *sorter)
{
    uint32_t top = sorter->heap[0];
    uint32_t last = sorter->heap[--sorter->heap_size];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child + 1 < sorter->heap_size && sorter->heap[child + 1] < sorter->heap[child])
            child++;
        if (child >= sorter->heap_size || sorter->heap[child] >= last)
            break;
        sorter->heap[i] = sorter->heap[child];
        i = child;
    }
    sorter->heap[i] = last;
    return top;
}

/* An operator that waits for itself: from any operator that still waits, going to an input that is missing
 * must return to where it already was. */
static mlia_status *cycle_error(const block_sorter *sorter)
{
    uint32_t p = 0;
    while (sorter->waiting[p] == 0)
        p++;
    const mlia_operator *op = operator_at(sorter, p);
    uint32_t input = 0;
    for (uint32_t step = 0; step < sorter->block->operator_count; step++) {
        for (uint32_t i = 0; i < op->input_count; i++) {
            uint32_t producer = producer_position(sorter, op, i);
            if (producer != MLIA_NONE && sorter->waiting[producer] > 0) {
                input = op->inputs[i];
                op = operator_at(sorter, producer);
                break;
            }
        }
    }
    return mlia_status_at_operator(mlia_error(MLIA_E_TOSA_CYCLE, "value '%.*s' of %.*s depends on itself",
                                              MLIA_STR_ARG(sorter->graph->values[input].name),
                                              MLIA_STR_ARG(mlia_operator_name(op))),
                                   sorter->graph, op);
}

static mlia_status *sort_block(block_sorter *sorter)
{
    uint32_t count = sorter->block->operator_count;
    uint32_t *order = MLIA_NEW_ARRAY(sorter->graph->arena, uint32_t, count);
    MLIA_TRY_ALLOC(order);
    if (!collect_users(sorter))
        return mlia_error_memory();
    for (uint32_t p = 0; p < count; p++)
        if (sorter->waiting[p] == 0)
            heap_push(sorter, p);
    uint32_t done = 0;
    while (sorter->heap_size > 0) {
        uint32_t p = heap_pop(sorter);
        order[done++] = sorter->block->operators[p];
        for (uint32_t u = sorter->users_start[p]; u < sorter->users_start[p + 1]; u++)
            if (--sorter->waiting[sorter->users[u]] == 0)
                heap_push(sorter, sorter->users[u]);
    }
    if (done < count)
        return cycle_error(sorter);
    if (count > 0)
        memcpy(sorter->block->operators, order, count * sizeof *order);
    return NULL;
}

static mlia_status *sort_operators(mlia_graph *graph, mlia_diagnostics *diagnostics)
{
    uint32_t *position = MLIA_NEW_ARRAY(graph->arena, uint32_t, graph->operator_count);
    MLIA_TRY_ALLOC(position);
    for (uint32_t b = 0; b < graph->block_count; b++)
        for (uint32_t p = 0; p < graph->blocks[b].operator_count; p++)
            position[graph->blocks[b].operators[p]] = p;
    bool changed = false;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        block_sorter sorter = {.graph = graph, .block = &graph->blocks[b], .position = position};
        if (in_order(&sorter))
            continue;
        MLIA_TRY(sort_block(&sorter));
        changed = true;
    }
    if (changed)
        mlia_warn(diagnostics, MLIA_W_TOSA_ORDER, "operators are not listed in execution order: sorted");
    return NULL;
}

/* --- constants --- */

static bool has_known_shape(const mlia_graph_value *value)
{
    for (uint32_t i = 0; i < value->rank; i++)
        if (value->dims[i] < 0)
            return false;
    return !value->unranked;
}

static bool is_constant_result(const mlia_graph *graph, const mlia_operator *op)
{
    switch (op->op) {
    case MLIA_OP_CONST:
    case MLIA_OP_CONST_SHAPE:
        return true;
    case MLIA_OP_DIM:
        return op->input_count == 1 && has_known_shape(&graph->values[op->inputs[0]]);
    case MLIA_OP_FOREIGN:
    case MLIA_OP_CUSTOM:
    case MLIA_OP_COND_IF:
    case MLIA_OP_WHILE_LOOP:
    case MLIA_OP_VARIABLE:
    case MLIA_OP_VARIABLE_READ:
    case MLIA_OP_VARIABLE_WRITE:
        return false;
    default:
        for (uint32_t i = 0; i < op->input_count; i++)
            if (!graph->values[op->inputs[i]].is_constant)
                return false;
        return op->input_count > 0;
    }
}

static void mark_constants(mlia_graph *graph)
{
    for (uint32_t i = 0; i < graph->value_count; i++)
        graph->values[i].is_constant = false;
    for (uint32_t b = 0; b < graph->block_count; b++)
        for (uint32_t p = 0; p < graph->blocks[b].operator_count; p++) {
            const mlia_operator *op = &graph->operators[graph->blocks[b].operators[p]];
            if (is_constant_result(graph, op))
                for (uint32_t i = 0; i < op->output_count; i++)
                    graph->values[op->outputs[i]].is_constant =
                        graph->values[op->outputs[i]].variable == MLIA_NONE;
        }
}

mlia_status *mlia_graph_finish(mlia_graph *graph, mlia_diagnostics *diagnostics)
{
    MLIA_TRY(connect(graph));
    MLIA_TRY(link_regions(graph));
    MLIA_TRY(sort_operators(graph, diagnostics));
    mark_constants(graph);
    return NULL;
}
