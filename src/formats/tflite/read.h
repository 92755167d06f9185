/* What the parts of the TensorFlow Lite reader share. Private to this room. */
#ifndef MLIA_FORMATS_TFLITE_READ_H
#define MLIA_FORMATS_TFLITE_READ_H

#include "base/map.h"
#include "formats/tflite/schema.h"
#include "formats/tflite/tflite.h"

typedef struct mlia_tflite_reader {
    mlia_bytes file;
    mlia_arena *arena;
    mlia_diagnostics *diagnostics;
    mlia_tflite_open_external *open_external;
    void *context;
    mlia_flatbuf_vector codes;
    mlia_flatbuf_vector buffers;
    mlia_flatbuf_vector external_groups;
    mlia_flatbuf_vector external_buffers;
    mlia_map external_ids;  /* id, as decimal text → position in external_buffers */
    uint64_t unfold_budget; /* bytes and index entries that sparse tensors may still cost */
    mlia_tflite *model;
} mlia_tflite_reader;

/* Reads tensor `index` of subgraph `subgraph`; tensor.c. */
mlia_status *mlia_tflite_read_tensor(mlia_tflite_reader *reader, mlia_flatbuf_table table, uint32_t subgraph,
                                     uint32_t index, mlia_tflite_tensor *tensor);

/* Bytes of a buffer: inside the FlatBuffer, or appended to the file. An empty view when it has none. tensor.c
 */
mlia_status *mlia_tflite_buffer_bytes(mlia_tflite_reader *reader, uint32_t buffer, mlia_bytes *bytes);

/* Unfolds the sparse values `stored` to the dense tensor; sparse.c. `element_size` in bytes; elements that
 * are not stored are 0, or the zero point. E_TFLITE_SPARSITY, or E_TFLITE_LIMIT when all sparse tensors
 * together unfold to more than the file's size justifies. */
mlia_status *mlia_tflite_unfold_sparse(mlia_tflite_reader *reader, mlia_flatbuf_table sparsity,
                                       const mlia_tflite_tensor *tensor, mlia_bytes stored,
                                       size_t element_size, mlia_bytes *dense);

#endif
