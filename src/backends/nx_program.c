/* The option `program`: figures of an estimator of the user's, told by the files that it writes. */
#include "backends/nx_estimate.h"
#include "estimate/program.h"

enum { SECONDS_LIMIT = 600 };

/* Figure of ours for each field of the summary. */
static const nx_figure figure_of[MLIA_SUMMARY_FIELD_COUNT] = {
    [MLIA_SUMMARY_COMPILED_SIZE] = NX_FIGURE_COMPILED_SIZE,
    [MLIA_SUMMARY_TOTAL_CYCLES] = NX_FIGURE_TOTAL_CYCLES,
    [MLIA_SUMMARY_COMPUTE_CYCLES] = NX_FIGURE_COMPUTE_CYCLES,
    [MLIA_SUMMARY_INFERENCE_TIME] = NX_FIGURE_INFERENCE_TIME,
    [MLIA_SUMMARY_INFERENCES_PER_SECOND] = NX_FIGURE_INFERENCES_PER_SECOND,
    [MLIA_SUMMARY_DRAM_FOOTPRINT] = NX_FIGURE_DRAM_FOOTPRINT,
    [MLIA_SUMMARY_CACHE_CYCLES] = NX_FIGURE_CACHE_CYCLES,
    [MLIA_SUMMARY_CACHE_READ] = NX_FIGURE_CACHE_READ,
    [MLIA_SUMMARY_CACHE_WRITE] = NX_FIGURE_CACHE_WRITE,
    [MLIA_SUMMARY_DRAM_CYCLES] = NX_FIGURE_DRAM_CYCLES,
    [MLIA_SUMMARY_DRAM_READ] = NX_FIGURE_DRAM_READ,
    [MLIA_SUMMARY_DRAM_WRITE] = NX_FIGURE_DRAM_WRITE,
};

/* The only graph segment of a VGF. */
static mlia_status *find_segment(const mlia_backend_request *request, uint32_t *index)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < request->segment_count; i++)
        if (request->segments[i].graph != NULL) {
            *index = i;
            count++;
        }
    if (request->format == MLIA_FORMAT_VGF && count == 1)
        return NULL;
    return mlia_status_hint(
        mlia_error(MLIA_E_ESTIMATOR_PROGRAM,
                   "an estimator program takes a VGF with one graph segment; this model is %s with %u",
                   request->format == MLIA_FORMAT_VGF ? "a VGF" : "no VGF", count),
        "convert the model to VGF first (mlia convert --to vgf)");
}

mlia_status *nx_program_estimate(nx_report *report, const char *program, const mlia_estimate_config *config)
{
    const mlia_backend_request *request = report->request;
    nx_figures *figures = &report->figures;
    uint32_t index = 0;
    MLIA_TRY(find_segment(request, &index));
    mlia_estimate *result = MLIA_NEW(request->arena, mlia_estimate);
    MLIA_TRY_ALLOC(result);
    result->config = config;
    result->complete = true;
    result->segment_count = request->segment_count;
    result->segments = MLIA_NEW_ARRAY(request->arena, mlia_estimate_segment, request->segment_count);
    MLIA_TRY_ALLOC(result->segments);
    for (uint32_t i = 0; i < request->segment_count; i++) {
        result->segments[i].index = request->segments[i].index;
        result->segments[i].name = request->segments[i].name;
        result->segments[i].graph = request->segments[i].graph;
    }
    mlia_summary summary;
    mlia_program_run run = {.program = program,
                            .stem = request->model_stem,
                            .vgf = request->model,
                            .seconds = SECONDS_LIMIT,
                            .cancelled = request->cancelled};
    MLIA_TRY(mlia_program_estimate(&run, request->arena, request->diagnostics, &result->segments[index],
                                   &summary));
    mlia_cost_add(&result->cost, &result->segments[index].cost);
    for (mlia_summary_field field = 0; field < MLIA_SUMMARY_FIELD_COUNT; field++) {
        figures->value[figure_of[field]] = summary.values[field];
        figures->available[figure_of[field]] = summary.available[field];
    }
    report->estimate = result;
    return NULL;
}
