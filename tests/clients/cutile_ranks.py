# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that share symmetric memory under `tessera exec`, each with a "GPU" of its own: kernels of
cuTile that read and write their peers' tensors, groups of "nccl", signals, and mistakes.

Prints a line for each thing that is right; rank 0 alone, but for mistakes.
"""
import socket
import sys

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symm_mem
import torch.multiprocessing as mp
import cuda.tile as ct

TILE = 64


@ct.kernel
def sum_of_all(inputs, out, n: ct.Constant[int], tile: ct.Constant[int]):
    i = ct.bid(0)
    total = ct.load(inputs[0], index=(i,), shape=(tile,))
    for k in range(1, n):
        total = total + ct.load(inputs[k], index=(i,), shape=(tile,))
    ct.store(out, index=(i,), tile=total)


@ct.kernel
def write_to_next(inputs, x, to, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(inputs[to], index=(i,), tile=ct.load(x, index=(i,), shape=(tile,)))


def check(rank, what, good):
    if not good:
        raise AssertionError("rank %d: %s" % (rank, what))
    if rank == 0:
        print(what, "is right", flush=True)


def operators(rank, size, device):
    x = torch.full((8,), float(rank + 1), device=device)
    dist.all_reduce(x)
    check(rank, "all_reduce", torch.equal(x, torch.full((8,), size * (size + 1) / 2)))
    parts = torch.empty(size * 2, device=device)
    dist.all_gather_into_tensor(parts, torch.full((2,), float(rank), device=device))
    check(rank, "all_gather", parts.tolist() == [float(k // 2) for k in range(2 * size)])
    pair = dist.new_group([0, 1], backend="nccl")
    if rank < 2:
        y = torch.ones(3, device=device)
        dist.all_reduce(y, group=pair)
        check(rank, "a group of two", y.tolist() == [2.0] * 3)


def kernels(rank, size, device, group):
    n = 4 * TILE
    x = symm_mem.empty(n, device=device)
    x.copy_(torch.arange(n, device=device, dtype=torch.float32) + 1000 * rank)
    handle = symm_mem.rendezvous(x, group.group_name)
    check(rank, "a handle that is there", symm_mem.rendezvous(x, group.group_name) is handle)
    buffers = [handle.get_buffer(k, x.shape, x.dtype, 0) for k in range(size)]
    check(rank, "buffer_ptrs", [b.data_ptr() for b in buffers] == list(handle.buffer_ptrs))
    handle.barrier()
    out = torch.empty(n, device=device)
    stream = torch.cuda.current_stream()
    ct.launch(stream, (4,), sum_of_all, (buffers, out, size, TILE))
    expected = size * torch.arange(n, dtype=torch.float32) + 1000 * (size * (size - 1) // 2)
    check(rank, "a kernel that reads peers", torch.equal(out, expected))
    handle.barrier()
    ct.launch(stream, (4,), write_to_next, (buffers, torch.full((n,), float(rank)), (rank + 1) % size, TILE))
    handle.barrier()
    check(rank, "a kernel that writes at a peer", torch.equal(x, torch.full((n,), float((rank - 1) % size))))


def signals(rank, size, device, group):
    x = symm_mem.empty((2, 3), dtype=torch.int32, device=device)
    handle = symm_mem.rendezvous(x, group)
    following, before = (rank + 1) % size, (rank - 1) % size
    for turn in range(3):
        handle.get_buffer(following, (2, 3), torch.int32).fill_(10 * rank + turn)
        handle.put_signal(following)
        handle.wait_signal(before)
        check(rank, "a signal after what was written", x.tolist() == [[10 * before + turn] * 3] * 2)
        handle.barrier()
    check(rank, "no multicast", handle.multicast_ptr == 0)
    if rank == 0:
        try:
            handle.wait_signal(before, channel=1, timeout_ms=50)
        except RuntimeError as error:
            print(error, flush=True)
    handle.barrier()


def mistakes(rank, size, device, group):
    ordinary = torch.empty(4, device=device)
    other = symm_mem.empty(4 + 4 * rank, device=device)
    for tensor in ordinary, other:
        try:
            symm_mem.rendezvous(tensor, group.group_name)
        except RuntimeError as error:
            if rank == 0:
                print(error, flush=True)
    dist.barrier()


def work(rank, size, port):
    device = torch.device("cuda:%d" % rank)
    dist.init_process_group(backend="nccl", init_method="tcp://localhost:%d" % port, rank=rank, world_size=size,
                            device_id=device)
    group = dist.group.WORLD
    operators(rank, size, device)
    kernels(rank, size, device, group)
    signals(rank, size, device, group)
    mistakes(rank, size, device, group)
    dist.destroy_process_group()


def main():
    size = torch.cuda.device_count()
    print(size, "devices", flush=True)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    mp.spawn(work, args=(size, port), nprocs=size, join=True)
    print("done")


if __name__ == "__main__":
    sys.exit(main())
