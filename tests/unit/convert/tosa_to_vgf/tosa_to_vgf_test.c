/* Conversion of small graphs, read back. What the official converter makes of the same is compared in
 * tests/oracle. */
#include "convert/tosa_to_vgf/tosa_to_vgf.h"

#include "formats/vgf/vgf.h"
#include "graph/build.h"
#include "test_support.h"

typedef struct fixture {
    mlia_arena *arena;
    mlia_graph *graph;
    mlia_diagnostics diagnostics;
    mlia_buffer file;
    mlia_vgf *vgf;
} fixture;

static const int64_t four[1] = {4};

static void setup(fixture *state)
{
    *state = (fixture){.arena = mlia_arena_new(0)};
    state->diagnostics.arena = state->arena;
    state->graph = mlia_graph_new(state->arena, MLIA_SOURCE_TOSA);
    mlia_graph_add_region(state->graph, MLIA_STR("main"), MLIA_STR("main"));
}

static void teardown(fixture *state)
{
    mlia_buffer_free(&state->file);
    mlia_arena_free(state->arena);
}

static uint32_t tensor(fixture *state, mlia_str name, uint32_t type)
{
    return mlia_graph_add_tensor(state->graph, 0, name, type, 1, four);
}

static uint32_t constant(fixture *state, uint32_t type, const void *bytes, size_t size)
{
    uint32_t value = tensor(state, MLIA_STR("constant"), type);
    mlia_constant *data = MLIA_NEW(state->arena, mlia_constant);
    *data = (mlia_constant){{bytes, size}, MLIA_ENCODING_BYTES, false};
    state->graph->values[value].constant = data;
    mlia_graph_add_operator(state->graph, 0, MLIA_OP_CONST, NULL, 0, &value, 1, NULL, MLIA_NONE);
    return value;
}

static uint32_t unary(fixture *state, mlia_op op, uint32_t input, uint32_t type,
                      const mlia_attributes *attributes)
{
    uint32_t output = tensor(state, MLIA_STR("result"), type);
    mlia_graph_add_operator(state->graph, 0, (uint32_t)op, &input, 1, &output, 1, attributes, MLIA_NONE);
    return output;
}

static uint32_t binary(fixture *state, mlia_op op, uint32_t a, uint32_t b, uint32_t type)
{
    uint32_t inputs[2] = {a, b};
    uint32_t output = tensor(state, MLIA_STR("result"), type);
    mlia_graph_add_operator(state->graph, 0, (uint32_t)op, inputs, 2, &output, 1, NULL, MLIA_NONE);
    return output;
}

static void finish(fixture *state, const uint32_t *inputs, uint32_t input_count, const uint32_t *outputs,
                   uint32_t output_count)
{
    mlia_graph_set_block_inputs(state->graph, 0, inputs, input_count);
    mlia_graph_set_block_outputs(state->graph, 0, outputs, output_count);
    assert_ok(mlia_graph_finish(state->graph, NULL));
}

/* Converts and reads the container back. */
static void convert(fixture *state, const mlia_tosa_to_vgf_options *options)
{
    assert_ok(mlia_tosa_to_vgf(state->graph, options, &state->diagnostics, &state->file));
    assert_ok(mlia_vgf_read(mlia_buffer_bytes(&state->file), state->arena, NULL, &state->vgf));
}

static const mlia_graph *segment(fixture *state, uint32_t index)
{
    mlia_graph *graph = NULL;
    assert_ok(mlia_vgf_segment_graph(state->vgf, index, state->arena, NULL, &graph));
    return graph;
}

static uint32_t count_operators(const mlia_graph *graph, mlia_op op)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->operator_count; i++)
        count += graph->operators[i].op == (uint32_t)op;
    return count;
}

static void test_names_and_simplification(void **unused)
{
    (void)unused;
    fixture state;
    setup(&state);
    static const uint8_t zeros[16] = {0};
    uint32_t input = tensor(&state, MLIA_STR("image"), MLIA_TYPE_INT32);
    uint32_t zero = constant(&state, MLIA_TYPE_INT32, zeros, sizeof zeros);
    uint32_t sum = binary(&state, MLIA_OP_ADD, input, zero, MLIA_TYPE_INT32);
    uint32_t result = unary(&state, MLIA_OP_CLZ, sum, MLIA_TYPE_INT32, NULL);
    unary(&state, MLIA_OP_BITWISE_NOT, sum, MLIA_TYPE_INT32, NULL); /* nobody reads it */
    state.graph->values[result].name = MLIA_STR("zeros");
    finish(&state, &input, 1, &result, 1);
    convert(&state, NULL);
    assert_str(state.vgf->input_names[0], "image");
    assert_str(state.vgf->output_names[0], "zeros");
    assert_int_equal(segment(&state, 0)->operator_count, 1);
    teardown(&state);
}

static void test_wide_integers_saturate(void **unused)
{
    (void)unused;
    fixture state;
    setup(&state);
    static const int64_t wide[4] = {5, INT64_C(1) << 40, -(INT64_C(1) << 40), -1};
    uint32_t input = tensor(&state, MLIA_STR("a"), MLIA_TYPE_INT64);
    uint32_t value = constant(&state, MLIA_TYPE_INT64, wide, sizeof wide);
    uint32_t sum = binary(&state, MLIA_OP_ADD, input, value, MLIA_TYPE_INT64);
    finish(&state, &input, 1, &sum, 1);
    convert(&state, NULL);
    assert_int_equal(state.diagnostics.count, 1);
    assert_int_equal(state.diagnostics.items[0].kind, MLIA_W_VGF_SATURATED);
    const mlia_graph *graph = segment(&state, 0);
    static const int64_t expected[4] = {5, INT32_MAX, INT32_MIN, -1};
    for (uint32_t i = 0; i < graph->value_count; i++)
        for (uint64_t k = 0; graph->values[i].constant != NULL && k < 4; k++) {
            int64_t number;
            assert_true(mlia_constant_integer(&graph->values[i], k, &number));
            assert_int_equal(number, expected[k]);
        }
    teardown(&state);
}

static void test_narrowing(void **unused)
{
    (void)unused;
    fixture state;
    setup(&state);
    static const float numbers[4] = {1.0f, 70000.0f, 0.1f, -2.5f};
    uint32_t input = tensor(&state, MLIA_STR("a"), MLIA_TYPE_FP32);
    uint32_t value = constant(&state, MLIA_TYPE_FP32, numbers, sizeof numbers);
    uint32_t sum = binary(&state, MLIA_OP_ADD, input, value, MLIA_TYPE_FP32);
    finish(&state, &input, 1, &sum, 1);
    mlia_tosa_to_vgf_options options = {.narrowing = MLIA_NARROWING_FULL_PRESERVE_IO};
    convert(&state, &options);
    const mlia_graph *graph = segment(&state, 0);
    assert_int_equal(count_operators(graph, MLIA_OP_CAST), 2);
    static const uint8_t halves[8] = {0x00, 0x3C, 0x00, 0x7C, 0x66, 0x2E, 0x00, 0xC1}; /* to nearest even */
    uint32_t found = 0;
    for (uint32_t i = 0; i < graph->value_count; i++)
        if (graph->values[i].constant != NULL) {
            assert_int_equal(graph->values[i].type, MLIA_TYPE_FP16);
            assert_memory_equal(graph->values[i].constant->bytes.data, halves, sizeof halves);
            found++;
        }
    assert_int_equal(found, 1);
    assert_int_equal(graph->values[mlia_graph_main(graph)->inputs[0]].type, MLIA_TYPE_FP32);
    teardown(&state);
}

static const char shader_text[] =
    "{\"entry_point\": \"main\", \"workgroup_sizes\": [4, 1, 1], \"shader_language\": \"GLSL\", "
    "\"shader_code\": \"void\","
    "\"input_0_binding\": 0, \"input_0_descriptorset\": 0, \"input_0_vkdescriptortype\": "
    "\"VK_DESCRIPTOR_TYPE_STORAGE_BUFFER\","
    "\"input_0_vkformat\": \"VK_FORMAT_R32_SFLOAT\", \"output_0_binding\": 1, \"output_0_descriptorset\": 0,"
    "\"output_0_vkdescriptortype\": \"VK_DESCRIPTOR_TYPE_STORAGE_BUFFER\", \"output_0_vkformat\": "
    "\"VK_FORMAT_R32_SFLOAT\"}";

/* EXP, a shader, EXP. */
static void build_shader(fixture *state, const char *text)
{
    mlia_attributes attributes = mlia_attributes_default();
    attributes.operator_name = MLIA_STR("shader");
    attributes.domain_name = MLIA_STR("com.arm.VulkanCustomShader");
    attributes.implementation_attrs = (mlia_bytes){(const uint8_t *)text, strlen(text)};
    uint32_t input = tensor(state, MLIA_STR("a"), MLIA_TYPE_FP32);
    uint32_t first = unary(state, MLIA_OP_EXP, input, MLIA_TYPE_FP32, NULL);
    uint32_t second = unary(state, MLIA_OP_CUSTOM, first, MLIA_TYPE_FP32, &attributes);
    uint32_t third = unary(state, MLIA_OP_EXP, second, MLIA_TYPE_FP32, NULL);
    finish(state, &input, 1, &third, 1);
}

static void test_shader_segments(void **unused)
{
    (void)unused;
    fixture state;
    setup(&state);
    build_shader(&state, shader_text);
    convert(&state, NULL);
    assert_int_equal(state.vgf->segment_count, 3);
    assert_int_equal(state.vgf->segments[1].type, MLIA_VGF_COMPUTE);
    assert_int_equal(state.vgf->segments[1].dispatch_shape[0], 4);
    assert_str(state.vgf->segments[2].name, "graph_segment_1");
    assert_int_equal(state.vgf->modules[1].code_type, MLIA_VGF_CODE_GLSL);
    /* the value between EXP and shader: a tensor and a buffer in the same memory */
    uint32_t tensor_index = state.vgf->segments[0].outputs.items[0].resource;
    uint32_t buffer_index = state.vgf->segments[1].inputs.items[0].resource;
    assert_int_not_equal(tensor_index, buffer_index);
    assert_int_equal(state.vgf->resources[tensor_index].alias_group,
                     state.vgf->resources[buffer_index].alias_group);
    assert_int_equal(count_operators(segment(&state, 2), MLIA_OP_EXP), 1);
    teardown(&state);
}

static void test_bad_shaders(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"",
                                        "[]",
                                        "{}",
                                        "{\"entry_point\": \"main\"}",
                                        "{\"entry_point\": \"main\", \"workgroup_sizes\": [1, 2]}",
                                        "{\"entry_point\": \"main\", \"workgroup_sizes\": [1, 2, -3]}",
                                        "{\"entry_point\": \"main\", \"workgroup_sizes\": [1, 2, 3]}"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        fixture state;
        setup(&state);
        build_shader(&state, texts[i]);
        assert_kind(mlia_tosa_to_vgf(state.graph, NULL, NULL, &state.file), MLIA_E_TOSA_ATTRIBUTE);
        teardown(&state);
    }
}

static void test_custom_operators(void **unused)
{
    (void)unused;
    static const mlia_spirv_domain domain = {MLIA_STR_INIT("com.example"), -7};
    for (int mapped = 0; mapped < 2; mapped++) {
        fixture state;
        setup(&state);
        mlia_attributes attributes = mlia_attributes_default();
        attributes.operator_name = MLIA_STR("op");
        attributes.domain_name = MLIA_STR("com.example");
        uint32_t input = tensor(&state, MLIA_STR("a"), MLIA_TYPE_FP32);
        uint32_t output = unary(&state, MLIA_OP_CUSTOM, input, MLIA_TYPE_FP32, &attributes);
        finish(&state, &input, 1, &output, 1);
        mlia_tosa_to_vgf_options options = {.domains = &domain, .domain_count = (uint32_t)mapped};
        if (mapped) {
            convert(&state, &options);
            const mlia_graph *graph = segment(&state, 0);
            assert_str(graph->operators[0].attributes->domain_name, "opcode:-7");
            assert_int_equal(graph->operators[0].attributes->implementation_attrs.size, 0);
        } else {
            assert_kind(mlia_tosa_to_vgf(state.graph, &options, NULL, &state.file), MLIA_E_TOSA_UNSUPPORTED);
        }
        teardown(&state);
    }
}

static void test_refusals(void **unused)
{
    (void)unused;
    fixture state;
    setup(&state);
    uint32_t input = tensor(&state, MLIA_STR("a"), MLIA_TYPE_INT8);
    uint32_t output = unary(&state, MLIA_OP_CAST, input, MLIA_TYPE_INT4, NULL);
    finish(&state, &input, 1, &output, 1);
    assert_kind(mlia_tosa_to_vgf(state.graph, NULL, NULL, &state.file), MLIA_E_TOSA_UNSUPPORTED);
    teardown(&state);

    static const mlia_type without_abs[] = {MLIA_TYPE_FP6E2M3, MLIA_TYPE_INT8, MLIA_TYPE_BOOL};
    for (size_t i = 0; i < sizeof without_abs / sizeof *without_abs; i++) {
        setup(&state);
        input = tensor(&state, MLIA_STR("a"), without_abs[i]);
        output = unary(&state, MLIA_OP_ABS, input, without_abs[i], NULL);
        finish(&state, &input, 1, &output, 1);
        assert_kind(mlia_tosa_to_vgf(state.graph, NULL, NULL, &state.file), MLIA_E_TOSA_TYPE);
        teardown(&state);
    }

    setup(&state);
    input = mlia_graph_add_tensor(state.graph, 0, MLIA_STR("a"), MLIA_TYPE_FP32, 0, NULL);
    state.graph->values[input].unranked = true;
    output = unary(&state, MLIA_OP_ABS, input, MLIA_TYPE_FP32, NULL);
    finish(&state, &input, 1, &output, 1);
    assert_kind(mlia_tosa_to_vgf(state.graph, NULL, NULL, &state.file), MLIA_E_TOSA_UNSUPPORTED);
    teardown(&state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_simplification),
        cmocka_unit_test(test_wide_integers_saturate),
        cmocka_unit_test(test_narrowing),
        cmocka_unit_test(test_shader_segments),
        cmocka_unit_test(test_bad_shaders),
        cmocka_unit_test(test_custom_operators),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
