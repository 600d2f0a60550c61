# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measuring kernels and functions."""
from __future__ import annotations

import ctypes
import os
import time
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from . import _native as native
from . import _native_tune as tuning
from ._context import context
from .device import Device
from .module import GridLike, Kernel, grid_of


class Times(NamedTuple):
    """Milliseconds."""
    median: float
    mean: float
    min: float
    max: float
    p20: float  #: a fifth of the measurements took less
    p80: float
    samples: int


def bench(kernel: Kernel, grid: GridLike, *args: Any, warmup: float = 25, rep: float = 100,
          cold: bool = False) -> Times:
    """How long launches of a kernel take, without the way from Python to it: by the device's own
    clock where it has one.

    warmup, rep   launch for about so many milliseconds before it counts, and then
    cold          empty the caches before each launch
    """
    with kernel._raw_arguments(kernel._ordered(args, {})) as raw:
        return bench_raw(kernel, grid_of(grid), raw, warmup, rep, cold)


def bench_raw(kernel: Kernel, grid: Any, raw: Any, warmup: float, rep: float, cold: bool) -> Times:
    """The same with arguments in the library's form."""
    options = tuning.BenchOptions(struct_size=ctypes.sizeof(tuning.BenchOptions),
                                  warm_up_ms=warmup, measure_ms=rep, cold=cold)
    result = tuning.BenchResult()
    context.check("measuring", tuning.bench, kernel._handle, grid, raw, len(raw),
                  ctypes.byref(options), ctypes.byref(result))
    return Times(result.median_ms, result.mean_ms, result.min_ms, result.max_ms, result.p20_ms,
                 result.p80_ms, result.samples)


def _largest_cache() -> int:
    """Bytes of this machine's largest cache, or what is usual."""
    try:
        found = os.sysconf("SC_LEVEL3_CACHE_SIZE")
    except (ValueError, OSError, AttributeError):
        found = 0
    return found if found > 1 << 20 else 32 << 20


def _quantile(ordered: Sequence[float], q: float) -> float:
    at = q * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def do_bench(fn: Callable[[], object], warmup: float = 25, rep: float = 100,
             quantiles: Optional[Sequence[float]] = None, return_mode: str = "median",
             cold: bool = True, device: Optional[Device] = None) -> Union[float, List[float]]:
    """How many milliseconds a call takes.

    >>> import tessera.testing
    >>> tessera.testing.do_bench(lambda: sum(range(1000)), warmup=1, rep=2) > 0
    True

    warmup, rep   call for about so many milliseconds before it counts, and then
    quantiles     which to return, each from 0 to 1, instead of one number
    return_mode   the number: "median", "mean", "min", "max", or "all" for a list
    cold          empty this machine's caches before each call, or the device's
    device        measure what is launched there: on emulated cards by the estimate of their
                  counters, on GPUs with their caches emptied
    """
    modes = {"median": lambda t: _quantile(t, 0.5), "mean": lambda t: sum(t) / len(t),
             "min": lambda t: t[0], "max": lambda t: t[-1], "all": list}
    if return_mode not in modes:
        raise ValueError("return_mode is one of %s, not %r" % (
            ", ".join(map(repr, modes)), return_mode))
    if device is not None:
        times = _times_on(device, fn, warmup, rep, cold)
    else:
        times = _times_here(fn, warmup, rep, cold)
    if quantiles is not None:
        return [_quantile(times, q) for q in quantiles]
    return modes[return_mode](times)


def _times_on(device: Device, fn: Callable[[], object], warmup: float, rep: float,
              cold: bool) -> List[float]:
    """By tsr_bench_calls; sorted. What the function raises is raised."""
    raised: List[BaseException] = []

    def call(_user, _stream):
        try:
            fn()
            return 0
        except BaseException as error:
            raised.append(error)
            return native.ERROR_USAGE

    samples = (ctypes.c_double * 1000)()
    options = tuning.BenchOptions(struct_size=ctypes.sizeof(tuning.BenchOptions),
                                  warm_up_ms=warmup, measure_ms=rep, cold=cold, samples=samples,
                                  capacity=len(samples))
    result = tuning.BenchResult()
    try:
        context.check("measuring", tuning.bench_calls, device.handle, tuning.CallFn(call), None,
                      ctypes.byref(options), ctypes.byref(result))
    except Exception:
        if raised:
            raise raised[0] from None
        raise
    return list(samples[:result.samples])


def _times_here(fn: Callable[[], object], warmup: float, rep: float, cold: bool) -> List[float]:
    """By this machine's clock; sorted."""
    other = bytearray(2 * _largest_cache()) if cold else bytearray(1)
    address = ctypes.addressof(ctypes.c_char.from_buffer(other))

    def one(turn):
        if cold:
            ctypes.memset(address, turn & 255, len(other))
        start = time.perf_counter()
        fn()
        return 1e3 * (time.perf_counter() - start)

    end, turn = time.perf_counter() + 1e-3 * warmup, 0
    while not turn or time.perf_counter() < end:
        one(turn)
        turn += 1
    times: List[float] = []
    end = time.perf_counter() + 1e-3 * rep
    while len(times) < 3 or time.perf_counter() < end:
        times.append(one(len(times)))
    return sorted(times)


def sweep(functions: Mapping[str, Callable[[Any], object]], xs: Sequence[Any],
          rate: Callable[[Any, float], float] = lambda _x, ms: ms,
          **options: Any) -> Dict[str, List[float]]:
    """Measures each function for each x: fn(x) returns what do_bench is to call. The results are
    milliseconds, or what `rate(x, ms)` makes of them."""
    return {name: [rate(x, do_bench(make(x), **options)) for x in xs]
            for name, make in functions.items()}


def plot(xs: Sequence[Any], results: Mapping[str, Sequence[float]], path: Any, *,
         x: str = "size", y: str = "ms", title: str = "", log: bool = False) -> None:
    """Draws what `sweep` measured into a file (PNG, SVG, PDF by its name). Needs matplotlib."""
    try:
        import matplotlib
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install matplotlib, or "
                          "apt-get install python3-matplotlib") from None
    matplotlib.use("Agg")
    from matplotlib import pyplot
    figure, axes = pyplot.subplots()
    for name, values in results.items():
        axes.plot(xs, values, marker="o", label=name)
    axes.set(xlabel=x, ylabel=y, title=title)
    if log:
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
    axes.grid(True)
    axes.legend()
    figure.savefig(path)
    pyplot.close(figure)
