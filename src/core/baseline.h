/* Two performance results side by side, chain by chain: an estimate and the measurement of the same model, or
 * two runs. Chains have ids of their own in each, so they are paired by the source operators they run. */
#ifndef MLIA_CORE_BASELINE_H
#define MLIA_CORE_BASELINE_H

#include "base/status.h"
#include "result/result.h"

/* A chain of this run and its counterpart. Cycles are their `total_cycles`. */
typedef struct mlia_chain_pair {
    const mlia_entity *baseline;
    const mlia_entity *chain;
    double baseline_cycles;
    double cycles;
    bool exact; /* false: at least half of their operators are the same, not all */
} mlia_chain_pair;

typedef struct mlia_baseline {
    const mlia_result *baseline; /* the performance result of each document */
    const mlia_result *result;
    MLIA_LIST(mlia_chain_pair) pairs; /* in the order of this run's chains */
    size_t unpaired_baseline;         /* chains without counterpart */
    size_t unpaired;
} mlia_baseline;

/* Pairs the chains of the documents' first performance results that have figures. E_DOCUMENT when the
 * baseline has none; a run without one gives no pairs. Lives in `arena`, refers to both documents. */
mlia_status *mlia_baseline_pair(const mlia_document *baseline, const mlia_document *document,
                                mlia_arena *arena, mlia_baseline *pairing);

#endif
