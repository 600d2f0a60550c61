# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Tessera does not do with scripts that Tilus takes. The line that is named ends in the name of the
case."""
import tilus
from tilus import float16, float32, int32, uint1b, uint32
from tilus.ir.layout.ops import spatial


class Case(tilus.Script):
    def __init__(self, case: str):
        super().__init__()
        self.case = case


class Registers(Case):
    def __call__(self, n: int32, x_ptr: ~float32):
        self.attrs.blocks = 1
        self.attrs.warps = 1
        g = self.global_view(x_ptr, dtype=float32, shape=[32, 4])
        x = self.load_global(g, offsets=[0, 0], shape=[32, 4])
        self.annotate_layout(x, spatial(32, 1).local(1, 4))
        if self.case == "printed":
            self.print_tensor("", self.shared_tensor(dtype=float32, shape=[32]))  # printed
        if self.case == "assigned":
            y = self.view(x, layout=spatial(32, 1).local(1, 4), dtype=int32)
            self.assign(x, x + 1.0)
            self.store_global(g, self.cast(y, dtype=float32), offsets=[0, 0])  # assigned
        self.store_global(g, x, offsets=[0, 0])


class Shared(Case):
    def __call__(self, n: int32, x_ptr: ~float32):
        self.attrs.blocks = 1
        self.attrs.warps = 4
        g = self.global_view(x_ptr, dtype=float32, shape=[32, 4])
        s = self.shared_tensor(dtype=float32, shape=[2, 32, 4])
        if self.case == "bits":
            self.shared_tensor(dtype=uint1b, shape=[32, 32])  # bits
        if self.case == "address":
            self.printf("%p\n", s[0, 0, 0].item_ptr())  # address
        if self.case == "reshaped":
            self.copy_async(g, self.reshape_shared(s[0], [16, 8]), offsets=[0, 0])  # reshaped
        if self.case == "pending":
            self.copy_async(g, s[0], offsets=[0, 0])
            self.copy_async_commit_group()
            self.copy_async_wait_group(n=n)  # pending
        if self.case == "mapped":
            one = self.register_tensor(dtype=uint32, shape=[1], init=0)
            self.mbarrier.arrive(self.cluster.map_shared_addr(one, target_rank=0))  # mapped


class Products(Case):
    def __call__(self, n: int32, x_ptr: ~float16):
        self.attrs.blocks = 1
        self.attrs.warps = 4
        g = self.global_view(x_ptr, dtype=float16, shape=[64, 64])
        acc = self.register_tensor(dtype=float32, shape=[64, 64], init=0.0)
        if self.case == "product":
            s = self.shared_tensor(dtype=float16, shape=[64, 64])
            self.wgmma.fence()
            self.wgmma.mma(s, s.transpose(), acc)
            self.wgmma.commit_group()
            self.store_global(g, self.cast(acc, dtype=float16), offsets=[0, 0])  # product


class Blocks(Case):
    """Two of a cluster."""

    def __call__(self, n: int32, x_ptr: ~float16):
        self.attrs.blocks = 2
        self.attrs.cluster_blocks = 2
        self.attrs.warps = 4
        g = self.global_view(x_ptr, dtype=float16, shape=[64, 64])
        full = self.mbarrier.alloc(counts=[1, 1])
        s = self.shared_tensor(dtype=float16, shape=[64, 64])
        with self.single_thread():
            self.tma.global_to_shared(src=g, dst=s, offsets=[0, 0], mbarrier=full[0])
            if self.case == "two":
                self.tma.global_to_shared(src=g, dst=s, offsets=[0, 0], mbarrier=full[0], cta_group=2)  # two
            if self.case == "bytes":
                self.mbarrier.arrive_and_expect_tx(full[1], transaction_bytes=n)  # bytes
        if self.case == "together":
            with self.thread_group(0, 32):
                self.cluster.sync()  # together
