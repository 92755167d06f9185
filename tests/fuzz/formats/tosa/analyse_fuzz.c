/* Graphs from TOSA FlatBuffers through all questions: unknown dimensions are resolved, and resolving again
 * changes nothing; the verifier and the work counts end whatever the graph says. */
#include <stdlib.h>

#include "formats/tosa/tosa.h"
#include "graph/analyse.h"

/* Resolving again: the same number of operators, no new value. */
static void resolve_again(mlia_graph *graph)
{
    uint32_t operators = graph->operator_count;
    mlia_status *status = mlia_graph_resolve_shapes(graph, NULL, 0, true, NULL);
    if (status == NULL && graph->operator_count != operators)
        abort();
    mlia_status_free(status);
}

static void ask_everything(mlia_graph *graph, mlia_arena *arena)
{
    mlia_findings findings = {.limit = 100};
    mlia_status_free(mlia_graph_verify(graph, arena, &findings));
    mlia_status_free(mlia_findings_status(graph, &findings));
    mlia_graph_requirements(graph);
    mlia_work *works = MLIA_NEW_ARRAY(arena, mlia_work, graph->operator_count);
    mlia_status_free(mlia_graph_work(graph, arena, works));
    for (uint32_t i = 0; i < graph->operator_count; i++)
        if (!works[i].known && works[i].macs != 0)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_graph *graph;
    mlia_status *status = mlia_tosa_read((mlia_bytes){data, size}, arena, NULL, &graph);
    if (status == NULL) {
        ask_everything(graph, arena);
        status = mlia_graph_resolve_shapes(graph, NULL, 0, true, NULL);
        ask_everything(graph, arena);
        if (status == NULL)
            resolve_again(graph);
    }
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
