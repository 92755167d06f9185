"""Renderings of stored documents: text in every width and colour, CSV, JSON; validate."""
import csv
import io
import json
import re

import pytest
from conftest import DATA

DOCUMENTS = sorted((DATA / "result/documents").glob("*.json"))
ESTIMATE = DATA / "result/documents/estimated-performance.json"
RUNTIME = DATA / "result/documents/etdump-runtime.json"
PARTIAL = DATA / "result/documents/compatibility-partial.json"
ESCAPE = re.compile(r"\033\[[0-9;]*m")


def cells(line):
    import unicodedata
    return sum(0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in line)


def text(mlia, path, *options, width=120, **env):
    run = mlia("report", str(path), *options, env={"COLUMNS": str(width), **env})
    assert run.status == 0, run
    return run.out


def test_documents_are_there():
    assert len(DOCUMENTS) == 7


@pytest.mark.parametrize("width", [60, 80, 120, 240])
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.stem)
def test_lines_fit(mlia, path, width):
    out = text(mlia, path, width=width)
    assert out.endswith("\n")
    for line in out.splitlines():
        assert cells(line) <= width, line
        assert line == line.rstrip()


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.stem)
@pytest.mark.parametrize("env", [{"MLIA_DARK": "1"}, {"MLIA_LIGHT": "1"}, {"COLORTERM": "truecolor"}],
                         ids=["dark", "light", "24 bits"])
def test_colour_adds_only_escapes(mlia, path, env):
    plain = text(mlia, path)
    coloured = text(mlia, path, "--color", "always", **env)
    assert coloured != plain
    assert ESCAPE.sub("", coloured) == plain
    assert ("38;2;" in coloured) == ("COLORTERM" in env)


def table(out, *titles):
    """Rows of the table whose title row begins with these titles, cut at runs of two spaces."""
    found = []
    for line in out.splitlines():
        row = re.split(r" {2,}", line.strip())
        if found and row == [""]:
            break
        if found or tuple(row[:len(titles)]) == titles:
            found.append(row)
    assert found, titles
    return found


def number(cell):
    return float(cell.replace(",", ""))


def figures(document, kind):
    result = document["results"][0]
    kinds = {e["id"]: e["kind"] for e in result["entities"]}
    return {b["entity_id"]: {m["name"]: m["value"] for m in b["metrics"] if "value" in m}
            for b in result["breakdowns"] if kinds[b["entity_id"]] == kind}


def test_chains_hold_the_documents_figures(mlia):
    document = json.loads(ESTIMATE.read_text())
    chains = figures(document, "chain")
    total = next(m["value"] for m in document["results"][0]["metrics"] if m["name"] == "total_cycles")
    rows = table(text(mlia, ESTIMATE), "Chain", "Operators")
    assert rows[0] == ["Chain", "Operators", "Total", "%", "Cum %", "Op", "DRAM", "Bound"]
    running = 0
    for row, (entity, values) in zip(rows[1:], sorted(chains.items(), key=lambda c: -c[1]["total_cycles"]), strict=True):
        running += values["total_cycles"]
        assert entity == f"chain/segment_{row[0]}"
        assert number(row[2]) == values["total_cycles"]
        assert number(row[3]) == pytest.approx(100 * values["total_cycles"] / total, abs=.05)
        assert number(row[4]) == pytest.approx(100 * running / total, abs=.05)
        assert (number(row[5]), number(row[6])) == (values["op_cycles"], values["dram_traffic_cycles"])


def test_metrics_hold_the_documents_figures(mlia):
    for path in DOCUMENTS:
        out = text(mlia, path)
        for metric in json.loads(path.read_text())["results"][0].get("metrics", []):
            line = next(x for x in out.splitlines() if x.startswith(f"  {metric['name']} "))
            if "value" not in metric:
                assert line.split(None, 2)[1:] == ["-", metric["reason"]]
                continue
            shown = line.split()
            assert shown[2] == metric["unit"]
            places = len(shown[1].partition(".")[2])
            assert number(shown[1]) == pytest.approx(metric["value"], abs=.5 * 10**-places + 1e-12)


def test_unavailable_metrics_come_last(mlia):
    lines = text(mlia, ESTIMATE).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Result 1"))
    names = [line.split()[0] for line in lines[start + 1:lines.index("", start)]]
    assert names[-1] == "cpu_utilization"


def test_memory_modules_and_lines(mlia):
    out = text(mlia, ESTIMATE)
    assert table(out, "Memory") == [["Memory", "Read", "Written", "Traffic", "of total"],
                                    ["l1", "0", "87,216", "542", "3.5 %"], ["dram", "222,570", "87,216", "6,362", "41.6 %"]]
    assert "\n    conv    9,569   62.5  conv2d, rescale\n" in out
    assert "\n  src/net.py:19 > src/blocks.py:9  3,661  23.9  depthwise_conv2d, rescale\n" in out


def test_measured_times(mlia):
    rows = table(text(mlia, RUNTIME), "Delegate call", "Operators")
    assert rows[1][2:] == ["6.400", "88.9", "88.9", "0.8000", "0.7400", "0.9100", "8"]


def test_compatibility_tables(mlia):
    out = text(mlia, PARTIAL)
    assert "\n  Non-NX (1 of 4 operators)\n" in out and "\n  Shader (2 of 4 operators)\n" in out
    row = next(line for line in out.splitlines() if line.startswith("  3 while_loop"))
    assert row.endswith("Control flow cannot be lowered to an NX graph: WHILE_LOOP with condition region 'cond_0'")
    assert table(out, "Type")[1] == ["CONV2D", "2", "1", "1", "-"]
    assert "\n  Checks  3 passed  1 failed\n" in out


def test_top_and_others(mlia):
    out = text(mlia, ESTIMATE, "--top", "1")
    rows = table(out, "Chain", "Operators")
    assert rows[1][0] == "0/0" and rows[2][:4] == ["2 others", "5,732", "37.5", "100.0"]
    assert "Chains (1 of 3, by total_cycles)" in out
    assert "Chains (3 of 3" in text(mlia, ESTIMATE, "--top", "0")


def test_group_by(mlia):
    out = text(mlia, ESTIMATE, "--group-by", "cascade", "--group-by", "source_operator")
    assert "Cascades (2 of 2" in out and "Operators (1 of 1" in out
    assert "Chains (" not in out and "Memory" not in out


def test_hidden_advice(mlia, tmp_path):
    config = tmp_path / "config.toml"
    config.write_text('[core]\nhide_advice = ["nx.top-chains"]\n')
    out = text(mlia, ESTIMATE, "--config", str(config))
    assert "nx.top-chains" not in out and "nx.memory-bound" in out


def test_texts_from_files_cannot_steer_the_terminal(mlia, tmp_path):
    document = json.loads(ESTIMATE.read_text())
    document["model"]["name"] = "a\x1b]0;owned\x07\u202eb\u5377\u7a4d.vgf"
    document["results"][0]["entities"][1]["name"] = "\x1b[2J"
    document["results"][0]["advice"][0]["message"] += "\x9b31m\r\n" + "\u5377" * 200
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(document))
    out = text(mlia, path, width=80)
    assert "a\\x1b]0;owned\\x07\\u{202e}b\u5377\u7a4d.vgf" in out
    assert not any(ord(c) < 32 or 0x7f <= ord(c) < 0xa0 for c in out.replace("\n", ""))
    assert max(map(cells, out.splitlines())) == 80


def test_ascii_terminal(mlia):
    run = mlia("report", str(ESTIMATE), env={"LC_ALL": "C", "COLUMNS": "60"})
    assert run.out.isascii() and "~" in run.out


def rows(mlia, path, form):
    run = mlia("report", str(path), "--format", form)
    assert run.status == 0, run
    return list(csv.DictReader(io.StringIO(run.out), strict=True))


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.stem)
def test_csv_has_every_figure(mlia, path):
    result = json.loads(path.read_text())["results"][0]
    expected = [("", m) for m in result.get("metrics", [])]
    expected += [(b["entity_id"], m) for b in result.get("breakdowns", []) for m in b["metrics"]]
    found = rows(mlia, path, "csv")
    assert len(found) == len(expected)
    for row, (entity, metric) in zip(found, expected):
        assert (row["entity_id"], row["metric"], row["unit"]) == (entity, metric["name"], metric["unit"])
        assert row["availability"] == metric.get("availability", "")
        assert (float(row["value"]) if row["value"] else None) == metric.get("value")
        assert row["samples"] == str(metric.get("samples", ""))


def test_wide_csv(mlia):
    document = json.loads(ESTIMATE.read_text())
    found = rows(mlia, ESTIMATE, "csv-wide")
    assert [r["entity_id"] for r in found] == [e["id"] for e in document["results"][0]["entities"]]
    for entity, values in figures(document, "chain").items():
        row = next(r for r in found if r["entity_id"] == entity)
        assert float(row["total_cycles [cycles]"]) == values["total_cycles"]


def test_csv_quotes_and_disarms(mlia, tmp_path):
    document = json.loads(PARTIAL.read_text())
    names = ['=1+1', '-x', 'a,"b"\nc', "@y"]
    for entity, name in zip(document["results"][0]["entities"], names):
        entity["name"] = name
        document["results"][0].setdefault("breakdowns", []).append({"id": entity["id"], "entity_id": entity["id"], "metrics": [
            {"name": "n", "value": 1, "unit": "count", "aggregation": "sum"}]})
    path = tmp_path / "names.json"
    path.write_text(json.dumps(document))
    found = [r["entity_name"] for r in rows(mlia, path, "csv") if r["entity_id"]]
    assert found == ["'=1+1", "'-x", 'a,"b"\nc', "'@y"]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.stem)
def test_json_is_the_document(mlia, path):
    assert mlia("report", str(path), "--format", "json").raw == path.read_bytes()
