/* Measured performance of captures: which dispatches belong to which graph segment, what each stripe, chain
 * and cascade counted, and which operators of the SPIR-V module they are.
 *
 *     mlia_measure_inputs inputs;
 *     MLIA_TRY(mlia_measure_open(paths, path_count, arena, &inputs));
 *     status = mlia_measure_select(&inputs, segments, segment_count, arena, &selection);
 *     if (status == NULL)
 *         status = mlia_measure(&selection, arena, &measurement);
 *     …
 *     mlia_measure_close(&inputs);
 *
 * Rules and error kinds: docs/formats/capture.md. Figures are cycles in 64 bits; a sum that would not fit
 * stays at UINT64_MAX.
 */
#ifndef MLIA_MEASURE_MEASURE_H
#define MLIA_MEASURE_MEASURE_H

#include "base/value.h"
#include "formats/capture/capture.h"
#include "formats/capture/decode.h"
#include "graph/graph.h"

/* One path the user gave. */
typedef struct mlia_measure_input {
    const mlia_capture *capture;
    const mlia_capture_dispatch *dispatch; /* NULL: the whole capture */
} mlia_measure_input;

typedef struct mlia_measure_inputs {
    const mlia_measure_input *items;
    size_t count;
    mlia_capture **captures; /* each folder once */
    size_t capture_count;
} mlia_measure_inputs;

/* Resolves the paths in order and reads the captures they belong to. After success the caller ends with
 * mlia_measure_close; the measurement needs the captures until then. `count` is at least 1. */
mlia_status *mlia_measure_open(const mlia_str *paths, size_t count, mlia_arena *arena,
                               mlia_measure_inputs *inputs);
void mlia_measure_close(mlia_measure_inputs *inputs);

/* A segment of the VGF that ran. */
typedef struct mlia_measure_segment {
    uint32_t index; /* in the VGF */
    mlia_str name;
    bool is_graph; /* false: a compute segment, which is skipped */
    mlia_bytes spirv;
} mlia_measure_segment;

/* The dispatch that is analysed for one graph segment. */
typedef struct mlia_measure_pick {
    uint32_t segment_index;
    mlia_str segment_name;
    const mlia_capture_dispatch *dispatch;
} mlia_measure_pick;

typedef struct mlia_selection {
    const mlia_capture *capture;
    const mlia_measure_pick *picks; /* in segment order */
    size_t count;
    const uint32_t *skipped; /* indexes of compute segments */
    size_t skipped_count;
} mlia_selection;

/* Chooses the dispatches; `segments` NULL: no VGF. Errors: E_SELECT_*, E_VGF_NO_GRAPH, whose messages list
 * the candidates. */
mlia_status *mlia_measure_select(const mlia_measure_inputs *inputs, const mlia_measure_segment *segments,
                                 size_t segment_count, mlia_arena *arena, mlia_selection *selection);

/* Sums over stripes. */
typedef struct mlia_measure_figures {
    uint64_t op_cycles;
    uint64_t total_cycles;
    uint64_t words[MLIA_COUNTERS_MAX]; /* by word; names are in the layout */
    bool counted;                      /* false: no stripe has counters */
} mlia_measure_figures;

/* One row of the debug database's operations. */
typedef struct mlia_measured_operator {
    mlia_str name;              /* TOSA type names joined by '/' */
    mlia_value *types;          /* the same as a list of texts */
    const uint32_t *source_ids; /* SPIR-V result ids that its labels lead to, no repeats */
    size_t source_count;
    const mlia_str *labels;
    size_t label_count;
    const mlia_source *paths; /* modules and frames of the labels that record them */
    size_t path_count;
} mlia_measured_operator;

/* A chain or a cascade. */
typedef struct mlia_measured_unit {
    uint32_t segment; /* position in mlia_measurement.segments */
    mlia_str local; /* id in the debug database, or "chain_N", "cascade_N" for stripe N that has none there */
    mlia_measure_figures figures;
    uint32_t *operators; /* chains: positions in the segment's operators, as the debug database lists them */
    size_t operator_count;
} mlia_measured_unit;

typedef struct mlia_measured_stripe {
    uint32_t index;
    uint32_t chain;   /* position in mlia_measurement.chains */
    uint32_t cascade; /* position in mlia_measurement.cascades */
    mlia_stripe_sums sums;
} mlia_measured_stripe;

typedef struct mlia_measured_segment {
    const mlia_measure_pick *pick;
    const struct mlia_measured_module *module; /* measure/module.h */
    mlia_measured_stripe *stripes;             /* in the order of the statistics info */
    size_t stripe_count;
    mlia_measured_operator *operators; /* of all its chains, each once, first met first */
    size_t operator_count;
    uint64_t op_cycles;
    uint64_t total_cycles;
} mlia_measured_segment;

/* A finding that does not stop the analysis, with everything it was found on: "0:4". */
typedef struct mlia_measure_note {
    mlia_kind kind; /* W_COMPUTE_SKIPPED … W_UNLABELLED_WORDS */
    mlia_str *items;
    size_t count;
    size_t capacity;
} mlia_measure_note;

enum { MLIA_MEASURE_NOTES = 8 };

typedef struct mlia_measurement {
    const mlia_capture *capture;
    const mlia_capture_device *device;
    mlia_generation generation;
    const mlia_statistics_layout *layout;
    mlia_measured_segment *segments;
    size_t segment_count;
    mlia_measured_unit *chains; /* first stripe first, segment by segment */
    size_t chain_count;
    size_t chain_capacity;
    mlia_measured_unit *cascades;
    size_t cascade_count;
    size_t cascade_capacity;
    mlia_measure_note notes[MLIA_MEASURE_NOTES]; /* in order of report */
    mlia_map noted;                              /* private */
    size_t operator_count;                       /* private: of all chains, for the limit */
} mlia_measurement;

/* Analyses the chosen dispatches; other dispatches' files are not read. Texts live in `arena`. Errors:
 * E_SELECT_DEVICES, E_ARTIFACT_UNAVAILABLE, E_DEVICE_*, E_SPIRV, E_INFO_*, E_FRAME_*, E_STATS_ALIGN,
 * E_DEBUG_*, E_LABEL_UNRESOLVED, E_LIMIT. */
mlia_status *mlia_measure(const mlia_selection *selection, mlia_arena *arena, mlia_measurement *measurement);

/* Decodes the files of every dispatch of a capture and joins them, keeping nothing. Dispatches that cannot be
 * analysed for a reason the capture states (no known device, a file that was unavailable) are passed over.
 * The first error of any other kind. */
mlia_status *mlia_measure_check(const mlia_capture *capture);

/* "[W_STRIPE_UNMAPPED] …: 0:4, 0:7" with at most 5 items and the number left out. */
mlia_str mlia_measure_note_text(const mlia_measure_note *note, mlia_arena *arena);

/* a + b, UINT64_MAX when that does not fit. */
static inline uint64_t mlia_measure_add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

#endif
