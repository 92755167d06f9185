/* What a path given as profiling data means, and what to do about errors of captures. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/capture/capture.h"

/* Levels of a dispatch folder below the capture's folder, outermost first. */
static const char *const levels[] = {"pipeline_", "session_", "dispatch_"};
enum { LEVEL_COUNT = 3, ID_DIGITS = 6 };

/* Anything of that name, also a link or a folder: then this is meant to be a capture. */
static bool holds(const char *folder, const char *name)
{
    char path[PATH_MAX];
    int size = snprintf(path, sizeof path, "%s/%s", folder, name);
    struct stat info;
    return size > 0 && (size_t)size < sizeof path && lstat(path, &info) == 0;
}

bool mlia_capture_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
           (holds(path, MLIA_CAPTURE_DOCUMENT) || holds(path, "dispatch.json"));
}

static bool is_level_name(mlia_str name, const char *prefix)
{
    mlia_str start = mlia_str_from_c(prefix);
    if (!mlia_str_starts_with(name, start) || name.size - start.size < ID_DIGITS)
        return false;
    for (size_t i = start.size; i < name.size; i++)
        if (name.data[i] < '0' || name.data[i] > '9')
            return false;
    return true;
}

static mlia_str parent_of(mlia_str path)
{
    size_t slash = mlia_str_find_last(path, '/');
    return mlia_str_slice(path, 0, slash == SIZE_MAX ? 0 : slash);
}

/* Without the slashes at the end; "/" stays. */
static mlia_str trimmed(mlia_str path)
{
    while (path.size > 1 && path.data[path.size - 1] == '/')
        path.size--;
    return path;
}

/* The capture's folder in the user's words: PATH without its last three parts when they are the levels. */
static mlia_str shown_root(mlia_arena *arena, mlia_str path, mlia_str dispatch)
{
    if (mlia_str_equal_c(path, "."))
        return mlia_arena_str(arena, MLIA_STR("../../.."));
    if (!mlia_str_ends_with(path, dispatch))
        return mlia_arena_format(arena, "%.*s/../../..", MLIA_STR_ARG(path));
    mlia_str rest = mlia_str_slice(path, 0, path.size - dispatch.size);
    if (rest.size == 0)
        return mlia_arena_str(arena, MLIA_STR("."));
    if (rest.data[rest.size - 1] != '/')
        return mlia_arena_format(arena, "%.*s/../../..", MLIA_STR_ARG(path));
    return mlia_arena_str(arena, trimmed(rest));
}

static mlia_status *locate_dispatch(mlia_str path, mlia_str real, mlia_arena *arena,
                                    mlia_capture_location *location)
{
    mlia_str rest = real;
    bool in_place = true;
    for (int i = LEVEL_COUNT - 1; i >= 0; i--) {
        in_place = in_place && is_level_name(mlia_str_base_name(rest), levels[i]);
        rest = parent_of(rest);
    }
    mlia_str root = mlia_arena_str(arena, rest.size ? rest : MLIA_STR("/"));
    MLIA_TRY_ALLOC(root.data);
    if (!in_place || !holds(root.data, MLIA_CAPTURE_DOCUMENT))
        return mlia_error(MLIA_E_INPUT_LOCATION,
                          "the dispatch folder is not in its place CAPTURE/pipeline_N/session_N/dispatch_N");
    location->root = root;
    location->dispatch = mlia_str_slice(real, rest.size + 1, SIZE_MAX);
    location->shown = shown_root(arena, path, location->dispatch);
    MLIA_TRY_ALLOC(location->shown.data);
    return NULL;
}

static mlia_status *locate_real(mlia_str path, const char *real, mlia_arena *arena,
                                mlia_capture_location *location)
{
    if (holds(real, MLIA_CAPTURE_DOCUMENT)) {
        *location = (mlia_capture_location){mlia_arena_str(arena, mlia_str_from_c(real)),
                                            mlia_arena_str(arena, path), MLIA_STR_NONE};
        MLIA_TRY_ALLOC(location->root.data);
        MLIA_TRY_ALLOC(location->shown.data);
        return NULL;
    }
    if (!holds(real, "dispatch.json"))
        return mlia_error(MLIA_E_INPUT_UNKNOWN, "the folder holds neither capture.json nor dispatch.json");
    mlia_str copy = mlia_arena_str(arena, mlia_str_from_c(real));
    MLIA_TRY_ALLOC(copy.data);
    return locate_dispatch(path, copy, arena, location);
}

static mlia_status *locate(const char *path, mlia_arena *arena, mlia_capture_location *location)
{
    /* With a '/' behind it lstat would follow the link. */
    mlia_str name = mlia_arena_str(arena, trimmed(mlia_str_from_c(path)));
    MLIA_TRY_ALLOC(name.data);
    struct stat info;
    if (lstat(name.data, &info) != 0)
        return mlia_error(MLIA_E_INPUT_DIRECTORY, "%s", strerror(errno));
    if (S_ISLNK(info.st_mode))
        return mlia_error(MLIA_E_INPUT_LINK, "the path is a symbolic link");
    if (!S_ISDIR(info.st_mode))
        return mlia_error(MLIA_E_INPUT_DIRECTORY, "the path is not a folder");
    char *real = realpath(name.data, NULL);
    if (real == NULL)
        return mlia_error(MLIA_E_INPUT_DIRECTORY, "%s", strerror(errno));
    mlia_status *status = locate_real(name, real, arena, location);
    free(real);
    return status;
}

mlia_status *mlia_capture_locate(const char *path, mlia_arena *arena, mlia_capture_location *location)
{
    mlia_status *status = mlia_status_path(locate(path, arena, location), mlia_str_from_c(path));
    return mlia_capture_advise(status);
}

/* Advice by kind; kinds that follow each other and share a remedy are one row. */
static const struct {
    mlia_kind first;
    mlia_kind last;
    const char *text;
} advice[] = {
    {MLIA_E_INPUT_DIRECTORY, MLIA_E_INPUT_UNKNOWN, "give a capture's folder or a dispatch folder inside one"},
    {MLIA_E_INPUT_LOCATION, MLIA_E_INPUT_UNREFERENCED,
     "keep the capture's folders whole, as the layer wrote them"},
    {MLIA_E_MODEL_TYPE, MLIA_E_MODEL_TYPE, "give the .vgf that ran, or no model"},
    {MLIA_E_JSON_SYNTAX, MLIA_E_JSON_SYNTAX, "capture again"},
    {MLIA_E_JSON_DUPLICATE_KEY, MLIA_E_JSON_DUPLICATE_KEY, "capture again"},
    {MLIA_E_SCHEMA_VERSION, MLIA_E_SCHEMA_VERSION, "use a release of the layer that writes schema version 2"},
    {MLIA_E_FIELDS, MLIA_E_VALUE, "capture again"},
    {MLIA_E_STATUS, MLIA_E_STATUS, "let the application end cleanly and capture again"},
    {MLIA_E_PATH_SYNTAX, MLIA_E_PIPELINE_STATE, "capture again"},
    {MLIA_E_NAMESPACE_LINK, MLIA_E_NAMESPACE_CASE, "copy the capture whole, for example with tar"},
    {MLIA_E_ARTIFACT_TYPE, MLIA_E_ARTIFACT_SIZE, "copy the capture whole, for example with tar"},
    {MLIA_E_ARTIFACT_UNAVAILABLE, MLIA_E_ARTIFACT_UNAVAILABLE, "choose another dispatch, or another driver"},
    {MLIA_E_DEVICE_VENDOR, MLIA_E_DEVICE_NAME, "only Mali-G1 and Mali-G2 are known"},
    {MLIA_E_FRAME_MAGIC, MLIA_E_FRAME_TRUNCATED, "the file is damaged or of a newer driver: capture again"},
    {MLIA_E_INFO_ALIGN, MLIA_E_STATS_ALIGN, "the file is damaged or of a newer driver: capture again"},
    {MLIA_E_DEBUG_TEXT, MLIA_E_DEBUG_MULTI, "the file is damaged or of a newer driver: capture again"},
    {MLIA_E_LABEL_UNRESOLVED, MLIA_E_LABEL_UNRESOLVED,
     "the shader module does not belong to this debug database"},
    {MLIA_E_SELECT_CAPTURES, MLIA_E_SELECT_DEVICES,
     "repeat --profiling-data once per graph segment, in the order of the VGF"},
};

mlia_status *mlia_capture_advise(mlia_status *status)
{
    if (status == NULL)
        return NULL;
    mlia_kind kind = mlia_status_kind(status);
    for (size_t i = 0; i < sizeof advice / sizeof advice[0]; i++)
        if (kind >= advice[i].first && kind <= advice[i].last)
            mlia_status_hint(status, "%s", advice[i].text);
    return status;
}
