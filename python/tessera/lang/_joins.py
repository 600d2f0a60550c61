# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values that are one of several: of two branches, or of an iteration and the next. They are tiles
of one type, or numbers that become such, or tuples of them."""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from . import _dtypes as dt
from . import _ir as ir
from ._arithmetic import converted
from ._problem import Problem
from ._tile import Tile, constant, describe, is_number, natural_dtype, tile_type


class Leaf(NamedTuple):
    """The type of what a name holds at the end of a branch or an iteration."""
    dtype: dt.DType
    shape: Tuple[int, ...]


def same(a: Any, b: Any) -> bool:
    """Whether two values are known to be one."""
    if isinstance(a, Tile) or isinstance(b, Tile):
        return isinstance(a, Tile) and isinstance(b, Tile) and a.value is b.value
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if a is b:
        return True
    if is_number(a) and is_number(b):
        return type(a) is type(b) and (a == b or a != a and b != b)
    return isinstance(a, str) and a == b


def joined(name: str, a: Any, b: Any, where: str) -> Any:
    """The type of a value that is either of two: a Leaf, or a tuple of them."""
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(x if same(x, y) and not isinstance(x, Tile) else joined(name, x, y, where)
                     for x, y in zip(a, b))
    if all(isinstance(x, Tile) or is_number(x) for x in (a, b)):
        leaf = _joined_tiles(a, b)
        if leaf is not None:
            return leaf
    raise Problem("%s is %s %s: give it one type and shape on all ways, as with %s" % (
        name, describe(a), where % describe(b), _cure(a, b)))


def _cure(a: Any, b: Any) -> str:
    tile = b if isinstance(b, Tile) else a
    if not isinstance(tile, Tile):
        return "the same kind of value"
    if tile.shape:
        return "tl.zeros((%s), tl.%s)" % (
            "".join("%d, " % n for n in tile.shape).rstrip(" "), tile.dtype)
    return "tl.%s(…)" % tile.dtype


def _joined_tiles(a: Any, b: Any) -> Optional[Leaf]:
    if is_number(a) and is_number(b):
        if isinstance(a, bool) == isinstance(b, bool):
            first, second = natural_dtype(a), natural_dtype(b)
            return Leaf(first if first.is_float or first.bits > second.bits else second, ())
        return None
    if is_number(a) or is_number(b):
        number, tile = (a, b) if is_number(a) else (b, a)
        return Leaf(tile.dtype, tile.shape) if _number_fits(number, tile.dtype) else None
    if a.shape != b.shape:
        return None
    if a.dtype is b.dtype:
        return Leaf(a.dtype, a.shape)
    if a.dtype.is_float and b.dtype.is_float and a.weak != b.weak:
        return Leaf((b if a.weak else a).dtype, a.shape)
    return None


def _number_fits(number: Any, dtype: dt.DType) -> bool:
    """Whether a number that is known may stand for elements of the type."""
    if dtype.kind == "bool" or isinstance(number, bool):
        return dtype.kind == "bool" and isinstance(number, bool)
    return dtype.is_float or not isinstance(number, float)


def _leaves(kind: Any) -> List[Leaf]:
    if isinstance(kind, Leaf):
        return [kind]
    return [leaf for k in kind for leaf in _leaves(k)] if isinstance(kind, tuple) else []


def flat(x: Any, kind: Any) -> List[ir.Value]:
    """The values of a type, converted to it by operations that are added here."""
    if isinstance(kind, Leaf):
        if is_number(x):
            return [constant(x, kind.dtype, kind.shape).value]
        return [converted(x, kind.dtype).value]
    if isinstance(kind, tuple):
        return [v for item, k in zip(x, kind) for v in flat(item, k)]
    return []


def rebuilt(kind: Any, values, name: Optional[str]) -> Any:
    """A value of a type from an iterator over its values."""
    if isinstance(kind, Leaf):
        value = next(values)
        if value.name is None:
            value.name = name
        return Tile(value, kind.dtype, kind.shape)
    if isinstance(kind, tuple):
        return tuple(rebuilt(k, values, name) for k in kind)
    return kind


def types_of(kinds: Sequence[Any]) -> Tuple[ir.TileType, ...]:
    return tuple(tile_type(leaf.dtype, leaf.shape) for kind in kinds for leaf in _leaves(kind))


def fits(x: Any, kind: Any) -> bool:
    """Whether a value can be made one of the type without loss of meaning."""
    if isinstance(kind, Leaf):
        if is_number(x):
            return _number_fits(x, kind.dtype)
        return isinstance(x, Tile) and x.shape == kind.shape and (
            x.dtype is kind.dtype or x.weak and kind.dtype.is_float)
    if isinstance(kind, tuple):
        return isinstance(x, tuple) and len(x) == len(kind) and all(map(fits, x, kind))
    return same(x, kind)
