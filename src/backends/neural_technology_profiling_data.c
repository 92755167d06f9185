/* Backend neural-technology-profiling-data: measured performance of captures of the Vulkan layer
 * VK_LAYER_LGL_neural_statistics, alone or with the VGF that ran (docs/formats/capture.md). */
#include <inttypes.h>

#include "backends/backend.h"
#include "backends/measured_result.h"
#include "formats/vgf/vgf.h"

/* The model must be a VGF, by its name too: the measurement is of the file that ran. */
static mlia_status *check_model(const mlia_backend_request *request)
{
    size_t suffix;
    if (request->format == MLIA_FORMAT_VGF &&
        mlia_format_by_suffix(request->model_path, &suffix) == MLIA_FORMAT_VGF)
        return NULL;
    mlia_status *status = mlia_error(MLIA_E_MODEL_TYPE, "a capture can be joined with a .vgf only");
    return mlia_capture_advise(mlia_status_path(status, request->model_path));
}

static mlia_status *segment_of(const mlia_vgf *vgf, uint32_t index, mlia_measure_segment *segment)
{
    const mlia_vgf_segment *stored = &vgf->segments[index];
    *segment = (mlia_measure_segment){
        .index = index, .name = stored->name, .is_graph = stored->type == MLIA_VGF_GRAPH};
    if (stored->type == MLIA_VGF_COMPUTE)
        return NULL;
    if (!segment->is_graph)
        return mlia_error(MLIA_E_VGF_SEGMENT,
                          "segment %" PRIu32 " has type %" PRIu32 ", which is neither graph nor compute",
                          index, stored->type);
    const mlia_vgf_module *module = stored->module < vgf->module_count ? &vgf->modules[stored->module] : NULL;
    if (module == NULL || module->code_type != MLIA_VGF_CODE_SPIRV || module->code.size == 0)
        return mlia_error(MLIA_E_VGF_SEGMENT, "graph segment %" PRIu32 " has no SPIR-V module", index);
    segment->spirv = module->code;
    return NULL;
}

static mlia_status *read_segments(const mlia_backend_request *request, mlia_measure_segment **segments,
                                  size_t *count)
{
    mlia_vgf *vgf;
    MLIA_TRY(mlia_vgf_read(request->model, request->arena, request->diagnostics, &vgf));
    *segments = MLIA_NEW_ARRAY(request->arena, mlia_measure_segment, vgf->segment_count);
    MLIA_TRY_ALLOC(*segments);
    *count = vgf->segment_count;
    for (uint32_t i = 0; i < vgf->segment_count; i++)
        MLIA_TRY(segment_of(vgf, i, &(*segments)[i]));
    return NULL;
}

/* Paths in the document: as the user typed them. */
static mlia_value *shown_path(mlia_arena *arena, const mlia_capture *capture, mlia_str path)
{
    mlia_str text = mlia_arena_format(arena, "%.*s/%.*s", MLIA_STR_ARG(capture->shown), MLIA_STR_ARG(path));
    return text.data ? mlia_value_string(arena, text) : NULL;
}

static mlia_value *copied_text(mlia_arena *arena, mlia_str text)
{
    mlia_str copy = mlia_arena_str(arena, text);
    return copy.data ? mlia_value_string(arena, copy) : NULL;
}

static mlia_value *optional_number(mlia_arena *arena, mlia_optional_u32 number)
{
    return number.present ? mlia_value_integer(arena, number.value) : mlia_value_null(arena);
}

static bool set_member(mlia_arena *arena, mlia_value *object, const char *name, mlia_value *value)
{
    return mlia_value_set(arena, object, mlia_str_from_c(name), value);
}

/* Identity of device and capture: configuration of the backend in the document. */
static mlia_status *describe_capture(const mlia_measurement *measurement, mlia_arena *arena,
                                     mlia_value *statistics, mlia_value *databases,
                                     const mlia_value **configuration)
{
    const mlia_capture *capture = measurement->capture;
    const mlia_capture_device *device = measurement->device;
    mlia_value *object = mlia_value_object(arena);
    MLIA_TRY_ALLOC(object);
    *configuration = object;
    bool done = set_member(arena, object, "device", copied_text(arena, device->name)) &&
                set_member(arena, object, "profiling_device",
                           mlia_value_string(arena, mlia_generation_name(measurement->generation))) &&
                set_member(arena, object, "vendor_id", optional_number(arena, device->vendor_id)) &&
                set_member(arena, object, "device_id", optional_number(arena, device->device_id)) &&
                set_member(arena, object, "mode", mlia_value_integer(arena, capture->mode)) &&
                set_member(arena, object, "capture_root", copied_text(arena, capture->shown)) &&
                set_member(arena, object, "statistics_files", statistics) &&
                set_member(arena, object, "debug_database_files", databases);
    return done ? NULL : mlia_error_memory();
}

/* What the document says of the input: files and folders per graph segment, device, capture. */
static mlia_status *describe(const mlia_measurement *measurement, mlia_arena *arena,
                             mlia_backend_facts *facts)
{
    const mlia_capture *capture = measurement->capture;
    mlia_value *folders = mlia_value_array(arena);
    mlia_value *statistics = mlia_value_array(arena);
    mlia_value *databases = mlia_value_array(arena);
    facts->runtime = mlia_value_object(arena);
    bool done = facts->runtime != NULL && set_member(arena, facts->runtime, "profiling_data", folders);
    for (size_t i = 0; done && i < measurement->segment_count; i++) {
        const mlia_capture_dispatch *dispatch = measurement->segments[i].pick->dispatch;
        const mlia_capture_artifact *database =
            &capture->pipelines[dispatch->pipeline].artifacts[MLIA_ARTIFACT_DEBUG_DATABASE];
        done = mlia_value_add(arena, folders, shown_path(arena, capture, dispatch->folder)) &&
               mlia_value_add(arena, statistics, shown_path(arena, capture, dispatch->statistics.path)) &&
               mlia_value_add(arena, databases, shown_path(arena, capture, database->path));
    }
    facts->target_description = MLIA_STR("Neural Technology measured profiling data");
    return done ? describe_capture(measurement, arena, statistics, databases, &facts->configuration)
                : mlia_error_memory();
}

/* Without a VGF the model of the document is the captured SPIR-V module, which is kept beside it. */
static mlia_status *take_module(const mlia_measurement *measurement, const mlia_backend_request *request)
{
    const mlia_capture *capture = measurement->capture;
    const mlia_capture_dispatch *dispatch = measurement->segments[0].pick->dispatch;
    const mlia_capture_artifact *shader =
        &capture->pipelines[dispatch->pipeline].artifacts[MLIA_ARTIFACT_SHADER_MODULE];
    mlia_backend_facts *facts = request->facts;
    facts->model_name = mlia_arena_str(request->arena, mlia_str_base_name(shader->path));
    MLIA_TRY_ALLOC(facts->model_name.data);
    facts->model_format = mlia_format_describe(MLIA_FORMAT_SPV)->id;
    MLIA_TRY(mlia_capture_read_artifact(capture, shader, request->arena, &facts->model));
    return mlia_backend_write_file(request, facts->model_name, facts->model);
}

static mlia_status *analyse(const mlia_backend_request *request, const mlia_measure_inputs *inputs,
                            const mlia_measure_segment *segments, size_t segment_count,
                            mlia_result_builder *builder)
{
    mlia_selection selection;
    mlia_measurement measurement;
    MLIA_TRY(mlia_measure_select(inputs, segments, segment_count, request->arena, &selection));
    MLIA_TRY(mlia_measure(&selection, request->arena, &measurement));
    MLIA_TRY(mlia_measured_result(&measurement, request->arena, builder));
    MLIA_TRY(describe(&measurement, request->arena, request->facts));
    return segments == NULL ? take_module(&measurement, request) : NULL;
}

static mlia_status *run(const mlia_backend_request *request, mlia_result_builder *builder)
{
    mlia_measure_segment *segments = NULL;
    size_t segment_count = 0;
    if (request->format != MLIA_FORMAT_UNKNOWN) {
        MLIA_TRY(check_model(request));
        MLIA_TRY(mlia_status_path(read_segments(request, &segments, &segment_count), request->model_path));
    }
    mlia_measure_inputs inputs;
    MLIA_TRY(
        mlia_measure_open(request->profiling_data, request->profiling_data_count, request->arena, &inputs));
    mlia_status *status = analyse(request, &inputs, segments, segment_count, builder);
    mlia_measure_close(&inputs);
    return status;
}

const mlia_backend mlia_backend_neural_technology_profiling_data = {
    .id = "neural-technology-profiling-data",
    .name = "Neural Technology Profiling Data",
    .version = "experimental",
    .summary = "measured cycles and hardware counters of captures",
    .categories = MLIA_CATEGORY_BIT(MLIA_RESULT_PERFORMANCE),
    .formats = MLIA_FORMAT_BIT(MLIA_FORMAT_VGF),
    .targets = "neural-technology",
    .selectable = true,
    .profiling = true,
    .run = run,
};
