/* Open addressing with linear probing and a keyed hash. */
#include "base/map.h"

struct mlia_map_slot {
    mlia_str key; /* data NULL = free (keys of size 0 get a non-NULL pointer) */
    uint64_t hash;
    uint32_t value;
};

static uint64_t rotate(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[0] = rotate(v[0], 32);
    v[2] += v[3];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

/* SipHash-1-3 (Aumasson, Bernstein). The key is where the arena lies, which a file cannot know: names that
 * all fall into one slot cannot be prepared. */
static uint64_t hash_of(const mlia_map *map, mlia_str key)
{
    uint64_t secret = (uint64_t)(uintptr_t)map->arena * UINT64_C(0x9E3779B97F4A7C15);
    uint64_t v[4] = {secret ^ UINT64_C(0x736F6D6570736575), ~secret ^ UINT64_C(0x646F72616E646F6D),
                     secret ^ UINT64_C(0x6C7967656E657261), ~secret ^ UINT64_C(0x7465646279746573)};
    for (size_t i = 0; i <= key.size; i += 8) { /* the last word holds the rest and the size */
        uint64_t word = 0;
        size_t size = key.size - i < 8 ? key.size - i : 8;
        memcpy(&word, key.data + i, size);
        if (size < 8)
            word |= (uint64_t)key.size << 56;
        v[3] ^= word;
        mix(v);
        v[0] ^= word;
    }
    v[2] ^= 0xFF;
    for (int i = 0; i < 3; i++)
        mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
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
    if (key.data == NULL)
        key.data = "";
    struct mlia_map_slot *slot = probe(map->slots, map->capacity, key, hash_of(map, key));
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
    mlia_arena_release(map->arena, map->slots, map->capacity * sizeof *slots);
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
    uint64_t hash = hash_of(map, key);
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
