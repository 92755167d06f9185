/* Constants re-encoded between the FlatBuffers layout and whole bytes. */
#include "graph/encode.h"
#include "test_support.h"

/* Encodes `size` bytes of `count` elements of `type` and compares. */
static void check(uint32_t type, mlia_encoding from, bool splat, int64_t count, const uint8_t *stored,
                  size_t size, mlia_encoding to, const uint8_t *expected, size_t expected_size)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_constant constant = {{stored, size}, (uint8_t)from, splat};
    mlia_graph_value value = {.type = (uint8_t)type, .rank = 1, .dims = &count, .constant = &constant};
    mlia_bytes bytes;
    assert_ok(mlia_constant_encode(&value, to, arena, &bytes));
    assert_int_equal(bytes.size, expected_size);
    assert_memory_equal(bytes.data, expected, expected_size);
    mlia_arena_free(arena);
}

#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static void packs_and_unpacks(void **state)
{
    (void)state;
    check(MLIA_TYPE_INT4, MLIA_ENCODING_TOSA, false, 3, BYTES(0x9F, 0x07), MLIA_ENCODING_BYTES,
          BYTES(0xFF, 0xF9, 0x07));
    check(MLIA_TYPE_INT4, MLIA_ENCODING_BYTES, false, 3, BYTES(0xFF, 0xF9, 0x07), MLIA_ENCODING_TOSA,
          BYTES(0x9F, 0x07));
    check(MLIA_TYPE_INT48, MLIA_ENCODING_TOSA, false, 1, BYTES(1, 2, 3, 4, 5, 0x80), MLIA_ENCODING_BYTES,
          BYTES(1, 2, 3, 4, 5, 0x80, 0xFF, 0xFF));
    check(MLIA_TYPE_INT48, MLIA_ENCODING_BYTES, false, 1, BYTES(1, 2, 3, 4, 5, 0x80, 0xFF, 0xFF),
          MLIA_ENCODING_TOSA, BYTES(1, 2, 3, 4, 5, 0x80));
    check(MLIA_TYPE_FP6E2M3, MLIA_ENCODING_BYTES, false, 4, BYTES(0x01, 0x3F, 0x20, 0x15), MLIA_ENCODING_TOSA,
          BYTES(0xC1, 0x0F, 0x56));
    check(MLIA_TYPE_FP6E2M3, MLIA_ENCODING_TOSA, false, 4, BYTES(0xC1, 0x0F, 0x56), MLIA_ENCODING_BYTES,
          BYTES(0x01, 0x3F, 0x20, 0x15));
    check(MLIA_TYPE_INT16, MLIA_ENCODING_TOSA, true, 3, BYTES(0x34, 0x12), MLIA_ENCODING_TOSA,
          BYTES(0x34, 0x12, 0x34, 0x12, 0x34, 0x12));
    check(MLIA_TYPE_INT4, MLIA_ENCODING_BYTES, true, 3, BYTES(0xFE), MLIA_ENCODING_TOSA, BYTES(0xEE, 0x0E));
}

static void gives_a_view_when_nothing_changes(void **state)
{
    (void)state;
    const uint8_t stored[] = {1, 2, 3, 4, 0, 0, 0, 0};
    int64_t count = 1;
    mlia_constant constant = {{stored, sizeof stored}, MLIA_ENCODING_TOSA, false};
    mlia_graph_value value = {.type = MLIA_TYPE_INT32, .rank = 1, .dims = &count, .constant = &constant};
    mlia_bytes bytes;
    assert_ok(mlia_constant_encode(&value, MLIA_ENCODING_BYTES, NULL, &bytes));
    assert_ptr_equal(bytes.data, stored);
    assert_int_equal(bytes.size, 4);
}

static void refuses_missing_bytes_and_huge_splats(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    const uint8_t stored[] = {1};
    int64_t count = 2;
    mlia_constant constant = {{stored, sizeof stored}, MLIA_ENCODING_TOSA, false};
    mlia_graph_value value = {.type = MLIA_TYPE_INT8, .rank = 1, .dims = &count, .constant = &constant};
    mlia_bytes bytes;
    assert_kind(mlia_constant_encode(&value, MLIA_ENCODING_TOSA, arena, &bytes), MLIA_E_TOSA_DATA);
    constant.splat = true;
    count = INT64_C(1) << 40;
    assert_kind(mlia_constant_encode(&value, MLIA_ENCODING_TOSA, arena, &bytes), MLIA_E_TOSA_LIMIT);
    value.constant = NULL;
    assert_kind(mlia_constant_encode(&value, MLIA_ENCODING_TOSA, arena, &bytes), MLIA_E_TOSA_DATA);
    mlia_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packs_and_unpacks),
        cmocka_unit_test(gives_a_view_when_nothing_changes),
        cmocka_unit_test(refuses_missing_bytes_and_huge_splats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
