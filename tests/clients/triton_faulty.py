# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with a mistake each, behind a comment. Run by triton.test under `tessera exec --sanitize`:
each must be told with its line."""
import inspect
import os
import re

import tessera
import torch
import triton
import triton.language as tl


@triton.jit
def bounds(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    # No mask on the load.
    value = tl.load(x + at)
    tl.store(y + at, value, mask=inside)


@triton.jit
def race(x, y, n, BLOCK: tl.constexpr):
    # All blocks add to the same element.
    total = tl.load(y)
    tl.store(y, total + tl.sum(tl.load(x + tl.arange(0, BLOCK))))


@triton.jit
def twice(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    # Two elements of one store go to the same place.
    tl.store(y + at // 2, tl.load(x + at))


@triton.jit
def unset(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.sum(tl.load(x + at, mask=at < n))
    # What the load left out has been added.
    tl.store(y + tl.program_id(0), total)


@triton.jit
def assumption(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    # n is 100.
    tl.assume(n % 16 == 0)
    tl.store(y + at, tl.load(x + at), mask=at < n)


@triton.jit
def division(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    # The first element is divided by zero.
    tl.store(y + at, (n // at).to(tl.float32))


@triton.jit
def assertion(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    # The last elements are not below n.
    tl.device_assert(at < n, "inside")
    tl.store(y + at, tl.load(x + at))


def line_of_mistake(kernel):
    lines, first = inspect.getsourcelines(kernel.fn)
    return first + [i for i, line in enumerate(lines) if line.strip().startswith("#")][-1] + 1


def main():
    found = 0
    for kernel in (bounds, race, twice, unset, assumption, division, assertion):
        source, target = torch.randn(100, device="cuda"), torch.zeros(100, device="cuda")
        name = kernel.fn.__name__
        try:
            kernel[(2,)](source, target, 50 if kernel is assertion else 100, BLOCK=64, debug=True)
        except tessera.TesseraError as error:
            message = str(error).splitlines()[0]
            message = message.replace(os.path.dirname(os.path.abspath(__file__)) + os.sep, "")
            print("%s: %s" % (name, message))
            line = re.match(r"triton_faulty.py:(\d+):", message)
            found += bool(line) and int(line.group(1)) == line_of_mistake(kernel)
    print("%d mistakes found in their lines" % found)


main()
