/* A graph as a SPIR-V module: the body, instruction by instruction from the table of tosa.def, then the
 * sections in their order. Refuses operators that have no instruction. */
#include "formats/spirv/writer.h"

#include <stdlib.h>

enum { VERSION_1_5 = 0x00010500 };

static mlia_status *note_constant(spirv_writer *writer, uint32_t value)
{
    if (!MLIA_RESERVE(writer->arena, writer->constants, writer->constant_count, writer->constant_capacity))
        return mlia_error_memory();
    writer->constants[writer->constant_count++] = value;
    return NULL;
}

/* Id of a tensor: an operator's result, an input, or a constant that is written now. */
static mlia_status *tensor_id(spirv_writer *writer, uint32_t index, uint32_t *id)
{
    const mlia_graph_value *value = &writer->graph->values[index];
    if (writer->ids[index] == 0) {
        if (value->constant == NULL)
            return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "operand %u is neither made here nor a constant",
                              index);
        const uint32_t *graph_constants = writer->options->graph_constants;
        if (graph_constants != NULL && graph_constants[index] != MLIA_NONE) {
            uint32_t type = 0;
            MLIA_TRY(spirv_tensor_type(writer, value, &type));
            writer->ids[index] =
                spirv_intern(writer, MLIA_SPIRV_OpGraphConstantARM, type, &graph_constants[index], 1);
        } else {
            MLIA_TRY(spirv_tensor_constant(writer, value, &writer->ids[index]));
        }
        MLIA_TRY(note_constant(writer, index));
    }
    *id = writer->ids[index];
    return NULL;
}

static mlia_status *shape_id(spirv_writer *writer, uint32_t index, uint32_t *id)
{
    const mlia_graph_value *value = &writer->graph->values[index];
    int32_t values[2 * MLIA_SPIRV_RANK_LIMIT];
    if (value->kind != MLIA_KIND_SHAPE || value->shape_values == NULL ||
        value->rank > 2 * MLIA_SPIRV_RANK_LIMIT)
        return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "a shape operand must be a constant of at most %d values",
                          2 * MLIA_SPIRV_RANK_LIMIT);
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->shape_values[i] < INT32_MIN || value->shape_values[i] > INT32_MAX)
            return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "shape operand with value %lld",
                              (long long)value->shape_values[i]);
        values[i] = (int32_t)value->shape_values[i];
    }
    *id = spirv_vector(writer, values, value->rank, true);
    return NULL;
}

/* Operand that is an attribute. */
static mlia_status *attribute_id(spirv_writer *writer, const mlia_operator *op, char form, mlia_field field,
                                 uint32_t *id)
{
    const void *place = (const char *)op->attributes + mlia_field_describe(field)->offset;
    switch (form) {
    case 'u': {
        uint32_t number = *(const uint32_t *)place;
        if (field == MLIA_FIELD_ACC_TYPE) {
            number = mlia_spirv_accumulator(number);
            if (number == 0)
                return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "the accumulator type has no SPIR-V form");
        }
        *id = spirv_u32(writer, number);
        return NULL;
    }
    case 'b':
        *id = spirv_bool(writer, *(const bool *)place);
        return NULL;
    case 'e': {
        mlia_bytes bytes = *(const mlia_bytes *)place;
        const mlia_spirv_element *element = mlia_spirv_element_of(writer->graph->values[op->inputs[0]].type);
        if (element == NULL || bytes.size < mlia_spirv_element_bytes(element))
            return mlia_error(MLIA_E_TOSA_ATTRIBUTE, "%.*s has %zu bytes",
                              MLIA_STR_ARG(mlia_field_describe(field)->name), bytes.size);
        *id = spirv_element(writer, element, bytes);
        return NULL;
    }
    default: {
        mlia_int_list list = *(const mlia_int_list *)place;
        if (list.count == 0 || list.count > MLIA_SPIRV_RANK_LIMIT)
            return mlia_error(MLIA_E_TOSA_ATTRIBUTE, "%.*s has %u values",
                              MLIA_STR_ARG(mlia_field_describe(field)->name), list.count);
        *id = spirv_vector(writer, list.values, list.count, false);
        return NULL;
    }
    }
}

/* Result type of an operator: a tensor, or a struct of several. */
static mlia_status *result_type(spirv_writer *writer, const mlia_operator *op, uint32_t *type,
                                uint32_t *members)
{
    for (uint32_t i = 0; i < op->output_count; i++)
        MLIA_TRY(spirv_tensor_type(writer, &writer->graph->values[op->outputs[i]], &members[i]));
    *type = op->output_count == 1
                ? members[0]
                : spirv_intern(writer, MLIA_SPIRV_OpTypeStruct, 0, members, op->output_count);
    return NULL;
}

/* Writes the instruction whose operands stand in words[4…]; gives its results ids. */
static mlia_status *emit_result(spirv_writer *writer, const mlia_operator *op, uint32_t *words, size_t count,
                                uint32_t *result)
{
    if (op->output_count == 0 || op->output_count > MLIA_SPIRV_WORDS_LIMIT / 4)
        return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "an operator of %u results cannot be written",
                          op->output_count);
    uint32_t *members = MLIA_NEW_ARRAY(writer->arena, uint32_t, op->output_count);
    MLIA_TRY_ALLOC(members);
    MLIA_TRY(result_type(writer, op, &words[0], members));
    words[1] = *result = spirv_new_id(writer);
    MLIA_TRY(spirv_emit(&writer->body, MLIA_SPIRV_OpExtInst, words, count));
    if (op->output_count == 1) {
        writer->ids[op->outputs[0]] = words[1];
        return NULL;
    }
    for (uint32_t i = 0; i < op->output_count; i++) {
        uint32_t extract[4] = {members[i], spirv_new_id(writer), words[1], i};
        writer->ids[op->outputs[i]] = extract[1];
        MLIA_TRY(spirv_emit(&writer->body, MLIA_SPIRV_OpCompositeExtract, extract, 4));
    }
    return NULL;
}

static uint32_t import(spirv_writer *writer, uint32_t *set)
{
    if (*set == 0)
        *set = spirv_new_id(writer);
    return *set;
}

static mlia_status *write_tosa(spirv_writer *writer, const mlia_operator *op, uint32_t *result)
{
    const mlia_spirv_tosa_info *info = mlia_spirv_tosa_describe(op->op);
    uint32_t *words = MLIA_NEW_ARRAY(writer->arena, uint32_t,
                                     (size_t)op->input_count + info->field_count + MLIA_SPIRV_OPERAND_LIMIT);
    MLIA_TRY_ALLOC(words);
    size_t count = 4;
    uint32_t input = 0;
    uint32_t field = 0;
    for (const char *form = info->forms; *form != 0; form++) {
        if (*form >= '0' && *form <= '9')
            continue;
        bool many = form[1] == '*';
        do {
            if (*form == 's' || *form == 't' || *form == 'z') {
                if (input >= op->input_count)
                    return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "%u operands are too few", op->input_count);
                uint32_t value = op->inputs[input++];
                MLIA_TRY(*form == 's' ? shape_id(writer, value, &words[count])
                                      : tensor_id(writer, value, &words[count]));
            } else {
                MLIA_TRY(attribute_id(writer, op, *form, info->fields[field++], &words[count]));
            }
            count++;
        } while (many && input < op->input_count);
        form += many;
    }
    if (input != op->input_count)
        return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "%u operands are too many", op->input_count);
    words[2] = import(writer, &writer->tosa_set);
    words[3] = op->op - 1;
    return emit_result(writer, op, words, count, result);
}

/* Opcode of the domain of a custom operator. */
static mlia_status *custom_opcode(const spirv_writer *writer, mlia_str domain, int32_t *opcode)
{
    mlia_str prefix = MLIA_STR("opcode:");
    int64_t number;
    if (mlia_str_starts_with(domain, prefix) &&
        mlia_str_to_i64(mlia_str_slice(domain, prefix.size, domain.size), &number) && number >= INT32_MIN &&
        number <= INT32_MAX) {
        *opcode = (int32_t)number;
        return NULL;
    }
    for (uint32_t i = writer->options->domain_count; i-- > 0;)
        if (mlia_str_equal(writer->options->domains[i].name, domain)) {
            *opcode = writer->options->domains[i].opcode;
            return NULL;
        }
    return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "no opcode is given for custom operators of the domain '%.*s'",
                      MLIA_STR_ARG(domain));
}

static mlia_status *write_call(spirv_writer *writer, const mlia_operator *op, uint32_t *result)
{
    const mlia_attributes *attributes = op->attributes;
    mlia_bytes name = {(const uint8_t *)attributes->operator_name.data, attributes->operator_name.size};
    int32_t opcode = 0;
    MLIA_TRY(custom_opcode(writer, attributes->domain_name, &opcode));
    if (name.size > MLIA_SPIRV_WORDS_LIMIT / 2 ||
        attributes->implementation_attrs.size > MLIA_SPIRV_WORDS_LIMIT / 2)
        return mlia_error(MLIA_E_SPIRV_LIMIT,
                          "name and attributes of a custom operator have more than %d bytes",
                          MLIA_SPIRV_WORDS_LIMIT / 2);
    uint32_t *words = MLIA_NEW_ARRAY(writer->arena, uint32_t, (size_t)op->input_count + 7);
    MLIA_TRY_ALLOC(words);
    words[2] = import(writer, &writer->call_set);
    words[3] = 0;
    words[4] = (uint32_t)opcode;
    words[5] = spirv_text_constant(writer, name);
    words[6] = spirv_text_constant(writer, attributes->implementation_attrs);
    for (uint32_t i = 0; i < op->input_count; i++)
        MLIA_TRY(tensor_id(writer, op->inputs[i], &words[7 + i]));
    return emit_result(writer, op, words, (size_t)op->input_count + 7, result);
}

static mlia_status *write_operator(spirv_writer *writer, uint32_t position)
{
    const mlia_operator *op = &writer->graph->operators[writer->options->operators[position]];
    uint32_t *result = &writer->operator_ids[position];
    switch (op->op) {
    case MLIA_OP_CONST:
    case MLIA_OP_CONST_SHAPE:
        return NULL;
    case MLIA_OP_IDENTITY: /* has no instruction: the same value under another name */
        return tensor_id(writer, op->inputs[0], &writer->ids[op->outputs[0]]);
    case MLIA_OP_CUSTOM:
        return write_call(writer, op, result);
    default:
        if (mlia_spirv_tosa_describe(op->op)->forms == NULL)
            return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "the operator has no SPIR-V instruction");
        return write_tosa(writer, op, result);
    }
}

/* Interface variable with its name and decorations. */
static mlia_status *write_variable(spirv_writer *writer, const mlia_spirv_port *port, const char *kind,
                                   uint32_t index, uint32_t *type, uint32_t *variable)
{
    const mlia_graph_value *value = &writer->graph->values[port->value];
    MLIA_TRY(mlia_status_about(spirv_tensor_type(writer, value, type), "%s %u" MLIA_NAME,
                               strcmp(kind, "arg") == 0 ? "input" : "output", index,
                               MLIA_NAME_ARG(value->name)));
    uint32_t pointer[2] = {0, *type}; /* storage class UniformConstant */
    uint32_t words[3] = {spirv_intern(writer, MLIA_SPIRV_OpTypePointer, 0, pointer, 2), spirv_new_id(writer),
                         0};
    *variable = words[1];
    MLIA_TRY(spirv_emit(&writer->globals, MLIA_SPIRV_OpVariable, words, 3));
    mlia_str name = mlia_arena_format(writer->arena, "%.*s_%s_%u", MLIA_STR_ARG(writer->options->entry_point),
                                      kind, index);
    MLIA_TRY_ALLOC(name.data);
    MLIA_TRY(spirv_emit_text(&writer->names, MLIA_SPIRV_OpName, variable, 1, name, 1));
    uint32_t binding[3] = {*variable, MLIA_SPIRV_BINDING, port->binding};
    uint32_t set[3] = {*variable, MLIA_SPIRV_DESCRIPTOR_SET, 0};
    MLIA_TRY(spirv_emit(&writer->decorations, MLIA_SPIRV_OpDecorate, binding, 3));
    return spirv_emit(&writer->decorations, MLIA_SPIRV_OpDecorate, set, 3);
}

/* Variables, graph type and entry point. */
static mlia_status *write_interface(spirv_writer *writer, uint32_t *graph_id, uint32_t *types)
{
    const mlia_spirv_write_options *options = writer->options;
    uint32_t count = options->input_count + options->output_count;
    uint32_t *variables = MLIA_NEW_ARRAY(writer->arena, uint32_t, (size_t)count + 1);
    MLIA_TRY_ALLOC(variables);
    for (uint32_t i = 0; i < options->input_count; i++)
        MLIA_TRY(write_variable(writer, &options->inputs[i], "arg", i, &types[1 + i], &variables[1 + i]));
    for (uint32_t i = 0; i < options->output_count; i++) {
        uint32_t place = 1 + options->input_count + i;
        MLIA_TRY(write_variable(writer, &options->outputs[i], "res", i, &types[place], &variables[place]));
    }
    types[0] = options->input_count;
    if (count + 1 > MLIA_SPIRV_WORDS_LIMIT - 2)
        return mlia_error(MLIA_E_SPIRV_LIMIT, "%u inputs and outputs", count);
    uint32_t words[2] = {spirv_intern(writer, MLIA_SPIRV_OpTypeGraphARM, 0, types, (size_t)count + 1),
                         spirv_new_id(writer)};
    *graph_id = variables[0] = words[1];
    MLIA_TRY(spirv_emit_text(&writer->body, MLIA_SPIRV_OpGraphEntryPointARM, variables, 1,
                             options->entry_point, (size_t)count + 1));
    return spirv_emit(&writer->body, MLIA_SPIRV_OpGraphARM, words, 2);
}

static mlia_status *write_body(spirv_writer *writer, uint32_t *graph_id)
{
    const mlia_spirv_write_options *options = writer->options;
    uint32_t *types =
        MLIA_NEW_ARRAY(writer->arena, uint32_t, (size_t)options->input_count + options->output_count + 1);
    MLIA_TRY_ALLOC(types);
    MLIA_TRY(write_interface(writer, graph_id, types));
    for (uint32_t i = 0; i < options->input_count; i++) {
        uint32_t words[3] = {types[1 + i], spirv_new_id(writer), spirv_u32(writer, i)};
        writer->ids[options->inputs[i].value] = words[1];
        MLIA_TRY(spirv_emit(&writer->body, MLIA_SPIRV_OpGraphInputARM, words, 3));
    }
    for (uint32_t i = 0; i < options->operator_count; i++) {
        const mlia_operator *op = &writer->graph->operators[options->operators[i]];
        MLIA_TRY(mlia_status_of_operator(write_operator(writer, i), writer->graph, op));
    }
    for (uint32_t i = 0; i < options->output_count; i++) {
        uint32_t words[2] = {0, spirv_u32(writer, i)};
        MLIA_TRY(tensor_id(writer, options->outputs[i].value, &words[0]));
        MLIA_TRY(spirv_emit(&writer->body, MLIA_SPIRV_OpGraphSetOutputARM, words, 2));
    }
    return spirv_emit(&writer->body, MLIA_SPIRV_OpGraphEndARM, NULL, 0);
}

static int compare_u32(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left;
    uint32_t b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static bool text_in(const char *const *list, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

/* Capabilities and extensions: those of every graph (Matrix and Int8 too, as the official converter has
 * them), and those of what was written. */
static mlia_status *write_features(const spirv_writer *writer, mlia_buffer *out)
{
    uint32_t capabilities[32] = {0, 1, 39, 4174, 4191, 5345};
    size_t capability_count = 6;
    const char *extensions[16] = {"SPV_ARM_graph", "SPV_ARM_tensors", "SPV_KHR_vulkan_memory_model"};
    size_t extension_count = 3;
    for (uint32_t type = 0; type < MLIA_TYPE_LIMIT; type++) {
        const mlia_spirv_element *element = writer->types_used[type] ? mlia_spirv_element_of(type) : NULL;
        if (element == NULL || element->capability == 0)
            continue;
        capabilities[capability_count++] = element->capability;
        if (element->extension != NULL && !text_in(extensions, extension_count, element->extension))
            extensions[extension_count++] = element->extension;
    }
    if (writer->replicated_used) {
        capabilities[capability_count++] = 6024;
        extensions[extension_count++] = "SPV_EXT_replicated_composites";
    }
    if (writer->debug_set != 0)
        extensions[extension_count++] = "SPV_KHR_non_semantic_info";
    qsort(capabilities, capability_count, sizeof *capabilities, compare_u32);
    for (size_t i = 0; i < capability_count; i++)
        if (i == 0 || capabilities[i] != capabilities[i - 1])
            MLIA_TRY(spirv_emit(out, MLIA_SPIRV_OpCapability, &capabilities[i], 1));
    for (size_t i = 0; i < extension_count; i++)
        MLIA_TRY(spirv_emit_text(out, MLIA_SPIRV_OpExtension, NULL, 0, mlia_str_from_c(extensions[i]), 0));
    return NULL;
}

static mlia_status *write_import(mlia_buffer *out, uint32_t id, const char *name)
{
    return id == 0 ? NULL
                   : spirv_emit_text(out, MLIA_SPIRV_OpExtInstImport, &id, 1, mlia_str_from_c(name), 1);
}

static mlia_status *assemble(const spirv_writer *writer, mlia_buffer *out)
{
    mlia_buffer_add_u32(out, MLIA_SPIRV_MAGIC);
    mlia_buffer_add_u32(out, VERSION_1_5);
    mlia_buffer_add_u32(out, 0); /* generator */
    mlia_buffer_add_u32(out, writer->next_id);
    mlia_buffer_add_u32(out, 0);
    MLIA_TRY(write_features(writer, out));
    MLIA_TRY(write_import(out, writer->debug_set, MLIA_SPIRV_DEBUG_NAME));
    MLIA_TRY(write_import(out, writer->tosa_set, MLIA_SPIRV_TOSA_NAME));
    MLIA_TRY(write_import(out, writer->call_set, MLIA_SPIRV_ML_OPERATIONS_NAME));
    static const uint32_t logical_vulkan[2] = {0, 3};
    MLIA_TRY(spirv_emit(out, MLIA_SPIRV_OpMemoryModel, logical_vulkan, 2));
    const mlia_buffer *const sections[] = {&writer->strings, &writer->names, &writer->decorations,
                                           &writer->globals, &writer->body,  &writer->debug};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        MLIA_TRY(mlia_buffer_status(sections[i]));
        mlia_buffer_add(out, sections[i]->data, sections[i]->size);
    }
    return mlia_buffer_status(out);
}

static mlia_status *write_module(spirv_writer *writer, mlia_buffer *module)
{
    writer->next_id = 1;
    writer->interned = mlia_map_in(writer->arena);
    writer->texts = mlia_map_in(writer->arena);
    writer->ids = MLIA_NEW_ARRAY(writer->arena, uint32_t, writer->graph->value_count);
    writer->operator_ids = MLIA_NEW_ARRAY(writer->arena, uint32_t, writer->options->operator_count);
    MLIA_TRY_ALLOC(writer->ids);
    MLIA_TRY_ALLOC(writer->operator_ids);
    uint32_t graph_id = 0;
    MLIA_TRY(write_body(writer, &graph_id));
    if (writer->options->debug_info)
        MLIA_TRY(spirv_write_debug(writer, graph_id));
    if (writer->failed)
        return mlia_error_memory();
    return assemble(writer, module);
}

mlia_status *mlia_spirv_write(const mlia_graph *graph, const mlia_spirv_write_options *options,
                              mlia_buffer *module)
{
    spirv_writer writer = {.graph = graph, .options = options, .arena = mlia_arena_new(0)};
    MLIA_TRY_ALLOC(writer.arena);
    mlia_status *status = write_module(&writer, module);
    mlia_buffer *const sections[] = {&writer.strings, &writer.names, &writer.decorations,
                                     &writer.globals, &writer.body,  &writer.debug};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        mlia_buffer_free(sections[i]);
    mlia_arena_free(writer.arena);
    return status;
}
