/* Extensions of the document that an estimate adds: mlia_estimator (what the figures rest on) and
 * mlia_schedule (one lane for each segment, chains one after the other). */
#include "backends/nx_estimate.h"

#define HZ_PER_MHZ 1e6

static const char *bound_class(uint32_t bound)
{
    if (bound == MLIA_BOUND_LATENCY)
        return "latency";
    bool computes = bound == MLIA_SECTION_CONVOLUTION_ENGINE || bound == MLIA_SECTION_VECTOR_ENGINE ||
                    bound == MLIA_SECTION_TRANSFORM_UNIT;
    return computes ? "compute" : "memory";
}

static bool set_text(mlia_arena *arena, mlia_value *object, const char *name, const char *text)
{
    return mlia_value_set(arena, object, mlia_str_from_c(name),
                          mlia_value_string(arena, mlia_str_from_c(text)));
}

static bool set_integer(mlia_arena *arena, mlia_value *object, const char *name, uint64_t value)
{
    return mlia_value_set(arena, object, mlia_str_from_c(name), mlia_value_integer(arena, (int64_t)value));
}

static mlia_value *lane_of(const mlia_nx_report *report, uint32_t segment)
{
    mlia_arena *arena = report->arena;
    const mlia_estimate_segment *s = &report->estimate->segments[segment];
    mlia_value *lane = mlia_value_object(arena);
    mlia_value *spans = mlia_value_array(arena);
    mlia_str name = mlia_nx_segment_name(report, segment);
    uint64_t start = 0;
    bool done = lane != NULL && spans != NULL;
    for (uint32_t i = 0; i < s->chain_count && done; i++) {
        mlia_value *span = mlia_value_object(arena);
        mlia_str id =
            mlia_arena_format(arena, "chain/segment_%u/%llu", s->index, (unsigned long long)s->chains[i].id);
        done = span != NULL && id.data != NULL &&
               set_integer(arena, span, "result_index", report->request->result_index) &&
               mlia_value_set(arena, span, MLIA_STR("entity_id"), mlia_value_string(arena, id)) &&
               set_integer(arena, span, "start", start) &&
               set_integer(arena, span, "duration", s->chains[i].cost.total_cycles) &&
               set_text(arena, span, "bound", bound_class(s->chains[i].bound)) &&
               mlia_value_add(arena, spans, span);
        start += s->chains[i].cost.total_cycles;
    }
    done = done && mlia_value_set(arena, lane, MLIA_STR("name"), mlia_value_string(arena, name)) &&
           mlia_value_set(arena, lane, MLIA_STR("spans"), spans);
    return done ? lane : NULL;
}

static mlia_status *add_schedule(mlia_nx_report *report)
{
    mlia_arena *arena = report->arena;
    mlia_value *schedule = mlia_value_object(arena);
    mlia_value *lanes = mlia_value_array(arena);
    bool done = schedule != NULL && lanes != NULL;
    for (uint32_t i = 0; i < report->estimate->segment_count && done; i++)
        if (report->estimate->segments[i].graph != NULL)
            done = mlia_value_add(arena, lanes, lane_of(report, i));
    done = done && set_integer(arena, schedule, "schema_version", 1) &&
           set_text(arena, schedule, "unit", "cycles") &&
           mlia_value_set(arena, schedule, MLIA_STR("lanes"), lanes) &&
           mlia_document_set_extension(report->request->document, MLIA_STR("mlia_schedule"), schedule);
    return done ? NULL : mlia_error_memory();
}

/* What the figures rest on, in the order in which a reader should know it. */
static const struct {
    const char *id;
    const char *text;
    const char *source; /* published, calibrated, assumed */
} assumptions[] = {
    {"chains", "Operators are chained as in the published compilation of DS-CNN large.", "published"},
    {"traffic",
     "A convolution reads its input again for every 32 output channels; every band reads its weights.",
     "published"},
    {"rates",
     "Rates of the sections and drains after a chain are fitted to the published stripes of DS-CNN large.",
     "calibrated"},
    {"shallow",
     "An input of less than 16 channels is read in 16-byte pieces that hold the kernel columns of one output "
     "column.",
     "calibrated"},
    {"weights", "Encoded 8-bit weights take 95 % of their raw size, whatever their values.", "calibrated"},
    {"floating-point",
     "16-bit arithmetic runs at half the 8-bit rate, 32-bit floating point on the vector engine.", "assumed"},
    {"moves", "Transposes, concatenations, gathers and resizes take the transform unit's rate.", "assumed"},
    {"engines", "Several engines share the work of each band evenly; start-up times stay.", "assumed"},
    {"segments", "Segments run one after the other; the time between them is not counted.", "assumed"},
};

static mlia_status *add_estimator(mlia_nx_report *report)
{
    mlia_arena *arena = report->arena;
    const mlia_estimate_config *config = report->estimate->config;
    mlia_value *object = mlia_value_object(arena);
    mlia_value *clocks = mlia_value_object(arena);
    mlia_value *list = mlia_value_array(arena);
    bool done = object != NULL && clocks != NULL && list != NULL &&
                set_integer(arena, clocks, "nx", (uint64_t)(config->clock_mhz * HZ_PER_MHZ));
    for (size_t i = 0; i < sizeof assumptions / sizeof *assumptions && done; i++) {
        mlia_value *item = mlia_value_object(arena);
        done = item != NULL && set_text(arena, item, "id", assumptions[i].id) &&
               set_text(arena, item, "text", assumptions[i].text) &&
               set_text(arena, item, "source", assumptions[i].source) && mlia_value_add(arena, list, item);
    }
    done = done && set_integer(arena, object, "schema_version", 1) &&
           set_text(arena, object, "model_revision", MLIA_ESTIMATE_REVISION) &&
           mlia_value_set(arena, object, MLIA_STR("clock_hz"), clocks) &&
           mlia_value_set(arena, object, MLIA_STR("assumptions"), list);
    if (done && mlia_config_is_calibrated(config))
        done = set_integer(arena, object, "error_band_percent", MLIA_NX_TOTAL_ERROR_PERCENT);
    done = done && mlia_document_set_extension(report->request->document, MLIA_STR("mlia_estimator"), object);
    return done ? NULL : mlia_error_memory();
}

mlia_status *mlia_nx_report_extensions(mlia_nx_report *report)
{
    if (report->request->document == NULL)
        return NULL;
    if (!report->external)
        MLIA_TRY(add_estimator(report));
    return add_schedule(report);
}
