#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long compiling the kernels of Triton scripts takes: in Triton's front end and passes, and in
Tessera, for each kernel that the scripts launch.

    TESSERA_CACHE=off tessera exec -- python bench/triton_compile.py SCRIPT.py [...]

Times are those of the processor, of all threads of the process, so that a busy machine counts less.
Scripts run as they are, but their benchmarks (triton.testing.perf_report) are left out. With a cache
(without TESSERA_CACHE=off) machine code that was made before is found there. Prints a table and the
slowest; the exit status is that of the last script that fails.
"""
import os
import runpy
import sys
import time
import traceback

import triton
import triton.compiler as front

from tessera.triton import compiler, driver

rows = {}  # by the kernel's name: a list of (Triton's ms, Tessera's ms)
waiting = []  # what the front end took, and Tessera's reader, of kernels that are not loaded yet


def _measured(function, spent):
    def run(*args, **named):
        begin = time.process_time()
        try:
            return function(*args, **named)
        finally:
            spent.append(1e3 * (time.process_time() - begin))
    return run


def _watch():
    compiled, read, loaded = front.compile, compiler.TesseraBackend.make_binary, \
        driver._Utilities.load_binary
    reads = []

    def compile_(source, *args, **named):
        begin = time.process_time()
        reads.clear()
        kernel = compiled(source, *args, **named)
        whole, own = 1e3 * (time.process_time() - begin), sum(reads)
        waiting.append((whole - own, own))
        return kernel

    def load_binary(name, data, shared, device):
        begin = time.process_time()
        result = loaded(name, data, shared, device)
        theirs, ours = waiting.pop() if waiting else (0, 0)
        rows.setdefault(name, []).append((theirs, ours + 1e3 * (time.process_time() - begin)))
        return result

    compiler.TesseraBackend.make_binary = staticmethod(_measured(read, reads))
    driver._Utilities.load_binary = staticmethod(load_binary)
    front.compile = compile_


def _run(script):
    sys.argv = [script]
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        return end.code or 0
    except Exception:
        traceback.print_exc()
        return 1
    finally:
        sys.path.pop(0)
    return 0


def main():
    scripts = sys.argv[1:]
    if not scripts or "--help" in scripts:
        print(__doc__)
        return 0 if scripts else 2
    triton.testing.Mark.run = lambda self, *args, **named: None
    _watch()
    status = 0
    for script in scripts:
        rows.clear()
        status = _run(script) or status
        for name, times in rows.items():
            theirs, ours = (sorted(t) for t in zip(*times))
            print("%-28s %-28s variants %2d  Triton median %6.1f ms  Tessera median %6.1f, most %6.1f ms" % (
                os.path.basename(script)[:28], name[:28], len(times), theirs[len(theirs) // 2],
                ours[len(ours) // 2], ours[-1]))
    return status


if __name__ == "__main__":
    sys.exit(main())
