#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the instructions of loops in code for AMD's GPUs; no card is needed.

  bench/gpu/amd_instructions.py [--target gfx942] [--conflicts] [NAME...]

For each kernel: its innermost loops that multiply matrices, else those that load memory; of these
the instructions for each matrix instruction, the waits to zero of memory and of the LDS, the bytes
that a lane loads at once; registers, spills and scratch memory of the kernel. With --conflicts kernels run on the emulated card, for wavefronts of the LDS and how many
they would be without conflicts. Beside the product stands what clang makes of amd/gemm.c.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TESSERA = os.environ.get("TESSERA", os.path.join(ROOT, "build/bin/tessera"))
CLANG = os.environ.get("CLANG", "clang-22")

# file, kernel, and how it is run for --conflicts
KERNELS = [
    ("bench/gpu/amd/gemm.mlir", "gemm_bf16_256x256x32",
     "1,1 normal:bf16:256x64 normal:bf16:64x256 zeros:f32:256x256 i32:256 i32:256 i32:64"),
    ("bench/gpu/amd/gemm.mlir", "gemm_bf16_256x256x32_of_4096", None),
    ("kernels/gemm.mlir", "gemm_bf16_128x128x64",
     "1,1 normal:bf16:128x128 normal:bf16:128x128 zeros:f32:128x128 i32:128 i32:128 i32:128"),
    ("kernels/gemm_tiles.mlir", "gemm_bf16_128x256x64", None),
    ("kernels/attention.mlir", "attention_bf16_64", None),
    ("kernels/attention.mlir", "attention_bf16_128", None),
    ("kernels/norm.mlir", "layernorm_f32", None),
    ("kernels/rmsnorm.mlir", "rmsnorm_f32_4096", None),
    ("kernels/row_softmax.mlir", "softmax_f32_1024", None),
]
MATRIX = ("v_mfma", "v_wmma", "v_smfmac")
MEMORY = ("global_", "buffer_", "scratch_", "flat_")
WORDS = {"dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16, "ushort": 2, "ubyte": 1, "b32": 4,
         "b64": 8, "b96": 12, "b128": 16, "u16": 2, "u8": 1, "d16": 2}


def functions(text):
    """The instructions and labels of each function of an assembly text, by name."""
    found, name = {}, None
    for line in text.splitlines():
        line = line.split(";")[0].rstrip()
        label = re.match(r"^([.\w$]+):", line)
        if label and not label.group(1).startswith("."):
            name = label.group(1)
            found[name] = ([], {})
        elif label and name:
            found[name][1][label.group(1)] = len(found[name][0])
        code = re.match(r"^\s+([a-z][a-z0-9_]+)\s*(.*)", line)
        if code and name and re.match(r"s_|v_|ds_|global_|buffer_|scratch_|flat_", code.group(1)):
            found[name][0].append(code.groups())
    return found


def loops(code, labels):
    """Ranges of innermost loops."""
    found = []
    for i, (op, operands) in enumerate(code):
        to = labels.get(operands.split()[-1]) if op.startswith(("s_cbranch", "s_branch")) else None
        if to is not None and to <= i:
            found.append((to, i))
    return [(a, b) for a, b in found
            if not any((c, d) != (a, b) and a <= c and d <= b for c, d in found)]


def bytes_of(op):
    return WORDS.get(op.split("_")[2] if op.count("_") > 1 else "", 0)


def zero_waits(body):
    """Waits for all of memory, and for all of the LDS and scalar memory."""
    memory = lds = 0
    for op, operands in body:
        if op in ("s_waitcnt", "s_wait_loadcnt", "s_wait_dscnt"):
            memory += "vmcnt(0)" in operands or (op == "s_wait_loadcnt" and operands == "0x0")
            lds += "lgkmcnt(0)" in operands or (op == "s_wait_dscnt" and operands == "0x0")
    return memory, lds


def describe(code, labels):
    lines = []
    ranges = loops(code, labels)
    products = [r for r in ranges if any(op.startswith(MATRIX) for op, _ in code[r[0]:r[1] + 1])]
    for a, b in products or ranges:
        body = code[a:b + 1]
        matrix = sum(op.startswith(MATRIX) for op, _ in body)
        loads = [op for op, _ in body if op.startswith(MEMORY) and "_load" in op]
        if not matrix and not loads:
            continue
        memory, lds = zero_waits(body)
        kinds = collections.Counter(
            "LDS" if op.startswith("ds_") else "memory" if op.startswith(MEMORY) else
            "waits" if op.startswith("s_wait") else "barriers" if "barrier" in op else
            "accumulator moves" if "accvgpr" in op else "scalar" if op.startswith("s_") else "vector"
            for op, _ in body if not op.startswith(MATRIX))
        text = f"{len(body)} instructions"
        if matrix:
            text += f", {matrix} of matrices, {(len(body) - matrix) / matrix:.2f} others for each"
        if loads:
            text += f"; loads of {sum(map(bytes_of, loads)) / len(loads):.0f} bytes a lane"
        text += f"; waits to zero: {memory} memory, {lds} LDS"
        lines.append(text + " (" + ", ".join(f"{n} {k}" for k, n in kinds.most_common()) + ")")
    return lines or ["no loop"]


def run(command, **more):
    r = subprocess.run(command, capture_output=True, text=True, **more)
    if r.returncode:
        sys.exit(f"{' '.join(command)}: {r.stderr.strip()[:400]}")
    return r


def conflicts(path, kernel, target, how):
    grid, *arguments = how.split()
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        run([TESSERA, "run", path, "-k", kernel, "--target", "emu:" + target, "--grid", grid,
             "--report", report.name, *arguments])
        total = json.load(open(report.name))["counters"]["total"]
    return f"LDS: {total['wavefronts']} wavefronts, {total['ideal_wavefronts']} without conflicts"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--target", default="gfx942")
    options.add_argument("--conflicts", action="store_true")
    options.add_argument("names", nargs="*")
    given = options.parse_args()
    os.chdir(ROOT)
    known = {}
    for path, kernel, how in KERNELS:
        if given.names and kernel not in given.names:
            continue
        build = [TESSERA, "build", path, "--target", given.target]
        if path not in known:
            assembly = run(build + ["--emit", "asm", "-o", "-"])
            known[path] = (functions(assembly.stdout), run(build + ["--resources"]).stdout)
        code, resources = known[path]
        print(next((line for line in resources.splitlines() if line.startswith(f"@{kernel}:")),
                   f"@{kernel}: not in {path}"))
        for line in describe(*code[kernel]) if kernel in code else []:
            print("  loop:", line)
        if how and given.conflicts:
            print(" ", conflicts(path, kernel, given.target, how))
    if given.target == "gfx942" and not given.names:
        r = run([CLANG, "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx942", "-O3", "-nogpulib", "-S",
                 os.path.join(HERE, "amd/gemm.c"), "-o", "-"])
        code, labels = functions(r.stdout)["gemm"]
        used = ", ".join(f"{re.search(f'; {key}: (.*)', r.stdout).group(1)} {name}" for key, name in (
            ("NumVgprs", "VGPRs"), ("NumAgprs", "AGPRs"), ("ScratchSize", "bytes of scratch memory")))
        spills = re.search(r"vgpr_spill_count: (\d+)", r.stdout).group(1)
        print(f"amd/gemm.c by clang: {used}, {spills} registers spilled")
        for line in describe(code, labels):
            print("  loop:", line)


if __name__ == "__main__":
    main()
