/* State of one reading of a capture, and the lists that its documents share. Private to formats/capture. */
#ifndef MLIA_FORMATS_CAPTURE_READER_H
#define MLIA_FORMATS_CAPTURE_READER_H

#include "base/map.h"
#include "formats/capture/folder.h"
#include "formats/capture/json.h"

typedef struct capture_reader {
    mlia_capture *capture;
    mlia_arena *scratch; /* for what only the reading needs */
    mlia_map warnings;   /* texts of capture.json's warnings */
    mlia_map devices;    /* decimal id → position */
    mlia_map sessions;   /* folder names of the sessions and dispatches seen so far */
    mlia_map dispatches;
} capture_reader;

/* A folder of the capture that is being read, with its path from the capture's folder. */
typedef struct capture_place {
    capture_folder folder;
    mlia_str path; /* "" for the capture's folder; NUL behind it */
} capture_place;

typedef struct capture_reference {
    uint64_t id;
    mlia_str path;
} capture_reference;

typedef struct capture_references {
    const capture_reference *items; /* in scratch memory */
    size_t count;
} capture_references;

/* Decimal text of an id, in `text`. */
enum { CAPTURE_ID_SIZE = 21 };
mlia_str capture_id_text(uint64_t id, char text[CAPTURE_ID_SIZE]);

/* Reads document `name` of the folder; the caller ends *value with json_decref. */
mlia_status *capture_read_document(const capture_folder *folder, const char *name, json_t **value);

/* Opens the folder NAME of `parent`: fills `place`, whose folder the caller closes. */
mlia_status *capture_place_open(const capture_reader *reader, const capture_place *parent, const char *name,
                                capture_place *place);

/* The list `key` of {id, path}: E_PATH_SYNTAX, E_DUPLICATE_ID, E_DUPLICATE_PATH. */
mlia_status *capture_take_references(const capture_reader *reader, const capture_node *node, const char *key,
                                     capture_references *references);

/* Folder name of the object `id` ("session_000012" for prefix "session"), in the capture's arena. */
mlia_str capture_folder_name(const capture_reader *reader, const char *prefix, uint64_t id);

/* Demands that the reference leads to FOLDER/DOCUMENT below `parent`: E_REFERENCE_PATH. */
mlia_status *capture_check_reference(const capture_place *parent, const capture_reference *reference,
                                     mlia_str folder, const char *document);

/* The list `key` whose items have the integer members `fields` (at most 3, ended by NULL), no two items
 * equal. `wide` tells which of them have 64 bits (bit 1 << position). */
mlia_status *capture_check_unique_items(const capture_reader *reader, const capture_node *node,
                                        const char *key, const char *const *fields, unsigned wide);

/* What the list `artifacts` of a document describes, by type. */
typedef struct capture_artifacts {
    mlia_capture_artifact items[MLIA_ARTIFACT_TYPE_COUNT];
    unsigned counts[MLIA_ARTIFACT_TYPE_COUNT];
} capture_artifacts;

/* Reads the list; only the types of `allowed` (bits 1 << mlia_artifact_type) may be in it. */
mlia_status *capture_take_artifacts(const capture_reader *reader, const capture_node *node,
                                    const capture_place *place, unsigned allowed,
                                    capture_artifacts *artifacts);
/* Demands `count` artifacts of `type`, and that it is called `name` or, if not NULL, `other_name`. */
mlia_status *capture_check_artifact(const capture_artifacts *artifacts, mlia_artifact_type type,
                                    unsigned count, const char *name, const char *other_name);

/* The pipelines below capture.json and everything below them. */
mlia_status *capture_read_pipelines(capture_reader *reader, const capture_place *root,
                                    const capture_references *references);

#endif
