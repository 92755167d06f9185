/* Writing the document: one walk over the tables of shape.h. */
#include "result/document.h"

#include <stdlib.h>

#include "result/shape.h"

/* A JSON text that is being written. `level` -1: on one line without spaces. */
typedef struct writer {
    mlia_buffer *buffer;
    int level;
    bool first; /* nothing written yet at this level */
    const mlia_kept *kept;
} writer;

static void add(writer *w, const char *text)
{
    mlia_buffer_add(w->buffer, text, strlen(text));
}

static void add_unit(writer *w, uint32_t unit)
{
    mlia_buffer_format(w->buffer, "\\u%04x", unit);
}

static void write_escape(writer *w, uint32_t point)
{
    static const char short_forms[] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\'};
    if (point < sizeof short_forms && short_forms[point] != '\0') {
        mlia_buffer_add_byte(w->buffer, '\\');
        mlia_buffer_add_byte(w->buffer, (uint8_t)short_forms[point]);
    } else if (point > 0xFFFF) {
        add_unit(w, 0xD800 + ((point - 0x10000) >> 10));
        add_unit(w, 0xDC00 + ((point - 0x10000) & 0x3FF));
    } else {
        add_unit(w, point);
    }
}

static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

static void write_text(writer *w, mlia_str text)
{
    mlia_buffer_add_byte(w->buffer, '"');
    for (size_t position = 0; position < text.size;) {
        size_t start = position;
        while (position < text.size && is_plain(text.data[position]))
            position++;
        mlia_buffer_add(w->buffer, text.data + start, position - start);
        if (position == text.size)
            break;
        uint32_t point;
        write_escape(w, mlia_utf8_next(text, &position, &point) ? point : 0xFFFD);
    }
    mlia_buffer_add_byte(w->buffer, '"');
}

static void new_line(writer *w)
{
    static const char spaces[] = "                                ";
    if (w->level < 0)
        return;
    mlia_buffer_add_byte(w->buffer, '\n');
    for (size_t left = (size_t)w->level * 4; left > 0;) {
        size_t part = left < sizeof spaces - 1 ? left : sizeof spaces - 1;
        mlia_buffer_add(w->buffer, spaces, part);
        left -= part;
    }
}

static void open_level(writer *w, const char *bracket)
{
    add(w, bracket);
    w->first = true;
    if (w->level >= 0)
        w->level++;
}

static void next_item(writer *w)
{
    if (!w->first)
        add(w, ",");
    w->first = false;
    new_line(w);
}

static void close_level(writer *w, const char *bracket)
{
    if (w->level >= 0)
        w->level--;
    if (!w->first)
        new_line(w);
    w->first = false;
    add(w, bracket);
}

static void write_name(writer *w, mlia_str name)
{
    next_item(w);
    write_text(w, name);
    add(w, w->level < 0 ? ":" : ": ");
}

static void write_number(writer *w, double number)
{
    char text[MLIA_NUMBER_TEXT_SIZE];
    mlia_buffer_add(w->buffer, text, mlia_number_text(number, text));
}

static void write_value(writer *w,
                        const mlia_value *value) /* NOLINT(misc-no-recursion): depth of the value */
{
    switch (value->type) {
    case MLIA_VALUE_NULL:
        add(w, "null");
        break;
    case MLIA_VALUE_BOOL:
        add(w, value->as.boolean ? "true" : "false");
        break;
    case MLIA_VALUE_INTEGER:
        mlia_buffer_format(w->buffer, "%lld", (long long)value->as.integer);
        break;
    case MLIA_VALUE_NUMBER:
        write_number(w, value->as.number);
        break;
    case MLIA_VALUE_STRING:
        write_text(w, value->as.string);
        break;
    case MLIA_VALUE_ARRAY:
        open_level(w, "[");
        for (uint32_t i = 0; i < value->count; i++) {
            next_item(w);
            write_value(w, value->as.items[i]);
        }
        close_level(w, "]");
        break;
    case MLIA_VALUE_OBJECT:
        open_level(w, "{");
        for (uint32_t i = 0; i < value->count; i++) {
            write_name(w, value->as.members[i].name);
            write_value(w, value->as.members[i].value);
        }
        close_level(w, "}");
        break;
    }
}

/* Is there anything to write for a member? */
static bool has_content(const mlia_field *field, const char *structure)
{
    const void *member = structure + field->offset;
    switch (field->store) {
    case MLIA_STORE_TEXT:
        return ((const mlia_str *)member)->size > 0;
    case MLIA_STORE_ENUM:
        return *(const int *)member != 0;
    case MLIA_STORE_NUMBER:
        return !*(const bool *)(structure + field->flag);
    case MLIA_STORE_INTEGER:
        return *(const bool *)(structure + field->flag);
    case MLIA_STORE_CONSTANT:
        return *(const bool *)member;
    case MLIA_STORE_TEXTS:
    case MLIA_STORE_STRUCTS:
        return mlia_list_erase(member).count > 0;
    case MLIA_STORE_VALUE:
        return *(const mlia_value *const *)member != NULL && (*(const mlia_value *const *)member)->count > 0;
    case MLIA_STORE_STRUCT:
        return true;
    case MLIA_STORE_NONE:
        break;
    }
    return false;
}

static void write_struct(writer *w, const mlia_shape *shape, const char *structure);

static void write_texts(writer *w, const mlia_texts *texts)
{
    open_level(w, "[");
    for (size_t i = 0; i < texts->count; i++) {
        next_item(w);
        write_text(w, texts->items[i]);
    }
    close_level(w, "]");
}

static void write_structs(writer *w, const mlia_shape *shape,
                          const char *list) /* NOLINT(misc-no-recursion) */
{
    mlia_erased_list structs = mlia_list_erase(list);
    open_level(w, "[");
    for (size_t i = 0; i < structs.count; i++) {
        next_item(w);
        write_struct(w, shape, structs.items + i * shape->size);
    }
    close_level(w, "]");
}

static void write_member(writer *w, const mlia_field *field,
                         const char *structure) /* NOLINT(misc-no-recursion) */
{
    const void *member = structure + field->offset;
    switch (field->store) {
    case MLIA_STORE_TEXT:
        write_text(w, *(const mlia_str *)member);
        break;
    case MLIA_STORE_ENUM: {
        int value = *(const int *)member;
        write_text(w, value > 0 ? mlia_str_from_c(field->texts[value - 1]) : MLIA_STR_NONE);
        break;
    }
    case MLIA_STORE_NUMBER:
        write_number(w, *(const double *)member);
        break;
    case MLIA_STORE_INTEGER:
        mlia_buffer_format(w->buffer, "%lld", (long long)*(const int64_t *)member);
        break;
    case MLIA_STORE_CONSTANT:
        write_text(w, mlia_str_from_c(field->texts[0]));
        break;
    case MLIA_STORE_TEXTS:
        write_texts(w, member);
        break;
    case MLIA_STORE_VALUE: {
        static const mlia_value empty = {.type = MLIA_VALUE_OBJECT};
        const mlia_value *value = *(const mlia_value *const *)member;
        write_value(w, value != NULL ? value : &empty);
        break;
    }
    case MLIA_STORE_STRUCT:
        write_struct(w, field->shape, member);
        break;
    case MLIA_STORE_STRUCTS:
        write_structs(w, field->item->shape, member);
        break;
    case MLIA_STORE_NONE:
        break;
    }
}

static int compare_owner(const void *key, const void *item)
{
    uintptr_t a = (uintptr_t)key;
    uintptr_t b = (uintptr_t)((const struct mlia_kept_members *)item)->owner;
    return (a > b) - (a < b);
}

static void write_kept(writer *w, const char *structure)
{
    if (w->kept == NULL || w->kept->objects.count == 0)
        return;
    const struct mlia_kept_members *found =
        bsearch(structure, w->kept->objects.items, w->kept->objects.count, sizeof *found, compare_owner);
    for (uint32_t i = 0; found != NULL && i < found->members->count; i++) {
        write_name(w, found->members->as.members[i].name);
        write_value(w, found->members->as.members[i].value);
    }
}

static void write_struct(writer *w, const mlia_shape *shape,
                         const char *structure) /* NOLINT(misc-no-recursion) */
{
    open_level(w, "{");
    for (size_t i = 0; i < shape->count; i++) {
        const mlia_field *field = &shape->fields[i];
        if (!has_content(field, structure) && !field->required)
            continue;
        write_name(w, mlia_str_from_c(field->name));
        write_member(w, field, structure);
    }
    write_kept(w, structure);
    close_level(w, "}");
}

void mlia_document_write(const mlia_document *document, mlia_buffer *buffer)
{
    writer w = {.buffer = buffer, .kept = document->kept};
    write_struct(&w, &mlia_document_shape, (const char *)document);
    add(&w, "\n");
}

void mlia_value_write(const mlia_value *value, int level, mlia_buffer *buffer)
{
    writer w = {.buffer = buffer, .level = level};
    write_value(&w, value);
}
