/* Whether two graphs say the same: operators in order, their attributes, operands and results, types, shapes,
 * constants and regions. Names of inner values, locations and the order of the value table do not count. */
#ifndef MLIA_TEST_GRAPH_COMPARE_H
#define MLIA_TEST_GRAPH_COMPARE_H

#include <stdlib.h>

#include "graph/encode.h"
#include "graph/graph.h"
#include "test_support.h"

typedef struct graph_pair {
    const mlia_graph *a;
    const mlia_graph *b;
    uint32_t *partner; /* value of a → value of b */
    mlia_arena *arena;
    const char *name; /* for messages */
} graph_pair;

#define same(pair, condition)                                                                                \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            print_error("%s: line %d: %s\n", (pair)->name, __LINE__, #condition);                            \
            fail();                                                                                          \
        }                                                                                                    \
    } while (0)

static inline bool same_bytes(mlia_bytes a, mlia_bytes b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline void same_constant(graph_pair *pair, const mlia_graph_value *a, const mlia_graph_value *b)
{
    same(pair, (a->constant == NULL) == (b->constant == NULL));
    if (a->constant == NULL)
        return;
    mlia_bytes left;
    mlia_bytes right;
    assert_ok(mlia_constant_encode(a, MLIA_ENCODING_TOSA, pair->arena, &left));
    assert_ok(mlia_constant_encode(b, MLIA_ENCODING_TOSA, pair->arena, &right));
    same(pair, same_bytes(left, right));
}

static inline void same_value(graph_pair *pair, uint32_t a, uint32_t b)
{
    const mlia_graph_value *left = &pair->a->values[a];
    const mlia_graph_value *right = &pair->b->values[b];
    if (pair->partner[a] != MLIA_NONE) {
        same(pair, pair->partner[a] == b);
        return;
    }
    pair->partner[a] = b;
    same(pair, left->kind == right->kind && left->type == right->type && left->rank == right->rank);
    same(pair, left->unranked == right->unranked && left->is_unsigned == right->is_unsigned);
    for (uint32_t i = 0; left->kind == MLIA_KIND_TENSOR && i < left->rank; i++)
        same(pair, left->dims[i] == right->dims[i]);
    same(pair, (left->shape_values == NULL) == (right->shape_values == NULL) || left->rank == 0);
    for (uint32_t i = 0; left->shape_values != NULL && i < left->rank; i++)
        same(pair, left->shape_values[i] == right->shape_values[i]);
    same_constant(pair, left, right);
}

static inline void same_values(graph_pair *pair, const uint32_t *a, uint32_t a_count, const uint32_t *b,
                               uint32_t b_count)
{
    same(pair, a_count == b_count);
    for (uint32_t i = 0; i < a_count; i++)
        same_value(pair, a[i], b[i]);
}

static inline void same_region(graph_pair *pair, uint32_t a, uint32_t b);

static inline void same_field(graph_pair *pair, mlia_field field, const mlia_attributes *a,
                              const mlia_attributes *b)
{
    const mlia_field_info *info = mlia_field_describe(field);
    const void *left = (const char *)a + info->offset;
    const void *right = (const char *)b + info->offset;
    const mlia_int_list *left_list = left;
    const mlia_int_list *right_list = right;
    switch (info->type) {
    case MLIA_FIELD_I32:
    case MLIA_FIELD_ENUM:
        same(pair, *(const uint32_t *)left == *(const uint32_t *)right);
        break;
    case MLIA_FIELD_BOOL:
        same(pair, *(const bool *)left == *(const bool *)right);
        break;
    case MLIA_FIELD_I32_LIST:
        same(pair, left_list->count == right_list->count);
        for (uint32_t i = 0; i < left_list->count; i++)
            same(pair, left_list->values[i] == right_list->values[i]);
        break;
    case MLIA_FIELD_ELEMENT:
    case MLIA_FIELD_BLOB:
        same(pair, same_bytes(*(const mlia_bytes *)left, *(const mlia_bytes *)right));
        break;
    case MLIA_FIELD_TEXT:
        same(pair, mlia_str_equal(*(const mlia_str *)left, *(const mlia_str *)right));
        break;
    case MLIA_FIELD_REGION:
        same_region(pair, *(const uint32_t *)left, *(const uint32_t *)right);
        break;
    }
}

static inline void same_operator(graph_pair *pair, const mlia_operator *a, const mlia_operator *b)
{
    same(pair, a->op == b->op);
    same(pair, mlia_str_equal(a->foreign_name, b->foreign_name));
    same_values(pair, a->inputs, a->input_count, b->inputs, b->input_count);
    same_values(pair, a->outputs, a->output_count, b->outputs, b->output_count);
    const mlia_op_info *info = mlia_op_describe(a->op);
    for (uint32_t i = 0; i < info->field_count; i++)
        same_field(pair, info->fields[i], a->attributes, b->attributes);
    if (a->op == MLIA_OP_VARIABLE_READ || a->op == MLIA_OP_VARIABLE_WRITE)
        same(pair, a->attributes->variable == b->attributes->variable);
}

static inline void same_region(graph_pair *pair, uint32_t a, uint32_t b)
{
    const mlia_block *left = &pair->a->blocks[pair->a->regions[a].block];
    const mlia_block *right = &pair->b->blocks[pair->b->regions[b].block];
    same_values(pair, left->inputs, left->input_count, right->inputs, right->input_count);
    same(pair, left->operator_count == right->operator_count);
    for (uint32_t i = 0; i < left->operator_count; i++)
        same_operator(pair, &pair->a->operators[left->operators[i]],
                      &pair->b->operators[right->operators[i]]);
    same_values(pair, left->outputs, left->output_count, right->outputs, right->output_count);
}

static inline void same_variable(graph_pair *pair, const mlia_variable *a, const mlia_variable *b)
{
    const mlia_graph_value left = {.type = a->type, .rank = a->rank, .dims = a->dims, .constant = a->initial};
    const mlia_graph_value right = {
        .type = b->type, .rank = b->rank, .dims = b->dims, .constant = b->initial};
    same(pair, mlia_str_equal(a->name, b->name) && a->type == b->type && a->rank == b->rank);
    for (uint32_t i = 0; i < a->rank; i++)
        same(pair, a->dims[i] == b->dims[i]);
    same_constant(pair, &left, &right);
}

/* Fails the test where the graphs differ. */
static inline void assert_same_graph(const mlia_graph *a, const mlia_graph *b, const char *name)
{
    graph_pair pair = {a, b, NULL, mlia_arena_new(0), name};
    pair.partner = malloc((a->value_count + 1) * sizeof *pair.partner);
    assert_non_null(pair.partner);
    memset(pair.partner, 0xFF, (a->value_count + 1) * sizeof *pair.partner);
    same(&pair, a->variable_count == b->variable_count);
    for (uint32_t i = 0; i < a->variable_count; i++)
        same_variable(&pair, &a->variables[i], &b->variables[i]);
    same_region(&pair, 0, 0);
    free(pair.partner);
    mlia_arena_free(pair.arena);
}

#endif
