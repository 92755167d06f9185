/* Third stage: fused operators become chains, the unit that the accelerator issues.
 *
 * A multiply-accumulate or pooling operator takes along what only it feeds: RESCALE that does not widen,
 * CLAMP, TABLE, CAST and other element-wise work with constants. Element-wise and reducing operators grow,
 * from the last one backwards, into chains of at most `chain.max_ops` operators. A link inside a chain has no
 * other reader, unless it is a single element that can be written as well; then the chain must not need a
 * result that is made of it. Everything else is a chain of its own. */
#include <stdlib.h>

#include "estimate/plan.h"

enum { SEARCH_LIMIT = 64, DEPTH_LIMIT = 64 }; /* DEPTH_LIMIT: highest chain.max_ops and chain.max_inputs */

typedef struct growth {
    mlia_plan *plan;
    uint32_t chain;
    uint32_t seed_position;
    uint32_t *members; /* fused operators, room for DEPTH_LIMIT */
    uint32_t count;
    uint32_t weight;
    uint32_t *visited; /* per operator: mark of the last search that saw it */
    uint32_t mark;
    uint32_t seen; /* operators of that search */
} growth;

static uint32_t weight_of(const mlia_plan *plan, uint32_t fused)
{
    uint32_t weight = 0;
    for (uint32_t i = 0; i < plan->fused[fused].count; i++)
        weight += plan->operators[plan->fused[fused].operators[i]].weight;
    return weight;
}

/* Position of the last operator of a fused one. */
static uint32_t position_of(const mlia_plan *plan, uint32_t fused)
{
    const mlia_fused *f = &plan->fused[fused];
    return plan->operators[f->operators[f->count - 1]].position;
}

static bool is_single(const mlia_graph_value *value)
{
    uint64_t elements = 0;
    return mlia_value_elements(value, &elements) && elements == 1;
}

static bool in_chain(const growth *g, uint32_t operator_index)
{
    uint32_t fused = g->plan->operators[operator_index].fused;
    return fused != MLIA_NONE && g->plan->fused[fused].chain == g->chain;
}

/* True when something made of `from` may come back into the chain. Looks at operators before the chain's last
 * one only, and gives up (true) after SEARCH_LIMIT of them. */
static bool comes_back(growth *g, uint32_t from)
{
    const mlia_plan *plan = g->plan;
    uint32_t stack[SEARCH_LIMIT];
    uint32_t depth = 0;
    if (g->visited[from] != g->mark) {
        g->visited[from] = g->mark;
        stack[depth++] = from;
    }
    while (depth > 0) {
        uint32_t index = stack[--depth];
        if (in_chain(g, index))
            return true;
        if (plan->operators[index].position >= g->seed_position)
            continue;
        if (++g->seen > SEARCH_LIMIT)
            return true;
        const mlia_operator *op = &plan->graph->operators[index];
        for (uint32_t k = 0; k < op->output_count; k++) {
            uint32_t root = plan->roots[op->outputs[k]];
            for (uint32_t r = plan->reader_start[root]; r < plan->reader_start[root + 1]; r++) {
                uint32_t reader = plan->readers[r];
                if (g->visited[reader] == g->mark)
                    continue;
                if (depth == SEARCH_LIMIT)
                    return true;
                g->visited[reader] = g->mark;
                stack[depth++] = reader;
            }
        }
    }
    return false;
}

/* The value may stay inside the chain: nobody else reads it, or it is a single element that can be written
 * too. */
static bool link_allowed(growth *g, uint32_t root)
{
    const mlia_plan *plan = g->plan;
    bool single = is_single(&plan->graph->values[root]);
    if (plan->is_output[root] && !single)
        return false;
    g->mark++;
    g->seen = 0;
    for (uint32_t r = plan->reader_start[root]; r < plan->reader_start[root + 1]; r++) {
        uint32_t reader = plan->readers[r];
        if (in_chain(g, reader))
            continue;
        if (!single || comes_back(g, reader))
            return false;
    }
    return true;
}

static bool same_elements(const mlia_graph_value *a, const mlia_graph_value *b)
{
    uint64_t x = 0;
    uint64_t y = 0;
    return mlia_value_elements(a, &x) && mlia_value_elements(b, &y) && x == y;
}

/* Distinct activations that the chain would read with `extra` in it. */
static uint32_t outside_inputs(const growth *g, uint32_t extra, uint32_t limit)
{
    const mlia_plan *plan = g->plan;
    uint32_t roots[2 * DEPTH_LIMIT];
    uint32_t count = 0;
    for (uint32_t m = 0; m <= g->count; m++) {
        const mlia_fused *f = &plan->fused[m < g->count ? g->members[m] : extra];
        for (uint32_t i = 0; i < f->count; i++) {
            const mlia_operator *op = &plan->graph->operators[f->operators[i]];
            for (uint32_t k = 0; k < op->input_count; k++) {
                uint32_t root = plan->roots[op->inputs[k]];
                uint32_t producer = plan->graph->values[root].producer;
                uint32_t fused = producer == MLIA_NONE ? MLIA_NONE : plan->operators[producer].fused;
                bool inside = fused != MLIA_NONE && (fused == extra || plan->fused[fused].chain == g->chain);
                bool known = inside || plan->graph->values[root].is_constant;
                for (uint32_t n = 0; n < count && !known; n++)
                    known = roots[n] == root;
                if (known)
                    continue;
                if (count == limit || count == 2 * DEPTH_LIMIT)
                    return limit + 1;
                roots[count++] = root;
            }
        }
    }
    return count;
}

static void add_member(growth *g, uint32_t fused)
{
    g->plan->fused[fused].chain = g->chain;
    g->members[g->count++] = fused;
    g->weight += weight_of(g->plan, fused);
}

/* May the producer of `root` join, seen from the operator `reader` of the chain? Gives its fused operator. */
static uint32_t candidate(growth *g, const mlia_operator *reader, uint32_t root)
{
    const mlia_plan *plan = g->plan;
    const mlia_graph_value *value = &plan->graph->values[root];
    if (value->producer == MLIA_NONE || value->is_constant)
        return MLIA_NONE;
    const mlia_plan_operator *info = &plan->operators[value->producer];
    if (info->fused == MLIA_NONE || plan->fused[info->fused].chain != MLIA_NONE ||
        (info->role != MLIA_ROLE_ELEMENT && info->role != MLIA_ROLE_REDUCE))
        return MLIA_NONE;
    bool reduces = plan->operators[reader - plan->graph->operators].role == MLIA_ROLE_REDUCE;
    uint32_t limit = (uint32_t)plan->config->chain_max_ops;
    if (g->count == DEPTH_LIMIT || g->weight + weight_of(plan, info->fused) > limit ||
        (!reduces && !same_elements(value, &plan->graph->values[reader->outputs[0]])) ||
        !link_allowed(g, root))
        return MLIA_NONE;
    uint32_t inputs = (uint32_t)plan->config->chain_max_inputs;
    return outside_inputs(g, info->fused, inputs) <= inputs ? info->fused : MLIA_NONE;
}

/* A member whose operands from (step, operand) downwards are still to be looked at. */
typedef struct visit {
    uint32_t fused, step, operand;
} visit;

/* Depth first, the last operand first: a branch is taken whole before the next one. */
static void grow(growth *g, uint32_t seed)
{
    visit stack[DEPTH_LIMIT + 1];
    const mlia_plan *plan = g->plan;
    uint32_t depth = 0;
    add_member(g, seed);
    stack[depth++] = (visit){seed, plan->fused[seed].count, 0};
    while (depth > 0) {
        uint32_t top = depth - 1;
        if (stack[top].operand == 0) {
            if (stack[top].step == 0) {
                depth--;
                continue;
            }
            uint32_t previous = plan->fused[stack[top].fused].operators[--stack[top].step];
            stack[top].operand = plan->graph->operators[previous].input_count;
            continue;
        }
        const mlia_operator *op =
            &plan->graph->operators[plan->fused[stack[top].fused].operators[stack[top].step]];
        uint32_t fused = candidate(g, op, plan->roots[op->inputs[--stack[top].operand]]);
        if (fused == MLIA_NONE)
            continue;
        add_member(g, fused);
        stack[depth++] = (visit){fused, plan->fused[fused].count, 0};
    }
}

/* The fused operator that may join the multiply-accumulate operator whose last result is `root`. */
static uint32_t absorbable(const growth *g, uint32_t root)
{
    const mlia_plan *plan = g->plan;
    uint32_t start = plan->reader_start[root];
    if (plan->is_output[root] || plan->reader_start[root + 1] - start != 1)
        return MLIA_NONE;
    uint32_t reader = plan->readers[start];
    const mlia_plan_operator *info = &plan->operators[reader];
    if (info->role != MLIA_ROLE_ELEMENT || info->fused == MLIA_NONE ||
        plan->fused[info->fused].chain != MLIA_NONE || plan->fused[info->fused].operators[0] != reader ||
        g->count == DEPTH_LIMIT ||
        g->weight + weight_of(plan, info->fused) > (uint32_t)plan->config->chain_max_ops)
        return MLIA_NONE;
    const mlia_operator *op = &plan->graph->operators[reader];
    const mlia_graph_value *in = &plan->graph->values[root];
    const mlia_graph_value *out = &plan->graph->values[op->outputs[0]];
    if (op->op == MLIA_OP_RESCALE && mlia_type_bytes(out->type) > mlia_type_bytes(in->type))
        return MLIA_NONE;
    for (uint32_t k = 0; k < op->input_count; k++)
        if (plan->roots[op->inputs[k]] != root && !plan->graph->values[op->inputs[k]].is_constant)
            return MLIA_NONE;
    return same_elements(in, out) ? info->fused : MLIA_NONE;
}

static void absorb(growth *g, uint32_t seed)
{
    const mlia_plan *plan = g->plan;
    add_member(g, seed);
    for (uint32_t fused = seed; fused != MLIA_NONE;) {
        const mlia_fused *f = &plan->fused[fused];
        const mlia_operator *op = &plan->graph->operators[f->operators[f->count - 1]];
        fused = op->output_count == 1 ? absorbable(g, plan->roots[op->outputs[0]]) : MLIA_NONE;
        if (fused != MLIA_NONE)
            add_member(g, fused);
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static mlia_status *close_chain(growth *g)
{
    mlia_plan *plan = g->plan;
    qsort(g->members, g->count, sizeof *g->members, by_number);
    mlia_plan_chain *chain = &plan->chains[plan->chain_count++];
    chain->fused = MLIA_NEW_ARRAY(plan->arena, uint32_t, g->count);
    MLIA_TRY_ALLOC(chain->fused);
    memcpy(chain->fused, g->members, g->count * sizeof *g->members);
    chain->count = g->count;
    for (uint32_t i = 0; i < g->count; i++)
        if (position_of(plan, g->members[i]) > chain->last)
            chain->last = position_of(plan, g->members[i]);
    g->chain = plan->chain_count;
    g->count = 0;
    g->weight = 0;
    return NULL;
}

static mlia_status *make_chains(mlia_plan *plan)
{
    uint32_t members[DEPTH_LIMIT];
    growth g = {.plan = plan, .members = members};
    g.visited = MLIA_NEW_ARRAY(plan->arena, uint32_t, plan->graph->operator_count);
    plan->chains = MLIA_NEW_ARRAY(plan->arena, mlia_plan_chain, plan->fused_count);
    MLIA_TRY_ALLOC(g.visited);
    MLIA_TRY_ALLOC(plan->chains);
    for (uint32_t i = 0; i < plan->fused_count; i++) {
        uint8_t role = plan->operators[plan->fused[i].operators[0]].role;
        if (plan->fused[i].chain != MLIA_NONE ||
            (role != MLIA_ROLE_CONVOLUTION && role != MLIA_ROLE_DEPTHWISE && role != MLIA_ROLE_POOL))
            continue;
        absorb(&g, i);
        MLIA_TRY(close_chain(&g));
    }
    for (uint32_t i = plan->fused_count; i-- > 0;) {
        uint8_t role = plan->operators[plan->fused[i].operators[0]].role;
        if (plan->fused[i].chain != MLIA_NONE)
            continue;
        g.seed_position = position_of(plan, i);
        if (role == MLIA_ROLE_TRANSFORM)
            add_member(&g, i);
        else
            grow(&g, i);
        MLIA_TRY(close_chain(&g));
    }
    return NULL;
}

/* ---- order in which chains run ---- */

/* Binary heap of chains, the one whose last operator comes first on top. */
typedef struct heap {
    const mlia_plan *plan;
    uint32_t *items;
    uint32_t count;
} heap;

static bool before(const heap *h, uint32_t a, uint32_t b)
{
    return h->plan->chains[h->items[a]].last < h->plan->chains[h->items[b]].last;
}

static void swap(heap *h, uint32_t a, uint32_t b)
{
    uint32_t item = h->items[a];
    h->items[a] = h->items[b];
    h->items[b] = item;
}

static void heap_add(heap *h, uint32_t chain)
{
    uint32_t i = h->count++;
    h->items[i] = chain;
    for (; i > 0 && before(h, i, (i - 1) / 2); i = (i - 1) / 2)
        swap(h, i, (i - 1) / 2);
}

static uint32_t heap_take(heap *h)
{
    uint32_t top = h->items[0];
    h->items[0] = h->items[--h->count];
    for (uint32_t i = 0;;) {
        uint32_t least = i;
        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < h->count; child++)
            if (before(h, child, least))
                least = child;
        if (least == i)
            return top;
        swap(h, i, least);
        i = least;
    }
}

/* The chain that makes a value, MLIA_NONE when none does. */
static uint32_t producer_chain(const mlia_plan *plan, uint32_t value)
{
    uint32_t producer = plan->graph->values[plan->roots[value]].producer;
    uint32_t fused = producer == MLIA_NONE ? MLIA_NONE : plan->operators[producer].fused;
    return fused == MLIA_NONE ? MLIA_NONE : plan->fused[fused].chain;
}

/* Every read of what `chain` makes is one thing less to wait for. */
static void release_readers(const mlia_plan *plan, uint32_t chain, uint32_t *waits, heap *ready)
{
    const mlia_plan_chain *c = &plan->chains[chain];
    for (uint32_t i = 0; i < c->count; i++) {
        const mlia_fused *f = &plan->fused[c->fused[i]];
        for (uint32_t k = 0; k < f->count; k++) {
            const mlia_operator *op = &plan->graph->operators[f->operators[k]];
            for (uint32_t o = 0; o < op->output_count; o++) {
                uint32_t root = plan->roots[op->outputs[o]];
                for (uint32_t r = plan->reader_start[root]; r < plan->reader_start[root + 1]; r++) {
                    uint32_t fused = plan->operators[plan->readers[r]].fused;
                    uint32_t reader = fused == MLIA_NONE ? chain : plan->fused[fused].chain;
                    if (reader != chain && --waits[reader] == 0)
                        heap_add(ready, reader);
                }
            }
        }
    }
}

/* Chains in running order into `sequence`; returns how many could be placed (fewer only on a cycle of
 * chains). */
static uint32_t sequence_chains(const mlia_plan *plan, uint32_t *waits, uint32_t *sequence, heap *ready)
{
    for (uint32_t i = 0; i < plan->order_count; i++) {
        uint32_t chain = plan->fused[plan->operators[plan->order[i]].fused].chain;
        const mlia_operator *op = &plan->graph->operators[plan->order[i]];
        for (uint32_t k = 0; k < op->input_count; k++) {
            uint32_t producer = producer_chain(plan, op->inputs[k]);
            waits[chain] += producer != MLIA_NONE && producer != chain;
        }
    }
    for (uint32_t i = 0; i < plan->chain_count; i++)
        if (waits[i] == 0)
            heap_add(ready, i);
    uint32_t count = 0;
    while (ready->count > 0) {
        sequence[count] = heap_take(ready);
        release_readers(plan, sequence[count], waits, ready);
        count++;
    }
    return count;
}

/* Two chains may each need a result of the other, although neither comes back to itself. Then the chains that
 * could not be placed are taken apart. */
static mlia_status *take_apart(mlia_plan *plan, const uint32_t *waits)
{
    uint32_t count = plan->chain_count;
    for (uint32_t i = 0; i < count; i++) {
        mlia_plan_chain *chain = &plan->chains[i];
        if (waits[i] == 0 || chain->count == 1)
            continue;
        for (uint32_t k = 1; k < chain->count; k++) {
            plan->fused[chain->fused[k]].chain = plan->chain_count;
            plan->chains[plan->chain_count++] = (mlia_plan_chain){
                .fused = &chain->fused[k], .count = 1, .last = position_of(plan, chain->fused[k])};
        }
        chain->count = 1;
        chain->last = position_of(plan, chain->fused[0]);
    }
    return NULL;
}

static mlia_status *order_chains(mlia_plan *plan)
{
    size_t limit = plan->fused_count;
    uint32_t *waits = MLIA_NEW_ARRAY(plan->arena, uint32_t, limit);
    uint32_t *sequence = MLIA_NEW_ARRAY(plan->arena, uint32_t, limit);
    heap ready = {plan, MLIA_NEW_ARRAY(plan->arena, uint32_t, limit), 0};
    mlia_plan_chain *sorted = MLIA_NEW_ARRAY(plan->arena, mlia_plan_chain, limit);
    MLIA_TRY_ALLOC(waits);
    MLIA_TRY_ALLOC(sequence);
    MLIA_TRY_ALLOC(ready.items);
    MLIA_TRY_ALLOC(sorted);
    if (sequence_chains(plan, waits, sequence, &ready) < plan->chain_count) {
        MLIA_TRY(take_apart(plan, waits));
        memset(waits, 0, limit * sizeof *waits);
        sequence_chains(plan, waits, sequence, &ready);
    }
    for (uint32_t i = 0; i < plan->chain_count; i++) {
        sorted[i] = plan->chains[sequence[i]];
        for (uint32_t k = 0; k < sorted[i].count; k++)
            plan->fused[sorted[i].fused[k]].chain = i;
    }
    plan->chains = sorted;
    return NULL;
}

/* ---- what a chain reads and writes ---- */

/* Constants that are data, not parameters of the operator: operands of element-wise work and of moves. */
static bool is_data(const mlia_plan *plan, uint32_t operator_index, uint32_t position)
{
    const mlia_operator *op = &plan->graph->operators[operator_index];
    uint8_t role = plan->operators[operator_index].role;
    const mlia_graph_value *value = &plan->graph->values[op->inputs[position]];
    if (value->kind != MLIA_KIND_TENSOR || is_single(value) || op->op == MLIA_OP_RESCALE)
        return false;
    if (op->op == MLIA_OP_TABLE || op->op == MLIA_OP_MUL || op->op == MLIA_OP_NEGATE)
        return position < (op->op == MLIA_OP_MUL ? 2u : 1u);
    return role == MLIA_ROLE_ELEMENT || role == MLIA_ROLE_TRANSFORM || role == MLIA_ROLE_REDUCE;
}

static bool listed(const uint32_t *list, uint32_t count, uint32_t item)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == item)
            return true;
    return false;
}

/* Adds the reads of kind `constants` once each. A CONCAT may read thousands of tensors: `seen` keeps the
 * chain that listed a root last. */
static void list_inputs(mlia_plan *plan, uint32_t chain, bool constants, uint32_t *seen)
{
    mlia_plan_chain *c = &plan->chains[chain];
    for (uint32_t i = 0; i < c->count; i++) {
        const mlia_fused *f = &plan->fused[c->fused[i]];
        for (uint32_t k = 0; k < f->count; k++) {
            const mlia_operator *op = &plan->graph->operators[f->operators[k]];
            for (uint32_t n = 0; n < op->input_count; n++) {
                uint32_t root = plan->roots[op->inputs[n]];
                const mlia_graph_value *value = &plan->graph->values[root];
                if (value->kind != MLIA_KIND_TENSOR || value->is_constant != constants ||
                    seen[root] == chain + 1 || producer_chain(plan, root) == chain ||
                    (constants && !is_data(plan, f->operators[k], n)))
                    continue;
                seen[root] = chain + 1;
                c->inputs[c->input_count++] = root;
            }
        }
    }
}

static bool is_written(const mlia_plan *plan, uint32_t chain, uint32_t root)
{
    if (plan->is_output[root])
        return true;
    for (uint32_t r = plan->reader_start[root]; r < plan->reader_start[root + 1]; r++) {
        uint32_t fused = plan->operators[plan->readers[r]].fused;
        if (fused == MLIA_NONE || plan->fused[fused].chain != chain)
            return true;
    }
    return false;
}

static mlia_status *list_traffic(mlia_plan *plan)
{
    uint32_t *seen = MLIA_NEW_ARRAY(plan->arena, uint32_t, plan->graph->value_count);
    MLIA_TRY_ALLOC(seen);
    for (uint32_t chain = 0; chain < plan->chain_count; chain++) {
        mlia_plan_chain *c = &plan->chains[chain];
        size_t inputs = 0;
        size_t outputs = 0;
        for (uint32_t i = 0; i < c->count; i++)
            for (uint32_t k = 0; k < plan->fused[c->fused[i]].count; k++) {
                const mlia_operator *op = &plan->graph->operators[plan->fused[c->fused[i]].operators[k]];
                inputs += op->input_count;
                outputs += op->output_count;
            }
        c->inputs = MLIA_NEW_ARRAY(plan->arena, uint32_t, inputs);
        c->outputs = MLIA_NEW_ARRAY(plan->arena, uint32_t, outputs);
        MLIA_TRY_ALLOC(c->inputs);
        MLIA_TRY_ALLOC(c->outputs);
        list_inputs(plan, chain, false, seen);
        uint32_t activations = c->input_count;
        list_inputs(plan, chain, true, seen);
        c->constant_count = c->input_count - activations;
        for (uint32_t i = 0; i < c->count; i++)
            for (uint32_t k = 0; k < plan->fused[c->fused[i]].count; k++) {
                const mlia_operator *op = &plan->graph->operators[plan->fused[c->fused[i]].operators[k]];
                for (uint32_t o = 0; o < op->output_count; o++)
                    if (is_written(plan, chain, op->outputs[o]) &&
                        !listed(c->outputs, c->output_count, op->outputs[o]))
                        c->outputs[c->output_count++] = op->outputs[o];
            }
    }
    return NULL;
}

mlia_status *mlia_plan_chain_up(mlia_plan *plan)
{
    MLIA_TRY(make_chains(plan));
    MLIA_TRY(order_chains(plan));
    return list_traffic(plan);
}
