/* Open addressing with linear probing; FNV-1a with a final mix. */
#include "base/map.h"

struct mlia_map_slot {
    mlia_str key; /* data NULL = free (keys of size 0 get a non-NULL pointer) */
    uint64_t hash;
    uint32_t value;
};

static uint64_t hash_of(mlia_str key)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < key.size; i++)
        hash = (hash ^ (unsigned char)key.data[i]) * 0x100000001B3u;
    return hash ^ hash >> 29;
}

/* Slot of `key`, or the free slot where it belongs. */
static struct mlia_map_slot *probe(struct mlia_map_slot *slots, size_t capacity, mlia_str key, uint64_t hash)
{
    size_t i = (size_t)hash & (capacity - 1);
    while (slots[i].key.data != NULL && !(slots[i].hash == hash && mlia_str_equal(slots[i].key, key)))
        i = (i + 1) & (capacity - 1);
    return &slots[i];
}

uint32_t *mlia_map_find(const mlia_map *map, mlia_str key)
{
    if (map->capacity == 0)
        return NULL;
    struct mlia_map_slot *slot = probe(map->slots, map->capacity, key, hash_of(key));
    return slot->key.data ? &slot->value : NULL;
}

static bool grow(mlia_map *map)
{
    size_t capacity = map->capacity ? map->capacity * 2 : 16;
    struct mlia_map_slot *slots = MLIA_NEW_ARRAY(map->arena, struct mlia_map_slot, capacity);
    if (slots == NULL)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->slots[i].key.data != NULL)
            *probe(slots, capacity, map->slots[i].key, map->slots[i].hash) = map->slots[i];
    map->slots = slots;
    map->capacity = capacity;
    return true;
}

uint32_t *mlia_map_insert(mlia_map *map, mlia_str key, uint32_t initial, bool *is_new)
{
    if (map->count >= map->capacity / 2 && !grow(map))
        return NULL;
    if (key.data == NULL)
        key.data = "";
    uint64_t hash = hash_of(key);
    struct mlia_map_slot *slot = probe(map->slots, map->capacity, key, hash);
    bool added = slot->key.data == NULL;
    if (added) {
        *slot = (struct mlia_map_slot){key, hash, initial};
        map->count++;
    }
    if (is_new != NULL)
        *is_new = added;
    return &slot->value;
}
