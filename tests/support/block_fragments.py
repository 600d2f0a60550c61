#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products at the block level by the fragments of AMD's matrix instructions.

  block_fragments.py TESSERA FOLDER TARGET:FRAGMENT:ELEM:MxNxK...

Of each fragment two by two are multiplied by two warps, on the interpreter and on the emulated
target, and the results compared.
"""
import os
import subprocess
import sys

KERNEL = """cuda_tile.module @m {{
  entry @k(%A: tile<ptr<{elem}>>, %B: tile<ptr<{elem}>>, %C: tile<ptr<{acc}>>) threads({threads}) {{
    %z = constant <i32: 0> : tile<i32>
    %ga = make_tensor_view %A, shape = [{m}, {k}], strides = [{k}, 1] : {va}
    %gb = make_tensor_view %B, shape = [{k}, {n}], strides = [{n}, 1] : {vb}
    %gc = make_tensor_view %C, shape = [{m}, {n}], strides = [{n}, 1] : {vc}
    %a = load_global %ga[%z, %z] : {va} -> {a}
    %b = load_global %gb[%z, %z] : {vb} -> {b}
    %zero = constant <{acc}: {zero}> : {c}
    %d = {mma} %a, %b, %zero{signs} : {a}, {b}, {c}
    store_global %d, %gc[%z, %z] : {c}, {vc}
    return
  }}
}}
"""


def view(rows, columns, elem):
    return f"tensor_view<{rows}x{columns}x{elem}, strides=[{columns},1]>"


def kernel(target, fragment, elem, m, n, k):
    whole = elem == "i8"
    acc = {"i8": "i32", "f64": "f64"}.get(elem, "f32")
    return acc, KERNEL.format(
        elem=elem, acc=acc, m=m, n=n, k=k, va=view(m, k, elem), vb=view(k, n, elem),
        vc=view(m, n, acc), threads=64 if target.startswith("gfx1") else 128,
        a=f"tile<{m}x{k}x{elem}, spatial(2, 1).local(1, 2) * {fragment}.A>",
        b=f"tile<{k}x{n}x{elem}, replicated(1, 1, num_workers=2).local(2, 2) * {fragment}.B>",
        c=f"tile<{m}x{n}x{acc}, spatial(2, 1).local(1, 2) * {fragment}.C>",
        zero="0" if whole else "0.0", mma="mmai" if whole else "mmaf",
        signs=" signed signed" if whole else "")


def run(tessera, path, target, elem, acc, m, n, k, out):
    subprocess.run([tessera, "run", path, "-t", target, "-g", "1", "--seed", "3",
                    f"uniform:{elem}:{m}x{k}", f"uniform:{elem}:{k}x{n}", f"C=zeros:{acc}:{m}x{n}",
                    f"--save=C={out}"], stdin=subprocess.DEVNULL, check=True)


def main():
    tessera, folder, *cases = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    path, left, right = (os.path.join(folder, name) for name in ("k.mlir", "i.npy", "e.npy"))
    npy = os.path.join(os.path.dirname(__file__), "npy.py")
    for case in cases:
        target, fragment, elem, shape = case.split(":")
        m, n, k = (2 * int(size) for size in shape.split("x"))
        acc, text = kernel(target, fragment, elem, m, n, k)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        for where, out in (("interp", left), (f"emu:{target}", right)):
            run(tessera, path, where, elem, acc, m, n, k, out)
        if subprocess.run([sys.executable, npy, "compare", left, right, "--rtol=1e-4",
                           "--atol=1e-4"], stdin=subprocess.DEVNULL, check=False).returncode:
            sys.exit(f"{case} differs")


if __name__ == "__main__":
    main()
