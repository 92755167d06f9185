#!/usr/bin/env python3
"""Shape inference over a TOSA graph in flatc JSON form: an independent check of a reader.

usage: infer_shapes.py --check FILE.tosa...                    compare inferred with stored shapes
       infer_shapes.py --specialise IN.tosa OUT.tosa [NAME=D,D,...]...
         unknown leading dimensions become 1 (or the given shape), shapes are propagated, and -1 in constant shapes
         is resolved
needs: pip install tosa-tools
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tosa_build import FBS, tool  # noqa: E402

SAME = set("""CLAMP ERF SIGMOID TANH ABS BITWISE_NOT CEIL CLZ COS EXP FLOOR LOG LOGICAL_NOT NEGATE RECIPROCAL RSQRT SIN REVERSE CAST RESCALE
IDENTITY TABLE SCATTER CAST_FROM_BLOCK_SCALED""".split())
BROADCAST = set("""ADD ARITHMETIC_RIGHT_SHIFT BITWISE_AND BITWISE_OR BITWISE_XOR INTDIV LOGICAL_AND LOGICAL_LEFT_SHIFT LOGICAL_RIGHT_SHIFT LOGICAL_OR
LOGICAL_XOR MAXIMUM MINIMUM MUL POW SUB SELECT EQUAL GREATER GREATER_EQUAL""".split())


class Mismatch(Exception):
    pass


def need(cond, text):
    if not cond:
        raise Mismatch(text)


def exact(a, b, text):
    if a < 0:
        raise Mismatch(text + " is negative")
    need(a % b == 0, text + " is not a multiple of the stride or scale denominator")
    return a // b


def product(s):
    n = 1
    for d in s:
        n *= d
    return n


def broadcast(a, b):
    need(len(a) == len(b), "ranks %d and %d differ" % (len(a), len(b)))
    out = []
    for x, y in zip(a, b):
        need(x == y or x == 1 or y == 1, "dimensions %d and %d do not broadcast" % (x, y))
        out.append(y if x == 1 else x)
    return out


def conv(size, before, after, kernel, dilation, stride):
    return exact(size - 1 + before + after - (kernel - 1) * dilation, stride, "convolution window range") + 1


def pool(size, before, after, kernel, stride):
    need(before < kernel and after < kernel, "padding is not smaller than the kernel")
    return exact(size + before + after - kernel, stride, "pooling window range") + 1


class Block:
    def __init__(self, graph, block):
        self.graph, self.b = graph, block
        self.t = {t["name"]: t for t in block.get("tensors", [])}
        self.s = {s["name"]: s for s in block.get("shapes", [])}
        self.values = {}
        for n, s in self.s.items():
            raw = bytes(s.get("data") or [])
            if raw or not s.get("rank"):
                self.values[n] = list(struct.unpack("<%dq" % s.get("rank", 0), raw[:8 * s.get("rank", 0)]))

    def shape(self, n):
        return list(self.t[n].get("shape") or [])

    def scalar(self, n):
        t = self.t[n]
        return struct.unpack_from("<i", bytes(t["data"]))[0]

    def infer(self, o):
        """Return {output name: shape} and record computed shape values."""
        op, a = o["op"], o.get("attribute") or {}
        i, out = o.get("inputs") or [], o.get("outputs") or []
        sh = [self.shape(n) if n in self.t else None for n in i]
        v = [self.values.get(n) for n in i]
        one = lambda s: {out[0]: s}
        axis = a.get("axis", 0)
        if op in SAME:
            return one(sh[0])
        if op in BROADCAST:
            r = sh[0]
            for n in sh[1:2] if op == "MUL" else sh[1:]:
                r = broadcast(r, n)
            return one(r)
        if op == "ARGMAX":
            need(0 <= axis < len(sh[0]), "axis out of range")
            return one(sh[0][:axis] + sh[0][axis + 1:])
        if op.startswith("REDUCE_"):
            need(0 <= axis < len(sh[0]), "axis out of range")
            return one(sh[0][:axis] + [1] + sh[0][axis + 1:])
        if op in ("AVG_POOL2D", "MAX_POOL2D", "AVG_POOL2D_ADAPTIVE", "MAX_POOL2D_ADAPTIVE"):
            k, s, p = (v[-3], v[-2], v[-1]) if "ADAPTIVE" in op else (a["kernel"], a["stride"], a["pad"])
            n, h, w, c = sh[0]
            return one([n, pool(h, p[0], p[1], k[0], s[0]), pool(w, p[2], p[3], k[1], s[1]), c])
        if op in ("CONV2D", "CONV2D_BLOCK_SCALED", "DEPTHWISE_CONV2D"):
            p, s, d = (v[5], v[6], v[7]) if op == "CONV2D_BLOCK_SCALED" else (a["pad"], a["stride"], a["dilation"])
            w = sh[2] if op == "CONV2D_BLOCK_SCALED" else sh[1]
            kh, kw, oc = (w[0], w[1], w[2] * w[3]) if op[0] == "D" else (w[1], w[2], w[0])
            need(sh[0][3] == (w[2] if op[0] == "D" else w[3]), "channels of input and weight differ")
            return one([sh[0][0], conv(sh[0][1], p[0], p[1], kh, d[0], s[0]), conv(sh[0][2], p[2], p[3], kw, d[1], s[1]), oc])
        if op == "CONV3D":
            p, s, d, w = a["pad"], a["stride"], a["dilation"], sh[1]
            return one([sh[0][0]] + [conv(sh[0][1 + k], p[2 * k], p[2 * k + 1], w[1 + k], d[k], s[k]) for k in range(3)] + [w[0]])
        if op == "TRANSPOSE_CONV2D":
            p, s, w = a["out_pad"], a["stride"], sh[1]
            return one([sh[0][0]] + [(sh[0][1 + k] - 1) * s[k] + p[2 * k] + p[2 * k + 1] + w[1 + k] for k in range(2)] + [w[0]])
        if op == "FFT2D":
            return {out[0]: sh[0], out[1]: sh[0]}
        if op == "RFFT2D":
            r = sh[0][:2] + [sh[0][2] // 2 + 1]
            return {out[0]: r, out[1]: r}
        if op == "MATMUL":
            need(sh[0][0] == sh[1][0] and sh[0][2] == sh[1][1], "matrix dimensions do not fit")
            return one([sh[0][0], sh[0][1], sh[1][2]])
        if op in ("MATMUL_T", "MATMUL_T_BLOCK_SCALED"):
            b = sh[1] if op == "MATMUL_T" else sh[2]
            need(sh[0][2] == b[2] and b[0] in (1, sh[0][0]), "matrix dimensions do not fit")
            return one([sh[0][0], sh[0][1], b[1]])
        if op == "CONCAT":
            r = list(sh[0])
            r[axis] = sum(x[axis] for x in sh)
            need(all(len(x) == len(r) and all(k == axis or x[k] == r[k] for k in range(len(r))) for x in sh), "parts differ")
            return one(r)
        if op == "PAD":
            return one([v[1][2 * k] + d + v[1][2 * k + 1] for k, d in enumerate(sh[0])])
        if op in ("RESHAPE", "RESHAPE_BLOCK_SCALED"):
            want = list(v[-1])
            if want.count(-1) == 1:
                k = want.index(-1)
                rest = product(d for d in want if d != -1)
                want[k] = exact(product(sh[0]), rest, "element count")
            need(product(want) == product(sh[0]), "element counts differ")
            self.resolved(i[-1], want)
            if op == "RESHAPE" or len(out) == 1:
                return one(want)
            return {out[0]: want, out[1]: want[:-1] + [want[-1] // 32]}
        if op == "SLICE":
            size = [d - b if n == -1 else n for d, b, n in zip(sh[0], v[1], v[2])]
            need(all(b >= 0 and n > 0 and b + n <= d for d, b, n in zip(sh[0], v[1], size)), "slice leaves the input")
            self.resolved(i[2], size)
            return one(size)
        if op == "TILE":
            return one([d * m for d, m in zip(sh[0], v[1])])
        if op == "TRANSPOSE":
            need(sorted(a["perms"]) == list(range(len(sh[0]))), "perms is not a permutation")
            return one([sh[0][p] for p in a["perms"]])
        if op == "GATHER":
            return one([sh[0][0], sh[1][1], sh[0][2]])
        if op in ("ROW_GATHER", "ROW_GATHER_BLOCK_SCALED"):
            rows, idx = self.scalar(i[-1]), sh[-2]
            return {n: [x[0], idx[1] * rows, x[2]] for n, x in zip(out, sh)}
        if op == "RESIZE":
            sc, of, bo = v[1], v[2], v[3]
            y = exact((sh[0][1] - 1) * sc[0] - of[0] + bo[0], sc[1], "resize range") + 1
            x = exact((sh[0][2] - 1) * sc[2] - of[1] + bo[1], sc[3], "resize range") + 1
            return one([sh[0][0], y, x, sh[0][3]])
        if op == "CAST_TO_BLOCK_SCALED":
            return {out[0]: sh[0], out[1]: sh[0][:-1] + [sh[0][-1] // 32]}
        if op in ("COND_IF", "WHILE_LOOP"):
            region = next(r for r in self.graph["regions"] if r["name"] == (a["then_graph"] if op == "COND_IF" else a["body_graph"]))
            inner = Block(self.graph, region["blocks"][0])
            return {n: inner.shape(m) for n, m in zip(out, region["blocks"][0]["outputs"])}
        if op == "DIM":
            self.values[out[0]] = [sh[0][axis]]
        elif op == "CONCAT_SHAPE":
            self.values[out[0]] = [d for x in v for d in x]
        elif op == "SLICE_SHAPE":
            b, n = self.scalar(i[1]), self.scalar(i[2])
            self.values[out[0]] = v[0][b:b + n]
        elif op.endswith("_SHAPE") and op not in ("CONST_SHAPE", "ASSERT_EQUAL_SHAPE"):
            f = {"ADD": lambda x, y: x + y, "SUB": lambda x, y: x - y, "MUL": lambda x, y: x * y, "MAX": max, "MIN": min,
                 "MOD": lambda x, y: x % y, "DIV_CEIL": lambda x, y: -(-x // y), "DIV_FLOOR": lambda x, y: x // y,
                 "EXP2": lambda x: 1 << x, "LOG2_CEIL": lambda x: (x - 1).bit_length(), "LOG2_FLOOR": lambda x: x.bit_length() - 1}[op[:-6]]
            self.values[out[0]] = [f(*x) for x in zip(*v)]
        return {}           # CONST, CONST_SHAPE, CUSTOM, VARIABLE*: the stored shape is the answer

    def resolved(self, name, value):
        """A constant shape that held -1 gets its real value, unless another use needs a different one."""
        if self.values[name] != value:
            need(name in self.s and (self.s[name].get("_new") in (None, value)), "shape constant %s needs two values" % name)
            self.s[name]["_new"] = value

    def run(self):
        for o in self.b.get("operators", []):
            where = "%s %s" % (o["op"], (o.get("outputs") or [""])[0])
            try:
                result = self.infer(o)
            except Mismatch as e:
                raise Mismatch("%s: %s" % (where, e))
            for n, s in result.items():
                yield where, n, s, self.shape(n) if n in self.t else None


def load(path):
    with tempfile.TemporaryDirectory() as d:
        subprocess.run([tool("flatc"), "-t", "--raw-binary", "--strict-json", "-o", d, FBS, "--", path], check=True)
        return json.load(open(os.path.join(d, os.path.splitext(os.path.basename(path))[0] + ".json")))


def save(graph, path):
    with tempfile.TemporaryDirectory() as d:
        j = os.path.join(d, "g.json")
        json.dump(graph, open(j, "w"))
        subprocess.run([tool("flatc"), "-b", "-o", d, FBS, j], check=True)
        os.replace(os.path.join(d, "g.tosa"), path)


def check(paths):
    bad = 0
    for path in paths:
        g = load(path)
        for r in g["regions"]:
            b = Block(g, r["blocks"][0])
            try:
                for where, n, got, stored in b.run():
                    dynamic = stored is None or b.t[n].get("is_unranked") or -1 in stored
                    if got != stored and not dynamic:
                        print(path, where, n, got, "stored", stored)
                        bad += 1
            except Mismatch as e:
                if any(-1 in (t.get("shape") or []) or t.get("is_unranked") for t in r["blocks"][0]["tensors"]):
                    continue
                print(path, e)
                bad += 1
    print("%d files, %d differences" % (len(paths), bad))
    return bad


def specialise(src, dst, given):
    g = load(src)
    for r in g["regions"]:
        b = Block(g, r["blocks"][0])
        for n in r["blocks"][0].get("inputs", []):
            if n in b.t:
                s = given.get(n, [1 if k == 0 and d < 0 else d for k, d in enumerate(b.shape(n))])
                need(-1 not in s, "input %s has unknown dimensions after the first: give its shape" % n)
                b.t[n]["shape"] = s
        for where, n, got, stored in b.run():
            if stored is None:
                continue
            fits = b.t[n].get("is_unranked") or len(got) == len(stored) and all(x == y or y < 0 for x, y in zip(got, stored))
            need(fits or given, "%s: %s becomes %s, stored %s" % (where, n, got, stored))
            b.t[n]["shape"] = got
            b.t[n].pop("is_unranked", None)
        for s in b.s.values():
            new = s.pop("_new", None)
            if new is not None:
                s["data"] = list(struct.pack("<%dq" % len(new), *new))
    save(g, dst)


def main():
    if sys.argv[1:2] == ["--check"]:
        sys.exit(1 if check(sys.argv[2:]) else 0)
    if sys.argv[1:2] == ["--specialise"]:
        given = {k: [int(x) for x in s.split(",")] for k, s in (a.split("=") for a in sys.argv[4:])}
        specialise(sys.argv[2], sys.argv[3], given)
        return
    sys.exit(__doc__)


if __name__ == "__main__":
    main()
