/* Any bytes behind the magic number of MLIR bytecode: a graph or an error, and graphs can be written. */
#include "formats/mlir/mlir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!mlia_mlir_is_bytecode((mlia_bytes){data, size}))
        return 0;
    mlia_arena *arena = mlia_arena_new((size_t)1 << 28);
    mlia_graph *graph;
    mlia_buffer text = {0};
    mlia_status *status = mlia_mlir_read((mlia_bytes){data, size}, arena, NULL, &graph);
    if (status == NULL)
        status = mlia_mlir_write(graph, &text);
    mlia_buffer_free(&text);
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
