/* Working state of one segment while it goes through the stages: normalise, fuse, chain, stripe, cost,
 * cascade, memory, aggregate. Private to the room.
 *
 * Values are followed through free operators: the root of a value is the one whose bytes it really is (the
 * input of a RESHAPE, say). All lists are indexes; sizes are fixed by the graph, so that every stage is
 * linear.
 */
#ifndef MLIA_ESTIMATE_PLAN_H
#define MLIA_ESTIMATE_PLAN_H

#include <math.h>

#include "estimate/estimate.h"

/* What an operator is to the accelerator. */
typedef enum mlia_role {
    MLIA_ROLE_FREE,        /* no work: constant, alias, dead, shape arithmetic */
    MLIA_ROLE_UNESTIMATED, /* no known cost */
    MLIA_ROLE_CONVOLUTION, /* multiply-accumulate over all input channels */
    MLIA_ROLE_DEPTHWISE,
    MLIA_ROLE_POOL,
    MLIA_ROLE_ELEMENT, /* element by element, TABLE included */
    MLIA_ROLE_REDUCE,
    MLIA_ROLE_TRANSFORM, /* moves data */
} mlia_role;

/* Extents of a value as the accelerator sees them: the last dimension is the channel from rank 3 on; a vector
 * or matrix has columns of one element. A batch of single columns becomes columns. */
typedef struct mlia_extent {
    double batch, rows, columns, channels;
    double element_bytes;
    double elements;
} mlia_extent;

typedef struct mlia_plan_operator {
    uint8_t role;
    uint8_t weight;    /* operators that the compiler makes of it: 2 when it rounds */
    uint32_t position; /* in execution order */
    uint32_t fused;    /* index into mlia_plan.fused, MLIA_NONE when it is not priced */
    const char *reason;
} mlia_plan_operator;

/* Operators that are one step of the pipeline. */
typedef struct mlia_fused {
    uint32_t operators[2];
    uint32_t count;
    uint32_t chain;
} mlia_fused;

typedef struct mlia_plan_chain {
    uint32_t *fused; /* in execution order */
    uint32_t count;
    uint32_t last;    /* position of its last operator */
    uint32_t *inputs; /* roots read from memory: activations, then constants that are more than parameters */
    uint32_t input_count;
    uint32_t constant_count; /* of them, at the end */
    bool reads_table;        /* has a TABLE on 16 bits */
    uint32_t *outputs;       /* roots written to memory */
    uint32_t output_count;
} mlia_plan_chain;

/* Price of a chain's bands before they are cut: what grows with the rows, and what every band pays. */
typedef struct mlia_price {
    double rows;  /* output rows of the chain, at least 1 */
    double first; /* rows of the first band */
    uint32_t bands;
    double scaled[MLIA_SECTION_COUNT]; /* cycles of the first band */
    double fixed[MLIA_SECTION_COUNT];  /* cycles of every band */
    double read_scaled;                /* bytes of the first band */
    double read_fixed;
    double write;   /* bytes of the whole chain */
    double drain;   /* cycles after the last band */
    double input;   /* bytes of read_scaled that come from the chain's first input */
    double overlap; /* input rows that two neighbouring bands both read */
    double stride;  /* input rows from one output row to the next */
    double macs;
    double weight_bytes;
    double channels;
    mlia_confidence confidence;
} mlia_price;

/* Where a chain of a cascade finds and leaves its data. */
typedef struct mlia_placement {
    bool input_in_l2;
    bool output_in_l2;
    double extra_rows; /* rows that every band but the first computes again for the next chain */
} mlia_placement;

typedef struct mlia_plan {
    const mlia_graph *graph;
    const mlia_estimate_config *config;
    mlia_arena *arena;
    mlia_plan_operator *operators; /* one for each graph operator */
    uint32_t *roots;               /* one for each value */
    bool *is_output;               /* of roots: read by the caller of the graph */
    uint32_t *order;               /* priced operators in execution order */
    uint32_t order_count;
    uint32_t *reader_start; /* readers of root r: readers[reader_start[r] .. reader_start[r + 1]) */
    uint32_t *readers;
    mlia_fused *fused;
    uint32_t fused_count;
    mlia_plan_chain *chains; /* in the order they run */
    uint32_t chain_count;
    mlia_price *prices;         /* one for each chain */
    mlia_placement *placements; /* one for each chain */
    uint32_t *cascade_of;       /* one for each chain */
    uint32_t cascade_count;
    mlia_estimate_segment *result;
} mlia_plan;

/* Role, root and readers of everything in the main graph. */
mlia_status *mlia_plan_normalise(mlia_plan *plan);
/* Pairs such as SUB + RESCALE become one fused operator. */
mlia_status *mlia_plan_fuse(mlia_plan *plan);
/* Fused operators become chains, put in an order in which they can run. */
mlia_status *mlia_plan_chain_up(mlia_plan *plan);
/* Price of every chain. */
mlia_status *mlia_plan_price(mlia_plan *plan);
/* Which chains run band by band with their neighbour. */
mlia_status *mlia_plan_cascade(mlia_plan *plan);
/* Bands with their figures, sums of chains, cascades and the segment. */
mlia_status *mlia_plan_aggregate(mlia_plan *plan);
/* Live tensors and their places. */
mlia_status *mlia_plan_memory(mlia_plan *plan);

/* A figure as a whole number, rounded up; at most 2^53 - 1, which stands for everything above. */
static inline uint64_t mlia_figure(double value)
{
    return (uint64_t)(value < 9007199254740991.0 ? ceil(value) : 9007199254740991.0);
}

mlia_extent mlia_extent_of(const mlia_graph_value *value);
/* The figures of band `index`. */
mlia_cost mlia_band_cost(const mlia_estimate_config *config, const mlia_price *price,
                         const mlia_placement *placement, uint32_t index);
/* Sets what decides the total of a chain whose cost is known. */
void mlia_chain_find_bound(mlia_estimate_chain *chain);
/* Rows of band `index`. */
double mlia_band_rows(const mlia_price *price, uint32_t index);
/* The operator of a chain that decides its shape: the multiply-accumulate or pooling one, else the last. */
static inline const mlia_operator *mlia_chain_lead(const mlia_plan *plan, const mlia_plan_chain *chain)
{
    const mlia_fused *first = &plan->fused[chain->fused[0]];
    uint8_t role = plan->operators[first->operators[0]].role;
    if (role == MLIA_ROLE_CONVOLUTION || role == MLIA_ROLE_DEPTHWISE || role == MLIA_ROLE_POOL)
        return &plan->graph->operators[first->operators[0]];
    const mlia_fused *last = &plan->fused[chain->fused[chain->count - 1]];
    return &plan->graph->operators[last->operators[last->count - 1]];
}

#endif
