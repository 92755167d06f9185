/* The order of everything in a document (docs/output.md): same content, same bytes. */
#ifndef MLIA_RESULT_ORDER_H
#define MLIA_RESULT_ORDER_H

#include "base/status.h"
#include "result/result.h"

/* Rank of an entity kind: outer things first, source operators last. */
unsigned mlia_kind_rank(mlia_str kind);

/* Order of entities: rank, then (other kinds) name of the kind, then id in natural order. */
int mlia_entity_compare(const mlia_entity *a, const mlia_entity *b);

/* The eight standard performance metrics, in their order. */
enum { MLIA_STANDARD_METRIC_COUNT = 8 };
typedef struct mlia_standard_metric {
    mlia_str name;
    mlia_str unit;
    mlia_str reason; /* when it is not available */
} mlia_standard_metric;
extern const mlia_standard_metric mlia_standard_metrics[MLIA_STANDARD_METRIC_COUNT];
/* Position in the table, or MLIA_STANDARD_METRIC_COUNT. */
unsigned mlia_standard_metric_rank(mlia_str name);

/* Compact JSON with members sorted by name; {} for NULL. data is NULL when out of memory. Two qualifiers are
 * the same if and only if their keys are. */
mlia_str mlia_value_key(mlia_arena *arena, const mlia_value *value);

/* Sorts the members of an object by name (not of the objects inside). */
void mlia_value_sort_members(mlia_value *object);

/* Sorts entities, edges, breakdowns, metrics of the model, checks and advice of a result; repeated edges and
 * texts of warnings and errors are dropped. */
mlia_status *mlia_result_order(mlia_result *result);

#endif
