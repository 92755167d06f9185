/* Sorting of a result. All keys are total, so that no sort depends on the order of what came in; where the
 * producer's order counts, the position is the last key. */
#include "result/order.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/map.h"
#include "result/document.h"

static const mlia_str kind_ranks[] = {
    MLIA_STR_INIT("model"),         MLIA_STR_INIT("segment"),           MLIA_STR_INIT("cascade"),
    MLIA_STR_INIT("chain"),         MLIA_STR_INIT("performance_group"), MLIA_STR_INIT("stripe"),
    MLIA_STR_INIT("delegate_call"), MLIA_STR_INIT("nn_module"),         MLIA_STR_INIT("code_stack"),
    MLIA_STR_INIT("code_line"),
};
enum { OTHER_KIND = sizeof kind_ranks / sizeof *kind_ranks, SOURCE_OPERATOR };

const mlia_standard_metric mlia_standard_metrics[MLIA_STANDARD_METRIC_COUNT] = {
    {MLIA_STR_INIT("accelerator_operator_percentage"), MLIA_STR_INIT("%"),
     MLIA_STR_INIT("Accelerator operator placement data is not available.")},
    {MLIA_STR_INIT("inferences_per_second"), MLIA_STR_INIT("inferences/s"),
     MLIA_STR_INIT("Inference throughput data is not available.")},
    {MLIA_STR_INIT("cpu_utilization"), MLIA_STR_INIT("%"),
     MLIA_STR_INIT("CPU utilization data is not available.")},
    {MLIA_STR_INIT("target_utilization"), MLIA_STR_INIT("%"),
     MLIA_STR_INIT("Target utilization data is not available.")},
    {MLIA_STR_INIT("inference_time"), MLIA_STR_INIT("ms"),
     MLIA_STR_INIT("Inference latency data is not available.")},
    {MLIA_STR_INIT("model_weight_memory"), MLIA_STR_INIT("bytes"),
     MLIA_STR_INIT("Model weight memory data is not available.")},
    {MLIA_STR_INIT("peak_activation_memory"), MLIA_STR_INIT("bytes"),
     MLIA_STR_INIT("Peak activation memory data is not available.")},
    {MLIA_STR_INIT("average_memory"), MLIA_STR_INIT("bytes"),
     MLIA_STR_INIT("Average memory data is not available.")},
};

unsigned mlia_standard_metric_rank(mlia_str name)
{
    unsigned rank = 0;
    while (rank < MLIA_STANDARD_METRIC_COUNT && !mlia_str_equal(mlia_standard_metrics[rank].name, name))
        rank++;
    return rank;
}

unsigned mlia_kind_rank(mlia_str kind)
{
    if (mlia_str_equal(kind, MLIA_STR("source_operator")))
        return SOURCE_OPERATOR;
    unsigned rank = 0;
    while (rank < OTHER_KIND && !mlia_str_equal(kind_ranks[rank], kind))
        rank++;
    return rank;
}

/* An item to be sorted: by rank, then name, then id in natural order, then where it stood. */
typedef struct sort_item {
    uint32_t rank;
    uint32_t position;
    mlia_str name; /* empty: not compared */
    mlia_str id;   /* empty: not compared */
} sort_item;

static int compare_items(const void *left, const void *right)
{
    const sort_item *a = left;
    const sort_item *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    int order = mlia_str_compare(a->name, b->name);
    if (order == 0)
        order = mlia_str_compare_natural(a->id, b->id);
    return order != 0 ? order : (a->position > b->position) - (a->position < b->position);
}

static sort_item entity_item(const mlia_entity *entity, uint32_t position)
{
    unsigned rank = mlia_kind_rank(entity->kind);
    return (sort_item){rank, position, rank == OTHER_KIND ? entity->kind : MLIA_STR_NONE, entity->id};
}

int mlia_entity_compare(const mlia_entity *a, const mlia_entity *b)
{
    sort_item left = entity_item(a, 0);
    sort_item right = entity_item(b, 0);
    return compare_items(&left, &right);
}

/* Sorts `items` and moves the `size`-byte structs of `array` accordingly. */
static bool apply_order(mlia_arena *arena, sort_item *items, void *array, size_t count, size_t size)
{
    qsort(items, count, sizeof *items, compare_items);
    char *copy = mlia_arena_alloc(arena, count, size, _Alignof(max_align_t));
    if (copy == NULL)
        return false;
    if (count > 0)
        memcpy(copy, array, count * size);
    for (size_t i = 0; i < count; i++)
        memcpy((char *)array + i * size, copy + items[i].position * size, size);
    return true;
}

static int compare_members(const void *left, const void *right)
{
    return mlia_str_compare(((const mlia_member *)left)->name, ((const mlia_member *)right)->name);
}

void mlia_value_sort_members(mlia_value *object)
{
    if (object != NULL && object->count > 1)
        qsort(object->as.members, object->count, sizeof *object->as.members, compare_members);
}

/* Copy with all objects sorted by member name. */
static mlia_value *sorted_copy(mlia_arena *arena, const mlia_value *value) /* NOLINT(misc-no-recursion) */
{
    mlia_value *copy = MLIA_NEW(arena, mlia_value);
    if (copy == NULL)
        return NULL;
    *copy = *value;
    copy->capacity = value->count;
    if (value->type == MLIA_VALUE_ARRAY) {
        copy->as.items = MLIA_NEW_ARRAY(arena, mlia_value *, value->count);
        for (uint32_t i = 0; copy->as.items != NULL && i < value->count; i++)
            if ((copy->as.items[i] = sorted_copy(arena, value->as.items[i])) == NULL)
                return NULL;
        return copy->as.items != NULL ? copy : NULL;
    }
    if (value->type == MLIA_VALUE_OBJECT) {
        copy->as.members = MLIA_NEW_ARRAY(arena, mlia_member, value->count);
        for (uint32_t i = 0; copy->as.members != NULL && i < value->count; i++) {
            copy->as.members[i] =
                (mlia_member){value->as.members[i].name, sorted_copy(arena, value->as.members[i].value)};
            if (copy->as.members[i].value == NULL)
                return NULL;
        }
        if (copy->as.members == NULL)
            return NULL;
        mlia_value_sort_members(copy);
    }
    return copy;
}

mlia_str mlia_value_key(mlia_arena *arena, const mlia_value *value)
{
    if (value == NULL || value->count == 0)
        return MLIA_STR("{}");
    mlia_value *sorted = sorted_copy(arena, value);
    if (sorted == NULL)
        return MLIA_STR_NONE;
    mlia_buffer buffer = {0};
    mlia_value_write(sorted, -1, &buffer);
    mlia_str key = buffer.failed ? MLIA_STR_NONE : mlia_arena_str(arena, mlia_buffer_str(&buffer));
    mlia_buffer_free(&buffer);
    return key;
}

static bool order_entities(mlia_arena *arena, mlia_result *result)
{
    size_t count = result->entities.count;
    sort_item *items = MLIA_NEW_ARRAY(arena, sort_item, count);
    if (items == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        items[i] = entity_item(&result->entities.items[i], (uint32_t)i);
        mlia_value_sort_members(result->entities.items[i].attributes);
    }
    return apply_order(arena, items, result->entities.items, count, sizeof *result->entities.items);
}

/* Place of an entity; ids of nothing come last. */
static uint32_t place_of(const mlia_map *places, mlia_str id)
{
    const uint32_t *place = mlia_map_find(places, id);
    return place != NULL ? *place : UINT32_MAX;
}

static bool order_ids(mlia_arena *arena, const mlia_map *places, mlia_texts *ids)
{
    if (ids->count < 2)
        return true;
    sort_item *items = MLIA_NEW_ARRAY(arena, sort_item, ids->count);
    if (items == NULL)
        return false;
    for (size_t i = 0; i < ids->count; i++)
        items[i] = (sort_item){place_of(places, ids->items[i]), (uint32_t)i, MLIA_STR_NONE, ids->items[i]};
    if (!apply_order(arena, items, ids->items, ids->count, sizeof *ids->items))
        return false;
    size_t kept = 1;
    for (size_t i = 1; i < ids->count; i++)
        if (!mlia_str_equal(ids->items[kept - 1], ids->items[i]))
            ids->items[kept++] = ids->items[i];
    ids->count = kept;
    return true;
}

/* Authoritative breakdowns before projected ones, each in entity order, then by qualifiers. */
static bool order_breakdowns(mlia_arena *arena, const mlia_map *places, mlia_result *result)
{
    size_t count = result->breakdowns.count;
    sort_item *items = MLIA_NEW_ARRAY(arena, sort_item, count);
    if (items == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const mlia_breakdown *breakdown = &result->breakdowns.items[i];
        uint32_t place = place_of(places, breakdown->entity_id);
        place = place > INT32_MAX ? INT32_MAX : place;
        uint32_t projected = breakdown->id.size == 0 ? 1u << 31 : 0;
        items[i] = (sort_item){place | projected, (uint32_t)i, mlia_value_key(arena, breakdown->qualifiers),
                               MLIA_STR_NONE};
        if (items[i].name.data == NULL)
            return false;
    }
    return apply_order(arena, items, result->breakdowns.items, count, sizeof *result->breakdowns.items);
}

static bool order_checks(mlia_arena *arena, const mlia_map *places, mlia_result *result)
{
    size_t count = result->checks.count;
    sort_item *items = MLIA_NEW_ARRAY(arena, sort_item, count);
    if (items == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        items[i] = (sort_item){place_of(places, result->checks.items[i].entity_id), (uint32_t)i,
                               MLIA_STR_NONE, MLIA_STR_NONE};
    return apply_order(arena, items, result->checks.items, count, sizeof *result->checks.items);
}

static bool order_advice(mlia_arena *arena, const mlia_map *places, mlia_result *result)
{
    size_t count = result->advice.count;
    sort_item *items = MLIA_NEW_ARRAY(arena, sort_item, count);
    if (items == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        items[i] = (sort_item){MLIA_SEVERITY_ERROR - (uint32_t)result->advice.items[i].severity, (uint32_t)i,
                               MLIA_STR_NONE, MLIA_STR_NONE};
        if (!order_ids(arena, places, &result->advice.items[i].affected_entity_ids))
            return false;
    }
    return apply_order(arena, items, result->advice.items, count, sizeof *result->advice.items);
}

static bool order_model_metrics(mlia_arena *arena, mlia_result *result)
{
    size_t count = result->metrics.count;
    sort_item *items = MLIA_NEW_ARRAY(arena, sort_item, count);
    if (items == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        items[i] = (sort_item){mlia_standard_metric_rank(result->metrics.items[i].name), (uint32_t)i,
                               MLIA_STR_NONE, MLIA_STR_NONE};
    return apply_order(arena, items, result->metrics.items, count, sizeof *result->metrics.items);
}

/* Keeps the first of equal texts. */
static bool drop_repeated_texts(mlia_arena *arena, mlia_texts *texts)
{
    mlia_map seen = mlia_map_in(arena);
    size_t kept = 0;
    for (size_t i = 0; i < texts->count; i++) {
        bool is_new;
        if (mlia_map_insert(&seen, texts->items[i], 0, &is_new) == NULL)
            return false;
        if (is_new)
            texts->items[kept++] = texts->items[i];
    }
    texts->count = kept;
    return true;
}

static bool order_all(mlia_arena *arena, mlia_result *result)
{
    if (!order_entities(arena, result))
        return false;
    mlia_map places = mlia_map_in(arena);
    for (uint32_t i = 0; i < result->entities.count; i++)
        if (mlia_map_insert(&places, result->entities.items[i].id, i, NULL) == NULL)
            return false;
    for (size_t i = 0; i < result->entities.count; i++)
        if (!order_ids(arena, &places, &result->entities.items[i].parent_ids) ||
            !order_ids(arena, &places, &result->entities.items[i].child_ids))
            return false;
    return order_breakdowns(arena, &places, result) && order_checks(arena, &places, result) &&
           order_advice(arena, &places, result) && order_model_metrics(arena, result) &&
           drop_repeated_texts(arena, &result->warnings) && drop_repeated_texts(arena, &result->errors);
}

mlia_status *mlia_result_order(mlia_result *result)
{
    mlia_arena *scratch = mlia_arena_new(0);
    MLIA_TRY_ALLOC(scratch);
    bool done = order_all(scratch, result);
    mlia_arena_free(scratch);
    return done ? NULL : mlia_error_memory();
}
