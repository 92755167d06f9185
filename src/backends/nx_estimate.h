/* Parts of the backend nx-performance-estimator: from an estimate to entities, figures, advice, extensions
 * and side files. Private to the backend. */
#ifndef MLIA_BACKENDS_NX_ESTIMATE_H
#define MLIA_BACKENDS_NX_ESTIMATE_H

#include "backends/backend.h"
#include "backends/provenance.h"
#include "estimate/estimate.h"
#include "targets/compatibility.h"

#define MLIA_NX_FOLDER          "nx-performance-estimator"
#define MLIA_NX_CALIBRATION_SET "mobilenet_v1_0.25_224_quant, ds_cnn_large_int8"
/* Largest error of a network's total on the reference set, in percent, rounded up
 * (tests/unit/core/calibration_test.c holds the figures). */
enum { MLIA_NX_TOTAL_ERROR_PERCENT = 3, MLIA_NX_COMPUTE_ERROR_PERCENT = 8 };

/* Figures of the whole model; what a program of the user's does not report is not available. */
typedef enum mlia_nx_figure {
    MLIA_NX_FIGURE_INFERENCE_TIME, /* ms */
    MLIA_NX_FIGURE_INFERENCES_PER_SECOND,
    MLIA_NX_FIGURE_TOTAL_CYCLES,
    MLIA_NX_FIGURE_COMPUTE_CYCLES,
    MLIA_NX_FIGURE_CACHE_CYCLES,
    MLIA_NX_FIGURE_DRAM_CYCLES,
    MLIA_NX_FIGURE_COMPILED_SIZE,
    MLIA_NX_FIGURE_CACHE_READ,
    MLIA_NX_FIGURE_CACHE_WRITE,
    MLIA_NX_FIGURE_DRAM_READ,
    MLIA_NX_FIGURE_DRAM_WRITE,
    MLIA_NX_FIGURE_DRAM_FOOTPRINT,
    MLIA_NX_FIGURE_WEIGHT_MEMORY,
    MLIA_NX_FIGURE_PEAK_MEMORY,
    MLIA_NX_FIGURE_AVERAGE_MEMORY,
    MLIA_NX_FIGURE_COUNT,
} mlia_nx_figure;

typedef struct mlia_nx_figures {
    double value[MLIA_NX_FIGURE_COUNT];
    bool available[MLIA_NX_FIGURE_COUNT];
} mlia_nx_figures;

/* One estimate on its way into a result. */
typedef struct mlia_nx_report {
    const mlia_backend_request *request;
    mlia_result_builder *builder;
    mlia_arena *arena;
    const mlia_estimate *estimate;
    mlia_nx_figures figures;
    mlia_provenance *provenance;      /* of each segment */
    mlia_entity_ref **chains;         /* of each segment's chains */
    uint8_t **levels;                 /* mlia_compatibility_level of each segment's operators */
    double accelerator_percentage;    /* operators on NX */
    bool memories[MLIA_MEMORY_COUNT]; /* reported in breakdowns */
    bool external;                    /* figures of a program of the user's */
} mlia_nx_report;

/* Runs the program of the user's (option `program`) instead of our model, once for each graph segment; sets
 * report->estimate and figures. E_ESTIMATOR_PROGRAM and the errors of reading, writing and converting VGF. */
mlia_status *mlia_nx_program_estimate(mlia_nx_report *report, const char *program,
                                      const mlia_estimate_config *config);
/* Figures of our own estimate. */
mlia_nx_figures mlia_nx_figures_of(const mlia_estimate *estimate);
/* Entities, breakdowns and metrics. */
mlia_status *mlia_nx_report_entities(mlia_nx_report *report);
mlia_status *mlia_nx_report_metrics(mlia_nx_report *report);
/* Advice of the target; needs the entities. */
mlia_status *mlia_nx_report_advice(mlia_nx_report *report);
/* extensions.mlia_estimator and mlia_schedule. */
mlia_status *mlia_nx_report_extensions(mlia_nx_report *report);
/* Databases, summary and statistics through the request's write_file. */
mlia_status *mlia_nx_report_files(mlia_nx_report *report);

/* "SEGMENT/Chain ID" and the like; "segment N" for a segment without name. */
mlia_str mlia_nx_segment_name(const mlia_nx_report *report, uint32_t segment);
mlia_str mlia_nx_chain_name(const mlia_nx_report *report, uint32_t segment, const mlia_estimate_chain *chain);

#endif
