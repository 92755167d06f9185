/* COND_IF and WHILE_LOOP: shapes go into regions and come out of them, disagreements are found, work is that
 * of the larger branch or of one round. */
#include "graph_builder.h"

#define I32 MLIA_TYPE_INT32

static uint32_t tensor_in(maker *m, uint32_t block, uint32_t type, uint32_t rank, const int64_t *dims)
{
    return mlia_graph_add_tensor(m->graph, block, MLIA_STR("r"), type, rank, dims);
}

/* A region with one input that runs `count` operators `op` one after the other. */
static uint32_t chain(maker *m, const char *name, uint32_t op, uint32_t count, int64_t size)
{
    uint32_t region = mlia_graph_add_region(m->graph, mlia_str_from_c(name), mlia_str_from_c(name));
    uint32_t block = m->graph->regions[region].block;
    uint32_t value = tensor_in(m, block, I32, DIMS(size));
    mlia_graph_set_block_inputs(m->graph, block, &value, 1);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t result = tensor_in(m, block, I32, DIMS(size));
        uint32_t operands[2] = {value, value};
        mlia_graph_add_operator(m->graph, block, op, operands, 2, &result, 1, NULL, MLIA_NONE);
        value = result;
    }
    mlia_graph_set_block_outputs(m->graph, block, &value, 1);
    return region;
}

/* A region with one input and a BOOL result. */
static uint32_t condition(maker *m, int64_t size, uint32_t type)
{
    uint32_t region = mlia_graph_add_region(m->graph, MLIA_STR("cond"), MLIA_STR("cond"));
    uint32_t block = m->graph->regions[region].block;
    uint32_t value = tensor_in(m, block, I32, DIMS(size));
    uint32_t result = tensor_in(m, block, type, DIMS(1));
    mlia_graph_set_block_inputs(m->graph, block, &value, 1);
    mlia_graph_add_operator(m->graph, block, MLIA_OP_CUSTOM, &value, 1, &result, 1, &m->attributes,
                            MLIA_NONE);
    mlia_graph_set_block_outputs(m->graph, block, &result, 1);
    return region;
}

static uint32_t add_cond_if(maker *m, uint32_t value, uint32_t then_graph, uint32_t else_graph, int64_t size)
{
    uint32_t choice = input(m, MLIA_TYPE_BOOL, DIMS(1));
    uint32_t result = tensor(m, I32, DIMS(size));
    m->attributes.then_graph = then_graph;
    m->attributes.else_graph = else_graph;
    add_op(m, MLIA_OP_COND_IF, OPERANDS(choice, value), result);
    return result;
}

static uint32_t add_while_loop(maker *m, uint32_t value, uint32_t cond, uint32_t body, int64_t size)
{
    uint32_t result = tensor(m, I32, DIMS(size));
    m->attributes.cond_graph = cond;
    m->attributes.body_graph = body;
    add_op(m, MLIA_OP_WHILE_LOOP, OPERANDS(value), result);
    return result;
}

static void expect_first_finding(maker *m, uint32_t result, const char *text)
{
    mlia_findings findings = {0};
    finish(m, result);
    assert_ok(mlia_graph_verify(m->graph, m->arena, &findings));
    if (text == NULL) {
        assert_int_equal(findings.count, 0);
    } else {
        assert_true(findings.count > 0);
        if (!mlia_str_equal_c(findings.items[0].text, text))
            fail_msg("%.*s", MLIA_STR_ARG(findings.items[0].text));
    }
    maker_free(m);
}

static void test_lists_are_compared(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t x = input(&m, I32, DIMS(4));
    uint32_t a = chain(&m, "a", MLIA_OP_ADD, 1, 4);
    uint32_t b = chain(&m, "b", MLIA_OP_SUB, 2, 4);
    expect_first_finding(&m, add_cond_if(&m, x, a, b, 4), NULL);
    m = maker_new();
    x = input(&m, I32, DIMS(4));
    a = chain(&m, "a", MLIA_OP_ADD, 1, 4);
    b = chain(&m, "b", MLIA_OP_SUB, 1, 5);
    expect_first_finding(&m, add_cond_if(&m, x, a, b, 4),
                         "COND_IF: inputs and inputs of the else region: value 0 differs in type or shape");
    m = maker_new();
    x = input(&m, I32, DIMS(4));
    a = chain(&m, "a", MLIA_OP_ADD, 1, 4);
    expect_first_finding(&m, add_cond_if(&m, x, a, a, 5), "COND_IF: the result 't' is [5], must be [4]");
    m = maker_new();
    x = input(&m, I32, DIMS(4));
    a = chain(&m, "a", MLIA_OP_ADD, 1, 4);
    b = condition(&m, 4, MLIA_TYPE_BOOL);
    expect_first_finding(&m, add_while_loop(&m, x, b, a, 4), NULL);
    m = maker_new();
    x = input(&m, I32, DIMS(4));
    a = chain(&m, "a", MLIA_OP_ADD, 1, 4);
    b = condition(&m, 4, I32);
    expect_first_finding(&m, add_while_loop(&m, x, b, a, 4), "WHILE_LOOP: the condition is not BOOL");
}

/* The unknown batch goes through both regions of a COND_IF inside a region. */
static void test_shapes_go_through_regions(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t x = input(&m, I32, DIMS(-1));
    uint32_t a = chain(&m, "a", MLIA_OP_ADD, 3, -1);
    uint32_t b = chain(&m, "b", MLIA_OP_SUB, 1, -1);
    uint32_t result = add_cond_if(&m, x, a, b, -1);
    finish(&m, result);
    mlia_input_shape given = {.rank = 1, .dims = {7}, .name = MLIA_STR("0")};
    assert_ok(mlia_graph_resolve_shapes(m.graph, &given, 1, true, NULL));
    for (uint32_t i = 0; i < m.graph->value_count; i++)
        if (m.graph->values[i].type == I32)
            assert_int_equal(m.graph->values[i].dims[0], 7);
    mlia_findings findings = {0};
    assert_ok(mlia_graph_verify(m.graph, m.arena, &findings));
    assert_int_equal(findings.count, 0);
    maker_free(&m);
}

static void test_work_of_regions(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t x = input(&m, I32, DIMS(4));
    uint32_t a = chain(&m, "a", MLIA_OP_ADD, 3, 4);
    uint32_t b = chain(&m, "b", MLIA_OP_SUB, 5, 4);
    uint32_t y = add_cond_if(&m, x, a, b, 4);
    uint32_t z = add_while_loop(&m, y, a, b, 4);
    uint32_t w = add_while_loop(&m, z, condition(&m, 4, MLIA_TYPE_BOOL), a, 4);
    finish(&m, w);
    mlia_work *works = MLIA_NEW_ARRAY(m.arena, mlia_work, m.graph->operator_count);
    assert_ok(mlia_graph_work(m.graph, m.arena, works));
    assert_int_equal(works[m.graph->values[y].producer].operations, 20);
    assert_int_equal(works[m.graph->values[z].producer].operations, 32);
    assert_false(works[m.graph->values[w].producer].known); /* the condition is CUSTOM */
    assert_false(mlia_operator_work(m.graph, &m.graph->operators[m.graph->values[y].producer]).known);
    maker_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_are_compared),
        cmocka_unit_test(test_shapes_go_through_regions),
        cmocka_unit_test(test_work_of_regions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
