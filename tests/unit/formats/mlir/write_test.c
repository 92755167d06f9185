/* Writing and reading again gives the same graph, names of the interface and labels included. */
#include "mlir_files.h"

static void same_interface(const mlia_graph *a, const mlia_graph *b, const uint32_t *left,
                           const uint32_t *right, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_true(mlia_str_equal(a->values[left[i]].name, b->values[right[i]].name));
}

static void same_labels(const mlia_graph *a, const mlia_graph *b)
{
    const mlia_block *left = mlia_graph_main(a);
    const mlia_block *right = mlia_graph_main(b);
    for (uint32_t i = 0; i < left->operator_count; i++) {
        const mlia_source *one = &a->sources[a->operators[left->operators[i]].source];
        const mlia_source *other = &b->sources[b->operators[right->operators[i]].source];
        assert_true(mlia_str_equal(one->label, other->label));
        if (mlia_str_starts_with(one->location, MLIA_STR("loc(")) && a->format != MLIA_SOURCE_TOSA)
            assert_true(mlia_str_equal(one->location, other->location));
    }
}

static void test_one(const char *root, const char *folder, const char *name)
{
    mlir_file first;
    mlir_file second;
    mlia_buffer text = {0};
    mlia_buffer again = {0};
    char *path = path_of(root, folder, name, "");
    mlia_status *status = read_mlir(path, &first);
    if (status != NULL) /* ours may refuse what another room's test is about */
        print_error("%s: %.*s\n", path, MLIA_STR_ARG(mlia_status_message(status)));
    assert_ok(status);
    assert_ok(mlia_mlir_write(first.graph, &text));
    assert_ok(read_bytes(mlia_buffer_bytes(&text), &second));
    assert_same_graph(first.graph, second.graph, path);
    const mlia_block *left = mlia_graph_main(first.graph);
    const mlia_block *right = mlia_graph_main(second.graph);
    same_interface(first.graph, second.graph, left->inputs, right->inputs, left->input_count);
    same_interface(first.graph, second.graph, left->outputs, right->outputs, left->output_count);
    same_labels(first.graph, second.graph);
    assert_ok(mlia_mlir_write(second.graph, &again));
    assert_true(same_bytes(mlia_buffer_bytes(&text), mlia_buffer_bytes(&again)) ||
                first.graph->format == MLIA_SOURCE_TOSA);
    mlia_buffer_free(&text);
    mlia_buffer_free(&again);
    close_mlir(&first);
    close_mlir(&second);
    free(path);
}

static void test_round_trip(void **state)
{
    (void)state;
    for_each_file(MLIA_TEST_DATA, "mlir/valid", ".mlirbc", test_one);
    for_each_file(MLIA_TEST_DATA, "tosa/valid", ".tosa", test_one);
    if (getenv("MLIA_FIXTURES") != NULL) {
        for_each_file(getenv("MLIA_FIXTURES"), "tosa/mlir", ".mlirbc", test_one);
        for_each_file(getenv("MLIA_FIXTURES"), "tosa/valid", ".tosa", test_one);
        for_each_file(getenv("MLIA_FIXTURES"), "models", ".tosamlir", test_one);
        for_each_file(getenv("MLIA_FIXTURES"), "models", ".tosa", test_one);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    mlir_file item;
    mlia_buffer text = {0};
    assert_ok(
        read_text("func.func @main(%a: tensor<1xi8>) -> tensor<1xi8> {\n  \"tfl.no_value\"() : () -> ()\n"
                  "  return %a : tensor<1xi8>\n}\n",
                  &item));
    assert_kind(mlia_mlir_write(item.graph, &text), MLIA_E_MLIR_UNSUPPORTED);
    mlia_buffer_free(&text);
    close_mlir(&item);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
