#!/usr/bin/env python3
"""A second strict reader of captures (standard library only), written from docs/formats/capture.md alone: the judge of
tests/oracle/test_captures.py.

  reference_reader.py MODEL|- DIR...   print the tables of one run (MODEL: a file name in models/, or - for none)
"""
import hashlib
import json
import os
import re
import stat
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "models")
U32, U64 = 2 ** 32 - 1, 2 ** 64 - 1


class Refused(Exception):
    def __init__(self, kind, message):
        super().__init__("%s: %s" % (kind, message))
        self.kind = kind


def need(ok, kind, message):
    if not ok:
        raise Refused(kind, message)


# ------------------------------------------------------------------------------------------------ file system
def locate(root, relative, want):
    """Walks component by component; want is 'file' or 'dir'."""
    here = root
    parts = relative.split("/")
    for n, part in enumerate(parts):
        names = os.listdir(here)
        if part not in names:
            need(part.casefold() not in [x.casefold() for x in names], "E_NAMESPACE_CASE", relative)
            raise Refused("E_NAMESPACE_MISSING", relative)
        here = os.path.join(here, part)
        mode = os.lstat(here).st_mode
        need(not stat.S_ISLNK(mode), "E_NAMESPACE_LINK", relative)
        last = n == len(parts) - 1
        good = stat.S_ISREG(mode) if last and want == "file" else stat.S_ISDIR(mode)
        need(good, "E_NAMESPACE_KIND", relative)
    return here


def slurp(root, relative):
    fd = os.open(locate(root, relative, "file"), os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(fd, "rb") as f:
        return f.read()


def sweep(root):
    for folder, dirs, files in os.walk(root):
        for name in dirs + files:
            full = os.path.join(folder, name)
            mode = os.lstat(full).st_mode
            need(not stat.S_ISLNK(mode), "E_NAMESPACE_LINK", full)
            need(stat.S_ISREG(mode) or stat.S_ISDIR(mode), "E_NAMESPACE_KIND", full)


# ------------------------------------------------------------------------------------------------------- JSON
def decode(data, where):
    def pairs(items):
        seen = {}
        for k, v in items:
            need(k not in seen, "E_JSON_DUPLICATE_KEY", "%s: %s" % (where, k))
            seen[k] = v
        return seen

    def constant(text):
        raise Refused("E_JSON_SYNTAX", "%s: %s" % (where, text))
    need(not data.startswith(b"\xef\xbb\xbf"), "E_JSON_SYNTAX", where + ": byte order mark")
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=pairs, parse_constant=constant)
    except (UnicodeDecodeError, json.JSONDecodeError) as err:
        raise Refused("E_JSON_SYNTAX", "%s: %s" % (where, err)) from err


class Node:
    """One JSON object whose members are taken exactly once each, by name and type."""

    def __init__(self, value, where, keys):
        need(isinstance(value, dict), "E_TYPE", where + " must be an object")
        if "schema_version" in keys and "schema_version" in value:
            v = value["schema_version"]
            need(type(v) is int and v == 2, "E_SCHEMA_VERSION", where)
        need(set(value) == set(keys), "E_FIELDS", "%s: missing %s, unknown %s" % (
            where, sorted(set(keys) - set(value)), sorted(set(value) - set(keys))))
        self.value, self.where = value, where

    def take(self, key, kind, low=None):
        v, where = self.value[key], "%s.%s" % (self.where, key)
        null = kind.endswith("?")
        if null and v is None:
            return None
        base = kind.rstrip("?")
        if base in ("u32", "u64"):
            need(type(v) is int, "E_TYPE", where)
            need(0 <= v <= (U32 if base == "u32" else U64), "E_RANGE", where)
        else:
            need(type(v) is {"str": str, "bool": bool, "list": list, "dict": dict}[base], "E_TYPE", where)
        if low:
            need(len(v) >= low, "E_VALUE", where + " is empty")
        return v


def path_of(node, key):
    v, where = node.take(key, "str"), node.where
    bad = (not v or "\0" in v or "\\" in v or v.startswith("/") or re.match(r"[A-Za-z]:", v)
           or any(c in ("", ".", "..") for c in v.split("/")))
    need(not bad, "E_PATH_SYNTAX", "%s.%s %r" % (where, key, v))
    return v


def references(node, key):
    out, ids, paths = [], set(), set()
    for n, raw in enumerate(node.take(key, "list")):
        r = Node(raw, "%s.%s[%d]" % (node.where, key, n), ("id", "path"))
        i, p = r.take("id", "u64"), path_of(r, "path")
        need(i not in ids, "E_DUPLICATE_ID", r.where)
        need(p not in paths, "E_DUPLICATE_PATH", r.where)
        ids.add(i)
        paths.add(p)
        out.append((i, p))
    return out


def uniques(node, key, fields):
    seen = set()
    for n, raw in enumerate(node.take(key, "list")):
        item = Node(raw, "%s.%s[%d]" % (node.where, key, n), [f for f, _ in fields])
        ident = tuple(item.take(f, k) for f, k in fields)
        need(ident not in seen, "E_DUPLICATE_ID", item.where)
        seen.add(ident)


def artifacts(root, node, folder, allowed):
    out, seen = {}, set()
    for n, raw in enumerate(node.take("artifacts", "list")):
        a = Node(raw, "%s.artifacts[%d]" % (node.where, n), ("path", "type", "size"))
        p, kind = path_of(a, "path"), a.take("type", "str")
        need(kind in allowed, "E_ARTIFACT_TYPE", "%s %r" % (a.where, kind))
        size = a.take("size", "u64")
        need(p not in seen, "E_DUPLICATE_PATH", a.where)
        seen.add(p)
        need(p.rpartition("/")[0] == folder, "E_REFERENCE_PATH", a.where)
        need(size or (kind == "statistics_info" and p.endswith(".txt")), "E_ARTIFACT_SIZE", a.where + " is empty")
        actual = os.lstat(locate(root, p, "file")).st_size
        need(actual == size, "E_ARTIFACT_SIZE", "%s declares %d, file has %d" % (a.where, size, actual))
        out.setdefault(kind, []).append(p)
    return out


# ---------------------------------------------------------------------------------------------------- capture
class Capture:
    def __init__(self, root):
        self.root = root
        doc = self.document("capture.json", ("schema_version", "status", "error", "capture", "devices", "warnings", "pipelines"))
        need(doc.take("status", "str") == "complete", "E_STATUS", "capture.json.status")
        need(doc.value["error"] is None, "E_STATUS", "capture.json.error")
        s = Node(doc.value["capture"], "capture.json.capture", (
            "layer_name", "layer_version", "commit_identity", "layer_implementation_version", "statistics_mode", "dispatch_filter"))
        s.take("layer_name", "str", 1)
        for k in ("layer_version", "commit_identity", "dispatch_filter"):
            s.take(k, "str")
        s.take("layer_implementation_version", "u32")
        self.mode = s.take("statistics_mode", "u32")
        need(self.mode in (0, 1), "E_VALUE", "capture.json.capture.statistics_mode")
        self.devices = {}
        for n, raw in enumerate(doc.take("devices", "list", 1)):
            d = Node(raw, "capture.json.devices[%d]" % n, ("id", "name", "vendor_id", "device_id", "driver_version", "api_version"))
            i = d.take("id", "u64")
            need(i not in self.devices, "E_DUPLICATE_ID", d.where)
            self.devices[i] = dict(name=d.take("name", "str", 1), **{
                k: d.take(k, "u32?") for k in ("vendor_id", "device_id", "driver_version", "api_version")})
        self.warnings = doc.take("warnings", "list")
        need(all(type(w) is str for w in self.warnings), "E_TYPE", "capture.json.warnings")
        self.pipelines, self.dispatches, self.ids = [], [], {"session": set(), "dispatch": set()}
        for i, p in references(doc, "pipelines"):
            self.pipelines.append(self.pipeline(i, p))
        sweep(root)

    def document(self, relative, keys):
        return Node(decode(slurp(self.root, relative), relative), relative, keys)

    def pipeline(self, pid, relative):
        need(relative == "pipeline_%06d/pipeline.json" % pid, "E_REFERENCE_PATH", relative)
        doc = self.document(relative, (
            "schema_version", "id", "friendly_name", "diagnostic_handle", "flags", "pipeline_layout_handle", "resource_bindings",
            "vendor_options", "identifier_only", "foreign_processing_engine", "device_id", "statistics_enabled", "shader",
            "artifacts", "sessions"))
        need(doc.take("id", "u64") == pid, "E_REFERENCE_ID", relative)
        dev = doc.take("device_id", "u64")
        need(dev in self.devices, "E_UNKNOWN_DEVICE", relative)
        name = doc.take("friendly_name", "str")
        for k in ("diagnostic_handle", "pipeline_layout_handle"):
            doc.take(k, "u64?")
        doc.take("flags", "u64")
        doc.take("vendor_options", "str?")
        for k in ("identifier_only", "foreign_processing_engine"):
            doc.take(k, "bool")
        need(doc.take("statistics_enabled", "bool"), "E_PIPELINE_STATE", relative)
        uniques(doc, "resource_bindings", [(k, "u32") for k in ("descriptor_set", "binding", "array_element")])
        sh = Node(doc.value["shader"], relative + ".shader", (
            "module_id", "spirv_available", "friendly_name", "entry_point", "specialization_entries", "specialization_data_size"))
        module, available = sh.take("module_id", "u64?"), sh.take("spirv_available", "bool")
        need(module is not None or not available, "E_VALUE", relative + ".shader.module_id")
        sh.take("friendly_name", "str")
        sh.take("entry_point", "str")
        sh.take("specialization_data_size", "u64")
        uniques(sh, "specialization_entries", [("constant_id", "u32"), ("offset", "u32"), ("size", "u64")])
        folder = relative.rpartition("/")[0]
        found = artifacts(self.root, doc, folder, ("debug_database", "statistics_info", "shader_module"))
        names = {"debug_database": ["debug_database.bin"],
                 "statistics_info": ["neural_statistics_info.bin", "neural_statistics_info.txt"],
                 "shader_module": ["shader_module_%s.spv" % module]}
        omitted = {"debug_database": "debug database was unavailable for pipeline %d" % pid in self.warnings,
                   "statistics_info": "neural statistics info was unavailable for pipeline %d" % pid in self.warnings,
                   "shader_module": not available}
        files = {}
        for kind, good in names.items():
            got = found.get(kind, [])
            need(len(got) == (0 if omitted[kind] else 1), "E_ARTIFACT_COUNT", "%s: %d %s" % (relative, len(got), kind))
            for p in got:
                need(p.rpartition("/")[2] in good, "E_ARTIFACT_NAME", p)
                files[kind] = p
        me = dict(id=pid, device=dev, name=name or folder, files=files, folder=folder, dispatches=[])
        for sid, p in references(doc, "sessions"):
            self.session(me, sid, p)
        return me

    def fresh(self, what, i):
        need(i not in self.ids[what], "E_DUPLICATE_ID", "%s %d" % (what, i))
        self.ids[what].add(i)

    def session(self, pipeline, sid, relative):
        need(relative == "%s/session_%06d/session.json" % (pipeline["folder"], sid), "E_REFERENCE_PATH", relative)
        self.fresh("session", sid)
        doc = self.document(relative, ("schema_version", "id", "pipeline_id", "device_id", "friendly_name", "diagnostic_handle", "flags", "dispatches"))
        for k, v in (("id", sid), ("pipeline_id", pipeline["id"]), ("device_id", pipeline["device"])):
            need(doc.take(k, "u64") == v, "E_REFERENCE_ID", "%s.%s" % (relative, k))
        doc.take("friendly_name", "str")
        doc.take("diagnostic_handle", "u64?")
        doc.take("flags", "u64")
        folder, indexes = relative.rpartition("/")[0], set()
        for did, p in references(doc, "dispatches"):
            need(p == "%s/dispatch_%06d/dispatch.json" % (folder, did), "E_REFERENCE_PATH", p)
            self.fresh("dispatch", did)
            d = self.document(p, ("schema_version", "id", "session_id", "executed_index", "diagnostic_command_buffer_handle", "artifacts"))
            need(d.take("id", "u64") == did, "E_REFERENCE_ID", p)
            need(d.take("session_id", "u64") == sid, "E_REFERENCE_ID", p)
            index = d.take("executed_index", "u64")
            need(index not in indexes, "E_DUPLICATE_INDEX", p)
            indexes.add(index)
            d.take("diagnostic_command_buffer_handle", "u64?")
            here = p.rpartition("/")[0]
            got = artifacts(self.root, d, here, ("dispatch_statistics",)).get("dispatch_statistics", [])
            need(len(got) == 1, "E_ARTIFACT_COUNT", p)
            need(got[0] == "%s/statistics_mode%d.bin" % (here, self.mode), "E_ARTIFACT_NAME", got[0])
            item = dict(id=did, session=sid, index=index, folder=here, stats=got[0], pipeline=pipeline)
            pipeline["dispatches"].append(item)
            self.dispatches.append(item)


def open_input(path, cache):
    path = path.rstrip("/") or "/"
    try:
        mode = os.lstat(path).st_mode
    except OSError as err:
        raise Refused("E_INPUT_DIRECTORY", str(err)) from err
    need(not stat.S_ISLNK(mode), "E_INPUT_LINK", path)
    need(stat.S_ISDIR(mode), "E_INPUT_DIRECTORY", path)
    real = os.path.realpath(path)

    def load(root):
        if root not in cache:
            cache[root] = Capture(root)
        return cache[root]
    if os.path.lexists(os.path.join(real, "capture.json")):
        return load(real), None
    need(os.path.lexists(os.path.join(real, "dispatch.json")), "E_INPUT_UNKNOWN", path)
    parts = real.split("/")[-3:]
    good = len(parts) == 3 and all(re.fullmatch(k + r"_[0-9]{6,}", p) for k, p in zip(("pipeline", "session", "dispatch"), parts))
    root = os.path.dirname(os.path.dirname(os.path.dirname(real)))
    need(good and os.path.lexists(os.path.join(root, "capture.json")), "E_INPUT_LOCATION", path)
    cap = load(root)
    hit = [d for d in cap.dispatches if os.path.join(root, d["folder"]) == real]
    need(hit, "E_INPUT_UNREFERENCED", path)
    return cap, hit[0]


# --------------------------------------------------------------------------------------------------- binaries
def unframe(data, magic, text):
    le = struct.pack("<I", magic)
    if data[:4] == le:
        need(len(data) >= 12, "E_FRAME_TRUNCATED", "%d bytes" % len(data))
        version, size = struct.unpack_from("<II", data, 4)
        need(version == 1, "E_FRAME_VERSION", str(version))
        need(size == len(data) - 12, "E_FRAME_SIZE", "%d declared, %d present" % (size, len(data) - 12))
        return data[12:]
    need(data[:4] != le[::-1], "E_FRAME_MAGIC", "byte-swapped")
    if len(data) >= 12:
        first, version, size = struct.unpack_from("<III", data)
        looks = version == 1 and size == len(data) - 12 and (text or first >= 0x01000000)
        need(not looks, "E_FRAME_MAGIC", "0x%08X" % first)
    return data


def stripe_list(cap, relative):
    data = slurp(cap.root, relative)
    if relative.endswith(".txt"):
        try:
            text = data.decode("utf-8").rstrip("\0")
        except UnicodeDecodeError as err:
            raise Refused("E_INFO_TEXT", str(err)) from err
        out = []
        for token in re.split(r"[ \t\r\n\f\v,;]+", text):
            if not token:
                continue
            need(re.fullmatch(r"0[xX][0-9a-fA-F]+|[0-9]+", token), "E_INFO_TEXT", token)
            v = int(token, 16) if token[:2] in ("0x", "0X") else int(token)
            need(v <= U32, "E_INFO_RANGE", token)
            out.append(v)
    else:
        body = unframe(data, 0x2211EEFF, False)
        need(len(body) % 4 == 0, "E_INFO_ALIGN", "%d bytes" % len(body))
        out = list(struct.unpack("<%dI" % (len(body) // 4), body))
    need(out, "E_INFO_EMPTY", relative)
    need(len(set(out)) == len(out), "E_INFO_DUPLICATE", relative)
    return out


NAMES = ("nx_active dl_active ir_active wf_active ce_active ve_active tu_active ow_active task_init_stall rd_ll_stall rd_hl_stall "
         "dma_wr_stall ir_idx_stall ce_src0_stall ce_src1_stall ve_src0_ir_stall ve_src0_ce_stall ve_src0_ve_stall "
         "ve_src0_tu_stall ve_src1_ir_stall ve_src1_ve_stall ve_src1_tu_stall tu_src0_ir_stall tu_src0_ve_stall "
         "tu_src0_tu_stall ow_src0_ir_stall ow_src0_ve_stall ow_src0_tu_stall ow_idx_stall").split()


def read_stats(cap, relative, gen, wanted):
    data = slurp(cap.root, relative)
    task = 64 if cap.mode == 0 else 64 * 2 ** gen
    per_block = (512 * gen) if cap.mode == 0 else 256
    need(data and len(data) % 4 == 0 and len(data) % 64 == 0 and len(data) % task == 0, "E_STATS_ALIGN",
         "%d bytes, tasks of %d" % (len(data), task))
    if cap.mode == 0:
        columns = ["section_%d" % i for i in range(16)]
    else:
        columns = [None] + NAMES + ([None, "me_src0_stall", "me_src1_stall"] if gen == 2 else [])
    block_bytes, rows, odd = task * per_block, {}, set()
    for b in range((len(data) + block_bytes - 1) // block_bytes):
        piece = data[b * block_bytes:(b + 1) * block_bytes]
        if not piece.strip(b"\0"):
            rows[b] = (0, 0, {})
            continue
        need(b in wanted, "E_INFO_UNLISTED", "block %d" % b)
        words = struct.unpack("<%dI" % (len(piece) // 4), piece)
        sums = [sum(words[i::task // 4]) for i in range(task // 4)]
        named = {c: sums[i] for i, c in enumerate(columns) if c}
        if any(v for i, v in enumerate(sums) if i >= len(columns) or not columns[i]):
            odd.add(b)
        op = sum(named.values()) if cap.mode == 0 else named["nx_active"]
        rows[b] = (op, op or sum(named.values()), named)
    for i in wanted:
        need(i in rows, "E_INFO_OUT_OF_RANGE", "stripe %d, %d blocks" % (i, len(rows)))
    return [(i,) + rows[i] for i in wanted], odd


SECTIONS = (("tosa_ops", ("id",)), ("api_labels", ()), ("fused_ops", ("id", "tosa_op_ids")), ("cascade_ops", ("id", "fused_op_ids")),
            ("cascade_groups", ()), ("stripe_ops", ("id", "op_id")), ("stripe_indexes", ("id",)))


def read_debug(cap, relative):
    try:
        text = unframe(slurp(cap.root, relative), 0x1122FFEE, True).rstrip(b"\0").decode("utf-8")
    except UnicodeDecodeError as err:
        raise Refused("E_DEBUG_TEXT", str(err)) from err
    need("\0" not in text, "E_DEBUG_TEXT", "NUL inside the text")
    lines = [l[:-1] if l.endswith("\r") else l for l in text.split("\n")]
    if "----" in lines:
        parts = [[]]
        for l in lines:
            if l == "----":
                parts.append([])
            elif l:
                parts[-1].append(l)
        parts = [p for p in parts if p]
    else:
        parts = [[l] for l in lines if l]
    need(len(parts) >= 7, "E_DEBUG_SECTIONS", "%d sections" % len(parts))
    out = {}
    for (name, required), part in zip(SECTIONS, parts):
        head = part[0].split("\t") if "\t" in part[0] else part[0].split()
        for c in required:
            need(c in head, "E_DEBUG_COLUMNS", "%s lacks %s" % (name, c))
        rows = {}
        for l in part[1:]:
            if not required:
                continue
            cells = l.split("\t")
            need(len(cells) <= len(head), "E_DEBUG_ROW", name)
            row = dict(zip(head, cells + [""] * (len(head) - len(cells))))
            need(row["id"], "E_DEBUG_ROW", name)
            need(row["id"] not in rows, "E_DEBUG_DUPLICATE", "%s %s" % (name, row["id"]))
            rows[row["id"]] = row
        if name == "stripe_indexes":
            need("stripe_op_id" in head or "stripe_op_indexs" in head, "E_DEBUG_COLUMNS", name)
        out[name] = rows
    return out


def ids_in(cell):
    return [p.strip() for p in cell.split(";") if p.strip()]


def one_in(cell, where):
    got = ids_in(cell)
    need(len(got) < 2, "E_DEBUG_MULTI", where)
    return got[0] if got else None


def labels_in(cell, known):
    out, at = [], 0
    while at < len(cell):
        if cell[at] == ";":
            at += 1
            continue
        hit = next((k for k in known if cell.startswith(k, at) and cell[at + len(k):at + len(k) + 1] in ("", ";")), None)
        if hit:
            out.append(hit)
            at += len(hit)
            continue
        depth, quoted, end = 0, False, at
        while end < len(cell) and not (cell[end] == ";" and not quoted and depth == 0):
            c = cell[end]
            if quoted and c == "\\":
                end += 1
            elif c == '"':
                quoted = not quoted
            elif not quoted and c in "[{":
                depth += 1
            elif not quoted and c in "]}":
                depth = max(0, depth - 1)
            end += 1
        piece = cell[at:end].strip()
        if piece:
            out.append(piece)
        at = end
    return out


def read_spirv(data):
    need(len(data) >= 20 and len(data) % 4 == 0 and data[:4] == b"\x03\x02\x23\x07", "E_SPIRV", "%d bytes" % len(data))
    w = struct.unpack("<%dI" % (len(data) // 4), data)

    def text(words):
        return struct.pack("<%dI" % len(words), *words).split(b"\0")[0].decode("utf-8", "replace")
    strings, debug, tosa, ops, names, at = {}, set(), set(), [], {}, 5
    while at < len(w):
        count, op = w[at] >> 16, w[at] & 0xFFFF
        need(count and at + count <= len(w), "E_SPIRV", "word %d" % at)
        a = w[at + 1:at + count]
        at += count
        if op == 7:
            strings[a[0]] = text(a[1:])
        elif op == 11:
            set_name = text(a[1:])
            if set_name == "NonSemantic.Graph.DebugInfo.1":
                debug.add(a[0])
            elif re.fullmatch(r"TOSA\.[0-9]{6}\.[0-9]+", set_name):
                tosa.add(a[0])
        elif op == 12 and len(a) >= 4:
            if a[2] in tosa:
                ops.append(a[1])
            elif a[2] in debug and a[3] == 2 and len(a) >= 6 and strings.get(a[5]):
                for i in a[6:]:
                    names.setdefault(i, strings[a[5]])
    return ops + [i for i in names if i not in ops], names


# --------------------------------------------------------------------------------------------------- selection
def choose(inputs, model):
    cap = inputs[0][0]
    need(all(c is cap for c, _ in inputs), "E_SELECT_CAPTURES", "inputs of several captures")
    if model is None:
        need(len(inputs) == 1, "E_SELECT_REPEAT", "several inputs without a VGF")
        pick = inputs[0][1]
        if pick is None:
            need(len(cap.dispatches) == 1, "E_SELECT_DISPATCH", "%d dispatches" % len(cap.dispatches))
            pick = cap.dispatches[0]
        return cap, [(0, pick["pipeline"]["name"], pick)], []
    need(model.lower().endswith(".vgf"), "E_MODEL_TYPE", model)
    with open(os.path.join(MODELS, "segments.json"), encoding="utf-8") as f:
        described = json.load(f)[model]
    graphs, skipped = [], [s["index"] for s in described if s["type"] == "COMPUTE"]
    for s in described:
        if s["type"] == "GRAPH":
            with open(os.path.join(MODELS, s["spirv"]), "rb") as f:
                graphs.append((s["index"], s["name"], f.read()))
    need(graphs, "E_VGF_NO_GRAPH", model)

    def shader(p):
        return slurp(cap.root, p["files"]["shader_module"]) if "shader_module" in p["files"] else None
    if len(inputs) > 1:
        need(len(inputs) == len(graphs), "E_SELECT_COUNT", "%d inputs, %d segments" % (len(inputs), len(graphs)))
        need(all(d for _, d in inputs), "E_SELECT_ROOT", "a capture root in the list")
        need(len({d["id"] for _, d in inputs}) == len(inputs), "E_SELECT_TWICE", "a dispatch is named twice")
        for (i, _, code), (_, d) in zip(graphs, inputs):
            need(shader(d["pipeline"]) == code, "E_SELECT_ORDER", "dispatch %d, segment %d" % (d["id"], i))
        return cap, [(i, n, d) for (i, n, _), (_, d) in zip(graphs, inputs)], skipped
    need(len({code for _, _, code in graphs}) == len(graphs), "E_SELECT_SAME_SPIRV", model)
    anchor = inputs[0][1]
    if anchor:
        need(any(shader(anchor["pipeline"]) == code for _, _, code in graphs), "E_SELECT_ANCHOR", str(anchor["id"]))
    out = []
    for i, n, code in graphs:
        match = [p for p in cap.pipelines if shader(p) == code]
        need(match, "E_SELECT_NO_PIPELINE", "segment %d" % i)
        need(len(match) == 1, "E_SELECT_PIPELINE", "segment %d: %d pipelines" % (i, len(match)))
        if anchor is None:
            need(len(match[0]["dispatches"]) == 1, "E_SELECT_DISPATCH", "segment %d: %d dispatches" % (i, len(match[0]["dispatches"])))
            out.append((i, n, match[0]["dispatches"][0]))
        elif anchor["pipeline"] is match[0]:
            out.append((i, n, anchor))
        else:
            same = [d for d in match[0]["dispatches"] if d["index"] == anchor["index"]]
            need(len(same) == 1, "E_SELECT_ANCHOR_INDEX", "segment %d: %d dispatches" % (i, len(same)))
            out.append((i, n, same[0]))
    return cap, out, skipped


# ---------------------------------------------------------------------------------------------------- analysis
def provenance(label):
    """(presentation name, module stack, frames) of a label that holds ExecuTorch JSON."""
    try:
        d = json.loads(label)
    except json.JSONDecodeError:
        return label, [], []
    if not isinstance(d, dict):
        return label, [], []
    aten, torch = (d.get(k) if isinstance(d.get(k), dict) else {} for k in ("aten_info", "torch_info"))
    name = aten.get("operator_name") or aten.get("node_name") or label
    stack = [(m["tracer_key"], m.get("name") or m["tracer_key"], m.get("module_type")) for m in torch.get("nn_module_stack", [])]
    if stack and stack[0][0] != "<root>":
        stack.insert(0, ("<root>", "<root>", None))
    frames = []
    for line in torch.get("stack_trace", []):
        m = re.match(r'\s*File "(.+?)", line ([0-9]+)(?:, in (.*?))?\s*$', line)
        if m:
            frames.append((m.group(1).replace("\\", "/"), int(m.group(2)), m.group(3) or ""))
    return name, stack, frames


class Analysis:
    def __init__(self, paths, model):
        cache = {}
        cap, picks, skipped = choose([open_input(p, cache) for p in paths], model)
        devices = {d["pipeline"]["device"] for _, _, d in picks}
        need(len(devices) == 1, "E_SELECT_DEVICES", str(sorted(devices)))
        self.device = cap.devices[devices.pop()]
        for _, _, d in picks:
            for kind in ("debug_database", "statistics_info", "shader_module"):
                need(kind in d["pipeline"]["files"], "E_ARTIFACT_UNAVAILABLE", "pipeline %d %s" % (d["pipeline"]["id"], kind))
        need(self.device["vendor_id"] == 0x13B5, "E_DEVICE_VENDOR", str(self.device["vendor_id"]))
        m = re.match(r"Mali-G([12])(?:[- ]|$)", self.device["name"])
        need(m, "E_DEVICE_NAME", self.device["name"])
        self.gen, self.cap, self.picks, self.kinds = int(m.group(1)), cap, picks, {}
        self.entities, self.order = {}, {k: [] for k in ("chain", "cascade", "extra", "group", "source", "segment")}
        self.figures, self.segments = {}, []
        if skipped:
            self.kinds["W_COMPUTE_SKIPPED"] = skipped
        indexes = [d["index"] for _, _, d in picks]
        if len(set(indexes)) > 1:
            self.kinds["W_EXECUTED_INDEX_DIFFERS"] = indexes
        modules = [read_spirv(slurp(cap.root, d["pipeline"]["files"]["shader_module"])) for _, _, d in picks]
        parsed = []
        for (seg, name, d) in picks:
            files = d["pipeline"]["files"]
            wanted = stripe_list(cap, files["statistics_info"])
            rows, odd = read_stats(cap, d["stats"], self.gen, wanted)
            parsed.append((rows, odd, read_debug(cap, files["debug_database"])))
        for pick, module, data in zip(picks, modules, parsed):
            self.segment(pick, module, data)
        for pick, module in zip(picks, modules):
            self.close(pick, module)

    def note(self, kind, item):
        got = self.kinds.setdefault(kind, [])
        if item not in got:
            got.append(item)

    def entity(self, group, eid, **fields):
        if eid not in self.entities:
            self.entities[eid] = dict(id=eid, **fields)
            self.order[group].append(eid)
        return self.entities[eid]

    def join(self, parent, child):
        for holder, field, other in ((parent, "child_ids", child), (child, "parent_ids", parent)):
            got = holder.setdefault(field, [])
            if other["id"] not in got:
                got.append(other["id"])

    def segment(self, pick, module, data):
        (seg, name, d), (ids, names), (rows, odd, tables) = pick, module, data
        index_map = {}
        for i, row in tables["stripe_indexes"].items():
            op = one_in(row.get("stripe_op_id", ""), "stripe_indexes " + i)
            if op:
                index_map[i] = op
        for row in tables["stripe_indexes"].values():
            for i in ids_in(row.get("stripe_op_indexs", "")):
                index_map.setdefault(i, i)
        stripes = {i: (one_in(r["op_id"], "stripe_ops " + i), one_in(r.get("cascade_op_id", ""), "stripe_ops " + i))
                   for i, r in tables["stripe_ops"].items()}
        out, known = [], sorted(set(names.values()), key=lambda k: (-len(k), k))
        for block, op, total, counters in rows:
            chain, cascade = stripes.get(index_map.get(str(block)), (None, None))
            if chain is None or cascade is None:
                self.note("W_STRIPE_UNMAPPED", "%d:%d" % (seg, block))
            chain, cascade = chain or "chain_%d" % block, cascade or "cascade_%d" % block
            if block in odd:
                self.note("W_UNLABELLED_WORDS", "%d:%d" % (seg, block))
            if self.cap.mode == 1 and not op and total:
                self.note("W_NX_ACTIVE_ZERO", "%d:%d" % (seg, block))
            out.append(dict(id=block, chain=chain, cascade=cascade, op_cycles=op, total_cycles=total, counters=counters))
            for kind, local in (("chain", chain), ("cascade", cascade)):
                eid = "%s/segment_%d/%s" % (kind, seg, local)
                short = local[len(kind) + 1:] if local.startswith(kind + "_") and len(local) > len(kind) + 1 else local
                e = self.entity(kind, eid, kind=kind, placement="NX", name="%s/%s %s" % (name, kind.capitalize(), short),
                                attributes={"stripe_ids": []})
                e["attributes"]["stripe_ids"].append(str(block))
                f = self.figures.setdefault(eid, [0, 0, {}])
                f[0] += total
                f[1] += op
                for k, v in counters.items():
                    f[2][k] = f[2].get(k, 0) + v
        self.segments.append(dict(
            segment_index=seg, segment_name=name, pipeline_id=d["pipeline"]["id"], session_id=d["session"], dispatch_id=d["id"],
            executed_index=d["index"], stripes=out, op_cycles=sum(r["op_cycles"] for r in out), total_cycles=sum(r["total_cycles"] for r in out)))
        done = set()
        for r in out:
            if r["chain"] in done:
                continue
            done.add(r["chain"])
            self.operators(seg, r["chain"], tables, ids, names, known)

    def operators(self, seg, chain, tables, ids, names, known):
        me, position = self.entities["chain/segment_%d/%s" % (seg, chain)], -1
        for fused in ids_in(tables["cascade_ops"].get(chain, {}).get("fused_op_ids", "")):
            if fused not in tables["fused_ops"]:
                self.note("W_DEBUG_DANGLING", "%d:fused_ops:%s" % (seg, fused))
                continue
            for tosa in ids_in(tables["fused_ops"][fused]["tosa_op_ids"]):
                if tosa not in tables["tosa_ops"]:
                    self.note("W_DEBUG_DANGLING", "%d:tosa_ops:%s" % (seg, tosa))
                    continue
                position += 1
                row = tables["tosa_ops"][tosa]
                cell = row.get("tosa_op", "")
                types = ids_in(cell) if cell.endswith(";") else [cell] if cell else []
                labels = labels_in(row.get("api_labels", ""), known)
                sources = []
                for label in labels:
                    m = re.search(r"_spirv_id_([0-9]+)$", label)
                    if m:
                        need(re.fullmatch(r"0|[1-9][0-9]*", m.group(1)) and int(m.group(1)) in ids, "E_LABEL_UNRESOLVED", label)
                        hits = [int(m.group(1))]
                    else:
                        hits = [i for i, n in names.items() if n == label]
                        if len(hits) > 1:
                            self.note("W_LABEL_AMBIGUOUS", "%d:%s" % (seg, label))
                        elif not hits and names:
                            self.note("W_LABEL_UNMATCHED", "%d:%s" % (seg, label))
                    if len(hits) == 1 and hits[0] not in sources:
                        sources.append(hits[0])
                if not sources:
                    continue
                holder = me
                if len(sources) > 1:
                    holder = self.entity("group", "performance_group/segment_%d/chain_%s/%d" % (seg, chain, position),
                                         kind="performance_group", name="/".join(types), attributes={"operator_types": types})
                    self.join(me, holder)
                for i in sources:
                    e = self.entity("source", "source_operator/segment_%d/spirv-%d" % (seg, i), kind="source_operator",
                                    name="/".join(types), placement="NX", attributes={"operator_types": types})
                    self.join(holder, e)
                    for label in labels:
                        self.stacks(label, e)

    def stacks(self, label, source):
        _, stack, frames = provenance(label)
        last = None
        for key, name, kind in stack:
            e = self.entity("extra", "nn_module/" + key, kind="nn_module", name=name, **({"attributes": {"module_type": kind}} if kind else {}))
            if last:
                self.join(last, e)
            last = e
        if last:
            self.join(last, source)
        last, prefix = None, []
        for path, line, function in frames:
            prefix.append("%s:%d:%s" % (path, line, function))
            name = "%s:%d" % (path.rsplit("/", 1)[-1], line)
            safe = re.sub(r"[^A-Za-z0-9_.:-]+", "_", name).strip("_") or "frame"
            e = self.entity("extra", "code_stack/%s-%s" % (safe, hashlib.sha256("\n".join(prefix).encode()).hexdigest()[:12]), kind="code_stack",
                            name=name, attributes=dict(file=path, line=line, **({"function": function} if function else {})))
            if last:
                self.join(last, e)
            last = e
        if last:
            self.join(last, source)

    def close(self, pick, module):
        (seg, name, _), (ids, names) = pick, module
        me = self.entity("segment", "segment/%d" % seg, kind="segment", name=name)
        prefix = "segment_%d/" % seg
        rows = next(s["stripes"] for s in self.segments if s["segment_index"] == seg)
        for cid in self.order["cascade"]:
            if cid.startswith("cascade/" + prefix):
                self.join(me, self.entities[cid])
        for kid in self.order["chain"]:
            if kid.startswith("chain/" + prefix):
                local = kid[len("chain/" + prefix):]
                mine = {r["cascade"] for r in rows if r["chain"] == local}
                for cid in self.order["cascade"]:
                    if cid.startswith("cascade/" + prefix) and cid[len("cascade/" + prefix):] in mine:
                        self.join(self.entities[cid], self.entities[kid])
        for i in ids:
            eid = "source_operator/segment_%d/spirv-%d" % (seg, i)
            if eid not in self.entities:
                self.join(me, self.entity("source", eid, kind="source_operator", name=provenance(names[i])[0] if i in names else eid))

    def result(self):
        why = "the capture holds no value for this metric"
        op, total = (sum(s[k] for s in self.segments) for k in ("op_cycles", "total_cycles"))
        values = {"total_cycles": total, "compute_cycles": op, "target_utilization": op / total * 100 if total else 0.0}
        layout = (("inference_time", "ms"), ("infs_per_sec", "inferences/s"), ("total_cycles", "cycles"), ("compute_cycles", "cycles"),
                  ("cache_cycles", "cycles"), ("dram_cycles", "cycles"), ("compiled_size", "bytes"), ("cache_read_bytes", "bytes"),
                  ("cache_write_bytes", "bytes"), ("dram_read_bytes", "bytes"), ("dram_write_bytes", "bytes"), ("dram_footprint", "bytes"),
                  ("target_utilization", "%"), ("accelerator_operator_percentage", "%"), ("inferences_per_second", "inferences/s"),
                  ("cpu_utilization", "%"), ("model_weight_memory", "bytes"), ("peak_activation_memory", "bytes"), ("average_memory", "bytes"))
        metrics = [dict(name=n, unit=u, value=values[n]) if n in values else dict(name=n, unit=u, availability="unavailable", reason=why) for n, u in layout]
        breakdowns = []
        for eid in self.order["chain"] + self.order["cascade"]:
            t, o, counters = self.figures[eid]
            breakdowns.append(dict(id=eid, entity_id=eid, metrics=[dict(name=n + "_cycles", unit="cycles", value=v, aggregation="sum")
                                                                  for n, v in [("total", t), ("op", o)] + list(counters.items())]))
        kinds = [dict(id="segment", child_kinds=["cascade", "source_operator"]), dict(id="cascade", parent_kinds=["segment"], child_kinds=["chain"]),
                 dict(id="chain", parent_kinds=["cascade"], child_kinds=["source_operator", "performance_group"]),
                 dict(id="performance_group", parent_kinds=["chain"], child_kinds=["source_operator"]),
                 dict(id="nn_module", parent_kinds=["nn_module"], child_kinds=["nn_module", "source_operator"])]
        return dict(kind="performance", status="ok", producer="neural-technology-profiling-data", mode="measured", warnings=list(self.cap.warnings),
                    metrics=metrics, breakdowns=breakdowns, entity_kinds=kinds,
                    entities=[self.entities[e] for g in ("chain", "cascade", "extra", "group", "source", "segment") for e in self.order[g]])

    def tables(self):
        return dict(mode=self.cap.mode, warning_kinds=dict(sorted(self.kinds.items())), segments=self.segments,
                    dispatch_directories=[d["folder"] for _, _, d in self.picks], result=self.result(),
                    device=dict(name=self.device["name"], profiling_device="Mali-G%d" % self.gen,
                                vendor_id=self.device["vendor_id"], device_id=self.device["device_id"]))


if __name__ == "__main__":
    try:
        analysis = Analysis(sys.argv[2:], None if sys.argv[1] == "-" else sys.argv[1])
        print(json.dumps(analysis.tables(), indent=2, ensure_ascii=False))
    except Refused as refusal:
        sys.exit(str(refusal))
