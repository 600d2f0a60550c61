#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What real clients pay for Tessera. One command, with a Python that has cuda-tile and NumPy:

    python3 bench/clients.py [--python PYTHON] [--build BUILD] [--samples FOLDER] [--rounds N]

  start    `tessera exec -- python vector_add.py` with every cache empty, beside the same Python
           doing what it does without us: importing, and cuTile's front end making the bytecode
  launch   a launch of cuTile's vector add from Python, by its own launcher under `tessera exec` and
           by tessera.cutile, and of a tessera.Kernel, beside tsr_launch from C
  samples  cuTile's matmul and attention samples by its launcher, beside the same kernels by
           tsr_launch; with --samples, the folder samples/ of a checkout of cutile-python, and
           PyTorch

Each number is the best of rounds that take turns, since other programs may use the machine; times
of processes are processor time, which does not count waiting. The exit status is 0 when all bounds
hold: 60 ms, 5 us, 0.97.
"""
import argparse
import importlib.util
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOST_START_MS, MOST_LAUNCH_US, LEAST_RATIO = 60, 5, 0.97

VECTOR_ADD = '''
import sys
import numpy as np
import cuda.tile as ct


class Array:
    def __init__(self, array):
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3,
                                         "strides": array.strides}


@ct.kernel
def add(a, b, c, TILE: ct.Constant[int]):
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(TILE,))
    y = ct.load(b, index=(i,), shape=(TILE,))
    ct.store(c, index=(i,), tile=x + y)


a, b, c = np.arange(1024, dtype=np.float32), np.ones(1024, np.float32), np.zeros(1024, np.float32)
if sys.argv[1] == "run":
    ct.launch(0, (16,), add, (Array(a), Array(b), Array(c), 64))
    assert (c == a + b).all()
else:
    import io
    from cuda.tile import compilation as made
    array = made.ArrayConstraint(
        ct.float32, 1, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(),
        may_alias_internally=False, stride_constant=[1], shape_divisible_by=16,
        base_addr_divisible_by=16)
    signature = made.KernelSignature(
        [array] * 3 + [64], made.CallingConvention.cutile_python_v1(), symbol="add")
    made.export_kernel(add, [signature], io.BytesIO(), gpu_code="sm_100",
                       output_format="tileir_bytecode", bytecode_version="13.3")
'''


def processor_ms(command, env):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env=env)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def measure_start(options):
    script = os.path.join(options.work, "vector_add.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(VECTOR_ADD)
    env = {**os.environ, "CUDA_TILE_CACHE_DIR": "0", "TESSERA_CACHE": "off",
           "CUDA_TILE_TEMP_DIR": options.work}
    exec_ = [options.tessera, "exec", "--no-torch", "--"]
    ours = plain = float("inf")
    for _ in range(options.rounds):
        plain = min(plain, processor_ms([options.python, script, "compile"], env))
        ours = min(ours, processor_ms([*exec_, options.python, script, "run"], env))
    print("start    %.0f ms, Python and the front end alone %.0f ms: %.0f ms more (at most %d)" % (
        ours, plain, ours - plain, MOST_START_MS))
    return ours - plain <= MOST_START_MS


# ---- in the client's process --------------------------------------------------------------------


def best(rounds, count, *functions, pause=0.0):
    """Seconds of a call of each, the best of rounds that take turns, with a pause in between: the
    threads of the one shall be asleep when the other's begin."""
    least = [float("inf")] * len(functions)
    for f in functions:
        f()
    for _ in range(rounds):
        for i, f in enumerate(functions):
            time.sleep(pause)
            start = time.perf_counter()
            for _ in range(count):
                f()
            least[i] = min(least[i], (time.perf_counter() - start) / count)
    return least


def from_c(made, grid, raw):
    """A call of tsr_launch, and one of a function that does nothing the same way."""
    from tessera import _native as native
    from tessera.module import grid_of
    extents, count = grid_of(grid), len(raw)
    nothing = native.library.tsr_device_count
    nothing.argtypes = native.launch.argtypes
    return (lambda: native.launch(made._handle, extents, raw, count),
            lambda: nothing(made._handle, extents, raw, count))


def filled(kernel, args):
    """The compiled kernel of a launch of cuTile, and its arguments in the library's form."""
    from tessera import cutile
    from tessera import _cutile_args as arguments
    of = cutile._compiled(kernel)
    made = cutile.compile(kernel, args)
    return made, cutile._fill(made, arguments.bind(of.nodes, of.names, args)[1].words)[0].raw


def client_launch(rounds):
    import numpy as np
    import cuda.tile as ct
    import tessera
    from tessera import cutile
    spec = importlib.util.spec_from_file_location("vector_add", "vector_add.py")
    module = importlib.util.module_from_spec(spec)
    sys.argv = ["vector_add.py", "run"]
    spec.loader.exec_module(module)
    a, b, c = (np.ones(64, np.float32) for _ in range(3))
    args = (a, b, c, 64)
    wrapped = (*map(module.Array, (a, b, c)), 64)
    made, raw = filled(module.add, args)
    launch, nothing = from_c(made, (1,), raw)
    saxpy = tessera.load(os.path.join(ROOT, "kernels", "saxpy.mlir"))["saxpy_f32"]
    saxpy[1](a, b, 2.0, 64)
    saxpy_launch, _ = from_c(saxpy, 1, saxpy._ready[0].raw)
    on_one = saxpy[1]
    add_c, saxpy_c, n, theirs, cutile_, ours = best(
        20 * rounds, 500, launch, saxpy_launch, nothing,
        lambda: ct.launch(0, (1,), module.add, wrapped),
        lambda: cutile.launch((1,), module.add, args),
        lambda: on_one(a, b, 2.0, 64))
    good = True
    for name, seconds, c in (("ct.launch", theirs, add_c),
                             ("tessera.cutile.launch", cutile_, add_c),
                             ("kernel[grid](...)", ours, saxpy_c)):
        c_us = 1e6 * (c - n)
        more = 1e6 * seconds - c_us
        good &= more <= MOST_LAUNCH_US
        print("launch   %-22s %5.2f us, from C %.2f us: %.2f us more (at most %d)" % (
            name, 1e6 * seconds, c_us, more, MOST_LAUNCH_US))
    return good


def recorded(module, run):
    """The launch that a sample makes."""
    seen, launch = [], module.ct.launch

    def record(*call):
        seen.append(call)
        launch(*call)

    module.ct.launch = record
    run(module)
    module.ct.launch = launch
    return seen[-1]


def client_samples(rounds, folder):
    import torch
    torch.manual_seed(0)
    sys.path.insert(0, folder)

    def matmul(m):
        a, b = (torch.randn(1024, 1024, dtype=torch.float32, device="cuda") for _ in range(2))
        m.cutile_matmul(a, b)

    def attention(m):
        q, k, v = (torch.randn(1, 8, 1024, 64, dtype=torch.float16, device="cuda")
                   for _ in range(3))
        m.cutile_fmha(q, k, v, causal=True)

    good = True
    for name, run in (("MatMul", matmul), ("AttentionFMHA", attention)):
        spec = importlib.util.spec_from_file_location(name, os.path.join(folder, name + ".py"))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        stream, grid, kernel, args = recorded(module, run)
        made, raw = filled(kernel, args)
        launch, _ = from_c(made, grid, raw)
        c, theirs = best(6 * rounds, 1, launch,
                         lambda: module.ct.launch(stream, grid, kernel, args), pause=0.02)
        good &= c / theirs >= LEAST_RATIO
        print("samples  %-14s %8.3f ms, from C %8.3f ms: %.3f of it (at least %.2f)" % (
            name, 1e3 * theirs, 1e3 * c, c / theirs, LEAST_RATIO))
    return good


# ---- the command --------------------------------------------------------------------------------


def in_client(options, *arguments):
    env = {**os.environ, "CUDA_TILE_CACHE_DIR": "0", "TESSERA_CACHE": "off"}
    command = [options.tessera, "exec", "--", options.python, os.path.abspath(__file__),
               "--rounds", str(options.rounds), *arguments]
    return subprocess.run(command, env=env, cwd=options.work).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--python", default=os.environ.get("TESSERA_CLIENT_PYTHON", sys.executable))
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--samples")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--client", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.client:
        good = client_launch(options.rounds) if options.client == "launch" else \
            client_samples(options.rounds, options.samples)
        return 0 if good else 1
    if subprocess.run([options.python, "-c", "import cuda.tile, numpy"]).returncode:
        print("clients: %s has no cuda-tile and NumPy; name one that has with --python" %
              options.python, file=sys.stderr)
        return 2
    options.tessera = os.path.join(options.build, "bin", "tessera")
    options.work = tempfile.mkdtemp()
    try:
        good = measure_start(options)
        good &= in_client(options, "--client", "launch")
        if options.samples:
            good &= in_client(options, "--client", "samples", "--samples", options.samples)
        else:
            print("samples  left out: name their folder with --samples")
        return 0 if good else 1
    finally:
        shutil.rmtree(options.work)


if __name__ == "__main__":
    sys.exit(main())
