/* The tables of the public TOSA FlatBuffers schema (1.1 draft; 1.0 is a prefix of it). The enumerators are
 * field ids. */
#ifndef MLIA_FORMATS_TOSA_SCHEMA_H
#define MLIA_FORMATS_TOSA_SCHEMA_H

#include "formats/flatbuf/flatbuf.h"

enum { TOSA_GRAPH_VERSION, TOSA_GRAPH_REGIONS, TOSA_GRAPH_SOFTWARE_VERSION, TOSA_GRAPH_COMPATIBILITY };
enum { TOSA_VERSION_MAJOR, TOSA_VERSION_MINOR, TOSA_VERSION_PATCH, TOSA_VERSION_DRAFT };
enum { TOSA_COMPATIBILITY_MIN_READER_VERSION, TOSA_COMPATIBILITY_FEATURES };
enum { TOSA_REGION_NAME, TOSA_REGION_BLOCKS };
enum {
    TOSA_BLOCK_NAME,
    TOSA_BLOCK_OPERATORS,
    TOSA_BLOCK_TENSORS,
    TOSA_BLOCK_INPUTS,
    TOSA_BLOCK_OUTPUTS,
    TOSA_BLOCK_SHAPES,
};
enum {
    TOSA_OPERATOR_OP,
    TOSA_OPERATOR_ATTRIBUTE_TYPE,
    TOSA_OPERATOR_ATTRIBUTE,
    TOSA_OPERATOR_INPUTS,
    TOSA_OPERATOR_OUTPUTS,
    TOSA_OPERATOR_LOCATION,
};
enum { TOSA_LOCATION_TEXT };
enum {
    TOSA_TENSOR_NAME,
    TOSA_TENSOR_SHAPE,
    TOSA_TENSOR_TYPE,
    TOSA_TENSOR_DATA,
    TOSA_TENSOR_VARIABLE,
    TOSA_TENSOR_IS_UNRANKED,
    TOSA_TENSOR_VARIABLE_NAME,
    TOSA_TENSOR_OFFSET,
    TOSA_TENSOR_SIZE,
    TOSA_TENSOR_SCALE_TYPE,
    TOSA_TENSOR_SCALE_DATA,
    TOSA_TENSOR_BLOCK_SHAPE,
    TOSA_TENSOR_SCALE_OFFSET,
    TOSA_TENSOR_SCALE_SIZE,
};
enum { TOSA_SHAPE_NAME, TOSA_SHAPE_RANK, TOSA_SHAPE_DATA };

extern const mlia_flatbuf_schema mlia_tosa_graph_schema;
/* The root with its version information alone: what is looked at before anything else. */
extern const mlia_flatbuf_schema mlia_tosa_version_only_schema;

extern const mlia_flatbuf_schema mlia_tosa_version_schema;
extern const mlia_flatbuf_schema mlia_tosa_region_schema;
extern const mlia_flatbuf_schema mlia_tosa_block_schema;
extern const mlia_flatbuf_schema mlia_tosa_operator_schema;
extern const mlia_flatbuf_schema mlia_tosa_location_schema;
extern const mlia_flatbuf_schema mlia_tosa_tensor_schema;
extern const mlia_flatbuf_schema mlia_tosa_shape_schema;

/* Attribute table of operator 1-100: the fields of its row in graph/operators.def, in that order. */
const mlia_flatbuf_schema *mlia_tosa_attribute_schema(uint32_t op);

/* Limits of ours, not of the format. */
enum {
    TOSA_REGION_LIMIT = 1024,
    TOSA_BLOCK_LIMIT = 1024,
    TOSA_OPERATOR_LIMIT = 1 << 24,
    TOSA_NAME_LIMIT = 1 << 20,         /* bytes of a name or a location */
    TOSA_SHAPE_LENGTH_LIMIT = 1 << 12, /* values of a shape */
    TOSA_BLOCK_SHAPE = 32,
};

/* Vectors of constant bytes start at a multiple of this. */
enum { TOSA_DATA_ALIGNMENT = 8 };

#endif
