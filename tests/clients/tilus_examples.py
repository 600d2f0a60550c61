#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every example script of Tilus on Tessera's engines, with its kernels as they are. One command, with
a Python that has Tilus, and a checkout of Tilus at the tag that is installed:

    git clone --depth 1 --branch v0.2.0 https://github.com/NVIDIA/tilus
    python3 tests/clients/tilus_examples.py --checkout tilus [--python PYTHON]

A script's own main is run, which compares with PyTorch. What is changed of it: its problems are cut to
the sizes below, of a space of schedules the first one that can be built is taken (--schedules all: all
are tuned over), nothing is timed, and where a script compares with flash-attn it compares with its own
reference. Prints a table as docs/tilus-support.md has it. The exit status is 0 when all that should be right
is; 77 where there is no Tilus, which is said.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

from tilus_checkout import SKIPPED, do_without_pandas, is_missing, parse, parser, reason, under_exec

#: What a main assigns or loops over, by the first name, and what it is given instead.
MATMUL = {"workloads": "[[128, 128, 96]]"}
HOPPER = {"workloads": "[[128, 128, 128]]"}
ATTENTION = {"batch_size": "[[1, 130, 2, 64, 1]]"}
SIZES = {
    "vector_add/vector_add.py": {"workloads": "[4096]"},
    "softmax/softmax.py": {"m_size": "[(5, 781)]"},
    "norm/layer_norm.py": {"i": "[1]", "m_size": "130"},
    **{"matmul/matmul_v%d.py" % i: MATMUL for i in range(6)},
    **{"attention/flash_attention_v%d.py" % i: ATTENTION for i in (1, 2, 3)},
    "attention_with_kvcache/attention_v1.py": {"batch_size": "[[1, 20, 300, 2, 64, 1]]"},
    "flash_attention_decode/main.py": {"batch": "[[2, 16]]", "B": "[[1, 2, 4, 128, 8, 128]]"},
    "quantization/matmul_a16wx.py": {"k": "[[256, 256]]", "m": "[1, 17]"},
    **{"hopper_matmul/matmul_v%d.py" % i: HOPPER for i in range(4)},
}
#: In place of what another package computes: the script's own reference.
REFERENCES = {"flash_attention_flash_attn": "flash_attention_reference",
              "attention_with_kvcache_flash_attention": "attention_with_kvcache_reference"}
#: Needs what no engine has; their refusal is looked at instead.
REFUSED = {"blackwell_matmul/matmul_v%d.py" % i: "tensor memory" for i in range(7)}


# ---- in the client's process --------------------------------------------------------------------


def cut(tree, sizes):
    """Puts the sizes into a script's main functions. All else stays, and so do all lines."""
    import ast

    def first_name(target):
        while isinstance(target, (ast.Tuple, ast.List)):
            target = target.elts[0]
        return getattr(target, "id", None)

    for function in [f for f in tree.body if getattr(f, "name", "").startswith("main")]:
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and first_name(node.targets[0]) in sizes:
                node.value = ast.parse(sizes[first_name(node.targets[0])], mode="eval").body
            if isinstance(node, ast.For) and isinstance(node.iter, ast.List) and \
                    first_name(node.target) in sizes:
                node.iter = ast.parse(sizes[first_name(node.target)], mode="eval").body
    return ast.fix_missing_locations(tree)


def take_first_schedule():
    """Of a script's schedules, the first that Tilus and Tessera can build."""
    from tilus.lang import instantiated_script
    made = instantiated_script.JitInstance.__init__

    def init(self, script_cls, call_params, build_options, schedules, jit_key):
        first = None
        for schedule in schedules:
            try:
                made(self, script_cls, call_params, build_options, [schedule], jit_key)
                self.programs()
                return
            except Exception as error:
                first = first or error
        raise first
    instantiated_script.JitInstance.__init__ = init


def prepare(schedules):
    """Nothing is timed, and one schedule is taken, in all scripts that this process runs."""
    import tilus.utils
    tilus.utils.benchmark_func = lambda function, **_: function() is None or 1.0
    do_without_pandas()
    if schedules == "first":
        take_first_schedule()


def run_main(path, script):
    """The main of the file at `path`, which is a script of the examples, perhaps a changed one."""
    import ast
    import types
    import torch
    torch.manual_seed(0)
    with open(path, encoding="utf-8") as file:
        tree = cut(ast.parse(file.read()), SIZES.get(script, {"workloads": "[[256, 256, 128]]"}))
    module = sys.modules["example"] = types.ModuleType("example")
    module.__file__ = path
    exec(compile(tree, path, "exec"), module.__dict__)
    for name, reference in REFERENCES.items():
        if hasattr(module, name):
            setattr(module, name, getattr(module, reference))
    module.main()


def run_script(options):
    prepare(options.schedules)
    path = os.path.join(options.examples, options.client)
    sys.path.insert(0, os.path.dirname(path))
    run_main(path, options.client)


# ---- the command --------------------------------------------------------------------------------


def run_on(options, script, device):
    """Whether a script is right on a device, else why not; and seconds."""
    here = tempfile.mkdtemp(dir=options.work)
    start = time.monotonic()
    try:
        done = under_exec(options, here, device, os.path.abspath(__file__), "--checkout",
                          options.checkout, "--schedules", options.schedules, "--client", script,
                          timeout=options.timeout)
        said = "" if done.returncode == 0 else reason(done.stderr + done.stdout)
    except subprocess.TimeoutExpired:
        said = "not done in %d s" % options.timeout
    return said, time.monotonic() - start


def as_expected(script, device, said):
    if script in REFUSED:
        return REFUSED[script] in said
    return not said


def main():
    made = parser(__doc__, devices="interp,cpu,emu:sm_90a")
    made.add_argument("--schedules", choices=["first", "all"], default="first")
    made.add_argument("--only", nargs="+", default=[""], metavar="START",
                      help="scripts whose path begins so")
    made.add_argument("--timeout", type=int, default=600)
    options = parse(made)
    if options.client:
        return run_script(options)
    if is_missing(options):
        return SKIPPED
    options.work = tempfile.mkdtemp()
    devices, good = options.devices.split(","), True
    print("| script | %s |\n|---|%s" % (" | ".join(devices), "---|" * len(devices)), flush=True)
    try:
        for script in [s for s in [*SIZES, *REFUSED] if s.startswith(tuple(options.only))]:
            cells = []
            for device in devices:
                said, seconds = run_on(options, script, device)
                good &= as_expected(script, device, said)
                cells.append(said or "right, %.0f s" % seconds)
            print("| `%s` | %s |" % (script, " | ".join(cells)), flush=True)
    finally:
        shutil.rmtree(options.work)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
