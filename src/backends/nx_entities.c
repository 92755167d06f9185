/* Entities and breakdowns of an estimate: segments, cascades, chains, performance groups and the operators
 * they hold, with the figures of cascades and chains. */
#include <inttypes.h>

#include "backends/nx_estimate.h"

mlia_str mlia_nx_segment_name(const mlia_nx_report *report, uint32_t segment)
{
    const mlia_estimate_segment *s = &report->estimate->segments[segment];
    return s->name.size > 0 ? s->name : mlia_arena_format(report->arena, "segment %u", s->index);
}

mlia_str mlia_nx_chain_name(const mlia_nx_report *report, uint32_t segment, const mlia_estimate_chain *chain)
{
    mlia_str name = mlia_nx_segment_name(report, segment);
    return mlia_arena_format(report->arena, "%.*s/Chain %" PRIu64, MLIA_STR_ARG(name), chain->id);
}

static void add_figure(mlia_nx_report *report, mlia_breakdown_ref breakdown, mlia_str name,
                       const char *suffix, const char *unit, uint64_t value)
{
    mlia_str full = mlia_arena_format(report->arena, "%.*s%s", MLIA_STR_ARG(name), suffix);
    mlia_result_add_figure(report->builder, breakdown, full, mlia_str_from_c(unit), (double)value);
}

static void add_figures(mlia_nx_report *report, mlia_entity_ref entity, const mlia_cost *cost)
{
    mlia_breakdown_ref b = mlia_result_add_breakdown(report->builder, entity, MLIA_STR_NONE, NULL);
    add_figure(report, b, MLIA_STR("total"), "_cycles", "cycles", cost->total_cycles);
    add_figure(report, b, MLIA_STR("op"), "_cycles", "cycles", cost->op_cycles);
    for (mlia_memory m = 0; m < MLIA_MEMORY_COUNT; m++) {
        if (!report->memories[m])
            continue;
        add_figure(report, b, mlia_memory_metric(m), "_read_bytes", "bytes", cost->memories[m].read_bytes);
        add_figure(report, b, mlia_memory_metric(m), "_write_bytes", "bytes", cost->memories[m].write_bytes);
        add_figure(report, b, mlia_memory_metric(m), "_traffic_cycles", "cycles", cost->memories[m].cycles);
    }
    for (mlia_section s = 0; s < MLIA_SECTION_COUNT; s++)
        add_figure(report, b, mlia_section_metric(s), "_cycles", "cycles", cost->sections[s]);
}

static mlia_status *set_attribute(mlia_nx_report *report, mlia_entity_ref entity, mlia_str name,
                                  mlia_value *value)
{
    MLIA_TRY_ALLOC(value);
    mlia_result_set_attribute(report->builder, entity, name, value);
    return NULL;
}

/* Attribute stripe_ids: the ids of `count` stripes as texts. */
static mlia_status *set_stripes(mlia_nx_report *report, mlia_entity_ref entity,
                                const mlia_estimate_stripe *stripes, uint32_t count)
{
    mlia_value *list = mlia_value_array(report->arena);
    MLIA_TRY_ALLOC(list);
    for (uint32_t i = 0; i < count; i++) {
        mlia_str id = mlia_arena_format(report->arena, "%" PRIu64, stripes[i].id);
        MLIA_TRY_ALLOC(id.data);
        if (!mlia_value_add(report->arena, list, mlia_value_string(report->arena, id)))
            return mlia_error_memory();
    }
    return set_attribute(report, entity, MLIA_STR("stripe_ids"), list);
}

static mlia_str placement_of(const mlia_nx_report *report, uint32_t segment, uint32_t operator_index)
{
    return mlia_compatibility_placement(report->levels[segment][operator_index]);
}

static mlia_status *add_operators(mlia_nx_report *report, uint32_t segment, const mlia_estimate_chain *chain,
                                  mlia_entity_ref entity, bool *on_nx)
{
    const mlia_estimate_segment *s = &report->estimate->segments[segment];
    const mlia_entity_ref *operators = report->provenance[segment].operators;
    for (uint32_t g = 0; g < chain->group_count; g++) {
        const mlia_estimate_group *group = &chain->groups[g];
        mlia_entity_ref parent = entity;
        if (group->operator_count > 1) {
            mlia_str id = mlia_arena_format(
                report->arena, "performance_group/segment_%u/chain_%" PRIu64 "/%u", s->index, chain->id, g);
            mlia_str name = mlia_nx_chain_name(report, segment, chain);
            name = mlia_arena_format(report->arena, "%.*s/Group %u", MLIA_STR_ARG(name), g);
            MLIA_TRY_ALLOC(id.data);
            MLIA_TRY_ALLOC(name.data);
            parent = mlia_result_add_entity(report->builder, id, MLIA_STR("performance_group"), name);
            mlia_result_add_edge(report->builder, entity, parent);
        }
        for (uint32_t i = 0; i < group->operator_count; i++) {
            mlia_entity_ref child = operators[group->operators[i]];
            *on_nx = *on_nx || report->levels[segment][group->operators[i]] == MLIA_LEVEL_TOSA;
            mlia_result_add_edge(report->builder, parent, child);
            mlia_result_set_placement(report->builder, child,
                                      placement_of(report, segment, group->operators[i]));
        }
    }
    return NULL;
}

/* Attribute roofline: work for each DRAM byte and for each cycle; only of chains that multiply. */
static mlia_status *set_roofline(mlia_nx_report *report, mlia_entity_ref entity,
                                 const mlia_estimate_chain *chain)
{
    mlia_arena *arena = report->arena;
    const mlia_traffic *dram = &chain->cost.memories[MLIA_MEMORY_DRAM];
    double bytes = (double)dram->read_bytes + (double)dram->write_bytes;
    if (chain->macs == 0 || bytes <= 0 || chain->cost.total_cycles == 0)
        return NULL;
    mlia_value *roofline = mlia_value_object(arena);
    bool done =
        roofline != NULL &&
        mlia_value_set(arena, roofline, MLIA_STR("macs_per_cycle"),
                       mlia_value_number(arena, (double)chain->macs / (double)chain->cost.total_cycles)) &&
        mlia_value_set(arena, roofline, MLIA_STR("macs_per_dram_byte"),
                       mlia_value_number(arena, (double)chain->macs / bytes));
    return done ? set_attribute(report, entity, MLIA_STR("roofline"), roofline) : mlia_error_memory();
}

/* What decides the chain's cycles, and how far the next limit is. */
static mlia_status *set_bound(mlia_nx_report *report, mlia_entity_ref entity,
                              const mlia_estimate_chain *chain)
{
    mlia_arena *arena = report->arena;
    MLIA_TRY(set_attribute(report, entity, MLIA_STR("bound"),
                           mlia_value_string(arena, mlia_bound_name(chain->bound))));
    MLIA_TRY(set_attribute(report, entity, MLIA_STR("bound_cycles"),
                           mlia_value_integer(arena, (int64_t)chain->bound_cycles)));
    return set_attribute(report, entity, MLIA_STR("next_bound_cycles"),
                         mlia_value_integer(arena, (int64_t)chain->next_cycles));
}

static mlia_status *add_chain(mlia_nx_report *report, uint32_t segment, uint32_t index,
                              mlia_entity_ref cascade, bool *on_nx)
{
    const mlia_estimate_segment *s = &report->estimate->segments[segment];
    const mlia_estimate_chain *chain = &s->chains[index];
    mlia_str id = mlia_arena_format(report->arena, "chain/segment_%u/%" PRIu64, s->index, chain->id);
    mlia_str name = mlia_nx_chain_name(report, segment, chain);
    MLIA_TRY_ALLOC(id.data);
    MLIA_TRY_ALLOC(name.data);
    mlia_entity_ref entity = mlia_result_add_entity(report->builder, id, MLIA_STR("chain"), name);
    report->chains[segment][index] = entity;
    mlia_result_add_edge(report->builder, cascade, entity);
    bool nx = false;
    MLIA_TRY(add_operators(report, segment, chain, entity, &nx));
    *on_nx = *on_nx || nx;
    mlia_result_set_placement(report->builder, entity, nx ? MLIA_STR("NX") : MLIA_STR("GPU"));
    MLIA_TRY(set_bound(report, entity, chain));
    if (!report->external) {
        MLIA_TRY(set_attribute(report, entity, MLIA_STR("confidence"),
                               mlia_value_string(report->arena, mlia_confidence_name(chain->confidence))));
        MLIA_TRY(set_attribute(report, entity, MLIA_STR("macs"),
                               mlia_value_integer(report->arena, (int64_t)chain->macs)));
        MLIA_TRY(set_roofline(report, entity, chain));
    }
    MLIA_TRY(set_stripes(report, entity, &s->stripes[chain->first_stripe], chain->stripe_count));
    add_figures(report, entity, &chain->cost);
    return NULL;
}

static mlia_status *add_cascade(mlia_nx_report *report, uint32_t segment, uint32_t index,
                                mlia_entity_ref parent)
{
    const mlia_estimate_segment *s = &report->estimate->segments[segment];
    const mlia_estimate_cascade *cascade = &s->cascades[index];
    mlia_str name = mlia_nx_segment_name(report, segment);
    name = mlia_arena_format(report->arena, "%.*s/Cascade %" PRIu64, MLIA_STR_ARG(name), cascade->id);
    mlia_str id = mlia_arena_format(report->arena, "cascade/segment_%u/%" PRIu64, s->index, cascade->id);
    MLIA_TRY_ALLOC(id.data);
    MLIA_TRY_ALLOC(name.data);
    mlia_entity_ref entity = mlia_result_add_entity(report->builder, id, MLIA_STR("cascade"), name);
    mlia_result_add_edge(report->builder, parent, entity);
    uint32_t stripes = 0;
    bool on_nx = false;
    for (uint32_t c = 0; c < cascade->chain_count; c++) {
        MLIA_TRY(add_chain(report, segment, cascade->first_chain + c, entity, &on_nx));
        stripes += s->chains[cascade->first_chain + c].stripe_count;
    }
    mlia_result_set_placement(report->builder, entity, on_nx ? MLIA_STR("NX") : MLIA_STR("GPU"));
    MLIA_TRY(set_stripes(report, entity, &s->stripes[s->chains[cascade->first_chain].first_stripe], stripes));
    add_figures(report, entity, &cascade->cost);
    return NULL;
}

/* Where each operator runs, by the rules of the compatibility results. */
static mlia_status *place_operators(mlia_nx_report *report)
{
    size_t counted = 0;
    size_t on_nx = 0;
    report->levels = MLIA_NEW_ARRAY(report->arena, uint8_t *, report->estimate->segment_count);
    MLIA_TRY_ALLOC(report->levels);
    for (uint32_t k = 0; k < report->estimate->segment_count; k++) {
        const mlia_graph *graph = report->estimate->segments[k].graph;
        mlia_compatibility compatibility = {0};
        mlia_compatibility_options options = {.skip_trivial = report->request->skip_trivial_operators};
        if (graph == NULL)
            continue;
        report->levels[k] = MLIA_NEW_ARRAY(report->arena, uint8_t, graph->operator_count);
        MLIA_TRY_ALLOC(report->levels[k]);
        MLIA_TRY(mlia_compatibility_check(graph, options, report->arena, &compatibility));
        for (size_t i = 0; i < compatibility.count; i++)
            report->levels[k][compatibility.records[i].op] = (uint8_t)compatibility.records[i].level;
        counted += compatibility.count;
        on_nx += compatibility.per_level[MLIA_LEVEL_TOSA];
    }
    report->accelerator_percentage = counted > 0 ? 100 * (double)on_nx / (double)counted : 0;
    return NULL;
}

/* Operators in no chain hang on the segment, unless another operator of the same source is in one. */
static mlia_status *add_others(mlia_nx_report *report, uint32_t segment, mlia_entity_ref entity)
{
    const mlia_estimate_segment *s = &report->estimate->segments[segment];
    const mlia_entity_ref *operators = report->provenance[segment].operators;
    bool *in_chain = MLIA_NEW_ARRAY(report->arena, bool, s->graph->source_count);
    MLIA_TRY_ALLOC(in_chain);
    for (uint32_t c = 0; c < s->chain_count; c++)
        for (uint32_t i = 0; i < s->chains[c].operator_count; i++) {
            uint32_t source = s->graph->operators[s->chains[c].operators[i]].source;
            if (source != MLIA_NONE)
                in_chain[source] = true;
        }
    for (uint32_t i = 0; i < s->graph->operator_count; i++) {
        uint32_t source = s->graph->operators[i].source;
        if (source != MLIA_NONE && !in_chain[source])
            mlia_result_add_edge(report->builder, entity, operators[i]);
    }
    return NULL;
}

static mlia_status *add_segment(mlia_nx_report *report, uint32_t segment)
{
    const mlia_estimate_segment *s = &report->estimate->segments[segment];
    if (s->graph == NULL)
        return NULL;
    MLIA_TRY(mlia_provenance_add(report->builder, s->graph, report->arena, &report->provenance[segment]));
    report->chains[segment] = MLIA_NEW_ARRAY(report->arena, mlia_entity_ref, s->chain_count);
    mlia_str id = mlia_arena_format(report->arena, "segment/%u", s->index);
    mlia_str name = mlia_nx_segment_name(report, segment);
    MLIA_TRY_ALLOC(report->chains[segment]);
    MLIA_TRY_ALLOC(id.data);
    MLIA_TRY_ALLOC(name.data);
    mlia_entity_ref entity = mlia_result_add_entity(report->builder, id, MLIA_STR("segment"), name);
    for (uint32_t i = 0; i < s->cascade_count; i++)
        MLIA_TRY(add_cascade(report, segment, i, entity));
    return add_others(report, segment, entity);
}

mlia_status *mlia_nx_report_entities(mlia_nx_report *report)
{
    uint32_t count = report->estimate->segment_count;
    report->provenance = MLIA_NEW_ARRAY(report->arena, mlia_provenance, count);
    report->chains = MLIA_NEW_ARRAY(report->arena, mlia_entity_ref *, count);
    MLIA_TRY_ALLOC(report->provenance);
    MLIA_TRY_ALLOC(report->chains);
    MLIA_TRY(place_operators(report));
    mlia_result_declare_nx_kinds(report->builder);
    for (uint32_t i = 0; i < count; i++)
        MLIA_TRY(add_segment(report, i));
    return NULL;
}

/* ---- metrics of the model ---- */

static double cache_sum(const mlia_cost *cost, uint64_t (*member)(const mlia_traffic *))
{
    double sum = 0;
    for (mlia_memory m = 0; m < MLIA_MEMORY_DRAM; m++)
        sum += (double)member(&cost->memories[m]);
    return sum;
}

static uint64_t traffic_cycles(const mlia_traffic *traffic)
{
    return traffic->cycles;
}

static uint64_t traffic_read(const mlia_traffic *traffic)
{
    return traffic->read_bytes;
}

static uint64_t traffic_write(const mlia_traffic *traffic)
{
    return traffic->write_bytes;
}

mlia_nx_figures mlia_nx_figures_of(const mlia_estimate *estimate)
{
    const mlia_cost *cost = &estimate->cost;
    const mlia_traffic *dram = &cost->memories[MLIA_MEMORY_DRAM];
    const mlia_estimate_memory *memory = &estimate->memory;
    double ms = estimate->inference_time_ms;
    mlia_nx_figures figures = {.value = {
                                   [MLIA_NX_FIGURE_INFERENCE_TIME] = ms,
                                   [MLIA_NX_FIGURE_INFERENCES_PER_SECOND] = ms > 0 ? 1000 / ms : 0,
                                   [MLIA_NX_FIGURE_TOTAL_CYCLES] = (double)cost->total_cycles,
                                   [MLIA_NX_FIGURE_COMPUTE_CYCLES] = (double)cost->op_cycles,
                                   [MLIA_NX_FIGURE_CACHE_CYCLES] = cache_sum(cost, traffic_cycles),
                                   [MLIA_NX_FIGURE_DRAM_CYCLES] = (double)dram->cycles,
                                   [MLIA_NX_FIGURE_COMPILED_SIZE] = (double)memory->compiled_size,
                                   [MLIA_NX_FIGURE_CACHE_READ] = cache_sum(cost, traffic_read),
                                   [MLIA_NX_FIGURE_CACHE_WRITE] = cache_sum(cost, traffic_write),
                                   [MLIA_NX_FIGURE_DRAM_READ] = (double)dram->read_bytes,
                                   [MLIA_NX_FIGURE_DRAM_WRITE] = (double)dram->write_bytes,
                                   [MLIA_NX_FIGURE_DRAM_FOOTPRINT] = (double)memory->dram_footprint,
                                   [MLIA_NX_FIGURE_WEIGHT_MEMORY] = (double)memory->model_weight_memory,
                                   [MLIA_NX_FIGURE_PEAK_MEMORY] = (double)memory->peak_activation_memory,
                                   [MLIA_NX_FIGURE_AVERAGE_MEMORY] = (double)memory->average_memory,
                               }};
    for (size_t i = 0; i < MLIA_NX_FIGURE_COUNT; i++)
        figures.available[i] = i != MLIA_NX_FIGURE_INFERENCES_PER_SECOND || ms > 0;
    return figures;
}

static void add_metric(mlia_nx_report *report, const char *name, const char *unit, mlia_nx_figure figure)
{
    mlia_str n = mlia_str_from_c(name);
    mlia_str u = mlia_str_from_c(unit);
    mlia_str reason = MLIA_STR("Backend output did not provide a numeric value for this metric.");
    mlia_result_add_metric(report->builder, report->figures.available[figure]
                                                ? mlia_metric_number(n, u, report->figures.value[figure])
                                                : mlia_metric_unavailable(n, u, reason));
}

mlia_status *mlia_nx_report_metrics(mlia_nx_report *report)
{
    static const struct {
        const char *name;
        const char *unit;
        mlia_nx_figure figure;
    } rows[] = {
        {"inferences_per_second", "inferences/s", MLIA_NX_FIGURE_INFERENCES_PER_SECOND},
        {"inference_time", "ms", MLIA_NX_FIGURE_INFERENCE_TIME},
        {"model_weight_memory", "bytes", MLIA_NX_FIGURE_WEIGHT_MEMORY},
        {"peak_activation_memory", "bytes", MLIA_NX_FIGURE_PEAK_MEMORY},
        {"average_memory", "bytes", MLIA_NX_FIGURE_AVERAGE_MEMORY},
        {"infs_per_sec", "inferences/s", MLIA_NX_FIGURE_INFERENCES_PER_SECOND},
        {"total_cycles", "cycles", MLIA_NX_FIGURE_TOTAL_CYCLES},
        {"compute_cycles", "cycles", MLIA_NX_FIGURE_COMPUTE_CYCLES},
        {"cache_cycles", "cycles", MLIA_NX_FIGURE_CACHE_CYCLES},
        {"dram_cycles", "cycles", MLIA_NX_FIGURE_DRAM_CYCLES},
        {"compiled_size", "bytes", MLIA_NX_FIGURE_COMPILED_SIZE},
        {"cache_read_bytes", "bytes", MLIA_NX_FIGURE_CACHE_READ},
        {"cache_write_bytes", "bytes", MLIA_NX_FIGURE_CACHE_WRITE},
        {"dram_read_bytes", "bytes", MLIA_NX_FIGURE_DRAM_READ},
        {"dram_write_bytes", "bytes", MLIA_NX_FIGURE_DRAM_WRITE},
        {"dram_footprint", "bytes", MLIA_NX_FIGURE_DRAM_FOOTPRINT},
    };
    const mlia_nx_figures *figures = &report->figures;
    mlia_result_add_metric(report->builder,
                           mlia_metric_number(MLIA_STR("accelerator_operator_percentage"), MLIA_STR("%"),
                                              report->accelerator_percentage));
    if (figures->available[MLIA_NX_FIGURE_TOTAL_CYCLES] &&
        figures->available[MLIA_NX_FIGURE_COMPUTE_CYCLES]) {
        double total = figures->value[MLIA_NX_FIGURE_TOTAL_CYCLES];
        double share = total > 0 ? 100 * figures->value[MLIA_NX_FIGURE_COMPUTE_CYCLES] / total : 0;
        mlia_result_add_metric(report->builder, mlia_metric_number(MLIA_STR("target_utilization"),
                                                                   MLIA_STR("%"), share > 100 ? 100 : share));
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add_metric(report, rows[i].name, rows[i].unit, rows[i].figure);
    return NULL;
}
