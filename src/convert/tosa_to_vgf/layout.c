/* Lays out the container; see layout.h. Rules: docs/formats/vgf.md. */
#include "convert/tosa_to_vgf/layout.h"

#include <stdlib.h>

#include "base/map.h"
#include "convert/tosa_to_vgf/shader.h"
#include "convert/tosa_to_vgf/sparsity.h"
#include "graph/encode.h"

enum { INLINE_LIMIT = 16 }; /* elements of a constant that is written into the module */

/* One use of a value as a resource; equal uses share it. */
typedef struct entry {
    uint32_t value;
    mlia_vgf_resource resource;
    uint32_t next;  /* of the same value, or MLIA_NONE */
    uint32_t index; /* in the table of resources, once that is known */
} entry;

typedef struct layout {
    const mlia_graph *graph;
    const mlia_partitions *partitions;
    const mlia_tosa_to_vgf_options *options;
    mlia_arena *arena;
    mlia_buffer *code;
    mlia_vgf *vgf;
    mlia_shader *shaders; /* by partition */
    entry *entries;
    size_t entry_count;
    size_t entry_capacity;
    uint32_t *first_entry;     /* by value */
    uint32_t *graph_constants; /* by value: id in the partition at hand */
    uint8_t *unsigned_use; /* by value: read (1) or made (2) by a RESCALE as unsigned, read otherwise (4) */
    uint8_t *weight_of;    /* by value: 1 when a CONV2D or TRANSPOSE_CONV2D has it as weight */
    size_t constant_capacity;
    uint32_t *model_inputs; /* values; a graph that is split does without those that nobody reads */
    uint32_t model_input_count;
} layout;

enum { READ_UNSIGNED = 1, MADE_UNSIGNED = 2, READ_OTHERWISE = 4 };

/* --- formats --- */

static void note_uses(layout *out)
{
    const mlia_block *block = mlia_graph_main(out->graph);
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const mlia_operator *op = &out->graph->operators[block->operators[i]];
        bool rescale = op->op == MLIA_OP_RESCALE;
        for (uint32_t k = 0; k < op->input_count; k++) {
            bool is_unsigned = rescale && k == 0 && op->attributes->input_unsigned;
            out->unsigned_use[op->inputs[k]] |= is_unsigned ? READ_UNSIGNED : READ_OTHERWISE;
        }
        if (rescale && op->attributes->output_unsigned)
            out->unsigned_use[op->outputs[0]] |= MADE_UNSIGNED;
        if ((op->op == MLIA_OP_CONV2D || op->op == MLIA_OP_TRANSPOSE_CONV2D) && op->input_count > 1)
            out->weight_of[op->inputs[1]] = 1;
    }
}

static bool has_unsigned_format(const layout *out, uint32_t value)
{
    uint8_t use = out->unsigned_use[value];
    if (out->graph->values[value].constant != NULL)
        return use == READ_UNSIGNED;
    if (out->partitions->is_model_input[value])
        return (use & READ_UNSIGNED) != 0;
    return out->partitions->is_model_output[value] && (use & MADE_UNSIGNED) != 0;
}

static mlia_status *describe(const layout *out, uint32_t index, mlia_vgf_category category,
                             mlia_vgf_resource *resource)
{
    const mlia_graph_value *value = &out->graph->values[index];
    uint32_t format = mlia_vgf_format_number(value->type, has_unsigned_format(out, index));
    if (format == 0)
        format = mlia_vgf_format_number(value->type, false);
    if (format == 0 || value->unranked)
        return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "tensor '%.*s' of type %.*s cannot be in a VGF",
                          MLIA_STR_ARG(value->name), MLIA_STR_ARG(mlia_type_describe(value->type)->name));
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
static mlia_status *add_entry(layout *out, uint32_t value, mlia_vgf_category category,
                              const mlia_shader_port *port, uint32_t *index)
{
    mlia_vgf_resource resource;
    MLIA_TRY(describe(out, value, category, &resource));
    if (port != NULL) {
        resource.descriptor_type = port->descriptor_type;
        resource.format = port->format;
        resource.has_sampler = port->has_sampler;
        memcpy(resource.sampler, port->sampler, sizeof port->sampler);
    }
    uint32_t *link = &out->first_entry[value];
    while (out->entries != NULL && *link != MLIA_NONE) {
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
    out->entries[out->entry_count++] = (entry){value, resource, MLIA_NONE, MLIA_NONE};
    *index = (uint32_t)place;
    return NULL;
}

static mlia_vgf_category input_category(const layout *out, uint32_t value)
{
    return out->partitions->is_model_input[value] ? MLIA_VGF_INPUT : MLIA_VGF_INTERMEDIATE;
}

static mlia_vgf_category output_category(const layout *out, uint32_t value)
{
    return out->partitions->is_model_output[value] ? MLIA_VGF_OUTPUT : MLIA_VGF_INTERMEDIATE;
}

/* Position of a value among the operands or results of a shader: its port. */
static const mlia_shader_port *port_of(const layout *out, uint32_t partition, uint32_t value, bool is_input)
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
static mlia_status *add_model_inputs(layout *out)
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

static mlia_status *add_model_outputs(layout *out)
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

static mlia_status *add_segment_entries(layout *out, uint32_t p)
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
static mlia_status *number_resources(layout *out)
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

/* --- constants --- */

/* True is stored as FF. */
static mlia_status *write_bools(layout *out, mlia_bytes *bytes)
{
    uint8_t *copy = MLIA_NEW_ARRAY(out->arena, uint8_t, bytes->size);
    MLIA_TRY_ALLOC(copy);
    for (size_t i = 0; i < bytes->size; i++)
        copy[i] = bytes->data[i] != 0 ? 0xFF : 0;
    bytes->data = copy;
    return NULL;
}

static mlia_status *add_constant(layout *out, uint32_t value)
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
    MLIA_TRY(mlia_constant_encode(&out->graph->values[value], MLIA_ENCODING_BYTES, out->arena, &bytes));
    if (out->graph->values[value].type == MLIA_TYPE_BOOL)
        MLIA_TRY(write_bools(out, &bytes));
    MLIA_TRY(describe(out, value, MLIA_VGF_CONSTANT, &vgf->resources[count]));
    vgf->constants[count] = (mlia_vgf_constant){
        (uint32_t)count, out->weight_of[value] ? mlia_weight_sparsity(&out->graph->values[value], bytes) : -1,
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
static bool is_graph_constant(const layout *out, uint32_t value)
{
    uint64_t elements = 0;
    return out->graph->values[value].constant != NULL &&
           mlia_value_elements(&out->graph->values[value], &elements) && elements > INLINE_LIMIT;
}

/* Graph constants of a partition in the order of the block; a constant that two partitions use is there
 * twice. */
static mlia_status *add_constants(layout *out, uint32_t p, mlia_vgf_segment *segment)
{
    const mlia_partition *part = &out->partitions->items[p];
    uint64_t *list =
        NULL; /* producer << 32 | value: constants stand in the block in the order of their operators */
    size_t count = 0;
    size_t capacity = 0;
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

/* --- modules and segments --- */

static mlia_status *write_module(layout *out, uint32_t p, mlia_vgf_module *module)
{
    const mlia_partition *part = &out->partitions->items[p];
    mlia_spirv_port *inputs = MLIA_NEW_ARRAY(out->arena, mlia_spirv_port, part->input_count);
    mlia_spirv_port *outputs = MLIA_NEW_ARRAY(out->arena, mlia_spirv_port, part->output_count);
    MLIA_TRY_ALLOC(inputs);
    MLIA_TRY_ALLOC(outputs);
    for (uint32_t i = 0; i < part->input_count; i++)
        inputs[i] = (mlia_spirv_port){part->arguments[i], out->partitions->bindings[part->arguments[i]]};
    for (uint32_t i = 0; i < part->output_count; i++)
        outputs[i] = (mlia_spirv_port){part->outputs[i], out->partitions->bindings[part->outputs[i]]};
    mlia_spirv_write_options options = {
        .entry_point = module->entry_point,
        .operators = part->operators,
        .operator_count = part->operator_count,
        .inputs = inputs,
        .input_count = part->input_count,
        .outputs = outputs,
        .output_count = part->output_count,
        .graph_constants = out->graph_constants,
        .replicated_composites = !out->options->no_replicated_composites,
        .debug_info = !out->options->no_debug_info,
        .domains = out->options->domains,
        .domain_count = out->options->domain_count,
    };
    MLIA_TRY(mlia_spirv_write(out->graph, &options, &out->code[p]));
    module->code_type = MLIA_VGF_CODE_SPIRV;
    module->code = mlia_buffer_bytes(&out->code[p]);
    return NULL;
}

static mlia_status *build_module(layout *out, uint32_t p, mlia_vgf_module *module, mlia_vgf_segment *segment)
{
    const mlia_partition *part = &out->partitions->items[p];
    module->name = mlia_arena_format(out->arena, "graph_partition_%u", p);
    MLIA_TRY_ALLOC(module->name.data);
    module->entry_point = module->name;
    module->type = part->is_shader ? MLIA_VGF_COMPUTE : MLIA_VGF_GRAPH;
    if (part->is_shader) {
        module->entry_point = out->shaders[p].entry_point;
        module->code_type = out->shaders[p].code_type;
        module->code = out->shaders[p].code;
        return NULL;
    }
    memset(out->graph_constants, 0xFF, out->graph->value_count * sizeof *out->graph_constants);
    MLIA_TRY(add_constants(out, p, segment));
    return write_module(out, p, module);
}

/* Index of the resource for a value of a segment; the entry exists. */
static mlia_status *resource_of(layout *out, uint32_t p, uint32_t value, bool is_input, uint32_t *resource)
{
    uint32_t index = 0;
    mlia_vgf_category category = is_input ? input_category(out, value) : output_category(out, value);
    MLIA_TRY(add_entry(out, value, category, port_of(out, p, value, is_input), &index));
    *resource = out->entries[index].index;
    return NULL;
}

static mlia_status *new_slots(layout *out, uint32_t count, mlia_vgf_slots *slots)
{
    slots->items = MLIA_NEW_ARRAY(out->arena, mlia_vgf_slot, count);
    return slots->items == NULL ? mlia_error_memory() : NULL;
}

static mlia_status *add_slot(layout *out, uint32_t p, uint32_t value, bool is_input, mlia_vgf_slots *slots)
{
    uint32_t resource = 0;
    MLIA_TRY(resource_of(out, p, value, is_input, &resource));
    slots->items[slots->count++] = (mlia_vgf_slot){out->partitions->bindings[value], resource};
    return NULL;
}

/* Inputs, and outputs that only other segments read. */
static mlia_status *add_inner_slots(layout *out, uint32_t p, uint32_t returned, mlia_vgf_segment *segment)
{
    const mlia_partition *part = &out->partitions->items[p];
    MLIA_TRY(new_slots(out, part->input_count, &segment->inputs));
    MLIA_TRY(new_slots(out, part->output_count + returned, &segment->outputs));
    for (uint32_t i = 0; i < part->input_count; i++)
        MLIA_TRY(add_slot(out, p, part->inputs[i], true, &segment->inputs));
    for (uint32_t i = 0; i < part->output_count; i++)
        if (!out->partitions->is_model_output[part->outputs[i]])
            MLIA_TRY(add_slot(out, p, part->outputs[i], false, &segment->outputs));
    return NULL;
}

/* Segment that puts out a model output; MLIA_NONE for an input that is returned. */
static uint32_t segment_of(const layout *out, uint32_t value)
{
    uint32_t p = out->partitions->of_value[value];
    return p == MLIA_NONE && !out->partitions->is_model_input[value] ? 0 : p;
}

/* Slots of all segments. A value that the model returns twice is listed twice. */
static mlia_status *add_slots(layout *out)
{
    const mlia_block *block = mlia_graph_main(out->graph);
    mlia_vgf *vgf = out->vgf;
    uint32_t *returned = MLIA_NEW_ARRAY(out->arena, uint32_t, vgf->segment_count);
    MLIA_TRY_ALLOC(returned);
    for (uint32_t i = 0; i < block->output_count; i++)
        if (segment_of(out, block->outputs[i]) != MLIA_NONE)
            returned[segment_of(out, block->outputs[i])]++;
    for (uint32_t p = 0; p < vgf->segment_count; p++)
        MLIA_TRY(add_inner_slots(out, p, returned[p], &vgf->segments[p]));
    for (uint32_t i = 0; i < block->output_count; i++) {
        uint32_t p = segment_of(out, block->outputs[i]);
        if (p != MLIA_NONE)
            MLIA_TRY(add_slot(out, p, block->outputs[i], false, &vgf->segments[p].outputs));
    }
    return NULL;
}

/* A graph has one set: its inputs, then its outputs. */
static mlia_status *add_graph_set(layout *out, mlia_vgf_segment *segment)
{
    segment->set_count = 1;
    segment->sets = MLIA_NEW(out->arena, mlia_vgf_set);
    MLIA_TRY_ALLOC(segment->sets);
    mlia_vgf_slots *slots = &segment->sets[0].bindings;
    MLIA_TRY(new_slots(out, segment->inputs.count + segment->outputs.count, slots));
    slots->count = segment->inputs.count + segment->outputs.count;
    if (segment->inputs.count > 0)
        memcpy(slots->items, segment->inputs.items, segment->inputs.count * sizeof *slots->items);
    if (segment->outputs.count > 0)
        memcpy(slots->items + segment->inputs.count, segment->outputs.items,
               segment->outputs.count * sizeof *slots->items);
    return NULL;
}

/* The set of a shader with number `index`, in ascending order. */
static mlia_status *find_set(layout *out, mlia_vgf_segment *segment, uint32_t index, uint32_t port_count,
                             mlia_vgf_set **set)
{
    uint32_t place = 0;
    while (place < segment->set_count && segment->sets[place].index < index)
        place++;
    *set = &segment->sets[place];
    if (place < segment->set_count && (*set)->index == index)
        return NULL;
    memmove(*set + 1, *set, (segment->set_count - place) * sizeof **set);
    segment->set_count++;
    **set = (mlia_vgf_set){.index = index};
    return new_slots(out, port_count, &(*set)->bindings);
}

enum { SET_LIMIT = 32 }; /* Vulkan devices allow no more */

static mlia_status *add_shader_sets(layout *out, uint32_t p, mlia_vgf_segment *segment)
{
    const mlia_operator *op = &out->graph->operators[out->partitions->items[p].operators[0]];
    uint32_t count = op->input_count + op->output_count;
    segment->sets = MLIA_NEW_ARRAY(out->arena, mlia_vgf_set, SET_LIMIT + 1);
    MLIA_TRY_ALLOC(segment->sets);
    for (uint32_t i = 0; i < count; i++) {
        bool is_input = i < op->input_count;
        uint32_t position = is_input ? i : i - op->input_count;
        const mlia_shader_port *port =
            is_input ? &out->shaders[p].inputs[position] : &out->shaders[p].outputs[position];
        uint32_t value = is_input ? op->inputs[position] : op->outputs[position];
        if (!is_input && out->partitions->bindings[value] == MLIA_NONE)
            continue; /* a result that nobody reads */
        mlia_vgf_set *set = NULL;
        MLIA_TRY(find_set(out, segment, port->descriptor_set, count, &set));
        if (segment->set_count > SET_LIMIT)
            return mlia_error(MLIA_E_TOSA_ATTRIBUTE, "a shader with more than %d descriptor sets", SET_LIMIT);
        uint32_t resource = 0;
        MLIA_TRY(resource_of(out, p, value, is_input, &resource));
        set->bindings.items[set->bindings.count++] = (mlia_vgf_slot){port->binding, resource};
    }
    return NULL;
}

static mlia_status *add_segments(layout *out)
{
    mlia_vgf *vgf = out->vgf;
    uint32_t graphs = 0;
    uint32_t shaders = 0;
    MLIA_TRY(add_slots(out));
    for (uint32_t p = 0; p < vgf->segment_count; p++) {
        mlia_vgf_segment *segment = &vgf->segments[p];
        bool is_shader = out->partitions->items[p].is_shader;
        segment->type = is_shader ? MLIA_VGF_COMPUTE : MLIA_VGF_GRAPH;
        segment->module = p;
        segment->has_dispatch_shape = true;
        segment->name = is_shader ? mlia_arena_format(out->arena, "compute_segment_%u", shaders++)
                                  : mlia_arena_format(out->arena, "graph_segment_%u", graphs++);
        MLIA_TRY_ALLOC(segment->name.data);
        if (is_shader)
            memcpy(segment->dispatch_shape, out->shaders[p].groups, sizeof segment->dispatch_shape);
        MLIA_TRY(is_shader ? add_shader_sets(out, p, segment) : add_graph_set(out, segment));
    }
    return NULL;
}

/* --- the model's own slots --- */

/* Names of the tensors when all have one and all differ, else input_0, input_1, … */
static mlia_status *name_slots(layout *out, const uint32_t *values, uint32_t count, const char *kind,
                               mlia_str **names)
{
    *names = MLIA_NEW_ARRAY(out->arena, mlia_str, count);
    MLIA_TRY_ALLOC(*names);
    mlia_map known = mlia_map_in(out->arena);
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        (*names)[i] = out->graph->values[values[i]].name;
        bool is_new = false;
        good =
            (*names)[i].size > 0 && mlia_utf8_valid((*names)[i]) && mlia_str_find((*names)[i], 0) == SIZE_MAX;
        if (good && mlia_map_insert(&known, (*names)[i], 0, &is_new) == NULL)
            return mlia_error_memory();
        good = good && is_new;
    }
    for (uint32_t i = 0; i < count && !good; i++) {
        (*names)[i] = mlia_arena_format(out->arena, "%s_%u", kind, i);
        MLIA_TRY_ALLOC((*names)[i].data);
    }
    return NULL;
}

static mlia_status *add_model_slots(layout *out)
{
    const mlia_block *block = mlia_graph_main(out->graph);
    mlia_vgf *vgf = out->vgf;
    MLIA_TRY(new_slots(out, out->model_input_count, &vgf->inputs));
    MLIA_TRY(new_slots(out, block->output_count, &vgf->outputs));
    for (uint32_t i = 0; i < out->model_input_count; i++) {
        uint32_t value = out->model_inputs[i];
        vgf->inputs.items[vgf->inputs.count++] =
            (mlia_vgf_slot){out->partitions->bindings[value], out->entries[out->first_entry[value]].index};
    }
    for (uint32_t i = 0; i < block->output_count; i++) {
        uint32_t value = block->outputs[i];
        uint32_t index = out->first_entry[value];
        while (out->entries[index].resource.category != MLIA_VGF_OUTPUT)
            index = out->entries[index].next;
        vgf->outputs.items[vgf->outputs.count++] =
            (mlia_vgf_slot){out->partitions->bindings[value], out->entries[index].index};
    }
    MLIA_TRY(name_slots(out, out->model_inputs, out->model_input_count, "input", &vgf->input_names));
    return name_slots(out, block->outputs, block->output_count, "output", &vgf->output_names);
}

static mlia_status *prepare(layout *out)
{
    uint32_t values = out->graph->value_count;
    out->first_entry = MLIA_NEW_ARRAY(out->arena, uint32_t, values);
    out->graph_constants = MLIA_NEW_ARRAY(out->arena, uint32_t, values);
    out->unsigned_use = MLIA_NEW_ARRAY(out->arena, uint8_t, values);
    out->weight_of = MLIA_NEW_ARRAY(out->arena, uint8_t, values);
    out->shaders = MLIA_NEW_ARRAY(out->arena, mlia_shader, out->partitions->count);
    out->vgf->modules = MLIA_NEW_ARRAY(out->arena, mlia_vgf_module, out->partitions->count);
    out->vgf->segments = MLIA_NEW_ARRAY(out->arena, mlia_vgf_segment, out->partitions->count);
    MLIA_TRY_ALLOC(out->first_entry);
    MLIA_TRY_ALLOC(out->graph_constants);
    MLIA_TRY_ALLOC(out->unsigned_use);
    MLIA_TRY_ALLOC(out->weight_of);
    MLIA_TRY_ALLOC(out->shaders);
    MLIA_TRY_ALLOC(out->vgf->modules);
    MLIA_TRY_ALLOC(out->vgf->segments);
    memset(out->first_entry, 0xFF, values * sizeof *out->first_entry);
    out->vgf->module_count = out->vgf->segment_count = out->partitions->count;
    note_uses(out);
    for (uint32_t p = 0; p < out->partitions->count; p++) {
        const mlia_partition *part = &out->partitions->items[p];
        if (part->is_shader)
            MLIA_TRY(
                mlia_shader_parse(&out->graph->operators[part->operators[0]], out->arena, &out->shaders[p]));
    }
    return NULL;
}

mlia_status *mlia_vgf_layout(const mlia_graph *graph, const mlia_partitions *partitions,
                             const mlia_tosa_to_vgf_options *options, mlia_arena *arena, mlia_buffer *code,
                             mlia_vgf *vgf)
{
    layout out = {.graph = graph,
                  .partitions = partitions,
                  .options = options,
                  .arena = arena,
                  .code = code,
                  .vgf = vgf};
    *vgf = (mlia_vgf){.version = {0, 5, 0}};
    MLIA_TRY(prepare(&out));
    for (uint32_t p = 0; p < partitions->count; p++)
        MLIA_TRY(build_module(&out, p, &vgf->modules[p], &vgf->segments[p]));
    MLIA_TRY(add_model_inputs(&out));
    MLIA_TRY(add_model_outputs(&out));
    for (uint32_t p = 0; p < partitions->count; p++)
        MLIA_TRY(add_segment_entries(&out, p));
    MLIA_TRY(number_resources(&out));
    MLIA_TRY(add_segments(&out));
    return add_model_slots(&out);
}
