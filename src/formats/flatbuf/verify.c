/* The verifier: walks everything that the schema can reach, once per reference, and stops at the first fault
 * with its path and byte offset. The path is only spelled out when there is a fault.
 *
 * References lead forward, so there are no cycles; that a small file can still point to one table or text
 * millions of times is what the entry budget is for. */
#include <stdio.h>

#include "formats/flatbuf/flatbuf.h"

enum {
    ENTRIES_PER_BYTE = 4,
    BYTES_PER_ENTRY = 8, /* bytes of text or numbers that cost one entry */
    NO_INDEX = -1,
};

/* One step of the path from the root; lives in the caller's frame. */
typedef struct step {
    const struct step *parent;
    const char *name;
    int64_t index; /* NO_INDEX for a field that is no vector */
} step;

typedef struct verifier {
    const mlia_flatbuf *buffer;
    const mlia_flatbuf_rules *rules;
    mlia_diagnostics *diagnostics;
    uint64_t entries_left;
    size_t tables;
} verifier;

/* Where something is: for messages. */
typedef struct place {
    const step *path;
    size_t offset;
} place;

static void spell(const step *path, char *text, size_t capacity)
{
    const step *steps[MLIA_FLATBUF_DEPTH_LIMIT + 1];
    size_t count = 0;
    for (const step *item = path; item != NULL && count <= MLIA_FLATBUF_DEPTH_LIMIT; item = item->parent)
        steps[count++] = item;
    size_t used = 0;
    text[0] = '\0';
    while (count-- > 0 && used < capacity) {
        const char *dot = used > 0 ? "." : "";
        int written = steps[count]->index == NO_INDEX
                          ? snprintf(text + used, capacity - used, "%s%s", dot, steps[count]->name)
                          : snprintf(text + used, capacity - used, "%s%s[%lld]", dot, steps[count]->name,
                                     (long long)steps[count]->index);
        used += written > 0 ? (size_t)written : 0;
    }
}

enum { PATH_SIZE = 512 };

static mlia_status *fault(const place *where, mlia_status *status)
{
    char path[PATH_SIZE];
    spell(where->path, path, sizeof path);
    if (path[0] != '\0')
        mlia_status_in(status, "%s", path);
    return mlia_status_at(status, where->offset);
}

static void warn(const verifier *v, const place *where, const char *text)
{
    char path[PATH_SIZE];
    spell(where->path, path, sizeof path);
    mlia_warn_at(v->diagnostics, v->rules->warning_kind, where->offset, mlia_str_from_c(path), "%s", text);
}

static bool has_flag(const verifier *v, unsigned flag)
{
    return (v->rules->flags & flag) != 0;
}

/* The bytes from `where` are inside and, when the format wants that, aligned. */
static mlia_status *check_range(const verifier *v, const place *where, const char *what, uint64_t size,
                                size_t alignment)
{
    if (!mlia_bytes_has(v->buffer->bytes, where->offset, size))
        return fault(where, mlia_error(v->rules->offset_kind,
                                       "%s at byte %zu needs %llu bytes, but the file ends at byte %zu", what,
                                       where->offset, (unsigned long long)size, v->buffer->bytes.size));
    if (!has_flag(v, MLIA_FLATBUF_ALIGNED) || where->offset % alignment == 0)
        return NULL;
    if (alignment == 8 && has_flag(v, MLIA_FLATBUF_LOOSE_64)) {
        warn(v, where, "misaligned 8-byte number");
        return NULL;
    }
    return fault(where, mlia_error(v->rules->offset_kind, "%s at byte %zu is not aligned to %zu bytes", what,
                                   where->offset, alignment));
}

static mlia_status *spend(verifier *v, const place *where, uint64_t entries)
{
    if (entries > v->entries_left)
        return fault(where, mlia_error(v->rules->limit_kind,
                                       "the file refers to more than %d list entries per byte: it points to "
                                       "the same data over and over",
                                       ENTRIES_PER_BYTE));
    v->entries_left -= entries;
    return NULL;
}

/* Follows the offset at `where`, which becomes what it leads to. */
static mlia_status *follow(const verifier *v, place *where)
{
    MLIA_TRY(check_range(v, where, "offset", 4, 4));
    uint32_t distance = mlia_load_u32(v->buffer->bytes.data + where->offset);
    if (distance == 0)
        return fault(where, mlia_error(v->rules->offset_kind, "offset 0 leads nowhere"));
    where->offset += distance;
    return NULL;
}

static mlia_status *verify_string(verifier *v, place where)
{
    MLIA_TRY(follow(v, &where));
    MLIA_TRY(check_range(v, &where, "length of a string", 4, 4));
    const uint8_t *data = v->buffer->bytes.data + where.offset;
    size_t size = mlia_load_u32(data);
    MLIA_TRY(check_range(v, &where, "string", (uint64_t)size + 4, 1));
    MLIA_TRY(spend(v, &where, size / BYTES_PER_ENTRY));
    bool is_ended = mlia_bytes_has(v->buffer->bytes, where.offset + 4 + size, 1) && data[4 + size] == 0;
    if (!is_ended && has_flag(v, MLIA_FLATBUF_LOOSE_STRINGS))
        warn(v, &where, "string without its terminating zero byte");
    else if (!is_ended)
        return fault(&where, mlia_error(v->rules->offset_kind,
                                        "the string of %zu bytes has no zero byte behind it", size));
    if (!has_flag(v, MLIA_FLATBUF_ANY_TEXT) && !mlia_utf8_valid((mlia_str){(const char *)data + 4, size}))
        return fault(&where, mlia_error(v->rules->text_kind, "text is not UTF-8"));
    return NULL;
}

static mlia_status *verify_table(verifier *v, const mlia_flatbuf_schema *schema, place where, int depth);

static mlia_status *verify_vector(verifier *v, const mlia_flatbuf_field *info, place where, int depth)
{
    MLIA_TRY(follow(v, &where));
    MLIA_TRY(check_range(v, &where, "length of a vector", 4, 4));
    uint32_t count = mlia_load_u32(v->buffer->bytes.data + where.offset);
    MLIA_TRY(check_range(v, &where, "vector", 4 + (uint64_t)count * mlia_flatbuf_type_size(info->type), 1));
    if (info->max_count != 0 && count > info->max_count)
        return fault(&where, mlia_error(v->rules->limit_kind, "%u entries, at most %u are read", count,
                                        info->max_count));
    uint8_t size = mlia_flatbuf_type_size(info->type);
    if (info->type < MLIA_FLATBUF_STRING) /* bytes are taken as a view, numbers one by one */
        return spend(v, &where, size == 1 ? 0 : (uint64_t)count * size / BYTES_PER_ENTRY);
    MLIA_TRY(spend(v, &where, count));
    step entry = {where.path->parent, info->name, 0};
    place item = {&entry, 0};
    for (uint32_t i = 0; i < count; i++) {
        entry.index = i;
        item.offset = where.offset + 4 + 4 * (size_t)i;
        if (info->type == MLIA_FLATBUF_STRING) {
            MLIA_TRY(verify_string(v, item));
        } else {
            MLIA_TRY(follow(v, &item));
            MLIA_TRY(verify_table(v, info->table, item, depth + 1));
        }
    }
    return NULL;
}

/* Tag and value of a union; the tag's own field has been checked. */
static mlia_status *verify_union(verifier *v, mlia_flatbuf_table table, uint32_t field, place where,
                                 int depth)
{
    const mlia_flatbuf_field *info = &table.schema->fields[field];
    MLIA_TRY(follow(v, &where));
    uint32_t tag = mlia_flatbuf_u8(table, field - 1);
    if (tag == 0 && has_flag(v, MLIA_FLATBUF_UNION_PAIRS))
        return fault(&where, mlia_error(v->rules->missing_kind, "%s has %s but no %s", table.schema->name,
                                        info->name, table.schema->fields[field - 1].name));
    const mlia_flatbuf_schema *member = tag < info->member_count ? info->members[tag] : NULL;
    return member != NULL ? verify_table(v, member, where, depth + 1) : NULL;
}

static mlia_status *verify_present(verifier *v, mlia_flatbuf_table table, uint32_t field, place where,
                                   int depth)
{
    const mlia_flatbuf_field *info = &table.schema->fields[field];
    if (info->is_vector)
        return verify_vector(v, info, where, depth);
    switch (info->type) {
    case MLIA_FLATBUF_STRING:
        return verify_string(v, where);
    case MLIA_FLATBUF_TABLE:
        MLIA_TRY(follow(v, &where));
        return verify_table(v, info->table, where, depth + 1);
    case MLIA_FLATBUF_UNION:
        return verify_union(v, table, field, where, depth);
    default:
        return check_range(v, &where, "number", mlia_flatbuf_type_size(info->type),
                           mlia_flatbuf_type_size(info->type));
    }
}

static mlia_status *verify_absent(const verifier *v, mlia_flatbuf_table table, uint32_t field,
                                  const place *where)
{
    const mlia_flatbuf_field *info = &table.schema->fields[field];
    if (info->is_required)
        return fault(where,
                     mlia_error(v->rules->missing_kind, "%s has no %s", table.schema->name, info->name));
    if (info->type == MLIA_FLATBUF_UNION && has_flag(v, MLIA_FLATBUF_UNION_PAIRS) &&
        mlia_flatbuf_u8(table, field - 1) != 0)
        return fault(where, mlia_error(v->rules->missing_kind, "%s has %s %u but no %s", table.schema->name,
                                       table.schema->fields[field - 1].name,
                                       (unsigned)mlia_flatbuf_u8(table, field - 1), info->name));
    return NULL;
}

/* Finds and checks the vtable of the table at `where`. */
static mlia_status *verify_vtable(verifier *v, const place *where, size_t *vtable)
{
    MLIA_TRY(check_range(v, where, "table", 4, 4));
    const uint8_t *data = v->buffer->bytes.data;
    int64_t position = (int64_t)where->offset - (int32_t)mlia_load_u32(data + where->offset);
    if (position < 0)
        return fault(where,
                     mlia_error(v->rules->offset_kind, "the vtable lies before the start of the file"));
    place head = {where->path, (size_t)position};
    MLIA_TRY(check_range(v, &head, "vtable", 4, 2));
    size_t size = mlia_load_u16(data + head.offset);
    if (size < 4 || size % 2 != 0)
        return fault(&head, mlia_error(v->rules->offset_kind,
                                       "vtable of %zu bytes, expected an even number "
                                       "of at least 4",
                                       size));
    MLIA_TRY(check_range(v, &head, "vtable", size, 1));
    MLIA_TRY(check_range(v, where, "table", mlia_load_u16(data + head.offset + 2), 1));
    *vtable = head.offset;
    return NULL;
}

static mlia_status *verify_table(verifier *v, const mlia_flatbuf_schema *schema, place where, int depth)
{
    if (depth > MLIA_FLATBUF_DEPTH_LIMIT)
        return fault(&where, mlia_error(v->rules->limit_kind, "tables are nested more than %d deep",
                                        MLIA_FLATBUF_DEPTH_LIMIT));
    if (v->rules->table_limit != 0 && v->tables++ == v->rules->table_limit)
        return fault(&where, mlia_error(v->rules->limit_kind, "more than %zu tables", v->rules->table_limit));
    mlia_flatbuf_table table = {v->buffer, schema, where.offset, 0};
    MLIA_TRY(verify_vtable(v, &where, &table.vtable));
    const uint8_t *vtable = v->buffer->bytes.data + table.vtable;
    size_t vtable_size = mlia_load_u16(vtable);
    size_t table_size = mlia_load_u16(vtable + 2);
    step inner = {where.path, NULL, NO_INDEX};
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const mlia_flatbuf_field *info = &schema->fields[i];
        size_t slot = 4 + 2 * (size_t)i;
        size_t offset = slot + 2 <= vtable_size ? mlia_load_u16(vtable + slot) : 0;
        inner.name = info->name;
        if (offset == 0) {
            MLIA_TRY(verify_absent(v, table, i, &where));
            continue;
        }
        if (info->type == MLIA_FLATBUF_SKIPPED)
            continue;
        place field = {&inner, where.offset + offset};
        size_t size = info->is_vector ? 4 : mlia_flatbuf_type_size(info->type);
        if (offset < 4 || offset + size > table_size)
            return fault(&field, mlia_error(v->rules->offset_kind,
                                            "field of %zu bytes at %zu of a table of %zu bytes", size, offset,
                                            table_size));
        MLIA_TRY(verify_present(v, table, i, field, depth));
    }
    return NULL;
}

mlia_status *mlia_flatbuf_verify(const mlia_flatbuf *buffer, const mlia_flatbuf_schema *schema,
                                 mlia_diagnostics *diagnostics)
{
    verifier v = {
        .buffer = buffer,
        .rules = buffer->rules,
        .diagnostics = diagnostics,
        .entries_left = (uint64_t)buffer->bytes.size * ENTRIES_PER_BYTE,
    };
    return verify_table(&v, schema, (place){NULL, buffer->root}, 1);
}
