# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuTile's exhaustive_search with the records of `tessera tune`: under `tessera exec` a search that
was made before, of the same kernel, configurations and sizes of arguments, is not made again."""
from __future__ import annotations

import ctypes
import hashlib
import inspect
import math
import os

from tessera import _native as native
from tessera import _native_tune as tuning
from tessera._context import context
from tessera.device import describe
from tessera.tune import rounded

_TEXT = 4000  # bytes of a text in a record


def _hash(*texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def _describe_argument(arg):
    if isinstance(arg, (list, tuple)):
        return "(%s)" % ",".join(map(_describe_argument, arg))
    if isinstance(arg, int) and not isinstance(arg, bool):
        return str(rounded(arg))
    shape = getattr(arg, "shape", None)
    interface = getattr(arg, "__cuda_array_interface__", None)
    if shape is None and interface:
        return "%s[%s]" % (interface["typestr"], "x".join(str(rounded(n)) for n in interface["shape"]))
    if shape is not None:
        return "%s[%s]" % (getattr(arg, "dtype", "?"), "x".join(str(rounded(int(n))) for n in shape))
    return type(arg).__name__


def _source(kernel):
    function = getattr(kernel, "_pyfunc", kernel)
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        code = function.__code__
        return code.co_code.hex() + repr(code.co_consts)


class _Key:
    """What a search is known by."""

    def __init__(self, search_space, kernel, args_fn, flush_l2):
        function = getattr(kernel, "_pyfunc", kernel)
        self.kernel = function.__qualname__[:200]
        self.program = _hash("cuTile", function.__module__, self.kernel, _source(kernel),
                             str(flush_l2))
        self.configs = {repr(config): config for config in search_space}
        self.space = _hash(*self.configs)
        self.sizes = " ".join(map(_describe_argument, args_fn(search_space[0])))
        target = os.environ.get("TESSERA_CUDA_DEVICE") or "cpu"
        self.device = "cuTile on %s, %s threads" % (
            describe(target), os.environ.get("TESSERA_THREADS") or os.cpu_count())
        if any(len(t.encode()) > _TEXT or set(t) & set("\t\r\n")
               for t in (*self.configs, self.sizes, self.kernel)):
            raise ValueError("a text that records cannot have")

    def record(self, parameters=None):
        return tuning.Record(program=self.program.encode(), sizes=self.sizes.encode(),
                             device=self.device.encode(), version=native.version(),
                             parameters=parameters)


class _Store:
    def __enter__(self):
        self.handle = context.make(native.ERROR_MEMORY, "the store", tuning.store_open,
                                   context.handle, None)
        return self.handle

    def __exit__(self, *_):
        with context.alone():
            tuning.store_close(self.handle)


def _look_up(key, module):
    """The result of the search that was made before; None."""
    found = []

    def see(_user, pointer):
        r = pointer.contents
        config = r.parameters.decode()
        if r.space.decode() == key.space and config in key.configs:
            found.append(module.Measurement(
                config=key.configs[config], mean_us=1e3 * r.median_ms, num_samples=r.samples,
                error_margin_us=1.96e3 * r.spread_ms / math.sqrt(max(r.samples, 1))))
        return True

    with _Store() as store:
        context.check("looking up", tuning.store_walk, store, ctypes.byref(key.record()),
                      tuning.WalkFn(see), None)
    return module.TuningResult(best=found[0], successes=tuple(found), failures=()) if found else None


def _keep(key, result):
    records = (tuning.Record * len(result.successes))()
    for r, m in zip(records, result.successes):
        for field, value in (("kernel", key.kernel), ("program", key.program), ("space", key.space),
                             ("sizes", key.sizes), ("device", key.device),
                             ("parameters", repr(m.config))):
            setattr(r, field, value.encode())
        r.version = native.version()
        r.median_ms, r.samples = 1e-3 * m.mean_us, m.num_samples
        r.spread_ms = 1e-3 / 1.96 * m.error_margin_us * math.sqrt(max(m.num_samples, 1))
    with _Store() as store:
        context.check("keeping", tuning.store_put, store, records, len(records))


def search_with_records(module, search, search_space, stream, grid_fn, kernel, args_fn,
                        hints_fn=None, *, quiet=False, **options):
    """The module's `search`, unless there is a record of it."""
    try:
        key = _Key(search_space, kernel, args_fn, options.get("flush_l2", True))
        result = _look_up(key, module)
    except Exception:  # whatever is odd about the search, it is made
        key = result = None
    if result is not None:
        if not quiet:
            print(result)
        return result
    result = search(search_space, stream, grid_fn, kernel, args_fn, hints_fn, quiet=quiet,
                    **options)
    if key is not None:
        _keep(key, result)
    return result
