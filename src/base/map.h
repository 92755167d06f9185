/* Hash map from text to uint32_t in an arena. Keys are not copied: they must live as long as the map.
 * Iteration order is never observable, so results cannot depend on it. */
#ifndef MLIA_BASE_MAP_H
#define MLIA_BASE_MAP_H

#include "base/arena.h"

typedef struct mlia_map {
    mlia_arena *arena;
    struct mlia_map_slot *slots;
    size_t count;
    size_t capacity; /* power of two or 0 */
} mlia_map;

static inline mlia_map mlia_map_in(mlia_arena *arena)
{
    return (mlia_map){.arena = arena};
}

/* Value of `key`, or NULL. The pointer is valid until the next insertion. */
uint32_t *mlia_map_find(const mlia_map *map, mlia_str key);

/* Place of `key`'s value; a new key starts with `initial` and `*is_new` (may be NULL) tells. NULL when out of
 * memory. */
uint32_t *mlia_map_insert(mlia_map *map, mlia_str key, uint32_t initial, bool *is_new);

#endif
