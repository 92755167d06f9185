/* Where operators come from, as entities of a result: source operators, the module tree and the call stacks
 * of a graph. Shared by the performance, compatibility and measured results. */
#ifndef MLIA_BACKENDS_PROVENANCE_H
#define MLIA_BACKENDS_PROVENANCE_H

#include "graph/graph.h"
#include "result/build.h"

/* Entities of one graph. */
typedef struct mlia_provenance {
    const mlia_graph *graph;
    mlia_entity_ref *operators; /* for each graph operator: its source operator, MLIA_NO_ENTITY when none */
} mlia_provenance;

/* Adds the source operators of `graph` (kind source_operator, attribute operator_types: the TOSA operators
 * that share it, in order), and for those with modules or frames the nn_module tree and code_stack paths with
 * edges to them. Calls for several graphs of one model share entities. Texts live in `arena`. Only E_MEMORY.
 */
mlia_status *mlia_provenance_add(mlia_result_builder *builder, const mlia_graph *graph, mlia_arena *arena,
                                 mlia_provenance *provenance);

/* "source_operator/ID" of a source, "code_stack/NAME:LINE-HASH" of its first `frame_count` frames. */
mlia_str mlia_source_entity_id(mlia_arena *arena, const mlia_source *source);
mlia_str mlia_code_stack_id(mlia_arena *arena, const mlia_code_frame *frames, uint32_t frame_count);

/* {"edges": […], "result_index": N}: the data flow between source operators, one entry of
 * extensions.mlia_graph.graphs. Edges that stay inside one source operator are left out. NULL when out of
 * memory. `graphs` may hold several segments. */
mlia_value *mlia_provenance_edges(const mlia_provenance *graphs, uint32_t count, uint32_t result_index,
                                  mlia_arena *arena);

#endif
