/* Writes a container: four sections, each at a multiple of 8, behind the header. Always version 0.5.0. */
#include "formats/vgf/write.h"

#include "base/checked.h"
#include "formats/vgf/schema.h"

static const uint8_t version[3] = {0, 5, 0};

enum {
    COPY_LIMIT = 16 << 10
}; /* bytes of a constant that is copied to its neighbours: a piece is one call */

typedef struct writing {
    const mlia_vgf *vgf;
    mlia_arena *arena;   /* of the result */
    mlia_arena *scratch; /* gone when the file is laid out */
    mlia_pieces *out;
    uint8_t *header;
} writing;

static mlia_flatbuf_ref *new_refs(writing *file, size_t count)
{
    return MLIA_NEW_ARRAY(file->scratch, mlia_flatbuf_ref, count);
}

static mlia_status *build_modules(writing *file, mlia_flatbuf_builder *builder, mlia_flatbuf_ref *root)
{
    const mlia_vgf *vgf = file->vgf;
    mlia_flatbuf_ref *refs = new_refs(file, vgf->module_count);
    MLIA_TRY_ALLOC(refs);
    for (uint32_t i = 0; i < vgf->module_count; i++) {
        const mlia_vgf_module *module = &vgf->modules[i];
        mlia_flatbuf_ref name = mlia_flatbuf_add_string(builder, module->name);
        mlia_flatbuf_ref entry_point = mlia_flatbuf_add_string(builder, module->entry_point);
        mlia_flatbuf_ref code = 0;
        if (module->code.size > 0) {
            bool words = module->code_type == MLIA_VGF_CODE_SPIRV;
            mlia_flatbuf_ref data =
                words ? mlia_flatbuf_add_vector(builder, module->code.data, module->code.size / 4, 4, 4)
                      : mlia_flatbuf_add_string(
                            builder, (mlia_str){(const char *)module->code.data, module->code.size});
            mlia_flatbuf_begin(builder, words ? &mlia_vgf_spirv_schema : &mlia_vgf_text_schema);
            mlia_flatbuf_set_ref(builder, CODE_DATA, data);
            code = mlia_flatbuf_end(builder);
        }
        mlia_flatbuf_begin(builder, &mlia_vgf_module_schema);
        mlia_flatbuf_set_integer(builder, MODULE_TYPE, module->type);
        mlia_flatbuf_set_ref(builder, MODULE_NAME, name);
        mlia_flatbuf_set_ref(builder, MODULE_ENTRY_POINT, entry_point);
        mlia_flatbuf_set_integer(builder, MODULE_CODE_TYPE, module->code_type);
        mlia_flatbuf_set_ref(builder, MODULE_CODE, code);
        refs[i] = mlia_flatbuf_end(builder);
    }
    mlia_flatbuf_ref list = mlia_flatbuf_add_refs(builder, refs, vgf->module_count);
    mlia_flatbuf_begin(builder, &mlia_vgf_module_table);
    mlia_flatbuf_set_ref(builder, MODULE_TABLE_MODULES, list);
    *root = mlia_flatbuf_end(builder);
    return NULL;
}

static mlia_flatbuf_ref add_sampler(mlia_flatbuf_builder *builder, const mlia_vgf_resource *resource)
{
    if (!resource->has_sampler)
        return 0;
    mlia_flatbuf_begin(builder, &mlia_vgf_sampler_schema);
    for (uint32_t i = 0; i < MLIA_VGF_SAMPLER_FIELDS; i++)
        mlia_flatbuf_set_integer(builder, i, resource->sampler[i]);
    return mlia_flatbuf_end(builder);
}

static mlia_status *build_resources(writing *file, mlia_flatbuf_builder *builder, mlia_flatbuf_ref *root)
{
    const mlia_vgf *vgf = file->vgf;
    mlia_flatbuf_ref *refs = new_refs(file, vgf->resource_count);
    MLIA_TRY_ALLOC(refs);
    for (uint32_t i = 0; i < vgf->resource_count; i++) {
        const mlia_vgf_resource *resource = &vgf->resources[i];
        mlia_flatbuf_ref strides =
            mlia_flatbuf_add_vector(builder, resource->strides, resource->stride_count, 8, 8);
        mlia_flatbuf_ref shape = mlia_flatbuf_add_vector(builder, resource->dims, resource->rank, 8, 8);
        mlia_flatbuf_begin(builder, &mlia_vgf_description_schema);
        mlia_flatbuf_set_ref(builder, DESCRIPTION_SHAPE, shape);
        mlia_flatbuf_set_ref(builder, DESCRIPTION_STRIDES, strides);
        mlia_flatbuf_ref description = mlia_flatbuf_end(builder);
        mlia_flatbuf_ref sampler = add_sampler(builder, resource);
        mlia_flatbuf_begin(builder, &mlia_vgf_resource_schema);
        mlia_flatbuf_set_integer(builder, RESOURCE_DESCRIPTOR_TYPE, resource->descriptor_type);
        mlia_flatbuf_set_integer(builder, RESOURCE_FORMAT, resource->format);
        mlia_flatbuf_set_integer(builder, RESOURCE_CATEGORY, resource->category);
        mlia_flatbuf_set_ref(builder, RESOURCE_DESCRIPTION, description);
        mlia_flatbuf_set_integer(builder, RESOURCE_EXTRA_TYPE, sampler != 0);
        mlia_flatbuf_set_ref(builder, RESOURCE_EXTRA, sampler);
        mlia_flatbuf_set_integer(builder, RESOURCE_ALIAS_GROUP, resource->alias_group);
        refs[i] = mlia_flatbuf_end(builder);
    }
    mlia_flatbuf_ref list = mlia_flatbuf_add_refs(builder, refs, vgf->resource_count);
    mlia_flatbuf_begin(builder, &mlia_vgf_resource_table);
    mlia_flatbuf_set_ref(builder, RESOURCE_TABLE_ENTRIES, list);
    *root = mlia_flatbuf_end(builder);
    return NULL;
}

static mlia_status *add_slots(writing *file, mlia_flatbuf_builder *builder, mlia_vgf_slots slots,
                              mlia_flatbuf_ref *ref)
{
    mlia_flatbuf_ref *refs = new_refs(file, slots.count);
    MLIA_TRY_ALLOC(refs);
    for (uint32_t i = 0; i < slots.count; i++) {
        mlia_flatbuf_begin(builder, &mlia_vgf_slot_schema);
        mlia_flatbuf_set_integer(builder, SLOT_BINDING, slots.items[i].binding);
        mlia_flatbuf_set_integer(builder, SLOT_RESOURCE, slots.items[i].resource);
        refs[i] = mlia_flatbuf_end(builder);
    }
    *ref = mlia_flatbuf_add_refs(builder, refs, slots.count);
    return NULL;
}

static mlia_status *add_sets(writing *file, mlia_flatbuf_builder *builder, const mlia_vgf_segment *segment,
                             mlia_flatbuf_ref *ref)
{
    mlia_flatbuf_ref *refs = new_refs(file, segment->set_count);
    MLIA_TRY_ALLOC(refs);
    for (uint32_t i = 0; i < segment->set_count; i++) {
        mlia_flatbuf_ref bindings = 0;
        MLIA_TRY(add_slots(file, builder, segment->sets[i].bindings, &bindings));
        mlia_flatbuf_begin(builder, &mlia_vgf_set_schema);
        mlia_flatbuf_set_ref(builder, SET_BINDINGS, bindings);
        if (segment->sets[i].index != i) /* its position is the default */
            mlia_flatbuf_set_integer(builder, SET_INDEX, segment->sets[i].index);
        refs[i] = mlia_flatbuf_end(builder);
    }
    *ref = mlia_flatbuf_add_refs(builder, refs, segment->set_count);
    return NULL;
}

static mlia_status *add_pairs(writing *file, mlia_flatbuf_builder *builder, const mlia_vgf_segment *segment,
                              mlia_flatbuf_ref *ref)
{
    mlia_flatbuf_ref *refs = new_refs(file, segment->binding_count);
    MLIA_TRY_ALLOC(refs);
    for (uint32_t i = 0; i < segment->binding_count; i++) {
        mlia_flatbuf_begin(builder, &mlia_vgf_binding_schema);
        mlia_flatbuf_set_integer(builder, BINDING_ID, segment->bindings[i].id);
        mlia_flatbuf_set_integer(builder, BINDING_CONSTANT, segment->bindings[i].constant);
        refs[i] = mlia_flatbuf_end(builder);
    }
    *ref = mlia_flatbuf_add_refs(builder, refs, segment->binding_count);
    return NULL;
}

static mlia_status *add_ranges(writing *file, mlia_flatbuf_builder *builder, const mlia_vgf_segment *segment,
                               mlia_flatbuf_ref *ref)
{
    mlia_flatbuf_ref *refs = new_refs(file, segment->push_constant_count);
    MLIA_TRY_ALLOC(refs);
    for (uint32_t i = 0; i < segment->push_constant_count; i++) {
        mlia_flatbuf_begin(builder, &mlia_vgf_push_schema);
        mlia_flatbuf_set_integer(builder, PUSH_STAGE_FLAGS, segment->push_constants[i].stage_flags);
        mlia_flatbuf_set_integer(builder, PUSH_OFFSET, segment->push_constants[i].offset);
        mlia_flatbuf_set_integer(builder, PUSH_SIZE, segment->push_constants[i].size);
        refs[i] = mlia_flatbuf_end(builder);
    }
    *ref = mlia_flatbuf_add_refs(builder, refs, segment->push_constant_count);
    return NULL;
}

static mlia_status *add_segment(writing *file, mlia_flatbuf_builder *builder, const mlia_vgf_segment *segment,
                                mlia_flatbuf_ref *ref)
{
    mlia_flatbuf_ref sets = 0;
    mlia_flatbuf_ref inputs = 0;
    mlia_flatbuf_ref outputs = 0;
    mlia_flatbuf_ref pairs = 0;
    mlia_flatbuf_ref ranges = 0;
    MLIA_TRY(add_sets(file, builder, segment, &sets));
    MLIA_TRY(add_slots(file, builder, segment->inputs, &inputs));
    MLIA_TRY(add_slots(file, builder, segment->outputs, &outputs));
    MLIA_TRY(add_pairs(file, builder, segment, &pairs));
    MLIA_TRY(add_ranges(file, builder, segment, &ranges));
    mlia_flatbuf_ref name = mlia_flatbuf_add_string(builder, segment->name);
    mlia_flatbuf_ref constants =
        mlia_flatbuf_add_vector(builder, segment->constants, segment->constant_count, 4, 4);
    mlia_flatbuf_ref dispatch =
        segment->has_dispatch_shape ? mlia_flatbuf_add_vector(builder, segment->dispatch_shape, 3, 4, 4) : 0;
    mlia_flatbuf_begin(builder, &mlia_vgf_segment_schema);
    mlia_flatbuf_set_integer(builder, SEGMENT_TYPE, segment->type);
    mlia_flatbuf_set_ref(builder, SEGMENT_NAME, name);
    mlia_flatbuf_set_integer(builder, SEGMENT_MODULE, segment->module);
    mlia_flatbuf_set_ref(builder, SEGMENT_SETS, sets);
    mlia_flatbuf_set_ref(builder, SEGMENT_INPUTS, inputs);
    mlia_flatbuf_set_ref(builder, SEGMENT_OUTPUTS, outputs);
    mlia_flatbuf_set_ref(builder, SEGMENT_CONSTANTS, constants);
    mlia_flatbuf_set_ref(builder, SEGMENT_DISPATCH_SHAPE, dispatch);
    mlia_flatbuf_set_ref(builder, SEGMENT_PUSH_CONSTANTS, ranges);
    mlia_flatbuf_set_ref(builder, SEGMENT_CONSTANT_BINDINGS, pairs);
    *ref = mlia_flatbuf_end(builder);
    return NULL;
}

static mlia_status *add_names(writing *file, mlia_flatbuf_builder *builder, const mlia_str *names,
                              uint32_t count, mlia_flatbuf_ref *ref)
{
    if (names == NULL)
        count = 0;
    mlia_flatbuf_ref *refs = new_refs(file, count);
    MLIA_TRY_ALLOC(refs);
    for (uint32_t i = 0; i < count; i++)
        refs[i] = mlia_flatbuf_add_string(builder, names[i]);
    *ref = mlia_flatbuf_add_refs(builder, refs, count);
    return NULL;
}

static mlia_status *build_sequence(writing *file, mlia_flatbuf_builder *builder, mlia_flatbuf_ref *root)
{
    const mlia_vgf *vgf = file->vgf;
    mlia_flatbuf_ref *refs = new_refs(file, vgf->segment_count);
    MLIA_TRY_ALLOC(refs);
    for (uint32_t i = 0; i < vgf->segment_count; i++)
        MLIA_TRY(add_segment(file, builder, &vgf->segments[i], &refs[i]));
    mlia_flatbuf_ref segments = mlia_flatbuf_add_refs(builder, refs, vgf->segment_count);
    mlia_flatbuf_ref inputs = 0;
    mlia_flatbuf_ref outputs = 0;
    mlia_flatbuf_ref input_names = 0;
    mlia_flatbuf_ref output_names = 0;
    MLIA_TRY(add_slots(file, builder, vgf->inputs, &inputs));
    MLIA_TRY(add_slots(file, builder, vgf->outputs, &outputs));
    MLIA_TRY(add_names(file, builder, vgf->input_names, vgf->inputs.count, &input_names));
    MLIA_TRY(add_names(file, builder, vgf->output_names, vgf->outputs.count, &output_names));
    mlia_flatbuf_begin(builder, &mlia_vgf_sequence_table);
    mlia_flatbuf_set_ref(builder, SEQUENCE_SEGMENTS, segments);
    mlia_flatbuf_set_ref(builder, SEQUENCE_INPUTS, inputs);
    mlia_flatbuf_set_ref(builder, SEQUENCE_OUTPUTS, outputs);
    mlia_flatbuf_set_ref(builder, SEQUENCE_INPUT_NAMES, input_names);
    mlia_flatbuf_set_ref(builder, SEQUENCE_OUTPUT_NAMES, output_names);
    *root = mlia_flatbuf_end(builder);
    return NULL;
}

static void set_u64(uint8_t *bytes, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

/* Zeros up to the next multiple of 8. */
static mlia_status *align(writing *file)
{
    static const uint8_t zeros[8] = {0};
    return mlia_pieces_add(file->out, file->arena, (mlia_bytes){zeros, (8 - file->out->size % 8) % 8});
}

/* Place and size of section `index`, which begins at `begin` and ends where the file ends. */
static void close_section(writing *file, uint32_t index, uint64_t begin)
{
    uint8_t *entry = file->header + VGF_SECTIONS_OFFSET + 16u * index;
    set_u64(entry, begin);
    set_u64(entry + 8, file->out->size - begin);
}

typedef mlia_status *build_function(writing *file, mlia_flatbuf_builder *builder, mlia_flatbuf_ref *root);

static mlia_status *write_table(writing *file, uint32_t index, build_function *build)
{
    mlia_flatbuf_builder *builder = mlia_flatbuf_builder_new();
    MLIA_TRY_ALLOC(builder);
    mlia_flatbuf_ref root = 0;
    mlia_bytes section = {NULL, 0};
    mlia_status *status = build(file, builder, &root);
    if (status == NULL)
        status = mlia_flatbuf_take(builder, root, NULL, file->arena, &section);
    mlia_flatbuf_builder_free(builder);
    MLIA_TRY(status);
    MLIA_TRY(align(file));
    uint64_t begin = file->out->size;
    MLIA_TRY(mlia_pieces_add(file->out, file->arena, section));
    close_section(file, index, begin);
    return NULL;
}

/* Small constants stand together in `part`; a large one is a piece of its own. */
static mlia_status *write_data(writing *file, mlia_buffer *part)
{
    const mlia_vgf *vgf = file->vgf;
    for (uint32_t i = 0; i < vgf->constant_count; i++) {
        mlia_bytes data = vgf->constants[i].data;
        if (data.size > COPY_LIMIT) {
            MLIA_TRY(mlia_pieces_take(file->out, file->arena, part));
            MLIA_TRY(mlia_pieces_add(file->out, file->arena, data));
        } else {
            mlia_buffer_add(part, data.data, data.size);
        }
        mlia_buffer_add_zeros(part, (8 - data.size % 8) % 8);
    }
    return mlia_pieces_take(file->out, file->arena, part);
}

static mlia_status *write_constants(writing *file)
{
    const mlia_vgf *vgf = file->vgf;
    MLIA_TRY(align(file));
    uint64_t begin = file->out->size;
    mlia_buffer part = {0};
    mlia_buffer_add(&part, VGF_CONSTANTS_TAG, sizeof VGF_CONSTANTS_TAG);
    mlia_buffer_add_u64(&part, vgf->constant_count);
    uint64_t offset = 0;
    for (uint32_t i = 0; i < vgf->constant_count; i++) {
        const mlia_vgf_constant *constant = &vgf->constants[i];
        mlia_buffer_add_u32(&part, constant->resource);
        mlia_buffer_add_u32(&part, (uint32_t)constant->sparsity_dimension);
        mlia_buffer_add_u64(&part, constant->data.size);
        mlia_buffer_add_u64(&part, offset);
        offset += (constant->data.size + 7) / 8 * 8;
    }
    mlia_status *status = write_data(file, &part);
    mlia_buffer_free(&part);
    close_section(file, 3, begin);
    return status;
}

static mlia_status *write_file(writing *file)
{
    file->header = MLIA_NEW_ARRAY(file->arena, uint8_t, VGF_HEADER_SIZE);
    MLIA_TRY_ALLOC(file->header);
    memcpy(file->header, VGF_MAGIC, 4);
    memcpy(file->header + VGF_VERSION_OFFSET, version, sizeof version);
    MLIA_TRY(mlia_pieces_add(file->out, file->arena, (mlia_bytes){file->header, VGF_HEADER_SIZE}));
    MLIA_TRY(write_table(file, 0, build_modules));
    MLIA_TRY(write_table(file, 1, build_sequence));
    MLIA_TRY(write_table(file, 2, build_resources));
    return write_constants(file);
}

mlia_status *mlia_vgf_write(const mlia_vgf *vgf, mlia_arena *arena, mlia_pieces *out)
{
    *out = (mlia_pieces){0};
    writing file = {.vgf = vgf, .arena = arena, .scratch = mlia_arena_new(0), .out = out};
    MLIA_TRY_ALLOC(file.scratch);
    mlia_status *status = write_file(&file);
    mlia_arena_free(file.scratch);
    return status;
}
