/* The builder: what comes out of finish, whatever the order in which things were added. */
#include "test_support.h"

#include "result/build.h"
#include "result/document.h"

typedef struct fixture {
    mlia_arena *arena;
    mlia_result_builder *builder;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    f.arena = mlia_arena_new(0);
    f.builder =
        mlia_result_builder_new(f.arena, MLIA_RESULT_PERFORMANCE, MLIA_STR("nx-performance-estimator"));
    mlia_result_declare_nx_kinds(f.builder);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    mlia_arena_free(f->arena);
    return 0;
}

static void orders_entities_and_edges(void **state)
{
    fixture *f = *state;
    mlia_result_builder *b = f->builder;
    mlia_entity_ref op10 = mlia_result_add_entity(b, MLIA_STR("source_operator/10"),
                                                  MLIA_STR("source_operator"), MLIA_STR("add"));
    mlia_entity_ref chain =
        mlia_result_add_entity(b, MLIA_STR("chain/segment_0/0"), MLIA_STR("chain"), MLIA_STR("0"));
    mlia_entity_ref op2 = mlia_result_add_entity(b, MLIA_STR("source_operator/2"),
                                                 MLIA_STR("source_operator"), MLIA_STR("conv"));
    mlia_entity_ref segment =
        mlia_result_add_entity(b, MLIA_STR("segment/0"), MLIA_STR("segment"), MLIA_STR("main"));
    mlia_entity_ref cascade =
        mlia_result_add_entity(b, MLIA_STR("cascade/segment_0/0"), MLIA_STR("cascade"), MLIA_STR("0"));
    mlia_result_add_edge(b, chain, op10);
    mlia_result_add_edge(b, chain, op2);
    mlia_result_add_edge(b, chain, op2);
    mlia_result_add_edge(b, segment, cascade);
    mlia_result_add_edge(b, cascade, chain);
    assert_int_equal(mlia_result_add_entity(b, MLIA_STR("segment/0"), MLIA_STR("x"), MLIA_STR("y")), segment);
    assert_int_equal(mlia_result_find_entity(b, MLIA_STR("nothing")), MLIA_NO_ENTITY);
    mlia_result r;
    assert_ok(mlia_result_finish(b, NULL, NULL, &r));
    assert_int_equal(r.entities.count, 5);
    assert_str(r.entities.items[0].id, "segment/0");
    assert_str(r.entities.items[0].name, "main");
    assert_str(r.entities.items[2].id, "chain/segment_0/0");
    assert_int_equal(r.entities.items[2].child_ids.count, 2);
    assert_str(r.entities.items[2].child_ids.items[0], "source_operator/2");
    assert_str(r.entities.items[3].parent_ids.items[0], "chain/segment_0/0");
    assert_str(r.entities.items[4].id, "source_operator/10");
}

static void completes_the_standard_metrics(void **state)
{
    fixture *f = *state;
    mlia_result_add_metric(f->builder, mlia_metric_number(MLIA_STR("total_cycles"), MLIA_STR("cycles"), 7));
    mlia_result_add_metric(f->builder, mlia_metric_number(MLIA_STR("inference_time"), MLIA_STR("ms"), 0.25));
    mlia_result r;
    assert_ok(mlia_result_finish(f->builder, NULL, NULL, &r));
    assert_int_equal(r.metrics.count, 9);
    assert_str(r.metrics.items[0].name, "accelerator_operator_percentage");
    assert_true(r.metrics.items[0].unavailable);
    assert_str(r.metrics.items[4].name, "inference_time");
    assert_false(r.metrics.items[4].unavailable);
    assert_str(r.metrics.items[8].name, "total_cycles");
}

static void warns_of_huge_values_and_foreign_bytes(void **state)
{
    fixture *f = *state;
    mlia_result_add_metric(
        f->builder, mlia_metric_number(MLIA_STR("total_cycles"), MLIA_STR("cycles"), 9007199254740992.0));
    mlia_result r;
    mlia_diagnostics diagnostics = {.arena = f->arena};
    mlia_result_add_entity(f->builder, MLIA_STR("source_operator/0"), MLIA_STR("source_operator"),
                           MLIA_STR("caf\xE9"));
    assert_ok(mlia_result_finish(f->builder, NULL, &diagnostics, &r));
    assert_int_equal(diagnostics.count, 2);
    assert_int_equal(diagnostics.items[0].kind, MLIA_W_VALUE_LIMIT);
    assert_int_equal(diagnostics.items[1].kind, MLIA_W_TEXT_ENCODING);
    assert_true(r.metrics.items[8].unavailable);
    assert_str(r.metrics.items[8].reason, "value exceeds 2^53-1");
    assert_int_equal(r.warnings.count, 1);
}

static void refuses_an_undeclared_edge(void **state)
{
    fixture *f = *state;
    mlia_entity_ref a =
        mlia_result_add_entity(f->builder, MLIA_STR("segment/0"), MLIA_STR("segment"), MLIA_STR("a"));
    mlia_entity_ref b =
        mlia_result_add_entity(f->builder, MLIA_STR("nn_module/b"), MLIA_STR("nn_module"), MLIA_STR("b"));
    mlia_result_add_edge(f->builder, a, b);
    mlia_result r;
    assert_kind(mlia_result_finish(f->builder, NULL, NULL, &r), MLIA_E_DOCUMENT);
}

static void refuses_a_cycle(void **state)
{
    fixture *f = *state;
    mlia_entity_ref a =
        mlia_result_add_entity(f->builder, MLIA_STR("nn_module/a"), MLIA_STR("nn_module"), MLIA_STR("a"));
    mlia_entity_ref b =
        mlia_result_add_entity(f->builder, MLIA_STR("nn_module/b"), MLIA_STR("nn_module"), MLIA_STR("b"));
    mlia_result_add_edge(f->builder, a, b);
    mlia_result_add_edge(f->builder, b, a);
    mlia_result r;
    assert_kind(mlia_result_finish(f->builder, NULL, NULL, &r), MLIA_E_DOCUMENT);
}

/* Without memory everything is quiet until the end. */
static void no_builder_is_out_of_memory(void **state)
{
    (void)state;
    mlia_entity_ref a = mlia_result_add_entity(NULL, MLIA_STR("a"), MLIA_STR("b"), MLIA_STR("c"));
    mlia_result_set_attribute(NULL, a, MLIA_STR("x"), NULL);
    mlia_result r;
    assert_kind(mlia_result_finish(NULL, NULL, NULL, &r), MLIA_E_MEMORY);
    mlia_arena *small = mlia_arena_new(2000);
    mlia_result_builder *b = mlia_result_builder_new(small, MLIA_RESULT_PERFORMANCE, MLIA_STR("x"));
    for (int i = 0; i < 100; i++)
        mlia_result_add_metric(b, mlia_metric_number(MLIA_STR("m"), MLIA_STR("cycles"), i));
    assert_kind(mlia_result_finish(b, NULL, NULL, &r), MLIA_E_MEMORY);
    mlia_arena_free(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(orders_entities_and_edges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(completes_the_standard_metrics, set_up, tear_down),
        cmocka_unit_test_setup_teardown(warns_of_huge_values_and_foreign_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_an_undeclared_edge, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_a_cycle, set_up, tear_down),
        cmocka_unit_test(no_builder_is_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
