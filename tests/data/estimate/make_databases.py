#!/usr/bin/env python3
"""Seeds of the fuzz target databases: a performance and a debug database with a NUL between them, a network summary,
a configuration.  Usage: make_databases.py FOLDER"""
import json
import sys
from pathlib import Path


def table(name, columns, rows):
    return f'<table name="{name}">\n<![CDATA[\n{columns}\n' + "".join(row + "\n" for row in rows) + "]]>\n</table>\n"


PERFORMANCE = table("performance", '"id", "opCycles", "totalCycles", "memoryName;readBytes;writeBytes;trafficCycles", "sectionName;cycles"', [
    "0, 10, 20, L1;0;8;0;DRAM;64;8;2;, InputReader;4;VectorEngine;10;",
    "1, 30, 40, L1;0;8;0;DRAM;64;8;2;, ConvolutionEngine;30;WeightDecoder;5;",
    "2, 1, 12, L1;0;4;0;DRAM;64;4;2;, VectorEngine;1;"])
DEBUG = (table("tosa_op_id", '"id", "tosa_op", "api_labels"', ["5, CONV2D, TOSACONV2D_spirv_id_41;", "6, RESCALE, a/b;", "7, ABS, "])
         + table("fused_op_id", '"id", "tosa_op_ids"', ["10, 5;", "11, 6;7;"])
         + table("chain_op_id", '"id", "fused_op_ids"', ["20, 10;", "21, 11;"])
         + table("stripe_op_id", '"id", "op_id", "cascade_op_id"', ["0, 20, 30", "1, 20, 30", "2, 21, 31"]))
SUMMARY = {"compiled_size": {"value": 512, "unit": "bytes"},
           "network_performance": {"total_cycles": {"value": 72, "unit": "cycles"}, "inference_time": {"value": 0.05, "unit": "us"},
                                   "infs_per_sec": {"value": None, "unit": "inferences/s"},
                                   "dram": {"cycles": {"value": 6, "unit": "cycles"}}}}

folder = Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
(folder / "databases").write_bytes((PERFORMANCE + "\0" + DEBUG).encode())
(folder / "summary").write_text(json.dumps(SUMMARY))
(folder / "configuration").write_text("[system]\nclock_mhz = 600\n[memory.dram]\nbytes_per_cycle = 24.5 ; half\n")
