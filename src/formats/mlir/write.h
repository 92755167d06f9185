/* Writing MLIR text: operations (write.c) and constants (write_constant.c). */
#ifndef MLIA_FORMATS_MLIR_WRITE_H
#define MLIA_FORMATS_MLIR_WRITE_H

#include "base/bytes.h"
#include "graph/graph.h"

/* "tensor<2x3xi8>", "!tosa.shape<4>". */
void mlia_mlir_write_type(mlia_buffer *text, const mlia_graph_value *value);
/* "i8", "ui8". */
void mlia_mlir_write_element_type(mlia_buffer *text, uint32_t type, bool is_unsigned);

/* "dense<…> : T" for a tensor with a constant. E_MLIR_DATA, E_MLIR_LIMIT. */
mlia_status *mlia_mlir_write_constant(mlia_buffer *text, const mlia_graph_value *value);
/* "dense<…> : tensor<Nxindex>". */
void mlia_mlir_write_shape(mlia_buffer *text, const int64_t *values, uint32_t count);

/* One number: `pattern` are the bits of an element, "1.500000e+00", "-3", "true", "0x7FC00000". */
void mlia_mlir_write_number(mlia_buffer *text, uint32_t type, bool is_unsigned, uint64_t pattern);

#endif
