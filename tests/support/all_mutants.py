#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes each single mistake in every kernel of the block level: mutants.py for a whole table.

  all_mutants.py TESSERA FOLDER [WORD]...

Each line of tests/block/mutants.txt says where (interp, async, or the target of an emulated device),
the file and the arguments of mutants.py; lines with every WORD are taken. A kernel in tests/block or
examples/block that has something to leave out must have a line, or be listed there with the reason
why not.
"""
import glob
import os
import re
import subprocess
import sys

import mutants

HOW = {"interp": [], "async": ["--async"]}


def kernels():
    """FILE:KERNEL of all that have something to leave out."""
    for path in sorted(glob.glob("tests/block/**/*.mlir", recursive=True) +
                       glob.glob("examples/block/**/*.mlir", recursive=True)):
        with open(path, encoding="utf-8") as text:
            lines = text.read().splitlines()
        for number, line in enumerate(lines):
            found = mutants.ENTRY.search(line)
            body = lines[number:]
            ends = [k for k, text in enumerate(body) if re.match("  }$", text)]
            if found and "threads(" in line and any(
                    list(mutants.mutants_of(text)) for text in body[:ends[0] if ends else None]):
                yield f"{path}:{found[1]}"


def read_table():
    """The lines to run, and the names of files and kernels that are taken care of."""
    lines, known = [], set()
    with open("tests/block/mutants.txt", encoding="utf-8") as text:
        for line in text.read().splitlines():
            words = line.split("#")[0].split()
            if len(words) > 1 and words[0] == "not":
                known.add(words[1])
            elif words:
                lines.append(words)
                kernel = words[words.index("-k") + 1] if "-k" in words else None
                file = next(word for word in words if word.endswith(".mlir"))
                known.add(file + (f":{kernel}" if kernel else ""))
    return lines, known


def main():
    tessera, folder, *wanted = sys.argv[1:]
    lines, known = read_table()
    failed = [name for name in kernels()
              if name not in known and name.split(":")[0] not in known]
    for name in failed:
        print(f"{name}: no line of tests/block/mutants.txt names it")
    script = os.path.join(os.path.dirname(__file__), "mutants.py")
    for words in lines:
        if not all(word in words for word in wanted):
            continue
        how = HOW.get(words[0], [f"--emu={words[0]}"])
        done = subprocess.run([sys.executable, script, tessera, folder, *how, *words[1:]],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        said = done.stdout.decode(errors="replace").strip()
        print(" ".join(words), said, sep="\n  ", flush=True)
        if done.returncode:
            failed.append(words[1])
    print(f"{len(failed)} failed" if failed else "all are found, or harmless")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
