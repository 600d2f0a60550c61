#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes each single mistake in a kernel of the block level and runs it under the sanitizer.

  mutants.py TESSERA FOLDER [--ptx=TARGET] FILE ARGUMENT...

A mutant leaves out a barrier, a wait, a commit or a copy, lets a wait end one set of copies too
early, or shifts an offset of a subview by one slot. The sanitizer must find something in each of
them, or the verifier refuse it, and nothing in FILE itself. Where a mistake is harmless its line
says why, in a comment: "// harmless: the loop ends with a barrier"; such a mutant must leave the
same buffers as FILE ("// harmless on a GPU:" speaks for --ptx only). ARGUMENTs are those of `tessera run`; --save NAME names the buffers. With --ptx
mutants are compiled for a target, and the emulator's checks must find it.
"""
import os
import re
import subprocess
import sys

REMOVED = re.compile(r"^\s*(barrier|warp_barrier|cp_async_wait|cp_async_commit|cp_async|"
                     r"fence_async|mbarrier_\w+)\b")
WAIT = re.compile(r"^(\s*cp_async_wait )(\d+)(.*)$")
ENTRY = re.compile(r"entry @(\w+)\(([^)]*)\)")
PART = re.compile(r"^(\s*)(%\w+ = subview %\w+\[)(%\w+)(.*: shared<)(\d+)(x.*)$")


def mutants_of(line):
    """(what was done, the lines instead) for each mistake in a line."""
    code = line.split("//")[0]
    if REMOVED.match(code):
        yield "without it", []
    wait = WAIT.match(code.rstrip())
    if wait:
        yield "ends too early", [f"{wait[1]}{int(wait[2]) + 1}{wait[3]}"]
    part = PART.match(code.rstrip())
    if part and int(part[5]) > 1:
        blank = part[1]
        yield "shifted by one", [
            f"{blank}%mutant_one = constant <i32: 1> : tile<i32>",
            f"{blank}%mutant_slots = constant <i32: {part[5]}> : tile<i32>",
            f"{blank}%mutant_sum = addi {part[3]}, %mutant_one : tile<i32>",
            f"{blank}%mutant_slot = remi %mutant_sum, %mutant_slots unsigned : tile<i32>",
            f"{blank}{part[2]}%mutant_slot{part[4]}{part[5]}{part[6]}"]


def parameters(path):
    """The kernel's name, and those of its parameters."""
    with open(path, encoding="utf-8") as text:
        found = ENTRY.search(text.read())
    return found[1], re.findall(r"%(\w+):", found[2])


def commands(tessera, path, folder, words, names, target):
    """What executes the kernel under the sanitizer, or on the emulator."""
    saves = {name: f"{folder}/{name}.npy" for name in names}
    if not target:
        yield [tessera, "run", path, "-t", "interp", "--sanitize=all", *words,
               *[f"--save={name}={file}" for name, file in saves.items()]]
        return
    kernel, all_names = parameters(path)
    yield [tessera, "build", path, "--target", target, "--emit", "ptx", "-o", f"{folder}/k.ptx"]
    words = [re.sub("^i32:(?=[0-9]+$)", "i64:", word) for word in words]  # as PTX takes them
    yield [tessera, "ptx", f"{folder}/k.ptx", "--check", "--async", "late", *words,
           *[f"--save={kernel}_param_{all_names.index(name)}={file}"
             for name, file in saves.items()]]


def run(tessera, path, folder, words, names, target):
    """(exit status, what was said, what the buffers hold)."""
    for name in names:
        if os.path.exists(f"{folder}/{name}.npy"):
            os.remove(f"{folder}/{name}.npy")
    for command in commands(tessera, path, folder, words, names, target):
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode:
            break
    held = []
    for name in names:
        if os.path.exists(f"{folder}/{name}.npy"):
            with open(f"{folder}/{name}.npy", "rb") as file:
                held.append(file.read())
    return done.returncode, done.stdout.decode(errors="replace"), held


def main():
    tessera, folder, *words = sys.argv[1:]
    target = words.pop(0)[len("--ptx="):] if words[0].startswith("--ptx=") else None
    file = words.pop(0)
    names = [words[i + 1] for i, word in enumerate(words) if word == "--save"]
    words = [word for i, word in enumerate(words)
             if word != "--save" and (i == 0 or words[i - 1] != "--save")]
    os.makedirs(folder, exist_ok=True)
    with open(file, encoding="utf-8") as text:
        lines = text.read().splitlines()
    status, said, right = run(tessera, file, folder, words, names, target)
    if status:
        sys.exit(f"{file}: exit status {status}, without a mistake\n{said}")
    path = os.path.join(folder, "mutant.mlir")
    count = harmless = missed = 0
    for number, line in enumerate(lines):
        for what, instead in mutants_of(line):
            with open(path, "w", encoding="utf-8") as out:
                out.write("\n".join(lines[:number] + instead + lines[number + 1:]) + "\n")
            status, said, held = run(tessera, path, folder, words, names, target)
            excused = "// harmless:" in line or bool(
                target and "// harmless on a GPU:" in line)
            count += 1
            harmless += excused
            wrong = None
            if status < 0:
                wrong = f"signal {-status}\n{said}"
            elif excused and status:
                wrong = f"something is found, though the line says that it is harmless\n{said}"
            elif excused and held != right:
                wrong = "another result, though the line says that it is harmless"
            elif not excused and not status:
                wrong = "nothing is found" + (", and the result is wrong" if held != right else "")
            if wrong:
                missed += 1
                print(f"{file}:{number + 1}: {what}: {wrong}\n  {line.strip()}")
    if not count:
        sys.exit(f"{file}: there is nothing to leave out")
    print(f"{count} mutants, {harmless} harmless, {missed} missed")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
