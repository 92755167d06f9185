/* Status, arena, buffers, maps, files, hashes, values. */
#include "test_support.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostics.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/value.h"

static void status_context(void **state)
{
    (void)state;
    mlia_status *status = mlia_error(MLIA_E_VGF_SECTION, "bad \x1b[31m offset %d", 7);
    status = mlia_status_at(status, 12);
    status = mlia_status_at(status, 99);
    status = mlia_status_path(status, MLIA_STR("a\nb.vgf"));
    status = mlia_status_in(status, "section %d", 2);
    status = mlia_status_hint(status, "convert it again");
    assert_str(mlia_status_message(status), "bad \\x1b[31m offset 7");
    assert_str(mlia_status_path_text(status), "a\\x0ab.vgf");
    assert_str(mlia_status_member(status), "section 2");
    assert_int_equal(mlia_status_offset(status), 12);
    assert_string_equal(mlia_kind_name(mlia_status_kind(status)), "E_VGF_SECTION");
    assert_int_equal(mlia_class_exit_status(mlia_kind_class(MLIA_E_PROFILE)), 2);
    mlia_status_free(status);
    mlia_status_free(mlia_status_hint(mlia_error_memory(), "ignored"));
}

static void arena_grows(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    uint32_t *items = NULL;
    size_t count = 0;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 100000; i++) {
        assert_true(MLIA_RESERVE(arena, items, count, capacity));
        items[count++] = i;
    }
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(items[i], i);
    assert_null(mlia_arena_alloc(arena, SIZE_MAX, 2, 1));
    assert_str(mlia_arena_format(arena, "%s-%d", "x", 5), "x-5");
    mlia_arena_free(arena);
    arena = mlia_arena_new(100);
    assert_null(mlia_arena_alloc(arena, 101, 1, 1));
    assert_non_null(mlia_arena_alloc(arena, 100, 1, 1));
    mlia_arena_free(arena);
}

/* Arrays that grow side by side through all sizes of chunks keep their items, and new room is zero. */
static void arena_grows_large(void **state)
{
    (void)state;
    enum { COUNT = 1 << 18 };
    mlia_arena *arena = mlia_arena_new(0);
    uint64_t *items[2] = {NULL, NULL};
    size_t capacity[2] = {0, 0};
    for (size_t used = 0; used < COUNT; used++)
        for (size_t k = 0; k < 2; k++) {
            items[k] = mlia_arena_grow(arena, items[k], used, &capacity[k], used + 1, 8, 8);
            assert_non_null(items[k]);
            assert_true(items[k][used] == 0);
            items[k][used] = used * 2 + k;
        }
    for (size_t i = 0; i < COUNT; i++)
        assert_true(items[0][i] == i * 2 && items[1][i] == i * 2 + 1);
    size_t used = mlia_arena_used(arena);
    mlia_arena_release(arena, items[0], capacity[0] * 8);
    assert_int_equal(mlia_arena_used(arena), used - capacity[0] * 8);
    mlia_arena_shrink(arena, items[1], capacity[1] * 8, 4096);
    assert_int_equal(mlia_arena_used(arena), used - capacity[0] * 8 - capacity[1] * 8 + 4096);
    assert_true(items[1][511] == 1023);
    uint8_t *bytes = mlia_arena_alloc(arena, 100, 1, 1);
    memset(bytes, 7, 100);
    mlia_arena_shrink(arena, bytes, 100, 10);
    assert_true(mlia_arena_alloc(arena, 90, 1, 1) == (void *)(bytes + 10));
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(bytes[i], i < 10 ? 7 : 0);
    mlia_arena_free(arena);
    arena = mlia_arena_new(1 << 20);
    uint8_t *limited = NULL;
    size_t room = 0;
    assert_non_null(limited = mlia_arena_grow(arena, limited, 0, &room, 1 << 19, 1, 1));
    assert_null(mlia_arena_grow(arena, limited, 0, &room, 1 << 21, 1, 1));
    mlia_arena_free(arena);
}

static void reader_is_bounded(void **state)
{
    (void)state;
    static const uint8_t data[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    mlia_reader reader = mlia_reader_of((mlia_bytes){data, sizeof data});
    uint32_t word;
    uint64_t wide;
    assert_true(mlia_read_u32(&reader, &word));
    assert_int_equal(word, 0x04030201);
    assert_false(mlia_read_u64(&reader, &wide));
    assert_int_equal(mlia_reader_left(&reader), 5);
    assert_false(mlia_bytes_has(reader.bytes, 8, SIZE_MAX));
    assert_true(mlia_bytes_has(reader.bytes, 9, 0));
}

static void buffer_writes(void **state)
{
    (void)state;
    mlia_buffer buffer = {0};
    mlia_buffer_add_u16(&buffer, 0x0201);
    mlia_buffer_align(&buffer, 4);
    mlia_buffer_add_u64(&buffer, 7);
    mlia_buffer_set_u32(&buffer, 0, 0xFFFFFFFF);
    mlia_buffer_format(&buffer, "%0600d", 1);
    assert_ok(mlia_buffer_status(&buffer));
    assert_int_equal(buffer.size, 612);
    assert_int_equal(buffer.data[3], 0xFF);
    assert_int_equal(buffer.data[611], '1');
    mlia_buffer_free(&buffer);
}

static void map_finds(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_map map = mlia_map_in(arena);
    assert_null(mlia_map_find(&map, MLIA_STR("x")));
    for (uint32_t i = 0; i < 5000; i++)
        assert_non_null(mlia_map_insert(&map, mlia_arena_format(arena, "key%u", i), i, NULL));
    bool is_new = true;
    assert_int_equal(*mlia_map_insert(&map, MLIA_STR("key77"), 1, &is_new), 77);
    assert_false(is_new);
    assert_int_equal(*mlia_map_find(&map, MLIA_STR("key4999")), 4999);
    assert_null(mlia_map_find(&map, MLIA_STR("")));
    assert_non_null(mlia_map_insert(&map, MLIA_STR_NONE, 3, NULL));
    assert_int_equal(*mlia_map_find(&map, MLIA_STR("")), 3);
    mlia_arena_free(arena);
}

static void files(void **state)
{
    (void)state;
    mlia_file *file = NULL;
    assert_kind(mlia_file_open("/nonexistent/x", &file), MLIA_E_NOT_FOUND);
    assert_kind(mlia_file_open("/tmp", &file), MLIA_E_NOT_A_FILE);
    assert_kind(mlia_file_open("/dev/null", &file), MLIA_E_NOT_A_FILE);
    char path[] = "/tmp/mlia-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_kind(mlia_file_open(path, &file), MLIA_E_EMPTY);
    assert_ok(mlia_file_write(path, (mlia_bytes){(const uint8_t *)"hello", 5}));
    assert_ok(mlia_file_open(path, &file));
    assert_int_equal(mlia_file_bytes(file).size, 5);
    mlia_file_free(file);
    assert_kind(mlia_file_read(path, 4, &file), MLIA_E_LIMIT);
    assert_kind(mlia_file_write("/nonexistent/x", (mlia_bytes){NULL, 0}), MLIA_E_WRITE);
    unlink(path);
}

/* Pieces become a file that is large enough to be mapped; parts of it come back after they were forgotten. */
static void large_files(void **state)
{
    (void)state;
    enum { SIZE = 300000 };
    mlia_arena *arena = mlia_arena_new(0);
    uint8_t *bytes = MLIA_NEW_ARRAY(arena, uint8_t, SIZE);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(i * 7 >> 3);
    mlia_pieces pieces = {0};
    mlia_buffer head = {0};
    mlia_buffer_add(&head, bytes, 10);
    assert_ok(mlia_pieces_take(&pieces, arena, &head));
    assert_ok(mlia_pieces_add(&pieces, arena, (mlia_bytes){NULL, 0}));
    assert_ok(mlia_pieces_add(&pieces, arena, (mlia_bytes){bytes + 10, SIZE - 10}));
    assert_int_equal(pieces.count, 2);
    assert_int_equal(pieces.size, SIZE);
    mlia_buffer joined = {0};
    mlia_pieces_join(&pieces, &joined);
    assert_int_equal(joined.size, SIZE);
    assert_memory_equal(joined.data, bytes, SIZE);
    mlia_buffer_free(&joined);
    mlia_bytes whole;
    assert_ok(mlia_pieces_bytes(&pieces, arena, &whole));
    assert_int_equal(whole.size, SIZE);
    assert_memory_equal(whole.data, bytes, SIZE);
    mlia_pieces first = {.items = pieces.items, .count = 1, .size = pieces.items[0].size};
    assert_ok(mlia_pieces_bytes(&first, arena, &whole));
    assert_ptr_equal(whole.data, pieces.items[0].data);
    assert_ok(mlia_pieces_bytes(&(mlia_pieces){0}, arena, &whole));
    assert_int_equal(whole.size, 0);
    char path[] = "/tmp/mlia-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_ok(mlia_file_write_pieces(path, &pieces));
    mlia_file *file = NULL;
    assert_ok(mlia_file_open(path, &file));
    assert_int_equal(mlia_file_bytes(file).size, SIZE);
    assert_memory_equal(mlia_file_bytes(file).data, bytes, SIZE);
    mlia_file_forget(file, 5, SIZE * 2);
    mlia_file_forget(file, SIZE, 5);
    mlia_file_forget(NULL, 0, 1);
    assert_memory_equal(mlia_file_bytes(file).data, bytes, SIZE);
    mlia_file_free(file);
    unlink(path);
    mlia_arena_free(arena);
}

static void hashes(void **state)
{
    (void)state;
    char hex[MLIA_SHA256_HEX_SIZE + 1];
    mlia_sha256_hex((mlia_bytes){(const uint8_t *)"abc", 3}, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    char uuid[MLIA_UUID_SIZE + 1];
    assert_ok(mlia_uuid_v7(0x0197C0DE0001u, uuid));
    assert_memory_equal(uuid, "0197c0de-0001-7", 15);
    assert_true(mlia_uuid_valid(mlia_str_from_c(uuid)));
    assert_false(mlia_uuid_valid(MLIA_STR("0197c0de-0001-7000-8000-00000000000g")));
}

static void values(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_value *a = mlia_value_object(arena);
    assert_true(mlia_value_set(arena, a, MLIA_STR("n"), mlia_value_integer(arena, 1)));
    assert_true(mlia_value_set(arena, a, MLIA_STR("s"), mlia_value_string(arena, MLIA_STR("t"))));
    mlia_value *b = mlia_value_object(arena);
    assert_true(mlia_value_set(arena, b, MLIA_STR("s"), mlia_value_string(arena, MLIA_STR("t"))));
    assert_false(mlia_value_equal(a, b));
    assert_true(mlia_value_set(arena, b, MLIA_STR("n"), mlia_value_number(arena, 1.0)));
    assert_true(mlia_value_equal(a, b));
    assert_str(mlia_value_get_str(a, MLIA_STR("s")), "t");
    assert_int_equal(mlia_value_get_str(a, MLIA_STR("n")).size, 0);
    mlia_arena_free(arena);
}

static void warnings(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_diagnostics sink = {.arena = arena, .path = MLIA_STR("m.vgf")};
    mlia_warn(&sink, MLIA_W_VGF_NAMES, "two names");
    mlia_warn(&sink, MLIA_W_VGF_NAMES, "two names");
    mlia_warn_at(&sink, MLIA_W_VGF_OVERLAP, 5, MLIA_STR("module table"), "overlap");
    mlia_warn(NULL, MLIA_W_VGF_NAMES, "nobody listens");
    assert_int_equal(sink.count, 2);
    assert_str(sink.items[1].member, "module table");
    mlia_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_context),
        cmocka_unit_test(arena_grows),
        cmocka_unit_test(arena_grows_large),
        cmocka_unit_test(reader_is_bounded),
        cmocka_unit_test(buffer_writes),
        cmocka_unit_test(map_finds),
        cmocka_unit_test(files),
        cmocka_unit_test(large_files),
        cmocka_unit_test(hashes),
        cmocka_unit_test(values),
        cmocka_unit_test(warnings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
