# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels written in Python: conditions, loops, functions that are called, what loops carry."""
import re

import numpy as np
import pytest

import tessera
import tessera.lang as tl


@pytest.fixture(params=["cpu", "interp", "emu:sm_80"])
def device(request):
    return tessera.Device(request.param)


def run(kernel, device, *args, size=8, dtype=np.int32, **constants):
    out = np.zeros(size, dtype)
    kernel.on(device)[1](*args, out, **constants)
    return list(out)


# ---- conditions ---------------------------------------------------------------------------------


@tessera.kernel
def branches(n, out, *, FLAG):
    a, b = 1, 2.5
    if n > 3:
        a = n * 2
    elif n == 3:
        a, b = 30, 4.5
    else:
        b = 1.5
    if FLAG:
        a += 100
    out[0], out[1] = a, (b * 2).astype(tl.int32)
    out[2] = 7 if n > 3 else n
    out[3] = n if FLAG else 8
    c = tl.zeros((4,), tl.int32)
    if n > 3 and not n == 5 or n < 0:
        c = c + tl.arange(4)
    tl.store(out, 1, c)


@pytest.mark.parametrize("n, a, b", [(4, 8, 5), (3, 30, 9), (2, 1, 3)])
def test_branches(device, n, a, b):
    c = [0, 1, 2, 3] if n == 4 else [0] * 4
    assert run(branches, device, n, FLAG=False) == [a, b, 7 if n > 3 else n, 8] + c
    assert run(branches, device, n, FLAG=True)[0] == a + 100


@tessera.kernel
def early(n, out):
    i = tl.program_id(0)
    if i >= n:
        return
    out[i] = 1
    if i == 1:
        out[7] = 5
        return
    else:
        out[i + 3] = 2


def test_return(device):
    out = np.zeros(8, np.int32)
    early.on(device)[5](3, out)
    assert list(out) == [1, 1, 1, 2, 0, 2, 0, 5]


# ---- loops --------------------------------------------------------------------------------------


@tessera.kernel
def loops(n, out):
    total, product, last = 0, 1.0, n
    for i in range(n):
        total += i
        for j in range(1, i, 2):
            total += 100 * j
            product = product * 2
        last = i
    out[0], out[1], out[2] = total, product.astype(tl.int32), last
    k = 0
    while k * k < n:
        k += 1
    out[3] = k


@pytest.mark.parametrize("n", [0, 6])
def test_loops(device, n):
    inner = [j for i in range(n) for j in range(1, i, 2)]
    assert run(loops, device, n)[:4] == [sum(range(n)) + 100 * sum(inner), 2 ** len(inner),
                                         n - 1 if n else 0, int(np.ceil(np.sqrt(n)))]


@tessera.kernel
def leaving(n, out):
    found = -1
    for i in range(100):
        if i % 3 == 0:
            continue
        out[1] = i
        if i * i > n:
            found = i
            break
    out[0] = found
    count = 0
    while True:
        count += 1
        if count == 5:
            continue
        if count > n:
            break
    out[2] = count
    for i in range(10):
        for j in range(10):
            if i * j == 12:
                out[3] = i * 10 + j
                return
    out[4] = 1


def test_break_continue_and_return(device):
    found = next(i for i in range(100) if i % 3 and i * i > 20)
    assert run(leaving, device, 20)[:5] == [found, found, 21, 26, 0]


@tessera.kernel
def nothing_carried(n, out):
    for i in range(10):
        if i == n:
            break
        out[i % 8] = i


def test_loop_that_carries_nothing(device):
    assert run(nothing_carried, device, 3) == [0, 1, 2] + [0] * 5


@tessera.kernel
def unrolled(out, *, SIZES):
    total = 0
    for i in tl.static_range(4):
        if i == 3:
            break
        out[i] = i + 1
    for k, (size, factor) in enumerate(SIZES):
        total += tl.sum(tl.full((size,), factor)) + k
    out[3] = total
    out[4] = sum([n for n, _ in SIZES if n > 2])
    out[5] = len(SIZES)
    out[6] = sum(tuple(i * i for i in range(4)))


def test_unrolled(device):
    assert run(unrolled, device, SIZES=((2, 3), (8, 1)))[:7] == [1, 2, 3, 15, 8, 2, 14]


@tessera.kernel
def carried(n, out):
    pair = (0, 1.0)
    is_first = True
    m = tl.full((4,), -5, tl.int32)
    for i in range(n):
        if is_first:
            m = m + 1000
            is_first = False
        a, b = pair
        pair = (a + i, b * 2)
        m = tl.maximum(m, tl.arange(4) * i)
    out[0], out[1] = pair[0], pair[1].astype(tl.int32)
    tl.store(out, 1, m)


def test_what_loops_carry(device):
    assert run(carried, device, 3) == [3, 8, 0, 0] + [995] * 4


# ---- functions ----------------------------------------------------------------------------------


SCALE = 3


def helper(x, factor=2, *, sign=1):
    """Returns from several places."""
    if x > 100:
        return x - 100
    y = x * factor
    if y > 10:
        y += SCALE
    return sign * y


@tessera.kernel
def calling(x, out):
    def local(a, b=10):
        return helper(a, b) + x

    out[0] = helper(x)
    out[1] = helper(x, 3, sign=-1)
    out[2] = local(2)
    out[3] = local(b=1, a=150)
    out[4] = (lambda v: v + SCALE)(x)


def test_functions(device):
    def h(x, factor=2, sign=1):
        if x > 100:
            return x - 100
        y = x * factor
        return sign * (y + 3 if y > 10 else y)

    assert run(calling, device, 4)[:5] == [h(4), h(4, 3, -1), h(2, 10) + 4, h(150, 1) + 4, 7]


def test_names_outside_are_followed():
    """A kernel is compiled again when a global that it has read is another one."""
    global SCALE
    out = np.zeros(8, np.int32)
    calling[1](7, out)
    assert out[4] == 10
    SCALE = 5
    try:
        calling[1](7, out)
        assert out[4] == 12
        assert calling.compile(7, out) is calling.compile(7, out)
    finally:
        SCALE = 3


# ---- order of accesses --------------------------------------------------------------------------


@tessera.kernel
def in_order(x, n):
    """Reads what it has written before, by tile and by element."""
    x[0] = 1
    x[0] = x[0] + 1
    for i in range(1, n):
        x[i] = x[i - 1] * 2
        if i == 3:
            x[0] = x[i]
    tl.store(x, 1, tl.load(x, 0, 4) + 1)


def test_order(device):
    x = np.zeros(8, np.int32)
    in_order.on(device)[1](x, 8)
    assert list(x) == [16, 4, 8, 16, 17, 5, 9, 17]


@tessera.kernel
def shift(source, target):
    for i in range(4):
        target[i + 1] = source[i] + 1


def test_arrays_that_share_memory(device):
    """Arrays of which one is part of another are accessed in the order of the program, too."""
    x = np.zeros(5, np.int32)
    shift.on(device)[1](x, x)
    assert list(x) == [0, 1, 2, 3, 4]


def test_order_is_kept_where_it_matters_only():
    """Tokens take part in an in-place kernel, not in one whose stores can't meet."""
    x, y = np.zeros(8, np.int32), np.zeros(8, np.int32)
    for kernel, args, is_ordered in [(shift, (x, y), True), (shift, (x, x), True),
                                     (by_tiles, (x, y), False), (by_tiles, (x, x), True),
                                     (last_of_tiles, (x, y), True)]:
        text = str(kernel.compile(*args).module)
        assert bool(re.search("token ?= ?%", text)) == is_ordered, text


@tessera.kernel
def by_tiles(x, y):
    for i in range(tl.num_tiles(x, 0, 4)):
        tl.store(y, i, tl.load(x, i, 4))


@tessera.kernel
def last_of_tiles(x, y):
    for i in range(tl.num_tiles(x, 0, 4)):
        tl.store(y, 0, tl.load(x, i, 4))
