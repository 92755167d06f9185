"""The TOML reader against the public test suite toml-test (fetched through the Go module proxy)."""
import json
import math
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

MODULE = "github.com/toml-lang/toml-test@v1.6.0"
PROGRAM = Path(os.environ.get("MLIA_PROGRAM", "build/mlia"))
DECODER = PROGRAM.parent / "toml-decoder"


@pytest.fixture(scope="module")
def suite(tmp_path_factory):
    if not shutil.which("go"):
        pytest.skip("needs the Go tool to fetch toml-test")
    environment = dict(os.environ, GOPATH=str(tmp_path_factory.mktemp("go")), GOFLAGS="-modcacherw")
    done = subprocess.run(["go", "mod", "download", "-json", MODULE], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip("toml-test could not be fetched: " + (done.stderr or done.stdout).strip()[-200:])
    return Path(json.loads(done.stdout)["Dir"]) / "tests"


def cases(suite, kind):
    names = (suite / "files-toml-1.0.0").read_text().split()
    return [suite / n for n in names if n.startswith(kind + "/") and n.endswith(".toml")]


def decode(path):
    assert DECODER.exists(), f"{DECODER} is not built"
    with path.open("rb") as file:
        return subprocess.run([DECODER], stdin=file, capture_output=True)


def instant(text):
    """Date or time in one spelling: upper case, blank as T, fraction without trailing zeros, +00:00 as Z."""
    text = text.upper().replace(" ", "T").replace("+00:00", "Z").replace("-00:00", "Z")
    return re.sub(r"(\.\d*?)0+(?=\D|$)", lambda m: m[1] if m[1] != "." else "", text)


def same(got, expected):
    if isinstance(expected, dict) and set(expected) == {"type", "value"} and isinstance(expected["value"], str):
        if not isinstance(got, dict) or got.get("type") != expected["type"]:
            return False
        a, b = got["value"], expected["value"]
        if expected["type"] == "float":
            a, b = float(a), float(b)
            return a == b or (math.isnan(a) and math.isnan(b))
        if "date" in expected["type"] or "time" in expected["type"]:
            return instant(a) == instant(b)
        return a == b
    if isinstance(expected, dict):
        return isinstance(got, dict) and got.keys() == expected.keys() and all(same(got[k], expected[k]) for k in got)
    if isinstance(expected, list):
        return isinstance(got, list) and len(got) == len(expected) and all(map(same, got, expected))
    return False


def test_valid(suite):
    paths = cases(suite, "valid")
    assert len(paths) > 150
    wrong = []
    for path in paths:
        done = decode(path)
        expected = json.loads(path.with_suffix(".json").read_text())
        if done.returncode != 0 or not same(json.loads(done.stdout), expected):
            wrong.append((path.relative_to(suite), done.stderr.decode(), done.stdout.decode()))
    assert not wrong, f"{len(wrong)} of {len(paths)}: {wrong}"


def test_invalid(suite):
    paths = cases(suite, "invalid")
    assert len(paths) > 300
    wrong = []
    for path in paths:
        done = decode(path)
        if done.returncode != 1 or not re.match(rb"\d+:\d+: .+\n$", done.stderr):
            wrong.append((path.relative_to(suite), done.returncode, done.stderr))
    assert not wrong, f"{len(wrong)} of {len(paths)}: {wrong}"
