/* Unknown dimensions: input shapes are fixed (given ones, then 1 for an unknown first dimension), shapes are
 * propagated in execution order, and every -1 in a shape constant gets its real value. Refuses an unknown
 * dimension that is not the first, and shapes that contradict each other. What cannot be inferred (CUSTOM,
 * foreign operators) stays as it is: the verifier reports it. */
#include "base/bytes.h"
#include "graph/build.h"
#include "graph/infer.h"

enum { LISTED_INPUTS = 20 }; /* most inputs that an error lists */

typedef struct resolver {
    mlia_graph *graph;
    mlia_arena *scratch;
    bool forced;     /* a shape was given: known dimensions are replaced, too */
    bool assume;     /* an unknown first dimension of an input becomes 1 */
    uint32_t *given; /* inputs that a shape was given for */
    size_t given_count;
    bool *region_done;        /* per region */
    const int64_t **resolved; /* per value: what a shape constant with -1 stands for, or NULL */
    uint32_t value_count;     /* values before any was added */
    uint32_t *added;          /* operators made by splitting constants */
    size_t added_count;
    size_t added_capacity;
    mlia_inferred *results;
    size_t result_capacity;
} resolver_state;

/* --- input shapes --- */

static mlia_status *option_error(mlia_str text)
{
    return mlia_error(MLIA_E_OPTION_VALUE,
                      "input shape '%.*s': expected [NAME=]DxDx… with dimensions of at least 1",
                      MLIA_STR_ARG(text));
}

/* A number without sign: mlia_str_to_i64 would take one. */
static bool starts_with_digit(mlia_str text)
{
    return text.size > 0 && text.data != NULL && text.data[0] >= '0' && text.data[0] <= '9';
}

mlia_status *mlia_input_shape_parse(mlia_str text, mlia_input_shape *shape)
{
    size_t equals = mlia_str_find_last(text, '=');
    *shape = (mlia_input_shape){0};
    mlia_str rest = text;
    if (equals != SIZE_MAX) {
        shape->name = mlia_str_slice(text, 0, equals);
        rest = mlia_str_slice(text, equals + 1, text.size);
    }
    for (bool more = true; more;) {
        size_t end = 0;
        while (end < rest.size && rest.data[end] != ',' && rest.data[end] != 'x')
            end++;
        if (shape->rank == MLIA_RANK_LIMIT || !starts_with_digit(rest) ||
            !mlia_str_to_i64(mlia_str_slice(rest, 0, end), &shape->dims[shape->rank]) ||
            shape->dims[shape->rank] < 1)
            return option_error(text);
        shape->rank++;
        more = end < rest.size;
        rest = mlia_str_slice(rest, end + 1, rest.size);
    }
    return NULL;
}

/* An input for messages: its name, else its position, which --input-shape takes as well. */
static mlia_str input_name(const resolver_state *resolver, uint32_t position)
{
    mlia_str name = resolver->graph->values[mlia_graph_main(resolver->graph)->inputs[position]].name;
    return name.size > 0 ? name : mlia_arena_format(resolver->scratch, "%u", position);
}

/* All inputs for messages: "'a', 'b'". */
static mlia_str input_list(const resolver_state *resolver)
{
    mlia_str list = MLIA_STR("");
    for (uint32_t i = 0; i < mlia_graph_main(resolver->graph)->input_count && i < LISTED_INPUTS; i++)
        list = mlia_arena_format(resolver->scratch, "%.*s%s'%.*s'", MLIA_STR_ARG(list), i > 0 ? ", " : "",
                                 MLIA_STR_ARG(input_name(resolver, i)));
    return list;
}

/* Position of the input that a given shape is for: by name, else by number; MLIA_NONE when there is none. */
static uint32_t find_input(const resolver_state *resolver, mlia_str name)
{
    const mlia_block *block = mlia_graph_main(resolver->graph);
    if (name.size == 0)
        return block->input_count == 1 ? 0 : MLIA_NONE;
    for (uint32_t i = 0; i < block->input_count; i++)
        if (mlia_str_equal(resolver->graph->values[block->inputs[i]].name, name))
            return i;
    int64_t position;
    return mlia_str_to_i64(name, &position) && position >= 0 && position < block->input_count
               ? (uint32_t)position
               : MLIA_NONE;
}

static mlia_status *set_dims(resolver_state *resolver, uint32_t value, uint32_t rank, const int64_t *dims)
{
    mlia_graph_value *item = &resolver->graph->values[value];
    int64_t *copy = MLIA_NEW_ARRAY(resolver->graph->arena, int64_t, rank);
    MLIA_TRY_ALLOC(copy);
    if (rank > 0)
        memcpy(copy, dims, rank * sizeof *dims);
    item->rank = rank;
    item->dims = rank > 0 ? copy : NULL;
    item->unranked = false;
    return NULL;
}

static mlia_status *apply_given_shape(resolver_state *resolver, const mlia_input_shape *shape)
{
    uint32_t position = find_input(resolver, shape->name);
    if (position == MLIA_NONE && shape->name.size == 0)
        return mlia_error(MLIA_E_INPUT_SHAPE,
                          "a shape without a name needs a model with one input; the inputs are %.*s",
                          MLIA_STR_ARG(input_list(resolver)));
    if (position == MLIA_NONE)
        return mlia_error(MLIA_E_INPUT_SHAPE, "no input '%.*s'; the inputs are %.*s",
                          MLIA_STR_ARG(shape->name), MLIA_STR_ARG(input_list(resolver)));
    uint32_t input = mlia_graph_main(resolver->graph)->inputs[position];
    const mlia_graph_value *value = &resolver->graph->values[input];
    for (size_t i = 0; i < resolver->given_count; i++)
        if (resolver->given[i] == position)
            return mlia_error(MLIA_E_INPUT_SHAPE, "input '%.*s' is given two shapes",
                              MLIA_STR_ARG(input_name(resolver, position)));
    if (value->kind != MLIA_KIND_TENSOR || (!value->unranked && value->rank != shape->rank))
        return mlia_error(MLIA_E_INPUT_SHAPE, "input '%.*s' has rank %u, the given shape has %u",
                          MLIA_STR_ARG(input_name(resolver, position)), value->rank, shape->rank);
    resolver->given[resolver->given_count++] = position;
    return set_dims(resolver, input, shape->rank, shape->dims);
}

/* Refuses what no rule fills in. */
static mlia_status *check_input(const resolver_state *resolver, uint32_t position)
{
    const mlia_graph_value *value =
        &resolver->graph->values[mlia_graph_main(resolver->graph)->inputs[position]];
    mlia_status *status = NULL;
    if (value->unranked)
        status = mlia_error(MLIA_E_TOSA_SHAPE, "input '%.*s' has no rank",
                            MLIA_STR_ARG(input_name(resolver, position)));
    for (uint32_t d = resolver->assume ? 1 : 0; status == NULL && d < value->rank; d++)
        if (value->dims[d] < 0)
            status = mlia_error(MLIA_E_TOSA_SHAPE, "dimension %u of input '%.*s' is unknown", d,
                                MLIA_STR_ARG(input_name(resolver, position)));
    return mlia_status_hint(status, "give its shape with --input-shape");
}

/* An unknown first dimension is the batch: it becomes 1. */
static mlia_status *apply_batch_rule(resolver_state *resolver, mlia_diagnostics *diagnostics)
{
    const mlia_block *block = mlia_graph_main(resolver->graph);
    bool warned = false;
    for (uint32_t i = 0; i < block->input_count; i++) {
        const mlia_graph_value *value = &resolver->graph->values[block->inputs[i]];
        if (value->kind != MLIA_KIND_TENSOR)
            continue;
        MLIA_TRY(check_input(resolver, i));
        if (value->rank == 0 || value->rank > MLIA_RANK_LIMIT || value->dims[0] >= 0)
            continue;
        int64_t dims[MLIA_RANK_LIMIT];
        memcpy(dims, value->dims, value->rank * sizeof *dims);
        dims[0] = 1;
        if (!warned)
            mlia_warn(
                diagnostics, MLIA_W_TOSA_BATCH,
                "input '%.*s' has an unknown first dimension: analysed with 1 (set it with --input-shape)",
                MLIA_STR_ARG(input_name(resolver, i)));
        warned = true;
        MLIA_TRY(set_dims(resolver, block->inputs[i], value->rank, dims));
    }
    return NULL;
}

/* --- results --- */

/* Takes over an inferred tensor shape: unknown dimensions, with a given input shape also known ones. */
static mlia_status *take_dims(resolver_state *resolver, const mlia_operator *op, uint32_t value,
                              const mlia_inferred *result)
{
    const mlia_graph_value *item = &resolver->graph->values[value];
    if (item->unranked || (resolver->forced && item->rank != result->rank))
        return set_dims(resolver, value, result->rank, result->dims);
    if (item->rank != result->rank)
        return mlia_infer_contradiction(resolver->graph, op, item, result, resolver->scratch);
    int64_t dims[MLIA_RANK_LIMIT];
    bool changed = false;
    for (uint32_t i = 0; i < result->rank; i++) {
        dims[i] = mlia_dims_known_one(result->dims[i], item->dims[i]);
        if (dims[i] == item->dims[i])
            continue;
        if (item->dims[i] >= 0 && !resolver->forced)
            return mlia_infer_contradiction(resolver->graph, op, item, result, resolver->scratch);
        changed = true;
    }
    return changed ? set_dims(resolver, value, result->rank, dims) : NULL;
}

static mlia_status *take_values(resolver_state *resolver, uint32_t value, const mlia_inferred *result)
{
    mlia_graph_value *item = &resolver->graph->values[value];
    int64_t *copy = MLIA_NEW_ARRAY(resolver->graph->arena, int64_t, result->rank);
    MLIA_TRY_ALLOC(copy);
    if (result->rank > 0)
        memcpy(copy, result->shape_values, result->rank * sizeof *copy);
    item->rank = result->rank;
    item->shape_values = copy;
    return NULL;
}

/* --- -1 in shape operands --- */

/* A new shape constant in place of `old`, for one use that needs other numbers than the rest. */
static uint32_t add_constant(resolver_state *resolver, uint32_t old, uint32_t rank, const int64_t *numbers)
{
    mlia_graph *graph = resolver->graph;
    mlia_str name = graph->values[old].name;
    if (name.size > 0)
        name = mlia_arena_format(graph->arena, "%.*s__%u", MLIA_STR_ARG(name), graph->value_count);
    uint32_t block = graph->values[old].block;
    uint32_t producer = graph->values[old].producer;
    uint32_t source = producer == MLIA_NONE ? MLIA_NONE : graph->operators[producer].source;
    uint32_t value = mlia_graph_add_shape(graph, block, name, rank, numbers);
    if (value == MLIA_NONE ||
        !MLIA_RESERVE(resolver->scratch, resolver->added, resolver->added_count, resolver->added_capacity))
        return MLIA_NONE;
    uint32_t op =
        mlia_graph_add_operator(graph, block, MLIA_OP_CONST_SHAPE, NULL, 0, &value, 1, NULL, source);
    if (op == MLIA_NONE)
        return MLIA_NONE;
    graph->operators[op].number = MLIA_NONE;
    resolver->added[resolver->added_count++] = op;
    return value;
}

static mlia_status *replace_input(resolver_state *resolver, uint32_t op, uint32_t position, uint32_t value)
{
    mlia_operator *item = &resolver->graph->operators[op];
    uint32_t *inputs = MLIA_NEW_ARRAY(resolver->graph->arena, uint32_t, item->input_count);
    MLIA_TRY_ALLOC(inputs);
    memcpy(inputs, item->inputs, item->input_count * sizeof *inputs);
    inputs[position] = value;
    item->inputs = inputs;
    return NULL;
}

/* Makes the shape operand at `position` of operator `op` hold `numbers`, all of them known. A constant keeps
 * its first meaning and is split for uses that need another one; a computed shape is replaced by a constant.
 */
static mlia_status *resolve_operand(resolver_state *resolver, uint32_t op, uint32_t position, uint32_t rank,
                                    const int64_t *numbers)
{
    mlia_graph *graph = resolver->graph;
    uint32_t operand = graph->operators[op].inputs[position];
    const mlia_graph_value *value = &graph->values[operand];
    if (value->shape_values == NULL || mlia_dims_known(value->rank, value->shape_values) ||
        !mlia_dims_known(rank, numbers))
        return NULL;
    bool is_constant = value->producer != MLIA_NONE &&
                       graph->operators[value->producer].op == MLIA_OP_CONST_SHAPE &&
                       operand < resolver->value_count;
    if (is_constant && resolver->resolved[operand] == NULL) {
        int64_t *copy = MLIA_NEW_ARRAY(graph->arena, int64_t, rank);
        MLIA_TRY_ALLOC(copy);
        memcpy(copy, numbers, rank * sizeof *copy);
        resolver->resolved[operand] = copy;
        return NULL;
    }
    if (is_constant && memcmp(resolver->resolved[operand], numbers, rank * sizeof *numbers) == 0)
        return NULL;
    uint32_t split = add_constant(resolver, operand, rank, numbers);
    if (split == MLIA_NONE)
        return mlia_error_memory();
    return replace_input(resolver, op, position, split);
}

/* Operand whose numbers are the result's shape, or MLIA_NONE. */
static uint32_t target_operand(const mlia_operator *op)
{
    switch (op->op) {
    case MLIA_OP_RESHAPE:
        return 1;
    case MLIA_OP_SLICE:
        return 2;
    case MLIA_OP_RESHAPE_BLOCK_SCALED:
        return op->input_count - 1;
    default:
        return MLIA_NONE;
    }
}

/* --- walking --- */

/* Recursion follows the nesting of regions, which mlia_graph_finish limits. */
static mlia_status *resolve_region(resolver_state *resolver, uint32_t region);

/* Gives the inputs of a region the shapes of the operator's inputs from `first` on, then resolves it. A
 * region that several operators run is resolved for the first; the shape rules compare the others. */
static mlia_status *enter_region(resolver_state *resolver, const mlia_operator *op, uint32_t first,
                                 uint32_t region)
{
    mlia_graph *graph = resolver->graph;
    if (resolver->region_done[region])
        return NULL;
    const mlia_block *block = &graph->blocks[graph->regions[region].block];
    for (uint32_t i = 0; i < block->input_count && first + i < op->input_count; i++) {
        const mlia_graph_value *outer = &graph->values[op->inputs[first + i]];
        mlia_inferred shape = {.rank = outer->rank};
        if (outer->kind != MLIA_KIND_TENSOR || outer->unranked || outer->rank > MLIA_RANK_LIMIT)
            continue;
        if (outer->rank > 0)
            memcpy(shape.dims, outer->dims, outer->rank * sizeof *shape.dims);
        MLIA_TRY(take_dims(resolver, op, block->inputs[i], &shape));
    }
    return resolve_region(resolver, region);
}

static mlia_status *enter_regions(resolver_state *resolver, const mlia_operator *op)
{
    uint32_t regions[2];
    uint32_t count = mlia_operator_regions(op, regions);
    mlia_operator copy = *op; /* operators may be added, and then move */
    for (uint32_t i = 0; i < count; i++)
        MLIA_TRY(enter_region(resolver, &copy, copy.op == MLIA_OP_COND_IF ? 1 : 0, regions[i]));
    return NULL;
}

static mlia_status *resolve_operator(resolver_state *resolver, uint32_t index)
{
    mlia_graph *graph = resolver->graph;
    if (!mlia_operator_well_formed(graph, &graph->operators[index]))
        return NULL;
    MLIA_TRY(enter_regions(resolver, &graph->operators[index]));
    mlia_operator op = graph->operators[index];
    resolver->results = mlia_arena_grow(resolver->scratch, resolver->results, 0, &resolver->result_capacity,
                                        op.output_count, sizeof *resolver->results, _Alignof(mlia_inferred));
    MLIA_TRY_ALLOC(resolver->results);
    mlia_inferred *results = resolver->results;
    MLIA_TRY(
        mlia_status_of_operator(mlia_infer_bare(graph, &op, resolver->scratch, results, NULL), graph, &op));
    for (uint32_t i = 0; i < op.output_count; i++) {
        if (results[i].known && results[i].shape_values != NULL)
            MLIA_TRY(take_values(resolver, op.outputs[i], &results[i]));
        else if (results[i].known)
            MLIA_TRY(take_dims(resolver, &op, op.outputs[i], &results[i]));
    }
    uint32_t target = target_operand(&op);
    if (target != MLIA_NONE && results[0].known)
        return resolve_operand(resolver, index, target, results[0].rank, results[0].dims);
    return NULL;
}

static mlia_status *resolve_region(resolver_state *resolver, uint32_t region)
{
    uint32_t block = resolver->graph->regions[region].block;
    uint32_t count = resolver->graph->blocks[block].operator_count;
    resolver->region_done[region] = true;
    for (uint32_t i = 0; i < count; i++)
        MLIA_TRY(resolve_operator(resolver, resolver->graph->blocks[block].operators[i]));
    return NULL;
}

/* Moves the added constants, which stand last in their blocks, to the front. */
static mlia_status *move_added_to_front(resolver_state *resolver)
{
    mlia_graph *graph = resolver->graph;
    for (uint32_t b = 0; b < graph->block_count && resolver->added_count > 0; b++) {
        mlia_block *block = &graph->blocks[b];
        uint32_t old_count = block->operator_count;
        while (old_count > 0 && block->operators[old_count - 1] >= resolver->added[0])
            old_count--;
        uint32_t added_count = block->operator_count - old_count;
        uint32_t *added = MLIA_NEW_ARRAY(resolver->scratch, uint32_t, added_count);
        MLIA_TRY_ALLOC(added);
        if (added_count == 0)
            continue;
        memcpy(added, block->operators + old_count, added_count * sizeof *added);
        memmove(block->operators + added_count, block->operators, old_count * sizeof *added);
        memcpy(block->operators, added, added_count * sizeof *added);
    }
    return NULL;
}

static bool is_complete(const mlia_graph_value *value)
{
    if (value->kind == MLIA_KIND_SHAPE)
        return value->shape_values != NULL && mlia_dims_known(value->rank, value->shape_values);
    return !value->unranked && mlia_dims_known(value->rank, value->dims);
}

static bool graph_is_complete(const mlia_graph *graph)
{
    for (uint32_t i = 0; i < graph->value_count; i++)
        if (!is_complete(&graph->values[i]))
            return false;
    return true;
}

static mlia_status *resolve(resolver_state *resolver, const mlia_input_shape *shapes, size_t shape_count,
                            mlia_diagnostics *diagnostics)
{
    mlia_graph *graph = resolver->graph;
    resolver->region_done = MLIA_NEW_ARRAY(resolver->scratch, bool, graph->region_count);
    resolver->resolved = MLIA_NEW_ARRAY(resolver->scratch, const int64_t *, graph->value_count);
    resolver->value_count = graph->value_count;
    resolver->given = MLIA_NEW_ARRAY(resolver->scratch, uint32_t, shape_count);
    MLIA_TRY_ALLOC(resolver->given);
    MLIA_TRY_ALLOC(resolver->region_done);
    MLIA_TRY_ALLOC(resolver->resolved);
    for (size_t i = 0; i < shape_count; i++)
        MLIA_TRY(apply_given_shape(resolver, &shapes[i]));
    MLIA_TRY(apply_batch_rule(resolver, diagnostics));
    MLIA_TRY(resolve_region(resolver, 0));
    for (uint32_t i = 0; i < resolver->value_count; i++)
        if (resolver->resolved[i] != NULL)
            graph->values[i].shape_values = resolver->resolved[i];
    MLIA_TRY(move_added_to_front(resolver));
    return mlia_graph_finish(graph, NULL); /* new operators, and DIM of what was unknown is now constant */
}

mlia_status *mlia_graph_resolve_shapes(mlia_graph *graph, const mlia_input_shape *shapes, size_t shape_count,
                                       bool assume, mlia_diagnostics *diagnostics)
{
    if (graph->region_count == 0 || (shape_count == 0 && graph_is_complete(graph)))
        return NULL;
    resolver_state resolver = {
        .graph = graph, .scratch = mlia_arena_new(0), .forced = shape_count > 0, .assume = assume};
    MLIA_TRY_ALLOC(resolver.scratch);
    mlia_status *status = resolve(&resolver, shapes, shape_count, diagnostics);
    mlia_arena_free(resolver.scratch);
    return status;
}
