/* Constants and numbers as MLIR prints them: lists up to 100 elements, hexadecimal bytes beyond. */
#include "formats/mlir/write.h"

#include <math.h>
#include <stdio.h>

#include "formats/mlir/element.h"

enum { LIST_LIMIT = 100 }; /* elements that are written one by one, as the public printer does */

/* Where an element lies in stored bytes. */
static uint64_t packed_pattern(const uint8_t *data, uint32_t bits, uint64_t index)
{
    if (bits == 4)
        return data[index / 2] >> (index % 2 * 4) & 15;
    uint64_t position = index * 6;
    unsigned shift = (unsigned)(position % 8);
    uint32_t pair = data[position / 8];
    if (shift > 2)
        pair |= (uint32_t)data[position / 8 + 1] << 8;
    return pair >> shift & 63;
}

/* Bits of element `index`. The constant was found long enough before. */
static uint64_t pattern_at(const mlia_constant *constant, uint32_t type, uint64_t index)
{
    uint32_t bits = mlia_type_describe(type)->bits;
    const uint8_t *data = constant->bytes.data;
    if (constant->splat)
        index = 0;
    if (bits < 8)
        return constant->encoding == MLIA_ENCODING_TOSA ? packed_pattern(data, bits, index)
                                                        : data[index] & ((1u << bits) - 1);
    uint64_t size = bits / 8;
    uint64_t stride = type == MLIA_TYPE_INT48 && constant->encoding == MLIA_ENCODING_BYTES ? 8 : size;
    uint64_t pattern = 0;
    for (uint64_t i = 0; i < size; i++)
        pattern |= (uint64_t)data[index * stride + i] << (8 * i);
    return type == MLIA_TYPE_BOOL ? pattern != 0 : pattern;
}

/* The shortest of three precisions that gives the same bits again. */
static void write_fraction(mlia_buffer *text, uint32_t type, double value, uint64_t pattern)
{
    static const int precisions[] = {6, 9, 17};
    for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++) {
        char digits[64];
        double back;
        uint64_t again;
        int size = snprintf(digits, sizeof digits, "%.*e", precisions[i], fabs(value));
        mlia_str number = {digits, (size_t)size};
        if (!mlia_mlir_parse_float(number, &back) ||
            !mlia_mlir_float_encode(type, signbit(value) ? -back : back, &again) || again != pattern)
            continue;
        mlia_buffer_format(text, "%s%s", signbit(value) ? "-" : "", digits);
        return;
    }
    mlia_buffer_format(text, "0x%0*llX", (int)(mlia_type_describe(type)->bits + 3) / 4,
                       (unsigned long long)pattern);
}

void mlia_mlir_write_number(mlia_buffer *text, uint32_t type, bool is_unsigned, uint64_t pattern)
{
    uint32_t bits = mlia_type_describe(type)->bits;
    if (type == MLIA_TYPE_BOOL) {
        mlia_buffer_add_str(text, pattern != 0 ? MLIA_STR("true") : MLIA_STR("false"));
    } else if (type == MLIA_TYPE_MXINT8) {
        mlia_buffer_format(text, "\"0x%llX\"", (unsigned long long)pattern);
    } else if (mlia_type_is_float(type)) {
        double value = mlia_float_decode(type, pattern);
        if (isfinite(value))
            write_fraction(text, type, value, pattern);
        else
            mlia_buffer_format(text, "0x%0*llX", (int)bits / 4, (unsigned long long)pattern);
    } else if (is_unsigned) {
        mlia_buffer_format(text, "%llu", (unsigned long long)pattern);
    } else {
        mlia_buffer_format(text, "%lld", (long long)((int64_t)(pattern << (64 - bits)) >> (64 - bits)));
    }
}

typedef struct list_writer {
    mlia_buffer *text;
    const mlia_graph_value *value;
    uint64_t index;
} list_writer;

static void write_list(list_writer *writer, uint32_t level)
{
    const mlia_graph_value *value = writer->value;
    if (level == value->rank) {
        uint64_t pattern = pattern_at(value->constant, value->type, writer->index++);
        mlia_mlir_write_number(writer->text, value->type, value->is_unsigned, pattern);
        return;
    }
    mlia_buffer_add_byte(writer->text, '[');
    for (int64_t i = 0; i < value->dims[level]; i++) {
        mlia_buffer_add_str(writer->text, i > 0 ? MLIA_STR(", ") : MLIA_STR_NONE);
        write_list(writer, level + 1);
    }
    mlia_buffer_add_byte(writer->text, ']');
}

static void add_hex(mlia_buffer *text, const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789ABCDEF";
    char chunk[1024];
    while (count > 0) {
        size_t part = count < sizeof chunk / 2 ? count : sizeof chunk / 2;
        for (size_t i = 0; i < part; i++) {
            chunk[2 * i] = digits[bytes[i] >> 4];
            chunk[2 * i + 1] = digits[bytes[i] & 15];
        }
        mlia_buffer_add(text, chunk, part * 2);
        bytes += part;
        count -= part;
    }
}

/* Raw data: whole bytes per element; types that are stored so already are written without looking at
 * elements. */
static void write_hex(mlia_buffer *text, const mlia_graph_value *value, uint64_t count)
{
    uint32_t size = mlia_mlir_element_bytes(value->type);
    const mlia_constant *constant = value->constant;
    mlia_buffer_add_str(text, MLIA_STR("\"0x"));
    bool whole = mlia_type_describe(value->type)->bits >= 8 &&
                 !(value->type == MLIA_TYPE_INT48 && constant->encoding == MLIA_ENCODING_BYTES);
    if (whole) {
        add_hex(text, constant->bytes.data, (size_t)(count * size));
    } else {
        for (uint64_t i = 0; i < count; i++) {
            uint8_t element[8];
            mlia_mlir_store(value->type, pattern_at(constant, value->type, i), element);
            add_hex(text, element, size);
        }
    }
    mlia_buffer_add_byte(text, '"');
}

static bool long_enough(const mlia_graph_value *value, uint64_t count)
{
    uint64_t needed;
    return mlia_constant_bytes(value->type, (mlia_encoding)value->constant->encoding,
                               value->constant->splat ? 1 : count, &needed) &&
           needed <= value->constant->bytes.size;
}

/* Booleans and !tosa.mxint8 have no raw form that every reader takes. */
static bool has_hex_form(uint32_t type)
{
    return type != MLIA_TYPE_BOOL && type != MLIA_TYPE_MXINT8;
}

/* One number stands for all elements when they are equal, as the public printer does. */
static bool is_uniform(const mlia_graph_value *value, uint64_t count)
{
    if (value->constant->splat)
        return true;
    uint64_t first = pattern_at(value->constant, value->type, 0);
    for (uint64_t i = 1; i < count; i++)
        if (pattern_at(value->constant, value->type, i) != first)
            return false;
    return true;
}

mlia_status *mlia_mlir_write_constant(mlia_buffer *text, const mlia_graph_value *value)
{
    uint64_t count;
    if (!mlia_value_elements(value, &count))
        return mlia_error(MLIA_E_MLIR_LIMIT, "constant '%.*s' has no known size", MLIA_STR_ARG(value->name));
    if (!long_enough(value, count))
        return mlia_error(MLIA_E_MLIR_DATA, "constant '%.*s' has too few bytes", MLIA_STR_ARG(value->name));
    list_writer writer = {text, value, 0};
    mlia_buffer_add_str(text, MLIA_STR("dense<"));
    if (count == 0)
        ; /* dense<> */
    else if (is_uniform(value, count))
        write_list(&writer, value->rank);
    else if (count > LIST_LIMIT && has_hex_form(value->type))
        write_hex(text, value, count);
    else
        write_list(&writer, 0);
    mlia_buffer_add_str(text, MLIA_STR("> : "));
    mlia_mlir_write_type(text, value);
    return NULL;
}

void mlia_mlir_write_shape(mlia_buffer *text, const int64_t *values, uint32_t count)
{
    bool splat = count > 0;
    for (uint32_t i = 1; i < count; i++)
        splat = splat && values[i] == values[0];
    mlia_buffer_add_str(text, MLIA_STR("dense<"));
    if (splat)
        mlia_buffer_format(text, "%lld", (long long)values[0]);
    for (uint32_t i = 0; !splat && i < count; i++)
        mlia_buffer_format(text, "%s%lld", i > 0 ? ", " : "[", (long long)values[i]);
    mlia_buffer_format(text, "%s> : tensor<%uxindex>", splat || count == 0 ? "" : "]", count);
}
