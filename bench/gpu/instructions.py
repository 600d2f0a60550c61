#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Machine instructions of kernels of kernels/, beside those of Triton's and CUTLASS' of the same form.

  instructions.py [--only PART_OF_A_NAME,...] [--mix] [--out FILE]
                  [--build BUILD] [--ptxas FILE] [--nvdisasm FILE] [--cutlass FOLDER] [--keep FOLDER]

Nothing runs, so no GPU is needed: one ptxas assembles the PTX of all sides, nvdisasm (CUDA's, or the one
that Triton brings) prints what it made. Of each kernel with products the table has the loops that hold
tensor instructions, NOPs left out: the loops' instructions, how many of these are tensor instructions, how
many of the form's units (scores of a thread, wgmma, mma, elements of a thread) an iteration has, and
instructions for each of them. A loop without a mask beside one with masks has a line of its own. Of
kernels without products all instructions count. `rest` are the instructions outside of those loops, `sel`
the selects among them, `slow` the calls of subroutines.

Triton's lines need the package triton; CuTe's needs nvcc and --cutlass, a copy of NVIDIA/cutlass. What is
left out for want of them is said at the end.
"""
import argparse
import collections
import datetime
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TENSOR = ("HGMMA", "HMMA", "IMMA", "QGMMA", "IGMMA", "DMMA")
PRODUCER = 128  # threads of the form with tensor maps that only copy
CUTE = "examples/cute/tutorial/hopper/wgmma_tma_sm90.cu"


class Form:
    """One line or more of the table. `unit` names what is counted, `whole` how many a tile block has, to
    be divided among its threads; 0: the tensor instructions themselves."""

    def __init__(self, title, target, unit, whole, make, text=""):
        self.title, self.target, self.unit, self.whole = title, target, unit, whole
        self.make, self.text = make, text


def ours(title, target, unit, whole, file, kernel, form=""):
    """A kernel of kernels/; `form` is what its symbol ends in."""
    def make(tools):
        return tools.tessera(file, target), kernel + form, kernel
    return Form("Tessera " + title, target, unit, whole, make)


def triton(title, target, unit, whole, name, types, warps, stages=3, **constants):
    def make(tools):
        os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
        import triton_kernels
        capability = int(re.search(r"\d+", target)[0])
        ptx = triton_kernels.ptx_of(name, types, constants, capability, warps, stages, tools.ptx_version)
        return tools.write("triton_%s_%s_%d.ptx" % (name, target, len(tools.made)), ptx), name, name
    return Form("Triton " + title, target, unit, whole, make)


def cute():
    def make(tools):
        cubin = os.path.join(tools.scratch, "cute.cubin")
        folders = [os.path.join(tools.cutlass, f) for f in ("include", "tools/util/include", "examples/common")]
        subprocess.run(["nvcc", "-std=c++17", "-arch=sm_90a", "--expt-relaxed-constexpr", "-cubin", "-o", cubin,
                        *("-I" + f for f in folders), os.path.join(tools.cutlass, CUTE)], check=True,
                       stderr=subprocess.DEVNULL)
        return cubin, "", ""
    return Form("CuTe wgmma_tma_sm90, 128x128x64", "sm_90a", "wgmma", 0, make)


GEMM = ["*bf16", "*bf16", "*fp32", "i32", "i32", "i32"]
HEADS = ["*bf16"] * 4 + ["i32", "fp32"]
ROWS = ["*fp32", "*fp32", "i32"]


def forms():
    """Each beside the others of its form."""
    tile = {"BM": 128, "BN": 128, "BK": 64}
    wide = {"BM": 128, "BN": 256, "BK": 64}
    yield ours("gemm_bf16_128x128x64, tma", "sm_90a", "wgmma", 0, "gemm", "gemm_bf16_128x128x64", "$tma")
    yield triton("gemm 128x128x64, tma", "sm_90a", "wgmma", 0, "gemm_described", GEMM, 8, 4, **tile)
    yield triton("gemm 128x128x64, cp.async", "sm_90a", "wgmma", 0, "gemm", GEMM, 8, 4, **tile)
    yield cute()
    yield ours("gemm_bf16_128x256x64, tma", "sm_90a", "wgmma", 0, "gemm_tiles", "gemm_bf16_128x256x64", "$tma")
    yield triton("gemm 128x256x64, tma", "sm_90a", "wgmma", 0, "gemm_described", GEMM, 8, 3, **wide)
    for elem in "f8E4M3FN", "tf32":  # B is turned on its way
        name = "gemm_%s_128x128x64" % elem
        yield ours(name + ", tma", "sm_90a", "wgmma", 0, "gemm", name, "$tma")
    yield ours("gemm_bf16_128x128x64", "sm_80", "mma", 0, "gemm", "gemm_bf16_128x128x64")
    yield triton("gemm 128x128x64", "sm_80", "mma", 0, "gemm", GEMM, 4, 3, **tile)
    masked = HEADS + ["i32"]
    for target, end in ("sm_90a", "$tma"), ("sm_80", ""):
        how = ", tma" if end else ""
        for width, keys in (64, 128), (128, 64), (128, 128):
            scores = 128 * keys
            yield ours("attention_bf16_%d 64x64%s" % (width, how), target, "score", 64 * 64, "attention",
                       "attention_bf16_%d" % width, end)
            yield ours("attention_bf16_%d_128x%d%s" % (width, keys, how), target, "score", scores,
                       "attention_wide", "attention_bf16_%d_128x%d" % (width, keys), end)
            if end:
                yield triton("attention %d, 128x%d, tma, no mask" % (width, 128), target, "score", 128 * 128,
                             "attention_described", HEADS, 8, 2, BM=128, BN=128, D=width)
            yield triton("attention %d, 128x64, masked" % width, target, "score", 128 * 64, "attention_masked",
                         masked, 8 if end else 4, 2, BM=128, BN=64, D=width)
    for target in "sm_90a", "sm_80":
        yield ours("gemm_i4_bf16_1x1024x32", target, "mma", 0, "gemm_weight_only", "gemm_i4_bf16_1x1024x32")
        yield ours("gemm_i4_bf16_16x1024x32", target, "mma", 0, "gemm_weight_only", "gemm_i4_bf16_16x1024x32")
        yield ours("softmax_f32_4096", target, "element", 4096, "softmax", "softmax_f32_4096")
        yield triton("softmax 4096", target, "element", 4096, "softmax", ROWS, 8, SIZE=4096)
        yield ours("rmsnorm_f32_4096", target, "element", 4096, "rmsnorm", "rmsnorm_f32_4096")
        yield triton("rmsnorm 4096", target, "element", 4096, "rmsnorm",
                     ["*fp32", "*fp32", "*fp32", "i32", "fp32"], 8, SIZE=4096)


class Tools:
    def __init__(self, options, scratch):
        self.command = os.path.join(options.build, "bin", "tessera")
        self.ptxas, self.nvdisasm, self.cutlass = options.ptxas, options.nvdisasm, options.cutlass
        self.scratch, self.made = scratch, {}
        said = subprocess.run([self.ptxas, "--version"], check=True, capture_output=True, text=True).stdout
        self.version = re.search(r"release ([\d.]+), V([\d.]+)", said)
        major, minor = map(int, self.version[1].split("."))
        self.ptx_version = min((major - 4) * 10 + minor, 87)  # what the assemblers that Triton brings take, too

    def write(self, name, text):
        path = os.path.join(self.scratch, name)
        with open(path, "w") as f:
            f.write(text)
        self.made[name] = path
        return path

    def tessera(self, file, target):
        name = "%s_%s.ptx" % (file, target)
        if name not in self.made:
            path = os.path.join(self.scratch, name)
            source = os.path.join(ROOT, "kernels", file + ".mlir")
            subprocess.run([self.command, "build", source, "--target", target, "--emit", "ptx", "-o", path],
                           check=True)
            self.made[name] = path
        return self.made[name]

    def assemble(self, ptx):
        """The cubin, and the threads of a block of each kernel."""
        if not ptx.endswith(".ptx"):
            return ptx, {}
        cubin = ptx[:-4] + ".cubin"
        with open(ptx) as f:
            text = f.read()
        if not os.path.exists(cubin):
            chip = re.search(r"^\.target\s+(\w+)", text, re.M)[1]
            subprocess.run([self.ptxas, "-arch=" + chip, ptx, "-o", cubin], check=True, stderr=subprocess.DEVNULL)
        return cubin, {m[1]: int(m[2]) for m in
                       re.finditer(r"\.entry\s+(\S+?)\([^{]*?\.reqntid\s+(\d+)", text)}

    def disassemble(self, cubin):
        """The lines of each function."""
        said = subprocess.run([self.nvdisasm, "-c", cubin], check=True, capture_output=True, text=True).stdout
        parts = re.split(r"^\.text\.(\S+):$", said, flags=re.M)
        return {name: body.splitlines() for name, body in zip(parts[1::2], parts[2::2])}


class Code:
    """Instructions by name, in order, and the loops among them."""

    def __init__(self, lines):
        self.names, self.labels, self.jumps, self.ends = [], {}, {}, set()
        for line in lines:
            label = re.match(r"(\.L_\w+):", line)
            if label:
                self.labels[label[1]] = len(self.names)
            made = re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+\s+)?([A-Z][\w.]*)(.*)", line)
            if made:
                self.add(*made.groups())
        back = [(self.labels[to], at + 1) for at, to in self.jumps.items() if self.labels.get(to, at + 1) <= at]
        held = sorted((r for r in set(back) if self.tensor(*r) and self.is_loop(*r)), key=lambda r: r[1] - r[0])
        self.loops = []
        for begin, end in held:  # the innermost, each once
            if not any(b < end and begin < e for b, e in self.loops):
                self.loops.append((begin, end))
        self.loops.sort()

    def add(self, predicate, name, operands):
        target = re.search(r"`\((\.L_\w+)\)", operands)
        if target and name.startswith("BRA"):
            self.jumps[len(self.names)] = target[1]
        if name.split(".")[0] in ("BRA", "EXIT", "RET") and not predicate and not re.search(r"\bU?P\d", operands):
            self.ends.add(len(self.names))
        self.names.append(name)

    def is_loop(self, begin, end):
        """Whether the jump at the end is reached from the begin without leaving: where code behind a loop,
        as that which waits, jumps back, it is not."""
        reached, todo = set(), [begin]
        while todo:
            at = todo.pop()
            if at in reached or not begin <= at < end:
                continue
            reached.add(at)
            if at in self.jumps:
                todo.append(self.labels.get(self.jumps[at], end))
            if at not in self.ends:
                todo.append(at + 1)
        return end - 1 in reached

    def of(self, begin, end):
        return [n for n in self.names[begin:end] if n != "NOP"]

    def tensor(self, begin, end):
        return sum(n.startswith(TENSOR) for n in self.names[begin:end])

    def tensors(self):
        return sum(self.tensor(*loop) for loop in self.loops)

    def rest(self):
        inside = set()
        for begin, end in self.loops:
            inside.update(range(begin, end))
        return [n for i, n in enumerate(self.names) if i not in inside and n != "NOP"]


def units_of(form, threads, tensor):
    return form.whole // threads if form.whole else tensor


def lines_of(form, tools, mix):
    path, symbol, kernel = form.make(tools)
    cubin, threads = tools.assemble(path)
    functions = tools.disassemble(cubin)
    codes = {name: Code(lines) for name, lines in functions.items()}
    name = next((n for n in (symbol, kernel) if n in codes), None) or max(codes, key=lambda n: codes[n].tensors())
    code = codes[name]
    block = threads.get(name, 0) - (PRODUCER if name.endswith("$tma") else 0)
    row = "%-46s %-7s %6s %6s %6s %-8s %7s %6s %5s %5s"
    rest = code.rest()
    tail = (len(rest), sum(n.startswith(("SEL", "FSEL", "USEL")) for n in rest),
            sum(n.startswith("CALL") for n in code.names))
    ranges = code.loops or [(0, len(code.names))]
    for begin, end in ranges:
        names, tensor = code.of(begin, end), code.tensor(begin, end)
        units = units_of(form, block or 1, tensor)
        yield (row % (form.title, form.target, len(names), tensor, units, form.unit, "%.1f" % (len(names) / units),
                      *tail)).rstrip()
        if mix:
            count = collections.Counter(n.split(".")[0] for n in names)
            yield "    " + " ".join("%s %d" % x for x in count.most_common(24))


def their_nvdisasm():
    found = shutil.which("nvdisasm")
    if not found:
        try:
            import triton
            found = os.path.join(os.path.dirname(triton.__file__), "backends/nvidia/bin/nvdisasm")
        except ImportError:
            sys.exit("instructions.py: nvdisasm, of CUDA or of the package triton, is not here: "
                     "name it with --nvdisasm")
    return found


def is_missing(form, options):
    if form.title.startswith("Triton"):
        try:
            import triton  # noqa: F401
        except ImportError:
            return "the package triton is not here"
    if form.title.startswith("CuTe") and not (options.cutlass and shutil.which("nvcc")):
        return "nvcc and --cutlass FOLDER, a copy of NVIDIA/cutlass, are needed"
    return None


def table(options, tools):
    yield "%s, ptxas %s" % (datetime.date.today().isoformat(), tools.version[2])
    yield "%-46s %-7s %6s %6s %6s %-8s %7s %6s %5s %5s" % ("kernel", "target", "loop", "tensor", "units", "unit",
                                                         "each", "rest", "sel", "slow")
    left_out, seen = [], set()
    for form in forms():
        what = form.title + form.target
        if what in seen or not any(part in what for part in options.only.split(",")):
            continue
        seen.add(what)
        missing = is_missing(form, options)
        if missing:
            left_out.append("left out: %s: %s" % (form.title, missing))
            continue
        yield from lines_of(form, tools, options.mix)
    yield from left_out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--only", default="")
    parser.add_argument("--mix", action="store_true", help="the most frequent instructions of each loop")
    parser.add_argument("--ptxas", default=shutil.which("ptxas") or "ptxas")
    parser.add_argument("--nvdisasm", default=None)
    parser.add_argument("--cutlass", default=None)
    parser.add_argument("--keep", default=None, help="a folder for PTX and cubins")
    parser.add_argument("--out", default=None)
    options = parser.parse_args()
    options.nvdisasm = options.nvdisasm or their_nvdisasm()
    with tempfile.TemporaryDirectory() as scratch:
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
        out = open(options.out, "w") if options.out else sys.stdout
        for line in table(options, Tools(options, options.keep or scratch)):
            print(line, file=out, flush=True)


if __name__ == "__main__":
    main()
