#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tilus' product with quantised weights, for every type of weights that it has, beside NumPy. One command,
with a Python that has Tilus, and a checkout of Tilus at the tag that is installed:

    git clone --depth 1 --branch v0.2.0 https://github.com/NVIDIA/tilus
    python3 tests/clients/tilus_weights.py --checkout tilus [--python PYTHON]

The kernels of examples/quantization/matmul_a16wx.py are used as they are, with the schedule that the script
names for debugging: one brings the bits of weights into the order of tensor cores, one multiplies. (The one
that brings them back Tilus 0.2.0 refuses itself, and the script does not call it.) Weights are all bit
patterns that are finite numbers, in random order. The results are held against the product in float64 of
what NumPy makes of the bits: within the rounding of f32 sums and of the f16 that is stored. Prints a table
as docs/tilus-support.md has it. The exit status is 0 when all is right; 77 where there is no Tilus, which
is said.
"""
import re
import sys
import tempfile

from tilus_checkout import SKIPPED, example, is_missing, parse, parser, run_in_process

TYPES = (["uint%db" % n for n in range(1, 8)] + ["uint8"] +
         ["int%db" % n for n in range(2, 8)] + ["int8"] +
         ["float%d_e%dm%d" % of for of in (
             (3, 1, 1), (4, 1, 2), (4, 2, 1), (5, 1, 3), (5, 2, 2), (5, 3, 1), (6, 2, 3), (6, 3, 2),
             (6, 4, 1), (7, 2, 4), (7, 3, 3), (7, 4, 2), (7, 5, 1), (8, 4, 3), (8, 5, 2))])
M, N, K, GROUP = 17, 128, 256, 128


# ---- in the client's process --------------------------------------------------------------------


def values_of(name, bits):
    """What each bit pattern of a type stands for, from the definition of the type; those above what Tilus
    says is the type's largest number are infinite or no numbers."""
    import numpy as np
    patterns = np.arange(1 << bits)
    if name.startswith("uint"):
        return patterns.astype(float)
    if name.startswith("int"):
        return np.where(patterns >> (bits - 1), patterns - (1 << bits), patterns).astype(float)
    exponent_bits, mantissa_bits = map(int, re.search(r"e(\d)m(\d)", name).groups())
    sign = np.where(patterns >> (bits - 1), -1.0, 1.0)
    exponent = patterns >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = (patterns & (1 << mantissa_bits) - 1) / (1 << mantissa_bits)
    bias = (1 << exponent_bits - 1) - 1
    return sign * 2.0 ** (np.maximum(exponent, 1) - bias) * (mantissa + (exponent > 0))


def packed(patterns, bits):
    """Element after element, from the lowest bit of the first byte on."""
    import numpy as np
    each = patterns.reshape(-1, 1) >> np.arange(bits) & 1
    return np.packbits(each.astype(np.uint8).ravel(), bitorder="little")


def check(module, name, device):
    """Raises an AssertionError where the kernels do not compute what NumPy does."""
    import numpy as np
    import tessera.tilus
    import tilus.hidet.ir.dtypes as dtypes
    kind, random = getattr(dtypes, name), np.random.default_rng(len(name))
    values = values_of(name, kind.nbits)
    finite = np.flatnonzero(np.abs(values) <= np.abs(float(kind.min_value)).clip(float(kind.max_value)))
    patterns = random.permutation(np.resize(finite, K * N))
    weights = packed(patterns, kind.nbits)
    a = random.standard_normal((M, K)).astype(np.float16)
    scale = (random.uniform(0.5, 2, (K // GROUP, N)) / np.abs(values[finite]).max()).astype(np.float16)
    common = {"weight_tile": (16, 16), "a_dtype": dtypes.float16, "b_dtype": kind}

    ordered, c = np.zeros_like(weights), np.zeros((M, N), np.float16)
    change = module.QuantizedMatmulChangeLayout(**common)
    tessera.tilus.launch(change, K, N, weights, ordered, device=device)
    product = module.QuantizedMatmul(group_size=GROUP, **common)
    tessera.tilus.launch(product, M, N, K, a, ordered, scale, c, device=device)
    b = values[patterns].reshape(K, N).astype(np.float16) * np.repeat(scale, GROUP, axis=0)
    wide, size = a.astype(float) @ b.astype(float), np.abs(a).astype(float) @ np.abs(b).astype(float)
    right = np.abs(c - wide) <= 2.0**-11 * np.abs(wide) + 2.0**-25 + K * 2.0**-24 * size
    assert right.all(), "%d of %d results are wrong" % ((~right).sum(), right.size)


def outcome(module, name, device):
    try:
        check(module, name, device)
    except Exception as error:  # of any kind: it is what the table says of this type
        return (str(error).strip().splitlines() or [type(error).__name__])[-1][:120]
    return "right"


def run_client(options):
    import tessera
    module = example(options, "quantization/matmul_a16wx.py")
    devices = {name: tessera.Device(name) for name in options.devices.split(",")}
    print("| weights | %s |\n|---|%s" % (" | ".join(devices), "---|" * len(devices)), flush=True)
    good = True
    for name in [t for t in TYPES if options.only in t]:
        cells = [outcome(module, name, device) for device in devices.values()]
        good &= all(cell == "right" for cell in cells)
        print("| `%s` | %s |" % (name, " | ".join(cells)), flush=True)
    return 0 if good else 1


# ---- the command --------------------------------------------------------------------------------


def main():
    made = parser(__doc__, devices="interp,cpu,emu:sm_90a")
    made.add_argument("--only", default="", help="types whose name has this in it")
    options = parse(made)
    if options.client:
        return run_client(options)
    if is_missing(options):
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        return run_in_process(options, work, *sys.argv[1:], "--client", "all").returncode


if __name__ == "__main__":
    sys.exit(main())
