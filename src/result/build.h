/* Making a result: add entities, edges, figures, checks and advice in any order, then finish.
 *
 *     mlia_result_builder *b = mlia_result_builder_new(arena, MLIA_RESULT_PERFORMANCE,
 * MLIA_STR("nx-performance-estimator")); mlia_result_declare_nx_kinds(b); mlia_entity_ref chain =
 * mlia_result_add_entity(b, chain_id, MLIA_STR("chain"), chain_name); mlia_result_add_edge(b, cascade,
 * chain); mlia_breakdown_ref figures = mlia_result_add_breakdown(b, chain, MLIA_STR_NONE, NULL);
 *     mlia_result_add_figure(b, figures, MLIA_STR("total_cycles"), MLIA_STR("cycles"), 9569);
 *     MLIA_TRY(mlia_result_finish(b, NULL, diagnostics, &result));
 *
 * Adding never fails visibly: running out of memory is remembered and returned by finish. Texts and values
 * are not copied and must live as long as the arena. Adding costs O(1) (entities: one hash of the id).
 */
#ifndef MLIA_RESULT_BUILD_H
#define MLIA_RESULT_BUILD_H

#include "base/diagnostics.h"
#include "result/result.h"

typedef struct mlia_result_builder mlia_result_builder;
typedef uint32_t mlia_entity_ref;
typedef uint32_t mlia_breakdown_ref;

#define MLIA_NO_ENTITY UINT32_MAX

/* Largest figure a document may hold: 2^53 - 1. */
#define MLIA_FIGURE_MAX 9007199254740991.0

/* NULL when out of memory: then every function below does nothing and finish returns E_MEMORY. */
mlia_result_builder *mlia_result_builder_new(mlia_arena *arena, mlia_result_kind kind, mlia_str producer);

/* Default: ok, or failed when there are errors; the mode is absent. */
void mlia_result_set_status(mlia_result_builder *builder, mlia_result_status status);
void mlia_result_set_mode(mlia_result_builder *builder, mlia_result_mode mode);
/* Text lines of the result; equal texts are kept once. An error's text is "KIND: message". */
void mlia_result_add_warning(mlia_result_builder *builder, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void mlia_result_add_error(mlia_result_builder *builder, const mlia_status *status);

/* The entity with this id; a new one when there is none yet (an existing one keeps its kind and name). */
mlia_entity_ref mlia_result_add_entity(mlia_result_builder *builder, mlia_str id, mlia_str kind,
                                       mlia_str name);
/* MLIA_NO_ENTITY when there is none. */
mlia_entity_ref mlia_result_find_entity(const mlia_result_builder *builder, mlia_str id);
/* In the functions below MLIA_NO_ENTITY is ignored. */
void mlia_result_set_placement(mlia_result_builder *builder, mlia_entity_ref entity, mlia_str placement);
void mlia_result_set_stack_trace(mlia_result_builder *builder, mlia_entity_ref entity, mlia_str text);
/* A name set twice keeps the last value. */
void mlia_result_set_attribute(mlia_result_builder *builder, mlia_entity_ref entity, mlia_str name,
                               mlia_value *value);
/* Written on both sides; equal edges count once. */
void mlia_result_add_edge(mlia_result_builder *builder, mlia_entity_ref parent, mlia_entity_ref child);

/* Declares a kind (once) and an allowed edge between two kinds; a well-known kind is not declared, and the
 * edge is written at the side that is. */
void mlia_result_declare_kind(mlia_result_builder *builder, mlia_str kind);
void mlia_result_declare_kind_edge(mlia_result_builder *builder, mlia_str parent, mlia_str child);
/* segment, cascade, chain, performance_group and nn_module with their edges. Stripes and delegate calls are
 * declared by those who have them: mlia_result_declare_kind_edge(b, "chain", "stripe"). */
void mlia_result_declare_nx_kinds(mlia_result_builder *builder);

/* A numeric or an unavailable metric. A value above 2^53 - 1 or not finite gives an unavailable one; adding
 * it raises a warning of the result. */
mlia_metric mlia_metric_number(mlia_str name, mlia_str unit, double value);
mlia_metric mlia_metric_unavailable(mlia_str name, mlia_str unit, mlia_str reason);

/* A metric of the whole model. The eight standard ones may be added in any order: finish puts them first and
 * adds the missing ones as unavailable with their fixed reason (performance results that are ok or partial).
 */
void mlia_result_add_metric(mlia_result_builder *builder, mlia_metric metric);

/* A new authoritative breakdown of an entity; `suffix` tells several of one entity apart (id ENTITY#SUFFIX),
 * empty for the usual single one. `qualifiers` object or NULL. */
mlia_breakdown_ref mlia_result_add_breakdown(mlia_result_builder *builder, mlia_entity_ref entity,
                                             mlia_str suffix, const mlia_value *qualifiers);
/* A figure with aggregation `sum` / any metric. */
void mlia_result_add_figure(mlia_result_builder *builder, mlia_breakdown_ref breakdown, mlia_str name,
                            mlia_str unit, double value);
void mlia_result_add_breakdown_metric(mlia_result_builder *builder, mlia_breakdown_ref breakdown,
                                      mlia_metric metric);

/* id: usually "nx_support_" + entity id. `details` object or NULL. */
void mlia_result_add_check(mlia_result_builder *builder, mlia_str id, mlia_check_status status,
                           mlia_entity_ref entity, const mlia_value *details);

/* `entities` are copied (count may be 0). */
void mlia_result_add_advice(mlia_result_builder *builder, mlia_str id, mlia_advice_category category,
                            mlia_advice_severity severity, mlia_str message, const mlia_entity_ref *entities,
                            size_t entity_count, const mlia_value *details);

/* One collapse rule: entities of `kind` whose string attribute matches one of `globs` disappear. */
typedef struct mlia_collapse_rule {
    mlia_str kind;
    mlia_str attribute;
    const mlia_str *globs;
    size_t glob_count;
} mlia_collapse_rule;

typedef struct mlia_collapse_rules {
    const mlia_collapse_rule *items;
    size_t count;
} mlia_collapse_rules;

/* The rules of the neural-technology target: framework frames of torch and executorch. */
extern const mlia_collapse_rules mlia_collapse_nx;

/* Ends the building: rules R1-R5, collapse (`rules` NULL = mlia_collapse_nx), code lines, projection, order,
 * rules again. `diagnostics` (may be NULL) gets W_COLLAPSE, W_PROJECTION_BUDGET,
 * W_VALUE_LIMIT and W_TEXT_ENCODING. The builder is spent.
 * Errors: E_MEMORY; E_DOCUMENT with rule, path and text of the first fault. */
mlia_status *mlia_result_finish(mlia_result_builder *builder, const mlia_collapse_rules *rules,
                                mlia_diagnostics *diagnostics, mlia_result *result);

/* The same stages for a result that comes from elsewhere (a document, a plug-in). `arena` gets all new
 * memory. */
mlia_status *mlia_result_postprocess(mlia_arena *arena, const mlia_collapse_rules *rules,
                                     mlia_diagnostics *diagnostics, mlia_result *result);

#endif
