#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kernel on every engine and compares what they leave and print.

  engines.py --tessera=COMMAND --levels=baseline,avx2 --cards=sm_80 FOLDER ARGUMENT...

ARGUMENTs are those of `tessera run`, except: --save NAME names a buffer to compare; --rtol=R and
--atol=A allow differences (without them the bits must agree, NaN being equal to NaN);
--elem=NAME:bf16 says how to read a buffer of a type that NumPy lacks, when there is a tolerance.
The engines are the interpreter, the interpreter under its sanitizer (which must find nothing and
change no bit), the CPU at each level, the emulated GPU cards, and among these `cuda`, the device
cuda:0 with the driver library that executes PTX, and `hip`, the device hip:0 with the HIP that
executes code objects; --no-cards among the ARGUMENTs leaves these out, --no-amd those of AMD's
(gfx..., hip), --no-sanitizer the sanitizer. What they print is compared line by line in sorted
order, since tile blocks run in any order. The interpreter's buffers stay in FOLDER/NAME.npy, its
output in FOLDER/out.
"""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import npy  # noqa: E402


def engine_of(card):
    """The option that chooses a card."""
    return f"--target={card}:0" if card in ("cuda", "hip") else "--target=emu:" + card


def run(tessera, engine, folder, words, names):
    """The sorted lines that one engine prints."""
    compat = os.path.join(os.path.dirname(tessera), "..", "libexec", "tessera", "compat")
    environment = dict(os.environ, TESSERA_CUDA_DRIVER=os.path.join(compat, "libcuda.so.1"),
                       TESSERA_CUDA_CAPABILITY="9.0",
                       TESSERA_HIP_LIBRARY=os.path.join(compat, "libamdhip64.so.6"))
    saves = [f"--save={name}={folder}/{name}.npy" for name in names]
    done = subprocess.run([tessera, "run", *engine, *words, *saves], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    if done.returncode or done.stderr:
        print(f"tessera run {' '.join(engine + words)}: exit status {done.returncode}")
        print(done.stderr.decode(errors="replace"))
        sys.exit(1)
    with open(os.path.join(folder, "out"), "wb") as out:
        out.write(done.stdout)
    return sorted(done.stdout.splitlines())


def compare(name, folder, other, options, elem):
    paths = [os.path.join(place, name + ".npy") for place in (other, folder)]
    if not options:
        with open(paths[0], "rb") as a, open(paths[1], "rb") as b:
            if a.read() == b.read():
                return True
    (a_type, a_shape, a), (b_type, b_shape, b) = (npy.read(path, elem) for path in paths)
    if (a_type, a_shape) != (b_type, b_shape):
        print(f"{a_type} {a_shape} where {b_type} {b_shape} is expected")
        return False
    return npy.differences(a, b, options or {"--exact": ""}) == 0


def main():
    words, names, options, elems = [], [], {}, {}
    given = dict(word[2:].split("=", 1) for word in sys.argv[1:4])
    rest = iter(sys.argv[5:])
    cards = sanitizer = amd = True
    for word in rest:
        if word == "--no-cards":
            cards = False
        elif word == "--no-amd":
            amd = False
        elif word == "--no-sanitizer":
            sanitizer = False
        elif word == "--save":
            names.append(next(rest))
        elif word.startswith("--elem="):
            name, _, elem = word[7:].partition(":")
            elems[name] = elem
        elif word.startswith(("--rtol=", "--atol=")):
            options[word[:6]] = float(word[7:])
        else:
            words.append(word)
    folder = sys.argv[4]
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    expected = run(given["tessera"], ["--target=interp"], folder, words, names)
    good = True
    engines = [("sanitized", ["--sanitize=all", "--quiet"], {})] if sanitizer else []
    engines += [("cpu-" + level, ["--target=cpu", "--cpu=" + level], options)
                for level in filter(None, given["levels"].split(","))]
    if cards:
        engines += [("emu-" + card, [engine_of(card)], options)
                    for card in filter(None, given["cards"].split(","))
                    if amd or not card.startswith(("gfx", "hip"))]
    for title, engine, allowed in engines:
        other = os.path.join(folder, title)
        os.makedirs(other)
        printed = run(given["tessera"], engine, other, words, names)
        if printed != expected:
            good = False
            print(f"{title} prints something else than the interpreter; see {other}/out")
        for name in names:
            if not compare(name, folder, other, allowed, elems.get(name)):
                good = False
                print(f"{name}: {title} differs from the interpreter")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
