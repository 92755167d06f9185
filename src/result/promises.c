/* What this program promises of the results it writes beyond R1-R5: rules R6-R11. */
#include <math.h>
#include <stdlib.h>

#include "result/build.h"
#include "result/check.h"
#include "result/order.h"

typedef struct promiser {
    const mlia_result *result;
    mlia_arena *scratch;
    mlia_faults *faults;
    mlia_result_index index;
    double *sums; /* values of figures that add up, by number of the figure */
} promiser;

/* R6: one breakdown per entity and qualifiers. */
static mlia_status *check_breakdowns_differ(promiser *p, const mlia_step *at)
{
    mlia_map seen = mlia_map_in(p->scratch);
    mlia_step list = mlia_step_member(at, "breakdowns");
    for (size_t i = 0; i < p->result->breakdowns.count; i++) {
        const mlia_breakdown *breakdown = &p->result->breakdowns.items[i];
        mlia_str qualifiers = mlia_value_key(p->scratch, breakdown->qualifiers);
        MLIA_TRY_ALLOC(qualifiers.data);
        mlia_str key = mlia_arena_format(p->scratch, "%.*s\n%.*s", MLIA_STR_ARG(breakdown->entity_id),
                                         MLIA_STR_ARG(qualifiers));
        MLIA_TRY_ALLOC(key.data);
        bool is_new;
        MLIA_TRY_ALLOC(mlia_map_insert(&seen, key, 0, &is_new));
        mlia_step place = mlia_step_item(&list, i);
        if (!is_new)
            mlia_fault_add(p->faults, "R6", &place, "a second breakdown of '%.*s' with the same qualifiers",
                           MLIA_SHORT_ARG(breakdown->entity_id));
    }
    return NULL;
}

typedef struct metric_key {
    mlia_str name;
    mlia_str unit;
    mlia_str qualifiers;
    size_t position;
} metric_key;

static int compare_metric_keys(const void *left, const void *right)
{
    const metric_key *a = left;
    const metric_key *b = right;
    int order = mlia_str_compare(a->name, b->name);
    if (order == 0)
        order = mlia_str_compare(a->unit, b->unit);
    return order != 0 ? order : mlia_str_compare(a->qualifiers, b->qualifiers);
}

/* R7: a metric stands once in its list. */
static mlia_status *check_metrics_differ(promiser *p, const mlia_metrics *metrics, const mlia_step *list)
{
    metric_key *keys = calloc(metrics->count + 1, sizeof *keys);
    MLIA_TRY_ALLOC(keys);
    mlia_status *status = NULL;
    for (size_t i = 0; i < metrics->count && status == NULL; i++) {
        const mlia_metric *metric = &metrics->items[i];
        keys[i] = (metric_key){metric->name, metric->unit, mlia_value_key(p->scratch, metric->qualifiers), i};
        if (keys[i].qualifiers.data == NULL)
            status = mlia_error_memory();
    }
    if (status == NULL)
        qsort(keys, metrics->count, sizeof *keys, compare_metric_keys);
    for (size_t i = 1; i < metrics->count && status == NULL; i++) {
        mlia_step place = mlia_step_item(list, keys[i].position);
        if (compare_metric_keys(&keys[i - 1], &keys[i]) == 0)
            mlia_fault_add(p->faults, "R7", &place, "the metric '%.*s' stands twice",
                           MLIA_SHORT_ARG(keys[i].name));
    }
    free(keys);
    return status;
}

static bool is_counted(mlia_str unit)
{
    return mlia_str_equal(unit, MLIA_STR("cycles")) || mlia_str_equal(unit, MLIA_STR("bytes")) ||
           mlia_str_equal(unit, MLIA_STR("count"));
}

/* R9: range of a figure. */
static void check_figure(promiser *p, const mlia_metric *metric, const mlia_step *place)
{
    double value = metric->value;
    if (metric->unavailable)
        return;
    if (!(value >= 0) || value > MLIA_FIGURE_MAX)
        mlia_fault_add(p->faults, "R9", place, "%.*s is %.17g; figures lie between 0 and 2^53-1",
                       MLIA_SHORT_ARG(metric->name), value);
    else if (is_counted(metric->unit) && value != trunc(value))
        mlia_fault_add(p->faults, "R9", place, "%.*s is %.17g; %.*s are whole", MLIA_SHORT_ARG(metric->name),
                       value, MLIA_SHORT_ARG(metric->unit));
    else if (mlia_str_equal(metric->unit, MLIA_STR("%")) && value > 100)
        mlia_fault_add(p->faults, "R9", place, "%.*s is %.17g %%", MLIA_SHORT_ARG(metric->name), value);
}

static mlia_status *check_metrics(promiser *p, const mlia_metrics *metrics, const mlia_step *owner)
{
    mlia_step list = mlia_step_member(owner, "metrics");
    for (size_t i = 0; i < metrics->count; i++) {
        mlia_step place = mlia_step_item(&list, i);
        check_figure(p, &metrics->items[i], &place);
    }
    return check_metrics_differ(p, metrics, &list);
}

/* R8: both ends of an edge name each other, once. */
static mlia_status *check_both_sides(promiser *p, const mlia_step *entities)
{
    mlia_edges sides[2] = {{0}, {0}};
    for (uint32_t i = 0; i < p->index.count; i++) {
        const mlia_texts *lists[2] = {&p->result->entities.items[i].child_ids,
                                      &p->result->entities.items[i].parent_ids};
        for (size_t side = 0; side < 2; side++)
            for (size_t k = 0; k < lists[side]->count; k++) {
                const uint32_t *other = mlia_map_find(&p->index.ids, lists[side]->items[k]);
                if (other == NULL)
                    continue;
                mlia_edge edge = side == 0 ? (mlia_edge){i, *other} : (mlia_edge){*other, i};
                if (!MLIA_APPEND(p->scratch, sides[side], edge))
                    return mlia_error_memory();
            }
    }
    for (size_t side = 0; side < 2; side++)
        mlia_edges_normalise(&sides[side]);
    size_t next[2] = {0, 0};
    for (size_t i = 0; i < p->index.edges.count; i++) {
        mlia_edge edge = p->index.edges.items[i];
        bool written[2];
        for (size_t side = 0; side < 2; side++) {
            bool more = next[side] < sides[side].count;
            mlia_edge item = more ? sides[side].items[next[side]] : (mlia_edge){0};
            written[side] = more && item.from == edge.from && item.to == edge.to;
            next[side] += written[side];
        }
        mlia_step place = mlia_step_item(entities, written[0] ? edge.to : edge.from);
        if (!written[0] || !written[1])
            mlia_fault_add(p->faults, "R8", &place,
                           "the edge '%.*s' -> '%.*s' is written on the other side only",
                           MLIA_SHORT_ARG(p->result->entities.items[edge.from].id),
                           MLIA_SHORT_ARG(p->result->entities.items[edge.to].id));
    }
    return NULL;
}

/* Key of a figure that must be the sum of its parts; data NULL: out of memory. */
static mlia_str figure_key(promiser *p, mlia_str entity, const mlia_breakdown *breakdown,
                           const mlia_metric *metric)
{
    mlia_str outer = mlia_value_key(p->scratch, breakdown->qualifiers);
    mlia_str inner = mlia_value_key(p->scratch, metric->qualifiers);
    if (outer.data == NULL || inner.data == NULL)
        return MLIA_STR_NONE;
    return mlia_arena_format(p->scratch, "%.*s\n%.*s\n%.*s\n%.*s", MLIA_STR_ARG(entity), MLIA_STR_ARG(outer),
                             MLIA_STR_ARG(metric->name), MLIA_STR_ARG(inner));
}

static bool is_part_of_sums(const mlia_breakdown *breakdown, const mlia_metric *metric)
{
    return breakdown->id.size > 0 && !metric->unavailable &&
           mlia_str_equal(metric->aggregation, MLIA_STR("sum"));
}

/* Does R10 apply: a segment, cascade or chain whose children have no other parent? */
static bool has_own_children(const promiser *p, uint32_t entity)
{
    mlia_str kind = p->result->entities.items[entity].kind;
    if (!mlia_str_equal(kind, MLIA_STR("segment")) && !mlia_str_equal(kind, MLIA_STR("cascade")) &&
        !mlia_str_equal(kind, MLIA_STR("chain")))
        return false;
    uint32_t count = mlia_adjacent_count(&p->index.children, entity);
    for (uint32_t i = 0; i < count; i++)
        if (mlia_adjacent_count(&p->index.parents, mlia_adjacent(&p->index.children, entity)[i]) != 1)
            return false;
    return count > 0;
}

static mlia_status *check_sum(promiser *p, const mlia_map *figures, uint32_t entity,
                              const mlia_breakdown *breakdown, const mlia_metric *metric,
                              const mlia_step *place)
{
    double sum = 0;
    for (uint32_t i = 0; i < mlia_adjacent_count(&p->index.children, entity); i++) {
        uint32_t child = mlia_adjacent(&p->index.children, entity)[i];
        mlia_str key = figure_key(p, p->result->entities.items[child].id, breakdown, metric);
        MLIA_TRY_ALLOC(key.data);
        const uint32_t *part = mlia_map_find(figures, key);
        if (part == NULL)
            return NULL;
        sum += p->sums[*part];
    }
    if (sum != metric->value)
        mlia_fault_add(p->faults, "R10", place, "%.*s of '%.*s' is %.17g, its parts sum to %.17g",
                       MLIA_SHORT_ARG(metric->name), MLIA_SHORT_ARG(breakdown->entity_id), metric->value,
                       sum);
    return NULL;
}

/* R10: figures of a segment, cascade or chain are the sums over its children. */
static mlia_status *check_sums(promiser *p, const mlia_step *at)
{
    mlia_map figures = mlia_map_in(p->scratch);
    size_t count = 0;
    for (size_t i = 0; i < p->result->breakdowns.count; i++)
        count += p->result->breakdowns.items[i].metrics.count;
    p->sums = MLIA_NEW_ARRAY(p->scratch, double, count);
    MLIA_TRY_ALLOC(p->sums);
    for (size_t i = 0; i < p->result->breakdowns.count; i++) {
        const mlia_breakdown *breakdown = &p->result->breakdowns.items[i];
        for (size_t k = 0; k < breakdown->metrics.count; k++) {
            const mlia_metric *metric = &breakdown->metrics.items[k];
            if (!is_part_of_sums(breakdown, metric))
                continue;
            mlia_str key = figure_key(p, breakdown->entity_id, breakdown, metric);
            MLIA_TRY_ALLOC(key.data);
            uint32_t *number = mlia_map_insert(&figures, key, (uint32_t)figures.count, NULL);
            MLIA_TRY_ALLOC(number);
            p->sums[*number] = metric->value;
        }
    }
    mlia_step list = mlia_step_member(at, "breakdowns");
    for (size_t i = 0; i < p->result->breakdowns.count; i++) {
        const mlia_breakdown *breakdown = &p->result->breakdowns.items[i];
        const uint32_t *entity = mlia_map_find(&p->index.ids, breakdown->entity_id);
        if (entity == NULL || !has_own_children(p, *entity))
            continue;
        mlia_step item = mlia_step_item(&list, i);
        for (size_t k = 0; k < breakdown->metrics.count; k++)
            if (is_part_of_sums(breakdown, &breakdown->metrics.items[k]))
                MLIA_TRY(check_sum(p, &figures, *entity, breakdown, &breakdown->metrics.items[k], &item));
    }
    return NULL;
}

static bool is_ascending(promiser *p, const mlia_texts *ids)
{
    for (size_t i = 1; i < ids->count; i++) {
        const uint32_t *previous = mlia_map_find(&p->index.ids, ids->items[i - 1]);
        const uint32_t *current = mlia_map_find(&p->index.ids, ids->items[i]);
        if (previous != NULL && current != NULL && *previous >= *current)
            return false;
    }
    return true;
}

static void check_entity_order(promiser *p, const mlia_step *entities)
{
    for (uint32_t i = 0; i < p->index.count; i++) {
        const mlia_entity *entity = &p->result->entities.items[i];
        mlia_step place = mlia_step_item(entities, i);
        if (i > 0 && mlia_entity_compare(entity - 1, entity) > 0)
            mlia_fault_add(p->faults, "R11", &place, "the entity is out of order");
        if (!is_ascending(p, &entity->parent_ids) || !is_ascending(p, &entity->child_ids))
            mlia_fault_add(p->faults, "R11", &place, "parent or child ids are out of order");
    }
}

/* Rank of a breakdown: authoritative ones in entity order, then the projected ones. */
static uint64_t breakdown_rank(promiser *p, const mlia_breakdown *breakdown)
{
    const uint32_t *place = mlia_map_find(&p->index.ids, breakdown->entity_id);
    return (uint64_t)(breakdown->id.size == 0) << 32 | (place != NULL ? *place : UINT32_MAX);
}

static mlia_status *check_breakdown_order(promiser *p, const mlia_step *at)
{
    mlia_step list = mlia_step_member(at, "breakdowns");
    for (size_t i = 1; i < p->result->breakdowns.count; i++) {
        const mlia_breakdown *pair = &p->result->breakdowns.items[i - 1];
        uint64_t ranks[2] = {breakdown_rank(p, &pair[0]), breakdown_rank(p, &pair[1])};
        mlia_str keys[2] = {mlia_value_key(p->scratch, pair[0].qualifiers),
                            mlia_value_key(p->scratch, pair[1].qualifiers)};
        if (keys[0].data == NULL || keys[1].data == NULL)
            return mlia_error_memory();
        mlia_step place = mlia_step_item(&list, i);
        if (ranks[0] > ranks[1] || (ranks[0] == ranks[1] && mlia_str_compare(keys[0], keys[1]) > 0))
            mlia_fault_add(p->faults, "R11", &place, "the breakdown is out of order");
    }
    return NULL;
}

static bool has_figures(const mlia_result *result)
{
    return result->kind == MLIA_RESULT_PERFORMANCE &&
           (result->status == MLIA_RESULT_STATUS_OK || result->status == MLIA_RESULT_STATUS_PARTIAL);
}

static void check_standard_metrics(promiser *p, const mlia_step *at)
{
    mlia_step place = mlia_step_member(at, "metrics");
    for (size_t i = 0; i < MLIA_STANDARD_METRIC_COUNT; i++) {
        const mlia_standard_metric *standard = &mlia_standard_metrics[i];
        const mlia_metric *metric = i < p->result->metrics.count ? &p->result->metrics.items[i] : NULL;
        if (metric == NULL || !mlia_str_equal(metric->name, standard->name)) {
            mlia_fault_add(p->faults, "R11", &place, "'%s' does not stand at position %zu",
                           standard->name.data, i);
            return;
        }
        if (!mlia_str_equal(metric->unit, standard->unit))
            mlia_fault_add(p->faults, "schema", &place, "the unit of '%s' is not '%s'", standard->name.data,
                           standard->unit.data);
    }
}

static void check_advice_order(promiser *p, const mlia_step *at)
{
    mlia_step list = mlia_step_member(at, "advice");
    for (size_t i = 1; i < p->result->advice.count; i++) {
        mlia_step place = mlia_step_item(&list, i);
        if (p->result->advice.items[i - 1].severity < p->result->advice.items[i].severity)
            mlia_fault_add(p->faults, "R11", &place, "the advice is out of order");
    }
}

static mlia_status *check_promises(promiser *p, const mlia_step *at)
{
    mlia_step entities = mlia_step_member(at, "entities");
    mlia_step list = mlia_step_member(at, "breakdowns");
    MLIA_TRY(mlia_result_index_make(p->scratch, p->result, &p->index));
    MLIA_TRY(check_breakdowns_differ(p, at));
    MLIA_TRY(check_metrics(p, &p->result->metrics, at));
    for (size_t i = 0; i < p->result->breakdowns.count; i++) {
        mlia_step item = mlia_step_item(&list, i);
        MLIA_TRY(check_metrics(p, &p->result->breakdowns.items[i].metrics, &item));
    }
    MLIA_TRY(check_both_sides(p, &entities));
    MLIA_TRY(check_sums(p, at));
    if (has_figures(p->result))
        check_standard_metrics(p, at);
    check_entity_order(p, &entities);
    MLIA_TRY(check_breakdown_order(p, at));
    check_advice_order(p, at);
    return NULL;
}

mlia_status *mlia_result_check_promises(const mlia_result *result, const mlia_step *at, mlia_faults *faults)
{
    promiser p = {.result = result, .faults = faults, .scratch = mlia_arena_new(0)};
    MLIA_TRY_ALLOC(p.scratch);
    mlia_status *status = check_promises(&p, at);
    mlia_arena_free(p.scratch);
    return status;
}
