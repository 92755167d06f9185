"""Modules whose shapes are wrong: what the official model converter refuses, our conversion refuses too.

MLIA_RANDOM_CASES modules (default 60) from MLIA_RANDOM_SEED (default 1) on, each with one tensor type changed throughout."""
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "tools"))
import random_mlir  # noqa: E402

os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]  # the tools of the environment
PROGRAM = Path(os.environ.get("MLIA_PROGRAM", "build/mlia"))
VALID = Path(__file__).parent.parent / "data" / "mlir" / "valid"
FILES = sorted(p for p in VALID.glob("*.mlir") if not p.name.endswith(".generic.mlir"))
FIRST = int(os.environ.get("MLIA_RANDOM_SEED", 1))
SEEDS = range(FIRST, FIRST + int(os.environ.get("MLIA_RANDOM_CASES", 60)))


def changed(text, r):
    """The text with one dimension of one type changed, left out or added, wherever that type stands; None without tensors."""
    types = sorted(set(re.findall(r"tensor<((?:\d+x)+)([a-zA-Z]\w*)>", text)))
    if not types:
        return None
    dims, element = r.choice(types)
    new = dims[:-1].split("x")
    place = r.randrange(len(new))
    kind = r.choice(("change", "change", "change", "drop", "add"))
    if kind == "change":
        new[place] = str(int(new[place]) + r.choice((1, 2)))
    elif kind == "drop":
        del new[place]
    else:
        new.insert(place, r.choice("12"))
    return text.replace(f"tensor<{dims}{element}>", "tensor<" + "".join(d + "x" for d in new) + element + ">")


@pytest.mark.parametrize("seed", SEEDS)
def test_refused_as_officially(seed, tmp_path):
    r = random.Random(seed)
    text = changed(r.choice(FILES).read_text() if seed % 2 else random_mlir.module(seed), r)
    if text is None:
        return
    source = tmp_path / "m.mlir"
    source.write_text(text)
    try:
        theirs = subprocess.run(["model-converter", "-i", source, "-o", tmp_path / "theirs.vgf"], capture_output=True, timeout=60)
    except FileNotFoundError:
        pytest.skip("the model converter is not installed")
    ours = subprocess.run([PROGRAM, "convert", source, "-o", tmp_path / "ours.vgf", "--keep-unknown-dimensions"],
                          capture_output=True, text=True, timeout=60)
    assert ours.returncode in (0, 1), ours.stderr
    if theirs.returncode != 0:
        assert ours.returncode == 1, "we accept what the official converter refuses"
    elif ours.returncode != 0:  # it does not look at the results of every operator
        assert "E_TOSA_SHAPE" in ours.stderr and " becomes " in ours.stderr, ours.stderr
