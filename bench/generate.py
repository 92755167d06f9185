"""Makes MLIR texts, each large in its own way, and large TensorFlow Lite models, for bench.py."""
import pathlib
import random
import sys


def _function(path, inputs, result, lines, value, resources=None):
    arguments = ", ".join(f"%{name}: {kind}" for name, kind in inputs)
    with path.open("w") as out:
        out.write(f"func.func @main({arguments}) -> {result} {{\n")
        for line in lines:
            out.write(f"  {line}\n")
        out.write(f"  return %{value} : {result}\n}}\n")
        if resources:
            out.write("\n{-#\n  dialect_resources: {\n    builtin: {\n")
            out.write(",\n".join(f'      {key}: "0x04000000{data.hex().upper()}"' for key, data in resources))
            out.write("\n    }\n  }\n#-}\n")
    return path


def chain(path, operators):
    """A chain of additions, each of the one before and the input."""
    kind = "tensor<1x8x8x16xi32>"
    lines = (f"%{i} = tosa.add %{i - 1 if i else 'a'}, %a : ({kind}, {kind}) -> {kind}" for i in range(operators))
    return _function(path, [("a", kind)], kind, lines, operators - 1)


def wide(path, operators):
    """Many operators of the same input, summed up as a tree."""
    kind = "tensor<1x8x8x16xi32>"
    leaves = operators // 2

    def lines():
        for i in range(leaves):
            yield f"%{i} = tosa.abs %a : ({kind}) -> {kind}"
        for i in range(leaves - 1):
            yield f"%{leaves + i} = tosa.add %{2 * i}, %{2 * i + 1} : ({kind}, {kind}) -> {kind}"

    return _function(path, [("a", kind)], kind, lines(), 2 * leaves - 2)


def small_constants(path, count):
    """An addition of a new constant of four elements each time."""
    kind = "tensor<4xi32>"

    def lines():
        for i in range(count):
            yield f'%c{i} = "tosa.const"() <{{values = dense<[{i}, {-i}, {i + 1}, 7]> : {kind}}}> : () -> {kind}'
            yield f"%{i} = tosa.add %{i - 1 if i else 'a'}, %c{i} : ({kind}, {kind}) -> {kind}"

    return _function(path, [("a", kind)], kind, lines(), count - 1)


def _weights(path, pieces, elements, element_type, spell, resources=None):
    """`pieces` additions of a constant of `elements` elements; `spell` gives the attribute of one."""
    kind = f"tensor<{elements}x{element_type}>"

    def lines():
        for i in range(pieces):
            yield f'%c{i} = "tosa.const"() <{{values = {spell(i)} : {kind}}}> : () -> {kind}'
            yield f"%{i} = tosa.add %{i - 1 if i else 'a'}, %c{i} : ({kind}, {kind}) -> {kind}"

    return _function(path, [("a", kind)], kind, lines(), pieces - 1, resources)


def hexadecimal(path, mebibytes, pieces=4):
    data = random.Random(1)
    size = (mebibytes << 20) // pieces
    return _weights(path, pieces, size // 4, "i32", lambda i: f'dense<"0x{data.randbytes(size).hex().upper()}">')


def resource(path, mebibytes, pieces=4):
    data = random.Random(2)
    size = (mebibytes << 20) // pieces
    blobs = [(f"w{i}", data.randbytes(size)) for i in range(pieces)]
    return _weights(path, pieces, size // 4, "i32", lambda i: f"dense_resource<w{i}>", blobs)


def decimal(path, elements, is_float):
    data = random.Random(3)
    if is_float:
        numbers = (f"{data.uniform(-2, 2):.6e}" for _ in range(elements))
    else:
        numbers = (str(data.randrange(-128, 128)) for _ in range(elements))
    return _weights(path, 1, elements, "f32" if is_float else "i32", lambda i: f"dense<[{', '.join(numbers)}]>")


def texts(folder):
    """Path of one text after the other."""
    yield chain(folder / "tiny.mlir", 1)
    yield chain(folder / "chain_1000.mlir", 1_000)
    yield chain(folder / "chain_20000.mlir", 20_000)
    yield chain(folder / "chain_200000.mlir", 200_000)
    yield wide(folder / "wide_20000.mlir", 20_000)
    yield small_constants(folder / "constants_20000.mlir", 20_000)
    yield hexadecimal(folder / "hex_4_MiB.mlir", 4)
    yield hexadecimal(folder / "hex_32_MiB.mlir", 32)
    yield hexadecimal(folder / "hex_1_KiB_each.mlir", 4, 4096)
    yield resource(folder / "resource_4_MiB.mlir", 4)
    yield resource(folder / "resource_32_MiB.mlir", 32)
    yield decimal(folder / "decimal_int_1M.mlir", 1 << 20, False)
    yield decimal(folder / "decimal_float_1M.mlir", 1 << 20, True)


def tflite_models(folder):
    """Large int8 models: few weights of 16 MiB each, and many layers."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/data/tflite"))
    from tflite_builder import Model  # needs numpy and flatbuffers

    def dense(path, layers, width):
        data = random.Random(4)
        model = Model()
        graph = model.graph("main")
        quantised = (0.05, 0)
        last = graph.tensor("input", [1, width], "int8", quantised)
        graph.io([last], [])
        for i in range(layers):
            weights = graph.tensor(f"w{i}", [width, width], "int8", (0.01, 0), data=data.randbytes(width * width))
            bias = graph.tensor(f"b{i}", [width], "int32", (0.0005, 0), data=bytes(4 * width))
            result = graph.tensor(f"t{i}", [1, width], "int8", quantised)
            graph.op("FULLY_CONNECTED", [last, weights, bias], [result], version=4)
            last = result
        graph.io(graph.inputs, [last])
        model.save(path)
        return path

    yield dense(folder / "dense_64_MiB.tflite", 4, 4096)
    yield dense(folder / "dense_2000_layers.tflite", 2_000, 16)
