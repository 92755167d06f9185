/* Element types against the type rows, and the words that say what would be possible. */
#include "base/bytes.h"
#include "graph/verify.h"

static mlia_str type_name(uint8_t type)
{
    return type == MLIA_TYPE_UNKNOWN ? MLIA_STR("nothing") : mlia_type_describe(type)->name;
}

/* Appends the types of the variables of `letters` that are not in `said` yet, separated by ", ". */
static void add_variables(mlia_buffer *text, const mlia_typing *typing, const char *letters, uint32_t *said,
                          const char *before)
{
    for (; *letters != '\0' && *letters != '>' && *letters != '/'; letters++) {
        if (*letters < 'a' || *letters >= 'a' + MLIA_TYPE_VARIABLES || (*said >> (*letters - 'a') & 1) != 0)
            continue;
        *said |= 1u << (*letters - 'a');
        mlia_buffer_add_str(text, mlia_str_from_c(before));
        mlia_buffer_add_str(text, type_name(typing->types[*letters - 'a']));
        before = ", ";
    }
}

/* Variables of the results, as bits; the first variable belongs to the inputs where there are any. */
static uint32_t result_variables(const mlia_op_rule *rule)
{
    uint32_t variables = 0;
    for (const char *letter = rule->results; *letter != '\0' && *letter != '/'; letter++)
        if (*letter > 'a' && *letter < 'a' + MLIA_TYPE_VARIABLES)
            variables |= 1u << (*letter - 'a');
    return variables;
}

/* "on INT8, INT4 to INT32 with accumulator INT16". A bias has the type of the result and is not said twice.
 */
static void add_combination(mlia_buffer *text, const mlia_op_rule *rule, const mlia_typing *typing)
{
    uint32_t results = result_variables(rule);
    uint32_t said = results;
    add_variables(text, typing, rule->types, &said, " on ");
    const char *before = said == results ? " of " : " to ";
    said &= ~results;
    add_variables(text, typing, rule->results, &said, before);
    if (rule->accumulator != '\0') {
        mlia_buffer_add_str(text, MLIA_STR(" with accumulator "));
        mlia_buffer_add_str(text, type_name(typing->types[rule->accumulator - 'a']));
    }
}

static bool listed_before(const mlia_op_rule *rule, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (rule->rows[i].types[0] == rule->rows[index].types[0])
            return true;
    return false;
}

/* "; INT32, FP16 are possible": the first types that occur in any row. */
static void add_first_types(mlia_buffer *text, const mlia_op_rule *rule)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rule->row_count; i++) {
        if (listed_before(rule, i))
            continue;
        mlia_buffer_add_str(text, count++ == 0 ? MLIA_STR("; ") : MLIA_STR(", "));
        mlia_buffer_add_str(text, type_name(rule->rows[i].types[0]));
    }
    mlia_buffer_add_str(text, count == 1 ? MLIA_STR(" is possible") : MLIA_STR(" are possible"));
}

/* "; with INT8: INT4/INT32/INT32, …": what goes with the first type. */
static void add_matching_rows(mlia_buffer *text, const mlia_op_rule *rule, uint8_t first)
{
    mlia_buffer_add_str(text, MLIA_STR("; with "));
    mlia_buffer_add_str(text, type_name(first));
    const char *before = " possible: ";
    for (uint32_t i = 0; i < rule->row_count; i++) {
        if (rule->rows[i].types[0] != first)
            continue;
        mlia_buffer_add_str(text, mlia_str_from_c(before));
        before = ", ";
        for (uint32_t v = 1; v < MLIA_TYPE_VARIABLES && rule->rows[i].types[v] != MLIA_TYPE_UNKNOWN; v++) {
            if (v > 1)
                mlia_buffer_add_byte(text, '/');
            mlia_buffer_add_str(text, type_name(rule->rows[i].types[v]));
        }
    }
}

static mlia_status *add_no_row(mlia_verifier *verifier, const mlia_typing *typing)
{
    mlia_op_rule rule = mlia_op_rule_of(verifier->op->op);
    mlia_buffer text = {0};
    add_combination(&text, &rule, typing);
    mlia_buffer_add_str(&text, MLIA_STR(": no profile of TOSA has it"));
    bool first_known = false;
    for (uint32_t i = 0; i < rule.row_count; i++)
        first_known |= rule.rows[i].types[0] == typing->types[0];
    if (first_known)
        add_matching_rows(&text, &rule, typing->types[0]);
    else
        add_first_types(&text, &rule);
    mlia_status *status = mlia_buffer_status(&text);
    if (status == NULL)
        status = mlia_verify_add(verifier, MLIA_RULE_TYPE, "%.*s", MLIA_STR_ARG(mlia_buffer_str(&text)));
    mlia_buffer_free(&text);
    return status;
}

/* One finding per operator: an operand that contradicts the pattern, or a combination that no row has. */
mlia_status *mlia_verify_types(mlia_verifier *verifier)
{
    const mlia_operator *op = verifier->op;
    mlia_typing typing = mlia_operator_typing(verifier->graph, op);
    if (typing.bad_operand != MLIA_NONE) {
        bool is_input = typing.bad_operand < op->input_count;
        uint32_t position = is_input ? typing.bad_operand : typing.bad_operand - op->input_count;
        uint32_t value = is_input ? op->inputs[position] : op->outputs[position];
        return mlia_verify_add(verifier, MLIA_RULE_TYPE, "%s %u is %.*s, must be %.*s",
                               is_input ? "input" : "output", position,
                               MLIA_STR_ARG(type_name(verifier->graph->values[value].type)),
                               MLIA_STR_ARG(type_name(typing.expected)));
    }
    return typing.row == NULL ? add_no_row(verifier, &typing) : NULL;
}
