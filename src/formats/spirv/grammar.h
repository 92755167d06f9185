/* The one grammar of SPIR-V graph modules, which the reader, the writer and the disassembler share: core
 * instructions (core.def), TOSA instructions (tosa.def), extended instruction sets, and names of enumerants.
 */
#ifndef MLIA_SPIRV_GRAMMAR_H
#define MLIA_SPIRV_GRAMMAR_H

#include "graph/operators.h"

enum {
    MLIA_SPIRV_MAGIC = 0x07230203,
    MLIA_SPIRV_HEADER_WORDS = 5,
    MLIA_SPIRV_ID_LIMIT = 0x3FFFFF,  /* universal limit of the SPIR-V specification: ids are below it */
    MLIA_SPIRV_WORDS_LIMIT = 0xFFFF, /* words of one instruction */
    MLIA_SPIRV_RANK_LIMIT = 6,
    MLIA_SPIRV_OPERAND_LIMIT = 16, /* no TOSA instruction but CONCAT has more */
};

/* MLIA_SPIRV_OpTypeInt = 21, … */
typedef enum mlia_spirv_op {
#define X(opcode, name, operands) MLIA_SPIRV_Op##name = (opcode),
#include "formats/spirv/core.def"
#undef X
} mlia_spirv_op;

typedef struct mlia_spirv_instruction_info {
    uint16_t opcode;
    const char *name;     /* "OpTypeInt" */
    const char *operands; /* letters of core.def */
} mlia_spirv_instruction_info;

/* NULL for an instruction that the table does not know. */
const mlia_spirv_instruction_info *mlia_spirv_describe(uint32_t opcode);

/* Form of the operands of a TOSA instruction. */
typedef struct mlia_spirv_tosa_info {
    const char *forms; /* letters of tosa.def; NULL: the operator has no instruction */
    const mlia_field *fields;
    uint32_t field_count;
} mlia_spirv_tosa_info;

/* `op` is a mlia_op. Never NULL. */
const mlia_spirv_tosa_info *mlia_spirv_tosa_describe(uint32_t op);

/* Extended instruction sets, told by the name of the import. */
typedef enum mlia_spirv_set {
    MLIA_SPIRV_SET_UNKNOWN,
    MLIA_SPIRV_SET_TOSA,
    MLIA_SPIRV_SET_ML_OPERATIONS, /* CALL of custom operators */
    MLIA_SPIRV_SET_MOTION_ENGINE,
    MLIA_SPIRV_SET_DEBUG,        /* NonSemantic.Graph.DebugInfo */
    MLIA_SPIRV_SET_OLD_DEBUG,    /* NonSemantic.MLGraph.DebugInfo */
    MLIA_SPIRV_SET_NON_SEMANTIC, /* any other of that kind: ignored */
} mlia_spirv_set;

mlia_spirv_set mlia_spirv_set_by_name(mlia_str name);

#define MLIA_SPIRV_TOSA_NAME          "TOSA.001000.1"
#define MLIA_SPIRV_ML_OPERATIONS_NAME "Arm.ExperimentalMLOperations.1"
#define MLIA_SPIRV_DEBUG_NAME         "NonSemantic.Graph.DebugInfo.1"

/* Name of instruction `number` of a set, or NULL. */
const char *mlia_spirv_set_instruction(mlia_spirv_set set, uint32_t number);

/* Instructions of the debug set. */
typedef enum mlia_spirv_debug {
    MLIA_SPIRV_DEBUG_GRAPH = 1,
    MLIA_SPIRV_DEBUG_OPERATION = 2,
    MLIA_SPIRV_DEBUG_TENSOR = 3,
    MLIA_SPIRV_OLD_DEBUG_OPERATION = 4,
} mlia_spirv_debug;

enum { MLIA_SPIRV_BINDING = 33, MLIA_SPIRV_DESCRIPTOR_SET = 34 };
enum { MLIA_SPIRV_BFLOAT16 = 0, MLIA_SPIRV_FLOAT8E4M3 = 4214, MLIA_SPIRV_FLOAT8E5M2 = 4215 };

/* Name of an enumerant for an operand letter of core.def (c d S A M F L), or NULL. */
const char *mlia_spirv_enumerant(char letter, uint32_t number);

/* Number of the acc_type operand for an element type (0 when there is none), and back. */
uint32_t mlia_spirv_accumulator(uint32_t type);
mlia_type mlia_spirv_accumulator_type(uint32_t number);

/* Element types as SPIR-V spells them: integers have 8, 16, 32 or 64 bits. */
typedef struct mlia_spirv_element {
    mlia_type type; /* as the graph knows it; 64-bit integers are INT48, the only such type of TOSA 1.0 */
    uint8_t width;  /* bits; 0 for bool */
    bool is_float;
    int32_t encoding;    /* operand F of OpTypeFloat, -1 when absent */
    uint16_t capability; /* that the type needs; 0 for none */
    const char *extension;
} mlia_spirv_element;

/* Row of a graph type (INT4 gives the 8-bit row, INT64 the 64-bit one), or NULL when SPIR-V graphs have none.
 */
const mlia_spirv_element *mlia_spirv_element_of(uint32_t type);
const mlia_spirv_element *mlia_spirv_element_by_spelling(bool is_float, uint32_t width, int32_t encoding);

/* Bytes of one element in a constant: bool is one byte. */
static inline uint32_t mlia_spirv_element_bytes(const mlia_spirv_element *element)
{
    return element->width == 0 ? 1 : element->width / 8u;
}

#endif
