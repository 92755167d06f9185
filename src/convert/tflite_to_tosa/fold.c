/* Constants worked out at conversion: moving their elements, casting and quantising them, and the operators
 * that only ask for shapes (SHAPE, RANK, ZEROS_LIKE, RANGE, BROADCAST_ARGS). Arithmetic is in
 * fold_arithmetic.c.
 *
 * A result of more than 4 Mi elements is left to the device, and so is everything once 64 Mi elements have
 * been worked out: a small file must not cost more than that. */
#include <math.h>

#include "base/checked.h"
#include "convert/tflite_to_tosa/rules.h"

enum { RESULT_LIMIT = 4 << 20, TOTAL_LIMIT = 64 << 20, LIST_LIMIT = 16 << 20 };

uint8_t *mlia_fold_room(lowering *l, uint32_t type, uint32_t rank, const int64_t *dims, uint64_t *elements,
                        size_t *size)
{
    *elements = 1;
    *size = 0;
    if (l->fault != NULL || mlia_tflite_type_bits(type) % 8 != 0 || mlia_tflite_type_bits(type) == 0)
        return NULL;
    for (uint32_t i = 0; i < rank; i++)
        if (dims[i] < 0 || !mlia_mul_u64(*elements, (uint64_t)dims[i], elements) || *elements > RESULT_LIMIT)
            return NULL;
    if (l->folded + *elements > TOTAL_LIMIT)
        return NULL;
    l->folded += *elements;
    *size = (size_t)*elements * (mlia_tflite_type_bits(type) / 8);
    uint8_t *bytes = MLIA_NEW_ARRAY(l->arena, uint8_t, *size);
    if (bytes == NULL)
        mlia_lower_fail(l, mlia_error_memory());
    return bytes;
}

bool mlia_fold_bounded(lowering *l, int64_t a, int64_t b)
{
    if (l->fault == NULL && (a < 0 || b < 0 || (b > 0 && a > LIST_LIMIT / b)))
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "it would need a constant of %lld times %lld elements",
                         (long long)a, (long long)b);
    return l->fault == NULL;
}

void mlia_fold_store(uint8_t *bytes, uint32_t type, uint64_t index, int64_t value)
{
    uint32_t width = mlia_tflite_type_bits(type) / 8;
    for (uint32_t k = 0; k < width; k++)
        bytes[index * width + k] = (uint8_t)((uint64_t)value >> (8 * k));
}

void mlia_fold_store_float(uint8_t *bytes, uint64_t index, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    mlia_fold_store(bytes, MLIA_TFLITE_UINT32, index, bits);
}

void mlia_fold_strides(const operand *x, int64_t strides[MAX_RANK])
{
    int64_t step = 1;
    for (uint32_t i = x->rank; i > 0; i--) {
        strides[i - 1] = step;
        step *= x->dims[i - 1];
    }
}

bool mlia_fold_next(uint32_t rank, const int64_t *dims, int64_t *at)
{
    for (uint32_t i = rank; i > 0; i--) {
        if (++at[i - 1] < dims[i - 1])
            return true;
        at[i - 1] = 0;
    }
    return false;
}

bool mlia_fold_view(lowering *l, uint32_t index, const operand *x, uint32_t rank, const int64_t *dims,
                    int64_t offset, const int64_t *strides)
{
    if (l->fault != NULL || !x->is_constant)
        return false;
    uint64_t elements;
    size_t size;
    uint8_t *bytes = mlia_fold_room(l, x->type, rank, dims, &elements, &size);
    if (bytes == NULL)
        return false;
    size_t width = mlia_tflite_type_bits(x->type) / 8;
    int64_t at[2 * MAX_RANK] = {0};
    for (uint64_t i = 0; i < elements; i++) {
        int64_t from = offset;
        for (uint32_t k = 0; k < rank; k++)
            from += at[k] * strides[k];
        memcpy(bytes + i * width, x->data.data + (size_t)from * width, width);
        mlia_fold_next(rank, dims, at);
    }
    mlia_lower_set_constant(l, index, rank, dims, (mlia_bytes){bytes, size});
    return true;
}

bool mlia_fold_part(lowering *l, uint32_t index, const operand *x, uint32_t axis, int64_t start, int64_t size,
                    bool keep_axis)
{
    if (!x->is_constant || start < 0 || size < 1 || start > x->dims[axis] - size)
        return false;
    int64_t strides[MAX_RANK];
    int64_t dims[MAX_RANK];
    int64_t kept[MAX_RANK];
    uint32_t rank = 0;
    mlia_fold_strides(x, strides);
    for (uint32_t i = 0; i < x->rank; i++)
        if (i != axis || keep_axis) {
            dims[rank] = i == axis ? size : x->dims[i];
            kept[rank++] = strides[i];
        }
    return mlia_fold_view(l, index, x, rank, dims, start * strides[axis], kept);
}

bool mlia_fold_broadcast(lowering *l, uint32_t index, const operand *x, uint32_t rank, const int64_t *dims)
{
    int64_t own[MAX_RANK];
    int64_t strides[MAX_RANK];
    if (!x->is_constant || x->rank > rank)
        return false;
    mlia_fold_strides(x, own);
    uint32_t lead = rank - x->rank;
    for (uint32_t i = 0; i < rank; i++) {
        bool repeated = i < lead || x->dims[i - lead] == 1;
        if (!repeated && x->dims[i - lead] != dims[i])
            return false;
        strides[i] = repeated ? 0 : own[i - lead];
    }
    return mlia_fold_view(l, index, x, rank, dims, 0, strides);
}

/* True when every operand is a constant of one type whose bytes mean the same in the result. */
static bool alike(lowering *l, const operand *out)
{
    for (uint32_t i = 0; i < l->op->inputs.count; i++) {
        const operand *x = mlia_lower_input(l, i);
        if (x == NULL || !x->is_constant || x->type != out->type)
            return false;
        if (mlia_lower_is_quantised(x) && mlia_lower_is_quantised(out) &&
            (mlia_lower_scale(l, x) != mlia_lower_scale(l, out) ||
             mlia_lower_zero(x) != mlia_lower_zero(out)))
            return false;
    }
    return true;
}

bool mlia_fold_concat(lowering *l, uint32_t axis, uint32_t rank, const int64_t *dims)
{
    const operand *out = mlia_lower_output(l, 0);
    uint64_t elements;
    size_t size;
    if (out == NULL || !alike(l, out))
        return false;
    uint8_t *bytes = mlia_fold_room(l, out->type, rank, dims, &elements, &size);
    if (bytes == NULL)
        return false;
    size_t outer = 1;
    for (uint32_t i = 0; i < axis; i++)
        outer *= (size_t)dims[i];
    size_t to = 0;
    for (size_t row = 0; row < outer; row++)
        for (uint32_t i = 0; i < l->op->inputs.count; i++) {
            mlia_bytes data = mlia_lower_input(l, i)->data;
            size_t part = mlia_lower_input(l, i)->elements * (mlia_tflite_type_bits(out->type) / 8) / outer;
            if (part > size - to)
                return false; /* the operands do not fit: the rule says so */
            memcpy(bytes + to, data.data + row * part, part);
            to += part;
        }
    if (to != size)
        return false;
    mlia_lower_set_constant(l, 0, rank, dims, (mlia_bytes){bytes, size});
    return true;
}

/* ---- casts ---- */

static int64_t truncated(double x, uint32_t type)
{
    uint32_t bits = mlia_tflite_type_bits(type);
    double low = type == MLIA_TFLITE_UINT8 ? 0.0 : -ldexp(1.0, (int)bits - 1);
    double high = type == MLIA_TFLITE_UINT8 ? 255.0 : ldexp(1.0, (int)bits - 1) - 1.0;
    double whole = isnan(x) ? 0.0 : trunc(x);
    if (whole >= high && bits == 64)
        return INT64_MAX;
    return (int64_t)(whole < low ? low : whole > high ? high : whole);
}

bool mlia_fold_cast(lowering *l, const operand *x, const operand *out)
{
    uint64_t elements;
    size_t size;
    bool to_float = out->type == MLIA_TFLITE_FLOAT32;
    bool from_float = mlia_lower_is_float(x);
    if (!x->is_constant || mlia_lower_type(x->type) == MLIA_TYPE_UNKNOWN ||
        mlia_lower_type(out->type) == MLIA_TYPE_UNKNOWN || (mlia_lower_is_float(out) && !to_float))
        return false;
    uint8_t *bytes = mlia_fold_room(l, out->type, x->rank, x->dims, &elements, &size);
    if (bytes == NULL)
        return false;
    for (uint64_t i = 0; i < elements; i++) {
        if (to_float)
            mlia_fold_store_float(bytes, i, (float)mlia_lower_number_at(x, i));
        else if (out->type == MLIA_TFLITE_BOOL)
            bytes[i] = mlia_lower_number_at(x, i) != 0.0;
        else if (from_float)
            mlia_fold_store(bytes, out->type, i, truncated(mlia_lower_number_at(x, i), out->type));
        else
            mlia_fold_store(bytes, out->type, i, mlia_lower_integer_at(x, i));
    }
    mlia_lower_set_constant(l, 0, x->rank, x->dims, (mlia_bytes){bytes, size});
    return true;
}

bool mlia_fold_quantise(lowering *l, const operand *x, const operand *out)
{
    uint64_t elements;
    size_t size;
    if (!x->is_constant || !mlia_lower_is_float(x) || out->tensor->quantization.scale_count != 1)
        return false;
    uint8_t *bytes = mlia_fold_room(l, out->type, x->rank, x->dims, &elements, &size);
    if (bytes == NULL)
        return false;
    float scale = out->tensor->quantization.scales[0];
    int64_t zero = out->tensor->quantization.zero_points[0];
    bool unsigned_byte = out->type == MLIA_TFLITE_UINT8;
    int64_t low = unsigned_byte ? 0 : mlia_lower_min(out);
    int64_t high = unsigned_byte ? 255 : mlia_lower_max(out);
    for (uint64_t i = 0; i < elements; i++) {
        double quotient = (double)((float)mlia_lower_number_at(x, i) / scale);
        double q = round(quotient) + (double)zero;
        int64_t bounded = !(q > (double)low) ? low : q > (double)high ? high : (int64_t)q;
        mlia_fold_store(bytes, out->type, i, bounded);
    }
    mlia_lower_set_constant(l, 0, x->rank, x->dims, (mlia_bytes){bytes, size});
    return true;
}

/* ---- operators about shapes ---- */

/* A list of integers as result 0, in the type that the model declares. */
static void set_list(lowering *l, uint32_t rank, uint32_t count, const int64_t *values)
{
    const operand *out = mlia_lower_output(l, 0);
    uint64_t elements;
    size_t size;
    int64_t dims[1] = {count};
    if (out == NULL || l->fault != NULL)
        return;
    uint8_t *bytes = mlia_fold_room(l, out->type, rank, dims, &elements, &size);
    if (bytes == NULL || mlia_lower_is_float(out)) {
        mlia_lower_error(l, MLIA_E_TFLITE_TYPE, "a shape as %.*s",
                         MLIA_STR_ARG(mlia_tflite_type_name(out->type)));
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        mlia_fold_store(bytes, out->type, i, values[i]);
    mlia_lower_set_constant(l, 0, rank, dims, (mlia_bytes){bytes, size});
}

void mlia_lower_shape(lowering *l)
{
    const operand *x = mlia_lower_required(l, 0);
    if (x != NULL)
        set_list(l, 1, x->rank, x->dims);
}

void mlia_lower_rank(lowering *l)
{
    const operand *x = mlia_lower_required(l, 0);
    if (x != NULL)
        set_list(l, 0, 1, &(int64_t){x->rank});
}

void mlia_lower_zeros_like(lowering *l)
{
    const operand *x = mlia_lower_required(l, 0);
    uint64_t elements;
    size_t size;
    if (l->fault != NULL)
        return;
    const uint8_t *bytes = mlia_fold_room(l, x->type, x->rank, x->dims, &elements, &size);
    if (bytes != NULL) {
        mlia_lower_set_constant(l, 0, x->rank, x->dims, (mlia_bytes){bytes, size});
        return;
    }
    uint32_t type = mlia_lower_type(x->type);
    mlia_lower_set(l, 0,
                   mlia_emit_tile(l, mlia_emit_scalar(l, type, x->rank, mlia_lower_raw_zero(x)), x->dims));
}

void mlia_lower_broadcast_args(lowering *l)
{
    uint32_t counts[2];
    const int64_t *shapes[2];
    int64_t dims[MAX_RANK];
    for (uint32_t i = 0; i < 2; i++)
        shapes[i] = mlia_lower_integers(l, mlia_lower_required(l, i), MAX_RANK, &counts[i]);
    if (l->fault != NULL)
        return;
    uint32_t rank = counts[0] > counts[1] ? counts[0] : counts[1];
    for (uint32_t i = 0; i < rank; i++) {
        int64_t a = i + counts[0] >= rank ? shapes[0][i + counts[0] - rank] : 1;
        int64_t b = i + counts[1] >= rank ? shapes[1][i + counts[1] - rank] : 1;
        if (a != b && a != 1 && b != 1)
            mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "dimensions %lld and %lld do not broadcast",
                             (long long)a, (long long)b);
        dims[i] = a == 1 ? b : a;
    }
    set_list(l, 1, rank, dims);
}

/* Start, limit and step of RANGE as numbers. */
static bool range_operands(lowering *l, double numbers[3], int64_t integers[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        const operand *x = mlia_lower_required(l, i);
        if (l->fault != NULL)
            return false;
        if (!x->is_constant || x->elements < 1) {
            mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT, "operand %u must be known at conversion", i);
            return false;
        }
        numbers[i] = mlia_lower_number_at(x, 0);
        integers[i] = mlia_lower_integer_at(x, 0);
    }
    if (numbers[2] == 0.0 || (numbers[1] - numbers[0]) * numbers[2] < 0.0)
        mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "from %g to %g by %g", numbers[0], numbers[1],
                         numbers[2]);
    return l->fault == NULL;
}

void mlia_lower_range(lowering *l)
{
    double numbers[3];
    int64_t integers[3];
    const operand *out = mlia_lower_output(l, 0);
    uint64_t elements;
    size_t size;
    if (!range_operands(l, numbers, integers) || out == NULL)
        return;
    double steps = ceil(fabs((numbers[1] - numbers[0]) / numbers[2]));
    int64_t dims[1] = {steps < 1e15 ? (int64_t)steps : INT64_MAX};
    uint8_t *bytes = mlia_fold_room(l, out->type, 1, dims, &elements, &size);
    if (bytes == NULL) {
        mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "%.0f elements", steps);
        return;
    }
    float sum = (float)numbers[0]; /* the interpreter adds step by step */
    for (uint64_t i = 0; i < elements; i++, sum += (float)numbers[2]) {
        if (out->type == MLIA_TFLITE_FLOAT32)
            mlia_fold_store_float(bytes, i, sum);
        else
            mlia_fold_store(bytes, out->type, i,
                            (int64_t)((uint64_t)integers[0] + i * (uint64_t)integers[2]));
    }
    mlia_lower_set_constant(l, 0, 1, dims, (mlia_bytes){bytes, size});
}
