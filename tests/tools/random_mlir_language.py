"""How random MLIR text is spelled: names, locations, constants, types and operations in every form that the language has."""
import random
import struct

from tosa_types import FLOATS, INTEGERS, MOVED, width

NAMES = ("a", "conv2d", "layer/1;x", "größe", "名前", "with \\22quotes\\22", "tab\\09", "back\\\\slash", "", "line\\nbreak", "\\C3\\A9", "a:1:2")


class Value:
    def __init__(self, name, element, shape):
        self.name, self.element, self.shape, self.constant = name, element, tuple(shape), False


class Language:
    """A module as far as it is written: its choices of spelling, and operations of any kind."""

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
