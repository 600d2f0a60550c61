# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Causal attention of a sequence that is divided among ranks, beside that of one rank.

    PYTHONPATH=python mpirun -n 4 python3 examples/ranks/attention.py
"""
import numpy as np

import tessera.ops
import tessera.ranks

HEADS, TOKENS, HEAD = 4, 512, 64

with tessera.ranks.join() as all_ranks:
    ring = all_ranks.operator("ring_attention", "attention:causal=yes,heads=%d,seq=%d,head=%d"
                              % (HEADS, TOKENS, HEAD))
    mine = ring.rows(all_ranks.rank)

    # The same sequence on all ranks, of which each takes its tokens.
    numbers = np.random.default_rng(1)
    q, k, v = (numbers.standard_normal((1, HEADS, TOKENS, HEAD), dtype=np.float32) for _ in "qkv")
    own = [np.ascontiguousarray(x[:, :, mine.start:mine.stop]) for x in (q, k, v)]
    o = ring(q=own[0], k=own[1], v=own[2])

    whole = tessera.ops.attention(q, k, v, causal=True)
    apart = np.abs(o - whole[:, :, mine.start:mine.stop]).max()
    worst = all_ranks.all_reduce(np.array([apart]), "max")[0]
    if all_ranks.rank == 0:
        print("%d ranks, %d tokens: at most %.0e apart" % (all_ranks.size, TOKENS, worst))
    assert worst < 1e-5
