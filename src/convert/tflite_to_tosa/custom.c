/* Operators without a TOSA meaning: they stay CUSTOM of the domain "TFL", so that one of them never spoils
 * the whole model. Custom operators of the application keep the bytes of their options; builtin ones get
 * theirs as JSON: {"version":1,"options":{"idx_out_type":2}}. Why it stayed is kept with the source operator.
 */
#include "convert/tflite_to_tosa/custom.h"

#include "convert/tflite_to_tosa/source.h"

/* ---- options of builtin operators ---- */

static void add_integer(mlia_buffer *out, const mlia_flatbuf_field *field, int64_t value)
{
    if (field->type == MLIA_FLATBUF_BOOL)
        mlia_buffer_add_str(out, value != 0 ? MLIA_STR("true") : MLIA_STR("false"));
    else
        mlia_buffer_format(out, "%lld", (long long)value);
}

/* JSON has no infinities and no NaN. */
static void add_real(mlia_buffer *out, double value)
{
    if (value - value == 0.0)
        mlia_buffer_format(out, "%.9g", value);
    else
        mlia_buffer_add_str(out, MLIA_STR("null"));
}

static void add_list(mlia_buffer *out, mlia_flatbuf_table table, uint32_t id)
{
    const mlia_flatbuf_field *field = &table.schema->fields[id];
    mlia_flatbuf_vector list = mlia_flatbuf_list(table, id);
    mlia_buffer_add_byte(out, '[');
    for (size_t i = 0; i < list.count; i++) {
        mlia_buffer_add_str(out, i > 0 ? MLIA_STR(",") : MLIA_STR_NONE);
        if (field->type == MLIA_FLATBUF_F32)
            add_real(out, mlia_flatbuf_real_at(list, i));
        else
            add_integer(out, field, mlia_flatbuf_integer_at(list, i));
    }
    mlia_buffer_add_byte(out, ']');
}

static void add_option(mlia_buffer *out, mlia_flatbuf_table table, uint32_t id)
{
    const mlia_flatbuf_field *field = &table.schema->fields[id];
    mlia_buffer_format(out, "%s\"%s\":", id > 0 ? "," : "", field->name);
    if (field->is_vector)
        add_list(out, table, id);
    else if (field->type == MLIA_FLATBUF_STRING)
        mlia_lower_json_text(out, mlia_flatbuf_string(table, id));
    else if (field->type == MLIA_FLATBUF_F32)
        add_real(out, mlia_flatbuf_real(table, id));
    else
        add_integer(out, field, mlia_flatbuf_integer(table, id));
}

static mlia_bytes describe_options(lowering *l, const mlia_tflite_operator *op)
{
    mlia_buffer text = {0};
    mlia_buffer_format(&text, "{\"version\":%d,\"options\":{", op->version);
    for (uint32_t id = 0; op->options.schema != NULL && id < op->options.schema->field_count; id++)
        add_option(&text, op->options, id);
    mlia_buffer_add_str(&text, MLIA_STR("}}"));
    mlia_str copy = text.failed ? MLIA_STR_NONE : mlia_arena_str(l->arena, mlia_buffer_str(&text));
    mlia_buffer_free(&text);
    if (copy.data == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    return (mlia_bytes){(const uint8_t *)copy.data, copy.size};
}

/* ---- the operator ---- */

bool mlia_lower_is_refusal(const mlia_status *fault)
{
    mlia_kind kind = mlia_status_kind(fault);
    return kind != MLIA_E_MEMORY &&
           (mlia_kind_class(kind) == MLIA_CLASS_UNSUPPORTED || kind == MLIA_E_TFLITE_TYPE);
}

/* Operands that TOSA can hold: what an operator keeps between runs stays its own affair. */
static uint32_t take_inputs(lowering *l, uint32_t *values)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->op->inputs.count && l->fault == NULL; i++) {
        operand *x = mlia_lower_input(l, i);
        if (x == NULL || x->tensor->is_variable)
            continue;
        values[count] = mlia_lower_value(l, x);
        if (l->fault == NULL) {
            count++;
        } else if (mlia_lower_is_refusal(l->fault)) {
            mlia_status_free(l->fault);
            l->fault = NULL;
        }
    }
    return count;
}

/* Results with the declared dimensions, unknown ones as 1. */
static uint32_t add_outputs(lowering *l, uint32_t *values)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < l->op->outputs.count && l->fault == NULL; i++) {
        operand *out = mlia_lower_output(l, i);
        if (out == NULL)
            continue;
        for (uint32_t k = 0; k < out->rank; k++)
            if (out->dims[k] < 1)
                out->dims[k] = 1;
        uint32_t type = mlia_lower_type(out->type);
        if (type == MLIA_TYPE_UNKNOWN)
            type = MLIA_TYPE_INT8; /* strings and the like: only the edge matters */
        out->value = mlia_graph_add_tensor(l->graph, l->block, out->tensor->name, type, out->rank, out->dims);
        values[count++] = out->value;
    }
    return count;
}

static void emit(lowering *l, mlia_str name, mlia_bytes options)
{
    size_t most = (size_t)l->op->inputs.count + l->op->outputs.count;
    uint32_t *inputs = MLIA_NEW_ARRAY(l->arena, uint32_t, most);
    if (inputs == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return;
    }
    uint32_t *outputs = inputs + l->op->inputs.count;
    uint32_t input_count = take_inputs(l, inputs);
    uint32_t output_count = add_outputs(l, outputs);
    mlia_attributes attributes = mlia_attributes_default();
    attributes.operator_name = name;
    attributes.domain_name = MLIA_STR("TFL");
    attributes.implementation_attrs = options;
    if (l->fault == NULL &&
        mlia_graph_add_operator(l->graph, l->block, MLIA_OP_CUSTOM, inputs, input_count, outputs,
                                output_count, &attributes, l->source) == MLIA_NONE)
        mlia_lower_fail(l, mlia_error_memory());
}

/* Messages of lowerings begin with the operator's name, which whoever shows the reason has already. */
static mlia_str without_name(mlia_str message, mlia_str name)
{
    bool named = name.size > 0 && mlia_str_starts_with(message, name) &&
                 mlia_str_starts_with(mlia_str_slice(message, name.size, message.size), MLIA_STR(": "));
    return named ? mlia_str_slice(message, name.size + 2, message.size) : message;
}

void mlia_lower_keep(lowering *l, mlia_status *reason)
{
    const mlia_tflite_operator *op = l->op;
    mlia_source *source = &l->graph->sources[l->source];
    source->refusal_code = mlia_str_from_c(mlia_kind_name(mlia_status_kind(reason)));
    source->refusal = mlia_arena_str(l->arena, without_name(mlia_status_message(reason), source->type));
    mlia_warn_at(l->diagnostics, MLIA_W_TFLITE, op->offset, source->id, "%.*s; it stays a custom operator",
                 MLIA_STR_ARG(mlia_status_message(reason)));
    mlia_status_free(reason);
    if (source->refusal.data == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    else if (op->op == MLIA_TFLITE_OP_CUSTOM)
        emit(l, op->custom_code, op->custom_options);
    else
        emit(l, source->type, describe_options(l, op));
}
