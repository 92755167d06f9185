/* Shape inference, the verifier, unknown dimensions and work counts on whole files: every fixture that the
 * public tools made carries the shapes that they inferred. */
#include "graph/analyse.h"

#include <jansson.h>

#include "graph/build.h"
#include "tosa_files.h"

/* --- shapes: forget everything that can be inferred, infer it again --- */

/* True for values whose shape only the file knows. */
static bool is_given(const mlia_graph *graph, const mlia_graph_value *value)
{
    if (value->producer == MLIA_NONE || value->variable != MLIA_NONE)
        return true;
    switch (graph->operators[value->producer].op) {
    case MLIA_OP_CONST:
    case MLIA_OP_CONST_SHAPE:
    case MLIA_OP_CUSTOM:
        return true;
    default:
        return false;
    }
}

static void forget_shapes(mlia_graph *graph)
{
    for (uint32_t i = 0; i < graph->value_count; i++) {
        mlia_graph_value *value = &graph->values[i];
        if (is_given(graph, value))
            continue;
        if (value->kind == MLIA_KIND_SHAPE) {
            value->shape_values = NULL;
        } else {
            value->unranked = true;
            value->rank = 0;
            value->dims = NULL;
        }
    }
}

static void same_shapes(const char *path, const mlia_graph *a, const mlia_graph *b)
{
    for (uint32_t i = 0; i < a->value_count; i++) {
        const mlia_graph_value *x = &a->values[i];
        const mlia_graph_value *y = &b->values[i];
        bool same = x->rank == y->rank && x->unranked == y->unranked;
        if (same && x->rank > 0 && x->kind == MLIA_KIND_TENSOR)
            same = memcmp(x->dims, y->dims, x->rank * sizeof *x->dims) == 0;
        if (same && x->shape_values != NULL && y->shape_values != NULL && x->rank > 0)
            same = memcmp(x->shape_values, y->shape_values, x->rank * sizeof *x->dims) == 0;
        if (!same)
            fail_msg("%s: value %.*s", path, MLIA_STR_ARG(x->name));
    }
}

static bool ends_with(const char *path, const char *end)
{
    return mlia_str_ends_with(mlia_str_from_c(path), mlia_str_from_c(end));
}

static void infer_again(const char *path)
{
    tosa_file stored;
    tosa_file inferred;
    if (ends_with(path, "/unranked.tosa") || ends_with(path, "/dyn_batch.tosa"))
        return;
    assert_ok(read_tosa(path, &stored));
    assert_ok(read_tosa(path, &inferred));
    forget_shapes(inferred.graph);
    mlia_status *status = mlia_graph_resolve_shapes(inferred.graph, NULL, 0, true, NULL);
    if (status != NULL)
        fail_msg("%s: %.*s", path, MLIA_STR_ARG(mlia_status_message(status)));
    same_shapes(path, stored.graph, inferred.graph);
    close_tosa(&stored);
    close_tosa(&inferred);
}

static void shapes_are_inferred(void **state)
{
    (void)state;
    for_each_tosa("valid", infer_again);
}

/* --- verifier --- */

static void verify_graph(const char *path, tosa_file *item)
{
    mlia_findings findings = {0};
    assert_ok(mlia_graph_verify(item->graph, item->arena, &findings));
    if (findings.count > 0)
        fail_msg("%s: %.*s", path, MLIA_STR_ARG(findings.items[0].text));
}

static void verify_valid(const char *path)
{
    tosa_file item;
    if (ends_with(path, "/unranked.tosa"))
        return;
    assert_ok(read_tosa(path, &item));
    assert_ok(mlia_graph_resolve_shapes(item.graph, NULL, 0, true, NULL));
    verify_graph(path, &item);
    close_tosa(&item);
}

static void valid_files_have_no_findings(void **state)
{
    (void)state;
    for_each_tosa("valid", verify_valid);
}

/* Files that only the verifier objects to, and what it says. */
static void broken_rules_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        mlia_rule rule;
        const char *text;
    } cases[] = {
        {"fb_add_int8", MLIA_RULE_TYPE,
         "ADD on INT8: no profile of TOSA has it; INT32, INT64, FP16, BF16, FP32 are possible"},
        {"fb_rank_7", MLIA_RULE_LEVEL, "CONST: rank 7 is above 6 (MAX_RANK of level 8K)"},
        {"fb_bad_result_shape", MLIA_RULE_SHAPE, "ADD: the result 's' is [2, 4], must be [2, 3]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tosa_file item;
        char path[512];
        mlia_findings findings = {0};
        snprintf(path, sizeof path, "%s/tosa/malformed/%s.tosa", MLIA_TEST_DATA, cases[i].file);
        assert_ok(read_tosa(path, &item));
        assert_ok(mlia_graph_verify(item.graph, item.arena, &findings));
        assert_true(findings.count > 0);
        assert_int_equal(findings.items[0].rule, cases[i].rule);
        if (!mlia_str_equal_c(findings.items[0].text, cases[i].text))
            fail_msg("%.*s", MLIA_STR_ARG(findings.items[0].text));
        close_tosa(&item);
    }
}

/* --- unknown dimensions --- */

static mlia_status *read_data(const char *name, tosa_file *item)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tosa/valid/%s.tosa", MLIA_TEST_DATA, name);
    return read_tosa(path, item);
}

static void check_batch(const char *shape_text, const char *expected_file)
{
    tosa_file item;
    tosa_file expected;
    mlia_input_shape shape;
    size_t count = shape_text != NULL ? 1 : 0;
    assert_ok(read_data("dyn_batch", &item));
    assert_ok(read_data(expected_file, &expected));
    if (shape_text != NULL)
        assert_ok(mlia_input_shape_parse(mlia_str_from_c(shape_text), &shape));
    assert_ok(mlia_graph_resolve_shapes(item.graph, &shape, count, true, &item.diagnostics));
    assert_int_equal(has_warning(&item, MLIA_W_TOSA_BATCH), shape_text == NULL);
    same_shapes(expected_file, expected.graph, item.graph);
    close_tosa(&item);
    close_tosa(&expected);
}

static void unknown_batches_are_resolved(void **state)
{
    (void)state;
    check_batch(NULL, "dyn_batch_as_1");
    check_batch("3x4", "dyn_batch_as_3");
    check_batch("0=3,4", "dyn_batch_as_3");
}

static void unknown_ranks_need_a_shape(void **state)
{
    (void)state;
    tosa_file item;
    assert_ok(read_data("unranked", &item));
    assert_kind(mlia_graph_resolve_shapes(item.graph, NULL, 0, true, NULL), MLIA_E_TOSA_SHAPE);
    mlia_input_shape shape = {.rank = 2, .dims = {2, 3}};
    mlia_findings findings = {0};
    assert_ok(mlia_graph_resolve_shapes(item.graph, &shape, 1, true, NULL));
    assert_ok(mlia_graph_verify(item.graph, item.arena, &findings));
    assert_int_equal(findings.count, 0);
    close_tosa(&item);
}

/* --- requirements --- */

static uint32_t extension_bits(const json_t *names)
{
    uint32_t bits = 0;
    size_t index;
    const json_t *name;
    json_array_foreach(names, index, name)
    {
        for (uint32_t e = 0; e < MLIA_EXTENSION_COUNT; e++)
            if (mlia_str_equal_c(mlia_extension_name((mlia_extension)e), json_string_value(name)))
                bits |= 1u << e;
    }
    return bits;
}

/* The files' makers name the extensions that each file is about: those, and no others unless types of the 1.1
 * draft bring them along. */
static void requirements_are_found(void **state)
{
    (void)state;
    const char *fixtures = getenv("MLIA_FIXTURES");
    if (fixtures == NULL) {
        print_message("skipped: MLIA_FIXTURES is not set\n");
        skip();
    }
    char path[512];
    snprintf(path, sizeof path, "%s/tosa/index.json", fixtures);
    json_t *index = json_load_file(path, 0, NULL);
    assert_true(json_array_size(index) > 100);
    for (size_t i = 0; i < json_array_size(index); i++) {
        const json_t *record = json_array_get(index, i);
        tosa_file item;
        snprintf(path, sizeof path, "%s/tosa/%s", fixtures,
                 json_string_value(json_object_get(record, "tosa")));
        assert_ok(read_tosa(path, &item));
        uint32_t expected = extension_bits(json_object_get(record, "extensions"));
        uint32_t found = mlia_graph_requirements(item.graph).extensions;
        bool newer = (expected >> MLIA_EXTENSION_MX_COMMON | expected >> MLIA_EXTENSION_MXFP_CONV) & 1;
        if ((found & expected) != expected || (found != expected && !newer))
            fail_msg("%s: extensions %x, expected %x", path, found, expected);
        close_tosa(&item);
    }
    json_decref(index);
}

/* --- work --- */

static uint64_t count_macs(const tosa_file *item)
{
    uint64_t macs = 0;
    mlia_work *works = MLIA_NEW_ARRAY(item->arena, mlia_work, item->graph->operator_count);
    assert_ok(mlia_graph_work(item->graph, item->arena, works));
    for (uint32_t o = 0; o < item->graph->operator_count; o++) {
        assert_true(works[o].known);
        macs += works[o].macs;
    }
    return macs;
}

static void work_is_counted(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint64_t macs;
    } cases[] = {
        {"conv2d_i8", 2592},          {"conv3d_i8", 864}, {"depthwise_conv2d_i8", 648},
        {"transpose_conv2d_i8", 648}, {"matmul_i8", 120}, {"tiny_int8_net", 14336},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tosa_file item;
        assert_ok(read_data(cases[i].file, &item));
        assert_int_equal(count_macs(&item), cases[i].macs);
        close_tosa(&item);
    }
}

/* Models of MLPerf Tiny, as the public converter made them. */
static void work_of_models_is_counted(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint64_t macs;
    } cases[] = {
        {"ad01_int8", 264192},
        {"kws_ref_model", 2656768},
        {"kws_ref_model_float32", 2656768},
        {"pretrainedResnet_quant", 12501632},
        {"pretrainedResnet", 12501632},
    };
    const char *fixtures = getenv("MLIA_FIXTURES");
    if (fixtures == NULL) {
        print_message("skipped: MLIA_FIXTURES is not set\n");
        skip();
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tosa_file item;
        char path[512];
        snprintf(path, sizeof path, "%s/models/%s.tosa", fixtures, cases[i].file);
        assert_ok(read_tosa(path, &item));
        assert_ok(mlia_graph_resolve_shapes(item.graph, NULL, 0, true, NULL));
        verify_graph(path, &item);
        assert_int_equal(count_macs(&item), cases[i].macs);
        close_tosa(&item);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_inferred),
        cmocka_unit_test(valid_files_have_no_findings),
        cmocka_unit_test(broken_rules_are_found),
        cmocka_unit_test(unknown_batches_are_resolved),
        cmocka_unit_test(unknown_ranks_need_a_shape),
        cmocka_unit_test(requirements_are_found),
        cmocka_unit_test(work_is_counted),
        cmocka_unit_test(work_of_models_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
