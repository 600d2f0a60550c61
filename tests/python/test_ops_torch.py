# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on PyTorch's tensors: beside PyTorch's own, compiled, and with gradients."""
import warnings

import pytest

import tessera
from tessera import ops

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
functional = torch.nn.functional


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(0)


def compiled(function, **options):
    """Without a break in the graph; the back end needs no C compiler."""
    torch._dynamo.reset()
    return torch.compile(function, fullgraph=True, backend="aot_eager", **options)


def close(found, wanted, tolerance=1e-5):
    assert found.dtype == wanted.dtype
    torch.testing.assert_close(found, wanted, rtol=tolerance, atol=tolerance)


# ---- beside PyTorch's own -----------------------------------------------------------------------


@pytest.mark.parametrize("dtype, tolerance", [
    (torch.float64, 1e-12), (torch.float32, 1e-5), (torch.float16, 1e-2), (torch.bfloat16, 1e-1)])
def test_gemm(dtype, tolerance):
    a, b = torch.randn(7, 33).to(dtype), torch.randn(33, 12).to(dtype)
    close(ops.gemm(a, b), a @ b, tolerance)
    close(ops.gemm(b.T, a.T), b.T @ a.T, tolerance)
    close(ops.gemm(a.expand(3, 7, 33), b[:, ::2]), a.expand(3, 7, 33) @ b[:, ::2], tolerance)


def test_gemm_of_float8():
    a, b = torch.randn(4, 32).to(torch.float8_e4m3fn), torch.randn(32, 8).to(torch.float8_e4m3fn)
    close(ops.gemm(a, b), (a.float() @ b.float()).half(), 1e-2)


def test_lines():
    x, w, b = torch.randn(3, 4, 10), torch.randn(10), torch.randn(10)
    close(ops.softmax(x), functional.softmax(x, -1))
    close(ops.softmax(x, dim=1), functional.softmax(x, 1))
    close(ops.log_softmax(x.bfloat16()), functional.log_softmax(x.bfloat16(), -1), 2e-2)
    close(ops.layer_norm(x, w, b), functional.layer_norm(x, (10,), w, b))
    close(ops.rms_norm(x, w, epsilon=1e-6), functional.rms_norm(x, (10,), w, 1e-6))
    close(ops.reduce(x, "mean", dim=(0, 2), keepdims=True), x.mean((0, 2), keepdim=True))
    close(ops.elementwise("gelu(a) * b", x, w), functional.gelu(x) * w)


def test_results_that_are_given():
    x, out = torch.randn(4, 6), torch.zeros(6, 4).T
    assert ops.softmax(x, out) is out
    close(out, functional.softmax(x, -1))
    sums, largest = torch.zeros(4), torch.zeros(4)
    ops.reduce(x, "sum+max", (sums, largest), dim=1)
    close(largest, x.max(1).values)
    h = ops.layer_norm(x, residual=x, store_sum=True, save=True)
    close(h.h, 2 * x)
    close(h.mean, 2 * x.mean(1))


def test_mistakes():
    out = torch.full((3, 3), 7.0)
    with pytest.raises(tessera.UsageError, match="argument 'b': expected 4 rows"):
        ops.gemm(torch.ones(3, 4), torch.ones(5, 3), out)
    with pytest.raises(TypeError, match="argument 'x': a sparse tensor is not taken"):
        ops.softmax(torch.eye(3).to_sparse(), out)
    with pytest.raises(TypeError, match="argument 'b': expected a PyTorch tensor, as others are"):
        ops.gemm(torch.ones(3, 4), [[1.0]], out)
    assert (out == 7).all()


# ---- graphs -------------------------------------------------------------------------------------


def test_registration():
    a, b = torch.randn(4, 5), torch.randn(5, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.library.opcheck(torch.ops.tessera.gemm.default, ([a, b], "a,b", "", [], 0))
        torch.library.opcheck(torch.ops.tessera.reduce.default,
                              ([a], "x", "operations=sum+max\ndim=0", [], 0))
        torch.library.opcheck(torch.ops.tessera.softmax_out.default,
                              ([a], [torch.zeros(4, 5)], "x", "alpha=", [0.5], 0))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(dynamic):
    device = tessera.Device("cpu", threads=1)

    def layer(x, w, v):
        h = ops.layer_norm(x, torch.ones(x.shape[-1]), device=device)
        h = ops.gemm(h, w.T, epilogue="bias:n+relu", bias=v)
        s, m = ops.reduce(h, "sum+max", dim=-1, keepdims=True)
        h = ops.elementwise("(a - c) / b", h, s, m)
        return ops.softmax(h, dim=0) + ops.rms_norm(x, quantise=True).y_scale.sum()

    function = compiled(layer, dynamic=dynamic)
    for rows in (5, 7, 9):
        args = torch.randn(rows, 16), torch.randn(8, 16), torch.randn(8)
        close(function(*args), layer(*args))


def test_compile_with_given_results():
    def into(x, out):
        ops.softmax(x, out)
        y = torch.zeros_like(x)
        ops.op("softmax", {"x": x}, {"y": y}, shape="4x6")
        return out + y

    x, out = torch.randn(4, 6), torch.zeros(4, 6)
    close(compiled(into)(x, out), 2 * functional.softmax(x, -1))
    close(out, functional.softmax(x, -1))


def test_compile_any_family():
    def both(x):
        return ops.op("reduce:operations=sum+max", {"x": x}, shape="4x6")

    x = torch.randn(4, 6)
    found = compiled(both)(x)
    close(found["sum"], x.sum(1))
    close(found["max"], x.max(1).values)


def test_types_in_graphs():
    def small(a, b):
        return ops.gemm(a, b, epilogue="cast:bf16"), ops.gemm(a, b), ops.gemm(a, b, type_c="f32")

    a = torch.randint(-8, 8, (4, 32), dtype=torch.int8)
    found = compiled(small)(a, a.T)
    assert [f.dtype for f in found] == [torch.bfloat16, torch.int32, torch.float32]
    close(found[1], a.int() @ a.int().T)


# ---- gradients ----------------------------------------------------------------------------------


def test_gradient_of_gemm():
    a, b = torch.randn(2, 3, 4, 5, dtype=torch.float64), torch.randn(5, 6, dtype=torch.float64)
    a.requires_grad_(), b.requires_grad_()
    assert torch.autograd.gradcheck(lambda a, b: ops.gemm(a, b, alpha=0.5), (a, b))

    def loss(a, b):
        return (ops.gemm(a, b) ** 2).sum()

    wanted = torch.autograd.grad(((a @ b) ** 2).sum(), (a, b))
    for found in (torch.autograd.grad(loss(a, b), (a, b)),
                  torch.autograd.grad(compiled(loss)(a, b), (a, b))):
        for f, w in zip(found, wanted):
            close(f, w, 1e-9)


def test_gradients_that_there_are_not():
    a, b = torch.randn(3, 4, requires_grad=True), torch.randn(4, 5)
    with pytest.raises(NotImplementedError, match="a gradient for alpha a b alone, not with epilog"):
        ops.gemm(a, b, epilogue="relu").sum().backward()
    with pytest.raises(RuntimeError, match="tessera.softmax|tessera::softmax"):
        ops.softmax(a).sum().backward()
