/* Writing a TOSA graph, or a part of one, as a SPIR-V graph module. docs/formats/vgf.md describes the form.
 */
#ifndef MLIA_SPIRV_WRITE_H
#define MLIA_SPIRV_WRITE_H

#include "base/bytes.h"
#include "graph/graph.h"

/* An input or output of the module. */
typedef struct mlia_spirv_port {
    uint32_t value;
    uint32_t binding; /* in descriptor set 0 */
} mlia_spirv_port;

/* Opcode of CALL for the custom operators of a domain. */
typedef struct mlia_spirv_domain {
    mlia_str name;
    int32_t opcode;
} mlia_spirv_domain;

typedef struct mlia_spirv_write_options {
    mlia_str entry_point;
    const uint32_t *operators; /* of the graph, in order of execution; constants among them are passed over */
    uint32_t operator_count;
    const mlia_spirv_port *inputs; /* values that are not made by `operators` nor constants */
    uint32_t input_count;
    const mlia_spirv_port *outputs; /* distinct values */
    uint32_t output_count;
    const uint32_t
        *graph_constants; /* by value: id of a graph constant, or MLIA_NONE for one that is written inline */
    bool replicated_composites; /* write constants of equal elements as OpConstantCompositeReplicateEXT */
    bool debug_info;            /* names of operators and tensors */
    mlia_str file; /* that an operator without a name is found in, by line and column; may be empty */
    const mlia_spirv_domain
        *domains; /* the last of a name counts; besides "opcode:N", which the reader gives */
    uint32_t domain_count;
} mlia_spirv_write_options;

/* Appends the module. Equal arguments give equal bytes. Errors: E_TOSA_UNSUPPORTED (an operator, type or rank
 * without instruction; names the operator and its label), E_TOSA_DATA, E_SPIRV_LIMIT, E_MEMORY. */
mlia_status *mlia_spirv_write(const mlia_graph *graph, const mlia_spirv_write_options *options,
                              mlia_buffer *module);

#endif
