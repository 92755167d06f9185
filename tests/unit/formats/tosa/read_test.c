/* The TOSA reader against what the public schema compiler prints of the same files, and against broken files.
 */
#include "formats/tosa/tosa.h"

#include <jansson.h>

#include "tosa_files.h"

/* ---- valid files: the graph equals NAME.json ---- */

static const char *current_path;

/* Like assert_true, naming the file. */
#define check(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            print_error("%s: %s\n", current_path, #condition);                                               \
            fail();                                                                                          \
        }                                                                                                    \
    } while (0)

static bool same_text(mlia_str text, const json_t *json)
{
    return json_is_string(json) &&
           mlia_str_equal(text, (mlia_str){json_string_value(json), json_string_length(json)});
}

static bool same_number(int64_t number, const json_t *json)
{
    return number == (json == NULL ? 0 : json_integer_value(json));
}

static bool same_bytes(mlia_bytes bytes, const json_t *json)
{
    if (json_array_size(json) < bytes.size)
        return false;
    for (size_t i = 0; i < bytes.size; i++)
        if (json_integer_value(json_array_get(json, i)) != bytes.data[i])
            return false;
    return true;
}

static mlia_type type_of(const json_t *tensor, const char *field)
{
    return mlia_type_by_name(mlia_str_from_c(json_string_value(json_object_get(tensor, field))));
}

static void compare_tensor(const mlia_graph *graph, const mlia_graph_value *value, const json_t *json)
{
    const json_t *shape = json_object_get(json, "shape");
    check(value->kind == MLIA_KIND_TENSOR);
    check(same_text(value->name, json_object_get(json, "name")));
    check(value->type == type_of(json, "type"));
    check(value->unranked == json_is_true(json_object_get(json, "is_unranked")));
    check(value->rank == json_array_size(shape));
    for (uint32_t i = 0; i < value->rank; i++)
        check(same_number(value->dims[i], json_array_get(shape, i)));
    bool is_const = value->producer != MLIA_NONE && graph->operators[value->producer].op == MLIA_OP_CONST;
    if (json_is_true(json_object_get(json, "variable"))) {
        check(value->variable != MLIA_NONE);
        check(same_text(graph->variables[value->variable].name, json_object_get(json, "variable_name")));
    } else {
        check((value->constant != NULL) == is_const);
    }
    if (value->constant != NULL) {
        uint64_t elements;
        uint64_t size;
        check(mlia_value_elements(value, &elements));
        check(mlia_constant_bytes(value->type, MLIA_ENCODING_TOSA, elements, &size));
        check(value->constant->bytes.size == size);
        check(same_bytes(value->constant->bytes, json_object_get(json, "data")));
    }
}

static void compare_shape(const mlia_graph_value *value, const json_t *json)
{
    const json_t *data = json_object_get(json, "data");
    check(value->kind == MLIA_KIND_SHAPE);
    check(same_text(value->name, json_object_get(json, "name")));
    check(same_number(value->rank, json_object_get(json, "rank")));
    check((value->shape_values != NULL) == (data != NULL));
    if (data != NULL)
        check(same_bytes((mlia_bytes){(const uint8_t *)value->shape_values, value->rank * sizeof(int64_t)},
                         data));
}

static void compare_names(const mlia_graph *graph, const uint32_t *values, uint32_t count,
                          const json_t *names)
{
    check(count == json_array_size(names));
    for (uint32_t i = 0; i < count; i++)
        check(same_text(graph->values[values[i]].name, json_array_get(names, i)));
}

static bool same_list(const mlia_int_list *list, const json_t *json)
{
    if (list->count != json_array_size(json))
        return false;
    for (uint32_t i = 0; i < list->count; i++)
        if (!same_number(list->values[i], json_array_get(json, i)))
            return false;
    return true;
}

static bool same_enum(const mlia_field_info *info, uint32_t number, const json_t *json)
{
    if (info->items == NULL)
        return same_text(mlia_type_describe(number)->name, json);
    for (const mlia_enum_item *item = info->items; item->number != 0; item++)
        if (item->number == number)
            return same_text(item->name, json);
    return false;
}

static bool same_field(const mlia_graph *graph, const mlia_field_info *info, const void *field,
                       const json_t *json)
{
    switch (info->type) {
    case MLIA_FIELD_I32:
        return same_number(*(const int32_t *)field, json);
    case MLIA_FIELD_BOOL:
        return *(const bool *)field == json_is_true(json);
    case MLIA_FIELD_I32_LIST:
        return same_list(field, json);
    case MLIA_FIELD_ENUM:
        return same_enum(info, *(const uint32_t *)field, json);
    case MLIA_FIELD_ELEMENT:
    case MLIA_FIELD_BLOB:
        return same_bytes(*(const mlia_bytes *)field, json) && json_array_size(json) > 0;
    case MLIA_FIELD_TEXT:
        return same_text(*(const mlia_str *)field, json);
    case MLIA_FIELD_REGION:
        return same_text(graph->regions[*(const uint32_t *)field].name, json);
    }
    return false;
}

static void compare_operator(const mlia_graph *graph, const mlia_operator *op, const json_t *json)
{
    const json_t *location = json_object_get(json_object_get(json, "location"), "text");
    const mlia_source *source = &graph->sources[op->source];
    const mlia_op_info *info = mlia_op_describe(op->op);
    check(same_text(info->attribute_table, json_object_get(json, "attribute_type")));
    check(same_text(source->type, json_object_get(json, "op")));
    check(location == NULL ? source->location.data == NULL : same_text(source->location, location));
    bool is_variable = op->op == MLIA_OP_VARIABLE_READ || op->op == MLIA_OP_VARIABLE_WRITE;
    if (op->op != MLIA_OP_VARIABLE_READ)
        compare_names(graph, op->inputs, op->input_count, json_object_get(json, "inputs"));
    if (op->op != MLIA_OP_VARIABLE_WRITE)
        compare_names(graph, op->outputs, op->output_count, json_object_get(json, "outputs"));
    check((op->attributes != NULL) == (info->field_count > 0 || is_variable));
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mlia_field_info *field = mlia_field_describe(info->fields[i]);
        const json_t *value = json_object_get(json_object_get(json, "attribute"), field->name.data);
        check(same_field(graph, field, (const char *)op->attributes + field->offset, value));
    }
}

/* Blocks of the graph have the order of the regions in the file, values that of tensors, then shapes. */
static void compare_block(const mlia_graph *graph, const mlia_block *block, const json_t *json,
                          uint32_t *value, uint32_t *op, uint32_t *number)
{
    size_t i;
    const json_t *item;
    check(same_text(block->name, json_object_get(json, "name")));
    json_array_foreach(json_object_get(json, "tensors"), i, item)
        compare_tensor(graph, &graph->values[(*value)++], item);
    json_array_foreach(json_object_get(json, "shapes"), i, item)
        compare_shape(&graph->values[(*value)++], item);
    compare_names(graph, block->inputs, block->input_count, json_object_get(json, "inputs"));
    compare_names(graph, block->outputs, block->output_count, json_object_get(json, "outputs"));
    json_array_foreach(json_object_get(json, "operators"), i, item)
    {
        uint32_t n = (*number)++;
        if (strcmp(json_string_value(json_object_get(item, "op")), "VARIABLE") == 0)
            continue; /* a declaration, no operator */
        check(graph->operators[*op].number == n);
        check(graph->operators[*op].operator_index == i);
        compare_operator(graph, &graph->operators[(*op)++], item);
    }
}

static void compare_graph(const mlia_graph *graph, const json_t *json)
{
    size_t i;
    const json_t *region;
    uint32_t value = 0;
    uint32_t op = 0;
    uint32_t number = 0;
    const json_t *version = json_object_get(json, "version");
    check(same_number(graph->version[0], json_object_get(version, "_major")));
    check(same_number(graph->version[1], json_object_get(version, "_minor")));
    json_array_foreach(json_object_get(json, "regions"), i, region)
    {
        check(same_text(graph->regions[i].name, json_object_get(region, "name")));
        compare_block(graph, &graph->blocks[graph->regions[i].block],
                      json_array_get(json_object_get(region, "blocks"), 0), &value, &op, &number);
    }
    check(graph->region_count == i);
    check(value == graph->value_count);
    check(op == graph->operator_count);
}

static void compare_file(const char *path)
{
    char json_path[1024];
    tosa_file item;
    current_path = path;
    snprintf(json_path, sizeof json_path, "%.*sjson", (int)(strlen(path) - 4), path);
    assert_ok(read_tosa(path, &item));
    json_t *json = json_load_file(json_path, JSON_ALLOW_NUL, NULL);
    check(json != NULL);
    compare_graph(item.graph, json);
    json_decref(json);
    close_tosa(&item);
}

static void valid_files_read_as_the_schema_compiler_prints_them(void **state)
{
    (void)state;
    for_each_tosa("valid", compare_file);
}

/* ---- what the graph says beyond the file ---- */

static void data_path(char *path, size_t size, const char *name)
{
    snprintf(path, size, "%s/tosa/%s", MLIA_TEST_DATA, name);
}

static void locations_become_labels(void **state)
{
    (void)state;
    static const char *const labels[] = {"plain/layer name",
                                         "block/conv",
                                         "block/conv",
                                         "",
                                         "a;b",
                                         "a;b",
                                         "callee",
                                         "",
                                         "",
                                         "aten_add_tensor",
                                         "add_7",
                                         "quo\"te\\d",
                                         "na\xC3\xAFve \xE2\x9C\x93",
                                         ""};
    char path[512];
    tosa_file item;
    data_path(path, sizeof path, "valid/loc_forms.tosa");
    assert_ok(read_tosa(path, &item));
    assert_int_equal(item.graph->operator_count, sizeof labels / sizeof *labels);
    for (uint32_t i = 0; i < item.graph->operator_count; i++) {
        const mlia_source *source = &item.graph->sources[item.graph->operators[i].source];
        assert_true(mlia_str_equal_c(source->label, labels[i]));
    }
    assert_str(item.graph->sources[3].file, "file.mlir");
    assert_int_equal(item.graph->sources[3].line, 12);
    assert_str(item.graph->sources[13].id, "13");
    close_tosa(&item);
}

/* Both file forms of variables become the same operators. */
static void variables_are_operators_73_and_74(void **state)
{
    (void)state;
    static const char *const names[] = {"valid/variable_i8.tosa", "valid/variable_ops_i8.tosa"};
    for (size_t i = 0; i < 2; i++) {
        char path[512];
        tosa_file item;
        data_path(path, sizeof path, names[i]);
        assert_ok(read_tosa(path, &item));
        const mlia_graph *graph = item.graph;
        assert_int_equal(graph->variable_count, 1);
        assert_str(graph->variables[0].name, "state");
        assert_int_equal(graph->variables[0].type, MLIA_TYPE_INT8);
        assert_int_equal(graph->variables[0].dims[0], 4);
        assert_memory_equal(graph->variables[0].initial->bytes.data, "\1\2\3\4", 4);
        assert_int_equal(graph->operator_count, 2);
        assert_int_equal(graph->operators[0].op, MLIA_OP_VARIABLE_READ);
        assert_int_equal(graph->operators[0].input_count, 0);
        assert_int_equal(graph->operators[0].attributes->variable, 0);
        assert_int_equal(graph->operators[1].op, MLIA_OP_VARIABLE_WRITE);
        assert_int_equal(graph->operators[1].output_count, 0);
        assert_int_equal(graph->operators[0].number, i); /* the second file declares the variable first */
        close_tosa(&item);
    }
}

static void constants_are_views_into_the_file(void **state)
{
    (void)state;
    char path[512];
    tosa_file item;
    data_path(path, sizeof path, "valid/const_padded_data.tosa");
    assert_ok(read_tosa(path, &item));
    assert_int_equal(item.diagnostics.count, 0); /* padding to 8 bytes is no cause for a warning */
    size_t seen = 0;
    for (uint32_t i = 0; i < item.graph->value_count; i++) {
        const mlia_constant *constant = item.graph->values[i].constant;
        if (constant == NULL)
            continue;
        seen++;
        assert_true(constant->bytes.data > item.bytes.data &&
                    constant->bytes.data + constant->bytes.size <= item.bytes.data + item.bytes.size);
    }
    assert_true(seen > 0);
    close_tosa(&item);
}

/* ---- broken files ---- */

static json_t *expected_kinds; /* file name → kind word */

static void load_expected(const char *folder)
{
    char path[1024];
    char line[1024];
    snprintf(path, sizeof path, "%s/expected.tsv", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    expected_kinds = json_object();
    while (fgets(line, sizeof line, file) != NULL) {
        const char *name = strtok(line, "\t");
        json_object_set_new(expected_kinds, name, json_string(strtok(NULL, "\t")));
    }
    fclose(file);
}

/* E_TOSA_OFFSET → offset. */
static bool is_kind(const mlia_status *status, const char *word)
{
    const char *name = mlia_kind_name(mlia_status_kind(status)) + strlen("E_TOSA_");
    size_t i = 0;
    for (; word[i] != '\0'; i++)
        if (name[i] != word[i] - 'a' + 'A' && name[i] != word[i])
            return false;
    return name[i] == '\0';
}

static void refuse_file(const char *path)
{
    tosa_file item;
    current_path = path;
    const char *word = json_string_value(json_object_get(expected_kinds, strrchr(path, '/') + 1));
    check(word != NULL);
    mlia_status *status = read_tosa(path, &item);
    /* These three are faults of types, shapes and levels, which the graph's verifier finds. */
    bool is_validators =
        strstr(path, "fb_add_int8") || strstr(path, "fb_rank_7") || strstr(path, "fb_bad_result_shape");
    if (strcmp(word, "accept") == 0) {
        assert_ok(status);
        check(item.diagnostics.count > 0);
    } else if (is_validators) {
        assert_ok(status);
    } else {
        check(status != NULL);
        if (!is_kind(status, word)) {
            print_error("%s: expected %s, got %s: %.*s\n", path, word,
                        mlia_kind_name(mlia_status_kind(status)), MLIA_STR_ARG(mlia_status_message(status)));
            fail();
        }
        check(mlia_status_offset(status) != MLIA_NO_OFFSET || mlia_status_member(status).size > 0);
        mlia_status_free(status);
    }
    close_tosa(&item);
}

static void broken_files_give_the_expected_kind(void **state)
{
    (void)state;
    load_expected(MLIA_TEST_DATA "/tosa/malformed");
    assert_true(json_object_size(expected_kinds) > 40);
    for_each_tosa("malformed", refuse_file);
    json_decref(expected_kinds);
}

static void messages_name_path_and_version(void **state)
{
    (void)state;
    char path[512];
    tosa_file item;
    data_path(path, sizeof path, "malformed/fb_dangling_input.tosa");
    mlia_status *status = read_tosa(path, &item);
    assert_str(mlia_status_member(status), "regions[0].blocks[0].operators[1].inputs[1]");
    assert_true(mlia_status_offset(status) < item.bytes.size);
    mlia_status_free(status);
    close_tosa(&item);
    data_path(path, sizeof path, "malformed/fb_version_0_80.tosa");
    status = read_tosa(path, &item);
    assert_str(mlia_status_message(status), "TOSA 0.80.0 file: only 1.0 and later 1.x versions can be read");
    assert_str(mlia_status_hint_text(status), "regenerate it with a current exporter");
    mlia_status_free(status);
    close_tosa(&item);
}

/* Every shorter file and every changed byte: the sanitizers judge. */
static void damaged_copies_do_no_harm(void **state)
{
    (void)state;
    static const char *const names[] = {"valid/cond_if_i32.tosa", "valid/variable_ops_i8.tosa",
                                        "valid/clamp_bf16.tosa", "valid/cast_block_scaled.tosa"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char path[512];
        tosa_file item;
        data_path(path, sizeof path, names[n]);
        assert_ok(read_tosa(path, &item));
        size_t size = item.bytes.size;
        for (size_t i = 0; i < size; i++) {
            uint8_t *copy = malloc(i + 1);
            memcpy(copy, item.bytes.data, i);
            mlia_arena *arena = mlia_arena_new(0);
            mlia_graph *graph;
            mlia_status_free(mlia_tosa_read((mlia_bytes){copy, i}, arena, NULL, &graph));
            mlia_arena_free(arena);
            free(copy);
        }
        uint8_t *copy = malloc(size);
        memcpy(copy, item.bytes.data, size);
        static const uint8_t flips[] = {0x01, 0x04, 0x10, 0x80, 0xFF};
        for (size_t i = 0; i < size * sizeof flips; i++) {
            uint8_t *byte = &copy[i / sizeof flips];
            *byte ^= flips[i % sizeof flips];
            mlia_arena *arena = mlia_arena_new(0);
            mlia_graph *graph;
            mlia_status_free(mlia_tosa_read((mlia_bytes){copy, size}, arena, NULL, &graph));
            mlia_arena_free(arena);
            *byte ^= flips[i % sizeof flips];
        }
        free(copy);
        close_tosa(&item);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_files_read_as_the_schema_compiler_prints_them),
        cmocka_unit_test(locations_become_labels),
        cmocka_unit_test(variables_are_operators_73_and_74),
        cmocka_unit_test(constants_are_views_into_the_file),
        cmocka_unit_test(broken_files_give_the_expected_kind),
        cmocka_unit_test(messages_name_path_and_version),
        cmocka_unit_test(damaged_copies_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
