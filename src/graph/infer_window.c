/* Shape rules of the tensor operators: convolutions, pools, matrix products, Fourier transforms, RESIZE. */
#include "graph/infer.h"

static mlia_wide product(int64_t a, int64_t b)
{
    return (mlia_wide)a * b;
}

/* --- convolutions --- */

static mlia_status *check_channels(int64_t input, int64_t weight)
{
    if (!mlia_dims_agree(input, weight))
        return MLIA_SHAPE_ERROR("the input has %lld channels, the weight is for %lld", (long long)input,
                                (long long)weight);
    return NULL;
}

static mlia_status *check_bias(const mlia_graph_value *bias, int64_t channels)
{
    if (bias->dims[0] == 1 || mlia_dims_agree(bias->dims[0], channels))
        return NULL;
    return MLIA_SHAPE_ERROR("the bias has %lld entries, must have %lld or 1", (long long)bias->dims[0],
                            (long long)channels);
}

static const char *const axis_names[] = {"depth", "height", "width"};

/* Size of a convolution along one axis; names[0] is "depth" only for three axes. */
static mlia_status *convolve(const char *axis, int64_t size, int64_t before, int64_t after, int64_t kernel,
                             int64_t dilation, int64_t stride, int64_t *result)
{
    mlia_wide range = (mlia_wide)size - 1 + before + after - product(kernel - 1, dilation);
    return mlia_infer_window(axis, size < 0 || kernel < 0 ? MLIA_DIM_UNKNOWN : size, range, stride, result);
}

/* pad, stride and dilation of CONV2D_BLOCK_SCALED come from shape operands. */
static mlia_status *convolution_numbers(const mlia_infer *infer, uint32_t axes, int64_t *pad, int64_t *stride,
                                        int64_t *dilation, bool *known)
{
    const mlia_attributes *attributes = infer->op->attributes;
    *known = true;
    if (infer->op->op == MLIA_OP_CONV2D_BLOCK_SCALED) {
        bool known_parts[3];
        MLIA_TRY(mlia_infer_operand(infer, 5, "pad", 4, 0, pad, &known_parts[0]));
        MLIA_TRY(mlia_infer_operand(infer, 6, "stride", 2, 1, stride, &known_parts[1]));
        MLIA_TRY(mlia_infer_operand(infer, 7, "dilation", 2, 1, dilation, &known_parts[2]));
        *known = known_parts[0] && known_parts[1] && known_parts[2];
        return NULL;
    }
    MLIA_TRY(mlia_infer_list(&attributes->pad, "pad", 2 * axes, 0, pad));
    MLIA_TRY(mlia_infer_list(&attributes->stride, "stride", axes, 1, stride));
    return mlia_infer_list(&attributes->dilation, "dilation", axes, 1, dilation);
}

/* CONV2D, DEPTHWISE_CONV2D (weight [KH, KW, C, M]) and CONV2D_BLOCK_SCALED (scales behind data and weight).
 */
mlia_status *mlia_infer_conv2d(mlia_infer *infer)
{
    bool scaled = infer->op->op == MLIA_OP_CONV2D_BLOCK_SCALED;
    bool depthwise = infer->op->op == MLIA_OP_DEPTHWISE_CONV2D;
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    const mlia_graph_value *weight = mlia_infer_input(infer, scaled ? 2 : 1);
    if (scaled) {
        MLIA_TRY(mlia_infer_check_scale(infer, input, mlia_infer_input(infer, 1)));
        MLIA_TRY(mlia_infer_check_scale(infer, weight, mlia_infer_input(infer, 3)));
    }
    int64_t pad[4];
    int64_t stride[2];
    int64_t dilation[2];
    bool known;
    MLIA_TRY(convolution_numbers(infer, 2, pad, stride, dilation, &known));
    MLIA_TRY(check_channels(input->dims[3], weight->dims[depthwise ? 2 : 3]));
    int64_t channels = weight->dims[0];
    if (depthwise) {
        mlia_wide count = product(weight->dims[2], weight->dims[3]);
        if (count > INT64_MAX)
            return MLIA_SHAPE_ERROR("the result has too many channels");
        channels = weight->dims[2] < 0 || weight->dims[3] < 0 ? MLIA_DIM_UNKNOWN : (int64_t)count;
    }
    MLIA_TRY(check_bias(mlia_infer_input(infer, scaled ? 4 : 2), channels));
    if (!known)
        return NULL;
    int64_t dims[4] = {input->dims[0], 0, 0, channels};
    const int64_t *kernel = depthwise ? weight->dims : weight->dims + 1;
    for (size_t i = 0; i < 2; i++)
        MLIA_TRY(convolve(axis_names[i + 1], input->dims[i + 1], pad[2 * i], pad[2 * i + 1], kernel[i],
                          dilation[i], stride[i], &dims[i + 1]));
    mlia_infer_set(infer, 0, 4, dims);
    return NULL;
}

mlia_status *mlia_infer_conv3d(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    const mlia_graph_value *weight = mlia_infer_input(infer, 1);
    int64_t pad[6];
    int64_t stride[3];
    int64_t dilation[3];
    bool known;
    MLIA_TRY(convolution_numbers(infer, 3, pad, stride, dilation, &known));
    MLIA_TRY(check_channels(input->dims[4], weight->dims[4]));
    MLIA_TRY(check_bias(mlia_infer_input(infer, 2), weight->dims[0]));
    int64_t dims[5] = {input->dims[0], 0, 0, 0, weight->dims[0]};
    for (size_t i = 0; i < 3; i++)
        MLIA_TRY(convolve(axis_names[i], input->dims[i + 1], pad[2 * i], pad[2 * i + 1], weight->dims[i + 1],
                          dilation[i], stride[i], &dims[i + 1]));
    mlia_infer_set(infer, 0, 5, dims);
    return NULL;
}

mlia_status *mlia_infer_transpose_conv2d(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    const mlia_graph_value *weight = mlia_infer_input(infer, 1);
    int64_t pad[4];
    int64_t stride[2];
    MLIA_TRY(mlia_infer_list(&infer->op->attributes->out_pad, "out_pad", 4, INT32_MIN, pad));
    MLIA_TRY(mlia_infer_list(&infer->op->attributes->stride, "stride", 2, 1, stride));
    MLIA_TRY(check_channels(input->dims[3], weight->dims[3]));
    MLIA_TRY(check_bias(mlia_infer_input(infer, 2), weight->dims[0]));
    int64_t dims[4] = {input->dims[0], MLIA_DIM_UNKNOWN, MLIA_DIM_UNKNOWN, weight->dims[0]};
    for (size_t i = 0; i < 2; i++) {
        int64_t kernel = weight->dims[i + 1];
        if (kernel >= 0 && (pad[2 * i] <= -kernel || pad[2 * i + 1] <= -kernel))
            return MLIA_ATTRIBUTE_ERROR("out_pad is %lld and %lld in %s, must be above -%lld",
                                        (long long)pad[2 * i], (long long)pad[2 * i + 1], axis_names[i + 1],
                                        (long long)kernel);
        mlia_wide size = product(input->dims[i + 1] - 1, stride[i]) + pad[2 * i] + pad[2 * i + 1] + kernel;
        if (input->dims[i + 1] < 0 || kernel < 0)
            continue;
        if (size < 1 || size > INT64_MAX)
            return MLIA_SHAPE_ERROR("the result has no size in %s", axis_names[i + 1]);
        dims[i + 1] = (int64_t)size;
    }
    mlia_infer_set(infer, 0, 4, dims);
    return NULL;
}

/* --- pools --- */

/* Adaptive pools have kernel, stride and pad as their last three operands. */
static mlia_status *pool_numbers(const mlia_infer *infer, int64_t *kernel, int64_t *stride, int64_t *pad,
                                 bool *known)
{
    const mlia_attributes *attributes = infer->op->attributes;
    *known = true;
    if (infer->op->op == MLIA_OP_AVG_POOL2D_ADAPTIVE || infer->op->op == MLIA_OP_MAX_POOL2D_ADAPTIVE) {
        uint32_t first = infer->op->input_count - 3;
        bool known_parts[3];
        MLIA_TRY(mlia_infer_operand(infer, first, "kernel", 2, 1, kernel, &known_parts[0]));
        MLIA_TRY(mlia_infer_operand(infer, first + 1, "stride", 2, 1, stride, &known_parts[1]));
        MLIA_TRY(mlia_infer_operand(infer, first + 2, "pad", 4, 0, pad, &known_parts[2]));
        *known = known_parts[0] && known_parts[1] && known_parts[2];
        return NULL;
    }
    MLIA_TRY(mlia_infer_list(&attributes->kernel, "kernel", 2, 1, kernel));
    MLIA_TRY(mlia_infer_list(&attributes->stride, "stride", 2, 1, stride));
    return mlia_infer_list(&attributes->pad, "pad", 4, 0, pad);
}

mlia_status *mlia_infer_pool(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    int64_t kernel[2];
    int64_t stride[2];
    int64_t pad[4];
    bool known;
    MLIA_TRY(pool_numbers(infer, kernel, stride, pad, &known));
    if (!known)
        return NULL;
    int64_t dims[4] = {input->dims[0], 0, 0, input->dims[3]};
    for (size_t i = 0; i < 2; i++) {
        int64_t before = pad[2 * i];
        int64_t after = pad[2 * i + 1];
        if (before >= kernel[i] || after >= kernel[i])
            return MLIA_ATTRIBUTE_ERROR("pad is %lld and %lld in %s, must be below the kernel's %lld",
                                        (long long)before, (long long)after, axis_names[i + 1],
                                        (long long)kernel[i]);
        mlia_wide range = (mlia_wide)input->dims[i + 1] + before + after - kernel[i];
        MLIA_TRY(mlia_infer_window(axis_names[i + 1], input->dims[i + 1], range, stride[i], &dims[i + 1]));
    }
    mlia_infer_set(infer, 0, 4, dims);
    return NULL;
}

/* --- matrices and transforms --- */

/* MATMUL [N,H,C] · [N,C,W]; the T forms have the second matrix as [D,W,C] with D = N or 1, block-scaled ones
 * a scale behind each matrix. */
mlia_status *mlia_infer_matmul(mlia_infer *infer)
{
    bool scaled = infer->op->op == MLIA_OP_MATMUL_T_BLOCK_SCALED;
    bool transposed = infer->op->op != MLIA_OP_MATMUL;
    const mlia_graph_value *a = mlia_infer_input(infer, 0);
    const mlia_graph_value *b = mlia_infer_input(infer, scaled ? 2 : 1);
    if (scaled) {
        MLIA_TRY(mlia_infer_check_scale(infer, a, mlia_infer_input(infer, 1)));
        MLIA_TRY(mlia_infer_check_scale(infer, b, mlia_infer_input(infer, 3)));
    }
    bool batch_fits = mlia_dims_agree(a->dims[0], b->dims[0]) || (transposed && b->dims[0] == 1);
    if (!batch_fits || !mlia_dims_agree(a->dims[2], b->dims[transposed ? 2 : 1]))
        return MLIA_SHAPE_ERROR("matrices %.*s and %.*s do not fit",
                                MLIA_STR_ARG(mlia_dims_text(infer->arena, 3, a->dims)),
                                MLIA_STR_ARG(mlia_dims_text(infer->arena, 3, b->dims)));
    int64_t batch = transposed ? a->dims[0] : mlia_dims_known_one(a->dims[0], b->dims[0]);
    mlia_infer_set(infer, 0, 3, (const int64_t[]){batch, a->dims[1], b->dims[transposed ? 1 : 2]});
    return NULL;
}

/* FFT2D gives the input's shape twice, RFFT2D half of the width plus one. */
mlia_status *mlia_infer_fft2d(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    for (uint32_t i = 1; i < 3; i++)
        if (input->dims[i] > 0 && (input->dims[i] & (input->dims[i] - 1)) != 0)
            return MLIA_SHAPE_ERROR("%s %lld is not a power of two", axis_names[i],
                                    (long long)input->dims[i]);
    int64_t dims[3] = {input->dims[0], input->dims[1], input->dims[2]};
    if (infer->op->op == MLIA_OP_RFFT2D) {
        dims[2] = dims[2] < 0 ? MLIA_DIM_UNKNOWN : dims[2] / 2 + 1;
    } else {
        const mlia_graph_value *imaginary = mlia_infer_input(infer, 1);
        for (uint32_t i = 0; i < 3; i++) {
            if (!mlia_dims_agree(dims[i], imaginary->dims[i]))
                return MLIA_SHAPE_ERROR("real and imaginary part differ in dimension %u: %lld and %lld", i,
                                        (long long)dims[i], (long long)imaginary->dims[i]);
            dims[i] = mlia_dims_known_one(dims[i], imaginary->dims[i]);
        }
    }
    mlia_infer_set(infer, 0, 3, dims);
    mlia_infer_set(infer, 1, 3, dims);
    return NULL;
}

/* --- RESIZE --- */

enum { MAX_RESIZE_SIZE = 16384, MAX_RESIZE_SCALE = 2048 };

/* One axis: numerator and denominator of the scale, offset, border. */
static mlia_status *resize_axis(const char *axis, int64_t size, int64_t numerator, int64_t denominator,
                                int64_t offset, int64_t border, int64_t *result)
{
    if (numerator > MAX_RESIZE_SCALE || denominator >= 16 * numerator)
        return MLIA_SHAPE_ERROR(
            "scale %lld/%lld in %s: the numerator must be at most 2048, the scale above 1/16",
            (long long)numerator, (long long)denominator, axis);
    if (offset < -numerator || offset >= 16 * numerator)
        return MLIA_SHAPE_ERROR("offset %lld in %s must be at least -%lld and below %lld", (long long)offset,
                                axis, (long long)numerator, (long long)(16 * numerator));
    if (border < -16 * numerator || border >= numerator)
        return MLIA_SHAPE_ERROR("border %lld in %s must be at least -%lld and below %lld", (long long)border,
                                axis, (long long)(16 * numerator), (long long)numerator);
    mlia_wide range = product(size - 1, numerator) - offset + border;
    MLIA_TRY(mlia_infer_window(axis, size, range, denominator, result));
    if (size >= MAX_RESIZE_SIZE || *result >= MAX_RESIZE_SIZE)
        return MLIA_SHAPE_ERROR("sizes %lld and %lld in %s must be below 16384", (long long)size,
                                (long long)*result, axis);
    return NULL;
}

mlia_status *mlia_infer_resize(mlia_infer *infer)
{
    const mlia_graph_value *input = mlia_infer_input(infer, 0);
    int64_t scale[4];
    int64_t offset[2];
    int64_t border[2];
    bool known[3];
    MLIA_TRY(mlia_infer_operand(infer, 1, "scale", 4, 1, scale, &known[0]));
    MLIA_TRY(mlia_infer_operand(infer, 2, "offset", 2, INT64_MIN, offset, &known[1]));
    MLIA_TRY(mlia_infer_operand(infer, 3, "border", 2, INT64_MIN, border, &known[2]));
    if (!known[0] || !known[1] || !known[2])
        return NULL;
    int64_t dims[4] = {input->dims[0], 0, 0, input->dims[3]};
    for (size_t i = 0; i < 2; i++)
        MLIA_TRY(resize_axis(axis_names[i + 1], input->dims[i + 1], scale[2 * i], scale[2 * i + 1], offset[i],
                             border[i], &dims[i + 1]));
    mlia_infer_set(infer, 0, 4, dims);
    return NULL;
}
