/* Third stage of the TOSA reader: the attribute table of every operator, field by field as its row of
 * graph/operators.def says.
 *
 * Refuses: an attribute of another operator, a missing attribute where there are fields, lists of the wrong
 * length, enumerations that are absent (0) or have no such number, regions that do not exist. */
#include "formats/tosa/reader.h"

/* One field of one operator while it is read. */
typedef struct field_place {
    tosa_reader *reader;
    const mlia_operator *op;
    mlia_flatbuf_table table;
    uint32_t id;
    const mlia_field_info *info;
} field_place;

static mlia_status *at_field(mlia_status *status, const field_place *place)
{
    mlia_status_at(status, mlia_flatbuf_offset(place->table, place->id));
    return mlia_status_in(status, "regions[%u].blocks[0].operators[%u].attribute.%.*s",
                          place->op->region_index, place->op->operator_index,
                          MLIA_STR_ARG(place->info->name));
}

static mlia_str op_name(const field_place *place)
{
    return mlia_op_describe(place->op->op)->name;
}

/* Length that a list attribute has; 0 = any up to the rank limit. */
static uint32_t list_length(uint32_t op, mlia_field field)
{
    uint32_t spatial = op == MLIA_OP_CONV3D ? 3 : 2;
    switch (field) {
    case MLIA_FIELD_KERNEL:
    case MLIA_FIELD_STRIDE:
    case MLIA_FIELD_DILATION:
        return spatial;
    case MLIA_FIELD_PAD:
    case MLIA_FIELD_OUT_PAD:
        return 2 * spatial;
    default:
        return 0;
    }
}

static mlia_status *read_list(const field_place *place, mlia_field field, mlia_int_list *list)
{
    mlia_flatbuf_vector vector = mlia_flatbuf_list(place->table, place->id);
    uint32_t expected = list_length(place->op->op, field);
    if (expected != 0 ? vector.count != expected : vector.count > MLIA_RANK_LIMIT)
        return at_field(mlia_error(MLIA_E_TOSA_ATTRIBUTE, "%.*s has %zu numbers in %.*s, expected %s%u",
                                   MLIA_STR_ARG(op_name(place)), vector.count,
                                   MLIA_STR_ARG(place->info->name), expected ? "" : "at most ",
                                   expected ? expected : MLIA_RANK_LIMIT),
                        place);
    int32_t *values = MLIA_NEW_ARRAY(place->reader->arena, int32_t, vector.count);
    MLIA_TRY_ALLOC(values);
    for (size_t i = 0; i < vector.count; i++)
        values[i] = (int32_t)mlia_flatbuf_integer_at(vector, i);
    *list = (mlia_int_list){(uint32_t)vector.count, values};
    return NULL;
}

static bool enum_has(const mlia_field_info *info, uint32_t number)
{
    if (info->items == NULL)
        return number < MLIA_TYPE_LIMIT;
    for (const mlia_enum_item *item = info->items; item->number != 0; item++)
        if (item->number == number)
            return true;
    return false;
}

static mlia_status *read_enum(const field_place *place, uint32_t *number)
{
    *number = mlia_flatbuf_u32(place->table, place->id);
    if (*number == 0)
        return at_field(mlia_error(MLIA_E_TOSA_ATTRIBUTE, "%.*s does not say its %.*s",
                                   MLIA_STR_ARG(op_name(place)), MLIA_STR_ARG(place->info->name)),
                        place);
    if (!enum_has(place->info, *number))
        return at_field(
            mlia_error(MLIA_E_TOSA_ENUM, "%u is no %.*s", *number, MLIA_STR_ARG(place->info->name)), place);
    return NULL;
}

/* One element in the type of the operator's first input; files may pad it with zeros to 8 bytes. */
static mlia_status *read_element(const field_place *place, mlia_bytes *element)
{
    enum { PADDED = 8 };
    *element = mlia_flatbuf_bytes(place->table, place->id);
    const mlia_operator *op = place->op;
    uint32_t type = op->input_count > 0 ? place->reader->graph->values[op->inputs[0]].type : 0;
    uint32_t size = mlia_type_bytes(type);
    if (element->size < size || element->size == 0)
        return at_field(mlia_error(MLIA_E_TOSA_ATTRIBUTE, "%.*s has %zu bytes in %.*s, one %.*s needs %u",
                                   MLIA_STR_ARG(op_name(place)), element->size,
                                   MLIA_STR_ARG(place->info->name),
                                   MLIA_STR_ARG(mlia_type_describe(type)->name), size),
                        place);
    if (size == 0) /* no input: the verifier's matter */
        return NULL;
    if (element->size > PADDED)
        mlia_warn_at(place->reader->diagnostics, MLIA_W_TOSA_DATA,
                     mlia_flatbuf_offset(place->table, place->id), place->info->name,
                     "%zu bytes for one element", element->size);
    element->size = size;
    return NULL;
}

static mlia_status *read_region(const field_place *place, uint32_t *region)
{
    mlia_str name = mlia_flatbuf_string(place->table, place->id);
    if (name.data == NULL)
        return at_field(mlia_error(MLIA_E_TOSA_ATTRIBUTE, "%.*s has no %.*s", MLIA_STR_ARG(op_name(place)),
                                   MLIA_STR_ARG(place->info->name)),
                        place);
    const uint32_t *index = mlia_map_find(&place->reader->region_names, name);
    if (index == NULL)
        return at_field(mlia_error(MLIA_E_TOSA_DANGLING, "'%.*s' names no region", MLIA_STR_ARG(name)),
                        place);
    *region = *index;
    return NULL;
}

static mlia_status *read_field(const field_place *place, mlia_field field, mlia_attributes *attributes)
{
    void *target = (char *)attributes + place->info->offset;
    switch (place->info->type) {
    case MLIA_FIELD_I32:
        *(int32_t *)target = mlia_flatbuf_i32(place->table, place->id);
        return NULL;
    case MLIA_FIELD_BOOL:
        *(bool *)target = mlia_flatbuf_bool(place->table, place->id);
        return NULL;
    case MLIA_FIELD_I32_LIST:
        return read_list(place, field, target);
    case MLIA_FIELD_ENUM:
        return read_enum(place, target);
    case MLIA_FIELD_ELEMENT:
        return read_element(place, target);
    case MLIA_FIELD_TEXT:
        *(mlia_str *)target = mlia_flatbuf_string(place->table, place->id);
        return NULL;
    case MLIA_FIELD_BLOB:
        *(mlia_bytes *)target = mlia_flatbuf_bytes(place->table, place->id);
        return NULL;
    case MLIA_FIELD_REGION:
        return read_region(place, target);
    }
    return NULL;
}

/* The union type must be the operator's own. An operator without fields may go without; the two forms of
 * variable operators have been recognised by it before. */
static mlia_status *check_attribute_type(const mlia_operator *op, mlia_flatbuf_table table)
{
    uint32_t type = mlia_flatbuf_u8(table, TOSA_OPERATOR_ATTRIBUTE_TYPE);
    const mlia_op_info *info = mlia_op_describe(op->op);
    if (type == op->op || (type == 0 && info->field_count == 0))
        return NULL;
    mlia_status *status =
        type == 0
            ? mlia_error(MLIA_E_TOSA_ATTRIBUTE, "%.*s has no attribute, expected a %.*s",
                         MLIA_STR_ARG(info->name), MLIA_STR_ARG(info->attribute_table))
            : mlia_error(MLIA_E_TOSA_ATTRIBUTE, "%.*s carries attribute type %u (%.*s), expected a %.*s",
                         MLIA_STR_ARG(info->name), type,
                         MLIA_STR_ARG(mlia_op_describe(type)->attribute_table),
                         MLIA_STR_ARG(info->attribute_table));
    mlia_status_at(status, mlia_flatbuf_offset(table, TOSA_OPERATOR_ATTRIBUTE_TYPE));
    return mlia_status_in(status, "regions[%u].blocks[0].operators[%u].attribute_type", op->region_index,
                          op->operator_index);
}

static mlia_status *read_operator(tosa_reader *reader, mlia_operator *op, mlia_flatbuf_table table)
{
    MLIA_TRY(check_attribute_type(op, table));
    const mlia_op_info *info = mlia_op_describe(op->op);
    if (info->field_count == 0)
        return NULL;
    mlia_attributes *attributes = MLIA_NEW(reader->arena, mlia_attributes);
    MLIA_TRY_ALLOC(attributes);
    *attributes = mlia_attributes_default();
    field_place place = {
        .reader = reader, .op = op, .table = mlia_flatbuf_child(table, TOSA_OPERATOR_ATTRIBUTE)};
    for (place.id = 0; place.id < info->field_count; place.id++) {
        place.info = mlia_field_describe(info->fields[place.id]);
        MLIA_TRY(read_field(&place, info->fields[place.id], attributes));
    }
    op->attributes = attributes;
    return NULL;
}

mlia_status *mlia_tosa_read_attributes(tosa_reader *reader)
{
    mlia_operator *op = reader->graph->operators;
    for (uint32_t region = 0; region < reader->regions.count; region++) {
        mlia_flatbuf_vector operators = mlia_flatbuf_list(tosa_block(reader, region), TOSA_BLOCK_OPERATORS);
        for (size_t i = 0; i < operators.count; i++) {
            mlia_flatbuf_table table = mlia_flatbuf_table_at(operators, i);
            if (!tosa_is_declaration(table))
                MLIA_TRY(read_operator(reader, op++, table));
        }
    }
    return NULL;
}
