/* Compatibility of whole files: a file has a failing operator exactly when the public model converter refuses
 * it. */
#include "formats/tosa/tosa_files.h"
#include "graph/analyse.h"
#include "targets/compatibility.h"

static mlia_str table;

/* What the converter said of the file NAME.tosa. */
static bool converter_accepts(const char *path)
{
    mlia_str name = mlia_str_base_name(mlia_str_from_c(path));
    name.size -= sizeof ".tosa" - 1;
    for (mlia_str rest = table; rest.size > 0;) {
        size_t end = mlia_str_find(rest, '\n');
        mlia_str line = mlia_str_slice(rest, 0, end);
        rest = mlia_str_slice(rest, end + 1, rest.size);
        size_t tab = mlia_str_find(line, '\t');
        if (mlia_str_equal(mlia_str_slice(line, 0, tab), name))
            return mlia_str_equal(mlia_str_slice(line, tab + 1, line.size), MLIA_STR("accept"));
    }
    fail_msg("%s is not in the table", path);
    return false;
}

/* The converter stops at an unknown batch; here it becomes 1 first. */
static bool has_unknown_batch(const char *path)
{
    return mlia_str_ends_with(mlia_str_from_c(path), MLIA_STR("/dyn_batch.tosa"));
}

static void check_file(const char *path)
{
    tosa_file item;
    mlia_compatibility result;
    assert_ok(read_tosa(path, &item));
    mlia_status *status = mlia_graph_resolve_shapes(item.graph, NULL, 0, true, NULL);
    bool accepted = status == NULL;
    mlia_status_free(status);
    if (accepted) {
        assert_ok(
            mlia_compatibility_check(item.graph, (mlia_compatibility_options){false}, item.arena, &result));
        accepted = result.status == MLIA_COMPATIBILITY_OK;
    }
    if (accepted != (converter_accepts(path) || has_unknown_batch(path)))
        fail_msg("%s: %s", path, accepted ? "accepted" : "refused");
    close_tosa(&item);
}

static void test_files(void **state)
{
    (void)state;
    mlia_file *file;
    assert_ok(mlia_file_read(MLIA_TEST_DATA "/targets/converter_files.tsv", 1 << 20, &file));
    table = (mlia_str){(const char *)mlia_file_bytes(file).data, mlia_file_bytes(file).size};
    for_each_tosa("valid", check_file);
    mlia_file_free(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
