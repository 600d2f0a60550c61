# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of 1 bit in global memory. There are no pointers to them: a tensor is seen as one of bytes,
a thread loads and stores whole bytes, and `reinterpret` makes eight elements of each."""
from __future__ import annotations

from typing import Sequence, Tuple

from ._elements import I32, Elem
from ._layouts import Layout, for_copies
from ._writer import Number, Value

_BYTE = Elem("i8", "int", 8, False)


class Packed:
    """Methods of Instructions."""

    def bytes_of(self, bits: Number) -> Number:
        """As many bits in bytes. What is not known must be a multiple when the kernel runs."""
        if isinstance(bits, int):
            if bits % 8:
                raise self._t.unsupported("elements of 1 bit at bit %d of a byte" % (bits % 8),
                                          "keep to multiples of 8")
            return bits // 8
        seven, three = self._w.constant(7, bits.elem), self._w.constant(3, bits.elem)
        whole = self._w.compare("equal", self._w.binary("andi", bits, seven),
                                self._w.constant(0, bits.elem))
        self._w.op('assert %s, "elements of 1 bit begin at a multiple of 8" : tile<i1>' % whole.name)
        return self._w.binary("shri", bits, three, " signed")

    def moved(self, pointer: Value, elem: Elem, elements: Number) -> Value:
        """A pointer some elements further."""
        return self._w.moved(pointer, self.bytes_of(elements) if elem.is_bit else elements)

    def bytes_view(self, shape: Sequence[Number], strides: Sequence[Number]):
        """The sizes and strides of a tensor of bits as one of bytes."""
        if strides[-1] != 1:
            raise self._t.unsupported("elements of 1 bit that are not neighbours along the last "
                                      "dimension", "put the dimension that they follow each other "
                                      "in last")
        last = shape[-1]
        if isinstance(last, int):
            last = -(-last // 8)
        else:
            more = self._w.add(last, 7)
            last = self._w.binary("shri", more, self._w.constant(3, more.elem), " signed")
        return list(shape[:-1]) + [last], [self.bytes_of(s) for s in strides[:-1]] + [1]

    def _bit_layouts(self, shape: Sequence[int]) -> Tuple[Layout, Layout]:
        """Which thread holds which bytes, and which bits."""
        if shape[-1] % 8:
            raise self._t.unsupported("a tile of elements of 1 bit, %d in a row" % shape[-1],
                                      "make that a multiple of 8")
        rows = tuple(shape[:-1]) + (shape[-1] // 8,)
        of_bytes = for_copies(rows, 8, self._w.threads, len(rows) - 1)
        return of_bytes, of_bytes.split(8)

    def load_bits(self, source, offsets: str, first: Number, layout: Layout) -> Value:
        """What lies behind a tensor's end may be in its last byte: zero is put there."""
        of_bytes, of_bits = self._bit_layouts(layout.shape)
        value = self._w.make("", _BYTE, of_bytes, "load_global %s[%s] : %s -> %s", source.view,
                             offsets, source.view_type)
        value = self._w.make("", source.elem, of_bits, "reinterpret %s : %s -> %s", value.name,
                             self._w.type_of(value))
        size = source.shape[-1]
        if isinstance(size, int) and size % 8 == 0:
            return value
        index = self._index(of_bits, len(layout.shape) - 1)
        elem = next((n.elem for n in (size, first) if isinstance(n, Value)), I32)
        left = self._w.binary("subi", self._w.scalar(size, elem), self._w.scalar(first, elem))
        inside = self._w.compare("less_than", self._w.convert(index, elem),
                                 self._e.spread(left, of_bits))
        return self._e.select(inside, value, self._w.constant(0, source.elem, of_bits))

    def store_bits(self, value: Value, target, offsets: str) -> None:
        of_bytes, of_bits = self._bit_layouts(value.layout.shape)
        value = self._w.placed(value, of_bits)
        value = self._w.make("", _BYTE, of_bytes, "reinterpret %s : %s -> %s", value.name,
                             self._w.type_of(value))
        self._w.op("store_global %s, %s[%s] : %s, %s" % (
            value.name, target.view, offsets, self._w.type_of(value), target.view_type))
