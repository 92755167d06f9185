/* What the recurrent operators share: weights as 1x1 convolutions, walking over time. Private to this room.
 */
#ifndef MLIA_CONVERT_TFLITE_TO_TOSA_RECURRENT_H
#define MLIA_CONVERT_TFLITE_TO_TOSA_RECURRENT_H

#include "convert/tflite_to_tosa/rules.h"

/* Loops over time are unrolled up to this many steps times gates. */
enum { UNROLL_LIMIT = 200000 };

/* How time lies in [B, T, X], [T, B, X] or, without time, [B, X]. */
typedef struct sequence {
    uint32_t value; /* [B, T, X] or [T, B, X]; a single step has T = 1 */
    uint32_t time_axis;
    int64_t batch;
    int64_t time;
    int64_t width;
} sequence;

/* The input as a sequence. E_TFLITE_SHAPE for other ranks than 2 and 3, E_TFLITE_LIMIT above the unroll
 * limit.
 */
sequence mlia_sequence_of(lowering *l, operand *x, bool time_major, uint32_t gates);
/* One step: [B, X]. */
uint32_t mlia_sequence_step(lowering *l, const sequence *s, int64_t t);
/* Steps [B, X] joined to the layout of `like`; rank 2 when the operand had no time. */
uint32_t mlia_sequence_join(lowering *l, const sequence *like, const uint32_t *steps, uint32_t rank);

/* Constant weights [O, I] of several gates stacked to one filter [ΣO, 1, 1, I]: as FP32 (`to_float`:
 * quantised ones are dequantised) or in their own type. E_TFLITE_DATA_DEPENDENT when one is no constant. */
uint32_t mlia_stack_weights(lowering *l, operand *const *weights, uint32_t count, bool to_float);
/* Constant vectors stacked to [Σ]; FP32 or INT32. An absent one counts as `width` zeros. */
uint32_t mlia_stack_vectors(lowering *l, operand *const *vectors, uint32_t count, int64_t width,
                            bool to_float);

/* x [R, I] times a filter [O, 1, 1, I] plus bias ([O] or [1], in the accumulator's type): [R, O]. */
uint32_t mlia_emit_linear(lowering *l, uint32_t x, uint32_t filter, uint32_t bias, int32_t zero);

#endif
