/* The container as JSON, in the form of vgf_dump. */
#include "formats/vgf/names.h"
#include "formats/vgf/vgf.h"

/* Every helper passes NULL on (out of memory), so that only the root is tested. */
typedef struct dump {
    mlia_arena *arena;
    bool failed;
} dump;

static void set(dump *out, mlia_value *object, const char *name, mlia_value *value)
{
    if (object == NULL || !mlia_value_set(out->arena, object, mlia_str_from_c(name), value))
        out->failed = true;
}

static void add(dump *out, mlia_value *array, mlia_value *value)
{
    if (array == NULL || !mlia_value_add(out->arena, array, value))
        out->failed = true;
}

static void set_number(dump *out, mlia_value *object, const char *name, int64_t number)
{
    set(out, object, name, mlia_value_integer(out->arena, number));
}

static void set_text(dump *out, mlia_value *object, const char *name, mlia_str text)
{
    set(out, object, name, mlia_value_string(out->arena, text));
}

/* Name of a Vulkan number, or "Unknown(N)". */
static void set_name(dump *out, mlia_value *object, const char *name, mlia_vgf_sort sort, uint32_t number)
{
    mlia_str text = mlia_vgf_name(sort, number);
    if (text.size == 0)
        text = mlia_arena_format(out->arena, "Unknown(%u)", number);
    if (text.data == NULL)
        out->failed = true;
    set_text(out, object, name, text);
}

/* Object with its index, appended to an array. */
static mlia_value *item(dump *out, mlia_value *array, uint32_t index)
{
    mlia_value *object = mlia_value_object(out->arena);
    add(out, array, object);
    set_number(out, object, "index", index);
    return object;
}

static mlia_value *integers(dump *out, const int64_t *values, uint32_t count)
{
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < count; i++)
        add(out, array, mlia_value_integer(out->arena, values[i]));
    return array;
}

static mlia_value *unsigneds(dump *out, const uint32_t *values, uint32_t count)
{
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < count; i++)
        add(out, array, mlia_value_integer(out->arena, values[i]));
    return array;
}

static mlia_str type_name(uint32_t type)
{
    return type == MLIA_VGF_GRAPH ? MLIA_STR("GRAPH") : MLIA_STR("COMPUTE");
}

static mlia_value *modules(dump *out, const mlia_vgf *vgf)
{
    static const char *const code_names[] = {"None", "SPIR-V", "GLSL", "HLSL"};
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < vgf->module_count; i++) {
        const mlia_vgf_module *module = &vgf->modules[i];
        mlia_value *object = item(out, array, i);
        set_text(out, object, "type", type_name(module->type));
        set_text(out, object, "name", module->name);
        set_text(out, object, "entry_point", module->entry_point);
        set_text(
            out, object, "shader_type",
            mlia_str_from_c(code_names[module->code_type <= MLIA_VGF_CODE_HLSL ? module->code_type : 0]));
        set(out, object, "shader_code_available", mlia_value_bool(out->arena, module->code.size > 0));
    }
    return array;
}

static mlia_value *resources(dump *out, const mlia_vgf *vgf)
{
    static const char *const categories[] = {"INPUT", "OUTPUT", "INTERMEDIATE", "CONSTANT"};
    static const struct {
        const char *name;
        mlia_vgf_sort sort;
    } sampler[MLIA_VGF_SAMPLER_FIELDS] = {
        {"min_filter", MLIA_VGF_NAME_FILTER},      {"mag_filter", MLIA_VGF_NAME_FILTER},
        {"address_mode_u", MLIA_VGF_NAME_ADDRESS}, {"address_mode_v", MLIA_VGF_NAME_ADDRESS},
        {"border_color", MLIA_VGF_NAME_BORDER},
    };
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < vgf->resource_count; i++) {
        const mlia_vgf_resource *resource = &vgf->resources[i];
        mlia_value *object = item(out, array, i);
        set_text(
            out, object, "category",
            mlia_str_from_c(categories[resource->category <= MLIA_VGF_CONSTANT ? resource->category : 0]));
        if (resource->descriptor_type == MLIA_VGF_UNSET)
            set_text(out, object, "vk_descriptor_type", MLIA_STR("none"));
        else
            set_name(out, object, "vk_descriptor_type", MLIA_VGF_NAME_DESCRIPTOR, resource->descriptor_type);
        set_name(out, object, "vk_format", MLIA_VGF_NAME_FORMAT, resource->format);
        set(out, object, "shape", integers(out, resource->dims, resource->rank));
        set(out, object, "stride", integers(out, resource->strides, resource->stride_count));
        if (resource->alias_group != MLIA_VGF_UNSET)
            set_number(out, object, "alias_group_id", resource->alias_group);
        if (!resource->has_sampler)
            continue;
        mlia_value *config = mlia_value_object(out->arena);
        for (uint32_t k = 0; k < MLIA_VGF_SAMPLER_FIELDS; k++)
            set_name(out, config, sampler[k].name, sampler[k].sort, resource->sampler[k]);
        set(out, object, "sampler_config", config);
    }
    return array;
}

static mlia_value *constants(dump *out, const mlia_vgf *vgf)
{
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < vgf->constant_count; i++) {
        mlia_value *object = item(out, array, i);
        set_number(out, object, "mrt_index", vgf->constants[i].resource);
        set_number(out, object, "sparsity_dimension", vgf->constants[i].sparsity_dimension);
        set_number(out, object, "size", (int64_t)vgf->constants[i].data.size);
    }
    return array;
}

static mlia_value *slots(dump *out, mlia_vgf_slots list, bool named, const mlia_str *names)
{
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < list.count; i++) {
        mlia_value *object = item(out, array, i);
        if (named)
            set_text(out, object, "name", names != NULL ? names[i] : MLIA_STR(""));
        set_number(out, object, "binding", list.items[i].binding);
        set_number(out, object, "mrt_index", list.items[i].resource);
    }
    return array;
}

static mlia_value *segment_sets(dump *out, const mlia_vgf_segment *segment)
{
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < segment->set_count; i++) {
        mlia_value *object = mlia_value_object(out->arena);
        add(out, array, object);
        set(out, object, "bindings", slots(out, segment->sets[i].bindings, false, NULL));
        set_number(out, object, "set_index", segment->sets[i].index);
    }
    return array;
}

static mlia_value *push_constants(dump *out, const mlia_vgf_segment *segment)
{
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < segment->push_constant_count; i++) {
        mlia_value *object = item(out, array, i);
        set_number(out, object, "stage_flags", segment->push_constants[i].stage_flags);
        set_number(out, object, "offset", segment->push_constants[i].offset);
        set_number(out, object, "size", segment->push_constants[i].size);
    }
    return array;
}

static mlia_value *constant_bindings(dump *out, const mlia_vgf_segment *segment)
{
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < segment->binding_count; i++) {
        mlia_value *object = mlia_value_object(out->arena);
        add(out, array, object);
        set_number(out, object, "graph_constant_id", segment->bindings[i].id);
        set_number(out, object, "constant_table_index", segment->bindings[i].constant);
    }
    return array;
}

static mlia_value *segments(dump *out, const mlia_vgf *vgf)
{
    mlia_value *array = mlia_value_array(out->arena);
    for (uint32_t i = 0; i < vgf->segment_count; i++) {
        const mlia_vgf_segment *segment = &vgf->segments[i];
        mlia_value *object = item(out, array, i);
        set_text(out, object, "type", type_name(segment->type));
        set_number(out, object, "module_index", segment->module);
        set_text(out, object, "name", segment->name);
        set(out, object, "inputs", slots(out, segment->inputs, false, NULL));
        set(out, object, "outputs", slots(out, segment->outputs, false, NULL));
        set(out, object, "descriptor_set_infos", segment_sets(out, segment));
        set(out, object, "push_constant_ranges", push_constants(out, segment));
        set(out, object, "constants", unsigneds(out, segment->constants, segment->constant_count));
        set(out, object, "constant_bindings", constant_bindings(out, segment));
        set(out, object, "dispatch_shape",
            unsigneds(out, segment->dispatch_shape, segment->has_dispatch_shape ? 3 : 0));
    }
    return array;
}

mlia_status *mlia_vgf_dump(const mlia_vgf *vgf, mlia_arena *arena, mlia_value **value)
{
    dump out = {.arena = arena};
    mlia_value *root = mlia_value_object(arena);
    mlia_value *header = mlia_value_object(arena);
    set_number(&out, header, "major", vgf->version[0]);
    set_number(&out, header, "minor", vgf->version[1]);
    set_number(&out, header, "patch", vgf->version[2]);
    set(&out, root, "header", header);
    set(&out, root, "modules", modules(&out, vgf));
    set(&out, root, "resources", resources(&out, vgf));
    set(&out, root, "constants", constants(&out, vgf));
    mlia_value *sequence = mlia_value_object(arena);
    set(&out, sequence, "inputs", slots(&out, vgf->inputs, true, vgf->input_names));
    set(&out, sequence, "outputs", slots(&out, vgf->outputs, true, vgf->output_names));
    set(&out, sequence, "segments", segments(&out, vgf));
    set(&out, root, "model_sequence", sequence);
    *value = root;
    return out.failed ? mlia_error_memory() : NULL;
}
