/* Tables of the text report: columns as wide as their content, cut to the terminal's width. */
#ifndef MLIA_RENDER_TABLE_H
#define MLIA_RENDER_TABLE_H

#include "render/terminal.h"

typedef enum mlia_align { MLIA_ALIGN_TEXT, MLIA_ALIGN_FIGURE } mlia_align;

typedef struct mlia_column {
    mlia_str title;
    mlia_align align;
    mlia_style style;
    /* private to the layout */
    size_t width;
    bool dropped;
} mlia_column;

typedef struct mlia_table {
    MLIA_LIST(mlia_column) columns;
    MLIA_LIST(mlia_str) cells; /* row by row; empty = nothing, "-" is written by the maker */
    bool failed;
} mlia_table;

void mlia_table_column(const mlia_terminal *terminal, mlia_table *table, const char *title, mlia_align align,
                       mlia_style style);
/* The same with a title that is a shown text. */
void mlia_table_text_column(const mlia_terminal *terminal, mlia_table *table, mlia_str title,
                            mlia_align align, mlia_style style);
/* Next cell of the current row; shown text. */
void mlia_table_cell(const mlia_terminal *terminal, mlia_table *table, mlia_str text);

/* Prints title row and rows with `indent` spaces before them. When the table is too wide, the space between
 * columns shrinks from two to one, then the widest text columns give way, down to MLIA_TABLE_TEXT_LEAST
 * cells, then the right-most figure columns are left out. A table whose columns all have empty titles has no
 * title row. */
enum { MLIA_TABLE_TEXT_LEAST = 8 };
void mlia_table_print(const mlia_terminal *terminal, mlia_table *table, size_t indent);

#endif
