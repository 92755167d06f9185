/* Instructions, types and constants of a module that is written. Every type and constant has one id per
 * content. */
#include "base/checked.h"
#include "formats/spirv/writer.h"
#include "graph/encode.h"

mlia_status *spirv_emit(mlia_buffer *section, mlia_spirv_op opcode, const uint32_t *operands, size_t count)
{
    return spirv_emit_text(section, opcode, operands, count, MLIA_STR_NONE, count);
}

mlia_status *spirv_emit_text(mlia_buffer *section, mlia_spirv_op opcode, const uint32_t *operands,
                             size_t before, mlia_str text, size_t count)
{
    size_t text_words = text.data == NULL ? 0 : text.size / 4 + 1;
    if (count + text_words > MLIA_SPIRV_WORDS_LIMIT - 1)
        return mlia_error(MLIA_E_SPIRV_LIMIT, "%s of %zu words; SPIR-V allows %d",
                          mlia_spirv_describe(opcode)->name, count + text_words + 1, MLIA_SPIRV_WORDS_LIMIT);
    mlia_buffer_add_u32(section, (uint32_t)(count + text_words + 1) << 16 | (uint32_t)opcode);
    for (size_t i = 0; i < before; i++)
        mlia_buffer_add_u32(section, operands[i]);
    if (text.data != NULL) {
        mlia_buffer_add_str(section, text);
        mlia_buffer_add_zeros(section, text_words * 4 - text.size);
    }
    for (size_t i = before; i < count; i++)
        mlia_buffer_add_u32(section, operands[i]);
    return NULL;
}

uint32_t spirv_intern(spirv_writer *writer, mlia_spirv_op opcode, uint32_t type, const uint32_t *operands,
                      size_t count)
{
    uint32_t *key = MLIA_NEW_ARRAY(writer->arena, uint32_t, count + 2);
    if (key == NULL) {
        writer->failed = true;
        return 0;
    }
    key[0] = (uint32_t)opcode;
    key[1] = type;
    if (count > 0)
        memcpy(key + 2, operands, count * sizeof *operands);
    bool is_new;
    uint32_t *id = mlia_map_insert(&writer->interned,
                                   (mlia_str){(const char *)key, (count + 2) * sizeof *key}, 0, &is_new);
    if (id == NULL) {
        writer->failed = true;
        return 0;
    }
    if (!is_new)
        return *id;
    *id = spirv_new_id(writer);
    mlia_buffer_add_u32(&writer->globals, (uint32_t)(count + 2 + (type != 0)) << 16 | (uint32_t)opcode);
    if (type != 0)
        mlia_buffer_add_u32(&writer->globals, type);
    mlia_buffer_add_u32(&writer->globals, *id);
    for (size_t i = 0; i < count; i++)
        mlia_buffer_add_u32(&writer->globals, operands[i]);
    return *id;
}

uint32_t spirv_scalar_type(spirv_writer *writer, const mlia_spirv_element *element)
{
    writer->types_used[element->type] = true;
    if (element->width == 0)
        return spirv_intern(writer, MLIA_SPIRV_OpTypeBool, 0, NULL, 0);
    uint32_t operands[2] = {element->width, 0};
    if (!element->is_float)
        return spirv_intern(writer, MLIA_SPIRV_OpTypeInt, 0, operands, 2);
    operands[1] = (uint32_t)element->encoding;
    return spirv_intern(writer, MLIA_SPIRV_OpTypeFloat, 0, operands, element->encoding < 0 ? 1 : 2);
}

uint32_t spirv_u32(spirv_writer *writer, uint32_t number)
{
    uint32_t type = spirv_scalar_type(writer, mlia_spirv_element_of(MLIA_TYPE_INT32));
    return spirv_intern(writer, MLIA_SPIRV_OpConstant, type, &number, 1);
}

uint32_t spirv_bool(spirv_writer *writer, bool value)
{
    uint32_t type = spirv_scalar_type(writer, mlia_spirv_element_of(MLIA_TYPE_BOOL));
    return spirv_intern(writer, value ? MLIA_SPIRV_OpConstantTrue : MLIA_SPIRV_OpConstantFalse, type, NULL,
                        0);
}

/* Tensor type of a rank up to 6; `dims` NULL: the rank only. */
static uint32_t tensor_type(spirv_writer *writer, const mlia_spirv_element *element, uint32_t rank,
                            const uint32_t *dims)
{
    uint32_t operands[3] = {spirv_scalar_type(writer, element), spirv_u32(writer, rank), 0};
    if (dims == NULL)
        return spirv_intern(writer, MLIA_SPIRV_OpTypeTensorARM, 0, operands, 2);
    uint32_t array[2] = {spirv_scalar_type(writer, mlia_spirv_element_of(MLIA_TYPE_INT32)), operands[1]};
    uint32_t parts[MLIA_SPIRV_RANK_LIMIT];
    for (uint32_t i = 0; i < rank; i++)
        parts[i] = spirv_u32(writer, dims[i]);
    operands[2] = spirv_intern(writer, MLIA_SPIRV_OpConstantComposite,
                               spirv_intern(writer, MLIA_SPIRV_OpTypeArray, 0, array, 2), parts, rank);
    return spirv_intern(writer, MLIA_SPIRV_OpTypeTensorARM, 0, operands, 3);
}

/* Dimensions as SPIR-V has them: a scalar is a tensor of one element. *known is false when one is not known.
 */
static mlia_status *dimensions(const mlia_graph_value *value, uint32_t *dims, uint32_t *rank, bool *known)
{
    if (value->unranked || value->kind != MLIA_KIND_TENSOR)
        return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "a tensor without rank cannot be written");
    if (value->rank > MLIA_SPIRV_RANK_LIMIT)
        return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "a tensor of rank %u cannot be written; the most is %d",
                          value->rank, MLIA_SPIRV_RANK_LIMIT);
    *rank = value->rank == 0 ? 1 : value->rank;
    *known = true;
    dims[0] = 1;
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->dims[i] == 0 || value->dims[i] > INT32_MAX)
            return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "a tensor with dimension %lld cannot be written",
                              (long long)value->dims[i]);
        *known = *known && value->dims[i] > 0;
        dims[i] = (uint32_t)value->dims[i];
    }
    return NULL;
}

static mlia_status *element_of(const mlia_graph_value *value, const mlia_spirv_element **element)
{
    *element = mlia_spirv_element_of(value->type);
    if (*element == NULL)
        return mlia_error(MLIA_E_TOSA_UNSUPPORTED, "element type %.*s has no SPIR-V form",
                          MLIA_STR_ARG(mlia_type_describe(value->type)->name));
    return NULL;
}

mlia_status *spirv_tensor_type(spirv_writer *writer, const mlia_graph_value *value, uint32_t *type)
{
    uint32_t dims[MLIA_SPIRV_RANK_LIMIT];
    uint32_t rank = 0;
    bool known = false;
    const mlia_spirv_element *element = NULL;
    MLIA_TRY(dimensions(value, dims, &rank, &known));
    MLIA_TRY(element_of(value, &element));
    *type = tensor_type(writer, element, rank, known ? dims : NULL);
    return NULL;
}

uint32_t spirv_element(spirv_writer *writer, const mlia_spirv_element *element, mlia_bytes bytes)
{
    if (element->width == 0)
        return spirv_bool(writer, bytes.data[0] != 0);
    uint32_t words[2] = {0, 0};
    uint32_t size = mlia_spirv_element_bytes(element);
    for (uint32_t i = 0; i < size && i < sizeof words && i < bytes.size; i++)
        words[i / 4] |= (uint32_t)bytes.data[i] << 8 * (i % 4);
    return spirv_intern(writer, MLIA_SPIRV_OpConstant, spirv_scalar_type(writer, element), words,
                        size > 4 ? 2 : 1);
}

/* Zeros of either sign: the official converter writes -0.0 as null, too, when nothing else is there. */
static bool all_zero(const mlia_spirv_element *element, mlia_bytes bytes)
{
    uint32_t size = mlia_spirv_element_bytes(element);
    for (size_t i = 0; i < bytes.size; i++) {
        bool signed_byte = element->is_float && i % size == size - 1;
        if ((bytes.data[i] & (signed_byte ? 0x7F : 0xFF)) != 0)
            return false;
    }
    return true;
}

/* Bits are compared: NaN equals itself, -0.0 differs from 0.0. Any true bool equals any other. */
static bool all_equal(const mlia_spirv_element *element, mlia_bytes bytes)
{
    uint32_t size = mlia_spirv_element_bytes(element);
    for (size_t i = size; i < bytes.size; i += size)
        if (element->width == 0 ? (bytes.data[i] != 0) != (bytes.data[0] != 0)
                                : memcmp(bytes.data, bytes.data + i, size) != 0)
            return false;
    return true;
}

/* Nested composite: the parts of rank r are constants of rank r - 1. `bytes` are exactly the elements. */
static uint32_t composite(spirv_writer *writer, const mlia_spirv_element *element, uint32_t rank,
                          const uint32_t *dims, mlia_bytes bytes)
{
    uint32_t count = dims[0];
    uint32_t *parts = MLIA_NEW_ARRAY(writer->arena, uint32_t, count);
    if (parts == NULL || count > MLIA_SPIRV_WORDS_LIMIT - 3) {
        writer->failed = true;
        return 0;
    }
    size_t size = bytes.size / count;
    for (uint32_t i = 0; i < count; i++) {
        mlia_bytes part = mlia_bytes_slice(bytes, size * i, size);
        parts[i] = rank == 1 ? spirv_element(writer, element, part)
                             : composite(writer, element, rank - 1, dims + 1, part);
    }
    return spirv_intern(writer, MLIA_SPIRV_OpConstantComposite, tensor_type(writer, element, rank, dims),
                        parts, count);
}

/* Constant tensor, in the first form that fits: null, replicated, composite. */
static uint32_t constant(spirv_writer *writer, const mlia_spirv_element *element, uint32_t rank,
                         const uint32_t *dims, mlia_bytes bytes, bool replicate)
{
    bool many = bytes.size > mlia_spirv_element_bytes(element);
    if (replicate && many && all_equal(element, bytes))
        writer->replicated_used = true; /* also for zeros, as the official converter has it */
    if (all_zero(element, bytes))
        return spirv_intern(writer, MLIA_SPIRV_OpConstantNull, tensor_type(writer, element, rank, dims), NULL,
                            0);
    if (replicate && many && all_equal(element, bytes)) {
        uint32_t part = spirv_element(writer, element, bytes);
        return spirv_intern(writer, MLIA_SPIRV_OpConstantCompositeReplicateEXT,
                            tensor_type(writer, element, rank, dims), &part, 1);
    }
    return composite(writer, element, rank, dims, bytes);
}

uint32_t spirv_vector(spirv_writer *writer, const int32_t *values, uint32_t count, bool is_shape)
{
    static const int32_t scalar[1] = {1}; /* the shape of a scalar is [1] */
    if (count == 0) {
        values = scalar;
        count = 1;
    }
    uint8_t *bytes = MLIA_NEW_ARRAY(writer->arena, uint8_t, (size_t)count * 4);
    if (bytes == NULL) {
        writer->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < count * 4; i++)
        bytes[i] = (uint8_t)((uint32_t)values[i / 4] >> 8 * (i % 4));
    return constant(writer, mlia_spirv_element_of(MLIA_TYPE_INT32), 1, &count,
                    (mlia_bytes){bytes, (size_t)count * 4},
                    is_shape && writer->options->replicated_composites);
}

mlia_status *spirv_tensor_constant(spirv_writer *writer, const mlia_graph_value *value, uint32_t *id)
{
    uint32_t dims[MLIA_SPIRV_RANK_LIMIT];
    uint32_t rank = 0;
    bool known = false;
    const mlia_spirv_element *element = NULL;
    MLIA_TRY(dimensions(value, dims, &rank, &known));
    MLIA_TRY(element_of(value, &element));
    mlia_bytes bytes = {NULL, 0};
    MLIA_TRY(mlia_constant_encode(value, MLIA_ENCODING_BYTES, writer->arena, &bytes));
    *id = constant(writer, element, rank, dims, bytes, writer->options->replicated_composites);
    return NULL;
}

uint32_t spirv_text_constant(spirv_writer *writer, mlia_bytes text)
{
    static const uint8_t zero[1] = {0};
    if (text.size == 0)
        text = (mlia_bytes){zero, sizeof zero};
    uint32_t *parts = MLIA_NEW_ARRAY(writer->arena, uint32_t, text.size);
    if (parts == NULL || text.size > MLIA_SPIRV_WORDS_LIMIT - 3) {
        writer->failed = true;
        return 0;
    }
    const mlia_spirv_element *element = mlia_spirv_element_of(MLIA_TYPE_INT8);
    for (size_t i = 0; i < text.size; i++)
        parts[i] = spirv_element(writer, element, mlia_bytes_slice(text, i, 1));
    uint32_t array[2] = {spirv_scalar_type(writer, element), spirv_u32(writer, (uint32_t)text.size)};
    return spirv_intern(writer, MLIA_SPIRV_OpConstantComposite,
                        spirv_intern(writer, MLIA_SPIRV_OpTypeArray, 0, array, 2), parts, text.size);
}
