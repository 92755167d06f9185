/* "did you mean". */
#include "base/suggest.h"
#include "test_support.h"

static mlia_str suggest(const char *given)
{
    static const char *const names[] = {"target-profile", "performance", "no-output",
                                        "no-graph",       "top",         "json"};
    mlia_suggestion near = mlia_suggest(mlia_str_from_c(given));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        mlia_suggest_among(&near, mlia_str_from_c(names[i]));
    return mlia_suggest_found(&near);
}

static void test_suggestions(void **state)
{
    (void)state;
    assert_str(suggest("taget-profile"), "target-profile");
    assert_str(suggest("perf"), "performance"); /* the only one that begins so */
    assert_str(suggest("no-"), "");             /* two begin so */
    assert_str(suggest("jsno"), "json");
    assert_str(suggest("xy"), ""); /* two changes make anything of two letters */
    assert_str(suggest(""), "");
    assert_str(suggest("something-else"), "");
}

static void test_take(void **state)
{
    (void)state;
    mlia_str rest = MLIA_STR("a bc ");
    assert_str(mlia_str_take(&rest, ' '), "a");
    assert_str(mlia_str_take(&rest, ' '), "bc");
    assert_int_equal(rest.size, 0);
    rest = MLIA_STR("::x");
    assert_str(mlia_str_take(&rest, ':'), "");
    assert_str(mlia_str_take(&rest, ':'), "");
    assert_str(mlia_str_take(&rest, ':'), "x");
    assert_null(rest.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_suggestions), cmocka_unit_test(test_take)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
