# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts of Tilus for the tests. What became of them lies beside this file (see tilus_recorded.py),
with these lines in it: after a change here it has to be made anew."""
import tilus
from tilus import float16, float32, int4b, int8, int32, uint1b, uint4b
from tilus.ir.layout.ops import spatial
from tilus.utils import cdiv


class Hello(tilus.Script):
    def __call__(self, n: int32):
        self.attrs.blocks = 2
        self.attrs.warps = 1
        if self.blockIdx.x == 1:
            self.printf("%d of %s\n", n, "blocks")


class AddOne(tilus.Script):
    def __init__(self, block: int = 128):
        super().__init__()
        self.block = block

    def __call__(self, n: int32, a_ptr: ~float32, b_ptr: ~float32):
        self.attrs.blocks = cdiv(n, self.block)
        self.attrs.warps = 4
        offset = self.blockIdx.x * self.block
        ga = self.global_view(a_ptr, shape=[n], dtype=float32)
        gb = self.global_view(b_ptr, shape=[n], dtype=float32)
        a = self.load_global(ga, offsets=[offset], shape=[self.block])
        self.store_global(gb, a + 1.0, offsets=[offset])


class Product(tilus.Script):
    """In registers alone."""

    def __call__(self, m: int32, n: int, k: int, a_ptr: ~float16, b_ptr: ~float16,
                 c_ptr: ~float16):
        self.attrs.blocks = [cdiv(m, 64), cdiv(n, 64)]
        self.attrs.warps = 1
        at_m: int32 = 64 * self.blockIdx.x
        at_n: int32 = 64 * self.blockIdx.y
        ga = self.global_view(a_ptr, dtype=float16, shape=[m, k])
        gb = self.global_view(b_ptr, dtype=float16, shape=[k, n])
        gc = self.global_view(c_ptr, dtype=float16, shape=[m, n])
        acc = self.register_tensor(dtype=float32, shape=[64, 64], init=0.0)
        for i in range(cdiv(k, 16)):
            a = self.load_global(ga, offsets=[at_m, i * 16], shape=[64, 16])
            b = self.load_global(gb, offsets=[i * 16, at_n], shape=[16, 64])
            self.dot(a, b, acc, out=acc)
        self.store_global(gc, self.cast(acc, dtype=float16), offsets=[at_m, at_n])


class Stages(tilus.Script):
    """Three stages in shared memory, and K in parts that add up under a semaphore."""

    def __call__(self, m: int32, n: int, k: int, parts: int, a_ptr: ~float16, b_ptr: ~float16,
                 c_ptr: ~float32):
        self.attrs.blocks = [cdiv(m, 64), cdiv(n, 64), parts]
        self.attrs.warps = 4
        at_m: int32 = 64 * self.blockIdx.x
        at_n: int32 = 64 * self.blockIdx.y
        at_k: int32 = self.blockIdx.z * (k // parts)
        ga = self.global_view(a_ptr, dtype=float16, shape=[m, k])
        gb = self.global_view(b_ptr, dtype=float16, shape=[k, n])
        gc = self.global_view(c_ptr, dtype=float32, shape=[m, n])
        sa = self.shared_tensor(dtype=float16, shape=[3, 64, 16])
        sb = self.shared_tensor(dtype=float16, shape=[3, 16, 64])
        acc = self.register_tensor(dtype=float32, shape=[64, 64], init=0.0)
        for s in range(2):
            self.copy_async(ga, sa[s], offsets=[at_m, at_k + s * 16])
            self.copy_async(gb, sb[s], offsets=[at_k + s * 16, at_n])
            self.copy_async_commit_group()
        self.copy_async_wait_group(n=1)
        self.sync()
        now: int32 = 0
        ahead: int32 = 2
        for i in self.range(k // parts // 16, unroll=3):
            a = self.load_shared(sa[now])
            b = self.load_shared(sb[now])
            self.dot(a, b, acc, out=acc)
            if (i + 2) * 16 < k // parts:
                self.copy_async(ga, sa[ahead], offsets=[at_m, at_k + (i + 2) * 16])
                self.copy_async(gb, sb[ahead], offsets=[at_k + (i + 2) * 16, at_n])
            self.copy_async_commit_group()
            now = (now + 1) % 3
            ahead = (ahead + 1) % 3
            self.copy_async_wait_group(n=1)
            self.sync()
        self.copy_async_wait_all()
        turns = self.global_tensor(dtype=int32, shape=[cdiv(m, 64), cdiv(n, 64)],
                                   requires_clean=True)
        turn: ~int32 = turns[self.blockIdx.x, self.blockIdx.y].item_ptr()
        if self.blockIdx.z > 0:
            self.lock_semaphore(turn, value=self.blockIdx.z)
            acc = acc + self.load_global(gc, offsets=[at_m, at_n], shape=[64, 64])
        self.store_global(gc, acc, offsets=[at_m, at_n])
        self.sync()
        self.release_semaphore(turn, value=(self.blockIdx.z + 1) % parts)


class Rows(tilus.Script):
    """A softmax of rows, and of how many elements a row is above its mean."""

    def __call__(self, m: int, n: int32, x_ptr: ~float32, y_ptr: ~float32, above_ptr: ~int32):
        self.attrs.blocks = cdiv(m, 2)
        self.attrs.warps = 2
        at: int32 = self.blockIdx.x * 2
        gx = self.global_view(x_ptr, dtype=float32, shape=[m, n])
        gy = self.global_view(y_ptr, dtype=float32, shape=[m, n])
        g_above = self.global_view(above_ptr, dtype=int32, shape=[m])
        high = self.register_tensor(dtype=float32, shape=[2, 64], init=-1e30)
        for j in range(0, n, 64):
            x = self.load_global(gx, offsets=[at, j], shape=[2, 64])
            inside = self.register_tensor(dtype=int32, shape=[2, 64], init=lambda r, c: c) + j < n
            high = self.maximum(high, self.where(inside, x, -1e30))
        top = self.max(high, dim=1, keepdim=True)
        total = self.register_tensor(dtype=float32, shape=[2, 64], init=0.0)
        sums = self.register_tensor(dtype=float32, shape=[2, 64], init=0.0)
        for j in range(0, n, 64):
            x = self.load_global(gx, offsets=[at, j], shape=[2, 64])
            inside = self.register_tensor(dtype=int32, shape=[2, 64], init=lambda r, c: c) + j < n
            total = total + self.where(inside, self.exp(x - top), 0.0)
            sums = sums + self.where(inside, x, 0.0)
        scale = 1.0 / self.sum(total, dim=1, keepdim=True)
        mean = self.sum(sums, dim=1, keepdim=True) / n
        count = self.register_tensor(dtype=int32, shape=[2, 64], init=0)
        for j in range(0, n, 64):
            x = self.load_global(gx, offsets=[at, j], shape=[2, 64])
            self.store_global(gy, self.exp(x - top) * scale, offsets=[at, j])
            inside = self.register_tensor(dtype=int32, shape=[2, 64], init=lambda r, c: c) + j < n
            more = self.where(x > mean, self.register_tensor(dtype=int32, shape=[2, 64], init=1),
                              self.register_tensor(dtype=int32, shape=[2, 64], init=0))
            count = count + self.where(
                inside, more, self.register_tensor(dtype=int32, shape=[2, 64], init=0))
        self.store_global(g_above, self.sum(count, dim=1), offsets=[at])


class Shapes(tilus.Script):
    """Parts of global and shared memory, a turned tile, a view of registers."""

    def __call__(self, which: int32, x_ptr: ~int8, y_ptr: ~int8, z_ptr: ~int32, w_ptr: ~int8):
        self.attrs.blocks = 1
        self.attrs.warps = 1
        gx = self.global_view(x_ptr, dtype=int8, shape=[3, 32, 8])
        gy = self.global_view(y_ptr, dtype=int8, shape=[8, 32])
        gz = self.global_view(z_ptr, dtype=int32, shape=[32, 2])
        gw = self.global_view(w_ptr, dtype=int8, shape=[32, 8])
        layout = spatial(32, 1).local(1, 8)
        x = self.load_global(gx, offsets=[which, 0, 0], shape=[32, 8], dims=[1, 2])
        self.annotate_layout(x, layout)
        self.store_global(gy, self.transpose(x), offsets=[0, 0])
        z = self.view(x, dtype=int32, layout=spatial(32, 1).local(1, 2))
        self.store_global(gz, z, offsets=[0, 0])
        stage = self.shared_tensor(dtype=int8, shape=[2, 32, 8])
        self.store_shared(stage[1], x)
        self.sync()
        y = self.load_shared(stage[1])
        self.annotate_layout(y, layout)
        self.sync()
        self.free_shared(stage)
        self.store_global(gw, y, offsets=[0, 0])


class Ways(tilus.Script):
    """Loops that are left early, and values that branches give."""

    def __call__(self, n: int32, limit: int32, x_ptr: ~int32, y_ptr: ~int32):
        self.attrs.blocks = 1
        self.attrs.warps = 1
        gx = self.global_view(x_ptr, dtype=int32, shape=[n, 32])
        gy = self.global_view(y_ptr, dtype=int32, shape=[4, 32])
        total = self.register_tensor(dtype=int32, shape=[1, 32], init=0)
        seen: int32 = 0
        for i in range(n):
            if i >= limit:
                break
            total = total + self.load_global(gx, offsets=[i, 0], shape=[1, 32])
            seen = seen + 1
        self.store_global(gy, total, offsets=[0, 0])
        power: int32 = 1
        while power < n:
            power = power * 2
        if power > n:
            total = total * power
        else:
            total = total - power
        self.store_global(gy, total, offsets=[1, 0])
        self.store_global(gy, self.register_tensor(dtype=int32, shape=[1, 32], init=lambda i, j: seen),
                          offsets=[2, 0])
        even = self.register_tensor(dtype=int32, shape=[1, 32], init=lambda i, j: j % 2)
        flag = self.cast(even == 0, dtype=int32)
        self.store_global(gy, flag, offsets=[3, 0])


class Race(tilus.Script):
    """A sync is missing between the store and the load."""

    def __call__(self, x_ptr: ~float32, y_ptr: ~float32):
        self.attrs.blocks = 1
        self.attrs.warps = 2
        gx = self.global_view(x_ptr, dtype=float32, shape=[32, 32])
        gy = self.global_view(y_ptr, dtype=float32, shape=[32, 32])
        x = self.load_global(gx, offsets=[0, 0], shape=[32, 32])
        stage = self.shared_tensor(dtype=float32, shape=[32, 32])
        self.store_shared(stage, x)
        y = self.load_shared(stage)
        self.annotate_layout(x, spatial(32, 2).local(1, 16))
        self.annotate_layout(y, spatial(2, 32).local(16, 1))
        self.store_global(gy, y, offsets=[0, 0])


class Group(tilus.Script):
    """What is not supported yet."""

    def __call__(self, x_ptr: ~float32):
        self.attrs.blocks = 1
        self.attrs.warps = 4
        with self.thread_group(0, 16):
            self.printf("half a warp\n")


class Slots(tilus.Pipeline):
    """Two slots that are filled by tensor copies and emptied by 128 threads."""

    def __init__(self):
        super().__init__(num_stages=2, producer_arrive_count=1, consumer_arrive_count=128)


class Roles(tilus.Script):
    """A product: one warp copies tensors, a group of four multiplies."""

    def __call__(self, m: int32, n: int, k: int, a_ptr: ~float16, b_ptr: ~float16,
                 c_ptr: ~float16):
        self.attrs.blocks = [cdiv(m, 64), cdiv(n, 64)]
        self.attrs.warps = 5
        row: int32 = self.blockIdx.x * 64
        column: int32 = self.blockIdx.y * 64
        ga = self.global_view(a_ptr, dtype=float16, shape=[m, k])
        gb = self.global_view(b_ptr, dtype=float16, shape=[n, k])
        gc = self.global_view(c_ptr, dtype=float16, shape=[m, n])
        sa = self.shared_tensor(dtype=float16, shape=[2, 64, 32])
        sb = self.shared_tensor(dtype=float16, shape=[2, 64, 32])
        sc = self.shared_tensor(dtype=float16, shape=[64, 64])
        acc = self.register_tensor(dtype=float32, shape=[64, 64], init=0.0)
        slots = Slots()
        with self.thread_group(128, 32):
            for at in self.range(0, k, 32):
                slots.producer_acquire()
                slot = slots.producer_stage
                with self.single_thread():
                    full = slots.producer_release_barrier()
                    self.mbarrier.arrive_and_expect_tx(full, transaction_bytes=8192)
                    self.tma.global_to_shared(src=ga, dst=sa[slot], offsets=[row, at], mbarrier=full)
                    self.tma.global_to_shared(src=gb, dst=sb[slot], offsets=[column, at],
                                              mbarrier=full)
                slots.producer_advance()
        with self.thread_group(0, 128):
            for _ in self.range(0, k, 32):
                slots.consumer_acquire()
                self.wgmma.fence()
                self.wgmma.mma(sa[slots.consumer_stage], sb[slots.consumer_stage].transpose(), acc)
                self.wgmma.commit_group()
                self.wgmma.wait_group(0)
                self.mbarrier.arrive(slots.consumer_release_barrier())
                slots.consumer_advance()
        with self.thread_group(0, 128):
            self.store_shared(sc, self.cast(acc, dtype=float16))
            self.fence.proxy_async(space="shared")
            self.sync()
            with self.single_warp():
                self.tma.shared_to_global(sc, gc, offsets=[row, column], dims=[0, 1])
                self.tma.commit_group()
                self.tma.wait_group(0)


class Warps(tilus.Script):
    """Each warp has its own values; what one alone has assigned it has again later."""

    def __call__(self, n: int32, x_ptr: ~int32):
        self.attrs.blocks = 1
        self.attrs.warps = 2
        g = self.global_view(x_ptr, dtype=int32, shape=[2, 32])
        mine: int32 = n
        with self.single_warp(1):
            for i in range(n):
                mine = mine + i
        with self.single_warp(0):
            x = self.load_global(g, offsets=[0, 0], shape=[1, 32])
            self.store_global(g, x + mine, offsets=[0, 0])
        with self.single_warp(1):
            y = self.load_global(g, offsets=[1, 0], shape=[1, 32])
            self.store_global(g, y + mine, offsets=[1, 0])


class Divided(tilus.Script):
    """Reads a variable in threads that have several values for it."""

    def __call__(self, n: int32, x_ptr: ~int32):
        self.attrs.blocks = 1
        self.attrs.warps = 2
        mine: int32 = n
        with self.single_warp(1):
            mine = mine + 1
        g = self.global_view(x_ptr, dtype=int32, shape=[64])
        self.store_global(g, self.load_global(g, offsets=[0], shape=[64]) + mine, offsets=[0])


class Nibbles(tilus.Script):
    """Elements of 4 bits in memory, and of 1 bit in registers."""

    def __call__(self, x_ptr: ~uint4b, y_ptr: ~int4b, bits_ptr: ~int32):
        self.attrs.blocks = 1
        self.attrs.warps = 1
        gx = self.global_view(x_ptr, dtype=uint4b, shape=[32, 8])
        gy = self.global_view(y_ptr, dtype=int4b, shape=[32, 8])
        gb = self.global_view(bits_ptr, dtype=int32, shape=[32, 32])
        x = self.load_global(gx, offsets=[0, 0], shape=[32, 8])
        self.store_global(gy, self.cast(self.cast(x, dtype=int32) * 3 - 4, dtype=int4b),
                          offsets=[0, 0])
        bits = self.view(x, dtype=uint1b, layout=spatial(32, 1).local(1, 32))
        self.store_global(gb, self.cast(bits, dtype=int32), offsets=[0, 0])
        self.annotate_layout(x, spatial(32, 1).local(1, 8))


@tilus.autotune("block, warps", [[64, 2], [128, 4]])
@tilus.autotune("more", [1.0, 2.0])
class Tuned(tilus.Script):
    def __init__(self, block: int, warps: int, more: float):
        super().__init__()
        self.block, self.warps, self.more = block, warps, more

    def __call__(self, n: int32, x_ptr: ~float32, y_ptr: ~float32):
        self.attrs.blocks = cdiv(n, self.block)
        self.attrs.warps = self.warps
        offset: int32 = self.blockIdx.x * self.block
        gx = self.global_view(x_ptr, dtype=float32, shape=[n])
        gy = self.global_view(y_ptr, dtype=float32, shape=[n])
        x = self.load_global(gx, offsets=[offset], shape=[self.block])
        self.store_global(gy, x * 2.0 * self.more / self.more, offsets=[offset])


class Bits(tilus.Script):
    """Elements of 1 bit in memory, in rows and in a row of any length."""

    def __call__(self, n: int32, x_ptr: ~uint1b, y_ptr: ~uint1b, z_ptr: ~int32):
        self.attrs.blocks = cdiv(n, 64)
        self.attrs.warps = 1
        at: int32 = self.blockIdx.x * 64
        gx = self.global_view(x_ptr, dtype=uint1b, shape=[n])
        gy = self.global_view(y_ptr, dtype=uint1b, shape=[4, 2, 64])
        gz = self.global_view(z_ptr, dtype=int32, shape=[n])
        x = self.load_global(gx, offsets=[at], shape=[64])
        self.store_global(gz, self.cast(x, dtype=int32), offsets=[at])
        if self.blockIdx.x == 0:
            rows = self.load_global(gy, offsets=[0, 1, 0], shape=[4, 64], dims=[0, 2])
            turned = self.cast(1 - self.cast(rows, dtype=int32), dtype=uint1b)
            self.store_global(gy[2, 0:, 0:], self.cast(x, dtype=uint1b).unsqueeze(0),
                              offsets=[0, 0])
            self.store_global(gy, turned, offsets=[0, 1, 0], dims=[0, 2])


class Reshaped(tilus.Script):
    """One shared tensor in two shapes, and a fast division."""

    def __call__(self, d: int32, x_ptr: ~int32, y_ptr: ~int32):
        self.attrs.blocks = 1
        self.attrs.warps = 1
        gx = self.global_view(x_ptr, dtype=int32, shape=[32])
        gy = self.global_view(y_ptr, dtype=int32, shape=[8, 4])
        rows = self.shared_tensor(dtype=int32, shape=[4, 8])
        flat = self.reshape_shared(rows, shape=[32])
        self.store_shared(flat, self.load_global(gx, offsets=[0], shape=[32]))
        self.sync()
        columns = self.load_shared(self.reshape_shared(rows, shape=[8, 4]))
        quotient, rest = self.fast_divmod(self.gridDim.x + 99, d)
        self.store_global(gy, columns + (quotient * 100 + rest), offsets=[0, 0])


class Vectors(tilus.Script):
    """A thread holds four neighbours along k, for two matrix instructions."""

    def __init__(self):
        from tilus.ir.instructions.cuda.mma_dot import AtomicMmaConfig
        super().__init__()
        self.mma = self.cuda.mma_dot_config(
            atomic_mma=AtomicMmaConfig.m16n8k16_f16_f32(2), warp_spatial=(2, 1),
            warp_repeat=(1, 2, 2))

    def __call__(self, a_ptr: ~float16, b_ptr: ~float16, c_ptr: ~float32):
        self.attrs.blocks = 1
        self.attrs.warps = 2
        ga = self.global_view(a_ptr, dtype=float16, shape=[32, 64])
        gb = self.global_view(b_ptr, dtype=float16, shape=[64, 16])
        gc = self.global_view(c_ptr, dtype=float32, shape=[32, 16])
        a = self.load_global(ga, offsets=[0, 0], shape=[32, 64])
        b = self.load_global(gb, offsets=[0, 0], shape=[64, 16])
        c = self.dot(a, b, acc_dtype=float32)
        self.annotate_layout(a, self.mma.la)
        self.annotate_layout(b, self.mma.lb)
        self.annotate_layout(c, self.mma.lc)
        self.store_global(gc, c, offsets=[0, 0])


class Behind(tilus.Script):
    """A product that is waited for in the iteration after its own, and one behind a branch."""

    def __call__(self, m: int32, n: int, k: int, more: int32, a_ptr: ~float16, b_ptr: ~float16,
                 c_ptr: ~float32):
        self.attrs.blocks = [cdiv(m, 64), cdiv(n, 64)]
        self.attrs.warps = 4
        row: int32 = self.blockIdx.x * 64
        column: int32 = self.blockIdx.y * 64
        ga = self.global_view(a_ptr, dtype=float16, shape=[m, k])
        gb = self.global_view(b_ptr, dtype=float16, shape=[n, k])
        gc = self.global_view(c_ptr, dtype=float32, shape=[m, n])
        sa = self.shared_tensor(dtype=float16, shape=[2, 64, 64])
        sb = self.shared_tensor(dtype=float16, shape=[2, 64, 64])
        acc = self.register_tensor(dtype=float32, shape=[64, 64], init=0.0)
        full = self.mbarrier.alloc(counts=[1])
        phase: int32 = 0
        for at in self.range(0, k, 64):
            with self.single_thread():
                self.mbarrier.arrive_and_expect_tx(full, transaction_bytes=16384)
                self.tma.global_to_shared(src=ga, dst=sa[phase], offsets=[row, at], mbarrier=full)
                self.tma.global_to_shared(src=gb, dst=sb[phase], offsets=[column, at],
                                          mbarrier=full)
            self.mbarrier.wait(full, phase=phase)
            self.wgmma.fence()
            self.wgmma.mma(sa[phase], sb[phase].transpose(), acc)
            self.wgmma.commit_group()
            self.wgmma.wait_group(1)
            self.sync()
            phase = 1 - phase
        if more > 0:
            self.wgmma.fence()
            self.wgmma.mma(sa[0], sb[0].transpose(), acc)
            self.wgmma.commit_group()
        self.wgmma.wait_group(0)
        self.store_global(gc, acc, offsets=[row, column])


class Copied(tilus.Script):
    """A tile through shared memory, but for what `without` leaves out."""

    def __init__(self, without: str = ""):
        super().__init__()
        self.without = without

    def __call__(self, x_ptr: ~float32, y_ptr: ~float32):
        self.attrs.blocks = 1
        self.attrs.warps = 2
        gx = self.global_view(x_ptr, dtype=float32, shape=[32, 32])
        gy = self.global_view(y_ptr, dtype=float32, shape=[32, 32])
        first = self.shared_tensor(dtype=float32, shape=[32, 32])
        self.copy_async(gx, first, offsets=[0, 0])
        self.copy_async_commit_group()
        if self.without != "wait":
            self.copy_async_wait_group(n=0)
        if self.without != "sync":
            self.sync()
        x = self.load_shared(first)
        if self.without != "sync before free":
            self.sync()
        self.free_shared(first)
        second = self.shared_tensor(dtype=float32, shape=[32, 32])
        if self.without != "store":
            self.store_shared(second, x)
        self.sync()
        y = self.load_shared(second)
        self.annotate_layout(x, spatial(2, 32).local(16, 1))
        self.annotate_layout(y, spatial(32, 2).local(1, 16))
        self.store_global(gy, y, offsets=[0, 0])


class Announced(tilus.Script):
    """Tensor copies there and back, with something wrong."""

    def __init__(self, wrong: str = "", nbytes: int = 4096, phase: int = 0):
        super().__init__()
        self.wrong, self.nbytes, self.phase = wrong, nbytes, phase

    def __call__(self, x_ptr: ~float32, y_ptr: ~float32):
        self.attrs.blocks = 1
        self.attrs.warps = 2
        gx = self.global_view(x_ptr, dtype=float32, shape=[32, 32])
        gy = self.global_view(y_ptr, dtype=float32, shape=[32, 32])
        tile = self.shared_tensor(dtype=float32, shape=[32, 32])
        full = self.mbarrier.alloc(counts=[1])
        with self.single_thread():
            self.mbarrier.arrive_and_expect_tx(full, transaction_bytes=self.nbytes)
            self.tma.global_to_shared(src=gx, dst=tile, offsets=[0, 0], mbarrier=full)
        self.mbarrier.wait(full, phase=self.phase)
        x = self.load_shared(tile)
        self.sync()
        self.store_shared(tile, x + 1.0)
        if self.wrong != "fence":
            self.fence.proxy_async(space="shared")
        self.sync()
        with self.single_thread():
            self.tma.shared_to_global(tile, gy, offsets=[0, 0])
            self.tma.commit_group()
            if self.wrong != "wait":
                self.tma.wait_group(0)


class Phases(tilus.Script):
    """One buffer for all iterations, whose waits are for phases 0, 1, 0, ...: or always for 0."""

    def __init__(self, turns: int = 1):
        super().__init__()
        self.turns = turns

    def __call__(self, n: int32, x_ptr: ~float32, y_ptr: ~float32):
        self.attrs.blocks = 1
        self.attrs.warps = 2
        gx = self.global_view(x_ptr, dtype=float32, shape=[n, 32, 32])
        gy = self.global_view(y_ptr, dtype=float32, shape=[32, 32])
        tile = self.shared_tensor(dtype=float32, shape=[32, 32])
        total = self.register_tensor(dtype=float32, shape=[32, 32], init=0.0)
        full = self.mbarrier.alloc(counts=[1])
        phase: int32 = 0
        for i in range(n):
            with self.single_thread():
                self.mbarrier.arrive_and_expect_tx(full, transaction_bytes=4096)
                self.tma.global_to_shared(src=gx, dst=tile, offsets=[i, 0, 0], dims=[1, 2],
                                          mbarrier=full)
            self.mbarrier.wait(full, phase=phase)
            total += self.load_shared(tile)
            phase = phase ^ self.turns
            self.sync()
        self.store_global(gy, total, offsets=[0, 0])


class Cluster(tilus.Script):
    """Two blocks, each of which fetches a half of a tile for both."""

    def __call__(self, n: int, x_ptr: ~int32, y_ptr: ~int32):
        self.attrs.blocks = cdiv(n, 64) * 2
        self.attrs.cluster_blocks = 2
        self.attrs.warps = 2
        rank: int32 = self.cluster.blockRank
        row: int32 = self.blockIdx.x // self.cluster.clusterDim.x * 64
        gx = self.global_view(x_ptr, dtype=int32, shape=[n, 32])
        gy = self.global_view(y_ptr, dtype=int32, shape=[2, n, 32])
        whole = self.shared_tensor(dtype=int32, shape=[2, 32, 32])
        full = self.mbarrier.alloc(counts=[1])
        done = self.mbarrier.alloc(counts=[128])
        self.cluster.sync()
        with self.single_thread():
            self.mbarrier.arrive_and_expect_tx(full[0], transaction_bytes=8192)
            self.tma.global_to_shared(src=gx, dst=whole[rank], offsets=[row + rank * 32, 0],
                                      mbarrier=full[0], multicast_mask=3)
        self.mbarrier.wait(full[0], phase=0)
        for half in range(2):
            x = self.load_shared(whole[half])
            self.store_global(gy, x + self.cluster.blockIdx.x,
                              offsets=[rank, row + half * 32, 0], dims=[1, 2])
        self.mbarrier.arrive(done[0])
        self.mbarrier.arrive(self.cluster.map_shared_addr(done[0], target_rank=1 - rank))
        self.mbarrier.wait(done[0], phase=0)
        self.cluster.sync()
