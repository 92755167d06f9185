"""Random TOSA modules: our VGF against the official model converter's, and every way between the forms of one module.

MLIA_RANDOM_CASES modules (default 60) from MLIA_RANDOM_SEED (default 1) on."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
import compare_vgf  # noqa: E402
import random_mlir  # noqa: E402

os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]  # the tools of the environment
PROGRAM = Path(os.environ.get("MLIA_PROGRAM", "build/mlia"))
FIRST = int(os.environ.get("MLIA_RANDOM_SEED", 1))
SEEDS = range(FIRST, FIRST + int(os.environ.get("MLIA_RANDOM_CASES", 60)))
OPTIONS = ((), (), ("--disable-replicated-composites",), *(("--type-narrowing", m) for m in ("full", "partial", "full_preserve_io")))


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, errors="replace", timeout=60)


def official(*command):
    try:
        return run("model-converter", *command)
    except FileNotFoundError:
        pytest.skip("the model converter is not installed")


def convert(source, target, *options):
    return run(PROGRAM, "convert", source, "--output", target, "--keep-unknown-dimensions", *options)


def write(folder, seed):
    source = folder / f"{seed}.mlir"
    source.write_bytes(random_mlir.module(seed).encode())
    return source


def only_returns_inputs(view):
    """Modules without an operator, which the official converter lists in an order of its own (docs/formats/vgf.md)."""
    return any(not any(item[0] not in ("input", "output") for item in module["body"]) for module in view)


@pytest.mark.parametrize("seed", SEEDS)
def test_same_vgf(seed, tmp_path):
    source, theirs, ours = write(tmp_path, seed), tmp_path / "theirs.vgf", tmp_path / "ours.vgf"
    options = OPTIONS[seed % len(OPTIONS)]
    accepted = official("-i", source, "-o", theirs, *options).returncode == 0
    done = convert(source, ours, "--no-debug-info", *options)
    if not accepted:
        assert done.returncode in (0, 1), done.stderr
        return
    assert done.returncode == 0, done.stderr
    bodies = [compare_vgf.describe(compare_vgf.part(theirs, "--dump-spirv", m["index"], tmp_path)) for m in compare_vgf.dump(theirs)["modules"]]
    if not only_returns_inputs(bodies):
        assert compare_vgf.differences(ours, theirs, tmp_path) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_valid_spirv(seed, tmp_path):
    ours, code = tmp_path / "ours.vgf", tmp_path / "code.spv"
    done = convert(write(tmp_path, seed), ours, "--no-debug-info", *OPTIONS[seed % len(OPTIONS)])
    if done.returncode == 0:
        code.write_bytes(compare_vgf.part(ours, "--dump-spirv", 0, tmp_path))
        judged = run("spirv-val", "--target-env", "vulkan1.3", code)
        assert judged.returncode == 0, judged.stdout + judged.stderr


@pytest.mark.parametrize("seed", SEEDS)
def test_every_form_is_the_same_module(seed, tmp_path):
    """Text, our text of it, its bytecode and its FlatBuffer give one VGF."""
    source = write(tmp_path, seed)

    def vgf(path):
        target = path.with_suffix(path.suffix + ".vgf")
        done = convert(path, target, "--no-debug-info")
        assert done.returncode == 0, f"{path.name}: {done.stderr}"
        return target

    expected = vgf(source)
    forms = [tmp_path / "again.tosamlir", tmp_path / "again.tosa"]
    for form in forms:
        done = convert(source, form)
        assert done.returncode == 0, done.stderr
    version = seed % 7
    bytecode = tmp_path / "theirs.mlirbc"
    try:
        if run("tosa-opt", source, "--emit-bytecode", f"--emit-bytecode-version={version}", "-o", bytecode).returncode == 0:
            forms.append(bytecode)
    except FileNotFoundError:
        pass
    for form in forms:
        if form.suffix == ".tosa":  # gives names to inputs and outputs
            assert compare_vgf.differences(vgf(form), expected, tmp_path) == []
        else:
            assert vgf(form).read_bytes() == expected.read_bytes(), form.name
    if official("-i", source, "-o", tmp_path / "1.vgf").returncode == 0:
        assert official("-i", forms[0], "-o", tmp_path / "2.vgf").returncode == 0
        assert (tmp_path / "1.vgf").read_bytes() == (tmp_path / "2.vgf").read_bytes()


@pytest.mark.parametrize("seed", SEEDS)
def test_same_types_are_refused(seed, tmp_path):
    source = tmp_path / "any.mlir"
    source.write_bytes(random_mlir.module(seed, lawless=True).encode())
    theirs = official("-i", source, "-o", tmp_path / "theirs.vgf")
    ours = convert(source, tmp_path / "ours.vgf", "--no-debug-info")
    assert (ours.returncode == 0) == (theirs.returncode == 0), ours.stderr + theirs.stderr
