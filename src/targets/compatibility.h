/* Which operators of a graph the neural-technology target can run, where, and why not. Verdicts agree with
 * those of the public model converter, operator by operator; docs/formats/tosa.md, "Compatibility", has the
 * rules. */
#ifndef MLIA_TARGETS_COMPATIBILITY_H
#define MLIA_TARGETS_COMPATIBILITY_H

#include "graph/graph.h"

typedef enum mlia_compatibility_level {
    MLIA_LEVEL_TOSA,   /* runs on the neural accelerator (NX) */
    MLIA_LEVEL_SHADER, /* runs on the execution engine (EE): floating point, shaders */
    MLIA_LEVEL_NON_NX, /* cannot be lowered */
    MLIA_LEVEL_COUNT,
} mlia_compatibility_level;

/* "TOSA", "Shader", "Non-NX". */
mlia_str mlia_compatibility_level_name(mlia_compatibility_level level);
/* Where such an operator runs, in the target's words: "NX", "EE", "" for none. */
mlia_str mlia_compatibility_nx_placement(mlia_compatibility_level level);
/* The same as a placement of the result document: "NX", "GPU", "CPU". */
mlia_str mlia_compatibility_placement(mlia_compatibility_level level);

typedef struct mlia_compatibility_reason {
    mlia_str code;        /* "E_TYPE", "W_FLOAT_ON_SHADER", … */
    mlia_str description; /* the rule, the same for every operator */
    mlia_str detail;      /* what about this operator */
} mlia_compatibility_reason;

typedef struct mlia_compatibility_record {
    uint32_t op; /* operator index */
    mlia_compatibility_level level;
    bool trivial;   /* CONST, CONST_SHAPE, RESHAPE */
    bool supported; /* the operator exists for the target, whatever its types: then it has a TOSA name to show
                     */
    mlia_str error; /* one line in words, only for MLIA_LEVEL_NON_NX */
    mlia_str rule;  /* "operator", "type", "rank", "shape", "attribute"; with `error` */
    mlia_compatibility_reason *reasons;
    size_t reason_count;
    size_t reason_capacity;
} mlia_compatibility_record;

typedef enum mlia_compatibility_status {
    MLIA_COMPATIBILITY_OK,           /* everything can run, or there is nothing */
    MLIA_COMPATIBILITY_PARTIAL,      /* something cannot */
    MLIA_COMPATIBILITY_INCOMPATIBLE, /* nothing can */
} mlia_compatibility_status;

typedef struct mlia_compatibility {
    mlia_compatibility_record *records; /* file order, nested regions included */
    size_t count;
    size_t per_level[MLIA_LEVEL_COUNT];
    mlia_compatibility_status status;
    double accelerator_percentage; /* 100 × records on NX / all records; 0 without records */
} mlia_compatibility;

typedef struct mlia_compatibility_options {
    bool skip_trivial; /* no records for trivial operators */
} mlia_compatibility_options;

/* Decides on every operator of a finished graph whose shapes are resolved (mlia_graph_resolve_shapes).
 * Operators that the program itself added have no record. Texts live in `arena`. Fails only for memory. */
mlia_status *mlia_compatibility_check(const mlia_graph *graph, mlia_compatibility_options options,
                                      mlia_arena *arena, mlia_compatibility *result);

#endif
