/* Data flow as document edges. */
#include "core/data_flow.h"

#include "base/map.h"

#define SOURCE_PREFIX "source_operator/"

typedef struct flow {
    mlia_arena *arena;
    mlia_value *edges;
    mlia_map entities; /* ids of source operators of the result */
    const mlia_graph *graph;
    mlia_str *ids; /* of the graph's sources; empty: no entity */
} flow;

static mlia_status *collect_entities(flow *f, const mlia_result *result)
{
    f->entities = mlia_map_in(f->arena);
    for (size_t i = 0; i < result->entities.count; i++)
        if (mlia_str_equal_c(result->entities.items[i].kind, "source_operator"))
            MLIA_TRY_ALLOC(mlia_map_insert(&f->entities, result->entities.items[i].id, (uint32_t)i, NULL));
    return NULL;
}

static mlia_status *name_sources(flow *f)
{
    f->ids = MLIA_NEW_ARRAY(f->arena, mlia_str, f->graph->source_count);
    MLIA_TRY_ALLOC(f->ids);
    for (uint32_t i = 0; i < f->graph->source_count; i++) {
        mlia_str id =
            mlia_arena_format(f->arena, SOURCE_PREFIX "%.*s", MLIA_STR_ARG(f->graph->sources[i].id));
        MLIA_TRY_ALLOC(id.data);
        if (mlia_map_find(&f->entities, id) != NULL)
            f->ids[i] = id;
    }
    return NULL;
}

static mlia_str operator_id(const flow *f, const mlia_operator *op)
{
    return op->source == MLIA_NONE ? MLIA_STR_NONE : f->ids[op->source];
}

/* {"name", "type", "shape"}; unknown dimensions are null. */
static mlia_value *tensor_value(const flow *f, const mlia_graph_value *value)
{
    mlia_arena *arena = f->arena;
    mlia_value *tensor = mlia_value_object(arena);
    mlia_value *shape = mlia_value_array(arena);
    bool done = tensor != NULL && shape != NULL;
    for (uint32_t i = 0; done && value->kind == MLIA_KIND_TENSOR && i < value->rank; i++)
        done = mlia_value_add(arena, shape,
                              value->dims[i] >= 0 ? mlia_value_integer(arena, value->dims[i])
                                                  : mlia_value_null(arena));
    if (done && value->kind == MLIA_KIND_SHAPE)
        done = mlia_value_add(arena, shape, mlia_value_integer(arena, value->rank));
    mlia_str type = mlia_type_describe(value->type)->name;
    done = done && mlia_value_set(arena, tensor, MLIA_STR("name"), mlia_value_string(arena, value->name)) &&
           mlia_value_set(arena, tensor, MLIA_STR("type"), mlia_value_string(arena, type)) &&
           mlia_value_set(arena, tensor, MLIA_STR("shape"), shape);
    return done ? tensor : NULL;
}

static mlia_status *add_edge(flow *f, const mlia_operator *consumer, uint32_t input)
{
    mlia_arena *arena = f->arena;
    const mlia_graph_value *value = &f->graph->values[consumer->inputs[input]];
    if (value->producer == MLIA_NONE)
        return NULL;
    mlia_str source = operator_id(f, &f->graph->operators[value->producer]);
    mlia_str target = operator_id(f, consumer);
    /* several operators may come from one operator of the user's file: what flows inside it is not shown */
    if (source.size == 0 || target.size == 0 || mlia_str_equal(source, target))
        return NULL;
    mlia_value *edge = mlia_value_object(arena);
    bool done = edge != NULL &&
                mlia_value_set(arena, edge, MLIA_STR("source_id"), mlia_value_string(arena, source)) &&
                mlia_value_set(arena, edge, MLIA_STR("source_output"),
                               mlia_value_integer(arena, value->producer_output)) &&
                mlia_value_set(arena, edge, MLIA_STR("target_id"), mlia_value_string(arena, target)) &&
                mlia_value_set(arena, edge, MLIA_STR("target_input"), mlia_value_integer(arena, input)) &&
                mlia_value_set(arena, edge, MLIA_STR("tensor"), tensor_value(f, value)) &&
                mlia_value_add(arena, f->edges, edge);
    return done ? NULL : mlia_error_memory();
}

static mlia_status *add_graph(flow *f, const mlia_graph *graph)
{
    f->graph = graph;
    MLIA_TRY(name_sources(f));
    for (uint32_t i = 0; i < graph->operator_count; i++)
        for (uint32_t k = 0; k < graph->operators[i].input_count; k++)
            MLIA_TRY(add_edge(f, &graph->operators[i], k));
    return NULL;
}

mlia_status *mlia_data_flow_add(mlia_arena *arena, mlia_value *graphs, uint32_t result_index,
                                const mlia_result *result, const mlia_backend_segment *segments,
                                uint32_t segment_count)
{
    flow f = {.arena = arena, .edges = mlia_value_array(arena)};
    mlia_value *entry = mlia_value_object(arena);
    if (f.edges == NULL || entry == NULL)
        return mlia_error_memory();
    MLIA_TRY(collect_entities(&f, result));
    for (uint32_t i = 0; i < segment_count; i++)
        if (segments[i].graph != NULL)
            MLIA_TRY(add_graph(&f, segments[i].graph));
    bool done =
        mlia_value_set(arena, entry, MLIA_STR("result_index"), mlia_value_integer(arena, result_index)) &&
        mlia_value_set(arena, entry, MLIA_STR("edges"), f.edges) && mlia_value_add(arena, graphs, entry);
    return done ? NULL : mlia_error_memory();
}
