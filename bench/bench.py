#!/usr/bin/env python3
"""Times and memory of the program, beside sha256sum and the official tools in the same run.

    bench/bench.py [build/mlia]

Prints wall milliseconds (best of several runs) and peak resident MiB. MLIA's published figures stand beside for
comparison: Python MLIA 0.12.3, Python 3.11, warm cache, two shared cores. Larger models are measured when MLIA_FIXTURES
names their folder. Nothing here passes or fails.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/mlia").resolve())
TARGET = ["--target-profile", "neural-technology", "--no-output"]
VENV = pathlib.Path(sys.executable).parent


def measure(command, runs=7):
    """Best wall time in ms and largest peak memory in MiB of `command`, which must succeed."""
    best = float("inf")
    peak = 0
    for _ in range(runs):
        started = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: exit status {process.returncode}")
        best = min(best, (time.perf_counter() - started) * 1000)
        peak = max(peak, usage.ru_maxrss / 1024)
    return best, peak


def row(what, figures, remark=""):
    print(f"{what:<58}{figures[0]:>10.1f} ms {figures[1]:>8.1f} MiB  {remark}")


def large_text(folder, operators):
    """MLIR text of a chain of `operators` additions."""
    path = folder / f"chain_{operators}.mlir"
    kind = "tensor<1x8x8x16xi32>"
    with path.open("w") as out:
        out.write(f"func.func @main(%a: {kind}) -> {kind} {{\n  %0 = tosa.add %a, %a : ({kind}, {kind}) -> {kind}\n")
        for i in range(1, operators):
            out.write(f"  %{i} = tosa.add %{i - 1}, %a : ({kind}, {kind}) -> {kind}\n")
        out.write(f"  return %{operators - 1} : {kind}\n}}\n")
    return path


def models():
    found = [ROOT / "examples/keyword_spotter.vgf", ROOT / "examples/keyword_spotter.tosa"]
    fixtures = os.environ.get("MLIA_FIXTURES")
    if fixtures:
        found += sorted(pathlib.Path(fixtures).glob("calibration/*.vgf"))
        found += sorted(pathlib.Path(fixtures).glob("models/*.vgf"))
    return found


def tflite_models():
    found = [ROOT / "tests/data/tflite/models/softmax_i8.tflite"]
    fixtures = os.environ.get("MLIA_FIXTURES")
    if fixtures:
        found += sorted(pathlib.Path(fixtures).glob("models/*.tflite"))
    return found


def main():
    print("start-up")
    published = {"--help": "MLIA 411 ms, 51 MiB", "--version": "MLIA 426 ms, 51 MiB"}
    for option, remark in published.items():
        row(f"  mlia {option}", measure([PROGRAM, option]), remark)
    row("  mlia target list", measure([PROGRAM, "target", "list"]), "MLIA 626 ms, 59 MiB")
    row("  mlia backend list", measure([PROGRAM, "backend", "list"]), "MLIA 536 ms, 53 MiB")

    print("check, beside sha256sum of the same file  (MLIA on a 54 kB model: 925 ms, 70 MiB)")
    for model in models():
        base = measure(["sha256sum", model], 15)
        for category in ("--compatibility", "--performance"):
            figures = measure([PROGRAM, "check", model, category, *TARGET])
            row(f"  {model.name} ({model.stat().st_size:,} B) {category[2:]}", figures, f"{figures[0] / base[0]:.1f} × sha256sum")

    print("MLIR text to VGF, beside the official converter")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        texts = sorted(pathlib.Path(os.environ.get("MLIA_FIXTURES", "/nonexistent")).glob("calibration/*.tosamlir"))
        for text in texts:
            ours = measure([PROGRAM, "convert", text, "-o", folder / "ours.vgf"])
            theirs = measure([VENV / "model-converter", "-i", text, "-o", folder / "theirs.vgf"], 3)
            row(f"  {text.name}", ours, f"official {theirs[0]:.0f} ms, {theirs[1]:.0f} MiB: {theirs[0] / ours[0]:.1f} × faster")

        print("a graph of 100 000 operators")
        text = large_text(folder, 100_000)
        row("  convert MLIR text to TOSA", measure([PROGRAM, "convert", text, "-o", folder / "large.tosa"], 1))
        for category in ("--compatibility", "--performance"):
            row(f"  check {category[2:]}", measure([PROGRAM, "check", folder / "large.tosa", category, *TARGET, "--json"], 1))

    print("TensorFlow Lite to VGF, beside the official converters one after the other")
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for model in tflite_models():
            ours = measure([PROGRAM, "convert", model, "-o", folder / "ours.vgf"])
            row(f"  {model.name} ({model.stat().st_size:,} B)", ours)
            text, static = folder / "theirs.mlir", folder / "ours.tosamlir"
            official = VENV / "tosa-converter-for-tflite", VENV / "model-converter"
            if not all(tool.exists() for tool in official):
                continue
            to_text = measure([official[0], model, "-o", text, "--text"], 3)
            # Its own output has unknown batches, which the next tool refuses: it gets our text of the same network.
            measure([PROGRAM, "convert", model, "-o", static], 1)
            to_vgf = measure([official[1], "-i", static, "-o", folder / "theirs.vgf"], 3)
            both = to_text[0] + to_vgf[0], max(to_text[1], to_vgf[1])
            row("    tosa-converter-for-tflite and model-converter", both, f"{both[0] / ours[0]:.1f} × ours")


if __name__ == "__main__":
    main()
