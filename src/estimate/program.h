/* Somebody else's estimator: runs a program of the user's and reads the files that it writes. Nothing of such
 * a program is shipped, looked for or assumed. docs/estimator.md, "Another estimator". */
#ifndef MLIA_ESTIMATE_PROGRAM_H
#define MLIA_ESTIMATE_PROGRAM_H

#include "base/bytes.h"
#include "estimate/estimate.h"

/* Figures of NAME_network_performance_summary.json: X(NAME, "path.of.the.leaf"). */
#define MLIA_SUMMARY_FIELDS(X)                                                                               \
    X(COMPILED_SIZE, "compiled_size")                                                                        \
    X(TOTAL_CYCLES, "network_performance.total_cycles")                                                      \
    X(COMPUTE_CYCLES, "network_performance.compute_cycles")                                                  \
    X(INFERENCE_TIME, "network_performance.inference_time")                                                  \
    X(INFERENCES_PER_SECOND, "network_performance.infs_per_sec")                                             \
    X(DRAM_FOOTPRINT, "network_performance.dram_footprint")                                                  \
    X(CACHE_CYCLES, "network_performance.cache1.cycles")                                                     \
    X(CACHE_READ, "network_performance.cache1.read_bytes")                                                   \
    X(CACHE_WRITE, "network_performance.cache1.write_bytes")                                                 \
    X(DRAM_CYCLES, "network_performance.dram.cycles")                                                        \
    X(DRAM_READ, "network_performance.dram.read_bytes")                                                      \
    X(DRAM_WRITE, "network_performance.dram.write_bytes")

typedef enum mlia_summary_field {
#define X(name, path) MLIA_SUMMARY_##name,
    MLIA_SUMMARY_FIELDS(X)
#undef X
        MLIA_SUMMARY_FIELD_COUNT
} mlia_summary_field;

/* A leaf that is null or absent is not available. inference_time is in milliseconds. */
typedef struct mlia_summary {
    double values[MLIA_SUMMARY_FIELD_COUNT];
    bool available[MLIA_SUMMARY_FIELD_COUNT];
} mlia_summary;

/* Reads a summary. E_ESTIMATOR_PROGRAM naming file and leaf: no JSON, no network_performance, a leaf without
 * value, a text, a negative number, a unit that is not known. */
mlia_status *mlia_summary_read(mlia_str name, mlia_str text, mlia_summary *summary);

typedef struct mlia_program_run {
    const char *program;     /* path of an executable file */
    mlia_str stem;           /* NAME: bytes [A-Za-z0-9._-] */
    mlia_bytes vgf;          /* holds one graph segment */
    unsigned seconds;        /* limit */
    bool (*cancelled)(void); /* NULL: never */
} mlia_program_run;

/* Runs `PROGRAM -i NAME.vgf -o NAME` in a new temporary folder, without a shell, with its output in a file
 * there, and reads what it wrote: figures of the segment (whose index, name and graph are set) and the
 * summary. The folder is removed. Errors: E_ESTIMATOR_PROGRAM for a program that cannot be started, fails
 * (with its last line), takes too long, or leaves out a file, and those of the readers; E_TIMEOUT when
 * cancelled; E_WRITE. */
mlia_status *mlia_program_estimate(const mlia_program_run *run, mlia_arena *arena,
                                   mlia_diagnostics *diagnostics, mlia_estimate_segment *segment,
                                   mlia_summary *summary);

#endif
