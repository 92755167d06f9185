/* Targets: the kinds of hardware a model is analysed for. A target selects rules, advice and default
 * backends; a profile (targets/profile.h) names one target and its configuration. */
#ifndef MLIA_TARGETS_TARGET_H
#define MLIA_TARGETS_TARGET_H

#include "result/result.h"

typedef struct mlia_target {
    mlia_str type;
    mlia_str description;
    mlia_str default_backends; /* ids, blank-separated */
    mlia_component component;  /* of profiles that name none */
} mlia_target;

size_t mlia_target_count(void);
const mlia_target *mlia_target_at(size_t index);
/* NULL when there is none. */
const mlia_target *mlia_target_find(mlia_str type);

#endif
