/* Projection: sources, then every other entity, until nothing new is derived; then the choice for each. */
#include "result/project.h"

#include "result/build.h"

/* Work beyond this is not spent on projection: the entities that are left get nothing. */
#define TOTAL_BUDGET UINT64_C(2000000000)
enum { MAX_PASSES = 16 };

/* An entity whose figures are not known from the start. */
typedef struct target {
    uint32_t entity;
    mlia_outlook outlook;
} target;

typedef MLIA_LIST(target) targets;

static mlia_status *collect_targets(mlia_projection *p, targets *all)
{
    for (uint32_t e = 0; e < p->space.count; e++) {
        if (p->figures.is_authoritative[e] || p->is_frontier[e])
            continue;
        target item = {e, MLIA_OUTLOOK_BUDGET};
        if (p->steps < TOTAL_BUDGET)
            item.outlook = mlia_project_look(p, e);
        if (item.outlook == MLIA_OUTLOOK_NOTHING)
            continue;
        mlia_record *record = NULL;
        bool is_new;
        if (item.outlook == MLIA_OUTLOOK_EXACT || item.outlook == MLIA_OUTLOOK_EXTRAS)
            MLIA_TRY(mlia_project_sum_atoms(p, e, &record, &is_new));
        if (item.outlook == MLIA_OUTLOOK_EXACT)
            p->shown[e] = record;
        if (!MLIA_APPEND(p->arena, *all, item))
            return mlia_error_memory();
    }
    return NULL;
}

/* Derives the records of one target with alternatives. */
static mlia_status *derive(mlia_projection *p, target *item, bool *found_new)
{
    bool over_budget = p->steps >= TOTAL_BUDGET;
    mlia_project_look(p, item->entity);
    for (int extras = 0; extras < 2 && !over_budget; extras++)
        MLIA_TRY(mlia_cover_search(p, item->entity, extras == 1, NULL, found_new, &over_budget));
    if (over_budget)
        item->outlook = MLIA_OUTLOOK_BUDGET;
    return NULL;
}

/* Derives records until there are no new ones, and none that only now is another entity's too. */
static mlia_status *discover(mlia_projection *p, targets *all)
{
    bool in_doubt = false;
    for (size_t i = 0; i < all->count; i++)
        in_doubt = in_doubt || all->items[i].outlook != MLIA_OUTLOOK_EXACT;
    bool found_new = in_doubt;
    for (unsigned pass = 0; found_new && pass < MAX_PASSES; pass++) {
        found_new = false;
        for (size_t i = 0; i < all->count && p->steps < TOTAL_BUDGET; i++) {
            target *item = &all->items[i];
            if (item->outlook == MLIA_OUTLOOK_OPEN) {
                MLIA_TRY(derive(p, item, &found_new));
            } else if (item->outlook != MLIA_OUTLOOK_BUDGET) {
                mlia_project_look(p, item->entity);
                found_new = mlia_project_expose(p) || found_new;
            }
        }
    }
    return NULL;
}

/* The four classes in their order: one record, a sum, one record with extras, a sum with extras. */
static mlia_status *choose(mlia_projection *p, target *item, mlia_choice *choice)
{
    bool ignored = false;
    bool over_budget = false;
    mlia_project_look(p, item->entity);
    for (int extras = 0; extras < 2; extras++) {
        MLIA_TRY(mlia_project_offer_singles(p, extras == 1, choice));
        if (choice->record != NULL)
            return NULL;
        if (item->outlook == MLIA_OUTLOOK_OPEN)
            MLIA_TRY(mlia_cover_search(p, item->entity, extras == 1, choice, &ignored, &over_budget));
        if (over_budget)
            item->outlook = MLIA_OUTLOOK_BUDGET;
        if (choice->record != NULL || over_budget)
            return NULL;
    }
    bool is_new;
    if (item->outlook == MLIA_OUTLOOK_EXTRAS)
        MLIA_TRY(mlia_project_sum_atoms(p, item->entity, &choice->record, &is_new));
    return NULL;
}

static mlia_status *choose_all(mlia_projection *p, const mlia_result *result, targets *all)
{
    for (size_t i = 0; i < all->count; i++) {
        target *item = &all->items[i];
        mlia_choice choice = {0};
        if (item->outlook == MLIA_OUTLOOK_EXACT)
            continue;
        if (p->steps >= TOTAL_BUDGET)
            item->outlook = MLIA_OUTLOOK_BUDGET;
        if (item->outlook != MLIA_OUTLOOK_BUDGET)
            MLIA_TRY(choose(p, item, &choice));
        if (item->outlook == MLIA_OUTLOOK_BUDGET) {
            mlia_str id = result->entities.items[item->entity].id;
            mlia_warn(p->diagnostics, MLIA_W_PROJECTION_BUDGET,
                      "too many ways to attribute figures to '%.*s'; it shows none", MLIA_STR_ARG(id));
        } else if (!choice.is_conflict) {
            p->shown[item->entity] = choice.record;
        }
    }
    return NULL;
}

/* The published metric of a figure: the origin's own when it is a copy, else a sum. */
static mlia_metric metric_of(const mlia_record *record, const mlia_figure *figure)
{
    mlia_metric metric = *figure->metric;
    if (record->origin_count > 1) {
        metric.value = figure->value;
        metric.samples = figure->samples;
        metric.has_samples = figure->has_samples;
    }
    return metric;
}

/* Breakdowns of a record without entity, one for each qualifiers; all entities that show it share their
 * metrics. */
static mlia_status *make_breakdowns(mlia_projection *p, mlia_arena *arena, mlia_record *record)
{
    const mlia_figures *figures = &record->figures;
    for (size_t i = 0, end; i < figures->count; i = end) {
        for (end = i + 1;
             end < figures->count && figures->items[end].breakdown == figures->items[i].breakdown; end++)
            ;
        mlia_breakdown breakdown = {.qualifiers = p->figures.qualifiers[figures->items[i].breakdown]};
        breakdown.metrics.items = MLIA_NEW_ARRAY(arena, mlia_metric, end - i);
        MLIA_TRY_ALLOC(breakdown.metrics.items);
        for (size_t k = i; k < end; k++)
            breakdown.metrics.items[breakdown.metrics.count++] = metric_of(record, &figures->items[k]);
        if (!MLIA_APPEND(p->arena, record->breakdowns, breakdown))
            return mlia_error_memory();
    }
    return NULL;
}

/* Equal breakdowns under the same id count once. */
static void drop_repeated(const mlia_projection *p, mlia_result *result)
{
    size_t kept = 0;
    mlia_str id = MLIA_STR_NONE;
    for (size_t i = 0; i < result->breakdowns.count; i++) {
        const mlia_breakdown *breakdown = &result->breakdowns.items[i];
        if (!p->figures.is_repeated[i] || !mlia_str_equal(breakdown->id, id))
            result->breakdowns.items[kept++] = *breakdown;
        id = breakdown->id;
    }
    result->breakdowns.count = kept;
}

static mlia_status *publish(mlia_projection *p, mlia_arena *arena, mlia_result *result)
{
    for (uint32_t e = 0; e < p->space.count; e++) {
        mlia_record *record = p->shown[e];
        if (record == NULL)
            continue;
        if (record->breakdowns.count == 0)
            MLIA_TRY(make_breakdowns(p, arena, record));
        for (size_t i = 0; i < record->breakdowns.count; i++) {
            mlia_breakdown breakdown = record->breakdowns.items[i];
            breakdown.entity_id = result->entities.items[e].id;
            if (!MLIA_APPEND(arena, result->breakdowns, breakdown))
                return mlia_error_memory();
        }
    }
    return NULL;
}

static mlia_status *allocate(mlia_projection *p)
{
    size_t count = p->space.count;
    uint32_t **numbers[] = {&p->atom_of, &p->single_of, &p->extra_mark, &p->origin_mark, &p->atoms.items};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        MLIA_TRY_ALLOC(*numbers[i] = MLIA_NEW_ARRAY(p->arena, uint32_t, count));
    bool **flags[] = {&p->is_shadowed, &p->is_frontier, &p->is_taken};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        MLIA_TRY_ALLOC(*flags[i] = MLIA_NEW_ARRAY(p->arena, bool, count));
    p->composites = MLIA_NEW_ARRAY(p->arena, mlia_numbers, count);
    p->shown = (mlia_record **)MLIA_NEW_ARRAY(p->arena, mlia_record *, count);
    p->by_origins = mlia_map_in(p->arena);
    MLIA_TRY_ALLOC(p->composites);
    MLIA_TRY_ALLOC(p->shown);
    return NULL;
}

static mlia_status *project(mlia_projection *p, mlia_arena *arena, mlia_result *result)
{
    mlia_result_index index;
    mlia_kind_table kinds;
    MLIA_TRY(mlia_result_index_make(p->arena, result, &index));
    MLIA_TRY(mlia_kind_table_make(p->arena, result, &kinds));
    uint32_t *entity_of = MLIA_NEW_ARRAY(p->arena, uint32_t, result->breakdowns.count);
    MLIA_TRY_ALLOC(entity_of);
    for (size_t i = 0; i < result->breakdowns.count; i++)
        entity_of[i] = *mlia_map_find(&index.ids, result->breakdowns.items[i].entity_id);
    MLIA_TRY(mlia_figure_table_make(p->arena, result, entity_of, index.count, &p->figures));
    bool too_large;
    MLIA_TRY(mlia_space_make(p->arena, &index, &kinds, &p->space, &too_large));
    if (too_large) {
        mlia_warn(p->diagnostics, MLIA_W_PROJECTION_BUDGET,
                  "the entities overlap too much to attribute figures to others than those that have them");
        return NULL;
    }
    MLIA_TRY(allocate(p));
    MLIA_TRY(mlia_project_sources(p));
    targets all = {0};
    MLIA_TRY(collect_targets(p, &all));
    MLIA_TRY(discover(p, &all));
    MLIA_TRY(choose_all(p, result, &all));
    drop_repeated(p, result);
    return publish(p, arena, result);
}

mlia_status *mlia_result_project(mlia_arena *arena, mlia_diagnostics *diagnostics, mlia_result *result)
{
    if (result->breakdowns.count == 0)
        return NULL;
    mlia_projection projection = {.arena = mlia_arena_new(0), .diagnostics = diagnostics};
    MLIA_TRY_ALLOC(projection.arena);
    mlia_status *status = project(&projection, arena, result);
    mlia_arena_free(projection.arena);
    return status;
}
