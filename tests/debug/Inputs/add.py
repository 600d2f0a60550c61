# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import triton
import triton.language as tl

@triton.jit
def add(x, n):
    i = tl.arange(0, 4)
    v = tl.load(x + i)
    s = v + n
    for k in range(2):
        tl.store(x + i, s)
    last(x)
