/* pipeline.json, session.json and dispatch.json: read depth first in the order of the references, each value
 * checked in the order of docs/formats/capture.md, so that the first violation decides the error. */
#include <inttypes.h>
#include <limits.h>

#include "formats/capture/reader.h"

static mlia_status *demand_id(const capture_node *node, const char *key, uint64_t expected)
{
    uint64_t found;
    MLIA_TRY(capture_take_u64(node, key, &found));
    if (found == expected)
        return NULL;
    return capture_at(
        mlia_error(MLIA_E_REFERENCE_ID, "expected %" PRIu64 ", found %" PRIu64, expected, found), node, key);
}

/* Notes a folder name of the whole capture: sessions and dispatches are unique in it. */
static mlia_status *demand_unique(mlia_map *seen, mlia_str name)
{
    bool is_new;
    if (mlia_map_insert(seen, name, 0, &is_new) == NULL)
        return mlia_error_memory();
    return is_new ? NULL
                  : mlia_error(MLIA_E_DUPLICATE_ID, "'%.*s' is in the capture twice", MLIA_STR_ARG(name));
}

/* Names the document as the file of an error that has no file yet. */
static void in_document(mlia_status *status, const capture_place *place, const char *name)
{
    if (status == NULL)
        return;
    char path[PATH_MAX];
    int size = snprintf(path, sizeof path, "%s/%s", place->folder.path, name);
    mlia_status_path(status, mlia_str_slice(mlia_str_from_c(path), 0, (size_t)size));
}

static uint32_t last(size_t count)
{
    return (uint32_t)count - 1;
}

/* Dispatches. */

static mlia_status *read_dispatch_values(capture_reader *reader, const capture_place *place,
                                         const capture_node *node, mlia_map *indexes,
                                         mlia_capture_dispatch *dispatch)
{
    const mlia_capture *capture = reader->capture;
    MLIA_TRY(demand_id(node, "id", dispatch->id));
    MLIA_TRY(demand_id(node, "session_id", capture->sessions[dispatch->session].id));
    MLIA_TRY(capture_take_u64(node, "executed_index", &dispatch->executed_index));
    mlia_str key = mlia_arena_format(reader->scratch, "%" PRIu64, dispatch->executed_index);
    MLIA_TRY_ALLOC(key.data);
    bool is_new;
    if (mlia_map_insert(indexes, key, 0, &is_new) == NULL)
        return mlia_error_memory();
    if (!is_new)
        return capture_at(
            mlia_error(MLIA_E_DUPLICATE_INDEX, "another dispatch of the session has index %s", key.data),
            node, "executed_index");
    MLIA_TRY(capture_check_optional_u64(node, "diagnostic_command_buffer_handle"));
    capture_artifacts artifacts;
    MLIA_TRY(
        capture_take_artifacts(reader, node, place, 1U << MLIA_ARTIFACT_DISPATCH_STATISTICS, &artifacts));
    MLIA_TRY(capture_check_artifact(&artifacts, MLIA_ARTIFACT_DISPATCH_STATISTICS, 1,
                                    capture->mode ? "statistics_mode1.bin" : "statistics_mode0.bin", NULL));
    dispatch->statistics = artifacts.items[MLIA_ARTIFACT_DISPATCH_STATISTICS];
    return NULL;
}

static mlia_status *read_dispatch(capture_reader *reader, const capture_place *place, mlia_map *indexes,
                                  mlia_capture_dispatch *dispatch)
{
    static const char *const members[] = {
        "schema_version", "id", "session_id", "executed_index", "diagnostic_command_buffer_handle",
        "artifacts",      NULL};
    json_t *document;
    MLIA_TRY(capture_read_document(&place->folder, "dispatch.json", &document));
    capture_node node;
    mlia_status *status = capture_node_open(&node, document, members);
    if (status == NULL)
        status = read_dispatch_values(reader, place, &node, indexes, dispatch);
    json_decref(document);
    return status;
}

static mlia_status *add_dispatch(capture_reader *reader, const capture_place *parent,
                                 const capture_reference *reference, mlia_map *indexes)
{
    mlia_capture *capture = reader->capture;
    mlia_str name = capture_folder_name(reader, "dispatch", reference->id);
    MLIA_TRY_ALLOC(name.data);
    MLIA_TRY(capture_check_reference(parent, reference, name, "dispatch.json"));
    MLIA_TRY(demand_unique(&reader->dispatches, name));
    capture_place place;
    MLIA_TRY(capture_place_open(reader, parent, name.data, &place));
    mlia_capture_dispatch dispatch = {.id = reference->id,
                                      .session = last(capture->session_count),
                                      .pipeline = last(capture->pipeline_count),
                                      .folder = place.path};
    mlia_status *status = read_dispatch(reader, &place, indexes, &dispatch);
    in_document(status, &place, "dispatch.json");
    capture_folder_close(&place.folder);
    if (status != NULL)
        return status;
    if (!MLIA_RESERVE(capture->arena, capture->dispatches, capture->dispatch_count,
                      capture->dispatch_capacity))
        return mlia_error_memory();
    capture->dispatches[capture->dispatch_count++] = dispatch;
    return NULL;
}

/* Sessions. */

static mlia_status *read_session(capture_reader *reader, const capture_place *place,
                                 mlia_capture_session *session, capture_references *dispatches)
{
    static const char *const members[] = {
        "schema_version",    "id",    "pipeline_id", "device_id", "friendly_name",
        "diagnostic_handle", "flags", "dispatches",  NULL};
    const mlia_capture *capture = reader->capture;
    const mlia_capture_pipeline *pipeline = &capture->pipelines[session->pipeline];
    json_t *document;
    MLIA_TRY(capture_read_document(&place->folder, "session.json", &document));
    capture_node node;
    uint64_t flags;
    mlia_status *status = capture_node_open(&node, document, members);
    if (status == NULL)
        status = demand_id(&node, "id", session->id);
    if (status == NULL)
        status = demand_id(&node, "pipeline_id", pipeline->id);
    if (status == NULL)
        status = demand_id(&node, "device_id", capture->devices[pipeline->device].id);
    if (status == NULL)
        status = capture_take_text(&node, "friendly_name", capture->arena, &session->name);
    if (status == NULL)
        status = capture_check_optional_u64(&node, "diagnostic_handle");
    if (status == NULL)
        status = capture_take_u64(&node, "flags", &flags);
    if (status == NULL)
        status = capture_take_references(reader, &node, "dispatches", dispatches);
    json_decref(document);
    return status;
}

static mlia_status *read_session_folder(capture_reader *reader, const capture_place *place,
                                        mlia_capture_session session)
{
    mlia_capture *capture = reader->capture;
    capture_references dispatches;
    MLIA_TRY(read_session(reader, place, &session, &dispatches));
    if (!MLIA_RESERVE(capture->arena, capture->sessions, capture->session_count, capture->session_capacity))
        return mlia_error_memory();
    uint32_t self = (uint32_t)capture->session_count++;
    capture->sessions[self] = session;
    mlia_map indexes = mlia_map_in(reader->scratch);
    for (size_t i = 0; i < dispatches.count; i++)
        MLIA_TRY(add_dispatch(reader, place, &dispatches.items[i], &indexes));
    capture->sessions[self].dispatch_count = capture->dispatch_count - session.first_dispatch;
    return NULL;
}

static mlia_status *add_session(capture_reader *reader, const capture_place *parent,
                                const capture_reference *reference)
{
    mlia_capture *capture = reader->capture;
    mlia_str name = capture_folder_name(reader, "session", reference->id);
    MLIA_TRY_ALLOC(name.data);
    MLIA_TRY(capture_check_reference(parent, reference, name, "session.json"));
    MLIA_TRY(demand_unique(&reader->sessions, name));
    capture_place place;
    MLIA_TRY(capture_place_open(reader, parent, name.data, &place));
    mlia_capture_session session = {.id = reference->id,
                                    .pipeline = last(capture->pipeline_count),
                                    .folder = place.path,
                                    .first_dispatch = capture->dispatch_count};
    mlia_status *status = read_session_folder(reader, &place, session);
    in_document(status, &place, "session.json");
    capture_folder_close(&place.folder);
    return status;
}

/* Pipelines. */

static mlia_status *take_device(const capture_reader *reader, const capture_node *node, uint32_t *device)
{
    uint64_t id;
    MLIA_TRY(capture_take_u64(node, "device_id", &id));
    char key[CAPTURE_ID_SIZE];
    const uint32_t *found = mlia_map_find(&reader->devices, capture_id_text(id, key));
    if (found != NULL) {
        *device = *found;
        return NULL;
    }
    return capture_at(mlia_error(MLIA_E_UNKNOWN_DEVICE, "capture.json lists no device %" PRIu64, id), node,
                      "device_id");
}

static mlia_status *check_pipeline_state(const capture_node *node)
{
    bool value;
    MLIA_TRY(capture_check_optional_u64(node, "diagnostic_handle"));
    MLIA_TRY(capture_check_optional_u64(node, "pipeline_layout_handle"));
    uint64_t flags;
    MLIA_TRY(capture_take_u64(node, "flags", &flags));
    MLIA_TRY(capture_check_optional_text(node, "vendor_options"));
    MLIA_TRY(capture_take_bool(node, "identifier_only", &value));
    MLIA_TRY(capture_take_bool(node, "foreign_processing_engine", &value));
    MLIA_TRY(capture_take_bool(node, "statistics_enabled", &value));
    return value ? NULL
                 : capture_at(
                       mlia_error(MLIA_E_PIPELINE_STATE, "expected true: the pipeline records no statistics"),
                       node, "statistics_enabled");
}

typedef struct shader {
    bool has_module_id;
    uint64_t module_id;
    bool spirv_available;
} shader;

static mlia_status *take_shader(const capture_reader *reader, const capture_node *parent,
                                mlia_str *entry_point, shader *value)
{
    static const char *const members[] = {"module_id",   "spirv_available",        "friendly_name",
                                          "entry_point", "specialization_entries", "specialization_data_size",
                                          NULL};
    static const char *const entry_members[] = {"constant_id", "offset", "size", NULL};
    capture_node node;
    uint64_t size;
    MLIA_TRY(capture_node_open_member(&node, parent, "shader", members));
    value->has_module_id = !capture_is_null(&node, "module_id");
    if (value->has_module_id)
        MLIA_TRY(capture_take_u64(&node, "module_id", &value->module_id));
    MLIA_TRY(capture_take_bool(&node, "spirv_available", &value->spirv_available));
    if (value->spirv_available && !value->has_module_id)
        return capture_at(mlia_error(MLIA_E_VALUE, "null, though the SPIR-V module is available"), &node,
                          "module_id");
    MLIA_TRY(capture_check_text(&node, "friendly_name"));
    MLIA_TRY(capture_take_text(&node, "entry_point", reader->capture->arena, entry_point));
    MLIA_TRY(capture_take_u64(&node, "specialization_data_size", &size));
    return capture_check_unique_items(reader, &node, "specialization_entries", entry_members, 1U << 2);
}

/* 0 when the capture announces that a file could not be had, else 1. */
static unsigned expected_count(const capture_reader *reader, const char *what, uint64_t pipeline)
{
    char text[96];
    int size = snprintf(text, sizeof text, "%s was unavailable for pipeline %" PRIu64, what, pipeline);
    return mlia_map_find(&reader->warnings, (mlia_str){text, (size_t)size}) == NULL;
}

static mlia_status *take_pipeline_artifacts(const capture_reader *reader, const capture_node *node,
                                            const capture_place *place, const shader *module,
                                            mlia_capture_pipeline *pipeline)
{
    enum { ALLOWED = (1U << MLIA_ARTIFACT_DISPATCH_STATISTICS) - 1 };
    capture_artifacts found;
    MLIA_TRY(capture_take_artifacts(reader, node, place, ALLOWED, &found));
    MLIA_TRY(capture_check_artifact(&found, MLIA_ARTIFACT_DEBUG_DATABASE,
                                    expected_count(reader, "debug database", pipeline->id),
                                    "debug_database.bin", NULL));
    MLIA_TRY(capture_check_artifact(&found, MLIA_ARTIFACT_STATISTICS_INFO,
                                    expected_count(reader, "neural statistics info", pipeline->id),
                                    "neural_statistics_info.bin", "neural_statistics_info.txt"));
    char name[48];
    snprintf(name, sizeof name, "shader_module_%" PRIu64 ".spv", module->module_id);
    MLIA_TRY(
        capture_check_artifact(&found, MLIA_ARTIFACT_SHADER_MODULE, module->spirv_available, name, NULL));
    memcpy(pipeline->artifacts, found.items, sizeof pipeline->artifacts);
    return NULL;
}

static mlia_status *read_pipeline_values(capture_reader *reader, const capture_place *place,
                                         const capture_node *node, mlia_capture_pipeline *pipeline,
                                         capture_references *sessions)
{
    static const char *const binding_members[] = {"descriptor_set", "binding", "array_element", NULL};
    shader module = {0};
    MLIA_TRY(demand_id(node, "id", pipeline->id));
    MLIA_TRY(take_device(reader, node, &pipeline->device));
    MLIA_TRY(capture_take_text(node, "friendly_name", reader->capture->arena, &pipeline->name));
    MLIA_TRY(check_pipeline_state(node));
    MLIA_TRY(capture_check_unique_items(reader, node, "resource_bindings", binding_members, 0));
    MLIA_TRY(take_shader(reader, node, &pipeline->entry_point, &module));
    MLIA_TRY(take_pipeline_artifacts(reader, node, place, &module, pipeline));
    return capture_take_references(reader, node, "sessions", sessions);
}

static mlia_status *read_pipeline_folder(capture_reader *reader, const capture_place *place,
                                         mlia_capture_pipeline pipeline)
{
    static const char *const members[] = {"schema_version",
                                          "id",
                                          "device_id",
                                          "friendly_name",
                                          "diagnostic_handle",
                                          "pipeline_layout_handle",
                                          "flags",
                                          "vendor_options",
                                          "identifier_only",
                                          "foreign_processing_engine",
                                          "statistics_enabled",
                                          "resource_bindings",
                                          "shader",
                                          "artifacts",
                                          "sessions",
                                          NULL};
    mlia_capture *capture = reader->capture;
    json_t *document;
    MLIA_TRY(capture_read_document(&place->folder, "pipeline.json", &document));
    capture_node node;
    capture_references sessions;
    mlia_status *status = capture_node_open(&node, document, members);
    if (status == NULL)
        status = read_pipeline_values(reader, place, &node, &pipeline, &sessions);
    json_decref(document);
    if (status != NULL)
        return status;
    if (!MLIA_RESERVE(capture->arena, capture->pipelines, capture->pipeline_count,
                      capture->pipeline_capacity))
        return mlia_error_memory();
    uint32_t self = (uint32_t)capture->pipeline_count++;
    capture->pipelines[self] = pipeline;
    for (size_t i = 0; i < sessions.count; i++)
        MLIA_TRY(add_session(reader, place, &sessions.items[i]));
    capture->pipelines[self].session_count = capture->session_count - pipeline.first_session;
    capture->pipelines[self].dispatch_count = capture->dispatch_count - pipeline.first_dispatch;
    return NULL;
}

static mlia_status *add_pipeline(capture_reader *reader, const capture_place *root,
                                 const capture_reference *reference)
{
    mlia_capture *capture = reader->capture;
    mlia_str name = capture_folder_name(reader, "pipeline", reference->id);
    MLIA_TRY_ALLOC(name.data);
    MLIA_TRY(capture_check_reference(root, reference, name, "pipeline.json"));
    capture_place place;
    MLIA_TRY(capture_place_open(reader, root, name.data, &place));
    mlia_capture_pipeline pipeline = {.id = reference->id,
                                      .folder = place.path,
                                      .first_session = capture->session_count,
                                      .first_dispatch = capture->dispatch_count};
    mlia_status *status = read_pipeline_folder(reader, &place, pipeline);
    in_document(status, &place, "pipeline.json");
    capture_folder_close(&place.folder);
    return status;
}

mlia_status *capture_read_pipelines(capture_reader *reader, const capture_place *root,
                                    const capture_references *references)
{
    for (size_t i = 0; i < references->count; i++)
        MLIA_TRY(add_pipeline(reader, root, &references->items[i]));
    return NULL;
}
