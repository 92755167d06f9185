/* The output folder without a program around it: nested files, replacement, foreign folders. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "core/output.h"
#include "test_support.h"

typedef struct place {
    mlia_arena *arena;
    char folder[64];
} place;

static int make_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    p->arena = mlia_arena_new(0);
    strcpy(p->folder, "/tmp/mlia-output-test.XXXXXX");
    *state = p;
    return mkdtemp(p->folder) == NULL;
}

static int remove_place(void **state)
{
    place *p = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", p->folder);
    int status = system(command);
    mlia_arena_free(p->arena);
    free(p);
    return status;
}

static mlia_bytes bytes_of(const char *text)
{
    return (mlia_bytes){(const uint8_t *)text, strlen(text)};
}

static void expect_file(place *p, const char *path, const char *text)
{
    mlia_str content = MLIA_STR_NONE;
    mlia_str full = mlia_arena_format(p->arena, "%s/mlia-output/%s", p->folder, path);
    assert_ok(mlia_file_read_text(full.data, 1000, p->arena, &content));
    assert_int_equal(content.size, strlen(text));
    assert_memory_equal(content.data, text, content.size);
}

static void publish(place *p, const char *path, const char *text)
{
    mlia_output *output;
    bool published = false;
    assert_ok(mlia_output_new(p->arena, mlia_str_from_c(p->folder), false, &output));
    assert_ok(mlia_output_add(output, mlia_str_from_c(path), bytes_of("first")));
    assert_ok(mlia_output_add(output, mlia_str_from_c(path), bytes_of(text)));
    assert_ok(mlia_output_publish(output, MLIA_STR("id"), &published));
    assert_true(published);
}

static void test_replacement(void **state)
{
    place *p = *state;
    publish(p, "a/b/c.txt", "one");
    expect_file(p, "a/b/c.txt", "one");
    expect_file(p, ".mlia-owner", "mlia " MLIA_VERSION " id\n");
    publish(p, "d.txt", "two");
    expect_file(p, "d.txt", "two");
    mlia_str gone = mlia_arena_format(p->arena, "%s/mlia-output/a", p->folder);
    assert_int_equal(access(gone.data, F_OK), -1);
}

static void test_nothing_happens_before_publishing(void **state)
{
    place *p = *state;
    mlia_output *output;
    assert_ok(mlia_output_new(p->arena, mlia_str_from_c(p->folder), false, &output));
    assert_ok(mlia_output_add(output, MLIA_STR("x"), bytes_of("x")));
    assert_int_equal(rmdir(p->folder), 0);
}

static void test_foreign_folder(void **state)
{
    place *p = *state;
    mlia_output *output;
    publish(p, "x", "x");
    mlia_str owner = mlia_arena_format(p->arena, "%s/mlia-output/.mlia-owner", p->folder);
    assert_int_equal(unlink(owner.data), 0);
    assert_kind(mlia_output_new(p->arena, mlia_str_from_c(p->folder), false, &output), MLIA_E_OUTPUT_EXISTS);
    assert_ok(mlia_output_new(p->arena, mlia_str_from_c(p->folder), true, &output));
}

static void test_path(void **state)
{
    place *p = *state;
    assert_str(mlia_output_path(p->arena, MLIA_STR(""), MLIA_STR("f")), "mlia-output/f");
    assert_str(mlia_output_path(p->arena, MLIA_STR("."), MLIA_STR("f")), "mlia-output/f");
    assert_str(mlia_output_path(p->arena, MLIA_STR("a/b"), MLIA_STR("f")), "a/b/mlia-output/f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_replacement, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_nothing_happens_before_publishing, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_foreign_folder, make_place, remove_place),
        cmocka_unit_test_setup_teardown(test_path, make_place, remove_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
