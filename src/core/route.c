/* The table of steps and the search for routes. */
#include "core/route.h"

#include "convert/tosa_to_vgf/tosa_to_vgf.h"
#include "formats/mlir/mlir.h"
#include "formats/tosa/tosa.h"
#include "formats/vgf/vgf.h"

/* --- steps --- */

/* A model that is one graph. */
static mlia_status *single_graph(const mlia_route_context *context, mlia_graph *graph, mlia_artifact *to)
{
    to->segments = MLIA_NEW(context->arena, mlia_backend_segment);
    MLIA_TRY_ALLOC(to->segments);
    to->segments[0] = (mlia_backend_segment){.name = graph->name, .graph = graph};
    to->segment_count = 1;
    return NULL;
}

static mlia_status *tosa_to_graph(const mlia_route_context *context, const mlia_artifact *from,
                                  mlia_artifact *to)
{
    mlia_graph *graph;
    MLIA_TRY(mlia_tosa_read(from->bytes, context->arena, context->diagnostics, &graph));
    return single_graph(context, graph, to);
}

static mlia_status *tosamlir_to_graph(const mlia_route_context *context, const mlia_artifact *from,
                                      mlia_artifact *to)
{
    mlia_graph *graph;
    bool is_file = context->file != NULL && from->bytes.data == mlia_file_bytes(context->file).data;
    MLIA_TRY(is_file ? mlia_mlir_read_file(context->file, context->arena, context->diagnostics, &graph)
                     : mlia_mlir_read(from->bytes, context->arena, context->diagnostics, &graph));
    return single_graph(context, graph, to);
}

static mlia_status *vgf_to_graph(const mlia_route_context *context, const mlia_artifact *from,
                                 mlia_artifact *to)
{
    mlia_vgf *vgf;
    MLIA_TRY(mlia_vgf_read(from->bytes, context->arena, context->diagnostics, &vgf));
    to->segments = MLIA_NEW_ARRAY(context->arena, mlia_backend_segment, vgf->segment_count);
    MLIA_TRY_ALLOC(to->segments);
    to->segment_count = vgf->segment_count;
    for (uint32_t i = 0; i < vgf->segment_count; i++) {
        to->segments[i] = (mlia_backend_segment){.index = i, .name = vgf->segments[i].name};
        if (vgf->segments[i].type != MLIA_VGF_GRAPH)
            continue; /* compute segments have no graph */
        mlia_graph *graph;
        MLIA_TRY(mlia_vgf_segment_graph(vgf, i, context->arena, context->diagnostics, &graph));
        to->segments[i].graph = graph;
    }
    return NULL;
}

static mlia_status *tflite_to_graph(const mlia_route_context *context, const mlia_artifact *from,
                                    mlia_artifact *to)
{
    mlia_graph *graph;
    MLIA_TRY(mlia_tflite_graph(from->bytes, context->path, context->name, context->tflite, context->to_tosa,
                               context->shapes, context->shape_count, context->arena, context->diagnostics,
                               &graph));
    return single_graph(context, graph, to);
}

/* The one graph of a model that is to be written as one graph. */
static mlia_status *only_graph(const mlia_artifact *artifact, mlia_graph **graph)
{
    if (artifact->segment_count != 1 || artifact->segments[0].graph == NULL)
        return mlia_error(MLIA_E_NO_ROUTE,
                          "the model has %u segments; only a single graph segment can be converted",
                          artifact->segment_count);
    *graph = artifact->segments[0].graph;
    return NULL;
}

/* Leaves what a writer made to the arena. */
static mlia_status *keep_bytes(const mlia_route_context *context, mlia_status *status, mlia_buffer *buffer,
                               mlia_artifact *to)
{
    if (status == NULL)
        return mlia_pieces_take(&to->pieces, context->arena, buffer);
    mlia_buffer_free(buffer);
    return status;
}

static mlia_status *graph_to_tosa(const mlia_route_context *context, const mlia_artifact *from,
                                  mlia_artifact *to)
{
    mlia_graph *graph = NULL;
    mlia_buffer buffer = {0};
    MLIA_TRY(only_graph(from, &graph));
    return keep_bytes(context, mlia_tosa_write(graph, &buffer), &buffer, to);
}

static mlia_status *graph_to_tosamlir(const mlia_route_context *context, const mlia_artifact *from,
                                      mlia_artifact *to)
{
    mlia_graph *graph = NULL;
    mlia_buffer buffer = {0};
    MLIA_TRY(only_graph(from, &graph));
    return keep_bytes(context, mlia_mlir_write(graph, &buffer), &buffer, to);
}

static mlia_status *graph_to_vgf(const mlia_route_context *context, const mlia_artifact *from,
                                 mlia_artifact *to)
{
    mlia_graph *graph = NULL;
    mlia_buffer buffer = {0};
    mlia_tosa_to_vgf_options options = {0};
    if (context->vgf != NULL)
        options = *context->vgf;
    options.file = context->name;
    MLIA_TRY(only_graph(from, &graph));
    if (context->last)
        return mlia_tosa_to_vgf_pieces(graph, &options, context->diagnostics, context->arena, &to->pieces);
    return keep_bytes(context, mlia_tosa_to_vgf(graph, &options, context->diagnostics, &buffer), &buffer, to);
}

static const mlia_step steps[] = {
    {"tflite_to_graph", MLIA_FORMAT_TFLITE, MLIA_FORM_GRAPHS, 2, NULL, tflite_to_graph},
    {"tosa_to_graph", MLIA_FORMAT_TOSA, MLIA_FORM_GRAPHS, 1, "tosa-flatbuffers", tosa_to_graph},
    {"tosamlir_to_graph", MLIA_FORMAT_TOSAMLIR, MLIA_FORM_GRAPHS, 1, NULL, tosamlir_to_graph},
    {"vgf_to_graph", MLIA_FORMAT_VGF, MLIA_FORM_GRAPHS, 1, NULL, vgf_to_graph},
    {"graph_to_tosa", MLIA_FORM_GRAPHS, MLIA_FORMAT_TOSA, 1, "tosa-flatbuffers", graph_to_tosa},
    {"graph_to_tosamlir", MLIA_FORM_GRAPHS, MLIA_FORMAT_TOSAMLIR, 1, NULL, graph_to_tosamlir},
    {"graph_to_vgf", MLIA_FORM_GRAPHS, MLIA_FORMAT_VGF, 1, "ml-sdk-model-converter", graph_to_vgf},
};

enum { STEP_COUNT = sizeof steps / sizeof *steps };

/* --- routes --- */

mlia_str mlia_form_name(unsigned form)
{
    return form < MLIA_FORMAT_COUNT ? mlia_format_describe((mlia_format)form)->id : MLIA_STR("graphs");
}

bool mlia_form_is_target(unsigned form)
{
    for (size_t i = 0; i < STEP_COUNT; i++)
        if (steps[i].to == form)
            return true;
    return false;
}

/* Bellman-Ford: there are a dozen forms and steps. */
bool mlia_route_find(unsigned from, unsigned to, mlia_route *route)
{
    unsigned costs[MLIA_FORM_COUNT];
    const mlia_step *last[MLIA_FORM_COUNT] = {NULL};
    for (unsigned form = 0; form < MLIA_FORM_COUNT; form++)
        costs[form] = form == from ? 0 : UINT32_MAX;
    for (unsigned round = 0; round < MLIA_ROUTE_LIMIT; round++)
        for (size_t i = 0; i < STEP_COUNT; i++) {
            const mlia_step *step = &steps[i];
            if (costs[step->from] == UINT32_MAX || costs[step->from] + step->cost >= costs[step->to])
                continue;
            costs[step->to] = costs[step->from] + step->cost;
            last[step->to] = step;
        }
    if (costs[to] == UINT32_MAX)
        return false;
    route->count = 0;
    for (unsigned form = to; form != from; form = last[form]->from)
        route->count++;
    size_t position = route->count;
    for (unsigned form = to; form != from; form = last[form]->from)
        route->steps[--position] = last[form];
    return true;
}

mlia_status *mlia_route_run(const mlia_route *route, const mlia_route_context *context,
                            mlia_artifact *artifact)
{
    unsigned from = route->count > 0 ? route->steps[0]->from : (unsigned)MLIA_FORM_GRAPHS;
    if (mlia_tflite_is_chosen(context->tflite) && from != MLIA_FORMAT_TFLITE && from != MLIA_FORM_GRAPHS)
        return mlia_error(MLIA_E_OPTION_UNUSED,
                          "options of TensorFlow Lite models have no effect on another format");
    for (size_t i = 0; i < route->count; i++) {
        mlia_artifact next = {0};
        MLIA_TRY(route->steps[i]->run(context, artifact, &next));
        *artifact = next;
    }
    return NULL;
}

static mlia_status *resolve(const mlia_route_context *context, bool assume, mlia_artifact *artifact)
{
    bool first = true; /* the input shapes are those of the model: of its first graph */
    for (uint32_t i = 0; i < artifact->segment_count; i++) {
        mlia_graph *graph = artifact->segments[i].graph;
        if (graph == NULL)
            continue;
        MLIA_TRY(mlia_graph_resolve_shapes(graph, context->shapes, first ? context->shape_count : 0, assume,
                                           context->diagnostics));
        first = false;
    }
    return NULL;
}

mlia_status *mlia_artifact_resolve(const mlia_route_context *context, mlia_artifact *artifact)
{
    return resolve(context, true, artifact);
}

mlia_status *mlia_artifact_fix_shapes(const mlia_route_context *context, bool assume, mlia_artifact *artifact)
{
    MLIA_TRY(resolve(context, assume, artifact));
    for (uint32_t i = 0; i < artifact->segment_count; i++)
        if (artifact->segments[i].graph != NULL)
            MLIA_TRY(mlia_graph_require_shapes(artifact->segments[i].graph, context->arena));
    return NULL;
}

mlia_status *mlia_artifact_check_shapes(const mlia_artifact *artifact)
{
    for (uint32_t i = 0; i < artifact->segment_count; i++)
        if (artifact->segments[i].graph != NULL)
            MLIA_TRY(mlia_graph_check_shapes(artifact->segments[i].graph));
    return NULL;
}
