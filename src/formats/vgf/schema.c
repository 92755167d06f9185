/* The schema of schema.h. Source: the VGF library's file format description. */
#include "formats/vgf/schema.h"

#define SCALAR(field_name, field_type)                                                                       \
    {                                                                                                        \
        .name = (field_name), .type = MLIA_FLATBUF_##field_type                                              \
    }
#define SCALAR_OR(field_name, field_type, value)                                                             \
    {                                                                                                        \
        .name = (field_name), .type = MLIA_FLATBUF_##field_type, .initial = (value)                          \
    }
#define VECTOR(field_name, field_type)                                                                       \
    {                                                                                                        \
        .name = (field_name), .type = MLIA_FLATBUF_##field_type, .is_vector = true                           \
    }
#define CHILD(field_name, schema)                                                                            \
    {                                                                                                        \
        .name = (field_name), .type = MLIA_FLATBUF_TABLE, .table = &(schema)                                 \
    }
#define CHILDREN(field_name, schema)                                                                         \
    {                                                                                                        \
        .name = (field_name), .type = MLIA_FLATBUF_TABLE, .is_vector = true, .table = &(schema)              \
    }
#define UNION(field_name, schemas)                                                                           \
    {                                                                                                        \
        .name = (field_name), .type = MLIA_FLATBUF_UNION, .members = (schemas),                              \
        .member_count = sizeof(schemas) / sizeof((schemas)[0])                                               \
    }

static const mlia_flatbuf_field spirv_fields[] = {VECTOR("words", U32)};
static const mlia_flatbuf_field text_fields[] = {SCALAR("code", STRING)};
const mlia_flatbuf_schema mlia_vgf_spirv_schema = MLIA_FLATBUF_SCHEMA("SPIRV", spirv_fields);
const mlia_flatbuf_schema mlia_vgf_text_schema = MLIA_FLATBUF_SCHEMA("text", text_fields);

static const mlia_flatbuf_schema *const code_members[] = {NULL, &mlia_vgf_spirv_schema, &mlia_vgf_text_schema,
                                                          &mlia_vgf_text_schema};
static const mlia_flatbuf_field module_fields[] = {
    SCALAR("type", U8),      SCALAR("name", STRING),      SCALAR("entry_point", STRING),
    SCALAR("code_type", U8), UNION("code", code_members),
};
const mlia_flatbuf_schema mlia_vgf_module_schema = MLIA_FLATBUF_SCHEMA("Module", module_fields);
static const mlia_flatbuf_field module_table_fields[] = {CHILDREN("modules", mlia_vgf_module_schema)};
const mlia_flatbuf_schema mlia_vgf_module_table = MLIA_FLATBUF_SCHEMA("ModuleTable", module_table_fields);

static const mlia_flatbuf_field description_fields[] = {VECTOR("shape", I64), VECTOR("strides", I64)};
const mlia_flatbuf_schema mlia_vgf_description_schema =
    MLIA_FLATBUF_SCHEMA("Description", description_fields);
static const mlia_flatbuf_field sampler_fields[] = {
    SCALAR_OR("min_filter", U32, UINT32_MAX),     SCALAR_OR("mag_filter", U32, UINT32_MAX),
    SCALAR_OR("address_mode_u", U32, UINT32_MAX), SCALAR_OR("address_mode_v", U32, UINT32_MAX),
    SCALAR_OR("border_color", U32, UINT32_MAX),
};
const mlia_flatbuf_schema mlia_vgf_sampler_schema = MLIA_FLATBUF_SCHEMA("SamplerConfig", sampler_fields);
static const mlia_flatbuf_schema *const extra_members[] = {NULL, &mlia_vgf_sampler_schema};
static const mlia_flatbuf_field resource_fields[] = {
    SCALAR("vk_descriptor_type", U32),
    SCALAR("vk_format", U32),
    SCALAR("category", U8),
    CHILD("description", mlia_vgf_description_schema),
    SCALAR("extra_config_type", U8),
    UNION("extra_config", extra_members),
    SCALAR_OR("alias_group_id", U32, UINT32_MAX),
};
const mlia_flatbuf_schema mlia_vgf_resource_schema =
    MLIA_FLATBUF_SCHEMA("ModelResourceTableEntry", resource_fields);
static const mlia_flatbuf_field resource_table_fields[] = {CHILDREN("mrt_entry", mlia_vgf_resource_schema)};
const mlia_flatbuf_schema mlia_vgf_resource_table =
    MLIA_FLATBUF_SCHEMA("ModelResourceTable", resource_table_fields);

static const mlia_flatbuf_field slot_fields[] = {SCALAR("binding", U32), SCALAR("mrt_index", U32)};
const mlia_flatbuf_schema mlia_vgf_slot_schema = MLIA_FLATBUF_SCHEMA("BindingSlot", slot_fields);
static const mlia_flatbuf_field set_fields[] = {
    CHILDREN("bindings", mlia_vgf_slot_schema),
    SCALAR_OR("set_index", U32, UINT32_MAX),
};
const mlia_flatbuf_schema mlia_vgf_set_schema = MLIA_FLATBUF_SCHEMA("DescriptorSetInfo", set_fields);
static const mlia_flatbuf_field push_fields[] = {SCALAR("stage_flags", U32), SCALAR("offset", U32),
                                                 SCALAR("size", U32)};
const mlia_flatbuf_schema mlia_vgf_push_schema = MLIA_FLATBUF_SCHEMA("PushConstantRange", push_fields);
static const mlia_flatbuf_field binding_fields[] = {SCALAR("graph_constant_id", U32),
                                                    SCALAR("constant_table_index", U32)};
const mlia_flatbuf_schema mlia_vgf_binding_schema =
    MLIA_FLATBUF_SCHEMA("GraphConstantBinding", binding_fields);
static const mlia_flatbuf_field segment_fields[] = {
    SCALAR("type", U8),
    SCALAR("name", STRING),
    SCALAR("module_index", U32),
    CHILDREN("set_infos", mlia_vgf_set_schema),
    CHILDREN("inputs", mlia_vgf_slot_schema),
    CHILDREN("outputs", mlia_vgf_slot_schema),
    VECTOR("constants", U32),
    VECTOR("dispatch_shape", U32),
    CHILDREN("push_constant_ranges", mlia_vgf_push_schema),
    CHILDREN("constant_bindings", mlia_vgf_binding_schema),
};
const mlia_flatbuf_schema mlia_vgf_segment_schema = MLIA_FLATBUF_SCHEMA("SegmentInfo", segment_fields);
static const mlia_flatbuf_field sequence_fields[] = {
    CHILDREN("segments", mlia_vgf_segment_schema),
    CHILDREN("inputs", mlia_vgf_slot_schema),
    CHILDREN("outputs", mlia_vgf_slot_schema),
    VECTOR("input_names", STRING),
    VECTOR("output_names", STRING),
};
const mlia_flatbuf_schema mlia_vgf_sequence_table =
    MLIA_FLATBUF_SCHEMA("ModelSequenceTable", sequence_fields);

static const mlia_flatbuf_field old_constant_fields[] = {
    SCALAR("mrt_index", U32),
    SCALAR("sparsity_dimension", I64),
    VECTOR("raw", U8),
};
static const mlia_flatbuf_schema old_constant_schema =
    MLIA_FLATBUF_SCHEMA("ConstantData", old_constant_fields);
static const mlia_flatbuf_field old_constants_fields[] = {CHILDREN("data", old_constant_schema)};
const mlia_flatbuf_schema mlia_vgf_old_constants_table =
    MLIA_FLATBUF_SCHEMA("ConstantSection", old_constants_fields);
