/* The fixed-point arithmetic that TensorFlow Lite kernels compute with, on numbers known at conversion:
 * 32-bit products and quotients that round half away from zero and saturate. */
#ifndef MLIA_CONVERT_TFLITE_TO_TOSA_FIXED_POINT_H
#define MLIA_CONVERT_TFLITE_TO_TOSA_FIXED_POINT_H

#include <stdint.h>

/* Saturating doubling high multiplication: (x · y) / 2^31, rounded. */
int32_t mlia_fixed_multiply_high(int32_t x, int32_t y);
/* x / 2^exponent, rounded; 0 ≤ exponent ≤ 31. */
int32_t mlia_fixed_divide_by_power(int32_t x, int exponent);
/* x · multiplier · 2^(exponent - 31), rounded after the product and after the division (RESCALE's
 * DOUBLE_ROUND). Quotients below 2^-31 are 0, products beyond 32 bits saturate. */
int32_t mlia_fixed_scale(int32_t x, int32_t multiplier, int exponent);
/* 1 / sqrt(x), x ≥ 1, as multiplier · 2^(exponent - 31): five steps of Newton-Raphson from 1. */
void mlia_fixed_inverse_root(int32_t x, int32_t *multiplier, int *exponent);

#endif
