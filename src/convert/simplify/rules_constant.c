/* Rules that compute: constants of equal elements, and operands that decide the result (zero, one). */
#include "convert/simplify/number.h"
#include "convert/simplify/simplify.h"

/* The operands of a binary operator. */
typedef struct operands {
    uint32_t value[2];
    uint32_t output;
    uint32_t type; /* element type of the first */
    bool splat[2];
    mlia_bytes element[2];
    mlia_number number[2];
} operands;

static bool read_operands(mlia_edit *edit, uint32_t op, operands *pair)
{
    *pair = (operands){.output = mlia_edit_operator(edit, op)->outputs[0]};
    if (mlia_edit_operator(edit, op)->input_count < 2)
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        pair->value[i] = mlia_edit_input(edit, op, i);
        uint32_t type = mlia_edit_tensor(edit, pair->value[i])->type;
        pair->splat[i] = mlia_edit_splat(edit, pair->value[i], &pair->element[i]) &&
                         mlia_number_read(type, pair->element[i], &pair->number[i]);
    }
    pair->type = mlia_edit_tensor(edit, pair->value[0])->type;
    return mlia_edit_tensor(edit, pair->value[1])->type == pair->type;
}

static bool is_zero(const operands *pair, uint32_t index)
{
    return pair->splat[index] && pair->number[index].integer == 0 && pair->number[index].real == 0;
}

/* Operand `index` stands for the result when it has the result's type. */
static bool take_operand(mlia_edit *edit, uint32_t op, const operands *pair, uint32_t index)
{
    if (!mlia_edit_same_type(edit, pair->value[index], pair->output))
        return false;
    mlia_edit_replace(edit, op, pair->value[index]);
    return true;
}

/* The result is a constant of equal elements. */
static mlia_status *take_element(mlia_edit *edit, uint32_t op, mlia_bytes element)
{
    if (!mlia_edit_static(edit, mlia_edit_operator(edit, op)->outputs[0]))
        return NULL;
    return mlia_edit_make_constant(edit, op, element, true);
}

static mlia_status *take_number(mlia_edit *edit, uint32_t op, mlia_number number)
{
    uint8_t *bytes = MLIA_NEW_ARRAY(edit->arena, uint8_t, MLIA_NUMBER_SIZE);
    MLIA_TRY_ALLOC(bytes);
    uint32_t type = mlia_edit_tensor(edit, mlia_edit_operator(edit, op)->outputs[0])->type;
    size_t size = mlia_number_write(type, number, bytes);
    return size == 0 ? NULL : take_element(edit, op, (mlia_bytes){bytes, size});
}

/* Operators whose operands may change places have constants second. */
mlia_status *mlia_rule_constant_second(mlia_edit *edit, uint32_t op)
{
    if (mlia_edit_operator(edit, op)->input_count != 2)
        return NULL;
    uint32_t first = mlia_edit_input(edit, op, 0);
    uint32_t second = mlia_edit_input(edit, op, 1);
    if (mlia_edit_producer(edit, first, MLIA_OP_CONST) == MLIA_NONE ||
        mlia_edit_producer(edit, second, MLIA_OP_CONST) != MLIA_NONE)
        return NULL;
    mlia_edit_set_input(edit, op, 0, second);
    mlia_edit_set_input(edit, op, 1, first);
    return NULL;
}

mlia_status *mlia_rule_add(mlia_edit *edit, uint32_t op)
{
    operands pair;
    if (!read_operands(edit, op, &pair) || (is_zero(&pair, 0) && take_operand(edit, op, &pair, 1)) ||
        (is_zero(&pair, 1) && take_operand(edit, op, &pair, 0)) || !pair.splat[0] || !pair.splat[1])
        return NULL;
    return take_number(
        edit, op,
        (mlia_number){(int64_t)((uint64_t)pair.number[0].integer + (uint64_t)pair.number[1].integer),
                      pair.number[0].real + pair.number[1].real});
}

mlia_status *mlia_rule_sub(mlia_edit *edit, uint32_t op)
{
    operands pair;
    if (!read_operands(edit, op, &pair) || (is_zero(&pair, 1) && take_operand(edit, op, &pair, 0)) ||
        !pair.splat[0] || !pair.splat[1])
        return NULL;
    return take_number(
        edit, op,
        (mlia_number){(int64_t)((uint64_t)pair.number[0].integer - (uint64_t)pair.number[1].integer),
                      pair.number[0].real - pair.number[1].real});
}

static bool is_one(const operands *pair, uint32_t index, int64_t shift)
{
    if (!pair->splat[index])
        return false;
    return mlia_type_is_float(pair->type)
               ? pair->number[index].real == 1
               : shift >= 0 && shift < 31 && pair->number[index].integer == INT64_C(1) << shift;
}

mlia_status *mlia_rule_mul(mlia_edit *edit, uint32_t op)
{
    operands pair;
    mlia_bytes shift_element;
    mlia_number shift = {0};
    if (mlia_edit_operator(edit, op)->input_count != 3 || !read_operands(edit, op, &pair) ||
        !mlia_edit_splat(edit, mlia_edit_input(edit, op, 2), &shift_element) ||
        !mlia_number_read(MLIA_TYPE_INT8, shift_element, &shift))
        return NULL;
    bool same = mlia_edit_tensor(edit, pair.output)->type == pair.type;
    for (uint32_t i = 0; i < 2 && same; i++)
        if (is_zero(&pair, i) && mlia_edit_static(edit, pair.output))
            return take_element(edit, op, pair.element[i]);
    for (uint32_t i = 0; i < 2 && same; i++)
        if (is_one(&pair, i, shift.integer) && take_operand(edit, op, &pair, 1 - i))
            return NULL;
    if (!pair.splat[0] || !pair.splat[1] || shift.integer < 0 || shift.integer > 62)
        return NULL;
    int64_t product;
    if (__builtin_mul_overflow(pair.number[0].integer, pair.number[1].integer, &product))
        return NULL;
    if (shift.integer > 0) {
        int64_t half = INT64_C(1) << (shift.integer - 1);
        if (__builtin_add_overflow(product, half, &product))
            return NULL;
        product >>= shift.integer;
        if (product < INT32_MIN || product > INT32_MAX)
            return NULL;
    }
    return take_number(edit, op, (mlia_number){product, pair.number[0].real * pair.number[1].real});
}

mlia_status *mlia_rule_intdiv(mlia_edit *edit, uint32_t op)
{
    operands pair;
    if (!read_operands(edit, op, &pair))
        return NULL;
    if (is_one(&pair, 1, 0) && take_operand(edit, op, &pair, 0))
        return NULL;
    if (!pair.splat[0] || !pair.splat[1] || pair.number[1].integer == 0 ||
        (pair.number[0].integer == INT32_MIN && pair.number[1].integer == -1))
        return NULL;
    return take_number(edit, op, (mlia_number){.integer = pair.number[0].integer / pair.number[1].integer});
}

mlia_status *mlia_rule_compare(mlia_edit *edit, uint32_t op)
{
    operands pair;
    if (!read_operands(edit, op, &pair))
        return NULL;
    uint32_t kind = mlia_edit_operator(edit, op)->op;
    bool reals = mlia_type_is_float(pair.type);
    if (kind == MLIA_OP_EQUAL && !reals && pair.value[0] == pair.value[1])
        return take_number(edit, op, (mlia_number){.integer = 1});
    if (!pair.splat[0] || !pair.splat[1])
        return NULL;
    int64_t a = pair.number[0].integer;
    int64_t b = pair.number[1].integer;
    double x = pair.number[0].real;
    double y = pair.number[1].real;
    bool greater = reals ? x > y : a > b;
    bool equal = reals ? x == y : a == b;
    bool result = kind == MLIA_OP_EQUAL ? equal : kind == MLIA_OP_GREATER ? greater : greater || equal;
    return take_number(edit, op, (mlia_number){.integer = result});
}

mlia_status *mlia_rule_reciprocal_constant(mlia_edit *edit, uint32_t op)
{
    uint32_t input = mlia_edit_input(edit, op, 0);
    mlia_bytes element;
    mlia_number number;
    if (!mlia_edit_splat(edit, input, &element) ||
        !mlia_number_read(mlia_edit_tensor(edit, input)->type, element, &number))
        return NULL;
    number.real = 1 / number.real;
    return take_number(edit, op, number);
}

/* Least and greatest values of an integer type, as floats are cast to it. */
static int64_t saturate(double value, uint32_t type)
{
    double low = (double)mlia_number_lowest(type);
    if (isnan(value))
        return 0;
    if (value <= low)
        return mlia_number_lowest(type);
    if (value >= -low - 1)
        return -1 - mlia_number_lowest(type);
    return (int64_t)nearbyint(value);
}

mlia_status *mlia_rule_cast_constant(mlia_edit *edit, uint32_t op)
{
    uint32_t input = mlia_edit_input(edit, op, 0);
    uint32_t from = mlia_edit_tensor(edit, input)->type;
    uint32_t to = mlia_edit_tensor(edit, mlia_edit_operator(edit, op)->outputs[0])->type;
    mlia_bytes element;
    mlia_number number;
    if (!mlia_edit_splat(edit, input, &element) || !mlia_number_read(from, element, &number))
        return NULL;
    if (!mlia_type_is_float(from))
        number.real = (double)number.integer;
    else if (to != MLIA_TYPE_BOOL && !mlia_type_is_float(to))
        number.integer = saturate(number.real, to);
    return take_number(edit, op, number);
}
