#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quantised and MX products beside plain ones of the type that they are computed in.

    bench/quantised_products.py [--cpu avx2|avx512] [--threads N] [--seconds S] [--only TEXT]

`tessera op tune` of TESSERA_COMMAND (build/bin/tessera) measures the instances of each problem; the
choice is the first of them, as it has the lowest estimate. The ratios are the plain product's time over
that of the quantised one: 1 means that scales and conversions cost nothing.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench_operators import arguments, mean, tuned  # noqa: E402

SIZES = ",m=256,n=1024,k=1024,b=column"
MX = "scale_a=group,scale_b=group,group=32,type_scale=f8E8M0FNU"
PROBLEMS = {
    "gemm:type=i8": [
        "gemm:type=i8,type_c=f32,scale_a=row,scale_b=column",
        "gemm:type=i8,epilogue=bias:n:f32+gelu+quantise:tensor:i8",
    ],
    "gemm:type=bf16": [
        "gemm:type=bf16,type_b=i8,scale_b=column",
        "gemm:type=bf16,type_b=i4,scale_b=group,group=128",
        "gemm:type=bf16,type_b=f4E2M1FN,scale_b=group,group=32,type_scale=f8E8M0FNU",
        "gemm:type=f8E4M3FN," + MX,
        "gemm:type=f6E2M3FN," + MX,
        "gemm:type=f4E2M1FN," + MX,
    ],
    "gemm:type=f8E4M3FN": [
        "gemm:type=f8E4M3FN,scale_a=tensor,scale_b=tensor",
        "gemm:type=f8E4M3FN,scale_a=row,scale_b=column",
        "gemm:type=f8E4M3FN,scale_a=group,scale_b=group,group=128,group_n=128",
    ],
}


def main():
    options = arguments(__doc__)
    print("# %s, %d threads, load %.1f; ms" % (options.cpu, options.threads, os.getloadavg()[0]))
    print("%-96s %9s %5s %9s %5s" % ("problem" + SIZES, "choice", "", "best", ""))
    ratios = []
    for plain, quantised in PROBLEMS.items():
        times = tuned(plain + SIZES, options)
        print("%-96s %9.4f %5s %9.4f" % (plain, times[0], "", times[1]))
        for problem in quantised:
            if options.only not in problem:
                continue
            choice, best, _name = tuned(problem + SIZES, options)
            ratios.append(times[0] / choice)
            print("%-96s %9.4f %5.2f %9.4f %5.2f" % (problem, choice, times[0] / choice, best,
                                                     times[1] / best), flush=True)
    if ratios:
        print("mean %.2f, least %.2f, of %d" % (mean(ratios), min(ratios), len(ratios)))


if __name__ == "__main__":
    main()
