/* Private to the text report: its parts. */
#ifndef MLIA_RENDER_TEXT_H
#define MLIA_RENDER_TEXT_H

#include "render/numbers.h"
#include "render/table.h"
#include "render/view.h"

/* Tables of a performance result: those of --group-by, or chains, memory, modules, code lines and what was
 * measured at run time. */
mlia_status *mlia_text_performance(const mlia_terminal *terminal, mlia_view *view);

/* Tables of a compatibility result: operators by level, then by type. */
mlia_status *mlia_text_compatibility(const mlia_terminal *terminal, const mlia_view *view);

/* One table of entities: flat by their main figure, modules as a tree, code lines by call path. */
mlia_status *mlia_text_flat_table(const mlia_terminal *terminal, mlia_view *view, mlia_str kind);
/* Shares of the total in which units were active, stalled and idle; nothing without hardware counters. */
mlia_status *mlia_text_activity_table(const mlia_terminal *terminal, mlia_view *view, mlia_str kind);
mlia_status *mlia_text_module_table(const mlia_terminal *terminal, mlia_view *view);
mlia_status *mlia_text_code_line_table(const mlia_terminal *terminal, mlia_view *view);

/* The figure that a table of a kind is sorted by: the first of total_cycles, runtime_total_time, op_cycles
 * that any entity of that kind has; an empty name when none has any. */
typedef struct mlia_main_figure {
    mlia_str name;
    mlia_str unit;
    double whole; /* of the model, for percentages; 0: unknown */
} mlia_main_figure;
mlia_main_figure mlia_text_main_figure(const mlia_view *view, mlia_str kind);

/* Entities of a kind that have `figure`, the largest first, ties in entity order. */
typedef struct mlia_text_row {
    uint32_t entity;
    double value;
} mlia_text_row;
typedef MLIA_LIST(mlia_text_row) mlia_text_rows;
mlia_status *mlia_text_collect_rows(const mlia_terminal *terminal, const mlia_view *view, mlia_str kind,
                                    mlia_str figure, mlia_text_rows *found);
/* Rows of so many that --top lets through. */
size_t mlia_text_row_limit(const mlia_terminal *terminal, size_t count);
/* "  Chains (3 of 3, by total_cycles)" behind an empty line. */
void mlia_text_put_title(const mlia_terminal *terminal, mlia_str title, size_t shown, size_t count,
                         mlia_str figure);

/* "Chain" for chain; the kind itself when it has no name of its own. */
mlia_str mlia_text_kind_title(mlia_str kind, bool plural);
/* Short name of an entity in tables: "0/1" for chain/segment_0/1, else its name. Shown text. */
mlia_str mlia_text_entity_name(const mlia_terminal *terminal, const mlia_view *view, uint32_t entity);
/* Names of operators, joined; at most MLIA_TEXT_NAMES. Shown text. */
enum { MLIA_TEXT_NAMES = 12 };
mlia_str mlia_text_join_names(const mlia_terminal *terminal, const mlia_view *view, const uint32_t *operators,
                              size_t count, const char *separator);
/* Cells of a figure and of its share of the whole; "-" when there is none. */
void mlia_text_figure_cell(const mlia_terminal *terminal, mlia_table *table, bool has_value, double value,
                           mlia_str unit);
void mlia_text_share_cell(const mlia_terminal *terminal, mlia_table *table, bool has_value, double value,
                          double whole);

#endif
