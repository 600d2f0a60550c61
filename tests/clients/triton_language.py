#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton's own tests of its language, or a collection's of its kernels, under `tessera exec`, counted
by what comes of them.

    triton_language.py FOLDER [--most N] [--largest N] [--seconds S] [--each N] [--python PYTHON] [--list]
        [--pytest OPTIONS] [FILE.py ...]

FOLDER is python/test/unit/language of a copy of Triton (https://github.com/triton-lang/triton), or for
example test/transformers of Liger-Kernel, or tests of FlagGems, with --pytest "--quick --ref cpu" and its
src in PYTHONPATH; it is left as it is. With --each every Nth file is taken. Of each test function up to N cases are
run (default 10; 0: all), the same ones every time, each for at most S seconds (default 30). With
--largest cases are left out whose whole numbers, multiplied, are more: collections try the sizes of
models, of which PyTorch's reference takes minutes on a CPU.

What does not pass is told by its cause: OUTSIDE has what says nothing about the language (tests that look
at what only a GPU's back end makes, that ask for a machine, or that were written for another version of
Triton), KNOWN the cases of the language that are known not to pass, cases that are skipped have their own
words. An exception that Tessera raises is outside only where Tessera refuses what the cause names. Prints
a table, with --list every case that failed, and always those without a cause. The exit status is 0 where
at least 95 of 100 cases of the language pass and every other case has a cause, else 1; 77 where PYTHON has
no Triton.
"""
import argparse
import collections
import json
import math
import os
import random
import re
import signal
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SKIPPED = 77
ENOUGH = 0.95

#: Why a case that fails says nothing about the language: (cause, what its name and message have, whether
#: Tessera may have raised it, as it refuses this by name).
OUTSIDE = (
    ("looks at PTX, TTGIR, LLVM IR or a cubin",
     r"Unknown key: '(ptx|ttgir|llir|cubin|amdgcn|hsaco)'|'ttgir' is not in list", False),
    ("inline assembly of PTX, and what is made of it", r"inline assembly", True),
    ("compiles for a GPU by name", r"0 compatible backends for target|GPUTarget", False),
    ("a file of TTGIR, whose tensors say which thread holds what", r"Parse MLIR file failed|operation 'ttg\.", True),
    ("asks for what only one kind of GPU refuses, or has",
     r"type fp8e4b15 not supported|(test_fp8_support|test_min_dot_size|float8e5b16|test_num_ctas_pre_sm90"
     r"|test_pointer_arguments).*DID NOT (RAISE|WARN)|triton_reproducer_path", True),
    ("removed from this version of Triton", r"make_block_ptr|make_tensor_pointer|tl\.advance|Block pointers", False),
    ("asks whether a tensor's device is called cuda",
     r"requires? .*cuda tensor|must be (on )?(a )?cuda|expected .*device", False),
    ("an operator that PyTorch does not have on a CPU", r"does not support backward on CPU", False),
    ("written for another version of Triton, or of a library beside it",
     r"ImportError|cannot import name|unexpected keyword argument|has no attribute|takes \d+ positional"
     r"|missing \d+ required|No module named|fixture '|CHECK: expected string not found"
     r"|CompileTimeAssertionFailure", False),
    ("each thread prints a line of its own", r"test_subprocess\.py::test_print.*AssertionError", False),
)

LATE = "TimeoutError: it takes too long"

#: Cases of the language that are known not to pass: (cause, what their names and messages have).
KNOWN = (
    ("late: products of 8192 x 8192", r"\[[^\]]*8192.*" + LATE),
    ("late: conversions of all numbers of 32 bits", r"test_typeconvert_(up|down)cast.*" + LATE),
    ("late: the script prints from a process of its own", r"test_subprocess\.py.*" + LATE),
    ("Triton's own pass refuses the least or greatest of f16 in memory by a descriptor",
     r"test_tensor_descriptor_reduce\[(?=[^\]]*float16)[^\]]*(min|max)"),
    ("one unit of f16 in a product that a descriptor scatters, more than the test has room for",
     r"test_scatter_pipeline.*(AssertionError|Mismatch)"),
    ("layer norm of Liger keeps mean and deviation in bf16",
     r"test_layer_norm\.py::.*dtype1.*(AssertionError|Mismatch)"),
)


#: By the name of a case, what it was ended by, and whether that was raised by Tessera.
MESSAGES = {}


# ---- in the client's process: a plugin of pytest ------------------------------------------------


def pytest_configure():
    """What the tests of Triton's fork for CPUs ask besides."""
    import triton._internal_testing as testing
    if not hasattr(testing, "is_cpu"):
        testing.is_cpu = lambda: False
    settle_flag_gems()


def settle_flag_gems():
    """FlagGems makes its elementwise kernels of block pointers, which Triton has no more, or of pointers,
    as a configuration says; it launches kernels itself, as versions up to 3.6 and later ones want it; and
    it leaves tensors to PyTorch that are not on a device of the name that it found."""
    try:
        from flag_gems.utils import codegen_config_utils
    except ImportError:
        return
    libentry = sys.modules["flag_gems.utils.libentry"]  # the package has a function of that name
    made = codegen_config_utils.CodeGenConfig
    made.prefer_block_pointer = property(lambda self: False, lambda self, value: None)
    libentry.minor_version = min(libentry.minor_version, 6)
    sys.modules["flag_gems"].runtime.device.name = "cpu"
    for loaded in [m for name, m in sys.modules.items() if name.startswith("flag_gems")]:
        for name, value in list(vars(loaded).items()):
            if isinstance(value, str) and value == "cuda":
                setattr(loaded, name, "cpu")


def size_of(item):
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return math.prod(n for n in parameters if isinstance(n, int) and n > 1)


def pytest_collection_modifyitems(items):
    most, largest = (int(os.environ["TRITON_LANGUAGE_" + what]) for what in ("MOST", "LARGEST"))
    if largest:
        items[:] = [item for item in items if size_of(item) <= largest]
    by_function = collections.defaultdict(list)
    for item in items:
        by_function[item.nodeid.split("[")[0]].append(item)
    keep = set()
    for name, cases in sorted(by_function.items()):
        drawn = random.Random(name).sample(cases, most) if 0 < most < len(cases) else cases
        keep.update(map(id, drawn))
    items[:] = [item for item in items if id(item) in keep]


def _late(*_ignored):
    raise TimeoutError("it takes too long")


def pytest_runtest_setup(item):
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(int(os.environ["TRITON_LANGUAGE_SECONDS"]))


def pytest_runtest_makereport(item, call):
    if call.when == "call" or call.excinfo is not None:
        signal.alarm(0)
        MESSAGES[item.nodeid] = call.excinfo and (
            "%s: %s" % (call.excinfo.typename, call.excinfo.value), is_raised_by_tessera(call.excinfo))


def is_raised_by_tessera(raised):
    """Triton wraps what a back end raises while it compiles."""
    error = raised.value
    while error is not None:
        if type(error).__module__.split(".")[0] == "tessera":
            return True
        error = error.__cause__
    package = os.sep + os.path.join("tessera", "")
    return package in str(raised.traceback[-1].path) if raised.traceback else False


def pytest_runtest_logreport(report):
    """What pytest makes of it: a failure that the test itself expects is none."""
    if report.when != "call" and report.passed:
        return
    good = report.passed or hasattr(report, "wasxfail")
    verdict = "pass" if good else "skip" if report.skipped else "fail"
    text, ours = "", False
    if not good:
        text, ours = MESSAGES.get(report.nodeid) or (str(report.longrepr), False)
    with open(os.environ["TRITON_LANGUAGE_OUT"], "a") as out:
        out.write(json.dumps([verdict, report.nodeid, text[:4000], ours]) + "\n")


# ---- in this process ----------------------------------------------------------------------------


def has_triton(python):
    return subprocess.run([python, "-c", "import triton, pytest, torch"], capture_output=True).returncode == 0


def run(args, file, out):
    """What the process said when it ended too early."""
    where, root = os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(args.folder))
    path = [where, args.folder, root, os.environ.get("PYTHONPATH", "")]
    environment = dict(os.environ, TRITON_LANGUAGE_MOST=str(args.most),
                       TRITON_LANGUAGE_LARGEST=str(args.largest), TRITON_LANGUAGE_OUT=out,
                       TRITON_LANGUAGE_SECONDS=str(args.seconds), TRITON_DEFAULT_FP_FUSION="0",
                       PYTHONPATH=os.pathsep.join(path))
    environment.setdefault("GEMS_VENDOR", "nvidia")  # FlagGems looks for a GPU's own commands
    command = [args.tessera, "exec", "--", args.python, "-m", "pytest", "-p", "triton_language", "-q",
               "-p", "no:cacheprovider", "--tb=no", "-W", "ignore", "--no-header", "-o", "addopts=",
               "--confcutdir", root, *args.pytest.split(), file]
    done = subprocess.run(command, cwd=args.folder, env=environment, capture_output=True, text=True)
    fine = done.returncode in (0, 1, 5)  # 5: no case was left
    return "" if fine else (done.stdout + done.stderr)[-2000:]


def cause_of(name, text, ours):
    """Whether the case is of the language, and why it does not pass; None for a cause that nobody has
    looked for."""
    both = name + " " + text
    for cause, pattern, refused in OUTSIDE:
        if (refused or not ours) and re.search(pattern, both, re.DOTALL):
            return False, cause
    return True, next((cause for cause, pattern in KNOWN if re.search(pattern, both, re.DOTALL)), None)


def told_of(row):
    """A line of the table, and whether the case is of the language, and the cause."""
    verdict, name, text, ours = row
    if verdict == "pass":
        return "pass", True, ""
    if verdict == "skip":
        words = text.split("Skipped: ")[-1].strip("') \n").splitlines()
        return "skip: " + (words[0][:80] if words else "without a reason"), False, ""
    of_language, cause = cause_of(name, text, ours)
    what = "late" if LATE in text else "fail"
    return ("%s: %s" % ("of the language" if of_language else "outside", cause) if cause
            else what + ", without a known cause"), of_language, cause


def judge(rows):
    """Prints the table. Whether enough of the cases of the language pass and all others have a cause."""
    told = [told_of(row) for row in rows]
    count = collections.Counter(what for what, _, _ in told)
    asked = sum(of_language for _, of_language, _ in told)
    unknown = [row for row, (_, _, cause) in zip(rows, told) if cause is None]
    print("| | cases |\n|---|---|")
    for what, n in sorted(count.items(), key=lambda item: -item[1]):
        print("| %s | %d |" % (what, n))
    print("\n%d of %d cases of the language pass (%.1f %%); %d cases without a known cause" % (
        count["pass"], asked, 100.0 * count["pass"] / max(asked, 1), len(unknown)))
    for _, name, text, _ in unknown:
        print("%s\n    %s" % (name, text[:300].replace("\n", "\n    ")))
    return count["pass"] >= ENOUGH * asked > 0 and not unknown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--most", type=int, default=10)
    parser.add_argument("--largest", type=int, default=0)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--python", default=os.environ.get("TESSERA_CLIENT_PYTHON", sys.executable))
    parser.add_argument("--tessera", default=os.path.join(ROOT, "build", "bin", "tessera"))
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--pytest", default="")
    args = parser.parse_intermixed_args()
    args.folder = os.path.abspath(args.folder)
    if not has_triton(args.python):
        print("%s has no Triton, PyTorch or pytest: nothing is run" % args.python)
        return SKIPPED
    files = args.files or sorted(f for f in os.listdir(args.folder) if re.fullmatch(r"test_\w+\.py", f))[::args.each]
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.setdefault("TRITON_CACHE_DIR", os.path.join(scratch, "cache"))
        for file in files:
            out = os.path.join(scratch, file + ".json")
            trouble = run(args, file, out)
            lines = [json.loads(line) for line in open(out)] if os.path.exists(out) else []
            if trouble:
                lines.append(["fail", file, trouble, False])
            count = collections.Counter(line[0] for line in lines)
            print("%-32s %4d cases, %4d pass, %4d skip" % (file, len(lines), count["pass"], count["skip"]), flush=True)
            rows += lines
    if args.list:
        for row in rows:
            if row[0] == "fail":
                print("%s [%s]\n    %s" % (row[1], told_of(row)[0], row[2][:300].replace("\n", "\n    ")))
    return 0 if judge(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
