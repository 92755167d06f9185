/* Describing files. Formats with more to tell than their graphs have a row in the table of describers. */
#include "core/inspect.h"

#include <stdio.h>

#include "base/map.h"
#include "core/inspect_tflite.h"
#include "formats/spirv/spirv.h"
#include "formats/vgf/vgf.h"

typedef struct inspector {
    const mlia_model_file *model;
    const mlia_inspect_options *options;
    mlia_arena *arena;
    mlia_diagnostics *diagnostics;
} inspector;

/* --- small builders; false when out of memory --- */

static bool set_str(const inspector *in, mlia_value *object, const char *name, mlia_str text)
{
    return mlia_value_set(in->arena, object, mlia_str_from_c(name), mlia_value_string(in->arena, text));
}

static bool set_integer(const inspector *in, mlia_value *object, const char *name, uint64_t number)
{
    return mlia_value_set(in->arena, object, mlia_str_from_c(name),
                          mlia_value_integer(in->arena, (int64_t)number));
}

static mlia_value *shape_value(const inspector *in, const mlia_graph_value *value)
{
    mlia_value *shape = mlia_value_array(in->arena);
    for (uint32_t i = 0; shape != NULL && value->kind == MLIA_KIND_TENSOR && i < value->rank; i++)
        if (!mlia_value_add(in->arena, shape,
                            value->dims[i] >= 0 ? mlia_value_integer(in->arena, value->dims[i])
                                                : mlia_value_null(in->arena)))
            return NULL;
    return shape;
}

/* {"name", "type", "shape"}; the values of a known shape value. */
static mlia_value *tensor_object(const inspector *in, const mlia_graph_value *value)
{
    mlia_value *object = mlia_value_object(in->arena);
    bool done = object != NULL && set_str(in, object, "name", value->name) &&
                set_str(in, object, "type", mlia_type_describe(value->type)->name);
    if (done && value->kind == MLIA_KIND_TENSOR)
        done = mlia_value_set(in->arena, object, MLIA_STR("shape"), shape_value(in, value));
    if (done && value->kind == MLIA_KIND_SHAPE && value->shape_values != NULL) {
        mlia_value *list = mlia_value_array(in->arena);
        done = list != NULL;
        for (uint32_t i = 0; done && i < value->rank; i++)
            done = mlia_value_add(in->arena, list, mlia_value_integer(in->arena, value->shape_values[i]));
        done = done && mlia_value_set(in->arena, object, MLIA_STR("values"), list);
    }
    return done ? object : NULL;
}

static mlia_value *tensor_list(const inspector *in, const mlia_graph *graph, const uint32_t *values,
                               uint32_t count)
{
    mlia_value *list = mlia_value_array(in->arena);
    for (uint32_t i = 0; list != NULL && i < count; i++)
        if (!mlia_value_add(in->arena, list, tensor_object(in, &graph->values[values[i]])))
            return NULL;
    return list;
}

static mlia_str operator_type(const mlia_operator *op)
{
    return op->op == MLIA_OP_FOREIGN ? op->foreign_name : mlia_op_describe(op->op)->name;
}

/* {"CONV2D": 3, …} in order of first appearance. */
static mlia_value *type_counts(const inspector *in, const mlia_graph *graph)
{
    mlia_value *object = mlia_value_object(in->arena);
    mlia_map map = mlia_map_in(in->arena);
    for (uint32_t i = 0; object != NULL && i < graph->operator_count; i++) {
        bool is_new;
        mlia_str type = operator_type(&graph->operators[i]);
        const uint32_t *index = mlia_map_insert(&map, type, object->count, &is_new);
        if (index == NULL ||
            (is_new && !mlia_value_set(in->arena, object, type, mlia_value_integer(in->arena, 0))))
            return NULL;
        object->as.members[*index].value->as.integer++;
    }
    return object;
}

/* Values as their names, or their numbers when they have none. */
static mlia_value *name_list(const inspector *in, const mlia_graph *graph, const uint32_t *values,
                             uint32_t count)
{
    mlia_value *list = mlia_value_array(in->arena);
    for (uint32_t i = 0; list != NULL && i < count; i++) {
        mlia_str name = graph->values[values[i]].name;
        if (name.size == 0)
            name = mlia_arena_format(in->arena, "%%%u", values[i]);
        if (!mlia_value_add(in->arena, list, mlia_value_string(in->arena, name)))
            return NULL;
    }
    return list;
}

static mlia_value *operator_object(const inspector *in, const mlia_graph *graph, const mlia_operator *op)
{
    mlia_value *object = mlia_value_object(in->arena);
    bool done = object != NULL && set_integer(in, object, "number", op->number) &&
                set_str(in, object, "type", operator_type(op)) &&
                mlia_value_set(in->arena, object, MLIA_STR("inputs"),
                               name_list(in, graph, op->inputs, op->input_count)) &&
                mlia_value_set(in->arena, object, MLIA_STR("outputs"),
                               name_list(in, graph, op->outputs, op->output_count));
    if (done && op->source != MLIA_NONE && graph->sources[op->source].label.size > 0)
        done = set_str(in, object, "label", graph->sources[op->source].label);
    return done ? object : NULL;
}

static bool set_operators(const inspector *in, const mlia_graph *graph, mlia_value *object)
{
    mlia_value *list = mlia_value_array(in->arena);
    for (uint32_t i = 0; list != NULL && i < graph->operator_count; i++)
        if (!mlia_value_add(in->arena, list, operator_object(in, graph, &graph->operators[i])))
            return false;
    return mlia_value_set(in->arena, object, MLIA_STR("operators"), list);
}

static bool set_tensors(const inspector *in, const mlia_graph *graph, mlia_value *object)
{
    mlia_value *list = mlia_value_array(in->arena);
    for (uint32_t i = 0; list != NULL && i < graph->value_count; i++)
        if (graph->values[i].kind != MLIA_KIND_NO_VALUE &&
            !mlia_value_add(in->arena, list, tensor_object(in, &graph->values[i])))
            return false;
    return mlia_value_set(in->arena, object, MLIA_STR("tensors"), list);
}

static bool set_constants(const inspector *in, const mlia_graph *graph, mlia_value *object)
{
    mlia_value *list = mlia_value_array(in->arena);
    for (uint32_t i = 0; list != NULL && i < graph->value_count; i++) {
        const mlia_graph_value *value = &graph->values[i];
        if (value->constant == NULL)
            continue;
        mlia_value *row = tensor_object(in, value);
        if (row == NULL || !set_integer(in, row, "stored_bytes", value->constant->bytes.size) ||
            !mlia_value_add(in->arena, list, row))
            return false;
    }
    return mlia_value_set(in->arena, object, MLIA_STR("constants"), list);
}

static uint64_t constant_bytes(const mlia_graph *graph)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < graph->value_count; i++)
        if (graph->values[i].constant != NULL)
            sum += graph->values[i].constant->bytes.size;
    return sum;
}

/* Sizes, inputs and outputs of a graph, and the lists that were asked for. */
static bool describe_graph(const inspector *in, const mlia_graph *graph, mlia_value *object)
{
    char version[48];
    int size = snprintf(version, sizeof version, "%d.%d.%d%s", graph->version[0], graph->version[1],
                        graph->version[2], graph->draft ? " draft" : "");
    mlia_str version_text = mlia_arena_str(in->arena, (mlia_str){version, (size_t)size});
    const mlia_block *block = mlia_graph_main(graph);
    bool done = version_text.data != NULL && set_str(in, object, "tosa_version", version_text) &&
                set_integer(in, object, "regions", graph->region_count) &&
                mlia_value_set(in->arena, object, MLIA_STR("inputs"),
                               tensor_list(in, graph, block->inputs, block->input_count)) &&
                mlia_value_set(in->arena, object, MLIA_STR("outputs"),
                               tensor_list(in, graph, block->outputs, block->output_count)) &&
                set_integer(in, object, "operator_count", graph->operator_count) &&
                mlia_value_set(in->arena, object, MLIA_STR("operator_types"), type_counts(in, graph)) &&
                set_integer(in, object, "constant_bytes", constant_bytes(graph));
    done = done && (!in->options->operators || set_operators(in, graph, object));
    done = done && (!in->options->tensors || set_tensors(in, graph, object));
    return done && (!in->options->constants || set_constants(in, graph, object));
}

/* What files beside the model are found by; NULL for standard input. */
static const char *model_path(const mlia_model_file *model)
{
    return mlia_str_equal_c(model->path, "stdin") ? NULL : model->path.data;
}

static mlia_status *describe_segments(const inspector *in, mlia_value *root, mlia_artifact *artifact)
{
    mlia_route route;
    mlia_route_context context = {.arena = in->arena,
                                  .diagnostics = in->diagnostics,
                                  .name = in->model->name,
                                  .file = in->model->file,
                                  .path = model_path(in->model)};
    *artifact = (mlia_artifact){.bytes = mlia_file_bytes(in->model->file)};
    if (!mlia_route_find(in->model->format, MLIA_FORM_GRAPHS, &route))
        return NULL;
    MLIA_TRY(mlia_route_run(&route, &context, artifact));
    mlia_value *list = mlia_value_array(in->arena);
    MLIA_TRY_ALLOC(list);
    for (uint32_t i = 0; i < artifact->segment_count; i++) {
        const mlia_backend_segment *segment = &artifact->segments[i];
        mlia_value *object = mlia_value_object(in->arena);
        bool done =
            object != NULL && set_integer(in, object, "index", segment->index) &&
            set_str(in, object, "name", segment->name) &&
            set_str(in, object, "kind", segment->graph != NULL ? MLIA_STR("graph") : MLIA_STR("compute")) &&
            (segment->graph == NULL || describe_graph(in, segment->graph, object)) &&
            mlia_value_add(in->arena, list, object);
        if (!done)
            return mlia_error_memory();
    }
    return mlia_value_set(in->arena, root, MLIA_STR("segments"), list) ? NULL : mlia_error_memory();
}

/* --- what only one format has --- */

static mlia_status *describe_vgf(const inspector *in, const mlia_artifact *artifact, mlia_value *root)
{
    (void)artifact;
    mlia_vgf *vgf;
    mlia_value *dump;
    MLIA_TRY(mlia_vgf_read(mlia_file_bytes(in->model->file), in->arena, NULL, &vgf));
    MLIA_TRY(mlia_vgf_dump(vgf, in->arena, &dump));
    return mlia_value_set(in->arena, root, MLIA_STR("vgf"), dump) ? NULL : mlia_error_memory();
}

static mlia_status *describe_tflite(const inspector *in, const mlia_artifact *artifact, mlia_value *root)
{
    mlia_tflite *model;
    const mlia_graph *graph = artifact->segment_count > 0 ? artifact->segments[0].graph : NULL;
    MLIA_TRY(
        mlia_tflite_load(mlia_file_bytes(in->model->file), model_path(in->model), in->arena, NULL, &model));
    mlia_value *value =
        mlia_inspect_tflite(model, graph, in->options->operators, in->options->tensors, in->arena);
    return value != NULL && mlia_value_set(in->arena, root, MLIA_STR("tflite"), value) ? NULL
                                                                                       : mlia_error_memory();
}

static const struct {
    mlia_format format;
    mlia_status *(*describe)(const inspector *in, const mlia_artifact *artifact, mlia_value *root);
} describers[] = {
    {MLIA_FORMAT_VGF, describe_vgf},
    {MLIA_FORMAT_TFLITE, describe_tflite},
};

mlia_status *mlia_inspect(const mlia_model_file *model, const mlia_inspect_options *options,
                          mlia_arena *arena, mlia_diagnostics *diagnostics, mlia_value **value)
{
    inspector in = {model, options, arena, diagnostics};
    mlia_value *root = mlia_value_object(arena);
    char hash[MLIA_SHA256_HEX_SIZE + 1];
    mlia_sha256_hex(mlia_file_bytes(model->file), hash);
    mlia_str hash_text = mlia_arena_str(arena, mlia_str_from_c(hash));
    bool done = root != NULL && hash_text.data != NULL && set_str(&in, root, "file", model->path) &&
                set_str(&in, root, "format", mlia_format_describe(model->format)->id) &&
                set_integer(&in, root, "size_bytes", mlia_file_bytes(model->file).size) &&
                set_str(&in, root, "sha256", hash_text);
    if (!done)
        return mlia_error_memory();
    mlia_artifact artifact;
    MLIA_TRY(describe_segments(&in, root, &artifact));
    for (size_t i = 0; i < sizeof describers / sizeof *describers; i++)
        if (describers[i].format == model->format)
            MLIA_TRY(describers[i].describe(&in, &artifact, root));
    *value = root;
    return NULL;
}

mlia_status *mlia_inspect_spirv(const mlia_model_file *model, mlia_arena *arena,
                                mlia_diagnostics *diagnostics, mlia_buffer *text)
{
    mlia_vgf *vgf;
    if (model->format == MLIA_FORMAT_SPV)
        return mlia_spirv_disassemble(mlia_file_bytes(model->file), text);
    if (model->format != MLIA_FORMAT_VGF)
        return mlia_error(MLIA_E_FORMAT_BACKEND,
                          "only VGF files and SPIR-V modules hold SPIR-V, this is %.*s",
                          MLIA_STR_ARG(mlia_format_describe(model->format)->id));
    MLIA_TRY(mlia_vgf_read(mlia_file_bytes(model->file), arena, diagnostics, &vgf));
    for (uint32_t i = 0; i < vgf->module_count; i++) {
        const mlia_vgf_module *module = &vgf->modules[i];
        if (module->code_type != MLIA_VGF_CODE_SPIRV || module->code.size == 0)
            continue;
        mlia_buffer_format(text, "; module %u ", i);
        mlia_buffer_add_str(text, module->name);
        mlia_buffer_add_byte(text, '\n');
        MLIA_TRY(mlia_status_in(mlia_spirv_disassemble(module->code, text), "module %u", i));
    }
    return NULL;
}
