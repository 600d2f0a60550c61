# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types of Tilus in Tessera's words."""
from __future__ import annotations

import re
from typing import NamedTuple, Optional

from .._elements import BITS, NUMBER
from ..errors import Unsupported


class Elem(NamedTuple):
    """What a tile holds. Integers are signless in Tile IR: their operations say what they are."""
    name: str   #: as Tile IR spells it
    kind: str   #: "float", "int", "bool" or "ptr"
    bits: int
    signed: bool = True
    pointee: Optional[str] = None

    @property
    def sign(self) -> str:
        return "signed" if self.signed else "unsigned"

    @property
    def stored(self) -> "Elem":
        """What memory holds: there are no pointers to i4, so floats of as many bits stand for it, and
        none to single bits, of which eight are a byte."""
        if self.is_bit:
            return _BYTE
        return _NIBBLE if self.name == "i4" else self

    @property
    def is_bit(self) -> bool:
        """A number of 1 bit. A bool is a byte in memory."""
        return self.bits == 1 and self.kind == "int"


_NIBBLE = Elem("f4E2M1FN", "float", 4)
_BYTE = Elem("i8", "int", 8, False)
BOOL = Elem("i1", "bool", 1, False)
I32, I64 = Elem("i32", "int", 32), Elem("i64", "int", 64)
F32 = Elem("f32", "float", 32)

_FLOATS = {"float16": "f16", "bfloat16": "bf16", "tfloat32": "tf32", "float32": "f32",
           "float64": "f64", "float8_e4m3": "f8E4M3FN", "float8_e5m2": "f8E5M2"}
#: Of two types of floats, operations are done in the one that comes later; all others come first.
_RANK = ("f16", "bf16", "tf32", "f32", "f64")
_INTEGER_BITS = (1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 64)


def pointer_to(elem: str) -> Elem:
    return Elem("ptr<%s>" % elem, "ptr", 64, False, elem)


def elem_of(kind) -> Elem:
    """Of a type of Tilus: a number or a pointer."""
    inner = getattr(kind, "base_type", None) or getattr(kind, "tensor_type", None)
    if inner is not None:
        inner = getattr(inner, "dtype", inner)
        return pointer_to("i8" if type(inner).__name__ == "VoidType" else elem_of(inner).stored.name)
    name = getattr(kind, "name", str(kind))
    if name in ("bool", "boolean"):
        return BOOL
    short = _FLOATS.get(name) or _small_float(name)
    if short in NUMBER:
        return Elem(short, "float", BITS[NUMBER[short]])
    digits = name.lstrip("u")[len("int"):].rstrip("b")
    if name.lstrip("u").startswith("int") and digits.isdigit() and int(digits) in _INTEGER_BITS:
        return Elem("i" + digits, "int", int(digits), name[0] != "u")
    raise Unsupported("elements of type %s are not supported yet; use a type that Tessera has "
                      "(docs/tilus-support.md)" % name)


def _small_float(name: str) -> Optional[str]:
    """float6_e3m2 is f6E3M2FN: finite, as all of Tilus' types of less than 8 bits."""
    match = re.fullmatch(r"float(\d)_e(\d)m(\d)", name)
    return "f%sE%sM%sFN" % match.groups() if match else None


def _rank(elem: Elem) -> int:
    return _RANK.index(elem.name) if elem.name in _RANK else -1


def promoted(a: Elem, b: Elem) -> Elem:
    """The type in which an operation of two types is done."""
    if a == b:
        return a
    if a.kind == "float" or b.kind == "float":
        if a.kind == b.kind:
            return a if _rank(a) > _rank(b) else b
        return a if a.kind == "float" else b
    if a.kind == "bool" or b.kind == "bool":
        return b if a.kind == "bool" else a
    if a.bits != b.bits:
        return a if a.bits > b.bits else b
    return a if not a.signed else b


def number_text(value, elem: Elem) -> str:
    """A number as constants are written."""
    if elem.kind == "bool":
        return "true" if value else "false"
    if elem.kind == "int":
        return str(int(value))
    number = float(value)
    if number != number or number in (float("inf"), float("-inf")):
        from .._elements import float_pattern
        return "0x%X" % float_pattern(elem.name, number)
    digits, e, exponent = repr(number).partition("e")
    return (digits if "." in digits else digits + ".0") + e + exponent
