/* Formulas of docs/estimator.md on single operators, worked out by hand. */
#include "estimate/estimate.h"
#include "estimate/random_graph.h"

typedef struct bench {
    graph_maker m;
    mlia_estimate_config config;
    mlia_estimate *estimate;
} bench;

static uint32_t begin(bench *b, uint32_t type, uint32_t rank, const int64_t *dims)
{
    *b = (bench){.m = {.arena = mlia_arena_new(0)}};
    b->m.graph = mlia_graph_new(b->m.arena, MLIA_SOURCE_TOSA);
    mlia_graph_add_region(b->m.graph, MLIA_STR("main"), MLIA_STR("main"));
    b->m.values = MLIA_NEW_ARRAY(b->m.arena, uint32_t, 16);
    mlia_config_default(&b->config);
    uint32_t input = make_tensor(&b->m, type, rank, dims);
    mlia_graph_set_block_inputs(b->m.graph, 0, &input, 1);
    return input;
}

/* Runs the graph whose only output is `output`. */
static const mlia_estimate_segment *finish(bench *b, uint32_t output)
{
    mlia_graph_set_block_outputs(b->m.graph, 0, &output, 1);
    assert_ok(mlia_graph_finish(b->m.graph, NULL));
    mlia_estimate_input input = {.graph = b->m.graph};
    assert_ok(mlia_estimate_run(&input, 1, &b->config, b->m.arena, NULL, &b->estimate));
    assert_true(b->estimate->complete);
    return &b->estimate->segments[0];
}

static mlia_attributes strides(bench *b, int32_t rows, int32_t columns)
{
    mlia_attributes a = mlia_attributes_default();
    a.stride = make_list(&b->m, rows, columns);
    a.dilation = make_list(&b->m, 1, 1);
    return a;
}

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

/* 3×3, 64 → 64 channels on 16×16: two bands of 8 rows. */
static void deep_convolution(void **state)
{
    (void)state;
    bench b;
    uint32_t inputs[3] = {begin(&b, MLIA_TYPE_INT8, 4, DIMS(1, 18, 18, 64))};
    mlia_attributes a = strides(&b, 1, 1);
    inputs[1] = make_constant(&b.m, MLIA_TYPE_INT8, 4, DIMS(64, 3, 3, 64), 1);
    inputs[2] = make_constant(&b.m, MLIA_TYPE_INT32, 1, DIMS(64), 0);
    const mlia_estimate_segment *s = finish(
        &b, make_operator(&b.m, MLIA_OP_CONV2D, inputs, 3, MLIA_TYPE_INT32, 4, DIMS(1, 16, 16, 64), &a));
    assert_int_equal(s->stripe_count, 2);
    const mlia_cost *cost = &s->stripes[0].cost;
    /* deep: 8·16 pixels · 1 · 1 · 9 taps; shallow would be 1·2·64·1·12 */
    assert_int_equal(cost->sections[MLIA_SECTION_CONVOLUTION_ENGINE], 1152);
    assert_int_equal(cost->sections[MLIA_SECTION_VECTOR_ENGINE], 8 * 16 * 64 / 48 + 1);
    /* 10 rows of pad(18, 4) columns, twice for 64 output channels; ⌊576·0.95⌋ + 10 bytes a channel and 258 */
    assert_int_equal(cost->memories[MLIA_MEMORY_DRAM].read_bytes, 10 * 20 * 64 * 2 + 64 * (547 + 10) + 258);
    assert_int_equal(cost->memories[MLIA_MEMORY_DRAM].write_bytes, 8 * 16 * 64 * 4);
    assert_int_equal(cost->sections[MLIA_SECTION_WEIGHT_DECODER], 547);
    assert_int_equal(cost->sections[MLIA_SECTION_INPUT_READER], 865 + 78); /* 25600 / 29.6 */
    assert_int_equal(s->chains[0].macs, UINT64_C(16) * 16 * 64 * 64 * 9);
    assert_int_equal(s->chains[0].confidence, MLIA_CONFIDENCE_EXTRAPOLATED);
    assert_int_equal(s->stripes[1].cost.total_cycles - s->stripes[0].cost.total_cycles, 409 - 9);
    mlia_arena_free(b.m.arena);
}

/* 16-bit floating point takes twice as long on the array, 32-bit leaves it to the vector engine. */
static void floating_point_convolution(void **state)
{
    (void)state;
    uint64_t cycles[3];
    static const uint32_t types[] = {MLIA_TYPE_INT8, MLIA_TYPE_FP16, MLIA_TYPE_FP32};
    for (int i = 0; i < 3; i++) {
        bench b;
        uint32_t inputs[3] = {begin(&b, types[i], 4, DIMS(1, 8, 8, 64))};
        mlia_attributes a = strides(&b, 1, 1);
        inputs[1] = make_constant(&b.m, types[i], 4, DIMS(64, 1, 1, 64), 0);
        inputs[2] = make_constant(&b.m, types[i], 1, DIMS(64), 0);
        const mlia_estimate_segment *s =
            finish(&b, make_operator(&b.m, MLIA_OP_CONV2D, inputs, 3, types[i], 4, DIMS(1, 8, 8, 64), &a));
        cycles[i] = s->cost.sections[i < 2 ? MLIA_SECTION_CONVOLUTION_ENGINE : MLIA_SECTION_VECTOR_ENGINE];
        assert_int_equal(s->chains[0].confidence,
                         i == 0 ? MLIA_CONFIDENCE_CALIBRATED : MLIA_CONFIDENCE_ASSUMED);
        if (i == 2)
            assert_int_equal(s->cost.sections[MLIA_SECTION_CONVOLUTION_ENGINE], 0);
        mlia_arena_free(b.m.arena);
    }
    assert_int_equal(cycles[0], 64);
    assert_int_equal(cycles[1], 128);
    /* (4·8·64·64 multiplications · 2 passes + 4·8·64 results) / 48, for each band */
    assert_int_equal(cycles[2], 2 * 5504);
}

/* [2, 32, 64] × [2, 64, 96]: a band for each batch. */
static void matrix_product(void **state)
{
    (void)state;
    bench b;
    uint32_t inputs[2] = {begin(&b, MLIA_TYPE_INT8, 3, DIMS(2, 32, 64))};
    inputs[1] = make_tensor(&b.m, MLIA_TYPE_INT8, 3, DIMS(2, 64, 96));
    mlia_graph_set_block_inputs(b.m.graph, 0, inputs, 2);
    const mlia_estimate_segment *s =
        finish(&b, make_operator(&b.m, MLIA_OP_MATMUL, inputs, 2, MLIA_TYPE_INT32, 3, DIMS(2, 32, 96), NULL));
    const mlia_cost *cost = &s->stripes[0].cost;
    assert_int_equal(s->stripe_count, 2);
    assert_int_equal(cost->sections[MLIA_SECTION_CONVOLUTION_ENGINE], 32 * 2); /* ⌈96/72⌉ */
    assert_int_equal(cost->memories[MLIA_MEMORY_DRAM].read_bytes, 32 * 64 * 3 + 64 * 96);
    assert_int_equal(cost->memories[MLIA_MEMORY_DRAM].write_bytes, 32 * 96 * 4);
    assert_int_equal(s->chains[0].macs, 2 * 32 * 64 * 96);
    mlia_arena_free(b.m.arena);
}

/* A transposed 4×4 convolution with stride 2 has 2×2 taps for each output. */
static void transposed_convolution(void **state)
{
    (void)state;
    bench b;
    uint32_t inputs[3] = {begin(&b, MLIA_TYPE_INT8, 4, DIMS(1, 8, 8, 32))};
    mlia_attributes a = strides(&b, 2, 2);
    inputs[1] = make_constant(&b.m, MLIA_TYPE_INT8, 4, DIMS(32, 4, 4, 32), 1);
    inputs[2] = make_constant(&b.m, MLIA_TYPE_INT32, 1, DIMS(32), 0);
    const mlia_estimate_segment *s = finish(&b, make_operator(&b.m, MLIA_OP_TRANSPOSE_CONV2D, inputs, 3,
                                                              MLIA_TYPE_INT32, 4, DIMS(1, 16, 16, 32), &a));
    assert_int_equal(s->chains[0].macs, 16 * 16 * 32 * 32 * 4);
    /* 8·16 pixels, two side by side, 4 taps */
    assert_int_equal(s->stripes[0].cost.sections[MLIA_SECTION_CONVOLUTION_ENGINE], 256);
    mlia_arena_free(b.m.arena);
}

/* The value twice as large: an ADD with a broadcast operand passes the transform unit. */
static void broadcast_and_residual(void **state)
{
    (void)state;
    bench b;
    uint32_t inputs[2] = {begin(&b, MLIA_TYPE_INT32, 4, DIMS(1, 8, 8, 32))};
    inputs[1] = make_tensor(&b.m, MLIA_TYPE_INT32, 4, DIMS(1, 1, 1, 32));
    mlia_graph_set_block_inputs(b.m.graph, 0, inputs, 2);
    const mlia_estimate_segment *s =
        finish(&b, make_operator(&b.m, MLIA_OP_ADD, inputs, 2, MLIA_TYPE_INT32, 4, DIMS(1, 8, 8, 32), NULL));
    const mlia_cost *cost = &s->stripes[0].cost;
    assert_int_equal(cost->sections[MLIA_SECTION_VECTOR_ENGINE], 22); /* 4·8·32 / 48 */
    assert_int_equal(cost->sections[MLIA_SECTION_TRANSFORM_UNIT], 22);
    assert_int_equal(cost->memories[MLIA_MEMORY_DRAM].read_bytes, (8 * 8 * 32 * 4 + 32 * 4) / 2);
    mlia_arena_free(b.m.arena);
}

static void moves(void **state)
{
    (void)state;
    bench b;
    uint32_t input = begin(&b, MLIA_TYPE_INT8, 4, DIMS(1, 16, 32, 64));
    mlia_attributes a = mlia_attributes_default();
    int32_t perms[] = {0, 2, 3, 1};
    a.perms = (mlia_int_list){4, perms};
    const mlia_estimate_segment *s = finish(
        &b, make_operator(&b.m, MLIA_OP_TRANSPOSE, &input, 1, MLIA_TYPE_INT8, 4, DIMS(1, 32, 64, 16), &a));
    assert_int_equal(s->cost.sections[MLIA_SECTION_TRANSFORM_UNIT], 16 * 32 * 64 / 32);
    assert_int_equal(s->cost.memories[MLIA_MEMORY_DRAM].read_bytes, 16 * 32 * 64);
    assert_int_equal(s->cost.op_cycles, 1024);
    assert_int_equal(s->chains[0].confidence, MLIA_CONFIDENCE_ASSUMED);
    mlia_arena_free(b.m.arena);
}

/* Eight engines share what grows with rows. */
static void engines_share_bands(void **state)
{
    (void)state;
    bench b;
    uint32_t inputs[3] = {begin(&b, MLIA_TYPE_INT8, 4, DIMS(1, 16, 16, 64))};
    b.config.engines = 8;
    mlia_attributes a = strides(&b, 1, 1);
    inputs[1] = make_constant(&b.m, MLIA_TYPE_INT8, 4, DIMS(64, 1, 1, 64), 1);
    inputs[2] = make_constant(&b.m, MLIA_TYPE_INT32, 1, DIMS(64), 0);
    const mlia_estimate_segment *s = finish(
        &b, make_operator(&b.m, MLIA_OP_CONV2D, inputs, 3, MLIA_TYPE_INT32, 4, DIMS(1, 16, 16, 64), &a));
    const mlia_cost *cost = &s->stripes[0].cost;
    assert_int_equal(cost->sections[MLIA_SECTION_CONVOLUTION_ENGINE], 8 * 16 / 8);
    assert_int_equal(cost->sections[MLIA_SECTION_WEIGHT_DECODER], 60); /* weights are not shared */
    assert_int_equal(s->chains[0].confidence, MLIA_CONFIDENCE_ASSUMED);
    mlia_arena_free(b.m.arena);
}

/* What changes nothing is free; a copy from input to output is not. */
static void aliases_are_free(void **state)
{
    (void)state;
    bench b;
    uint32_t input = begin(&b, MLIA_TYPE_INT32, 2, DIMS(1, 12));
    uint32_t value = make_operator(&b.m, MLIA_OP_ABS, &input, 1, MLIA_TYPE_INT32, 2, DIMS(1, 12), NULL);
    uint32_t inputs[2] = {
        make_operator(&b.m, MLIA_OP_RESHAPE, &value, 1, MLIA_TYPE_INT32, 1, DIMS(12), NULL)};
    inputs[1] = make_constant(&b.m, MLIA_TYPE_INT32, 1, DIMS(1), 0);
    value = make_operator(&b.m, MLIA_OP_ADD, inputs, 2, MLIA_TYPE_INT32, 1, DIMS(12), NULL);
    value = make_operator(&b.m, MLIA_OP_IDENTITY, &value, 1, MLIA_TYPE_INT32, 1, DIMS(12), NULL);
    make_operator(&b.m, MLIA_OP_CLZ, &value, 1, MLIA_TYPE_INT32, 1, DIMS(12), NULL); /* dead */
    const mlia_estimate_segment *s = finish(&b, value);
    assert_int_equal(s->chain_count, 1);
    assert_int_equal(s->chains[0].operator_count, 1);
    assert_int_equal(s->free_count, 5);
    mlia_arena_free(b.m.arena);

    input = begin(&b, MLIA_TYPE_INT32, 2, DIMS(1, 12));
    s = finish(&b, make_operator(&b.m, MLIA_OP_IDENTITY, &input, 1, MLIA_TYPE_INT32, 2, DIMS(1, 12), NULL));
    assert_int_equal(s->chain_count, 1);
    assert_int_equal(s->cost.memories[MLIA_MEMORY_DRAM].write_bytes, 48);
    mlia_arena_free(b.m.arena);
}

/* Two pointwise convolutions on large rows: with slow DRAM the tensor between them stays in L2. */
static void cascades_spare_dram(void **state)
{
    (void)state;
    uint64_t dram[2];
    uint64_t total[2];
    for (int i = 0; i < 2; i++) {
        bench b;
        uint32_t inputs[3] = {begin(&b, MLIA_TYPE_INT8, 4, DIMS(1, 64, 64, 32))};
        b.config.cascade_enable = i;
        b.config.dram_rate = 4;
        mlia_attributes a = strides(&b, 1, 1);
        inputs[1] = make_constant(&b.m, MLIA_TYPE_INT8, 4, DIMS(32, 1, 1, 32), 1);
        inputs[2] = make_constant(&b.m, MLIA_TYPE_INT32, 1, DIMS(32), 0);
        for (int k = 0; k < 2; k++)
            inputs[0] =
                make_operator(&b.m, MLIA_OP_CONV2D, inputs, 3, MLIA_TYPE_INT8, 4, DIMS(1, 64, 64, 32), &a);
        const mlia_estimate_segment *s = finish(&b, inputs[0]);
        assert_int_equal(s->cascade_count, 2 - i);
        dram[i] =
            s->cost.memories[MLIA_MEMORY_DRAM].read_bytes + s->cost.memories[MLIA_MEMORY_DRAM].write_bytes;
        total[i] = s->cost.total_cycles;
        assert_int_equal(s->cost.memories[MLIA_MEMORY_L2].write_bytes, i * 64 * 64 * 32);
        assert_true(i == 0 || b.estimate->memory.dram_footprint == 2 * 64 * 64 * 32);
        mlia_arena_free(b.m.arena);
    }
    assert_int_equal(dram[0] - dram[1], 2 * 64 * 64 * 32);
    assert_true(total[1] < total[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_convolution),       cmocka_unit_test(floating_point_convolution),
        cmocka_unit_test(matrix_product),         cmocka_unit_test(transposed_convolution),
        cmocka_unit_test(broadcast_and_residual), cmocka_unit_test(moves),
        cmocka_unit_test(engines_share_bands),    cmocka_unit_test(aliases_are_free),
        cmocka_unit_test(cascades_spare_dram),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
