/* The verifier: operators one by one against their rules. Types, attributes and levels have files of their
 * own; here are the operands, the shapes, and the list of findings. Near-linear in operators and operands. */
#include "graph/verify.h"

#include <stdarg.h>
#include <stdio.h>

mlia_str mlia_rule_name(mlia_rule rule)
{
    static const mlia_str names[] = {
        [MLIA_RULE_OPERATOR] = MLIA_STR_INIT("operator"),   [MLIA_RULE_TYPE] = MLIA_STR_INIT("type"),
        [MLIA_RULE_RANK] = MLIA_STR_INIT("rank"),           [MLIA_RULE_SHAPE] = MLIA_STR_INIT("shape"),
        [MLIA_RULE_ATTRIBUTE] = MLIA_STR_INIT("attribute"), [MLIA_RULE_LEVEL] = MLIA_STR_INIT("level"),
    };
    return names[rule];
}

mlia_status *mlia_verify_add(mlia_verifier *verifier, mlia_rule rule, const char *format, ...)
{
    mlia_findings *findings = verifier->findings;
    if (findings->limit > 0 && findings->count >= findings->limit) {
        findings->dropped++;
        return NULL;
    }
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (size < 0)
        return mlia_error_memory();
    size_t used = (size_t)size < sizeof text ? (size_t)size
                                             : mlia_utf8_cut((mlia_str){text, sizeof text}, sizeof text - 1);
    mlia_str line =
        mlia_arena_format(verifier->arena, "%.*s%s%.*s", MLIA_STR_ARG(mlia_operator_name(verifier->op)),
                          text[0] == ' ' ? "" : ": ", (int)used, text);
    MLIA_TRY_ALLOC(line.data);
    if (!MLIA_RESERVE(verifier->arena, findings->items, findings->count, findings->capacity))
        return mlia_error_memory();
    findings->items[findings->count++] = (mlia_finding){verifier->index, rule, line};
    return NULL;
}

/* --- shapes --- */

static mlia_status *verify_complete(mlia_verifier *verifier, uint32_t value)
{
    const mlia_graph_value *item = &verifier->graph->values[value];
    if (item->kind == MLIA_KIND_SHAPE)
        return item->shape_values != NULL ? NULL
                                          : mlia_verify_add(verifier, MLIA_RULE_SHAPE,
                                                            "the values of shape" MLIA_NAME " are not known",
                                                            MLIA_NAME_ARG(item->name));
    if (item->unranked)
        return mlia_verify_add(verifier, MLIA_RULE_SHAPE, "tensor" MLIA_NAME " has no rank",
                               MLIA_NAME_ARG(item->name));
    for (uint32_t i = 0; i < item->rank; i++)
        if (item->dims[i] < 1)
            return item->dims[i] == MLIA_DIM_UNKNOWN
                       ? mlia_verify_add(verifier, MLIA_RULE_SHAPE,
                                         "dimension %u of tensor" MLIA_NAME " is unknown", i,
                                         MLIA_NAME_ARG(item->name))
                       : mlia_verify_add(verifier, MLIA_RULE_SHAPE,
                                         "dimension %u of tensor" MLIA_NAME " is %lld, must be at least 1", i,
                                         MLIA_NAME_ARG(item->name), (long long)item->dims[i]);
    return NULL;
}

/* Stops at the first operand: one finding says enough. */
static mlia_status *verify_all_complete(mlia_verifier *verifier)
{
    const mlia_operator *op = verifier->op;
    size_t before = verifier->findings->count + verifier->findings->dropped;
    for (uint32_t i = 0; i < op->input_count + op->output_count; i++) {
        MLIA_TRY(verify_complete(verifier,
                                 i < op->input_count ? op->inputs[i] : op->outputs[i - op->input_count]));
        if (verifier->findings->count + verifier->findings->dropped > before)
            return NULL;
    }
    return NULL;
}

static mlia_status *compare_result(mlia_verifier *verifier, uint32_t index, const mlia_inferred *result)
{
    const mlia_graph_value *value = &verifier->graph->values[verifier->op->outputs[index]];
    if (mlia_inferred_agrees(value, result))
        return NULL;
    return mlia_verify_add(verifier, MLIA_RULE_SHAPE, "the result" MLIA_NAME " is %.*s, must be %.*s",
                           MLIA_NAME_ARG(value->name),
                           MLIA_STR_ARG(mlia_dims_text(verifier->scratch, value->rank, value->dims)),
                           MLIA_STR_ARG(mlia_dims_text(verifier->scratch, result->rank, result->dims)));
}

/* -1 is no legal size in a finished graph. */
static mlia_status *verify_targets(mlia_verifier *verifier)
{
    const mlia_operator *op = verifier->op;
    if (op->op != MLIA_OP_RESHAPE && op->op != MLIA_OP_SLICE && op->op != MLIA_OP_RESHAPE_BLOCK_SCALED)
        return NULL;
    const mlia_graph_value *shape = &verifier->graph->values[op->inputs[op->input_count - 1]];
    for (uint32_t i = 0; shape->shape_values != NULL && i < shape->rank; i++)
        if (shape->shape_values[i] == MLIA_DIM_UNKNOWN)
            return mlia_verify_add(verifier, MLIA_RULE_SHAPE, "shape" MLIA_NAME " holds -1 at position %u",
                                   MLIA_NAME_ARG(shape->name), i);
    return NULL;
}

static mlia_status *verify_shapes(mlia_verifier *verifier, mlia_inferred *results)
{
    const mlia_operator *op = verifier->op;
    bool rank_error = false;
    mlia_status *status = mlia_infer_bare(verifier->graph, op, verifier->scratch, results, &rank_error);
    if (status != NULL) {
        mlia_kind kind = mlia_status_kind(status);
        if (kind == MLIA_E_MEMORY)
            return status;
        mlia_rule rule = rank_error                      ? MLIA_RULE_RANK
                         : kind == MLIA_E_TOSA_ATTRIBUTE ? MLIA_RULE_ATTRIBUTE
                                                         : MLIA_RULE_SHAPE;
        mlia_status *added =
            mlia_verify_add(verifier, rule, "%.*s", MLIA_STR_ARG(mlia_status_message(status)));
        mlia_status_free(status);
        return added;
    }
    for (uint32_t i = 0; i < op->output_count; i++)
        MLIA_TRY(compare_result(verifier, i, &results[i]));
    MLIA_TRY(verify_targets(verifier));
    return verify_all_complete(verifier);
}

/* --- operators --- */

static mlia_status *verify_malformed(mlia_verifier *verifier)
{
    const mlia_operator *op = verifier->op;
    mlia_op_rule rule = mlia_op_rule_of(op->op);
    if (!mlia_pattern_fits(rule.types, op->input_count) || !mlia_pattern_fits(rule.results, op->output_count))
        return mlia_verify_add(verifier, MLIA_RULE_OPERATOR, "%u inputs and %u outputs do not fit",
                               op->input_count, op->output_count);
    return mlia_verify_add(verifier, MLIA_RULE_OPERATOR, "%s",
                           op->attributes == NULL
                               ? "it has no attributes or operands of the wrong kind"
                               : "a tensor stands where a shape belongs, or the other way round");
}

/* Tensors with scales of their own (TOSA 1.1 draft) are read and written, but nothing knows their arithmetic.
 */
static mlia_status *verify_unscaled(mlia_verifier *verifier)
{
    const mlia_operator *op = verifier->op;
    for (uint32_t i = 0; i < op->input_count + op->output_count; i++) {
        uint32_t index = i < op->input_count ? op->inputs[i] : op->outputs[i - op->input_count];
        const mlia_graph_value *value = &verifier->graph->values[index];
        if (value->scale != NULL)
            return mlia_verify_add(verifier, MLIA_RULE_OPERATOR,
                                   "tensor" MLIA_NAME " is a block-scaled tensor, which is not analysed",
                                   MLIA_NAME_ARG(value->name));
    }
    return NULL;
}

static mlia_status *verify_operator(mlia_verifier *verifier, mlia_inferred *results)
{
    if (verifier->op->op == MLIA_OP_FOREIGN || verifier->op->op >= MLIA_OP_LIMIT)
        return mlia_verify_add(verifier, MLIA_RULE_OPERATOR, "not a TOSA operator");
    if (!mlia_operator_well_formed(verifier->graph, verifier->op))
        return verify_malformed(verifier);
    MLIA_TRY(verify_unscaled(verifier));
    MLIA_TRY(mlia_verify_types(verifier));
    MLIA_TRY(mlia_verify_attributes(verifier));
    MLIA_TRY(verify_shapes(verifier, results));
    return mlia_verify_level(verifier);
}

static mlia_status *verify_all(mlia_verifier *verifier)
{
    const mlia_graph *graph = verifier->graph;
    uint32_t most_outputs = 0;
    for (uint32_t i = 0; i < graph->operator_count; i++)
        if (graph->operators[i].output_count > most_outputs)
            most_outputs = graph->operators[i].output_count;
    mlia_inferred *results = MLIA_NEW_ARRAY(verifier->scratch, mlia_inferred, most_outputs);
    MLIA_TRY_ALLOC(results);
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        verifier->index = i;
        verifier->op = &graph->operators[i];
        MLIA_TRY(verify_operator(verifier, results));
    }
    return NULL;
}

mlia_status *mlia_graph_verify(const mlia_graph *graph, mlia_arena *arena, mlia_findings *findings)
{
    mlia_verifier verifier = {
        .graph = graph, .arena = arena, .scratch = mlia_arena_new(0), .findings = findings};
    MLIA_TRY_ALLOC(verifier.scratch);
    mlia_status *status = verify_all(&verifier);
    mlia_arena_free(verifier.scratch);
    return status;
}

mlia_status *mlia_findings_status(const mlia_graph *graph, const mlia_findings *findings)
{
    static const mlia_kind kinds[] = {
        [MLIA_RULE_OPERATOR] = MLIA_E_TOSA_UNSUPPORTED, [MLIA_RULE_TYPE] = MLIA_E_TOSA_TYPE,
        [MLIA_RULE_RANK] = MLIA_E_TOSA_SHAPE,           [MLIA_RULE_SHAPE] = MLIA_E_TOSA_SHAPE,
        [MLIA_RULE_ATTRIBUTE] = MLIA_E_TOSA_ATTRIBUTE,
    };
    for (size_t i = 0; i < findings->count; i++) {
        const mlia_finding *finding = &findings->items[i];
        if (finding->rule == MLIA_RULE_LEVEL)
            continue;
        const mlia_operator *op = &graph->operators[finding->op];
        mlia_str label = op->source == MLIA_NONE ? MLIA_STR_NONE : graph->sources[op->source].label;
        mlia_status *status =
            mlia_error(kinds[finding->rule], "%.*s%s%.*s%s", MLIA_STR_ARG(finding->text),
                       label.size > 0 ? " (operator '" : "", MLIA_STR_ARG(label), label.size > 0 ? "')" : "");
        return mlia_status_at_operator(status, graph, op);
    }
    return NULL;
}
