/* Tables of a compatibility result: which operators run where and why, then counts by type. */
#include <stdlib.h>

#include "render/text.h"

/* Levels that get a table, in this order; operators of level TOSA are as they should be. */
static const char *const levels[] = {"Non-NX", "Shader", "TOSA"};
enum { LEVEL_COUNT = sizeof levels / sizeof *levels, LEVEL_TOSA = LEVEL_COUNT - 1 };

static unsigned level_of(const mlia_view *view, uint32_t entity)
{
    mlia_str level = mlia_view_attribute(view, entity, MLIA_STR("compat_level"));
    unsigned number = 0;
    while (number < LEVEL_COUNT && !mlia_str_equal_c(level, levels[number]))
        number++;
    return number;
}

/* The TOSA operator; what CUSTOM stands for says more. */
static mlia_str type_of(const mlia_view *view, uint32_t entity)
{
    static const char *const attributes[] = {"tosa_op", "operator_type", "target"};
    static const char *const kept[] = {"origin_type", "op_type"};
    mlia_str type = MLIA_STR_NONE;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes && type.size == 0; i++)
        type = mlia_view_attribute(view, entity, mlia_str_from_c(attributes[i]));
    for (size_t i = 0; i < sizeof kept / sizeof *kept && mlia_str_equal_c(type, "CUSTOM"); i++) {
        mlia_str origin = mlia_view_attribute(view, entity, mlia_str_from_c(kept[i]));
        type = origin.size > 0 ? origin : type;
    }
    if (type.size > 0)
        return type;
    const mlia_value *types =
        mlia_value_get(view->entities[entity].entity->attributes, MLIA_STR("operator_types"));
    if (types != NULL && types->type == MLIA_VALUE_ARRAY && types->count > 0 &&
        types->as.items[0]->type == MLIA_VALUE_STRING)
        return types->as.items[0]->as.string;
    return view->entities[entity].entity->name;
}

/* "Control flow cannot be lowered … (WHILE_LOOP with …)" of the first reason of a check. */
static mlia_str reason_of(const mlia_terminal *t, const mlia_check *check)
{
    const mlia_value *reasons = check != NULL ? mlia_value_get(check->details, MLIA_STR("reasons")) : NULL;
    if (reasons == NULL || reasons->type != MLIA_VALUE_ARRAY || reasons->count == 0)
        return MLIA_STR_NONE;
    mlia_str text = mlia_value_get_str(reasons->as.items[0], MLIA_STR("description"));
    mlia_str more = mlia_value_get_str(reasons->as.items[0], MLIA_STR("detail"));
    if (text.size > 0 && text.data[text.size - 1] == '.')
        text.size--;
    mlia_str whole = more.size == 0
                         ? text
                         : mlia_arena_format(t->arena, "%.*s: %.*s", MLIA_STR_ARG(text), MLIA_STR_ARG(more));
    return mlia_terminal_text(t, whole);
}

/* The check of each entity, NULL for none. */
static mlia_status *find_checks(const mlia_terminal *t, const mlia_view *view, const mlia_check ***checks)
{
    *checks = (const mlia_check **)MLIA_NEW_ARRAY(t->arena, mlia_check *, view->count);
    MLIA_TRY_ALLOC(*checks);
    for (size_t i = 0; i < view->result->checks.count; i++) {
        const mlia_check *check = &view->result->checks.items[i];
        const uint32_t *entity =
            check->entity_id.data != NULL ? mlia_map_find(&view->ids, check->entity_id) : NULL;
        if (entity != NULL && (*checks)[*entity] == NULL)
            (*checks)[*entity] = check;
    }
    return NULL;
}

static void put_level(const mlia_terminal *t, const mlia_view *view, const mlia_check *const *checks,
                      const char *level, size_t level_count, size_t operator_count)
{
    mlia_table table = {0};
    mlia_table_column(t, &table, "Operator", MLIA_ALIGN_TEXT, MLIA_STYLE_NAME);
    mlia_table_column(t, &table, "Type", MLIA_ALIGN_TEXT, MLIA_STYLE_PLAIN);
    mlia_table_column(t, &table, "Reason", MLIA_ALIGN_TEXT, MLIA_STYLE_PLAIN);
    size_t limit = t->options.top == 0 ? level_count : t->options.top;
    size_t shown = 0;
    for (uint32_t i = 0; i < view->count && shown < limit; i++) {
        if (!mlia_str_equal_c(mlia_view_attribute(view, i, MLIA_STR("compat_level")), level))
            continue;
        shown++;
        mlia_str id = view->entities[i].entity->id;
        if (mlia_str_starts_with(id, MLIA_STR("source_operator/")))
            id = mlia_str_slice(id, 16, SIZE_MAX);
        mlia_str name = mlia_arena_format(t->arena, "%.*s %.*s", MLIA_STR_ARG(id),
                                          MLIA_STR_ARG(view->entities[i].entity->name));
        mlia_table_cell(t, &table, mlia_terminal_text(t, name));
        mlia_table_cell(t, &table, mlia_terminal_text(t, type_of(view, i)));
        mlia_table_cell(t, &table, reason_of(t, checks[i]));
    }
    if (shown < level_count) {
        mlia_table_cell(t, &table, mlia_arena_format(t->arena, "%zu others", level_count - shown));
        mlia_table_cell(t, &table, MLIA_STR_NONE);
        mlia_table_cell(t, &table, MLIA_STR_NONE);
    }
    mlia_str title =
        mlia_arena_format(t->arena, "  %s (%zu of %zu operators)", level, level_count, operator_count);
    mlia_terminal_end_line(t);
    mlia_terminal_put(t, MLIA_STYLE_TITLE, title, 0);
    mlia_terminal_end_line(t);
    mlia_table_print(t, &table, 2);
}

/* One operator type and how many of it stand on each level. */
typedef struct type_row {
    mlia_str type;
    size_t count;
    size_t by_level[LEVEL_COUNT];
} type_row;

static int compare_types(const void *left, const void *right)
{
    const type_row *a = left;
    const type_row *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return mlia_str_compare(a->type, b->type);
}

typedef MLIA_LIST(type_row) type_rows;

static mlia_status *collect_types(const mlia_terminal *t, const mlia_view *view, type_rows *rows)
{
    mlia_map types = mlia_map_in(t->arena);
    for (uint32_t i = 0; i < view->count; i++) {
        unsigned level = level_of(view, i);
        if (level == LEVEL_COUNT)
            continue;
        mlia_str type = type_of(view, i);
        bool is_new;
        uint32_t *row = mlia_map_insert(&types, type, (uint32_t)rows->count, &is_new);
        MLIA_TRY_ALLOC(row);
        if (is_new && !MLIA_APPEND(t->arena, *rows, (type_row){.type = type}))
            return mlia_error_memory();
        rows->items[*row].count++;
        rows->items[*row].by_level[level]++;
    }
    if (rows->count > 0)
        qsort(rows->items, rows->count, sizeof *rows->items, compare_types);
    return NULL;
}

static void put_types(const mlia_terminal *t, const type_rows *rows)
{
    static const char *const titles[LEVEL_COUNT] = {"not NX", "Shader", "NX"};
    mlia_table table = {0};
    mlia_table_column(t, &table, "Type", MLIA_ALIGN_TEXT, MLIA_STYLE_NAME);
    mlia_table_column(t, &table, "Operators", MLIA_ALIGN_FIGURE, MLIA_STYLE_HIGHLIGHT);
    for (unsigned level = LEVEL_COUNT; level > 0; level--)
        mlia_table_column(t, &table, titles[level - 1], MLIA_ALIGN_FIGURE, MLIA_STYLE_PLAIN);
    size_t limit = t->options.top == 0 || t->options.top > rows->count ? rows->count : t->options.top;
    type_row rest = {.type = mlia_arena_format(t->arena, "%zu others", rows->count - limit)};
    for (size_t i = limit; i < rows->count; i++) {
        rest.count += rows->items[i].count;
        for (unsigned level = 0; level < LEVEL_COUNT; level++)
            rest.by_level[level] += rows->items[i].by_level[level];
    }
    for (size_t i = 0; i < limit + (limit < rows->count); i++) {
        const type_row *row = i < limit ? &rows->items[i] : &rest;
        mlia_table_cell(t, &table, mlia_terminal_text(t, row->type));
        mlia_table_cell(t, &table, mlia_show_whole(t->arena, (double)row->count));
        for (unsigned level = LEVEL_COUNT; level > 0; level--) {
            size_t count = row->by_level[level - 1];
            mlia_table_cell(t, &table, count > 0 ? mlia_show_whole(t->arena, (double)count) : MLIA_STR("-"));
        }
    }
    mlia_terminal_end_line(t);
    mlia_table_print(t, &table, 2);
}

mlia_status *mlia_text_compatibility(const mlia_terminal *t, const mlia_view *view)
{
    const mlia_check **checks;
    type_rows types = {0};
    size_t counts[LEVEL_COUNT + 1] = {0};
    MLIA_TRY(find_checks(t, view, &checks));
    for (uint32_t i = 0; i < view->count; i++)
        counts[level_of(view, i)]++;
    size_t all = view->count - counts[LEVEL_COUNT];
    for (unsigned level = 0; level < LEVEL_TOSA; level++)
        if (counts[level] > 0)
            put_level(t, view, checks, levels[level], counts[level], all);
    MLIA_TRY(collect_types(t, view, &types));
    if (types.count > 0)
        put_types(t, &types);
    return NULL;
}
