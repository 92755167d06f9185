/* Files of the calibration networks, made by the official converters, through our readers: the same figures
 * as the graphs that the estimator is calibrated on (tests/unit/estimate/calibration_test.c), whatever the
 * format. They are found through MLIA_FIXTURES. */
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "estimate/estimate.h"
#include "formats/tosa/tosa.h"
#include "formats/vgf/vgf.h"
#include "graph/analyse.h"
#include "test_support.h"

/* Predictions of revision 1 for the calibration graphs. */
static const struct {
    const char *name;
    uint64_t total, dram, compute;
} networks[] = {
    {"mobilenet_v1_0.25_224", 139901, 92780, 37735},
    {"ds_cnn_large", 77127, 56653, 22961},
};

typedef struct run {
    mlia_arena *arena;
    mlia_file *file;
    mlia_estimate_config config;
    mlia_estimate *estimate;
} run;

static bool open_run(run *r, const char *name, const char *suffix)
{
    const char *fixtures = getenv("MLIA_FIXTURES");
    char path[512];
    if (fixtures == NULL) {
        print_message("skipped: MLIA_FIXTURES is not set\n");
        return false;
    }
    snprintf(path, sizeof path, "%s/calibration/%s.%s", fixtures, name, suffix);
    *r = (run){.arena = mlia_arena_new(0)};
    assert_ok(mlia_file_open(path, &r->file));
    mlia_config_default(&r->config);
    mlia_graph *graph = NULL;
    if (strcmp(suffix, "vgf") == 0) {
        mlia_vgf *vgf = NULL;
        assert_ok(mlia_vgf_read(mlia_file_bytes(r->file), r->arena, NULL, &vgf));
        assert_int_equal(vgf->segment_count, 1);
        assert_ok(mlia_vgf_segment_graph(vgf, 0, r->arena, NULL, &graph));
    } else {
        assert_ok(mlia_tosa_read(mlia_file_bytes(r->file), r->arena, NULL, &graph));
    }
    assert_ok(mlia_graph_resolve_shapes(graph, NULL, 0, true, NULL));
    mlia_estimate_input input = {.graph = graph};
    assert_ok(mlia_estimate_run(&input, 1, &r->config, r->arena, NULL, &r->estimate));
    assert_true(r->estimate->complete);
    return true;
}

static void close_run(run *r)
{
    mlia_file_free(r->file);
    mlia_arena_free(r->arena);
}

static void files_give_the_figures_of_the_graphs(void **state)
{
    (void)state;
    static const char *const suffixes[] = {"tosa", "vgf"};
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++)
        for (size_t i = 0; i < 2; i++) {
            run r;
            if (!open_run(&r, networks[n].name, suffixes[i]))
                return;
            assert_int_equal(r.estimate->cost.total_cycles, networks[n].total);
            assert_int_equal(r.estimate->cost.op_cycles, networks[n].compute);
            assert_int_equal(r.estimate->cost.memories[MLIA_MEMORY_DRAM].cycles, networks[n].dram);
            close_run(&r);
        }
}

static void tosa_and_vgf_give_the_same_figures(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++) {
        run a;
        run b;
        if (!open_run(&a, networks[n].name, "tosa") || !open_run(&b, networks[n].name, "vgf"))
            return;
        assert_int_equal(a.estimate->segments[0].stripe_count, b.estimate->segments[0].stripe_count);
        for (uint32_t s = 0; s < a.estimate->segments[0].stripe_count; s++)
            assert_memory_equal(&a.estimate->segments[0].stripes[s], &b.estimate->segments[0].stripes[s],
                                sizeof(mlia_estimate_stripe));
        assert_memory_equal(&a.estimate->memory, &b.estimate->memory, sizeof a.estimate->memory);
        close_run(&a);
        close_run(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_give_the_figures_of_the_graphs),
        cmocka_unit_test(tosa_and_vgf_give_the_same_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
