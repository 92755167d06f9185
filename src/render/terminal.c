/* Showing text: escapes, widths, colours, lines. */
#include "render/terminal.h"

#include <stdio.h>

typedef struct cell_range {
    uint32_t first;
    uint32_t last;
    unsigned cells;
} cell_range;

static const cell_range cell_ranges[] = {
#define X(first, last, cells) {first, last, cells},
#include "render/cell_widths.def"
#undef X
};

unsigned mlia_cell_width(uint32_t point)
{
    size_t low = 0;
    size_t high = sizeof cell_ranges / sizeof *cell_ranges;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (cell_ranges[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    bool inside = low < sizeof cell_ranges / sizeof *cell_ranges && cell_ranges[low].first <= point;
    return inside ? cell_ranges[low].cells : 1;
}

size_t mlia_text_width(mlia_str text)
{
    size_t width = 0;
    for (size_t position = 0; position < text.size;) {
        uint32_t point;
        (void)mlia_utf8_next(text, &position, &point);
        width += mlia_cell_width(point);
    }
    return width;
}

/* Marks and overrides of writing direction, line and paragraph separators: they would rearrange the line. */
static bool changes_direction(uint32_t point)
{
    return point == 0x61C || (point >= 0x200E && point <= 0x200F) || (point >= 0x2028 && point <= 0x202E) ||
           (point >= 0x2066 && point <= 0x2069);
}

mlia_str mlia_terminal_text(const mlia_terminal *terminal, mlia_str text)
{
    bool ascii = terminal->options.ascii;
    mlia_buffer buffer = {0};
    for (size_t position = 0; position < text.size;) {
        size_t start = position;
        uint32_t point;
        bool valid = mlia_utf8_next(text, &position, &point);
        if (valid && (point < 0x20 || (point >= 0x7F && point < 0xA0)))
            mlia_buffer_format(&buffer, "\\x%02x", point);
        else if (valid && changes_direction(point))
            mlia_buffer_format(&buffer, "\\u{%x}", point);
        else if (!valid || (ascii && point > 0x7F))
            mlia_buffer_add_str(&buffer, ascii ? MLIA_STR("?") : MLIA_STR("\xEF\xBF\xBD"));
        else
            mlia_buffer_add(&buffer, text.data + start, position - start);
    }
    mlia_str shown =
        buffer.failed ? MLIA_STR_NONE : mlia_arena_str(terminal->arena, mlia_buffer_str(&buffer));
    mlia_buffer_free(&buffer);
    if (shown.data == NULL)
        terminal->buffer->failed = true;
    return shown;
}

/* Colours of a style: 24 bits, and the nearest of the 16 that terminals agree on; dark and light background.
 */
typedef struct colour {
    uint32_t rgb;
    unsigned code; /* SGR parameter */
} colour;

static const colour colours[MLIA_STYLE_COUNT][2] = {
    [MLIA_STYLE_TITLE] = {{0xB8BECB, 37}, {0x40454F, 90}},
    [MLIA_STYLE_NAME] = {{0x6B9BF8, 94}, {0x0157FF, 34}},
    [MLIA_STYLE_VERSION] = {{0x9385F8, 95}, {0x6A36ED, 35}},
    [MLIA_STYLE_HIGHLIGHT] = {{0xF69B4F, 33}, {0xDB8232, 33}},
    [MLIA_STYLE_WARNING] = {{0xF69B4F, 33}, {0xDB8232, 33}},
    [MLIA_STYLE_ERROR] = {{0xED564D, 91}, {0xB4181B, 31}},
};

static void begin_style(const mlia_terminal *terminal, mlia_style style)
{
    if (!terminal->options.color || style == MLIA_STYLE_PLAIN)
        return;
    colour c = colours[style][terminal->options.light];
    const char *bold = style == MLIA_STYLE_TITLE ? "1;" : "";
    if (terminal->options.true_color)
        mlia_buffer_format(terminal->buffer, "\033[%s38;2;%u;%u;%um", bold, c.rgb >> 16, c.rgb >> 8 & 0xFF,
                           c.rgb & 0xFF);
    else
        mlia_buffer_format(terminal->buffer, "\033[%s%um", bold, c.code);
}

static void end_style(const mlia_terminal *terminal, mlia_style style)
{
    if (terminal->options.color && style != MLIA_STYLE_PLAIN)
        mlia_buffer_add_str(terminal->buffer, MLIA_STR("\033[0m"));
}

void mlia_terminal_spaces(const mlia_terminal *terminal, size_t count)
{
    for (size_t i = 0; i < count; i++)
        mlia_buffer_add_byte(terminal->buffer, ' ');
}

void mlia_terminal_put(const mlia_terminal *terminal, mlia_style style, mlia_str text, size_t width)
{
    size_t cells = mlia_text_width(text);
    if (text.size > 0) {
        begin_style(terminal, style);
        mlia_buffer_add_str(terminal->buffer, text);
        end_style(terminal, style);
    }
    mlia_terminal_spaces(terminal, width > cells ? width - cells : 0);
}

void mlia_terminal_put_right(const mlia_terminal *terminal, mlia_style style, mlia_str text, size_t width)
{
    size_t cells = mlia_text_width(text);
    mlia_terminal_spaces(terminal, width > cells ? width - cells : 0);
    mlia_terminal_put(terminal, style, text, 0);
}

void mlia_terminal_put_c(const mlia_terminal *terminal, mlia_style style, const char *text)
{
    mlia_terminal_put(terminal, style, mlia_str_from_c(text), 0);
}

void mlia_terminal_end_line(const mlia_terminal *terminal)
{
    mlia_buffer *buffer = terminal->buffer;
    while (!buffer->failed && buffer->size > 0 && buffer->data[buffer->size - 1] == ' ')
        buffer->size--;
    mlia_buffer_add_byte(buffer, '\n');
}

/* Bytes of the longest start of `text` that is at most `width` cells wide. */
static size_t fitting_start(mlia_str text, size_t width)
{
    size_t cells = 0;
    size_t position = 0;
    while (position < text.size) {
        size_t next = position;
        uint32_t point;
        (void)mlia_utf8_next(text, &next, &point);
        cells += mlia_cell_width(point);
        if (cells > width)
            break;
        position = next;
    }
    return position;
}

/* First byte of the longest end of `text` that is at most `width` cells wide. */
static size_t fitting_end(mlia_str text, size_t width)
{
    size_t cells = mlia_text_width(text);
    size_t position = 0;
    while (position < text.size && cells > width) {
        uint32_t point;
        (void)mlia_utf8_next(text, &position, &point);
        cells -= mlia_cell_width(point);
    }
    while (position < text.size) { /* a mark belongs to the character before it */
        size_t next = position;
        uint32_t point;
        (void)mlia_utf8_next(text, &next, &point);
        if (mlia_cell_width(point) > 0)
            break;
        position = next;
    }
    return position;
}

void mlia_terminal_put_cut(const mlia_terminal *terminal, mlia_style style, mlia_str text, size_t width)
{
    if (mlia_text_width(text) <= width) {
        mlia_terminal_put(terminal, style, text, width);
        return;
    }
    if (width == 0)
        return;
    mlia_str mark = terminal->options.ascii ? MLIA_STR("~") : MLIA_STR("\xE2\x80\xA6");
    size_t end_width = (width - 1) / 2;
    size_t start = fitting_start(text, width - 1 - end_width);
    size_t end = fitting_end(text, end_width);
    mlia_str shown =
        mlia_arena_format(terminal->arena, "%.*s%.*s%.*s", MLIA_STR_ARG(mlia_str_slice(text, 0, start)),
                          MLIA_STR_ARG(mark), MLIA_STR_ARG(mlia_str_slice(text, end, SIZE_MAX)));
    if (shown.data == NULL)
        terminal->buffer->failed = true;
    mlia_terminal_put(terminal, style, shown, width);
}

/* Bytes of `text` for one line of `width` cells: up to a space if there is one, else as many as fit, at least
 * one character. */
static size_t line_end(mlia_str text, size_t width)
{
    size_t fitting = fitting_start(text, width);
    if (fitting == text.size)
        return fitting;
    for (size_t i = fitting + 1; i > 0; i--)
        if (i <= text.size && text.data[i - 1] == ' ' && i > 1)
            return i - 1;
    if (fitting == 0) {
        uint32_t point;
        (void)mlia_utf8_next(text, &fitting, &point);
    }
    return fitting;
}

void mlia_terminal_put_wrapped(const mlia_terminal *terminal, mlia_style style, mlia_str text, size_t column,
                               size_t indent)
{
    for (;;) {
        size_t width = terminal->options.width > column ? terminal->options.width - column : 1;
        size_t end = line_end(text, width);
        mlia_terminal_put(terminal, style, mlia_str_slice(text, 0, end), 0);
        mlia_terminal_end_line(terminal);
        while (end < text.size && text.data[end] == ' ')
            end++;
        text = mlia_str_slice(text, end, SIZE_MAX);
        if (text.size == 0)
            return;
        mlia_terminal_spaces(terminal, indent);
        column = indent;
    }
}
