/* Pairing chains: each takes the one it shares most with, measured as common operators over all operators of
 * both, if that is at least half and the other chain's choice is the same. */
#include "core/baseline.h"

#include <stdlib.h>

#include "base/map.h"
#include "result/index.h"

/* An operator that more chains share than this tells none of them apart. */
enum { SHARED_LIMIT = 64 };

typedef MLIA_LIST(uint32_t) positions;

/* A chain with its operators. */
typedef struct chain {
    const mlia_entity *entity;
    double cycles;
    mlia_texts operators;
    uint32_t best; /* position among the other side's chains; UINT32_MAX: none */
    double share;
} chain;

typedef struct side {
    const mlia_result *result;
    MLIA_LIST(chain) chains;
    mlia_map by_operator; /* id → position in `users` */
    MLIA_LIST(positions) users;
} side;

static bool is_kind(const mlia_entity *entity, const char *kind)
{
    return mlia_str_equal_c(entity->kind, kind);
}

/* Adds the source operators among the children of `entity`, also those of its groups. */
static mlia_status *add_operators(const mlia_result *result, const mlia_result_index *index,
                                  const mlia_entity *entity, mlia_arena *arena, mlia_texts *operators)
{
    for (size_t i = 0; i < entity->child_ids.count; i++) {
        const uint32_t *position = mlia_map_find(&index->ids, entity->child_ids.items[i]);
        const mlia_entity *child = position != NULL ? &result->entities.items[*position] : NULL;
        if (child == NULL)
            continue;
        if (is_kind(child, "source_operator") && !MLIA_APPEND(arena, *operators, child->id))
            return mlia_error_memory();
        for (size_t k = 0; is_kind(child, "performance_group") && k < child->child_ids.count; k++)
            if (!MLIA_APPEND(arena, *operators, child->child_ids.items[k]))
                return mlia_error_memory();
    }
    return NULL;
}

static int compare_texts(const void *a, const void *b)
{
    return mlia_str_compare(*(const mlia_str *)a, *(const mlia_str *)b);
}

static void drop_repeats(mlia_texts *texts)
{
    size_t kept = 0;
    if (texts->count == 0)
        return;
    qsort(texts->items, texts->count, sizeof *texts->items, compare_texts);
    for (size_t i = 0; i < texts->count; i++)
        if (i == 0 || !mlia_str_equal(texts->items[i], texts->items[i - 1]))
            texts->items[kept++] = texts->items[i];
    texts->count = kept;
}

/* Notes which chains use an operator. */
static mlia_status *add_user(side *s, mlia_str operator, uint32_t position, mlia_arena *arena)
{
    bool is_new;
    const uint32_t *found = mlia_map_insert(&s->by_operator, operator,(uint32_t) s->users.count, &is_new);
    MLIA_TRY_ALLOC(found);
    uint32_t user = *found;
    if (is_new && !MLIA_APPEND(arena, s->users, (positions){0}))
        return mlia_error_memory();
    return MLIA_APPEND(arena, s->users.items[user], position) ? NULL : mlia_error_memory();
}

static mlia_status *add_chain(side *s, const mlia_result_index *index, const mlia_entity *entity,
                              double cycles, mlia_arena *arena)
{
    chain item = {.entity = entity, .cycles = cycles, .best = UINT32_MAX};
    MLIA_TRY(add_operators(s->result, index, entity, arena, &item.operators));
    drop_repeats(&item.operators);
    uint32_t position = (uint32_t)s->chains.count;
    for (size_t i = 0; i < item.operators.count; i++)
        MLIA_TRY(add_user(s, item.operators.items[i], position, arena));
    return MLIA_APPEND(arena, s->chains, item) ? NULL : mlia_error_memory();
}

/* The chains of a result that own a figure total_cycles. */
static mlia_status *collect(const mlia_result *result, mlia_arena *arena, side *s)
{
    mlia_result_index index;
    *s = (side){.result = result, .by_operator = mlia_map_in(arena)};
    MLIA_TRY(mlia_result_index_make(arena, result, &index));
    for (size_t i = 0; i < result->breakdowns.count; i++) {
        const mlia_breakdown *breakdown = &result->breakdowns.items[i];
        const uint32_t *position = mlia_map_find(&index.ids, breakdown->entity_id);
        const mlia_metric *total = mlia_metrics_find(&breakdown->metrics, MLIA_STR("total_cycles"));
        if (breakdown->id.size == 0 || breakdown->qualifiers != NULL || position == NULL || total == NULL ||
            total->unavailable)
            continue;
        const mlia_entity *entity = &result->entities.items[*position];
        if (is_kind(entity, "chain"))
            MLIA_TRY(add_chain(s, &index, entity, total->value, arena));
    }
    return NULL;
}

/* The chains of a side that use an operator; none when they are too many. */
static positions users_of(const side *s, mlia_str operator)
{
    const uint32_t *found = mlia_map_find(&s->by_operator, operator);
    if (found == NULL || s->users.items[*found].count > SHARED_LIMIT)
        return (positions){0};
    return s->users.items[*found];
}

static void weigh_partner(chain *item, uint32_t partner, size_t partner_operators, uint32_t common)
{
    double share = (double)common / (double)(item->operators.count + partner_operators - common);
    if (share > item->share || (share == item->share && partner < item->best)) {
        item->share = share;
        item->best = partner;
    }
}

/* Sets the best partner of each chain of `s` among the chains of `other`; of equal ones the first. */
static mlia_status *choose_partners(side *s, const side *other, mlia_arena *arena)
{
    uint32_t *common = MLIA_NEW_ARRAY(arena, uint32_t, other->chains.count);
    MLIA_TRY_ALLOC(common);
    for (size_t i = 0; i < s->chains.count; i++) {
        chain *item = &s->chains.items[i];
        for (size_t k = 0; k < item->operators.count; k++) {
            positions users = users_of(other, item->operators.items[k]);
            for (size_t n = 0; n < users.count; n++)
                common[users.items[n]]++;
        }
        for (size_t k = 0; k < item->operators.count; k++) {
            positions users = users_of(other, item->operators.items[k]);
            for (size_t n = 0; n < users.count; n++) {
                uint32_t partner = users.items[n];
                if (common[partner] > 0)
                    weigh_partner(item, partner, other->chains.items[partner].operators.count,
                                  common[partner]);
                common[partner] = 0;
            }
        }
    }
    return NULL;
}

static const mlia_result *performance_of(const mlia_document *document)
{
    for (size_t i = 0; i < document->results.count; i++) {
        const mlia_result *result = &document->results.items[i];
        bool has_figures =
            result->status == MLIA_RESULT_STATUS_OK || result->status == MLIA_RESULT_STATUS_PARTIAL;
        if (result->kind == MLIA_RESULT_PERFORMANCE && has_figures)
            return result;
    }
    return NULL;
}

static mlia_status *make_pairs(const side *ours, const side *theirs, mlia_arena *arena,
                               mlia_baseline *pairing)
{
    static const double least_share = 0.5;
    for (size_t i = 0; i < ours->chains.count; i++) {
        const chain *mine = &ours->chains.items[i];
        if (mine->best == UINT32_MAX || mine->share < least_share ||
            theirs->chains.items[mine->best].best != i)
            continue;
        const chain *partner = &theirs->chains.items[mine->best];
        mlia_chain_pair pair = {partner->entity, mine->entity, partner->cycles, mine->cycles,
                                mine->share == 1};
        if (!MLIA_APPEND(arena, pairing->pairs, pair))
            return mlia_error_memory();
    }
    pairing->unpaired = ours->chains.count - pairing->pairs.count;
    pairing->unpaired_baseline = theirs->chains.count - pairing->pairs.count;
    return NULL;
}

mlia_status *mlia_baseline_pair(const mlia_document *baseline, const mlia_document *document,
                                mlia_arena *arena, mlia_baseline *pairing)
{
    *pairing = (mlia_baseline){.baseline = performance_of(baseline), .result = performance_of(document)};
    if (pairing->baseline == NULL)
        return mlia_error(MLIA_E_DOCUMENT, "the baseline has no performance result with figures");
    if (pairing->result == NULL)
        return NULL;
    side ours;
    side theirs;
    MLIA_TRY(collect(pairing->result, arena, &ours));
    MLIA_TRY(collect(pairing->baseline, arena, &theirs));
    MLIA_TRY(choose_partners(&ours, &theirs, arena));
    MLIA_TRY(choose_partners(&theirs, &ours, arena));
    return make_pairs(&ours, &theirs, arena, pairing);
}
