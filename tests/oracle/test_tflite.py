"""TensorFlow Lite models that we lowered, evaluated by the public reference model of TOSA and compared with what the
LiteRT interpreter computes: recorded outputs for the small models of tests/data/tflite, the interpreter itself for whole
networks. Counts of operators are compared with the official converter's. Prints a table: operator, cases, exact ones,
largest difference."""
import collections
import json
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
from difference_table import table  # noqa: F401

PROGRAM = Path(os.environ.get("MLIA_PROGRAM", "build/mlia")).resolve()
DATA = Path(__file__).parent.parent / "data" / "tflite"
CASES = json.loads((DATA / "cases.json").read_text())["cases"]
FIXTURES = os.environ.get("MLIA_FIXTURES")
NETWORKS = sorted([*Path(FIXTURES, "models").glob("*.tflite"), *Path(FIXTURES, "calibration").glob("*.tflite")]) if FIXTURES else []
# Float networks: largest difference allowed. Weights of the keyword spotter are bytes, which the interpreter
# multiplies with activations that it quantises on the way, and TOSA does not.
TOLERANCES = {"pretrainedResnet": 1e-5, "kws_ref_model_float32": 0.02}
# The interpreter's reference kernels abort on it: some of its scales have ratios above 1.
OPTIMISED = {"mobilenet_v1_0.25_224"}


def tool(package, name):
    """A program of a Python package: among the scripts of this Python, or inside of the package's files."""
    try:
        inside = metadata.distribution(package).locate_file("bin/" + name)
    except metadata.PackageNotFoundError:
        pytest.skip(f"needs the Python package {package}")
    script = Path(sys.executable).parent / name
    return str(script if script.exists() else inside)


def mlia(*args):
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def convert(model, target, *options):
    mlia("convert", model, "-o", target, *options)
    return target


def edges(tosa):
    """Names of inputs and outputs of a TOSA file."""
    segment = json.loads(mlia("inspect", tosa, "--json", "--quiet").stdout)["segments"][0]
    return [x["name"] for x in segment["inputs"]], [x["name"] for x in segment["outputs"]]


def narrow(array):
    """As TOSA has it: unsigned bytes are the bytes, INT64 is INT32."""
    if array.dtype == np.uint8:
        return array.view(np.int8)
    return array.astype(np.int32) if array.dtype == np.int64 else array


def evaluate(tosa, inputs, folder):
    """Outputs of the TOSA file, in order."""
    in_names, out_names = edges(tosa)
    assert len(in_names) == len(inputs)
    ins = [folder / f"in{i}.npy" for i in range(len(inputs))]
    outs = [folder / f"out{i}.npy" for i in range(len(out_names))]
    for path, array in zip(ins, inputs):
        np.save(path, narrow(array))
    command = [tool("tosa-tools", "tosa_reference_model"), "--tosa_file", tosa, "--flatbuffer_dir", "/", "--output_dir", "/",
               "--tosa_level", "EIGHTK", "--ofm_name", ",".join(out_names), "--ofm_file", ",".join(map(str, outs))]
    if inputs:
        command += ["--ifm_name", ",".join(in_names), "--ifm_file", ",".join(map(str, ins))]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [np.load(path) for path in outs]


def difference(expected, actual):
    if expected.dtype == np.uint8:
        actual = actual.view(np.uint8)
    assert expected.shape == actual.shape
    a, b = expected.astype(np.float64), actual.astype(np.float64)
    apart = np.where(a == b, 0.0, np.abs(a - b))
    assert not np.isnan(apart).any()
    return float(apart.max()) if apart.size else 0.0


def test_there_are_cases():
    assert len(CASES) == 97
    assert not FIXTURES or len(NETWORKS) >= 7


@pytest.mark.parametrize("name", sorted(CASES))
def test_case(name, table, tmp_path):
    case = CASES[name]
    tosa = convert(DATA / "models" / f"{name}.tflite", tmp_path / "m.tosa")
    if name == "custom_op":  # nobody can evaluate it: that it converts is all there is
        assert "CUSTOM" in json.loads(mlia("inspect", tosa, "--json").stdout)["segments"][0]["operator_types"]
        return
    inputs = [np.load(DATA / path) for path in case["inputs"]]
    outputs = evaluate(tosa, inputs, tmp_path)
    assert len(outputs) == len(case["outputs"])
    worst = max(difference(np.load(DATA / path), actual) for path, actual in zip(case["outputs"], outputs))
    for operator in case["ops"]:
        row = table[operator]
        row[0] += 1
        row[1] += worst == 0
        row[2] = max(row[2], worst)
    assert worst <= case["tolerance"]


@pytest.mark.parametrize("state", ["io", "zero"])
@pytest.mark.parametrize("name", ["lstm_i8", "lstm_f32_full", "svdf_i8", "svdf_rnn_f32", "variables"])
def test_state(name, state, tmp_path):
    """The first run is the same however state is kept; as inputs it starts at the recorded initial value."""
    case = CASES[name]
    tosa = convert(DATA / "models" / f"{name}.tflite", tmp_path / "m.tosa", "--tflite-state", state, "--quiet")
    inputs = [np.load(DATA / path) for path in case["inputs"]]
    if state == "io":
        segment = json.loads(mlia("inspect", tosa, "--json", "--quiet").stdout)["segments"][0]
        initial = {"h": 3 if name == "lstm_i8" else 0, "var1": None}
        for tensor in segment["inputs"][len(inputs):]:
            kind = {"INT8": np.int8, "INT16": np.int16, "INT32": np.int32, "FP32": np.float32}[tensor["type"]]
            value = initial.get(tensor["name"], 0)
            if value is None:
                pytest.skip("the initial value is in the model alone")
            inputs.append(np.full(tensor["shape"], value, kind))
    outputs = evaluate(tosa, inputs, tmp_path)
    for path, actual in zip(case["outputs"], outputs):
        assert difference(np.load(DATA / path), actual) <= case["tolerance"]


@pytest.mark.skipif(not FIXTURES, reason="MLIA_FIXTURES is not set")
@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.stem)
def test_network(path, tmp_path):
    """Bit by bit on bytes."""
    litert = pytest.importorskip("ai_edge_litert.interpreter", reason="needs the Python package ai-edge-litert")
    resolver = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES if path.stem in OPTIMISED else litert.OpResolverType.BUILTIN_REF
    interpreter = litert.Interpreter(str(path), experimental_op_resolver_type=resolver)
    interpreter.allocate_tensors()
    tosa = convert(path, tmp_path / "m.tosa", "--quiet")
    random = np.random.default_rng(7)
    for _ in range(1 if path.stem in OPTIMISED else 3):
        inputs = []
        for detail in interpreter.get_input_details():
            if np.issubdtype(detail["dtype"], np.integer):
                limits = np.iinfo(detail["dtype"])
                array = random.integers(limits.min, limits.max + 1, detail["shape"]).astype(detail["dtype"])
            else:
                array = random.normal(size=detail["shape"]).astype(np.float32)
            interpreter.set_tensor(detail["index"], array)
            inputs.append(array)
        interpreter.invoke()
        expected = [interpreter.get_tensor(detail["index"]) for detail in interpreter.get_output_details()]
        worst = max(map(difference, expected, evaluate(tosa, inputs, tmp_path)))
        assert worst <= TOLERANCES.get(path.stem, 0)


def operators(mlir):
    """Operators of a TOSA MLIR text without constants."""
    names = re.findall(r"(?:^|= )\s*\"?tosa\.([a-z0-9_]+)", mlir, re.MULTILINE)
    return collections.Counter(name for name in names if name not in ("const", "const_shape"))


@pytest.mark.skipif(not FIXTURES, reason="MLIA_FIXTURES is not set")
@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.stem)
def test_no_more_operators_than_the_official_converter(path, tmp_path):
    official = tmp_path / "official.mlir"
    subprocess.run([tool("tosa-converter-for-tflite", "tosa-converter-for-tflite"), path, "-o", official, "--text"], check=True,
                   capture_output=True)
    ours = convert(path, tmp_path / "ours.tosamlir", "--quiet")
    theirs, own = operators(official.read_text()), operators(ours.read_text())
    assert own.total() > 0
    assert own.total() <= theirs.total(), (own - theirs, theirs - own)


@pytest.mark.parametrize("name", ["conv2d_i8_same_relu6", "softmax_i8", "lstm_i8", "if_op", "resize_bilinear_i8"])
def test_model_converter_takes_it(name, tmp_path):
    """What we write as MLIR for VGF is accepted by the public model converter, with our names in its debug information."""
    converter = tool("ai-ml-sdk-model-converter", "model-converter")
    mlir = convert(DATA / "models" / f"{name}.tflite", tmp_path / "m.tosamlir", "--tflite-state", "io", "--quiet")
    if "cond_if" in mlir.read_text():
        pytest.skip("VGF has no control flow")
    vgf = tmp_path / "m.vgf"
    done = subprocess.run([converter, "--input", mlir, "--output", vgf, "--emit-debug-info"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(mlia("check", vgf, "-t", "neural-technology", "--compatibility", "--no-output", "--json", "--quiet").stdout)
    origins = {entity["attributes"].get("origin") for entity in found["results"][0]["entities"] if entity["kind"] == "source_operator"}
    assert "operator/0" in origins
