/* Tensors of a TensorFlow Lite model: shape, type, bytes, quantisation. */
#include <math.h>
#include <stdio.h>

#include "base/checked.h"
#include "formats/tflite/read.h"

bool mlia_tflite_elements(const mlia_tflite_tensor *tensor, uint64_t *count)
{
    *count = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        if (!mlia_mul_u64(*count, (uint64_t)tensor->shape[i], count))
            return false;
    return *count <= INT64_MAX;
}

mlia_status *mlia_tflite_buffer_bytes(mlia_tflite_reader *reader, uint32_t buffer, mlia_bytes *bytes)
{
    *bytes = (mlia_bytes){NULL, 0};
    if (buffer >= reader->buffers.count) {
        if (buffer == 0)
            return NULL;
        return mlia_error(MLIA_E_TFLITE_BUFFER_INDEX, "buffer %u of %zu", buffer, reader->buffers.count);
    }
    mlia_flatbuf_table table = mlia_flatbuf_table_at(reader->buffers, buffer);
    mlia_bytes data = mlia_flatbuf_bytes(table, BUFFER_DATA);
    uint64_t offset = mlia_flatbuf_u64(table, BUFFER_OFFSET);
    if (data.size > 0) {
        if (offset > 1)
            mlia_warn(reader->diagnostics, MLIA_W_TFLITE,
                      "buffer %u has bytes inside and behind the FlatBuffer; those inside count", buffer);
        *bytes = data;
        return NULL;
    }
    if (offset <= 1)
        return NULL;
    uint64_t size = mlia_flatbuf_u64(table, BUFFER_SIZE);
    if (!mlia_bytes_has(reader->file, offset, size))
        return mlia_status_at(mlia_error(MLIA_E_TFLITE_BUFFER_RANGE,
                                         "buffer %u: %llu bytes at %llu lie outside of the file of %zu bytes",
                                         buffer, (unsigned long long)size, (unsigned long long)offset,
                                         reader->file.size),
                              mlia_flatbuf_offset(table, BUFFER_OFFSET));
    *bytes = mlia_bytes_slice(reader->file, (size_t)offset, (size_t)size);
    return NULL;
}

/* True when an external file may be opened: relative, no "..", no control characters. */
static bool is_safe_name(mlia_str name)
{
    if (name.size == 0 || name.data[0] == '/')
        return false;
    size_t start = 0;
    for (size_t i = 0; i <= name.size; i++) {
        if (i < name.size && (unsigned char)name.data[i] < 0x20)
            return false;
        if (i == name.size || name.data[i] == '/') {
            if (mlia_str_equal(mlia_str_slice(name, start, i - start), MLIA_STR("..")))
                return false;
            start = i + 1;
        }
    }
    return true;
}

/* Position of an external buffer by its id. The ids are collected once, when the first is wanted. */
static mlia_status *find_external(mlia_tflite_reader *reader, uint32_t id, uint32_t *position)
{
    char key[16];
    if (reader->external_ids.arena == NULL) {
        reader->external_ids = mlia_map_in(reader->arena);
        for (uint32_t i = 0; i < reader->external_buffers.count; i++) {
            mlia_flatbuf_table table = mlia_flatbuf_table_at(reader->external_buffers, i);
            mlia_str name = mlia_arena_format(reader->arena, "%u", mlia_flatbuf_u32(table, EXTERNAL_ID));
            MLIA_TRY_ALLOC(name.data);
            MLIA_TRY_ALLOC(mlia_map_insert(&reader->external_ids, name, i, NULL));
        }
    }
    int size = snprintf(key, sizeof key, "%u", id);
    const uint32_t *found = mlia_map_find(&reader->external_ids, (mlia_str){key, (size_t)size});
    if (found == NULL)
        return mlia_error(MLIA_E_TFLITE_BUFFER_INDEX, "there is no external buffer %u", id);
    *position = *found;
    return NULL;
}

static mlia_status *external_bytes(mlia_tflite_reader *reader, uint32_t id, mlia_bytes *bytes)
{
    uint32_t position = 0;
    MLIA_TRY(find_external(reader, id, &position));
    mlia_flatbuf_table table = mlia_flatbuf_table_at(reader->external_buffers, position);
    uint32_t group = mlia_flatbuf_u32(table, EXTERNAL_GROUP);
    mlia_str name =
        group < reader->external_groups.count
            ? mlia_flatbuf_string(mlia_flatbuf_table_at(reader->external_groups, group), GROUP_NAME)
            : MLIA_STR_NONE;
    mlia_str packing = mlia_flatbuf_string(table, EXTERNAL_PACKING);
    if (packing.size > 0)
        return mlia_error(MLIA_E_TFLITE_OPERATOR,
                          "external buffer %u is packed as '%.*s', which nothing here unpacks", id,
                          MLIA_STR_ARG(packing));
    if (!is_safe_name(name) || reader->open_external == NULL)
        return mlia_error(
            MLIA_E_TFLITE_BUFFER_RANGE,
            "external buffer %u: file '%.*s' is not opened: only files in the folder of the model are", id,
            MLIA_STR_ARG(name));
    mlia_bytes file = {NULL, 0};
    MLIA_TRY(reader->open_external(reader->context, name, &file));
    uint64_t offset = mlia_flatbuf_u64(table, EXTERNAL_OFFSET);
    uint64_t length = mlia_flatbuf_u64(table, EXTERNAL_LENGTH);
    if (!mlia_bytes_has(file, offset, length))
        return mlia_error(MLIA_E_TFLITE_BUFFER_RANGE,
                          "external buffer %u: %llu bytes at %llu lie outside of '%.*s'", id,
                          (unsigned long long)length, (unsigned long long)offset, MLIA_STR_ARG(name));
    *bytes = mlia_bytes_slice(file, (size_t)offset, (size_t)length);
    return NULL;
}

static mlia_status *read_dims(mlia_tflite_reader *reader, mlia_flatbuf_table table, uint32_t field,
                              int32_t lowest, const int32_t **dims, uint32_t *count)
{
    mlia_flatbuf_vector list = mlia_flatbuf_list(table, field);
    int32_t *copy = MLIA_NEW_ARRAY(reader->arena, int32_t, list.count);
    MLIA_TRY_ALLOC(copy);
    for (size_t i = 0; i < list.count; i++) {
        copy[i] = (int32_t)mlia_flatbuf_integer_at(list, i);
        if (copy[i] < lowest)
            return mlia_status_at(mlia_error(MLIA_E_TFLITE_SHAPE, "dimension %zu is %d", i, copy[i]),
                                  mlia_flatbuf_offset(table, field));
    }
    *dims = copy;
    *count = (uint32_t)list.count;
    return NULL;
}

/* Smallest and largest zero point that a type can have. */
static bool zero_point_range(uint32_t type, int64_t *low, int64_t *high)
{
    switch (type) {
    case MLIA_TFLITE_INT8:
        *low = INT8_MIN;
        *high = INT8_MAX;
        return true;
    case MLIA_TFLITE_UINT8:
        *low = 0;
        *high = UINT8_MAX;
        return true;
    case MLIA_TFLITE_INT16:
        *low = INT16_MIN;
        *high = INT16_MAX;
        return true;
    case MLIA_TFLITE_INT4:
        *low = -8;
        *high = 7;
        return true;
    default:
        *low = INT32_MIN;
        *high = INT32_MAX;
        return type == MLIA_TFLITE_INT32;
    }
}

static mlia_status *quantization_error(const mlia_tflite_tensor *tensor, const char *what)
{
    return mlia_error(MLIA_E_TFLITE_QUANTIZATION, "tensor '%.*s': %s", MLIA_STR_ARG(tensor->name), what);
}

static mlia_status *read_quantization(mlia_tflite_reader *reader, mlia_flatbuf_table table,
                                      mlia_tflite_tensor *tensor)
{
    mlia_flatbuf_vector scales = mlia_flatbuf_list(table, QUANT_SCALE);
    mlia_flatbuf_vector zeros = mlia_flatbuf_list(table, QUANT_ZERO_POINT);
    mlia_tflite_quantization *result = &tensor->quantization;
    if (mlia_flatbuf_u8(table, QUANT_TYPE) > 1)
        return quantization_error(tensor,
                                  "blockwise or multi-axis quantisation, only affine quantisation is read");
    result->dimension = mlia_flatbuf_i32(table, QUANT_DIMENSION);
    if (scales.count == 0)
        return NULL;
    if (scales.count > 1 && (result->dimension < 0 || (uint32_t)result->dimension >= tensor->rank ||
                             (uint64_t)tensor->shape[result->dimension] != scales.count))
        return quantization_error(
            tensor, "the number of scales is neither 1 nor the size of the quantised dimension");
    if (zeros.count > 1 && zeros.count != scales.count)
        return quantization_error(tensor,
                                  "the number of zero points is neither 0, 1 nor the number of scales");
    float *scale = MLIA_NEW_ARRAY(reader->arena, float, scales.count);
    int64_t *zero = MLIA_NEW_ARRAY(reader->arena, int64_t, scales.count);
    MLIA_TRY_ALLOC(scale);
    MLIA_TRY_ALLOC(zero);
    int64_t low;
    int64_t high;
    bool bounded = zero_point_range(tensor->type, &low, &high);
    for (size_t i = 0; i < scales.count; i++) {
        scale[i] = (float)mlia_flatbuf_real_at(scales, i);
        if (!(scale[i] > 0.0f) || !isfinite(scale[i]))
            return quantization_error(tensor, "a scale that is not positive and finite");
        if (zeros.count > 0)
            zero[i] = mlia_flatbuf_integer_at(zeros, zeros.count == 1 ? 0 : i);
        if (bounded && (zero[i] < low || zero[i] > high))
            return quantization_error(tensor, "a zero point outside of the range of the type");
    }
    result->scale_count = (uint32_t)scales.count;
    result->scales = scale;
    result->zero_points = zero;
    return NULL;
}

/* Bytes that a constant of this shape and type must have. */
static bool expected_bytes(const mlia_tflite_tensor *tensor, uint64_t *size)
{
    uint64_t elements;
    uint64_t bits;
    if (!mlia_tflite_elements(tensor, &elements) ||
        !mlia_mul_u64(elements, mlia_tflite_type_bits(tensor->type), &bits) || !mlia_add_u64(bits, 7, size))
        return false;
    *size /= 8;
    return true;
}

static mlia_status *read_data(mlia_tflite_reader *reader, mlia_flatbuf_table table,
                              mlia_tflite_tensor *tensor)
{
    uint32_t external = mlia_flatbuf_u32(table, TENSOR_EXTERNAL_BUFFER);
    mlia_bytes data = {NULL, 0};
    if (external != 0)
        MLIA_TRY(external_bytes(reader, external, &data));
    else
        MLIA_TRY(mlia_tflite_buffer_bytes(reader, tensor->buffer, &data));
    tensor->is_constant = data.size > 0;
    tensor->data = data;
    uint32_t bits = mlia_tflite_type_bits(tensor->type);
    if (!tensor->is_constant || bits == 0)
        return NULL;
    mlia_flatbuf_table sparsity = mlia_flatbuf_child(table, TENSOR_SPARSITY);
    if (mlia_flatbuf_exists(sparsity)) {
        if (bits < 8)
            return mlia_error(MLIA_E_TFLITE_SPARSITY, "sparse tensor '%.*s' of type %.*s",
                              MLIA_STR_ARG(tensor->name), MLIA_STR_ARG(mlia_tflite_type_name(tensor->type)));
        tensor->was_sparse = true;
        return mlia_tflite_unfold_sparse(reader, sparsity, tensor, data, bits / 8, &tensor->data);
    }
    uint64_t needed;
    if (!expected_bytes(tensor, &needed) || needed > data.size)
        return mlia_error(MLIA_E_TFLITE_BUFFER_SIZE, "constant '%.*s' has %zu bytes, its shape needs more",
                          MLIA_STR_ARG(tensor->name), data.size);
    if (needed < data.size)
        mlia_warn(reader->diagnostics, MLIA_W_TFLITE, "constant '%.*s' has %zu bytes, its shape needs %llu",
                  MLIA_STR_ARG(tensor->name), data.size, (unsigned long long)needed);
    tensor->data.size = (size_t)needed;
    return NULL;
}

mlia_status *mlia_tflite_read_tensor(mlia_tflite_reader *reader, mlia_flatbuf_table table, uint32_t subgraph,
                                     uint32_t index, mlia_tflite_tensor *tensor)
{
    tensor->name = mlia_flatbuf_string(table, TENSOR_NAME);
    tensor->is_variable = mlia_flatbuf_bool(table, TENSOR_IS_VARIABLE);
    tensor->buffer = mlia_flatbuf_u32(table, TENSOR_BUFFER);
    int64_t type = mlia_flatbuf_integer(table, TENSOR_TYPE);
    if (type < 0 || type >= MLIA_TFLITE_TYPE_COUNT)
        return mlia_status_in(mlia_error(MLIA_E_TFLITE_TYPE, "unknown tensor type %d", (int)type),
                              "subgraphs[%u].tensors[%u]", subgraph, index);
    tensor->type = (uint32_t)type;
    mlia_status *status = read_dims(reader, table, TENSOR_SHAPE, 0, &tensor->shape, &tensor->rank);
    uint32_t signature_rank = 0;
    if (status == NULL && mlia_flatbuf_list(table, TENSOR_SIGNATURE).count > 0)
        status = read_dims(reader, table, TENSOR_SIGNATURE, -1, &tensor->signature, &signature_rank);
    if (status == NULL && signature_rank != 0 && signature_rank != tensor->rank)
        status = mlia_error(MLIA_E_TFLITE_SHAPE, "shape has %u dimensions, its signature %u", tensor->rank,
                            signature_rank);
    if (status == NULL)
        status = read_quantization(reader, mlia_flatbuf_child(table, TENSOR_QUANTIZATION), tensor);
    if (status == NULL)
        status = read_data(reader, table, tensor);
    return mlia_status_in(mlia_status_at(status, table.position), "subgraphs[%u].tensors[%u]", subgraph,
                          index);
}
