/* Figures of entities as projection sees them: breakdowns by qualifiers, metrics by (name, unit, qualifiers),
 * both numbered in the order in which they are written, so that comparing and adding are merges of sorted
 * arrays. */
#ifndef MLIA_RESULT_FIGURES_H
#define MLIA_RESULT_FIGURES_H

#include "base/status.h"
#include "result/result.h"

typedef struct mlia_figure {
    uint32_t breakdown; /* rank of the breakdown's qualifiers */
    uint32_t identity;  /* rank of name, unit and qualifiers */
    const mlia_metric *metric;
    double value;
    double compensation; /* of the running sum (Neumaier) */
    int64_t samples;
    bool has_samples;
} mlia_figure;

/* Sorted by breakdown, then identity; count 0 = nothing. */
typedef struct mlia_figures {
    mlia_figure *items;
    size_t count;
} mlia_figures;

/* All figures of a result, one entry for each entity. */
typedef struct mlia_figure_table {
    mlia_arena *arena;
    const mlia_value **qualifiers; /* of breakdowns, by rank; NULL for none */
    mlia_figures *of_entity;
    bool *is_authoritative; /* the entity has a breakdown */
    bool *is_usable;        /* … and no two of them contradict each other */
    bool *is_repeated;      /* of each breakdown: says what the one before of its entity says */
} mlia_figure_table;

/* `entity_of` gives the position of each breakdown's entity. */
mlia_status *mlia_figure_table_make(mlia_arena *arena, const mlia_result *result, const uint32_t *entity_of,
                                    uint32_t entity_count, mlia_figure_table *table);

/* Running sum: starts as a copy of the first, then keeps what all have and what can be added. */
mlia_status *mlia_figures_copy(mlia_arena *arena, const mlia_figures *figures, mlia_figures *copy);
void mlia_figures_add(mlia_figures *sum, const mlia_figures *more);
/* Ends a sum: compensation added, sums out of range dropped. */
void mlia_figures_settle(mlia_figures *sum);

bool mlia_figures_equal(const mlia_figures *a, const mlia_figures *b);

#endif
