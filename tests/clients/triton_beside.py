# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small kernels of Triton, each by Triton's own interpreter in Python and by Tessera.

    triton_beside.py write FILE     runs them and writes what they give; with TRITON_INTERPRET=1 the
                                    interpreter runs them
    triton_beside.py compare A B    compares two such files: integers and what is only moved or
                                    compared must be the same, sums and functions within a few units
                                    in the last place of what they add up

bfloat16 is only converted: Triton's interpreter takes its bits for integers when it computes.
"""
import os
import sys

import numpy as np
import torch
import triton
import triton.language as tl

N = 64
FLOATS = (torch.float32, torch.float16, torch.float64)
INTS = (torch.int32, torch.int8, torch.int16, torch.int64, torch.uint8)

if sys.argv[1:2] == ["write"] and os.environ.get("TRITON_INTERPRET") != "1" and \
        os.environ.get("TESSERA_TORCH") != "host":
    import tessera.triton
    tessera.triton.install()


@triton.jit
def arithmetic(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, a + b)
    tl.store(out + N + i, a - b)
    tl.store(out + 2 * N + i, a * b)
    tl.store(out + 3 * N + i, tl.minimum(a, b))
    tl.store(out + 4 * N + i, tl.maximum(a, b))
    tl.store(out + 5 * N + i, tl.where(a < b, a, b + a))
    tl.store(out + 6 * N + i, tl.abs(a))
    tl.store(out + 7 * N + i, -b)


@triton.jit
def integers(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    b = tl.where(b == 0, 1, b)
    tl.store(out + i, a // b)
    tl.store(out + N + i, a % b)
    tl.store(out + 2 * N + i, a & b)
    tl.store(out + 3 * N + i, a | b)
    tl.store(out + 4 * N + i, a ^ b)
    tl.store(out + 5 * N + i, a << (i % 7).to(a.dtype))
    tl.store(out + 6 * N + i, a >> (i % 7).to(a.dtype))
    tl.store(out + 7 * N + i, ~a)


@triton.jit
def functions(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i).to(tl.float32)
    tl.store(out + i, tl.exp(a))
    tl.store(out + N + i, tl.log(tl.abs(a) + 1))
    tl.store(out + 2 * N + i, tl.sqrt(tl.abs(a)))
    tl.store(out + 3 * N + i, tl.sin(a))
    tl.store(out + 4 * N + i, tl.cos(a))
    tl.store(out + 5 * N + i, tl.floor(a))
    tl.store(out + 6 * N + i, tl.sigmoid(a))
    tl.store(out + 7 * N + i, tl.erf(a))


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def folds(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    rows, columns = tl.arange(0, 8), tl.arange(0, N // 8)
    a = tl.load(x + i)
    square = tl.load(x + rows[:, None] * (N // 8) + columns[None, :])
    tl.store(out + i, tl.cumsum(a, 0))
    tl.store(out + N + rows, tl.sum(square, 1))
    tl.store(out + 2 * N + columns, tl.max(square, 0))
    tl.store(out + 3 * N + rows, tl.min(square, 1))
    tl.store(out + 4 * N + rows, tl.argmax(square, 1).to(out.dtype.element_ty))
    tl.store(out + 5 * N + i, tl.associative_scan(tl.where(i % 9 == 0, a, 1), 0, multiply))
    tl.store(out + 6 * N + i, tl.sort(a))
    tl.store(out + 7 * N + i, tl.flip(a))


@triton.jit
def shapes(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    square = tl.reshape(a, (8, N // 8))
    tl.store(out + i, tl.reshape(tl.trans(square), (N,)))
    tl.store(out + N + tl.arange(0, 2 * N), tl.interleave(a, b))
    left, right = tl.split(tl.reshape(a, (N // 2, 2)))
    tl.store(out + 3 * N + tl.arange(0, N // 2), left)
    tl.store(out + 4 * N + tl.arange(0, N // 2), right)
    tl.store(out + 5 * N + i, tl.gather(a, (i * 7) % N, 0))
    tl.store(out + 6 * N + i, tl.load(x + i, mask=i % 3 != 0, other=5))
    tl.store(out + 7 * N + i, b, mask=i % 5 == 0)


@triton.jit
def products(x, y, out, N: tl.constexpr):
    i, k = tl.arange(0, 16), tl.arange(0, 16)
    a = tl.load(x + (i[:, None] * 16 + k[None, :]) % N)
    b = tl.load(y + (i[:, None] * 16 + k[None, :]) % N)
    c = tl.dot(a, b, input_precision="ieee")
    tl.store(out + i[:, None] * 16 + k[None, :], c)
    for step in range(3):
        c = tl.dot(a, b, c, input_precision="ieee")
    tl.store(out + 4 * N + i[:, None] * 16 + k[None, :], c)


@triton.jit
def control(x, y, out, N: tl.constexpr):
    pid = tl.program_id(0)
    n = tl.load(y + pid).to(tl.int32) % 11 + 1
    total = tl.load(x)
    total = total - total
    for k in range(0, n):
        if k % 2 == 0:
            total += tl.load(x + k)
        else:
            total -= tl.load(x + k)
    while n > 1:
        n = n // 2
        total += 1
    tl.store(out + pid, total)
    tl.atomic_add(out + N, 1)


def conversion(to):
    @triton.jit
    def convert(x, y, out, N: tl.constexpr):
        i = tl.arange(0, N)
        tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))
    return convert


def data(dtype, seed):
    random = np.random.default_rng(seed)
    if dtype.is_floating_point:
        return torch.from_numpy(random.standard_normal(N) * 3).to(dtype)
    low = 0 if dtype is torch.uint8 else -50
    return torch.from_numpy(random.integers(low, 50, N)).to(dtype)


def cases():
    for dtype in FLOATS + INTS:
        for kernel in (arithmetic, folds, shapes):
            yield kernel, dtype, dtype, 1
    for dtype in INTS:
        yield integers, dtype, dtype, 1
    for dtype in (torch.float32, torch.float16):
        yield functions, dtype, torch.float32, 1
        yield products, dtype, torch.float32, 1
    yield products, torch.int8, torch.int32, 1
    for dtype in (torch.float32, torch.int32):
        yield control, dtype, dtype, 5
    for source in (torch.float32, torch.int32, torch.bfloat16):
        for to in (torch.float32, torch.float16, torch.int32, torch.int8, torch.float64):
            yield conversion(to), source, to, 1


def name_of(kernel, dtype, to):
    return "%s-%s-%s" % (kernel.fn.__name__, str(dtype)[6:], str(to)[6:])


def write(path):
    results = {}
    for kernel, dtype, to, grid in cases():
        out = torch.zeros(8 * N, dtype=to)
        kernel[(grid,)](data(dtype, 1), data(dtype, 2), out, N)
        results[name_of(kernel, dtype, to)] = out.double().numpy() if to.is_floating_point \
            else out.long().numpy()
    np.savez(path, **results)
    print("%d kernels" % len(results))


def allowed(name, expected):
    kernel, _, to = name.split("-")
    if kernel in ("shapes", "convert", "integers") or "int" in to:
        return np.zeros(expected.shape)
    digits = {"float64": 52, "float32": 23, "float16": 10}[to]
    units = {"arithmetic": 0, "control": 2}.get(kernel, 8)
    least = {"folds": 16, "products": 100}.get(kernel, 1)  # what is added up is about as large
    return units * 2.0 ** -digits * np.maximum(np.abs(expected), least)


def compare(a, b):
    a, b = np.load(a), np.load(b)
    assert sorted(a.files) == sorted(b.files) and a.files
    wrong = 0
    for name in a.files:
        far = np.abs(a[name] - b[name]) > allowed(name, a[name])
        if far.any() or (np.isnan(a[name]) != np.isnan(b[name])).any():
            at = int(np.argmax(far))
            print("%s: element %d is %r, Triton's interpreter gives %r (%d differ)" % (
                name, at, b[name][at], a[name][at], far.sum()))
            wrong += 1
    print("%d of %d kernels agree" % (len(a.files) - wrong, len(a.files)))
    return wrong != 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["write"]:
        write(sys.argv[2])
    elif sys.argv[1:2] == ["compare"]:
        sys.exit(compare(sys.argv[2], sys.argv[3]))
    else:
        sys.exit(__doc__)
