/* Last stage: stripes with their figures, and their exact sums for chains, cascades and the segment. */
#include "estimate/plan.h"

static void add(uint64_t *sum, uint64_t part)
{
    if (__builtin_add_overflow(*sum, part, sum))
        *sum = UINT64_MAX;
}

void mlia_cost_add(mlia_cost *sum, const mlia_cost *part)
{
    add(&sum->op_cycles, part->op_cycles);
    add(&sum->total_cycles, part->total_cycles);
    for (uint32_t s = 0; s < MLIA_SECTION_COUNT; s++)
        add(&sum->sections[s], part->sections[s]);
    for (uint32_t m = 0; m < MLIA_MEMORY_COUNT; m++) {
        add(&sum->memories[m].read_bytes, part->memories[m].read_bytes);
        add(&sum->memories[m].write_bytes, part->memories[m].write_bytes);
        add(&sum->memories[m].cycles, part->memories[m].cycles);
    }
}

/* The slowest section or memory of a chain, the second slowest, or the drain when that is more than half. */
void mlia_chain_find_bound(mlia_estimate_chain *chain)
{
    for (uint32_t i = 0; i < MLIA_BOUND_LATENCY; i++) {
        uint64_t cycles = i < MLIA_BOUND_MEMORY ? chain->cost.sections[i]
                                                : chain->cost.memories[i - MLIA_BOUND_MEMORY].cycles;
        if (cycles > chain->bound_cycles) {
            chain->next_cycles = chain->bound_cycles;
            chain->bound_cycles = cycles;
            chain->bound = i;
        } else if (cycles > chain->next_cycles) {
            chain->next_cycles = cycles;
        }
    }
    if (chain->cost.total_cycles - chain->bound_cycles > chain->bound_cycles)
        chain->bound = MLIA_BOUND_LATENCY;
}

static mlia_status *list_operators(const mlia_plan *plan, const mlia_plan_chain *from,
                                   mlia_estimate_chain *chain)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < from->count; i++)
        count += plan->fused[from->fused[i]].count;
    uint32_t *operators = MLIA_NEW_ARRAY(plan->arena, uint32_t, count);
    mlia_estimate_group *groups = MLIA_NEW_ARRAY(plan->arena, mlia_estimate_group, from->count);
    MLIA_TRY_ALLOC(operators);
    MLIA_TRY_ALLOC(groups);
    count = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        const mlia_fused *fused = &plan->fused[from->fused[i]];
        groups[i] = (mlia_estimate_group){&operators[count], fused->count};
        for (uint32_t k = 0; k < fused->count; k++)
            operators[count++] = fused->operators[k];
    }
    chain->operators = operators;
    chain->operator_count = count;
    chain->groups = groups;
    chain->group_count = from->count;
    return NULL;
}

static mlia_status *fill_chains(mlia_plan *plan, mlia_estimate_chain *chains, mlia_estimate_cascade *cascades,
                                mlia_estimate_stripe *stripes)
{
    mlia_estimate_segment *result = plan->result;
    uint32_t stripe = 0;
    for (uint32_t i = 0; i < plan->chain_count; i++) {
        const mlia_price *price = &plan->prices[i];
        mlia_estimate_chain *chain = &chains[i];
        MLIA_TRY(list_operators(plan, &plan->chains[i], chain));
        chain->id = i;
        chain->first_stripe = stripe;
        chain->stripe_count = price->bands;
        chain->cascade = plan->cascade_of[i];
        chain->macs = mlia_figure(price->macs);
        chain->weight_bytes = mlia_figure(price->weight_bytes);
        chain->channels = mlia_figure(price->channels);
        chain->confidence = price->confidence;
        for (uint32_t b = 0; b < price->bands; b++, stripe++) {
            stripes[stripe] =
                (mlia_estimate_stripe){stripe, i, mlia_figure(mlia_band_rows(price, b)),
                                       mlia_band_cost(plan->config, price, &plan->placements[i], b)};
            mlia_cost_add(&chain->cost, &stripes[stripe].cost);
        }
        mlia_chain_find_bound(chain);
        mlia_estimate_cascade *cascade = &cascades[chain->cascade];
        cascade->id = chain->cascade;
        if (cascade->chain_count++ == 0)
            cascade->first_chain = i;
        mlia_cost_add(&cascade->cost, &chain->cost);
        mlia_cost_add(&result->cost, &chain->cost);
    }
    return NULL;
}

static mlia_status *list_others(mlia_plan *plan)
{
    const mlia_graph *graph = plan->graph;
    mlia_estimate_segment *result = plan->result;
    uint32_t *free_operators = MLIA_NEW_ARRAY(plan->arena, uint32_t, graph->operator_count);
    mlia_unestimated *unestimated = MLIA_NEW_ARRAY(plan->arena, mlia_unestimated, graph->operator_count);
    MLIA_TRY_ALLOC(free_operators);
    MLIA_TRY_ALLOC(unestimated);
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        const mlia_plan_operator *info = &plan->operators[i];
        if (info->role == MLIA_ROLE_UNESTIMATED)
            unestimated[result->unestimated_count++] = (mlia_unestimated){i, mlia_str_from_c(info->reason)};
        else if (info->fused == MLIA_NONE)
            free_operators[result->free_count++] = i;
    }
    result->free_operators = free_operators;
    result->unestimated = unestimated;
    return NULL;
}

mlia_status *mlia_plan_aggregate(mlia_plan *plan)
{
    mlia_estimate_segment *result = plan->result;
    size_t stripe_count = 0;
    for (uint32_t i = 0; i < plan->chain_count; i++)
        stripe_count += plan->prices[i].bands;
    mlia_estimate_chain *chains = MLIA_NEW_ARRAY(plan->arena, mlia_estimate_chain, plan->chain_count);
    mlia_estimate_cascade *cascades = MLIA_NEW_ARRAY(plan->arena, mlia_estimate_cascade, plan->cascade_count);
    mlia_estimate_stripe *stripes = MLIA_NEW_ARRAY(plan->arena, mlia_estimate_stripe, stripe_count);
    MLIA_TRY_ALLOC(chains);
    MLIA_TRY_ALLOC(cascades);
    MLIA_TRY_ALLOC(stripes);
    MLIA_TRY(fill_chains(plan, chains, cascades, stripes));
    result->chains = chains;
    result->chain_count = plan->chain_count;
    result->cascades = cascades;
    result->cascade_count = plan->cascade_count;
    result->stripes = stripes;
    result->stripe_count = (uint32_t)stripe_count;
    return list_others(plan);
}
