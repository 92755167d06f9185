"""The estimator through the command line: figures, side files, configurations, what-if, somebody else's program."""
import json
import re
import stat

import pytest

from conftest import PROGRAM, ROOT

SPOTTER = ROOT / "examples/keyword_spotter.vgf"
CHECK = ("check", "-t", "neural-technology", "--performance")


def result(run):
    assert run.status == 0, run
    return run.json()["results"][0]


def metrics(run):
    return {m["name"]: m.get("value") for m in result(run)["metrics"]}


def figures(run):
    return {b["entity_id"]: {m["name"]: m["value"] for m in b["metrics"]} for b in result(run)["breakdowns"] if "id" in b}


def table(path, name):
    """Rows of a database table."""
    body = re.search(r'<table name="%s">\s*<!\[CDATA\[\n(.*?)\]\]>' % name, path.read_text(), re.S).group(1)
    return [line.split(", ") for line in body.splitlines()[1:]]


def test_result_is_valid_and_adds_up(mlia):
    run = mlia(*CHECK, SPOTTER, "--json")
    (mlia.folder / "d.json").write_bytes(run.raw)
    assert mlia("validate", "d.json").status == 0
    model, by_entity = metrics(run), figures(run)
    chains = [v for k, v in by_entity.items() if k.startswith("chain/")]
    cascades = [v for k, v in by_entity.items() if k.startswith("cascade/")]
    for name in ("total_cycles", "op_cycles", "dram_read_bytes", "dram_write_bytes", "vector_engine_cycles"):
        assert sum(c[name] for c in chains) == sum(c[name] for c in cascades)
    assert sum(c["total_cycles"] for c in chains) == model["total_cycles"] > 0
    assert sum(c["op_cycles"] for c in chains) == model["compute_cycles"]
    assert sum(c["dram_read_bytes"] for c in chains) == model["dram_read_bytes"]
    assert model["inference_time"] == pytest.approx(model["total_cycles"] / 1.5e6)
    assert model["infs_per_sec"] == model["inferences_per_second"] == pytest.approx(1000 / model["inference_time"])
    assert result(run)["mode"] == "predicted"
    ids = [a["id"] for a in result(run)["advice"]]
    assert "nx.calibration" in ids and "nx.top-chains" in ids and len(ids) == len(set(ids))
    document = run.json()
    assert document["extensions"]["mlia_estimator"]["clock_hz"] == {"nx": 1500000000}
    spans = document["extensions"]["mlia_schedule"]["lanes"][0]["spans"]
    assert sum(s["duration"] for s in spans) == model["total_cycles"]


def test_side_files_hold_the_same_figures(mlia):
    run = mlia(*CHECK, SPOTTER, "--json")
    folder = mlia.folder / "mlia-output/nx-performance-estimator"
    stem = "keyword_spotter"
    assert sorted(p.name for p in folder.iterdir()) == [
        f"{stem}_{kind}" for kind in ("debug_database.dat", "network_performance_summary.json", "performance_database.dat",
                                      "timing_database.dat")]
    model, by_entity = metrics(run), figures(run)
    rows = table(folder / f"{stem}_performance_database.dat", "performance")
    assert sum(int(r[2]) for r in rows) == model["total_cycles"]
    chain_of = {r[0]: r[1] for r in table(folder / f"{stem}_debug_database.dat", "stripe_op_id")}
    assert set(chain_of) == {r[0] for r in rows}
    for chain in set(chain_of.values()):
        cycles = sum(int(r[2]) for r in rows if chain_of[r[0]] == chain)
        assert cycles == by_entity[f"chain/segment_0/{chain}"]["total_cycles"]
    timing = table(folder / f"{stem}_timing_database.dat", "timing")
    assert int(timing[-1][2]) == model["total_cycles"]
    summary = json.loads((folder / f"{stem}_network_performance_summary.json").read_text())
    assert summary["network_performance"]["dram"]["read_bytes"] == {"value": model["dram_read_bytes"], "unit": "bytes"}
    assert summary["compiled_size"]["value"] == model["compiled_size"]
    statistics = json.loads((mlia.folder / "mlia-output/nx_performance_statistics.json").read_text())
    assert {k: v["total_cycles"] for part in statistics.values() for k, v in part.items()} == {
        k: v["total_cycles"] for k, v in by_entity.items()}


def test_same_figures_for_both_formats_and_every_run(mlia):
    env = {"MLIA_RUN_ID": "01a22eab-7bca-7c55-8a32-5e953cbc5e1e", "SOURCE_DATE_EPOCH": "0"}
    vgf = mlia(*CHECK, SPOTTER, "--json", "--no-output", env=env)
    assert vgf.raw == mlia(*CHECK, SPOTTER, "--json", "--no-output", env=env).raw
    assert metrics(vgf) == metrics(mlia(*CHECK, SPOTTER.with_suffix(".tosa"), "--json", "--no-output"))


@pytest.mark.parametrize("words, ratio", [
    (["--set", "system.clock_mhz=750"], 2),
    (["--set", "memory.dram.bytes_per_cycle=5"], None),
    (["--set", "engine.reader.bytes_per_cycle_convolution=1000", "--set", "memory.dram.bytes_per_cycle=1e6"], None),
])
def test_what_if(mlia, words, ratio):
    base = metrics(mlia(*CHECK, SPOTTER, "--json", "--no-output"))
    run = mlia(*CHECK, SPOTTER, "--json", "--no-output", *words)
    changed = metrics(run)
    if ratio:
        assert changed["inference_time"] == pytest.approx(ratio * base["inference_time"])
    else:
        slower = words[1].endswith("=5")
        assert (changed["inference_time"] > base["inference_time"]) == slower
        assert (changed["inference_time"] < base["inference_time"]) == (not slower)
    configuration = run.json()["backends"][0]["configuration"]
    assert configuration["overrides"] == words[1::2]
    name, value = words[1].split("=")
    assert configuration["values"][name] == float(value)


def test_profiles_and_cascades(mlia):
    peak = mlia("check", "-t", "NX-peak-12SC-8NX-600MHz", "--performance", SPOTTER, "--json", "--no-output")
    configuration = peak.json()["backends"][0]["configuration"]
    assert (configuration["values"]["system.engines"], configuration["calibrated"]) == (8, False)
    chains = [e for e in result(peak)["entities"] if e["kind"] == "chain"]
    assert {e["attributes"]["confidence"] for e in chains} == {"assumed"}
    slow = ("--json", "--no-output", "--set", "memory.dram.bytes_per_cycle=4")
    base = mlia(*CHECK, SPOTTER, *slow)
    cascade = mlia(*CHECK, SPOTTER, *slow, "--nx-performance-estimator.compiler-config", "cascade")
    assert metrics(cascade)["total_cycles"] < metrics(base)["total_cycles"]
    assert metrics(cascade)["dram_read_bytes"] < metrics(base)["dram_read_bytes"]


@pytest.mark.parametrize("words, kind, text", [
    (["--set", "memory.dram.byte_per_cycle=5"], "E_OVERRIDE", "memory.dram.bytes_per_cycle"),
    (["--set", "system.clock_mhz=0"], "E_OVERRIDE", "between"),
    (["--set", "system.clock_mhz"], "E_OVERRIDE", "="),
    (["--nx-performance-estimator.system-config", "nothing.ini"], "E_ESTIMATOR_CONFIG", "nothing.ini"),
    (["--nx-performance-estimator.program", "nothing"], "E_ESTIMATOR_CONFIG", "nothing"),
    (["--nx-performance-estimator.system-config", "bad.ini"], "E_ESTIMATOR_CONFIG", "bad.ini:3"),
    (["--nx-performance-estimator.system-config", "other.ini"], "E_ESTIMATOR_CONFIG", "MemoryConfig"),
])
def test_wrong_configurations(mlia, words, kind, text):
    mlia.write("bad.ini", "[system]\nclock_mhz = 5\nclock_mhz = 6\n")
    mlia.write("other.ini", "[MemoryConfig]\nsize = 1\n")
    run = mlia(*CHECK, SPOTTER, *words)
    assert run.status == 2 and f"error[{kind}]" in run.err and text in run.err, run
    assert not (mlia.folder / "mlia-output").exists()


# ---- somebody else's program ----


def program(mlia, text):
    path = mlia.write("their_estimator", "#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_other_program_gives_the_figures(mlia):
    ours = mlia(*CHECK, SPOTTER, "--json")
    (mlia.folder / "mlia-output").rename(mlia.folder / "ours")
    summary = mlia.folder / "ours/nx-performance-estimator/keyword_spotter_network_performance_summary.json"
    content = json.loads(summary.read_text())
    content["network_performance"]["total_cycles"]["value"] = 424242
    content["network_performance"]["infs_per_sec"]["value"] = None
    summary.write_text(json.dumps(content))
    path = program(mlia, 'echo to stdout; test "$1 $3" = "-i -o" && test -s "$2" || exit 5\n'
                         f"cp {mlia.folder}/ours/nx-performance-estimator/* .\n")
    run = mlia(*CHECK, SPOTTER, "--json", "--nx-performance-estimator.program", path)
    document = run.json()
    assert document["backends"][0]["name"] == "their_estimator"
    assert re.fullmatch("[0-9a-f]{64}", document["backends"][0]["version"])
    assert document["backends"][0]["impl"] == {"kind": "external"}
    theirs = metrics(run)
    assert (theirs["total_cycles"], theirs["infs_per_sec"], theirs["peak_activation_memory"]) == (424242, None, None)
    for entity, values in figures(ours).items():
        for name, value in values.items():
            assert figures(run)[entity][name] == value
    (mlia.folder / "d.json").write_bytes(run.raw)
    assert mlia("validate", "d.json").status == 0


@pytest.mark.parametrize("text, words", [
    ("echo 'no licence' >&2; exit 3\n", ["status 3", "no licence"]),
    ("exit 0\n", ["has not written", "network_performance_summary.json"]),
    ("kill -9 $$\n", ["signal 9"]),
])
def test_other_program_fails(mlia, text, words):
    run = mlia(*CHECK, SPOTTER, "--json", "--nx-performance-estimator.program", program(mlia, text))
    assert run.status == 1 and "E_ESTIMATOR_PROGRAM" in run.err
    assert all(word in run.err for word in words), run
    assert run.json()["results"][0]["status"] == "failed"


def itself(mlia):
    """A program that answers with our own estimate of the file it is given."""
    return program(mlia, f'"{PROGRAM}" check "$2" -t neural-technology --performance >/dev/null 2>&1 || exit 7\n'
                         "cp mlia-output/nx-performance-estimator/* .\n")


def test_other_program_gets_a_vgf_of_any_model(mlia):
    ours = metrics(mlia(*CHECK, SPOTTER, "--json", "--no-output"))
    model = SPOTTER.with_suffix(".tosa")
    run = mlia(*CHECK, model, "--json", "--no-output", "--nx-performance-estimator.program", itself(mlia))
    assert metrics(run)["total_cycles"] == ours["total_cycles"]
    operators = {e["id"] for e in result(run)["entities"] if e["kind"] == "source_operator"}
    assert operators and all(re.fullmatch(r"source_operator/segment_0/spirv-\d+", o) for o in operators)


def test_other_program_runs_once_for_each_segment(mlia, fixtures):
    model = fixtures / "vgf/20_segments_shader.vgf"
    ours = mlia(*CHECK, model, "--json", "--no-output")
    run = mlia(*CHECK, model, "--json", "--no-output", "--nx-performance-estimator.program", itself(mlia))
    for name in ("total_cycles", "compute_cycles", "dram_read_bytes", "compiled_size", "dram_footprint"):
        assert metrics(run)[name] == metrics(ours)[name]
    assert {k: v["total_cycles"] for k, v in figures(run).items()} == {k: v["total_cycles"] for k, v in figures(ours).items()}
    assert len({k.split("/")[1] for k in figures(run)}) > 1
