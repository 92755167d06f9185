/* Coverage of entities: which leaves of the entity graph stand below each, and which of them a target may
 * share with others. Leaves are entities without children. */
#ifndef MLIA_RESULT_SPACE_H
#define MLIA_RESULT_SPACE_H

#include "result/index.h"

typedef struct mlia_space {
    mlia_arena *arena;
    const mlia_result_index *index;
    const mlia_kind_table *kinds;
    uint32_t count;
    size_t *leaf_start; /* leaves of entity e: leaves[leaf_start[e]] … ascending; a leaf is its own leaf */
    uint32_t *leaves;
    size_t *root_start; /* parentless ancestors of a leaf */
    uint32_t *roots;
    size_t kind_words;
    uint64_t *kind_bits; /* kinds of a leaf and its ancestors, kind_words each */
    /* the target in view */
    uint32_t target;
    uint32_t stamp;
    uint32_t *in_target; /* == stamp: leaf of the target */
    uint32_t *is_root;   /* == stamp: parentless ancestor of the target (or itself) */
    uint32_t *queue;
    uint32_t *visited;
} mlia_space;

/* `*too_large` tells that the coverage of this graph is quadratic in its size and was not worked out. */
mlia_status *mlia_space_make(mlia_arena *arena, const mlia_result_index *index, const mlia_kind_table *kinds,
                             mlia_space *space, bool *too_large);

static inline const uint32_t *mlia_leaves(const mlia_space *space, uint32_t entity)
{
    return space->leaves + space->leaf_start[entity];
}

static inline size_t mlia_leaf_count(const mlia_space *space, uint32_t entity)
{
    return space->leaf_start[entity + 1] - space->leaf_start[entity];
}

static inline bool mlia_leaf_has_kind(const mlia_space *space, uint32_t leaf, uint32_t kind)
{
    return space->kind_bits[leaf * space->kind_words + kind / 64] >> (kind % 64) & 1;
}

/* Takes a target into view; costs its leaves and ancestors, which are returned for budgets. */
size_t mlia_space_aim(mlia_space *space, uint32_t target);

static inline bool mlia_is_target_leaf(const mlia_space *space, uint32_t leaf)
{
    return space->in_target[leaf] == space->stamp;
}

/* Does a leaf outside the target belong to a competitor of the target: to another entity of its kind, or to
 * one that has an ancestor in common with it? */
bool mlia_is_contested(const mlia_space *space, uint32_t leaf);

#endif
