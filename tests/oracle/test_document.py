"""Documents against their JSON schema, the judge check_output.py and Python's numbers."""
import copy
import importlib.util
import json
import os
import random
import struct
import subprocess
from pathlib import Path

import pytest

jsonschema = pytest.importorskip("jsonschema", reason="needs the package jsonschema")
referencing = pytest.importorskip("referencing", reason="needs the package referencing")

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("MLIA_PROGRAM", "build/mlia"))
TOOL = PROGRAM.parent / "document-tool"
DATA = ROOT / "tests/data/result"
DOCUMENTS = sorted((DATA / "documents").glob("*.json"))
SCHEMA = json.loads((ROOT / "docs/mlia-output.schema.json").read_text())


def load_judge():
    spec = importlib.util.spec_from_file_location("check_output", DATA / "check_output.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


judge = load_judge()


def validator(strict):
    registry = referencing.Registry().with_resource(SCHEMA["$id"], referencing.Resource.from_contents(SCHEMA))
    root = {"$ref": SCHEMA["$id"] + ("#/$defs/strict" if strict else "")}
    return jsonschema.Draft202012Validator(root, registry=registry)


def tool(*arguments, **options):
    return subprocess.run([TOOL, *arguments], capture_output=True, text=True, **options)


def faults(path, *options):
    done = tool("validate", *options, path)
    assert done.returncode in (0, 1), done.stderr
    lines = [line.split(": ", 2) for line in done.stdout.splitlines()]
    assert (done.returncode == 1) == bool(lines)
    return lines


def test_documents_are_there():
    assert len(DOCUMENTS) == 7


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.stem)
def test_example(path):
    assert faults(path, "--strict") == []
    assert list(judge.check(path)) == []
    assert tool("rewrite", path).stdout == path.read_text()


def mutants(seed, count):
    """Documents with one or two members or items dropped, replaced or added."""
    rng = random.Random(seed)
    originals = [json.loads(p.read_text()) for p in DOCUMENTS]
    values = [None, True, 0, 1, -1, 1.5, 2.0, "", "x", " ", "\u00a0", [], {}, ["a"], ["a", "a"], [1], [["x"]], {"a": 1},
              "unavailable", "NX", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00+01:00", "0" * 64, {"placement": "XX"},
              {"phase": "before"}, {"b": None}, {"1": None}, "sum", 1e300]

    def places(value):
        if isinstance(value, (dict, list)):
            yield value
            for item in value.values() if isinstance(value, dict) else value[:6]:
                yield from places(item)

    names = sorted({n for d in originals for o in places(d) if isinstance(o, dict) for n in o}) + ["unknown"]
    for _ in range(count):
        document = copy.deepcopy(rng.choice(originals))
        for _ in range(rng.choice([1, 1, 2])):
            place = rng.choice(list(places(document)))
            if isinstance(place, list):
                if place:
                    place[rng.randrange(len(place))] = rng.choice(values)
            elif place and rng.random() < .3:
                del place[rng.choice(list(place))]
            elif place and rng.random() < .7:
                place[rng.choice(list(place))] = rng.choice(values)
            else:
                place[rng.choice(names)] = rng.choice(values)
        yield document


def test_refuses_what_the_schema_refuses(tmp_path):
    schema, path, refused = validator(strict=False), tmp_path / "mutant.json", 0
    for document in mutants(1, 600):
        path.write_text(json.dumps(document))
        found = any(rule == "schema" for rule, *_ in faults(path))
        expected = not schema.is_valid(document)
        refused += expected
        assert found == expected, path.read_text()[:400]
    assert refused > 200


def test_strict_refuses_what_the_judge_refuses(tmp_path):
    """Rules R1 to R12 and the strict schema. The judge looks at the order of fewer members and lists (R11, R12)."""
    path, refused = tmp_path / "mutant.json", 0
    for document in mutants(2, 300):
        try:
            path.write_text(judge.canonical(document) + "\n")
            expected = {rule for rule, _ in judge.check(path)}
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            continue  # so broken that the judge cannot go on
        found = {rule for rule, *_ in faults(path, "--strict")}
        refused += bool(expected)
        assert found or not expected, (expected, path.read_text()[:400])
        assert expected or found <= {"R11", "R12"}, (found, path.read_text()[:400])
    assert refused > 100


def test_post_processed_documents_are_strict(tmp_path):
    """The estimate without its projected figures and code lines: post-processing brings both back, byte for byte."""
    original = json.loads((DATA / "documents/estimated-performance.json").read_text())
    bare = copy.deepcopy(original)
    result = bare["results"][0]
    result["breakdowns"] = [b for b in result["breakdowns"] if "id" in b]
    result["entities"] = [e for e in reversed(result["entities"]) if e["kind"] != "code_line"]
    for entity in result["entities"]:
        entity["parent_ids"] = [p for p in entity.get("parent_ids", []) if not p.startswith("code_line/")]
    path = tmp_path / "bare.json"
    path.write_text(json.dumps(bare))
    made = tool("postprocess", path, "code_stack", "file", "**/site-packages/torch/**").stdout
    assert made == (DATA / "documents/estimated-performance.json").read_text()


def ecmascript(value):
    """Number::toString of ECMAScript from the shortest digits that Python's repr gives."""
    if value == 0:
        return "0"
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    return sign + digits[0] + ("." + digits[1:] if count > 1 else "") + "e" + ("+" if point > 0 else "-") + str(abs(point - 1))


def test_numbers():
    """A million doubles: random bits, powers of two, subnormal ones, decimals, large integers."""
    rng, values = random.Random(1), [5e-324, 2.0**-44, 1e21, 1e-7, 1e-6, 123456789012345680000.0, 0.0, -0.0, 2.0**53]
    makers = [lambda: struct.unpack("<d", rng.randbytes(8))[0], lambda: 2.0 ** rng.randint(-1074, 1023),
              lambda: struct.unpack("<d", struct.pack("<Q", rng.getrandbits(52)))[0],
              lambda: rng.random() * 10 ** rng.randint(-10, 25), lambda: round(rng.random() * 1e6, rng.randint(0, 6)),
              lambda: float(rng.randint(-10**20, 10**20))]
    while len(values) < 1000000:
        value = makers[len(values) % len(makers)]()
        if abs(value) < float("inf"):
            values.append(value)
    text = "\n".join(struct.pack(">d", v).hex() for v in values) + "\n"
    written = tool("numbers", input=text).stdout.splitlines()
    assert len(written) == len(values)
    wrong = [(v, w) for v, w in zip(values, written) if w != ecmascript(v)]
    assert wrong == []
