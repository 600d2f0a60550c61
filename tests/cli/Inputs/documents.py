# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs what documents say can be typed: documents.py TESSERA PAGE...

A line "$ tessera ..." of a block is run by bash in this folder; the lines up to the next one, or to the end of the
block, are what it prints, where "…" stands for anything.
"""
import os
import re
import subprocess
import sys


def commands(page):
    """(line, command, what it prints) of a page."""
    found, inside, current = [], False, None
    with open(page, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            if line.startswith("```"):
                inside, current = not inside, None
            elif inside and line.startswith("$ "):
                current = (number, line[2:].rstrip("\n"), [])
                found.append(current)
            elif current:
                current[2].append(line)
    return found


def main(tessera, *pages):
    environment = dict(os.environ, PATH=os.path.dirname(tessera) + ":" + os.environ["PATH"])
    wrong = ran = 0
    for page in pages:
        for number, command, lines in commands(page):
            run = subprocess.run(["bash", "-c", command], env=environment, text=True, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT)
            ran += 1
            expected = "".join(lines)
            if not re.fullmatch(".*".join(map(re.escape, expected.split("…"))), run.stdout, re.S):
                wrong += 1
                print("%s:%d: $ %s\nshould print\n%s\nand prints\n%s" % (page, number, command, expected, run.stdout))
    print("%d commands, %d print something else" % (ran, wrong))
    return 1 if wrong or not ran else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
