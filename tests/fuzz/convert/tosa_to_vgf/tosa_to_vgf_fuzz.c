/* Every graph that can be read from a VGF must either be refused or give a VGF that reads back: a self-check
 * that fails (E_INTERNAL) is a fault. */
#include <stdlib.h>

#include "convert/tosa_to_vgf/tosa_to_vgf.h"
#include "formats/vgf/vgf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new((size_t)256 << 20);
    mlia_vgf *vgf = NULL;
    mlia_graph *graph = NULL;
    uint32_t index = 0;
    mlia_status *status = mlia_vgf_read((mlia_bytes){data, size}, arena, NULL, &vgf);
    if (status == NULL)
        status = mlia_vgf_first_graph(vgf, &index);
    if (status == NULL)
        status = mlia_vgf_segment_graph(vgf, index, arena, NULL, &graph);
    if (status == NULL) {
        mlia_tosa_to_vgf_options options = {
            .narrowing = size % 3 == 0 ? MLIA_NARROWING_FULL_PRESERVE_IO : MLIA_NARROWING_NONE,
            .no_replicated_composites = size % 2 == 0,
        };
        mlia_buffer file = {0};
        status = mlia_tosa_to_vgf(graph, &options, NULL, &file);
        if (status != NULL && mlia_status_kind(status) == MLIA_E_INTERNAL)
            abort();
        mlia_buffer_free(&file);
    }
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
