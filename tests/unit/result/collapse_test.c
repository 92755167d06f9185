/* Shell patterns of collapse rules, and the natural order that documents are sorted by. */
#include "test_support.h"

#include "result/stages.h"

static void matches_like_fnmatch(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        const char *text;
        bool matches;
    } rows[] = {
        {"**/site-packages/torch/**", "/usr/lib/site-packages/torch/nn/x.py", true},
        {"**/site-packages/torch/**", "site-packages/torch/nn/x.py", false},
        {"*.py", "a/b.py", true},
        {"*.py", "a/b.pyc", false},
        {"a?c", "abc", true},
        {"a?c",
         "a\xC3\xA9"
         "c",
         true},
        {"a?c", "ac", false},
        {"[abc]x", "bx", true},
        {"[!abc]x", "bx", false},
        {"[a-c]x", "bx", true},
        {"[]x]", "]", true},
        {"[!]]", "]", false},
        {"[x", "[x", true},
        {"[x", "x", false},
        {"", "", true},
        {"", "x", false},
        {"*", "", true},
        {"*a*b*c*", "xxaxxbxxcxx", true},
        {"*a*b*c*", "xxaxxcxxbxx", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (mlia_glob_match(mlia_str_from_c(rows[i].pattern), mlia_str_from_c(rows[i].text)) !=
            rows[i].matches)
            fail_msg("%s on %s", rows[i].pattern, rows[i].text);
}

static void digits_come_before_other_characters(void **state)
{
    (void)state;
    static const char *const ascending[] = {"chain/2",         "chain/10",          "nn_module/conv",
                                            "nn_module/conv1", "nn_module/conv1.a", "nn_module/conv.a",
                                            "nn_module/cony"};
    for (size_t i = 1; i < sizeof ascending / sizeof *ascending; i++)
        assert_true(
            mlia_str_compare_natural(mlia_str_from_c(ascending[i - 1]), mlia_str_from_c(ascending[i])) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(matches_like_fnmatch),
                                       cmocka_unit_test(digits_come_before_other_characters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
