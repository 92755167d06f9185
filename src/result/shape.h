/* The shape of the document as tables: one row per member, in the order in which members are written.
 * Reading, writing and the conformance check walk the same tables. */
#ifndef MLIA_RESULT_SHAPE_H
#define MLIA_RESULT_SHAPE_H

#include "result/result.h"

/* JSON types a member may have. An integer is also a number. */
enum {
    MLIA_JSON_NULL = 1,
    MLIA_JSON_BOOL = 2,
    MLIA_JSON_INTEGER = 4,
    MLIA_JSON_NUMBER = 8,
    MLIA_JSON_STRING = 16,
    MLIA_JSON_ARRAY = 32,
    MLIA_JSON_OBJECT = 64,
};

/* How a member is kept in its struct. */
typedef enum mlia_store {
    MLIA_STORE_NONE,     /* not at all: rows of free objects, for checking only */
    MLIA_STORE_TEXT,     /* mlia_str; empty = absent unless required */
    MLIA_STORE_ENUM,     /* int, 1 + position in `texts` */
    MLIA_STORE_NUMBER,   /* double; absent when the bool at `flag` (unavailable) is set */
    MLIA_STORE_INTEGER,  /* int64_t; present when the bool at `flag` is set */
    MLIA_STORE_CONSTANT, /* bool: the member is there; its value is texts[0] */
    MLIA_STORE_TEXTS,    /* mlia_texts */
    MLIA_STORE_VALUE,    /* mlia_value *; an absent required one is written as {} */
    MLIA_STORE_STRUCT,   /* struct described by `shape` */
    MLIA_STORE_STRUCTS,  /* MLIA_LIST of structs described by item->shape */
} mlia_store;

typedef struct mlia_shape mlia_shape;
typedef struct mlia_field mlia_field;

struct mlia_field {
    const char *name;
    uint16_t types; /* MLIA_JSON_… */
    bool required;
    bool unique;      /* array items differ */
    bool has_least;   /* numbers are ≥ least */
    bool is_positive; /* numbers are > 0 */
    bool is_one;      /* the number 1: version of an extension */
    mlia_store store;
    uint32_t least; /* smallest number, or fewest items of an array */
    size_t offset;
    size_t flag;
    const char *const *texts;       /* allowed texts, ended by NULL */
    bool (*accepts)(mlia_str text); /* further demand on a text … */
    const char *expected;           /* … in words */
    const mlia_shape *shape;        /* of an object; NULL: free */
    const mlia_field *item;         /* of array items; NULL: free */
};

struct mlia_shape {
    const char *name; /* for messages: "entity" */
    size_t size;      /* of the struct; 0 for objects that are kept as values */
    size_t count;
    const mlia_field *fields;
    bool open;                           /* other members are allowed … */
    const mlia_field *others;            /* … with this type; NULL: any */
    bool (*others_apply)(mlia_str name); /* names that `others` is for; NULL: all */
};

extern const mlia_shape mlia_document_shape;
extern const mlia_shape mlia_entity_shape;
extern const mlia_shape mlia_metric_shape;

/* Any MLIA_LIST without its item type. */
typedef struct mlia_erased_list {
    char *items;
    size_t count;
    size_t capacity;
} mlia_erased_list;

static inline mlia_erased_list mlia_list_erase(const void *list)
{
    mlia_erased_list erased;
    memcpy(&erased, list, sizeof erased);
    return erased;
}

/* Members that a newer minor schema version added to one object. */
typedef struct mlia_kept {
    MLIA_LIST(struct mlia_kept_members {
        const void *owner; /* the struct */
        mlia_value *members;
    })
    objects; /* sorted by owner */
} mlia_kept;

#endif
