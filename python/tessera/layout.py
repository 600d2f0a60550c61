# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts: where the elements of a tile live. See docs/layouts.md for the notations."""
from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_int32
from typing import List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native as native
from ._context import context
from .errors import UsageError

_FORMATS = ("tilus", "ck", "cute", "linear", "table", "json")
_COLORS = ("owner", "slot", "heat")
_DISTRIBUTION, _ENCODING, _MEMORY = range(3)


class Cost(NamedTuple):
    """What it costs a warp to move a tile between registers and memory: `tsr_layout_cost`."""
    vector_elements: int   #: of one lane's access
    accesses: int          #: of one worker
    registers: int         #: of 32 bits, of one worker
    requests: int
    sectors: int           #: of 32 bytes, touched in global memory
    ideal_sectors: int
    ways: int              #: the worst bank conflict; 1: none
    wavefronts: int        #: in shared memory
    ideal_wavefronts: int
    text: str              #: the same in words

    def __str__(self) -> str:
        return self.text


class Layout:
    """A distribution of a tile over workers and slots, or a layout in memory.

    >>> import tessera
    >>> a = tessera.Layout("local(2, 1).spatial(8, 4).local(1, 2)")
    >>> a.shape, a.workers, a.slots
    ((16, 8), 32, 4)
    >>> a.locate(9, 3)
    [(5, 3)]
    >>> a == tessera.Layout("mma.m16n8k16.C")
    True
    >>> print(a.conversion(tessera.Layout("spatial(8, 4).local(2, 2)")))
    shuffle

    The notation is that of Tilus, CK Tile's encodings, CuTe, or the name of a matrix instruction's
    fragment. In a notebook a layout shows itself as a picture.
    """

    def __init__(self, text: str):
        data = text.encode()
        self._value = native.LayoutValue()
        context.check("reading the layout", native.layout_parse, context.handle, b"layout", data,
                      len(data), byref(self._value))

    # ---- what it is ----

    @property
    def kind(self) -> str:
        """"distribution", "encoding" or "memory"."""
        return ("distribution", "encoding", "memory")[self._value.kind]

    @property
    def shape(self) -> Tuple[int, ...]:
        if self._value.kind == _MEMORY:
            memory = self._value.memory
            return tuple(native.memory_dim(byref(memory), d) for d in range(memory.rank))
        layout = self._value.layout
        return tuple(layout.shape[:layout.rank])

    @property
    def workers(self) -> int:
        """How many threads hold parts of the tile."""
        return native.layout_spatial_size(self._distribution())

    @property
    def slots(self) -> int:
        """How many elements one thread holds."""
        return native.layout_local_size(self._distribution())

    @property
    def copies(self) -> int:
        """How many threads hold each element."""
        return native.layout_copies(self._distribution())

    def _distribution(self):
        if self._value.kind == _MEMORY:
            raise UsageError("a memory layout has no workers: %s" % self)
        return byref(self._value.layout)

    def _index(self, index: Sequence[int]):
        shape = self.shape
        if len(index) != len(shape) or not all(0 <= i < n for i, n in zip(index, shape)):
            raise IndexError("%r is no index of a tile of shape %r" % (tuple(index), shape))
        return (c_int32 * len(shape))(*index)

    def locate(self, *index: int) -> List[Tuple[int, int]]:
        """Where an element is: a (worker, slot) for each copy."""
        at, layout = self._index(index), self._distribution()
        count = native.layout_get_spatial(layout, at, None, 0)
        workers = (c_int32 * count)()
        native.layout_get_spatial(layout, at, workers, count)
        slot = native.layout_get_local(layout, at)
        return [(worker, slot) for worker in workers]

    def element(self, worker: int, slot: int) -> Tuple[int, ...]:
        """The element in a worker's slot."""
        layout = self._distribution()
        if not (0 <= worker < self.workers and 0 <= slot < self.slots):
            raise IndexError("there are %d workers with %d slots; (%d, %d) is none of them" % (
                self.workers, self.slots, worker, slot))
        index = (c_int32 * native.MAX_RANK)()
        native.layout_get_global(layout, worker, slot, index)
        return tuple(index[:self._value.layout.rank])

    def offset(self, *index: int) -> int:
        """Where an element lies in memory, in elements."""
        if self._value.kind != _MEMORY:
            raise UsageError("a distribution has no offsets in memory: %s" % self)
        return native.memory_offset(byref(self._value.memory), self._index(index))

    def __eq__(self, other: object) -> bool:
        """The same elements at the same places."""
        if not isinstance(other, Layout):
            return NotImplemented
        if _MEMORY in (self._value.kind, other._value.kind):
            return self._value.kind == other._value.kind and str(self) == str(other)
        return native.layout_same_map(self._distribution(), other._distribution())

    def __hash__(self) -> int:
        return hash((self._value.kind == _MEMORY, self.shape))

    # ---- in words ----

    def to(self, notation: str, warp_size: int = 0) -> str:
        """The layout as "tilus", "ck", "cute", "linear", "table" or "json"."""
        if notation not in _FORMATS:
            raise ValueError("notation is one of %s, not %r" % (", ".join(_FORMATS), notation))
        options = native.LayoutPrintOptions(
            struct_size=ctypes.sizeof(native.LayoutPrintOptions),
            format=_FORMATS.index(notation), warp_size=warp_size)
        return native.text_of(native.layout_print, byref(self._value), byref(options))

    def __str__(self) -> str:
        return self.to({_MEMORY: "cute", _ENCODING: "ck"}.get(self._value.kind, "tilus"))

    def __repr__(self) -> str:
        return "Layout(%r)" % str(self)

    # ---- making others ----

    def _made(self, function: str, *arguments: object, **named: object) -> "Layout":
        parts = [str(self)] + [str(a) for a in arguments]
        parts += ["%s=%s" % (name, value) for name, value in named.items()]
        return Layout("%s(%s)" % (function, ", ".join(parts)))

    def compose(self, inner: "Layout") -> "Layout":
        """Every element becomes a tile laid out as `inner`."""
        return self._made("compose", inner)

    def divide(self, inner: "Layout") -> "Layout":
        """The q with self == q.compose(inner)."""
        return self._made("divide", inner)

    def left_divide(self, outer: "Layout") -> "Layout":
        """The q with self == outer.compose(q)."""
        return self._made("left_divide", outer)

    def permute(self, *dims: int) -> "Layout":
        return self._made("permute", dims=list(dims))

    def reshape(self, *shape: int) -> "Layout":
        return self._made("reshape", shape=list(shape))

    def reduce(self, *dims: int) -> "Layout":
        """Where the result of a reduction over `dims` lives."""
        return self._made("reduce", dims=list(dims))

    def __mul__(self, inner: "Layout") -> "Layout":
        return self.compose(inner)

    def __truediv__(self, inner: "Layout") -> "Layout":
        return self.divide(inner)

    # ---- what it costs ----

    def conversion(self, to: "Layout", warp_size: int = 32) -> str:
        """How far elements travel to get from this layout to another: "none", "register
        permutation", "shuffle" or "shared memory"."""
        kind, error = c_int(), native.LayoutError()
        if native.layout_conversion(byref(kind), self._distribution(), to._distribution(),
                                    warp_size, byref(error)):
            raise UsageError(error.message.decode())
        return native.conversion_name(kind.value).decode()

    def _memory(self, memory: Union[None, str, "Layout"]):
        if isinstance(memory, str):
            memory = Layout(memory)
        if memory is not None:
            if memory._value.kind != _MEMORY:
                raise UsageError("expected a layout in memory, such as 'row_major(64, 64)'")
            return memory._value.memory
        out, error, shape = native.MemoryLayout(), native.LayoutError(), self.shape
        if native.memory_row_major(byref(out), len(shape), (c_int32 * len(shape))(*shape),
                                   byref(error)):
            raise UsageError(error.message.decode())
        return out

    @staticmethod
    def _cost_options(element_bits: int, warp_size: int, target: Optional[str] = None):
        return native.CostOptions(struct_size=ctypes.sizeof(native.CostOptions),
                                  element_bits=element_bits, warp_size=warp_size, banks=32,
                                  groups=1 if target else 0,
                                  target=target.encode() if target else None)

    def cost(self, memory: Union[None, str, "Layout"] = None, *, element_bits: int = 16,
             warp_size: int = 32, target: Optional[str] = None) -> Cost:
        """What it costs to load or store the tile from `memory` (row-major); on a target such as
        "gfx950", which has lanes of its own, to load it."""
        options = self._cost_options(element_bits, warp_size, target)
        cost, error, at = native.LayoutCost(), native.LayoutError(), self._memory(memory)
        if native.layout_cost_of(byref(cost), self._distribution(), byref(at), byref(options),
                                 byref(error)):
            raise UsageError(error.message.decode())
        text = native.text_of(native.layout_cost_explain, byref(cost), byref(options))
        return Cost(*(getattr(cost, field) for field in Cost._fields[:-1]), text)

    def propose_swizzle(self, memory: Union[None, str, "Layout"] = None, *,
                        store: Optional["Layout"] = None, element_bits: int = 16,
                        warp_size: int = 32, target: Optional[str] = None) -> "Layout":
        """The XOR swizzle of `memory` with the fewest bank conflicts when this layout loads from
        it, and `store` stores to it."""
        options = self._cost_options(element_bits, warp_size, target)
        error, at, out = native.LayoutError(), self._memory(memory), Layout("row_major(1)")
        if native.memory_propose_swizzle(
                byref(out._value.memory), byref(at), store._distribution() if store else None,
                self._distribution(), byref(options), byref(error)):
            raise UsageError(error.message.decode())
        return out

    # ---- pictures ----

    def _picture(self, color: str, arrows_of: int, title: Optional[str],
                 memory: Union[None, str, "Layout"], element_bits: int):
        if color not in _COLORS:
            raise ValueError("color is 'owner', 'slot' or 'heat', not %r" % (color,))
        options = native.SvgOptions(
            struct_size=ctypes.sizeof(native.SvgOptions), color=_COLORS.index(color),
            arrows_of=arrows_of, title=title.encode() if title else None)
        if color == "heat":
            count, error, at = 1, native.LayoutError(), self._memory(memory)
            for n in self.shape:
                count *= n
            ways, costs = (c_int32 * count)(), self._cost_options(element_bits, 32)
            if native.layout_conflict_map(ways, count, self._distribution(), byref(at),
                                          byref(costs), byref(error)):
                raise UsageError(error.message.decode())
            options.heat = ways
        return options

    def svg(self, color: str = "owner", *, arrows_of: int = -1, title: Optional[str] = None,
            memory: Union[None, str, "Layout"] = None, element_bits: int = 16) -> str:
        """The picture: a cell per element, coloured by "owner", "slot" or, for bank conflicts in
        `memory`, "heat". `arrows_of` joins the slots of that worker."""
        options = self._picture(color, arrows_of, title, memory, element_bits)
        return native.text_of(native.layout_svg, byref(self._value), byref(options))

    def png(self, color: str = "owner", *, arrows_of: int = -1, title: Optional[str] = None,
            memory: Union[None, str, "Layout"] = None, element_bits: int = 16) -> bytes:
        """The same as the bytes of a PNG file."""
        options = self._picture(color, arrows_of, title, memory, element_bits)
        size = native.layout_png(byref(self._value), byref(options), None, 0)
        out = ctypes.create_string_buffer(size)
        if not size or native.layout_png(byref(self._value), byref(options), out, size) != size:
            raise MemoryError("no memory for the picture")
        return out.raw

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        line = str(self).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return "<figure>%s<figcaption><code>%s</code></figcaption></figure>" % (self.svg(), line)
