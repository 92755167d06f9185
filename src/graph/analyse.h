/* Questions about a finished graph: verification, shape inference, unknown dimensions, work counts. */
#ifndef MLIA_GRAPH_ANALYSE_H
#define MLIA_GRAPH_ANALYSE_H

#include "graph/graph.h"

/* One finding of the verifier on one operator. */
typedef enum mlia_rule {
    MLIA_RULE_OPERATOR, /* operator number, operand count, foreign operator */
    MLIA_RULE_TYPE,     /* no row of the type table fits */
    MLIA_RULE_RANK,
    MLIA_RULE_SHAPE, /* result shape, unknown dimension left, shape operand */
    MLIA_RULE_ATTRIBUTE,
    MLIA_RULE_LEVEL, /* outside level 8K: advice only */
} mlia_rule;

typedef struct mlia_finding {
    uint32_t op; /* operator index, MLIA_NONE for the graph */
    mlia_rule rule;
    mlia_str text; /* one line in words: "ADD on INT8: no profile of TOSA has it; INT32, FP16, BF16, FP32 are
                      possible" */
} mlia_finding;

typedef struct mlia_findings {
    mlia_finding *items;
    size_t count;
    size_t capacity;
    size_t dropped; /* beyond `limit` */
    size_t limit;   /* most items kept; 0 = all */
} mlia_findings;

/* "type", "rank", … */
mlia_str mlia_rule_name(mlia_rule rule);

/* Checks every operator of a graph whose shapes are resolved (nested regions included) against the operator
 * table, type rows, shape rules, attribute rules and level 8K. Findings are in operator order, texts in
 * `arena`. Fails only for memory. */
mlia_status *mlia_graph_verify(const mlia_graph *graph, mlia_arena *arena, mlia_findings *findings);

/* False for types that TOSA has and its SPIR-V instructions do not: those of the 1.1 draft. */
bool mlia_types_have_instruction(const mlia_graph *graph, const mlia_operator *op);
/* Checks only that operators of a kind that SPIR-V has (1-67) are there for their types. */
mlia_status *mlia_graph_verify_instructions(const mlia_graph *graph, mlia_arena *arena,
                                            mlia_findings *findings);

/* The first finding of a kind that makes the graph unusable, as an error (E_TOSA_TYPE, E_TOSA_SHAPE,
 * E_TOSA_ATTRIBUTE … naming operator and label), or NULL. */
mlia_status *mlia_findings_status(const mlia_graph *graph, const mlia_findings *findings);

typedef struct mlia_input_shape {
    mlia_str name; /* tensor name or decimal position; empty: the only input */
    uint32_t rank;
    int64_t dims[MLIA_RANK_LIMIT];
} mlia_input_shape;

/* Parses "[NAME=]1x49x10x1" (also with commas). E_OPTION_VALUE. */
mlia_status *mlia_input_shape_parse(mlia_str text, mlia_input_shape *shape);

/* Fixes unknown dimensions: the given input shapes, then an unknown first dimension becomes 1 (one
 * W_TOSA_BATCH; with `assume` off E_TOSA_SHAPE); then propagates shapes in execution order, resolves -1 in
 * shape constants (splitting shared ones), and checks known dimensions. Shapes that are already complete stay
 * as they are unless an input shape was given. Errors: E_INPUT_SHAPE (no such input, given twice, rank
 * differs), E_TOSA_SHAPE or E_TOSA_ATTRIBUTE naming operator, label and place. */
mlia_status *mlia_graph_resolve_shapes(mlia_graph *graph, const mlia_input_shape *shapes, size_t shape_count,
                                       bool assume, mlia_diagnostics *diagnostics);

/* E_TOSA_SHAPE naming the first input or operator with a shape that is not known after that, or NULL. Texts
 * in `arena`. */
mlia_status *mlia_graph_require_shapes(const mlia_graph *graph, mlia_arena *arena);
/* E_TOSA_SHAPE or E_TOSA_ATTRIBUTE naming the first operator whose inputs do not fit its rule, or whose
 * result is another one than the rule gives. Unknown dimensions agree with all. */
mlia_status *mlia_graph_check_shapes(const mlia_graph *graph);

typedef struct mlia_inferred {
    bool known; /* false: cannot be inferred (CUSTOM, foreign): the stored shape counts */
    uint32_t rank;
    int64_t dims[MLIA_RANK_LIMIT];
    const int64_t *shape_values; /* shape results */
} mlia_inferred;

/* Result shapes of one operator from its inputs and attributes: `dims` of each output (rank in *rank).
 * E_TOSA_SHAPE / E_TOSA_ATTRIBUTE with the rule that is broken. Shape operators compute their values. */
mlia_status *mlia_operator_infer(const mlia_graph *graph, const mlia_operator *op, mlia_arena *arena,
                                 mlia_inferred *results);

/* Extensions of the specification. */
typedef enum mlia_extension {
#define X(name, text) MLIA_EXTENSION_##name,
#include "graph/extensions.def"
#undef X
    MLIA_EXTENSION_COUNT,
} mlia_extension;

/* "EXT-INT16". */
mlia_str mlia_extension_name(mlia_extension extension);

typedef struct mlia_requirements {
    bool integer;        /* PRO-INT */
    bool floating_point; /* PRO-FP */
    uint32_t extensions; /* bit n: mlia_extension n */
} mlia_requirements;

/* Smallest set of profiles and extensions that covers all operators; operators with types that no profile has
 * add nothing. */
mlia_requirements mlia_graph_requirements(const mlia_graph *graph);

/* Logical work of one operator (docs/formats/tosa.md): exact counts without padding to hardware blocks. */
typedef struct mlia_work {
    bool known;              /* false, and all else zero: CUSTOM, foreign, unknown dimensions, overflow */
    uint64_t macs;           /* one MAC = two operations */
    uint64_t operations;     /* other operations */
    uint64_t transcendental; /* EXP, LOG … evaluations, not in `operations` */
    uint64_t input_bytes;    /* logical bytes read, constants included */
    uint64_t output_bytes;
    uint64_t weight_bytes; /* of the constants among the inputs, packed */
} mlia_work;

/* Work of one operator. COND_IF and WHILE_LOOP depend on their regions: unknown here. */
mlia_work mlia_operator_work(const mlia_graph *graph, const mlia_operator *op);

/* Work of all operators, works[i] for operator i; COND_IF has the larger of its branches, WHILE_LOOP
 * condition and body once (how often they run is not in the file). The main graph's total is the sum over its
 * block's operators, without those inside regions. Fails only for memory. */
mlia_status *mlia_graph_work(const mlia_graph *graph, mlia_arena *arena, mlia_work *works);

#endif
