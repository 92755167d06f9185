/* Constants in another byte layout: what a writer needs whose format lays elements out differently from where
 * they came from. */
#ifndef MLIA_GRAPH_ENCODE_H
#define MLIA_GRAPH_ENCODE_H

#include "graph/graph.h"

/* The bytes of `value`'s constant in `encoding`, every element written out. Without copy when they are stored
 * that way; else in `arena`. MLIA_ENCODING_BYTES sign-extends INT4 and INT48. Errors: E_TOSA_DATA (no
 * constant, unknown dimensions, too few bytes), E_TOSA_LIMIT (a splat of more than 2 GiB), E_MEMORY. */
mlia_status *mlia_constant_encode(const mlia_graph_value *value, mlia_encoding encoding, mlia_arena *arena,
                                  mlia_bytes *bytes);

#endif
