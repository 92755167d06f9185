/* Which dispatch is analysed for which graph segment. Nothing is guessed: whatever fits more than once, or
 * not at all, is refused with the candidates. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/measure.h"

/* Inputs. */

static mlia_status *find_capture(mlia_measure_inputs *inputs, const mlia_capture_location *location,
                                 mlia_capture **capture)
{
    for (size_t i = 0; i < inputs->capture_count; i++) {
        if (mlia_str_equal(inputs->captures[i]->root, location->root)) {
            *capture = inputs->captures[i];
            return NULL;
        }
    }
    MLIA_TRY(mlia_capture_open(location, capture));
    inputs->captures[inputs->capture_count++] = *capture;
    return NULL;
}

static mlia_status *open_input(mlia_str path, mlia_arena *arena, mlia_measure_inputs *inputs,
                               mlia_measure_input *input)
{
    mlia_capture_location location;
    mlia_capture *capture;
    mlia_str copy = mlia_arena_str(arena, path);
    MLIA_TRY_ALLOC(copy.data);
    MLIA_TRY(mlia_capture_locate(copy.data, arena, &location));
    MLIA_TRY(find_capture(inputs, &location, &capture));
    *input = (mlia_measure_input){capture, NULL};
    if (location.dispatch.size == 0)
        return NULL;
    input->dispatch = mlia_capture_find_dispatch(capture, location.dispatch);
    if (input->dispatch != NULL)
        return NULL;
    return mlia_status_path(
        mlia_capture_advise(mlia_error(MLIA_E_INPUT_UNREFERENCED, "the capture does not name this dispatch")),
        path);
}

mlia_status *mlia_measure_open(const mlia_str *paths, size_t count, mlia_arena *arena,
                               mlia_measure_inputs *inputs)
{
    mlia_measure_input *items = MLIA_NEW_ARRAY(arena, mlia_measure_input, count);
    *inputs = (mlia_measure_inputs){
        .items = items, .count = count, .captures = MLIA_NEW_ARRAY(arena, mlia_capture *, count)};
    MLIA_TRY_ALLOC(items);
    MLIA_TRY_ALLOC((void *)inputs->captures);
    for (size_t i = 0; i < count; i++) {
        mlia_status *status = open_input(paths[i], arena, inputs, &items[i]);
        if (status != NULL) {
            mlia_measure_close(inputs);
            return status;
        }
    }
    return NULL;
}

void mlia_measure_close(mlia_measure_inputs *inputs)
{
    for (size_t i = 0; i < inputs->capture_count; i++)
        mlia_capture_free(inputs->captures[i]);
    inputs->capture_count = 0;
}

/* Messages. */

enum { SHOWN_DISPATCHES = 3 };

/* "; candidates: A, B, C, … (4 more)" of the dispatches for which `fits` is true (NULL: all); empty when
 * there are none. */
static mlia_str candidates(const mlia_capture *capture, uint32_t first, uint32_t count,
                           bool (*fits)(const mlia_capture_dispatch *dispatch, uint64_t value),
                           uint64_t value, mlia_arena *arena)
{
    mlia_buffer text = {0};
    uint32_t found = 0;
    for (uint32_t i = first; i < first + count; i++) {
        const mlia_capture_dispatch *dispatch = &capture->dispatches[i];
        if (fits != NULL && !fits(dispatch, value))
            continue;
        if (found++ < SHOWN_DISPATCHES)
            mlia_buffer_format(&text, "%s%.*s/%.*s", found > 1 ? ", " : "", MLIA_STR_ARG(capture->shown),
                               MLIA_STR_ARG(dispatch->folder));
    }
    if (found > SHOWN_DISPATCHES)
        mlia_buffer_format(&text, ", … (%" PRIu32 " more)", found - SHOWN_DISPATCHES);
    mlia_str copy = found
                        ? mlia_arena_format(arena, "; candidates: %.*s", MLIA_STR_ARG(mlia_buffer_str(&text)))
                        : MLIA_STR("");
    mlia_buffer_free(&text);
    return copy.data ? copy : MLIA_STR("");
}

static bool has_index(const mlia_capture_dispatch *dispatch, uint64_t executed_index)
{
    return dispatch->executed_index == executed_index;
}

/* Choice. */

typedef struct chooser {
    const mlia_measure_inputs *inputs;
    const mlia_capture *capture;
    mlia_arena *arena;
    const mlia_measure_segment **graphs;
    size_t graph_count;
    mlia_measure_pick *picks;
} chooser;

static mlia_status *choose_without_model(chooser *state)
{
    const mlia_capture *capture = state->capture;
    if (state->inputs->count > 1)
        return mlia_error(MLIA_E_SELECT_REPEAT, "%zu paths without a VGF; one dispatch can be analysed alone",
                          state->inputs->count);
    const mlia_capture_dispatch *dispatch = state->inputs->items[0].dispatch;
    if (dispatch == NULL && capture->dispatch_count != 1)
        return mlia_error(MLIA_E_SELECT_DISPATCH, "the capture has %" PRIu32 " dispatches, name one%s",
                          capture->dispatch_count,
                          candidates(capture, 0, capture->dispatch_count, NULL, 0, state->arena).data);
    if (dispatch == NULL)
        dispatch = &capture->dispatches[0];
    const mlia_capture_pipeline *pipeline = &capture->pipelines[dispatch->pipeline];
    mlia_str name = mlia_arena_str(state->arena, pipeline->name.size ? pipeline->name : pipeline->folder);
    MLIA_TRY_ALLOC(name.data);
    state->picks[0] = (mlia_measure_pick){0, name, dispatch};
    return NULL;
}

static mlia_str module_text(mlia_bytes spirv)
{
    return (mlia_str){spirv.data ? (const char *)spirv.data : "", spirv.size};
}

/* The pipeline's SPIR-V; empty when the capture does not have it or no graph segment has that size. */
static mlia_status *pipeline_module(const chooser *state, const mlia_capture_pipeline *pipeline,
                                    mlia_arena *arena, mlia_bytes *module)
{
    const mlia_capture_artifact *shader = &pipeline->artifacts[MLIA_ARTIFACT_SHADER_MODULE];
    *module = (mlia_bytes){0};
    for (size_t i = 0; shader->path.size && i < state->graph_count; i++)
        if (state->graphs[i]->spirv.size == shader->identity.size)
            return mlia_capture_read_artifact(state->capture, shader, arena, module);
    return NULL;
}

static mlia_status *choose_listed(chooser *state)
{
    const mlia_measure_inputs *inputs = state->inputs;
    mlia_map seen = mlia_map_in(state->arena);
    if (inputs->count != state->graph_count)
        return mlia_error(MLIA_E_SELECT_COUNT, "%zu paths, the VGF has %zu graph segments", inputs->count,
                          state->graph_count);
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].dispatch == NULL)
            return mlia_error(
                MLIA_E_SELECT_ROOT,
                "path %zu is a whole capture; with several paths each must be a dispatch%s", i + 1,
                candidates(state->capture, 0, state->capture->dispatch_count, NULL, 0, state->arena).data);
    for (size_t i = 0; i < inputs->count; i++) {
        bool is_new;
        if (mlia_map_insert(&seen, inputs->items[i].dispatch->folder, 0, &is_new) == NULL)
            return mlia_error_memory();
        if (!is_new)
            return mlia_error(MLIA_E_SELECT_TWICE, "'%s' is named twice",
                              inputs->items[i].dispatch->folder.data);
    }
    for (size_t i = 0; i < inputs->count; i++) {
        const mlia_measure_segment *graph = state->graphs[i];
        const mlia_capture_dispatch *dispatch = inputs->items[i].dispatch;
        mlia_bytes module;
        MLIA_TRY(
            pipeline_module(state, &state->capture->pipelines[dispatch->pipeline], state->arena, &module));
        if (module.size == 0 || !mlia_str_equal(module_text(module), module_text(graph->spirv)))
            return mlia_error(MLIA_E_SELECT_ORDER,
                              "'%s' did not run graph segment %" PRIu32 " ('%.*s'): their SPIR-V differs",
                              dispatch->folder.data, graph->index, MLIA_STR_ARG(graph->name));
        state->picks[i] = (mlia_measure_pick){graph->index, graph->name, dispatch};
    }
    return NULL;
}

/* The pipelines that ran one graph segment. */
typedef struct matches {
    uint32_t count;
    uint32_t first; /* position of the first pipeline */
    mlia_str shown; /* folders of the first few */
} matches;

static mlia_status *note_match(const chooser *state, uint32_t pipeline, matches *match)
{
    if (match->count++ == 0)
        match->first = pipeline;
    if (match->count > SHOWN_DISPATCHES)
        return NULL;
    match->shown =
        mlia_arena_format(state->arena, "%.*s%s%s", MLIA_STR_ARG(match->shown), match->count > 1 ? ", " : "",
                          state->capture->pipelines[pipeline].folder.data);
    MLIA_TRY_ALLOC(match->shown.data);
    return NULL;
}

/* Finds for each graph segment the pipelines with equal SPIR-V. Graph segments must differ. */
static mlia_status *match_pipelines(const chooser *state, mlia_arena *scratch, matches *found)
{
    mlia_map graphs = mlia_map_in(scratch);
    for (size_t i = 0; i < state->graph_count; i++) {
        bool is_new;
        if (mlia_map_insert(&graphs, module_text(state->graphs[i]->spirv), (uint32_t)i, &is_new) == NULL)
            return mlia_error_memory();
        if (!is_new)
            return mlia_error(MLIA_E_SELECT_SAME_SPIRV,
                              "graph segment %" PRIu32 " has the same SPIR-V as another one",
                              state->graphs[i]->index);
    }
    for (uint32_t i = 0; i < state->capture->pipeline_count; i++) {
        mlia_arena *content = mlia_arena_new(0);
        MLIA_TRY_ALLOC(content);
        mlia_bytes module;
        mlia_status *status = pipeline_module(state, &state->capture->pipelines[i], content, &module);
        const uint32_t *graph =
            status == NULL && module.size ? mlia_map_find(&graphs, module_text(module)) : NULL;
        if (graph != NULL)
            status = note_match(state, i, &found[*graph]);
        mlia_arena_free(content);
        MLIA_TRY(status);
    }
    return NULL;
}

static mlia_status *choose_with_index(const chooser *state, const mlia_capture_pipeline *pipeline,
                                      const mlia_measure_segment *graph, uint64_t executed_index,
                                      const mlia_capture_dispatch **dispatch)
{
    const mlia_capture *capture = state->capture;
    uint32_t found = 0;
    for (uint32_t i = pipeline->first_dispatch; i < pipeline->first_dispatch + pipeline->dispatch_count;
         i++) {
        if (!has_index(&capture->dispatches[i], executed_index))
            continue;
        *dispatch = &capture->dispatches[i];
        found++;
    }
    if (found == 1)
        return NULL;
    return mlia_error(MLIA_E_SELECT_ANCHOR_INDEX,
                      "graph segment %" PRIu32 ": %" PRIu32 " dispatches with executed index %" PRIu64
                      " of the named dispatch%s",
                      graph->index, found, executed_index,
                      candidates(capture, pipeline->first_dispatch, pipeline->dispatch_count, has_index,
                                 executed_index, state->arena)
                          .data);
}

static mlia_status *choose_for_graph(const chooser *state, const mlia_measure_segment *graph,
                                     const matches *match, const mlia_capture_dispatch **dispatch)
{
    const mlia_capture *capture = state->capture;
    const mlia_capture_dispatch *anchor = state->inputs->items[0].dispatch;
    if (match->count == 0)
        return mlia_error(MLIA_E_SELECT_NO_PIPELINE,
                          "no pipeline of the capture ran graph segment %" PRIu32 " ('%.*s')", graph->index,
                          MLIA_STR_ARG(graph->name));
    if (match->count > 1)
        return mlia_error(MLIA_E_SELECT_PIPELINE,
                          "%" PRIu32 " pipelines ran graph segment %" PRIu32 " ('%.*s'): %s%s", match->count,
                          graph->index, MLIA_STR_ARG(graph->name), match->shown.data,
                          match->count > SHOWN_DISPATCHES ? ", …" : "");
    const mlia_capture_pipeline *pipeline = &capture->pipelines[match->first];
    if (anchor != NULL && anchor->pipeline == match->first)
        *dispatch = anchor;
    else if (anchor != NULL)
        return choose_with_index(state, pipeline, graph, anchor->executed_index, dispatch);
    else if (pipeline->dispatch_count == 1)
        *dispatch = &capture->dispatches[pipeline->first_dispatch];
    else
        return mlia_error(
            MLIA_E_SELECT_DISPATCH,
            "graph segment %" PRIu32 " ('%.*s') ran in %" PRIu32 " dispatches, name one%s", graph->index,
            MLIA_STR_ARG(graph->name), pipeline->dispatch_count,
            candidates(capture, pipeline->first_dispatch, pipeline->dispatch_count, NULL, 0, state->arena)
                .data);
    return NULL;
}

static mlia_status *choose_by_module(chooser *state)
{
    const mlia_capture_dispatch *anchor = state->inputs->items[0].dispatch;
    matches *found = MLIA_NEW_ARRAY(state->arena, matches, state->graph_count);
    MLIA_TRY_ALLOC(found);
    MLIA_TRY(match_pipelines(state, state->arena, found));
    bool anchored = anchor == NULL;
    if (anchor != NULL) {
        mlia_bytes module;
        MLIA_TRY(pipeline_module(state, &state->capture->pipelines[anchor->pipeline], state->arena, &module));
        for (size_t i = 0; i < state->graph_count; i++)
            anchored |= mlia_str_equal(module_text(module), module_text(state->graphs[i]->spirv));
    }
    if (!anchored)
        return mlia_error(MLIA_E_SELECT_ANCHOR, "'%s' ran none of the VGF's graph segments",
                          anchor->folder.data);
    for (size_t i = 0; i < state->graph_count; i++) {
        const mlia_capture_dispatch *dispatch = NULL;
        MLIA_TRY(choose_for_graph(state, state->graphs[i], &found[i], &dispatch));
        state->picks[i] = (mlia_measure_pick){state->graphs[i]->index, state->graphs[i]->name, dispatch};
    }
    return NULL;
}

/* Sorts the VGF's segments into graphs and those to skip. */
static mlia_status *sort_segments(chooser *state, const mlia_measure_segment *segments, size_t count,
                                  mlia_selection *selection)
{
    uint32_t *skipped = MLIA_NEW_ARRAY(state->arena, uint32_t, count);
    state->graphs = MLIA_NEW_ARRAY(state->arena, const mlia_measure_segment *, count);
    MLIA_TRY_ALLOC(skipped);
    MLIA_TRY_ALLOC((void *)state->graphs);
    for (size_t i = 0; i < count; i++) {
        if (segments[i].is_graph)
            state->graphs[state->graph_count++] = &segments[i];
        else
            skipped[selection->skipped_count++] = segments[i].index;
    }
    selection->skipped = skipped;
    return state->graph_count ? NULL : mlia_error(MLIA_E_VGF_NO_GRAPH, "the VGF has no graph segment");
}

static mlia_status *choose(chooser *state, const mlia_measure_segment *segments, size_t segment_count,
                           mlia_selection *selection)
{
    for (size_t i = 1; i < state->inputs->count; i++)
        if (state->inputs->items[i].capture != state->capture)
            return mlia_error(MLIA_E_SELECT_CAPTURES, "the paths belong to different captures, '%s' and '%s'",
                              state->capture->shown.data, state->inputs->items[i].capture->shown.data);
    if (segments != NULL)
        MLIA_TRY(sort_segments(state, segments, segment_count, selection));
    selection->count = segments != NULL ? state->graph_count : 1;
    state->picks = MLIA_NEW_ARRAY(state->arena, mlia_measure_pick, selection->count);
    MLIA_TRY_ALLOC(state->picks);
    selection->picks = state->picks;
    if (segments == NULL)
        return choose_without_model(state);
    return state->inputs->count > 1 ? choose_listed(state) : choose_by_module(state);
}

mlia_status *mlia_measure_select(const mlia_measure_inputs *inputs, const mlia_measure_segment *segments,
                                 size_t segment_count, mlia_arena *arena, mlia_selection *selection)
{
    chooser state = {.inputs = inputs, .capture = inputs->items[0].capture, .arena = arena};
    *selection = (mlia_selection){.capture = state.capture};
    mlia_status *status = choose(&state, segments, segment_count, selection);
    return mlia_capture_advise(mlia_status_path(status, state.capture->shown));
}
