/* Advice of the neural-technology target about an estimate. Every message has its figures in it and repeats
 * them in `details`; no advice repeats what another one says of the same chains. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "backends/nx_estimate.h"

#define LIST_SHARE    0.01 /* least share of a chain that is named in a list */
#define TOP_SHARE     0.80
#define PADDING_WASTE 0.10
#define GAIN          0.01 /* least saving that is worth a remark */
enum { NAMED = 5, NAME_SHOWN = 80, NAMES_SIZE = 512, CHANNEL_BLOCK = 32 };

/* A chain and where it is. */
typedef struct chain_ref {
    uint32_t segment;
    uint32_t index;
    const mlia_estimate_chain *chain;
} chain_ref;

typedef struct adviser {
    mlia_nx_report *report;
    chain_ref *chains; /* all, most cycles first */
    uint32_t count;
    double total;
} adviser;

typedef struct chain_list {
    mlia_entity_ref *entities;
    uint32_t count;
    double cycles;
    char names[NAMES_SIZE]; /* of the first NAMED */
    size_t used;
} chain_list;

static int by_cycles(const void *a, const void *b)
{
    const chain_ref *x = a;
    const chain_ref *y = b;
    if (x->chain->cost.total_cycles != y->chain->cost.total_cycles)
        return x->chain->cost.total_cycles > y->chain->cost.total_cycles ? -1 : 1;
    if (x->segment != y->segment)
        return x->segment < y->segment ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static mlia_entity_ref entity_of(const adviser *a, const chain_ref *ref)
{
    return a->report->chains[ref->segment][ref->index];
}

static double share(const adviser *a, double cycles)
{
    return a->total > 0 ? cycles / a->total : 0;
}

/* Percent with one digit. */
static double percent(double part)
{
    return round(1000 * part) / 10;
}

static bool set_number(const adviser *a, mlia_value *details, const char *name, double value)
{
    mlia_arena *arena = a->report->arena;
    mlia_value *number = value == floor(value) && fabs(value) < 9e15
                             ? mlia_value_integer(arena, (int64_t)value)
                             : mlia_value_number(arena, value);
    return mlia_value_set(arena, details, mlia_str_from_c(name), number);
}

static void add_chain(const adviser *a, const chain_ref *ref, chain_list *list)
{
    list->entities[list->count++] = entity_of(a, ref);
    list->cycles += (double)ref->chain->cost.total_cycles;
    if (list->count > NAMED || list->used >= sizeof list->names)
        return;
    mlia_str name = mlia_nx_chain_name(a->report, ref->segment, ref->chain);
    name.size = mlia_utf8_cut(name, name.size < NAME_SHOWN ? name.size : NAME_SHOWN);
    int written = snprintf(list->names + list->used, sizeof list->names - list->used, "%s%.*s",
                           list->used > 0 ? ", " : "", MLIA_STR_ARG(name));
    list->used += written > 0 ? (size_t)written : 0;
}

/* "A, B, C and 4 more". */
static const char *finish_names(chain_list *list)
{
    if (list->count > NAMED && list->used < sizeof list->names)
        snprintf(list->names + list->used, sizeof list->names - list->used, " and %u more",
                 list->count - NAMED);
    return list->names;
}

/* Chains for which `wanted` holds, in order of cycles. */
static mlia_status *collect(const adviser *a, bool (*wanted)(const adviser *, const chain_ref *),
                            chain_list *list)
{
    *list = (chain_list){.entities = MLIA_NEW_ARRAY(a->report->arena, mlia_entity_ref, a->count)};
    MLIA_TRY_ALLOC(list->entities);
    for (uint32_t i = 0; i < a->count; i++)
        if (wanted(a, &a->chains[i]))
            add_chain(a, &a->chains[i], list);
    finish_names(list);
    return NULL;
}

static mlia_status *add(const adviser *a, mlia_str id, mlia_advice_category category,
                        mlia_advice_severity severity, const mlia_entity_ref *entities, size_t count,
                        mlia_value *details, mlia_str message)
{
    MLIA_TRY_ALLOC(id.data);
    MLIA_TRY_ALLOC(message.data);
    mlia_result_add_advice(a->report->builder, id, category, severity, message, entities, count, details);
    return NULL;
}

/* ---- what each large chain waits for ---- */

static const char *bound_text(uint32_t bound)
{
    static const char *const texts[MLIA_BOUND_COUNT] = {
        "the input reader",     "the convolution engine", "the vector engine", "the transform unit",
        "the weight decoder",   "the output writer",      "L1 traffic",        "L2 traffic",
        "system cache traffic", "DRAM traffic",           "the drain after it"};
    return texts[bound < MLIA_BOUND_COUNT ? bound : MLIA_BOUND_LATENCY];
}

static bool computes(uint32_t bound)
{
    return bound == MLIA_SECTION_CONVOLUTION_ENGINE || bound == MLIA_SECTION_VECTOR_ENGINE ||
           bound == MLIA_SECTION_TRANSFORM_UNIT;
}

static mlia_status *advise_bound(const adviser *a, const chain_ref *ref, uint32_t *numbers)
{
    enum { MEMORY, COMPUTE, LATENCY };
    static const char *const ids[] = {"nx.memory-bound", "nx.compute-bound", "nx.latency-bound"};
    static const char *const verbs[] = {"waits for data", "computes without pause",
                                        "is short and waits for its end"};
    const mlia_estimate_chain *chain = ref->chain;
    int kind = chain->bound == MLIA_BOUND_LATENCY ? LATENCY : computes(chain->bound) ? COMPUTE : MEMORY;
    mlia_str id = numbers[kind]++ == 0
                      ? mlia_str_from_c(ids[kind])
                      : mlia_arena_format(a->report->arena, "%s#%u", ids[kind], numbers[kind]);
    double drain = (double)(chain->cost.total_cycles - chain->bound_cycles);
    double bound = kind == LATENCY ? drain : (double)chain->bound_cycles;
    double saved = bound - (double)(kind == LATENCY ? chain->bound_cycles : chain->next_cycles);
    mlia_value *details = mlia_value_object(a->report->arena);
    bool done =
        details != NULL && set_number(a, details, "total_cycles", (double)chain->cost.total_cycles) &&
        set_number(a, details, "op_cycles", (double)chain->cost.op_cycles) &&
        set_number(a, details, "bound_cycles", bound) && set_number(a, details, "saved_cycles", saved) &&
        set_number(a, details, "share_percent", percent(share(a, (double)chain->cost.total_cycles))) &&
        mlia_value_set(a->report->arena, details, MLIA_STR("bound"),
                       mlia_value_string(a->report->arena, mlia_bound_name(chain->bound)));
    if (!done)
        return mlia_error_memory();
    mlia_entity_ref entity = entity_of(a, ref);
    mlia_str name = mlia_nx_chain_name(a->report, ref->segment, chain);
    return add(a, id, MLIA_ADVICE_PERFORMANCE, kind == COMPUTE ? MLIA_SEVERITY_INFO : MLIA_SEVERITY_WARNING,
               &entity, 1, details,
               mlia_arena_format(a->report->arena,
                                 "%.*s %s: of %" PRIu64
                                 " cycles (%.1f %% of all) %s takes %.0f, the engines %" PRIu64
                                 "; without it %.0f cycles would be saved before the next limit.",
                                 MLIA_STR_ARG(name), verbs[kind], chain->cost.total_cycles,
                                 percent(share(a, (double)chain->cost.total_cycles)),
                                 bound_text(chain->bound), bound, chain->cost.op_cycles, saved));
}

static mlia_status *advise_bounds(const adviser *a)
{
    uint32_t numbers[3] = {0};
    for (uint32_t i = 0; i < a->count; i++)
        if (share(a, (double)a->chains[i].chain->cost.total_cycles) >= a->report->request->advice_share / 100)
            MLIA_TRY(advise_bound(a, &a->chains[i], numbers));
    return NULL;
}

static mlia_status *advise_top(const adviser *a)
{
    chain_list top = {.entities = MLIA_NEW_ARRAY(a->report->arena, mlia_entity_ref, a->count)};
    MLIA_TRY_ALLOC(top.entities);
    while (top.count < a->count && top.cycles < TOP_SHARE * a->total)
        add_chain(a, &a->chains[top.count], &top);
    if (top.count == 0 || a->total <= 0)
        return NULL;
    mlia_value *details = mlia_value_object(a->report->arena);
    if (details == NULL || !set_number(a, details, "chains", top.count) ||
        !set_number(a, details, "share_percent", percent(share(a, top.cycles))))
        return mlia_error_memory();
    return add(a, MLIA_STR("nx.top-chains"), MLIA_ADVICE_PERFORMANCE, MLIA_SEVERITY_INFO, top.entities,
               top.count, details,
               mlia_arena_format(a->report->arena,
                                 "%u of %u chains take %.1f %% of all cycles; start with %s.", top.count,
                                 a->count, percent(share(a, top.cycles)), finish_names(&top)));
}

/* ---- lists of chains with one property ---- */

static double padding_waste(const mlia_estimate_chain *chain)
{
    double channels = (double)chain->channels;
    return channels > 1 ? ceil(channels / CHANNEL_BLOCK) * CHANNEL_BLOCK / channels - 1 : 0;
}

static bool wastes_channels(const adviser *a, const chain_ref *ref)
{
    return share(a, (double)ref->chain->cost.total_cycles) >= LIST_SHARE &&
           padding_waste(ref->chain) >= PADDING_WASTE;
}

static const mlia_graph *graph_of(const adviser *a, const chain_ref *ref)
{
    return a->report->estimate->segments[ref->segment].graph;
}

static bool moves_data(const adviser *a, const chain_ref *ref)
{
    const mlia_operator *op = &graph_of(a, ref)->operators[ref->chain->operators[0]];
    return op->op == MLIA_OP_TRANSPOSE || op->op == MLIA_OP_RESHAPE || op->op == MLIA_OP_IDENTITY;
}

static bool is_float(const adviser *a, const chain_ref *ref)
{
    const mlia_graph *graph = graph_of(a, ref);
    const mlia_operator *op = &graph->operators[ref->chain->operators[0]];
    return op->input_count > 0 && mlia_type_is_float(graph->values[op->inputs[0]].type);
}

static mlia_str label_of(const mlia_graph *graph, const mlia_estimate_chain *chain)
{
    uint32_t source = graph->operators[chain->operators[0]].source;
    return source == MLIA_NONE ? MLIA_STR_NONE : graph->sources[source].label;
}

/* A chain that begins with what makes a softmax recognisable. */
static bool has_softmax_step(const adviser *a, const chain_ref *ref)
{
    const mlia_graph *graph = graph_of(a, ref);
    for (uint32_t i = 0; i < ref->chain->operator_count; i++) {
        const mlia_operator *op = &graph->operators[ref->chain->operators[i]];
        if (op->op == MLIA_OP_EXP || op->op == MLIA_OP_CLZ)
            return true;
    }
    return false;
}

/* Chains of a softmax: every chain of an operator (label) that has an exponential or a normalisation. */
static mlia_status *advise_softmax(const adviser *a)
{
    chain_list list = {.entities = MLIA_NEW_ARRAY(a->report->arena, mlia_entity_ref, a->count)};
    mlia_str label = MLIA_STR_NONE;
    MLIA_TRY_ALLOC(list.entities);
    for (uint32_t i = 0; i < a->count && label.size == 0; i++)
        if (has_softmax_step(a, &a->chains[i]))
            label = label_of(graph_of(a, &a->chains[i]), a->chains[i].chain);
    if (label.size == 0)
        return NULL;
    for (uint32_t i = 0; i < a->count; i++) {
        if (mlia_str_equal(label_of(graph_of(a, &a->chains[i]), a->chains[i].chain), label))
            add_chain(a, &a->chains[i], &list);
    }
    double part = share(a, list.cycles);
    if (part < GAIN)
        return NULL;
    mlia_value *details = mlia_value_object(a->report->arena);
    if (details == NULL || !set_number(a, details, "total_cycles", list.cycles) ||
        !set_number(a, details, "chains", list.count) ||
        !set_number(a, details, "share_percent", percent(part)))
        return mlia_error_memory();
    return add(a, MLIA_STR("nx.softmax-share"), MLIA_ADVICE_OPTIMIZATION, MLIA_SEVERITY_INFO, list.entities,
               list.count, details,
               mlia_arena_format(a->report->arena,
                                 "The softmax (%.*s) is computed in %u chains, %.0f cycles or %.1f %% of "
                                 "all; where only the largest "
                                 "class is needed, the model can end before it.",
                                 MLIA_STR_ARG(label), list.count, list.cycles, percent(part)));
}

static mlia_status *advise_list(const adviser *a, mlia_str id, mlia_advice_severity severity,
                                bool (*wanted)(const adviser *, const chain_ref *), const char *text)
{
    chain_list list;
    MLIA_TRY(collect(a, wanted, &list));
    if (list.count == 0 || share(a, list.cycles) < LIST_SHARE)
        return NULL;
    double waste = 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (wanted == wastes_channels && wanted(a, &a->chains[i]))
            waste = fmax(waste, padding_waste(a->chains[i].chain));
    mlia_value *details = mlia_value_object(a->report->arena);
    bool done = details != NULL && set_number(a, details, "chains", list.count) &&
                set_number(a, details, "total_cycles", list.cycles) &&
                set_number(a, details, "share_percent", percent(share(a, list.cycles))) &&
                (waste <= 0 || set_number(a, details, "waste_percent", percent(waste)));
    if (!done)
        return mlia_error_memory();
    char waste_text[48] = "";
    if (waste > 0)
        snprintf(waste_text, sizeof waste_text, " (up to %.1f %% more)", percent(waste));
    return add(a, id, MLIA_ADVICE_OPTIMIZATION, severity, list.entities, list.count, details,
               mlia_arena_format(a->report->arena, "%u chain%s (%.0f cycles, %.1f %% of all) %s%s: %s.",
                                 list.count, list.count == 1 ? "" : "s", list.cycles,
                                 percent(share(a, list.cycles)), text, waste_text, list.names));
}

/* ---- the whole model ---- */

static mlia_status *advise_cascades(const adviser *a)
{
    const mlia_estimate *estimate = a->report->estimate;
    if (estimate->config->cascade_enable > 0 || a->total <= 0)
        return NULL;
    mlia_estimate_config config = *estimate->config;
    config.cascade_enable = 1;
    mlia_estimate_input *inputs =
        MLIA_NEW_ARRAY(a->report->arena, mlia_estimate_input, estimate->segment_count);
    MLIA_TRY_ALLOC(inputs);
    for (uint32_t i = 0; i < estimate->segment_count; i++)
        inputs[i] = (mlia_estimate_input){estimate->segments[i].index, estimate->segments[i].name,
                                          estimate->segments[i].graph};
    mlia_arena *arena = mlia_arena_new(0);
    MLIA_TRY_ALLOC(arena);
    mlia_estimate *other = NULL;
    mlia_status *status = mlia_estimate_run(inputs, estimate->segment_count, &config, arena, NULL, &other);
    double cycles = status == NULL ? (double)other->cost.total_cycles : a->total;
    double bytes = status == NULL ? (double)other->cost.memories[MLIA_MEMORY_DRAM].read_bytes +
                                        (double)other->cost.memories[MLIA_MEMORY_DRAM].write_bytes
                                  : 0;
    mlia_arena_free(arena);
    if (status != NULL)
        return status;
    const mlia_traffic *dram = &estimate->cost.memories[MLIA_MEMORY_DRAM];
    double saved_bytes = (double)dram->read_bytes + (double)dram->write_bytes - bytes;
    if (share(a, a->total - cycles) < GAIN)
        return NULL;
    mlia_value *details = mlia_value_object(a->report->arena);
    if (details == NULL || !set_number(a, details, "saved_cycles", a->total - cycles) ||
        !set_number(a, details, "saved_dram_bytes", saved_bytes) ||
        !set_number(a, details, "share_percent", percent(share(a, a->total - cycles))))
        return mlia_error_memory();
    return add(a, MLIA_STR("nx.cascade-gain"), MLIA_ADVICE_OPTIMIZATION, MLIA_SEVERITY_INFO, NULL, 0, details,
               mlia_arena_format(a->report->arena,
                                 "With cascades (compiler configuration \"cascade\") the model would take "
                                 "%.0f cycles instead of %.0f "
                                 "(%.1f %% less) and move %.0f bytes less through DRAM.",
                                 cycles, a->total, percent(share(a, a->total - cycles)), saved_bytes));
}

static mlia_status *advise_unestimated(const adviser *a)
{
    mlia_nx_report *report = a->report;
    uint32_t count = 0;
    for (uint32_t k = 0; k < report->estimate->segment_count; k++)
        count += report->estimate->segments[k].unestimated_count;
    if (count == 0)
        return NULL;
    mlia_entity_ref *entities = MLIA_NEW_ARRAY(report->arena, mlia_entity_ref, count);
    mlia_value *details = mlia_value_object(report->arena);
    MLIA_TRY_ALLOC(entities);
    MLIA_TRY_ALLOC(details);
    count = 0;
    for (uint32_t k = 0; k < report->estimate->segment_count; k++) {
        const mlia_estimate_segment *s = &report->estimate->segments[k];
        for (uint32_t i = 0; i < s->unestimated_count; i++)
            entities[count++] = report->provenance[k].operators[s->unestimated[i].operator_index];
    }
    if (!set_number(a, details, "operators", count))
        return mlia_error_memory();
    return add(
        a, MLIA_STR("nx.unestimated"), MLIA_ADVICE_PERFORMANCE, MLIA_SEVERITY_WARNING, entities, count,
        details,
        mlia_arena_format(a->report->arena,
                          "%u operator%s no estimate and %s not in any figure; the real model takes longer.",
                          count, count == 1 ? " has" : "s have", count == 1 ? "is" : "are"));
}

static mlia_status *advise_calibration(const adviser *a)
{
    mlia_arena *arena = a->report->arena;
    const mlia_estimate *estimate = a->report->estimate;
    bool calibrated = mlia_config_is_calibrated(estimate->config);
    double cycles[3] = {0};
    for (uint32_t i = 0; i < a->count; i++)
        cycles[a->chains[i].chain->confidence] += (double)a->chains[i].chain->cost.total_cycles;
    mlia_value *details = mlia_value_object(arena);
    bool done =
        details != NULL &&
        mlia_value_set(arena, details, MLIA_STR("reference_set"),
                       mlia_value_string(arena, MLIA_STR(MLIA_NX_CALIBRATION_SET))) &&
        set_number(a, details, "total_cycles_error_percent", MLIA_NX_TOTAL_ERROR_PERCENT) &&
        set_number(a, details, "compute_cycles_error_percent", MLIA_NX_COMPUTE_ERROR_PERCENT) &&
        set_number(a, details, "calibrated_percent", percent(share(a, cycles[MLIA_CONFIDENCE_CALIBRATED])));
    if (!done)
        return mlia_error_memory();
    return add(
        a, MLIA_STR("nx.calibration"), MLIA_ADVICE_PERFORMANCE, MLIA_SEVERITY_INFO, NULL, 0, details,
        mlia_arena_format(
            a->report->arena,
            "Figures come from the open analytical model, revision " MLIA_ESTIMATE_REVISION
            "; on its public reference set the error of total_cycles is at most %d %%. Of this model %.1f "
            "%% of the "
            "cycles are calibrated, %.1f %% extrapolated, %.1f %% assumed.%s",
            MLIA_NX_TOTAL_ERROR_PERCENT, percent(share(a, cycles[MLIA_CONFIDENCE_CALIBRATED])),
            percent(share(a, cycles[MLIA_CONFIDENCE_EXTRAPOLATED])),
            percent(share(a, cycles[MLIA_CONFIDENCE_ASSUMED])),
            calibrated ? "" : " The system configuration in force is assumed, not calibrated."));
}

mlia_status *mlia_nx_report_advice(mlia_nx_report *report)
{
    adviser a = {.report = report, .total = (double)report->estimate->cost.total_cycles};
    for (uint32_t k = 0; k < report->estimate->segment_count; k++)
        a.count += report->estimate->segments[k].chain_count;
    a.chains = MLIA_NEW_ARRAY(report->arena, chain_ref, a.count);
    MLIA_TRY_ALLOC(a.chains);
    a.count = 0;
    for (uint32_t k = 0; k < report->estimate->segment_count; k++)
        for (uint32_t i = 0; i < report->estimate->segments[k].chain_count; i++)
            a.chains[a.count++] = (chain_ref){k, i, &report->estimate->segments[k].chains[i]};
    qsort(a.chains, a.count, sizeof *a.chains, by_cycles);
    MLIA_TRY(advise_bounds(&a));
    MLIA_TRY(advise_list(&a, MLIA_STR("nx.channel-padding"), MLIA_SEVERITY_WARNING, wastes_channels,
                         "have output channels that are no multiple of 32, which are padded"));
    MLIA_TRY(advise_list(&a, MLIA_STR("nx.layout-change"), MLIA_SEVERITY_WARNING, moves_data,
                         "only change the layout of a tensor, often inserted by a conversion"));
    MLIA_TRY(advise_softmax(&a));
    MLIA_TRY(advise_list(&a, MLIA_STR("nx.int8-gain"), MLIA_SEVERITY_INFO, is_float,
                         "compute in floating point and would take a fraction of it in int8"));
    MLIA_TRY(advise_unestimated(&a));
    if (!report->external)
        MLIA_TRY(advise_cascades(&a));
    MLIA_TRY(advise_top(&a));
    return report->external ? NULL : advise_calibration(&a);
}
