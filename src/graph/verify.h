/* The parts of the verifier. Private to the graph room. */
#ifndef MLIA_GRAPH_VERIFY_H
#define MLIA_GRAPH_VERIFY_H

#include "graph/infer.h"

typedef struct mlia_verifier {
    const mlia_graph *graph;
    mlia_arena *arena;   /* texts of findings */
    mlia_arena *scratch; /* everything else */
    mlia_findings *findings;
    uint32_t index; /* operator that is being looked at */
    const mlia_operator *op;
} mlia_verifier;

/* Adds a finding on the current operator: "NAME: text", or "NAMEtext" when the text begins with a blank. */
mlia_status *mlia_verify_add(mlia_verifier *verifier, mlia_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Types against the rows. The operator must be well-formed, also for the two below. */
mlia_status *mlia_verify_types(mlia_verifier *verifier);
/* Attributes, zero points and operands that must be constant, as far as they are not part of the shape rules.
 */
mlia_status *mlia_verify_attributes(mlia_verifier *verifier);
/* Limits of level 8K. */
mlia_status *mlia_verify_level(mlia_verifier *verifier);

#endif
