/* FlatBuffers schema of the sections of a VGF, for the reader and the writer; field numbers. Private to this
 * room. */
#ifndef MLIA_VGF_SCHEMA_H
#define MLIA_VGF_SCHEMA_H

#include "formats/flatbuf/flatbuf.h"

enum { MODULE_TABLE_MODULES };
enum { MODULE_TYPE, MODULE_NAME, MODULE_ENTRY_POINT, MODULE_CODE_TYPE, MODULE_CODE };
enum { CODE_DATA }; /* words of SPIRV, text of GLSL and HLSL */
enum { RESOURCE_TABLE_ENTRIES };
enum {
    RESOURCE_DESCRIPTOR_TYPE,
    RESOURCE_FORMAT,
    RESOURCE_CATEGORY,
    RESOURCE_DESCRIPTION,
    RESOURCE_EXTRA_TYPE,
    RESOURCE_EXTRA,
    RESOURCE_ALIAS_GROUP,
};
enum { DESCRIPTION_SHAPE, DESCRIPTION_STRIDES };
enum { SEQUENCE_SEGMENTS, SEQUENCE_INPUTS, SEQUENCE_OUTPUTS, SEQUENCE_INPUT_NAMES, SEQUENCE_OUTPUT_NAMES };
enum {
    SEGMENT_TYPE,
    SEGMENT_NAME,
    SEGMENT_MODULE,
    SEGMENT_SETS,
    SEGMENT_INPUTS,
    SEGMENT_OUTPUTS,
    SEGMENT_CONSTANTS,
    SEGMENT_DISPATCH_SHAPE,
    SEGMENT_PUSH_CONSTANTS,
    SEGMENT_CONSTANT_BINDINGS,
};
enum { SET_BINDINGS, SET_INDEX };
enum { SLOT_BINDING, SLOT_RESOURCE };
enum { PUSH_STAGE_FLAGS, PUSH_OFFSET, PUSH_SIZE };
enum { BINDING_ID, BINDING_CONSTANT };
enum { OLD_CONSTANTS_DATA };
enum { OLD_CONSTANT_RESOURCE, OLD_CONSTANT_SPARSITY, OLD_CONSTANT_RAW };

extern const mlia_flatbuf_schema mlia_vgf_module_table;
extern const mlia_flatbuf_schema mlia_vgf_module_schema;
extern const mlia_flatbuf_schema mlia_vgf_spirv_schema;
extern const mlia_flatbuf_schema mlia_vgf_text_schema;
extern const mlia_flatbuf_schema mlia_vgf_resource_table;
extern const mlia_flatbuf_schema mlia_vgf_resource_schema;
extern const mlia_flatbuf_schema mlia_vgf_description_schema;
extern const mlia_flatbuf_schema mlia_vgf_sampler_schema;
extern const mlia_flatbuf_schema mlia_vgf_sequence_table;
extern const mlia_flatbuf_schema mlia_vgf_segment_schema;
extern const mlia_flatbuf_schema mlia_vgf_set_schema;
extern const mlia_flatbuf_schema mlia_vgf_slot_schema;
extern const mlia_flatbuf_schema mlia_vgf_push_schema;
extern const mlia_flatbuf_schema mlia_vgf_binding_schema;
extern const mlia_flatbuf_schema mlia_vgf_old_constants_table; /* constants before 0.4.0 */

/* Container facts shared by reader and writer. */
enum {
    VGF_HEADER_SIZE = 128,
    VGF_VERSION_OFFSET = 8,
    VGF_SECTIONS_OFFSET = 16, /* four pairs of u64 offset and size */
    VGF_SECTION_COUNT = 4,
    VGF_CONSTANTS_HEADER = 16,
    VGF_CONSTANTS_ENTRY = 24,
};
#define VGF_MAGIC         "VGF1"
#define VGF_CONSTANTS_TAG "CONST00" /* and its NUL */

#endif
