/* Documents and the lists in them: references to other documents, artifacts, items without repetition. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/capture/reader.h"

mlia_str capture_id_text(uint64_t id, char text[CAPTURE_ID_SIZE])
{
    return (mlia_str){text, (size_t)snprintf(text, CAPTURE_ID_SIZE, "%" PRIu64, id)};
}

static mlia_status *read_file(const capture_folder *folder, const char *name, mlia_file_identity identity,
                              json_t **value)
{
    if (identity.size > MLIA_CAPTURE_DOCUMENT_LIMIT)
        return mlia_error(MLIA_E_LIMIT, "%" PRIu64 " bytes, a document has at most %d", identity.size,
                          MLIA_CAPTURE_DOCUMENT_LIMIT);
    int descriptor;
    MLIA_TRY(capture_file_open(folder->descriptor, name, &identity, &descriptor));
    mlia_bytes text = {NULL, (size_t)identity.size};
    uint8_t *data = malloc(text.size + 1);
    mlia_status *status = data ? capture_file_read(descriptor, &identity, data) : mlia_error_memory();
    close(descriptor);
    text.data = data;
    if (status == NULL)
        status = capture_json_parse(text, value);
    free(data);
    return status;
}

mlia_status *capture_read_document(const capture_folder *folder, const char *name, json_t **value)
{
    mlia_file_identity identity;
    MLIA_TRY(capture_file_identify(folder, name, &identity));
    return read_file(folder, name, identity, value);
}

mlia_status *capture_place_open(const capture_reader *reader, const capture_place *parent, const char *name,
                                capture_place *place)
{
    mlia_arena *arena = reader->capture->arena;
    mlia_str shown = mlia_arena_format(arena, "%s/%s", parent->folder.path, name);
    place->path = parent->path.size ? mlia_arena_format(arena, "%.*s/%s", MLIA_STR_ARG(parent->path), name)
                                    : mlia_arena_str(arena, mlia_str_from_c(name));
    MLIA_TRY_ALLOC(shown.data);
    MLIA_TRY_ALLOC(place->path.data);
    return capture_folder_open(&parent->folder, name, shown.data, &place->folder);
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Relative, '/' between the parts, no part empty, "." or "..", no backslash, NUL or drive letter. */
static bool is_plain_path(mlia_str path)
{
    if (memchr(path.size ? path.data : "", '\0', path.size) != NULL ||
        mlia_str_find(path, '\\') != SIZE_MAX ||
        (path.size > 1 && path.data[1] == ':' && is_letter(path.data[0])))
        return false;
    for (;;) {
        size_t end = mlia_str_find(path, '/');
        mlia_str part = mlia_str_slice(path, 0, end);
        if (part.size == 0 || mlia_str_equal_c(part, ".") || mlia_str_equal_c(part, ".."))
            return false;
        if (end == SIZE_MAX)
            return true;
        path = mlia_str_slice(path, end + 1, SIZE_MAX);
    }
}

static mlia_status *take_path(const capture_node *node, mlia_arena *arena, mlia_str *path)
{
    MLIA_TRY(capture_take_text(node, "path", arena, path));
    if (is_plain_path(*path))
        return NULL;
    return capture_at(mlia_error(MLIA_E_PATH_SYNTAX,
                                 "'%.200s' is no path below the capture's folder (relative, '/' between the "
                                 "parts, without '.' and '..')",
                                 path->data),
                      node, "path");
}

/* A new key of the set, else an error of `kind`. */
static mlia_status *demand_new(mlia_map *seen, mlia_str key, mlia_kind kind, const char *text)
{
    bool is_new;
    if (mlia_map_insert(seen, key, 0, &is_new) == NULL)
        return mlia_error_memory();
    return is_new ? NULL : mlia_error(kind, "%s '%.*s' is in the list twice", text, MLIA_STR_ARG(key));
}

static mlia_status *take_reference(const capture_reader *reader, const capture_node *node, mlia_map *ids,
                                   mlia_map *paths, capture_reference *reference)
{
    MLIA_TRY(capture_take_u64(node, "id", &reference->id));
    MLIA_TRY(take_path(node, reader->scratch, &reference->path));
    mlia_str id = mlia_arena_format(reader->scratch, "%" PRIu64, reference->id);
    MLIA_TRY_ALLOC(id.data);
    MLIA_TRY(capture_at(demand_new(ids, id, MLIA_E_DUPLICATE_ID, "id"), node, "id"));
    return capture_at(demand_new(paths, reference->path, MLIA_E_DUPLICATE_PATH, "path"), node, "path");
}

mlia_status *capture_take_references(const capture_reader *reader, const capture_node *node, const char *key,
                                     capture_references *references)
{
    static const char *const members[] = {"id", "path", NULL};
    MLIA_TRY(capture_take_list(node, key, 0, &references->count));
    capture_reference *items = MLIA_NEW_ARRAY(reader->scratch, capture_reference, references->count);
    MLIA_TRY_ALLOC(items);
    references->items = items;
    mlia_map ids = mlia_map_in(reader->scratch);
    mlia_map paths = mlia_map_in(reader->scratch);
    for (size_t i = 0; i < references->count; i++) {
        capture_node item;
        MLIA_TRY(capture_node_open_item(&item, node, key, i, members));
        MLIA_TRY(take_reference(reader, &item, &ids, &paths, &items[i]));
    }
    return NULL;
}

mlia_str capture_folder_name(const capture_reader *reader, const char *prefix, uint64_t id)
{
    return mlia_arena_format(reader->capture->arena, "%s_%06" PRIu64, prefix, id);
}

mlia_status *capture_check_reference(const capture_place *parent, const capture_reference *reference,
                                     mlia_str folder, const char *document)
{
    mlia_str path = reference->path;
    size_t lead = parent->path.size ? parent->path.size + 1 : 0;
    bool matches = path.size == lead + folder.size + 1 + strlen(document) &&
                   mlia_str_starts_with(path, parent->path) && (lead == 0 || path.data[lead - 1] == '/') &&
                   mlia_str_equal(mlia_str_slice(path, lead, folder.size), folder) &&
                   path.data[lead + folder.size] == '/' &&
                   mlia_str_ends_with(path, mlia_str_from_c(document));
    if (matches)
        return NULL;
    return mlia_error(MLIA_E_REFERENCE_PATH, "id %" PRIu64 " has the path '%.200s', expected '%.*s%s%.*s/%s'",
                      reference->id, path.data, MLIA_STR_ARG(parent->path), lead ? "/" : "",
                      MLIA_STR_ARG(folder), document);
}

static mlia_status *take_item_key(const capture_reader *reader, const capture_node *item,
                                  const char *const *fields, unsigned wide, mlia_str *key)
{
    uint64_t values[3] = {0};
    for (unsigned i = 0; fields[i] != NULL; i++) {
        if (wide >> i & 1) {
            MLIA_TRY(capture_take_u64(item, fields[i], &values[i]));
        } else {
            uint32_t value;
            MLIA_TRY(capture_take_u32(item, fields[i], &value));
            values[i] = value;
        }
    }
    *key = mlia_arena_format(reader->scratch, "%" PRIu64 " %" PRIu64 " %" PRIu64, values[0], values[1],
                             values[2]);
    MLIA_TRY_ALLOC(key->data);
    return NULL;
}

mlia_status *capture_check_unique_items(const capture_reader *reader, const capture_node *node,
                                        const char *key, const char *const *fields, unsigned wide)
{
    size_t count;
    MLIA_TRY(capture_take_list(node, key, 0, &count));
    mlia_map seen = mlia_map_in(reader->scratch);
    for (size_t i = 0; i < count; i++) {
        capture_node item;
        mlia_str text;
        MLIA_TRY(capture_node_open_item(&item, node, key, i, fields));
        MLIA_TRY(take_item_key(reader, &item, fields, wide, &text));
        MLIA_TRY(capture_at(demand_new(&seen, text, MLIA_E_DUPLICATE_ID, "item"), &item, NULL));
    }
    return NULL;
}

static const struct {
    mlia_str name;
    uint64_t limit; /* bytes */
} artifact_types[] = {
    [MLIA_ARTIFACT_DEBUG_DATABASE] = {MLIA_STR_INIT("debug_database"), MLIA_CAPTURE_ARTIFACT_LIMIT},
    [MLIA_ARTIFACT_STATISTICS_INFO] = {MLIA_STR_INIT("statistics_info"), MLIA_CAPTURE_ARTIFACT_LIMIT},
    [MLIA_ARTIFACT_SHADER_MODULE] = {MLIA_STR_INIT("shader_module"), MLIA_CAPTURE_ARTIFACT_LIMIT},
    [MLIA_ARTIFACT_DISPATCH_STATISTICS] = {MLIA_STR_INIT("dispatch_statistics"),
                                           MLIA_CAPTURE_STATISTICS_LIMIT},
};

mlia_str mlia_artifact_type_name(mlia_artifact_type type)
{
    return artifact_types[type].name;
}

static mlia_status *take_type(const capture_reader *reader, const capture_node *node, unsigned allowed,
                              mlia_artifact_type *type)
{
    mlia_str name;
    MLIA_TRY(capture_take_text(node, "type", reader->scratch, &name));
    for (unsigned i = 0; i < MLIA_ARTIFACT_TYPE_COUNT; i++) {
        if (mlia_str_equal(artifact_types[i].name, name) && allowed >> i & 1) {
            *type = (mlia_artifact_type)i;
            return NULL;
        }
    }
    return capture_at(
        mlia_error(MLIA_E_ARTIFACT_TYPE, "an artifact of type '%.200s' cannot be here", name.data), node,
        "type");
}

/* The file must lie in the document's folder, have the declared size, and be empty only where that is legal.
 */
static mlia_status *reach_artifact(const capture_place *place, const capture_node *node,
                                   mlia_artifact_type type, uint64_t size, mlia_capture_artifact *artifact)
{
    size_t slash = mlia_str_find_last(artifact->path, '/');
    mlia_str folder = mlia_str_slice(artifact->path, 0, slash == SIZE_MAX ? 0 : slash);
    if (!mlia_str_equal(folder, place->path))
        return capture_at(mlia_error(MLIA_E_REFERENCE_PATH, "'%.200s' is not in the folder of this document",
                                     artifact->path.data),
                          node, "path");
    bool may_be_empty =
        type == MLIA_ARTIFACT_STATISTICS_INFO && mlia_str_ends_with(artifact->path, MLIA_STR(".txt"));
    if (size == 0 && !may_be_empty)
        return capture_at(mlia_error(MLIA_E_ARTIFACT_SIZE, "'%.200s' is empty", artifact->path.data), node,
                          "size");
    MLIA_TRY(capture_file_identify(&place->folder, artifact->path.data + slash + 1, &artifact->identity));
    if (artifact->identity.size != size)
        return capture_at(mlia_error(MLIA_E_ARTIFACT_SIZE,
                                     "%" PRIu64 " bytes declared, '%.200s' has %" PRIu64, size,
                                     artifact->path.data, artifact->identity.size),
                          node, "size");
    if (size > artifact_types[type].limit)
        return capture_at(mlia_error(MLIA_E_LIMIT, "%" PRIu64 " bytes, at most %" PRIu64 " are read", size,
                                     artifact_types[type].limit),
                          node, "size");
    return NULL;
}

static mlia_status *take_artifact(const capture_reader *reader, const capture_node *node,
                                  const capture_place *place, unsigned allowed, mlia_map *paths,
                                  capture_artifacts *artifacts)
{
    mlia_capture_artifact artifact;
    mlia_artifact_type type = MLIA_ARTIFACT_TYPE_COUNT;
    uint64_t size;
    MLIA_TRY(take_path(node, reader->capture->arena, &artifact.path));
    MLIA_TRY(take_type(reader, node, allowed, &type));
    MLIA_TRY(capture_take_u64(node, "size", &size));
    MLIA_TRY(capture_at(demand_new(paths, artifact.path, MLIA_E_DUPLICATE_PATH, "path"), node, "path"));
    MLIA_TRY(reach_artifact(place, node, type, size, &artifact));
    artifacts->items[type] = artifact;
    artifacts->counts[type]++;
    return NULL;
}

mlia_status *capture_take_artifacts(const capture_reader *reader, const capture_node *node,
                                    const capture_place *place, unsigned allowed,
                                    capture_artifacts *artifacts)
{
    static const char *const members[] = {"path", "type", "size", NULL};
    size_t count;
    *artifacts = (capture_artifacts){0};
    MLIA_TRY(capture_take_list(node, "artifacts", 0, &count));
    mlia_map paths = mlia_map_in(reader->scratch);
    for (size_t i = 0; i < count; i++) {
        capture_node item;
        MLIA_TRY(capture_node_open_item(&item, node, "artifacts", i, members));
        MLIA_TRY(take_artifact(reader, &item, place, allowed, &paths, artifacts));
    }
    return NULL;
}

mlia_status *capture_check_artifact(const capture_artifacts *artifacts, mlia_artifact_type type,
                                    unsigned count, const char *name, const char *other_name)
{
    mlia_str type_name = artifact_types[type].name;
    if (artifacts->counts[type] != count)
        return mlia_status_in(mlia_error(MLIA_E_ARTIFACT_COUNT, "expected %u of type %.*s, found %u", count,
                                         MLIA_STR_ARG(type_name), artifacts->counts[type]),
                              "artifacts");
    mlia_str found = mlia_str_base_name(artifacts->items[type].path);
    if (count == 0 || mlia_str_equal_c(found, name) || (other_name && mlia_str_equal_c(found, other_name)))
        return NULL;
    return mlia_status_in(mlia_error(MLIA_E_ARTIFACT_NAME, "the %.*s is called '%.200s', expected '%s'%s%s%s",
                                     MLIA_STR_ARG(type_name), found.data, name, other_name ? " or '" : "",
                                     other_name ? other_name : "", other_name ? "'" : ""),
                          "artifacts");
}
