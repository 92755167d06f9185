/* Runs the stages on each segment and sums up. Estimates of segments are independent of each other: segments
 * run one after the other on the device. */
#include "estimate/estimate.h"

#include "estimate/plan.h"

static const mlia_str section_names[] = {
#define X(name, database, metric) MLIA_STR_INIT(database),
    MLIA_SECTIONS(X)
#undef X
};
static const mlia_str bound_names[] = {
#define X(name, database, metric) MLIA_STR_INIT(metric),
    MLIA_SECTIONS(X) MLIA_MEMORIES(X)
#undef X
        MLIA_STR_INIT("latency"),
};
static const mlia_str memory_names[] = {
#define X(name, database, metric) MLIA_STR_INIT(database),
    MLIA_MEMORIES(X)
#undef X
};
static const mlia_str confidence_names[] = {MLIA_STR_INIT("calibrated"), MLIA_STR_INIT("extrapolated"),
                                            MLIA_STR_INIT("assumed")};

mlia_str mlia_section_name(mlia_section section)
{
    return section_names[section];
}

mlia_str mlia_section_metric(mlia_section section)
{
    return bound_names[section];
}

mlia_str mlia_memory_name(mlia_memory memory)
{
    return memory_names[memory];
}

mlia_str mlia_memory_metric(mlia_memory memory)
{
    return bound_names[MLIA_BOUND_MEMORY + (uint32_t)memory];
}

mlia_str mlia_bound_name(uint32_t bound)
{
    return bound < MLIA_BOUND_COUNT ? bound_names[bound] : MLIA_STR_NONE;
}

mlia_str mlia_confidence_name(mlia_confidence confidence)
{
    return confidence_names[confidence];
}

/* One warning for each reason, with the number of operators and the first one. There are few reasons. */
static void warn_unestimated(const mlia_estimate_segment *segment, mlia_diagnostics *diagnostics)
{
    enum { REASONS = 16 };
    struct {
        const char *reason;
        uint32_t first, count;
    } seen[REASONS];
    uint32_t seen_count = 0;
    for (uint32_t i = 0; i < segment->unestimated_count; i++) {
        uint32_t k = 0;
        while (k < seen_count && seen[k].reason != segment->unestimated[i].reason.data)
            k++;
        if (k == REASONS)
            continue;
        if (k == seen_count) {
            seen[k].reason = segment->unestimated[i].reason.data;
            seen[k].first = segment->unestimated[i].operator_index;
            seen[k].count = 0;
            seen_count++;
        }
        seen[k].count++;
    }
    for (uint32_t k = 0; k < seen_count; k++) {
        const mlia_operator *op = &segment->graph->operators[seen[k].first];
        mlia_str name = mlia_operator_name(op);
        mlia_warn(diagnostics, MLIA_W_UNESTIMATED,
                  "segment %u: %u operator%s without an estimate, first %.*s (operator %u): %s",
                  segment->index, seen[k].count, seen[k].count == 1 ? "" : "s", MLIA_STR_ARG(name),
                  op->number, seen[k].reason);
    }
}

static mlia_status *estimate_segment(const mlia_estimate_config *config, mlia_arena *arena,
                                     mlia_estimate_segment *segment)
{
    mlia_plan plan = {.graph = segment->graph, .config = config, .arena = arena, .result = segment};
    MLIA_TRY(mlia_plan_normalise(&plan));
    MLIA_TRY(mlia_plan_fuse(&plan));
    MLIA_TRY(mlia_plan_chain_up(&plan));
    MLIA_TRY(mlia_plan_price(&plan));
    MLIA_TRY(mlia_plan_cascade(&plan));
    MLIA_TRY(mlia_plan_aggregate(&plan));
    return mlia_plan_memory(&plan);
}

static void add_segment(mlia_estimate *estimate, const mlia_estimate_segment *segment, double *weighted)
{
    mlia_estimate_memory *sum = &estimate->memory;
    const mlia_estimate_memory *part = &segment->memory;
    mlia_cost_add(&estimate->cost, &segment->cost);
    if (part->dram_footprint > sum->dram_footprint)
        sum->dram_footprint = part->dram_footprint;
    if (part->peak_activation_memory > sum->peak_activation_memory)
        sum->peak_activation_memory = part->peak_activation_memory;
    *weighted += (double)part->average_memory * (double)segment->cost.total_cycles;
    sum->model_weight_memory += part->model_weight_memory;
    sum->compiled_size += part->compiled_size;
    estimate->complete = estimate->complete && segment->unestimated_count == 0;
}

mlia_status *mlia_estimate_run(const mlia_estimate_input *segments, uint32_t count,
                               const mlia_estimate_config *config, mlia_arena *arena,
                               mlia_diagnostics *diagnostics, mlia_estimate **estimate)
{
    mlia_estimate *result = MLIA_NEW(arena, mlia_estimate);
    MLIA_TRY_ALLOC(result);
    result->config = config;
    result->segments = MLIA_NEW_ARRAY(arena, mlia_estimate_segment, count);
    MLIA_TRY_ALLOC(result->segments);
    result->segment_count = count;
    result->complete = true;
    double weighted = 0;
    for (uint32_t i = 0; i < count; i++) {
        mlia_estimate_segment *segment = &result->segments[i];
        segment->index = segments[i].index;
        segment->name = segments[i].name;
        segment->graph = segments[i].graph;
        if (segment->graph == NULL) {
            mlia_warn(diagnostics, MLIA_W_SEGMENT_SKIPPED,
                      "segment %u (%.*s) is a compute shader and has no estimate", segment->index,
                      MLIA_STR_ARG(segment->name));
            continue;
        }
        MLIA_TRY(estimate_segment(config, arena, segment));
        warn_unestimated(segment, diagnostics);
        add_segment(result, segment, &weighted);
    }
    double cycles = (double)result->cost.total_cycles;
    result->memory.average_memory = cycles > 0 ? (uint64_t)(weighted / cycles) : 0;
    result->inference_time_ms = cycles / (config->clock_mhz * 1000);
    *estimate = result;
    return NULL;
}
