/* Field tables of the TensorFlow Lite schema. Source: the public schema, version 3. */
#include "formats/tflite/schema.h"

#include "formats/tflite/tflite.h"

/* Option tables; the entry behind the fields keeps tables without fields from being empty arrays. */
#define OPTIONS(id, union_number, number) static const mlia_flatbuf_field id##_fields[] = {
#define FIELD(id, field, field_type, vector, initial_value)                                                  \
    {.name = #field, .type = MLIA_FLATBUF_##field_type, .is_vector = (vector), .initial = (initial_value)},
#define END(id)                                                                                              \
    {                                                                                                        \
        .name = NULL                                                                                         \
    }                                                                                                        \
    }                                                                                                        \
    ;                                                                                                        \
    static const mlia_flatbuf_schema id##_schema = {                                                         \
        .name = #id, .fields = id##_fields, .field_count = MLIA_TFLITE_##id##_FIELDS};
#include "formats/tflite/options.def"
#undef OPTIONS
#undef FIELD
#undef END

enum { UNION_LIMIT = 127 };

/* The unions by tag: OPTIONS(…, 1, n) goes to the first, OPTIONS(…, 2, n) to the second. */
#define FIELD(table, field, field_type, vector, initial_value)
#define END(name)
#define OPTIONS(name, union_number, number) IN_UNION_##union_number(name, number)
#define IN_UNION_1(name, number)            [number] = &name##_schema,
#define IN_UNION_2(name, number)
static const mlia_flatbuf_schema *const first_union[UNION_LIMIT] = {
#include "formats/tflite/options.def"
};
#undef IN_UNION_1
#undef IN_UNION_2
#define IN_UNION_1(name, number)
#define IN_UNION_2(name, number) [number] = &name##_schema,
static const mlia_flatbuf_schema *const second_union[UNION_LIMIT] = {
#include "formats/tflite/options.def"
};
#undef IN_UNION_1
#undef IN_UNION_2
#undef OPTIONS
#undef FIELD
#undef END

/* Operators without options. */
static const mlia_flatbuf_schema None_schema = {.name = "none"};

static const struct {
    mlia_str name;
    const mlia_flatbuf_schema *options;
} builtins[MLIA_TFLITE_OP_LIMIT] = {
#define BUILTIN(number, name, options_name) [number] = {MLIA_STR_INIT(#name), &options_name##_schema},
#include "formats/tflite/builtins.def"
#undef BUILTIN
};

static const struct {
    mlia_str name;
    uint8_t bits;
} types[MLIA_TFLITE_TYPE_COUNT] = {
    [MLIA_TFLITE_FLOAT32] = {MLIA_STR_INIT("FLOAT32"), 32},
    [MLIA_TFLITE_FLOAT16] = {MLIA_STR_INIT("FLOAT16"), 16},
    [MLIA_TFLITE_INT32] = {MLIA_STR_INIT("INT32"), 32},
    [MLIA_TFLITE_UINT8] = {MLIA_STR_INIT("UINT8"), 8},
    [MLIA_TFLITE_INT64] = {MLIA_STR_INIT("INT64"), 64},
    [MLIA_TFLITE_STRING] = {MLIA_STR_INIT("STRING"), 0},
    [MLIA_TFLITE_BOOL] = {MLIA_STR_INIT("BOOL"), 8},
    [MLIA_TFLITE_INT16] = {MLIA_STR_INIT("INT16"), 16},
    [MLIA_TFLITE_COMPLEX64] = {MLIA_STR_INIT("COMPLEX64"), 64},
    [MLIA_TFLITE_INT8] = {MLIA_STR_INIT("INT8"), 8},
    [MLIA_TFLITE_FLOAT64] = {MLIA_STR_INIT("FLOAT64"), 64},
    [MLIA_TFLITE_COMPLEX128] = {MLIA_STR_INIT("COMPLEX128"), 128},
    [MLIA_TFLITE_UINT64] = {MLIA_STR_INIT("UINT64"), 64},
    [MLIA_TFLITE_RESOURCE] = {MLIA_STR_INIT("RESOURCE"), 0},
    [MLIA_TFLITE_VARIANT] = {MLIA_STR_INIT("VARIANT"), 0},
    [MLIA_TFLITE_UINT32] = {MLIA_STR_INIT("UINT32"), 32},
    [MLIA_TFLITE_UINT16] = {MLIA_STR_INIT("UINT16"), 16},
    [MLIA_TFLITE_INT4] = {MLIA_STR_INIT("INT4"), 4},
    [MLIA_TFLITE_BFLOAT16] = {MLIA_STR_INIT("BFLOAT16"), 16},
    [MLIA_TFLITE_INT2] = {MLIA_STR_INIT("INT2"), 2},
    [MLIA_TFLITE_UINT4] = {MLIA_STR_INIT("UINT4"), 4},
    [MLIA_TFLITE_FLOAT8_E4M3FN] = {MLIA_STR_INIT("FLOAT8_E4M3FN"), 8},
    [MLIA_TFLITE_FLOAT8_E5M2] = {MLIA_STR_INIT("FLOAT8_E5M2"), 8},
};

/* ---- tables of the model ---- */

#define SCALAR(field_name, field_type)                                                                       \
    {                                                                                                        \
        .name = (field_name), .type = MLIA_FLATBUF_##field_type                                              \
    }
#define DEFAULT(field_name, field_type, value)                                                               \
    {                                                                                                        \
        .name = (field_name), .type = MLIA_FLATBUF_##field_type, .initial = (value)                          \
    }
#define VECTOR(field_name, field_type)                                                                       \
    {                                                                                                        \
        .name = (field_name), .type = MLIA_FLATBUF_##field_type, .is_vector = true                           \
    }
#define TABLE(field_name, schema)                                                                            \
    {                                                                                                        \
        .name = (field_name), .type = MLIA_FLATBUF_TABLE, .table = &(schema)                                 \
    }
#define TABLES(field_name, schema)                                                                           \
    {                                                                                                        \
        .name = (field_name), .type = MLIA_FLATBUF_TABLE, .is_vector = true, .table = &(schema)              \
    }
#define UNION(field_name, list)                                                                              \
    {                                                                                                        \
        .name = (field_name), .type = MLIA_FLATBUF_UNION, .members = (list),                                 \
        .member_count = sizeof(list) / sizeof((list)[0])                                                     \
    }

static const mlia_flatbuf_field code_fields[] = {
    [CODE_DEPRECATED] = SCALAR("deprecated_builtin_code", I8),
    [CODE_CUSTOM] = SCALAR("custom_code", STRING),
    [CODE_VERSION] = DEFAULT("version", I32, 1),
    [CODE_BUILTIN] = SCALAR("builtin_code", I32),
};
static const mlia_flatbuf_schema code_schema = MLIA_FLATBUF_SCHEMA("OperatorCode", code_fields);

static const mlia_flatbuf_field int32_vector_fields[] = {VECTOR("values", I32)};
static const mlia_flatbuf_schema int32_vector = MLIA_FLATBUF_SCHEMA("Int32Vector", int32_vector_fields);
static const mlia_flatbuf_field uint16_vector_fields[] = {VECTOR("values", U16)};
static const mlia_flatbuf_schema uint16_vector = MLIA_FLATBUF_SCHEMA("Uint16Vector", uint16_vector_fields);
static const mlia_flatbuf_field uint8_vector_fields[] = {VECTOR("values", U8)};
static const mlia_flatbuf_schema uint8_vector = MLIA_FLATBUF_SCHEMA("Uint8Vector", uint8_vector_fields);
static const mlia_flatbuf_schema *const index_vectors[] = {NULL, &int32_vector, &uint16_vector,
                                                           &uint8_vector};

static const mlia_flatbuf_field dimension_fields[] = {
    [DIMENSION_FORMAT] = SCALAR("format", I8),
    [DIMENSION_DENSE_SIZE] = SCALAR("dense_size", I32),
    [DIMENSION_SEGMENTS_TYPE] = SCALAR("array_segments_type", U8),
    [DIMENSION_SEGMENTS] = UNION("array_segments", index_vectors),
    [DIMENSION_INDICES_TYPE] = SCALAR("array_indices_type", U8),
    [DIMENSION_INDICES] = UNION("array_indices", index_vectors),
};
static const mlia_flatbuf_schema dimension_schema =
    MLIA_FLATBUF_SCHEMA("DimensionMetadata", dimension_fields);

static const mlia_flatbuf_field sparsity_fields[] = {
    [SPARSITY_ORDER] = VECTOR("traversal_order", I32),
    [SPARSITY_BLOCK_MAP] = VECTOR("block_map", I32),
    [SPARSITY_DIMENSIONS] = TABLES("dim_metadata", dimension_schema),
};
static const mlia_flatbuf_schema sparsity_schema = MLIA_FLATBUF_SCHEMA("SparsityParameters", sparsity_fields);

static const mlia_flatbuf_field quantization_fields[] = {
    [QUANT_MIN] = VECTOR("min", F32),
    [QUANT_MAX] = VECTOR("max", F32),
    [QUANT_SCALE] = VECTOR("scale", F32),
    [QUANT_ZERO_POINT] = VECTOR("zero_point", I64),
    [QUANT_TYPE] = SCALAR("details_type", U8),
    [QUANT_DETAILS] = SCALAR("details", SKIPPED),
    [QUANT_DIMENSION] = SCALAR("quantized_dimension", I32),
};
static const mlia_flatbuf_schema quantization_schema =
    MLIA_FLATBUF_SCHEMA("QuantizationParameters", quantization_fields);

static const mlia_flatbuf_field tensor_fields[] = {
    [TENSOR_SHAPE] = VECTOR("shape", I32),
    [TENSOR_TYPE] = SCALAR("type", I8),
    [TENSOR_BUFFER] = SCALAR("buffer", U32),
    [TENSOR_NAME] = SCALAR("name", STRING),
    [TENSOR_QUANTIZATION] = TABLE("quantization", quantization_schema),
    [TENSOR_IS_VARIABLE] = SCALAR("is_variable", BOOL),
    [TENSOR_SPARSITY] = TABLE("sparsity", sparsity_schema),
    [TENSOR_SIGNATURE] = VECTOR("shape_signature", I32),
    [TENSOR_HAS_RANK] = SCALAR("has_rank", BOOL),
    [TENSOR_VARIANTS] = SCALAR("variant_tensors", SKIPPED),
    [TENSOR_EXTERNAL_BUFFER] = SCALAR("external_buffer", U32),
};
static const mlia_flatbuf_schema tensor_schema = MLIA_FLATBUF_SCHEMA("Tensor", tensor_fields);

static const mlia_flatbuf_field operator_fields[] = {
    [OPERATOR_CODE] = SCALAR("opcode_index", U32),
    [OPERATOR_INPUTS] = VECTOR("inputs", I32),
    [OPERATOR_OUTPUTS] = VECTOR("outputs", I32),
    [OPERATOR_OPTIONS_TYPE] = SCALAR("builtin_options_type", U8),
    [OPERATOR_OPTIONS] = UNION("builtin_options", first_union),
    [OPERATOR_CUSTOM_OPTIONS] = VECTOR("custom_options", U8),
    [OPERATOR_CUSTOM_FORMAT] = SCALAR("custom_options_format", I8),
    [OPERATOR_MUTATING] = VECTOR("mutating_variable_inputs", BOOL),
    [OPERATOR_INTERMEDIATES] = VECTOR("intermediates", I32),
    [OPERATOR_LARGE_OFFSET] = SCALAR("large_custom_options_offset", U64),
    [OPERATOR_LARGE_SIZE] = SCALAR("large_custom_options_size", U64),
    [OPERATOR_OPTIONS_2_TYPE] = SCALAR("builtin_options_2_type", U8),
    [OPERATOR_OPTIONS_2] = UNION("builtin_options_2", second_union),
};
static const mlia_flatbuf_schema operator_schema = MLIA_FLATBUF_SCHEMA("Operator", operator_fields);

static const mlia_flatbuf_field subgraph_fields[] = {
    [SUBGRAPH_TENSORS] = TABLES("tensors", tensor_schema),
    [SUBGRAPH_INPUTS] = VECTOR("inputs", I32),
    [SUBGRAPH_OUTPUTS] = VECTOR("outputs", I32),
    [SUBGRAPH_OPERATORS] = TABLES("operators", operator_schema),
    [SUBGRAPH_NAME] = SCALAR("name", STRING),
};
static const mlia_flatbuf_schema subgraph_schema = MLIA_FLATBUF_SCHEMA("SubGraph", subgraph_fields);

static const mlia_flatbuf_field buffer_fields[] = {
    [BUFFER_DATA] = VECTOR("data", U8),
    [BUFFER_OFFSET] = SCALAR("offset", U64),
    [BUFFER_SIZE] = SCALAR("size", U64),
};
static const mlia_flatbuf_schema buffer_schema = MLIA_FLATBUF_SCHEMA("Buffer", buffer_fields);

static const mlia_flatbuf_field group_fields[] = {[GROUP_NAME] = SCALAR("name", STRING)};
static const mlia_flatbuf_schema group_schema = MLIA_FLATBUF_SCHEMA("ExternalBufferGroup", group_fields);

static const mlia_flatbuf_field external_fields[] = {
    [EXTERNAL_ID] = SCALAR("id", U32),
    [EXTERNAL_GROUP] = SCALAR("group", U32),
    [EXTERNAL_OFFSET] = SCALAR("offset", U64),
    [EXTERNAL_LENGTH] = SCALAR("length", U64),
    [EXTERNAL_PACKING] = SCALAR("packing", STRING),
};
static const mlia_flatbuf_schema external_schema = MLIA_FLATBUF_SCHEMA("ExternalBuffer", external_fields);

static const mlia_flatbuf_field metadata_fields[] = {
    [METADATA_NAME] = SCALAR("name", STRING),
    [METADATA_BUFFER] = SCALAR("buffer", U32),
};
static const mlia_flatbuf_schema metadata_schema = MLIA_FLATBUF_SCHEMA("Metadata", metadata_fields);

static const mlia_flatbuf_field map_fields[] = {
    [MAP_NAME] = SCALAR("name", STRING),
    [MAP_TENSOR] = SCALAR("tensor_index", U32),
};
static const mlia_flatbuf_schema map_schema = MLIA_FLATBUF_SCHEMA("TensorMap", map_fields);

static const mlia_flatbuf_field signature_fields[] = {
    [SIGNATURE_INPUTS] = TABLES("inputs", map_schema),    [SIGNATURE_OUTPUTS] = TABLES("outputs", map_schema),
    [SIGNATURE_KEY] = SCALAR("signature_key", STRING),    [SIGNATURE_OLD_TAG] = SCALAR("tag", SKIPPED),
    [SIGNATURE_SUBGRAPH] = SCALAR("subgraph_index", U32),
};
static const mlia_flatbuf_schema signature_schema = MLIA_FLATBUF_SCHEMA("SignatureDef", signature_fields);

static const mlia_flatbuf_field model_fields[] = {
    [MODEL_VERSION] = SCALAR("version", U32),
    [MODEL_OPERATOR_CODES] = TABLES("operator_codes", code_schema),
    [MODEL_SUBGRAPHS] = TABLES("subgraphs", subgraph_schema),
    [MODEL_DESCRIPTION] = SCALAR("description", STRING),
    [MODEL_BUFFERS] = TABLES("buffers", buffer_schema),
    [MODEL_METADATA_BUFFER] = VECTOR("metadata_buffer", I32),
    [MODEL_METADATA] = TABLES("metadata", metadata_schema),
    [MODEL_SIGNATURES] = TABLES("signature_defs", signature_schema),
    [MODEL_EXTERNAL_GROUPS] = TABLES("external_buffer_groups", group_schema),
    [MODEL_EXTERNAL_BUFFERS] = TABLES("external_buffers", external_schema),
};
const mlia_flatbuf_schema mlia_tflite_model_schema = MLIA_FLATBUF_SCHEMA("Model", model_fields);
const mlia_flatbuf_schema mlia_tflite_version_schema = {
    .name = "Model", .fields = model_fields, .field_count = 1};

/* ---- look-ups ---- */

mlia_str mlia_tflite_type_name(uint32_t type)
{
    return type < MLIA_TFLITE_TYPE_COUNT ? types[type].name : MLIA_STR("UNKNOWN");
}

uint32_t mlia_tflite_type_bits(uint32_t type)
{
    return type < MLIA_TFLITE_TYPE_COUNT ? types[type].bits : 0;
}

mlia_str mlia_tflite_op_name(uint32_t op)
{
    return op < MLIA_TFLITE_OP_LIMIT ? builtins[op].name : MLIA_STR_NONE;
}

const mlia_flatbuf_schema *mlia_tflite_op_options(uint32_t op)
{
    const mlia_flatbuf_schema *options = op < MLIA_TFLITE_OP_LIMIT ? builtins[op].options : NULL;
    return options == &None_schema ? NULL : options;
}

static uint32_t position_in(const mlia_flatbuf_schema *const *list, const mlia_flatbuf_schema *options)
{
    for (uint32_t tag = 1; tag < UNION_LIMIT; tag++)
        if (list[tag] == options)
            return tag;
    return 0;
}

bool mlia_tflite_options_in_second(const mlia_flatbuf_schema *options)
{
    return options != NULL && position_in(second_union, options) != 0;
}

uint32_t mlia_tflite_options_tag(const mlia_flatbuf_schema *options)
{
    if (options == NULL)
        return 0;
    uint32_t tag = position_in(first_union, options);
    return tag != 0 ? tag : position_in(second_union, options);
}
