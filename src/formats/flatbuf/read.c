/* Accessors. Each finds its field through the vtable and checks that what it reads lies inside the bytes;
 * what does not is absent. They are safe without verification, but only mlia_flatbuf_verify tells broken from
 * absent. */
#include <assert.h>

#include "formats/flatbuf/flatbuf.h"

enum { OFFSET_SIZE = 4, COUNT_SIZE = 4 };

uint8_t mlia_flatbuf_type_size(mlia_flatbuf_type type)
{
    static const uint8_t sizes[] = {
        [MLIA_FLATBUF_SKIPPED] = 1, [MLIA_FLATBUF_BOOL] = 1,  [MLIA_FLATBUF_I8] = 1,
        [MLIA_FLATBUF_U8] = 1,      [MLIA_FLATBUF_I16] = 2,   [MLIA_FLATBUF_U16] = 2,
        [MLIA_FLATBUF_I32] = 4,     [MLIA_FLATBUF_U32] = 4,   [MLIA_FLATBUF_I64] = 8,
        [MLIA_FLATBUF_U64] = 8,     [MLIA_FLATBUF_F32] = 4,   [MLIA_FLATBUF_F64] = 8,
        [MLIA_FLATBUF_STRING] = 4,  [MLIA_FLATBUF_TABLE] = 4, [MLIA_FLATBUF_UNION] = 4,
    };
    return sizes[type];
}

mlia_status *mlia_flatbuf_open(mlia_bytes bytes, const mlia_flatbuf_rules *rules, mlia_flatbuf *buffer)
{
    size_t header = rules->identifier ? 8 : 4;
    if (bytes.size < header)
        return mlia_status_at(mlia_error(rules->short_kind,
                                         "%zu bytes are too few for a FlatBuffer: the header alone has %zu",
                                         bytes.size, header),
                              bytes.size);
    if (rules->identifier && memcmp(bytes.data + 4, rules->identifier, 4) != 0)
        return mlia_status_at(mlia_error(rules->identifier_kind, "file identifier is '%.4s', expected '%s'",
                                         (const char *)bytes.data + 4, rules->identifier),
                              4);
    size_t root = mlia_load_u32(bytes.data);
    if (root < header || !mlia_bytes_has(bytes, root, 4))
        return mlia_status_at(mlia_error(rules->offset_kind,
                                         "the root table is at byte %zu, outside of bytes %zu to %zu", root,
                                         header, bytes.size),
                              0);
    *buffer = (mlia_flatbuf){bytes, rules, root};
    return NULL;
}

/* Table at `position`, absent when table or vtable head lie outside. */
static mlia_flatbuf_table table_at(const mlia_flatbuf *buffer, const mlia_flatbuf_schema *schema,
                                   size_t position)
{
    mlia_flatbuf_table absent = {.buffer = buffer, .schema = schema};
    if (position == 0 || schema == NULL || !mlia_bytes_has(buffer->bytes, position, 4))
        return absent;
    int64_t vtable = (int64_t)position - (int32_t)mlia_load_u32(buffer->bytes.data + position);
    if (vtable < 0 || !mlia_bytes_has(buffer->bytes, (uint64_t)vtable, 4))
        return absent;
    return (mlia_flatbuf_table){buffer, schema, position, (size_t)vtable};
}

mlia_flatbuf_table mlia_flatbuf_root(const mlia_flatbuf *buffer, const mlia_flatbuf_schema *schema)
{
    return table_at(buffer, schema, buffer->root);
}

/* Position of a field's `size` bytes in its table, 0 when absent. */
static size_t field_position(mlia_flatbuf_table table, uint32_t field, size_t size)
{
    assert(table.schema != NULL && field < table.schema->field_count);
    if (table.position == 0)
        return 0;
    mlia_bytes bytes = table.buffer->bytes;
    size_t slot = 4 + 2 * (size_t)field;
    if (slot + 2 > mlia_load_u16(bytes.data + table.vtable) || !mlia_bytes_has(bytes, table.vtable + slot, 2))
        return 0;
    size_t offset = mlia_load_u16(bytes.data + table.vtable + slot);
    return offset != 0 && mlia_bytes_has(bytes, table.position + offset, size) ? table.position + offset : 0;
}

/* Position that the offset at `position` leads to, 0 when it has no room for `size` bytes. */
static size_t follow(const mlia_flatbuf *buffer, size_t position, size_t size)
{
    if (position == 0)
        return 0;
    size_t target = position + mlia_load_u32(buffer->bytes.data + position);
    return target != position && mlia_bytes_has(buffer->bytes, target, size) ? target : 0;
}

static bool is_reference_type(mlia_flatbuf_type type)
{
    return type >= MLIA_FLATBUF_STRING;
}

bool mlia_flatbuf_has(mlia_flatbuf_table table, uint32_t field)
{
    return field_position(table, field, 1) != 0;
}

size_t mlia_flatbuf_offset(mlia_flatbuf_table table, uint32_t field)
{
    size_t position = field_position(table, field, 1);
    if (position != 0 &&
        (table.schema->fields[field].is_vector || is_reference_type(table.schema->fields[field].type)))
        position = follow(table.buffer, field_position(table, field, OFFSET_SIZE), 1);
    return position ? position : table.position;
}

static int64_t load_integer(const uint8_t *data, mlia_flatbuf_type type)
{
    switch (type) {
    case MLIA_FLATBUF_BOOL:
        return data[0] != 0;
    case MLIA_FLATBUF_I8:
        return (int8_t)data[0];
    case MLIA_FLATBUF_U8:
        return data[0];
    case MLIA_FLATBUF_I16:
        return (int16_t)mlia_load_u16(data);
    case MLIA_FLATBUF_U16:
        return mlia_load_u16(data);
    case MLIA_FLATBUF_I32:
        return (int32_t)mlia_load_u32(data);
    case MLIA_FLATBUF_U32:
        return mlia_load_u32(data);
    case MLIA_FLATBUF_I64:
    case MLIA_FLATBUF_U64:
        return (int64_t)mlia_load_u64(data);
    default:
        assert(!"no integer type");
        return 0;
    }
}

static double load_real(const uint8_t *data, mlia_flatbuf_type type)
{
    assert(type == MLIA_FLATBUF_F32 || type == MLIA_FLATBUF_F64);
    if (type == MLIA_FLATBUF_F64) {
        double value;
        uint64_t bits = mlia_load_u64(data);
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    float value;
    uint32_t bits = mlia_load_u32(data);
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

int64_t mlia_flatbuf_integer(mlia_flatbuf_table table, uint32_t field)
{
    const mlia_flatbuf_field *info = &table.schema->fields[field];
    size_t position = field_position(table, field, mlia_flatbuf_type_size(info->type));
    return position ? load_integer(table.buffer->bytes.data + position, info->type) : info->initial;
}

double mlia_flatbuf_real(mlia_flatbuf_table table, uint32_t field)
{
    mlia_flatbuf_type type = table.schema->fields[field].type;
    size_t position = field_position(table, field, mlia_flatbuf_type_size(type));
    return position ? load_real(table.buffer->bytes.data + position, type) : 0.0;
}

static mlia_str string_at(const mlia_flatbuf *buffer, size_t position)
{
    if (position == 0)
        return MLIA_STR_NONE;
    size_t size = mlia_load_u32(buffer->bytes.data + position);
    if (!mlia_bytes_has(buffer->bytes, position + COUNT_SIZE, size))
        return MLIA_STR_NONE;
    return (mlia_str){(const char *)buffer->bytes.data + position + COUNT_SIZE, size};
}

/* What a reference field leads to, 0 when absent. */
static size_t target_of(mlia_flatbuf_table table, uint32_t field)
{
    return follow(table.buffer, field_position(table, field, OFFSET_SIZE), 4);
}

mlia_str mlia_flatbuf_string(mlia_flatbuf_table table, uint32_t field)
{
    return string_at(table.buffer, target_of(table, field));
}

mlia_flatbuf_table mlia_flatbuf_child(mlia_flatbuf_table table, uint32_t field)
{
    const mlia_flatbuf_field *info = &table.schema->fields[field];
    const mlia_flatbuf_schema *schema = info->table;
    if (info->type == MLIA_FLATBUF_UNION) {
        uint32_t tag = mlia_flatbuf_u8(table, field - 1);
        schema = tag < info->member_count ? info->members[tag] : NULL;
    }
    return table_at(table.buffer, schema, target_of(table, field));
}

mlia_flatbuf_vector mlia_flatbuf_list(mlia_flatbuf_table table, uint32_t field)
{
    const mlia_flatbuf_field *info = &table.schema->fields[field];
    mlia_flatbuf_vector vector = {.buffer = table.buffer, .field = info};
    size_t position = target_of(table, field);
    if (position == 0)
        return vector;
    size_t count = mlia_load_u32(table.buffer->bytes.data + position);
    position += COUNT_SIZE;
    if (!mlia_bytes_has(table.buffer->bytes, position, (uint64_t)count * mlia_flatbuf_type_size(info->type)))
        return vector;
    vector.position = position;
    vector.count = count;
    return vector;
}

mlia_bytes mlia_flatbuf_bytes(mlia_flatbuf_table table, uint32_t field)
{
    mlia_flatbuf_vector vector = mlia_flatbuf_list(table, field);
    if (vector.position == 0)
        return (mlia_bytes){NULL, 0};
    return mlia_bytes_slice(vector.buffer->bytes, vector.position,
                            vector.count * mlia_flatbuf_type_size(vector.field->type));
}

/* Position of an element. */
static size_t element(mlia_flatbuf_vector vector, size_t index)
{
    assert(index < vector.count);
    return vector.position + index * mlia_flatbuf_type_size(vector.field->type);
}

int64_t mlia_flatbuf_integer_at(mlia_flatbuf_vector vector, size_t index)
{
    return load_integer(vector.buffer->bytes.data + element(vector, index), vector.field->type);
}

double mlia_flatbuf_real_at(mlia_flatbuf_vector vector, size_t index)
{
    return load_real(vector.buffer->bytes.data + element(vector, index), vector.field->type);
}

mlia_str mlia_flatbuf_string_at(mlia_flatbuf_vector vector, size_t index)
{
    return string_at(vector.buffer, follow(vector.buffer, element(vector, index), 4));
}

mlia_flatbuf_table mlia_flatbuf_table_at(mlia_flatbuf_vector vector, size_t index)
{
    return table_at(vector.buffer, vector.field->table, follow(vector.buffer, element(vector, index), 4));
}

size_t mlia_flatbuf_offset_at(mlia_flatbuf_vector vector, size_t index)
{
    size_t position = element(vector, index);
    size_t target = is_reference_type(vector.field->type) ? follow(vector.buffer, position, 1) : 0;
    return target ? target : position;
}
