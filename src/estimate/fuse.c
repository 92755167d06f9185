/* Second stage: operators that are one step of the pipeline become one fused operator. A sum, difference or
 * product whose only reader is a RESCALE is one step with it; every other operator is its own. */
#include "estimate/plan.h"

static bool takes_rescale(uint32_t op)
{
    return op == MLIA_OP_ADD || op == MLIA_OP_SUB || op == MLIA_OP_MUL;
}

/* The RESCALE that alone reads the result of `op`, or MLIA_NONE. */
static uint32_t following_rescale(const mlia_plan *plan, const mlia_operator *op)
{
    uint32_t root = plan->roots[op->outputs[0]];
    uint32_t start = plan->reader_start[root];
    if (plan->is_output[root] || plan->reader_start[root + 1] - start != 1)
        return MLIA_NONE;
    uint32_t reader = plan->readers[start];
    const mlia_operator *rescale = &plan->graph->operators[reader];
    bool fits = rescale->op == MLIA_OP_RESCALE && plan->operators[reader].role == MLIA_ROLE_ELEMENT &&
                plan->roots[rescale->inputs[0]] == root;
    return fits ? reader : MLIA_NONE;
}

mlia_status *mlia_plan_fuse(mlia_plan *plan)
{
    plan->fused = MLIA_NEW_ARRAY(plan->arena, mlia_fused, plan->order_count);
    MLIA_TRY_ALLOC(plan->fused);
    for (uint32_t i = 0; i < plan->order_count; i++) {
        uint32_t index = plan->order[i];
        const mlia_operator *op = &plan->graph->operators[index];
        mlia_plan_operator *info = &plan->operators[index];
        if (info->fused != MLIA_NONE)
            continue;
        uint32_t number = plan->fused_count++;
        plan->fused[number] = (mlia_fused){.operators = {index}, .count = 1, .chain = MLIA_NONE};
        info->fused = number;
        if (!takes_rescale(op->op) || info->weight != 1)
            continue;
        uint32_t rescale = following_rescale(plan, op);
        if (rescale == MLIA_NONE)
            continue;
        plan->fused[number].operators[plan->fused[number].count++] = rescale;
        plan->operators[rescale].fused = number;
    }
    return NULL;
}
