# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators, conversions and functions of elements."""
from __future__ import annotations

import builtins
import operator
from typing import Any, Callable, Tuple

from . import _dtypes as dt
from ._dtypes import DType, computable, promoted
from ._problem import Problem
from ._tile import (Tile, as_tile, broadcast_all, broadcast, constant, describe, is_number, made,
                    natural_dtype, python_number)
from ._trace import operation, tracer

# ---- conversions --------------------------------------------------------------------------------


def converted(x: Tile, dtype: DType) -> Tile:
    """The elements as another type."""
    old = x.dtype
    if old is dtype:
        return x
    if old.elem == dtype.elem:  # signed and unsigned
        return Tile(x.value, dtype, x.shape)
    if dtype.kind == "bool":
        return compare("not_equal", x, constant(0, x.dtype))
    if old.is_float:
        if dtype.is_float:
            return _between_floats(x, dtype)
        return made("ftoi", dtype, x.shape, x.value, signedness=dtype.signedness)
    if dtype.is_float:
        return _to_float(x, dtype)
    if dtype.bits < old.bits:
        return made("trunci", dtype, x.shape, x.value)
    return made("exti", dtype, x.shape, x.value, signedness=old.signedness)


def _between_floats(x: Tile, dtype: DType) -> Tile:
    return made("ftof", dtype, x.shape, x.value)


def _to_float(x: Tile, dtype: DType) -> Tile:
    if x.dtype.kind == "bool":
        x = converted(x, dt.int32)
    if dtype.bits < 16:
        return converted(_to_float(x, dt.float32), dtype)
    return made("itof", dtype, x.shape, x.value, signedness=x.dtype.signedness)


# ---- operands -----------------------------------------------------------------------------------


def together(a: Any, b: Any) -> Tuple[Tile, Tile]:
    """Two operands as tiles of one type and shape."""
    a, b = python_number(a), python_number(b)
    for i, x in enumerate((a, b)):
        if not is_number(x) and not isinstance(x, Tile):
            as_tile(x, i)
    dtype = _common_dtype(a, b)
    tiles = [constant(x, dtype) if is_number(x) else converted(x, dtype) for x in (a, b)]
    weak = all(is_number(x) or x.weak for x in (a, b)) and dtype.is_float
    one, two = broadcast_all(*tiles)
    if weak:
        one, two = (Tile(t.value, t.dtype, t.shape, True) for t in (one, two))
    return one, two


def _common_dtype(a: Any, b: Any) -> DType:
    if is_number(a) and is_number(b):
        return promoted(natural_dtype(a), natural_dtype(b))
    if is_number(a) or is_number(b):
        number, tile = (a, b) if is_number(a) else (b, a)
        if isinstance(number, float):
            return tile.dtype if tile.dtype.is_float else dt.float32
        if isinstance(number, bool):
            return tile.dtype
        return dt.int32 if tile.dtype.kind == "bool" else tile.dtype
    if a.weak != b.weak and a.dtype.is_float and b.dtype.is_float:
        return b.dtype if a.weak else a.dtype
    return promoted(a.dtype, b.dtype)


def _arithmetic(a: Any, b: Any, what: str) -> Tuple[Tile, Tile]:
    """The same for numbers: truth values count as 0 and 1."""
    one, two = together(a, b)
    if one.dtype.kind == "bool":
        one, two = converted(one, dt.int32), converted(two, dt.int32)
    computable(one.dtype, what)
    return one, two


def _of_both(name: str, a: Tile, b: Tile, **attributes: Any) -> Tile:
    return made(name, a.dtype, a.shape, a.value, b.value, weak=a.weak, **attributes)


def _simple(name: str, what: str):
    def apply(a, b):
        a, b = _arithmetic(a, b, what)
        return _of_both(name + ("f" if a.dtype.is_float else "i"), a, b)
    return apply


add, subtract, multiply = _simple("add", "+"), _simple("sub", "-"), _simple("mul", "*")


def divide(a, b):
    a, b = _arithmetic(a, b, "/")
    if not a.dtype.is_float:
        a, b = converted(a, dt.float32), converted(b, dt.float32)
    return _of_both("divf", a, b)


def floor_divide(a, b):
    a, b = _arithmetic(a, b, "//")
    if a.dtype.is_float:
        return floor(_of_both("divf", a, b))
    if a.dtype.kind == "uint":
        return _of_both("divi", a, b, signedness="unsigned")
    return _of_both("divi", a, b, signedness="signed", rounding="negative_inf")


def modulo(a, b):
    """As in Python: the result has the sign of b."""
    a, b = _arithmetic(a, b, "%")
    if a.dtype.kind == "uint":
        return _of_both("remi", a, b, signedness="unsigned")
    zero = broadcast(constant(0, a.dtype), a.shape)
    if a.dtype.is_float:
        rest = _of_both("remf", a, b)
        signs_differ = bitwise_xor(compare("less_than", rest, zero), compare("less_than", b, zero))
    else:
        rest = _of_both("remi", a, b, signedness="signed")
        signs_differ = compare("less_than", _of_both("xori", rest, b), zero)
    wrong = bitwise_and(compare("not_equal", rest, zero), signs_differ)
    return where(wrong, add(rest, b), rest)


def power(a, b):
    exponent = python_number(b)
    if is_number(exponent) and exponent in (2, 3) and isinstance(a, Tile):
        square = multiply(a, a)
        return square if exponent == 2 else multiply(square, a)
    if is_number(exponent) and exponent == 0.5:
        return sqrt(a)
    a, b = _arithmetic(a, b, "**")
    if not a.dtype.is_float:
        raise Problem("** takes floats, or the exponents 2 and 3: convert with .astype(tl.float32)")
    return _of_both("pow", a, b)


def matmul(a, b):
    from ._products import dot
    return dot(a, b)


def _bits(name: str, sign: str):
    def apply(a, b):
        a, b = together(a, b)
        if a.dtype.is_float:
            raise Problem("%s takes whole numbers and truth values, found %s" % (sign, describe(a)))
        return _of_both(name, a, b)
    return apply


bitwise_and, bitwise_or, bitwise_xor = _bits("andi", "&"), _bits("ori", "|"), _bits("xori", "^")


def _shift(name: str, sign: str):
    def apply(a, b):
        a, b = together(a, b)
        if not a.dtype.is_integer:
            raise Problem("%s takes whole numbers, found %s" % (sign, describe(a)))
        if name == "shli":
            return _of_both(name, a, b)
        return _of_both(name, a, b, signedness=a.dtype.signedness)
    return apply


left_shift, right_shift = _shift("shli", "<<"), _shift("shri", ">>")


def negative(x):
    if x.dtype.kind == "bool":
        raise Problem("- takes numbers, found %s; ~x is its opposite" % describe(x))
    computable(x.dtype, "-")
    return made("negf" if x.dtype.is_float else "negi", x.dtype, x.shape, x.value, weak=x.weak)


def invert(x):
    if x.dtype.is_float:
        raise Problem("~ takes whole numbers and truth values, found %s" % describe(x))
    ones = 1 if x.dtype.kind == "bool" else x.dtype.high if x.dtype.kind == "uint" else -1
    return _of_both("xori", x, broadcast(constant(ones, x.dtype), x.shape))


def compare(predicate: str, a, b) -> Tile:
    a, b = together(a, b)
    if a.dtype.is_float:
        computable(a.dtype, "a comparison")
        ordering = "unordered" if predicate == "not_equal" else "ordered"
        return made("cmpf", dt.bool_, a.shape, a.value, b.value, comparison_predicate=predicate,
                    comparison_ordering=ordering)
    return made("cmpi", dt.bool_, a.shape, a.value, b.value, comparison_predicate=predicate,
                signedness=a.dtype.signedness)


def truth(x: Any, argument: Any = None) -> Tile:
    """Whether it is not zero."""
    x = as_tile(x, argument)
    return converted(x, dt.bool_)


#: By the name of Python's function; what the visitor calls.
BINARY = {operator.add: add, operator.sub: subtract, operator.mul: multiply,
          operator.truediv: divide, operator.floordiv: floor_divide, operator.mod: modulo,
          operator.pow: power, operator.matmul: matmul, operator.and_: bitwise_and,
          operator.or_: bitwise_or, operator.xor: bitwise_xor, operator.lshift: left_shift,
          operator.rshift: right_shift}
COMPARISONS = {operator.eq: "equal", operator.ne: "not_equal", operator.lt: "less_than",
               operator.le: "less_than_or_equal", operator.gt: "greater_than",
               operator.ge: "greater_than_or_equal"}

# ---- choosing -----------------------------------------------------------------------------------


@operation
def where(cond: Any, x: Any, y: Any) -> Tile:
    """Elements of x where `cond` is true, and of y elsewhere."""
    c = truth(cond, 0)
    x, y = together(x, y)
    c, x, y = broadcast_all(c, x, y)
    return made("select", x.dtype, x.shape, c.value, x.value, y.value, weak=x.weak)


def _extremum(name: str, a: Any, b: Any, propagate_nan: bool) -> Tile:
    a, b = together(a, b)
    computable(a.dtype, name + "imum")
    if a.dtype.is_float:
        return _of_both(name + "f", a, b, **({"propagate_nan": 1} if propagate_nan else {}))
    if a.dtype.kind == "bool":
        return (bitwise_or if name == "max" else bitwise_and)(a, b)
    return _of_both(name + "i", a, b, signedness=a.dtype.signedness)


@operation
def maximum(x: Any, y: Any, *, propagate_nan: bool = False) -> Tile:
    """The larger of two elements; where one is NaN, the other, or NaN with `propagate_nan`."""
    return _extremum("max", x, y, propagate_nan)


@operation
def minimum(x: Any, y: Any, *, propagate_nan: bool = False) -> Tile:
    """The smaller of two elements; where one is NaN, the other, or NaN with `propagate_nan`."""
    return _extremum("min", x, y, propagate_nan)


@operation
def clamp(x: Any, low: Any, high: Any) -> Tile:
    """x, but at least `low` and at most `high`."""
    return minimum(maximum(x, low), high)


def cdiv(x: Any, y: Any) -> Any:
    """x / y, rounded up: how many tiles of size y cover x elements. Also outside of kernels."""
    if isinstance(x, Tile) or isinstance(y, Tile):
        return floor_divide(subtract(add(x, y), 1), y)
    return -(-x // y)


cdiv.is_operation = True  # type: ignore[attr-defined]

# ---- functions of elements ----------------------------------------------------------------------


def _float_operand(x: Any, what: str) -> Tile:
    x = as_tile(x, 0)
    if not x.dtype.is_float:
        x = converted(x, dt.float32)
    computable(x.dtype, what)
    return x


def _unary(name: str, about: str) -> Callable[[Any], Tile]:
    def apply(x: Any) -> Tile:
        x = _float_operand(x, "tl." + name)
        return made(name, x.dtype, x.shape, x.value, weak=x.weak)
    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = about
    return operation(apply)


exp = _unary("exp", "e to the power of x.")
exp2 = _unary("exp2", "2 to the power of x.")
log = _unary("log", "The natural logarithm.")
log2 = _unary("log2", "The logarithm to the base 2.")
sqrt = _unary("sqrt", "The square root.")
rsqrt = _unary("rsqrt", "1 / sqrt(x).")
sin = _unary("sin", "The sine.")
cos = _unary("cos", "The cosine.")
tan = _unary("tan", "The tangent.")
sinh = _unary("sinh", "The hyperbolic sine.")
cosh = _unary("cosh", "The hyperbolic cosine.")
tanh = _unary("tanh", "The hyperbolic tangent.")
floor = _unary("floor", "Rounded down to a whole number, as a float.")
ceil = _unary("ceil", "Rounded up to a whole number, as a float.")


@operation
def abs(x: Any) -> Tile:
    """The absolute value."""
    x = as_tile(x, 0)
    if x.dtype.kind in ("uint", "bool"):
        return x
    computable(x.dtype, "tl.abs")
    return made("absf" if x.dtype.is_float else "absi", x.dtype, x.shape, x.value, weak=x.weak)


@operation
def pow(x: Any, y: Any) -> Tile:
    """x to the power of y."""
    return power(x, y)


@operation
def atan2(y: Any, x: Any) -> Tile:
    """The angle of the point (x, y)."""
    y, x = together(_float_operand(y, "tl.atan2"), _float_operand(x, "tl.atan2"))
    return _of_both("atan2", y, x)


@operation
def fma(x: Any, y: Any, z: Any) -> Tile:
    """x * y + z with one rounding."""
    x, y = together(_float_operand(x, "tl.fma"), y)
    x, z = together(x, z)
    y, z = together(converted(y, x.dtype), z)
    x, y, z = broadcast_all(x, y, z)
    return made("fma", x.dtype, x.shape, x.value, y.value, z.value)


@operation
def sigmoid(x: Any) -> Tile:
    """1 / (1 + exp(-x))."""
    x = _float_operand(x, "tl.sigmoid")
    return divide(1.0, add(exp(negative(x)), 1.0))


@operation
def isnan(x: Any) -> Tile:
    """Whether it is not a number."""
    x = _float_operand(x, "tl.isnan")
    return compare("not_equal", x, x)


@operation
def multiple_of(x: Any, divisor: int) -> Any:
    """x, of which the compiler may take that it is divisible by `divisor`, a power of two. False
    promises are undefined behaviour, which the sanitizer finds."""
    from ._ir import Fact
    x = as_tile(x, 0)
    value, = tracer().emit("assume", x.value, types=(x.value.type,), predicate=Fact(divisor))
    return Tile(value, x.dtype, x.shape)


def builtin_abs(x):
    return abs(x) if isinstance(x, Tile) else builtins.abs(x)
