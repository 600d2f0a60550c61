# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cuTile kernel whose tile cuTile's own search chooses. Run it twice:

    tessera exec -- python examples/tune/cutile.py

The second run takes what the first one measured from the records of `tessera tune`, which
`tessera tune show increment` prints."""
import cuda.tile as ct
import torch
from cuda.tile.tune import exhaustive_search


@ct.kernel
def increment(x, y, tile: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (tile,)) + 1)


launches = 0


def grid(tile):
    global launches
    launches += 1
    return (ct.cdiv(x.shape[0], tile),)


x = torch.arange(10000, dtype=torch.float32, device="cuda")
y = torch.zeros_like(x)
found = exhaustive_search([256, 1024, 4096], torch.cuda.current_stream(), grid, increment,
                          lambda tile: (x, y, tile), quiet=True)
best = found.best.config
print("%s: tiles of %d" % ("measured" if launches else "from a record", best))
ct.launch(torch.cuda.current_stream(), (ct.cdiv(10000, best),), increment, (x, y, best))
print("y[:3] =", y[:3].tolist())
