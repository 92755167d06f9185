/* TOML 1.0 reader (https://toml.io/en/v1.0.0): profiles, user configuration, plug-in manifests.
 *
 * The whole text is read into a tree in an arena; strings without escapes are views into the text. Refuses,
 * with line and column: everything the specification calls invalid, nesting deeper than MLIA_TOML_DEPTH, and
 * text that is not UTF-8. Time and memory are linear in the size of the text. */
#ifndef MLIA_FORMATS_TOML_TOML_H
#define MLIA_FORMATS_TOML_TOML_H

#include "base/map.h"
#include "base/status.h"

enum { MLIA_TOML_DEPTH = 64 };

typedef enum mlia_toml_type {
    MLIA_TOML_STRING,
    MLIA_TOML_INTEGER,
    MLIA_TOML_FLOAT,
    MLIA_TOML_BOOL,
    MLIA_TOML_DATETIME, /* with offset */
    MLIA_TOML_DATETIME_LOCAL,
    MLIA_TOML_DATE_LOCAL,
    MLIA_TOML_TIME_LOCAL,
    MLIA_TOML_ARRAY,
    MLIA_TOML_TABLE,
} mlia_toml_type;

typedef struct mlia_toml mlia_toml;

typedef struct mlia_toml_member {
    mlia_str key;
    mlia_toml *value;
    uint32_t line; /* of the key; both count from 1, columns in bytes */
    uint32_t column;
} mlia_toml_member;

struct mlia_toml {
    mlia_toml_type type;
    uint32_t line; /* where the value, or the header of the table, begins */
    uint32_t column;
    union {
        mlia_str text; /* strings; dates and times as written */
        int64_t integer;
        double number;
        bool boolean;
    } as;
    size_t count; /* items of an array, members of a table, in order */
    mlia_toml **items;
    mlia_toml_member *members;
    /* private to the reader */
    size_t capacity;
    mlia_map map; /* key → member, for larger tables */
    uint32_t section;
    uint16_t depth;
    uint8_t definition;
};

/* Reads `text`; *root is a table. Errors are of kind `kind` (E_CONFIG, E_PROFILE …) with line and column.
 * `arena` and the text must outlive the tree. */
mlia_status *mlia_toml_read(mlia_arena *arena, mlia_str text, mlia_kind kind, mlia_toml **root);

/* Member of a table, or NULL. */
const mlia_toml_member *mlia_toml_find(const mlia_toml *table, mlia_str key);

/* "a string", "an array" … for messages. */
const char *mlia_toml_type_name(mlia_toml_type type);

#endif
