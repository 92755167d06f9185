/* A SPIR-V module taken apart: ids, types, constants, names, debug information, entry points. Private to this
 * room.
 *
 * Types are kept once per content, so pointers compare. Constants are evaluated as they are defined. */
#ifndef MLIA_SPIRV_MODULE_H
#define MLIA_SPIRV_MODULE_H

#include "base/map.h"
#include "formats/spirv/grammar.h"
#include "formats/spirv/spirv.h"

typedef enum spirv_kind {
    SPIRV_VOID,
    SPIRV_BOOL,
    SPIRV_NUMBER, /* integer or float */
    SPIRV_ARRAY,
    SPIRV_TENSOR,
    SPIRV_STRUCT,
    SPIRV_POINTER,
    SPIRV_GRAPH,
} spirv_kind;

typedef struct spirv_type spirv_type;
struct spirv_type {
    spirv_kind kind;
    const mlia_spirv_element *element; /* scalars; of arrays and tensors; NULL when graphs cannot hold it */
    uint32_t width;                    /* numbers: bits */
    uint32_t rank;                     /* tensors */
    bool unshaped;                     /* tensors: no shape operand, dims all unknown */
    uint64_t count;                    /* arrays and shaped tensors: elements in all */
    const int64_t *dims;               /* tensors */
    const spirv_type **members; /* struct members, graph inputs then outputs, pointer target, array element */
    uint32_t member_count;
    uint32_t input_count; /* graphs */
    uint32_t number;      /* of distinct types, in order of definition */
};

typedef struct spirv_constant {
    mlia_bytes bytes; /* elements as VGF stores them, or one element */
    bool splat;
} spirv_constant;

/* One result id. */
typedef struct spirv_entity {
    uint32_t id;
    uint32_t word; /* where its instruction starts */
    uint16_t opcode;
    uint8_t set;                    /* imports: mlia_spirv_set */
    uint32_t graph;                 /* word of the OpGraphARM it stands in, 0 outside */
    const spirv_type *type;         /* of types: itself; of values: their type; else NULL */
    const spirv_constant *constant; /* constants that tensors or attributes can use */
    mlia_str text;                  /* OpString, OpExtInstImport */
    mlia_str name;                  /* OpName */
    mlia_str debug;                 /* first text of its debug information */
    uint32_t binding;               /* MLIA_NONE when not decorated */
    uint32_t descriptor_set;
    uint32_t tensor; /* values of the graph being built, or MLIA_NONE */
    uint32_t shape;
    uint32_t first_part; /* struct results: first of the output values */
} spirv_entity;

typedef struct spirv_entry_point {
    uint32_t graph; /* id */
    mlia_str name;
    uint32_t word;
    uint32_t first_variable; /* word */
    uint32_t variable_count;
} spirv_entry_point;

typedef struct spirv_module {
    mlia_bytes bytes;
    uint32_t word_count;
    uint32_t bound;
    const mlia_spirv_options *options;
    mlia_arena *arena;
    spirv_entity *entities;
    uint32_t entity_count;
    uint32_t *slots; /* hash table: entity index + 1, 0 = free */
    uint32_t slot_mask;
    mlia_map types; /* content → position in type_list */
    const spirv_type **type_list;
    size_t type_count;
    size_t type_capacity;
    spirv_entry_point *entries;
    size_t entry_count;
    size_t entry_capacity;
    mlia_map graph_constants; /* ids already used */
    uint64_t constant_budget; /* bytes that constants may still expand to */
    uint32_t graph;           /* word of the OpGraphARM that is open, 0 outside */
} spirv_module;

/* One instruction. */
typedef struct spirv_instruction {
    uint32_t word; /* position */
    uint32_t opcode;
    uint32_t count;                          /* words with the first */
    const mlia_spirv_instruction_info *info; /* NULL: unknown */
} spirv_instruction;

static inline uint32_t spirv_word(const spirv_module *module, uint32_t index)
{
    return mlia_load_u32(module->bytes.data + (size_t)index * 4);
}

/* Operand `index` of an instruction (0: the word after the first); the caller has checked the count. */
static inline uint32_t spirv_operand(const spirv_module *module, const spirv_instruction *at, uint32_t index)
{
    return spirv_word(module, at->word + 1 + index);
}

/* Header of the module and its size in words. */
mlia_status *spirv_open(spirv_module *module);
/* The instruction at `word`, which is inside the module. */
mlia_status *spirv_next(const spirv_module *module, uint32_t word, spirv_instruction *at);
/* E_SPIRV at an instruction: "word 12: OpTypeInt: …". `kind` other than E_SPIRV allowed. */
mlia_status *spirv_bad(const spirv_module *module, const spirv_instruction *at, mlia_kind kind,
                       const char *format, ...) __attribute__((format(printf, 4, 5), returns_nonnull));
#ifdef __clang_analyzer__ /* which does not see that an error is never NULL */
#define spirv_bad(...) mlia_error_exists(spirv_bad(__VA_ARGS__))
#endif

spirv_entity *spirv_find(const spirv_module *module, uint32_t id);
/* Text that starts at word `first` of at most `count` words; *used = words it takes. */
mlia_status *spirv_text(const spirv_module *module, const spirv_instruction *at, uint32_t first,
                        uint32_t count, mlia_str *text, uint32_t *used);

/* Reads everything but the graph bodies. */
mlia_status *spirv_index(spirv_module *module);

/* types.c, constants.c: called by spirv_index for the instruction that defines `entity`. */
mlia_status *spirv_define_type(spirv_module *module, const spirv_instruction *at, spirv_entity *entity);
mlia_status *spirv_define_constant(spirv_module *module, const spirv_instruction *at, spirv_entity *entity);
bool spirv_is_constant(uint32_t opcode);

/* Integer `index` of a constant with whole-number elements, sign-extended from its width. */
int64_t spirv_constant_integer(const spirv_entity *entity, uint64_t index);

#endif
