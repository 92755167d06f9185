/* Operands and results of the operator at hand, constants of the model, options. */
#include <stdarg.h>
#include <stdio.h>

#include "base/checked.h"
#include "convert/tflite_to_tosa/lower.h"

void mlia_lower_fail(lowering *l, mlia_status *status)
{
    if (status == NULL)
        return;
    if (l->fault == NULL)
        l->fault = status;
    else
        mlia_status_free(status);
}

void mlia_lower_error(lowering *l, mlia_kind kind, const char *format, ...)
{
    if (l->fault != NULL)
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    mlia_status *status = mlia_error(kind, "%.*s: %s", MLIA_STR_ARG(mlia_tflite_operator_name(l->op)), text);
    status = mlia_status_at(status, l->op->offset);
    mlia_lower_fail(l,
                    mlia_status_in(status, "subgraphs[%u].operators[%u]", l->frame->subgraph, l->op_index));
}

/* ---- operands ---- */

operand *mlia_lower_input(lowering *l, uint32_t index)
{
    if (index >= l->op->inputs.count || l->op->inputs.values[index] < 0)
        return NULL;
    return &l->frame->tensors[l->op->inputs.values[index]];
}

operand *mlia_lower_required(lowering *l, uint32_t index)
{
    operand *x = mlia_lower_input(l, index);
    if (x == NULL)
        mlia_lower_error(l, MLIA_E_TFLITE_OPERANDS, "operand %u is missing", index);
    return x;
}

operand *mlia_lower_output(lowering *l, uint32_t index)
{
    if (index >= l->op->outputs.count || l->op->outputs.values[index] < 0)
        return NULL;
    return &l->frame->tensors[l->op->outputs.values[index]];
}

bool mlia_lower_take(lowering *l, operand **in, operand **out)
{
    *in = mlia_lower_required(l, 0);
    *out = mlia_lower_output(l, 0);
    if (l->fault == NULL && *out == NULL)
        mlia_lower_error(l, MLIA_E_TFLITE_OPERANDS, "no result");
    return l->fault == NULL;
}

static const struct {
    uint8_t tosa;
    uint8_t tosa_bytes; /* of one element of the TOSA type in a constant */
} type_map[MLIA_TFLITE_TYPE_COUNT] = {
    [MLIA_TFLITE_FLOAT32] = {MLIA_TYPE_FP32, 4},
    [MLIA_TFLITE_FLOAT16] = {MLIA_TYPE_FP16, 2},
    [MLIA_TFLITE_BFLOAT16] = {MLIA_TYPE_BF16, 2},
    [MLIA_TFLITE_INT8] = {MLIA_TYPE_INT8, 1},
    [MLIA_TFLITE_UINT8] = {MLIA_TYPE_INT8, 1},
    [MLIA_TFLITE_INT16] = {MLIA_TYPE_INT16, 2},
    [MLIA_TFLITE_INT32] = {MLIA_TYPE_INT32, 4},
    [MLIA_TFLITE_INT64] = {MLIA_TYPE_INT32, 4},
    [MLIA_TFLITE_UINT32] = {MLIA_TYPE_INT32, 4},
    [MLIA_TFLITE_UINT16] = {MLIA_TYPE_INT32, 4},
    [MLIA_TFLITE_BOOL] = {MLIA_TYPE_BOOL, 1},
    [MLIA_TFLITE_INT4] = {MLIA_TYPE_INT8, 1},
    [MLIA_TFLITE_UINT4] = {MLIA_TYPE_INT8, 1},
    [MLIA_TFLITE_INT2] = {MLIA_TYPE_INT8, 1},
    [MLIA_TFLITE_FLOAT8_E4M3FN] = {MLIA_TYPE_FP8E4M3, 1},
    [MLIA_TFLITE_FLOAT8_E5M2] = {MLIA_TYPE_FP8E5M2, 1},
};

uint32_t mlia_lower_type(uint32_t tflite_type)
{
    return tflite_type < MLIA_TFLITE_TYPE_COUNT ? type_map[tflite_type].tosa : (uint32_t)MLIA_TYPE_UNKNOWN;
}

/* True when the TOSA constant has the very bytes of the TFLite constant. */
static bool same_encoding(uint32_t type)
{
    return type != MLIA_TFLITE_UINT8 && mlia_tflite_type_bits(type) == 8u * type_map[type].tosa_bytes;
}

/* Re-encodes a constant whose TOSA type differs: UINT8 - 128, INT64 and UINT32 narrowed, INT4 and INT2
 * widened. */
static mlia_bytes converted(lowering *l, const operand *x)
{
    uint32_t width = type_map[x->type].tosa_bytes;
    size_t size;
    uint8_t *bytes =
        mlia_mul_size((size_t)x->elements, width, &size) ? MLIA_NEW_ARRAY(l->arena, uint8_t, size) : NULL;
    if (bytes == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return (mlia_bytes){0};
    }
    for (uint64_t i = 0; i < x->elements; i++) {
        int64_t value = mlia_lower_integer_at(x, i) - (x->type == MLIA_TFLITE_UINT8 ? 128 : 0);
        if (width == 4 && (value < INT32_MIN || value > INT32_MAX)) {
            mlia_lower_error(l, MLIA_E_TFLITE_TYPE,
                             "constant %lld of '%.*s' does not fit INT32, the widest integer of TOSA",
                             (long long)value, MLIA_STR_ARG(x->tensor->name));
            return (mlia_bytes){0};
        }
        for (uint32_t k = 0; k < width; k++)
            bytes[i * width + k] = (uint8_t)((uint64_t)value >> (8 * k));
    }
    return (mlia_bytes){bytes, size};
}

/* Equal constants are one value: of their names the first in byte order counts, whichever is emitted first.
 */
static void name_constant(mlia_graph_value *value, mlia_str name)
{
    if (value->name.size == 0 || (name.size > 0 && mlia_str_compare(name, value->name) < 0))
        value->name = name;
}

uint32_t mlia_lower_value(lowering *l, operand *x)
{
    if (l->fault != NULL || x == NULL)
        return MLIA_NONE;
    if (x->edge != MLIA_NONE) {
        x->value = mlia_emit_edge(l, x, x->edge, true);
        x->edge = MLIA_NONE;
    }
    if (x->value != MLIA_NONE)
        return x->value;
    uint32_t type = mlia_lower_type(x->type);
    if (type == MLIA_TYPE_UNKNOWN) {
        mlia_lower_error(l, MLIA_E_TFLITE_TYPE, "'%.*s' has type %.*s, which TOSA does not have",
                         MLIA_STR_ARG(x->tensor->name), MLIA_STR_ARG(mlia_tflite_type_name(x->type)));
        return MLIA_NONE;
    }
    if (!x->is_constant) {
        mlia_lower_error(l, MLIA_E_TFLITE_ORDER, "'%.*s' has no value here", MLIA_STR_ARG(x->tensor->name));
        return MLIA_NONE;
    }
    for (uint32_t i = 0; i < x->rank; i++)
        if (x->dims[i] == 0) {
            mlia_lower_error(l, MLIA_E_TFLITE_LIMIT, "'%.*s' has no elements, TOSA has no empty tensors",
                             MLIA_STR_ARG(x->tensor->name));
            return MLIA_NONE;
        }
    mlia_bytes bytes = same_encoding(x->type) ? x->data : converted(l, x);
    x->value = mlia_emit_const(l, type, x->rank, x->dims, bytes);
    if (x->value != MLIA_NONE)
        name_constant(&l->graph->values[x->value], x->tensor->name);
    return x->value;
}

/* Compares inferred dimensions with the declared ones that are fixed. */
static bool check_dims(lowering *l, const operand *out, uint32_t index, uint32_t rank, const int64_t *dims)
{
    const mlia_tflite_tensor *tensor = out->tensor;
    bool known_rank = tensor->rank > 0 || tensor->signature != NULL || rank == 0;
    bool fits = !known_rank || tensor->rank == rank;
    uint32_t wrong = 0;
    for (uint32_t i = 0; fits && known_rank && i < rank; i++) {
        bool dynamic =
            l->options->input_shape_count > 0 || (tensor->signature != NULL && tensor->signature[i] < 0);
        if (!dynamic && tensor->shape[i] != dims[i]) {
            fits = false;
            wrong = i;
        }
    }
    if (!fits && tensor->rank != rank)
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "result %u ('%.*s') has rank %u, the model says %u", index,
                         MLIA_STR_ARG(tensor->name), rank, tensor->rank);
    else if (!fits)
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE,
                         "result %u ('%.*s'): dimension %u is %lld, the model says %d", index,
                         MLIA_STR_ARG(tensor->name), wrong, (long long)dims[wrong], tensor->shape[wrong]);
    return fits;
}

void mlia_lower_set(lowering *l, uint32_t index, uint32_t value)
{
    operand *out = mlia_lower_output(l, index);
    if (l->fault != NULL || out == NULL || value == MLIA_NONE)
        return;
    mlia_graph_value *info = &l->graph->values[value];
    if (!check_dims(l, out, index, info->rank, info->dims))
        return;
    uint32_t type = mlia_lower_type(out->type);
    if (out->type != MLIA_TFLITE_COMPLEX64 && type != info->type) {
        mlia_lower_error(l, MLIA_E_TFLITE_TYPE, "result %u ('%.*s') is %.*s, not %.*s", index,
                         MLIA_STR_ARG(out->tensor->name), MLIA_STR_ARG(mlia_tflite_type_name(out->type)),
                         MLIA_STR_ARG(mlia_type_describe(info->type)->name));
        return;
    }
    out->value = value;
    out->rank = info->rank;
    if (info->rank > 0)
        memcpy(out->dims, info->dims, info->rank * sizeof *out->dims);
    if (info->name.size == 0)
        info->name = out->tensor->name;
    if (MLIA_RESERVE(l->arena, l->results, l->result_count, l->result_capacity))
        l->results[l->result_count++] = value;
    else
        mlia_lower_fail(l, mlia_error_memory());
}

void mlia_lower_set_constant(lowering *l, uint32_t index, uint32_t rank, const int64_t *dims, mlia_bytes data)
{
    operand *out = mlia_lower_output(l, index);
    if (l->fault != NULL || out == NULL || !check_dims(l, out, index, rank, dims))
        return;
    out->is_constant = true;
    out->data = data;
    out->rank = rank;
    out->elements = 1;
    for (uint32_t i = 0; i < rank; i++) {
        out->dims[i] = dims[i];
        out->elements *= (uint64_t)dims[i];
    }
}

/* ---- quantisation ---- */

bool mlia_lower_is_float(const operand *x)
{
    return x->type == MLIA_TFLITE_FLOAT32 || x->type == MLIA_TFLITE_FLOAT16 ||
           x->type == MLIA_TFLITE_BFLOAT16;
}

bool mlia_lower_is_quantised(const operand *x)
{
    return !mlia_lower_is_float(x) && x->tensor->quantization.scale_count > 0;
}

float mlia_lower_scale32(lowering *l, const operand *x)
{
    if (x->tensor->quantization.scale_count == 0) {
        mlia_lower_error(l, MLIA_E_TFLITE_QUANTIZATION, "'%.*s' has no scale", MLIA_STR_ARG(x->tensor->name));
        return 1.0f;
    }
    return x->tensor->quantization.scales[0];
}

double mlia_lower_scale(lowering *l, const operand *x)
{
    return (double)mlia_lower_scale32(l, x);
}

int32_t mlia_lower_zero(const operand *x)
{
    int64_t zero = x->tensor->quantization.scale_count > 0 ? x->tensor->quantization.zero_points[0] : 0;
    return (int32_t)(zero - (x->type == MLIA_TFLITE_UINT8 ? 128 : 0));
}

int32_t mlia_lower_raw_zero(const operand *x)
{
    return x->type == MLIA_TFLITE_UINT8 ? -128 : 0;
}

int32_t mlia_lower_min(const operand *x)
{
    uint32_t type = mlia_lower_type(x->type);
    return type == MLIA_TYPE_INT8 ? INT8_MIN : type == MLIA_TYPE_INT16 ? INT16_MIN : INT32_MIN;
}

int32_t mlia_lower_max(const operand *x)
{
    uint32_t type = mlia_lower_type(x->type);
    return type == MLIA_TYPE_INT8 ? INT8_MAX : type == MLIA_TYPE_INT16 ? INT16_MAX : INT32_MAX;
}

/* ---- constant elements ---- */

int64_t mlia_lower_integer_at(const operand *x, uint64_t index)
{
    const uint8_t *p = x->data.data;
    switch (x->type) {
    case MLIA_TFLITE_INT8:
        return (int8_t)p[index];
    case MLIA_TFLITE_UINT8:
    case MLIA_TFLITE_BOOL:
        return p[index];
    case MLIA_TFLITE_INT16:
        return (int16_t)mlia_load_u16(p + 2 * index);
    case MLIA_TFLITE_UINT16:
        return mlia_load_u16(p + 2 * index);
    case MLIA_TFLITE_INT32:
        return (int32_t)mlia_load_u32(p + 4 * index);
    case MLIA_TFLITE_UINT32:
        return mlia_load_u32(p + 4 * index);
    case MLIA_TFLITE_INT64:
    case MLIA_TFLITE_UINT64:
        return (int64_t)mlia_load_u64(p + 8 * index);
    case MLIA_TFLITE_INT4:
    case MLIA_TFLITE_UINT4: {
        int32_t nibble = p[index / 2] >> (index % 2 ? 4 : 0) & 15;
        return x->type == MLIA_TFLITE_INT4 && nibble > 7 ? nibble - 16 : nibble;
    }
    case MLIA_TFLITE_INT2: {
        int32_t pair = p[index / 4] >> (2 * (index % 4)) & 3;
        return pair > 1 ? pair - 4 : pair;
    }
    default:
        return 0;
    }
}

/* IEEE half or bfloat16 as a double. */
static double half_value(uint16_t bits, bool is_bfloat)
{
    uint32_t word = (uint32_t)bits << 16;
    if (!is_bfloat) {
        uint32_t sign = word & 0x80000000u;
        uint32_t exponent = bits >> 10 & 31u;
        uint32_t mantissa = bits & 1023u;
        if (exponent == 0)
            return (sign ? -1.0 : 1.0) * (double)mantissa / 16777216.0;
        word = sign | (exponent == 31 ? 0x7F800000u : (exponent + 112u) << 23) | mantissa << 13;
    }
    float value;
    memcpy(&value, &word, sizeof value);
    return (double)value;
}

double mlia_lower_number_at(const operand *x, uint64_t index)
{
    const uint8_t *p = x->data.data;
    switch (x->type) {
    case MLIA_TFLITE_FLOAT32: {
        uint32_t bits = mlia_load_u32(p + 4 * index);
        float value;
        memcpy(&value, &bits, sizeof value);
        return (double)value;
    }
    case MLIA_TFLITE_FLOAT16:
    case MLIA_TFLITE_BFLOAT16:
        return half_value(mlia_load_u16(p + 2 * index), x->type == MLIA_TFLITE_BFLOAT16);
    default:
        return (double)mlia_lower_integer_at(x, index);
    }
}

const int64_t *mlia_lower_integers(lowering *l, operand *x, uint32_t limit, uint32_t *count)
{
    *count = 0;
    if (l->fault != NULL || x == NULL)
        return NULL;
    if (!x->is_constant) {
        mlia_lower_error(l, MLIA_E_TFLITE_DATA_DEPENDENT, "'%.*s' must be known when the model is converted",
                         MLIA_STR_ARG(x->tensor->name));
        return NULL;
    }
    if (mlia_lower_is_float(x) || x->elements > limit) {
        mlia_lower_error(l, MLIA_E_TFLITE_OPERANDS, "'%.*s' must hold at most %u integers",
                         MLIA_STR_ARG(x->tensor->name), limit);
        return NULL;
    }
    int64_t *values = MLIA_NEW_ARRAY(l->arena, int64_t, (size_t)x->elements);
    if (values == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return NULL;
    }
    for (uint64_t i = 0; i < x->elements; i++)
        values[i] = mlia_lower_integer_at(x, i);
    *count = (uint32_t)x->elements;
    return values;
}

uint32_t mlia_lower_axis(lowering *l, int64_t axis, uint32_t rank)
{
    int64_t normal = axis < 0 ? axis + (int64_t)rank : axis;
    if (normal >= 0 && normal < (int64_t)rank)
        return (uint32_t)normal;
    mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE, "axis %lld of a tensor of rank %u", (long long)axis, rank);
    return 0;
}

int32_t mlia_lower_option(const lowering *l, uint32_t field)
{
    return l->op->options.schema ? mlia_flatbuf_i32(l->op->options, field) : 0;
}

float mlia_lower_option_float(const lowering *l, uint32_t field)
{
    return l->op->options.schema ? (float)mlia_flatbuf_real(l->op->options, field) : 0.0f;
}
