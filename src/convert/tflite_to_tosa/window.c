/* Padding of sliding windows, and lists of attributes. */
#include "convert/tflite_to_tosa/lower.h"

window mlia_lower_window(lowering *l, int64_t in, int64_t kernel, int64_t stride, int64_t dilation, bool same)
{
    window result = {0, 0, in, 1};
    if (kernel < 1 || stride < 1 || dilation < 1) {
        mlia_lower_error(l, MLIA_E_TFLITE_ATTRIBUTE,
                         "kernel %lld, stride %lld, dilation %lld: all must be at least 1", (long long)kernel,
                         (long long)stride, (long long)dilation);
        return result;
    }
    int64_t reach = (kernel - 1) * dilation + 1;
    if (!same && in < reach) {
        mlia_lower_error(l, MLIA_E_TFLITE_SHAPE, "a window of %lld does not fit an input of %lld",
                         (long long)reach, (long long)in);
        return result;
    }
    result.out = same ? (in + stride - 1) / stride : (in - reach) / stride + 1;
    int64_t needed = (result.out - 1) * stride + reach;
    int64_t total = same && needed > in ? needed - in : 0;
    result.before = total / 2;
    result.after = total - result.before;
    result.used = needed < in ? needed : in;
    return result;
}

mlia_int_list mlia_lower_list(lowering *l, uint32_t count, const int64_t *values)
{
    int32_t *copy = MLIA_NEW_ARRAY(l->arena, int32_t, count);
    if (copy == NULL) {
        mlia_lower_fail(l, mlia_error_memory());
        return (mlia_int_list){0};
    }
    for (uint32_t i = 0; i < count; i++)
        copy[i] = (int32_t)values[i];
    return (mlia_int_list){count, copy};
}
