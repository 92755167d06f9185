/* A module while it is written: sections that are put together at the end, and the ids given so far. Private.
 */
#ifndef MLIA_SPIRV_WRITER_H
#define MLIA_SPIRV_WRITER_H

#include "base/map.h"
#include "formats/spirv/grammar.h"
#include "formats/spirv/write.h"

typedef struct spirv_writer {
    const mlia_graph *graph;
    const mlia_spirv_write_options *options;
    mlia_arena *arena;
    mlia_buffer names;       /* OpName */
    mlia_buffer strings;     /* OpString */
    mlia_buffer decorations; /* OpDecorate */
    mlia_buffer globals;     /* types, constants, variables */
    mlia_buffer body;        /* entry point and graph */
    mlia_buffer debug;
    mlia_map interned; /* instruction without its result → id */
    mlia_map texts;    /* OpString → id */
    uint32_t next_id;
    uint32_t *ids;          /* by value; 0: none yet */
    uint32_t *operator_ids; /* by position in the options: result of the instruction; 0: none was written */
    bool types_used[MLIA_TYPE_LIMIT]; /* by element row's type */
    bool replicated_used;
    uint32_t tosa_set; /* ids of the imports; 0: not used */
    uint32_t call_set;
    uint32_t debug_set;
    uint32_t *constants; /* values written as constants, in order, for the debug part */
    size_t constant_count;
    size_t constant_capacity;
    bool failed; /* out of memory while interning */
} spirv_writer;

/* Appends an instruction of `count` operand words. E_SPIRV_LIMIT above 65534 of them. */
mlia_status *spirv_emit(mlia_buffer *section, mlia_spirv_op opcode, const uint32_t *operands, size_t count);
/* The same with a literal text after the first `before` operands. */
mlia_status *spirv_emit_text(mlia_buffer *section, mlia_spirv_op opcode, const uint32_t *operands,
                             size_t before, mlia_str text, size_t count);
static inline uint32_t spirv_new_id(spirv_writer *writer)
{
    return writer->next_id++;
}
/* Id of a type or constant with these operands, written at the first use. `type` 0: a type. 0 when out of
 * memory, which is remembered. */
uint32_t spirv_intern(spirv_writer *writer, mlia_spirv_op opcode, uint32_t type, const uint32_t *operands,
                      size_t count);

/* Types and constants (emit.c). */
uint32_t spirv_scalar_type(spirv_writer *writer, const mlia_spirv_element *element);
uint32_t spirv_u32(spirv_writer *writer, uint32_t number);
uint32_t spirv_bool(spirv_writer *writer, bool value);
/* Type of a tensor value. E_TOSA_UNSUPPORTED when SPIR-V has none. */
mlia_status *spirv_tensor_type(spirv_writer *writer, const mlia_graph_value *value, uint32_t *type);
/* Constant vector of 32-bit integers: an attribute, or a shape (which may be replicated). */
uint32_t spirv_vector(spirv_writer *writer, const int32_t *values, uint32_t count, bool is_shape);
/* Inline constant tensor of the value's type. */
mlia_status *spirv_tensor_constant(spirv_writer *writer, const mlia_graph_value *value, uint32_t *id);
/* One element in an element type; `bytes` little-endian. */
uint32_t spirv_element(spirv_writer *writer, const mlia_spirv_element *element, mlia_bytes bytes);
/* Constant array of bytes; an empty text is one zero byte. */
uint32_t spirv_text_constant(spirv_writer *writer, mlia_bytes text);

/* Names of everything that was written (write_debug.c). */
mlia_status *spirv_write_debug(spirv_writer *writer, uint32_t graph_id);

#endif
