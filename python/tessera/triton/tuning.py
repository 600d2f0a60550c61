# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@triton.autotune with the records of `tessera tune`: what was measured once, of the same kernel,
configurations and tuning key on the same device, is not measured again by another process.
Configurations that differ only in what has no effect here are measured once."""
from __future__ import annotations

import functools

from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

from tessera._records import Measured, Search

_WITHOUT_EFFECT = "num_warps", "num_stages", "num_ctas", "maxnreg"
_WIDTH = 1.683  # from the 20th to the 80th percentile of a normal distribution, in deviations


def _jit_function(tuner):
    function = tuner.fn
    while not isinstance(function, JITFunction):
        function = function.fn
    return function


def _known_by(tuner, key, configs):
    function = _jit_function(tuner)
    return Search("Triton", function.__name__, (function.module, function.cache_key), configs,
                  str(key))


def _take(tuner, key, configs, measured):
    """What the search would have left in the tuner."""
    timings = {configs[text]: [m.median_ms] * 3 for text, m in measured.items()}
    tuner.cache[key] = min(timings, key=lambda config: timings[config][0])
    tuner.configs_timings = timings
    tuner.bench_time = 0.0


def _keep(known, timings):
    known.keep((str(config), Measured(median, (high - low) / _WIDTH, 1))
               for config, (median, low, high) in timings.items() if median != float("inf"))


def _measure_once(tuner, benchmark):
    """Makes the search, where of configurations that become the same kernel the first is measured."""
    measure, seen = tuner._bench, {}
    read = [name for name in _WITHOUT_EFFECT if name in tuner.arg_names]  # by the kernel itself

    def measure_once(*args, config, **meta):
        key = (repr(sorted(config.kwargs.items())), config.pre_hook,
               tuple(getattr(config, name, None) for name in read))
        if key not in seen:
            seen[key] = measure(*args, config=config, **meta)
        return seen[key]

    tuner._bench = measure_once
    try:
        benchmark()
    finally:
        del tuner._bench


def _check(tuner, key, configs, benchmark, otherwise):
    from triton.runtime.driver import driver

    from .driver import TesseraDriver
    if not isinstance(driver.active, TesseraDriver):
        return otherwise(tuner, key, configs, benchmark)
    if not key:
        return otherwise(tuner, key, configs, lambda: _measure_once(tuner, benchmark))
    try:
        texts = {str(config): config for config in configs}
        known = _known_by(tuner, key, texts)
        measured = known.look_up()
    except Exception:  # whatever is odd about the search, it is made
        return otherwise(tuner, key, configs, lambda: _measure_once(tuner, benchmark))
    if measured:
        _take(tuner, key, texts, measured)
        return True
    _measure_once(tuner, benchmark)
    _keep(known, tuner.configs_timings)
    return False


def install() -> None:
    """Triton asks its own cache on disk where a program wants that. Now it always asks, and the
    records answer; of tuners, too, that were made before. Once is enough. A Triton without such a
    cache is left as it is."""
    check = getattr(Autotuner, "check_disk_cache", None)
    if check is None or hasattr(check, "__wrapped__"):
        return
    asked = "cache_results"

    def otherwise(tuner, key, configs, benchmark):
        if vars(tuner).get(asked):
            return check(tuner, key, configs, benchmark)
        benchmark()
        return False

    @functools.wraps(check)
    def checked(self, key, configs, benchmark):
        return _check(self, key, configs, benchmark, otherwise)

    Autotuner.check_disk_cache = checked
    setattr(Autotuner, asked, property(lambda self: True,
                                       lambda self, value: vars(self).update({asked: value})))
