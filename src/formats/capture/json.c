/* JSON documents of a capture, by jansson.
 *
 * jansson holds integers in 63 bits and a sign; captures use 64 bits. Integers of more than 18 digits are
 * therefore handed to it as strings that begin with NUL, and a string that begins with NUL in the document
 * gets a second one, so that the two cannot be confused.
 */
#include "formats/capture/json.h"

#include <errno.h>
#include <stdlib.h>

enum { NARROW_DIGITS = 18 };
static const char nul_escape[] = "\\u0000";

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_number_part(uint8_t c)
{
    return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

/* An integer, correctly written, that jansson may not be able to hold. */
static bool is_wide_integer(mlia_bytes token)
{
    size_t start = token.data[0] == '-';
    if (token.size - start <= NARROW_DIGITS || token.data[start] == '0')
        return false;
    for (size_t i = start; i < token.size; i++)
        if (!is_digit(token.data[i]))
            return false;
    return true;
}

/* Copies a string from its opening quote; returns the position behind it. */
static size_t copy_string(mlia_bytes text, size_t start, mlia_buffer *out)
{
    size_t i = start + 1;
    while (i < text.size && text.data[i] != '"')
        i += text.data[i] == '\\' ? 2 : 1;
    size_t end = i < text.size ? i + 1 : text.size;
    mlia_buffer_add_byte(out, '"');
    mlia_bytes rest = mlia_bytes_slice(text, start + 1, end - start - 1);
    if (rest.size >= sizeof nul_escape - 1 && memcmp(rest.data, nul_escape, sizeof nul_escape - 1) == 0)
        mlia_buffer_add(out, nul_escape, sizeof nul_escape - 1);
    mlia_buffer_add(out, rest.data, rest.size);
    return end;
}

static size_t copy_number(mlia_bytes text, size_t start, mlia_buffer *out)
{
    size_t end = start;
    while (end < text.size && is_number_part(text.data[end]))
        end++;
    mlia_bytes token = mlia_bytes_slice(text, start, end - start);
    bool wide = is_wide_integer(token);
    if (wide)
        mlia_buffer_format(out, "\"%s", nul_escape);
    mlia_buffer_add(out, token.data, token.size);
    if (wide)
        mlia_buffer_add_byte(out, '"');
    return end;
}

/* The document as jansson gets it. Also the place where nesting is limited. */
static mlia_status *widen(mlia_bytes text, mlia_buffer *out)
{
    int depth = 0;
    for (size_t i = 0; i < text.size;) {
        uint8_t c = text.data[i];
        if (c == '"') {
            i = copy_string(text, i, out);
        } else if (c == '-' || is_digit(c)) {
            i = copy_number(text, i, out);
        } else {
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
            if (depth > MLIA_CAPTURE_DEPTH_LIMIT)
                return mlia_status_at(
                    mlia_error(MLIA_E_LIMIT, "JSON is nested deeper than %d", MLIA_CAPTURE_DEPTH_LIMIT), i);
            mlia_buffer_add_byte(out, c);
            i++;
        }
    }
    return mlia_buffer_status(out);
}

static mlia_kind kind_of(const json_error_t *error)
{
    switch (json_error_code(error)) {
    case json_error_duplicate_key:
        return MLIA_E_JSON_DUPLICATE_KEY;
    case json_error_null_byte_in_key:
        return MLIA_E_FIELDS;
    case json_error_numeric_overflow: /* only a number with an exponent can be left to overflow */
        return MLIA_E_TYPE;
    case json_error_out_of_memory:
        return MLIA_E_MEMORY;
    default:
        return MLIA_E_JSON_SYNTAX;
    }
}

static uint32_t position(int value)
{
    return value > 0 ? (uint32_t)value : 0;
}

mlia_status *capture_json_parse(mlia_bytes text, json_t **value)
{
    mlia_buffer prepared = {0};
    mlia_status *status = widen(text, &prepared);
    if (status == NULL) {
        json_error_t error;
        *value = json_loadb((const char *)prepared.data, prepared.size,
                            JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
        if (*value == NULL)
            status = mlia_status_at_line(mlia_error(kind_of(&error), "%s", error.text), position(error.line),
                                         position(error.column));
    }
    mlia_buffer_free(&prepared);
    return status;
}

static void append_place(mlia_buffer *place, const capture_node *node)
{
    if (node->parent != NULL) {
        append_place(place, node->parent);
        mlia_buffer_format(place, "%s%s", place->size ? "." : "", node->key);
        if (node->index != SIZE_MAX)
            mlia_buffer_format(place, "[%zu]", node->index);
    }
}

mlia_status *capture_at(mlia_status *status, const capture_node *node, const char *key)
{
    if (status == NULL)
        return NULL;
    mlia_buffer place = {0};
    append_place(&place, node);
    if (key != NULL)
        mlia_buffer_format(&place, "%s%s", place.size ? "." : "", key);
    if (place.size && mlia_buffer_status(&place) == NULL)
        mlia_status_in(status, "%.*s", MLIA_STR_ARG(mlia_buffer_str(&place)));
    mlia_buffer_free(&place);
    return status;
}

/* A JSON string that stands for an integer too wide for jansson: its digits, else empty. */
static mlia_str wide_digits(const json_t *value)
{
    const char *text = json_string_value(value);
    if (text == NULL || json_string_length(value) < 2 || text[0] != '\0' || text[1] == '\0')
        return MLIA_STR_NONE;
    return (mlia_str){text + 1, json_string_length(value) - 1};
}

bool capture_json_text(const json_t *value, mlia_str *text)
{
    if (!json_is_string(value) || wide_digits(value).size)
        return false;
    *text = (mlia_str){json_string_value(value), json_string_length(value)};
    if (text->size && text->data[0] == '\0')
        *text = mlia_str_slice(*text, 1, SIZE_MAX);
    return true;
}

static const char *type_name(const json_t *value)
{
    static const char *const names[] = {
        [JSON_OBJECT] = "an object",
        [JSON_ARRAY] = "a list",
        [JSON_STRING] = "a text",
        [JSON_INTEGER] = "an integer",
        [JSON_REAL] = "a number with fraction or exponent",
        [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",
        [JSON_NULL] = "null",
    };
    return wide_digits(value).size ? "an integer" : names[json_typeof(value)];
}

static mlia_status *wrong_type(const capture_node *node, const char *key, const char *expected,
                               const json_t *found)
{
    return capture_at(mlia_error(MLIA_E_TYPE, "expected %s, found %s", expected, type_name(found)), node,
                      key);
}

static mlia_status *check_schema_version(const capture_node *node)
{
    const json_t *version = json_object_get(node->object, "schema_version");
    if (version == NULL || (json_is_integer(version) && json_integer_value(version) == 2))
        return NULL;
    char found[32];
    snprintf(found, sizeof found, "%" JSON_INTEGER_FORMAT, json_integer_value(version));
    return capture_at(mlia_error(MLIA_E_SCHEMA_VERSION, "expected the integer 2, found %s",
                                 json_is_integer(version) ? found : type_name(version)),
                      node, "schema_version");
}

static bool has_key(const char *const *keys, const char *key)
{
    for (; *keys != NULL; keys++)
        if (strcmp(*keys, key) == 0)
            return true;
    return false;
}

static mlia_status *check_members(const capture_node *node, const char *const *keys)
{
    for (const char *const *key = keys; *key != NULL; key++)
        if (json_object_get(node->object, *key) == NULL)
            return capture_at(mlia_error(MLIA_E_FIELDS, "member '%s' is missing", *key), node, NULL);
    const char *key;
    json_t *unused;
    json_object_foreach((json_t *)node->object, key, unused)
    {
        if (!has_key(keys, key))
            return capture_at(mlia_error(MLIA_E_FIELDS, "unknown member '%.100s'", key), node, NULL);
    }
    return NULL;
}

static mlia_status *check_node(const capture_node *node, const char *const *keys)
{
    if (!json_is_object(node->object))
        return wrong_type(node, NULL, "an object", node->object);
    if (has_key(keys, "schema_version"))
        MLIA_TRY(check_schema_version(node));
    return check_members(node, keys);
}

mlia_status *capture_node_open(capture_node *node, const json_t *value, const char *const *keys)
{
    *node = (capture_node){.object = value, .index = SIZE_MAX};
    return check_node(node, keys);
}

mlia_status *capture_node_open_member(capture_node *node, const capture_node *parent, const char *key,
                                      const char *const *keys)
{
    *node = (capture_node){json_object_get(parent->object, key), parent, key, SIZE_MAX};
    return check_node(node, keys);
}

mlia_status *capture_node_open_item(capture_node *node, const capture_node *parent, const char *key,
                                    size_t index, const char *const *keys)
{
    *node = (capture_node){json_array_get(json_object_get(parent->object, key), index), parent, key, index};
    return check_node(node, keys);
}

bool capture_is_null(const capture_node *node, const char *key)
{
    return json_is_null(json_object_get(node->object, key));
}

/* True when the digits (with sign) fit into 64 bits without sign. */
static bool parse_wide(mlia_str digits, uint64_t *value)
{
    uint64_t sum = 0;
    if (digits.data[0] == '-')
        return false;
    for (size_t i = 0; i < digits.size; i++)
        if (__builtin_mul_overflow(sum, (uint64_t)10, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)(digits.data[i] - '0'), &sum))
            return false;
    *value = sum;
    return true;
}

static mlia_status *take_unsigned(const capture_node *node, const char *key, uint64_t most, uint64_t *value)
{
    const json_t *member = json_object_get(node->object, key);
    mlia_str wide = wide_digits(member);
    bool fits;
    if (wide.size) {
        fits = parse_wide(wide, value);
    } else {
        if (!json_is_integer(member))
            return wrong_type(node, key, "an integer", member);
        fits = json_integer_value(member) >= 0;
        *value = (uint64_t)json_integer_value(member);
    }
    if (!fits || *value > most)
        return capture_at(
            mlia_error(MLIA_E_RANGE, "the integer is not in 0 to %llu", (unsigned long long)most), node, key);
    return NULL;
}

mlia_status *capture_take_u64(const capture_node *node, const char *key, uint64_t *value)
{
    return take_unsigned(node, key, UINT64_MAX, value);
}

mlia_status *capture_take_u32(const capture_node *node, const char *key, uint32_t *value)
{
    uint64_t wide = 0;
    MLIA_TRY(take_unsigned(node, key, UINT32_MAX, &wide));
    *value = (uint32_t)wide;
    return NULL;
}

mlia_status *capture_take_optional_u32(const capture_node *node, const char *key, mlia_optional_u32 *value)
{
    value->present = !capture_is_null(node, key);
    return value->present ? capture_take_u32(node, key, &value->value) : NULL;
}

mlia_status *capture_check_optional_u64(const capture_node *node, const char *key)
{
    uint64_t unused;
    return capture_is_null(node, key) ? NULL : capture_take_u64(node, key, &unused);
}

mlia_status *capture_take_bool(const capture_node *node, const char *key, bool *value)
{
    const json_t *member = json_object_get(node->object, key);
    if (!json_is_boolean(member))
        return wrong_type(node, key, "true or false", member);
    *value = json_is_true(member);
    return NULL;
}

mlia_status *capture_check_text(const capture_node *node, const char *key)
{
    mlia_str unused;
    const json_t *member = json_object_get(node->object, key);
    return capture_json_text(member, &unused) ? NULL : wrong_type(node, key, "a text", member);
}

mlia_status *capture_check_optional_text(const capture_node *node, const char *key)
{
    return capture_is_null(node, key) ? NULL : capture_check_text(node, key);
}

mlia_status *capture_take_text(const capture_node *node, const char *key, mlia_arena *arena, mlia_str *value)
{
    mlia_str text = MLIA_STR_NONE;
    MLIA_TRY(capture_check_text(node, key));
    capture_json_text(json_object_get(node->object, key), &text);
    *value = mlia_arena_str(arena, text);
    MLIA_TRY_ALLOC(value->data);
    return NULL;
}

mlia_status *capture_take_filled_text(const capture_node *node, const char *key, mlia_arena *arena,
                                      mlia_str *value)
{
    MLIA_TRY(capture_take_text(node, key, arena, value));
    return value->size ? NULL : capture_at(mlia_error(MLIA_E_VALUE, "the text is empty"), node, key);
}

mlia_status *capture_take_list(const capture_node *node, const char *key, size_t least, size_t *count)
{
    const json_t *member = json_object_get(node->object, key);
    if (!json_is_array(member))
        return wrong_type(node, key, "a list", member);
    *count = json_array_size(member);
    return *count >= least ? NULL : capture_at(mlia_error(MLIA_E_VALUE, "the list is empty"), node, key);
}

mlia_status *capture_take_item_text(const capture_node *node, const char *key, size_t index,
                                    mlia_arena *arena, mlia_str *value)
{
    const json_t *member = json_array_get(json_object_get(node->object, key), index);
    capture_node item = {member, node, key, index};
    mlia_str text;
    if (!capture_json_text(member, &text))
        return wrong_type(&item, NULL, "a text", member);
    *value = mlia_arena_str(arena, text);
    MLIA_TRY_ALLOC(value->data);
    return NULL;
}
