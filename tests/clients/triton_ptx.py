# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two kernels that Triton compiles to PTX. Run by triton_ptx.test."""
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(z + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def dot_kernel(x, y, z, N: tl.constexpr):
    i = tl.arange(0, N)
    at = i[:, None] * N + i[None, :]
    tl.store(z + at, tl.dot(tl.load(x + at), tl.load(y + at)))


x, y = torch.rand(1000, device="cuda"), torch.rand(1000, device="cuda")
z = torch.empty_like(x)
add_kernel[(4,)](x, y, z, 1000, BLOCK=256)
torch.testing.assert_close(z, x + y)
x, y = torch.rand(32, 32, device="cuda").half(), torch.rand(32, 32, device="cuda").half()
z = torch.empty(32, 32, device="cuda")
dot_kernel[(1,)](x, y, z, N=32)
torch.testing.assert_close(z, x.float() @ y.float(), atol=1e-3, rtol=1e-3)
print("add, dot: right")
