# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuTile's own search, of which the second finds the record of the first: run it twice."""
import sys

import numpy as np

import cuda.tile as ct

launches = 0


class Interface:
    """A NumPy array that says it is CUDA's by __cuda_array_interface__."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3,
                                         "strides": array.strides}


@ct.kernel
def increment(x, y, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (tile,)) + 1)


def grid(tile):
    global launches
    launches += 1
    return (-(-n // tile),)


n = int(sys.argv[1])
x = np.arange(n, dtype=np.float32)
y = np.zeros_like(x)
result = ct.tune.exhaustive_search([64, 256, 1024], 0, grid, increment,
                                   lambda tile: (Interface(x), Interface(y), tile), quiet=True)
assert result.best.config in (64, 256, 1024)
assert result.best.mean_us == min(m.mean_us for m in result.successes)
print("%d of 3 were measured" % launches)
