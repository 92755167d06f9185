/* The table of lowerings: one row per builtin operator. A builtin without a row, or with a refusal, stays
 * CUSTOM. */
#include "convert/tflite_to_tosa/rules.h"

#define ANY UINT8_MAX

static const rule_row rules[MLIA_TFLITE_OP_LIMIT] = {
#define RULE(name, function, min_inputs, max_inputs)                                                         \
    [MLIA_TFLITE_OP_##name] = {mlia_lower_##function, min_inputs, max_inputs, NULL},
#define REFUSED(name, reason) [MLIA_TFLITE_OP_##name] = {NULL, 0, ANY, reason},
#include "convert/tflite_to_tosa/rules.def"
#undef RULE
#undef REFUSED
};

const rule_row *mlia_lower_rule(uint32_t op)
{
    static const rule_row none = {NULL, 0, ANY, "TOSA has no equivalent of it"};
    const rule_row *row = op < MLIA_TFLITE_OP_LIMIT ? &rules[op] : &none;
    return row->rule != NULL || row->refusal != NULL ? row : &none;
}
