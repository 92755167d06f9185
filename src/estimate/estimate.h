/* The estimator: an open analytical model of a neural accelerator inside a mobile GPU (docs/estimator.md).
 *
 *     MLIA_TRY(mlia_estimate_run(segments, count, &config, arena, diagnostics, &estimate));
 *
 * Every graph is cut into chains (what the accelerator issues as one piece of work), chains into stripes
 * (bands of output rows), and every stripe is priced. All larger figures are exact sums of stripes. Operators
 * without a price are listed, never priced at zero.
 */
#ifndef MLIA_ESTIMATE_ESTIMATE_H
#define MLIA_ESTIMATE_ESTIMATE_H

#include "base/diagnostics.h"
#include "estimate/config.h"
#include "graph/graph.h"

/* Hardware sections and memories: X(NAME, "name in the databases", "name of the metric"). */
#define MLIA_SECTIONS(X)                                                                                     \
    X(INPUT_READER, "InputReader", "input_reader")                                                           \
    X(CONVOLUTION_ENGINE, "ConvolutionEngine", "convolution_engine")                                         \
    X(VECTOR_ENGINE, "VectorEngine", "vector_engine")                                                        \
    X(TRANSFORM_UNIT, "TransformUnit", "transform_unit")                                                     \
    X(WEIGHT_DECODER, "WeightDecoder", "weight_decoder")                                                     \
    X(OUTPUT_WRITER, "OutputWriter", "output_writer")
#define MLIA_MEMORIES(X)                                                                                     \
    X(L1, "L1", "l1")                                                                                        \
    X(L2, "L2", "l2")                                                                                        \
    X(SYSTEM_CACHE, "SystemCache", "system_cache")                                                           \
    X(DRAM, "DRAM", "dram")

typedef enum mlia_section {
#define X(name, database, metric) MLIA_SECTION_##name,
    MLIA_SECTIONS(X)
#undef X
        MLIA_SECTION_COUNT
} mlia_section;

typedef enum mlia_memory {
#define X(name, database, metric) MLIA_MEMORY_##name,
    MLIA_MEMORIES(X)
#undef X
        MLIA_MEMORY_COUNT
} mlia_memory;

/* Names of the databases ("InputReader") and of metrics ("input_reader"). */
mlia_str mlia_section_name(mlia_section section);
mlia_str mlia_section_metric(mlia_section section);
mlia_str mlia_memory_name(mlia_memory memory);
mlia_str mlia_memory_metric(mlia_memory memory);

typedef struct mlia_traffic {
    uint64_t read_bytes;
    uint64_t write_bytes;
    uint64_t cycles;
} mlia_traffic;

/* Figures of a stripe, chain, cascade, segment or model. */
typedef struct mlia_cost {
    uint64_t op_cycles;    /* the slowest of the engines */
    uint64_t total_cycles; /* the slowest section or memory, and the drain */
    uint64_t sections[MLIA_SECTION_COUNT];
    mlia_traffic memories[MLIA_MEMORY_COUNT];
} mlia_cost;

/* Adds `part` to `sum`. */
void mlia_cost_add(mlia_cost *sum, const mlia_cost *part);

/* What decides the total of a chain: a section, a memory (after the sections), or the drain. */
typedef enum mlia_bound {
    MLIA_BOUND_SECTION = 0, /* + mlia_section */
    MLIA_BOUND_MEMORY = MLIA_SECTION_COUNT,
    MLIA_BOUND_LATENCY = MLIA_BOUND_MEMORY + MLIA_MEMORY_COUNT,
    MLIA_BOUND_COUNT,
} mlia_bound;
/* "convolution_engine", "dram", "latency". */
mlia_str mlia_bound_name(uint32_t bound);

typedef enum mlia_confidence {
    MLIA_CONFIDENCE_CALIBRATED,   /* operators and machine as in the reference set */
    MLIA_CONFIDENCE_EXTRAPOLATED, /* the same sections, shapes or kinds outside the reference set */
    MLIA_CONFIDENCE_ASSUMED,      /* rates that no published figure supports */
} mlia_confidence;
mlia_str mlia_confidence_name(mlia_confidence confidence);

typedef struct mlia_estimate_stripe {
    uint64_t id;    /* ours: its index in the segment; also below */
    uint32_t chain; /* index */
    uint64_t rows;
    mlia_cost cost;
} mlia_estimate_stripe;

/* Operators that the compiler prices together. */
typedef struct mlia_estimate_group {
    const uint32_t *operators; /* indexes into graph->operators, in execution order */
    uint32_t operator_count;
} mlia_estimate_group;

typedef struct mlia_estimate_chain {
    uint64_t id;
    uint32_t cascade; /* index */
    const mlia_estimate_group *groups;
    uint32_t group_count;
    const uint32_t *operators; /* of all groups, in order */
    uint32_t operator_count;
    uint32_t first_stripe; /* its stripes follow each other */
    uint32_t stripe_count;
    mlia_cost cost;
    uint64_t macs;         /* without padding to hardware blocks; 0 when not known */
    uint64_t weight_bytes; /* encoded weights, parameters and tables */
    uint64_t channels;     /* output channels of its multiply-accumulate operator, else 0 */
    uint32_t bound;        /* mlia_bound */
    uint64_t bound_cycles; /* cycles of the binding section or memory */
    uint64_t next_cycles;  /* of the second slowest */
    mlia_confidence confidence;
} mlia_estimate_chain;

typedef struct mlia_estimate_cascade {
    uint64_t id;
    uint32_t first_chain; /* its chains follow each other */
    uint32_t chain_count;
    mlia_cost cost;
} mlia_estimate_cascade;

/* An operator without price, and why. */
typedef struct mlia_unestimated {
    uint32_t operator_index;
    mlia_str reason; /* "CUSTOM operators have no known cost" */
} mlia_unestimated;

typedef struct mlia_estimate_memory {
    uint64_t dram_footprint;         /* planned bytes of all activations */
    uint64_t peak_activation_memory; /* most bytes that live at one time */
    uint64_t average_memory;         /* live bytes, mean over the total cycles */
    uint64_t model_weight_memory;    /* encoded weights, parameters and tables */
    uint64_t compiled_size;          /* the same and the command stream */
} mlia_estimate_memory;

typedef struct mlia_estimate_segment {
    uint32_t index; /* in the VGF */
    mlia_str name;
    const mlia_graph *graph; /* NULL: skipped (compute segment) */
    const mlia_estimate_chain *chains;
    uint32_t chain_count;
    const mlia_estimate_cascade *cascades;
    uint32_t cascade_count;
    const mlia_estimate_stripe *stripes;
    uint32_t stripe_count;
    const uint32_t *free_operators; /* in no chain: constants, reshapes, dead and folded operators */
    uint32_t free_count;
    const mlia_unestimated *unestimated;
    uint32_t unestimated_count;
    mlia_cost cost;
    mlia_estimate_memory memory;
} mlia_estimate_segment;

typedef struct mlia_estimate {
    const mlia_estimate_config *config;
    mlia_estimate_segment *segments;
    uint32_t segment_count;
    mlia_cost cost;              /* sums over segments */
    mlia_estimate_memory memory; /* sums; footprint, peak: largest; average: weighted with cycles */
    double inference_time_ms;    /* of all segments, one after the other */
    bool complete;               /* no operator is unestimated */
} mlia_estimate;

typedef struct mlia_estimate_input {
    uint32_t index;
    mlia_str name;
    const mlia_graph
        *graph; /* finished, shapes resolved; NULL: compute segment, skipped with W_SEGMENT_SKIPPED */
} mlia_estimate_input;

/* Estimates all segments. `config` must outlive the estimate; everything else lives in `arena`. Warnings:
 * W_SEGMENT_SKIPPED, W_UNESTIMATED (one for each reason and segment). Fails only with E_MEMORY. */
mlia_status *mlia_estimate_run(const mlia_estimate_input *segments, uint32_t count,
                               const mlia_estimate_config *config, mlia_arena *arena,
                               mlia_diagnostics *diagnostics, mlia_estimate **estimate);

/* Revision of the model: raised when formulas or defaults change. */
#define MLIA_ESTIMATE_REVISION "1"

#endif
