/* Constants of every type and encoding, sizes, and the normal form that mlia_graph_finish brings about. */
#include "test_support.h"

#include <math.h>

#include "graph/build.h"

static mlia_graph_value tensor_of(uint32_t type, const int64_t *dims, uint32_t rank,
                                  const mlia_constant *constant)
{
    return (mlia_graph_value){
        .kind = MLIA_KIND_TENSOR, .type = (uint8_t)type, .rank = rank, .dims = dims, .constant = constant};
}

static void test_element_counts(void **state)
{
    (void)state;
    uint64_t count;
    int64_t dims[] = {2, 3, 4};
    mlia_graph_value value = tensor_of(MLIA_TYPE_INT48, dims, 3, NULL);
    assert_true(mlia_value_elements(&value, &count));
    assert_int_equal(count, 24);
    assert_true(mlia_value_bytes(&value, &count));
    assert_int_equal(count, 144);
    value = tensor_of(MLIA_TYPE_INT4, NULL, 0, NULL);
    assert_true(mlia_value_bytes(&value, &count));
    assert_int_equal(count, 1);
    dims[1] = MLIA_DIM_UNKNOWN;
    value = tensor_of(MLIA_TYPE_INT8, dims, 3, NULL);
    assert_false(mlia_value_elements(&value, &count));
    int64_t huge[] = {INT64_MAX, 3};
    value = tensor_of(MLIA_TYPE_INT8, huge, 2, NULL);
    assert_false(mlia_value_elements(&value, &count));
    value.unranked = true;
    value.rank = 0;
    assert_false(mlia_value_elements(&value, &count));
}

static void test_constant_sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t type;
        uint64_t elements, packed, whole;
    } cases[] = {
        {MLIA_TYPE_BOOL, 5, 5, 5},    {MLIA_TYPE_INT4, 5, 3, 5},     {MLIA_TYPE_INT8, 5, 5, 5},
        {MLIA_TYPE_INT16, 5, 10, 10}, {MLIA_TYPE_INT32, 5, 20, 20},  {MLIA_TYPE_INT48, 5, 30, 40},
        {MLIA_TYPE_INT64, 5, 40, 40}, {MLIA_TYPE_FP4E2M1, 5, 3, 5},  {MLIA_TYPE_FP6E2M3, 5, 4, 5},
        {MLIA_TYPE_FP6E3M2, 4, 3, 4}, {MLIA_TYPE_FP8UE8M0, 5, 5, 5}, {MLIA_TYPE_MXINT8, 5, 5, 5},
        {MLIA_TYPE_BF16, 5, 10, 10},  {MLIA_TYPE_FP32, 5, 20, 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t bytes;
        assert_true(mlia_constant_bytes(cases[i].type, MLIA_ENCODING_TOSA, cases[i].elements, &bytes));
        assert_int_equal(bytes, cases[i].packed);
        assert_true(mlia_constant_bytes(cases[i].type, MLIA_ENCODING_BYTES, cases[i].elements, &bytes));
        assert_int_equal(bytes, cases[i].whole);
    }
    uint64_t bytes;
    assert_false(mlia_constant_bytes(MLIA_TYPE_INT64, MLIA_ENCODING_TOSA, UINT64_MAX / 4, &bytes));
}

/* `count` elements whose first two numbers are given. */
static void check_integers(uint32_t type, mlia_encoding encoding, const uint8_t *bytes, size_t size,
                           int64_t first, int64_t second)
{
    int64_t dims[] = {2};
    mlia_constant constant = {{bytes, size}, (uint8_t)encoding, false};
    mlia_graph_value value = tensor_of(type, dims, 1, &constant);
    int64_t number;
    assert_true(mlia_constant_integer(&value, 0, &number));
    assert_int_equal(number, first);
    assert_true(mlia_constant_integer(&value, 1, &number));
    assert_int_equal(number, second);
    assert_false(mlia_constant_integer(&value, 2, &number));
    double real;
    assert_true(mlia_constant_number(&value, 1, &real));
    assert_true(real == (double)second * (type == MLIA_TYPE_MXINT8 ? 1.0 / 64 : 1));
}

#define INTEGERS(type, encoding, first, second, ...)                                                         \
    check_integers(MLIA_TYPE_##type, MLIA_ENCODING_##encoding, (const uint8_t[]){__VA_ARGS__},               \
                   sizeof((const uint8_t[]){__VA_ARGS__}), first, second)

static void test_integer_constants(void **state)
{
    (void)state;
    INTEGERS(BOOL, TOSA, 1, 0, 7, 0);
    INTEGERS(INT4, TOSA, 5, -3, 0xD5);
    INTEGERS(INT4, BYTES, 5, -3, 0x05, 0xFD);
    INTEGERS(INT8, TOSA, -128, 127, 0x80, 0x7F);
    INTEGERS(INT16, TOSA, -2, 0x1234, 0xFE, 0xFF, 0x34, 0x12);
    INTEGERS(INT32, TOSA, INT32_MIN, 1, 0, 0, 0, 0x80, 1, 0, 0, 0);
    INTEGERS(INT48, TOSA, -1, INT64_C(0x7FFFFFFFFFFF), 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
             0xFF, 0xFF, 0x7F);
    INTEGERS(INT48, BYTES, -2, 3, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 3, 0, 0, 0, 0, 0, 0, 0);
    INTEGERS(INT64, TOSA, INT64_MIN, 2, 0, 0, 0, 0, 0, 0, 0, 0x80, 2, 0, 0, 0, 0, 0, 0, 0);
    INTEGERS(MXINT8, TOSA, -64, 32, 0xC0, 0x20);
}

static void test_unsigned_splat_and_short_constants(void **state)
{
    (void)state;
    int64_t dims[] = {1000000};
    uint8_t bytes[] = {0xFF};
    mlia_constant constant = {{bytes, 1}, MLIA_ENCODING_TOSA, true};
    mlia_graph_value value = tensor_of(MLIA_TYPE_INT8, dims, 1, &constant);
    int64_t number;
    assert_true(mlia_constant_integer(&value, 999999, &number));
    assert_int_equal(number, -1);
    value.is_unsigned = true;
    assert_true(mlia_constant_integer(&value, 0, &number));
    assert_int_equal(number, 255);
    constant.splat = false; /* one byte for a million elements: the second is beyond the data */
    assert_false(mlia_constant_integer(&value, 1, &number));
    value.constant = NULL;
    assert_false(mlia_constant_integer(&value, 0, &number));
}

/* Element 1 of `bytes`, after an element of zero bits. */
static double second_float(uint32_t type, uint32_t bits, uint64_t pattern)
{
    uint8_t bytes[8] = {0};
    uint64_t word = pattern << bits;
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
    int64_t dims[] = {2};
    mlia_constant constant = {{bytes, sizeof bytes}, MLIA_ENCODING_TOSA, false};
    mlia_graph_value value = tensor_of(type, dims, 1, &constant);
    double zero;
    double number;
    assert_true(mlia_constant_number(&value, 0, &zero));
    assert_true(zero == (type == MLIA_TYPE_FP8UE8M0 ? ldexp(1, -127) : 0));
    assert_true(mlia_constant_number(&value, 1, &number));
    return number;
}

static void test_float_constants(void **state)
{
    (void)state;
    assert_true(second_float(MLIA_TYPE_FP32, 32, 0xC0490FDB) == -3.14159274101257324219);
    assert_true(second_float(MLIA_TYPE_FP32, 32, 1) == ldexp(1, -149));
    assert_true(second_float(MLIA_TYPE_FP32, 32, 0x7F800000) == INFINITY);
    assert_true(isnan(second_float(MLIA_TYPE_FP32, 32, 0x7FC00000)));
    assert_true(second_float(MLIA_TYPE_FP16, 16, 0x7BFF) == 65504);
    assert_true(second_float(MLIA_TYPE_FP16, 16, 0x8001) == -ldexp(1, -24));
    assert_true(second_float(MLIA_TYPE_BF16, 16, 0x3F80) == 1);
    assert_true(second_float(MLIA_TYPE_FP8E4M3, 8, 0x7E) == 448);
    assert_true(isnan(second_float(MLIA_TYPE_FP8E4M3, 8, 0xFF)));
    assert_true(second_float(MLIA_TYPE_FP8E4M3, 8, 0x01) == ldexp(1, -9));
    assert_true(second_float(MLIA_TYPE_FP8E5M2, 8, 0x7B) == 57344);
    assert_true(second_float(MLIA_TYPE_FP8E5M2, 8, 0xFC) == -INFINITY);
    assert_true(second_float(MLIA_TYPE_FP6E2M3, 6, 0x1F) == 7.5);
    assert_true(second_float(MLIA_TYPE_FP6E2M3, 6, 0x21) == -0.125);
    assert_true(second_float(MLIA_TYPE_FP6E3M2, 6, 0x1F) == 28);
    assert_true(second_float(MLIA_TYPE_FP4E2M1, 4, 0x7) == 6);
    assert_true(second_float(MLIA_TYPE_FP4E2M1, 4, 0x9) == -0.5);
    assert_true(second_float(MLIA_TYPE_FP8UE8M0, 8, 0x80) == 2);
    assert_true(isnan(second_float(MLIA_TYPE_FP8UE8M0, 8, 0xFF)));
}

/* --- finish --- */

typedef struct fixture {
    mlia_arena *arena;
    mlia_graph *graph;
    mlia_diagnostics warnings;
} fixture;

static int setup(void **state)
{
    static fixture f;
    f.arena = mlia_arena_new(0);
    f.graph = mlia_graph_new(f.arena, MLIA_SOURCE_TOSA);
    f.warnings = (mlia_diagnostics){.arena = f.arena};
    assert_int_equal(mlia_graph_add_region(f.graph, MLIA_STR("main"), MLIA_STR("main")), 0);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    mlia_arena_free(((fixture *)*state)->arena);
    return 0;
}

static uint32_t tensor(fixture *f, uint32_t block, const char *name)
{
    return mlia_graph_add_tensor(f->graph, block, mlia_str_from_c(name), MLIA_TYPE_INT32, 1,
                                 (const int64_t[]){4});
}

static uint32_t add(fixture *f, uint32_t block, uint32_t a, uint32_t b, uint32_t result)
{
    return mlia_graph_add_operator(f->graph, block, MLIA_OP_ADD, (const uint32_t[]){a, b}, 2, &result, 1,
                                   NULL, MLIA_NONE);
}

static void test_sorts_stably_and_warns(void **state)
{
    fixture *f = *state;
    uint32_t x = tensor(f, 0, "x");
    uint32_t a = tensor(f, 0, "a");
    uint32_t b = tensor(f, 0, "b");
    uint32_t c = tensor(f, 0, "c");
    uint32_t d = tensor(f, 0, "d");
    add(f, 0, b, c, d); /* 0: last */
    add(f, 0, x, x, c); /* 1: could run first, and so does */
    add(f, 0, a, a, b); /* 2 */
    add(f, 0, x, x, a); /* 3 */
    mlia_graph_set_block_inputs(f->graph, 0, &x, 1);
    mlia_graph_set_block_outputs(f->graph, 0, &d, 1);
    assert_ok(mlia_graph_finish(f->graph, &f->warnings));
    static const uint32_t expected[] = {1, 3, 2, 0};
    assert_memory_equal(mlia_graph_main(f->graph)->operators, expected, sizeof expected);
    assert_int_equal(f->warnings.count, 1);
    assert_int_equal(f->warnings.items[0].kind, MLIA_W_TOSA_ORDER);
    assert_int_equal(f->graph->values[x].use_count, 4);
    assert_int_equal(f->graph->values[d].use_count, 1);
    assert_int_equal(f->graph->values[b].producer, 2);
    assert_int_equal(f->graph->operators[0].operator_index, 0);
    assert_ok(
        mlia_graph_finish(f->graph, &f->warnings)); /* already in order: nothing changes, no new warning */
    assert_memory_equal(mlia_graph_main(f->graph)->operators, expected, sizeof expected);
    assert_int_equal(f->graph->values[x].use_count, 4);
    assert_int_equal(f->warnings.count, 1);
}

static void test_refuses_a_cycle(void **state)
{
    fixture *f = *state;
    uint32_t x = tensor(f, 0, "x");
    uint32_t s = tensor(f, 0, "s");
    uint32_t y = tensor(f, 0, "y");
    uint32_t z = tensor(f, 0, "z");
    add(f, 0, y, y, z); /* waits for the cycle, but is not in it */
    add(f, 0, x, y, s);
    add(f, 0, s, s, y);
    mlia_graph_set_block_inputs(f->graph, 0, &x, 1);
    mlia_graph_set_block_outputs(f->graph, 0, &y, 1);
    mlia_status *status = mlia_graph_finish(f->graph, NULL);
    assert_int_equal(mlia_status_kind(status), MLIA_E_TOSA_CYCLE);
    assert_true(mlia_str_find(mlia_status_message(status), 'z') == SIZE_MAX);
    assert_true(
        mlia_str_starts_with(mlia_status_member(status), MLIA_STR("regions[0].blocks[0].operators[")));
    mlia_status_free(status);
}

static void test_refuses_missing_and_double_definitions(void **state)
{
    fixture *f = *state;
    uint32_t x = tensor(f, 0, "x");
    uint32_t k = tensor(f, 0, "k");
    uint32_t y = tensor(f, 0, "y");
    add(f, 0, x, k, y);
    mlia_graph_set_block_inputs(f->graph, 0, &x, 1);
    mlia_graph_set_block_outputs(f->graph, 0, &y, 1);
    assert_kind(mlia_graph_finish(f->graph, NULL), MLIA_E_TOSA_DANGLING);
    f->graph->values[k].variable = mlia_graph_add_variable(f->graph, (mlia_variable){.name = MLIA_STR("k")});
    assert_ok(mlia_graph_finish(f->graph, NULL));
    uint32_t z = tensor(f, 0, "z");
    mlia_graph_set_block_outputs(f->graph, 0, &z, 1);
    assert_kind(mlia_graph_finish(f->graph, NULL), MLIA_E_TOSA_DANGLING);
    mlia_graph_set_block_outputs(f->graph, 0, &y, 1);
    add(f, 0, x, x, y);
    assert_kind(mlia_graph_finish(f->graph, NULL), MLIA_E_TOSA_DUPLICATE);
}

static void test_refuses_to_produce_an_input(void **state)
{
    fixture *f = *state;
    uint32_t x = tensor(f, 0, "x");
    add(f, 0, x, x, x);
    mlia_graph_set_block_inputs(f->graph, 0, &x, 1);
    assert_kind(mlia_graph_finish(f->graph, NULL), MLIA_E_TOSA_DUPLICATE);
}

static void test_refuses_values_of_another_block(void **state)
{
    fixture *f = *state;
    assert_int_equal(mlia_graph_add_region(f->graph, MLIA_STR("inner"), MLIA_STR("inner")), 1);
    uint32_t x = tensor(f, 0, "x");
    uint32_t y = tensor(f, 1, "y");
    add(f, 1, x, x, y);
    mlia_graph_set_block_inputs(f->graph, 0, &x, 1);
    assert_kind(mlia_graph_finish(f->graph, NULL), MLIA_E_TOSA_DANGLING);
}

/* Adds a COND_IF on the block input x that runs the two regions, in `block`. */
static void add_cond_if(fixture *f, uint32_t block, uint32_t then_graph, uint32_t else_graph)
{
    uint32_t x = tensor(f, block, "x");
    uint32_t y = tensor(f, block, "y");
    mlia_attributes attributes = mlia_attributes_default();
    attributes.then_graph = then_graph;
    attributes.else_graph = else_graph;
    mlia_graph_add_operator(f->graph, block, MLIA_OP_COND_IF, &x, 1, &y, 1, &attributes, MLIA_NONE);
    mlia_graph_set_block_inputs(f->graph, block, &x, 1);
}

static void test_links_regions(void **state)
{
    fixture *f = *state;
    mlia_graph_add_region(f->graph, MLIA_STR("a"), MLIA_STR("a"));
    mlia_graph_add_region(f->graph, MLIA_STR("b"), MLIA_STR("b"));
    add_cond_if(f, 0, 1, 2);
    add_cond_if(f, 1, 2, 2);
    assert_ok(mlia_graph_finish(f->graph, NULL));
    assert_int_equal(f->graph->regions[0].parent, MLIA_NONE);
    assert_int_equal(f->graph->regions[1].parent, 0);
    assert_int_equal(f->graph->regions[2].parent, 0);
    add_cond_if(f, 2, 1, 1);
    assert_kind(mlia_graph_finish(f->graph, NULL), MLIA_E_TOSA_CYCLE);
}

static void test_refuses_missing_regions(void **state)
{
    fixture *f = *state;
    add_cond_if(f, 0, 1, MLIA_NONE);
    assert_kind(mlia_graph_finish(f->graph, NULL), MLIA_E_TOSA_DANGLING);
}

/* A chain of `count` regions, each run by the one before it; deeper ones are listed first or last. */
static mlia_status *finish_chain(fixture *f, uint32_t count, bool inner_first)
{
    for (uint32_t i = 1; i < count; i++)
        mlia_graph_add_region(f->graph, MLIA_STR("r"), MLIA_STR("r"));
    for (uint32_t i = 0; i + 1 < count; i++)
        if (inner_first)
            add_cond_if(f, i + 1, i, i);
        else
            add_cond_if(f, i, i + 1, i + 1);
    return mlia_graph_finish(f->graph, NULL);
}

static void test_limits_nesting(void **state)
{
    static const bool orders[] = {false, true};
    for (size_t i = 0; i < 2; i++) {
        assert_ok(finish_chain(*state, 257, orders[i])); /* main and 256 nested regions */
        teardown(state);
        setup(state);
        assert_kind(finish_chain(*state, 258, orders[i]), MLIA_E_TOSA_LIMIT);
        teardown(state);
        setup(state);
        assert_kind(finish_chain(*state, 100000, orders[i]), MLIA_E_TOSA_LIMIT);
        teardown(state);
        setup(state);
    }
}

static void test_marks_constants(void **state)
{
    fixture *f = *state;
    uint32_t x = tensor(f, 0, "x");
    uint32_t k = tensor(f, 0, "k");
    uint32_t folded = tensor(f, 0, "folded");
    uint32_t sum = tensor(f, 0, "sum");
    uint32_t length = mlia_graph_add_shape(f->graph, 0, MLIA_STR("length"), 1, NULL);
    uint32_t custom = tensor(f, 0, "custom");
    mlia_graph_add_operator(f->graph, 0, MLIA_OP_CONST, NULL, 0, &k, 1, NULL, MLIA_NONE);
    add(f, 0, k, k, folded);
    add(f, 0, folded, x, sum);
    mlia_graph_add_operator(f->graph, 0, MLIA_OP_DIM, &x, 1, &length, 1, NULL, MLIA_NONE);
    mlia_graph_add_operator(f->graph, 0, MLIA_OP_CUSTOM, &k, 1, &custom, 1, NULL, MLIA_NONE);
    mlia_graph_set_block_inputs(f->graph, 0, &x, 1);
    assert_ok(mlia_graph_finish(f->graph, NULL));
    assert_false(mlia_value_is_constant(f->graph, x));
    assert_true(mlia_value_is_constant(f->graph, k));
    assert_true(mlia_value_is_constant(f->graph, folded));
    assert_false(mlia_value_is_constant(f->graph, sum));
    assert_true(mlia_value_is_constant(f->graph, length));
    assert_false(mlia_value_is_constant(f->graph, custom));
}

/* 200 000 operators listed backwards, each reading the one listed after it: sorted without recursion. */
static void test_sorts_a_long_reversed_chain(void **state)
{
    fixture *f = *state;
    enum { COUNT = 200000 };
    for (uint32_t i = 0; i <= COUNT; i++)
        tensor(f, 0, "");
    for (uint32_t i = 0; i < COUNT; i++)
        add(f, 0, i + 1, i + 1, i);
    mlia_graph_set_block_inputs(f->graph, 0, (const uint32_t[]){COUNT}, 1);
    mlia_graph_set_block_outputs(f->graph, 0, (const uint32_t[]){0}, 1);
    assert_ok(mlia_graph_finish(f->graph, NULL));
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(mlia_graph_main(f->graph)->operators[i], COUNT - 1 - i);
}

#define GRAPH_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_element_counts),
        cmocka_unit_test(test_constant_sizes),
        cmocka_unit_test(test_integer_constants),
        cmocka_unit_test(test_unsigned_splat_and_short_constants),
        cmocka_unit_test(test_float_constants),
        GRAPH_TEST(test_sorts_stably_and_warns),
        GRAPH_TEST(test_refuses_a_cycle),
        GRAPH_TEST(test_refuses_missing_and_double_definitions),
        GRAPH_TEST(test_refuses_to_produce_an_input),
        GRAPH_TEST(test_refuses_values_of_another_block),
        GRAPH_TEST(test_links_regions),
        GRAPH_TEST(test_refuses_missing_regions),
        GRAPH_TEST(test_limits_nesting),
        GRAPH_TEST(test_marks_constants),
        GRAPH_TEST(test_sorts_a_long_reversed_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
