#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Packs what gpu_check runs on a machine with a GPU (gpu_check.h says what a bundle holds).

  pack.py FOLDER [--target sm_90a] [--build BUILD] [--quick] [--only PART_OF_A_NAME,...]

The target is one of NVIDIA's, or one or several of AMD's (gfx90a,gfx942), of which amd is all.

Checks: kernels of kernels/ and the programs of tests/run with what the interpreter leaves, and
tests/ptx with what the emulator leaves. Benchmarks bring no results; gpu_check computes samples.
With --quick benchmarks are tiny, for trying it all out on the emulator.
"""
import argparse
import glob
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT = 64 << 20  # bytes of a bundle
AMD = "gfx90a,gfx942,gfx950,gfx1100,gfx1200"
POINTER = 1 << 40  # parameter i is given this address times i + 1 to learn what maps are made of


def ceil(a, b):
    return -(-a // b)


def words(text):
    return text.split()


# ---- checks of kernels/ --------------------------------------------------------------------------
# (file, kernel, grid, arguments of `tessera run`, rtol, atol); what is exact has 0 and 0.

def product(file, kernel, tile, a="f32", b=None, c="f32", rtol=1e-4, atol=1e-4, sizes=(150, 136, 72),
            extra="", shapes=None, how="normal"):
    m, n, k = sizes
    shapes = shapes or ("%dx%d" % (m, k), "%dx%d" % (k, n))
    grid = "%d,%d" % (ceil(m, tile[0]), ceil(n, tile[1]))
    args = "%s:%s:%s %s:%s:%s C=zeros:%s:%dx%d i32:%d i32:%d i32:%d %s" % (
        how, a, shapes[0], how, b or a, shapes[1], c, m, n, m, n, k, extra)
    return (file, kernel, grid, args, rtol, atol)


def rows(file, kernel, r, c, middle="", tail="", per_block=1, outs="Y=zeros:f32:{r}x{c}", rtol=1e-5,
         atol=1e-6):
    args = "normal:f32:{r}x{c} %s %s i32:{r} i32:{c} %s" % (middle, outs, tail)
    return (file, kernel, str(ceil(r, per_block)), args.format(r=r, c=c), rtol, atol)


def kernel_checks(npy):
    """`npy` writes a file of whole numbers and gives its path."""
    square = (128, 128)
    checks = [
        ("saxpy", "saxpy_f32", "3", "normal:f32:9000 y=normal:f32:9000 f32:3 i64:9000", 0, 0),
        ("vector", "copy_f32", "3", "normal:f32:9000 y=zeros:f32:9000 i64:9000", 0, 0),
        ("vector", "add_f32", "3", "normal:f32:9000 normal:f32:9000 z=zeros:f32:9000 i64:9000", 0, 0),
        ("vector", "axpby_f32", "3", "normal:f32:9000 normal:f32:9000 z=zeros:f32:9000 f32:3 "
                                     "f32:-0.5 i64:9000", 1e-6, 1e-6),
        *(("math", name + "_f32", "3", "normal:f32:9000 y=zeros:f32:9000 i64:9000", 1e-6, 1e-6)
          for name in ("exp", "exp2", "sin", "cos", "tanh", "erf")),
        *(("math", name + "_f32", "3", "uniform:f32:9000 y=zeros:f32:9000 i64:9000", 1e-6, 1e-6)
          for name in ("log", "log2", "rsqrt")),
        ("math", "pow_f32", "3", "uniform:f32:9000 normal:f32:9000 z=zeros:f32:9000 i64:9000", 1e-6,
         1e-6),
        ("transpose", "transpose_f32", "2,3", "normal:f32:100x170 Y=zeros:f32:170x100 i32:100 i32:170",
         0, 0),
        product("gemm", "gemm_f32_128x128x64", square),
        product("gemm", "gemm_f32_64x64x64", (64, 64)),
        product("gemm", "gemm_f32_128x256x64", (128, 256)),
        product("gemm", "gemm_f64_128x128x64", square, "f64", c="f64", rtol=1e-12, atol=1e-12),
        product("gemm", "gemm_tf32_128x128x64", square, "tf32", rtol=1e-3, atol=1e-2),
        product("gemm", "gemm_bf16_128x128x64", square, "bf16"),
        product("gemm", "gemm_f16_128x128x64", square, "f16"),
        product("gemm", "gemm_f8E4M3FN_128x128x64", square, "f8E4M3FN", rtol=1e-3, atol=1e-2),
        product("gemm", "gemm_f8E5M2_128x128x64", square, "f8E5M2", rtol=1e-3, atol=1e-2),
        product("gemm", "gemm_s8_128x128x64", square, "i8", c="i32", rtol=0, atol=0, how="uniform"),
        product("gemm", "gemm_u8s8_128x128x64", square, "i8", c="i32", rtol=0, atol=0, how="uniform"),
        product("gemm_tiles", "gemm_bf16_128x256x64", (128, 256), "bf16"),
        product("gemm_tiles", "gemm_f16_128x256x64", (128, 256), "f16"),
        product("gemm_tiles", "gemm_bf16_128x64x64", (128, 64), "bf16"),
        product("gemm_tiles", "gemm_bf16_64x128x64", (64, 128), "bf16"),
        product("gemm_tiles", "gemm_nt_f8E4M3FN_128x128x128", square, "f8E4M3FN", rtol=1e-3, atol=1e-2,
                shapes=("150x80", "136x80"), sizes=(150, 136, 80)),
        product("gemm_thin", "gemm_thin_f32_16x1024x16", (16, 1024), sizes=(20, 1100, 40)),
        product("gemm_thin", "gemm_thin_f32_1x1024x32", (1, 1024), sizes=(2, 1100, 40)),
        product("gemm_epilogue", "gemm_bias", square, extra="normal:f32:136"),
        product("gemm_epilogue", "gemm_bias_gelu", square, extra="normal:f32:136", rtol=1e-3),
        product("gemm_epilogue", "gemm_residual", square, extra="normal:f32:150x136"),
        product("gemm_epilogue", "gemm_scale", square, extra="normal:f32:136"),
        product("gemm_layouts", "gemm_tn", square, shapes=("72x150", "72x136")),
        product("gemm_layouts", "gemm_nt", square, shapes=("150x72", "136x72")),
        product("gemm_layouts", "gemm_tt", square, shapes=("72x150", "136x72")),
        product("gemm_layouts", "gemm_strided", square, extra="i32:72 i32:136 i32:136"),
        ("gemm_layouts", "gemm_batched", "1,1,3", "normal:f32:3x60x40 normal:f32:3x40x50 "
         "C=zeros:f32:3x60x50 i32:3 i32:60 i32:50 i32:40", 1e-4, 1e-4),
        ("gemm_layouts", "gemm_grouped", "2,1,2", "normal:f32:150x40 normal:f32:2x40x50 "
         "C=zeros:f32:150x50 %s i32:150 i32:50 i32:40" % npy("starts", [0, 60, 150]), 1e-4, 1e-4),
        rows("softmax", "softmax_f32_4096", 5, 3000),
        rows("row_softmax", "softmax_f32_128", 40, 100, per_block=32),
        rows("row_softmax", "softmax_f32_1024", 7, 1000, per_block=4),
        rows("row_softmax", "softmax_f32", 5, 3000),
        rows("row_softmax", "log_softmax_f32_128", 40, 100, per_block=32),
        rows("row_softmax", "log_softmax_f32_1024", 7, 1000, per_block=4),
        rows("row_softmax", "log_softmax_f32_4096", 5, 3000),
        rows("row_softmax", "log_softmax_f32", 5, 3000),
        rows("rmsnorm", "rmsnorm_f32_4096", 5, 3000, "normal:f32:{c}", "f32:1e-5"),
        rows("norm", "rmsnorm_f32", 5, 3000, "normal:f32:{c}", "f32:1e-5"),
        rows("norm", "add_rmsnorm_f32", 5, 3000, "normal:f32:{r}x{c} normal:f32:{c} zeros:f32:{r}x{c}",
             "f32:1e-5"),
        rows("norm", "layernorm_f32", 5, 3000, "normal:f32:{c} normal:f32:{c}", "f32:1e-5",
             outs="zeros:f32:{r}x{c} zeros:f32:{r} zeros:f32:{r}", atol=1e-5),
        rows("norm", "add_layernorm_f32", 5, 3000,
             "normal:f32:{r}x{c} normal:f32:{c} normal:f32:{c} zeros:f32:{r}x{c}", "f32:1e-5",
             outs="zeros:f32:{r}x{c} zeros:f32:{r} zeros:f32:{r}", atol=1e-5),
        rows("norm", "layernorm_backward_f32", 5, 3000, "normal:f32:{c} normal:f32:{r} ones:f32:{r} "
             "normal:f32:{r}x{c}", atol=1e-4, rtol=1e-4),
        ("norm", "layernorm_backward_weights_f32", "2", "normal:f32:50x100 normal:f32:50 ones:f32:50 "
         "normal:f32:50x100 zeros:f32:100 zeros:f32:100 i32:50 i32:100", 1e-4, 1e-4),
        ("conv2d", "conv2d_f32", "4,1,2", "normal:f32:2x12x10x20 normal:f32:3x3x20x30 "
         "zeros:f32:2x12x10x30 i32:2 i32:12 i32:10 i32:20 i32:30 i32:12 i32:10 i32:3 i32:1 i32:1",
         1e-4, 1e-3),
        ("gather", "gather_rows_f32", "2,2", "normal:f32:40x300 %s zeros:f32:20x300 i32:40 i32:300 "
         "i32:20" % npy("rows", [(i * 7) % 40 for i in range(20)]), 0, 0),
        ("gather", "scatter_rows_f32", "2,2", "normal:f32:20x300 %s zeros:f32:40x300 i32:40 i32:300 "
         "i32:20" % npy("rows", [(i * 7) % 40 for i in range(20)]), 0, 0),
        ("gather", "take_f32", "2", "normal:f32:500 %s zeros:f32:1500 i32:500 i32:1500" %
         npy("places", [(i * 13) % 520 for i in range(1500)]), 0, 0),
        ("histogram", "histogram_i32", "3", "%s zeros:i32:50 i32:3000 i32:50" %
         npy("numbers", [(i * i) % 55 for i in range(3000)]), 0, 0),
        ("reduce", "sum_f32", "2", "uniform:f32:100000 zeros:f32:1 i64:100000", 1e-5, 1e-3),
        ("reduce", "argmax_f32", "5", "normal:f32:5x3000 zeros:f32:5 zeros:i32:5 i32:5 i32:3000", 0, 0),
        ("reduce", "column_sums_f32", "2", "normal:f32:70x100 zeros:f32:100 i32:70 i32:100", 1e-5, 1e-4),
        ("scan", "cumsum_f32", "5", "normal:f32:5x3000 zeros:f32:5x3000 i32:5 i32:3000", 1e-4, 1e-3),
        ("moe", "topk_softmax_f32", "2", "normal:f32:20x60 zeros:f32:20x2 zeros:i32:20x2 i32:20 i32:60 "
         "i32:2", 1e-5, 1e-6),
        ("moe", "fused_moe_f32", "2,1", "normal:f32:50x40 normal:f32:2x50x40 zeros:f32:100x50 "
         "normal:f32:100 %s %s i32:50 i32:2 i32:100 i32:128 i32:2 i32:50 i32:40" %
         (npy("sorted", list(range(100)) + [100] * 28), npy("expert", [0, 1])), 1e-4, 1e-4),
        ("moe", "silu_mul_f32", "5,2", "normal:f32:5x1500 normal:f32:5x1500 zeros:f32:5x1500 i32:5 "
         "i32:1500", 1e-5, 1e-6),
    ]
    for m in 1, 16:
        for kind, elem, shape, halves in (("i4", "i8", "64x600", 2), ("f4E2M1FN", "f4E2M1FN",
                                                                     "64x1200", 1)):
            checks.append(("gemm_weight_only", "gemm_%s_bf16_%dx1024x32" % (kind, m),
                           "%d,%d" % (ceil(m + 2, m), ceil(1200, 1024 * halves)),
                           "normal:bf16:%dx64 uniform:%s:%s normal:f32:1200 zeros:f32:%dx1200 i32:%d "
                           "i32:1200 i32:64" % (m + 2, elem, shape, m + 2, m + 2), 1e-3, 1e-2))
    checks.append(("gemm_weight_split", "gemm_split_i4_bf16_16x256x64", "2,2,3",
                   "normal:bf16:18x200 uniform:i8:200x300 normal:f32:600 zeros:f32:18x600 i32:18 i32:600 "
                   "i32:200", 1e-3, 1e-2))
    attentions = [("attention", "%s_%d" % (elem, width), 64) for elem in ("f32", "bf16")
                  for width in (64, 128)]
    attentions += [("attention_wide", "bf16_64_128x128", 128), ("attention_wide", "bf16_128_128x64", 128),
                   ("attention_wide", "bf16_128_128x128", 128)]
    for file, name, queries in attentions:
        elem, width = name.split("_")[:2]
        tolerance = 1e-4 if elem == "f32" else 2e-2
        for causal in 0, 1:
            checks.append((file, "attention_" + name, "%d,2" % ceil(130, queries),
                           "normal:{e}:2x130x{w} normal:{e}:1x140x{w} normal:{e}:1x140x{w} "
                           "zeros:{e}:2x130x{w} i32:130 i32:140 i32:2 i32:2 f32:{s} i32:{c}".format(
                               e=elem, w=width, s=int(width) ** -0.5, c=causal), tolerance, tolerance))
    return checks


# ---- benchmarks ----------------------------------------------------------------------------------

def bench(name, file, kernel, grid, params, lines):
    return {"name": name, "file": file, "kernel": kernel, "grid": grid, "params": params,
            "lines": lines}


def f32_bits(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def number(value):
    return "value 8 %x" % (f32_bits(value) if isinstance(value, float) else value)


def random(elem, count, scale=1):
    return "random %s %d %g" % (elem, count, scale)


def bench_gemm(kernel, elem, blas, tile, m, n, k, rtol, file="gemm"):
    check = "gemm_nt" if "_nt_" in kernel else "gemm"
    return bench("GEMM %s %d x %d x %d, tiles of %d x %d" % (blas, m, n, k, *tile), file, kernel,
                 (ceil(m, tile[0]), ceil(n, tile[1]), 1),
                 [random(elem, m * k), random(elem, k * n), "zeros f32 %d" % (m * n), number(m),
                  number(n), number(k)],
                 ["work %d flop" % (2 * m * n * k), "cublas %s %d %d %d 0 1" % (blas, m, n, k),
                  "verify %s 0 1 2 %d %d %d %g" % (check, m, n, k, rtol)])


def bench_int4(m, n, k, parts=0):
    """`parts`: of the sums along k. The kernel then adds to C: only the first launch's is right."""
    tile = 1 if m == 1 and not parts else 16
    file, kernel, columns = (("gemm_weight_split", "gemm_split_i4_bf16_16x256x64", 512) if parts else
                             ("gemm_weight_only", "gemm_i4_bf16_%dx1024x32" % tile, 2048))
    return bench("int4 x bf16 decode, batch %d, %d x %d%s (beside cuBLAS bf16)" % (
        m, n, k, ", in %d parts" % parts if parts else ""),
                 file, kernel, (ceil(m, tile), ceil(n, columns), max(parts, 1)),
                 [random("bf16", m * k), random("i8", k * n // 2), random("f32", n, 0.1),
                  "zeros f32 %d" % (m * n), number(m), number(n), number(k)],
                 ["work %d byte" % (k * n // 2 + 4 * n + 2 * m * k + 4 * m * n),
                  "cublas bf16 %d %d %d 0 1" % (m, n, k),
                  "verify int4 0 1 2 3 %d %d %d 1e-3" % (m, n, k)])


def bench_attention(tokens, heads, width, causal, file, tile):
    size = heads * tokens * width
    flop = 4 * heads * tokens * tokens * width // (2 if causal else 1)
    name = "_%dx%d" % tile if file == "attention_wide" else ""
    return bench("attention bf16, %d tokens, %d heads of %d%s, tiles of %d x %d" % (
        tokens, heads, width, ", causal" if causal else "", *tile),
                 file, "attention_bf16_%d%s" % (width, name), (ceil(tokens, tile[0]), heads, 1),
                 [random("bf16", size), random("bf16", size), random("bf16", size),
                  "zeros bf16 %d" % size, number(tokens), number(tokens), number(heads), number(1),
                  number(width ** -0.5), number(causal)],
                 ["work %d flop" % flop,
                  "verify attention 0 1 2 3 %d %d %d 1 %d %d 2e-2" % (tokens, tokens, heads, width,
                                                                     causal)])


def bench_rows(title, file, kernel, r, c, extra, tail, traffic, check):
    return bench("%s, %d x %d" % (title, r, c), file, kernel, (r, 1, 1),
                 [random("f32", r * c)] + extra + [number(r), number(c)] + tail,
                 ["work %d byte" % (traffic * 4 * r * c), check])


def benches(quick):
    """What is measured: the work of each line of the report's table."""
    square = (128, 128)
    big = [160] if quick else [4096, 8192]
    r, c = (8, 600) if quick else (32768, 4096)
    n = 20000 if quick else 1 << 28
    side = 200 if quick else 16384
    result = []
    for kind, elem, blas in (("bf16", "bf16", "bf16"), ("f16", "f16", "f16"),
                             ("tf32", "tf32", "tf32"), ("f8E4M3FN", "f8E4M3FN", "fp8")):
        for size in big:
            rtol = 1e-3 if blas == "fp8" else 1e-4
            result.append(bench_gemm("gemm_%s_128x128x64" % kind, elem, blas, square, size, size, size,
                                     2e-3 if blas == "tf32" else rtol))
    for size in big:
        for kind in "bf16", "f16":
            result.append(bench_gemm("gemm_%s_128x256x64" % kind, kind, kind, (128, 256), size, size,
                                     size, 1e-4, "gemm_tiles"))
        result.append(bench_gemm("gemm_nt_f8E4M3FN_128x128x128", "f8E4M3FN", "fp8", square, size, size,
                                 size, 1e-3, "gemm_tiles"))
    if not quick:
        for m, n_, k in ((1024, 1024, 1024), (2048, 2048, 2048), (128, 8192, 8192), (8192, 128, 8192),
                         (256, 16384, 4096)):
            result.append(bench_gemm("gemm_bf16_128x128x64", "bf16", "bf16", square, m, n_, k, 1e-4))
            small = (64, 128) if m > n_ else (128, 64)
            result.append(bench_gemm("gemm_bf16_%dx%dx64" % small, "bf16", "bf16", small, m, n_, k, 1e-4,
                                     "gemm_tiles"))
    for tokens in [100] if quick else [4096, 8192, 16384]:
        for causal in 0, 1:
            for file, tile in ("attention", (64, 64)), ("attention_wide", (128, 64)):
                result.append(bench_attention(tokens, 2 if quick else 16, 128, causal, file, tile))
    outs = ["zeros f32 %d" % (r * c)]
    result += [
        bench_rows("softmax f32", "softmax", "softmax_f32_4096", r, c, outs, [], 2,
                   "verify softmax 0 1 %d %d 1e-5" % (r, c)),
        bench_rows("RMSNorm f32", "rmsnorm", "rmsnorm_f32_4096", r, c, [random("f32", c)] + outs,
                   [number(1e-5)], 2, "verify rmsnorm 0 1 2 %d %d 1e-5 1e-4" % (r, c)),
        bench_rows("LayerNorm f32", "norm", "layernorm_f32", r, c,
                   [random("f32", c), random("f32", c)] + outs + ["zeros f32 %d" % r] * 2,
                   [number(1e-5)], 2, "verify layernorm 0 1 2 3 %d %d 1e-5 1e-4" % (r, c)),
        bench("saxpy f32, %d" % n, "saxpy", "saxpy_f32", (ceil(n, 4096), 1, 1),
              [random("f32", n), random("f32", n), number(3.0), number(n)],
              ["work %d byte" % (12 * n), "verify axpy 0 1 3 %d" % n]),
        bench("copy f32, %d" % n, "vector", "copy_f32", (ceil(n, 4096), 1, 1),
              [random("f32", n), "zeros f32 %d" % n, number(n)],
              ["work %d byte" % (8 * n), "verify copy 0 1 %d" % n]),
        bench("transpose f32, %d x %d" % (side, side), "transpose", "transpose_f32",
              (ceil(side, 64), ceil(side, 64), 1),
              [random("f32", side * side), "zeros f32 %d" % (side * side), number(side), number(side)],
              ["work %d byte" % (8 * side * side), "verify transpose 0 1 %d %d" % (side, side)]),
    ]
    for m in 1, 16:
        for parts in 0, 16:
            result.append(bench_int4(m, *((256, 64) if quick else (16384, 4096)), parts))
    return result


# ---- programs of the tests -----------------------------------------------------------------------

def run_lines(path):
    """The commands of a test's RUN: lines."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = re.match(r"(?://|#) RUN: (.*)", line)
            if found:
                yield found.group(1)


def test_checks(tessera, scratch, amd):
    """(name, file, arguments, rtol, atol) of the %engines lines of tests/run and tests/block, whose
    inputs are made."""
    npy = "%s %s" % (sys.executable, os.path.join(ROOT, "tests", "support", "npy.py"))
    paths = [path for folder in ("run", "block")
             for path in sorted(glob.glob(os.path.join(ROOT, "tests", folder, "*.*")))]
    for path in paths:
        folder, name = path.split(os.sep)[-2:]
        count, pending = 0, []
        for command in run_lines(path):
            command = re.sub(r"%t(?=[.\s/]|$)", os.path.join(scratch, name), command)
            command = command.replace("%S", os.path.dirname(path)).replace("%s", path)
            command = command.replace("%kernels", os.path.join(ROOT, "kernels"))
            makes = ("%npy make", "%tessera opt", "sed ", "mkdir ")
            if command.startswith(makes) and " | " not in command:  # what the next ones are given
                command = command.replace("%npy", npy, 1).replace("%tessera", tessera, 1)
                pending.append(command)
            if not command.startswith("%engines") or "--no-cards" in command:
                continue
            if amd and "--no-amd" in command:
                continue
            for make in pending:
                subprocess.run(make, shell=True, check=True)
            pending = []
            given, rest = [], iter(shlex.split(command)[2:])
            tolerance = {"--rtol": 0.0, "--atol": 0.0}
            for word in rest:
                if word == "--save":
                    next(rest)
                elif word[:6] in tolerance:
                    tolerance[word[:6]] = float(word[7:])
                elif word.startswith("--no-") and word not in ("--no-amd", "--no-sanitizer"):
                    sys.exit("gpu-check: %s: '%s' is no option of %%engines that is known here" % (
                        path, word))
                elif not word.startswith(("--elem=", "--no-")):
                    given.append(word)
            count += 1
            yield ("tests/%s/%s %d" % (folder, name, count), given[0], given[1:], tolerance["--rtol"],
                   tolerance["--atol"])


# ---- PTX ----------------------------------------------------------------------------------------

PTX = [  # (file, kernel, options and arguments of `tessera ptx`, grid, block, shared, cooperative)
    ("kernels", "scan", "arange:i32:256 zeros:i32:256", "1,1,1", "128,1,1", 1024, 0),
    ("kernels", "reduce", "arange:f32:2000 zeros:f32:1 i32:2000", "4,1,1", "128,1,1", 0, 0),
    ("kernels", "transpose", "normal:f32:70x70 zeros:f32:70x70 i32:70", "3,3,1", "32,8,1", 0, 0),
    ("kernels", "histogram", "uniform:i8:5000 zeros:i32:256 i32:5000", "4,1,1", "128,1,1", 0, 0),
    ("kernels", "gemm", "normal:f16:48x48 normal:f16:48x48 zeros:f32:48x48 i32:48", "3,3,1", "16,16,1",
     0, 0),
    ("grid_barrier", "grid_barrier", "zeros:i32:640 zeros:i32:1 zeros:i32:640", "20,1,1", "32,1,1", 0, 1),
]


class Pack:
    def __init__(self, options):
        self.o = options
        self.tessera = os.path.join(ROOT, options.build, "bin", "tessera")
        self.scratch = tempfile.mkdtemp(prefix="tessera-pack-")
        self.modules = {}
        self.lines = []
        self.cases = 0
        self.amd = (AMD if options.target == "amd" else options.target).split(",")
        if not self.amd[0].startswith("gfx"):
            self.amd = []

    # -- files

    def path(self, name):
        return os.path.join(self.o.folder, name)

    def npy(self, name, values, letter="i", shape=None):
        """A file of numbers for an argument."""
        path = os.path.join(self.scratch, name + ".npy")
        self.write_npy(path, values, letter, shape)
        return path

    @staticmethod
    def write_npy(path, values, letter, shape=None):
        descr = {"i": "<i4", "f": "<f4", "H": "<u2"}[letter]
        header = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (
            descr, tuple(shape or [len(values)]))
        header += " " * (-(len(header) + 11) % 64) + "\n"
        with open(path, "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
            file.write(struct.pack("<%d%s" % (len(values), letter), *values))

    def call(self, *command):
        done = subprocess.run([self.tessera, *command], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit("gpu-check: tessera %s: exit status %d\n%s" % (" ".join(command), done.returncode,
                                                                    done.stderr))
        return done.stdout

    # -- code

    def assembler(self):
        for place in os.environ.get("TESSERA_PTXAS"), shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas":
            if place and os.access(place, os.X_OK):
                return place
        return None

    def module(self, file):
        """The code files of a module, and a launch line's words by kernel."""
        if file in self.modules:
            return self.modules[file]
        name = "m%d" % len(self.modules)
        target = ["--target", self.o.target, "--extensions"]
        self.call("build", file, *target, "--emit", "ptx", "-o", self.path(name + ".ptx"))
        files = [name + ".ptx"]
        if self.assembler() and not self.o.quick:
            self.call("build", file, *target, "--emit", "cubin", "-o", self.path(name + ".cubin"))
            files.insert(0, name + ".cubin")
        launches = {}
        for line in self.call("build", file, *target, "--emit", "launch").splitlines():
            kernel, symbol, _, threads, dynamic, _ = line.split()
            launches[kernel] = (symbol, threads, dynamic)
        self.modules[file] = files, launches
        return self.modules[file]

    def module_amd(self, file):
        """For each target the code file of a module, and a kernel's symbol and threads."""
        if file not in self.modules:
            self.modules[file] = found = []
            for target in self.amd:
                name = "m%d-%s.hsaco" % (len(self.modules), target)
                options = ["build", file, "--target", target, "--extensions", "--emit"]
                self.call(*options, "hsaco", "-o", self.path(name))
                launches = {}
                for line in self.call(*options, "launch").splitlines():
                    kernel, symbol, _, threads, _, _ = line.split()
                    launches[kernel] = symbol, threads
                found.append((target, name, launches))
        return self.modules[file]

    def code_amd(self, file, kernel, grid):
        lines = []
        for target, name, launches in self.module_amd(file):
            symbol, threads = launches[kernel]
            lines.append("code %s %s %s %s" % (name, symbol, target, threads))
        return lines + ["launch %s 1 1 1 0 0" % " ".join(map(str, (list(grid) + [1, 1])[:3]))], []

    def code(self, file, kernel, grid, params=()):
        """Of a kernel, or of its form with tensor maps where these parameters have such: then what
        they are behind the others."""
        if self.amd:
            return self.code_amd(file, kernel, grid)
        files, launches = self.module(file)
        symbol, threads, dynamic = launches[kernel]
        maps = []
        for line in self.maps(file, kernel, grid, params):
            first, *rest = line.split()
            if first == "+":
                symbol, threads, dynamic, _, fit, cluster = rest
                if fit != "0":  # a persistent kernel: the grid is two arguments more
                    x, y, z = (list(map(int, grid)) + [1, 1])[:3]
                    maps += ["value 8 %x" % (y << 32 | x), "value 8 %x" % z,
                             "walk %s %s" % (fit, cluster.replace(",", " "))]
            else:
                index, offset = divmod(int(rest[0]), POINTER)
                if offset:
                    return self.code(file, kernel, grid)
                maps.append(" ".join(["map", str(index - 1)] + rest[1:]))
        return (["code %s %s" % (f, symbol) for f in files] +
                ["launch %s %s 1 1 %s 0" % (" ".join(map(str, grid)), threads, dynamic)], maps)

    def maps(self, file, kernel, grid, params):
        """Lines of --emit launch about the form of a kernel with tensor maps."""
        if not params:
            return []
        given = [int(p.split()[2], 16) if p.startswith("value") else POINTER * (i + 1)
                 for i, p in enumerate(params)]
        lines = iter(self.call("build", file, "--target", self.o.target, "--extensions", "--emit",
                               "launch", "--words", ",".join(map(str, given)), "--grid",
                               ",".join(map(str, grid))).splitlines())
        found = []
        for line in lines:
            if line.split()[0] not in ("+", "map"):
                mine = line.split()[0] == kernel
            elif mine:
                found.append(line)
        return found

    # -- cases

    def wanted(self, name):
        return any(part in name for part in self.o.only.split(","))

    def add(self, title, name, lines):
        self.lines += ["%s %s" % (title, name)] + lines + ["run", ""]
        self.cases += 1

    def recorded(self, name, folder, rtol, atol):
        """The lines of a recorded case, whose files go into the bundle; and the kernel and grid."""
        lines, kernel, grid = [], None, None
        with open(os.path.join(folder, "case"), encoding="utf-8") as file:
            for line in file.read().splitlines():
                word, *rest = line.split()
                if word == "kernel":
                    kernel = rest[0]
                elif word == "grid":
                    grid = rest
                elif word in ("file", "expect"):
                    at = 0 if word == "file" else 1
                    new = "d%d-%s" % (self.cases, rest[at])
                    shutil.copyfile(os.path.join(folder, rest[at]), self.path(new))
                    rest[at] = new
                    if word == "expect":
                        rest[3:] = ["%g" % rtol, "%g" % atol]
                    lines.append(" ".join([word] + rest))
                else:
                    lines.append(line)
        return kernel, grid, lines

    def check(self, name, file, arguments, rtol, atol):
        if not self.wanted(name):
            return
        folder = os.path.join(self.scratch, "record")
        shutil.rmtree(folder, ignore_errors=True)
        self.call("run", file, *arguments, "--target", "interp", "--record", folder)
        kernel, grid, lines = self.recorded(name, folder, rtol, atol)
        params = [line for line in lines if not line.startswith("expect")]
        code, maps = self.code(file, kernel, grid, params)
        self.add("check", name, code + params + maps + lines[len(params):])

    def bench(self, b):
        if not self.wanted(b["name"]):
            return
        file = os.path.join(ROOT, "kernels", b["file"] + ".mlir")
        code, maps = self.code(file, b["kernel"], b["grid"], b["params"])
        self.add("bench", b["name"], code + b["params"] + maps + b["lines"])

    def ptx_code(self, file, kernel):
        if not os.path.exists(self.path(file + ".ptx")):
            shutil.copyfile(os.path.join(ROOT, "tests", "ptx", "cuda", file + ".ptx"),
                            self.path(file + ".ptx"))
        return "code %s.ptx %s" % (file, kernel)

    def ptx(self, file, kernel, arguments, grid, block, shared, cooperative):
        name = "tests/ptx/cuda/%s.ptx %s" % (file, kernel)
        if not self.wanted(name):
            return
        folder = os.path.join(self.scratch, "record")
        shutil.rmtree(folder, ignore_errors=True)
        self.call("ptx", os.path.join(ROOT, "tests", "ptx", "cuda", file + ".ptx"), "--kernel", kernel,
                  "--grid", grid, "--block", block, "--shared", str(shared),
                  *(["--cooperative"] if cooperative else []), *arguments.split(), "--record", folder)
        _, blocks, lines = self.recorded(name, folder, 0, 0)
        launch = "launch %s %s %d %d" % (" ".join(blocks), block.replace(",", " "), shared, cooperative)
        self.add("check", name, [self.ptx_code(file, kernel), launch] + lines)

    def ptx_store(self):
        """Tiles doubled by bulk tensor copies."""
        name, side = "tests/ptx/cuda/tma_store.ptx tma_store", 80
        if not self.wanted(name):
            return
        values = list(range(side * side))
        before, after = "d%d-in.npy" % self.cases, "d%d-out.npy" % self.cases
        self.write_npy(self.path(before), values, "f")
        self.write_npy(self.path(after), [2 * v for v in values], "f")
        boxes = "7 2 {0} {0} {1} 32 32 0".format(side, 4 * side)
        self.add("check", name, [
            self.ptx_code("tma_store", "tma_store"), "launch 3 3 1 128 1 1 0 0", "file " + before, "hide",
            "zeros f32 %d" % (side * side), "hide", "map 0 " + boxes, "map 1 " + boxes,
            "expect 1 %s f32 0 0" % after])

    def ptx_product(self, file, threads, shared):
        """C = A times transposed B by wgmma; small whole numbers, so that every order is exact."""
        name, m, n, k = "tests/ptx/cuda/%s.ptx %s" % (file, file), 128, 128, 128
        if not self.wanted(name):
            return
        a = [(i * 7 + i // k) % 5 - 2 for i in range(m * k)]
        b = [(i * 3 + i // k) % 7 - 3 for i in range(n * k)]
        c = [sum(a[i * k + l] * b[j * k + l] for l in range(k)) for i in range(m) for j in range(n)]
        files = ["d%d-%s.npy" % (self.cases, x) for x in "abc"]
        for path, values in zip(files, (a, b)):
            self.write_npy(self.path(path), [f32_bits(float(v)) >> 16 for v in values], "H")
        self.write_npy(self.path(files[2]), c, "f")
        self.add("check", name, [
            self.ptx_code(file, file), "launch %d %d 1 %d 1 1 %d 0" % (n // 64, m // 64, threads, shared),
            "file " + files[0], "hide", "file " + files[1], "hide",
            "map 0 9 2 %d %d %d 64 64 3" % (k, m, 2 * k), "map 1 9 2 %d %d %d 64 64 3" % (k, n, 2 * k),
            "zeros f32 %d" % (m * n), "value 4 %x" % n, "value 4 %x" % k,
            "expect 4 %s f32 0 0" % files[2]])

    # -- all

    def about(self):
        if self.amd:
            yield "amd %s" % " ".join(self.amd)
        commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
        yield "about commit %s" % (commit or "unknown")
        yield "about packed %s" % time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
        yield "about code for %s" % (", ".join(self.amd) or self.o.target)

    def pack_kit(self):
        """The program's source, for machines whose C library is older than this one's, and the one
        command that runs everything and packs what is to be sent back."""
        for folder, names in (("gpu", glob.glob(os.path.join(ROOT, "bench", "gpu", "*.[ch]"))),
                              ("base", [os.path.join(ROOT, "src", "base", "base.h")]),
                              ("tessera", [os.path.join(ROOT, "include", "tessera", "base.h")]),
                              ("rt", [os.path.join(ROOT, "src", "rt", "%s.%s" % (name, x)) for x in "ch"
                                      for name in ("card_library", "cuda_driver", "hip_library")])):
            os.makedirs(self.path(os.path.join("source", folder)), exist_ok=True)
            for name in names:
                shutil.copy(name, self.path(os.path.join("source", folder)))
        shutil.copy(os.path.join(ROOT, "bench", "gpu", "run"), self.path("run"))

    def make(self):
        os.makedirs(self.o.folder, exist_ok=True)
        for name in os.listdir(self.o.folder):
            shutil.rmtree(self.path(name)) if os.path.isdir(self.path(name)) else os.unlink(self.path(name))
        for file, kernel, grid, arguments, rtol, atol in kernel_checks(self.npy):
            self.check("kernels/%s.mlir %s" % (file, kernel), os.path.join(ROOT, "kernels", file + ".mlir"),
                       ["--kernel", kernel, "--grid", grid] + words(arguments), rtol, atol)
        for name, file, arguments, rtol, atol in test_checks(self.tessera, self.scratch, self.amd):
            self.check(name, file, arguments, rtol, atol)
        for entry in [] if self.amd else PTX:
            self.ptx(*entry)
        if not self.amd and self.o.target >= "sm_90":
            self.ptx_store()
            self.ptx_product("gemm_wgmma", 128, 0)
            self.ptx_product("pipeline", 160, 3 * 2 * 64 * 64 * 2)
        for b in benches(self.o.quick):
            self.bench(b)
        if not self.cases:
            sys.exit("gpu-check: no case has '%s' in its name" % self.o.only)
        with open(self.path("manifest"), "w", encoding="utf-8") as file:
            file.write("\n".join([*self.about(), "", *self.lines]))
        shutil.copy(os.path.join(ROOT, self.o.build, "bench", "gpu_check"), self.path("gpu_check"))
        self.pack_kit()
        shutil.rmtree(self.scratch)
        size = sum(os.path.getsize(self.path(name)) for name in os.listdir(self.o.folder))
        print("packed %d cases into %s: %.1f MB" % (self.cases, self.o.folder, size / 1e6))
        if size > LIMIT:
            sys.exit("gpu-check: that is more than 64 MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--target", default="sm_90a")
    parser.add_argument("--build", default="build")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    Pack(parser.parse_args()).make()


if __name__ == "__main__":
    main()
