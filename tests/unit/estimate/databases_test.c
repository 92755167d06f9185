/* The databases: what is written can be read back with the same figures; broken ones are refused by file,
 * table and row; a program of the user's is run and its files are read. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "estimate/databases.h"
#include "estimate/program.h"
#include "estimate/random_graph.h"

/* A VGF-like graph: every operator has a source with a SPIR-V id. */
static mlia_graph *spirv_graph(mlia_arena *arena, uint64_t seed)
{
    mlia_graph *graph = make_random_graph(arena, seed, 40, 1, false);
    graph->format = MLIA_SOURCE_SPIRV;
    for (uint32_t i = 0; i < graph->operator_count; i++)
        graph->operators[i].source = mlia_graph_add_source(
            graph, (mlia_source){.id = mlia_arena_format(arena, "segment_0/spirv-%u", 100 + i)});
    return graph;
}

static void written_databases_are_read_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        mlia_arena *arena = mlia_arena_new(0);
        mlia_graph *graph = spirv_graph(arena, seed);
        mlia_estimate_config config;
        mlia_config_default(&config);
        config.cascade_enable = seed % 2 == 0;
        mlia_estimate_input input = {.graph = graph};
        mlia_estimate *estimate = NULL;
        assert_ok(mlia_estimate_run(&input, 1, &config, arena, NULL, &estimate));
        const mlia_estimate_segment *s = &estimate->segments[0];
        mlia_buffer performance = {0};
        mlia_buffer debug = {0};
        mlia_performance_database_write(s, &performance);
        mlia_debug_database_write(s, &debug);
        mlia_database_file files[] = {{MLIA_STR("p.dat"), mlia_buffer_str(&performance)},
                                      {MLIA_STR("d.dat"), mlia_buffer_str(&debug)}};
        mlia_estimate_segment copy = {.graph = graph};
        mlia_diagnostics diagnostics = {.arena = arena};
        assert_ok(mlia_databases_read(&files[0], &files[1], arena, &diagnostics, &copy));
        assert_int_equal(diagnostics.count, 0);
        assert_int_equal(copy.chain_count, s->chain_count);
        assert_int_equal(copy.cascade_count, s->cascade_count);
        assert_int_equal(copy.stripe_count, s->stripe_count);
        assert_memory_equal(&copy.cost, &s->cost, sizeof copy.cost);
        for (uint32_t c = 0; c < s->chain_count; c++) {
            assert_memory_equal(&copy.chains[c].cost, &s->chains[c].cost, sizeof copy.cost);
            assert_int_equal(copy.chains[c].id, s->chains[c].id);
            assert_int_equal(copy.chains[c].bound, s->chains[c].bound);
            assert_int_equal(copy.chains[c].group_count, s->chains[c].group_count);
            assert_int_equal(copy.chains[c].operator_count, s->chains[c].operator_count);
            assert_memory_equal(copy.chains[c].operators, s->chains[c].operators,
                                s->chains[c].operator_count * sizeof(uint32_t));
        }
        mlia_buffer_free(&performance);
        mlia_buffer_free(&debug);
        mlia_arena_free(arena);
    }
}

#define PERFORMANCE_HEAD                                                                                     \
    "<performance_database>\n<table name=\"performance\">\n<![CDATA[\n\"id\", \"opCycles\", "                \
    "\"totalCycles\", "                                                                                      \
    "\"memoryName;readBytes;writeBytes;trafficCycles\", \"sectionName;cycles\"\n"
#define TAIL              "]]>\n</table>\n"
#define TABLE(name, rows) "<table name=\"" name "\">\n<![CDATA[\n\"id\", \"x\"\n" rows TAIL
#define GOOD_ROW          "7, 10, 20, Internal;0;0;0;DRAM;64;32;2;, VectorEngine;10;\n"
#define GOOD_DEBUG                                                                                           \
    TABLE("tosa_op_id", "1, Abs, a/b;\n")                                                                    \
    TABLE("fused_op_id", "2, 1;\n") TABLE("chain_op_id", "3, 2;\n") TABLE("stripe_op_id", "7, 3, 4\n")

static mlia_status *read_texts(const char *performance, const char *debug, mlia_arena *arena,
                               mlia_estimate_segment *segment, mlia_diagnostics *diagnostics)
{
    mlia_database_file files[] = {{MLIA_STR("p.dat"), mlia_str_from_c(performance)},
                                  {MLIA_STR("d.dat"), mlia_str_from_c(debug)}};
    mlia_graph *graph = mlia_graph_new(arena, MLIA_SOURCE_SPIRV);
    *segment = (mlia_estimate_segment){.graph = graph};
    return mlia_databases_read(&files[0], &files[1], arena, diagnostics, segment);
}

static void broken_databases_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *performance, *debug, *file, *place, *word;
    } cases[] = {
        {"", GOOD_DEBUG, "p.dat", "", "no table performance"},
        {"<table name=\"performance\">\n<![CDATA[\n", GOOD_DEBUG, "p.dat", "", "no body"},
        {"<table name=\"performance\">\n<![CDATA[\n" TAIL, GOOD_DEBUG, "p.dat", "table performance, row 0",
         "columns"},
        {PERFORMANCE_HEAD "7, x, 20, DRAM;1;1;1;, \n" TAIL, GOOD_DEBUG, "p.dat", "table performance, row 1",
         "whole number"},
        {PERFORMANCE_HEAD "7, 1.5, 20, , \n" TAIL, GOOD_DEBUG, "p.dat", "table performance, row 1",
         "whole number"},
        {PERFORMANCE_HEAD "7, 10, -20, , \n" TAIL, GOOD_DEBUG, "p.dat", "table performance, row 1",
         "between"},
        {PERFORMANCE_HEAD "7, 10, 20, DRAM;1;1;, \n" TAIL, GOOD_DEBUG, "p.dat", "table performance, row 1",
         "whole number"},
        {PERFORMANCE_HEAD "7, 10, 20, , VectorEngine;-1;\n" TAIL, GOOD_DEBUG, "p.dat",
         "table performance, row 1", "between"},
        {PERFORMANCE_HEAD GOOD_ROW GOOD_ROW TAIL, GOOD_DEBUG, "p.dat", "table performance, row 2", "already"},
        {PERFORMANCE_HEAD GOOD_ROW "8, 1, 1, , \n" TAIL, GOOD_DEBUG, "p.dat", "table performance, row 2",
         "stripe_op_id has no row 8"},
        {PERFORMANCE_HEAD GOOD_ROW TAIL,
         TABLE("tosa_op_id", "") TABLE("fused_op_id", "") TABLE("chain_op_id", ""), "d.dat", "",
         "no table stripe_op_id"},
        {PERFORMANCE_HEAD GOOD_ROW TAIL,
         TABLE("tosa_op_id", "") TABLE("fused_op_id", "") TABLE("chain_op_id", "")
             TABLE("stripe_op_id", "7, 3, 4\n"),
         "d.dat", "table stripe_op_id, row 1", "chain_op_id has no row 3"},
        {PERFORMANCE_HEAD GOOD_ROW TAIL,
         TABLE("tosa_op_id", "") TABLE("fused_op_id", "") TABLE("chain_op_id", "3, 2;\n")
             TABLE("stripe_op_id", "7, 3, 4\n"),
         "d.dat", "table chain_op_id, row 1", "fused_op_id has no row 2"},
        {PERFORMANCE_HEAD GOOD_ROW TAIL,
         TABLE("tosa_op_id", "") TABLE("fused_op_id", "2, 1;\n") TABLE("chain_op_id", "3, 2;\n")
             TABLE("stripe_op_id", "7, 3, 4\n"),
         "d.dat", "table fused_op_id, row 1", "tosa_op_id has no row 1"},
        {PERFORMANCE_HEAD GOOD_ROW TAIL, GOOD_DEBUG TABLE("x", ""), NULL, NULL, NULL}, /* good */
        {PERFORMANCE_HEAD GOOD_ROW "8, 1, 1, , \n" TAIL,
         TABLE("tosa_op_id", "") TABLE("fused_op_id", "") TABLE("chain_op_id", "3, \n")
             TABLE("stripe_op_id", "7, 3, 4\n8, 3, 5\n"),
         "d.dat", "table chain_op_id, row 1", "two cascades"},
        {PERFORMANCE_HEAD GOOD_ROW TAIL,
         TABLE("tosa_op_id", "") TABLE("fused_op_id", "") TABLE("chain_op_id", "3, \n")
             TABLE("stripe_op_id", "7, 3;3;, 4\n"),
         "d.dat", "table stripe_op_id, row 1", "more than one"},
        {PERFORMANCE_HEAD GOOD_ROW TAIL,
         TABLE("tosa_op_id", "") TABLE("fused_op_id", "") TABLE("chain_op_id", "3, \n")
             TABLE("stripe_op_id", "7, 3, 4\n9, 3, 4\n"),
         "d.dat", "table stripe_op_id, row 2", "no row in p.dat"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mlia_arena *arena = mlia_arena_new(0);
        mlia_estimate_segment segment;
        mlia_status *status = read_texts(cases[i].performance, cases[i].debug, arena, &segment, NULL);
        if (cases[i].word == NULL) {
            assert_null(status);
            assert_int_equal(segment.cost.total_cycles, 20);
            assert_int_equal(segment.cost.memories[MLIA_MEMORY_DRAM].read_bytes, 64);
        } else {
            assert_non_null(status);
            assert_int_equal(mlia_status_kind(status), MLIA_E_ESTIMATOR_PROGRAM);
            mlia_str message = mlia_status_message(status);
            assert_non_null(memmem(message.data, message.size, cases[i].word, strlen(cases[i].word)));
            assert_true(mlia_str_equal_c(mlia_status_path_text(status), cases[i].file));
            assert_true(mlia_str_equal_c(mlia_status_member(status), cases[i].place));
        }
        mlia_status_free(status);
        mlia_arena_free(arena);
    }
}

static void unknown_names_are_left_out_with_a_warning(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_estimate_segment segment;
    assert_ok(read_texts(PERFORMANCE_HEAD "7, 10, 20, Tape;1;2;3;DRAM;4;5;6;, Mill;1;VectorEngine;10;\n" TAIL,
                         GOOD_DEBUG, arena, &segment, &diagnostics));
    assert_int_equal(diagnostics.count, 2);
    assert_int_equal(segment.cost.memories[MLIA_MEMORY_DRAM].cycles, 6);
    assert_int_equal(segment.cost.sections[MLIA_SECTION_VECTOR_ENGINE], 10);
    assert_ok(
        read_texts(PERFORMANCE_HEAD TAIL, GOOD_DEBUG, arena, &segment, &diagnostics)); /* no figures at all */
    assert_int_equal(segment.chain_count, 0);
    mlia_arena_free(arena);
}

static void summaries(void **state)
{
    (void)state;
    mlia_summary summary;
    static const char good[] = "{\"compiled_size\": {\"value\": 5, \"unit\": \"bytes\"}, "
                               "\"network_performance\": {\"total_cycles\": {\"value\": "
                               "0}, \"infs_per_sec\": {\"value\": null}, \"inference_time\": {\"value\": 2, "
                               "\"unit\": \"us\"}, \"dram\": "
                               "{\"cycles\": {\"value\": 7}}}}";
    assert_ok(mlia_summary_read(MLIA_STR("s"), MLIA_STR(good), &summary));
    assert_true(summary.available[MLIA_SUMMARY_COMPILED_SIZE] &&
                summary.values[MLIA_SUMMARY_COMPILED_SIZE] == 5);
    assert_true(summary.available[MLIA_SUMMARY_TOTAL_CYCLES]);
    assert_false(summary.available[MLIA_SUMMARY_INFERENCES_PER_SECOND]);
    assert_false(summary.available[MLIA_SUMMARY_CACHE_CYCLES]);
    assert_true(summary.values[MLIA_SUMMARY_INFERENCE_TIME] == 2e-3);
    assert_true(summary.values[MLIA_SUMMARY_DRAM_CYCLES] == 7);
    static const char *const broken[] = {
        "",
        "{",
        "[]",
        "{}",
        "{\"network_performance\": 5}",
        "{\"network_performance\": {\"total_cycles\": {\"value\": \"5\"}}}",
        "{\"network_performance\": {\"total_cycles\": {\"value\": -5}}}",
        "{\"network_performance\": {\"total_cycles\": {}}}",
        "{\"network_performance\": {\"inference_time\": {\"value\": 5, \"unit\": \"hours\"}}}",
        "{\"network_performance\": {}, \"network_performance\": {}}"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++)
        assert_kind(mlia_summary_read(MLIA_STR("s"), mlia_str_from_c(broken[i]), &summary),
                    MLIA_E_ESTIMATOR_PROGRAM);
}

/* ---- a small program ---- */

typedef struct script_test {
    char folder[64];
    char path[96];
} script_test;

static void write_script(script_test *t, const char *text)
{
    assert_ok(mlia_file_write(t->path, (mlia_bytes){(const uint8_t *)text, strlen(text)}));
    assert_int_equal(chmod(t->path, 0700), 0);
}

static mlia_status *run_script(const script_test *t, mlia_arena *arena, unsigned seconds,
                               bool (*cancelled)(void), mlia_estimate_segment *segment, mlia_summary *summary)
{
    mlia_program_run run = {.program = t->path,
                            .stem = MLIA_STR("net"),
                            .vgf = {(const uint8_t *)"VGF", 3},
                            .seconds = seconds,
                            .cancelled = cancelled};
    *segment = (mlia_estimate_segment){.graph = mlia_graph_new(arena, MLIA_SOURCE_SPIRV)};
    return mlia_program_estimate(&run, arena, NULL, segment, summary);
}

static bool always(void)
{
    return true;
}

static void programs_are_run(void **state)
{
    (void)state;
    script_test t = {.folder = "/tmp/mlia-script-XXXXXX"};
    assert_non_null(mkdtemp(t.folder));
    snprintf(t.path, sizeof t.path, "%s/estimator.sh", t.folder);
    assert_int_equal(setenv("TMPDIR", t.folder, 1), 0);
    mlia_arena *arena = mlia_arena_new(0);
    mlia_estimate_segment segment;
    mlia_summary summary;
    write_script(&t,
                 "#!/bin/sh\n"
                 "test \"$1 $2 $3 $4\" = '-i net.vgf -o net' || exit 9\n"
                 "test \"$(cat net.vgf)\" = VGF || exit 8\n"
                 "echo noise; echo noise >&2\n"
                 "cat > $4_network_performance_summary.json <<X\n"
                 "{\"network_performance\": {\"total_cycles\": {\"value\": 20, \"unit\": \"cycles\"}}}\nX\n"
                 "cat > $4_performance_database.dat <<X\n" PERFORMANCE_HEAD GOOD_ROW TAIL "X\n"
                 "cat > $4_debug_database.dat <<X\n" GOOD_DEBUG "X\n");
    assert_ok(run_script(&t, arena, 20, NULL, &segment, &summary));
    assert_int_equal(segment.cost.total_cycles, 20);
    assert_true(summary.values[MLIA_SUMMARY_TOTAL_CYCLES] == 20);

    static const struct {
        const char *text, *word;
    } cases[] = {
        {"#!/bin/sh\necho first; echo 'licence expired' >&2; exit 3\n", "status 3; it says: licence expired"},
        {"#!/bin/sh\nkill -9 $$\n", "signal 9"},
        {"#!/bin/sh\nexit 0\n", "has not written net_network_performance_summary.json"},
        {"#!/bin/sh\nsleep 60\n", "did not end within 1 seconds"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_script(&t, cases[i].text);
        mlia_status *status = run_script(&t, arena, 1, NULL, &segment, &summary);
        assert_non_null(status);
        assert_int_equal(mlia_status_kind(status), MLIA_E_ESTIMATOR_PROGRAM);
        mlia_str message = mlia_status_message(status);
        assert_non_null(memmem(message.data, message.size, cases[i].word, strlen(cases[i].word)));
        mlia_status_free(status);
    }
    assert_kind(run_script(&t, arena, 60, always, &segment, &summary), MLIA_E_TIMEOUT);
    assert_int_equal(chmod(t.path, 0600), 0);
    assert_kind(run_script(&t, arena, 1, NULL, &segment, &summary), MLIA_E_ESTIMATOR_PROGRAM);
    assert_int_equal(unlink(t.path), 0);
    assert_kind(run_script(&t, arena, 1, NULL, &segment, &summary), MLIA_E_ESTIMATOR_PROGRAM);
    assert_int_equal(rmdir(t.folder), 0); /* nothing is left behind */
    mlia_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_databases_are_read_back),
        cmocka_unit_test(broken_databases_are_refused),
        cmocka_unit_test(unknown_names_are_left_out_with_a_warning),
        cmocka_unit_test(summaries),
        cmocka_unit_test(programs_are_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
