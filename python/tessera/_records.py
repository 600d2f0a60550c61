# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches of other tuners, kept among the records of `tessera tune`."""
from __future__ import annotations

import ctypes
import hashlib
import os
from typing import Dict, Iterable, NamedTuple, Tuple

from tessera import _native as native
from tessera import _native_tune as tuning
from tessera._context import context
from tessera.device import describe

_TEXT = 4000  # bytes of a text in a record


def digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


class Measured(NamedTuple):
    """How long a candidate took, of some samples."""
    median_ms: float
    spread_ms: float  # standard deviation
    samples: int


class Search:
    """What a search is known by. Raises ValueError for texts that records cannot have.

    who: the tuner, such as "cuTile"; kernel: its name, for people; program: what it is made of;
    configs: the candidates as texts; sizes: what the choice depends on.
    """

    def __init__(self, who: str, kernel: str, program: Iterable[str], configs: Iterable[str],
                 sizes: str) -> None:
        configs = list(configs)
        self._kernel, self._sizes = kernel[:200], sizes
        self._program, self._space = digest(who, *program), digest(*configs)
        self._configs = set(configs)
        target = os.environ.get("TESSERA_CUDA_DEVICE") or "cpu"
        self._device = "%s on %s, %s threads" % (
            who, describe(target), os.environ.get("TESSERA_THREADS") or os.cpu_count())
        if any(len(t.encode()) > _TEXT or set(t) & set("\t\r\n")
               for t in (*configs, sizes, self._kernel)):
            raise ValueError("a text that records cannot have")

    def look_up(self) -> Dict[str, Measured]:
        """What was measured of the candidates, the fastest first; nothing if the search was not made
        before."""
        found: Dict[str, Measured] = {}

        def see(_user, pointer):
            r = pointer.contents
            config = r.parameters.decode()
            if r.space.decode() == self._space and config in self._configs:
                found[config] = Measured(r.median_ms, r.spread_ms, r.samples)
            return True

        key = tuning.Record(program=self._program.encode(), sizes=self._sizes.encode(),
                            device=self._device.encode(), version=native.version())
        with _Store() as store:
            context.check("looking up", tuning.store_walk, store, ctypes.byref(key),
                          tuning.WalkFn(see), None)
        return found

    def keep(self, measured: Iterable[Tuple[str, Measured]]) -> None:
        measured = list(measured)
        records = (tuning.Record * len(measured))()
        for r, (config, m) in zip(records, measured):
            for field, value in (("kernel", self._kernel), ("program", self._program),
                                 ("space", self._space), ("sizes", self._sizes),
                                 ("device", self._device), ("parameters", config)):
                setattr(r, field, value.encode())
            r.version = native.version()
            r.median_ms, r.spread_ms, r.samples = m
        with _Store() as store:
            context.check("keeping", tuning.store_put, store, records, len(records))


class _Store:
    def __enter__(self):
        self.handle = context.make(native.ERROR_MEMORY, "the store", tuning.store_open,
                                   context.handle, None)
        return self.handle

    def __exit__(self, *_):
        with context.alone():
            tuning.store_close(self.handle)
