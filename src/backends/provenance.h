/* Where operators come from, as entities of a result: source operators, the module tree and the call paths of
 * a graph. Shared by the performance, compatibility and measured results. Kinds and edges must have been
 * declared (mlia_result_declare_nx_kinds). */
#ifndef MLIA_BACKENDS_PROVENANCE_H
#define MLIA_BACKENDS_PROVENANCE_H

#include "graph/graph.h"
#include "result/build.h"

/* Source operator of each graph operator; MLIA_NO_ENTITY when a conversion made it for none. */
typedef struct mlia_provenance {
    const mlia_graph *graph;
    mlia_entity_ref *operators;
} mlia_provenance;

/* Adds the source operators of `graph`: kind source_operator, name = its label or its type in lower case,
 * attributes operator_types = the TOSA operators that share it, in file order, op_type = its type in the
 * file's words, and, where its location names the operator of a converted model, origin and origin_type
 * ("operator/3", "CONV_2D"). For those with modules or
 * frames also the nn_module tree and the code_stack path, with edges down to them. Operators of several
 * graphs with one source share the entity. Texts live in `arena`. Fails only with E_MEMORY. */
mlia_status *mlia_provenance_add(mlia_result_builder *builder, const mlia_graph *graph, mlia_arena *arena,
                                 mlia_provenance *provenance);

/* The same for the operators that `wanted` chooses; the others have no entity. */
mlia_status *mlia_provenance_add_some(mlia_result_builder *builder, const mlia_graph *graph,
                                      mlia_arena *arena, bool (*wanted)(const mlia_operator *op),
                                      mlia_provenance *provenance);

/* Adds the modules and the call path of one source (its other members do not count) with edges down to
 * `operator`. Fails only with E_MEMORY. */
mlia_status *mlia_provenance_add_paths(mlia_result_builder *builder, const mlia_source *source,
                                       mlia_entity_ref operator, mlia_arena * arena);

/* "source_operator/ID". */
mlia_str mlia_source_entity_id(mlia_arena *arena, const mlia_source *source);

#endif
