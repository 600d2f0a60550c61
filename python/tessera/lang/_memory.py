# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading and writing arrays, by tile and by element; atomic updates; printing."""
from __future__ import annotations

import math
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

from . import _dtypes as dt
from . import _ir as ir
from ._arithmetic import add, bitwise_and, compare, converted, multiply, truth
from ._arrays import Array
from ._problem import Problem
from ._tile import (Tile, as_tile, axis_of, broadcast, checked_shape, common_shape, constant,
                    describe, is_number, python_number, reshaped, tile_type)
from ._trace import operation, tracer

Index = Union[Any, Sequence[Any]]

# ---- tiles --------------------------------------------------------------------------------------


def _array(x: Any) -> Array:
    if not isinstance(x, Array):
        raise Problem("expected an array, a parameter of the kernel, found %s" % describe(x), 0)
    return x


def _padding_name(padding: Any, array: Array) -> str:
    number = python_number(padding)
    if number is None:
        return "none"
    if is_number(number):
        if number == 0:
            return "neg_zero" if math.copysign(1, number) < 0 else "zero"
        if array.dtype.is_float and (math.isinf(number) or math.isnan(number)):
            return "nan" if math.isnan(number) else "pos_inf" if number > 0 else "neg_inf"
    allowed = "0, -0.0, inf, -inf, nan or None" if array.dtype.is_float else "0 or None"
    raise Problem("the padding of %s is %s (None: unspecified), found %s; tl.where chooses other "
                  "values" % (array, allowed, describe(padding)), "padding")


def _order_of(order: Any, rank: int) -> Tuple[int, ...]:
    if order is None:
        return tuple(range(rank))
    found = tuple(axis_of(n, rank, "order") for n in order)
    if sorted(found) != list(range(rank)):
        raise Problem("the order names each of the %d dimensions of the array once, found %s" % (
            rank, list(order)), "order")
    return found


def _places(array: Array, index: Index, rank: int) -> List[Tile]:
    """The scalars of an index among tiles."""
    items = index if isinstance(index, (tuple, list)) else (index,)
    if len(items) != rank:
        raise Problem("%s needs an index of %d number%s, found %d" % (
            array, rank, "" if rank == 1 else "s", len(items)), 1)
    found = []
    for item in items:
        t = as_tile(item, 1)
        if t.shape or not t.dtype.is_integer:
            raise Problem("the index of a tile is made of whole scalars, found %s; tl.gather takes "
                          "tiles of indices" % describe(t), 1)
        found.append(t)
    wide = any(t.dtype.bits > 32 for t in found)
    return [converted(t, dt.int64 if wide else dt.int32) for t in found]


def _disjoint(places: Sequence[Tile]) -> bool:
    """Whether each iteration of all open loops is at another tile, since it counts in the index."""
    at = {id(t.value) for t in places}
    return all(v is not None and id(v) in at for v in tracer().loop_variables)


@operation
def load(array: Array, index: Index, shape: Any, *, order: Optional[Sequence[int]] = None,
         padding: Any = 0) -> Tile:
    """The tile number `index` of an array that is divided into tiles of `shape`.

    Elements outside of the array are `padding`: 0, -0.0, inf, -inf, nan, or None for anything.
    `order` says which dimension of the array each of the tile's is: (1, 0) loads transposed.
    The tile number itself must lie within the array (tl.num_tiles)."""
    array, sizes = _array(array), checked_shape(shape, 2)
    if len(sizes) != array.ndim:
        raise Problem("a tile of %s has as many dimensions as that, found the shape %s" % (
            array, list(sizes)), 2)
    places = _places(array, index, array.ndim)
    view = array.tiles(sizes, _order_of(order, array.ndim), _padding_name(padding, array))
    t = tracer()
    token = t.token_before(array.group, False)
    value, after = t.emit("load_view_tko", view, tuple(p.value for p in places), token,
                          types=(tile_type(array.dtype, sizes), ir.TOKEN),
                          memory_ordering_semantics="weak")
    t.access(array.group, writes=False, reads=True)
    t.token_after(array.group, False, after)
    return Tile(value, array.dtype, sizes)


def _stored(value: Any, array: Array, argument: Any) -> Tile:
    """A value as elements of an array; floats are rounded, integers of other sizes wrap around."""
    value = python_number(value)
    if is_number(value):
        return constant(value, array.dtype)
    tile = as_tile(value, argument)
    if tile.dtype.is_float and not array.dtype.is_float:
        raise Problem("%s takes no %s: convert with .astype(tl.%s)" % (
            array, describe(tile), array.dtype), argument)
    return converted(tile, array.dtype)


@operation
def store(array: Array, index: Index, tile: Any, *, order: Optional[Sequence[int]] = None) -> None:
    """Writes a tile to the place number `index` of an array that is divided into tiles of its
    shape. What lies outside of the array is not written. The tile's elements are converted to the
    array's type."""
    array = _array(array)
    value = _stored(tile, array, 2)
    if not value.shape:
        value = reshaped(value, (1,) * array.ndim)
    if len(value.shape) != array.ndim:
        raise Problem("%s takes tiles of as many, found %s; x.reshape(…) adds some of size 1" % (
            array, describe(value)), 2)
    places = _places(array, index, array.ndim)
    view = array.tiles(value.shape, _order_of(order, array.ndim), "none")
    t = tracer()
    t.written.add(array.number)
    token = t.token_before(array.group, True)
    after, = t.emit("store_view_tko", value.value, view, tuple(p.value for p in places), token,
                    types=(ir.TOKEN,), memory_ordering_semantics="weak")
    t.access(array.group, writes=True, reads=False, parallel=_disjoint(places))
    t.token_after(array.group, True, after)


@operation
def num_tiles(array: Array, axis: int, shape: Any) -> Tile:
    """How many tiles of `shape` an array has along an axis: its extent / the tile's, rounded up."""
    array, sizes = _array(array), checked_shape(shape, 2)
    if len(sizes) != array.ndim:
        raise Problem("a tile of %s has as many dimensions as that, found the shape %s" % (
            array, list(sizes)), 2)
    n = axis_of(axis, array.ndim, 1)
    view = array.tiles(sizes, tuple(range(array.ndim)), "zero")
    kind = array.info.index_dtype
    counts = tracer().emit("get_index_space_shape", view,
                           types=(tile_type(kind, ()),) * array.ndim)
    return Tile(counts[n], kind, ())


# ---- elements -----------------------------------------------------------------------------------


def _element_indices(array: Array, indices: Any) -> Tuple[List[Tile], Tuple[int, ...]]:
    items = indices if isinstance(indices, (tuple, list)) else (indices,)
    if any(isinstance(i, slice) or i is None or i is Ellipsis for i in items):
        raise Problem("an array is indexed by element, with scalars or tiles of indices; "
                      "tl.load(array, index, shape) takes tiles", 1)
    if len(items) != array.ndim:
        raise Problem("%s needs %d ind%s, found %d" % (
            array, array.ndim, "ex" if array.ndim == 1 else "ices", len(items)), 1)
    tiles = [as_tile(i, 1) for i in items]
    for t in tiles:
        if not t.dtype.is_integer:
            raise Problem("indices are whole numbers, found %s" % describe(t), 1)
    return tiles, common_shape(*[t.shape for t in tiles])


def _within(array: Array, places: Sequence[Tile], check: bool) -> Optional[Tile]:
    """Where all indices lie within the array; None: not asked."""
    inside: Optional[Tile] = None
    for place, size in zip(places, array.shape if check else ()):
        kind = dt.uint64 if place.dtype.bits > 32 or size.dtype.bits > 32 else dt.uint32
        # Negative indices are extended by their sign, and then large.
        here = compare("less_than", converted(place, kind), converted(size, kind))
        inside = here if inside is None else bitwise_and(inside, here)
    return inside


def _pointers(array: Array, places: Sequence[Tile], shape: Tuple[int, ...]) -> ir.Value:
    kind = array.info.index_dtype
    offset: Any = None
    for place, step in zip(places, array.strides):
        place = converted(place, kind)
        part = place if isinstance(step, int) else multiply(place, step)
        offset = part if offset is None else add(offset, part)
    t, elem = tracer(), array.dtype.elem
    base = array.base
    if shape:
        base, = t.emit("reshape", base, types=(ir.PointersType(elem, (1,) * len(shape)),))
        if any(n > 1 for n in shape):
            base, = t.emit("broadcast", base, types=(ir.PointersType(elem, shape),))
    return t.emit("offset", base, broadcast(offset, shape).value,
                  types=(ir.PointersType(elem, shape),))[0]


def _target(array: Any, indices: Any, mask: Any, check_bounds: bool,
            *shapes: Tuple[int, ...]):
    """Pointers to elements, where they may be accessed (None: everywhere), and their shape."""
    places, shape = _element_indices(_array(array), indices)
    shape = common_shape(shape, *shapes)
    inside = _within(array, places, check_bounds)
    if mask is not None:
        chosen = truth(mask, "mask")
        shape = common_shape(shape, chosen.shape)
        inside = chosen if inside is None else bitwise_and(inside, chosen)
    pointers = _pointers(array, places, shape)
    return pointers, None if inside is None else broadcast(inside, shape), shape


def _optional(x: Optional[Tile]) -> Tuple[ir.Value, ...]:
    return () if x is None else (x.value,)


@operation
def gather(array: Array, indices: Index, *, mask: Any = None, padding: Any = 0,
           check_bounds: bool = True) -> Tile:
    """Elements of an array at indices: a tile of indices for each dimension (one need not be in a
    tuple), which are broadcast. `array[i, j]` is the same.

    Where an index lies outside of the array (negative ones do) or `mask` is false, the result is
    `padding`. With check_bounds=False indices are taken to be right."""
    array = _array(array)
    pointers, inside, shape = _target(array, indices, mask, check_bounds)
    t = tracer()
    padded: Tuple[ir.Value, ...] = ()
    if inside is not None:
        padded = _optional(broadcast(_stored(padding, array, "padding"), shape))
    token = t.token_before(array.group, False)
    value, after = t.emit("load_ptr_tko", pointers, _optional(inside), padded, token,
                          types=(tile_type(array.dtype, shape), ir.TOKEN),
                          memory_ordering_semantics="weak")
    t.access(array.group, writes=False, reads=True)
    t.token_after(array.group, False, after)
    return Tile(value, array.dtype, shape)


@operation
def scatter(array: Array, indices: Index, value: Any, *, mask: Any = None,
            check_bounds: bool = True) -> None:
    """Writes elements of an array at indices. `array[i, j] = value` is the same. Where an index
    lies outside of the array or `mask` is false, nothing is written."""
    array = _array(array)
    tile = _stored(value, array, 2)
    pointers, inside, shape = _target(array, indices, mask, check_bounds, tile.shape)
    t = tracer()
    t.written.add(array.number)
    token = t.token_before(array.group, True)
    after, = t.emit("store_ptr_tko", pointers, broadcast(tile, shape).value, _optional(inside),
                    token, types=(ir.TOKEN,), memory_ordering_semantics="weak")
    t.access(array.group, writes=True, reads=False)
    t.token_after(array.group, True, after)


# ---- atomic updates -----------------------------------------------------------------------------

_ORDERINGS = ("relaxed", "acquire", "release", "acq_rel")
_SCOPES = {"block": "tl_blk", "device": "device", "system": "sys"}


def _atomic(array: Any, indices: Any, operands, mask: Any, check_bounds: bool, order: str,
            scope: str, name: str, **attributes: Any) -> Tile:
    array = _array(array)
    if order not in _ORDERINGS:
        raise Problem("the order is one of %s, found %r" % (", ".join(map(repr, _ORDERINGS)), order),
                      "order")
    if scope not in _SCOPES:
        raise Problem("the scope is one of %s, found %r" % (", ".join(map(repr, _SCOPES)), scope),
                      "scope")
    tiles = [_stored(x, array, 2 + i) for i, x in enumerate(operands)]
    pointers, inside, shape = _target(array, indices, mask, check_bounds, *[x.shape for x in tiles])
    t = tracer()
    t.written.add(array.number)
    token = t.token_before(array.group, True)
    old, after = t.emit(name, pointers, *[broadcast(x, shape).value for x in tiles],
                        _optional(inside), token,
                        types=(tile_type(array.dtype, shape), ir.TOKEN),
                        memory_ordering_semantics=order, memory_scope=_SCOPES[scope], **attributes)
    t.access(array.group, writes=True, reads=True)
    t.token_after(array.group, True, after)
    return Tile(old, array.dtype, shape)


def _updating(name: str, about: str, mode: Any) -> Callable[..., Tile]:
    def apply(array: Array, indices: Index, value: Any, *, mask: Any = None,
              check_bounds: bool = True, order: str = "acq_rel", scope: str = "device") -> Tile:
        return _atomic(array, indices, [value], mask, check_bounds, order, scope,
                       "atomic_rmw_tko", mode=mode(_array(array)))
    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = about + """ Returns what was there before.

    Indices and `mask` are those of tl.gather. `order`: "relaxed", "acquire", "release", "acq_rel";
    `scope`: "block", "device", "system"."""
    return operation(apply)


def _add_mode(array: Array) -> str:
    return "addf" if array.dtype.is_float else "add"


def _of_integers(signed: str, unsigned: Optional[str] = None):
    def mode(array: Array) -> str:
        if not array.dtype.is_integer:
            raise Problem("this atomic update takes arrays of int32, uint32, int64 or uint64, found "
                          "%s" % array, 0)
        return unsigned if unsigned and array.dtype.kind == "uint" else signed
    return mode


atomic_add = _updating("atomic_add", "Adds to elements atomically.", _add_mode)
atomic_max = _updating("atomic_max", "Makes elements at least so large, atomically.",
                       _of_integers("max", "umax"))
atomic_min = _updating("atomic_min", "Makes elements at most so large, atomically.",
                       _of_integers("min", "umin"))
atomic_and = _updating("atomic_and", "Bitwise and with elements, atomically.", _of_integers("and"))
atomic_or = _updating("atomic_or", "Bitwise or with elements, atomically.", _of_integers("or"))
atomic_xor = _updating("atomic_xor", "Bitwise exclusive or, atomically.", _of_integers("xor"))
atomic_xchg = _updating("atomic_xchg", "Replaces elements atomically.", lambda _array: "xchg")


@operation
def atomic_cas(array: Array, indices: Index, expected: Any, desired: Any, *, mask: Any = None,
               check_bounds: bool = True, order: str = "acq_rel", scope: str = "device") -> Tile:
    """Replaces elements that are `expected` by `desired`, atomically. Returns what was there."""
    return _atomic(array, indices, [expected, desired], mask, check_bounds, order, scope,
                   "atomic_cas_tko")


# ---- printing and checking ----------------------------------------------------------------------


class Text:
    """Text with tiles in it: an f-string."""

    def __init__(self, parts: Sequence[Tuple[Any, str]]):
        self.parts = parts  #: text, or a tile and how it is printed


def _conversion(x: Tile, spec: str) -> str:
    if spec:
        return "%" + spec
    if x.dtype.is_float:
        return "%f"
    return "%lld" if x.dtype.bits > 32 else "%i"


def _printed(x: Any) -> List[Any]:
    if isinstance(x, Text):
        return [piece for part, spec in x.parts for piece in (
            [part] if isinstance(part, str) else [(part, spec)])]
    if isinstance(x, Tile):
        return [(x, "")]
    if isinstance(x, tuple):
        pieces: List[Any] = ["("]
        for i, item in enumerate(x):
            pieces += ([", "] if i else []) + _printed(item)
        return pieces + [")"]
    return [str(x)]


@operation
def device_print(*args: Any, sep: str = " ", end: str = "\n") -> None:
    """Prints when the kernel runs; `print` does the same."""
    text, tiles = "", []
    for i, arg in enumerate(args):
        for piece in ([sep] if i else []) + _printed(arg):
            if isinstance(piece, str):
                text += piece.replace("%", "%%")
                continue
            tile, spec = piece
            tiles.append(converted(tile, dt.int32) if tile.dtype.kind == "bool" else tile)
            text += _conversion(tile, spec)
    tracer().emit("print_tko", tuple(t.value for t in tiles), types=(ir.TOKEN,), str=text + end)


@operation
def device_assert(cond: Any, message: str = "") -> None:
    """Stops the kernel with a message when an element is false; `assert` does the same."""
    if not isinstance(message, str):
        raise Problem("the message of an assertion is text that is known when the kernel is "
                      "compiled, found %s" % describe(message), 1)
    tracer().emit("assert", truth(cond, 0).value, message=message or "assertion failed")
