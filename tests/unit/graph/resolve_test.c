/* Input shapes, the batch rule, and -1 in shape constants. */
#include "graph_builder.h"

#define I8 MLIA_TYPE_INT8

static void test_parse(void **state)
{
    (void)state;
    mlia_input_shape shape_given;
    assert_ok(mlia_input_shape_parse(MLIA_STR("1x49x10x1"), &shape_given));
    assert_int_equal(shape_given.name.size, 0);
    assert_int_equal(shape_given.rank, 4);
    assert_int_equal(shape_given.dims[1], 49);
    assert_ok(mlia_input_shape_parse(MLIA_STR("a=b:0=3,4"), &shape_given));
    assert_str(shape_given.name, "a=b:0");
    assert_int_equal(shape_given.rank, 2);
    assert_int_equal(shape_given.dims[1], 4);
    static const char *const bad[] = {
        "", "x=", "1x", "x1", "1xx2", "a=1,,2", "0", "1x-2", "+1", "1 x2", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_kind(mlia_input_shape_parse(mlia_str_from_c(bad[i]), &shape_given), MLIA_E_OPTION_VALUE);
    char long_list[200] = "1";
    for (int i = 0; i < 40; i++)
        strcat(long_list, "x1");
    assert_kind(mlia_input_shape_parse(mlia_str_from_c(long_list), &shape_given), MLIA_E_OPTION_VALUE);
}

/* RESHAPE of the input to `target`. */
static uint32_t reshape(maker *m, uint32_t value, uint32_t target)
{
    uint32_t result = tensor(m, I8, DIMS(-1, -1));
    add_op(m, MLIA_OP_RESHAPE, OPERANDS(value, target), result);
    return result;
}

static void assert_dims(const maker *m, uint32_t value, uint32_t rank, const int64_t *dims)
{
    assert_int_equal(m->graph->values[value].rank, rank);
    assert_memory_equal(m->graph->values[value].dims, dims, rank * sizeof *dims);
}

/* One constant, two uses that need different values: the second gets a constant of its own. */
static void test_splits_shared_constants(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t a = input(&m, I8, DIMS(-1, 4));
    uint32_t b = input(&m, I8, DIMS(-1, 6));
    uint32_t target = shape(&m, DIMS(-1, 2));
    uint32_t x = reshape(&m, a, target);
    uint32_t y = reshape(&m, b, target);
    uint32_t z = reshape(&m, a, target);
    mlia_diagnostics warnings = {.arena = m.arena};
    finish(&m, y);
    assert_ok(mlia_graph_resolve_shapes(m.graph, NULL, 0, true, &warnings));
    assert_int_equal(warnings.count, 1);
    assert_int_equal(warnings.items[0].kind, MLIA_W_TOSA_BATCH);
    assert_dims(&m, a, DIMS(1, 4));
    assert_dims(&m, x, DIMS(2, 2));
    assert_dims(&m, y, DIMS(3, 2));
    assert_dims(&m, z, DIMS(2, 2));
    assert_int_equal(m.graph->values[target].shape_values[0], 2);
    const mlia_operator *second = &m.graph->operators[m.graph->values[y].producer];
    assert_int_not_equal(second->inputs[1], target);
    assert_int_equal(m.graph->values[second->inputs[1]].shape_values[0], 3);
    assert_int_equal(m.graph->operators[m.graph->values[z].producer].inputs[1], target);
    assert_int_equal(m.graph->operator_count, 5);
    assert_int_equal(mlia_graph_main(m.graph)->operators[0], 4); /* the new constant stands first */
    mlia_findings findings = {0};
    assert_ok(mlia_graph_verify(m.graph, m.arena, &findings));
    assert_int_equal(findings.count, 0);
    maker_free(&m);
}

/* A shape that is computed with -1 in it is replaced where it is used. */
static void test_replaces_computed_targets(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t a = input(&m, I8, DIMS(-1, 4));
    uint32_t minus_one = shape(&m, DIMS(-1));
    uint32_t two = shape(&m, DIMS(2));
    uint32_t target = mlia_graph_add_shape(m.graph, 0, MLIA_STR("joined"), 2, NULL);
    add_op(&m, MLIA_OP_CONCAT_SHAPE, OPERANDS(minus_one, two), target);
    uint32_t x = reshape(&m, a, target);
    finish(&m, x);
    assert_ok(mlia_graph_resolve_shapes(m.graph, NULL, 0, true, NULL));
    assert_dims(&m, x, DIMS(2, 2));
    const mlia_operator *op = &m.graph->operators[m.graph->values[x].producer];
    assert_int_equal(m.graph->values[op->inputs[1]].shape_values[0], 2);
    maker_free(&m);
}

static mlia_status *resolve_with(maker *m, const char *text)
{
    mlia_input_shape given;
    assert_ok(mlia_input_shape_parse(mlia_str_from_c(text), &given));
    return mlia_graph_resolve_shapes(m->graph, &given, 1, true, NULL);
}

static void test_given_shapes(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t a = input(&m, I8, DIMS(2, 4));
    m.graph->values[a].name = MLIA_STR("a");
    uint32_t x = tensor(&m, I8, DIMS(2, 4));
    add_op(&m, MLIA_OP_REVERSE, OPERANDS(a), x);
    uint32_t b = input(&m, I8, DIMS(-1));
    m.graph->values[b].name = MLIA_STR("b");
    finish(&m, x);
    assert_kind(resolve_with(&m, "3,4"), MLIA_E_INPUT_SHAPE);
    assert_kind(resolve_with(&m, "c=3,4"), MLIA_E_INPUT_SHAPE);
    assert_kind(resolve_with(&m, "2=3,4"), MLIA_E_INPUT_SHAPE);
    assert_kind(resolve_with(&m, "a=3"), MLIA_E_INPUT_SHAPE);
    assert_ok(resolve_with(&m, "a=3,4"));
    assert_dims(&m, x, DIMS(3, 4));
    assert_dims(&m, b, DIMS(1));
    assert_ok(resolve_with(&m, "0=5,6"));
    assert_dims(&m, x, DIMS(5, 6));
    maker_free(&m);
}

static void test_refusals(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t a = input(&m, I8, DIMS(1, -1));
    finish(&m, a);
    assert_kind(mlia_graph_resolve_shapes(m.graph, NULL, 0, true, NULL), MLIA_E_TOSA_SHAPE);
    maker_free(&m);
    /* the batch is baked into the target */
    m = maker_new();
    a = input(&m, I8, DIMS(-1, 4));
    m.graph->values[a].name = MLIA_STR("x");
    uint32_t y = reshape(&m, a, shape(&m, DIMS(1, 4)));
    m.graph->operators[1].source =
        mlia_graph_add_source(m.graph, (mlia_source){.label = MLIA_STR("flatten")});
    finish(&m, y);
    mlia_status *status = resolve_with(&m, "2,4");
    assert_int_equal(mlia_status_kind(status), MLIA_E_TOSA_SHAPE);
    assert_str(mlia_status_message(status),
               "RESHAPE 'flatten': input 'x' [2, 4] has 8 elements, the shape [1, 4] has 4");
    mlia_status_free(status);
    maker_free(&m);
    /* the file contradicts itself */
    m = maker_new();
    a = input(&m, I8, DIMS(-1, 4));
    uint32_t z = tensor(&m, I8, DIMS(2, 4));
    m.attributes.axis = 0;
    add_op(&m, MLIA_OP_REVERSE, OPERANDS(a), z);
    finish(&m, z);
    status = mlia_graph_resolve_shapes(m.graph, NULL, 0, true, NULL);
    assert_str(mlia_status_message(status), "REVERSE: result 't' becomes [1, 4], the file says [2, 4]");
    mlia_status_free(status);
    maker_free(&m);
}

/* What cannot be inferred stays unknown, and the verifier says so. */
static void test_custom_stays_unknown(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t a = input(&m, I8, DIMS(-1, 4));
    uint32_t x = tensor(&m, I8, DIMS(-1, 4));
    add_op(&m, MLIA_OP_CUSTOM, OPERANDS(a), x);
    finish(&m, x);
    assert_ok(mlia_graph_resolve_shapes(m.graph, NULL, 0, true, NULL));
    mlia_findings findings = {0};
    assert_ok(mlia_graph_verify(m.graph, m.arena, &findings));
    assert_int_equal(findings.count, 1);
    assert_str(findings.items[0].text, "CUSTOM: dimension 0 of tensor 't' is unknown");
    maker_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_splits_shared_constants),
        cmocka_unit_test(test_replaces_computed_targets),
        cmocka_unit_test(test_given_shapes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_custom_stays_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
