/* TOSA in MLIR: text (generic, pretty, mixed) and bytecode to graph, and graph to text.
 *
 * docs/formats/mlir.md describes what is read, what is refused and what is written.
 */
#ifndef MLIA_FORMATS_MLIR_MLIR_H
#define MLIA_FORMATS_MLIR_MLIR_H

#include "base/bytes.h"
#include "base/file.h"
#include "graph/graph.h"

/* Reads a module of TOSA operations; bytecode is recognised by its magic number, anything else is text. The
 * graph is one function (@main, else the only one, else the first with W_MLIR_MAIN) and lives in `arena`; it
 * may hold views into `file`. Unknown dimensions stay unknown, one-element constants stay splats, operations
 * of other dialects become foreign operators. Errors: E_MLIR_* with line and column, E_MLIRBC_* with the byte
 * offset, and those of mlia_graph_finish. `diagnostics` may be NULL. */
mlia_status *mlia_mlir_read(mlia_bytes file, mlia_arena *arena, mlia_diagnostics *diagnostics,
                            mlia_graph **graph);

/* The same for the content of an open file, of which parts that were read need not stay in memory. */
mlia_status *mlia_mlir_read_file(const mlia_file *file, mlia_arena *arena, mlia_diagnostics *diagnostics,
                                 mlia_graph **graph);

/* True for a file that starts with the magic number of MLIR bytecode. */
bool mlia_mlir_is_bytecode(mlia_bytes file);

/* Writes a finished graph as MLIR text in the spelling of the public printers, locations included, so that
 * reading it again gives an equal graph. Names of inner values are not part of the text. Errors:
 * E_MLIR_UNSUPPORTED for foreign operators, E_MLIR_LIMIT for constants of unknown size, E_MEMORY. */
mlia_status *mlia_mlir_write(const mlia_graph *graph, mlia_buffer *text);

#endif
