/* Code lines: one entity for each (file, line) that code stacks name, above those stacks. */
#include "base/hash.h"
#include "result/document.h"
#include "result/stages.h"

/* Base name of a path with either separator. */
static mlia_str base_name(mlia_str path)
{
    mlia_str behind_slash = mlia_str_base_name(path);
    size_t backslash = mlia_str_find_last(path, '\\');
    mlia_str behind_backslash = backslash == SIZE_MAX ? path : mlia_str_slice(path, backslash + 1, SIZE_MAX);
    return behind_slash.size < behind_backslash.size ? behind_slash : behind_backslash;
}

static bool is_safe(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == ':' || c == '-';
}

/* Appends NAME:LINE with runs of unsafe characters as one '_', without '_' at the ends. */
static void add_safe(mlia_buffer *buffer, mlia_str text)
{
    size_t start = buffer->size;
    for (size_t i = 0; i < text.size; i++) {
        if (is_safe(text.data[i]))
            mlia_buffer_add_byte(buffer, (uint8_t)text.data[i]);
        else if (i == 0 || is_safe(text.data[i - 1]))
            mlia_buffer_add_byte(buffer, '_');
    }
    if (buffer->failed)
        return;
    size_t end = buffer->size;
    while (end > start && buffer->data[end - 1] == '_')
        end--;
    size_t first = start;
    while (first < end && buffer->data[first] == '_')
        first++;
    memmove(buffer->data + start, buffer->data + first, end - first);
    buffer->size = start + (end - first);
    if (buffer->size == start)
        mlia_buffer_add_str(buffer, MLIA_STR("line"));
}

/* Appends the JSON text of a file name with non-ASCII characters as they are. */
static void add_json_text(mlia_buffer *buffer, mlia_str text)
{
    mlia_buffer_add_byte(buffer, '"');
    for (size_t i = 0; i < text.size; i++) {
        mlia_value one = {.type = MLIA_VALUE_STRING, .as.string = {text.data + i, 1}};
        unsigned char c = (unsigned char)text.data[i];
        if (c >= 0x20 && c != '"' && c != '\\') {
            mlia_buffer_add_byte(buffer, c);
            continue;
        }
        size_t start = buffer->size; /* the escape without its quotes */
        mlia_value_write(&one, -1, buffer);
        if (buffer->failed)
            return;
        buffer->size -= 1;
        memmove(buffer->data + start, buffer->data + start + 1, buffer->size - start - 1);
        buffer->size -= 1;
    }
    mlia_buffer_add_byte(buffer, '"');
}

/* code_line/NAME:LINE-HASH and NAME:LINE of a pair. */
static mlia_status *make_names(mlia_arena *arena, mlia_str file, int64_t line, mlia_str *id, mlia_str *name)
{
    enum { HASH_DIGITS = 12 };
    *name = mlia_arena_format(arena, "%.*s:%lld", MLIA_STR_ARG(base_name(file)), (long long)line);
    MLIA_TRY_ALLOC(name->data);
    mlia_buffer buffer = {0};
    mlia_buffer_add_byte(&buffer, '[');
    add_json_text(&buffer, file);
    mlia_buffer_format(&buffer, ",%lld]", (long long)line);
    char hex[MLIA_SHA256_HEX_SIZE + 1] = "";
    if (!buffer.failed)
        mlia_sha256_hex(mlia_buffer_bytes(&buffer), hex);
    buffer.size = 0;
    mlia_buffer_add_str(&buffer, MLIA_STR("code_line/"));
    add_safe(&buffer, *name);
    mlia_buffer_add_byte(&buffer, '-');
    mlia_buffer_add(&buffer, hex, HASH_DIGITS);
    mlia_status *status = mlia_buffer_status(&buffer);
    if (status == NULL) {
        *id = mlia_arena_str(arena, mlia_buffer_str(&buffer));
        status = id->data == NULL ? mlia_error_memory() : NULL;
    }
    mlia_buffer_free(&buffer);
    return status;
}

/* File and line of a code stack; false when it has none. */
static bool place_of(const mlia_entity *entity, mlia_str *file, int64_t *line)
{
    *file = mlia_value_get_str(entity->attributes, MLIA_STR("file"));
    const mlia_value *value = mlia_value_get(entity->attributes, MLIA_STR("line"));
    if (file->size == 0 || value == NULL || value->type != MLIA_VALUE_INTEGER || value->as.integer < 1)
        return false;
    *line = value->as.integer;
    return true;
}

static mlia_status *add_line(mlia_arena *arena, mlia_result *result, mlia_str id, mlia_str name,
                             mlia_str file, int64_t line)
{
    mlia_entity entity = {.id = id,
                          .kind = mlia_well_known_kinds[MLIA_KIND_CODE_LINE],
                          .name = name,
                          .attributes = mlia_value_object(arena)};
    if (!mlia_value_set(arena, entity.attributes, MLIA_STR("file"), mlia_value_string(arena, file)) ||
        !mlia_value_set(arena, entity.attributes, MLIA_STR("line"), mlia_value_integer(arena, line)) ||
        !MLIA_APPEND(arena, result->entities, entity))
        return mlia_error_memory();
    return NULL;
}

mlia_status *mlia_result_derive_code_lines(mlia_arena *arena, mlia_result *result)
{
    mlia_map lines = mlia_map_in(arena);
    size_t count = result->entities.count;
    for (size_t i = 0; i < count; i++)
        if (mlia_str_equal(result->entities.items[i].kind, mlia_well_known_kinds[MLIA_KIND_CODE_LINE]))
            return mlia_error(MLIA_E_DOCUMENT,
                              "the entity '%.*s' is a code line; those are derived from code stacks",
                              MLIA_STR_ARG(result->entities.items[i].id));
    for (size_t i = 0; i < count; i++) {
        mlia_str file;
        int64_t line;
        mlia_entity *stack = &result->entities.items[i];
        if (!mlia_str_equal(stack->kind, mlia_well_known_kinds[MLIA_KIND_CODE_STACK]) ||
            !place_of(stack, &file, &line))
            continue;
        mlia_str id = MLIA_STR_NONE;
        mlia_str name = MLIA_STR_NONE;
        MLIA_TRY(make_names(arena, file, line, &id, &name));
        bool is_new;
        uint32_t *position = mlia_map_insert(&lines, id, (uint32_t)result->entities.count, &is_new);
        MLIA_TRY_ALLOC(position);
        if (is_new)
            MLIA_TRY(add_line(arena, result, id, name, file, line));
        mlia_entity *code_line = &result->entities.items[*position];
        stack = &result->entities.items[i];
        if (!MLIA_APPEND(arena, stack->parent_ids, code_line->id) ||
            !MLIA_APPEND(arena, code_line->child_ids, stack->id))
            return mlia_error_memory();
    }
    return NULL;
}
