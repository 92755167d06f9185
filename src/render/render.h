/* Renderings of a result document. Each reads the document and nothing else, so that `mlia report` on a
 * stored document gives the same bytes as `mlia check`.
 *
 * To add a form: write one function of type mlia_render_function and add a row to the table in render.c.
 */
#ifndef MLIA_RENDER_RENDER_H
#define MLIA_RENDER_RENDER_H

#include "base/bytes.h"
#include "result/result.h"

typedef struct mlia_render_options {
    unsigned width;                /* columns of the text report, 60 to 240; 0 = 120 */
    bool color;                    /* text report: escape sequences … */
    bool true_color;               /* … of 24 bits, else the 16 colours */
    bool light;                    /* for a light background */
    bool ascii;                    /* nothing but ASCII: the terminal's character set is not UTF-8 */
    size_t top;                    /* rows of the text tables; 0 = all */
    const mlia_str *group_by;      /* kinds of entities that get a table, in this order … */
    size_t group_count;            /* … 0 = what suits the result */
    const mlia_str *hidden_advice; /* ids of advice that the text report leaves out */
    size_t hidden_count;
} mlia_render_options;

typedef mlia_status *mlia_render_function(const mlia_document *document, const mlia_render_options *options,
                                          mlia_buffer *buffer);

typedef struct mlia_renderer {
    const char *format; /* name for --format; NULL ends the table */
    const char *suffix; /* usual ending of a file name */
    mlia_render_function *render;
} mlia_renderer;

/* All forms, in the order in which lists show them. */
extern const mlia_renderer mlia_renderers[];

/* Appends the document in form `format` to `buffer`. Errors: E_OPTION_VALUE for a form that does not exist;
 * E_MEMORY. */
mlia_status *mlia_render(const mlia_document *document, mlia_str format, const mlia_render_options *options,
                         mlia_buffer *buffer);

/* The forms one by one. */
mlia_render_function mlia_render_text;
mlia_render_function mlia_render_json;
mlia_render_function mlia_render_csv;
mlia_render_function mlia_render_csv_wide;

#endif
