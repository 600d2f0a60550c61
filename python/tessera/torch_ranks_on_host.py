# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's symmetric memory and its back end "nccl" on the host, for programs of several GPUs.

`tessera exec` with TESSERA_CUDA_DEVICES=4 makes a program see four GPUs, as a rule one for each of
four processes. All are the host's processors, and their memory is the host's:

  - `torch.distributed`'s back end "nccl" is "gloo";
  - symmetric memory is a file without a name (memfd) for each allocation, which the other processes
    map at `rendezvous`, so that kernels read and write a peer's tensors by pointers.

Memory stays until the process ends. There is no multicast address (`multicast_ptr` is 0, as where NVLink has none), and the operators of
`torch.ops.symm_mem` are CUDA's alone. Processes of other machines have no memory in common: their
`rendezvous` is an error.

This file stands alone: it imports nothing of the package, so that it can be loaded at start-up.
"""
import ctypes
import functools
import mmap
import os
import time

_SIGNALS = 4096  # bytes for signals behind the memory of each allocation
_MOST_DEVICES = 64


def device_count():
    """What TESSERA_CUDA_DEVICES says; 1 without it."""
    text = os.environ.get("TESSERA_CUDA_DEVICES", "1")
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= _MOST_DEVICES:
        raise RuntimeError("TESSERA_CUDA_DEVICES: expected a number from 1 to %d, found '%s'"
                           % (_MOST_DEVICES, text))
    return int(text)


# ---- the back end --------------------------------------------------------------------------------

def _on_gloo(backend):
    """The back ends of "cpu:gloo,cuda:nccl" are one: all tensors are the host's."""
    return "gloo" if backend is not None and "nccl" in str(backend).lower() else backend


def patch_distributed(torch):
    """Makes groups of processes that are asked for with "nccl" groups of "gloo"."""
    distributed = torch.distributed
    if not distributed.is_available():
        return
    begin, group = distributed.init_process_group, distributed.new_group

    @functools.wraps(begin)
    def init_process_group(backend=None, *arguments, device_id=None, **keywords):
        return begin(_on_gloo(backend), *arguments, **keywords)

    @functools.wraps(group)
    def new_group(ranks=None, timeout=None, backend=None, *arguments, device_id=None, **keywords):
        return group(ranks, timeout, _on_gloo(backend), *arguments, **keywords)

    for name, function in (("init_process_group", init_process_group), ("new_group", new_group),
                           ("is_nccl_available", lambda: True)):
        setattr(distributed, name, function)
        setattr(distributed.distributed_c10d, name, function)


# ---- memory --------------------------------------------------------------------------------------

class _Allocation:
    """Memory of this process that others can map, and what they have mapped of it."""

    def __init__(self, torch, bytes_):
        self.bytes = bytes_
        self.file = os.memfd_create("tessera-symmetric", os.MFD_CLOEXEC)
        os.ftruncate(self.file, bytes_ + _SIGNALS)
        self.map = mmap.mmap(self.file, bytes_ + _SIGNALS)
        self.tensor = torch.frombuffer(self.map, dtype=torch.uint8)
        self.address = self.tensor.data_ptr()
        self.handles = {}


_allocations = []


def _allocation_of(tensor):
    address = tensor.data_ptr()
    for allocation in _allocations:
        if 0 <= address - allocation.address <= allocation.bytes:
            return allocation, address - allocation.address
    raise RuntimeError("rendezvous: the tensor is not of symmetric memory; make it by "
                       "torch.distributed._symmetric_memory.empty(...)")


def _view(torch, memory, offset, sizes, dtype):
    """A tensor of bytes as one of `sizes`, from `offset` bytes on."""
    count = 1
    for size in sizes:
        count *= size
    end = offset + count * dtype.itemsize
    if end > memory.numel():
        raise RuntimeError("a tensor of %d bytes from byte %d on is larger than the memory, which has "
                           "%d" % (end - offset, offset, memory.numel()))
    return memory[offset:end].view(dtype).view(*sizes)


class Handle:
    """Symmetric memory of a group of processes, as PyTorch's `_SymmetricMemory`."""

    multicast_ptr = 0

    def __init__(self, torch, allocation, offset, group):
        distributed = torch.distributed
        self._torch, self._group, self.offset = torch, group, offset
        self.rank, self.world_size = distributed.get_rank(group), distributed.get_world_size(group)
        self.buffer_size, self.signal_pad_size = allocation.bytes, _SIGNALS
        self.device = torch.device("cuda", 0)
        said = [None] * self.world_size
        own = (os.uname().nodename, os.getpid(), allocation.file, allocation.bytes, offset)
        distributed.all_gather_object(said, own, group=group)
        self._check(said)
        self._memory = [allocation.tensor if rank == self.rank else self._map(*said[rank][1:4])
                        for rank in range(self.world_size)]
        self.buffer_ptrs = [memory.data_ptr() for memory in self._memory]
        self.signal_pad_ptrs = [address + self.buffer_size for address in self.buffer_ptrs]
        self._tables = [torch.tensor(addresses, dtype=torch.int64)
                        for addresses in (self.buffer_ptrs, self.signal_pad_ptrs)]
        self.buffer_ptrs_dev, self.signal_pad_ptrs_dev = (t.data_ptr() for t in self._tables)
        distributed.barrier(group)  # nobody gives memory back before all have mapped it

    def _check(self, said):
        machine, _, _, bytes_, offset = said[self.rank]
        for rank, (other_machine, _, _, other_bytes, other_offset) in enumerate(said):
            if other_machine != machine:
                raise RuntimeError("rendezvous: rank %d is on another machine (%s), whose memory this "
                                   "one cannot reach" % (rank, other_machine))
            if (other_bytes, other_offset) != (bytes_, offset):
                raise RuntimeError(
                    "rendezvous: rank %d comes with byte %d of %d bytes, this one (rank %d) with byte "
                    "%d of %d; all take the same" % (rank, other_offset, other_bytes, self.rank,
                                                    offset, bytes_))

    def _map(self, process, file, bytes_):
        opened = os.open("/proc/%d/fd/%d" % (process, file), os.O_RDWR)
        try:
            memory = mmap.mmap(opened, bytes_ + _SIGNALS)
        finally:
            os.close(opened)
        return self._torch.frombuffer(memory, dtype=self._torch.uint8)

    # ---- tensors of a rank

    def _peer(self, rank):
        if not 0 <= rank < self.world_size:
            raise RuntimeError("there is no rank %d among %d" % (rank, self.world_size))
        return self._memory[rank]

    def get_buffer(self, rank, sizes, dtype, storage_offset=0):
        memory = self._peer(rank)[:self.buffer_size]
        return _view(self._torch, memory, self.offset + storage_offset * dtype.itemsize, sizes, dtype)

    def get_remote_tensor(self, peer, sizes, dtype):
        return self.get_buffer(peer, sizes, dtype)

    def get_signal_pad(self, rank, sizes=(), dtype=None, storage_offset=0):
        dtype = dtype or self._torch.uint32
        pad = self._peer(rank)[self.buffer_size:]
        if not sizes:
            sizes = (_SIGNALS // dtype.itemsize - storage_offset,)
        return _view(self._torch, pad, storage_offset * dtype.itemsize, sizes, dtype)

    # ---- order

    def barrier(self, channel=0, timeout_ms=0):
        """All ranks; what they have written before can be read."""
        self._torch.distributed.barrier(self._group)

    def _word(self, rank, channel, by):
        index = channel * self.world_size + by
        if not 0 <= index < _SIGNALS // 4:
            raise RuntimeError("channel %d: there are %d" % (channel, _SIGNALS // 4 // self.world_size))
        return ctypes.c_uint32.from_address(self.signal_pad_ptrs[rank] + 4 * index)

    def _wait(self, word, value, what, timeout_ms):
        begin = time.monotonic()
        while word.value != value:
            if timeout_ms and time.monotonic() - begin > timeout_ms / 1000:
                raise RuntimeError("%s: not within %d ms (rank %d)" % (what, timeout_ms, self.rank))
            time.sleep(0)

    def put_signal(self, dst_rank, channel=0, timeout_ms=0):
        word = self._word(dst_rank, channel, self.rank)
        self._wait(word, 0, "put_signal to rank %d, which has not taken the last one" % dst_rank,
                   timeout_ms)
        word.value = 1

    def wait_signal(self, src_rank, channel=0, timeout_ms=0):
        word = self._word(self.rank, channel, src_rank)
        self._wait(word, 1, "wait_signal from rank %d" % src_rank, timeout_ms)
        word.value = 0


def _make_class(torch):
    """What stands for PyTorch's class: functions of memory that are not methods of a handle."""

    class SymmetricMemory(Handle):
        @staticmethod
        def empty_strided_p2p(size, stride, dtype, device, group_name=None, alloc_id=None):
            count = 1 + sum((n - 1) * step for n, step in zip(size, stride)) if 0 not in size else 0
            allocation = _Allocation(torch, max(count * dtype.itemsize + 15 & ~15, 16))
            _allocations.append(allocation)
            return allocation.tensor[:count * dtype.itemsize].view(dtype).as_strided(size, stride)

        @staticmethod
        def rendezvous(tensor, group_name=None):
            allocation, offset = _allocation_of(tensor)
            name = group_name or torch.distributed.group.WORLD.group_name
            if (name, offset) not in allocation.handles:
                group = torch.distributed.distributed_c10d._resolve_process_group(name)
                handle = SymmetricMemory(torch, allocation, offset, group)
                allocation.handles[name, offset] = handle
            return allocation.handles[name, offset]

        @staticmethod
        def is_symm_mem_tensor(tensor):
            address = tensor.data_ptr()
            return any(0 <= address - x.address < x.bytes for x in _allocations)

        @staticmethod
        def has_multicast_support(device_type, device_index):
            return False

        @staticmethod
        def set_group_info(group_name, rank, world_size, store):
            pass

        @staticmethod
        def set_backend(name):
            pass

        @staticmethod
        def get_backend(device):
            return "CUDA"

        @staticmethod
        def get_mempool_allocator(device):
            raise RuntimeError("pools of symmetric memory are CUDA's: make tensors by "
                               "torch.distributed._symmetric_memory.empty(...)")

    return SymmetricMemory


def patch_symmetric(torch, module):
    """Gives torch.distributed._symmetric_memory memory of the host."""
    module._SymmetricMemory = _make_class(torch)
    module._should_use_implicit_mempool = lambda: False
    module.enable_symm_mem_for_group = lambda group_name: None
    module.is_symm_mem_enabled_for_group = lambda group_name: True
