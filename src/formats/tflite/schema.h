/* The FlatBuffers schema of TensorFlow Lite as field tables. Private to this room. */
#ifndef MLIA_FORMATS_TFLITE_SCHEMA_H
#define MLIA_FORMATS_TFLITE_SCHEMA_H

#include "formats/flatbuf/flatbuf.h"

enum mlia_tflite_model_field {
    MODEL_VERSION,
    MODEL_OPERATOR_CODES,
    MODEL_SUBGRAPHS,
    MODEL_DESCRIPTION,
    MODEL_BUFFERS,
    MODEL_METADATA_BUFFER,
    MODEL_METADATA,
    MODEL_SIGNATURES,
    MODEL_EXTERNAL_GROUPS,
    MODEL_EXTERNAL_BUFFERS,
};
enum mlia_tflite_code_field { CODE_DEPRECATED, CODE_CUSTOM, CODE_VERSION, CODE_BUILTIN };
enum mlia_tflite_subgraph_field {
    SUBGRAPH_TENSORS,
    SUBGRAPH_INPUTS,
    SUBGRAPH_OUTPUTS,
    SUBGRAPH_OPERATORS,
    SUBGRAPH_NAME
};
enum mlia_tflite_tensor_field {
    TENSOR_SHAPE,
    TENSOR_TYPE,
    TENSOR_BUFFER,
    TENSOR_NAME,
    TENSOR_QUANTIZATION,
    TENSOR_IS_VARIABLE,
    TENSOR_SPARSITY,
    TENSOR_SIGNATURE,
    TENSOR_HAS_RANK,
    TENSOR_VARIANTS,
    TENSOR_EXTERNAL_BUFFER,
};
enum mlia_tflite_quantization_field {
    QUANT_MIN,
    QUANT_MAX,
    QUANT_SCALE,
    QUANT_ZERO_POINT,
    QUANT_TYPE,
    QUANT_DETAILS,
    QUANT_DIMENSION
};
enum mlia_tflite_sparsity_field { SPARSITY_ORDER, SPARSITY_BLOCK_MAP, SPARSITY_DIMENSIONS };
enum mlia_tflite_dimension_field {
    DIMENSION_FORMAT,
    DIMENSION_DENSE_SIZE,
    DIMENSION_SEGMENTS_TYPE,
    DIMENSION_SEGMENTS,
    DIMENSION_INDICES_TYPE,
    DIMENSION_INDICES,
};
enum mlia_tflite_operator_field {
    OPERATOR_CODE,
    OPERATOR_INPUTS,
    OPERATOR_OUTPUTS,
    OPERATOR_OPTIONS_TYPE,
    OPERATOR_OPTIONS,
    OPERATOR_CUSTOM_OPTIONS,
    OPERATOR_CUSTOM_FORMAT,
    OPERATOR_MUTATING,
    OPERATOR_INTERMEDIATES,
    OPERATOR_LARGE_OFFSET,
    OPERATOR_LARGE_SIZE,
    OPERATOR_OPTIONS_2_TYPE,
    OPERATOR_OPTIONS_2,
};
enum mlia_tflite_buffer_field { BUFFER_DATA, BUFFER_OFFSET, BUFFER_SIZE };
enum mlia_tflite_group_field { GROUP_NAME };
enum mlia_tflite_external_field {
    EXTERNAL_ID,
    EXTERNAL_GROUP,
    EXTERNAL_OFFSET,
    EXTERNAL_LENGTH,
    EXTERNAL_PACKING
};
enum mlia_tflite_metadata_field { METADATA_NAME, METADATA_BUFFER };
enum mlia_tflite_map_field { MAP_NAME, MAP_TENSOR };
enum mlia_tflite_signature_field {
    SIGNATURE_INPUTS,
    SIGNATURE_OUTPUTS,
    SIGNATURE_KEY,
    SIGNATURE_OLD_TAG,
    SIGNATURE_SUBGRAPH
};

extern const mlia_flatbuf_schema mlia_tflite_model_schema;
extern const mlia_flatbuf_schema mlia_tflite_version_schema; /* the version alone */

/* Number of an option table in its union and which of the two unions it is in; 0 for NULL. */
uint32_t mlia_tflite_options_tag(const mlia_flatbuf_schema *options);
bool mlia_tflite_options_in_second(const mlia_flatbuf_schema *options);

#endif
