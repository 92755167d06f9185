/* Random graphs for property tests: any operator the estimator prices, any type, ranks 0-6, zero and one
 * extents, constants, shared and dead values, aliases, custom operators. Deterministic in the seed. */
#ifndef MLIA_TEST_RANDOM_GRAPH_H
#define MLIA_TEST_RANDOM_GRAPH_H

#include "graph/build.h"
#include "test_support.h"

typedef struct random_state {
    uint64_t state;
} random_state;

/* SplitMix64. */
static inline uint64_t random_next(random_state *r)
{
    uint64_t z = (r->state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static inline uint32_t random_below(random_state *r, uint32_t limit)
{
    return (uint32_t)(random_next(r) % limit);
}

typedef struct graph_maker {
    mlia_arena *arena;
    mlia_graph *graph;
    random_state random;
    int64_t batch;    /* of model inputs */
    uint32_t *values; /* tensors that operators may read */
    uint32_t count;
    bool allow_unknown; /* custom operators */
} graph_maker;

static inline uint32_t make_tensor(graph_maker *m, uint32_t type, uint32_t rank, const int64_t *dims)
{
    uint32_t value = mlia_graph_add_tensor(m->graph, 0, MLIA_STR_NONE, type, rank, dims);
    assert_int_not_equal(value, MLIA_NONE);
    return value;
}

static inline uint32_t make_constant(graph_maker *m, uint32_t type, uint32_t rank, const int64_t *dims,
                                     int64_t number)
{
    uint32_t value = make_tensor(m, type, rank, dims);
    mlia_constant *constant = MLIA_NEW(m->arena, mlia_constant);
    uint8_t *bytes = mlia_arena_alloc(m->arena, 8, 1, 8);
    memcpy(bytes, &number, sizeof number);
    *constant = (mlia_constant){{bytes, mlia_type_bytes(type)}, MLIA_ENCODING_BYTES, true};
    m->graph->values[value].constant = constant;
    mlia_graph_add_operator(m->graph, 0, MLIA_OP_CONST, NULL, 0, &value, 1, NULL, MLIA_NONE);
    return value;
}

static inline uint32_t make_operator(graph_maker *m, mlia_op op, const uint32_t *inputs, uint32_t count,
                                     uint32_t type, uint32_t rank, const int64_t *dims,
                                     const mlia_attributes *attributes)
{
    uint32_t output = make_tensor(m, type, rank, dims);
    mlia_graph_add_operator(m->graph, 0, op, inputs, count, &output, 1, attributes, MLIA_NONE);
    m->values[m->count++] = output;
    return output;
}

static inline mlia_int_list make_list(graph_maker *m, int32_t a, int32_t b)
{
    int32_t *values = MLIA_NEW_ARRAY(m->arena, int32_t, 2);
    values[0] = a;
    values[1] = b;
    return (mlia_int_list){2, values};
}

/* A convolution, depthwise convolution or pooling on a tensor of rank 4. */
static inline void make_window(graph_maker *m, uint32_t input)
{
    const mlia_graph_value *in = &m->graph->values[input];
    int64_t n = in->dims[0], h = in->dims[1], w = in->dims[2], c = in->dims[3];
    uint32_t type = in->type;
    int32_t kernel = 1 + (int32_t)random_below(&m->random, 3);
    int32_t stride = 1 + (int32_t)random_below(&m->random, 2);
    if (h < kernel || w < kernel)
        kernel = stride = 1;
    mlia_attributes a = mlia_attributes_default();
    a.kernel = make_list(m, kernel, kernel);
    a.stride = make_list(m, stride, stride);
    a.dilation = make_list(m, 1, 1);
    int64_t oh = h == 0 ? 0 : (h - kernel) / stride + 1;
    int64_t ow = w == 0 ? 0 : (w - kernel) / stride + 1;
    int64_t oc = 1 + (int64_t)random_below(&m->random, 80);
    uint32_t kind = random_below(&m->random, 3);
    uint32_t inputs[5] = {input};
    if (kind == 0) {
        inputs[1] = make_constant(m, type, 4, (int64_t[]){oc, kernel, kernel, c}, 1);
        inputs[2] = make_constant(m, MLIA_TYPE_INT32, 1, &oc, 0);
        make_operator(m, MLIA_OP_CONV2D, inputs, 3, MLIA_TYPE_INT32, 4, (int64_t[]){n, oh, ow, oc}, &a);
    } else if (kind == 1) {
        inputs[1] = make_constant(m, type, 4, (int64_t[]){kernel, kernel, c, 1}, 1);
        inputs[2] = make_constant(m, MLIA_TYPE_INT32, 1, &c, 0);
        make_operator(m, MLIA_OP_DEPTHWISE_CONV2D, inputs, 3, MLIA_TYPE_INT32, 4, (int64_t[]){n, oh, ow, c},
                      &a);
    } else {
        make_operator(m, MLIA_OP_MAX_POOL2D, inputs, 1, type, 4, (int64_t[]){n, oh, ow, c}, &a);
    }
}

/* One random operator on existing values. */
static inline void make_random_operator(graph_maker *m)
{
    static const mlia_op unary[] = {MLIA_OP_ABS,     MLIA_OP_CLZ,      MLIA_OP_EXP,
                                    MLIA_OP_CLAMP,   MLIA_OP_IDENTITY, MLIA_OP_TANH,
                                    MLIA_OP_RESCALE, MLIA_OP_REVERSE,  MLIA_OP_NEGATE};
    static const mlia_op binary[] = {MLIA_OP_ADD, MLIA_OP_SUB, MLIA_OP_MUL, MLIA_OP_MAXIMUM,
                                     MLIA_OP_LOGICAL_LEFT_SHIFT};
    uint32_t input = m->values[random_below(&m->random, m->count)];
    const mlia_graph_value in = m->graph->values[input];
    int64_t dims[8];
    mlia_attributes a = mlia_attributes_default();
    memcpy(dims, in.dims != NULL ? in.dims : dims, in.rank * sizeof *dims);
    uint32_t inputs[3] = {input, input, input};
    switch (random_below(&m->random, 9)) {
    case 0:
    case 1: {
        mlia_op op = unary[random_below(&m->random, sizeof unary / sizeof *unary)];
        make_operator(m, op, inputs, 1, in.type, in.rank, dims, &a);
        break;
    }
    case 2:
    case 3: { /* with itself, a constant, or a value of the same shape */
        mlia_op op = binary[random_below(&m->random, sizeof binary / sizeof *binary)];
        uint32_t other = m->values[random_below(&m->random, m->count)];
        const mlia_graph_value *o = &m->graph->values[other];
        bool same =
            o->rank == in.rank && (in.rank == 0 || memcmp(o->dims, in.dims, in.rank * sizeof *dims) == 0);
        if (random_below(&m->random, 3) == 0) {
            int64_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
            inputs[1] = make_constant(m, in.type, in.rank, ones, (int64_t)random_below(&m->random, 3));
        } else if (same) {
            inputs[1] = other;
        }
        make_operator(m, op, inputs, 2, in.type, in.rank, dims, &a);
        break;
    }
    case 4: { /* reduction */
        if (in.rank == 0)
            break;
        a.axis = (int32_t)random_below(&m->random, in.rank);
        dims[a.axis] = 1;
        make_operator(m, MLIA_OP_REDUCE_SUM, inputs, 1, in.type, in.rank, dims, &a);
        break;
    }
    case 5: { /* flatten */
        uint64_t elements = 0;
        assert_true(mlia_value_elements(&in, &elements));
        dims[0] = (int64_t)elements;
        make_operator(m, MLIA_OP_RESHAPE, inputs, 1, in.type, 1, dims, &a);
        break;
    }
    case 6: { /* reverse the order of dimensions */
        int32_t *perms = MLIA_NEW_ARRAY(m->arena, int32_t, in.rank);
        for (uint32_t i = 0; i < in.rank; i++) {
            perms[i] = (int32_t)(in.rank - 1 - i);
            dims[i] = in.dims[in.rank - 1 - i];
        }
        a.perms = (mlia_int_list){in.rank, perms};
        make_operator(m, MLIA_OP_TRANSPOSE, inputs, 1, in.type, in.rank, dims, &a);
        break;
    }
    case 7:
        if (in.rank == 4)
            make_window(m, input);
        break;
    default:
        if (m->allow_unknown && random_below(&m->random, 8) == 0)
            make_operator(m, MLIA_OP_CUSTOM, inputs, 1, in.type, in.rank, dims, &a);
        break;
    }
}

/* A graph of about `operators` operators; every value that nobody reads is an output, but for one in eight.
 * Freed with the arena. */
static inline mlia_graph *make_random_graph(mlia_arena *arena, uint64_t seed, uint32_t operators,
                                            int64_t batch, bool allow_unknown)
{
    static const uint8_t types[] = {MLIA_TYPE_INT8, MLIA_TYPE_INT8, MLIA_TYPE_INT16,   MLIA_TYPE_INT32,
                                    MLIA_TYPE_FP32, MLIA_TYPE_FP16, MLIA_TYPE_BF16,    MLIA_TYPE_INT48,
                                    MLIA_TYPE_INT4, MLIA_TYPE_BOOL, MLIA_TYPE_FP8E4M3, MLIA_TYPE_INT64};
    graph_maker m = {.arena = arena, .random = {seed}, .batch = batch, .allow_unknown = allow_unknown};
    m.graph = mlia_graph_new(arena, MLIA_SOURCE_TOSA);
    mlia_graph_add_region(m.graph, MLIA_STR("main"), MLIA_STR("main"));
    m.values = MLIA_NEW_ARRAY(arena, uint32_t, operators + 8);
    uint32_t inputs[4];
    for (uint32_t i = 0; i < 4; i++) {
        int64_t dims[8];
        uint32_t rank = i == 0 ? 4 : random_below(&m.random, 7);
        for (uint32_t k = 0; k < rank; k++)
            dims[k] = random_below(&m.random, 12) == 0
                          ? (int64_t)random_below(&m.random, 2)
                          : 1 + (int64_t)random_below(&m.random, i == 0 ? 40 : 6);
        if (i == 0)
            dims[0] = batch;
        inputs[i] = make_tensor(&m, types[random_below(&m.random, sizeof types)], rank, dims);
        m.values[m.count++] = inputs[i];
    }
    mlia_graph_set_block_inputs(m.graph, 0, inputs, 4);
    for (uint32_t i = 0; i < operators; i++)
        make_random_operator(&m);
    uint32_t *outputs = MLIA_NEW_ARRAY(arena, uint32_t, m.graph->value_count);
    bool *is_read = MLIA_NEW_ARRAY(arena, bool, m.graph->value_count);
    uint32_t output_count = 0;
    for (uint32_t i = 0; i < m.graph->operator_count; i++)
        for (uint32_t k = 0; k < m.graph->operators[i].input_count; k++)
            is_read[m.graph->operators[i].inputs[k]] = true;
    for (uint32_t i = 0; i < m.count; i++)
        if (!is_read[m.values[i]] && random_below(&m.random, 8) != 0)
            outputs[output_count++] = m.values[i];
    mlia_graph_set_block_outputs(m.graph, 0, outputs, output_count);
    assert_ok(mlia_graph_finish(m.graph, NULL));
    return m.graph;
}

#endif
