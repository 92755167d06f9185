/* Names, formats and members that this program promises in its own documents: what $defs/strict of the JSON
 * schema demands beyond its root. */
#include "result/check.h"
#include "result/pattern.h"

/* Blank-separated words, one of which the text must be. */
static bool is_one_of(mlia_str text, const char *words)
{
    mlia_str rest = mlia_str_from_c(words);
    while (rest.size > 0) {
        size_t end = mlia_str_find(rest, ' ');
        if (mlia_str_equal(mlia_str_slice(rest, 0, end), text))
            return true;
        rest = end == SIZE_MAX ? MLIA_STR_NONE : mlia_str_slice(rest, end + 1, SIZE_MAX);
    }
    return false;
}

static void demand(mlia_faults *faults, bool kept, const mlia_step *owner, const char *member,
                   const char *what)
{
    mlia_step place = mlia_step_member(owner, member);
    if (!kept)
        mlia_fault_add(faults, "schema", &place, "%s", what);
}

static void check_entity(const mlia_entity *entity, const mlia_step *at, mlia_faults *faults)
{
    demand(faults, entity->placement.size == 0 || is_one_of(entity->placement, "NX NPU CPU GPU DSP Unknown"),
           at, "placement", "not one of NX, NPU, CPU, GPU, DSP, Unknown");
}

static void check_breakdown(const mlia_breakdown *breakdown, const mlia_step *at, mlia_faults *faults)
{
    demand(faults, breakdown->metrics.count > 0, at, "metrics", "a breakdown needs a metric");
    mlia_step list = mlia_step_member(at, "metrics");
    for (size_t i = 0; i < breakdown->metrics.count; i++) {
        const mlia_metric *metric = &breakdown->metrics.items[i];
        mlia_step place = mlia_step_item(&list, i);
        demand(faults, metric->unavailable || is_one_of(metric->aggregation, "sum max min mean"), &place,
               "aggregation", "not one of sum, max, min, mean");
    }
}

static void check_status(const mlia_result *result, const mlia_step *at, mlia_faults *faults)
{
    bool failed = result->status == MLIA_RESULT_STATUS_FAILED;
    demand(faults, result->kind != MLIA_RESULT_PERFORMANCE || result->mode != MLIA_RESULT_MODE_NONE, at,
           "mode", "a performance result needs a mode");
    demand(faults, failed == (result->errors.count > 0), at, "errors",
           failed ? "a failed result names its errors" : "only a failed result has errors");
    bool has_failed_check = false;
    for (size_t i = 0; i < result->checks.count; i++)
        has_failed_check = has_failed_check || result->checks.items[i].status == MLIA_CHECK_FAIL;
    demand(faults,
           result->kind != MLIA_RESULT_COMPATIBILITY || result->status != MLIA_RESULT_STATUS_INCOMPATIBLE ||
               has_failed_check,
           at, "checks", "an incompatible result needs a failed check");
}

static void check_result(const mlia_result *result, const mlia_step *at, mlia_faults *faults)
{
    check_status(result, at, faults);
    mlia_step entities = mlia_step_member(at, "entities");
    for (size_t i = 0; i < result->entities.count; i++) {
        mlia_step place = mlia_step_item(&entities, i);
        check_entity(&result->entities.items[i], &place, faults);
    }
    mlia_step breakdowns = mlia_step_member(at, "breakdowns");
    for (size_t i = 0; i < result->breakdowns.count; i++) {
        mlia_step place = mlia_step_item(&breakdowns, i);
        check_breakdown(&result->breakdowns.items[i], &place, faults);
    }
    mlia_step checks = mlia_step_member(at, "checks");
    for (size_t i = 0; i < result->checks.count; i++) {
        mlia_step place = mlia_step_item(&checks, i);
        demand(faults, result->checks.items[i].entity_id.data != NULL, &place, "entity_id",
               "a check names its entity");
    }
    mlia_step advice = mlia_step_member(at, "advice");
    for (size_t i = 0; i < result->advice.count; i++) {
        mlia_step place = mlia_step_item(&advice, i);
        demand(faults, mlia_pattern_advice_id(result->advice.items[i].id), &place, "id",
               "not words of a-z0-9 joined by . or -");
    }
}

void mlia_document_check_names(const mlia_document *document, mlia_faults *faults)
{
    demand(faults, mlia_pattern_uuid_strict(document->run_id), NULL, "run_id",
           "not a lower-case RFC 9562 UUID");
    demand(faults, mlia_pattern_timestamp_strict(document->timestamp), NULL, "timestamp",
           "not of the form 2026-01-01T00:00:00.000Z");
    mlia_step tool = mlia_step_member(NULL, "tool");
    demand(faults, mlia_str_equal(document->tool.name, MLIA_STR("mlia")), &tool, "name", "not 'mlia'");
    demand(faults, mlia_pattern_tool_version(document->tool.version), &tool, "version", "not X.Y.Z");
    mlia_step model = mlia_step_member(NULL, "model");
    demand(faults, document->model.has_size, &model, "size_bytes", "the size is missing");
    demand(faults, mlia_pattern_sha256_lower(document->model.hash), &model, "hash", "not in lower case");
    demand(faults, is_one_of(document->model.format, "tflite tosa tosamlir vgf pt2 pte etrecord spv"), &model,
           "format", "not one of tflite, tosa, tosamlir, vgf, pt2, pte, etrecord, spv");
    mlia_step backends = mlia_step_member(NULL, "backends");
    for (size_t i = 0; i < document->backends.count; i++) {
        mlia_step place = mlia_step_item(&backends, i);
        demand(faults, mlia_pattern_backend_id(document->backends.items[i].id), &place, "id",
               "not of a-z, 0-9 and -");
    }
    demand(faults, document->results.count > 0, NULL, "results", "a document needs a result");
    mlia_step results = mlia_step_member(NULL, "results");
    for (size_t i = 0; i < document->results.count; i++) {
        mlia_step place = mlia_step_item(&results, i);
        check_result(&document->results.items[i], &place, faults);
    }
}
