"""Random TensorFlow Lite models: a few seeds of every maker of tflite_random against the LiteRT interpreter. Prints a table:
operator and type, cases, exact ones, largest difference. `tflite_judges.py` runs the same in volume and beside the official
converter."""
import json
from pathlib import Path

import pytest

pytest.importorskip("ai_edge_litert.interpreter", reason="needs the Python package ai-edge-litert")
pytest.importorskip("flatbuffers", reason="needs the Python package flatbuffers")
import tflite_judges as judges  # noqa: E402
from difference_table import table  # noqa: E402, F401

SEEDS = range(5)
MENDED = Path(__file__).parent.parent / "data" / "tflite" / "mended"
CASES = json.loads((MENDED / "cases.json").read_text())


@pytest.mark.parametrize("name", list(judges.frame.MAKERS))
def test_random(name, table, tmp_path):
    compared = 0
    for seed in SEEDS:
        case = judges.frame.Case(name, seed)
        verdict = judges.try_case(case, tmp_path)
        if isinstance(verdict, str):
            continue  # the interpreter does not run it
        status, difference, text, _ = verdict.ours
        if verdict.note in ("empty", "as the optimised kernels"):
            continue
        assert status in ("exact", "within") or (case.label, status) in judges.LEFT, (case.label, seed, status, difference, text)
        compared += 1
        row = table[case.label]
        row[0] += 1
        row[1] += status == "exact"
        row[2] = max(row[2], difference)
    assert compared > 0


@pytest.mark.parametrize("key", sorted(CASES))
def test_mended(key, tmp_path):
    """Models that were once converted wrongly, or not at all, with the recorded answers of the interpreter."""
    case = judges.Recorded(MENDED, key, CASES[key])
    outcome = judges.ours(case, MENDED / f"{key}.tflite", case.expected, tmp_path)
    assert outcome.status in ("exact", "within"), outcome


def test_there_are_mended_cases():
    assert len(CASES) >= 25
