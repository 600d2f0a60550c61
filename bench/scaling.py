#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether files take time and memory in proportion to their size. One command, no packages needed:

    python3 bench/scaling.py [--build BUILD] [--only PART] [--least SECONDS] [--keep FOLDER]

Each line is one way to use the command `tessera` on one shape of file: of n bytes, where reading it
takes some time, and of twice as many. It prints processor time of both, less what the command takes
for next to nothing, peak memory, and how many times as much the longer file takes. What is more
than 2.6 times is marked, and makes the exit status 1.

  text, bytecode, ptx, layout, npy   the readers (check, fmt, as, dis; ptx; layout; run)
  opt                                each pass of the optimiser on its own, and -O3
  cpu, gpu                           code for this processor and for an sm_90a

--only takes one of these, or a part of a shape's name or of a command. Sizes double from a small
one until the time is at least --least (0.05 s) or the file has 8 MB, so that quick shapes
are looked at when they are long, slow ones when they are short.
"""
import argparse
import os
import resource
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_RATIO, MOST_BYTES, MOST_SECONDS, MOST_MEMORY = 2.6, 8 << 20, 60, 6 << 30
NOTHING_SECONDS, NOTHING_MB = 0.02, 8  # less than these says nothing

# ---- Tile IR ------------------------------------------------------------------------------------


def module(body):
    return "cuda_tile.module @m {\n" + body + "}\n"


def entry(body, arguments="%n: tile<i32>"):
    return module(f"entry @k({arguments}) {{\n{body}}}\n")


def lines(n, line):
    """The line for each number from 0 to n - 1, which `@` stands for."""
    return "".join(line.replace("@", str(i)) for i in range(n))


def kernels(n):
    return module("".join(f"entry @k{i}() {{\n}}\n" for i in range(n)))


def small_kernels(n):
    body = "  %c = constant <i32: 3> : tile<i32>\n  %d = addi %c, %n : tile<i32>\n" \
           "  print \"%d\", %d : tile<i32>\n"
    return module("".join(f"entry @k{i}(%n: tile<i32>) {{\n{body}}}\n" for i in range(n)))


def chain(n):
    return entry("%v0 = addi %n, %n : tile<i32>\n" +
                 lines(n, "%w@ = muli %n, %n : tile<i32>\n%v@x = addi %w@, %n : tile<i32>\n") +
                 "print \"%d\", %v0 : tile<i32>\n")


def dependent(n):
    body = "%v0 = addi %n, %n : tile<i32>\n"
    body += "".join(f"%v{i} = xori %v{i - 1}, %n : tile<i32>\n" for i in range(1, n))
    return entry(body + f"print \"%d\", %v{n - 1} : tile<i32>\n")


def constants(n):
    return entry(lines(n, "%c@ = constant <i32: @> : tile<i32>\n"
                          "%d@ = addi %c@, %n : tile<i32>\n"))


def used_constants(n):
    return entry("".join(f"%c{i} = constant <i32: {i}> : tile<i32>\n%d{i} = addi %c{i}, %n : "
                         f"tile<i32>\nprint \"%d\", %d{i} : tile<i32>\n" for i in range(n)))


def dense(n):
    n = 1 << max(4, n.bit_length())
    return entry(f"%c = constant <i32: [{', '.join(map(str, range(n)))}]> : tile<{n}xi32>\n")


def types(n):
    return entry("".join(
        f"%v{i} = make_tensor_view %p, shape = [{i + 1}, 7], strides = [{i + 9}, 1] : "
        f"tensor_view<{i + 1}x7xf32, strides=[{i + 9},1]>\n" for i in range(n)),
        "%p: tile<ptr<f32>>")


def branches(n):
    body = "%c = constant <i1: 1> : tile<i1>\n"
    return entry(body + lines(n, "if %c {\nprint \"%d\", %n : tile<i32>\n}\n"))


def loops(n):
    return entry("%a = constant <i32: 0> : tile<i32>\n%s = constant <i32: 1> : tile<i32>\n" +
                 lines(n, "for %i@ in (%a to %n, step %s) : tile<i32> {\n"
                          "print \"%d\", %i@ : tile<i32>\n}\n"))


def loads_and_stores(n):
    body = ""
    for i in range(n):
        body += (f"%l{i}, %t{i} = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token\n"
                 f"%u{i} = store_ptr_tko weak %p, %l{i} token=%t{i} : tile<ptr<f32>>, tile<f32> "
                 "-> token\n")
    return entry(body, "%p: tile<ptr<f32>>")


def print_operands(n):
    n = max(n, 1)
    names = ", ".join(["%n"] * n)
    kinds = ", ".join(["tile<i32>"] * n)
    return entry(f"print \"{'%d' * n}\", {names} : {kinds}\n")


def huge_tiles(n):
    """Stores of a tile of 512 n elements."""
    n = 512 << (n.bit_length() - 1)
    return entry(f"""%i = iota : tile<{n}xi32>
%r = reshape %p : tile<ptr<i32>> -> tile<1xptr<i32>>
%b = broadcast %r : tile<1xptr<i32>> -> tile<{n}xptr<i32>>
%o = offset %b, %i : tile<{n}xptr<i32>>, tile<{n}xi32> -> tile<{n}xptr<i32>>
%t = store_ptr_tko weak %o, %i : tile<{n}xptr<i32>>, tile<{n}xi32> -> token
""", "%p: tile<ptr<i32>>")


def kept_tiles(n):
    """Loops that each print a tile from memory of their own, one tile of all in front of them."""
    return entry("%a = constant <i32: 0> : tile<i32>\n%s = constant <i32: 1> : tile<i32>\n"
                 "%t = iota : tile<16xi32>\n" +
                 lines(n, "%t@ = muli %t, %t : tile<16xi32>\n"
                          "for %i@ in (%a to %n, step %s) : tile<i32> {\n"
                          "print \"%d %d\", %t@, %t : tile<16xi32>, tile<16xi32>\n}\n"))


def unknown_names(n):
    return entry(lines(n, "print \"%d\", %u@ : tile<i32>\n"))


def names_used_early(n):
    return entry(lines(n, "print \"%d\", %u@ : tile<i32>\n") +
                 lines(n, "%u@ = constant <i32: 1> : tile<i32>\n"))


def names_twice(n):
    return entry(lines(n, "%u@ = constant <i32: 1> : tile<i32>\n") * 2)


def unknown_operations(n):
    return entry(lines(n, "nothing@ %n\n"))


def one_long_line(n):
    return entry(lines(n, "nothing@ %n ").replace("\n", " "))


def comments(n):
    return entry(lines(n, "// a comment, with the number @\n"))


def locations(n):
    return entry(lines(n, "print \"%d\", %n : tile<i32> loc(#loc@)\n")) + \
        lines(n, "#loc@ = loc(\"file.py\":@:1)\n")


def missing_locations(n):
    return entry(lines(n, "print \"%d\", %n : tile<i32> loc(#loc@)\n"))


def similar_names(n):
    """Names that differ in single bytes far from each other."""
    return entry("".join(f"%{chr(97 + i % 26)}aaaaaa{chr(97 + i // 26 % 26)}aaaaaaa{i // 676} = "
                         "constant <i32: 1> : tile<i32>\n" for i in range(n)))


# ---- PTX ----------------------------------------------------------------------------------------

HEAD = ".version 8.3\n.target sm_90a\n.address_size 64\n"


def ptx(body):
    return HEAD + ".visible .entry k(.param .u64 p) {\n" + body + "ret;\n}\n"


def ptx_instructions(n):
    return ptx(".reg .b32 %r<4>;\n" + "add.u32 %r1, %r2, %r3;\n" * n)


def ptx_registers(n):
    return ptx(lines(n, ".reg .b32 %a@;\n") + lines(n, "mov.u32 %a@, 1;\n"))


def ptx_register_lists(n):
    return HEAD + lines(n, ".func f@() { .reg .b32 %r<200000>; mov.u32 %r199999, 1; ret; }\n")


def ptx_families(n):
    return ptx(lines(n, ".reg .b32 %a@b<2>;\n") + lines(n, "mov.u32 %a@b1, 1;\n"))


def ptx_variables(n):
    return HEAD + lines(n, ".global .b8 g@[1048576];\n")


def ptx_initialiser(n):
    return HEAD + f".global .u32 g[{n}] = {{{', '.join(map(str, range(n)))}}};\n"


def ptx_constants(n):
    return ptx(".reg .b32 %r;\n" + lines(n, "mov.u32 %r, @;\n"))


def ptx_entries(n):
    return HEAD + lines(n, ".entry k@() { ret; }\n")


def ptx_entries_share(n):
    return HEAD + ".shared .b32 s;\n" + \
        lines(n, ".entry k@() { .reg .b32 %r; ld.shared.u32 %r, [s]; ret; }\n")


def ptx_calls(n):
    return HEAD + ".func f0() { ret; }\n" + \
        "".join(f".func f{i}() {{ call f{i - 1}; ret; }}\n" for i in range(1, n)) + \
        f".entry k() {{ call f{n - 1}; ret; }}\n"


def ptx_labels(n):
    return ptx(lines(n, "bra L@;\nL@:\n"))


def ptx_scopes(n):
    return ptx("{ .reg .b32 %r; mov.u32 %r, 1; }\n" * n)


def ptx_lines(n):
    return HEAD + '.file 1 "k.cu"\n.entry k() {\n' + lines(n, ".loc 1 @ 1\nbar.sync 0;\n") + \
        "ret; }\n"


def ptx_undeclared(n):
    return ptx(lines(n, "add.u32 %u@, %v@, %w@;\n"))


def ptx_undeclared_beside(n):
    return ptx(lines(n, ".reg .b32 %a@;\n") + lines(n, "mov.u32 %u@, 1;\n"))


def ptx_redeclared(n):
    return ptx(lines(n, ".reg .b32 %a@;\n") * 2)


def ptx_too_deep(n):
    return HEAD + ".entry k() {\n" + "{" * n


def ptx_faults(n):
    return ptx(".reg .b32 %r;\n.reg .b64 %d;\nmov.u64 %d, 0;\n" + "ld.global.u32 %r, [%d];\n" * n)


# ---- others -------------------------------------------------------------------------------------


def layout_product(n):
    """An expression; at most 4000 characters are accepted."""
    return " * ".join(["local(1, 1)"] * n)


def npy(n):
    n = max(n, 16)
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({n},), }}"
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode() + bytes(4 * n)


IDLE = module("entry @k(%p: tile<ptr<f32>>) {\n}\n")

# Whose size is not the file's, or is limited: the largest n.
MOST = {huge_tiles: 1 << 14, layout_product: 128}

# ---- what is measured ---------------------------------------------------------------------------
# (part, command with FILE for the file, shapes). What can't be read is meant to be wrong: those
# commands have exit status 1.

GOOD = [kernels, small_kernels, chain, dependent, constants, dense, types, branches, loops,
        loads_and_stores, print_operands, huge_tiles, comments, locations, similar_names]
WRONG = [unknown_names, names_used_early, names_twice, unknown_operations, one_long_line,
         missing_locations]
PASSES = ["canonicalize", "cse", "dce", "licm", "propagate", "loop-split", "fuse-fma",
          "synthesize-debug-info-scopes", "memory", "split-masks", "join-steps"]
OPTIMISED = [kernels, small_kernels, chain, dependent, used_constants, branches, loops,
             loads_and_stores, print_operands, huge_tiles]
BUILT = [kernels, small_kernels, dependent, used_constants, branches, loops, loads_and_stores,
         print_operands, huge_tiles, kept_tiles]
GOOD_PTX = [ptx_instructions, ptx_registers, ptx_register_lists, ptx_families, ptx_variables,
            ptx_initialiser, ptx_constants, ptx_entries, ptx_entries_share, ptx_calls, ptx_labels,
            ptx_scopes, ptx_lines]
WRONG_PTX = [ptx_undeclared, ptx_undeclared_beside, ptx_redeclared, ptx_too_deep]


def uses():
    """(part, shape, command, whether the file is first made to bytecode)"""
    for shape in GOOD:
        yield "text", shape, ["check", "FILE"], False
        yield "text", shape, ["fmt", "FILE"], False
        yield "bytecode", shape, ["as", "FILE", "-o", "/dev/null"], False
        yield "bytecode", shape, ["dis", "FILE"], True
    for shape in WRONG:
        yield "text", shape, ["check", "--error-limit=0", "FILE"], False
        yield "text", shape, ["check", "FILE"], False
    for shape in GOOD_PTX:
        yield "ptx", shape, ["ptx", "FILE"], False
    for shape in WRONG_PTX:
        yield "ptx", shape, ["ptx", "--error-limit=0", "FILE"], False
        yield "ptx", shape, ["ptx", "FILE"], False
    for how in ["--check", "--schedule=adversarial"], ["--counters"]:
        yield "ptx", ptx_instructions, ["ptx", "FILE", "-g", "2", "-b", "64", *how, "i64:0"], False
        yield "ptx", ptx_faults, ["ptx", "FILE", "-g", "2", "-b", "64", *how, "i64:0"], False
    yield "layout", layout_product, ["layout", "TEXT", "--as=tilus"], False
    yield "npy", npy, ["run", "IDLE", "-g", "1", "--target=interp", "FILE"], False
    for name in PASSES:
        for shape in OPTIMISED:
            yield "opt", shape, ["opt", f"--passes={name}", "FILE"], False
    for shape in OPTIMISED:
        yield "opt", shape, ["opt", "-O", "3", "FILE"], False
    for shape in BUILT:
        for level in "baseline", "avx2":
            yield "cpu", shape, ["build", f"--cpu={level}", "--emit=obj", "FILE", "-o",
                                 "/dev/null"], False
        yield "gpu", shape, ["build", "--target=sm_90a", "--emit=ptx", "FILE", "-o",
                             "/dev/null"], False


class Bench:
    def __init__(self, build, folder, least):
        self.tessera = os.path.join(build, "bin", "tessera")
        self.folder, self.least = folder, least
        self.idle = self.write("idle.mlir", IDLE)
        self.empty = {}

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def run(self, command):
        """Processor seconds and peak MB; seconds are None when it took too long or too much."""
        def limit():
            resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
            resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
        environment = dict(os.environ, TESSERA_CACHE="off")
        child = subprocess.Popen([self.tessera, *command], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, preexec_fn=limit, env=environment)
        _, status, use = os.wait4(child.pid, 0)
        child.returncode = status
        # What is wrong in a file is said and the status is 1; a wrong call has 2.
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) not in (0, 1):
            sys.exit(f"scaling: this ended with {status}: tessera {' '.join(command)}")
        return (use.ru_utime + use.ru_stime if os.WIFEXITED(status) else None,
                use.ru_maxrss / 1024)

    def measure(self, shape, command, is_bytecode, n, rounds):
        content = shape(n)
        size = len(content)
        path = self.write("file.npy" if shape is npy else "file", content)
        if is_bytecode:
            self.run(["as", path, "-o", path + ".tilebc"])
            path += ".tilebc"
            size = os.path.getsize(path)
        words = {"FILE": path, "IDLE": self.idle, "TEXT": content}
        runs = [self.run([words.get(w, w) for w in command]) for _ in range(rounds)]
        if any(seconds is None for seconds, _ in runs):
            return size, None, max(mb for _, mb in runs)
        return size, min(seconds for seconds, _ in runs), max(mb for _, mb in runs)

    def start_of(self, shape, command, is_bytecode):
        """The seconds that the command takes for next to nothing."""
        key = tuple(command)
        if key not in self.empty:
            self.empty[key] = self.measure(shape, command, is_bytecode, 1, 3)[1] or 0
        return self.empty[key]

    def line(self, part, shape, command, is_bytecode):
        start = self.start_of(shape, command, is_bytecode)
        n = 16
        while True:
            size, seconds, _ = self.measure(shape, command, is_bytecode, n, 1)
            # Four times the length would be too long, or it is long enough.
            if seconds is None or seconds - start >= self.least or 4 * size > MOST_BYTES:
                break
            if 2 * n >= MOST.get(shape, 1 << 30):
                break
            n *= 2
        one = self.measure(shape, command, is_bytecode, n, 3)
        two = self.measure(shape, command, is_bytecode, 2 * n, 3)
        how = " ".join(w for w in command if w not in ("FILE", "TEXT", "IDLE", "-o", "/dev/null"))
        name = f"{part:8} {shape.__name__:22} {how}"
        if one[1] is None or two[1] is None:
            print(f"{name:66} {one[0]:9,} bytes   STOPPED, {two[2]:.0f} MB", flush=True)
            return False
        a, b = max(one[1] - start, 0), max(two[1] - start, 0)
        c, d = one[2], two[2]
        # Because of headers and rounding a file is not quite twice as long.
        longer = 1 if shape in MOST else two[0] / one[0] / 2
        time = b / a / longer if a >= NOTHING_SECONDS else 0
        memory = d / c / longer if c >= NOTHING_MB else 0
        good = max(time, memory) <= MOST_RATIO
        text = [f"{x:4.1f}x" if x else "    -" for x in (time, memory)]
        print(f"{name:66} {one[0]:9,} bytes  {a:6.3f} {b:6.3f} s {text[0]}  {c:5.0f} {d:5.0f} MB "
              f"{text[1]}{'' if good else '  MORE THAN LINEAR'}", flush=True)
        return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--only", default="")
    parser.add_argument("--least", type=float, default=0.05)
    parser.add_argument("--keep", help="the folder for the files, which stay there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        bench = Bench(options.build, options.keep or temporary, options.least)
        print("n bytes and 2n: processor time, less what next to nothing takes, and peak memory\n")
        bad = ran = 0
        for part, shape, command, is_bytecode in uses():
            name = f"{shape.__name__} {' '.join(command)}"
            if options.only != part and options.only not in name:
                continue
            ran += 1
            bad += not bench.line(part, shape, command, is_bytecode)
    if not ran:
        sys.exit(f"scaling: nothing matches '{options.only}'")
    print(f"\n{ran} measured, {bad} of them grow by more than {MOST_RATIO} when the file doubles")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
