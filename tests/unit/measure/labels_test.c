/* Labels of a debug database against the debug names of a SPIR-V module (models/one_graph.seg0.spv). */
#include "measure/labels.h"

#include "base/file.h"
#include "test_support.h"

#define FUSED_NAME "block/conv/Conv2D;block/conv/BiasAdd;block/conv/Rescale"

static mlia_arena *arena;
static mlia_file *file;
static mlia_measured_module module;

static int read_module(void **state)
{
    (void)state;
    arena = mlia_arena_new(0);
    mlia_status *status =
        mlia_file_read(MLIA_TEST_DATA "/capture/models/one_graph.seg0.spv", SIZE_MAX / 2, &file);
    if (status == NULL)
        status = mlia_measured_module_read(mlia_file_bytes(file), arena, &module);
    bool failed = status != NULL;
    mlia_status_free(status);
    return failed ? -1 : 0;
}

static int free_module(void **state)
{
    (void)state;
    mlia_file_free(file);
    mlia_arena_free(arena);
    return 0;
}

static void operations_in_module_order(void **state)
{
    (void)state;
    static const uint32_t expected[] = {52, 61, 63, 66, 69};
    assert_int_equal(module.count, 5);
    assert_memory_equal(module.ids, expected, sizeof expected);
    assert_str(module.names[0], FUSED_NAME);
    assert_str(module.names[4], "block/conv/Conv2D");
}

static void refuse(mlia_bytes code)
{
    mlia_measured_module unused;
    assert_kind(mlia_measured_module_read(code, arena, &unused), MLIA_E_SPIRV);
}

static void damaged_modules(void **state)
{
    (void)state;
    mlia_bytes code = mlia_file_bytes(file);
    refuse((mlia_bytes){code.data, 16});
    refuse((mlia_bytes){code.data, code.size - 1});
    refuse((mlia_bytes){code.data, code.size - 4});
    refuse((mlia_bytes){code.data + 4, code.size - 4});
    const uint32_t no_words[] = {0x07230203, 0x10600, 0, 1, 0, 0};
    refuse((mlia_bytes){(const uint8_t *)no_words, sizeof no_words});
    mlia_measured_module empty;
    assert_ok(mlia_measured_module_read((mlia_bytes){(const uint8_t *)no_words, sizeof no_words - 4}, arena,
                                        &empty));
    assert_int_equal(empty.count, 0);
}

/* Splits a cell and compares with `expected`, ended by NULL. */
static void check_split(mlia_str cell, const char *const *expected)
{
    const mlia_str *labels;
    size_t count;
    uint64_t budget = 1 << 20;
    assert_ok(mlia_labels_split(cell, &module, &budget, arena, &labels, &count));
    for (size_t i = 0; i < count; i++) {
        assert_non_null(expected[i]);
        assert_true(mlia_str_equal_c(labels[i], expected[i]));
    }
    assert_null(expected[count]);
}

static void splitting(void **state)
{
    (void)state;
    check_split(MLIA_STR(""), (const char *const[]){NULL});
    check_split(MLIA_STR(";; a ;b;"), (const char *const[]){"a", "b", NULL});
    /* a debug name with ';', and the shorter one that it begins with */
    check_split(MLIA_STR(FUSED_NAME ";block/pool;"), (const char *const[]){FUSED_NAME, "block/pool", NULL});
    check_split(MLIA_STR("block/conv/Conv2D;block/pool"),
                (const char *const[]){"block/conv/Conv2D", "block/pool", NULL});
    check_split(MLIA_STR("block/conv/Conv2DX;y"), (const char *const[]){"block/conv/Conv2DX", "y", NULL});
    /* quotes and brackets keep a label together, also when they never close */
    check_split(MLIA_STR("{\"k\":\"a;]\\\";\"};[x;{y;}];z"),
                (const char *const[]){"{\"k\":\"a;]\\\";\"}", "[x;{y;}]", "z", NULL});
    check_split(MLIA_STR("]];a;[b;c"), (const char *const[]){"]]", "a", "[b;c", NULL});
    check_split(MLIA_STR("\"a;\\"), (const char *const[]){"\"a;\\", NULL});
}

static void work_is_bounded(void **state)
{
    (void)state;
    const mlia_str *labels;
    size_t count;
    uint64_t budget = 10;
    assert_kind(mlia_labels_split(MLIA_STR("aaaa;bbbb;cccc;dddd"), &module, &budget, arena, &labels, &count),
                MLIA_E_LIMIT);
}

static void check_resolve(mlia_str label, mlia_label_outcome outcome, uint32_t expected)
{
    uint32_t id = 0;
    assert_int_equal(mlia_label_resolve(label, &module, &id), outcome);
    assert_int_equal(id, expected);
}

static void resolving(void **state)
{
    (void)state;
    check_resolve(MLIA_STR("TOSACONV2D_spirv_id_52"), MLIA_LABEL_FOUND, 52);
    check_resolve(MLIA_STR("_spirv_id_5_spirv_id_66"), MLIA_LABEL_FOUND, 66);
    check_resolve(MLIA_STR("x_spirv_id_052"), MLIA_LABEL_UNRESOLVED, 0);
    check_resolve(MLIA_STR("x_spirv_id_53"), MLIA_LABEL_UNRESOLVED, 0);
    check_resolve(MLIA_STR("x_spirv_id_4294967348"), MLIA_LABEL_UNRESOLVED, 0); /* 52 + 2^32 */
    check_resolve(MLIA_STR("x_spirv_id_"), MLIA_LABEL_UNMATCHED, 0);
    check_resolve(MLIA_STR("block/pool"), MLIA_LABEL_FOUND, 66);
    check_resolve(MLIA_STR("block/conv/Conv2D"), MLIA_LABEL_FOUND, 69);
    check_resolve(MLIA_STR(FUSED_NAME), MLIA_LABEL_AMBIGUOUS, 0);
    check_resolve(MLIA_STR("block"), MLIA_LABEL_UNMATCHED, 0);
    const mlia_measured_module empty = {.by_id = mlia_map_in(arena), .by_name = mlia_map_in(arena)};
    uint32_t id;
    assert_int_equal(mlia_label_resolve(MLIA_STR("block"), &empty, &id), MLIA_LABEL_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_in_module_order),
        cmocka_unit_test(damaged_modules),
        cmocka_unit_test(splitting),
        cmocka_unit_test(work_is_bounded),
        cmocka_unit_test(resolving),
    };
    return cmocka_run_group_tests(tests, read_module, free_module);
}
