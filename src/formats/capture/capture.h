/* Captures of the Vulkan layer VK_LAYER_LGL_neural_statistics, schema version 2 (docs/formats/capture.md): a
 * folder of JSON documents (capture, pipelines, sessions, dispatches) and the binary files they describe.
 *
 * Reading checks the whole folder: closed JSON documents, ids, sizes, spelling, and that no link and no
 * special file is anywhere below it. Only the documents are read; of the binary files size and identity are
 * noted, and a file that has changed by the time it is read is refused. Nothing outside the folder is ever
 * opened.
 */
#ifndef MLIA_FORMATS_CAPTURE_CAPTURE_H
#define MLIA_FORMATS_CAPTURE_CAPTURE_H

#include <time.h>

#include "base/arena.h"
#include "base/bytes.h"

/* Largest files and folders that are read (E_LIMIT beyond). */
enum {
    MLIA_CAPTURE_DOCUMENT_LIMIT = 16 << 20, /* bytes of a JSON document */
    MLIA_CAPTURE_DEPTH_LIMIT = 16,          /* nesting of a JSON document, and of folders below the capture */
    MLIA_CAPTURE_ARTIFACT_LIMIT = 256 << 20, /* bytes of a debug database, statistics info or shader module */
    MLIA_CAPTURE_ENTRY_LIMIT = 1000000,      /* files and folders below the capture */
};
#define MLIA_CAPTURE_STATISTICS_LIMIT ((uint64_t)4 << 30) /* bytes of a statistics file */

#define MLIA_CAPTURE_DOCUMENT "capture.json"

/* Which file a name meant when it was checked. */
typedef struct mlia_file_identity {
    uint64_t device;
    uint64_t inode;
    uint64_t size;
    struct timespec modified;
    struct timespec changed;
} mlia_file_identity;

typedef enum mlia_artifact_type {
    MLIA_ARTIFACT_DEBUG_DATABASE,
    MLIA_ARTIFACT_STATISTICS_INFO,
    MLIA_ARTIFACT_SHADER_MODULE,
    MLIA_ARTIFACT_DISPATCH_STATISTICS,
    MLIA_ARTIFACT_TYPE_COUNT,
} mlia_artifact_type;

/* "debug_database", … */
mlia_str mlia_artifact_type_name(mlia_artifact_type type);

typedef struct mlia_capture_artifact {
    mlia_str path; /* from the capture's folder; empty: the capture does not have this file */
    mlia_file_identity identity;
} mlia_capture_artifact;

typedef struct mlia_optional_u32 {
    bool present;
    uint32_t value;
} mlia_optional_u32;

typedef struct mlia_capture_device {
    uint64_t id;
    mlia_str name; /* "Mali-G1-Ultra MC10" */
    mlia_optional_u32 vendor_id;
    mlia_optional_u32 device_id; /* of the hardware */
    mlia_optional_u32 driver_version;
    mlia_optional_u32 api_version;
} mlia_capture_device;

typedef struct mlia_capture_dispatch {
    uint64_t id;
    uint64_t executed_index; /* counts the executions of its session from 0 */
    uint32_t session;        /* position in mlia_capture.sessions */
    uint32_t pipeline;       /* position in mlia_capture.pipelines */
    mlia_str folder;         /* from the capture's folder */
    mlia_capture_artifact statistics;
} mlia_capture_dispatch;

typedef struct mlia_capture_session {
    uint64_t id;
    uint32_t pipeline;
    mlia_str name; /* may be empty */
    mlia_str folder;
    uint32_t first_dispatch; /* its dispatches follow each other */
    uint32_t dispatch_count;
} mlia_capture_session;

typedef struct mlia_capture_pipeline {
    uint64_t id;
    uint32_t device; /* position in mlia_capture.devices */
    mlia_str name;   /* may be empty */
    mlia_str folder;
    mlia_str entry_point;
    mlia_capture_artifact artifacts[MLIA_ARTIFACT_DISPATCH_STATISTICS]; /* by mlia_artifact_type */
    uint32_t first_session;
    uint32_t session_count;
    uint32_t first_dispatch; /* over all its sessions */
    uint32_t dispatch_count;
} mlia_capture_pipeline;

typedef struct mlia_capture {
    mlia_arena *arena;
    int descriptor; /* of the folder; private */
    mlia_str root;  /* the folder's real path */
    mlia_str shown; /* the folder as the user's path says it, for messages and documents */
    uint32_t mode;  /* statistics mode, 0 or 1 */
    mlia_str layer_name;
    mlia_str layer_version;
    mlia_str commit_identity;
    mlia_str dispatch_filter; /* "" = all, "N", "N-M" */
    uint32_t layer_implementation_version;
    const mlia_capture_device *devices;
    uint32_t device_count;
    const mlia_str *warnings;
    uint32_t warning_count;
    mlia_capture_pipeline *pipelines; /* all in the order of the documents, depth first */
    uint32_t pipeline_count;
    mlia_capture_session *sessions;
    uint32_t session_count;
    mlia_capture_dispatch *dispatches;
    uint32_t dispatch_count;
    size_t pipeline_capacity; /* private, also below */
    size_t session_capacity;
    size_t dispatch_capacity;
} mlia_capture;

/* What a path given to --profiling-data means. */
typedef struct mlia_capture_location {
    mlia_str root;     /* real path of the capture's folder */
    mlia_str shown;    /* the same as the user's path says it */
    mlia_str dispatch; /* dispatch folder inside it; empty: the whole capture */
} mlia_capture_location;

/* True when `path` is a folder that holds capture.json or dispatch.json: worth mlia_capture_locate. */
bool mlia_capture_is_folder(const char *path);

/* Resolves a path: a capture folder, or a dispatch folder in its place inside one. Errors:
 * E_INPUT_DIRECTORY, _LINK, _UNKNOWN, _LOCATION. */
mlia_status *mlia_capture_locate(const char *path, mlia_arena *arena, mlia_capture_location *location);

/* Reads and checks the capture at `location`. The caller frees *capture with mlia_capture_free. Errors: any
 * of the capture kinds of docs/formats/capture.md, E_LIMIT, E_PERMISSION, E_READ, with the file and the place
 * in it. */
mlia_status *mlia_capture_open(const mlia_capture_location *location, mlia_capture **capture);
void mlia_capture_free(mlia_capture *capture); /* NULL allowed; texts of the capture go with it */

/* The dispatch whose folder is `folder`, or NULL. */
const mlia_capture_dispatch *mlia_capture_find_dispatch(const mlia_capture *capture, mlia_str folder);

/* Content of an artifact that is present, in `arena`. E_READ when the file is no longer the one that was
 * checked. */
mlia_status *mlia_capture_read_artifact(const mlia_capture *capture, const mlia_capture_artifact *artifact,
                                        mlia_arena *arena, mlia_bytes *bytes);

/* The same in pieces of `piece_size` bytes (the last may be short), in order; only one piece is in memory. */
typedef mlia_status *mlia_capture_consume(void *context, mlia_bytes piece);
mlia_status *mlia_capture_stream_artifact(const mlia_capture *capture, const mlia_capture_artifact *artifact,
                                          size_t piece_size, mlia_capture_consume *consume, void *context);

/* Adds to `status` (NULL allowed) what a user can do about an error of a capture, by its kind. */
mlia_status *mlia_capture_advise(mlia_status *status);

#endif
