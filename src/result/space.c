/* Leaves, roots and kinds above leaves; the test for contested leaves. */
#include "result/space.h"

#include <stdlib.h>

/* Beyond this many (entity, leaf) pairs a graph is no forest with a few shared branches any more. */
enum { MAX_PAIRS = 1 << 26, MAX_KIND_WORDS = 1 << 24 };

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Leaves of one entity from those of its children, which are done. `lists` hold them in scratch order. */
typedef struct leaf_list {
    uint32_t *items;
    uint32_t count;
} leaf_list;

static bool join_children(mlia_space *space, leaf_list *lists, uint32_t entity, size_t *pairs)
{
    uint32_t child_count = mlia_adjacent_count(&space->index->children, entity);
    const uint32_t *children = mlia_adjacent(&space->index->children, entity);
    size_t most = child_count == 0 ? 1 : 0;
    for (uint32_t i = 0; i < child_count; i++)
        most += lists[children[i]].count;
    if (child_count == 1) { /* the same leaves: share them */
        lists[entity] = lists[children[0]];
        *pairs += most;
        return true;
    }
    uint32_t *items = MLIA_NEW_ARRAY(space->arena, uint32_t, most);
    if (items == NULL)
        return false;
    uint32_t count = 0;
    if (child_count == 0)
        items[count++] = entity;
    space->stamp++;
    for (uint32_t i = 0; i < child_count; i++)
        for (uint32_t k = 0; k < lists[children[i]].count; k++) {
            uint32_t leaf = lists[children[i]].items[k];
            if (space->in_target[leaf] == space->stamp)
                continue;
            space->in_target[leaf] = space->stamp;
            items[count++] = leaf;
        }
    qsort(items, count, sizeof *items, compare_numbers);
    lists[entity] = (leaf_list){items, count};
    *pairs += most;
    return true;
}

static mlia_status *find_leaves(mlia_space *space, bool *too_large)
{
    uint32_t *order;
    uint32_t sorted;
    MLIA_TRY(mlia_topological_order(space->arena, &space->index->children, &space->index->parents,
                                    space->count, &order, &sorted));
    leaf_list *lists = MLIA_NEW_ARRAY(space->arena, leaf_list, space->count);
    MLIA_TRY_ALLOC(lists);
    size_t pairs = 0;
    for (uint32_t i = sorted; i > 0; i--) {
        if (!join_children(space, lists, order[i - 1], &pairs))
            return mlia_error_memory();
        if ((*too_large = pairs > MAX_PAIRS))
            return NULL;
    }
    space->leaf_start = MLIA_NEW_ARRAY(space->arena, size_t, (size_t)space->count + 1);
    MLIA_TRY_ALLOC(space->leaf_start);
    for (uint32_t e = 0; e < space->count; e++)
        space->leaf_start[e + 1] = space->leaf_start[e] + lists[e].count;
    space->leaves = MLIA_NEW_ARRAY(space->arena, uint32_t, space->leaf_start[space->count]);
    MLIA_TRY_ALLOC(space->leaves);
    for (uint32_t e = 0; e < space->count; e++)
        memcpy(space->leaves + space->leaf_start[e], lists[e].items, lists[e].count * sizeof *space->leaves);
    return NULL;
}

static bool is_parentless(const mlia_space *space, uint32_t entity)
{
    return mlia_adjacent_count(&space->index->parents, entity) == 0;
}

static mlia_status *find_roots(mlia_space *space)
{
    space->root_start = MLIA_NEW_ARRAY(space->arena, size_t, (size_t)space->count + 2);
    MLIA_TRY_ALLOC(space->root_start);
    size_t *next = space->root_start + 1;
    for (uint32_t e = 0; e < space->count; e++)
        for (size_t i = 0; is_parentless(space, e) && i < mlia_leaf_count(space, e); i++)
            next[mlia_leaves(space, e)[i] + 1]++;
    for (uint32_t e = 0; e < space->count; e++)
        next[e + 1] += next[e];
    space->roots = MLIA_NEW_ARRAY(space->arena, uint32_t, next[space->count]);
    MLIA_TRY_ALLOC(space->roots);
    for (uint32_t e = 0; e < space->count; e++)
        for (size_t i = 0; is_parentless(space, e) && i < mlia_leaf_count(space, e); i++)
            space->roots[next[mlia_leaves(space, e)[i]]++] = e;
    return NULL;
}

static mlia_status *find_kinds(mlia_space *space, bool *too_large)
{
    space->kind_words = space->kinds->numbers.count / 64 + 1;
    if ((*too_large = space->kind_words > MAX_KIND_WORDS / ((size_t)space->count + 1)))
        return NULL;
    space->kind_bits = MLIA_NEW_ARRAY(space->arena, uint64_t, space->count * space->kind_words);
    MLIA_TRY_ALLOC(space->kind_bits);
    for (uint32_t e = 0; e < space->count; e++) {
        uint32_t kind = space->kinds->of_entity[e];
        for (size_t i = 0; i < mlia_leaf_count(space, e); i++)
            space->kind_bits[mlia_leaves(space, e)[i] * space->kind_words + kind / 64] |= UINT64_C(1)
                                                                                          << (kind % 64);
    }
    return NULL;
}

mlia_status *mlia_space_make(mlia_arena *arena, const mlia_result_index *index, const mlia_kind_table *kinds,
                             mlia_space *space, bool *too_large)
{
    *space = (mlia_space){.arena = arena, .index = index, .kinds = kinds, .count = index->count};
    uint32_t **marks[] = {&space->in_target, &space->is_root, &space->queue, &space->visited};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        MLIA_TRY_ALLOC(*marks[i] = MLIA_NEW_ARRAY(arena, uint32_t, index->count));
    MLIA_TRY(find_leaves(space, too_large));
    if (*too_large)
        return NULL;
    MLIA_TRY(find_roots(space));
    return find_kinds(space, too_large);
}

size_t mlia_space_aim(mlia_space *space, uint32_t target)
{
    space->target = target;
    uint32_t stamp = ++space->stamp;
    for (size_t i = 0; i < mlia_leaf_count(space, target); i++)
        space->in_target[mlia_leaves(space, target)[i]] = stamp;
    uint32_t end = 0;
    space->queue[end++] = target;
    space->visited[target] = stamp;
    for (uint32_t i = 0; i < end; i++) {
        uint32_t entity = space->queue[i];
        if (is_parentless(space, entity))
            space->is_root[entity] = stamp;
        for (uint32_t k = 0; k < mlia_adjacent_count(&space->index->parents, entity); k++) {
            uint32_t parent = mlia_adjacent(&space->index->parents, entity)[k];
            if (space->visited[parent] == stamp)
                continue;
            space->visited[parent] = stamp;
            space->queue[end++] = parent;
        }
    }
    return mlia_leaf_count(space, target) + end;
}

bool mlia_is_contested(const mlia_space *space, uint32_t leaf)
{
    if (mlia_leaf_has_kind(space, leaf, space->kinds->of_entity[space->target]))
        return true;
    for (size_t i = space->root_start[leaf]; i < space->root_start[leaf + 1]; i++)
        if (space->is_root[space->roots[i]] == space->stamp)
            return true;
    return false;
}
