/* What the SPIR-V instructions of TOSA 1.0 (set TOSA.001000.1) have of the types of TOSA: all of release 1.0,
 * nothing that the 1.1 draft adds. */
#include "graph/verify.h"

/* Legal types without an instruction: first input, second input, first output; UNKNOWN = any. */
typedef struct missing_types {
    uint32_t op;
    uint8_t first;
    uint8_t second;
    uint8_t out;
} missing_types;

#define EACH_CONVOLUTION(first, second, out)                                                                 \
    {MLIA_OP_CONV2D, first, second, out}, {MLIA_OP_CONV3D, first, second, out},                              \
        {MLIA_OP_DEPTHWISE_CONV2D, first, second, out},                                                      \
    {                                                                                                        \
        MLIA_OP_TRANSPOSE_CONV2D, first, second, out                                                         \
    }
#define EACH_NARROW(op, out)                                                                                 \
    {op, MLIA_TYPE_FP8E4M3, MLIA_TYPE_UNKNOWN, out},                                                         \
    {                                                                                                        \
        op, MLIA_TYPE_FP8E5M2, MLIA_TYPE_UNKNOWN, out                                                        \
    }

static const missing_types missing[] = {
    {MLIA_OP_GATHER, MLIA_TYPE_BOOL, MLIA_TYPE_UNKNOWN, MLIA_TYPE_UNKNOWN},
    {MLIA_OP_SCATTER, MLIA_TYPE_BOOL, MLIA_TYPE_UNKNOWN, MLIA_TYPE_UNKNOWN},
    {MLIA_OP_CAST, MLIA_TYPE_BOOL, MLIA_TYPE_UNKNOWN, MLIA_TYPE_FP32},
    {MLIA_OP_CAST, MLIA_TYPE_FP32, MLIA_TYPE_UNKNOWN, MLIA_TYPE_BOOL},
    EACH_CONVOLUTION(MLIA_TYPE_FP8E4M3, MLIA_TYPE_UNKNOWN, MLIA_TYPE_FP32),
    EACH_CONVOLUTION(MLIA_TYPE_FP8E5M2, MLIA_TYPE_UNKNOWN, MLIA_TYPE_FP32),
    EACH_NARROW(MLIA_OP_MATMUL, MLIA_TYPE_FP32),
    {MLIA_OP_MATMUL, MLIA_TYPE_FP8E4M3, MLIA_TYPE_FP8E5M2, MLIA_TYPE_UNKNOWN},
    {MLIA_OP_MATMUL, MLIA_TYPE_FP8E5M2, MLIA_TYPE_FP8E4M3, MLIA_TYPE_UNKNOWN},
    EACH_NARROW(MLIA_OP_RESIZE, MLIA_TYPE_UNKNOWN),
    {MLIA_OP_CONST, MLIA_TYPE_UNKNOWN, MLIA_TYPE_UNKNOWN, MLIA_TYPE_FP4E2M1},
    {MLIA_OP_CONST, MLIA_TYPE_UNKNOWN, MLIA_TYPE_UNKNOWN, MLIA_TYPE_FP6E2M3},
    {MLIA_OP_CONST, MLIA_TYPE_UNKNOWN, MLIA_TYPE_UNKNOWN, MLIA_TYPE_FP6E3M2},
    {MLIA_OP_CONST, MLIA_TYPE_UNKNOWN, MLIA_TYPE_UNKNOWN, MLIA_TYPE_FP8UE8M0},
    {MLIA_OP_CONST, MLIA_TYPE_UNKNOWN, MLIA_TYPE_UNKNOWN, MLIA_TYPE_MXINT8},
};

static bool type_matches(uint8_t wanted, const mlia_graph *graph, const uint32_t *values, uint32_t count,
                         uint32_t index)
{
    return wanted == MLIA_TYPE_UNKNOWN || (index < count && graph->values[values[index]].type == wanted);
}

bool mlia_types_have_instruction(const mlia_graph *graph, const mlia_operator *op)
{
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (missing[i].op == op->op &&
            type_matches(missing[i].first, graph, op->inputs, op->input_count, 0) &&
            type_matches(missing[i].second, graph, op->inputs, op->input_count, 1) &&
            type_matches(missing[i].out, graph, op->outputs, op->output_count, 0))
            return false;
    return true;
}

/* Unsigned numbers are of 8 or 16 bits, on both sides of RESCALE. */
static bool rescale_is_wide(mlia_verifier *verifier)
{
    const mlia_operator *op = verifier->op;
    uint32_t from = verifier->graph->values[op->inputs[0]].type;
    uint32_t to = verifier->graph->values[op->outputs[0]].type;
    return (op->attributes->output_unsigned && (from == MLIA_TYPE_INT32 || from == MLIA_TYPE_INT48)) ||
           (op->attributes->input_unsigned && to == MLIA_TYPE_INT32);
}

static mlia_status *verify_instruction(mlia_verifier *verifier)
{
    const mlia_operator *op = verifier->op;
    MLIA_TRY(mlia_verify_types(verifier));
    if (op->op == MLIA_OP_RESCALE && rescale_is_wide(verifier))
        return mlia_verify_add(verifier, MLIA_RULE_ATTRIBUTE,
                               "unsigned with an operand of more than 16 bits");
    if (mlia_types_have_instruction(verifier->graph, op))
        return NULL;
    uint32_t first = op->input_count > 0 ? op->inputs[0] : op->outputs[0];
    return mlia_verify_add(
        verifier, MLIA_RULE_TYPE, " on %.*s to %.*s: SPIR-V has no such instruction",
        MLIA_STR_ARG(mlia_type_describe(verifier->graph->values[first].type)->name),
        MLIA_STR_ARG(mlia_type_describe(verifier->graph->values[op->outputs[0]].type)->name));
}

mlia_status *mlia_graph_verify_instructions(const mlia_graph *graph, mlia_arena *arena,
                                            mlia_findings *findings)
{
    mlia_verifier verifier = {.graph = graph, .arena = arena, .scratch = arena, .findings = findings};
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        verifier.index = i;
        verifier.op = &graph->operators[i];
        bool instruction = verifier.op->op >= 1 && verifier.op->op <= MLIA_OP_CONST;
        if (instruction && mlia_operator_well_formed(graph, verifier.op))
            MLIA_TRY(verify_instruction(&verifier));
    }
    return NULL;
}
