/* From chosen dispatches to figures: checks, decoding, and sums per stripe, chain, cascade and segment. */
#include "measure/measure.h"

#include <inttypes.h>
#include <stdio.h>

#include "measure/join.h"
#include "measure/module.h"

/* Checks before anything is decoded. */

static mlia_status *unavailable(const mlia_capture *capture, const mlia_capture_pipeline *pipeline,
                                mlia_artifact_type type)
{
    for (uint32_t i = 0; i < capture->warning_count; i++) {
        char text[96];
        snprintf(text, sizeof text, "%s was unavailable for pipeline %" PRIu64,
                 type == MLIA_ARTIFACT_DEBUG_DATABASE ? "debug database" : "neural statistics info",
                 pipeline->id);
        if (type != MLIA_ARTIFACT_SHADER_MODULE && mlia_str_equal_c(capture->warnings[i], text))
            return mlia_error(MLIA_E_ARTIFACT_UNAVAILABLE, "the capture says: '%s'", text);
    }
    return mlia_error(MLIA_E_ARTIFACT_UNAVAILABLE, "pipeline %" PRIu64 " has no %.*s", pipeline->id,
                      MLIA_STR_ARG(mlia_artifact_type_name(type)));
}

static const mlia_capture_pipeline *pipeline_of(const mlia_capture *capture, const mlia_measure_pick *pick)
{
    return &capture->pipelines[pick->dispatch->pipeline];
}

static mlia_status *check_pipelines(const mlia_selection *selection)
{
    const mlia_capture *capture = selection->capture;
    uint32_t device = pipeline_of(capture, &selection->picks[0])->device;
    for (size_t i = 1; i < selection->count; i++) {
        uint32_t other = pipeline_of(capture, &selection->picks[i])->device;
        if (other != device)
            return mlia_error(MLIA_E_SELECT_DEVICES, "the dispatches ran on devices %" PRIu64 " and %" PRIu64,
                              capture->devices[device].id, capture->devices[other].id);
    }
    for (size_t i = 0; i < selection->count; i++) {
        const mlia_capture_pipeline *pipeline = pipeline_of(capture, &selection->picks[i]);
        for (mlia_artifact_type type = 0; type < MLIA_ARTIFACT_DISPATCH_STATISTICS; type++)
            if (pipeline->artifacts[type].path.size == 0)
                return unavailable(capture, pipeline, type);
    }
    return NULL;
}

static mlia_status *check_device(const mlia_capture_device *device, mlia_generation *generation)
{
    if (!device->vendor_id.present)
        return mlia_error(MLIA_E_DEVICE_VENDOR, "the device has no vendor id, expected 0x%04X",
                          MLIA_VENDOR_ARM);
    if (device->vendor_id.value != MLIA_VENDOR_ARM)
        return mlia_error(MLIA_E_DEVICE_VENDOR, "vendor 0x%04" PRIX32 ", expected 0x%04X",
                          device->vendor_id.value, MLIA_VENDOR_ARM);
    *generation = mlia_generation_of_device(device->name);
    return *generation != MLIA_GENERATION_NONE
               ? NULL
               : mlia_error(MLIA_E_DEVICE_NAME, "device '%.*s' is of no known generation",
                            MLIA_STR_ARG(mlia_str_slice(device->name, 0, 200)));
}

/* Decoding. */

static mlia_status *in_file(mlia_status *status, const mlia_capture *capture,
                            const mlia_capture_artifact *artifact, mlia_arena *arena)
{
    if (status == NULL)
        return NULL;
    mlia_str path = mlia_arena_format(arena, "%s/%s", capture->shown.data, artifact->path.data);
    return mlia_capture_advise(mlia_status_path(status, path));
}

static mlia_status *read_module(mlia_measurement *measurement, mlia_measured_segment *segment,
                                mlia_arena *arena)
{
    const mlia_capture_artifact *file =
        &pipeline_of(measurement->capture, segment->pick)->artifacts[MLIA_ARTIFACT_SHADER_MODULE];
    mlia_measured_module *module = MLIA_NEW(arena, mlia_measured_module);
    mlia_bytes code;
    MLIA_TRY_ALLOC(module);
    MLIA_TRY(mlia_capture_read_artifact(measurement->capture, file, arena, &code));
    segment->module = module;
    return in_file(mlia_measured_module_read(code, arena, module), measurement->capture, file, arena);
}

static mlia_status *consume_block(void *context, mlia_bytes block)
{
    return mlia_statistics_block(context, block);
}

static mlia_status *read_statistics(const mlia_measurement *measurement, const mlia_measured_segment *segment,
                                    const mlia_stripe_list *list, mlia_arena *arena,
                                    const mlia_stripe_sums **sums)
{
    const mlia_capture_artifact *file = &segment->pick->dispatch->statistics;
    mlia_statistics_decoder decoder;
    mlia_status *status =
        mlia_statistics_begin(&decoder, measurement->layout, file->identity.size, list, arena);
    if (status == NULL)
        status = mlia_capture_stream_artifact(measurement->capture, file,
                                              (size_t)mlia_statistics_block_bytes(measurement->layout),
                                              consume_block, &decoder);
    if (status == NULL)
        status = mlia_statistics_end(&decoder);
    *sums = decoder.sums;
    return in_file(status, measurement->capture, file, arena);
}

static mlia_status *read_segment(mlia_measurement *measurement, mlia_measured_segment *segment,
                                 mlia_debug_database *database, mlia_arena *arena)
{
    const mlia_capture *capture = measurement->capture;
    const mlia_capture_pipeline *pipeline = pipeline_of(capture, segment->pick);
    const mlia_capture_artifact *info = &pipeline->artifacts[MLIA_ARTIFACT_STATISTICS_INFO];
    const mlia_capture_artifact *debug = &pipeline->artifacts[MLIA_ARTIFACT_DEBUG_DATABASE];
    mlia_bytes bytes;
    mlia_stripe_list list;
    const mlia_stripe_sums *sums;
    MLIA_TRY(mlia_capture_read_artifact(capture, info, arena, &bytes));
    MLIA_TRY(in_file(
        mlia_stripe_list_decode(bytes, mlia_str_ends_with(info->path, MLIA_STR(".txt")), arena, &list),
        capture, info, arena));
    MLIA_TRY(read_statistics(measurement, segment, &list, arena, &sums));
    mlia_measured_stripe *stripes = MLIA_NEW_ARRAY(arena, mlia_measured_stripe, list.count);
    MLIA_TRY_ALLOC(stripes);
    for (size_t i = 0; i < list.count; i++) {
        stripes[i] = (mlia_measured_stripe){.index = list.indexes[i], .sums = sums[i]};
        segment->op_cycles = mlia_measure_add(segment->op_cycles, sums[i].op_cycles);
        segment->total_cycles = mlia_measure_add(segment->total_cycles, sums[i].total_cycles);
    }
    segment->stripes = stripes;
    segment->stripe_count = list.count;
    MLIA_TRY(mlia_capture_read_artifact(capture, debug, arena, &bytes));
    return in_file(mlia_debug_database_decode(bytes, arena, database), capture, debug, arena);
}

/* Notes. */

static const struct {
    mlia_kind kind;
    const char *text;
} note_texts[MLIA_MEASURE_NOTES] = {
    {MLIA_W_COMPUTE_SKIPPED, "compute segments of the VGF are not in the totals"},
    {MLIA_W_EXECUTED_INDEX_DIFFERS, "the dispatches may be of different runs, their executed indexes differ"},
    {MLIA_W_STRIPE_UNMAPPED, "the debug database does not lead from these stripes to a chain and a cascade"},
    {MLIA_W_DEBUG_DANGLING, "the debug database names rows that it does not have"},
    {MLIA_W_LABEL_AMBIGUOUS, "several operators of the SPIR-V module have these labels"},
    {MLIA_W_LABEL_UNMATCHED, "no operator of the SPIR-V module has these labels"},
    {MLIA_W_NX_ACTIVE_ZERO, "nx_active is 0; the sum of all counters stands for the total of these stripes"},
    {MLIA_W_UNLABELLED_WORDS, "words without a public name are not zero in these stripes"},
};

mlia_status *mlia_measure_append_note(mlia_measurement *measurement, mlia_kind kind, mlia_str item,
                                      mlia_arena *arena)
{
    mlia_measure_note *note = measurement->notes;
    while (note->kind != kind)
        note++;
    MLIA_TRY_ALLOC(item.data);
    if (!MLIA_RESERVE(arena, note->items, note->count, note->capacity))
        return mlia_error_memory();
    note->items[note->count++] = item;
    return NULL;
}

mlia_status *mlia_measure_add_note(mlia_measurement *measurement, mlia_kind kind, mlia_str item,
                                   mlia_arena *arena)
{
    MLIA_TRY_ALLOC(item.data);
    mlia_str key = mlia_arena_format(arena, "%d %.*s", (int)kind, MLIA_STR_ARG(item));
    MLIA_TRY_ALLOC(key.data);
    bool is_new;
    if (mlia_map_insert(&measurement->noted, key, 0, &is_new) == NULL)
        return mlia_error_memory();
    return is_new ? mlia_measure_append_note(measurement, kind, item, arena) : NULL;
}

mlia_str mlia_measure_note_text(const mlia_measure_note *note, mlia_arena *arena)
{
    enum { SHOWN = 5 };
    size_t row = 0;
    while (note_texts[row].kind != note->kind)
        row++;
    mlia_str text = mlia_arena_format(arena, "[%s] %s: ", mlia_kind_name(note->kind), note_texts[row].text);
    for (size_t i = 0; text.data && i < note->count && i < SHOWN; i++)
        text = mlia_arena_format(arena, "%.*s%s%.*s", MLIA_STR_ARG(text), i ? ", " : "",
                                 MLIA_STR_ARG(note->items[i]));
    if (text.data && note->count > SHOWN)
        text = mlia_arena_format(arena, "%.*s, ... (%zu more)", MLIA_STR_ARG(text), note->count - SHOWN);
    return text;
}

static bool indexes_differ(const mlia_selection *selection)
{
    for (size_t i = 1; i < selection->count; i++)
        if (selection->picks[i].dispatch->executed_index != selection->picks[0].dispatch->executed_index)
            return true;
    return false;
}

static mlia_status *note_selection(mlia_measurement *measurement, const mlia_selection *selection,
                                   mlia_arena *arena)
{
    for (size_t i = 0; i < selection->skipped_count; i++)
        MLIA_TRY(mlia_measure_append_note(measurement, MLIA_W_COMPUTE_SKIPPED,
                                          mlia_arena_format(arena, "%" PRIu32, selection->skipped[i]),
                                          arena));
    for (size_t i = 0; indexes_differ(selection) && i < selection->count; i++)
        MLIA_TRY(mlia_measure_append_note(
            measurement, MLIA_W_EXECUTED_INDEX_DIFFERS,
            mlia_arena_format(arena, "%" PRIu64, selection->picks[i].dispatch->executed_index), arena));
    return NULL;
}

static mlia_status *measure_segments(mlia_measurement *measurement, mlia_arena *arena)
{
    size_t count = measurement->segment_count;
    mlia_debug_database *databases = MLIA_NEW_ARRAY(arena, mlia_debug_database, count);
    MLIA_TRY_ALLOC(databases);
    for (size_t i = 0; i < count; i++)
        MLIA_TRY(read_module(measurement, &measurement->segments[i], arena));
    for (size_t i = 0; i < count; i++)
        MLIA_TRY(read_segment(measurement, &measurement->segments[i], &databases[i], arena));
    for (size_t i = 0; i < count; i++) {
        const mlia_capture_pipeline *pipeline =
            pipeline_of(measurement->capture, measurement->segments[i].pick);
        MLIA_TRY(in_file(mlia_measure_join(measurement, (uint32_t)i, &databases[i], arena),
                         measurement->capture, &pipeline->artifacts[MLIA_ARTIFACT_DEBUG_DATABASE], arena));
    }
    return NULL;
}

static mlia_status *measure(const mlia_selection *selection, mlia_arena *arena, mlia_measurement *measurement)
{
    const mlia_capture *capture = selection->capture;
    MLIA_TRY(check_pipelines(selection));
    measurement->device = &capture->devices[pipeline_of(capture, &selection->picks[0])->device];
    MLIA_TRY(check_device(measurement->device, &measurement->generation));
    measurement->layout = mlia_statistics_layout_of(capture->mode, measurement->generation);
    MLIA_TRY_ALLOC(measurement->segments);
    for (size_t i = 0; i < selection->count; i++)
        measurement->segments[i].pick = &selection->picks[i];
    MLIA_TRY(note_selection(measurement, selection, arena));
    return measure_segments(measurement, arena);
}

mlia_status *mlia_measure(const mlia_selection *selection, mlia_arena *arena, mlia_measurement *measurement)
{
    *measurement =
        (mlia_measurement){.capture = selection->capture,
                           .segments = MLIA_NEW_ARRAY(arena, mlia_measured_segment, selection->count),
                           .segment_count = selection->count,
                           .noted = mlia_map_in(arena)};
    for (size_t i = 0; i < MLIA_MEASURE_NOTES; i++)
        measurement->notes[i].kind = note_texts[i].kind;
    mlia_status *status = measure(selection, arena, measurement);
    return mlia_capture_advise(mlia_status_path(status, selection->capture->shown));
}

static bool is_stated(mlia_kind kind)
{
    return kind == MLIA_E_DEVICE_VENDOR || kind == MLIA_E_DEVICE_NAME || kind == MLIA_E_ARTIFACT_UNAVAILABLE;
}

mlia_status *mlia_measure_check(const mlia_capture *capture)
{
    for (uint32_t i = 0; i < capture->dispatch_count; i++) {
        mlia_arena *arena = mlia_arena_new(0);
        MLIA_TRY_ALLOC(arena);
        mlia_measure_pick pick = {.dispatch = &capture->dispatches[i]};
        mlia_selection selection = {.capture = capture, .picks = &pick, .count = 1};
        mlia_measurement measurement;
        mlia_status *status = mlia_measure(&selection, arena, &measurement);
        mlia_arena_free(arena);
        if (status != NULL && !is_stated(mlia_status_kind(status)))
            return status;
        mlia_status_free(status);
    }
    return NULL;
}
