/* Numbers of constants. Decimal fractions are rounded to double first and then to the element type, ties to
 * even both times, as the public MLIR parser does. */
#include "formats/mlir/element.h"

#include <math.h>

typedef struct float_format {
    uint8_t exponent_bits;
    uint8_t mantissa_bits;
    int16_t bias;
    uint8_t special; /* see below */
    bool is_unsigned;
} float_format;

enum {
    IEEE,     /* exponent all ones: infinity and NaN */
    NAN_ONLY, /* no infinity; NaN is all ones */
    FINITE,   /* neither */
};

static const float_format formats[MLIA_TYPE_LIMIT] = {
    [MLIA_TYPE_FP16] = {5, 10, 15, IEEE, false},      [MLIA_TYPE_BF16] = {8, 7, 127, IEEE, false},
    [MLIA_TYPE_FP8E4M3] = {4, 3, 7, NAN_ONLY, false}, [MLIA_TYPE_FP8E5M2] = {5, 2, 15, IEEE, false},
    [MLIA_TYPE_FP6E2M3] = {2, 3, 1, FINITE, false},   [MLIA_TYPE_FP6E3M2] = {3, 2, 3, FINITE, false},
    [MLIA_TYPE_FP4E2M1] = {2, 1, 1, FINITE, false},   [MLIA_TYPE_FP8UE8M0] = {8, 0, 127, NAN_ONLY, true},
};

static uint64_t ones(unsigned bits)
{
    return (UINT64_C(1) << bits) - 1;
}

/* Largest finite pattern without sign. */
static uint64_t largest(const float_format *format)
{
    uint64_t all = ones((unsigned)format->exponent_bits + format->mantissa_bits);
    return format->special == FINITE     ? all
           : format->special == NAN_ONLY ? all - 1
                                         : all - ones(format->mantissa_bits) - 1;
}

/* FP8UE8M0 is an exponent alone: 2^(pattern - 127), no zero, no sign. */
static bool encode_exponent(double value, uint64_t *pattern)
{
    if (isnan(value)) {
        *pattern = 0xFF;
        return true;
    }
    if (!(value > 0) || isinf(value))
        return false;
    int exponent;
    double fraction = frexp(value, &exponent); /* 0.5 … 1 */
    long biased = (long)exponent - 1 + 127 + (fraction >= 0.75 ? 1 : 0);
    if (biased < 0 || biased > 254)
        return false;
    *pattern = (uint64_t)biased;
    return true;
}

/* The common case, left to the processor. */
static bool encode_single(double value, uint64_t *pattern)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    *pattern = bits;
    return isfinite(single) || !isfinite(value);
}

bool mlia_mlir_float_encode(uint32_t type, double value, uint64_t *pattern)
{
    const float_format *format = &formats[type];
    if (type == MLIA_TYPE_FP32)
        return encode_single(value, pattern);
    if (format->is_unsigned)
        return encode_exponent(value, pattern);
    unsigned width = (unsigned)format->exponent_bits + format->mantissa_bits;
    uint64_t sign = (uint64_t)(signbit(value) != 0) << width;
    if (isnan(value)) {
        *pattern = sign | (format->special == NAN_ONLY ? ones(width)
                                                       : ones(width) - ones(format->mantissa_bits) / 2);
        return format->special != FINITE;
    }
    if (isinf(value)) {
        *pattern = sign | (largest(format) + 1);
        return format->special == IEEE;
    }
    double magnitude = fabs(value);
    int exponent;
    frexp(magnitude, &exponent);
    int unit = exponent - 1;
    if (unit < 1 - format->bias || magnitude == 0)
        unit = 1 - format->bias; /* subnormal: the spacing stays */
    /* Exact: a power of two times a double; rint rounds ties to even. */
    double rounded = rint(ldexp(magnitude, format->mantissa_bits - unit));
    uint64_t steps = (uint64_t)rounded;
    uint64_t base = (uint64_t)(unit + format->bias - 1) << format->mantissa_bits;
    *pattern = base + steps; /* a carry out of the mantissa raises the exponent by itself */
    if (*pattern > largest(format))
        return false;
    *pattern |= sign;
    return true;
}

bool mlia_mlir_parse_float(mlia_str text, double *value)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    uint64_t mantissa = 0;
    int digits = 0;
    int scale = 0;
    size_t i = 0;
    bool point = false;
    for (; i < text.size; i++) {
        char c = text.data[i];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (c < '0' || c > '9')
            break;
        mantissa = mantissa * 10 + (uint64_t)(c - '0');
        digits += mantissa != 0;
        scale -= point;
        if (digits > 18)
            return mlia_str_to_double(text, value);
    }
    if (i < text.size) {
        if ((text.data[i] | 32) != 'e' || text.size - i > 5)
            return mlia_str_to_double(text, value);
        bool negative = false;
        size_t k = i + 1;
        if (k < text.size && (text.data[k] == '+' || text.data[k] == '-'))
            negative = text.data[k++] == '-';
        int exponent = 0;
        for (; k < text.size && text.data[k] >= '0' && text.data[k] <= '9'; k++)
            exponent = exponent * 10 + (text.data[k] - '0');
        if (k != text.size)
            return false;
        scale += negative ? -exponent : exponent;
    }
    /* Both factors are exact doubles, so one multiplication or division rounds correctly (Clinger 1990). */
    if (mantissa >= (UINT64_C(1) << 53) || scale > 22 || scale < -22)
        return mlia_str_to_double(text, value);
    *value = scale < 0 ? (double)mantissa / powers[-scale] : (double)mantissa * powers[scale];
    return true;
}

void mlia_mlir_integer_limits(const mlia_mlir_type *type, uint64_t largest[2])
{
    unsigned bits = type->element == MLIA_TYPE_BOOL ? 1 : mlia_type_describe(type->element)->bits;
    uint64_t half = UINT64_C(1) << (bits - 1);
    largest[0] = type->signedness == 1 ? half - 1 : half - 1 + half;
    largest[1] = type->signedness == 2 ? 0 : half;
}

bool mlia_mlir_integer_fits(const mlia_mlir_type *type, uint64_t magnitude, bool negative)
{
    uint64_t largest[2];
    mlia_mlir_integer_limits(type, largest);
    return magnitude <= largest[negative];
}

uint32_t mlia_mlir_element_bytes(uint32_t type)
{
    return mlia_type_bytes(type);
}

void mlia_mlir_store(uint32_t type, uint64_t pattern, uint8_t *out)
{
    uint32_t size = mlia_mlir_element_bytes(type);
    if (type == MLIA_TYPE_BOOL)
        pattern = pattern != 0;
    else if (size == 1)
        pattern &= ones(mlia_type_describe(type)->bits);
    for (uint32_t i = 0; i < size; i++)
        out[i] = (uint8_t)(pattern >> (8 * i));
}

void mlia_mlir_pack(uint32_t type, const uint8_t *elements, size_t count, uint64_t index, uint8_t *out)
{
    if (mlia_type_describe(type)->bits == 4) {
        out += index / 2;
        for (size_t i = 0; i < count; i += 2)
            out[i / 2] = (uint8_t)((elements[i] & 15) | (i + 1 < count ? (elements[i + 1] & 15) << 4 : 0));
        return;
    }
    out += index / 4 * 3; /* four 6-bit values in three bytes */
    for (size_t i = 0; i < count; i += 4, out += 3) {
        uint32_t group = 0;
        size_t part = count - i < 4 ? count - i : 4;
        for (size_t k = 0; k < part; k++)
            group |= (uint32_t)(elements[i + k] & 63) << (6 * k);
        for (size_t k = 0; k < (part * 6 + 7) / 8; k++)
            out[k] = (uint8_t)(group >> (8 * k));
    }
}

mlia_status *mlia_mlir_encode_raw(mlia_arena *arena, uint32_t type, mlia_bytes raw, uint64_t count,
                                  mlia_bytes *bytes)
{
    *bytes = raw;
    uint32_t bits = mlia_type_describe(type)->bits;
    if (bits >= 8 && type != MLIA_TYPE_BOOL)
        return NULL;
    uint64_t size;
    if (!mlia_constant_bytes(type, MLIA_ENCODING_TOSA, count, &size))
        return mlia_error(MLIA_E_LIMIT, "constant is too large");
    uint8_t *out = MLIA_NEW_ARRAY(arena, uint8_t, size);
    MLIA_TRY_ALLOC(out);
    if (bits < 8)
        mlia_mlir_pack(type, raw.data, raw.size, 0, out);
    else
        for (size_t i = 0; i < raw.size; i++)
            out[i] = raw.data[i] != 0;
    *bytes = (mlia_bytes){out, size};
    return NULL;
}
