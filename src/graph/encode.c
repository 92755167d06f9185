/* Re-encoding of constants. An element is moved as a bit pattern: read with its stored width, written with
 * the wanted one, so one loop serves every type. Refuses splats that would fill more than 2 GiB. */
#include "graph/encode.h"

#include "base/bytes.h"

enum { SPLAT_LIMIT = INT32_MAX };

/* Bits that one element takes in an encoding. */
static uint32_t stored_bits(uint32_t type, mlia_encoding encoding)
{
    uint32_t bits = mlia_type_describe(type)->bits;
    if (encoding == MLIA_ENCODING_TOSA)
        return bits;
    return type == MLIA_TYPE_INT48 ? 64 : (bits + 7) / 8 * 8;
}

static uint64_t mask(uint32_t bits)
{
    return bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* `bits` (at most 64) bits from bit `first` on. Wider than a byte they start at a byte. */
static uint64_t load_bits(const uint8_t *data, uint64_t first, uint32_t bits)
{
    const uint8_t *byte = data + first / 8;
    uint32_t shift = (uint32_t)(first % 8);
    uint64_t word = 0;
    for (uint32_t i = 0; i * 8 < shift + bits; i++)
        word |= (uint64_t)byte[i] << 8 * i;
    return word >> shift & mask(bits);
}

/* Adds bits to memory that holds zeros there. */
static void store_bits(uint8_t *data, uint64_t first, uint32_t bits, uint64_t word)
{
    uint8_t *byte = data + first / 8;
    uint32_t shift = (uint32_t)(first % 8);
    word <<= shift;
    for (uint32_t i = 0; i * 8 < shift + bits; i++)
        byte[i] |= (uint8_t)(word >> 8 * i);
}

/* The pattern of an element in `bits` bits, from `from` bits: signed integers keep their sign. */
static uint64_t convert(uint64_t pattern, uint32_t type, uint32_t from, uint32_t bits)
{
    uint32_t width = mlia_type_describe(type)->bits;
    if (from > width)
        pattern &= mask(width);
    bool is_signed = type == MLIA_TYPE_INT4 || type == MLIA_TYPE_INT48;
    if (is_signed && bits > width && (pattern >> (width - 1) & 1) != 0)
        pattern |= ~mask(width) & mask(bits);
    return pattern;
}

static void expand(const mlia_graph_value *value, uint32_t from, uint32_t to, uint64_t elements,
                   uint8_t *target)
{
    const mlia_constant *constant = value->constant;
    for (uint64_t i = 0; i < elements; i++) {
        uint64_t pattern = load_bits(constant->bytes.data, constant->splat ? 0 : i * from, from);
        store_bits(target, i * to, to, convert(pattern, value->type, from, to));
    }
}

mlia_status *mlia_constant_encode(const mlia_graph_value *value, mlia_encoding encoding, mlia_arena *arena,
                                  mlia_bytes *bytes)
{
    const mlia_constant *constant = value->constant;
    uint64_t elements;
    uint64_t needed;
    uint64_t size;
    if (constant == NULL || !mlia_value_elements(value, &elements) ||
        !mlia_constant_bytes(value->type, (mlia_encoding)constant->encoding, constant->splat ? 1 : elements,
                             &needed) ||
        !mlia_constant_bytes(value->type, encoding, elements, &size) || needed > constant->bytes.size)
        return mlia_error(MLIA_E_TOSA_DATA,
                          "the constant" MLIA_NAME " does not have the bytes that its shape needs",
                          MLIA_NAME_ARG(value->name));
    uint32_t from = stored_bits(value->type, (mlia_encoding)constant->encoding);
    uint32_t to = stored_bits(value->type, encoding);
    if (from == to && !constant->splat) {
        *bytes = (mlia_bytes){constant->bytes.data, (size_t)size};
        return NULL;
    }
    if (constant->splat && size > SPLAT_LIMIT)
        return mlia_error(MLIA_E_TOSA_LIMIT,
                          "the constant" MLIA_NAME " would need %llu bytes when written out",
                          MLIA_NAME_ARG(value->name), (unsigned long long)size);
    uint8_t *target = MLIA_NEW_ARRAY(arena, uint8_t, size);
    MLIA_TRY_ALLOC(target);
    if (constant->splat && to % 8 == 0) { /* the usual case: one element, repeated */
        uint64_t pattern = convert(load_bits(constant->bytes.data, 0, from), value->type, from, to);
        uint8_t element[8] = {0};
        store_bits(element, 0, to, pattern);
        for (uint64_t i = 0; i < elements; i++)
            memcpy(target + i * (to / 8), element, to / 8);
    } else {
        expand(value, from, to, elements, target);
    }
    *bytes = (mlia_bytes){target, (size_t)size};
    return NULL;
}
