/* Properties of operations in MLIR bytecode: bare lists of attributes whose meaning is their order.
 * Operations of other dialects have layouts that are not known; their properties are passed over. */
#include "formats/mlir/bytecode.h"

enum { PROPERTY_LIMIT = 8 }; /* properties of one operation */

typedef struct property {
    mlia_str name;
    bool optional;
} property;

static const struct {
    const char *operation;
    uint32_t count;
    property properties[PROPERTY_LIMIT];
} special_properties[] = {
    {"builtin.module", 2, {{MLIA_STR_INIT("sym_name"), true}, {MLIA_STR_INIT("sym_visibility"), true}}},
    {"func.func",
     6,
     {{MLIA_STR_INIT("arg_attrs"), true},
      {MLIA_STR_INIT("function_type"), false},
      {MLIA_STR_INIT("no_inline"), true}, /* only in newer versions of the dialect */
      {MLIA_STR_INIT("res_attrs"), true},
      {MLIA_STR_INIT("sym_name"), false},
      {MLIA_STR_INIT("sym_visibility"), true}}},
    {"tosa.const", 1, {{MLIA_STR_INIT("values"), false}}},
    {"tosa.const_shape", 1, {{MLIA_STR_INIT("values"), false}}},
    {"tosa.variable",
     4,
     {{MLIA_STR_INIT("initial_value"), true},
      {MLIA_STR_INIT("sym_name"), false},
      {MLIA_STR_INIT("type"), false},
      {MLIA_STR_INIT("var_shape"), false}}},
    {"tosa.variable_read", 1, {{MLIA_STR_INIT("name"), false}}},
    {"tosa.variable_write", 1, {{MLIA_STR_INIT("name"), false}}},
};

/* Properties of a TOSA operator are its attributes in ascending order of their names. */
static uint32_t operator_properties(uint32_t op, property *properties)
{
    const mlia_op_info *info = mlia_op_describe(op);
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mlia_field_info *field = mlia_field_describe(info->fields[i]);
        if (field->type == MLIA_FIELD_REGION)
            continue;
        uint32_t k = count++;
        for (; k > 0 && mlia_str_compare(properties[k - 1].name, field->name) > 0; k--)
            properties[k] = properties[k - 1];
        bool optional = info->fields[i] == MLIA_FIELD_NAN_MODE || info->fields[i] == MLIA_FIELD_LOCAL_BOUND;
        properties[k] = (property){field->name, optional};
    }
    return count;
}

/* Layout of the properties of an operation; false for operations of other dialects. */
static bool find_layout(mlia_str name, property *properties, uint32_t *count)
{
    for (size_t i = 0; i < sizeof special_properties / sizeof *special_properties; i++)
        if (mlia_str_equal_c(name, special_properties[i].operation)) {
            *count = special_properties[i].count;
            memcpy(properties, special_properties[i].properties, *count * sizeof *properties);
            return true;
        }
    if (!mlia_str_starts_with(name, MLIA_STR("tosa.")))
        return false;
    *count = operator_properties(mlia_op_by_mlir_name(mlia_str_slice(name, 5, name.size)), properties);
    return true;
}

static uint32_t count_numbers(const mlia_mlir_bytecode *file, mlia_reader reader)
{
    uint32_t count = 0;
    while (mlia_reader_left(&reader) > 0) {
        uint64_t ignored = 0;
        mlia_status *status = mlia_mlir_read_number(file, &reader, &ignored);
        if (status != NULL) {
            mlia_status_free(status);
            break;
        }
        count++;
    }
    return count;
}

mlia_status *mlia_mlir_add_attribute(mlia_mlir_bytecode *file, mlia_mlir_dictionary *dictionary,
                                     mlia_str name, const mlia_mlir_attribute *value)
{
    if (!MLIA_RESERVE(file->context.arena, dictionary->items, dictionary->count, dictionary->capacity))
        return mlia_error_memory();
    dictionary->items[dictionary->count++] = (mlia_mlir_named){name, value};
    return NULL;
}

mlia_status *mlia_mlir_read_properties(mlia_mlir_bytecode *file, mlia_reader *reader,
                                       mlia_mlir_operation *operation)
{
    property properties[PROPERTY_LIMIT];
    uint32_t entry = 0;
    uint32_t count = 0;
    MLIA_TRY(mlia_mlir_read_index(file, reader, file->property_count, "properties entry", &entry));
    if (!find_layout(operation->name, properties, &count))
        return NULL;
    mlia_reader body = mlia_reader_of(file->properties[entry]);
    bool shorter = count_numbers(file, body) < count;
    for (uint32_t i = 0; i < count; i++) {
        const mlia_mlir_attribute *value;
        uint64_t index = 0;
        bool present = true;
        if (shorter && mlia_str_equal_c(properties[i].name, "no_inline"))
            continue;
        if (properties[i].optional) {
            MLIA_TRY(mlia_mlir_read_flagged(file, &body, &index, &present));
            if (!present && index != 0)
                return mlia_mlir_reader_error(file, MLIA_MLIR_SYNTAX, &body,
                                              "tag of an optional attribute is broken");
            if (!present)
                continue;
            MLIA_TRY(mlia_mlir_attribute_at(file, index, &value));
        } else {
            MLIA_TRY(mlia_mlir_read_attribute(file, &body, &value));
        }
        MLIA_TRY(mlia_mlir_add_attribute(file, &operation->attributes, properties[i].name, value));
    }
    return mlia_mlir_read_end(file, &body, "the properties of an operation");
}
