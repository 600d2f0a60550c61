#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs a kernel with and without a pattern of the CPU backend.

  pattern.py --tessera=COMMAND --levels=baseline,avx2 NAME[@LEVEL] FOLDER ARGUMENT...

ARGUMENTs are those of `tessera run`, and --save NAME, --rtol=R and --atol=A as for engines.py; the
first is the program. LEVEL is what --cpu says for the text (avx2). What `tessera build --emit nests`
says of the kernel must have a line that begins with [NAME], where it names an operation with its
line, and none with --disable=NAME. The interpreter, and the CPU at each level with and without the
pattern, must leave the same.
"""
import os
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import engines  # noqa: E402

BARE = {"exact-version", "peel", "repeat-last", "unroll", "interleave", "fix-nans", "grid-order",
        "linear-guarded"}


def text_of(tessera, program, kernel, options):
    """The lines of a kernel, or of all."""
    done = subprocess.run([tessera, "build", program, "--emit", "nests", *options],
                          stdout=subprocess.PIPE, text=True, check=True)
    kernels = re.split(r"(?m)^(?=kernel @)", done.stdout)
    return "".join(k for k in kernels if not kernel or re.match(rf"kernel @{kernel}\b", k))


def matches(text, name):
    return [line.strip() for line in text.splitlines() if line.strip().startswith(f"[{name}]")]


def main():
    given = dict(word[2:].split("=", 1) for word in sys.argv[1:3])
    name, _, level = sys.argv[3].partition("@")
    folder, words, names, options = sys.argv[4], [], [], {}
    rest = iter(sys.argv[5:])
    for word in rest:
        if word == "--save":
            names.append(next(rest))
        elif word.startswith(("--rtol=", "--atol=")):
            options[word[:6]] = float(word[7:])
        else:
            words.append(word)
    kernel = words[words.index("--kernel") + 1] if "--kernel" in words else None
    tessera, cpu = given["tessera"], ["--cpu", level or "avx2"]
    found = matches(text_of(tessera, words[0], kernel, cpu), name)
    if not found or (name not in BARE and not any(", line " in line for line in found)):
        print(f"{words[0]}: nothing says that {name} matched, and where: {found}")
        return 1
    left = matches(text_of(tessera, words[0], kernel, [*cpu, "--disable=" + name]), name)
    if left:
        print(f"{words[0]}: {name} is disabled, and yet: {left}")
        return 1
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    expected, good = engines.run(tessera, ["--target=interp"], folder, words, names), True
    for here in filter(None, given["levels"].split(",")):
        for disabled in ([], ["--disable=" + name]):
            other = os.path.join(folder, here + "-without" * len(disabled))
            os.makedirs(other)
            engine = ["--target=cpu", "--cpu=" + here, *disabled]
            good &= engines.run(tessera, engine, other, words, names) == expected
            for buffer in names:
                if not engines.compare(buffer, folder, other, options, None):
                    good = False
                    print(f"{buffer}: {' '.join(engine)} differs from the interpreter")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
