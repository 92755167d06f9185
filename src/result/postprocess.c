/* From a producer's result to the published one: check, collapse, code lines, projection, order, check. */
#include "result/build.h"
#include "result/check.h"
#include "result/order.h"
#include "result/project.h"
#include "result/stages.h"

/* The first violated rule of R1-R5 as an error. */
static mlia_status *demand_references(mlia_arena *arena, const mlia_result *result)
{
    mlia_faults faults = {.arena = arena};
    MLIA_TRY(mlia_result_check_references(result, NULL, &faults));
    return mlia_faults_status(&faults);
}

mlia_status *mlia_result_set_edges(mlia_arena *arena, const mlia_edges *edges, mlia_result *result)
{
    for (size_t i = 0; i < result->entities.count; i++)
        result->entities.items[i].parent_ids.count = result->entities.items[i].child_ids.count = 0;
    for (size_t i = 0; i < edges->count; i++) {
        mlia_entity *parent = &result->entities.items[edges->items[i].from];
        mlia_entity *child = &result->entities.items[edges->items[i].to];
        if (!MLIA_APPEND(arena, parent->child_ids, child->id) ||
            !MLIA_APPEND(arena, child->parent_ids, parent->id))
            return mlia_error_memory();
    }
    return NULL;
}

mlia_status *mlia_result_complete_edges(mlia_arena *arena, mlia_result *result)
{
    mlia_arena *scratch = mlia_arena_new(0);
    MLIA_TRY_ALLOC(scratch);
    mlia_result_index index;
    mlia_status *status = mlia_result_index_make(scratch, result, &index);
    if (status == NULL)
        status = mlia_result_set_edges(arena, &index.edges, result);
    mlia_arena_free(scratch);
    return status;
}

mlia_status *mlia_result_postprocess(mlia_arena *arena, const mlia_collapse_rules *rules,
                                     mlia_diagnostics *diagnostics, mlia_result *result)
{
    MLIA_TRY(demand_references(arena, result));
    MLIA_TRY(mlia_result_complete_edges(arena, result));
    MLIA_TRY(mlia_result_collapse(arena, rules != NULL ? rules : &mlia_collapse_nx, diagnostics, result));
    MLIA_TRY(mlia_result_derive_code_lines(arena, result));
    MLIA_TRY(mlia_result_order(result)); /* sums are taken in the order of entities */
    MLIA_TRY(mlia_result_project(arena, diagnostics, result));
    MLIA_TRY(mlia_result_order(result));
    return demand_references(arena, result);
}
