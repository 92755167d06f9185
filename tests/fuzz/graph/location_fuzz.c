/* Any text as a location: decoding never fails, and what it gives is readable. */
#include <stdlib.h>

#include "graph/location.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_all(mlia_str text, size_t *sum)
{
    for (size_t i = 0; i < text.size; i++)
        *sum += (unsigned char)text.data[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_source source = {0};
    size_t sum = 0;
    if (mlia_location_decode(arena, (mlia_str){(const char *)data, size}, &source) != NULL)
        abort();
    read_all(source.label, &sum);
    read_all(source.file, &sum);
    read_all(source.operator_name, &sum);
    for (uint32_t i = 0; i < source.module_count; i++) {
        read_all(source.modules[i].key, &sum);
        read_all(source.modules[i].name, &sum);
        read_all(source.modules[i].type, &sum);
    }
    for (uint32_t i = 0; i < source.frame_count; i++) {
        if (source.frames[i].line == 0 || source.frames[i].file.size == 0)
            abort();
        read_all(source.frames[i].file, &sum);
        read_all(source.frames[i].function, &sum);
    }
    if (source.file.size > 0 && source.line == 0)
        abort();
    if (mlia_arena_used(arena) > 1000 * (size + 1024))
        abort();
    mlia_arena_free(arena);
    return (int)(sum & 0);
}
