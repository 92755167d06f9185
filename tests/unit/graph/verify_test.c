/* The verifier's rules one by one, requirements, and work counts. */
#include "graph_builder.h"

#include <math.h>

#define I8  MLIA_TYPE_INT8
#define I16 MLIA_TYPE_INT16
#define I32 MLIA_TYPE_INT32
#define I48 MLIA_TYPE_INT48
#define F32 MLIA_TYPE_FP32

/* Finishes the graph around `result` and verifies it: the first finding is as expected, or there is none
 * (NULL). */
static void expect(maker *m, uint32_t result, mlia_rule rule, const char *text)
{
    mlia_findings findings = {0};
    finish(m, result);
    assert_ok(mlia_graph_verify(m->graph, m->arena, &findings));
    if (text == NULL) {
        if (findings.count > 0)
            fail_msg("%.*s", MLIA_STR_ARG(findings.items[0].text));
    } else {
        assert_true(findings.count > 0);
        if (!mlia_str_equal_c(findings.items[0].text, text) || findings.items[0].rule != rule)
            fail_msg("%.*s: '%.*s', expected '%s'", MLIA_STR_ARG(mlia_rule_name(findings.items[0].rule)),
                     MLIA_STR_ARG(findings.items[0].text), text);
    }
    maker_free(m);
}

/* OP on two inputs of these types. */
static void expect_binary(uint32_t op, uint32_t a, uint32_t b, uint32_t out, const char *text)
{
    maker m = maker_new();
    uint32_t x = input(&m, a, DIMS(4));
    uint32_t y = input(&m, b, DIMS(4));
    uint32_t result = tensor(&m, out, DIMS(4));
    add_op(&m, op, OPERANDS(x, y), result);
    expect(&m, result, MLIA_RULE_TYPE, text);
}

static void test_types(void **state)
{
    (void)state;
    expect_binary(MLIA_OP_ADD, I32, I32, I32, NULL);
    expect_binary(MLIA_OP_ADD, I8, I8, I8,
                  "ADD on INT8: no profile of TOSA has it; INT32, INT64, FP16, BF16, FP32 are possible");
    expect_binary(MLIA_OP_ADD, I32, F32, I32, "ADD: input 1 is FP32, must be INT32");
    expect_binary(MLIA_OP_ADD, I32, I32, I8, "ADD: output 0 is INT8, must be INT32");
    expect_binary(MLIA_OP_EQUAL, I32, I32, I32,
                  "EQUAL on INT32 to INT32: no profile of TOSA has it; with INT32 possible: BOOL");
    expect_binary(MLIA_OP_LOGICAL_AND, I32, I32, I32,
                  "LOGICAL_AND on INT32: no profile of TOSA has it; BOOL is possible");
}

/* A convolution whose types are given. */
static void expect_convolution(uint32_t in, uint32_t weight, uint32_t out, uint32_t acc, const char *text)
{
    static const int32_t ones[] = {1, 1};
    static const int32_t zeros[] = {0, 0, 0, 0};
    maker m = maker_new();
    uint32_t x = input(&m, in, DIMS(1, 4, 4, 2));
    uint32_t w = constant(&m, weight, DIMS(3, 1, 1, 2));
    uint32_t b = constant(&m, out, DIMS(3));
    uint32_t zx = constant(&m, in, DIMS(1));
    uint32_t zw = constant(&m, weight, DIMS(1));
    uint32_t result = tensor(&m, out, DIMS(1, 4, 4, 3));
    m.attributes.pad = (mlia_int_list){4, zeros};
    m.attributes.stride = (mlia_int_list){2, ones};
    m.attributes.dilation = (mlia_int_list){2, ones};
    m.attributes.acc_type = acc;
    add_op(&m, MLIA_OP_CONV2D, OPERANDS(x, w, b, zx, zw), result);
    expect(&m, result, MLIA_RULE_TYPE, text);
}

static void test_convolution_types(void **state)
{
    (void)state;
    expect_convolution(I8, I8, I32, I32, NULL);
    expect_convolution(I16, I8, I48, I48, NULL);
    expect_convolution(I16, I16, I48, I48,
                       "CONV2D on INT16, INT16 to INT48 with accumulator INT48: no profile of TOSA has it; "
                       "with INT16 possible: INT8/INT48/INT48");
    expect_convolution(
        I8, I8, I32, F32,
        "CONV2D on INT8, INT8 to INT32 with accumulator FP32: no profile of TOSA has it; with INT8 "
        "possible: INT8/INT32/INT32, INT4/INT32/INT32");
}

static void expect_clamp(uint32_t type, mlia_bytes low, mlia_bytes high, uint32_t nan_mode, const char *text)
{
    maker m = maker_new();
    uint32_t x = input(&m, type, DIMS(4));
    uint32_t result = tensor(&m, type, DIMS(4));
    m.attributes.min_val = low;
    m.attributes.max_val = high;
    m.attributes.nan_mode = nan_mode;
    add_op(&m, MLIA_OP_CLAMP, OPERANDS(x), result);
    expect(&m, result, MLIA_RULE_ATTRIBUTE, text);
}

#define BYTES(...)                                                                                           \
    (mlia_bytes)                                                                                             \
    {                                                                                                        \
        (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})                               \
    }

static void test_clamp(void **state)
{
    (void)state;
    expect_clamp(I8, BYTES(0x80), BYTES(0x7F), MLIA_NAN_PROPAGATE, NULL);
    expect_clamp(I8, BYTES(0x80), BYTES(0x7F), 0, "CLAMP: nan_mode is 0, which is no value of it");
    expect_clamp(I8, BYTES(5), BYTES(4), MLIA_NAN_IGNORE,
                 "CLAMP: min_val 5 and max_val 4: no NaN, and max_val not below");
    expect_clamp(F32, BYTES(0, 0, 0xC0, 0x7F), BYTES(0, 0, 0x80, 0x3F), MLIA_NAN_IGNORE,
                 "CLAMP: min_val nan and max_val 1: no NaN, and max_val not below");
    expect_clamp(I16, BYTES(5), BYTES(4, 0), MLIA_NAN_IGNORE,
                 "CLAMP: min_val and max_val must hold one INT16 each");
}

typedef struct rescale_case {
    uint32_t in, out, multiplier;
    mlia_attributes attributes;
    int64_t channels;
    const char *text;
} rescale_case;

static void test_rescale(void **state)
{
    (void)state;
    enum { SINGLE = MLIA_ROUNDING_SINGLE_ROUND, DOUBLE = MLIA_ROUNDING_DOUBLE_ROUND };
    static const rescale_case cases[] = {
        {I8, I8, I32, {.scale32 = true, .rounding_mode = DOUBLE}, 1, NULL},
        {I8, I8, I16, {.rounding_mode = SINGLE, .per_channel = true}, 5, NULL},
        {I8, I8, I16, {.rounding_mode = DOUBLE}, 1, "RESCALE: DOUBLE_ROUND needs scale32"},
        {I48,
         I8,
         I32,
         {.scale32 = true, .rounding_mode = SINGLE},
         1,
         "RESCALE: scale32 is not possible with INT48 input"},
        {I8,
         I8,
         I16,
         {.scale32 = true, .rounding_mode = SINGLE},
         1,
         "RESCALE: multiplier must be INT32 with scale32"},
        {I8, I8, I32, {.rounding_mode = SINGLE}, 1, "RESCALE: multiplier must be INT16 without scale32"},
        {I8,
         I8,
         I16,
         {.rounding_mode = SINGLE, .input_unsigned = true, .output_unsigned = true},
         1,
         "RESCALE: input and output cannot both be unsigned"},
        {I8,
         I32,
         I16,
         {.rounding_mode = SINGLE, .input_unsigned = true},
         1,
         "RESCALE: unsigned input is not possible with these types"},
        {I32,
         I8,
         I16,
         {.rounding_mode = SINGLE, .output_unsigned = true},
         1,
         "RESCALE: unsigned output is not possible with these types"},
        {I8, I8, I16, {.rounding_mode = 7}, 1, "RESCALE: rounding_mode is 7, which is no value of it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        maker m = maker_new();
        uint32_t x = input(&m, cases[i].in, DIMS(2, 5));
        uint32_t multiplier = constant(&m, cases[i].multiplier, 1, &cases[i].channels);
        uint32_t shift = constant(&m, I8, 1, &cases[i].channels);
        uint32_t zx = constant(&m, cases[i].in, DIMS(1));
        uint32_t zy = constant(&m, cases[i].out, DIMS(1));
        uint32_t result = tensor(&m, cases[i].out, DIMS(2, 5));
        m.attributes = cases[i].attributes;
        add_op(&m, MLIA_OP_RESCALE, OPERANDS(x, multiplier, shift, zx, zy), result);
        expect(&m, result, MLIA_RULE_ATTRIBUTE, cases[i].text);
    }
    maker m = maker_new();
    uint32_t x = input(&m, I8, DIMS(2, 5));
    uint32_t multiplier = constant(&m, I16, DIMS(4));
    uint32_t shift = constant(&m, I8, DIMS(5));
    uint32_t zero = constant(&m, I8, DIMS(1));
    uint32_t result = tensor(&m, I8, DIMS(2, 5));
    m.attributes = (mlia_attributes){.rounding_mode = SINGLE, .per_channel = true};
    add_op(&m, MLIA_OP_RESCALE, OPERANDS(x, multiplier, shift, zero, zero), result);
    expect(&m, result, MLIA_RULE_SHAPE, "RESCALE: multiplier has 4 entries, must have 5");
}

static void test_zero_points(void **state)
{
    (void)state;
    static const uint8_t five[] = {5, 0, 0, 0};
    static const struct {
        uint32_t type;
        int64_t size;
        mlia_rule rule;
        const char *text;
    } cases[] = {
        {I8, 1, MLIA_RULE_ATTRIBUTE, NULL},
        {I32, 1, MLIA_RULE_ATTRIBUTE, "NEGATE: zero point 1 is 5, must be 0 for INT32"},
        {I8, 2, MLIA_RULE_SHAPE, "NEGATE: input 1 't' has 2 elements, must have one"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        maker m = maker_new();
        uint32_t x = input(&m, cases[i].type, DIMS(4));
        uint32_t zx = constant(&m, cases[i].type, 1, &cases[i].size);
        mlia_constant content = {{five, sizeof five}, MLIA_ENCODING_TOSA, true};
        m.graph->values[zx].constant = &content;
        uint32_t zy = constant(&m, cases[i].type, DIMS(1));
        uint32_t result = tensor(&m, cases[i].type, DIMS(4));
        add_op(&m, MLIA_OP_NEGATE, OPERANDS(x, zx, zy), result);
        expect(&m, result, cases[i].rule, cases[i].text);
    }
}

static void test_constants(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t k = constant(&m, I8, DIMS(4));
    mlia_constant content = {{(const uint8_t *)"abc", 3}, MLIA_ENCODING_TOSA, false};
    m.graph->values[k].constant = &content;
    expect(&m, k, MLIA_RULE_ATTRIBUTE, "CONST: tensor 't' has 3 bytes of data for 4 elements");
    m = maker_new();
    k = constant(&m, I8, DIMS(4));
    m.graph->values[k].constant = NULL;
    expect(&m, k, MLIA_RULE_ATTRIBUTE, "CONST: tensor 't' has no data");
}

static void test_operators(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t x = input(&m, I8, DIMS(4));
    uint32_t result = tensor(&m, I8, DIMS(4));
    uint32_t op = add_op(&m, MLIA_OP_FOREIGN, OPERANDS(x), result);
    m.graph->operators[op].foreign_name = MLIA_STR("tfl.no_value");
    expect(&m, result, MLIA_RULE_OPERATOR, "tfl.no_value: not a TOSA operator");
    m = maker_new();
    x = input(&m, I8, DIMS(4));
    result = tensor(&m, I8, DIMS(4));
    add_op(&m, MLIA_OP_ABS, OPERANDS(x, x), result);
    expect(&m, result, MLIA_RULE_OPERATOR, "ABS: 2 inputs and 1 outputs do not fit");
}

static void expect_abs(uint32_t rank, const int64_t *dims, mlia_rule rule, const char *text)
{
    maker m = maker_new();
    uint32_t x = input(&m, F32, rank, dims);
    uint32_t result = tensor(&m, F32, rank, dims);
    add_op(&m, MLIA_OP_ABS, OPERANDS(x), result);
    expect(&m, result, rule, text);
}

static void test_shapes_and_levels(void **state)
{
    (void)state;
    expect_abs(DIMS(1, 2, 3, 4, 5, 6), MLIA_RULE_SHAPE, NULL);
    expect_abs(DIMS(1, 1, 1, 1, 1, 1, 1), MLIA_RULE_LEVEL, "ABS: rank 7 is above 6 (MAX_RANK of level 8K)");
    expect_abs(DIMS(-1, 2), MLIA_RULE_SHAPE, "ABS: dimension 0 of tensor 't' is unknown");
    expect_abs(DIMS(1 << 29), MLIA_RULE_LEVEL,
               "ABS: tensor 't' has 2147483648 bytes, 2^31 or more (MAX_LOG2_SIZE of level 8K)");
    expect_abs(DIMS(0), MLIA_RULE_SHAPE, "ABS: dimension 0 of input 't' is 0, must be at least 1");
    maker m = maker_new();
    uint32_t x = input(&m, I8, DIMS(1, 9000, 1, 1));
    uint32_t result = tensor(&m, I8, DIMS(1, 1, 1, 1));
    m.attributes.kernel = LIST(9000, 1);
    m.attributes.stride = LIST(1, 1);
    m.attributes.pad = LIST(0, 0, 0, 0);
    add_op(&m, MLIA_OP_MAX_POOL2D, OPERANDS(x), result);
    expect(&m, result, MLIA_RULE_LEVEL, "MAX_POOL2D: kernel 9000 is above 8192 (MAX_KERNEL of level 8K)");
    m = maker_new();
    x = input(&m, I8, DIMS(6));
    result = tensor(&m, I8, DIMS(2, 3));
    add_op(&m, MLIA_OP_RESHAPE, OPERANDS(x, shape(&m, DIMS(2, -1))), result);
    expect(&m, result, MLIA_RULE_SHAPE, "RESHAPE: shape 's' holds -1 at position 1");
}

static void test_limit_and_status(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t x = input(&m, I8, DIMS(4));
    for (int i = 0; i < 5; i++) {
        uint32_t y = tensor(&m, I8, DIMS(4));
        add_op(&m, MLIA_OP_ABS, OPERANDS(x), y);
        x = y;
    }
    finish(&m, x);
    mlia_findings findings = {.limit = 3};
    assert_ok(mlia_graph_verify(m.graph, m.arena, &findings));
    assert_int_equal(findings.count, 3);
    assert_int_equal(findings.dropped, 2);
    assert_int_equal(findings.items[2].op, 2);
    m.graph->operators[0].source =
        mlia_graph_add_source(m.graph, (mlia_source){.label = MLIA_STR("block/abs")});
    mlia_status *status = mlia_findings_status(m.graph, &findings);
    assert_int_equal(mlia_status_kind(status), MLIA_E_TOSA_TYPE);
    assert_true(mlia_str_ends_with(mlia_status_message(status), MLIA_STR("(operator 'block/abs')")));
    assert_str(mlia_status_member(status), "regions[0].blocks[0].operators[0]");
    mlia_status_free(status);
    findings.items[0].rule = findings.items[1].rule = findings.items[2].rule = MLIA_RULE_LEVEL;
    assert_null(mlia_findings_status(m.graph, &findings));
    maker_free(&m);
}

static void test_requirements(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t x = input(&m, I32, DIMS(4));
    uint32_t y = tensor(&m, I32, DIMS(4));
    add_op(&m, MLIA_OP_ADD, OPERANDS(x, x), y);
    finish(&m, y);
    mlia_requirements needed = mlia_graph_requirements(m.graph);
    assert_true(needed.integer && !needed.floating_point);
    assert_int_equal(needed.extensions, 0);
    uint32_t f = tensor(&m, F32, DIMS(4));
    add_op(&m, MLIA_OP_CAST, OPERANDS(y), f);
    uint32_t k = constant(&m, I48, DIMS(1));
    finish(&m, f);
    needed = mlia_graph_requirements(m.graph);
    assert_true(!needed.integer && needed.floating_point); /* ADD on INT32 is in both profiles */
    assert_int_equal(needed.extensions, 1u << MLIA_EXTENSION_INT16);
    assert_str(mlia_extension_name(MLIA_EXTENSION_INT16), "EXT-INT16");
    uint32_t z = tensor(&m, I8, DIMS(4));
    add_op(&m, MLIA_OP_NEGATE, OPERANDS(z, z, z), tensor(&m, I8, DIMS(4)));
    m.inputs[m.input_count++] = z;
    finish(&m, k);
    needed = mlia_graph_requirements(m.graph);
    assert_true(needed.integer);
    assert_int_equal(needed.extensions, 1u << MLIA_EXTENSION_INT16 | 1u << MLIA_EXTENSION_DYNAMIC);
    maker_free(&m);
}

static void test_work(void **state)
{
    (void)state;
    static const struct {
        uint32_t op;
        uint64_t operations, transcendental;
    } cases[] = {
        {MLIA_OP_ABS, 24, 0},     {MLIA_OP_CLAMP, 48, 0},  {MLIA_OP_EXP, 0, 24},
        {MLIA_OP_IDENTITY, 0, 0}, {MLIA_OP_REVERSE, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        maker m = maker_new();
        uint32_t x = input(&m, F32, DIMS(2, 3, 4));
        uint32_t y = tensor(&m, F32, DIMS(2, 3, 4));
        uint32_t op = add_op(&m, cases[i].op, OPERANDS(x), y);
        finish(&m, y);
        mlia_work work = mlia_operator_work(m.graph, &m.graph->operators[op]);
        assert_true(work.known);
        assert_int_equal(work.macs, 0);
        assert_int_equal(work.operations, cases[i].operations);
        assert_int_equal(work.transcendental, cases[i].transcendental);
        assert_int_equal(work.input_bytes, 96);
        assert_int_equal(work.output_bytes, 96);
        assert_int_equal(work.weight_bytes, 0);
        maker_free(&m);
    }
}

static void test_unknown_work(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t x = input(&m, F32, DIMS(-1, 4));
    uint32_t y = tensor(&m, F32, DIMS(-1, 4));
    uint32_t z = tensor(&m, F32, DIMS(4));
    uint32_t abs_op = add_op(&m, MLIA_OP_ABS, OPERANDS(x), y);
    uint32_t custom = add_op(&m, MLIA_OP_CUSTOM, OPERANDS(z), tensor(&m, F32, DIMS(4)));
    m.inputs[m.input_count++] = z;
    finish(&m, y);
    assert_false(mlia_operator_work(m.graph, &m.graph->operators[abs_op]).known);
    assert_false(mlia_operator_work(m.graph, &m.graph->operators[custom]).known);
    maker_free(&m);
}

/* Weights of INT4 count packed, tensors of INT4 one byte each. */
static void test_weight_bytes(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t x = input(&m, I8, DIMS(1, 2, 5));
    uint32_t w = constant(&m, MLIA_TYPE_INT4, DIMS(1, 5, 3));
    uint32_t zero = constant(&m, I8, DIMS(1));
    uint32_t y = tensor(&m, I32, DIMS(1, 2, 3));
    uint32_t op = add_op(&m, MLIA_OP_MATMUL, OPERANDS(x, w, zero, zero), y);
    finish(&m, y);
    mlia_work work = mlia_operator_work(m.graph, &m.graph->operators[op]);
    assert_int_equal(work.macs, 30);
    assert_int_equal(work.weight_bytes, 8 + 1 + 1);
    assert_int_equal(work.input_bytes, 10 + 8 + 1 + 1);
    assert_int_equal(work.output_bytes, 24);
    maker_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_convolution_types),
        cmocka_unit_test(test_clamp),
        cmocka_unit_test(test_rescale),
        cmocka_unit_test(test_zero_points),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_operators),
        cmocka_unit_test(test_shapes_and_levels),
        cmocka_unit_test(test_limit_and_status),
        cmocka_unit_test(test_requirements),
        cmocka_unit_test(test_work),
        cmocka_unit_test(test_unknown_work),
        cmocka_unit_test(test_weight_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
