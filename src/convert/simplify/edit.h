/* A graph that is being changed: the main block of a graph as a list of constants and a list of other
 * operators. Values that were replaced forward to what stands for them. Regions other than the main one are
 * dropped: operators that run them stay and are refused by whoever cannot write them. */
#ifndef MLIA_SIMPLIFY_EDIT_H
#define MLIA_SIMPLIFY_EDIT_H

#include "base/map.h"
#include "graph/build.h"

typedef struct mlia_edit {
    mlia_arena *arena;      /* of the graph: what becomes a part of it */
    mlia_arena *scratch;    /* the caller's; all else that the edit needs until it is closed */
    mlia_graph *graph;      /* its values and operators may be changed, its blocks are not used */
    const uint32_t *inputs; /* of the main block */
    uint32_t input_count;
    uint32_t *outputs;
    uint32_t output_count;
    uint32_t *constants; /* CONST and CONST_SHAPE operators, in the order they are written, which is that of
                            the official converter */
    size_t constant_count;
    size_t constant_capacity;
    uint32_t *operators; /* all others, in order of execution */
    size_t operator_count;
    size_t operator_capacity;
    uint32_t *forward; /* by value: what stands for it; itself when it was not replaced */
    uint32_t *uses;    /* by value: operands and block outputs that read it, as of mlia_edit_count_uses */
    uint8_t *splat;    /* by value: 0 not known, 1 all elements equal, 2 not */
    bool *dead;        /* by operator */
    size_t value_capacity;
    size_t dead_capacity;
    mlia_map known_constants; /* content → value */
    bool changed;             /* by a rule since the flag was cleared */
} mlia_edit;

/* A copy of `graph` in `arena` with all that an edit may change. */
mlia_status *mlia_edit_copy(const mlia_graph *graph, mlia_arena *arena, mlia_graph **copy);
/* Begins to edit the main block of `graph`, of which nothing may be used until the edit is closed. Constants
 * come first, in the order of the official converter: those at the head of the block stay, every other is put
 * in front of all before it; of equal ones the first stays. */
mlia_status *mlia_edit_take(mlia_graph *graph, mlia_arena *scratch, mlia_edit *edit);
/* Ends the edit: its graph has constants, then operators, numbered in this order, and is finished. Constants
 * nobody reads are left out. Nothing of `scratch` is needed any more. */
mlia_status *mlia_edit_close(mlia_edit *edit, mlia_diagnostics *diagnostics);

/* Removes operators whose results nobody reads, and counts uses. */
mlia_status *mlia_edit_count_uses(mlia_edit *edit);

/* The value that stands for `value`. */
uint32_t mlia_edit_value(mlia_edit *edit, uint32_t value);
static inline mlia_operator *mlia_edit_operator(mlia_edit *edit, uint32_t op)
{
    return &edit->graph->operators[op];
}
static inline mlia_graph_value *mlia_edit_tensor(mlia_edit *edit, uint32_t value)
{
    return &edit->graph->values[value];
}
/* Operand `index` of an operator, after replacement. */
uint32_t mlia_edit_input(mlia_edit *edit, uint32_t op, uint32_t index);
/* The live operator of kind `kind` that makes the value, or MLIA_NONE. */
uint32_t mlia_edit_producer(mlia_edit *edit, uint32_t value, mlia_op kind);
/* Lets `value` stand for the (only) result of `op`, which dies. Types must be equal. */
void mlia_edit_replace(mlia_edit *edit, uint32_t op, uint32_t value);
/* Changes operand `index`. */
void mlia_edit_set_input(mlia_edit *edit, uint32_t op, uint32_t index, uint32_t value);
/* Gives the operator a list of operands of its own. */
mlia_status *mlia_edit_set_inputs(mlia_edit *edit, uint32_t op, const uint32_t *inputs, uint32_t count);

/* Same element type, rank and dimensions (unknown ones too). */
bool mlia_edit_same_type(mlia_edit *edit, uint32_t a, uint32_t b);
/* All dimensions known. */
bool mlia_edit_static(mlia_edit *edit, uint32_t value);
/* Element that all elements of a constant tensor equal (as BYTES encode it), or false. */
bool mlia_edit_splat(mlia_edit *edit, uint32_t value, mlia_bytes *element);
/* Values of a constant shape, or NULL. */
const int64_t *mlia_edit_shape(mlia_edit *edit, uint32_t value);
/* All elements of a constant tensor in BYTES encoding. */
mlia_status *mlia_edit_bytes(mlia_edit *edit, uint32_t value, mlia_bytes *bytes);

/* Makes `op` a CONST of its result's type. It keeps its place until mlia_edit_hoist. */
mlia_status *mlia_edit_make_constant(mlia_edit *edit, uint32_t op, mlia_bytes bytes, bool is_splat);
/* Moves constants among the operators to the list of constants: those before all other operators behind the
 * list, every later one in front of it; of equal ones the first stays. */
mlia_status *mlia_edit_hoist(mlia_edit *edit);
mlia_status *mlia_edit_add_shape(mlia_edit *edit, const int64_t *values, uint32_t count, uint32_t *value);
/* New operator with one result of the given type, from the source of `model`; the caller puts it into the
 * list. */
mlia_status *mlia_edit_add_operator(mlia_edit *edit, mlia_op kind, uint32_t model, const uint32_t *inputs,
                                    uint32_t input_count, uint32_t type, uint32_t rank, const int64_t *dims,
                                    const mlia_attributes *attributes, uint32_t *op);
/* Adds an operator to the end of the list that is being built. */
mlia_status *mlia_edit_append(mlia_edit *edit, uint32_t op);

#endif
