/* Any bytes as a statistics info; the first byte chooses text or binary. */
#include <stdlib.h>

#include "formats/capture/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return -1;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_stripe_list list;
    mlia_status *status =
        mlia_stripe_list_decode((mlia_bytes){data + 1, size - 1}, data[0] & 1, arena, &list);
    if (status == NULL) {
        if (list.count == 0 || list.count > size)
            abort();
        for (size_t i = 0; i < list.count; i++)
            if (list.indexes[list.sorted[i] & UINT32_MAX] != list.sorted[i] >> 32 ||
                (i > 0 && list.sorted[i - 1] >= list.sorted[i]))
                abort();
    }
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
