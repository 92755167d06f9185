"""TOSA MLIR that the official TensorFlow Lite converter writes, as text and as bytecode: our VGF of it, and how an unknown batch
size is fixed, against the official model converter and an independent implementation of the same rules."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
import compare_vgf  # noqa: E402

os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]  # the tools of the environment
PROGRAM = Path(os.environ.get("MLIA_PROGRAM", "build/mlia"))
DATA = Path(__file__).parent.parent / "data" / "tflite" / "models"
FIXTURES = Path(os.environ["MLIA_FIXTURES"]) if "MLIA_FIXTURES" in os.environ else None
NETWORKS = sorted((FIXTURES / "models").glob("*.tflite")) if FIXTURES else []
MODELS = NETWORKS + [DATA / f"{name}.tflite" for name in ("dynamic_batch", "conv2d_i8_same_relu6", "softmax_i8", "transpose_conv_i8_same")]
FORMS = {"text": ["--text"], "located": ["--text", "--emit-debug-info"], "bytecode": ["--bytecode"]}


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120)


def convert(source, target, *options):
    done = run(PROGRAM, "convert", source, "--output", target, *options)
    assert done.returncode == 0, done.stderr
    return done.stderr


def official_mlir(model, folder, form):
    target = folder / f"{model.stem}.{form}.tosamlir"
    try:
        done = run("tosa-converter-for-tflite", model, *FORMS[form], "-o", target)
    except FileNotFoundError:
        pytest.skip("needs tosa-converter-for-tflite")
    assert done.returncode == 0, done.stderr
    return target


def official_vgf(source, target, *options):
    try:
        return run("model-converter", "--input", source, "--output", target, *options)
    except FileNotFoundError:
        pytest.skip("needs model-converter")


def input_shape(source):
    return json.loads(run(PROGRAM, "inspect", source, "--json").stdout)["segments"][0]["inputs"][0]["shape"]


def stem(file):
    return file.stem


@pytest.mark.parametrize("model", MODELS, ids=stem)
def test_every_form_converts_alike(model, tmp_path):
    results = []
    for form in FORMS:
        source = official_mlir(model, tmp_path, form)
        warnings = convert(source, tmp_path / "m.vgf", "--no-debug-info")
        assert warnings.count("W_TOSA_BATCH") == (1 if model in NETWORKS or model.stem == "dynamic_batch" else 0)
        results.append((tmp_path / "m.vgf").read_bytes())
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("model", MODELS, ids=stem)
def test_same_vgf_as_official(model, batch, tmp_path):
    """The official converter takes the text with the batch fixed, and makes of it what we make of the original."""
    source = official_mlir(model, tmp_path, "bytecode")
    shape = [str(d) for d in input_shape(source)[1:]]
    options = ["--input-shape", "0=" + "x".join([str(batch), *shape])] if batch > 1 else []
    if batch > 1 and run(PROGRAM, "convert", source, "--output", tmp_path / "ours.vgf", *options).returncode != 0:
        pytest.skip("the batch is part of the model")  # the converter has written it into a constant
    convert(source, tmp_path / "ours.vgf", "--no-debug-info", *options)
    convert(source, tmp_path / "fixed.tosamlir", *options)
    text = (tmp_path / "fixed.tosamlir").read_text()
    assert "?" not in text.split("{", 1)[1] and "dense<[-1, " not in "".join(line for line in text.splitlines() if "const_shape" in line)
    done = official_vgf(tmp_path / "fixed.tosamlir", tmp_path / "theirs.vgf")
    assert done.returncode == 0, done.stderr
    assert compare_vgf.differences(tmp_path / "ours.vgf", tmp_path / "theirs.vgf", tmp_path) == []


@pytest.mark.skipif(not FIXTURES, reason="needs MLIA_FIXTURES: the reference implementation and the networks")
@pytest.mark.parametrize("model", MODELS, ids=stem)
def test_batch_as_reference(model, tmp_path):
    """TOSA FlatBuffers with the batch fixed hold what tools/infer_shapes.py makes of them."""
    source = official_mlir(model, tmp_path, "text")
    done = official_vgf(source, tmp_path / "open.tosa", "--tosa-flatbuffer")
    assert done.returncode == 0, done.stderr
    done = run(sys.executable, FIXTURES / "tosa/tools/infer_shapes.py", "--specialise", tmp_path / "open.tosa", tmp_path / "expected.tosa")
    assert done.returncode == 0, done.stdout + done.stderr
    convert(tmp_path / "open.tosa", tmp_path / "ours.tosa")
    texts = []
    for name in ("ours", "expected"):
        convert(tmp_path / f"{name}.tosa", tmp_path / f"{name}.tosamlir", "--no-debug-info", "--keep-unknown-dimensions")
        texts.append((tmp_path / f"{name}.tosamlir").read_text().splitlines()[1:])  # the first tells the version of the format
    assert texts[0] == texts[1]
