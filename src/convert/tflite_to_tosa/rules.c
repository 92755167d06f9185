/* The table of lowerings: one row per builtin operator. A refused one stays CUSTOM. */
#include "convert/tflite_to_tosa/rules.h"

#define ANY       UINT8_MAX
#define STABLEHLO "a StableHLO operator; TensorFlow Lite has its own for the same"

static const rule_row rules[MLIA_TFLITE_OP_LIMIT] = {
#define RULE(name, function, min_inputs, max_inputs)                                                         \
    [MLIA_TFLITE_OP_##name] = {mlia_lower_##function, min_inputs, max_inputs, NULL, MLIA_KIND_COUNT},
#define REFUSED(name, kind, reason) [MLIA_TFLITE_OP_##name] = {NULL, 0, ANY, reason, MLIA_E_TFLITE_##kind},
#include "convert/tflite_to_tosa/rules.def"
#undef RULE
#undef REFUSED
};

const rule_row *mlia_lower_rule(uint32_t op)
{
    return &rules[op];
}
