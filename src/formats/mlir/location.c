/* Locations: from MLIR text to one canonical text, aliases put in place. */
#include "formats/mlir/attribute.h"

static mlia_status *write_location(mlia_mlir_lexer *lexer, mlia_buffer *out);

/* "file":LINE:COLUMN [to [LINE]:COLUMN] or "name"[(child)]. */
static mlia_status *write_number(mlia_mlir_lexer *lexer, mlia_buffer *out)
{
    uint64_t value;
    if (!mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_INTEGER) || !mlia_mlir_parse_integer(lexer->token.text, &value))
        return mlia_mlir_expected(lexer, "a line or column number");
    mlia_buffer_format(out, "%llu", (unsigned long long)value);
    return mlia_mlir_advance(lexer);
}

static mlia_status *write_colon_number(mlia_mlir_lexer *lexer, mlia_buffer *out)
{
    MLIA_TRY(mlia_mlir_expect(lexer, ':', "':' and a line or column number"));
    mlia_buffer_add_byte(out, ':');
    return write_number(lexer, out);
}

static mlia_status *write_text_location(mlia_mlir_lexer *lexer, mlia_buffer *out)
{
    const char *begin = lexer->token.begin;
    mlia_str text = MLIA_STR_NONE;
    MLIA_TRY(mlia_mlir_unescape(lexer, lexer->token.text, &text));
    if (!mlia_utf8_valid(text))
        return mlia_mlir_error(lexer->context, MLIA_MLIR_UTF8, begin, "location name is not UTF-8");
    mlia_mlir_quote(out, text);
    MLIA_TRY(mlia_mlir_advance(lexer));
    if (mlia_mlir_at(lexer, ':')) {
        MLIA_TRY(write_colon_number(lexer, out));
        MLIA_TRY(write_colon_number(lexer, out));
        if (!mlia_mlir_at_word(lexer, "to"))
            return NULL;
        MLIA_TRY(mlia_mlir_advance(lexer));
        mlia_buffer_add_str(out, MLIA_STR(" to "));
        if (!mlia_mlir_at(lexer, ':'))
            MLIA_TRY(write_number(lexer, out));
        return write_colon_number(lexer, out);
    }
    bool child;
    MLIA_TRY(mlia_mlir_accept(lexer, '(', &child));
    if (!child)
        return NULL;
    size_t before = out->size;
    mlia_buffer_add_byte(out, '(');
    size_t start = out->size;
    MLIA_TRY(write_location(lexer, out));
    mlia_str written = {(const char *)out->data + start, out->size - start};
    if (out->failed || mlia_str_equal_c(written, "unknown"))
        out->size = before; /* as MLIR prints it */
    else
        mlia_buffer_add_byte(out, ')');
    return mlia_mlir_expect(lexer, ')', "')' after the child of a location");
}

static mlia_status *write_fused(mlia_mlir_lexer *lexer, mlia_buffer *out)
{
    mlia_buffer_add_str(out, MLIA_STR("fused"));
    const char *end = lexer->next;
    if (end < lexer->end && *end == '<') {
        MLIA_TRY(mlia_mlir_find_angle(lexer, end + 1, &end));
        end++;
        mlia_buffer_add(out, lexer->next, (size_t)(end - lexer->next));
    }
    MLIA_TRY(mlia_mlir_jump(lexer, end));
    MLIA_TRY(mlia_mlir_expect(lexer, '[', "'[' after fused"));
    mlia_buffer_add_byte(out, '[');
    bool more = !mlia_mlir_at(lexer, ']');
    while (more) {
        MLIA_TRY(write_location(lexer, out));
        MLIA_TRY(mlia_mlir_accept(lexer, ',', &more));
        if (more)
            mlia_buffer_add_str(out, MLIA_STR(", "));
    }
    mlia_buffer_add_byte(out, ']');
    return mlia_mlir_expect(lexer, ']', "',' or ']' in a fused location");
}

static mlia_status *write_callsite(mlia_mlir_lexer *lexer, mlia_buffer *out)
{
    MLIA_TRY(mlia_mlir_advance(lexer));
    MLIA_TRY(mlia_mlir_expect(lexer, '(', "'(' after callsite"));
    mlia_buffer_add_str(out, MLIA_STR("callsite("));
    MLIA_TRY(write_location(lexer, out));
    if (!mlia_mlir_at_word(lexer, "at"))
        return mlia_mlir_expected(lexer, "'at' between callee and caller");
    MLIA_TRY(mlia_mlir_advance(lexer));
    mlia_buffer_add_str(out, MLIA_STR(" at "));
    MLIA_TRY(write_location(lexer, out));
    mlia_buffer_add_byte(out, ')');
    return mlia_mlir_expect(lexer, ')', "')' after a callsite");
}

/* An alias stands for an attribute that must be a location; its text is "loc(…)" or empty for unknown. */
static mlia_status *parse_location_alias(mlia_mlir_lexer *lexer, mlia_str *text)
{
    const mlia_mlir_attribute *attribute;
    mlia_mlir_token name = lexer->token;
    MLIA_TRY(mlia_mlir_parse_attribute(lexer, &attribute));
    if (attribute->kind != MLIA_MLIR_LOCATION)
        return mlia_mlir_error(lexer->context, MLIA_MLIR_SYNTAX, name.begin,
                               "expected a location, found '#%.*s', which is none", MLIA_STR_ARG(name.text));
    *text = attribute->text;
    return NULL;
}

static mlia_status *write_alias(mlia_mlir_lexer *lexer, mlia_buffer *out)
{
    mlia_str text = MLIA_STR_NONE;
    MLIA_TRY(parse_location_alias(lexer, &text));
    mlia_buffer_add_str(out, text.size == 0 ? MLIA_STR("unknown") : mlia_str_slice(text, 4, text.size - 5));
    return NULL;
}

static mlia_status *write_location(mlia_mlir_lexer *lexer, mlia_buffer *out)
{
    MLIA_TRY(mlia_mlir_enter(lexer));
    if (out->size > MLIA_MLIR_TEXT_LIMIT)
        return mlia_mlir_error(lexer->context, MLIA_MLIR_LIMIT, lexer->token.begin,
                               "location text is longer than %d bytes", MLIA_MLIR_TEXT_LIMIT);
    if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_STRING)) {
        MLIA_TRY(write_text_location(lexer, out));
    } else if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_HASH)) {
        MLIA_TRY(write_alias(lexer, out));
    } else if (mlia_mlir_at_word(lexer, "fused")) {
        MLIA_TRY(write_fused(lexer, out));
    } else if (mlia_mlir_at_word(lexer, "callsite")) {
        MLIA_TRY(write_callsite(lexer, out));
    } else if (mlia_mlir_at_word(lexer, "unknown")) {
        mlia_buffer_add_str(out, MLIA_STR("unknown"));
        MLIA_TRY(mlia_mlir_advance(lexer));
    } else {
        return mlia_mlir_expected(lexer, "a location");
    }
    mlia_mlir_leave(lexer);
    return NULL;
}

mlia_status *mlia_mlir_keep_location(mlia_mlir_context *context, const void *position, mlia_buffer *buffer,
                                     mlia_str *text)
{
    mlia_status *status = mlia_buffer_status(buffer);
    if (status == NULL && (buffer->size > MLIA_MLIR_TEXT_LIMIT || buffer->size > context->location_budget))
        status = mlia_mlir_error(context, MLIA_MLIR_LIMIT, position, "locations expand to too much text");
    if (status == NULL) {
        context->location_budget -= buffer->size;
        *text = mlia_arena_str(context->arena, mlia_buffer_str(buffer));
        if (text->data == NULL)
            status = mlia_error_memory();
    }
    mlia_buffer_free(buffer);
    return status;
}

mlia_status *mlia_mlir_parse_location(mlia_mlir_lexer *lexer, mlia_str *text)
{
    const char *begin = lexer->token.begin;
    MLIA_TRY(mlia_mlir_advance(lexer));
    MLIA_TRY(mlia_mlir_expect(lexer, '(', "'(' after loc"));
    *text = MLIA_STR_NONE;
    if (mlia_mlir_at(lexer, MLIA_MLIR_TOKEN_HASH)) { /* one text for all uses of an alias */
        MLIA_TRY(parse_location_alias(lexer, text));
        return mlia_mlir_expect(lexer, ')', "')' after the location");
    }
    mlia_buffer out = {0};
    mlia_buffer_add_str(&out, MLIA_STR("loc("));
    mlia_status *status = write_location(lexer, &out);
    if (status != NULL) {
        mlia_buffer_free(&out);
        return status;
    }
    mlia_buffer_add_byte(&out, ')');
    if (mlia_str_equal_c(mlia_buffer_str(&out), "loc(unknown)"))
        mlia_buffer_free(&out);
    else
        MLIA_TRY(mlia_mlir_keep_location(lexer->context, begin, &out, text));
    return mlia_mlir_expect(lexer, ')', "')' after the location");
}

mlia_status *mlia_mlir_parse_optional_location(mlia_mlir_lexer *lexer, mlia_str *text)
{
    *text = MLIA_STR_NONE;
    return mlia_mlir_at_word(lexer, "loc") ? mlia_mlir_parse_location(lexer, text) : NULL;
}

bool mlia_mlir_location_valid(mlia_arena *arena, mlia_str text)
{
    mlia_mlir_context context = {.arena = arena,
                                 .tensor_types = mlia_map_in(arena),
                                 .file = {(const uint8_t *)text.data, text.size},
                                 .location_budget = text.size * 2 + 64};
    mlia_mlir_lexer lexer = {.context = &context, .next = text.data, .end = text.data + text.size};
    mlia_str ignored;
    if (!mlia_str_starts_with(text, MLIA_STR("loc(")))
        return false;
    mlia_status *status = mlia_mlir_advance(&lexer);
    if (status == NULL)
        status = mlia_mlir_parse_location(&lexer, &ignored);
    bool valid = status == NULL && mlia_mlir_at(&lexer, MLIA_MLIR_TOKEN_END);
    mlia_status_free(status);
    return valid;
}
