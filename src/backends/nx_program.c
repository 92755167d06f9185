/* The option `program`: figures of an estimator of the user's, told by the files that it writes. A VGF with
 * several segments is cut into one for each; other models are converted first, and figures then name the
 * operators of the VGF. */
#include <math.h>

#include "backends/nx_estimate.h"
#include "convert/tosa_to_vgf/tosa_to_vgf.h"
#include "estimate/program.h"
#include "formats/vgf/vgf.h"
#include "formats/vgf/write.h"

enum { SECONDS_LIMIT = 600 };

/* Figure of ours for each field of the summary. */
static const mlia_nx_figure figure_of[MLIA_SUMMARY_FIELD_COUNT] = {
    [MLIA_SUMMARY_COMPILED_SIZE] = MLIA_NX_FIGURE_COMPILED_SIZE,
    [MLIA_SUMMARY_TOTAL_CYCLES] = MLIA_NX_FIGURE_TOTAL_CYCLES,
    [MLIA_SUMMARY_COMPUTE_CYCLES] = MLIA_NX_FIGURE_COMPUTE_CYCLES,
    [MLIA_SUMMARY_INFERENCE_TIME] = MLIA_NX_FIGURE_INFERENCE_TIME,
    [MLIA_SUMMARY_INFERENCES_PER_SECOND] = MLIA_NX_FIGURE_INFERENCES_PER_SECOND,
    [MLIA_SUMMARY_DRAM_FOOTPRINT] = MLIA_NX_FIGURE_DRAM_FOOTPRINT,
    [MLIA_SUMMARY_CACHE_CYCLES] = MLIA_NX_FIGURE_CACHE_CYCLES,
    [MLIA_SUMMARY_CACHE_READ] = MLIA_NX_FIGURE_CACHE_READ,
    [MLIA_SUMMARY_CACHE_WRITE] = MLIA_NX_FIGURE_CACHE_WRITE,
    [MLIA_SUMMARY_DRAM_CYCLES] = MLIA_NX_FIGURE_DRAM_CYCLES,
    [MLIA_SUMMARY_DRAM_READ] = MLIA_NX_FIGURE_DRAM_READ,
    [MLIA_SUMMARY_DRAM_WRITE] = MLIA_NX_FIGURE_DRAM_WRITE,
};

/* The model as VGF: the file itself, or what its graph is converted to. Lives in the arena. */
static mlia_status *model_as_vgf(const mlia_backend_request *request, mlia_bytes *bytes)
{
    *bytes = request->model;
    if (request->format == MLIA_FORMAT_VGF)
        return NULL;
    if (request->segment_count != 1 || request->segments[0].graph == NULL)
        return mlia_error(MLIA_E_ESTIMATOR_PROGRAM,
                          "the model cannot be given to a program: it is not one graph");
    mlia_buffer buffer = {0};
    mlia_status *status = mlia_tosa_to_vgf(request->segments[0].graph, NULL, request->diagnostics, &buffer);
    if (status == NULL)
        status = mlia_buffer_status(&buffer);
    if (status == NULL) {
        mlia_str copy = mlia_arena_str(request->arena, mlia_buffer_str(&buffer));
        *bytes = (mlia_bytes){(const uint8_t *)copy.data, copy.size};
        status = copy.data == NULL ? mlia_error_memory() : NULL;
    }
    mlia_buffer_free(&buffer);
    return status;
}

static void set_category(mlia_vgf_resource *resources, uint32_t count, const mlia_vgf_slots *slots,
                         uint32_t category)
{
    for (uint32_t i = 0; i < slots->count; i++)
        if (slots->items[i].resource < count)
            resources[slots->items[i].resource].category = category;
}

/* A VGF that holds only one segment: what other segments gave or took becomes input and output of the model.
 */
static mlia_status *cut_segment(const mlia_vgf *vgf, uint32_t index, mlia_arena *arena, mlia_bytes *bytes)
{
    mlia_vgf part = *vgf;
    mlia_vgf_segment segment = vgf->segments[index];
    if (segment.module >= vgf->module_count)
        return mlia_error(MLIA_E_VGF_INDEX, "segment %u names module %u of %u", index, segment.module,
                          vgf->module_count);
    part.resources = MLIA_NEW_ARRAY(arena, mlia_vgf_resource, vgf->resource_count);
    MLIA_TRY_ALLOC(part.resources);
    if (vgf->resource_count > 0)
        memcpy(part.resources, vgf->resources, vgf->resource_count * sizeof *part.resources);
    set_category(part.resources, part.resource_count, &segment.inputs, MLIA_VGF_INPUT);
    set_category(part.resources, part.resource_count, &segment.outputs, MLIA_VGF_OUTPUT);
    part.modules = &vgf->modules[segment.module];
    part.module_count = 1;
    segment.module = 0;
    part.segments = &segment;
    part.segment_count = 1;
    part.inputs = segment.inputs;
    part.outputs = segment.outputs;
    part.input_names = NULL;
    part.output_names = NULL;
    mlia_pieces pieces;
    MLIA_TRY(mlia_vgf_write(&part, arena, &pieces));
    return mlia_pieces_bytes(&pieces, arena, bytes);
}

/* Segments follow each other: figures add up, the footprint is the largest; what one lacks, the model lacks.
 */
static void add_summary(mlia_nx_figures *figures, const mlia_summary *summary, bool is_first)
{
    for (mlia_summary_field field = 0; field < MLIA_SUMMARY_FIELD_COUNT; field++) {
        double *value = &figures->value[figure_of[field]];
        bool *available = &figures->available[figure_of[field]];
        bool largest = field == MLIA_SUMMARY_DRAM_FOOTPRINT;
        *value = largest ? fmax(*value, summary->values[field]) : *value + summary->values[field];
        *available = summary->available[field] && (is_first || *available);
    }
    double time = figures->value[MLIA_NX_FIGURE_INFERENCE_TIME];
    if (!is_first) {
        figures->value[MLIA_NX_FIGURE_INFERENCES_PER_SECOND] = time > 0 ? 1000 / time : 0;
        figures->available[MLIA_NX_FIGURE_INFERENCES_PER_SECOND] =
            time > 0 && figures->available[MLIA_NX_FIGURE_INFERENCE_TIME];
    }
}

static mlia_status *run_segment(mlia_nx_report *report, const char *program, const mlia_vgf *vgf,
                                uint32_t graph_count, mlia_estimate_segment *segment, mlia_summary *summary)
{
    const mlia_backend_request *request = report->request;
    mlia_program_run run = {.program = program,
                            .stem = request->model_stem,
                            .vgf = request->model,
                            .seconds = SECONDS_LIMIT,
                            .cancelled = request->cancelled};
    if (graph_count > 1)
        run.stem = mlia_arena_format(report->arena, "%.*s_segment_%u", MLIA_STR_ARG(request->model_stem),
                                     segment->index);
    if (vgf->segment_count > 1 || request->format != MLIA_FORMAT_VGF)
        MLIA_TRY(cut_segment(vgf, segment->index, report->arena, &run.vgf));
    return mlia_program_estimate(&run, report->arena, request->diagnostics, segment, summary);
}

static mlia_status *run_segments(mlia_nx_report *report, const char *program, const mlia_vgf *vgf,
                                 mlia_estimate *result)
{
    const mlia_backend_request *request = report->request;
    uint32_t graphs = 0;
    for (uint32_t i = 0; i < vgf->segment_count; i++)
        graphs += vgf->segments[i].type == MLIA_VGF_GRAPH;
    bool is_first = true;
    for (uint32_t i = 0; i < vgf->segment_count; i++) {
        mlia_estimate_segment *segment = &result->segments[i];
        mlia_summary summary;
        mlia_graph *graph = NULL;
        segment->index = i;
        segment->name = vgf->segments[i].name;
        if (vgf->segments[i].type != MLIA_VGF_GRAPH) {
            mlia_warn(request->diagnostics, MLIA_W_SEGMENT_SKIPPED,
                      "segment %u (%.*s) is a compute shader and has no estimate", i,
                      MLIA_STR_ARG(segment->name));
            continue;
        }
        if (request->format == MLIA_FORMAT_VGF)
            graph = request->segments[i].graph;
        else
            MLIA_TRY(mlia_vgf_segment_graph(vgf, i, report->arena, request->diagnostics, &graph));
        segment->graph = graph;
        MLIA_TRY(run_segment(report, program, vgf, graphs, segment, &summary));
        mlia_cost_add(&result->cost, &segment->cost);
        add_summary(&report->figures, &summary, is_first);
        is_first = false;
    }
    return is_first ? mlia_error(MLIA_E_ESTIMATOR_PROGRAM, "the model has no graph segment") : NULL;
}

mlia_status *mlia_nx_program_estimate(mlia_nx_report *report, const char *program,
                                      const mlia_estimate_config *config)
{
    mlia_bytes bytes;
    mlia_vgf *vgf = NULL;
    MLIA_TRY(model_as_vgf(report->request, &bytes));
    MLIA_TRY(mlia_vgf_read(bytes, report->arena, NULL, &vgf));
    mlia_estimate *result = MLIA_NEW(report->arena, mlia_estimate);
    MLIA_TRY_ALLOC(result);
    result->config = config;
    result->complete = true;
    result->segment_count = vgf->segment_count;
    result->segments = MLIA_NEW_ARRAY(report->arena, mlia_estimate_segment, vgf->segment_count);
    MLIA_TRY_ALLOC(result->segments);
    MLIA_TRY(run_segments(report, program, vgf, result));
    report->estimate = result;
    return NULL;
}
