#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes in Tilus' example scripts, one at a time, and whether each is reported with the script's file and
line. One command, with a Python that has Tilus, and a checkout of Tilus at the tag that is installed:

    git clone --depth 1 --branch v0.2.0 https://github.com/NVIDIA/tilus
    python3 tests/clients/tilus_mistakes.py --checkout tilus [--python PYTHON]

A mistake is a barrier, a wait or a fence that is left out, a wait for the other phase, or a phase that
does not advance. Each changed script runs on the interpreter with the sanitizer, with the sizes and the
schedule of tilus_examples.py. Prints for each script how many were reported, and names the others with the
cause. The exit status is 0 when all are reported but those of which it is known that the script is right
without, and of the script without one nothing is; 77 where there is no Tilus, which is said.
"""
import ast
import os
import re
import shutil
import sys
import tempfile

import tilus_examples
from tilus_checkout import SKIPPED, is_missing, parse, parser, reason, under_exec

#: Not hopper_matmul/matmul_v2, of which as it is a race is reported: one thread begins to copy to a stage
#: when its own warp's part of the product is done, and the other warps' may not be.
SCRIPTS = (["matmul/matmul_v%d.py" % i for i in range(1, 6)] +
           ["hopper_matmul/matmul_v%d.py" % i for i in (0, 1, 3)])
LEFT_OUT = re.compile(r"self\.(sync|copy_async_wait_\w+|mbarrier\.wait|wgmma\.(fence|wait_group)|"
                      r"tma\.wait_group|fence\.\w+)\(")
#: Scripts that end the life of shared memory too soon, which is reported of them as they are: their last
#: copies, of zeros, are still on their way, or other threads may still read. Mistakes are made in what they
#: are with these waits.
MENDED = {
    "matmul/matmul_v4.py": {
        "self.free_shared(sa)": "self.copy_async_wait_group(n=0); self.sync(); self.free_shared(sa)"},
    "matmul/matmul_v5.py": {
        "self.free_shared(sa)": "self.copy_async_wait_group(n=0); self.sync(); self.free_shared(sa)",
        "self.free_shared(sc)": "self.sync(); self.free_shared(sc)"},
}
#: What needs no report, by script and line, and why.
HARMLESS = {
    "matmul/matmul_v5.py": {183: "the first schedule splits k into one part, so no tile block waits"},
    "hopper_matmul/matmul_v3.py": {
        92: "nothing is copied behind it", 95: "each stage is waited for once behind it",
        112: "no thread uses what another one has written behind it"},
}


# ---- in the client's process --------------------------------------------------------------------


def mistakes_of(text):
    """Of a script, (line, last line, what is done, what the lines become)."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and LEFT_OUT.match(ast.unparse(node)):
            said = ast.unparse(node)
            yield node.lineno, node.end_lineno, "%s left out" % said, "pass"
            if "phase=" in said:
                other = re.sub(r"phase=(.*)\)$", r"phase=(\1) ^ 1)", said)
                yield node.lineno, node.end_lineno, other, other
        if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.BitXor):
            yield node.lineno, node.end_lineno, "%s left out" % ast.unparse(node), "pass"


def changed(text, mistake):
    """The script with a mistake in it. All other lines stay where they are."""
    lines = text.splitlines()
    first, last, _, instead = mistake
    indent = re.match(r" *", lines[first - 1]).group()
    lines[first - 1:last] = [indent + instead] + [""] * (last - first)
    return "\n".join(lines) + "\n"


def report_of(path, script):
    """What is said of a script: by a finding, or where a block waits forever."""
    import tessera
    try:
        tilus_examples.run_main(path, script)
    except (tessera.TesseraError, RuntimeError) as error:
        if re.search(re.escape(path) + r":\d+", str(error)):
            return ""
        return reason(str(error))
    except AssertionError:
        return "wrong results, and no report"
    return "no report"


def run_client(options):
    tilus_examples.prepare("first")
    source = os.path.join(options.examples, options.client)
    with open(source, encoding="utf-8") as file:
        text = file.read()

    def report_with(changed_text):
        path = os.path.join(tempfile.mkdtemp(dir=os.getcwd()), os.path.basename(source))
        with open(path, "w", encoding="utf-8") as file:
            file.write(changed_text)
        return report_of(path, options.client)

    mistakes, missed, good = sorted(mistakes_of(text)), [], True
    if options.client in MENDED:
        good = report_with(text) == ""
        missed.append("as it is: %s" % ("reported" if good else "not reported"))
    for old, new in MENDED.get(options.client, {}).items():
        text = text.replace(old, new)
    said = report_with(text)
    if said != "no report":
        good = False
        missed.append("without a mistake: %s" % (said or "reported"))
    reported = 0
    for mistake in mistakes:
        said = report_with(changed(text, mistake))
        reported += not said
        if said:
            why = HARMLESS.get(options.client, {}).get(mistake[0]) if said == "no report" else None
            missed.append("line %d: %s: %s" % (mistake[0], mistake[2], why or said))
            good &= why is not None
    print("| `%s` | %d | %d | %s |" % (options.client, len(mistakes), reported, "; ".join(missed) or "none"),
          flush=True)
    return 0 if good else 1


# ---- the command --------------------------------------------------------------------------------


def run_on(options, script):
    here = tempfile.mkdtemp(dir=options.work)
    done = under_exec(options, here, "interp", os.path.abspath(__file__), "--checkout",
                      options.checkout, "--client", script, flags=["--sanitize"])
    rows = [line for line in done.stdout.splitlines() if line.startswith("| `")]
    print(*rows or ["| `%s` | | | %s |" % (script, reason(done.stderr))], flush=True)
    return done.returncode == 0


def main():
    made = parser(__doc__)
    made.add_argument("--only", nargs="+", default=[""], metavar="START",
                      help="scripts whose path begins so")
    options = parse(made)
    if options.client:
        return run_client(options)
    if is_missing(options):
        return SKIPPED
    options.work = tempfile.mkdtemp()
    print("| script | mistakes | reported | others |\n|---|---|---|---|", flush=True)
    try:
        good = [run_on(options, s) for s in SCRIPTS if s.startswith(tuple(options.only))]
    finally:
        shutil.rmtree(options.work)
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
