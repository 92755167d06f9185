"""Forms that no recorded case covers: models made on the spot, lowered, and compared with the LiteRT interpreter."""
import json
import sys

import numpy as np
import pytest

from test_tflite import DATA, convert, difference, evaluate, mlia

sys.path.insert(0, str(DATA))
litert = pytest.importorskip("ai_edge_litert.interpreter", reason="needs the Python package ai-edge-litert")
made = pytest.importorskip("make_fixtures", reason="needs the Python package flatbuffers")
F, I, TANH = made.F, made.I, made.TANH
MAKERS = {}


def maker(function):
    MAKERS[function.__name__] = function
    return function


@maker
def matrix_diag(r):
    g = made.G()
    g.op("MATRIX_DIAG", [g.x((2, 3))], (2, 3, 3))
    return g.done()


@maker
def matrix_set_diag(r):
    g = made.G()
    g.op("MATRIX_SET_DIAG", [g.x((2, 3, 5)), g.x((2, 3))], (2, 3, 5))
    g.op("MATRIX_SET_DIAG", [g.x((2, 5, 3)), g.x((2, 3))], (2, 5, 3))
    return g.done()


@maker
def dilate(r):
    g = made.G()
    g.op("DILATE", [g.x((3, 4)), g.c(np.array([2, 3]), I), g.c(np.float32(-1.5), F)], (5, 10))
    return g.done()


@maker
def segment_sum(r):
    g = made.G()
    x = g.x((5, 2, 3))
    g.op("SEGMENT_SUM", [x, g.c(np.array([0, 0, 1, 2, 3]), I)], (4, 2, 3))
    g.op("UNSORTED_SEGMENT_SUM", [x, g.c(np.array([2, -1, 0, 2, 1]), I), g.c(np.int32(4), I)], (4, 2, 3))
    return g.done()


@maker
def dynamic_slice(r):
    g = made.G()
    begin = g.op("ADD", [g.x((2,), I), g.c(np.array([0, 0]), I)], (2,), I, out=False)
    g.op("SLICE", [g.x((4, 6)), begin, g.c(np.array([2, 3]), I)], (2, 3))
    return g.done()


def weights(g, r, *shape):
    return g.c(r.normal(size=shape) * 0.5, F)


def directions(g, r, n, i):
    """Operands of one direction of a bidirectional LSTM."""
    run = [weights(g, r, n, i) for _ in range(4)] + [weights(g, r, n, n) for _ in range(4)] + [-1] * 3
    run += [weights(g, r, n) for _ in range(4)] + [-1, -1]
    return run


@maker
def bidirectional_lstm(r):
    g = made.G()
    n, i, b, t = 4, 3, 2, 3
    ins = [g.x((b, t, i))] + directions(g, r, n, i) + directions(g, r, n, i)
    ins += [g.g.tensor(f"state{k}", (b, n), F, variable=True) for k in range(4)] + [-1] * 9
    # Not merged: the interpreter leaves part of merged outputs unwritten when time is not the first dimension.
    outs = [g.g.tensor(f"out{k}", (b, t, n), F) for k in range(2)]
    g.g.op("BIDIRECTIONAL_SEQUENCE_LSTM", ins, outs, dict(fused_activation_function=TANH, time_major=False))
    g.outs += outs
    return g.done()


@maker
def bidirectional_rnn(r):
    g = made.G()
    n, i, b, t = 4, 3, 2, 3
    ins = [g.x((b, t, i))]
    for k in range(2):
        ins += [weights(g, r, n, i), weights(g, r, n, n), weights(g, r, n), g.g.tensor(f"state{k}", (b, n), F, variable=True)]
    outs = [g.g.tensor(f"out{k}", (b, t, n), F) for k in range(2)]
    g.g.op("BIDIRECTIONAL_SEQUENCE_RNN", ins + [-1] * 3, outs)
    g.outs += outs
    return g.done()


@maker
def lstm_coupled(r):
    """Time major, input gate coupled to the forget gate."""
    g = made.G()
    n, i, b, t = 4, 3, 2, 3
    ins = [g.x((t, b, i)), -1] + [weights(g, r, n, i) for _ in range(3)] + [-1] + [weights(g, r, n, n) for _ in range(3)]
    ins += [-1, -1, -1, -1] + [weights(g, r, n) for _ in range(3)] + [-1, -1]
    ins += [g.g.tensor("h", (b, n), F, variable=True), g.g.tensor("c", (b, n), F, variable=True)] + [-1] * 4
    g.op("UNIDIRECTIONAL_SEQUENCE_LSTM", ins, (t, b, n), options=dict(fused_activation_function=TANH, time_major=True))
    return g.done()


@maker
def counted_loop(r):
    """The number of trips is a constant: the loop is unrolled."""
    m = made.Model()
    g = m.graph()
    x, y, i2 = g.tensor("x", (2, 3), F), g.tensor("y", (2, 3), F), g.tensor("i2", (), I)
    g.op("WHILE", [g.const("zero", np.int32(0), I), x], [i2, y], dict(cond_subgraph_index=1, body_subgraph_index=2))
    g.io([x], [y])
    h = m.graph("cond")
    a, b, t = h.tensor("ci", (), I), h.tensor("cx", (2, 3), F), h.tensor("cr", (), made.B)
    h.op("LESS", [a, h.const("limit", np.int32(4), I)], [t])
    h.io([a, b], [t])
    h = m.graph("body")
    a, b, a2, b2 = h.tensor("bi", (), I), h.tensor("bx", (2, 3), F), h.tensor("bi2", (), I), h.tensor("bx2", (2, 3), F)
    h.op("ADD", [a, h.const("one", np.int32(1), I)], [a2])
    h.op("MUL", [b, h.const("half", np.float32(0.5), F)], [b2])
    h.io([a, b], [a2, b2])
    return m


@pytest.mark.parametrize("state", ["variable", "io"])
@pytest.mark.parametrize("name", sorted(MAKERS))
def test_made(name, state, tmp_path):
    path = tmp_path / f"{name}.tflite"
    MAKERS[name](made.rng(name)).save(path)
    kinds = litert.OpResolverType
    resolver = kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES if name == "segment_sum" else kinds.BUILTIN_REF
    interpreter = litert.Interpreter(str(path), experimental_op_resolver_type=resolver)
    interpreter.allocate_tensors()
    random = made.rng(name + "!")
    inputs = []
    for detail in interpreter.get_input_details():
        shape = detail["shape"]
        array = random.integers(0, 3, shape).astype(np.int32) if detail["dtype"] == np.int32 else random.normal(size=shape).astype(np.float32)
        interpreter.set_tensor(detail["index"], array)
        inputs.append(array)
    interpreter.invoke()
    done = convert(path, tmp_path / "m.tosa", "--tflite-state", state)
    if state == "io":
        listed = json.loads(mlia("inspect", done, "--json", "--quiet").stdout)["segments"][0]["inputs"]
        inputs += [np.zeros(tensor["shape"], np.float32) for tensor in listed[len(inputs):]]
    outputs = evaluate(done, inputs, tmp_path)
    for detail, actual in zip(interpreter.get_output_details(), outputs):
        assert difference(interpreter.get_tensor(detail["index"]), actual) <= 1e-6


@pytest.mark.parametrize("mode", ["plain", "align_corners", "half_pixel_centers"])
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int16"])
def test_bilinear_beyond_the_scales_of_tosa(dtype, mode, tmp_path):
    """By position, to the bit: sizes that RESIZE cannot say."""
    g = made.G()
    q = None if dtype == F else (0.05, 3 if dtype.endswith("int8") else 0)
    for shape, size in (((2, 37, 3, 2), (2, 7)), ((1, 5, 90, 3), (9, 4)), ((1, 1, 70, 1), (3, 3)), ((1, 3, 3, 1), (900, 2))):
        g.op("RESIZE_BILINEAR", [g.x(shape, dtype, q), g.c(np.array(size), I)], (shape[0], *size, shape[3]), dtype, q,
             {} if mode == "plain" else {mode: True})
    path = tmp_path / "far.tflite"
    g.done().save(path)
    interpreter = litert.Interpreter(str(path), experimental_op_resolver_type=litert.OpResolverType.BUILTIN_REF)
    interpreter.allocate_tensors()
    random = made.rng(dtype + mode)
    inputs = []
    for detail in interpreter.get_input_details():
        shape = detail["shape"]
        limits = np.iinfo(dtype) if q else None
        array = random.integers(limits.min, limits.max + 1, shape).astype(dtype) if q else random.normal(size=shape).astype(dtype)
        interpreter.set_tensor(detail["index"], array)
        inputs.append(array)
    interpreter.invoke()
    done = convert(path, tmp_path / "m.tosa")
    types = json.loads(mlia("inspect", done, "--json").stdout)["segments"][0]["operator_types"]
    assert "GATHER" in types and "CUSTOM" not in types
    for detail, actual in zip(interpreter.get_output_details(), evaluate(done, inputs, tmp_path)):
        assert difference(interpreter.get_tensor(detail["index"]), actual) == 0


@pytest.mark.parametrize("width", [511, 512, 1001, 1024, 2048, 4000])
def test_softmax_of_many_equal_inputs(width, tmp_path):
    """The shares of more than 511 equal inputs round to 0; the interpreter shifts by more bits than there are."""
    g = made.G()
    g.op("SOFTMAX", [g.x((2, width), "int8", (0.1, 3))], (2, width), "int8", (1 / 256, -128), dict(beta=1.0))
    g.done().save(tmp_path / "wide.tflite")
    x = np.full((2, width), 5, np.int8)
    x[1, 0] = 127
    (y,) = evaluate(convert(tmp_path / "wide.tflite", tmp_path / "m.tosa"), [x], tmp_path)
    share = np.exp(-12.2)
    first = 1 / (1 + (width - 1) * share)
    assert np.all(y[0] == (-127 if width < 512 else -128))
    assert abs(int(y[1, 0]) - min(127, round(256 * first) - 128)) <= 1 and np.all(y[1, 1:] == -128)
