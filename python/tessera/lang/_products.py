# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices."""
from __future__ import annotations

from typing import Any, Optional

from . import _dtypes as dt
from ._arithmetic import converted
from ._dtypes import DType
from ._problem import Problem
from ._tile import Tile, as_tile, constant, describe, made
from ._trace import operation

_FLOATS = (dt.float16, dt.bfloat16, dt.float32, dt.tfloat32, dt.float64, dt.float8_e4m3fn,
           dt.float8_e5m2)


def _operands(a: Any, b: Any):
    a, b = as_tile(a, 0), as_tile(b, 1)
    if a.ndim != b.ndim or a.ndim not in (2, 3):
        raise Problem("a product takes two tiles of two dimensions (or three, the first of them "
                      "batches), found %s and %s" % (describe(a), describe(b)))
    if a.shape[-1] != b.shape[-2] or a.shape[:-2] != b.shape[:-2]:
        raise Problem("the product of %s and %s: the first one's columns must be as many as the "
                      "second one's rows" % (describe(a), describe(b)))
    return a, b


def _sum_dtype(a: Tile, b: Tile) -> DType:
    if a.dtype in (dt.int8, dt.uint8) and b.dtype in (dt.int8, dt.uint8):
        return dt.int32
    if a.dtype is not b.dtype or a.dtype not in _FLOATS:
        raise Problem("a product takes two tiles of one float type, or of int8 and uint8, found %s "
                      "and %s: convert with .astype(…)" % (describe(a), describe(b)))
    return dt.float64 if a.dtype is dt.float64 else dt.float32


def _multiplied(a: Tile, b: Tile, acc: Tile) -> Tile:
    if acc.dtype is dt.int32:
        return made("mmai", acc.dtype, acc.shape, a.value, b.value, acc.value,
                    signedness_lhs=a.dtype.signedness, signedness_rhs=b.dtype.signedness)
    return made("mmaf", acc.dtype, acc.shape, a.value, b.value, acc.value)


@operation
def mma(a: Tile, b: Tile, acc: Tile) -> Tile:
    """a @ b + acc, as tensor cores do it: sums are float32 (float16 where acc is, float64 of
    float64, int32 of bytes)."""
    a, b = _operands(a, b)
    kind = _sum_dtype(a, b)
    acc = as_tile(acc, 2)
    shape = a.shape[:-1] + b.shape[-1:]
    half = acc.dtype is dt.float16 and a.dtype in (dt.float16, dt.float8_e4m3fn, dt.float8_e5m2)
    if acc.shape != shape or not (acc.dtype is kind or half):
        raise Problem("the sum must be a tile %s%s, found %s: begin with tl.zeros(%s, tl.%s)" % (
            kind, list(shape), describe(acc), shape, kind), 2)
    return _multiplied(a, b, acc)


@operation
def dot(a: Tile, b: Tile, acc: Optional[Tile] = None) -> Tile:
    """a @ b, or with a third tile a @ b + acc."""
    if acc is not None:
        return mma(a, b, acc)
    a, b = _operands(a, b)
    return _multiplied(a, b, constant(0, _sum_dtype(a, b), a.shape[:-1] + b.shape[-1:]))


@operation
def mma_scaled(a: Tile, a_scale: Tile, b: Tile, b_scale: Tile, acc: Tile) -> Tile:
    """The product of blocks of 8-bit floats that carry scales (float8_e8m0fnu), plus acc."""
    a, b = _operands(a, b)
    scales = as_tile(a_scale, 1), as_tile(b_scale, 3)
    acc = converted(as_tile(acc, 4), dt.float32)
    return made("mmaf_scaled", acc.dtype, acc.shape, a.value, b.value, acc.value, scales[0].value,
                scales[1].value)
