#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton on the shapes of gpu_check, measured as gpu_check does (medians, cold cache): the yardstick of
its lines that is neither cuBLAS nor PyTorch. The kernels are those of triton_kernels.py, with the best
of a few tiles, warps and stages. scripts/gpu-check runs it behind gpu_check where Triton sees a GPU;
elsewhere it prints nothing. With -o FILE the lines are also put behind what FILE holds."""
import itertools

import beside


def main():
    try:
        import torch
        import triton
        import triton_kernels as kernels
        if not torch.cuda.is_available():
            return
    except ImportError:
        return
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    median = beside.timer(torch)

    def best(launches):
        """The least median of those that compile, and what it was."""
        found = (float("inf"), "none compiles")
        for text, launch in launches:
            try:
                found = min(found, (median(launch, 5), text))
            except Exception:  # too many registers, or too much shared memory
                continue
        chosen = dict(launches).get(found[1])
        return (median(chosen, 20), found[1]) if chosen else found

    def random(*shape, dtype=torch.bfloat16):
        return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)

    def gemm(n, dtype):
        a, b = random(n, n, dtype=dtype), random(n, n, dtype=dtype)
        c = torch.empty(n, n, device="cuda", dtype=torch.float32)
        for (bm, bn), bk, warps, stages in itertools.product(
                ((128, 128), (128, 256)), (64,), (4, 8), (3, 4)):
            grid = (triton.cdiv(n, bm), triton.cdiv(n, bn))
            yield ("%d x %d x %d, %d warps, %d stages" % (bm, bn, bk, warps, stages),
                   lambda grid=grid, bm=bm, bn=bn, bk=bk, warps=warps, stages=stages:
                   kernels.gemm_described[grid](a, b, c, n, n, n, bm, bn, bk, num_warps=warps,
                                                num_stages=stages))

    def attention(tokens):
        heads, width = 16, 128
        q, k, v, o = (random(heads * tokens, width) for _ in range(4))
        for bm, bn, warps, stages in itertools.product((64, 128), (64, 128), (4, 8), (2, 3)):
            grid = (tokens // bm, heads)
            yield ("%d x %d, %d warps, %d stages" % (bm, bn, warps, stages),
                   lambda grid=grid, bm=bm, bn=bn, warps=warps, stages=stages:
                   kernels.attention_described[grid](q, k, v, o, tokens, width ** -0.5, bm, bn, width,
                                                     num_warps=warps, num_stages=stages))

    def softmax(r, c):
        x, y = (torch.randn(r, c, device="cuda") for _ in range(2))
        for warps in 4, 8, 16:
            yield ("%d warps" % warps,
                   lambda warps=warps: kernels.softmax[(r,)](x, y, c, c, num_warps=warps))

    lines = ["", "Triton %s beside the lines above, the best of a few tiles:" % triton.__version__, "",
             "| work | time | rate | form |", "|---|---|---|---|"]

    def put(work, amount, unit, launches):
        us, form = best(list(launches))
        scale = 1e-6 if unit == "TFLOP/s" else 1e-3
        lines.append("| %s | %.1f µs | %.1f %s | %s |" % (work, us, amount / us * scale, unit, form))

    for n in 4096, 8192:
        put("GEMM bf16 %d x %d x %d" % (n, n, n), 2 * n ** 3, "TFLOP/s", gemm(n, torch.bfloat16))
    for tokens in 4096, 16384:
        put("attention bf16, %d tokens, 16 heads of 128" % tokens, 4 * 16 * tokens * tokens * 128,
            "TFLOP/s", attention(tokens))
    put("softmax f32, 32768 x 4096", 8 * 32768 * 4096, "GB/s", softmax(32768, 4096))
    beside.put(lines)


if __name__ == "__main__":
    main()
