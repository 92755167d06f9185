/* Index of a result for renderings. */
#include "render/view.h"

#include <stdlib.h>

static mlia_status *resolve(mlia_arena *arena, const mlia_view *view, const mlia_texts *ids,
                            uint32_t **positions, uint32_t *count)
{
    *positions = MLIA_NEW_ARRAY(arena, uint32_t, ids->count);
    MLIA_TRY_ALLOC(*positions);
    *count = 0;
    for (size_t i = 0; i < ids->count; i++) {
        const uint32_t *found = mlia_map_find(&view->ids, ids->items[i]);
        if (found != NULL)
            (*positions)[(*count)++] = *found;
    }
    return NULL;
}

mlia_status *mlia_view_make(mlia_arena *arena, const mlia_result *result, mlia_view *view)
{
    *view =
        (mlia_view){.result = result, .count = (uint32_t)result->entities.count, .ids = mlia_map_in(arena)};
    view->entities = MLIA_NEW_ARRAY(arena, mlia_view_entity, view->count);
    view->mark = MLIA_NEW_ARRAY(arena, uint32_t, view->count);
    MLIA_TRY_ALLOC(view->entities);
    MLIA_TRY_ALLOC(view->mark);
    for (uint32_t i = 0; i < view->count; i++)
        MLIA_TRY_ALLOC(mlia_map_insert(&view->ids, result->entities.items[i].id, i, NULL));
    for (uint32_t i = 0; i < view->count; i++) {
        mlia_view_entity *item = &view->entities[i];
        item->entity = &result->entities.items[i];
        MLIA_TRY(resolve(arena, view, &item->entity->child_ids, &item->children, &item->child_count));
        MLIA_TRY(resolve(arena, view, &item->entity->parent_ids, &item->parents, &item->parent_count));
    }
    for (size_t i = 0; i < result->breakdowns.count; i++) {
        const uint32_t *entity = mlia_map_find(&view->ids, result->breakdowns.items[i].entity_id);
        if (entity != NULL && view->entities[*entity].figures == NULL)
            view->entities[*entity].figures = &result->breakdowns.items[i];
    }
    return NULL;
}

bool mlia_view_figure(const mlia_view *view, uint32_t entity, mlia_str name, double *value)
{
    const mlia_breakdown *figures = view->entities[entity].figures;
    for (size_t i = 0; figures != NULL && i < figures->metrics.count; i++) {
        const mlia_metric *metric = &figures->metrics.items[i];
        if (metric->unavailable || !mlia_str_equal(metric->name, name))
            continue;
        *value = metric->value;
        return true;
    }
    return false;
}

bool mlia_view_metric(const mlia_view *view, mlia_str name, double *value)
{
    for (size_t i = 0; i < view->result->metrics.count; i++) {
        const mlia_metric *metric = &view->result->metrics.items[i];
        if (!mlia_str_equal(metric->name, name) || metric->unavailable)
            continue;
        *value = metric->value;
        return true;
    }
    return false;
}

bool mlia_view_is_kind(const mlia_view *view, uint32_t entity, mlia_str kind)
{
    return mlia_str_equal(view->entities[entity].entity->kind, kind);
}

mlia_str mlia_view_attribute(const mlia_view *view, uint32_t entity, mlia_str name)
{
    return mlia_value_get_str(view->entities[entity].entity->attributes, name);
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

mlia_status *mlia_view_operators(mlia_arena *arena, mlia_view *view, uint32_t entity,
                                 mlia_view_list *operators)
{
    enum { STEP_LIMIT = 1 << 25 };
    mlia_view_list stack = {0};
    view->stamp++;
    operators->count = 0;
    if (view->steps > STEP_LIMIT)
        return NULL;
    if (!MLIA_APPEND(arena, stack, entity))
        return mlia_error_memory();
    while (stack.count > 0) {
        uint32_t node = stack.items[--stack.count];
        if (view->mark[node] == view->stamp)
            continue;
        view->mark[node] = view->stamp;
        view->steps += view->entities[node].child_count + 1;
        if (mlia_view_is_kind(view, node, MLIA_STR("source_operator")) &&
            !MLIA_APPEND(arena, *operators, node))
            return mlia_error_memory();
        for (uint32_t i = 0; i < view->entities[node].child_count; i++)
            if (!MLIA_APPEND(arena, stack, view->entities[node].children[i]))
                return mlia_error_memory();
    }
    if (operators->count > 0)
        qsort(operators->items, operators->count, sizeof *operators->items, compare_numbers);
    return NULL;
}
