# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two products, products that are normalised, and orders of weights, beside NumPy."""
import re

import numpy as np
import pytest

import tessera
from tessera import ops

DEVICES = ["cpu", "interp", "emu:sm_80"]


@pytest.fixture(params=DEVICES)
def device(request):
    return tessera.Device(request.param)


def values(*shape, seed=0, dtype=np.float32):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)


def close(found, wanted, tolerance=1e-4):
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.astype(np.float64), wanted, rtol=tolerance, atol=tolerance)


def normalised(x, mean=True, epsilon=1e-5):
    x = x.astype(np.float64)
    if mean:
        x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)


def test_gemm_norm(device):
    a, b, gamma, beta = values(9, 20), values(20, 33, seed=1), values(33, seed=2), values(33, seed=3)
    found = ops.gemm_norm(a, b, gamma, beta, epilogue="bias:n+relu", bias=values(33, seed=4),
                          device=device)
    h = np.maximum(a.astype(np.float64) @ b + values(33, seed=4), 0)
    close(found, normalised(h) * gamma + beta)


def test_gemm_norm_results(device):
    a, b = values(5, 8), values(16, 8, seed=1).T
    found = ops.gemm_norm(a, b, kind="rms", save=True, quantise=True, device=device)
    y = normalised(a.astype(np.float64) @ b, mean=False)
    assert found.mean is None and found.y.dtype == np.int8
    close(found.scale, 1 / np.sqrt(((a.astype(np.float64) @ b) ** 2).mean(-1) + 1e-5))
    close(found.y * found.y_scale[:, None], y, 0.02)
    out = np.empty((5, 16), np.float16)
    assert ops.gemm_norm(a, b, out=out, device=device) is out
    close(out, normalised(a.astype(np.float64) @ b), 2e-3)


@pytest.mark.parametrize("batch", [(), (3,), (2, 3)])
def test_gemm_gemm(device, batch):
    a, b0 = values(*batch, 7, 12), values(*batch, 12, 21, seed=1)
    b1 = np.swapaxes(values(*batch, 5, 21, seed=2), -1, -2)
    found = ops.gemm_gemm(a, b0, b1, between="bias:n+relu", between_bias=values(21, seed=3),
                          epilogue="residual", residual=values(*batch, 7, 5, seed=4), alpha=0.5,
                          device=device)
    h = np.maximum(0.5 * (a.astype(np.float64) @ b0) + values(21, seed=3), 0)
    close(found, h @ b1 + values(*batch, 7, 5, seed=4))


@pytest.mark.parametrize("softmax", ["row", "causal"])
def test_softmax_between_products(device, softmax):
    a, b0, b1 = values(2, 7, 12), values(2, 12, 21, seed=1), values(2, 21, 5, seed=2)
    found = ops.gemm_gemm(a, b0, b1, softmax=softmax, alpha=0.5, device=device)
    scores = 0.5 * (a.astype(np.float64) @ b0)
    if softmax == "causal":
        scores = np.where(np.arange(21) <= np.arange(7)[:, None], scores, -np.inf)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    close(found, p / p.sum(-1, keepdims=True) @ b1)


def in_blocks(x, lines, vector):
    """x [n, k] as blocks of matrix instructions."""
    parts = 64 // lines
    n, k = -(-x.shape[0] // lines) * lines, -(-x.shape[1] // (parts * vector)) * parts * vector
    full = np.zeros((n, k), x.dtype)
    full[:x.shape[0], :x.shape[1]] = x
    return full.reshape(n // lines, lines, -1, parts, vector).transpose(0, 2, 3, 1, 4)


@pytest.mark.parametrize("columns", [16, 32])
@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.float32])
def test_shuffle(device, columns, dtype):
    w = (values(70, 50) * 100).astype(dtype)
    wanted = in_blocks(w.T, columns, 16 // w.itemsize)
    for x in (w, np.asfortranarray(w)):
        np.testing.assert_array_equal(ops.shuffle(x, columns=columns, device=device), wanted)


def test_shuffled_product(device):
    a, w = values(6, 70, dtype=np.float16), values(70, 50, seed=1, dtype=np.float16)
    y = ops.shuffle(w, device=device)
    found = ops.op("gemm:type=f16,b=shuffled", {"a": a, "b": y[None]}, m=6, n=50, k=70,
                   device=device)
    close(found["c"].reshape(6, 50), a.astype(np.float64) @ w, 5e-3)


def test_shuffled_scales():
    x = np.arange(70 * 9, dtype=np.uint8).reshape(70, 9)  # [m, groups] of the left matrix
    y = ops.shuffle(x, "scales", rows=True, type="f8E8M0FNU")
    assert y.shape == (3, 2, 4, 16, 2, 2)
    # line 16 a + b and group 4 u + v of a block are at [v, b, u, a]
    assert y[1, 0, 3, 5, 1, 0] == x[32 + 5, 4 + 3] and y[0, 1, 0, 2, 0, 1] == x[16 + 2, 8]
    np.testing.assert_array_equal(ops.shuffle(x.T, "scales", type="f8E8M0FNU"), y)


@pytest.mark.parametrize("call, message", [
    (lambda: ops.gemm_norm(values(3, 4), values(5, 6)),
     "gemm_norm: argument 'b': expected 4 rows, as many as 'a' has columns"),
    (lambda: ops.gemm_norm(values(3, 4), values(4, 6), beta=values(6), kind="rms"),
     "gemm_norm: argument 'beta': RMS normalisation has none"),
    (lambda: ops.gemm_norm(values(2, 3, 4), values(4, 6)),
     "gemm_norm: argument 'a': expected 2 dimensions, found the shape (2, 3, 4)"),
    (lambda: ops.gemm_norm(values(3, 4), values(4, 6), values(5)),
     "gemm_norm: argument 'gamma': expected the shape (6,), found (5,)"),
    (lambda: ops.gemm_gemm(values(3, 4), values(4, 6), values(5, 6)),
     "gemm_gemm: argument 'b1': expected 6 rows, as many as 'b0' has columns"),
    (lambda: ops.gemm_gemm(values(2, 3, 4), values(4, 6), values(6, 6)),
     "gemm_gemm: argument 'b0': expected the batches (2,), as 'a', found the shape (4, 6)"),
    (lambda: ops.gemm_gemm(values(3, 8)[:, ::2], values(4, 6), values(6, 6)),
     "gemm_gemm: argument 'a': expected rows or columns without gaps, found the strides (8, 2)"),
    (lambda: ops.shuffle(values(4)), "shuffle: argument 'x': expected 2 dimensions or more"),
    (lambda: ops.shuffle(values(4, 4), columns=8), "shuffle: columns=8: expected 16 or 32"),
])
def test_mistakes(call, message):
    with pytest.raises(tessera.UsageError, match=re.escape(message)):
        call()
