# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles: values of a kernel, and what Python's operators make of them."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Optional, Sequence, Tuple, Union

from . import _dtypes as dt
from . import _ir as ir
from ._dtypes import DType
from ._problem import Problem
from ._trace import tracer

MAX_ELEMENTS = 1 << 24


class Tile:
    """A tile of elements that a kernel computes with; a scalar is a tile of shape ().

    Operators and methods are those of NumPy's arrays, element by element; shapes are broadcast as
    there. Tiles don't change: `x += 1` makes another one.
    """
    __slots__ = ("value", "dtype", "shape", "weak")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: ir.Value, dtype: DType, shape: Tuple[int, ...], weak: bool = False):
        self.value, self.dtype, self.shape = value, dtype, shape
        self.weak = weak  #: made of Python floats only: adopts the float type of others

    def __repr__(self) -> str:
        return describe(self)

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def T(self) -> "Tile":
        """With its dimensions in the opposite order."""
        from ._shapes import permute
        return permute(self, tuple(reversed(range(self.ndim))))

    if TYPE_CHECKING:  # the operators and methods that kernels use
        def __add__(self, other: Any) -> "Tile": ...
        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __add__
        __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __add__
        __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rshift__ = __add__
        __lt__ = __le__ = __gt__ = __ge__ = __add__

        def __eq__(self, other: Any) -> "Tile": ...  # type: ignore[override]
        def __ne__(self, other: Any) -> "Tile": ...  # type: ignore[override]
        def __neg__(self) -> "Tile": ...
        def __invert__(self) -> "Tile": ...
        def __abs__(self) -> "Tile": ...
        def astype(self, dtype: Any) -> "Tile": ...
        def to(self, dtype: Any) -> "Tile": ...
        def reshape(self, *shape: Any) -> "Tile": ...
        def permute(self, *axes: Any) -> "Tile": ...
        def transpose(self, axis0: int = -2, axis1: int = -1) -> "Tile": ...
        def ravel(self) -> "Tile": ...
        def sum(self, axis: Optional[int] = None, *, keepdims: bool = False) -> "Tile": ...
        prod = any = all = argmax = argmin = sum
        def max(self, axis: Optional[int] = None, *, keepdims: bool = False,
                propagate_nan: bool = False) -> "Tile": ...
        min = max
        def cumsum(self, axis: int = 0, *, reverse: bool = False) -> "Tile": ...
        cumprod = cumsum

    def __bool__(self):
        raise Problem("the truth of a tile is known when the kernel runs only: an `if` takes it in "
                      "the kernel's own functions; tl.where(…) chooses elements")

    def __iter__(self):
        raise Problem("a tile can't be iterated over; tl.extract(…) takes parts of it")

    def __getitem__(self, index: Any) -> "Tile":
        from ._shapes import indexed
        return indexed(self, index)


# ---- making tiles -------------------------------------------------------------------------------


def describe(value: Any) -> str:
    """What a value of a kernel is, for messages."""
    if isinstance(value, Tile):
        return "a scalar of %s" % value.dtype if not value.shape else "a tile %s[%s]" % (
            value.dtype, ", ".join(map(str, value.shape)))
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, tuple):
        return "a tuple of %d" % len(value)
    if hasattr(value, "is_array"):
        return repr(value)
    return "%s %s" % (type(value).__name__, getattr(value, "__name__", ""))


def tile_type(dtype: DType, shape: Tuple[int, ...]) -> ir.TileType:
    return ir.TileType(dtype.elem, shape)


def made(name: str, dtype: DType, shape: Tuple[int, ...], *operands: Any, weak: bool = False,
         **attributes: Any) -> Tile:
    """The tile that an operation gives."""
    value, = tracer().emit(name, *operands, types=(tile_type(dtype, shape),), **attributes)
    return Tile(value, dtype, shape, weak)


def constant(number: Union[bool, int, float], dtype: DType, shape: Tuple[int, ...] = (),
             argument: Any = None) -> Tile:
    """A tile full of a number. A problem is about the `argument` of the call."""
    if dtype.is_float:
        number = float(number)
    elif isinstance(number, float):
        raise Problem("%r is no %s: write a whole number, or convert the tile to a float type" % (
            number, dtype), argument)
    elif dtype.kind == "bool":
        number = int(bool(number))
    elif not dtype.low <= number <= dtype.high:
        raise Problem("%d does not fit %s (%d to %d): convert to a wider type first" % (
            number, dtype, dtype.low, dtype.high), argument)
    value, = tracer().emit("constant", types=(tile_type(dtype, shape),), number=number)
    return Tile(value, dtype, shape)


def is_number(x: Any) -> bool:
    """A number of Python, or of NumPy, that the kernel knows when it is compiled."""
    return isinstance(x, (bool, int, float))


def python_number(x: Any) -> Any:
    """NumPy's numbers as Python's; everything else as it is."""
    if isinstance(x, (bool, int, float, Tile, tuple, str, type(None))):
        return x
    if hasattr(x, "dtype") and hasattr(x, "item") and getattr(x, "shape", None) == ():
        return x.item()
    return x


def natural_dtype(number: Any) -> DType:
    """The type of a number that nothing else gives one."""
    if isinstance(number, bool):
        return dt.bool_
    if isinstance(number, float):
        return dt.float32
    return dt.int32 if dt.int32.low <= number <= dt.int32.high else dt.int64


def as_tile(x: Any, argument: Any = None, dtype: Optional[DType] = None) -> Tile:
    """A tile of a tile or a number."""
    x = python_number(x)
    if isinstance(x, Tile):
        return x
    if is_number(x):
        return constant(x, dtype or natural_dtype(x))
    raise Problem("expected a tile or a number, found %s%s" % (describe(x), _advice(x)), argument)


def _advice(x: Any) -> str:
    if hasattr(x, "is_array"):
        return "; tl.load(…) gives a tile of an array"
    return ""


def checked_shape(shape: Any, argument: Any = None) -> Tuple[int, ...]:
    """The shape of a tile: numbers that are known, and powers of two."""
    sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
    found = []
    for n in map(python_number, sizes):
        if isinstance(n, Tile):
            raise Problem("the sizes of a tile must be known when the kernel is compiled: this one is "
                          "%s; make it a parameter with the annotation tessera.constant"
                          % describe(n), argument)
        if not isinstance(n, int) or isinstance(n, bool):
            raise Problem("expected the shape of a tile, as in (64, 32), found %s in it"
                          % describe(n), argument)
        if n < 1 or n & (n - 1):
            near = 1 << max(n - 1, 0).bit_length()
            raise Problem("the sizes of a tile are powers of two, and %d is none; take %d and let "
                          "padding or a mask deal with the rest" % (n, near), argument)
        found.append(n)
    if math.prod(found) > MAX_ELEMENTS:
        raise Problem("a tile has at most %d elements, and %s has %d" % (
            MAX_ELEMENTS, found, math.prod(found)), argument)
    return tuple(found)


# ---- shapes together ----------------------------------------------------------------------------


def reshaped(x: Tile, shape: Tuple[int, ...]) -> Tile:
    if x.shape == shape:
        return x
    return made("reshape", x.dtype, shape, x.value, weak=x.weak)


def broadcast(x: Tile, shape: Tuple[int, ...]) -> Tile:
    """The tile, repeated to a shape that it fits."""
    if x.shape == shape:
        return x
    x = reshaped(x, (1,) * (len(shape) - len(x.shape)) + x.shape)
    return x if x.shape == shape else made("broadcast", x.dtype, shape, x.value, weak=x.weak)


def common_shape(*shapes: Tuple[int, ...]) -> Tuple[int, ...]:
    """What NumPy broadcasts the shapes to."""
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(s)) + s for s in shapes]
    together = tuple(max(sizes) for sizes in zip(*padded))
    for shape, original in zip(padded, shapes):
        if any(n not in (1, m) for n, m in zip(shape, together)):
            raise Problem("the shapes %s do not fit together: sizes must be equal, or 1, counted from "
                          "the last dimension; x[:, None] and x[None, :] insert one" % (
                              " and ".join(str(list(s)) for s in shapes)))
    return together


def broadcast_all(*tiles: Tile) -> Sequence[Tile]:
    shape = common_shape(*[t.shape for t in tiles])
    return [broadcast(t, shape) for t in tiles]


def known_int(x: Any, what: str, argument: Any = None) -> int:
    """A whole number that is known when the kernel is compiled."""
    x = python_number(x)
    if isinstance(x, int) and not isinstance(x, bool):
        return x
    advice = "; annotate the parameter with tessera.constant" if isinstance(x, Tile) else ""
    raise Problem("%s must be a whole number that is known when the kernel is compiled, found %s%s"
                  % (what, describe(x), advice), argument)


def axis_of(axis: Any, rank: int, argument: Any = "axis") -> int:
    """The number of a dimension, counted from the front."""
    n = known_int(axis, "the axis", argument)
    if not -rank <= n < rank:
        raise Problem("the tile has %d dimension%s, and none is number %d" % (
            rank, "" if rank == 1 else "s", n), argument)
    return n % rank
