/* Graphs from TOSA FlatBuffers through the estimator: it ends, every operator is accounted for, sums are
 * exact, and cascades never cost cycles. */
#include <stdlib.h>

#include "estimate/estimate.h"
#include "formats/tosa/tosa.h"
#include "graph/analyse.h"

static uint64_t run(const mlia_graph *graph, mlia_arena *arena, bool cascades)
{
    mlia_estimate_config config;
    mlia_config_default(&config);
    config.cascade_enable = cascades;
    mlia_estimate_input input = {.graph = graph};
    mlia_estimate *estimate = NULL;
    mlia_status *status = mlia_estimate_run(&input, 1, &config, arena, NULL, &estimate);
    mlia_status_free(status);
    if (status != NULL)
        return 0;
    const mlia_estimate_segment *s = &estimate->segments[0];
    uint32_t operators = s->free_count + s->unestimated_count;
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < s->chain_count; i++) {
        operators += s->chains[i].operator_count;
        cycles += s->chains[i].cost.total_cycles;
    }
    if (operators != graph->operator_count || cycles != s->cost.total_cycles)
        abort();
    return cycles;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_graph *graph = NULL;
    mlia_status *status = mlia_tosa_read((mlia_bytes){data, size}, arena, NULL, &graph);
    if (status == NULL) {
        if (run(graph, arena, true) > run(graph, arena, false))
            abort();
        status = mlia_graph_resolve_shapes(graph, NULL, 0, true, NULL);
    }
    if (status == NULL)
        run(graph, arena, false);
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
