/* Instructions of the extended sets: TOSA by the table of tosa.def, CALL of custom operators, the motion
 * engine. */
#include "formats/spirv/body.h"

/* Operands of an OpExtInst start here; the ones before are type, result, set and number. */
enum { FIRST = 4 };

typedef struct reading {
    spirv_body *body;
    const spirv_instruction *at;
    mlia_str name;
    mlia_attributes attributes;
    const mlia_field *fields; /* that are left */
    uint32_t field_count;
    uint32_t *inputs;
    uint32_t input_count;
    const spirv_type *first_tensor; /* whose element type the operands of form e have */
} reading;

static void *field_place(reading *state)
{
    const mlia_field_info *info = mlia_field_describe(*state->fields);
    state->fields++;
    state->field_count--;
    return (char *)&state->attributes + info->offset;
}

/* u: a 32-bit integer that is an axis or an enumeration. */
static mlia_status *read_u(reading *state, uint32_t operand)
{
    spirv_entity *entity = NULL;
    MLIA_TRY(spirv_constant_operand(state->body, state->at, operand, SPIRV_NUMBER, &entity));
    if (entity->type->element->type != MLIA_TYPE_INT32)
        return spirv_bad(state->body->module, state->at, MLIA_E_SPIRV,
                         "operand %%%u of %.*s is no 32-bit integer", entity->id, MLIA_STR_ARG(state->name));
    mlia_field field = *state->fields;
    const mlia_field_info *info = mlia_field_describe(field);
    uint32_t number = (uint32_t)spirv_constant_integer(entity, 0);
    uint32_t value = field == MLIA_FIELD_ACC_TYPE ? (uint32_t)mlia_spirv_accumulator_type(number) : number;
    bool known = value != 0;
    if (info->items != NULL) {
        known = false;
        for (const mlia_enum_item *item = info->items; item->number != 0; item++)
            known = known || item->number == value;
    }
    if (info->type == MLIA_FIELD_ENUM && !known)
        return spirv_bad(state->body->module, state->at, MLIA_E_SPIRV, "%.*s has no %.*s %u",
                         MLIA_STR_ARG(state->name), MLIA_STR_ARG(info->name), number);
    *(uint32_t *)field_place(state) = value;
    return NULL;
}

static mlia_status *read_b(reading *state, uint32_t operand)
{
    spirv_entity *entity = NULL;
    MLIA_TRY(spirv_constant_operand(state->body, state->at, operand, SPIRV_BOOL, &entity));
    *(bool *)field_place(state) = entity->constant->bytes.data[0] != 0;
    return NULL;
}

/* e: checked against the first tensor once that is known. */
static mlia_status *read_e(reading *state, uint32_t operand)
{
    spirv_entity *entity = NULL;
    MLIA_TRY(spirv_constant_operand(state->body, state->at, operand, SPIRV_NUMBER, &entity));
    *(mlia_bytes *)field_place(state) = entity->constant->bytes;
    return NULL;
}

static mlia_status *read_v(reading *state, uint32_t operand, uint32_t length)
{
    spirv_entity *entity = NULL;
    MLIA_TRY(spirv_constant_operand(state->body, state->at, operand, SPIRV_TENSOR, &entity));
    const spirv_type *type = entity->type;
    if (type->element->type != MLIA_TYPE_INT32 || type->rank != 1 || type->count > MLIA_SPIRV_RANK_LIMIT ||
        (length != 0 && type->count != length))
        return spirv_bad(state->body->module, state->at, MLIA_E_SPIRV,
                         "operand %%%u of %.*s is no vector of %u 32-bit integers", entity->id,
                         MLIA_STR_ARG(state->name), length == 0 ? MLIA_SPIRV_RANK_LIMIT : length);
    int32_t *values = MLIA_NEW_ARRAY(state->body->module->arena, int32_t, type->count);
    MLIA_TRY_ALLOC(values);
    for (uint32_t i = 0; i < type->count; i++)
        values[i] = (int32_t)spirv_constant_integer(entity, i);
    *(mlia_int_list *)field_place(state) = (mlia_int_list){(uint32_t)type->count, values};
    return NULL;
}

static mlia_status *read_t(reading *state, uint32_t operand, bool one_element)
{
    const spirv_type *type;
    MLIA_TRY(
        spirv_tensor_operand(state->body, state->at, operand, &state->inputs[state->input_count++], &type));
    if (one_element && (type->rank != 1 || type->dims[0] != 1))
        return spirv_bad(state->body->module, state->at, MLIA_E_SPIRV,
                         "operand %%%u of %.*s must have one element",
                         spirv_operand(state->body->module, state->at, operand), MLIA_STR_ARG(state->name));
    if (state->first_tensor == NULL)
        state->first_tensor = type;
    return NULL;
}

static mlia_status *read_operand(reading *state, char form, uint32_t length, uint32_t operand)
{
    switch (form) {
    case 'u':
        return read_u(state, operand);
    case 'b':
        return read_b(state, operand);
    case 'e':
        return read_e(state, operand);
    case 'v':
        return read_v(state, operand, length);
    case 's':
        return spirv_shape_operand(state->body, state->at, operand, &state->inputs[state->input_count++]);
    default:
        return read_t(state, operand, form == 'z');
    }
}

/* Bounds of CLAMP have the type of its input. */
static mlia_status *check_bounds(reading *state)
{
    if (state->first_tensor == NULL)
        return NULL;
    uint32_t size = mlia_spirv_element_bytes(state->first_tensor->element);
    spirv_entity *bound[2] = {NULL, NULL};
    for (uint32_t i = 0; i < 2; i++) {
        MLIA_TRY(spirv_constant_operand(state->body, state->at, FIRST + i, SPIRV_NUMBER, &bound[i]));
        if (bound[i]->type->element != state->first_tensor->element || bound[i]->constant->bytes.size != size)
            return spirv_bad(state->body->module, state->at, MLIA_E_SPIRV,
                             "operand %%%u of %.*s does not have the input's element type", bound[i]->id,
                             MLIA_STR_ARG(state->name));
    }
    return NULL;
}

static mlia_status *read_tosa(spirv_body *body, const spirv_instruction *at, uint32_t number)
{
    if (number >= MLIA_OP_LAST_SPIRV)
        return spirv_bad(body->module, at, MLIA_E_SPIRV_UNKNOWN,
                         "TOSA instruction %u of result %%%u; the last is %d", number,
                         spirv_operand(body->module, at, 1), MLIA_OP_LAST_SPIRV - 1);
    uint32_t op = number + 1;
    const mlia_spirv_tosa_info *info = mlia_spirv_tosa_describe(op);
    reading state = {
        .body = body,
        .at = at,
        .name = mlia_op_describe(op)->name,
        .attributes = mlia_attributes_default(),
        .fields = info->fields,
        .field_count = info->field_count,
        .inputs = MLIA_NEW_ARRAY(body->module->arena, uint32_t, at->count),
    };
    MLIA_TRY_ALLOC(state.inputs);
    uint32_t operand = FIRST;
    uint32_t end = at->count - 1;
    const char *form = info->forms;
    while (operand < end && *form != 0) {
        bool counted = form[1] >= '0' && form[1] <= '9';
        MLIA_TRY(read_operand(&state, *form, counted ? (uint32_t)(form[1] - '0') : 0, operand));
        operand++;
        if (form[1] != '*')
            form += counted ? 2 : 1;
        else if (operand == end)
            form += 2;
    }
    if (operand != end || *form != 0)
        return spirv_bad(body->module, at, MLIA_E_SPIRV, "%.*s has too %s operands: %u",
                         MLIA_STR_ARG(state.name), *form != 0 ? "few" : "many", end - FIRST);
    if (op == MLIA_OP_CLAMP)
        MLIA_TRY(check_bounds(&state));
    return spirv_add_instruction(body, at, op, state.name, state.inputs, state.input_count,
                                 info->field_count > 0 ? &state.attributes : NULL);
}

/* Tensor operands from `first` on. */
static mlia_status *read_tensors(spirv_body *body, const spirv_instruction *at, uint32_t first,
                                 uint32_t **inputs, uint32_t *count)
{
    *inputs = MLIA_NEW_ARRAY(body->module->arena, uint32_t, at->count);
    MLIA_TRY_ALLOC(*inputs);
    *count = 0;
    const spirv_type *type;
    for (uint32_t i = first; i < at->count - 1; i++)
        MLIA_TRY(spirv_tensor_operand(body, at, i, &(*inputs)[(*count)++], &type));
    return NULL;
}

/* Text operand: an array of bytes; the empty text is one zero byte. */
static mlia_status *read_text(spirv_body *body, const spirv_instruction *at, uint32_t operand,
                              mlia_bytes *text)
{
    spirv_entity *entity = NULL;
    MLIA_TRY(spirv_constant_operand(body, at, operand, SPIRV_ARRAY, &entity));
    if (entity->type->element->type != MLIA_TYPE_INT8 || entity->type->count > UINT32_MAX / 2)
        return spirv_bad(body->module, at, MLIA_E_SPIRV, "operand %%%u of CALL is no text", entity->id);
    *text = entity->constant->bytes;
    if (entity->constant->splat) {
        if (entity->type->count > body->module->constant_budget)
            return spirv_bad(body->module, at, MLIA_E_SPIRV_LIMIT, "text %%%u of %llu bytes", entity->id,
                             (unsigned long long)entity->type->count);
        body->module->constant_budget -= entity->type->count;
        uint8_t *data = MLIA_NEW_ARRAY(body->module->arena, uint8_t, entity->type->count);
        MLIA_TRY_ALLOC(data);
        memset(data, entity->constant->bytes.data[0], entity->type->count);
        *text = (mlia_bytes){data, entity->type->count};
    }
    if (text->size == 1 && text->data[0] == 0)
        text->size = 0;
    return NULL;
}

/* CALL: literal opcode, operator name, implementation attributes, inputs. The domain is not stored; the
 * opcode that it was mapped to stands for it. */
static mlia_status *read_call(spirv_body *body, const spirv_instruction *at, uint32_t number)
{
    if (number != 0 || at->count < FIRST + 4)
        return spirv_bad(body->module, at, MLIA_E_SPIRV_UNKNOWN, "instruction %u with %u words of the set %s",
                         number, at->count, MLIA_SPIRV_ML_OPERATIONS_NAME);
    mlia_attributes attributes = mlia_attributes_default();
    attributes.domain_name =
        mlia_arena_format(body->module->arena, "opcode:%d", (int32_t)spirv_operand(body->module, at, FIRST));
    MLIA_TRY_ALLOC(attributes.domain_name.data);
    mlia_bytes name = {NULL, 0};
    MLIA_TRY(read_text(body, at, FIRST + 1, &name));
    if (!mlia_utf8_valid((mlia_str){(const char *)name.data, name.size}))
        return spirv_bad(body->module, at, MLIA_E_SPIRV, "the operator name is not UTF-8");
    attributes.operator_name = (mlia_str){(const char *)name.data, name.size};
    MLIA_TRY(read_text(body, at, FIRST + 2, &attributes.implementation_attrs));
    uint32_t *inputs;
    uint32_t count = 0;
    MLIA_TRY(read_tensors(body, at, FIRST + 3, &inputs, &count));
    return spirv_add_instruction(body, at, MLIA_OP_CUSTOM, MLIA_STR("CUSTOM"), inputs, count, &attributes);
}

/* Motion engine: attributes, then two inputs. Named, not understood. */
static mlia_status *read_motion(spirv_body *body, const spirv_instruction *at, uint32_t number)
{
    const char *known = mlia_spirv_set_instruction(MLIA_SPIRV_SET_MOTION_ENGINE, number);
    if (known == NULL || at->count < FIRST + 3)
        return spirv_bad(body->module, at, MLIA_E_SPIRV_UNKNOWN, "motion engine instruction %u", number);
    mlia_str name = mlia_arena_format(body->module->arena, "arm.motion_engine.%s", known);
    MLIA_TRY_ALLOC(name.data);
    uint32_t *inputs;
    uint32_t count = 0;
    MLIA_TRY(read_tensors(body, at, at->count - 3, &inputs, &count));
    return spirv_add_instruction(body, at, MLIA_OP_FOREIGN, name, inputs, count, NULL);
}

mlia_status *spirv_extended(spirv_body *body, const spirv_instruction *at)
{
    const spirv_entity *import = spirv_find(body->module, spirv_operand(body->module, at, 2));
    uint32_t number = spirv_operand(body->module, at, 3);
    switch ((mlia_spirv_set)import->set) {
    case MLIA_SPIRV_SET_TOSA:
        return read_tosa(body, at, number);
    case MLIA_SPIRV_SET_ML_OPERATIONS:
        return read_call(body, at, number);
    case MLIA_SPIRV_SET_MOTION_ENGINE:
        return read_motion(body, at, number);
    case MLIA_SPIRV_SET_DEBUG:
    case MLIA_SPIRV_SET_OLD_DEBUG:
    case MLIA_SPIRV_SET_NON_SEMANTIC:
        return NULL;
    case MLIA_SPIRV_SET_UNKNOWN:
        break;
    }
    return spirv_bad(body->module, at, MLIA_E_SPIRV_UNKNOWN, "instruction %u of the set '%.*s' (result %%%u)",
                     number, MLIA_STR_ARG(import->text), spirv_operand(body->module, at, 1));
}
