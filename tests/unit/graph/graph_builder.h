/* Small graphs for tests: one region, values by short descriptions, operators with their attributes. */
#ifndef MLIA_TEST_GRAPH_BUILDER_H
#define MLIA_TEST_GRAPH_BUILDER_H

#include "graph/analyse.h"
#include "graph/build.h"
#include "test_support.h"

typedef struct maker {
    mlia_arena *arena;
    mlia_graph *graph;
    mlia_attributes attributes; /* of the next operator */
    uint32_t inputs[16];        /* of the block */
    uint32_t input_count;
} maker;

static inline maker maker_new(void)
{
    maker m = {.arena = mlia_arena_new(0), .attributes = mlia_attributes_default()};
    assert_non_null(m.arena);
    m.graph = mlia_graph_new(m.arena, MLIA_SOURCE_TOSA);
    assert_non_null(m.graph);
    assert_int_equal(mlia_graph_add_region(m.graph, MLIA_STR("main"), MLIA_STR("main")), 0);
    return m;
}

static inline void maker_free(maker *m)
{
    mlia_arena_free(m->arena);
}

#define DIMS(...)                                                                                            \
    sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[])                              \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }
#define SCALAR 0, NULL
#define LIST(...)                                                                                            \
    (mlia_int_list)                                                                                          \
    {                                                                                                        \
        sizeof((const int32_t[]){__VA_ARGS__}) / sizeof(int32_t), (const int32_t[])                          \
        {                                                                                                    \
            __VA_ARGS__                                                                                      \
        }                                                                                                    \
    }

static inline uint32_t tensor(maker *m, uint32_t type, uint32_t rank, const int64_t *dims)
{
    return mlia_graph_add_tensor(m->graph, 0, MLIA_STR("t"), type, rank, dims);
}

/* A tensor that is an input of the block. */
static inline uint32_t input(maker *m, uint32_t type, uint32_t rank, const int64_t *dims)
{
    uint32_t value = tensor(m, type, rank, dims);
    m->inputs[m->input_count++] = value;
    return value;
}

/* A CONST of zeros; `type` and shape as given. */
static inline uint32_t constant(maker *m, uint32_t type, uint32_t rank, const int64_t *dims)
{
    static const uint8_t zeros[8];
    uint32_t value = tensor(m, type, rank, dims);
    mlia_constant *content = MLIA_NEW(m->arena, mlia_constant);
    *content = (mlia_constant){{zeros, sizeof zeros}, MLIA_ENCODING_TOSA, true};
    m->graph->values[value].constant = content;
    mlia_graph_add_operator(m->graph, 0, MLIA_OP_CONST, NULL, 0, &value, 1, NULL, MLIA_NONE);
    return value;
}

/* A CONST_SHAPE. */
static inline uint32_t shape(maker *m, uint32_t count, const int64_t *values)
{
    uint32_t value = mlia_graph_add_shape(m->graph, 0, MLIA_STR("s"), count, values);
    mlia_graph_add_operator(m->graph, 0, MLIA_OP_CONST_SHAPE, NULL, 0, &value, 1, NULL, MLIA_NONE);
    return value;
}

/* Operator with one result and the attributes set so far, which start anew afterwards. */
static inline uint32_t add_op(maker *m, uint32_t op, uint32_t count, const uint32_t *operands,
                              uint32_t result)
{
    mlia_attributes *copy = MLIA_NEW(m->arena, mlia_attributes);
    *copy = m->attributes;
    m->attributes = mlia_attributes_default();
    return mlia_graph_add_operator(m->graph, 0, op, operands, count, &result, 1, copy, MLIA_NONE);
}

#define OPERANDS(...)                                                                                        \
    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (const uint32_t[])                           \
    {                                                                                                        \
        __VA_ARGS__                                                                                          \
    }

static inline void finish(maker *m, uint32_t result)
{
    assert_true(mlia_graph_set_block_inputs(m->graph, 0, m->inputs, m->input_count));
    assert_true(mlia_graph_set_block_outputs(m->graph, 0, &result, 1));
    assert_ok(mlia_graph_finish(m->graph, NULL));
}

#endif
