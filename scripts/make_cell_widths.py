#!/usr/bin/env python3
"""Writes src/render/cell_widths.def: how many terminal cells a code point takes, from Python's Unicode tables.

Wide and fullwidth characters (East Asian Width W and F) take two; combining marks and format characters take none.
Usage: make_cell_widths.py > src/render/cell_widths.def"""
import sys
import unicodedata


# Blocks where characters that Unicode has not assigned yet are wide.
IDEOGRAPHS = [(0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FFFD), (0x30000, 0x3FFFD)]


def width(point):
    character = chr(point)
    if unicodedata.category(character) == "Cn":
        return 2 if any(first <= point <= last for first, last in IDEOGRAPHS) else 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf") and point != 0xAD:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def main():
    print(f"/* Made by scripts/make_cell_widths.py from Unicode {unicodedata.unidata_version}; every range that is not one"
          " cell wide: X(FIRST, LAST, CELLS), ascending. */")
    start, previous = 0, 1
    for point in range(0x300, 0x110001):
        cells = width(point) if point < 0x110000 else 1
        if cells == previous:
            continue
        if previous != 1:
            print(f"X(0x{start:X}, 0x{point - 1:X}, {previous})")
        start, previous = point, cells


if __name__ == "__main__":
    sys.exit(main())
