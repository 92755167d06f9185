/* The frame of the conversion: graph inputs, operators in order, graph outputs. */
#include <stdio.h>

#include "base/checked.h"
#include "convert/tflite_to_tosa/custom.h"
#include "convert/tflite_to_tosa/prune.h"
#include "convert/tflite_to_tosa/source.h"

/* ---- frames ---- */

frame *mlia_lower_frame(lowering *l, uint32_t subgraph, frame *parent)
{
    const mlia_tflite_subgraph *graph = &l->model->subgraphs[subgraph];
    frame *result = MLIA_NEW(l->arena, frame);
    operand *tensors = MLIA_NEW_ARRAY(l->arena, operand, graph->tensor_count);
    if (result == NULL || tensors == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return NULL;
    }
    *result = (frame){parent, subgraph, graph, tensors};
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        const mlia_tflite_tensor *tensor = &graph->tensors[i];
        operand *x = &tensors[i];
        *x = (operand){.tensor = tensor,
                       .index = (int32_t)i,
                       .type = tensor->type,
                       .value = MLIA_NONE,
                       .edge = MLIA_NONE};
        if (tensor->rank > MAX_RANK) {
            mlia_lower_fail(l, mlia_error(MLIA_E_TFLITE_LIMIT,
                                          "tensor '%.*s' has rank %u, at most %d is handled",
                                          MLIA_STR_ARG(tensor->name), tensor->rank, MAX_RANK));
            return NULL;
        }
        x->rank = tensor->rank;
        for (uint32_t k = 0; k < tensor->rank; k++)
            x->dims[k] = tensor->shape[k];
        bool counted = mlia_tflite_elements(tensor, &x->elements);
        x->is_constant = tensor->is_constant ||
                         (counted && x->elements == 0 && tensor->rank > 0 && tensor->signature == NULL);
        x->data = tensor->data;
    }
    return result;
}

/* TOSA has no tensors without elements. Lists of integers may be empty (no axes, the shape of a scalar), and
 * so may what only a shape or a concatenation looks at. */
static bool check_elements(lowering *l)
{
    uint32_t op = l->op->op;
    if (op == MLIA_TFLITE_OP_CONCATENATION || op == MLIA_TFLITE_OP_SHAPE || op == MLIA_TFLITE_OP_RANK)
        return true;
    for (uint32_t i = 0; i < l->op->inputs.count && l->fault == NULL; i++) {
        const operand *x = mlia_lower_input(l, i);
        bool is_list =
            x != NULL && (x->type == MLIA_TFLITE_INT32 || x->type == MLIA_TFLITE_INT64) && x->rank <= 1;
        for (uint32_t k = 0; x != NULL && !is_list && k < x->rank; k++)
            if (x->dims[k] == 0 && x->is_constant)
                mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "'%.*s' has no elements, TOSA has no empty tensors",
                                 MLIA_STR_ARG(x->tensor->name));
    }
    return l->fault == NULL;
}

static void lower_operator(lowering *l)
{
    const mlia_tflite_operator *op = l->op;
    const rule_row *row = mlia_lower_rule(op->op);
    if (row->rule == NULL) {
        bool is_flex = mlia_str_starts_with(op->custom_code, MLIA_STR("Flex"));
        mlia_lower_error(l, row->refusal_kind, "%s",
                         is_flex ? "a TensorFlow operator, which only TensorFlow itself can run"
                                 : row->refusal);
    } else if (op->inputs.count < row->min_inputs ||
               (row->max_inputs != UINT8_MAX && op->inputs.count > row->max_inputs)) {
        mlia_lower_error(l, MLIA_E_TFLITE_OPERANDS, "%u operands, expected %u to %u", op->inputs.count,
                         row->min_inputs, row->max_inputs);
    } else if (check_elements(l) && !mlia_fold_operator(l)) {
        row->rule(l);
    }
    if (l->fault == NULL || !mlia_lower_is_refusal(l->fault))
        return;
    mlia_status *reason = l->fault;
    l->fault = NULL;
    mlia_lower_keep(l, reason);
}

void mlia_lower_subgraph(lowering *l, frame *inner)
{
    uint32_t first = mlia_lower_sources(l, inner->subgraph);
    frame *outer = l->frame;
    const mlia_tflite_operator *outer_op = l->op;
    uint32_t outer_index = l->op_index;
    uint32_t outer_source = l->source;
    l->frame = inner;
    for (uint32_t i = 0; i < inner->tflite->operator_count && l->fault == NULL; i++) {
        l->op = &inner->tflite->operators[i];
        l->op_index = i;
        l->source = first + i;
        lower_operator(l);
    }
    l->frame = outer;
    l->op = outer_op;
    l->op_index = outer_index;
    l->source = outer_source;
}

/* ---- graph inputs and outputs ---- */

static const mlia_input_shape *shape_given(const lowering *l, const operand *x, uint32_t position,
                                           uint32_t input_count)
{
    char number[16];
    int size = snprintf(number, sizeof number, "%u", position);
    for (size_t i = 0; i < l->options->input_shape_count; i++) {
        const mlia_input_shape *given = &l->options->input_shapes[i];
        bool only = given->name.size == 0 && input_count == 1;
        if (only || mlia_str_equal(given->name, x->tensor->name) ||
            mlia_str_equal(given->name, (mlia_str){number, (size_t)size}))
            return given;
    }
    return NULL;
}

static void resolve_input(lowering *l, operand *x, uint32_t position, uint32_t input_count)
{
    const mlia_input_shape *given = shape_given(l, x, position, input_count);
    if (given != NULL && given->rank != x->rank && x->rank != 0) {
        mlia_lower_fail(l, mlia_error(MLIA_E_INPUT_SHAPE, "input '%.*s' has rank %u, the given shape %u",
                                      MLIA_STR_ARG(x->tensor->name), x->rank, given->rank));
        return;
    }
    if (given != NULL) {
        x->rank = given->rank > MAX_RANK ? MAX_RANK : given->rank;
        memcpy(x->dims, given->dims, x->rank * sizeof *x->dims);
    }
    for (uint32_t k = 0; k < x->rank; k++) {
        bool dynamic = x->tensor->signature != NULL && k < x->tensor->rank && x->tensor->signature[k] < 0;
        if (given == NULL && dynamic) {
            x->dims[k] = x->dims[k] > 0 ? x->dims[k] : 1;
            mlia_warn(l->diagnostics, MLIA_W_TOSA_BATCH,
                      "dynamic dimension %u of %.*s fixed to %lld (set it with --input-shape)", k,
                      MLIA_STR_ARG(x->tensor->name), (long long)x->dims[k]);
        }
        if (x->dims[k] < 1)
            mlia_lower_fail(l, mlia_error(MLIA_E_TFLITE_SHAPE, "input '%.*s' has dimension %u of size %lld",
                                          MLIA_STR_ARG(x->tensor->name), k, (long long)x->dims[k]));
    }
    x->elements = 1;
    for (uint32_t k = 0; k < x->rank; k++)
        if (x->dims[k] > INT32_MAX || !mlia_mul_u64(x->elements, (uint64_t)x->dims[k], &x->elements) ||
            x->elements > (uint64_t)1 << 40)
            mlia_lower_fail(l, mlia_error(MLIA_E_TFLITE_LIMIT, "input '%.*s' has too many elements",
                                          MLIA_STR_ARG(x->tensor->name)));
}

static void check_shape_names(lowering *l, const frame *inner)
{
    for (size_t i = 0; i < l->options->input_shape_count; i++) {
        bool used = false;
        for (uint32_t k = 0; k < inner->tflite->inputs.count; k++)
            used = used || shape_given(l, &inner->tensors[inner->tflite->inputs.values[k]], k,
                                       inner->tflite->inputs.count) == &l->options->input_shapes[i];
        if (!used)
            mlia_lower_fail(l, mlia_error(MLIA_E_INPUT_SHAPE, "the model has no input '%.*s'",
                                          MLIA_STR_ARG(l->options->input_shapes[i].name)));
    }
}

static void add_inputs(lowering *l, const frame *inner)
{
    const mlia_tflite_indexes *inputs = &inner->tflite->inputs;
    uint32_t *values = MLIA_NEW_ARRAY(l->arena, uint32_t, inputs->count);
    if (values == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return;
    }
    check_shape_names(l, inner);
    for (uint32_t i = 0; i < inputs->count && l->fault == NULL; i++) {
        operand *x = &inner->tensors[inputs->values[i]];
        resolve_input(l, x, i, inputs->count);
        uint32_t type = mlia_lower_type(x->type);
        if (type == MLIA_TYPE_UNKNOWN)
            type = MLIA_TYPE_INT8; /* only operators that stay CUSTOM can read it */
        if (l->fault != NULL)
            return;
        values[i] = mlia_graph_add_tensor(l->graph, l->block, x->tensor->name, type, x->rank, x->dims);
        if (values[i] == MLIA_NONE) {
            mlia_lower_fail(l, mlia_error_memory());
            return;
        }
        x->is_constant = false;
        if (x->type == MLIA_TFLITE_UINT8)
            x->edge = values[i];
        else
            x->value = values[i];
    }
    if (l->fault == NULL && !mlia_graph_set_block_inputs(l->graph, l->block, values, inputs->count))
        mlia_lower_fail(l, mlia_error_memory());
}

/* State that leaves through the edge of the graph comes after the model's own inputs and outputs. */
static void add_state(lowering *l, uint32_t *outputs, uint32_t output_count)
{
    const mlia_block *block = &l->graph->blocks[l->block];
    uint32_t input_count = block->input_count;
    uint32_t *inputs = MLIA_NEW_ARRAY(l->arena, uint32_t, (size_t)input_count + l->state_count);
    if (inputs == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return;
    }
    memcpy(inputs, block->inputs, input_count * sizeof *inputs);
    mlia_state_finish(l, inputs, &input_count, outputs, &output_count);
    if (l->fault == NULL && (!mlia_graph_set_block_inputs(l->graph, l->block, inputs, input_count) ||
                             !mlia_graph_set_block_outputs(l->graph, l->block, outputs, output_count)))
        mlia_lower_fail(l, mlia_error_memory());
}

static void add_outputs(lowering *l, frame *inner)
{
    const mlia_tflite_indexes *outputs = &inner->tflite->outputs;
    uint32_t *values = MLIA_NEW_ARRAY(l->arena, uint32_t, (size_t)outputs->count + l->state_count);
    if (values == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return;
    }
    /* Faults from here on belong to no operator: point them at the last one. */
    l->frame = inner;
    for (uint32_t i = 0; i < outputs->count && l->fault == NULL; i++) {
        operand *x = &inner->tensors[outputs->values[i]];
        uint32_t value = mlia_lower_value(l, x);
        if (value == MLIA_NONE)
            return;
        uint32_t producer = l->graph->values[value].producer;
        l->source = producer != MLIA_NONE ? l->graph->operators[producer].source : MLIA_NONE;
        if (x->type == MLIA_TFLITE_UINT8) {
            mlia_str name = l->graph->values[value].name;
            l->graph->values[value].name = MLIA_STR_NONE;
            value = mlia_emit_edge(l, x, value, false);
            if (value != MLIA_NONE)
                l->graph->values[value].name = name.size ? name : x->tensor->name;
        }
        values[i] = mlia_emit_own(l, value, values, i);
    }
    if (l->fault == NULL)
        add_state(l, values, outputs->count);
}

static void convert_entry(lowering *l)
{
    static const mlia_tflite_operator nothing = {0};
    l->op = &nothing;
    const mlia_tflite_subgraph *graph = &l->model->subgraphs[l->options->subgraph];
    mlia_str name = graph->name.size > 0 ? graph->name : MLIA_STR("main");
    if (mlia_graph_add_region(l->graph, name, name) == MLIA_NONE)
        mlia_lower_fail(l, mlia_error_memory());
    frame *entry = mlia_lower_frame(l, l->options->subgraph, NULL);
    if (entry == NULL)
        return;
    l->frame = entry;
    l->block = l->graph->regions[0].block;
    add_inputs(l, entry);
    mlia_lower_subgraph(l, entry);
    if (l->fault == NULL)
        add_outputs(l, entry);
}

mlia_status *mlia_tflite_to_tosa(const mlia_tflite *model, mlia_str file_name,
                                 const mlia_tflite_to_tosa_options *options, mlia_arena *arena,
                                 mlia_diagnostics *diagnostics, mlia_graph **graph)
{
    if (options->subgraph >= model->subgraph_count)
        return mlia_error(MLIA_E_TFLITE_SUBGRAPH_INDEX, "subgraph %u of %u", options->subgraph,
                          model->subgraph_count);
    lowering l = {
        .model = model,
        .options = options,
        .file_name = file_name,
        .arena = arena,
        .diagnostics = diagnostics,
        .graph = mlia_graph_new(arena, MLIA_SOURCE_TFLITE),
        .source = MLIA_NONE,
        .constants = mlia_map_in(arena),
        .state_index = mlia_map_in(arena),
        .source_of = MLIA_NEW_ARRAY(arena, uint32_t, model->subgraph_count),
        .called_once = MLIA_NEW_ARRAY(arena, bool, model->subgraph_count),
    };
    MLIA_TRY_ALLOC(l.graph);
    MLIA_TRY_ALLOC(l.source_of);
    MLIA_TRY_ALLOC(l.called_once);
    for (uint32_t i = 0; i < model->subgraph_count; i++)
        l.source_of[i] = MLIA_NONE;
    convert_entry(&l);
    if (l.fault != NULL)
        return l.fault;
    MLIA_TRY(mlia_graph_prune(l.graph, l.results, l.result_count));
    MLIA_TRY(mlia_lower_locations(&l));
    MLIA_TRY(mlia_graph_finish(l.graph, diagnostics));
    *graph = l.graph;
    return NULL;
}
