/* What the parts of the TOSA writer share. */
#ifndef MLIA_FORMATS_TOSA_WRITER_H
#define MLIA_FORMATS_TOSA_WRITER_H

#include "formats/tosa/schema.h"
#include "graph/graph.h"

/* The tensor that stands for a variable in one block when the graph has none there (MLIR says variables by
 * name alone). */
typedef struct made_tensor {
    uint32_t variable;
    mlia_str name;
} made_tensor;

typedef struct block_names {
    const uint32_t *values; /* value indexes of the block */
    uint32_t value_count;
    made_tensor *made;
    size_t made_count;
    size_t made_capacity;
} block_names;

/* Unique names for everything in the file. */
typedef struct tosa_names {
    mlia_str *values;       /* by value index */
    mlia_str *regions;      /* by region index */
    mlia_str *block_labels; /* by block index */
    block_names *blocks;    /* by block index */
    mlia_str *operands;     /* by operator index: tensor of the variable that VARIABLE_READ or _WRITE names */
} tosa_names;

/* Gives names (in `arena`): those of the graph where they are unique, made-up ones elsewhere. */
mlia_status *mlia_tosa_make_names(const mlia_graph *graph, mlia_arena *arena, tosa_names *names);

#endif
