/* Private to formats/toml: the position in the text, and the readers of single values. */
#ifndef MLIA_FORMATS_TOML_SCAN_H
#define MLIA_FORMATS_TOML_SCAN_H

#include "formats/toml/toml.h"

typedef struct toml_scanner {
    mlia_arena *arena;
    mlia_str text;
    mlia_kind kind; /* of errors */
    size_t position;
    size_t line_start;
    uint32_t line;
} toml_scanner;

enum { TOML_END = -1 };

/* Byte at the position plus `ahead`, TOML_END behind the text. */
static inline int toml_peek(const toml_scanner *scanner, size_t ahead)
{
    return ahead < scanner->text.size - scanner->position
               ? (unsigned char)scanner->text.data[scanner->position + ahead]
               : TOML_END;
}

static inline bool toml_take(toml_scanner *scanner, char byte)
{
    if (toml_peek(scanner, 0) != (unsigned char)byte)
        return false;
    scanner->position++;
    return true;
}

static inline uint32_t toml_column(const toml_scanner *scanner)
{
    return (uint32_t)(scanner->position - scanner->line_start + 1);
}

/* Error at the scanner's position. */
mlia_status *toml_error(const toml_scanner *scanner, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));

/* Takes "\n" or "\r\n" and counts the line; false when there is none. */
bool toml_take_newline(toml_scanner *scanner);

/* Skips blanks and tabs. */
void toml_skip_blanks(toml_scanner *scanner);

/* Skips blanks and a comment up to the line's end. */
mlia_status *toml_skip_comment(toml_scanner *scanner);

/* String in one of the four forms, at its opening quote; the multi-line forms only if `multi_line`. */
mlia_status *toml_read_string(toml_scanner *scanner, bool multi_line, mlia_str *text);

/* Boolean, number, date or time. */
mlia_status *toml_read_scalar(toml_scanner *scanner, mlia_toml *value);

#endif
