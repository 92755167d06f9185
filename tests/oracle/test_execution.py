"""Our VGF files, executed: the same results as the official model converter's, bit for bit, and those of the TOSA reference
model. The arrays of tests/data/vgf/exec are inputs and what the reference model makes of them."""
import json
import os
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
import run_vgf  # noqa: E402

os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]  # the tools of the environment
pytestmark = pytest.mark.skipif(bool(run_vgf.missing()), reason=f"models cannot be executed: {run_vgf.missing()}")
ROOT = Path(__file__).resolve().parents[2]
MLIA = Path(os.environ.get("MLIA_PROGRAM", ROOT / "build/mlia")).resolve()
DATA = ROOT / "tests/data/vgf"
FIXTURES = Path(os.environ["MLIA_FIXTURES"]) if "MLIA_FIXTURES" in os.environ else None
# Whole networks with the official VGF beside them.
NETWORKS = [ROOT / "examples/keyword_spotter.tosa"] + ([FIXTURES / "models/kws_ref_model.tosa"] if FIXTURES else [])
GRAPHS = sorted(file.stem for file in (DATA / "exec").glob("*.npz"))

# Largest relative difference to the reference model that the emulation layer's own arithmetic makes; all else is exact.
RELATIVE = {"08_elementwise_float": 3.3e-6, "17_fft": 4.2e-4, "19_debug_locations": 1.5e-7, "22_simplified": 2.6e-7}

LITE = ["conv2d_i4_weights", "conv2d_i8_same_relu6", "dwconv_i8_mult2", "reduce_i8", "softmax_i8", "transpose_conv_i8_same"]
SOURCE = {"18_constants": ".tosa.mlir"}  # the TOSA file has INT4 data of a length that we refuse


def convert(source, target):
    done = subprocess.run([MLIA, "convert", source, "-o", target], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def numbered(folder, name):
    """NAME0.npy, NAME1.npy … of a folder, in order."""
    return sorted(folder.glob(f"{name}*.npy"), key=lambda file: int(file.stem[len(name):]))


def assert_equal(mine, theirs):
    assert len(mine) == len(theirs) > 0
    for k, (a, b) in enumerate(zip(mine, theirs)):
        assert (a.shape, a.dtype) == (b.shape, b.dtype), f"output {k}"
        assert a.tobytes() == b.tobytes(), f"output {k}"


def assert_close(graph, k, found, expected):
    """Equal bytes, or within what the table allows."""
    assert found.nbytes == expected.nbytes and found.shape in (expected.shape, expected.shape or (1,)), f"output {k}"
    if found.tobytes() == expected.tobytes():
        return
    if (graph, k) == ("05_conv2d_float_types", 3):  # bf16: two units in the last place
        bits = [numpy.frombuffer(a.tobytes(), "<i2").astype(int) for a in (found, expected)]
        assert numpy.abs(bits[0] - bits[1]).max() <= 2
        return
    assert graph in RELATIVE and found.dtype == expected.dtype and found.dtype.kind == "f", f"output {k} is not exact"
    numpy.testing.assert_allclose(found, expected, rtol=RELATIVE[graph], atol=0, err_msg=f"output {k}")


def test_there_are_graphs():
    assert len(GRAPHS) == 22


@pytest.mark.parametrize("graph", GRAPHS)
def test_same_results(graph, tmp_path):
    with zipfile.ZipFile(DATA / f"exec/{graph}.npz") as arrays:
        arrays.extractall(tmp_path)
    inputs = numbered(tmp_path, "in")
    convert(DATA / f"{graph}{SOURCE.get(graph, '.tosa')}", tmp_path / "ours.vgf")
    mine = run_vgf.run(tmp_path / "ours.vgf", inputs, tmp_path / "ours")
    assert_equal(mine, run_vgf.run(DATA / f"{graph}.vgf", inputs, tmp_path / "theirs"))
    expected = [numpy.load(file) for file in numbered(tmp_path, "ref")]
    assert len(mine) == len(expected)
    for k, (a, b) in enumerate(zip(mine, expected)):
        assert_close(graph, k, a, b)


def random_inputs(file, folder):
    """Seeded arrays for the inputs of a VGF file with R8_SINT tensors."""
    generator, files = numpy.random.default_rng(1), []
    for k, (_, resource) in enumerate(run_vgf.slots(file)[0]):
        assert resource["vk_format"] == "VK_FORMAT_R8_SINT"
        files.append(folder / f"in{k}.npy")
        numpy.save(files[-1], generator.integers(-128, 128, resource["shape"], numpy.int8))
    return files


def reference(source, inputs, folder):
    """What the TOSA reference model computes for a TOSA file. It refuses the batch left to be inferred in [-1, 12]."""
    fixed = source.read_bytes().replace(struct.pack("<2q", -1, 12), struct.pack("<2q", 1, 12))
    (folder / "reference.tosa").write_bytes(fixed)
    view = subprocess.run([MLIA, "inspect", "--json", source], capture_output=True, text=True, check=True).stdout
    names = {side: [tensor["name"] for tensor in json.loads(view)["segments"][0][side]] for side in ("inputs", "outputs")}
    outputs = [f"ref{k}.npy" for k in range(len(names["outputs"]))]
    done = subprocess.run(["tosa_reference_model", "--tosa_file=reference.tosa", f"--flatbuffer_dir={folder}", f"--output_dir={folder}",
                           "--ifm_name=" + ",".join(names["inputs"]), "--ifm_file=" + ",".join(map(str, inputs)),
                           "--ofm_name=" + ",".join(names["outputs"]), "--ofm_file=" + ",".join(outputs)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [numpy.load(folder / output) for output in outputs]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda file: file.stem)
def test_whole_network(network, tmp_path):
    inputs = random_inputs(network.with_suffix(".vgf"), tmp_path)
    convert(network, tmp_path / "ours.vgf")
    mine = run_vgf.run(tmp_path / "ours.vgf", inputs, tmp_path / "ours")
    assert_equal(mine, run_vgf.run(network.with_suffix(".vgf"), inputs, tmp_path / "theirs"))
    assert_equal(mine, reference(network, inputs, tmp_path))


@pytest.mark.parametrize("model", LITE)
def test_from_tensorflow_lite(model, tmp_path):
    """Against the LiteRT interpreter's arrays."""
    data = ROOT / "tests/data/tflite/data"
    convert(ROOT / f"tests/data/tflite/models/{model}.tflite", tmp_path / "ours.vgf")
    mine = run_vgf.run(tmp_path / "ours.vgf", numbered(data, f"{model}.in"), tmp_path / "ours")
    assert_equal(mine, [numpy.load(file) for file in numbered(data, f"{model}.out")])


@pytest.mark.skipif(FIXTURES is None, reason="needs MLIA_FIXTURES: a network in TensorFlow Lite")
def test_whole_network_from_tensorflow_lite(tmp_path):
    """Against the reference model's run of what the official converter makes of the same network."""
    convert(FIXTURES / "models/kws_ref_model.tflite", tmp_path / "ours.vgf")
    inputs = random_inputs(tmp_path / "ours.vgf", tmp_path)
    mine = run_vgf.run(tmp_path / "ours.vgf", inputs, tmp_path / "ours")
    assert_equal(mine, reference(FIXTURES / "models/kws_ref_model.tosa", inputs, tmp_path))
