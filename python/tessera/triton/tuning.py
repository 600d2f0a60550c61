# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@triton.autotune with the records of `tessera tune`: what was measured once, of the same kernel,
configurations and tuning key on the same device, is not measured again by another process."""
from __future__ import annotations

import functools

from triton.runtime.autotuner import Autotuner
from triton.runtime.jit import JITFunction

from tessera._records import Measured, Search

from .driver import TesseraDriver

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


def _check(tuner, key, configs, benchmark, otherwise):
    from triton.runtime.driver import driver
    if not isinstance(driver.active, TesseraDriver) or not key:
        return otherwise(tuner, key, configs, benchmark)
    try:
        texts = {str(config): config for config in configs}
        known = _known_by(tuner, key, texts)
        measured = known.look_up()
    except Exception:  # whatever is odd about the search, it is made
        return otherwise(tuner, key, configs, benchmark)
    if measured:
        _take(tuner, key, texts, measured)
        return True
    benchmark()
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
