/* TOSA FlatBuffers: whatever can be read can be verified and written, what is written reads as the same
 * graph, and writing that gives the same bytes. */
#include <stdlib.h>

#include "formats/tosa/tosa.h"
#include "graph/analyse.h"

static mlia_graph *read_again(const mlia_buffer *buffer, mlia_arena *arena)
{
    mlia_graph *graph;
    mlia_diagnostics diagnostics = {.arena = arena};
    if (mlia_tosa_read(mlia_buffer_bytes(buffer), arena, &diagnostics, &graph) != NULL)
        abort();
    for (size_t i = 0; i < diagnostics.count; i++)
        if (diagnostics.items[i].kind != MLIA_W_TOSA_VERSION)
            abort();
    return graph;
}

static void round_trip(const mlia_graph *graph, mlia_arena *arena)
{
    mlia_buffer first = {0};
    mlia_buffer second = {0};
    if (mlia_tosa_write(graph, &first) != NULL)
        abort();
    const mlia_graph *again = read_again(&first, arena);
    if (again->operator_count != graph->operator_count || again->variable_count < graph->variable_count ||
        again->region_count != graph->region_count)
        abort();
    if (mlia_tosa_write(again, &second) != NULL || first.size != second.size ||
        memcmp(first.data, second.data, first.size) != 0)
        abort();
    mlia_buffer_free(&first);
    mlia_buffer_free(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_graph *graph;
    mlia_status *status = mlia_tosa_read((mlia_bytes){data, size}, arena, &diagnostics, &graph);
    if (status == NULL) {
        mlia_findings findings = {.limit = 10};
        mlia_status_free(mlia_graph_verify(graph, arena, &findings));
        round_trip(graph, arena);
    }
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
