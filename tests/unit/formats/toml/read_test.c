/* What the public suite does not ask: places, limits, lookup in large tables. */
#include "formats/toml/toml.h"
#include "test_support.h"

#include <stdio.h>
#include <stdlib.h>

static int new_arena(void **state)
{
    *state = mlia_arena_new(0);
    return *state == NULL;
}

static int free_arena(void **state)
{
    mlia_arena_free(*state);
    return 0;
}

static void test_places(void **state)
{
    mlia_toml *root;
    assert_ok(mlia_toml_read(*state, MLIA_STR("a = 1\n[b]\n  c.d = [ 'x' ]\n"), MLIA_E_CONFIG, &root));
    const mlia_toml_member *b = mlia_toml_find(root, MLIA_STR("b"));
    const mlia_toml_member *c = mlia_toml_find(b->value, MLIA_STR("c"));
    const mlia_toml_member *d = mlia_toml_find(c->value, MLIA_STR("d"));
    assert_int_equal(d->line, 3);
    assert_int_equal(d->column, 5);
    assert_int_equal(d->value->type, MLIA_TOML_ARRAY);
    assert_str(d->value->items[0]->as.text, "x");
    assert_null(mlia_toml_find(root, MLIA_STR("c")));
}

static void test_error_places(void **state)
{
    static const struct {
        const char *text;
        unsigned line;
        unsigned column;
    } cases[] = {
        {"a = 1\na = 2\n", 2, 1},  {"x = \"abc\n", 1, 9}, {"\nk = 2024-02-30\n", 2, 5},
        {"[a]\n[b]\n[a]\n", 3, 2}, {"a = [1 2]", 1, 8},   {"a = {b = 1,}", 1, 12},
        {"a = '\x80'", 1, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mlia_toml *root;
        mlia_status *status = mlia_toml_read(*state, mlia_str_from_c(cases[i].text), MLIA_E_CONFIG, &root);
        assert_non_null(status);
        assert_int_equal(mlia_status_line(status), cases[i].line);
        assert_int_equal(mlia_status_column(status), cases[i].column);
        mlia_status_free(status);
    }
}

static void test_depth_limit(void **state)
{
    char text[300] = "a = ";
    memset(text + 4, '[', 100);
    memset(text + 104, ']', 100);
    mlia_toml *root;
    assert_kind(mlia_toml_read(*state, mlia_str_from_c(text), MLIA_E_CONFIG, &root), MLIA_E_CONFIG);
    for (size_t i = 0; i < 200; i += 2)
        memcpy(text + i, "a.", 2);
    memcpy(text + 199, " = 1", 5);
    assert_kind(mlia_toml_read(*state, mlia_str_from_c(text), MLIA_E_CONFIG, &root), MLIA_E_CONFIG);
}

static void test_many_keys(void **state)
{
    enum { KEYS = 20000 };
    char *text = malloc(KEYS * 16);
    size_t size = 0;
    for (int i = 0; i < KEYS; i++)
        size += (size_t)snprintf(text + size, 16, "k%d = %d\n", i, i);
    mlia_toml *root;
    assert_ok(mlia_toml_read(*state, (mlia_str){text, size}, MLIA_E_CONFIG, &root));
    assert_int_equal(root->count, KEYS);
    assert_int_equal(mlia_toml_find(root, MLIA_STR("k19999"))->value->as.integer, 19999);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_places, new_arena, free_arena),
        cmocka_unit_test_setup_teardown(test_error_places, new_arena, free_arena),
        cmocka_unit_test_setup_teardown(test_depth_limit, new_arena, free_arena),
        cmocka_unit_test_setup_teardown(test_many_keys, new_arena, free_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
