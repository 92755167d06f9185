/* Operators that stay CUSTOM. Private to this room. */
#ifndef MLIA_CONVERT_TFLITE_TO_TOSA_CUSTOM_H
#define MLIA_CONVERT_TFLITE_TO_TOSA_CUSTOM_H

#include "convert/tflite_to_tosa/lower.h"

/* True for a fault that says "not here", as opposed to "this model is wrong". */
bool mlia_lower_is_refusal(const mlia_status *fault);

/* Keeps the operator at hand as CUSTOM, with a warning; `reason` (freed) says why it has no lowering. */
void mlia_lower_keep(lowering *l, mlia_status *reason);

#endif
