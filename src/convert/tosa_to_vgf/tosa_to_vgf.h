/* TOSA graph → VGF file: simplification, type changes, segments, SPIR-V modules, container.
 * docs/formats/vgf.md. */
#ifndef MLIA_TOSA_TO_VGF_H
#define MLIA_TOSA_TO_VGF_H

#include "base/pieces.h"
#include "formats/spirv/write.h"
#include "graph/graph.h"

/* Computing float32 models in float16. */
typedef enum mlia_narrowing {
    MLIA_NARROWING_NONE,
    MLIA_NARROWING_FULL,             /* everything, also accumulators, inputs and outputs */
    MLIA_NARROWING_PARTIAL,          /* accumulators stay float32 */
    MLIA_NARROWING_FULL_PRESERVE_IO, /* inputs and outputs stay float32, with a CAST at each */
} mlia_narrowing;

typedef struct mlia_tosa_to_vgf_options {
    bool no_debug_info;            /* leave out the names of operators and tensors */
    bool no_replicated_composites; /* write constants of equal elements without
                                      VK_EXT_shader_replicated_composites */
    mlia_str file; /* name of the model's file: operators without a location are named by their line in it */
    mlia_narrowing narrowing;
    const mlia_spirv_domain *domains; /* opcodes of custom operators, by domain */
    uint32_t domain_count;
} mlia_tosa_to_vgf_options;

/* Appends a VGF of version 0.5.0 to `file`. `graph` is finished and stays as it is. Segments: one, or as
 * custom operators of the domain com.arm.VulkanCustomShader demand. Equal graphs and options give equal
 * bytes. Errors: E_TOSA_UNSUPPORTED (operator, type, rank or shape that a VGF cannot hold; names operator and
 * label), E_TOSA_ATTRIBUTE (shader description), E_SPIRV_LIMIT, E_LIMIT, E_MEMORY; in builds with sanitizers
 * E_INTERNAL (the result does not read back). Warning: W_VGF_SATURATED (an int64 constant did not fit int32).
 * `options` NULL = all defaults. */
mlia_status *mlia_tosa_to_vgf(const mlia_graph *graph, const mlia_tosa_to_vgf_options *options,
                              mlia_diagnostics *diagnostics, mlia_buffer *file);

/* The same with less memory: `graph` is changed and worth nothing afterwards, the file is made of pieces that
 * live in `arena` or are constants of the graph. */
mlia_status *mlia_tosa_to_vgf_pieces(mlia_graph *graph, const mlia_tosa_to_vgf_options *options,
                                     mlia_diagnostics *diagnostics, mlia_arena *arena, mlia_pieces *file);

#endif
