/* A graph as MLIR text, spelled as the public printers spell it: pretty forms, numbered values, locations as
 * aliases at the end of the file. */
#include "formats/mlir/write.h"

#include "formats/mlir/attribute.h"
#include "formats/mlir/mlir.h"

enum { NESTING_LIMIT = MLIA_MLIR_REGION_LIMIT };

typedef struct writer {
    const mlia_graph *graph;
    mlia_buffer *text;
    mlia_arena *arena;
    uint32_t *numbers;   /* of values; MLIA_NONE: none yet */
    uint32_t next;       /* number of the next result */
    uint32_t next_input; /* number of the next argument: %argN */
    bool *is_argument;
    mlia_map locations; /* text → number of its alias */
    mlia_str *location_texts;
    size_t location_count;
    size_t location_capacity;
    uint32_t depth; /* of regions */
} writer;

static void put(writer *out, const char *text)
{
    mlia_buffer_add_str(out->text, mlia_str_from_c(text));
}

static void indent(writer *out)
{
    for (uint32_t i = 0; i < out->depth + 2; i++)
        put(out, "  ");
}

void mlia_mlir_write_element_type(mlia_buffer *text, uint32_t type, bool is_unsigned)
{
    mlia_buffer_format(text, "%s%.*s", is_unsigned ? "u" : "", MLIA_STR_ARG(mlia_type_describe(type)->mlir));
}

static void write_tensor_type(mlia_buffer *text, const mlia_graph_value *value)
{
    mlia_buffer_add_str(text, value->unranked ? MLIA_STR("tensor<*x") : MLIA_STR("tensor<"));
    for (uint32_t i = 0; i < value->rank; i++)
        if (value->dims[i] == MLIA_DIM_UNKNOWN)
            mlia_buffer_add_str(text, MLIA_STR("?x"));
        else
            mlia_buffer_format(text, "%lldx", (long long)value->dims[i]);
    mlia_mlir_write_element_type(text, value->type, value->is_unsigned);
    mlia_buffer_add_byte(text, '>');
}

void mlia_mlir_write_type(mlia_buffer *text, const mlia_graph_value *value)
{
    if (value->kind == MLIA_KIND_SHAPE)
        mlia_buffer_format(text, "!tosa.shape<%u>", value->rank);
    else
        write_tensor_type(text, value);
}

/* ---- names, types, locations ---- */

static void write_value(writer *out, uint32_t value)
{
    mlia_buffer_format(out->text, out->is_argument[value] ? "%%arg%u" : "%%%u", out->numbers[value]);
}

static void write_values(writer *out, const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put(out, i > 0 ? ", " : "");
        write_value(out, values[i]);
    }
}

static void write_types(writer *out, const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put(out, i > 0 ? ", " : "");
        mlia_mlir_write_type(out->text, &out->graph->values[values[i]]);
    }
}

/* One result type stands alone, others in brackets. */
static void write_result_types(writer *out, const uint32_t *values, uint32_t count)
{
    put(out, count == 1 ? "" : "(");
    write_types(out, values, count);
    put(out, count == 1 ? "" : ")");
}

static void write_signature(writer *out, const mlia_operator *op, uint32_t first)
{
    put(out, "(");
    write_types(out, op->inputs + first, op->input_count - first);
    put(out, ") -> ");
    write_result_types(out, op->outputs, op->output_count);
}

static void number_arguments(writer *out, const uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        out->numbers[values[i]] = out->next_input++;
        out->is_argument[values[i]] = true;
    }
}

/* "operator/3"("conv/Relu"("model.tflite":0:3)): a TensorFlow Lite operator, the names of its results, its
 * subgraph and number. Debug information of VGF files takes the outermost name. */
static void write_converted(mlia_buffer *text, mlia_str key, const mlia_source *source)
{
    const mlia_str *names = source->result_count > 0 ? source->results : &source->label;
    uint32_t count = source->result_count > 0 ? source->result_count : 1;
    mlia_buffer place = {0};
    if (source->file.size > 0) {
        mlia_mlir_quote(&place, source->file);
        mlia_buffer_format(&place, ":%u:%u", source->line, source->column);
    }
    mlia_mlir_quote(text, key);
    mlia_buffer_add_str(text, count > 1 ? MLIA_STR("(fused[") : MLIA_STR_NONE);
    for (uint32_t i = 0; i < count; i++) {
        mlia_buffer_add_str(text, count == 1 ? MLIA_STR("(") : i > 0 ? MLIA_STR(", ") : MLIA_STR_NONE);
        bool named = names[i].size > 0;
        if (named)
            mlia_mlir_quote(text, names[i]);
        if (named && place.size > 0)
            mlia_buffer_format(text, "(%.*s)", MLIA_STR_ARG(mlia_buffer_str(&place)));
        else if (!named)
            mlia_buffer_add_str(text, place.size > 0 ? mlia_buffer_str(&place) : MLIA_STR("unknown"));
    }
    mlia_buffer_add_str(text, count > 1 ? MLIA_STR("])") : MLIA_STR(")"));
    text->failed = text->failed || place.failed;
    mlia_buffer_free(&place);
}

/* What stands between "loc(" and ")" for a source operator: its stored location when that is MLIR's, a
 * TensorFlow Lite operator by its key, anything else as a name. */
static mlia_status *location_text(writer *out, const mlia_source *source, mlia_str *text)
{
    if (mlia_mlir_location_valid(out->arena, source->location)) {
        *text = mlia_str_slice(source->location, 4, source->location.size - 5);
        return NULL;
    }
    mlia_str key = out->graph->format == MLIA_SOURCE_TFLITE ? source->id : source->origin;
    mlia_buffer quoted = {0};
    if (key.size > 0)
        write_converted(&quoted, key, source);
    else
        mlia_mlir_quote(&quoted, source->location);
    *text = mlia_arena_str(out->arena, mlia_buffer_str(&quoted));
    mlia_status *status = mlia_buffer_status(&quoted);
    mlia_buffer_free(&quoted);
    MLIA_TRY(status);
    MLIA_TRY_ALLOC(text->data);
    return NULL;
}

/* " loc(#locN)"; nothing for an operator without location. */
static mlia_status *write_location(writer *out, const mlia_operator *op)
{
    if (op->source == MLIA_NONE || out->graph->sources[op->source].location.size == 0)
        return NULL;
    const mlia_source *source = &out->graph->sources[op->source];
    bool is_new;
    uint32_t *number =
        mlia_map_insert(&out->locations, source->location, (uint32_t)out->location_count, &is_new);
    MLIA_TRY_ALLOC(number);
    if (is_new) {
        if (!MLIA_RESERVE(out->arena, out->location_texts, out->location_count, out->location_capacity))
            return mlia_error_memory();
        MLIA_TRY(location_text(out, source, &out->location_texts[out->location_count]));
        out->location_count++;
    }
    mlia_buffer_format(out->text, " loc(#loc%u)", *number);
    return NULL;
}

static void write_aliases(writer *out)
{
    for (size_t i = 0; i < out->location_count; i++)
        mlia_buffer_format(out->text, "#loc%zu = loc(%.*s)\n", i, MLIA_STR_ARG(out->location_texts[i]));
}

static bool is_bare(mlia_str name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '$' || c == '.')))
            return false;
    }
    return name.size > 0;
}

static void write_symbol(writer *out, mlia_str name)
{
    put(out, "@");
    if (is_bare(name))
        mlia_buffer_add_str(out->text, name);
    else
        mlia_mlir_quote(out->text, name);
}

/* ---- attributes ---- */

static void write_keyword(writer *out, const mlia_field_info *info, uint32_t number)
{
    if (info->items == NULL) {
        mlia_mlir_write_element_type(out->text, number, false);
        return;
    }
    mlia_str keyword = MLIA_STR("UNKNOWN");
    for (const mlia_enum_item *item = info->items; item->number != 0; item++)
        if (item->number == number)
            keyword = item->name;
    if (mlia_str_equal_c(keyword, "NEAREST"))
        keyword = MLIA_STR("NEAREST_NEIGHBOR");
    if (mlia_str_equal_c(info->name, "block_size")) /* not every operator takes the short form of this one */
        mlia_buffer_format(out->text, "#tosa.block_size<%.*s>", MLIA_STR_ARG(keyword));
    else
        mlia_buffer_add_str(out->text, keyword);
}

static void write_integers(writer *out, mlia_field field, const mlia_int_list *list)
{
    put(out, field == MLIA_FIELD_PERMS ? "array<i32" : "array<i64");
    for (uint32_t i = 0; i < list->count; i++)
        mlia_buffer_format(out->text, "%s%d", i > 0 ? ", " : ": ", list->values[i]);
    put(out, ">");
}

/* min_val, max_val: one element in the type of the input. */
static void write_element(writer *out, const mlia_operator *op, mlia_bytes bytes)
{
    const mlia_graph_value *input = &out->graph->values[op->inputs[0]];
    uint32_t size = mlia_type_bytes(input->type);
    uint64_t pattern = 0;
    for (uint32_t i = 0; i < size && i < bytes.size; i++)
        pattern |= (uint64_t)bytes.data[i] << (8 * i);
    mlia_mlir_write_number(out->text, input->type, input->is_unsigned, pattern);
    if (input->type == MLIA_TYPE_BOOL)
        return;
    put(out, " : ");
    mlia_mlir_write_element_type(out->text, input->type, input->is_unsigned);
}

static void write_field(writer *out, const mlia_operator *op, mlia_field field)
{
    const mlia_field_info *info = mlia_field_describe(field);
    const void *member = (const char *)op->attributes + info->offset;
    mlia_bytes blob;
    switch (info->type) {
    case MLIA_FIELD_I32:
        mlia_buffer_format(out->text, "%d : i32", *(const int32_t *)member);
        break;
    case MLIA_FIELD_I32_LIST:
        write_integers(out, field, member);
        break;
    case MLIA_FIELD_BOOL:
        put(out, *(const bool *)member ? "true" : "false");
        break;
    case MLIA_FIELD_ENUM:
        write_keyword(out, info, *(const uint32_t *)member);
        break;
    case MLIA_FIELD_ELEMENT:
        write_element(out, op, *(const mlia_bytes *)member);
        break;
    case MLIA_FIELD_TEXT:
        mlia_mlir_quote(out->text, *(const mlia_str *)member);
        break;
    case MLIA_FIELD_BLOB:
        blob = *(const mlia_bytes *)member;
        mlia_mlir_quote(out->text, (mlia_str){(const char *)blob.data, blob.size});
        break;
    case MLIA_FIELD_REGION:
        break;
    }
}

/* Values at their default, and regions, are not printed. */
static bool is_written(const mlia_attributes *attributes, mlia_field field)
{
    return mlia_field_describe(field)->type != MLIA_FIELD_REGION &&
           !(field == MLIA_FIELD_LOCAL_BOUND && !attributes->local_bound) &&
           !(field == MLIA_FIELD_NAN_MODE && attributes->nan_mode == MLIA_NAN_PROPAGATE);
}

/* " {axis = 0 : i32, …}" in ascending order of the names, or nothing. */
static void write_attributes(writer *out, const mlia_operator *op)
{
    const mlia_op_info *info = mlia_op_describe(op->op);
    mlia_field fields[8];
    uint32_t count = 0;
    for (uint32_t i = 0; op->attributes != NULL && i < info->field_count; i++) {
        if (!is_written(op->attributes, info->fields[i]))
            continue;
        mlia_str name = mlia_field_describe(info->fields[i])->name;
        uint32_t k = count++;
        for (; k > 0 && mlia_str_compare(mlia_field_describe(fields[k - 1])->name, name) > 0; k--)
            fields[k] = fields[k - 1];
        fields[k] = info->fields[i];
    }
    for (uint32_t i = 0; i < count; i++) {
        mlia_buffer_format(out->text, "%s%.*s = ", i > 0 ? ", " : " {",
                           MLIA_STR_ARG(mlia_field_describe(fields[i])->name));
        write_field(out, op, fields[i]);
    }
    put(out, count > 0 ? "}" : "");
}

/* ---- operations ---- */

static mlia_status *write_block(writer *out, uint32_t block, const char *terminator);

/* "{" label, operations "}" of a region at the current line. */
static mlia_status *write_region(writer *out, uint32_t region, bool label)
{
    if (out->depth >= NESTING_LIMIT)
        return mlia_error(MLIA_E_MLIR_LIMIT, "regions nested deeper than %d levels", NESTING_LIMIT);
    uint32_t index = out->graph->regions[region].block;
    const mlia_block *block = &out->graph->blocks[index];
    number_arguments(out, block->inputs, block->input_count);
    put(out, "{\n");
    if (label && block->input_count > 0) {
        indent(out);
        put(out, "^bb0(");
        for (uint32_t i = 0; i < block->input_count; i++) {
            put(out, i > 0 ? ", " : "");
            write_value(out, block->inputs[i]);
            put(out, ": ");
            mlia_mlir_write_type(out->text, &out->graph->values[block->inputs[i]]);
        }
        put(out, "):\n");
    }
    out->depth++;
    MLIA_TRY(write_block(out, index, "tosa.yield"));
    out->depth--;
    indent(out);
    put(out, "}");
    return NULL;
}

/* "(%arg3 = %arg1, …)": names inside the first region of what is passed to it. */
static void write_entries(writer *out, const mlia_block *block, const uint32_t *values)
{
    uint32_t first = out->next_input;
    put(out, "(");
    for (uint32_t i = 0; i < block->input_count; i++) {
        mlia_buffer_format(out->text, "%s%%arg%u = ", i > 0 ? ", " : "", first + i);
        write_value(out, values[i]);
    }
    put(out, ")");
}

static mlia_status *write_cond_if(writer *out, const mlia_operator *op)
{
    const mlia_graph *graph = out->graph;
    const mlia_block *then = &graph->blocks[graph->regions[op->attributes->then_graph].block];
    put(out, " ");
    write_value(out, op->inputs[0]);
    if (op->input_count > 1) {
        put(out, " ");
        write_entries(out, then, op->inputs + 1);
    }
    put(out, " : ");
    write_types(out, op->inputs, 1);
    if (op->input_count > 1) {
        put(out, " (");
        write_types(out, op->inputs + 1, op->input_count - 1);
        put(out, ")");
    }
    put(out, " -> ");
    write_result_types(out, op->outputs, op->output_count);
    put(out, " ");
    MLIA_TRY(write_region(out, op->attributes->then_graph, true));
    put(out, " else ");
    return write_region(out, op->attributes->else_graph, true);
}

static mlia_status *write_while_loop(writer *out, const mlia_operator *op)
{
    const mlia_graph *graph = out->graph;
    put(out, " ");
    write_entries(out, &graph->blocks[graph->regions[op->attributes->cond_graph].block], op->inputs);
    put(out, " : ");
    write_signature(out, op, 0);
    put(out, " ");
    MLIA_TRY(write_region(out, op->attributes->cond_graph, false));
    put(out, " do ");
    return write_region(out, op->attributes->body_graph, true);
}

static mlia_status *write_const(writer *out, const mlia_operator *op)
{
    const mlia_graph_value *value = &out->graph->values[op->outputs[0]];
    if (value->constant == NULL)
        return mlia_error(MLIA_E_MLIR_DATA, "CONST '%.*s' has no bytes", MLIA_STR_ARG(value->name));
    put(out, "() <{values = ");
    MLIA_TRY(mlia_mlir_write_constant(out->text, value));
    put(out, "}> : ");
    write_signature(out, op, 0);
    return NULL;
}

static mlia_status *write_const_shape(writer *out, const mlia_operator *op)
{
    const mlia_graph_value *value = &out->graph->values[op->outputs[0]];
    if (value->shape_values == NULL && value->rank > 0)
        return mlia_error(MLIA_E_MLIR_DATA, "CONST_SHAPE '%.*s' has no values", MLIA_STR_ARG(value->name));
    put(out, "  {values = ");
    mlia_mlir_write_shape(out->text, value->shape_values, value->rank);
    put(out, "} : ");
    write_signature(out, op, 0);
    return NULL;
}

static mlia_status *write_variable_access(writer *out, const mlia_operator *op)
{
    put(out, " ");
    write_symbol(out, out->graph->variables[op->attributes->variable].name);
    put(out, op->input_count > 0 ? ", " : "");
    write_values(out, op->inputs, op->input_count);
    put(out, " : ");
    write_types(out, op->inputs, op->input_count);
    write_types(out, op->outputs, op->output_count);
    return NULL;
}

static mlia_status *write_plain(writer *out, const mlia_operator *op)
{
    put(out, op->input_count > 0 ? " " : "");
    write_values(out, op->inputs, op->input_count);
    write_attributes(out, op);
    put(out, " : ");
    write_signature(out, op, 0);
    return NULL;
}

static mlia_status *write_body(writer *out, const mlia_operator *op)
{
    switch (op->op) {
    case MLIA_OP_CONST:
        return write_const(out, op);
    case MLIA_OP_CONST_SHAPE:
        return write_const_shape(out, op);
    case MLIA_OP_VARIABLE_READ:
    case MLIA_OP_VARIABLE_WRITE:
        return write_variable_access(out, op);
    case MLIA_OP_COND_IF:
        return write_cond_if(out, op);
    case MLIA_OP_WHILE_LOOP:
        return write_while_loop(out, op);
    default:
        return write_plain(out, op);
    }
}

/* "%0, %1 = tosa.…". Several results have a name each, which no reader needs groups for. */
static void write_results(writer *out, const mlia_operator *op, uint32_t first)
{
    for (uint32_t i = 0; i < op->output_count; i++)
        mlia_buffer_format(out->text, "%s%%%u", i > 0 ? ", " : "", first + i);
    put(out, op->output_count > 0 ? " = " : "");
}

static mlia_status *write_operator(writer *out, const mlia_operator *op)
{
    if (op->op == MLIA_OP_FOREIGN)
        return mlia_status_at_operator(
            mlia_error(MLIA_E_MLIR_UNSUPPORTED, "%.*s is no TOSA operator", MLIA_STR_ARG(op->foreign_name)),
            out->graph, op);
    uint32_t first = out->next;
    out->next += op->output_count;
    indent(out);
    write_results(out, op, first);
    const char *quote = op->op == MLIA_OP_CONST ? "\"" : ""; /* CONST has no pretty form */
    mlia_buffer_format(out->text, "%stosa.%.*s%s", quote, MLIA_STR_ARG(mlia_op_describe(op->op)->mlir_name),
                       quote);
    MLIA_TRY(mlia_status_at_operator(write_body(out, op), out->graph, op));
    MLIA_TRY(write_location(out, op));
    put(out, "\n");
    for (uint32_t i = 0; i < op->output_count; i++) /* not visible in its own regions */
        out->numbers[op->outputs[i]] = first + i;
    return NULL;
}

static mlia_status *write_block(writer *out, uint32_t index, const char *terminator)
{
    const mlia_block *block = &out->graph->blocks[index];
    for (uint32_t i = 0; i < block->operator_count; i++)
        MLIA_TRY(write_operator(out, &out->graph->operators[block->operators[i]]));
    indent(out);
    put(out, terminator);
    if (block->output_count > 0) {
        put(out, " ");
        write_values(out, block->outputs, block->output_count);
        put(out, " : ");
        write_types(out, block->outputs, block->output_count);
    }
    put(out, "\n");
    return NULL;
}

/* ---- module and function ---- */

static mlia_status *write_variables(writer *out)
{
    for (uint32_t i = 0; i < out->graph->variable_count; i++) {
        const mlia_variable *variable = &out->graph->variables[i];
        const mlia_graph_value value = {.name = variable->name,
                                        .type = variable->type,
                                        .rank = variable->rank,
                                        .dims = variable->dims,
                                        .constant = variable->initial};
        put(out, "  tosa.variable ");
        write_symbol(out, variable->name);
        if (variable->initial == NULL) {
            put(out, " : ");
            mlia_mlir_write_type(out->text, &value);
        } else {
            put(out, " = ");
            MLIA_TRY(mlia_mlir_write_constant(out->text, &value));
        }
        put(out, "\n");
    }
    return NULL;
}

static void write_name(writer *out, uint32_t value)
{
    mlia_str name = out->graph->values[value].name;
    if (name.size == 0)
        return;
    put(out, " {tosa.tensor_name = ");
    mlia_mlir_quote(out->text, name);
    put(out, "}");
}

static void write_function_header(writer *out, const mlia_block *block)
{
    put(out, "  func.func @main(");
    number_arguments(out, block->inputs, block->input_count);
    for (uint32_t i = 0; i < block->input_count; i++) {
        put(out, i > 0 ? ", " : "");
        write_value(out, block->inputs[i]);
        put(out, ": ");
        mlia_mlir_write_type(out->text, &out->graph->values[block->inputs[i]]);
        write_name(out, block->inputs[i]);
    }
    put(out, ")");
    for (uint32_t i = 0; i < block->output_count; i++) {
        put(out, i > 0 ? ", " : " -> (");
        mlia_mlir_write_type(out->text, &out->graph->values[block->outputs[i]]);
        write_name(out, block->outputs[i]);
    }
    put(out, block->output_count > 0 ? ") {\n" : " {\n");
}

static mlia_status *write_module(writer *out)
{
    const mlia_graph *graph = out->graph;
    const mlia_block *block = mlia_graph_main(graph);
    mlia_buffer_format(out->text, "module attributes {tosa.fbs_version = \"%d.%d.%d%s\"} {\n",
                       graph->version[0], graph->version[1], graph->version[2], graph->draft ? "d" : "");
    MLIA_TRY(write_variables(out));
    write_function_header(out, block);
    MLIA_TRY(write_block(out, graph->regions[0].block, "return"));
    put(out, "  }\n}\n");
    write_aliases(out);
    return NULL;
}

mlia_status *mlia_mlir_write(const mlia_graph *graph, mlia_buffer *text)
{
    mlia_arena *arena = mlia_arena_new(0);
    writer out = {.graph = graph, .text = text, .arena = arena};
    mlia_status *status = NULL;
    if (arena != NULL) {
        out.locations = mlia_map_in(arena);
        out.numbers = MLIA_NEW_ARRAY(arena, uint32_t, graph->value_count);
        out.is_argument = MLIA_NEW_ARRAY(arena, bool, graph->value_count);
    }
    if (out.numbers == NULL || out.is_argument == NULL)
        status = mlia_error_memory();
    else
        status = write_module(&out);
    if (status == NULL)
        status = mlia_buffer_status(text);
    mlia_arena_free(arena);
    return status;
}
