/* The container: verdicts on hand-made files, what is in a good one, and damage of every byte. */
#include "formats/vgf/vgf.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "test_support.h"

typedef struct opened {
    mlia_file *file;
    mlia_arena *arena;
    mlia_diagnostics diagnostics;
    mlia_vgf *vgf;
    mlia_graph *graph;
} opened;

static mlia_status *read_all(mlia_bytes bytes, opened *state)
{
    MLIA_TRY(mlia_vgf_read(bytes, state->arena, &state->diagnostics, &state->vgf));
    for (uint32_t i = 0; i < state->vgf->segment_count; i++)
        if (state->vgf->segments[i].type != MLIA_VGF_COMPUTE)
            MLIA_TRY(mlia_vgf_segment_graph(state->vgf, i, state->arena, &state->diagnostics, &state->graph));
    return NULL;
}

static void open_file(const char *path, opened *state)
{
    *state = (opened){.arena = mlia_arena_new(0)};
    state->diagnostics.arena = state->arena;
    assert_ok(mlia_file_open(path, &state->file));
}

static void close_file(opened *state)
{
    mlia_arena_free(state->arena);
    mlia_file_free(state->file);
}

static void path_of(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/vgf/%s", MLIA_TEST_DATA, name);
}

/* Each line of expected.tsv: file, kind or "ok". */
static void test_container_kinds(void **unused)
{
    (void)unused;
    char path[512];
    path_of(path, sizeof path, "container/expected.tsv");
    FILE *list = fopen(path, "r");
    assert_non_null(list);
    char line[512];
    assert_non_null(fgets(line, sizeof line, list));
    int count = 0;
    while (fgets(line, sizeof line, list) != NULL) {
        char name[128];
        char kind[64];
        char container[192];
        assert_int_equal(sscanf(line, "%127s %63s", name, kind), 2);
        snprintf(container, sizeof container, "container/%s", name);
        path_of(path, sizeof path, container);
        opened state;
        open_file(path, &state);
        mlia_status *status = read_all(mlia_file_bytes(state.file), &state);
        const char *found = "ok";
        if (status != NULL)
            found = mlia_kind_name(mlia_status_kind(status));
        else if (state.diagnostics.count > 0)
            found = mlia_kind_name(state.diagnostics.items[0].kind);
        if (strcmp(found, kind) != 0)
            fail_msg("%s: %s, expected %s", name, found, kind);
        mlia_status_free(status);
        close_file(&state);
        count++;
    }
    fclose(list);
    assert_true(count > 50);
}

static void test_constants_are_views(void **unused)
{
    (void)unused;
    char path[512];
    path_of(path, sizeof path, "02_conv2d_int8.vgf");
    opened state;
    open_file(path, &state);
    mlia_bytes bytes = mlia_file_bytes(state.file);
    assert_ok(read_all(bytes, &state));
    assert_str(state.vgf->input_names[0], "image");
    assert_str(state.vgf->output_names[0], "logits");
    assert_int_equal(state.vgf->constant_count, 1);
    assert_int_equal(state.vgf->constants[0].sparsity_dimension, 3);
    const mlia_block *block = mlia_graph_main(state.graph);
    assert_str(state.graph->values[block->inputs[0]].name, "image");
    assert_str(state.graph->values[block->outputs[0]].name, "logits");
    int found = 0;
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const mlia_operator *op = &state.graph->operators[block->operators[i]];
        if (op->op != MLIA_OP_CONV2D)
            continue;
        const mlia_graph_value *weights = &state.graph->values[op->inputs[1]];
        assert_ptr_equal(weights->constant->bytes.data, state.vgf->constants[0].data.data);
        assert_true(weights->constant->bytes.data > bytes.data);
        assert_int_equal(op->attributes->pad.count, 4);
        assert_int_equal(op->attributes->pad.values[0], 1);
        assert_int_equal(op->attributes->acc_type, MLIA_TYPE_INT32);
        assert_str(state.graph->sources[op->source].id, "segment_0/spirv-60");
        found++;
    }
    assert_int_equal(found, 1);
    close_file(&state);
}

static void test_constant_values(void **unused)
{
    (void)unused;
    char path[512];
    path_of(path, sizeof path, "18_constants.vgf");
    opened state;
    open_file(path, &state);
    assert_ok(read_all(mlia_file_bytes(state.file), &state));
    const mlia_block *block = mlia_graph_main(state.graph);
    assert_int_equal(block->output_count, 17);
    int64_t number;
    const mlia_graph_value *first = &state.graph->values[block->outputs[0]];
    assert_int_equal(first->type, MLIA_TYPE_BOOL);
    assert_true(mlia_constant_integer(first, 0, &number));
    const mlia_graph_value *wide = &state.graph->values[block->outputs[6]];
    assert_int_equal(wide->type, MLIA_TYPE_INT48);
    assert_true(mlia_constant_integer(wide, 0, &number));
    assert_int_equal(number, -5);
    close_file(&state);
}

static void test_custom_and_segments(void **unused)
{
    (void)unused;
    char path[512];
    path_of(path, sizeof path, "21_custom_call.vgf");
    opened state;
    open_file(path, &state);
    assert_ok(read_all(mlia_file_bytes(state.file), &state));
    const mlia_block *block = mlia_graph_main(state.graph);
    const mlia_operator *op = &state.graph->operators[block->operators[0]];
    assert_int_equal(op->op, MLIA_OP_CUSTOM);
    assert_str(op->attributes->operator_name, "TestOp");
    assert_str(op->attributes->domain_name, "opcode:42");
    assert_int_equal(op->output_count, 2);
    close_file(&state);
    path_of(path, sizeof path, "20_segments_shader.vgf");
    open_file(path, &state);
    assert_ok(read_all(mlia_file_bytes(state.file), &state));
    assert_int_equal(state.vgf->segment_count, 3);
    assert_kind(mlia_vgf_segment_graph(state.vgf, 1, state.arena, NULL, &state.graph), MLIA_E_VGF_NO_GRAPH);
    assert_kind(mlia_vgf_segment_graph(state.vgf, 3, state.arena, NULL, &state.graph), MLIA_E_VGF_NO_GRAPH);
    close_file(&state);
}

/* A copy of exactly the given bytes, so that a sanitizer sees every step outside. */
static void try_bytes(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size == 0 ? 1 : size);
    assert_non_null(copy);
    if (size > 0)
        memcpy(copy, data, size);
    opened state = {.arena = mlia_arena_new(0)};
    state.diagnostics.arena = state.arena;
    mlia_status *status = read_all((mlia_bytes){copy, size}, &state);
    if (status != NULL)
        assert_true(mlia_status_message(status).size > 0);
    else if (state.vgf != NULL) {
        mlia_value *value;
        assert_ok(mlia_vgf_dump(state.vgf, state.arena, &value));
    }
    mlia_status_free(status);
    mlia_arena_free(state.arena);
    free(copy);
}

static void test_damage(void **unused)
{
    (void)unused;
    char folder[512];
    path_of(folder, sizeof folder, "container");
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    int count = 0;
    for (struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        if (strncmp(entry->d_name, "ok_", 3) != 0)
            continue;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        mlia_file *file;
        assert_ok(mlia_file_open(path, &file));
        mlia_bytes bytes = mlia_file_bytes(file);
        for (size_t size = 0; size < bytes.size; size++)
            try_bytes(bytes.data, size);
        uint8_t *copy = malloc(bytes.size);
        assert_non_null(copy);
        memcpy(copy, bytes.data, bytes.size);
        for (size_t i = 0; i < bytes.size; i++) {
            static const uint8_t flips[] = {0x01, 0x80, 0xFF};
            for (size_t k = 0; k < sizeof flips; k++) {
                copy[i] ^= flips[k];
                try_bytes(copy, bytes.size);
                copy[i] = bytes.data[i];
            }
        }
        free(copy);
        mlia_file_free(file);
        count++;
    }
    closedir(entries);
    assert_true(count > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_container_kinds), cmocka_unit_test(test_constants_are_views),
        cmocka_unit_test(test_constant_values), cmocka_unit_test(test_custom_and_segments),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
