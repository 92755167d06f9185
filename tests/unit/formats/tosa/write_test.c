/* The TOSA writer: what it writes reads back as the same graph and the same bytes, also for graphs that other
 * readers make: without names, with splats, with constants in whole bytes. */
#include "formats/tosa/tosa.h"

#include "graph/analyse.h"
#include "graph/build.h"
#include "tosa_files.h"

static mlia_status *read_bytes(const mlia_buffer *buffer, mlia_arena *arena, mlia_graph **graph)
{
    return mlia_tosa_read(mlia_buffer_bytes(buffer), arena, NULL, graph);
}

static void round_trip(const char *path)
{
    tosa_file item;
    mlia_buffer first = {0};
    mlia_buffer second = {0};
    mlia_graph *again;
    assert_ok(read_tosa(path, &item));
    assert_ok(mlia_tosa_write(item.graph, &first));
    assert_ok(read_bytes(&first, item.arena, &again));
    assert_ok(mlia_tosa_write(again, &second));
    assert_int_equal(first.size, second.size);
    assert_memory_equal(first.data, second.data, first.size);
    assert_int_equal(again->operator_count, item.graph->operator_count);
    assert_int_equal(again->value_count, item.graph->value_count);
    assert_int_equal(again->version[1], item.graph->version[1]);
    for (uint32_t i = 0; i < again->operator_count; i++) {
        const mlia_operator *op = &item.graph->operators[i];
        assert_int_equal(again->operators[i].op, op->op);
        assert_int_equal(again->operators[i].input_count, op->input_count);
        assert_true(mlia_str_equal(again->sources[again->operators[i].source].location,
                                   item.graph->sources[op->source].location));
    }
    mlia_buffer_free(&first);
    mlia_buffer_free(&second);
    close_tosa(&item);
}

static void files_keep_their_bytes(void **state)
{
    (void)state;
    for_each_tosa("valid", round_trip);
}

/* CONST(INT4 in whole bytes) and CONST(splat) → CONCAT → output; nothing has a name. */
static mlia_graph *nameless_graph(mlia_arena *arena)
{
    static const int64_t dims[] = {3};
    static const int64_t all[] = {6};
    static const mlia_constant packed = {{(const uint8_t *)"\xFF\x02\x03", 3}, MLIA_ENCODING_BYTES, false};
    static const mlia_constant splat = {{(const uint8_t *)"\x05", 1}, MLIA_ENCODING_BYTES, true};
    mlia_graph *graph = mlia_graph_new(arena, MLIA_SOURCE_MLIR);
    uint32_t block = mlia_graph_add_region(graph, MLIA_STR_NONE, MLIA_STR_NONE);
    uint32_t a = mlia_graph_add_tensor(graph, block, MLIA_STR_NONE, MLIA_TYPE_INT4, 1, dims);
    uint32_t b = mlia_graph_add_tensor(graph, block, MLIA_STR_NONE, MLIA_TYPE_INT4, 1, dims);
    uint32_t c = mlia_graph_add_tensor(graph, block, MLIA_STR_NONE, MLIA_TYPE_INT4, 1, all);
    uint32_t x = mlia_graph_add_tensor(graph, block, MLIA_STR_NONE, MLIA_TYPE_INT4, 1, all);
    graph->values[a].constant = &packed;
    graph->values[b].constant = &splat;
    mlia_attributes attributes = mlia_attributes_default();
    uint32_t inputs[] = {a, b};
    mlia_graph_add_operator(graph, block, MLIA_OP_CONST, NULL, 0, &a, 1, NULL, MLIA_NONE);
    mlia_graph_add_operator(graph, block, MLIA_OP_CONST, NULL, 0, &b, 1, NULL, MLIA_NONE);
    mlia_graph_add_operator(graph, block, MLIA_OP_CONCAT, inputs, 2, &c, 1, &attributes, MLIA_NONE);
    mlia_graph_set_block_inputs(graph, block, &x, 1);
    mlia_graph_set_block_outputs(graph, block, &c, 1);
    assert_ok(mlia_graph_finish(graph, NULL));
    return graph;
}

static void names_and_encodings_are_made(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_buffer out = {0};
    mlia_graph *graph;
    assert_ok(mlia_tosa_write(nameless_graph(arena), &out));
    assert_ok(read_bytes(&out, arena, &graph));
    assert_str(graph->regions[0].name, "main");
    assert_str(graph->blocks[0].name, "main");
    assert_str(graph->values[0].name, "layer_0");
    assert_str(graph->values[1].name, "layer_1");
    assert_str(graph->values[2].name, "TosaOutput_0");
    assert_str(graph->values[3].name, "TosaInput_0");
    assert_memory_equal(graph->values[0].constant->bytes.data, "\x2F\x03", 2);
    assert_memory_equal(graph->values[1].constant->bytes.data, "\x55\x05", 2);
    assert_int_equal(graph->values[1].constant->bytes.size, 2);
    mlia_buffer_free(&out);
    mlia_arena_free(arena);
}

static void repeated_names_get_suffixes(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_graph *graph = nameless_graph(arena);
    mlia_buffer out = {0};
    graph->values[0].name = MLIA_STR("x");
    graph->values[1].name = MLIA_STR("x_2");
    graph->values[2].name = MLIA_STR("x");
    graph->values[3].name = MLIA_STR("x");
    assert_ok(mlia_tosa_write(graph, &out));
    assert_ok(read_bytes(&out, arena, &graph));
    assert_str(graph->values[0].name, "x");
    assert_str(graph->values[1].name, "x_2");
    assert_str(graph->values[2].name, "x_3");
    assert_str(graph->values[3].name, "x_4");
    mlia_buffer_free(&out);
    mlia_arena_free(arena);
}

/* MLIR names variables in operators only: the tensor that stands for one is made. */
static void variables_get_a_tensor(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    static const int64_t dims[] = {2};
    static const mlia_constant initial = {{(const uint8_t *)"\7", 1}, MLIA_ENCODING_TOSA, true};
    mlia_graph *graph = mlia_graph_new(arena, MLIA_SOURCE_MLIR);
    uint32_t block = mlia_graph_add_region(graph, MLIA_STR("main"), MLIA_STR_NONE);
    mlia_variable variable = {
        .name = MLIA_STR("s"), .type = MLIA_TYPE_INT8, .rank = 1, .dims = dims, .initial = &initial};
    mlia_attributes attributes = mlia_attributes_default();
    attributes.variable = mlia_graph_add_variable(graph, variable);
    uint32_t value = mlia_graph_add_tensor(graph, block, MLIA_STR("r"), MLIA_TYPE_INT8, 1, dims);
    mlia_graph_add_operator(graph, block, MLIA_OP_VARIABLE_READ, NULL, 0, &value, 1, &attributes, MLIA_NONE);
    mlia_graph_add_operator(graph, block, MLIA_OP_VARIABLE_WRITE, &value, 1, NULL, 0, &attributes, MLIA_NONE);
    mlia_graph_set_block_outputs(graph, block, &value, 1);
    assert_ok(mlia_graph_finish(graph, NULL));
    mlia_buffer out = {0};
    assert_ok(mlia_tosa_write(graph, &out));
    assert_ok(read_bytes(&out, arena, &graph));
    assert_int_equal(graph->variable_count, 1);
    assert_str(graph->variables[0].name, "s");
    assert_memory_equal(graph->variables[0].initial->bytes.data, "\7\7", 2);
    assert_int_equal(graph->operators[0].op, MLIA_OP_VARIABLE_READ);
    assert_int_equal(graph->operators[1].op, MLIA_OP_VARIABLE_WRITE);
    assert_str(graph->values[1].name, "Variable_0");
    assert_int_equal(graph->values[1].variable, 0);
    mlia_buffer_free(&out);
    mlia_arena_free(arena);
}

/* Scales of block-scaled tensors come back; the verifier says that nothing analyses them. */
static void block_scales_are_kept(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    static const int64_t dims[] = {2, 64};
    const mlia_block_scale scale = {MLIA_TYPE_FP8UE8M0, 32, {(const uint8_t *)"\x7F\x80\x81\x82", 4}};
    mlia_graph *graph = mlia_graph_new(arena, MLIA_SOURCE_MLIR);
    uint32_t block = mlia_graph_add_region(graph, MLIA_STR("main"), MLIA_STR_NONE);
    uint32_t x = mlia_graph_add_tensor(graph, block, MLIA_STR("x"), MLIA_TYPE_FP8E4M3, 2, dims);
    uint32_t y = mlia_graph_add_tensor(graph, block, MLIA_STR("y"), MLIA_TYPE_FP8E4M3, 2, dims);
    graph->values[x].scale = &scale;
    mlia_graph_set_block_inputs(graph, block, &x, 1);
    mlia_graph_set_block_outputs(graph, block, &y, 1);
    mlia_graph_add_operator(graph, block, MLIA_OP_IDENTITY, &x, 1, &y, 1, NULL, MLIA_NONE);
    assert_ok(mlia_graph_finish(graph, NULL));
    mlia_buffer out = {0};
    assert_ok(mlia_tosa_write(graph, &out));
    assert_ok(read_bytes(&out, arena, &graph));
    assert_int_equal(graph->version[1], 1);
    assert_null(graph->values[y].scale);
    assert_int_equal(graph->values[x].scale->type, MLIA_TYPE_FP8UE8M0);
    assert_int_equal(graph->values[x].scale->block_shape, 32);
    assert_int_equal(graph->values[x].scale->bytes.size, 4);
    assert_memory_equal(graph->values[x].scale->bytes.data, "\x7F\x80\x81\x82", 4);
    mlia_findings findings = {.limit = 10};
    assert_ok(mlia_graph_verify(graph, arena, &findings));
    assert_kind(mlia_findings_status(graph, &findings), MLIA_E_TOSA_UNSUPPORTED);
    mlia_buffer_free(&out);
    mlia_arena_free(arena);
}

static void other_dialects_are_refused(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_graph *graph = nameless_graph(arena);
    mlia_buffer out = {0};
    graph->operators[2].op = MLIA_OP_FOREIGN;
    graph->operators[2].foreign_name = MLIA_STR("tfl.no_value");
    mlia_status *status = mlia_tosa_write(graph, &out);
    assert_string_equal(mlia_kind_name(mlia_status_kind(status)), "E_TOSA_UNSUPPORTED");
    assert_str(mlia_status_message(status), "tfl.no_value is no TOSA operator and cannot be written");
    mlia_status_free(status);
    assert_int_equal(out.size, 0);
    graph = nameless_graph(arena);
    graph->values[0].constant = NULL;
    assert_kind(mlia_tosa_write(graph, &out), MLIA_E_TOSA_DATA);
    mlia_buffer_free(&out);
    mlia_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_keep_their_bytes),      cmocka_unit_test(names_and_encodings_are_made),
        cmocka_unit_test(repeated_names_get_suffixes), cmocka_unit_test(variables_get_a_tensor),
        cmocka_unit_test(block_scales_are_kept),       cmocka_unit_test(other_dialects_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
