/* Tables of provenance: modules as a tree, code lines by call path. */
#include <stdlib.h>

#include "render/text.h"

/* A module that waits to be printed. */
typedef struct pending {
    uint32_t entity;
    uint32_t depth;
    double value;
    bool has_value;
} pending;

typedef MLIA_LIST(pending) pendings;

/* Largest figure last (a stack takes the last first), entities without figures before, ties in reverse order.
 */
static int compare_pending(const void *left, const void *right)
{
    const pending *a = left;
    const pending *b = right;
    if (a->has_value != b->has_value)
        return a->has_value ? 1 : -1;
    if (a->value != b->value)
        return a->value > b->value ? 1 : -1;
    return (a->entity < b->entity) - (a->entity > b->entity);
}

static mlia_status *push_sorted(const mlia_terminal *t, const mlia_view *view, mlia_str figure,
                                pendings *stack, const uint32_t *modules, size_t count, uint32_t depth)
{
    size_t first = stack->count;
    for (size_t i = 0; i < count; i++) {
        pending item = {.entity = modules[i], .depth = depth};
        if (!mlia_view_is_kind(view, modules[i], MLIA_STR("nn_module")))
            continue;
        item.has_value = mlia_view_figure(view, modules[i], figure, &item.value);
        if (!MLIA_APPEND(t->arena, *stack, item))
            return mlia_error_memory();
    }
    if (stack->count > first)
        qsort(stack->items + first, stack->count - first, sizeof *stack->items, compare_pending);
    return NULL;
}

/* A chain that a module's operators share with operators of other modules, or view->count. */
static uint32_t shared_chain(const mlia_view *view, const mlia_view_list *own)
{
    for (size_t i = 0; i < own->count; i++)
        for (uint32_t k = 0; k < view->entities[own->items[i]].parent_count; k++) {
            uint32_t parent = view->entities[own->items[i]].parents[k];
            if (!mlia_view_is_kind(view, parent, MLIA_STR("chain")) || view->entities[parent].figures == NULL)
                continue;
            if (view->entities[parent].child_count > 1)
                return parent;
        }
    return view->count;
}

/* Operators right below a module; when it has no figures because a chain of theirs has others too, that
 * chain. */
static mlia_status *own_operators(const mlia_terminal *t, const mlia_view *view, const pending *item,
                                  mlia_str *text)
{
    mlia_view_list own = {0};
    for (uint32_t i = 0; i < view->entities[item->entity].child_count; i++) {
        uint32_t child = view->entities[item->entity].children[i];
        if (mlia_view_is_kind(view, child, MLIA_STR("source_operator")) && !MLIA_APPEND(t->arena, own, child))
            return mlia_error_memory();
    }
    *text = mlia_text_join_names(t, view, own.items, own.count, ", ");
    uint32_t chain = item->has_value ? view->count : shared_chain(view, &own);
    if (chain < view->count) {
        mlia_str name = mlia_text_entity_name(t, view, chain);
        *text =
            mlia_arena_format(t->arena, "%.*s (shared: chain %.*s)", MLIA_STR_ARG(*text), MLIA_STR_ARG(name));
    }
    return NULL;
}

static void add_columns(const mlia_terminal *t, mlia_table *table, mlia_str title, size_t shown, size_t count)
{
    mlia_str text = shown < count
                        ? mlia_arena_format(t->arena, "%.*s (%zu of %zu)", MLIA_STR_ARG(title), shown, count)
                        : title;
    mlia_table_text_column(t, table, text, MLIA_ALIGN_TEXT, MLIA_STYLE_NAME);
    mlia_table_column(t, table, "Total", MLIA_ALIGN_FIGURE, MLIA_STYLE_HIGHLIGHT);
    mlia_table_column(t, table, "%", MLIA_ALIGN_FIGURE, MLIA_STYLE_PLAIN);
}

static mlia_status *put_modules(const mlia_terminal *t, const mlia_view *view, const mlia_main_figure *figure,
                                pendings *stack, size_t limit, mlia_table *table)
{
    enum { MOST_INDENT = 20 };
    bool *seen = MLIA_NEW_ARRAY(t->arena, bool, view->count);
    MLIA_TRY_ALLOC(seen);
    size_t rows = 0;
    while (stack->count > 0 && rows < limit) {
        pending item = stack->items[--stack->count];
        if (seen[item.entity])
            continue;
        seen[item.entity] = true;
        rows++;
        const mlia_view_entity *module = &view->entities[item.entity];
        uint32_t indent = 2 * (item.depth < MOST_INDENT ? item.depth : MOST_INDENT);
        mlia_str name = mlia_terminal_text(t, module->entity->name);
        mlia_table_cell(t, table,
                        mlia_arena_format(t->arena, "%*s%.*s", (int)indent, "", MLIA_STR_ARG(name)));
        mlia_text_figure_cell(t, table, item.has_value, item.value, figure->unit);
        mlia_text_share_cell(t, table, item.has_value, item.value, figure->whole);
        mlia_str operators;
        MLIA_TRY(own_operators(t, view, &item, &operators));
        mlia_table_cell(t, table, operators);
        MLIA_TRY(
            push_sorted(t, view, figure->name, stack, module->children, module->child_count, item.depth + 1));
    }
    return NULL;
}

static bool has_module_parent(const mlia_view *view, uint32_t entity)
{
    for (uint32_t i = 0; i < view->entities[entity].parent_count; i++)
        if (mlia_view_is_kind(view, view->entities[entity].parents[i], MLIA_STR("nn_module")))
            return true;
    return false;
}

mlia_status *mlia_text_module_table(const mlia_terminal *t, mlia_view *view)
{
    mlia_main_figure figure = mlia_text_main_figure(view, MLIA_STR("nn_module"));
    if (figure.name.size == 0)
        return NULL;
    mlia_view_list roots = {0};
    size_t count = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        if (!mlia_view_is_kind(view, i, MLIA_STR("nn_module")))
            continue;
        count++;
        if (!has_module_parent(view, i) && !MLIA_APPEND(t->arena, roots, i))
            return mlia_error_memory();
    }
    size_t limit = t->options.top == 0 || t->options.top > count ? count : t->options.top;
    pendings stack = {0};
    MLIA_TRY(push_sorted(t, view, figure.name, &stack, roots.items, roots.count, 0));
    mlia_table table = {0};
    add_columns(t, &table, MLIA_STR("Modules"), limit, count);
    mlia_table_column(t, &table, "own operators", MLIA_ALIGN_TEXT, MLIA_STYLE_PLAIN);
    MLIA_TRY(put_modules(t, view, &figure, &stack, limit, &table));
    mlia_terminal_end_line(t);
    mlia_table_print(t, &table, 2);
    return NULL;
}

/* How many calls lie above each code stack at least. */
static mlia_status *find_depths(const mlia_terminal *t, const mlia_view *view, uint32_t **depths)
{
    uint32_t *queue = MLIA_NEW_ARRAY(t->arena, uint32_t, view->count);
    *depths = MLIA_NEW_ARRAY(t->arena, uint32_t, view->count);
    MLIA_TRY_ALLOC(queue);
    MLIA_TRY_ALLOC(*depths);
    uint32_t end = 0;
    mlia_str kind = MLIA_STR("code_stack");
    for (uint32_t i = 0; i < view->count; i++) {
        bool is_outermost = mlia_view_is_kind(view, i, kind);
        for (uint32_t k = 0; k < view->entities[i].parent_count && is_outermost; k++)
            is_outermost = !mlia_view_is_kind(view, view->entities[i].parents[k], kind);
        (*depths)[i] = is_outermost ? 0 : UINT32_MAX;
        if (is_outermost)
            queue[end++] = i;
    }
    for (uint32_t i = 0; i < end; i++)
        for (uint32_t k = 0; k < view->entities[queue[i]].child_count; k++) {
            uint32_t child = view->entities[queue[i]].children[k];
            if (!mlia_view_is_kind(view, child, kind) || (*depths)[child] != UINT32_MAX)
                continue;
            (*depths)[child] = (*depths)[queue[i]] + 1;
            queue[end++] = child;
        }
    return NULL;
}

/* A code line and the group of lines with the same operators that it belongs to. */
typedef struct line {
    uint32_t entity;
    uint32_t group;
    uint32_t depth;
} line;

static int compare_lines(const void *left, const void *right)
{
    const line *a = left;
    const line *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return (a->entity > b->entity) - (a->entity < b->entity);
}

/* Lines that lead to exactly the same operators: one row, outermost call first. */
typedef struct path {
    size_t first; /* of its lines */
    size_t count;
    double value;
    bool has_value;
} path;

static int compare_paths(const void *left, const void *right)
{
    const path *a = left;
    const path *b = right;
    if (a->has_value != b->has_value)
        return a->has_value ? -1 : 1;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

typedef MLIA_LIST(line) lines;
typedef MLIA_LIST(path) paths;

static mlia_status *collect_lines(const mlia_terminal *t, mlia_view *view, const uint32_t *depths,
                                  lines *found)
{
    mlia_map groups = mlia_map_in(t->arena);
    for (uint32_t i = 0; i < view->count; i++) {
        if (!mlia_view_is_kind(view, i, MLIA_STR("code_line")))
            continue;
        mlia_view_list operators = {0};
        MLIA_TRY(mlia_view_operators(t->arena, view, i, &operators));
        mlia_str key = {(const char *)operators.items, operators.count * sizeof *operators.items};
        if (operators.count == 0) /* nothing to tell it by: a row of its own */
            key = view->entities[i].entity->id;
        uint32_t *group = mlia_map_insert(&groups, key, (uint32_t)groups.count, NULL);
        MLIA_TRY_ALLOC(group);
        line item = {i, *group, UINT32_MAX};
        for (uint32_t k = 0; k < view->entities[i].child_count; k++) {
            uint32_t depth = depths[view->entities[i].children[k]];
            item.depth = depth < item.depth ? depth : item.depth;
        }
        if (!MLIA_APPEND(t->arena, *found, item))
            return mlia_error_memory();
    }
    if (found->count > 0)
        qsort(found->items, found->count, sizeof *found->items, compare_lines);
    return NULL;
}

static mlia_status *collect_paths(const mlia_terminal *t, const mlia_view *view, mlia_str figure,
                                  const lines *all, paths *found)
{
    for (size_t i = 0, end; i < all->count; i = end) {
        path item = {.first = i};
        for (end = i; end < all->count && all->items[end].group == all->items[i].group; end++)
            item.has_value =
                item.has_value || mlia_view_figure(view, all->items[end].entity, figure, &item.value);
        item.count = end - i;
        if (!MLIA_APPEND(t->arena, *found, item))
            return mlia_error_memory();
    }
    if (found->count > 0)
        qsort(found->items, found->count, sizeof *found->items, compare_paths);
    return NULL;
}

static mlia_str path_name(const mlia_terminal *t, const mlia_view *view, const lines *all, const path *item)
{
    enum { MOST_CALLS = 16 };
    mlia_buffer text = {0};
    for (size_t i = 0; i < item->count; i++) {
        if (item->count > MOST_CALLS && i == MOST_CALLS / 2) {
            mlia_buffer_format(&text, " > (%zu calls)", item->count - MOST_CALLS);
            i += item->count - MOST_CALLS;
        }
        mlia_str name = mlia_text_entity_name(t, view, all->items[item->first + i].entity);
        mlia_buffer_format(&text, "%s%.*s", i == 0 ? "" : " > ", MLIA_STR_ARG(name));
    }
    mlia_str copy = mlia_arena_str(t->arena, mlia_buffer_str(&text));
    mlia_buffer_free(&text);
    return copy;
}

mlia_status *mlia_text_code_line_table(const mlia_terminal *t, mlia_view *view)
{
    mlia_main_figure figure = mlia_text_main_figure(view, MLIA_STR("code_line"));
    if (figure.name.size == 0)
        return NULL;
    uint32_t *depths;
    lines all = {0};
    paths found = {0};
    MLIA_TRY(find_depths(t, view, &depths));
    MLIA_TRY(collect_lines(t, view, depths, &all));
    MLIA_TRY(collect_paths(t, view, figure.name, &all, &found));
    if (found.items == NULL || all.items == NULL)
        return NULL;
    size_t limit = t->options.top == 0 || t->options.top > found.count ? found.count : t->options.top;
    mlia_table table = {0};
    add_columns(t, &table, MLIA_STR("Code lines"), limit, found.count);
    mlia_table_column(t, &table, "", MLIA_ALIGN_TEXT, MLIA_STYLE_PLAIN);
    for (size_t i = 0; i < limit; i++) {
        const path *item = &found.items[i];
        mlia_view_list operators = {0};
        MLIA_TRY(mlia_view_operators(t->arena, view, all.items[item->first].entity, &operators));
        mlia_table_cell(t, &table, path_name(t, view, &all, item));
        mlia_text_figure_cell(t, &table, item->has_value, item->value, figure.unit);
        mlia_text_share_cell(t, &table, item->has_value, item->value, figure.whole);
        mlia_table_cell(t, &table, mlia_text_join_names(t, view, operators.items, operators.count, ", "));
    }
    mlia_terminal_end_line(t);
    mlia_table_print(t, &table, 2);
    return NULL;
}
