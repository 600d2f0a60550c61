# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning of kernels that are written in Python: the constants that are fastest for an argument's
sizes, found by tessera.autotune and kept in its store."""
from __future__ import annotations

from typing import Any, Dict, List, Mapping, Sequence, Tuple

from ..module import unchecked
from ..tune import Autotuned, Tuned
from ._arguments import Bound
from ._launch import KernelFunction, Launch, _Compiled, filled_words
from ._specialise import ConstantInfo, ScalarInfo, specialise


class AutotunedKernel:
    """A kernel of which each launch takes the constants that are fastest for its sizes:

        @tessera.autotune({"BLOCK": [64, 256, 1024]})
        @tessera.kernel
        def scale(x, y, *, BLOCK): …

        scale[lambda args: tessera.cdiv(args["x"].size, args["BLOCK"])](x, y)
    """

    def __init__(self, kernel: KernelFunction, params: Mapping[str, Sequence[Any]], grid: Any = None,
                 **options: Any):
        unknown = [n for n in params if n not in kernel._parameters.constants]
        if unknown:
            raise TypeError("%s: %s is no constant of the kernel; it has %s" % (
                kernel.__name__, ", ".join(map(repr, unknown)),
                ", ".join(map(repr, sorted(kernel._parameters.constants))) or "none"))
        self.kernel, self.params, self.grid, self.options = kernel, dict(params), grid, options
        self._by_types: Dict[Tuple[Any, ...], Autotuned] = {}
        self.__name__ = kernel.__name__

    def __repr__(self) -> str:
        return "<tessera.autotune of %r: %s>" % (self.kernel, " ".join(
            "%s=%s" % (name, ",".join(map(str, values))) for name, values in self.params.items()))

    def __getitem__(self, grid: Any) -> "TunedLaunch":
        return TunedLaunch(self, grid)

    def __call__(self, *args: Any, **named: Any) -> None:
        self._launch()(*args, **named)

    def tune(self, *args: Any, **named: Any) -> Tuned:
        """The fastest version for these arguments, without launching it."""
        return self._launch().tune(*args, **named)

    def _launch(self) -> "TunedLaunch":
        if self.grid is None:
            raise TypeError("choose a grid: %s[grid](…)" % self.__name__)
        return TunedLaunch(self, self.grid)

    def _autotuned(self, bound: Bound, launch: Launch) -> Autotuned:
        """What tunes for arguments of these types."""
        # A grid that is a function can't be told from another one that does the same.
        how = launch.grid.__code__ if hasattr(launch.grid, "__code__") else repr(launch.grid)
        key = (how,) + tuple(k for n, k in zip(bound.infos, bound.key) if n not in self.params)
        key += bound.key[len(bound.infos):]
        found = self._by_types.get(key)
        if found is None:
            found = self._by_types[key] = self._make(bound, launch)
        return found

    def _make(self, bound: Bound, launch: Launch) -> Autotuned:
        kernel, device = self.kernel, self.kernel.device

        def source(**choice: Any) -> str:
            infos = {**bound.infos, **{n: ConstantInfo(v) for n, v in choice.items()}}
            return str(specialise(kernel.python_function, infos, bound.groups, kernel.hints).module)

        def grid(**values: Any) -> Any:
            chosen = {n: values[n] for n in self.params}
            extents = launch._extents_of(bound._replace(values={**bound.values, **chosen}))
            return extents.x, extents.y, extents.z

        return Autotuned(source, self.params, grid, device=device, **self.options)


class TunedLaunch:
    """A tuned kernel and a grid: call it with the arguments but for those that are tuned."""
    __slots__ = ("tuned", "grid")

    def __init__(self, tuned: AutotunedKernel, grid: Any):
        self.tuned, self.grid = tuned, grid

    def __call__(self, *args: Any, **named: Any) -> None:
        bound, found = self._find(args, named)
        first = self.tuned.kernel._specialised_for(bound)
        filled, sizes = filled_words(_Compiled(first, found.kernel), bound)
        found.kernel.execute(found._grid, filled, sizes)

    def tune(self, *args: Any, **named: Any) -> Tuned:
        """The fastest version for these arguments, without launching it."""
        return self._find(args, named)[1]

    def _find(self, args, named) -> Tuple[Bound, Tuned]:
        kernel = self.tuned.kernel
        for name in named:
            if name in self.tuned.params:
                raise TypeError("%s: the constant %s is tuned; leave it out" % (
                    kernel.__name__, name))
        first = {n: values[0] for n, values in self.tuned.params.items()}
        bound = kernel._bound(args, {**named, **first}, kernel.device)
        autotuned = self.tuned._autotuned(bound, Launch(kernel, self.grid))
        return bound, autotuned.tune(*_values(bound))


def _values(bound: Bound) -> List[Any]:
    """The arguments of the compiled kernel, as tessera.Kernel takes them."""
    found: List[Any] = []
    for name, words in bound.words_of().items():
        value = bound.values[name]
        if isinstance(bound.infos[name], ScalarInfo):
            found.append(value)
            continue
        view = bound.views[name]
        found.append(value if view.contiguous and view.writable else unchecked(value))
        found += [n for n, _ in words[1:]]
    return found
