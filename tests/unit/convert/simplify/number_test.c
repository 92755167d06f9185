/* Elements as numbers: exact round trips of every bit pattern of the small floats, rounding, saturation. */
#include "convert/simplify/number.h"

#include "test_support.h"

static void test_every_small_float(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t type;
        uint32_t patterns;
    } types[] = {
        {MLIA_TYPE_FP16, 65536}, {MLIA_TYPE_BF16, 65536}, {MLIA_TYPE_FP8E4M3, 256}, {MLIA_TYPE_FP8E5M2, 256}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        for (uint32_t bits = 0; bits < types[i].patterns; bits++) {
            double value = mlia_float_decode(types[i].type, bits);
            if (!isnan(value) && mlia_number_encode_float(types[i].type, value) != bits)
                fail_msg("type %u pattern %x", types[i].type, bits);
        }
}

static void test_rounding(void **unused)
{
    (void)unused;
    assert_int_equal(mlia_number_encode_float(MLIA_TYPE_FP16, 2049), 0x6800);  /* tie to even, down */
    assert_int_equal(mlia_number_encode_float(MLIA_TYPE_FP16, 2051), 0x6802);  /* tie to even, up */
    assert_int_equal(mlia_number_encode_float(MLIA_TYPE_FP16, 65519), 0x7BFF); /* largest */
    assert_int_equal(mlia_number_encode_float(MLIA_TYPE_FP16, 65520), 0x7C00); /* infinity */
    assert_int_equal(mlia_number_encode_float(MLIA_TYPE_FP16, 0x1p-25),
                     0x0000); /* half of the least: to even */
    assert_int_equal(mlia_number_encode_float(MLIA_TYPE_FP16, 0x1.8p-25), 0x0001);
    assert_int_equal(mlia_number_encode_float(MLIA_TYPE_FP16, -0.0), 0x8000);
    assert_int_equal(mlia_number_encode_float(MLIA_TYPE_FP8E4M3, 448), 0x7E);  /* largest */
    assert_int_equal(mlia_number_encode_float(MLIA_TYPE_FP8E4M3, 1000), 0x7F); /* no infinity: NaN */
    assert_int_equal(mlia_number_encode_float(MLIA_TYPE_FP32, 0.1), 0x3DCCCCCD);
    assert_int_equal(mlia_number_encode_float(MLIA_TYPE_BF16, 3.3895313892515355e38), 0x7F7F);
}

static void test_integers(void **unused)
{
    (void)unused;
    static const uint8_t minus_two[8] = {0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    static const uint32_t types[] = {MLIA_TYPE_INT4, MLIA_TYPE_INT8, MLIA_TYPE_INT16, MLIA_TYPE_INT32,
                                     MLIA_TYPE_INT48};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        mlia_number number;
        uint8_t bytes[MLIA_NUMBER_SIZE];
        assert_true(mlia_number_read(types[i], (mlia_bytes){minus_two, 8}, &number));
        assert_int_equal(number.integer, -2);
        size_t size = mlia_number_write(types[i], number, bytes);
        assert_memory_equal(bytes, minus_two, size);
        assert_false(mlia_number_read(types[i], (mlia_bytes){minus_two, size - 1}, &number));
    }
    assert_int_equal(mlia_number_lowest(MLIA_TYPE_INT8), -128);
}

static void test_casts(void **unused)
{
    (void)unused;
    assert_true(mlia_cast_is_widening(MLIA_TYPE_INT8, MLIA_TYPE_INT32, MLIA_TYPE_FP16));
    assert_true(mlia_cast_is_widening(MLIA_TYPE_BOOL, MLIA_TYPE_INT8, MLIA_TYPE_INT32));
    assert_true(mlia_cast_is_widening(MLIA_TYPE_BF16, MLIA_TYPE_FP32, MLIA_TYPE_INT8));
    assert_false(mlia_cast_is_widening(MLIA_TYPE_INT8, MLIA_TYPE_BOOL, MLIA_TYPE_INT8));
    assert_false(mlia_cast_is_widening(MLIA_TYPE_INT32, MLIA_TYPE_INT16, MLIA_TYPE_INT32));
    assert_false(
        mlia_cast_is_widening(MLIA_TYPE_FP8E4M3, MLIA_TYPE_FP16, MLIA_TYPE_FP8E5M2));     /* no such CAST */
    assert_false(mlia_cast_is_widening(MLIA_TYPE_INT32, MLIA_TYPE_FP32, MLIA_TYPE_FP16)); /* loses digits */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_small_float),
        cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_casts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
