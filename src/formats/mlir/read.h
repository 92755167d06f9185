/* The two readers behind mlia_mlir_read. */
#ifndef MLIA_FORMATS_MLIR_READ_H
#define MLIA_FORMATS_MLIR_READ_H

#include "formats/mlir/ir.h"

mlia_status *mlia_mlir_read_text(const mlia_mlir_context *context, mlia_graph **graph);
mlia_status *mlia_mlir_read_bytecode(const mlia_mlir_context *context, mlia_graph **graph);

#endif
