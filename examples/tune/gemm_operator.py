# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tiles of an operator, which are measured once and remembered. Needs NumPy.

    PYTHONPATH=python python3 examples/tune/gemm_operator.py
"""
import numpy as np

from tessera import ops

a, b = (np.random.default_rng(0).standard_normal((200, 200), dtype=np.float32) for _ in range(2))
tried = ops.tune(ops.gemm, a, b, seconds=1)
best = min((m for m in tried if m.ms), key=lambda m: m.ms)
print("%d instances, of which the fastest takes %.3f ms" % (len(tried), best.ms))
print(best.instance)
c = ops.gemm(a, b)  # takes it, here and, by the tuning store, in other processes
print("largest difference: %.0e" % np.abs(c - a @ b).max())
