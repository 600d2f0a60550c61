# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that were made of scripts, and launching them."""
from __future__ import annotations

import os
import threading
from typing import Any, Callable, List, NamedTuple, Optional, Sequence

from .. import _elements as elements
from .._arrays import View, view_of
from ..device import Device
from ..module import Kernel, Module, grid_of
from ._addresses import known


_BYTES = ("uint8", "int8")  #: what arrays of elements have that no array's type is for


class Program(NamedTuple):
    """What a script became: a kernel's text, and how to launch it. It can be kept in a file."""
    name: str
    text: str
    types: List[str]        #: of the script's parameters, "void" where any array will do
    grid: List[Any]         #: expressions as `evaluate` takes them
    workspaces: List[Any]   #: (bytes, whether it is zero at first) of each


def evaluate(expr: Any, args: Sequence[Any]) -> int:
    """An expression over a kernel's arguments: a number, the index of an argument as a string, or
    a list of an operator and its operands."""
    if isinstance(expr, str):
        return args[int(expr)]
    if not isinstance(expr, (list, tuple)):
        return expr
    op, (a, b) = expr[0], (evaluate(e, args) for e in expr[1:])
    return _OPERATORS[op](a, b)


def _divided(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_OPERATORS: dict = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": _divided,
    "%": lambda a, b: a - _divided(a, b) * b, "min": min, "max": max}


class Launch:
    """A program on a device. Called with the arguments of the script that are not constants, it
    runs all tile blocks, and returns when they have ended. Any number of threads may call it;
    launches of a program that has workspaces are made one after the other."""

    def __init__(self, program: Program, device: Device):
        self.program = program
        self.kernel: Kernel = Module(program.text, "<%s>" % program.name,
                                     extensions=True).kernel(None, device)
        self._takers: List[Callable] = [
            _taker(i, kind, parameter, self.kernel)
            for i, (kind, parameter) in enumerate(zip(program.types, self.kernel.parameters))]
        self._workspaces: List[Any] = [bytearray()] * len(program.workspaces)
        self._lock = threading.Lock()

    def grid(self, args: Sequence[Any]):
        """Tile blocks along x, y and z for some arguments."""
        return tuple(evaluate(e, args) for e in self.program.grid)

    def __call__(self, *args: Any) -> None:
        if len(args) != len(self._takers):
            raise TypeError("%s takes %d arguments, not %d" % (
                self.program.name, len(self._takers), len(args)))
        if not self._workspaces:
            return self._run(args, ())
        with self._lock:
            return self._run(args, self._with_workspaces(args))

    def fill(self, args: Sequence[Any], workspaces: Sequence[Any]):
        """The arguments in the library's form, how many bytes lie behind each, and what has to stay
        alive for as long as they are used."""
        filled, sizes, kept = self.kernel.arguments(), [], []
        takers = self._takers + [view_of] * len(workspaces)
        for i, (take, value) in enumerate(zip(takers, [*args, *workspaces])):
            got = take(value)
            size = None
            if isinstance(got, View):
                kept.append(got)
                got, size = got.address, self.kernel._extent(got)
            filled.words[self.kernel.place(i)] = got
            sizes.append(size)
        return filled, sizes, kept

    def _run(self, args, workspaces):
        filled, sizes, _kept = self.fill(args, workspaces)
        extents = self.grid(args)
        if 0 not in extents:
            self.kernel.execute(grid_of(extents), filled, sizes)

    def _with_workspaces(self, args):
        for i, (size, clean) in enumerate(self.program.workspaces):
            nbytes = max(evaluate(size, args), 1)
            if len(self._workspaces[i]) < nbytes or not clean and nbytes != len(self._workspaces[i]):
                self._workspaces[i] = bytearray(nbytes)
        return self._workspaces


def _taker(index: int, kind: str, parameter, kernel: Kernel):
    """A function that gives the bits of an argument, or the View of an array."""
    place = "argument %d (%s)" % (index, parameter)
    if not parameter.is_pointer:
        return _number_taker(place, parameter.elem)
    accepted = None if kind == "void" else elements.ARRAYS.get(parameter.elem, _BYTES)
    gpu = kernel.device.gpu

    def take(value):
        if type(value) is int:  # an address: what lies there is the caller's business
            behind = known(value)
            if behind is not None:
                return behind
            if kernel.has_own_memory:
                raise TypeError("%s: an address means nothing to the device '%s'; pass the array" % (
                    place, kernel.device.name))
            return value
        of_tilus = type(value).__module__ == "tilus.tensor"
        try:
            view = view_of(value.storage if of_tilus else value, gpu)
        except (TypeError, ValueError, BufferError) as error:
            raise type(error)("%s: %s" % (place, error)) from None
        if of_tilus:
            _check_element(place, value, parameter.elem, kind)
        elif accepted and view.dtype not in accepted:
            raise TypeError("%s: expected an array of %s, found one of %s" % (
                place, " or ".join(accepted), view.dtype))
        if not view.contiguous:
            raise ValueError("%s: the array is not contiguous; pass x.contiguous() or "
                             "numpy.ascontiguousarray(x)" % place)
        if not view.writable:
            raise ValueError("%s: the array is read-only; pass a copy" % place)
        return view
    return take


def _check_element(place, tensor, elem, kind):
    """A tensor of Tilus' own says what it holds."""
    from ._elements import elem_of
    if kind != "void" and elem_of(tensor.dtype).stored.name != elem:
        raise TypeError("%s: expected a tensor of %s, found one of %s" % (
            place, elem, tensor.dtype.name))


def _number_taker(place: str, elem: str):
    def take(value):
        try:
            if elem[0] == "i":
                return elements.integer_pattern(elem, value.__index__())
            return elements.float_pattern(elem, float(value))
        except AttributeError:
            raise TypeError("%s: expected a whole number, found %s" % (
                place, type(value).__name__)) from None
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)("%s: %s" % (place, error)) from None
    return take


def device_of_environment() -> Optional[Device]:
    """The device that `tessera exec` was told to use; None for the package's default."""
    if os.environ.get("TESSERA_SANITIZE") == "1":
        return Device("interp", sanitize=True)
    name = os.environ.get("TESSERA_CUDA_DEVICE")
    return Device(name) if name else None
