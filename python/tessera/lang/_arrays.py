# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays as kernels see them: memory with a shape and strides."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Tuple

from . import _dtypes as dt
from . import _ir as ir
from ._arithmetic import multiply
from ._dtypes import DType
from ._problem import Problem
from ._tile import Tile, tile_type
from ._trace import tracer


class ArrayInfo(NamedTuple):
    """What a kernel is compiled for."""
    dtype: DType
    ndim: int
    #: 1 where a stride is that, None where it is an argument; None in place of all: row-major
    strides: Optional[Tuple[Optional[int], ...]]
    wide: bool  #: extents and offsets need 64 bits

    @property
    def index_dtype(self) -> DType:
        return dt.int64 if self.wide else dt.int32


class Array:
    """An array that a kernel was launched with: `tl.load` and `tl.store` take tiles of it,
    `x[i, j]` and `tl.gather` elements. It has `shape`, whose sizes are scalars, `dtype`, `ndim`,
    `size`, `strides`."""
    is_array = True

    def __init__(self, name: str, number: int, group: int, info: ArrayInfo):
        self.name, self.number, self.group, self.info = name, number, group, info
        index = tile_type(info.index_dtype, ())
        self.base = ir.Value(ir.PointersType(info.dtype.elem, ()), name)
        self._sizes = [ir.Value(index, "%s_size%d" % (name, d)) for d in range(info.ndim)]
        self._steps = [None if stride is not None else ir.Value(index, "%s_stride%d" % (name, d))
                       for d, stride in enumerate(info.strides or ())]

    def __repr__(self) -> str:
        return "the array %s (%s, %d dimension%s)" % (
            self.name, self.info.dtype, self.ndim, "" if self.ndim == 1 else "s")

    @property
    def parameters(self) -> Tuple[ir.Value, ...]:
        """Of the kernel, in order."""
        return (self.base, *self._sizes, *[v for v in self._steps if v is not None])

    @property
    def dtype(self) -> DType:
        return self.info.dtype

    @property
    def ndim(self) -> int:
        return self.info.ndim

    @property
    def shape(self) -> Tuple[Tile, ...]:
        """Its extents, as scalars."""
        return tuple(Tile(v, self.info.index_dtype, ()) for v in self._sizes)

    @property
    def size(self) -> Any:
        """How many elements it has."""
        total = self.shape[0]
        for n in self.shape[1:]:
            total = multiply(total, n)
        return total

    if TYPE_CHECKING:  # what kernels may write
        def __getitem__(self, index: Any) -> Tile: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...

    def __len__(self):
        raise Problem("the extents of an array are known when the kernel runs: x.shape[0]")

    @property
    def strides(self) -> Tuple[Any, ...]:
        """How many elements lie between neighbours along each dimension: scalars, or 1."""
        kind = self.info.index_dtype
        if self.info.strides is not None:
            return tuple(1 if v is None else Tile(v, kind, ()) for v in self._steps)
        steps = tracer().views.get(self.number)
        if steps is None:
            with tracer().at_beginning():
                steps = tracer().views[self.number] = self._row_major()
        return steps

    def _row_major(self):
        sizes = self.shape
        steps: List[Any] = [1]
        for n in reversed(sizes[1:]):
            steps.append(n if len(steps) == 1 else multiply(steps[-1], n))
        return tuple(reversed(steps))

    # ---- views ----

    def view(self) -> ir.Value:
        """The whole as a tensor view, which the kernel makes at its beginning."""
        return self._made(("view", self.number), self._make_view)

    def tiles(self, tile: Tuple[int, ...], order: Tuple[int, ...], padding: str) -> ir.Value:
        """Its division into tiles."""
        whole = self.view()
        kind = ir.TilesType(tile, whole.type, order, padding)
        return self._made((self.number, kind), lambda: tracer().emit(
            "make_partition_view", whole, types=(kind,))[0])

    def _made(self, key, make) -> ir.Value:
        views = tracer().views
        if key not in views:
            with tracer().at_beginning():
                views[key] = make()
        return views[key]

    def _make_view(self):
        steps = self.strides
        kind = ir.ViewType(self.dtype.elem, (None,) * self.ndim,
                           tuple(s if isinstance(s, int) else None for s in steps))
        return tracer().emit("make_tensor_view", self.base, tuple(self._sizes),
                             tuple(s.value for s in steps if not isinstance(s, int)),
                             types=(kind,))[0]
