/* Index of a result: ids to positions, edges to adjacency, kinds to numbers. */
#include "result/index.h"

#include <stdlib.h>

const mlia_str mlia_well_known_kinds[MLIA_KIND_WELL_KNOWN] = {
    [MLIA_KIND_SOURCE_OPERATOR] = MLIA_STR_INIT("source_operator"),
    [MLIA_KIND_MODEL] = MLIA_STR_INIT("model"),
    [MLIA_KIND_CODE_STACK] = MLIA_STR_INIT("code_stack"),
    [MLIA_KIND_CODE_LINE] = MLIA_STR_INIT("code_line"),
};

static int compare_edges(const void *left, const void *right)
{
    const mlia_edge *a = left;
    const mlia_edge *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

void mlia_edges_normalise(mlia_edges *edges)
{
    if (edges->count == 0)
        return;
    qsort(edges->items, edges->count, sizeof *edges->items, compare_edges);
    size_t kept = 1;
    for (size_t i = 1; i < edges->count; i++)
        if (compare_edges(&edges->items[kept - 1], &edges->items[i]) != 0)
            edges->items[kept++] = edges->items[i];
    edges->count = kept;
}

/* One direction: edges are walked in their order, so that each node's neighbours come out ascending. */
static bool fill_adjacency(mlia_arena *arena, const mlia_edges *edges, uint32_t node_count, bool up,
                           mlia_adjacency *adjacency)
{
    adjacency->start = MLIA_NEW_ARRAY(arena, uint32_t, (size_t)node_count + 2);
    adjacency->items = MLIA_NEW_ARRAY(arena, uint32_t, edges->count);
    if (adjacency->start == NULL || adjacency->items == NULL)
        return false;
    uint32_t *next = adjacency->start + 1; /* shifted by one: filling moves each start to its end */
    for (size_t i = 0; i < edges->count; i++)
        next[(up ? edges->items[i].to : edges->items[i].from) + 1]++;
    for (uint32_t n = 0; n < node_count; n++)
        next[n + 1] += next[n];
    for (size_t i = 0; i < edges->count; i++) {
        mlia_edge edge = edges->items[i];
        if (up)
            adjacency->items[next[edge.to]++] = edge.from;
        else
            adjacency->items[next[edge.from]++] = edge.to;
    }
    return true;
}

mlia_status *mlia_adjacency_make(mlia_arena *arena, const mlia_edges *edges, uint32_t node_count,
                                 mlia_adjacency *children, mlia_adjacency *parents)
{
    if (!fill_adjacency(arena, edges, node_count, false, children) ||
        !fill_adjacency(arena, edges, node_count, true, parents))
        return mlia_error_memory();
    return NULL;
}

/* Adds edges between `self` and the entities named by `texts`. */
static bool add_named_edges(mlia_arena *arena, mlia_result_index *index, uint32_t self,
                            const mlia_texts *texts, bool texts_are_parents)
{
    for (size_t i = 0; i < texts->count; i++) {
        const uint32_t *other = mlia_map_find(&index->ids, texts->items[i]);
        if (other == NULL)
            continue;
        mlia_edge edge = texts_are_parents ? (mlia_edge){*other, self} : (mlia_edge){self, *other};
        if (!MLIA_APPEND(arena, index->edges, edge))
            return false;
    }
    return true;
}

mlia_status *mlia_result_index_make(mlia_arena *arena, const mlia_result *result, mlia_result_index *index)
{
    enum { MAX_ENTITIES = INT32_MAX };
    if (result->entities.count > MAX_ENTITIES)
        return mlia_error(MLIA_E_LIMIT, "%zu entities in one result; at most %d are supported",
                          result->entities.count, MAX_ENTITIES);
    *index = (mlia_result_index){.ids = mlia_map_in(arena), .count = (uint32_t)result->entities.count};
    for (uint32_t i = 0; i < index->count; i++)
        MLIA_TRY_ALLOC(mlia_map_insert(&index->ids, result->entities.items[i].id, i, NULL));
    for (uint32_t i = 0; i < index->count; i++) {
        const mlia_entity *entity = &result->entities.items[i];
        if (!add_named_edges(arena, index, i, &entity->parent_ids, true) ||
            !add_named_edges(arena, index, i, &entity->child_ids, false))
            return mlia_error_memory();
    }
    mlia_edges_normalise(&index->edges);
    return mlia_adjacency_make(arena, &index->edges, index->count, &index->children, &index->parents);
}

mlia_status *mlia_topological_order(mlia_arena *arena, const mlia_adjacency *children,
                                    const mlia_adjacency *parents, uint32_t count, uint32_t **order,
                                    uint32_t *sorted_count)
{
    uint32_t *waiting = MLIA_NEW_ARRAY(arena, uint32_t, count);
    uint32_t *queue = MLIA_NEW_ARRAY(arena, uint32_t, count);
    MLIA_TRY_ALLOC(waiting);
    MLIA_TRY_ALLOC(queue);
    uint32_t end = 0;
    for (uint32_t n = 0; n < count; n++) {
        waiting[n] = mlia_adjacent_count(parents, n);
        if (waiting[n] == 0)
            queue[end++] = n;
    }
    for (uint32_t i = 0; i < end; i++)
        for (uint32_t k = 0; k < mlia_adjacent_count(children, queue[i]); k++) {
            uint32_t child = mlia_adjacent(children, queue[i])[k];
            if (--waiting[child] == 0)
                queue[end++] = child;
        }
    *order = queue;
    *sorted_count = end;
    return NULL;
}

static uint64_t edge_key(uint32_t parent, uint32_t child)
{
    return (uint64_t)parent << 32 | child;
}

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static bool has_key(const uint64_t *keys, size_t count, uint64_t key)
{
    return count > 0 && bsearch(&key, keys, count, sizeof key, compare_keys) != NULL;
}

bool mlia_kind_edge_allowed(const mlia_kind_table *table, uint32_t parent, uint32_t child)
{
    return has_key(table->edges, table->edge_count, edge_key(parent, child));
}

bool mlia_kind_edge_declared(const mlia_kind_table *table, uint32_t parent, uint32_t child)
{
    return has_key(table->declared, table->declared_count, edge_key(parent, child));
}

/* Number of a kind; a new one is given to a kind that was never seen. NULL when out of memory. */
static const uint32_t *kind_number(mlia_kind_table *table, mlia_str kind)
{
    return mlia_map_insert(&table->numbers, kind, (uint32_t)table->numbers.count, NULL);
}

static bool add_declared_edges(mlia_kind_table *table, const mlia_entity_kind *kind, const mlia_texts *others,
                               bool others_are_parents)
{
    for (size_t i = 0; i < others->count; i++) {
        const uint32_t *found = kind_number(table, others->items[i]);
        if (found == NULL)
            return false;
        uint32_t other = *found;
        uint32_t self = *mlia_map_find(&table->numbers, kind->id);
        table->declared[table->declared_count++] =
            others_are_parents ? edge_key(other, self) : edge_key(self, other);
    }
    return true;
}

static size_t declared_edge_count(const mlia_result *result)
{
    size_t count = 0;
    for (size_t i = 0; i < result->entity_kinds.count; i++)
        count += result->entity_kinds.items[i].parent_kinds.count +
                 result->entity_kinds.items[i].child_kinds.count;
    return count;
}

static bool number_kinds(mlia_kind_table *table, const mlia_result *result)
{
    for (uint32_t i = 0; i < MLIA_KIND_WELL_KNOWN; i++)
        if (kind_number(table, mlia_well_known_kinds[i]) == NULL)
            return false;
    for (size_t i = 0; i < result->entity_kinds.count; i++)
        if (kind_number(table, result->entity_kinds.items[i].id) == NULL)
            return false;
    table->count = (uint32_t)table->numbers.count;
    for (size_t i = 0; i < result->entities.count; i++) {
        const uint32_t *number = kind_number(table, result->entities.items[i].kind);
        if (number == NULL)
            return false;
        table->of_entity[i] = *number;
    }
    return true;
}

mlia_status *mlia_kind_table_make(mlia_arena *arena, const mlia_result *result, mlia_kind_table *table)
{
    static const uint32_t well_known[][2] = {{MLIA_KIND_CODE_LINE, MLIA_KIND_CODE_STACK},
                                             {MLIA_KIND_CODE_STACK, MLIA_KIND_CODE_STACK},
                                             {MLIA_KIND_CODE_STACK, MLIA_KIND_SOURCE_OPERATOR}};
    enum { WELL_KNOWN_EDGES = sizeof well_known / sizeof *well_known };
    size_t declared = declared_edge_count(result);
    *table = (mlia_kind_table){.numbers = mlia_map_in(arena)};
    table->declared = MLIA_NEW_ARRAY(arena, uint64_t, declared);
    table->edges = MLIA_NEW_ARRAY(arena, uint64_t, declared + WELL_KNOWN_EDGES);
    table->of_entity = MLIA_NEW_ARRAY(arena, uint32_t, result->entities.count);
    if (table->declared == NULL || table->edges == NULL || table->of_entity == NULL ||
        !number_kinds(table, result))
        return mlia_error_memory();
    for (size_t i = 0; i < result->entity_kinds.count; i++) {
        const mlia_entity_kind *kind = &result->entity_kinds.items[i];
        if (!add_declared_edges(table, kind, &kind->parent_kinds, true) ||
            !add_declared_edges(table, kind, &kind->child_kinds, false))
            return mlia_error_memory();
    }
    memcpy(table->edges, table->declared, declared * sizeof *table->edges);
    for (size_t i = 0; i < WELL_KNOWN_EDGES; i++)
        table->edges[declared + i] = edge_key(well_known[i][0], well_known[i][1]);
    table->edge_count = declared + WELL_KNOWN_EDGES;
    qsort(table->declared, declared, sizeof *table->declared, compare_keys);
    qsort(table->edges, table->edge_count, sizeof *table->edges, compare_keys);
    return NULL;
}
