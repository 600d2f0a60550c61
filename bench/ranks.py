#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products over two ranks of this machine, beside one rank with two threads; what of a slow transport is hidden;
and what the measured constants say of more ranks.

  ranks.py [--build BUILD] [--mpi openmpi|mpich] [--rounds 3]

Each figure is the median of launches; sides take turns, and of the rounds the best is taken.
  beside one rank   time of the product on one rank with two threads / time of it over two ranks
  hidden            time with a transport of a set bandwidth / the larger of computing and transfer
  scaling           rate over P ranks / P times that of one, by a simulation with a step for each other rank:
                    a step takes the longer of its product and its transfer, from the second one on
"""
import argparse
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZES = ((1024, 1024, 1024), (2048, 2048, 2048), (512, 4096, 1024))
BANDWIDTHS = (100, 200, 800)  # megabytes a second
SECONDS = 0.3  # that one side is launched for, in a round
NETWORKS = (("25 Gbit/s, 5 us", 3.1e9, 5e-6), ("200 Gbit/s, 2 us", 25e9, 2e-6))


def run(options, ranks, *arguments, **variables):
    program = os.path.join(options.build, "bench", "ranks")
    launcher = []
    if ranks > 1:
        launcher = ["mpirun." + options.mpi, "-n", str(ranks)]
        if options.mpi == "openmpi":
            launcher += ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
    said = subprocess.run([*launcher, program, *map(str, arguments)], check=True, capture_output=True, text=True,
                          env={**os.environ, **variables})
    return float(said.stdout.split()[-1])


def best(options, sides):
    """The least of each side over the rounds, in which they take turns."""
    times = [[side() for side in sides] for _ in range(options.rounds)]
    return [min(column) for column in zip(*times)]


def beside_one(options):
    print("%-24s %10s %10s %8s" % ("form, m x n x k", "one, ms", "two, ms", "ratio"))
    for m, n, k in SIZES:
        for form, width, depth in ("gather", n // 2, k), ("scatter", n, k // 2), ("reduce", n, k // 2):
            one, two = best(options, (lambda: run(options, 1, "one", 2, m, n, k, SECONDS),
                                      lambda: run(options, 2, form, 1, m, width, depth, SECONDS)))
            print("%-24s %10.3f %10.3f %8.2f" % ("%s %dx%dx%d" % (form, m, n, k), one, two, one / two))


def hidden(options):
    print("\n%-34s %10s %10s %10s %8s" % ("form, m x n x k, MB/s", "compute", "transfer", "both, ms", "ratio"))
    m, n, k = 1024, 1024, 1024
    for form, width, depth in ("gather", n // 2, k), ("scatter", n, k // 2):
        for bandwidth in BANDWIDTHS:
            apart = {"TESSERA_RANKS_APART": "1", "TESSERA_RANKS_DELAY": "20,%d" % bandwidth}
            # The part that travels: half of the rows of a, or of the sums in f32.
            travels = (m // 2) * (k if form == "gather" else n) * 4
            transfer = travels / bandwidth / 1e3 + 0.02
            compute, both = best(options, (lambda: run(options, 2, form, 1, m, width, depth, SECONDS),
                                           lambda: run(options, 2, form, 1, m, width, depth, SECONDS, **apart)))
            print("%-34s %10.3f %10.3f %10.3f %8.2f" % ("%s %dx%dx%d, %d" % (form, m, n, k, bandwidth), compute,
                                                       transfer, both, both / max(compute, transfer)))


def scaling(options):
    m, n, k = 2048, 2048, 2048
    milliseconds = run(options, 1, "one", 1, m, n, k, SECONDS)
    rate = 2.0 * m * n * k / milliseconds * 1e3
    trip = run(options, 2, "signal")
    print("\nA signal there and back: %.2f us (shared memory). One thread: %.0f GFLOP/s." % (trip, rate / 1e9))
    print("\n%-46s %8s %8s %8s" % ("efficiency, by simulation, 16384 x 8192 x 8192", "8", "64", "1024"))
    m, n, k = 16384, 8192, 8192
    for name, bandwidth, latency in NETWORKS:
        for form in "all-gather + GEMM", "GEMM + reduce-scatter", "GEMM + all-reduce":
            shares = [share(form, ranks, m, n, k, rate, bandwidth, latency) for ranks in (8, 64, 1024)]
            print("%-46s %8.2f %8.2f %8.2f" % (form + ", " + name, *shares))


def share(form, ranks, m, n, k, rate, bandwidth, latency):
    """One step for each other rank: its product beside the transfer of the next, then what is left over."""
    rows = m / ranks
    gathers = form.startswith("all-gather")
    product = 2 * rows * n * k / ranks / rate
    transfer = rows * (k if gathers else n) * 4 / bandwidth
    sent, free = 0.0, 0.0  # when the link has brought the rows of a step, and when the cores are free
    if gathers:
        free = product
        for _ in range(ranks - 1):
            sent += transfer
            free = max(free, sent + latency) + product
    else:
        for _ in range(ranks - 1):
            free += product
            sent = max(sent, free) + transfer
        free = max(free, sent + latency) + product
    if form.endswith("all-reduce"):
        free += (ranks - 1) * transfer + latency
    return 2 * m * n * k / rate / ranks / free


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--mpi", default="openmpi", choices=("openmpi", "mpich"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=("one", "hidden", "scaling"))
    options = parser.parse_args()
    for name, part in ("one", beside_one), ("hidden", hidden), ("scaling", scaling):
        if options.only in (None, name):
            part(options)


if __name__ == "__main__":
    main()
