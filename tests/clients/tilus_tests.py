#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tilus' own tests of instructions, of its language, of kernels and of layouts on Tessera, counted by what
comes of them. One command, with a Python that has Tilus and pytest, and a checkout of Tilus at the tag that
is installed:

    git clone --depth 1 --branch v0.2.0 https://github.com/NVIDIA/tilus
    python3 tests/clients/tilus_tests.py --checkout tilus [--python PYTHON]

The checkout is left as it is. Cases that fail are run once more with TESSERA_TILUS_CASTS=tilus, which rounds
numbers of less than 8 bits as Tilus does. The tests of layouts run no kernel: while they run, each operation
on layouts that they call is made by Tessera, too, on what Tilus prints of its operands, and the results are
compared; so is each layout of registers and of shared memory that an operation makes with what Tessera reads
and prints of it. Prints a table as docs/tilus-support.md has it, and each case that fails for another reason
than those that are known. The exit status is 0 where there is none; 77 where there is no Tilus, which is
said.
"""
import collections
import functools
import json
import os
import sys
import tempfile

from tilus_checkout import SKIPPED, is_missing, parse, parser, under_exec

KERNELS = ("instructions", "lang", "kernels")
LAYOUTS = ("ir/layout",)
CASTS = "fail: small floats below the normal ones; with `TESSERA_TILUS_CASTS=tilus` they pass"
#: Why a case fails, by the file that has it.
KNOWN = {"test_shared_memory_addressing.py":
         "fail: it prints the addresses of shared memory, which has none here"}
OTHER = "fail otherwise"


# ---- in the client's process: a plugin of pytest ------------------------------------------------


def pytest_configure():
    if os.environ.get("TESSERA_COMPARE_LAYOUTS"):
        compare_layouts()


def pytest_sessionfinish():
    if COMPARED:
        write({"compared": sum(COMPARED.values())})


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        lines = str(report.longrepr or "").strip().splitlines()
        write({"case": report.nodeid, "outcome": report.outcome, "why": lines[-1] if lines else ""})


def write(row):
    with open(os.environ["TESSERA_OUTCOMES"], "a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


COMPARED = collections.Counter()
#: Operations on layouts of registers, and how Tessera's layouts have them.
OPERATIONS = {
    "compose": lambda a, b: a.compose(b), "divide": lambda a, b: a.divide(b),
    "left_divide": lambda a, b: a.left_divide(b), "permute": lambda a, dims: a.permute(*dims),
    "reshape": lambda a, shape: a.reshape(*shape), "reduce": lambda a, dims: a.reduce(*dims),
}
MAKERS = ("spatial", "local", "column_spatial", "column_local", "replicated", "concat", "squeeze",
          "unsqueeze", "flatten", "shared_row_major", "shared_column_major", "shared_compose",
          "shared_permute", "shared_slice", "shared_reshape", "shared_unsqueeze",
          "shared_row_major_swizzle", "shared_layout", "register_layout")


def ours(value):
    import tessera
    import tessera.tilus
    if not hasattr(value, "mode_shape"):
        return value
    read = tessera.tilus.layout(value)
    assert read == tessera.Layout(str(value)), "Tessera reads another layout than %s" % value
    return read


def checked(function, operation):
    """The function, each call of which Tessera makes too; `operation` None: only its result is read."""
    import tessera

    @functools.wraps(function)
    def call(*args, **named):
        try:
            made = function(*args, **named)
        except Exception:
            if operation and not named:
                refused(args)
            raise
        COMPARED[function.__name__] += 1
        read = ours(made)
        if operation and not named:
            other = operation(*map(ours, args))
            assert other == read, "%s%s: Tilus has %s, Tessera %s" % (
                function.__name__, args, made, other.to("tilus"))
        return made

    def refused(args):
        COMPARED[function.__name__] += 1
        try:
            other = operation(*map(ours, args))
        except tessera.TesseraError:
            return
        raise AssertionError("%s%s: Tilus refuses it, Tessera has %s" % (
            function.__name__, args, other.to("tilus")))
    return call


def compare_layouts():
    """Wherever Tilus has the function by name."""
    from tilus.ir import layout
    from tilus.ir.layout import ops, register_layout, shared_layout
    from tilus.ir.layout.ops import register_ops, shared_ops
    modules = (layout, ops, register_ops, shared_ops, register_layout, shared_layout)
    for name in [*OPERATIONS, *MAKERS]:
        known = {id(vars(m)[name]): vars(m)[name] for m in modules if name in vars(m)}
        for function in known.values():
            other = checked(function, OPERATIONS.get(name))
            for module in modules:
                if vars(module).get(name) is function:
                    setattr(module, name, other)


# ---- the command --------------------------------------------------------------------------------


def outcomes(options, device, what, **env):
    """What comes of cases: rows as the plugin writes them."""
    here = tempfile.mkdtemp(dir=options.work)
    path = os.path.join(here, "outcomes")
    env.update(TESSERA_OUTCOMES=path, PYTHONDONTWRITEBYTECODE="1",
               PYTHONPATH=os.path.dirname(os.path.abspath(__file__)))
    tests = os.path.join(options.checkout, "tests")
    done = under_exec(options, here, device, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p",
                      "tilus_tests", "--rootdir", tests, *[os.path.join(tests, w) for w in what], env=env)
    if not os.path.exists(path):
        raise SystemExit("no case was run: %s" % (done.stdout + done.stderr)[-2000:])
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def cause(case, passes_with_casts):
    if case in passes_with_casts:
        return CASTS
    return KNOWN.get(os.path.basename(case.split("::")[0]), OTHER)


def count(options, device):
    """How many cases of each kind, and the cases that fail for no known reason."""
    counts, others = collections.Counter(), []
    rows = outcomes(options, device, KERNELS)
    failed = [row for row in rows if row["outcome"] == "failed"]
    again = outcomes(options, device, [r["case"] for r in failed],
                     TESSERA_TILUS_CASTS="tilus") if failed else []
    fine = {row["case"] for row in again if row["outcome"] == "passed"}
    for row in rows:
        if row["outcome"] != "failed":
            counts["pass" if row["outcome"] == "passed" else "skipped by themselves"] += 1
            continue
        why = cause(row["case"], fine)
        counts[why] += 1
        if why == OTHER:
            others.append("%s: %s: %s" % (device, row["case"], row["why"]))
    return counts, others


def count_layouts(options):
    rows = outcomes(options, "interp", LAYOUTS, TESSERA_COMPARE_LAYOUTS="1")
    compared = sum(row.get("compared", 0) for row in rows)
    cases = [row for row in rows if "case" in row]
    failed = ["layouts: %s: %s" % (r["case"], r["why"]) for r in cases if r["outcome"] == "failed"]
    print("\nlayouts: %d of %d cases pass, %d operations compared" % (
        len(cases) - len(failed), len(cases), compared), flush=True)
    return failed


def main():
    options = parse(parser(__doc__, devices="interp,cpu,emu:sm_90a"))
    if is_missing(options):
        return SKIPPED
    with tempfile.TemporaryDirectory() as options.work:
        devices = options.devices.split(",")
        counted = [count(options, device) for device in devices]
        print("| | %s |\n|---|%s" % (" | ".join(devices), "---|" * len(devices)))
        for kind in dict.fromkeys(kind for counts, _ in counted for kind in counts):
            print("| %s | %s |" % (kind, " | ".join(str(counts[kind]) for counts, _ in counted)))
        others = [line for _, lines in counted for line in lines] + count_layouts(options)
    print("\n".join(others))
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
