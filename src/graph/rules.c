/* The operator rules as tables, and matching an operator's types against them. */
#include "graph/rules.h"

enum {
#define X(name, text) EXT_##name = 1u << MLIA_EXTENSION_##name,
#include "graph/extensions.def"
#undef X
};

/* The macros open and close braces, which the formatter cannot follow. */
/* clang-format off */
#define TYPE(name) MLIA_TYPE_##name
#define ROW(profile, extensions, ...) {MLIA_PROFILE_##profile, extensions, {__VA_ARGS__}},
#define ROW1(profile, extensions, a) ROW(profile, extensions, TYPE(a))
#define ROW2(profile, extensions, a, b) ROW(profile, extensions, TYPE(a), TYPE(b))
#define ROW3(profile, extensions, a, b, c) ROW(profile, extensions, TYPE(a), TYPE(b), TYPE(c))
#define ROW4(profile, extensions, a, b, c, d) ROW(profile, extensions, TYPE(a), TYPE(b), TYPE(c), TYPE(d))
#define SET(name) static const mlia_type_row rows_##name[] = {
#define END_SET };
#include "graph/type_rows.def"
/* clang-format on */

/* A row of rules.def. TYPES has the form INPUTS>OUTPUTS[/ACCUMULATOR]; the parts behind '>' and '/' are found
 * by mlia_op_rule_of. */
static const struct {
    const char *ranks;
    const char *constants;
    const char *types;
    const mlia_type_row *rows;
    uint32_t row_count;
} rules[MLIA_OP_LIMIT] = {
#define X(name, rule, ranks, constants, types, set)                                                          \
    [MLIA_OP_##name] = {ranks, constants, types, rows_##set, sizeof rows_##set / sizeof *rows_##set},
#include "graph/rules.def"
#undef X
};

mlia_op_rule mlia_op_rule_of(uint32_t op)
{
    const char *results = strchr(rules[op].types, '>') + 1;
    const char *slash = strchr(results, '/');
    char accumulator = '\0';
    if (slash != NULL)
        accumulator = slash[1];
    return (mlia_op_rule){rules[op].ranks, rules[op].constants, rules[op].types,    results,
                          accumulator,     rules[op].rows,      rules[op].row_count};
}

/* Length of a pattern without what follows '>' or '/'. */
static uint32_t pattern_size(const char *pattern)
{
    return (uint32_t)strcspn(pattern, ">/");
}

bool mlia_pattern_fits(const char *pattern, uint32_t count)
{
    const char *open = memchr(pattern, '[', pattern_size(pattern));
    if (open == NULL)
        return pattern_size(pattern) == count;
    uint32_t list = (uint32_t)strcspn(open, "]") + 1;
    return count >= pattern_size(pattern) - list;
}

char mlia_pattern_at(const char *pattern, uint32_t index, uint32_t count)
{
    uint32_t before = (uint32_t)strcspn(pattern, "[>/");
    if (index < before)
        return pattern[index];
    const char *list = pattern + before + 1;
    uint32_t list_size = (uint32_t)strcspn(list, "]");
    const char *after = list + list_size + 1;
    uint32_t after_size = pattern_size(after);
    if (index >= count - after_size)
        return after[index - (count - after_size)];
    uint32_t item = index - before;
    return list[item < list_size ? item : list_size - 1];
}

/* The type that a character of TYPES demands whatever the row; UNKNOWN for variables and '*'. */
static uint8_t fixed_type(char letter)
{
    switch (letter) {
    case 'B':
        return MLIA_TYPE_BOOL;
    case '8':
        return MLIA_TYPE_INT8;
    case '3':
        return MLIA_TYPE_INT32;
    case 'S':
        return MLIA_TYPE_SHAPE;
    default:
        return MLIA_TYPE_UNKNOWN;
    }
}

/* Position of a variable in the type rows; MLIA_NONE when the character is none. */
static uint32_t variable_of(char letter)
{
    int position = letter - 'a';
    return position >= 0 && position < MLIA_TYPE_VARIABLES ? (uint32_t)position : MLIA_NONE;
}

/* Binds the variable `letter` to `type`, or compares it with what it must be. False on a contradiction. */
static bool match(mlia_typing *typing, char letter, uint8_t type)
{
    uint32_t variable = variable_of(letter);
    typing->expected = fixed_type(letter);
    if (variable != MLIA_NONE) {
        if (typing->types[variable] == MLIA_TYPE_UNKNOWN)
            typing->types[variable] = type;
        typing->expected = typing->types[variable];
    }
    return typing->expected == MLIA_TYPE_UNKNOWN || typing->expected == type;
}

static bool row_fits(const mlia_type_row *row, const mlia_typing *typing)
{
    return memcmp(row->types, typing->types, sizeof row->types) == 0;
}

mlia_typing mlia_operator_typing(const mlia_graph *graph, const mlia_operator *op)
{
    mlia_op_rule rule = mlia_op_rule_of(op->op);
    mlia_typing typing = {.bad_operand = MLIA_NONE};
    for (uint32_t i = 0; i < op->input_count + op->output_count; i++) {
        bool is_input = i < op->input_count;
        uint32_t position = is_input ? i : i - op->input_count;
        char letter = '*';
        if (is_input)
            letter = mlia_pattern_at(rule.types, position, op->input_count);
        else
            letter = mlia_pattern_at(rule.results, position, op->output_count);
        const mlia_graph_value *value =
            &graph->values[is_input ? op->inputs[position] : op->outputs[position]];
        if (!match(&typing, letter, value->type)) {
            typing.bad_operand = i;
            return typing;
        }
    }
    if (rule.accumulator != '\0' && op->attributes->acc_type < MLIA_TYPE_LIMIT)
        (void)match(&typing, rule.accumulator, (uint8_t)op->attributes->acc_type);
    for (uint32_t i = 0; i < rule.row_count && typing.row == NULL; i++)
        if (row_fits(&rule.rows[i], &typing))
            typing.row = &rule.rows[i];
    return typing;
}

/* --- requirements --- */

mlia_str mlia_extension_name(mlia_extension extension)
{
    static const mlia_str names[] = {
#define X(name, text) MLIA_STR_INIT(text),
#include "graph/extensions.def"
#undef X
    };
    return names[extension];
}

/* Extensions that attributes and non-constant operands add to those of the row. */
static uint32_t further_extensions(const mlia_graph *graph, const mlia_operator *op)
{
    uint32_t extensions = 0;
    const char *constants = rules[op->op].constants;
    for (uint32_t i = 0; i < op->input_count; i++)
        if (mlia_pattern_at(constants, i, op->input_count) == 'c' &&
            !graph->values[op->inputs[i]].is_constant)
            extensions |= EXT_DYNAMIC;
    if (op->op == MLIA_OP_RESCALE && op->attributes->rounding_mode == MLIA_ROUNDING_DOUBLE_ROUND)
        extensions |= EXT_DOUBLEROUND;
    if (op->op == MLIA_OP_RESCALE && op->attributes->rounding_mode == MLIA_ROUNDING_INEXACT_ROUND)
        extensions |= EXT_INEXACTROUND;
    return extensions;
}

mlia_requirements mlia_graph_requirements(const mlia_graph *graph)
{
    mlia_requirements needed = {0};
    bool either = false;
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        const mlia_operator *op = &graph->operators[i];
        if (!mlia_operator_well_formed(graph, op))
            continue;
        mlia_typing typing = mlia_operator_typing(graph, op);
        needed.extensions |= further_extensions(graph, op);
        if (typing.row == NULL)
            continue;
        needed.extensions |= typing.row->extensions;
        needed.integer |= typing.row->profile == MLIA_PROFILE_INT;
        needed.floating_point |= typing.row->profile == MLIA_PROFILE_FP;
        either |= typing.row->profile == MLIA_PROFILE_EITHER;
    }
    if (either && !needed.integer && !needed.floating_point)
        needed.integer = true;
    return needed;
}
