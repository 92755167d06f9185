"""Makers of recurrent operators (over several steps, with state), control flow, variables, and small chains of operators."""
import numpy as np

from tflite_random import BOOL, F, I16, I32, I8, NONE, RELU, RELU6, SAME, TANH, U8, VALID, maker


def weight(case, *shape, scale=0.6):
    return case.c((case.r.normal(size=shape) * scale).astype(np.float32), F)


def hybrid_or_float(case, hybrid, *shape):
    if not hybrid:
        return weight(case, *shape)
    return case.c(case.values(shape, I8, low=-127, high=127), I8, (float(np.float32(case.r.uniform(0.002, 0.008))), 0))


def cell_operands(case, n, i, p, w, cifg, peephole, projection, normal):
    """Operands 1 to 17 of a float LSTM."""
    gates = [0 if cifg and k == 0 else 1 for k in range(4)]
    ins = [w(n, i) if g else -1 for g in gates] + [w(n, p) if g else -1 for g in gates]
    ins += [(weight(case, n) if peephole and (k or not cifg) else -1) for k in range(3)]
    ins += [weight(case, n) if g else -1 for g in gates]
    return ins + [w(p, n) if projection else -1, weight(case, p) if projection and case.chance(0.5) else -1]


@maker("UNIDIRECTIONAL_SEQUENCE_LSTM", "LSTM")
def lstm(case):
    case.steps = case.integer(1, 3)
    hybrid = case.chance(0.15)
    case.tag("hybrid" if hybrid else F)
    case.allow(2e-6, 2e-6)
    case.hybrid = hybrid
    n, i, b, t = case.integer(1, 6), case.integer(1, 5), case.integer(1, 3), case.integer(1, 5)
    cifg, peephole, projection, normal = case.chance(0.3), case.chance(0.3), case.chance(0.4), case.chance(0.3)
    p = case.integer(1, 5) if projection else n
    sequence = case.name != "LSTM"
    major = sequence and case.chance(0.4)
    x = case.x(((t, b, i) if major else (b, t, i)) if sequence else (b, i))
    ins = [x] + cell_operands(case, n, i, p, lambda *s: hybrid_or_float(case, hybrid, *s), cifg, peephole, projection, normal)
    ins += [case.state((b, p)), case.state((b, n))]
    if normal:
        ins += [-1 if cifg and k == 0 else weight(case, n) for k in range(4)]
    elif case.chance(0.5):
        ins += [-1] * 4
    options = dict(fused_activation_function=case.one(TANH, TANH, TANH, RELU, RELU6) if not hybrid else TANH,
                   cell_clip=case.one(0.0, 0.0, 0.8, 3.0), proj_clip=case.one(0.0, 0.5) if projection else 0.0)
    if sequence:
        options["time_major"] = major
    case.op(case.name, ins, F, None, options)


@maker("LSTM_INTEGER")
def lstm_integer(case):
    case.steps = case.integer(1, 3)
    case.tag(I8)
    n, i, b, t = case.integer(1, 8), case.integer(1, 8), case.integer(1, 2), case.integer(1, 6)
    cifg, projection, major = case.chance(0.3), case.chance(0.4), case.chance(0.3)
    peephole = not projection and case.chance(0.4)  # with both, the interpreter takes one size for the other
    case.allow(2 if projection else 1)
    p = case.integer(1, 6) if projection else n
    qx, qh = (float(np.float32(case.r.uniform(0.005, 0.05))), case.integer(-30, 30)), (float(np.float32(case.r.uniform(0.004, 0.0078))), case.integer(-20, 20))
    hidden = (float(np.float32(case.r.uniform(0.004, 0.0078))), case.integer(-20, 20)) if projection else qh
    x = case.x((t, b, i) if major else (b, t, i), I8, qx)
    wi, wr = case.r.uniform(0.003, 0.012, 4).astype(np.float32), case.r.uniform(0.003, 0.012, 4).astype(np.float32)

    def table(scale, *shape):
        return case.c(case.values(shape, I8, low=-127, high=127), I8, (float(scale), 0))
    gates = [not (cifg and k == 0) for k in range(4)]
    cell = (2.0 ** -case.integer(10, 13), 0)
    ins = [x] + [table(s, n, i) if g else -1 for s, g in zip(wi, gates)] + [table(s, n, p) if g else -1 for s, g in zip(wr, gates)]
    ins += [case.c(case.r.integers(-32000, 32001, n), I16, (float(np.float32(case.r.uniform(1e-5, 3e-5))), 0)) if peephole and (k or not cifg) else -1
            for k in range(3)]
    ins += [case.c(case.r.integers(-2000, 2001, n), I32, (float(qx[0] * s), 0)) if g else -1 for s, g in zip(wi, gates)]
    ins += [table(0.01, p, n) if projection else -1, case.c(case.r.integers(-500, 501, p), I32, (0.01 * hidden[0], 0)) if projection and case.chance(0.5)
            else -1]
    h, c = case.state((b, p), I8, qh), case.state((b, n), I16, cell)
    case.initial[case.g.tensors[h]["name"]] = qh[1]
    ins += [h, c] + [-1] * 4
    inter = [case.g.tensor(f"i{k}", (), F) for k in range(4)] + [case.g.tensor("hidden", (), I8, hidden)]
    case.op("UNIDIRECTIONAL_SEQUENCE_LSTM", ins, I8, qh, dict(fused_activation_function=TANH, cell_clip=case.one(0.0, 0.0, 4.0),
                                                              proj_clip=0.0, time_major=major), intermediates=inter)


@maker()
def lstm_basic(case):
    case.steps = case.integer(1, 3)
    case.allow(1e-6, 1e-6)
    n, i, b = case.integer(1, 6), case.integer(1, 5), case.integer(1, 3)
    c, h = case.x((b, n)), case.x((b, n))
    ins = [case.x((b, i)), h, weight(case, 4 * n, i + n), weight(case, 4 * n), c]
    case.op("LSTM", ins, F, None, dict(kernel_type=1, fused_activation_function=TANH), results=4, out=False)
    case.outs += case.guessed[:2]


@maker("RNN", "UNIDIRECTIONAL_SEQUENCE_RNN")
def rnn(case):
    case.steps = case.integer(1, 3)
    hybrid = case.chance(0.2)
    case.tag("hybrid" if hybrid else F)
    case.allow(2e-6, 2e-6)
    case.hybrid = hybrid
    n, i, b, t = case.integer(1, 6), case.integer(1, 5), case.integer(1, 3), case.integer(1, 5)
    sequence = case.name != "RNN"
    major = sequence and case.chance(0.4)
    x = case.x(((t, b, i) if major else (b, t, i)) if sequence else (b, i))
    ins = [x, hybrid_or_float(case, hybrid, n, i), hybrid_or_float(case, hybrid, n, n), weight(case, n), case.state((b, n))]
    options = dict(fused_activation_function=case.one(TANH, TANH, RELU, RELU6, NONE))
    case.op(case.name, ins, F, None, dict(options, time_major=major) if sequence else options)


@maker("BIDIRECTIONAL_SEQUENCE_LSTM", "BIDIRECTIONAL_SEQUENCE_RNN")
def bidirectional(case):
    case.steps = case.integer(1, 2)
    case.tag(F)
    case.allow(2e-6, 2e-6)
    n, i, b, t = case.integer(1, 5), case.integer(1, 4), case.integer(1, 3), case.integer(1, 4)
    major = case.chance(0.5)
    merged = major and case.chance(0.5)  # otherwise the interpreter leaves part of the result unwritten
    x = case.x((t, b, i) if major else (b, t, i))
    options = dict(time_major=major, merge_outputs=merged, fused_activation_function=case.one(TANH, TANH, RELU))
    if case.name.endswith("RNN"):
        ins = [x]
        for _ in range(2):
            ins += [weight(case, n, i), weight(case, n, n), weight(case, n), case.state((b, n))]
        case.op(case.name, ins + [-1] * 3, F, None, options, results=1 if merged else 2)
        return
    cifg, peephole, projection = case.chance(0.3), case.chance(0.3), case.chance(0.3)
    p = case.integer(1, 4) if projection else n
    ins = [x]
    for _ in range(2):
        ins += cell_operands(case, n, i, p, lambda *s: weight(case, *s), cifg, peephole, projection, False)
    ins += [case.state((b, p)), case.state((b, n)), case.state((b, p)), case.state((b, n))] + [-1] * 9
    case.op(case.name, ins, F, None, dict(options, cell_clip=case.one(0.0, 1.0)), results=1 if merged else 2)


@maker()
def svdf(case):
    case.steps = case.integer(1, 6)
    dtype = case.one(F, I8, I8)
    case.tag(dtype)
    b, i, u, rank, memory = case.integer(1, 3), case.integer(1, 6), case.integer(1, 5), case.integer(1, 3), case.integer(1, 6)
    f = u * rank
    options = dict(rank=rank, fused_activation_function=case.one(NONE, RELU) if dtype == F else RELU)
    if dtype == F:
        case.allow(4e-6, 4e-6)
        bias = weight(case, u) if case.chance(0.6) else -1
        case.op("SVDF", [case.x((b, i)), weight(case, f, i), weight(case, f, memory), bias, case.state((b, memory * f))], F, None, options)
        return
    qx, state = case.quantisation(I8, case.r.uniform(0.01, 0.1)), float(np.float32(case.r.uniform(0.0002, 0.001)))
    wt = float(np.float32(case.r.uniform(2e-5, 1e-4)))
    bias = case.c(case.r.integers(-3000, 3001, u), I32, (state * wt, 0))
    ins = [case.x((b, i), I8, qx), case.c(case.values((f, i), I8, low=-127, high=127), I8, (0.01, 0)),
           case.c(case.r.integers(-8000, 8001, (f, memory)), I16, (wt, 0)), bias, case.state((b, memory * f), I16, (state, 0))]
    case.op("SVDF", ins, I8, case.quantisation(I8, case.r.uniform(0.01, 0.1)), options, version=3)


@maker("IF")
def branch(case):
    shape = case.shape(1, 3)
    condition = case.c(np.array(case.chance(0.5)), BOOL) if case.chance(0.2) else case.x((), BOOL, None, np.array(case.chance(0.5)))
    x, z = case.x(shape), case.x(shape)
    y = case.g.tensor("y", shape, F)
    case.g.op("IF", [condition, x, z], [y], dict(then_subgraph_index=1, else_subgraph_index=2))
    case.outs.append(y)
    for name in ("then", "else"):
        inner = case.m.graph(name)
        a, b, c, d = (inner.tensor(f"{name}{k}", shape, F) for k in range(4))
        inner.op(case.one("ADD", "MUL", "SUB"), [a, b], [c])
        inner.op(case.one("NEG", "RELU", "ABS"), [c], [d])
        inner.io([a, b], [d if case.chance(0.8) else a])


@maker("WHILE")
def loop(case):
    shape = case.shape(1, 3)
    known = case.chance(0.5)
    start = case.c(np.int32(0), I32) if known else case.x((), I32, None, np.array(case.integer(0, 2), np.int32))
    x = case.x(shape)
    i2, y = case.g.tensor("i2", (), I32), case.g.tensor("y", shape, F)
    case.g.op("WHILE", [start, x], [i2, y], dict(cond_subgraph_index=1, body_subgraph_index=2))
    case.outs += [y] if known else [i2, y]
    inner = case.m.graph("cond")
    a, b, t = inner.tensor("ci", (), I32), inner.tensor("cx", shape, F), inner.tensor("cr", (), BOOL)
    inner.op("LESS", [a, inner.const("limit", np.int32(case.integer(0, 5)), I32)], [t])
    inner.io([a, b], [t])
    inner = case.m.graph("body")
    a, b, a2, b2 = inner.tensor("bi", (), I32), inner.tensor("bx", shape, F), inner.tensor("bi2", (), I32), inner.tensor("bx2", shape, F)
    inner.op("ADD", [a, inner.const("one", np.int32(1), I32)], [a2])
    inner.op(case.one("ADD", "MUL", "SUB"), [b, inner.const("k", np.float32(0.75), F)], [b2])
    inner.io([a, b], [a2, b2])


@maker("VARIABLES")
def variables(case):
    case.steps = case.integer(1, 4)
    shape = case.shape(1, 3)
    x, handle = case.x(shape), case.g.tensor("handle", (1,), "resource")
    read, y = case.g.tensor("read", shape, F), case.g.tensor("y", shape, F)
    case.g.op("CALL_ONCE", [], [], dict(init_subgraph_index=1))
    case.g.op("VAR_HANDLE", [], [handle], dict(container="", shared_name="memory"))
    case.g.op("READ_VARIABLE", [handle], [read])
    case.g.op(case.one("ADD", "SUB", "MAXIMUM"), [x, read], [y])
    case.g.op("ASSIGN_VARIABLE", [handle, y], [])
    case.outs.append(y)
    inner = case.m.graph("init")
    start = case.values(shape, F)
    handle, c = inner.tensor("vh", (1,), "resource"), inner.const("start", start, F)
    inner.op("VAR_HANDLE", [], [handle], dict(container="", shared_name="memory"))
    inner.op("ASSIGN_VARIABLE", [handle, c], [])
    inner.io([], [])
    case.initial["memory"] = start


@maker("CHAIN")
def chain(case):
    """A small quantised network: what one operator leaves behind (types, edges of UINT8) meets the next."""
    dtype = case.one(I8, U8, I8)
    case.tag(dtype)
    q = case.quantisation(dtype)
    n, channels = case.integer(5, 9), case.integer(1, 4)
    x, previous = case.x((1, n, n, channels), dtype, q), q
    for _ in range(case.integer(2, 6)):
        kind = case.one("CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "MUL", "MAX_POOL_2D", "AVERAGE_POOL_2D", "PAD", "CONCATENATION", "TRANSPOSE", "RELU",
                        "LOGISTIC", "QUANTIZE", "RESHAPE")
        q = case.quantisation(dtype)
        if kind in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            out = case.integer(1, 4) if kind == "CONV_2D" else channels
            scale = 10 ** case.r.uniform(-2.5, -1.5)
            shape = (out, 2, 2, channels) if kind == "CONV_2D" else (1, 2, 2, channels)
            w = case.c(case.values(shape, dtype), dtype, (scale, 0 if dtype == I8 else case.integer(0, 255)))
            q = case.quantisation(dtype, previous[0] * scale * case.r.uniform(50, 300))
            zero = case.c(np.zeros(out, np.int32), I32, (previous[0] * scale, 0))
            x = case.op(kind, [x, w, zero], dtype, q, dict(padding=SAME, stride_h=1, stride_w=1, fused_activation_function=case.one(NONE, RELU6)), out=False)
            channels = out
        elif kind in ("ADD", "MUL"):
            q = case.quantisation(dtype, previous[0] * (2 if kind == "ADD" else previous[0] * 100))
            x = case.op(kind, [x, x], dtype, q, out=False)
        elif kind.endswith("POOL_2D"):
            q = previous
            x = case.op(kind, [x], dtype, q, dict(padding=SAME, stride_h=1, stride_w=1, filter_height=2, filter_width=3,
                                                  fused_activation_function=case.one(NONE, RELU)), out=False)
        elif kind == "PAD":
            q = previous
            x = case.op("PAD", [x, case.c(np.array([[0, 0], [1, 0], [0, 1], [0, 0]]), I32)], dtype, q, out=False)
        elif kind == "CONCATENATION":
            q = previous
            x = case.op("CONCATENATION", [x, x], dtype, q, dict(axis=3), out=False)
            channels *= 2
        elif kind == "TRANSPOSE":
            q = previous
            x = case.op("TRANSPOSE", [x, case.c(np.array([0, 2, 1, 3]), I32)], dtype, q, out=False)
        elif kind == "RESHAPE":
            q = previous
            x = case.op("RESHAPE", [x, case.c(np.array([1, -1, 1, channels]), I32)], dtype, q, dict(new_shape=[1, -1, 1, channels]), out=False)
        elif kind == "LOGISTIC":
            q = (1 / 256, -128 if dtype == I8 else 0)
            x = case.op("LOGISTIC", [x], dtype, q, out=False)
        else:
            q = case.quantisation(dtype, previous[0] * case.r.uniform(0.5, 3))
            x = case.op(kind, [x], dtype, q, out=False)
        previous = q
        if case.chance(0.2):
            case.outs.append(x)
    if x not in case.outs:
        case.outs.append(x)
