#!/usr/bin/env python3
"""Compares two VGF files as programs that run them would: container (names aside), constants, and the content of every
graph module whatever its ids, order of declarations and debug information.

    compare_vgf.py OURS THEIRS      exit status 0 when they are the same; else the differences, one a line
"""
import json
import struct
import subprocess
import sys
from pathlib import Path

TYPES = {19: "void", 20: "bool", 21: "int", 22: "float", 28: "array", 30: "struct", 32: "pointer", 4163: "tensor", 4190: "graph"}
CONSTANTS = {41, 42, 43, 44, 46, 4461, 4181}


def text(words):
    raw = struct.pack(f"<{len(words)}I", *words)
    end = raw.index(0)
    return raw[:end].decode("utf-8", "replace"), end // 4 + 1


def describe(data):
    """The content of a module as comparable Python data."""
    words = struct.unpack(f"<{len(data) // 4}I", data)
    value, debug_sets, module = {}, set(), {"capabilities": set(), "extensions": set(), "sets": set(), "body": [], "constants": []}
    decorations, at, results = {}, 5, 0
    while at < len(words):
        op, count = words[at] & 0xFFFF, words[at] >> 16
        a = words[at + 1:at + count]
        at += count
        if op == 17:
            module["capabilities"].add(a[0])
        elif op == 10:
            module["extensions"].add(text(a)[0])
        elif op == 11:
            name = text(a[1:])[0]
            if name.startswith("NonSemantic."):
                debug_sets.add(a[0])
            else:
                module["sets"].add(name)
            value[a[0]] = name
        elif op == 71:
            decorations.setdefault(a[0], {})[a[1]] = a[2:]
        elif op in TYPES:
            if op == 4190:
                value[a[0]] = ("graph", a[1]) + tuple(value[x] for x in a[2:])
            elif op in (21, 22):
                value[a[0]] = (TYPES[op],) + tuple(a[1:])
            elif op == 32:
                value[a[0]] = ("pointer", a[1], value[a[2]])
            else:
                value[a[0]] = (TYPES[op],) + tuple(value[x] for x in a[1:])
        elif op == 43:
            value[a[1]] = ("constant", value[a[0]]) + tuple(a[2:])
        elif op == 4181:
            value[a[1]] = ("graph constant", value[a[0]], a[2])
            module["constants"].append((a[2], value[a[0]]))
        elif op in CONSTANTS:
            value[a[1]] = (op, value[a[0]]) + tuple(value[x] for x in a[2:])
        elif op == 59:
            value[a[1]] = ("variable", value[a[0]])
        elif op == 4182:
            name, used = text(a[1:])
            module["entry"] = name
            module["interface"] = [(value[v], decorations.get(v)) for v in a[1 + used:]]
        elif op == 4183:
            module["type"] = value[a[0]]
        elif op == 4184:
            value[a[1]] = ("input", value[a[2]][2])
            module["body"].append(("input", value[a[0]], value[a[2]][2]))
        elif op == 12 and a[2] not in debug_sets:
            call = value[a[2]].startswith("Arm.Experimental")
            operands = (a[4],) + tuple(value[x] for x in a[5:]) if call else tuple(value[x] for x in a[4:])
            value[a[1]] = ("result", results)
            results += 1
            module["body"].append((value[a[2]], a[3], value[a[0]]) + operands)
        elif op == 81:
            value[a[1]] = ("part", value[a[2]], a[3])
        elif op == 4185:
            module["body"].append(("output", value[a[0]], value[a[1]][2]))
    module["constants"].sort()
    module["extensions"].discard("SPV_KHR_non_semantic_info")
    return module


def dump(file):
    return json.loads(subprocess.run(["vgf_dump", "-i", file], capture_output=True, text=True, check=True).stdout)


def part(file, option, index, folder):
    target = Path(folder) / "part"
    subprocess.run(["vgf_dump", "-i", file, option, str(index), "-o", target], capture_output=True, check=True)
    return target.read_bytes()


def differences(ours, theirs, folder):
    a, b = dump(ours), dump(theirs)
    for view in (a, b):
        for slot in view["model_sequence"]["inputs"] + view["model_sequence"]["outputs"]:
            slot.pop("name")
    found = [f"{key}: {json.dumps(a[key])} / {json.dumps(b[key])}" for key in b if a.get(key) != b[key]]
    if len(a["modules"]) != len(b["modules"]) or len(a["constants"]) != len(b["constants"]):
        return found
    for constant in b["constants"]:
        if part(ours, "--dump-constant", constant["index"], folder) != part(theirs, "--dump-constant", constant["index"], folder):
            found.append(f"constant {constant['index']}: other bytes")
    for module in b["modules"]:
        if not module["shader_code_available"]:
            continue
        option = {"SPIR-V": "--dump-spirv", "GLSL": "--dump-glsl", "HLSL": "--dump-hlsl"}[module["shader_type"]]
        left, right = (part(f, option, module["index"], folder) for f in (ours, theirs))
        if module["type"] != "GRAPH":
            found += [] if left == right else [f"module {module['index']}: other code"]
            continue
        left, right = describe(left), describe(right)
        for key in right:
            if left.get(key) == right[key]:
                continue
            if key != "body":
                found.append(f"module {module['index']} {key}: {left.get(key)} / {right[key]}")
                continue
            for i in range(max(len(left[key]), len(right[key]))):
                x, y = (side[key][i] if i < len(side[key]) else None for side in (left, right))
                if x != y:
                    found.append(f"module {module['index']} body {i}: {x} / {y}")
    return found


if __name__ == "__main__":
    import tempfile
    with tempfile.TemporaryDirectory() as work:
        lines = differences(sys.argv[1], sys.argv[2], work)
    print("\n".join(lines))
    sys.exit(1 if lines else 0)
