#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of kernels/ by way of the block level: printed as the GPU backend plans them, read again.

  bridge.py TESSERA SCRATCH TARGET[-tma|-cluster] [FILE.KERNEL[:CLUSTER]...]

Without names all of them, and that those which have no such form are the ones listed here; with
-tma or -cluster in the form with a role of threads that loads (--emit block-tma), for tile blocks
together, those that have it; with :4 four of them. The
arguments are those of bench/gpu/pack.py. The printed text must hold no load, store or product of the
tile level without a layout, be printed as it is when it is read, leave the same bits with the
interpreter, under its sanitizer, as the kernel, and the same bits on the emulator, under its checks,
as the kernel compiled for the target, in about as few instructions and conflicts (SLOWER, CONFLICTS). Where it copies ahead, another swizzle, another number of
stages and another wait are written into it: each must change the PTX; with the first two, and a wait
for all copies, the interpreter must find nothing and leave the same bits.
"""
import json
import os
import re
import struct
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "bench", "gpu"))
import counters  # noqa: E402
import pack  # noqa: E402

# What has no form at the block level yet, by a part of the kernel's name.
REFUSED = {"sm_90a": r"gemm_(u8)?s8_"}
# Which kernels have a form with roles, by a part of FILE.KERNEL.
HAS_FORM = {"tma": r"^(gemm|gemm_tiles)\.gemm_(nt_)?(tf32|bf16|f16|f8\w+)_|attention_bf16"}
HAS_FORM["cluster"] = HAS_FORM["tma"]
NO_FORM = "has no such form"
# How many times the instructions of the compiled kernel, by a part of its name.
SLOWER = [("f8E.*_128x128x64", 1.75), ("gather_rows", 1.45), ("s8_128|1x1024x32", 1.2),
          ("fused_moe|split_i4|nt_f8", 1.12), ("attention_f32", 1.08), (".", 1.05)]
# The same of wavefronts in shared memory, of which conflicts make more.
CONFLICTS = [("f8E|s8_128", 5), (".", 1.05)]
# With roles: the last iteration of a loop begins a product early whose result is not used.
FORM_SLOWER = [("attention", 1.1), (".", 1.05)]
# Where tiles of f32 are stored through shared memory, by store_shared.
FORM_CONFLICTS = [("f8E.*_128x128x64", 5), (".", 1.35)]
TILE_LEVEL = re.compile(r"^\s*(%[\w:, %]+ = )?(load_view_tko|store_view_tko|atomic_red_view_tko)\b")
WITH_LAYOUT = re.compile(r"^\s*(%[\w:, %]+ = )?(load_ptr_tko|store_ptr_tko|mmaf|mmai|reduce|scan)\b")


def write_npy(scratch):
    def write(name, values):
        path = os.path.join(scratch, name + ".npy")
        header = "{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
        header += " " * (-(10 + len(header) + 1) % 64) + "\n"
        with open(path, "wb") as f:
            f.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
            f.write(struct.pack("<%di" % len(values), *values))
        return path
    return write


def kernel_alone(file, name):
    """The module with this kernel only."""
    with open(os.path.join(ROOT, "kernels", file + ".mlir")) as f:
        head, *entries = re.split(r"(?m)^(?=  entry )", f.read().rstrip()[:-1])
    return head + next(e for e in entries if e.startswith("  entry @%s(" % name)) + "}\n"


class Failure(Exception):
    pass


class Kernel:
    def __init__(self, tessera, scratch, target, check, cluster=None):
        self.tessera = tessera
        self.target, _, self.form = target.partition("-")
        self.file, self.name, self.grid, arguments = check[:4]
        self.arguments = arguments.split()
        if self.form and "f8E" in self.name:  # rows of tensor maps have whole 16 bytes
            self.arguments = [re.sub(r"(?<!\d)72(?!\d)", "80", a) for a in self.arguments]
        self.base = os.path.join(scratch, "%s.%s" % (self.file, self.name))
        text = kernel_alone(self.file, self.name)
        if cluster:
            hint = " optimization_hints=<sm_90 = {num_cta_in_cga = %s}> {\n" % cluster
            text = re.sub(r"(\n  entry @.*\)) {\n", lambda m: m[1] + hint, text)
        self.source = self.write("tile", text)

    def write(self, what, text):
        path = "%s.%s.mlir" % (self.base, what)
        with open(path, "w") as f:
            f.write(text)
        return path

    def call(self, *arguments):
        done = subprocess.run([self.tessera, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise Failure("tessera %s\n%s" % (" ".join(arguments), done.stdout + done.stderr))
        return done.stdout

    def build(self, path, form):
        return self.call("build", path, "--target", self.target, "--emit", form)

    def count(self, path):
        """Instructions that warps execute, and wavefronts in shared memory."""
        ptx, report = self.base + ".ptx", self.base + ".json"
        watch = "--counters", "--card", "h100", "--report", report
        if self.form:
            self.call("run", path, "-t", "emu:" + self.target, "-g", self.grid, *watch,
                      *self.arguments)
            return self.total(report)
        with open(ptx, "w") as f:
            f.write(self.build(path, "ptx"))
        launch = self.build(path, "launch").split()
        self.call("ptx", ptx, "-k", launch[1], "-g", self.grid, "--shared", launch[4], *watch,
                  *map(counters.as_word, self.arguments))
        return self.total(report)

    @staticmethod
    def total(report):
        with open(report) as f:
            total = json.load(f)["counters"]["total"]
        return total["warps"], total["wavefronts"]

    def run(self, path, device, *options):
        """What the buffers hold that begin with zeros, or are named."""
        saved = ["%s.%d.npy" % (self.base, i) for i, a in enumerate(self.arguments)
                 if re.match(r"(\w+=)?zeros:|\w+=\w+:", a)]
        names = [s.split(".")[-2] for s in saved]
        options = [*options, *(w for n, s in zip(names, saved) for w in ("--save", f"arg{n}={s}"))]
        self.call("run", path, "-t", device, "-g", self.grid, *options, *self.arguments)
        result = []
        for path in saved:
            with open(path, "rb") as f:
                result.append(f.read())
        return result

    def widen_grid(self, text):
        """To whole clusters: tile blocks outside of the tensors store nothing."""
        sizes = re.search(r"threads\(\d+\) cluster\(([\d, ]+)\)", text)
        sizes = [int(n) for n in sizes[1].split(",")] if sizes else []
        grid = [int(n) for n in self.grid.split(",")]
        grid += [1] * (len(sizes) - len(grid))
        for d, size in enumerate(sizes):
            grid[d] = -(-grid[d] // size) * size
        self.grid = ",".join(map(str, grid))

    def print(self):
        done = subprocess.run([self.tessera, "build", self.source, "--target", self.target, "--emit",
                               "-".join(filter(None, ("block", self.form)))], capture_output=True, text=True)
        if done.returncode:
            if "has no form at the block level yet" not in done.stderr:
                raise Failure(done.stderr)
            if not re.match(r".*:\d+:\d+: error: '\w+' ", done.stderr):
                raise Failure("the refusal names no operation and line: " + done.stderr)
            return None
        return done.stdout


def check_text(text):
    for number, line in enumerate(text.splitlines(), 1):
        code = line.split("//")[0]
        layouts = "<" in code and re.search(r"tile<[^<>]*[x\d](ptr<\w+>|\w+), ", code)
        scalar = re.search(r": tile<ptr<\w+>>", code)
        if TILE_LEVEL.search(code) or (WITH_LAYOUT.search(code) and not layouts and not scalar):
            raise Failure("line %d is of the tile level: %s" % (number, line.strip()))


def swizzled_otherwise(text):
    return re.sub(r"Sw<(\d),(\d),(\d)>",
                  lambda m: "Sw<%d,%s,%s>" % (max(int(m[1]) - 1, 1), m[2],
                                              m[3] if m[1] != "1" else int(m[3]) + 1), text)


def in_half_panels(text):
    """Rows of 64 elements of 16 bits along k, which one box holds, in two boxes with another swizzle."""
    found = re.search(r"tensor_map<(\d+)x64xb?f16, (#\w+)>", text)
    layout = found and re.search(r"%s = layout<Sw<3,3,3> o \(%s,64\):\(64,1\)>" % (found[2], found[1]), text)
    if not layout or "%slice" in text or text.count("-> " + found[0]) > 1:  # others lie so, too
        return None
    rows = int(found[1])
    text = text.replace(found[0], "tensor_map<%dx32x%s, Sw<2,3,3> o (%d,32):(32,1)>"
                        % (rows, "bf16" if "bf16" in found[0] else "f16", rows))
    text = text.replace(layout[0], "%s = layout<Sw<2,3,3> o (%d,(32,2)):(32,(1,%d))>"
                        % (found[2], rows, 32 * rows))
    return re.sub(r"Sw<3,3,3> o \((\d),%d,64\):\((\d+),64,1\)" % rows,
                  r"Sw<2,3,3> o (\1,%d,(32,2)):(\2,32,(1,%d))" % (rows, 32 * rows), text)


def with_other_stages(text, more):
    """Of each pipeline; None: its stages are not written as they are here."""
    stages = {int(n) for n in re.findall(r"%stages\w* = constant <i\d+: (\d+)>", text)}
    if len(stages) != 1 or stages == {1 - more}:
        return None
    n = stages.pop()
    text = re.sub(r"(%%\w*stages\w* = constant <i\d+: )%d>" % n, r"\g<1>%d>" % (n + more), text)
    text = re.sub(r"(%%ahead\w* = constant <i\d+: )%d>" % (n - 1), r"\g<1>%d>" % (n - 1 + more), text)
    text = re.sub(r"cp_async_wait %d" % (n - 2), "cp_async_wait %d" % (n - 2 + more), text)
    text = re.sub(r"mbarrier<%d>" % n, "mbarrier<%d>" % (n + more), text)
    text = re.sub(r"shared<%dx(\d+x\d+x\w+), (#\w+|Sw|\()" % n, r"shared<%dx\1, \2" % (n + more), text)
    text = re.sub(r"shared<%dx(1x\d+x\d+x\w+), (#\w+|Sw|\()" % n, r"shared<%dx\1, \2" % (n + more), text)
    return re.sub(r"(o |layout<|, )\(%d,(\(|\d)" % n, r"\g<1>(%d,\2" % (n + more), text)


def check_edits(kernel, text, ptx, expected):
    done = 0
    if "tensor_load" in text:
        edits = [("swizzle", in_half_panels(text)), ("stages", with_other_stages(text, -1)),
                 ("wait", re.sub(r"wgmma_wait [1-9]\d*", "wgmma_wait 0", text))]
    else:
        edits = [("swizzle", swizzled_otherwise(text)), ("stages", with_other_stages(text, 1)),
                 ("wait", re.sub(r"cp_async_wait [1-9]\d*", "cp_async_wait 0", text))]
    for what, edited in edits:
        if edited is None or edited == text:
            continue
        path = kernel.write(what, edited)
        try:
            same = kernel.build(path, "ptx") == ptx
        except Failure as failure:
            if "shared memory" not in str(failure):
                raise
            continue  # there is no room for another stage
        if same:
            raise Failure("%s: another %s gives the same PTX" % (path, what))
        done += 1
        if kernel.run(path, "interp", "--sanitize=all") != expected:
            raise Failure("%s: another %s gives another result" % (path, what))
    return done


def check_kernel(kernel):
    """What was done; None: it was refused."""
    text = kernel.print()
    if text is None:
        return None
    if kernel.form and "role @" not in text:
        return NO_FORM
    kernel.widen_grid(text)
    check_text(text)
    path = kernel.write("block", text)
    if kernel.call("fmt", path) != text:
        raise Failure("%s is not printed as it is" % path)
    expected = kernel.run(kernel.source, "interp")
    if kernel.run(path, "interp", "--sanitize=all") != expected:
        raise Failure("%s: the interpreter leaves other bits" % path)
    device = "emu:" + kernel.target
    if kernel.run(path, device, "--sanitize=all") != kernel.run(kernel.source, device):
        raise Failure("%s: %s leaves other bits" % (path, device))
    counts = list(zip(kernel.count(path), kernel.count(kernel.source)))
    allowed = (FORM_SLOWER, FORM_CONFLICTS) if kernel.form else (SLOWER, CONFLICTS)
    for what, limits, (got, had) in zip(("instructions", "wavefronts"), allowed, counts):
        if got > had * next(limit for part, limit in limits if re.search(part, kernel.name)):
            raise Failure("%s: %d %s, not %d" % (path, got, what, had))
    edits = check_edits(kernel, text, kernel.build(path, "ptx"), expected) if re.search("cp_async |tensor_load ", text) else 0
    what = "agrees, in %.2f of the instructions" % (counts[0][0] / counts[0][1])
    return what + (", %d edits change the PTX" % edits if edits else "")


def main(tessera, scratch, target, *names):
    os.makedirs(scratch, exist_ok=True)
    clusters = dict(name.partition(":")[::2] for name in names)
    done, failed = {}, 0
    for check in pack.kernel_checks(write_npy(scratch)):
        name = "%s.%s" % check[:2]
        if names and name not in clusters:
            continue
        try:
            kernel = Kernel(tessera, scratch, target, check, clusters.get(name))
            done[name] = check_kernel(kernel)
            print(name, done[name] or "is refused", flush=True)
        except Failure as failure:
            print(name, "FAILED:", failure, flush=True)
            failed += 1
    unknown = set(clusters) - set(done)
    refused = {name for name, what in done.items() if what is None}
    expected = {name for name in done if re.search(REFUSED.get(target.partition("-")[0], "$^"), name)}
    form = HAS_FORM.get(target.partition("-")[2])
    for name, what in done.items():
        if form and what and (what != NO_FORM) != bool(re.search(form, name)):
            print("FAILED:", name, what)
            failed += 1
    if unknown or refused != expected:
        print("FAILED: refused are %s, not %s" % (sorted(refused), sorted(expected)))
    sys.exit(bool(failed or unknown or refused != expected))


if __name__ == "__main__":
    main(*sys.argv[1:])
