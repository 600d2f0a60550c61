# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing the text of a kernel of the block level: names, types, constants, places."""
from __future__ import annotations

import json
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from ._casts import as_tilus, wanted
from ._elements import BOOL, I32, Elem, number_text, pointer_to, promoted
from ._layouts import Layout, replicated


class Value(NamedTuple):
    """Something with a name: a scalar, or a tile if it has a layout. Tiles of rank 0 are scalars."""
    name: str
    elem: Elem
    layout: Optional[Layout] = None


#: A size, a stride or an offset: known, or computed by the kernel.
Number = Union[int, Value]


def _of_tile(layout: Optional[Layout]) -> Optional[Layout]:
    return layout if layout is not None and layout.shape else None


def _flat(lines: Iterable[Any]) -> Iterator[str]:
    for line in lines:
        if isinstance(line, list):
            yield from line
        else:
            yield line


class Writer:
    """The body of a kernel, an operation to a line.

    Constants stand at its top, once each; layouts have names above the module."""

    def __init__(self, threads: int):
        self.threads = threads
        self.cluster: Optional[Tuple[int, int, int]] = None  #: blocks that use each other's memory
        self.place: Optional[Tuple[str, int, int]] = None  #: of the operations that follow
        self._lines: List[Any] = []  #: a list in it is of lines that are written later
        self._head: List[Any] = []
        self._groups: List[Tuple[Any, ...]] = []
        self._depth = 0
        self._count = 0
        self._constants: Dict[Tuple[str, str], str] = {}
        self._own_constants: Dict[Tuple[str, str], str] = {}  #: tiles of the group's threads
        self._layouts: Dict[str, str] = {}

    # ---- names and types ----

    def name(self, hint: str = "") -> str:
        self._count += 1
        return "%%%s%d" % (hint, self._count)

    def layout_name(self, text: str) -> str:
        return self._layouts.setdefault(text, "#l%d" % len(self._layouts))

    def type_of(self, value: Value) -> str:
        return self.tile_type(value.elem, value.layout)

    def tile_type(self, elem: Elem, layout: Optional[Layout]) -> str:
        if _of_tile(layout) is None:
            return "tile<%s>" % elem.name
        sizes = "".join("%dx" % n for n in layout.shape)
        return "tile<%s%s, %s>" % (sizes, elem.name, self.layout_name(str(layout)))

    def shared_type(self, shape: Sequence[int], elem: Elem, memory: str) -> str:
        return "shared<%s%s, %s>" % ("".join("%dx" % n for n in shape), elem.stored.name,
                                     self.layout_name(memory))

    # ---- lines ----

    def line(self, text: str) -> None:
        self._lines.append(self._indented(text))

    def _indented(self, text: str) -> str:
        return "  " * (self._depth + 2) + text

    def gap(self) -> Callable[[str], None]:
        """A place for lines that turn out to be needed there: a function that adds one."""
        lines: List[str] = []
        self._lines.append(lines)
        depth = "  " * (self._depth + 2)
        return lambda text: lines.append(depth + text)

    def at_top(self, text: str) -> None:
        """A line before all others but constants."""
        self._head.append("    " + text)

    def op(self, text: str) -> None:
        self.line(text + self._location())

    def _location(self) -> str:
        return "" if self.place is None else " loc(%s:%d:%d)" % (
            (json.dumps(self.place[0]),) + self.place[1:])

    def make(self, hint: str, elem: Elem, layout: Optional[Layout], text: str, *parts) -> Value:
        """An operation with a result. In `text`, %s are the parts and then the result's type."""
        result = Value(self.name(hint), elem, _of_tile(layout))
        self.op("%s = %s" % (result.name, text % (parts + (self.type_of(result),))))
        return result

    def open(self, text: str) -> None:
        self.line(text)
        self._depth += 1

    def middle(self, text: str) -> None:
        self._depth -= 1
        self.line(text)
        self._depth += 1

    def close(self, text: str = "}") -> None:
        self._depth -= 1
        self.op(text)

    # ---- groups of threads ----

    def open_group(self, threads: int) -> None:
        """Lines that follow are of a group's threads. What opens it is known at its end."""
        head = self.gap()
        self._depth += 1
        self._groups.append((head, self.gap(), self.threads, self._own_constants))
        self.threads, self._own_constants = threads, {}

    def close_group(self, opening: str) -> None:
        head, top, threads, constants = self._groups.pop()
        head(opening + " {")
        for (text, kind), short in self._own_constants.items():
            top("%s = constant <%s> : %s" % (short, text, kind))
        self.threads, self._own_constants = threads, constants
        self.close()

    def module(self, name: str, parameters: Sequence[str]) -> str:
        head = ["%s = layout<%s>" % (short, text) for text, short in self._layouts.items()]
        head.append("cuda_tile.module @%s {" % name)
        cluster = " cluster(%d, %d, %d)" % self.cluster if self.cluster else ""
        head.append("  entry @%s(%s) threads(%d)%s {" % (
            name, ", ".join(parameters), self.threads, cluster))
        head += ["    %s = constant <%s> : %s" % (short, text, kind)
                 for (text, kind), short in self._constants.items()]
        return "\n".join(_flat(head + self._head + self._lines + ["  }", "}", ""]))

    # ---- numbers ----

    def constant(self, number: Any, elem: Elem, layout: Optional[Layout] = None) -> Value:
        key = ("%s: %s" % (elem.name, number_text(number, elem)), self.tile_type(elem, layout))
        own = self._groups and _of_tile(layout) is not None
        known = self._own_constants if own else self._constants
        short = known.get(key) or known.setdefault(key, self._constant_name(known))
        return Value(short, elem, _of_tile(layout))

    def _constant_name(self, known) -> str:
        return "%%c%d" % len(known) if known is self._constants else self.name("c_")

    def scalar(self, number: Number, elem: Elem = I32) -> Value:
        """A number as a scalar of a type."""
        if isinstance(number, int):
            return self.constant(number, elem)
        return self.convert(number, elem)

    def binary(self, op: str, a: Value, b: Value, suffix: str = "") -> Value:
        return self.make("", a.elem, a.layout, "%s %s, %s%s : %s", op, a.name, b.name, suffix)

    def compare(self, predicate: str, a: Value, b: Value) -> Value:
        if a.elem.kind == "float":
            order = "unordered" if predicate == "not_equal" else "ordered"
            text = "cmpf %s %s %s, %s" % (predicate, order, a.name, b.name)
        else:
            text = "cmpi %s %s, %s, %s" % (predicate, a.name, b.name, a.elem.sign)
        return self.make("", BOOL, a.layout, "%s : %s -> %s", text, self.type_of(a))

    def add(self, a: Number, b: Number) -> Number:
        return self._number("addi", a, b, lambda x, y: x + y, 0)

    def multiply(self, a: Number, b: Number) -> Number:
        if a == 0 or b == 0:
            return 0
        return self._number("muli", a, b, lambda x, y: x * y, 1)

    def _number(self, op, a, b, fold, neutral):
        if isinstance(a, int) and isinstance(b, int):
            return fold(a, b)
        if isinstance(a, int):
            a, b = b, a
        if isinstance(b, int):
            return a if b == neutral else self.binary(op, a, self.constant(b, a.elem))
        wide = promoted(a.elem, b.elem)
        return self.binary(op, self.convert(a, wide), self.convert(b, wide))

    # ---- conversions ----

    def convert(self, value: Value, to: Elem) -> Value:
        """The value as C converts it."""
        of = value.elem
        if of.name == to.name:
            return value._replace(elem=to)
        if to.kind == "ptr" or of.kind == "ptr":
            return self._cast("ptr_to_ptr", value, to)
        if to.kind == "bool":
            return self.compare("not_equal", value, self.constant(0, of, value.layout))
        if wanted(to):
            return as_tilus(self, value, to)
        small = of if of.kind == "int" else to
        if of.kind != to.kind and small.kind == "int" and small.bits < 8:
            # There is no arithmetic on integers of less than 8 bits.
            return self.convert(self.convert(value, I32), to)
        if of.kind == "float":
            if to.kind == "float":
                return self._cast("ftof", value, to)
            return self._cast("ftoi", value, to, " " + to.sign)
        if to.kind == "float":
            return self._cast("itof", value, to, " " + of.sign)
        if of.bits > to.bits:
            return self._cast("trunci", value, to)
        return self._cast("exti", value, to, " " + of.sign)

    def _cast(self, op, value, to, suffix=""):
        return self.make("", to, value.layout, "%s %s%s : %s -> %s", op, value.name, suffix,
                         self.type_of(value))

    def moved(self, pointer: Value, elements: Number) -> Value:
        """A pointer some elements further."""
        if elements == 0:
            return pointer
        by = self.scalar(elements, I32 if isinstance(elements, int) else elements.elem)
        return self.make("p", pointer.elem, None, "offset %s, %s : %s, %s -> %s", pointer.name,
                         by.name, self.type_of(pointer), self.type_of(by))

    def retyped(self, pointer: Value, elem: Elem) -> Value:
        return self.convert(pointer, pointer_to(elem.stored.name))

    # ---- elements as memory has them ----

    def loaded(self, value: Value, elem: Elem) -> Value:
        """What was loaded, as elements of the type that it is meant to be."""
        return value if value.elem.name == elem.name else self._cast("bitcast", value, elem)

    def to_store(self, value: Value, elem: Elem) -> Value:
        value = self.convert(value, elem)
        return self.loaded(value, elem.stored)

    # ---- shapes and layouts ----

    def _shaped(self, op, value, layout, suffix=""):
        return self.make("", value.elem, layout, "%s %s%s : %s -> %s", op, value.name, suffix,
                         self.type_of(value))

    def reshaped(self, value: Value, layout: Layout) -> Value:
        same = value.layout == _of_tile(layout)
        return value if same else self._shaped("reshape", value, layout)

    def placed(self, value: Value, layout: Layout) -> Value:
        """The tile in another layout."""
        same = value.layout == _of_tile(layout)
        return value if same else self._shaped("convert_layout", value, layout)

    def permuted(self, value: Value, dims: Sequence[int]) -> Value:
        return self._shaped("permute", value, value.layout.permuted(dims),
                            " [%s]" % ", ".join(map(str, dims)))

    def broadcast(self, value: Value, layout: Layout) -> Value:
        """A scalar or a smaller tile for every element of a tile, as NumPy has it."""
        rank = len(layout.shape)
        if rank == 0:
            return value
        if value.layout is None:
            value = self.reshaped(value, replicated(rank, self.threads))
        missing = rank - len(value.layout.shape)
        if missing:
            value = self.reshaped(value,
                                  value.layout.with_shape((1,) * missing + value.layout.shape))
        repeated = [d for d in range(rank) if value.layout.shape[d] != layout.shape[d]]
        value = self.placed(value, layout.reduced(repeated) if repeated else layout)
        return self._shaped("broadcast", value, layout) if repeated else value

    def to_scalar(self, value: Value) -> Value:
        """The only element of a tile."""
        if value.layout is None:
            return value
        value = self.placed(value, replicated(len(value.layout.shape), self.threads))
        return self._shaped("reshape", value, None)
