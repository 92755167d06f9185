/* A scan of a SPIR-V module for the instructions that name graph operations (SPIR-V specification; extended
 * instruction sets TOSA and NonSemantic.Graph.DebugInfo). */
#include "measure/module.h"

#include <inttypes.h>
#include <stdlib.h>

enum { HEADER_WORDS = 5, OP_STRING = 7, OP_EXT_INST_IMPORT = 11, OP_EXT_INST = 12, DEBUG_OPERATION = 2 };
#define SPIRV_MAGIC 0x07230203u

typedef enum instruction_set { SET_OTHER, SET_TOSA, SET_DEBUG } instruction_set;

/* An id with what is known of it; ids are found by their four bytes. */
typedef struct named_id {
    uint32_t id;
    mlia_str name;
} named_id;

typedef struct id_list {
    named_id *items;
    size_t count;
    size_t capacity;
    mlia_map positions;
} id_list;

typedef struct scan {
    mlia_arena *arena;
    mlia_map strings; /* id → position in `texts` */
    mlia_str *texts;
    size_t text_count;
    size_t text_capacity;
    mlia_map sets; /* id → instruction_set */
    id_list operations;
    id_list named;
} scan;

/* Operands of one instruction: its words after the first. */
typedef struct operands {
    const uint8_t *data;
    size_t count;
} operands;

static uint32_t word(operands list, size_t i)
{
    return mlia_load_u32(list.data + 4 * i);
}

static mlia_str id_key(operands list, size_t i)
{
    return (mlia_str){(const char *)list.data + 4 * i, 4};
}

/* Literal text from operand `first`: up to the first NUL. */
static mlia_str literal(operands list, size_t first)
{
    mlia_str text = {(const char *)list.data + 4 * first, (list.count - first) * 4};
    return mlia_str_slice(text, 0, mlia_str_find(text, '\0'));
}

static bool all_digits(mlia_str text)
{
    for (size_t i = 0; i < text.size; i++)
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
    return text.size > 0;
}

/* "TOSA.NNNNNN.N…" in any version. */
static bool is_tosa_set(mlia_str name)
{
    enum { PREFIX = 5, VERSION = 6 };
    return mlia_str_starts_with(name, MLIA_STR("TOSA.")) && name.size > PREFIX + VERSION + 1 &&
           all_digits(mlia_str_slice(name, PREFIX, VERSION)) && name.data[PREFIX + VERSION] == '.' &&
           all_digits(mlia_str_slice(name, PREFIX + VERSION + 1, SIZE_MAX));
}

/* Adds an id once; a name given later to the same id is ignored. */
static bool add_id(scan *state, id_list *list, operands at, size_t i, mlia_str name)
{
    bool is_new;
    if (mlia_map_insert(&list->positions, id_key(at, i), (uint32_t)list->count, &is_new) == NULL)
        return false;
    if (!is_new)
        return true;
    if (!MLIA_RESERVE(state->arena, list->items, list->count, list->capacity))
        return false;
    list->items[list->count++] = (named_id){word(at, i), name};
    return true;
}

static bool add_string(scan *state, operands list)
{
    if (!MLIA_RESERVE(state->arena, state->texts, state->text_count, state->text_capacity))
        return false;
    uint32_t *position = mlia_map_insert(&state->strings, id_key(list, 0), 0, NULL);
    if (position == NULL)
        return false;
    *position = (uint32_t)state->text_count;
    state->texts[state->text_count++] = literal(list, 1);
    return true;
}

static bool add_set(scan *state, operands list)
{
    mlia_str name = literal(list, 1);
    uint32_t *set = mlia_map_insert(&state->sets, id_key(list, 0), SET_OTHER, NULL);
    if (set == NULL)
        return false;
    if (is_tosa_set(name))
        *set = SET_TOSA;
    else if (mlia_str_equal_c(name, "NonSemantic.Graph.DebugInfo.1"))
        *set = SET_DEBUG;
    return true;
}

/* DebugOperation: graph, name, instructions. */
static bool add_debug_operation(scan *state, operands list)
{
    enum { NAME = 5, FIRST_INSTRUCTION = 6 };
    const uint32_t *text = mlia_map_find(&state->strings, id_key(list, NAME));
    if (text == NULL || *text >= state->text_count || state->texts[*text].size == 0)
        return true;
    for (size_t i = FIRST_INSTRUCTION; i < list.count; i++)
        if (!add_id(state, &state->named, list, i, state->texts[*text]))
            return false;
    return true;
}

/* Operands: result type, result, set, instruction, … */
static bool add_extended(scan *state, operands list)
{
    const uint32_t *set = mlia_map_find(&state->sets, id_key(list, 2));
    if (set != NULL && *set == SET_TOSA)
        return add_id(state, &state->operations, list, 1, MLIA_STR_NONE);
    if (set != NULL && *set == SET_DEBUG && word(list, 3) == DEBUG_OPERATION && list.count > 5)
        return add_debug_operation(state, list);
    return true;
}

static bool add_instruction(scan *state, uint32_t opcode, operands list)
{
    if (opcode == OP_STRING && list.count > 0)
        return add_string(state, list);
    if (opcode == OP_EXT_INST_IMPORT && list.count > 0)
        return add_set(state, list);
    if (opcode == OP_EXT_INST && list.count > 3)
        return add_extended(state, list);
    return true;
}

static mlia_status *scan_module(mlia_bytes code, scan *state)
{
    if (code.size < (size_t)HEADER_WORDS * 4 || code.size % 4 != 0 || mlia_load_u32(code.data) != SPIRV_MAGIC)
        return mlia_error(MLIA_E_SPIRV, "%zu bytes are no SPIR-V module", code.size);
    for (size_t at = (size_t)HEADER_WORDS * 4; at < code.size;) {
        uint32_t first = mlia_load_u32(code.data + at);
        size_t words = first >> 16;
        if (words == 0 || words > (code.size - at) / 4)
            return mlia_status_at(mlia_error(MLIA_E_SPIRV, "instruction of %zu words, %zu are left", words,
                                             (code.size - at) / 4),
                                  at);
        if (!add_instruction(state, first & 0xFFFF, (operands){code.data + at + 4, words - 1}))
            return mlia_error_memory();
        at += words * 4;
    }
    return NULL;
}

static int descending(const void *a, const void *b)
{
    size_t x = *(const size_t *)a;
    size_t y = *(const size_t *)b;
    return (x < y) - (x > y);
}

static size_t count_separators(mlia_str name)
{
    size_t count = 0;
    for (size_t i = 0; i < name.size; i++)
        count += name.data[i] == ';';
    return count;
}

/* Fills by_name, shared and name_separators. */
static mlia_status *index_names(mlia_measured_module *module, mlia_arena *arena)
{
    bool *shared = MLIA_NEW_ARRAY(arena, bool, module->count);
    size_t *separators = MLIA_NEW_ARRAY(arena, size_t, module->count);
    MLIA_TRY_ALLOC(shared);
    MLIA_TRY_ALLOC(separators);
    size_t used = 0;
    for (size_t i = 0; i < module->count; i++) {
        if (module->names[i].size == 0)
            continue;
        bool is_new;
        const uint32_t *first = mlia_map_insert(&module->by_name, module->names[i], (uint32_t)i, &is_new);
        MLIA_TRY_ALLOC(first);
        if (is_new)
            separators[used++] = count_separators(module->names[i]);
        else
            shared[*first] = true;
    }
    qsort(separators, used, sizeof *separators, descending);
    for (size_t i = 0; i < used; i++)
        if (i == 0 || separators[i] != separators[i - 1])
            separators[module->separator_count++] = separators[i];
    module->shared = shared;
    module->name_separators = separators;
    return NULL;
}

mlia_status *mlia_measured_module_read(mlia_bytes code, mlia_arena *arena, mlia_measured_module *module)
{
    scan state = {.arena = arena,
                  .strings = mlia_map_in(arena),
                  .sets = mlia_map_in(arena),
                  .operations.positions = mlia_map_in(arena),
                  .named.positions = mlia_map_in(arena)};
    MLIA_TRY(scan_module(code, &state));
    size_t most = state.operations.count + state.named.count;
    uint32_t *ids = MLIA_NEW_ARRAY(arena, uint32_t, most);
    mlia_str *names = MLIA_NEW_ARRAY(arena, mlia_str, most);
    MLIA_TRY_ALLOC(ids);
    MLIA_TRY_ALLOC(names);
    *module = (mlia_measured_module){
        .ids = ids, .names = names, .by_id = state.operations.positions, .by_name = mlia_map_in(arena)};
    for (; module->count < state.operations.count; module->count++)
        ids[module->count] = state.operations.items[module->count].id;
    for (size_t i = 0; i < state.named.count; i++) {
        named_id item = state.named.items[i];
        char *key = MLIA_NEW_ARRAY(arena, char, 4);
        MLIA_TRY_ALLOC(key);
        for (int byte = 0; byte < 4; byte++)
            key[byte] = (char)(item.id >> 8 * byte);
        bool is_new;
        const uint32_t *position =
            mlia_map_insert(&module->by_id, (mlia_str){key, 4}, (uint32_t)module->count, &is_new);
        MLIA_TRY_ALLOC(position);
        ids[*position] = item.id;
        names[*position] = item.name;
        module->count += is_new;
    }
    return index_names(module, arena);
}

bool mlia_measured_module_find(const mlia_measured_module *module, uint32_t id, uint32_t *position)
{
    char key[4];
    for (int byte = 0; byte < 4; byte++)
        key[byte] = (char)(id >> 8 * byte);
    const uint32_t *found = mlia_map_find(&module->by_id, (mlia_str){key, sizeof key});
    if (found != NULL)
        *position = *found;
    return found != NULL;
}
