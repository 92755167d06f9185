/* Removing what nobody uses from a graph that is still being built. */
#ifndef MLIA_CONVERT_TFLITE_TO_TOSA_PRUNE_H
#define MLIA_CONVERT_TFLITE_TO_TOSA_PRUNE_H

#include "graph/graph.h"

/* Drops operators that lead to no block output, variable write or control flow, then values that nothing
 * names, and numbers the rest anew. Call before mlia_graph_finish. Fails only for memory. */
mlia_status *mlia_graph_prune(mlia_graph *graph);

#endif
