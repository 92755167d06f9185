"""Measured mode: captures of VK_LAYER_LGL_neural_statistics through the command line.

The captures are built by tests/data/capture/make_captures.py; what they must give comes from what it put in."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "capture"
PROGRAM = Path(os.environ.get("MLIA_PROGRAM", ROOT / "build" / "mlia")).resolve()
CASES = None


def build():
    global CASES
    if CASES is None:
        folder = Path(tempfile.mkdtemp(prefix="mlia-captures-"))
        subprocess.run([sys.executable, DATA / "make_captures.py", folder], check=True)
        CASES = folder, json.loads((folder / "expected" / "cases.json").read_text())
    return CASES


@pytest.fixture(scope="session", autouse=True)
def remove_captures():
    yield
    if CASES is not None:
        shutil.rmtree(CASES[0])


def mlia(*arguments, cwd=None, columns="200"):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=60,
                          env=dict(os.environ, COLUMNS=columns))


@pytest.fixture(scope="session")
def profile(tmp_path_factory):
    path = tmp_path_factory.mktemp("profile") / "nt.toml"
    path.write_text('profile_name = "nt"\ntarget_type = "neural-technology"\n')
    return path


def check(profile, paths, model, *more, base=None, cwd=None):
    data = [part for path in paths for part in ("--profiling-data", base / path if base else path)]
    models = [DATA / "models" / model] if model else []
    return mlia("check", "--target-profile", profile, "--performance", *data, *models, *more, cwd=cwd)


def kind_of(done):
    found = re.match(r"mlia: error\[(\w+)\]: ", done.stderr)
    return found.group(1) if found else done.stderr


# ------------------------------------------------------------------------------------------------ accepted
def entities(result, document):
    """Entities by id, edges as sets, without what the document's general steps add."""
    added = {e["id"] for e in result["entities"] if e["kind"] == "code_line"}
    table = {}
    for e in result["entities"]:
        if e["id"] in added:
            continue
        copy = {k: v for k, v in e.items() if k not in ("parent_ids", "child_ids")}
        copy["edges"] = tuple(frozenset(e.get(k, [])) - added for k in ("parent_ids", "child_ids"))
        table[e["id"]] = copy
    assert document or not added
    return table


def figures(metrics):
    return [(m["name"], m["unit"], m.get("value"), m.get("availability")) for m in metrics]


def warning_kinds(warnings):
    kinds = {}
    for text in warnings:
        found = re.match(r"\[(W_\w+)\] [^:]*: (.*)$", text)
        if found:
            kinds[found.group(1)] = found.group(2)
    return kinds


def bounded(items):
    text = ", ".join(str(i) for i in items[:5])
    return text + (", ... (%d more)" % (len(items) - 5) if len(items) > 5 else "")


def compare(document, expected, shown):
    result, want = document["results"][0], expected["result"]
    assert {k: result[k] for k in ("kind", "status", "producer", "mode")} == \
        {k: want[k] for k in ("kind", "status", "producer", "mode")}
    assert [w for w in result.get("warnings", []) if not w.startswith("[W_")] == want["warnings"]
    assert warning_kinds(result.get("warnings", [])) == {k: bounded(v) for k, v in expected["warning_kinds"].items()}
    assert sorted(figures(result["metrics"])) == sorted(figures(want["metrics"]), key=lambda m: m[:2])
    assert all(m["reason"] for m in result["metrics"] if "availability" in m)
    own = {b["id"]: b for b in result["breakdowns"] if "id" in b}
    assert set(own) == {b["id"] for b in want["breakdowns"]}
    for b in want["breakdowns"]:
        assert own[b["id"]]["entity_id"] == b["entity_id"]
        assert figures(own[b["id"]]["metrics"]) == figures(b["metrics"])
        assert all(m["aggregation"] == "sum" for m in own[b["id"]]["metrics"])
    assert entities(result, True) == entities(want, False)
    assert result["entity_kinds"] == want["entity_kinds"]
    backend = document["backends"][0]
    assert backend["id"] == "neural-technology-profiling-data"
    configuration = backend["configuration"]
    device = dict(expected["device"])
    assert configuration["device"] == device.pop("name")
    assert {k: configuration[k] for k in device} == device
    assert configuration["mode"] == expected["mode"]
    folders = [f"{shown}/{d}" for d in expected["dispatch_directories"]]
    assert document["context"]["runtime_configuration"]["profiling_data"] == folders
    assert configuration["statistics_files"] == [f"{f}/statistics_mode{expected['mode']}.bin" for f in folders]
    assert configuration["debug_database_files"] == [f.rsplit("/", 2)[0] + "/debug_database.bin" for f in folders]
    assert document["model"] == expected["output_model"]
    assert document["target"]["description"] == "Neural Technology measured profiling data"


@pytest.mark.parametrize("number", range(14))
def test_accepted(profile, number):
    folder, cases = build()
    case = cases["good"][number]
    expected = json.loads((folder / "expected" / case["expected"]).read_text())
    done = check(profile, case["profiling_data"], case["model"], "--json", "--no-output", base=folder / "valid")
    assert done.returncode == 0, done.stderr
    compare(json.loads(done.stdout), expected, str(folder / "valid"))


def test_every_case_is_tried():
    _, cases = build()
    assert len(cases["good"]) == 14
    assert len(cases["refused"]) == 106


def test_documents_are_valid(profile, tmp_path):
    folder, cases = build()
    for case in cases["good"]:
        done = check(profile, case["profiling_data"], case["model"], "--json", "--no-output", base=folder / "valid")
        (tmp_path / f"{case['case']}.json").write_text(done.stdout)
    done = mlia("validate", "--strict", *sorted(tmp_path.iterdir()))
    assert (done.returncode, done.stdout) == (0, "")


# ------------------------------------------------------------------------------------------------- refused
@pytest.mark.parametrize("number", range(106))
def test_refused(profile, tmp_path, number):
    folder, cases = build()
    case = cases["refused"][number]
    done = check(profile, case["profiling_data"], case["model"], "--output-dir", tmp_path,
                 base=folder / "refused" / case["case"])
    assert kind_of(done) == case["kind"], done.stderr
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert not list(tmp_path.iterdir())


def test_errors_name_place_and_remedy(profile):
    folder, _ = build()
    done = check(profile, ["v01_mode0_g1_single"], None, base=folder / "refused" / "float_as_integer")
    assert "dispatch_000000/dispatch.json: executed_index: expected an integer" in done.stderr
    assert "mlia: hint: capture again" in done.stderr
    done = check(profile, ["v07_many_sessions"], None, base=folder / "valid")
    assert kind_of(done) == "E_SELECT_DISPATCH"
    assert done.stderr.count("dispatch_00000") == 3 and "4 more" in done.stderr


def test_model_without_graph(profile, tmp_path):
    folder, _ = build()
    capture = folder / "valid" / "v01_mode0_g1_single"
    broken = tmp_path / "broken.vgf"
    broken.write_bytes((DATA / "models" / "one_graph.vgf").read_bytes()[:100])
    done = mlia("check", "-t", profile, "--performance", "--profiling-data", capture, "--output-dir", tmp_path, broken)
    assert not (tmp_path / "mlia-output").exists()
    assert done.returncode == 1 and kind_of(done).startswith("E_VGF_")


# -------------------------------------------------------------------------------------------- command line
@pytest.mark.parametrize("arguments, kind", [
    (["--profiling-data", "CAPTURE", "--compatibility"], "E_OPTION_CONFLICT"),
    (["--profiling-data", "CAPTURE", "--performance", "--compatibility"], "E_OPTION_CONFLICT"),
    (["--profiling-data", "CAPTURE"], "E_CATEGORY"),
    (["--profiling-data", "CAPTURE", "--performance", "--set", "a.b=1"], "E_OPTION_UNUSED"),
    (["--profiling-data", "CAPTURE", "--performance", "--input-shape", "1x2"], "E_OPTION_UNUSED"),
    (["--profiling-data", "CAPTURE", "--performance", "-b", "tosa-flatbuffers"], "E_BACKEND_NOT_SELECTABLE"),
    (["--profiling-data", "CAPTURE", "--performance", "-b", "nx-performance-estimator"], "E_OPTION_CONFLICT"),
    (["--profiling-data", "CAPTURE", "--performance", "--nx-performance-estimator.skip-trivial-ops"], "E_OPTION_UNUSED"),
    (["--profiling-data", "CAPTURE", "--performance", "-b", "nothing"], "E_BACKEND_UNKNOWN"),
    (["--performance", "-b", "neural-technology-profiling-data", "MODEL"], "E_OPTION_MISSING"),
    (["--performance"], "E_ARGUMENT_MISSING"),
    (["--performance", "--profiling-data", ""], "E_OPTION_VALUE"),
])
def test_contradictions(profile, tmp_path, arguments, kind):
    folder, _ = build()
    names = {"CAPTURE": folder / "valid" / "v01_mode0_g1_single", "MODEL": DATA / "models" / "one_graph.vgf"}
    done = mlia("check", "-t", profile, "--output-dir", tmp_path, *[names.get(a, a) for a in arguments])
    assert kind_of(done) == kind, done.stderr
    assert done.returncode == (1 if kind == "E_CATEGORY" else 2)
    assert done.stdout == "" and not list(tmp_path.iterdir())


def test_backend_may_be_named(profile):
    folder, _ = build()
    done = check(profile, ["v01_mode0_g1_single"], None, "-b", "NeuralTechnologyProfilingData", "--json", "--no-output",
                 base=folder / "valid")
    assert done.returncode == 0, done.stderr


def test_paths_are_shown_as_typed(profile):
    folder, _ = build()
    inside = folder / "valid" / "v01_mode0_g1_single" / "pipeline_000000" / "session_000000" / "dispatch_000000"

    def configuration(path, cwd):
        done = check(profile, [path], None, "--json", "--no-output", cwd=cwd)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["backends"][0]["configuration"]["capture_root"]
    assert configuration(".", inside) == "../../.."
    assert configuration("v01_mode0_g1_single/", folder / "valid") == "v01_mode0_g1_single"
    assert configuration(".", folder / "valid" / "v01_mode0_g1_single") == "."
    assert configuration("pipeline_000000/session_000000/dispatch_000000", folder / "valid" / "v01_mode0_g1_single") == "."
    assert configuration(f"v01_mode0_g1_single/{inside.relative_to(folder / 'valid' / 'v01_mode0_g1_single')}",
                         folder / "valid") == "v01_mode0_g1_single"


def test_module_is_kept_beside_the_document(profile, tmp_path):
    folder, _ = build()
    capture = folder / "valid" / "v01_mode0_g1_single"
    assert check(profile, [capture], None, "--output-dir", tmp_path).returncode == 0
    kept = tmp_path / "mlia-output" / "shader_module_10.spv"
    assert kept.read_bytes() == (capture / "pipeline_000000" / "shader_module_10.spv").read_bytes()
    document = json.loads((tmp_path / "mlia-output" / "mlia-output.json").read_text())
    assert document["model"]["name"] == "shader_module_10.spv"


def test_wide_handles_are_read(profile, tmp_path):
    """Vulkan handles use all 64 bits."""
    folder, _ = build()
    capture = tmp_path / "capture"
    shutil.copytree(folder / "valid" / "v01_mode0_g1_single", capture)
    path = capture / "pipeline_000000" / "pipeline.json"

    def with_handle(value):
        document = json.loads(path.read_text())
        document["diagnostic_handle"] = value
        path.write_text(json.dumps(document))
        return check(profile, [capture], None, "--json", "--no-output")
    assert with_handle(2 ** 64 - 1).returncode == 0
    assert with_handle(2 ** 63).returncode == 0
    assert kind_of(with_handle(2 ** 64)) == "E_RANGE"
    assert kind_of(with_handle(-2 ** 63 - 1)) == "E_RANGE"
    assert kind_of(with_handle(str(2 ** 64 - 1))) == "E_TYPE"
    assert kind_of(with_handle("\0" + str(2 ** 64 - 1))) == "E_TYPE"


def test_lone_surrogates_are_no_text(profile, tmp_path):
    folder, _ = build()
    capture = tmp_path / "capture"
    shutil.copytree(folder / "valid" / "v01_mode0_g1_single", capture)
    path = capture / "pipeline_000000" / "pipeline.json"
    path.write_text(path.read_text().replace('"demo graph"', '"\\ud800"'))
    assert kind_of(check(profile, [capture], None)) == "E_JSON_SYNTAX"


def many_dispatches(folder, count):
    """A capture whose one session has `count` dispatches."""
    sys.path.insert(0, str(DATA))
    import make_captures
    words = dict(tasks=1, words={(0, 0): {0: 7}})
    pipeline = make_captures.pipe(0, "one_graph.seg0.spv", make_captures.simple_db("TOSACONV2D_spirv_id_52", "Conv2D"), [0],
                                  [(0, [(i, i, words) for i in range(count)])])
    make_captures.write_capture(str(folder), dict(mode=0, devices=[make_captures.device(0)], warnings=[], pipelines=[pipeline]))


def test_other_dispatches_are_not_read(profile, tmp_path):
    capture = tmp_path / "capture"
    many_dispatches(capture, 50)
    session = capture / "pipeline_000000" / "session_000000"
    for other in session.glob("dispatch_*/statistics_mode0.bin"):
        if other.parent.name != "dispatch_000007":
            os.chmod(other, 0)
    if os.geteuid() == 0 and shutil.which("strace") is None:
        pytest.skip("root reads everything; needs strace to see which files are opened")
    command = [PROGRAM, "check", "-t", profile, "--performance", "--no-output", "--json", "--profiling-data", session / "dispatch_000007"]
    if shutil.which("strace"):
        command = ["strace", "-f", "-e", "trace=openat", "-o", tmp_path / "trace"] + command
    environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")  # the leak checker and strace exclude each other
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    if shutil.which("strace"):
        opened = (tmp_path / "trace").read_text().count('"statistics_mode0.bin"')
        assert opened == 1


# ------------------------------------------------------------------------------------- inspect and validate
def test_inspect_lists_a_capture(tmp_path):
    folder, _ = build()
    done = mlia("inspect", "--json", folder / "valid" / "v07_many_sessions")
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    assert (value["format"], value["schema_version"], value["statistics_mode"]) == ("capture", 2, 0)
    assert [value[f"{k}_count"] for k in ("pipeline", "session", "dispatch")] == [1, 2, 7]
    sessions = value["pipelines"][0]["sessions"]
    assert [[d["executed_index"] for d in s["dispatches"]] for s in sessions] == [[0, 1, 2], [0, 1, 2, 3]]
    assert value["devices"][0]["profiling_device"] == "Mali-G1"
    text = mlia("inspect", folder / "valid" / "v07_many_sessions").stdout
    assert text.count("executed_index=") == 7


def test_inspect_shows_one_dispatch():
    folder, _ = build()
    path = folder / "valid" / "v07_many_sessions" / "pipeline_000000" / "session_000001" / "dispatch_000005"
    value = json.loads(mlia("inspect", "--json", path).stdout)
    assert [d["id"] for s in value["pipelines"][0]["sessions"] for d in s["dispatches"]] == [5]


def test_inspect_of_many_dispatches(tmp_path):
    many_dispatches(tmp_path / "capture", 2000)
    done = mlia("inspect", tmp_path / "capture")
    assert done.returncode == 0 and done.stdout.count("executed_index=") == 2000


def test_inspect_refuses_what_check_refuses():
    folder, _ = build()
    done = mlia("inspect", folder / "refused" / "symlink_orphan" / "v01_mode0_g1_single")
    assert kind_of(done) == "E_NAMESPACE_LINK" and done.returncode == 2


def test_validate_captures():
    folder, cases = build()
    done = mlia("validate", "--strict", *sorted((folder / "valid").iterdir()))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for case in cases["refused"]:
        if case["case"].startswith(("sel_", "in_", "device_")):
            continue
        done = mlia("validate", "--strict", folder / "refused" / case["case"] / case["profiling_data"][0])
        assert done.returncode == 1 and f": {case['kind']}: " in done.stdout + done.stderr, (case, done)


# --------------------------------------------------------------------------------------------- text report
def table_behind(text, title):
    """Rows of the table whose title line begins so."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.strip().startswith(title))
    return rows("\n".join(lines[start + 1:start + 1 + lines[start + 1:].index("")] if "" in lines[start + 1:] else lines[start + 1:]))


def test_report_shows_active_stalled_and_idle_shares(profile):
    folder, _ = build()
    done = check(profile, ["v03_mode1_g2_single"], None, "--no-output", base=folder / "valid")
    assert done.returncode == 0, done.stderr
    # chain 30: total 360, ce active 250, me_src1_stall 30; chain 31: total 40, ow active 39
    assert table_behind(done.stdout, "Activity in % of total_cycles")[:3] == [
        ["Chain", "Busiest unit", "Active %", "Longest stall", "Stall %", "Idle %", "dl", "ir", "wf", "ce", "ve", "tu", "ow"],
        ["0/30", "ce", "69.4", "me_src1", "8.3", "30.6", "0.0", "0.0", "0.0", "69.4", "0.0", "0.0", "0.0"],
        ["0/31", "ow", "97.5", "-", "0.0", "2.5", "0.0", "0.0", "0.0", "0.0", "0.0", "0.0", "97.5"]]


def test_report_without_counters_has_no_activity(profile):
    folder, _ = build()
    done = check(profile, ["v01_mode0_g1_single"], None, "--no-output", base=folder / "valid")
    assert "Chains (2 of 2" in done.stdout and "Activity" not in done.stdout


def test_report_of_empty_stripes_divides_by_nothing(profile):
    folder, _ = build()
    done = check(profile, ["v12_mode1_odd_blocks"], None, "--no-output", base=folder / "valid")
    assert done.returncode == 0
    assert table_behind(done.stdout, "Activity in % of total_cycles")[2] == ["0/31"] + ["-"] * 12


# ------------------------------------------------------------------------------------------------ baseline
def predicted_document(profile, folder):
    """A document like an estimate of what v01 measured: other chain ids, other cycles, one chain more."""
    done = check(profile, ["v01_mode0_g1_single"], "one_graph.vgf", "--json", "--no-output", base=folder / "valid")
    assert done.returncode == 0, done.stderr
    text = done.stdout.replace("chain/segment_0/30", "chain/segment_0/7").replace("graph_segment_0/Chain 30", "graph_segment_0/Chain 7")
    document = json.loads(text.replace("chain/segment_0/31", "chain/segment_0/8"))
    result = document["results"][0]
    result["mode"] = "predicted"
    for b in result["breakdowns"]:
        if b.get("id") == "chain/segment_0/7":
            b["metrics"][0]["value"] = 144
    return document


def rows(text):
    return [re.split(r" {2,}", line.strip()) for line in text.splitlines()]


def test_baseline_pairs_chains_by_their_operators(profile, tmp_path):
    folder, _ = build()
    path = tmp_path / "estimate.json"
    path.write_text(json.dumps(predicted_document(profile, folder)))
    done = check(profile, ["v01_mode0_g1_single"], None, "--json", "--no-output", "--baseline", path, base=folder / "valid")
    assert done.returncode == 0, done.stderr
    json.loads(done.stdout)  # the comparison does not get in the way of the document
    table = rows(done.stderr)
    assert ["Chain", "Counterpart", "Predicted", "Measured", "Difference"] in table
    assert ["demo graph/Chain 30", "graph_segment_0/Chain 7", "144", "72", "-50.0 %"] in table
    assert ["total_cycles", "cycles", "4,294,967,478", "4,294,967,478", "0.0 %"] in table
    assert "Without counterpart" not in done.stderr


def test_baseline_names_what_has_no_counterpart(profile, tmp_path):
    folder, _ = build()
    path = tmp_path / "estimate.json"
    path.write_text(json.dumps(predicted_document(profile, folder)))
    done = check(profile, ["v05_three_segments"], "three_graphs.vgf", "--json", "--no-output", "--baseline", path,
                 base=folder / "valid")
    assert done.returncode == 0, done.stderr
    assert "Without counterpart: 4 chains of this run, 2 of the baseline" in done.stderr


def test_estimate_beside_measurement(tmp_path):
    """The estimate and the measurement of one VGF meet in the result ids of its SPIR-V."""
    folder, _ = build()
    model = DATA / "models" / "one_graph.vgf"
    done = mlia("check", "-t", "neural-technology", "--performance", model, "--output-dir", tmp_path)
    assert done.returncode == 0, done.stderr
    document = tmp_path / "mlia-output" / "mlia-output.json"
    done = check("neural-technology", ["v01_mode0_g1_single"], "one_graph.vgf", "--json", "--no-output",
                 "--baseline", document, base=folder / "valid")
    assert done.returncode == 0, done.stderr
    table = rows(done.stderr)
    assert ["Chain", "Counterpart", "Predicted", "Measured", "Difference"] in table
    assert [row[1] for row in table if row[0] == "graph_segment_0/Chain 30"] == ["graph_segment_0/Chain 0"]


@pytest.mark.parametrize("text, kind", [("{}", "E_DOCUMENT"), ("{", "E_JSON_SYNTAX")])
def test_baseline_must_be_a_document(profile, tmp_path, text, kind):
    folder, _ = build()
    path = tmp_path / "estimate.json"
    path.write_text(text)
    done = check(profile, ["v01_mode0_g1_single"], None, "--output-dir", tmp_path, "--baseline", path, base=folder / "valid")
    assert kind_of(done) == kind and done.stdout == ""
    assert not (tmp_path / "mlia-output").exists()
