/* capture.json, and what callers do with an open capture. */
#include "formats/capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/capture/reader.h"

static mlia_status *check_status(const capture_node *node, mlia_arena *arena)
{
    mlia_str status;
    MLIA_TRY(capture_take_text(node, "status", arena, &status));
    if (!mlia_str_equal_c(status, "complete"))
        return capture_at(
            mlia_error(MLIA_E_STATUS, "the capture is not complete, its status is '%.200s'", status.data),
            node, "status");
    if (!capture_is_null(node, "error"))
        return capture_at(mlia_error(MLIA_E_STATUS, "a complete capture cannot have an error"), node,
                          "error");
    return NULL;
}

static mlia_status *take_settings(const capture_node *document, mlia_capture *capture)
{
    static const char *const members[] = {"layer_name",
                                          "layer_version",
                                          "commit_identity",
                                          "dispatch_filter",
                                          "layer_implementation_version",
                                          "statistics_mode",
                                          NULL};
    capture_node node;
    mlia_arena *arena = capture->arena;
    MLIA_TRY(capture_node_open_member(&node, document, "capture", members));
    MLIA_TRY(capture_take_filled_text(&node, "layer_name", arena, &capture->layer_name));
    MLIA_TRY(capture_take_text(&node, "layer_version", arena, &capture->layer_version));
    MLIA_TRY(capture_take_text(&node, "commit_identity", arena, &capture->commit_identity));
    MLIA_TRY(capture_take_text(&node, "dispatch_filter", arena, &capture->dispatch_filter));
    MLIA_TRY(capture_take_u32(&node, "layer_implementation_version", &capture->layer_implementation_version));
    MLIA_TRY(capture_take_u32(&node, "statistics_mode", &capture->mode));
    if (capture->mode <= 1)
        return NULL;
    return capture_at(mlia_error(MLIA_E_VALUE, "expected 0 or 1, found %" PRIu32, capture->mode), &node,
                      "statistics_mode");
}

static mlia_status *take_device(capture_reader *reader, const capture_node *node, uint32_t position,
                                mlia_capture_device *device)
{
    MLIA_TRY(capture_take_u64(node, "id", &device->id));
    char text[CAPTURE_ID_SIZE];
    mlia_str key = mlia_arena_str(reader->scratch, capture_id_text(device->id, text));
    MLIA_TRY_ALLOC(key.data);
    bool is_new;
    if (mlia_map_insert(&reader->devices, key, position, &is_new) == NULL)
        return mlia_error_memory();
    if (!is_new)
        return capture_at(mlia_error(MLIA_E_DUPLICATE_ID, "device %s is in the list twice", key.data), node,
                          "id");
    MLIA_TRY(capture_take_filled_text(node, "name", reader->capture->arena, &device->name));
    MLIA_TRY(capture_take_optional_u32(node, "vendor_id", &device->vendor_id));
    MLIA_TRY(capture_take_optional_u32(node, "device_id", &device->device_id));
    MLIA_TRY(capture_take_optional_u32(node, "driver_version", &device->driver_version));
    return capture_take_optional_u32(node, "api_version", &device->api_version);
}

static mlia_status *take_devices(capture_reader *reader, const capture_node *document)
{
    static const char *const members[] = {"id",          "name", "vendor_id", "device_id", "driver_version",
                                          "api_version", NULL};
    size_t count;
    MLIA_TRY(capture_take_list(document, "devices", 1, &count));
    mlia_capture_device *devices = MLIA_NEW_ARRAY(reader->capture->arena, mlia_capture_device, count);
    MLIA_TRY_ALLOC(devices);
    for (uint32_t i = 0; i < count; i++) {
        capture_node node;
        MLIA_TRY(capture_node_open_item(&node, document, "devices", i, members));
        MLIA_TRY(take_device(reader, &node, i, &devices[i]));
    }
    reader->capture->devices = devices;
    reader->capture->device_count = (uint32_t)count;
    return NULL;
}

static mlia_status *take_warnings(capture_reader *reader, const capture_node *document)
{
    size_t count;
    MLIA_TRY(capture_take_list(document, "warnings", 0, &count));
    mlia_str *warnings = MLIA_NEW_ARRAY(reader->capture->arena, mlia_str, count);
    MLIA_TRY_ALLOC(warnings);
    for (size_t i = 0; i < count; i++) {
        MLIA_TRY(capture_take_item_text(document, "warnings", i, reader->capture->arena, &warnings[i]));
        if (mlia_map_insert(&reader->warnings, warnings[i], 0, NULL) == NULL)
            return mlia_error_memory();
    }
    reader->capture->warnings = warnings;
    reader->capture->warning_count = (uint32_t)count;
    return NULL;
}

static mlia_status *read_values(capture_reader *reader, const json_t *document, capture_references *pipelines)
{
    static const char *const members[] = {"schema_version", "status",   "error",     "capture",
                                          "devices",        "warnings", "pipelines", NULL};
    capture_node node;
    MLIA_TRY(capture_node_open(&node, document, members));
    MLIA_TRY(check_status(&node, reader->scratch));
    MLIA_TRY(take_settings(&node, reader->capture));
    MLIA_TRY(take_devices(reader, &node));
    MLIA_TRY(take_warnings(reader, &node));
    return capture_take_references(reader, &node, "pipelines", pipelines);
}

static mlia_status *read_root(capture_reader *reader, const capture_place *root)
{
    json_t *document;
    MLIA_TRY(capture_read_document(&root->folder, MLIA_CAPTURE_DOCUMENT, &document));
    capture_references pipelines;
    mlia_status *status = read_values(reader, document, &pipelines);
    json_decref(document);
    if (status == NULL)
        status = capture_read_pipelines(reader, root, &pipelines);
    return status;
}

/* Opens the folder itself; the path holds no link any more. */
static mlia_status *open_root(mlia_capture *capture)
{
    capture->descriptor = open(capture->root.data, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return capture->descriptor >= 0
               ? NULL
               : mlia_error(MLIA_E_INPUT_DIRECTORY, "the folder cannot be opened: %s", strerror(errno));
}

static mlia_status *read_capture(mlia_capture *capture, mlia_arena *scratch)
{
    capture_reader reader = {.capture = capture,
                             .scratch = scratch,
                             .warnings = mlia_map_in(scratch),
                             .devices = mlia_map_in(scratch),
                             .sessions = mlia_map_in(scratch),
                             .dispatches = mlia_map_in(scratch)};
    MLIA_TRY(open_root(capture));
    int copy = fcntl(capture->descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return mlia_error(MLIA_E_READ, "%s", strerror(errno));
    capture_place root = {.path = MLIA_STR("")};
    MLIA_TRY(capture_folder_adopt(copy, capture->shown.data, &root.folder));
    mlia_status *status = read_root(&reader, &root);
    if (status == NULL)
        status = capture_sweep(&root.folder);
    capture_folder_close(&root.folder);
    return status;
}

static mlia_status *in_root_document(mlia_status *status, const mlia_capture *capture, mlia_arena *scratch)
{
    if (status == NULL)
        return NULL;
    mlia_status_path(status, mlia_arena_format(scratch, "%s/%s", capture->shown.data, MLIA_CAPTURE_DOCUMENT));
    return mlia_capture_advise(status);
}

static mlia_status *open_in(mlia_arena *arena, const mlia_capture_location *location, mlia_arena *scratch,
                            mlia_capture **out)
{
    mlia_capture *capture = MLIA_NEW(arena, mlia_capture);
    MLIA_TRY_ALLOC(capture);
    *out = capture;
    *capture = (mlia_capture){.arena = arena,
                              .descriptor = -1,
                              .root = mlia_arena_str(arena, location->root),
                              .shown = mlia_arena_str(arena, location->shown)};
    MLIA_TRY_ALLOC(capture->root.data);
    MLIA_TRY_ALLOC(capture->shown.data);
    return in_root_document(read_capture(capture, scratch), capture, scratch);
}

mlia_status *mlia_capture_open(const mlia_capture_location *location, mlia_capture **capture)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_arena *scratch = mlia_arena_new(0);
    mlia_capture *opened = NULL;
    mlia_status *status = arena && scratch ? open_in(arena, location, scratch, &opened) : mlia_error_memory();
    mlia_arena_free(scratch);
    if (status != NULL) {
        if (opened != NULL)
            mlia_capture_free(opened);
        else
            mlia_arena_free(arena);
        return status;
    }
    *capture = opened;
    return NULL;
}

void mlia_capture_free(mlia_capture *capture)
{
    if (capture == NULL)
        return;
    if (capture->descriptor >= 0)
        close(capture->descriptor);
    mlia_arena_free(capture->arena);
}

const mlia_capture_dispatch *mlia_capture_find_dispatch(const mlia_capture *capture, mlia_str folder)
{
    for (uint32_t i = 0; i < capture->dispatch_count; i++)
        if (mlia_str_equal(capture->dispatches[i].folder, folder))
            return &capture->dispatches[i];
    return NULL;
}

/* Opens an artifact by its path, part by part, from the capture's folder. */
static mlia_status *open_artifact(const mlia_capture *capture, const mlia_capture_artifact *artifact,
                                  int *descriptor)
{
    int folder = capture->descriptor;
    mlia_status *status = NULL;
    mlia_str rest = artifact->path;
    for (size_t end; status == NULL && (end = mlia_str_find(rest, '/')) != SIZE_MAX;
         rest = mlia_str_slice(rest, end + 1, SIZE_MAX)) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", MLIA_STR_ARG(mlia_str_slice(rest, 0, end)));
        int next = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (next < 0)
            status =
                mlia_error(MLIA_E_READ, "its folder changed while the capture was read: %s", strerror(errno));
        if (folder != capture->descriptor)
            close(folder);
        folder = next;
    }
    if (status == NULL)
        status = capture_file_open(folder, rest.data, &artifact->identity, descriptor);
    if (folder >= 0 && folder != capture->descriptor)
        close(folder);
    return status;
}

static mlia_status *in_artifact(mlia_status *status, const mlia_capture *capture,
                                const mlia_capture_artifact *artifact)
{
    if (status == NULL)
        return NULL;
    mlia_buffer path = {0};
    mlia_buffer_format(&path, "%s/%s", capture->shown.data, artifact->path.data);
    mlia_status_path(status, mlia_buffer_str(&path));
    mlia_buffer_free(&path);
    return mlia_capture_advise(status);
}

static mlia_status *read_artifact(const mlia_capture *capture, const mlia_capture_artifact *artifact,
                                  uint8_t *data)
{
    int descriptor = -1;
    MLIA_TRY(open_artifact(capture, artifact, &descriptor));
    mlia_status *status = capture_file_read(descriptor, &artifact->identity, data);
    close(descriptor);
    return status;
}

mlia_status *mlia_capture_read_artifact(const mlia_capture *capture, const mlia_capture_artifact *artifact,
                                        mlia_arena *arena, mlia_bytes *bytes)
{
    size_t size = (size_t)artifact->identity.size;
    uint8_t *data = MLIA_NEW_ARRAY(arena, uint8_t, size);
    MLIA_TRY_ALLOC(data);
    MLIA_TRY(in_artifact(read_artifact(capture, artifact, data), capture, artifact));
    *bytes = (mlia_bytes){data, size};
    return NULL;
}

static mlia_status *stream(int descriptor, const mlia_file_identity *identity, mlia_bytes buffer,
                           mlia_capture_consume *consume, void *context)
{
    for (uint64_t left = identity->size; left > 0;) {
        size_t size = left < buffer.size ? (size_t)left : buffer.size;
        MLIA_TRY(capture_file_read_piece(descriptor, (uint8_t *)buffer.data, size));
        MLIA_TRY(consume(context, mlia_bytes_slice(buffer, 0, size)));
        left -= size;
    }
    return capture_file_verify(descriptor, identity);
}

mlia_status *mlia_capture_stream_artifact(const mlia_capture *capture, const mlia_capture_artifact *artifact,
                                          size_t piece_size, mlia_capture_consume *consume, void *context)
{
    int descriptor = -1;
    MLIA_TRY(in_artifact(open_artifact(capture, artifact, &descriptor), capture, artifact));
    uint8_t *buffer = malloc(piece_size);
    mlia_status *status =
        buffer ? stream(descriptor, &artifact->identity, (mlia_bytes){buffer, piece_size}, consume, context)
               : mlia_error_memory();
    free(buffer);
    close(descriptor);
    return in_artifact(status, capture, artifact);
}
