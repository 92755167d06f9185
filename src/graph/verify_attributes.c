/* Attributes, zero points and constness: the specification's ERROR_IF rules that are not about shapes. Its
 * run-time requirements (REQUIRE: indices in range, divisors not zero, …) are not checked: they say what a
 * result is worth, not whether a graph is legal. */
#include <math.h>

#include "base/bytes.h"
#include "graph/verify.h"

/* --- enumerations --- */

static bool is_listed(const mlia_enum_item *items, uint32_t number)
{
    for (; items->number != 0; items++)
        if (items->number == number)
            return true;
    return false;
}

static mlia_status *verify_enumerations(mlia_verifier *verifier)
{
    const mlia_op_info *info = mlia_op_describe(verifier->op->op);
    for (uint32_t i = 0; i < info->field_count; i++) {
        const mlia_field_info *field = mlia_field_describe(info->fields[i]);
        uint32_t number;
        if (field->type != MLIA_FIELD_ENUM || field->items == NULL)
            continue;
        memcpy(&number, (const char *)verifier->op->attributes + field->offset, sizeof number);
        if (!is_listed(field->items, number))
            MLIA_TRY(mlia_verify_add(verifier, MLIA_RULE_ATTRIBUTE, "%.*s is %u, which is no value of it",
                                     MLIA_STR_ARG(field->name), number));
    }
    return NULL;
}

/* --- constants --- */

static mlia_status *verify_constness(mlia_verifier *verifier)
{
    const mlia_operator *op = verifier->op;
    const char *constants = mlia_op_rule_of(op->op).constants;
    for (uint32_t i = 0; i < op->input_count; i++)
        if (mlia_pattern_at(constants, i, op->input_count) == 'C' &&
            !verifier->graph->values[op->inputs[i]].is_constant)
            return mlia_verify_add(verifier, MLIA_RULE_ATTRIBUTE, "input %u must be a constant", i);
    return NULL;
}

static mlia_status *verify_constant(mlia_verifier *verifier)
{
    const mlia_graph_value *value = &verifier->graph->values[verifier->op->outputs[0]];
    uint64_t elements;
    uint64_t bytes;
    if (value->constant == NULL)
        return mlia_verify_add(verifier, MLIA_RULE_ATTRIBUTE, "tensor" MLIA_NAME " has no data",
                               MLIA_NAME_ARG(value->name));
    if (!mlia_value_elements(value, &elements))
        return NULL; /* the shape is reported */
    if (value->constant->splat && elements > 1)
        elements = 1;
    if (mlia_constant_bytes(value->type, (mlia_encoding)value->constant->encoding, elements, &bytes) &&
        value->constant->bytes.size >= bytes)
        return NULL;
    return mlia_verify_add(
        verifier, MLIA_RULE_ATTRIBUTE, "tensor" MLIA_NAME " has %zu bytes of data for %llu elements",
        MLIA_NAME_ARG(value->name), value->constant->bytes.size, (unsigned long long)elements);
}

/* --- zero points --- */

/* Position of the first zero point among the inputs and how many follow each other. */
static const struct {
    uint8_t first;
    uint8_t count;
} zero_points[MLIA_OP_LIMIT] = {
    [MLIA_OP_AVG_POOL2D] = {1, 2},       [MLIA_OP_AVG_POOL2D_ADAPTIVE] = {1, 2},
    [MLIA_OP_CONV2D] = {3, 2},           [MLIA_OP_CONV3D] = {3, 2},
    [MLIA_OP_DEPTHWISE_CONV2D] = {3, 2}, [MLIA_OP_TRANSPOSE_CONV2D] = {3, 2},
    [MLIA_OP_MATMUL] = {2, 2},           [MLIA_OP_MATMUL_T] = {2, 2},
    [MLIA_OP_NEGATE] = {1, 2},           [MLIA_OP_RESCALE] = {3, 2},
};

/* Zero points are 0 except for INT8; RESCALE also allows 32768 for unsigned INT16. */
static bool zero_point_fits(const mlia_operator *op, uint32_t index, const mlia_graph_value *value,
                            double number)
{
    if (value->type == MLIA_TYPE_INT8 || number == 0)
        return true;
    if (op->op != MLIA_OP_RESCALE || value->type != MLIA_TYPE_INT16)
        return false;
    bool is_unsigned = index == 3 ? op->attributes->input_unsigned : op->attributes->output_unsigned;
    return is_unsigned && fabs(number) == 32768;
}

static mlia_status *verify_zero_points(mlia_verifier *verifier)
{
    const mlia_operator *op = verifier->op;
    uint32_t first = zero_points[op->op].first;
    for (uint32_t i = first; i < first + zero_points[op->op].count; i++) {
        const mlia_graph_value *value = &verifier->graph->values[op->inputs[i]];
        double number;
        if (value->kind != MLIA_KIND_TENSOR || value->unranked || value->rank != 1 || value->dims[0] != 1)
            continue; /* the shape rule reports it */
        if (mlia_constant_number(value, 0, &number) && !zero_point_fits(op, i, value, number))
            MLIA_TRY(mlia_verify_add(verifier, MLIA_RULE_ATTRIBUTE, "zero point %u is %g, must be 0 for %.*s",
                                     i, number, MLIA_STR_ARG(mlia_type_describe(value->type)->name)));
    }
    return NULL;
}

/* --- single operators --- */

/* Number that a bound of CLAMP stands for; false when its size does not fit the type. */
static bool clamp_bound(uint32_t type, mlia_bytes bytes, double *number)
{
    uint32_t size = mlia_type_bytes(type);
    if (size == 0 || size > 8 || bytes.size < size)
        return false;
    mlia_constant constant = {.bytes = bytes, .encoding = MLIA_ENCODING_TOSA};
    mlia_graph_value value = {.kind = MLIA_KIND_TENSOR, .type = (uint8_t)type, .constant = &constant};
    return mlia_constant_number(&value, 0, number);
}

static mlia_status *verify_clamp(mlia_verifier *verifier)
{
    uint32_t type = verifier->graph->values[verifier->op->inputs[0]].type;
    double minimum;
    double maximum;
    if (!clamp_bound(type, verifier->op->attributes->min_val, &minimum) ||
        !clamp_bound(type, verifier->op->attributes->max_val, &maximum))
        return mlia_verify_add(verifier, MLIA_RULE_ATTRIBUTE, "min_val and max_val must hold one %.*s each",
                               MLIA_STR_ARG(mlia_type_describe(type)->name));
    if (isnan(minimum) || isnan(maximum) || maximum < minimum)
        return mlia_verify_add(verifier, MLIA_RULE_ATTRIBUTE,
                               "min_val %g and max_val %g: no NaN, and max_val not below", minimum, maximum);
    return NULL;
}

static mlia_status *verify_rescale(mlia_verifier *verifier)
{
    const mlia_attributes *a = verifier->op->attributes;
    uint32_t in = verifier->graph->values[verifier->op->inputs[0]].type;
    uint32_t multiplier = verifier->graph->values[verifier->op->inputs[1]].type;
    uint32_t out = verifier->graph->values[verifier->op->outputs[0]].type;
    bool wide_in = in == MLIA_TYPE_INT32 || in == MLIA_TYPE_INT48;
    const struct {
        bool broken;
        const char *text;
    } rules[] = {
        {a->scale32 && in == MLIA_TYPE_INT48, "scale32 is not possible with INT48 input"},
        {a->rounding_mode == MLIA_ROUNDING_DOUBLE_ROUND && !a->scale32, "DOUBLE_ROUND needs scale32"},
        {a->input_unsigned && a->output_unsigned, "input and output cannot both be unsigned"},
        {a->input_unsigned && (wide_in || out == MLIA_TYPE_INT32),
         "unsigned input is not possible with these types"},
        {a->output_unsigned && (wide_in || out == MLIA_TYPE_INT32),
         "unsigned output is not possible with these types"},
        {multiplier != (a->scale32 ? MLIA_TYPE_INT32 : MLIA_TYPE_INT16),
         a->scale32 ? "multiplier must be INT32 with scale32" : "multiplier must be INT16 without scale32"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].broken)
            return mlia_verify_add(verifier, MLIA_RULE_ATTRIBUTE, "%s", rules[i].text);
    return NULL;
}

static mlia_status *verify_single_operator(mlia_verifier *verifier)
{
    switch (verifier->op->op) {
    case MLIA_OP_CLAMP:
        return verify_clamp(verifier);
    case MLIA_OP_RESCALE:
        return verify_rescale(verifier);
    case MLIA_OP_CONST:
        return verify_constant(verifier);
    default:
        return NULL;
    }
}

mlia_status *mlia_verify_attributes(mlia_verifier *verifier)
{
    MLIA_TRY(verify_enumerations(verifier));
    MLIA_TRY(verify_constness(verifier));
    MLIA_TRY(verify_zero_points(verifier));
    return verify_single_operator(verifier);
}
