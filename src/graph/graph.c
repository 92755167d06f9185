/* Questions about values: element counts, sizes, and the numbers inside constants. */
#define MLIA_GRAPH_DEFINITIONS
#include "graph/graph.h"

#include <math.h>

#include "base/bytes.h"
#include "base/checked.h"

bool mlia_value_elements(const mlia_graph_value *value, uint64_t *count)
{
    if (value->unranked || value->kind == MLIA_KIND_NO_VALUE)
        return false;
    if (value->kind == MLIA_KIND_SHAPE) {
        *count = value->rank;
        return true;
    }
    uint64_t product = 1;
    bool zero = false;
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->dims[i] < 0)
            return false;
        if (value->dims[i] == 0)
            zero = true;
        else if (!mlia_mul_u64(product, (uint64_t)value->dims[i], &product))
            return false;
    }
    *count = zero ? 0 : product;
    return true;
}

bool mlia_value_bytes(const mlia_graph_value *value, uint64_t *bytes)
{
    return mlia_value_elements(value, bytes) && mlia_mul_u64(*bytes, mlia_type_bytes(value->type), bytes);
}

bool mlia_constant_bytes(uint32_t type, mlia_encoding encoding, uint64_t elements, uint64_t *bytes)
{
    uint32_t bits = mlia_type_describe(type)->bits;
    if (encoding == MLIA_ENCODING_BYTES)
        bits = type == MLIA_TYPE_INT48 ? 64 : (bits + 7) / 8 * 8;
    if (bits % 8 == 0)
        return mlia_mul_u64(elements, bits / 8, bytes);
    uint64_t total;
    if (!mlia_mul_u64(elements, bits, &total) || !mlia_add_u64(total, 7, &total))
        return false;
    *bytes = total / 8;
    return true;
}

/* Bit pattern of element `index` of a tensor constant, not sign-extended. False when it is out of range. */
static bool element_bits(const mlia_graph_value *value, uint64_t index, uint64_t *pattern)
{
    const mlia_constant *constant = value->constant;
    uint64_t count;
    if (constant == NULL || !mlia_value_elements(value, &count) || index >= count)
        return false;
    if (constant->splat)
        index = 0;
    uint32_t bits = mlia_type_describe(value->type)->bits;
    uint32_t stored = bits;
    if (constant->encoding == MLIA_ENCODING_BYTES)
        stored = value->type == MLIA_TYPE_INT48 ? 64 : (bits + 7) / 8 * 8;
    if (bits == 0 || index > UINT64_MAX / stored)
        return false;
    uint64_t first_bit = index * stored;
    uint64_t first = first_bit / 8;
    uint32_t shift = (uint32_t)(first_bit % 8);
    uint64_t size = (shift + stored + 7) / 8;
    if (!mlia_bytes_has(constant->bytes, first, size))
        return false;
    uint64_t word = 0;
    for (uint64_t i = 0; i < size; i++)
        word |= (uint64_t)constant->bytes.data[first + i] << 8 * i;
    word >>= shift;
    *pattern = bits == 64 ? word : word & ((UINT64_C(1) << bits) - 1);
    return true;
}

static int64_t sign_extend(uint64_t pattern, uint32_t bits)
{
    if (bits < 64 && (pattern >> (bits - 1) & 1) != 0)
        pattern |= ~UINT64_C(0) << bits;
    int64_t result;
    memcpy(&result, &pattern, sizeof result);
    return result;
}

bool mlia_constant_integer(const mlia_graph_value *value, uint64_t index, int64_t *result)
{
    if (value->kind == MLIA_KIND_SHAPE) {
        if (value->shape_values == NULL || index >= value->rank)
            return false;
        *result = value->shape_values[index];
        return true;
    }
    uint64_t pattern;
    if (!mlia_type_is_integer(value->type) || !element_bits(value, index, &pattern))
        return false;
    if (value->type == MLIA_TYPE_BOOL)
        *result = pattern != 0;
    else if (value->is_unsigned && pattern <= INT64_MAX)
        *result = (int64_t)pattern;
    else
        *result = sign_extend(pattern, mlia_type_describe(value->type)->bits);
    return true;
}

/* The layouts of small floats. FP8E4M3 has no infinity and one NaN per sign, FP6 and FP4 have neither (OCP
 * 8-bit floating point and microscaling formats); the rest follow IEEE 754. */
typedef enum special_values { IEEE, ONLY_NAN, NO_SPECIAL } special_values;

static double decode_float(uint64_t pattern, int exponent_bits, int fraction_bits, special_values special)
{
    uint64_t fraction = pattern & ((UINT64_C(1) << fraction_bits) - 1);
    int exponent = (int)(pattern >> fraction_bits & ((UINT64_C(1) << exponent_bits) - 1));
    bool negative = (pattern >> (fraction_bits + exponent_bits) & 1) != 0;
    int top = (1 << exponent_bits) - 1;
    int bias = top / 2;
    double result;
    if (special == IEEE && exponent == top)
        result = fraction == 0 ? INFINITY : NAN;
    else if (special == ONLY_NAN && exponent == top && fraction == (UINT64_C(1) << fraction_bits) - 1)
        result = NAN;
    else if (exponent == 0)
        result = ldexp((double)fraction, 1 - bias - fraction_bits);
    else
        result = ldexp((double)(fraction | UINT64_C(1) << fraction_bits), exponent - bias - fraction_bits);
    return negative ? -result : result;
}

double mlia_float_decode(uint32_t type, uint64_t pattern)
{
    switch (type) {
    case MLIA_TYPE_FP32:
        return decode_float(pattern, 8, 23, IEEE);
    case MLIA_TYPE_FP16:
        return decode_float(pattern, 5, 10, IEEE);
    case MLIA_TYPE_BF16:
        return decode_float(pattern, 8, 7, IEEE);
    case MLIA_TYPE_FP8E4M3:
        return decode_float(pattern, 4, 3, ONLY_NAN);
    case MLIA_TYPE_FP8E5M2:
        return decode_float(pattern, 5, 2, IEEE);
    case MLIA_TYPE_FP6E2M3:
        return decode_float(pattern, 2, 3, NO_SPECIAL);
    case MLIA_TYPE_FP6E3M2:
        return decode_float(pattern, 3, 2, NO_SPECIAL);
    case MLIA_TYPE_FP4E2M1:
        return decode_float(pattern, 2, 1, NO_SPECIAL);
    case MLIA_TYPE_FP8UE8M0:
        return pattern == 0xFF ? NAN : ldexp(1, (int)pattern - 127);
    default:
        return NAN;
    }
}

bool mlia_constant_number(const mlia_graph_value *value, uint64_t index, double *result)
{
    int64_t integer;
    if (mlia_constant_integer(value, index, &integer)) {
        *result = (double)integer;
        if (value->type == MLIA_TYPE_MXINT8)
            *result = ldexp(*result, -6);
        return true;
    }
    uint64_t pattern;
    if (!mlia_type_is_float(value->type) || !element_bits(value, index, &pattern))
        return false;
    *result = mlia_float_decode(value->type, pattern);
    return true;
}

bool mlia_value_is_constant(const mlia_graph *graph, uint32_t value)
{
    return graph->values[value].is_constant;
}

mlia_str mlia_operator_name(const mlia_operator *op)
{
    return op->op == MLIA_OP_FOREIGN ? op->foreign_name : mlia_op_describe(op->op)->name;
}

mlia_status *mlia_status_at_operator(mlia_status *status, const mlia_graph *graph, const mlia_operator *op)
{
    if (op->offset != MLIA_NO_OFFSET)
        mlia_status_at(status, op->offset);
    if (op->line != 0)
        mlia_status_at_line(status, op->line, op->column);
    if (graph->format == MLIA_SOURCE_TOSA)
        status = mlia_status_in(status, "regions[%u].blocks[%u].operators[%u]", op->region_index,
                                op->block_index, op->operator_index);
    if (graph->format == MLIA_SOURCE_TFLITE)
        status = mlia_status_in(status, "subgraphs[%u].operators[%u]", op->region_index, op->operator_index);
    return op->number == MLIA_NONE ? status : mlia_status_in(status, "operator %u", op->number);
}

mlia_status *mlia_status_of_operator(mlia_status *status, const mlia_graph *graph, const mlia_operator *op)
{
    mlia_str name = mlia_operator_name(op);
    mlia_str label = op->source == MLIA_NONE ? MLIA_STR_NONE : graph->sources[op->source].label;
    status = label.size > 0
                 ? mlia_status_about(status, "%.*s '%.*s'", MLIA_STR_ARG(name), MLIA_STR_ARG(label))
                 : mlia_status_about(status, "%.*s", MLIA_STR_ARG(name));
    return mlia_status_at_operator(status, graph, op);
}
