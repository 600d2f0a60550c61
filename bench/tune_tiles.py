#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tiles suit this processor: those of kernels/gemm.mlir and kernels/attention_wide.mlir, chosen
by `tessera.autotune`, beside those that the files have. Needs NumPy.

    TESSERA_LIBRARY=build/lib/libtessera.so PYTHONPATH=python python3 bench/tune_tiles.py [--seconds 5]
                                              [--threads 2] [--target cpu] [--processor-time]

A line for each problem: the time of the file's tile, that of the tile that was chosen, both measured
in turns, the quotient of their medians and how far it varies from turn to turn. On a machine that
others use, --processor-time compares what launches cost of the processor, which waiting for it does
not add to; with one thread that is their time on an idle machine, nearly.
"""
import argparse
import datetime
import os
import pathlib
import platform
import re
import statistics
import subprocess
import time

import numpy as np

import tessera
import tessera.testing

ROOT = pathlib.Path(__file__).resolve().parent.parent
TURNS = 9
WIDTH = 64  # of attention's heads


def entry_of(file, name):
    """The text of the file with the one kernel, and none of the others."""
    text = (ROOT / "kernels" / file).read_text()
    head, *entries = re.split(r"(?m)^(?=  entry @)", text)
    return head + next(e for e in entries if e.startswith("  entry @%s(" % name)).rstrip("}\n") + \
        "}\n}\n"


def gemm_text(elem):
    text = entry_of("gemm.mlir", "gemm_f32_128x256x64")
    for tile, name in (("128x256", "${BM}x${BN}"), ("128x64", "${BM}x${BK}"), ("64x256", "${BK}x${BN}")):
        text = text.replace(tile + "xf32", name + "xf32").replace("tile=(%s)" % tile, "tile=(%s)" % name)
    if elem == "f32":
        return text
    for operand in "ab":  # the result and its tiles stay f32
        text = re.sub(r"(?m)^( *%%%s(?:_view|_tiles|,).*)$" % operand,
                      lambda m: m[1].replace("xf32", "x" + elem), text)
    text = re.sub(r"(%[AB]: tile<ptr<)f32", r"\g<1>" + elem, text)
    for tile in "${BM}x${BK}xf32", "${BK}x${BN}xf32":
        text = text.replace(tile, tile.replace("f32", elem))
    return re.sub(r"(?m)^(.*get_index_space_shape %a_tiles.*)$",
                  lambda m: m[1].replace("xf32", "x" + elem), text)


def attention_text():
    text = entry_of("attention_wide.mlir", "attention_bf16_64_128x128")
    lines = [line for line in text.split("\n") if not line.startswith("!") or "128xbf16" not in line]
    return re.sub(r"(?<![0-9_])128(?![0-9])(?!\()", "${TILE}", "\n".join(
        line for line in lines if not line.startswith("//")).replace("_64_128x128(", "(")).replace(
        "_64_128", "_64_keys").replace("_64_${TILE}", "_64_keys")


def numbers(elem, *shape):
    x = np.random.default_rng(1).standard_normal(shape, dtype=np.float32)
    if elem == "f32":
        return x
    return (x.view(np.uint32) >> 16).astype(np.uint16)  # bf16, cut off


def gemm(elem, m, n, k):
    params = {"BM": [128, 64, 32, 16, 256], "BN": [256, 128, 64, 512], "BK": [64, 32, 128, 256]}
    return ("%s product, %d x %d x %d" % (elem, m, n, k), gemm_text(elem), params,
            "cdiv(M, BM), cdiv(N, BN)", "BM * BN <= 65536 && BM * BK <= 65536 && BN * BK <= 65536",
            (numbers(elem, m, k), numbers(elem, k, n), np.zeros((m, n), np.float32), m, n, k))


def attention(tokens, heads):
    shape = heads, tokens, WIDTH
    return ("bf16 attention, %d tokens, %d heads of %d" % (tokens, heads, WIDTH), attention_text(),
            {"TILE": [128, 64, 32, 256]}, "cdiv(tokens, TILE), heads", (),
            (*(numbers("bf16", *shape) for _ in range(3)), np.zeros(shape, np.uint16), tokens, tokens,
             heads, 1, WIDTH ** -0.5, 1))


def substituted(text, choice):
    for name, value in choice.items():
        text = text.replace("${%s}" % name, str(value))
    return text


def wall_ms(one, args):
    return tessera.testing.bench(one.kernel, one.grid, *args, warmup=5, rep=60).median


def processor_ms(one, args):
    """Of a launch, of as many as take about 60 ms."""
    launches, start = 0, time.process_time()
    while time.process_time() - start < 0.06:
        one(*args)
        launches += 1
    return 1e3 * (time.process_time() - start) / launches


def measure(device, seconds, of_one, title, text, params, grid, where, args):
    tuned = tessera.autotune(params, source=text, grid=grid, where=where, device=device,
                             seconds=seconds, again=True).tune(*args)
    first = {name: values[0] for name, values in params.items()}
    default = tessera.autotune({name: [value] for name, value in first.items()}, source=text, grid=grid,
                               device=device, look_up_only=True).tune(*args)
    sides = [[], []]
    for _ in range(TURNS):
        for side, one in zip(sides, (default, tuned)):
            side.append(of_one(one, args))
    quotients = sorted(a / b for a, b in zip(*sides))
    words = " ".join("%s=%s" % item for item in tuned.choice.items())
    print("%-42s %9.3f ms   %-22s %9.3f ms   %.2f times as fast (%.2f to %.2f)   %d candidates" % (
        title, statistics.median(sides[0]), words, statistics.median(sides[1]),
        statistics.median(quotients), quotients[len(quotients) // 4], quotients[-1 - len(quotients) // 4],
        len(tuned.candidates)), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=5, help="that each search may take")
    parser.add_argument("--threads", type=int, action="append", help="of the device (1 and all)")
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--processor-time", action="store_true", help="for machines that others use")
    given = parser.parse_args()
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"],
                            capture_output=True, text=True).stdout.strip()
    forced = ", as %s" % os.environ["TESSERA_CPU"] if os.environ.get("TESSERA_CPU") else ""
    print("bench/tune_tiles.py, %s, commit %s: %s, %s; %s; load average %.1f of %d cores" % (
        datetime.date.today(), commit, tessera.describe(given.target) + forced, platform.machine(),
        "processor time" if given.processor_time else "time", os.getloadavg()[0], os.cpu_count()))
    problems = [gemm("f32", 512, 512, 512), gemm("f32", 1024, 1024, 1024), gemm("f32", 64, 2048, 2048),
                gemm("bf16", 1024, 1024, 1024), gemm("bf16", 64, 2048, 2048), attention(512, 8),
                attention(2048, 4)]
    for threads in given.threads or [1, 0]:
        print("\n%s; the file's tile, then the chosen one" % (
            "%d thread%s" % (threads, "s"[:threads != 1]) if threads else "all threads"), flush=True)
        device = tessera.Device(given.target, threads=threads)
        for problem in problems:
            measure(device, given.seconds, processor_ms if given.processor_time else wall_ms, *problem)


if __name__ == "__main__":
    main()
