#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's flash attention on the shapes of gpu_check, measured as gpu_check does: the yardstick of
its attention lines. scripts/gpu-check runs it behind gpu_check where PyTorch sees a GPU; elsewhere it
prints nothing. With -o FILE the lines are also put behind what FILE holds."""
import sys


def main():
    try:
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel
        if not torch.cuda.is_available():
            return
    except ImportError:
        return
    heads, width = 16, 128
    flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
    lines = ["", "PyTorch %s, flash attention, beside the attention lines above:" % torch.__version__, "",
             "| work | time | rate |", "|---|---|---|"]
    for tokens in 4096, 8192, 16384:
        for causal in False, True:
            q, k, v = (torch.randn(1, heads, tokens, width, dtype=torch.bfloat16, device="cuda")
                       for _ in range(3))

            def once():
                flush.fill_(1)
                begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
                begin.record()
                torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
                end.record()
                end.synchronize()
                return begin.elapsed_time(end) * 1e3

            with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                times = sorted([once() for _ in range(53)][3:])
            us = (times[24] + times[25]) / 2
            flop = 4 * heads * tokens * tokens * width / (2 if causal else 1)
            lines.append("| attention bf16, %d tokens, %d heads of %d%s | %.1f µs | %.1f TFLOP/s |" % (
                tokens, heads, width, ", causal" if causal else "", us, flop / us * 1e-6))
    text = "\n".join(lines) + "\n"
    print(text)
    if "-o" in sys.argv[:-1]:
        with open(sys.argv[sys.argv.index("-o") + 1], "a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
