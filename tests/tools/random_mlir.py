#!/usr/bin/env python3
"""Random TOSA modules in MLIR text: every operator of TOSA 1.0 with every legal combination of types, every spelling of
attributes, constants, names and locations that the language has, and the patterns that converters simplify.

    random_mlir.py SEED      prints the module of that seed: the same seed, the same text
"""
import random
import struct
import sys

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
NAMES = ("a", "conv2d", "layer/1;x", "größe", "名前", "with \\22quotes\\22", "tab\\09", "back\\\\slash", "", "line\\nbreak", "\\C3\\A9", "a:1:2")


def width(element):
    """Bytes of one element in raw data."""
    return (INTEGERS[element] + 7) // 8 if element in INTEGERS else (1 + sum(FLOATS[element])) // 8


class Value:
    def __init__(self, name, element, shape):
        self.name, self.element, self.shape, self.constant = name, element, tuple(shape), False


class Module:
    def __init__(self, seed, lawless=False):
        self.r, self.lawless = random.Random(seed), lawless
        self.values, self.arguments, self.lines, self.locations, self.resources = [], [], [], [], []
        self.used, self.count, self.types = set(), 0, {}
        self.style = self.r.choice(("plain", "plain", "wild"))
        self.generic = self.r.choice((0, 0.3, 1))
        self.place = self.r.choice((0, 0.5, 1))
        self.numbered = self.r.random() < 0.4
        self.early = self.chance(0.5)  # aliases in front of the module: else only whole locations may be aliases
        self.unknown = self.r.random() < 0.1  # dimensions that are not known

    # Choices.
    def chance(self, p):
        return self.r.random() < p

    def dims(self, rank, most=4):
        return [self.r.choice((1, 1, 2, 3, most)) for _ in range(rank)]

    def rank(self, least=0):
        return self.r.choice([n for n in (0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6) if n >= least])

    def blank(self):
        if self.style == "plain" or self.chance(0.9):
            return " "
        return self.r.choice(("  ", "\t", "\n    ", " // note: } \" {\n  ", "\r\n "))

    # Spelling.
    def name(self):
        self.count += 1
        if self.numbered:
            return f"%{self.count - 1}"
        return self.r.choice((f"%v{self.count}", f"%{self.r.choice('abc')}.{self.count}_x", f"%x${self.count}", f"%_{self.count}-y"))

    def shaped(self, element, shape):
        text = "tensor<" + "".join(f"{'?' if d is None else d}x" for d in shape) + element + ">"
        if self.style == "wild" and self.chance(0.1):
            alias = self.types.setdefault(text, f"!t{len(self.types)}")
            return alias
        return text

    def type(self, value):
        return self.shaped(value.element, value.shape)

    def location(self, depth=0):
        r = self.r
        kind = r.randrange((9 if self.early or depth == 0 else 8) if depth < 3 else 4)
        name = f'"{r.choice(NAMES)}"'
        if kind == 0:
            return "unknown"
        if kind <= 2:
            return name
        if kind == 3:
            return f'"dir/m.py":{r.randrange(99)}:{r.randrange(99)}'
        if kind == 4:
            return f'"m.py":{r.randrange(1, 9)}:{r.randrange(9)} to {r.choice((":9", "12:4"))}'
        if kind == 5:
            return f"{name}({self.location(depth + 1)})"
        if kind == 6:
            meta = r.choice(("", "", '<"meta">', "<[1, 2]>"))
            return f"fused{meta}[" + ", ".join(self.location(depth + 1) for _ in range(r.randrange(1, 4))) + "]"
        if kind == 7:
            return f"callsite({self.location(depth + 1)} at {self.location(depth + 1)})"
        self.locations.append(f"loc({self.location(depth + 1)})")
        return f"#loc{len(self.locations)}"

    def trailing(self):
        return f" loc({self.location()})" if self.chance(self.place) else ""

    def integer(self, element):
        bits = INTEGERS[element]
        if element == "i1":
            return self.r.choice(("true", "false", "1", "0", "0x1"))
        low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        if element == "i4":
            low += 1
        value = self.r.choice((0, 0, 1, 1, -1, 2, 3, low, high, self.r.randint(low, high), self.r.randint(-5, 5)))
        return f"0x{value & ((1 << bits) - 1):X}" if self.chance(0.05) and bits != 4 and value >= 0 else str(value)

    def real(self, element, finite=False):
        r = self.r
        if not finite and self.chance(0.1):
            exponent, mantissa = FLOATS[element]
            bits = 1 + exponent + mantissa
            return f"0x{r.choice((r.getrandbits(bits), ((1 << exponent) - 1) << mantissa, 1 << (bits - 1), 1, 0)):0{bits // 4}X}"
        big = "3.0e+38" if element in ("f32", "bf16") else "6.5e+4" if element == "f16" else "2.4e+2"
        return r.choice(("0.0", "0.0", "1.0", "1.000000e+00", "-1.0", "-0.0", "0.5", "2.0", "1.", "3.0E-2", "1.0e-7", "1.0e-45", big,
                         f"{r.uniform(-9, 9):.17g}", f"{r.gauss(0, 1):.6e}"))

    def number(self, element, finite=False):
        return self.integer(element) if element in INTEGERS else self.real(element, finite)

    def nested(self, shape, element, finite):
        if not shape:
            return self.number(element, finite)
        return f"[{(',' + self.blank()).join(self.nested(shape[1:], element, finite) for _ in range(shape[0]))}]"

    def raw(self, element, count):
        data = b""
        for _ in range(count):
            if element in INTEGERS:
                bits = INTEGERS[element]
                value = self.r.choice((0, 1, self.r.getrandbits(bits)))
                if element == "i4":
                    value = value & 7
                data += value.to_bytes(width(element), "little")
            else:
                exponent, mantissa = FLOATS[element]
                value = self.r.choice((0, self.r.getrandbits(1 + exponent + mantissa)))
                data += value.to_bytes(width(element), "little")
        return data

    def elements(self, shape, element, finite=False):
        """dense<…> of a static shape, without its type."""
        count = 1
        for d in shape:
            count *= d
        form = self.r.random()
        if count > 64:
            form = self.r.choice((0, 0.6, 0.8, 0.9))
        if form < 0.35:
            return f"dense<{self.number(element, finite)}>"
        if form < 0.75 and count <= 64:
            return f"dense<{self.nested(list(shape), element, finite)}>"
        if finite or element in ("i1", "i4"):
            return f"dense<{self.number(element, finite)}>"
        if form < 0.9:
            return f'dense<"0x{self.raw(element, self.r.choice((1, count, count))).hex().upper()}">'
        key = self.r.choice((f"r{len(self.resources)}", f'"key {len(self.resources)}"'))
        self.resources.append((key, f'"0x{struct.pack("<I", max(width(element) & -width(element), 1)).hex()}{self.raw(element, count).hex()}"'))
        return f"dense_resource<{key}>"

    # Operations.
    def operation(self, op, operands, results, attributes=(), symbols=None):
        """Writes an operation; attributes are (name, generic text, pretty text) in any order; operands values or (name, type)."""
        made = [Value(self.name(), e, s) for e, s in results]
        named = [o if isinstance(o, tuple) else (o.name, self.type(o)) for o in operands]
        for o in operands:
            self.used.add(o[0] if isinstance(o, tuple) else o.name)
        generic = self.chance(self.generic) or op in ("const",)
        attributes = list(attributes)
        if self.chance(0.5):
            self.r.shuffle(attributes)
        texts = []
        for name, plain, pretty in attributes:
            name = f'"{name}"' if generic and self.style == "wild" and self.chance(0.1) else name
            texts.append(f"{name} = {plain if generic or self.chance(0.3) and plain == pretty else pretty}" if plain is not None else name)
        extra = ['note = "} \\22 //"', "flag", "list = [1, 2.5 : f32, @s, {a = i8}]"]
        body = f",{self.blank()}".join(texts)
        left = ", ".join(v.name for v in made)
        if len(made) > 1 and self.chance(0.5) and not self.numbered:
            left = f"{made[0].name}:{len(made)}"
            base = made[0].name
            for i, v in enumerate(made):
                v.name = f"{base}#{i}"
        elif len(made) > 1 and self.numbered:
            self.count -= len(made) - 1
            base = made[0].name
            left = f"{base}:{len(made)}"
            for i, v in enumerate(made):
                v.name = f"{base}#{i}"
        types = ", ".join(t for _, t in named)
        outs = ", ".join(self.type(v) for v in made)
        outs = outs if len(made) == 1 and self.chance(0.9) else f"({outs})"
        arguments = ", ".join(n for n, _ in named)
        if generic:
            discardable = " {" + self.r.choice(extra) + "}" if self.chance(0.05) and self.style == "wild" else ""
            place = f" <{{{body}}}>" if body and not (self.chance(0.3)) else ""
            if body and not place:
                discardable = f" {{{body}}}"
            text = f'"tosa.{op}"({arguments}){place}{discardable}'
        else:
            text = f"tosa.{op} {arguments}" + (f"{self.blank()}{{{body}}}" if body or self.style == "wild" and self.chance(0.05) else "")
        self.lines.append(f"  {left}{self.blank()}= {text}{self.blank()}: ({types}) -> {outs}{self.trailing()}")
        return made

    def constant(self, element, shape, text=None, finite=False):
        text = text or self.elements(shape, element, finite)
        value = Value(self.name(), element, shape)
        value.constant = True
        spelling = f'<{{values = {text} : {self.shaped(element, shape)}}}>' if self.chance(0.8) else f'{{values = {text} : {self.shaped(element, shape)}}}'
        self.lines.append(f'  {value.name} = "tosa.const"() {spelling} : () -> {self.type(value)}{self.trailing()}')
        return value

    def shape(self, values):
        values, name = list(values), self.name()
        text = f"[{', '.join(map(str, values))}]" if values else ""
        if values and len(set(values)) == 1 and self.chance(0.5):
            text = str(values[0])
        head = "tosa.const_shape" if self.chance(0.7) else '"tosa.const_shape"()'
        open_, close = ("<{", "}>") if head.endswith(")") and self.chance(0.7) else ("{", "}")
        self.lines.append(f"  {name} = {head} {open_}values = dense<{text}> : tensor<{len(values)}xindex>{close} : () -> !tosa.shape<{len(values)}>{self.trailing()}")
        return name, f"!tosa.shape<{len(values)}>"

    def zero(self, element, free=False):
        text = f"dense<{self.integer(element) if free and element == 'i8' else 'false' if element == 'i1' else '0' if element in INTEGERS else '0.0'}>"
        if self.chance(0.2):
            text = text.replace("<", "<[").replace(">", "]>")
        return self.constant(element, [1], text)

    def operand(self, element, shape=None, least=0, constant=0.2):
        """A value of the type: one that exists, an argument, or a constant."""
        fitting = [v for v in self.values if v.element == element and (shape is None or v.shape == tuple(shape)) and len(v.shape) >= least
                   and (shape is not None or v.shape.count(None) == 0 or self.unknown)]
        if fitting and self.chance(0.75):
            return self.r.choice(fitting[-4:] if self.chance(0.7) else fitting)
        shape = self.dims(self.rank(least)) if shape is None else shape
        if self.chance(constant) and None not in shape:
            made = self.constant(element, shape)
        else:
            made = Value(f"%arg{len(self.arguments)}", element, shape)
            self.arguments.append(made)
        self.values.append(made)
        return made

    def some(self, elements):
        """One of the element types, rather one that values have."""
        if self.lawless:
            return self.r.choice(MOVED + ("i48",))
        have = [v.element for v in self.values if v.element in elements]
        return self.r.choice(have) if have and self.chance(0.8) else self.r.choice(elements)

    def nan(self):
        mode = self.r.choice(("IGNORE", "PROPAGATE", None))
        return [("nan_mode", f"#tosa.nan_mode<{mode}>", mode)] if mode else []

    def array(self, name, values, kind="i64"):
        text = f"array<{kind}: {', '.join(map(str, values))}>" if values else f"array<{kind}>"
        return name, text, text

    def local(self):
        bound = self.r.choice(("true", "false", None))
        return [("local_bound", bound, bound)] if bound else []

    def axis(self, rank):
        axis = self.r.randrange(rank)
        return axis, [("axis", f"{axis} : i32", f"{axis} : i32")]

    # Operators, one function per family.
    def unary(self):
        op = self.r.choice(list(UNARY))
        x = self.operand(self.some(UNARY[op]))
        return self.operation(op, [x], [(x.element, x.shape)])

    def partner(self, x):
        """A second operand that broadcasts with the first."""
        if self.chance(0.2):
            return x
        shape = x.shape if self.chance(0.6) else [1 if self.chance(0.5) else d for d in x.shape]
        y = self.operand(x.element, shape, constant=0.5)
        if self.chance(0.7) or None in x.shape or not x.shape:
            return y
        times = [a // b for a, b in zip(x.shape, y.shape)]  # what broadcasting does by itself
        return self.operation("tile", [y, self.shape(times)], [(x.element, x.shape)])[0]

    def pair(self, elements):
        x = self.operand(self.some(elements))
        y = self.partner(x)
        shape = [a if b == 1 else b for a, b in zip(x.shape, y.shape)]
        return ([x, y] if self.chance(0.5) else [y, x]), shape

    def binary(self):
        op = self.r.choice(list(BINARY))
        operands, shape = self.pair(BINARY[op])
        attributes = self.nan() if op in ("maximum", "minimum") else []
        if op == "arithmetic_right_shift":
            round_ = self.r.choice(("true", "false"))
            attributes = [("round", round_, round_)]
        return self.operation(op, operands, [(operands[0].element, shape)], attributes)

    def multiply(self):
        operands, shape = self.pair(("i8", "i16", "i32") + FLOAT)
        element = operands[0].element
        if element in ("i8", "i16") and all(o.constant for o in operands):  # the official converter multiplies them modulo 2^8, 2^16
            return self.reverse()
        shift = self.constant("i8", [1], f"dense<{self.r.choice((0, 0, 1, 7, 30)) if element == 'i32' else 0}>")
        return self.operation("mul", operands + [shift], [("i32" if element in INTEGERS else element, shape)])

    def compare(self):
        operands, shape = self.pair(("i32",) + FLOAT)
        return self.operation(self.r.choice(("equal", "greater", "greater_equal")), operands, [("i1", shape)])

    def select(self):
        operands, shape = self.pair(("i1", "i8", "i16", "i32") + FLOAT)
        condition = self.operand("i1", shape if self.chance(0.7) else [1] * len(shape), constant=0.4)
        return self.operation("select", [condition] + operands, [(operands[0].element, shape)])

    def clamp(self):
        x = self.operand(self.some(("i8", "i16") + FLOAT))
        if x.element in INTEGERS:
            bits = INTEGERS[x.element]
            low, high = sorted(self.r.choice((-(1 << (bits - 1)), (1 << (bits - 1)) - 1, 0, 6, -3, 5)) for _ in range(2))
            texts = f"{low} : {x.element}", f"{high} : {x.element}"
        else:
            exponent, mantissa = FLOATS[x.element]
            infinity = ((1 << exponent) - 1) << mantissa
            digits = (1 + exponent + mantissa) // 4
            low = self.r.choice(("0.0", "-1.0", "-0.0", "-3.5", f"0x{infinity | 1 << (exponent + mantissa):0{digits}X}"))
            high = self.r.choice(("6.0", "1.0", "0.5", f"0x{infinity:0{digits}X}"))
            texts = f"{low} : {x.element}", f"{high} : {x.element}"
        return self.operation("clamp", [x], [(x.element, x.shape)], [("min_val", texts[0], texts[0]), ("max_val", texts[1], texts[1])] + self.nan())

    def negate(self):
        x = self.operand(self.some(("i8", "i16", "i32") + FLOAT))
        return self.operation("negate", [x, self.zero(x.element, self.chance(0.3)), self.zero(x.element, self.chance(0.3))], [(x.element, x.shape)])

    def cast(self):
        x = self.operand(self.some(list(CASTS)))
        to = self.some(MOVED) if self.lawless else x.element if self.chance(0.1) else self.r.choice(CASTS[x.element])
        return self.operation("cast", [x], [(to, x.shape)])

    def reduce(self):
        op = self.r.choice(list(REDUCTIONS))
        x = self.operand(self.some(REDUCTIONS[op]), least=1, constant=0.4)
        axis, attributes = self.axis(len(x.shape))
        return self.operation(op, [x], [(x.element, [1 if i == axis else d for i, d in enumerate(x.shape)])],
                              attributes + (self.nan() if op in ("reduce_max", "reduce_min") else []))

    def argmax(self):
        x = self.operand(self.some(("i8", "i16", "f8E4M3FN", "f8E5M2") + FLOAT), least=1)
        axis, attributes = self.axis(len(x.shape))
        return self.operation("argmax", [x], [("i32", [d for i, d in enumerate(x.shape) if i != axis])], attributes + self.nan())

    def moved(self, least=0, constant=0.3):
        x = self.operand(self.some(MOVED), least=least, constant=constant)
        return self.operand(self.some(MOVED), self.dims(self.rank(least))) if None in x.shape else x

    def concat(self):
        x = self.moved(1)
        axis, attributes = self.axis(len(x.shape))
        parts = [x]
        for _ in range(self.r.randrange(3)):
            shape = [self.r.choice((d, 1, 2)) if i == axis else d for i, d in enumerate(x.shape)]
            parts.append(x if self.chance(0.2) else self.operand(x.element, shape))
        self.r.shuffle(parts)
        shape = [sum(p.shape[axis] for p in parts) if i == axis else d for i, d in enumerate(x.shape)]
        return self.operation("concat", parts, [(x.element, shape)], attributes)

    def pad(self, x=None, value=None):
        x = x or self.moved(1)
        pads = [self.r.choice((0, 0, 1, 2)) if self.chance(0.7) else 0 for _ in range(2 * len(x.shape))]
        fill = value or self.constant(x.element, [1], f"dense<{self.number(x.element)}>")
        return self.operation("pad", [x, self.shape(pads), fill],
                              [(x.element, [d + pads[2 * i] + pads[2 * i + 1] for i, d in enumerate(x.shape)])])

    def reshape(self):
        x = self.moved()
        count, shape = 1, []
        for d in x.shape:
            count *= d
        for prime in (2, 3, 5, 7, 11):
            while count % prime == 0:
                count //= prime
                shape.append(prime)
        shape += [count] * (count > 1) + [1] * self.r.randrange(3)
        self.r.shuffle(shape)
        while len(shape) > 6:
            shape[0:2] = [shape[0] * shape[1]]
        if self.chance(0.2):
            shape = list(x.shape)
        return self.operation("reshape", [x, self.shape(shape)], [(x.element, shape)])

    def reverse(self):
        x = self.moved(1)
        return self.operation("reverse", [x], [(x.element, x.shape)], self.axis(len(x.shape))[1])

    def slice(self):
        x = self.moved(1)
        start, size = [], []
        for d in x.shape:
            begin = self.r.randrange(d) if self.chance(0.5) else 0
            start.append(begin)
            size.append(self.r.randint(1, d - begin) if self.chance(0.6) else d - begin)
        return self.operation("slice", [x, self.shape(start), self.shape(size)], [(x.element, size)])

    def tile(self):
        x = self.moved(1)
        times = [self.r.choice((1, 1, 2)) for _ in x.shape]
        return self.operation("tile", [x, self.shape(times)], [(x.element, [a * b for a, b in zip(x.shape, times)])])

    def transpose(self):
        x = self.moved(1)
        order = list(range(len(x.shape)))
        if self.chance(0.85):
            self.r.shuffle(order)
        return self.operation("transpose", [x], [(x.element, [x.shape[i] for i in order])], [self.array("perms", order, "i32")])

    def gather(self):
        n, k, w, c = self.dims(4)
        element, scatter = self.some(MOVED[1:]), self.chance(0.5)
        w = min(w, k) if scatter else w
        values, indices = self.operand(element, [n, k, c]), self.operand("i32", [n, w])
        if not scatter:
            return self.operation("gather", [values, indices], [(element, [n, w, c])])
        return self.operation("scatter", [values, indices, self.operand(element, [n, w, c])], [(element, [n, k, c])])

    def table(self):
        element = self.some(("i8", "i16"))
        x = self.operand(element)
        table = self.constant(element, [256 if element == "i8" else 513])
        return self.operation("table", [x, table], [("i8" if element == "i8" else "i32", x.shape)])

    def resize(self):
        n, h, w, c = self.dims(4)
        element, mode = self.some(("i8", "i16") + FLOAT), self.r.choice(("NEAREST_NEIGHBOR", "BILINEAR"))
        to = {"i8": "i32", "i16": "i48"}.get(element, element) if mode == "BILINEAR" else element
        out, scale, offset, border = [], [], [], []
        for d in (h, w):
            a, b, o = self.r.choice(((1, 1, 0), (4, 2, 0), (4, 2, 1), (2, 1, -1), (2, 2, 0), (1, 1, 1), (6, 3, 0)))
            least = (d - 1) * a - o
            fitting = [e for e in range(-16 * a, a) if least + e >= 0 and (least + e) % b == 0]
            if not fitting:
                a, b, o, least, fitting = 4, 2, 0, (d - 1) * 4, [0]
            rest = self.r.choice(fitting[-2:])
            scale += [a, b]
            offset.append(o)
            border.append(rest)
            out.append((least + rest) // b + 1)
        x = self.operand(element, [n, h, w, c])
        return self.operation("resize", [x, self.shape(scale), self.shape(offset), self.shape(border)], [(to, [n] + out + [c])],
                              [("mode", f"#tosa.resize_mode<{mode}>", mode)])

    def rescale(self):
        element = self.some(("i8", "i16", "i32", "i48"))
        x = self.operand(element)
        to = self.r.choice(("i8", "i16", "i32"))
        wide = element != "i48" and self.chance(0.5)
        unsigned_in = element in ("i8", "i16") and to != "i32" and self.chance(0.3)
        unsigned_out = element in ("i8", "i16") and to != "i32" and not unsigned_in and self.chance(0.3)
        channel = len(x.shape) > 0 and x.shape[-1] is not None and self.chance(0.4)
        count = x.shape[-1] if channel else 1
        rounding = self.r.choice(("SINGLE_ROUND", "INEXACT_ROUND") + (("DOUBLE_ROUND",) if wide else ()))
        factors = [self.r.choice((1 << 30, 12345678) if wide else (1 << 14, 12345)) for _ in range(count)]
        multiplier = self.constant("i32" if wide else "i16", [count], f"dense<[{', '.join(map(str, factors))}]>")
        shift = self.constant("i8", [count], f"dense<{self.r.choice((2, 30, 14, 40))}>")
        flags = {"scale32": wide, "per_channel": channel, "input_unsigned": unsigned_in, "output_unsigned": unsigned_out}
        attributes = [(k, str(v).lower(), str(v).lower()) for k, v in flags.items()]
        return self.operation("rescale", [x, multiplier, shift, self.zero(element, True), self.zero(to, True)], [(to, x.shape)],
                              attributes + [("rounding_mode", f"#tosa.rounding_mode<{rounding}>", rounding)])

    def weight(self, element, shape):
        count = 1
        for d in shape:
            count *= d
        if element in ("i4", "i1") or self.chance(0.5):
            if self.chance(0.4):  # many zeros
                def part(rest):
                    if not rest:
                        return self.number(element, True) if self.chance(0.3) else "0" if element in INTEGERS else "0.0"
                    return f"[{', '.join(part(rest[1:]) for _ in range(rest[0]))}]"
                return self.constant(element, shape, f"dense<{part(list(shape))}>")
            return self.constant(element, shape, None if element in INTEGERS else f"dense<{self.nested(list(shape), element, False)}>")
        return self.operand(element, shape, constant=0.7 if element in INTEGERS else 0)

    def convolution(self):
        r, op = self.r, self.r.choice(("conv2d", "conv2d", "depthwise_conv2d", "conv3d", "transpose_conv2d"))
        axes = 3 if op == "conv3d" else 2
        element, weight, to, acc = r.choice(CONVOLUTIONS)
        kernel, stride, dilation = [r.choice((1, 2, 3)) for _ in range(axes)], [r.choice((1, 1, 2)) for _ in range(axes)], [r.choice((1, 1, 2)) for _ in range(axes)]
        pads, size, out = [], [], []
        for k, s, d in zip(kernel, stride, dilation):
            low, high, n = r.choice((0, 0, 1)), r.choice((0, 0, 1, 2)), r.choice((1, 2, 3))
            if op == "transpose_conv2d":
                low, high, m = r.choice((0, 1 - k)), r.choice((0, 0, 1)), r.choice((1, 2, 3))
                n = (m - 1) * s + low + high + k
                if n < 1:
                    low, high, n = 0, 0, (m - 1) * s + k
            else:
                m = (n - 1) * s - low - high + (k - 1) * d + 1
                while m < 1:
                    n, m = n + 1, m + s
            pads += [low, high]
            size.append(m)
            out.append(n)
        batch, ic, oc = r.choice((1, 2)), r.choice((1, 2, 4, 5)), r.choice((1, 2, 3))
        zero_in = self.zero(element, True)
        x = None
        fitting = [v for v in self.values if v.element == element and v.shape == (batch, *size, ic)]
        if op in ("conv2d", "depthwise_conv2d") and not fitting and self.chance(0.3):
            grow = [[0, 0]] + [[r.choice((0, 1)) if s > 1 else 0, 0] for s in size] + [[0, 0]]
            base = self.operand(element, [d - sum(g) for d, g in zip([batch, *size, ic], grow)], constant=0.1)
            fill = zero_in if self.chance(0.6) else None
            fill = fill or self.constant(element, [1], "dense<0>" if element in INTEGERS else "dense<0.0>")
            x = self.operation("pad", [base, self.shape(sum(grow, [])), fill], [(element, [batch, *size, ic])])[0]
            self.values.append(x)
        x = x or self.operand(element, [batch, *size, ic], constant=0.1)
        if op == "depthwise_conv2d":
            w, channels = self.weight(weight, [*kernel, ic, oc]), ic * oc
        else:
            w, channels = self.weight(weight, [oc, *kernel, ic]), oc
        bias = self.operand(to, [r.choice((channels, 1))], constant=0.9)
        attributes = [self.array("stride", stride), ("acc_type", acc, acc)] + self.local()
        attributes += [self.array("out_pad", pads)] if op == "transpose_conv2d" else [self.array("pad", pads), self.array("dilation", dilation)]
        return self.operation(op, [x, w, bias, zero_in, self.zero(weight, True)], [(to, [batch, *out, channels])], attributes)

    def matmul(self):
        element, to = self.r.choice(PRODUCTS)
        n, h, c, w = self.dims(4)
        return self.operation("matmul", [self.operand(element, [n, h, c]), self.operand(element, [n, c, w]), self.zero(element, True), self.zero(element, True)],
                              [(to, [n, h, w])])

    def pool(self):
        r = self.r
        average = self.chance(0.5)
        element = self.some(("i8", "i16", "f8E4M3FN", "f8E5M2") + FLOAT)
        kernel, stride, pads, size, out = [], [], [], [], []
        for _ in range(2):
            k, s = r.choice((1, 2, 3)), r.choice((1, 2))
            low, high, n = r.randrange(k), r.randrange(k), r.choice((1, 2, 3))
            m = (n - 1) * s + k - low - high
            while m < 1:
                n, m = n + 1, m + s
            kernel.append(k)
            stride.append(s)
            pads += [low, high]
            size.append(m)
            out.append(n)
        n, c = r.choice((1, 2)), r.choice((1, 3))
        x = self.operand(element, [n, *size, c])
        attributes = [self.array("kernel", kernel), self.array("stride", stride), self.array("pad", pads)]
        if not average:
            return self.operation("max_pool2d", [x], [(element, [n, *out, c])], attributes + self.nan())
        acc = "i32" if element in INTEGERS else "f16" if element.startswith("f8") else r.choice(("f16", "f32")) if element == "f16" else "f32"
        return self.operation("avg_pool2d", [x, self.zero(element, True), self.zero(element, True)], [(element, [n, *out, c])],
                              attributes + [("acc_type", acc, acc)])

    def fourier(self):
        n, h, w = self.r.choice((1, 2)), self.r.choice((1, 2, 4)), self.r.choice((2, 4, 8))
        x = self.operand("f32", [n, h, w])
        if self.chance(0.5):
            return self.operation("rfft2d", [x], [("f32", [n, h, w // 2 + 1])] * 2, self.local())
        inverse = self.r.choice(("true", "false"))
        return self.operation("fft2d", [x, self.operand("f32", [n, h, w])], [("f32", [n, h, w])] * 2, [("inverse", inverse, inverse)] + self.local())

    FAMILIES = (unary, unary, binary, binary, multiply, compare, select, clamp, negate, cast, reduce, argmax, concat, pad, reshape,
                reverse, slice, tile, transpose, gather, table, resize, rescale, convolution, matmul, pool, fourier)
    FLEXIBLE = (unary, binary, multiply, compare, select, clamp, negate, cast)  # with unknown dimensions

    LAWLESS = (unary, binary, compare, select, cast, reduce, argmax, concat, reverse, slice, tile, transpose)  # with any types

    def function(self, count):
        families = self.LAWLESS if self.lawless else self.FLEXIBLE if self.unknown else self.r.sample(self.FAMILIES, self.r.randint(1, 5)) if self.chance(0.5) else self.FAMILIES
        if self.unknown:
            for element in self.r.sample(("i8", "i32", "f32", "f16"), 2):
                self.operand(element, [None if self.chance(0.5) else d for d in self.dims(2)], constant=0)
        for _ in range(count):
            made = self.r.choice(families)(self)
            self.values += [v for v in made if max([d or 1 for d in v.shape] + [1]) <= 64]
            for v in made:
                v.made = True
        results = [v for v in self.values if v.name not in self.used and hasattr(v, "made") and self.chance(0.9)]
        if not results or self.chance(0.1):
            results += self.r.sample(self.values, 1)
        return results

    def text(self):
        results = self.function(1 if self.lawless else self.r.choice((1, 1, 2, 4, 8, 16)))
        arguments = []
        if not self.arguments and self.chance(0.5):
            self.arguments.append(Value("%arg0", "f32", (2,)))
        for a in self.arguments:
            attribute = ""
            arguments.append(f"{a.name}: {self.type(a)}{attribute}" + (f" loc({self.location()})" if self.style == "wild" and self.chance(0.2) else ""))
        types = ", ".join(self.type(v) for v in results)
        names = ", ".join(v.name for v in results)
        result = types if len(results) == 1 and self.chance(0.7) else f"({types})"
        word = self.r.choice(("return", "func.return"))
        head = f"func.func @main({', '.join(arguments)}) -> {result}"
        if self.style == "wild" and self.chance(0.3):
            head += ' attributes {note = "x"}'
        body = "\n".join(self.lines)
        text = f"{head} {{\n{body}\n  {word} {names} : {types}{self.trailing()}\n}}{self.trailing()}\n"
        if self.chance(0.5):
            name = self.r.choice(("", " @m", ' attributes {tosa.description = "d"}'))
            text = f"module{name} {{\n{text}}}{self.trailing()}\n"
        aliases = "".join(f"#loc{i + 1} = {l}\n" for i, l in enumerate(self.locations))
        types = "".join(f"{name} = {t}\n" for t, name in self.types.items())
        text = types + (aliases + text if self.early else text + aliases)
        if self.resources:
            text += "{-#\n  dialect_resources: {\n    builtin: {\n      " + ",\n      ".join(f"{k}: {b}" for k, b in self.resources) + "\n    }\n  }\n#-}\n"
        return text


def module(seed, lawless=False):
    return Module(seed, lawless).text()


if __name__ == "__main__":
    sys.stdout.write(module(int(sys.argv[1])))
