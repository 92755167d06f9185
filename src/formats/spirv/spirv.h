/* TOSA graphs in SPIR-V modules: reading, disassembling. docs/formats/vgf.md describes the form. */
#ifndef MLIA_SPIRV_SPIRV_H
#define MLIA_SPIRV_SPIRV_H

#include "base/bytes.h"
#include "graph/graph.h"

/* What the container knows about a tensor of the module. */
typedef struct mlia_spirv_resource {
    mlia_type type; /* 64-bit integers are INT48 */
    bool is_unsigned;
    uint32_t rank;       /* 0: a tensor of shape [1] in the module */
    const int64_t *dims; /* MLIA_DIM_UNKNOWN allowed: then the module's type has no shape */
    mlia_bytes data;     /* graph constants: MLIA_ENCODING_BYTES, as large as the shape demands */
    mlia_str name;
    uint32_t index; /* in the container's table, for messages */
} mlia_spirv_resource;

typedef struct mlia_spirv_options {
    mlia_str entry_point;          /* empty: the only one (with a warning) */
    uint32_t segment;              /* number in the ids of the sources: segment_0/spirv-16 */
    uint64_t offset;               /* of the module in its file, for messages */
    mlia_diagnostics *diagnostics; /* may be NULL */
    void *context;                 /* for the two look-ups */
    /* The constant behind a graph constant id; false when it is not bound. NULL: no id is bound. */
    bool (*find_constant)(void *context, uint32_t id, mlia_spirv_resource *resource);
    /* The resource at an interface variable's descriptor set and binding; false when the segment has none
     * there. NULL: decorations are not looked at. */
    bool (*find_binding)(void *context, uint32_t set, uint32_t binding, bool is_input,
                         mlia_spirv_resource *resource);
} mlia_spirv_options;

/* Reads the graph of one entry point into `arena`. `module` is the module's bytes, which must outlive the
 * graph (texts and graph constants are views); any alignment. Operators are the TOSA instructions in module
 * order; constants that operators use become CONST and CONST_SHAPE operators before their first user. Errors:
 * E_SPIRV (structure, operands, interface), E_SPIRV_WORD_COUNT, E_SPIRV_UNKNOWN (instruction without meaning
 * here), E_SPIRV_LIMIT, E_VGF_CONSTANT_BINDING; each with the byte offset. */
mlia_status *mlia_spirv_read(mlia_bytes module, const mlia_spirv_options *options, mlia_arena *arena,
                             mlia_graph **graph);

/* Appends the module as text, one instruction a line, in the form of spirv-dis --raw-id without its header
 * comment. Unknown instructions come as numbers. Errors: E_SPIRV and E_SPIRV_WORD_COUNT when instructions
 * cannot be told apart. */
mlia_status *mlia_spirv_disassemble(mlia_bytes module, mlia_buffer *text);

#endif
