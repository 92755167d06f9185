/* Whole files: every form of a module gives the same graph, broken files give their kind, damaged files do no
 * harm. */
#include <ctype.h>

#include "mlir_files.h"

/* The public translator reads the unranked result of this one as a scalar. */
static bool is_exact_in_mlir(const char *stem)
{
    return strcmp(stem, "unranked") != 0;
}

/* NAME.generic.mlir: the pretty, bytecode and FlatBuffers forms beside it are the same graph. */
static void test_one_name(const char *root, const char *folder, const char *name, const char *tosa_folder)
{
    static const char *const endings[] = {".mlir", ".mlirbc", ".tosa"};
    char *stem = strdup(name);
    *strstr(stem, ".generic.mlir") = '\0';
    mlir_file generic;
    char *path = path_of(root, folder, name, "");
    assert_ok(read_mlir(path, &generic));
    free(path);
    for (int i = 0; i < (is_exact_in_mlir(stem) ? 3 : 2); i++) {
        mlir_file other;
        path = path_of(root, i == 2 ? tosa_folder : folder, stem, endings[i]);
        assert_ok(read_mlir(path, &other));
        assert_same_graph(generic.graph, other.graph, path);
        assert_int_equal(generic.graph->version[1], other.graph->version[1]);
        assert_int_equal(generic.graph->draft, other.graph->draft);
        close_mlir(&other);
        free(path);
    }
    close_mlir(&generic);
    free(stem);
}

static void test_small_name(const char *root, const char *folder, const char *name)
{
    test_one_name(root, folder, name, "tosa/valid");
}

static void test_forms(void **state)
{
    (void)state;
    for_each_file(MLIA_TEST_DATA, "mlir/valid", ".generic.mlir", test_small_name);
    if (getenv("MLIA_FIXTURES") != NULL)
        for_each_file(getenv("MLIA_FIXTURES"), "tosa/mlir", ".generic.mlir", test_small_name);
}

static void test_readable(const char *root, const char *folder, const char *name)
{
    mlir_file item;
    char *path = path_of(root, folder, name, "");
    assert_ok(read_mlir(path, &item));
    assert_true(item.graph->operator_count > 0);
    close_mlir(&item);
    free(path);
}

static void test_converter_inputs(void **state)
{
    (void)state;
    for_each_file(MLIA_TEST_DATA, "vgf", ".tosa.mlir", test_readable);
    if (getenv("MLIA_FIXTURES") != NULL)
        for_each_file(getenv("MLIA_FIXTURES"), "vgf", ".tosa.mlir", test_readable);
}

/* A module of the TFLite converter: results are numbered, so that ids are positions too, and operators have
 * labels. */
static void test_model(const char *root, const char *folder, const char *name)
{
    mlir_file text;
    char *path = path_of(root, folder, name, "");
    assert_ok(read_mlir(path, &text));
    uint32_t labels = 0;
    for (uint32_t i = 0; i < text.graph->operator_count; i++) {
        char number[16];
        const mlia_source *source = &text.graph->sources[text.graph->operators[i].source];
        snprintf(number, sizeof number, "%u", i);
        assert_true(mlia_str_equal_c(source->id, number));
        labels += source->label.size > 0;
    }
    assert_true(labels * 2 > text.graph->operator_count);
    close_mlir(&text);
    free(path);
}

static void test_models(void **state)
{
    (void)state;
    const char *root = getenv("MLIA_FIXTURES");
    if (root == NULL)
        skip();
    for_each_file(root, "models", ".tosamlir", test_model);
    for_each_file(root, "calibration", ".tosamlir", test_model);
}

/* All forms of locations, in text and bytecode: labels of the operators in order. */
static void test_labels(void **state)
{
    (void)state;
    static const char *const labels[] = {
        "plain/layer name", "block/conv", "block/conv", "",        "a;b", "a;b", "callee", "", "",
        "aten_add_tensor",  "add_7",      "quo\"te\\d", "naïve ✓", ""};
    static const char *const endings[] = {".mlir", ".mlirbc"};
    for (int k = 0; k < 2; k++) {
        mlir_file item;
        char *path = path_of(MLIA_TEST_DATA, "mlir/valid", "loc_forms", endings[k]);
        assert_ok(read_mlir(path, &item));
        for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
            assert_true(mlia_str_equal_c(item.graph->sources[i].label, labels[i]));
        assert_str(item.graph->sources[3].file, "file.mlir");
        assert_int_equal(item.graph->sources[3].line, 12);
        assert_int_equal(item.graph->sources[3].column, 7);
        assert_int_equal(item.graph->sources[7].file.size, 0);
        close_mlir(&item);
        free(path);
    }
}

/* "shape" → E_MLIR_SHAPE or E_MLIRBC_SHAPE. */
static void expect_kind(const char *path, const char *name, const char *kind)
{
    mlir_file item;
    mlia_status *status = read_mlir(path, &item);
    if (strcmp(name, "mlir_foreign_op.mlir") == 0) { /* the reader keeps it: what cannot use it refuses */
        assert_ok(status);
        close_mlir(&item);
        return;
    }
    assert_non_null(status);
    char expected[64];
    int used = snprintf(expected, sizeof expected, "E_%s_", name[0] == 'b' ? "MLIRBC" : "MLIR");
    for (const char *p = kind; *p != '\t' && *p != '\n'; p++)
        expected[used++] = (char)toupper((unsigned char)*p);
    expected[used] = '\0';
    if (strcmp(mlia_kind_name(mlia_status_kind(status)), expected) != 0)
        print_error("%s: %.*s\n", name, MLIA_STR_ARG(mlia_status_message(status)));
    assert_string_equal(mlia_kind_name(mlia_status_kind(status)), expected);
    assert_true(mlia_status_line(status) > 0 || mlia_status_offset(status) != MLIA_NO_OFFSET);
    mlia_status_free(status);
    close_mlir(&item);
}

static void test_malformed(void **state)
{
    (void)state;
    FILE *table = fopen(MLIA_TEST_DATA "/mlir/malformed/expected.tsv", "r");
    assert_non_null(table);
    char line[512];
    int tested = 0;
    while (fgets(line, sizeof line, table) != NULL) {
        char *tab = strchr(line, '\t');
        if (tab == NULL || (strncmp(line, "mlir_", 5) != 0 && strncmp(line, "bc_", 3) != 0))
            continue;
        *tab = '\0';
        char *path = path_of(MLIA_TEST_DATA, "mlir/malformed", line, "");
        expect_kind(path, line, tab + 1);
        free(path);
        tested++;
    }
    fclose(table);
    assert_int_equal(tested, 32);
}

/* Any damage gives a graph or an error, never a crash or a leak: meant for the sanitizers. */
static void try_bytes(mlia_bytes bytes)
{
    mlir_file item;
    mlia_status *status = read_bytes(bytes, &item);
    assert_true((status == NULL) == (item.graph != NULL));
    mlia_status_free(status);
    close_mlir(&item);
}

static void damage(const char *root, const char *folder, const char *name)
{
    mlia_file *file;
    char *path = path_of(root, folder, name, "");
    assert_ok(mlia_file_read(path, 1 << 20, &file));
    mlia_bytes bytes = mlia_file_bytes(file);
    for (size_t size = 0; size < bytes.size; size += 1 + bytes.size / 600) {
        uint8_t *copy = malloc(size + 1); /* its own block, so that reading beyond is seen */
        assert_non_null(copy);
        memcpy(copy, bytes.data, size);
        try_bytes((mlia_bytes){copy, size});
        free(copy);
    }
    uint8_t *copy = malloc(bytes.size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes.data, bytes.size);
    for (size_t i = 0; i < bytes.size; i += 1 + bytes.size / 600) {
        static const uint8_t masks[] = {0x01, 0x80, 0xFF};
        for (size_t k = 0; k < sizeof masks; k++) {
            copy[i] = (uint8_t)(bytes.data[i] ^ masks[k]);
            try_bytes((mlia_bytes){copy, bytes.size});
        }
        copy[i] = bytes.data[i];
    }
    free(copy);
    mlia_file_free(file);
    free(path);
}

static void test_damage(void **state)
{
    (void)state;
    for_each_file(MLIA_TEST_DATA, "mlir/valid", ".mlirbc", damage);
    for_each_file(MLIA_TEST_DATA, "mlir/valid", ".generic.mlir", damage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),  cmocka_unit_test(test_converter_inputs), cmocka_unit_test(test_models),
        cmocka_unit_test(test_labels), cmocka_unit_test(test_malformed),        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
