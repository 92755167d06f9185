/* The JSON form of locations that PyTorch exporters write. Private to location.c. */
#ifndef MLIA_GRAPH_LOCATION_JSON_H
#define MLIA_GRAPH_LOCATION_JSON_H

#include "graph/graph.h"

/* Decodes a text that is a JSON object: `*label` = its node name, operator name, modules and frames go into
 * `source` unless it has them already. `*is_json` false: the text is no JSON object and nothing is changed.
 * Fails only for memory. */
mlia_status *mlia_location_decode_json(mlia_arena *arena, mlia_str text, mlia_source *source, mlia_str *label,
                                       bool *is_json);

#endif
