# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A layer of a network from operators: x + down(gelu(up(norm(x)))), four launches.

    PYTHONPATH=python python3 examples/ops/mlp.py
"""
import numpy as np

from tessera import ops


def mlp(x, norm, up, up_bias, down):
    """x: [..., width]; norm: [width]; up: [hidden, width]; down: [width, hidden]."""
    h = ops.rms_norm(x, norm)
    # Weights are stored as [out, in]: .T are strides, which are kept, not a copy.
    h = ops.gemm(h, up.T, epilogue="bias:n+gelu", bias=up_bias)
    return ops.gemm(h, down.T, epilogue="residual", residual=x)


def on_numpy():
    rng = np.random.default_rng(0)
    x, norm, up, up_bias, down = (
        rng.standard_normal(shape).astype(np.float32) / 8
        for shape in ((2, 50, 64), (64,), (256, 64), (256,), (64, 256)))
    y = mlp(x, norm, up, up_bias, down)
    h = x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * norm
    h = h @ up.T + up_bias
    h = h * 0.5 * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h ** 3)))  # gelu, about
    wanted = x + h @ down.T
    print("NumPy: shape %s, largest difference %.0e" % (y.shape, np.abs(y - wanted).max()))


def on_pytorch():
    import torch

    shapes = (2, 50, 64), (64,), (256, 64), (256,), (64, 256)
    args = [torch.randn(shape) / 8 for shape in shapes]
    compiled = torch.compile(mlp, fullgraph=True, backend="aot_eager")
    print("PyTorch: compiled and not, largest difference %.0e"
          % (compiled(*args) - mlp(*args)).abs().max())


if __name__ == "__main__":
    on_numpy()
    try:
        on_pytorch()
    except ImportError:
        print("PyTorch: not installed")
