/* Whole conversions: every model in every way of treating state gives a graph that TOSA accepts, malformed
 * models give their kind, damaged ones never crash, and what a graph says of its sources is right. */
#include "test_support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "convert/tflite_to_tosa/convert.h"
#include "convert/tflite_to_tosa/lower.h"
#include "graph/location.h"

typedef struct conversion {
    mlia_arena *arena;
    mlia_file *file;
    mlia_diagnostics diagnostics;
    mlia_graph *graph;
} conversion;

static mlia_status *convert_bytes(mlia_bytes bytes, const mlia_tflite_to_tosa_options *options, conversion *c)
{
    mlia_tflite *model;
    MLIA_TRY(mlia_tflite_read(bytes, NULL, NULL, c->arena, &c->diagnostics, &model));
    return mlia_tflite_to_tosa(model, MLIA_STR("m.tflite"), options, c->arena, &c->diagnostics, &c->graph);
}

static mlia_status *convert_file(const char *path, const mlia_tflite_to_tosa_options *options, conversion *c)
{
    *c = (conversion){.arena = mlia_arena_new(0)};
    assert_non_null(c->arena);
    c->diagnostics.arena = c->arena;
    MLIA_TRY(mlia_file_open(path, &c->file));
    return convert_bytes(mlia_file_bytes(c->file), options, c);
}

static void model_path(char path[512], const char *name)
{
    snprintf(path, 512, "%s/tflite/models/%s.tflite", MLIA_TEST_DATA, name);
}

static void convert_model(const char *name, const mlia_tflite_to_tosa_options *options, conversion *c)
{
    char path[512];
    model_path(path, name);
    assert_ok(convert_file(path, options, c));
}

static void finish(conversion *c)
{
    mlia_file_free(c->file);
    mlia_arena_free(c->arena);
}

static unsigned count_operators(const mlia_graph *graph, mlia_op op)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < graph->operator_count; i++)
        count += graph->operators[i].op == op;
    return count;
}

/* ---- all models ---- */

/* VARIABLE on INT16 has no row in TOSA 1.0, but the public reference model runs it. */
static void check_findings(const conversion *c, const char *name)
{
    mlia_findings findings = {0};
    assert_ok(mlia_graph_verify(c->graph, c->arena, &findings));
    for (size_t i = 0; i < findings.count; i++) {
        uint32_t op = findings.items[i].op == MLIA_NONE ? (uint32_t)MLIA_OP_FOREIGN
                                                        : c->graph->operators[findings.items[i].op].op;
        bool expected = op == MLIA_OP_VARIABLE_READ || op == MLIA_OP_VARIABLE_WRITE;
        if (!expected)
            print_error("%s: %.*s\n", name, MLIA_STR_ARG(findings.items[i].text));
        assert_true(expected);
    }
}

/* Calls `visit` for every model of the data folder; their number. */
static unsigned for_each_in(const char *folder, void (*visit)(const char *path, const char *name))
{
    char where[512];
    unsigned count = 0;
    snprintf(where, sizeof where, "%s/tflite/%s", MLIA_TEST_DATA, folder);
    DIR *directory = opendir(where);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char path[1024];
        if (!mlia_str_ends_with(mlia_str_from_c(entry->d_name), MLIA_STR(".tflite")))
            continue;
        snprintf(path, sizeof path, "%s/%s", where, entry->d_name);
        visit(path, entry->d_name);
        count++;
    }
    closedir(directory);
    return count;
}

static unsigned for_each_model(void (*visit)(const char *path, const char *name))
{
    return for_each_in("models", visit);
}

static void check_model(const char *path, const char *name)
{
    for (unsigned state = 0; state < 3; state++)
        for (unsigned rounding = 0; rounding < 3; rounding++) {
            mlia_tflite_to_tosa_options options = {.state = (mlia_tflite_state)state,
                                                   .rounding = (mlia_tflite_rounding)rounding,
                                                   .keep_control_flow = state == 0};
            conversion c;
            assert_ok(convert_file(path, &options, &c));
            check_findings(&c, name);
            /* Only a custom operator, and a loop that nothing can unroll, may stay as they are. */
            bool may_stay =
                strcmp(name, "custom_op.tflite") == 0 || (strcmp(name, "while_op.tflite") == 0 && state != 0);
            assert_int_equal(count_operators(c.graph, MLIA_OP_CUSTOM), may_stay ? 1 : 0);
            finish(&c);
        }
}

static void every_model_becomes_valid_tosa(void **state)
{
    (void)state;
    assert_int_equal(for_each_model(check_model), 97);
    assert_true(for_each_in("mended", check_model) >= 25);
}

static void every_operator_has_its_source(const char *path, const char *name)
{
    (void)name;
    conversion c;
    mlia_tflite_to_tosa_options options = {0};
    assert_ok(convert_file(path, &options, &c));
    for (uint32_t i = 0; i < c.graph->operator_count; i++) {
        const mlia_operator *op = &c.graph->operators[i];
        /* An IDENTITY brings an input or a constant to an output: no operator of the model does that. */
        bool constant =
            op->op == MLIA_OP_CONST || op->op == MLIA_OP_CONST_SHAPE || op->op == MLIA_OP_IDENTITY;
        assert_true(constant || op->source != MLIA_NONE);
        if (op->source == MLIA_NONE)
            continue;
        const mlia_source *source = &c.graph->sources[op->source];
        mlia_source decoded = {0};
        assert_true(source->id.size > 0 && source->type.size > 0);
        assert_ok(mlia_location_decode(c.arena, source->location, &decoded));
        assert_true(mlia_str_equal(decoded.origin, source->id));
        assert_true(mlia_str_equal(decoded.operator_name, source->type));
    }
    finish(&c);
}

static void sources_survive_in_locations(void **state)
{
    (void)state;
    assert_int_equal(for_each_model(every_operator_has_its_source), 97);
}

/* ---- single promises ---- */

static void state_is_variable_input_or_nothing(void **state)
{
    (void)state;
    conversion c;
    mlia_tflite_to_tosa_options options = {.state = MLIA_TFLITE_STATE_VARIABLE};
    convert_model("lstm_i8", &options, &c);
    assert_int_equal(c.graph->variable_count, 2);
    assert_int_equal(count_operators(c.graph, MLIA_OP_VARIABLE_READ), 2);
    assert_int_equal(count_operators(c.graph, MLIA_OP_VARIABLE_WRITE), 2);
    /* Bytes start at the zero point, which is 3. */
    assert_int_equal(c.graph->variables[0].initial->bytes.data[0], 3);
    finish(&c);
    options.state = MLIA_TFLITE_STATE_IO;
    convert_model("lstm_i8", &options, &c);
    const mlia_block *block = mlia_graph_main(c.graph);
    assert_int_equal(block->input_count, 3);
    assert_int_equal(block->output_count, 3);
    assert_str(c.graph->values[block->inputs[1]].name, "h");
    assert_str(c.graph->values[block->outputs[1]].name, "h_next");
    assert_str(c.graph->values[block->outputs[2]].name, "c_next");
    finish(&c);
    options.state = MLIA_TFLITE_STATE_ZERO;
    convert_model("lstm_i8", &options, &c);
    assert_int_equal(mlia_graph_main(c.graph)->input_count, 1);
    assert_int_equal(c.graph->variable_count, 0);
    assert_int_equal(c.diagnostics.count, 2); /* not carried between runs */
    finish(&c);
}

static void control_flow_is_kept_only_where_wanted(void **state)
{
    (void)state;
    conversion c;
    mlia_tflite_to_tosa_options keep = {.keep_control_flow = true};
    mlia_tflite_to_tosa_options inline_it = {.state = MLIA_TFLITE_STATE_IO};
    convert_model("if_op", &keep, &c);
    assert_int_equal(count_operators(c.graph, MLIA_OP_COND_IF), 1);
    assert_int_equal(c.graph->region_count, 3);
    finish(&c);
    convert_model("if_op", &inline_it, &c);
    assert_int_equal(count_operators(c.graph, MLIA_OP_COND_IF), 0);
    assert_int_equal(count_operators(c.graph, MLIA_OP_SELECT), 1);
    assert_int_equal(c.graph->region_count, 1);
    finish(&c);
    convert_model("while_op", &keep, &c);
    assert_int_equal(count_operators(c.graph, MLIA_OP_WHILE_LOOP), 1);
    finish(&c);
}

static void rounding_option_is_alive(void **state)
{
    (void)state;
    static const uint32_t expected[3] = {MLIA_ROUNDING_SINGLE_ROUND, MLIA_ROUNDING_SINGLE_ROUND,
                                         MLIA_ROUNDING_DOUBLE_ROUND};
    for (unsigned rounding = 0; rounding < 3; rounding++) {
        conversion c;
        mlia_tflite_to_tosa_options options = {.rounding = (mlia_tflite_rounding)rounding};
        convert_model("fc_i8_relu", &options, &c);
        unsigned count = 0;
        for (uint32_t i = 0; i < c.graph->operator_count; i++)
            if (c.graph->operators[i].op == MLIA_OP_RESCALE) {
                assert_int_equal(c.graph->operators[i].attributes->rounding_mode, expected[rounding]);
                count++;
            }
        assert_int_equal(count, 1);
        finish(&c);
    }
}

static void shapes_fold_away(void **state)
{
    (void)state;
    conversion c;
    mlia_tflite_to_tosa_options options = {0};
    convert_model("fc_sparse_weights", &options, &c);
    assert_int_equal(count_operators(c.graph, MLIA_OP_CAST), 0);
    finish(&c);
    convert_model("fc_f16_weights", &options, &c);
    assert_int_equal(count_operators(c.graph, MLIA_OP_CAST), 0);
    finish(&c);
}

/* ---- broken models ---- */

static void malformed_models_give_their_kind(void **state)
{
    (void)state;
    FILE *list = fopen(MLIA_TEST_DATA "/tflite/malformed/expected.tsv", "r");
    assert_non_null(list);
    char name[128];
    char kind[64];
    unsigned count = 0;
    while (fscanf(list, "%127s %63s", name, kind) == 2) {
        char path[512];
        conversion c;
        mlia_tflite_to_tosa_options options = {0};
        snprintf(path, sizeof path, "%s/tflite/malformed/%s", MLIA_TEST_DATA, name);
        mlia_status *status = convert_file(path, &options, &c);
        assert_non_null(status);
        assert_string_equal(mlia_kind_name(mlia_status_kind(status)), kind);
        mlia_status_free(status);
        finish(&c);
        count++;
    }
    fclose(list);
    assert_int_equal(count, 17);
}

/* MLIA_BIT_FLIPS: damaged copies of each model; a long run takes 10000. */
static unsigned rounds(void)
{
    const char *text = getenv("MLIA_BIT_FLIPS");
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : 60;
}

static void damage(const char *path, const char *name)
{
    uint32_t random = 1;
    mlia_file *file = NULL;
    assert_ok(mlia_file_open(path, &file));
    mlia_bytes whole = mlia_file_bytes(file);
    uint8_t *copy = malloc(whole.size);
    assert_non_null(copy);
    for (size_t i = 0; name[i] != '\0'; i++)
        random = random * 31u + (uint8_t)name[i];
    for (unsigned round = 0; round < rounds(); round++) {
        memcpy(copy, whole.data, whole.size);
        for (unsigned flips = 0; flips < 1 + round % 3; flips++) {
            random = random * 1664525u + 1013904223u;
            copy[(random >> 3) % whole.size] ^= (uint8_t)(1u << (random >> 29));
        }
        conversion c = {.arena = mlia_arena_new(0)};
        c.diagnostics.arena = c.arena;
        mlia_tflite_to_tosa_options options = {.state = (mlia_tflite_state)(round % 3),
                                               .keep_control_flow = round % 2 == 0};
        mlia_status *status = convert_bytes((mlia_bytes){copy, whole.size}, &options, &c);
        if (status == NULL) {
            mlia_findings findings = {.limit = 10};
            assert_ok(mlia_graph_verify(c.graph, c.arena, &findings));
        }
        mlia_status_free(status);
        mlia_arena_free(c.arena);
    }
    free(copy);
    mlia_file_free(file);
}

static void damaged_models_never_crash(void **state)
{
    (void)state;
    assert_int_equal(for_each_model(damage), 97);
}

/* Converted or refused, but without a step that C does not define: the sanitizers watch. */
static void check_crashed(const char *path, const char *name)
{
    (void)name;
    conversion c;
    mlia_tflite_to_tosa_options options = {0};
    mlia_status_free(convert_file(path, &options, &c));
    finish(&c);
}

static void what_once_crashed_does_not(void **state)
{
    (void)state;
    assert_true(for_each_in("crashed", check_crashed) >= 2);
}

/* Each builtin of the schema is lowered, or says why it is not. */
static void test_every_builtin_has_a_row(void **unused)
{
    (void)unused;
    unsigned lowered = 0;
    for (uint32_t op = 0; op < MLIA_TFLITE_OP_LIMIT; op++) {
        const rule_row *row = mlia_lower_rule(op);
        assert_true(mlia_tflite_op_name(op).size > 0 || op == MLIA_TFLITE_OP_UNKNOWN);
        assert_true((row->rule == NULL) == (row->refusal != NULL));
        if (row->refusal != NULL)
            assert_int_equal(mlia_kind_class(row->refusal_kind), MLIA_CLASS_UNSUPPORTED);
        lowered += row->rule != NULL;
    }
    assert_int_equal(lowered, 141);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_builtin_has_a_row),
        cmocka_unit_test(every_model_becomes_valid_tosa),
        cmocka_unit_test(sources_survive_in_locations),
        cmocka_unit_test(state_is_variable_input_or_nothing),
        cmocka_unit_test(control_flow_is_kept_only_where_wanted),
        cmocka_unit_test(rounding_option_is_alive),
        cmocka_unit_test(shapes_fold_away),
        cmocka_unit_test(malformed_models_give_their_kind),
        cmocka_unit_test(damaged_models_never_crash),
        cmocka_unit_test(what_once_crashed_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
