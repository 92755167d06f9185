/* Attributes of MLIR text. What TOSA has no use for is matched, skipped and kept as OPAQUE. */
#include "formats/mlir/attribute.h"

#include "formats/mlir/element.h"

mlia_mlir_attribute *mlia_mlir_new_attribute(mlia_arena *arena, mlia_mlir_attribute attribute)
{
    mlia_mlir_attribute *copy = MLIA_NEW(arena, mlia_mlir_attribute);
    if (copy != NULL)
        *copy = attribute;
    return copy;
}

static mlia_status *parse_value(mlia_mlir_lexer *lexer, mlia_mlir_attribute *out);

static mlia_status *integer_attribute(mlia_mlir_lexer *lexer, const mlia_mlir_token *number, bool negative,
                                      mlia_mlir_attribute *out)
{
    uint64_t magnitude;
    if (!mlia_mlir_parse_integer(number->text, &magnitude))
        return mlia_mlir_error(lexer->context, MLIA_MLIR_ATTRIBUTE, number->begin,
                               "number %.*s does not fit 64 bits", MLIA_STR_ARG(number->text));
    bool typed = out->type != NULL && out->type->kind == MLIA_MLIR_TYPE_ELEMENT &&
                 out->type->element != MLIA_TYPE_UNKNOWN;
    bool hex = number->text.size > 1 && number->text.data[1] == 'x';
    if (typed && mlia_type_is_float(out->type->element)) {
        out->kind = MLIA_MLIR_FLOAT;
        out->as.element = magnitude;
        uint32_t bits = mlia_type_describe(out->type->element)->bits;
        if (!hex &&
            !mlia_mlir_float_encode(out->type->element, negative ? -(double)magnitude : (double)magnitude,
                                    &out->as.element))
            return mlia_mlir_error(lexer->context, MLIA_MLIR_ATTRIBUTE, number->begin,
                                   "%.*s is out of the range of its type", MLIA_STR_ARG(number->text));
        if (hex && (negative || magnitude >> bits != 0))
            return mlia_mlir_error(lexer->context, MLIA_MLIR_ATTRIBUTE, number->begin,
                                   "%.*s has more bits than its type", MLIA_STR_ARG(number->text));
        return NULL;
    }
    if (typed && !mlia_mlir_integer_fits(out->type, magnitude, negative))
        return mlia_mlir_error(lexer->context, MLIA_MLIR_ATTRIBUTE, number->begin,
                               "%s%.*s is out of the range of its type", negative ? "-" : "",
                               MLIA_STR_ARG(number->text));
    out->kind = MLIA_MLIR_INTEGER;
    out->as.integer = (int64_t)(negative ? 0 - magnitude : magnitude);
    return NULL;
}

static mlia_status *parse_number(mlia_mlir_lexer *lexer, mlia_mlir_attribute *out)
{
    bool negative;
    MLIA_TRY(mlia_mlir_accept(lexer, '-', &negative));
    mlia_mlir_token number = lexer->token;
    if (number.kind != MLIA_MLIR_TOKEN_INTEGER && number.kind != MLIA_MLIR_TOKEN_FLOAT)
        return mlia_mlir_expected(lexer, "a number");
    MLIA_TRY(mlia_mlir_advance(lexer));
    bool typed;
    MLIA_TRY(mlia_mlir_accept(lexer, ':', &typed));
    if (typed)
        MLIA_TRY(mlia_mlir_parse_type(lexer, &out->type));
    if (number.kind == MLIA_MLIR_TOKEN_INTEGER)
        return integer_attribute(lexer, &number, negative, out);
    out->kind = MLIA_MLIR_OPAQUE; /* f64 and other types that TOSA does not have */
    double value;
    if (!mlia_mlir_parse_float(number.text, &value))
        return mlia_mlir_error(lexer->context, MLIA_MLIR_ATTRIBUTE, number.begin, "%.*s is no number",
                               MLIA_STR_ARG(number.text));
    if (out->type == NULL || !mlia_type_is_float(out->type->element))
        return NULL;
    out->kind = MLIA_MLIR_FLOAT;
    if (!mlia_mlir_float_encode(out->type->element, negative ? -value : value, &out->as.element))
        return mlia_mlir_error(lexer->context, MLIA_MLIR_ATTRIBUTE, number.begin,
                               "%.*s is out of the range of its type", MLIA_STR_ARG(number.text));
    return NULL;
}

static mlia_status *parse_string(mlia_mlir_lexer *lexer, mlia_mlir_attribute *out)
{
    out->kind = MLIA_MLIR_STRING;
    MLIA_TRY(mlia_mlir_unescape(lexer, lexer->token.text, &out->text));
    MLIA_TRY(mlia_mlir_advance(lexer));
    bool typed;
    MLIA_TRY(mlia_mlir_accept(lexer, ':', &typed));
    return typed ? mlia_mlir_parse_type(lexer, &out->type) : NULL;
}

static mlia_status *parse_list(mlia_mlir_lexer *lexer, mlia_mlir_attribute *out)
{
    mlia_arena *arena = lexer->context->arena;
    const mlia_mlir_attribute **items = NULL;
    size_t count = 0;
    size_t capacity = 0;
    MLIA_TRY(mlia_mlir_expect(lexer, '[', "'['"));
    bool more = !mlia_mlir_at(lexer, ']');
    while (more) {
        if (!MLIA_RESERVE(arena, items, count, capacity))
            return mlia_error_memory();
        MLIA_TRY(mlia_mlir_parse_attribute(lexer, &items[count]));
        count++;
        MLIA_TRY(mlia_mlir_accept(lexer, ',', &more));
    }
    *out = (mlia_mlir_attribute){.kind = MLIA_MLIR_LIST, .count = (uint32_t)count, .as.items = items};
    return mlia_mlir_expect(lexer, ']', "',' or ']' after a list entry");
}

mlia_status *mlia_mlir_parse_dictionary(mlia_mlir_lexer *lexer, mlia_mlir_dictionary *dictionary)
{
    static const mlia_mlir_attribute unit = {.kind = MLIA_MLIR_UNIT};
    MLIA_TRY(mlia_mlir_expect(lexer, '{', "'{'"));
    bool more = !mlia_mlir_at(lexer, '}');
    while (more) {
        mlia_mlir_named entry = {lexer->token.text, &unit};
        if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_STRING))
            MLIA_TRY(mlia_mlir_unescape(lexer, lexer->token.text, &entry.name));
        else if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_WORD))
            return mlia_mlir_expected(lexer, "the name of an attribute");
        MLIA_TRY(mlia_mlir_advance(lexer));
        bool has_value;
        MLIA_TRY(mlia_mlir_accept(lexer, '=', &has_value));
        if (has_value)
            MLIA_TRY(mlia_mlir_parse_attribute(lexer, &entry.value));
        if (!MLIA_RESERVE(lexer->context->arena, dictionary->items, dictionary->count, dictionary->capacity))
            return mlia_error_memory();
        dictionary->items[dictionary->count++] = entry;
        MLIA_TRY(mlia_mlir_accept(lexer, ',', &more));
    }
    return mlia_mlir_expect(lexer, '}', "',' or '}' after an attribute");
}

/* array<i64: 1, 2> at the word. Arrays of fractions are legal, but no TOSA attribute is one. */
static mlia_status *parse_array(mlia_mlir_lexer *lexer, mlia_mlir_attribute *out)
{
    const char *begin = lexer->next;
    MLIA_TRY(mlia_mlir_advance(lexer));
    MLIA_TRY(mlia_mlir_expect(lexer, '<', "'<' after array"));
    MLIA_TRY(mlia_mlir_parse_type(lexer, &out->type));
    if (out->type->kind != MLIA_MLIR_TYPE_ELEMENT || !mlia_type_is_integer(out->type->element)) {
        const char *close;
        out->kind = MLIA_MLIR_OPAQUE;
        MLIA_TRY(mlia_mlir_find_angle(lexer, begin + 1, &close));
        return mlia_mlir_jump(lexer, close + 1);
    }
    int64_t *values = NULL;
    size_t count = 0;
    size_t capacity = 0;
    bool more;
    MLIA_TRY(mlia_mlir_accept(lexer, ':', &more));
    while (more) {
        mlia_mlir_attribute item = {.kind = MLIA_MLIR_UNIT};
        bool truth = mlia_mlir_at_word(lexer, "true");
        if (truth || mlia_mlir_at_word(lexer, "false")) {
            item = (mlia_mlir_attribute){.kind = MLIA_MLIR_INTEGER, .as.integer = truth};
            MLIA_TRY(mlia_mlir_advance(lexer));
        } else {
            MLIA_TRY(parse_number(lexer, &item));
        }
        if (item.kind != MLIA_MLIR_INTEGER)
            return mlia_mlir_expected(lexer, "integers in an array of integers");
        if (!MLIA_RESERVE(lexer->context->arena, values, count, capacity))
            return mlia_error_memory();
        values[count++] = item.as.integer;
        MLIA_TRY(mlia_mlir_accept(lexer, ',', &more));
    }
    out->kind = MLIA_MLIR_ARRAY;
    out->count = (uint32_t)count;
    out->as.integers = values;
    return mlia_mlir_expect(lexer, '>', "',' or '>' in an array");
}

static mlia_status *parse_symbol(mlia_mlir_lexer *lexer, mlia_mlir_attribute *out)
{
    out->kind = MLIA_MLIR_SYMBOL;
    MLIA_TRY(mlia_mlir_unescape(lexer, lexer->token.text, &out->text));
    MLIA_TRY(mlia_mlir_advance(lexer));
    while (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_COLONS)) { /* nested: the innermost name counts */
        MLIA_TRY(mlia_mlir_advance(lexer));
        if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_SYMBOL))
            return mlia_mlir_expected(lexer, "a symbol after '::'");
        MLIA_TRY(mlia_mlir_unescape(lexer, lexer->token.text, &out->text));
        MLIA_TRY(mlia_mlir_advance(lexer));
    }
    return NULL;
}

/* The current token may be followed at once by a body in angle brackets: both are passed, `body` is its text.
 */
static mlia_status *skip_body(mlia_mlir_lexer *lexer, mlia_str *body)
{
    const char *end = lexer->next;
    *body = MLIA_STR_NONE;
    if (end < lexer->end && *end == '<') {
        const char *begin = end + 1;
        MLIA_TRY(mlia_mlir_find_angle(lexer, begin, &end));
        *body = (mlia_str){begin, (size_t)(end - begin)};
        end++;
    }
    return mlia_mlir_jump(lexer, end);
}

static mlia_status *parse_alias(mlia_mlir_lexer *lexer, mlia_mlir_alias *alias, mlia_mlir_attribute *out)
{
    if (alias->attribute == NULL) {
        if (alias->busy)
            return mlia_mlir_error(lexer->context, MLIA_MLIR_CYCLE, lexer->token.begin,
                                   "alias '#%.*s' is defined by itself", MLIA_STR_ARG(lexer->token.text));
        alias->busy = true;
        mlia_mlir_lexer inner = *lexer;
        MLIA_TRY(mlia_mlir_jump(&inner, alias->value));
        MLIA_TRY(mlia_mlir_parse_attribute(&inner, &alias->attribute));
        alias->end = inner.token.begin;
        alias->busy = false;
    }
    *out = *alias->attribute;
    return mlia_mlir_advance(lexer);
}

/* #alias or #dialect.name<BODY>. TOSA's own attributes are enumerations: the body is the keyword. */
static mlia_status *parse_hash(mlia_mlir_lexer *lexer, mlia_mlir_attribute *out)
{
    mlia_mlir_alias *alias = mlia_mlir_find_alias(lexer);
    if (alias != NULL)
        return parse_alias(lexer, alias, out);
    mlia_mlir_token name = lexer->token;
    if (mlia_str_find(name.text, '.') == SIZE_MAX && !(lexer->next < lexer->end && *lexer->next == '<'))
        return mlia_mlir_error(lexer->context, MLIA_MLIR_DANGLING, name.begin, "alias '#%.*s' is not defined",
                               MLIA_STR_ARG(name.text));
    out->kind = mlia_str_starts_with(name.text, MLIA_STR("tosa.")) ? MLIA_MLIR_KEYWORD : MLIA_MLIR_OPAQUE;
    return skip_body(lexer, &out->text);
}

static mlia_status *parse_word(mlia_mlir_lexer *lexer, mlia_mlir_attribute *out)
{
    static const mlia_mlir_type boolean = {.kind = MLIA_MLIR_TYPE_ELEMENT, .element = MLIA_TYPE_BOOL};
    mlia_str word = lexer->token.text;
    mlia_mlir_type scalar;
    bool truth = mlia_str_equal_c(word, "true");
    if (truth || mlia_str_equal_c(word, "false")) {
        *out = (mlia_mlir_attribute){.kind = MLIA_MLIR_INTEGER, .type = &boolean, .as.integer = truth};
        return mlia_mlir_advance(lexer);
    }
    if (mlia_str_equal_c(word, "dense") || mlia_str_equal_c(word, "dense_resource"))
        return mlia_mlir_parse_dense(lexer, out);
    if (mlia_str_equal_c(word, "array"))
        return parse_array(lexer, out);
    if (mlia_str_equal_c(word, "loc")) {
        out->kind = MLIA_MLIR_LOCATION;
        return mlia_mlir_parse_location(lexer, &out->text);
    }
    if (mlia_str_equal_c(word, "unit")) {
        out->kind = MLIA_MLIR_UNIT;
        return mlia_mlir_advance(lexer);
    }
    if (mlia_str_equal_c(word, "tensor") || mlia_str_equal_c(word, "none") ||
        mlia_mlir_scalar(word, &scalar)) {
        out->kind = MLIA_MLIR_TYPE_ATTRIBUTE;
        return mlia_mlir_parse_type(lexer, &out->type);
    }
    mlia_str body;
    out->kind = MLIA_MLIR_KEYWORD; /* also affine_map<…>, opaque<…>, distinct… : nobody asks for those */
    out->text = word;
    return skip_body(lexer, &body);
}

static mlia_status *parse_value(mlia_mlir_lexer *lexer, mlia_mlir_attribute *out)
{
    switch (lexer->token.kind) {
    case MLIA_MLIR_TOKEN_WORD:
        return parse_word(lexer, out);
    case MLIA_MLIR_TOKEN_STRING:
        return parse_string(lexer, out);
    case MLIA_MLIR_TOKEN_SYMBOL:
        return parse_symbol(lexer, out);
    case MLIA_MLIR_TOKEN_HASH:
        return parse_hash(lexer, out);
    case MLIA_MLIR_TOKEN_BANG:
    case '(':
        out->kind = MLIA_MLIR_TYPE_ATTRIBUTE;
        return mlia_mlir_parse_type(lexer, &out->type);
    case '[':
        return parse_list(lexer, out);
    case '{': {
        mlia_mlir_dictionary members = {0};
        MLIA_TRY(mlia_mlir_parse_dictionary(lexer, &members));
        *out = (mlia_mlir_attribute){.kind = MLIA_MLIR_DICTIONARY, .count = (uint32_t)members.count};
        out->as.members = members.items;
        return NULL;
    }
    case '-':
    case MLIA_MLIR_TOKEN_INTEGER:
    case MLIA_MLIR_TOKEN_FLOAT:
        return parse_number(lexer, out);
    default:
        return mlia_mlir_expected(lexer, "an attribute value");
    }
}

mlia_status *mlia_mlir_parse_attribute(mlia_mlir_lexer *lexer, const mlia_mlir_attribute **attribute)
{
    mlia_mlir_attribute *value =
        mlia_mlir_new_attribute(lexer->context->arena, (mlia_mlir_attribute){.kind = MLIA_MLIR_UNIT});
    MLIA_TRY_ALLOC(value);
    MLIA_TRY(mlia_mlir_enter(lexer));
    MLIA_TRY(parse_value(lexer, value));
    mlia_mlir_leave(lexer);
    *attribute = value;
    return NULL;
}
