#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Tilus' scripts cost on the CPU backend, beside Tilus' own passes and beside kernels/. One command,
with a Python that has Tilus, and the examples of the tag that is installed:

    git clone --depth 1 --branch v0.2.0 https://github.com/NVIDIA/tilus
    python3 bench/tilus_scripts.py --checkout tilus [--python PYTHON] [--build BUILD] [--rounds N]

  start      matmul_v0 from the script to its first result, beyond importing and Tilus' own passes
  matmul     f16 matmul_v0 beside gemm_f16_128x128x64 of kernels/gemm.mlir
  schedules  all 90 schedules of the quantised product: translated, compiled, compared and measured,
             beyond Tilus' own passes
  weights    the quantised product, its fastest schedule, beside kernels/gemm_weight_only.mlir for
             weights of 4 bits, and beside u4 for other widths

Times are processor time on one thread, which does not count waiting, and the best of rounds that take
turns, since other programs may use the machine; --sizes, --types and --schedules cut what is measured.
"""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/clients"))
from tilus_checkout import ROOT, example, is_missing, parse, parser, run_in_process  # noqa: E402

PARTS = ("start", "matmul", "schedules", "weights")
MOST_START_MS, MOST_SCHEDULES_S, LEAST_MATMUL, LEAST_WEIGHTS, LEAST_ODD = 100, 60, 0.9, 0.9, 0.5
FOUR_BITS = {"uint4b": "i4", "int4b": "i4", "float4_e2m1": "f4E2M1FN"}


# ---- in the client's process --------------------------------------------------------------------


def best(rounds, *functions):
    """Seconds of processor time of a call of each, the best of rounds that take turns."""
    least = [float("inf")] * len(functions)
    for f in functions:
        f()
    for _ in range(rounds):
        for i, f in enumerate(functions):
            start = time.process_time()
            f()
            least[i] = min(least[i], time.process_time() - start)
    return least


def instance(script, args):
    """What Tilus has transpiled of a script's schedules, and these."""
    from tessera.tilus import _places, _scripts
    from tilus.lang.instantiated_script import JitInstance, extract_keys
    _places.install()
    _scripts.set_target()
    key = extract_keys(args, script.const_params, script.tuning_params)[0]
    made = JitInstance(script.script_cls, script.params, script.build_options, script.schedules, key)
    return made, [script.schedules[i] for i in made.transpiled_schedules]


def own_passes(program):
    """All that Tilus does with a program before it makes CUDA of it."""
    from tilus.ir.tools import verify
    from tilus.transforms import PassContext, get_default_passes
    verify(program)
    with PassContext():
        for step in get_default_passes():
            program = step(program)


def operands(n):
    import torch
    a, b = (torch.randn(n, n, dtype=torch.float16) for _ in range(2))
    return a, b, torch.empty(n, n, dtype=torch.float16)


def client_start(options):
    """One of the two, in a process of its own: prints milliseconds."""
    import tessera.tilus
    import tilus.transforms  # noqa: F401
    module, n = example(options, "matmul/matmul_v0.py"), 128
    a, b, c = operands(n)
    start = time.process_time()
    if options.client == "start-own":
        own_passes(instance(module.MatmulV0(), (n, n, n, a, b, c))[0].transpiled_programs[0])
    else:
        tessera.tilus.launch(module.MatmulV0(), n, n, n, a, b, c)
    print(1e3 * (time.process_time() - start))


def client_matmul(options):
    import tessera
    import tessera.tilus
    import torch
    module, device = example(options, "matmul/matmul_v0.py"), tessera.Device("cpu", threads=1)
    kernel = tessera.load(os.path.join(ROOT, "kernels", "gemm.mlir")).kernel("gemm_f16_128x128x64",
                                                                             device)
    good = True
    for n in options.sizes:
        a, b, c = operands(n)
        wide = torch.empty(n, n)
        script = module.MatmulV0()
        ours, theirs = best(
            options.rounds if n < 4096 else 3,
            lambda: kernel[n // 128, n // 128](a, b, wide, n, n, n),
            lambda: tessera.tilus.launch(script, n, n, n, a, b, c, device=device))
        torch.testing.assert_close(c.float(), wide, rtol=1e-2, atol=0.3)
        good &= ours / theirs >= LEAST_MATMUL
        print("matmul     %d cubed: %.2f of gemm_f16_128x128x64 (at least %.1f), which does %.0f "
              "GFLOP/s" % (n, ours / theirs, LEAST_MATMUL, 2e-9 * n**3 / ours))
    return good


def quantised(options, name, m, k, n, device, schedules=None):
    """A call of each schedule of the quantised product, with all that it needs."""
    import tilus.hidet.ir.dtypes as dtypes
    import torch
    from tessera.tilus import _build
    from tessera.tilus._launch import Launch
    module, kind = example(options, "quantization/matmul_a16wx.py"), getattr(dtypes, name)
    module.QuantizedMatmul.debug_schedule = None
    script = module.QuantizedMatmul((16, 16), 128, dtypes.bfloat16, kind)
    made, known = instance(script, (m, n, k, 0, 0, 0, 0))
    a, scale = torch.randn(m, k).bfloat16(), torch.rand(k // 128, n).bfloat16()
    weights = torch.randint(0, 255, (k * n * kind.nbits // 8,), dtype=torch.uint8)
    c = torch.empty(m, n, dtype=torch.float16)
    calls = []
    for i, (schedule, program) in enumerate(zip(known, made.transpiled_programs)):
        if schedules is None or i in schedules:
            launch = Launch(_build.program_of(program), device)
            calls.append((i, lambda launch=launch: launch(m, a, weights, scale, c)))
    return calls


def client_schedules(options):
    """In this process, so that processor time is all of it: first Tilus' own passes of all."""
    import tilus.hidet.ir.dtypes as dtypes
    import torch
    from tessera.tilus import _build, _tuning
    import tessera
    m, k, n = 16, 4096, 4096
    module = example(options, "quantization/matmul_a16wx.py")
    module.QuantizedMatmul.debug_schedule = None
    script = module.QuantizedMatmul((16, 16), 128, dtypes.float16, dtypes.uint4b)
    start = time.process_time()
    made, _ = instance(script, (m, n, k, 0, 0, 0, 0))
    for program in made.transpiled_programs:
        own_passes(program)
    own = time.process_time() - start
    wall, start = time.monotonic(), time.process_time()
    device = tessera.Device("cpu")
    compiled = [Built(_build.program_of(p)) for p in made.transpiled_programs]
    translated = time.process_time() - start
    args = [m, torch.randn(m, k).half(), torch.randint(0, 255, (k * n // 2,), dtype=torch.uint8),
            torch.rand(k // 128, n).half(), torch.empty(m, n, dtype=torch.float16)]
    _tuning.Schedules(compiled, device).best(args)
    cpu, wall = time.process_time() - start, time.monotonic() - wall
    # Translating begins with Tilus' own passes once more, up to the layouts.
    beyond = cpu - min(translated, own)
    print("schedules  %d of u4, %d x %d x %d: %.0f s of processor time (%.0f s by the clock), of which "
          "%.0f s are beyond Tilus' own passes (at most %d on 2 cores)" % (
              len(compiled), m, n, k, cpu, wall, beyond, MOST_SCHEDULES_S))
    return beyond / 2 <= MOST_SCHEDULES_S


class Built:
    """What CompiledProgram is to a script that is tuned."""

    def __init__(self, program):
        self.program = program


def client_weights(options):
    import tessera
    import torch
    device, m, k, n = tessera.Device("cpu", threads=1), options.rows, 4096, 4096
    module = tessera.load(os.path.join(ROOT, "kernels", "gemm_weight_only.mlir"))
    a, c, scale = torch.randn(m, k).bfloat16(), torch.empty(m, n), torch.rand(n)
    weights = torch.randint(0, 255, (k * n // 2,), dtype=torch.uint8)
    tile = 1 if m == 1 else 16
    beside = {}
    for elem, columns in (("i4", 2048), ("f4E2M1FN", 1024)):
        kernel = module.kernel("gemm_%s_bf16_%dx1024x32" % (elem, tile), device)
        grid = (-(-m // tile), n // columns)
        beside[elem] = lambda kernel=kernel, grid=grid: kernel[grid](a, weights, scale, c, m, n, k)
    good, four = True, None
    for name in options.types:
        calls = quantised(options, name, m, k, n, device, options.schedules)
        times = best(2, *[f for _, f in calls])
        first = sorted(range(len(calls)), key=times.__getitem__)[:3]
        call = calls[first[0]][1]
        if name in FOUR_BITS:
            ours, theirs = best(options.rounds, beside[FOUR_BITS[name]], call)
            ratio, least, of = ours / theirs, LEAST_WEIGHTS, "gemm_weight_only"
            four = four or call
        else:
            four = four or quantised(options, "uint4b", m, k, n, device, {calls[first[0]][0]})[0][1]
            ours, theirs = best(options.rounds, four, call)
            ratio, least, of = ours / theirs, LEAST_ODD, "u4"
        good &= ratio >= least
        print("weights    %-12s %d rows: %6.2f ms, %.2f of %s (at least %.1f); schedule %d of %d" % (
            name, m, 1e3 * theirs, ratio, of, least, calls[first[0]][0], len(calls)), flush=True)
    return good


# ---- the command --------------------------------------------------------------------------------


def in_client(options, part, **more):
    return run_in_process(options, options.work, *sys.argv[1:], "--client", part, **more)


def measure_start(options):
    times = {"start": float("inf"), "start-own": float("inf")}
    for _ in range(max(options.rounds // 3, 2)):
        for part in times:
            done = in_client(options, part, capture_output=True)
            if done.returncode:
                raise SystemExit(done.stderr)
            times[part] = min(times[part], float(done.stdout.split()[-1]))
    beyond = times["start"] - times["start-own"]
    print("start      matmul_v0: %.0f ms, Tilus' own passes alone %.0f ms: %.0f ms more (at most %d)" %
          (times["start"], times["start-own"], beyond, MOST_START_MS), flush=True)
    return beyond <= MOST_START_MS


def main():
    made = parser(__doc__)
    made.add_argument("--rounds", type=int, default=9)
    made.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    made.add_argument("--sizes", nargs="+", type=int, default=[1024, 4096])
    made.add_argument("--rows", type=int, default=16)
    made.add_argument("--types", nargs="+", default=[*FOUR_BITS, "uint3b", "float6_e3m2",
                                                     "float5_e2m2"])
    made.add_argument("--schedules", nargs="+", type=int,
                      help="of the part weights: these, not all (they are tuned over)")
    options = parse(made)
    if options.client:
        part = {"start": client_start, "start-own": client_start, "matmul": client_matmul,
                "schedules": client_schedules, "weights": client_weights}[options.client]
        return 0 if part(options) in (None, True) else 1
    if is_missing(options):
        return 2
    with tempfile.TemporaryDirectory() as options.work:
        print("load of the machine: %.1f on %d cores" % (os.getloadavg()[0], os.cpu_count()))
        good = True
        for part in options.parts:
            if part == "start":
                good &= measure_start(options)
            else:
                good &= in_client(options, part).returncode == 0
        return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
