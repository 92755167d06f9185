/* Partitions of a graph: parts that become one segment each. Only shader operators split a graph. */
#ifndef MLIA_TOSA_TO_VGF_PARTITION_H
#define MLIA_TOSA_TO_VGF_PARTITION_H

#include "graph/graph.h"

typedef struct mlia_partition {
    bool is_shader;
    uint32_t *operators; /* of the graph, in order, without constants */
    uint32_t operator_count;
    uint32_t capacity;
    uint32_t *inputs; /* values that come from elsewhere: of a graph the model's inputs in their order, then
                         the others in order of first use; of a shader in the order of its operands */
    uint32_t *arguments; /* the same in the order of the module: of first use; all inputs of a graph that is
                            not split */
    uint32_t input_count;
    uint32_t *outputs; /* values made here that the model or another partition reads */
    uint32_t output_count;
} mlia_partition;

typedef struct mlia_partitions {
    mlia_partition *items;
    uint32_t count;
    uint32_t *of_value;   /* partition that makes a value; MLIA_NONE for inputs and constants */
    uint32_t *bindings;   /* by value: logical binding, or MLIA_NONE */
    bool *is_model_input; /* by value */
    bool *is_model_output;
} mlia_partitions;

/* Splits the main block of a finished graph. Memory from `arena`. */
mlia_status *mlia_partition_graph(const mlia_graph *graph, mlia_arena *arena, mlia_partitions *partitions);

#endif
