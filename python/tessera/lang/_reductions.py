# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans."""
from __future__ import annotations

from typing import Any, Callable, List, Optional, Sequence, Tuple

from .. import _elements as elements
from . import _dtypes as dt
from . import _ir as ir
from ._arithmetic import (add, bitwise_and, bitwise_or, compare, converted, maximum, minimum,
                          multiply, truth, where)
from ._dtypes import DType, computable
from ._problem import Problem
from ._tile import Tile, as_tile, axis_of, describe, is_number, reshaped, tile_type
from ._trace import operation, tracer

_INFINITY = float("inf")


def _pattern(number: Any, dtype: DType) -> Tuple[str, int]:
    if dtype.is_float:
        return dtype.elem, elements.float_pattern(dtype.elem, float(number))
    return dtype.elem, int(number) & (1 << dtype.bits) - 1


def _apply(name: str, tiles: Sequence[Tile], axis: int, combine: Any,
           identities: Sequence[Any], **attributes: Any) -> List[Tile]:
    """reduce or scan: `combine` takes the scalars (previous…, current…) and returns as many."""
    t = tracer()
    scalars = [tile_type(x.dtype, ()) for x in tiles]
    region = ir.Region(tuple(ir.Value(s) for s in scalars for _ in range(2)))
    with t.inside(region):
        current, previous = ([Tile(region.args[2 * i + k], x.dtype, ()) for i, x in enumerate(tiles)]
                             for k in range(2))
        results = t.call(combine, *previous, *current)
        results = results if isinstance(results, (tuple, list)) else (results,)
        _check_combined(results, tiles)
        t.emit("yield", tuple(r.value for r in results))
    kept = name == "scan"
    shapes = [x.shape if kept else x.shape[:axis] + x.shape[axis + 1:] for x in tiles]
    values = t.emit(name, tuple(x.value for x in tiles), dim=axis, regions=(region,),
                    types=tuple(tile_type(x.dtype, s) for x, s in zip(tiles, shapes)),
                    identities=ir.Scalars(tuple(_pattern(n, x.dtype)
                                                for n, x in zip(identities, tiles))), **attributes)
    return [Tile(v, x.dtype, s) for v, x, s in zip(values, tiles, shapes)]


def _check_combined(results, tiles):
    if len(results) != len(tiles):
        raise Problem("the function must return %d values, as many as it combines, and returns %d"
                      % (len(tiles), len(results)))
    for r, x in zip(results, tiles):
        if not isinstance(r, Tile) or r.shape or r.dtype is not x.dtype:
            raise Problem("the function must return a scalar of %s, as it gets, and returns %s" % (
                x.dtype, describe(r)))


def _reduced(x: Tile, axis: Any, keepdims: bool, combine, identity) -> Tile:
    if axis is None:
        shape, x = (1,) * x.ndim, reshaped(x, (x.size,))
        result, = _apply("reduce", [x], 0, combine, [identity])
        return reshaped(result, shape) if keepdims else result
    n = axis_of(axis, x.ndim)
    result, = _apply("reduce", [x], n, combine, [identity])
    return reshaped(result, x.shape[:n] + (1,) + x.shape[n + 1:]) if keepdims else result


def _operand(x: Any, what: str) -> Tile:
    x = as_tile(x, 0)
    computable(x.dtype, "tl." + what)
    return x


def _summed(x: Any, what: str) -> Tuple[Tile, DType]:
    """The operand of a sum or product in the type that is added up in, and the result's."""
    x = _operand(x, what)
    if x.dtype.is_float:
        return (converted(x, dt.float32) if x.dtype.bits < 32 else x), x.dtype
    wide = x.dtype
    if wide.bits < 32:
        wide = dt.uint32 if wide.kind == "uint" else dt.int32
    return converted(x, wide), wide


@operation
def sum(x: Tile, axis: Optional[int] = None, *, keepdims: bool = False) -> Tile:
    """The sum along an axis, or of all elements. Floats of 16 bits are added up in float32, small
    integers in int32."""
    x, result = _summed(x, "sum")
    return converted(_reduced(x, axis, keepdims, add, 0), result)


@operation
def prod(x: Tile, axis: Optional[int] = None, *, keepdims: bool = False) -> Tile:
    """The product along an axis, or of all elements."""
    x, result = _summed(x, "prod")
    return converted(_reduced(x, axis, keepdims, multiply, 1), result)


def _lowest(dtype: DType) -> Any:
    return -_INFINITY if dtype.is_float else dtype.low


def _highest(dtype: DType) -> Any:
    return _INFINITY if dtype.is_float else dtype.high


@operation
def max(x: Tile, axis: Optional[int] = None, *, keepdims: bool = False,
        propagate_nan: bool = False) -> Tile:
    """The largest element along an axis, or of all."""
    x = _operand(x, "max")
    return _reduced(x, axis, keepdims,
                    lambda a, b: maximum(b, a, propagate_nan=propagate_nan), _lowest(x.dtype))


@operation
def min(x: Tile, axis: Optional[int] = None, *, keepdims: bool = False,
        propagate_nan: bool = False) -> Tile:
    """The smallest element along an axis, or of all."""
    x = _operand(x, "min")
    return _reduced(x, axis, keepdims,
                    lambda a, b: minimum(b, a, propagate_nan=propagate_nan), _highest(x.dtype))


@operation
def any(x: Tile, axis: Optional[int] = None, *, keepdims: bool = False) -> Tile:
    """Whether one of the elements is true."""
    return _reduced(truth(x, 0), axis, keepdims, bitwise_or, 0)


@operation
def all(x: Tile, axis: Optional[int] = None, *, keepdims: bool = False) -> Tile:
    """Whether all elements are true."""
    return _reduced(truth(x, 0), axis, keepdims, bitwise_and, 1)


def _arg(x: Any, axis: Any, keepdims: bool, better: str, identity) -> Tile:
    x = _operand(x, "argmax")
    shape = x.shape
    if axis is None:
        x, n = reshaped(x, (x.size,)), 0
    else:
        n = axis_of(axis, x.ndim)
    places = tracer().emit("iota", types=(tile_type(dt.int32, (x.shape[n],)),))[0]
    from ._tile import broadcast
    at = reshaped(Tile(places, dt.int32, (x.shape[n],)), (x.shape[n],) + (1,) * (x.ndim - n - 1))
    at = broadcast(at, x.shape)

    def combine(v, i, w, j):
        first = bitwise_and(compare("equal", v, w), compare("less_than", i, j))
        take = bitwise_or(compare(better, v, w), first)
        return where(take, v, w), where(take, i, j)

    _, index = _apply("reduce", [x, at], n, combine, [identity(x.dtype), dt.int32.high])
    if not keepdims:
        return index
    return reshaped(index, (1,) * len(shape) if axis is None else
                    shape[:n] + (1,) + shape[n + 1:])


@operation
def argmax(x: Tile, axis: Optional[int] = None, *, keepdims: bool = False) -> Tile:
    """Where the largest element is; the first of equal ones."""
    return _arg(x, axis, keepdims, "greater_than", _lowest)


@operation
def argmin(x: Tile, axis: Optional[int] = None, *, keepdims: bool = False) -> Tile:
    """Where the smallest element is; the first of equal ones."""
    return _arg(x, axis, keepdims, "less_than", _highest)


# ---- of functions -------------------------------------------------------------------------------


def _several(x: Any) -> Tuple[List[Tile], bool]:
    if isinstance(x, (tuple, list)):
        tiles = [as_tile(t, 0) for t in x]
        if len({t.shape for t in tiles}) != 1:
            raise Problem("the tiles have different shapes: %s" % ", ".join(map(describe, tiles)), 0)
        return tiles, True
    return [as_tile(x, 0)], False


def _identities(identity: Any, tiles, several) -> Sequence[Any]:
    given = identity if several else (identity,)
    if not isinstance(given, (tuple, list)) or len(given) != len(tiles) or not builtin_all(
            is_number(n) for n in given):
        raise Problem("expected a number for each tile, the identity of the function, found %s"
                      % describe(identity), "identity")
    return given


def builtin_all(found) -> bool:
    for yes in found:
        if not yes:
            return False
    return True


@operation
def reduce(x: Any, axis: Optional[int], func: Callable[..., Any], identity: Any, *,
           keepdims: bool = False) -> Any:
    """Combines the elements along an axis by a function of two scalars, which must be associative
    and commutative: `tl.reduce(x, 0, lambda a, b: a * b, 1.0)`. With a tuple of tiles, the function
    takes (a0, a1, …, b0, b1, …) and returns a tuple."""
    tiles, several = _several(x)
    identities = _identities(identity, tiles, several)
    shape = tiles[0].shape
    if axis is None:
        tiles, n = [reshaped(t, (t.size,)) for t in tiles], 0
    else:
        n = axis_of(axis, len(shape), 1)
    results = _apply("reduce", tiles, n, func, identities)
    if keepdims:
        kept = (1,) * len(shape) if axis is None else shape[:n] + (1,) + shape[n + 1:]
        results = [reshaped(r, kept) for r in results]
    return tuple(results) if several else results[0]


@operation
def scan(x: Any, axis: int, func: Callable[..., Any], identity: Any, *,
         reverse: bool = False) -> Any:
    """Combines each element with all before it along an axis by an associative function of two
    scalars (the earlier first)."""
    tiles, several = _several(x)
    n = axis_of(axis, tiles[0].ndim, 1)
    results = _apply("scan", tiles, n, func, _identities(identity, tiles, several),
                     **({"reverse": 1} if reverse else {"reverse": 0}))
    return tuple(results) if several else results[0]


associative_scan = scan


@operation
def cumsum(x: Tile, axis: int = 0, *, reverse: bool = False) -> Tile:
    """The sums of each element and all before it along an axis."""
    x, result = _summed(x, "cumsum")
    total, = _apply("scan", [x], axis_of(axis, x.ndim), add, [0], reverse=int(reverse))
    return converted(total, result)


@operation
def cumprod(x: Tile, axis: int = 0, *, reverse: bool = False) -> Tile:
    """The products of each element and all before it along an axis."""
    x, result = _summed(x, "cumprod")
    total, = _apply("scan", [x], axis_of(axis, x.ndim), multiply, [1], reverse=int(reverse))
    return converted(total, result)


for _function in (sum, prod, max, min, any, all, argmax, argmin, cumsum, cumprod):
    setattr(Tile, _function.__name__,
            (lambda f: lambda self, *args, **named: f(self, *args, **named))(_function))
