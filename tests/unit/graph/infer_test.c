/* The shape rules that the whole files of formats/tosa do not reach: what each refuses, unknown dimensions,
 * and a property of random graphs. */
#include "graph_builder.h"

/* --- one operator, its result or its error --- */

typedef struct outcome {
    mlia_status *status;
    mlia_inferred result;
} outcome;

/* Infers the last operator. */
static outcome infer_last(maker *m)
{
    outcome o;
    o.status = mlia_operator_infer(m->graph, &m->graph->operators[m->graph->operator_count - 1], m->arena,
                                   &o.result);
    return o;
}

static void expect_dims(maker *m, uint32_t rank, const int64_t *dims)
{
    outcome o = infer_last(m);
    assert_ok(o.status);
    assert_true(o.result.known);
    assert_int_equal(o.result.rank, rank);
    if (rank > 0)
        assert_memory_equal(o.result.dims, dims, rank * sizeof *dims);
    maker_free(m);
}

static void expect_values(maker *m, uint32_t count, const int64_t *values)
{
    outcome o = infer_last(m);
    assert_ok(o.status);
    assert_non_null(o.result.shape_values);
    assert_int_equal(o.result.rank, count);
    assert_memory_equal(o.result.shape_values, values, count * sizeof *values);
    maker_free(m);
}

static void expect_error(maker *m, mlia_kind kind, const char *message)
{
    outcome o = infer_last(m);
    assert_non_null(o.status);
    assert_int_equal(mlia_status_kind(o.status), kind);
    if (!mlia_str_equal_c(mlia_status_message(o.status), message))
        fail_msg("'%.*s', expected '%s'", MLIA_STR_ARG(mlia_status_message(o.status)), message);
    mlia_status_free(o.status);
    maker_free(m);
}

#define I8  MLIA_TYPE_INT8
#define I32 MLIA_TYPE_INT32
#define F32 MLIA_TYPE_FP32

static maker binary(uint32_t rank_a, const int64_t *a, uint32_t rank_b, const int64_t *b)
{
    maker m = maker_new();
    uint32_t x = input(&m, I32, rank_a, a);
    uint32_t y = input(&m, I32, rank_b, b);
    add_op(&m, MLIA_OP_ADD, OPERANDS(x, y), tensor(&m, I32, 0, NULL));
    return m;
}

static void test_broadcast(void **state)
{
    (void)state;
    maker m = binary(DIMS(1, 3, 4), DIMS(2, 1, 4));
    expect_dims(&m, DIMS(2, 3, 4));
    m = binary(DIMS(-1, 3), DIMS(1, -1));
    expect_dims(&m, DIMS(-1, 3));
    m = binary(DIMS(-1), DIMS(5));
    expect_dims(&m, DIMS(5));
    m = binary(SCALAR, SCALAR);
    expect_dims(&m, SCALAR);
    m = binary(DIMS(2, 3), DIMS(2, 4));
    expect_error(&m, MLIA_E_TOSA_SHAPE,
                 "ADD: inputs [2, 3] and [2, 4] do not broadcast: dimensions must be equal or 1");
    m = binary(DIMS(3), SCALAR);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "ADD: inputs [3] and [] do not broadcast: ranks must be equal");
    m = binary(DIMS(0), DIMS(1));
    expect_error(&m, MLIA_E_TOSA_SHAPE, "ADD: dimension 0 of input 't' is 0, must be at least 1");
}

static maker convolution(uint32_t op, uint32_t rank, const int64_t *in, const int64_t *weight, int64_t bias)
{
    maker m = maker_new();
    uint32_t x = input(&m, I8, rank, in);
    uint32_t w = constant(&m, I8, rank, weight);
    uint32_t b = constant(&m, I32, 1, &bias);
    uint32_t zero = constant(&m, I8, DIMS(1));
    static const int32_t pad[] = {1, 1, 1, 1};
    static const int32_t stride[] = {2, 1};
    static const int32_t dilation[] = {1, 2};
    static const int32_t out_pad[] = {0, 0, -1, 1};
    m.attributes.pad = (mlia_int_list){4, pad};
    m.attributes.stride = (mlia_int_list){2, stride};
    m.attributes.dilation = (mlia_int_list){2, dilation};
    m.attributes.out_pad = (mlia_int_list){4, out_pad};
    m.attributes.acc_type = I32;
    add_op(&m, op, OPERANDS(x, w, b, zero, zero), tensor(&m, I32, 0, NULL));
    return m;
}

static void test_convolutions(void **state)
{
    (void)state;
    const int64_t in[] = {1, 9, 8, 3};
    const int64_t weight[] = {5, 3, 2, 3};
    maker m = convolution(MLIA_OP_CONV2D, 4, in, weight, 5);
    expect_dims(&m, DIMS(1, 5, 8, 5));
    m = convolution(MLIA_OP_CONV2D, 4, (const int64_t[]){-1, 9, -1, 3}, weight, 1);
    expect_dims(&m, DIMS(-1, 5, -1, 5));
    m = convolution(MLIA_OP_DEPTHWISE_CONV2D, 4, in, (const int64_t[]){3, 2, 3, 4}, 12);
    expect_dims(&m, DIMS(1, 5, 8, 12));
    m = convolution(MLIA_OP_TRANSPOSE_CONV2D, 4, in, weight, 5);
    expect_dims(&m, DIMS(1, 19, 9, 5));
    m = convolution(MLIA_OP_CONV2D, 4, in, (const int64_t[]){5, 3, 2, 4}, 5);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "CONV2D: the input has 3 channels, the weight is for 4");
    m = convolution(MLIA_OP_CONV2D, 4, in, weight, 4);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "CONV2D: the bias has 4 entries, must have 5 or 1");
    m = convolution(MLIA_OP_CONV2D, 4, (const int64_t[]){1, 8, 8, 3}, weight, 5);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "CONV2D: the steps of 2 do not divide the range of 7 in height");
    m = convolution(MLIA_OP_CONV2D, 4, (const int64_t[]){1, 1, 8, 3}, (const int64_t[]){5, 9, 2, 3}, 5);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "CONV2D: the window is larger than the padded input in height");
    m = convolution(MLIA_OP_CONV2D, 3, in, weight, 5);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "CONV2D: input 0 't' has rank 3, must have 4");
    m = convolution(MLIA_OP_CONV3D, 5, (const int64_t[]){1, 9, 8, 3, 2}, (const int64_t[]){5, 3, 2, 3, 2}, 5);
    expect_error(&m, MLIA_E_TOSA_ATTRIBUTE, "CONV3D: pad has 4 numbers, must have 6");
    m = convolution(MLIA_OP_TRANSPOSE_CONV2D, 4, in, (const int64_t[]){5, 3, 1, 3}, 5);
    expect_error(&m, MLIA_E_TOSA_ATTRIBUTE,
                 "TRANSPOSE_CONV2D: out_pad is -1 and 1 in width, must be above -1");
}

static maker unary(uint32_t op, uint32_t rank, const int64_t *dims, mlia_attributes attributes)
{
    maker m = maker_new();
    uint32_t x = input(&m, I8, rank, dims);
    m.attributes = attributes;
    add_op(&m, op, OPERANDS(x), tensor(&m, I8, 0, NULL));
    return m;
}

static void test_axes_and_permutations(void **state)
{
    (void)state;
    maker m = unary(MLIA_OP_ARGMAX, DIMS(2, 3, 4), (mlia_attributes){.axis = 1});
    expect_dims(&m, DIMS(2, 4));
    m = unary(MLIA_OP_REDUCE_MAX, DIMS(2, -1, 4), (mlia_attributes){.axis = 1});
    expect_dims(&m, DIMS(2, 1, 4));
    m = unary(MLIA_OP_REVERSE, DIMS(2, 3), (mlia_attributes){.axis = 2});
    expect_error(&m, MLIA_E_TOSA_ATTRIBUTE, "REVERSE: axis is 2, must be at least 0 and below the rank 2");
    m = unary(MLIA_OP_REDUCE_MAX, SCALAR, (mlia_attributes){.axis = 0});
    expect_error(&m, MLIA_E_TOSA_SHAPE, "REDUCE_MAX: input 0 't' has rank 0, must have at least 1");
    m = unary(MLIA_OP_TRANSPOSE, DIMS(2, 3, 4), (mlia_attributes){.perms = LIST(2, 0, 1)});
    expect_dims(&m, DIMS(4, 2, 3));
    m = unary(MLIA_OP_TRANSPOSE, DIMS(2, 3, 4), (mlia_attributes){.perms = LIST(2, 0, 2)});
    expect_error(&m, MLIA_E_TOSA_ATTRIBUTE, "TRANSPOSE: perms is not a permutation of 0 to 2");
    m = unary(MLIA_OP_MAX_POOL2D, DIMS(1, 5, 6, 2),
              (mlia_attributes){.kernel = LIST(3, 2), .stride = LIST(2, 2), .pad = LIST(1, 1, 0, 0)});
    expect_dims(&m, DIMS(1, 3, 3, 2));
    m = unary(MLIA_OP_MAX_POOL2D, DIMS(1, 5, 6, 2),
              (mlia_attributes){.kernel = LIST(3, 2), .stride = LIST(2, 2), .pad = LIST(1, 1, 2, 0)});
    expect_error(&m, MLIA_E_TOSA_ATTRIBUTE,
                 "MAX_POOL2D: pad is 2 and 0 in width, must be below the kernel's 2");
    m = unary(MLIA_OP_MAX_POOL2D, DIMS(1, 5, 6, 2), (mlia_attributes){.kernel = LIST(0, 2)});
    expect_error(&m, MLIA_E_TOSA_ATTRIBUTE, "MAX_POOL2D: kernel is 0, must be at least 1");
}

/* Operator on a tensor and shape operands. */
static maker with_shapes(uint32_t op, uint32_t rank, const int64_t *dims, uint32_t count,
                         const int64_t *first, uint32_t second_count, const int64_t *second)
{
    maker m = maker_new();
    uint32_t operands[4] = {input(&m, I8, rank, dims), shape(&m, count, first)};
    uint32_t operand_count = 2;
    if (op == MLIA_OP_PAD)
        operands[operand_count++] = constant(&m, I8, DIMS(1));
    if (op == MLIA_OP_SLICE)
        operands[operand_count++] = shape(&m, second_count, second);
    add_op(&m, op, operand_count, operands, tensor(&m, I8, 0, NULL));
    return m;
}

static void test_layout(void **state)
{
    (void)state;
    maker m = with_shapes(MLIA_OP_RESHAPE, DIMS(2, 3, 4), DIMS(4, -1), 0, NULL);
    expect_dims(&m, DIMS(4, 6));
    m = with_shapes(MLIA_OP_RESHAPE, DIMS(-1, 3), DIMS(-1, 3, 1), 0, NULL);
    expect_dims(&m, DIMS(-1, 3, 1));
    m = with_shapes(MLIA_OP_RESHAPE, DIMS(1), SCALAR, 0, NULL);
    expect_dims(&m, SCALAR);
    m = with_shapes(MLIA_OP_RESHAPE, DIMS(2, 3), DIMS(4, 2), 0, NULL);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "RESHAPE: input 't' [2, 3] has 6 elements, the shape [4, 2] has 8");
    m = with_shapes(MLIA_OP_RESHAPE, DIMS(2, 3), DIMS(4, -1), 0, NULL);
    expect_error(&m, MLIA_E_TOSA_SHAPE,
                 "RESHAPE: input 't' [2, 3] has 6 elements, the shape [4, ?] needs a multiple of 4");
    m = with_shapes(MLIA_OP_RESHAPE, DIMS(2, 3), DIMS(-1, -1), 0, NULL);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "RESHAPE: the shape has more than one -1");
    m = with_shapes(MLIA_OP_RESHAPE, DIMS(2, 3), DIMS(6, 0), 0, NULL);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "RESHAPE: dimension 1 of the shape is 0, must be at least 1");
    m = with_shapes(MLIA_OP_PAD, DIMS(2, 3), DIMS(1, 2, 0, 4), 0, NULL);
    expect_dims(&m, DIMS(5, 7));
    m = with_shapes(MLIA_OP_PAD, DIMS(2, 3), DIMS(1, -1, 0, 4), 0, NULL);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "PAD: padding is -1, must be at least 0");
    m = with_shapes(MLIA_OP_PAD, DIMS(2, 3), DIMS(1, 1), 0, NULL);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "PAD: padding has 2 numbers, must have 4");
    m = with_shapes(MLIA_OP_TILE, DIMS(2, -1), DIMS(3, 2), 0, NULL);
    expect_dims(&m, DIMS(6, -1));
    m = with_shapes(MLIA_OP_TILE, DIMS(2, 3), DIMS(-1, 2), 0, NULL);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "TILE: multiples is -1, must be at least 1");
    m = with_shapes(MLIA_OP_TILE, DIMS(INT64_MAX), DIMS(2), 0, NULL);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "TILE: dimension 0 of the result is too large");
    m = with_shapes(MLIA_OP_SLICE, DIMS(5, 6), DIMS(1, 2), DIMS(2, -1));
    expect_dims(&m, DIMS(2, 4));
    m = with_shapes(MLIA_OP_SLICE, DIMS(5, 6), DIMS(1, 2), DIMS(5, 4));
    expect_error(&m, MLIA_E_TOSA_SHAPE, "SLICE: start 1 and size 5 leave dimension 0, which is 5");
    m = with_shapes(MLIA_OP_SLICE, DIMS(5, 6), DIMS(5, 2), DIMS(-1, 1));
    expect_error(&m, MLIA_E_TOSA_SHAPE, "SLICE: start 5 and size 0 leave dimension 0, which is 5");
    m = with_shapes(MLIA_OP_SLICE, DIMS(5, 6), DIMS(INT64_MAX, 0), DIMS(INT64_MAX, 1));
    expect_error(
        &m, MLIA_E_TOSA_SHAPE,
        "SLICE: start 9223372036854775807 and size 9223372036854775807 leave dimension 0, which is 5");
}

static maker concat(uint32_t rank_a, const int64_t *a, uint32_t rank_b, const int64_t *b, int32_t axis)
{
    maker m = maker_new();
    uint32_t x = input(&m, I8, rank_a, a);
    uint32_t y = input(&m, I8, rank_b, b);
    m.attributes.axis = axis;
    add_op(&m, MLIA_OP_CONCAT, OPERANDS(x, y, x), tensor(&m, I8, 0, NULL));
    return m;
}

static void test_concat(void **state)
{
    (void)state;
    maker m = concat(DIMS(2, 3), DIMS(2, 5), 1);
    expect_dims(&m, DIMS(2, 11));
    m = concat(DIMS(-1, 3), DIMS(2, -1), 1);
    expect_dims(&m, DIMS(2, -1));
    m = concat(DIMS(2, 3), DIMS(3, 3), 1);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "CONCAT: dimension 0 of input 1 is 3, of the inputs before 2");
    m = concat(DIMS(2, 3), DIMS(2), 1);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "CONCAT: input 1 has rank 1, input 0 has 2");
    m = concat(DIMS(INT64_MAX), DIMS(1), 0);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "CONCAT: dimension 0 of the result is too large");
    m = maker_new();
    add_op(&m, MLIA_OP_CONCAT, 0, NULL, tensor(&m, I8, 0, NULL));
    expect_error(&m, MLIA_E_TOSA_SHAPE, "CONCAT: the list of inputs is empty");
}

static maker resize(uint32_t count, const int64_t *scale, int64_t offset, int64_t border)
{
    maker m = maker_new();
    uint32_t x = input(&m, I8, DIMS(1, 5, 5, 2));
    uint32_t s = shape(&m, count, scale);
    uint32_t o = shape(&m, DIMS(offset, 0));
    uint32_t b = shape(&m, DIMS(border, 0));
    m.attributes.mode = MLIA_RESIZE_NEAREST;
    add_op(&m, MLIA_OP_RESIZE, OPERANDS(x, s, o, b), tensor(&m, I8, 0, NULL));
    return m;
}

static void test_resize(void **state)
{
    (void)state;
    maker m = resize(DIMS(2, 1, 1, 1), -1, 1);
    expect_dims(&m, DIMS(1, 11, 5, 2));
    m = resize(DIMS(2, 3, 1, 1), 0, 0);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "RESIZE: the steps of 3 do not divide the range of 8 in height");
    m = resize(DIMS(0, 1, 1, 1), 0, 0);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "RESIZE: scale is 0, must be at least 1");
    m = resize(DIMS(2049, 1, 1, 1), 0, 0);
    expect_error(&m, MLIA_E_TOSA_SHAPE,
                 "RESIZE: scale 2049/1 in height: the numerator must be at most 2048, the scale above 1/16");
    m = resize(DIMS(2, 1, 1, 1), 32, 0);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "RESIZE: offset 32 in height must be at least -2 and below 32");
    m = resize(DIMS(2, 1, 1, 1), 0, 2);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "RESIZE: border 2 in height must be at least -32 and below 2");
}

static maker shape_operator(uint32_t op, uint32_t count_a, const int64_t *a, uint32_t count_b,
                            const int64_t *b)
{
    maker m = maker_new();
    uint32_t operands[2] = {shape(&m, count_a, a), b != NULL ? shape(&m, count_b, b) : 0};
    uint32_t result = mlia_graph_add_shape(m.graph, 0, MLIA_STR("r"), count_a, NULL);
    m.attributes.allow_broadcast = op == MLIA_OP_ASSERT_EQUAL_SHAPE;
    if (op == MLIA_OP_ASSERT_EQUAL_SHAPE)
        mlia_graph_add_operator(m.graph, 0, op, operands, 2, NULL, 0, &m.attributes, MLIA_NONE);
    else
        add_op(&m, op, b != NULL ? 2 : 1, operands, result);
    return m;
}

static void test_shape_operators(void **state)
{
    (void)state;
    static const struct {
        uint32_t op;
        int64_t a, b, result;
    } cases[] = {
        {MLIA_OP_ADD_SHAPE, 7, -9, -2},      {MLIA_OP_SUB_SHAPE, 7, 9, -2},
        {MLIA_OP_MUL_SHAPE, -7, 9, -63},     {MLIA_OP_MAX_SHAPE, -7, 9, 9},
        {MLIA_OP_MIN_SHAPE, -7, 9, -7},      {MLIA_OP_MOD_SHAPE, 7, 4, 3},
        {MLIA_OP_DIV_CEIL_SHAPE, 7, 4, 2},   {MLIA_OP_DIV_FLOOR_SHAPE, 7, 4, 1},
        {MLIA_OP_DIV_CEIL_SHAPE, 8, 4, 2},   {MLIA_OP_EXP2_SHAPE, 10, 0, 1024},
        {MLIA_OP_LOG2_CEIL_SHAPE, 5, 0, 3},  {MLIA_OP_LOG2_CEIL_SHAPE, 1, 0, 0},
        {MLIA_OP_LOG2_FLOOR_SHAPE, 5, 0, 2}, {MLIA_OP_LOG2_CEIL_SHAPE, 8, 0, 3},
        {MLIA_OP_CONCAT_SHAPE, 8, 0, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool binary_op = cases[i].b != 0;
        maker m = shape_operator(cases[i].op, DIMS(cases[i].a), 1, binary_op ? &cases[i].b : NULL);
        expect_values(&m, 1, &cases[i].result);
    }
    maker m = shape_operator(MLIA_OP_CONCAT_SHAPE, DIMS(1, 2), DIMS(3));
    expect_values(&m, DIMS(1, 2, 3));
    m = shape_operator(MLIA_OP_MUL_SHAPE, DIMS(INT64_MAX), DIMS(2));
    expect_error(&m, MLIA_E_TOSA_SHAPE,
                 "MUL_SHAPE: 9223372036854775807 and 2: the result does not fit 64 bits");
    m = shape_operator(MLIA_OP_MOD_SHAPE, DIMS(4), DIMS(0));
    expect_error(&m, MLIA_E_TOSA_SHAPE,
                 "MOD_SHAPE: 4 and 0: the first must be at least 0, the second at least 1");
    m = shape_operator(MLIA_OP_EXP2_SHAPE, DIMS(63), 0, NULL);
    expect_error(&m, MLIA_E_TOSA_SHAPE, "EXP2_SHAPE: exponent 63 must be at least 0 and at most 62");
    m = shape_operator(MLIA_OP_ADD_SHAPE, DIMS(1, 2), DIMS(3));
    expect_error(&m, MLIA_E_TOSA_SHAPE, "ADD_SHAPE: the inputs have 2 and 1 values, must have equally many");
    m = shape_operator(MLIA_OP_ASSERT_EQUAL_SHAPE, DIMS(1, 3), DIMS(2, 3));
    assert_ok(infer_last(&m).status);
    maker_free(&m);
    m = shape_operator(MLIA_OP_ASSERT_EQUAL_SHAPE, DIMS(4, 3), DIMS(2, 3));
    expect_error(&m, MLIA_E_TOSA_SHAPE, "ASSERT_EQUAL_SHAPE: the shapes differ at position 0: 4 and 2");
}

static void test_operands_that_do_not_fit(void **state)
{
    (void)state;
    maker m = maker_new();
    uint32_t x = input(&m, I32, DIMS(2));
    add_op(&m, MLIA_OP_ADD, OPERANDS(x), tensor(&m, I32, DIMS(2)));
    expect_error(&m, MLIA_E_TOSA_SCHEMA, "ADD has the wrong number or kind of operands");
    m = maker_new();
    uint32_t s = shape(&m, DIMS(2));
    add_op(&m, MLIA_OP_ABS, OPERANDS(s), tensor(&m, I32, DIMS(2)));
    expect_error(&m, MLIA_E_TOSA_SCHEMA, "ABS has the wrong number or kind of operands");
}

/* --- random graphs --- */

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % limit;
}

/* Adds a random operator that is legal on `value`, and gives its result with unknown shape. */
static uint32_t random_operator(maker *m, uint32_t value)
{
    const mlia_graph_value *item = &m->graph->values[value];
    uint32_t result = tensor(m, F32, 0, NULL);
    item = &m->graph->values[value];
    int32_t axis = (int32_t)random_below(item->rank);
    int64_t numbers[16] = {0};
    m->attributes.axis = axis;
    m->graph->values[result].unranked = true;
    switch (random_below(6)) {
    case 0:
        add_op(m, MLIA_OP_ADD, OPERANDS(value, value), result);
        break;
    case 1:
        add_op(m, MLIA_OP_CONCAT, OPERANDS(value, value), result);
        break;
    case 2:
        add_op(m, MLIA_OP_REDUCE_MAX, OPERANDS(value), result);
        break;
    case 3: {
        for (uint32_t i = 0; i < 2 * item->rank; i++)
            numbers[i] = random_below(3);
        uint32_t padding = shape(m, 2 * item->rank, numbers);
        add_op(m, MLIA_OP_PAD, OPERANDS(value, padding, constant(m, F32, DIMS(1))), result);
        break;
    }
    case 4: {
        numbers[0] = -1;
        numbers[1] = 1;
        uint32_t target = shape(m, 2, numbers);
        add_op(m, MLIA_OP_RESHAPE, OPERANDS(value, target), result);
        break;
    }
    default:
        add_op(m, MLIA_OP_EXP, OPERANDS(value), result);
        break;
    }
    return result;
}

/* Chains of random operators whose shapes are all unknown but the input's: afterwards every shape is known,
 * the verifier is content, and inferring again changes nothing. */
static void test_random_chains(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 300; seed++) {
        random_state = seed;
        maker m = maker_new();
        int64_t dims[] = {1 + random_below(4), 1 + random_below(4), 1 + random_below(4)};
        uint32_t value = input(&m, F32, 1 + random_below(3), dims);
        /* The next operator is chosen by rank: resolve as the chain grows. */
        for (uint32_t i = 0; i < 8; i++) {
            value = random_operator(&m, value);
            finish(&m, value);
            assert_ok(mlia_graph_resolve_shapes(m.graph, NULL, 0, true, NULL));
            assert_false(m.graph->values[value].unranked);
        }
        mlia_findings findings = {0};
        assert_ok(mlia_graph_verify(m.graph, m.arena, &findings));
        if (findings.count > 0)
            fail_msg("seed %u: %.*s", seed, MLIA_STR_ARG(findings.items[0].text));
        for (uint32_t i = 0; i < m.graph->operator_count; i++) {
            const mlia_operator *op = &m.graph->operators[i];
            mlia_inferred result;
            assert_ok(mlia_operator_infer(m.graph, op, m.arena, &result));
            const mlia_graph_value *stored = &m.graph->values[op->outputs[0]];
            if (result.known && result.rank > 0)
                assert_memory_equal(result.dims, stored->dims, result.rank * sizeof *stored->dims);
            assert_true(mlia_operator_work(m.graph, op).known);
        }
        maker_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broadcast),
        cmocka_unit_test(test_convolutions),
        cmocka_unit_test(test_axes_and_permutations),
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_concat),
        cmocka_unit_test(test_resize),
        cmocka_unit_test(test_shape_operators),
        cmocka_unit_test(test_operands_that_do_not_fit),
        cmocka_unit_test(test_random_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
