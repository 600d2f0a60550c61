#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes each single mistake in a kernel of the block level and runs it under the sanitizer.

  mutants.py TESSERA FOLDER [--ptx=TARGET | --emu=TARGET | --async] [--limit=SECONDS] FILE
             ARGUMENT...

A mutant leaves out a barrier, a wait, a commit or a copy, lets a wait end one set of copies too
early, shifts an offset of a subview by one slot, or copies to no other tile block. The sanitizer must find something in each of
them, or the verifier refuse it, and nothing in FILE itself. Where a mistake is harmless its line
says why, in a comment: "// harmless: the loop ends with a barrier", or for some kinds of mistakes
"// harmless without it, shifted by one: waits longer"; such a mutant must leave the same buffers as
FILE ("// harmless on a GPU:" speaks for --ptx and --emu only). One that breaks no rule and computes
something else says "// another kernel shifted by one: reads what is full, too". What the emulator
has no check for says "// unseen on a GPU without it: why", and then need not be found there. A
mutant that does not end within the time of --limit=SECONDS (60) counts as found, since
everybody sees it. ARGUMENTs are those of
`tessera run`; --save NAME names the buffers, -k NAME the kernel of several, without the others.
With --ptx mutants are compiled for a target, and the emulator's checks must find it; with --emu
they run on an emulated device, which makes tensor maps for them, under the same checks.
With --async each is run with copies that arrive late and at random, too, of which the same must be
said; and FILE, and what is harmless in it, must leave the same.
"""
import os
import re
import subprocess
import sys

ENDLESS = 124
REMOVED = re.compile(r"^\s*(barrier|warp_barrier|barrier_arrive|barrier_wait|cp_async_wait|"
                     r"cp_async_commit|cp_async_arrive|cp_async|fence_async|mbarrier_\w+|"
                     r"tensor_load|bulk_load|bulk_commit|bulk_wait|wgmma_fence|wgmma_commit|"
                     r"cluster_barrier|cluster_arrive|cluster_wait|store_async|bulk_copy)\b")
WAIT = re.compile(r"^(\s*(?:%\w+ = )?(?:cp_async|bulk|wgmma)_wait )(\d+)(.*)$")
PHASE = re.compile(r"^(\s*)(mbarrier_wait %\w+(?:\[%\w+\])?, )(%\w+)(.*)$")
BYTES = re.compile(r"^(\s*mbarrier_(?:arrive_)?expect .*, )(\d+)( : .*)$")
COUNT = re.compile(r"^(\s*mbarrier_init .*, )(\d+)( : .*)$")
INDEX = re.compile(r"^(\s*)(.*%\w+)\[(%\w+)\]([^\[\]]*mbarrier<(\d+)>>?)$")
MULTICAST = re.compile(r"^(.*) multicast = %\w+(.*)$")
ENTRY = re.compile(r"entry @(\w+)\(([^)]*)\)")
PART = re.compile(r"^(\s*)(%\w+ = subview %\w+\[)(%\w+)(.*: shared<)(\d+)(x.*)$")


def shifted(blank, index, slots, before, behind):
    """The line with the next slot in place of an index."""
    yield "shifted by one", [
        f"{blank}%mutant_next = constant <i32: 1> : tile<i32>",
        f"{blank}%mutant_slots = constant <i32: {slots}> : tile<i32>",
        f"{blank}%mutant_sum = addi {index}, %mutant_next : tile<i32>",
        f"{blank}%mutant_slot = remi %mutant_sum, %mutant_slots unsigned : tile<i32>",
        f"{blank}{before}%mutant_slot{behind}"]


def mutants_of(line):
    """(what was done, the lines instead) for each mistake in a line."""
    code = line.split("//")[0]
    if REMOVED.match(code):
        yield "without it", []
    wait = WAIT.match(code.rstrip())
    if wait:
        yield "ends too early", [f"{wait[1]}{int(wait[2]) + 1}{wait[3]}"]
    phase = PHASE.match(code.rstrip())
    if phase:
        yield "for the other phase", [
            f"{phase[1]}%mutant_one = constant <i32: 1> : tile<i32>",
            f"{phase[1]}%mutant_phase = xori {phase[3]}, %mutant_one : tile<i32>",
            f"{phase[1]}{phase[2]}%mutant_phase{phase[4]}"]
    size = BYTES.match(code.rstrip())
    if size:
        yield "fewer bytes", [f"{size[1]}{int(size[2]) // 2}{size[3]}"]
    count = COUNT.match(code.rstrip())
    if count:
        yield "one arrival more", [f"{count[1]}{int(count[2]) + 1}{count[3]}"]
    index = INDEX.match(code.rstrip())
    if index and int(index[5]) > 1:
        yield from shifted(index[1], index[3], index[5], f"{index[2]}[", f"]{index[4]}")
    multicast = MULTICAST.match(code.rstrip())
    if multicast:
        yield "to itself only", [multicast[1] + multicast[2]]
    part = PART.match(code.rstrip())
    if part and int(part[5]) > 1:
        yield from shifted(part[1], part[3], part[5], part[2], f"{part[4]}{part[5]}{part[6]}")


def says(line, word, what):
    """Whether a comment speaks of what was done: "// WORD: why", "// WORD WHAT, ANOTHER: why"."""
    return any(not found[1] or what in found[1].strip().split(", ")
               for found in re.finditer(f"// {word}( [^:]*)?:", line))


def kernel_alone(lines, name):
    """The lines of the file, those of other kernels empty."""
    kept, inside = [], None
    for line in lines:
        found = ENTRY.search(line)
        if found:
            inside = found[1]
        kept.append(line if inside in (None, name) else "")
        if re.match("  }$", line):
            inside = None
    return kept


def parameters(path):
    """The kernel's name, and those of its parameters."""
    with open(path, encoding="utf-8") as text:
        found = ENTRY.search(text.read())
    return found[1], re.findall(r"%(\w+):", found[2])


def commands(tessera, path, folder, words, names, target):
    """What executes the kernel under the sanitizer, or on the emulator."""
    saves = {name: f"{folder}/{name}.npy" for name in names}
    if not target or target.startswith("emu:"):
        yield [tessera, "run", path, "-t", target or "interp", "--sanitize=all", *words,
               *[f"--save={name}={file}" for name, file in saves.items()]]
        return
    kernel, all_names = parameters(path)
    yield [tessera, "build", path, "--target", target, "--emit", "ptx", "-o", f"{folder}/k.ptx"]
    words = [re.sub("^i32:(?=[0-9]+$)", "i64:", word) for word in words]  # as PTX takes them
    yield [tessera, "ptx", f"{folder}/k.ptx", "--check", "--async", "late", *words,
           *[f"--save={kernel}_param_{all_names.index(name)}={file}"
             for name, file in saves.items()]]


def run(tessera, path, folder, words, names, target, limit):
    """(exit status, what was said, what the buffers hold)."""
    for name in names:
        if os.path.exists(f"{folder}/{name}.npy"):
            os.remove(f"{folder}/{name}.npy")
    for command in commands(tessera, path, folder, words, names, target):
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=limit)
        except subprocess.TimeoutExpired:
            return ENDLESS, "it does not end", []
        if done.returncode:
            break
    held = []
    for name in names:
        if os.path.exists(f"{folder}/{name}.npy"):
            with open(f"{folder}/{name}.npy", "rb") as file:
                held.append(file.read())
    return done.returncode, done.stdout.decode(errors="replace"), held


def run_timed(others, tessera, path, folder, words, names, target, limit):
    """As run; what is said names another arrival of copies of which something else is said, or
    after which buffers differ that should not."""
    status, said, held = run(tessera, path, folder, words, names, target, limit)
    for how in others:
        again = run(tessera, path, folder, words + ["--async", how], names, target, limit)
        if again[:2] != (status, said):
            return -1, f"with --async {how}: {again[1]}\nwithout: {said}", held
        if not status and again[2] != held:
            return -1, f"with --async {how}: another result\n{said}", held
    return status, said, held


def main():
    tessera, folder, *words = sys.argv[1:]
    target = None
    if words[0].startswith("--ptx="):
        target = words.pop(0)[len("--ptx="):]
    elif words[0].startswith("--emu="):
        target = "emu:" + words.pop(0)[len("--emu="):]
    others = ["late", "random"] if words[0] == "--async" else []
    if others:
        words.pop(0)
    limit = float(words.pop(0)[len("--limit="):]) if words[0].startswith("--limit=") else 60
    file = words.pop(0)
    names = [words[i + 1] for i, word in enumerate(words) if word == "--save"]
    words = [word for i, word in enumerate(words)
             if word != "--save" and (i == 0 or words[i - 1] != "--save")]
    os.makedirs(folder, exist_ok=True)
    with open(file, encoding="utf-8") as text:
        lines = text.read().splitlines()
    if "-k" in words:
        at = words.index("-k")
        lines = kernel_alone(lines, words[at + 1])
        del words[at:at + 2]
    path = os.path.join(folder, "mutant.mlir")
    with open(path, "w", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")
    status, said, right = run_timed(others, tessera, path, folder, words, names, target, limit)
    if status:
        sys.exit(f"{file}: exit status {status}, without a mistake\n{said}")
    count = harmless = missed = 0
    for number, line in enumerate(lines):
        for what, instead in mutants_of(line):
            with open(path, "w", encoding="utf-8") as out:
                out.write("\n".join(lines[:number] + instead + lines[number + 1:]) + "\n")
            status, said, held = run_timed(others, tessera, path, folder, words, names, target, limit)
            excused = says(line, "harmless", what) or bool(
                target and "// harmless on a GPU:" in line)
            other = says(line, "another kernel", what)
            unseen = bool(target and says(line, "unseen on a GPU", what))
            count += 1
            harmless += excused or other
            wrong = None
            if status < 0:
                wrong = said if "--async" in said else f"signal {-status}\n{said}"
            elif excused and status:
                wrong = f"something is found, though the line says that it is harmless\n{said}"
            elif excused and held != right:
                wrong = "another result, though the line says that it is harmless"
            elif other and (status or held == right):
                wrong = f"it is no other kernel that breaks no rule\n{said}"
            elif not excused and not other and not unseen and not status:
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
