# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of Tile IR in Python, as a kernel's function is being read: they can be thrown away
and made again, which the library's builder, to which they go in the end, can't do."""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

Shape = Tuple[int, ...]
Location = Tuple[str, int, int]  #: file, line, column


class TileType(NamedTuple):
    elem: str  #: as Tile IR spells it
    shape: Shape


class PointersType(NamedTuple):
    pointee: str
    shape: Shape


class TokenType(NamedTuple):
    pass


class ViewType(NamedTuple):
    elem: str
    shape: Tuple[Optional[int], ...]  #: None: a value gives it
    strides: Tuple[Optional[int], ...]


class TilesType(NamedTuple):
    """A partition view."""
    tile: Shape
    view: ViewType
    order: Shape  #: which dimension of the view each of the tile's is
    padding: str


TOKEN = TokenType()


class Value:
    """A result of an operation, or an argument of a region."""
    __slots__ = ("type", "name", "handle")

    def __init__(self, type: Any, name: Optional[str] = None):
        self.type, self.name, self.handle = type, name, None


class Region:
    """Operations in order, and the values that they begin with."""
    __slots__ = ("args", "ops")

    def __init__(self, args: Tuple[Value, ...] = ()):
        self.args: Tuple[Value, ...] = args
        self.ops: List["Op"] = []


class Op:
    """An operation. `attributes` are integers, spellings of enumerators, lists of integers, Scalars
    and Facts, by their names in the table of operations. A "constant" has `number` instead."""
    __slots__ = ("name", "operands", "attributes", "results", "regions", "location", "number",
                 "typed")

    def __init__(self, name: str, operands: Tuple[Tuple[Value, ...], ...] = (),
                 attributes: Optional[Dict[str, Any]] = None, types: Tuple[Any, ...] = (),
                 regions: Tuple[Region, ...] = (), location: Location = ("", 0, 0),
                 number: Any = None, typed: bool = True):
        self.name, self.operands, self.attributes = name, operands, attributes or {}
        self.results = tuple(Value(t) for t in types)
        self.regions, self.location, self.number = regions, location, number
        self.typed = typed  #: the library is told the types of the results


class Scalars(NamedTuple):
    """Constants of scalar types, as bit patterns."""
    items: Tuple[Tuple[str, int], ...]


class Fact(NamedTuple):
    """What `assume` states."""
    divisor: int = 0
    lower: Optional[int] = None
    upper: Optional[int] = None


class Function(NamedTuple):
    """A kernel."""
    name: str
    body: Region  #: its arguments are the kernel's parameters
    location: Location
    hints: Dict[str, Dict[str, Any]]  #: by target
