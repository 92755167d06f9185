/* Second pass: the graph of one entry point becomes a graph in memory.
 *
 * Refuses (E_SPIRV) what is not well formed, and (E_SPIRV_UNKNOWN) instructions in the graph body that have
 * no meaning here; instructions outside of the body are ignored. */
#include "formats/spirv/body.h"
#include "graph/location.h"

/* The result or operand `id`, or an error. */
static mlia_status *body_id(const spirv_body *body, const spirv_instruction *at, uint32_t id,
                            spirv_entity **entity)
{
    *entity = id != 0 && id < body->module->bound ? spirv_find(body->module, id) : NULL;
    if (*entity == NULL || (*entity)->word >= at->word)
        return spirv_bad(body->module, at, MLIA_E_SPIRV, "id %%%u is not defined before", id);
    return NULL;
}

/* Adds the source entry of a result: identity, name of the instruction, debug text. */
static mlia_status *add_source(spirv_body *body, const spirv_entity *entity, mlia_str type, uint32_t *index)
{
    mlia_source source = {.type = type};
    source.id = mlia_arena_format(body->module->arena, "segment_%u/spirv-%u", body->module->options->segment,
                                  entity->id);
    MLIA_TRY_ALLOC(source.id.data);
    MLIA_TRY(mlia_location_decode(body->module->arena, entity->debug, &source));
    *index = mlia_graph_add_source(body->graph, source);
    return *index == MLIA_NONE ? mlia_error_memory() : NULL;
}

static mlia_status *add_operator(spirv_body *body, const spirv_instruction *at, uint32_t op,
                                 const uint32_t *inputs, uint32_t input_count, const uint32_t *outputs,
                                 uint32_t output_count, const mlia_attributes *attributes, uint32_t source)
{
    uint32_t index = mlia_graph_add_operator(body->graph, 0, op, inputs, input_count, outputs, output_count,
                                             attributes, source);
    if (index == MLIA_NONE)
        return mlia_error_memory();
    body->graph->operators[index].offset = body->module->options->offset + (uint64_t)at->word * 4;
    return NULL;
}

static mlia_status *add_tensor(spirv_body *body, const spirv_type *type, mlia_str name, uint32_t *value)
{
    *value =
        mlia_graph_add_tensor(body->graph, 0, name, (uint32_t)type->element->type, type->rank, type->dims);
    return *value == MLIA_NONE ? mlia_error_memory() : NULL;
}

/* Tells whether the container's resource and the module's type describe the same tensor. */
static bool same_tensor(const mlia_spirv_resource *resource, const spirv_type *type)
{
    bool dynamic = false;
    for (uint32_t i = 0; i < resource->rank; i++)
        dynamic = dynamic || resource->dims[i] < 0;
    if (resource->type != type->element->type || dynamic != type->unshaped)
        return false;
    if (resource->rank == 0)
        return type->rank == 1 && type->dims[0] == 1;
    if (resource->rank != type->rank)
        return false;
    for (uint32_t i = 0; i < type->rank && !dynamic; i++)
        if (resource->dims[i] != type->dims[i])
            return false;
    return true;
}

static mlia_str type_text(spirv_body *body, mlia_type type, uint32_t rank, const int64_t *dims)
{
    mlia_str text = mlia_type_describe(type)->name;
    for (uint32_t i = 0; i < rank && text.data != NULL; i++)
        text = dims[i] < 0
                   ? mlia_arena_format(body->module->arena, "%.*s%s?", MLIA_STR_ARG(text), i == 0 ? " " : "x")
                   : mlia_arena_format(body->module->arena, "%.*s%s%lld", MLIA_STR_ARG(text),
                                       i == 0 ? " " : "x", (long long)dims[i]);
    return text;
}

static mlia_status *mismatch(spirv_body *body, const spirv_instruction *at,
                             const mlia_spirv_resource *resource, const spirv_type *type)
{
    mlia_str found = type_text(body, type->element->type, type->rank, type->dims);
    mlia_str expected = type_text(body, resource->type, resource->rank, resource->dims);
    return spirv_bad(body->module, at, MLIA_E_SPIRV,
                     "the module's type is %.*s, resource %u of the file is %.*s", MLIA_STR_ARG(found),
                     resource->index, MLIA_STR_ARG(expected));
}

/* Constant behind an OpGraphConstantARM. */
static mlia_status *graph_constant(spirv_body *body, const spirv_entity *entity, mlia_constant *constant)
{
    const spirv_module *module = body->module;
    spirv_instruction at;
    MLIA_TRY(spirv_next(module, entity->word, &at));
    uint32_t id = spirv_operand(module, &at, 2);
    mlia_spirv_resource resource;
    if (module->options->find_constant == NULL ||
        !module->options->find_constant(module->options->context, id, &resource))
        return spirv_bad(module, &at, MLIA_E_VGF_CONSTANT_BINDING,
                         "graph constant id %u is bound to no constant", id);
    if (!same_tensor(&resource, entity->type))
        return mismatch(body, &at, &resource, entity->type);
    *constant = (mlia_constant){resource.data, MLIA_ENCODING_BYTES, false};
    return NULL;
}

/* A constant as a tensor: a CONST operator, made at the first use. */
static mlia_status *constant_tensor(spirv_body *body, const spirv_instruction *at, spirv_entity *entity)
{
    mlia_constant *constant = MLIA_NEW(body->module->arena, mlia_constant);
    MLIA_TRY_ALLOC(constant);
    if (entity->opcode == MLIA_SPIRV_OpGraphConstantARM)
        MLIA_TRY(graph_constant(body, entity, constant));
    else
        *constant = (mlia_constant){entity->constant->bytes, MLIA_ENCODING_BYTES, entity->constant->splat};
    MLIA_TRY(add_tensor(body, entity->type, entity->name, &entity->tensor));
    body->graph->values[entity->tensor].constant = constant;
    uint32_t source = MLIA_NONE;
    MLIA_TRY(add_source(body, entity, MLIA_STR("CONST"), &source));
    return add_operator(body, at, MLIA_OP_CONST, NULL, 0, &entity->tensor, 1, NULL, source);
}

mlia_status *spirv_tensor_operand(spirv_body *body, const spirv_instruction *at, uint32_t index,
                                  uint32_t *value, const spirv_type **type)
{
    spirv_entity *entity = NULL;
    MLIA_TRY(body_id(body, at, spirv_operand(body->module, at, index), &entity));
    if (entity->type == NULL || entity->type->kind != SPIRV_TENSOR)
        return spirv_bad(body->module, at, MLIA_E_SPIRV, "operand %%%u is no tensor", entity->id);
    if (entity->tensor == MLIA_NONE) {
        if (entity->constant == NULL && entity->opcode != MLIA_SPIRV_OpGraphConstantARM)
            return spirv_bad(body->module, at, MLIA_E_SPIRV, "operand %%%u is no value of this graph",
                             entity->id);
        MLIA_TRY(constant_tensor(body, at, entity));
    }
    *value = entity->tensor;
    *type = entity->type;
    return NULL;
}

mlia_status *spirv_constant_operand(spirv_body *body, const spirv_instruction *at, uint32_t index,
                                    spirv_kind kind, spirv_entity **entity)
{
    static const char *const what[] = {
        [SPIRV_BOOL] = "bool", [SPIRV_NUMBER] = "number", [SPIRV_ARRAY] = "array", [SPIRV_TENSOR] = "tensor"};
    MLIA_TRY(body_id(body, at, spirv_operand(body->module, at, index), entity));
    if ((*entity)->constant == NULL || (*entity)->type->kind != kind)
        return spirv_bad(body->module, at, MLIA_E_SPIRV, "operand %%%u must be a constant %s", (*entity)->id,
                         what[kind]);
    return NULL;
}

mlia_status *spirv_shape_operand(spirv_body *body, const spirv_instruction *at, uint32_t index,
                                 uint32_t *value)
{
    spirv_entity *entity = NULL;
    MLIA_TRY(spirv_constant_operand(body, at, index, SPIRV_TENSOR, &entity));
    const spirv_type *type = entity->type;
    if (type->element->type != MLIA_TYPE_INT32 || type->rank != 1 || type->count > 2 * MLIA_SPIRV_RANK_LIMIT)
        return spirv_bad(body->module, at, MLIA_E_SPIRV,
                         "operand %%%u must be a short vector of 32-bit integers", entity->id);
    if (entity->shape == MLIA_NONE) {
        int64_t values[2 * MLIA_SPIRV_RANK_LIMIT];
        for (uint32_t i = 0; i < type->count; i++)
            values[i] = spirv_constant_integer(entity, i);
        entity->shape = mlia_graph_add_shape(body->graph, 0, entity->name, (uint32_t)type->count, values);
        if (entity->shape == MLIA_NONE)
            return mlia_error_memory();
        uint32_t source = MLIA_NONE;
        MLIA_TRY(add_source(body, entity, MLIA_STR("CONST_SHAPE"), &source));
        MLIA_TRY(add_operator(body, at, MLIA_OP_CONST_SHAPE, NULL, 0, &entity->shape, 1, NULL, source));
    }
    *value = entity->shape;
    return NULL;
}

mlia_status *spirv_add_instruction(spirv_body *body, const spirv_instruction *at, uint32_t op, mlia_str name,
                                   const uint32_t *inputs, uint32_t input_count,
                                   const mlia_attributes *attributes)
{
    spirv_entity *entity = spirv_find(body->module, spirv_operand(body->module, at, 1));
    const spirv_type *type = entity->type;
    bool many = type->kind == SPIRV_STRUCT;
    uint32_t count = many ? type->member_count : 1;
    uint32_t *outputs = MLIA_NEW_ARRAY(body->module->arena, uint32_t, count);
    MLIA_TRY_ALLOC(outputs);
    for (uint32_t i = 0; i < count; i++) {
        const spirv_type *member = many ? type->members[i] : type;
        if (member->kind != SPIRV_TENSOR)
            return spirv_bad(body->module, at, MLIA_E_SPIRV, "result %%%u is no tensor", entity->id);
        MLIA_TRY(add_tensor(body, member, many ? MLIA_STR_NONE : entity->name, &outputs[i]));
    }
    if (many)
        entity->first_part = count > 0 ? outputs[0] : MLIA_NONE;
    else
        entity->tensor = outputs[0];
    uint32_t source = MLIA_NONE;
    MLIA_TRY(add_source(body, entity, name, &source));
    MLIA_TRY(add_operator(body, at, op, inputs, input_count, outputs, count, attributes, source));
    if (op == MLIA_OP_FOREIGN)
        body->graph->operators[body->graph->operator_count - 1].foreign_name = name;
    return NULL;
}

/* OpCompositeExtract gives a part of a struct result its own id. */
static mlia_status *extract(spirv_body *body, const spirv_instruction *at)
{
    spirv_entity *result = spirv_find(body->module, spirv_operand(body->module, at, 1));
    const spirv_entity *whole = spirv_find(body->module, spirv_operand(body->module, at, 2));
    if (whole->type == NULL || whole->type->kind != SPIRV_STRUCT || whole->first_part == MLIA_NONE ||
        at->count != 5)
        return spirv_bad(body->module, at, MLIA_E_SPIRV_UNKNOWN,
                         "%%%u is no instruction with several results", whole->id);
    uint32_t index = spirv_operand(body->module, at, 3);
    if (index >= whole->type->member_count || whole->type->members[index] != result->type)
        return spirv_bad(body->module, at, MLIA_E_SPIRV, "part %u of %%%u does not have the type of %%%u",
                         index, whole->id, result->id);
    result->tensor = whole->first_part + index;
    if (result->name.size > 0)
        body->graph->values[result->tensor].name = result->name;
    return NULL;
}

/* Index operand of an input or output instruction, below `limit`; each number once. */
static mlia_status *index_operand(spirv_body *body, const spirv_instruction *at, uint32_t operand,
                                  uint32_t limit, uint32_t *taken, uint32_t value, uint32_t *index)
{
    if (at->count != operand + 2)
        return spirv_bad(body->module, at, MLIA_E_SPIRV_UNKNOWN,
                         "arrays of tensors have no meaning in a TOSA graph");
    spirv_entity *entity = NULL;
    MLIA_TRY(spirv_constant_operand(body, at, operand, SPIRV_NUMBER, &entity));
    int64_t number = entity->type->element->is_float ? -1 : spirv_constant_integer(entity, 0);
    if (number < 0 || number >= limit)
        return spirv_bad(body->module, at, MLIA_E_SPIRV, "index %lld, the graph has %u", (long long)number,
                         limit);
    if (taken[number] != MLIA_NONE)
        return spirv_bad(body->module, at, MLIA_E_SPIRV, "index %lld a second time", (long long)number);
    taken[number] = value;
    *index = (uint32_t)number;
    return NULL;
}

static mlia_status *input(spirv_body *body, const spirv_instruction *at)
{
    spirv_entity *entity = spirv_find(body->module, spirv_operand(body->module, at, 1));
    uint32_t index = 0;
    MLIA_TRY(index_operand(body, at, 2, body->type->input_count, body->taken, 0, &index));
    if (entity->type != body->type->members[index])
        return spirv_bad(body->module, at, MLIA_E_SPIRV,
                         "the type of input %u is not that of the graph's type", index);
    entity->tensor = body->inputs[index];
    return NULL;
}

static mlia_status *set_output(spirv_body *body, const spirv_instruction *at)
{
    uint32_t value = MLIA_NONE;
    const spirv_type *type = NULL;
    MLIA_TRY(spirv_tensor_operand(body, at, 0, &value, &type));
    uint32_t index = 0;
    MLIA_TRY(index_operand(body, at, 1, body->type->member_count - body->type->input_count, body->outputs,
                           value, &index));
    if (type != body->type->members[body->type->input_count + index])
        return spirv_bad(body->module, at, MLIA_E_SPIRV,
                         "the type of output %u is not that of the graph's type", index);
    return NULL;
}

static mlia_status *body_instruction(spirv_body *body, const spirv_instruction *at)
{
    switch (at->opcode) {
    case MLIA_SPIRV_OpGraphInputARM:
        return input(body, at);
    case MLIA_SPIRV_OpGraphSetOutputARM:
        return set_output(body, at);
    case MLIA_SPIRV_OpCompositeExtract:
        return extract(body, at);
    case MLIA_SPIRV_OpExtInst:
        return spirv_extended(body, at);
    case MLIA_SPIRV_OpNop:
    case MLIA_SPIRV_OpLine:
    case MLIA_SPIRV_OpNoLine:
    case MLIA_SPIRV_OpGraphARM:
        return NULL;
    default:
        if (at->info != NULL && (spirv_is_constant(at->opcode) || at->info->operands[0] == 'R'))
            return NULL;
        return spirv_bad(body->module, at, MLIA_E_SPIRV_UNKNOWN,
                         "this instruction has no meaning in a TOSA graph");
    }
}

/* Interface variable `index` and what the container has at its place. */
static mlia_status *interface(spirv_body *body, const spirv_entry_point *entry, uint32_t index,
                              mlia_spirv_resource *resource, mlia_str *name)
{
    const spirv_module *module = body->module;
    spirv_instruction at;
    MLIA_TRY(spirv_next(module, entry->word, &at));
    const spirv_type *type = body->type->members[index];
    const spirv_entity *variable = spirv_find(module, spirv_word(module, entry->first_variable + index));
    if (variable == NULL || variable->opcode != MLIA_SPIRV_OpVariable ||
        variable->type->kind != SPIRV_POINTER || variable->type->members[0] != type)
        return spirv_bad(module, &at, MLIA_E_SPIRV,
                         "interface variable %u does not have the type of the graph's %s", index,
                         index < body->type->input_count ? "input" : "output");
    *name = variable->name;
    *resource = (mlia_spirv_resource){.type = type->element->type, .rank = type->rank, .dims = type->dims};
    if (module->options->find_binding == NULL)
        return NULL;
    if (variable->binding == MLIA_NONE || variable->descriptor_set == MLIA_NONE)
        return spirv_bad(module, &at, MLIA_E_SPIRV,
                         "interface variable %%%u has no descriptor set and binding", variable->id);
    bool is_input = index < body->type->input_count;
    if (!module->options->find_binding(module->options->context, variable->descriptor_set, variable->binding,
                                       is_input, resource))
        return spirv_bad(module, &at, MLIA_E_SPIRV, "set %u binding %u is no %s of segment %u",
                         variable->descriptor_set, variable->binding, is_input ? "input" : "output",
                         module->options->segment);
    if (!same_tensor(resource, type))
        return mismatch(body, &at, resource, type);
    if (resource->rank == 0) { /* a scalar is a tensor of one element in SPIR-V */
        resource->rank = type->rank;
        resource->dims = type->dims;
    }
    if (resource->name.size > 0)
        *name = resource->name;
    return NULL;
}

/* Inputs exist even when the body does not name them. */
static mlia_status *add_inputs(spirv_body *body, const spirv_entry_point *entry)
{
    mlia_arena *arena = body->module->arena;
    uint32_t count = body->type->input_count;
    uint32_t outputs = body->type->member_count - count;
    body->inputs = MLIA_NEW_ARRAY(arena, uint32_t, count);
    body->taken = MLIA_NEW_ARRAY(arena, uint32_t, count);
    body->outputs = MLIA_NEW_ARRAY(arena, uint32_t, outputs);
    MLIA_TRY_ALLOC(body->inputs);
    MLIA_TRY_ALLOC(body->taken);
    MLIA_TRY_ALLOC(body->outputs);
    memset(body->taken, 0xFF, count * sizeof *body->taken);
    memset(body->outputs, 0xFF, outputs * sizeof *body->outputs);
    for (uint32_t i = 0; i < count; i++) {
        mlia_spirv_resource resource = {0};
        mlia_str name = MLIA_STR_NONE;
        MLIA_TRY(interface(body, entry, i, &resource, &name));
        body->inputs[i] = mlia_graph_add_tensor(body->graph, 0, name, (uint32_t)resource.type, resource.rank,
                                                resource.dims);
        if (body->inputs[i] == MLIA_NONE)
            return mlia_error_memory();
        body->graph->values[body->inputs[i]].is_unsigned = resource.is_unsigned;
    }
    return NULL;
}

/* Names and types of the outputs come from the container too. An output that is also an input keeps its name.
 */
static mlia_status *finish_outputs(spirv_body *body, const spirv_entry_point *entry,
                                   const spirv_instruction *end)
{
    uint32_t count = body->type->member_count - body->type->input_count;
    for (uint32_t i = 0; i < count; i++) {
        if (body->outputs[i] == MLIA_NONE)
            return spirv_bad(body->module, end, MLIA_E_SPIRV, "output %u is never set", i);
        mlia_spirv_resource resource = {0};
        mlia_str name = MLIA_STR_NONE;
        MLIA_TRY(interface(body, entry, body->type->input_count + i, &resource, &name));
        mlia_graph_value *value = &body->graph->values[body->outputs[i]];
        if (value->name.size == 0)
            value->name = name;
        value->is_unsigned = value->is_unsigned || resource.is_unsigned;
    }
    bool done = mlia_graph_set_block_inputs(body->graph, 0, body->inputs, body->type->input_count) &&
                mlia_graph_set_block_outputs(body->graph, 0, body->outputs, count);
    return done ? NULL : mlia_error_memory();
}

/* The entry point of the given name; without a name the only one. */
static mlia_status *choose_entry(const spirv_module *module, const spirv_entry_point **entry)
{
    mlia_str name = module->options->entry_point;
    uint64_t offset = module->options->offset;
    for (size_t i = 0; i < module->entry_count; i++)
        if (name.size > 0 && mlia_str_equal(module->entries[i].name, name)) {
            *entry = &module->entries[i];
            return NULL;
        }
    if (module->entry_count != 1)
        return mlia_status_at(mlia_error(MLIA_E_SPIRV,
                                         "the module has %zu graph entry points, none is named '%.*s'",
                                         module->entry_count, MLIA_STR_ARG(name)),
                              offset);
    *entry = &module->entries[0];
    mlia_warn_at(module->options->diagnostics, MLIA_W_VGF_ENTRY_POINT, offset + (uint64_t)(*entry)->word * 4,
                 MLIA_STR_NONE, "the module has no graph entry point '%.*s'; its only one, '%.*s', is read",
                 MLIA_STR_ARG(name), MLIA_STR_ARG((*entry)->name));
    return NULL;
}

/* Every graph constant of the module must be bound, used or not. */
static mlia_status *check_graph_constants(spirv_body *body)
{
    mlia_constant constant;
    for (uint32_t i = 0; i < body->module->entity_count; i++)
        if (body->module->entities[i].opcode == MLIA_SPIRV_OpGraphConstantARM)
            MLIA_TRY(graph_constant(body, &body->module->entities[i], &constant));
    return NULL;
}

static mlia_status *read_graph(spirv_module *module, mlia_graph **graph)
{
    const spirv_entry_point *entry = NULL;
    MLIA_TRY(choose_entry(module, &entry));
    spirv_instruction at;
    MLIA_TRY(spirv_next(module, entry->word, &at));
    const spirv_entity *start = spirv_find(module, entry->graph);
    if (start == NULL || start->opcode != MLIA_SPIRV_OpGraphARM || start->type->kind != SPIRV_GRAPH)
        return spirv_bad(module, &at, MLIA_E_SPIRV, "%%%u is no graph", entry->graph);
    spirv_body body = {.module = module, .type = start->type};
    if (entry->variable_count != body.type->member_count)
        return spirv_bad(module, &at, MLIA_E_SPIRV,
                         "%u interface variables, the graph has %u inputs and outputs", entry->variable_count,
                         body.type->member_count);
    body.graph = mlia_graph_new(module->arena, MLIA_SOURCE_SPIRV);
    MLIA_TRY_ALLOC(body.graph);
    body.graph->name = entry->name;
    if (mlia_graph_add_region(body.graph, MLIA_STR("main"), MLIA_STR("main")) == MLIA_NONE)
        return mlia_error_memory();
    MLIA_TRY(check_graph_constants(&body));
    MLIA_TRY(add_inputs(&body, entry));
    MLIA_TRY(spirv_next(module, start->word, &at));
    while (at.opcode != MLIA_SPIRV_OpGraphEndARM) {
        MLIA_TRY(body_instruction(&body, &at));
        MLIA_TRY(spirv_next(module, at.word + at.count, &at));
    }
    MLIA_TRY(finish_outputs(&body, entry, &at));
    MLIA_TRY(mlia_graph_finish(body.graph, module->options->diagnostics));
    *graph = body.graph;
    return NULL;
}

mlia_status *mlia_spirv_read(mlia_bytes bytes, const mlia_spirv_options *options, mlia_arena *arena,
                             mlia_graph **graph)
{
    spirv_module module = {.bytes = bytes, .options = options, .arena = arena};
    MLIA_TRY(spirv_index(&module));
    return read_graph(&module, graph);
}
