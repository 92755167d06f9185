/* Resources of a VGF: what a value is in the table, and the order of the table. See layout_state.h. */
#include "convert/tosa_to_vgf/layout_state.h"

/* --- formats --- */

mlia_status *mlia_layout_note_uses(mlia_layout *out)
{
    const mlia_block *block = mlia_graph_main(out->graph);
    out->uses = MLIA_NEW_ARRAY(out->arena, uint8_t, out->graph->value_count);
    MLIA_TRY_ALLOC(out->uses);
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const mlia_operator *op = &out->graph->operators[block->operators[i]];
        bool rescale = op->op == MLIA_OP_RESCALE;
        for (uint32_t k = 0; k < op->input_count; k++) {
            bool is_unsigned = rescale && k == 0 && op->attributes->input_unsigned;
            out->uses[op->inputs[k]] |= is_unsigned ? MLIA_USE_READ_UNSIGNED : MLIA_USE_READ_OTHERWISE;
        }
        if (rescale && op->attributes->output_unsigned)
            out->uses[op->outputs[0]] |= MLIA_USE_MADE_UNSIGNED;
        if ((op->op == MLIA_OP_CONV2D || op->op == MLIA_OP_TRANSPOSE_CONV2D) && op->input_count > 1)
            out->uses[op->inputs[1]] |= MLIA_USE_AS_WEIGHT;
    }
    return NULL;
}

static bool has_unsigned_format(const mlia_layout *out, uint32_t value)
{
    uint8_t use = out->uses[value];
    if (out->graph->values[value].constant != NULL)
        return use == MLIA_USE_READ_UNSIGNED;
    if (out->partitions->is_model_input[value])
        return (use & MLIA_USE_READ_UNSIGNED) != 0;
    return out->partitions->is_model_output[value] && (use & MLIA_USE_MADE_UNSIGNED) != 0;
}

mlia_status *mlia_layout_describe(const mlia_layout *out, uint32_t index, mlia_vgf_category category,
                                  mlia_vgf_resource *resource)
{
    const mlia_graph_value *value = &out->graph->values[index];
    uint32_t format = mlia_vgf_format_number(value->type, has_unsigned_format(out, index));
    if (format == 0)
        format = mlia_vgf_format_number(value->type, false);
    if (format == 0 || value->unranked) {
        mlia_status *status =
            mlia_error(MLIA_E_TOSA_UNSUPPORTED, "tensor" MLIA_NAME " of type %.*s%s cannot be in a VGF",
                       MLIA_NAME_ARG(value->name), MLIA_STR_ARG(mlia_type_describe(value->type)->name),
                       value->unranked ? " without rank" : "");
        return value->producer == MLIA_NONE
                   ? status
                   : mlia_status_of_operator(status, out->graph, &out->graph->operators[value->producer]);
    }
    *resource = (mlia_vgf_resource){
        .descriptor_type = category == MLIA_VGF_CONSTANT ? MLIA_VGF_UNSET : MLIA_VGF_DESCRIPTOR_TENSOR,
        .format = format,
        .category = category,
        .alias_group = MLIA_VGF_UNSET,
        .rank = value->rank,
        .dims = value->dims,
    };
    return NULL;
}

/* --- resources --- */

static bool same_resource(const mlia_vgf_resource *a, const mlia_vgf_resource *b)
{
    return a->category == b->category && a->descriptor_type == b->descriptor_type && a->format == b->format &&
           a->has_sampler == b->has_sampler && memcmp(a->sampler, b->sampler, sizeof a->sampler) == 0;
}

/* Entry for a value in a category, as a tensor or as a shader's port says. */
static mlia_status *add_entry(mlia_layout *out, uint32_t value, mlia_vgf_category category,
                              const mlia_shader_port *port, uint32_t *index)
{
    mlia_vgf_resource resource;
    MLIA_TRY(mlia_layout_describe(out, value, category, &resource));
    if (port != NULL) {
        resource.descriptor_type = port->descriptor_type;
        resource.format = port->format;
        resource.has_sampler = port->has_sampler;
        memcpy(resource.sampler, port->sampler, sizeof port->sampler);
    }
    uint32_t *link = &out->first_entry[value];
    while (*link != MLIA_NONE) {
        if (same_resource(&out->entries[*link].resource, &resource)) {
            *index = *link;
            return NULL;
        }
        link = &out->entries[*link].next;
    }
    size_t place = out->entry_count;
    *link = (uint32_t)place; /* before the array can move */
    if (!MLIA_RESERVE(out->arena, out->entries, out->entry_count, out->entry_capacity))
        return mlia_error_memory();
    out->entries[out->entry_count++] = (mlia_layout_entry){value, resource, MLIA_NONE, MLIA_NONE};
    *index = (uint32_t)place;
    return NULL;
}

static mlia_vgf_category input_category(const mlia_layout *out, uint32_t value)
{
    return out->partitions->is_model_input[value] ? MLIA_VGF_INPUT : MLIA_VGF_INTERMEDIATE;
}

static mlia_vgf_category output_category(const mlia_layout *out, uint32_t value)
{
    return out->partitions->is_model_output[value] ? MLIA_VGF_OUTPUT : MLIA_VGF_INTERMEDIATE;
}

/* Position of a value among the operands or results of a shader: its port. */
static const mlia_shader_port *port_of(const mlia_layout *out, uint32_t partition, uint32_t value,
                                       bool is_input)
{
    const mlia_partition *part = &out->partitions->items[partition];
    if (!part->is_shader)
        return NULL;
    const mlia_operator *op = &out->graph->operators[part->operators[0]];
    uint32_t count = is_input ? op->input_count : op->output_count;
    const uint32_t *values = is_input ? op->inputs : op->outputs;
    for (uint32_t i = 0; i < count; i++)
        if (values[i] == value)
            return is_input ? &out->shaders[partition].inputs[i] : &out->shaders[partition].outputs[i];
    return NULL;
}

/* Inputs in the form in which the first partition that reads them has them. */
static mlia_status *add_model_inputs(mlia_layout *out)
{
    const mlia_block *block = mlia_graph_main(out->graph);
    uint32_t index;
    uint32_t *reader = MLIA_NEW_ARRAY(out->arena, uint32_t, out->graph->value_count);
    MLIA_TRY_ALLOC(reader);
    memset(reader, 0xFF, out->graph->value_count * sizeof *reader);
    for (uint32_t p = out->partitions->count; p-- > 0;)
        for (uint32_t i = 0; i < out->partitions->items[p].input_count; i++)
            reader[out->partitions->items[p].inputs[i]] = p;
    out->model_inputs = MLIA_NEW_ARRAY(out->arena, uint32_t, block->input_count);
    MLIA_TRY_ALLOC(out->model_inputs);
    for (uint32_t i = 0; i < block->input_count; i++) {
        uint32_t value = block->inputs[i];
        if (reader[value] == MLIA_NONE && !out->partitions->is_model_output[value])
            continue; /* only of a graph that is split */
        const mlia_shader_port *port =
            reader[value] == MLIA_NONE ? NULL : port_of(out, reader[value], value, true);
        MLIA_TRY(add_entry(out, value, MLIA_VGF_INPUT, port, &index));
        out->model_inputs[out->model_input_count++] = value;
    }
    return NULL;
}

static mlia_status *add_model_outputs(mlia_layout *out)
{
    const mlia_block *block = mlia_graph_main(out->graph);
    uint32_t index;
    for (uint32_t i = 0; i < block->output_count; i++) {
        uint32_t value = block->outputs[i];
        uint32_t p = out->partitions->of_value[value];
        const mlia_shader_port *port = p == MLIA_NONE ? NULL : port_of(out, p, value, false);
        MLIA_TRY(add_entry(out, value, MLIA_VGF_OUTPUT, port, &index));
    }
    return NULL;
}

static mlia_status *add_segment_entries(mlia_layout *out, uint32_t p)
{
    const mlia_partition *part = &out->partitions->items[p];
    uint32_t index;
    for (uint32_t i = 0; i < part->input_count; i++)
        MLIA_TRY(add_entry(out, part->inputs[i], input_category(out, part->inputs[i]),
                           port_of(out, p, part->inputs[i], true), &index));
    for (uint32_t i = 0; i < part->output_count; i++)
        MLIA_TRY(add_entry(out, part->outputs[i], output_category(out, part->outputs[i]),
                           port_of(out, p, part->outputs[i], false), &index));
    return NULL;
}

/* The table: constants, inputs, intermediates, outputs, each in order of first use. Entries of one value
 * share memory. */
static mlia_status *number_resources(mlia_layout *out)
{
    static const mlia_vgf_category order[] = {MLIA_VGF_INPUT, MLIA_VGF_INTERMEDIATE, MLIA_VGF_OUTPUT};
    mlia_vgf *vgf = out->vgf;
    size_t total = vgf->constant_count + out->entry_count;
    mlia_vgf_resource *resources = MLIA_NEW_ARRAY(out->arena, mlia_vgf_resource, total);
    MLIA_TRY_ALLOC(resources);
    if (vgf->resource_count > 0)
        memcpy(resources, vgf->resources, vgf->resource_count * sizeof *resources); /* of the constants */
    vgf->resources = resources;
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++)
        for (size_t i = 0; i < out->entry_count; i++)
            if (out->entries[i].resource.category == (uint32_t)order[k]) {
                out->entries[i].index = vgf->resource_count;
                resources[vgf->resource_count++] = out->entries[i].resource;
            }
    uint32_t groups = 0;
    uint32_t *group = MLIA_NEW_ARRAY(out->arena, uint32_t, out->graph->value_count);
    MLIA_TRY_ALLOC(group);
    memset(group, 0xFF, out->graph->value_count * sizeof *group);
    uint32_t *value_at = MLIA_NEW_ARRAY(out->arena, uint32_t, total);
    MLIA_TRY_ALLOC(value_at);
    for (size_t i = 0; i < out->entry_count; i++)
        value_at[out->entries[i].index] = out->entries[i].value;
    for (uint32_t i = vgf->constant_count; i < vgf->resource_count; i++) {
        uint32_t value = value_at[i];
        if (out->entries[out->first_entry[value]].next == MLIA_NONE)
            continue;
        if (group[value] == MLIA_NONE)
            group[value] = groups++;
        resources[i].alias_group = group[value];
    }
    return NULL;
}

mlia_status *mlia_layout_add_resources(mlia_layout *out)
{
    MLIA_TRY(add_model_inputs(out));
    MLIA_TRY(add_model_outputs(out));
    for (uint32_t p = 0; p < out->partitions->count; p++)
        MLIA_TRY(add_segment_entries(out, p));
    return number_resources(out);
}

mlia_status *mlia_layout_find_resource(mlia_layout *out, uint32_t p, uint32_t value, bool is_input,
                                       uint32_t *index)
{
    uint32_t place = 0; /* the entry exists */
    mlia_vgf_category category = is_input ? input_category(out, value) : output_category(out, value);
    MLIA_TRY(add_entry(out, value, category, port_of(out, p, value, is_input), &place));
    *index = out->entries[place].index;
    return NULL;
}
