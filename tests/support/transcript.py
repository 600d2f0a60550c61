#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the commands in a test file and compares what they print with what the file says.

  transcript.py [--rewrite] --source ROOT --build BUILD --scratch FOLDER FILE

FILE is a .mlir or .test file of tests/. It ends in a transcript, in comments:

    // RUN: %transcript %s
    cuda_tile.module @m { entry @k() { %0 = addi } }

    // $ tessera check name-of-this-file.mlir
    // name-of-this-file.mlir:2:43: error: expected an operand
    // ...
    // [1]

"$" starts a command for /bin/sh ("> " continues it); what follows is its output, standard output
and error together, and its exit status in brackets unless that is 0. The commands run in an empty
folder that holds FILE without its transcript (a .mlir file) and, as Inputs, the folder of that
name beside FILE. `tessera` is the build's, `npy` is support/npy.py. A line of output that changes
from run to run ends in " (re)" and is a regular expression; lines that are only sometimes there
don't exist: make the command drop them.

--rewrite (scripts/update-golden) writes what was printed into FILE.
"""
import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class Step:
    """A command with its output."""

    def __init__(self, command):
        self.command = command
        self.lines = []


def parse(text, mark):
    """(what is above the transcript, its steps)."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith(mark + " $ ")), len(lines))
    steps = []
    for number, line in enumerate(lines[start:], start + 1):
        if line != mark and not line.startswith(mark + " "):
            if line.strip():
                sys.exit(f"line {number}: a transcript goes to the end of the file, in comments")
            continue
        line = line[len(mark) + 1:]
        if line.startswith("$ "):
            steps.append(Step(line[2:]))
        elif line.startswith("> ") and not steps[-1].lines:
            steps[-1].command += "\n" + line[2:]
        else:
            steps[-1].lines.append(line)
    for step in steps:
        while step.lines and not step.lines[-1]:
            step.lines.pop()
    return lines[:start], steps


def matches(expected, line):
    if expected.endswith(" (re)"):
        return re.fullmatch(expected[:-5], line) is not None
    return expected == line


def run(step, folder, environment):
    """The lines that the command prints, with its exit status."""
    preamble = f"npy() {{ '{sys.executable}' '{HERE}/npy.py' \"$@\"; }}\n"
    try:
        done = subprocess.run(["/bin/sh", "-c", preamble + step.command], cwd=folder,
                              env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120)
        output, status = done.stdout, done.returncode
    except subprocess.TimeoutExpired as late:
        output, status = (late.stdout or b"") + b"\n(still running after two minutes)", 124
    lines = [line.rstrip() for line in output.decode(errors="replace").splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return lines + ([f"[{status}]"] if status else [])


def agree(expected, actual):
    return len(expected) == len(actual) and all(map(matches, expected, actual))


def keep_patterns(expected, actual):
    """The actual lines, with the patterns that still match them."""
    patterns = [line for line in expected if line.endswith(" (re)")]
    kept = []
    for line in actual:
        hit = next((p for p in patterns if matches(p, line)), None)
        kept.append(hit or line)
        if hit:
            del patterns[:patterns.index(hit) + 1]
    return kept


def prepare(options, above):
    """The folder that the commands run in."""
    folder = options.scratch
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    name = os.path.basename(options.file)
    if name.endswith(".mlir"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
            out.write("\n".join(above).rstrip("\n") + "\n")
    inputs = os.path.join(os.path.dirname(os.path.abspath(options.file)), "Inputs")
    if os.path.isdir(inputs):
        os.symlink(inputs, os.path.join(folder, "Inputs"))
    return folder


def environment(options):
    result = {name: value for name, value in os.environ.items()
              if not name.startswith("TESSERA_") and name not in ("NO_COLOR", "LD_LIBRARY_PATH")}
    result.update(TESSERA_CACHE="off", LC_ALL="C.UTF-8", TERM="dumb",
                  SOURCE=os.path.abspath(options.source),
                  BUILD=os.path.abspath(options.build))
    result["PATH"] = os.path.join(result["BUILD"], "bin") + ":" + result.get("PATH", "/usr/bin:/bin")
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rewrite", action="store_true")
    for name in ("source", "build", "scratch"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("file")
    options = parser.parse_args()
    mark = "//" if options.file.endswith(".mlir") else "#"
    with open(options.file, encoding="utf-8") as source:
        text = source.read()
    above, steps = parse(text, mark)
    if not steps:
        sys.exit(f"{options.file}: there is no '{mark} $ command' in it")
    folder, variables, wrong = prepare(options, above), environment(options), False
    written = list(above)
    for step in steps:
        actual = run(step, folder, variables)
        if not agree(step.lines, actual):
            wrong = True
            print(f"$ {step.command}")
            print("\n".join(difflib.unified_diff(step.lines, actual, "expected", "printed",
                                                 lineterm="", n=100)))
        command = step.command.split("\n")
        block = ["$ " + command[0]] + ["> " + line for line in command[1:]]
        block += keep_patterns(step.lines, actual)
        written += [(mark + " " + line).rstrip() for line in block]
    if options.rewrite:
        new = "\n".join(written) + "\n"
        if new != text:
            with open(options.file, "w", encoding="utf-8") as out:
                out.write(new)
            print(f"{options.file} is rewritten")
        return 0
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
