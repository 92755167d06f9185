/* Whether the shapes of a graph are what a file that is written must have: known, and what the rules of its
 * operators give. Refuses at the first that is not. */
#include "graph/infer.h"

/* --- known --- */

/* Negative values of a shape are no gap: offsets of RESIZE have them, and a -1 that stands for a dimension
 * was replaced together with the dimension. */
static mlia_status *unknown_shape(const mlia_graph_value *value, const char *what, mlia_arena *arena)
{
    if (value->kind == MLIA_KIND_SHAPE)
        return value->shape_values != NULL || value->rank == 0
                   ? NULL
                   : mlia_error(MLIA_E_TOSA_SHAPE, "the values of %s" MLIA_NAME " are not known", what,
                                MLIA_NAME_ARG(value->name));
    if (value->unranked)
        return mlia_error(MLIA_E_TOSA_SHAPE, "%s" MLIA_NAME " has no rank", what, MLIA_NAME_ARG(value->name));
    if (!mlia_dims_known(value->rank, value->dims))
        return mlia_error(MLIA_E_TOSA_SHAPE, "%s" MLIA_NAME " has unknown dimensions %.*s", what,
                          MLIA_NAME_ARG(value->name),
                          MLIA_STR_ARG(mlia_dims_text(arena, value->rank, value->dims)));
    return NULL;
}

mlia_status *mlia_graph_require_shapes(const mlia_graph *graph, mlia_arena *arena)
{
    for (uint32_t i = 0; i < graph->value_count; i++) {
        const mlia_graph_value *value = &graph->values[i];
        bool made = value->producer != MLIA_NONE;
        mlia_status *status = unknown_shape(value, made ? "result" : "input", arena);
        if (status != NULL)
            return made ? mlia_status_of_operator(status, graph, &graph->operators[value->producer]) : status;
    }
    return NULL;
}

/* --- right --- */

mlia_status *mlia_infer_contradiction(const mlia_graph *graph, const mlia_operator *op,
                                      const mlia_graph_value *value, const mlia_inferred *result,
                                      mlia_arena *arena)
{
    mlia_status *status = mlia_error(
        MLIA_E_TOSA_SHAPE, "result" MLIA_NAME " becomes %.*s, the file says %.*s", MLIA_NAME_ARG(value->name),
        MLIA_STR_ARG(mlia_dims_text(arena, result->rank, result->dims)),
        MLIA_STR_ARG(mlia_dims_text(arena, value->rank, value->dims)));
    return mlia_status_of_operator(status, graph, op);
}

bool mlia_inferred_agrees(const mlia_graph_value *value, const mlia_inferred *result)
{
    if (!result->known || result->shape_values != NULL || value->unranked)
        return true;
    bool equal = value->rank == result->rank;
    for (uint32_t i = 0; equal && i < value->rank; i++)
        equal = mlia_dims_agree(value->dims[i], result->dims[i]);
    return equal;
}

static mlia_status *check_operator(const mlia_graph *graph, const mlia_operator *op, mlia_inferred *results,
                                   mlia_arena *scratch)
{
    MLIA_TRY(mlia_status_of_operator(mlia_infer_bare(graph, op, scratch, results, NULL), graph, op));
    for (uint32_t i = 0; i < op->output_count; i++)
        if (!mlia_inferred_agrees(&graph->values[op->outputs[i]], &results[i]))
            return mlia_infer_contradiction(graph, op, &graph->values[op->outputs[i]], &results[i], scratch);
    return NULL;
}

static mlia_status *check_all(const mlia_graph *graph, mlia_arena *scratch)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < graph->operator_count; i++)
        most = graph->operators[i].output_count > most ? graph->operators[i].output_count : most;
    mlia_inferred *results = MLIA_NEW_ARRAY(scratch, mlia_inferred, most);
    MLIA_TRY_ALLOC(results);
    for (uint32_t i = 0; i < graph->operator_count; i++)
        if (mlia_operator_well_formed(graph, &graph->operators[i]))
            MLIA_TRY(check_operator(graph, &graph->operators[i], results, scratch));
    return NULL;
}

mlia_status *mlia_graph_check_shapes(const mlia_graph *graph)
{
    mlia_arena *scratch = mlia_arena_new(0);
    MLIA_TRY_ALLOC(scratch);
    mlia_status *status = check_all(graph, scratch);
    mlia_arena_free(scratch);
    return status;
}
