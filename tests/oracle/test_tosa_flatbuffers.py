"""TOSA FlatBuffers that we wrote, judged by the public tools: flatc must print what it prints of the original, the
reference model must compute the same outputs, tosa-opt must import the file."""
import json
import os
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

PROGRAM = Path(os.environ.get("MLIA_PROGRAM", "build/mlia"))
COPY = PROGRAM.parent / "tosa-copy"
DATA = Path(__file__).parent.parent / "data" / "tosa" / "valid"
FIXTURES = Path(os.environ["MLIA_FIXTURES"]) / "tosa" if "MLIA_FIXTURES" in os.environ else None
FOLDER = FIXTURES / "valid" if FIXTURES else DATA
NAMES = sorted(path.stem for path in FOLDER.glob("*.tosa"))


def tool(name):
    try:
        path = Path(str(metadata.distribution("tosa-tools").locate_file("bin/" + name)))
    except metadata.PackageNotFoundError:
        pytest.skip("needs the Python package tosa-tools")
    return path


def test_there_are_files():
    assert len(NAMES) >= 20


@pytest.fixture
def copy(tmp_path):
    def run(name):
        assert COPY.exists(), f"{COPY} is not built"
        target = tmp_path / (name + ".tosa")
        done = subprocess.run([COPY, FOLDER / (name + ".tosa"), target], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return target

    return run


def normalise(graph):
    """Removes what a writer is free in: padding of data, absent against empty lists and locations, the library's release.
    A variable declared by an operator (number 72) and operators 73 and 74 become the form that the public tools read."""
    graph = {key: value for key, value in graph.items() if key in ("version", "regions")}
    for region in graph["regions"]:
        for block in region["blocks"]:
            block.setdefault("shapes", [])
            block["operators"] = [op for op in block["operators"] if op["op"] != "VARIABLE"]
            for op in block["operators"]:
                op.setdefault("location", {"text": ""})
                op["op"] = {"VARIABLE_READ": "IDENTITY", "VARIABLE_WRITE": "IDENTITY"}.get(op["op"], op["op"])
            for tensor in block["tensors"]:
                if "data" in tensor:
                    tensor["data"] = trim(tensor["data"])
    return graph


def trim(data):
    while data and data[-1] == 0:
        data = data[:-1]
    return data


@pytest.mark.parametrize("name", NAMES)
def test_flatc_prints_the_same(name, copy, tmp_path):
    ours = copy(name)
    subprocess.run([tool("flatc"), "--json", "--strict-json", "--raw-binary", "-o", tmp_path, tool("tosa.fbs"), "--", ours],
                   check=True, capture_output=True)
    got = json.loads((tmp_path / (name + ".json")).read_text())
    expected = json.loads((FOLDER / (name + ".json")).read_text())
    assert "software_version" not in got and "compatibility" not in got
    assert normalise(got) == normalise(expected)


def reference_cases():
    if FIXTURES is None:
        return []
    return [record for record in json.loads((FIXTURES / "index.json").read_text())
            if record.get("reference", {}).get("rc") == 0]


@pytest.mark.skipif(FIXTURES is None, reason="needs MLIA_FIXTURES: inputs and outputs of the reference model")
@pytest.mark.parametrize("record", reference_cases(), ids=lambda record: record["name"])
def test_reference_model_computes_the_same(record, copy, tmp_path):
    ours = copy(record["name"])
    outputs = [f"out{k}.npy" for k in range(len(record["outputs"]))]
    command = [tool("tosa_reference_model"), "--tosa_file=" + ours.name, f"--flatbuffer_dir={tmp_path}",
               f"--output_dir={tmp_path}", "--tosa_level=EIGHTK",
               "--ofm_name=" + ",".join(record["outputs"]), "--ofm_file=" + ",".join(outputs)]
    if record["inputs"]:
        for path in record["reference"]["inputs"]:
            (tmp_path / Path(path).name).write_bytes((FIXTURES / path).read_bytes())
        command += ["--ifm_name=" + ",".join(entry["name"] for entry in record["inputs"]),
                    "--ifm_file=" + ",".join(Path(path).name for path in record["reference"]["inputs"])]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for output, expected in zip(outputs, record["reference"]["outputs"]):
        assert (tmp_path / output).read_bytes() == (FIXTURES / expected).read_bytes(), output


@pytest.mark.parametrize("name", NAMES)
def test_tosa_opt_imports_it(name, copy, tmp_path):
    ours = copy(name)
    (tmp_path / "empty.mlir").write_text("module {}\n")
    done = subprocess.run([tool("tosa-opt"), f"--tosa-deserialize=tosa-flatbuffer-filename={ours.name}", "empty.mlir"],
                          capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "func.func @main" in done.stdout
