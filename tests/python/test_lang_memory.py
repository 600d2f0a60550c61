# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels written in Python: arrays by tile and by element, strides, padding, atomic updates."""
import numpy as np
import pytest

import tessera
import tessera.lang as tl


@pytest.fixture(params=["cpu", "interp", "emu:sm_80"])
def device(request):
    return tessera.Device(request.param)


def numbers(*shape, dtype=np.float32):
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


# ---- by tile ------------------------------------------------------------------------------------


@tessera.kernel
def copy_tiles(x, y, *, SHAPE, PADDING=0, ORDER=None):
    i, j = tl.program_id(0), tl.program_id(1)
    tl.store(y, (i, j), tl.load(x, (i, j), SHAPE, padding=PADDING, order=ORDER))


@pytest.mark.parametrize("padding", [0, float("inf"), -float("inf"), float("nan"), -0.0])
def test_padding(device, padding):
    x, y = numbers(3, 5), np.full((8, 8), 9, np.float32)
    copy_tiles.on(device)[1, 2](x, y, SHAPE=(4, 4), PADDING=padding)
    expected = np.full((8, 8), 9, np.float32)
    expected[:4] = padding
    expected[:3, :5] = x
    np.testing.assert_array_equal(y, expected)
    assert np.signbit(y[3, 7]) == np.signbit(np.float32(padding))


def test_edges_are_not_written(device):
    x, y = numbers(8, 8), np.zeros((9, 9), np.float32)
    copy_tiles.on(device)[2, 2](x, y[:6, :7], SHAPE=(4, 4))
    expected = np.zeros((9, 9), np.float32)
    expected[:6, :7] = x[:6, :7]
    np.testing.assert_array_equal(y, expected)


def test_transposed(device):
    x, y = numbers(4, 8), np.zeros((8, 4), np.float32)
    copy_tiles.on(device)[2, 1](x, y, SHAPE=(4, 4), ORDER=(1, 0))
    np.testing.assert_array_equal(y, x.T)


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x.T, lambda x: x[::2, 1:],
                                  lambda x: np.broadcast_to(x[0], (4, 8))])
def test_strides(view):
    x = view(numbers(8, 8))
    y = np.zeros(x.shape, np.float32)
    copy_tiles.on("cpu")[2, 2](x, y, SHAPE=(4, 4))
    np.testing.assert_array_equal(y, x)
    y = np.zeros((2 * x.shape[1], 2 * x.shape[0]), np.float32)[::2, ::2].T
    copy_tiles.on("interp")[2, 2](x, y, SHAPE=(4, 4))
    np.testing.assert_array_equal(y, x)


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint64, np.float16, np.float64])
def test_types(device, dtype):
    x, y = numbers(8, 8, dtype=dtype), np.zeros((8, 8), dtype)
    copy_tiles.on(device)[2, 2](x, y, SHAPE=(4, 4))
    np.testing.assert_array_equal(y, x)


@tessera.kernel
def extents(x, out):
    m, n = x.shape
    out[0], out[1], out[2], out[3] = m, n, x.size, len(x)
    out[4] = tl.num_tiles(x, 1, (2, 4))
    out[5] = x.ndim
    out[6] = x.strides[0]
    out[7] = tl.num_programs(0) * 10 + tl.num_programs(1)


def test_extents(device):
    out = np.zeros(8, np.int64)
    extents.on(device)[2, 3](np.zeros((3, 9), np.float32), out)
    assert list(out) == [3, 9, 27, 3, 3, 2, 9, 23]


@tessera.kernel
def size_of(x, out):
    out[0] = x.size


def test_large_extents():
    """The number of elements counts, also where they share memory."""
    out = np.zeros(1, np.int64)
    size_of[1](np.broadcast_to(np.float32(1), (1 << 17, 1 << 17)), out)
    assert out[0] == 1 << 34


# ---- by element ---------------------------------------------------------------------------------


@tessera.kernel
def move(x, index, y):
    i = tl.load(index, 0, 8)
    tl.store(y, (0, 0), tl.gather(x, (i, 1), padding=-1).reshape(1, 8))
    tl.store(y, (1, 0), x[i[:, None] * 0 + 1, tl.arange(4)[None, :]].reshape(4, 8))
    tl.scatter(y, (7, i), i, mask=i != 2)


def test_gather_and_scatter(device):
    """What lies outside is padding, and is not written."""
    x, y = numbers(4, 4), np.zeros((8, 8), np.float32)
    index = np.array([0, 3, 1, -1, 2, 9, 3, 2**31 - 1], np.int32)
    move.on(device)[1](x, index, y)
    inside = (index >= 0) & (index < 4)
    np.testing.assert_array_equal(y[0], np.where(inside, x[np.clip(index, 0, 3), 1], -1))
    np.testing.assert_array_equal(y[4:8].reshape(8, 4)[:6], np.tile(x[1], (8, 1))[:6])
    assert list(y[7]) == [0, 1, x[1, 2], 3] + [x[1, 0], x[1, 1], x[1, 2], x[1, 3]]


@tessera.kernel
def wide_indices(x, y):
    i = tl.arange(8, tl.int64) * (1 << 33)
    tl.store(y, 0, tl.gather(x, i, padding=5))


def test_wide_indices(device):
    """An index is held against the extent with all its bits."""
    y = np.zeros(8, np.float32)
    wide_indices.on(device)[1](numbers(8) + 1, y)
    assert list(y) == [1] + [5] * 7


@tessera.kernel
def scalars(x, n: tl.int64, flag, y):
    if flag:
        y[n] = x[n] + 1
    y[0] += 2.5
    y[n + 100] = 3  # outside


def test_scalars(device):
    y = np.zeros(4, np.float32)
    scalars.on(device)[1](numbers(4), 2, True, y)
    assert list(y) == [2.5, 0, 3, 0]


# ---- atomic updates -----------------------------------------------------------------------------


@tessera.kernel
def histogram(values, counts, *, BLOCK):
    v = tl.load(values, tl.program_id(0), BLOCK, padding=0)
    at = tl.program_id(0) * BLOCK + tl.arange(BLOCK)
    tl.atomic_add(counts, v, 1, mask=at < values.shape[0], order="relaxed")


def test_atomic_add(device):
    values, counts = np.random.default_rng(0).integers(0, 8, 100, np.int32), np.zeros(8, np.int32)
    histogram.on(device)[tessera.cdiv(100, 16)](values, counts, BLOCK=16)
    np.testing.assert_array_equal(counts, np.bincount(values, minlength=8))


@tessera.kernel
def updates(x, y, old):
    i = tl.arange(8)
    old[0] = tl.sum(tl.atomic_max(x, i % 2, i))
    tl.atomic_min(x, 2, -4)
    tl.atomic_xchg(x, 3, 77)
    old[1] = tl.atomic_cas(x, 4, 0, 12)
    tl.atomic_or(x, 5, 6, scope="system")
    tl.atomic_and(x, 5, 3)
    tl.atomic_xor(x, 5, 1)
    tl.atomic_add(y, i * 0, 0.5)


def test_atomic_updates(device):
    x, y, old = np.zeros(8, np.int32), np.zeros(1, np.float32), np.zeros(2, np.int32)
    updates.on(device)[1](x, y, old)
    assert list(x[:6]) == [6, 7, -4, 77, 12, 3] and y[0] == 4 and old[1] == 0


# ---- printing and asserting ---------------------------------------------------------------------


@tessera.kernel
def talkative(x):
    i = tl.program_id(0)
    print("block", i, (1, "of"), tl.num_programs(0))
    print(f"{x[0]:.2f} 100% {i + 1}", end="!\n")
    assert i < 3, "too many"
    assert x[0] == 1.5


def test_print_and_assert(capsys):
    talkative.on("interp")[1](np.array([1.5], np.float32))
    assert capsys.readouterr().out == "block 0 (1, of) 1\n1.50 100% 1!\n"
    with pytest.raises(tessera.Trap, match="test_lang_memory.py.*\n?.*too many"):
        talkative.on("interp", on_output=lambda text: None)[4](np.array([1.5], np.float32))
    with pytest.raises(tessera.Trap, match="x\\[0\\] == 1.5"):
        talkative.on("interp", on_output=lambda text: None)[1](np.array([2.5], np.float32))
