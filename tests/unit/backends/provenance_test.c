/* Source operators, modules and call paths: ids, names, attributes and edges as the document contract has
 * them. */
#include "backends/provenance.h"

#include "graph/build.h"
#include "test_support.h"

static const mlia_entity *entity(const mlia_result *result, const char *id)
{
    for (size_t i = 0; i < result->entities.count; i++)
        if (mlia_str_equal_c(result->entities.items[i].id, id))
            return &result->entities.items[i];
    fail_msg("no entity %s", id);
    return NULL;
}

static bool has_parent(const mlia_entity *child, const char *id)
{
    for (size_t i = 0; i < child->parent_ids.count; i++)
        if (mlia_str_equal_c(child->parent_ids.items[i], id))
            return true;
    return false;
}

static void modules_and_call_paths(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_graph *graph = mlia_graph_new(arena, MLIA_SOURCE_SPIRV);
    mlia_graph_add_region(graph, MLIA_STR("main"), MLIA_STR("main"));
    static const mlia_module_step modules[] = {
        {MLIA_STR_INIT("<root>"), MLIA_STR_INIT("<root>"), MLIA_STR_INIT("Net")},
        {MLIA_STR_INIT("dw"), MLIA_STR_INIT("body.dw"), MLIA_STR_INIT("torch.nn.Conv2d")}};
    static const mlia_code_frame frames[] = {
        {MLIA_STR_INIT("src\\net.py"), 19, MLIA_STR_INIT("forward")},
        {MLIA_STR_INIT("src/blo cks.py"), 9, MLIA_STR_INIT("forward")},
    };
    uint32_t source = mlia_graph_add_source(graph, (mlia_source){.id = MLIA_STR("segment_0/spirv-52"),
                                                                 .type = MLIA_STR("DEPTHWISE_CONV2D"),
                                                                 .modules = modules,
                                                                 .module_count = 2,
                                                                 .frames = frames,
                                                                 .frame_count = 2});
    static const int64_t dims[] = {4};
    uint32_t a = mlia_graph_add_tensor(graph, 0, MLIA_STR("a"), MLIA_TYPE_INT32, 1, dims);
    uint32_t b = mlia_graph_add_tensor(graph, 0, MLIA_STR("b"), MLIA_TYPE_INT32, 1, dims);
    uint32_t c = mlia_graph_add_tensor(graph, 0, MLIA_STR("c"), MLIA_TYPE_INT32, 1, dims);
    mlia_graph_set_block_inputs(graph, 0, &a, 1);
    mlia_graph_add_operator(graph, 0, MLIA_OP_ABS, &a, 1, &b, 1, NULL, source);
    mlia_graph_add_operator(graph, 0, MLIA_OP_CLZ, &b, 1, &c, 1, NULL, source);
    mlia_graph_add_operator(graph, 0, MLIA_OP_CLZ, &b, 1, &c, 1, NULL, MLIA_NONE);
    mlia_result_builder *builder =
        mlia_result_builder_new(arena, MLIA_RESULT_PERFORMANCE, MLIA_STR("nx-performance-estimator"));
    mlia_result_declare_nx_kinds(builder);
    mlia_provenance provenance;
    assert_ok(mlia_provenance_add(builder, graph, arena, &provenance));
    assert_int_equal(provenance.operators[0], provenance.operators[1]);
    assert_int_equal(provenance.operators[2], MLIA_NO_ENTITY);
    mlia_result result;
    assert_ok(mlia_result_finish(builder, NULL, NULL, &result));

    const mlia_entity *op = entity(&result, "source_operator/segment_0/spirv-52");
    assert_str(op->name, "depthwise_conv2d");
    const mlia_value *types = mlia_value_get(op->attributes, MLIA_STR("operator_types"));
    assert_int_equal(types->count, 2);
    assert_str(types->as.items[1]->as.string, "CLZ");
    assert_true(has_parent(op, "nn_module/dw"));
    assert_true(has_parent(entity(&result, "nn_module/dw"), "nn_module/<root>"));
    assert_str(entity(&result, "nn_module/dw")->name, "body.dw");
    assert_str(mlia_value_get_str(entity(&result, "nn_module/dw")->attributes, MLIA_STR("module_type")),
               "torch.nn.Conv2d");
    /* SHA-256 of "src/net.py:19:forward" and of both lines */
    assert_true(has_parent(op, "code_stack/blo_cks.py:9-fb3a44325435"));
    const mlia_entity *inner = entity(&result, "code_stack/blo_cks.py:9-fb3a44325435");
    assert_true(has_parent(inner, "code_stack/net.py:19-d1bd20fe9b61"));
    assert_str(mlia_value_get_str(entity(&result, "code_stack/net.py:19-d1bd20fe9b61")->attributes,
                                  MLIA_STR("file")),
               "src/net.py");
    mlia_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(modules_and_call_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
