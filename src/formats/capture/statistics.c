/* Dispatch statistics: fixed-size tasks of 32-bit words, summed per block. The layouts and names are the
 * public ones of the layer and its readers; no meaning beyond the names is known. */
#include <inttypes.h>

#include "formats/capture/decode.h"

enum { FILE_ALIGNMENT = 64, NX_ACTIVE_WORD = 1 };

#define NAME(text) MLIA_STR_INIT(text)
#define NO_NAME                                                                                              \
    {                                                                                                        \
        NULL, 0                                                                                              \
    }

static const mlia_str section_names[] = {
    NAME("section_0"),  NAME("section_1"),  NAME("section_2"),  NAME("section_3"),
    NAME("section_4"),  NAME("section_5"),  NAME("section_6"),  NAME("section_7"),
    NAME("section_8"),  NAME("section_9"),  NAME("section_10"), NAME("section_11"),
    NAME("section_12"), NAME("section_13"), NAME("section_14"), NAME("section_15"),
};

/* Words 0 to 29 are the same in both generations; words 30 to 32 exist in the second one only. */
static const mlia_str counter_names[] = {
    NO_NAME,
    NAME("nx_active"),
    NAME("dl_active"),
    NAME("ir_active"),
    NAME("wf_active"),
    NAME("ce_active"),
    NAME("ve_active"),
    NAME("tu_active"),
    NAME("ow_active"),
    NAME("task_init_stall"),
    NAME("rd_ll_stall"),
    NAME("rd_hl_stall"),
    NAME("dma_wr_stall"),
    NAME("ir_idx_stall"),
    NAME("ce_src0_stall"),
    NAME("ce_src1_stall"),
    NAME("ve_src0_ir_stall"),
    NAME("ve_src0_ce_stall"),
    NAME("ve_src0_ve_stall"),
    NAME("ve_src0_tu_stall"),
    NAME("ve_src1_ir_stall"),
    NAME("ve_src1_ve_stall"),
    NAME("ve_src1_tu_stall"),
    NAME("tu_src0_ir_stall"),
    NAME("tu_src0_ve_stall"),
    NAME("tu_src0_tu_stall"),
    NAME("ow_src0_ir_stall"),
    NAME("ow_src0_ve_stall"),
    NAME("ow_src0_tu_stall"),
    NAME("ow_idx_stall"),
    NO_NAME,
    NAME("me_src0_stall"),
    NAME("me_src1_stall"),
};

static const mlia_statistics_layout layouts[2][2] = {
    {{.mode = 0, .task_words = 16, .block_tasks = 512, .word_count = 16, .names = section_names},
     {.mode = 0, .task_words = 16, .block_tasks = 1024, .word_count = 16, .names = section_names}},
    {{.mode = 1, .task_words = 32, .block_tasks = 256, .word_count = 30, .names = counter_names},
     {.mode = 1, .task_words = 64, .block_tasks = 256, .word_count = 33, .names = counter_names}},
};

static const mlia_str generation_names[] = {
    [MLIA_GENERATION_NONE] = NO_NAME,
    [MLIA_GENERATION_G1] = NAME("Mali-G1"),
    [MLIA_GENERATION_G2] = NAME("Mali-G2"),
};

mlia_generation mlia_generation_of_device(mlia_str name)
{
    for (mlia_generation i = MLIA_GENERATION_G1; i <= MLIA_GENERATION_G2; i++) {
        mlia_str known = generation_names[i];
        if (mlia_str_starts_with(name, known) &&
            (name.size == known.size || name.data[known.size] == '-' || name.data[known.size] == ' '))
            return i;
    }
    return MLIA_GENERATION_NONE;
}

mlia_str mlia_generation_name(mlia_generation generation)
{
    return generation_names[generation];
}

const mlia_statistics_layout *mlia_statistics_layout_of(uint32_t mode, mlia_generation generation)
{
    return &layouts[mode][generation - MLIA_GENERATION_G1];
}

uint64_t mlia_statistics_block_bytes(const mlia_statistics_layout *layout)
{
    return (uint64_t)layout->task_words * 4 * layout->block_tasks;
}

mlia_status *mlia_statistics_begin(mlia_statistics_decoder *decoder, const mlia_statistics_layout *layout,
                                   uint64_t size, const mlia_stripe_list *list, mlia_arena *arena)
{
    uint32_t task = layout->task_words * 4;
    if (size == 0 || size % FILE_ALIGNMENT != 0 || size % task != 0)
        return mlia_error(MLIA_E_STATS_ALIGN,
                          "%" PRIu64 " bytes are no whole number of tasks of %" PRIu32 " bytes (mode %" PRIu32
                          ")",
                          size, task, layout->mode);
    uint64_t block = mlia_statistics_block_bytes(layout);
    *decoder =
        (mlia_statistics_decoder){.layout = layout, .list = list, .block_count = (size + block - 1) / block};
    /* A list longer than the file has blocks ends in E_INFO_OUT_OF_RANGE; its sums need no memory. */
    size_t kept = list->count <= decoder->block_count ? list->count : 0;
    decoder->sums = MLIA_NEW_ARRAY(arena, mlia_stripe_sums, kept);
    MLIA_TRY_ALLOC(decoder->sums);
    return NULL;
}

static bool is_zero(mlia_bytes block)
{
    uint8_t any = 0;
    for (size_t i = 0; i < block.size; i++)
        any |= block.data[i];
    return any == 0;
}

static void sum_words(const mlia_statistics_layout *layout, mlia_bytes block, uint64_t *sums)
{
    for (size_t task = 0; task < block.size; task += (size_t)layout->task_words * 4)
        for (size_t word = 0; word < layout->task_words; word++)
            sums[word] += mlia_load_u32(block.data + task + 4 * word);
}

/* Figures of a stripe from the sums of all words of its block. */
static void finish_sums(const mlia_statistics_layout *layout, const uint64_t *all, mlia_stripe_sums *sums)
{
    uint64_t named = 0;
    sums->counted = true;
    for (size_t word = 0; word < layout->task_words; word++) {
        if (word < layout->word_count && layout->names[word].size) {
            sums->words[word] = all[word];
            named += all[word];
        } else {
            sums->has_unlabelled |= all[word] != 0;
        }
    }
    sums->op_cycles = layout->mode == 0 ? named : all[NX_ACTIVE_WORD];
    sums->total_cycles = sums->op_cycles ? sums->op_cycles : named;
}

mlia_status *mlia_statistics_block(mlia_statistics_decoder *decoder, mlia_bytes block)
{
    const mlia_stripe_list *list = decoder->list;
    uint64_t number = decoder->next_block++;
    bool listed = decoder->next_listed < list->count && list->sorted[decoder->next_listed] >> 32 == number;
    uint64_t item = listed ? list->sorted[decoder->next_listed++] : 0;
    if (is_zero(block))
        return NULL;
    if (!listed)
        return mlia_error(MLIA_E_INFO_UNLISTED,
                          "block %" PRIu64 " of %" PRIu64
                          " counts, but its stripe is not in the statistics info",
                          number, decoder->block_count);
    /* With more stripes listed than there are blocks the run ends in an error: nothing to keep. */
    if (list->count > decoder->block_count)
        return NULL;
    uint64_t sums[MLIA_TASK_WORDS_MAX] = {0};
    sum_words(decoder->layout, block, sums);
    finish_sums(decoder->layout, sums, &decoder->sums[item & UINT32_MAX]);
    return NULL;
}

mlia_status *mlia_statistics_end(const mlia_statistics_decoder *decoder)
{
    const mlia_stripe_list *list = decoder->list;
    if (decoder->next_listed == list->count)
        return NULL;
    return mlia_error(MLIA_E_INFO_OUT_OF_RANGE,
                      "stripe %" PRIu64 " is listed, the statistics have %" PRIu64 " blocks",
                      list->sorted[decoder->next_listed] >> 32, decoder->block_count);
}
