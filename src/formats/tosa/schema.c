/* Schema tables for formats/flatbuf. The attribute tables come from the operator table of graph/, so an
 * operator is described once. */
#include "formats/tosa/schema.h"

#include "graph/operators.h"

#define SCALAR(field, kind)                                                                                  \
    {                                                                                                        \
        .name = (field), .type = MLIA_FLATBUF_##kind                                                         \
    }
#define UNREAD(field)                                                                                        \
    {                                                                                                        \
        .name = (field), .type = MLIA_FLATBUF_SKIPPED                                                        \
    }
#define STRING(field)                                                                                        \
    {                                                                                                        \
        .name = (field), .type = MLIA_FLATBUF_STRING                                                         \
    }
#define LIST(field, kind)                                                                                    \
    {                                                                                                        \
        .name = (field), .type = MLIA_FLATBUF_##kind, .is_vector = true                                      \
    }
#define TABLE(field, schema)                                                                                 \
    {                                                                                                        \
        .name = (field), .type = MLIA_FLATBUF_TABLE, .table = &(schema)                                      \
    }
#define TABLES(field, schema, limit)                                                                         \
    {                                                                                                        \
        .name = (field), .type = MLIA_FLATBUF_TABLE, .is_vector = true, .table = &(schema),                  \
        .max_count = (limit)                                                                                 \
    }

/* Attribute fields by their name in operators.def. */
#define ATTRIBUTE_AXIS                 SCALAR("axis", I32)
#define ATTRIBUTE_NAN_MODE             SCALAR("nan_mode", U32)
#define ATTRIBUTE_KERNEL               LIST("kernel", I32)
#define ATTRIBUTE_STRIDE               LIST("stride", I32)
#define ATTRIBUTE_PAD                  LIST("pad", I32)
#define ATTRIBUTE_DILATION             LIST("dilation", I32)
#define ATTRIBUTE_OUT_PAD              LIST("out_pad", I32)
#define ATTRIBUTE_ACC_TYPE             SCALAR("acc_type", U32)
#define ATTRIBUTE_LOCAL_BOUND          SCALAR("local_bound", BOOL)
#define ATTRIBUTE_INVERSE              SCALAR("inverse", BOOL)
#define ATTRIBUTE_MIN_VAL              LIST("min_val", U8)
#define ATTRIBUTE_MAX_VAL              LIST("max_val", U8)
#define ATTRIBUTE_ROUND                SCALAR("round", BOOL)
#define ATTRIBUTE_PERMS                LIST("perms", I32)
#define ATTRIBUTE_MODE                 SCALAR("mode", U32)
#define ATTRIBUTE_SCALE32              SCALAR("scale32", BOOL)
#define ATTRIBUTE_ROUNDING_MODE        SCALAR("rounding_mode", U32)
#define ATTRIBUTE_PER_CHANNEL          SCALAR("per_channel", BOOL)
#define ATTRIBUTE_INPUT_UNSIGNED       SCALAR("input_unsigned", BOOL)
#define ATTRIBUTE_OUTPUT_UNSIGNED      SCALAR("output_unsigned", BOOL)
#define ATTRIBUTE_OPERATOR_NAME        STRING("operator_name")
#define ATTRIBUTE_DOMAIN_NAME          STRING("domain_name")
#define ATTRIBUTE_IMPLEMENTATION_ATTRS LIST("implementation_attrs", U8)
#define ATTRIBUTE_THEN_GRAPH           STRING("then_graph")
#define ATTRIBUTE_ELSE_GRAPH           STRING("else_graph")
#define ATTRIBUTE_COND_GRAPH           STRING("cond_graph")
#define ATTRIBUTE_BODY_GRAPH           STRING("body_graph")
#define ATTRIBUTE_BLOCK_SIZE           SCALAR("block_size", U32)
#define ATTRIBUTE_ALLOW_BROADCAST      SCALAR("allow_broadcast", BOOL)

/* FIELDS(AXIS, NAN_MODE) → an array of fields and its length. */
#define F1(a)                               ATTRIBUTE_##a
#define F2(a, b)                            F1(a), F1(b)
#define F3(a, b, c)                         F2(a, b), F1(c)
#define F4(a, b, c, d)                      F3(a, b, c), F1(d)
#define F5(a, b, c, d, e)                   F4(a, b, c, d), F1(e)
#define PICK(_1, _2, _3, _4, _5, name, ...) name
#define FIELDS(...)                         ARRAY(PICK(__VA_ARGS__, F5, F4, F3, F2, F1, )(__VA_ARGS__))
#define ARRAY(...)                                                                                           \
    (const mlia_flatbuf_field[]){__VA_ARGS__},                                                               \
        sizeof((const mlia_flatbuf_field[]){__VA_ARGS__}) / sizeof(mlia_flatbuf_field)
#define NO_FIELDS NULL, 0

static const mlia_flatbuf_schema attributes[MLIA_OP_LIMIT] = {
#define X(number, name, mlir, table, group, inputs, outputs, fields) [number] = {table, fields},
#include "graph/operators.def"
#undef X
};

static const mlia_flatbuf_schema *const attribute_members[MLIA_OP_LIMIT] = {
#define X(number, name, mlir, table, group, inputs, outputs, fields) [number] = &attributes[number],
#include "graph/operators.def"
#undef X
};

const mlia_flatbuf_schema *mlia_tosa_attribute_schema(uint32_t op)
{
    return op < MLIA_OP_LIMIT ? attribute_members[op] : NULL;
}

static const mlia_flatbuf_field location_fields[] = {[TOSA_LOCATION_TEXT] = STRING("text")};
const mlia_flatbuf_schema mlia_tosa_location_schema = MLIA_FLATBUF_SCHEMA("OpLocation", location_fields);

static const mlia_flatbuf_field operator_fields[] = {
    [TOSA_OPERATOR_OP] = SCALAR("op", U32),
    [TOSA_OPERATOR_ATTRIBUTE_TYPE] = SCALAR("attribute_type", U8),
    [TOSA_OPERATOR_ATTRIBUTE] = {.name = "attribute",
                                 .type = MLIA_FLATBUF_UNION,
                                 .members = attribute_members,
                                 .member_count = MLIA_OP_LIMIT},
    [TOSA_OPERATOR_INPUTS] = LIST("inputs", STRING),
    [TOSA_OPERATOR_OUTPUTS] = LIST("outputs", STRING),
    [TOSA_OPERATOR_LOCATION] = TABLE("location", mlia_tosa_location_schema),
};
const mlia_flatbuf_schema mlia_tosa_operator_schema = MLIA_FLATBUF_SCHEMA("TosaOperator", operator_fields);

static const mlia_flatbuf_field tensor_fields[] = {
    [TOSA_TENSOR_NAME] = STRING("name"),
    [TOSA_TENSOR_SHAPE] = LIST("shape", I32),
    [TOSA_TENSOR_TYPE] = SCALAR("type", U32),
    [TOSA_TENSOR_DATA] = LIST("data", U8),
    [TOSA_TENSOR_VARIABLE] = SCALAR("variable", BOOL),
    [TOSA_TENSOR_IS_UNRANKED] = SCALAR("is_unranked", BOOL),
    [TOSA_TENSOR_VARIABLE_NAME] = STRING("variable_name"),
    [TOSA_TENSOR_OFFSET] = SCALAR("offset", U64),
    [TOSA_TENSOR_SIZE] = SCALAR("size", U64),
    [TOSA_TENSOR_SCALE_TYPE] = SCALAR("scale_type", U32),
    [TOSA_TENSOR_SCALE_DATA] = LIST("scale_data", U8),
    [TOSA_TENSOR_BLOCK_SHAPE] = SCALAR("block_shape", U32),
    [TOSA_TENSOR_SCALE_OFFSET] = SCALAR("scale_offset", U64),
    [TOSA_TENSOR_SCALE_SIZE] = SCALAR("scale_size", U64),
};
const mlia_flatbuf_schema mlia_tosa_tensor_schema = MLIA_FLATBUF_SCHEMA("TosaTensor", tensor_fields);

static const mlia_flatbuf_field shape_fields[] = {
    [TOSA_SHAPE_NAME] = STRING("name"),
    [TOSA_SHAPE_RANK] = SCALAR("rank", U32),
    [TOSA_SHAPE_DATA] = LIST("data", U8),
};
const mlia_flatbuf_schema mlia_tosa_shape_schema = MLIA_FLATBUF_SCHEMA("TosaShape", shape_fields);

static const mlia_flatbuf_field block_fields[] = {
    [TOSA_BLOCK_NAME] = STRING("name"),
    [TOSA_BLOCK_OPERATORS] = TABLES("operators", mlia_tosa_operator_schema, TOSA_OPERATOR_LIMIT),
    [TOSA_BLOCK_TENSORS] = TABLES("tensors", mlia_tosa_tensor_schema, 0),
    [TOSA_BLOCK_INPUTS] = LIST("inputs", STRING),
    [TOSA_BLOCK_OUTPUTS] = LIST("outputs", STRING),
    [TOSA_BLOCK_SHAPES] = TABLES("shapes", mlia_tosa_shape_schema, 0),
};
const mlia_flatbuf_schema mlia_tosa_block_schema = MLIA_FLATBUF_SCHEMA("TosaBasicBlock", block_fields);

static const mlia_flatbuf_field region_fields[] = {
    [TOSA_REGION_NAME] = STRING("name"),
    [TOSA_REGION_BLOCKS] = TABLES("blocks", mlia_tosa_block_schema, TOSA_BLOCK_LIMIT),
};
const mlia_flatbuf_schema mlia_tosa_region_schema = MLIA_FLATBUF_SCHEMA("TosaRegion", region_fields);

static const mlia_flatbuf_field version_fields[] = {
    [TOSA_VERSION_MAJOR] = {.name = "_major", .type = MLIA_FLATBUF_I32, .initial = -1},
    [TOSA_VERSION_MINOR] = {.name = "_minor", .type = MLIA_FLATBUF_I32, .initial = -1},
    [TOSA_VERSION_PATCH] = {.name = "_patch", .type = MLIA_FLATBUF_I32, .initial = -1},
    [TOSA_VERSION_DRAFT] = {.name = "_draft", .type = MLIA_FLATBUF_BOOL, .initial = 1},
};
const mlia_flatbuf_schema mlia_tosa_version_schema = MLIA_FLATBUF_SCHEMA("Version", version_fields);

/* Which release of which library wrote the file never decides anything: it is not looked at. */
static const mlia_flatbuf_field compatibility_fields[] = {
    [TOSA_COMPATIBILITY_MIN_READER_VERSION] = UNREAD("min_reader_version"),
    [TOSA_COMPATIBILITY_FEATURES] = SCALAR("features", U64),
};
static const mlia_flatbuf_schema compatibility_schema =
    MLIA_FLATBUF_SCHEMA("SerializationCompatibility", compatibility_fields);

#define VERSION_FIELD                                                                                        \
    {                                                                                                        \
        .name = "version", .type = MLIA_FLATBUF_TABLE, .is_required = true,                                  \
        .table = &mlia_tosa_version_schema                                                                   \
    }

static const mlia_flatbuf_field graph_fields[] = {
    [TOSA_GRAPH_VERSION] = VERSION_FIELD,
    [TOSA_GRAPH_REGIONS] = TABLES("regions", mlia_tosa_region_schema, TOSA_REGION_LIMIT),
    [TOSA_GRAPH_SOFTWARE_VERSION] = UNREAD("software_version"),
    [TOSA_GRAPH_COMPATIBILITY] = TABLE("compatibility", compatibility_schema),
};
const mlia_flatbuf_schema mlia_tosa_graph_schema = MLIA_FLATBUF_SCHEMA("TosaGraph", graph_fields);

static const mlia_flatbuf_field version_only_fields[] = {
    [TOSA_GRAPH_VERSION] = VERSION_FIELD,
    [TOSA_GRAPH_REGIONS] = UNREAD("regions"),
    [TOSA_GRAPH_SOFTWARE_VERSION] = UNREAD("software_version"),
    [TOSA_GRAPH_COMPATIBILITY] = TABLE("compatibility", compatibility_schema),
};
const mlia_flatbuf_schema mlia_tosa_version_only_schema =
    MLIA_FLATBUF_SCHEMA("TosaGraph", version_only_fields);
