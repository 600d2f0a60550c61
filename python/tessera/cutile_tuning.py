# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuTile's exhaustive_search with the records of `tessera tune`: under `tessera exec` a search that
was made before, of the same kernel, configurations and sizes of arguments, is not made again."""
from __future__ import annotations

import inspect
import math

from tessera._records import Measured, Search
from tessera.tune import rounded


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


def _known_by(configs, kernel, args, flush_l2):
    function = getattr(kernel, "_pyfunc", kernel)
    name = function.__qualname__
    return Search("cuTile", name, (function.__module__, name, _source(kernel), str(flush_l2)),
                  configs, " ".join(map(_describe_argument, args)))


def _look_up(search, configs, module):
    """The result of the search that was made before; None."""
    found = [module.Measurement(config=configs[text], mean_us=1e3 * m.median_ms,
                                num_samples=m.samples,
                                error_margin_us=1.96e3 * m.spread_ms / math.sqrt(max(m.samples, 1)))
             for text, m in search.look_up().items()]
    return module.TuningResult(best=found[0], successes=tuple(found), failures=()) if found else None


def _keep(search, result):
    search.keep((repr(m.config),
                 Measured(1e-3 * m.mean_us,
                          1e-3 / 1.96 * m.error_margin_us * math.sqrt(max(m.num_samples, 1)),
                          m.num_samples))
                for m in result.successes)


def search_with_records(module, search, search_space, stream, grid_fn, kernel, args_fn,
                        hints_fn=None, *, quiet=False, **options):
    """The module's `search`, unless there is a record of it."""
    try:
        configs = {repr(config): config for config in search_space}
        known = _known_by(configs, kernel, args_fn(search_space[0]), options.get("flush_l2", True))
        result = _look_up(known, configs, module)
    except Exception:  # whatever is odd about the search, it is made
        known = result = None
    if result is not None:
        if not quiet:
            print(result)
        return result
    result = search(search_space, stream, grid_fn, kernel, args_fn, hints_fn, quiet=quiet,
                    **options)
    if known is not None:
        _keep(known, result)
    return result
