# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuTile's exhaustive_search with the records of `tessera tune`: under `tessera exec` a search that
was made before, of the same kernel, configurations and sizes of arguments, is not made again, and
configurations that mean the same on a CPU are measured once."""
from __future__ import annotations

import inspect
import math
import os

from tessera._records import Measured, Search
from tessera.tune import rounded


def _describe_argument(arg):
    if isinstance(arg, (list, tuple)):
        return "(%s)" % ",".join(map(_describe_argument, arg))
    if isinstance(arg, (bool, str)):  # they choose between programs
        return repr(arg)
    if isinstance(arg, int):
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


def _kernels(module, kernel, configs):
    """The kernel of each configuration: the one there is, or what a function gives for it."""
    kind = getattr(module, "TileKernel", None)
    if kind is None or isinstance(kernel, kind):
        return [kernel] * len(configs)
    return list(map(kernel, configs))


def _known_by(configs, kernels, args, flush_l2):
    different = list(dict.fromkeys(kernels))
    functions = [getattr(kernel, "_pyfunc", kernel) for kernel in different]
    texts = [text for function, kernel in zip(functions, different)
             for text in (function.__module__, function.__qualname__, _source(kernel))]
    if len(different) > 1:
        texts.append(str([different.index(kernel) for kernel in kernels]))
    return Search("cuTile", functions[0].__qualname__, (*texts, str(flush_l2)), configs,
                  " ".join(map(_describe_argument, args)))


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


# ---- configurations that are alike ----------------------------------------------------------------

def _exactly(arg):
    """What a launch depends on of an argument, whatever memory it has."""
    if isinstance(arg, (list, tuple)):
        return tuple(map(_exactly, arg))
    shape = getattr(arg, "shape", None)
    interface = getattr(arg, "__cuda_array_interface__", None)
    if interface:
        return interface["typestr"], tuple(interface["shape"]), interface.get("strides")
    if shape is not None:
        return str(getattr(arg, "dtype", "?")), tuple(map(int, shape))
    return type(arg).__name__, repr(arg)


def _first_alike(module, search_space, kernel, grid_fn, args_fn):
    """For each configuration the number of the first that is launched in the same way. Hints, which
    is what they may differ in otherwise, say nothing to a CPU."""
    seen, first = {}, []
    kernels = _kernels(module, kernel, search_space)
    for i, config in enumerate(search_space):
        known = tuple(grid_fn(config)), id(kernels[i]), tuple(map(_exactly, args_fn(config)))
        first.append(seen.setdefault(known, i))
    return first


def _is_on_cpu():
    return (os.environ.get("TESSERA_CUDA_DEVICE") or "cpu") == "cpu"


def _search_once(module, search, search_space, stream, grid_fn, kernel, args_fn, hints_fn, *,
                 quiet, **options):
    """The search without configurations that are like one before; their measurements are its."""
    first = list(range(len(search_space)))
    if hints_fn is not None and _is_on_cpu():
        try:
            first = _first_alike(module, search_space, kernel, grid_fn, args_fn)
        except Exception:  # whatever is odd about the search, all of it is made
            pass
    chosen = [config for i, config in enumerate(search_space) if first[i] == i]
    result = search(chosen, stream, grid_fn, kernel, args_fn, hints_fn, quiet=quiet, **options)
    if len(chosen) == len(search_space):
        return result
    if not quiet:
        print("%d other configurations differ from these only in hints, which say nothing to a CPU"
              % (len(search_space) - len(chosen)))
    measured = {id(m.config): m for m in result.successes}
    alike = [module.Measurement(config=config, mean_us=m.mean_us, num_samples=m.num_samples,
                                error_margin_us=m.error_margin_us)
             for i, config in enumerate(search_space)
             for m in [measured.get(id(search_space[first[i]]))] if m is not None and first[i] != i]
    return module.TuningResult(best=result.best, successes=(*result.successes, *alike),
                               failures=result.failures)


def search_with_records(module, search, search_space, stream, grid_fn, kernel, args_fn,
                        hints_fn=None, *, quiet=False, **options):
    """The module's `search`, unless there is a record of it."""
    try:
        configs = {repr(config): config for config in search_space}
        known = _known_by(configs, _kernels(module, kernel, search_space), args_fn(search_space[0]),
                          options.get("flush_l2", True))
        result = _look_up(known, configs, module)
    except Exception:  # whatever is odd about the search, it is made
        known = result = None
    if result is not None:
        if not quiet:
            print(result)
        return result
    result = _search_once(module, search, search_space, stream, grid_fn, kernel, args_fn, hints_fn,
                          quiet=quiet, **options)
    if known is not None:
        _keep(known, result)
    return result
