/* Layout and printing of tables. */
#include "render/table.h"

void mlia_table_text_column(const mlia_terminal *terminal, mlia_table *table, mlia_str title,
                            mlia_align align, mlia_style style)
{
    mlia_column column = {.title = title, .align = align, .style = style};
    table->failed = !MLIA_APPEND(terminal->arena, table->columns, column) || table->failed;
}

void mlia_table_column(const mlia_terminal *terminal, mlia_table *table, const char *title, mlia_align align,
                       mlia_style style)
{
    mlia_table_text_column(terminal, table, mlia_str_from_c(title), align, style);
}

void mlia_table_cell(const mlia_terminal *terminal, mlia_table *table, mlia_str text)
{
    table->failed = !MLIA_APPEND(terminal->arena, table->cells, text) || table->failed;
}

static void measure(mlia_table *table)
{
    for (size_t c = 0; c < table->columns.count; c++)
        table->columns.items[c].width = mlia_text_width(table->columns.items[c].title);
    for (size_t i = 0; i < table->cells.count; i++) {
        mlia_column *column = &table->columns.items[i % table->columns.count];
        size_t width = mlia_text_width(table->cells.items[i]);
        column->width = width > column->width ? width : column->width;
    }
}

static size_t total_width(const mlia_table *table, size_t gap)
{
    size_t total = 0;
    for (size_t c = 0; c < table->columns.count; c++)
        if (!table->columns.items[c].dropped)
            total += table->columns.items[c].width + gap;
    return total > 0 ? total - gap : 0;
}

/* The widest text column that may still give way, or NULL. */
static mlia_column *widest_text(mlia_table *table)
{
    mlia_column *widest = NULL;
    for (size_t c = 0; c < table->columns.count; c++) {
        mlia_column *column = &table->columns.items[c];
        if (column->align == MLIA_ALIGN_TEXT && column->width > MLIA_TABLE_TEXT_LEAST &&
            (widest == NULL || column->width > widest->width))
            widest = column;
    }
    return widest;
}

static mlia_column *last_figure(mlia_table *table)
{
    for (size_t c = table->columns.count; c > 1; c--)
        if (table->columns.items[c - 1].align == MLIA_ALIGN_FIGURE && !table->columns.items[c - 1].dropped)
            return &table->columns.items[c - 1];
    return NULL;
}

/* Makes the table fit; returns the space between columns. */
static size_t fit(mlia_table *table, size_t width)
{
    size_t gap = total_width(table, 2) <= width ? 2 : 1;
    while (total_width(table, gap) > width) {
        mlia_column *text = widest_text(table);
        mlia_column *figure = last_figure(table);
        if (text != NULL)
            text->width--;
        else if (figure != NULL)
            figure->dropped = true;
        else
            break;
    }
    return gap;
}

static void print_row(const mlia_terminal *terminal, const mlia_table *table, const mlia_str *cells,
                      bool is_title, size_t indent, size_t gap)
{
    bool first = true;
    mlia_terminal_spaces(terminal, indent);
    for (size_t c = 0; c < table->columns.count; c++) {
        const mlia_column *column = &table->columns.items[c];
        if (column->dropped)
            continue;
        if (!first)
            mlia_terminal_spaces(terminal, gap);
        first = false;
        mlia_str text = is_title ? column->title : cells[c];
        mlia_style style = is_title ? MLIA_STYLE_TITLE : column->style;
        if (column->align == MLIA_ALIGN_FIGURE)
            mlia_terminal_put_right(terminal, style, text, column->width);
        else
            mlia_terminal_put_cut(terminal, style, text, column->width);
    }
    mlia_terminal_end_line(terminal);
}

void mlia_table_print(const mlia_terminal *terminal, mlia_table *table, size_t indent)
{
    if (table->failed || table->columns.count == 0) {
        terminal->buffer->failed = true;
        return;
    }
    measure(table);
    size_t gap = fit(table, terminal->options.width > indent ? terminal->options.width - indent : 1);
    bool has_title = false;
    for (size_t c = 0; c < table->columns.count; c++)
        has_title = has_title || table->columns.items[c].title.size > 0;
    if (has_title)
        print_row(terminal, table, NULL, true, indent, gap);
    for (size_t i = 0; i < table->cells.count; i += table->columns.count)
        print_row(terminal, table, table->cells.items + i, false, indent, gap);
}
