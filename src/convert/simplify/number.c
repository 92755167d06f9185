/* Numbers of tensor elements; see number.h. */
#include "convert/simplify/number.h"

/* Parameters of the IEEE-like float types. */
typedef struct float_form {
    mlia_type type;
    int exponent_bits;
    int fraction_bits;
    bool has_infinity; /* FP8E4M3 has none: too large becomes NaN */
} float_form;

static const float_form forms[] = {
    {MLIA_TYPE_FP32, 8, 23, true},   {MLIA_TYPE_FP16, 5, 10, true},    {MLIA_TYPE_BF16, 8, 7, true},
    {MLIA_TYPE_FP8E5M2, 5, 2, true}, {MLIA_TYPE_FP8E4M3, 4, 3, false},
};

static const float_form *form_of(uint32_t type)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (forms[i].type == type)
            return &forms[i];
    return NULL;
}

/* Bytes of an integer element in BYTES encoding. */
static uint32_t integer_size(uint32_t type)
{
    switch (type) {
    case MLIA_TYPE_BOOL:
    case MLIA_TYPE_INT4:
    case MLIA_TYPE_INT8:
        return 1;
    case MLIA_TYPE_INT16:
        return 2;
    case MLIA_TYPE_INT32:
        return 4;
    case MLIA_TYPE_INT48:
    case MLIA_TYPE_INT64:
        return 8;
    default:
        return 0;
    }
}

static uint64_t load(mlia_bytes bytes, uint32_t size)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < size; i++)
        value |= (uint64_t)bytes.data[i] << 8 * i;
    return value;
}

bool mlia_number_read(uint32_t type, mlia_bytes bytes, mlia_number *number)
{
    const float_form *form = form_of(type);
    uint32_t size =
        form != NULL ? (uint32_t)(1 + form->exponent_bits + form->fraction_bits) / 8 : integer_size(type);
    if (size == 0 || bytes.size < size)
        return false;
    uint64_t bits = load(bytes, size);
    *number = (mlia_number){0};
    if (form != NULL) {
        number->real = mlia_float_decode(type, bits);
    } else {
        unsigned unused = 64 - 8 * size;
        number->integer = type == MLIA_TYPE_BOOL ? bits != 0 : (int64_t)(bits << unused) >> unused;
    }
    return true;
}

uint32_t mlia_number_encode_float(uint32_t type, double value)
{
    const float_form *form = form_of(type);
    if (form == NULL)
        return 0;
    int bias = (1 << (form->exponent_bits - 1)) - 1;
    uint32_t sign = signbit(value) ? 1u << (form->exponent_bits + form->fraction_bits) : 0;
    uint32_t exponent_all = ((1u << form->exponent_bits) - 1) << form->fraction_bits;
    uint32_t quiet_nan = exponent_all | (form->has_infinity ? 1u << (form->fraction_bits - 1)
                                                            : (1u << form->fraction_bits) - 1);
    if (isnan(value))
        return sign | quiet_nan;
    double magnitude = fabs(value);
    if (magnitude == 0)
        return sign;
    int exponent;
    if (!isinf(magnitude)) {
        frexp(magnitude, &exponent); /* magnitude = m × 2^exponent, m in [0.5, 1) */
        exponent -= 1;
        int least = 1 - bias;
        int unit = (exponent < least ? least : exponent) - form->fraction_bits;
        double rounded =
            nearbyint(ldexp(magnitude, -unit)); /* to nearest even, the mode of every C program */
        uint64_t fraction = (uint64_t)rounded;
        if (fraction == 0)
            return sign;
        if (fraction >> (form->fraction_bits + 1)) {
            fraction >>= 1;
            unit++;
        }
        bool normal = fraction >> form->fraction_bits != 0;
        int biased = normal ? unit + form->fraction_bits + bias : 0;
        uint32_t bits = (uint32_t)biased << form->fraction_bits |
                        ((uint32_t)fraction & ((1u << form->fraction_bits) - 1));
        bool fits = form->has_infinity ? bits < exponent_all : bits < quiet_nan;
        if (biased < 1 << form->exponent_bits && fits)
            return sign | bits;
    }
    return sign | (form->has_infinity ? exponent_all : quiet_nan);
}

size_t mlia_number_write(uint32_t type, mlia_number number, uint8_t bytes[MLIA_NUMBER_SIZE])
{
    const float_form *form = form_of(type);
    uint32_t size =
        form != NULL ? (uint32_t)(1 + form->exponent_bits + form->fraction_bits) / 8 : integer_size(type);
    uint64_t bits = form != NULL ? mlia_number_encode_float(type, number.real) : (uint64_t)number.integer;
    if (type == MLIA_TYPE_BOOL)
        bits = number.integer != 0;
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(bits >> 8 * i);
    return size;
}

bool mlia_number_is_zero(mlia_bytes element)
{
    for (size_t i = 0; i < element.size; i++)
        if (element.data[i] != 0)
            return false;
    return true;
}

int64_t mlia_number_lowest(uint32_t type)
{
    uint32_t bits = mlia_type_describe(type)->bits;
    return bits >= 64 ? INT64_MIN : -(INT64_C(1) << (bits - 1));
}

/* Types that CAST accepts in SPIR-V, one bit per type. */
#define BIT(type) (UINT32_C(1) << MLIA_TYPE_##type)
static const uint32_t cast_results[MLIA_TYPE_LIMIT] = {
    [MLIA_TYPE_BOOL] = BIT(INT8) | BIT(INT16) | BIT(INT32),
    [MLIA_TYPE_INT8] = BIT(BOOL) | BIT(INT16) | BIT(INT32) | BIT(FP16) | BIT(BF16) | BIT(FP32),
    [MLIA_TYPE_INT16] = BIT(BOOL) | BIT(INT8) | BIT(INT32) | BIT(FP16) | BIT(BF16) | BIT(FP32),
    [MLIA_TYPE_INT32] = BIT(BOOL) | BIT(INT8) | BIT(INT16) | BIT(FP16) | BIT(BF16) | BIT(FP32),
    [MLIA_TYPE_FP16] = BIT(INT8) | BIT(INT16) | BIT(INT32) | BIT(FP32) | BIT(FP8E4M3) | BIT(FP8E5M2),
    [MLIA_TYPE_BF16] = BIT(INT8) | BIT(INT16) | BIT(INT32) | BIT(FP32) | BIT(FP8E4M3) | BIT(FP8E5M2),
    [MLIA_TYPE_FP32] =
        BIT(INT8) | BIT(INT16) | BIT(INT32) | BIT(FP16) | BIT(BF16) | BIT(FP8E4M3) | BIT(FP8E5M2),
    [MLIA_TYPE_FP8E4M3] = BIT(FP16) | BIT(BF16) | BIT(FP32),
    [MLIA_TYPE_FP8E5M2] = BIT(FP16) | BIT(BF16) | BIT(FP32),
};

bool mlia_cast_is_widening(uint32_t from, uint32_t through, uint32_t to)
{
    bool possible =
        from < MLIA_TYPE_LIMIT && to < MLIA_TYPE_LIMIT && (from == to || (cast_results[from] >> to & 1));
    if (!possible || mlia_type_is_float(from) != mlia_type_is_float(through))
        return false;
    if (!mlia_type_is_float(from))
        return from == MLIA_TYPE_BOOL || (through != MLIA_TYPE_BOOL && mlia_type_describe(from)->bits <=
                                                                           mlia_type_describe(through)->bits);
    const float_form *a = form_of(from);
    const float_form *b = form_of(through);
    return a != NULL && b != NULL && a->exponent_bits <= b->exponent_bits &&
           a->fraction_bits <= b->fraction_bits;
}
