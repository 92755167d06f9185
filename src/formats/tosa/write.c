/* Writing a graph as a TOSA FlatBuffer, in the forms that the public tools read: variables as IDENTITY on a
 * variable tensor, operators in execution order, constants in place.
 *
 * Refuses: operators of other dialects, values without element type, dimensions above 2^31 - 1, CONST without
 * bytes. */
#include "formats/tosa/tosa.h"

#include "formats/tosa/writer.h"
#include "graph/build.h"
#include "graph/encode.h"

typedef struct tosa_writer {
    const mlia_graph *graph;
    mlia_arena *arena; /* until the file is finished */
    mlia_flatbuf_builder *builder;
    tosa_names names;
} tosa_writer;

static mlia_flatbuf_ref *new_refs(const tosa_writer *writer, size_t count)
{
    return MLIA_NEW_ARRAY(writer->arena, mlia_flatbuf_ref, count);
}

static mlia_flatbuf_ref add_bytes(const tosa_writer *writer, mlia_bytes bytes)
{
    return mlia_flatbuf_add_vector(writer->builder, bytes.data, bytes.size, 1, TOSA_DATA_ALIGNMENT);
}

static mlia_flatbuf_ref add_text(const tosa_writer *writer, mlia_str text)
{
    return mlia_flatbuf_add_string(writer->builder, text);
}

/* ---- values ---- */

static mlia_status *add_dims(const tosa_writer *writer, const mlia_graph_value *value, mlia_flatbuf_ref *ref)
{
    int32_t dims[MLIA_RANK_LIMIT];
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->dims[i] > INT32_MAX || value->dims[i] < INT32_MIN)
            return mlia_error(MLIA_E_TOSA_LIMIT, "dimension %lld of '%.*s' does not fit the file",
                              (long long)value->dims[i], MLIA_STR_ARG(value->name));
        dims[i] = (int32_t)value->dims[i];
    }
    *ref = mlia_flatbuf_add_vector(writer->builder, dims, value->rank, sizeof *dims, sizeof *dims);
    return NULL;
}

/* Bytes of a constant; re-encoded ones are copied into the file at once, so their memory is short-lived. */
static mlia_status *add_constant(const tosa_writer *writer, const mlia_graph_value *value,
                                 mlia_flatbuf_ref *ref)
{
    mlia_arena *arena = mlia_arena_new(0);
    MLIA_TRY_ALLOC(arena);
    mlia_bytes bytes;
    mlia_status *status = mlia_constant_encode(value, MLIA_ENCODING_TOSA, arena, &bytes);
    if (status == NULL)
        *ref = add_bytes(writer, bytes);
    mlia_arena_free(arena);
    return status;
}

/* True when the value's bytes belong into the file: the result of CONST, or a variable's initial value. */
static bool stores_bytes(const tosa_writer *writer, const mlia_graph_value *value)
{
    if (value->variable != MLIA_NONE)
        return value->constant != NULL;
    return value->producer != MLIA_NONE &&
           writer->graph->operators[value->producer].op == (uint32_t)MLIA_OP_CONST;
}

static mlia_status *add_tensor(const tosa_writer *writer, const mlia_graph_value *value, mlia_str name,
                               mlia_flatbuf_ref *ref)
{
    mlia_flatbuf_builder *builder = writer->builder;
    const mlia_block_scale *scale = value->scale;
    mlia_flatbuf_ref shape = 0;
    mlia_flatbuf_ref data = 0;
    mlia_flatbuf_ref variable = 0;
    mlia_flatbuf_ref scales = 0;
    if (value->type == MLIA_TYPE_UNKNOWN || value->kind == MLIA_KIND_NO_VALUE)
        return mlia_error(MLIA_E_TOSA_TYPE, "'%.*s' has no element type", MLIA_STR_ARG(name));
    MLIA_TRY(add_dims(writer, value, &shape));
    if (stores_bytes(writer, value))
        MLIA_TRY(add_constant(writer, value, &data));
    if (value->variable != MLIA_NONE)
        variable = add_text(writer, writer->graph->variables[value->variable].name);
    if (scale != NULL && scale->bytes.data != NULL)
        scales = add_bytes(writer, scale->bytes);
    mlia_flatbuf_ref text = add_text(writer, name);
    mlia_flatbuf_begin(builder, &mlia_tosa_tensor_schema);
    mlia_flatbuf_set_ref(builder, TOSA_TENSOR_NAME, text);
    mlia_flatbuf_set_ref(builder, TOSA_TENSOR_SHAPE, shape);
    mlia_flatbuf_set_integer(builder, TOSA_TENSOR_TYPE, value->type);
    mlia_flatbuf_set_ref(builder, TOSA_TENSOR_DATA, data);
    mlia_flatbuf_set_integer(builder, TOSA_TENSOR_VARIABLE, value->variable != MLIA_NONE);
    mlia_flatbuf_set_integer(builder, TOSA_TENSOR_IS_UNRANKED, value->unranked);
    mlia_flatbuf_set_ref(builder, TOSA_TENSOR_VARIABLE_NAME, variable);
    if (scale != NULL) {
        mlia_flatbuf_set_integer(builder, TOSA_TENSOR_SCALE_TYPE, scale->type);
        mlia_flatbuf_set_integer(builder, TOSA_TENSOR_BLOCK_SHAPE, scale->block_shape);
        mlia_flatbuf_set_ref(builder, TOSA_TENSOR_SCALE_DATA, scales);
    }
    *ref = mlia_flatbuf_end(builder);
    return NULL;
}

static mlia_status *add_shape(const tosa_writer *writer, const mlia_graph_value *value, mlia_str name,
                              mlia_flatbuf_ref *ref)
{
    mlia_flatbuf_builder *builder = writer->builder;
    bool is_const = value->producer != MLIA_NONE &&
                    writer->graph->operators[value->producer].op == (uint32_t)MLIA_OP_CONST_SHAPE;
    if (is_const && value->shape_values == NULL)
        return mlia_error(MLIA_E_TOSA_DATA, "CONST_SHAPE '%.*s' has no values", MLIA_STR_ARG(name));
    mlia_flatbuf_ref data = 0;
    if (is_const) {
        mlia_bytes bytes = {(const uint8_t *)value->shape_values, value->rank * sizeof *value->shape_values};
        data = add_bytes(writer, bytes);
    }
    mlia_flatbuf_ref text = add_text(writer, name);
    mlia_flatbuf_begin(builder, &mlia_tosa_shape_schema);
    mlia_flatbuf_set_ref(builder, TOSA_SHAPE_NAME, text);
    mlia_flatbuf_set_integer(builder, TOSA_SHAPE_RANK, value->rank);
    mlia_flatbuf_set_ref(builder, TOSA_SHAPE_DATA, data);
    *ref = mlia_flatbuf_end(builder);
    return NULL;
}

/* The tensor of a variable that only operators name. */
static mlia_status *add_variable(const tosa_writer *writer, const made_tensor *made, mlia_flatbuf_ref *ref)
{
    const mlia_variable *variable = &writer->graph->variables[made->variable];
    mlia_graph_value value = {.type = variable->type,
                              .rank = variable->rank,
                              .dims = variable->dims,
                              .constant = variable->initial,
                              .variable = made->variable,
                              .producer = MLIA_NONE};
    return add_tensor(writer, &value, made->name, ref);
}

/* ---- operators ---- */

static mlia_flatbuf_ref add_list(const tosa_writer *writer, mlia_int_list list)
{
    return mlia_flatbuf_add_vector(writer->builder, list.values, list.count, sizeof *list.values,
                                   sizeof *list.values);
}

/* What a field of reference type stands for in the file, 0 when it is absent or a scalar. */
static mlia_flatbuf_ref add_field(const tosa_writer *writer, mlia_field_type type, const void *field)
{
    switch (type) {
    case MLIA_FIELD_I32_LIST:
        return add_list(writer, *(const mlia_int_list *)field);
    case MLIA_FIELD_ELEMENT:
        return add_bytes(writer, *(const mlia_bytes *)field);
    case MLIA_FIELD_BLOB: {
        mlia_bytes bytes = *(const mlia_bytes *)field;
        return bytes.data == NULL ? 0
                                  : mlia_flatbuf_add_vector(writer->builder, bytes.data, bytes.size, 1, 1);
    }
    case MLIA_FIELD_TEXT: {
        mlia_str text = *(const mlia_str *)field;
        return text.data == NULL ? 0 : add_text(writer, text);
    }
    case MLIA_FIELD_REGION: {
        uint32_t region = *(const uint32_t *)field;
        return region < writer->graph->region_count ? add_text(writer, writer->names.regions[region]) : 0;
    }
    default:
        return 0;
    }
}

static void set_field(const tosa_writer *writer, uint32_t id, mlia_field_type type, const void *field,
                      mlia_flatbuf_ref ref)
{
    switch (type) {
    case MLIA_FIELD_I32:
        mlia_flatbuf_set_integer(writer->builder, id, *(const int32_t *)field);
        return;
    case MLIA_FIELD_BOOL:
        mlia_flatbuf_set_integer(writer->builder, id, *(const bool *)field);
        return;
    case MLIA_FIELD_ENUM:
        mlia_flatbuf_set_integer(writer->builder, id, *(const uint32_t *)field);
        return;
    default:
        mlia_flatbuf_set_ref(writer->builder, id, ref);
    }
}

/* The attribute table; operators without fields have an empty one. */
static mlia_flatbuf_ref add_attributes(const tosa_writer *writer, const mlia_operator *op)
{
    enum { FIELD_MAX = 8 };
    const mlia_op_info *info = mlia_op_describe(op->op);
    mlia_attributes missing = mlia_attributes_default();
    const char *attributes = (const char *)(op->attributes != NULL ? op->attributes : &missing);
    mlia_flatbuf_ref refs[FIELD_MAX];
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mlia_field_info *field = mlia_field_describe(info->fields[i]);
        refs[i] = add_field(writer, field->type, attributes + field->offset);
    }
    mlia_flatbuf_begin(writer->builder, mlia_tosa_attribute_schema(op->op));
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mlia_field_info *field = mlia_field_describe(info->fields[i]);
        set_field(writer, i, field->type, attributes + field->offset, refs[i]);
    }
    return mlia_flatbuf_end(writer->builder);
}

static mlia_flatbuf_ref add_location(const tosa_writer *writer, const mlia_operator *op)
{
    mlia_str location = MLIA_STR("");
    if (op->source != MLIA_NONE)
        location = writer->graph->sources[op->source].location;
    mlia_flatbuf_ref text = add_text(writer, location);
    mlia_flatbuf_begin(writer->builder, &mlia_tosa_location_schema);
    mlia_flatbuf_set_ref(writer->builder, TOSA_LOCATION_TEXT, text);
    return mlia_flatbuf_end(writer->builder);
}

static mlia_status *add_value_names(const tosa_writer *writer, const uint32_t *values, uint32_t count,
                                    mlia_flatbuf_ref *ref)
{
    mlia_flatbuf_ref *refs = new_refs(writer, count);
    MLIA_TRY_ALLOC(refs);
    for (uint32_t i = 0; i < count; i++)
        refs[i] = add_text(writer, writer->names.values[values[i]]);
    *ref = mlia_flatbuf_add_refs(writer->builder, refs, count);
    return NULL;
}

static mlia_status *add_operator(const tosa_writer *writer, uint32_t index, mlia_flatbuf_ref *ref)
{
    mlia_flatbuf_builder *builder = writer->builder;
    const mlia_operator *op = &writer->graph->operators[index];
    if (op->op == MLIA_OP_FOREIGN || op->op >= MLIA_OP_LIMIT)
        return mlia_status_at_operator(mlia_error(MLIA_E_TOSA_UNSUPPORTED,
                                                  "%.*s is no TOSA operator and cannot be written",
                                                  MLIA_STR_ARG(mlia_operator_name(op))),
                                       writer->graph, op);
    mlia_flatbuf_ref inputs = 0;
    mlia_flatbuf_ref outputs = 0;
    MLIA_TRY(add_value_names(writer, op->inputs, op->input_count, &inputs));
    MLIA_TRY(add_value_names(writer, op->outputs, op->output_count, &outputs));
    uint32_t number = op->op;
    if (op->op == MLIA_OP_VARIABLE_READ || op->op == MLIA_OP_VARIABLE_WRITE) {
        number = MLIA_OP_IDENTITY;
        mlia_flatbuf_ref name = add_text(writer, writer->names.operands[index]);
        *(op->op == MLIA_OP_VARIABLE_READ ? &inputs : &outputs) = mlia_flatbuf_add_refs(builder, &name, 1);
    }
    mlia_flatbuf_ref attribute = add_attributes(writer, op);
    mlia_flatbuf_ref location = add_location(writer, op);
    mlia_flatbuf_begin(builder, &mlia_tosa_operator_schema);
    mlia_flatbuf_set_integer(builder, TOSA_OPERATOR_OP, number);
    mlia_flatbuf_set_integer(builder, TOSA_OPERATOR_ATTRIBUTE_TYPE, op->op);
    mlia_flatbuf_set_ref(builder, TOSA_OPERATOR_ATTRIBUTE, attribute);
    mlia_flatbuf_set_ref(builder, TOSA_OPERATOR_INPUTS, inputs);
    mlia_flatbuf_set_ref(builder, TOSA_OPERATOR_OUTPUTS, outputs);
    mlia_flatbuf_set_ref(builder, TOSA_OPERATOR_LOCATION, location);
    *ref = mlia_flatbuf_end(builder);
    return NULL;
}

/* ---- blocks, regions, file ---- */

static mlia_status *add_values(const tosa_writer *writer, const block_names *block, mlia_flatbuf_ref *tensors,
                               mlia_flatbuf_ref *shapes)
{
    size_t tensor_count = 0;
    size_t shape_count = 0;
    mlia_flatbuf_ref *tensor_refs = new_refs(writer, block->value_count + block->made_count);
    mlia_flatbuf_ref *shape_refs = new_refs(writer, block->value_count);
    MLIA_TRY_ALLOC(tensor_refs);
    MLIA_TRY_ALLOC(shape_refs);
    for (uint32_t i = 0; i < block->value_count; i++) {
        const mlia_graph_value *value = &writer->graph->values[block->values[i]];
        mlia_str name = writer->names.values[block->values[i]];
        MLIA_TRY(value->kind == MLIA_KIND_SHAPE
                     ? add_shape(writer, value, name, &shape_refs[shape_count++])
                     : add_tensor(writer, value, name, &tensor_refs[tensor_count++]));
    }
    for (size_t i = 0; i < block->made_count; i++)
        MLIA_TRY(add_variable(writer, &block->made[i], &tensor_refs[tensor_count++]));
    *tensors = mlia_flatbuf_add_refs(writer->builder, tensor_refs, tensor_count);
    *shapes = mlia_flatbuf_add_refs(writer->builder, shape_refs, shape_count);
    return NULL;
}

static mlia_status *add_block(const tosa_writer *writer, uint32_t index, mlia_flatbuf_ref *ref)
{
    mlia_flatbuf_builder *builder = writer->builder;
    const mlia_block *block = &writer->graph->blocks[index];
    mlia_flatbuf_ref tensors = 0;
    mlia_flatbuf_ref shapes = 0;
    mlia_flatbuf_ref inputs = 0;
    mlia_flatbuf_ref outputs = 0;
    mlia_flatbuf_ref *refs = new_refs(writer, block->operator_count);
    MLIA_TRY_ALLOC(refs);
    for (uint32_t i = 0; i < block->operator_count; i++)
        MLIA_TRY(add_operator(writer, block->operators[i], &refs[i]));
    mlia_flatbuf_ref operators = mlia_flatbuf_add_refs(builder, refs, block->operator_count);
    MLIA_TRY(add_values(writer, &writer->names.blocks[index], &tensors, &shapes));
    MLIA_TRY(add_value_names(writer, block->inputs, block->input_count, &inputs));
    MLIA_TRY(add_value_names(writer, block->outputs, block->output_count, &outputs));
    mlia_flatbuf_ref name = add_text(writer, writer->names.block_labels[index]);
    mlia_flatbuf_begin(builder, &mlia_tosa_block_schema);
    mlia_flatbuf_set_ref(builder, TOSA_BLOCK_NAME, name);
    mlia_flatbuf_set_ref(builder, TOSA_BLOCK_OPERATORS, operators);
    mlia_flatbuf_set_ref(builder, TOSA_BLOCK_TENSORS, tensors);
    mlia_flatbuf_set_ref(builder, TOSA_BLOCK_INPUTS, inputs);
    mlia_flatbuf_set_ref(builder, TOSA_BLOCK_OUTPUTS, outputs);
    mlia_flatbuf_set_ref(builder, TOSA_BLOCK_SHAPES, shapes);
    *ref = mlia_flatbuf_end(builder);
    return NULL;
}

static mlia_status *add_region(const tosa_writer *writer, uint32_t index, mlia_flatbuf_ref *ref)
{
    mlia_flatbuf_ref block = 0;
    MLIA_TRY(add_block(writer, writer->graph->regions[index].block, &block));
    mlia_flatbuf_ref blocks = mlia_flatbuf_add_refs(writer->builder, &block, 1);
    mlia_flatbuf_ref name = add_text(writer, writer->names.regions[index]);
    mlia_flatbuf_begin(writer->builder, &mlia_tosa_region_schema);
    mlia_flatbuf_set_ref(writer->builder, TOSA_REGION_NAME, name);
    mlia_flatbuf_set_ref(writer->builder, TOSA_REGION_BLOCKS, blocks);
    *ref = mlia_flatbuf_end(writer->builder);
    return NULL;
}

static bool needs_1_1(const mlia_graph *graph)
{
    for (uint32_t i = 0; i < graph->operator_count; i++)
        if (graph->operators[i].op > MLIA_OP_LAST_1_0)
            return true;
    for (uint32_t i = 0; i < graph->value_count; i++)
        if (graph->values[i].type > MLIA_TYPE_LAST_1_0 || graph->values[i].scale != NULL)
            return true;
    for (uint32_t i = 0; i < graph->variable_count; i++)
        if (graph->variables[i].type > MLIA_TYPE_LAST_1_0)
            return true;
    return false;
}

static mlia_flatbuf_ref add_version(const tosa_writer *writer)
{
    bool draft = needs_1_1(writer->graph);
    mlia_flatbuf_begin(writer->builder, &mlia_tosa_version_schema);
    mlia_flatbuf_set_integer(writer->builder, TOSA_VERSION_MAJOR, 1);
    mlia_flatbuf_set_integer(writer->builder, TOSA_VERSION_MINOR, draft ? 1 : 0);
    mlia_flatbuf_set_integer(writer->builder, TOSA_VERSION_PATCH, 0);
    mlia_flatbuf_set_integer(writer->builder, TOSA_VERSION_DRAFT, draft);
    return mlia_flatbuf_end(writer->builder);
}

static mlia_status *write_file(tosa_writer *writer, mlia_buffer *out)
{
    const mlia_graph *graph = writer->graph;
    MLIA_TRY(mlia_tosa_make_names(graph, writer->arena, &writer->names));
    mlia_flatbuf_ref *refs = new_refs(writer, graph->region_count);
    MLIA_TRY_ALLOC(refs);
    for (uint32_t i = 0; i < graph->region_count; i++)
        MLIA_TRY(add_region(writer, i, &refs[i]));
    mlia_flatbuf_ref regions = mlia_flatbuf_add_refs(writer->builder, refs, graph->region_count);
    mlia_flatbuf_ref version = add_version(writer);
    mlia_flatbuf_begin(writer->builder, &mlia_tosa_graph_schema);
    mlia_flatbuf_set_ref(writer->builder, TOSA_GRAPH_VERSION, version);
    mlia_flatbuf_set_ref(writer->builder, TOSA_GRAPH_REGIONS, regions);
    mlia_flatbuf_ref root = mlia_flatbuf_end(writer->builder);
    return mlia_flatbuf_finish(writer->builder, root, MLIA_TOSA_IDENTIFIER, out);
}

mlia_status *mlia_tosa_write(const mlia_graph *graph, mlia_buffer *out)
{
    tosa_writer writer = {.graph = graph, .arena = mlia_arena_new(0), .builder = mlia_flatbuf_builder_new()};
    mlia_status *status =
        writer.arena == NULL || writer.builder == NULL ? mlia_error_memory() : write_file(&writer, out);
    mlia_flatbuf_builder_free(writer.builder);
    mlia_arena_free(writer.arena);
    return status;
}
