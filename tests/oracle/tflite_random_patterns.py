"""Makers of small graphs: what writers of models put around single operators."""
import numpy as np
from flatbuffers import flexbuffers

from tflite_random import BOOL, F, I16, I32, I64, I8, NONE, RELU, RELU6, SAME, U8, VALID, maker


@maker("DYNAMIC_BATCH")
def dynamic_batch(case):
    """The batch is unknown in every signature, and stored as 1."""
    h, w, c, out = case.integer(2, 6), case.integer(2, 6), case.integer(1, 3), case.integer(1, 4)
    case.allow(1e-5, 1e-5)
    x = case.x((1, h, w, c))
    case.g.tensors[x]["signature"] = [-1, h, w, c]
    made = [case.op("CONV_2D", [x, case.c(case.values((out, 3, 3, c), F), F), case.c(case.values((out,), F), F)], F, None,
                    dict(padding=SAME, stride_h=1, stride_w=1, fused_activation_function=RELU), out=False)]
    shapes = [[-1, h, w, out]]
    if case.chance(0.5):
        made.append(case.op("MEAN", [made[-1], case.ints(1, 2)], F, None, dict(keep_dims=False), out=False))
        shapes.append([-1, out])
        flat = out
    else:
        flat = h * w * out
        if case.chance(0.5):  # the batch from SHAPE, as Keras writes it
            size = case.op("SHAPE", [made[-1]], I32, None, dict(out_type=2), out=False)
            batch = case.op("STRIDED_SLICE", [size, case.c(np.array([0]), I32), case.c(np.array([1]), I32), case.c(np.array([1]), I32)], I32, None,
                            dict(shrink_axis_mask=1), out=False)
            target = case.op("PACK", [batch, case.ints(flat)], I32, None, dict(values_count=2, axis=0), out=False)
            made.append(case.op("RESHAPE", [made[-1], target], F, out=False))
        else:
            made.append(case.op("RESHAPE", [made[-1], case.ints(-1, flat)], F, None, dict(new_shape=[-1, flat]), out=False))
        shapes.append([-1, flat])
    units = case.integer(1, 5)
    made.append(case.op("FULLY_CONNECTED", [made[-1], case.c(case.values((units, flat), F), F), -1], F, out=False))
    made.append(case.op("SOFTMAX", [made[-1]], F, None, dict(beta=1.0)))
    for t, shape in zip(made, shapes + [[-1, units]] * 2):
        case.g.tensors[t]["signature"] = shape


@maker("EDGES")
def edges(case):
    """Inputs, constants and repeated tensors as outputs; an input that nobody reads; an operator that nobody needs."""
    dtype = case.one(F, I8, U8, I32)
    case.tag(dtype)
    shape, q = case.shape(1, 4), case.quantisation(dtype)
    x, y = case.x(shape, dtype, q), case.x(shape, dtype, q)
    r = case.op("RESHAPE", [x], dtype, q, dict(new_shape=[int(np.prod(shape))]), out=False)
    m = case.op("MAXIMUM", [x, y], dtype, q, out=False)
    choices = [x, y, r, m, case.c(case.values(shape, dtype), dtype, q)]
    case.outs = [choices[int(k)] for k in case.r.integers(0, len(choices), case.integer(1, 5))]
    if case.outs.count(x) == len(case.outs):
        case.outs.append(m)


@maker("FLOAT_CHAIN")
def float_chain(case):
    case.allow(2e-5, 2e-5)
    n, channels = case.integer(4, 8), case.integer(1, 4)
    x = case.x((1, n, n, channels))
    for _ in range(case.integer(2, 7)):
        kind = case.one("CONV_2D", "DEPTHWISE_CONV_2D", "MUL", "ADD", "RELU", "LOGISTIC", "TANH", "HARD_SWISH", "AVERAGE_POOL_2D", "MAX_POOL_2D", "PAD",
                        "RESIZE_NEAREST_NEIGHBOR", "TRANSPOSE", "L2_NORMALIZATION", "GELU")
        if kind in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            out = case.integer(1, 4) if kind == "CONV_2D" else channels
            shape = (out, 2, 3, channels) if kind == "CONV_2D" else (1, 2, 3, channels)
            w = case.c(case.r.normal(size=shape) / (3 * channels), F)
            b = case.c(case.values((out,), F, low=-1, high=1), F)
            x = case.op(kind, [x, w, b], F, None, dict(padding=SAME, stride_h=1, stride_w=1, fused_activation_function=case.one(NONE, RELU6)), out=False)
            channels = out
        elif kind in ("MUL", "ADD"):
            x = case.op(kind, [x, case.c(case.values((channels,), F, low=-1.5, high=1.5), F)], F, out=False)
        elif kind.endswith("POOL_2D"):
            x = case.op(kind, [x], F, None, dict(padding=SAME, stride_h=1, stride_w=1, filter_height=2, filter_width=3), out=False)
        elif kind == "PAD":
            x = case.op(kind, [x, case.c(np.array([[0, 0], [1, 0], [0, 1], [0, 0]]), I32)], F, out=False)
        elif kind == "RESIZE_NEAREST_NEIGHBOR":
            x = case.op(kind, [x, case.ints(9, 7)], F, None, dict(half_pixel_centers=case.chance(0.5)), out=False)
        elif kind == "TRANSPOSE":
            x = case.op(kind, [x, case.c(np.array([0, 2, 1, 3]), I32)], F, out=False)
        else:
            x = case.op(kind, [x], F, out=False)
    case.outs.append(x)


@maker("QUANTISED_BETWEEN")
def quantised_between(case):
    """FLOAT32 at the edges, bytes between."""
    dtype = case.one(I8, U8, I16)
    case.tag(dtype)
    q = case.quantisation(dtype, 0.03 if dtype != I16 else 0.0002)
    x = case.op("QUANTIZE", [case.x((2, 10), F, low=-4, high=4)], dtype, q, out=False)
    out = case.quantisation(dtype, 0.2 if dtype != I16 else 0.001)
    scale = 0.01
    zero = case.integer(0, 255) if dtype == U8 else 0
    w = case.c(case.values((5, 10), U8 if dtype == U8 else I8), U8 if dtype == U8 else I8, (scale, zero))
    bias = case.c(np.zeros(5), I64 if dtype == I16 else I32, (q[0] * scale, 0))
    x = case.op("FULLY_CONNECTED", [x, w, bias], dtype, out, dict(fused_activation_function=case.one(NONE, RELU)), out=False)
    case.allow(out[0] * 1.01 if dtype == I16 else 1e-6)
    case.op("DEQUANTIZE", [x], F)


@maker("ATTENTION")
def attention(case):
    dtype = case.one(F, I8)
    case.tag(dtype)
    heads, length, depth = case.integer(1, 3), case.integer(2, 6), case.integer(1, 5)
    shape = (1, length, heads, depth)
    q = case.quantisation(dtype, 0.02)
    parts = [case.op("TRANSPOSE", [case.x(shape, dtype, q), case.c(np.array([0, 2, 1, 3]), I32)], dtype, q, out=False) for _ in range(3)]
    scores = case.op("BATCH_MATMUL", parts[:2], dtype, case.quantisation(dtype, 0.1), dict(adj_y=True), out=False)
    weights = case.op("SOFTMAX", [scores], dtype, (1 / 256, -128) if dtype == I8 else None, dict(beta=1.0), out=False)
    y = case.op("BATCH_MATMUL", [weights, parts[2]], dtype, q, out=False)
    y = case.op("TRANSPOSE", [y, case.c(np.array([0, 2, 1, 3]), I32)], dtype, q, out=False)
    case.op("RESHAPE", [y], dtype, q, dict(new_shape=[1, length, heads * depth]))
    if dtype == F:
        case.allow(1e-5, 1e-5)


@maker("COMPUTED_FILTER")
def computed_filter(case):
    """The filter is no constant."""
    kind = case.one("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
    dtype = case.one(F, I8)
    case.tag(kind, dtype)
    case.allow(*((1e-5, 1e-5) if dtype == F else (0, 0)))
    q, wq = case.quantisation(dtype), case.quantisation(dtype, 0.01, 0)
    channels, out = case.integer(1, 4), case.integer(1, 4)
    result = case.quantisation(dtype, q[0]) if q else None
    if kind == "FULLY_CONNECTED":
        zero = case.c(np.zeros(out), I32 if q else F, (q[0] * wq[0], 0) if q else None)
        case.op(kind, [case.x((3, channels), dtype, q), case.x((out, channels), dtype, wq), zero], dtype, result)
        return
    out = out if kind == "CONV_2D" else channels
    shape = (out, 2, 2, channels) if kind == "CONV_2D" else (1, 2, 2, channels)
    zero = case.c(np.zeros(out), I32 if q else F, (q[0] * wq[0], 0) if q else None)
    case.op(kind, [case.x((1, 4, 5, channels), dtype, q), case.x(shape, dtype, wq), zero], dtype, result,
            dict(padding=VALID, stride_h=1, stride_w=1, **(dict(depth_multiplier=1) if kind != "CONV_2D" else {})))


@maker("INT16_BIAS32")
def int16_bias32(case):
    """INT16 activations with a bias of 32 bits, which the options must say."""
    kind = case.one("CONV_2D", "FULLY_CONNECTED")
    case.tag(kind)
    channels, out = case.integer(1, 5), case.integer(1, 5)
    q, scales = case.quantisation(I16), 10 ** case.r.uniform(-3, -1.5, out)
    scales = scales.astype(np.float32).astype(float)
    if kind == "FULLY_CONNECTED":
        scales = scales[:1]
    wq = (scales, [0] * len(scales), 0)
    shape = (out, 2, 2, channels) if kind == "CONV_2D" else (out, channels)
    w = case.c(case.values(shape, I8, low=-127, high=127), I8, wq)
    bias = case.c(case.r.integers(-20000, 20000, out), I32, ((q[0] * scales).astype(np.float32), [0] * len(scales), 0))
    result = case.quantisation(I16, q[0] * float(scales.max()) * 300 * 10 ** case.r.uniform(-0.3, 0.5))
    options = dict(quantized_bias_type=2)
    if kind == "CONV_2D":
        options.update(padding=SAME, stride_h=1, stride_w=1)
    case.allow(1)  # the interpreter adds up in 32 bits here and takes multipliers of 32 bits
    case.op(kind, [case.x((1, 4, 5, channels) if kind == "CONV_2D" else (3, channels), I16, q), w, bias], I16, result, options)


@maker("SPARSE")
def sparse(case):
    """Compressed rows, with or without blocks, behind a DENSIFY."""
    rows, columns, block = case.integer(1, 6), case.integer(1, 5), case.one(1, 2)
    dense, segments, found, values = np.zeros((rows, columns * block), np.float32), [0], [], []
    for i in range(rows):
        for j in range(columns):
            if case.chance(0.5):
                v = case.values((block,), F)
                dense[i, j * block:(j + 1) * block] = v
                found.append(j)
                values += list(v)
        segments.append(len(found))
    if not values:
        values, found, segments = [1.0] * block, [0], [0] + [1] * rows
    sizes = dict(order=[0, 1], dims=[("dense", rows), ("csr", (1, segments), (1, found))])
    if block > 1:
        sizes = dict(order=[0, 1, 2], block_map=[1], dims=sizes["dims"] + [("dense", block)])
    t = case.g.tensor("w", (rows, columns * block), F, data=np.array(values, np.float32).tobytes(), sparsity=sizes)
    w = case.op("DENSIFY", [t], F, out=False)
    case.allow(1e-5, 1e-5)
    case.op("FULLY_CONNECTED", [case.x((2, columns * block)), w, -1], F)


@maker("COMPOSITE")
def composite(case):
    """A STABLEHLO_COMPOSITE is what its decomposition does."""
    shape = case.shape(1, 3)
    x, z = case.x(shape), case.x(shape)
    y = case.g.tensor("y", shape, F)
    case.g.op("STABLEHLO_COMPOSITE", [x, z], [y], dict(name="odml.something", decomposition_subgraph_index=1, version=1,
                                                              composite_attributes=list(flexbuffers.Dumps({}))))
    case.outs.append(y)
    inner = case.m.graph("decomposition")
    a, b, c, d = (inner.tensor(f"d{k}", shape, F) for k in range(4))
    inner.op(case.one("ADD", "MUL"), [a, b], [c])
    inner.op(case.one("NEG", "RELU", "ABS"), [c], [d])
    inner.io([a, b], [d])


@maker("LOGIC_CHAIN")
def logic_chain(case):
    """Comparisons that choose: BOOL tensors between operators."""
    dtype = case.one(F, I32, I8)
    case.tag(dtype)
    shape, q = case.shape(1, 4), case.quantisation(dtype)
    x, y = case.x(shape, dtype, q), case.x(shape, dtype, q)
    a = case.op(case.one("GREATER", "LESS_EQUAL", "EQUAL"), [x, y], BOOL, out=False)
    b = case.op("LOGICAL_NOT", [a], BOOL, out=False)
    c = case.op(case.one("LOGICAL_OR", "LOGICAL_AND"), [a, b], BOOL, out=False)
    case.op("SELECT_V2", [case.one(a, b, c), x, y], dtype, q)
    case.op(case.one("REDUCE_ANY", "REDUCE_ALL"), [case.one(a, c), case.ints(0)], BOOL, None, dict(keep_dims=case.chance(0.5)))
    case.op("CAST", [b], F, None, {}, omit_options=True)
