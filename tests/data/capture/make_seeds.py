#!/usr/bin/env python3
"""Writes seeds/, the first inputs of the fuzz targets of captures, from the captures of make_captures.py.

  make_seeds.py CAPTURES    CAPTURES: the folder that make_captures.py wrote
"""
import glob
import os
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DOCUMENTS = ("capture.json", "pipeline_*/pipeline.json", "pipeline_*/session_*/session.json",
             "pipeline_*/session_*/dispatch_*/dispatch.json")


def write(folder, name, data):
    os.makedirs(os.path.join(HERE, "seeds", folder), exist_ok=True)
    with open(os.path.join(HERE, "seeds", folder, name), "wb") as f:
        f.write(data)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def main():
    base = os.path.join(sys.argv[1], "valid", "v02_mode1_g1_single")
    for n, pattern in enumerate(DOCUMENTS):
        write("capture_document", "document%d" % n, bytes([n]) + read(glob.glob(os.path.join(base, pattern))[0]))
    for name in ("v01_mode0_g1_single", "v02_mode1_g1_single", "v11_shared_ops", "v13_bare_headers"):
        path = glob.glob(os.path.join(sys.argv[1], "valid", name, "*", "debug_database.bin"))[0]
        write("capture_debug_database", name, read(path))
        path = glob.glob(os.path.join(sys.argv[1], "valid", name, "*", "neural_statistics_info.*"))[0]
        write("capture_stripes", name, bytes([path.endswith(".txt")]) + read(path))
    for mode, generation in ((0, 1), (0, 2), (1, 1), (1, 2)):
        words = (16, 32 * generation)[mode]
        write("capture_statistics", "mode%d_g%d" % (mode, generation),
              bytes([mode | (generation - 1) << 1]) + struct.pack("<I", 3) + struct.pack("<%dI" % words, *range(words)) * 2)
    cell = b"block/conv/Conv2D;block/pool;TOSACLAMP_spirv_id_63;"
    write("capture_module", "one_graph", struct.pack("<H", len(cell)) + cell + read(os.path.join(HERE, "models", "one_graph.seg0.spv")))


if __name__ == "__main__":
    main()
