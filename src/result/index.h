/* Entities of a result as numbers: what checking, ordering and post-processing work on. */
#ifndef MLIA_RESULT_INDEX_H
#define MLIA_RESULT_INDEX_H

#include "base/map.h"
#include "base/status.h"
#include "result/result.h"

typedef struct mlia_edge {
    uint32_t from; /* parent */
    uint32_t to;   /* child */
} mlia_edge;

typedef MLIA_LIST(mlia_edge) mlia_edges;

/* Neighbours of every node: those of node n are items[start[n]] … items[start[n + 1] - 1], ascending. */
typedef struct mlia_adjacency {
    uint32_t *start;
    uint32_t *items;
} mlia_adjacency;

static inline uint32_t mlia_adjacent_count(const mlia_adjacency *adjacency, uint32_t node)
{
    return adjacency->start[node + 1] - adjacency->start[node];
}

static inline const uint32_t *mlia_adjacent(const mlia_adjacency *adjacency, uint32_t node)
{
    return adjacency->items + adjacency->start[node];
}

typedef struct mlia_result_index {
    mlia_map ids; /* id → position in result->entities; of equal ids the first */
    uint32_t count;
    mlia_edges edges;        /* of both sides' statements, ascending, each once; unknown ids left out */
    mlia_adjacency children; /* set by mlia_result_index_make */
    mlia_adjacency parents;
} mlia_result_index;

/* Index of a result in `arena`. Errors: E_MEMORY; E_LIMIT for more than 2^31 entities. */
mlia_status *mlia_result_index_make(mlia_arena *arena, const mlia_result *result, mlia_result_index *index);

/* Sorts edges and drops repeated ones. */
void mlia_edges_normalise(mlia_edges *edges);
/* Children and parents of `node_count` nodes from normalised edges. */
mlia_status *mlia_adjacency_make(mlia_arena *arena, const mlia_edges *edges, uint32_t node_count,
                                 mlia_adjacency *children, mlia_adjacency *parents);

/* Nodes in an order in which parents precede children; `*sorted_count` < count when there is a cycle. */
mlia_status *mlia_topological_order(mlia_arena *arena, const mlia_adjacency *children,
                                    const mlia_adjacency *parents, uint32_t count, uint32_t **order,
                                    uint32_t *sorted_count);

/* Kinds of entities and their allowed edges. */
typedef struct mlia_kind_table {
    mlia_map numbers; /* kind → number; well-known kinds come first */
    uint32_t count;   /* numbers ≥ count: kinds that nobody declares */
    uint64_t *edges;  /* parent << 32 | child, ascending: well known or declared */
    size_t edge_count;
    uint64_t *declared; /* only those of entity_kinds */
    size_t declared_count;
    uint32_t *of_entity; /* number of each entity's kind */
} mlia_kind_table;

enum {
    MLIA_KIND_SOURCE_OPERATOR,
    MLIA_KIND_MODEL,
    MLIA_KIND_CODE_STACK,
    MLIA_KIND_CODE_LINE,
    MLIA_KIND_WELL_KNOWN
};
extern const mlia_str mlia_well_known_kinds[MLIA_KIND_WELL_KNOWN];

mlia_status *mlia_kind_table_make(mlia_arena *arena, const mlia_result *result, mlia_kind_table *table);
/* Is an edge between kinds allowed / declared by the result itself? */
bool mlia_kind_edge_allowed(const mlia_kind_table *table, uint32_t parent, uint32_t child);
bool mlia_kind_edge_declared(const mlia_kind_table *table, uint32_t parent, uint32_t child);

#endif
