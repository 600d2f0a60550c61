# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Tilus script whose block and warps @tilus.autotune chooses. Run it twice:

    tessera exec -- python examples/tune/tilus_script.py

The second run takes what the first one measured from the records of `tessera tune`, which
`tessera tune list` prints. All schedules are compiled in one process, without nvcc."""
import torch
import tilus
from tilus import float32, int32
from tilus.utils import cdiv


@tilus.autotune("block, warps", [[256, 4], [1024, 4], [4096, 8]])
class Increment(tilus.Script):
    def __init__(self, block: int, warps: int):
        super().__init__()
        self.block, self.warps = block, warps

    def __call__(self, n: int32, x_ptr: ~float32, y_ptr: ~float32):
        self.attrs.blocks = cdiv(n, self.block)
        self.attrs.warps = self.warps
        offset: int32 = self.blockIdx.x * self.block
        gx = self.global_view(x_ptr, dtype=float32, shape=[n])
        gy = self.global_view(y_ptr, dtype=float32, shape=[n])
        tile = self.load_global(gx, offsets=[offset], shape=[self.block])
        self.store_global(gy, tile + 1.0, offsets=[offset])


numbers = torch.arange(10000, dtype=torch.float32, device="cuda")
results = torch.zeros_like(numbers)
Increment()(10000, numbers, results)
print("results[:3] =", results[:3].tolist())
