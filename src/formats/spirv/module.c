/* First pass over a module: instructions, ids, names, decorations, debug information, entry points. */
#include "formats/spirv/module.h"

#include <stdarg.h>
#include <stdio.h>

mlia_status *(spirv_bad)(const spirv_module *module, const spirv_instruction *at, mlia_kind kind,
                         const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mlia_status *status = at->info != NULL
                              ? mlia_error(kind, "SPIR-V word %u, %s: %s", at->word, at->info->name, text)
                              : mlia_error(kind, "SPIR-V word %u, opcode %u: %s", at->word, at->opcode, text);
    return mlia_status_at(status, module->options->offset + (uint64_t)at->word * 4);
}

/* Error at a byte of the module's header. */
static mlia_status *at_byte(const spirv_module *module, uint64_t byte, mlia_status *status)
{
    return mlia_status_at(status, module->options->offset + byte);
}

mlia_status *spirv_open(spirv_module *module)
{
    if (module->bytes.size % 4 != 0 || module->bytes.size < MLIA_SPIRV_HEADER_WORDS * 4)
        return at_byte(module, 0,
                       mlia_error(MLIA_E_SPIRV,
                                  "%zu bytes cannot be a SPIR-V module: whole words, at least %d, are needed",
                                  module->bytes.size, MLIA_SPIRV_HEADER_WORDS));
    if (module->bytes.size / 4 > UINT32_MAX / 2)
        return at_byte(module, 0,
                       mlia_error(MLIA_E_SPIRV_LIMIT, "SPIR-V module of %zu bytes", module->bytes.size));
    module->word_count = (uint32_t)(module->bytes.size / 4);
    uint32_t magic = spirv_word(module, 0);
    if (magic == __builtin_bswap32(MLIA_SPIRV_MAGIC))
        return at_byte(module, 0,
                       mlia_error(MLIA_E_SPIRV, "SPIR-V module in big-endian byte order: VGF stores words in "
                                                "little-endian order"));
    if (magic != MLIA_SPIRV_MAGIC)
        return at_byte(module, 0,
                       mlia_error(MLIA_E_SPIRV, "SPIR-V magic number is 0x%08X, expected 0x%08X", magic,
                                  MLIA_SPIRV_MAGIC));
    module->bound = spirv_word(module, 3);
    return NULL;
}

mlia_status *spirv_next(const spirv_module *module, uint32_t word, spirv_instruction *at)
{
    uint32_t first = spirv_word(module, word);
    *at = (spirv_instruction){word, first & 0xFFFF, first >> 16, mlia_spirv_describe(first & 0xFFFF)};
    if (at->count == 0)
        return spirv_bad(module, at, MLIA_E_SPIRV_WORD_COUNT,
                         "word count 0; the module is truncated or corrupt");
    if (at->count > module->word_count - word)
        return spirv_bad(module, at, MLIA_E_SPIRV_WORD_COUNT, "%u words, the module has %u left", at->count,
                         module->word_count - word);
    return NULL;
}

static uint32_t slot_of(const spirv_module *module, uint32_t id)
{
    return (id * 2654435761u) & module->slot_mask;
}

spirv_entity *spirv_find(const spirv_module *module, uint32_t id)
{
    for (uint32_t slot = slot_of(module, id);; slot = (slot + 1) & module->slot_mask) {
        uint32_t entry = module->slots[slot];
        if (entry == 0)
            return NULL;
        if (module->entities[entry - 1].id == id)
            return &module->entities[entry - 1];
    }
}

mlia_status *spirv_text(const spirv_module *module, const spirv_instruction *at, uint32_t first,
                        uint32_t count, mlia_str *text, uint32_t *used)
{
    const char *data = (const char *)module->bytes.data + (size_t)first * 4;
    const char *end = memchr(data, 0, (size_t)count * 4);
    if (end == NULL)
        return spirv_bad(module, at, MLIA_E_SPIRV, "text without its final zero byte");
    *text = (mlia_str){data, (size_t)(end - data)};
    *used = (uint32_t)(text->size / 4 + 1);
    return NULL;
}

/* Checks one operand that is an id. */
static mlia_status *check_id(const spirv_module *module, const spirv_instruction *at, uint32_t id,
                             bool defined)
{
    if (id == 0 || id >= module->bound)
        return spirv_bad(module, at, MLIA_E_SPIRV, "id %u is outside of 1 to %u", id, module->bound - 1);
    const spirv_entity *entity = defined ? spirv_find(module, id) : NULL;
    if (defined && (entity == NULL || entity->word >= at->word))
        return spirv_bad(module, at, MLIA_E_SPIRV, "id %%%u is not defined before", id);
    return NULL;
}

/* Checks the operands against the letters of core.def: their number, their ids, their texts. */
static mlia_status *check_operands(const spirv_module *module, const spirv_instruction *at)
{
    uint32_t word = at->word + 1;
    uint32_t end = at->word + at->count;
    for (const char *letter = at->info->operands; *letter != 0; letter++) {
        bool optional = letter[1] == '?' || letter[1] == '*';
        bool many = letter[1] == '*';
        char what = *letter;
        if (optional)
            letter++;
        if (word == end && !optional)
            return spirv_bad(module, at, MLIA_E_SPIRV, "%u operands are too few", at->count - 1);
        while (word < end) {
            uint32_t used = 1;
            mlia_str text;
            if (what == 's')
                MLIA_TRY(spirv_text(module, at, word, end - word, &text, &used));
            else if (what == 'T' || what == 'i' || what == 'f')
                MLIA_TRY(check_id(module, at, spirv_word(module, word), what != 'f'));
            word += used;
            if (!many)
                break;
        }
    }
    if (word != end)
        return spirv_bad(module, at, MLIA_E_SPIRV, "%u operands are too many", at->count - 1);
    return NULL;
}

/* Position of the result id among the operands, or MLIA_NONE. */
static uint32_t result_operand(const mlia_spirv_instruction_info *info)
{
    if (info == NULL)
        return MLIA_NONE;
    return info->operands[0] == 'R' ? 0 : info->operands[0] == 'T' ? 1 : MLIA_NONE;
}

/* Collects the result ids, so that a reference can tell forward from undefined. */
static mlia_status *collect_ids(spirv_module *module)
{
    uint32_t count = 0;
    spirv_instruction at;
    for (uint32_t word = MLIA_SPIRV_HEADER_WORDS; word < module->word_count; word += at.count) {
        MLIA_TRY(spirv_next(module, word, &at));
        count += result_operand(at.info) < at.count - 1;
    }
    uint32_t slots = 16;
    while (slots < count * 2)
        slots *= 2;
    module->slot_mask = slots - 1;
    module->slots = MLIA_NEW_ARRAY(module->arena, uint32_t, slots);
    MLIA_TRY_ALLOC(module->slots);
    module->entities = MLIA_NEW_ARRAY(module->arena, spirv_entity, count);
    MLIA_TRY_ALLOC(module->entities);
    for (uint32_t word = MLIA_SPIRV_HEADER_WORDS; word < module->word_count; word += at.count) {
        MLIA_TRY(spirv_next(module, word, &at));
        uint32_t operand = result_operand(at.info);
        if (operand >= at.count - 1)
            continue;
        uint32_t id = spirv_operand(module, &at, operand);
        MLIA_TRY(check_id(module, &at, id, false));
        if (spirv_find(module, id) != NULL)
            return spirv_bad(module, &at, MLIA_E_SPIRV, "id %%%u is defined a second time", id);
        module->entities[module->entity_count++] = (spirv_entity){
            .id = id,
            .word = word,
            .opcode = (uint16_t)at.opcode,
            .binding = MLIA_NONE,
            .descriptor_set = MLIA_NONE,
            .tensor = MLIA_NONE,
            .shape = MLIA_NONE,
            .first_part = MLIA_NONE,
        };
        uint32_t slot = slot_of(module, id);
        while (module->slots[slot] != 0)
            slot = (slot + 1) & module->slot_mask;
        module->slots[slot] = module->entity_count;
    }
    return NULL;
}

/* Debug instructions give names to results. Whatever does not look as expected is ignored: they mean nothing.
 */
static void note_debug(spirv_module *module, const spirv_instruction *at, mlia_spirv_set set)
{
    uint32_t number = spirv_operand(module, at, 3);
    bool operation = set == MLIA_SPIRV_SET_DEBUG ? number == MLIA_SPIRV_DEBUG_OPERATION
                                                 : number == MLIA_SPIRV_OLD_DEBUG_OPERATION;
    bool tensor = set == MLIA_SPIRV_SET_DEBUG && number == MLIA_SPIRV_DEBUG_TENSOR;
    if (!operation && !tensor)
        return;
    mlia_str text = MLIA_STR_NONE;
    bool have_text = false;
    for (uint32_t i = 4; i < at->count - 1; i++) {
        spirv_entity *entity = spirv_find(module, spirv_operand(module, at, i));
        if (entity == NULL)
            continue;
        if (!have_text && entity->opcode == MLIA_SPIRV_OpString) {
            have_text = true;
            text = entity->text;
        } else if (operation && have_text && entity->debug.size == 0) {
            entity->debug = text;
        }
    }
    spirv_entity *subject = tensor && at->count > 5 ? spirv_find(module, spirv_operand(module, at, 4)) : NULL;
    if (subject != NULL &&
        (subject->opcode == MLIA_SPIRV_OpGraphConstantARM || spirv_is_constant(subject->opcode)) &&
        subject->debug.size == 0)
        subject->debug = text;
}

/* Entity of an operand that check_operands has seen; NULL for a forward reference to nothing. */
static spirv_entity *operand_entity(spirv_module *module, const spirv_instruction *at, uint32_t index)
{
    return spirv_find(module, spirv_operand(module, at, index));
}

static mlia_status *note_entry_point(spirv_module *module, const spirv_instruction *at)
{
    if (!MLIA_RESERVE(module->arena, module->entries, module->entry_count, module->entry_capacity))
        return mlia_error_memory();
    mlia_str name = MLIA_STR_NONE;
    uint32_t used = 0;
    MLIA_TRY(spirv_text(module, at, at->word + 2, at->count - 2, &name, &used));
    uint32_t first = at->word + 2 + used;
    module->entries[module->entry_count++] = (spirv_entry_point){
        spirv_operand(module, at, 0), name, at->word, first, at->word + at->count - first,
    };
    return NULL;
}

/* Instructions that name or decorate something, or mark where a graph begins and ends. */
static mlia_status *note_instruction(spirv_module *module, const spirv_instruction *at)
{
    uint32_t used;
    spirv_entity *subject;
    switch (at->opcode) {
    case MLIA_SPIRV_OpName:
        subject = operand_entity(module, at, 0);
        return subject == NULL ? NULL
                               : spirv_text(module, at, at->word + 2, at->count - 2, &subject->name, &used);
    case MLIA_SPIRV_OpDecorate:
        subject = operand_entity(module, at, 0);
        if (subject != NULL && at->count > 3 && spirv_operand(module, at, 1) == MLIA_SPIRV_BINDING)
            subject->binding = spirv_operand(module, at, 2);
        else if (subject != NULL && at->count > 3 &&
                 spirv_operand(module, at, 1) == MLIA_SPIRV_DESCRIPTOR_SET)
            subject->descriptor_set = spirv_operand(module, at, 2);
        return NULL;
    case MLIA_SPIRV_OpExtInst: {
        const spirv_entity *import = operand_entity(module, at, 2);
        if (import->opcode != MLIA_SPIRV_OpExtInstImport)
            return spirv_bad(module, at, MLIA_E_SPIRV, "%%%u is no instruction set", import->id);
        if (import->set == MLIA_SPIRV_SET_DEBUG || import->set == MLIA_SPIRV_SET_OLD_DEBUG)
            note_debug(module, at, import->set);
        return NULL;
    }
    case MLIA_SPIRV_OpGraphEntryPointARM:
        return note_entry_point(module, at);
    case MLIA_SPIRV_OpGraphARM:
        if (module->graph != 0)
            return spirv_bad(module, at, MLIA_E_SPIRV, "a graph inside a graph");
        module->graph = at->word;
        return NULL;
    case MLIA_SPIRV_OpGraphEndARM:
        if (module->graph == 0)
            return spirv_bad(module, at, MLIA_E_SPIRV, "the end of no graph");
        module->graph = 0;
        return NULL;
    default:
        return NULL;
    }
}

/* OpString and OpExtInstImport. */
static mlia_status *note_text(const spirv_module *module, const spirv_instruction *at, spirv_entity *result)
{
    uint32_t used;
    MLIA_TRY(spirv_text(module, at, at->word + 2, at->count - 2, &result->text, &used));
    if (at->opcode == MLIA_SPIRV_OpExtInstImport)
        result->set = (uint8_t)mlia_spirv_set_by_name(result->text);
    return NULL;
}

/* Graph constant ids are unique in a module. */
static mlia_status *note_graph_constant(spirv_module *module, const spirv_instruction *at,
                                        const spirv_entity *result)
{
    if (result->type->kind != SPIRV_TENSOR)
        return spirv_bad(module, at, MLIA_E_SPIRV, "the type of a graph constant must be a tensor");
    mlia_str key = {(const char *)module->bytes.data + ((size_t)at->word + 3) * 4, 4};
    bool is_new;
    MLIA_TRY_ALLOC(mlia_map_insert(&module->graph_constants, key, 0, &is_new));
    return is_new ? NULL
                  : spirv_bad(module, at, MLIA_E_SPIRV, "graph constant id %u is used a second time",
                              spirv_operand(module, at, 2));
}

/* Types are told by the form of their instruction: a result without a result type. */
static bool is_type(const spirv_entity *entity)
{
    return entity->type != NULL && mlia_spirv_describe(entity->opcode)->operands[0] == 'R';
}

static mlia_status *index_instruction(spirv_module *module, const spirv_instruction *at)
{
    if (at->info == NULL)
        return NULL;
    MLIA_TRY(check_operands(module, at));
    uint32_t operand = result_operand(at->info);
    spirv_entity *result = operand == MLIA_NONE ? NULL : operand_entity(module, at, operand);
    if (result == NULL)
        return note_instruction(module, at);
    result->graph = module->graph;
    if (at->info->operands[0] == 'T') {
        const spirv_entity *type = operand_entity(module, at, 0);
        if (!is_type(type))
            return spirv_bad(module, at, MLIA_E_SPIRV, "%%%u is no type", type->id);
        result->type = type->type;
    }
    switch (at->opcode) {
    case MLIA_SPIRV_OpTypeVoid:
    case MLIA_SPIRV_OpTypeBool:
    case MLIA_SPIRV_OpTypeInt:
    case MLIA_SPIRV_OpTypeFloat:
    case MLIA_SPIRV_OpTypeArray:
    case MLIA_SPIRV_OpTypeStruct:
    case MLIA_SPIRV_OpTypePointer:
    case MLIA_SPIRV_OpTypeTensorARM:
    case MLIA_SPIRV_OpTypeGraphARM:
        return spirv_define_type(module, at, result);
    case MLIA_SPIRV_OpGraphConstantARM:
        return note_graph_constant(module, at, result);
    case MLIA_SPIRV_OpString:
    case MLIA_SPIRV_OpExtInstImport:
        return note_text(module, at, result);
    default:
        if (spirv_is_constant(at->opcode))
            return spirv_define_constant(module, at, result);
        return note_instruction(module, at);
    }
}

mlia_status *spirv_index(spirv_module *module)
{
    MLIA_TRY(spirv_open(module));
    if (module->bound == 0 || module->bound - 1 > MLIA_SPIRV_ID_LIMIT)
        return at_byte(module, 12,
                       mlia_error(MLIA_E_SPIRV_LIMIT, "SPIR-V id bound is %u, allowed are 1 to %u",
                                  module->bound, MLIA_SPIRV_ID_LIMIT + 1));
    module->types = mlia_map_in(module->arena);
    module->graph_constants = mlia_map_in(module->arena);
    /* Producers write out at most a few elements per word; shared parts could multiply without end. */
    module->constant_budget = (uint64_t)module->bytes.size * 64 + (16u << 20);
    MLIA_TRY(collect_ids(module));
    spirv_instruction at;
    for (uint32_t word = MLIA_SPIRV_HEADER_WORDS; word < module->word_count; word += at.count) {
        MLIA_TRY(spirv_next(module, word, &at));
        MLIA_TRY(index_instruction(module, &at));
    }
    if (module->graph != 0) {
        MLIA_TRY(spirv_next(module, module->graph, &at));
        return spirv_bad(module, &at, MLIA_E_SPIRV, "the graph has no end");
    }
    return NULL;
}
