#!/usr/bin/env python3
"""Judge of result documents: JSON Schema plus the cross-reference and producer rules R1-R12 of docs/output.md.

  check_output.py                 check every example of this folder, then the refused and the projection cases
  check_output.py [--any] FILE..  check documents; --any drops the producer rules (documents of other tools)

Needs the package jsonschema (4.18 or later). Exit status 1 when anything is wrong."""
import json
import math
import re
import sys
from collections import Counter
from pathlib import Path

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

HERE = Path(__file__).resolve().parent
SCHEMA = HERE / "../../../docs/mlia-output.schema.json"
WELL_KNOWN = {"source_operator", "model", "code_stack", "code_line"}
WELL_KNOWN_EDGES = {("code_line", "code_stack"), ("code_stack", "code_stack"), ("code_stack", "source_operator")}
RANK = ["model", "segment", "cascade", "chain", "performance_group", "stripe", "delegate_call", "nn_module", "code_stack",
        "code_line", "source_operator"]
STANDARD = ["accelerator_operator_percentage", "inferences_per_second", "cpu_utilization", "target_utilization", "inference_time",
            "model_weight_memory", "peak_activation_memory", "average_memory"]
ORDER = {
    "document": "schema_version run_id timestamp tool target model context backends results extensions".split(),
    "result": "kind status producer mode warnings errors metrics breakdowns checks entities entity_kinds advice".split(),
    "entity": "id kind name placement parent_ids child_ids attributes stack_trace".split(),
    "metric": "name value unit aggregation samples availability reason qualifiers".split(),
    "breakdown": "id entity_id metrics qualifiers".split(),
    "check": "id status entity_id details".split(),
    "advice": "id category severity message affected_entity_ids details".split(),
    "kind": "id parent_kinds child_kinds".split(),
}


def key(value):
    return json.dumps(value or {}, sort_keys=True)


def natural(text):
    return [(0, int(t), "") if t.isdigit() else (1, 0, t) for t in re.findall(r"[0-9]+|[^0-9]+", text)]


def entity_key(e):
    known = e["kind"] in RANK
    return (RANK.index(e["kind"]) if known else len(RANK), "" if known else e["kind"], natural(e["id"]))


def references(result):
    """Rules R1-R5: what any reader may demand of any 1.2.0 document. Yields (rule, text)."""
    entities = result.get("entities", [])
    kind = {e["id"]: e["kind"] for e in entities}
    for i, n in Counter(e["id"] for e in entities).items():
        if n > 1:
            yield "R1", f"entity id {i!r} is used {n} times"
    named = [(r, e["id"] + "." + f) for e in entities for f in ("parent_ids", "child_ids") for r in e.get(f, [])]
    named += [(b["entity_id"], "breakdown") for b in result.get("breakdowns", [])]
    named += [(c["entity_id"], "check") for c in result.get("checks", []) if c.get("entity_id") is not None]
    named += [(r, "advice") for a in result.get("advice", []) for r in a.get("affected_entity_ids", [])]
    for r, where in named:
        if r not in kind:
            yield "R2", f"{where}: {r!r} is no entity of this result"
    edges = {(e["id"], c) for e in entities for c in e.get("child_ids", [])}
    edges |= {(p, e["id"]) for e in entities for p in e.get("parent_ids", [])}
    children = {}
    for a, b in edges:
        children.setdefault(a, []).append(b)
    state = {}
    for start in kind:
        stack = [(start, iter(children.get(start, ())))] if start not in state else []
        state.setdefault(start, 1)
        while stack:
            node, rest = stack[-1]
            nxt = next(rest, None)
            if nxt is None:
                state[node] = 2
                stack.pop()
            elif state.get(nxt) == 1:
                yield "R3", f"cycle through {nxt!r}"
            elif nxt not in state:
                state[nxt] = 1
                stack.append((nxt, iter(children.get(nxt, ()))))
    declared = result.get("entity_kinds", [])
    known = WELL_KNOWN | {k["id"] for k in declared}
    for i, n in Counter(k["id"] for k in declared).items():
        if n > 1:
            yield "R4", f"kind {i!r} is declared {n} times"
        if i in WELL_KNOWN:
            yield "R4", f"kind {i!r} is well known and may not be declared"
    for k in declared:
        for r in k.get("parent_kinds", []) + k.get("child_kinds", []):
            if r not in known:
                yield "R4", f"kind {k['id']!r} names the unknown kind {r!r}"
    for e in entities:
        if e["kind"] not in known:
            yield "R4", f"entity {e['id']!r} has the undeclared kind {e['kind']!r}"
    allowed = set(WELL_KNOWN_EDGES)
    for k in declared:
        allowed |= {(p, k["id"]) for p in k.get("parent_kinds", [])} | {(k["id"], c) for c in k.get("child_kinds", [])}
    for a, b in sorted(edges):
        if a in kind and b in kind and kind[a] in known and kind[b] in known and (kind[a], kind[b]) not in allowed:
            yield "R5", f"edge {a!r} ({kind[a]}) -> {b!r} ({kind[b]}) is not declared"


def producer(result):
    """Rules R6-R12: what this program promises on top."""
    for n, c in Counter((b["entity_id"], key(b.get("qualifiers"))) for b in result.get("breakdowns", [])).items():
        if c > 1:
            yield "R6", f"{c} breakdowns for {n}"
    lists = [result.get("metrics", [])] + [b["metrics"] for b in result.get("breakdowns", [])]
    for metrics in lists:
        for n, c in Counter((m["name"], m["unit"], key(m.get("qualifiers"))) for m in metrics).items():
            if c > 1:
                yield "R7", f"metric {n} appears {c} times"
    entities = result.get("entities", [])
    down = {(e["id"], c) for e in entities for c in e.get("child_ids", [])}
    up = {(p, e["id"]) for e in entities for p in e.get("parent_ids", [])}
    for a, b in sorted(down ^ up):
        yield "R8", f"edge {a!r} -> {b!r} is written on one side only"
    for metrics in lists:
        for m in metrics:
            v = m.get("value", 0)
            if not math.isfinite(v) or v < 0 or abs(v) > 2**53 - 1:
                yield "R9", f"{m['name']} = {v}"
            if m["unit"] in ("cycles", "bytes", "count") and isinstance(v, float):
                yield "R9", f"{m['name']} = {v!r} is not written as an integer"
            if m["unit"] == "%" and v > 100:
                yield "R9", f"{m['name']} = {v} %"
    value = {}
    for b in result.get("breakdowns", []):
        if "id" in b:
            for m in b["metrics"]:
                if m.get("aggregation") == "sum" and "value" in m:
                    value[b["entity_id"], key(b.get("qualifiers")), m["name"], key(m.get("qualifiers"))] = m["value"]
    parents = Counter(c for _, c in down)
    for e in entities:
        if e["kind"] in ("segment", "cascade", "chain") and all(parents[c] == 1 for c in e.get("child_ids", [])):
            for (i, q, n, mq), v in list(value.items()):
                parts = [value.get((c, q, n, mq)) for c in e.get("child_ids", [])] if i == e["id"] else []
                if parts and None not in parts and sum(parts) != v:
                    yield "R10", f"{i}: {n} is {v}, its parts sum to {sum(parts)}"
    if result["kind"] == "performance" and result["status"] in ("ok", "partial"):
        if [m["name"] for m in result["metrics"][:8]] != STANDARD:
            yield "R11", "the eight standard metrics do not lead the list in order"
    if entities != sorted(entities, key=entity_key):
        yield "R11", "entities are out of order"
    place = {e["id"]: n for n, e in enumerate(sorted(entities, key=entity_key))}
    for e in entities:
        for f in ("parent_ids", "child_ids"):
            ids = [i for i in e.get(f, []) if i in place]
            if ids != sorted(ids, key=place.get):
                yield "R11", f"{e['id']}.{f} is out of order"
    rows = [("id" not in b, place.get(b["entity_id"], -1), key(b.get("qualifiers"))) for b in result.get("breakdowns", [])]
    if rows != sorted(rows):
        yield "R11", "breakdowns are out of order"
    shapes = [("result", [result])] + [(s, result.get(f, [])) for s, f in (("entity", "entities"), ("breakdown", "breakdowns"), (
        "check", "checks"), ("kind", "entity_kinds"), ("advice", "advice"))] + [("metric", m) for m in lists]
    for shape, items in shapes:
        for o in items:
            if list(o) != [k for k in ORDER[shape] if k in o]:
                yield "R12", f"members of a {shape} are out of order: {list(o)}"


def number(v):
    """RFC 8785 number text (ECMAScript Number::toString)."""
    if isinstance(v, int):
        return str(v)
    if v == int(v) and abs(v) < 2**53:
        return str(int(v))
    mantissa, _, exponent = repr(abs(v)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits, point = whole + (fraction if fraction != "0" else ""), len(whole) + int(exponent or 0)
    point -= len(digits) - len(digits.lstrip("0"))
    digits = digits.strip("0")
    sign, count = "-" if v < 0 else "", len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    return f"{sign}{digits[0]}{'.' + digits[1:] if count > 1 else ''}e{point - 1:+d}"


def canonical(o, indent=0):
    pad = " " * (indent + 4)
    if isinstance(o, dict) and o:
        return "{\n" + ",\n".join(pad + json.dumps(k) + ": " + canonical(v, indent + 4) for k, v in o.items()) + "\n" + " " * indent + "}"
    if isinstance(o, list) and o:
        return "[\n" + ",\n".join(pad + canonical(v, indent + 4) for v in o) + "\n" + " " * indent + "]"
    return number(o) if isinstance(o, (int, float)) and not isinstance(o, bool) else json.dumps(o)


def unique(pairs):
    names = [k for k, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("duplicate member name")
    return dict(pairs)


def check(path, strict=True):
    text = Path(path).read_text("utf-8")
    document = json.loads(text, object_pairs_hook=unique)
    schema = json.loads(SCHEMA.read_text())
    registry = Registry().with_resource(schema["$id"], Resource.from_contents(schema))
    root = {"$ref": schema["$id"] + ("#/$defs/strict" if strict else "")}
    for e in Draft202012Validator(root, registry=registry).iter_errors(document):
        yield "schema", f"{e.json_path}: {e.message[:200]}"
    for n, result in enumerate(document.get("results", [])):
        for rule, text_ in references(result):
            yield rule, f"results[{n}]: {text_}"
        for rule, text_ in producer(result) if strict else ():
            yield rule, f"results[{n}]: {text_}"
    if strict and list(document) != [k for k in ORDER["document"] if k in document]:
        yield "R12", "document members are out of order"
    if strict and text != canonical(document) + "\n":
        yield "R12", "layout or number text is not canonical"


def main(argv):
    strict = "--any" not in argv
    files = [a for a in argv if a != "--any"]
    bad = 0
    for f in files or sorted((HERE / "documents").glob("*.json")):
        faults = list(check(f, strict))
        bad += bool(faults)
        print(f"{'FAIL' if faults else 'ok':4} {Path(f).name}")
        for rule, text in faults[:20]:
            print(f"     {rule}: {text}")
    if not files:
        for case in json.loads((HERE / "projection/invalid.json").read_text()):
            rules = {r for r, _ in references(case["result"])}
            good = case["rule"] in rules
            bad += not good
            print(f"{'ok' if good else 'FAIL':4} refused {case['case']} ({case['rule']}; found {sorted(rules)})")
        for f in sorted((HERE / "projection").glob("[0-9]*.json")):
            case = json.loads(f.read_text())
            faults = [x for part in ("input", "expected") for x in references(case[part])]
            bad += bool(faults)
            print(f"{'FAIL' if faults else 'ok':4} projection {f.name} {faults[:3] or ''}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
