/* Every accepted capture gives the expected figures, every refused one the expected kind. The captures are
 * built by tests/data/capture/make_captures.py, whose expected tables come from what it put in. */
#include "measure/measure.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "test_support.h"

#define SOURCE MLIA_TEST_DATA "/capture"

static char folder[] = "/tmp/mlia_measure_test_XXXXXX";

static int build_captures(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    char command[512];
    snprintf(command, sizeof command, "python3 '%s/make_captures.py' '%s'", SOURCE, folder);
    return system(command);
}

static int remove_captures(void **state)
{
    (void)state;
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static json_t *load(const char *base, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", base, name);
    json_error_t error;
    json_t *value = json_load_file(path, 0, &error);
    if (value == NULL)
        fail_msg("%s: %s", path, error.text);
    return value;
}

/* The segments of a model as models/segments.json describes them. */
static size_t load_segments(mlia_arena *arena, const char *model, mlia_measure_segment *segments, size_t most)
{
    json_t *all = load(SOURCE "/models", "segments.json");
    const json_t *list = json_object_get(all, model);
    size_t count = json_array_size(list);
    assert_true(count > 0 && count <= most);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        mlia_str name = mlia_str_from_c(json_string_value(json_object_get(item, "name")));
        const char *file = json_string_value(json_object_get(item, "spirv"));
        segments[i] =
            (mlia_measure_segment){.index = (uint32_t)json_integer_value(json_object_get(item, "index")),
                                   .name = mlia_arena_str(arena, name),
                                   .is_graph = file != NULL};
        if (file == NULL)
            continue;
        mlia_str path = mlia_arena_format(arena, "%s/models/%s", SOURCE, file);
        mlia_file *opened;
        assert_ok(mlia_file_read(path.data, SIZE_MAX / 2, &opened));
        mlia_bytes bytes = mlia_file_bytes(opened);
        mlia_str copy = mlia_arena_str(arena, (mlia_str){(const char *)bytes.data, bytes.size});
        segments[i].spirv = (mlia_bytes){(const uint8_t *)copy.data, copy.size};
        mlia_file_free(opened);
    }
    json_decref(all);
    return count;
}

/* Runs one case; `base` is the folder of its inputs. */
static mlia_status *run(mlia_arena *arena, const json_t *entry, const char *base, mlia_measure_inputs *inputs,
                        mlia_selection *selection, mlia_measurement *measurement)
{
    const json_t *paths = json_object_get(entry, "profiling_data");
    mlia_str given[8];
    for (size_t i = 0; i < json_array_size(paths); i++)
        given[i] = mlia_arena_format(arena, "%s/%s", base, json_string_value(json_array_get(paths, i)));
    mlia_measure_segment segments[8];
    size_t count = 0;
    const char *model = json_string_value(json_object_get(entry, "model"));
    if (model != NULL)
        count = load_segments(arena, model, segments, 8);
    MLIA_TRY(mlia_measure_open(given, json_array_size(paths), arena, inputs));
    mlia_status *status = mlia_measure_select(inputs, count ? segments : NULL, count, arena, selection);
    if (status == NULL)
        status = mlia_measure(selection, arena, measurement);
    if (status != NULL)
        mlia_measure_close(inputs);
    return status;
}

static void assert_number(const json_t *object, const char *key, uint64_t value)
{
    assert_int_equal(json_integer_value(json_object_get(object, key)), value);
}

static void assert_text(const json_t *object, const char *key, mlia_str value)
{
    const char *expected = json_string_value(json_object_get(object, key));
    if (expected == NULL || !mlia_str_equal_c(value, expected))
        fail_msg("%s: expected '%s', found '%.*s'", key, expected, MLIA_STR_ARG(value));
}

static void check_stripe(const mlia_measurement *measurement, const mlia_measured_stripe *stripe,
                         const json_t *expected)
{
    assert_number(expected, "id", stripe->index);
    assert_text(expected, "chain", measurement->chains[stripe->chain].local);
    assert_text(expected, "cascade", measurement->cascades[stripe->cascade].local);
    assert_number(expected, "op_cycles", stripe->sums.op_cycles);
    assert_number(expected, "total_cycles", stripe->sums.total_cycles);
    const json_t *counters = json_object_get(expected, "counters");
    const mlia_statistics_layout *layout = measurement->layout;
    size_t count = 0;
    for (uint32_t i = 0; stripe->sums.counted && i < layout->word_count; i++) {
        if (layout->names[i].size == 0)
            continue;
        assert_number(counters, layout->names[i].data, stripe->sums.words[i]);
        count++;
    }
    assert_int_equal(count, json_object_size(counters));
}

static void check_segment(const mlia_measurement *measurement, const mlia_measured_segment *segment,
                          const json_t *expected)
{
    const mlia_capture *capture = measurement->capture;
    const mlia_capture_dispatch *dispatch = segment->pick->dispatch;
    assert_number(expected, "segment_index", segment->pick->segment_index);
    assert_text(expected, "segment_name", segment->pick->segment_name);
    assert_number(expected, "pipeline_id", capture->pipelines[dispatch->pipeline].id);
    assert_number(expected, "session_id", capture->sessions[dispatch->session].id);
    assert_number(expected, "dispatch_id", dispatch->id);
    assert_number(expected, "executed_index", dispatch->executed_index);
    assert_number(expected, "op_cycles", segment->op_cycles);
    assert_number(expected, "total_cycles", segment->total_cycles);
    const json_t *stripes = json_object_get(expected, "stripes");
    assert_int_equal(json_array_size(stripes), segment->stripe_count);
    for (size_t i = 0; i < segment->stripe_count; i++)
        check_stripe(measurement, &segment->stripes[i], json_array_get(stripes, i));
}

static void check_notes(const mlia_measurement *measurement, const json_t *expected)
{
    size_t kinds = 0;
    for (size_t i = 0; i < MLIA_MEASURE_NOTES; i++) {
        const mlia_measure_note *note = &measurement->notes[i];
        const json_t *items = json_object_get(expected, mlia_kind_name(note->kind));
        kinds += note->count > 0;
        assert_int_equal(json_array_size(items), note->count);
        for (size_t k = 0; k < note->count; k++) {
            const json_t *item = json_array_get(items, k);
            char number[32];
            snprintf(number, sizeof number, "%" JSON_INTEGER_FORMAT, json_integer_value(item));
            assert_true(
                mlia_str_equal_c(note->items[k], json_is_integer(item) ? number : json_string_value(item)));
        }
    }
    assert_int_equal(kinds, json_object_size(expected));
}

static void check_good(const json_t *entry)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_measure_inputs inputs;
    mlia_selection selection;
    mlia_measurement measurement;
    char valid[sizeof folder + 8];
    snprintf(valid, sizeof valid, "%s/valid", folder);
    assert_ok(run(arena, entry, valid, &inputs, &selection, &measurement));
    json_t *expected = load(mlia_arena_format(arena, "%s/expected", folder).data,
                            json_string_value(json_object_get(entry, "expected")));
    const json_t *device = json_object_get(expected, "device");
    assert_text(device, "name", measurement.device->name);
    assert_text(device, "profiling_device", mlia_generation_name(measurement.generation));
    assert_number(expected, "mode", measurement.capture->mode);
    const json_t *segments = json_object_get(expected, "segments");
    assert_int_equal(json_array_size(segments), measurement.segment_count);
    for (size_t i = 0; i < measurement.segment_count; i++)
        check_segment(&measurement, &measurement.segments[i], json_array_get(segments, i));
    check_notes(&measurement, json_object_get(expected, "warning_kinds"));
    json_decref(expected);
    mlia_measure_close(&inputs);
    mlia_arena_free(arena);
}

static void good_cases(void **state)
{
    (void)state;
    char expected[sizeof folder + 16];
    snprintf(expected, sizeof expected, "%s/expected", folder);
    json_t *cases = load(expected, "cases.json");
    const json_t *good = json_object_get(cases, "good");
    assert_int_equal(json_array_size(good), 14);
    for (size_t i = 0; i < json_array_size(good); i++)
        check_good(json_array_get(good, i));
    json_decref(cases);
}

/* NULL, or what came instead of the expected kind. */
static const char *check_refused(const json_t *entry)
{
    mlia_arena *arena = mlia_arena_new(0);
    mlia_measure_inputs inputs;
    mlia_selection selection;
    mlia_measurement measurement;
    const char *expected = json_string_value(json_object_get(entry, "kind"));
    mlia_str base =
        mlia_arena_format(arena, "%s/refused/%s", folder, json_string_value(json_object_get(entry, "case")));
    mlia_status *status = run(arena, entry, base.data, &inputs, &selection, &measurement);
    const char *found = "accepted";
    if (status == NULL)
        mlia_measure_close(&inputs);
    else
        found = mlia_kind_name(mlia_status_kind(status));
    bool complete = status != NULL && mlia_status_message(status).size &&
                    mlia_status_path_text(status).size &&
                    (mlia_status_hint_text(status).size || mlia_status_kind(status) == MLIA_E_SPIRV);
    if (!complete && status != NULL)
        found = "no path or no hint";
    mlia_status_free(status);
    mlia_arena_free(arena);
    return complete && strcmp(found, expected) == 0 ? NULL : found;
}

static void refused_cases(void **state)
{
    (void)state;
    char expected[sizeof folder + 16];
    snprintf(expected, sizeof expected, "%s/expected", folder);
    json_t *cases = load(expected, "cases.json");
    const json_t *refused = json_object_get(cases, "refused");
    size_t faults = 0;
    size_t tried = 0;
    for (size_t i = 0; i < json_array_size(refused); i++) {
        const json_t *entry = json_array_get(refused, i);
        const char *model = json_string_value(json_object_get(entry, "model"));
        if (model != NULL && strstr(model, ".vgf") == NULL)
            continue; /* refused before captures are looked at */
        tried++;
        const char *found = check_refused(entry);
        if (found == NULL)
            continue;
        faults++;
        print_error("%s: expected %s: %s\n", json_string_value(json_object_get(entry, "case")),
                    json_string_value(json_object_get(entry, "kind")), found);
    }
    json_decref(cases);
    assert_int_equal(faults, 0);
    assert_int_equal(tried, 105);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_cases),
        cmocka_unit_test(refused_cases),
    };
    return cmocka_run_group_tests(tests, build_captures, remove_captures);
}
