/* The networks of the calibration set as graphs: public structures, splat weights (no figure depends on their
 * values). As the official converters lower them: integer softmax, RESCALE behind every accumulator. */
#ifndef MLIA_TEST_CALIBRATION_GRAPHS_H
#define MLIA_TEST_CALIBRATION_GRAPHS_H

#include "estimate/random_graph.h"

typedef struct network {
    graph_maker m;
    uint32_t value;                  /* the last result */
    int64_t rows, columns, channels; /* of it */
} network;

static inline void network_begin(network *n, mlia_arena *arena, int64_t rows, int64_t columns,
                                 int64_t channels)
{
    *n = (network){.m = {.arena = arena}, .rows = rows, .columns = columns, .channels = channels};
    n->m.graph = mlia_graph_new(arena, MLIA_SOURCE_SPIRV);
    n->m.values = MLIA_NEW_ARRAY(arena, uint32_t, 256);
    mlia_graph_add_region(n->m.graph, MLIA_STR("main"), MLIA_STR("main"));
    n->value = make_tensor(&n->m, MLIA_TYPE_INT8, 4, (int64_t[]){1, rows, columns, channels});
    mlia_graph_set_block_inputs(n->m.graph, 0, &n->value, 1);
}

/* An operator of the main line with one constant operand. */
static inline uint32_t network_step(network *n, mlia_op op, uint32_t input, uint32_t constant, uint32_t type,
                                    uint32_t rank, const int64_t *dims, const mlia_attributes *a)
{
    uint32_t inputs[2] = {input, constant};
    return make_operator(&n->m, op, inputs, constant == MLIA_NONE ? 1 : 2, type, rank, dims, a);
}

static inline uint32_t network_rescale(network *n, uint32_t input, uint32_t type, uint32_t rank,
                                       const int64_t *dims)
{
    uint32_t multiplier = make_constant(&n->m, MLIA_TYPE_INT32, 1, (int64_t[]){1}, 1);
    mlia_attributes a = mlia_attributes_default();
    return network_step(n, MLIA_OP_RESCALE, input, multiplier, type, rank, dims, &a);
}

static inline void network_convolution(network *n, bool depthwise, int64_t channels, int64_t kernel_rows,
                                       int64_t kernel_columns, int32_t row_stride, int32_t column_stride)
{
    mlia_attributes a = mlia_attributes_default();
    a.stride = make_list(&n->m, row_stride, column_stride);
    a.dilation = make_list(&n->m, 1, 1);
    int64_t rows = (n->rows + row_stride - 1) / row_stride;
    int64_t columns = (n->columns + column_stride - 1) / column_stride;
    int64_t full[] = {channels, kernel_rows, kernel_columns, n->channels};
    int64_t single[] = {kernel_rows, kernel_columns, channels, 1};
    uint32_t weights = make_constant(&n->m, MLIA_TYPE_INT8, 4, depthwise ? single : full, 1);
    int64_t dims[] = {1, rows, columns, channels};
    n->value = network_step(n, depthwise ? MLIA_OP_DEPTHWISE_CONV2D : MLIA_OP_CONV2D, n->value, weights,
                            MLIA_TYPE_INT32, 4, dims, &a);
    n->value = network_rescale(n, n->value, MLIA_TYPE_INT8, 4, dims);
    n->rows = rows;
    n->columns = columns;
    n->channels = channels;
}

static inline void network_average(network *n)
{
    mlia_attributes a = mlia_attributes_default();
    a.kernel = make_list(&n->m, (int32_t)n->rows, (int32_t)n->columns);
    a.stride = make_list(&n->m, 1, 1);
    n->value = network_step(n, MLIA_OP_AVG_POOL2D, n->value, MLIA_NONE, MLIA_TYPE_INT8, 4,
                            (int64_t[]){1, 1, 1, n->channels}, &a);
    n->rows = n->columns = 1;
}

/* The integer softmax over `classes`: values by number, constants are negative. */
static inline void network_softmax(network *n)
{
    enum { WIDE, ONE, CONSTANT = -1, NONE = -2, ROUNDS = 1 };
    static const struct {
        mlia_op op;
        int shape;       /* WIDE: every class, ONE: one element */
        int operands[2]; /* earlier rows */
        int rounds;      /* rounding shift or product with shift */
    } rows[] = {
        {MLIA_OP_RESCALE, WIDE, {NONE, NONE}, 0}, /* 0: stands for the rescaled input, made below */
        {MLIA_OP_REDUCE_MAX, ONE, {0, NONE}, 0},
        {MLIA_OP_SUB, WIDE, {0, 1}, 0},
        {MLIA_OP_RESCALE, WIDE, {2, CONSTANT}, 0}, /* 3: 16 bits */
        {MLIA_OP_TABLE, WIDE, {3, CONSTANT}, 0},
        {MLIA_OP_TABLE, WIDE, {3, CONSTANT}, 0},
        {MLIA_OP_TABLE, WIDE, {3, CONSTANT}, 0},
        {MLIA_OP_TABLE, WIDE, {3, CONSTANT}, 0}, /* 7 */
        {MLIA_OP_LOGICAL_LEFT_SHIFT, WIDE, {4, CONSTANT}, 0},
        {MLIA_OP_LOGICAL_LEFT_SHIFT, WIDE, {5, CONSTANT}, 0},
        {MLIA_OP_LOGICAL_LEFT_SHIFT, WIDE, {6, CONSTANT}, 0},
        {MLIA_OP_ARITHMETIC_RIGHT_SHIFT, WIDE, {7, CONSTANT}, ROUNDS}, /* 11 */
        {MLIA_OP_ADD, WIDE, {8, 9}, 0},
        {MLIA_OP_ADD, WIDE, {12, 10}, 0},
        {MLIA_OP_ADD, WIDE, {13, 11}, 0}, /* 14: exponentials */
        {MLIA_OP_ARITHMETIC_RIGHT_SHIFT, WIDE, {14, CONSTANT}, ROUNDS},
        {MLIA_OP_REDUCE_SUM, ONE, {15, NONE}, 0}, /* 16 */
        {MLIA_OP_CLZ, ONE, {16, NONE}, 0},
        {MLIA_OP_SUB, ONE, {17, CONSTANT}, 0},
        {MLIA_OP_LOGICAL_LEFT_SHIFT, ONE, {16, 18}, 0}, /* 19: normalised sum */
        {MLIA_OP_MUL, ONE, {19, CONSTANT}, ROUNDS},
        {MLIA_OP_ADD,
         ONE,
         {20, CONSTANT},
         0}, /* 21: first guess of the reciprocal; three Newton steps follow */
        {MLIA_OP_MUL, ONE, {21, 19}, ROUNDS},
        {MLIA_OP_SUB, ONE, {CONSTANT, 22}, 0},
        {MLIA_OP_MUL, ONE, {21, 23}, ROUNDS},
        {MLIA_OP_MUL, ONE, {24, CONSTANT}, 0},
        {MLIA_OP_ADD, ONE, {21, 25}, 0}, /* 26 */
        {MLIA_OP_MUL, ONE, {26, 19}, ROUNDS},
        {MLIA_OP_SUB, ONE, {CONSTANT, 27}, 0},
        {MLIA_OP_MUL, ONE, {26, 28}, ROUNDS},
        {MLIA_OP_MUL, ONE, {29, CONSTANT}, 0},
        {MLIA_OP_ADD, ONE, {26, 30}, 0}, /* 31 */
        {MLIA_OP_MUL, ONE, {31, 19}, ROUNDS},
        {MLIA_OP_SUB, ONE, {CONSTANT, 32}, 0},
        {MLIA_OP_MUL, ONE, {31, 33}, ROUNDS},
        {MLIA_OP_MUL, ONE, {34, CONSTANT}, 0},
        {MLIA_OP_ADD, ONE, {31, 35}, 0},       /* 36: reciprocal */
        {MLIA_OP_MUL, WIDE, {14, 36}, ROUNDS}, /* 37 */
        {MLIA_OP_SUB, ONE, {CONSTANT, 17}, 0}, /* 38 */
        {MLIA_OP_ARITHMETIC_RIGHT_SHIFT, WIDE, {37, 38}, ROUNDS},
    };
    enum { ROWS = sizeof rows / sizeof *rows };
    uint32_t values[ROWS];
    int64_t wide[] = {1, n->channels};
    int64_t one[] = {1, 1};
    int64_t entries[] = {513};
    uint32_t flat = network_step(n, MLIA_OP_RESHAPE, n->value, MLIA_NONE, MLIA_TYPE_INT8, 2, wide, NULL);
    values[0] = network_rescale(n, flat, MLIA_TYPE_INT32, 2, wide);
    for (int i = 1; i < ROWS; i++) {
        uint32_t inputs[3];
        uint32_t count = 0;
        mlia_attributes a = mlia_attributes_default();
        a.axis = 1;
        a.round = rows[i].rounds;
        for (int k = 0; k < 2; k++) {
            int operand = rows[i].operands[k];
            bool table = rows[i].op == MLIA_OP_TABLE;
            if (operand >= 0)
                inputs[count++] = values[operand];
            else if (operand == CONSTANT)
                inputs[count++] = make_constant(&n->m, table ? MLIA_TYPE_INT16 : MLIA_TYPE_INT32,
                                                table ? 1 : 2, table ? entries : one, 4);
        }
        if (rows[i].op == MLIA_OP_MUL)
            inputs[count++] = make_constant(&n->m, MLIA_TYPE_INT8, 1, one, rows[i].rounds ? 31 : 0);
        values[i] =
            make_operator(&n->m, rows[i].op, inputs, count, i == 3 ? MLIA_TYPE_INT16 : MLIA_TYPE_INT32, 2,
                          rows[i].shape == WIDE ? wide : one, &a);
    }
    n->value = network_rescale(n, values[ROWS - 1], MLIA_TYPE_INT8, 2, wide);
}

static inline const mlia_graph *network_end(network *n)
{
    mlia_graph_set_block_outputs(n->m.graph, 0, &n->value, 1);
    assert_ok(mlia_graph_finish(n->m.graph, NULL));
    return n->m.graph;
}

/* Keyword spotter DS-CNN large: 49×10 features, 276 channels, 12 classes. */
static inline const mlia_graph *ds_cnn_large(mlia_arena *arena)
{
    network n;
    network_begin(&n, arena, 49, 10, 1);
    network_convolution(&n, false, 276, 10, 4, 2, 1);
    for (int i = 0; i < 5; i++) {
        network_convolution(&n, true, 276, 3, 3, i == 0 ? 2 : 1, i == 0 ? 2 : 1);
        network_convolution(&n, false, 276, 1, 1, 1, 1);
    }
    network_average(&n);
    network_convolution(&n, false, 12, 1, 1, 1, 1);
    network_softmax(&n);
    return network_end(&n);
}

/* MobileNet v1, a quarter of the channels, 224×224×3, 1001 classes. */
static inline const mlia_graph *mobilenet_v1_025_224(mlia_arena *arena)
{
    static const struct {
        int64_t channels;
        int32_t stride;
    } blocks[] = {{16, 1},  {32, 2},  {32, 1},  {64, 2},  {64, 1},  {128, 2}, {128, 1},
                  {128, 1}, {128, 1}, {128, 1}, {128, 1}, {256, 2}, {256, 1}};
    network n;
    network_begin(&n, arena, 224, 224, 3);
    network_convolution(&n, false, 8, 3, 3, 2, 2);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        network_convolution(&n, true, n.channels, 3, 3, blocks[i].stride, blocks[i].stride);
        network_convolution(&n, false, blocks[i].channels, 1, 1, 1, 1);
    }
    network_average(&n);
    network_convolution(&n, false, 1001, 1, 1, 1, 1);
    network_softmax(&n);
    return network_end(&n);
}

#endif
