/* Properties of every estimate, on random graphs: sums, coverage, monotony, determinism, size. */
#include <stdlib.h>

#include "estimate/databases.h"
#include "estimate/estimate.h"
#include "estimate/random_graph.h"

enum { GRAPHS = 300, OPERATORS = 60 };

static mlia_estimate *run(mlia_arena *arena, const mlia_graph *graph, const mlia_estimate_config *config)
{
    mlia_estimate *estimate = NULL;
    mlia_estimate_input input = {.graph = graph};
    assert_ok(mlia_estimate_run(&input, 1, config, arena, NULL, &estimate));
    return estimate;
}

static void check_equal(const mlia_cost *a, const mlia_cost *b)
{
    assert_memory_equal(a, b, sizeof *a);
}

/* Sums agree at every level, and a stripe takes at least as long as each section and memory. */
static void check_sums(const mlia_estimate_segment *s)
{
    mlia_cost segment = {0};
    uint32_t stripe = 0;
    for (uint32_t c = 0; c < s->chain_count; c++) {
        mlia_cost sum = {0};
        assert_int_equal(s->chains[c].first_stripe, stripe);
        assert_true(s->chains[c].stripe_count > 0);
        for (uint32_t i = 0; i < s->chains[c].stripe_count; i++, stripe++) {
            const mlia_cost *cost = &s->stripes[stripe].cost;
            assert_int_equal(s->stripes[stripe].chain, c);
            for (uint32_t k = 0; k < MLIA_SECTION_COUNT; k++)
                assert_true(cost->total_cycles >= cost->sections[k]);
            for (uint32_t k = 0; k < MLIA_MEMORY_COUNT; k++)
                assert_true(cost->total_cycles >= cost->memories[k].cycles);
            assert_true(cost->total_cycles >= cost->op_cycles);
            mlia_cost_add(&sum, cost);
        }
        check_equal(&sum, &s->chains[c].cost);
        mlia_cost_add(&segment, &sum);
    }
    assert_int_equal(stripe, s->stripe_count);
    check_equal(&segment, &s->cost);
    mlia_cost cascades = {0};
    uint32_t chain = 0;
    for (uint32_t c = 0; c < s->cascade_count; c++) {
        mlia_cost sum = {0};
        assert_int_equal(s->cascades[c].first_chain, chain);
        for (uint32_t i = 0; i < s->cascades[c].chain_count; i++, chain++)
            mlia_cost_add(&sum, &s->chains[chain].cost);
        check_equal(&sum, &s->cascades[c].cost);
        mlia_cost_add(&cascades, &sum);
    }
    assert_int_equal(chain, s->chain_count);
    check_equal(&cascades, &s->cost);
}

/* Every operator is in exactly one chain, free, or unestimated. */
static void check_coverage(const mlia_estimate_segment *s)
{
    uint8_t *seen = calloc(s->graph->operator_count + 1, 1);
    for (uint32_t c = 0; c < s->chain_count; c++)
        for (uint32_t i = 0; i < s->chains[c].operator_count; i++)
            seen[s->chains[c].operators[i]]++;
    for (uint32_t i = 0; i < s->free_count; i++)
        seen[s->free_operators[i]]++;
    for (uint32_t i = 0; i < s->unestimated_count; i++) {
        seen[s->unestimated[i].operator_index]++;
        assert_true(s->unestimated[i].reason.size > 0);
    }
    for (uint32_t i = 0; i < s->graph->operator_count; i++)
        assert_int_equal(seen[i], 1);
    free(seen);
}

/* A chain never runs before one that makes what it reads. */
static void check_order(const mlia_estimate_segment *s)
{
    const mlia_graph *graph = s->graph;
    uint32_t *chain_of = malloc((graph->operator_count + 1) * sizeof *chain_of);
    for (uint32_t i = 0; i < graph->operator_count; i++)
        chain_of[i] = MLIA_NONE;
    for (uint32_t c = 0; c < s->chain_count; c++)
        for (uint32_t i = 0; i < s->chains[c].operator_count; i++)
            chain_of[s->chains[c].operators[i]] = c;
    for (uint32_t c = 0; c < s->chain_count; c++)
        for (uint32_t i = 0; i < s->chains[c].operator_count; i++) {
            const mlia_operator *op = &graph->operators[s->chains[c].operators[i]];
            for (uint32_t k = 0; k < op->input_count; k++) {
                uint32_t value = op->inputs[k];
                while (graph->values[value].producer != MLIA_NONE &&
                       chain_of[graph->values[value].producer] == MLIA_NONE &&
                       graph->operators[graph->values[value].producer].op == MLIA_OP_RESHAPE)
                    value = graph->operators[graph->values[value].producer].inputs[0];
                uint32_t producer = graph->values[value].producer;
                if (producer != MLIA_NONE && chain_of[producer] != MLIA_NONE)
                    assert_true(chain_of[producer] <= c);
            }
        }
    free(chain_of);
}

static void check_memory(const mlia_estimate *estimate)
{
    assert_true(estimate->memory.dram_footprint >= estimate->memory.peak_activation_memory);
    assert_true(estimate->memory.peak_activation_memory >= estimate->memory.average_memory);
    assert_true(estimate->memory.compiled_size >= estimate->memory.model_weight_memory);
}

static void sums_and_coverage_hold(void **state)
{
    (void)state;
    uint32_t partial = 0;
    uint32_t cascades = 0;
    for (uint64_t seed = 1; seed <= GRAPHS; seed++) {
        mlia_arena *arena = mlia_arena_new(0);
        mlia_estimate_config config;
        mlia_config_default(&config);
        config.cascade_enable = seed % 2 == 0;
        config.stripe_count = (double)(1 + seed % 4);
        config.chain_max_ops = (double)(1 + seed % 9);
        const mlia_graph *graph = make_random_graph(arena, seed, OPERATORS, 1 + (int64_t)(seed % 3), true);
        mlia_estimate *estimate = run(arena, graph, &config);
        const mlia_estimate_segment *s = &estimate->segments[0];
        check_sums(s);
        check_coverage(s);
        check_order(s);
        check_memory(estimate);
        check_equal(&estimate->cost, &s->cost);
        assert_int_equal(estimate->complete, s->unestimated_count == 0);
        partial += !estimate->complete;
        cascades += s->cascade_count < s->chain_count;
        mlia_arena_free(arena);
    }
    assert_true(partial > 0 && partial < GRAPHS);
    assert_true(cascades > 0);
}

static void results_are_deterministic(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        mlia_estimate_config config;
        mlia_config_default(&config);
        mlia_buffer texts[2] = {{0}};
        for (int i = 0; i < 2; i++) {
            mlia_arena *arena = mlia_arena_new(0);
            mlia_estimate *estimate = run(arena, make_random_graph(arena, seed, OPERATORS, 1, true), &config);
            mlia_performance_database_write(&estimate->segments[0], &texts[i]);
            mlia_debug_database_write(&estimate->segments[0], &texts[i]);
            mlia_arena_free(arena);
        }
        assert_int_equal(texts[0].size, texts[1].size);
        assert_memory_equal(texts[0].data, texts[1].data, texts[0].size);
        mlia_buffer_free(&texts[0]);
        mlia_buffer_free(&texts[1]);
    }
}

/* A faster machine is never slower, with cascades and without. */
static void more_is_never_slower(void **state)
{
    (void)state;
    static const mlia_config_key rates[] = {MLIA_CONFIG_clock_mhz,
                                            MLIA_CONFIG_engines,
                                            MLIA_CONFIG_dram_rate,
                                            MLIA_CONFIG_l2_rate,
                                            MLIA_CONFIG_l1_rate,
                                            MLIA_CONFIG_mac_int8,
                                            MLIA_CONFIG_mac_int16,
                                            MLIA_CONFIG_mac_fp16,
                                            MLIA_CONFIG_pool_rate,
                                            MLIA_CONFIG_vector_rate,
                                            MLIA_CONFIG_packed_rate,
                                            MLIA_CONFIG_decoder_rate,
                                            MLIA_CONFIG_reader_convolution,
                                            MLIA_CONFIG_reader_shallow,
                                            MLIA_CONFIG_writer_rate,
                                            MLIA_CONFIG_transform_rate,
                                            MLIA_CONFIG_reader_depthwise,
                                            MLIA_CONFIG_reader_pooling,
                                            MLIA_CONFIG_reader_element_wise,
                                            MLIA_CONFIG_writer_shallow};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        mlia_arena *arena = mlia_arena_new(0);
        const mlia_graph *graph = make_random_graph(arena, seed, OPERATORS, 1, false);
        mlia_estimate_config config;
        mlia_config_default(&config);
        config.cascade_enable = seed % 2 == 0;
        double time = run(arena, graph, &config)->inference_time_ms;
        for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
            mlia_estimate_config faster = config;
            *(double *)(void *)((char *)&faster + mlia_config_describe(rates[i])->offset) *= 3;
            assert_true(run(arena, graph, &faster)->inference_time_ms <= time);
        }
        mlia_arena_free(arena);
    }
}

static void larger_batches_move_no_fewer_bytes(void **state)
{
    (void)state;
    mlia_estimate_config config;
    mlia_config_default(&config);
    for (uint64_t seed = 1; seed <= 100; seed++) {
        mlia_arena *arena = mlia_arena_new(0);
        mlia_estimate *one = run(arena, make_random_graph(arena, seed, OPERATORS, 2, false), &config);
        mlia_estimate *two = run(arena, make_random_graph(arena, seed, OPERATORS, 4, false), &config);
        for (uint32_t m = 0; m < MLIA_MEMORY_COUNT; m++) {
            assert_true(two->cost.memories[m].read_bytes >= one->cost.memories[m].read_bytes);
            assert_true(two->cost.memories[m].write_bytes >= one->cost.memories[m].write_bytes);
        }
        mlia_arena_free(arena);
    }
}

/* A model writes at least the outputs that it computes. */
static void outputs_are_written(void **state)
{
    (void)state;
    mlia_estimate_config config;
    mlia_config_default(&config);
    for (uint64_t seed = 1; seed <= 100; seed++) {
        mlia_arena *arena = mlia_arena_new(0);
        const mlia_graph *graph = make_random_graph(arena, seed, OPERATORS, 1, false);
        mlia_estimate *estimate = run(arena, graph, &config);
        const mlia_block *block = mlia_graph_main(graph);
        uint64_t largest = 0;
        for (uint32_t i = 0; i < block->output_count; i++) {
            const mlia_graph_value *value = &graph->values[block->outputs[i]];
            uint64_t bytes = 0;
            if (value->producer != MLIA_NONE && !value->is_constant && mlia_value_bytes(value, &bytes) &&
                bytes > largest)
                largest = bytes; /* several outputs may be one tensor */
        }
        assert_true(estimate->cost.memories[MLIA_MEMORY_DRAM].write_bytes >= largest);
        mlia_arena_free(arena);
    }
}

static void custom_operators_are_listed(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_graph *graph = mlia_graph_new(arena, MLIA_SOURCE_TOSA);
    mlia_graph_add_region(graph, MLIA_STR("main"), MLIA_STR("main"));
    static const int64_t dims[] = {4};
    uint32_t v[4];
    for (uint32_t i = 0; i < 4; i++)
        v[i] = mlia_graph_add_tensor(graph, 0, MLIA_STR_NONE, MLIA_TYPE_INT32, 1, dims);
    mlia_graph_set_block_inputs(graph, 0, v, 1);
    mlia_graph_add_operator(graph, 0, MLIA_OP_ABS, &v[0], 1, &v[1], 1, NULL, MLIA_NONE);
    mlia_graph_add_operator(graph, 0, MLIA_OP_CUSTOM, &v[1], 1, &v[2], 1, NULL, MLIA_NONE);
    mlia_graph_add_operator(graph, 0, MLIA_OP_CLZ, &v[2], 1, &v[3], 1, NULL, MLIA_NONE);
    mlia_graph_set_block_outputs(graph, 0, &v[3], 1);
    assert_ok(mlia_graph_finish(graph, NULL));
    mlia_estimate_config config;
    mlia_config_default(&config);
    mlia_estimate_input inputs[] = {{.graph = graph}, {.index = 1, .name = MLIA_STR("compute_segment_0")}};
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_estimate *estimate = NULL;
    assert_ok(mlia_estimate_run(inputs, 2, &config, arena, &diagnostics, &estimate));
    assert_false(estimate->complete);
    assert_int_equal(estimate->segments[0].unestimated_count, 1);
    assert_int_equal(estimate->segments[0].chain_count, 2); /* the link between them is broken */
    assert_int_equal(diagnostics.count, 2);
    assert_int_equal(diagnostics.items[0].kind, MLIA_W_UNESTIMATED);
    assert_int_equal(diagnostics.items[1].kind, MLIA_W_SEGMENT_SKIPPED);
    mlia_arena_free(arena);
}

static void bodies_of_control_flow_are_listed(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_graph *graph = mlia_graph_new(arena, MLIA_SOURCE_TOSA);
    mlia_graph_add_region(graph, MLIA_STR("main"), MLIA_STR("main"));
    static const int64_t dims[] = {4};
    mlia_attributes a = mlia_attributes_default();
    uint32_t condition = mlia_graph_add_tensor(graph, 0, MLIA_STR_NONE, MLIA_TYPE_BOOL, 0, NULL);
    uint32_t inputs[] = {condition, mlia_graph_add_tensor(graph, 0, MLIA_STR_NONE, MLIA_TYPE_INT32, 1, dims)};
    uint32_t output = mlia_graph_add_tensor(graph, 0, MLIA_STR_NONE, MLIA_TYPE_INT32, 1, dims);
    for (int i = 0; i < 2; i++) {
        uint32_t region = mlia_graph_add_region(graph, MLIA_STR_NONE, MLIA_STR_NONE);
        uint32_t block = graph->regions[region].block;
        uint32_t in = mlia_graph_add_tensor(graph, block, MLIA_STR_NONE, MLIA_TYPE_INT32, 1, dims);
        uint32_t out = mlia_graph_add_tensor(graph, block, MLIA_STR_NONE, MLIA_TYPE_INT32, 1, dims);
        mlia_graph_set_block_inputs(graph, block, &in, 1);
        mlia_graph_add_operator(graph, block, MLIA_OP_ABS, &in, 1, &out, 1, NULL, MLIA_NONE);
        mlia_graph_set_block_outputs(graph, block, &out, 1);
        *(i == 0 ? &a.then_graph : &a.else_graph) = region;
    }
    mlia_graph_set_block_inputs(graph, 0, inputs, 2);
    mlia_graph_add_operator(graph, 0, MLIA_OP_COND_IF, inputs, 2, &output, 1, &a, MLIA_NONE);
    mlia_graph_set_block_outputs(graph, 0, &output, 1);
    assert_ok(mlia_graph_finish(graph, NULL));
    mlia_estimate_config config;
    mlia_config_default(&config);
    mlia_estimate *estimate = run(arena, graph, &config);
    assert_int_equal(estimate->segments[0].unestimated_count, 3);
    check_coverage(&estimate->segments[0]);
    mlia_arena_free(arena);
}

/* With any amount of memory: an estimate or E_MEMORY. */
static void running_out_of_memory_is_told(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    const mlia_graph *graph = make_random_graph(arena, 7, OPERATORS, 1, true);
    mlia_estimate_config config;
    mlia_config_default(&config);
    config.cascade_enable = 1;
    mlia_estimate_input input = {.graph = graph};
    uint32_t failures = 0;
    bool done = false;
    for (size_t limit = 64; !done; limit += 64) {
        mlia_arena *small = mlia_arena_new(limit);
        mlia_estimate *estimate = NULL;
        mlia_status *status = mlia_estimate_run(&input, 1, &config, small, NULL, &estimate);
        done = status == NULL;
        failures += !done;
        assert_true(done || mlia_status_kind(status) == MLIA_E_MEMORY);
        mlia_status_free(status);
        mlia_arena_free(small);
    }
    assert_true(failures > 50);
    mlia_arena_free(arena);
}

static void an_empty_graph_costs_nothing(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_graph *graph = mlia_graph_new(arena, MLIA_SOURCE_TOSA);
    mlia_graph_add_region(graph, MLIA_STR("main"), MLIA_STR("main"));
    assert_ok(mlia_graph_finish(graph, NULL));
    mlia_estimate_config config;
    mlia_config_default(&config);
    mlia_estimate *estimate = run(arena, graph, &config);
    assert_int_equal(estimate->cost.total_cycles, 0);
    assert_true(estimate->complete);
    mlia_arena_free(arena);
}

/* Memory for ten times the operators stays within twelve times. */
static void work_grows_linearly(void **state)
{
    (void)state;
    mlia_estimate_config config;
    mlia_config_default(&config);
    config.cascade_enable = 1;
    size_t used[2];
    for (int i = 0; i < 2; i++) {
        mlia_arena *arena = mlia_arena_new(0);
        const mlia_graph *graph = make_random_graph(arena, 5, i == 0 ? 10000 : 100000, 1, true);
        size_t before = mlia_arena_used(arena);
        mlia_estimate *estimate = run(arena, graph, &config);
        check_sums(&estimate->segments[0]);
        check_coverage(&estimate->segments[0]);
        used[i] = mlia_arena_used(arena) - before;
        mlia_arena_free(arena);
    }
    assert_true(used[1] <= 12 * used[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_coverage_hold),
        cmocka_unit_test(results_are_deterministic),
        cmocka_unit_test(more_is_never_slower),
        cmocka_unit_test(larger_batches_move_no_fewer_bytes),
        cmocka_unit_test(outputs_are_written),
        cmocka_unit_test(custom_operators_are_listed),
        cmocka_unit_test(bodies_of_control_flow_are_listed),
        cmocka_unit_test(an_empty_graph_costs_nothing),
        cmocka_unit_test(running_out_of_memory_is_told),
        cmocka_unit_test(work_grows_linearly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
