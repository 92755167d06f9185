/* Describing captures. Binary files are not read: their sizes are known. */
#include "core/inspect_capture.h"

#include <stdio.h>

#include "formats/capture/decode.h"

typedef struct describer {
    const mlia_capture *capture;
    const mlia_capture_dispatch *only; /* NULL: all dispatches */
    mlia_arena *arena;
    bool failed; /* out of memory */
} describer;

static mlia_value *object(describer *d)
{
    mlia_value *value = mlia_value_object(d->arena);
    d->failed |= value == NULL;
    return value;
}

static void set(describer *d, mlia_value *target, const char *name, mlia_value *value)
{
    d->failed = d->failed || !mlia_value_set(d->arena, target, mlia_str_from_c(name), value);
}

static void add(describer *d, mlia_value *list, mlia_value *value)
{
    d->failed = d->failed || !mlia_value_add(d->arena, list, value);
}

/* The capture is closed before the description is used. */
static void set_text(describer *d, mlia_value *target, const char *name, mlia_str text)
{
    mlia_str copy = mlia_arena_str(d->arena, text);
    set(d, target, name, copy.data ? mlia_value_string(d->arena, copy) : NULL);
}

/* Ids above 2^63 - 1 are told as texts. */
static void set_number(describer *d, mlia_value *target, const char *name, uint64_t number)
{
    if (number <= INT64_MAX)
        set(d, target, name, mlia_value_integer(d->arena, (int64_t)number));
    else
        set_text(d, target, name, mlia_arena_format(d->arena, "%llu", (unsigned long long)number));
}

static void set_optional(describer *d, mlia_value *target, const char *name, mlia_optional_u32 number)
{
    set(d, target, name,
        number.present ? mlia_value_integer(d->arena, number.value) : mlia_value_null(d->arena));
}

static mlia_value *describe_layer(describer *d)
{
    const mlia_capture *capture = d->capture;
    mlia_value *layer = object(d);
    set_text(d, layer, "name", capture->layer_name);
    set_text(d, layer, "version", capture->layer_version);
    set_number(d, layer, "implementation_version", capture->layer_implementation_version);
    set_text(d, layer, "commit_identity", capture->commit_identity);
    return layer;
}

static mlia_value *describe_devices(describer *d)
{
    mlia_value *list = mlia_value_array(d->arena);
    for (uint32_t i = 0; i < d->capture->device_count; i++) {
        const mlia_capture_device *device = &d->capture->devices[i];
        bool is_known = device->vendor_id.present && device->vendor_id.value == MLIA_VENDOR_ARM;
        mlia_str known =
            is_known ? mlia_generation_name(mlia_generation_of_device(device->name)) : MLIA_STR_NONE;
        mlia_value *row = object(d);
        set_number(d, row, "id", device->id);
        set_text(d, row, "name", device->name);
        set(d, row, "profiling_device",
            known.size ? mlia_value_string(d->arena, known) : mlia_value_null(d->arena));
        set_optional(d, row, "vendor_id", device->vendor_id);
        set_optional(d, row, "device_id", device->device_id);
        set_optional(d, row, "driver_version", device->driver_version);
        set_optional(d, row, "api_version", device->api_version);
        add(d, list, row);
    }
    return list;
}

static mlia_value *describe_dispatches(describer *d, uint32_t first, uint32_t count)
{
    mlia_value *list = mlia_value_array(d->arena);
    for (uint32_t i = first; i < first + count; i++) {
        const mlia_capture_dispatch *dispatch = &d->capture->dispatches[i];
        if (d->only != NULL && d->only != dispatch)
            continue;
        mlia_value *row = object(d);
        set_number(d, row, "id", dispatch->id);
        set_number(d, row, "executed_index", dispatch->executed_index);
        set_number(d, row, "statistics_bytes", dispatch->statistics.identity.size);
        set_text(d, row, "folder", dispatch->folder);
        add(d, list, row);
    }
    return list;
}

static mlia_value *describe_sessions(describer *d, const mlia_capture_pipeline *pipeline)
{
    mlia_value *list = mlia_value_array(d->arena);
    for (uint32_t i = pipeline->first_session; i < pipeline->first_session + pipeline->session_count; i++) {
        const mlia_capture_session *session = &d->capture->sessions[i];
        if (d->only != NULL && d->only->session != i)
            continue;
        mlia_value *row = object(d);
        set_number(d, row, "id", session->id);
        set_text(d, row, "name", session->name);
        set_number(d, row, "dispatch_count", session->dispatch_count);
        set(d, row, "dispatches", describe_dispatches(d, session->first_dispatch, session->dispatch_count));
        add(d, list, row);
    }
    return list;
}

static mlia_value *describe_pipelines(describer *d)
{
    mlia_value *list = mlia_value_array(d->arena);
    for (uint32_t i = 0; i < d->capture->pipeline_count; i++) {
        const mlia_capture_pipeline *pipeline = &d->capture->pipelines[i];
        if (d->only != NULL && d->only->pipeline != i)
            continue;
        mlia_value *row = object(d);
        set_number(d, row, "id", pipeline->id);
        set_text(d, row, "name", pipeline->name);
        set_number(d, row, "device", d->capture->devices[pipeline->device].id);
        set_text(d, row, "entry_point", pipeline->entry_point);
        for (mlia_artifact_type type = 0; type < MLIA_ARTIFACT_DISPATCH_STATISTICS; type++) {
            const mlia_capture_artifact *artifact = &pipeline->artifacts[type];
            char name[64];
            snprintf(name, sizeof name, "%.*s_bytes", MLIA_STR_ARG(mlia_artifact_type_name(type)));
            mlia_str copy = mlia_arena_str(d->arena, mlia_str_from_c(name));
            d->failed |= copy.data == NULL;
            if (artifact->path.size)
                set_number(d, row, copy.data, artifact->identity.size);
            else
                set(d, row, copy.data, mlia_value_null(d->arena));
        }
        set(d, row, "sessions", describe_sessions(d, pipeline));
        add(d, list, row);
    }
    return list;
}

static mlia_value *describe_warnings(describer *d)
{
    mlia_value *list = mlia_value_array(d->arena);
    for (uint32_t i = 0; i < d->capture->warning_count; i++) {
        mlia_str copy = mlia_arena_str(d->arena, d->capture->warnings[i]);
        add(d, list, copy.data ? mlia_value_string(d->arena, copy) : NULL);
    }
    return list;
}

static mlia_value *describe(describer *d)
{
    const mlia_capture *capture = d->capture;
    mlia_value *value = object(d);
    set_text(d, value, "format", MLIA_STR("capture"));
    set_number(d, value, "schema_version", 2);
    set(d, value, "layer", describe_layer(d));
    set_number(d, value, "statistics_mode", capture->mode);
    set_text(d, value, "dispatch_filter", capture->dispatch_filter);
    set(d, value, "devices", describe_devices(d));
    set(d, value, "warnings", describe_warnings(d));
    set_number(d, value, "pipeline_count", capture->pipeline_count);
    set_number(d, value, "session_count", capture->session_count);
    set_number(d, value, "dispatch_count", capture->dispatch_count);
    set(d, value, "pipelines", describe_pipelines(d));
    return value;
}

static mlia_status *inspect(describer *d, mlia_str dispatch, mlia_str path, mlia_value **value)
{
    if (dispatch.size) {
        d->only = mlia_capture_find_dispatch(d->capture, dispatch);
        if (d->only == NULL)
            return mlia_status_path(
                mlia_capture_advise(
                    mlia_error(MLIA_E_INPUT_UNREFERENCED, "the capture does not name this dispatch")),
                path);
    }
    *value = describe(d);
    return d->failed ? mlia_error_memory() : NULL;
}

mlia_status *mlia_inspect_capture(const char *path, mlia_arena *arena, mlia_value **value)
{
    mlia_capture_location location;
    mlia_capture *capture;
    MLIA_TRY(mlia_capture_locate(path, arena, &location));
    MLIA_TRY(mlia_capture_open(&location, &capture));
    describer state = {.capture = capture, .arena = arena};
    mlia_status *status = inspect(&state, location.dispatch, mlia_str_from_c(path), value);
    mlia_capture_free(capture);
    return status;
}
