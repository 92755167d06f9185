"""Runs a random model (tflite_random) through the LiteRT interpreter, through our conversion and the public reference model of
TOSA, and through the official converter, and says how they compare. As a program, in volume:

    python tests/oracle/tflite_judges.py [--count 100] [--seed 0] [--official] [--forms] [--record FOLDER] [NAME …]
"""
import argparse
import collections
import copy
import json
import os
import pickle
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from ai_edge_litert import interpreter as litert

import tflite_random as frame
import tflite_random_elementwise  # noqa: F401
import tflite_random_layout  # noqa: F401
import tflite_random_patterns  # noqa: F401
import tflite_random_recurrent  # noqa: F401
import tflite_random_windows  # noqa: F401
from test_tflite import PROGRAM, narrow, operators, tool

REF, OPT = litert.OpResolverType.BUILTIN_REF, litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
SECONDS = 20
LEFT = set()  # what has no TOSA form yet: (row of the table, status)


def interpret(case, path, resolver):
    """Outputs of each step and shapes of all tensors, or the reason why there are none. In a process of its own: kernels abort."""
    back, forth = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(back)
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            answer = invoke(case, path, resolver)
        except (RuntimeError, ValueError) as error:
            answer = str(error).strip().splitlines()[0]
        with os.fdopen(forth, "wb") as pipe:
            pickle.dump(answer, pipe)
        os._exit(0)
    os.close(forth)
    with os.fdopen(back, "rb") as pipe:
        sent = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(sent) if sent else "the interpreter aborts"


def invoke(case, path, resolver):
    machine = litert.Interpreter(str(path), experimental_op_resolver_type=resolver, num_threads=1)
    machine.allocate_tensors()
    outputs = []
    for step in range(case.steps):
        for index, values in zip(case.ins, case.data):
            machine.set_tensor(index, values[step])
        machine.invoke()
        outputs.append([machine.get_tensor(index) for index in case.outs])
    shapes = {index: [int(d) for d in machine.get_tensor(index).shape] for index in case.guessed if index in case.outs}
    shapes.update({d["index"]: [int(n) for n in d["shape"]] for d in machine.get_tensor_details() if d["index"] in case.guessed and d["index"] not in shapes})
    return outputs, shapes


def dequantise(case):
    """The model of a hybrid with FLOAT32 weights: the interpreter quantises activations where weights are bytes, TOSA does not."""
    twin = copy.deepcopy(case.m)
    for tensor in twin.graphs[0].tensors:
        if tensor["dtype"] not in ("int8", "int4") or not tensor["buffer"]:
            continue
        data = twin.buffers[tensor["buffer"]]
        values = np.frombuffer(data, np.int8)
        if tensor["dtype"] == "int4":
            values = np.stack([values << 4 >> 4, values >> 4], -1).reshape(-1)[:int(np.prod(tensor["shape"]))]
        scales = np.atleast_1d(tensor["q"][0]).astype(np.float32)
        if scales.size > 1:
            shape = [1] * len(tensor["shape"])
            shape[tensor["q"][2]] = -1
            scales = scales.reshape(shape)
        tensor["buffer"] = twin.buffer((values.reshape(tensor["shape"]).astype(np.float32) * scales).astype(np.float32).tobytes())
        tensor.update(dtype="float32", q=None)
    return twin


def compare(expected, actual, case):
    """(largest difference, within what is allowed)"""
    worst, within = 0.0, True
    for step_expected, step_actual in zip(expected, actual):
        for e, a in zip(step_expected, step_actual):
            if e.dtype == np.uint8:
                a = a.view(np.uint8)
            if e.size == 1 == a.size:  # kernels leave the rank of a single element as the model declares it
                a = a.reshape(e.shape)
            if e.shape != a.shape:
                return float("inf"), False
            e, a = e.astype(np.float64), a.astype(np.float64)
            with np.errstate(invalid="ignore"):
                apart = np.where((e == a) | (np.isnan(e) & np.isnan(a)), 0.0, np.abs(e - a))
            apart = np.where(np.isnan(apart), np.inf, apart)
            if apart.size:
                worst = max(worst, float(apart.max()))
                size = np.where(np.isfinite(e), np.abs(e), 0.0)
                within &= bool((apart <= case.absolute + case.relative * size.max()).all())
    return worst, within


def edges(tosa):
    done = subprocess.run([PROGRAM, "inspect", tosa, "--json", "--quiet"], capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        raise Unusable("our reader refuses it: " + done.stderr.strip().splitlines()[0])
    segment = json.loads(done.stdout)["segments"][0]
    return segment["inputs"], segment["outputs"], segment.get("operator_types", {})


class Unusable(Exception):
    pass


def evaluate(tosa, case, folder):
    """Outputs of each step; inputs and outputs beyond the model's own carry state from step to step."""
    inputs, outputs, _ = edges(tosa)
    own = len(case.ins)
    kinds = {"INT8": np.int8, "INT16": np.int16, "INT32": np.int32, "FP32": np.float32, "BOOL": np.bool_}
    state = [np.full(t["shape"], case.initial.get(t["name"], 0), kinds[t["type"]]) for t in inputs[own:]]
    results = []
    for step in range(case.steps):
        arrays = [narrow(values[step]) for values in case.data] + state
        ins = [folder / f"in{i}.npy" for i in range(len(arrays))]
        outs = [folder / f"out{i}.npy" for i in range(len(outputs))]
        for path, array in zip(ins, arrays):
            np.save(path, array)
        for path in outs:
            path.unlink(missing_ok=True)
        command = [tool("tosa-tools", "tosa_reference_model"), "--tosa_file", tosa, "--flatbuffer_dir", "/", "--output_dir", "/", "--tosa_level",
                   "EIGHTK", "--ofm_name", ",".join(t["name"] for t in outputs), "--ofm_file", ",".join(map(str, outs))]
        if ins:
            command += ["--ifm_name", ",".join(t["name"] for t in inputs), "--ifm_file", ",".join(map(str, ins))]
        done = subprocess.run(command, capture_output=True, text=True, timeout=6 * SECONDS)
        if done.returncode != 0 or not all(path.exists() for path in outs):
            lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
            raise Unusable("reference model: " + " / ".join(lines[-3:])[-300:])
        arrays = [np.load(path) for path in outs]
        results.append(arrays[:len(case.outs)])
        state = arrays[len(case.outs):]
    return results


Outcome = collections.namedtuple("Outcome", "status difference text operators", defaults=(0.0, "", 0))
# status: exact, within, differs, custom (with reason), refused (error), invalid (the reference model stops), none


def judge(answer, expected, case, count=0):
    worst, within = compare(expected, answer, case)
    return Outcome("exact" if worst == 0 else "within" if within else "differs", worst, "", count)


def ours(case, path, expected, folder):
    tosa = folder / "ours.tosa"
    options = ["--tflite-state", "io"] if case.steps > 1 else []
    done = subprocess.run([PROGRAM, "convert", path, "-o", tosa, *options], capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        return Outcome("refused", text=done.stderr.strip()[:300])
    _, _, types = edges(tosa)
    if "CUSTOM" in types:
        return Outcome("custom", text=" ".join(line for line in done.stderr.splitlines() if "CUSTOM" in line or "custom" in line)[:300])
    count = sum(n for kind, n in types.items() if kind not in ("CONST", "CONST_SHAPE"))
    try:
        return judge(evaluate(tosa, case, folder), expected, case, count)
    except (Unusable, subprocess.TimeoutExpired) as error:
        return Outcome("invalid", text=str(error), operators=count)


def other_forms(path, folder):
    """Why our VGF, or the public model converter on our MLIR, fails; empty when both succeed."""
    mlir = folder / "ours.tosamlir"
    for target in (folder / "ours.vgf", mlir):
        done = subprocess.run([PROGRAM, "convert", path, "-o", target, "--tflite-state", "io", "--quiet"], capture_output=True, text=True, timeout=SECONDS)
        if done.returncode != 0:
            return f"{target.suffix}: {done.stderr.strip()[:300]}"
    text = mlir.read_text()
    if "tosa.custom" in text or "cond_if" in text or "while_loop" in text:
        return ""
    command = [tool("ai-ml-sdk-model-converter", "model-converter"), "--input", mlir, "--output", folder / "theirs.vgf"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    return "" if done.returncode == 0 else "model-converter: " + done.stderr.strip()[:300]


def official(case, path, expected, folder):
    mlir, tosa = folder / "official.mlir", folder / "official.tosa"
    done = subprocess.run([tool("tosa-converter-for-tflite", "tosa-converter-for-tflite"), path, "-o", mlir, "--text"], capture_output=True,
                          text=True, timeout=SECONDS)
    if done.returncode != 0:
        return Outcome("refused", text=done.stderr.strip()[-200:])
    text = mlir.read_text()
    left = sorted(set(re.findall(r"^\s*(?:%\S+ = )?\"?(tfl?\.[a-zA-Z_0-9]+)", text, re.MULTILINE)))
    if left:
        return Outcome("custom", text=" ".join(left))
    count = operators(text).total()
    done = subprocess.run([tool("ai-ml-sdk-model-converter", "model-converter"), "--input", mlir, "--output", tosa, "--tosa-flatbuffer"],
                          capture_output=True, text=True, timeout=SECONDS)
    if done.returncode != 0:
        return Outcome("invalid", text=done.stderr.strip()[-200:], operators=count)
    try:
        return judge(evaluate(tosa, case, folder), expected, case, count)
    except (Unusable, subprocess.TimeoutExpired) as error:
        return Outcome("invalid", text=str(error), operators=count)


Verdict = collections.namedtuple("Verdict", "ours official note")


def try_case(case, folder, with_official=False):
    """Verdict, or the reason why the interpreter gives no reference."""
    folder = Path(folder)
    path = folder / "model.tflite"
    case.m.save(path)
    reference = interpret(case, path, REF)
    optimised = interpret(case, path, OPT)
    note = ""
    if isinstance(reference, str):
        if isinstance(optimised, str):
            return f"no reference: {reference}"
        reference, note = optimised, "optimised kernels"
    expected, shapes = reference
    if case.hybrid:
        dequantise(case).save(folder / "twin.tflite")
        expected = interpret(case, folder / "twin.tflite", REF)[0]
    for index, shape in shapes.items():
        case.g.tensors[index]["shape"] = shape
    case.m.save(path)
    if any(e.size == 0 for step in expected for e in step):
        note = "empty"
    mine = ours(case, path, expected, folder)
    if mine.status == "differs" and not isinstance(optimised, str):
        worst, within = compare(optimised[0], evaluate(folder / "ours.tosa", case, folder), case)
        if within:
            note = "as the optimised kernels"
    theirs = official(case, path, expected, folder) if with_official else None
    return Verdict(mine, theirs, note)


def record(case, path, status, folder):
    """Keeps a case as data, with what the interpreter answers: the models of tests/data/tflite/mended, each once wrong."""
    expected = interpret(case, path, REF)
    expected = interpret(case, path, OPT)[0] if isinstance(expected, str) else expected[0]
    folder.mkdir(parents=True, exist_ok=True)
    key, listed = f"{case.name.lower()}_{case.seed}", folder / "cases.json"
    (folder / f"{key}.tflite").write_bytes(path.read_bytes())
    arrays = {f"in{step}_{k}": values[step] for k, values in enumerate(case.data) for step in range(case.steps)}
    arrays.update({f"out{step}_{k}": array for step, outputs in enumerate(expected) for k, array in enumerate(outputs)})
    np.savez_compressed(folder / f"{key}.npz", **arrays)
    cases = json.loads(listed.read_text()) if listed.exists() else {}
    cases[key] = dict(row=case.label, was=status, absolute=case.absolute, relative=case.relative, steps=case.steps, inputs=len(case.ins),
                      outputs=len(case.outs), initial={name: np.asarray(value).tolist() for name, value in case.initial.items()})
    listed.write_text(json.dumps(cases, indent=1, sort_keys=True) + "\n")


class Recorded:
    """A kept case in the form that `evaluate` and `compare` take."""
    def __init__(self, folder, key, entry):
        arrays = np.load(folder / f"{key}.npz")
        self.steps, self.initial, self.absolute, self.relative = entry["steps"], entry["initial"], entry["absolute"], entry["relative"]
        self.ins, self.outs = range(entry["inputs"]), range(entry["outputs"])
        self.data = [[arrays[f"in{step}_{k}"] for step in range(self.steps)] for k in self.ins]
        self.expected = [[arrays[f"out{step}_{k}"] for k in self.outs] for step in range(self.steps)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--official", action="store_true")
    parser.add_argument("--forms", action="store_true", help="also VGF, and the public model converter on our MLIR")
    parser.add_argument("--record", type=Path, help="keep what is wrong as data in this folder")
    parser.add_argument("--all", action="store_true", help="print every case")
    given = parser.parse_args()
    rows = collections.defaultdict(collections.Counter)
    worst = collections.Counter()
    for name in given.names or list(frame.MAKERS):
        for seed in range(given.seed, given.seed + given.count):
            with tempfile.TemporaryDirectory(prefix="tflite_judges.") as folder:
                case = frame.Case(name, seed)
                verdict = try_case(case, folder, given.official)
                if isinstance(verdict, str):
                    rows[case.label]["no reference"] += 1
                    if given.all:
                        print(f"{name} {seed} {case.label}: {verdict}", flush=True)
                    continue
                mine, theirs, note = verdict
                status = "odd reference" if note == "as the optimised kernels" else "empty" if note == "empty" and mine.status != "exact" else mine.status
                rows[case.label][status] += 1
                worst[case.label] = max(worst[case.label], mine.difference if mine.status in ("exact", "within") else 0)
                if given.all or mine.status not in ("exact", "within"):
                    print(f"{name} {seed} {case.label}: {mine.status} {mine.difference:g} {note} {mine.text}", flush=True)
                if theirs:
                    rank = {"exact": 0, "within": 1}
                    rows[case.label]["official " + theirs.status] += 1
                    if theirs.status in rank and rank.get(mine.status, 9) > rank[theirs.status]:
                        print(f"  OFFICIAL BETTER {name} {seed}: {theirs}", flush=True)
                    if theirs.status in rank and mine.operators > theirs.operators:
                        print(f"  MORE OPERATORS {name} {seed} {case.label}: {mine.operators} > {theirs.operators}", flush=True)
                fault = other_forms(Path(folder) / "model.tflite", Path(folder)) if given.forms else ""
                if fault:
                    rows[case.label]["forms"] += 1
                    print(f"  FORM {name} {seed} {case.label}: {fault}", flush=True)
                if given.record and mine.status not in ("exact", "within"):
                    record(case, Path(folder) / "model.tflite", mine.status, given.record)
    for label in sorted(rows):
        cases = sum(count for status, count in rows[label].items() if not status.startswith(("official", "forms")))
        print(f"{label:45} {cases:5} max {worst[label]:g} {dict(rows[label])}")


if __name__ == "__main__":
    main()
