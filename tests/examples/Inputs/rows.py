#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the results of row-wise kernels in double precision; without NumPy.

rows.py softmax|rmsnorm INPUT.npy OUTPUT.npy
"""
import array
import math
import re
import sys


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    start = 10 + int.from_bytes(data[8:10], "little")
    rows, columns = map(int, re.search(rb"\((\d+), (\d+)\)", data[:start]).groups())
    values = array.array("f", data[start:])
    return [values[r * columns:(r + 1) * columns] for r in range(rows)]


def softmax(row):
    top = max(row)
    terms = [math.exp(x - top) for x in row]
    total = math.fsum(terms)
    return [t / total for t in terms]


def rmsnorm(row):
    scale = 1 / math.sqrt(math.fsum(x * x for x in row) / len(row) + 1e-5)
    return [x * scale * (1 + (i % 8) / 8) for i, x in enumerate(row)]


expect = {"softmax": softmax, "rmsnorm": rmsnorm}[sys.argv[1]]
# One after the other, 3000 additions may cost 3000 half-ulps; a few dozen are what they do cost.
TOLERANCE = 128 * 2.0 ** -24
for r, (row, result) in enumerate(zip(read(sys.argv[2]), read(sys.argv[3]), strict=True)):
    for i, (want, got) in enumerate(zip(expect(row), result, strict=True)):
        if not abs(got - want) <= TOLERANCE * abs(want):
            sys.exit("row %d, column %d: %.9g, expected %.9g" % (r, i, got, want))
