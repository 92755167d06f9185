"""Makers of element-wise operators: unary, binary, comparisons, choice, quantisation, casts."""
import numpy as np

from tflite_random import BOOL, F, F16, I16, I32, I64, I8, NONE, RELU, RELU6, RELU_N1, U8, maker, pack4

FULL = {I8: np.arange(-128, 128, dtype=np.int8), U8: np.arange(256, dtype=np.uint8),
        I16: np.unique(np.clip(np.arange(-32768, 32768 + 37, 37), -32768, 32767)).astype(np.int16)}
FLOAT_TOLERANCE = 4e-6
QUANTISED_UNARY = {
    "ABS": (F, I8, I16, I32), "NEG": (F, I32, I64), "EXP": (F, I8, I16), "LOG": (F, I8, I16), "RSQRT": (F, I8, I16), "SQRT": (F, I8, I16),
    "GELU": (F, I8, I16), "ELU": (F, I8), "HARD_SWISH": (F, I8, U8), "LOGISTIC": (F, I8, U8, I16), "TANH": (F, I8, U8, I16),
    "SIGN": (F, I32), "FLOOR": (F,), "CEIL": (F,), "ROUND": (F,), "SIN": (F,), "COS": (F,), "SQUARE": (F,)}
EXACT_FLOAT = {"ABS", "NEG", "SIGN", "FLOOR", "CEIL", "ROUND", "SQUARE", "RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "LEAKY_RELU",
               "PRELU"}


def result_of(case, kind, dtype, scale):
    """Quantisation of a unary operator's result."""
    if kind == "LOGISTIC":
        return {I8: (1 / 256, -128), U8: (1 / 256, 0), I16: (1 / 32768, 0)}[dtype]
    if kind == "TANH":
        return {I8: (1 / 128, 0), U8: (1 / 128, 128), I16: (1 / 32768, 0)}[dtype]
    if dtype == I16:  # tables whose neighbours are 2^15 apart wrap in the kernel, and TOSA does not have them
        top = scale * 32768
        reach = {"EXP": np.exp(min(top, 20)), "LOG": 4 + abs(np.log(128 * scale)), "RSQRT": 128 / np.sqrt(scale * 128), "SQRT": np.sqrt(top)}.get(kind, top)
        return case.quantisation(I16, reach / 32768 * 10 ** case.r.uniform(-0.3, 0.5))
    return case.quantisation(dtype)


@maker(*QUANTISED_UNARY)
def unary(case):
    kind = case.name
    dtype = case.one(*QUANTISED_UNARY[kind])
    special = dtype == F and case.chance(0.3)
    case.tag(dtype, *(["special"] if special else []))
    if dtype == F:
        positive = kind in ("LOG", "RSQRT", "SQRT") and not special
        x = case.x(case.shape(0, 6), F, special=special, **(dict(low=1e-4, high=50) if positive else {}))
        if kind not in EXACT_FLOAT:
            case.allow(FLOAT_TOLERANCE, FLOAT_TOLERANCE)
    elif dtype in (I32, I64):
        x = case.x(case.shape(0, 6), dtype)
    else:
        q = case.quantisation(dtype, 10 ** case.r.uniform(-4.5, -3) if dtype == I16 else None)
        if kind in ("LOG", "RSQRT", "SQRT") and case.chance(0.7) and dtype != I16:
            q = (q[0], -128)
        low = 0 if kind in ("RSQRT", "SQRT", "LOG") and dtype == I16 else None
        values = FULL[dtype] if dtype != I16 or low is None else FULL[I16][FULL[I16] >= 0]
        if kind in ("RSQRT", "SQRT") and dtype == I8:
            values = values[values >= q[1]]
        x = case.x(values.shape, dtype, q, values)
        if dtype == I16 and kind in ("LOGISTIC", "TANH"):
            case.allow(2 if kind == "LOGISTIC" else 5)
        if dtype == I16 and kind == "SQRT":
            case.allow(1)
    q = None if dtype in (F, I32, I64) else result_of(case, kind, dtype, case.g.tensors[x]["q"][0])
    if kind == "NEG" and q:
        q = case.g.tensors[x]["q"]
    case.op(kind, [x], dtype, q, dict(approximate=case.chance(0.5)) if kind == "GELU" else None)


@maker("RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "LEAKY_RELU")
def rectifier(case):
    kind = case.name
    dtype = case.one(F, I8, U8, I16)
    case.tag(dtype)
    options = dict(alpha=case.one(0.1, 0.3, 0.01, 1.0, 1.5, 0.0, -0.2)) if kind == "LEAKY_RELU" else None
    if dtype == F:
        case.op(kind, [case.x(case.shape(0, 6), F)], F, None, options)
        return
    q = case.quantisation(dtype)
    x = case.x(FULL[dtype].shape, dtype, q, FULL[dtype])
    out = q if case.chance(0.3) else case.quantisation(dtype, q[0] * 10 ** case.r.uniform(-0.3, 0.9))
    case.op(kind, [x], dtype, out, options)


@maker()
def prelu(case):
    dtype = case.one(F, I8, U8)
    case.tag(dtype)
    shape = case.shape(1, 4)
    alpha = tuple(1 if case.chance(0.4) else d for d in shape[1 if case.chance(0.6) else 0:])
    if dtype == F:
        case.op("PRELU", [case.x(shape), case.c(case.values(alpha, F), F)], F)
        return
    q = case.quantisation(dtype)
    a = case.c(case.values(alpha, dtype), dtype, case.quantisation(dtype))
    case.op("PRELU", [case.x(shape, dtype, q), a], dtype, case.quantisation(dtype, q[0] * 10 ** case.r.uniform(0, 1)))


BINARY = {
    "ADD": (F, F, I8, I8, U8, I16, I16, I32, I64), "SUB": (F, F, I8, I8, U8, I16, I16, I32, I64), "MUL": (F, F, I8, I8, U8, I16, I16, I32, I64),
    "DIV": (F, I32, U8, I8), "MAXIMUM": (F, I8, U8, I16, I32, I64), "MINIMUM": (F, I8, U8, I16, I32, I64),
    "SQUARED_DIFFERENCE": (F, I32, I8), "FLOOR_DIV": (F, I32, I8, I16), "FLOOR_MOD": (F, I32, I64, I8, I16), "POW": (F, I32),
    "ATAN2": (F,), "BITWISE_XOR": (I8, I16, I32, U8), "RIGHT_SHIFT": (I8, I16, I32, U8)}
ACTIVATED = {"ADD", "SUB", "MUL", "DIV"}
FLOAT_BINARY = {"DIV": 1e-6, "POW": 4e-6, "ATAN2": 5e-5, "FLOOR_MOD": 2e-6}


def pair(case):
    """Shapes of two operands that broadcast."""
    shape = case.shape(0, 6)
    how = case.r.random()
    if how < 0.4:
        return shape, shape
    other = case.broadcast(shape)
    first = tuple(1 if case.chance(0.2) else d for d in shape) if how < 0.7 else shape
    return (first, other) if case.chance(0.6) else (other, first)


def whole_operands(case, kind, dtype, shapes):
    """Operands that are not quantised."""
    how = {}
    if kind == "POW":
        how = dict(low=-4, high=4)
    left = case.x(shapes[0], dtype, **how)
    if dtype == F and kind == "POW":
        case.data[0] = [np.abs(x) + np.float32(0.01) for x in case.data[0]]
        return [left, case.c(np.float32(case.one(0.5, -0.5, -1, 1, 2, 3, 4, 5, 0, 2.5, -2)), F) if case.chance(0.5)
                else case.x(shapes[1], F, low=-3, high=3)]
    if kind == "POW":
        return [left, case.c(np.int32(case.integer(0, 6)), I32)]
    right = case.values(shapes[1], dtype, low=0, high={I8: 7, U8: 7, I16: 15}.get(dtype, 31)) if kind == "RIGHT_SHIFT" else \
        case.values(shapes[1], dtype)
    if kind in ("DIV", "FLOOR_DIV", "FLOOR_MOD"):
        if dtype != F:
            right = case.values(shapes[1], dtype, low=-20 if dtype != U8 else 1, high=20)
        right = np.where((right == 0) | (right == -1), np.array(3, right.dtype), right)  # the least number by -1 has no result
    right = case.c(right, dtype) if case.chance(0.25) else case.x(shapes[1], dtype, None, right)
    return [left, right] if case.chance(0.75) or kind in ("DIV", "FLOOR_DIV", "FLOOR_MOD", "RIGHT_SHIFT", "POW") else [right, left]


@maker(*BINARY)
def binary(case):
    kind = case.name
    dtype = case.one(*BINARY[kind])
    case.tag(dtype)
    options = dict(fused_activation_function=case.one(NONE, NONE, RELU, RELU_N1, RELU6)) if kind in ACTIVATED else None
    if dtype in (I32, I64) and options:
        options = None
    shapes = pair(case)
    if kind == "ATAN2":  # the interpreter does not broadcast
        shapes = shapes[:1] * 2
    quantised = dtype in (I8, U8, I16) and kind not in ("BITWISE_XOR", "RIGHT_SHIFT", "FLOOR_DIV", "FLOOR_MOD")
    if not quantised:
        case.op(kind, whole_operands(case, kind, dtype, shapes), dtype, None, options)
        case.allow(FLOAT_BINARY.get(kind, 0), FLOAT_BINARY.get(kind, 0))
        return
    a, b = case.quantisation(dtype), case.quantisation(dtype)
    if case.chance(0.2):
        b = (a[0], b[1])
    if kind in ("MAXIMUM", "MINIMUM"):
        b = out = a
    elif kind == "MUL":
        out = case.quantisation(dtype, a[0] * b[0] * 10 ** case.r.uniform(0.2, 3))
    elif kind == "DIV":
        out = case.quantisation(dtype, a[0] / b[0] / 20 * 10 ** case.r.uniform(-0.3, 0))
    elif kind == "SQUARED_DIFFERENCE":
        out = case.quantisation(dtype, max(a[0], b[0]) ** 2 * 10 ** case.r.uniform(0, 3))
    else:
        out = case.quantisation(dtype, max(a[0], b[0]) * 10 ** case.r.uniform(-0.5, 1))
    if dtype == I16 and kind in ("ADD", "SUB"):
        options["pot_scale_int16"] = case.chance(0.3)
        if case.chance(0.3):
            bits = [case.integer(-14, -6), case.integer(-14, -6)]
            a, b, out = (2.0 ** min(bits), 0), (2.0 ** max(bits), 0), (2.0 ** max(bits), 0)
            if case.chance(0.5):
                a, b = b, a
    if kind == "DIV":  # the kernel shifts by more than 31 for results below 1, and rounds several times
        case.allow(1)
        values = [case.values(s, dtype) for s in shapes]
        values = [np.where(np.abs(v.astype(int) - z) < 16, 127 if z < 64 else 0, v).astype(dtype) for v, z in zip(values, (a[1], b[1]))]
        ins = [case.x(s, dtype, q, v) for s, q, v in zip(shapes, (a, b), values)]
    else:
        ins = [case.x(shapes[0], dtype, a), case.either(shapes[1], dtype, b)]
    case.op(kind, ins, dtype, out, options)


@maker()
def add_n(case):
    dtype = case.one(F, I32)
    case.tag(dtype)
    shape = case.shape(1, 5)
    case.op("ADD_N", [case.x(shape, dtype) for _ in range(case.integer(2, 5))], dtype)


@maker("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")
def compare(case):
    dtype = case.one(F, I32, I64, I8, U8, BOOL if case.name in ("EQUAL", "NOT_EQUAL") else F)
    special = dtype == F and case.chance(0.3)
    case.tag(dtype, *(["special"] if special else []))
    shapes = pair(case)
    a, b = case.quantisation(dtype), case.quantisation(dtype)
    if case.chance(0.5):
        b = a
    how = dict(low=-3, high=3) if dtype in (I32, I64) else {}
    if dtype == F and not special:
        values = [np.round(case.values(s, F) * 2) / 2 for s in shapes]
        ins = [case.x(s, F, None, v.astype(np.float32)) for s, v in zip(shapes, values)]
    else:
        ins = [case.x(shapes[0], dtype, a, special=special, **how), case.either(shapes[1], dtype, b, special=special, **how)]
    case.op(case.name, ins, BOOL)


@maker("LOGICAL_AND", "LOGICAL_OR", "LOGICAL_NOT")
def logical(case):
    shapes = pair(case)
    case.op(case.name, [case.x(s, BOOL) for s in shapes[:1 if case.name == "LOGICAL_NOT" else 2]], BOOL)


@maker("SELECT", "SELECT_V2")
def select(case):
    dtype = case.one(F, I32, I64, I8, U8, I16, BOOL)
    case.tag(dtype)
    q = case.quantisation(dtype)
    shape = case.shape(1, 4)
    if case.name == "SELECT":
        condition = case.one(shape, shape[:1], ())
        case.op("SELECT", [case.x(condition, BOOL), case.x(shape, dtype, q), case.either(shape, dtype, q)], dtype, q)
        return
    shapes = [case.broadcast(shape) for _ in range(3)]
    shapes[case.integer(0, 2)] = shape
    case.op("SELECT_V2", [case.x(shapes[0], BOOL), case.either(shapes[1], dtype, q), case.either(shapes[2], dtype, q)], dtype, q)


@maker()
def quantize(case):
    source = case.one(F, F, I8, U8, I16, I32)
    target = case.one(I8, U8, I16)
    case.tag(source, target)
    if source == F:
        q = case.quantisation(target)
        how = case.one("normal", "special", "ties")
        shape = case.shape(1, 5)
        if how == "ties":
            q = (2.0 ** case.integer(-8, 0), q[1])
            x = case.x(shape, F, None, (case.r.integers(-600, 600, shape) * 0.5 * q[0]).astype(np.float32))
        else:
            x = case.x(shape, F, special=how == "special")
            if how == "special":  # what no integer holds has no defined result
                case.data[0] = [np.where(np.abs(v) < 1e8, v, np.float32(7.25)) for v in case.data[0]]
        if target == I16:
            case.allow(1)
        case.op("QUANTIZE", [x], target, q)
        return
    q = (case.quantisation(I16)[0], 0) if source == I32 else case.quantisation(source)
    how = dict(low=-200000, high=200000) if source == I32 else {}
    values = FULL.get(source)
    x = case.x(values.shape, source, q, values) if values is not None else case.x((300,), source, q, **how)
    out = case.quantisation(target, q[0] * 10 ** case.r.uniform(-0.5, 1) * {I32: 1000, I16: 200}.get(source, 1) / (200 if target == I16 else 1))
    case.op("QUANTIZE", [x], target, out)


@maker()
def dequantize(case):
    dtype = case.one(I8, U8, I16, F16, "int4")
    case.tag(dtype)
    shape = case.shape(1, 5)
    if dtype == F16:
        y = case.op("DEQUANTIZE", [case.c(case.values(shape, F16), F16)], F, out=False)
        case.op("ADD", [case.x(shape), y])
        return
    axis = case.integer(0, len(shape) - 1)
    if dtype == "int4":
        t = case.g.tensor("w", shape, "int4", case.quantisation(I8, zero=0), data=pack4(case.r.integers(-8, 8, shape)))
        case.op("ADD", [case.x(shape), case.op("DEQUANTIZE", [t], F, out=False)])
        return
    q = case.quantisation(dtype)
    if case.chance(0.3) and dtype != U8:
        q = (case.r.uniform(0.001, 1, shape[axis]), [0] * shape[axis], axis)
    case.op("DEQUANTIZE", [case.x(shape, dtype, q)], F)


@maker()
def fake_quant(case):
    low = -case.r.uniform(0, 6)
    case.op("FAKE_QUANT", [case.x(case.shape(1, 5), F)], F, None,
            dict(min=low, max=low + case.r.uniform(0.1, 12) if case.chance(0.8) else abs(low) + 0.5, num_bits=case.one(8, 8, 4, 16)))
    case.allow(1e-6, 1e-6)


@maker()
def cast(case):
    source = case.one(F, F, I8, U8, I16, I32, I64, BOOL, F16)
    target = case.one(F, I8, U8, I16, I32, I64, BOOL)
    case.tag(source, target)
    how = dict(low=-40000, high=40000) if source in (I32, I64) else {}
    special = source == F and case.chance(0.4)
    x = case.x(case.shape(0, 5), source, None, special=special, **how)
    if special:  # casts of what is no number are not defined
        case.data[0] = [np.where(np.isnan(v) | ((np.abs(v) > 2e9) & (target == I64)), np.float32(-1.75), v) for v in case.data[0]]
    case.op("CAST", [x], target, None, dict(in_data_type=0, out_data_type=0), omit_options=True)
