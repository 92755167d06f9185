/* Constants of MLIR text: dense<…> and dense_resource<…>.
 *
 * The type stands behind the elements, so they are passed first (memchr) and then written straight into the
 * final bytes. Memory is asked for only after the text was found long enough to hold the elements. */
#include "formats/mlir/attribute.h"
#include "formats/mlir/element.h"
#include "formats/mlir/hex.h"

enum { RESOURCE_ALIGNMENT = 4 }; /* bytes in front of the data of a blob */

typedef struct element_stream {
    const mlia_mlir_lexer *lexer;
    const mlia_mlir_type *type;
    const char *next;
    const char *end; /* the '>' */
    uint64_t index;
    uint32_t size; /* bytes per element; 0: packed */
    bool is_float;
    bool is_boolean;
    uint64_t largest[2]; /* magnitudes of integers: positive, negative */
    uint8_t *out;
    uint8_t group[4]; /* packed types: elements that are not written yet */
} element_stream;

static mlia_status *data_error(const element_stream *elements, const char *position, const char *what)
{
    mlia_str type = mlia_mlir_type_text(elements->lexer->context->arena, elements->type);
    return mlia_mlir_error(elements->lexer->context, MLIA_MLIR_DATA, position, "%s for %.*s", what,
                           MLIA_STR_ARG(type));
}

static void skip_blank(element_stream *elements)
{
    for (;;) {
        const char *p = elements->next;
        while (p < elements->end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
            p++;
        elements->next = p;
        if (elements->end - p < 2 || p[0] != '/' || p[1] != '/')
            return;
        const char *line_end = memchr(p, '\n', (size_t)(elements->end - p));
        elements->next = line_end != NULL ? line_end : elements->end;
    }
}

static mlia_status *unexpected(const element_stream *elements, const char *what)
{
    mlia_str found = {elements->next, (size_t)(elements->end - elements->next)};
    found.size = mlia_utf8_cut(found, found.size > 20 ? 20 : found.size);
    return mlia_mlir_error(elements->lexer->context, MLIA_MLIR_SYNTAX, elements->next,
                           "expected %s in a constant, found '%.*s'", what, MLIA_STR_ARG(found));
}

static void put(element_stream *elements, uint64_t pattern)
{
    switch (elements->size) {
    case 0: {
        uint64_t index = elements->index;
        elements->group[index % 4] = (uint8_t)pattern;
        if (index % 4 == 3)
            mlia_mlir_pack(elements->type->element, elements->group, 4, index - 3, elements->out);
        break;
    }
    case 1:
        elements->out[elements->index] = (uint8_t)pattern;
        break;
    case 4: {
        uint32_t word = (uint32_t)pattern;
        memcpy(elements->out + elements->index * 4, &word, 4);
        break;
    }
    default:
        mlia_mlir_store(elements->type->element, pattern, elements->out + elements->index * elements->size);
        break;
    }
    elements->index++;
}

/* Writes the last elements of a packed type. */
static void flush(element_stream *elements)
{
    if (elements->size == 0 && elements->index % 4 != 0)
        mlia_mlir_pack(elements->type->element, elements->group, elements->index % 4,
                       elements->index - elements->index % 4, elements->out);
}

static mlia_status *put_word(element_stream *elements)
{
    static const mlia_str words[] = {MLIA_STR_INIT("false"), MLIA_STR_INIT("true")};
    mlia_str rest = {elements->next, (size_t)(elements->end - elements->next)};
    for (uint64_t i = 0; i < 2; i++)
        if (mlia_str_starts_with(rest, words[i])) {
            if (elements->type->element != MLIA_TYPE_BOOL)
                return data_error(elements, elements->next, "true and false are no elements");
            elements->next += words[i].size;
            put(elements, i);
            return NULL;
        }
    return unexpected(elements, "a number");
}

/* "0x1": how MLIR spells elements of !tosa.mxint8. */
static mlia_status *put_string(element_stream *elements)
{
    const char *begin = elements->next + 1;
    const char *close = memchr(begin, '"', (size_t)(elements->end - begin));
    uint64_t pattern;
    if (elements->type->element != MLIA_TYPE_MXINT8 || close == NULL ||
        !mlia_mlir_parse_integer((mlia_str){begin, (size_t)(close - begin)}, &pattern) || pattern > 255)
        return data_error(elements, elements->next, "text is no element");
    elements->next = close + 1;
    put(elements, pattern);
    return NULL;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_hex_digit(char byte)
{
    return is_digit(byte) || ((byte | 32) >= 'a' && (byte | 32) <= 'f');
}

/* A number with '.', exponent or 0x, or one of more than 18 digits; `begin` is behind the sign. */
static mlia_status *put_unusual(element_stream *elements, const char *begin, bool negative)
{
    uint32_t type = elements->type->element;
    const char *p = begin;
    const char *end = elements->end;
    uint64_t pattern;
    bool hex = end - p > 2 && p[0] == '0' && p[1] == 'x';
    if (hex) {
        p += 2;
        while (p < end && is_hex_digit(*p))
            p++;
    } else {
        while (p < end && (is_digit(*p) || *p == '.' || ((*p | 32) == 'e') ||
                           ((*p == '-' || *p == '+') && (p[-1] | 32) == 'e')))
            p++;
    }
    mlia_str text = {begin, (size_t)(p - begin)};
    if (mlia_type_is_float(type) && !hex) {
        double value;
        if (!mlia_mlir_parse_float(text, &value))
            return unexpected(elements, "a number");
        if (!mlia_mlir_float_encode(type, negative ? -value : value, &pattern))
            return data_error(elements, begin, "number is out of range");
    } else if (!mlia_mlir_parse_integer(text, &pattern) ||
               (mlia_type_is_float(type) ? negative || pattern >> mlia_type_describe(type)->bits != 0
                                         : !mlia_mlir_integer_fits(elements->type, pattern, negative))) {
        return data_error(elements, begin, "number is out of range or no integer");
    } else if (negative) {
        pattern = 0 - pattern;
    }
    elements->next = p;
    put(elements, type == MLIA_TYPE_BOOL ? pattern & 1 : pattern);
    return NULL;
}

static mlia_status *put_element(element_stream *elements)
{
    skip_blank(elements);
    const char *p = elements->next;
    const char *end = elements->end;
    bool negative = p < end && *p == '-';
    p += negative;
    const char *begin = p;
    uint64_t value = 0;
    while (p < end && is_digit(*p))
        value = value * 10 + (uint64_t)(*p++ - '0');
    if (p == begin)
        return p < end && *p == '"' ? put_string(elements) : put_word(elements);
    if (p - begin > 18 || elements->is_float || (p < end && (*p == 'x' || *p == '.')))
        return put_unusual(elements, begin, negative);
    if (value > elements->largest[negative])
        return data_error(elements, begin, "number is out of range");
    elements->next = p;
    if (negative)
        value = 0 - value;
    put(elements, elements->is_boolean ? value & 1 : value);
    return NULL;
}

/* One nested list: as many entries as dimension `level` says. */
static mlia_status *put_list(element_stream *elements, uint32_t level)
{
    skip_blank(elements);
    if (elements->next >= elements->end || *elements->next != '[')
        return data_error(elements, elements->next, "expected a nested list");
    elements->next++;
    for (int64_t i = 0; i < elements->type->dims[level]; i++) {
        skip_blank(elements);
        if (elements->next >= elements->end || *elements->next == ']')
            return data_error(elements, elements->next, "too few values");
        if (i > 0 && *elements->next++ != ',') {
            elements->next--;
            return unexpected(elements, "','");
        }
        if (level + 1 < elements->type->rank) {
            MLIA_TRY(put_list(elements, level + 1));
        } else {
            MLIA_TRY(put_element(elements));
        }
    }
    skip_blank(elements);
    if (elements->next < elements->end && *elements->next == ',')
        return data_error(elements, elements->next, "too many values");
    if (elements->next >= elements->end || *elements->next != ']')
        return unexpected(elements, "']'");
    elements->next++;
    return NULL;
}

static mlia_status *start(element_stream *elements, uint64_t count)
{
    uint32_t type = elements->type->element;
    uint64_t size;
    if (!mlia_constant_bytes(type, MLIA_ENCODING_TOSA, count, &size))
        return data_error(elements, elements->next, "too many elements");
    elements->size = mlia_type_describe(type)->bits < 8 ? 0 : mlia_mlir_element_bytes(type);
    elements->is_float = mlia_type_is_float(type);
    elements->is_boolean = type == MLIA_TYPE_BOOL;
    if (!elements->is_float)
        mlia_mlir_integer_limits(elements->type, elements->largest);
    elements->out = MLIA_NEW_ARRAY(elements->lexer->context->arena, uint8_t, size);
    MLIA_TRY_ALLOC(elements->out);
    return NULL;
}

static mlia_status *parse_numbers(element_stream *elements, uint64_t count, mlia_constant *constant)
{
    skip_blank(elements);
    uint64_t wanted = 0;
    if (elements->next < elements->end && *elements->next == '[') {
        wanted = count;
        if (count > (uint64_t)(elements->end - elements->next))
            return data_error(elements, elements->next, "too few values");
        MLIA_TRY(start(elements, count));
        if (elements->type->rank == 0)
            return data_error(elements, elements->next, "a list is no element");
        MLIA_TRY(put_list(elements, 0));
    } else if (elements->next < elements->end) {
        wanted = 1;
        constant->splat = count != 1;
        MLIA_TRY(start(elements, 1));
        MLIA_TRY(put_element(elements));
    } else if (count != 0) {
        return data_error(elements, elements->next, "no values");
    } else {
        MLIA_TRY(start(elements, 0));
    }
    flush(elements);
    skip_blank(elements);
    if (elements->next != elements->end)
        return unexpected(elements, "'>'");
    uint64_t size = 0;
    mlia_constant_bytes(elements->type->element, MLIA_ENCODING_TOSA, wanted, &size);
    constant->bytes = (mlia_bytes){elements->out, (size_t)size};
    if (count == 0)
        constant->splat = false;
    return NULL;
}

/* The bytes that an even number of digits stand for; those of a blob of resources begin with its alignment.
 */
static mlia_status *decode(const element_stream *elements, mlia_str text, const uint8_t **bytes)
{
    const mlia_mlir_outline *outline = elements->lexer->outline;
    for (size_t before = 0; before <= RESOURCE_ALIGNMENT; before += RESOURCE_ALIGNMENT) {
        const mlia_mlir_blob *blob = mlia_mlir_find_blob(outline, text.data - 2 * before);
        if (blob != NULL) {
            *bytes = blob->bytes + before;
            return NULL;
        }
    }
    uint8_t *raw = MLIA_NEW_ARRAY(elements->lexer->context->arena, uint8_t, text.size / 2);
    MLIA_TRY_ALLOC(raw);
    if (mlia_mlir_decode_hex(text.data, text.size / 2, raw) < text.size / 2)
        return data_error(elements, text.data, "something else than hexadecimal digits");
    *bytes = raw;
    return NULL;
}

/* Raw data of a constant given as "0x…": `text` are the digits. */
static mlia_status *parse_hex(element_stream *elements, mlia_str text, uint64_t count,
                              mlia_constant *constant)
{
    mlia_arena *arena = elements->lexer->context->arena;
    uint32_t type = elements->type->element;
    if (text.size % 2 != 0)
        return data_error(elements, text.data, "odd number of hexadecimal digits");
    uint64_t size = text.size / 2;
    uint64_t unit = mlia_mlir_element_bytes(type);
    bool bits = type == MLIA_TYPE_BOOL && count > 8 && size == (count + 7) / 8; /* printers before LLVM 24 */
    if (size != count * unit && size != unit && !bits) {
        mlia_str name = mlia_mlir_type_text(arena, elements->type);
        return mlia_mlir_error(elements->lexer->context, MLIA_MLIR_DATA, text.data,
                               "expected %llu or %llu bytes of hexadecimal digits for %.*s, found %llu",
                               (unsigned long long)count * unit, (unsigned long long)unit, MLIA_STR_ARG(name),
                               (unsigned long long)size);
    }
    const uint8_t *raw = NULL;
    MLIA_TRY(decode(elements, text, &raw));
    constant->splat = size != count * unit && !bits;
    if (bits) {
        uint8_t *bytes = MLIA_NEW_ARRAY(arena, uint8_t, count);
        MLIA_TRY_ALLOC(bytes);
        for (uint64_t i = 0; i < count; i++)
            bytes[i] = raw[i / 8] >> (i % 8) & 1;
        constant->bytes = (mlia_bytes){bytes, count};
        return NULL;
    }
    return mlia_mlir_encode_raw(arena, type, (mlia_bytes){raw, (size_t)size}, size / unit, &constant->bytes);
}

/* As find_end, where comments stand: they may hold anything. */
static const char *find_end_among_comments(const mlia_mlir_outline *outline, const char *p, const char *end)
{
    while (p != NULL && p < end && *p != '>') {
        if (*p == '"')
            p = mlia_mlir_skip_string(outline, p, end);
        else if (*p == '/' && end - p > 1 && p[1] == '/')
            p = memchr(p, '\n', (size_t)(end - p));
        else
            p++;
    }
    return p == end ? NULL : p;
}

/* The '>' behind the elements that start at `p`, or NULL. Strings are skipped. */
static const char *find_end(const mlia_mlir_outline *outline, const char *p, const char *end)
{
    if (p < end && *p == '"') /* most often all that there is, and very long */
        p = mlia_mlir_skip_string(outline, p, end);
    if (p == NULL)
        return NULL;
    const char *angle = memchr(p, '>', (size_t)(end - p));
    while (angle != NULL) {
        const char *quote = memchr(p, '"', (size_t)(angle - p));
        if (quote == NULL)
            return angle;
        p = mlia_mlir_skip_string(outline, quote, end);
        if (p == NULL)
            return NULL;
        if (p > angle)
            angle = memchr(p, '>', (size_t)(end - p));
    }
    return NULL;
}

static mlia_status *parse_blob_value(mlia_mlir_lexer *lexer, mlia_str key)
{
    mlia_mlir_outline *outline = lexer->outline;
    if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_STRING))
        return mlia_mlir_advance(lexer); /* true, false: no constant */
    if (!MLIA_RESERVE(lexer->context->arena, outline->resource_blobs, outline->resource_count,
                      outline->resource_capacity) ||
        mlia_map_insert(&outline->resource_keys, key, (uint32_t)outline->resource_count, NULL) == NULL)
        return mlia_error_memory();
    outline->resource_blobs[outline->resource_count++] = lexer->token.text;
    return mlia_mlir_advance(lexer);
}

typedef mlia_status *(*entry_reader)(mlia_mlir_lexer *lexer, mlia_str key);

/* "{key: VALUE, …}". */
static mlia_status *parse_entries(mlia_mlir_lexer *lexer, entry_reader read)
{
    MLIA_TRY(mlia_mlir_expect(lexer, '{', "'{' in the resource section"));
    bool more = !mlia_mlir_at(lexer, '}');
    while (more) {
        mlia_str key = lexer->token.text;
        if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_STRING))
            MLIA_TRY(mlia_mlir_unescape(lexer, key, &key));
        else if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_WORD))
            return mlia_mlir_expected(lexer, "the key of a resource");
        MLIA_TRY(mlia_mlir_advance(lexer));
        MLIA_TRY(mlia_mlir_expect(lexer, ':', "':' after the key of a resource"));
        MLIA_TRY(read(lexer, key));
        MLIA_TRY(mlia_mlir_accept(lexer, ',', &more));
        more = more && !mlia_mlir_at(lexer, '}');
    }
    return mlia_mlir_expect(lexer, '}', "',' or '}' in the resource section");
}

static mlia_status *parse_dialect_resources(mlia_mlir_lexer *lexer, mlia_str key)
{
    (void)key; /* keys are looked up whatever the dialect: only builtin has blobs for constants */
    return parse_entries(lexer, parse_blob_value);
}

/* {-# dialect_resources: {…}, external_resources: {…} #-}, once, on first use. */
static mlia_status *read_resources(const mlia_mlir_lexer *lexer)
{
    mlia_mlir_outline *outline = lexer->outline;
    outline->resources_read = true;
    mlia_mlir_lexer inner = *lexer;
    inner.end = (const char *)lexer->context->file.data + lexer->context->file.size;
    MLIA_TRY(mlia_mlir_jump(&inner, outline->resources));
    while (mlia_mlir_at(&inner, MLIA_MLIR_TOKEN_WORD)) {
        mlia_str group = inner.token.text;
        MLIA_TRY(mlia_mlir_advance(&inner));
        MLIA_TRY(mlia_mlir_expect(&inner, ':', "':' after the name of a resource group"));
        if (!mlia_str_equal_c(group, "dialect_resources"))
            return NULL;
        MLIA_TRY(parse_entries(&inner, parse_dialect_resources));
        bool more;
        MLIA_TRY(mlia_mlir_accept(&inner, ',', &more));
    }
    return NULL;
}

/* dense_resource<key>: the digits of the blob behind its 4 bytes of alignment. */
static mlia_status *find_resource(mlia_mlir_lexer *lexer, mlia_str *digits)
{
    mlia_mlir_token key = lexer->token;
    mlia_str name = key.text;
    if (key.kind == MLIA_MLIR_TOKEN_STRING)
        MLIA_TRY(mlia_mlir_unescape(lexer, name, &name));
    else if (key.kind != MLIA_MLIR_TOKEN_WORD)
        return mlia_mlir_expected(lexer, "the key of a resource");
    mlia_mlir_outline *outline = lexer->outline;
    if (outline != NULL && outline->resources != NULL && !outline->resources_read)
        MLIA_TRY(read_resources(lexer));
    const uint32_t *index = outline != NULL ? mlia_map_find(&outline->resource_keys, name) : NULL;
    if (index == NULL)
        return mlia_mlir_error(lexer->context, MLIA_MLIR_DANGLING, key.begin,
                               "resource '%.*s' is not defined", MLIA_STR_ARG(name));
    *digits = outline->resource_blobs[*index];
    if (digits->size < 10 || !mlia_str_starts_with(*digits, MLIA_STR("0x")))
        return mlia_mlir_error(lexer->context, MLIA_MLIR_DATA, digits->data,
                               "resource '%.*s' does not start with 0x and 4 bytes of alignment",
                               MLIA_STR_ARG(name));
    *digits = mlia_str_slice(*digits, 10, digits->size);
    return mlia_mlir_advance(lexer);
}

/* True when the type can hold elements; else the constant stays opaque for whoever asks for it. */
static mlia_status *countable(mlia_mlir_lexer *lexer, const mlia_mlir_type *type, uint64_t *count,
                              bool *known)
{
    *known = type->kind == MLIA_MLIR_TYPE_TENSOR && type->element != MLIA_TYPE_UNKNOWN;
    if (*known && !mlia_mlir_type_elements(type, count)) {
        mlia_str text = mlia_mlir_type_text(lexer->context->arena, type);
        return mlia_mlir_error(lexer->context, MLIA_MLIR_DATA, lexer->token.begin,
                               "constant of type %.*s, whose size is unknown or too large",
                               MLIA_STR_ARG(text));
    }
    return NULL;
}

mlia_status *mlia_mlir_parse_dense(mlia_mlir_lexer *lexer, mlia_mlir_attribute *attribute)
{
    bool resource = mlia_mlir_at_word(lexer, "dense_resource");
    MLIA_TRY(mlia_mlir_advance(lexer));
    if (!mlia_mlir_at(lexer, '<'))
        return mlia_mlir_expected(lexer, "'<' after dense");
    element_stream elements = {.lexer = lexer, .next = lexer->next};
    mlia_str digits = MLIA_STR_NONE;
    if (resource) {
        MLIA_TRY(mlia_mlir_advance(lexer));
        MLIA_TRY(find_resource(lexer, &digits));
        MLIA_TRY(mlia_mlir_expect(lexer, '>', "'>' after the key of a resource"));
    } else {
        bool comments = lexer->outline == NULL || lexer->outline->comments;
        elements.end =
            (comments ? find_end_among_comments : find_end)(lexer->outline, lexer->next, lexer->end);
        if (elements.end == NULL)
            return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, lexer->token.begin,
                                   "'<' is never closed by '>'");
        MLIA_TRY(mlia_mlir_jump(lexer, elements.end + 1));
    }
    MLIA_TRY(mlia_mlir_expect(lexer, ':', "':' and the type of the constant"));
    MLIA_TRY(mlia_mlir_parse_type(lexer, &attribute->type));
    elements.type = attribute->type;
    uint64_t count = 0;
    bool known;
    MLIA_TRY(countable(lexer, attribute->type, &count, &known));
    attribute->kind = known ? MLIA_MLIR_DENSE : MLIA_MLIR_OPAQUE;
    if (!known)
        return NULL;
    attribute->as.constant.encoding = MLIA_ENCODING_TOSA;
    if (!resource) {
        skip_blank(&elements);
        mlia_str text = {elements.next, (size_t)(elements.end - elements.next)};
        const mlia_mlir_blob *blob = mlia_mlir_find_blob(lexer->outline, elements.next + 3);
        const char *quote = blob != NULL ? blob->end : NULL;
        if (!mlia_str_starts_with(text, MLIA_STR("\"0x")) || elements.type->element == MLIA_TYPE_MXINT8 ||
            (quote == NULL && (quote = memchr(elements.next + 1, '"', text.size - 1)) == NULL))
            return parse_numbers(&elements, count, &attribute->as.constant);
        digits = (mlia_str){elements.next + 3, (size_t)(quote - elements.next - 3)};
        elements.next = quote + 1;
        skip_blank(&elements);
        if (elements.next != elements.end)
            return unexpected(&elements, "'>'");
    }
    return parse_hex(&elements, digits, count, &attribute->as.constant);
}
