/* Builds the JSON value of a graph; attributes come from the table of fields. */
#include "graph/dump.h"

#include <math.h>

/* Failed allocations are remembered, so that only the end is tested. */
typedef struct dump {
    const mlia_graph *graph;
    mlia_arena *arena;
    bool failed;
} dump;

static void set(dump *out, mlia_value *object, mlia_str name, mlia_value *value)
{
    if (object == NULL || !mlia_value_set(out->arena, object, name, value))
        out->failed = true;
}

static void add(dump *out, mlia_value *array, mlia_value *value)
{
    if (array == NULL || !mlia_value_add(out->arena, array, value))
        out->failed = true;
}

static void set_text(dump *out, mlia_value *object, const char *name, mlia_str text)
{
    if (text.size > 0)
        set(out, object, mlia_str_from_c(name), mlia_value_string(out->arena, text));
}

static void set_number(dump *out, mlia_value *object, const char *name, int64_t number)
{
    set(out, object, mlia_str_from_c(name), mlia_value_integer(out->arena, number));
}

static mlia_value *indexes(dump *out, const uint32_t *values, uint32_t count)
{
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < count; i++)
        add(out, array, mlia_value_integer(out->arena, values[i]));
    return array;
}

static mlia_value *enum_name(dump *out, const mlia_field_info *info, uint32_t number)
{
    if (info->items == NULL)
        return mlia_value_string(out->arena, mlia_type_describe(number)->name);
    for (const mlia_enum_item *item = info->items; item->number != 0; item++)
        if (item->number == number)
            return mlia_value_string(out->arena, item->name);
    return mlia_value_integer(out->arena, number);
}

/* One element in the type of the operator's first input. */
static mlia_value *element(dump *out, const mlia_operator *op, mlia_bytes bytes)
{
    mlia_constant constant = {bytes, MLIA_ENCODING_TOSA, false};
    mlia_graph_value value = {.constant = &constant};
    int64_t integer;
    double number;
    value.type = op->input_count > 0 ? out->graph->values[op->inputs[0]].type : MLIA_TYPE_UNKNOWN;
    if (mlia_constant_integer(&value, 0, &integer))
        return mlia_value_integer(out->arena, integer);
    if (!mlia_constant_number(&value, 0, &number))
        return mlia_value_null(out->arena);
    if (isfinite(number))
        return mlia_value_number(out->arena, number);
    return mlia_value_string(out->arena, isnan(number) ? MLIA_STR("nan")
                                         : number > 0  ? MLIA_STR("inf")
                                                       : MLIA_STR("-inf"));
}

static mlia_value *list(dump *out, const mlia_int_list *values)
{
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < values->count; i++)
        add(out, array, mlia_value_integer(out->arena, values->values[i]));
    return array;
}

static mlia_value *field_value(dump *out, const mlia_operator *op, const mlia_field_info *info)
{
    const void *place = (const char *)op->attributes + info->offset;
    switch (info->type) {
    case MLIA_FIELD_I32:
        return mlia_value_integer(out->arena, *(const int32_t *)place);
    case MLIA_FIELD_I32_LIST:
        return list(out, place);
    case MLIA_FIELD_BOOL:
        return mlia_value_bool(out->arena, *(const bool *)place);
    case MLIA_FIELD_ENUM:
        return enum_name(out, info, *(const uint32_t *)place);
    case MLIA_FIELD_ELEMENT:
        return element(out, op, *(const mlia_bytes *)place);
    case MLIA_FIELD_TEXT:
        return mlia_value_string(out->arena, *(const mlia_str *)place);
    case MLIA_FIELD_BLOB: {
        mlia_str text = {(const char *)((const mlia_bytes *)place)->data, ((const mlia_bytes *)place)->size};
        return mlia_utf8_valid(text) ? mlia_value_string(out->arena, text)
                                     : mlia_value_integer(out->arena, (int64_t)text.size);
    }
    case MLIA_FIELD_REGION:
        return mlia_value_integer(out->arena, *(const uint32_t *)place);
    }
    return NULL;
}

static mlia_value *attributes(dump *out, const mlia_operator *op)
{
    mlia_value *object = mlia_value_object(out->arena);
    const mlia_op_info *info = mlia_op_describe(op->op);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mlia_field_info *field = mlia_field_describe(info->fields[i]);
        set(out, object, field->name, field_value(out, op, field));
    }
    return object;
}

static mlia_value *operator_value(dump *out, uint32_t index)
{
    const mlia_operator *op = &out->graph->operators[index];
    mlia_value *object = mlia_value_object(out->arena);
    set_number(out, object, "index", index);
    set_text(out, object, "type", mlia_operator_name(op));
    if (op->source != MLIA_NONE) {
        const mlia_source *source = &out->graph->sources[op->source];
        set_text(out, object, "id", source->id);
        set_text(out, object, "label", source->label);
        set_text(out, object, "file", source->file);
        if (source->file.size > 0) {
            set_number(out, object, "line", source->line);
            set_number(out, object, "column", source->column);
        }
    }
    set(out, object, MLIA_STR("inputs"), indexes(out, op->inputs, op->input_count));
    set(out, object, MLIA_STR("outputs"), indexes(out, op->outputs, op->output_count));
    if (op->attributes != NULL && mlia_op_describe(op->op)->field_count > 0)
        set(out, object, MLIA_STR("attributes"), attributes(out, op));
    return object;
}

static mlia_value *dimensions(dump *out, const mlia_graph_value *value)
{
    if (value->unranked)
        return mlia_value_null(out->arena);
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < value->rank; i++)
        add(out, array,
            value->dims[i] < 0 ? mlia_value_null(out->arena)
                               : mlia_value_integer(out->arena, value->dims[i]));
    return array;
}

static mlia_value *tensor(dump *out, uint32_t index)
{
    const mlia_graph_value *value = &out->graph->values[index];
    mlia_value *object = mlia_value_object(out->arena);
    set_number(out, object, "index", index);
    set_text(out, object, "name", value->name);
    set_text(out, object, "type", mlia_type_describe(value->type)->name);
    if (value->is_unsigned)
        set(out, object, MLIA_STR("unsigned"), mlia_value_bool(out->arena, true));
    if (value->kind == MLIA_KIND_SHAPE) {
        mlia_value *values = mlia_value_array(out->arena);
        for (uint32_t i = 0; value->shape_values != NULL && i < value->rank; i++)
            add(out, values, mlia_value_integer(out->arena, value->shape_values[i]));
        set(out, object, MLIA_STR("values"), values);
        return object;
    }
    set(out, object, MLIA_STR("shape"), dimensions(out, value));
    uint64_t bytes;
    if (value->constant != NULL && mlia_value_bytes(value, &bytes))
        set_number(out, object, "bytes", (int64_t)bytes);
    return object;
}

static mlia_value *region(dump *out, const mlia_region *item)
{
    const mlia_block *block = &out->graph->blocks[item->block];
    mlia_value *object = mlia_value_object(out->arena);
    set_text(out, object, "name", item->name);
    set(out, object, MLIA_STR("inputs"), indexes(out, block->inputs, block->input_count));
    set(out, object, MLIA_STR("outputs"), indexes(out, block->outputs, block->output_count));
    mlia_value *operators = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < block->operator_count; i++)
        add(out, operators, operator_value(out, block->operators[i]));
    set(out, object, MLIA_STR("operators"), operators);
    return object;
}

mlia_status *mlia_graph_dump(const mlia_graph *graph, mlia_arena *arena, mlia_value **value)
{
    dump out = {.graph = graph, .arena = arena};
    mlia_value *root = mlia_value_object(arena);
    mlia_value *regions = mlia_value_array(arena);
    mlia_value *tensors = mlia_value_array(arena);
    set_text(&out, root, "name", graph->name);
    set_text(&out, root, "version",
             mlia_arena_format(arena, "%d.%d.%d%s", graph->version[0], graph->version[1], graph->version[2],
                               graph->draft ? "-draft" : ""));
    for (uint32_t i = 0; i < graph->region_count; i++)
        add(&out, regions, region(&out, &graph->regions[i]));
    for (uint32_t i = 0; i < graph->value_count; i++)
        add(&out, tensors, tensor(&out, i));
    set(&out, root, MLIA_STR("regions"), regions);
    set(&out, root, MLIA_STR("tensors"), tensors);
    *value = root;
    return out.failed ? mlia_error_memory() : NULL;
}
