/* MLIR bytecode, versions 0 to 6: container, strings, dialects, offsets, resources, properties.
 * Everything that does not add up to the last byte is refused. */
#include "formats/mlir/bytecode.h"

#include "base/checked.h"
#include "formats/mlir/read.h"

mlia_status *mlia_mlir_reader_error(const mlia_mlir_bytecode *file, mlia_mlir_fault fault,
                                    const mlia_reader *reader, const char *what)
{
    return mlia_mlir_error(&file->context, fault, reader->bytes.data + reader->position, "%s", what);
}

static mlia_status *truncated(const mlia_mlir_bytecode *file, const mlia_reader *reader)
{
    return mlia_mlir_reader_error(file, MLIA_MLIR_TRUNCATED, reader, "unexpected end of the data");
}

mlia_status *mlia_mlir_read_byte(const mlia_mlir_bytecode *file, mlia_reader *reader, uint8_t *value)
{
    return mlia_read_u8(reader, value) ? NULL : truncated(file, reader);
}

/* PrefixVarInt: the trailing zero bits of the first byte tell how many bytes follow. */
mlia_status *mlia_mlir_read_number(const mlia_mlir_bytecode *file, mlia_reader *reader, uint64_t *value)
{
    uint8_t first;
    *value = 0;
    if (!mlia_read_u8(reader, &first))
        return truncated(file, reader);
    if (first & 1) {
        *value = first >> 1;
        return NULL;
    }
    unsigned more = first == 0 ? 8 : (unsigned)__builtin_ctz(first);
    mlia_bytes rest;
    if (!mlia_read_bytes(reader, more, &rest))
        return truncated(file, reader);
    uint64_t result = 0;
    for (unsigned i = 0; i < more; i++)
        result |= (uint64_t)rest.data[i] << (8 * i);
    *value = first == 0 ? result : result << (7 - more) | first >> (more + 1);
    return NULL;
}

mlia_status *mlia_mlir_read_signed(const mlia_mlir_bytecode *file, mlia_reader *reader, int64_t *value)
{
    uint64_t number = 0;
    MLIA_TRY(mlia_mlir_read_number(file, reader, &number));
    *value = (int64_t)(number >> 1 ^ (0 - (number & 1)));
    return NULL;
}

mlia_status *mlia_mlir_read_index(const mlia_mlir_bytecode *file, mlia_reader *reader, uint64_t limit,
                                  const char *what, uint32_t *value)
{
    const uint8_t *place = reader->bytes.data + reader->position;
    uint64_t number = 0;
    MLIA_TRY(mlia_mlir_read_number(file, reader, &number));
    if (number >= limit)
        return mlia_mlir_error(&file->context, MLIA_MLIR_OFFSET, place, "%s %llu of %llu does not exist",
                               what, (unsigned long long)number, (unsigned long long)limit);
    *value = (uint32_t)number;
    return NULL;
}

mlia_status *mlia_mlir_read_count(const mlia_mlir_bytecode *file, mlia_reader *reader, uint32_t *count)
{
    uint64_t number = 0;
    MLIA_TRY(mlia_mlir_read_number(file, reader, &number));
    if (number > mlia_reader_left(reader) || number >= UINT32_MAX)
        return mlia_mlir_reader_error(file, MLIA_MLIR_TRUNCATED, reader,
                                      "a count is larger than the bytes left");
    *count = (uint32_t)number;
    return NULL;
}

mlia_status *mlia_mlir_read_flagged(const mlia_mlir_bytecode *file, mlia_reader *reader, uint64_t *value,
                                    bool *flag)
{
    MLIA_TRY(mlia_mlir_read_number(file, reader, value));
    *flag = *value & 1;
    *value >>= 1;
    return NULL;
}

mlia_status *mlia_mlir_read_blob(const mlia_mlir_bytecode *file, mlia_reader *reader, uint64_t size,
                                 mlia_bytes *bytes)
{
    if (size > mlia_reader_left(reader))
        return mlia_mlir_reader_error(file, MLIA_MLIR_TRUNCATED, reader,
                                      "a size is larger than the bytes left");
    mlia_read_bytes(reader, (size_t)size, bytes);
    return NULL;
}

mlia_status *mlia_mlir_read_padding(const mlia_mlir_bytecode *file, mlia_reader *reader, uint64_t alignment)
{
    if (alignment == 0 || (alignment & (alignment - 1)) != 0)
        return mlia_mlir_reader_error(file, MLIA_MLIR_SYNTAX, reader, "alignment is no power of two");
    uint64_t base = (uint64_t)(reader->bytes.data - file->context.file.data);
    while (((base + reader->position) & (alignment - 1)) != 0) {
        uint8_t padding;
        MLIA_TRY(mlia_mlir_read_byte(file, reader, &padding));
        if (padding != 0xCB)
            return mlia_mlir_reader_error(file, MLIA_MLIR_SYNTAX, reader, "padding is not 0xCB");
    }
    return NULL;
}

mlia_status *mlia_mlir_read_section(const mlia_mlir_bytecode *file, mlia_reader *reader, uint8_t *id,
                                    mlia_bytes *bytes)
{
    uint64_t size = 0;
    MLIA_TRY(mlia_mlir_read_byte(file, reader, id));
    MLIA_TRY(mlia_mlir_read_number(file, reader, &size));
    if (*id & 0x80) {
        uint64_t alignment = 0;
        MLIA_TRY(mlia_mlir_read_number(file, reader, &alignment));
        MLIA_TRY(mlia_mlir_read_padding(file, reader, alignment));
    }
    *id &= 0x7F;
    if (*id >= MLIA_MLIR_SECTION_COUNT)
        return mlia_mlir_error(&file->context, MLIA_MLIR_ENUM, reader->bytes.data + reader->position,
                               "section %u is unknown", *id);
    return mlia_mlir_read_blob(file, reader, size, bytes);
}

mlia_status *mlia_mlir_read_end(const mlia_mlir_bytecode *file, const mlia_reader *reader, const char *what)
{
    if (mlia_reader_left(reader) == 0)
        return NULL;
    return mlia_mlir_error(&file->context, MLIA_MLIR_SYNTAX, reader->bytes.data + reader->position,
                           "%zu bytes too many at the end of %s", mlia_reader_left(reader), what);
}

static mlia_reader section_reader(const mlia_mlir_bytecode *file, mlia_mlir_section id)
{
    return mlia_reader_of(file->sections[id]);
}

static mlia_status *read_header(mlia_mlir_bytecode *file, mlia_reader *reader)
{
    uint64_t version = 0;
    reader->position = 4;
    MLIA_TRY(mlia_mlir_read_number(file, reader, &version));
    if (version > MLIA_MLIR_BYTECODE_VERSION)
        return mlia_status_at(mlia_error(MLIA_E_MLIRBC_VERSION, "bytecode version %llu; up to %d can be read",
                                         (unsigned long long)version, MLIA_MLIR_BYTECODE_VERSION),
                              4);
    file->version = (uint32_t)version;
    uint8_t byte;
    do { /* producer */
        MLIA_TRY(mlia_mlir_read_byte(file, reader, &byte));
    } while (byte != 0);
    return NULL;
}

static mlia_status *read_sections(mlia_mlir_bytecode *file, mlia_reader *reader)
{
    static const char *const names[MLIA_MLIR_SECTION_COUNT] = {
        "strings",   "dialects",         "attributes and types", "attribute offsets", "operations",
        "resources", "resource offsets", "dialect versions",     "properties"};
    while (mlia_reader_left(reader) > 0) {
        const uint8_t *place = reader->bytes.data + reader->position;
        uint8_t id;
        mlia_bytes bytes;
        MLIA_TRY(mlia_mlir_read_section(file, reader, &id, &bytes));
        if (file->present[id])
            return mlia_mlir_error(&file->context, MLIA_MLIR_SYNTAX, place, "section of %s occurs twice",
                                   names[id]);
        file->present[id] = true;
        file->sections[id] = bytes;
    }
    for (int id = 0; id <= MLIA_MLIR_PROPERTIES; id++) {
        bool required = id <= MLIA_MLIR_IR || (id == MLIA_MLIR_PROPERTIES && file->version >= 5);
        if (required && !file->present[id])
            return mlia_mlir_error(&file->context, MLIA_MLIR_SYNTAX, file->context.file.data,
                                   "no section of %s", names[id]);
    }
    return NULL;
}

/* Sizes come last string first, the bytes in normal order. */
static mlia_status *read_strings(mlia_mlir_bytecode *file)
{
    mlia_reader reader = section_reader(file, MLIA_MLIR_STRINGS);
    MLIA_TRY(mlia_mlir_read_count(file, &reader, &file->string_count));
    file->strings = MLIA_NEW_ARRAY(file->context.arena, mlia_str, file->string_count);
    MLIA_TRY_ALLOC(file->strings);
    for (uint32_t i = file->string_count; i-- > 0;) {
        uint64_t size = 0;
        MLIA_TRY(mlia_mlir_read_number(file, &reader, &size));
        if (size == 0)
            return mlia_mlir_reader_error(file, MLIA_MLIR_SYNTAX, &reader, "string without a terminator");
        file->strings[i].size = (size_t)size;
    }
    for (uint32_t i = 0; i < file->string_count; i++) {
        mlia_bytes bytes;
        if (!mlia_read_bytes(&reader, file->strings[i].size, &bytes))
            return truncated(file, &reader);
        if (bytes.data[bytes.size - 1] != 0)
            return mlia_mlir_reader_error(file, MLIA_MLIR_SYNTAX, &reader, "string without a terminator");
        file->strings[i] = (mlia_str){(const char *)bytes.data, bytes.size - 1};
    }
    return mlia_mlir_read_end(file, &reader, "the strings");
}

/* Index of a string, or of a string with a flag when `flagged`. */
static mlia_status *read_name(const mlia_mlir_bytecode *file, mlia_reader *reader, bool flagged, bool *flag,
                              mlia_str *text)
{
    const uint8_t *place = reader->bytes.data + reader->position;
    uint64_t index = 0;
    *flag = false;
    if (flagged)
        MLIA_TRY(mlia_mlir_read_flagged(file, reader, &index, flag));
    else
        MLIA_TRY(mlia_mlir_read_number(file, reader, &index));
    if (index >= file->string_count)
        return mlia_mlir_error(&file->context, MLIA_MLIR_OFFSET, place, "string %llu of %u does not exist",
                               (unsigned long long)index, file->string_count);
    *text = file->strings[index];
    if (!mlia_utf8_valid(*text))
        return mlia_mlir_error(&file->context, MLIA_MLIR_UTF8, text->data, "name is not UTF-8");
    return NULL;
}

mlia_status *mlia_mlir_read_string(const mlia_mlir_bytecode *file, mlia_reader *reader, mlia_str *text)
{
    uint32_t index = 0;
    MLIA_TRY(mlia_mlir_read_index(file, reader, file->string_count, "string", &index));
    *text = file->strings[index];
    return NULL;
}

static mlia_status *read_operation_names(mlia_mlir_bytecode *file, mlia_reader *reader)
{
    mlia_arena *arena = file->context.arena;
    uint64_t total;
    if (file->version >= 4)
        MLIA_TRY(mlia_mlir_read_number(file, reader, &total));
    while (mlia_reader_left(reader) > 0) {
        uint32_t dialect = 0;
        uint32_t count = 0;
        MLIA_TRY(mlia_mlir_read_index(file, reader, file->dialect_count, "dialect", &dialect));
        MLIA_TRY(mlia_mlir_read_count(file, reader, &count));
        for (uint32_t i = 0; i < count; i++) {
            mlia_str name = MLIA_STR_NONE;
            bool registered;
            MLIA_TRY(read_name(file, reader, file->version >= 5, &registered, &name));
            if (!MLIA_RESERVE(arena, file->names, file->name_count, file->name_capacity))
                return mlia_error_memory();
            mlia_str prefix = file->dialects[dialect];
            if (prefix.size > MLIA_MLIR_TEXT_LIMIT || name.size > MLIA_MLIR_TEXT_LIMIT)
                return mlia_mlir_reader_error(file, MLIA_MLIR_LIMIT, reader, "operation name is too long");
            mlia_str text = mlia_arena_format(arena, "%.*s%s%.*s", MLIA_STR_ARG(prefix),
                                              prefix.size > 0 ? "." : "", MLIA_STR_ARG(name));
            MLIA_TRY_ALLOC(text.data);
            file->names[file->name_count++] = text;
        }
    }
    return NULL;
}

static mlia_status *read_dialects(mlia_mlir_bytecode *file)
{
    mlia_reader reader = section_reader(file, MLIA_MLIR_DIALECTS);
    MLIA_TRY(mlia_mlir_read_count(file, &reader, &file->dialect_count));
    file->dialects = MLIA_NEW_ARRAY(file->context.arena, mlia_str, file->dialect_count);
    MLIA_TRY_ALLOC(file->dialects);
    for (uint32_t i = 0; i < file->dialect_count; i++) {
        bool versioned;
        uint8_t id;
        mlia_bytes ignored;
        MLIA_TRY(read_name(file, &reader, file->version >= 1, &versioned, &file->dialects[i]));
        if (versioned)
            MLIA_TRY(mlia_mlir_read_section(file, &reader, &id, &ignored));
    }
    return read_operation_names(file, &reader);
}

/* Groups of sizes until all of `count` entries have their bytes; `*position` runs through the entries'
 * section. */
static mlia_status *read_entries(mlia_mlir_bytecode *file, mlia_reader *reader, mlia_mlir_entry *entries,
                                 uint32_t count, uint64_t *position)
{
    for (uint32_t done = 0; done < count;) {
        uint32_t dialect = 0;
        uint64_t group = 0;
        MLIA_TRY(mlia_mlir_read_index(file, reader, file->dialect_count, "dialect", &dialect));
        MLIA_TRY(mlia_mlir_read_number(file, reader, &group));
        if (group > count - done)
            return mlia_mlir_reader_error(file, MLIA_MLIR_OFFSET, reader,
                                          "a group has more entries than announced");
        for (uint64_t i = 0; i < group; i++, done++) {
            mlia_mlir_entry *entry = &entries[done];
            uint64_t size = 0;
            MLIA_TRY(mlia_mlir_read_flagged(file, reader, &size, &entry->custom));
            if (!mlia_bytes_has(file->sections[MLIA_MLIR_ENTRIES], *position, size))
                return mlia_mlir_reader_error(file, MLIA_MLIR_OFFSET, reader,
                                              "an attribute or type reaches beyond its section");
            entry->dialect = dialect;
            entry->bytes =
                mlia_bytes_slice(file->sections[MLIA_MLIR_ENTRIES], (size_t)*position, (size_t)size);
            *position += size;
        }
    }
    return NULL;
}

static mlia_status *read_entry_table(mlia_mlir_bytecode *file)
{
    mlia_reader reader = section_reader(file, MLIA_MLIR_ENTRY_OFFSETS);
    uint64_t position = 0;
    MLIA_TRY(mlia_mlir_read_count(file, &reader, &file->attribute_count));
    MLIA_TRY(mlia_mlir_read_count(file, &reader, &file->type_count));
    file->attributes = MLIA_NEW_ARRAY(file->context.arena, mlia_mlir_entry, file->attribute_count);
    file->types = MLIA_NEW_ARRAY(file->context.arena, mlia_mlir_entry, file->type_count);
    if (file->attributes == NULL || file->types == NULL)
        return mlia_error_memory();
    MLIA_TRY(read_entries(file, &reader, file->attributes, file->attribute_count, &position));
    MLIA_TRY(read_entries(file, &reader, file->types, file->type_count, &position));
    MLIA_TRY(mlia_mlir_read_end(file, &reader, "the attribute offsets"));
    if (position != file->sections[MLIA_MLIR_ENTRIES].size)
        return mlia_mlir_reader_error(file, MLIA_MLIR_OFFSET, &reader,
                                      "attributes and types do not fill their section");
    return NULL;
}

/* One resource: its data follow each other in section RESOURCES. Kind 0 is a blob; others cannot be
 * constants. */
static mlia_status *read_resource(mlia_mlir_bytecode *file, mlia_reader *offsets, mlia_reader *data,
                                  mlia_bytes *blob)
{
    mlia_str key;
    uint64_t size = 0;
    uint8_t kind;
    mlia_bytes bytes;
    *blob = (mlia_bytes){NULL, 0};
    MLIA_TRY(mlia_mlir_read_string(file, offsets, &key));
    MLIA_TRY(mlia_mlir_read_number(file, offsets, &size));
    MLIA_TRY(mlia_mlir_read_byte(file, offsets, &kind));
    if (kind > 2)
        return mlia_mlir_reader_error(file, MLIA_MLIR_ENUM, offsets, "kind of a resource is unknown");
    if (size == 0)
        return NULL;
    MLIA_TRY(mlia_mlir_read_blob(file, data, size, &bytes));
    if (kind != 0)
        return NULL;
    mlia_reader reader = mlia_reader_of(bytes);
    uint64_t alignment = 0;
    MLIA_TRY(mlia_mlir_read_number(file, &reader, &alignment));
    MLIA_TRY(mlia_mlir_read_number(file, &reader, &size));
    MLIA_TRY(mlia_mlir_read_padding(file, &reader, alignment));
    MLIA_TRY(mlia_mlir_read_blob(file, &reader, size, blob));
    return mlia_mlir_read_end(file, &reader, "a resource");
}

/* External groups come first and have no handles; the entries of dialects are numbered through. */
static mlia_status *read_resources(mlia_mlir_bytecode *file)
{
    mlia_reader offsets = section_reader(file, MLIA_MLIR_RESOURCE_OFFSETS);
    mlia_reader data = section_reader(file, MLIA_MLIR_RESOURCES);
    uint32_t external = 0;
    if (file->present[MLIA_MLIR_RESOURCE_OFFSETS])
        MLIA_TRY(mlia_mlir_read_count(file, &offsets, &external));
    for (uint32_t group = 0; mlia_reader_left(&offsets) > 0; group++) {
        mlia_str key;
        uint32_t dialect = 0;
        uint32_t count = 0;
        if (group < external)
            MLIA_TRY(mlia_mlir_read_string(file, &offsets, &key));
        else
            MLIA_TRY(mlia_mlir_read_index(file, &offsets, file->dialect_count, "dialect", &dialect));
        MLIA_TRY(mlia_mlir_read_count(file, &offsets, &count));
        for (uint32_t i = 0; i < count; i++) {
            mlia_bytes blob;
            MLIA_TRY(read_resource(file, &offsets, &data, &blob));
            if (group < external)
                continue;
            if (!MLIA_RESERVE(file->context.arena, file->blobs, file->blob_count, file->blob_capacity))
                return mlia_error_memory();
            file->blobs[file->blob_count++] = blob;
        }
    }
    return mlia_mlir_read_end(file, &data, "the resources");
}

static mlia_status *read_properties(mlia_mlir_bytecode *file)
{
    mlia_reader reader = section_reader(file, MLIA_MLIR_PROPERTIES);
    if (!file->present[MLIA_MLIR_PROPERTIES])
        return NULL;
    MLIA_TRY(mlia_mlir_read_count(file, &reader, &file->property_count));
    file->properties = MLIA_NEW_ARRAY(file->context.arena, mlia_bytes, file->property_count);
    MLIA_TRY_ALLOC(file->properties);
    for (uint32_t i = 0; i < file->property_count; i++) {
        uint64_t size = 0;
        MLIA_TRY(mlia_mlir_read_number(file, &reader, &size));
        MLIA_TRY(mlia_mlir_read_blob(file, &reader, size, &file->properties[i]));
    }
    return mlia_mlir_read_end(file, &reader, "the properties");
}

/* Decodes everything, used or not: a broken entry is a broken file. */
static mlia_status *decode_entries(mlia_mlir_bytecode *file)
{
    const mlia_mlir_type *type;
    const mlia_mlir_attribute *attribute;
    for (uint32_t i = 0; i < file->type_count; i++)
        MLIA_TRY(mlia_mlir_type_at(file, i, &type));
    for (uint32_t i = 0; i < file->attribute_count; i++)
        MLIA_TRY(mlia_mlir_attribute_at(file, i, &attribute));
    return NULL;
}

mlia_status *mlia_mlir_read_bytecode(const mlia_mlir_context *context, mlia_graph **graph)
{
    mlia_mlir_bytecode *file = MLIA_NEW(context->arena, mlia_mlir_bytecode);
    MLIA_TRY_ALLOC(file);
    file->context = *context;
    mlia_reader reader = mlia_reader_of(context->file);
    MLIA_TRY(read_header(file, &reader));
    MLIA_TRY(read_sections(file, &reader));
    MLIA_TRY(read_strings(file));
    MLIA_TRY(read_dialects(file));
    MLIA_TRY(read_entry_table(file));
    MLIA_TRY(read_resources(file));
    MLIA_TRY(read_properties(file));
    MLIA_TRY(decode_entries(file));
    MLIA_TRY(mlia_mlir_builder_start(&file->builder, &file->context));
    MLIA_TRY(mlia_mlir_read_module(file));
    *graph = file->builder.graph;
    return NULL;
}
