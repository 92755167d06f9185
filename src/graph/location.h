/* Decoding location texts: TOSA FlatBuffers locations, MLIR locations, SPIR-V debug names, ExecuTorch JSON.
 */
#ifndef MLIA_GRAPH_LOCATION_H
#define MLIA_GRAPH_LOCATION_H

#include "graph/graph.h"

/* Decodes `text` into the label, position, modules and frames of `source` (texts in `arena`);
 * `source->location` becomes `text`. Rules, in this order: JSON object      label = node_name, else
 * aten_info.node_name, else event_id; operator_name from aten_info; modules from torch_info.nn_module_stack,
 * frames from torch_info.stack_trace (lines 'File "F", line N, in FUNCTION') loc( … )         MLIR location
 * syntax, decoded again up to 8 times: name → its text, fused → parts joined with ";" (duplicates dropped),
 * callsite → callee, file → position without label FILE:LINE:COL    position (split at the last two colons);
 * several joined by ";": the first that has one
 *   "", "unknown", "loc(unknown)"  nothing
 *   anything else    the label itself
 * Broken JSON or MLIR syntax is a plain label. Never fails but for memory. */
mlia_status *mlia_location_decode(mlia_arena *arena, mlia_str text, mlia_source *source);

/* Canonical text for joins across formats: the label, or "tosa:REGION/BLOCK/INDEX" (percent-encoded) without
 * one. */
mlia_str mlia_source_reference(mlia_arena *arena, const mlia_graph *graph, const mlia_operator *op);

#endif
