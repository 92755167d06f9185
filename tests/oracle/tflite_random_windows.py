"""Makers of convolutions, fully connected layers, pools, matrix products, resizes and normalisations."""
import numpy as np

from tflite_random import BOOL, F, F16, I16, I32, I64, I8, NONE, RELU, RELU6, RELU_N1, SAME, U8, VALID, maker, pack4

HYBRID = "hybrid"


def activation(case):
    """Not TANH: convolutions of the interpreter take no notice of it."""
    return case.one(NONE, NONE, RELU, RELU6, RELU_N1)


def weights(case, kind, shape, axis, channels):
    """A constant of weights and its scales (one, or one for each channel)."""
    if kind == F:
        return case.c(case.values(shape, F), F), None
    if kind == F16:
        return case.op("DEQUANTIZE", [case.c(case.values(shape, F), F16)], F, out=False), None
    if kind == U8:
        q = case.quantisation(U8, 10 ** case.r.uniform(-3, -1.5))
        return case.c(case.values(shape, U8), U8, q), np.array([q[0]])
    count = channels if case.chance(0.65) else 1
    scales = 10 ** case.r.uniform(-3, -1.5, count)
    if case.chance(0.15):
        scales = 2.0 ** case.r.integers(-9, -4, count)
    scales = scales.astype(np.float32).astype(float)
    q = (scales, [0] * count, axis)
    if kind == "int4":
        return case.g.tensor("w", shape, "int4", q, data=pack4(case.r.integers(-7, 8, shape))), scales
    return case.c(case.values(shape, I8, low=-127, high=127), I8, q), scales


def bias_of(case, dtype, channels, scale, scales, absent=0.25):
    if case.chance(absent):
        return -1
    if scales is None or dtype == F:
        return case.c(case.values((channels,), F), F)
    q = ((scale * scales).astype(np.float32), [0] * len(scales), 0)
    wide = dtype == I16
    limit = 3000 if not case.chance(0.1) else 2 ** 20
    return case.c(case.r.integers(-limit, limit, channels), I64 if wide else I32, q)


def spread(case, scale, scales, terms, dtype):
    """Scale of a result that holds a sum of `terms` products; now and then a coarse or a fine one."""
    full = 70 if dtype != I16 else 20000 * 70
    scale = scale * float(np.max(scales)) * full * np.sqrt(terms) / (100 if dtype != I16 else 30000)
    return scale * 10 ** (case.r.uniform(-0.4, 0.6) if case.chance(0.8) else case.r.uniform(-1.5, 3))


def draw_types(case, hybrid=True, int4=True, uint8=True, int16=True):
    """(activations, weights)"""
    rows = [(F, F), (I8, I8), (I8, I8), (I8, I8), (F, F16)] + [(U8, U8)] * uint8 + [(I16, I8)] * int16 + [(I8, "int4")] * int4 + [(F, I8)] * hybrid
    return rows[case.integer(0, len(rows) - 1)]


def finish(case, kind, ins, dtype, weight, scale, scales, terms, options, **how):
    case.tag(dtype if dtype != F or weight in (F, F16) else HYBRID, *([weight] if weight in ("int4", F16) else []))
    if dtype == F:
        case.allow(1e-5, 1e-5)
        case.hybrid = weight not in (F, F16)
        case.op(kind, ins, F, None, options, **how)
        return
    q = case.quantisation(dtype, spread(case, scale, scales, terms, dtype))
    case.op(kind, ins, dtype, q, options, **how)


@maker("CONV_2D", "DEPTHWISE_CONV_2D")
def convolution(case):
    depthwise = case.name != "CONV_2D"
    dtype, weight = draw_types(case)
    kernel = (case.integer(1, 4), case.integer(1, 4))
    dilation = (1, 1) if case.chance(0.6) else (case.integer(1, 3), case.integer(1, 3))
    stride = (case.integer(1, 3), case.integer(1, 3)) if case.chance(0.6) else (1, 1)
    padding = case.one(SAME, VALID)
    size = [case.integer(1 if padding == SAME else (k - 1) * d + 1, (k - 1) * d + 8) for k, d in zip(kernel, dilation)]
    channels = case.integer(1, 6)
    if depthwise:
        multiplier = case.integer(1, 3)
        out = channels * multiplier
        shape, axis, terms = (1, *kernel, out), 3, kernel[0] * kernel[1]
    else:
        groups = case.integer(2, 3) if case.chance(0.15) and dtype != F else 1
        out = case.integer(1, 6) * groups
        shape, axis, terms = (out, *kernel, channels), 0, kernel[0] * kernel[1] * channels
        channels *= groups
    q = case.quantisation(dtype)
    x = case.x((case.integer(1, 2), *size, channels), dtype, q)
    w, scales = weights(case, weight, shape, axis, out)
    options = dict(padding=padding, stride_h=stride[0], stride_w=stride[1], dilation_h_factor=dilation[0], dilation_w_factor=dilation[1],
                   fused_activation_function=activation(case))
    if depthwise:
        options["depth_multiplier"] = multiplier
    bias = bias_of(case, dtype, out, q and q[0], scales)
    ins = [x, w, bias] if bias >= 0 else [x, w]
    finish(case, case.name, ins, dtype, weight, q and q[0], scales, terms, options)


@maker()
def transpose_conv(case):
    dtype, weight = draw_types(case, hybrid=False, int4=False)
    kernel, stride = (case.integer(1, 4), case.integer(1, 4)), (case.integer(1, 3), case.integer(1, 3))
    padding = case.one(SAME, VALID)
    size = (case.integer(1, 5), case.integer(1, 5))
    if padding == SAME:
        large = [i * s - case.integer(0, s - 1) for i, s in zip(size, stride)]
    else:
        large = [(i - 1) * s + k + case.integer(0, max(s - k, 0)) for i, s, k in zip(size, stride, kernel)]
    inner, out, batch = case.integer(1, 5), case.integer(1, 5), case.integer(1, 2)
    q = case.quantisation(dtype)
    w, scales = weights(case, weight, (out, *kernel, inner), 0, out)
    ins = [case.ints(batch, *large, out), w, case.x((batch, *size, inner), dtype, q)]
    bias = bias_of(case, dtype, out, q and q[0], scales, 0.5)
    if bias >= 0:
        ins.append(bias)
    options = dict(padding=padding, stride_h=stride[0], stride_w=stride[1], fused_activation_function=case.one(NONE, RELU, RELU6, RELU_N1))
    finish(case, "TRANSPOSE_CONV", ins, dtype, weight, q and q[0], scales, kernel[0] * kernel[1] * inner, options)


@maker("CONV_3D", "CONV_3D_TRANSPOSE")
def convolution_3d(case):
    transposed = case.name != "CONV_3D"
    kernel, stride = [case.integer(1, 3) for _ in range(3)], [case.integer(1, 2) for _ in range(3)]
    dilation = [case.integer(1, 2) for _ in range(3)] if case.chance(0.3) and not transposed else [1, 1, 1]
    padding = case.one(SAME, VALID)
    size = [case.integer(1, 3) + (0 if padding == SAME or transposed else (k - 1) * d) for k, d in zip(kernel, dilation)]
    inner, out, batch = case.integer(1, 3), case.integer(1, 3), case.integer(1, 2)
    options = dict(padding=padding, stride_d=stride[0], stride_h=stride[1], stride_w=stride[2], dilation_d_factor=dilation[0],
                   dilation_h_factor=dilation[1], dilation_w_factor=dilation[2], fused_activation_function=activation(case))
    x = case.x((batch, *size, inner))
    case.allow(1e-5, 1e-5)
    bias = [case.c(case.values((out,), F), F)] if case.chance(0.6) else []
    if not transposed:
        case.op("CONV_3D", [x, case.c(case.values((*kernel, inner, out), F), F), *bias], F, None, options)
        return
    if padding == SAME:
        large = [i * s for i, s in zip(size, stride)]
    else:
        large = [(i - 1) * s + k for i, s, k in zip(size, stride, kernel)]
    w = case.c(case.values((*kernel, out, inner), F), F)
    case.op("CONV_3D_TRANSPOSE", [case.ints(batch, *large, out), w, x, *bias], F, None, options)


@maker()
def fully_connected(case):
    dtype, weight = draw_types(case)
    shape = case.shape(1, 4, 120)
    keep = case.chance(0.4)
    inner = shape[-1] if keep or case.chance(0.6) else int(np.prod(shape))
    out = case.integer(1, 12)
    q = case.quantisation(dtype)
    x = case.x(shape, dtype, q)
    if case.chance(0.1) and weight in (F, I8) and dtype != I16 and (dtype, weight) != (F, I8):  # weights that are computed elsewhere
        wq = case.quantisation(I8, zero=0) if weight == I8 else None
        w, scales = case.x((out, inner), weight, wq), wq and np.array([wq[0]])
    else:
        w, scales = weights(case, weight, (out, inner), 0, out)
    options = dict(fused_activation_function=case.one(NONE, RELU, RELU6, RELU_N1), keep_num_dims=keep)
    ins = [x, w, bias_of(case, dtype, out, q and q[0], scales)]
    finish(case, "FULLY_CONNECTED", ins, dtype, weight, q and q[0], scales, inner, options)
    if dtype == I16:
        case.allow(1)


@maker("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D")
def pool(case):
    dtype = F if case.name == "L2_POOL_2D" else case.one(F, I8, U8, I16)
    case.tag(dtype)
    kernel = (case.integer(1, 5), case.integer(1, 5))
    padding = case.one(SAME, VALID)
    size = [case.integer(1 if padding == SAME else k, k + 8) for k in kernel]
    q = case.quantisation(dtype)
    x = case.x((case.integer(1, 2), *size, case.integer(1, 5)), dtype, q)
    if dtype == F and case.name != "MAX_POOL_2D":
        case.allow(2e-6, 2e-6)
    case.op(case.name, [x], dtype, q, dict(padding=padding, stride_h=case.integer(1, 3), stride_w=case.integer(1, 3), filter_height=kernel[0],
                                           filter_width=kernel[1], fused_activation_function=case.one(NONE, RELU, RELU6, RELU_N1)))


@maker()
def batch_matmul(case):
    dtype = case.one(F, F, I8, I8, I16, HYBRID)
    case.tag(dtype)
    batch = case.shape(0, 3, 12, 3)
    other = case.broadcast(batch) if case.chance(0.5) else batch
    if case.chance(0.3):
        batch, other = other, batch
    rows, inner, columns = case.integer(1, 6), case.integer(1, 8), case.integer(1, 6)
    left, right = (*batch, rows, inner), (*other, inner, columns)
    adj_x, adj_y = case.chance(0.3), case.chance(0.4)
    left = (*left[:-2], left[-1], left[-2]) if adj_x else left
    right = (*right[:-2], right[-1], right[-2]) if adj_y else right
    options = dict(adj_x=adj_x, adj_y=adj_y)
    if dtype == F:
        case.allow(1e-5, 1e-5)
        case.op("BATCH_MATMUL", [case.x(left), case.either(right)], F, None, options)
        return
    if dtype == HYBRID:
        case.allow(1e-5, 1e-5)
        case.hybrid = True
        w = case.c(case.values(right, I8, low=-127, high=127), I8, case.quantisation(I8, zero=0))
        case.op("BATCH_MATMUL", [case.x(left), w], F, None, options)
        return
    a, b = case.quantisation(dtype), case.quantisation(dtype)
    out = case.quantisation(dtype, spread(case, a[0], [b[0]], inner, dtype) if dtype == I8 else a[0] * b[0] * 20000 * 10 ** case.r.uniform(-0.5, 1))
    case.op("BATCH_MATMUL", [case.x(left, dtype, a), case.either(right, dtype, b)], dtype, out, options)


@maker("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
def resize(case):
    dtype = case.one(F, F, I8, U8, I16)
    mode = case.integer(0, 2)
    dyadic = case.chance(0.4)
    case.tag(dtype, *(["dyadic"] if dyadic and dtype not in (F, I16) else []))
    size = [case.one(1, 2, 4, 8) if dyadic else case.integer(1, 12) for _ in range(2)]
    target = [s * case.one(1, 2, 4) for s in size] if dyadic else [case.integer(1, 20) for _ in range(2)]
    if not dyadic and case.chance(0.08):
        target[0] = size[0] * case.integer(17, 40)
    if not dyadic and case.chance(0.08):
        size[1] = target[1] * case.integer(17, 30)
    q = case.quantisation(dtype)
    x = case.x((case.integer(1, 2), *size, case.integer(1, 4)), dtype, q)
    if case.name == "RESIZE_BILINEAR":
        if dtype == F:
            case.allow(2e-6 * float(np.abs(case.data[0][0]).max()))
        elif dtype != I8:
            case.allow(1)
    case.op(case.name, [x, case.ints(*target)], dtype, q, dict(align_corners=mode == 1, half_pixel_centers=mode == 2))


@maker()
def softmax(case):
    dtype = case.one(F, I8, I8, U8, I16)
    beta = case.one(1.0, 1.0, 0.5, 2.0, float(np.float32(case.r.uniform(0.05, 5))))
    wide = case.chance(0.15)
    target = I16 if dtype == I8 and case.chance(0.15) else dtype
    case.tag(dtype, *([target] if target != dtype else []))
    shape = (*case.shape(0, 3, 20), case.integer(300, 1200) if wide else case.integer(1, 60))
    q = case.quantisation(dtype)
    if dtype == F:
        case.allow(1e-6, 1e-6)
    x = case.x(shape, dtype, q)
    if wide and dtype != F and case.chance(0.5):
        case.data[0] = [np.full(shape, 7, v.dtype) for v in case.data[0]]
    out = {F: None, I8: (1 / 256, -128), U8: (1 / 256, 0), I16: (1 / 32768, 0)}[dtype]
    if target != dtype:
        out = (1 / 65536, -32768)
    case.op("SOFTMAX", [x], target, out, dict(beta=beta))


@maker()
def log_softmax(case):
    dtype = case.one(F, F, I8, U8)
    case.tag(dtype)
    q = case.quantisation(dtype)
    x = case.x(case.shape(1, 4), dtype, q)
    if dtype == F:
        case.allow(1e-6, 1e-5)
        if case.chance(0.3):
            case.data[0] = [v * np.float32(100) for v in case.data[0]]
    else:
        case.allow(1)
    case.op("LOG_SOFTMAX", [x], dtype, {I8: (16 / 256, 127), U8: (16 / 256, 255), F: None}[dtype])


@maker()
def l2_normalization(case):
    dtype = case.one(F, I8, U8)
    case.tag(dtype)
    q = case.quantisation(dtype)
    x = case.x(case.shape(1, 4), dtype, q)
    if dtype == F:
        case.allow(1e-6, 1e-6)
        if case.chance(0.2):
            case.data[0] = [v * np.float32(0) for v in case.data[0]]
    elif dtype == U8:
        case.allow(1)
    case.op("L2_NORMALIZATION", [x], dtype, {I8: (1 / 128, 0), U8: (1 / 128, 128), F: None}[dtype], dict(fused_activation_function=NONE))


@maker()
def local_response_normalization(case):
    case.allow(1e-6, 4e-6)
    case.op("LOCAL_RESPONSE_NORMALIZATION", [case.x(case.shape(4, 4))], F, None,
            dict(radius=case.integer(0, 6), bias=case.one(1.0, 2.0, 0.3), alpha=case.one(0.1, 1.0, 0.01), beta=case.one(0.5, 0.75, 1.0)))


@maker()
def rfft2d(case):
    lengths = [2 ** case.integer(0, 4), 2 ** case.integer(1, 4)]
    shape = (*case.shape(0, 2, 6), *[max(n + (case.integer(-1, 1) if case.chance(0.3) else 0), 1) for n in lengths])
    spectrum = case.op("RFFT2D", [case.x(shape), case.ints(*lengths)], "complex64", out=False)
    case.allow(1e-4, 1e-4)
    for kind in ("REAL", "IMAG", "COMPLEX_ABS"):
        if case.chance(0.6) or not case.outs:
            case.op(kind, [spectrum], F)


@maker("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ANY", "REDUCE_ALL")
def reduction(case):
    kind = case.name
    kinds = {"MEAN": (F, I8, I8, U8, I16, I32), "SUM": (F, I8, U8, I16, I32, I64), "REDUCE_PROD": (F, I32, I8, I16)}
    dtype = BOOL if kind in ("REDUCE_ANY", "REDUCE_ALL") else case.one(*kinds.get(kind, (F, I8, U8, I16, I32, I64)))
    case.tag(dtype)
    shape = case.shape(1, 6, 2000, 9) if case.chance(0.9) else (case.integer(1, 3), case.integer(40, 70), case.integer(40, 70))
    rank = len(shape)
    axes = case.r.choice(rank, case.integer(1, rank), replace=False)
    axes = [int(a) - (rank if case.chance(0.3) else 0) for a in axes]
    if case.chance(0.1):
        axes.append(axes[0])
    terms = int(np.prod([shape[a] for a in set(a % rank for a in axes)]))
    q = out = case.quantisation(dtype)
    if q and kind in ("MEAN", "SUM", "REDUCE_PROD"):
        out = case.quantisation(dtype, q[0] * 10 ** case.r.uniform(-0.5, 0.8) * (np.sqrt(terms) if kind == "SUM" else 1))
        if kind == "MEAN" and case.chance(0.5):
            out = q
    how = dict(low=-3, high=3) if kind == "REDUCE_PROD" and dtype in (F, I32) else {}
    if dtype == F:
        case.allow(*{"MEAN": (1e-6, 1e-5), "SUM": (1e-4, 1e-5), "REDUCE_PROD": (1e-5, 1e-5)}.get(kind, (0, 0)))
    if kind == "REDUCE_PROD" and terms > 60:
        axes, terms = axes[:1], shape[axes[0]]
    if kind == "REDUCE_PROD" and q:  # a scale that the product fits
        largest = 127 if dtype == I8 else 32767
        q = case.quantisation(dtype, case.r.uniform(0.8, 1.5) / largest)
        out = case.quantisation(dtype, (q[0] * largest * case.r.uniform(1, 1.5)) ** terms / largest)
        case.allow(0 if dtype == I8 else terms)  # its multipliers have 16 bits
    case.op(kind, [case.x(shape, dtype, q, **how), case.c(np.array(axes), I32) if len(axes) > 1 or case.chance(0.7) else case.ints(axes[0])],
            dtype, out, dict(keep_dims=case.chance(0.5)))


@maker("ARG_MAX", "ARG_MIN")
def arg(case):
    dtype = case.one(F, I8, U8, I32, BOOL if case.name == "ARG_MAX" else F)
    case.tag(dtype)
    shape = case.shape(1, 5, largest=12)
    how = dict(low=-5, high=5) if dtype in (I32,) or case.chance(0.3) and dtype not in (BOOL, U8) else {}
    result = case.one(I32, I64)
    case.op(case.name, [case.x(shape, dtype, case.quantisation(dtype), **how), case.ints(case.integer(-len(shape), len(shape) - 1))], result, None,
            dict(output_type=2 if result == I32 else 4))
