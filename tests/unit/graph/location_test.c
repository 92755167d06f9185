/* Locations in all their forms, and the source reference. */
#include "test_support.h"

#include <stdio.h>
#include <stdlib.h>

#include "graph/build.h"
#include "graph/location.h"

static mlia_arena *arena;

static int setup(void **state)
{
    (void)state;
    arena = mlia_arena_new(0);
    return arena == NULL;
}

static int teardown(void **state)
{
    (void)state;
    mlia_arena_free(arena);
    return 0;
}

static mlia_source decode(const char *text)
{
    mlia_source source = {0};
    assert_ok(mlia_location_decode(arena, mlia_str_from_c(text), &source));
    assert_true(mlia_str_equal_c(source.location, text));
    return source;
}

static void test_labels(void **state)
{
    (void)state;
    static const struct {
        const char *text, *label;
    } cases[] = {
        /* every form that a FlatBuffers file can hold */
        {"plain/layer name", "plain/layer name"},
        {"loc(\"block/conv\")", "block/conv"},
        {"loc(\"block/conv\"(\"model.tflite\":0:0))", "block/conv"},
        {"loc(\"file.mlir\":12:7)", ""},
        {"loc(fused[\"a\", \"b\"(\"m.tflite\":0:0)])", "a;b"},
        {"loc(fused<\"meta\">[\"a\", \"b\"])", "a;b"},
        {"loc(callsite(\"callee\" at \"caller\"))", "callee"},
        {"loc(unknown)", ""},
        {"", ""},
        {"unknown", ""},
        {"{\"event_id\": 3, \"aten_info\": {\"node_name\": \"aten_add_tensor\"}}", "aten_add_tensor"},
        {"{\"node_name\": \"add_7\"}", "add_7"},
        {"{\"event_id\": 3, \"aten_info\": {}}", "3"},
        {"loc(\"quo\\22te\\5Cd\")", "quo\"te\\d"},
        {"na\xC3\xAFve \xE2\x9C\x93", "na\xC3\xAFve \xE2\x9C\x93"},
        /* fused: duplicates, unknown parts, metadata with brackets and strings, nesting */
        {"loc(fused[\"a\", unknown, \"a\", \"f\":1:2, \"b\"])", "a;b"},
        {"loc(fused<#d<\"x>\", <1>>>[\"a\"])", "a"},
        {"loc(fused[fused[\"a\", \"b\"], \"b\"])", "a;b;b"},
        {"loc(fused[])", ""},
        /* names whose text is itself a location */
        {"loc(\"loc(\\22x\\22)\"(\"main\"(\"file.tosa\":0:0)))", "x"},
        {"loc(\"loc(unknown)\"(\"child\"))", "child"},
        {"loc(\"{\\22node_name\\22: \\22n\\22}\")", "n"},
        {"loc(loc(\"x\"))", "x"},
        /* broken syntax is a plain label */
        {"loc(\"x\"", "loc(\"x\""},
        {"loc(\"x\") y", "loc(\"x\") y"},
        {"loc(\"x\\q\")", "loc(\"x\\q\")"},
        {"loc(\"x\\", "loc(\"x\\"},
        {"loc(#loc3)", "loc(#loc3)"},
        {"loc(fused[\"a\" \"b\"])", "loc(fused[\"a\" \"b\"])"},
        {"loc(callsite(\"a\"))", "loc(callsite(\"a\"))"},
        {"{\"node_name\": \"x\"", "{\"node_name\": \"x\""},
        {"[1]", "[1]"},
        /* positions */
        {"a.py:1:2;b.py:3:4", ""},
        {"layer;b.py:3:4", "layer;b.py:3:4"},
        {"scope:0", "scope:0"},
        {":1:2", ":1:2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mlia_source source = decode(cases[i].text);
        if (!mlia_str_equal_c(source.label, cases[i].label))
            fail_msg("%s: label '%.*s'", cases[i].text, MLIA_STR_ARG(source.label));
    }
}

static void test_positions(void **state)
{
    (void)state;
    static const struct {
        const char *text, *file;
        uint32_t line, column;
    } cases[] = {
        {"loc(\"file.mlir\":12:7)", "file.mlir", 12, 7},
        {"loc(\"file.mlir\":3:4 to 5:6)", "file.mlir", 3, 4},
        {"loc(\"file.mlir\":3:4 to :6)", "file.mlir", 3, 4},
        {"loc(\"n\"(\"m.py\":5:0))", "m.py", 5, 0},
        {"loc(\"n\"(\"m.tflite\":0:0))", "", 0, 0},
        {"loc(fused[\"a\":1:2, \"b\":3:4])", "a", 1, 2},
        {"loc(callsite(\"n\" at \"b\":3:4))", "b", 3, 4},
        {"C:\\dir\\m.py:12:7", "C:\\dir\\m.py", 12, 7},
        {"name;b.py:3:4;c.py:5:6", "b.py", 3, 4},
        {"b.py:3:-4", "", 0, 0},
        {"b.py:99999999999:4", "", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mlia_source source = decode(cases[i].text);
        if (!mlia_str_equal_c(source.file, cases[i].file))
            fail_msg("%s: file '%.*s'", cases[i].text, MLIA_STR_ARG(source.file));
        assert_int_equal(source.line, cases[i].line);
        assert_int_equal(source.column, cases[i].column);
    }
}

static void check_step(const mlia_source *source, uint32_t index, const char *key, const char *name,
                       const char *type)
{
    assert_true(index < source->module_count);
    assert_true(mlia_str_equal_c(source->modules[index].key, key));
    assert_true(mlia_str_equal_c(source->modules[index].name, name));
    assert_true(mlia_str_equal_c(source->modules[index].type, type));
}

/* As ExecuTorch 1.5 writes it, shortened. */
static void test_executorch(void **state)
{
    (void)state;
    mlia_source source = decode(
        "{\"event_id\": 3, \"aten_info\": {\"node_name\": \"tosa_conv2d_default_1\", \"operator_name\": "
        "\"tosa.CONV2D.default\"}, \"torch_info\": {\"stack_trace\": [\"File \\\"/src/tiny.py\\\", line 82, "
        "in "
        "forward\", \"    y = self.b2(self.b1(x))\", \"  File \\\"/lib/conv.py\\\", line 565\", \"\"], "
        "\"node_trace\": [{\"name\": \"conv2d_1\", \"graph_id\": 140425299520080}], \"nn_module_stack\": "
        "{\"L__self__\": [\"\", \"tiny.Residual\"], \"L__self__b1\": [\"b1\", \"tiny.Block\"]}}}");
    assert_str(source.label, "tosa_conv2d_default_1");
    assert_str(source.operator_name, "tosa.CONV2D.default");
    assert_int_equal(source.module_count, 3);
    check_step(&source, 0, "<root>", "<root>", "");
    check_step(&source, 1, "L__self__", "L__self__", "tiny.Residual");
    check_step(&source, 2, "L__self__b1", "b1", "tiny.Block");
    assert_int_equal(source.frame_count, 2);
    assert_str(source.frames[0].file, "/src/tiny.py");
    assert_int_equal(source.frames[0].line, 82);
    assert_str(source.frames[0].function, "forward");
    assert_str(source.frames[1].file, "/lib/conv.py");
    assert_int_equal(source.frames[1].line, 565);
    assert_int_equal(source.frames[1].function.size, 0);
}

static void test_converted_models(void **state)
{
    (void)state;
    mlia_source source = decode("{\"tflite\":{\"subgraph\":0,\"operator\":3,\"name\":\"CONV_2D\",\"tensor\":"
                                "\"conv/Relu\"},\"mlia\":{\"operators\":[\"operator/4\",\"operator/3\"]}}");
    assert_str(source.label, "conv/Relu");
    assert_str(source.operator_name, "CONV_2D");
    assert_str(source.origin, "operator/4");
    source = decode("loc(\"{\\22tflite\\22:{\\22subgraph\\22:2,\\22operator\\22:7}}\")");
    assert_str(source.origin, "subgraph/2/operator/7");
    source = decode("loc(\"subgraph/1/operator/3\"(\"conv/Relu\"(\"model.tflite\":1:3)))");
    assert_str(source.label, "conv/Relu");
    assert_str(source.origin, "subgraph/1/operator/3");
    assert_str(source.file, "model.tflite");
    source = decode("subgraph/1/operator/0");
    assert_str(source.label, "subgraph/1/operator/0");
    assert_str(source.origin, "subgraph/1/operator/0");
    static const char *const others[] = {"operator/",  "operator/3x",    "subgraph//operator/1",
                                         "subgraph/1", "{\"tflite\":3}", "{\"tflite\":{\"operator\":\"3\"}}"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(decode(others[i]).origin.size, 0);
}

static void test_other_shapes_of_module_stacks(void **state)
{
    (void)state;
    mlia_source source =
        decode("{\"torch_info\": {\"nn_module_stack\": [{\"tracer_key\": \"<root>\", \"name\": \"net\"}, "
               "{\"qualified_name\": \"b\", \"type\": \"T\"}, [\"k\", \"n\", \"c\"]]}}");
    assert_int_equal(source.module_count, 3);
    check_step(&source, 0, "<root>", "net", "");
    check_step(&source, 1, "1", "b", "T");
    check_step(&source, 2, "k", "n", "c");
    source = decode(
        "{\"torch_info\": {\"nn_module_stack\": {\"a\": \"x\", \"b\": {\"module_name\": \"y\", "
        "\"class_name\": \"C\"}, \"c\": 3}, \"stack_trace\": \"File \\\"a\\\", line 1, in f\\nnoise\\n File "
        "\\\"b\\\", line 2\\r\\nFile \\\"c\\\", line 0\\nFile \\\"d\\\", line x\"}}");
    assert_int_equal(source.module_count, 4);
    check_step(&source, 1, "a", "x", "");
    check_step(&source, 2, "b", "y", "C");
    check_step(&source, 3, "c", "c", "");
    assert_int_equal(source.frame_count, 2);
    assert_str(source.frames[1].file, "b");
    assert_int_equal(source.label.size, 0);
}

/* Text nested deeper than the limits is kept as a label, without recursion that the stack could not hold. */
static void test_deep_nesting(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(DEPTH * 6 + 16);
    assert_non_null(text);
    char *out = text;
    out += sprintf(out, "loc(");
    for (int i = 0; i < DEPTH; i++)
        out += sprintf(out, "fused[");
    mlia_source source = decode(text);
    assert_int_equal(source.label.size, (size_t)(out - text));
    free(text);
}

static void test_references(void **state)
{
    (void)state;
    mlia_graph *graph = mlia_graph_new(arena, MLIA_SOURCE_TOSA);
    mlia_graph_add_region(graph, MLIA_STR("ma in"), MLIA_STR("b/0"));
    mlia_graph_add_region(graph, MLIA_STR("then"), MLIA_STR("then"));
    mlia_graph_add_region(graph, MLIA_STR("else"), MLIA_STR("else"));
    uint32_t x = mlia_graph_add_tensor(graph, 0, MLIA_STR("x"), MLIA_TYPE_BOOL, 0, NULL);
    uint32_t y = mlia_graph_add_tensor(graph, 0, MLIA_STR("y"), MLIA_TYPE_BOOL, 0, NULL);
    uint32_t z = mlia_graph_add_tensor(graph, 2, MLIA_STR("z"), MLIA_TYPE_BOOL, 0, NULL);
    uint32_t w = mlia_graph_add_tensor(graph, 2, MLIA_STR("w"), MLIA_TYPE_BOOL, 0, NULL);
    uint32_t named = mlia_graph_add_source(graph, (mlia_source){.label = MLIA_STR("conv")});
    mlia_attributes attributes = mlia_attributes_default();
    attributes.then_graph = 1;
    attributes.else_graph = 2;
    mlia_graph_add_operator(graph, 0, MLIA_OP_COND_IF, &x, 1, &y, 1, &attributes, MLIA_NONE);
    mlia_graph_add_operator(graph, 2, MLIA_OP_IDENTITY, &z, 1, &w, 1, NULL, MLIA_NONE);
    mlia_graph_set_block_inputs(graph, 0, &x, 1);
    mlia_graph_set_block_inputs(graph, 2, &z, 1);
    assert_ok(mlia_graph_finish(graph, NULL));
    assert_str(mlia_source_reference(arena, graph, &graph->operators[0]), "tosa:ma%20in/b%2F0/0");
    assert_str(mlia_source_reference(arena, graph, &graph->operators[1]), "tosa:else/else/0");
    graph->format = MLIA_SOURCE_MLIR;
    assert_str(mlia_source_reference(arena, graph, &graph->operators[1]), "tosa:ma%20in.0.1/0/0");
    graph->operators[1].source = named;
    assert_str(mlia_source_reference(arena, graph, &graph->operators[1]), "conv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_positions),
        cmocka_unit_test(test_executorch),
        cmocka_unit_test(test_converted_models),
        cmocka_unit_test(test_other_shapes_of_module_stacks),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_references),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
