/* Constants of a module, evaluated to the bytes that VGF would store: whole elements, or one element that all
 * equal. */
#include "base/checked.h"
#include "formats/spirv/module.h"

bool spirv_is_constant(uint32_t opcode)
{
    switch (opcode) {
    case MLIA_SPIRV_OpConstantTrue:
    case MLIA_SPIRV_OpConstantFalse:
    case MLIA_SPIRV_OpConstant:
    case MLIA_SPIRV_OpConstantComposite:
    case MLIA_SPIRV_OpConstantNull:
    case MLIA_SPIRV_OpSpecConstantTrue:
    case MLIA_SPIRV_OpSpecConstantFalse:
    case MLIA_SPIRV_OpSpecConstant:
    case MLIA_SPIRV_OpSpecConstantComposite:
    case MLIA_SPIRV_OpConstantCompositeReplicateEXT:
    case MLIA_SPIRV_OpSpecConstantCompositeReplicateEXT:
        return true;
    default:
        return false;
    }
}

static bool is_scalar(const spirv_type *type)
{
    return type->kind == SPIRV_BOOL || type->kind == SPIRV_NUMBER;
}

static uint64_t element_count(const spirv_type *type)
{
    return is_scalar(type) ? 1 : type->count;
}

/* Arrays, shaped tensors and scalars of a type that graphs can hold; anything else has no bytes here. */
static bool has_bytes(const spirv_type *type)
{
    return type->element != NULL &&
           (is_scalar(type) || type->kind == SPIRV_ARRAY || (type->kind == SPIRV_TENSOR && !type->unshaped));
}

int64_t spirv_constant_integer(const spirv_entity *entity, uint64_t index)
{
    const mlia_spirv_element *element = entity->type->element;
    uint32_t size = mlia_spirv_element_bytes(element);
    const uint8_t *data = entity->constant->bytes.data + (entity->constant->splat ? 0 : index * size);
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++)
        value |= (uint64_t)data[i] << 8 * i;
    unsigned unused = size < 8 && size > 0 ? 64 - 8 * size : 0;
    return (int64_t)(value << unused) >> unused;
}

static mlia_status *new_constant(spirv_module *module, spirv_entity *entity, const uint8_t *data, size_t size,
                                 bool splat)
{
    spirv_constant *constant = MLIA_NEW(module->arena, spirv_constant);
    MLIA_TRY_ALLOC(constant);
    *constant = (spirv_constant){{data, size}, splat};
    entity->constant = constant;
    return NULL;
}

/* Words of OpConstant hold the value from the low end; a narrow value is followed by zero or sign bits. */
static mlia_status *number(spirv_module *module, const spirv_instruction *at, spirv_entity *entity)
{
    uint32_t words = entity->type->kind == SPIRV_NUMBER ? (entity->type->width + 31) / 32 : 0;
    if (words == 0 || at->count != 3 + words)
        return spirv_bad(module, at, MLIA_E_SPIRV, "%u words for a value of the type of %%%u", at->count - 3,
                         entity->id);
    if (entity->type->element == NULL)
        return NULL;
    const uint8_t *data = module->bytes.data + ((size_t)at->word + 3) * 4;
    return new_constant(module, entity, data, mlia_spirv_element_bytes(entity->type->element), false);
}

/* All elements equal to the one at `element`. */
static mlia_status *splat(spirv_module *module, spirv_entity *entity, const uint8_t *element)
{
    return new_constant(module, entity, element, mlia_spirv_element_bytes(entity->type->element),
                        element_count(entity->type) > 1);
}

/* True when every part is the same single element; *element is it. */
static bool parts_equal(const spirv_module *module, const spirv_instruction *at, uint32_t size,
                        const uint8_t **element)
{
    for (uint32_t i = 2; i < at->count - 1; i++) {
        const spirv_entity *part = spirv_find(module, spirv_operand(module, at, i));
        if (part->constant->bytes.size != size)
            return false;
        if (i == 2)
            *element = part->constant->bytes.data;
        else if (memcmp(*element, part->constant->bytes.data, size) != 0)
            return false;
    }
    return true;
}

/* The parts must have the element type and together as many elements as the whole. */
static mlia_status *check_parts(const spirv_module *module, const spirv_instruction *at,
                                const spirv_entity *entity)
{
    uint64_t total = 0;
    for (uint32_t i = 2; i < at->count - 1; i++) {
        const spirv_entity *part = spirv_find(module, spirv_operand(module, at, i));
        if (part->constant == NULL || part->type->element != entity->type->element ||
            !mlia_add_u64(total, element_count(part->type), &total))
            return spirv_bad(module, at, MLIA_E_SPIRV, "part %%%u is no constant of the element type",
                             part->id);
    }
    if (total != element_count(entity->type))
        return spirv_bad(module, at, MLIA_E_SPIRV, "the parts hold %llu elements, the type %llu",
                         (unsigned long long)total, (unsigned long long)element_count(entity->type));
    return NULL;
}

static mlia_status *composite(spirv_module *module, const spirv_instruction *at, spirv_entity *entity)
{
    if (is_scalar(entity->type))
        return spirv_bad(module, at, MLIA_E_SPIRV, "the type of %%%u has no parts", entity->id);
    MLIA_TRY(check_parts(module, at, entity));
    uint32_t size = mlia_spirv_element_bytes(entity->type->element);
    const uint8_t *element = NULL;
    if (parts_equal(module, at, size, &element))
        return splat(module, entity, element);
    uint64_t total;
    if (!mlia_mul_u64(entity->type->count, size, &total) || total > module->constant_budget)
        return spirv_bad(module, at, MLIA_E_SPIRV_LIMIT, "constants of this module expand beyond %llu bytes",
                         (unsigned long long)module->bytes.size * 64 + (16u << 20));
    module->constant_budget -= total;
    uint8_t *data = MLIA_NEW_ARRAY(module->arena, uint8_t, total);
    MLIA_TRY_ALLOC(data);
    size_t used = 0;
    for (uint32_t i = 2; i < at->count - 1; i++) {
        const spirv_entity *part = spirv_find(module, spirv_operand(module, at, i));
        uint64_t count = part->constant->splat ? element_count(part->type) : 1;
        for (uint64_t k = 0; k < count; k++) {
            memcpy(data + used, part->constant->bytes.data, part->constant->bytes.size);
            used += part->constant->bytes.size;
        }
    }
    return new_constant(module, entity, data, used, false);
}

/* One part for all: a scalar, or rows of the same content. */
static mlia_status *replicate(spirv_module *module, const spirv_instruction *at, spirv_entity *entity)
{
    const spirv_entity *part = spirv_find(module, spirv_operand(module, at, 2));
    uint64_t count = element_count(entity->type);
    if (part->constant == NULL || part->type->element != entity->type->element ||
        count % element_count(part->type) != 0)
        return spirv_bad(module, at, MLIA_E_SPIRV, "%%%u is no part of the type", part->id);
    uint32_t size = mlia_spirv_element_bytes(entity->type->element);
    if (part->constant->bytes.size == size)
        return splat(module, entity, part->constant->bytes.data);
    uint64_t total;
    if (!mlia_mul_u64(count, size, &total) || total > module->constant_budget)
        return spirv_bad(module, at, MLIA_E_SPIRV_LIMIT, "constants of this module expand beyond %llu bytes",
                         (unsigned long long)module->bytes.size * 64 + (16u << 20));
    module->constant_budget -= total;
    uint8_t *data = MLIA_NEW_ARRAY(module->arena, uint8_t, total);
    MLIA_TRY_ALLOC(data);
    for (size_t used = 0; used < total; used += part->constant->bytes.size)
        memcpy(data + used, part->constant->bytes.data, part->constant->bytes.size);
    return new_constant(module, entity, data, total, false);
}

mlia_status *spirv_define_constant(spirv_module *module, const spirv_instruction *at, spirv_entity *entity)
{
    static const uint8_t zero[8] = {0};
    static const uint8_t one[1] = {1};
    switch (at->opcode) {
    case MLIA_SPIRV_OpConstantTrue:
    case MLIA_SPIRV_OpConstantFalse:
    case MLIA_SPIRV_OpSpecConstantTrue:
    case MLIA_SPIRV_OpSpecConstantFalse:
        if (entity->type->kind != SPIRV_BOOL)
            return spirv_bad(module, at, MLIA_E_SPIRV, "the type of %%%u is not bool", entity->id);
        return splat(module, entity,
                     at->opcode == MLIA_SPIRV_OpConstantTrue || at->opcode == MLIA_SPIRV_OpSpecConstantTrue
                         ? one
                         : zero);
    case MLIA_SPIRV_OpConstant:
    case MLIA_SPIRV_OpSpecConstant:
        return number(module, at, entity);
    default:
        break;
    }
    if (!has_bytes(entity->type))
        return NULL;
    if (at->opcode == MLIA_SPIRV_OpConstantNull)
        return splat(module, entity, zero);
    if (at->opcode == MLIA_SPIRV_OpConstantCompositeReplicateEXT ||
        at->opcode == MLIA_SPIRV_OpSpecConstantCompositeReplicateEXT)
        return replicate(module, at, entity);
    return composite(module, at, entity);
}
