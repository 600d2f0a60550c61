# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Structures with an arithmetic of their own: tessera.ops.Struct."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

from ._ops_arrays import of_array
from .errors import UsageError


class Struct(NamedTuple):
    """An element type: a structure of `fields` numbers, with its own multiplication and addition.

    type      what a field holds: "f32", "f16", "bf16", "f64", floats of 8 bits
    fields    from 1 to 4
    multiply  the fields of a product, expressions with ; between: the fields of the first structure
              are a, b, ..., those of the second one the letters that follow
    add       the fields of a sum; it is associative and commutative. "each": field by field
    zero      what sums begin with: a number for each field, or one
    convert   the fields of a result, before it is stored; None: they are stored as they are

    Arrays of structures have the fields as their last dimension: complex numbers of NumPy are
    `x.view(np.float32).reshape(x.shape + (2,))`. Rows or columns are contiguous.

    >>> import numpy as np, tessera.ops
    >>> number = tessera.ops.Struct("f32", 2, multiply="a*c-b*d;a*d+b*c")
    >>> x = np.array([[1 + 2j]], np.complex64).view(np.float32).reshape(1, 1, 2)
    >>> number.gemm(x, x)
    array([[[-3.,  4.]]], dtype=float32)
    """
    type: str
    fields: int
    multiply: str
    add: str = "each"
    zero: str = "0"
    convert: Optional[str] = None

    def gemm(self, a: Any, b: Any, out: Any = None, **settings: Any) -> Any:
        """[m, n] of sums over k of products of a [m, k] and b [k, n]."""
        a, b = self._matrix("a", a, 2), self._matrix("b", b, 2)
        if a.shape[1] != b.shape[0]:
            raise UsageError("Struct.gemm: argument 'b': expected %d rows, as many as 'a' has "
                             "columns, found the shape %s" % (a.shape[1], tuple(b.shape)))
        sizes = {"m": a.shape[0], "n": b.shape[1], "k": a.shape[1]}
        return self._call("product", self.multiply, {"a": a, "b": b}, out, sizes, settings)

    def reduce(self, x: Any, out: Any = None, **settings: Any) -> Any:
        """[m] of sums of the rows of x [m, k]."""
        x = self._matrix("a", x, 2)
        found = self._call("reduce", None, {"a": x}, None if out is None else out[:, None],
                           {"m": x.shape[0], "k": x.shape[1]}, settings)
        return found[:, 0] if out is None else out

    def map(self, function: str, a: Any, b: Any = None, out: Any = None, **settings: Any) -> Any:
        """[m, n] of what the expressions make of a [m, n] and, where they have its letters, b."""
        read = {n: self._matrix(n, t, 2) for n, t in (("a", a), ("b", b)) if t is not None}
        if b is not None and read["a"].shape != read["b"].shape:
            raise UsageError("Struct.map: argument 'b': expected the shape %s, found %s" % (
                tuple(read["a"].shape), tuple(read["b"].shape)))
        m, n = read["a"].shape[:2]
        return self._call("map", function, read, out, {"m": m, "n": n}, settings)

    def _matrix(self, name, array, rank):
        t = of_array(name, array, self.type, True)
        if len(t.shape) != rank + 1 or t.shape[-1] != self.fields:
            raise UsageError("Struct: argument '%s': expected %d dimensions and %d fields as the "
                             "last one, found the shape %s" % (name, rank, self.fields,
                                                               tuple(t.shape)))
        return t

    def _layout(self, name, t):
        """Whether rows or columns are contiguous, and how far apart they are."""
        (rows, columns), (down, along) = t.shape[:2], t.strides[:2]
        if t.strides[2] == 1 or self.fields == 1:
            if along == self.fields or columns <= 1:
                step = down if rows > 1 else max(columns, 1) * self.fields
                if step % self.fields == 0:
                    return {name: "row", "ld" + name: step // self.fields}
            if (down == self.fields or rows <= 1) and along % self.fields == 0:
                return {name: "column", "ld" + name: along // self.fields}
        raise UsageError("Struct: argument '%s': expected contiguous structures, in rows or columns "
                         "that are contiguous, found the strides %s; pass a copy" % (
                             name, tuple(t.strides)))

    def _call(self, kind, function, tensors, out, sizes, settings):
        from .ops import op
        own = {"kind": kind, "type": self.type, "fields": self.fields, "add": self.add,
               "zero": self.zero, "convert": self.convert, "multiply": function, **sizes}
        for name, t in tensors.items():
            own.update(self._layout(name, t))
        if out is not None:
            own.update(self._layout("c", self._matrix("out", out, 2)))
        own.update(settings)
        found = op("custom", {n: t.owner for n, t in tensors.items()},
                   None if out is None else {"c": out},
                   **{n: v for n, v in own.items() if v is not None})
        return found["c"]
