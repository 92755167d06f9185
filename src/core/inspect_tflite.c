/* Describing TensorFlow Lite models. */
#include "core/inspect_tflite.h"

#include "base/map.h"

typedef struct describer {
    const mlia_tflite *model;
    const uint64_t *macs; /* by operator of the first subgraph; NULL: not known */
    mlia_arena *arena;
    bool failed; /* out of memory */
} describer;

static mlia_value *object(describer *d)
{
    mlia_value *value = mlia_value_object(d->arena);
    d->failed |= value == NULL;
    return value;
}

static mlia_value *list(describer *d)
{
    mlia_value *value = mlia_value_array(d->arena);
    d->failed |= value == NULL;
    return value;
}

static void set(describer *d, mlia_value *target, const char *name, mlia_value *value)
{
    d->failed = d->failed || !mlia_value_set(d->arena, target, mlia_str_from_c(name), value);
}

static void add(describer *d, mlia_value *target, mlia_value *value)
{
    d->failed = d->failed || !mlia_value_add(d->arena, target, value);
}

static void set_text(describer *d, mlia_value *target, const char *name, mlia_str text)
{
    set(d, target, name, mlia_value_string(d->arena, text));
}

static void set_number(describer *d, mlia_value *target, const char *name, uint64_t number)
{
    set(d, target, name, mlia_value_integer(d->arena, number > INT64_MAX ? INT64_MAX : (int64_t)number));
}

/* ---- tensors ---- */

static mlia_value *integers(describer *d, const int32_t *values, uint32_t count)
{
    mlia_value *result = list(d);
    for (uint32_t i = 0; i < count && !d->failed; i++)
        add(d, result, mlia_value_integer(d->arena, values[i]));
    return result;
}

static mlia_value *describe_quantization(describer *d, const mlia_tflite_quantization *q)
{
    mlia_value *result = object(d);
    mlia_value *scales = list(d);
    mlia_value *zeros = list(d);
    for (uint32_t i = 0; i < q->scale_count && !d->failed; i++) {
        add(d, scales, mlia_value_number(d->arena, (double)q->scales[i]));
        add(d, zeros, mlia_value_integer(d->arena, q->zero_points[i]));
    }
    set(d, result, "scales", scales);
    set(d, result, "zero_points", zeros);
    if (q->scale_count > 1)
        set(d, result, "dimension", mlia_value_integer(d->arena, q->dimension));
    return result;
}

static mlia_value *describe_tensor(describer *d, const mlia_tflite_tensor *tensor, uint32_t index)
{
    mlia_value *result = object(d);
    set_number(d, result, "index", index);
    set_text(d, result, "name", tensor->name);
    set_text(d, result, "type", mlia_tflite_type_name(tensor->type));
    set(d, result, "shape", integers(d, tensor->shape, tensor->rank));
    if (tensor->signature != NULL)
        set(d, result, "shape_signature", integers(d, tensor->signature, tensor->rank));
    if (tensor->quantization.scale_count > 0)
        set(d, result, "quantization", describe_quantization(d, &tensor->quantization));
    if (tensor->is_constant)
        set_number(d, result, "constant_bytes", tensor->data.size);
    if (tensor->is_variable)
        set(d, result, "variable", mlia_value_bool(d->arena, true));
    if (tensor->was_sparse)
        set(d, result, "sparse", mlia_value_bool(d->arena, true));
    return result;
}

/* Tensors by name; the number where a name is empty, null for an absent operand. */
static mlia_value *names(describer *d, const mlia_tflite_subgraph *graph, const mlia_tflite_indexes *indexes)
{
    mlia_value *result = list(d);
    for (uint32_t i = 0; i < indexes->count && !d->failed; i++) {
        int32_t index = indexes->values[i];
        mlia_str name = index < 0 ? MLIA_STR_NONE : graph->tensors[index].name;
        if (index >= 0 && name.size == 0)
            name = mlia_arena_format(d->arena, "%%%d", index);
        add(d, result, index < 0 ? mlia_value_null(d->arena) : mlia_value_string(d->arena, name));
    }
    return result;
}

static mlia_value *edges(describer *d, const mlia_tflite_subgraph *graph, const mlia_tflite_indexes *indexes)
{
    mlia_value *result = list(d);
    for (uint32_t i = 0; i < indexes->count && !d->failed; i++)
        if (indexes->values[i] >= 0)
            add(d, result,
                describe_tensor(d, &graph->tensors[indexes->values[i]], (uint32_t)indexes->values[i]));
    return result;
}

/* ---- operators ---- */

static uint64_t elements_of(const mlia_tflite_tensor *tensor)
{
    uint64_t count;
    return tensor->is_constant && mlia_tflite_elements(tensor, &count) ? count : 0;
}

/* Elements of its constant operands: weights, biases, shapes. */
static uint64_t parameters(const mlia_tflite_subgraph *graph, const mlia_tflite_operator *op)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < op->inputs.count; i++)
        if (op->inputs.values[i] >= 0)
            sum += elements_of(&graph->tensors[op->inputs.values[i]]);
    return sum;
}

static mlia_value *describe_operator(describer *d, const mlia_tflite_subgraph *graph, uint32_t index,
                                     const uint64_t *macs)
{
    const mlia_tflite_operator *op = &graph->operators[index];
    mlia_value *result = object(d);
    set_number(d, result, "number", index);
    set_text(d, result, "type", mlia_tflite_operator_name(op));
    set(d, result, "version", mlia_value_integer(d->arena, op->version));
    set(d, result, "inputs", names(d, graph, &op->inputs));
    set(d, result, "outputs", names(d, graph, &op->outputs));
    set_number(d, result, "parameters", parameters(graph, op));
    if (macs != NULL)
        set_number(d, result, "macs", macs[index]);
    return result;
}

/* {"CONV_2D": 3, …} in order of first appearance. */
static mlia_value *type_counts(describer *d, const mlia_tflite_subgraph *graph)
{
    mlia_value *result = object(d);
    mlia_map map = mlia_map_in(d->arena);
    for (uint32_t i = 0; i < graph->operator_count && !d->failed; i++) {
        bool is_new;
        mlia_str name = mlia_tflite_operator_name(&graph->operators[i]);
        const uint32_t *index = mlia_map_insert(&map, name, result->count, &is_new);
        d->failed |= index == NULL ||
                     (is_new && !mlia_value_set(d->arena, result, name, mlia_value_integer(d->arena, 0)));
        if (!d->failed)
            result->as.members[*index].value->as.integer++;
    }
    return result;
}

/* ---- subgraphs ---- */

static void set_totals(describer *d, mlia_value *result, const mlia_tflite_subgraph *graph,
                       const uint64_t *macs)
{
    uint64_t count = 0;
    uint64_t bytes = 0;
    uint64_t work = 0;
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        count += elements_of(&graph->tensors[i]);
        bytes += graph->tensors[i].is_constant ? graph->tensors[i].data.size : 0;
    }
    for (uint32_t i = 0; macs != NULL && i < graph->operator_count; i++)
        work += macs[i];
    set_number(d, result, "parameters", count);
    set_number(d, result, "constant_bytes", bytes);
    if (macs != NULL)
        set_number(d, result, "macs", work);
}

static mlia_value *describe_subgraph(describer *d, uint32_t index, bool operators, bool tensors)
{
    const mlia_tflite_subgraph *graph = &d->model->subgraphs[index];
    const uint64_t *macs = index == 0 ? d->macs : NULL;
    mlia_value *result = object(d);
    set_number(d, result, "index", index);
    set_text(d, result, "name", graph->name);
    set(d, result, "inputs", edges(d, graph, &graph->inputs));
    set(d, result, "outputs", edges(d, graph, &graph->outputs));
    set_number(d, result, "operator_count", graph->operator_count);
    set(d, result, "operator_types", type_counts(d, graph));
    set_number(d, result, "tensor_count", graph->tensor_count);
    set_totals(d, result, graph, macs);
    if (operators) {
        mlia_value *rows = list(d);
        for (uint32_t i = 0; i < graph->operator_count && !d->failed; i++)
            add(d, rows, describe_operator(d, graph, i, macs));
        set(d, result, "operators", rows);
    }
    if (tensors) {
        mlia_value *rows = list(d);
        for (uint32_t i = 0; i < graph->tensor_count && !d->failed; i++)
            add(d, rows, describe_tensor(d, &graph->tensors[i], i));
        set(d, result, "tensors", rows);
    }
    return result;
}

static mlia_value *describe_signature(describer *d, const mlia_tflite_signature *signature)
{
    mlia_value *result = object(d);
    mlia_value *inputs = list(d);
    mlia_value *outputs = list(d);
    for (uint32_t i = 0; i < signature->input_count && !d->failed; i++)
        add(d, inputs, mlia_value_string(d->arena, signature->inputs[i].name));
    for (uint32_t i = 0; i < signature->output_count && !d->failed; i++)
        add(d, outputs, mlia_value_string(d->arena, signature->outputs[i].name));
    set_text(d, result, "key", signature->key);
    set_number(d, result, "subgraph", signature->subgraph);
    set(d, result, "inputs", inputs);
    set(d, result, "outputs", outputs);
    return result;
}

/* Multiply-accumulates of every operator of subgraph 0: those of all graph operators that come from it. */
static uint64_t *count_macs(describer *d, const mlia_graph *graph)
{
    uint32_t count = d->model->subgraphs[0].operator_count;
    uint64_t *macs = MLIA_NEW_ARRAY(d->arena, uint64_t, count);
    mlia_work *works = MLIA_NEW_ARRAY(d->arena, mlia_work, graph->operator_count);
    mlia_status *status =
        works != NULL && macs != NULL ? mlia_graph_work(graph, d->arena, works) : mlia_error_memory();
    d->failed = status != NULL;
    mlia_status_free(status);
    for (uint32_t i = 0; i < graph->operator_count && !d->failed; i++) {
        uint32_t source = graph->operators[i].source;
        if (source != MLIA_NONE && graph->sources[source].line == 0 && graph->sources[source].column < count)
            macs[graph->sources[source].column] += works[i].macs;
    }
    return macs;
}

mlia_value *mlia_inspect_tflite(const mlia_tflite *model, const mlia_graph *graph, bool operators,
                                bool tensors, mlia_arena *arena)
{
    describer d = {.model = model, .arena = arena};
    if (graph != NULL)
        d.macs = count_macs(&d, graph);
    mlia_value *result = d.failed ? NULL : object(&d);
    mlia_value *subgraphs = list(&d);
    mlia_value *signatures = list(&d);
    mlia_value *metadata = object(&d);
    if (d.failed)
        return NULL;
    for (uint32_t i = 0; i < model->subgraph_count && !d.failed; i++)
        add(&d, subgraphs, describe_subgraph(&d, i, operators, tensors));
    for (uint32_t i = 0; i < model->signature_count && !d.failed; i++)
        add(&d, signatures, describe_signature(&d, &model->signatures[i]));
    for (uint32_t i = 0; i < model->metadata_count && !d.failed; i++)
        d.failed = !mlia_value_set(arena, metadata, model->metadata[i].name,
                                   mlia_value_integer(arena, (int64_t)model->metadata[i].data.size));
    set_text(&d, result, "description", model->description);
    set(&d, result, "subgraphs", subgraphs);
    set(&d, result, "signatures", signatures);
    set(&d, result, "metadata_bytes", metadata);
    return d.failed ? NULL : result;
}
