# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels written in Python become the code of the same kernels in kernels/."""
import collections
import re

import numpy as np

import tessera
import tessera.lang as tl


@tessera.kernel
def softmax(x, y, *, COLUMNS):
    row = tl.program_id(0)
    v = tl.load(x, (row, 0), (1, COLUMNS), padding=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=1, keepdims=True))
    tl.store(y, (row, 0), e / tl.sum(e, axis=1, keepdims=True))


@tessera.kernel
def gemm(a, b, c, *, M, N, K):
    i, j = tl.program_id(0), tl.program_id(1)
    acc = tl.zeros((M, N))
    for k in range(tl.num_tiles(a, 1, (M, K))):
        acc = tl.mma(tl.load(a, (i, k), (M, K)), tl.load(b, (k, j), (K, N)), acc)
    tl.store(c, (i, j), acc)


def only(path, name):
    """The module with one of its kernels."""
    with open(path, encoding="utf-8") as file:
        kernels = re.split(r"(?=^  entry )", file.read().rstrip().rstrip("}"), flags=re.M)
    return tessera.Module(kernels[0] + next(k for k in kernels if "@%s(" % name in k) + "}")


def decisions(module):
    """What the CPU backend decided, without names and lines."""
    return re.sub(r"[%@][\w#$.-]+|, line \d+", "", module.emit("nests").decode())


def instructions(code, pattern):
    return collections.Counter(re.findall(pattern, code.decode(), re.M))


def same_on_cpu(ours, theirs):
    assert decisions(ours) == decisions(theirs)
    vector = r"^\s+(v[a-z0-9]+)\s"
    assert instructions(ours.emit("asm", "avx2"), vector) == instructions(
        theirs.emit("asm", "avx2"), vector)


def same_on_gpu(ours, theirs):
    """All but addresses: copies, products, functions, barriers."""
    work = r"^\s+(?:@%\w+ )?((?:wgmma|mma|cp|ex2|bar|fma|div.full|max.f|add.rn|ld.shared|st.global)[\w.:]*)"
    ours, theirs = (m.emit("ptx", target="sm_90a") for m in (ours, theirs))
    assert instructions(ours, work) == instructions(theirs, work)


def test_softmax():
    x = np.zeros((4, 4096), np.float32)
    ours = softmax.compile(x, x.copy(), COLUMNS=4096).module
    theirs = only("kernels/softmax.mlir", "softmax_f32_4096")
    same_on_cpu(ours, theirs)
    same_on_gpu(ours, theirs)


def test_gemm():
    a = np.zeros((64, 64), np.float32)
    ours = gemm.compile(a, a.copy(), a.copy(), M=64, N=64, K=64).module
    same_on_cpu(ours, only("kernels/gemm.mlir", "gemm_f32_64x64x64"))


def test_gemm_on_tensor_cores():
    a, c = np.zeros((64, 64), np.float16), np.zeros((64, 64), np.float32)
    ours = gemm.compile(a, a.copy(), c, M=128, N=128, K=64).module
    same_on_gpu(ours, only("kernels/gemm.mlir", "gemm_f16_128x128x64"))
