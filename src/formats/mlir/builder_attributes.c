/* Attributes of operations to the fields of TOSA operators: one rule per type of field. */
#include "formats/mlir/builder.h"
#include "formats/mlir/element.h"

typedef struct field_place {
    const mlia_mlir_builder *builder;
    const mlia_mlir_operation *operation;
    const mlia_field_info *field;
    const mlia_mlir_attribute *value;
    uint32_t op;
} field_place;

static mlia_status *wrong(const field_place *place, const char *expected)
{
    return mlia_mlir_error(place->builder->context, MLIA_MLIR_ATTRIBUTE, place->operation->position,
                           "attribute '%.*s' of %.*s must be %s", MLIA_STR_ARG(place->field->name),
                           MLIA_STR_ARG(place->operation->name), expected);
}

static mlia_status *convert_integer(const field_place *place, int32_t *out)
{
    if (place->value->kind != MLIA_MLIR_INTEGER ||
        place->value->as.integer != (int32_t)place->value->as.integer)
        return wrong(place, "a 32-bit integer");
    *out = (int32_t)place->value->as.integer;
    return NULL;
}

/* Number of entries that a list must have; 0 = any. */
static uint32_t list_length(uint32_t op, mlia_field field)
{
    uint32_t spatial = op == MLIA_OP_CONV3D ? 3 : 2;
    return field == MLIA_FIELD_PERMS                                ? 0
           : field == MLIA_FIELD_PAD || field == MLIA_FIELD_OUT_PAD ? 2 * spatial
                                                                    : spatial;
}

static mlia_status *convert_list(const field_place *place, mlia_field field, mlia_int_list *out)
{
    const mlia_mlir_attribute *value = place->value;
    uint32_t length = list_length(place->op, field);
    if (value->kind != MLIA_MLIR_ARRAY || (length != 0 && value->count != length))
        return wrong(place, length == 6   ? "an array of 6 integers"
                            : length == 4 ? "an array of 4 integers"
                            : length == 3 ? "an array of 3 integers"
                            : length == 2 ? "an array of 2 integers"
                                          : "an array of integers");
    int32_t *values = MLIA_NEW_ARRAY(place->builder->context->arena, int32_t, value->count);
    MLIA_TRY_ALLOC(values);
    for (uint32_t i = 0; i < value->count; i++) {
        if (value->as.integers[i] != (int32_t)value->as.integers[i])
            return wrong(place, "an array of 32-bit integers");
        values[i] = (int32_t)value->as.integers[i];
    }
    *out = (mlia_int_list){value->count, values};
    return NULL;
}

static mlia_status *convert_enum(const field_place *place, uint32_t *out)
{
    const mlia_mlir_attribute *value = place->value;
    if (place->field->items == NULL) { /* acc_type */
        if (value->kind != MLIA_MLIR_TYPE_ATTRIBUTE || value->type->kind != MLIA_MLIR_TYPE_ELEMENT ||
            value->type->element == MLIA_TYPE_UNKNOWN)
            return wrong(place, "an element type");
        *out = value->type->element;
        return NULL;
    }
    if (value->kind != MLIA_MLIR_KEYWORD)
        return wrong(place, "a keyword");
    mlia_str keyword = value->text;
    if (mlia_str_equal_c(keyword, "NEAREST_NEIGHBOR"))
        keyword = MLIA_STR("NEAREST");
    for (const mlia_enum_item *item = place->field->items; item->number != 0; item++)
        if (mlia_str_equal(item->name, keyword)) {
            *out = item->number;
            return NULL;
        }
    return mlia_mlir_error(place->builder->context, MLIA_MLIR_ENUM, place->operation->position,
                           "attribute '%.*s' of %.*s has no value '%.*s'", MLIA_STR_ARG(place->field->name),
                           MLIA_STR_ARG(place->operation->name), MLIA_STR_ARG(value->text));
}

static mlia_status *convert_element(const field_place *place, mlia_bytes *out)
{
    const mlia_mlir_attribute *value = place->value;
    if ((value->kind != MLIA_MLIR_INTEGER && value->kind != MLIA_MLIR_FLOAT) || value->type == NULL ||
        value->type->kind != MLIA_MLIR_TYPE_ELEMENT || value->type->element == MLIA_TYPE_UNKNOWN)
        return wrong(place, "a number with an element type");
    uint32_t type = value->type->element;
    uint64_t pattern = value->kind == MLIA_MLIR_FLOAT ? value->as.element : (uint64_t)value->as.integer;
    uint32_t size = mlia_mlir_element_bytes(type);
    uint8_t *bytes = MLIA_NEW_ARRAY(place->builder->context->arena, uint8_t, size);
    MLIA_TRY_ALLOC(bytes);
    mlia_mlir_store(type, pattern, bytes);
    *out = (mlia_bytes){bytes, size};
    return NULL;
}

static mlia_status *convert_field(const field_place *place, mlia_field field, mlia_attributes *attributes)
{
    void *member = (char *)attributes + place->field->offset;
    const mlia_mlir_attribute *value = place->value;
    switch (place->field->type) {
    case MLIA_FIELD_I32:
        return convert_integer(place, member);
    case MLIA_FIELD_I32_LIST:
        return convert_list(place, field, member);
    case MLIA_FIELD_BOOL:
        if (value->kind != MLIA_MLIR_INTEGER || (uint64_t)value->as.integer > 1)
            return wrong(place, "true or false");
        *(bool *)member = value->as.integer != 0;
        return NULL;
    case MLIA_FIELD_ENUM:
        return convert_enum(place, member);
    case MLIA_FIELD_ELEMENT:
        return convert_element(place, member);
    case MLIA_FIELD_TEXT:
        if (value->kind != MLIA_MLIR_STRING || !mlia_utf8_valid(value->text))
            return wrong(place, "a string");
        *(mlia_str *)member = value->text;
        return NULL;
    case MLIA_FIELD_BLOB:
        if (value->kind != MLIA_MLIR_STRING)
            return wrong(place, "a string");
        *(mlia_bytes *)member = (mlia_bytes){(const uint8_t *)value->text.data, value->text.size};
        return NULL;
    case MLIA_FIELD_REGION:
        break;
    }
    return NULL;
}

static bool is_optional(mlia_field field)
{
    return field == MLIA_FIELD_NAN_MODE || field == MLIA_FIELD_LOCAL_BOUND;
}

static mlia_status *convert_variable(const mlia_mlir_builder *builder, const mlia_mlir_operation *operation,
                                     mlia_attributes *attributes)
{
    const mlia_mlir_attribute *name = mlia_mlir_get(&operation->attributes, MLIA_STR("name"));
    if (name == NULL || (name->kind != MLIA_MLIR_STRING && name->kind != MLIA_MLIR_SYMBOL))
        return mlia_mlir_error(builder->context, MLIA_MLIR_ATTRIBUTE, operation->position,
                               "%.*s has no attribute 'name'", MLIA_STR_ARG(operation->name));
    const uint32_t *index = mlia_map_find(&builder->variables, name->text);
    if (index == NULL)
        return mlia_mlir_error(builder->context, MLIA_MLIR_DANGLING, operation->position,
                               "variable '%.*s' is not declared", MLIA_STR_ARG(name->text));
    attributes->variable = *index;
    return NULL;
}

mlia_status *mlia_mlir_convert_attributes(const mlia_mlir_builder *builder,
                                          const mlia_mlir_operation *operation, uint32_t op,
                                          mlia_attributes *attributes)
{
    *attributes = mlia_attributes_default();
    if (op == MLIA_OP_VARIABLE_READ || op == MLIA_OP_VARIABLE_WRITE)
        return convert_variable(builder, operation, attributes);
    const mlia_op_info *info = mlia_op_describe(op);
    for (uint32_t i = 0; i < info->field_count; i++) {
        field_place place = {builder, operation, mlia_field_describe(info->fields[i]), NULL, op};
        if (place.field->type == MLIA_FIELD_REGION)
            continue;
        place.value = mlia_mlir_get(&operation->attributes, place.field->name);
        if (place.value != NULL)
            MLIA_TRY(convert_field(&place, info->fields[i], attributes));
        else if (!is_optional(info->fields[i]))
            return mlia_mlir_error(builder->context, MLIA_MLIR_ATTRIBUTE, operation->position,
                                   "%.*s has no attribute '%.*s'", MLIA_STR_ARG(operation->name),
                                   MLIA_STR_ARG(place.field->name));
    }
    return NULL;
}
