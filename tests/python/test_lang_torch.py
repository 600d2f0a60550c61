# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of PyTorch that launch kernels written in Python: shapes, torch.compile, gradients."""
import pytest

import tessera
import tessera.lang as tl
import tessera.torch

torch = pytest.importorskip("torch")


@tessera.kernel
def scale_kernel(x, y, factor, *, BLOCK=64):
    i = tl.program_id(0)
    tl.store(y, i, tl.load(x, i, BLOCK) * factor)


def keep(ctx, inputs, output):
    ctx.factor = inputs[1]


@tessera.torch.op("tessera_test::scale", setup_context=keep,
                  backward=lambda ctx, grad: (grad * ctx.factor, None))
def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
    y = torch.empty_like(x)
    scale_kernel[tl.cdiv(x.numel(), 64)](x.flatten(), y.view(-1), factor)
    return y


@tessera.torch.op("tessera_test::double_", mutates_args=("x",))
def double_(x: torch.Tensor) -> None:
    scale_kernel[lambda args: tl.cdiv(args["x"].numel(), 64)](x, x, 2.0)


def test_call():
    x = torch.randn(5, 40)
    assert torch.equal(scale(x, 3.0), 3 * x)
    expected = 2 * x[0]
    double_(x[0])
    assert torch.equal(x[0], expected)


def test_gradient():
    x = torch.randn(100, requires_grad=True)
    scale(x, 3.0).sum().backward()
    assert torch.equal(x.grad, torch.full((100,), 3.0))


def test_shapes_are_asked_of_the_function():
    torch.library.opcheck(scale, (torch.randn(100), 3.0))
    meta = torch._subclasses.FakeTensorMode()
    with meta:
        assert scale(torch.empty(7, 9), 3.0).shape == (7, 9)


def test_compiled():
    compiled = torch.compile(lambda x: scale(x + 1, 2.0) - 1, fullgraph=True, backend="aot_eager",
                             dynamic=True)
    for n in (10, 100, 77):
        x = torch.randn(n)
        assert torch.equal(compiled(x), (x + 1) * 2 - 1)
