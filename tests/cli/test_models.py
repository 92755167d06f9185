"""Whole runs over models: both answers for every good file, judged by the independent checker; the expected kind for every broken
one."""
import csv
import importlib.util
import json
from pathlib import Path

import pytest
from conftest import DATA, FIXTURES, ROOT

BOTH = ("-t", "neural-technology", "--performance", "--compatibility")
READABLE = {".tosa", ".vgf", ".mlir", ".mlirbc", ".tosamlir"}


def found(*patterns):
    """Files of the fixtures, or of the repository when there are none."""
    if FIXTURES:
        paths = [p for pattern in patterns for p in sorted(Path(FIXTURES).glob(pattern))]
        assert paths, f"no files match {patterns} under {FIXTURES}"
        return paths
    return sorted(p for pattern in ("tosa/valid/*.tosa", "vgf/*.vgf", "mlir/*.mlir") for p in DATA.glob(pattern))


def short(path):
    return "/".join(path.parts[-2:])


@pytest.fixture(scope="module")
def judge():
    """Faults of a document by the checker that is independent of the program; by `validate` when it is not at hand."""
    script = Path(FIXTURES or "/absent") / "output/check_output.py"
    if not script.exists():
        return None
    spec = importlib.util.spec_from_file_location("check_output", script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_document(mlia, run, judge):
    path = mlia.write("document.json", run.raw)
    if judge:
        assert list(judge.check(path)) == []
    assert mlia("validate", "--strict", "document.json").out == ""
    return run.json()


GOOD = found("tosa/valid/*.tosa", "vgf/[0-9]*.vgf", "vgf/container/ok_*.vgf", "tosa/mlir/*.mlirbc", "tosa/mlir/*.mlir", "vgf/*.tosa.mlir")
REAL = found("models/*", "calibration/*") if FIXTURES else sorted((ROOT / "examples").iterdir())


@pytest.mark.parametrize("path", GOOD, ids=short)
def test_good_files(mlia, path, judge):
    run = mlia("check", path, *BOTH, "--json", "--no-output")
    assert run.status in (0, 1), run
    document = check_document(mlia, run, judge)
    compatibility, performance = document["results"]
    assert (compatibility["kind"], performance["kind"]) == ("compatibility", "performance")
    errors = [line for line in run.err.splitlines() if "error[" in line]
    if run.status == 0:
        assert errors == []
        assert compatibility["status"] in ("ok", "partial", "incompatible")
        assert performance["status"] in ("ok", "partial")
    else:
        # legal for the reader, but with something that has no price: the compatibility result says what
        assert len(errors) == 1, run
        assert performance["status"] == "failed"


@pytest.mark.slow
@pytest.mark.parametrize("path", [p for p in REAL if p.suffix in READABLE], ids=short)
def test_real_models(mlia, path, judge):
    run = mlia("check", path, *BOTH, "--json", "--no-output")
    assert run.status == 0, run
    document = check_document(mlia, run, judge)
    assert [r["status"] for r in document["results"]] == ["ok", "ok"] or "float" in path.name or path.stem == "pretrainedResnet", run.err
    assert document["results"][1]["metrics"][4]["value"] > 0
    assert document["extensions"]["mlia_graph"]["graphs"][1]["edges"]


def malformed():
    if not FIXTURES:
        return []
    rows = []
    for folder, ending in (("tosa/malformed", None), ("vgf/container", ".vgf")):
        with (Path(FIXTURES) / folder / "expected.tsv").open() as file:
            for row in list(csv.reader(file, delimiter="\t"))[1:]:
                rows.append((Path(FIXTURES) / folder / row[0], row[1]))
    assert len(rows) > 100
    return rows


PREFIX = {".tosa": "E_TOSA_", ".mlir": "E_MLIR_", ".mlirbc": "E_MLIRBC_"}
# Where content decides the format before any reader sees the file.
BY_CONTENT = {"fb_empty.tosa": "E_EMPTY", "fb_short_header.tosa": "E_FORMAT_UNKNOWN", "fb_bad_identifier.tosa": "E_TFLITE_VERSION",
              "bc_bad_magic.mlirbc": "E_FORMAT_UNKNOWN", "mlir_empty.mlir": "E_EMPTY", "bad_magic.vgf": "E_FORMAT_UNKNOWN",
              "mlir_foreign_op.mlir": "E_TOSA_UNSUPPORTED"}


def expected_kind(path, word):
    if path.name in BY_CONTENT:
        return BY_CONTENT[path.name]
    if word.startswith("E_"):
        return word
    if word in ("accept", "ok", "level") or word.startswith("W_"):
        return None
    return PREFIX[path.suffix] + word.upper()


@pytest.mark.parametrize("path,word", malformed(), ids=lambda v: short(v) if isinstance(v, Path) else v)
def test_malformed_files(mlia, path, word, judge):
    kind = expected_kind(path, word)
    run = mlia("check", path, *BOTH, "--no-output")
    errors = [line for line in run.err.splitlines() if "error[" in line]
    if kind is None:
        assert run.status == 0 and errors == [], run
        assert not word.startswith("W_") or f"warning[{word}]: {path}" in run.err, run
        return
    assert run.status == 1 and len(errors) == 1 and f"error[{kind}]: {path}" in errors[0], (kind, run)
    # with --json the failed document is the answer, where its envelope could be filled
    run = mlia("check", path, *BOTH, "--no-output", "--json")
    if kind not in ("E_EMPTY", "E_FORMAT_UNKNOWN"):
        document = check_document(mlia, run, judge)
        assert document["results"][1]["status"] == "failed"
        assert document["results"][1]["errors"][0].startswith(kind + ": ")
    else:
        assert run.out == "" and mlia.files() == []


def test_malformed_files_are_there():
    if not FIXTURES:
        pytest.skip("MLIA_FIXTURES is not set")
    assert len(malformed()) > 100


@pytest.mark.parametrize("target,kind", [("absent.tosa", "E_NOT_FOUND"), (".", "E_NOT_A_FILE"), ("/dev/zero", "E_NOT_A_FILE"),
                                         ("empty", "E_EMPTY"), ("unknown", "E_FORMAT_UNKNOWN"), ("fifo", "E_NOT_A_FILE"),
                                         ("model.pte", "E_FORMAT_BACKEND"), ("model.spv", "E_FORMAT_BACKEND")])
def test_unreadable_models(mlia, target, kind):
    import os
    mlia.write("empty", b"")
    mlia.write("unknown", b"\0\1\2")
    mlia.write("model.pte", b"\x1c\0\0\0ET12" + bytes(40))
    mlia.write("model.spv", b"\x03\x02\x23\x07" + bytes(40))
    os.mkfifo(mlia.folder / "fifo")
    run = mlia("check", target, *BOTH)
    assert run.status == 1 and run.out == "" and run.err.startswith(f"mlia: error[{kind}]: {target}: "), run
    assert len(run.err.splitlines()) == 1 and not (mlia.folder / "mlia-output").exists()
    if kind == "E_FORMAT_UNKNOWN":
        assert "begins with 00 01 02 " in run.err


def test_unreadable_permission(mlia):
    import os
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    mlia.write("secret.tosa", b"x").chmod(0)
    run = mlia("check", "secret.tosa", *BOTH)
    assert run.status == 1 and "E_PERMISSION" in run.err


def test_name_and_content_disagree(mlia, model):
    mlia.write("odd.vgf", model.read_bytes())
    run = mlia("check", "odd.vgf", *BOTH, "--json", "--no-output")
    assert run.status == 0 and run.json()["model"]["format"] == "tosa"
    assert run.err.startswith("mlia: warning[W_EXTENSION]: odd.vgf: named like VGF, but the content is TOSA FlatBuffer")


def test_categories(mlia, model):
    def kinds(*flags):
        return [r["kind"] for r in mlia("check", model, "-t", "neural-technology", *flags, "--json", "--no-output").json()["results"]]
    assert kinds() == ["compatibility"]
    assert kinds("--compatibility") == ["compatibility"]
    assert kinds("--performance") == ["performance"]
    assert kinds("--performance", "--compatibility") == ["compatibility", "performance"]


@pytest.mark.parametrize("args,kind,text", [
    (("-b", "nowhere"), "E_BACKEND_UNKNOWN", "there is no backend 'nowhere'"),
    (("-b", "ml-sdk-model-converter"), "E_BACKEND_NOT_SELECTABLE", "support integration, not selectable"),
    (("-b", "tosa-flatbuffers"), "E_BACKEND_NOT_SELECTABLE", "support integration, not selectable"),
    (("-b", "nx-performance-estimator", "-b", "neural-technology-profiling-data"), "E_BACKEND_COUNT", "2 backends are named"),
])
def test_choice_of_backend(mlia, model, args, kind, text):
    run = mlia("check", model, *BOTH, *args)
    assert run.status == 2 and run.out == "" and f"error[{kind}]" in run.err and text in run.err, run


@pytest.mark.parametrize("name", ["nx-performance-estimator", "NXPerformanceEstimator", "nx_performance_estimator"])
def test_names_of_backends(mlia, model, name):
    run = mlia("check", model, *BOTH, "-b", name, "--no-output", "--json")
    assert run.status == 0 and run.json()["results"][1]["producer"] == "nx-performance-estimator"


def test_document_records_the_configuration(mlia, model):
    run = mlia("check", model, *BOTH, "--json", "--no-output", "--set", "memory.dram.bytes_per_cycle=24",
               "--nx-performance-estimator.skip-trivial-ops", "--nx-performance-estimator.compiler-config", "cascade")
    estimator = run.json()["backends"][0]
    assert estimator["id"] == "nx-performance-estimator"
    configuration = estimator["configuration"]
    assert configuration["overrides"] == ["memory.dram.bytes_per_cycle=24"]
    assert configuration["values"]["memory.dram.bytes_per_cycle"] == 24
    assert configuration["compiler_config"] == "cascade" and configuration["skip_trivial_ops"] is True


def test_skip_trivial_operators(mlia, model):
    every = mlia("check", model, "-t", "neural-technology", "--json", "--no-output").json()["results"][0]
    some = mlia("check", model, "-t", "neural-technology", "--json", "--no-output", "--nx-performance-estimator.skip-trivial-ops").json()["results"][0]
    types = {e["attributes"]["tosa_op"] for e in some["entities"] if e["kind"] == "source_operator"}
    assert "CONST" in {e["attributes"]["tosa_op"] for e in every["entities"]} and not types & {"CONST", "CONST_SHAPE", "RESHAPE"}
    assert {e["id"] for e in some["entities"]} < {e["id"] for e in every["entities"]}
    assert len(some["checks"]) < len(every["checks"])


def test_no_graph(mlia, model):
    run = mlia("check", model, *BOTH, "--json", "--no-output", "--no-graph")
    assert "mlia_graph" not in run.json()["extensions"]


def test_input_shape(mlia):
    path = DATA / "tosa/valid/dyn_batch.tosa"
    run = mlia("check", path, *BOTH, "--json", "--no-output")
    assert run.status == 0 and "warning[W_TOSA_BATCH]" in run.err, run
    assert any(i["code"] == "W_TOSA_BATCH" for i in run.json()["extensions"]["mlia_diagnostics"]["items"])
    run = mlia("check", path, *BOTH, "--json", "--no-output", "--input-shape", "0=3x4")
    assert run.status == 0 and run.err == "", run
    run = mlia("check", path, *BOTH, "--no-output", "--input-shape", "nothing=3x4")
    assert run.status == 1 and "error[E_INPUT_SHAPE]" in run.err, run


def test_compatibility_of_what_cannot_run(mlia):
    run = mlia("check", DATA / "tosa/valid/while_loop_i32.tosa", "-t", "neural-technology", "--json", "--no-output")
    result = run.json()["results"][0]
    assert run.status == 0 and result["status"] == "partial"
    failed = [c for c in result["checks"] if c["status"] == "fail"]
    assert failed and all(c["details"]["reasons"] and c["details"]["error"] and c["details"]["rule"] for c in failed)
    assert result["advice"][0]["id"] == "nx.unsupported-operator" and "WHILE_LOOP" in result["advice"][0]["message"]


def test_inspect(mlia, model):
    run = mlia("inspect", model, "--json", "--operators", "--tensors", "--constants")
    described = run.json()
    segment, = described["segments"]
    assert described["format"] == "tosa" and segment["operator_count"] == len(segment["operators"]) == sum(segment["operator_types"].values())
    assert segment["inputs"] and segment["outputs"] and segment["constants"] and len(segment["tensors"]) > len(segment["constants"])
    text = mlia("inspect", model, "--operators")
    assert text.status == 0 and "operator_count: " in text.out and "type=CONV2D" in text.out
    assert len(mlia("inspect", model, "--depth", "1").out.splitlines()) == len(described)
    assert mlia("inspect", "absent").status == 1


def test_convert(mlia, model):
    assert mlia("convert", model, "-o", "again.tosa").status == 0
    shown = [mlia("inspect", p, "--json", "--operators").json()["segments"] for p in (model, "again.tosa")]
    assert shown[0] == shown[1]
    to_stdout = mlia("convert", model, "-o", "-", "--to", "tosa")
    assert to_stdout.raw == (mlia.folder / "again.tosa").read_bytes()
    run = mlia("convert", model, "-o", "model.pte")
    assert run.status == 1 and run.out == "" and not (mlia.folder / "model.pte").exists()
    assert "error[E_NO_ROUTE]" in run.err and "no way leads from tosa to pte; it can become tosa, tosamlir, vgf" in run.err, run


def test_validate_and_report(mlia, model):
    document = mlia("check", model, *BOTH, "--json", "--no-output")
    mlia.write("good.json", document.raw)
    value = document.json()
    value["results"][0]["entities"][0]["id"] = value["results"][0]["entities"][1]["id"]
    mlia.write("bad.json", json.dumps(value))
    mlia.write("none.json", "{")
    assert mlia("validate", "--strict", "good.json").status == 0
    run = mlia("validate", "good.json", "bad.json", "none.json", "absent.json")
    assert run.status == 1
    assert all(line.split(": ")[0] in ("bad.json", "none.json") for line in run.out.splitlines())
    assert "bad.json: R1: $.results[0]" in run.out and "error[E_NOT_FOUND]: absent.json: " in run.err
    faults = mlia("validate", "bad.json", "--json").json()
    assert list(faults[0]) == ["file", "rule", "path", "text"]
    assert mlia("report", "good.json", "--format", "json").raw == document.raw
    run = mlia("report", "bad.json", "--format", "json")
    assert run.status == 1 and "error[E_DOCUMENT]: bad.json: " in run.err
    run = mlia("report", "none.json", "--format", "json")
    assert run.status == 1 and "error[E_JSON_SYNTAX]: none.json:" in run.err
