/* Constants of a VGF: their data, and which segment uses them. See layout_state.h. */
#include <stdlib.h>

#include "convert/tosa_to_vgf/layout_state.h"
#include "convert/tosa_to_vgf/sparsity.h"
#include "graph/encode.h"

enum { INLINE_LIMIT = 16 }; /* elements of a constant that is written into the module */

/* True is stored as FF. */
static mlia_status *write_bools(mlia_layout *out, mlia_bytes *bytes)
{
    uint8_t *copy = MLIA_NEW_ARRAY(out->data, uint8_t, bytes->size);
    MLIA_TRY_ALLOC(copy);
    for (size_t i = 0; i < bytes->size; i++)
        copy[i] = bytes->data[i] != 0 ? 0xFF : 0;
    bytes->data = copy;
    return NULL;
}

static mlia_status *add_constant(mlia_layout *out, uint32_t value)
{
    mlia_vgf *vgf = out->vgf;
    size_t count = vgf->constant_count;
    size_t capacity = out->constant_capacity;
    if (!MLIA_RESERVE(out->arena, vgf->constants, count, capacity))
        return mlia_error_memory();
    if (!MLIA_RESERVE(out->arena, vgf->resources, count, out->constant_capacity))
        return mlia_error_memory();
    out->constant_capacity = capacity;
    mlia_bytes bytes = {NULL, 0};
    MLIA_TRY(mlia_constant_encode(&out->graph->values[value], MLIA_ENCODING_BYTES, out->data, &bytes));
    if (out->graph->values[value].type == MLIA_TYPE_BOOL)
        MLIA_TRY(write_bools(out, &bytes));
    MLIA_TRY(mlia_layout_describe(out, value, MLIA_VGF_CONSTANT, &vgf->resources[count]));
    vgf->constants[count] = (mlia_vgf_constant){(uint32_t)count,
                                                (out->uses[value] & MLIA_USE_AS_WEIGHT) != 0
                                                    ? mlia_weight_sparsity(&out->graph->values[value], bytes)
                                                    : -1,
                                                bytes};
    out->graph_constants[value] = (uint32_t)count;
    vgf->constant_count = vgf->resource_count = (uint32_t)(count + 1);
    return NULL;
}

static int compare_u64(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* True for a constant tensor that is too large to be written into the module. */
static bool is_graph_constant(const mlia_layout *out, uint32_t value)
{
    uint64_t elements = 0;
    return out->graph->values[value].constant != NULL &&
           mlia_value_elements(&out->graph->values[value], &elements) && elements > INLINE_LIMIT;
}

/* In the order of the block. */
mlia_status *mlia_layout_add_constants(mlia_layout *out, uint32_t p, mlia_vgf_segment *segment)
{
    const mlia_partition *part = &out->partitions->items[p];
    uint64_t *list =
        NULL; /* producer << 32 | value: constants stand in the block in the order of their operators */
    size_t count = 0;
    size_t capacity = 0;
    memset(out->graph_constants, 0xFF, out->graph->value_count * sizeof *out->graph_constants);
    for (uint32_t i = 0; i <= part->operator_count; i++) {
        const mlia_operator *op =
            i < part->operator_count ? &out->graph->operators[part->operators[i]] : NULL;
        uint32_t value_count = op != NULL ? op->input_count : part->output_count;
        const uint32_t *values = op != NULL ? op->inputs : part->outputs;
        for (uint32_t k = 0; k < value_count; k++) {
            if (!is_graph_constant(out, values[k]))
                continue;
            if (!MLIA_RESERVE(out->arena, list, count, capacity))
                return mlia_error_memory();
            list[count++] = (uint64_t)out->graph->values[values[k]].producer << 32 | values[k];
        }
    }
    if (count > 1)
        qsort(list, count, sizeof *list, compare_u64);
    segment->constants = MLIA_NEW_ARRAY(out->arena, uint32_t, count);
    segment->bindings = MLIA_NEW_ARRAY(out->arena, mlia_vgf_constant_binding, count);
    MLIA_TRY_ALLOC(segment->constants);
    MLIA_TRY_ALLOC(segment->bindings);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && list[i] == list[i - 1])
            continue;
        uint32_t constant = out->vgf->constant_count;
        MLIA_TRY(add_constant(out, (uint32_t)list[i]));
        segment->constants[segment->constant_count++] = constant;
        segment->bindings[segment->binding_count++] = (mlia_vgf_constant_binding){constant, constant};
    }
    return NULL;
}
