# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Strides out of the expression for an offset, which is what Tilus has for global tensors."""
from __future__ import annotations

from typing import Any, Dict, List, Tuple

from ..errors import Unsupported
from ._writer import Number

# An expression as a sum of products: what a product multiplies -> its factor. The factors are named
# by position in a list, so that equal ones can be found without comparing expressions.
_Sum = Dict[Tuple[int, ...], int]


class _Terms:
    def __init__(self):
        self.known: List[Any] = []

    def atom(self, expr) -> _Sum:
        for i, other in enumerate(self.known):
            if other is expr:
                return {(i,): 1}
        self.known.append(expr)
        return {(len(self.known) - 1,): 1}

    def of(self, expr) -> _Sum:
        kind = type(expr).__name__
        if isinstance(expr, int):
            return {(): expr}
        if kind == "Constant":
            return {(): int(expr.value)}
        if kind in ("Add", "Sub"):
            sign = 1 if kind == "Add" else -1
            return _added(self.of(expr.a), self.of(expr.b), sign)
        if kind == "Multiply":
            return _multiplied(self.of(expr.a), self.of(expr.b))
        return self.atom(expr)


def _added(a: _Sum, b: _Sum, sign: int) -> _Sum:
    out = dict(a)
    for term, factor in b.items():
        out[term] = out.get(term, 0) + sign * factor
    return {term: factor for term, factor in out.items() if factor}


def _multiplied(a: _Sum, b: _Sum) -> _Sum:
    out: _Sum = {}
    for s, f in a.items():
        for t, g in b.items():
            out = _added(out, {tuple(sorted(s + t)): f * g}, 1)
    return out


def strides_of(layout, writer, expressions) -> Tuple[List[Number], Number]:
    """The stride of each dimension of a GlobalLayout, and the offset of its first element."""
    terms = _Terms()
    axes = [next(iter(terms.atom(axis)))[0] for axis in layout.axes]
    sums: List[_Sum] = [{} for _ in axes]
    start: _Sum = {}
    for term, factor in terms.of(layout.offset).items():
        of = [i for i, axis in enumerate(axes) if axis in term]
        if len(of) > 1 or any(term.count(axes[i]) > 1 for i in of):
            raise _not_linear()
        rest = tuple(t for t in term if t not in axes)
        if any(_reads(terms.known[t], layout.axes) for t in rest):
            raise _not_linear()
        target = sums[of[0]] if of else start
        target[rest] = target.get(rest, 0) + factor

    def number(total: _Sum) -> Number:
        out: Number = 0
        for term, factor in total.items():
            product: Number = factor
            for t in term:
                product = writer.multiply(product, expressions.number(terms.known[t]))
            out = writer.add(out, product)
        return out
    return [number(s) for s in sums], number(start)


def _reads(expr, variables) -> bool:
    from ._instructions import _mentions
    return any(_mentions(expr, v) for v in variables)


def _not_linear() -> Unsupported:
    return Unsupported("a layout of global memory that is no strides per dimension is not "
                       "supported yet; use global_row_major, global_column_major or global_strides")
