/* Lays out the container; see layout.h. Rules: docs/formats/vgf.md. */
#include "base/map.h"
#include "convert/tosa_to_vgf/layout_state.h"

/* --- modules and segments --- */

static mlia_status *write_module(mlia_layout *out, uint32_t p, mlia_vgf_module *module)
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
        .file = out->options->file,
        .domains = out->options->domains,
        .domain_count = out->options->domain_count,
    };
    MLIA_TRY(mlia_spirv_write(out->graph, &options, &out->code[p]));
    module->code_type = MLIA_VGF_CODE_SPIRV;
    module->code = mlia_buffer_bytes(&out->code[p]);
    return NULL;
}

static mlia_status *build_module(mlia_layout *out, uint32_t p, mlia_vgf_module *module,
                                 mlia_vgf_segment *segment)
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
    MLIA_TRY(mlia_layout_add_constants(out, p, segment));
    return write_module(out, p, module);
}

static mlia_status *new_slots(mlia_layout *out, uint32_t count, mlia_vgf_slots *slots)
{
    slots->items = MLIA_NEW_ARRAY(out->arena, mlia_vgf_slot, count);
    return slots->items == NULL ? mlia_error_memory() : NULL;
}

static mlia_status *add_slot(mlia_layout *out, uint32_t p, uint32_t value, bool is_input,
                             mlia_vgf_slots *slots)
{
    uint32_t resource = 0;
    MLIA_TRY(mlia_layout_find_resource(out, p, value, is_input, &resource));
    slots->items[slots->count++] = (mlia_vgf_slot){out->partitions->bindings[value], resource};
    return NULL;
}

/* Inputs, and outputs that only other segments read. */
static mlia_status *add_inner_slots(mlia_layout *out, uint32_t p, uint32_t returned,
                                    mlia_vgf_segment *segment)
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
static uint32_t segment_of(const mlia_layout *out, uint32_t value)
{
    uint32_t p = out->partitions->of_value[value];
    return p == MLIA_NONE && !out->partitions->is_model_input[value] ? 0 : p;
}

/* Slots of all segments. A value that the model returns twice is listed twice. */
static mlia_status *add_slots(mlia_layout *out)
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
static mlia_status *add_graph_set(mlia_layout *out, mlia_vgf_segment *segment)
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
static mlia_status *find_set(mlia_layout *out, mlia_vgf_segment *segment, uint32_t index, uint32_t port_count,
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

static mlia_status *add_shader_sets(mlia_layout *out, uint32_t p, mlia_vgf_segment *segment)
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
        MLIA_TRY(mlia_layout_find_resource(out, p, value, is_input, &resource));
        set->bindings.items[set->bindings.count++] = (mlia_vgf_slot){port->binding, resource};
    }
    return NULL;
}

static mlia_status *add_segments(mlia_layout *out)
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
static mlia_status *name_slots(mlia_layout *out, const uint32_t *values, uint32_t count, const char *kind,
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

static mlia_status *add_model_slots(mlia_layout *out)
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

static mlia_status *prepare(mlia_layout *out)
{
    uint32_t values = out->graph->value_count;
    out->first_entry = MLIA_NEW_ARRAY(out->arena, uint32_t, values);
    out->graph_constants = MLIA_NEW_ARRAY(out->arena, uint32_t, values);
    out->shaders = MLIA_NEW_ARRAY(out->arena, mlia_shader, out->partitions->count);
    out->vgf->modules = MLIA_NEW_ARRAY(out->arena, mlia_vgf_module, out->partitions->count);
    out->vgf->segments = MLIA_NEW_ARRAY(out->arena, mlia_vgf_segment, out->partitions->count);
    MLIA_TRY_ALLOC(out->first_entry);
    MLIA_TRY_ALLOC(out->graph_constants);
    MLIA_TRY_ALLOC(out->shaders);
    MLIA_TRY_ALLOC(out->vgf->modules);
    MLIA_TRY_ALLOC(out->vgf->segments);
    memset(out->first_entry, 0xFF, values * sizeof *out->first_entry);
    out->vgf->module_count = out->vgf->segment_count = out->partitions->count;
    MLIA_TRY(mlia_layout_note_uses(out));
    for (uint32_t p = 0; p < out->partitions->count; p++) {
        const mlia_partition *part = &out->partitions->items[p];
        const mlia_operator *op = part->is_shader ? &out->graph->operators[part->operators[0]] : NULL;
        if (op != NULL)
            MLIA_TRY(
                mlia_status_of_operator(mlia_shader_parse(op, out->arena, &out->shaders[p]), out->graph, op));
    }
    return NULL;
}

mlia_status *mlia_vgf_layout(const mlia_graph *graph, const mlia_partitions *partitions,
                             const mlia_tosa_to_vgf_options *options, mlia_arena *data, mlia_arena *arena,
                             mlia_buffer *code, mlia_vgf *vgf)
{
    mlia_layout out = {.graph = graph,
                       .partitions = partitions,
                       .options = options,
                       .data = data,
                       .arena = arena,
                       .code = code,
                       .vgf = vgf};
    *vgf = (mlia_vgf){.version = {0, 5, 0}};
    MLIA_TRY(prepare(&out));
    for (uint32_t p = 0; p < partitions->count; p++)
        MLIA_TRY(build_module(&out, p, &vgf->modules[p], &vgf->segments[p]));
    MLIA_TRY(mlia_layout_add_resources(&out));
    MLIA_TRY(add_segments(&out));
    return add_model_slots(&out);
}
