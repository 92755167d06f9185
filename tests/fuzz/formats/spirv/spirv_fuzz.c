/* Any words as a SPIR-V module: reading without a container, where every graph constant is one zero byte, and
 * listing. */
#include "formats/spirv/spirv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool no_constant(void *context, uint32_t id, mlia_spirv_resource *resource)
{
    (void)context;
    static const uint8_t zero[1] = {0};
    *resource = (mlia_spirv_resource){.type = MLIA_TYPE_INT8, .data = {zero, sizeof zero}, .index = id};
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new((size_t)256 << 20);
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_spirv_options options = {.diagnostics = &diagnostics, .find_constant = no_constant};
    mlia_graph *graph = NULL;
    mlia_bytes module = {data, size};
    mlia_status_free(mlia_spirv_read(module, &options, arena, &graph));
    mlia_buffer text = {0};
    mlia_status_free(mlia_spirv_disassemble(module, &text));
    mlia_buffer_free(&text);
    mlia_arena_free(arena);
    return 0;
}
