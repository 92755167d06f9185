/* Hardware counters of a measured result: in which share of the total were the units active, stalled, idle?
 *
 * Counters overlap in time and do not add up, so only the largest of each sort says something about an entity
 * as a whole: its busiest unit, its longest stall, and the share in which even the busiest unit was not
 * active. */
#include "render/text.h"

/* A counter by its figure: "ce" for ce_active_cycles, "rd_ll" for rd_ll_stall_cycles. */
typedef struct counter {
    mlia_str figure;
    mlia_str unit;
} counter;

typedef MLIA_LIST(counter) counters;

typedef struct activity {
    counters active;
    counters stalled;
} activity;

static mlia_status *add_counter(const mlia_terminal *t, mlia_str figure, mlia_str suffix, counters *list)
{
    if (!mlia_str_ends_with(figure, suffix) || figure.size == suffix.size)
        return NULL;
    counter item = {figure, mlia_str_slice(figure, 0, figure.size - suffix.size)};
    return MLIA_APPEND(t->arena, *list, item) ? NULL : mlia_error_memory();
}

/* The counters of the first entity that has any; all entities of a result have the same. nx_active is the
 * total itself and no unit. */
static mlia_status *find_counters(const mlia_terminal *t, const mlia_view *view, const mlia_text_rows *rows,
                                  activity *found)
{
    for (size_t i = 0; i < rows->count && found->active.count == 0; i++) {
        const mlia_breakdown *figures = view->entities[rows->items[i].entity].figures;
        for (size_t m = 0; figures != NULL && m < figures->metrics.count; m++) {
            mlia_str name = figures->metrics.items[m].name;
            if (mlia_str_equal_c(name, "nx_active_cycles"))
                continue;
            MLIA_TRY(add_counter(t, name, MLIA_STR("_active_cycles"), &found->active));
            MLIA_TRY(add_counter(t, name, MLIA_STR("_stall_cycles"), &found->stalled));
        }
    }
    return NULL;
}

/* Largest counter of a list; its unit is "-" when all are 0. */
static double largest(const mlia_view *view, uint32_t entity, const counters *list, mlia_str *unit)
{
    double most = 0;
    *unit = MLIA_STR("-");
    for (size_t i = 0; i < list->count; i++) {
        double value;
        if (mlia_view_figure(view, entity, list->items[i].figure, &value) && value > most) {
            most = value;
            *unit = list->items[i].unit;
        }
    }
    return most;
}

static void add_columns(const mlia_terminal *t, mlia_table *table, mlia_str kind, const activity *found)
{
    mlia_table_column(t, table, "", MLIA_ALIGN_TEXT, MLIA_STYLE_NAME);
    table->columns.items[0].title = mlia_terminal_text(t, mlia_text_kind_title(kind, false));
    mlia_table_column(t, table, "Busiest unit", MLIA_ALIGN_TEXT, MLIA_STYLE_PLAIN);
    mlia_table_column(t, table, "Active %", MLIA_ALIGN_FIGURE, MLIA_STYLE_HIGHLIGHT);
    mlia_table_column(t, table, "Longest stall", MLIA_ALIGN_TEXT, MLIA_STYLE_PLAIN);
    mlia_table_column(t, table, "Stall %", MLIA_ALIGN_FIGURE, MLIA_STYLE_HIGHLIGHT);
    mlia_table_column(t, table, "Idle %", MLIA_ALIGN_FIGURE, MLIA_STYLE_PLAIN);
    for (size_t i = 0; i < found->active.count; i++) {
        mlia_table_column(t, table, "", MLIA_ALIGN_FIGURE, MLIA_STYLE_PLAIN);
        if (!table->failed)
            table->columns.items[table->columns.count - 1].title =
                mlia_terminal_text(t, found->active.items[i].unit);
    }
}

static void put_row(const mlia_terminal *t, const mlia_view *view, mlia_text_row row, const activity *found,
                    mlia_table *table)
{
    mlia_str busiest;
    mlia_str stall;
    double active = largest(view, row.entity, &found->active, &busiest);
    double stalled = largest(view, row.entity, &found->stalled, &stall);
    mlia_table_cell(t, table, mlia_text_entity_name(t, view, row.entity));
    mlia_table_cell(t, table, mlia_terminal_text(t, busiest));
    mlia_text_share_cell(t, table, true, active, row.value);
    mlia_table_cell(t, table, mlia_terminal_text(t, stall));
    mlia_text_share_cell(t, table, true, stalled, row.value);
    mlia_text_share_cell(t, table, true, active < row.value ? row.value - active : 0, row.value);
    for (size_t i = 0; i < found->active.count; i++) {
        double value = 0;
        bool has = mlia_view_figure(view, row.entity, found->active.items[i].figure, &value);
        mlia_text_share_cell(t, table, has, value, row.value);
    }
}

mlia_status *mlia_text_activity_table(const mlia_terminal *t, mlia_view *view, mlia_str kind)
{
    mlia_str total = MLIA_STR("total_cycles");
    mlia_text_rows rows = {0};
    activity found = {0};
    if (view->result->mode != MLIA_RESULT_MODE_MEASURED)
        return NULL;
    MLIA_TRY(mlia_text_collect_rows(t, view, kind, total, &rows));
    MLIA_TRY(find_counters(t, view, &rows, &found));
    if (found.active.count == 0)
        return NULL;
    size_t shown = mlia_text_row_limit(t, rows.count);
    mlia_table table = {0};
    add_columns(t, &table, kind, &found);
    for (size_t i = 0; i < shown; i++)
        put_row(t, view, rows.items[i], &found, &table);
    mlia_text_put_title(t, MLIA_STR("Activity in % of total_cycles, counters overlap"), shown, rows.count,
                        total);
    mlia_table_print(t, &table, 2);
    return NULL;
}
