/* Reading a document: JSON text → tree → conformance → structs → rules R1-R5. */
#include <jansson.h>
#include <stdlib.h>

#include "result/check.h"
#include "result/conform.h"
#include "result/pattern.h"

enum { DEPTH_LIMIT = 64, CURRENT_MINOR = 2 };
#define SIZE_LIMIT ((size_t)1 << 30)

/* What reading carries along. */
typedef struct reader {
    mlia_arena *arena;
    mlia_diagnostics *diagnostics;
    mlia_kept *kept; /* NULL: unknown members were refused before */
} reader;

/* The tree of a text; `*tree` is to be released. Integers beyond 64 bits are read as numbers. */
static mlia_status *parse(mlia_str text, json_t **tree)
{
    if (text.size > SIZE_LIMIT)
        return mlia_error(MLIA_E_LIMIT, "the document has %zu bytes; at most %zu are read", text.size,
                          SIZE_LIMIT);
    json_error_t error;
    size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL;
    const char *data = text.size ? text.data : "";
    *tree = json_loadb(data, text.size, flags, &error);
    if (*tree == NULL && json_error_code(&error) == json_error_numeric_overflow)
        *tree = json_loadb(data, text.size, flags | JSON_DECODE_INT_AS_REAL, &error);
    if (*tree != NULL)
        return NULL;
    switch (json_error_code(&error)) {
    case json_error_out_of_memory:
        return mlia_error_memory();
    case json_error_stack_overflow:
        return mlia_error(MLIA_E_LIMIT, "the document is more than %d levels deep", DEPTH_LIMIT);
    default:
        return mlia_status_at_line(mlia_error(MLIA_E_JSON_SYNTAX, "%s", error.text), (uint32_t)error.line,
                                   (uint32_t)error.column);
    }
}

static bool is_deeper(json_t *json, unsigned levels) /* NOLINT(misc-no-recursion): DEPTH_LIMIT */
{
    if (!json_is_array(json) && !json_is_object(json))
        return false;
    if (levels == 0)
        return true;
    for (size_t i = 0; i < json_array_size(json); i++)
        if (is_deeper(json_array_get(json, i), levels - 1))
            return true;
    const char *name;
    json_t *value;
    json_object_foreach(json, name, value) if (is_deeper(value, levels - 1)) return true;
    return false;
}

static mlia_str copy_text(reader *r, const json_t *json)
{
    return mlia_arena_str(r->arena, (mlia_str){json_string_value(json), json_string_length(json)});
}

static mlia_value *read_value(reader *r, json_t *json);

static mlia_value *read_array(reader *r, json_t *json) /* NOLINT(misc-no-recursion): DEPTH_LIMIT */
{
    mlia_value *array = mlia_value_array(r->arena);
    for (size_t i = 0; array != NULL && i < json_array_size(json); i++)
        if (!mlia_value_add(r->arena, array, read_value(r, json_array_get(json, i))))
            return NULL;
    return array;
}

static mlia_value *read_object(reader *r, json_t *json) /* NOLINT(misc-no-recursion): DEPTH_LIMIT */
{
    mlia_value *object = mlia_value_object(r->arena);
    const char *name;
    json_t *value;
    json_object_foreach(json, name, value)
    {
        mlia_str copy = mlia_arena_str(r->arena, mlia_str_from_c(name));
        if (!mlia_value_set(r->arena, object, copy, read_value(r, value)))
            return NULL;
    }
    return object;
}

static mlia_value *read_value(reader *r, json_t *json) /* NOLINT(misc-no-recursion): DEPTH_LIMIT */
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return read_object(r, json);
    case JSON_ARRAY:
        return read_array(r, json);
    case JSON_STRING: {
        mlia_str text = copy_text(r, json);
        return text.data != NULL ? mlia_value_string(r->arena, text) : NULL;
    }
    case JSON_INTEGER:
        return mlia_value_integer(r->arena, json_integer_value(json));
    case JSON_REAL:
        return mlia_value_number(r->arena, json_real_value(json));
    case JSON_TRUE:
    case JSON_FALSE:
        return mlia_value_bool(r->arena, json_is_true(json));
    case JSON_NULL:
        break;
    }
    return mlia_value_null(r->arena);
}

static int read_enum(const mlia_field *field, const json_t *json)
{
    for (int i = 0; field->texts[i] != NULL; i++)
        if (strcmp(field->texts[i], json_string_value(json)) == 0)
            return i + 1;
    return 0;
}

/* An integer may be written with a point or exponent; those beyond 64 bits are cut to the nearest one. */
static int64_t read_integer(const json_t *json)
{
    if (json_is_integer(json))
        return json_integer_value(json);
    double value = json_real_value(json);
    if (value >= 9223372036854775807.0)
        return INT64_MAX;
    return value <= -9223372036854775808.0 ? INT64_MIN : (int64_t)value;
}

static bool read_struct(reader *r, const mlia_shape *shape, json_t *json, char *structure);

static bool read_texts(reader *r, json_t *json, mlia_texts *texts)
{
    size_t count = json_array_size(json);
    texts->items = MLIA_NEW_ARRAY(r->arena, mlia_str, count);
    if (texts->items == NULL)
        return false;
    texts->count = texts->capacity = count;
    for (size_t i = 0; i < count; i++)
        if ((texts->items[i] = copy_text(r, json_array_get(json, i))).data == NULL)
            return false;
    return true;
}

static bool read_structs(reader *r, const mlia_shape *shape, json_t *json,
                         char *member) /* NOLINT(misc-no-recursion) */
{
    mlia_erased_list list = {.count = json_array_size(json), .capacity = json_array_size(json)};
    list.items = mlia_arena_alloc(r->arena, list.count, shape->size, _Alignof(max_align_t));
    if (list.items == NULL)
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (!read_struct(r, shape, json_array_get(json, i), list.items + i * shape->size))
            return false;
    memcpy(member, &list, sizeof list);
    return true;
}

static bool read_member(reader *r, const mlia_field *field, json_t *json,
                        char *structure) /* NOLINT(misc-no-recursion) */
{
    char *member = structure + field->offset;
    switch (field->store) {
    case MLIA_STORE_TEXT:
        if (json_is_null(json))
            return true;
        *(mlia_str *)(void *)member = copy_text(r, json);
        return ((mlia_str *)(void *)member)->data != NULL;
    case MLIA_STORE_ENUM:
        *(int *)(void *)member = read_enum(field, json);
        return true;
    case MLIA_STORE_NUMBER:
        *(double *)(void *)member = json_number_value(json);
        return true;
    case MLIA_STORE_INTEGER:
        *(int64_t *)(void *)member = read_integer(json);
        *(bool *)(structure + field->flag) = true;
        return true;
    case MLIA_STORE_CONSTANT:
        *(bool *)member = true;
        return true;
    case MLIA_STORE_TEXTS:
        return read_texts(r, json, (mlia_texts *)(void *)member);
    case MLIA_STORE_VALUE:
        return (*(mlia_value **)(void *)member = read_value(r, json)) != NULL;
    case MLIA_STORE_STRUCT:
        return read_struct(r, field->shape, json, member);
    case MLIA_STORE_STRUCTS:
        return read_structs(r, field->item->shape, json, member);
    case MLIA_STORE_NONE:
        break;
    }
    return true;
}

static bool keep_member(reader *r, const void *owner, const char *name, json_t *json)
{
    size_t count = r->kept->objects.count;
    if (count == 0 || r->kept->objects.items[count - 1].owner != owner) {
        struct mlia_kept_members object = {owner, mlia_value_object(r->arena)};
        if (object.members == NULL || !MLIA_APPEND(r->arena, r->kept->objects, object))
            return false;
    }
    mlia_value *members = r->kept->objects.items[r->kept->objects.count - 1].members;
    return mlia_value_set(r->arena, members, mlia_arena_str(r->arena, mlia_str_from_c(name)),
                          read_value(r, json));
}

static bool keep_unknown(reader *r, const mlia_shape *shape, json_t *json, const char *structure)
{
    const char *name;
    json_t *value;
    json_object_foreach(json, name, value) if (mlia_shape_field(shape, name) == NULL &&
                                               !keep_member(r, structure, name, value)) return false;
    return true;
}

static bool read_struct(reader *r, const mlia_shape *shape, json_t *json,
                        char *structure) /* NOLINT(misc-no-recursion) */
{
    for (size_t i = 0; i < shape->count; i++) {
        json_t *value = json_object_get(json, shape->fields[i].name);
        if (value != NULL && !read_member(r, &shape->fields[i], value, structure))
            return false;
    }
    return r->kept == NULL || keep_unknown(r, shape, json, structure);
}

static int compare_owners(const void *left, const void *right)
{
    uintptr_t a = (uintptr_t)((const struct mlia_kept_members *)left)->owner;
    uintptr_t b = (uintptr_t)((const struct mlia_kept_members *)right)->owner;
    return (a > b) - (a < b);
}

static mlia_status *read_tree(reader *r, json_t *tree, mlia_document **document)
{
    mlia_document *made = mlia_document_new(r->arena);
    MLIA_TRY_ALLOC(made);
    if (!read_struct(r, &mlia_document_shape, tree, (char *)made))
        return mlia_error_memory();
    if (r->kept != NULL && r->kept->objects.count > 0) {
        qsort(r->kept->objects.items, r->kept->objects.count, sizeof *r->kept->objects.items, compare_owners);
        made->kept = r->kept;
    }
    *document = made;
    return NULL;
}

/* Entities of schema 1.0 and 1.1 say `scope` where later ones say `kind`; `location` becomes an attribute. */
static bool upgrade_entity(json_t *entity, json_t *kinds)
{
    json_t *scope = json_object_get(entity, "scope");
    if (!json_is_string(scope) || json_object_get(entity, "kind") != NULL)
        return true;
    bool is_operator = strcmp(json_string_value(scope), "operator") == 0;
    const char *kind = is_operator ? "source_operator" : json_string_value(scope);
    bool well_known = false;
    for (uint32_t i = 0; i < MLIA_KIND_WELL_KNOWN; i++)
        well_known = well_known || mlia_str_equal_c(mlia_well_known_kinds[i], kind);
    if (!well_known && json_object_set_new(kinds, kind, json_null()) != 0)
        return false;
    json_t *location = json_object_get(entity, "location");
    if (location != NULL) {
        json_t *attributes = json_object_get(entity, "attributes");
        if (attributes == NULL && json_object_set_new(entity, "attributes", attributes = json_object()) != 0)
            return false;
        if (json_is_object(attributes) && json_object_set(attributes, "location", location) != 0)
            return false;
        (void)json_object_del(entity, "location");
    }
    bool done = json_object_set_new(entity, "kind", json_string(kind)) == 0;
    (void)json_object_del(entity, "scope");
    return done;
}

static bool upgrade_result(json_t *result)
{
    json_t *kinds = json_object(); /* names of kinds to declare */
    json_t *entities = json_object_get(result, "entities");
    bool done = kinds != NULL;
    for (size_t i = 0; done && i < json_array_size(entities); i++)
        done = upgrade_entity(json_array_get(entities, i), kinds);
    if (done && json_object_size(kinds) > 0 && json_object_get(result, "entity_kinds") == NULL)
        done = json_object_set_new(result, "entity_kinds", json_array()) == 0;
    const char *kind;
    json_t *none;
    json_object_foreach(kinds, kind, none) done =
        done &&
        json_array_append_new(json_object_get(result, "entity_kinds"), json_pack("{s:s}", "id", kind)) == 0;
    json_decref(kinds);
    return done;
}

/* Brings an older tree into today's shape. */
static mlia_status *upgrade(json_t *tree, mlia_str version, mlia_diagnostics *diagnostics)
{
    mlia_warn(diagnostics, MLIA_W_DOCUMENT_VERSION,
              "schema version %.*s is older than 1.2.0; what it lacks is missing", MLIA_STR_ARG(version));
    json_t *results = json_object_get(tree, "results");
    for (size_t i = 0; i < json_array_size(results); i++)
        if (!upgrade_result(json_array_get(results, i)))
            return mlia_error_memory();
    if (json_object_set_new(tree, "schema_version", json_string("1.2.0")) != 0)
        return mlia_error_memory();
    return NULL;
}

static mlia_status *adapt_version(reader *r, json_t *tree, bool *lenient)
{
    json_t *member = json_object_get(tree, "schema_version");
    mlia_str version = {json_string_value(member), json_string_length(member)};
    if (version.data == NULL || !mlia_pattern_schema_version(version))
        return NULL; /* the conformance check says so */
    uint32_t minor = mlia_schema_minor(version);
    *lenient = minor > CURRENT_MINOR;
    if (minor < CURRENT_MINOR)
        return upgrade(tree, version, r->diagnostics);
    if (*lenient)
        mlia_warn(r->diagnostics, MLIA_W_DOCUMENT_VERSION, "schema version %.*s is newer than 1.2.0",
                  MLIA_STR_ARG(version));
    return NULL;
}

static mlia_status *conform_and_read(reader *r, json_t *tree, mlia_faults *faults, mlia_document **document)
{
    if (!json_is_object(tree)) {
        mlia_fault_add(faults, "schema", NULL, "the document is no object");
        return mlia_faults_status(faults);
    }
    if (is_deeper(tree, DEPTH_LIMIT))
        return mlia_error(MLIA_E_LIMIT, "the document is more than %d levels deep", DEPTH_LIMIT);
    bool lenient = false;
    MLIA_TRY(adapt_version(r, tree, &lenient));
    mlia_conformance conformance = {faults, r->diagnostics, lenient};
    mlia_conform(&conformance, &mlia_document_shape, tree, NULL);
    MLIA_TRY(mlia_faults_status(faults));
    if (lenient)
        MLIA_TRY_ALLOC(r->kept = MLIA_NEW(r->arena, mlia_kept));
    MLIA_TRY(read_tree(r, tree, document));
    return mlia_document_check(*document, false, faults);
}

mlia_status *mlia_document_read(mlia_str text, mlia_arena *arena, mlia_diagnostics *diagnostics,
                                mlia_faults *faults, mlia_document **document)
{
    mlia_faults own = {.arena = arena};
    if (faults == NULL)
        faults = &own;
    reader r = {.arena = arena, .diagnostics = diagnostics};
    json_t *tree = NULL;
    MLIA_TRY(parse(text, &tree));
    mlia_status *status = conform_and_read(&r, tree, faults, document);
    json_decref(tree);
    return status != NULL ? status : mlia_faults_status(faults);
}
