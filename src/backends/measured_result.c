/* From a measurement to entities and figures. Chains and cascades own figures; segments, operators, modules
 * and code get theirs by projection. */
#include "backends/measured_result.h"

#include <inttypes.h>

#include "backends/provenance.h"
#include "graph/location.h"
#include "measure/module.h"

typedef struct maker {
    const mlia_measurement *measurement;
    mlia_arena *arena;
    mlia_result_builder *builder;
    mlia_entity_ref *chains; /* by position in the measurement */
    mlia_entity_ref *cascades;
    mlia_entity_ref *segments;
    mlia_str counters[MLIA_COUNTERS_MAX]; /* "nx_active_cycles" by word; empty: no name */
    bool failed;                          /* out of memory */
} maker;

static mlia_str checked(maker *state, mlia_str text)
{
    state->failed |= text.data == NULL;
    return text;
}

static uint32_t segment_index(const maker *state, uint32_t segment)
{
    return state->measurement->segments[segment].pick->segment_index;
}

/* Chains and cascades. */

/* "Chain 7" for the ids "7" and "chain_7". */
static mlia_str short_id(mlia_str local, mlia_str prefix)
{
    bool has_prefix = local.size > prefix.size && mlia_str_starts_with(local, prefix);
    return has_prefix ? mlia_str_slice(local, prefix.size, SIZE_MAX) : local;
}

static void add_figures(maker *state, mlia_entity_ref entity, const mlia_measure_figures *figures)
{
    mlia_result_builder *builder = state->builder;
    mlia_breakdown_ref breakdown = mlia_result_add_breakdown(builder, entity, MLIA_STR_NONE, NULL);
    const mlia_str cycles = MLIA_STR("cycles");
    mlia_result_add_figure(builder, breakdown, MLIA_STR("total_cycles"), cycles,
                           (double)figures->total_cycles);
    mlia_result_add_figure(builder, breakdown, MLIA_STR("op_cycles"), cycles, (double)figures->op_cycles);
    for (uint32_t i = 0; figures->counted && i < state->measurement->layout->word_count; i++)
        if (state->counters[i].size)
            mlia_result_add_figure(builder, breakdown, state->counters[i], cycles, (double)figures->words[i]);
}

static mlia_entity_ref add_unit(maker *state, const mlia_measured_unit *unit, const char *kind,
                                const char *title, mlia_str prefix)
{
    const mlia_measure_pick *pick = state->measurement->segments[unit->segment].pick;
    mlia_str id = checked(state, mlia_arena_format(state->arena, "%s/segment_%" PRIu32 "/%.*s", kind,
                                                   pick->segment_index, MLIA_STR_ARG(unit->local)));
    mlia_str name =
        checked(state, mlia_arena_format(state->arena, "%.*s/%s %.*s", MLIA_STR_ARG(pick->segment_name),
                                         title, MLIA_STR_ARG(short_id(unit->local, prefix))));
    mlia_entity_ref entity = mlia_result_add_entity(state->builder, id, mlia_str_from_c(kind), name);
    mlia_result_set_placement(state->builder, entity, MLIA_STR("NX"));
    add_figures(state, entity, &unit->figures);
    return entity;
}

static void add_stripe_id(maker *state, mlia_value **lists, uint32_t unit, mlia_str stripe)
{
    if (lists[unit] == NULL)
        lists[unit] = mlia_value_array(state->arena);
    state->failed |= !mlia_value_add(state->arena, lists[unit], mlia_value_string(state->arena, stripe));
}

/* The attribute stripe_ids of chains and cascades, and the edges between them. */
static void add_stripes(maker *state)
{
    const mlia_measurement *measurement = state->measurement;
    mlia_value **chains = MLIA_NEW_ARRAY(state->arena, mlia_value *, measurement->chain_count);
    mlia_value **cascades = MLIA_NEW_ARRAY(state->arena, mlia_value *, measurement->cascade_count);
    state->failed |= chains == NULL || cascades == NULL;
    for (size_t s = 0; !state->failed && s < measurement->segment_count; s++) {
        const mlia_measured_segment *segment = &measurement->segments[s];
        for (size_t i = 0; !state->failed && i < segment->stripe_count; i++) {
            const mlia_measured_stripe *stripe = &segment->stripes[i];
            mlia_str id = checked(state, mlia_arena_format(state->arena, "%" PRIu32, stripe->index));
            add_stripe_id(state, chains, stripe->chain, id);
            add_stripe_id(state, cascades, stripe->cascade, id);
            mlia_result_add_edge(state->builder, state->cascades[stripe->cascade],
                                 state->chains[stripe->chain]);
        }
    }
    for (size_t i = 0; !state->failed && i < measurement->chain_count; i++)
        mlia_result_set_attribute(state->builder, state->chains[i], MLIA_STR("stripe_ids"), chains[i]);
    for (size_t i = 0; !state->failed && i < measurement->cascade_count; i++)
        mlia_result_set_attribute(state->builder, state->cascades[i], MLIA_STR("stripe_ids"), cascades[i]);
}

static void add_units(maker *state)
{
    const mlia_measurement *measurement = state->measurement;
    state->chains = MLIA_NEW_ARRAY(state->arena, mlia_entity_ref, measurement->chain_count);
    state->cascades = MLIA_NEW_ARRAY(state->arena, mlia_entity_ref, measurement->cascade_count);
    state->failed |= state->chains == NULL || state->cascades == NULL;
    for (size_t i = 0; !state->failed && i < measurement->chain_count; i++)
        state->chains[i] = add_unit(state, &measurement->chains[i], "chain", "Chain", MLIA_STR("chain_"));
    for (size_t i = 0; !state->failed && i < measurement->cascade_count; i++)
        state->cascades[i] =
            add_unit(state, &measurement->cascades[i], "cascade", "Cascade", MLIA_STR("cascade_"));
    if (!state->failed)
        add_stripes(state);
}

/* Operators. */

static mlia_str source_id(maker *state, uint32_t segment, uint32_t id)
{
    return checked(state,
                   mlia_arena_format(state->arena, "source_operator/segment_%" PRIu32 "/spirv-%" PRIu32,
                                     segment_index(state, segment), id));
}

/* The operator of one source id, new if needed: who is met again keeps its name and attributes. */
static mlia_entity_ref add_source(maker *state, mlia_str id, const mlia_measured_operator *op)
{
    mlia_entity_ref entity = mlia_result_find_entity(state->builder, id);
    if (entity != MLIA_NO_ENTITY)
        return entity;
    entity = mlia_result_add_entity(state->builder, id, MLIA_STR("source_operator"), op->name);
    mlia_result_set_placement(state->builder, entity, MLIA_STR("NX"));
    mlia_result_set_attribute(state->builder, entity, MLIA_STR("operator_types"), op->types);
    return entity;
}

static void add_operator(maker *state, size_t chain, size_t position)
{
    const mlia_measured_unit *unit = &state->measurement->chains[chain];
    const mlia_measured_operator *op =
        &state->measurement->segments[unit->segment].operators[unit->operators[position]];
    mlia_entity_ref holder = state->chains[chain];
    if (op->source_count == 0)
        return;
    if (op->source_count > 1) {
        mlia_str id = checked(state, mlia_arena_format(state->arena,
                                                       "performance_group/segment_%" PRIu32 "/chain_%.*s/%zu",
                                                       segment_index(state, unit->segment),
                                                       MLIA_STR_ARG(unit->local), position));
        holder = mlia_result_add_entity(state->builder, id, MLIA_STR("performance_group"), op->name);
        mlia_result_set_attribute(state->builder, holder, MLIA_STR("operator_types"), op->types);
        mlia_result_add_edge(state->builder, state->chains[chain], holder);
    }
    for (size_t i = 0; i < op->source_count; i++)
        mlia_result_add_edge(state->builder, holder,
                             add_source(state, source_id(state, unit->segment, op->source_ids[i]), op));
}

/* Modules and call paths of an operator's labels. */
static void add_paths(maker *state, uint32_t segment, const mlia_measured_operator *op)
{
    for (size_t i = 0; i < op->path_count; i++) {
        for (size_t k = 0; k < op->source_count && !state->failed; k++) {
            mlia_entity_ref source =
                mlia_result_find_entity(state->builder, source_id(state, segment, op->source_ids[k]));
            mlia_status *status =
                mlia_provenance_add_paths(state->builder, &op->paths[i], source, state->arena);
            state->failed |= status != NULL;
            mlia_status_free(status);
        }
    }
}

/* Segments. */

/* What a person calls an operator by its debug name. */
static mlia_str presentation_name(maker *state, mlia_str name)
{
    mlia_source source = {0};
    if (name.size == 0 || name.data[0] != '{')
        return name;
    mlia_status *status = mlia_location_decode(state->arena, name, &source);
    state->failed |= status != NULL;
    mlia_status_free(status);
    if (source.operator_name.size)
        return source.operator_name;
    return source.label.size ? source.label : name;
}

static void add_segment(maker *state, uint32_t position)
{
    const mlia_measured_segment *segment = &state->measurement->segments[position];
    mlia_str id =
        checked(state, mlia_arena_format(state->arena, "segment/%" PRIu32, segment->pick->segment_index));
    mlia_entity_ref entity =
        mlia_result_add_entity(state->builder, id, MLIA_STR("segment"), segment->pick->segment_name);
    state->segments[position] = entity;
    for (size_t i = 0; i < segment->operator_count; i++)
        add_paths(state, position, &segment->operators[i]);
    const struct mlia_measured_module *module = segment->module;
    for (size_t i = 0; i < module->count; i++) {
        mlia_str source = source_id(state, position, module->ids[i]);
        if (mlia_result_find_entity(state->builder, source) != MLIA_NO_ENTITY)
            continue;
        mlia_str name = module->names[i].size ? presentation_name(state, module->names[i]) : source;
        mlia_result_add_edge(
            state->builder, entity,
            mlia_result_add_entity(state->builder, source, MLIA_STR("source_operator"), name));
    }
}

static void add_segments(maker *state)
{
    const mlia_measurement *measurement = state->measurement;
    state->segments = MLIA_NEW_ARRAY(state->arena, mlia_entity_ref, measurement->segment_count);
    state->failed |= state->segments == NULL;
    for (uint32_t i = 0; !state->failed && i < measurement->segment_count; i++)
        add_segment(state, i);
    for (size_t i = 0; !state->failed && i < measurement->cascade_count; i++)
        mlia_result_add_edge(state->builder, state->segments[measurement->cascades[i].segment],
                             state->cascades[i]);
}

/* Metrics and warnings. */

static void add_metrics(maker *state)
{
    static const struct {
        mlia_str name;
        mlia_str unit;
    } missing[] = {
        {MLIA_STR_INIT("cache_cycles"), MLIA_STR_INIT("cycles")},
        {MLIA_STR_INIT("dram_cycles"), MLIA_STR_INIT("cycles")},
        {MLIA_STR_INIT("compiled_size"), MLIA_STR_INIT("bytes")},
        {MLIA_STR_INIT("cache_read_bytes"), MLIA_STR_INIT("bytes")},
        {MLIA_STR_INIT("cache_write_bytes"), MLIA_STR_INIT("bytes")},
        {MLIA_STR_INIT("dram_read_bytes"), MLIA_STR_INIT("bytes")},
        {MLIA_STR_INIT("dram_write_bytes"), MLIA_STR_INIT("bytes")},
        {MLIA_STR_INIT("dram_footprint"), MLIA_STR_INIT("bytes")},
    };
    const mlia_str reason = MLIA_STR("The capture does not contain this value.");
    uint64_t op = 0;
    uint64_t total = 0;
    for (size_t i = 0; i < state->measurement->segment_count; i++) {
        op = mlia_measure_add(op, state->measurement->segments[i].op_cycles);
        total = mlia_measure_add(total, state->measurement->segments[i].total_cycles);
    }
    double utilization = total ? (double)op / (double)total * 100 : 0;
    mlia_result_builder *builder = state->builder;
    mlia_result_add_metric(builder,
                           mlia_metric_number(MLIA_STR("target_utilization"), MLIA_STR("%"), utilization));
    mlia_result_add_metric(
        builder, mlia_metric_unavailable(MLIA_STR("infs_per_sec"), MLIA_STR("inferences/s"), reason));
    mlia_result_add_metric(builder,
                           mlia_metric_number(MLIA_STR("total_cycles"), MLIA_STR("cycles"), (double)total));
    mlia_result_add_metric(builder,
                           mlia_metric_number(MLIA_STR("compute_cycles"), MLIA_STR("cycles"), (double)op));
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        mlia_result_add_metric(builder, mlia_metric_unavailable(missing[i].name, missing[i].unit, reason));
}

static void add_warnings(maker *state)
{
    const mlia_capture *capture = state->measurement->capture;
    for (uint32_t i = 0; i < capture->warning_count; i++)
        mlia_result_add_warning(state->builder, "%.*s", MLIA_STR_ARG(capture->warnings[i]));
    for (size_t i = 0; i < MLIA_MEASURE_NOTES; i++) {
        if (state->measurement->notes[i].count == 0)
            continue;
        mlia_str text = checked(state, mlia_measure_note_text(&state->measurement->notes[i], state->arena));
        mlia_result_add_warning(state->builder, "%.*s", MLIA_STR_ARG(text));
    }
}

mlia_status *mlia_measured_result(const mlia_measurement *measurement, mlia_arena *arena,
                                  mlia_result_builder *builder)
{
    maker state = {.measurement = measurement, .arena = arena, .builder = builder};
    const mlia_statistics_layout *layout = measurement->layout;
    for (uint32_t i = 0; i < layout->word_count; i++)
        if (layout->names[i].size)
            state.counters[i] = checked(&state, mlia_arena_format(arena, "%s_cycles", layout->names[i].data));
    mlia_result_set_mode(builder, MLIA_RESULT_MODE_MEASURED);
    mlia_result_declare_nx_kinds(builder);
    add_warnings(&state);
    add_metrics(&state);
    add_units(&state);
    for (size_t i = 0; !state.failed && i < measurement->chain_count; i++)
        for (size_t k = 0; k < measurement->chains[i].operator_count; k++)
            add_operator(&state, i, k);
    if (!state.failed)
        add_segments(&state);
    return state.failed ? mlia_error_memory() : NULL;
}
