/* Arena: memory of one document (graph, result, file), freed whole.
 *
 * Nothing is freed on its own. All memory is zeroed. An allocation returns NULL when the system has no more
 * memory, when a size overflows, or when the arena's byte limit is reached; callers pass that on with
 * MLIA_TRY_ALLOC.
 */
#ifndef MLIA_BASE_ARENA_H
#define MLIA_BASE_ARENA_H

#include "base/text.h"

typedef struct mlia_arena mlia_arena;

/* New empty arena, or NULL. `byte_limit` 0 = none. */
mlia_arena *mlia_arena_new(size_t byte_limit);
void mlia_arena_free(mlia_arena *arena); /* NULL allowed */

/* Zeroed memory for `count` items of `size` bytes each. A count of 0 gives a valid pointer to nothing. */
void *mlia_arena_alloc(mlia_arena *arena, size_t count, size_t size, size_t alignment);

#define MLIA_NEW(arena, type) ((type *)mlia_arena_alloc((arena), 1, sizeof(type), _Alignof(type)))
#define MLIA_NEW_ARRAY(arena, type, count)                                                                   \
    ((type *)mlia_arena_alloc((arena), (count), sizeof(type), _Alignof(type)))

/* Makes room for at least `needed` items in a growing array: returns `items` itself when `*capacity` is
 * enough, else the first `used` items in larger memory with `*capacity` raised (at least doubled), or NULL.
 * They may have moved and the old memory may be given back, so pointers into it die. */
void *mlia_arena_grow(mlia_arena *arena, void *items, size_t used, size_t *capacity, size_t needed,
                      size_t size, size_t alignment);

/* Takes memory from malloc over: it is freed with the arena. False when out of memory; then it stays the
 * caller's. */
bool mlia_arena_adopt(mlia_arena *arena, void *memory);

/* Gives memory of `bytes` back early if it is large enough (64 KiB) to stand alone; else it stays until the
 * end. */
void mlia_arena_release(mlia_arena *arena, void *items, size_t bytes);

/* Gives the end of memory of `bytes` back, down to `kept` bytes, where that is possible: of what was
 * allocated last and of what is very large. */
void mlia_arena_shrink(mlia_arena *arena, void *items, size_t bytes, size_t kept);

/* Appends room for one item to the array `items` (type *) with `count` and `capacity` (size_t); on success
 * `items` points to memory for count + 1 items. Evaluates to false when out of memory. */
#define MLIA_RESERVE(arena, items, count, capacity)                                                          \
    (((count) < (capacity)) ||                                                                               \
     ((items) = mlia_arena_grow((arena), (items), (count), &(capacity), (count) + 1, sizeof *(items),        \
                                _Alignof(max_align_t))) != NULL)

/* Copy of text, with a NUL behind it that is not counted. data is NULL when out of memory. */
mlia_str mlia_arena_str(mlia_arena *arena, mlia_str text);
mlia_str mlia_arena_format(mlia_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Bytes handed out so far. */
size_t mlia_arena_used(const mlia_arena *arena);

#endif
