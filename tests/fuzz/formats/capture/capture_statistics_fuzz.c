/* Any bytes as dispatch statistics. Byte 0: mode and generation; bytes 1 to 4: which of the first stripes are
 * listed. The sums of accepted files are compared with plain ones. */
#include <stdlib.h>

#include "formats/capture/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 5 };

static mlia_status *decode(mlia_statistics_decoder *decoder, mlia_bytes file)
{
    size_t block = (size_t)mlia_statistics_block_bytes(decoder->layout);
    for (size_t at = 0; at < file.size; at += block)
        MLIA_TRY(mlia_statistics_block(
            decoder, mlia_bytes_slice(file, at, file.size - at < block ? file.size - at : block)));
    return mlia_statistics_end(decoder);
}

static void check(const mlia_statistics_decoder *decoder, mlia_bytes file)
{
    uint64_t expected = 0;
    uint64_t found = 0;
    for (size_t i = 0; i < file.size / 4; i++) {
        size_t word = i % decoder->layout->task_words;
        if (word < decoder->layout->word_count && decoder->layout->names[word].size)
            expected += mlia_load_u32(file.data + 4 * i);
    }
    for (size_t i = 0; i < decoder->list->count; i++)
        for (size_t word = 0; word < MLIA_COUNTERS_MAX; word++)
            found += decoder->sums[i].words[word];
    if (expected != found)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD)
        return -1;
    mlia_arena *arena = mlia_arena_new(0);
    uint8_t info[4 * 32];
    size_t listed = 0;
    uint32_t mask = mlia_load_u32(data + 1);
    for (uint32_t i = 0; i < 32; i++)
        if (mask >> i & 1)
            memcpy(&info[4 * listed++], &(uint32_t){i}, 4);
    mlia_bytes file = {data + HEAD, size - HEAD};
    mlia_stripe_list list;
    mlia_status *status = mlia_stripe_list_decode((mlia_bytes){info, 4 * listed}, false, arena, &list);
    const mlia_statistics_layout *layout =
        mlia_statistics_layout_of(data[0] & 1, data[0] & 2 ? MLIA_GENERATION_G2 : MLIA_GENERATION_G1);
    mlia_statistics_decoder decoder;
    if (status == NULL)
        status = mlia_statistics_begin(&decoder, layout, file.size, &list, arena);
    if (status == NULL)
        status = decode(&decoder, file);
    if (status == NULL)
        check(&decoder, file);
    mlia_status_free(status);
    mlia_arena_free(arena);
    return 0;
}
