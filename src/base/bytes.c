/* Sequential reader and write buffer. */
#include "base/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

bool mlia_read_bytes(mlia_reader *reader, size_t size, mlia_bytes *value)
{
    if (size > mlia_reader_left(reader))
        return false;
    *value = mlia_bytes_slice(reader->bytes, reader->position, size);
    reader->position += size;
    return true;
}

bool mlia_skip(mlia_reader *reader, size_t size)
{
    mlia_bytes ignored;
    return mlia_read_bytes(reader, size, &ignored);
}

bool mlia_read_u8(mlia_reader *reader, uint8_t *value)
{
    mlia_bytes part;
    if (!mlia_read_bytes(reader, 1, &part))
        return false;
    *value = part.data[0];
    return true;
}

bool mlia_read_u16(mlia_reader *reader, uint16_t *value)
{
    mlia_bytes part;
    if (!mlia_read_bytes(reader, 2, &part))
        return false;
    *value = mlia_load_u16(part.data);
    return true;
}

bool mlia_read_u32(mlia_reader *reader, uint32_t *value)
{
    mlia_bytes part;
    if (!mlia_read_bytes(reader, 4, &part))
        return false;
    *value = mlia_load_u32(part.data);
    return true;
}

bool mlia_read_u64(mlia_reader *reader, uint64_t *value)
{
    mlia_bytes part;
    if (!mlia_read_bytes(reader, 8, &part))
        return false;
    *value = mlia_load_u64(part.data);
    return true;
}

void mlia_buffer_free(mlia_buffer *buffer)
{
    free(buffer->data);
    *buffer = (mlia_buffer){0};
}

mlia_status *mlia_buffer_status(const mlia_buffer *buffer)
{
    return buffer->failed ? mlia_error_memory() : NULL;
}

/* Room for `size` more bytes at the end, or NULL after a failed allocation. */
static uint8_t *buffer_extend(mlia_buffer *buffer, size_t size)
{
    if (buffer->failed)
        return NULL;
    if (size > buffer->capacity - buffer->size) {
        size_t needed;
        size_t capacity = buffer->capacity ? buffer->capacity : 256;
        bool fits = !__builtin_add_overflow(buffer->size, size, &needed);
        while (fits && capacity < needed)
            fits = !__builtin_mul_overflow(capacity, (size_t)2, &capacity);
        uint8_t *grown = fits ? realloc(buffer->data, capacity) : NULL;
        if (grown == NULL) {
            buffer->failed = true;
            return NULL;
        }
        buffer->data = grown;
        buffer->capacity = capacity;
    }
    uint8_t *place = buffer->data + buffer->size;
    buffer->size += size;
    return place;
}

void mlia_buffer_add(mlia_buffer *buffer, const void *data, size_t size)
{
    if (size == 0)
        return;
    uint8_t *place = buffer_extend(buffer, size);
    if (place != NULL)
        memcpy(place, data, size);
}

void mlia_buffer_add_str(mlia_buffer *buffer, mlia_str text)
{
    mlia_buffer_add(buffer, text.data, text.size);
}

void mlia_buffer_add_byte(mlia_buffer *buffer, uint8_t value)
{
    mlia_buffer_add(buffer, &value, 1);
}

void mlia_buffer_add_u16(mlia_buffer *buffer, uint16_t value)
{
    uint8_t bytes[2] = {(uint8_t)value, (uint8_t)(value >> 8)};
    mlia_buffer_add(buffer, bytes, sizeof bytes);
}

void mlia_buffer_add_u32(mlia_buffer *buffer, uint32_t value)
{
    uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                        (uint8_t)(value >> 24)};
    mlia_buffer_add(buffer, bytes, sizeof bytes);
}

void mlia_buffer_add_u64(mlia_buffer *buffer, uint64_t value)
{
    mlia_buffer_add_u32(buffer, (uint32_t)value);
    mlia_buffer_add_u32(buffer, (uint32_t)(value >> 32));
}

void mlia_buffer_add_zeros(mlia_buffer *buffer, size_t count)
{
    uint8_t *place = count ? buffer_extend(buffer, count) : NULL;
    if (place != NULL)
        memset(place, 0, count);
}

void mlia_buffer_align(mlia_buffer *buffer, size_t alignment)
{
    size_t over = buffer->size % alignment;
    if (over != 0)
        mlia_buffer_add_zeros(buffer, alignment - over);
}

void mlia_buffer_format(mlia_buffer *buffer, const char *format, ...)
{
    char small[512];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(small, sizeof small, format, arguments);
    va_end(arguments);
    if (size < 0) {
        buffer->failed = true;
        return;
    }
    if ((size_t)size < sizeof small) {
        mlia_buffer_add(buffer, small, (size_t)size);
        return;
    }
    uint8_t *place = buffer_extend(buffer, (size_t)size + 1);
    if (place == NULL)
        return;
    va_start(arguments, format);
    vsnprintf((char *)place, (size_t)size + 1, format, arguments);
    va_end(arguments);
    buffer->size--;
}

void mlia_buffer_set_u32(mlia_buffer *buffer, size_t offset, uint32_t value)
{
    if (buffer->failed)
        return;
    buffer->data[offset] = (uint8_t)value;
    buffer->data[offset + 1] = (uint8_t)(value >> 8);
    buffer->data[offset + 2] = (uint8_t)(value >> 16);
    buffer->data[offset + 3] = (uint8_t)(value >> 24);
}
