/* The JSON documents of a capture: objects with a closed set of members, taken by name and type. Private to
 * formats/capture.
 *
 * Refused beyond what JSON refuses: duplicate members at any depth, nesting above MLIA_CAPTURE_DEPTH_LIMIT,
 * unknown and missing members, integers with fraction or exponent. Integers have the full range of 64 bits:
 * Vulkan handles use it.
 */
#ifndef MLIA_FORMATS_CAPTURE_JSON_H
#define MLIA_FORMATS_CAPTURE_JSON_H

#include <jansson.h>

#include "formats/capture/capture.h"

/* An object being read. The parents give the place for messages: "shader.specialization_entries[0]". */
typedef struct capture_node {
    const json_t *object;
    const struct capture_node *parent; /* NULL: the document */
    const char *key;                   /* in the parent */
    size_t index;                      /* in the parent's list; SIZE_MAX: it is no list */
} capture_node;

/* Parses a document; the caller ends *value with json_decref. Errors: E_JSON_SYNTAX, E_JSON_DUPLICATE_KEY,
 * E_RANGE, E_LIMIT with line and column. */
mlia_status *capture_json_parse(mlia_bytes text, json_t **value);

/* `value` must be an object with exactly the members of `keys` (ended by NULL): E_TYPE, E_SCHEMA_VERSION
 * (when schema_version is a key), E_FIELDS. */
mlia_status *capture_node_open(capture_node *node, const json_t *value, const char *const *keys);
/* The same for the object `key` of `parent`. */
mlia_status *capture_node_open_member(capture_node *node, const capture_node *parent, const char *key,
                                      const char *const *keys);
/* The same for item `index` of the list `key` of `parent`. */
mlia_status *capture_node_open_item(capture_node *node, const capture_node *parent, const char *key,
                                    size_t index, const char *const *keys);

/* Adds the place of member `key` of `node` (or of `node` itself: NULL) to an error. */
mlia_status *capture_at(mlia_status *status, const capture_node *node, const char *key);

/* Members by type: E_TYPE, E_RANGE, and E_VALUE for a text or list that must not be empty. */
mlia_status *capture_take_u64(const capture_node *node, const char *key, uint64_t *value);
mlia_status *capture_take_u32(const capture_node *node, const char *key, uint32_t *value);
mlia_status *capture_take_optional_u32(const capture_node *node, const char *key, mlia_optional_u32 *value);
mlia_status *capture_take_bool(const capture_node *node, const char *key, bool *value);
/* Texts are copied into `arena`, with a NUL behind. */
mlia_status *capture_take_text(const capture_node *node, const char *key, mlia_arena *arena, mlia_str *value);
mlia_status *capture_take_filled_text(const capture_node *node, const char *key, mlia_arena *arena,
                                      mlia_str *value);
mlia_status *capture_take_list(const capture_node *node, const char *key, size_t least, size_t *count);
/* Text `index` of a list. */
mlia_status *capture_take_item_text(const capture_node *node, const char *key, size_t index,
                                    mlia_arena *arena, mlia_str *value);
/* Members whose value is not used: u64 or null, text, text or null. */
mlia_status *capture_check_optional_u64(const capture_node *node, const char *key);
mlia_status *capture_check_text(const capture_node *node, const char *key);
mlia_status *capture_check_optional_text(const capture_node *node, const char *key);
bool capture_is_null(const capture_node *node, const char *key);

/* Text of a JSON string that does not carry a wide integer; false for anything else. */
bool capture_json_text(const json_t *value, mlia_str *text);

#endif
