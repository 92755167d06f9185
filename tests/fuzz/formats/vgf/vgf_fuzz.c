/* Any bytes as a VGF: container, view, and every graph segment. */
#include "formats/vgf/vgf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new((size_t)256 << 20);
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_vgf *vgf = NULL;
    mlia_status *status = mlia_vgf_read((mlia_bytes){data, size}, arena, &diagnostics, &vgf);
    for (uint32_t i = 0; status == NULL && i < vgf->segment_count && i < 4; i++) {
        mlia_graph *graph = NULL;
        mlia_status_free(mlia_vgf_segment_graph(vgf, i, arena, &diagnostics, &graph));
    }
    mlia_value *value = NULL;
    if (status == NULL)
        mlia_status_free(mlia_vgf_dump(vgf, arena, &value));
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
