/* Bounds-checked little-endian reading and a growing write buffer: the only way the readers touch untrusted
 * bytes. */
#ifndef MLIA_BASE_BYTES_H
#define MLIA_BASE_BYTES_H

#include "base/status.h"

/* Unaligned little-endian loads from memory that the caller has already checked. */
static inline uint16_t mlia_load_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t mlia_load_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t mlia_load_u64(const uint8_t *p)
{
    return (uint64_t)mlia_load_u32(p) | (uint64_t)mlia_load_u32(p + 4) << 32;
}

/* True when [offset, offset + size) lies inside `bytes`; never adds. */
static inline bool mlia_bytes_has(mlia_bytes bytes, uint64_t offset, uint64_t size)
{
    return offset <= bytes.size && size <= bytes.size - offset;
}

/* Part of `bytes`, which must contain it (mlia_bytes_has). */
static inline mlia_bytes mlia_bytes_slice(mlia_bytes bytes, size_t offset, size_t size)
{
    return (mlia_bytes){bytes.data + offset, size};
}

/* Sequential reader. A read beyond the end stores nothing and returns false; the position then stays. */
typedef struct mlia_reader {
    mlia_bytes bytes;
    size_t position;
} mlia_reader;

static inline mlia_reader mlia_reader_of(mlia_bytes bytes)
{
    return (mlia_reader){bytes, 0};
}

static inline size_t mlia_reader_left(const mlia_reader *reader)
{
    return reader->bytes.size - reader->position;
}

bool mlia_read_u8(mlia_reader *reader, uint8_t *value);
bool mlia_read_u16(mlia_reader *reader, uint16_t *value);
bool mlia_read_u32(mlia_reader *reader, uint32_t *value);
bool mlia_read_u64(mlia_reader *reader, uint64_t *value);
bool mlia_read_bytes(mlia_reader *reader, size_t size, mlia_bytes *value);
bool mlia_skip(mlia_reader *reader, size_t size);

/* Growing output. A failed allocation is remembered: later writes do nothing and mlia_buffer_status tells. */
typedef struct mlia_buffer {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed;
} mlia_buffer;

void mlia_buffer_free(mlia_buffer *buffer);
mlia_status *mlia_buffer_status(const mlia_buffer *buffer); /* NULL or E_MEMORY */
void mlia_buffer_add(mlia_buffer *buffer, const void *data, size_t size);
void mlia_buffer_add_str(mlia_buffer *buffer, mlia_str text);
void mlia_buffer_add_byte(mlia_buffer *buffer, uint8_t value);
void mlia_buffer_add_u16(mlia_buffer *buffer, uint16_t value);
void mlia_buffer_add_u32(mlia_buffer *buffer, uint32_t value);
void mlia_buffer_add_u64(mlia_buffer *buffer, uint64_t value);
void mlia_buffer_add_zeros(mlia_buffer *buffer, size_t count);
/* Zero bytes up to the next multiple of `alignment`. */
void mlia_buffer_align(mlia_buffer *buffer, size_t alignment);
void mlia_buffer_format(mlia_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Overwrites 4 bytes that were already written. */
void mlia_buffer_set_u32(mlia_buffer *buffer, size_t offset, uint32_t value);

static inline mlia_bytes mlia_buffer_bytes(const mlia_buffer *buffer)
{
    return (mlia_bytes){buffer->data, buffer->size};
}

static inline mlia_str mlia_buffer_str(const mlia_buffer *buffer)
{
    return (mlia_str){(const char *)buffer->data, buffer->size};
}

#endif
