#!/usr/bin/env python3
"""Random TOSA modules in MLIR text: every operator of TOSA 1.0 with every legal combination of types, every spelling of
attributes, constants, names and locations that the language has, and the patterns that converters simplify.

    random_mlir.py SEED      prints the module of that seed: the same seed, the same text
"""
import sys

from random_mlir_language import Language, Value
from tosa_types import BINARY, CASTS, CONVOLUTIONS, FLOAT, FLOATS, INTEGERS, MOVED, PRODUCTS, REDUCTIONS, UNARY


class Module(Language):
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
