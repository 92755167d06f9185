"""A VGF with a constant of 2 GiB is checked without its data being read: constants are views into the mapped file."""
import os
import struct
import subprocess
import sys
from pathlib import Path

SHOW = Path(os.environ.get("MLIA_PROGRAM", "build/mlia")).parent / "vgf-show"
SMALL = Path(__file__).parent.parent / "data" / "vgf" / "container" / "ok_v0_5_0.vgf"
ELEMENTS = 2 ** 31 - 8  # instead of 24

MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def enlarge(target):
    """The small file, whose tensors are i8[1,24], with 24 replaced everywhere and the data as a hole at its end."""
    data = bytearray(SMALL.read_bytes())
    sections = [struct.unpack_from("<QQ", data, 16 + 16 * i) for i in range(4)]
    start, size = sections[0]  # modules: OpConstant %uint 24
    for at in range(start, start + size, 4):
        if struct.unpack_from("<I", data, at)[0] == 0x0004002B and struct.unpack_from("<I", data, at + 12)[0] == 24:
            struct.pack_into("<I", data, at + 12, ELEMENTS)
    start, size = sections[2]  # resources: dimensions
    for at in range(start, start + size, 8):
        if struct.unpack_from("<q", data, at)[0] == 24:
            struct.pack_into("<q", data, at, ELEMENTS)
    start, _ = sections[3]
    struct.pack_into("<Q", data, start + 16 + 8, ELEMENTS)
    struct.pack_into("<Q", data, 16 + 16 * 3 + 8, 16 + 24 + ELEMENTS)
    with target.open("wb") as file:
        file.write(data[:start + 16 + 24])
        file.truncate(start + 16 + 24 + ELEMENTS)


def test_two_gibibytes_stay_on_disk(tmp_path):
    large = tmp_path / "large.vgf"
    enlarge(large)
    assert SHOW.exists(), f"{SHOW} is not built"
    measured = subprocess.run([sys.executable, "-c", MEASURE, SHOW, "graph", large, "0"], capture_output=True, text=True)
    status, kibibytes = map(int, measured.stdout.split())
    assert status == 0, measured.stderr
    assert kibibytes < 100 * 1024
