/* The builder: entities as they come, edges as pairs, everything put into document form by finish. */
#include "result/build.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "result/check.h"
#include "result/order.h"

struct mlia_result_builder {
    mlia_arena *arena;
    mlia_result result;
    mlia_map ids;
    mlia_map kinds; /* declared kind → position in entity_kinds */
    mlia_edges edges;
    size_t over_limit; /* figures above 2^53 - 1 */
    bool failed;
};

mlia_result_builder *mlia_result_builder_new(mlia_arena *arena, mlia_result_kind kind, mlia_str producer)
{
    mlia_result_builder *builder = MLIA_NEW(arena, mlia_result_builder);
    if (builder == NULL)
        return NULL;
    builder->arena = arena;
    builder->result.kind = kind;
    builder->result.producer = producer;
    builder->ids = mlia_map_in(arena);
    builder->kinds = mlia_map_in(arena);
    return builder;
}

/* Can the builder still take something? */
static bool is_usable(const mlia_result_builder *builder)
{
    return builder != NULL && !builder->failed;
}

static mlia_entity *entity_of(mlia_result_builder *builder, mlia_entity_ref entity)
{
    if (!is_usable(builder) || entity >= builder->result.entities.count)
        return NULL;
    return &builder->result.entities.items[entity];
}

#define ADD(builder, list, ...)                                                                              \
    do {                                                                                                     \
        if (!MLIA_APPEND((builder)->arena, (list), __VA_ARGS__))                                             \
            (builder)->failed = true;                                                                        \
    } while (0)

void mlia_result_set_status(mlia_result_builder *builder, mlia_result_status status)
{
    if (is_usable(builder))
        builder->result.status = status;
}

void mlia_result_set_mode(mlia_result_builder *builder, mlia_result_mode mode)
{
    if (is_usable(builder))
        builder->result.mode = mode;
}

void mlia_result_add_warning(mlia_result_builder *builder, const char *format, ...)
{
    if (!is_usable(builder))
        return;
    va_list arguments;
    char text[2048];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mlia_str line = mlia_str_from_c(text);
    line.size = mlia_utf8_cut(line, sizeof text - 1);
    line = mlia_arena_str(builder->arena, line);
    if (line.data == NULL)
        builder->failed = true;
    else
        ADD(builder, builder->result.warnings, line);
}

void mlia_result_add_error(mlia_result_builder *builder, const mlia_status *status)
{
    if (!is_usable(builder) || status == NULL)
        return;
    mlia_str line = mlia_arena_format(builder->arena, "%s: %.*s", mlia_kind_name(mlia_status_kind(status)),
                                      MLIA_STR_ARG(mlia_status_message(status)));
    if (line.data == NULL)
        builder->failed = true;
    else
        ADD(builder, builder->result.errors, line);
}

mlia_entity_ref mlia_result_add_entity(mlia_result_builder *builder, mlia_str id, mlia_str kind,
                                       mlia_str name)
{
    if (!is_usable(builder))
        return MLIA_NO_ENTITY;
    bool is_new;
    uint32_t *ref = mlia_map_insert(&builder->ids, id, (uint32_t)builder->result.entities.count, &is_new);
    if (ref == NULL)
        builder->failed = true;
    else if (is_new)
        ADD(builder, builder->result.entities, (mlia_entity){.id = id, .kind = kind, .name = name});
    return builder->failed ? MLIA_NO_ENTITY : *ref;
}

mlia_entity_ref mlia_result_find_entity(const mlia_result_builder *builder, mlia_str id)
{
    const uint32_t *ref = is_usable(builder) ? mlia_map_find(&builder->ids, id) : NULL;
    return ref != NULL ? *ref : MLIA_NO_ENTITY;
}

void mlia_result_set_placement(mlia_result_builder *builder, mlia_entity_ref entity, mlia_str placement)
{
    mlia_entity *item = entity_of(builder, entity);
    if (item != NULL)
        item->placement = placement;
}

void mlia_result_set_stack_trace(mlia_result_builder *builder, mlia_entity_ref entity, mlia_str text)
{
    mlia_entity *item = entity_of(builder, entity);
    if (item != NULL)
        item->stack_trace = text;
}

void mlia_result_set_attribute(mlia_result_builder *builder, mlia_entity_ref entity, mlia_str name,
                               mlia_value *value)
{
    mlia_entity *item = entity_of(builder, entity);
    if (item == NULL)
        return;
    if (item->attributes == NULL)
        item->attributes = mlia_value_object(builder->arena);
    for (uint32_t i = 0; value != NULL && item->attributes != NULL && i < item->attributes->count; i++)
        if (mlia_str_equal(item->attributes->as.members[i].name, name)) {
            item->attributes->as.members[i].value = value;
            return;
        }
    if (!mlia_value_set(builder->arena, item->attributes, name, value))
        builder->failed = true;
}

void mlia_result_add_edge(mlia_result_builder *builder, mlia_entity_ref parent, mlia_entity_ref child)
{
    if (entity_of(builder, parent) != NULL && entity_of(builder, child) != NULL)
        ADD(builder, builder->edges, (mlia_edge){parent, child});
}

static bool is_well_known(mlia_str kind)
{
    for (uint32_t i = 0; i < MLIA_KIND_WELL_KNOWN; i++)
        if (mlia_str_equal(mlia_well_known_kinds[i], kind))
            return true;
    return false;
}

/* The declaration of a kind, made if there is none; NULL for well-known kinds or out of memory. */
static mlia_entity_kind *declaration(mlia_result_builder *builder, mlia_str kind)
{
    if (!is_usable(builder) || is_well_known(kind))
        return NULL;
    bool is_new;
    uint32_t *place =
        mlia_map_insert(&builder->kinds, kind, (uint32_t)builder->result.entity_kinds.count, &is_new);
    if (place == NULL) {
        builder->failed = true;
        return NULL;
    }
    if (is_new)
        ADD(builder, builder->result.entity_kinds, (mlia_entity_kind){.id = kind});
    return builder->failed ? NULL : &builder->result.entity_kinds.items[*place];
}

void mlia_result_declare_kind(mlia_result_builder *builder, mlia_str kind)
{
    (void)declaration(builder, kind);
}

static void add_kind_text(mlia_result_builder *builder, mlia_texts *kinds, mlia_str kind)
{
    for (size_t i = 0; i < kinds->count; i++)
        if (mlia_str_equal(kinds->items[i], kind))
            return;
    ADD(builder, *kinds, kind);
}

void mlia_result_declare_kind_edge(mlia_result_builder *builder, mlia_str parent, mlia_str child)
{
    mlia_entity_kind *upper = declaration(builder, parent);
    if (upper != NULL)
        add_kind_text(builder, &upper->child_kinds, child);
    mlia_entity_kind *lower = declaration(builder, child);
    if (lower != NULL)
        add_kind_text(builder, &lower->parent_kinds, parent);
}

void mlia_result_declare_nx_kinds(mlia_result_builder *builder)
{
    static const char *const kinds[] = {"segment", "cascade", "chain", "performance_group", "nn_module"};
    static const char *const edges[][2] = {
        {"segment", "cascade"},         {"segment", "source_operator"},
        {"cascade", "chain"},           {"chain", "source_operator"},
        {"chain", "performance_group"}, {"performance_group", "source_operator"},
        {"nn_module", "nn_module"},     {"nn_module", "source_operator"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        mlia_result_declare_kind(builder, mlia_str_from_c(kinds[i]));
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        mlia_result_declare_kind_edge(builder, mlia_str_from_c(edges[i][0]), mlia_str_from_c(edges[i][1]));
}

#define VALUE_LIMIT_REASON MLIA_STR("value exceeds 2^53-1")

mlia_metric mlia_metric_number(mlia_str name, mlia_str unit, double value)
{
    if (!isfinite(value) || fabs(value) > MLIA_FIGURE_MAX)
        return mlia_metric_unavailable(name, unit, VALUE_LIMIT_REASON);
    return (mlia_metric){.name = name, .unit = unit, .value = value};
}

mlia_metric mlia_metric_unavailable(mlia_str name, mlia_str unit, mlia_str reason)
{
    return (mlia_metric){.name = name, .unit = unit, .unavailable = true, .reason = reason};
}

/* The metric as it goes into the document: numbers out of range and unavailable ones lose what only numbers
 * may have. `where` is for the warning. */
static mlia_metric settled(mlia_result_builder *builder, mlia_metric metric, mlia_str where)
{
    if (!metric.unavailable && (!isfinite(metric.value) || fabs(metric.value) > MLIA_FIGURE_MAX))
        metric = (mlia_metric){.name = metric.name,
                               .unit = metric.unit,
                               .unavailable = true,
                               .reason = VALUE_LIMIT_REASON,
                               .qualifiers = metric.qualifiers};
    if (!metric.unavailable)
        return metric;
    if (mlia_str_equal(metric.reason, VALUE_LIMIT_REASON)) {
        builder->over_limit++;
        mlia_result_add_warning(builder, "%.*s of %.*s exceeds 2^53-1 and is not available",
                                MLIA_STR_ARG(metric.name), MLIA_STR_ARG(where));
    }
    metric.aggregation = MLIA_STR_NONE;
    metric.has_samples = false;
    return metric;
}

void mlia_result_add_metric(mlia_result_builder *builder, mlia_metric metric)
{
    if (is_usable(builder))
        ADD(builder, builder->result.metrics, settled(builder, metric, MLIA_STR("the model")));
}

mlia_breakdown_ref mlia_result_add_breakdown(mlia_result_builder *builder, mlia_entity_ref entity,
                                             mlia_str suffix, const mlia_value *qualifiers)
{
    const mlia_entity *item = entity_of(builder, entity);
    if (item == NULL)
        return MLIA_NO_ENTITY;
    mlia_str id = item->id;
    if (suffix.size > 0)
        id = mlia_arena_format(builder->arena, "%.*s#%.*s", MLIA_STR_ARG(id), MLIA_STR_ARG(suffix));
    if (id.data == NULL) {
        builder->failed = true;
        return MLIA_NO_ENTITY;
    }
    mlia_breakdown_ref breakdown = (mlia_breakdown_ref)builder->result.breakdowns.count;
    ADD(builder, builder->result.breakdowns,
        (mlia_breakdown){.id = id, .entity_id = item->id, .qualifiers = qualifiers});
    return breakdown;
}

void mlia_result_add_breakdown_metric(mlia_result_builder *builder, mlia_breakdown_ref breakdown,
                                      mlia_metric metric)
{
    if (!is_usable(builder) || breakdown >= builder->result.breakdowns.count)
        return;
    mlia_breakdown *item = &builder->result.breakdowns.items[breakdown];
    ADD(builder, item->metrics, settled(builder, metric, item->entity_id));
}

void mlia_result_add_figure(mlia_result_builder *builder, mlia_breakdown_ref breakdown, mlia_str name,
                            mlia_str unit, double value)
{
    mlia_metric metric = mlia_metric_number(name, unit, value);
    metric.aggregation = MLIA_STR("sum");
    mlia_result_add_breakdown_metric(builder, breakdown, metric);
}

void mlia_result_add_check(mlia_result_builder *builder, mlia_str id, mlia_check_status status,
                           mlia_entity_ref entity, const mlia_value *details)
{
    const mlia_entity *item = entity_of(builder, entity);
    if (item != NULL)
        ADD(builder, builder->result.checks,
            (mlia_check){.id = id, .status = status, .entity_id = item->id, .details = details});
}

void mlia_result_add_advice(mlia_result_builder *builder, mlia_str id, mlia_advice_category category,
                            mlia_advice_severity severity, mlia_str message, const mlia_entity_ref *entities,
                            size_t entity_count, const mlia_value *details)
{
    if (!is_usable(builder))
        return;
    mlia_advice advice = {
        .id = id, .category = category, .severity = severity, .message = message, .details = details};
    for (size_t i = 0; i < entity_count; i++) {
        const mlia_entity *item = entity_of(builder, entities[i]);
        if (item != NULL)
            ADD(builder, advice.affected_entity_ids, item->id);
    }
    ADD(builder, builder->result.advice, advice);
}

/* Breakdowns that never got a figure say nothing. */
static void drop_empty_breakdowns(mlia_result *result)
{
    size_t kept = 0;
    for (size_t i = 0; i < result->breakdowns.count; i++)
        if (result->breakdowns.items[i].metrics.count > 0)
            result->breakdowns.items[kept++] = result->breakdowns.items[i];
    result->breakdowns.count = kept;
}

/* Edges as id lists of both sides. */
static void write_edges(mlia_result_builder *builder)
{
    mlia_edges_normalise(&builder->edges);
    for (size_t i = 0; i < builder->edges.count; i++) {
        mlia_entity *parent = &builder->result.entities.items[builder->edges.items[i].from];
        mlia_entity *child = &builder->result.entities.items[builder->edges.items[i].to];
        ADD(builder, parent->child_ids, child->id);
        ADD(builder, child->parent_ids, parent->id);
    }
}

static void add_missing_standard_metrics(mlia_result_builder *builder)
{
    for (size_t i = 0; i < MLIA_STANDARD_METRIC_COUNT; i++) {
        const mlia_standard_metric *standard = &mlia_standard_metrics[i];
        if (mlia_metrics_find(&builder->result.metrics, standard->name) == NULL)
            ADD(builder, builder->result.metrics,
                mlia_metric_unavailable(standard->name, standard->unit, standard->reason));
    }
}

/* Things that went another way than the producer meant. */
static void warn(const mlia_result_builder *builder, mlia_diagnostics *diagnostics)
{
    if (builder->over_limit > 0)
        mlia_warn(diagnostics, MLIA_W_VALUE_LIMIT, "%zu figures exceed 2^53-1 and are not available",
                  builder->over_limit);
    for (size_t i = 0; i < builder->result.entities.count; i++) {
        const mlia_entity *entity = &builder->result.entities.items[i];
        if (mlia_utf8_valid(entity->id) && mlia_utf8_valid(entity->name))
            continue;
        mlia_warn(diagnostics, MLIA_W_TEXT_ENCODING,
                  "names that are not UTF-8, as that of '%.*s', are written with U+FFFD",
                  MLIA_STR_ARG(entity->id));
        return;
    }
}

mlia_status *mlia_result_finish(mlia_result_builder *builder, const mlia_collapse_rules *rules,
                                mlia_diagnostics *diagnostics, mlia_result *result)
{
    if (!is_usable(builder))
        return mlia_error_memory();
    mlia_result *made = &builder->result;
    if (made->status == MLIA_RESULT_STATUS_NONE)
        made->status = made->errors.count > 0 ? MLIA_RESULT_STATUS_FAILED : MLIA_RESULT_STATUS_OK;
    warn(builder, diagnostics);
    drop_empty_breakdowns(made);
    write_edges(builder);
    if (made->kind == MLIA_RESULT_PERFORMANCE &&
        (made->status == MLIA_RESULT_STATUS_OK || made->status == MLIA_RESULT_STATUS_PARTIAL))
        add_missing_standard_metrics(builder);
    if (builder->failed)
        return mlia_error_memory();
    MLIA_TRY(mlia_result_postprocess(builder->arena, rules, diagnostics, made));
    *result = *made;
    return NULL;
}
