/* What the files that lay out a VGF share: layout.c modules, segments and the model's slots, resources.c the
 * table of resources, constants.c the constants. */
#ifndef MLIA_TOSA_TO_VGF_LAYOUT_STATE_H
#define MLIA_TOSA_TO_VGF_LAYOUT_STATE_H

#include "convert/tosa_to_vgf/layout.h"
#include "convert/tosa_to_vgf/shader.h"

/* One use of a value as a resource; equal uses share it. */
typedef struct mlia_layout_entry {
    uint32_t value;
    mlia_vgf_resource resource;
    uint32_t next;  /* of the same value, or MLIA_NONE */
    uint32_t index; /* in the table of resources, once that is known */
} mlia_layout_entry;

/* What operators do with a value. */
typedef enum mlia_layout_use {
    MLIA_USE_READ_UNSIGNED = 1, /* by a RESCALE */
    MLIA_USE_MADE_UNSIGNED = 2,
    MLIA_USE_READ_OTHERWISE = 4,
    MLIA_USE_AS_WEIGHT = 8, /* of a CONV2D or TRANSPOSE_CONV2D */
} mlia_layout_use;

typedef struct mlia_layout {
    const mlia_graph *graph;
    const mlia_partitions *partitions;
    const mlia_tosa_to_vgf_options *options;
    mlia_arena *data; /* of constants that are not views of the graph's */
    mlia_arena *arena;
    mlia_buffer *code;
    mlia_vgf *vgf;
    mlia_shader *shaders; /* by partition */
    mlia_layout_entry *entries;
    size_t entry_count;
    size_t entry_capacity;
    uint32_t *first_entry;     /* by value */
    uint32_t *graph_constants; /* by value: id in the partition at hand */
    uint8_t *uses;             /* by value: bits of mlia_layout_use */
    size_t constant_capacity;
    uint32_t *model_inputs; /* values; a graph that is split does without those that nobody reads */
    uint32_t model_input_count;
} mlia_layout;

/* --- resources.c --- */

/* Sets `uses`; comes first. */
mlia_status *mlia_layout_note_uses(mlia_layout *out);
/* Resource for a value as a tensor of its own format. E_TOSA_UNSUPPORTED for types that a VGF cannot hold. */
mlia_status *mlia_layout_describe(const mlia_layout *out, uint32_t value, mlia_vgf_category category,
                                  mlia_vgf_resource *resource);
/* Adds the model's inputs and outputs and all that segments exchange to the table of resources, which holds
 * those of the constants. Sets `model_inputs`. */
mlia_status *mlia_layout_add_resources(mlia_layout *out);
/* Index of the resource for an input or output of partition `p`, after mlia_layout_add_resources. */
mlia_status *mlia_layout_find_resource(mlia_layout *out, uint32_t p, uint32_t value, bool is_input,
                                       uint32_t *index);

/* --- constants.c --- */

/* Adds the constants of partition `p` that are too large to stand in its module, with their resources, and
 * sets `graph_constants`. A constant that two partitions use is there twice. */
mlia_status *mlia_layout_add_constants(mlia_layout *out, uint32_t p, mlia_vgf_segment *segment);

#endif
