/* Bump allocation in chunks that double up to 1 MiB. What is large has a chunk of its own, which can grow and
 * be given back alone; a very large one is a mapping of its own: it grows without a copy, and what is not
 * used of it takes no memory. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

typedef struct chunk {
    struct chunk *next;
    size_t size; /* of data */
    size_t used;
    bool mapped;
    _Alignas(max_align_t) unsigned char data[];
} chunk;

typedef struct adopted {
    struct adopted *next;
    void *memory;
} adopted;

struct mlia_arena {
    chunk *current;   /* the first one is filled; the others are full */
    chunk *large;     /* one request each */
    adopted *adopted; /* the records live in chunks */
    size_t next_size;
    size_t used;
    size_t limit;
};

enum { FIRST_CHUNK = 4096, MAX_CHUNK = 1 << 20, LARGE = 1 << 16, MAP_FROM = 1 << 18 };

mlia_arena *mlia_arena_new(size_t byte_limit)
{
    mlia_arena *arena = calloc(1, sizeof *arena);
    if (arena == NULL)
        return NULL;
    arena->next_size = FIRST_CHUNK;
    arena->limit = byte_limit ? byte_limit : SIZE_MAX;
    return arena;
}

static void free_chunk(chunk *item)
{
    if (item->mapped)
        munmap(item, sizeof *item + item->size);
    else
        free(item);
}

static void free_list(chunk *item)
{
    while (item != NULL) {
        chunk *next = item->next;
        free_chunk(item);
        item = next;
    }
}

void mlia_arena_free(mlia_arena *arena)
{
    if (arena == NULL)
        return;
    for (adopted *item = arena->adopted; item != NULL; item = item->next)
        free(item->memory);
    free_list(arena->current);
    free_list(arena->large);
    free(arena);
}

/* New zeroed chunk at the head of `list`. */
static chunk *add_chunk(chunk **list, size_t size)
{
    chunk *item;
    if (size > SIZE_MAX - sizeof *item)
        return NULL;
    bool mapped = size >= MAP_FROM;
    if (mapped) {
        item = mmap(NULL, sizeof *item + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (item == MAP_FAILED)
            return NULL;
    } else {
        item = calloc(1, sizeof *item + size);
        if (item == NULL)
            return NULL;
    }
    item->next = *list;
    item->size = size;
    item->mapped = mapped;
    *list = item;
    return item;
}

static void *alloc_large(mlia_arena *arena, size_t bytes)
{
    chunk *item = add_chunk(&arena->large, bytes);
    if (item == NULL)
        return NULL;
    item->used = bytes;
    arena->used += bytes;
    return item->data;
}

/* Place in the list of large chunks of the one that begins with `items`, or NULL. */
static chunk **find_large(mlia_arena *arena, const void *items)
{
    chunk **link = &arena->large;
    while (*link != NULL && (*link)->data != items)
        link = &(*link)->next;
    return *link != NULL ? link : NULL;
}

void *mlia_arena_alloc(mlia_arena *arena, size_t count, size_t size, size_t alignment)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > arena->limit - arena->used)
        return NULL;
    if (bytes >= LARGE)
        return alloc_large(arena, bytes);
    chunk *item = arena->current;
    size_t start = 0;
    if (item != NULL)
        start = (item->used + alignment - 1) / alignment * alignment;
    if (item == NULL || start > item->size || bytes > item->size - start) {
        item = add_chunk(&arena->current, bytes > arena->next_size ? bytes : arena->next_size);
        if (item == NULL)
            return NULL;
        if (arena->next_size < MAX_CHUNK)
            arena->next_size *= 2;
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
    chunk **link = items != NULL && bytes >= LARGE ? find_large(arena, items) : NULL;
    if (link == NULL)
        return;
    chunk *item = *link;
    *link = item->next;
    arena->used -= item->used;
    free_chunk(item);
}

/* Makes the memory at `items` larger where it lies, when nothing stands behind it. */
static bool extend_last(mlia_arena *arena, const void *items, size_t bytes, size_t wanted)
{
    chunk *item = arena->current;
    if (item == NULL || bytes == 0 || (const unsigned char *)items + bytes != item->data + item->used ||
        wanted - bytes > item->size - item->used)
        return false;
    item->used += wanted - bytes;
    arena->used += wanted - bytes;
    return true;
}

/* Makes a mapped chunk larger; its place may change. NULL when it is none, or out of memory. */
static void *remap(mlia_arena *arena, const void *items, size_t wanted)
{
    chunk **link = find_large(arena, items);
    if (link == NULL || !(*link)->mapped || wanted > SIZE_MAX - sizeof **link)
        return NULL;
    chunk *item = mremap(*link, sizeof *item + (*link)->size, sizeof *item + wanted, MREMAP_MAYMOVE);
    if (item == MAP_FAILED)
        return NULL;
    *link = item;
    arena->used += wanted - item->used;
    item->size = item->used = wanted;
    return item->data;
}

void mlia_arena_shrink(mlia_arena *arena, void *items, size_t bytes, size_t kept)
{
    chunk *item = arena->current;
    if (bytes < LARGE) {
        if (item != NULL && (unsigned char *)items + bytes == item->data + item->used) {
            memset((unsigned char *)items + kept, 0, bytes - kept);
            item->used -= bytes - kept;
            arena->used -= bytes - kept;
        }
        return;
    }
    chunk **link = find_large(arena, items);
    if (link == NULL || !(*link)->mapped)
        return;
    item = *link;
    if (mremap(item, sizeof *item + item->size, sizeof *item + kept, 0) == MAP_FAILED)
        return;
    arena->used -= item->used - kept;
    item->size = item->used = kept;
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
    size_t old = *capacity * size;
    size_t bytes;
    if (__builtin_mul_overflow(wanted, size, &bytes) || bytes - old > arena->limit - arena->used)
        return NULL;
    void *grown = NULL;
    if (items != NULL && old >= MAP_FROM)
        grown = remap(arena, items, bytes);
    else if (items != NULL && bytes < LARGE && extend_last(arena, items, old, bytes))
        grown = items;
    if (grown == NULL) {
        grown = mlia_arena_alloc(arena, wanted, size, alignment);
        if (grown == NULL)
            return NULL;
        if (items != NULL && used > 0)
            memcpy(grown, items, used * size);
        mlia_arena_release(arena, items, old);
    }
    *capacity = wanted;
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
