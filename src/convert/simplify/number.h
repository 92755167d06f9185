/* Single elements of tensors as numbers, for rules that compute. */
#ifndef MLIA_SIMPLIFY_NUMBER_H
#define MLIA_SIMPLIFY_NUMBER_H

#include <math.h>

#include "graph/graph.h"

typedef struct mlia_number {
    int64_t integer; /* integer types and BOOL */
    double real;     /* float types; exact */
} mlia_number;

enum { MLIA_NUMBER_SIZE = 8 }; /* bytes of the largest element */

/* Reads one element in BYTES encoding (or the encoding of an attribute, which is the same for the types that
 * have it). False when the bytes are too few or the type is none. */
bool mlia_number_read(uint32_t type, mlia_bytes bytes, mlia_number *number);
/* Writes one element in BYTES encoding: integers wrap, floats are rounded to nearest even, too large ones to
 * infinity. Returns the element's size, 0 for a type that cannot be written. */
size_t mlia_number_write(uint32_t type, mlia_number number, uint8_t bytes[MLIA_NUMBER_SIZE]);
/* All bits zero. */
bool mlia_number_is_zero(mlia_bytes element);
/* Least value of an integer type. */
int64_t mlia_number_lowest(uint32_t type);
/* Bits of a float of up to 32 bits, from a double. */
uint32_t mlia_number_encode_float(uint32_t type, double value);

/* True when a cast from `from` to `through` loses nothing and one from `from` to `to` gives what the two in a
 * row do. */
bool mlia_cast_is_widening(uint32_t from, uint32_t through, uint32_t to);

#endif
