"""Element types of MLIR, and those that TOSA 1.0 allows for its operators."""

INTEGERS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i48": 48, "i64": 64}
FLOATS = {"f32": (8, 23), "f16": (5, 10), "bf16": (8, 7), "f8E4M3FN": (4, 3), "f8E5M2": (5, 2)}
FLOAT = ("f32", "f16", "bf16")
MOVED = ("i1", "i8", "i16", "i32", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2")
CASTS = {"i1": ("i8", "i16", "i32"), "i8": ("i1", "i16", "i32") + FLOAT, "i16": ("i1", "i8", "i32") + FLOAT,
         "i32": ("i1", "i8", "i16") + FLOAT, "f16": ("i8", "i16", "i32", "f32", "f8E4M3FN", "f8E5M2"),
         "bf16": ("i8", "i16", "i32", "f32", "f8E4M3FN", "f8E5M2"),
         "f32": ("i8", "i16", "i32", "f16", "bf16", "f8E4M3FN", "f8E5M2"), "f8E4M3FN": FLOAT, "f8E5M2": FLOAT}
CONVOLUTIONS = (("i8", "i8", "i32", "i32"), ("i8", "i4", "i32", "i32"), ("i16", "i8", "i48", "i48"), ("f16", "f16", "f16", "f16"),
                ("f16", "f16", "f16", "f32"), ("bf16", "bf16", "bf16", "f32"), ("f32", "f32", "f32", "f32"),
                ("f8E4M3FN", "f8E4M3FN", "f16", "f16"), ("f8E5M2", "f8E5M2", "f16", "f16"))
PRODUCTS = (("i8", "i32"), ("i16", "i48"), ("f16", "f16"), ("f16", "f32"), ("bf16", "f32"), ("f32", "f32"), ("f8E4M3FN", "f16"),
            ("f8E5M2", "f16"))
UNARY = {**{n: FLOAT for n in "ceil cos exp floor log reciprocal rsqrt sin erf sigmoid tanh".split()}, "abs": ("i32",) + FLOAT,
         "bitwise_not": ("i8", "i16", "i32"), "clz": ("i32",), "logical_not": ("i1",), "identity": MOVED}
BINARY = {**{n: ("i32",) + FLOAT for n in "add sub maximum minimum".split()}, "pow": FLOAT, "intdiv": ("i32",),
          **{n: ("i8", "i16", "i32") for n in "bitwise_and bitwise_or bitwise_xor logical_left_shift logical_right_shift arithmetic_right_shift".split()},
          **{n: ("i1",) for n in "logical_and logical_or logical_xor".split()}}
REDUCTIONS = {"reduce_all": ("i1",), "reduce_any": ("i1",), "reduce_max": ("i8", "i16", "i32") + FLOAT,
              "reduce_min": ("i8", "i16", "i32") + FLOAT, "reduce_product": FLOAT, "reduce_sum": ("i32",) + FLOAT}


def width(element):
    """Bytes of one element in raw data."""
    return (INTEGERS[element] + 7) // 8 if element in INTEGERS else (1 + sum(FLOATS[element])) // 8
