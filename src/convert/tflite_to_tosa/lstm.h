/* One direction of an LSTM: its operands, and the two arithmetics. Private to this room. */
#ifndef MLIA_CONVERT_TFLITE_TO_TOSA_LSTM_H
#define MLIA_CONVERT_TFLITE_TO_TOSA_LSTM_H

#include "convert/tflite_to_tosa/recurrent.h"

/* Gates in the order of the operands; an LSTM whose input gate is coupled to the forget gate has no
 * GATE_INPUT.
 */
enum { GATE_INPUT, GATE_FORGET, GATE_CELL, GATE_OUTPUT, GATES };

typedef struct lstm {
    operand *input[GATES];     /* [N, I] */
    operand *recurrent[GATES]; /* [N, P] */
    operand *peephole[GATES];  /* [N]; none for the cell gate */
    operand *bias[GATES];      /* [N] */
    operand *norm[GATES];      /* [N]: layer normalisation, all or none */
    operand *projection;       /* [P, N] or NULL */
    operand *projection_bias;
    operand *hidden; /* output state [B, P] */
    operand *cell;   /* cell state [B, N] */
    operand *source; /* the input tensor */
    bool coupled;    /* the input gate is 1 - the forget gate */
    uint32_t first_gate;
    uint32_t gate_count;
    int64_t units; /* N */
    int32_t activation;
    float cell_clip; /* 0: none */
    float projection_clip;
} lstm;

/* Results of all steps, [B, T, P] or [T, B, P] (or [B, P] where `rank` is 2); writes the states. */
uint32_t mlia_lstm_float(lowering *l, lstm *r, const sequence *s, uint32_t rank);
uint32_t mlia_lstm_integer(lowering *l, lstm *r, const sequence *s, uint32_t rank);

/* Products of all steps with the weights of all gates, as a sequence [.., N · gates]. */
sequence mlia_lstm_products(lowering *l, const sequence *s, uint32_t products, int64_t width);
/* Part of gate `gate` in [B, N · gates]. */
uint32_t mlia_lstm_gate(lowering *l, const lstm *r, uint32_t x, uint32_t gate);

#endif
