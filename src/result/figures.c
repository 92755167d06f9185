/* Numbering, comparing and adding figures. */
#include "result/figures.h"

#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "result/build.h"
#include "result/order.h"

/* A text key and the number of its first occurrence, to be ranked. */
typedef struct ranked_key {
    mlia_str name;
    mlia_str unit;
    mlia_str qualifiers;
    const mlia_value *value;
    uint32_t number;
} ranked_key;

typedef MLIA_LIST(ranked_key) ranked_keys;

static int compare_keys(const void *left, const void *right)
{
    const ranked_key *a = left;
    const ranked_key *b = right;
    int order = mlia_str_compare(a->name, b->name);
    if (order == 0)
        order = mlia_str_compare(a->unit, b->unit);
    return order != 0 ? order : mlia_str_compare(a->qualifiers, b->qualifiers);
}

/* Numbers keys as they come; numbers become ranks in the end. */
typedef struct ranking {
    mlia_arena *arena;
    mlia_map numbers;
    ranked_keys keys;
    uint32_t *ranks; /* by number */
} ranking;

static bool number_of(ranking *r, ranked_key key, uint32_t *number)
{
    mlia_str text = key.qualifiers;
    if (key.name.data != NULL)
        text = mlia_arena_format(r->arena, "%.*s\n%.*s\n%.*s", MLIA_STR_ARG(key.name), MLIA_STR_ARG(key.unit),
                                 MLIA_STR_ARG(key.qualifiers));
    bool is_new;
    uint32_t *found = mlia_map_insert(&r->numbers, text, (uint32_t)r->keys.count, &is_new);
    if (found == NULL)
        return false;
    *number = key.number = *found;
    return !is_new || MLIA_APPEND(r->arena, r->keys, key);
}

static bool rank_keys(ranking *r)
{
    r->ranks = MLIA_NEW_ARRAY(r->arena, uint32_t, r->keys.count);
    if (r->ranks == NULL)
        return false;
    if (r->keys.count > 0)
        qsort(r->keys.items, r->keys.count, sizeof *r->keys.items, compare_keys);
    for (uint32_t i = 0; i < r->keys.count; i++)
        r->ranks[r->keys.items[i].number] = i;
    return true;
}

static int compare_figures(const void *left, const void *right)
{
    const mlia_figure *a = left;
    const mlia_figure *b = right;
    if (a->breakdown != b->breakdown)
        return a->breakdown < b->breakdown ? -1 : 1;
    return (a->identity > b->identity) - (a->identity < b->identity);
}

static bool same_content(const mlia_figure *a, const mlia_figure *b)
{
    return a->metric->unavailable == b->metric->unavailable && a->value == b->value &&
           a->has_samples == b->has_samples && a->samples == b->samples &&
           mlia_str_equal(a->metric->aggregation, b->metric->aggregation) &&
           mlia_str_equal(a->metric->reason, b->metric->reason);
}

static bool number_all(const mlia_result *result, ranking *breakdowns, ranking *metrics,
                       uint32_t *breakdown_numbers, uint32_t *metric_numbers)
{
    mlia_arena *arena = metrics->arena;
    mlia_str none = MLIA_STR("{}");
    for (size_t i = 0, k = 0; i < result->breakdowns.count; i++) {
        const mlia_breakdown *breakdown = &result->breakdowns.items[i];
        mlia_str key = breakdown->qualifiers == NULL ? none : mlia_value_key(arena, breakdown->qualifiers);
        if (key.data == NULL ||
            !number_of(breakdowns, (ranked_key){.qualifiers = key, .value = breakdown->qualifiers},
                       &breakdown_numbers[i]))
            return false;
        for (size_t m = 0; m < breakdown->metrics.count; m++, k++) {
            const mlia_metric *metric = &breakdown->metrics.items[m];
            key = metric->qualifiers == NULL ? none : mlia_value_key(arena, metric->qualifiers);
            if (key.data == NULL ||
                !number_of(metrics, (ranked_key){metric->name, metric->unit, key, NULL, 0},
                           &metric_numbers[k]))
                return false;
        }
    }
    return rank_keys(breakdowns) && rank_keys(metrics);
}

/* Sorts the figures of one breakdown and merges equal ones; false when there are none or two contradict. */
static bool merge_figures(mlia_figures *figures)
{
    if (figures->count == 0)
        return false;
    qsort(figures->items, figures->count, sizeof *figures->items, compare_figures);
    for (size_t i = 1; i < figures->count; i++)
        if (compare_figures(&figures->items[i - 1], &figures->items[i]) == 0 &&
            !same_content(&figures->items[i - 1], &figures->items[i]))
            return false;
    size_t kept = 1;
    for (size_t i = 1; i < figures->count; i++)
        if (compare_figures(&figures->items[kept - 1], &figures->items[i]) != 0)
            figures->items[kept++] = figures->items[i];
    figures->count = kept;
    return true;
}

static mlia_figure figure_of(const mlia_metric *metric, uint32_t breakdown, uint32_t identity)
{
    return (mlia_figure){.breakdown = breakdown,
                         .identity = identity,
                         .metric = metric,
                         .value = metric->unavailable ? 0 : metric->value,
                         .samples = metric->has_samples ? metric->samples : 0,
                         .has_samples = metric->has_samples};
}

/* One breakdown on its way to its entity. */
typedef struct pending {
    uint32_t entity;
    uint32_t rank; /* of its qualifiers */
    uint32_t breakdown;
    size_t first_metric; /* position of its metrics among all */
} pending;

static int compare_pending(const void *left, const void *right)
{
    const pending *a = left;
    const pending *b = right;
    if (a->entity != b->entity)
        return a->entity < b->entity ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->breakdown > b->breakdown) - (a->breakdown < b->breakdown);
}

/* Appends one breakdown's figures to those of its entity. `earlier` is a breakdown of the same qualifiers
 * that must say the same (NULL: none); `added` becomes this one. */
static bool add_breakdown(mlia_figure_table *table, const pending *item, const mlia_metrics *metrics,
                          const uint32_t *identities, const mlia_figures *earlier, mlia_figures *added)
{
    mlia_figures *all = &table->of_entity[item->entity];
    mlia_figures own = {MLIA_NEW_ARRAY(table->arena, mlia_figure, metrics->count), metrics->count};
    if (own.items == NULL)
        return false;
    for (size_t m = 0; m < own.count; m++)
        own.items[m] = figure_of(&metrics->items[m], item->rank, identities[m]);
    if (!merge_figures(&own))
        table->is_usable[item->entity] = false;
    if (earlier == NULL) {
        memcpy(all->items + all->count, own.items, own.count * sizeof *own.items);
        all->count += own.count;
    } else if (mlia_figures_equal(earlier, &own)) {
        table->is_repeated[item->breakdown] = true;
    } else {
        table->is_usable[item->entity] = false;
    }
    *added = own;
    return true;
}

/* Figures of all breakdowns of one entity: `items` are its pending ones, sorted. */
static bool add_entity(mlia_figure_table *table, const mlia_result *result, const pending *items,
                       size_t count, const uint32_t *identities)
{
    uint32_t entity = items[0].entity;
    size_t metric_count = 0;
    for (size_t i = 0; i < count; i++)
        metric_count += result->breakdowns.items[items[i].breakdown].metrics.count;
    table->is_authoritative[entity] = table->is_usable[entity] = true;
    table->of_entity[entity].items = MLIA_NEW_ARRAY(table->arena, mlia_figure, metric_count);
    if (table->of_entity[entity].items == NULL)
        return false;
    mlia_figures last = {0};
    for (size_t i = 0; i < count; i++) {
        bool again = i > 0 && items[i - 1].rank == items[i].rank;
        if (!add_breakdown(table, &items[i], &result->breakdowns.items[items[i].breakdown].metrics,
                           identities + items[i].first_metric, again ? &last : NULL, &last))
            return false;
    }
    return true;
}

static bool fill_table(const mlia_result *result, const uint32_t *entity_of, mlia_figure_table *table)
{
    size_t metric_count = 0;
    for (size_t i = 0; i < result->breakdowns.count; i++)
        metric_count += result->breakdowns.items[i].metrics.count;
    uint32_t *breakdown_numbers = MLIA_NEW_ARRAY(table->arena, uint32_t, result->breakdowns.count);
    uint32_t *metric_numbers = MLIA_NEW_ARRAY(table->arena, uint32_t, metric_count);
    ranking breakdowns = {.arena = table->arena, .numbers = mlia_map_in(table->arena)};
    ranking metrics = {.arena = table->arena, .numbers = mlia_map_in(table->arena)};
    if (breakdown_numbers == NULL || metric_numbers == NULL ||
        !number_all(result, &breakdowns, &metrics, breakdown_numbers, metric_numbers))
        return false;
    table->qualifiers =
        (const mlia_value **)MLIA_NEW_ARRAY(table->arena, mlia_value *, breakdowns.keys.count);
    if (table->qualifiers == NULL)
        return false;
    for (size_t i = 0; i < breakdowns.keys.count; i++)
        table->qualifiers[i] = breakdowns.keys.items[i].value;
    for (size_t i = 0; i < metric_count; i++)
        metric_numbers[i] = metrics.ranks[metric_numbers[i]];
    pending *items = MLIA_NEW_ARRAY(table->arena, pending, result->breakdowns.count);
    if (items == NULL)
        return false;
    for (size_t i = 0, k = 0; i < result->breakdowns.count;
         k += result->breakdowns.items[i].metrics.count, i++)
        items[i] = (pending){entity_of[i], breakdowns.ranks[breakdown_numbers[i]], (uint32_t)i, k};
    qsort(items, result->breakdowns.count, sizeof *items, compare_pending);
    for (size_t i = 0, end; i < result->breakdowns.count; i = end) {
        for (end = i + 1; end < result->breakdowns.count && items[end].entity == items[i].entity; end++)
            ;
        if (!add_entity(table, result, items + i, end - i, metric_numbers))
            return false;
    }
    return true;
}

mlia_status *mlia_figure_table_make(mlia_arena *arena, const mlia_result *result, const uint32_t *entity_of,
                                    uint32_t entity_count, mlia_figure_table *table)
{
    *table = (mlia_figure_table){.arena = arena,
                                 .of_entity = MLIA_NEW_ARRAY(arena, mlia_figures, entity_count),
                                 .is_authoritative = MLIA_NEW_ARRAY(arena, bool, entity_count),
                                 .is_usable = MLIA_NEW_ARRAY(arena, bool, entity_count),
                                 .is_repeated = MLIA_NEW_ARRAY(arena, bool, result->breakdowns.count)};
    if (table->of_entity == NULL || table->is_authoritative == NULL || table->is_usable == NULL ||
        table->is_repeated == NULL || !fill_table(result, entity_of, table))
        return mlia_error_memory();
    return NULL;
}

mlia_status *mlia_figures_copy(mlia_arena *arena, const mlia_figures *figures, mlia_figures *copy)
{
    *copy = (mlia_figures){MLIA_NEW_ARRAY(arena, mlia_figure, figures->count), figures->count};
    MLIA_TRY_ALLOC(copy->items);
    if (copy->count > 0)
        memcpy(copy->items, figures->items, copy->count * sizeof *copy->items);
    return NULL;
}

static bool can_be_added(const mlia_figure *figure)
{
    return !figure->metric->unavailable && mlia_str_equal(figure->metric->aggregation, MLIA_STR("sum"));
}

static bool samples_fit(const mlia_figure *a, const mlia_figure *b)
{
    if (!a->has_samples && !b->has_samples)
        return true;
    return a->has_samples && b->has_samples && a->samples >= 0 && b->samples >= 0 &&
           a->samples <= (int64_t)MLIA_FIGURE_MAX && b->samples <= (int64_t)MLIA_FIGURE_MAX &&
           a->samples + b->samples <= (int64_t)MLIA_FIGURE_MAX;
}

/* Neumaier's running compensation: the error of an addition is kept beside the sum. */
static void add_value(mlia_figure *figure, double value)
{
    double sum = figure->value + value;
    if (fabs(figure->value) >= fabs(value))
        figure->compensation += (figure->value - sum) + value;
    else
        figure->compensation += (value - sum) + figure->value;
    figure->value = sum;
}

void mlia_figures_add(mlia_figures *sum, const mlia_figures *more)
{
    size_t kept = 0;
    size_t k = 0;
    for (size_t i = 0; i < sum->count; i++) {
        mlia_figure figure = sum->items[i];
        while (k < more->count && compare_figures(&more->items[k], &figure) < 0)
            k++;
        if (k == more->count || compare_figures(&more->items[k], &figure) != 0)
            continue;
        const mlia_figure *other = &more->items[k];
        if (!can_be_added(&figure) || !can_be_added(other) || !samples_fit(&figure, other))
            continue;
        add_value(&figure, other->value + other->compensation);
        figure.samples += other->samples;
        sum->items[kept++] = figure;
    }
    sum->count = kept;
}

void mlia_figures_settle(mlia_figures *sum)
{
    size_t kept = 0;
    for (size_t i = 0; i < sum->count; i++) {
        mlia_figure figure = sum->items[i];
        figure.value += figure.compensation;
        figure.compensation = 0;
        if (isfinite(figure.value) && fabs(figure.value) <= MLIA_FIGURE_MAX)
            sum->items[kept++] = figure;
    }
    sum->count = kept;
}

bool mlia_figures_equal(const mlia_figures *a, const mlia_figures *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (compare_figures(&a->items[i], &b->items[i]) != 0 || !same_content(&a->items[i], &b->items[i]))
            return false;
    return true;
}
