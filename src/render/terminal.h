/* Text for terminals: what may be shown, how wide it is, colours. */
#ifndef MLIA_RENDER_TERMINAL_H
#define MLIA_RENDER_TERMINAL_H

#include "render/render.h"

typedef enum mlia_style {
    MLIA_STYLE_PLAIN,
    MLIA_STYLE_TITLE,
    MLIA_STYLE_NAME,
    MLIA_STYLE_VERSION,
    MLIA_STYLE_HIGHLIGHT,
    MLIA_STYLE_WARNING,
    MLIA_STYLE_ERROR,
    MLIA_STYLE_COUNT
} mlia_style;

/* Where text goes. Texts given to the functions below may be anything a file holds. */
typedef struct mlia_terminal {
    mlia_arena *arena; /* scratch */
    mlia_buffer *buffer;
    mlia_render_options options; /* width is set */
} mlia_terminal;

/* Cells of a code point: 0, 1 or 2. */
unsigned mlia_cell_width(uint32_t point);
/* Cells of a text that mlia_terminal_text made. */
size_t mlia_text_width(mlia_str text);

/* The text as it may be shown: control characters as \xNN, characters that change the direction of writing as
 * \u{NNNN}, ill-formed UTF-8 as U+FFFD; in ASCII mode '?' for everything else. data NULL when out of memory.
 */
mlia_str mlia_terminal_text(const mlia_terminal *terminal, mlia_str text);

/* Appends a shown text in a style, then spaces up to `width` cells (0: none). */
void mlia_terminal_put(const mlia_terminal *terminal, mlia_style style, mlia_str text, size_t width);
/* The same with the spaces before it. */
void mlia_terminal_put_right(const mlia_terminal *terminal, mlia_style style, mlia_str text, size_t width);
void mlia_terminal_put_c(const mlia_terminal *terminal, mlia_style style, const char *text);
void mlia_terminal_spaces(const mlia_terminal *terminal, size_t count);
void mlia_terminal_end_line(const mlia_terminal *terminal);

/* Appends at most `width` cells of a text: a longer one loses its middle, marked by one character. */
void mlia_terminal_put_cut(const mlia_terminal *terminal, mlia_style style, mlia_str text, size_t width);

/* Appends a text broken between words into lines. The first starts in column `column`, where the line stands,
 * the others after `indent` spaces; ends the last line. */
void mlia_terminal_put_wrapped(const mlia_terminal *terminal, mlia_style style, mlia_str text, size_t column,
                               size_t indent);

#endif
