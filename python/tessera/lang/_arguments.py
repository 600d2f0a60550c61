# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments of a launch: what a kernel is compiled for, and the words that it gets."""
from __future__ import annotations

import inspect
import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .. import _elements as elements
from .._arrays import Unchecked, View, view_of
from . import _dtypes as dt
from ._arrays import ArrayInfo
from ._specialise import ConstantInfo, ScalarInfo
from ._tile import python_number

_LIMIT = 1 << 31  #: from which on extents and offsets are of 64 bits


class constant:
    """An annotation of a kernel's parameter: its value is known when the kernel is compiled, once
    for each value. `BLOCK: tessera.constant` or `BLOCK: tessera.constant[int]`; keyword-only
    parameters are constants without it."""

    def __class_getitem__(cls, _kind: Any) -> Any:
        return cls


class Parameters:
    """What a function says of its parameters."""

    def __init__(self, function: Any):
        self.signature = inspect.signature(function)
        self.name = function.__name__
        around = function.__globals__
        self.constants, self.dtypes = set(), {}
        for name, p in self.signature.parameters.items():
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                raise TypeError("the kernel %s: kernels have no parameters with `*` or `**`"
                                % self.name)
            note = _annotation(p.annotation, around)
            if p.kind == p.KEYWORD_ONLY or note is constant:
                self.constants.add(name)
            elif dt.find_dtype(note) is not None and note not in (int, float, bool):
                self.dtypes[name] = dt.find_dtype(note)

    def bind(self, args: Sequence[Any], named: Dict[str, Any]) -> Dict[str, Any]:
        """The arguments by name; TypeError with what is missing."""
        try:
            bound = self.signature.bind(*args, **named)
        except TypeError as error:
            raise TypeError("%s%s: %s" % (self.name, self.signature, error)) from None
        bound.apply_defaults()
        return bound.arguments


def _annotation(note: Any, around: Dict[str, Any]) -> Any:
    if not isinstance(note, str):
        return note
    try:
        return eval(note, around)
    except Exception:  # a name that is there for type checkers only
        return constant if note.partition("[")[0].rpartition(".")[2] == "constant" else None


class Bound(NamedTuple):
    """Arguments that a kernel can be compiled for and launched with."""
    key: Tuple[Any, ...]
    infos: Dict[str, Any]      #: ConstantInfo, ScalarInfo or ArrayInfo by name
    views: Dict[str, View]     #: of the arrays
    values: Dict[str, Any]     #: of all
    groups: Dict[str, int]     #: which arrays may share memory

    def words_of(self) -> Dict[str, List[Tuple[int, Optional[str]]]]:
        """The words of the kernel's parameters, and which array each is the address of, by the name
        of the argument."""
        found: Dict[str, List[Tuple[int, Optional[str]]]] = {}
        for name, info in self.infos.items():
            if isinstance(info, ScalarInfo):
                found[name] = [(_pattern(info.dtype, self.values[name], name), None)]
            elif isinstance(info, ArrayInfo):
                found[name] = _array_words(self.views[name], info, name)
        return found

    def words(self) -> List[Tuple[int, Optional[str]]]:
        """All of them, in order."""
        return [word for words in self.words_of().values() for word in words]


def _array_words(view: View, info: ArrayInfo, name: str) -> List[Tuple[int, Optional[str]]]:
    words: List[Tuple[int, Optional[str]]] = [(view.address, name)]
    words += [(n, None) for n in view.shape]
    if info.strides is not None:
        words += [(s // view.itemsize, None) for s, fixed in zip(view.strides, info.strides)
                  if fixed is None]
    return words


def _pattern(dtype: dt.DType, value: Any, name: str) -> int:
    try:
        if dtype.is_float:
            return elements.float_pattern(dtype.elem, float(value))
        return elements.integer_pattern(dtype.elem, int(value))
    except (OverflowError, TypeError, ValueError) as error:
        raise type(error)("argument %s: %s" % (name, error)) from None


# ---- what arguments are -------------------------------------------------------------------------


def _constant_key(value: Any) -> Any:
    return (type(value), repr(value)) if isinstance(value, float) else (type(value), value)


def _scalar_info(name: str, value: Any, wanted: Optional[dt.DType]) -> Any:
    if wanted is not None:
        return ScalarInfo(wanted, False)
    if type(value) is int:
        fits = dt.int32.low <= value <= dt.int32.high
        return ScalarInfo(dt.int32 if fits else dt.int64, False)
    if type(value) is bool:
        return ScalarInfo(dt.bool_, False)
    if type(value) is float:
        return ScalarInfo(dt.float32, True)
    found = dt.find_dtype(getattr(value, "dtype", None))  # NumPy's scalars
    if found is not None and getattr(value, "shape", None) == ():
        return ScalarInfo(found, False)
    return None


def _array_info(view: View) -> Tuple[Any, str]:
    """What the kernel is told of an array; or None and what is wrong with it."""
    dtype = dt.BY_NAME.get(view.dtype)
    if dtype is None:
        return None, "elements of type %s are not supported; expected one of %s" % (
            view.dtype, ", ".join(sorted(dt.BY_NAME)))
    if not view.shape:
        return None, "an array without dimensions: pass x.reshape(1)"
    if any(s < 0 for s in view.strides):
        return None, "an array with a negative stride: pass a copy, as numpy.ascontiguousarray(x)"
    if any(s % view.itemsize for s in view.strides):
        return None, "the strides of the array are no multiples of its elements: pass a copy"
    strides = None
    if not view.contiguous:
        strides = tuple(1 if s == view.itemsize else None for s in view.strides)
    wide = max(*view.shape, view.span // view.itemsize, math.prod(view.shape)) >= _LIMIT
    return ArrayInfo(dtype, len(view.shape), strides, wide), ""


def bind(parameters: Parameters, args: Sequence[Any], named: Dict[str, Any],
         gpu: Optional[str]) -> Bound:
    """What the arguments of a launch are. With `gpu`, "cuda" or "hip", arrays may lie there."""
    values = parameters.bind(args, named)
    infos: Dict[str, Any] = {}
    views: Dict[str, View] = {}
    key: List[Any] = []
    for name, value in values.items():
        if name in parameters.constants or value is None:
            value = tuple(value) if isinstance(value, list) else value
            info: Any = ConstantInfo(python_number(value))
            key.append(_constant_key(info.value))
        else:
            info = _scalar_info(name, value, parameters.dtypes.get(name))
            if info is None:
                info = _array_argument(parameters, name, value, views, gpu)
            key.append(info)
        infos[name] = info
    try:
        hash(tuple(key))
    except TypeError:
        bad = next(n for n, k in zip(values, key) if not _is_hashable(k))
        raise TypeError("%s: the constant %s can't be hashed, found %r" % (
            parameters.name, bad, type(values[bad]).__name__)) from None
    groups = _groups(views)
    key.append(tuple(groups.values()))
    return Bound(tuple(key), infos, views, values, groups)


def _is_hashable(x: Any) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True


def _array_argument(parameters: Parameters, name: str, value: Any, views: Dict[str, View],
                    gpu: Optional[str]) -> ArrayInfo:
    if isinstance(value, Unchecked):
        value = value.array
    place = "%s: argument %s" % (parameters.name, name)
    if isinstance(value, (str, tuple, list, dict, dt.DType)) or callable(value):
        raise TypeError("%s: expected an array or a number, found %s; annotate the parameter with "
                        "tessera.constant to compile the kernel for it" % (
                            place, type(value).__name__))
    try:
        view = view_of(value, gpu)
    except (TypeError, ValueError, BufferError) as error:
        raise type(error)("%s: %s" % (place, error)) from None
    info, wrong = _array_info(view)
    if info is None:
        raise TypeError("%s: %s" % (place, wrong))
    views[name] = view
    return info


def _groups(views: Dict[str, View]) -> Dict[str, int]:
    """Arrays that may share memory have one number."""
    if len(views) < 2:
        return dict.fromkeys(views, 0)
    ranges = sorted((v.address, v.address + v.span, i) for i, v in enumerate(views.values()))
    numbers, group, end = [0] * len(ranges), -1, -1
    for low, high, i in ranges:
        if low >= end:
            group = i
        numbers[i], end = group, max(end, high)
    return dict(zip(views, numbers))
