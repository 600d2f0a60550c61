#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that others wrote, which nobody looks at while working on the CPU backend: TileGym's operators and
cuTile Python's samples as they are, forward and backward, beside PyTorch's operators on the same tensors.

    git clone https://github.com/NVIDIA/TileGym; git clone https://github.com/NVIDIA/cutile-python
    python3 bench/held_apart.py --tilegym TileGym --samples cutile-python [--half] [--build BUILD] [--python PYTHON]

With --half only those are measured that a hash of the checkout's commit and their name chooses, about
half; which they are is not known before the commit is. The scripts run under `tessera exec`, PyTorch alone
in a process of its own, since its functions are others there; the processes take turns, each side at its
best, on one thread or --threads. Times include cuTile's own launcher in Python, which takes some ten
microseconds. PYTHON needs cuda-tile and PyTorch. A result that differs from PyTorch's counts as an error.
"""
import argparse
import hashlib
import json
import math
import os
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

RESULT = "held apart: "
SETS = ("TileGym", "samples of cuTile Python")
DEVICE = "cpu" if "theirs" in sys.argv else "cuda"

# ---- cases ------------------------------------------------------------------------------------------------------


def cases_of_tilegym(torch):
    import tilegym
    from tilegym.ops.cutile.activation import geglu, gelu, relu
    from tilegym.backend import set_backend
    set_backend("cutile")
    ops, f = tilegym.ops, torch.nn.functional

    def of(*shape):
        return torch.randn(*shape, device=DEVICE)

    def backward(function, *arguments):
        leaves = [a.clone().requires_grad_() for a in arguments]
        out = function(*leaves)
        out = out[0] if isinstance(out, tuple) else out
        to = torch.ones_like(out)
        return lambda: torch.autograd.grad(out, leaves, to, retain_graph=True)

    x, wide, w, b = of(512, 1024), of(512, 2048), of(1024), of(1024)
    m, n = of(512, 512), of(512, 512)
    p, q = of(8, 256, 256), of(8, 256, 256)
    query, key, value = of(1, 8, 512, 64), of(1, 8, 512, 64), of(1, 8, 512, 64)
    cos, sin = of(1, 512, 64), of(1, 512, 64)

    def turned(t):
        return torch.cat((-t[..., 32:], t[..., :32]), -1)

    def rope():
        return query * cos + turned(query) * sin, key * cos + turned(key) * sin

    def rms(x, w):
        return f.rms_norm(x, (1024,), w, 1e-6)

    def our_rms(x, w):
        return ops.rms_norm(x, (1024,), w, 1e-6)

    def glu(x):
        return f.silu(x[..., :1024]) * x[..., 1024:]

    def norm(x, w, b):
        return f.layer_norm(x, (1024,), w, b, 1e-5)

    def our_norm(x, w, b):
        return ops.layer_norm_legacy(x, (1024,), w, b, 1e-5)

    both = {
        "softmax": (ops.softmax, lambda x: torch.softmax(x, -1), (x,)),
        "relu": (relu, f.relu, (x,)),
        "gelu": (gelu, f.gelu, (x,)),
        "silu_and_mul": (ops.silu_and_mul, glu, (wide,)),
        "rms_norm": (our_rms, rms, (x, w)),
        "layer_norm": (our_norm, norm, (x, w, b)),
    }
    cases = {name: (lambda t=t: t[0](*t[2]), lambda t=t: t[1](*t[2])) for name, t in both.items()}
    for name in ("silu_and_mul", "rms_norm", "layer_norm"):  # the others have none
        t = both[name]
        cases[name + " backward"] = (lambda t=t: backward(t[0], *t[2]), lambda t=t: backward(t[1], *t[2]), "later")
    cases["swiglu"] = (lambda: ops.get_swiglu()(x, x), lambda: f.silu(x) * x)
    cases["geglu"] = (lambda: geglu(wide), lambda: wide[:, :1024] * f.gelu(wide[:, 1024:]))
    cases["rope"] = (lambda: ops.apply_rope_base(query.clone(), key.clone(), cos, sin), rope)
    cases["matmul"] = (lambda: ops.matmul(m, n), lambda: m @ n)
    cases["bmm"] = (lambda: ops.bmm(p, q), lambda: torch.bmm(p, q))
    for causal in (False, True):
        cases["fmha, causal" if causal else "fmha"] = (
            lambda causal=causal: ops.fmha(query, key, value, is_causal=causal),
            lambda causal=causal: f.scaled_dot_product_attention(query, key, value, is_causal=causal))
    return cases


def cases_of_samples(torch):
    import AttentionFMHA
    import BatchMatMul
    import LayerNorm
    import MatMul
    import Transpose
    import VectorAddition

    def of(*shape):
        return torch.randn(*shape, device=DEVICE)

    f = torch.nn.functional
    a, b, m, n = of(1 << 18), of(1 << 18), of(512, 512), of(512, 512)
    p, q = of(8, 256, 256).half(), of(8, 256, 256).half()
    w, c, x = of(1024), of(1024), of(512, 1024)
    query, key, value = of(1, 8, 512, 64), of(1, 8, 512, 64), of(1, 8, 512, 64)
    return {
        "VectorAddition": (lambda: VectorAddition.vec_add(a, b), lambda: a + b),
        "VectorAddition, gather": (lambda: VectorAddition.vec_add(a, b, use_gather=True), lambda: a + b),
        "VectorAddition, 2-D": (lambda: VectorAddition.vec_add(m, n), lambda: m + n),
        "VectorAddition, 2-D gather": (lambda: VectorAddition.vec_add(m, n, use_gather=True), lambda: m + n),
        "Transpose": (lambda: Transpose.cutile_transpose(m), lambda: m.T.contiguous()),
        "MatMul": (lambda: MatMul.cutile_matmul(m, n), lambda: m @ n),
        "MatMul, persistent": (lambda: MatMul.cutile_matmul(m, n, persistent=True), lambda: m @ n),
        "BatchMatMul": (lambda: BatchMatMul.bmm(p, q, torch.float16), lambda: torch.bmm(p, q)),
        "LayerNorm": (lambda: LayerNorm.cutile_layer_norm(x, w, c, 1e-5),
                      lambda: f.layer_norm(x, (1024,), w, c, 1e-5)),
        "AttentionFMHA": (lambda: AttentionFMHA.cutile_fmha(query, key, value, causal=False),
                          lambda: f.scaled_dot_product_attention(query, key, value)),
    }


# ---- measuring --------------------------------------------------------------------------------------------------


def differs(torch, ours, theirs):
    ours, theirs = ([r] if torch.is_tensor(r) else list(r) for r in (ours, theirs))
    for a, b in zip(ours, theirs):
        loose = 2e-2 if b.dtype in (torch.float16, torch.bfloat16) else 2e-3
        if not torch.allclose(a.float(), b.float(), loose, loose * max(1.0, float(b.float().abs().max()))):
            return True
    return False


def best_of(rounds, run):
    """Microseconds."""
    least = math.inf
    for _ in range(rounds):
        start, count = time.perf_counter(), 0
        while count == 0 or time.perf_counter() - start < 5e-3:
            run()
            count += 1
        least = min(least, (time.perf_counter() - start) / count)
    return 1e6 * least


def measure(options, torch, case):
    """Microseconds of this process's side; or why there are none."""
    try:
        alone = options.side == "theirs"
        ours, theirs = case[:2]
        if len(case) > 2:  # functions that make what is measured
            ours, theirs = None if alone else ours(), theirs()
        if alone:
            return best_of(options.rounds, theirs)
        if differs(torch, ours(), theirs()):
            return "a wrong result"
        return best_of(options.rounds, ours)
    except Exception as error:  # whatever a script of somebody else raises
        return f"{type(error).__name__}: {str(error).splitlines()[0][:90] if str(error) else ''}"


def is_chosen(options, commit, name):
    return not options.half or hashlib.sha256((commit + name).encode()).digest()[0] % 2 == 0


def inside(options):
    """One side of all cases, as lines that begin with RESULT."""
    sys.path[:0] = [os.path.join(options.tilegym, "src"), os.path.join(options.samples, "samples"), options.samples]
    import logging
    logging.disable(logging.WARNING)
    import torch
    torch.set_num_threads(options.threads)
    torch.manual_seed(1)
    for of, commit, cases in ((0, options.tilegym_commit, cases_of_tilegym(torch)),
                              (1, options.samples_commit, cases_of_samples(torch))):
        for name, case in cases.items():
            if is_chosen(options, commit, name):
                print(RESULT + json.dumps([of, name, measure(options, torch, case)]), flush=True)


# ---- the command ------------------------------------------------------------------------------------------------


def commit_of(folder, given):
    if given:
        return given
    return subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def run_side(options, side, commits, best):
    command = [options.python, os.path.abspath(__file__), *sys.argv[1:], "--side", side, "--tilegym-commit",
               commits[0], "--samples-commit", commits[1]]
    environment = {**os.environ, "TESSERA_TORCH": "host", "TESSERA_THREADS": str(options.threads)}
    if side == "ours":
        command = [os.path.join(options.build, "bin/tessera"), "exec", *command]
    printed = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in printed.stdout.splitlines():
        if not line.startswith(RESULT):
            continue
        of, name, value = json.loads(line[len(RESULT):])
        sides = best.setdefault((of, name), {})
        sides[side] = min(value, sides.get(side, value)) if isinstance(value, float) else value
    if printed.returncode:
        sys.exit(f"held_apart: {' '.join(command)}: exit status {printed.returncode}")


def print_set(options, of, commit, best):
    print(f"{SETS[of]} of {commit[:12]}, threads: {options.threads}; microseconds, PyTorch's, how often as fast")
    ratios = []
    for (which, name), sides in best.items():
        if which != of:
            continue
        ours, theirs = sides["ours"], sides.get("theirs")
        if not isinstance(ours, float) or not isinstance(theirs, float):
            print(f"  {name:28s} {ours if not isinstance(ours, float) else theirs}")
            continue
        ratios.append(theirs / ours)
        print(f"  {name:28s} {ours:10.1f} {theirs:10.1f} {ratios[-1]:7.2f}")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        print(f"  {'geometric mean':28s} {'':21s} {mean:7.2f}, below 1: {sum(r < 1 for r in ratios)} of {len(ratios)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tilegym", required=True, help="a checkout of TileGym")
    parser.add_argument("--samples", required=True, help="a checkout of cuTile Python")
    parser.add_argument("--tilegym-commit", help="its commit, where the folder is no git checkout")
    parser.add_argument("--samples-commit", help="the same of cuTile Python")
    parser.add_argument("--half", action="store_true", help="only those that the hash chooses")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5, help="in each process")
    parser.add_argument("--turns", type=int, default=2, help="of the processes")
    parser.add_argument("--side", choices=("ours", "theirs"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.side:
        inside(options)
        return
    commits = (commit_of(options.tilegym, options.tilegym_commit), commit_of(options.samples, options.samples_commit))
    best = {}
    for _ in range(options.turns):
        for side in ("ours", "theirs"):
            run_side(options, side, commits, best)
    for of, commit in enumerate(commits):
        print_set(options, of, commit, best)


if __name__ == "__main__":
    main()
