/* The TensorFlow Lite reader: from verified FlatBuffer to structs. Every index is checked once, here. */
#include "formats/tflite/read.h"

static const mlia_flatbuf_rules rules = {
    .identifier = "TFL3",
    .flags =
        MLIA_FLATBUF_ALIGNED | MLIA_FLATBUF_LOOSE_64 | MLIA_FLATBUF_LOOSE_STRINGS | MLIA_FLATBUF_ANY_TEXT,
    .table_limit = 1000000,
    .short_kind = MLIA_E_TFLITE_SHORT,
    .identifier_kind = MLIA_E_TFLITE_IDENTIFIER,
    .offset_kind = MLIA_E_TFLITE_FLATBUFFER,
    .missing_kind = MLIA_E_TFLITE_FLATBUFFER,
    .text_kind = MLIA_E_TFLITE_FLATBUFFER,
    .limit_kind = MLIA_E_TFLITE_FLATBUFFER,
    .warning_kind = MLIA_W_TFLITE,
};

/* Bytes that sparse tensors may unfold to: nine of ten values are zero in practice. */
enum { UNFOLD_ALWAYS = 1 << 20, UNFOLD_PER_BYTE = 256 };

/* Reads a list of tensor indexes; -1 is allowed where an operand may be absent. */
static mlia_status *read_indexes(mlia_tflite_reader *reader, mlia_flatbuf_table table, uint32_t field,
                                 uint32_t tensor_count, int32_t lowest, mlia_tflite_indexes *result)
{
    mlia_flatbuf_vector list = mlia_flatbuf_list(table, field);
    int32_t *values = MLIA_NEW_ARRAY(reader->arena, int32_t, list.count);
    MLIA_TRY_ALLOC(values);
    for (size_t i = 0; i < list.count; i++) {
        values[i] = (int32_t)mlia_flatbuf_integer_at(list, i);
        if (values[i] < lowest || (values[i] >= 0 && (uint32_t)values[i] >= tensor_count))
            return mlia_status_at(
                mlia_error(MLIA_E_TFLITE_TENSOR_INDEX, "tensor %d of %u", values[i], tensor_count),
                mlia_flatbuf_offset(table, field));
    }
    *result = (mlia_tflite_indexes){(uint32_t)list.count, values};
    return NULL;
}

/* Takes the options table that belongs to the operator, from whichever union holds it. */
static mlia_status *read_options(mlia_flatbuf_table table, mlia_tflite_operator *op)
{
    const mlia_flatbuf_schema *wanted = mlia_tflite_op_options(op->op);
    op->options = (mlia_flatbuf_table){.schema = wanted}; /* absent: every field has its default */
    bool second = mlia_tflite_options_in_second(wanted);
    uint32_t tag = mlia_flatbuf_u8(table, second ? OPERATOR_OPTIONS_2_TYPE : OPERATOR_OPTIONS_TYPE);
    if (tag == 0 || wanted == NULL || wanted->field_count == 0)
        return NULL;
    if (tag != mlia_tflite_options_tag(wanted))
        return mlia_error(MLIA_E_TFLITE_ATTRIBUTE,
                          "%.*s carries options of another operator (number %u, not %s)",
                          MLIA_STR_ARG(mlia_tflite_op_name(op->op)), tag, wanted->name);
    op->options = mlia_flatbuf_child(table, second ? OPERATOR_OPTIONS_2 : OPERATOR_OPTIONS);
    return NULL;
}

static mlia_status *read_code(mlia_tflite_reader *reader, mlia_flatbuf_table table, mlia_tflite_operator *op)
{
    uint32_t index = mlia_flatbuf_u32(table, OPERATOR_CODE);
    if (index >= reader->codes.count)
        return mlia_error(MLIA_E_TFLITE_OPCODE_INDEX, "operator code %u of %zu", index, reader->codes.count);
    mlia_flatbuf_table code = mlia_flatbuf_table_at(reader->codes, index);
    int32_t deprecated = mlia_flatbuf_i32(code, CODE_DEPRECATED);
    int32_t builtin = mlia_flatbuf_i32(code, CODE_BUILTIN);
    int32_t number = deprecated > builtin ? deprecated : builtin;
    if (number < 0)
        return mlia_error(MLIA_E_TFLITE_OPERATOR, "builtin operator %d", number);
    bool is_known = mlia_tflite_op_name((uint32_t)number).size > 0;
    op->op = is_known ? (uint32_t)number : (uint32_t)MLIA_TFLITE_OP_UNKNOWN;
    op->version = mlia_flatbuf_i32(code, CODE_VERSION);
    op->custom_code = is_known ? mlia_flatbuf_string(code, CODE_CUSTOM)
                               : mlia_arena_format(reader->arena, "BUILTIN_%d", number);
    if (!is_known)
        MLIA_TRY_ALLOC(op->custom_code.data);
    if (op->op == MLIA_TFLITE_OP_CUSTOM && op->custom_code.size == 0)
        return mlia_error(MLIA_E_TFLITE_OPERANDS, "a custom operator without a name");
    return NULL;
}

static mlia_status *read_custom_options(mlia_tflite_reader *reader, mlia_flatbuf_table table,
                                        mlia_tflite_operator *op)
{
    op->custom_options = mlia_flatbuf_bytes(table, OPERATOR_CUSTOM_OPTIONS);
    uint64_t offset = mlia_flatbuf_u64(table, OPERATOR_LARGE_OFFSET);
    uint64_t size = mlia_flatbuf_u64(table, OPERATOR_LARGE_SIZE);
    if (op->custom_options.size > 0 || offset <= 1)
        return NULL;
    if (!mlia_bytes_has(reader->file, offset, size))
        return mlia_error(MLIA_E_TFLITE_BUFFER_RANGE,
                          "custom options: %llu bytes at %llu lie outside of the file",
                          (unsigned long long)size, (unsigned long long)offset);
    op->custom_options = mlia_bytes_slice(reader->file, (size_t)offset, (size_t)size);
    return NULL;
}

static mlia_status *read_operator(mlia_tflite_reader *reader, mlia_flatbuf_table table, uint32_t tensor_count,
                                  mlia_tflite_operator *op)
{
    op->offset = table.position;
    MLIA_TRY(read_code(reader, table, op));
    MLIA_TRY(read_indexes(reader, table, OPERATOR_INPUTS, tensor_count, -1, &op->inputs));
    MLIA_TRY(read_indexes(reader, table, OPERATOR_OUTPUTS, tensor_count, -1, &op->outputs));
    MLIA_TRY(read_indexes(reader, table, OPERATOR_INTERMEDIATES, tensor_count, -1, &op->intermediates));
    MLIA_TRY(read_options(table, op));
    return read_custom_options(reader, table, op);
}

/* Every operand is constant, an input, a variable or the result of an earlier operator; no tensor is made
 * twice. */
static mlia_status *check_order(const mlia_tflite_subgraph *graph, mlia_arena *arena)
{
    bool *ready = MLIA_NEW_ARRAY(arena, bool, graph->tensor_count);
    bool *made = MLIA_NEW_ARRAY(arena, bool, graph->tensor_count);
    MLIA_TRY_ALLOC(ready);
    MLIA_TRY_ALLOC(made);
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        const mlia_tflite_tensor *tensor = &graph->tensors[i];
        uint64_t elements;
        ready[i] = tensor->is_constant || tensor->is_variable ||
                   (mlia_tflite_elements(tensor, &elements) && elements == 0);
    }
    for (uint32_t i = 0; i < graph->inputs.count; i++)
        ready[graph->inputs.values[i]] = true;
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        const mlia_tflite_operator *op = &graph->operators[i];
        for (uint32_t k = 0; k < op->inputs.count; k++) {
            int32_t index = op->inputs.values[k];
            if (index >= 0 && !ready[index])
                return mlia_status_in(
                    mlia_status_at(mlia_error(MLIA_E_TFLITE_ORDER,
                                              "%.*s reads tensor %d ('%.*s'), which nothing before it makes",
                                              MLIA_STR_ARG(mlia_tflite_op_name(op->op)), index,
                                              MLIA_STR_ARG(graph->tensors[index].name)),
                                   op->offset),
                    "operator %u", i);
        }
        for (uint32_t k = 0; k < op->outputs.count; k++) {
            int32_t index = op->outputs.values[k];
            if (index < 0)
                continue;
            if (made[index])
                return mlia_status_in(
                    mlia_status_at(mlia_error(MLIA_E_TFLITE_ORDER, "tensor %d is written twice", index),
                                   op->offset),
                    "operator %u", i);
            made[index] = ready[index] = true;
        }
    }
    for (uint32_t i = 0; i < graph->outputs.count; i++)
        if (!ready[graph->outputs.values[i]])
            return mlia_error(MLIA_E_TFLITE_ORDER, "output %u (tensor %d) is never made", i,
                              graph->outputs.values[i]);
    return NULL;
}

static mlia_status *read_subgraph(mlia_tflite_reader *reader, mlia_flatbuf_table table, uint32_t index,
                                  mlia_tflite_subgraph *graph)
{
    mlia_flatbuf_vector tensors = mlia_flatbuf_list(table, SUBGRAPH_TENSORS);
    mlia_flatbuf_vector operators = mlia_flatbuf_list(table, SUBGRAPH_OPERATORS);
    graph->name = mlia_flatbuf_string(table, SUBGRAPH_NAME);
    graph->tensor_count = (uint32_t)tensors.count;
    graph->tensors = MLIA_NEW_ARRAY(reader->arena, mlia_tflite_tensor, tensors.count);
    graph->operator_count = (uint32_t)operators.count;
    graph->operators = MLIA_NEW_ARRAY(reader->arena, mlia_tflite_operator, operators.count);
    MLIA_TRY_ALLOC(graph->tensors);
    MLIA_TRY_ALLOC(graph->operators);
    for (uint32_t i = 0; i < graph->tensor_count; i++)
        MLIA_TRY(
            mlia_tflite_read_tensor(reader, mlia_flatbuf_table_at(tensors, i), index, i, &graph->tensors[i]));
    MLIA_TRY(read_indexes(reader, table, SUBGRAPH_INPUTS, graph->tensor_count, 0, &graph->inputs));
    MLIA_TRY(read_indexes(reader, table, SUBGRAPH_OUTPUTS, graph->tensor_count, 0, &graph->outputs));
    for (uint32_t i = 0; i < graph->operator_count; i++)
        MLIA_TRY(mlia_status_in(read_operator(reader, mlia_flatbuf_table_at(operators, i),
                                              graph->tensor_count, &graph->operators[i]),
                                "subgraphs[%u].operators[%u]", index, i));
    return mlia_status_in(check_order(graph, reader->arena), "subgraphs[%u]", index);
}

static mlia_status *read_bindings(mlia_tflite_reader *reader, mlia_flatbuf_vector list, uint32_t tensor_count,
                                  mlia_tflite_binding **bindings, uint32_t *count)
{
    *bindings = MLIA_NEW_ARRAY(reader->arena, mlia_tflite_binding, list.count);
    MLIA_TRY_ALLOC(*bindings);
    *count = (uint32_t)list.count;
    for (size_t i = 0; i < list.count; i++) {
        mlia_flatbuf_table table = mlia_flatbuf_table_at(list, i);
        uint32_t tensor = mlia_flatbuf_u32(table, MAP_TENSOR);
        if (tensor >= tensor_count)
            return mlia_error(MLIA_E_TFLITE_TENSOR_INDEX, "tensor %u of %u", tensor, tensor_count);
        (*bindings)[i] = (mlia_tflite_binding){mlia_flatbuf_string(table, MAP_NAME), tensor};
    }
    return NULL;
}

static mlia_status *read_signature(mlia_tflite_reader *reader, mlia_flatbuf_table table,
                                   mlia_tflite_signature *signature)
{
    signature->key = mlia_flatbuf_string(table, SIGNATURE_KEY);
    signature->subgraph = mlia_flatbuf_u32(table, SIGNATURE_SUBGRAPH);
    if (signature->subgraph >= reader->model->subgraph_count)
        return mlia_error(MLIA_E_TFLITE_SUBGRAPH_INDEX, "subgraph %u of %u", signature->subgraph,
                          reader->model->subgraph_count);
    uint32_t tensors = reader->model->subgraphs[signature->subgraph].tensor_count;
    MLIA_TRY(read_bindings(reader, mlia_flatbuf_list(table, SIGNATURE_INPUTS), tensors, &signature->inputs,
                           &signature->input_count));
    return read_bindings(reader, mlia_flatbuf_list(table, SIGNATURE_OUTPUTS), tensors, &signature->outputs,
                         &signature->output_count);
}

static mlia_status *read_extras(mlia_tflite_reader *reader, mlia_flatbuf_table root)
{
    mlia_tflite *model = reader->model;
    mlia_flatbuf_vector signatures = mlia_flatbuf_list(root, MODEL_SIGNATURES);
    mlia_flatbuf_vector metadata = mlia_flatbuf_list(root, MODEL_METADATA);
    model->signatures = MLIA_NEW_ARRAY(reader->arena, mlia_tflite_signature, signatures.count);
    model->metadata = MLIA_NEW_ARRAY(reader->arena, mlia_tflite_metadata, metadata.count);
    MLIA_TRY_ALLOC(model->signatures);
    MLIA_TRY_ALLOC(model->metadata);
    model->signature_count = (uint32_t)signatures.count;
    model->metadata_count = (uint32_t)metadata.count;
    for (uint32_t i = 0; i < model->signature_count; i++)
        MLIA_TRY(mlia_status_in(
            read_signature(reader, mlia_flatbuf_table_at(signatures, i), &model->signatures[i]),
            "signature_defs[%u]", i));
    for (uint32_t i = 0; i < model->metadata_count; i++) {
        mlia_flatbuf_table table = mlia_flatbuf_table_at(metadata, i);
        model->metadata[i].name = mlia_flatbuf_string(table, METADATA_NAME);
        MLIA_TRY(mlia_status_in(mlia_tflite_buffer_bytes(reader, mlia_flatbuf_u32(table, METADATA_BUFFER),
                                                         &model->metadata[i].data),
                                "metadata[%u]", i));
    }
    return NULL;
}

mlia_status *mlia_tflite_read(mlia_bytes file, mlia_tflite_open_external *open_external, void *context,
                              mlia_arena *arena, mlia_diagnostics *diagnostics, mlia_tflite **result)
{
    mlia_tflite *model = MLIA_NEW(arena, mlia_tflite);
    MLIA_TRY_ALLOC(model);
    MLIA_TRY(mlia_flatbuf_open(file, &rules, &model->buffer));
    MLIA_TRY(mlia_flatbuf_verify(&model->buffer, &mlia_tflite_version_schema, NULL));
    uint32_t version =
        mlia_flatbuf_u32(mlia_flatbuf_root(&model->buffer, &mlia_tflite_version_schema), MODEL_VERSION);
    if (version != 3)
        return mlia_error(MLIA_E_TFLITE_VERSION, "schema version %u, only 3 can be read", version);
    MLIA_TRY(mlia_flatbuf_verify(&model->buffer, &mlia_tflite_model_schema, diagnostics));
    mlia_flatbuf_table root = mlia_flatbuf_root(&model->buffer, &mlia_tflite_model_schema);
    mlia_tflite_reader reader = {
        .file = file,
        .arena = arena,
        .diagnostics = diagnostics,
        .open_external = open_external,
        .context = context,
        .codes = mlia_flatbuf_list(root, MODEL_OPERATOR_CODES),
        .buffers = mlia_flatbuf_list(root, MODEL_BUFFERS),
        .external_groups = mlia_flatbuf_list(root, MODEL_EXTERNAL_GROUPS),
        .external_buffers = mlia_flatbuf_list(root, MODEL_EXTERNAL_BUFFERS),
        .unfold_budget = UNFOLD_ALWAYS + UNFOLD_PER_BYTE * (uint64_t)file.size,
        .model = model,
    };
    model->description = mlia_flatbuf_string(root, MODEL_DESCRIPTION);
    mlia_flatbuf_vector subgraphs = mlia_flatbuf_list(root, MODEL_SUBGRAPHS);
    model->subgraph_count = (uint32_t)subgraphs.count;
    model->subgraphs = MLIA_NEW_ARRAY(arena, mlia_tflite_subgraph, subgraphs.count);
    MLIA_TRY_ALLOC(model->subgraphs);
    for (uint32_t i = 0; i < model->subgraph_count; i++)
        MLIA_TRY(read_subgraph(&reader, mlia_flatbuf_table_at(subgraphs, i), i, &model->subgraphs[i]));
    if (model->subgraph_count == 0 || model->subgraphs[0].outputs.count == 0)
        return mlia_error(MLIA_E_TFLITE_NO_SUBGRAPH, model->subgraph_count == 0
                                                         ? "the model has no subgraph"
                                                         : "the first subgraph has no outputs");
    MLIA_TRY(read_extras(&reader, root));
    *result = model;
    return NULL;
}
