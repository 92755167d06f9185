/* Elements of constants: numbers as MLIR text spells them, as bit patterns and as packed bytes. */
#ifndef MLIA_FORMATS_MLIR_ELEMENT_H
#define MLIA_FORMATS_MLIR_ELEMENT_H

#include "formats/mlir/ir.h"

/* The bit pattern of `type` (a float type) nearest to `value`, ties to even. False when a finite value lies
 * beyond the largest number of the type, or when the type has no such infinity or NaN. */
bool mlia_mlir_float_encode(uint32_t type, double value, uint64_t *pattern);

/* Value of a decimal number with '.', without sign ("1.500000e+00"); correctly rounded to double. */
bool mlia_mlir_parse_float(mlia_str text, double *value);

/* Largest magnitudes of integers of a type: [0] of positive, [1] of negative ones. */
void mlia_mlir_integer_limits(const mlia_mlir_type *type, uint64_t largest[2]);
/* True when the integer `magnitude`, negated or not, can be written for an integer type (MLIR allows -128…255
 * for i8). */
bool mlia_mlir_integer_fits(const mlia_mlir_type *type, uint64_t magnitude, bool negative);

/* Bytes of one element in MLIR's raw data: whole bytes, i48 six. 0 when TOSA has no such type. */
uint32_t mlia_mlir_element_bytes(uint32_t type);

/* Turns MLIR's raw data, `count` elements of mlia_mlir_element_bytes each, into the TOSA encoding in `arena`
 * (or a view of `raw` where both are the same). */
mlia_status *mlia_mlir_encode_raw(mlia_arena *arena, uint32_t type, mlia_bytes raw, uint64_t count,
                                  mlia_bytes *bytes);

/* Packs elements of INT4, FP4 and FP6 types, one per byte, into `out`: `count` of them, starting at element
 * `index` of the constant, which must be a multiple of 4. */
void mlia_mlir_pack(uint32_t type, const uint8_t *elements, size_t count, uint64_t index, uint8_t *out);

/* Stores one element given as bit pattern. Types that are packed hold it in the low bits of one byte. */
void mlia_mlir_store(uint32_t type, uint64_t pattern, uint8_t *out);

#endif
