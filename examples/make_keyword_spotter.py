#!/usr/bin/env python3
"""Makes keyword_spotter.tosa and keyword_spotter.vgf: the int8 network of keyword_spotter.py with random weights.

Writes TOSA as MLIR text (locations name the module and the line of keyword_spotter.py), then lets the official model
converter (ai-ml-sdk-model-converter) write both files. Same seed, same bytes.

    python3 examples/make_keyword_spotter.py [FOLDER]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = "keyword_spotter.py"
LINES = (HERE / SOURCE).read_text().splitlines()
CLASSES = {
    "": "keyword_spotter.KeywordSpotter", "stem": "keyword_spotter.Stem", "block": "keyword_spotter.Block",
    "conv": "torch.nn.modules.conv.Conv2d", "depthwise": "torch.nn.modules.conv.Conv2d",
    "pointwise": "torch.nn.modules.conv.Conv2d", "relu": "torch.nn.modules.activation.ReLU",
    "pool": "torch.nn.modules.pooling.AdaptiveAvgPool2d", "classify": "torch.nn.modules.linear.Linear",
}


def line_of(comment):
    return next(number for number, text in enumerate(LINES, 1) if text.endswith("# " + comment))


def tensor(shape, kind):
    return f"tensor<{'x'.join(map(str, shape))}x{kind}>"


class Writer:
    """MLIR text of one function, an operation a line."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.lines = []
        self.count = 0
        self.location = "unknown"

    def at(self, node, operator, module, *frames):
        """Following operations come from `module` and the lines marked with the comments `frames`, outermost first."""
        stack = {"L__self__": ["", CLASSES[""]]}
        path = ""
        for part in module.split("."):
            path = f"{path}.{part}" if path else part
            stack["L__self__" + path] = [path, CLASSES[part.rstrip("0123456789")]]
        trace = [f'File "{SOURCE}", line {line_of(frame)}, in forward' for frame in frames]
        text = json.dumps({
            "aten_info": {"node_name": node, "operator_name": operator},
            "torch_info": {"nn_module_stack": stack, "stack_trace": trace},
        }, separators=(",", ":"))
        self.location = '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def emit(self, text):
        name = f"%{self.count}"
        self.count += 1
        self.lines.append(f"    {name} = {text} loc({self.location})")
        return name

    def const(self, values, shape, kind):
        flat = np.asarray(values).reshape(-1)
        dtype = {"i8": "<i1", "i32": "<i4"}[kind]
        data = f'"0x{flat.astype(dtype).tobytes().hex().upper()}"' if flat.size > 1 else str(int(flat[0]))
        result = tensor(shape, kind)
        return self.emit(f'"tosa.const"() <{{values = dense<{data}> : {result}}}> : () -> {result}'), result

    def call(self, name, operands, result, attributes=""):
        names = ", ".join(value for value, _ in operands)
        kinds = ", ".join(kind for _, kind in operands)
        return self.emit(f"tosa.{name} {names}{attributes} : ({kinds}) -> {result}"), result

    def rescale(self, x, shape, channels, kind_in="i32", kind_out="i8", scale=0.002, zero_in=0, zero_out=0):
        shifts = []
        multipliers = []
        for factor in scale * self.random.uniform(0.7, 1.4, channels):
            mantissa, exponent = np.frexp(factor)
            multipliers.append(int(mantissa * 2**31))
            shifts.append(31 - int(exponent))
        operands = [x, self.const(multipliers, [channels], "i32"), self.const(shifts, [channels], "i8"),
                    self.const([zero_in], [1], kind_in), self.const([zero_out], [1], kind_out)]
        per_channel = "true" if channels > 1 else "false"
        return self.call("rescale", operands, tensor(shape, kind_out),
                         " {input_unsigned = false, output_unsigned = false, per_channel = " + per_channel +
                         ", rounding_mode = SINGLE_ROUND, scale32 = true}")

    def relu(self, x):
        """Clamps at a threshold above the smallest value, so that the operator is no identity."""
        return self.call("clamp", [x], x[1], " {max_val = 127 : i8, min_val = -120 : i8}")

    def convolution(self, x, shape_in, out, kernel, stride, pad, depthwise=False):
        _, height, width, channels = shape_in
        h = (height + pad[0] + pad[1] - kernel[0]) // stride[0] + 1
        w = (width + pad[2] + pad[3] - kernel[1]) // stride[1] + 1
        weight_shape = [*kernel, channels, 1] if depthwise else [out, *kernel, channels]
        weights = self.random.integers(-127, 128, weight_shape)
        bias = self.random.integers(-2000, 2000, [out])
        shape = [1, h, w, out]
        operands = [x, self.const(weights, weight_shape, "i8"), self.const(bias, [out], "i32"),
                    self.const([-128], [1], "i8"), self.const([0], [1], "i8")]
        attributes = (" {acc_type = i32, dilation = array<i64: 1, 1>, "
                      f"pad = array<i64: {', '.join(map(str, pad))}>, stride = array<i64: {stride[0]}, {stride[1]}>}}")
        y = self.call("depthwise_conv2d" if depthwise else "conv2d", operands, tensor(shape, "i32"), attributes)
        return self.rescale(y, shape, out, zero_out=-128), shape

    def add(self, a, b, shape):
        parts = [self.rescale(x, shape, 1, "i8", "i32", scale=1.0, zero_in=-128) for x in (a, b)]
        total = self.call("add", parts, tensor(shape, "i32"))
        return self.rescale(total, shape, 1, scale=0.5, zero_out=-128)


def network():
    net = Writer(seed=20)
    shape = [1, 49, 10, 1]
    argument = tensor(shape, "i8")
    net.at("stem_conv", "aten.convolution.default", "stem.conv", "call stem", "stem")
    x, shape = net.convolution(("%arg0", argument), shape, 48, (8, 4), (2, 2), (3, 4, 1, 1))
    net.at("stem_relu", "aten.relu.default", "stem.relu", "call stem", "stem")
    x = net.relu(x)
    for index in (1, 2, 3):
        name = f"block{index}"
        shortcut = x if shape[3] == 64 else None
        net.at(f"{name}_depthwise", "aten.convolution.default", f"{name}.depthwise", f"call {name}", "depthwise")
        y, shape = net.convolution(x, shape, shape[3], (3, 3), (1, 1), (1, 1, 1, 1), depthwise=True)
        net.at(f"{name}_pointwise", "aten.convolution.default", f"{name}.pointwise", f"call {name}", "pointwise")
        y, shape = net.convolution(y, shape, 64, (1, 1), (1, 1), (0, 0, 0, 0))
        if shortcut is not None:
            net.at(f"{name}_add", "aten.add.Tensor", name, f"call {name}", "shortcut")
            y = net.add(shortcut, y, shape)
        x = y
    net.at("pool", "aten.mean.dim", "pool", "call pool")
    zero = net.const([-128], [1], "i8")
    _, height, width, channels = shape
    pooled = tensor([1, 1, 1, channels], "i8")
    x = net.call("avg_pool2d", [x, zero, zero], pooled,
                 f" {{acc_type = i32, kernel = array<i64: {height}, {width}>, pad = array<i64: 0, 0, 0, 0>,"
                 " stride = array<i64: 1, 1>}")
    net.at("classify", "aten.linear.default", "classify", "call classify")
    x, shape = net.convolution(x, [1, 1, 1, channels], 12, (1, 1), (1, 1), (0, 0, 0, 0))
    length = net.emit("tosa.const_shape {values = dense<[1, 12]> : tensor<2xindex>} : () -> !tosa.shape<2>")
    scores = net.call("reshape", [x, (length, "!tosa.shape<2>")], tensor([1, 12], "i8"))
    body = "\n".join(net.lines)
    return (f"func.func @main(%arg0: {argument}) -> {scores[1]} "
            'attributes {tf.entry_function = {inputs = "audio", outputs = "scores"}} {\n'
            f"{body}\n    return {scores[0]} : {scores[1]} loc(unknown)\n}} loc(\"keyword_spotter\")\n")


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    converter = pathlib.Path(sys.executable).parent / "model-converter"
    with tempfile.TemporaryDirectory() as temporary:
        text = pathlib.Path(temporary) / "keyword_spotter.mlir"
        text.write_text(network())
        for suffix, options in ((".tosa", ["--tosa-flatbuffer"]), (".vgf", [])):
            subprocess.run([converter, "--emit-debug-info", *options, "-i", text,
                            "-o", folder / f"keyword_spotter{suffix}"], check=True)


if __name__ == "__main__":
    main()
