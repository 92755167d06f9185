"""The answer does not depend on the compiler: two builds of the program (gcc, and clang with sanitizers) write the same bytes."""
import os
from pathlib import Path

import pytest

from conftest import DATA, ROOT

OTHER = os.environ.get("MLIA_OTHER_PROGRAM")
MODELS = sorted([*(ROOT / "examples").glob("*.vgf"), *(ROOT / "examples").glob("*.tosa"), *(DATA / "tflite/models").glob("*.tflite"),
                 *(DATA / "vgf").glob("*.vgf"), *(DATA / "tosa/valid").glob("*.tosa")])
SAME_RUN = {"MLIA_RUN_ID": "01890000-0000-7000-8000-000000000000", "SOURCE_DATE_EPOCH": "1000000000"}


@pytest.mark.skipif(not OTHER, reason="MLIA_OTHER_PROGRAM names no second build")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_two_builds_agree(mlia, model):
    words = ["check", model, "-t", "neural-technology", "--performance", "--compatibility", "--no-output", "--json"]
    ours = mlia(*words, env=SAME_RUN)
    theirs = mlia(*words, env=SAME_RUN, program=Path(OTHER).resolve())
    assert (ours.status, ours.raw, ours.err) == (theirs.status, theirs.raw, theirs.err)
