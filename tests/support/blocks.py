#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the blocks of Python on a page, and compares what they print with what the page says.

  blocks.py PAGE FOLDER COMMAND...

Each ```python block is a program of its own, which is written to FOLDER/script.py and run as
`COMMAND... FOLDER/script.py`. Standard output must be what the ```text block after it says.
"""
import os
import re
import subprocess
import sys


def blocks(text):
    """(line, program, output) of each."""
    pattern = r"^```python[^\n]*\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?"
    for match in re.finditer(pattern, text, re.DOTALL | re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2) or ""


def main():
    page, folder, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    os.makedirs(folder, exist_ok=True)
    script = os.path.join(folder, "script.py")
    with open(page, encoding="utf-8") as file:
        found = list(blocks(file.read()))
    wrong = 0
    for line, program, output in found:
        with open(script, "w", encoding="utf-8") as file:
            file.write(program)
        done = subprocess.run(command + [script], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode or done.stdout != output:
            wrong += 1
            print("%s:%d: exit status %d, printed\n%s%s\ninstead of\n%s" % (
                page, line, done.returncode, done.stdout, done.stderr, output))
    print("%d blocks, %d of them wrong" % (len(found), wrong))
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
