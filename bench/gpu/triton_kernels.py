# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels for Triton with the forms and tiles of those in kernels/, for instructions.py: only compiled."""
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def gemm_described(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    a = tl.make_tensor_descriptor(A, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(B, [K, N], [N, 1], [BK, BN])
    c = tl.make_tensor_descriptor(C, [M, N], [N, 1], [BM, BN])
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(a.load([i, k]), b.load([k, j]), total)
    c.store([i, j], total.to(C.dtype.element_ty))


@triton.jit
def gemm(A, B, C, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = (tl.program_id(0) * BM + tl.arange(0, BM)) % M
    j = (tl.program_id(1) * BN + tl.arange(0, BN)) % N
    ks = tl.arange(0, BK)
    a, b = A + i[:, None] * K + ks[None, :], B + ks[:, None] * N + j[None, :]
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a, mask=ks[None, :] < K - k, other=0.0)
        y = tl.load(b, mask=ks[:, None] < K - k, other=0.0)
        total = tl.dot(x, y, total)
        a += BK
        b += BK * N
    i, j = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    tl.store(C + i[:, None] * N + j[None, :], total, mask=(i[:, None] < M) & (j[None, :] < N))


@triton.jit
def attention_described(Q, K, V, O, tokens, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """All keys are seen, and their number is a multiple of a tile's: no mask."""
    i, head = tl.program_id(0) * BM, tl.program_id(1) * tokens
    rows = tl.num_programs(1) * tokens
    q_of = tl.make_tensor_descriptor(Q, [rows, D], [D, 1], [BM, D])
    k_of = tl.make_tensor_descriptor(K, [rows, D], [D, 1], [BN, D])
    v_of = tl.make_tensor_descriptor(V, [rows, D], [D, 1], [BN, D])
    o_of = tl.make_tensor_descriptor(O, [rows, D], [D, 1], [BM, D])
    q = q_of.load([head + i, 0])
    m, l = tl.full((BM,), float("-inf"), tl.float32), tl.zeros((BM,), tl.float32)
    o = tl.zeros((BM, D), tl.float32)
    scale *= 1.44269504
    for j in range(0, tokens, BN):
        s = tl.dot(q, k_of.load([head + j, 0]).T)
        m_next = tl.maximum(m, tl.max(s, 1) * scale)
        p = tl.math.exp2(s * scale - m_next[:, None])
        shrink = tl.math.exp2(m - m_next)
        l = l * shrink + tl.sum(p, 1)
        o = tl.dot(p.to(tl.bfloat16), v_of.load([head + j, 0]), o * shrink[:, None])
        m = m_next
    o_of.store([head + i, 0], (o / l[:, None]).to(tl.bfloat16))


@triton.jit
def attention_masked(Q, K, V, O, tokens, scale, causal, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    """Every tile is masked."""
    i, head = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1).to(tl.int64) * tokens * D
    d, js = tl.arange(0, D), tl.arange(0, BN)
    q = tl.load(Q + head + i[:, None] * D + d[None, :], mask=i[:, None] < tokens, other=0.0)
    m, l = tl.full((BM,), -1e30, tl.float32), tl.zeros((BM,), tl.float32)
    o = tl.zeros((BM, D), tl.float32)
    scale *= 1.44269504
    limit = tl.where(causal != 0, tl.minimum(i, tokens - 1), tokens - 1)
    end = tl.where(causal != 0, tl.minimum(tl.program_id(0) * BM + BM, tokens), tokens)
    for j in range(0, end, BN):
        key = j + js
        k = tl.load(K + head + key[:, None] * D + d[None, :], mask=key[:, None] < tokens, other=0.0)
        s = tl.dot(q, k.T)
        s = tl.where(key[None, :] <= limit[:, None], s * scale, float("-inf"))
        m_next = tl.maximum(m, tl.max(s, 1))
        p = tl.math.exp2(s - m_next[:, None])
        shrink = tl.math.exp2(m - m_next)
        l = l * shrink + tl.sum(p, 1)
        v = tl.load(V + head + key[:, None] * D + d[None, :], mask=key[:, None] < tokens, other=0.0)
        o = tl.dot(p.to(tl.bfloat16), v, o * shrink[:, None])
        m = m_next
    o = o / tl.maximum(l, 1e-30)[:, None]
    tl.store(O + head + i[:, None] * D + d[None, :], o.to(tl.bfloat16), mask=i[:, None] < tokens)


@triton.jit
def softmax(X, Y, columns, SIZE: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64) * columns, tl.arange(0, SIZE)
    x = tl.load(X + row + at, mask=at < columns, other=float("-inf"))
    e = tl.exp(x - tl.max(x, 0))
    tl.store(Y + row + at, e / tl.sum(e, 0), mask=at < columns)


@triton.jit
def rmsnorm(X, W, Y, columns, eps, SIZE: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64) * columns, tl.arange(0, SIZE)
    x = tl.load(X + row + at, mask=at < columns, other=0.0)
    w = tl.load(W + at, mask=at < columns, other=0.0)
    r = 1 / tl.sqrt(tl.sum(x * x, 0) / columns + eps)
    tl.store(Y + row + at, x * r * w, mask=at < columns)


def ptx_of(name, types, constants, capability, warps, stages, version):
    """The PTX. `types` are those of the parameters without their names; pointers, and whole numbers
    but for `causal`, are multiples of 16."""
    kernel = globals()[name]
    names = [n for n in kernel.arg_names if n not in constants]
    signature = dict(zip(names, types))
    signature.update({n: "constexpr" for n in constants})
    known = {(kernel.arg_names.index(n),): [["tt.divisibility", 16]] for n in names
             if signature[n] != "fp32" and n != "causal"}
    source = ASTSource(kernel, signature, {(kernel.arg_names.index(n),): v for n, v in constants.items()}, known)
    options = {"num_warps": warps, "num_stages": stages, "ptx_version": version}
    return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options).asm["ptx"]
