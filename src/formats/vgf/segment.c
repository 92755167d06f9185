/* The graph of one segment: what the container's tables say about it is checked here, where it is used. */
#include <stdlib.h>

#include "formats/spirv/spirv.h"
#include "formats/vgf/vgf.h"

typedef struct binding_key {
    uint32_t set;
    uint32_t binding;
    uint32_t resource;
} binding_key;

typedef struct named_resource {
    uint32_t resource;
    uint32_t position; /* among the names: the first one wins */
    mlia_str name;
} named_resource;

/* Sorted tables for the look-ups of the SPIR-V reader. */
typedef struct segment_view {
    const mlia_vgf *vgf;
    const mlia_vgf_segment *segment;
    mlia_arena *arena;
    binding_key *bindings; /* of all sets */
    size_t binding_count;
    binding_key *inputs; /* set 0; binding and resource */
    binding_key *outputs;
    mlia_vgf_constant_binding *constants; /* by id */
    size_t constant_count;
    named_resource *names;
    size_t name_count;
} segment_view;

static int compare_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_binding(const void *left, const void *right)
{
    const binding_key *a = left;
    const binding_key *b = right;
    int order = compare_u32(a->set, b->set);
    order = order != 0 ? order : compare_u32(a->binding, b->binding);
    return order != 0 ? order : compare_u32(a->resource, b->resource);
}

static int compare_place(const void *left, const void *right)
{
    const binding_key *a = left;
    const binding_key *b = right;
    int order = compare_u32(a->set, b->set);
    return order != 0 ? order : compare_u32(a->binding, b->binding);
}

static int compare_constant(const void *left, const void *right)
{
    const mlia_vgf_constant_binding *a = left;
    const mlia_vgf_constant_binding *b = right;
    return compare_u32(a->id, b->id);
}

static int compare_name(const void *left, const void *right)
{
    const named_resource *a = left;
    const named_resource *b = right;
    int order = compare_u32(a->resource, b->resource);
    return order != 0 ? order : compare_u32(a->position, b->position);
}

static int compare_named(const void *left, const void *right)
{
    const named_resource *a = left;
    const named_resource *b = right;
    return compare_u32(a->resource, b->resource);
}

static int compare_index(const void *left, const void *right)
{
    return compare_u32(*(const uint32_t *)left, *(const uint32_t *)right);
}

static void sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    if (count > 1)
        qsort(items, count, size, compare);
}

/* What the SPIR-V reader must know of a resource. Dimensions that are not known become MLIA_DIM_UNKNOWN. */
static mlia_status *describe(const segment_view *view, uint32_t index, mlia_spirv_resource *resource)
{
    const mlia_vgf_resource *entry = &view->vgf->resources[index];
    const mlia_vgf_format *format = mlia_vgf_format_of(entry->format);
    if (entry->category > MLIA_VGF_CONSTANT)
        return mlia_error(MLIA_E_VGF_ENUM, "resource %u is of category %u; the last is %d", index,
                          entry->category, MLIA_VGF_CONSTANT);
    if (format == NULL)
        return mlia_error(MLIA_E_VGF_FORMAT, "resource %u has VkFormat %u, which no tensor can have", index,
                          entry->format);
    int64_t *dims = MLIA_NEW_ARRAY(view->arena, int64_t, entry->rank);
    MLIA_TRY_ALLOC(dims);
    for (uint32_t i = 0; i < entry->rank; i++)
        dims[i] = entry->dims[i] < 0 ? MLIA_DIM_UNKNOWN : entry->dims[i];
    *resource = (mlia_spirv_resource){.type = format->type,
                                      .is_unsigned = format->is_unsigned,
                                      .rank = entry->rank,
                                      .dims = dims,
                                      .index = index};
    return NULL;
}

/* Size of a constant's data against its resource's shape. */
static mlia_status *check_constant(const segment_view *view, uint32_t index)
{
    const mlia_vgf_constant *constant = &view->vgf->constants[index];
    mlia_spirv_resource resource = {0};
    MLIA_TRY(describe(view, constant->resource, &resource));
    mlia_graph_value value = {.type = (uint8_t)resource.type, .rank = resource.rank, .dims = resource.dims};
    uint64_t elements;
    uint64_t bytes;
    if (!mlia_value_elements(&value, &elements) ||
        !mlia_constant_bytes((uint32_t)resource.type, MLIA_ENCODING_BYTES, elements, &bytes))
        return mlia_error(MLIA_E_VGF_CONSTANT_SIZE, "constant %u: resource %u has no definite size", index,
                          constant->resource);
    if (bytes != constant->data.size)
        return mlia_error(MLIA_E_VGF_CONSTANT_SIZE,
                          "constant %u has %zu bytes, the shape of resource %u needs %llu", index,
                          constant->data.size, constant->resource, (unsigned long long)bytes);
    return NULL;
}

/* Pairs of graph constant id and constant, by id. */
static mlia_status *sort_constants(segment_view *view)
{
    const mlia_vgf_segment *segment = view->segment;
    size_t count = segment->binding_count;
    view->constants = MLIA_NEW_ARRAY(view->arena, mlia_vgf_constant_binding, count);
    MLIA_TRY_ALLOC(view->constants);
    view->constant_count = count;
    for (size_t i = 0; i < count; i++)
        view->constants[i] = segment->bindings[i];
    sort(view->constants, count, sizeof *view->constants, compare_constant);
    for (size_t i = 0; i < count; i++) {
        const mlia_vgf_constant_binding *pair = &view->constants[i];
        if (pair->constant >= view->vgf->constant_count)
            return mlia_error(MLIA_E_VGF_CONSTANT_BINDING,
                              "graph constant id %u is bound to constant %u, the file has %u", pair->id,
                              pair->constant, view->vgf->constant_count);
        if (i > 0 && pair[-1].id == pair->id)
            return mlia_error(MLIA_E_VGF_CONSTANT_BINDING, "graph constant id %u is bound twice", pair->id);
        MLIA_TRY(check_constant(view, pair->constant));
    }
    return NULL;
}

static mlia_status *sort_slots(const segment_view *view, mlia_vgf_slots slots, binding_key **keys)
{
    *keys = MLIA_NEW_ARRAY(view->arena, binding_key, slots.count);
    MLIA_TRY_ALLOC(*keys);
    for (uint32_t i = 0; i < slots.count; i++)
        (*keys)[i] = (binding_key){0, slots.items[i].binding, slots.items[i].resource};
    sort(*keys, slots.count, sizeof **keys, compare_binding);
    return NULL;
}

static mlia_status *sort_sets(segment_view *view)
{
    const mlia_vgf_segment *segment = view->segment;
    uint32_t *numbers = MLIA_NEW_ARRAY(view->arena, uint32_t, segment->set_count);
    MLIA_TRY_ALLOC(numbers);
    size_t count = 0;
    for (uint32_t i = 0; i < segment->set_count; i++) {
        count += segment->sets[i].bindings.count;
        numbers[i] = segment->sets[i].index;
    }
    sort(numbers, segment->set_count, sizeof *numbers, compare_index);
    for (uint32_t i = 1; i < segment->set_count; i++)
        if (numbers[i] == numbers[i - 1])
            return mlia_error(MLIA_E_VGF_DUPLICATE_BINDING, "descriptor set %u is given twice", numbers[i]);
    view->bindings = MLIA_NEW_ARRAY(view->arena, binding_key, count);
    MLIA_TRY_ALLOC(view->bindings);
    for (uint32_t i = 0; i < segment->set_count; i++)
        for (uint32_t k = 0; k < segment->sets[i].bindings.count; k++) {
            const mlia_vgf_slot *slot = &segment->sets[i].bindings.items[k];
            mlia_spirv_resource resource;
            MLIA_TRY(describe(view, slot->resource, &resource));
            view->bindings[view->binding_count++] =
                (binding_key){segment->sets[i].index, slot->binding, slot->resource};
        }
    sort(view->bindings, count, sizeof *view->bindings, compare_binding);
    for (size_t i = 1; i < count; i++)
        if (compare_place(&view->bindings[i - 1], &view->bindings[i]) == 0 &&
            view->bindings[i - 1].resource != view->bindings[i].resource)
            return mlia_error(MLIA_E_VGF_DUPLICATE_BINDING, "set %u binding %u has resources %u and %u",
                              view->bindings[i].set, view->bindings[i].binding,
                              view->bindings[i - 1].resource, view->bindings[i].resource);
    MLIA_TRY(sort_slots(view, segment->inputs, &view->inputs));
    return sort_slots(view, segment->outputs, &view->outputs);
}

/* Names of the model's inputs and outputs, by resource. */
static mlia_status *sort_names(segment_view *view)
{
    const mlia_vgf *vgf = view->vgf;
    view->names = MLIA_NEW_ARRAY(view->arena, named_resource, (size_t)vgf->inputs.count + vgf->outputs.count);
    MLIA_TRY_ALLOC(view->names);
    for (uint32_t i = 0; vgf->input_names != NULL && i < vgf->inputs.count; i++, view->name_count++)
        view->names[view->name_count] =
            (named_resource){vgf->inputs.items[i].resource, (uint32_t)view->name_count, vgf->input_names[i]};
    for (uint32_t i = 0; vgf->output_names != NULL && i < vgf->outputs.count; i++, view->name_count++)
        view->names[view->name_count] = (named_resource){vgf->outputs.items[i].resource,
                                                         (uint32_t)view->name_count, vgf->output_names[i]};
    sort(view->names, view->name_count, sizeof *view->names, compare_name);
    return NULL;
}

static void *search(const void *key, const void *items, size_t count, size_t size,
                    int (*compare)(const void *, const void *))
{
    return count == 0 ? NULL : bsearch(key, items, count, size, compare);
}

static bool find_constant(void *context, uint32_t id, mlia_spirv_resource *resource)
{
    const segment_view *view = context;
    mlia_vgf_constant_binding key = {id, 0};
    const mlia_vgf_constant_binding *pair =
        search(&key, view->constants, view->constant_count, sizeof key, compare_constant);
    if (pair == NULL)
        return false;
    const mlia_vgf_constant *constant = &view->vgf->constants[pair->constant];
    mlia_status *status = describe(view, constant->resource, resource);
    mlia_status_free(status);
    resource->data = constant->data;
    return status == NULL;
}

static bool find_binding(void *context, uint32_t set, uint32_t binding, bool is_input,
                         mlia_spirv_resource *resource)
{
    const segment_view *view = context;
    binding_key key = {set, binding, 0};
    const binding_key *found = search(&key, view->bindings, view->binding_count, sizeof key, compare_place);
    if (found == NULL)
        return false;
    binding_key slot = {0, binding, found->resource};
    const binding_key *slots = is_input ? view->inputs : view->outputs;
    size_t count = is_input ? view->segment->inputs.count : view->segment->outputs.count;
    if (search(&slot, slots, count, sizeof slot, compare_binding) == NULL)
        return false;
    mlia_status *status = describe(view, found->resource, resource);
    mlia_status_free(status);
    if (status != NULL)
        return false;
    named_resource named = {.resource = found->resource};
    const named_resource *name = search(&named, view->names, view->name_count, sizeof named, compare_named);
    while (name != NULL && name > view->names && name[-1].resource == found->resource)
        name--;
    if (name != NULL)
        resource->name = name->name;
    return true;
}

static mlia_status *check_segment(const mlia_vgf *vgf, const mlia_vgf_segment *segment)
{
    const mlia_vgf_module *module = &vgf->modules[segment->module];
    if (segment->type > MLIA_VGF_GRAPH || module->type > MLIA_VGF_GRAPH || segment->type != module->type)
        return mlia_error(MLIA_E_VGF_SEGMENT, "the segment is of type %u, its module %u of type %u",
                          segment->type, segment->module, module->type);
    if (segment->type != MLIA_VGF_GRAPH)
        return mlia_error(MLIA_E_VGF_NO_GRAPH, "the segment runs a shader, not a graph");
    if (module->code_type != MLIA_VGF_CODE_SPIRV || module->code.size == 0)
        return mlia_error(MLIA_E_VGF_NO_CODE, "graph module %u holds no SPIR-V code", segment->module);
    return NULL;
}

static mlia_status *read_graph(segment_view *view, uint32_t index, mlia_diagnostics *diagnostics,
                               mlia_graph **graph)
{
    const mlia_vgf_segment *segment = view->segment;
    MLIA_TRY(check_segment(view->vgf, segment));
    MLIA_TRY(sort_constants(view));
    MLIA_TRY(sort_sets(view));
    MLIA_TRY(sort_names(view));
    const mlia_vgf_module *module = &view->vgf->modules[segment->module];
    mlia_spirv_options options = {
        .entry_point = module->entry_point,
        .segment = index,
        .offset = module->offset,
        .diagnostics = diagnostics,
        .context = view,
        .find_constant = find_constant,
        .find_binding = find_binding,
    };
    MLIA_TRY(mlia_spirv_read(module->code, &options, view->arena, graph));
    (*graph)->name = segment->name;
    return NULL;
}

mlia_status *mlia_vgf_segment_graph(const mlia_vgf *vgf, uint32_t index, mlia_arena *arena,
                                    mlia_diagnostics *diagnostics, mlia_graph **graph)
{
    if (index >= vgf->segment_count)
        return mlia_error(MLIA_E_VGF_NO_GRAPH, "segment %u of %u", index, vgf->segment_count);
    segment_view view = {.vgf = vgf, .segment = &vgf->segments[index], .arena = arena};
    return mlia_status_in(read_graph(&view, index, diagnostics, graph), "segment %u", index);
}

mlia_status *mlia_vgf_first_graph(const mlia_vgf *vgf, uint32_t *index)
{
    for (uint32_t i = 0; i < vgf->segment_count; i++)
        if (vgf->segments[i].type == MLIA_VGF_GRAPH) {
            *index = i;
            return NULL;
        }
    return mlia_error(MLIA_E_VGF_NO_GRAPH, "none of the %u segments is a graph", vgf->segment_count);
}
