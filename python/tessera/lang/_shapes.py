# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Making tiles, giving them other shapes and types, and parts of them."""
from __future__ import annotations

import math
from typing import Any, Optional, Sequence, Union

from . import _dtypes as dt
from ._arithmetic import converted
from ._dtypes import DType, dtype_of
from ._problem import Problem
from ._tile import (Tile, as_tile, axis_of, broadcast, checked_shape, constant, describe, is_number,
                    known_int, made, python_number, reshaped, tile_type)
from ._trace import operation, tracer

Shape = Union[int, Sequence[int]]

# ---- where the tile block is --------------------------------------------------------------------


def _of_grid(name: str, axis: Any) -> Tile:
    n = known_int(axis, "the axis", 0)
    if not 0 <= n < 3:
        raise Problem("a grid has the axes 0, 1 and 2, not %d" % n, 0)
    views = tracer().views
    if name not in views:  # one operation for the whole kernel
        with tracer().at_beginning():
            views[name] = tracer().emit(name, types=(tile_type(dt.int32, ()),) * 3)
    return Tile(views[name][n], dt.int32, ())


@operation
def program_id(axis: int = 0) -> Tile:
    """The position of this tile block in the grid along an axis."""
    return _of_grid("get_tile_block_id", axis)


@operation
def num_programs(axis: int = 0) -> Tile:
    """How many tile blocks the grid has along an axis."""
    return _of_grid("get_num_tile_blocks", axis)


# ---- making tiles -------------------------------------------------------------------------------


@operation
def full(shape: Shape, value: Any, dtype: Optional[DType] = None) -> Tile:
    """A tile of a shape, full of a number or a scalar."""
    sizes = checked_shape(shape, "shape" if dtype is None else 0)
    value = python_number(value)
    if is_number(value):
        kind = dtype_of(dtype, 2) if dtype is not None else None
        return constant(value, kind, sizes, 1) if kind else broadcast(as_tile(value), sizes)
    tile = as_tile(value, 1)
    if tile.shape:
        raise Problem("tl.full takes a number or a scalar, found %s" % describe(tile), 1)
    return broadcast(converted(tile, dtype_of(dtype, 2)) if dtype is not None else tile, sizes)


@operation
def zeros(shape: Shape, dtype: DType = dt.float32) -> Tile:
    """A tile of zeros."""
    return constant(0, dtype_of(dtype, 1), checked_shape(shape, 0))


@operation
def ones(shape: Shape, dtype: DType = dt.float32) -> Tile:
    """A tile of ones."""
    return constant(1, dtype_of(dtype, 1), checked_shape(shape, 0))


@operation
def arange(size: int, dtype: DType = dt.int32) -> Tile:
    """The tile 0, 1, 2, …, size - 1."""
    shape = checked_shape(size, 0)
    if len(shape) != 1:
        raise Problem("tl.arange takes the number of elements, found %s" % describe(size), 0)
    kind = dtype_of(dtype, 1)
    if kind.is_integer:
        return made("iota", kind, shape)
    return converted(made("iota", dt.int32, shape), kind)


@operation
def zeros_like(x: Tile) -> Tile:
    """Zeros of the shape and type of another tile."""
    x = as_tile(x, 0)
    return constant(0, x.dtype, x.shape)


# ---- types --------------------------------------------------------------------------------------


@operation
def astype(x: Any, dtype: DType) -> Tile:
    """The elements as another type: rounded to nearest, towards zero for whole numbers; whole
    numbers wrap around."""
    kind = dtype_of(dtype, 1)
    x = python_number(x)
    return constant(x, kind) if is_number(x) and not (
        isinstance(x, float) and not kind.is_float) else converted(as_tile(x, 0), kind)


@operation
def bitcast(x: Tile, dtype: DType) -> Tile:
    """The same bits as another type of the same size."""
    x, kind = as_tile(x, 0), dtype_of(dtype, 1)
    if kind.bits != x.dtype.bits:
        raise Problem("bitcast: %s has %d bits and %s %d; x.astype(…) converts numbers" % (
            x.dtype, x.dtype.bits, kind, kind.bits), 1)
    if kind.elem == x.dtype.elem:
        return Tile(x.value, kind, x.shape)
    return made("bitcast", kind, x.shape, x.value)


# ---- shapes -------------------------------------------------------------------------------------


@operation
def reshape(x: Tile, *shape: Any) -> Tile:
    """The same elements in another shape; one size may be -1, which is what is left."""
    x = as_tile(x, 0)
    given = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
    sizes = [known_int(n, "a size", 1) for n in given]
    if sizes.count(-1) == 1:
        others = -math.prod(sizes)
        sizes[sizes.index(-1)] = x.size // others if others and x.size % others == 0 else 0
    if math.prod(sizes) != x.size or min(sizes, default=1) < 1:
        raise Problem("the shape %s does not have the %d elements of %s" % (
            list(given), x.size, describe(x)), 1)
    return reshaped(x, checked_shape(sizes, 1))


@operation
def broadcast_to(x: Any, shape: Shape) -> Tile:
    """Repeated to a shape, as NumPy does."""
    x, sizes = as_tile(x, 0), checked_shape(shape, 1)
    short = len(sizes) - len(x.shape)
    if short < 0 or any(n not in (1, m) for n, m in zip(x.shape, sizes[short:])):
        raise Problem("%s does not fit the shape %s: sizes must be equal, or 1" % (
            describe(x), list(sizes)), 1)
    return broadcast(x, sizes)


@operation
def expand_dims(x: Tile, axis: int) -> Tile:
    """With a dimension of size 1 inserted."""
    x = as_tile(x, 0)
    n = axis_of(axis, x.ndim + 1, 1)
    return reshaped(x, x.shape[:n] + (1,) + x.shape[n:])


@operation
def ravel(x: Tile) -> Tile:
    """The elements in one dimension."""
    x = as_tile(x, 0)
    return reshaped(x, (x.size,))


@operation
def permute(x: Tile, *axes: Any) -> Tile:
    """With its dimensions in another order."""
    x = as_tile(x, 0)
    given = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
    order = [axis_of(n, x.ndim, 1) for n in given]
    if sorted(order) != list(range(x.ndim)):
        raise Problem("expected each of the %d dimensions once, found %s" % (x.ndim, list(order)), 1)
    if order == list(range(x.ndim)):
        return x
    return made("permute", x.dtype, tuple(x.shape[n] for n in order), x.value,
                permutation=tuple(order), weak=x.weak)


@operation
def transpose(x: Tile, axis0: int = -2, axis1: int = -1) -> Tile:
    """With two dimensions exchanged."""
    x = as_tile(x, 0)
    if x.ndim < 2:
        raise Problem("a transposition needs two dimensions, found %s" % describe(x), 0)
    order = list(range(x.ndim))
    a, b = axis_of(axis0, x.ndim, 1), axis_of(axis1, x.ndim, 2)
    order[a], order[b] = b, a
    return permute(x, tuple(order))


trans = transpose


def indexed(x: Tile, index: Any) -> Tile:
    """x[…]: `:` keeps a dimension, None inserts one of size 1, `...` stands for the others."""
    items = list(index) if isinstance(index, tuple) else [index]
    if Ellipsis not in items:
        items.append(Ellipsis)
    at = items.index(Ellipsis)
    whole = slice(None)
    used = len([i for i in items if isinstance(i, slice)])
    items[at:at + 1] = [whole] * (x.ndim - used)
    if used > x.ndim or any(i is not None and i != whole for i in items):
        raise Problem("a tile takes `:`, `...` and None in [ ], as in x[:, None]; tl.extract(…) "
                      "takes parts of it, and arrays are indexed by element")
    sizes = iter(x.shape)
    return reshaped(x, tuple(1 if i is None else next(sizes) for i in items))


# ---- parts --------------------------------------------------------------------------------------


@operation
def cat(tiles: Sequence[Tile], axis: int = 0) -> Tile:
    """Two tiles one behind the other along an axis."""
    if not isinstance(tiles, (tuple, list)) or len(tiles) != 2:
        raise Problem("tl.cat takes a tuple of two tiles, found %s" % describe(tiles), 0)
    a, b = (as_tile(t, 0) for t in tiles)
    if a.dtype is not b.dtype:
        raise Problem("tl.cat: %s and %s have different types; convert one with .astype(…)" % (
            describe(a), describe(b)), 0)
    n = axis_of(axis, a.ndim, 1)
    if a.ndim != b.ndim or any(a.shape[d] != b.shape[d] for d in range(a.ndim) if d != n):
        raise Problem("tl.cat: %s and %s differ in other dimensions than %d" % (
            describe(a), describe(b), n), 0)
    shape = list(a.shape)
    shape[n] += b.shape[n]
    return made("cat", a.dtype, checked_shape(tuple(shape), 0), a.value, b.value, dim=n)


@operation
def extract(x: Tile, index: Any, shape: Shape) -> Tile:
    """The slice number `index` of the equal slices of `shape` that a tile divides into."""
    x, sizes = as_tile(x, 0), checked_shape(shape, 2)
    at = index if isinstance(index, (tuple, list)) else (index,)
    if len(sizes) != x.ndim or len(at) != x.ndim or any(n % m for n, m in zip(x.shape, sizes)):
        raise Problem("%s does not divide into slices of shape %s, with an index for each dimension"
                      % (describe(x), list(sizes)), 2)
    places = tuple(converted(as_tile(i, 1), dt.int32).value for i in at)
    return made("extract", x.dtype, sizes, x.value, places)


# ---- methods ------------------------------------------------------------------------------------


def _method(function):
    def method(self, *args, **named):
        return function(self, *args, **named)
    method.__name__, method.__doc__ = function.__name__, function.__doc__
    return method


for _function in (astype, reshape, permute, transpose, ravel):
    setattr(Tile, _function.__name__, _method(_function))
setattr(Tile, "to", _method(astype))
