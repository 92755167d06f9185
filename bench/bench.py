#!/usr/bin/env python3
"""Times and memory of the program, beside sha256sum and the official tools in the same run.

    bench/bench.py [build/mlia]

Wall time is the best of several runs, memory the largest peak of resident memory, both taken by measure.c. The official
model-converter is the native program inside its Python package: starting it through Python would only make it slower.
Ratios: how many times faster we are, and our peak memory as a part of theirs. Handed models are measured when
MLIA_FIXTURES names their folder. MLIA's published figures stand beside for comparison: Python MLIA 0.12.3, Python 3.11,
warm cache, two shared cores. Nothing here passes or fails.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

import generate

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/mlia").resolve()
MEASURE = PROGRAM.parent / "measure"
FIXTURES = pathlib.Path(os.environ["MLIA_FIXTURES"]) if "MLIA_FIXTURES" in os.environ else None
TARGET = ["--target-profile", "neural-technology", "--no-output"]
SECONDS = 60  # the official converter never ends on some files that it refuses
MIB = 1 << 20


def official_converter():
    package = importlib.util.find_spec("model_converter")
    found = package and pathlib.Path(package.origin).parent / "binaries/bin/model-converter"
    return found if found and found.exists() else None


class Figures:
    """Time in ms and peak memory in MiB of a command."""

    def __init__(self, time, memory):
        self.time, self.memory = time, memory

    def __str__(self):
        return f"{self.time:9.2f} ms {self.memory:7.1f} MiB"


def measure(command, runs=7):
    """Figures, or the exit status of a command that fails."""
    command = [MEASURE, str(runs), str(SECONDS), *map(str, command)]
    status, nanoseconds, kibibytes = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return Figures(int(nanoseconds) / 1e6, int(kibibytes) / 1024) if status == "0" else int(status)


def ours(*arguments, runs=7):
    figures = measure([PROGRAM, *arguments], runs)
    if isinstance(figures, int):
        sys.exit(f"mlia {' '.join(map(str, arguments))}: exit status {figures}")
    return figures


def runs_for(path):
    """Few runs of what takes long."""
    return 15 if path.stat().st_size < MIB else 3


def row(what, figures, remark=""):
    print(f"  {what:<52}{figures}  {remark}", flush=True)


class Comparison:
    """Prints ratios and remembers the worst."""

    def __init__(self, what):
        self.what, self.times, self.memories = what, [], []

    def add(self, name, figures, theirs, remark=""):
        time, memory = theirs.time / figures.time, figures.memory / theirs.memory
        self.times.append((time, name))
        self.memories.append((memory, name))
        row(name, figures, f"official {theirs}: {time:5.1f} × faster, memory × {memory:.2f}{remark}")

    def summary(self):
        if self.times:
            time, memory = min(self.times), max(self.memories)
            print(f"  {self.what}, {len(self.times)} files: {time[0]:.1f} × faster at least ({time[1]}), "
                  f"memory × {memory[0]:.2f} at most ({memory[1]})")


def models():
    found = [ROOT / "examples/keyword_spotter.vgf", ROOT / "examples/keyword_spotter.tosa"]
    if FIXTURES:
        found += sorted(FIXTURES.glob("calibration/*.vgf")) + sorted(FIXTURES.glob("models/*.vgf"))
    return found


def handed_texts():
    found = [ROOT / "examples/keyword_spotter.tosa"]
    if FIXTURES:
        for pattern in ("calibration/*.tosamlir", "models/*.tosamlir", "tosa/mlir/*.mlir*", "tosa/valid/*.tosa",
                        "vgf/*.mlir", "tflite/official/*.mlir"):
            found += sorted(FIXTURES.glob(pattern))
    return found


def bench_start():
    print("start-up")
    published = {"--help": "MLIA 411 ms, 51 MiB", "--version": "MLIA 426 ms, 51 MiB"}
    for option, remark in published.items():
        row(f"mlia {option}", ours(option), remark)
    row("mlia target list", ours("target", "list"), "MLIA 626 ms, 59 MiB")
    row("mlia backend list", ours("backend", "list"), "MLIA 536 ms, 53 MiB")


def bench_check():
    print("check, beside sha256sum of the same file  (MLIA on a 54 kB model: 925 ms, 70 MiB)")
    for model in models():
        base = measure(["sha256sum", model], 15)
        for category in ("--compatibility", "--performance"):
            figures = ours("check", model, category, *TARGET)
            row(f"{model.name} ({model.stat().st_size:,} B) {category[2:]}", figures,
                f"{figures.time / base.time:.1f} × sha256sum")


def bench_texts(comparison, folder, texts):
    refused = []
    for text in texts:
        name = f"{text.parent.name}/{text.name}" if FIXTURES in text.parents else text.name
        theirs = measure([official_converter(), "-i", text, "-o", folder / "theirs.vgf"], min(runs_for(text), 5))
        if isinstance(theirs, int):
            refused.append(name)
        else:
            figures = ours("convert", text, "-o", folder / "ours.vgf", runs=runs_for(text))
            comparison.add(f"{name} ({text.stat().st_size:,} B)", figures, theirs)
    if refused:
        print(f"  refused by the official converter and left out: {', '.join(refused)}")


def bench_tflite(comparison, folder):
    found = [ROOT / "tests/data/tflite/models/softmax_i8.tflite"]
    if FIXTURES:
        found += sorted(FIXTURES.glob("models/*.tflite")) + sorted(FIXTURES.glob("calibration/*.tflite"))
    found += generate.tflite_models(folder)
    to_mlir = pathlib.Path(sys.executable).parent / "tosa-converter-for-tflite"
    over = []
    for model in found:
        figures = ours("convert", model, "-o", folder / "ours.vgf", runs=runs_for(model))
        size = model.stat().st_size / MIB
        over.append((figures.memory - size, model.name))
        remark = f", {figures.memory - size:.1f} MiB above the model's {size:.1f}"
        first = measure([to_mlir, model, "-o", folder / "theirs.mlirbc"], 3)
        # Its own output has unknown batches, which the next tool refuses: it gets our text of the same network.
        ours("convert", model, "-o", folder / "static.tosamlir", runs=1)
        second = measure([official_converter(), "-i", folder / "static.tosamlir", "-o", folder / "theirs.vgf"], 3)
        if isinstance(first, int) or isinstance(second, int):
            row(model.name, figures, f"refused by an official converter{remark}")
        else:
            both = Figures(first.time + second.time, max(first.memory, second.memory))
            comparison.add(model.name, figures, both, remark)
    print(f"  at most {max(over)[0]:.1f} MiB above the size of the model ({max(over)[1]})")


def bench_large(folder):
    print("a graph of 100 000 operators")
    text = generate.chain(folder / "chain_100000.mlir", 100_000)
    row("convert MLIR text to TOSA", ours("convert", text, "-o", folder / "large.tosa", runs=1))
    for category in ("--compatibility", "--performance"):
        row(f"check {category[2:]}", ours("check", folder / "large.tosa", category, *TARGET, "--json", runs=1))


def main():
    bench_start()
    bench_check()
    comparisons = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        if official_converter():
            comparisons = [Comparison(what) for what in ("handed MLIR and TOSA to VGF", "made MLIR to VGF",
                                                         "TensorFlow Lite to VGF")]
            print("MLIR and TOSA to VGF, handed files, beside the official converter")
            bench_texts(comparisons[0], folder, handed_texts())
            print("MLIR to VGF, made files, beside the official converter")
            bench_texts(comparisons[1], folder, generate.texts(folder))
            print("TensorFlow Lite to VGF, beside the official converters one after the other")
            bench_tflite(comparisons[2], folder)
        bench_large(folder)
    print("worst")
    for comparison in comparisons:
        comparison.summary()


if __name__ == "__main__":
    main()
