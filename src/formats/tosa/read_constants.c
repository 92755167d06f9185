/* Fourth stage of the TOSA reader: dimensions, and the bytes of constants, which stay where they are in the
 * file.
 *
 * Refuses: dimensions that are neither positive nor -1, tensors of 2^63 bytes and more, constants with fewer
 * bytes than their shape needs or of unknown shape, bytes outside of the file. */
#include "base/checked.h"
#include "formats/tosa/reader.h"

/* A tensor or shape of the file and its value in the graph. */
typedef struct value_place {
    tosa_reader *reader;
    mlia_graph_value *value;
    mlia_flatbuf_table table;
    const char *list;
    uint32_t region;
    uint32_t index;
} value_place;

static mlia_status *at_field(mlia_status *status, const value_place *place, uint32_t field)
{
    mlia_status_at(status, mlia_flatbuf_offset(place->table, field));
    return mlia_status_in(status, "regions[%u].blocks[0].%s[%u].%s", place->region, place->list, place->index,
                          place->table.schema->fields[field].name);
}

static mlia_status *check_dims(const value_place *place)
{
    const mlia_graph_value *value = place->value;
    if (value->unranked && value->rank > 0)
        return at_field(mlia_error(MLIA_E_TOSA_SHAPE, "'%.*s' is unranked but has %u dimensions",
                                   MLIA_STR_ARG(value->name), value->rank),
                        place, TOSA_TENSOR_SHAPE);
    uint64_t bytes = mlia_type_bytes(value->type);
    for (uint32_t i = 0; i < value->rank; i++) {
        int64_t dim = value->dims[i];
        if (dim < 1 && dim != MLIA_DIM_UNKNOWN)
            return at_field(
                mlia_error(MLIA_E_TOSA_SHAPE,
                           "dimension %u of '%.*s' is %lld, expected at least 1, or -1 for unknown", i,
                           MLIA_STR_ARG(value->name), (long long)dim),
                place, TOSA_TENSOR_SHAPE);
        if (dim > 0 && (!mlia_mul_u64(bytes, (uint64_t)dim, &bytes) || bytes > INT64_MAX))
            return at_field(
                mlia_error(MLIA_E_TOSA_LIMIT, "'%.*s' has 2^63 bytes or more", MLIA_STR_ARG(value->name)),
                place, TOSA_TENSOR_SHAPE);
    }
    return NULL;
}

/* Ids of the fields that say where bytes are. */
typedef struct data_fields {
    uint32_t data;
    uint32_t offset;
    uint32_t size;
} data_fields;

/* Bytes inside of the FlatBuffer, or outside of it when `offset` is above 1. */
static mlia_status *find_bytes(const value_place *place, data_fields fields, mlia_bytes *bytes)
{
    uint64_t offset = mlia_flatbuf_u64(place->table, fields.offset);
    uint64_t size = mlia_flatbuf_u64(place->table, fields.size);
    mlia_bytes file = place->reader->buffer.bytes;
    *bytes = mlia_flatbuf_bytes(place->table, fields.data);
    if (offset <= 1)
        return NULL;
    if (!mlia_bytes_has(file, offset, size))
        return at_field(mlia_error(MLIA_E_TOSA_OFFSET,
                                   "%llu bytes at byte %llu for '%.*s', but the file ends at byte %zu",
                                   (unsigned long long)size, (unsigned long long)offset,
                                   MLIA_STR_ARG(place->value->name), file.size),
                        place, fields.offset);
    *bytes = mlia_bytes_slice(file, (size_t)offset, (size_t)size);
    return NULL;
}

/* Cuts `bytes` to what `elements` elements of `type` need. Writers pad to multiples of 8. */
static mlia_status *fit_bytes(const value_place *place, uint32_t field, uint32_t type, uint64_t elements,
                              mlia_bytes *bytes)
{
    enum { PADDING = 8 };
    uint64_t needed;
    if (!mlia_constant_bytes(type, MLIA_ENCODING_TOSA, elements, &needed) || bytes->size < needed)
        return at_field(mlia_error(MLIA_E_TOSA_DATA, "'%.*s' has %zu bytes, %llu elements of %.*s need %llu",
                                   MLIA_STR_ARG(place->value->name), bytes->size,
                                   (unsigned long long)elements, MLIA_STR_ARG(mlia_type_describe(type)->name),
                                   (unsigned long long)needed),
                        place, field);
    if (bytes->size > (needed + PADDING - 1) / PADDING * PADDING) {
        mlia_str member = mlia_arena_format(place->reader->arena, "regions[%u].blocks[0].%s[%u]",
                                            place->region, place->list, place->index);
        mlia_warn_at(place->reader->diagnostics, MLIA_W_TOSA_DATA, mlia_flatbuf_offset(place->table, field),
                     member, "'%.*s' has %zu bytes, needs only %llu: the rest is ignored",
                     MLIA_STR_ARG(place->value->name), bytes->size, (unsigned long long)needed);
    }
    bytes->size = (size_t)needed;
    return NULL;
}

static mlia_status *set_constant(const value_place *place, mlia_bytes bytes)
{
    uint64_t elements;
    if (!mlia_value_elements(place->value, &elements))
        return at_field(mlia_error(MLIA_E_TOSA_SHAPE, "the constant '%.*s' has unknown dimensions",
                                   MLIA_STR_ARG(place->value->name)),
                        place, TOSA_TENSOR_SHAPE);
    MLIA_TRY(fit_bytes(place, TOSA_TENSOR_DATA, place->value->type, elements, &bytes));
    mlia_constant *constant = MLIA_NEW(place->reader->arena, mlia_constant);
    MLIA_TRY_ALLOC(constant);
    *constant = (mlia_constant){bytes, MLIA_ENCODING_TOSA, false};
    place->value->constant = constant;
    return NULL;
}

/* The 1.1 draft's scales: one per 32 elements of the last dimension. */
static mlia_status *read_scale(const value_place *place)
{
    static const data_fields fields = {TOSA_TENSOR_SCALE_DATA, TOSA_TENSOR_SCALE_OFFSET,
                                       TOSA_TENSOR_SCALE_SIZE};
    mlia_graph_value *value = place->value;
    uint32_t type = mlia_flatbuf_u32(place->table, TOSA_TENSOR_SCALE_TYPE);
    uint32_t block_shape = mlia_flatbuf_u32(place->table, TOSA_TENSOR_BLOCK_SHAPE);
    mlia_bytes bytes;
    MLIA_TRY(find_bytes(place, fields, &bytes));
    if (type == 0 && block_shape == 0 && bytes.size == 0) /* converters write an empty vector */
        return NULL;
    if (type == 0 || type >= MLIA_TYPE_LIMIT || type == MLIA_TYPE_SHAPE)
        return at_field(
            mlia_error(MLIA_E_TOSA_ENUM, "scale type %u of '%.*s'", type, MLIA_STR_ARG(value->name)), place,
            TOSA_TENSOR_SCALE_TYPE);
    if (block_shape != TOSA_BLOCK_SHAPE)
        return at_field(mlia_error(MLIA_E_TOSA_ENUM, "block shape %u of '%.*s', expected %d", block_shape,
                                   MLIA_STR_ARG(value->name), TOSA_BLOCK_SHAPE),
                        place, TOSA_TENSOR_BLOCK_SHAPE);
    uint64_t elements;
    if (bytes.data != NULL && mlia_value_elements(value, &elements)) {
        if (value->rank == 0 || value->dims[value->rank - 1] % block_shape != 0)
            return at_field(mlia_error(MLIA_E_TOSA_SHAPE, "the last dimension of '%.*s' is no multiple of %u",
                                       MLIA_STR_ARG(value->name), block_shape),
                            place, TOSA_TENSOR_SHAPE);
        MLIA_TRY(fit_bytes(place, TOSA_TENSOR_SCALE_DATA, type, elements / block_shape, &bytes));
    }
    mlia_block_scale *scale = MLIA_NEW(place->reader->arena, mlia_block_scale);
    MLIA_TRY_ALLOC(scale);
    *scale = (mlia_block_scale){(uint8_t)type, block_shape, bytes};
    value->scale = scale;
    return NULL;
}

static bool is_result_of(const tosa_reader *reader, const mlia_graph_value *value, mlia_op op)
{
    return value->producer != MLIA_NONE && reader->graph->operators[value->producer].op == (uint32_t)op;
}

/* All tensors that stand for one variable say the same; the first one with bytes gives the initial value. */
static mlia_status *read_variable(const value_place *place)
{
    const mlia_graph_value *value = place->value;
    mlia_variable *variable = &place->reader->graph->variables[value->variable];
    if (variable->initial == NULL)
        variable->initial = value->constant;
    if (value->type == variable->type && value->rank == variable->rank &&
        (value->rank == 0 || memcmp(value->dims, variable->dims, value->rank * sizeof *value->dims) == 0))
        return NULL;
    return at_field(mlia_error(MLIA_E_TOSA_SHAPE, "two tensors of variable '%.*s' differ in type or shape",
                               MLIA_STR_ARG(variable->name)),
                    place, TOSA_TENSOR_SHAPE);
}

static mlia_status *read_tensor(const value_place *place)
{
    static const data_fields fields = {TOSA_TENSOR_DATA, TOSA_TENSOR_OFFSET, TOSA_TENSOR_SIZE};
    mlia_graph_value *value = place->value;
    MLIA_TRY(check_dims(place));
    mlia_bytes bytes;
    MLIA_TRY(find_bytes(place, fields, &bytes));
    MLIA_TRY(read_scale(place));
    bool is_const = is_result_of(place->reader, value, MLIA_OP_CONST);
    if (is_const && bytes.data == NULL)
        return at_field(
            mlia_error(MLIA_E_TOSA_DATA, "the constant '%.*s' has no data", MLIA_STR_ARG(value->name)), place,
            TOSA_TENSOR_DATA);
    bool is_initial = value->variable != MLIA_NONE && bytes.size > 0;
    if (is_const || is_initial)
        MLIA_TRY(set_constant(place, bytes));
    return value->variable != MLIA_NONE ? read_variable(place) : NULL;
}

static mlia_status *read_shape(const value_place *place)
{
    mlia_graph_value *value = place->value;
    if (!is_result_of(place->reader, value, MLIA_OP_CONST_SHAPE))
        return NULL;
    mlia_bytes bytes = mlia_flatbuf_bytes(place->table, TOSA_SHAPE_DATA);
    MLIA_TRY(fit_bytes(place, TOSA_SHAPE_DATA, MLIA_TYPE_SHAPE, value->rank, &bytes));
    int64_t *values = MLIA_NEW_ARRAY(place->reader->arena, int64_t, value->rank);
    MLIA_TRY_ALLOC(values);
    for (uint32_t i = 0; i < value->rank; i++)
        values[i] = (int64_t)mlia_load_u64(bytes.data + 8 * (size_t)i);
    value->shape_values = values;
    return NULL;
}

static mlia_status *read_list(value_place *place, mlia_flatbuf_vector items, const char *list,
                              mlia_status *(*read)(const value_place *))
{
    place->list = list;
    for (place->index = 0; place->index < items.count; place->index++, place->value++) {
        place->table = mlia_flatbuf_table_at(items, place->index);
        MLIA_TRY(read(place));
    }
    return NULL;
}

mlia_status *mlia_tosa_read_constants(tosa_reader *reader)
{
    value_place place = {.reader = reader, .value = reader->graph->values};
    for (place.region = 0; place.region < reader->regions.count; place.region++) {
        mlia_flatbuf_table block = tosa_block(reader, place.region);
        MLIA_TRY(read_list(&place, mlia_flatbuf_list(block, TOSA_BLOCK_TENSORS), "tensors", read_tensor));
        MLIA_TRY(read_list(&place, mlia_flatbuf_list(block, TOSA_BLOCK_SHAPES), "shapes", read_shape));
    }
    return NULL;
}
