/* A JSON value in an arena: the free members of the result document (attributes, details, configuration,
 * extensions) and whatever a JSON file holds. Built once, then read only. */
#ifndef MLIA_BASE_VALUE_H
#define MLIA_BASE_VALUE_H

#include "base/arena.h"

typedef enum mlia_value_type {
    MLIA_VALUE_NULL,
    MLIA_VALUE_BOOL,
    MLIA_VALUE_INTEGER,
    MLIA_VALUE_NUMBER,
    MLIA_VALUE_STRING,
    MLIA_VALUE_ARRAY,
    MLIA_VALUE_OBJECT,
} mlia_value_type;

typedef struct mlia_value mlia_value;

typedef struct mlia_member {
    mlia_str name;
    mlia_value *value;
} mlia_member;

struct mlia_value {
    mlia_value_type type;
    uint32_t count;    /* items of an array, members of an object, in order */
    uint32_t capacity; /* private to the builder */
    union {
        bool boolean;
        int64_t integer;
        double number;
        mlia_str string;
        mlia_value **items;
        mlia_member *members;
    } as;
};

/* New values; NULL when out of memory. Strings are not copied. */
mlia_value *mlia_value_null(mlia_arena *arena);
mlia_value *mlia_value_bool(mlia_arena *arena, bool value);
mlia_value *mlia_value_integer(mlia_arena *arena, int64_t value);
mlia_value *mlia_value_number(mlia_arena *arena, double value);
mlia_value *mlia_value_string(mlia_arena *arena, mlia_str value);
mlia_value *mlia_value_array(mlia_arena *arena);
mlia_value *mlia_value_object(mlia_arena *arena);

/* Appends; `value` NULL (a failed allocation) or no memory gives false. Objects do not look for duplicates.
 */
bool mlia_value_add(mlia_arena *arena, mlia_value *array, mlia_value *value);
bool mlia_value_set(mlia_arena *arena, mlia_value *object, mlia_str name, mlia_value *value);

/* Member of an object, or NULL. */
const mlia_value *mlia_value_get(const mlia_value *object, mlia_str name);
/* String of a member, or an empty view when it is absent or no string. */
mlia_str mlia_value_get_str(const mlia_value *object, mlia_str name);

/* Deep comparison; integers and numbers of equal value are equal, order of members is irrelevant. */
bool mlia_value_equal(const mlia_value *a, const mlia_value *b);

#endif
