/* Compatibility: every row of the public tools' matrix, and what operators are told. */
#include "targets/compatibility.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "graph/graph_builder.h"

/* --- the matrix: one operator per row --- */

static uint32_t type_by_mlir(mlia_str name)
{
    for (uint32_t type = 1; type < MLIA_TYPE_LIMIT; type++)
        if (mlia_str_equal(mlia_type_describe(type)->mlir, name))
            return type;
    return MLIA_TYPE_UNKNOWN; /* f64, ui8, ui16: not TOSA's */
}

/* A row's types: "i8", "i8->i32", "i8,i4->i32 acc i32", "i8->i8 scale32=true SINGLE_ROUND", "i8->i8
 * BILINEAR". */
typedef struct row {
    mlia_op op;
    mlia_str words; /* behind the types */
    uint32_t in, second, out, acc;
    bool converter; /* accepts */
    bool validator;
} row;

static mlia_str take_until(mlia_str *rest, const char *separator)
{
    size_t size = strlen(separator);
    for (size_t i = 0; i + size <= rest->size; i++) {
        if (memcmp(rest->data + i, separator, size) != 0)
            continue;
        mlia_str taken = mlia_str_slice(*rest, 0, i);
        *rest = mlia_str_slice(*rest, i + size, rest->size);
        return taken;
    }
    mlia_str all = *rest;
    *rest = mlia_str_slice(*rest, rest->size, 0);
    return all;
}

static bool parse_row(mlia_str line, row *result)
{
    *result = (row){.op = mlia_op_by_mlir_name(take_until(&line, "\t"))};
    mlia_str words = take_until(&line, "\t");
    result->converter = mlia_str_equal(take_until(&line, "\t"), MLIA_STR("accept"));
    result->validator = mlia_str_equal(line, MLIA_STR("accept"));
    mlia_str types = take_until(&words, " ");
    mlia_str inputs = take_until(&types, "->");
    mlia_str first = take_until(&inputs, ",");
    mlia_str second = inputs.size > 0 ? inputs : first;
    mlia_str out = types.size > 0 ? types : first;
    mlia_str acc = mlia_str_starts_with(words, MLIA_STR("acc ")) ? mlia_str_slice(words, 4, words.size) : out;
    result->words = words;
    result->in = type_by_mlir(first);
    result->second = type_by_mlir(second);
    result->out = type_by_mlir(out);
    result->acc = type_by_mlir(acc);
    assert_int_not_equal(result->op, MLIA_OP_FOREIGN);
    return result->in != MLIA_TYPE_UNKNOWN && result->second != MLIA_TYPE_UNKNOWN &&
           result->out != MLIA_TYPE_UNKNOWN && result->acc != MLIA_TYPE_UNKNOWN;
}

static bool has_word(const row *r, const char *word)
{
    for (mlia_str rest = r->words; rest.size > 0;)
        if (mlia_str_equal_c(take_until(&rest, " "), word))
            return true;
    return false;
}

static const int32_t zeros[6];
static const int32_t ones[] = {1, 1, 1};
static const int32_t twos[] = {2, 2};

/* One element of value 1. */
static mlia_bytes one_of(uint32_t type)
{
    static const uint8_t one[8] = {1};
    static const struct {
        uint32_t type;
        uint8_t bytes[8];
    } floats[] = {
        {MLIA_TYPE_FP32, {0, 0, 0x80, 0x3F}}, {MLIA_TYPE_FP16, {0, 0x3C}}, {MLIA_TYPE_BF16, {0x80, 0x3F}},
        {MLIA_TYPE_FP8E4M3, {0x38}},          {MLIA_TYPE_FP8E5M2, {0x3C}},
    };
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (floats[i].type == type)
            return (mlia_bytes){floats[i].bytes, 8};
    return (mlia_bytes){one, 8};
}

/* Operators whose operands and result have the shape [4]. */
static uint32_t make_elementwise(maker *m, const row *r, uint32_t inputs)
{
    uint32_t operands[3] = {0};
    for (uint32_t i = 0; i < inputs; i++)
        operands[i] = input(m, r->op == MLIA_OP_SELECT && i == 0 ? MLIA_TYPE_BOOL : r->in, DIMS(4));
    bool compares = mlia_op_describe(r->op)->group == MLIA_GROUP_COMPARISON;
    uint32_t result = tensor(m, compares ? MLIA_TYPE_BOOL : r->out, DIMS(4));
    m->attributes.max_val = one_of(r->in);
    m->attributes.min_val = (mlia_bytes){(const uint8_t *)"\0\0\0\0\0\0\0", 8};
    add_op(m, r->op, inputs, operands, result);
    return result;
}

/* [4] and further constant operands of one element each. */
static uint32_t make_with_constants(maker *m, const row *r, const uint32_t *types, uint32_t count)
{
    uint32_t operands[5] = {input(m, r->in, DIMS(4))};
    uint32_t used = 1;
    if (r->op == MLIA_OP_MUL)
        operands[used++] = input(m, r->in, DIMS(4));
    for (uint32_t i = 0; i < count; i++)
        operands[used++] = constant(m, types[i], DIMS(1));
    uint32_t result = tensor(m, r->out, DIMS(4));
    add_op(m, r->op, used, operands, result);
    return result;
}

static uint32_t make_rescale(maker *m, const row *r)
{
    bool scale32 = has_word(r, "scale32=true");
    m->attributes.scale32 = scale32;
    m->attributes.rounding_mode = has_word(r, "DOUBLE_ROUND")    ? MLIA_ROUNDING_DOUBLE_ROUND
                                  : has_word(r, "INEXACT_ROUND") ? MLIA_ROUNDING_INEXACT_ROUND
                                                                 : MLIA_ROUNDING_SINGLE_ROUND;
    const uint32_t types[] = {scale32 ? MLIA_TYPE_INT32 : MLIA_TYPE_INT16, MLIA_TYPE_INT8, r->in, r->out};
    return make_with_constants(m, r, types, 4);
}

static uint32_t make_reduction(maker *m, const row *r)
{
    bool argmax = r->op == MLIA_OP_ARGMAX;
    uint32_t result = argmax ? tensor(m, MLIA_TYPE_INT32, SCALAR) : tensor(m, r->out, DIMS(1));
    add_op(m, r->op, OPERANDS(input(m, r->in, DIMS(4))), result);
    return result;
}

static uint32_t make_pool(maker *m, const row *r)
{
    uint32_t operands[3] = {input(m, r->in, DIMS(1, 4, 4, 2))};
    uint32_t count = 1;
    if (r->op == MLIA_OP_AVG_POOL2D) {
        operands[count++] = constant(m, r->in, DIMS(1));
        operands[count++] = constant(m, r->in, DIMS(1));
    }
    m->attributes.kernel = (mlia_int_list){2, twos};
    m->attributes.stride = (mlia_int_list){2, twos};
    m->attributes.pad = (mlia_int_list){4, zeros};
    m->attributes.acc_type = r->acc;
    uint32_t result = tensor(m, r->in, DIMS(1, 2, 2, 2));
    add_op(m, r->op, count, operands, result);
    return result;
}

static uint32_t make_convolution(maker *m, const row *r)
{
    static const struct {
        mlia_op op;
        uint32_t rank;
        int64_t in[5], weight[5], out[5];
    } shapes[] = {
        {MLIA_OP_CONV2D, 4, {1, 4, 4, 3}, {2, 2, 2, 3}, {1, 3, 3, 2}},
        {MLIA_OP_CONV3D, 5, {1, 2, 4, 4, 3}, {2, 1, 2, 2, 3}, {1, 2, 3, 3, 2}},
        {MLIA_OP_DEPTHWISE_CONV2D, 4, {1, 4, 4, 2}, {2, 2, 2, 1}, {1, 3, 3, 2}},
        {MLIA_OP_TRANSPOSE_CONV2D, 4, {1, 3, 3, 3}, {2, 2, 2, 3}, {1, 4, 4, 2}},
    };
    size_t i = 0;
    while (shapes[i].op != r->op)
        i++;
    uint32_t x = input(m, r->in, shapes[i].rank, shapes[i].in);
    uint32_t w = constant(m, r->second, shapes[i].rank, shapes[i].weight);
    uint32_t b = constant(m, r->out, DIMS(2));
    uint32_t zx = constant(m, r->in, DIMS(1));
    uint32_t zw = constant(m, r->second, DIMS(1));
    uint32_t result = tensor(m, r->out, shapes[i].rank, shapes[i].out);
    uint32_t axes = shapes[i].rank - 2;
    m->attributes.pad = (mlia_int_list){2 * axes, zeros};
    m->attributes.out_pad = (mlia_int_list){4, zeros};
    m->attributes.stride = (mlia_int_list){axes, ones};
    m->attributes.dilation = (mlia_int_list){axes, ones};
    m->attributes.acc_type = r->acc;
    add_op(m, r->op, OPERANDS(x, w, b, zx, zw), result);
    return result;
}

static uint32_t make_matmul(maker *m, const row *r)
{
    uint32_t a = input(m, r->in, DIMS(1, 2, 3));
    uint32_t b = input(m, r->second, DIMS(1, 3, 4));
    uint32_t za = constant(m, r->in, DIMS(1));
    uint32_t zb = constant(m, r->second, DIMS(1));
    uint32_t result = tensor(m, r->out, DIMS(1, 2, 4));
    add_op(m, r->op, OPERANDS(a, b, za, zb), result);
    return result;
}

static uint32_t make_layout(maker *m, const row *r)
{
    uint32_t x = input(m, r->in, DIMS(4));
    uint32_t result;
    switch (r->op) {
    case MLIA_OP_CONCAT:
        result = tensor(m, r->in, DIMS(8));
        add_op(m, r->op, OPERANDS(x, x), result);
        break;
    case MLIA_OP_PAD:
        result = tensor(m, r->in, DIMS(6));
        add_op(m, r->op, OPERANDS(x, shape(m, DIMS(1, 1)), constant(m, r->in, DIMS(1))), result);
        break;
    case MLIA_OP_RESHAPE:
        result = tensor(m, r->in, DIMS(2, 2));
        add_op(m, r->op, OPERANDS(x, shape(m, DIMS(2, 2))), result);
        break;
    case MLIA_OP_SLICE:
        result = tensor(m, r->in, DIMS(2));
        add_op(m, r->op, OPERANDS(x, shape(m, DIMS(1)), shape(m, DIMS(2))), result);
        break;
    default:
        result = tensor(m, r->in, DIMS(8));
        add_op(m, r->op, OPERANDS(x, shape(m, DIMS(2))), result);
        break;
    }
    return result;
}

static uint32_t make_transpose(maker *m, const row *r)
{
    static const int32_t perms[] = {1, 0};
    uint32_t result = tensor(m, r->in, DIMS(3, 2));
    m->attributes.perms = (mlia_int_list){2, perms};
    add_op(m, r->op, OPERANDS(input(m, r->in, DIMS(2, 3))), result);
    return result;
}

static uint32_t make_gather(maker *m, const row *r)
{
    uint32_t values = input(m, r->in, DIMS(1, 5, 3));
    uint32_t indices = input(m, MLIA_TYPE_INT32, DIMS(1, 2));
    uint32_t updates = input(m, r->in, DIMS(1, 2, 3));
    bool gather = r->op == MLIA_OP_GATHER;
    uint32_t result = gather ? tensor(m, r->in, DIMS(1, 2, 3)) : tensor(m, r->in, DIMS(1, 5, 3));
    add_op(m, r->op, gather ? 2 : 3, (const uint32_t[]){values, indices, updates}, result);
    return result;
}

static uint32_t make_resize(maker *m, const row *r)
{
    uint32_t x = input(m, r->in, DIMS(1, 4, 4, 2));
    uint32_t scale = shape(m, DIMS(4, 2, 4, 2));
    uint32_t offset = shape(m, DIMS(0, 0));
    uint32_t border = shape(m, DIMS(0, 0));
    uint32_t result = tensor(m, r->out, DIMS(1, 7, 7, 2));
    m->attributes.mode = has_word(r, "BILINEAR") ? MLIA_RESIZE_BILINEAR : MLIA_RESIZE_NEAREST;
    add_op(m, r->op, OPERANDS(x, scale, offset, border), result);
    return result;
}

static uint32_t make_transform(maker *m, const row *r)
{
    uint32_t operands[2] = {input(m, r->in, DIMS(1, 4, 8)), input(m, r->in, DIMS(1, 4, 8))};
    bool real = r->op == MLIA_OP_RFFT2D;
    uint32_t results[2];
    for (int i = 0; i < 2; i++)
        results[i] = real ? tensor(m, r->in, DIMS(1, 4, 5)) : tensor(m, r->in, DIMS(1, 4, 8));
    mlia_graph_add_operator(m->graph, 0, r->op, operands, real ? 1 : 2, results, 2, &m->attributes,
                            MLIA_NONE);
    return results[0];
}

static uint32_t make_table(maker *m, const row *r)
{
    uint32_t table = r->in == MLIA_TYPE_INT8 ? constant(m, r->in, DIMS(256)) : constant(m, r->in, DIMS(513));
    uint32_t result = tensor(m, r->out, DIMS(4));
    add_op(m, r->op, OPERANDS(input(m, r->in, DIMS(4)), table), result);
    return result;
}

static uint32_t make_operator(maker *m, const row *r)
{
    switch (r->op) {
    case MLIA_OP_CONST:
        return constant(m, r->in, DIMS(4));
    case MLIA_OP_NEGATE:
        return make_with_constants(m, r, (const uint32_t[]){r->in, r->in}, 2);
    case MLIA_OP_MUL:
        return make_with_constants(m, r, (const uint32_t[]){MLIA_TYPE_INT8}, 1);
    case MLIA_OP_RESCALE:
        return make_rescale(m, r);
    case MLIA_OP_ARGMAX:
        return make_reduction(m, r);
    case MLIA_OP_AVG_POOL2D:
    case MLIA_OP_MAX_POOL2D:
        return make_pool(m, r);
    case MLIA_OP_CONV2D:
    case MLIA_OP_CONV3D:
    case MLIA_OP_DEPTHWISE_CONV2D:
    case MLIA_OP_TRANSPOSE_CONV2D:
        return make_convolution(m, r);
    case MLIA_OP_MATMUL:
        return make_matmul(m, r);
    case MLIA_OP_REVERSE:
        return make_elementwise(m, r, 1);
    case MLIA_OP_TRANSPOSE:
        return make_transpose(m, r);
    case MLIA_OP_GATHER:
    case MLIA_OP_SCATTER:
        return make_gather(m, r);
    case MLIA_OP_RESIZE:
        return make_resize(m, r);
    case MLIA_OP_FFT2D:
    case MLIA_OP_RFFT2D:
        return make_transform(m, r);
    case MLIA_OP_TABLE:
        return make_table(m, r);
    default:
        break;
    }
    switch (mlia_op_describe(r->op)->group) {
    case MLIA_GROUP_REDUCTION:
        return make_reduction(m, r);
    case MLIA_GROUP_DATA_LAYOUT:
        return make_layout(m, r);
    case MLIA_GROUP_ELEMENTWISE_BINARY:
    case MLIA_GROUP_COMPARISON:
        return make_elementwise(m, r, 2);
    case MLIA_GROUP_ELEMENTWISE_TERNARY:
        return make_elementwise(m, r, 3);
    default:
        return make_elementwise(m, r, 1);
    }
}

/* The validator has this row by mistake: the specification has no mixed types in convolutions. */
static bool is_known_mistake(const row *r)
{
    return r->op == MLIA_OP_CONV2D && r->in == MLIA_TYPE_FP8E4M3 && r->second == MLIA_TYPE_FP8E5M2;
}

static size_t check_row(mlia_str line)
{
    row r;
    mlia_str shown = line;
    if (!parse_row(line, &r))
        return 0;
    maker m = maker_new();
    mlia_findings findings = {0};
    mlia_compatibility result;
    uint32_t value = make_operator(&m, &r);
    finish(&m, value);
    assert_ok(mlia_graph_verify(m.graph, m.arena, &findings));
    if ((findings.count == 0) != r.validator && !is_known_mistake(&r))
        fail_msg("%.*s: verifier says '%.*s'", MLIA_STR_ARG(shown),
                 MLIA_STR_ARG(findings.count > 0 ? findings.items[0].text : MLIA_STR("fine")));
    assert_ok(mlia_compatibility_check(m.graph, (mlia_compatibility_options){false}, m.arena, &result));
    const mlia_compatibility_record *record = &result.records[m.graph->values[value].producer];
    bool accepted = record->level != MLIA_LEVEL_NON_NX;
    if (accepted != (r.converter && r.validator))
        fail_msg("%.*s: compatibility says '%.*s'", MLIA_STR_ARG(shown),
                 MLIA_STR_ARG(accepted ? MLIA_STR("fine") : record->error));
    maker_free(&m);
    return 1;
}

static void test_matrix(void **state)
{
    (void)state;
    mlia_file *file;
    size_t checked = 0;
    assert_ok(mlia_file_read(MLIA_TEST_DATA "/targets/converter_matrix.tsv", 1 << 20, &file));
    mlia_bytes bytes = mlia_file_bytes(file);
    mlia_str rest = {(const char *)bytes.data, bytes.size};
    take_until(&rest, "\n");
    while (rest.size > 0)
        checked += check_row(take_until(&rest, "\n"));
    mlia_file_free(file);
    assert_int_equal(checked, 1058);
}

/* --- what operators are told --- */

static const mlia_compatibility_record *check_last(maker *m, uint32_t value, mlia_compatibility *result)
{
    finish(m, value);
    assert_ok(mlia_compatibility_check(m->graph, (mlia_compatibility_options){false}, m->arena, result));
    return &result->records[result->count - 1];
}

static void test_levels(void **state)
{
    (void)state;
    static const struct {
        uint32_t op, type;
        mlia_compatibility_level level;
        const char *code, *error, *rule;
    } cases[] = {
        {MLIA_OP_ABS, MLIA_TYPE_INT32, MLIA_LEVEL_TOSA, "", "", ""},
        {MLIA_OP_ABS, MLIA_TYPE_FP16, MLIA_LEVEL_SHADER, "W_FLOAT_ON_SHADER", "", ""},
        {MLIA_OP_ABS, MLIA_TYPE_INT8, MLIA_LEVEL_NON_NX, "E_TYPE",
         "ABS on INT8: no profile of TOSA has it; INT32, INT64, FP16, BF16, FP32 are possible", "type"},
        {MLIA_OP_IDENTITY, MLIA_TYPE_FP32, MLIA_LEVEL_TOSA, "N_FOLDED", "", ""},
        {MLIA_OP_CUSTOM, MLIA_TYPE_INT8, MLIA_LEVEL_NON_NX, "E_CUSTOM_OPERATOR", "unsupported operation",
         "operator"},
        {MLIA_OP_FOREIGN, MLIA_TYPE_INT8, MLIA_LEVEL_NON_NX, "E_FOREIGN_OPERATOR",
         "tfl.no_value: not a TOSA operator", "operator"},
        {MLIA_OP_VARIABLE_WRITE, MLIA_TYPE_INT8, MLIA_LEVEL_NON_NX, "E_VARIABLE", "unsupported operation",
         "operator"},
        {MLIA_OP_MATMUL_T, MLIA_TYPE_INT8, MLIA_LEVEL_NON_NX, "E_OPERATOR", "unsupported operation",
         "operator"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        maker m = maker_new();
        mlia_compatibility result;
        uint32_t x = input(&m, cases[i].type, DIMS(4));
        uint32_t y = tensor(&m, cases[i].type, DIMS(4));
        uint32_t op = add_op(&m, cases[i].op, OPERANDS(x), y);
        m.graph->operators[op].foreign_name = MLIA_STR("tfl.no_value");
        const mlia_compatibility_record *record = check_last(&m, y, &result);
        assert_int_equal(record->level, cases[i].level);
        assert_true(mlia_str_equal_c(record->error, cases[i].error));
        assert_true(mlia_str_equal_c(record->rule, cases[i].rule));
        assert_int_equal(record->reason_count, cases[i].code[0] != '\0');
        if (record->reason_count > 0)
            assert_true(mlia_str_equal_c(record->reasons[0].code, cases[i].code));
        assert_int_equal(result.per_level[cases[i].level], 1);
        maker_free(&m);
    }
}

static void test_shader_and_level_advice(void **state)
{
    (void)state;
    maker m = maker_new();
    mlia_compatibility result;
    uint32_t x = input(&m, MLIA_TYPE_INT8, DIMS(4));
    uint32_t y = tensor(&m, MLIA_TYPE_INT8, DIMS(4));
    m.attributes.domain_name = MLIA_STR("com.arm.VulkanCustomShader");
    m.attributes.operator_name = MLIA_STR("warp");
    add_op(&m, MLIA_OP_CUSTOM, OPERANDS(x), y);
    const mlia_compatibility_record *record = check_last(&m, y, &result);
    assert_int_equal(record->level, MLIA_LEVEL_SHADER);
    assert_str(record->reasons[0].detail, "domain 'com.arm.VulkanCustomShader', operator 'warp'");
    maker_free(&m);
    m = maker_new();
    x = input(&m, MLIA_TYPE_INT32, DIMS(1 << 29));
    y = tensor(&m, MLIA_TYPE_INT32, DIMS(1 << 29));
    add_op(&m, MLIA_OP_ABS, OPERANDS(x), y);
    record = check_last(&m, y, &result);
    assert_int_equal(record->level, MLIA_LEVEL_TOSA);
    assert_true(mlia_str_equal(record->reasons[0].code, MLIA_STR("W_LEVEL")));
    maker_free(&m);
    m = maker_new();
    x = input(&m, MLIA_TYPE_INT32, DIMS(1, 1, 1, 1, 1, 1, 2));
    y = tensor(&m, MLIA_TYPE_INT32, DIMS(1, 1, 1, 1, 1, 1, 2));
    add_op(&m, MLIA_OP_ABS, OPERANDS(x), y);
    record = check_last(&m, y, &result);
    assert_int_equal(record->level, MLIA_LEVEL_NON_NX);
    assert_str(record->rule, "rank");
    maker_free(&m);
}

static void test_summary(void **state)
{
    (void)state;
    maker m = maker_new();
    mlia_compatibility result;
    uint32_t x = input(&m, MLIA_TYPE_INT8, DIMS(4));
    finish(&m, x);
    assert_ok(mlia_compatibility_check(m.graph, (mlia_compatibility_options){false}, m.arena, &result));
    assert_int_equal(result.status, MLIA_COMPATIBILITY_OK);
    assert_true(result.accelerator_percentage == 0);
    uint32_t y = tensor(&m, MLIA_TYPE_INT8, DIMS(2, 2));
    uint32_t z = tensor(&m, MLIA_TYPE_INT8, DIMS(2, 2));
    add_op(&m, MLIA_OP_RESHAPE, OPERANDS(x, shape(&m, DIMS(2, 2))), y);
    add_op(&m, MLIA_OP_ABS, OPERANDS(y), z);
    finish(&m, z);
    assert_ok(mlia_compatibility_check(m.graph, (mlia_compatibility_options){false}, m.arena, &result));
    assert_int_equal(result.count, 3);
    assert_int_equal(result.status, MLIA_COMPATIBILITY_PARTIAL);
    assert_true(result.accelerator_percentage == 100.0 * 2 / 3);
    assert_true(result.records[0].trivial && result.records[1].trivial && !result.records[2].trivial);
    assert_ok(mlia_compatibility_check(m.graph, (mlia_compatibility_options){true}, m.arena, &result));
    assert_int_equal(result.count, 1);
    assert_int_equal(result.records[0].op, 2);
    assert_int_equal(result.status, MLIA_COMPATIBILITY_INCOMPATIBLE);
    maker_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_shader_and_level_advice),
        cmocka_unit_test(test_summary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
