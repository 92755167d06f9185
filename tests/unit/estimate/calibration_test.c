/* The estimator against the published figures of its reference set (docs/estimator.md, "Calibration"): totals
 * of two networks, and chains and every stripe of one of them. Prints predicted and published figures side by
 * side. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "estimate/calibration_graphs.h"
#include "estimate/estimate.h"

/* DS-CNN large, int8: op, total | DRAM read, write, cycles | the six sections, for each stripe. */
static const uint32_t published[][11] = {
    {4608, 4617, 44677, 35880, 1654, 2844, 4608, 780, 0, 210, 936},
    {4254, 4952, 41508, 33120, 1533, 2629, 4254, 720, 0, 193, 864},
    {336, 1529, 57390, 9660, 1377, 1520, 288, 336, 0, 68, 448},
    {288, 2132, 50291, 8280, 1203, 1314, 247, 288, 0, 68, 384},
    {1120, 4989, 214434, 9660, 4603, 4980, 1120, 336, 0, 1048, 448},
    {960, 4689, 194562, 8280, 4167, 4280, 960, 288, 0, 1048, 384},
    {336, 774, 27582, 9660, 765, 656, 288, 336, 0, 68, 448},
    {288, 1496, 24740, 8280, 678, 573, 247, 288, 0, 68, 384},
    {1120, 4989, 213330, 9660, 4581, 4980, 1120, 336, 0, 1032, 448},
    {960, 4689, 193458, 8280, 4144, 4280, 960, 288, 0, 1032, 384},
    {336, 774, 27582, 9660, 765, 656, 288, 336, 0, 68, 448},
    {288, 1496, 24740, 8280, 678, 573, 247, 288, 0, 68, 384},
    {1120, 4989, 216090, 9660, 4637, 4980, 1120, 336, 0, 1072, 448},
    {960, 4689, 196218, 8280, 4201, 4280, 960, 288, 0, 1072, 384},
    {336, 774, 27582, 9660, 765, 656, 288, 336, 0, 68, 448},
    {288, 1496, 24740, 8280, 678, 573, 247, 288, 0, 68, 384},
    {1120, 4989, 217746, 9660, 4671, 4980, 1120, 336, 0, 1096, 448},
    {960, 4689, 197874, 8280, 4235, 4280, 960, 288, 0, 1096, 384},
    {336, 785, 28134, 9660, 776, 656, 288, 336, 0, 76, 448},
    {288, 1507, 25292, 8280, 689, 573, 247, 288, 0, 76, 384},
    {1120, 4989, 216090, 9660, 4637, 4980, 1120, 336, 0, 1072, 448},
    {960, 4689, 196218, 8280, 4201, 4280, 960, 288, 0, 1072, 384},
    {390, 2071, 28704, 276, 595, 624, 390, 12, 0, 0, 24},
    {40, 241, 4876, 12, 152, 190, 40, 3, 0, 224, 8},
    {6, 239, 64, 48, 3, 10, 0, 6, 0, 0, 24},
    {7, 234, 192, 4, 6, 24, 0, 7, 0, 0, 4},
    {6, 224, 256, 24, 8, 28, 0, 6, 6, 0, 12},
    {18, 829, 6336, 48, 131, 261, 0, 18, 0, 0, 8},
    {38, 1092, 12480, 48, 257, 517, 0, 38, 0, 0, 8},
    {22, 851, 6720, 48, 139, 277, 0, 22, 0, 0, 8},
    {15, 235, 192, 12, 6, 24, 0, 15, 0, 0, 12},
    {2, 19, 128, 4, 4, 8, 0, 2, 0, 0, 4},
    {3, 18, 64, 8, 2, 4, 0, 3, 0, 0, 8},
    {4, 23, 128, 4, 4, 8, 0, 4, 0, 0, 4},
    {3, 198, 128, 4, 4, 8, 0, 3, 0, 0, 4},
    {3, 23, 192, 8, 6, 12, 0, 3, 0, 0, 8},
    {4, 23, 128, 4, 4, 8, 0, 4, 0, 0, 4},
    {18, 235, 320, 12, 10, 32, 0, 18, 12, 0, 16},
};
enum { STRIPES = sizeof published / sizeof *published, CHAINS = 27 };

typedef struct totals {
    const char *name;
    double total, dram, compute;
} totals;
static const totals networks[] = {
    {"mobilenet_v1_0.25_224", 136962, 94396, 34976},
    {"ds_cnn_large", 77277, 0, 0}, /* sums of the stripes are added by the test */
};

static const mlia_graph *build(const char *name, mlia_arena *arena)
{
    return strcmp(name, "ds_cnn_large") == 0 ? ds_cnn_large(arena) : mobilenet_v1_025_224(arena);
}

typedef struct run {
    mlia_arena *arena;
    mlia_estimate_config config;
    mlia_estimate *estimate;
} run;

static void open_run(run *r, const char *name)
{
    *r = (run){.arena = mlia_arena_new(0)};
    mlia_config_default(&r->config);
    mlia_estimate_input input = {.graph = build(name, r->arena)};
    assert_ok(mlia_estimate_run(&input, 1, &r->config, r->arena, NULL, &r->estimate));
    assert_true(r->estimate->complete);
}

static void close_run(run *r)
{
    mlia_arena_free(r->arena);
}

static double percent(double predicted, double reference)
{
    return 100 * (predicted / reference - 1);
}

static void totals_are_near_the_published_ones(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        run r;
        open_run(&r, networks[n].name);
        totals reference = networks[n];
        for (size_t s = 0; s < STRIPES && reference.dram <= 0; s++) {
            reference.dram = s == 0 ? 0 : reference.dram;
            for (size_t k = 0; k < STRIPES; k++) {
                reference.dram += published[k][4];
                reference.compute += published[k][0];
            }
        }
        const mlia_cost *cost = &r.estimate->cost;
        double dram = (double)cost->memories[MLIA_MEMORY_DRAM].cycles;
        double errors[] = {percent((double)cost->total_cycles, reference.total),
                           percent(dram, reference.dram),
                           percent((double)cost->op_cycles, reference.compute)};
        print_message("%-22s total %7" PRIu64
                      " / %6.0f %+5.1f %%  dram %6.0f / %6.0f %+5.1f %%  compute %6" PRIu64
                      " / %6.0f %+5.1f %%\n",
                      reference.name, cost->total_cycles, reference.total, errors[0], dram, reference.dram,
                      errors[1], cost->op_cycles, reference.compute, errors[2]);
        assert_true(fabs(errors[0]) <= 5);
        assert_true(fabs(errors[1]) <= 5);
        assert_true(fabs(errors[2]) <= 10);
        close_run(&r);
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void print_row(size_t s, const mlia_cost *cost)
{
    const mlia_traffic *dram = &cost->memories[MLIA_MEMORY_DRAM];
    uint64_t predicted[11] = {cost->op_cycles, cost->total_cycles, dram->read_bytes, dram->write_bytes,
                              dram->cycles};
    for (size_t k = 0; k < MLIA_SECTION_COUNT; k++)
        predicted[5 + k] = cost->sections[k];
    print_message("%2zu %+6.1f %%", s, percent((double)cost->total_cycles, published[s][1]));
    for (size_t k = 0; k < 11; k++)
        print_message(" %7" PRIu64 "/%-6u", predicted[k], published[s][k]);
    print_message("\n");
}

static void stripes_are_near_the_published_ones(void **state)
{
    (void)state;
    run r;
    open_run(&r, "ds_cnn_large");
    const mlia_estimate_segment *segment = &r.estimate->segments[0];
    assert_int_equal(segment->chain_count, CHAINS);
    assert_int_equal(segment->cascade_count, CHAINS);
    assert_int_equal(segment->stripe_count, STRIPES);
    double errors[STRIPES];
    print_message("stripe: predicted/published op total | DRAM read write cycles | IR CE VE TU WD OW\n");
    for (size_t s = 0; s < STRIPES; s++) {
        const mlia_cost *cost = &segment->stripes[s].cost;
        print_row(s, cost);
        errors[s] = fabs(percent((double)cost->total_cycles, published[s][1]));
        assert_int_equal(cost->memories[MLIA_MEMORY_DRAM].write_bytes, published[s][3]);
        for (size_t k = 0; k < MLIA_SECTION_COUNT; k++)
            assert_true(cost->total_cycles >= cost->sections[k]);
    }
    qsort(errors, STRIPES, sizeof *errors, by_value);
    print_message("median |error| of the totals: %.1f %%\n", errors[STRIPES / 2]);
    assert_true(errors[STRIPES / 2] <= 5);
    assert_true(errors[STRIPES * 9 / 10] <= 20);
    close_run(&r);
}

/* The operators of each chain in the published example, without those that its compiler adds. */
static void chains_are_the_published_ones(void **state)
{
    (void)state;
    static const char *const chains[CHAINS] = {"CONV2D RESCALE",
                                               "DEPTHWISE_CONV2D RESCALE",
                                               "CONV2D RESCALE",
                                               "DEPTHWISE_CONV2D RESCALE",
                                               "CONV2D RESCALE",
                                               "DEPTHWISE_CONV2D RESCALE",
                                               "CONV2D RESCALE",
                                               "DEPTHWISE_CONV2D RESCALE",
                                               "CONV2D RESCALE",
                                               "DEPTHWISE_CONV2D RESCALE",
                                               "CONV2D RESCALE",
                                               "AVG_POOL2D",
                                               "CONV2D RESCALE",
                                               "RESCALE",
                                               "REDUCE_MAX",
                                               "SUB RESCALE",
                                               "TABLE LOGICAL_LEFT_SHIFT",
                                               "TABLE TABLE LOGICAL_LEFT_SHIFT LOGICAL_LEFT_SHIFT ADD",
                                               "TABLE ARITHMETIC_RIGHT_SHIFT ADD ADD",
                                               "ARITHMETIC_RIGHT_SHIFT REDUCE_SUM CLZ SUB",
                                               "SUB LOGICAL_LEFT_SHIFT",
                                               "MUL ADD MUL",
                                               "SUB MUL MUL ADD",
                                               "MUL SUB MUL",
                                               "MUL ADD MUL",
                                               "SUB MUL MUL ADD",
                                               "MUL ARITHMETIC_RIGHT_SHIFT RESCALE"};
    run r;
    open_run(&r, "ds_cnn_large");
    const mlia_estimate_segment *segment = &r.estimate->segments[0];
    assert_int_equal(segment->chain_count, CHAINS);
    for (size_t c = 0; c < CHAINS; c++) {
        char text[256] = "";
        size_t used = 0;
        for (uint32_t i = 0; i < segment->chains[c].operator_count; i++) {
            mlia_str name = mlia_operator_name(&segment->graph->operators[segment->chains[c].operators[i]]);
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s", i == 0 ? "" : " ",
                                     MLIA_STR_ARG(name));
        }
        print_message("%2zu %s\n", c, text);
        assert_string_equal(text, chains[c]);
    }
    close_run(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_are_the_published_ones),
        cmocka_unit_test(stripes_are_near_the_published_ones),
        cmocka_unit_test(totals_are_near_the_published_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
