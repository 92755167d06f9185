/* Known answers of the decoders, and what they refuse. */
#include "formats/capture/decode.h"

#include "test_support.h"

static mlia_bytes bytes_of(const uint32_t *words, size_t count)
{
    return (mlia_bytes){(const uint8_t *)words, count * sizeof *words};
}

static void frames(void **state)
{
    (void)state;
    const uint32_t framed[] = {0x2211EEFF, 1, 8, 3, 9};
    mlia_bytes payload;
    assert_ok(mlia_capture_unframe(bytes_of(framed, 5), false, &payload));
    assert_int_equal(payload.size, 8);
    /* a plain list whose words look like version and size */
    const uint32_t plain[] = {0, 1, 4, 7};
    assert_ok(mlia_capture_unframe(bytes_of(plain, 4), false, &payload));
    assert_int_equal(payload.size, 16);
    assert_kind(mlia_capture_unframe(bytes_of(plain, 4), true, &payload), MLIA_E_FRAME_MAGIC);
    static const struct {
        uint32_t words[4];
        size_t size;
        mlia_kind kind;
    } bad[] = {
        {{0x2211EEFF, 1, 4, 0}, 8, MLIA_E_FRAME_TRUNCATED},
        {{0x2211EEFF, 2, 4, 0}, 16, MLIA_E_FRAME_VERSION},
        {{0x2211EEFF, 1, 8, 0}, 16, MLIA_E_FRAME_SIZE},
        {{0x2211EEFF, 1, UINT32_MAX, 0}, 16, MLIA_E_FRAME_SIZE},
        {{0xFFEE1122, 1, 4, 0}, 16, MLIA_E_FRAME_MAGIC},
        {{0x01000000, 1, 4, 0}, 16, MLIA_E_FRAME_MAGIC},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_kind(
            mlia_capture_unframe((mlia_bytes){(const uint8_t *)bad[i].words, bad[i].size}, false, &payload),
            bad[i].kind);
}

static mlia_status *decode_text(mlia_arena *arena, mlia_str text, mlia_stripe_list *list)
{
    return mlia_stripe_list_decode((mlia_bytes){(const uint8_t *)text.data, text.size}, true, arena, list);
}

static void stripe_lists(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_stripe_list list;
    assert_ok(decode_text(arena, MLIA_STR("3, 7\n0x10;\0"), &list));
    assert_int_equal(list.count, 3);
    assert_int_equal(list.indexes[0], 3);
    assert_int_equal(list.indexes[1], 7);
    assert_int_equal(list.indexes[2], 16);
    assert_ok(decode_text(arena, MLIA_STR("0XfFffFFff 0"), &list));
    assert_int_equal(list.indexes[0], UINT32_MAX);
    static const struct {
        mlia_str text;
        mlia_kind kind;
    } bad[] = {
        {MLIA_STR_INIT("0x"), MLIA_E_INFO_TEXT},
        {MLIA_STR_INIT("1 -2"), MLIA_E_INFO_TEXT},
        {MLIA_STR_INIT("1\0,2"), MLIA_E_INFO_TEXT},
        {MLIA_STR_INIT("\xff"), MLIA_E_INFO_TEXT},
        {MLIA_STR_INIT("4294967296"), MLIA_E_INFO_RANGE},
        {MLIA_STR_INIT("99999999999999999999999"), MLIA_E_INFO_RANGE},
        {MLIA_STR_INIT(",;\n"), MLIA_E_INFO_EMPTY},
        {MLIA_STR_INIT("16 0x10"), MLIA_E_INFO_DUPLICATE},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_kind(decode_text(arena, bad[i].text, &list), bad[i].kind);
    const uint32_t words[] = {5, 2, 5};
    assert_kind(mlia_stripe_list_decode(bytes_of(words, 3), false, arena, &list), MLIA_E_INFO_DUPLICATE);
    assert_kind(mlia_stripe_list_decode((mlia_bytes){(const uint8_t *)words, 7}, false, arena, &list),
                MLIA_E_INFO_ALIGN);
    mlia_arena_free(arena);
}

static void device_names(void **state)
{
    (void)state;
    assert_int_equal(mlia_generation_of_device(MLIA_STR("Mali-G1")), MLIA_GENERATION_G1);
    assert_int_equal(mlia_generation_of_device(MLIA_STR("Mali-G2-Pro-NX MC1")), MLIA_GENERATION_G2);
    assert_int_equal(mlia_generation_of_device(MLIA_STR("Mali-G1 x")), MLIA_GENERATION_G1);
    static const char *const others[] = {"",        "Mali-G",   "Mali-G10", "Mali-G3",
                                         "mali-g1", " Mali-G1", "Mali-G2_"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(mlia_generation_of_device(mlia_str_from_c(others[i])), MLIA_GENERATION_NONE);
}

typedef struct set_word {
    size_t task;
    size_t word;
    uint32_t value;
} set_word;

/* Decodes `count` tasks of zeros in which some words are set. */
static mlia_status *decode(mlia_arena *arena, uint32_t mode, mlia_generation generation, size_t count,
                           const set_word *words, size_t word_count, mlia_str listed, mlia_stripe_sums **sums)
{
    const mlia_statistics_layout *layout = mlia_statistics_layout_of(mode, generation);
    uint32_t *file = MLIA_NEW_ARRAY(arena, uint32_t, count * layout->task_words);
    for (size_t i = 0; i < word_count; i++)
        file[words[i].task * layout->task_words + words[i].word] = words[i].value;
    size_t size = count * layout->task_words * 4;
    size_t block = (size_t)mlia_statistics_block_bytes(layout);
    mlia_stripe_list *list = MLIA_NEW(arena, mlia_stripe_list);
    MLIA_TRY(decode_text(arena, listed, list));
    mlia_statistics_decoder decoder;
    MLIA_TRY(mlia_statistics_begin(&decoder, layout, size, list, arena));
    for (size_t at = 0; at < size; at += block)
        MLIA_TRY(mlia_statistics_block(
            &decoder, (mlia_bytes){(const uint8_t *)file + at, size - at < block ? size - at : block}));
    *sums = decoder.sums;
    return mlia_statistics_end(&decoder);
}

static void statistics(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_stripe_sums *sums;
    const set_word three[] = {{0, 0, 10}, {0, 1, 20}, {0, 2, 30}};
    assert_ok(decode(arena, 0, MLIA_GENERATION_G1, 1, three, 3, MLIA_STR("0"), &sums));
    assert_int_equal(sums[0].op_cycles, 60);
    assert_int_equal(sums[0].total_cycles, 60);
    assert_true(sums[0].counted);

    set_word ones[513];
    for (size_t i = 0; i < 513; i++)
        ones[i] = (set_word){i, 0, 1};
    assert_ok(decode(arena, 0, MLIA_GENERATION_G2, 513, ones, 513, MLIA_STR("0"), &sums));
    assert_int_equal(sums[0].op_cycles, 513);

    const set_word second[] = {{0, 1, 10}, {0, 31, 20}, {0, 32, 30}};
    assert_ok(decode(arena, 1, MLIA_GENERATION_G2, 1, second, 3, MLIA_STR("0"), &sums));
    assert_int_equal(sums[0].op_cycles, 10);
    assert_int_equal(sums[0].words[31], 20);
    assert_int_equal(sums[0].words[32], 30);
    assert_false(sums[0].has_unlabelled);

    const size_t three_blocks = (size_t)3 * 512;
    assert_ok(decode(arena, 0, MLIA_GENERATION_G1, three_blocks, three, 1, MLIA_STR("0 2"), &sums));
    assert_int_equal(sums[0].op_cycles, 10);
    assert_int_equal(sums[1].op_cycles, 0);
    assert_false(sums[1].counted);

    const set_word odd[] = {{0, 0, 7}, {0, 30, 1}};
    assert_ok(decode(arena, 1, MLIA_GENERATION_G1, 1, odd, 2, MLIA_STR("0"), &sums));
    assert_true(sums[0].has_unlabelled && sums[0].counted && sums[0].total_cycles == 0);

    set_word largest[32];
    for (size_t i = 0; i < 32; i++)
        largest[i] = (set_word){i / 16, i % 16, UINT32_MAX};
    assert_ok(decode(arena, 0, MLIA_GENERATION_G1, 2, largest, 32, MLIA_STR("0"), &sums));
    assert_true(sums[0].op_cycles == 32 * (uint64_t)UINT32_MAX);

    assert_kind(decode(arena, 0, MLIA_GENERATION_G1, three_blocks, three, 3, MLIA_STR("0 3"), &sums),
                MLIA_E_INFO_OUT_OF_RANGE);
    assert_kind(decode(arena, 0, MLIA_GENERATION_G1, 1, three, 3, MLIA_STR("0 1 2 3"), &sums),
                MLIA_E_INFO_OUT_OF_RANGE);
    const set_word late[] = {{512, 0, 1}};
    assert_kind(decode(arena, 0, MLIA_GENERATION_G1, 513, late, 1, MLIA_STR("0"), &sums),
                MLIA_E_INFO_UNLISTED);
    assert_kind(decode(arena, 0, MLIA_GENERATION_G1, 0, late, 0, MLIA_STR("0"), &sums), MLIA_E_STATS_ALIGN);
    mlia_arena_free(arena);
}

static mlia_status *decode_database(mlia_arena *arena, mlia_str text, mlia_debug_database *database)
{
    return mlia_debug_database_decode((mlia_bytes){(const uint8_t *)text.data, text.size}, arena, database);
}

#define BEFORE_STRIPES                                                                                       \
    "id\ttosa_op\tapi_labels\n10\tConv2D\ta;b;\n----\nid\n----\nid\ttosa_op_ids\n20\t10;11;\n----\n"         \
    "id\tfused_op_ids\n30\t20\n----\nid\n----\nid\top_id\n500\t30\n----\n"

static void debug_databases(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_debug_database database;
    assert_ok(decode_database(
        arena, MLIA_STR(BEFORE_STRIPES "id\tstripe_op_id\n0\t500\r\n\n7\n----\nmore\n\0"), &database));
    const mlia_debug_row *row = mlia_debug_find(&database, MLIA_DEBUG_TOSA_OPS, MLIA_STR("10"));
    assert_str(row->cells[MLIA_DEBUG_TYPE], "Conv2D");
    assert_str(row->cells[MLIA_DEBUG_LABELS], "a;b;");
    row = mlia_debug_find(&database, MLIA_DEBUG_STRIPE_OPS, MLIA_STR("500"));
    assert_str(row->cells[MLIA_DEBUG_CHAIN], "30");
    assert_int_equal(row->cells[MLIA_DEBUG_CASCADE].size, 0);
    assert_int_equal(database.tables[MLIA_DEBUG_STRIPE_INDEXES].count, 2);
    assert_int_equal(database.tables[MLIA_DEBUG_API_LABELS].count, 0);
    assert_null(mlia_debug_find(&database, MLIA_DEBUG_TOSA_OPS, MLIA_STR("11")));

    mlia_str cell = MLIA_STR(" 10 ;;11; ");
    mlia_str id;
    assert_true(mlia_debug_next_id(&cell, &id));
    assert_str(id, "10");
    assert_true(mlia_debug_next_id(&cell, &id));
    assert_str(id, "11");
    assert_false(mlia_debug_next_id(&cell, &id));

    /* headers only, divided by white space, without separators */
    assert_ok(decode_database(
        arena, MLIA_STR("id\nx\nid tosa_op_ids\nid  fused_op_ids\nx\n op_id id\nstripe_op_indexs id\n"),
        &database));
    assert_int_equal(database.tables[MLIA_DEBUG_TOSA_OPS].count, 0);

    static const struct {
        mlia_str text;
        mlia_kind kind;
    } bad[] = {
        {MLIA_STR_INIT(""), MLIA_E_DEBUG_SECTIONS},
        {MLIA_STR_INIT(BEFORE_STRIPES), MLIA_E_DEBUG_SECTIONS},
        {MLIA_STR_INIT(BEFORE_STRIPES "id\tother\n"), MLIA_E_DEBUG_COLUMNS},
        {MLIA_STR_INIT(BEFORE_STRIPES "stripe_op_id\n"), MLIA_E_DEBUG_COLUMNS},
        {MLIA_STR_INIT(BEFORE_STRIPES "id\tstripe_op_id\n0\t1\t2\n"), MLIA_E_DEBUG_ROW},
        {MLIA_STR_INIT(BEFORE_STRIPES "id\tstripe_op_id\n\t1\n"), MLIA_E_DEBUG_ROW},
        {MLIA_STR_INIT(BEFORE_STRIPES "id\tstripe_op_id\n1\n1\t2\n"), MLIA_E_DEBUG_DUPLICATE},
        {MLIA_STR_INIT(BEFORE_STRIPES "id\tstripe_op_id\n1\0\n"), MLIA_E_DEBUG_TEXT},
        {MLIA_STR_INIT(BEFORE_STRIPES "id\tstripe_op_id\n1\xc0\n"), MLIA_E_DEBUG_TEXT},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_kind(decode_database(arena, bad[i].text, &database), bad[i].kind);
    mlia_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames),     cmocka_unit_test(stripe_lists),    cmocka_unit_test(device_names),
        cmocka_unit_test(statistics), cmocka_unit_test(debug_databases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
