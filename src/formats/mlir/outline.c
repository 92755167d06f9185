/* One quick pass over MLIR text: it is UTF-8 without zero bytes, brackets match, strings and comments end,
 * aliases and resources are found. Dense constants, by far the largest part of a file, are passed at the
 * speed of a table, or decoded at once. */
#include "formats/mlir/hex.h"

enum { BRACKET_LIMIT = 1024 }; /* regions take two brackets per level */

typedef struct text_scan {
    mlia_mlir_context *context;
    mlia_mlir_outline *outline;
    const char *begin;
    const char *end;
    size_t depth;
    const char *stack[BRACKET_LIMIT];
    size_t brace[BRACKET_LIMIT]; /* index into outline->braces */
} text_scan;

static bool is_special(char byte)
{
    static const bool special[128] = {
        ['\0'] = true, ['"'] = true, ['/'] = true, ['('] = true, [')'] = true, ['['] = true,
        [']'] = true,  ['{'] = true, ['}'] = true, ['#'] = true, ['!'] = true,
    };
    return (unsigned char)byte >= 128 || special[(unsigned char)byte];
}

const char *mlia_mlir_skip_string(const mlia_mlir_outline *outline, const char *p, const char *end)
{
    const char *from = p + 1;
    const mlia_mlir_blob *blob = mlia_mlir_find_blob(outline, p + 3);
    if (blob != NULL)
        return blob->end + 1;
    for (const char *quote = from; (quote = memchr(quote, '"', (size_t)(end - quote))) != NULL; quote++) {
        size_t slashes = 0;
        while (quote - slashes > from && quote[-1 - (ptrdiff_t)slashes] == '\\')
            slashes++;
        if (slashes % 2 == 0)
            return memchr(from, '\n', (size_t)(quote - from)) == NULL ? quote + 1 : NULL;
    }
    return NULL;
}

/* Refuses zero bytes and ill-formed UTF-8 from `begin` to `end`; eight bytes of ASCII are passed at once. */
static mlia_status *check_encoding(const mlia_mlir_context *context, const char *begin, const char *end)
{
    mlia_str text = {begin, (size_t)(end - begin)};
    const uint64_t ones = UINT64_C(0x0101010101010101);
    for (size_t i = 0; i < text.size;) {
        if (text.size - i >= 8) {
            uint64_t word;
            memcpy(&word, text.data + i, 8);
            if (((word | (word - ones)) & (ones << 7)) == 0) {
                i += 8;
                continue;
            }
        }
        if (text.data[i] == '\0')
            return mlia_mlir_error(context, MLIA_MLIR_SYNTAX, text.data + i, "zero byte in the text");
        size_t position = i;
        uint32_t code_point;
        if (!mlia_utf8_next(text, &i, &code_point))
            return mlia_mlir_error(context, MLIA_MLIR_UTF8, text.data + position, "text is not UTF-8");
    }
    return NULL;
}

/* The one character at `*position` outside of strings and comments. */
static mlia_status *pass_character(const text_scan *scan, const char **position)
{
    const char *begin = *position;
    mlia_str rest = {begin, (size_t)(scan->end - begin)};
    size_t size = 0;
    uint32_t code_point;
    if (!mlia_utf8_next(rest, &size, &code_point) || code_point == 0)
        return check_encoding(scan->context, begin, scan->end); /* says what is wrong */
    *position = begin + size;
    return NULL;
}

static mlia_status *pass_string(text_scan *scan, const char **position)
{
    const char *begin = *position;
    MLIA_TRY(mlia_mlir_take_blob(scan->context, scan->outline, begin, position));
    if (*position != NULL)
        return NULL;
    *position = mlia_mlir_skip_string(NULL, begin, scan->end);
    if (*position == NULL)
        return mlia_mlir_error(scan->context, MLIA_MLIR_SYNTAX, begin,
                               "expected '\"' at the end of the string, found the end of the line");
    return check_encoding(scan->context, begin, *position);
}

static mlia_status *open_bracket(text_scan *scan, const char *p)
{
    if (scan->depth == BRACKET_LIMIT)
        return mlia_mlir_error(scan->context, MLIA_MLIR_LIMIT, p, "more than %d brackets inside each other",
                               BRACKET_LIMIT);
    mlia_mlir_outline *outline = scan->outline;
    if (*p == '{') {
        if (!MLIA_RESERVE(scan->context->arena, outline->braces, outline->brace_count,
                          outline->brace_capacity))
            return mlia_error_memory();
        scan->brace[scan->depth] = outline->brace_count;
        outline->braces[outline->brace_count++].open = (uint64_t)(p - scan->begin);
    }
    scan->stack[scan->depth++] = p;
    return NULL;
}

static mlia_status *close_bracket(text_scan *scan, const char *p)
{
    static const char *const pairs = "()[]{}";
    if (scan->depth == 0)
        return mlia_mlir_error(scan->context, MLIA_MLIR_SYNTAX, p, "'%c' closes nothing", *p);
    char open = *scan->stack[--scan->depth];
    char expected = strchr(pairs, open)[1];
    if (*p != expected)
        return mlia_mlir_error(scan->context, MLIA_MLIR_SYNTAX, p, "expected '%c', found '%c'", expected, *p);
    if (*p == '}')
        scan->outline->braces[scan->brace[scan->depth]].close = (uint64_t)(p - scan->begin);
    return NULL;
}

static bool is_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '_' || byte == '$' || byte == '.';
}

/* Passes over numbers, commas and blanks, as far as they fill whole blocks: the elements of constants.
 * Written so that compilers turn it into vector code. */
static const char *skip_numbers(const char *p, const char *end)
{
    enum { BLOCK = 64 };
    while (end - p >= BLOCK) {
        unsigned other = 0;
        for (size_t i = 0; i < BLOCK; i++) {
            unsigned char byte = (unsigned char)p[i];
            other |= (unsigned char)(byte - '0') > 9 && (unsigned char)(byte - '+') > '.' - '+' &&
                     byte != ' ' && byte != 'e';
        }
        if (other)
            return p;
        p += BLOCK;
    }
    return p;
}

/* A '#' or '!' outside of all brackets: an alias when a name and '=' follow. */
static mlia_status *note_alias(text_scan *scan, const char *p)
{
    const char *name_end = p + 1;
    while (name_end < scan->end && is_name(*name_end))
        name_end++;
    const char *value = name_end;
    while (value < scan->end && (*value == ' ' || *value == '\t'))
        value++;
    if (name_end == p + 1 || value >= scan->end || *value != '=')
        return NULL;
    mlia_mlir_outline *outline = scan->outline;
    mlia_str name = {p, (size_t)(name_end - p)};
    bool is_new = false;
    if (mlia_map_insert(&outline->alias_names, name, (uint32_t)outline->alias_count, &is_new) == NULL)
        return mlia_error_memory();
    if (!is_new)
        return mlia_mlir_error(scan->context, MLIA_MLIR_DUPLICATE, p, "alias '%.*s' is defined twice",
                               MLIA_STR_ARG(name));
    if (!MLIA_RESERVE(scan->context->arena, outline->aliases, outline->alias_count, outline->alias_capacity))
        return mlia_error_memory();
    outline->aliases[outline->alias_count++] = (mlia_mlir_alias){.begin = p, .value = value + 1};
    return NULL;
}

static mlia_status *scan_special(text_scan *scan, const char **position)
{
    const char *p = *position;
    size_t left = (size_t)(scan->end - p);
    *position = p + 1;
    switch (*p) {
    case '"':
        *position = p;
        return pass_string(scan, position);
    case '/':
        if (left >= 2 && p[1] == '/') {
            const char *line_end = memchr(p, '\n', left);
            scan->outline->comments = true;
            *position = line_end != NULL ? line_end : scan->end;
            return check_encoding(scan->context, p, *position);
        }
        return NULL;
    case '#':
    case '!':
        return scan->depth == 0 ? note_alias(scan, p) : NULL;
    case '{':
        if (scan->depth == 0 && left >= 3 && p[1] == '-' && p[2] == '#' && scan->outline->resources == NULL)
            scan->outline->resources = p + 3;
        __attribute__((fallthrough));
    case '(':
        return open_bracket(scan, p);
    case '[':
        *position = skip_numbers(p + 1, scan->end);
        return open_bracket(scan, p);
    case ')':
    case ']':
    case '}':
        return close_bracket(scan, p);
    default:
        *position = p;
        return pass_character(scan, position);
    }
}

mlia_status *mlia_mlir_outline_read(mlia_mlir_context *context, mlia_mlir_outline *outline)
{
    *outline = (mlia_mlir_outline){.alias_names = mlia_map_in(context->arena),
                                   .resource_keys = mlia_map_in(context->arena)};
    const char *begin = (const char *)context->file.data;
    text_scan scan = {
        .context = context, .outline = outline, .begin = begin, .end = begin + context->file.size};
    for (const char *p = begin; p < scan.end;) {
        if (!is_special(*p))
            p++;
        else
            MLIA_TRY(scan_special(&scan, &p));
    }
    if (scan.depth == 0)
        return NULL;
    const char *open = scan.stack[scan.depth - 1];
    return mlia_mlir_error(context, MLIA_MLIR_SYNTAX, open, "'%c' is never closed", *open);
}

const char *mlia_mlir_closing_brace(const mlia_mlir_context *context, const mlia_mlir_outline *outline,
                                    const char *open)
{
    const char *begin = (const char *)context->file.data;
    uint64_t offset = (uint64_t)(open - begin);
    size_t low = 0;
    size_t high = outline->brace_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (outline->braces[middle].open < offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == outline->brace_count || outline->braces[low].open != offset)
        return NULL;
    return begin + outline->braces[low].close;
}
