#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of Triton's tutorials, and of Liger-Kernel where it is installed, beside PyTorch's operators
on the CPU.

    tessera exec -- python bench/triton_operators.py TUTORIALS [--threads N] [--rounds N] [NAME ...]

TUTORIALS is python/tutorials of a copy of Triton. Both sides are run in turns on the same tensors. The
table has the shortest of all rounds and their ratio: above 1 Tessera takes less. The times of one thread
are milliseconds of the processor, so that a busy machine counts less; those of several are of a clock, as
threads that wait for the others' share count neither more nor less then: stop whatever else runs. Set
TESSERA_THREADS to the same number of threads. The exit status is 0.
"""
import argparse
import os
import runpy
import sys
import time

import torch
import torch.nn.functional as F
import triton


def tutorial(folder, start):
    """What a tutorial defines. Its own checks run, its benchmarks don't."""
    name = next(n for n in sorted(os.listdir(folder)) if n.startswith(start) and n.endswith(".py"))
    return runpy.run_path(os.path.join(folder, name), run_name="__main__")


def randn(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda").to(dtype)


def backwards(run, *inputs):
    """Both passes, as one call. The gradient of the result is a tensor of its own: kernels that are written
    for one that is contiguous would read beyond that of a sum, which is one number expanded."""
    gradient = torch.randn_like(run())

    def call():
        for x in inputs:
            x.grad = None
        run().backward(gradient)
    return call


def tutorials(folder):
    """By name, what makes a pair: Tessera's side and PyTorch's."""
    def add(n):
        x, y, function = randn(n), randn(n), tutorial(folder, "01")["add"]
        return lambda: function(x, y), lambda: x + y

    def softmax(rows, columns):
        x, function = randn(rows, columns), tutorial(folder, "02")["softmax"]
        return lambda: function(x), lambda: torch.softmax(x, -1)

    def matmul(n, dtype):
        a, b, function = randn(n, n, dtype=dtype), randn(n, n, dtype=dtype), tutorial(folder, "03")["matmul"]
        return lambda: function(a, b), lambda: torch.ops.aten.mm(a, b)

    def dropout(n):
        x, function = randn(n), tutorial(folder, "04")["seeded_dropout"]
        return lambda: function(x, 0.5, 7), lambda: F.dropout(x, 0.5)

    def layer_norm(rows, columns, backward=False):
        function = tutorial(folder, "05")["layer_norm"]
        x, w, b = randn(rows, columns), randn(columns), randn(columns)
        if backward:
            for t in (x, w, b):
                t.requires_grad_()
        ours = lambda: function(x, (columns,), w, b, 1e-5)
        theirs = lambda: F.layer_norm(x, (columns,), w, b, 1e-5)
        return (backwards(ours, x, w, b), backwards(theirs, x, w, b)) if backward else (ours, theirs)

    def attention(heads, n, width, causal):
        q, k, v = (randn(1, heads, n, width, dtype=torch.float16) for _ in range(3))
        function, scale = tutorial(folder, "06-fused-attention.py")["attention"], width ** -0.5
        return (lambda: function(q, k, v, causal, scale, False),
                lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=scale))

    def asin(n):
        x = torch.rand(n, device="cuda")
        kernel, out = tutorial(folder, "07")["asin_kernel"], torch.empty(n, device="cuda")
        return lambda: kernel[(triton.cdiv(n, 1024),)](x, out, n, BLOCK_SIZE=1024), lambda: torch.asin(x)

    return {
        "vector add, 64 Ki": lambda: add(1 << 16),
        "vector add, 4 Mi": lambda: add(1 << 22),
        "softmax 1823 x 781": lambda: softmax(1823, 781),
        "softmax 4096 x 1024": lambda: softmax(4096, 1024),
        "matmul f16, 512": lambda: matmul(512, torch.float16),
        "dropout, 1 Mi": lambda: dropout(1 << 20),
        "layer norm 1024 x 1024": lambda: layer_norm(1024, 1024),
        "layer norm 4096 x 512": lambda: layer_norm(4096, 512),
        "layer norm 1024 x 1000": lambda: layer_norm(1024, 1000),
        "layer norm, both passes, 1024 x 1024": lambda: layer_norm(1024, 1024, True),
        "attention f16, 8 x 1024 x 64": lambda: attention(8, 1024, 64, False),
        "attention f16, 8 x 1024 x 64, causal": lambda: attention(8, 1024, 64, True),
        "asin, 1 Mi": lambda: asin(1 << 20),
    }


def liger():
    try:
        from liger_kernel import ops
    except ImportError:
        return {}

    def rms_norm():
        x, w = randn(1024, 1024), randn(1024)
        return (lambda: ops.LigerRMSNormFunction.apply(x, w, 1e-6, 0.0, "llama", False),
                lambda: F.rms_norm(x, (1024,), w, 1e-6))

    def layer_norm():
        x, w, b = randn(1024, 1024), randn(1024), randn(1024)
        return (lambda: ops.LigerLayerNormFunction.apply(x, w, b, 1e-6),
                lambda: F.layer_norm(x, (1024,), w, b, 1e-6))

    def softmax():
        x = randn(1024, 1024)
        return lambda: ops.LigerSoftmaxFunction.apply(x), lambda: torch.softmax(x, -1)

    def swiglu():
        a, b = randn(1024, 1024), randn(1024, 1024)
        return lambda: ops.LigerSiLUMulFunction.apply(a, b), lambda: F.silu(a) * b

    def geglu():
        a, b = randn(1024, 1024), randn(1024, 1024)
        return lambda: ops.LigerGELUMulFunction.apply(a, b), lambda: F.gelu(a, approximate="tanh") * b

    def cross_entropy():
        x, y = randn(512, 4096), torch.randint(0, 4096, (512,), device="cuda")

        def ours():
            return ops.LigerCrossEntropyFunction.apply(x.clone().requires_grad_(), y, None)

        def theirs():
            z = x.clone().requires_grad_()
            F.cross_entropy(z, y).backward()
        return ours, theirs

    return {"Liger " + f.__name__.replace("_", " "): f for f in (rms_norm, layer_norm, softmax, swiglu, geglu,
                                                                cross_entropy)}


def once(call, n):
    if torch.get_num_threads() > 1:
        time.sleep(0.25)  # until threads of the other side no longer wait for work by turning in circles
        call()
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    begin = clock()
    for _ in range(n):
        call()
    return 1e3 * (clock() - begin) / n


def compare(make, rounds):
    """The shortest times of both."""
    ours, theirs = make()
    ours(), theirs()
    n = max(1, int(10 / max(once(theirs, 2), 1e-3)))
    pairs = [(once(ours, n), once(theirs, n)) for _ in range(rounds)]
    return [min(side) for side in zip(*pairs)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tutorials")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=25)
    args = parser.parse_intermixed_args()
    torch.set_num_threads(args.threads)
    triton.testing.Mark.run = lambda self, *_args, **_named: None
    print("| kernel | ms Tessera | PyTorch | PyTorch / Tessera |\n|---|---|---|---|", flush=True)
    for name, make in {**tutorials(args.tutorials), **liger()}.items():
        if args.names and not any(part in name for part in args.names):
            continue
        try:
            sys.stdout, silent = open(os.devnull, "w"), sys.stdout
            ours, theirs = compare(make, args.rounds)
        finally:
            sys.stdout = silent
        print("| %s | %.3f | %.3f | %.2f |" % (name, ours, theirs, theirs / ours), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
