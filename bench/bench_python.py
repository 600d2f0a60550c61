#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, softmax and norms beside PyTorch and NumPy, in one process.

    bench/bench_python.py [part of a title]

scripts/bench runs it (`make bench ONLY=python`) with the Python that TESSERA_BENCH_PYTHON names, or
python3. Sides take turns, run by run, and each side's shortest run counts, as in bench/bench.h; each
result is compared with Tessera's. A side whose package is missing is left out, and that is said.
"""
import os
import sys
import time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(REPOSITORY, "python"))
SECONDS = 0.5


def hold_peers():
    """Others may use no more than TESSERA_MACHINE leaves; they read these before they are loaded."""
    limits = {"avx2": ("Haswell", "AVX2", "avx2"), "baseline": ("Nehalem", "SSE41", "default")}
    limit = limits.get(os.environ.get("TESSERA_MACHINE"))
    if limit:
        os.environ["OPENBLAS_CORETYPE"], os.environ["ONEDNN_MAX_CPU_ISA"] = limit[:2]
        os.environ["MKL_ENABLE_INSTRUCTIONS"] = "AVX2" if limit[1] == "AVX2" else "SSE4_2"
        os.environ["ATEN_CPU_CAPABILITY"] = limit[2]


hold_peers()

try:
    import numpy as np
except ImportError:
    print("Beside PyTorch and NumPy: left out, this Python has no NumPy "
          "(TESSERA_BENCH_PYTHON names another)")
    sys.exit(0)
import tessera

try:
    import torch
except ImportError:
    torch = None


def record(title, side, times, work, unit):
    path = os.environ.get("TESSERA_BENCH_RECORD")
    if not path:
        return
    with open(path, "a") as out:
        out.write("\t".join(["Beside PyTorch and NumPy", title, side, f"{min(times):.9f}",
                             f"{sorted(times)[len(times) // 2]:.9f}", f"{work:.0f}", unit]) + "\n")


def measure(title, work, unit, sides):
    """sides: name -> function; the first is Tessera's. Each returns its result."""
    times = {name: [] for name in sides}
    results = {name: run() for name, run in sides.items()}
    for name, result in results.items():
        first = results["Tessera"]
        narrow = result.dtype == np.uint16
        if narrow:
            result, first = from_bf16(result), from_bf16(first)
        if not np.allclose(result, first, rtol=2e-2 if narrow else 1e-3, atol=5e-3 if narrow else 1e-4):
            sys.exit(f"{title}: {name} gives another result than Tessera")
    end = time.perf_counter() + SECONDS * len(sides)
    while time.perf_counter() < end:
        for name, run in sides.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    print(title)
    ours = min(times["Tessera"])
    for name in sides:
        best = min(times[name])
        ratio = "" if name == "Tessera" else f"   Tessera does {best / ours:.2f} of it"
        print(f"  {name:<16} {best * 1e3:9.3f} ms {work / best * 1e-9:10.1f} {unit}{ratio}")
        record(title, name, times[name], work, unit)


def load(file, name, device):
    return tessera.load(os.path.join(REPOSITORY, "kernels", file)).kernel(name, device)


def to_bf16(x):
    """The upper halves of f32, rounded to nearest even."""
    bits = x.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def attention(device, elem, heads, tokens, width, causal=False, group=1):
    """`group` heads of queries share the keys and values of one."""
    random = np.random.default_rng(1)
    q, k, v = (random.standard_normal((n, tokens, width), dtype=np.float32)
               for n in (heads, heads // group, heads // group))
    if elem == "bf16":
        q, k, v = map(to_bf16, (q, k, v))
    out = np.zeros_like(q)
    kernel = load("attention.mlir", f"attention_{elem}_{width}", device)
    scale = width ** -0.5

    def ours():
        kernel[(tokens + 63) // 64, heads](q, k, v, out, tokens, tokens, heads, group, scale,
                                           int(causal))
        return out

    sides = {"Tessera": ours}
    if torch:
        tensors = [torch.from_numpy(x)[None] for x in (q, k, v)]
        if elem == "bf16":
            tensors = [t.view(torch.bfloat16) for t in tensors]
        product = torch.nn.functional.scaled_dot_product_attention

        def theirs():
            result = product(*tensors, is_causal=causal, enable_gqa=group > 1)[0]
            return (result.view(torch.uint16) if elem == "bf16" else result).numpy()

        sides["PyTorch"] = theirs
    flops = 4.0 * heads * tokens * tokens * width * (0.5 if causal else 1)
    title = (f"attention {elem}, {heads} x {tokens} x {width}" +
             (f", {group} heads share keys" if group > 1 else "") + (", causal" if causal else ""))
    return title, flops, "GFLOP/s", sides


def softmax(device, rows, columns):
    """Rows of up to 1024 elements."""
    x = np.random.default_rng(2).standard_normal((rows, columns), dtype=np.float32)
    y = np.zeros_like(x)
    kernel = load("row_softmax.mlir", "softmax_f32_1024", device)

    def ours():
        kernel[(rows + 3) // 4](x, y, rows, columns)
        return y

    def numpy():
        e = np.exp(x - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    sides = {"Tessera": ours, "NumPy": numpy}
    if torch:
        t = torch.from_numpy(x)
        sides["PyTorch"] = lambda: torch.softmax(t, 1).numpy()
    return f"softmax of {rows} rows of {columns}", 2.0 * x.nbytes, "GB/s", sides


def rmsnorm(device, rows, columns):
    random = np.random.default_rng(3)
    x = random.standard_normal((rows, columns), dtype=np.float32)
    w = random.standard_normal(columns, dtype=np.float32)
    y = np.zeros_like(x)
    kernel = load("norm.mlir", "rmsnorm_f32", device)
    epsilon = 1e-6

    def ours():
        kernel[rows](x, w, y, rows, columns, epsilon)
        return y

    def numpy():
        mean = np.mean(x * x, axis=1, keepdims=True)
        return x / np.sqrt(mean + np.float32(epsilon)) * w

    sides = {"Tessera": ours, "NumPy": numpy}
    if torch:
        t, weight = torch.from_numpy(x), torch.from_numpy(w)
        sides["PyTorch"] = lambda: torch.nn.functional.rms_norm(t, (columns,), weight,
                                                                epsilon).numpy()
    return f"RMSNorm of {rows} rows of {columns}", 2.0 * x.nbytes, "GB/s", sides


def main():
    print("Beside PyTorch and NumPy, 1 thread")
    print(f"  NumPy {np.__version__}, " +
          (f"PyTorch {torch.__version__}" if torch else "PyTorch is not installed: left out"))
    device = tessera.Device("cpu", threads=1)
    if torch:
        torch.set_num_threads(1)
    cases = [lambda: attention(device, "f32", 8, 512, 64),
             lambda: attention(device, "f32", 8, 2048, 64, causal=True),
             lambda: attention(device, "f32", 8, 2048, 128),
             lambda: attention(device, "f32", 2, 8192, 128, causal=True, group=2),
             lambda: attention(device, "bf16", 8, 512, 64),
             lambda: attention(device, "bf16", 8, 2048, 64, causal=True),
             lambda: attention(device, "bf16", 8, 2048, 128),
             lambda: attention(device, "bf16", 8, 2048, 128, group=4),
             lambda: attention(device, "bf16", 2, 8192, 128, causal=True),
             lambda: softmax(device, 4096, 1024),
             lambda: rmsnorm(device, 4096, 1024)]
    for make in cases:
        case = make()
        if len(sys.argv) < 2 or sys.argv[1] in case[0]:
            measure(*case)


if __name__ == "__main__":
    main()
