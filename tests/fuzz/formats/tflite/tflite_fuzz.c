/* Any bytes as a TensorFlow Lite model: read or refused, never a crash, hang or leak. */
#include "formats/tflite/tflite.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new((size_t)256 << 20);
    if (arena == NULL)
        return 0;
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_tflite *model = NULL;
    mlia_status_free(mlia_tflite_read((mlia_bytes){data, size}, NULL, NULL, arena, &diagnostics, &model));
    mlia_arena_free(arena);
    return 0;
}
