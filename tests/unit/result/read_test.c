/* Reading documents: what is refused, with which rule and place; older and newer versions; layout of the
 * text. */
#include "test_support.h"

#include "base/file.h"
#include "result/document.h"

static mlia_arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = mlia_arena_new(0);
    return arena == NULL;
}

static int tear_down(void **state)
{
    (void)state;
    mlia_arena_free(arena);
    return 0;
}

/* A document around the members of its one result. */
#define ENVELOPE(version, result)                                                                            \
    "{\"schema_version\":\"" version "\",\"run_id\":\"0197c0de-0001-7000-8000-000000000001\","               \
    "\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"tool\":{\"name\":\"mlia\",\"version\":\"1.0.0\"},"         \
    "\"target\":{\"profile_name\":\"p\",\"target_type\":\"t\",\"components\":[{\"type\":\"npu\",\"family\":" \
    "\"f\"}],\"configuration\":{}},\"model\":{\"name\":\"m\",\"format\":\"vgf\",\"hash\":"                   \
    "\"9c98807997eacd9a8f7b514e43c51ec339770368eeccbba763f94161e9c058db\"},\"context\":{},"                  \
    "\"backends\":[{\"id\":\"b\",\"name\":\"n\",\"version\":\"1\",\"configuration\":{}}],"                   \
    "\"results\":[{\"kind\":\"performance\",\"status\":\"ok\",\"producer\":\"b\"" result "}]}"

static mlia_status *read(const char *text, mlia_diagnostics *diagnostics, mlia_faults *faults,
                         mlia_document **document)
{
    return mlia_document_read(mlia_str_from_c(text), arena, diagnostics, faults, document);
}

/* The text is refused as a document with this rule and path as its first fault. */
static void assert_fault(const char *text, const char *rule, const char *path)
{
    mlia_faults faults = {.arena = arena};
    mlia_document *document;
    assert_kind(read(text, NULL, &faults, &document), MLIA_E_DOCUMENT);
    assert_true(faults.total >= 1);
    assert_string_equal(faults.items[0].rule, rule);
    assert_string_equal(faults.items[0].path.data, path);
}

static void names_rule_and_place(void **state)
{
    (void)state;
    assert_fault(ENVELOPE("1.2.0", ",\"surplus\":1"), "schema", "$.results[0].surplus");
    assert_fault(ENVELOPE("1.2.0", ",\"a b\":1"), "schema", "$.results[0][\"a b\"]");
    assert_fault(ENVELOPE("1.2.0", ",\"mode\":\"guessed\""), "schema", "$.results[0].mode");
    assert_fault(ENVELOPE("1.2.0", ",\"warnings\":[1]"), "schema", "$.results[0].warnings[0]");
    assert_fault(ENVELOPE("1.2.0", ",\"metrics\":[{\"name\":\"x\",\"unit\":\"y\"}]"), "schema",
                 "$.results[0].metrics[0]");
    assert_fault(ENVELOPE("2.0.0", ""), "schema", "$.schema_version");
    assert_fault(ENVELOPE("1.2.0", ",\"breakdowns\":[{\"entity_id\":\"e\",\"metrics\":[]}]"), "R2",
                 "$.results[0].breakdowns[0].entity_id");
#define ENTITY(id, more) "{\"id\":\"" id "\",\"kind\":\"source_operator\",\"name\":\"n\"" more "}"
    assert_fault(ENVELOPE("1.2.0", ",\"entities\":[" ENTITY("a", "") "," ENTITY("a", "") "]"), "R1",
                 "$.results[0].entities[1].id");
    assert_fault(ENVELOPE("1.2.0", ",\"entities\":[" ENTITY("a", ",\"child_ids\":[\"a\"]") "]"), "R3",
                 "$.results[0].entities[0]");
    assert_fault(ENVELOPE("1.2.0", ",\"entity_kinds\":[{\"id\":\"model\"}]"), "R4",
                 "$.results[0].entity_kinds[0].id");
    assert_fault(
        ENVELOPE("1.2.0", ",\"entities\":[" ENTITY("a", ",\"child_ids\":[\"b\"]") "," ENTITY("b", "") "]"),
        "R5", "$.results[0].entities[0]");
}

static void refuses_text_that_is_no_document(void **state)
{
    (void)state;
    mlia_document *document;
    assert_kind(read("", NULL, NULL, &document), MLIA_E_JSON_SYNTAX);
    assert_kind(read("{\"a\":1,\"a\":2}", NULL, NULL, &document), MLIA_E_JSON_SYNTAX);
    assert_kind(read("{} x", NULL, NULL, &document), MLIA_E_JSON_SYNTAX);
    assert_kind(read("{\"a\":\"\xFF\"}", NULL, NULL, &document), MLIA_E_JSON_SYNTAX);
    assert_kind(read("{\"a\":1e999}", NULL, NULL, &document), MLIA_E_JSON_SYNTAX);
    assert_kind(read("[]", NULL, NULL, &document), MLIA_E_DOCUMENT);
}

/* Nested 64 deep is the limit, counted with the document itself. */
static void limits_depth(void **state)
{
    (void)state;
    enum { SMALL = 58, LARGE = 70, HUGE_DEPTH = 100000 };
    static const int depths[] = {SMALL, LARGE, HUGE_DEPTH};
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        mlia_buffer text = {0};
        mlia_buffer_add_str(&text, MLIA_STR("{\"extensions\":{\"x\":"));
        for (int k = 0; k < depths[i]; k++)
            mlia_buffer_add_byte(&text, '[');
        for (int k = 0; k < depths[i]; k++)
            mlia_buffer_add_byte(&text, ']');
        mlia_buffer_add_str(&text, MLIA_STR("}}"));
        mlia_document *document;
        assert_kind(mlia_document_read(mlia_buffer_str(&text), arena, NULL, NULL, &document),
                    depths[i] == SMALL ? MLIA_E_DOCUMENT : MLIA_E_LIMIT);
        mlia_buffer_free(&text);
    }
}

static void reads_older_versions(void **state)
{
    (void)state;
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_document *document;
    assert_ok(read(ENVELOPE("1.1.0",
                            ",\"entities\":[{\"id\":\"op_3\",\"scope\":\"operator\",\"name\":\"conv\","
                            "\"location\":\"a.py:3\"},{\"id\":\"s\",\"scope\":\"segment\",\"name\":\"s\"}]"),
                   &diagnostics, NULL, &document));
    const mlia_result *result = &document->results.items[0];
    assert_str(result->entities.items[0].kind, "source_operator");
    assert_str(mlia_value_get_str(result->entities.items[0].attributes, MLIA_STR("location")), "a.py:3");
    assert_str(result->entities.items[1].kind, "segment");
    assert_str(result->entity_kinds.items[0].id, "segment");
    assert_str(document->schema_version, "1.2.0");
    assert_int_equal(diagnostics.count, 1);
    assert_int_equal(diagnostics.items[0].kind, MLIA_W_DOCUMENT_VERSION);
}

/* Members of a newer minor version are kept when the document is written again. */
static void keeps_newer_members(void **state)
{
    (void)state;
    mlia_diagnostics diagnostics = {.arena = arena};
    mlia_document *document;
    mlia_buffer text = {0};
    assert_ok(read(ENVELOPE("1.3.0", ",\"novelty\":[1,{\"x\":null}]"), &diagnostics, NULL, &document));
    assert_true(diagnostics.count >= 1);
    mlia_document_write(document, &text);
    mlia_buffer_add_byte(&text, 0);
    assert_non_null(strstr((const char *)text.data, "\"novelty\": [\n"));
    assert_non_null(strstr((const char *)text.data, "\"schema_version\": \"1.3.0\""));
    mlia_buffer_free(&text);
}

static void writes_every_text_as_ascii(void **state)
{
    (void)state;
    mlia_value text = {.type = MLIA_VALUE_STRING,
                       .as.string = MLIA_STR("\"\\/\b\f\n\r\t\x01\x7F\xC3\xA9\xF0\x9F\x98\x80\xE2\x82")};
    mlia_buffer buffer = {0};
    mlia_value_write(&text, -1, &buffer);
    assert_str(mlia_buffer_str(&buffer),
               "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u007f\\u00e9\\ud83d\\ude00\\ufffd\"");
    mlia_buffer_free(&buffer);
}

static void writes_numbers_like_ecmascript(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } rows[] = {{0, "0"},
                {-0.0, "0"},
                {100, "100"},
                {0.1, "0.1"},
                {1e21, "1e+21"},
                {1e-7, "1e-7"},
                {1e-6, "0.000001"},
                {123456789012345680000.0, "123456789012345680000"},
                {9007199254740993.0, "9007199254740992"},
                {5e-324, "5e-324"},
                {5.684341886080802e-14, "5.684341886080802e-14"},
                {-1.5e300, "-1.5e+300"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[MLIA_NUMBER_TEXT_SIZE];
        assert_int_equal(mlia_number_text(rows[i].value, text), strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
    }
}

/* The examples come back byte for byte. */
static void writes_what_it_read(void **state)
{
    (void)state;
    static const char *const names[] = {"compatibility-ok",
                                        "compatibility-partial",
                                        "compatibility-incompatible",
                                        "estimated-performance",
                                        "measured-capture",
                                        "etdump-runtime",
                                        "failed-run"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mlia_str path = mlia_arena_format(arena, "%s/result/documents/%s.json", MLIA_TEST_DATA, names[i]);
        mlia_file *file;
        mlia_document *document;
        mlia_buffer text = {0};
        assert_ok(mlia_file_open(path.data, &file));
        mlia_bytes bytes = mlia_file_bytes(file);
        assert_ok(mlia_document_read((mlia_str){(const char *)bytes.data, bytes.size}, arena, NULL, NULL,
                                     &document));
        mlia_document_write(document, &text);
        assert_int_equal(text.size, bytes.size);
        assert_memory_equal(text.data, bytes.data, bytes.size);
        mlia_buffer_free(&text);
        mlia_file_free(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(names_rule_and_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refuses_text_that_is_no_document, set_up, tear_down),
        cmocka_unit_test_setup_teardown(limits_depth, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_older_versions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_newer_members, set_up, tear_down),
        cmocka_unit_test_setup_teardown(writes_every_text_as_ascii, set_up, tear_down),
        cmocka_unit_test_setup_teardown(writes_numbers_like_ecmascript, set_up, tear_down),
        cmocka_unit_test_setup_teardown(writes_what_it_read, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
