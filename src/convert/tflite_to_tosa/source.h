/* Source operators of the conversion. Private to this room. */
#ifndef MLIA_CONVERT_TFLITE_TO_TOSA_SOURCE_H
#define MLIA_CONVERT_TFLITE_TO_TOSA_SOURCE_H

#include "convert/tflite_to_tosa/lower.h"

/* Appends `text` as a JSON string; what is no UTF-8 becomes U+FFFD. */
void mlia_lower_json_text(mlia_buffer *out, mlia_str text);

/* Makes the source operators of a subgraph once: index of the first, the others follow. MLIA_NONE for a
 * subgraph without operators, and after a fault. */
uint32_t mlia_lower_sources(lowering *l, uint32_t subgraph);

/* After pruning: finds out who stands for operators that left nothing behind, and writes the location of
 * every source operator that has TOSA operators. Fails only for memory. */
mlia_status *mlia_lower_locations(lowering *l);

#endif
