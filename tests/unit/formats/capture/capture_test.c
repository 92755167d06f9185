/* JSON of captures, and files that change between the check and the reading. */
#include "formats/capture/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/capture/json.h"
#include "test_support.h"

static char folder[] = "/tmp/mlia_capture_test_XXXXXX";

/* Runs a shell command in a folder. */
static int shell(const char *where, const char *command)
{
    char text[1024];
    snprintf(text, sizeof text, "cd '%s' && %s", where, command);
    return system(text);
}

static int build_captures(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    return shell(folder, "python3 '" MLIA_TEST_DATA "/capture/make_captures.py' .");
}

static int remove_captures(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return shell("/", command);
}

static mlia_status *parse(mlia_str text)
{
    json_t *value = NULL;
    mlia_status *status = capture_json_parse((mlia_bytes){(const uint8_t *)text.data, text.size}, &value);
    json_decref(value);
    return status;
}

static void json_syntax(void **state)
{
    (void)state;
    assert_ok(parse(MLIA_STR("{\"a\": [1, -0, \"\\u0000\", \"\\ud83d\\ude00\", 18446744073709551615]}")));
    assert_kind(parse(MLIA_STR("{\"a\": 1, \"b\": {\"c\": 1, \"c\": 2}}")), MLIA_E_JSON_DUPLICATE_KEY);
    static const char *const bad[] = {
        "",
        "{} 1",
        "{\"a\": NaN}",
        "{\"a\": 1,}",
        "// x\n{}",
        "{\"a\": 01}",
        "[\"\t\"]",
        "[\"\\ud800\"]",
        "[\"\xff\"]",
        "[1.]",
        "\xef\xbb\xbf{}",
        "[\"a\"18446744073709551616]",
        "[truth]",
        "[00018446744073709551616]",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_kind(parse(mlia_str_from_c(bad[i])), MLIA_E_JSON_SYNTAX);
}

static void json_nesting(void **state)
{
    (void)state;
    char text[2 * MLIA_CAPTURE_DEPTH_LIMIT + 3] = "";
    memset(text, '[', MLIA_CAPTURE_DEPTH_LIMIT);
    memset(text + MLIA_CAPTURE_DEPTH_LIMIT, ']', MLIA_CAPTURE_DEPTH_LIMIT);
    assert_ok(parse(mlia_str_from_c(text)));
    memset(text, '[', MLIA_CAPTURE_DEPTH_LIMIT + 1);
    memset(text + MLIA_CAPTURE_DEPTH_LIMIT + 1, ']', MLIA_CAPTURE_DEPTH_LIMIT + 1);
    assert_kind(parse(mlia_str_from_c(text)), MLIA_E_LIMIT);
    assert_ok(parse(MLIA_STR("[\"[[[[[[[[[[[[[[[[[[[[[[\"]")));
}

static mlia_status *open_capture(const char *name, mlia_capture **capture)
{
    char path[256];
    mlia_capture_location location;
    mlia_arena *arena = mlia_arena_new(0);
    snprintf(path, sizeof path, "%s/valid/%s", folder, name);
    mlia_status *status = mlia_capture_locate(path, arena, &location);
    if (status == NULL)
        status = mlia_capture_open(&location, capture);
    mlia_arena_free(arena);
    return status;
}

static mlia_status *count_bytes(void *context, mlia_bytes piece)
{
    *(size_t *)context += piece.size;
    return NULL;
}

static mlia_status *stream(const mlia_capture *capture, size_t *size)
{
    *size = 0;
    return mlia_capture_stream_artifact(capture, &capture->dispatches[0].statistics, 1000, count_bytes, size);
}

static void changed_files_are_refused(void **state)
{
    (void)state;
    static const char *const changes[] = {
        "printf x >> statistics_mode0.bin",
        "cp statistics_mode0.bin other && mv other statistics_mode0.bin",
        "mv statistics_mode0.bin other && ln -s other statistics_mode0.bin",
        "rm statistics_mode0.bin && mkfifo statistics_mode0.bin",
        "rm statistics_mode0.bin",
        "cd .. && mv dispatch_000000 away && ln -s away dispatch_000000",
    };
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        assert_int_equal(shell(folder, "rm -rf valid/copy && cp -r valid/v07_many_sessions valid/copy"), 0);
        mlia_capture *capture;
        size_t size;
        char dispatch[512];
        assert_ok(open_capture("copy", &capture));
        assert_ok(stream(capture, &size));
        assert_int_equal(size, capture->dispatches[0].statistics.identity.size);
        snprintf(dispatch, sizeof dispatch, "%s/%s", capture->root.data, capture->dispatches[0].folder.data);
        assert_int_equal(shell(dispatch, changes[i]), 0);
        assert_kind(stream(capture, &size), MLIA_E_READ);
        mlia_capture_free(capture);
    }
}

static void limits(void **state)
{
    (void)state;
    mlia_capture *capture;
    assert_int_equal(shell(folder, "truncate -s 20M valid/v08_twin/capture.json"), 0);
    assert_kind(open_capture("v08_twin", &capture), MLIA_E_LIMIT);
    assert_int_equal(shell(folder, "cd valid/v09_unmapped && mkdir -p a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a"), 0);
    assert_kind(open_capture("v09_unmapped", &capture), MLIA_E_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_syntax),
        cmocka_unit_test(json_nesting),
        cmocka_unit_test(changed_files_are_refused),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, build_captures, remove_captures);
}
