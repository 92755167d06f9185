/* Declarations of all rules of rules.def. Private to this room. */
#ifndef MLIA_CONVERT_TFLITE_TO_TOSA_RULES_H
#define MLIA_CONVERT_TFLITE_TO_TOSA_RULES_H

#include "convert/tflite_to_tosa/lower.h"

#define RULE(name, function, min_inputs, max_inputs) lower_rule mlia_lower_##function;
#define REFUSED(name, kind, reason)
#include "convert/tflite_to_tosa/rules.def"
#undef RULE
#undef REFUSED

#endif
