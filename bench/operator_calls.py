#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the first plan of an operator costs: beside what its kernels take to compile, and when these
come from the cache on disk.

    bench/operator_calls.py

TESSERA_COMMAND (build/bin/tessera) and TESSERA_LIBRARY say what is measured. Each figure is the
least of some processes, in which another operator was planned before, so that the compiler is
loaded; both sides take turns, as a machine is slower for some seconds now and then. Milliseconds.
"""
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.join(HERE, "..", "build")
COMMAND = os.environ.get("TESSERA_COMMAND", os.path.join(BUILD, "bin", "tessera"))
os.environ.setdefault("TESSERA_LIBRARY", os.path.join(BUILD, "lib", "libtessera.so"))
sys.path.insert(0, os.path.join(HERE, "..", "python"))

REPEATS = 5
PROBLEMS = ["gemm:m=64,n=768,k=768,b=column,epilogue=bias+gelu", "gemm:m=1,n=768,k=3072,b=column",
            "softmax:shape=512x512", "norm:bias=yes,shape=384x1024",
            "attention:heads=12,head=64,seq=384,causal=yes",
            "convolution:batch=1,size=56x56,kernel=3,padding=1,channels=64,filters=64",
            "reduce:shape=512x512,operations=max"]


def opened():
    import tessera
    from tessera._ops_plans import library_of
    device = tessera.Device("cpu", threads=1)
    library = library_of(device)
    library.plan("elementwise:type=f64,shape=7,expression=a+b", [])
    return tessera, device, library


def plan_ms(problem):
    _, _device, library = opened()
    start = time.perf_counter()
    library.plan(problem, [])
    return (time.perf_counter() - start) * 1e3


def chosen(problem):
    _, _device, library = opened()
    return library.plan(problem, []).problem


def kernels_ms(problem):
    """Of the same kernels, as a program without operators compiles them. The choice is made in another
    process: what is compiled twice is compiled faster."""
    tessera, device, _library = opened()
    asked = subprocess.run([sys.executable, __file__, "chosen", problem], text=True, check=True,
                           capture_output=True).stdout.strip()
    text = subprocess.run([COMMAND, "op", "build", asked], text=True, capture_output=True,
                          check=True).stdout
    module = tessera.Module(text)
    return sum(module.kernel(name, device).compile_ms for name in module.kernels)


def least(sides, problem, cache):
    """Of each of the sides, in turns."""
    times = {what: [] for what in sides}
    for _ in range(REPEATS):
        for what in sides:
            out = subprocess.run([sys.executable, __file__, what, problem], text=True, check=True,
                                 capture_output=True, env=dict(os.environ, TESSERA_CACHE=cache))
            times[what].append(float(out.stdout))
    return [min(times[what]) for what in sides]


def main():
    if len(sys.argv) == 3:
        print({"plan": plan_ms, "kernels": kernels_ms, "chosen": chosen}[sys.argv[1]](sys.argv[2]))
        return
    print("# load %.1f; ms" % os.getloadavg()[0])
    print("%-76s %8s %8s %8s %8s" % ("problem", "first", "kernels", "more", "cached"))
    for problem in PROBLEMS:
        first, kernels = least(["plan", "kernels"], problem, "off")
        with tempfile.TemporaryDirectory() as folder:
            cached, = least(["plan"], problem, folder)  # the first of them fills it
        print("%-76s %8.2f %8.2f %8.2f %8.2f" % (problem, first, kernels, first - kernels, cached),
              flush=True)


if __name__ == "__main__":
    main()
