# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl
@triton.jit
def add_kernel(x, y, z, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    mask = at < n
    total = tl.zeros((B,), tl.float32)
    for i in range(3):
        a = tl.load(x + at, mask)
        total += a * i
    b = tl.load(y + at, mask)
    tl.store(z + at, total + b, mask)
