/* Side files of an estimate: the databases of each segment, the network summary and the statistics of chains
 * and cascades. A model of one segment has its stem in the file names, others also the segment's number. */
#include <inttypes.h>

#include "backends/nx_estimate.h"
#include "estimate/databases.h"
#include "result/document.h"

typedef void (*database_writer)(const mlia_estimate_segment *, mlia_buffer *);

static mlia_status *write_buffer(const mlia_nx_report *report, mlia_str path, mlia_buffer *buffer)
{
    mlia_status *status = path.data == NULL ? mlia_error_memory() : mlia_buffer_status(buffer);
    if (status == NULL)
        status = mlia_backend_write_file(report->request, path, mlia_buffer_bytes(buffer));
    mlia_buffer_free(buffer);
    return status;
}

static mlia_status *write_json(const mlia_nx_report *report, mlia_str path, const mlia_value *value)
{
    mlia_buffer buffer = {0};
    mlia_value_write(value, 0, &buffer);
    mlia_buffer_add_byte(&buffer, '\n');
    return write_buffer(report, path, &buffer);
}

static uint32_t graph_segments(const mlia_estimate *estimate)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < estimate->segment_count; i++)
        count += estimate->segments[i].graph != NULL;
    return count;
}

static mlia_status *write_databases(const mlia_nx_report *report, const mlia_estimate_segment *segment)
{
    static const struct {
        const char *suffix;
        database_writer write;
    } files[] = {
        {"performance_database.dat", mlia_performance_database_write},
        {"debug_database.dat", mlia_debug_database_write},
        {"timing_database.dat", mlia_timing_database_write},
    };
    mlia_str stem = report->request->model_stem;
    if (graph_segments(report->estimate) > 1)
        stem = mlia_arena_format(report->arena, "%.*s_segment_%u", MLIA_STR_ARG(stem), segment->index);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        mlia_buffer buffer = {0};
        files[i].write(segment, &buffer);
        mlia_str path =
            mlia_arena_format(report->arena, MLIA_NX_FOLDER "/%.*s_%s", MLIA_STR_ARG(stem), files[i].suffix);
        MLIA_TRY(write_buffer(report, path, &buffer));
    }
    return NULL;
}

/* {"value": …, "unit": …}; null when the figure is not available. */
static mlia_value *leaf(const mlia_nx_report *report, mlia_nx_figure figure, const char *unit)
{
    mlia_arena *arena = report->arena;
    double value = report->figures.value[figure];
    mlia_value *number = !report->figures.available[figure] ? mlia_value_null(arena)
                         : value == (double)(int64_t)value  ? mlia_value_integer(arena, (int64_t)value)
                                                            : mlia_value_number(arena, value);
    mlia_value *object = mlia_value_object(arena);
    bool done =
        object != NULL && mlia_value_set(arena, object, MLIA_STR("value"), number) &&
        mlia_value_set(arena, object, MLIA_STR("unit"), mlia_value_string(arena, mlia_str_from_c(unit)));
    return done ? object : NULL;
}

static mlia_value *memory_summary(const mlia_nx_report *report, mlia_nx_figure cycles, mlia_nx_figure read,
                                  mlia_nx_figure write)
{
    mlia_arena *arena = report->arena;
    mlia_value *object = mlia_value_object(arena);
    bool done = object != NULL &&
                mlia_value_set(arena, object, MLIA_STR("cycles"), leaf(report, cycles, "cycles")) &&
                mlia_value_set(arena, object, MLIA_STR("read_bytes"), leaf(report, read, "bytes")) &&
                mlia_value_set(arena, object, MLIA_STR("write_bytes"), leaf(report, write, "bytes"));
    return done ? object : NULL;
}

static mlia_status *write_summary(const mlia_nx_report *report)
{
    mlia_arena *arena = report->arena;
    mlia_value *network = mlia_value_object(arena);
    mlia_value *root = mlia_value_object(arena);
    bool done = network != NULL && root != NULL &&
                mlia_value_set(arena, network, MLIA_STR("total_cycles"),
                               leaf(report, MLIA_NX_FIGURE_TOTAL_CYCLES, "cycles")) &&
                mlia_value_set(arena, network, MLIA_STR("compute_cycles"),
                               leaf(report, MLIA_NX_FIGURE_COMPUTE_CYCLES, "cycles")) &&
                mlia_value_set(arena, network, MLIA_STR("inference_time"),
                               leaf(report, MLIA_NX_FIGURE_INFERENCE_TIME, "ms")) &&
                mlia_value_set(arena, network, MLIA_STR("infs_per_sec"),
                               leaf(report, MLIA_NX_FIGURE_INFERENCES_PER_SECOND, "inferences/s")) &&
                mlia_value_set(arena, network, MLIA_STR("dram_footprint"),
                               leaf(report, MLIA_NX_FIGURE_DRAM_FOOTPRINT, "bytes")) &&
                mlia_value_set(arena, network, MLIA_STR("cache1"),
                               memory_summary(report, MLIA_NX_FIGURE_CACHE_CYCLES, MLIA_NX_FIGURE_CACHE_READ,
                                              MLIA_NX_FIGURE_CACHE_WRITE)) &&
                mlia_value_set(arena, network, MLIA_STR("dram"),
                               memory_summary(report, MLIA_NX_FIGURE_DRAM_CYCLES, MLIA_NX_FIGURE_DRAM_READ,
                                              MLIA_NX_FIGURE_DRAM_WRITE)) &&
                mlia_value_set(arena, root, MLIA_STR("compiled_size"),
                               leaf(report, MLIA_NX_FIGURE_COMPILED_SIZE, "bytes")) &&
                mlia_value_set(arena, root, MLIA_STR("network_performance"), network);
    if (!done)
        return mlia_error_memory();
    return write_json(report,
                      mlia_arena_format(arena, MLIA_NX_FOLDER "/%.*s_network_performance_summary.json",
                                        MLIA_STR_ARG(report->request->model_stem)),
                      root);
}

/* ---- nx_performance_statistics.json ---- */

static bool set_count(mlia_arena *arena, mlia_value *object, const char *name, uint64_t value)
{
    return mlia_value_set(arena, object, mlia_str_from_c(name), mlia_value_integer(arena, (int64_t)value));
}

static bool set_text(mlia_arena *arena, mlia_value *object, const char *name, mlia_str value)
{
    return mlia_value_set(arena, object, mlia_str_from_c(name), mlia_value_string(arena, value));
}

static mlia_value *memory_statistics(const mlia_nx_report *report, const mlia_cost *cost)
{
    mlia_arena *arena = report->arena;
    mlia_value *list = mlia_value_array(arena);
    for (mlia_memory m = 0; m < MLIA_MEMORY_COUNT && list != NULL; m++) {
        if (!report->memories[m])
            continue;
        mlia_value *item = mlia_value_object(arena);
        bool done = item != NULL && set_text(arena, item, "memoryName", mlia_memory_name(m)) &&
                    set_count(arena, item, "readBytes", cost->memories[m].read_bytes) &&
                    set_count(arena, item, "writeBytes", cost->memories[m].write_bytes) &&
                    set_count(arena, item, "trafficCycles", cost->memories[m].cycles) &&
                    mlia_value_add(arena, list, item);
        if (!done)
            return NULL;
    }
    return list;
}

static mlia_value *section_statistics(const mlia_nx_report *report, const mlia_cost *cost)
{
    mlia_arena *arena = report->arena;
    mlia_value *list = mlia_value_array(arena);
    for (mlia_section s = 0; s < MLIA_SECTION_COUNT && list != NULL; s++) {
        double share =
            cost->total_cycles > 0 ? 100.0 * (double)cost->sections[s] / (double)cost->total_cycles : 0;
        mlia_value *item = mlia_value_object(arena);
        bool done = item != NULL && set_text(arena, item, "sectionName", mlia_section_name(s)) &&
                    set_count(arena, item, "cycles", cost->sections[s]) &&
                    mlia_value_set(arena, item, MLIA_STR("percentage"), mlia_value_number(arena, share)) &&
                    mlia_value_add(arena, list, item);
        if (!done)
            return NULL;
    }
    return list;
}

static mlia_value *stripe_statistics(const mlia_nx_report *report, const mlia_estimate_stripe *stripes,
                                     uint32_t count)
{
    mlia_value *list = mlia_value_array(report->arena);
    for (uint32_t i = 0; i < count && list != NULL; i++)
        if (!mlia_value_add(report->arena, list, mlia_value_integer(report->arena, (int64_t)stripes[i].id)))
            return NULL;
    return list;
}

static mlia_value *operator_statistics(const mlia_nx_report *report, const mlia_estimate_segment *segment,
                                       uint32_t first_chain, uint32_t chain_count)
{
    mlia_arena *arena = report->arena;
    mlia_value *list = mlia_value_array(arena);
    for (uint32_t c = first_chain; c < first_chain + chain_count && list != NULL; c++)
        for (uint32_t i = 0; i < segment->chains[c].operator_count; i++) {
            const mlia_operator *op = &segment->graph->operators[segment->chains[c].operators[i]];
            mlia_str id = op->source == MLIA_NONE
                              ? MLIA_STR("")
                              : mlia_source_entity_id(arena, &segment->graph->sources[op->source]);
            mlia_value *item = mlia_value_object(arena);
            bool done = id.data != NULL && item != NULL && set_text(arena, item, "source_operator_id", id) &&
                        set_text(arena, item, "operator_type", mlia_operator_name(op)) &&
                        mlia_value_add(arena, list, item);
            if (!done)
                return NULL;
        }
    return list;
}

/* One entry of the statistics: `first_chain` … of a chain or cascade. */
static mlia_status *add_statistics(const mlia_nx_report *report, mlia_value *map, mlia_str id,
                                   const mlia_estimate_segment *segment, uint32_t first_chain,
                                   uint32_t chain_count, const mlia_cost *cost)
{
    mlia_arena *arena = report->arena;
    uint32_t stripes = 0;
    for (uint32_t c = first_chain; c < first_chain + chain_count; c++)
        stripes += segment->chains[c].stripe_count;
    const mlia_estimate_stripe *first = &segment->stripes[segment->chains[first_chain].first_stripe];
    mlia_value *item = mlia_value_object(arena);
    bool done =
        id.data != NULL && item != NULL &&
        mlia_value_set(arena, item, MLIA_STR("stripe_ids"), stripe_statistics(report, first, stripes)) &&
        set_count(arena, item, "op_cycles", cost->op_cycles) &&
        set_count(arena, item, "total_cycles", cost->total_cycles) &&
        mlia_value_set(arena, item, MLIA_STR("memory"), memory_statistics(report, cost)) &&
        mlia_value_set(arena, item, MLIA_STR("utilization"), section_statistics(report, cost)) &&
        mlia_value_set(arena, item, MLIA_STR("operators"),
                       operator_statistics(report, segment, first_chain, chain_count)) &&
        mlia_value_set(arena, map, id, item);
    return done ? NULL : mlia_error_memory();
}

static mlia_status *write_statistics(const mlia_nx_report *report)
{
    mlia_arena *arena = report->arena;
    mlia_value *root = mlia_value_object(arena);
    mlia_value *chains = mlia_value_object(arena);
    mlia_value *cascades = mlia_value_object(arena);
    MLIA_TRY_ALLOC(root);
    MLIA_TRY_ALLOC(chains);
    MLIA_TRY_ALLOC(cascades);
    for (uint32_t k = 0; k < report->estimate->segment_count; k++) {
        const mlia_estimate_segment *s = &report->estimate->segments[k];
        if (s->graph == NULL)
            continue;
        for (uint32_t c = 0; c < s->chain_count; c++)
            MLIA_TRY(add_statistics(
                report, chains,
                mlia_arena_format(arena, "chain/segment_%u/%" PRIu64, s->index, s->chains[c].id), s, c, 1,
                &s->chains[c].cost));
        for (uint32_t c = 0; c < s->cascade_count; c++)
            MLIA_TRY(add_statistics(
                report, cascades,
                mlia_arena_format(arena, "cascade/segment_%u/%" PRIu64, s->index, s->cascades[c].id), s,
                s->cascades[c].first_chain, s->cascades[c].chain_count, &s->cascades[c].cost));
    }
    if (!mlia_value_set(arena, root, MLIA_STR("chains"), chains) ||
        !mlia_value_set(arena, root, MLIA_STR("cascades"), cascades))
        return mlia_error_memory();
    return write_json(report, MLIA_STR("nx_performance_statistics.json"), root);
}

mlia_status *mlia_nx_report_files(mlia_nx_report *report)
{
    if (report->request->write_file == NULL)
        return NULL;
    for (uint32_t i = 0; i < report->estimate->segment_count; i++)
        if (report->estimate->segments[i].graph != NULL)
            MLIA_TRY(write_databases(report, &report->estimate->segments[i]));
    MLIA_TRY(write_summary(report));
    return write_statistics(report);
}
