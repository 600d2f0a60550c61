#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's tutorials, as they are, under `tessera exec`.

    triton_tutorials.py FOLDER [--seconds S] [--python PYTHON] [--tessera TESSERA] [NAME ...]

FOLDER is python/tutorials of a copy of Triton (https://github.com/triton-lang/triton); NAME is a part of a
file's name. What each checks runs at its own sizes; benchmarks are left out: those of
triton.testing.perf_report, and what follows the start of the profiler, thousands of products of
8192 x 8192. A tutorial passes when it ends without an error and prints no cross. Prints a line for each
with its checks. The exit status is 0 where all pass, 77 where PYTHON has no Triton.
"""
import argparse
import os
import re
import runpy
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIPPED = 77


def run_one(script):
    """In the client's process."""
    import triton
    import triton.profiler

    def leave(*_args, **_named):
        raise SystemExit(0)
    triton.testing.Mark.run = lambda self, *_args, **_named: None
    triton.profiler.start = leave
    sys.argv = [script]
    runpy.run_path(script, run_name="__main__")


def verdict_of(script, args):
    begin = time.monotonic()
    command = [args.tessera, "exec", "--", args.python, os.path.abspath(__file__), "--one", script]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=args.seconds or None)
        out, late = done.stdout, False
    except subprocess.TimeoutExpired as error:
        done, out, late = None, (error.stdout or b"").decode(errors="replace"), True
    good = not late and done.returncode == 0 and "\u274c" not in out
    lines = (done.stderr.strip().splitlines() if done and done.returncode else []) or [""]
    what = "takes longer than %d s" % args.seconds if late else "pass" if good else "fail: " + lines[-1][:200]
    checks = len(re.findall("\u2705", out))
    print("%-36s %s, %d checks printed, %.0f s" % (os.path.basename(script), what, checks,
                                                   time.monotonic() - begin), flush=True)
    return good


def main():
    if sys.argv[1:2] == ["--one"]:
        return run_one(sys.argv[2])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--python", default=os.environ.get("TESSERA_CLIENT_PYTHON", sys.executable))
    parser.add_argument("--tessera", default=os.path.join(ROOT, "build", "bin", "tessera"))
    args = parser.parse_intermixed_args()
    if subprocess.run([args.python, "-c", "import triton, torch"], capture_output=True).returncode:
        print("%s has no Triton or PyTorch: nothing is run" % args.python)
        return SKIPPED
    scripts = [os.path.join(args.folder, f) for f in sorted(os.listdir(args.folder))
               if re.match(r"\d\d-.*\.py$", f) and (not args.names or any(n in f for n in args.names))]
    return 0 if scripts and all([verdict_of(script, args) for script in scripts]) else 1


if __name__ == "__main__":
    sys.exit(main())
