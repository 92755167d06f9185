/* VGF files: the container of SPIR-V modules, resources, constants and the sequence in which segments run.
 * docs/formats/vgf.md describes the format.
 *
 * mlia_vgf_read checks the container and decodes its tables; what a table says is checked further only where
 * it is used (mlia_vgf_segment_graph), so that an odd file can still be shown. Code and constants are views
 * into the file. */
#ifndef MLIA_VGF_VGF_H
#define MLIA_VGF_VGF_H

#include "base/bytes.h"
#include "base/value.h"
#include "graph/graph.h"

#define MLIA_VGF_UNSET UINT32_MAX /* no descriptor type, no alias group, set at its own position */

typedef enum mlia_vgf_type { MLIA_VGF_COMPUTE = 0, MLIA_VGF_GRAPH = 1 } mlia_vgf_type;

typedef enum mlia_vgf_code {
    MLIA_VGF_CODE_NONE = 0,
    MLIA_VGF_CODE_SPIRV = 1,
    MLIA_VGF_CODE_GLSL = 2,
    MLIA_VGF_CODE_HLSL = 3,
} mlia_vgf_code;

typedef enum mlia_vgf_category {
    MLIA_VGF_INPUT = 0,
    MLIA_VGF_OUTPUT = 1,
    MLIA_VGF_INTERMEDIATE = 2,
    MLIA_VGF_CONSTANT = 3,
} mlia_vgf_category;

typedef struct mlia_vgf_module {
    uint32_t type; /* mlia_vgf_type as stored */
    mlia_str name;
    mlia_str entry_point;
    uint32_t code_type; /* mlia_vgf_code as stored */
    mlia_bytes code;    /* SPIR-V words or shader text; empty in a placeholder */
    uint64_t offset;    /* of the code in the file */
} mlia_vgf_module;

enum { MLIA_VGF_SAMPLER_FIELDS = 5 };

typedef struct mlia_vgf_resource {
    uint32_t descriptor_type; /* VkDescriptorType, or MLIA_VGF_UNSET */
    uint32_t format;          /* VkFormat */
    uint32_t category;        /* mlia_vgf_category as stored */
    uint32_t alias_group;     /* resources with the same number share memory; MLIA_VGF_UNSET: none */
    uint32_t rank;
    const int64_t *dims; /* as stored; negative = not known */
    uint32_t stride_count;
    const int64_t *strides; /* bytes */
    bool has_sampler;
    uint32_t sampler[MLIA_VGF_SAMPLER_FIELDS]; /* min and mag filter, address modes u and v, border colour */
} mlia_vgf_resource;

typedef struct mlia_vgf_slot {
    uint32_t binding;
    uint32_t resource; /* index */
} mlia_vgf_slot;

typedef struct mlia_vgf_slots {
    mlia_vgf_slot *items;
    uint32_t count;
} mlia_vgf_slots;

typedef struct mlia_vgf_set {
    uint32_t index; /* descriptor set number */
    mlia_vgf_slots bindings;
} mlia_vgf_set;

typedef struct mlia_vgf_push_constants {
    uint32_t stage_flags;
    uint32_t offset; /* bytes */
    uint32_t size;
} mlia_vgf_push_constants;

typedef struct mlia_vgf_constant_binding {
    uint32_t id;       /* graph constant id of the module */
    uint32_t constant; /* index */
} mlia_vgf_constant_binding;

typedef struct mlia_vgf_segment {
    uint32_t type; /* mlia_vgf_type as stored */
    mlia_str name;
    uint32_t module; /* index */
    mlia_vgf_set *sets;
    uint32_t set_count;
    mlia_vgf_slots inputs;
    mlia_vgf_slots outputs;
    uint32_t *constants; /* indexes */
    uint32_t constant_count;
    uint32_t dispatch_shape[3]; /* groups */
    bool has_dispatch_shape;
    mlia_vgf_push_constants *push_constants;
    uint32_t push_constant_count;
    mlia_vgf_constant_binding *bindings; /* filled in for files that have none: id n is constant n */
    uint32_t binding_count;
} mlia_vgf_segment;

typedef struct mlia_vgf_constant {
    uint32_t resource;          /* index */
    int32_t sparsity_dimension; /* 2:4 sparse along it; -1: not known to be sparse */
    mlia_bytes data;
} mlia_vgf_constant;

typedef struct mlia_vgf {
    uint32_t version[3];
    mlia_vgf_module *modules;
    uint32_t module_count;
    mlia_vgf_resource *resources;
    uint32_t resource_count;
    mlia_vgf_segment *segments;
    uint32_t segment_count;
    mlia_vgf_constant *constants;
    uint32_t constant_count;
    mlia_vgf_slots inputs; /* of the model */
    mlia_vgf_slots outputs;
    mlia_str *input_names; /* one per slot, or NULL */
    mlia_str *output_names;
} mlia_vgf;

/* Reads a container; `bytes` must outlive `vgf`, which lives in `arena`. Errors: E_VGF_SHORT, E_VGF_MAGIC,
 * E_VGF_VERSION, E_VGF_SECTION, E_VGF_TABLE, E_VGF_CONSTANTS, E_VGF_INDEX, E_VGF_LIMIT. Warnings:
 * W_VGF_OVERLAP, W_VGF_NAMES, W_VGF_CATEGORY, W_VGF_SPARSITY. */
mlia_status *mlia_vgf_read(mlia_bytes bytes, mlia_arena *arena, mlia_diagnostics *diagnostics,
                           mlia_vgf **vgf);

/* Reads the graph of segment `index` into `arena`, which may be another than the container's. Its sources are
 * named "segment_INDEX/spirv-ID". Errors: E_VGF_NO_GRAPH (a compute segment), E_VGF_SEGMENT, E_VGF_ENUM,
 * E_VGF_FORMAT, E_VGF_NO_CODE, E_VGF_DUPLICATE_BINDING, E_VGF_CONSTANT_BINDING, E_VGF_CONSTANT_SIZE, and
 * those of mlia_spirv_read. */
mlia_status *mlia_vgf_segment_graph(const mlia_vgf *vgf, uint32_t index, mlia_arena *arena,
                                    mlia_diagnostics *diagnostics, mlia_graph **graph);

/* Index of the first graph segment, or E_VGF_NO_GRAPH. */
mlia_status *mlia_vgf_first_graph(const mlia_vgf *vgf, uint32_t *index);

/* The container as a JSON object in the form that vgf_dump prints: header, modules, resources, constants,
 * model_sequence. Each constant also has its `size` in bytes. */
mlia_status *mlia_vgf_dump(const mlia_vgf *vgf, mlia_arena *arena, mlia_value **value);

/* Element types by VkFormat. */
typedef struct mlia_vgf_format {
    uint32_t number; /* VkFormat */
    mlia_type type;  /* 64-bit integers are INT48 */
    bool is_unsigned;
} mlia_vgf_format;

/* NULL when no tensor has the format. */
const mlia_vgf_format *mlia_vgf_format_of(uint32_t number);
/* VkFormat for elements of a graph type (INT4 as INT8, INT64 as INT48); 0 when there is none. */
uint32_t mlia_vgf_format_number(uint32_t type, bool is_unsigned);

enum { MLIA_VGF_DESCRIPTOR_TENSOR = 1000460000 }; /* VK_DESCRIPTOR_TYPE_TENSOR_ARM */

#endif
