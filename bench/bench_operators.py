#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators at sizes of public models: the choice of the cost model beside the fastest instance,
and both beside PyTorch (MKL, oneDNN) and NumPy (OpenBLAS).

    bench/bench_operators.py [--cpu avx2|avx512] [--threads N] [--seconds S] [--only EXPRESSION]

Problems are those of bench/operators.tsv. `tessera op tune` of TESSERA_COMMAND (build/bin/tessera)
measures the instances of each and compares their results with those of the first, which is the
choice, as it has the lowest estimate. A peer whose package is missing is left out. The tuning store stays as it
is. The geometric means at the end are of the choice beside the best instance, and beside the best
of the peers: above 1 means that Tessera is faster.
"""
import argparse
import itertools
import json
import math
import os
import re
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = os.environ.get("TESSERA_COMMAND", os.path.join(HERE, "..", "build", "bin", "tessera"))


def arguments(about=__doc__):
    parser = argparse.ArgumentParser(description=about.split("\n")[0])
    parser.add_argument("--cpu", default="avx512", choices=["avx2", "avx512"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=4, help="that an operator may be tuned")
    parser.add_argument("--only", default="", help="problems that match this expression")
    return parser.parse_args()


def hold_peers(level, threads):
    """They read these before they are loaded."""
    if level == "avx2":
        os.environ.update(OPENBLAS_CORETYPE="Haswell", ONEDNN_MAX_CPU_ISA="AVX2",
                          MKL_ENABLE_INSTRUCTIONS="AVX2", ATEN_CPU_CAPABILITY="avx2")
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = str(threads)


def problems(only):
    with open(os.path.join(HERE, "operators.tsv")) as lines:
        for line in lines:
            if line.startswith("#") or not line.strip():
                continue
            text = line.split("\t")[0]
            parts = [part.strip("{}").split("|") if part.startswith("{") else [part]
                     for part in re.split(r"(\{[^}]*\})", text)]
            for choice in itertools.product(*parts):
                if re.search(only, "".join(choice)):
                    yield "".join(choice)


def tuned(problem, options):
    """Milliseconds of the choice and of the fastest instance, whose name is the third."""
    command = [COMMAND, "op", "tune", problem, "--json", "--reference", "first", "--cpu", options.cpu, "--threads",
               str(options.threads), "--seconds", str(options.seconds)]
    out = subprocess.run(command, text=True, capture_output=True,
                         env=dict(os.environ, TESSERA_TUNING="off"))
    if out.returncode:
        raise SystemExit("%s: %s" % (problem, out.stderr.strip()))
    found = [json.loads(line) for line in out.stdout.splitlines() if line.startswith("{")]
    times = [(m["min_ms"], m["instance"]) for m in found if "ms" in m]
    return times[0][0], min(times)[0], min(times)[1]


# ---- peers --------------------------------------------------------------------------------------


def milliseconds(function):
    """The shortest run within half a second, as of instances."""
    function()
    times, end = [], time.perf_counter() + 0.5
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def parameters(problem):
    family, _, rest = problem.partition(":")
    return family, dict(p.split("=", 1) for p in rest.split(","))


def torch_gemm(torch, p, dtype):
    a, w = torch.randn(int(p["m"]), int(p["k"])).to(dtype), torch.randn(
        int(p["n"]), int(p["k"])).to(dtype)
    bias = torch.randn(int(p["n"])).to(dtype) if "bias" in p.get("epilogue", "") else None
    act = torch.nn.functional.gelu if "gelu" in p.get("epilogue", "") else lambda x: x
    return lambda: act(torch.nn.functional.linear(a, w, bias))


def torch_gemm_gemm(torch, p, dtype):
    batch, m, n, k, o = (int(p.get(name, 1)) for name in ("batch", "m", "n", "k", "o"))
    a, b0, b1 = (torch.randn(batch, *shape).to(dtype) for shape in ((m, k), (k, n), (n, o)))
    act = torch.relu if "relu" in p.get("between", "") else lambda x: x
    if p.get("softmax", "no") != "no":
        act = lambda x: torch.softmax(x, -1)  # noqa: E731
    return lambda: torch.bmm(act(torch.bmm(a, b0)), b1)


def torch_gemm_norm(torch, p, dtype):
    product, n = torch_gemm(torch, p, dtype), int(p["n"])
    gamma, beta = torch.randn(n).to(dtype), torch.randn(n).to(dtype)
    if p.get("kind") == "rms":
        return lambda: torch.nn.functional.rms_norm(product(), (n,), gamma)
    return lambda: torch.nn.functional.layer_norm(product(), (n,), gamma, beta)


def torch_custom(torch, p, dtype):
    """Structures of two fields are complex numbers."""
    a = torch.randn(int(p["m"]), int(p["k"]), dtype=torch.complex64)
    if p.get("kind") == "reduce":
        return lambda: a.sum(1)
    b = torch.randn(int(p["k"]), int(p["n"]), dtype=torch.complex64)
    return lambda: a @ b


def torch_convolution(torch, p, dtype):
    f, size = torch.nn.functional, [int(n) for n in p["size"].split("x")]
    rank, kernel = len(size), int(p.get("kernel", 1))
    how = dict(stride=int(p.get("stride", 1)), padding=int(p.get("padding", 0)))
    x = torch.randn(int(p["batch"]), int(p["channels"]), *size).to(dtype)
    w = torch.randn(int(p["filters"]), int(p["channels"]), *[kernel] * rank).to(dtype)
    if rank == 2:
        x, w = (t.to(memory_format=torch.channels_last) for t in (x, w))
    bias = torch.randn(int(p["filters"])).to(dtype) if "bias" in p.get("epilogue", "") else None
    run, text = [f.conv1d, f.conv2d][rank - 1], p.get("epilogue", "")
    act = f.relu if "relu" in text else f.gelu if "gelu" in text else lambda y: y
    which = p.get("pass", "forward")
    if which == "forward":
        return lambda: act(run(x, w, bias, **how))
    dy = torch.randn_like(run(x, w, **how))
    if which == "data":
        return lambda: torch.nn.grad.conv2d_input(x.shape, w, dy, **how)
    return lambda: torch.nn.grad.conv2d_weight(x, w.shape, dy, **how)


def torch_attention(torch, p, dtype):
    heads, size = int(p.get("heads", 8)), int(p.get("head", 64))
    shape = int(p.get("batch", 1)), heads, int(p["seq"]), size
    kv = shape[0], int(p.get("kv_heads", heads)), int(p.get("keys", p["seq"])), size
    q, k, v = torch.randn(shape).to(dtype), torch.randn(kv).to(dtype), torch.randn(kv).to(dtype)
    return lambda: torch.nn.functional.scaled_dot_product_attention(
        q, k, v, is_causal="causal" in p, enable_gqa=kv[1] != heads)


def torch_attention_backward(torch, p, dtype):
    heads, size = int(p.get("heads", 8)), int(p.get("head", 64))
    shape = int(p.get("batch", 1)), heads, int(p["seq"]), size
    q, k, v = (torch.randn(shape).to(dtype).requires_grad_() for _ in range(3))
    o = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal="causal" in p)
    do = torch.randn(shape).to(dtype)
    return lambda: torch.autograd.grad(o, (q, k, v), do, retain_graph=True)


def torch_norm(torch, p, dtype):
    shape = [int(n) for n in p["shape"].split("x")]
    x, w, b = torch.randn(shape).to(dtype), torch.randn(shape[-1:]).to(dtype), torch.randn(
        shape[-1:]).to(dtype)
    if p["kind"] == "rms":
        return lambda: torch.nn.functional.rms_norm(x, shape[-1:], w)
    return lambda: torch.nn.functional.layer_norm(x, shape[-1:], w, b)


def torch_norm_backward(torch, p, dtype):
    shape = [int(n) for n in p["shape"].split("x")]
    x, w, dy = torch.randn(shape), torch.randn(shape[-1:]), torch.randn(shape)
    _, mean, scale = torch.native_layer_norm(x, shape[-1:], w, w, 1e-5)
    return lambda: torch.ops.aten.native_layer_norm_backward(
        dy, x, shape[-1:], mean, scale, w, w, [True, True, True])


def torch_rows(torch, p, dtype):
    return torch.randn([int(n) for n in p["shape"].split("x")]).to(dtype)


def torch_softmax(torch, p, dtype):
    x = torch_rows(torch, p, dtype)
    return lambda: torch.softmax(x, -1)


def torch_softmax_backward(torch, p, dtype):
    y, dy = torch_rows(torch, p, dtype), torch_rows(torch, p, dtype)
    return lambda: torch.ops.aten._softmax_backward_data(dy, y, -1, dtype)


def torch_cross_entropy(torch, p, dtype):
    x = torch_rows(torch, p, dtype)
    classes = torch.randint(0, x.shape[1], x.shape[:1])
    return lambda: torch.nn.functional.cross_entropy(x, classes, reduction="none")


def torch_cross_entropy_backward(torch, p, dtype):
    x = torch_rows(torch, p, dtype).requires_grad_()
    classes, dy = torch.randint(0, x.shape[1], x.shape[:1]), torch.ones(x.shape[0])
    loss = torch.nn.functional.cross_entropy(x, classes, reduction="none")
    return lambda: torch.autograd.grad(loss, x, dy, retain_graph=True)


def numpy_gemm(numpy, p):
    a = numpy.random.rand(int(p["m"]), int(p["k"])).astype("f")
    w = numpy.random.rand(int(p["n"]), int(p["k"])).astype("f")
    return lambda: a @ w.T


def peers(problem, torch, numpy):
    """Milliseconds by the peers' names."""
    family, p = parameters(problem)
    out = {}
    if torch:
        dtype = {"bf16": torch.bfloat16, "f32": torch.float32}[p.get("type", "f32")]
        with torch.no_grad() if "backward" not in family else torch.enable_grad():
            out["torch"] = milliseconds(globals()["torch_" + family](torch, p, dtype))
    if numpy and family == "gemm" and p.get("type", "f32") == "f32" and "epilogue" not in p:
        out["numpy"] = milliseconds(numpy_gemm(numpy, p))
    return out


# ---- the table ----------------------------------------------------------------------------------


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def summary(title, ratios):
    if ratios:
        print("%-44s mean %.2f, least %.2f, of %d" % (title, mean(ratios), min(ratios), len(ratios)))


def load(name):
    try:
        return __import__(name)
    except ImportError:
        print("# without %s: it is not installed" % name)
        return None


def main():
    options = arguments()
    hold_peers(options.cpu, options.threads)
    numpy, torch = load("numpy"), load("torch")
    if torch:
        torch.set_num_threads(options.threads)
    print("# %s, %d threads, load %.1f; ms" % (options.cpu, options.threads, os.getloadavg()[0]))
    print("%-88s %9s %9s %5s  %9s %9s %5s" % ("problem", "choice", "best", "", "torch", "numpy", ""))
    chosen, beside = {}, {}
    for problem in problems(options.only):
        choice, best, name = tuned(problem, options)
        others = peers(problem, torch, numpy)
        family = problem.partition(":")[0]
        chosen.setdefault(family, []).append(best / choice)
        ratio = min(others.values()) / choice if others else float("nan")
        if others:
            beside.setdefault(family, []).append(ratio)
        print("%-88s %9.4f %9.4f %5.2f  %9s %9s %5.2f" % (
            problem, choice, best, best / choice,
            *["%.4f" % others[n] if n in others else "-" for n in ("torch", "numpy")], ratio))
        if best / choice < 0.8:
            print("    best: %s" % name)
        sys.stdout.flush()
    for family in chosen:
        summary(family + ": choice beside the best instance", chosen[family])
        summary(family + ": beside the best of the peers", beside.get(family, []))
    summary("all: choice beside the best instance", sum(chosen.values(), []))
    summary("all: beside the best of the peers", sum(beside.values(), []))


if __name__ == "__main__":
    main()
