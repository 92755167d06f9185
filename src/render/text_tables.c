/* Tables of a performance result. */
#include <stdlib.h>

#include "render/text.h"

static const struct {
    const char *kind;
    const char *singular;
    const char *plural;
    bool is_partition; /* figures of different rows never overlap: running totals make sense */
} kind_titles[] = {
    {"chain", "Chain", "Chains", true},
    {"cascade", "Cascade", "Cascades", true},
    {"segment", "Segment", "Segments", true},
    {"performance_group", "Group", "Performance groups", true},
    {"stripe", "Stripe", "Stripes", true},
    {"source_operator", "Operator", "Operators", true},
    {"delegate_call", "Delegate call", "Delegate calls", true},
    {"code_stack", "Call path", "Call paths", false},
    {"nn_module", "Module", "Modules", false},
    {"code_line", "Code line", "Code lines", false},
};

mlia_str mlia_text_kind_title(mlia_str kind, bool plural)
{
    for (size_t i = 0; i < sizeof kind_titles / sizeof *kind_titles; i++)
        if (mlia_str_equal_c(kind, kind_titles[i].kind))
            return mlia_str_from_c(plural ? kind_titles[i].plural : kind_titles[i].singular);
    return kind;
}

static bool is_partition(mlia_str kind)
{
    for (size_t i = 0; i < sizeof kind_titles / sizeof *kind_titles; i++)
        if (mlia_str_equal_c(kind, kind_titles[i].kind))
            return kind_titles[i].is_partition;
    return false;
}

mlia_main_figure mlia_text_main_figure(const mlia_view *view, mlia_str kind)
{
    static const struct {
        const char *name;
        const char *unit;
    } figures[] = {{"total_cycles", "cycles"}, {"runtime_total_time", "ms"}, {"op_cycles", "cycles"}};
    for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
        mlia_main_figure figure = {mlia_str_from_c(figures[f].name), mlia_str_from_c(figures[f].unit), 0};
        double value;
        for (uint32_t i = 0; i < view->count; i++) {
            if (!mlia_view_is_kind(view, i, kind) || !mlia_view_figure(view, i, figure.name, &value))
                continue;
            (void)mlia_view_metric(view, f == 2 ? MLIA_STR("total_cycles") : figure.name, &figure.whole);
            return figure;
        }
    }
    return (mlia_main_figure){0};
}

mlia_str mlia_text_entity_name(const mlia_terminal *t, const mlia_view *view, uint32_t entity)
{
    const mlia_entity *item = view->entities[entity].entity;
    mlia_str file = mlia_view_attribute(view, entity, MLIA_STR("file"));
    const mlia_value *line = mlia_value_get(item->attributes, MLIA_STR("line"));
    if (file.size > 0 && line != NULL && line->type == MLIA_VALUE_INTEGER)
        return mlia_terminal_text(
            t, mlia_arena_format(t->arena, "%.*s:%lld", MLIA_STR_ARG(file), (long long)line->as.integer));
    static const char *const numbered[] = {"chain", "cascade", "stripe", "performance_group"};
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
        size_t prefix = strlen(numbered[i]);
        if (!mlia_str_equal_c(item->kind, numbered[i]) || !mlia_str_starts_with(item->id, item->kind) ||
            item->id.size <= prefix || item->id.data[prefix] != '/')
            continue;
        mlia_str rest = mlia_str_slice(item->id, prefix + 1, SIZE_MAX);
        if (mlia_str_starts_with(rest, MLIA_STR("segment_")))
            rest = mlia_str_slice(rest, 8, SIZE_MAX);
        return mlia_terminal_text(t, rest);
    }
    return mlia_terminal_text(t, item->name);
}

/* One layer of the user's model often is several operators of one name: it is shown once. */
mlia_str mlia_text_join_names(const mlia_terminal *t, const mlia_view *view, const uint32_t *operators,
                              size_t count, const char *separator)
{
    mlia_buffer text = {0};
    mlia_str shown[MLIA_TEXT_NAMES];
    size_t used = 0;
    size_t left_out = 0;
    for (size_t i = 0; i < count; i++) {
        mlia_str name = view->entities[operators[i]].entity->name;
        bool repeated = false;
        for (size_t k = 0; k < used && !repeated; k++)
            repeated = mlia_str_equal(shown[k], name);
        if (repeated)
            continue;
        if (used == MLIA_TEXT_NAMES) {
            left_out++;
            continue;
        }
        mlia_buffer_format(&text, "%s%.*s", used == 0 ? "" : separator, MLIA_STR_ARG(name));
        shown[used++] = name;
    }
    if (left_out > 0)
        mlia_buffer_format(&text, "%s%zu more", separator, left_out);
    mlia_str result = mlia_terminal_text(t, mlia_buffer_str(&text));
    mlia_buffer_free(&text);
    return result;
}

void mlia_text_figure_cell(const mlia_terminal *t, mlia_table *table, bool has_value, double value,
                           mlia_str unit)
{
    mlia_table_cell(t, table, has_value ? mlia_show_value(t->arena, value, unit) : MLIA_STR("-"));
}

void mlia_text_share_cell(const mlia_terminal *t, mlia_table *table, bool has_value, double value,
                          double whole)
{
    bool has_share = has_value && whole > 0;
    mlia_table_cell(t, table,
                    has_share ? mlia_show_decimals(t->arena, 100 * value / whole, 1) : MLIA_STR("-"));
}

static int compare_rows(const void *left, const void *right)
{
    const mlia_text_row *a = left;
    const mlia_text_row *b = right;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return (a->entity > b->entity) - (a->entity < b->entity);
}

mlia_status *mlia_text_collect_rows(const mlia_terminal *t, const mlia_view *view, mlia_str kind,
                                    mlia_str figure, mlia_text_rows *found)
{
    for (uint32_t i = 0; i < view->count; i++) {
        mlia_text_row item = {.entity = i};
        if (mlia_view_is_kind(view, i, kind) && mlia_view_figure(view, i, figure, &item.value) &&
            !MLIA_APPEND(t->arena, *found, item))
            return mlia_error_memory();
    }
    if (found->count > 0)
        qsort(found->items, found->count, sizeof *found->items, compare_rows);
    return NULL;
}

/* Columns behind the shares, by what the result knows: cycles or times. */
typedef struct detail {
    const char *figure;
    const char *title;
    const char *unit;
} detail;

static const detail cycle_details[] = {
    {"op_cycles", "Op", "cycles"}, {"dram_traffic_cycles", "DRAM", "cycles"}, {0}};
static const detail time_details[] = {{"runtime_average_time", "Mean", "ms"},
                                      {"runtime_min_time", "Min", "ms"},
                                      {"runtime_max_time", "Max", "ms"},
                                      {"runtime_event_count", "Events", "count"},
                                      {0}};

static bool any_has(const mlia_view *view, const mlia_text_rows *found, const char *figure)
{
    double value;
    for (size_t i = 0; i < found->count; i++)
        if (mlia_view_figure(view, found->items[i].entity, mlia_str_from_c(figure), &value))
            return true;
    return false;
}

/* What bounds an entity, in words; empty when it does not say. */
static mlia_str bound_of(const mlia_terminal *t, const mlia_view *view, uint32_t entity)
{
    mlia_str bound = mlia_view_attribute(view, entity, MLIA_STR("bound"));
    if (mlia_str_ends_with(bound, MLIA_STR("_cycles")))
        bound.size -= 7;
    mlia_str copy = mlia_arena_str(t->arena, bound);
    for (size_t i = 0; i < copy.size; i++)
        if (copy.data[i] == '_')
            ((char *)copy.data)[i] = ' ';
    return mlia_terminal_text(t, copy);
}

static void add_flat_columns(const mlia_terminal *t, mlia_table *table, mlia_str kind, bool operators,
                             const detail *details, const bool *used, bool bound)
{
    mlia_str title = mlia_terminal_text(t, mlia_text_kind_title(kind, false));
    mlia_table_text_column(t, table, title, MLIA_ALIGN_TEXT, MLIA_STYLE_NAME);
    if (operators)
        mlia_table_column(t, table, "Operators", MLIA_ALIGN_TEXT, MLIA_STYLE_PLAIN);
    mlia_table_column(t, table, "Total", MLIA_ALIGN_FIGURE, MLIA_STYLE_HIGHLIGHT);
    mlia_table_column(t, table, "%", MLIA_ALIGN_FIGURE, MLIA_STYLE_PLAIN);
    if (is_partition(kind))
        mlia_table_column(t, table, "Cum %", MLIA_ALIGN_FIGURE, MLIA_STYLE_PLAIN);
    for (size_t i = 0; details[i].figure != NULL; i++)
        if (used[i])
            mlia_table_column(t, table, details[i].title, MLIA_ALIGN_FIGURE, MLIA_STYLE_PLAIN);
    if (bound)
        mlia_table_column(t, table, "Bound", MLIA_ALIGN_TEXT, MLIA_STYLE_PLAIN);
}

/* "  Chains (3 of 3, by total_cycles)" behind an empty line */
void mlia_text_put_title(const mlia_terminal *t, mlia_str title, size_t shown, size_t count, mlia_str figure)
{
    mlia_terminal_end_line(t);
    mlia_terminal_spaces(t, 2);
    mlia_str text = mlia_arena_format(t->arena, "%.*s (%zu of %zu, by %.*s)", MLIA_STR_ARG(title), shown,
                                      count, MLIA_STR_ARG(figure));
    mlia_str visible = mlia_terminal_text(t, text);
    size_t width = mlia_text_width(visible);
    size_t left = t->options.width - 2;
    mlia_terminal_put_cut(t, MLIA_STYLE_TITLE, visible, width < left ? width : left);
    mlia_terminal_end_line(t);
}

size_t mlia_text_row_limit(const mlia_terminal *t, size_t count)
{
    return t->options.top == 0 || t->options.top > count ? count : t->options.top;
}

/* Everything a flat table needs to know of its rows. */
typedef struct flat {
    mlia_str kind;
    mlia_main_figure figure;
    mlia_text_rows found;
    const detail *details;
    bool used[4];
    bool operators;
    bool bound;
} flat;

static void put_flat_row(const mlia_terminal *t, mlia_table *table, const flat *f, mlia_str name,
                         mlia_str operators, double total, double running)
{
    mlia_table_cell(t, table, name);
    if (f->operators)
        mlia_table_cell(t, table, operators);
    mlia_text_figure_cell(t, table, true, total, f->figure.unit);
    mlia_text_share_cell(t, table, true, total, f->figure.whole);
    if (is_partition(f->kind))
        mlia_text_share_cell(t, table, true, running, f->figure.whole);
}

static mlia_status *put_flat_rows(const mlia_terminal *t, mlia_view *view, const flat *f, mlia_table *table)
{
    size_t limit = mlia_text_row_limit(t, f->found.count);
    double running = 0;
    mlia_view_list operators = {0};
    for (size_t i = 0; i < limit; i++) {
        uint32_t entity = f->found.items[i].entity;
        running += f->found.items[i].value;
        if (f->operators)
            MLIA_TRY(mlia_view_operators(t->arena, view, entity, &operators));
        put_flat_row(t, table, f, mlia_text_entity_name(t, view, entity),
                     mlia_text_join_names(t, view, operators.items, operators.count, "+"),
                     f->found.items[i].value, running);
        for (size_t d = 0; f->details[d].figure != NULL; d++) {
            double value = 0;
            bool has = mlia_view_figure(view, entity, mlia_str_from_c(f->details[d].figure), &value);
            if (f->used[d])
                mlia_text_figure_cell(t, table, has, value, mlia_str_from_c(f->details[d].unit));
        }
        if (f->bound)
            mlia_table_cell(t, table, bound_of(t, view, entity));
    }
    if (limit == f->found.count)
        return NULL;
    double rest = 0;
    for (size_t i = limit; i < f->found.count; i++)
        rest += f->found.items[i].value;
    put_flat_row(t, table, f, mlia_arena_format(t->arena, "%zu others", f->found.count - limit),
                 MLIA_STR_NONE, rest, running + rest);
    for (size_t d = 0; f->details[d].figure != NULL; d++)
        if (f->used[d])
            mlia_table_cell(t, table, MLIA_STR_NONE);
    if (f->bound)
        mlia_table_cell(t, table, MLIA_STR_NONE);
    return NULL;
}

/* Does any row that will be shown stand above operators? */
static mlia_status *has_operators(const mlia_terminal *t, mlia_view *view, const mlia_text_rows *found,
                                  bool *has)
{
    mlia_view_list operators = {0};
    *has = false;
    for (size_t i = 0; i < mlia_text_row_limit(t, found->count) && !*has; i++) {
        MLIA_TRY(mlia_view_operators(t->arena, view, found->items[i].entity, &operators));
        *has = operators.count > 0;
    }
    return NULL;
}

mlia_status *mlia_text_flat_table(const mlia_terminal *t, mlia_view *view, mlia_str kind)
{
    flat f = {.kind = kind, .figure = mlia_text_main_figure(view, kind)};
    if (f.figure.name.size == 0)
        return NULL;
    MLIA_TRY(mlia_text_collect_rows(t, view, kind, f.figure.name, &f.found));
    f.details = mlia_str_equal(f.figure.unit, MLIA_STR("ms")) ? time_details : cycle_details;
    for (size_t d = 0; f.details[d].figure != NULL; d++)
        f.used[d] = any_has(view, &f.found, f.details[d].figure) &&
                    !mlia_str_equal_c(f.figure.name, f.details[d].figure);
    MLIA_TRY(has_operators(t, view, &f.found, &f.operators));
    f.operators = f.operators && !mlia_str_equal(kind, MLIA_STR("source_operator"));
    for (size_t i = 0; i < f.found.count && !f.bound; i++)
        f.bound = mlia_view_attribute(view, f.found.items[i].entity, MLIA_STR("bound")).size > 0;
    mlia_table table = {0};
    add_flat_columns(t, &table, kind, f.operators, f.details, f.used, f.bound);
    MLIA_TRY(put_flat_rows(t, view, &f, &table));
    mlia_text_put_title(t, mlia_text_kind_title(kind, true), mlia_text_row_limit(t, f.found.count),
                        f.found.count, f.figure.name);
    mlia_table_print(t, &table, 2);
    return NULL;
}

/* Sum of a figure over the outermost kind of which every entity with figures has it; false when none has. */
static bool sum_over_result(const mlia_view *view, mlia_str figure, double *sum)
{
    static const char *const kinds[] = {"segment", "cascade", "chain"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        size_t count = 0;
        size_t having = 0;
        *sum = 0;
        for (uint32_t i = 0; i < view->count; i++) {
            double value;
            if (!mlia_view_is_kind(view, i, mlia_str_from_c(kinds[k])))
                continue;
            count++;
            if (!mlia_view_figure(view, i, figure, &value))
                continue;
            having++;
            *sum += value;
        }
        if (count > 0 && having == count)
            return true;
    }
    return false;
}

/* Memories are listed from the engine outwards; names that are not known here follow. */
static uint32_t memory_rank(mlia_str name)
{
    static const char *const known[] = {"l1", "l2", "system_cache", "dram"};
    uint32_t rank = 0;
    while (rank < sizeof known / sizeof *known && !mlia_str_equal_c(name, known[rank]))
        rank++;
    return rank;
}

static int compare_memories(const void *left, const void *right)
{
    const mlia_str *a = left;
    const mlia_str *b = right;
    uint32_t ranks[2] = {memory_rank(*a), memory_rank(*b)};
    if (ranks[0] != ranks[1])
        return ranks[0] < ranks[1] ? -1 : 1;
    return mlia_str_compare(*a, *b);
}

/* Names of memories: what stands before _traffic_cycles in any figure. */
static mlia_status *find_memories(const mlia_terminal *t, const mlia_view *view, mlia_texts *memories)
{
    mlia_str suffix = MLIA_STR("_traffic_cycles");
    mlia_map seen = mlia_map_in(t->arena);
    for (uint32_t i = 0; i < view->count; i++) {
        const mlia_breakdown *figures = view->entities[i].figures;
        for (size_t m = 0; figures != NULL && m < figures->metrics.count; m++) {
            mlia_str name = figures->metrics.items[m].name;
            if (!mlia_str_ends_with(name, suffix) || name.size == suffix.size)
                continue;
            name.size -= suffix.size;
            bool is_new;
            MLIA_TRY_ALLOC(mlia_map_insert(&seen, name, 0, &is_new));
            if (is_new && !MLIA_APPEND(t->arena, *memories, name))
                return mlia_error_memory();
        }
    }
    if (memories->count > 0)
        qsort(memories->items, memories->count, sizeof *memories->items, compare_memories);
    return NULL;
}

static mlia_status *put_memory_table(const mlia_terminal *t, const mlia_view *view)
{
    static const char *const suffixes[] = {"read_bytes", "write_bytes", "traffic_cycles"};
    mlia_texts memories = {0};
    double total = 0;
    MLIA_TRY(find_memories(t, view, &memories));
    if (memories.count == 0)
        return NULL;
    (void)mlia_view_metric(view, MLIA_STR("total_cycles"), &total);
    mlia_table table = {0};
    mlia_table_column(t, &table, "Memory", MLIA_ALIGN_TEXT, MLIA_STYLE_NAME);
    mlia_table_column(t, &table, "Read", MLIA_ALIGN_FIGURE, MLIA_STYLE_PLAIN);
    mlia_table_column(t, &table, "Written", MLIA_ALIGN_FIGURE, MLIA_STYLE_PLAIN);
    mlia_table_column(t, &table, "Traffic", MLIA_ALIGN_FIGURE, MLIA_STYLE_HIGHLIGHT);
    mlia_table_column(t, &table, "of total", MLIA_ALIGN_FIGURE, MLIA_STYLE_PLAIN);
    for (size_t i = 0; i < memories.count; i++) {
        mlia_table_cell(t, &table, mlia_terminal_text(t, memories.items[i]));
        double sum = 0;
        bool has = false;
        for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++) {
            mlia_str figure =
                mlia_arena_format(t->arena, "%.*s_%s", MLIA_STR_ARG(memories.items[i]), suffixes[s]);
            has = sum_over_result(view, figure, &sum);
            mlia_text_figure_cell(t, &table, has, sum, mlia_str_from_c(s < 2 ? "bytes" : "cycles"));
        }
        mlia_str share =
            has && total > 0 ? mlia_show_decimals(t->arena, 100 * sum / total, 1) : MLIA_STR("-");
        mlia_table_cell(t, &table,
                        share.size > 1 ? mlia_arena_format(t->arena, "%.*s %%", MLIA_STR_ARG(share)) : share);
    }
    mlia_terminal_end_line(t);
    mlia_table_print(t, &table, 2);
    return NULL;
}

static mlia_status *put_table(const mlia_terminal *t, mlia_view *view, mlia_str kind)
{
    if (mlia_str_equal(kind, MLIA_STR("nn_module")))
        return mlia_text_module_table(t, view);
    if (mlia_str_equal(kind, MLIA_STR("code_line")))
        return mlia_text_code_line_table(t, view);
    return mlia_text_flat_table(t, view, kind);
}

/* Does any entity of a kind have times of its own? */
static bool has_times(const mlia_view *view, mlia_str kind)
{
    double value;
    for (uint32_t i = 0; i < view->count; i++)
        if (mlia_view_is_kind(view, i, kind) &&
            mlia_view_figure(view, i, MLIA_STR("runtime_total_time"), &value))
            return true;
    return false;
}

mlia_status *mlia_text_performance(const mlia_terminal *t, mlia_view *view)
{
    for (size_t i = 0; i < t->options.group_count; i++) {
        MLIA_TRY(put_table(t, view, t->options.group_by[i]));
        MLIA_TRY(mlia_text_activity_table(t, view, t->options.group_by[i]));
    }
    if (t->options.group_count > 0)
        return NULL;
    MLIA_TRY(put_table(t, view, MLIA_STR("chain")));
    MLIA_TRY(mlia_text_activity_table(t, view, MLIA_STR("chain")));
    MLIA_TRY(put_memory_table(t, view));
    static const char *const timed[] = {"delegate_call", "source_operator"};
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        if (has_times(view, mlia_str_from_c(timed[i])))
            MLIA_TRY(put_table(t, view, mlia_str_from_c(timed[i])));
    MLIA_TRY(put_table(t, view, MLIA_STR("nn_module")));
    return put_table(t, view, MLIA_STR("code_line"));
}
