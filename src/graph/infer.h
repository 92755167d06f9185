/* Shape rules: what each rule function gets and the helpers that they share. Private to the graph room. */
#ifndef MLIA_GRAPH_INFER_H
#define MLIA_GRAPH_INFER_H

#include "graph/rules.h"

/* Sums and products of dimensions, strides and pads never overflow in this type. */
__extension__ typedef __int128 mlia_wide;

typedef struct mlia_infer {
    const mlia_graph *graph;
    const mlia_operator *op; /* well-formed, ranks of known inputs checked */
    mlia_arena *arena;
    mlia_inferred *results; /* one per output, all unknown at first */
} mlia_infer;

/* A rule sets the results that it can know. It returns an error of kind E_TOSA_SHAPE or E_TOSA_ATTRIBUTE
 * whose message is bare: the caller puts the operator's name in front. Every rule copes with unknown
 * dimensions (which agree with anything and make results unknown), but not with unranked inputs: those are
 * the dispatcher's business. */
typedef mlia_status *(*mlia_shape_rule)(mlia_infer *infer);

#define X(name, rule, ranks, constants, types, set) mlia_status *mlia_infer_##rule(mlia_infer *infer);
#include "graph/rules.def"
#undef X

/* mlia_operator_infer with a bare message; the operator must be well-formed. Ranks are checked first
 * (E_TOSA_SHAPE with *rank_error set, which may be NULL). */
mlia_status *mlia_infer_bare(const mlia_graph *graph, const mlia_operator *op, mlia_arena *arena,
                             mlia_inferred *results, bool *rank_error);

/* True unless the stored shape of a result is known and another one. */
bool mlia_inferred_agrees(const mlia_graph_value *value, const mlia_inferred *result);
/* E_TOSA_SHAPE: the stored shape of a result is not the inferred one. Texts in `arena`. */
mlia_status *mlia_infer_contradiction(const mlia_graph *graph, const mlia_operator *op,
                                      const mlia_graph_value *value, const mlia_inferred *result,
                                      mlia_arena *arena);

/* --- helpers of the rules --- */

#define MLIA_SHAPE_ERROR(...)     mlia_error(MLIA_E_TOSA_SHAPE, __VA_ARGS__)
#define MLIA_ATTRIBUTE_ERROR(...) mlia_error(MLIA_E_TOSA_ATTRIBUTE, __VA_ARGS__)

static inline const mlia_graph_value *mlia_infer_input(const mlia_infer *infer, uint32_t index)
{
    return &infer->graph->values[infer->op->inputs[index]];
}

/* Two dimensions that may be the same: equal, or one of them unknown. */
static inline bool mlia_dims_agree(int64_t a, int64_t b)
{
    return a < 0 || b < 0 || a == b;
}

static inline bool mlia_dims_known(uint32_t rank, const int64_t *dims)
{
    for (uint32_t i = 0; i < rank; i++)
        if (dims[i] < 0)
            return false;
    return true;
}

static inline int64_t mlia_dims_known_one(int64_t a, int64_t b)
{
    return a < 0 ? b : a;
}

/* Sets result `index`. */
void mlia_infer_set(mlia_infer *infer, uint32_t index, uint32_t rank, const int64_t *dims);
/* The same with the shape of an input. */
void mlia_infer_set_like(mlia_infer *infer, uint32_t index, const mlia_graph_value *input);

/* "[1, 4, ?, 3]" in the arena; empty when out of memory. */
mlia_str mlia_dims_text(mlia_arena *arena, uint32_t rank, const int64_t *dims);

/* Numbers of an attribute list, each at least `minimum`; exactly `count`. */
mlia_status *mlia_infer_list(const mlia_int_list *list, const char *name, uint32_t count, int64_t minimum,
                             int64_t *numbers);
/* The same from a shape operand. *known false: its values are not known, nothing is stored. */
mlia_status *mlia_infer_operand(const mlia_infer *infer, uint32_t input, const char *name, uint32_t count,
                                int64_t minimum, int64_t *numbers, bool *known);

/* Axis of the operator, checked against the rank of input 0. */
mlia_status *mlia_infer_axis(const mlia_infer *infer, uint32_t *axis);

/* (range / step) + 1 with an exact division, the form of all window rules; unknown when `range` comes from an
 * unknown `size`. `what` names the axis. */
mlia_status *mlia_infer_window(const char *what, int64_t size, mlia_wide range, int64_t step,
                               int64_t *result);

/* Input `scale` holds one scale per 32 elements of the last dimension of input `data`. */
mlia_status *mlia_infer_check_scale(const mlia_infer *infer, const mlia_graph_value *data,
                                    const mlia_graph_value *scale);
/* Block size 32, and a last dimension that is a multiple of it. */
mlia_status *mlia_infer_check_blocks(const mlia_infer *infer, const mlia_graph_value *data);

#endif
