/* Any text as MLIR: what is accepted can be written, and reads back as the same number of operators. */
#include <stdlib.h>

#include "formats/mlir/mlir.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_and_read(const mlia_graph *graph, mlia_arena *arena)
{
    mlia_buffer text = {0};
    mlia_graph *again;
    mlia_status *status = mlia_mlir_write(graph, &text);
    if (status == NULL) {
        status = mlia_mlir_read(mlia_buffer_bytes(&text), arena, NULL, &again);
        if (status != NULL && mlia_status_kind(status) != MLIA_E_MLIR_LIMIT)
            abort();
        if (status == NULL && again->operator_count != graph->operator_count)
            abort();
    }
    mlia_status_free(status);
    mlia_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new((size_t)1 << 28);
    mlia_graph *graph;
    mlia_status *status = mlia_mlir_read((mlia_bytes){data, size}, arena, NULL, &graph);
    if (status == NULL)
        write_and_read(graph, arena);
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
