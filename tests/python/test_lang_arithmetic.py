# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels written in Python: operators, functions, conversions, shapes, reductions, products,
against NumPy."""
import numpy as np
import pytest

import tessera
import tessera.lang as tl

N = 16


@pytest.fixture(params=["cpu", "interp"])
def device(request):
    return tessera.Device(request.param)


def random(dtype, low=-20, high=20, shape=(N,), seed=1):
    made = np.random.default_rng(seed).uniform(low, high, shape)
    return made.astype(dtype)


@tessera.kernel
def apply_one(x, out, *, F):
    tl.store(out, 0, F(tl.load(x, 0, 16)))


@tessera.kernel
def apply_two(x, y, out, *, F):
    tl.store(out, 0, F(tl.load(x, 0, 16), tl.load(y, 0, 16)))


def one(device, function, x, result):
    out = np.zeros(N, result)
    apply_one.on(device)[1](x, out, F=function)
    return out


def two(device, function, x, y, result):
    out = np.zeros(N, result)
    apply_two.on(device)[1](x, y, out, F=function)
    return out


# ---- operators ----------------------------------------------------------------------------------


def op_add(a, b): return a + b                       # noqa: E704
def op_sub(a, b): return a - b                       # noqa: E704
def op_mul(a, b): return a * b                       # noqa: E704
def op_floordiv(a, b): return a // b                 # noqa: E704
def op_mod(a, b): return a % b                       # noqa: E704
def op_and(a, b): return a & b | 1                   # noqa: E704
def op_xor(a, b): return a ^ ~b                      # noqa: E704
def op_compare(a, b): return (a < b) | (a >= b + 3)  # noqa: E704
def op_mixed(a, b): return 2 * a - (b + 1)           # noqa: E704


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.uint16, np.int64, np.float32, np.float64])
def test_operators(device, dtype):
    a, b = random(dtype, 0, 60), random(dtype, 1, 9, seed=2)
    if np.dtype(dtype).kind != "u":
        a[::2] *= -1
        b[::3] *= -1
    for f in (op_add, op_sub, op_mul, op_floordiv, op_mod, op_mixed):
        np.testing.assert_array_equal(two(device, f, a, b, dtype), f(a, b).astype(dtype), f.__name__)
    np.testing.assert_array_equal(two(device, op_compare, a, b, np.bool_), op_compare(a, b))
    if np.dtype(dtype).kind != "f":
        for f in (op_and, op_xor):
            np.testing.assert_array_equal(two(device, f, a, b, dtype), f(a, b), f.__name__)


def shifted(a, b):
    return (a << 2) + (a >> b)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_shifts(device, dtype):
    a, b = random(dtype, 0, 1000), random(dtype, 0, 5, seed=2)
    a[0] = dtype(-7) if dtype is np.int32 else dtype(2**32 - 7)
    np.testing.assert_array_equal(two(device, shifted, a, b, dtype), shifted(a, b))


def divided(a, b):
    return a / b


def test_division_of_integers(device):
    a, b = random(np.int32), random(np.int32, 1, 9, seed=2)
    np.testing.assert_allclose(two(device, divided, a, b, np.float32), a / b, rtol=1e-6)


def weak_numbers(a):
    return a * 0.5 + 1


def test_numbers_adopt_the_type_of_tiles(device):
    """A number of Python doesn't make a half tile single, and a float makes integers float32."""
    half = random(np.float16)
    np.testing.assert_array_equal(one(device, weak_numbers, half, np.float16), weak_numbers(half))
    whole = random(np.int32)
    np.testing.assert_array_equal(one(device, weak_numbers, whole, np.float32),
                                  weak_numbers(whole).astype(np.float32))


@tessera.kernel
def scale(x, factor, out):
    tl.store(out, 0, tl.load(x, 0, 16) * factor)
    tl.static_assert((tl.load(x, 0, 16) * factor).dtype is x.dtype)


def test_floats_of_python_are_weak(device):
    half, out = random(np.float16), np.zeros(N, np.float16)
    scale.on(device)[1](half, 0.5, out)
    np.testing.assert_array_equal(out, half * np.float16(0.5))


# ---- functions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["exp", "exp2", "sin", "cos", "tan", "sinh", "cosh", "tanh",
                                  "floor", "ceil", "abs"])
def test_functions(device, name):
    x = random(np.float32, -3, 3)
    np.testing.assert_allclose(one(device, getattr(tl, name), x, np.float32),
                               getattr(np, name)(x), rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["log", "log2", "sqrt"])
def test_functions_of_positive_numbers(device, name):
    x = random(np.float32, 0.1, 9)
    np.testing.assert_allclose(one(device, getattr(tl, name), x, np.float32),
                               getattr(np, name)(x), rtol=2e-6, atol=1e-6)


def many(x):
    return tl.where(tl.isnan(x), 0.0, tl.clamp(tl.sigmoid(x) + tl.rsqrt(abs(x) + 1), 0.6, 1.5))


def test_composed(device):
    x = random(np.float32, -3, 3)
    x[3] = np.nan
    expected = np.clip(1 / (1 + np.exp(-x)) + 1 / np.sqrt(abs(x) + 1), 0.6, 1.5)
    expected[3] = 0
    np.testing.assert_allclose(one(device, many, x, np.float32), expected, rtol=2e-6)


def two_arguments(x, y):
    return tl.maximum(x, y) - min(x, y) + tl.fma(x, y, 1.0) + tl.atan2(x, y) + abs(x) ** y + x ** 2


def test_functions_of_two(device):
    x, y = random(np.float32, -3, 3), random(np.float32, -3, 3, seed=2)
    expected = abs(x - y) + (x * y + 1) + np.arctan2(x, y) + abs(x) ** y + x * x
    np.testing.assert_allclose(two(device, two_arguments, x, y, np.float32), expected, rtol=1e-5,
                               atol=1e-5)


# ---- conversions --------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [np.int8, np.uint8, np.int32, np.int64, np.float16, np.float32,
                                    np.float64, np.bool_])
@pytest.mark.parametrize("target", ["int8", "uint16", "int64", "float16", "float32", "float64",
                                    "bool"])
def test_conversions(source, target):
    x = random(np.float64, 0, 100).astype(source)
    out = np.zeros(N, target)
    apply_one.on("interp")[1](x, out, F=tl.bool_ if target == "bool" else getattr(tl, target))
    np.testing.assert_array_equal(out, x.astype(target))


def bits(x):
    return tl.bitcast(x, tl.uint32) & 0x7fffffff


def test_bitcast(device):
    x = random(np.float32)
    np.testing.assert_array_equal(one(device, bits, x, np.uint32), x.view(np.uint32) & 0x7fffffff)


# ---- shapes -------------------------------------------------------------------------------------


@tessera.kernel
def shapes(x, out):
    m = tl.load(x, (0, 0), (4, 8))
    t = m.T.reshape(2, 4, 4)
    t = tl.permute(t, (1, 0, 2)).reshape(-1, 8)
    row = tl.arange(8)[None, :] * 100
    column = tl.arange(4, tl.float32)[:, None]
    joined = tl.cat((t + row + column, tl.zeros_like(t)), 1)
    tl.store(out, (0, 0), joined)
    tl.store(out, (1, 1), tl.extract(joined, (1, 0), (2, 16)).reshape(4, 8))
    tl.store(out, (2, 0), tl.broadcast_to(tl.full((8,), 7, tl.float32), (2, 8)))


def test_shapes(device):
    x, out = np.round(random(np.float32, shape=(4, 8))), np.zeros((8, 16), np.float32)
    shapes.on(device)[1](x, out)
    t = x.T.reshape(2, 4, 4).transpose(1, 0, 2).reshape(-1, 8)
    joined = np.zeros((4, 16), np.float32)
    joined[:, :8] = t + np.arange(8)[None, :] * 100 + np.arange(4)[:, None]
    expected = np.zeros((8, 16), np.float32)
    expected[:4] = joined
    expected[4:, 8:] = joined[2:].reshape(4, 8)
    expected[4:6, :8] = 7
    np.testing.assert_array_equal(out, expected)


# ---- reductions ---------------------------------------------------------------------------------


@tessera.kernel
def reductions(x, rows, columns, whole, places):
    m = tl.load(x, (0, 0), (4, 16))
    tl.store(rows, (0, 0), tl.cat((tl.sum(m, 1, keepdims=True), m.max(axis=1, keepdims=True)), 1))
    tl.store(rows, (0, 1), tl.cat((tl.min(m, -1)[:, None], tl.prod(m / 8, 1)[:, None]), 1))
    tl.store(columns, 0, m.sum(axis=0))
    whole[0], whole[1] = m.sum(), tl.max(m)
    whole[2] = tl.reduce(m, None, lambda a, b: a + b, 0.0)
    whole[3] = tl.where(tl.any(m > 19) | tl.all(m < 19), 1.0, 0.0)
    tl.store(places, (0, 0), tl.cat((tl.argmax(m, 1)[:, None], tl.argmin(m, 1)[:, None]), 1))


def test_reductions(device):
    x = random(np.float32, shape=(4, 16))
    x[1, 5] = x[1, 9] = 30  # the first of equal ones
    rows, columns = np.zeros((4, 4), np.float32), np.zeros(16, np.float32)
    whole, places = np.zeros(4, np.float32), np.zeros((4, 2), np.int32)
    reductions.on(device)[1](x, rows, columns, whole, places)
    expected = np.stack([x.sum(1), x.max(1), x.min(1), (x / 8).prod(1)], 1)
    np.testing.assert_allclose(rows, expected, rtol=1e-4)
    np.testing.assert_allclose(columns, x.sum(0), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(whole, [x.sum(), 30, x.sum(), 1], rtol=1e-4)
    np.testing.assert_array_equal(places, np.stack([x.argmax(1), x.argmin(1)], 1))


def last(v0, i0, v1, i1):
    take = i1 > i0
    return tl.where(take, v1, v0), tl.where(take, i1, i0)


@tessera.kernel
def scans(x, sums, products, both):
    v = tl.load(x, 0, 16)
    tl.store(sums, 0, tl.cumsum(v, reverse=True))
    tl.store(products, 0, tl.scan(v, 0, lambda a, b: max(a, b), -1000))
    best, place = tl.reduce((v, tl.arange(16)), 0, last, (0, -1))
    both[0], both[1] = best, place


def test_scans(device):
    x = random(np.int32)
    sums, highest, both = np.zeros_like(x), np.zeros_like(x), np.zeros(2, np.int32)
    scans.on(device)[1](x, sums, highest, both)
    np.testing.assert_array_equal(sums, np.cumsum(x[::-1])[::-1])
    np.testing.assert_array_equal(highest, np.maximum.accumulate(x))
    assert list(both) == [x[15], 15]


def total(x):
    return tl.full((16,), tl.sum(x))


def test_sums_of_small_types(device):
    """Half precision is added up in single, bytes in 32 bits."""
    x = np.full(N, 100, np.int8)
    assert one(device, total, x, np.int32)[0] == 1600
    half = np.full(N, 0.1, np.float16)
    assert one(device, total, half, np.float16)[0] == np.float16(half.astype(np.float32).sum())


# ---- products -----------------------------------------------------------------------------------


@tessera.kernel
def product(a, b, c, *, ACC):
    x, y = tl.load(a, (0, 0), (16, 8)), tl.load(b, (0, 0), (8, 16))
    tl.store(c, (0, 0), x @ y + tl.dot(x, y, tl.zeros((16, 16), ACC)))


@pytest.mark.parametrize("dtype, acc", [(np.float32, tl.float32), (np.float16, tl.float32),
                                        (np.int8, tl.int32), (np.float64, tl.float64)])
def test_products(device, dtype, acc):
    a, b = random(dtype, -9, 9, (16, 8)), random(dtype, -9, 9, (8, 16), seed=2)
    c = np.zeros((16, 16), acc.name)
    product.on(device)[1](a, b, c, ACC=acc)
    np.testing.assert_allclose(c, 2 * (a.astype(acc.name) @ b.astype(acc.name)), rtol=1e-4)
