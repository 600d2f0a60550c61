# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that are like an earlier one: same types, shapes and constants, other addresses and
numbers. Most are, and they take a tenth of the time."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .. import _elements as elements
from .._arrays import address_of, bytes_at, likeness_of_torch
from ._arguments import Bound, Parameters
from ._arrays import ArrayInfo
from ._specialise import ScalarInfo

MAX_KEPT = 256  #: launches that are remembered for each kernel


class Like(NamedTuple):
    """What the arguments of a launch have in common with those of others, and what differs."""
    key: Tuple[Any, ...]
    values: Sequence[Any]           #: addresses of arrays, and numbers


class Kept(NamedTuple):
    """A launch, ready but for addresses and numbers."""
    compiled: Any
    ready: List[Any]                       #: Kernel.Arguments that no launch uses at the moment
    words: Any                             #: of the first launch
    sizes: List[Optional[int]]
    addresses: List[Tuple[int, int, int]]  #: (place among the words, index of the value, bytes)
    numbers: List[Tuple[int, int, str]]    #: (place, index, element type)


class Repeats:
    """The launches of a kernel that are remembered."""

    def __init__(self, parameters: Parameters):
        self.parameters = parameters
        self.kept: Dict[Tuple[Any, ...], Kept] = {}
        self._constant: Dict[Tuple[Any, ...], Tuple[bool, ...]] = {}  # by how arguments are given

    def like(self, device: Any, args: Tuple[Any, ...], named: Dict[str, Any]) -> Optional[Like]:
        """None for arguments that take the long way."""
        how = (device.number, len(args), *named)
        constants = self._constant.get(how)
        if constants is None:
            names = list(self.parameters.signature.parameters)[:len(args)] + list(named)
            constants = tuple(n in self.parameters.constants for n in names)
            self._constant[how] = constants
        key: List[Any] = [how]
        values: List[Any] = []
        addresses: List[int] = []
        for value, constant in zip((*args, *named.values()), constants):
            kind = type(value)
            if constant:
                key.append((kind, value.hex() if kind is float else value))
            elif kind is int:
                key.append(kind if -0x80000000 <= value <= 0x7fffffff else "wide")
            elif kind is float or kind is bool:
                key.append(kind)
            else:
                try:
                    address = address_of(bytes_at(value))
                    key += (value.dtype, value.shape)
                except (AttributeError, TypeError, ValueError, BufferError):
                    like, address = likeness_of_torch(value)
                    if like is None:
                        return None
                    key.append(like)
                value = address
                addresses.append(address)
            values.append(value)
        if len(set(addresses)) != len(addresses):
            key += [addresses.index(a) for a in addresses]  # which arrays are given twice
        return Like(tuple(key), values)

    def find(self, like: Like) -> Optional[Kept]:
        """The earlier launch, unless arrays overlap now, or names outside have changed."""
        try:
            found = self.kept.get(like.key)
        except TypeError:  # a constant that can't be hashed, which is told elsewhere
            return None
        if found is None or not found.compiled.specialised.is_current():
            return None
        if len(found.addresses) > 1:
            begin = end = -1
            for low, size in sorted([(like.values[i], n) for _, i, n in found.addresses]):
                if low < end and low != begin:
                    return None
                begin, end = low, max(end, low + size)
        return found

    def fill(self, kept: Kept, values: Sequence[Any]) -> Any:
        """Arguments with these addresses and numbers; give them back to kept.ready."""
        try:
            filled = kept.ready.pop()
        except IndexError:  # other threads launch the same
            filled = kept.compiled.kernel.arguments()
            for i, word in enumerate(kept.words):
                filled.words[i] = word
        words = filled.words
        for place, i, _ in kept.addresses:
            words[place] = values[i]
        for place, i, elem in kept.numbers:
            value = values[i]
            words[place] = (elements.float_pattern(elem, value) if type(value) is float else
                            elements.integer_pattern(elem, value))
        return filled

    def keep(self, like: Like, bound: Bound, compiled: Any, filled: Any,
             sizes: List[Optional[int]], given: Sequence[str]) -> None:
        """Remembers a launch whose arrays share no memory, unless they are the same; `given` names
        the values."""
        if len(set(bound.groups.values())) != len({v.address for v in bound.views.values()}):
            return
        addresses, numbers, at, index = [], [], 0, {n: i for i, n in enumerate(given)}
        for name, words in bound.words_of().items():
            info, place = bound.infos[name], compiled.kernel.place(at)
            if isinstance(info, ArrayInfo):
                addresses.append((place, index[name], bound.views[name].span))
            elif isinstance(info, ScalarInfo) and name in index:
                numbers.append((place, index[name], info.dtype.elem))
            at += len(words)
        if len(self.kept) >= MAX_KEPT:
            self.kept.clear()
        self.kept[like.key] = Kept(compiled, [filled], filled.words.tolist(), sizes, addresses,
                                   numbers)
