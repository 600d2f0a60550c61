#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program that no assembler would, from programs that it does write.

    refused.py TESSERA TEXT OUTPUT

TEXT holds SIGN and ROUND in one operation. `signed` with `negative_inf` is allowed, and so is `zero`
with either sign: the bytes in which the three differ tell how `unsigned` with `negative_inf` would
be written.
"""
import subprocess
import sys


def assemble(tessera, text, sign, rounding, output):
    with open(output + ".mlir", "w") as f:
        f.write(text.replace("SIGN", sign).replace("ROUND", "rounding<%s>" % rounding))
    subprocess.run([tessera, "as", output + ".mlir", "-o", output], check=True)
    with open(output, "rb") as f:
        return f.read()


def main(tessera, path, output):
    with open(path) as f:
        text = f.read()
    down = assemble(tessera, text, "signed", "negative_inf", output)
    plain = assemble(tessera, text, "signed", "zero", output)
    unsigned = assemble(tessera, text, "unsigned", "zero", output)
    if not len(down) == len(plain) == len(unsigned) or plain in (down, unsigned):
        sys.exit("the programs cannot be put together")
    with open(output, "wb") as f:
        f.write(bytes(d if d != p else u for d, p, u in zip(down, plain, unsigned)))


if __name__ == "__main__":
    main(*sys.argv[1:])
