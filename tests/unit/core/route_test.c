/* Routes between forms, and what runs through them. */
#include "core/route.h"
#include "test_support.h"

static void test_shortest(void **state)
{
    (void)state;
    mlia_route route;
    assert_true(mlia_route_find(MLIA_FORMAT_TOSA, MLIA_FORM_GRAPHS, &route));
    assert_int_equal(route.count, 1);
    assert_string_equal(route.steps[0]->backend, "tosa-flatbuffers");
    assert_true(mlia_route_find(MLIA_FORMAT_VGF, MLIA_FORMAT_TOSA, &route));
    assert_int_equal(route.count, 2);
    assert_int_equal(route.steps[0]->from, MLIA_FORMAT_VGF);
    assert_int_equal(route.steps[0]->to, route.steps[1]->from);
    assert_int_equal(route.steps[1]->to, MLIA_FORMAT_TOSA);
}

static void test_nowhere(void **state)
{
    (void)state;
    mlia_route route;
    assert_false(mlia_route_find(MLIA_FORMAT_SPV, MLIA_FORM_GRAPHS, &route));
    assert_true(mlia_route_find(MLIA_FORMAT_SPV, MLIA_FORMAT_SPV, &route));
    assert_int_equal(route.count, 0);
    assert_false(mlia_form_is_target(MLIA_FORMAT_SPV));
    assert_true(mlia_form_is_target(MLIA_FORMAT_TOSA));
}

/* Every route is a chain, and no longer than the limit. */
static void test_all_routes_are_chains(void **state)
{
    (void)state;
    for (unsigned from = 0; from < MLIA_FORM_COUNT; from++)
        for (unsigned to = 0; to < MLIA_FORM_COUNT; to++) {
            mlia_route route;
            if (!mlia_route_find(from, to, &route))
                continue;
            assert_true(route.count <= MLIA_ROUTE_LIMIT);
            for (size_t i = 0; i < route.count; i++) {
                assert_int_equal(route.steps[i]->from, i == 0 ? from : route.steps[i - 1]->to);
                assert_non_null(route.steps[i]->run);
            }
            assert_true(route.count == 0 || route.steps[route.count - 1]->to == to);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shortest),
        cmocka_unit_test(test_nowhere),
        cmocka_unit_test(test_all_routes_are_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
