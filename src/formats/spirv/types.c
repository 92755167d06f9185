/* Types of a module, one object per content. */
#include "base/checked.h"
#include "formats/spirv/module.h"

/* Type object of a type id that stands at operand `index`; E_SPIRV when it is no type. */
static mlia_status *type_operand(const spirv_module *module, const spirv_instruction *at, uint32_t index,
                                 const spirv_type **type)
{
    const spirv_entity *entity = spirv_find(module, spirv_operand(module, at, index));
    if (entity->type == NULL || mlia_spirv_describe(entity->opcode)->operands[0] != 'R')
        return spirv_bad(module, at, MLIA_E_SPIRV, "%%%u is no type", entity->id);
    *type = entity->type;
    return NULL;
}

/* Constant whole numbers behind an id: a scalar gives one. */
static mlia_status *integers(const spirv_module *module, const spirv_instruction *at, uint32_t index,
                             const spirv_entity **constant, uint64_t *count)
{
    const spirv_entity *entity = spirv_find(module, spirv_operand(module, at, index));
    bool fits = entity->constant != NULL && entity->type->element != NULL &&
                !entity->type->element->is_float && entity->type->element->width == 32;
    if (!fits)
        return spirv_bad(module, at, MLIA_E_SPIRV, "%%%u is no constant of 32-bit integers", entity->id);
    *constant = entity;
    *count = entity->type->kind == SPIRV_NUMBER ? 1 : entity->type->count;
    return NULL;
}

static mlia_status *array_type(spirv_module *module, const spirv_instruction *at, spirv_type *type)
{
    const spirv_type *element = NULL;
    MLIA_TRY(type_operand(module, at, 1, &element));
    const spirv_entity *length = NULL;
    uint64_t count = 0;
    MLIA_TRY(integers(module, at, 2, &length, &count));
    uint32_t value = (uint32_t)spirv_constant_integer(length, 0);
    if (count != 1 || value == 0)
        return spirv_bad(module, at, MLIA_E_SPIRV, "array length %%%u is not a positive number", length->id);
    type->kind = SPIRV_ARRAY;
    type->element = element->kind == SPIRV_NUMBER || element->kind == SPIRV_BOOL ? element->element : NULL;
    type->count = value;
    return NULL;
}

static mlia_status *tensor_type(spirv_module *module, const spirv_instruction *at, spirv_type *type)
{
    const spirv_type *element = NULL;
    MLIA_TRY(type_operand(module, at, 1, &element));
    if ((element->kind != SPIRV_NUMBER && element->kind != SPIRV_BOOL) || element->element == NULL)
        return spirv_bad(module, at, MLIA_E_SPIRV, "%%%u cannot be the element type of a tensor",
                         spirv_operand(module, at, 1));
    if (at->count < 4)
        return spirv_bad(module, at, MLIA_E_SPIRV_UNKNOWN, "tensor type %%%u has no rank",
                         spirv_operand(module, at, 0));
    const spirv_entity *rank = NULL;
    uint64_t count = 0;
    MLIA_TRY(integers(module, at, 2, &rank, &count));
    int64_t value = spirv_constant_integer(rank, 0);
    if (count != 1 || value < 1 || value > MLIA_SPIRV_RANK_LIMIT)
        return spirv_bad(module, at, MLIA_E_SPIRV, "rank %lld of tensor type %%%u is outside of 1 to %d",
                         (long long)value, spirv_operand(module, at, 0), MLIA_SPIRV_RANK_LIMIT);
    type->kind = SPIRV_TENSOR;
    type->element = element->element;
    type->rank = (uint32_t)value;
    type->unshaped = at->count < 5;
    type->count = 1;
    int64_t *dims = MLIA_NEW_ARRAY(module->arena, int64_t, type->rank);
    MLIA_TRY_ALLOC(dims);
    type->dims = dims;
    const spirv_entity *shape = NULL;
    if (!type->unshaped)
        MLIA_TRY(integers(module, at, 3, &shape, &count));
    if (shape != NULL && count != type->rank)
        return spirv_bad(module, at, MLIA_E_SPIRV, "shape of %llu dimensions for a tensor of rank %u",
                         (unsigned long long)count, type->rank);
    for (uint32_t i = 0; i < type->rank; i++) {
        dims[i] = type->unshaped ? MLIA_DIM_UNKNOWN : spirv_constant_integer(shape, i);
        if (shape != NULL && dims[i] < 1)
            return spirv_bad(module, at, MLIA_E_SPIRV, "dimension %u of tensor type %%%u is %lld", i,
                             spirv_operand(module, at, 0), (long long)dims[i]);
        if (shape != NULL && !mlia_mul_u64(type->count, (uint64_t)dims[i], &type->count))
            return spirv_bad(module, at, MLIA_E_SPIRV_LIMIT, "tensor type %%%u has too many elements",
                             spirv_operand(module, at, 0));
    }
    return NULL;
}

/* Struct members, graph inputs and outputs, the target of a pointer: type ids from operand `first` on. */
static mlia_status *member_types(spirv_module *module, const spirv_instruction *at, uint32_t first,
                                 spirv_type *type)
{
    type->member_count = at->count - 1 - first;
    type->members = MLIA_NEW_ARRAY(module->arena, const spirv_type *, type->member_count);
    MLIA_TRY_ALLOC(type->members);
    for (uint32_t i = 0; i < type->member_count; i++)
        MLIA_TRY(type_operand(module, at, first + i, &type->members[i]));
    return NULL;
}

static mlia_status *decode(spirv_module *module, const spirv_instruction *at, spirv_type *type)
{
    switch (at->opcode) {
    case MLIA_SPIRV_OpTypeVoid:
        type->kind = SPIRV_VOID;
        return NULL;
    case MLIA_SPIRV_OpTypeBool:
        type->kind = SPIRV_BOOL;
        type->element = mlia_spirv_element_by_spelling(false, 0, -1);
        return NULL;
    case MLIA_SPIRV_OpTypeInt:
    case MLIA_SPIRV_OpTypeFloat: {
        bool is_float = at->opcode == MLIA_SPIRV_OpTypeFloat;
        int32_t encoding = is_float && at->count > 3 ? (int32_t)spirv_operand(module, at, 2) : -1;
        type->kind = SPIRV_NUMBER;
        type->width = spirv_operand(module, at, 1);
        if (type->width == 0 || type->width > 64)
            return spirv_bad(module, at, MLIA_E_SPIRV, "a number of %u bits", type->width);
        type->element = mlia_spirv_element_by_spelling(is_float, type->width, encoding);
        return NULL;
    }
    case MLIA_SPIRV_OpTypeArray:
        return array_type(module, at, type);
    case MLIA_SPIRV_OpTypeTensorARM:
        return tensor_type(module, at, type);
    case MLIA_SPIRV_OpTypeStruct:
        type->kind = SPIRV_STRUCT;
        return member_types(module, at, 1, type);
    case MLIA_SPIRV_OpTypePointer:
        type->kind = SPIRV_POINTER;
        return member_types(module, at, 2, type);
    default:
        type->kind = SPIRV_GRAPH;
        type->input_count = spirv_operand(module, at, 1);
        MLIA_TRY(member_types(module, at, 2, type));
        if (type->input_count > type->member_count)
            return spirv_bad(module, at, MLIA_E_SPIRV, "%u inputs of %u types", type->input_count,
                             type->member_count);
        for (uint32_t i = 0; i < type->member_count; i++)
            if (type->members[i]->kind != SPIRV_TENSOR)
                return spirv_bad(module, at, MLIA_E_SPIRV_UNKNOWN, "input or output type %%%u is no tensor",
                                 spirv_operand(module, at, 2 + i));
        return NULL;
    }
}

/* Content of a type as bytes: equal content, equal key. Members are already unique, so their numbers stand
 * for them. */
static mlia_status *key_of(spirv_module *module, const spirv_type *type, mlia_str *key)
{
    size_t size = (6 + (size_t)type->rank * 2 + type->member_count) * sizeof(uint32_t);
    uint32_t *words = mlia_arena_alloc(module->arena, size, 1, sizeof(uint64_t));
    MLIA_TRY_ALLOC(words);
    uint32_t used = 0;
    words[used++] = (uint32_t)type->kind;
    words[used++] = type->width | (type->unshaped ? 1u << 31 : 0);
    words[used++] = type->element == NULL ? 0 : (uint32_t)type->element->type;
    words[used++] = type->kind == SPIRV_GRAPH ? type->input_count : type->rank;
    words[used++] = type->kind == SPIRV_ARRAY ? (uint32_t)type->count : type->member_count;
    words[used++] = 0;
    for (uint32_t i = 0; i < type->rank; i++) {
        words[used++] = (uint32_t)type->dims[i];
        words[used++] = (uint32_t)((uint64_t)type->dims[i] >> 32);
    }
    for (uint32_t i = 0; i < type->member_count; i++)
        words[used++] = type->members[i]->number;
    *key = (mlia_str){(const char *)words, size};
    return NULL;
}

mlia_status *spirv_define_type(spirv_module *module, const spirv_instruction *at, spirv_entity *entity)
{
    spirv_type *type = MLIA_NEW(module->arena, spirv_type);
    MLIA_TRY_ALLOC(type);
    MLIA_TRY(decode(module, at, type));
    type->number = (uint32_t)module->type_count;
    mlia_str key = MLIA_STR_NONE;
    MLIA_TRY(key_of(module, type, &key));
    bool is_new;
    uint32_t *position = mlia_map_insert(&module->types, key, type->number, &is_new);
    MLIA_TRY_ALLOC(position);
    if (is_new) {
        if (!MLIA_RESERVE(module->arena, module->type_list, module->type_count, module->type_capacity))
            return mlia_error_memory();
        module->type_list[module->type_count++] = type;
    }
    entity->type = module->type_list[*position];
    return NULL;
}
