/* TOSA FlatBuffers (".tosa"): reading into the graph and writing from it. docs/formats/tosa-flatbuffers.md.
 */
#ifndef MLIA_FORMATS_TOSA_TOSA_H
#define MLIA_FORMATS_TOSA_TOSA_H

#include "base/bytes.h"
#include "graph/graph.h"

/* Reads a whole file into a finished graph in normal form. The graph lives in `arena` and refers to `file`,
 * which must stay open as long as it. Warnings: W_TOSA_VERSION (newer minor version, draft), W_TOSA_DATA
 * (more constant bytes than needed), W_TOSA_ORDER (operators were sorted).
 *
 * The first fault decides, in this order: container (E_TOSA_TRUNCATED, _IDENTIFIER, _OFFSET), version
 * (_SCHEMA, _VERSION), structure (_OFFSET, _UTF8, _SCHEMA, _LIMIT, _EMPTY, _UNSUPPORTED, _ENUM), names
 * (_DUPLICATE, _DANGLING), attributes (_ATTRIBUTE, _ENUM, _DANGLING), shapes and constants (_SHAPE, _LIMIT,
 * _OFFSET, _DATA), graph (_DUPLICATE, _DANGLING, _CYCLE). Each names a path such as
 * regions[0].blocks[0].operators[3].inputs[1] and a byte offset. Type, shape and level rules are
 * graph/analyse.h's. */
mlia_status *mlia_tosa_read(mlia_bytes file, mlia_arena *arena, mlia_diagnostics *diagnostics,
                            mlia_graph **graph);

/* Writes a finished graph; `out` must be empty. The same graph gives the same bytes. Values without a name
 * get one (TosaInput_N, TosaOutput_N, layer_N), repeated names a suffix; constants are stored in the
 * FlatBuffers layout. Version 1.0.0 where operators and types allow it, else 1.1.0 draft. Errors:
 * E_TOSA_UNSUPPORTED (operators of other dialects), E_TOSA_DATA (CONST without bytes), E_TOSA_LIMIT (a splat
 * of more than 2 GiB), E_LIMIT (a file of more than 2 GiB). */
mlia_status *mlia_tosa_write(const mlia_graph *graph, mlia_buffer *out);

/* Identifier at byte 4 of the file. */
#define MLIA_TOSA_IDENTIFIER "TOSA"

/* The newest schema that reader and writer know, as text: "1.1.0 draft". */
#define MLIA_TOSA_SCHEMA_VERSION "1.1.0 draft"

#endif
