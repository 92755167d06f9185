/* Strings, comments and line ends of TOML. */
#include <stdarg.h>
#include <stdio.h>

#include "formats/toml/scan.h"

mlia_status *toml_error(const toml_scanner *scanner, const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return mlia_status_at_line(mlia_error(scanner->kind, "%s", message), scanner->line, toml_column(scanner));
}

bool toml_take_newline(toml_scanner *scanner)
{
    size_t size = toml_peek(scanner, 0) == '\n' ? 1 : 0;
    if (toml_peek(scanner, 0) == '\r' && toml_peek(scanner, 1) == '\n')
        size = 2;
    if (size == 0)
        return false;
    scanner->position += size;
    scanner->line_start = scanner->position;
    scanner->line++;
    return true;
}

void toml_skip_blanks(toml_scanner *scanner)
{
    while (toml_peek(scanner, 0) == ' ' || toml_peek(scanner, 0) == '\t')
        scanner->position++;
}

/* Control characters but the tab; line ends are handled before. */
static bool is_forbidden(int byte)
{
    return (byte >= 0 && byte < 0x20 && byte != '\t') || byte == 0x7F;
}

mlia_status *toml_skip_comment(toml_scanner *scanner)
{
    toml_skip_blanks(scanner);
    if (!toml_take(scanner, '#'))
        return NULL;
    for (;;) {
        int byte = toml_peek(scanner, 0);
        if (byte == TOML_END || byte == '\n' || (byte == '\r' && toml_peek(scanner, 1) == '\n'))
            return NULL;
        if (is_forbidden(byte))
            return toml_error(scanner, "control character %02x in a comment", (unsigned)byte);
        scanner->position++;
    }
}

static int hex_digit(int byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    if (byte >= 'A' && byte <= 'F')
        return byte - 'A' + 10;
    return -1;
}

static char *put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | code >> 6);
        *out++ = (char)(0x80 | (code & 63));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | code >> 12);
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    } else {
        *out++ = (char)(0xF0 | code >> 18);
        *out++ = (char)(0x80 | (code >> 12 & 63));
        *out++ = (char)(0x80 | (code >> 6 & 63));
        *out++ = (char)(0x80 | (code & 63));
    }
    return out;
}

/* \uXXXX or \UXXXXXXXX, behind the letter. Never longer in UTF-8 than as written. */
static mlia_status *read_code_point(toml_scanner *scanner, unsigned digits, char **out)
{
    uint32_t code = 0;
    for (unsigned i = 0; i < digits; i++) {
        int digit = hex_digit(toml_peek(scanner, 0));
        if (digit < 0)
            return toml_error(scanner, "an escape needs %u hexadecimal digits", digits);
        code = code << 4 | (uint32_t)digit;
        scanner->position++;
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        return toml_error(scanner, "U+%04X is no Unicode character", code);
    *out = put_utf8(*out, code);
    return NULL;
}

/* Behind a backslash that ends its line: skips all white space up to the next character. */
static mlia_status *skip_line_continuation(toml_scanner *scanner)
{
    toml_skip_blanks(scanner);
    if (!toml_take_newline(scanner))
        return toml_error(scanner, "unknown escape '\\ '");
    do
        toml_skip_blanks(scanner);
    while (toml_take_newline(scanner));
    return NULL;
}

/* Behind a backslash. */
static mlia_status *read_escape(toml_scanner *scanner, bool multi_line, char **out)
{
    static const char letters[] = "btnfr\"\\";
    static const char values[] = "\b\t\n\f\r\"\\";
    int byte = toml_peek(scanner, 0);
    if (multi_line && (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'))
        return skip_line_continuation(scanner);
    const char *letter = byte > 0 ? strchr(letters, byte) : NULL;
    if (letter != NULL) {
        scanner->position++;
        *(*out)++ = values[letter - letters];
        return NULL;
    }
    if (byte != 'u' && byte != 'U')
        return toml_error(scanner,
                          "unknown escape; \\b \\t \\n \\f \\r \\\" \\\\ \\uXXXX \\UXXXXXXXX are known");
    scanner->position++;
    return read_code_point(scanner, byte == 'u' ? 4 : 8, out);
}

/* True at three quotes. A multi-line string may end with up to two quotes of its own before them: those are
 * text. */
static bool at_closing_quotes(const toml_scanner *scanner, int quote)
{
    return toml_peek(scanner, 0) == quote && toml_peek(scanner, 1) == quote && toml_peek(scanner, 2) == quote;
}

/* Upper bound of the string's size: distance to its closing quote, found without decoding. SIZE_MAX when
 * unclosed. */
static size_t raw_size(const toml_scanner *scanner, int quote, bool multi_line)
{
    mlia_str rest = mlia_str_slice(scanner->text, scanner->position, SIZE_MAX);
    for (size_t i = 0; i < rest.size; i++) {
        if (quote == '"' && rest.data[i] == '\\')
            i++;
        else if (!multi_line && (rest.data[i] == quote || rest.data[i] == '\n'))
            return i;
        else if (multi_line && rest.size - i >= 3 && rest.data[i] == quote && rest.data[i + 1] == quote &&
                 rest.data[i + 2] == quote)
            return i + 2; /* and at most two quotes of text */
    }
    return rest.size;
}

/* One character or escape of the body. */
static mlia_status *read_body_character(toml_scanner *scanner, int quote, bool multi_line, char **out)
{
    int byte = toml_peek(scanner, 0);
    if (byte == TOML_END)
        return toml_error(scanner, "the string is not closed");
    if (!multi_line && (byte == '\n' || byte == '\r'))
        return toml_error(scanner, "the string is not closed on its line");
    if (toml_take_newline(scanner)) {
        *(*out)++ = '\n';
        return NULL;
    }
    if (is_forbidden(byte))
        return toml_error(scanner, "control character %02x in a string; write an escape", (unsigned)byte);
    scanner->position++;
    if (byte == '\\' && quote == '"')
        return read_escape(scanner, multi_line, out);
    *(*out)++ = (char)byte;
    return NULL;
}

mlia_status *toml_read_string(toml_scanner *scanner, bool allow_multi_line, mlia_str *text)
{
    int quote = toml_peek(scanner, 0);
    bool multi_line = at_closing_quotes(scanner, quote);
    if (multi_line && !allow_multi_line)
        return toml_error(scanner, "a multi-line string cannot be a key");
    scanner->position += multi_line ? 3 : 1;
    if (multi_line)
        toml_take_newline(scanner);
    char *start = mlia_arena_alloc(scanner->arena, raw_size(scanner, quote, multi_line) + 1, 1, 1);
    MLIA_TRY_ALLOC(start);
    char *out = start;
    while (multi_line ? !at_closing_quotes(scanner, quote) : toml_peek(scanner, 0) != quote)
        MLIA_TRY(read_body_character(scanner, quote, multi_line, &out));
    if (multi_line) {
        for (int extra = 0; extra < 2 && toml_peek(scanner, 3) == quote; extra++) {
            *out++ = (char)quote;
            scanner->position++;
        }
    }
    scanner->position += multi_line ? 3 : 1;
    *text = (mlia_str){start, (size_t)(out - start)};
    return NULL;
}
