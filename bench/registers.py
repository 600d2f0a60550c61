#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How well registers are estimated where there is no ptxas, beside what ptxas gives kernels.

    python3 bench/registers.py [--build BUILD] [--target sm_90a] [FILE.mlir]...

The kernels are those of kernels/, and examples/tune/gemm.mlir with tiles that are too large. A line for each form of each kernel: registers and bytes spilled by ptxas, and by the estimate; then
how far off it is, and how often the two agree about what tuning asks: does a thread spill much?
The exit status is 1 where the estimate says so and ptxas does not: such a kernel would not be tried.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_SPILLED, MOST_ESTIMATED = 256, 512  # bytes, as src/tune/tune.c has them
LINE = re.compile(r"@(.*): \d+ threads, (\d+) registers, .* (\d+) bytes spilled")


def resources(tessera, file, target, ptxas=None):
    environment = dict(os.environ, **({"TESSERA_PTXAS": ptxas} if ptxas else {}))
    run = subprocess.run([tessera, "build", file, "--target", target, "--resources", "-o", "-"],
                         env=environment, capture_output=True, text=True)
    found = (LINE.match(line) for line in run.stdout.splitlines())
    return {m[1]: (int(m[2]), int(m[3])) for m in found if m}


def large(folder):
    """Products of which some do not fit the registers."""
    text, files = (ROOT / "examples/tune/gemm.mlir").read_text(), []
    for bm, bn in (128, 64), (128, 128), (256, 128), (128, 256), (256, 256), (512, 128), (512, 256):
        name = "gemm_%dx%d" % (bm, bn)
        made = text.replace("@gemm(", "@%s(" % name)
        for parameter, value in ("BM", bm), ("BN", bn), ("BK", 32):
            made = made.replace("${%s}" % parameter, str(value))
        files.append(os.path.join(folder, name + ".mlir"))
        pathlib.Path(files[-1]).write_text(made)
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--target", action="append", help="sm_80 and sm_90a")
    parser.add_argument("files", nargs="*", metavar="FILE")
    given = parser.parse_args()
    tessera = os.path.join(given.build, "bin", "tessera")
    folder = tempfile.TemporaryDirectory()
    files = given.files or sorted(map(str, (ROOT / "kernels").glob("*.mlir"))) + large(folder.name)
    apart, missed, wrong = [], [], []
    for target in given.target or ["sm_80", "sm_90a"]:
        for file in files:
            measured = resources(tessera, file, target)
            guessed = resources(tessera, file, target, "/nowhere")
            for name in measured.keys() & guessed.keys():
                (registers, spilled), (guess, guess_spilled) = measured[name], guessed[name]
                print("%-7s %-72s %3d registers, %4d spilled; estimated %3d, %4d" % (
                    target, name[:72], registers, spilled, guess, guess_spilled))
                if not spilled and not guess_spilled:
                    apart.append(guess - registers)
                if guess_spilled > MOST_ESTIMATED and spilled <= MOST_SPILLED:
                    wrong.append(name)
                if spilled > MOST_SPILLED and guess_spilled <= MOST_ESTIMATED:
                    missed.append(name)
    if not apart:
        sys.exit("no kernel could be compared: is ptxas there?")
    apart.sort()
    print("\n%d forms without spills: the estimate less ptxas' registers is %d in the middle, %d to %d for "
          "four of five" % (len(apart), statistics.median(apart), apart[len(apart) // 10],
                            apart[-1 - len(apart) // 10]))
    print("%d spill more than %d bytes and the estimate does not say so: %s" % (
        len(missed), MOST_SPILLED, ", ".join(missed) or "none"))
    print("%d would be left out without need: %s" % (len(wrong), ", ".join(wrong) or "none"))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
