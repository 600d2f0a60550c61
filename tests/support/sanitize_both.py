#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the sanitizer of compiled code against the interpreter's: sanitize_both.py TESSERA LEVELS FILE

Runs the commands `tessera run … --sanitize=…` that stand in a transcript (see transcript.py), as
far as they ask for checks that compiled code makes, on the interpreter and on one thread of cpu at
each feature level. Both must say the same and end alike; addresses are not compared.
"""
import os
import re
import shlex
import subprocess
import sys

CHECKS = {"bounds", "assume"}


def commands(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = re.sub(r"^(//|#) ?", "", line)
            if line.startswith("$ tessera run "):
                yield shlex.split(line)[2:]


def run(tessera, folder, args):
    done = subprocess.run([tessera] + args, cwd=folder, capture_output=True, text=True, timeout=120)
    text = re.sub(r"0x[0-9a-f]+", "0x…", done.stdout + done.stderr)
    return done.returncode, text


def main():
    tessera, levels, path = sys.argv[1:]
    folder, compared, failed = os.path.dirname(os.path.abspath(path)), 0, 0
    for args in commands(path):
        asked = [a.split("=", 1)[1] for a in args if a.startswith("--sanitize=")]
        if not asked or not set(asked[0].split(",")) <= CHECKS or "--target" in args:
            continue
        expected = run(tessera, folder, args)
        for level in levels.split(","):
            more = ["--target", "cpu", "--threads", "1", "--cpu", level]
            got = run(tessera, folder, args + more)
            compared += 1
            if got != expected:
                failed += 1
                print("tessera %s\n--- interp: status %d\n%s--- cpu, %s: status %d\n%s" % (
                    shlex.join(args), *expected, level, *got))
    print("%d compared, %d differ" % (compared, failed))
    return 1 if failed or not compared else 0


sys.exit(main())
