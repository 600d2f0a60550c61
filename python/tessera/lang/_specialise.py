# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a function and what its parameters are to a module: everything between the launcher and the
reading of statements."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Set, Tuple

from ..module import Module
from . import _ir as ir
from ._arrays import Array
from ._calls import scope_of
from ._control import run_function
from ._dtypes import DType
from ._emit import module_of
from ._problem import Problem, error_of
from ._source import source_of
from ._tile import Tile, tile_type
from ._trace import Tracer, tracing
from ._visit import Frame


class ScalarInfo(NamedTuple):
    """A parameter that is a number when the kernel runs."""
    dtype: DType
    weak: bool  #: a float of Python, which adopts the type of what it meets


class ConstantInfo(NamedTuple):
    """A parameter whose value the kernel is compiled for."""
    value: Any


class Specialised(NamedTuple):
    """A kernel for some types and constants."""
    module: Module
    written: Set[str]  #: arrays that it writes to
    outside: List[Tuple[Any, str, Any]]  #: what it has read of names outside: where, name, value

    def is_current(self) -> bool:
        """Whether these names still have the same values."""
        for where, name, value in self.outside:
            try:
                now = where[name] if isinstance(where, dict) else where.cell_contents
            except (KeyError, ValueError):
                return False
            if now is not value and not (type(now) is type(value) and _equal(now, value)):
                return False
        return True


def _equal(a: Any, b: Any) -> bool:
    return isinstance(a, (int, float, str, tuple, DType)) and a == b


class _Reading:
    """One reading of the function."""

    def __init__(self, function: Any, infos: Dict[str, Any], groups: Dict[str, int],
                 ordered: Set[int]):
        self.tracer, self.arrays = Tracer(ordered), {}
        self.source = source_of(function)
        names: Dict[str, Any] = {}
        parameters: List[ir.Value] = []
        for number, (name, info) in enumerate(infos.items()):
            if isinstance(info, ConstantInfo):
                names[name] = info.value
            elif isinstance(info, ScalarInfo):
                value = ir.Value(tile_type(info.dtype, ()), name)
                names[name] = Tile(value, info.dtype, (), info.weak)
                parameters.append(value)
            else:
                names[name] = Array(name, number, groups[name], info)
                self.arrays[number] = name
                parameters += names[name].parameters
        self.body, self.parameters = ir.Region(), tuple(parameters)
        frame = Frame(self.tracer, self.source, names, scope_of(function))
        frame.is_kernel = True
        self.run(frame)

    def run(self, frame: Frame) -> None:
        node = self.source.node
        place = self.source.place(node)
        self.location = self.tracer.first = (place.file, place.line, place.column)
        with tracing(self.tracer), self.tracer.inside(self.body), frame.at(node):
            run_function(frame, node)
            self.tracer.emit("return", ())

    def function(self, name: str, hints) -> ir.Function:
        body = ir.Region(self.parameters)
        body.ops = self.tracer.prologue.ops + self.body.ops
        return ir.Function(name, body, self.location, hints)


def specialise(function: Any, infos: Dict[str, Any], groups: Dict[str, int],
               hints: Dict[str, Dict[str, Any]]) -> Specialised:
    """The kernel for what its parameters are. Arrays of one group may share memory."""
    try:
        reading = _Reading(function, infos, groups, set())
        needed = reading.tracer.order_needed()
        if needed:
            reading = _Reading(function, infos, groups, needed)
    except Problem as problem:
        raise error_of(problem) from None
    tracer = reading.tracer
    module = module_of(reading.function(function.__name__, hints))
    return Specialised(module, {reading.arrays[n] for n in tracer.written},
                       list(tracer.outside.values()))
