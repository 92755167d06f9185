#!/usr/bin/env python3
"""Writes the parts of README.md and docs/ that repeat what the program says: the demo's report, the kinds of errors and the
options of every command.

  make_docs.py            write        make_docs.py --check    say what would change (exit status 1)"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("MLIA_PROGRAM", ROOT / "build/mlia")).resolve()
EXIT = {"USAGE": 2, "CONFIG": 2, "GATE": 3, "BATCH": 5, "INTERNAL": 70, "WARNING": "-", "NOTE": "-"}


def kinds():
    """The tables of kinds.def under their comments."""
    lines, heading = [], None
    for line in (ROOT / "src/base/kinds.def").read_text().splitlines()[3:]:
        comment = re.fullmatch(r"/\* (.+) \*/", line)
        row = re.fullmatch(r"X\((\w+), (\w+)\)", line)
        if comment:
            heading = comment[1]
        elif row:
            if heading:
                title, _, text = heading.partition(": ")
                lines += ["", f"### {title[0].upper()}{title[1:]}", *(["", f"{text[0].upper()}{text[1:]}."] if text else []), "",
                          "| kind | class | exit status |", "|---|---|---|"]
                heading = None
            lines.append(f"| `{row[1]}` | {row[2].lower()} | {EXIT.get(row[2], 1)} |")
    return "\n".join(lines).strip()


def help_of(*words):
    return subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True,
                          env={"COLUMNS": "110", "PATH": os.environ["PATH"]}).stdout


def commands():
    text = help_of()
    names = re.findall(r"^  ([a-z]+(?: [a-z]+)?) {2,}\S", text.split("Commands:\n")[1].split("\n\n")[0], re.M)
    parts = []
    for name in names:
        body = help_of(*name.split()).split("\nCommon options:\n")[0].rstrip()
        tail = help_of(*name.split()).split("\nCommon options:\n")[1].split("\n\n", 1)
        parts += [f"### mlia {name}", "", "```", body, *(["", tail[1].rstrip()] if len(tail) > 1 else []), "```", ""]
    common = help_of("help").split("\nCommon options:\n")[1].rstrip()
    parts += ["### Options of every command", "", "```", common, "```"]
    return "\n".join(parts)


def demo():
    """The command of `make demo` and what it prints on a terminal of 80 columns."""
    words = ["check", "examples/keyword_spotter.vgf", "--target-profile", "neural-technology", "--compatibility", "--performance",
             "--no-output"]
    report = subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True, cwd=ROOT,
                            env={"COLUMNS": "80", "LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}).stdout
    return f"```\n$ mlia {' '.join(words[:4])} \\\n      {' '.join(words[4:])}\n{report.rstrip()}\n```"


def put(path, name, text):
    """Replaces what stands between the marks of a part."""
    begin, end = f"<!-- {name}: made by scripts/make_docs.py -->", f"<!-- end of {name} -->"
    old = path.read_text()
    head, rest = old.split(begin)
    new = f"{head}{begin}\n\n{text}\n\n{end}{rest.split(end)[1]}"
    if "--check" in sys.argv:
        if new != old:
            print(f"{path.relative_to(ROOT)}: the part '{name}' is out of date; run scripts/make_docs.py", file=sys.stderr)
        return new != old
    path.write_text(new)
    return False


stale = [put(ROOT / "README.md", "demo", demo()), put(ROOT / "docs/errors.md", "kinds", kinds()), put(ROOT / "docs/user-guide.md", "commands", commands())]
sys.exit(any(stale))
