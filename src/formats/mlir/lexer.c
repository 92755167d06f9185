/* Tokens of MLIR text. Everything that MLIR does not have is E_MLIR_SYNTAX with line and column. */
#include "formats/mlir/lexer.h"

#include "formats/mlir/hex.h"

enum {
    LETTER = 1, /* letter or '_' */
    DIGIT = 2,
    SUFFIX = 4, /* '$' '.' */
    MINUS = 8,  /* also in names of values and blocks */
    SPACE = 16,
};

#define L LETTER
#define D DIGIT
static const uint8_t classes[256] = {
    [' '] = SPACE, ['\t'] = SPACE, ['\n'] = SPACE, ['\r'] = SPACE, ['$'] = SUFFIX, ['.'] = SUFFIX,
    ['-'] = MINUS, ['_'] = L,      ['0'] = D,      ['1'] = D,      ['2'] = D,      ['3'] = D,
    ['4'] = D,     ['5'] = D,      ['6'] = D,      ['7'] = D,      ['8'] = D,      ['9'] = D,
    ['a'] = L,     ['b'] = L,      ['c'] = L,      ['d'] = L,      ['e'] = L,      ['f'] = L,
    ['g'] = L,     ['h'] = L,      ['i'] = L,      ['j'] = L,      ['k'] = L,      ['l'] = L,
    ['m'] = L,     ['n'] = L,      ['o'] = L,      ['p'] = L,      ['q'] = L,      ['r'] = L,
    ['s'] = L,     ['t'] = L,      ['u'] = L,      ['v'] = L,      ['w'] = L,      ['x'] = L,
    ['y'] = L,     ['z'] = L,      ['A'] = L,      ['B'] = L,      ['C'] = L,      ['D'] = L,
    ['E'] = L,     ['F'] = L,      ['G'] = L,      ['H'] = L,      ['I'] = L,      ['J'] = L,
    ['K'] = L,     ['L'] = L,      ['M'] = L,      ['N'] = L,      ['O'] = L,      ['P'] = L,
    ['Q'] = L,     ['R'] = L,      ['S'] = L,      ['T'] = L,      ['U'] = L,      ['V'] = L,
    ['W'] = L,     ['X'] = L,      ['Y'] = L,      ['Z'] = L,
};
#undef L
#undef D

static bool is(char byte, int class)
{
    return (classes[(unsigned char)byte] & class) != 0;
}

static const char *skip_class(const char *p, const char *end, int class)
{
    while (p < end && is(*p, class))
        p++;
    return p;
}

static const char *skip_blank(const char *p, const char *end)
{
    for (;;) {
        p = skip_class(p, end, SPACE);
        if (end - p < 2 || p[0] != '/' || p[1] != '/')
            return p;
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        p = line_end != NULL ? line_end : end;
    }
}

static void set_token(mlia_mlir_lexer *lexer, int kind, const char *begin, size_t sigil, const char *end)
{
    lexer->token = (mlia_mlir_token){kind, UINT32_MAX, {begin + sigil, (size_t)(end - begin) - sigil}, begin};
    lexer->next = end;
}

static mlia_status *read_string(mlia_mlir_lexer *lexer, int kind, const char *begin, size_t sigil)
{
    const char *p = begin + sigil;
    const mlia_mlir_blob *blob = mlia_mlir_find_blob(lexer->outline, p + 2);
    if (blob != NULL)
        p = blob->end;
    for (;;) {
        while (p < lexer->end && *p != '"' && *p != '\\' && *p != '\n')
            p++;
        if (p >= lexer->end || *p == '\n')
            return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, begin,
                                   "expected '\"' at the end of the string, found the end of the line");
        if (*p == '"')
            break;
        p += lexer->end - p > 1 ? 2 : 1;
    }
    set_token(lexer, kind, begin, sigil, p);
    lexer->next = p + 1;
    return NULL;
}

static mlia_status *read_value(mlia_mlir_lexer *lexer, const char *begin)
{
    const char *p = begin + 1;
    const char *end = lexer->end;
    p = p < end && is(*p, DIGIT) ? skip_class(p, end, DIGIT)
                                 : skip_class(p, end, LETTER | DIGIT | SUFFIX | MINUS);
    set_token(lexer, MLIA_MLIR_TOKEN_VALUE, begin, 1, p);
    if (lexer->token.text.size == 0)
        return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, begin, "expected a value name after '%%'");
    if (end - p < 2 || *p != '#' || !is(p[1], DIGIT))
        return NULL;
    const char *number = p + 1;
    p = skip_class(number, end, DIGIT);
    uint64_t value;
    if (!mlia_mlir_parse_integer((mlia_str){number, (size_t)(p - number)}, &value) || value >= UINT32_MAX)
        return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, number, "result number is too large");
    lexer->token.result = (uint32_t)value;
    lexer->next = p;
    return NULL;
}

static mlia_status *read_named(mlia_mlir_lexer *lexer, int kind, const char *begin, int first, int rest)
{
    const char *p = begin + 1;
    if (p >= lexer->end || !is(*p, first))
        return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, begin, "expected a name after '%c'", *begin);
    set_token(lexer, kind, begin, 1, skip_class(p, lexer->end, rest));
    return NULL;
}

static void read_number(mlia_mlir_lexer *lexer, const char *begin)
{
    const char *end = lexer->end;
    const char *p = begin;
    if (end - p > 2 && p[0] == '0' && p[1] == 'x' &&
        (is(p[2], DIGIT) || ((p[2] | 32) >= 'a' && (p[2] | 32) <= 'f'))) {
        p += 2;
        while (p < end && (is(*p, DIGIT) || ((*p | 32) >= 'a' && (*p | 32) <= 'f')))
            p++;
        set_token(lexer, MLIA_MLIR_TOKEN_INTEGER, begin, 0, p);
        return;
    }
    p = skip_class(p, end, DIGIT);
    if (p >= end || *p != '.') {
        set_token(lexer, MLIA_MLIR_TOKEN_INTEGER, begin, 0, p);
        return;
    }
    p = skip_class(p + 1, end, DIGIT);
    if (p < end && (*p == 'e' || *p == 'E')) {
        const char *exponent = p + 1;
        if (exponent < end && (*exponent == '+' || *exponent == '-'))
            exponent++;
        if (exponent < end && is(*exponent, DIGIT))
            p = skip_class(exponent, end, DIGIT);
    }
    set_token(lexer, MLIA_MLIR_TOKEN_FLOAT, begin, 0, p);
}

static mlia_status *read_punctuation(mlia_mlir_lexer *lexer, const char *begin)
{
    size_t left = (size_t)(lexer->end - begin);
    if (left >= 2 && begin[0] == '-' && begin[1] == '>')
        set_token(lexer, MLIA_MLIR_TOKEN_ARROW, begin, 0, begin + 2);
    else if (left >= 2 && begin[0] == ':' && begin[1] == ':')
        set_token(lexer, MLIA_MLIR_TOKEN_COLONS, begin, 0, begin + 2);
    else if (left >= 3 && memcmp(begin, "...", 3) == 0)
        set_token(lexer, MLIA_MLIR_TOKEN_ELLIPSIS, begin, 0, begin + 3);
    else if (memchr("(){}[]<>,:=?*-+/|", *begin, 17) != NULL)
        set_token(lexer, *begin, begin, 0, begin + 1);
    else
        return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, begin, "unexpected character '%c'", *begin);
    return NULL;
}

mlia_status *mlia_mlir_advance(mlia_mlir_lexer *lexer)
{
    const char *p = skip_blank(lexer->next, lexer->end);
    if (p >= lexer->end) {
        set_token(lexer, MLIA_MLIR_TOKEN_END, lexer->end, 0, lexer->end);
        return NULL;
    }
    switch (*p) {
    case '%':
        return read_value(lexer, p);
    case '^':
        return read_named(lexer, MLIA_MLIR_TOKEN_BLOCK, p, LETTER | DIGIT | SUFFIX | MINUS,
                          LETTER | DIGIT | SUFFIX | MINUS);
    case '@':
        if (lexer->end - p > 1 && p[1] == '"')
            return read_string(lexer, MLIA_MLIR_TOKEN_SYMBOL, p, 2);
        return read_named(lexer, MLIA_MLIR_TOKEN_SYMBOL, p, LETTER, LETTER | DIGIT | SUFFIX);
    case '#':
        if (lexer->end - p > 2 && p[1] == '-' && p[2] == '}') {
            set_token(lexer, '#', p, 0, p + 3);
            return NULL;
        }
        return read_named(lexer, MLIA_MLIR_TOKEN_HASH, p, LETTER | DIGIT | SUFFIX, LETTER | DIGIT | SUFFIX);
    case '!':
        return read_named(lexer, MLIA_MLIR_TOKEN_BANG, p, LETTER | DIGIT | SUFFIX, LETTER | DIGIT | SUFFIX);
    case '"':
        return read_string(lexer, MLIA_MLIR_TOKEN_STRING, p, 1);
    default:
        break;
    }
    if (is(*p, LETTER))
        set_token(lexer, MLIA_MLIR_TOKEN_WORD, p, 0, skip_class(p, lexer->end, LETTER | DIGIT | SUFFIX));
    else if (is(*p, DIGIT))
        read_number(lexer, p);
    else
        return read_punctuation(lexer, p);
    return NULL;
}

mlia_status *mlia_mlir_jump(mlia_mlir_lexer *lexer, const char *position)
{
    lexer->next = position;
    return mlia_mlir_advance(lexer);
}

bool mlia_mlir_at_word(const mlia_mlir_lexer *lexer, const char *word)
{
    return lexer->token.kind == MLIA_MLIR_TOKEN_WORD && mlia_str_equal_c(lexer->token.text, word);
}

mlia_status *mlia_mlir_expected(const mlia_mlir_lexer *lexer, const char *what)
{
    const mlia_mlir_token *token = &lexer->token;
    if (token->kind == MLIA_MLIR_TOKEN_END)
        return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, token->begin,
                               "expected %s, found the end of the text", what);
    mlia_str found = {token->begin, (size_t)(lexer->next - token->begin)};
    bool cut = found.size > 40;
    found.size = mlia_utf8_cut(found, cut ? 40 : found.size);
    return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, token->begin, "expected %s, found '%.*s%s'",
                           what, MLIA_STR_ARG(found), cut ? "…" : "");
}

mlia_status *mlia_mlir_expect(mlia_mlir_lexer *lexer, int kind, const char *what)
{
    if (lexer->token.kind != kind)
        return mlia_mlir_expected(lexer, what);
    return mlia_mlir_advance(lexer);
}

mlia_status *mlia_mlir_accept(mlia_mlir_lexer *lexer, int kind, bool *accepted)
{
    *accepted = lexer->token.kind == kind;
    return *accepted ? mlia_mlir_advance(lexer) : NULL;
}

mlia_status *mlia_mlir_enter(mlia_mlir_lexer *lexer)
{
    if (lexer->depth >= MLIA_MLIR_DEPTH_LIMIT)
        return mlia_mlir_error(lexer->context, MLIA_MLIR_LIMIT, lexer->token.begin,
                               "nested deeper than %d levels", MLIA_MLIR_DEPTH_LIMIT);
    lexer->depth++;
    return NULL;
}

static int hex_value(char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    char letter = (char)(byte | 32);
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static bool unescape_one(const char *p, size_t left, char *byte, size_t *used)
{
    *used = 1;
    *byte = *p;
    switch (*p) {
    case '\\':
    case '"':
        return true;
    case 'n':
        *byte = '\n';
        return true;
    case 't':
        *byte = '\t';
        return true;
    default:
        if (left < 2 || hex_value(p[0]) < 0 || hex_value(p[1]) < 0)
            return false;
        *byte = (char)(hex_value(p[0]) * 16 + hex_value(p[1]));
        *used = 2;
        return true;
    }
}

mlia_status *mlia_mlir_unescape(const mlia_mlir_lexer *lexer, mlia_str raw, mlia_str *text)
{
    *text = raw;
    if (mlia_str_find(raw, '\\') == SIZE_MAX)
        return NULL;
    char *out = MLIA_NEW_ARRAY(lexer->context->arena, char, raw.size);
    MLIA_TRY_ALLOC(out);
    size_t size = 0;
    for (size_t i = 0; i < raw.size; size++) {
        if (raw.data[i] != '\\') {
            out[size] = raw.data[i++];
            continue;
        }
        size_t used = 0;
        if (i + 1 >= raw.size || !unescape_one(raw.data + i + 1, raw.size - i - 1, &out[size], &used))
            return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, raw.data + i,
                                   "unknown escape in a string; \\\\, \\\", \\n, \\t and \\XX are possible");
        i += 1 + used;
    }
    *text = (mlia_str){out, size};
    return NULL;
}

bool mlia_mlir_parse_integer(mlia_str text, uint64_t *value)
{
    bool hex = text.size > 2 && text.data[0] == '0' && text.data[1] == 'x';
    uint64_t base = hex ? 16 : 10;
    uint64_t result = 0;
    for (size_t i = hex ? 2 : 0; i < text.size; i++) {
        int digit = hex_value(text.data[i]);
        if (digit < 0 || (uint64_t)digit >= base || __builtin_mul_overflow(result, base, &result) ||
            __builtin_add_overflow(result, (uint64_t)digit, &result))
            return false;
    }
    *value = result;
    return text.size > 0;
}

static char closing(char open)
{
    return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : '>';
}

mlia_status *mlia_mlir_find_angle(const mlia_mlir_lexer *lexer, const char *begin, const char **close)
{
    char stack[MLIA_MLIR_DEPTH_LIMIT] = {'>'};
    size_t depth = 1;
    for (const char *p = begin; p < lexer->end; p++) {
        switch (*p) {
        case '"':
            for (p++; p < lexer->end && *p != '"'; p++)
                if (*p == '\\')
                    p++;
            break;
        case '/':
            if (lexer->end - p > 1 && p[1] == '/')
                while (p + 1 < lexer->end && p[1] != '\n')
                    p++;
            break;
        case '(':
        case '[':
        case '{':
        case '<':
            if (depth == MLIA_MLIR_DEPTH_LIMIT)
                return mlia_mlir_error(lexer->context, MLIA_MLIR_LIMIT, p, "nested deeper than %d levels",
                                       MLIA_MLIR_DEPTH_LIMIT);
            stack[depth++] = closing(*p);
            break;
        case '>':
            if (p > begin && p[-1] == '-')
                break; /* -> */
            __attribute__((fallthrough));
        case ')':
        case ']':
        case '}':
            if (stack[depth - 1] != *p)
                return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, p, "expected '%c', found '%c'",
                                       stack[depth - 1], *p);
            if (--depth == 0) {
                *close = p;
                return NULL;
            }
            break;
        default:
            break;
        }
    }
    return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, begin, "'<' is never closed by '>'");
}
