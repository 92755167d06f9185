/* IF, WHILE, CALL, CALL_ONCE, STABLEHLO_COMPOSITE: subgraphs called by operators.
 *
 * Subgraphs are inlined; operators keep the name they have in their own subgraph. An IF whose condition is
 * not known becomes COND_IF, or, where control flow is not wanted or a branch has state, both branches and a
 * SELECT per result. A WHILE whose trip count follows from constants is unrolled, any other one becomes
 * WHILE_LOOP. Refused: recursion, nesting deeper than DEPTH_LIMIT, loops that can neither be unrolled nor
 * kept. */
#include "convert/tflite_to_tosa/rules.h"

enum {
    DEPTH_LIMIT = 32,
    TRIP_LIMIT = 1024,
    INLINE_LIMIT = 500000, /* tensors and operators of all inlined subgraphs */
};

/* ---- values across the border ---- */

static bool is_resource(const operand *x)
{
    return x->type == MLIA_TFLITE_RESOURCE;
}

/* What `from` is now becomes what `to` is; `to` keeps its own declaration. */
static void copy_value(lowering *l, operand *to, operand *from)
{
    if (l->fault != NULL)
        return;
    if (from->type != to->type) {
        mlia_lower_error(l, MLIA_E_TFLITE_TYPE, "'%.*s' is %.*s, the subgraph takes %.*s",
                         MLIA_STR_ARG(from->tensor->name), MLIA_STR_ARG(mlia_tflite_type_name(from->type)),
                         MLIA_STR_ARG(mlia_tflite_type_name(to->type)));
        return;
    }
    to->is_constant = from->is_constant;
    to->data = from->data;
    to->elements = from->elements;
    to->rank = from->rank;
    memcpy(to->dims, from->dims, sizeof to->dims);
    to->state = from->state;
    to->edge = MLIA_NONE;
    to->value = from->is_constant || is_resource(from) ? MLIA_NONE : mlia_lower_value(l, from);
}

/* A frame for a call of `subgraph`; its inputs are still open. NULL after a fault. */
static frame *new_frame(lowering *l, int64_t subgraph, uint32_t count)
{
    if (l->fault != NULL)
        return NULL;
    if (subgraph < 0 || subgraph >= (int64_t)l->model->subgraph_count) {
        mlia_lower_error(l, MLIA_E_TFLITE_SUBGRAPH_INDEX, "subgraph %lld of %u", (long long)subgraph,
                         l->model->subgraph_count);
        return NULL;
    }
    uint32_t depth = 1;
    for (const frame *f = l->frame; f != NULL; f = f->parent, depth++)
        if (f->subgraph == (uint32_t)subgraph) {
            mlia_lower_error(l, MLIA_E_TFLITE_ORDER, "subgraph %lld calls itself", (long long)subgraph);
            return NULL;
        }
    const mlia_tflite_subgraph *graph = &l->model->subgraphs[subgraph];
    l->inlined += (uint64_t)graph->tensor_count + graph->operator_count;
    if (depth > DEPTH_LIMIT || l->inlined > INLINE_LIMIT)
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT,
                         depth > DEPTH_LIMIT ? "subgraphs call each other too deep"
                                             : "the inlined subgraphs are too large");
    else if (graph->inputs.count != count)
        mlia_lower_error(l, MLIA_E_TFLITE_OPERANDS, "subgraph %lld takes %u operands, not %u",
                         (long long)subgraph, graph->inputs.count, count);
    return l->fault == NULL ? mlia_lower_frame(l, (uint32_t)subgraph, l->frame) : NULL;
}

static operand *input_of(const frame *inner, uint32_t i)
{
    return &inner->tensors[inner->tflite->inputs.values[i]];
}

static operand *output_of(const frame *inner, uint32_t i)
{
    return &inner->tensors[inner->tflite->outputs.values[i]];
}

/* Inlines a call. NULL after a fault. */
static frame *inline_call(lowering *l, int64_t subgraph, operand **arguments, uint32_t count)
{
    frame *inner = new_frame(l, subgraph, count);
    for (uint32_t i = 0; inner != NULL && i < count; i++)
        copy_value(l, input_of(inner, i), arguments[i]);
    if (l->fault == NULL && inner != NULL)
        mlia_lower_subgraph(l, inner);
    return l->fault == NULL ? inner : NULL;
}

static void set_result(lowering *l, uint32_t index, operand *x)
{
    operand *out = mlia_lower_output(l, index);
    if (l->fault != NULL || out == NULL)
        return;
    out->state = x->state;
    if (x->is_constant)
        mlia_lower_set_constant(l, index, x->rank, x->dims, x->data);
    else if (!is_resource(x))
        mlia_lower_set(l, index, mlia_lower_value(l, x));
}

static void set_results(lowering *l, const frame *inner)
{
    if (l->fault != NULL || inner == NULL)
        return;
    if (inner->tflite->outputs.count < l->op->outputs.count) {
        mlia_lower_error(l, MLIA_E_TFLITE_OPERANDS, "%u results, subgraph %u gives %u", l->op->outputs.count,
                         inner->subgraph, inner->tflite->outputs.count);
        return;
    }
    for (uint32_t i = 0; i < l->op->outputs.count; i++)
        set_result(l, i, output_of(inner, i));
}

/* Operands from `first` on, all of which must be there. */
static operand **arguments_from(lowering *l, uint32_t first)
{
    uint32_t count = l->op->inputs.count - first;
    operand **arguments = MLIA_NEW_ARRAY(l->arena, operand *, count);
    if (arguments == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    for (uint32_t i = 0; i < count && l->fault == NULL; i++)
        arguments[i] = mlia_lower_required(l, first + i);
    return l->fault == NULL ? arguments : NULL;
}

static void inline_operator(lowering *l, int64_t subgraph)
{
    operand **arguments = arguments_from(l, 0);
    if (arguments != NULL)
        set_results(l, inline_call(l, subgraph, arguments, l->op->inputs.count));
}

void mlia_lower_call(lowering *l)
{
    inline_operator(l, mlia_lower_option(l, MLIA_TFLITE_CallOptions_subgraph));
}

void mlia_lower_composite(lowering *l)
{
    inline_operator(l,
                    mlia_lower_option(l, MLIA_TFLITE_StableHLOCompositeOptions_decomposition_subgraph_index));
}

/* Runs the initialisation of variables, once. */
void mlia_lower_call_once(lowering *l)
{
    int32_t subgraph = mlia_lower_option(l, MLIA_TFLITE_CallOnceOptions_init_subgraph_index);
    if (subgraph >= 0 && subgraph < (int64_t)l->model->subgraph_count && l->called_once[subgraph])
        return;
    bool outer = l->initialising;
    l->initialising = true;
    if (inline_call(l, subgraph, NULL, 0) != NULL)
        l->called_once[subgraph] = true;
    l->initialising = outer;
}

/* ---- state inside of subgraphs ---- */

static bool is_stateful(uint32_t op)
{
    switch (op) {
    case MLIA_TFLITE_OP_VAR_HANDLE:
    case MLIA_TFLITE_OP_READ_VARIABLE:
    case MLIA_TFLITE_OP_ASSIGN_VARIABLE:
    case MLIA_TFLITE_OP_CALL_ONCE:
    case MLIA_TFLITE_OP_LSTM:
    case MLIA_TFLITE_OP_RNN:
    case MLIA_TFLITE_OP_SVDF:
    case MLIA_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_LSTM:
    case MLIA_TFLITE_OP_UNIDIRECTIONAL_SEQUENCE_RNN:
    case MLIA_TFLITE_OP_BIDIRECTIONAL_SEQUENCE_LSTM:
    case MLIA_TFLITE_OP_BIDIRECTIONAL_SEQUENCE_RNN:
    /* Operators with subgraphs of their own are not looked into. */
    case MLIA_TFLITE_OP_IF:
    case MLIA_TFLITE_OP_WHILE:
    case MLIA_TFLITE_OP_CALL:
    case MLIA_TFLITE_OP_STABLEHLO_COMPOSITE:
        return true;
    default:
        return false;
    }
}

/* True when the subgraph can become a region: nothing in it touches state. */
static bool can_be_region(const lowering *l, int64_t subgraph)
{
    if (!l->options->keep_control_flow || subgraph < 0 || subgraph >= (int64_t)l->model->subgraph_count)
        return false;
    const mlia_tflite_subgraph *graph = &l->model->subgraphs[subgraph];
    for (uint32_t i = 0; i < graph->operator_count; i++)
        if (is_stateful(graph->operators[i].op))
            return false;
    return true;
}

/* ---- regions ---- */

/* What changes while operators go to the block of a region. */
typedef struct place {
    uint32_t block;
    mlia_map constants;
} place;

static place enter_region(lowering *l, mlia_str name, uint32_t *region)
{
    place outer = {l->block, l->constants};
    *region = mlia_graph_add_region(l->graph, name, name);
    if (*region == MLIA_NONE) {
        mlia_lower_fail(l, mlia_error_memory());
        return outer;
    }
    l->block = l->graph->regions[*region].block;
    l->constants = mlia_map_in(l->arena); /* a region sees nothing from outside */
    return outer;
}

static void leave_region(lowering *l, place outer)
{
    l->block = outer.block;
    l->constants = outer.constants;
}

/* Block arguments for the operands that are not constant; constants come in as such unless `all`. */
static uint32_t bind_arguments(lowering *l, const frame *inner, operand **arguments, uint32_t count, bool all,
                               uint32_t *values)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count && l->fault == NULL; i++) {
        operand *to = input_of(inner, i);
        copy_value(l, to, arguments[i]);
        if (to->is_constant && !all)
            continue;
        uint32_t value = mlia_graph_add_tensor(l->graph, l->block, to->tensor->name,
                                               mlia_lower_type(to->type), to->rank, to->dims);
        if (value == MLIA_NONE)
            mlia_lower_fail(l, mlia_error_memory());
        to->value = value;
        to->is_constant = false;
        values[used++] = value;
    }
    return used;
}

/* A subgraph as a region: arguments, operators, results. */
static frame *emit_region(lowering *l, int64_t subgraph, operand **arguments, uint32_t count, bool all,
                          uint32_t *region)
{
    frame *inner = new_frame(l, subgraph, count);
    if (inner == NULL)
        return NULL;
    uint32_t result_count = inner->tflite->outputs.count;
    uint32_t *values = MLIA_NEW_ARRAY(l->arena, uint32_t, (size_t)count + result_count);
    mlia_str name = inner->tflite->name;
    if (name.size == 0)
        name = mlia_arena_format(l->arena, "subgraph_%lld", (long long)subgraph);
    if (values == NULL || name.data == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return NULL;
    }
    place outer = enter_region(l, name, region);
    uint32_t used = bind_arguments(l, inner, arguments, count, all, values);
    if (l->fault == NULL)
        mlia_lower_subgraph(l, inner);
    uint32_t *results = values + used;
    for (uint32_t i = 0; i < result_count && l->fault == NULL; i++) {
        uint32_t value = mlia_lower_value(l, output_of(inner, i));
        results[i] = mlia_emit_own(l, value, results, i);
    }
    if (l->fault == NULL && (!mlia_graph_set_block_inputs(l->graph, l->block, values, used) ||
                             !mlia_graph_set_block_outputs(l->graph, l->block, results, result_count)))
        mlia_lower_fail(l, mlia_error_memory());
    leave_region(l, outer);
    return l->fault == NULL ? inner : NULL;
}

/* Results of an operator with regions: one per output of `inner`, in its types and shapes. */
static void emit_region_operator(lowering *l, mlia_op op, const uint32_t *inputs, uint32_t input_count,
                                 const mlia_attributes *attributes, const frame *inner)
{
    uint32_t count = inner->tflite->outputs.count;
    uint32_t *outputs = MLIA_NEW_ARRAY(l->arena, uint32_t, count);
    if (outputs == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const operand *x = output_of(inner, i);
        const mlia_graph_value *info = mlia_lower_info(l, x->value);
        outputs[i] =
            mlia_graph_add_tensor(l->graph, l->block, MLIA_STR_NONE, info->type, info->rank, info->dims);
        if (outputs[i] == MLIA_NONE)
            mlia_lower_fail(l, mlia_error_memory());
    }
    if (l->fault == NULL && mlia_graph_add_operator(l->graph, l->block, op, inputs, input_count, outputs,
                                                    count, attributes, l->source) == MLIA_NONE)
        mlia_lower_fail(l, mlia_error_memory());
    if (l->fault == NULL && count < l->op->outputs.count)
        mlia_lower_error(l, MLIA_E_TFLITE_OPERANDS, "%u results, subgraph %u gives %u", l->op->outputs.count,
                         inner->subgraph, count);
    for (uint32_t i = 0; i < l->op->outputs.count && l->fault == NULL; i++)
        mlia_lower_set(l, i, outputs[i]);
}

/* Values of the operands that are not constant, or of all; the region operator's own operands. */
static uint32_t outer_values(lowering *l, operand **arguments, uint32_t count, bool all, uint32_t *values)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++)
        if (all || !arguments[i]->is_constant)
            values[used++] = mlia_lower_value(l, arguments[i]);
    return used;
}

/* ---- IF ---- */

static void emit_cond_if(lowering *l, operand *condition, int64_t then_graph, int64_t else_graph,
                         operand **arguments, uint32_t count)
{
    mlia_attributes attributes = mlia_attributes_default();
    uint32_t *inputs = MLIA_NEW_ARRAY(l->arena, uint32_t, (size_t)count + 1);
    if (inputs == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return;
    }
    inputs[0] = mlia_lower_value(l, condition);
    uint32_t used = outer_values(l, arguments, count, false, inputs + 1);
    const frame *inner = emit_region(l, then_graph, arguments, count, false, &attributes.then_graph);
    if (emit_region(l, else_graph, arguments, count, false, &attributes.else_graph) != NULL)
        emit_region_operator(l, MLIA_OP_COND_IF, inputs, used + 1, &attributes, inner);
}

/* Both branches, and a choice between their results and between what they leave in variables. */
static void inline_both(lowering *l, operand *condition, int64_t then_graph, int64_t else_graph,
                        operand **arguments, uint32_t count)
{
    uint32_t choose = mlia_lower_value(l, condition);
    mlia_state_values before = mlia_state_save(l);
    const frame *yes = inline_call(l, then_graph, arguments, count);
    mlia_state_values after = mlia_state_save(l);
    mlia_state_restore(l, before);
    const frame *no = inline_call(l, else_graph, arguments, count);
    mlia_state_merge(l, after, choose);
    if (l->fault != NULL || yes == NULL || no == NULL)
        return;
    if (yes->tflite->outputs.count < l->op->outputs.count ||
        no->tflite->outputs.count < l->op->outputs.count) {
        mlia_lower_error(l, MLIA_E_TFLITE_OPERANDS, "%u results, the branches give %u and %u",
                         l->op->outputs.count, yes->tflite->outputs.count, no->tflite->outputs.count);
        return;
    }
    for (uint32_t i = 0; i < l->op->outputs.count && l->fault == NULL; i++) {
        uint32_t a = mlia_lower_value(l, output_of(yes, i));
        uint32_t b = mlia_lower_value(l, output_of(no, i));
        mlia_lower_set(l, i, mlia_emit_select(l, choose, a, b));
    }
}

void mlia_lower_if(lowering *l)
{
    operand *condition = mlia_lower_required(l, 0);
    operand **arguments = l->fault == NULL ? arguments_from(l, 1) : NULL;
    uint32_t count = l->op->inputs.count - 1;
    int64_t then_graph = mlia_lower_option(l, MLIA_TFLITE_IfOptions_then_subgraph_index);
    int64_t else_graph = mlia_lower_option(l, MLIA_TFLITE_IfOptions_else_subgraph_index);
    if (arguments == NULL)
        return;
    if (condition->type != MLIA_TFLITE_BOOL)
        mlia_lower_error(l, MLIA_E_TFLITE_TYPE, "the condition is %.*s",
                         MLIA_STR_ARG(mlia_tflite_type_name(condition->type)));
    else if (condition->is_constant && condition->elements == 1)
        set_results(l, inline_call(l, mlia_lower_integer_at(condition, 0) != 0 ? then_graph : else_graph,
                                   arguments, count));
    else if (can_be_region(l, then_graph) && can_be_region(l, else_graph))
        emit_cond_if(l, condition, then_graph, else_graph, arguments, count);
    else
        inline_both(l, condition, then_graph, else_graph, arguments, count);
}

/* ---- WHILE ---- */

/* Runs the loop at conversion as far as constants say. False, with nothing changed, when a condition is not
 * known or there are too many trips; faults inside of the loop are faults of the model. */
static bool unroll(lowering *l, int64_t cond_graph, int64_t body_graph, operand **arguments, uint32_t count)
{
    for (uint32_t trip = 0; trip <= TRIP_LIMIT; trip++) {
        const frame *cond = inline_call(l, cond_graph, arguments, count);
        if (cond == NULL)
            return true;
        const operand *go = cond->tflite->outputs.count > 0 ? output_of(cond, 0) : NULL;
        if (go == NULL || !go->is_constant || go->elements != 1)
            return false;
        if (mlia_lower_integer_at(go, 0) == 0) {
            for (uint32_t i = 0; i < l->op->outputs.count && i < count; i++)
                set_result(l, i, arguments[i]);
            return true;
        }
        const frame *body = inline_call(l, body_graph, arguments, count);
        if (body == NULL)
            return true;
        if (body->tflite->outputs.count != count)
            return false;
        for (uint32_t i = 0; i < count; i++)
            arguments[i] = output_of(body, i);
    }
    return false;
}

static void emit_while_loop(lowering *l, int64_t cond_graph, int64_t body_graph, operand **arguments,
                            uint32_t count)
{
    mlia_attributes attributes = mlia_attributes_default();
    uint32_t *inputs = MLIA_NEW_ARRAY(l->arena, uint32_t, count);
    if (inputs == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return;
    }
    outer_values(l, arguments, count, true, inputs);
    emit_region(l, cond_graph, arguments, count, true, &attributes.cond_graph);
    const frame *body = emit_region(l, body_graph, arguments, count, true, &attributes.body_graph);
    if (l->fault != NULL || body == NULL)
        return;
    for (uint32_t i = 0; i < count && i < body->tflite->outputs.count; i++) {
        const mlia_graph_value *from = mlia_lower_info(l, inputs[i]);
        const mlia_graph_value *to = mlia_lower_info(l, output_of(body, i)->value);
        if (from->type != to->type || from->rank != to->rank ||
            (from->rank > 0 && memcmp(from->dims, to->dims, from->rank * sizeof *from->dims) != 0))
            mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT, "variable %u changes its shape in the loop", i);
    }
    if (l->fault == NULL)
        emit_region_operator(l, MLIA_OP_WHILE_LOOP, inputs, count, &attributes, body);
}

void mlia_lower_while(lowering *l)
{
    uint32_t count = l->op->inputs.count;
    operand **original = arguments_from(l, 0);
    operand **arguments = arguments_from(l, 0);
    int64_t cond_graph = mlia_lower_option(l, MLIA_TFLITE_WhileOptions_cond_subgraph_index);
    int64_t body_graph = mlia_lower_option(l, MLIA_TFLITE_WhileOptions_body_subgraph_index);
    if (original == NULL || arguments == NULL)
        return;
    mlia_state_values before = mlia_state_save(l);
    if (unroll(l, cond_graph, body_graph, arguments, count))
        return;
    mlia_state_restore(l, before);
    if (can_be_region(l, cond_graph) && can_be_region(l, body_graph))
        emit_while_loop(l, cond_graph, body_graph, original, count);
    else
        mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT, "how often the loop runs depends on the data");
}
