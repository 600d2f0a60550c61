# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of test_cutile.py and clients/cutile_client.py. Needs cuda-tile; what it makes is kept in
this folder, so the former runs without it too (tests/python/cutile_recorded.py)."""
import cuda.tile as ct

Const = ct.Constant[int]


@ct.kernel
def add(a, b, c, TILE: Const):
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(TILE,))
    y = ct.load(b, index=(i,), shape=(TILE,))
    ct.store(c, index=(i,), tile=x + y)


@ct.kernel
def scale(x, factor, offset, flag, TILE: Const):
    t = ct.load(x, index=(ct.bid(0),), shape=(TILE,)) * factor + offset
    if flag:
        t = -t
    ct.store(x, index=(ct.bid(0),), tile=t)


@ct.kernel
def sum_list(arrays, out, TILE: Const):
    total = ct.zeros((TILE,), dtype=ct.float32)
    for k in range(len(arrays)):
        total += ct.load(arrays[k], index=(0,), shape=(TILE,))
    ct.store(out, index=(0,), tile=total)


@ct.kernel
def use_tuple(pair, out, TILE: Const):
    t = ct.load(pair[0], index=(0,), shape=(TILE,)) + pair[1]
    ct.store(out, index=(0,), tile=t)


@ct.kernel
def wide(x, n: ct.ScalarInt64):
    ct.store(x, index=(0,), tile=ct.full((1,), n, dtype=ct.int64))


@ct.kernel
def transpose(x, y, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN))
    ct.store(y, index=(j, i), tile=ct.transpose(t))


@ct.kernel
def talk(x):
    ct.printf("value %d\n", ct.load(x, index=(0,), shape=(1,)))


@ct.kernel
def demand(x):
    ct.assert_(ct.load(x, index=(0,), shape=(1,)) > 0, "must be positive")


@ct.kernel
def gather_past_the_end(x, y, TILE: Const):
    i = ct.bid(0) * TILE + ct.arange(TILE, dtype=ct.int32)
    t = ct.gather(x, i, check_bounds=False)
    ct.scatter(y, i, t)


@ct.kernel
def demand_all(x):
    ct.assert_(ct.load(x, index=(ct.bid(0),), shape=(1,)) > 0, "must be positive")
