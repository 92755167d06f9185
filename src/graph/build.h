/* Building a graph: what the readers and lowerings call. Indexes stay valid while the graph grows; pointers
 * into its arrays do not. Every function that returns an index returns MLIA_NONE when out of memory (or past
 * 2^24 operators). */
#ifndef MLIA_GRAPH_BUILD_H
#define MLIA_GRAPH_BUILD_H

#include "graph/graph.h"

/* New empty graph in `arena` (which stays the caller's), version 1.0.0, no regions. NULL when out of memory.
 */
mlia_graph *mlia_graph_new(mlia_arena *arena, mlia_source_format format);

/* New region with its block; the first one is the main graph. Returns the region's index. */
uint32_t mlia_graph_add_region(mlia_graph *graph, mlia_str name, mlia_str block_name);
uint32_t mlia_graph_add_variable(mlia_graph *graph, mlia_variable variable);
uint32_t mlia_graph_add_source(mlia_graph *graph, mlia_source source);

/* New tensor in `block`; `dims` is copied. Other members can be set through graph->values[index]. */
uint32_t mlia_graph_add_tensor(mlia_graph *graph, uint32_t block, mlia_str name, uint32_t type, uint32_t rank,
                               const int64_t *dims);
/* New shape value of `length` values; `values` NULL = not known (unless there are none), else copied. */
uint32_t mlia_graph_add_shape(mlia_graph *graph, uint32_t block, mlia_str name, uint32_t length,
                              const int64_t *values);

/* New operator at the end of `block`. Value indexes and attributes are copied (lists inside the attributes
 * are not). Sets number, region_index and operator_index by position, and the outputs' producer. `attributes`
 * NULL = none. */
uint32_t mlia_graph_add_operator(mlia_graph *graph, uint32_t block, uint32_t op, const uint32_t *inputs,
                                 uint32_t input_count, const uint32_t *outputs, uint32_t output_count,
                                 const mlia_attributes *attributes, uint32_t source);

/* Where an operator that stands for another one is in the file, for messages: at that one's place. */
void mlia_operator_take_place(mlia_operator *op, const mlia_operator *original);

/* Sets the inputs or outputs of a block (copied). */
bool mlia_graph_set_block_inputs(mlia_graph *graph, uint32_t block, const uint32_t *values, uint32_t count);
bool mlia_graph_set_block_outputs(mlia_graph *graph, uint32_t block, const uint32_t *values, uint32_t count);

/* Attributes with the defaults of MLIR: nan_mode PROPAGATE, everything else zero, regions MLIA_NONE. */
mlia_attributes mlia_attributes_default(void);

/* Ends building: counts uses, sets producers, sorts the operators of each block so that every value is
 * defined before its use (equal candidates keep file order; one W_TOSA_ORDER if the order changed), links
 * regions to the operators that run them, marks constants. May be called again after changes. Errors:
 * E_TOSA_CYCLE (data or regions), E_TOSA_DANGLING (a value that is read has no producer, is no block input
 * and no variable; a region that does not exist), E_TOSA_DUPLICATE (two producers), E_TOSA_LIMIT (regions
 * nested more than 256 deep). */
mlia_status *mlia_graph_finish(mlia_graph *graph, mlia_diagnostics *diagnostics);

#endif
