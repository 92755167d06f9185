#!/usr/bin/env python3
"""Checks src/base/kinds.def against the sources: each kind of the table is raised somewhere, none is raised twice by name."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
table = re.findall(r"^X\((\w+),", (root / "src/base/kinds.def").read_text(), re.M)
used = set()
for path in (root / "src").rglob("*.[ch]"):
    used.update(re.findall(r"MLIA_([EWN]_[A-Z0-9_]+)", path.read_text()))
for path in (root / "src").rglob("*.def"):
    if path.name != "kinds.def":
        used.update(re.findall(r"\b([EWN]_[A-Z0-9_]+)\b", path.read_text()))
status = 0
for kind in table:
    if table.count(kind) > 1:
        print(f"src/base/kinds.def: {kind} stands there twice", file=sys.stderr)
        status = 1
    if kind not in used:
        print(f"src/base/kinds.def: nothing raises {kind}", file=sys.stderr)
        status = 1
sys.exit(status)
