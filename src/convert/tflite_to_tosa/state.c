/* What a model remembers between runs: variables (VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE) and the state
 * of recurrent operators.
 *
 * While operators are lowered a state is just a value: what it holds now. The first read brings in the value
 * from before (a VARIABLE_READ, an extra input, or the initial value as a constant, as --tflite-state says);
 * after the last operator one VARIABLE_WRITE, or an extra output, takes the new value out. The order of reads
 * and writes in the model is therefore kept without relying on the order of operators in the graph. */
#include "base/checked.h"
#include "convert/tflite_to_tosa/rules.h"

enum { STATE_LIMIT = 16 << 20 }; /* elements of one variable */

struct carried_state {
    mlia_str name;
    bool known;    /* type and shape are */
    uint32_t type; /* TOSA */
    uint32_t rank;
    int64_t dims[MAX_RANK];
    mlia_bytes initial; /* in TOSA's encoding */
    uint32_t before;    /* value from before the first operator; MLIA_NONE while nobody asked for it */
    uint32_t current;   /* value now; MLIA_NONE: still the one from before */
    uint32_t variable;  /* index in the graph */
    uint32_t source;    /* operator that wrote it last */
    bool written;
};

/* Finds or makes the state `key`; MLIA_NONE after a fault. */
static uint32_t state_of(lowering *l, mlia_str key, mlia_str name)
{
    bool is_new;
    uint32_t *known = key.data ? mlia_map_insert(&l->state_index, key, l->state_count, &is_new) : NULL;
    if (known == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    if (!is_new)
        return *known;
    if (!MLIA_RESERVE(l->arena, l->states, l->state_count, l->state_capacity)) {
        mlia_lower_fail(l, mlia_error_memory());
        return MLIA_NONE;
    }
    l->states[l->state_count] = (carried_state){
        .name = name, .before = MLIA_NONE, .current = MLIA_NONE, .variable = MLIA_NONE, .source = MLIA_NONE};
    return l->state_count++;
}

/* Fixes type and shape; the initial value is `fill` in every byte. */
static void declare(lowering *l, carried_state *s, uint32_t type, uint32_t rank, const int64_t *dims,
                    uint8_t fill)
{
    if (s->known)
        return;
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; i++)
        if (dims[i] < 1 || !mlia_mul_u64(count, (uint64_t)dims[i], &count) || count > STATE_LIMIT) {
            mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "the shape of variable '%.*s' is unknown or too large",
                             MLIA_STR_ARG(s->name));
            return;
        }
    size_t size = (size_t)count * mlia_type_bytes(type);
    uint8_t *bytes = type == MLIA_TYPE_UNKNOWN ? NULL : MLIA_NEW_ARRAY(l->arena, uint8_t, size);
    if (type == MLIA_TYPE_UNKNOWN)
        mlia_lower_error(l, MLIA_E_TFLITE_TYPE, "variable '%.*s' has a type that TOSA does not have",
                         MLIA_STR_ARG(s->name));
    else if (bytes == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    if (bytes == NULL)
        return;
    memset(bytes, fill, size);
    s->known = true;
    s->type = type;
    s->rank = rank;
    memcpy(s->dims, dims, rank * sizeof *dims);
    s->initial = (mlia_bytes){bytes, size};
}

/* The variable of the graph that keeps the state; made once. */
static bool make_variable(lowering *l, carried_state *s)
{
    if (s->variable != MLIA_NONE)
        return true;
    mlia_constant *initial = MLIA_NEW(l->arena, mlia_constant);
    int64_t *dims = MLIA_NEW_ARRAY(l->arena, int64_t, s->rank);
    if (initial != NULL && dims != NULL) {
        *initial = (mlia_constant){.bytes = s->initial, .encoding = MLIA_ENCODING_TOSA};
        memcpy(dims, s->dims, s->rank * sizeof *dims);
        mlia_variable variable = {
            .name = s->name, .type = (uint8_t)s->type, .rank = s->rank, .dims = dims, .initial = initial};
        s->variable = mlia_graph_add_variable(l->graph, variable);
    }
    if (s->variable == MLIA_NONE)
        mlia_lower_fail(l, mlia_error_memory());
    return s->variable != MLIA_NONE;
}

static uint32_t emit_read(lowering *l, carried_state *s)
{
    if (!make_variable(l, s))
        return MLIA_NONE;
    mlia_attributes attributes = mlia_attributes_default();
    attributes.variable = s->variable;
    return mlia_emit(l, MLIA_OP_VARIABLE_READ, NULL, 0, &attributes, s->type, s->rank, s->dims);
}

/* The value from before the first operator: a constant, an extra block input, or read from a variable. */
static uint32_t value_before(lowering *l, carried_state *s)
{
    if (s->before != MLIA_NONE || l->fault != NULL)
        return s->before;
    if (l->options->state == MLIA_TFLITE_STATE_ZERO) {
        s->before = mlia_emit_const(l, s->type, s->rank, s->dims, s->initial);
    } else if (l->options->state == MLIA_TFLITE_STATE_VARIABLE) {
        s->before = emit_read(l, s);
    } else {
        s->before = mlia_graph_add_tensor(l->graph, l->block, s->name, s->type, s->rank, s->dims);
        if (s->before == MLIA_NONE)
            mlia_lower_fail(l, mlia_error_memory());
    }
    return s->before;
}

static uint32_t read_state(lowering *l, uint32_t index)
{
    carried_state *s = &l->states[index];
    return s->current != MLIA_NONE ? s->current : value_before(l, s);
}

static void write_state(lowering *l, uint32_t index, uint32_t value)
{
    carried_state *s = &l->states[index];
    if (l->fault != NULL || value == MLIA_NONE)
        return;
    const mlia_graph_value *info = mlia_lower_info(l, value);
    if (info->type != s->type || info->rank != s->rank ||
        (s->rank > 0 && memcmp(info->dims, s->dims, s->rank * sizeof *s->dims) != 0)) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "variable '%.*s' gets a value of another type or shape",
                         MLIA_STR_ARG(s->name));
        return;
    }
    s->current = value;
    s->written = true;
    s->source = l->source;
}

/* ---- state tensors of recurrent operators ---- */

static uint32_t tensor_state(lowering *l, const operand *x)
{
    mlia_str key = mlia_arena_format(l->arena, "tensor %u %d", l->frame->subgraph, x->index);
    mlia_str name = x->tensor->name.size > 0
                        ? x->tensor->name
                        : mlia_arena_format(l->arena, "tensor_%u_%d", l->frame->subgraph, x->index);
    uint32_t index = state_of(l, key, name);
    if (index == MLIA_NONE)
        return MLIA_NONE;
    /* The interpreter clears state to the zero point where the elements are bytes, else to 0. */
    uint8_t fill = x->type == MLIA_TFLITE_INT8 ? (uint8_t)(int8_t)mlia_lower_zero(x) : 0;
    declare(l, &l->states[index], mlia_lower_type(x->type), x->rank, x->dims, fill);
    return l->fault == NULL ? index : MLIA_NONE;
}

uint32_t mlia_state_read(lowering *l, operand *x)
{
    if (l->fault != NULL || x == NULL)
        return MLIA_NONE;
    if (!x->tensor->is_variable)
        return mlia_lower_value(l, x);
    uint32_t index = tensor_state(l, x);
    return index == MLIA_NONE ? MLIA_NONE : read_state(l, index);
}

void mlia_state_write(lowering *l, operand *x, uint32_t value)
{
    if (l->fault != NULL || x == NULL || !x->tensor->is_variable)
        return;
    uint32_t index = tensor_state(l, x);
    if (index != MLIA_NONE)
        write_state(l, index, value);
}

/* ---- variables ---- */

void mlia_lower_var_handle(lowering *l)
{
    operand *out = mlia_lower_output(l, 0);
    if (out == NULL)
        return;
    mlia_str name = mlia_flatbuf_string(l->op->options, MLIA_TFLITE_VarHandleOptions_shared_name);
    mlia_str container = mlia_flatbuf_string(l->op->options, MLIA_TFLITE_VarHandleOptions_container);
    mlia_str key =
        mlia_arena_format(l->arena, "variable %.*s/%.*s", MLIA_STR_ARG(container), MLIA_STR_ARG(name));
    uint32_t index = state_of(l, key, name.size > 0 ? name : MLIA_STR("variable"));
    out->state = index == MLIA_NONE ? 0 : index + 1;
}

/* The variable that operand 0 names. */
static carried_state *handle(lowering *l)
{
    const operand *x = mlia_lower_required(l, 0);
    if (x != NULL && x->state == 0)
        mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT, "'%.*s' names no variable",
                         MLIA_STR_ARG(x->tensor->name));
    return x != NULL && l->fault == NULL ? &l->states[x->state - 1] : NULL;
}

void mlia_lower_read_variable(lowering *l)
{
    carried_state *s = handle(l);
    const operand *out = mlia_lower_output(l, 0);
    if (s == NULL || out == NULL)
        return;
    declare(l, s, mlia_lower_type(out->type), out->rank, out->dims, 0);
    uint32_t value = l->fault == NULL ? read_state(l, (uint32_t)(s - l->states)) : MLIA_NONE;
    mlia_lower_set(l, 0, value);
}

/* The bytes of a constant value as they are in the graph. */
static void set_initial(lowering *l, carried_state *s, uint32_t value)
{
    if (s->before != MLIA_NONE || s->current != MLIA_NONE) {
        mlia_lower_error(l, MLIA_E_TFLITE_ORDER, "variable '%.*s' is used before it is initialised",
                         MLIA_STR_ARG(s->name));
        return;
    }
    const mlia_graph_value *info = mlia_lower_info(l, value);
    s->known = true;
    s->type = info->type;
    s->rank = info->rank;
    if (info->rank > 0)
        memcpy(s->dims, info->dims, info->rank * sizeof *s->dims);
    s->initial = info->constant->bytes;
}

void mlia_lower_assign_variable(lowering *l)
{
    carried_state *s = handle(l);
    operand *x = mlia_lower_required(l, 1);
    if (s == NULL || l->fault != NULL)
        return;
    if (l->initialising && !x->is_constant) {
        mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT,
                         "the initial value of '%.*s' must be known when the model is converted",
                         MLIA_STR_ARG(s->name));
        return;
    }
    uint32_t value = mlia_lower_value(l, x);
    if (value == MLIA_NONE)
        return;
    if (l->initialising) {
        set_initial(l, s, value);
        return;
    }
    const mlia_graph_value *info = mlia_lower_info(l, value);
    declare(l, s, info->type, info->rank, info->dims, 0);
    write_state(l, (uint32_t)(s - l->states), value);
}

/* ---- branches ---- */

mlia_state_values mlia_state_save(lowering *l)
{
    mlia_state_values saved = {MLIA_NEW_ARRAY(l->arena, uint32_t, l->state_count), l->state_count};
    if (saved.values == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    for (uint32_t i = 0; saved.values != NULL && i < saved.count; i++)
        saved.values[i] = l->states[i].current;
    return saved;
}

void mlia_state_restore(lowering *l, mlia_state_values saved)
{
    for (uint32_t i = 0; i < l->state_count && l->fault == NULL; i++)
        l->states[i].current = i < saved.count ? saved.values[i] : MLIA_NONE;
}

void mlia_state_merge(lowering *l, mlia_state_values other, uint32_t condition)
{
    for (uint32_t i = 0; i < l->state_count && l->fault == NULL; i++) {
        carried_state *s = &l->states[i];
        uint32_t value = i < other.count ? other.values[i] : MLIA_NONE;
        if (value == s->current)
            continue;
        uint32_t a = value != MLIA_NONE ? value : value_before(l, s);
        uint32_t b = s->current != MLIA_NONE ? s->current : value_before(l, s);
        s->current = mlia_emit_select(l, condition, a, b);
    }
}

/* ---- the edge of the graph ---- */

/* The state leaves the graph under the name NAME_next, as a value that nothing else is called by. */
static uint32_t next_value(lowering *l, const carried_state *s)
{
    mlia_str name = mlia_arena_format(l->arena, "%.*s_next", MLIA_STR_ARG(s->name));
    uint32_t value = mlia_emit_unary(l, MLIA_OP_IDENTITY, s->current);
    if (value != MLIA_NONE)
        l->graph->values[value].name = name;
    return value;
}

static void emit_write(lowering *l, carried_state *s)
{
    mlia_attributes attributes = mlia_attributes_default();
    if (!make_variable(l, s))
        return;
    attributes.variable = s->variable;
    if (mlia_graph_add_operator(l->graph, l->block, MLIA_OP_VARIABLE_WRITE, &s->current, 1, NULL, 0,
                                &attributes, s->source) == MLIA_NONE)
        mlia_lower_fail(l, mlia_error_memory());
}

void mlia_state_finish(lowering *l, uint32_t *inputs, uint32_t *input_count, uint32_t *outputs,
                       uint32_t *output_count)
{
    for (uint32_t i = 0; i < l->state_count && l->fault == NULL; i++) {
        carried_state *s = &l->states[i];
        l->source = s->source;
        if (l->options->state == MLIA_TFLITE_STATE_IO && s->before != MLIA_NONE)
            inputs[(*input_count)++] = s->before;
        if (!s->written)
            continue;
        if (l->options->state == MLIA_TFLITE_STATE_IO)
            outputs[(*output_count)++] = next_value(l, s);
        else if (l->options->state == MLIA_TFLITE_STATE_VARIABLE)
            emit_write(l, s);
        else
            mlia_warn(l->diagnostics, MLIA_W_TFLITE, "state '%.*s' is not carried between runs",
                      MLIA_STR_ARG(s->name));
    }
}
