/* Views of text: order, UTF-8, numbers. */
#include "test_support.h"

#include "base/text.h"

static void natural_order(void **state)
{
    (void)state;
    assert_true(mlia_str_compare_natural(MLIA_STR("chain/2"), MLIA_STR("chain/10")) < 0);
    assert_true(mlia_str_compare_natural(MLIA_STR("chain/010"), MLIA_STR("chain/10")) != 0);
    assert_true(mlia_str_compare_natural(MLIA_STR("a"), MLIA_STR("a1")) < 0);
    assert_int_equal(mlia_str_compare_natural(MLIA_STR("x9y"), MLIA_STR("x9y")), 0);
    assert_true(mlia_str_compare_natural(MLIA_STR("99999999999999999999998"),
                                         MLIA_STR("99999999999999999999999")) < 0);
}

static void edit_distance(void **state)
{
    (void)state;
    assert_int_equal(mlia_str_distance(MLIA_STR("chekc"), MLIA_STR("check"), 2), 2);
    assert_int_equal(mlia_str_distance(MLIA_STR("--taget"), MLIA_STR("--target"), 2), 1);
    assert_int_equal(mlia_str_distance(MLIA_STR("a"), MLIA_STR("zzzzzz"), 2), 3);
}

static void utf8(void **state)
{
    (void)state;
    assert_true(mlia_utf8_valid(MLIA_STR("na\xC3\xAFve \xE2\x9C\x93 \xF0\x9F\x99\x82")));
    static const char *const bad[] = {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                      "\x80",     "\xE2\x9C",     "\xF8\x88\x80\x80\x80"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(mlia_utf8_valid(mlia_str_from_c(bad[i])));
    assert_int_equal(mlia_utf8_cut(MLIA_STR("a\xE2\x9C\x93"), 3), 1);
    assert_int_equal(mlia_utf8_cut(MLIA_STR("a\xE2\x9C\x93"), 4), 4);
}

static void numbers(void **state)
{
    (void)state;
    int64_t integer;
    double number;
    assert_true(mlia_str_to_i64(MLIA_STR("-9223372036854775808"), &integer));
    assert_true(integer == INT64_MIN);
    assert_false(mlia_str_to_i64(MLIA_STR("9223372036854775808"), &integer));
    assert_false(mlia_str_to_i64(MLIA_STR("1 "), &integer));
    assert_true(mlia_str_to_double(MLIA_STR("-48.685e1"), &number));
    assert_true(number == -486.85);
    static const char *const bad[] = {"", ".", "nan", "inf", "0x10", "1e", "1e999", " 1", "1,5", "--1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(mlia_str_to_double(mlia_str_from_c(bad[i]), &number));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(natural_order),
        cmocka_unit_test(edit_distance),
        cmocka_unit_test(utf8),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
