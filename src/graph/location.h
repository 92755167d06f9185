/* Decoding location texts: TOSA FlatBuffers locations, MLIR locations, SPIR-V debug names, ExecuTorch JSON.
 */
#ifndef MLIA_GRAPH_LOCATION_H
#define MLIA_GRAPH_LOCATION_H

#include "graph/graph.h"

/* Decodes `text` into the label, position, operator name, modules and frames of `source` (texts in `arena`);
 * `source->location` becomes `text`, which must live as long as the arena. The first rule that fits counts:
 *
 * - empty, "unknown", "loc(unknown)": nothing.
 * - A JSON object: label = node_name, else aten_info.node_name, else event_id; operator_name from aten_info;
 *   modules from torch_info.nn_module_stack, frames from torch_info.stack_trace. With a member "tflite":
 * label = its tensor, operator_name = its name, origin = the first of mlia.operators, else from its numbers;
 * absorbed = the others of mlia.operators, refusal and its code = those of mlia.refusal.
 * - loc( … ) of MLIR: a name gives its text, decoded again up to 8 times, or its child's label when the text
 *   says nothing; fused gives the labels of the parts joined with ";", duplicates dropped; callsite gives
 *   the callee's; a file gives a position and no label.
 * - FILE:LINE:COL: a position and no label (split at the last two colons). Of parts joined by ";" the first
 *   position counts, and the whole text is the label unless all parts are positions.
 * - Anything else: the label. "operator/N" and "subgraph/S/operator/N" are the origin too, and as an MLIR
 * name give way to their child's label.
 *
 * Broken JSON or MLIR syntax is a plain label; so is MLIR nested deeper than 64. The first position, module
 * stack and stack trace that occur win. Fails only for memory. */
mlia_status *mlia_location_decode(mlia_arena *arena, mlia_str text, mlia_source *source);

/* Growing list of code frames. */
typedef struct mlia_frame_list {
    mlia_code_frame *items;
    size_t count;
    size_t capacity;
} mlia_frame_list;

/* Appends the frames of a Python stack trace, outermost first: every line of `text` of the form
 * 'File "F", line N[, in FUNCTION]'; other lines are ignored. Texts are copied. Fails only for memory. */
mlia_status *mlia_code_frames_decode(mlia_arena *arena, mlia_str text, mlia_frame_list *list);

/* Canonical text for joins across formats: the label; without one "tosa:REGION/BLOCK/INDEX" (names
 * percent-encoded, INDEX the position in the file's block) for TOSA and MLIR files, the source's id for
 * others. data is NULL when out of memory. */
mlia_str mlia_source_reference(mlia_arena *arena, const mlia_graph *graph, const mlia_operator *op);

#endif
