"""Seeded random TensorFlow Lite models of one operator (or a small pattern): the frame that all makers share.

A maker is a function of a Case: it draws types, shapes, parameters and data from `case.r`, adds operators and leaves the
shapes of results to the interpreter (`Judge.complete` in tflite_judges). MAKERS lists them by name; the modules
tflite_random_*.py register theirs. The same name and seed give the same model and the same data.
"""
import sys
import zlib
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "data" / "tflite"))
from tflite_builder import NP, OPTION_OF, OPTIONS, Model  # noqa: E402

OPTION_OF.update(STABLEHLO_COMPOSITE="StableHLOCompositeOptions", BIDIRECTIONAL_SEQUENCE_RNN="BidirectionalSequenceRNNOptions")
OPTIONS["BidirectionalSequenceRNNOptions"] = (1, 70, dict(time_major=(0, "bool", 0), fused_activation_function=(1, "i8", 0),
                                                          merge_outputs=(2, "bool", 0)))

F, F16, I8, U8, I16, I32, I64, BOOL = "float32", "float16", "int8", "uint8", "int16", "int32", "int64", "bool"
NONE, RELU, RELU_N1, RELU6, TANH = 0, 1, 2, 3, 4
SAME, VALID = 0, 1
MAKERS = {}


def maker(*names, **parameters):
    """Registers a maker, once for each name; it gets the name."""
    def register(function):
        for name in names or [function.__name__.upper()]:
            MAKERS[name] = (function, parameters)
        return function
    return register


class Case:
    def __init__(self, name, seed):
        self.name, self.seed = name, seed
        self.r = np.random.default_rng([zlib.crc32(name.encode()), seed])
        self.m = Model()
        self.g = self.m.graph("main")
        self.ins, self.outs, self.data, self.guessed, self.count = [], [], [], [], 0
        self.label = name  # row of the table: operator and type
        self.absolute = self.relative = 0.0  # differences allowed; the latter times the largest number of the result
        self.hybrid = False  # float activations, weights of bytes: judged by the same model with FLOAT32 weights
        self.steps = 1
        self.note, self.initial = "", {}
        function, parameters = MAKERS[name]
        function(self, **parameters)
        self.g.io(self.ins, self.outs)

    # ---- drawing
    def one(self, *choices):
        return choices[int(self.r.integers(len(choices)))]

    def chance(self, p):
        return bool(self.r.random() < p)

    def integer(self, low, high):
        """Both ends count."""
        return int(self.r.integers(low, high + 1))

    def shape(self, low, high, limit=400, largest=7):
        rank = self.integer(low, high)
        dims = [1 if self.chance(0.15) else self.integer(1, largest) for _ in range(rank)]
        while np.prod(dims) > limit:
            dims[int(np.argmax(dims))] //= 2
        return tuple(dims)

    def broadcast(self, shape):
        """A shape that broadcasts with `shape`."""
        kept = list(shape[self.integer(0, len(shape)):] if self.chance(0.4) else shape)
        return tuple(1 if self.chance(0.3) else d for d in kept)

    def quantisation(self, dtype, scale=None, zero=None):
        """Scale and zero point; some at the ends of what there is."""
        if dtype in (F, F16, I32, I64, BOOL):
            return None
        if scale is None:
            scale = 10 ** self.r.uniform(-3, -0.5)
            if dtype == I16:
                scale /= 256
            if self.chance(0.15):
                scale = 2.0 ** self.integer(-12, -1)
        if zero is None:
            low, high = (0, 255) if dtype == U8 else (-128, 127)
            zero = 0 if dtype == I16 else self.one(low, high, (low + high + 1) // 2) if self.chance(0.3) else self.integer(low, high)
        return float(np.float32(scale)), zero

    def values(self, shape, dtype, low=None, high=None, special=False):
        if dtype in (F, F16):
            if low is not None:
                x = self.r.uniform(low, high, shape)
            else:
                x = self.r.normal(size=shape) * self.one(0.5, 1, 3, 20)
            x = np.asarray(x, np.float32)
            if special and x.size:
                odd = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e38, -1e38, 1e-40, 0.5, -0.5, 1.5, 2.5, 3e9, -3e9], np.float32)
                where = self.r.random(shape) < 0.3
                x = np.where(where, self.r.choice(odd, shape), x).astype(np.float32)
            return x.astype(NP[dtype])
        if dtype == BOOL:
            return self.r.integers(0, 2, shape).astype(bool)
        info = np.iinfo(dtype)
        whole = low is None
        if whole:
            low, high = (info.min, info.max) if dtype in (I8, U8, I16) else (-1000, 1000)
        x = self.r.integers(low, high + 1, shape)
        if dtype in (I8, U8, I16) and whole:  # the ends more often
            x = np.where(self.r.random(shape) < 0.1, self.r.choice([info.min, info.max], shape), x)
        return np.asarray(x).astype(dtype)

    # ---- building
    def x(self, shape, dtype=F, q=None, values=None, **how):
        """A graph input with its data: one array, or one for each step."""
        t = self.g.tensor(f"x{len(self.ins)}", shape, dtype, q)
        self.ins.append(t)
        if values is None:
            values = [self.values(shape, dtype, **how) for _ in range(self.steps)]
        self.data.append(values if isinstance(values, list) else [values] * self.steps)
        return t

    def c(self, array, dtype=None, q=None):
        self.count += 1
        return self.g.const(f"c{self.count}", array, dtype, q)

    def ints(self, *values, dtype=I32):
        """A constant of indices; a single scalar when one number is given."""
        return self.c(np.array(values[0] if len(values) == 1 else values, NP[dtype]), dtype)

    def either(self, shape, dtype=F, q=None, p=0.25, **how):
        """An input, now and then a constant."""
        return self.c(self.values(shape, dtype, **how), dtype, q) if self.chance(p) and self.ins else self.x(shape, dtype, q, **how)

    def state(self, shape, dtype=F, q=None):
        self.count += 1
        return self.g.tensor(f"state{self.count}", shape, dtype, q, variable=True)

    def op(self, kind, ins, dtype=F, q=None, options=None, results=1, out=True, **how):
        """One operator; results of unknown shape. `dtype` may be a list, one for each result."""
        types = dtype if isinstance(dtype, list) else [dtype] * results
        ys = []
        for t in types:
            self.count += 1
            ys.append(self.g.tensor(f"{kind.lower()}_{self.count}", (), t, q))
        self.guessed += ys
        self.g.op(kind, ins, ys, {k: v for k, v in (options or {}).items()}, **how)
        if out:
            self.outs += ys
        return ys if len(ys) > 1 else ys[0]

    def allow(self, absolute=0.0, relative=0.0):
        self.absolute, self.relative = absolute, relative

    def tag(self, *words):
        self.label = " ".join([self.name, *map(str, words)])


def pack4(array):
    """INT4: two to a byte, low half first."""
    nibbles = np.asarray(array).reshape(-1) & 15
    if nibbles.size % 2:
        nibbles = np.append(nibbles, 0)
    return (nibbles[0::2] | (nibbles[1::2] << 4)).astype(np.uint8).tobytes()
