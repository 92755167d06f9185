/* Telling formats apart by content and by name. */
#include "formats/detect/format.h"
#include "test_support.h"

#define DETECT(literal) mlia_format_detect((mlia_bytes){(const uint8_t *)(literal), sizeof(literal) - 1})

static void test_signatures(void **state)
{
    (void)state;
    assert_int_equal(DETECT("\x1c\0\0\0TFL3"), MLIA_FORMAT_TFLITE);
    assert_int_equal(DETECT("\x1c\0\0\0TOSA"), MLIA_FORMAT_TOSA);
    assert_int_equal(DETECT("\x1c\0\0\0TOS"), MLIA_FORMAT_UNKNOWN);
    assert_int_equal(DETECT("\x1c\0\0\0ET12"), MLIA_FORMAT_PTE);
    assert_int_equal(DETECT("\x1c\0\0\0ETxx"), MLIA_FORMAT_UNKNOWN);
    assert_int_equal(DETECT("ML\xefR\6"), MLIA_FORMAT_TOSAMLIR);
    assert_int_equal(DETECT("VGF1"), MLIA_FORMAT_VGF);
    assert_int_equal(DETECT("\xc3\xd2\xe1\xf0"), MLIA_FORMAT_VGF);
    assert_int_equal(DETECT("\x03\x02\x23\x07"), MLIA_FORMAT_SPV);
    assert_int_equal(DETECT("\x07\x23\x02\x03"), MLIA_FORMAT_UNKNOWN);
    assert_int_equal(DETECT(""), MLIA_FORMAT_UNKNOWN);
}

static void test_mlir_text(void **state)
{
    (void)state;
    assert_int_equal(DETECT(" \n\tmodule {"), MLIA_FORMAT_TOSAMLIR);
    assert_int_equal(DETECT("\"func.func\"() ({"), MLIA_FORMAT_TOSAMLIR);
    assert_int_equal(DETECT("// a comment"), MLIA_FORMAT_TOSAMLIR);
    assert_int_equal(DETECT("#loc = loc(unknown)"), MLIA_FORMAT_TOSAMLIR);
    assert_int_equal(DETECT("{\"a\": 1}"), MLIA_FORMAT_UNKNOWN);
    assert_int_equal(DETECT("   "), MLIA_FORMAT_UNKNOWN);
}

/* A ZIP archive of one empty stored member. */
#define ZIP(name_size, name)                                                                                 \
    "PK\3\4\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" name_size "\0\0\0" name                             \
    "PK\1\2\n\0\n\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" name_size                                       \
    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" name
#define ZIP_END(offset) "PK\5\6\0\0\0\0\1\0\1\0\0\0\0\0" offset "\0\0\0\0\0"

static void test_archives(void **state)
{
    (void)state;
    assert_int_equal(DETECT(ZIP("\x0b", "ETRECORD_V0") ZIP_END("\x29")), MLIA_FORMAT_ETRECORD);
    assert_int_equal(DETECT(ZIP("\x10", "m/archive_format") ZIP_END("\x2e")), MLIA_FORMAT_PT2);
    assert_int_equal(DETECT(ZIP("\x10", "something-other!") ZIP_END("\x2e")), MLIA_FORMAT_UNKNOWN);
    assert_int_equal(DETECT(ZIP("\x10", "m/archive_format") ZIP_END("\xff")), MLIA_FORMAT_UNKNOWN);
    assert_int_equal(DETECT(ZIP("\x10", "m/archive_format")), MLIA_FORMAT_UNKNOWN);
}

static void test_names(void **state)
{
    (void)state;
    size_t size;
    assert_int_equal(mlia_format_by_suffix(MLIA_STR("a/b.TOSA.MLIR"), &size), MLIA_FORMAT_TOSAMLIR);
    assert_int_equal(size, 10);
    assert_int_equal(mlia_format_by_suffix(MLIA_STR("x.mlir"), &size), MLIA_FORMAT_TOSAMLIR);
    assert_int_equal(size, 5);
    assert_int_equal(mlia_format_by_suffix(MLIA_STR("x.tosa"), NULL), MLIA_FORMAT_TOSA);
    assert_int_equal(mlia_format_by_suffix(MLIA_STR("tosa"), &size), MLIA_FORMAT_UNKNOWN);
    assert_int_equal(size, 0);
    for (unsigned i = 0; i < MLIA_FORMAT_COUNT; i++)
        assert_int_equal(mlia_format_by_id(mlia_format_describe((mlia_format)i)->id), i);
    assert_int_equal(mlia_format_by_id(MLIA_STR("onnx")), MLIA_FORMAT_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_mlir_text),
        cmocka_unit_test(test_archives),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
