/* Reader of the container: header, sections, FlatBuffers tables. The index rules are applied here, before
 * anybody follows an index. Refuses versions other than 0.3 to 0.5. */
#include "formats/vgf/read.h"

static const char *const section_names[VGF_SECTION_COUNT] = {"module table", "model sequence table",
                                                             "model resource table", "constants"};

enum { RANK_LIMIT = 64 };

static mlia_status *read_version(vgf_reading *file)
{
    mlia_bytes bytes = file->bytes;
    if (bytes.size < VGF_HEADER_SIZE)
        return mlia_error(MLIA_E_VGF_SHORT, "%zu bytes; the header of a VGF has %d", bytes.size,
                          VGF_HEADER_SIZE);
    static const uint8_t old_magic[4] = {0xC3, 0xD2, 0xE1, 0xF0};
    if (memcmp(bytes.data, VGF_MAGIC, 4) != 0 && memcmp(bytes.data, old_magic, 4) != 0)
        return mlia_status_at(mlia_error(MLIA_E_VGF_MAGIC,
                                         "the file begins with %02X %02X %02X %02X, a VGF with 56 47 46 31",
                                         bytes.data[0], bytes.data[1], bytes.data[2], bytes.data[3]),
                              0);
    for (uint32_t i = 0; i < 3; i++)
        file->vgf->version[i] = bytes.data[VGF_VERSION_OFFSET + i];
    const uint32_t *version = file->vgf->version;
    if (version[0] != 0 || version[1] < 3 || version[1] > 5)
        return mlia_status_at(mlia_error(MLIA_E_VGF_VERSION, "VGF version %u.%u.%u; 0.3.0 to 0.5 can be read",
                                         version[0], version[1], version[2]),
                              VGF_VERSION_OFFSET);
    return NULL;
}

/* From 0.4.3 on sections begin at a multiple of 8; before, FlatBuffers at a multiple of 4 and raw constants
 * anywhere. */
static uint64_t alignment_of(const vgf_reading *file, uint32_t section, mlia_bytes content)
{
    const uint32_t *version = file->vgf->version;
    if (version[1] > 4 || (version[1] == 4 && version[2] >= 3))
        return 8;
    bool raw = section == VGF_CONSTANTS && content.size >= sizeof VGF_CONSTANTS_TAG &&
               memcmp(content.data, VGF_CONSTANTS_TAG, sizeof VGF_CONSTANTS_TAG) == 0;
    return raw ? 1 : 4;
}

static mlia_status *read_section(vgf_reading *file, uint32_t section)
{
    size_t place = VGF_SECTIONS_OFFSET + 16u * section;
    uint64_t offset = mlia_load_u64(file->bytes.data + place);
    uint64_t size = mlia_load_u64(file->bytes.data + place + 8);
    mlia_status *status = NULL;
    if (!mlia_bytes_has(file->bytes, offset, size)) {
        status = mlia_error(
            MLIA_E_VGF_SECTION, "the %s is said to have %llu bytes at byte %llu, the file has %zu",
            section_names[section], (unsigned long long)size, (unsigned long long)offset, file->bytes.size);
    } else if (offset < VGF_HEADER_SIZE) {
        status = mlia_error(MLIA_E_VGF_SECTION, "the %s begins at byte %llu, inside the header",
                            section_names[section], (unsigned long long)offset);
    } else {
        file->sections[section] = mlia_bytes_slice(file->bytes, (size_t)offset, (size_t)size);
        uint64_t alignment = alignment_of(file, section, file->sections[section]);
        if (offset % alignment != 0)
            status =
                mlia_error(MLIA_E_VGF_SECTION, "the %s begins at byte %llu, which is no multiple of %llu",
                           section_names[section], (unsigned long long)offset, (unsigned long long)alignment);
    }
    return mlia_status_at(status, place);
}

static void warn_overlap(const vgf_reading *file)
{
    for (uint32_t i = 0; i < VGF_SECTION_COUNT; i++)
        for (uint32_t k = 0; k < VGF_SECTION_COUNT; k++) {
            mlia_bytes a = file->sections[i];
            mlia_bytes b = file->sections[k];
            bool first = a.data < b.data || (a.data == b.data && i < k);
            if (i != k && first && b.size > 0 && a.data + a.size > b.data)
                mlia_warn_at(file->diagnostics, MLIA_W_VGF_OVERLAP, (uint64_t)(b.data - file->bytes.data),
                             MLIA_STR_NONE, "the %s and the %s overlap", section_names[i], section_names[k]);
        }
}

static mlia_status *in_section(const vgf_reading *file, uint32_t section, mlia_status *status)
{
    (void)file;
    return mlia_status_in(status, "%s", section_names[section]);
}

/* Place in the file of a place in a section; the section's begin when that is not known. */
static uint64_t place_in_file(const vgf_reading *file, uint32_t section, uint64_t offset)
{
    uint64_t base = (uint64_t)(file->sections[section].data - file->bytes.data);
    return offset == MLIA_NO_OFFSET ? base : base + offset;
}

/* Opens and verifies the FlatBuffer of a section. Positions inside become positions in the file. */
mlia_status *vgf_open_table(vgf_reading *file, uint32_t section, const mlia_flatbuf_rules *rules,
                            const mlia_flatbuf_schema *schema, mlia_flatbuf *buffer)
{
    mlia_status *status = mlia_flatbuf_open(file->sections[section], rules, buffer);
    if (status == NULL)
        status = mlia_flatbuf_verify(buffer, schema, file->diagnostics);
    if (status == NULL)
        return NULL;
    mlia_str member = mlia_status_member(status);
    mlia_status *outer = mlia_error(mlia_status_kind(status), "%s: %.*s", section_names[section],
                                    MLIA_STR_ARG(mlia_status_message(status)));
    outer = mlia_status_at(outer, place_in_file(file, section, mlia_status_offset(status)));
    if (member.size > 0)
        outer = mlia_status_in(outer, "%.*s", MLIA_STR_ARG(member));
    mlia_status_free(status);
    return outer;
}

static const mlia_flatbuf_rules table_rules = {
    .flags = MLIA_FLATBUF_ALIGNED,
    .table_limit = 1000000,
    .short_kind = MLIA_E_VGF_TABLE,
    .identifier_kind = MLIA_E_VGF_TABLE,
    .offset_kind = MLIA_E_VGF_TABLE,
    .missing_kind = MLIA_E_VGF_TABLE,
    .text_kind = MLIA_E_VGF_TABLE,
    .limit_kind = MLIA_E_VGF_TABLE,
    .warning_kind = MLIA_E_VGF_TABLE,
};

static mlia_status *read_modules(vgf_reading *file)
{
    mlia_flatbuf buffer;
    MLIA_TRY(vgf_open_table(file, VGF_MODULES, &table_rules, &mlia_vgf_module_table, &buffer));
    mlia_flatbuf_vector list =
        mlia_flatbuf_list(mlia_flatbuf_root(&buffer, &mlia_vgf_module_table), MODULE_TABLE_MODULES);
    file->vgf->modules = MLIA_NEW_ARRAY(file->arena, mlia_vgf_module, list.count);
    MLIA_TRY_ALLOC(file->vgf->modules);
    file->vgf->module_count = (uint32_t)list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        mlia_flatbuf_table table = mlia_flatbuf_table_at(list, i);
        mlia_vgf_module *module = &file->vgf->modules[i];
        *module = (mlia_vgf_module){
            .type = mlia_flatbuf_u8(table, MODULE_TYPE),
            .name = mlia_flatbuf_string(table, MODULE_NAME),
            .entry_point = mlia_flatbuf_string(table, MODULE_ENTRY_POINT),
            .code_type = mlia_flatbuf_u8(table, MODULE_CODE_TYPE),
        };
        mlia_flatbuf_table code = mlia_flatbuf_child(table, MODULE_CODE);
        if (!mlia_flatbuf_exists(code))
            continue;
        if (module->code_type == MLIA_VGF_CODE_SPIRV) {
            module->code = mlia_flatbuf_bytes(code, CODE_DATA);
        } else {
            mlia_str text = mlia_flatbuf_string(code, CODE_DATA);
            module->code = (mlia_bytes){(const uint8_t *)text.data, text.size};
        }
        if (module->code.data != NULL)
            module->offset = (uint64_t)(module->code.data - file->bytes.data);
    }
    return NULL;
}

/* Copy of a vector of integers; 0 entries give NULL. */
static mlia_status *read_i64(vgf_reading *file, mlia_flatbuf_vector list, uint32_t *count,
                             const int64_t **values)
{
    *count = (uint32_t)list.count;
    int64_t *copy = MLIA_NEW_ARRAY(file->arena, int64_t, list.count);
    MLIA_TRY_ALLOC(copy);
    for (size_t i = 0; i < list.count; i++)
        copy[i] = mlia_flatbuf_integer_at(list, i);
    *values = list.count > 0 ? copy : NULL;
    return NULL;
}

static mlia_status *read_u32(vgf_reading *file, mlia_flatbuf_vector list, uint32_t *count, uint32_t **values)
{
    *count = (uint32_t)list.count;
    *values = MLIA_NEW_ARRAY(file->arena, uint32_t, list.count);
    MLIA_TRY_ALLOC(*values);
    for (size_t i = 0; i < list.count; i++)
        (*values)[i] = (uint32_t)mlia_flatbuf_integer_at(list, i);
    return NULL;
}

static mlia_status *read_resources(vgf_reading *file)
{
    mlia_flatbuf buffer;
    MLIA_TRY(vgf_open_table(file, VGF_RESOURCES, &table_rules, &mlia_vgf_resource_table, &buffer));
    mlia_flatbuf_vector list =
        mlia_flatbuf_list(mlia_flatbuf_root(&buffer, &mlia_vgf_resource_table), RESOURCE_TABLE_ENTRIES);
    file->vgf->resources = MLIA_NEW_ARRAY(file->arena, mlia_vgf_resource, list.count);
    MLIA_TRY_ALLOC(file->vgf->resources);
    file->vgf->resource_count = (uint32_t)list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        mlia_flatbuf_table table = mlia_flatbuf_table_at(list, i);
        mlia_vgf_resource *resource = &file->vgf->resources[i];
        resource->descriptor_type = mlia_flatbuf_has(table, RESOURCE_DESCRIPTOR_TYPE)
                                        ? mlia_flatbuf_u32(table, RESOURCE_DESCRIPTOR_TYPE)
                                        : 0;
        resource->format = mlia_flatbuf_u32(table, RESOURCE_FORMAT);
        resource->category = mlia_flatbuf_u8(table, RESOURCE_CATEGORY);
        resource->alias_group = mlia_flatbuf_u32(table, RESOURCE_ALIAS_GROUP);
        mlia_flatbuf_table description = mlia_flatbuf_child(table, RESOURCE_DESCRIPTION);
        mlia_flatbuf_vector shape = mlia_flatbuf_list(description, DESCRIPTION_SHAPE);
        if (shape.count > RANK_LIMIT)
            return mlia_error(MLIA_E_VGF_LIMIT, "resource %u has %zu dimensions; at most %d can be read", i,
                              shape.count, RANK_LIMIT);
        MLIA_TRY(read_i64(file, shape, &resource->rank, &resource->dims));
        MLIA_TRY(read_i64(file, mlia_flatbuf_list(description, DESCRIPTION_STRIDES), &resource->stride_count,
                          &resource->strides));
        mlia_flatbuf_table sampler = mlia_flatbuf_child(table, RESOURCE_EXTRA);
        resource->has_sampler = mlia_flatbuf_exists(sampler);
        for (uint32_t k = 0; resource->has_sampler && k < MLIA_VGF_SAMPLER_FIELDS; k++)
            resource->sampler[k] = mlia_flatbuf_u32(sampler, k);
    }
    return NULL;
}

static mlia_status *read_slots(vgf_reading *file, mlia_flatbuf_table owner, uint32_t field,
                               mlia_vgf_slots *slots)
{
    mlia_flatbuf_vector list = mlia_flatbuf_list(owner, field);
    slots->items = MLIA_NEW_ARRAY(file->arena, mlia_vgf_slot, list.count);
    MLIA_TRY_ALLOC(slots->items);
    slots->count = (uint32_t)list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        mlia_flatbuf_table slot = mlia_flatbuf_table_at(list, i);
        slots->items[i] =
            (mlia_vgf_slot){mlia_flatbuf_u32(slot, SLOT_BINDING), mlia_flatbuf_u32(slot, SLOT_RESOURCE)};
    }
    return NULL;
}

static mlia_status *read_sets(vgf_reading *file, mlia_flatbuf_table table, mlia_vgf_segment *segment)
{
    mlia_flatbuf_vector list = mlia_flatbuf_list(table, SEGMENT_SETS);
    segment->sets = MLIA_NEW_ARRAY(file->arena, mlia_vgf_set, list.count);
    MLIA_TRY_ALLOC(segment->sets);
    segment->set_count = (uint32_t)list.count;
    for (uint32_t i = 0; i < list.count; i++) {
        mlia_flatbuf_table set = mlia_flatbuf_table_at(list, i);
        uint32_t index = mlia_flatbuf_u32(set, SET_INDEX);
        segment->sets[i].index = index == MLIA_VGF_UNSET ? i : index;
        MLIA_TRY(read_slots(file, set, SET_BINDINGS, &segment->sets[i].bindings));
    }
    return NULL;
}

static mlia_status *read_dispatch(mlia_flatbuf_table table, uint32_t index, mlia_vgf_segment *segment)
{
    if (!mlia_flatbuf_has(table, SEGMENT_DISPATCH_SHAPE))
        return NULL;
    mlia_flatbuf_vector list = mlia_flatbuf_list(table, SEGMENT_DISPATCH_SHAPE);
    if (list.count != 3)
        return mlia_error(MLIA_E_VGF_TABLE, "segment %u: dispatch_shape has %zu values, expected 3", index,
                          list.count);
    segment->has_dispatch_shape = true;
    for (uint32_t i = 0; i < 3; i++)
        segment->dispatch_shape[i] = (uint32_t)mlia_flatbuf_integer_at(list, i);
    return NULL;
}

/* Pairs of graph constant id and constant. Files that have none mean every constant under its own number. */
static mlia_status *read_bindings(vgf_reading *file, mlia_flatbuf_vector pairs, mlia_vgf_segment *segment)
{
    uint32_t count = pairs.count > 0 ? (uint32_t)pairs.count : segment->constant_count;
    segment->bindings = MLIA_NEW_ARRAY(file->arena, mlia_vgf_constant_binding, count);
    MLIA_TRY_ALLOC(segment->bindings);
    segment->binding_count = count;
    for (uint32_t i = 0; i < count; i++) {
        if (pairs.count == 0) {
            segment->bindings[i] = (mlia_vgf_constant_binding){segment->constants[i], segment->constants[i]};
            continue;
        }
        mlia_flatbuf_table pair = mlia_flatbuf_table_at(pairs, i);
        segment->bindings[i] = (mlia_vgf_constant_binding){mlia_flatbuf_u32(pair, BINDING_ID),
                                                           mlia_flatbuf_u32(pair, BINDING_CONSTANT)};
    }
    return NULL;
}

static mlia_status *read_segment(vgf_reading *file, mlia_flatbuf_table table, uint32_t index)
{
    mlia_vgf_segment *segment = &file->vgf->segments[index];
    segment->type = mlia_flatbuf_u8(table, SEGMENT_TYPE);
    segment->name = mlia_flatbuf_string(table, SEGMENT_NAME);
    segment->module = mlia_flatbuf_u32(table, SEGMENT_MODULE);
    MLIA_TRY(read_sets(file, table, segment));
    MLIA_TRY(read_slots(file, table, SEGMENT_INPUTS, &segment->inputs));
    MLIA_TRY(read_slots(file, table, SEGMENT_OUTPUTS, &segment->outputs));
    MLIA_TRY(read_u32(file, mlia_flatbuf_list(table, SEGMENT_CONSTANTS), &segment->constant_count,
                      &segment->constants));
    MLIA_TRY(read_dispatch(table, index, segment));
    mlia_flatbuf_vector ranges = mlia_flatbuf_list(table, SEGMENT_PUSH_CONSTANTS);
    segment->push_constants = MLIA_NEW_ARRAY(file->arena, mlia_vgf_push_constants, ranges.count);
    MLIA_TRY_ALLOC(segment->push_constants);
    segment->push_constant_count = (uint32_t)ranges.count;
    for (uint32_t i = 0; i < ranges.count; i++) {
        mlia_flatbuf_table range = mlia_flatbuf_table_at(ranges, i);
        segment->push_constants[i] = (mlia_vgf_push_constants){
            mlia_flatbuf_u32(range, PUSH_STAGE_FLAGS),
            mlia_flatbuf_u32(range, PUSH_OFFSET),
            mlia_flatbuf_u32(range, PUSH_SIZE),
        };
    }
    return read_bindings(file, mlia_flatbuf_list(table, SEGMENT_CONSTANT_BINDINGS), segment);
}

/* Names of the model's slots: one per slot or none at all. */
static mlia_status *read_names(vgf_reading *file, mlia_flatbuf_table table, uint32_t field, const char *what,
                               uint32_t slot_count, mlia_str **names)
{
    mlia_flatbuf_vector list = mlia_flatbuf_list(table, field);
    if (list.count != slot_count) {
        if (list.count != 0)
            mlia_warn_at(file->diagnostics, MLIA_W_VGF_NAMES, MLIA_NO_OFFSET, MLIA_STR_NONE,
                         "%zu names for %u %s; the names are ignored", list.count, slot_count, what);
        return NULL;
    }
    *names = MLIA_NEW_ARRAY(file->arena, mlia_str, list.count);
    MLIA_TRY_ALLOC(*names);
    for (size_t i = 0; i < list.count; i++)
        (*names)[i] = mlia_flatbuf_string_at(list, i);
    return NULL;
}

static mlia_status *read_sequence(vgf_reading *file)
{
    mlia_flatbuf buffer;
    MLIA_TRY(vgf_open_table(file, VGF_SEQUENCE, &table_rules, &mlia_vgf_sequence_table, &buffer));
    mlia_flatbuf_table root = mlia_flatbuf_root(&buffer, &mlia_vgf_sequence_table);
    mlia_flatbuf_vector list = mlia_flatbuf_list(root, SEQUENCE_SEGMENTS);
    mlia_vgf *vgf = file->vgf;
    vgf->segments = MLIA_NEW_ARRAY(file->arena, mlia_vgf_segment, list.count);
    MLIA_TRY_ALLOC(vgf->segments);
    vgf->segment_count = (uint32_t)list.count;
    for (uint32_t i = 0; i < list.count; i++)
        MLIA_TRY(in_section(file, VGF_SEQUENCE, read_segment(file, mlia_flatbuf_table_at(list, i), i)));
    MLIA_TRY(read_slots(file, root, SEQUENCE_INPUTS, &vgf->inputs));
    MLIA_TRY(read_slots(file, root, SEQUENCE_OUTPUTS, &vgf->outputs));
    MLIA_TRY(
        read_names(file, root, SEQUENCE_INPUT_NAMES, "model inputs", vgf->inputs.count, &vgf->input_names));
    return read_names(file, root, SEQUENCE_OUTPUT_NAMES, "model outputs", vgf->outputs.count,
                      &vgf->output_names);
}

static mlia_status *bad_index(const char *what, uint32_t value, uint32_t limit)
{
    return mlia_error(MLIA_E_VGF_INDEX, "%s %u, the table has %u entries", what, value, limit);
}

static mlia_status *check_slots(const mlia_vgf *vgf, mlia_vgf_slots slots, const char *what)
{
    for (uint32_t i = 0; i < slots.count; i++)
        if (slots.items[i].resource >= vgf->resource_count)
            return mlia_status_in(bad_index("resource index", slots.items[i].resource, vgf->resource_count),
                                  "%s %u", what, i);
    return NULL;
}

static mlia_status *check_segment_indexes(const mlia_vgf *vgf, const mlia_vgf_segment *segment)
{
    if (segment->module >= vgf->module_count)
        return bad_index("module index", segment->module, vgf->module_count);
    for (uint32_t i = 0; i < segment->constant_count; i++)
        if (segment->constants[i] >= vgf->constant_count)
            return bad_index("constant index", segment->constants[i], vgf->constant_count);
    MLIA_TRY(check_slots(vgf, segment->inputs, "input"));
    MLIA_TRY(check_slots(vgf, segment->outputs, "output"));
    for (uint32_t i = 0; i < segment->set_count; i++)
        MLIA_TRY(check_slots(vgf, segment->sets[i].bindings, "descriptor set binding"));
    return NULL;
}

static mlia_status *check_indexes(const mlia_vgf *vgf)
{
    for (uint32_t i = 0; i < vgf->constant_count; i++)
        if (vgf->constants[i].resource >= vgf->resource_count)
            return mlia_status_in(
                bad_index("resource index", vgf->constants[i].resource, vgf->resource_count), "constant %u",
                i);
    for (uint32_t i = 0; i < vgf->segment_count; i++)
        MLIA_TRY(mlia_status_in(check_segment_indexes(vgf, &vgf->segments[i]), "segment %u", i));
    MLIA_TRY(check_slots(vgf, vgf->inputs, "model input"));
    return check_slots(vgf, vgf->outputs, "model output");
}

static void warn_constants(const vgf_reading *file)
{
    const mlia_vgf *vgf = file->vgf;
    for (uint32_t i = 0; i < vgf->constant_count; i++) {
        const mlia_vgf_constant *constant = &vgf->constants[i];
        const mlia_vgf_resource *resource = &vgf->resources[constant->resource];
        if (resource->category != MLIA_VGF_CONSTANT)
            mlia_warn(file->diagnostics, MLIA_W_VGF_CATEGORY,
                      "constant %u: resource %u is of category %u, not CONSTANT", i, constant->resource,
                      resource->category);
        if (constant->sparsity_dimension >= (int64_t)(resource->rank > 0 ? resource->rank : 1))
            mlia_warn(file->diagnostics, MLIA_W_VGF_SPARSITY,
                      "constant %u: sparsity dimension %d of a tensor of rank %u", i,
                      constant->sparsity_dimension, resource->rank);
    }
}

mlia_status *mlia_vgf_read(mlia_bytes bytes, mlia_arena *arena, mlia_diagnostics *diagnostics, mlia_vgf **vgf)
{
    vgf_reading file = {
        .bytes = bytes, .arena = arena, .diagnostics = diagnostics, .vgf = MLIA_NEW(arena, mlia_vgf)};
    MLIA_TRY_ALLOC(file.vgf);
    MLIA_TRY(read_version(&file));
    for (uint32_t i = 0; i < VGF_SECTION_COUNT; i++)
        MLIA_TRY(read_section(&file, i));
    warn_overlap(&file);
    MLIA_TRY(read_modules(&file));
    MLIA_TRY(read_sequence(&file));
    MLIA_TRY(read_resources(&file));
    MLIA_TRY(vgf_read_constants(&file));
    MLIA_TRY(check_indexes(file.vgf));
    warn_constants(&file);
    *vgf = file.vgf;
    return NULL;
}
