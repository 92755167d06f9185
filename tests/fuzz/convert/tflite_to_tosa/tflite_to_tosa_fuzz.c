/* Any bytes as a TensorFlow Lite model: what converts is a finished graph that the verifier can judge. */
#include "convert/tflite_to_tosa/convert.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new((size_t)1 << 30);
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_tflite *model;
    mlia_graph *graph;
    mlia_tflite_to_tosa_options options = {
        .state = (mlia_tflite_state)(size % 3),
        .rounding = (mlia_tflite_rounding)(size / 3 % 3),
        .keep_control_flow = size % 2 == 0,
    };
    mlia_status *status = mlia_tflite_read((mlia_bytes){data, size}, NULL, NULL, arena, &diagnostics, &model);
    if (status == NULL)
        status = mlia_tflite_to_tosa(model, MLIA_STR("m"), &options, arena, &diagnostics, &graph);
    if (status == NULL) {
        mlia_findings findings = {.limit = 10};
        status = mlia_graph_verify(graph, arena, &findings);
    }
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
