#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds PNG pictures of layouts against the SVG pictures of the same.

  png.py match PNG SVG      the PNG is well-formed (chunks, checksums, sizes, decoded by zlib), twice
                            as large as the SVG, has every rectangle in its colour with a border
                            around, ink where a cell has text, and the arrows' colour along every
                            line

Prints how many rectangles and lines were found. The exit status is 1 when something differs.
"""
import re
import struct
import sys
import zlib

SCALE = 2
BORDER, INK, ARROW = (0x55,) * 3, (0x11,) * 3, (0x33,) * 3


def fail(message):
    print("png.py: " + message)
    sys.exit(1)


def chunks(data):
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        fail("no PNG signature")
    at = 8
    while at < len(data):
        length, = struct.unpack(">I", data[at:at + 4])
        body = data[at + 4:at + 8 + length]
        if struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] != zlib.crc32(body):
            fail(f"the checksum of chunk {body[:4]} is wrong")
        yield body[:4], body[4:]
        at += 12 + length


def decode(path):
    """Width, height and the rows as bytes of RGB."""
    with open(path, "rb") as file:
        parts = list(chunks(file.read()))
    if parts[0][0] != b"IHDR" or parts[-1] != (b"IEND", b""):
        fail("IHDR isn't first or IEND isn't last")
    width, height, *kind = struct.unpack(">IIBBBBB", parts[0][1])
    if kind != [8, 2, 0, 0, 0]:
        fail(f"not RGB of 8 bits: {kind}")
    decoder = zlib.decompressobj()
    raw = decoder.decompress(b"".join(body for name, body in parts if name == b"IDAT"))
    if not decoder.eof or decoder.unused_data:
        fail("the compressed data ends too early or too late")
    if len(raw) != height * (width * 3 + 1):
        fail(f"{len(raw)} bytes of pixels for {width} x {height}")
    rows, above = [], bytes(width * 3)
    for y in range(height):
        line = raw[y * (width * 3 + 1):(y + 1) * (width * 3 + 1)]
        if line[0] != 2:
            fail(f"row {y} has filter {line[0]}")
        above = bytes((a + b) & 255 for a, b in zip(line[1:], above))
        rows.append(above)
    return width, height, rows


def match(png, svg):
    width, height, rows = decode(png)
    with open(svg, encoding="utf-8") as file:
        text = file.read()
    size = tuple(int(v) for v in re.search(r'width="(\d+)" height="(\d+)"', text).groups())
    if (width, height) != (size[0] * SCALE, size[1] * SCALE):
        fail(f"{width} x {height} pixels for an SVG of {size[0]} x {size[1]}")

    def pixel(x, y):
        return tuple(rows[y][x * 3:x * 3 + 3])

    rects = re.findall(r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)" fill="#(\w{6})"/>'
                       r'<text[^>]*>([^<]*)<', text)
    lines = re.findall(r'<line x1="([\d.]+)" y1="([\d.]+)" x2="([\d.]+)" y2="([\d.]+)"', text)
    for *place, color, label in rects:
        x, y, w, h = (int(v) * SCALE for v in place)
        want = tuple(bytes.fromhex(color))
        if not lines and any(pixel(*at) != BORDER for at in
                             ((x, y), (x + w, y), (x, y + h), (x + w // 2, y), (x, y + h // 2))):
            fail(f"cell {label}: no border")
        inside = [pixel(x + i, y + j) for i in range(2, w - 1) for j in range(2, h - 1)]
        if inside.count(want) < len(inside) // 2:
            fail(f"cell {label}: only {inside.count(want)} of {len(inside)} pixels are {want}")
        ink = inside.count(INK) // SCALE**2
        if not lines and not 3 * len(label) <= ink <= 20 * len(label):
            fail(f"cell {label}: {ink} dots of ink")
        if not lines and set(inside) != {want, INK}:
            fail(f"cell {label}: more colours than the cell's and the letters'")
    for line in lines:
        x0, y0, x1, y1 = (float(v) * SCALE for v in line)
        for part in (0.25, 0.5, 0.9):
            at = int(x0 + (x1 - x0) * part), int(y0 + (y1 - y0) * part)
            if pixel(*at) != ARROW:
                fail(f"line {line}: {pixel(*at)} at {at}, expected {ARROW}")
    print(f"{len(rects)} rectangles, {len(lines)} lines")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] != "match":
        sys.exit(__doc__)
    match(*sys.argv[2:])
