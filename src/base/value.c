/* JSON values in an arena. */
#include "base/value.h"

static mlia_value *new_value(mlia_arena *arena, mlia_value_type type)
{
    mlia_value *value = MLIA_NEW(arena, mlia_value);
    if (value != NULL)
        value->type = type;
    return value;
}

mlia_value *mlia_value_null(mlia_arena *arena)
{
    return new_value(arena, MLIA_VALUE_NULL);
}

mlia_value *mlia_value_bool(mlia_arena *arena, bool boolean)
{
    mlia_value *value = new_value(arena, MLIA_VALUE_BOOL);
    if (value != NULL)
        value->as.boolean = boolean;
    return value;
}

mlia_value *mlia_value_integer(mlia_arena *arena, int64_t integer)
{
    mlia_value *value = new_value(arena, MLIA_VALUE_INTEGER);
    if (value != NULL)
        value->as.integer = integer;
    return value;
}

mlia_value *mlia_value_number(mlia_arena *arena, double number)
{
    mlia_value *value = new_value(arena, MLIA_VALUE_NUMBER);
    if (value != NULL)
        value->as.number = number;
    return value;
}

mlia_value *mlia_value_string(mlia_arena *arena, mlia_str string)
{
    mlia_value *value = new_value(arena, MLIA_VALUE_STRING);
    if (value != NULL)
        value->as.string = string;
    return value;
}

mlia_value *mlia_value_array(mlia_arena *arena)
{
    return new_value(arena, MLIA_VALUE_ARRAY);
}

mlia_value *mlia_value_object(mlia_arena *arena)
{
    return new_value(arena, MLIA_VALUE_OBJECT);
}

/* Doubles the room of an array or object whose items have `size` bytes. */
static void *grow_items(mlia_arena *arena, mlia_value *value, void *items, size_t size)
{
    size_t capacity = value->capacity;
    void *grown = mlia_arena_grow(arena, items, value->count, &capacity, (size_t)value->count + 1, size,
                                  _Alignof(max_align_t));
    if (grown == NULL || capacity > UINT32_MAX)
        return NULL;
    value->capacity = (uint32_t)capacity;
    return grown;
}

bool mlia_value_add(mlia_arena *arena, mlia_value *array, mlia_value *value)
{
    if (array == NULL || value == NULL)
        return false;
    mlia_value **items = grow_items(arena, array, (void *)array->as.items, sizeof(mlia_value *));
    if (items == NULL)
        return false;
    array->as.items = items;
    items[array->count++] = value;
    return true;
}

bool mlia_value_set(mlia_arena *arena, mlia_value *object, mlia_str name, mlia_value *value)
{
    if (object == NULL || value == NULL || name.data == NULL)
        return false;
    mlia_member *members = grow_items(arena, object, object->as.members, sizeof(mlia_member));
    if (members == NULL)
        return false;
    object->as.members = members;
    members[object->count++] = (mlia_member){name, value};
    return true;
}

const mlia_value *mlia_value_get(const mlia_value *object, mlia_str name)
{
    if (object == NULL || object->type != MLIA_VALUE_OBJECT)
        return NULL;
    for (uint32_t i = 0; i < object->count; i++)
        if (mlia_str_equal(object->as.members[i].name, name))
            return object->as.members[i].value;
    return NULL;
}

mlia_str mlia_value_get_str(const mlia_value *object, mlia_str name)
{
    const mlia_value *value = mlia_value_get(object, name);
    return value != NULL && value->type == MLIA_VALUE_STRING ? value->as.string : MLIA_STR_NONE;
}

static bool numbers_equal(const mlia_value *a, const mlia_value *b)
{
    if (a->type == MLIA_VALUE_INTEGER && b->type == MLIA_VALUE_INTEGER)
        return a->as.integer == b->as.integer;
    double x = a->type == MLIA_VALUE_INTEGER ? (double)a->as.integer : a->as.number;
    double y = b->type == MLIA_VALUE_INTEGER ? (double)b->as.integer : b->as.number;
    return x == y;
}

static bool is_number(const mlia_value *value)
{
    return value->type == MLIA_VALUE_INTEGER || value->type == MLIA_VALUE_NUMBER;
}

static bool objects_equal(const mlia_value *a, const mlia_value *b)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const mlia_member *member = &a->as.members[i];
        if (!mlia_value_equal(member->value, mlia_value_get(b, member->name)))
            return false;
    }
    return true;
}

bool mlia_value_equal(const mlia_value *a,
                      const mlia_value *b) /* NOLINT(misc-no-recursion): depth is bounded on reading */
{
    if (a == NULL || b == NULL)
        return a == b;
    if (is_number(a) && is_number(b))
        return numbers_equal(a, b);
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case MLIA_VALUE_BOOL:
        return a->as.boolean == b->as.boolean;
    case MLIA_VALUE_STRING:
        return mlia_str_equal(a->as.string, b->as.string);
    case MLIA_VALUE_ARRAY:
        if (a->count != b->count)
            return false;
        for (uint32_t i = 0; i < a->count; i++)
            if (!mlia_value_equal(a->as.items[i], b->as.items[i]))
                return false;
        return true;
    case MLIA_VALUE_OBJECT:
        return a->count == b->count && objects_equal(a, b);
    default:
        return true;
    }
}
