/* The rules of each operator as data: operand patterns and type rows. Private to the graph room. */
#ifndef MLIA_GRAPH_RULES_H
#define MLIA_GRAPH_RULES_H

#include "graph/analyse.h"

enum { MLIA_TYPE_VARIABLES = 4 };

typedef enum mlia_profile {
    MLIA_PROFILE_NONE,
    MLIA_PROFILE_INT,
    MLIA_PROFILE_FP,
    MLIA_PROFILE_EITHER
} mlia_profile;

typedef struct mlia_type_row {
    uint8_t profile;     /* mlia_profile */
    uint32_t extensions; /* bit n: extension n is needed */
    uint8_t types[MLIA_TYPE_VARIABLES];
} mlia_type_row;

/* One row of rules.def. */
typedef struct mlia_op_rule {
    const char *ranks;
    const char *constants;
    const char *types;   /* inputs, up to '>' */
    const char *results; /* outputs */
    char accumulator;    /* 'a' to 'd', or '\0' */
    const mlia_type_row *rows;
    uint32_t row_count;
} mlia_op_rule;

/* Rule of an operator 1-100. */
mlia_op_rule mlia_op_rule_of(uint32_t op);

/* Character of `pattern` for position `index` of `count`. The pattern ends at '\0', '>' or '/', and must fit:
 * mlia_pattern_fits. */
char mlia_pattern_at(const char *pattern, uint32_t index, uint32_t count);
bool mlia_pattern_fits(const char *pattern, uint32_t count);

/* The types of an operator's operands against its pattern and rows. */
typedef struct mlia_typing {
    const mlia_type_row *row; /* the row that fits, or NULL */
    uint8_t types[MLIA_TYPE_VARIABLES];
    uint32_t bad_operand; /* operand that contradicts the pattern (another type than its partner, or than the
                             fixed one), counted on over the outputs; MLIA_NONE when there is none */
    uint8_t expected;     /* the type it should have */
} mlia_typing;

/* True when the numbers and kinds of the operands fit and the attributes are there: what everything else here
 * and the shape rules rely on. */
bool mlia_operator_well_formed(const mlia_graph *graph, const mlia_operator *op);

/* The operator must be well-formed. */
mlia_typing mlia_operator_typing(const mlia_graph *graph, const mlia_operator *op);

#endif
