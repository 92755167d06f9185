/* The TensorFlow Lite reader: good models, malformed ones with their kinds, every truncation and flipped
 * bytes. */
#include "test_support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "formats/tflite/tflite.h"

static mlia_status *read_bytes(mlia_bytes bytes, mlia_arena *arena, mlia_tflite **model)
{
    return mlia_tflite_read(bytes, NULL, NULL, arena, NULL, model);
}

static mlia_file *open_data(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/tflite/%s", MLIA_TEST_DATA, name);
    mlia_file *file = NULL;
    assert_ok(mlia_file_open(path, &file));
    return file;
}

static void model_with_convolution(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_file *file = open_data("models/conv2d_i8_same_relu6.tflite");
    mlia_tflite *model = NULL;
    assert_ok(read_bytes(mlia_file_bytes(file), arena, &model));
    assert_int_equal(model->subgraph_count, 1);
    const mlia_tflite_subgraph *graph = &model->subgraphs[0];
    assert_int_equal(graph->operator_count, 1);
    const mlia_tflite_operator *op = &graph->operators[0];
    assert_int_equal(op->op, MLIA_TFLITE_OP_CONV_2D);
    assert_str(mlia_tflite_op_name(op->op), "CONV_2D");
    assert_int_equal(op->inputs.count, 3);
    assert_int_equal(mlia_flatbuf_u8(op->options, MLIA_TFLITE_Conv2DOptions_fused_activation_function), 3);
    assert_int_equal(mlia_flatbuf_i32(op->options, MLIA_TFLITE_Conv2DOptions_dilation_h_factor), 1);
    const mlia_tflite_tensor *filter = &graph->tensors[op->inputs.values[1]];
    assert_true(filter->is_constant);
    assert_int_equal(filter->type, MLIA_TFLITE_INT8);
    assert_int_equal(filter->quantization.scale_count, filter->shape[0]);
    mlia_file_free(file);
    mlia_arena_free(arena);
}

/* A custom operator and an operator whose options are left out: defaults, no options. */
static void absent_options(void **state)
{
    (void)state;
    mlia_flatbuf_table options = {.schema = mlia_tflite_op_options(MLIA_TFLITE_OP_CONV_2D)};
    assert_int_equal(mlia_flatbuf_i32(options, MLIA_TFLITE_Conv2DOptions_dilation_w_factor), 1);
    assert_int_equal(mlia_flatbuf_i32(options, MLIA_TFLITE_Conv2DOptions_stride_w), 0);
    assert_null(mlia_tflite_op_options(MLIA_TFLITE_OP_CUSTOM));
}

/* CSR weights unfold to the dense tensor of 4 bytes an element. */
static void sparse_weights_unfold(void **state)
{
    (void)state;
    mlia_arena *arena = mlia_arena_new(0);
    mlia_file *file = open_data("models/fc_sparse_weights.tflite");
    mlia_tflite *model = NULL;
    assert_ok(read_bytes(mlia_file_bytes(file), arena, &model));
    bool found = false;
    for (uint32_t i = 0; i < model->subgraphs[0].tensor_count; i++) {
        const mlia_tflite_tensor *tensor = &model->subgraphs[0].tensors[i];
        if (!tensor->was_sparse)
            continue;
        found = true;
        uint64_t elements;
        assert_true(mlia_tflite_elements(tensor, &elements));
        assert_int_equal(tensor->data.size, elements * 4);
        size_t zeros = 0;
        for (size_t k = 0; k < elements; k++)
            zeros += mlia_load_u32(tensor->data.data + 4 * k) == 0;
        assert_true(zeros > 0 && zeros < elements);
    }
    assert_true(found);
    mlia_file_free(file);
    mlia_arena_free(arena);
}

/* Kinds that only a lowering finds out: such files are read. */
static bool found_by_lowering(const char *kind)
{
    return strcmp(kind, "E_TFLITE_ATTRIBUTE") == 0 || strcmp(kind, "E_TFLITE_SHAPE") == 0 ||
           strcmp(kind, "E_TFLITE_OPERANDS") == 0;
}

static void malformed_kinds(void **state)
{
    (void)state;
    FILE *list = fopen(MLIA_TEST_DATA "/tflite/malformed/expected.tsv", "r");
    assert_non_null(list);
    char name[128];
    char kind[64];
    unsigned count = 0;
    while (fscanf(list, "%127s %63s", name, kind) == 2) {
        mlia_arena *arena = mlia_arena_new(0);
        char path[512];
        snprintf(path, sizeof path, "%s/tflite/malformed/%s", MLIA_TEST_DATA, name);
        mlia_file *file = NULL;
        mlia_tflite *model = NULL;
        mlia_status *status = mlia_file_open(path, &file);
        if (status == NULL)
            status = read_bytes(mlia_file_bytes(file), arena, &model);
        if (found_by_lowering(kind)) {
            assert_ok(status);
        } else {
            assert_non_null(status);
            assert_string_equal(mlia_kind_name(mlia_status_kind(status)), kind);
        }
        mlia_status_free(status);
        mlia_file_free(file);
        mlia_arena_free(arena);
        count++;
    }
    fclose(list);
    assert_int_equal(count, 17);
}

static void broken_bytes_never_crash(void **state)
{
    (void)state;
    static const char *const names[] = {"models/conv2d_i8_same_relu6.tflite",
                                        "models/fc_sparse_weights.tflite",
                                        "models/fc_appended_buffer.tflite"};
    uint32_t random = 1;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        mlia_file *file = open_data(names[n]);
        mlia_bytes whole = mlia_file_bytes(file);
        for (size_t size = 0; size < whole.size; size++) {
            /* A copy of exactly this size, so that a sanitizer sees one byte too far. */
            uint8_t *copy = malloc(size ? size : 1);
            assert_non_null(copy);
            memcpy(copy, whole.data, size);
            mlia_arena *arena = mlia_arena_new(0);
            mlia_tflite *model = NULL;
            mlia_status_free(read_bytes((mlia_bytes){copy, size}, arena, &model));
            mlia_arena_free(arena);
            free(copy);
        }
        uint8_t *copy = malloc(whole.size);
        assert_non_null(copy);
        for (unsigned round = 0; round < 3000; round++) {
            memcpy(copy, whole.data, whole.size);
            for (unsigned flips = 0; flips < 3; flips++) {
                random = random * 1664525u + 1013904223u;
                copy[random % whole.size] ^= (uint8_t)(1u << (random >> 29));
            }
            mlia_arena *arena = mlia_arena_new(0);
            mlia_tflite *model = NULL;
            mlia_status_free(read_bytes((mlia_bytes){copy, whole.size}, arena, &model));
            mlia_arena_free(arena);
        }
        free(copy);
        mlia_file_free(file);
    }
}

/* Every model of the larger collection reads. */
static void collection(void **state)
{
    (void)state;
    const char *fixtures = getenv("MLIA_FIXTURES");
    if (fixtures == NULL) {
        print_message("skipped: MLIA_FIXTURES is not set\n");
        skip();
    }
    static const char *const folders[] = {"tflite/models", "models", "calibration"};
    unsigned count = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char folder[512];
        snprintf(folder, sizeof folder, "%s/%s", fixtures, folders[i]);
        DIR *directory = opendir(folder);
        assert_non_null(directory);
        for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
            if (!mlia_str_ends_with(mlia_str_from_c(entry->d_name), MLIA_STR(".tflite")))
                continue;
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            mlia_file *file = NULL;
            assert_ok(mlia_file_open(path, &file));
            mlia_arena *arena = mlia_arena_new(0);
            mlia_tflite *model = NULL;
            assert_ok(read_bytes(mlia_file_bytes(file), arena, &model));
            mlia_arena_free(arena);
            mlia_file_free(file);
            count++;
        }
        closedir(directory);
    }
    assert_true(count >= 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(model_with_convolution),   cmocka_unit_test(absent_options),
        cmocka_unit_test(sparse_weights_unfold),    cmocka_unit_test(malformed_kinds),
        cmocka_unit_test(broken_bytes_never_crash), cmocka_unit_test(collection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
