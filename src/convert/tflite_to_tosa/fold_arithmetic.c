/* Element-wise arithmetic and reductions on constants. Integers wrap and divide as TensorFlow Lite's do;
 * FLOAT32 is computed in double and rounded once, which gives the float result. Quantised numbers are left to
 * the rules. */
#include <math.h>

#include "convert/tflite_to_tosa/lower.h"

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t subtract(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static int64_t multiply(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* Divisors of 0 never get here. */
static int64_t divide(int64_t a, int64_t b)
{
    return b == -1 ? subtract(0, a) : a / b;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    int64_t q = divide(a, b);
    return multiply(q, b) != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static int64_t floor_remainder(int64_t a, int64_t b)
{
    return subtract(a, multiply(floor_divide(a, b), b));
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t exclusive_or(int64_t a, int64_t b)
{
    return a ^ b;
}

static int64_t negate(int64_t a, int64_t b)
{
    (void)b;
    return subtract(0, a);
}

static int64_t logical_and(int64_t a, int64_t b)
{
    return a != 0 && b != 0;
}

static int64_t logical_or(int64_t a, int64_t b)
{
    return a != 0 || b != 0;
}

static int64_t logical_not(int64_t a, int64_t b)
{
    (void)b;
    return a == 0;
}

static double add_floats(double a, double b)
{
    return a + b;
}

static double subtract_floats(double a, double b)
{
    return a - b;
}

static double multiply_floats(double a, double b)
{
    return a * b;
}

static double divide_floats(double a, double b)
{
    return a / b;
}

static double negate_float(double a, double b)
{
    (void)b;
    return -a;
}

static bool equal(double a, double b)
{
    return a == b;
}

static bool unequal(double a, double b)
{
    return a != b;
}

static bool less(double a, double b)
{
    return a < b;
}

static bool less_or_equal(double a, double b)
{
    return a <= b;
}

static bool greater(double a, double b)
{
    return a > b;
}

static bool greater_or_equal(double a, double b)
{
    return a >= b;
}

/* What an operator does with two elements (or one: then the second is the first again). */
typedef struct fold_row {
    int64_t (*integers)(int64_t, int64_t);
    double (*floats)(double, double);
    bool (*compare)(double, double); /* numbers up to 2^53, which shapes stay below */
    bool divides;
    bool reduces; /* combines the elements along the axes of operand 1 */
} fold_row;

static const fold_row rows[MLIA_TFLITE_OP_LIMIT] = {
    [MLIA_TFLITE_OP_ADD] = {.integers = add, .floats = add_floats},
    [MLIA_TFLITE_OP_SUB] = {.integers = subtract, .floats = subtract_floats},
    [MLIA_TFLITE_OP_MUL] = {.integers = multiply, .floats = multiply_floats},
    [MLIA_TFLITE_OP_DIV] = {.integers = divide, .floats = divide_floats, .divides = true},
    [MLIA_TFLITE_OP_FLOOR_DIV] = {.integers = floor_divide, .divides = true},
    [MLIA_TFLITE_OP_FLOOR_MOD] = {.integers = floor_remainder, .divides = true},
    [MLIA_TFLITE_OP_MINIMUM] = {.integers = smaller, .floats = fmin},
    [MLIA_TFLITE_OP_MAXIMUM] = {.integers = larger, .floats = fmax},
    [MLIA_TFLITE_OP_BITWISE_XOR] = {.integers = exclusive_or},
    [MLIA_TFLITE_OP_NEG] = {.integers = negate, .floats = negate_float},
    [MLIA_TFLITE_OP_LOGICAL_AND] = {.integers = logical_and},
    [MLIA_TFLITE_OP_LOGICAL_OR] = {.integers = logical_or},
    [MLIA_TFLITE_OP_LOGICAL_NOT] = {.integers = logical_not},
    [MLIA_TFLITE_OP_EQUAL] = {.compare = equal},
    [MLIA_TFLITE_OP_NOT_EQUAL] = {.compare = unequal},
    [MLIA_TFLITE_OP_LESS] = {.compare = less},
    [MLIA_TFLITE_OP_LESS_EQUAL] = {.compare = less_or_equal},
    [MLIA_TFLITE_OP_GREATER] = {.compare = greater},
    [MLIA_TFLITE_OP_GREATER_EQUAL] = {.compare = greater_or_equal},
    [MLIA_TFLITE_OP_REDUCE_PROD] = {.integers = multiply, .reduces = true},
    [MLIA_TFLITE_OP_SUM] = {.integers = add, .reduces = true},
    [MLIA_TFLITE_OP_REDUCE_MAX] = {.integers = larger, .reduces = true},
    [MLIA_TFLITE_OP_REDUCE_MIN] = {.integers = smaller, .reduces = true},
    [MLIA_TFLITE_OP_REDUCE_ANY] = {.integers = logical_or, .reduces = true},
    [MLIA_TFLITE_OP_REDUCE_ALL] = {.integers = logical_and, .reduces = true},
};

static bool is_plain_integer(const operand *x)
{
    return x->type == MLIA_TFLITE_INT32 || x->type == MLIA_TFLITE_INT64 || x->type == MLIA_TFLITE_BOOL;
}

/* Fused activation of the arithmetic operators: their option tables all have it as field 0. */
static bool has_activation(const lowering *l)
{
    bool arithmetic = l->op->op == MLIA_TFLITE_OP_ADD || l->op->op == MLIA_TFLITE_OP_SUB ||
                      l->op->op == MLIA_TFLITE_OP_MUL || l->op->op == MLIA_TFLITE_OP_DIV;
    return arithmetic && mlia_lower_option(l, MLIA_TFLITE_AddOptions_fused_activation_function) != 0;
}

static bool can_fold(lowering *l, const fold_row *row)
{
    if ((row->integers == NULL && row->compare == NULL) || l->op->outputs.count != 1 || has_activation(l))
        return false;
    uint32_t first = MLIA_NONE;
    for (uint32_t i = 0; i < l->op->inputs.count; i++) {
        const operand *x = mlia_lower_input(l, i);
        if (x == NULL || !x->is_constant || mlia_lower_is_quantised(x) || x->elements == 0)
            return false;
        bool handled = is_plain_integer(x) ||
                       (x->type == MLIA_TFLITE_FLOAT32 && (row->floats != NULL || row->compare != NULL));
        if (!handled || (first != MLIA_NONE && !row->reduces && first != x->type))
            return false;
        first = first == MLIA_NONE ? x->type : first;
        for (uint64_t k = 0; row->divides && i == 1 && k < x->elements; k++)
            if (is_plain_integer(x) && mlia_lower_integer_at(x, k) == 0)
                return false;
    }
    return first != MLIA_NONE && l->op->inputs.count <= 2;
}

/* Dimensions of the result and the steps of both operands; false when they do not broadcast. */
static bool broadcast(const operand *const inputs[2], uint32_t *rank, int64_t dims[MAX_RANK],
                      int64_t strides[2][MAX_RANK])
{
    *rank = inputs[0]->rank > inputs[1]->rank ? inputs[0]->rank : inputs[1]->rank;
    for (uint32_t k = 0; k < *rank; k++)
        dims[k] = 1;
    for (uint32_t i = 0; i < 2; i++) {
        int64_t own[MAX_RANK];
        uint32_t lead = *rank - inputs[i]->rank;
        mlia_fold_strides(inputs[i], own);
        for (uint32_t k = 0; k < *rank; k++) {
            int64_t size = k < lead ? 1 : inputs[i]->dims[k - lead];
            strides[i][k] = size == 1 ? 0 : own[k - lead];
            if (size != 1 && dims[k] != 1 && dims[k] != size)
                return false;
            dims[k] = size != 1 ? size : dims[k];
        }
    }
    return true;
}

static void compute(const fold_row *row, const operand *const x[2], const uint64_t at[2], const operand *out,
                    uint8_t *bytes, uint64_t index)
{
    if (row->compare != NULL)
        bytes[index] = row->compare(mlia_lower_number_at(x[0], at[0]), mlia_lower_number_at(x[1], at[1]));
    else if (x[0]->type == MLIA_TFLITE_FLOAT32)
        mlia_fold_store_float(
            bytes, index,
            (float)row->floats(mlia_lower_number_at(x[0], at[0]), mlia_lower_number_at(x[1], at[1])));
    else
        mlia_fold_store(
            bytes, out->type, index,
            row->integers(mlia_lower_integer_at(x[0], at[0]), mlia_lower_integer_at(x[1], at[1])));
}

static bool fold_elements(lowering *l, const fold_row *row)
{
    const operand *out = mlia_lower_output(l, 0);
    const operand *x[2] = {mlia_lower_input(l, 0), mlia_lower_input(l, l->op->inputs.count - 1)};
    uint32_t rank;
    int64_t dims[MAX_RANK];
    int64_t strides[2][MAX_RANK];
    uint64_t elements;
    size_t size;
    uint32_t expected = row->compare != NULL ? (uint32_t)MLIA_TFLITE_BOOL : x[0]->type;
    if (out == NULL || out->type != expected || !broadcast(x, &rank, dims, strides))
        return false;
    uint8_t *bytes = mlia_fold_room(l, out->type, rank, dims, &elements, &size);
    if (bytes == NULL)
        return false;
    int64_t at[MAX_RANK] = {0};
    for (uint64_t i = 0; i < elements; i++) {
        uint64_t from[2] = {0, 0};
        for (uint32_t k = 0; k < rank; k++)
            for (uint32_t side = 0; side < 2; side++)
                from[side] += (uint64_t)(at[k] * strides[side][k]);
        compute(row, x, from, out, bytes, i);
        mlia_fold_next(rank, dims, at);
    }
    mlia_lower_set_constant(l, 0, rank, dims, (mlia_bytes){bytes, size});
    return true;
}

/* Axes of operand 1 as a mask; false when one is out of range (the rule reports it). */
static bool axis_mask(const operand *axes, uint32_t rank, uint32_t *mask)
{
    *mask = 0;
    for (uint64_t i = 0; i < axes->elements; i++) {
        int64_t axis = mlia_lower_integer_at(axes, i);
        axis += axis < 0 ? (int64_t)rank : 0;
        if (axis < 0 || axis >= (int64_t)rank)
            return false;
        *mask |= 1u << axis;
    }
    return true;
}

static bool fold_reduction(lowering *l, const fold_row *row)
{
    const operand *x = mlia_lower_input(l, 0);
    const operand *out = mlia_lower_output(l, 0);
    uint32_t mask;
    if (l->op->inputs.count != 2 || out == NULL || out->type != x->type || !is_plain_integer(x) ||
        !axis_mask(mlia_lower_input(l, 1), x->rank, &mask))
        return false;
    bool keep = mlia_lower_option(l, MLIA_TFLITE_ReducerOptions_keep_dims) != 0;
    int64_t dims[MAX_RANK];
    int64_t strides[MAX_RANK] = {0};
    int64_t step = 1;
    for (uint32_t i = x->rank; i > 0; i--)
        if ((mask >> (i - 1) & 1u) == 0) {
            strides[i - 1] = step;
            step *= x->dims[i - 1];
        }
    uint32_t rank = 0;
    for (uint32_t i = 0; i < x->rank; i++) {
        bool gone = (mask >> i & 1u) != 0;
        if (!gone || keep)
            dims[rank++] = gone ? 1 : x->dims[i];
    }
    uint64_t elements;
    size_t size;
    uint64_t all;
    size_t unused;
    uint8_t *bytes = mlia_fold_room(l, out->type, rank, dims, &elements, &size);
    uint8_t *seen = bytes ? mlia_fold_room(l, MLIA_TFLITE_BOOL, x->rank, x->dims, &all, &unused) : NULL;
    if (seen == NULL)
        return false;
    operand sum = {.type = out->type, .data = {bytes, size}};
    int64_t at[MAX_RANK] = {0};
    for (uint64_t i = 0; i < x->elements; i++) {
        uint64_t to = 0;
        for (uint32_t k = 0; k < x->rank; k++)
            to += (uint64_t)(at[k] * strides[k]);
        int64_t value = mlia_lower_integer_at(x, i);
        mlia_fold_store(bytes, out->type, to,
                        seen[to] ? row->integers(mlia_lower_integer_at(&sum, to), value) : value);
        seen[to] = 1;
        mlia_fold_next(x->rank, x->dims, at);
    }
    mlia_lower_set_constant(l, 0, rank, dims, (mlia_bytes){bytes, size});
    return true;
}

bool mlia_fold_operator(lowering *l)
{
    const fold_row *row = l->op->op < MLIA_TFLITE_OP_LIMIT ? &rows[l->op->op] : &rows[0];
    if (l->op->inputs.count == 0 || !can_fold(l, row))
        return false;
    return row->reduces ? fold_reduction(l, row) : fold_elements(l, row);
}
