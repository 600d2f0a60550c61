# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators beside NumPy: types, layouts, results given and new, each mistake."""
import array
import gc
import os
import re
import runpy
import sqlite3
import subprocess
import sys
import threading

import numpy as np
import pytest

import tessera
from tessera import ops

DEVICES = ["cpu", "interp", "emu:sm_80"]


@pytest.fixture(params=DEVICES)
def device(request):
    return tessera.Device(request.param)


def values(*shape, dtype=np.float32, seed=0):
    numbers = np.random.default_rng(seed).uniform(-1, 1, shape)
    return (numbers * 8).astype(dtype) if np.issubdtype(dtype, np.integer) else numbers.astype(dtype)


def close(found, wanted, tolerance=1e-5):
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.astype(np.float64), wanted, rtol=tolerance, atol=tolerance)


def bf16_bits(x):
    """The upper halves of floats that have nothing in the lower ones."""
    return (x.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def floats_of(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


# ---- gemm ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("m, n, k", [(5, 7, 3), (1, 1, 1), (17, 1, 9), (1, 13, 4), (3, 4, 0),
                                     (0, 4, 2)])
def test_gemm(device, m, n, k):
    a, b = values(m, k), values(k, n, seed=1)
    close(ops.gemm(a, b, device=device), a.astype(np.float64) @ b)


@pytest.mark.parametrize("dtype, result", [
    (np.float64, np.float64), (np.float16, np.float16), (np.int8, np.int32), (np.uint8, np.int32)])
def test_gemm_types(dtype, result):
    a, b = values(9, 33, dtype=dtype), values(33, 6, dtype=dtype, seed=1)
    c = ops.gemm(a, b)
    assert c.dtype == result
    close(c, a.astype(np.float64) @ b.astype(np.float64), 1e-2 if dtype == np.float16 else 1e-6)


def test_gemm_keeps_strides(device):
    a, b = values(12, 10), values(20, 18, seed=1)
    for x, y in ((a.T, b[:12]), (a[::2, ::2], b[:5, ::3]), (a[:, :5][:1], b[2:7, 1:2]),
                 (np.broadcast_to(a[:1, :3], (4, 3)), b.T[:3])):
        close(ops.gemm(x, y, device=device), x @ y)
        out = np.full((2 * x.shape[0], 3 * y.shape[1]), 7, np.float32)
        ops.gemm(x, y, out[::2, ::3], device=device)
        close(out[::2, ::3], x @ y)
        assert (out[1::2] == 7).all() and (out[:, 1::3] == 7).all()
        turned = np.zeros((y.shape[1], x.shape[0]), np.float32)
        ops.gemm(x, y, turned.T, device=device)
        close(turned.T, x @ y)


def test_gemm_batches(device):
    a, b = values(2, 3, 4, 5), values(5, 6, seed=1)
    close(ops.gemm(a, b, device=device), a @ b)
    one = values(3, 5, 6, seed=2)
    with pytest.raises(tessera.UsageError, match="argument 'b': dimensions of batches with the"):
        ops.gemm(a, one, device=device)  # repeated along the outer one: no single stride
    close(ops.gemm(a[0], one, device=device), a[0] @ one)
    close(ops.gemm(a[:, :1], np.ones((1, 5, 2), np.float32), device=device),
          a[:, :1] @ np.ones((1, 5, 2)))
    out = np.zeros((3, 4, 2, 6), np.float32)
    ops.gemm(a[0], one, out[:, :, 1], device=device)
    close(out[:, :, 1], a[0] @ one)
    assert not out[:, :, 0].any()
    assert ops.gemm(a[:0], b, device=device).shape == (0, 3, 4, 6)


def test_gemm_epilogue(device):
    a, b, v = values(6, 5), values(5, 8, seed=1), values(8, seed=2)
    r = values(12, 16, seed=3)[::2, :8]
    found = ops.gemm(a, b, epilogue="bias:n+relu+residual", bias=v, residual=r, alpha=0.5,
                     device=device)
    close(found, np.maximum(a @ b / 2 + v, 0) + r)
    out = r.copy()
    ops.gemm(a, b, out, beta=2, device=device)
    close(out, a @ b + 2 * r)
    rows = values(6, seed=4)
    close(ops.gemm(a, b, epilogue="scale:m", scale=rows, device=device), (a @ b) * rows[:, None])
    close(ops.gemm(a, b, epilogue="scale", scale=np.float32([3]), device=device), (a @ b) * 3)


def test_gemm_residual_of_a_batch(device):
    a, b, r = values(3, 4, 5), values(3, 5, 6, seed=1), values(3, 4, 12, seed=2)[:, :, :6]
    close(ops.gemm(a, b, epilogue="residual", residual=r, device=device), a @ b + r)


def test_gemm_scales(device):
    a, b = values(4, 64, dtype=np.int8), values(64, 6, dtype=np.int8, seed=1)
    whole = a.astype(np.float64) @ b
    rows, columns = np.float32([1, 2, 3, 4]), np.float32([1, 2, 4, 8, 16, 32])
    found = ops.gemm(a, b, scale_a=rows, scale_b=columns, type_c="f32", device=device)
    close(found, whole * rows[:, None] * columns)
    found = ops.gemm(a, b, scale_a=np.float32(2), type_c="f32", device=device)
    close(found, whole * 2)
    groups = np.float32([[1, 2], [3, 4], [5, 6], [7, 8]])
    found = ops.gemm(a, b, scale_a=groups, type_c="f32", device=device)
    close(found, (a * np.repeat(groups, 32, 1)).astype(np.float64) @ b)


def test_gemm_of_bits():
    a, b = values(4, 8, dtype=np.int32), values(8, 3, dtype=np.int32, seed=1)
    found = ops.gemm(bf16_bits(a), bf16_bits(b), type="bf16")
    assert found.dtype == np.uint16  # without ml_dtypes
    close(floats_of(found), a @ b, 1e-2)
    small = np.array([[0, 1, 2], [3, -4, 5], [-8, 7, -1], [6, 2, 1]])
    packed = np.ascontiguousarray((small[0::2].T & 15) | (small[1::2].T & 15) << 4).astype(np.uint8)
    x = values(5, 4)
    close(ops.gemm(x, packed.T, type_b="i4", compute="f32"), x @ small)


def test_gemm_of_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a, b = values(4, 8, dtype=np.int32), values(8, 3, dtype=np.int32, seed=1)
    found = ops.gemm(a.astype(ml_dtypes.bfloat16), b.astype(ml_dtypes.bfloat16))
    assert found.dtype == ml_dtypes.bfloat16
    close(found.astype(np.float32), a @ b, 1e-2)


def test_workspaces():
    """Parts of k are summed up apart, in memory that grows, by several threads at once."""
    device = tessera.Device("cpu", threads=1)
    a, b = values(64, 4096), values(4096, 64, seed=1)
    right = []

    def work(m):
        for size in (m, 2 * m, 4 * m):
            found = ops.gemm(a[:size], b, split_k=4, device=device)
            right.append(np.allclose(found, a[:size] @ b, atol=1e-3))

    threads = [threading.Thread(target=work, args=(m,)) for m in (4, 8, 16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert right == [True] * 9
    assert device.operators._spare


def test_workspaces_are_not_shared():
    device = tessera.Device("cpu")
    ops.reduce(values(3), device=device)
    library = device.operators
    first, second = (library._take_workspace(device, 100) for _ in range(2))
    assert first.handle != second.handle
    library._spare.append(second)
    assert library._take_workspace(device, 50) is second
    assert library._take_workspace(device, 50) is not second
    library._spare.append(first)
    assert library._take_workspace(device, 200).nbytes == 200
    assert library._take_workspace(device, 0) is None


# ---- lines --------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [-1, 0, 1, (0, 2), None])
def test_softmax(device, dim):
    x = values(3, 4, 5)
    e = np.exp(x.astype(np.float64))
    y = e / e.sum(dim, keepdims=True)
    close(ops.softmax(x, dim=dim, device=device), y)
    close(ops.log_softmax(x, dim=dim, device=device), np.log(y))
    out = np.zeros((4, 5, 3), np.float32).transpose(2, 0, 1)
    assert ops.softmax(x, out, dim=dim, device=device) is out
    close(out, y)


def test_norms(device):
    x, r, w, b = values(6, 8), values(6, 8, seed=1), values(8, seed=2), values(8, seed=3)
    h = x.astype(np.float64) + r
    variance = h.var(1, keepdims=True)
    y = (h - h.mean(1, keepdims=True)) / np.sqrt(variance + 1e-3) * w + b
    found = ops.layer_norm(x, w, b, residual=r, store_sum=True, save=True, epsilon=1e-3,
                           device=device)
    close(found.y, y, 1e-4)
    close(found.h, h)
    close(found.mean, h.mean(1))
    close(found.scale, 1 / np.sqrt(variance[:, 0] + 1e-3), 1e-4)
    assert found.y_scale is None
    z = x / np.sqrt((x.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-5)
    close(ops.rms_norm(x, device=device), z, 1e-4)
    quantised = ops.rms_norm(x, w, quantise=True, device=device)
    assert quantised.y.dtype == np.int8
    close(quantised.y * quantised.y_scale[:, None], z * w, 2e-2)


def test_epilogues_of_norms(device):
    x, r, w = values(6, 8), values(6, 8, seed=1), values(8, seed=2)
    y = x / np.sqrt((x.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-5)
    lines = values(6, seed=3)
    found = ops.rms_norm(x, epilogue="residual+multiply:n+bias:m+relu", epilogue_residual=r.T.copy().T,
                         epilogue_multiply=w, epilogue_bias=lines, device=device)
    close(found, np.maximum((y + r) * w + lines[:, None], 0), 1e-4)
    found = ops.layer_norm(x, epilogue="scale", epilogue_scale=np.float32([2]), device=device)
    close(found, 2 * (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True), 1e-3)
    z = values(2, 4, 3, 5)
    r = values(2, 4, 3, 5, seed=4)
    close(ops.group_norm(z, 2, epilogue="residual", epilogue_residual=r, device=device),
          ops.group_norm(z, 2, device=device) + r)


def attention_of(q, k, v):
    e = np.exp(np.einsum("bhqe,bhke->bhqk", q, k) / q.shape[-1] ** 0.5)
    return np.einsum("bhqk,bhke->bhqe", e / e.sum(-1, keepdims=True), v)


def test_epilogues_of_attention(device):
    q, k, v = values(2, 3, 5, 16), values(2, 3, 7, 16, seed=1), values(2, 3, 7, 8, seed=2)
    r, n, m = values(2, 3, 5, 8, seed=3), values(3, 8, seed=4), values(2, 5, seed=5)
    o = attention_of(q, k, v)
    found = ops.attention(q, k, v, epilogue="bias:n+residual+scale:m", epilogue_bias=n,
                          epilogue_residual=r, epilogue_scale=m, device=device)
    close(found, (o + n[:, None] + r) * m[:, None, :, None], 1e-4)
    out, lse, scale = ops.attention(q, k, v, lse=True, epilogue="quantise:row:i8", device=device)
    assert out.dtype == np.int8 and lse.shape == scale.shape == (2, 3, 5)
    close(out * scale[..., None], o, 2e-2)
    one = ops.attention(q[0], k[0], v[0], epilogue="residual+scale:m+multiply:tensor",
                        epilogue_residual=r[0], epilogue_scale=m[0],
                        epilogue_multiply=np.float32(3), device=device)
    close(one, 3 * (o[0] + r[0]) * m[0][None, :, None], 1e-4)
    out = np.zeros((2, 5, 3, 8), np.float16).transpose(0, 2, 1, 3)
    assert ops.attention(q, k, v, out, epilogue="relu+cast:f16", device=device) is out
    close(out, np.maximum(o, 0), 2e-3)


def test_norm_along_several(device):
    x, w = values(2, 3, 4), values(3, 4, seed=1)
    close(ops.layer_norm(x, w, dim=(1, 2), device=device),
          (x - x.mean((1, 2), keepdims=True)) / x.std((1, 2), keepdims=True) * w, 1e-4)


def test_reduce(device):
    x = values(3, 4, 5)[:, ::2]
    close(ops.reduce(x, device=device), x.sum(dtype=np.float64))
    s, m = ops.reduce(x, "sum+max", dim=(0, -1), device=device)
    close(s, x.sum((0, 2), dtype=np.float64))
    close(m, x.max((0, 2)))
    close(ops.reduce(x, "mean", dim=1, keepdims=True, device=device), x.mean(1, keepdims=True))
    out = np.zeros((3, 1, 5), np.float32), np.zeros((3, 5), np.float32)
    ops.reduce(x, "min+norm2", out, dim=1, device=device)
    close(out[0], x.min(1, keepdims=True))
    close(out[1], np.sqrt((x ** 2).sum(1)))
    assert ops.reduce(np.arange(5, dtype=np.int8), device=device).dtype == np.int32


def test_elementwise(device):
    x, y = values(3, 4), values(4, seed=1)
    close(ops.elementwise("where(a < b, a, -b)", x, y, device=device), np.where(x < y, x, -y))
    close(ops.elementwise("a*2 + c", x, c=y[:1], device=device), x * 2 + y[0])
    swapped = np.zeros((4, 3), np.float32)
    ops.elementwise("a", x, out=swapped.T, device=device)
    close(swapped.T, x)
    assert ops.elementwise("a", x * 300, type_y="i8", device=device).dtype == np.int8


# ---- kinds of arrays ----------------------------------------------------------------------------


class ByDlpackOnly:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **_):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return 1, 0


def test_dlpack_and_buffers():
    x = values(4, 6)
    found = ops.softmax(ByDlpackOnly(x[:, ::2]))
    assert isinstance(found, np.ndarray)
    e = np.exp(x[:, ::2])
    close(found, e / e.sum(1, keepdims=True))
    out = array.array("f", [0] * 4)
    ops.reduce(ByDlpackOnly(x), "max", out, dim=1)
    assert list(out) == list(x.max(1))


def test_read_only_arguments():
    x = values(3, 4)
    x.flags.writeable = False
    close(ops.reduce(x, dim=1), x.sum(1))
    with pytest.raises(tessera.UsageError, match="argument 'y': the array is read-only"):
        ops.softmax(values(3, 4), x)


# ---- any family ---------------------------------------------------------------------------------


def test_op(device):
    a, b = values(4, 5), values(6, 5, seed=1)
    found = ops.op("gemm:b=column", {"a": a, "b": b.T}, m=4, n=6, k=5, device=device)
    close(found["c"], a @ b.T)
    y = np.zeros((4, 5), np.float32)
    assert ops.op("softmax", {"x": a}, {"y": y}, shape="4x5", device=device) == {"y": y}
    close(y, ops.softmax(a))
    assert set(ops.families()) >= {"gemm", "softmax", "norm", "reduce", "elementwise"}


def test_plans_are_kept():
    device = tessera.Device("cpu")
    x = values(4, 6)
    ops.softmax(x, device=device)
    plans = dict(device.operators._plans)
    ops.softmax(x.copy(), device=device)
    assert device.operators._plans == plans
    ops.softmax(x[:3], device=device)
    assert len(device.operators._plans) == len(plans) + 1


def test_devices_go():
    for _ in range(3):
        device = tessera.Device("cpu")
        ops.gemm(values(4, 4096), values(4096, 4), split_k=2, device=device)
        del device
        gc.collect()
    assert tessera.devices()
    ops.reduce(values(3))


def test_example(capsys):
    runpy.run_path("examples/ops/mlp.py")["on_numpy"]()
    found = re.fullmatch(r"NumPy: shape \(2, 50, 64\), largest difference (.*)\n",
                         capsys.readouterr().out)
    assert float(found[1]) < 1e-2


def test_tuned_example(capsys):
    made = runpy.run_path("examples/tune/gemm_operator.py")
    assert made["best"].ms > 0 and np.abs(made["c"] - made["a"] @ made["b"]).max() < 1e-3
    assert "instances, of which the fastest takes" in capsys.readouterr().out


# ---- structures ---------------------------------------------------------------------------------


def fields_of(x):
    return x.view(np.float32).reshape(x.shape + (2,))


COMPLEX = ops.Struct("f32", 2, multiply="a*c-b*d;a*d+b*c", convert="a;-b")


def test_structures(device):
    a = (values(5, 9) + 1j * values(5, 9, seed=1)).astype(np.complex64)
    b = (values(9, 7, seed=2) + 1j * values(9, 7, seed=3)).astype(np.complex64)
    close(COMPLEX.gemm(fields_of(a), fields_of(b), device=device), fields_of((a @ b).conj()))
    columns = fields_of(b.T.copy()).transpose(1, 0, 2)
    out = np.zeros((7, 5, 2), np.float32).transpose(1, 0, 2)
    assert COMPLEX.gemm(fields_of(a), columns, out, device=device) is out
    close(out, fields_of((a @ b).conj()))
    close(COMPLEX.reduce(fields_of(a), device=device), fields_of(a.sum(1).conj()))
    close(COMPLEX.map("a+c;b-d", fields_of(a), fields_of(a), device=device),
          fields_of((a + a.conj()).conj()))
    half = ops.Struct("f16", 2, multiply="a*c-b*d;a*d+b*c")
    close(half.gemm(fields_of(a).astype(np.float16), fields_of(b).astype(np.float16),
                    device=device), fields_of(a @ b), 1e-2)
    largest = ops.Struct("f32", 2, multiply="a;b", add="max(a,c);where(a<c,d,b)", zero="-inf;0")
    numbers = np.stack([values(3, 40), np.broadcast_to(np.arange(40, dtype=np.float32), (3, 40))], -1)
    assert (largest.reduce(numbers, device=device)[:, 1] == numbers[..., 0].argmax(1)).all()


def test_structures_of_wrong_shapes():
    x = np.zeros((3, 4, 2), np.float32)
    for call, message in ((lambda: COMPLEX.gemm(x, x), "expected 4 rows, as many as 'a' has columns"),
                          (lambda: COMPLEX.gemm(x[..., 0], x), "expected 2 dimensions and 2 fields"),
                          (lambda: COMPLEX.reduce(x[:, ::2]), "contiguous structures, in rows or"),
                          (lambda: COMPLEX.map("a;b+c", x, x[:2]), "expected the shape (3, 4, 2)")):
        with pytest.raises(tessera.UsageError, match=re.escape(message)):
            call()


# ---- mistakes -----------------------------------------------------------------------------------

X, A, B = values(3, 4), values(3, 4), values(4, 5, seed=1)
Q = values(1, 2, 3, 4)
READ = np.zeros(4, np.complex64)


def shared(x):
    """One row three times."""
    return np.lib.stride_tricks.as_strided(x, (3, 5), (0, 4))


def beside(x):
    """A copy that begins within an element."""
    data = np.zeros(x.nbytes + 1, np.uint8)
    data[1:] = np.frombuffer(x.tobytes(), np.uint8)
    return data[1:].view(x.dtype).reshape(x.shape)


@pytest.mark.parametrize("call, message", [
    (lambda o: ops.gemm(A, B[:3], o), "gemm: argument 'b': expected 4 rows, as many as 'a' has "
                                      "columns, found the shape (3, 5)"),
    (lambda o: ops.gemm(A[0], B, o), "argument 'a': expected 2 dimensions or more"),
    (lambda o: ops.gemm(A, B, o[:, :2]), "argument 'c': expected the shape (3, 5), found (3, 2)"),
    (lambda o: ops.gemm(A, B, o[::-1]), "argument 'c': a stride of -20 bytes between elements"),
    (lambda o: ops.gemm(A, B, o, bias=A), "gemm has no tensor 'bias' here; it has a, b, c"),
    (lambda o: ops.gemm(A, B, o, epilogue="bias:n"), "gemm: 'bias' is missing: f32 of (5,)"),
    (lambda o: ops.gemm(A, B, o, epilogue="bias:n", bias=A[0]),
     "gemm: argument 'bias': expected the shape (5,), found (4,)"),
    (lambda o: ops.gemm(A, B, o, epilogue="bias:n", bias=values(5, dtype=np.float64)),
     "gemm: argument 'bias': expected elements of f32, found f64 (an array of float64)"),
    (lambda o: ops.gemm(A, B, o, epilogue="bias:n", bias=values(10)[::2]),
     "gemm: argument 'bias': expected the strides (1,), found (2,)"),
    (lambda o: ops.gemm(A, B, beta=1), "beta=1 adds to what the result held, so out= is needed"),
    (lambda o: ops.gemm(A, B, o, epilogue="bias:n+glue"), "glue"),
    (lambda o: ops.gemm(A, B, o, tile_q=3), "tile_q"),
    (lambda o: ops.gemm(A, B, o, k="many"), "k=many: expected a whole number"),
    (lambda o: ops.gemm(A, B, o, tile_m=3), "tile_m=3"),
    (lambda o: ops.gemm(A, B, o, scale_a=values(3, 3)),
     "argument 'scale_a': 3 groups of 4 columns of 'a' have no common size; give group="),
    (lambda o: ops.gemm(o[:, :3], values(3, 5), o), "overlap"),
    (lambda o: ops.gemm(A, B, shared(o)), "elements of c would lie in the same place"),
    (lambda o: ops.softmax(values(3, 5), shared(o)), "elements of y would lie in the same place"),
    (lambda o: ops.gemm(A, B, type_a="bf16"), "argument 'a': expected an array of bfloat16 or "
                                              "uint16 to hold bf16, found one of float32"),
    (lambda o: ops.gemm(A, READ.reshape(4, 1)), "argument 'b': arrays of complex64 are not taken"),
    (lambda o: ops.gemm(A, None), "gemm: argument 'b': expected an array, found None"),
    (lambda o: ops.gemm(A, B, device="cpu"), "device: expected a tessera.Device, found str"),
    (lambda o: ops.softmax(X, dim=2), "dim=2: expected each dimension once, from -2 to 1"),
    (lambda o: ops.softmax(X, dim=(0, 0)), "dim=0+0: expected each dimension once"),
    (lambda o: ops.softmax(X, dim="x"), "dim=x: expected a dimension, or several"),
    (lambda o: ops.softmax(X, o), "softmax: argument 'y': expected the shape (3, 4), found (3, 5)"),
    (lambda o: ops.softmax([1.0, 2.0]), "argument 'x': expected an array"),
    (lambda o: ops.softmax(X, (o, o)), "softmax: out has 2 arrays; expected 1: y"),
    (lambda o: ops.layer_norm(X, B), "norm: argument 'weight': expected the shape (4,)"),
    (lambda o: ops.layer_norm(X, store_sum=True), "store_sum=True stores x + residual"),
    (lambda o: ops.rms_norm(X, epilogue="residual", epilogue_residual=B),
     "norm: argument 'epilogue_residual': expected the shape (3, 4), (3,) (m), (4,) (n) or one"),
    (lambda o: ops.attention(Q, Q, Q, epilogue="bias", epilogue_bias=X),
     "attention: argument 'epilogue_bias': expected the shape (1, 2, 3, 4), (1, 3) (m), (2, 4) (n)"),
    (lambda o: ops.attention(Q, Q, Q, epilogue="bias"), "attention: 'epilogue_bias' is missing"),
    (lambda o: ops.rms_norm(X, bias=B), "bias: expected a number or text, found ndarray"),
    (lambda o: ops.reduce(X, "sum+avg"), "operations=sum+avg"),
    (lambda o: ops.elementwise("a+b", X, o), "argument 'b': size 5 along a dimension where 'a' "
                                             "has 4"),
    (lambda o: ops.elementwise("a+", X), "expression=a+"),
    (lambda o: ops.elementwise("a", X, X), "types=f32+f32"),
    (lambda o: ops.elementwise("a+b", X, X, a=X), "argument 'a': given twice"),
    (lambda o: ops.elementwise("a", q=X), "argument 'q': expected arrays by the names a to h"),
    (lambda o: ops.softmax(X, dims="0"), "dims=0: shapes and strides are those of the arrays"),
    (lambda o: ops.softmax(X, tile_rows=""), "tile_rows: expected a value, found an empty text"),
    (lambda o: ops.elementwise("1"), "expected at least one array, from a to h"),
    (lambda o: ops.elementwise("a", *[X] * 9), "9 arrays; expected at most 8"),
    (lambda o: ops.gemm(X.astype(np.int64), X.T.astype(np.int64)), "type_a=i64: products take f64"),
    (lambda o: ops.softmax(beside(X)), "'x' lies at 0x"),
    (lambda o: ops.gemm(A, B, beside(o)), "'c' lies at 0x"),
    (lambda o: ops.op("softmax", {"x": X}, shape="1099511627777x2"), "from 0 to 2^40"),
    (lambda o: ops.op("gemm", {"a": A, "b": B}, m=2**41), "m takes an integer from 0 to 1099511627"),
    (lambda o: ops.op("gemm", {"a": A, "b": B}, m=2**40, k=2**40), "would reach over 2^60 elements"),
    (lambda o: ops.op("gemm", {"a": A, "b": B}, m=3, n=5, k=2**31), "argument 'a': expected the shape"),
    (lambda o: ops.op("conv", {"x": X}), "conv"),
    (lambda o: ops.op("softmax", {"x": X}, {"z": o}, shape="3x4"), "softmax: 'z' is no result"),
    (lambda o: ops.op("softmax", {"x": X, "y": o}, shape="3x4"), "softmax: 'y' is written; give it"),
    (lambda o: ops.op("softmax", {"x": X}, shape="4x3"),
     "softmax: argument 'x': expected the shape (4, 3), found (3, 4)"),
    (lambda o: ops.op("gemm", {"a": A, "b": B}, m=3, n=5, k=4, beta=1.0), "'c' is read, too"),
])
def test_mistakes(call, message):
    out = np.full((3, 5), 7, np.float32)
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        call(out)
    assert (out == 7).all()


def test_a_card_takes_integers_of_two_bits():
    rng = np.random.default_rng(2)
    a, b = (rng.integers(0, 256, shape, np.uint8) for shape in ((4, 2), (8, 4)))
    on = [ops.gemm(a, b, type_a="i2", type_b="i8", device=tessera.Device(device))
          for device in ("emu:sm_80", "interp")]
    assert np.any(on[0]) and np.array_equal(*on)


# ---- tuning -------------------------------------------------------------------------------------

_TUNED = """
import sys
import numpy as np
import tessera
from tessera import ops
from tessera._ops_plans import library_of
x = np.zeros((64, 96), np.float32)
if sys.argv[1] == "tune":
    found = ops.tune(ops.softmax, x, seconds=0.2)
    assert any(m.ms is not None for m in found)
else:
    ops.softmax(x)
    plans = library_of(tessera.default_device())._plans.values()
    print([p.problem for p in plans if "64x96" in p.problem][0])
"""


def test_records_are_used(tmp_path):
    """By another process, for the same problem written otherwise."""
    environment = dict(os.environ, TESSERA_TUNING=str(tmp_path / "tuning.sqlite"),
                       PYTHONPATH=os.path.dirname(os.path.dirname(tessera.__file__)))

    def run(what):
        found = subprocess.run([sys.executable, "-c", _TUNED, what], env=environment, text=True,
                               capture_output=True, check=True)
        return found.stdout.strip()

    run("tune")
    if not (tmp_path / "tuning.sqlite").exists():
        pytest.skip("there is no SQLite here, so that nothing is remembered")
    with sqlite3.connect(tmp_path / "tuning.sqlite") as records:
        # A median far below all others: it is not chosen by chance.
        records.execute("UPDATE tuning SET median_ms = median_ms / 1000 WHERE parameters = "
                        "(SELECT max(parameters) FROM tuning)")
        best, = records.execute("SELECT max(parameters) FROM tuning").fetchone()
    used = dict(s.split("=") for s in run("use").partition(":")[2].split(","))
    assert best == " ".join("%s=%s" % (n, used[n]) for n in ("tile_rows", "tile_columns", "whole"))


# ---- windows and experts ------------------------------------------------------------------------


def test_windows(device):
    x = values(2, 3, 6, 8)
    tiles = x.reshape(2, 3, 3, 2, 4, 2)
    close(ops.max_pool(x, 2, device=device), tiles.max((3, 5)))
    close(ops.avg_pool(x, 2, device=device), tiles.mean((3, 5)))
    columns = ops.unfold(x, 2, stride=2, device=device)
    close(columns, tiles.transpose(0, 2, 4, 3, 5, 1).reshape(2, 12, 4, 3))
    close(ops.fold(columns, (6, 8), 2, stride=2, device=device), x)


def test_norms_of_channels(device):
    x, w, b = values(2, 6, 5), values(6, seed=1), values(6, seed=2)
    groups = x.reshape(2, 3, 10).astype(np.float64)
    wanted = (groups - groups.mean(2, keepdims=True)) / np.sqrt(groups.var(2, keepdims=True) + 1e-5)
    close(ops.group_norm(x, 3, w, b, device=device),
          wanted.reshape(x.shape) * w[:, None] + b[:, None], 1e-4)
    x4, dy = x.reshape(2, 3, 2, 5), values(2, 3, 2, 5, seed=3)
    mean, scale = groups.mean(2), 1 / np.sqrt(groups.var(2) + 1e-5)
    found = ops.op("norm_backward", {"x": x4, "dy": dy, "mean": mean.astype(np.float32),
                                     "scale": scale.astype(np.float32)},
                   shape="2x3x2x5", dims="2+3", weight="no", weight_dims="1+2", dweight="yes",
                   dbias="yes", device=device)
    close(found["dweight"], (dy * wanted.reshape(x4.shape)).sum((0, 3)), 1e-4)
    close(found["dbias"], dy.sum((0, 3)), 1e-4)
    every = (0, 2)
    wanted = (x - x.mean(every, keepdims=True)) / np.sqrt(x.var(every, keepdims=True) + 1e-5)
    close(ops.batch_norm(x, w, device=device), wanted * w[:, None], 1e-4)


def test_norms_with_epilogues(device):
    x, by_line, by_element = values(5, 12), values(5, seed=1), values(12, seed=2)
    n = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)
    found = ops.op("norm:weight=no,epilogue=bias:m+scale:n+relu+residual",
                   {"x": x, "epilogue_bias": by_line, "epilogue_scale": by_element,
                    "epilogue_residual": x}, shape="5x12", device=device)["y"]
    close(found, np.maximum((n + by_line[:, None]) * by_element, 0) + x, 1e-4)


def test_experts(device):
    x, w1, w2 = values(9, 20), values(4, 20, 24, seed=1), values(4, 12, 20, seed=2)
    index = np.random.default_rng(3).integers(-1, 4, (9, 2)).astype(np.int32)
    weight = values(9, 2, seed=4)
    wanted = np.zeros((9, 20))
    for token, place in np.ndindex(9, 2):
        e = index[token, place]
        g, u = np.split(x[token].astype(np.float64) @ w1[e], 2)
        if e >= 0:
            wanted[token] += weight[token, place] * (g / (1 + np.exp(-g)) * u @ w2[e])
    close(ops.moe(x, index, weight, w1, w2, device=device), wanted, 1e-4)
    found = ops.moe_sort(index, 4, unit=2, device=device)
    for e in range(4):
        rows = found.ids[found.offsets[e]:found.offsets[e + 1]]
        pairs = np.flatnonzero(index == e)
        assert (rows[:len(pairs)] == pairs).all() and (rows[len(pairs):] == 18).all()


# ---- caches -------------------------------------------------------------------------------------


def attended(q, k, v, length):
    """One head over its first keys."""
    scores = q.astype(np.float64) @ k[:length].T / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v[:length]


def test_attention_over_caches(device):
    q, k, v = values(2, 4, 3, 16), values(2, 2, 24, 16, seed=1), values(2, 2, 24, 8, seed=2)
    lengths = np.array([5, 24], np.int32)
    wanted = np.stack([[attended(q[b, h], k[b, h // 2], v[b, h // 2], lengths[b])
                        for h in range(4)] for b in range(2)])
    close(ops.attention(q, k, v, key_lengths=lengths, device=device), wanted)
    table = np.array([[4, 1, 3], [0, 5, 2]], np.int32)
    pages_k, pages_v = values(6, 2, 8, 16, seed=3), values(6, 2, 8, 8, seed=4)
    for b in range(2):
        for i in range(3):
            pages_k[table[b, i]] = k[b, :, 8 * i:8 * i + 8]
            pages_v[table[b, i]] = v[b, :, 8 * i:8 * i + 8]
    close(ops.attention(q, pages_k, pages_v, key_lengths=lengths, table=table, device=device), wanted)


def test_append(device):
    k, v = values(6, 2, 8, 16), values(6, 2, 8, 8, seed=1)
    new_k, new_v = values(2, 2, 5, 16, seed=2), values(2, 2, 5, 8, seed=3)
    table = np.array([[4, 1, 3], [0, 5, 2]], np.int32)
    lengths = np.array([6, 21], np.int32)  # the last two tokens don't fit
    wanted_k, wanted_v = k.copy(), v.copy()
    for b in range(2):
        for i in range(5):
            at = lengths[b] + i
            if at < 24:
                wanted_k[table[b, at // 8], :, at % 8] = new_k[b, :, i]
                wanted_v[table[b, at // 8], :, at % 8] = new_v[b, :, i]
    found = ops.append(k, v, new_k, new_v, lengths, table, device=device)
    assert found[0] is k and found[1] is v
    close(k, wanted_k, 0)
    close(v, wanted_v, 0)


def test_append_turns_keys_and_queries(device):
    k, v, q = values(1, 2, 9, 8), values(1, 2, 9, 8, seed=1), values(1, 4, 3, 8, seed=2)
    new = values(1, 2, 3, 8, seed=3)
    angles = np.arange(9.0)[:, None] * np.array([1, 0.3])
    c, s = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    _, _, turned = ops.append(k, v, new, new, np.array([4], np.int32), cos=c, sin=s, q=q,
                              device=device)
    close(turned[0], ops.rotary(q[0], c[4:7], s[4:7], device=device))
    close(k[0, :, 4:7], ops.rotary(new[0], c[4:7], s[4:7], device=device))
    close(v[0, :, 4:7], new[0], 0)


@pytest.mark.parametrize("call, message", [
    (lambda x, n: ops.attention(x, x, x, table=np.zeros((1, 1), np.int32)),
     "'table': expected with 'key_lengths'"),
    (lambda x, n: ops.attention(x, x, x, key_lengths=np.zeros(3, np.int32)),
     r"'key_lengths': expected the shape \[1\]"),
    (lambda x, n: ops.attention(x, x[:, :1], x, key_lengths=n),
     r"'v': expected \[1, heads, keys, size\], as 'k'"),
    (lambda x, n: ops.append(x, x, x[0], x, n), r"'new_k': expected \[batch, heads, tokens, size\]"),
    (lambda x, n: ops.append(x, x, x, x, n, q=x), "'cos' and 'sin': expected both, and with 'q'"),
    (lambda x, n: ops.append(x, None, x, x, n), "'v': expected an array, found None"),
])
def test_wrong_caches(call, message):
    with pytest.raises(tessera.UsageError, match=message):
        call(values(1, 2, 4, 8), np.zeros(1, np.int32))
