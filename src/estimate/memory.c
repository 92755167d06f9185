/* Memory plan: which activations live at the same time, and where they would be put in DRAM.
 *
 * A tensor lives from the cascade that writes it to the last cascade that reads it; model inputs live from
 * the start, outputs to the end. Places are given in running order, best fit among free blocks of similar
 * size (64 size classes, so that planning is linear); neighbours are merged when they are freed. The most
 * bytes alive at one time are the lower bound that the plan is compared with. */
#include "estimate/plan.h"

enum { CLASSES = 64, LOOKED_AT = 8 };

typedef struct place {
    uint64_t offset;
    uint64_t size;
    uint32_t previous, next;           /* by offset */
    uint32_t free_previous, free_next; /* in its size class */
    bool is_free;
} place;

typedef struct planner {
    place *places;
    uint32_t count;
    uint32_t last; /* at the highest offset */
    uint32_t classes[CLASSES];
    uint64_t end; /* highest byte used so far */
} planner;

static uint32_t class_of(uint64_t size)
{
    return size == 0 ? 0 : (uint32_t)(63 - __builtin_clzll(size));
}

static void unlist(planner *p, uint32_t index)
{
    place *block = &p->places[index];
    if (block->free_previous != MLIA_NONE)
        p->places[block->free_previous].free_next = block->free_next;
    else
        p->classes[class_of(block->size)] = block->free_next;
    if (block->free_next != MLIA_NONE)
        p->places[block->free_next].free_previous = block->free_previous;
    block->is_free = false;
}

static void enlist(planner *p, uint32_t index)
{
    place *block = &p->places[index];
    uint32_t *head = &p->classes[class_of(block->size)];
    block->is_free = true;
    block->free_previous = MLIA_NONE;
    block->free_next = *head;
    if (*head != MLIA_NONE)
        p->places[*head].free_previous = index;
    *head = index;
}

static uint32_t find_block(const planner *p, uint64_t size)
{
    for (uint32_t c = class_of(size); c < CLASSES; c++) {
        uint32_t best = MLIA_NONE;
        uint32_t looked_at = 0;
        for (uint32_t i = p->classes[c]; i != MLIA_NONE && looked_at++ < LOOKED_AT;
             i = p->places[i].free_next)
            if (p->places[i].size >= size && (best == MLIA_NONE || p->places[i].size < p->places[best].size))
                best = i;
        if (best != MLIA_NONE)
            return best;
    }
    return MLIA_NONE;
}

/* Appends a block behind `previous`; `places` has room for every block that can come to be. */
static uint32_t insert(planner *p, uint32_t previous, uint64_t offset, uint64_t size)
{
    uint32_t index = p->count++;
    uint32_t next = previous != MLIA_NONE ? p->places[previous].next : MLIA_NONE;
    p->places[index] = (place){offset, size, previous, next, MLIA_NONE, MLIA_NONE, false};
    if (previous != MLIA_NONE)
        p->places[previous].next = index;
    if (next != MLIA_NONE)
        p->places[next].previous = index;
    else
        p->last = index;
    return index;
}

static uint32_t allocate(planner *p, uint64_t size)
{
    uint32_t index = find_block(p, size);
    if (index == MLIA_NONE) {
        if (p->last != MLIA_NONE && p->places[p->last].is_free) { /* grow the free block at the end */
            index = p->last;
            unlist(p, index);
            p->places[index].size = size;
        } else {
            index =
                insert(p, p->last,
                       p->last == MLIA_NONE ? 0 : p->places[p->last].offset + p->places[p->last].size, size);
        }
    } else {
        unlist(p, index);
        uint64_t rest = p->places[index].size - size;
        if (rest > 0) {
            p->places[index].size = size;
            enlist(p, insert(p, index, p->places[index].offset + size, rest));
        }
    }
    uint64_t end = p->places[index].offset + size;
    if (end > p->end)
        p->end = end;
    return index;
}

/* The later block goes into the earlier one. */
static void merge(planner *p, uint32_t index, uint32_t next)
{
    p->places[index].size += p->places[next].size;
    p->places[index].next = p->places[next].next;
    if (p->places[next].next != MLIA_NONE)
        p->places[p->places[next].next].previous = index;
    else
        p->last = index;
}

static void release(planner *p, uint32_t index)
{
    uint32_t next = p->places[index].next;
    if (next != MLIA_NONE && p->places[next].is_free) {
        unlist(p, next);
        merge(p, index, next);
    }
    uint32_t previous = p->places[index].previous;
    if (previous != MLIA_NONE && p->places[previous].is_free) {
        unlist(p, previous);
        merge(p, previous, index);
        index = previous;
    }
    enlist(p, index);
}

/* Last cascade that uses each root (index + 1), 0 for none; outputs live past the end. */
static void find_last_uses(const mlia_plan *plan, uint32_t *last_use)
{
    for (uint32_t i = 0; i < plan->chain_count; i++) {
        const mlia_plan_chain *chain = &plan->chains[i];
        for (uint32_t k = 0; k < chain->input_count - chain->constant_count; k++)
            last_use[chain->inputs[k]] = plan->cascade_of[i] + 1;
        for (uint32_t k = 0; k < chain->output_count; k++)
            last_use[chain->outputs[k]] = plan->cascade_of[i] + 1;
    }
    for (uint32_t v = 0; v < plan->graph->value_count; v++)
        if (plan->is_output[v])
            last_use[v] = plan->cascade_count + 1;
}

/* Live bytes over the run of the chains. */
typedef struct account {
    planner planner;
    uint32_t *block;    /* of each root, MLIA_NONE when it has none */
    uint32_t *last_use; /* of each root */
    uint64_t live;
    uint64_t peak;
    double weighted; /* live bytes × cycles */
    double cycles;
} account;

static void begin(const mlia_plan *plan, account *a, uint32_t root)
{
    uint64_t bytes = 0;
    const mlia_graph_value *value = &plan->graph->values[root];
    if (a->block[root] != MLIA_NONE || value->is_constant || !mlia_value_bytes(value, &bytes) || bytes == 0 ||
        bytes > UINT64_C(1) << 48)
        return;
    a->block[root] = allocate(&a->planner, bytes);
    a->live += bytes;
    if (a->live > a->peak)
        a->peak = a->live;
}

static void end(const mlia_plan *plan, account *a, uint32_t root)
{
    uint64_t bytes = 0;
    if (a->block[root] == MLIA_NONE || !mlia_value_bytes(&plan->graph->values[root], &bytes))
        return;
    release(&a->planner, a->block[root]);
    a->block[root] = MLIA_NONE;
    a->live -= bytes;
}

static void end_unused(const mlia_plan *plan, account *a, const uint32_t *roots, uint32_t count,
                       uint32_t cascade)
{
    for (uint32_t k = 0; k < count; k++)
        if (a->last_use[roots[k]] == cascade + 1)
            end(plan, a, roots[k]);
}

/* The chains of a cascade run at the same time: all that they read and write lives together. */
static void run_cascade(const mlia_plan *plan, account *a, const mlia_estimate_cascade *cascade)
{
    uint32_t last = cascade->first_chain + cascade->chain_count;
    double cycles = (double)cascade->cost.total_cycles;
    for (uint32_t i = cascade->first_chain; i < last; i++)
        for (uint32_t k = 0; k < plan->chains[i].output_count && !plan->placements[i].output_in_l2; k++)
            begin(plan, a, plan->chains[i].outputs[k]);
    a->weighted += (double)a->live * cycles;
    a->cycles += cycles;
    for (uint32_t i = cascade->first_chain; i < last; i++) {
        const mlia_plan_chain *chain = &plan->chains[i];
        end_unused(plan, a, chain->inputs, chain->input_count - chain->constant_count, plan->cascade_of[i]);
        end_unused(plan, a, chain->outputs, chain->output_count, plan->cascade_of[i]);
    }
}

mlia_status *mlia_plan_memory(mlia_plan *plan)
{
    const mlia_graph *graph = plan->graph;
    mlia_estimate_segment *result = plan->result;
    account a = {.planner = {.last = MLIA_NONE}};
    memset(a.planner.classes, 0xFF, sizeof a.planner.classes);
    a.planner.places = MLIA_NEW_ARRAY(plan->arena, place, 2 * (size_t)graph->value_count + 1);
    a.block = MLIA_NEW_ARRAY(plan->arena, uint32_t, graph->value_count);
    a.last_use = MLIA_NEW_ARRAY(plan->arena, uint32_t, graph->value_count);
    MLIA_TRY_ALLOC(a.planner.places);
    MLIA_TRY_ALLOC(a.block);
    MLIA_TRY_ALLOC(a.last_use);
    memset(a.block, 0xFF, graph->value_count * sizeof *a.block);
    find_last_uses(plan, a.last_use);
    if (graph->region_count > 0) {
        const mlia_block *block = mlia_graph_main(graph);
        for (uint32_t i = 0; i < block->input_count; i++)
            if (a.last_use[block->inputs[i]] > 0)
                begin(plan, &a, block->inputs[i]);
    }
    for (uint32_t i = 0; i < plan->cascade_count; i++)
        run_cascade(plan, &a, &result->cascades[i]);
    for (uint32_t i = 0; i < plan->chain_count; i++)
        result->memory.model_weight_memory += result->chains[i].weight_bytes;
    result->memory.dram_footprint = a.planner.end;
    result->memory.peak_activation_memory = a.peak;
    result->memory.average_memory = a.cycles > 0 ? (uint64_t)(a.weighted / a.cycles) : 0;
    result->memory.compiled_size =
        result->memory.model_weight_memory + (uint64_t)(plan->config->command_bytes * result->stripe_count);
    return NULL;
}
