/* See fixed_point.h. The reciprocal square root follows the kernel's iteration, whose last bits show in
 * results. */
#include "convert/tflite_to_tosa/fixed_point.h"

static int32_t saturated(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

int32_t mlia_fixed_multiply_high(int32_t x, int32_t y)
{
    if (x == INT32_MIN && y == INT32_MIN)
        return INT32_MAX;
    int64_t product = (int64_t)x * y;
    int64_t nudge = product >= 0 ? (int64_t)1 << 30 : 1 - ((int64_t)1 << 30);
    return (int32_t)((product + nudge) / ((int64_t)1 << 31));
}

int32_t mlia_fixed_divide_by_power(int32_t x, int exponent)
{
    int32_t mask = (int32_t)((1u << exponent) - 1u);
    int32_t rest = x & mask;
    int32_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
    return (x >> exponent) + (rest > threshold ? 1 : 0);
}

int32_t mlia_fixed_scale(int32_t x, int32_t multiplier, int exponent)
{
    if (exponent < -31)
        return 0;
    int left = exponent > 0 ? exponent : 0;
    int32_t wide = left > 31 ? saturated(x == 0  ? 0
                                         : x > 0 ? INT64_MAX
                                                 : INT64_MIN)
                             : saturated((int64_t)x * ((int64_t)1 << left));
    return mlia_fixed_divide_by_power(mlia_fixed_multiply_high(wide, multiplier), left - exponent);
}

void mlia_fixed_inverse_root(int32_t x, int32_t *multiplier, int *exponent)
{
    *multiplier = INT32_MAX;
    *exponent = 0;
    if (x <= 1)
        return;
    int right = 11;
    for (; x >= 1 << 29; right++)
        x /= 4;
    int pairs = (__builtin_clz((uint32_t)x) - 1) / 2 - 1;
    right -= pairs;
    x *= 1 << 2 * pairs; /* now in [2^27, 2^29): numbers with 3 integer bits from here on */
    int32_t half = mlia_fixed_divide_by_power(x >> 1, 1);
    int32_t y = 1 << 28;
    for (int i = 0; i < 5; i++) { /* y = 1.5 · y - half · y³ */
        int32_t cube = mlia_fixed_multiply_high(mlia_fixed_multiply_high(y, y), y);
        cube = saturated((int64_t)cube * 64);
        int32_t next =
            mlia_fixed_multiply_high((1 << 28) + (1 << 27), y) - mlia_fixed_multiply_high(half, cube);
        y = saturated((int64_t)next * 8);
    }
    y = mlia_fixed_multiply_high(y, 1518500250); /* sqrt(2) / 2 */
    *multiplier = right < 0 ? (int32_t)((uint32_t)y << -right) : y;
    *exponent = right < 0 ? 0 : -right;
}
