# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A copy that reads beyond the end of its array: no mask on the load."""
import torch
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    # The next line is the one.
    value = tl.load(x + at)
    tl.store(y + at, value, mask=inside)


source = torch.randn(100, device="cuda")
target = torch.zeros(100, device="cuda")
copy[(2,)](source, target, 100, BLOCK=64)
