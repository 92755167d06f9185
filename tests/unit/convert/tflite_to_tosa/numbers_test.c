/* The arithmetic that lowerings put into constants, against integer implementations written from the
 * definitions: real multipliers, what a RESCALE by them computes, tables. */
#include "test_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "convert/tflite_to_tosa/lower.h"

static uint64_t seed = 1;

static double uniform(double low, double high)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * ((double)(seed >> 11) / 9007199254740992.0);
}

/* ---- multipliers ---- */

static void multiplier_is_the_nearest(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        double real = ldexp(uniform(0.5, 1.0), (int)uniform(-40, 20));
        int32_t multiplier;
        int32_t exponent;
        mlia_lower_multiplier(real, &multiplier, &exponent);
        assert_true(multiplier >= 1 << 30);
        double value = ldexp((double)multiplier, exponent - 31);
        assert_true(fabs(value - real) <= ldexp(0.5, exponent - 31));
    }
    static const struct {
        double real;
        int32_t multiplier;
        int32_t shift; /* of TOSA */
    } known[] = {
        {1.0, 1 << 30, 30},
        {1048576.0, 1 << 30, 10},
        {0.05 / 0.03, 1789569707, 30},
        {0.25, 1 << 30, 32},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        int32_t multiplier;
        int32_t exponent;
        mlia_lower_multiplier(known[i].real, &multiplier, &exponent);
        assert_int_equal(multiplier, known[i].multiplier);
        assert_int_equal(31 - exponent, known[i].shift);
    }
    int32_t multiplier = 1;
    int32_t exponent = 1;
    static const double nothing[] = {0.0, -1.0, INFINITY, NAN};
    for (size_t i = 0; i < 4; i++) {
        mlia_lower_multiplier(nothing[i], &multiplier, &exponent);
        assert_int_equal(multiplier, 0);
    }
}

/* RESCALE of the specification, one element. */
static int64_t rescale(int64_t value, int32_t multiplier, int32_t shift, bool twice)
{
    int64_t round = (int64_t)1 << (shift - 1);
    if (twice && shift > 31)
        round += value >= 0 ? (int64_t)1 << 30 : -((int64_t)1 << 30);
    return (value * multiplier + round) >> shift;
}

/* The interpreter's two steps: high half of the doubled product, then a rounding shift. */
static int64_t two_steps(int64_t value, int32_t multiplier, int32_t exponent)
{
    int32_t right = exponent < 0 ? -exponent : 0;
    int64_t left = value * ((int64_t)1 << (exponent > 0 ? exponent : 0));
    int64_t product = left * multiplier;
    int64_t nudge = product >= 0 ? (int64_t)1 << 30 : 1 - ((int64_t)1 << 30);
    int64_t high = (product + nudge) / ((int64_t)1 << 31);
    int64_t mask = ((int64_t)1 << right) - 1;
    int64_t rest = high & mask;
    int64_t threshold = (mask >> 1) + (high < 0);
    return (high >> right) + (rest > threshold);
}

static void double_rounding_is_the_interpreters(void **state)
{
    (void)state;
    for (int i = 0; i < 300000; i++) {
        double real = ldexp(uniform(0.5, 1.0), (int)uniform(-12, 1));
        int64_t value = (int64_t)uniform(-1e6, 1e6);
        int32_t multiplier;
        int32_t exponent;
        mlia_lower_multiplier(real, &multiplier, &exponent);
        assert_int_equal(rescale(value, multiplier, 31 - exponent, true),
                         two_steps(value, multiplier, exponent));
        /* Rounding once is the nearest integer, ties upward. */
        double exact = (double)value * ldexp((double)multiplier, exponent - 31);
        assert_int_equal(rescale(value, multiplier, 31 - exponent, false), (int64_t)floor(exact + 0.5));
    }
}

/* ---- tables ---- */

static operand quantised(mlia_tflite_tensor *tensor, float *scale, int64_t *zero)
{
    *tensor = (mlia_tflite_tensor){.type = MLIA_TFLITE_INT8,
                                   .quantization = {.scale_count = 1, .scales = scale, .zero_points = zero}};
    return (operand){.tensor = tensor, .type = MLIA_TFLITE_INT8};
}

static float logistic(float x, float unused)
{
    (void)unused;
    return 1.0f / (1.0f + expf(-x));
}

static void bytes_table_is_monotone_and_close(void **state)
{
    (void)state;
    for (int round = 0; round < 300; round++) {
        mlia_tflite_tensor tensors[2];
        float scales[2] = {(float)uniform(0.001, 0.2), 1.0f / 256.0f};
        int64_t zeros[2] = {(int64_t)uniform(-128, 128), -128};
        operand in = quantised(&tensors[0], &scales[0], &zeros[0]);
        operand out = quantised(&tensors[1], &scales[1], &zeros[1]);
        lowering l = {0};
        int64_t entries[256];
        mlia_lower_table8(&l, &in, &out, logistic, 0.0f, entries);
        assert_null(l.fault);
        for (int q = -128; q < 128; q++) {
            double x = (double)scales[0] * (double)(q - zeros[0]);
            double exact = 256.0 / (1.0 + exp(-x)) - 128.0;
            exact = exact > 127.0 ? 127.0 : exact;
            assert_true(fabs((double)entries[q + 128] - exact) <= 0.501);
            assert_true(q == -128 || entries[q + 128] >= entries[q + 127]);
        }
    }
}

static double exponential(double x, double unused)
{
    (void)unused;
    return exp(x);
}

/* TABLE of the specification on INT16: 9 bits choose, 7 interpolate. */
static int32_t interpolate(const int64_t *entries, int32_t x)
{
    int32_t index = (x >> 7) + 256;
    int32_t part = x & 127;
    return (int32_t)(entries[index] * 128 + (entries[index + 1] - entries[index]) * part);
}

static void words_table_interpolates_closely(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++) {
        double scale_in = uniform(0.00001, 0.0002);
        double scale_out = exp(scale_in * 32767.0) / 32767.0;
        int64_t entries[513];
        mlia_lower_table16(scale_in, 0, scale_out, 0, exponential, 0.0, true, entries);
        for (int32_t x = -32768; x < 32768; x += 37) {
            double exact = exp(scale_in * x) / scale_out;
            assert_true(fabs(interpolate(entries, x) / 128.0 - exact) <= 8.0);
        }
    }
}

static void constants_of_narrow_types_are_signed(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0x8F, 0x70};
    operand x = {.type = MLIA_TFLITE_INT4, .data = {bytes, 2}, .is_constant = true, .elements = 4};
    assert_int_equal(mlia_lower_integer_at(&x, 0), -1);
    assert_int_equal(mlia_lower_integer_at(&x, 1), -8);
    assert_int_equal(mlia_lower_integer_at(&x, 2), 0);
    assert_int_equal(mlia_lower_integer_at(&x, 3), 7);
    x.type = MLIA_TFLITE_UINT4;
    assert_int_equal(mlia_lower_integer_at(&x, 0), 15);
    x.type = MLIA_TFLITE_INT2;
    assert_int_equal(mlia_lower_integer_at(&x, 0), -1);
    assert_int_equal(mlia_lower_integer_at(&x, 3), -2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(multiplier_is_the_nearest),
        cmocka_unit_test(double_rounding_is_the_interpreters),
        cmocka_unit_test(bytes_table_is_monotone_and_close),
        cmocka_unit_test(words_table_interpolates_closely),
        cmocka_unit_test(constants_of_narrow_types_are_signed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
