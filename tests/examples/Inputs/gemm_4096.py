#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands and expected result of tests/examples/gemm_4096.test; without NumPy.

A[m, k] is 1 at k = 2m (for m < 2048) plus 3 at k = 4095 - m; B[k, n] is (5k + n) mod 11. So
C[m, n] = B[2m, n] + 3 B[4095 - m, n].
"""
import array
import sys

N = 4096


def write(path, rows):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (N, N)
    header = header.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        for row in rows:
            row.tofile(file)


def a_rows():
    for m in range(N):
        row = array.array("f", bytes(4 * N))
        if 2 * m < N:
            row[2 * m] += 1
        row[N - 1 - m] += 3
        yield row


def b_rows():
    pattern = array.array("f", [n % 11 for n in range(N + 11)])
    for k in range(N):
        yield pattern[5 * k % 11:5 * k % 11 + N]


def check(path):
    with open(path, "rb") as file:
        data = file.read()
    c = array.array("f", data[len(data) - 4 * N * N:])
    for m in range(64):
        for n in range(128):
            expected = (10 * m + n) % 11 + 3 * ((5 * (N - 1 - m) + n) % 11)
            if c[m * N + n] != expected:
                sys.exit("C[%d, %d] is %g, expected %g" % (m, n, c[m * N + n], expected))
    if any(c[64 * N:65 * N]) or any(c[128:N]):
        sys.exit("something outside the two tiles was written")


if sys.argv[1] == "make":
    write(sys.argv[2], a_rows())
    write(sys.argv[3], b_rows())
else:
    check(sys.argv[2])
