#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's flash attention on the shapes of gpu_check, measured as gpu_check does: the yardstick of
its attention lines. scripts/gpu-check runs it behind gpu_check where PyTorch sees a GPU; elsewhere it
prints nothing. With -o FILE the lines are also put behind what FILE holds."""
import beside


def main():
    try:
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel
        if not torch.cuda.is_available():
            return
    except ImportError:
        return
    heads, width = 16, 128
    median = beside.timer(torch)
    lines = ["", "PyTorch %s, flash attention, beside the attention lines above:" % torch.__version__, "",
             "| work | time | rate |", "|---|---|---|"]
    for tokens in 4096, 8192, 16384:
        for causal in False, True:
            q, k, v = (torch.randn(1, heads, tokens, width, dtype=torch.bfloat16, device="cuda")
                       for _ in range(3))
            with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
                us = median(lambda: torch.nn.functional.scaled_dot_product_attention(
                    q, k, v, is_causal=causal))
            flop = 4 * heads * tokens * tokens * width / (2 if causal else 1)
            lines.append("| attention bf16, %d tokens, %d heads of %d%s | %.1f µs | %.1f TFLOP/s |" % (
                tokens, heads, width, ", causal" if causal else "", us, flop / us * 1e-6))
    beside.put(lines)


if __name__ == "__main__":
    main()
