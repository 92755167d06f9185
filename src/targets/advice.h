/* Advice of the neural-technology target: what a person should do about a result, with the figures that say
 * so. Ids are stable (docs/output.md lists them). */
#ifndef MLIA_TARGETS_ADVICE_H
#define MLIA_TARGETS_ADVICE_H

#include "result/build.h"
#include "targets/compatibility.h"

/* Verdict on one source operator: the worst of its operators. */
typedef struct mlia_operator_verdict {
    mlia_entity_ref entity;
    mlia_str op_type; /* "CONV2D"; for operators that a conversion kept, their own: "UNIQUE" */
    mlia_compatibility_level level;
    bool is_kept;      /* a conversion found no TOSA form */
    bool is_custom;    /* runs as a shader of its own */
    bool beyond_level; /* exceeds level 8K */
    mlia_str detail;   /* of what exceeds the level */
} mlia_operator_verdict;

/* Advice of a compatibility result, from the verdicts on all operators. `next_command` is what to type when
 * all is well. Fails only for memory. */
mlia_status *mlia_advise_compatibility(mlia_result_builder *builder, mlia_arena *arena,
                                       const mlia_operator_verdict *verdicts, size_t count,
                                       mlia_str next_command);

#endif
