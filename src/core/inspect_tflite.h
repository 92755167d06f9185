/* What is inside a TensorFlow Lite model, as a value to print: subgraphs, operators, tensors, signatures. */
#ifndef MLIA_CORE_INSPECT_TFLITE_H
#define MLIA_CORE_INSPECT_TFLITE_H

#include "base/value.h"
#include "formats/tflite/tflite.h"
#include "graph/analyse.h"

/* Object that describes `model`. `graph` is the model lowered (its first subgraph): operators get their
 * multiply- accumulate counts from it; NULL: none do. Lists of operators and tensors only where asked for.
 * NULL when out of memory. */
mlia_value *mlia_inspect_tflite(const mlia_tflite *model, const mlia_graph *graph, bool operators,
                                bool tensors, mlia_arena *arena);

#endif
