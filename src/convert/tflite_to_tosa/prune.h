/* Removing what nobody uses from a graph that is still being built, and putting the rest in one order. */
#ifndef MLIA_CONVERT_TFLITE_TO_TOSA_PRUNE_H
#define MLIA_CONVERT_TFLITE_TO_TOSA_PRUNE_H

#include "graph/graph.h"

/* Drops operators that lead to no block output, variable write or control flow, then values that nothing
 * names, and numbers the rest anew. The order of what stays follows from the graph alone: the `count` values
 * of `results` (those that the model's own operators produce, in the model's order) one after the other, each
 * behind what it is made of. The order of emission does not count: C leaves open in which order the arguments
 * of a call are emitted. Call before mlia_graph_finish. Fails only for memory. */
mlia_status *mlia_graph_prune(mlia_graph *graph, const uint32_t *results, size_t count);

#endif
