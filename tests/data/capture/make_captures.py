#!/usr/bin/env python3
"""Builds the synthetic neural-statistics captures of this folder (standard library only).

  make_captures.py OUT   write OUT/valid/ (captures), OUT/expected/ (what they mean, cases.json) and OUT/refused/
                         (every corrupted variant and selection case; links and FIFOs included, so Linux)

The expected tables are worked out from the declarations in this file (what was put in), never by reading a
capture back. Nothing here comes from hardware.
"""
import copy
import hashlib
import json
import os
import shutil
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "models")
OUT = None  # set by main

COUNTERS_G1 = (
    "nx_active dl_active ir_active wf_active ce_active ve_active tu_active ow_active task_init_stall rd_ll_stall "
    "rd_hl_stall dma_wr_stall ir_idx_stall ce_src0_stall ce_src1_stall ve_src0_ir_stall ve_src0_ce_stall "
    "ve_src0_ve_stall ve_src0_tu_stall ve_src1_ir_stall ve_src1_ve_stall ve_src1_tu_stall tu_src0_ir_stall "
    "tu_src0_ve_stall tu_src0_tu_stall ow_src0_ir_stall ow_src0_ve_stall ow_src0_tu_stall ow_idx_stall").split()
WORD_NAMES = {
    1: {i + 1: n for i, n in enumerate(COUNTERS_G1)},
    2: {**{i + 1: n for i, n in enumerate(COUNTERS_G1)}, 31: "me_src0_stall", 32: "me_src1_stall"},
}
TASK_WORDS = {(0, 1): 16, (0, 2): 16, (1, 1): 32, (1, 2): 64}
BLOCK_TASKS = {(0, 1): 512, (0, 2): 1024, (1, 1): 256, (1, 2): 256}
DB_MAGIC, INFO_MAGIC = 0x1122FFEE, 0x2211EEFF

CLAMP_LABEL = json.dumps({
    "aten_info": {"node_name": "aten_clamp_default", "operator_name": "aten.clamp.default"},
    "torch_info": {
        "nn_module_stack": [
            {"tracer_key": "L__self___block", "name": "block", "module_type": "demo.Block"},
            {"tracer_key": "L__self___block_relu", "name": "block.relu", "module_type": "torch.nn.ReLU"}],
        "stack_trace": ['File "/src/demo/net.py", line 12, in forward', "    return self.block(x)",
                        'File "/src/demo/block.py", line 31, in forward', "    return self.relu(y)"]}},
    separators=(",", ":"))
CONV_LABEL = "block/conv/Conv2D;block/conv/BiasAdd;block/conv/Rescale"

# What is in each SPIR-V module: graph-operation result ids in module order, and their debug names.
SPIRV_OPS = {
    "one_graph.seg0.spv": [(52, CONV_LABEL), (61, CONV_LABEL), (63, CLAMP_LABEL), (66, "block/pool"),
                           (69, "block/conv/Conv2D")],
    "three_graphs.seg0.spv": [(23, "head/add")],
    "three_graphs.seg2.spv": [(20, "middle/exp"), (22, "middle/tanh")],
    "three_graphs.seg4.spv": [(20, "tail/sigmoid")],
}
PRESENTATION = {CLAMP_LABEL: "aten.clamp.default"}
MODULES = {CLAMP_LABEL: [("<root>", "<root>", None), ("L__self___block", "block", "demo.Block"),
                         ("L__self___block_relu", "block.relu", "torch.nn.ReLU")]}
FRAMES = {CLAMP_LABEL: [("/src/demo/net.py", 12, "forward"), ("/src/demo/block.py", 31, "forward")]}


def u32s(words):
    return struct.pack("<%dI" % len(words), *words)


def frame(magic, payload, version=1, size=None):
    return struct.pack("<III", magic, version, len(payload) if size is None else size) + payload


# ---------------------------------------------------------------------------------------------- declarations
def db(tosa=(), fused=(), chains=(), cascades=(), stripes=(), indexes=(), style="framed", index_column="stripe_op_id"):
    return dict(tosa=list(tosa), fused=list(fused), chains=list(chains), cascades=list(cascades),
                stripes=list(stripes), indexes=list(indexes), style=style, index_column=index_column)


def pipe(pid, spirv, table, info, sessions, name=None, info_style="bin", device=0, module=None, **extra):
    return dict(id=pid, spirv=spirv, db=table, info=list(info), sessions=sessions, name=name, info_style=info_style,
                device=device, module=pid + 10 if module is None else module, **extra)


def device(did, name="Mali-G1", vendor=0x13B5, hw=0x74C10000):
    return dict(id=did, name=name, vendor_id=vendor, device_id=hw, driver_version=0x0B000000, api_version=0x00404000)


def simple_db(spirv_label, op="Add", style="framed"):
    """One stripe 0 -> chain 30 -> cascade 40 -> fused 20 -> tosa 10."""
    return db([("10", [op], [spirv_label])], [("20", ["10"])], [("30", ["20"])], [("40", ["30"])],
              [("500", "30", "40")], [("0", "500")], style)


def captures():
    c = {}
    two = db([("10", ["Conv2D"], ["TOSACONV2D_spirv_id_52"]), ("11", ["Rescale"], ["TOSARESCALE_spirv_id_61"]),
              ("12", ["Clamp"], ["TOSACLAMP_spirv_id_63"]), ("13", ["MaxPool"], ["TOSAMAX_POOL2D_spirv_id_66"])],
             [("20", ["10", "11"]), ("21", ["12"]), ("22", ["13"])], [("30", ["20", "21"]), ("31", ["22"])],
             [("40", ["30", "31"])], [("500", "30", "40"), ("501", "31", "40")], [("0", "500"), ("1", "501")])
    c["v01_mode0_g1_single"] = dict(mode=0, devices=[device(0)], warnings=[], pipelines=[
        pipe(0, "one_graph.seg0.spv", two, [0, 1], [(0, [(0, 0, dict(tasks=515, words={
            (0, 0): {0: 10, 1: 20, 2: 30}, (0, 511): {0: 5, 15: 7}, (1, 0): {3: 100}, (1, 2): {3: 11, 4: 4294967295}}))])],
             name="demo graph")])

    named = db([("10", ["Conv2D"], [CONV_LABEL]), ("15", ["Clamp"], [CONV_LABEL, "block/conv/Conv2D"]), ("12", ["Clamp"], [CLAMP_LABEL]),
                ("13", ["MaxPool", "Pool"], ["block/pool", "TOSACLAMP_spirv_id_63"])],
               [("20", ["10"]), ("21", ["12"]), ("22", ["13"]), ("23", ["15"])], [("30", ["20", "21"]), ("31", ["22"]), ("32", ["23"])],
               [("40", ["30", "31", "32"])], [("500", "30", "40"), ("501", "31", "40"), ("502", "32", "40")],
               [("0", "500"), ("1", "501"), ("2", "502")], style="raw")
    c["v02_mode1_g1_single"] = dict(mode=1, devices=[device(0, "Mali-G1-Ultra MC10")], warnings=["user note 1"], pipelines=[
        pipe(3, "one_graph.seg0.spv", named, [1, 0, 2], [(7, [(21, 4, dict(tasks=513, words={
            (0, 0): {1: 1000, 2: 400, 5: 900, 9: 10}, (0, 255): {1: 24, 6: 3, 29: 1}, (1, 7): {1: 77, 8: 70, 28: 5}}))])],
             info_style="txt", info_text="1, 0\n0x2;\n", module=0)])

    g2 = db([("10", ["Conv2D"], ["TOSACONV2D_spirv_id_52"]), ("13", ["MaxPool"], ["TOSAMAX_POOL2D_spirv_id_66"])],
            [("20", ["10"]), ("22", ["13"])], [("30", ["20"]), ("31", ["22"])], [("40", ["30"]), ("41", ["31"])],
            [("500", "30", "40"), ("501", "31", "41"), ("502", "30", "40")], [("0", "500"), ("1", "501"), ("2", "502")])
    c["v03_mode1_g2_single"] = dict(mode=1, devices=[device(0, "Mali-G2-Pro-NX MC1")], warnings=[], pipelines=[
        pipe(0, "one_graph.seg0.spv", g2, [0, 1, 2], [(0, [(0, 0, dict(tasks=514, words={
            (0, 0): {1: 300, 5: 250, 31: 20, 32: 30}, (1, 0): {1: 40, 8: 39}, (2, 1): {1: 60, 30: 999, 31: 2, 40: 5}}))])],
             info_style="bin_raw")])

    c["v04_mode0_g2_blocks"] = dict(mode=0, devices=[device(0, "Mali-G2")], warnings=[], pipelines=[
        pipe(0, "one_graph.seg0.spv", simple_db("TOSACONV2D_spirv_id_52", "Conv2D"), [0], [(0, [(0, 0, dict(tasks=1025, words={
            (0, i): {0: 1} for i in list(range(0, 1024, 128)) + [512, 1023]}))])])])

    def three(second_sessions=False):
        out = [
            pipe(0, "three_graphs.seg0.spv", simple_db("TOSAADD_spirv_id_23"), [0],
                 [(0, [(0, 1, dict(tasks=2, words={(0, 0): {0: 11}}))])], name="head"),
            pipe(1, "three_graphs.seg2.spv", db(
                [("10", ["Exp"], ["middle/exp"]), ("11", ["Tanh"], ["middle/tanh"])], [("20", ["10"]), ("21", ["11"])],
                [("30", ["20"]), ("31", ["21"])], [("40", ["30", "31"])], [("500", "30", "40"), ("501", "31", "40")],
                [("0", "500"), ("1", "501")]), [0, 1],
                [(1, [(1, 1, dict(tasks=513, words={(0, 3): {0: 21, 2: 1}, (1, 0): {1: 31}}))])], name="middle"),
            pipe(2, "three_graphs.seg4.spv", simple_db("tail/sigmoid", "Sigmoid"), [0],
                 [(2, [(2, 1, dict(tasks=1, words={(0, 0): {5: 41}}))])], name=None)]
        return out

    unrelated = pipe(3, "one_graph.seg0.spv", simple_db("TOSACONV2D_spirv_id_52", "Conv2D"), [0],
                     [(3, [(3, 0, dict(tasks=1, words={(0, 0): {0: 9}}))])], name="unrelated")
    c["v05_three_segments"] = dict(mode=0, devices=[device(0)], warnings=[], pipelines=three() + [unrelated])

    anchored = three()
    anchored[0]["sessions"] = [(0, [(0, 0, dict(tasks=1, words={(0, 0): {0: 100}})), (1, 1, dict(tasks=1, words={(0, 0): {0: 200}}))])]
    anchored[1]["sessions"] = [(1, [(2, 0, dict(tasks=1, words={(0, 0): {0: 300}})), (3, 1, dict(tasks=513, words={(1, 0): {0: 400}}))])]
    anchored[2]["sessions"] = [(2, [(4, 0, dict(tasks=1, words={(0, 0): {0: 500}}))]),
                               (4, [(5, 1, dict(tasks=1, words={(0, 0): {0: 600}}))]),
                               (5, [(6, 0, dict(tasks=1, words={(0, 0): {0: 700}}))])]
    anchored[1]["info"] = [0, 1]
    for item in anchored[1]["sessions"][0][1]:
        item[2]["tasks"] = 513
    c["v06_anchor"] = dict(mode=0, devices=[device(0)], warnings=[], pipelines=anchored)

    c["v07_many_sessions"] = dict(mode=0, devices=[device(0)], warnings=[], pipelines=[
        pipe(0, "one_graph.seg0.spv", simple_db("TOSACONV2D_spirv_id_52", "Conv2D"), [0],
             [(0, [(i, i, dict(tasks=1, words={(0, 0): {0: 10 + i}})) for i in range(3)]),
              (1, [(3 + i, i, dict(tasks=1, words={(0, 0): {0: 20 + i}})) for i in range(4)])])])

    c["v08_twin"] = dict(mode=0, devices=[device(0)], warnings=[], pipelines=[
        pipe(0, "three_graphs.seg0.spv", simple_db("TOSAADD_spirv_id_23"), [0],
             [(0, [(0, 0, dict(tasks=1, words={(0, 0): {0: 1}}))])], name="first"),
        pipe(1, "three_graphs.seg0.spv", simple_db("TOSAADD_spirv_id_23"), [0],
             [(1, [(1, 3, dict(tasks=1, words={(0, 0): {0: 2}}))])], name="second")])

    c["v09_unmapped"] = dict(mode=0, devices=[device(0)], warnings=[], pipelines=[
        pipe(0, "three_graphs.seg2.spv", db(style="loose"), [0, 1], [(0, [(0, 0, dict(tasks=513, words={(0, 0): {0: 6}, (1, 0): {1: 8}}))])],
             info_style="bin_raw")])

    c["v13_bare_headers"] = dict(mode=0, devices=[device(0)], warnings=[], pipelines=[
        pipe(0, "three_graphs.seg4.spv", db(style="bare"), [2], [(0, [(0, 0, dict(tasks=1025, words={(2, 0): {15: 9}}))])])])

    partial = pipe(1, "three_graphs.seg0.spv", None, [0], [(1, [(1, 0, dict(tasks=1, words={(0, 0): {0: 3}}))])], device=0)
    c["v10_two_devices"] = dict(mode=0, devices=[device(0), device(1, "Other GPU", 0x10005, None)], warnings=[
        "neural statistics capture is unavailable for logical device 1", "debug database was unavailable for pipeline 1"],
        pipelines=[pipe(0, "one_graph.seg0.spv", simple_db("TOSACONV2D_spirv_id_52", "Conv2D"), [0],
                        [(0, [(0, 0, dict(tasks=1, words={(0, 0): {0: 12}}))])]), partial])

    shared = db([("10", ["Conv2D"], ["TOSACONV2D_spirv_id_52"]), ("13", ["MaxPool"], ["block/pool"]),
                 ("14", ["Const"], ["not/in/module"])],
                [("20", ["10", "14"]), ("21", ["10", "77"]), ("22", ["13"])],
                [("30", ["20"]), ("31", ["21", "88"]), ("32", ["22"])], [("40", ["30", "31"]), ("41", ["30", "32"])],
                [("0", "30", "40"), ("1", "31", "40"), ("2", "30", "41"), ("3", "32", "41")],
                [("9", ["0", "1", "2", "3"])], index_column="stripe_op_indexs")
    c["v11_shared_ops"] = dict(mode=0, devices=[device(0)], warnings=[], pipelines=[
        pipe(0, "one_graph.seg0.spv", shared, [0, 1, 2, 3, 4], [(0, [(0, 0, dict(tasks=2049, words={
            (0, 0): {0: 1}, (1, 0): {1: 2}, (2, 0): {2: 4}, (3, 0): {3: 8}, (4, 0): {4: 16}}))])])])

    c["v12_mode1_odd_blocks"] = dict(mode=1, devices=[device(0)], warnings=[], pipelines=[
        pipe(0, "one_graph.seg0.spv", two, [0, 1], [(0, [(0, 0, dict(tasks=257, words={
            (0, 0): {2: 5, 3: 6}, (1, 0): {0: 77, 30: 1, 31: 2}}))])])])
    return c


# ------------------------------------------------------------------------------------------------- file output
def debug_text(t):
    def cell(items):
        return "".join(i + ";" for i in items)
    if t["index_column"] == "stripe_op_indexs":
        index_rows = ["%s\t%s" % (i, cell(v)) for i, v in t["indexes"]]
    else:
        index_rows = ["%s\t%s" % (i, v) for i, v in t["indexes"]]
    labels = list(dict.fromkeys(l for _, _, ls in t["tosa"] for l in ls))
    parts = [
        ["id\ttosa_op\tapi_labels"] + ["%s\t%s\t%s" % (i, ty[0] if len(ty) == 1 else cell(ty), cell(ls)) for i, ty, ls in t["tosa"]],
        ["id\tapi_label"] + ["%d\t%s" % (100 + n, l) for n, l in enumerate(labels)],
        ["id\ttosa_op_ids"] + ["%s\t%s" % (i, cell(v)) for i, v in t["fused"]],
        ["id\tfused_op_ids"] + ["%s\t%s" % (i, cell(v)) for i, v in t["chains"]],
        ["id\tcascade_op_ids"] + ["%s\t%s" % (i, cell(v)) for i, v in t["cascades"]],
        ["id\top_id\tcascade_op_id"] + ["%s\t%s\t%s" % r for r in t["stripes"]],
        ["id\t" + t["index_column"]] + index_rows]
    if t["style"] == "bare":
        return "\n".join(p[0] for p in parts) + "\n"
    text = "\n----\n".join("\n".join(p) for p in parts) + "\n"
    return "----\n" + text.replace("\n----\n", "\r\n----\n\n----\n", 2) + "----\n" if t["style"] == "loose" else text


def stats_bytes(spec, mode, gen):
    words_per, per_block = TASK_WORDS[mode, gen], BLOCK_TASKS[mode, gen]
    data = bytearray(spec["tasks"] * words_per * 4)
    for (block, task), values in spec["words"].items():
        for word, value in values.items():
            struct.pack_into("<I", data, ((block * per_block + task) * words_per + word) * 4, value)
    return bytes(data)


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(data)


def dump(path, doc):
    write(path, (json.dumps(doc, indent=4, ensure_ascii=False) + "\n").encode())


def generation(cap, p):
    dev = next(d for d in cap["devices"] if d["id"] == p["device"])
    return 2 if dev["name"].startswith("Mali-G2") else 1


def write_capture(root, cap):
    refs = []
    for p in cap["pipelines"]:
        pdir = "pipeline_%06d" % p["id"]
        files = []
        if p["db"] is not None:
            text = debug_text(p["db"]).encode()
            files.append(("debug_database.bin", "debug_database",
                          frame(DB_MAGIC, text) if p["db"]["style"] == "framed" else text))
        if p["info_style"] == "txt":
            files.append(("neural_statistics_info.txt", "statistics_info", p["info_text"].encode()))
        else:
            raw = u32s(p["info"])
            files.append(("neural_statistics_info.bin", "statistics_info",
                          raw if p["info_style"] == "bin_raw" else frame(INFO_MAGIC, raw)))
        with open(os.path.join(MODELS, p["spirv"]), "rb") as f:
            files.append(("shader_module_%d.spv" % p["module"], "shader_module", f.read()))
        session_refs = []
        for sid, dispatches in p["sessions"]:
            sdir = "%s/session_%06d" % (pdir, sid)
            dispatch_refs = []
            for did, index, spec in dispatches:
                ddir = "%s/dispatch_%06d" % (sdir, did)
                data = stats_bytes(spec, cap["mode"], generation(cap, p))
                name = "%s/statistics_mode%d.bin" % (ddir, cap["mode"])
                write(os.path.join(root, name), data)
                dump(os.path.join(root, ddir, "dispatch.json"), {
                    "schema_version": 2, "id": did, "session_id": sid, "executed_index": index,
                    "diagnostic_command_buffer_handle": None,
                    "artifacts": [{"path": name, "type": "dispatch_statistics", "size": len(data)}]})
                dispatch_refs.append({"id": did, "path": ddir + "/dispatch.json"})
            dump(os.path.join(root, sdir, "session.json"), {
                "schema_version": 2, "id": sid, "pipeline_id": p["id"], "device_id": p["device"],
                "friendly_name": "", "diagnostic_handle": 0x7000 + sid, "flags": 0, "dispatches": dispatch_refs})
            session_refs.append({"id": sid, "path": sdir + "/session.json"})
        for name, _, data in files:
            write(os.path.join(root, pdir, name), data)
        dump(os.path.join(root, pdir, "pipeline.json"), {
            "schema_version": 2, "id": p["id"], "device_id": p["device"], "friendly_name": p["name"] or "",
            "diagnostic_handle": 0x5000 + p["id"], "flags": 0, "pipeline_layout_handle": 0x6000 + p["id"],
            "resource_bindings": [{"descriptor_set": 0, "binding": b, "array_element": 0} for b in (0, 1)],
            "vendor_options": None, "identifier_only": False, "foreign_processing_engine": False,
            "statistics_enabled": True,
            "shader": {"module_id": p["module"], "spirv_available": True, "friendly_name": "",
                       "entry_point": "graph_partition_0", "specialization_entries": [], "specialization_data_size": 0},
            "artifacts": [{"path": "%s/%s" % (pdir, n), "type": t, "size": len(d)} for n, t, d in sorted(files)],
            "sessions": session_refs})
        refs.append({"id": p["id"], "path": pdir + "/pipeline.json"})
    dump(os.path.join(root, "capture.json"), {
        "schema_version": 2, "status": "complete", "error": None,
        "capture": {"layer_name": "VK_LAYER_LGL_neural_statistics", "layer_version": "1.0.0",
                    "commit_identity": "synthetic", "layer_implementation_version": 1,
                    "statistics_mode": cap["mode"], "dispatch_filter": ""},
        "devices": cap["devices"], "warnings": cap["warnings"], "pipelines": refs})


# ------------------------------------------------------------------------------------------- expected tables
def bounded(items):
    items = [str(i) for i in items]
    return ", ".join(items[:5]) + (", ... (%d more)" % (len(items) - 5) if len(items) > 5 else "")


def find(cap, did):
    for p in cap["pipelines"]:
        for sid, dispatches in p["sessions"]:
            for d, index, spec in dispatches:
                if d == did:
                    return p, sid, index, spec
    raise KeyError(did)


class Expected:
    """Works a case out from the declarations: picks is [(segment index, segment name, dispatch id)]."""

    def __init__(self, cap, picks, skipped):
        self.cap, self.notes = cap, {}
        self.segments, self.chains, self.cascades, self.chain_ops = [], {}, {}, {}
        for seg, name, did in picks:
            self.segment(seg, name, did)
        self.warnings = list(cap["warnings"])
        if skipped:
            self.notes["W_COMPUTE_SKIPPED"] = skipped
        indexes = [s["executed_index"] for s in self.segments]
        if len(set(indexes)) > 1:
            self.notes["W_EXECUTED_INDEX_DIFFERS"] = indexes

    def note(self, kind, item):
        self.notes.setdefault(kind, [])
        if item not in self.notes[kind]:
            self.notes[kind].append(item)

    def segment(self, seg, name, did):
        p, sid, index, spec = find(self.cap, did)
        mode, gen = self.cap["mode"], generation(self.cap, p)
        table = p["db"]
        if table["index_column"] == "stripe_op_indexs":
            to_stripe = {i: i for _, ids in table["indexes"] for i in ids}
        else:
            to_stripe = dict(table["indexes"])
        stripe_rows = {i: (c, k) for i, c, k in table["stripes"]}
        rows = []
        for block in p["info"]:
            names = {i: "section_%d" % i for i in range(16)} if mode == 0 else WORD_NAMES[gen]
            sums, touched, odd = {n: 0 for n in names.values()}, False, False
            for (b, _), values in spec["words"].items():
                if b != block:
                    continue
                for word, value in values.items():
                    if not value:
                        continue
                    touched = True
                    if word in names:
                        sums[names[word]] += value
                    else:
                        odd = True
            counters = sums if touched else {}
            op = sum(sums.values()) if mode == 0 else sums["nx_active"]
            total = op or sum(sums.values())
            row = stripe_rows.get(to_stripe.get(str(block)))
            if row is None:
                self.note("W_STRIPE_UNMAPPED", "%d:%d" % (seg, block))
                row = ("chain_%d" % block, "cascade_%d" % block)
            if odd:
                self.note("W_UNLABELLED_WORDS", "%d:%d" % (seg, block))
            if mode == 1 and not op and total:
                self.note("W_NX_ACTIVE_ZERO", "%d:%d" % (seg, block))
            rows.append(dict(id=block, chain=row[0], cascade=row[1], op_cycles=op, total_cycles=total, counters=counters))
        self.segments.append(dict(
            segment_index=seg, segment_name=name, pipeline_id=p["id"], session_id=sid, dispatch_id=did,
            executed_index=index, stripes=rows, op_cycles=sum(r["op_cycles"] for r in rows),
            total_cycles=sum(r["total_cycles"] for r in rows), structural=SPIRV_OPS[p["spirv"]]))
        for r in rows:
            for key, book, kind in ((r["chain"], self.chains, "chain"), (r["cascade"], self.cascades, "cascade")):
                entry = book.setdefault("%s/segment_%d/%s" % (kind, seg, key), dict(
                    stripe_ids=[], op_cycles=0, total_cycles=0, counters={}, segment=seg, name=name, local=key))
                entry["stripe_ids"].append(str(r["id"]))
                entry["op_cycles"] += r["op_cycles"]
                entry["total_cycles"] += r["total_cycles"]
                for n, v in r["counters"].items():
                    entry["counters"][n] = entry["counters"].get(n, 0) + v
        fused, tosa = dict(table["fused"]), {i: (ty, ls) for i, ty, ls in table["tosa"]}
        ids = {i for i, _ in SPIRV_OPS[p["spirv"]]}
        for r in rows:
            key = "chain/segment_%d/%s" % (seg, r["chain"])
            if key in self.chain_ops:
                continue
            ops = []
            for f in dict(table["chains"]).get(r["chain"], []):
                if f not in fused:
                    self.note("W_DEBUG_DANGLING", "%d:fused_ops:%s" % (seg, f))
                for t in fused.get(f, []):
                    if t not in tosa:
                        self.note("W_DEBUG_DANGLING", "%d:tosa_ops:%s" % (seg, t))
                        continue
                    types, labels = tosa[t]
                    sources = []
                    for label in labels:
                        head, sep, tail = label.rpartition("_spirv_id_")
                        if sep:
                            assert int(tail) in ids
                            sources.append(int(tail))
                            continue
                        hits = [i for i, n in SPIRV_OPS[p["spirv"]] if n == label]
                        if len(hits) == 1:
                            sources.append(hits[0])
                        elif hits:
                            self.note("W_LABEL_AMBIGUOUS", "%d:%s" % (seg, label))
                        else:
                            self.note("W_LABEL_UNMATCHED", "%d:%s" % (seg, label))
                    ops.append((types, list(dict.fromkeys(sources)), labels))
            self.chain_ops[key] = ops

    @staticmethod
    def metrics(entry):
        def m(n, v):
            return {"name": n, "unit": "cycles", "value": v, "aggregation": "sum"}
        return [m("total_cycles", entry["total_cycles"]), m("op_cycles", entry["op_cycles"])] + [
            m(n + "_cycles", v) for n, v in entry["counters"].items()]

    def result(self):
        reason = "the capture holds no value for this metric"

        def lack(n, u):
            return {"name": n, "unit": u, "availability": "unavailable", "reason": reason}
        op, total = (sum(s[k] for s in self.segments) for k in ("op_cycles", "total_cycles"))
        metrics = [lack("inference_time", "ms"), lack("infs_per_sec", "inferences/s"),
                   {"name": "total_cycles", "unit": "cycles", "value": total},
                   {"name": "compute_cycles", "unit": "cycles", "value": op}]
        metrics += [lack(n, "cycles") for n in ("cache_cycles", "dram_cycles")]
        metrics += [lack(n, "bytes") for n in ("compiled_size", "cache_read_bytes", "cache_write_bytes",
                                               "dram_read_bytes", "dram_write_bytes", "dram_footprint")]
        metrics += [{"name": "target_utilization", "unit": "%", "value": op / total * 100 if total else 0.0},
                    lack("accelerator_operator_percentage", "%"), lack("inferences_per_second", "inferences/s"),
                    lack("cpu_utilization", "%"), lack("model_weight_memory", "bytes"),
                    lack("peak_activation_memory", "bytes"), lack("average_memory", "bytes")]

        sources, groups, extra = {}, [], []
        chain_entities, seen = [], {}

        def link(parent, child):
            if child["id"] not in parent.setdefault("child_ids", []):
                parent["child_ids"].append(child["id"])
            if parent["id"] not in child.setdefault("parent_ids", []):
                child["parent_ids"].append(parent["id"])

        def get(eid, kind, name, **attributes):
            if eid not in seen:
                seen[eid] = {"id": eid, "kind": kind, "name": name}
                if attributes:
                    seen[eid]["attributes"] = attributes
                extra.append(seen[eid])
            return seen[eid]

        for cid, entry in self.chains.items():
            children = []
            for n, (types, ids, labels) in enumerate(self.chain_ops[cid]):
                eids = ["source_operator/segment_%d/spirv-%d" % (entry["segment"], i) for i in ids]
                if not eids:
                    continue
                parent = cid
                if len(eids) > 1:
                    parent = "performance_group/segment_%d/chain_%s/%d" % (entry["segment"], entry["local"], n)
                    groups.append({"id": parent, "kind": "performance_group", "name": "/".join(types), "parent_ids": [cid],
                                   "child_ids": eids, "attributes": {"operator_types": types}})
                    children.append(parent)
                else:
                    children.append(eids[0])
                for eid in eids:
                    e = sources.setdefault(eid, {"id": eid, "kind": "source_operator", "name": "/".join(types), "placement": "NX",
                                                 "parent_ids": [], "attributes": {"operator_types": types}})
                    if parent not in e["parent_ids"]:
                        e["parent_ids"].append(parent)
                    for label in labels:
                        last = None
                        for key, name, kind in MODULES.get(label, []):
                            node = get("nn_module/" + key, "nn_module", name, **({"module_type": kind} if kind else {}))
                            if last is not None:
                                link(last, node)
                            last = node
                        if last is not None:
                            link(last, e)
                        last, prefix = None, []
                        for path, line, function in FRAMES.get(label, []):
                            prefix.append("%s:%d:%s" % (path, line, function))
                            digest = hashlib.sha256("\n".join(prefix).encode()).hexdigest()[:12]
                            short = "%s:%d" % (path.rsplit("/", 1)[-1], line)
                            node = get("code_stack/%s-%s" % (short, digest), "code_stack", short, file=path, line=line, function=function)
                            if last is not None:
                                link(last, node)
                            last = node
                        if last is not None:
                            link(last, e)
            parents = [k for k, v in self.cascades.items()
                       if v["segment"] == entry["segment"] and set(v["stripe_ids"]) & set(entry["stripe_ids"])]
            item = {"id": cid, "kind": "chain", "placement": "NX", "name": label_of(entry, "chain"), "parent_ids": parents,
                    "attributes": {"stripe_ids": entry["stripe_ids"]}}
            if children:
                item["child_ids"] = children
            chain_entities.append(item)
        cascade_entities = []
        for kid, entry in self.cascades.items():
            cascade_entities.append({
                "id": kid, "kind": "cascade", "placement": "NX", "name": label_of(entry, "cascade"),
                "parent_ids": ["segment/%d" % entry["segment"]],
                "child_ids": [c["id"] for c in chain_entities if kid in c["parent_ids"]],
                "attributes": {"stripe_ids": entry["stripe_ids"]}})
        segment_entities = []
        for s in self.segments:
            children = [k["id"] for k in cascade_entities if k["parent_ids"] == ["segment/%d" % s["segment_index"]]]
            for i, name in s["structural"]:
                eid = "source_operator/segment_%d/spirv-%d" % (s["segment_index"], i)
                if eid not in sources:
                    sources[eid] = {"id": eid, "kind": "source_operator", "name": PRESENTATION.get(name, name),
                                    "parent_ids": ["segment/%d" % s["segment_index"]]}
                    children.append(eid)
            segment_entities.append({"id": "segment/%d" % s["segment_index"], "kind": "segment", "name": s["segment_name"],
                                     "child_ids": children})
        breakdowns = [{"id": k, "entity_id": k, "metrics": self.metrics(v)} for book in (self.chains, self.cascades) for k, v in book.items()]
        return {
            "kind": "performance", "status": "ok", "producer": "neural-technology-profiling-data", "mode": "measured",
            "warnings": self.warnings, "metrics": metrics, "breakdowns": breakdowns,
            "entities": chain_entities + cascade_entities + extra + groups + list(sources.values()) + segment_entities,
            "entity_kinds": [
                {"id": "segment", "child_kinds": ["cascade", "source_operator"]},
                {"id": "cascade", "parent_kinds": ["segment"], "child_kinds": ["chain"]},
                {"id": "chain", "parent_kinds": ["cascade"], "child_kinds": ["source_operator", "performance_group"]},
                {"id": "performance_group", "parent_kinds": ["chain"], "child_kinds": ["source_operator"]},
                {"id": "nn_module", "parent_kinds": ["nn_module"], "child_kinds": ["nn_module", "source_operator"]}]}

    def tables(self):
        out = copy.deepcopy(self.segments)
        for s in out:
            del s["structural"]
        return out


def label_of(entry, kind):
    local = entry["local"]
    if local.startswith(kind + "_") and len(local) > len(kind) + 1:
        local = local[len(kind) + 1:]
    return "%s/%s %s" % (entry["name"], kind.capitalize(), local)


def dispatch_path(cap_name, cap, did):
    p, sid, _, _ = find(cap, did)
    return "%s/pipeline_%06d/session_%06d/dispatch_%06d" % (cap_name, p["id"], sid, did)


def good_cases(caps):
    def root(n):
        return [n]

    def at(n, *dids):
        return [dispatch_path(n, caps[n], d) for d in dids]
    t = [(0, "graph_segment_0"), (2, "graph_segment_1"), (4, "graph_segment_2")]

    def three(*dids):
        return [(i, n, d) for (i, n), d in zip(t, dids)]
    return [
        ("g01_mode0_root", "v01_mode0_g1_single", root("v01_mode0_g1_single"), None, [(0, "demo graph", 0)], []),
        ("g02_mode1_text_info", "v02_mode1_g1_single", root("v02_mode1_g1_single"), None, [(0, "pipeline_000003", 21)], []),
        ("g03_mode1_g2_vgf_dispatch", "v03_mode1_g2_single", at("v03_mode1_g2_single", 0), "one_graph.vgf", [(0, "graph_segment_0", 0)], []),
        ("g04_mode0_g2_block_size", "v04_mode0_g2_blocks", root("v04_mode0_g2_blocks"), None, [(0, "pipeline_000000", 0)], []),
        ("g05_three_segments_root", "v05_three_segments", root("v05_three_segments"), "three_graphs.vgf", three(0, 1, 2), [1, 3]),
        ("g06_three_segments_anchor", "v06_anchor", at("v06_anchor", 3), "three_graphs.vgf", three(1, 3, 5), [1, 3]),
        ("g07_one_of_many", "v07_many_sessions", at("v07_many_sessions", 5), None, [(0, "pipeline_000000", 5)], []),
        ("g08_twin_explicit", "v08_twin", at("v08_twin", 0, 1), "twin_graphs.vgf", [(0, "twin_first", 0), (1, "twin_second", 1)], []),
        ("g09_unmapped", "v09_unmapped", root("v09_unmapped"), None, [(0, "pipeline_000000", 0)], []),
        ("g10_other_device_ignored", "v10_two_devices", root("v10_two_devices"), "one_graph.vgf", [(0, "graph_segment_0", 0)], []),
        ("g11_shared_ops", "v11_shared_ops", root("v11_shared_ops"), None, [(0, "pipeline_000000", 0)], []),
        ("g12_mode1_odd_blocks", "v12_mode1_odd_blocks", root("v12_mode1_odd_blocks"), None, [(0, "pipeline_000000", 0)], []),
        ("g14_bare_headers", "v13_bare_headers", root("v13_bare_headers"), None, [(0, "pipeline_000000", 0)], []),
        ("g13_three_segments_explicit", "v05_three_segments", at("v05_three_segments", 0, 1, 2), "three_graphs.vgf", three(0, 1, 2), [1, 3]),
    ]


# ------------------------------------------------------------------------------------------------ corruptions
def edit(*steps):
    """A change to one JSON document: each step is (document, function(dict))."""
    def run(root):
        for doc, change in steps:
            path = os.path.join(root, doc)
            with open(path, encoding="utf-8") as f:
                value = json.load(f)
            replaced = change(value)
            dump(path, value if replaced is None else replaced)
    return run


def setter(*keys_and_value):
    *keys, last, value = keys_and_value

    def change(doc):
        for k in keys:
            doc = doc[k]
        doc[last] = value
    return change


def popper(*keys):
    def change(doc):
        for k in keys[:-1]:
            doc = doc[k]
        doc.pop(keys[-1])
    return change


P, S, D = "pipeline_000000/pipeline.json", "pipeline_000000/session_000000/session.json", \
    "pipeline_000000/session_000000/dispatch_000000/dispatch.json"
DBF, INF = "pipeline_000000/debug_database.bin", "pipeline_000000/neural_statistics_info.bin"
ST = "pipeline_000000/session_000000/dispatch_000000/statistics_mode0.bin"


def payload(name, transform):
    """Replaces an artifact's bytes and keeps the declared size honest."""
    doc = D if name == ST else P

    def run(root):
        path = os.path.join(root, name)
        with open(path, "rb") as f:
            data = transform(f.read())
        write(path, data)

        def resize(value):
            for a in value["artifacts"]:
                if a["path"] == name:
                    a["size"] = len(data)
        edit((doc, resize))(root)
    return run


def retext(transform):
    def f(data):
        return frame(DB_MAGIC, transform(data[12:].decode()).encode())
    return payload(DBF, f)


def text_info(text):
    def run(root):
        os.remove(os.path.join(root, INF))
        new = INF[:-3] + "txt"
        write(os.path.join(root, new), text)

        def change(value):
            for a in value["artifacts"]:
                if a["type"] == "statistics_info":
                    a.update(path=new, size=len(text))
        edit((P, change))(root)
    return run


def raw_text(doc, transform):
    def run(root):
        path = os.path.join(root, doc)
        with open(path, "rb") as f:
            data = f.read()
        write(path, transform(data))
    return run


def replace_with(name, maker):
    def run(root):
        path = os.path.join(root, name)
        if os.path.isfile(path):
            os.remove(path)
        maker(path)
    return run


def second_pipeline_same_session(root):
    shutil.copytree(os.path.join(root, "pipeline_000000"), os.path.join(root, "pipeline_000001"))
    path = os.path.join(root, "pipeline_000001")
    for folder, _, names in os.walk(path):
        for n in names:
            if n.endswith(".json"):
                full = os.path.join(folder, n)
                with open(full, encoding="utf-8") as f:
                    text = f.read().replace("pipeline_000000", "pipeline_000001").replace('"pipeline_id": 0', '"pipeline_id": 1')
                if n == "pipeline.json":
                    text = text.replace('"id": 0,', '"id": 1,', 1)
                write(full, text.encode())
    edit(("capture.json", lambda d: d["pipelines"].append({"id": 1, "path": "pipeline_000001/pipeline.json"})))(root)


def duplicate_dispatch(root):
    old, new = "pipeline_000000/session_000000", "pipeline_000000/session_000001"
    shutil.copytree(os.path.join(root, old), os.path.join(root, new))
    for n in ("session.json", "dispatch_000000/dispatch.json"):
        full = os.path.join(root, new, n)
        with open(full, encoding="utf-8") as f:
            text = f.read().replace("session_000000", "session_000001").replace('"session_id": 0', '"session_id": 1')
        write(full, (text.replace('"id": 0,', '"id": 1,', 1) if n == "session.json" else text).encode())
    edit((P, lambda d: d["sessions"].append({"id": 1, "path": new + "/session.json"})))(root)


def rename(a, b):
    return lambda root: os.rename(os.path.join(root, a), os.path.join(root, b))


def corruptions():
    """name -> (base capture, input path below the case folder or None for the root, change(root), kind)."""
    v1, v2, v7 = "v01_mode0_g1_single", "v02_mode1_g1_single", "v07_many_sessions"
    cap = "capture.json"
    dup = b'"status": "complete",\n    "status": "complete",'
    table = [
        ("json_truncated", v1, raw_text(cap, lambda b: b[:-40]), "E_JSON_SYNTAX"),
        ("json_bom", v1, raw_text(cap, lambda b: b"\xef\xbb\xbf" + b), "E_JSON_SYNTAX"),
        ("json_nan", v1, raw_text(D, lambda b: b.replace(b'"executed_index": 0', b'"executed_index": NaN')), "E_JSON_SYNTAX"),
        ("json_not_utf8", v1, raw_text(P, lambda b: b.replace(b"demo graph", b"demo \xff\xfe")), "E_JSON_SYNTAX"),
        ("json_duplicate_key", v1, raw_text(cap, lambda b: b.replace(b'"status": "complete",', dup)), "E_JSON_DUPLICATE_KEY"),
        ("schema_version_1", v1, edit((cap, setter("schema_version", 1))), "E_SCHEMA_VERSION"),
        ("schema_version_float", v1, edit((S, setter("schema_version", 2.0))), "E_SCHEMA_VERSION"),
        ("unknown_key", v1, edit((cap, setter("capture", "hash", "0"))), "E_FIELDS"),
        ("missing_key", v1, edit((P, popper("vendor_options"))), "E_FIELDS"),
        ("unknown_key_artifact", v1, edit((D, setter("artifacts", 0, "sha256", "0"))), "E_FIELDS"),
        ("document_is_array", v1, edit((S, lambda d: [d])), "E_TYPE"),
        ("wrong_type_name", v1, edit((P, setter("friendly_name", 7))), "E_TYPE"),
        ("empty_string_as_null", v1, edit((S, setter("diagnostic_handle", ""))), "E_TYPE"),
        ("bool_as_integer", v1, edit((D, setter("executed_index", True))), "E_TYPE"),
        ("float_as_integer", v1, edit((D, setter("executed_index", 1.0))), "E_TYPE"),
        ("negative_id", v1, edit((cap, setter("devices", 0, "id", -1))), "E_RANGE"),
        ("id_over_64_bits", v1, edit((D, setter("executed_index", 2 ** 64))), "E_RANGE"),
        ("vendor_over_32_bits", v1, edit((cap, setter("devices", 0, "vendor_id", 2 ** 32))), "E_RANGE"),
        ("status_incomplete", v1, edit((cap, setter("status", "incomplete"))), "E_STATUS"),
        ("error_not_null", v1, edit((cap, setter("error", "writer failed"))), "E_STATUS"),
        ("mode_2", v1, edit((cap, setter("capture", "statistics_mode", 2))), "E_VALUE"),
        ("mode_mismatch", v1, edit((cap, setter("capture", "statistics_mode", 1))), "E_ARTIFACT_NAME"),
        ("no_devices", v1, edit((cap, setter("devices", []))), "E_VALUE"),
        ("device_vendor", v1, edit((cap, setter("devices", 0, "vendor_id", 0x1234))), "E_DEVICE_VENDOR"),
        ("device_name", v1, edit((cap, setter("devices", 0, "name", "Mali-G10"))), "E_DEVICE_NAME"),
        ("device_unknown", v1, edit((P, setter("device_id", 9))), "E_UNKNOWN_DEVICE"),
        ("session_device_mismatch", v1, edit((cap, lambda d: d["devices"].append(dict(d["devices"][0], id=5))), (S, setter("device_id", 5))), "E_REFERENCE_ID"),
        ("duplicate_device_id", v1, edit((cap, lambda d: d["devices"].append(d["devices"][0]))), "E_DUPLICATE_ID"),
        ("duplicate_session_id", v1, second_pipeline_same_session, "E_DUPLICATE_ID"),
        ("duplicate_dispatch_id", v1, duplicate_dispatch, "E_DUPLICATE_ID"),
        ("duplicate_executed_index", v7, edit(("pipeline_000000/session_000000/dispatch_000001/dispatch.json", setter("executed_index", 0))), "E_DUPLICATE_INDEX"),
        ("path_escape", v1, edit((cap, setter("pipelines", 0, "path", "../pipeline_000000/pipeline.json"))), "E_PATH_SYNTAX"),
        ("path_absolute", v1, edit((cap, setter("pipelines", 0, "path", "/pipeline_000000/pipeline.json"))), "E_PATH_SYNTAX"),
        ("path_backslash", v1, edit((cap, setter("pipelines", 0, "path", "pipeline_000000\\pipeline.json"))), "E_PATH_SYNTAX"),
        ("path_drive", v1, edit((P, setter("artifacts", 0, "path", "C:/debug_database.bin"))), "E_PATH_SYNTAX"),
        ("path_not_from_id", v1, edit((cap, setter("pipelines", 0, "path", "pipeline_0/pipeline.json"))), "E_REFERENCE_PATH"),
        ("artifact_of_other_folder", v1, edit((D, setter("artifacts", 0, "path", "pipeline_000000/session_000000/statistics_mode0.bin"))), "E_REFERENCE_PATH"),
        ("id_not_its_reference", v1, edit((S, setter("id", 3))), "E_REFERENCE_ID"),
        ("dispatch_parent_mismatch", v1, edit((D, setter("session_id", 3))), "E_REFERENCE_ID"),
        ("symlink_artifact", v1, replace_with(ST, lambda p: os.symlink("/dev/null", p)), "E_NAMESPACE_LINK"),
        ("symlink_orphan", v1, replace_with("notes", lambda p: os.symlink("capture.json", p)), "E_NAMESPACE_LINK"),
        ("fifo_orphan", v1, replace_with("pipe", os.mkfifo), "E_NAMESPACE_KIND"),
        ("artifact_is_directory", v1, replace_with(ST, os.mkdir), "E_NAMESPACE_KIND"),
        ("missing_file", v1, lambda root: os.remove(os.path.join(root, DBF)), "E_NAMESPACE_MISSING"),
        ("case_mismatch", v1, rename("pipeline_000000", "Pipeline_000000"), "E_NAMESPACE_CASE"),
        ("missing_descriptor", v1, edit((P, lambda d: d["artifacts"].pop(0) and None)), "E_ARTIFACT_COUNT"),
        ("size_mismatch", v1, edit((D, setter("artifacts", 0, "size", 64))), "E_ARTIFACT_SIZE"),
        ("size_zero", v1, payload(DBF, lambda b: b""), "E_ARTIFACT_SIZE"),
        ("type_unknown", v1, edit((D, setter("artifacts", 0, "type", "trace"))), "E_ARTIFACT_TYPE"),
        ("type_of_other_document", v1, edit((D, setter("artifacts", 0, "type", "debug_database"))), "E_ARTIFACT_TYPE"),
        ("duplicate_artifact", v1, edit((D, lambda d: d["artifacts"].append(dict(d["artifacts"][0])))), "E_DUPLICATE_PATH"),
        ("shader_name_not_from_id", v1, edit((P, setter("shader", "module_id", 99))), "E_ARTIFACT_NAME"),
        ("statistics_disabled", v1, edit((P, setter("statistics_enabled", False))), "E_PIPELINE_STATE"),
        ("debug_bad_magic", v1, payload(DBF, lambda b: b"\x00\x00\x00\x00" + b[4:]), "E_FRAME_MAGIC"),
        ("debug_swapped_magic", v1, payload(DBF, lambda b: b[3::-1] + b[4:]), "E_FRAME_MAGIC"),
        ("debug_version_2", v1, payload(DBF, lambda b: b[:4] + u32s([2]) + b[8:]), "E_FRAME_VERSION"),
        ("debug_size_overflow", v1, payload(DBF, lambda b: b[:8] + u32s([0xFFFFFFFF]) + b[12:]), "E_FRAME_SIZE"),
        ("debug_truncated_payload", v1, payload(DBF, lambda b: b[:-5]), "E_FRAME_SIZE"),
        ("debug_truncated_header", v1, payload(DBF, lambda b: b[:7]), "E_FRAME_TRUNCATED"),
        ("debug_not_utf8", v1, payload(DBF, lambda b: frame(DB_MAGIC, b[12:].replace(b"Conv2D", b"Conv\xff\xfe"))), "E_DEBUG_TEXT"),
        ("debug_missing_section", v1, retext(lambda t: t.rsplit("\n----\n", 1)[0] + "\n"), "E_DEBUG_SECTIONS"),
        ("debug_columns", v1, retext(lambda t: t.replace("id\ttosa_op_ids", "id\ttosa_ids")), "E_DEBUG_COLUMNS"),
        ("debug_long_row", v1, retext(lambda t: t.replace("20\t10;11;", "20\t10;11;\textra")), "E_DEBUG_ROW"),
        ("debug_duplicate_id", v1, retext(lambda t: t.replace("\n31\t22;", "\n30\t22;")), "E_DEBUG_DUPLICATE"),
        ("debug_two_chains", v1, retext(lambda t: t.replace("500\t30\t40", "500\t30;31;\t40")), "E_DEBUG_MULTI"),
        ("info_swapped_magic", v1, payload(INF, lambda b: b[3::-1] + b[4:]), "E_FRAME_MAGIC"),
        ("info_near_magic", v1, payload(INF, lambda b: u32s([INFO_MAGIC - 1]) + b[4:]), "E_FRAME_MAGIC"),
        ("info_big_endian", v1, payload(INF, lambda b: struct.pack(">%dI" % (len(b) // 4), *struct.unpack("<%dI" % (len(b) // 4), b))), "E_FRAME_MAGIC"),
        ("debug_big_endian", v1, payload(DBF, lambda b: b[3::-1] + b[7:3:-1] + b[11:7:-1] + b[12:]), "E_FRAME_MAGIC"),
        ("info_size_mismatch", v1, payload(INF, lambda b: b + u32s([2])), "E_FRAME_SIZE"),
        ("info_not_words", v1, payload(INF, lambda b: frame(INFO_MAGIC, b[12:] + b"\x00")), "E_INFO_ALIGN"),
        ("info_empty", v1, payload(INF, lambda b: frame(INFO_MAGIC, b"")), "E_INFO_EMPTY"),
        ("info_duplicate", v1, payload(INF, lambda b: frame(INFO_MAGIC, u32s([0, 1, 1]))), "E_INFO_DUPLICATE"),
        ("info_out_of_range", v1, payload(INF, lambda b: frame(INFO_MAGIC, u32s([0, 1, 0xFFFFFFFF]))), "E_INFO_OUT_OF_RANGE"),
        ("info_unlisted_block", v1, payload(INF, lambda b: frame(INFO_MAGIC, u32s([0]))), "E_INFO_UNLISTED"),
        ("info_text_token", v1, text_info(b"0 stripe-1\n"), "E_INFO_TEXT"),
        ("info_text_overflow", v1, text_info(b"0 1 4294967296\n"), "E_INFO_RANGE"),
        ("info_text_blank", v1, text_info(b" \n"), "E_INFO_EMPTY"),
        ("stats_not_words", v1, payload(ST, lambda b: b + b"\x00"), "E_STATS_ALIGN"),
        ("stats_half_task", v1, payload(ST, lambda b: b + bytes(32)), "E_STATS_ALIGN"),
        ("stats_wrong_generation", v2, edit((cap, setter("devices", 0, "name", "Mali-G2"))), "E_STATS_ALIGN"),
        ("label_unresolved", v1, retext(lambda t: t.replace("spirv_id_66", "spirv_id_9999")), "E_LABEL_UNRESOLVED"),
        ("label_leading_zero", v1, retext(lambda t: t.replace("spirv_id_66", "spirv_id_066")), "E_LABEL_UNRESOLVED"),
        ("shader_not_spirv", v1, payload("pipeline_000000/shader_module_10.spv", lambda b: b"\0\0\0\0" + b[4:]), "E_SPIRV"),
    ]
    return table


def selections(caps):
    """Valid captures (or light rearrangements of one) that must be refused: (name, builder(dir), inputs, model, kind)."""
    def at(n, d):
        return dispatch_path(n, caps[n], d)

    def copies(*names):
        def run(out):
            for n in names:
                shutil.copytree(os.path.join(OUT, "valid", n), os.path.join(out, n))
        return run

    def twist(name, change):
        def run(out):
            copies(name)(out)
            change(os.path.join(out, name))
        return run

    def flat(out):
        write(os.path.join(out, "flat", "debug_database.bin"), b"x")

    def moved(out):
        copies("v01_mode0_g1_single")(out)
        os.rename(os.path.join(out, at("v01_mode0_g1_single", 0)), os.path.join(out, "dispatch_000000"))

    def link_root(out):
        copies("v01_mode0_g1_single")(out)
        os.symlink("v01_mode0_g1_single", os.path.join(out, "link"))

    def two_devices(root):
        edit(("capture.json", lambda d: d["devices"].append(dict(d["devices"][0], id=1))),
             ("pipeline_000001/pipeline.json", setter("device_id", 1)),
             ("pipeline_000001/session_000001/session.json", setter("device_id", 1)))(root)

    v1, v5, v6, v7, v8 = ("v01_mode0_g1_single", "v05_three_segments", "v06_anchor", "v07_many_sessions", "v08_twin")
    one, three, twin = "one_graph.vgf", "three_graphs.vgf", "twin_graphs.vgf"
    return [
        ("sel_many_dispatches_no_vgf", copies(v7), [v7], None, "E_SELECT_DISPATCH"),
        ("sel_many_dispatches_vgf", copies(v7), [v7], one, "E_SELECT_DISPATCH"),
        ("sel_repeat_no_vgf", copies(v7), [at(v7, 0), at(v7, 1)], None, "E_SELECT_REPEAT"),
        ("sel_no_matching_shader", copies(v1), [v1], three, "E_SELECT_NO_PIPELINE"),
        ("sel_two_matching_pipelines", copies(v8), [v8], "three_graphs.vgf", "E_SELECT_PIPELINE"),
        ("sel_duplicate_spirv", copies(v8), [v8], twin, "E_SELECT_SAME_SPIRV"),
        ("sel_two_matching_dispatches", copies(v6), [at(v6, 0)], three, "E_SELECT_ANCHOR_INDEX"),
        ("sel_anchor_foreign", copies(v5), [at(v5, 3)], three, "E_SELECT_ANCHOR"),
        ("sel_wrong_order", copies(v5), [at(v5, 1), at(v5, 0), at(v5, 2)], three, "E_SELECT_ORDER"),
        ("sel_wrong_count", copies(v5), [at(v5, 0), at(v5, 1)], three, "E_SELECT_COUNT"),
        ("sel_repeated_dispatch", copies(v8), [at(v8, 0), at(v8, 0)], twin, "E_SELECT_TWICE"),
        ("sel_root_in_list", copies(v5), [v5, at(v5, 1), at(v5, 2)], three, "E_SELECT_ROOT"),
        ("sel_two_captures", copies(v5, v8), [at(v5, 0), at(v8, 1)], twin, "E_SELECT_CAPTURES"),
        ("sel_two_devices", twist(v8, two_devices), [at(v8, 0), at(v8, 1)], twin, "E_SELECT_DEVICES"),
        ("sel_debug_unavailable", copies("v10_two_devices"), [at("v10_two_devices", 1)], None, "E_ARTIFACT_UNAVAILABLE"),
        ("sel_model_not_vgf", copies(v1), [v1], "one_graph.mlir", "E_MODEL_TYPE"),
        ("in_flat_folder", flat, ["flat"], None, "E_INPUT_UNKNOWN"),
        ("in_missing", copies(v1), ["nothing-here"], None, "E_INPUT_DIRECTORY"),
        ("in_regular_file", copies(v1), [v1 + "/capture.json"], None, "E_INPUT_DIRECTORY"),
        ("in_symlink", link_root, ["link"], None, "E_INPUT_LINK"),
        ("in_dispatch_moved", moved, ["dispatch_000000"], None, "E_INPUT_LOCATION"),
        ("in_dispatch_unreferenced", twist(v7, edit((S, lambda d: d["dispatches"].pop() and None))), [at(v7, 2)], None, "E_INPUT_UNREFERENCED"),
    ]


def materialise_corrupt(out):
    caps = captures()
    for name, base, change, _ in corruptions():
        root = os.path.join(out, name, base)
        shutil.copytree(os.path.join(OUT, "valid", base), root)
        change(root)
    for name, builder, _, _, _ in selections(caps):
        os.makedirs(os.path.join(out, name))
        builder(os.path.join(out, name))


def build():
    caps = captures()
    for name, cap in caps.items():
        write_capture(os.path.join(OUT, "valid", name), cap)
    index = {"good": [], "refused": []}
    for name, cap_name, inputs, model, picks, skipped in good_cases(caps):
        e = Expected(caps[cap_name], picks, skipped)
        dev = next(d for d in caps[cap_name]["devices"] if d["id"] == find(caps[cap_name], picks[0][2])[0]["device"])
        if model:
            source = os.path.join(MODELS, model)
            shown = model
        else:
            p = find(caps[cap_name], picks[0][2])[0]
            source, shown = os.path.join(MODELS, p["spirv"]), "shader_module_%d.spv" % p["module"]
        with open(source, "rb") as f:
            blob = f.read()
        dirs = [dispatch_path(cap_name, caps[cap_name], d) for _, _, d in picks]
        doc = {
            "case": name, "profiling_data": inputs, "model": model,
            "device": {"name": dev["name"], "profiling_device": "Mali-G2" if dev["name"].startswith("Mali-G2") else "Mali-G1",
                       "vendor_id": dev["vendor_id"], "device_id": dev["device_id"]},
            "mode": caps[cap_name]["mode"], "dispatch_directories": dirs,
            "output_model": {"name": shown, "format": shown.rsplit(".", 1)[-1], "hash": hashlib.sha256(blob).hexdigest(), "size_bytes": len(blob)},
            "warning_kinds": dict(sorted(e.notes.items())), "segments": e.tables(), "result": e.result()}
        dump(os.path.join(OUT, "expected", name + ".json"), doc)
        index["good"].append({"case": name, "profiling_data": inputs, "model": model, "expected": name + ".json"})
    for name, base, _, kind in corruptions():
        index["refused"].append({"case": name, "profiling_data": [base], "model": None, "kind": kind})
    for name, _, inputs, model, kind in selections(caps):
        index["refused"].append({"case": name, "profiling_data": inputs, "model": model, "kind": kind})
    dump(os.path.join(OUT, "expected", "cases.json"), index)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    OUT = sys.argv[1]
    build()
    materialise_corrupt(os.path.join(OUT, "refused"))
