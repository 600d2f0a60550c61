# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes on beside the threads, and waiting for it: mbarriers, copies of tensors, and products
of warp groups."""
from __future__ import annotations

import math
from typing import Any, List, NamedTuple, Optional, Set

from ._elements import I32, Elem
from ._layouts import Layout, memory_text
from ._writer import Value


class Barrier(NamedTuple):
    """What Tilus has in a register tensor of addresses: mbarriers, all or one of them."""
    name: str
    count: int
    index: Optional[Value] = None
    remote: bool = False  #: of another block of the cluster

    @property
    def type(self) -> str:
        return ("remote<mbarrier<%d>>" if self.remote else "mbarrier<%d>") % self.count

    @property
    def text(self) -> str:
        return self.name if self.index is None else "%s[%s]" % (self.name, self.index.name)


class InFlight(NamedTuple):
    """A register tensor that a product is still computing."""
    name: str
    elem: Elem
    layout: Layout


class Asynchronous:
    """Methods of Instructions."""

    def _begin_asynchronous(self) -> None:
        self._products: List[Set[Any]] = [set()]  # what each set of them computes; the open one

    def settled(self, value) -> Value:
        if isinstance(value, InFlight):
            raise self._t.unsupported(
                "the result of wgmma.mma, without a wait that all ways here have passed",
                "wait for it with wgmma.wait_group before it is read")
        return value

    def land(self, keys) -> None:
        """Waits for the products that compute these variables. A loop and a branch hand on tiles,
        and so have their products end with them, where the script may wait for these later."""
        flying = [k for k in keys if isinstance(self._t.values.get(k), InFlight)]
        if self._products[-1].intersection(flying):
            self._w.op("wgmma_commit")
            self._products.append(set())
        for key in flying:
            self._t.values[key] = self._waited(self._t.values[key], 0)
        self._products = [p.difference(flying) for p in self._products]

    def _known(self, expr, what: str) -> int:
        number = self._e.number(expr)
        if not isinstance(number, int):
            raise self._t.unsupported("%s that is not constant" % what, "make it a constant")
        return number

    # ---- mbarriers ----

    def _AllocBarrierInst(self, inst):
        """Made, and shown to all threads, before anything else happens, as in Tilus."""
        made = Barrier(self._w.name("bar"), len(inst.counts))
        self._w.at_top("%s = alloc_mbarrier : %s" % (made.name, made.type))
        self._w.at_top("elect {")
        for i, count in enumerate(inst.counts):
            count = self._w.threads if count is None else self._known(count, "a barrier's count")
            one = made._replace(index=self._w.constant(i, I32))
            self._w.at_top("  mbarrier_init %s, %d : %s" % (one.text, count, one.type))
        self._w.at_top("  fence_async")
        self._w.at_top("}")
        self._w.at_top("barrier")
        self._t.values[inst.output] = made

    def _one_barrier(self, barriers: Barrier, offsets) -> Barrier:
        return barriers._replace(index=self._w.scalar(self._e.number(offsets[0]))) \
            if len(offsets) else barriers

    def _barrier(self, expr) -> Barrier:
        value = self._t.values.get(expr) if type(expr).__name__ == "Var" else None
        if not isinstance(value, Barrier):
            raise self._t.unsupported("an mbarrier that is computed",
                                      "take it out of what mbarrier.alloc gave")
        return value

    def _ArriveBarrierInst(self, inst):
        barrier, count = self._barrier(inst.barrier), self._known(inst.count, "a count of arrivals")
        several = " {count = %d}" % count if count != 1 else ""
        self._w.op("mbarrier_arrive %s%s : %s" % (barrier.text, several, barrier.type))

    def _ArriveExpectTxBarrierInst(self, inst):
        barrier = self._barrier(inst.barrier)
        size = self._known(inst.transaction_bytes, "a number of bytes")
        self._w.op("mbarrier_arrive_expect %s, %d : %s" % (barrier.text, size, barrier.type))

    def _ArriveExpectTxRemoteBarrierInst(self, inst):
        there = self._there(self._barrier(inst.barrier), self._e.scalar(inst.target_rank, I32))
        size = self._known(inst.transaction_bytes, "a number of bytes")
        self._w.op("mbarrier_arrive_expect %s, %d : %s" % (there.text, size, there.type))

    def _ArriveExpectTxMulticastBarrierInst(self, inst):
        """One thread arrives in each of the blocks."""
        barrier, mask = self._barrier(inst.barrier), self._known(inst.multicast, "a mask of blocks")
        size = self._known(inst.transaction_bytes, "a number of bytes")
        ranks = [self._w.constant(r, I32) for r in range(mask.bit_length()) if mask >> r & 1]
        each = [self._there(barrier, rank) for rank in ranks]
        self._by_one(*["mbarrier_arrive_expect %s, %d : %s" % (one.text, size, one.type)
                       for one in each])

    def _MapSharedAddrInst(self, inst):
        barrier = self._t.values.get(inst.inputs[0])
        if not isinstance(barrier, Barrier) or barrier.remote:
            raise self._t.unsupported("cluster.map_shared_addr of anything but an mbarrier",
                                      "map what mbarrier.alloc gave")
        self._t.values[inst.output] = self._there(barrier, self._e.scalar(inst.target_rank, I32))

    def _there(self, barrier: Barrier, rank: Value) -> Barrier:
        """What the block with this rank has in the barrier's place."""
        made = barrier._replace(name=self._w.name("there"), remote=True)
        self._w.op("%s = map_remote %s, %s : %s -> %s" % (
            made.name, barrier.name, rank.name, barrier.type, made.type))
        self._t.in_cluster()
        return made

    def _ClusterSyncThreadsInst(self, _inst):
        self.cluster_sync()

    def cluster_sync(self) -> None:
        if self._w.threads != self._t.metadata.num_warps * 32:
            raise self._t.unsupported("cluster.sync in a thread group",
                                      "call it where all threads of the block do")
        self._t.in_cluster()
        self._w.op("cluster_barrier")

    def _WaitBarrierInst(self, inst):
        barrier, parity = self._barrier(inst.barrier), self._e.scalar(inst.phase, I32)
        self._w.op("mbarrier_wait %s, %s : %s" % (barrier.text, parity.name, barrier.type))

    def _fence(self, _inst):
        self._w.op("fence_async")

    _FenceProxyAsync = _FenceProxyAsyncRelease = _fence

    # ---- copies of tensors ----

    def _CopyAsyncTensorGlobalToSharedInst(self, inst):
        if inst.cta_group != 1:
            raise self._t.unsupported("tensor copies of two blocks together (cta_group=2)",
                                      "use cta_group=1")
        barrier, target = self._barrier(inst.mbarrier), self._shared(inst.inputs[0])
        source, offsets = self._access(inst.inputs[1], inst.offsets, inst.dims)
        of, kind = self._tensor_map(source, inst.inputs[0])
        self._by_one("tensor_load %s[%s], %s, %s%s : %s, %s, %s" % (
            of, offsets, target.name, barrier.text, self._multicast(inst.multicast_mask), kind,
            target.written(self._w), barrier.type))

    def _multicast(self, mask) -> str:
        if mask is None:
            return ""
        self._t.in_cluster()
        return " multicast = %s" % self._e.scalar(mask, I32).name

    def _CopyAsyncTensorSharedToGlobalInst(self, inst):
        source = self._shared(inst.inputs[1])
        target, offsets = self._access(inst.inputs[0], inst.offsets, inst.dims)
        to, kind = self._tensor_map(target, inst.inputs[1])
        self._by_one("tensor_store %s, %s[%s] : %s, %s" % (
            source.name, to, offsets, source.written(self._w), kind))

    def _CopyAsyncTensorCommitGroupInst(self, _inst):
        self._by_one("bulk_commit")

    def _CopyAsyncTensorWaitGroupInst(self, inst):
        number = self._known(inst.n, "a number of groups")
        self._by_one("bulk_wait %d%s" % (number, " read" if inst.read else ""))

    def _by_one(self, *texts: str) -> None:
        """Operations that one thread of the group executes: the same one each time."""
        if self._w.threads == 1:
            for text in texts:
                self._w.op(text)
            return
        self._w.open("elect {")
        for text in texts:
            self._w.op(text)
        self._w.close()

    # ---- copies of rows ----

    def _CopyAsyncBulkGlobalToSharedInst(self, inst):
        """In Tilus the copy itself announces its bytes."""
        barrier, target = self._barrier(inst.mbarrier), self._shared(inst.inputs[0])
        source, offsets = self._access(inst.inputs[1], inst.offsets, inst.dims)
        size = math.prod(target.shape) * target.elem.bits // 8
        self._by_one("mbarrier_expect %s, %d : %s" % (barrier.text, size, barrier.type),
                     "bulk_load %s[%s], %s, %s : %s, %s, %s" % (
                         source.view, offsets, target.name, barrier.text, source.view_type,
                         target.written(self._w), barrier.type))

    def _CopyAsyncBulkSharedToGlobalInst(self, inst):
        source = self._shared(inst.inputs[1])
        target, offsets = self._access(inst.inputs[0], inst.offsets, inst.dims)
        self._by_one("bulk_store %s, %s[%s] : %s, %s" % (
            source.name, target.view, offsets, source.written(self._w), target.view_type))

    def _CopyAsyncBulkCommitGroupInst(self, _inst):
        self._by_one("bulk_commit")

    def _CopyAsyncBulkWaitGroupInst(self, inst):
        self._by_one("bulk_wait %d" % self._known(inst.n, "a number of groups"))

    def _tensor_map(self, whole, shared):
        """A view as the copy engine sees it: its name and type. It is made with the view."""
        kind = "tensor_map<%sx%s, %s>" % (
            "x".join(map(str, shared.shape)), whole.elem.stored.name,
            self._w.layout_name(memory_text(shared.layout)))
        if kind not in whole.maps:
            whole.maps[kind] = name = self._w.name("m")
            whole.gap("%s = make_tensor_map %s : %s -> %s" % (name, whole.view, whole.view_type,
                                                             kind))
        return whole.maps[kind], kind

    # ---- products of warp groups ----

    def _WgmmaFenceInst(self, _inst):
        self._w.op("wgmma_fence")

    def _WgmmaMmaSSInst(self, inst):
        a = self._shared(inst.inputs[0])
        self._product(inst, a.name, a.written(self._w))

    def _WgmmaMmaRSInst(self, inst):
        a = self._tile(inst.inputs[0])
        self._product(inst, a.name, self._w.type_of(a))

    def _product(self, inst, a: str, a_type: str) -> None:
        b, key = self._shared(inst.inputs[1]), inst.inputs[2]
        acc = self._t.values.get(key)
        flying = isinstance(acc, InFlight)
        acc = acc if flying else self._tile(key)
        kind = self._w.tile_type(acc.elem, acc.layout)
        name = self._w.name("f")
        self._w.op("%s = wgmma %s, %s, %s : %s, %s, %s -> async<%s>" % (
            name, a, b.name, acc.name, a_type, b.written(self._w),
            "async<%s>" % kind if flying else kind, kind))
        self._t.values[key] = InFlight(name, acc.elem, acc.layout)
        self._products[-1].add(key)

    def _WgmmaCommitGroupInst(self, _inst):
        self._w.op("wgmma_commit")
        self._products.append(set())

    def _WgmmaWaitGroupInst(self, inst):
        pending = self._known(inst.n, "wgmma.wait_group with a number")
        closed = len(self._products) - 1
        done, left = self._products[:max(closed - pending, 0)], self._products[max(closed - pending, 0):]
        self._products = left
        for key in set().union(*done) - set().union(*left):
            value = self._t.values.get(key)
            if isinstance(value, InFlight):
                self._t.values[key] = self._waited(value, pending)

    def _waited(self, value: InFlight, pending: int) -> Value:
        kind = self._w.tile_type(value.elem, value.layout)
        return self._w.make("", value.elem, value.layout, "wgmma_wait %d, %s : async<%s> -> %s",
                            pending, value.name, kind)
