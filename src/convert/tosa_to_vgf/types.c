/* Changes of element types; see types.h. */
#include "convert/tosa_to_vgf/types.h"

#include "convert/simplify/number.h"
#include "graph/analyse.h"
#include "graph/encode.h"

static bool has_type(const mlia_graph *graph, mlia_type type)
{
    uint32_t i = 0;
    while (i < graph->value_count && graph->values[i].type != type)
        i++;
    return i < graph->value_count;
}

bool mlia_vgf_changes_types(const mlia_graph *graph, mlia_narrowing narrowing)
{
    return narrowing != MLIA_NARROWING_NONE || has_type(graph, MLIA_TYPE_INT64) ||
           has_type(graph, MLIA_TYPE_INT4);
}

/* Constant bytes again in another type: each stored element through a number. */
static mlia_status *recode(mlia_edit *edit, mlia_graph_value *value, uint32_t type, bool *saturated)
{
    mlia_constant *constant = MLIA_NEW(edit->arena, mlia_constant);
    MLIA_TRY_ALLOC(constant);
    uint64_t elements = 1;
    bool splat = value->constant->splat;
    mlia_graph_value stored = *value;
    if (splat) { /* one element is stored */
        mlia_constant *one = MLIA_NEW(edit->arena, mlia_constant);
        MLIA_TRY_ALLOC(one);
        *one = (mlia_constant){value->constant->bytes, value->constant->encoding, false};
        stored.constant = one;
        stored.rank = 0;
    } else if (!mlia_value_elements(value, &elements)) {
        return mlia_error(MLIA_E_TOSA_DATA, "a constant of unknown size");
    }
    mlia_bytes bytes = {NULL, 0};
    uint64_t size = 0;
    MLIA_TRY(mlia_constant_encode(&stored, MLIA_ENCODING_BYTES, edit->arena, &bytes));
    if (!mlia_constant_bytes(type, MLIA_ENCODING_BYTES, elements, &size))
        return mlia_error(MLIA_E_LIMIT, "a constant of %llu elements", (unsigned long long)elements);
    uint8_t *data = MLIA_NEW_ARRAY(edit->arena, uint8_t, (size_t)size);
    MLIA_TRY_ALLOC(data);
    size_t from = elements == 0 ? 1 : bytes.size / (size_t)elements;
    size_t to = elements == 0 ? 1 : (size_t)(size / elements);
    for (size_t i = 0; i < elements; i++) {
        mlia_number number = {0};
        uint8_t element[MLIA_NUMBER_SIZE];
        mlia_number_read(value->type, mlia_bytes_slice(bytes, i * from, from), &number);
        if (type == MLIA_TYPE_INT32 && (number.integer > INT32_MAX || number.integer < INT32_MIN)) {
            number.integer = number.integer > 0 ? INT32_MAX : INT32_MIN;
            *saturated = true;
        }
        mlia_number_write(type, number, element);
        memcpy(data + i * to, element, to);
    }
    *constant = (mlia_constant){{data, (size_t)size}, MLIA_ENCODING_BYTES, splat};
    value->constant = constant;
    return NULL;
}

/* Every tensor of type `from` becomes one of type `to`. */
static mlia_status *change_type(mlia_edit *edit, uint32_t from, uint32_t to, mlia_diagnostics *diagnostics)
{
    for (uint32_t i = 0; i < edit->graph->value_count; i++) {
        mlia_graph_value *value = &edit->graph->values[i];
        if (value->type != from || value->kind != MLIA_KIND_TENSOR)
            continue;
        bool saturated = false;
        if (value->constant != NULL)
            MLIA_TRY(recode(edit, value, to, &saturated));
        if (saturated)
            mlia_warn(diagnostics, MLIA_W_VGF_SATURATED,
                      "constant" MLIA_NAME
                      " has values that do not fit INT32; they become the nearest that does",
                      MLIA_NAME_ARG(value->name));
        value->type = (uint8_t)to;
    }
    return NULL;
}

mlia_status *mlia_vgf_lower_integers(mlia_edit *edit, mlia_diagnostics *diagnostics)
{
    for (size_t i = 0; i < edit->operator_count; i++) {
        uint32_t index = edit->operators[i];
        const mlia_operator *op = mlia_edit_operator(edit, index);
        if (op->op != MLIA_OP_CAST)
            continue;
        if (mlia_edit_tensor(edit, op->outputs[0])->type == MLIA_TYPE_INT4)
            return mlia_status_of_operator(
                mlia_error(MLIA_E_TOSA_UNSUPPORTED, "a cast to INT4 has no SPIR-V instruction"), edit->graph,
                op);
        /* INT4 is written as 8-bit elements, so a cast to INT8 changes nothing */
        if (mlia_edit_tensor(edit, mlia_edit_input(edit, index, 0))->type == MLIA_TYPE_INT4 &&
            mlia_edit_tensor(edit, op->outputs[0])->type == MLIA_TYPE_INT8)
            mlia_edit_operator(edit, index)->op = MLIA_OP_IDENTITY;
    }
    return change_type(edit, MLIA_TYPE_INT64, MLIA_TYPE_INT32, diagnostics);
}

/* One bound of CLAMP. */
static mlia_status *narrow_bound(mlia_edit *edit, mlia_bytes *bound)
{
    mlia_number number;
    if (!mlia_number_read(MLIA_TYPE_FP32, *bound, &number))
        return NULL;
    uint8_t *bytes = MLIA_NEW_ARRAY(edit->arena, uint8_t, MLIA_NUMBER_SIZE);
    MLIA_TRY_ALLOC(bytes);
    *bound = (mlia_bytes){bytes, mlia_number_write(MLIA_TYPE_FP16, number, bytes)};
    return NULL;
}

static mlia_status *narrow_attributes(mlia_edit *edit, mlia_operator *op, mlia_narrowing narrowing)
{
    if (op->attributes == NULL)
        return NULL;
    bool clamp = op->op == MLIA_OP_CLAMP && mlia_edit_tensor(edit, op->outputs[0])->type == MLIA_TYPE_FP32;
    bool accumulator = mlia_op_has_field(op->op, MLIA_FIELD_ACC_TYPE) &&
                       op->attributes->acc_type == MLIA_TYPE_FP32 && narrowing != MLIA_NARROWING_PARTIAL;
    if (!clamp && !accumulator)
        return NULL;
    mlia_attributes *attributes = MLIA_NEW(edit->arena, mlia_attributes);
    MLIA_TRY_ALLOC(attributes);
    *attributes = *op->attributes;
    if (accumulator)
        attributes->acc_type = MLIA_TYPE_FP16;
    if (clamp) {
        MLIA_TRY(narrow_bound(edit, &attributes->min_val));
        MLIA_TRY(narrow_bound(edit, &attributes->max_val));
    }
    op->attributes = attributes;
    return NULL;
}

/* New value like `value` of type FP32, connected to it by a CAST from `from`; *made is the CAST's operator.
 */
static mlia_status *add_cast(mlia_edit *edit, uint32_t from, uint32_t type, uint32_t *op)
{
    const mlia_graph_value value = *mlia_edit_tensor(edit, from);
    return mlia_edit_add_operator(edit, MLIA_OP_CAST, value.producer, &from, 1, type, value.rank, value.dims,
                                  NULL, op);
}

/* The values at the outer side of the casts, which stay FP32. */
typedef struct outer_values {
    uint32_t *items;
    uint32_t count;
    uint32_t *of; /* by value of the model: the value outside that stands for it, or MLIA_NONE */
} outer_values;

/* Inputs of type FP32 in the order in which `operators` first read them; *found of them. */
static mlia_status *inputs_by_use(mlia_edit *edit, const uint32_t *operators, size_t count, uint32_t **order,
                                  uint32_t *found)
{
    uint32_t *index = MLIA_NEW_ARRAY(edit->scratch, uint32_t, edit->graph->value_count);
    *order = MLIA_NEW_ARRAY(edit->scratch, uint32_t, edit->input_count);
    MLIA_TRY_ALLOC(index);
    MLIA_TRY_ALLOC(*order);
    memset(index, 0xFF, edit->graph->value_count * sizeof *index);
    *found = 0;
    for (uint32_t i = 0; i < edit->input_count; i++)
        if (mlia_edit_tensor(edit, edit->inputs[i])->type == MLIA_TYPE_FP32)
            index[edit->inputs[i]] = i;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < mlia_edit_operator(edit, operators[i])->input_count; k++) {
            uint32_t value = mlia_edit_input(edit, operators[i], k);
            if (index[value] == MLIA_NONE)
                continue;
            (*order)[(*found)++] = index[value];
            index[value] = MLIA_NONE;
        }
    return NULL;
}

/* The block gets a new input; what was the input is forwarded to the CAST's result. The input that is used
 * first comes last, as the official converter has it. */
static mlia_status *cast_inputs(mlia_edit *edit, const uint32_t *operators, size_t count, outer_values *outer)
{
    uint32_t *order;
    uint32_t found;
    MLIA_TRY(inputs_by_use(edit, operators, count, &order, &found));
    uint32_t *inputs = MLIA_NEW_ARRAY(edit->scratch, uint32_t, edit->input_count);
    MLIA_TRY_ALLOC(inputs);
    if (edit->input_count > 0)
        memcpy(inputs, edit->inputs, edit->input_count * sizeof *inputs);
    while (found-- > 0) {
        uint32_t i = order[found];
        const mlia_graph_value value = *mlia_edit_tensor(edit, edit->inputs[i]);
        uint32_t op;
        inputs[i] = mlia_graph_add_tensor(edit->graph, 0, value.name, MLIA_TYPE_FP32, value.rank, value.dims);
        if (inputs[i] == MLIA_NONE)
            return mlia_error_memory();
        MLIA_TRY(mlia_edit_add_operator(edit, MLIA_OP_CAST, MLIA_NONE, &inputs[i], 1, MLIA_TYPE_FP32,
                                        value.rank, value.dims, NULL, &op));
        edit->forward[edit->inputs[i]] = mlia_edit_operator(edit, op)->outputs[0];
        MLIA_TRY(mlia_edit_append(edit, op));
    }
    for (uint32_t i = 0; i < edit->input_count; i++)
        if (mlia_edit_tensor(edit, inputs[i])->type == MLIA_TYPE_FP32)
            outer->items[outer->count++] = outer->of[edit->inputs[i]] = inputs[i];
    edit->inputs = inputs;
    return NULL;
}

/* Output `index` becomes the result of a CAST, one for all outputs of the same value. Inputs that are
 * returned stay as they are. */
static mlia_status *cast_output(mlia_edit *edit, uint32_t index, outer_values *outer)
{
    uint32_t returned = edit->outputs[index];
    uint32_t value = mlia_edit_value(edit, returned);
    if (mlia_edit_tensor(edit, value)->type != MLIA_TYPE_FP32)
        return NULL;
    if (outer->of[returned] != MLIA_NONE) {
        edit->outputs[index] = outer->of[returned];
        return NULL;
    }
    uint32_t op;
    MLIA_TRY(add_cast(edit, value, MLIA_TYPE_FP32, &op));
    MLIA_TRY(mlia_edit_append(edit, op));
    uint32_t result = mlia_edit_operator(edit, op)->outputs[0];
    mlia_edit_tensor(edit, result)->name = mlia_edit_tensor(edit, value)->name;
    edit->outputs[index] = outer->of[returned] = result;
    outer->items[outer->count++] = result;
    return NULL;
}

static void reverse(uint32_t *items, size_t count)
{
    for (size_t from = 0, to = count; from + 1 < to; from++) {
        uint32_t swap = items[from];
        items[from] = items[--to];
        items[to] = swap;
    }
}

/* Constants behind the first cast come first, turned round, when the official converter gathers them again.
 */
static void gather_constants(mlia_edit *edit, size_t before_cast)
{
    if (edit->constant_count == 0)
        return;
    reverse(edit->constants, edit->constant_count);
    reverse(edit->constants + edit->constant_count - before_cast, before_cast);
}

/* How many constants stand up to the first one that is an output of type FP32: all when there is none. */
static mlia_status *constants_before_output(mlia_edit *edit, size_t *count)
{
    bool *returned = MLIA_NEW_ARRAY(edit->scratch, bool, edit->graph->value_count);
    MLIA_TRY_ALLOC(returned);
    for (uint32_t i = 0; i < edit->output_count; i++)
        returned[mlia_edit_value(edit, edit->outputs[i])] = true;
    for (*count = 0; *count < edit->constant_count; (*count)++) {
        uint32_t value = mlia_edit_operator(edit, edit->constants[*count])->outputs[0];
        if (returned[value] && mlia_edit_tensor(edit, value)->type == MLIA_TYPE_FP32) {
            (*count)++;
            break;
        }
    }
    return NULL;
}

/* Casts behind the inputs and behind the operators that make outputs. Called before types change. */
static mlia_status *preserve_interface(mlia_edit *edit, outer_values *outer)
{
    const uint32_t *old = edit->operators;
    size_t old_count = edit->operator_count;
    uint32_t made =
        edit->graph->operator_count; /* lists of outputs by producer; the last list: no producer */
    uint32_t *first = MLIA_NEW_ARRAY(edit->scratch, uint32_t, (size_t)made + 1);
    uint32_t *next = MLIA_NEW_ARRAY(edit->scratch, uint32_t, edit->output_count);
    MLIA_TRY_ALLOC(first);
    MLIA_TRY_ALLOC(next);
    memset(first, 0xFF, ((size_t)made + 1) * sizeof *first);
    for (uint32_t i = edit->output_count; i-- > 0;) {
        uint32_t producer = mlia_edit_tensor(edit, mlia_edit_value(edit, edit->outputs[i]))->producer;
        bool constant = producer != MLIA_NONE && mlia_edit_operator(edit, producer)->op == MLIA_OP_CONST;
        uint32_t list = producer == MLIA_NONE || constant ? made : producer;
        next[i] = first[list];
        first[list] = i;
    }
    edit->operators = NULL;
    edit->operator_count = edit->operator_capacity = 0;
    MLIA_TRY(cast_inputs(edit, old, old_count, outer));
    size_t before_cast = 0;
    if (edit->operator_count == 0)
        MLIA_TRY(constants_before_output(edit, &before_cast));
    gather_constants(edit, before_cast);
    for (uint32_t i = first[made]; i != MLIA_NONE; i = next[i])
        MLIA_TRY(cast_output(edit, i, outer));
    for (size_t k = 0; k < old_count; k++) {
        MLIA_TRY(mlia_edit_append(edit, old[k]));
        for (uint32_t i = first[old[k]]; i != MLIA_NONE; i = next[i])
            MLIA_TRY(cast_output(edit, i, outer));
    }
    return NULL;
}

mlia_status *mlia_narrow_floats(mlia_edit *edit, mlia_narrowing narrowing)
{
    if (narrowing == MLIA_NARROWING_NONE)
        return NULL;
    outer_values outer = {
        .items = MLIA_NEW_ARRAY(edit->scratch, uint32_t, (size_t)edit->input_count + edit->output_count),
        .of = MLIA_NEW_ARRAY(edit->scratch, uint32_t, edit->graph->value_count)};
    MLIA_TRY_ALLOC(outer.items);
    MLIA_TRY_ALLOC(outer.of);
    memset(outer.of, 0xFF, edit->graph->value_count * sizeof *outer.of);
    for (uint32_t i = 0; i < edit->graph->operator_count; i++)
        MLIA_TRY(narrow_attributes(edit, mlia_edit_operator(edit, i), narrowing));
    if (narrowing == MLIA_NARROWING_FULL_PRESERVE_IO)
        MLIA_TRY(preserve_interface(edit, &outer));
    MLIA_TRY(change_type(edit, MLIA_TYPE_FP32, MLIA_TYPE_FP16, NULL));
    for (uint32_t i = 0; i < outer.count; i++)
        mlia_edit_tensor(edit, outer.items[i])->type = MLIA_TYPE_FP32;
    return NULL;
}

mlia_status *mlia_vgf_check_types(const mlia_graph *graph, mlia_arena *arena)
{
    mlia_graph written = *graph;
    if (has_type(graph, MLIA_TYPE_INT4)) { /* it becomes 8-bit elements */
        written.values = MLIA_NEW_ARRAY(arena, mlia_graph_value, graph->value_count);
        MLIA_TRY_ALLOC(written.values);
        memcpy(written.values, graph->values, graph->value_count * sizeof *written.values);
        for (uint32_t i = 0; i < graph->value_count; i++)
            if (written.values[i].type == MLIA_TYPE_INT4)
                written.values[i].type = MLIA_TYPE_INT8;
    }
    mlia_findings findings = {.limit = 1};
    MLIA_TRY(mlia_graph_verify_instructions(&written, arena, &findings));
    return mlia_findings_status(&written, &findings);
}
