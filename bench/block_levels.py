#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of the block level on CPUs beside the same kernel of the tile level, in turns.

  bench/block_levels.py [TESSERA] [--rounds=N] [--cpu=LEVEL]... [NAME]...

The block level's are what `--emit block` prints for sm_80, with shared memory and cp.async, or
examples with roles. Prints for each the shortest time of a launch at either level, one thread, and
what the tile level's is of the block level's: 1 is as fast, 0.9 takes a ninth longer.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

N = ["i32:1024"] * 3
LONG = "1024x1024"
PRODUCTS = ["f32", "bf16", "f16"]
HEADS = "8x1024x64"


def attention(elem):
    return [f"normal:{elem}:{HEADS}"] * 3 + [f"zeros:{elem}:{HEADS}", "i32:1024", "i32:1024", "i32:8",
                                              "i32:1", "f32:0.125", "i32:0"]


def weights(rows, packed):
    return [f"normal:bf16:{rows}x4096", packed, "normal:f32:4096", f"zeros:f32:{rows}x4096",
            f"i32:{rows}", "i32:4096", "i32:4096"]


THREE_BITS = "weights of 3 bits"  # the kernel of f4E2M1FN with integers


def three_bits(folder):
    path = os.path.join(folder, "weights3.mlir")
    with open("kernels/gemm_weight_only.mlir", encoding="utf-8") as text:
        entries = re.findall(r"^  entry @gemm_f4E2M1FN.*?^  }\n", text.read(), re.M | re.S)
    widened = ("%wide = exti %w signed : tile<32x1024xi3> -> tile<32x1024xi8>\n"
               "      %b = itof %wide signed : tile<32x1024xi8> ->")
    kernels = "".join(entries).replace("f4E2M1FN", "i3").replace(
        "%b = ftof %w : tile<32x1024xi3> ->", widened)
    with open(path, "w", encoding="utf-8") as out:
        out.write("cuda_tile.module @weights3 {\n" + kernels + "}\n")
    return path


# name: file and kernel of the tile level; of the block level, None: printed; grid; arguments
CASES = {
    **{f"gemm {e}": ("kernels/gemm.mlir", f"gemm_{e}_128x128x64", None, "8,8",
                     [f"normal:{e}:{LONG}"] * 2 + [f"zeros:f32:{LONG}", *N]) for e in PRODUCTS},
    "softmax": ("kernels/softmax.mlir", "softmax_f32_4096", None, "1024",
                ["normal:f32:1024x4096", "zeros:f32:1024x4096", "i32:1024", "i32:4096"]),
    **{f"attention {e}": ("kernels/attention.mlir", f"attention_{e}_64", None, "16,8",
                          attention(e)) for e in ("f32", "bf16")},
    **{f"i4, {m} rows": ("kernels/gemm_weight_only.mlir", f"gemm_i4_bf16_{m}x1024x32", None, "1,2",
                         weights(m, "uniform:i8:4096x2048")) for m in (1, 16)},
    **{f"f4, {m} rows": ("kernels/gemm_weight_only.mlir", f"gemm_f4E2M1FN_bf16_{m}x1024x32", None,
                         "1,4", weights(m, "uniform:f4E2M1FN:4096x4096")) for m in (1, 16)},
    **{f"i3, {m} rows": (THREE_BITS, f"gemm_i3_bf16_{m}x1024x32", None, "1,4",
                         weights(m, "uniform:i3:4096x4096")) for m in (1, 16)},
    "producer, consumers": ("tests/block/specialised.mlir", "plain",
                            ("tests/block/specialised.mlir", "gemm"), "8,8",
                            [f"normal:f16:{LONG}"] * 2 + [f"zeros:f16:{LONG}", *N]),
    "roles": ("examples/block/tutorial/1-fragments.mlir", "gemm",
              ("examples/block/tutorial/5-roles.mlir", "gemm"), "16,16",
              [f"normal:f16:{LONG}"] * 2 + [f"zeros:f32:{LONG}", *N]),
}


def once(tessera, level, path, kernel, grid, words):
    done = subprocess.run([tessera, "run", path, "-k", kernel, "-t", "cpu", "--threads=1", "-g", grid,
                           "--time=5", "--json", "--extensions", *([f"--cpu={level}"] if level else []), *words],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    if done.returncode:
        sys.exit(done.returncode)
    return json.loads(done.stdout)["minimum_ms"]


def printed(tessera, path, folder):
    text = os.path.join(folder, "block." + os.path.basename(path))
    if not os.path.exists(text):
        subprocess.run([tessera, "build", path, "--extensions", "--target", "sm_80", "--emit", "block",
                        "-o", text], check=True)
    return text


def main():
    words = sys.argv[1:]
    rounds, levels = 5, []
    for word in [w for w in words if w.startswith("--")]:
        words.remove(word)
        name, value = word.split("=")
        if name == "--rounds":
            rounds = int(value)
        else:
            levels.append(value)
    tessera = words.pop(0) if words and os.path.exists(words[0]) else "build/bin/tessera"
    with tempfile.TemporaryDirectory() as folder:
        for level in levels or [None]:
            print(f"{level or 'the best level'}, one thread: tile ms, block ms, ratio", flush=True)
            for name, (path, kernel, block, grid, args) in CASES.items():
                if words and name not in words:
                    continue
                path = three_bits(folder) if path == THREE_BITS else path
                other = block or (printed(tessera, path, folder), kernel)
                times = [(once(tessera, level, path, kernel, grid, args),
                          once(tessera, level, *other, grid, args)) for _ in range(rounds)]
                tile, own = (min(side) for side in zip(*times))
                print(f"{name:20} {tile:9.3f} {own:9.3f} {tile / own:6.2f}", flush=True)


if __name__ == "__main__":
    main()
