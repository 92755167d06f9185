/* Bump allocation in chunks that double up to 1 MiB; larger requests get a chunk of their own. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct chunk {
    struct chunk *next;
    size_t size;
    size_t used;
    _Alignas(max_align_t) unsigned char data[];
} chunk;

typedef struct adopted {
    struct adopted *next;
    void *memory;
} adopted;

struct mlia_arena {
    chunk *current;
    adopted *adopted; /* the records live in chunks */
    size_t next_size;
    size_t used;
    size_t limit;
};

enum { FIRST_CHUNK = 4096, MAX_CHUNK = 1 << 20 };

mlia_arena *mlia_arena_new(size_t byte_limit)
{
    mlia_arena *arena = calloc(1, sizeof *arena);
    if (arena == NULL)
        return NULL;
    arena->next_size = FIRST_CHUNK;
    arena->limit = byte_limit ? byte_limit : SIZE_MAX;
    return arena;
}

void mlia_arena_free(mlia_arena *arena)
{
    if (arena == NULL)
        return;
    for (adopted *item = arena->adopted; item != NULL; item = item->next)
        free(item->memory);
    for (chunk *item = arena->current; item != NULL;) {
        chunk *next = item->next;
        free(item);
        item = next;
    }
    free(arena);
}

/* New chunk with room for `size` bytes. A request larger than the usual chunk goes behind the current one, so
 * that the rest of the current one stays in use. */
static chunk *add_chunk(mlia_arena *arena, size_t size)
{
    size_t capacity = size > arena->next_size ? size : arena->next_size;
    if (capacity > SIZE_MAX - sizeof(chunk))
        return NULL;
    chunk *item = calloc(1, sizeof(chunk) + capacity);
    if (item == NULL)
        return NULL;
    item->size = capacity;
    if (capacity > arena->next_size && arena->current != NULL) {
        item->next = arena->current->next;
        arena->current->next = item;
    } else {
        item->next = arena->current;
        arena->current = item;
        if (arena->next_size < MAX_CHUNK)
            arena->next_size *= 2;
    }
    return item;
}

void *mlia_arena_alloc(mlia_arena *arena, size_t count, size_t size, size_t alignment)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > arena->limit - arena->used)
        return NULL;
    chunk *item = arena->current;
    size_t start = 0;
    if (item != NULL)
        start = (item->used + alignment - 1) / alignment * alignment;
    if (item == NULL || start > item->size || bytes > item->size - start) {
        item = add_chunk(arena, bytes);
        if (item == NULL)
            return NULL;
        start = 0;
    }
    item->used = start + bytes;
    arena->used += bytes;
    return item->data + start;
}

bool mlia_arena_adopt(mlia_arena *arena, void *memory)
{
    adopted *item = MLIA_NEW(arena, adopted);
    if (item == NULL)
        return false;
    *item = (adopted){arena->adopted, memory};
    arena->adopted = item;
    return true;
}

void mlia_arena_release(mlia_arena *arena, void *items, size_t bytes)
{
    if (items == NULL || bytes <= MAX_CHUNK)
        return;
    for (chunk **link = &arena->current; *link != NULL; link = &(*link)->next) {
        chunk *item = *link;
        if (item->data != items || item->used != bytes)
            continue;
        *link = item->next;
        arena->used -= bytes;
        free(item);
        return;
    }
}

void *mlia_arena_grow(mlia_arena *arena, void *items, size_t used, size_t *capacity, size_t needed,
                      size_t size, size_t alignment)
{
    if (needed <= *capacity && items != NULL)
        return items;
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < needed)
        if (__builtin_mul_overflow(wanted, (size_t)2, &wanted))
            return NULL;
    if (wanted == *capacity && __builtin_mul_overflow(wanted, (size_t)2, &wanted))
        return NULL;
    void *grown = mlia_arena_alloc(arena, wanted, size, alignment);
    if (grown == NULL)
        return NULL;
    size_t old = *capacity * size;
    *capacity = wanted;
    if (items != NULL && used > 0)
        memcpy(grown, items, used * size);
    mlia_arena_release(arena, items, old);
    return grown; /* of another chunk. NOLINT(clang-analyzer-unix.Malloc) */
}

mlia_str mlia_arena_str(mlia_arena *arena, mlia_str text)
{
    char *copy = text.size == SIZE_MAX ? NULL : mlia_arena_alloc(arena, text.size + 1, 1, 1);
    if (copy == NULL)
        return MLIA_STR_NONE;
    if (text.size > 0)
        memcpy(copy, text.data, text.size);
    return (mlia_str){copy, text.size};
}

mlia_str mlia_arena_format(mlia_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0)
        return MLIA_STR_NONE;
    char *text = mlia_arena_alloc(arena, (size_t)size + 1, 1, 1);
    if (text == NULL)
        return MLIA_STR_NONE;
    va_start(arguments, format);
    vsnprintf(text, (size_t)size + 1, format, arguments);
    va_end(arguments);
    return (mlia_str){text, (size_t)size};
}

size_t mlia_arena_used(const mlia_arena *arena)
{
    return arena->used;
}
