"""The VGF and SPIR-V readers against what the official tools say about the same files."""
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

os.environ["PATH"] = str(Path(sys.executable).parent) + os.pathsep + os.environ["PATH"]  # the tools of the environment
SHOW = Path(os.environ.get("MLIA_PROGRAM", "build/mlia")).parent / "vgf-show"
DATA = Path(__file__).parent.parent / "data" / "vgf"
FOLDERS = [DATA] + ([Path(os.environ["MLIA_FIXTURES"]) / "vgf"] if "MLIA_FIXTURES" in os.environ else [])
FILES = sorted(f for folder in FOLDERS for f in folder.glob("*.vgf"))


def show(*arguments):
    assert SHOW.exists(), f"{SHOW} is not built"
    return subprocess.run([SHOW, *map(str, arguments)], capture_output=True, text=True)


def shown(*arguments):
    done = show(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def view(file):
    dump = json.loads(shown("dump", file))
    for constant in dump["constants"]:
        assert constant.pop("size") > 0
    return dump


def name(file):
    return f"{file.parent.name}/{file.name}"


@pytest.mark.parametrize("file", [f for f in FILES if f.with_suffix(".vgf.json").exists()], ids=name)
def test_view_is_that_of_vgf_dump(file):
    assert view(file) == json.loads(file.with_suffix(".vgf.json").read_text())


@pytest.mark.parametrize("file", sorted(f for folder in FOLDERS for f in (folder / "container").glob("*.vgf")), ids=name)
def test_container_verdict_and_view(file):
    tool = shutil.which("vgf_dump")
    if not tool:
        pytest.skip("vgf_dump is not installed")
    expected = subprocess.run([tool, "-i", file], capture_output=True, text=True)
    ours = show("dump", file)
    assert ours.returncode == expected.returncode, ours.stderr
    if ours.returncode == 0:
        assert view(file) == json.loads(expected.stdout)


def raw_disassembly(file, module, folder):
    """Lines of spirv-dis with plain ids, or a reason why there are none."""
    if not shutil.which("vgf_dump") or not shutil.which("spirv-dis"):
        pytest.skip("vgf_dump or spirv-dis is not installed")
    binary = folder / "module.spv"
    subprocess.run(["vgf_dump", "-i", file, "--dump-spirv", str(module), "-o", binary], check=True)
    done = subprocess.run(["spirv-dis", "--raw-id", "--no-color", binary], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip("spirv-dis refuses the module: " + done.stderr.strip()[-100:])
    return [line for line in done.stdout.splitlines() if not line.startswith(";")]


@pytest.mark.parametrize("file", FILES, ids=name)
def test_disassembly_is_that_of_spirv_dis(file, tmp_path):
    for module in view(file)["modules"]:
        if module["shader_type"] != "SPIR-V" or not module["shader_code_available"]:
            continue
        expected = raw_disassembly(file, module["index"], tmp_path)
        ours = shown("spirv", file, module["index"]).splitlines()
        # Instructions of the debug set have no public names yet and come with their numbers in both.
        assert [line.split() for line in ours] == [line.split() for line in expected]


INSTRUCTION = re.compile(r"%(\d+) = OpExtInst %\d+ %(\d+) (\w+)")


@pytest.mark.parametrize("file", FILES, ids=name)
def test_operators_are_those_of_the_disassembly(file, tmp_path):
    """Names, results and operand tensors of each graph body, from the text of spirv-dis."""
    for segment in view(file)["model_sequence"]["segments"]:
        if segment["type"] != "GRAPH":
            continue
        lines = raw_disassembly(file, segment["module_index"], tmp_path)
        sets = {m[1] for line in lines if (m := re.match(r' *%(\d+) = OpExtInstImport "TOSA', line))}
        wanted = [(m[1], m[3]) for line in lines if (m := INSTRUCTION.search(line)) and m[2] in sets]
        graph = shown("graph", file, segment["index"]).splitlines()
        found = [(m[1], m[2]) for line in graph if (m := re.match(r"segment_\d+/spirv-(\d+) (\w+)", line))]
        assert [op for op in found if not op[1].startswith("CONST")] == wanted


def labels(file):
    return {m[1]: m[2] for line in shown("graph", file, 0).splitlines()
            if (m := re.match(r"segment_0/spirv-\d+ (\w+) .* label (.*)", line))}


def test_debug_texts():
    found = labels(DATA / "19_debug_locations.vgf")
    assert found["ABS"] == '"layer/name"' and found["ADD"] == '"layer/name"'
    assert found["EXP"] == '"" at model.py:12:34'
    assert found["FLOOR"] == '"named"'
    assert found["SIN"].endswith("at model.py:78:9")
    assert found["CONST"] == '"weights"'
    assert found["RSQRT"] == '""'
    richer = labels(DATA / "19_debug_locations.fb.vgf")
    assert richer["FLOOR"] == '"named" at model.py:56:7'
    assert "model.py" in labels(DATA / "26_debug_oplines.vgf")["RFFT2D"]


def test_graph_as_json():
    tree = json.loads(shown("tree", DATA / "02_conv2d_int8.vgf", 0))
    main = tree["regions"][0]
    assert [tree["tensors"][i]["name"] for i in main["inputs"] + main["outputs"]] == ["image", "logits"]
    convolution = next(op for op in main["operators"] if op["type"] == "CONV2D")
    assert convolution["attributes"] == {"pad": [1, 1, 1, 1], "stride": [1, 1], "dilation": [1, 1],
                                         "local_bound": False, "acc_type": "INT32"}
    assert convolution["id"] == "segment_0/spirv-60"
    weights = tree["tensors"][convolution["inputs"][1]]
    assert (weights["type"], weights["shape"], weights["bytes"]) == ("INT8", [6, 3, 3, 4], 216)
