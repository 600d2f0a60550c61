# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Triton kernel whose block @triton.autotune chooses. Run it twice:

    tessera exec -- python examples/tune/triton_kernel.py

The second run takes what the first one measured from the records of `tessera tune`, which
`tessera tune show increment` prints. Configurations that differ only in warps or stages, which say
nothing to Tessera, are measured once."""
import torch
import triton
import triton.language as tl


@triton.autotune([triton.Config({"BLOCK": block}, num_warps=warps)
                  for block in (256, 1024, 4096) for warps in (4, 8)], key=["n"])
@triton.jit
def increment(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)


x = torch.arange(10000, dtype=torch.float32, device="cuda")
y = torch.zeros_like(x)
increment[lambda meta: (triton.cdiv(10000, meta["BLOCK"]),)](x, y, 10000)
print("%s: blocks of %d" % ("measured" if increment.bench_time else "from a record",
                            increment.best_config.kwargs["BLOCK"]))
print("y[:3] =", y[:3].tolist())
