/* The TOML reader on any bytes: no crash, no leak, and every error has a place. */
#include <stdlib.h>

#include "formats/toml/toml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_toml *root;
    mlia_status *status = mlia_toml_read(arena, (mlia_str){(const char *)data, size}, MLIA_E_CONFIG, &root);
    if (status != NULL && mlia_status_line(status) == 0)
        abort();
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
