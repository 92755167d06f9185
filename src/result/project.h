/* Projection: which figures may be shown on which entity without inventing any (docs/projection.md). Private
 * to result/. */
#ifndef MLIA_RESULT_PROJECT_H
#define MLIA_RESULT_PROJECT_H

#include "base/diagnostics.h"
#include "result/figures.h"
#include "result/space.h"

#define MLIA_NO_RECORD UINT32_MAX

typedef MLIA_LIST(uint32_t) mlia_numbers;

/* Figures together with the entities whose own breakdowns they come from. */
typedef struct mlia_record {
    uint32_t *origins; /* ascending */
    uint32_t origin_count;
    uint32_t leaf_count;
    const uint32_t *leaves; /* below any of the origins, each once */
    mlia_figures figures;
    uint32_t *kind_counts;  /* leaves below an entity of each kind; NULL when there are many kinds */
    uint32_t exposer;       /* the entity that shows these figures … */
    bool has_more_exposers; /* … and is not the only one */
    bool is_sealed;
    bool is_tangled; /* an atom of whose origins another frontier uses a part */
    /* seen from the target in view (valid when `stamp` is the space's) */
    uint32_t stamp;
    bool is_eligible;
    bool is_forced;
    bool is_dominated;
    uint32_t extras;
    uint32_t visit;                       /* mark of one walk */
    MLIA_LIST(mlia_breakdown) breakdowns; /* made when first shown */
} mlia_record;

typedef MLIA_LIST(mlia_record *) mlia_records;

/* An entity whose direct sources cannot be used, and which ones it would need. */
typedef struct mlia_blocked {
    uint32_t entity;
    const uint32_t *origins;
    uint32_t origin_count;
    uint32_t stamp;
    uint32_t hits;
} mlia_blocked;

typedef struct mlia_projection {
    mlia_arena *arena; /* of everything that is not published */
    mlia_space space;
    mlia_figure_table figures;
    bool *is_shadowed;
    bool *is_frontier; /* stands right below sources */
    mlia_records records;
    mlia_map by_origins;   /* origins' bytes → record */
    uint32_t *single_of;   /* of a usable, unshadowed origin: its own record */
    uint32_t *atom_of;     /* of a usable, unshadowed origin: the record that stands for it in sums */
    mlia_adjacency covers; /* leaf → unshadowed origins above it */
    MLIA_LIST(mlia_blocked) blocked;
    mlia_adjacency blocked_at; /* leaf → blocked entities above it */
    mlia_numbers *composites;  /* origin → records of several atoms that contain it */
    mlia_record **shown;       /* what each entity without own figures shows; NULL: nothing */
    uint64_t steps;
    uint32_t visit;
    uint32_t *extra_mark;  /* == visit: leaf counted */
    uint32_t *origin_mark; /* == visit: origin counted */
    bool *is_taken;        /* origins of the sum being put together */
    mlia_diagnostics *diagnostics;
    /* the target in view */
    mlia_numbers atoms;          /* eligible atoms that cover one of its leaves */
    mlia_numbers needed_origins; /* of the blocked entities inside */
    uint32_t required;           /* its leaves below an unshadowed origin */
    uint32_t extras;             /* leaves of all atoms outside it */
} mlia_projection;

/* What can be said of a target from its atoms alone. */
typedef enum mlia_outlook {
    MLIA_OUTLOOK_NOTHING, /* no figures, whatever else is derived */
    MLIA_OUTLOOK_EXACT,   /* the sum of its atoms */
    MLIA_OUTLOOK_EXTRAS,  /* every solution contains all atoms, which cover more than the target */
    MLIA_OUTLOOK_OPEN,    /* there may be alternatives */
    MLIA_OUTLOOK_BUDGET,  /* too much work */
} mlia_outlook;

/* Best solution so far among equals; more than one set of figures is a conflict. */
typedef struct mlia_choice {
    mlia_record *record;
    uint32_t extras;
    bool is_conflict;
} mlia_choice;

/* Offers a solution with its number of extras: fewer extras win, equal ones must have equal figures. */
void mlia_choice_offer(mlia_choice *choice, mlia_record *record, uint32_t extras);

/* Is a record usable for the target in view: no contested leaf outside it? Sets is_eligible and extras. */
bool mlia_record_assess(mlia_projection *projection, mlia_record *record);

/* The record of the sum of `parts`, whose origins are disjoint; made if there is none. NULL in `*record`: the
 * sum has no figures. `exposer` will show it. */
mlia_status *mlia_record_sum(mlia_projection *projection, mlia_record *const *parts, size_t count,
                             uint32_t exposer, mlia_record **record, bool *is_new);

/* Alternatives (cover.c): tries every irredundant sum for the target in view, without or with extras. Sums
 * become records that `exposer` shows (`*found_new` when one is new); the best goes to `choice`, if not NULL.
 * `*over_budget` when not all could be tried. */
mlia_status *mlia_cover_search(mlia_projection *projection, uint32_t exposer, bool with_extras,
                               mlia_choice *choice, bool *found_new, bool *over_budget);

/* Works out what every entity of `result` shows and appends the projected breakdowns. Everything published
 * goes to `arena`. */
mlia_status *mlia_result_project(mlia_arena *arena, mlia_diagnostics *diagnostics, mlia_result *result);

/* Parts of it: sources.c makes the records of origins and frontiers; target.c looks at one target. */
mlia_status *mlia_project_sources(mlia_projection *projection);
mlia_outlook mlia_project_look(mlia_projection *projection, uint32_t target);
mlia_status *mlia_project_sum_atoms(mlia_projection *projection, uint32_t exposer, mlia_record **record,
                                    bool *is_new);
/* Offers all single records that cover the target in view. */
mlia_status *mlia_project_offer_singles(mlia_projection *projection, bool with_extras, mlia_choice *choice);
/* The target in view would show records of others if it had nothing better: such a record is not only its
 * exposer's any more. True when there was one. */
bool mlia_project_expose(mlia_projection *projection);
/* Drops records that a sealed one with the same leaves and more origins supersedes. */
void mlia_records_drop_dominated(mlia_projection *projection, mlia_records *records);

#endif
