/* Builder, verifier and accessors against each other, and against hand-damaged bytes. */
#include "formats/flatbuf/flatbuf.h"

#include <stdlib.h>

#include "test_support.h"

/* A schema with one field of each sort. */
enum { LEAF_NUMBER, LEAF_NAME, LEAF_NUMBERS };
static const mlia_flatbuf_field leaf_fields[] = {
    {.name = "number", .type = MLIA_FLATBUF_I32, .initial = -1},
    {.name = "name", .type = MLIA_FLATBUF_STRING},
    {.name = "numbers", .type = MLIA_FLATBUF_I32, .is_vector = true},
};
static const mlia_flatbuf_schema leaf_schema = MLIA_FLATBUF_SCHEMA("Leaf", leaf_fields);
static const mlia_flatbuf_schema *const choices[] = {NULL, &leaf_schema};

enum {
    ROOT_FLAG,
    ROOT_BYTE,
    ROOT_WORD,
    ROOT_LONG,
    ROOT_SINGLE,
    ROOT_DOUBLE,
    ROOT_NAME,
    ROOT_LEAF,
    ROOT_LEAVES,
    ROOT_NAMES,
    ROOT_LONGS,
    ROOT_BYTES,
    ROOT_CHOICE_TYPE,
    ROOT_CHOICE,
    ROOT_MANY,
};
static const mlia_flatbuf_field root_fields[] = {
    {.name = "flag", .type = MLIA_FLATBUF_BOOL, .initial = 1},
    {.name = "byte", .type = MLIA_FLATBUF_I8},
    {.name = "word", .type = MLIA_FLATBUF_U16},
    {.name = "long", .type = MLIA_FLATBUF_U64},
    {.name = "single", .type = MLIA_FLATBUF_F32},
    {.name = "double", .type = MLIA_FLATBUF_F64},
    {.name = "name", .type = MLIA_FLATBUF_STRING, .is_required = true},
    {.name = "leaf", .type = MLIA_FLATBUF_TABLE, .table = &leaf_schema},
    {.name = "leaves", .type = MLIA_FLATBUF_TABLE, .is_vector = true, .max_count = 3, .table = &leaf_schema},
    {.name = "names", .type = MLIA_FLATBUF_STRING, .is_vector = true},
    {.name = "longs", .type = MLIA_FLATBUF_I64, .is_vector = true},
    {.name = "bytes", .type = MLIA_FLATBUF_U8, .is_vector = true},
    {.name = "choice_type", .type = MLIA_FLATBUF_U8},
    {.name = "choice", .type = MLIA_FLATBUF_UNION, .members = choices, .member_count = 2},
    {.name = "many", .type = MLIA_FLATBUF_TABLE, .is_vector = true, .table = &leaf_schema},
};
static const mlia_flatbuf_schema root_schema = MLIA_FLATBUF_SCHEMA("Root", root_fields);

/* Any kinds that can be told apart. */
static const mlia_flatbuf_rules rules = {
    .identifier = "TEST",
    .flags = MLIA_FLATBUF_UNION_PAIRS | MLIA_FLATBUF_ALIGNED,
    .short_kind = MLIA_E_TOSA_TRUNCATED,
    .identifier_kind = MLIA_E_TOSA_IDENTIFIER,
    .offset_kind = MLIA_E_TOSA_OFFSET,
    .missing_kind = MLIA_E_TOSA_SCHEMA,
    .text_kind = MLIA_E_TOSA_UTF8,
    .limit_kind = MLIA_E_TOSA_LIMIT,
    .warning_kind = MLIA_W_TOSA_DATA,
};

static mlia_flatbuf_ref add_leaf(mlia_flatbuf_builder *builder, int number, const char *name)
{
    mlia_flatbuf_ref text = mlia_flatbuf_add_string(builder, mlia_str_from_c(name));
    mlia_flatbuf_begin(builder, &leaf_schema);
    mlia_flatbuf_set_integer(builder, LEAF_NUMBER, number);
    mlia_flatbuf_set_ref(builder, LEAF_NAME, text);
    return mlia_flatbuf_end(builder);
}

static void build_sample(mlia_buffer *out)
{
    mlia_flatbuf_builder *builder = mlia_flatbuf_builder_new();
    assert_non_null(builder);
    const mlia_flatbuf_ref leaves[] = {add_leaf(builder, 5, "five"), add_leaf(builder, -1, "default")};
    const mlia_flatbuf_ref names[] = {mlia_flatbuf_add_string(builder, MLIA_STR("na\xC3\xAFve")),
                                      mlia_flatbuf_add_string(builder, MLIA_STR(""))};
    const int64_t longs[] = {-1, INT64_MIN, 7};
    mlia_flatbuf_ref name = mlia_flatbuf_add_string(builder, MLIA_STR("root"));
    mlia_flatbuf_ref leaf_list = mlia_flatbuf_add_refs(builder, leaves, 2);
    mlia_flatbuf_ref name_list = mlia_flatbuf_add_refs(builder, names, 2);
    mlia_flatbuf_ref long_list = mlia_flatbuf_add_vector(builder, longs, 3, 8, 8);
    mlia_flatbuf_ref byte_list = mlia_flatbuf_add_vector(builder, "abc", 3, 1, 16);
    mlia_flatbuf_begin(builder, &root_schema);
    mlia_flatbuf_set_integer(builder, ROOT_FLAG, 0);
    mlia_flatbuf_set_integer(builder, ROOT_BYTE, -128);
    mlia_flatbuf_set_integer(builder, ROOT_WORD, 65535);
    mlia_flatbuf_set_integer(builder, ROOT_LONG, INT64_MIN);
    mlia_flatbuf_set_real(builder, ROOT_SINGLE, 0.5);
    mlia_flatbuf_set_real(builder, ROOT_DOUBLE, -1e300);
    mlia_flatbuf_set_ref(builder, ROOT_NAME, name);
    mlia_flatbuf_set_ref(builder, ROOT_LEAF, leaves[0]);
    mlia_flatbuf_set_ref(builder, ROOT_LEAVES, leaf_list);
    mlia_flatbuf_set_ref(builder, ROOT_NAMES, name_list);
    mlia_flatbuf_set_ref(builder, ROOT_LONGS, long_list);
    mlia_flatbuf_set_ref(builder, ROOT_BYTES, byte_list);
    mlia_flatbuf_set_integer(builder, ROOT_CHOICE_TYPE, 1);
    mlia_flatbuf_set_ref(builder, ROOT_CHOICE, leaves[1]);
    mlia_flatbuf_ref root = mlia_flatbuf_end(builder);
    assert_ok(mlia_flatbuf_finish(builder, root, "TEST", out));
    mlia_flatbuf_builder_free(builder);
}

static mlia_status *verify(mlia_bytes bytes, const mlia_flatbuf_rules *with)
{
    mlia_flatbuf buffer;
    MLIA_TRY(mlia_flatbuf_open(bytes, with, &buffer));
    return mlia_flatbuf_verify(&buffer, &root_schema, NULL);
}

static void reads_what_it_built(void **state)
{
    (void)state;
    mlia_buffer out = {0};
    mlia_buffer again = {0};
    build_sample(&out);
    build_sample(&again);
    assert_int_equal(out.size, again.size);
    assert_memory_equal(out.data, again.data, out.size);
    mlia_flatbuf buffer;
    assert_ok(mlia_flatbuf_open(mlia_buffer_bytes(&out), &rules, &buffer));
    assert_ok(mlia_flatbuf_verify(&buffer, &root_schema, NULL));
    mlia_flatbuf_table root = mlia_flatbuf_root(&buffer, &root_schema);
    assert_false(mlia_flatbuf_bool(root, ROOT_FLAG));
    assert_int_equal(mlia_flatbuf_integer(root, ROOT_BYTE), -128);
    assert_int_equal(mlia_flatbuf_u32(root, ROOT_WORD), 65535);
    assert_true(mlia_flatbuf_u64(root, ROOT_LONG) == UINT64_C(1) << 63);
    assert_true(mlia_flatbuf_real(root, ROOT_SINGLE) == 0.5);
    assert_true(mlia_flatbuf_real(root, ROOT_DOUBLE) == -1e300);
    assert_str(mlia_flatbuf_string(root, ROOT_NAME), "root");
    mlia_flatbuf_table leaf = mlia_flatbuf_child(root, ROOT_LEAF);
    assert_int_equal(mlia_flatbuf_i32(leaf, LEAF_NUMBER), 5);
    mlia_flatbuf_vector leaves = mlia_flatbuf_list(root, ROOT_LEAVES);
    assert_int_equal(leaves.count, 2);
    assert_str(mlia_flatbuf_string(mlia_flatbuf_table_at(leaves, 1), LEAF_NAME), "default");
    assert_false(mlia_flatbuf_has(mlia_flatbuf_table_at(leaves, 1), LEAF_NUMBER));
    assert_int_equal(mlia_flatbuf_i32(mlia_flatbuf_child(root, ROOT_CHOICE), LEAF_NUMBER), -1);
    mlia_flatbuf_vector names = mlia_flatbuf_list(root, ROOT_NAMES);
    assert_str(mlia_flatbuf_string_at(names, 0), "na\xC3\xAFve");
    assert_int_equal(mlia_flatbuf_string_at(names, 1).size, 0);
    mlia_flatbuf_vector longs = mlia_flatbuf_list(root, ROOT_LONGS);
    assert_true(mlia_flatbuf_integer_at(longs, 1) == INT64_MIN);
    assert_int_equal(mlia_flatbuf_offset_at(longs, 0) % 8, 0);
    assert_int_equal(mlia_flatbuf_bytes(root, ROOT_BYTES).size, 3);
    assert_int_equal((mlia_flatbuf_offset(root, ROOT_BYTES) + 4) % 16, 0);
    mlia_buffer_free(&out);
    mlia_buffer_free(&again);
}

static void absent_things_have_defaults(void **state)
{
    (void)state;
    mlia_flatbuf_builder *builder = mlia_flatbuf_builder_new();
    mlia_buffer out = {0};
    mlia_flatbuf_begin(builder, &root_schema);
    assert_ok(mlia_flatbuf_finish(builder, mlia_flatbuf_end(builder), NULL, &out));
    mlia_flatbuf_builder_free(builder);
    assert_memory_equal(out.data, "\x08\0\0\0\x04\0\x04\0\x04\0\0\0", 12);
    mlia_flatbuf_rules plain = rules;
    plain.identifier = NULL;
    mlia_flatbuf buffer;
    assert_ok(mlia_flatbuf_open(mlia_buffer_bytes(&out), &plain, &buffer));
    assert_kind(mlia_flatbuf_verify(&buffer, &root_schema, NULL), MLIA_E_TOSA_SCHEMA);
    mlia_flatbuf_table root = mlia_flatbuf_root(&buffer, &root_schema);
    assert_true(mlia_flatbuf_bool(root, ROOT_FLAG));
    assert_true(mlia_flatbuf_real(root, ROOT_SINGLE) == 0.0);
    assert_null(mlia_flatbuf_string(root, ROOT_NAME).data);
    assert_null(mlia_flatbuf_bytes(root, ROOT_BYTES).data);
    assert_int_equal(mlia_flatbuf_list(root, ROOT_LEAVES).count, 0);
    mlia_flatbuf_table leaf = mlia_flatbuf_child(root, ROOT_LEAF);
    assert_false(mlia_flatbuf_exists(leaf));
    assert_int_equal(mlia_flatbuf_i32(leaf, LEAF_NUMBER), -1);
    assert_false(mlia_flatbuf_exists(mlia_flatbuf_child(root, ROOT_CHOICE)));
    mlia_buffer_free(&out);
}

static void names_the_place_of_a_fault(void **state)
{
    (void)state;
    mlia_buffer out = {0};
    build_sample(&out);
    uint8_t *text = memmem(out.data, out.size, "default", 7);
    text[0] = 0xFF;
    mlia_status *status = verify(mlia_buffer_bytes(&out), &rules);
    assert_string_equal(mlia_kind_name(mlia_status_kind(status)), "E_TOSA_UTF8");
    assert_str(mlia_status_member(status), "leaves[1].name");
    assert_int_equal(mlia_status_offset(status), (size_t)(text - out.data) - 4);
    mlia_status_free(status);
    mlia_flatbuf_rules any_text = rules;
    any_text.flags |= MLIA_FLATBUF_ANY_TEXT;
    assert_ok(verify(mlia_buffer_bytes(&out), &any_text));
    text[7] = 'x';
    assert_kind(verify(mlia_buffer_bytes(&out), &any_text), MLIA_E_TOSA_OFFSET);
    any_text.flags |= MLIA_FLATBUF_LOOSE_STRINGS;
    assert_ok(verify(mlia_buffer_bytes(&out), &any_text));
    mlia_buffer_free(&out);
}

static void refuses_headers(void **state)
{
    (void)state;
    assert_kind(verify((mlia_bytes){(const uint8_t *)"\x08\0\0\0TES", 7}, &rules), MLIA_E_TOSA_TRUNCATED);
    assert_kind(verify((mlia_bytes){(const uint8_t *)"\x08\0\0\0NOPE", 8}, &rules), MLIA_E_TOSA_IDENTIFIER);
    assert_kind(verify((mlia_bytes){(const uint8_t *)"\x08\0\0\0TEST", 8}, &rules), MLIA_E_TOSA_OFFSET);
    assert_kind(verify((mlia_bytes){(const uint8_t *)"\x04\0\0\0TEST", 8}, &rules), MLIA_E_TOSA_OFFSET);
}

/* A root with a name, `count` times the same leaf, and a union tag. */
static void build_list(mlia_buffer *out, size_t count, int tag)
{
    mlia_flatbuf_builder *builder = mlia_flatbuf_builder_new();
    mlia_flatbuf_ref leaf = add_leaf(builder, 1, "one");
    mlia_flatbuf_ref *leaves = calloc(count + 1, sizeof *leaves);
    for (size_t i = 0; i < count; i++)
        leaves[i] = leaf;
    mlia_flatbuf_ref list = mlia_flatbuf_add_refs(builder, leaves, count);
    mlia_flatbuf_ref name = mlia_flatbuf_add_string(builder, MLIA_STR("root"));
    mlia_flatbuf_begin(builder, &root_schema);
    mlia_flatbuf_set_ref(builder, ROOT_NAME, name);
    mlia_flatbuf_set_ref(builder, ROOT_LEAVES, list);
    mlia_flatbuf_set_integer(builder, ROOT_CHOICE_TYPE, tag);
    assert_ok(mlia_flatbuf_finish(builder, mlia_flatbuf_end(builder), "TEST", out));
    mlia_flatbuf_builder_free(builder);
    free(leaves);
}

static void demands_union_pairs(void **state)
{
    (void)state;
    mlia_buffer out = {0};
    build_list(&out, 0, 1);
    assert_kind(verify(mlia_buffer_bytes(&out), &rules), MLIA_E_TOSA_SCHEMA);
    mlia_flatbuf_rules lax = rules;
    lax.flags = 0;
    assert_ok(verify(mlia_buffer_bytes(&out), &lax));
    mlia_buffer_free(&out);
}

static void bounds_lists_and_tables(void **state)
{
    (void)state;
    mlia_buffer out = {0};
    build_list(&out, 4, 0);
    assert_kind(verify(mlia_buffer_bytes(&out), &rules), MLIA_E_TOSA_LIMIT);
    mlia_buffer_free(&out);
    build_list(&out, 3, 0);
    assert_ok(verify(mlia_buffer_bytes(&out), &rules));
    mlia_flatbuf_rules few = rules;
    few.table_limit = 3;
    assert_kind(verify(mlia_buffer_bytes(&out), &few), MLIA_E_TOSA_LIMIT);
    few.table_limit = 4;
    assert_ok(verify(mlia_buffer_bytes(&out), &few));
    mlia_buffer_free(&out);
}

/* 10 000 references to one text, or to one list of numbers, of 10 000 bytes: 50 KB that would cost 100 MB of
 * work. */
static void refuses_bombs(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    static const uint8_t zeros[COUNT];
    mlia_flatbuf_ref *refs = calloc(COUNT, sizeof *refs);
    for (uint32_t field = ROOT_NAMES; field <= ROOT_MANY; field += ROOT_MANY - ROOT_NAMES) {
        mlia_flatbuf_builder *builder = mlia_flatbuf_builder_new();
        mlia_flatbuf_ref name = mlia_flatbuf_add_string(builder, (mlia_str){(const char *)zeros, COUNT});
        mlia_flatbuf_ref numbers = mlia_flatbuf_add_vector(builder, zeros, COUNT / 4, 4, 4);
        mlia_flatbuf_begin(builder, &leaf_schema);
        mlia_flatbuf_set_ref(builder, LEAF_NUMBERS, numbers);
        mlia_flatbuf_ref leaf = mlia_flatbuf_end(builder);
        for (size_t i = 0; i < COUNT; i++)
            refs[i] = field == ROOT_NAMES ? name : leaf;
        mlia_flatbuf_ref list = mlia_flatbuf_add_refs(builder, refs, COUNT);
        mlia_flatbuf_begin(builder, &root_schema);
        mlia_flatbuf_set_ref(builder, ROOT_NAME, name);
        mlia_flatbuf_set_ref(builder, field, list);
        mlia_buffer out = {0};
        assert_ok(mlia_flatbuf_finish(builder, mlia_flatbuf_end(builder), "TEST", &out));
        mlia_flatbuf_builder_free(builder);
        assert_kind(verify(mlia_buffer_bytes(&out), &rules), MLIA_E_TOSA_LIMIT);
        mlia_buffer_free(&out);
    }
    free(refs);
}

/* Every damaged copy is refused or read without harm: the sanitizers judge. */
static void survives_every_truncation_and_flip(void **state)
{
    (void)state;
    mlia_buffer out = {0};
    build_sample(&out);
    for (size_t size = 0; size < out.size; size++) {
        uint8_t *copy = malloc(size ? size : 1);
        memcpy(copy, out.data, size);
        mlia_status *status = verify((mlia_bytes){copy, size}, &rules);
        free(copy);
        if (size < out.size - 4) /* the last bytes may be padding */
            assert_non_null(status);
        mlia_status_free(status);
    }
    for (size_t i = 0; i < out.size; i++) {
        for (unsigned flip = 1; flip < 256; flip++) {
            out.data[i] = (uint8_t)(out.data[i] ^ flip);
            mlia_status_free(verify(mlia_buffer_bytes(&out), &rules));
            out.data[i] = (uint8_t)(out.data[i] ^ flip);
        }
    }
    mlia_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_it_built),
        cmocka_unit_test(absent_things_have_defaults),
        cmocka_unit_test(names_the_place_of_a_fault),
        cmocka_unit_test(refuses_headers),
        cmocka_unit_test(demands_union_pairs),
        cmocka_unit_test(bounds_lists_and_tables),
        cmocka_unit_test(refuses_bombs),
        cmocka_unit_test(survives_every_truncation_and_flip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
