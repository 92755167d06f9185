/* Cascades: neighbouring chains that run band by band, so that the tensor between them stays in L2.
 *
 * A link is possible when the second chain runs right after the first, reads its only result first of all,
 * nobody else reads it, and both have the same number of bands. Among all ways to cut the sequence of chains
 * the one with the fewest cycles is taken (dynamic programming, at most `cascade.max_chains` in a row). A
 * chain inside pays for the rows that two bands of the next chain both need. Without `cascade.enable` every
 * chain is its own cascade. */
#include <math.h>

#include "estimate/plan.h"

/* Bytes of L2 that the link from `chain` to the next one needs, or a negative number when there can be none.
 */
static double link_bytes(const mlia_plan *plan, uint32_t chain)
{
    if (chain + 1 >= plan->chain_count)
        return -1;
    const mlia_plan_chain *from = &plan->chains[chain];
    const mlia_plan_chain *to = &plan->chains[chain + 1];
    const mlia_price *price = &plan->prices[chain];
    const mlia_price *next = &plan->prices[chain + 1];
    if (from->output_count != 1 || to->input_count == to->constant_count ||
        to->inputs[0] != from->outputs[0] || plan->is_output[from->outputs[0]] ||
        price->bands != next->bands || next->input <= 0)
        return -1;
    uint32_t root = from->outputs[0];
    for (uint32_t r = plan->reader_start[root]; r < plan->reader_start[root + 1]; r++) {
        uint32_t fused = plan->operators[plan->readers[r]].fused;
        if (fused == MLIA_NONE || plan->fused[fused].chain != chain + 1)
            return -1;
    }
    double rows = fmin(price->rows, ceil(next->first * next->stride) + next->overlap);
    return price->write / price->rows * rows;
}

static double chain_cycles(const mlia_plan *plan, uint32_t chain, const mlia_placement *placement)
{
    double cycles = 0;
    for (uint32_t b = 0; b < plan->prices[chain].bands; b++)
        cycles += (double)mlia_band_cost(plan->config, &plan->prices[chain], placement, b).total_cycles;
    return cycles;
}

/* Placements of chains first … last as one cascade. */
static void place(const mlia_plan *plan, uint32_t first, uint32_t last, mlia_placement *placements)
{
    double extra = 0;
    for (uint32_t i = last + 1; i-- > first;) {
        placements[i - first] = (mlia_placement){i > first, i < last, extra};
        extra = plan->prices[i].overlap + extra * plan->prices[i].stride;
    }
}

enum { LONGEST = 64 };

/* best[i]: fewest cycles of chains 0 … i - 1; from[i]: where the last cascade of that way begins. */
static void choose(const mlia_plan *plan, double *best, uint32_t *from)
{
    for (uint32_t end = 1; end <= plan->chain_count; end++) {
        double buffers = 0;
        mlia_placement placements[LONGEST];
        best[end] = INFINITY;
        for (uint32_t first = end;
             first-- > 0 && end - first <= (uint32_t)plan->config->cascade_max_chains;) {
            if (first + 1 < end) {
                double bytes = link_bytes(plan, first);
                buffers += bytes;
                if (bytes < 0 || buffers > plan->config->cascade_l2_bytes)
                    break;
            }
            place(plan, first, end - 1, placements);
            double cycles = best[first];
            for (uint32_t i = first; i < end; i++)
                cycles += chain_cycles(plan, i, &placements[i - first]);
            if (cycles < best[end]) {
                best[end] = cycles;
                from[end] = first;
            }
        }
    }
}

mlia_status *mlia_plan_cascade(mlia_plan *plan)
{
    uint32_t count = plan->chain_count;
    plan->placements = MLIA_NEW_ARRAY(plan->arena, mlia_placement, count);
    plan->cascade_of = MLIA_NEW_ARRAY(plan->arena, uint32_t, count);
    MLIA_TRY_ALLOC(plan->placements);
    MLIA_TRY_ALLOC(plan->cascade_of);
    plan->cascade_count = count;
    for (uint32_t i = 0; i < count; i++)
        plan->cascade_of[i] = i;
    if (plan->config->cascade_enable == 0)
        return NULL;
    double *best = MLIA_NEW_ARRAY(plan->arena, double, (size_t)count + 1);
    uint32_t *from = MLIA_NEW_ARRAY(plan->arena, uint32_t, (size_t)count + 1);
    MLIA_TRY_ALLOC(best);
    MLIA_TRY_ALLOC(from);
    choose(plan, best, from);
    plan->cascade_count = 0;
    for (uint32_t end = count; end > 0; end = from[end]) {
        place(plan, from[end], end - 1, &plan->placements[from[end]]);
        for (uint32_t i = from[end]; i < end; i++)
            plan->cascade_of[i] = plan->cascade_count; /* counted from the end; turned round below */
        plan->cascade_count++;
    }
    for (uint32_t i = 0; i < count; i++)
        plan->cascade_of[i] = plan->cascade_count - 1 - plan->cascade_of[i];
    return NULL;
}
