"""TOSA MLIR against the public tools: tosa-opt reads what we write, and we read every bytecode version it writes."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("MLIA_PROGRAM", ROOT / "build" / "mlia"))
VALID = ROOT / "tests" / "data" / "mlir" / "valid"
NAMES = sorted(p.name[: -len(".generic.mlir")] for p in VALID.glob("*.generic.mlir") if p.name != "unranked.generic.mlir")


def tool(name, package):
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"needs {name} (pip install {package})")
    return path


@pytest.fixture(scope="module")
def tosa_opt():
    return tool("tosa-opt", "tosa-tools==2026.8.0")


@pytest.fixture(scope="module")
def model_converter():
    return tool("model-converter", "ai-ml-sdk-model-converter==0.11.0")


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True)


def convert(source, target):
    done = run(PROGRAM, "convert", source, "--output", target)
    assert done.returncode == 0, done.stderr.decode()
    return target.read_bytes()


def generic(tosa_opt, path):
    """The module in one spelling, without the description of its maker and without defaults."""
    done = run(tosa_opt, path, "--mlir-print-op-generic")
    assert done.returncode == 0, done.stderr.decode()
    text = done.stdout.decode()
    return text.replace('tosa.description = "TOSA FBS Converted", ', "").replace("local_bound = false, ", "")


@pytest.mark.parametrize("name", NAMES)
def test_written_text_is_the_same_module(tosa_opt, tmp_path, name):
    convert(VALID / f"{name}.mlirbc", tmp_path / "ours.tosamlir")
    expected = generic(tosa_opt, VALID / f"{name}.mlirbc")
    if name == "dyn_batch":
        expected = expected.replace("tensor<?x", "tensor<1x").replace("dense<[-1, ", "dense<[1, ")
    assert generic(tosa_opt, tmp_path / "ours.tosamlir") == expected


@pytest.mark.parametrize("version", range(7))
def test_every_bytecode_version(tosa_opt, tmp_path, version):
    for name in NAMES:
        target = tmp_path / f"{name}.mlirbc"
        done = run(tosa_opt, VALID / f"{name}.mlir", "--emit-bytecode", f"--emit-bytecode-version={version}", "-o", target)
        assert done.returncode == 0, done.stderr.decode()
        assert convert(target, tmp_path / "a.tosamlir") == convert(VALID / f"{name}.mlir", tmp_path / "b.tosamlir"), name


@pytest.mark.parametrize("name", ["conv2d_i8", "tiny_int8_net", "clamp_bf16", "rescale_per_channel_i32_i8", "loc_forms"])
def test_model_converter_reads_written_text(model_converter, tmp_path, name):
    source = VALID / f"{name}.mlir"
    if not source.exists():
        pytest.skip(f"{name} is not among the test data")
    convert(source, tmp_path / "ours.tosa.mlir")
    for path, target in ((source, "theirs.vgf"), (tmp_path / "ours.tosa.mlir", "ours.vgf")):
        done = run(model_converter, "--input", path, "--output", tmp_path / target)
        assert done.returncode == 0, done.stderr.decode()
    assert (tmp_path / "theirs.vgf").read_bytes() == (tmp_path / "ours.vgf").read_bytes()
