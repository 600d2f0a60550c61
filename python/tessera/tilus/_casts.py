# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions to floats of less than 8 bits as Tilus' kernels do them, for results that are to be
theirs bit by bit. Tessera rounds once; they round to normal precision first, cut off what a subnormal
number has not, and make all ones of infinities and NaN."""
from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from ._elements import F32, I32, Elem

if TYPE_CHECKING:
    from ._writer import Value, Writer


def kind() -> str:
    """What the environment asks for: "tilus", or anything else for conversions that round once."""
    return os.environ.get("TESSERA_TILUS_CASTS", "")


def wanted(to: Elem) -> bool:
    """Whether conversions to a type are to be Tilus' own."""
    return to.kind == "float" and to.bits < 8 and kind() == "tilus"


def as_tilus(w: Writer, value: Value, to: Elem) -> Value:
    """The value in a small type, by operations on the bits of an f32."""
    exponent_bits, kept = map(int, re.findall(r"[EM](\d)", to.name))
    cut, above_bits = 23 - kept, 128 - ((1 << exponent_bits - 1) - 1)
    value = w.convert(value, F32)
    bits = w.make("", I32, value.layout, "bitcast %s : %s -> %s", value.name, w.type_of(value))

    def n(number):
        return w.constant(number, I32, value.layout)

    def shifted(op, a, by):
        return w.binary(op, a, by, " unsigned" if op == "shri" else "")

    size = w.binary("andi", bits, n(0x7fffffff))
    odd = w.binary("andi", shifted("shri", size, n(cut)), n(1))
    rounded = w.binary("addi", w.binary("addi", size, n((1 << cut - 1) - 1)), odd)
    rounded = shifted("shri", rounded, n(cut))
    mantissa = w.binary("ori", w.binary("andi", rounded, n((1 << kept) - 1)), n(1 << kept))
    above = w.binary("subi", shifted("shri", rounded, n(kept)), n(above_bits))
    below = w.binary("mini", w.binary("subi", n(0), above), n(31), " signed")
    low = shifted("shri", mantissa, w.binary("maxi", below, n(0), " signed"))
    high = w.binary("addi", shifted("shli", above, n(kept)), mantissa)
    high = w.binary("mini", high, n((1 << to.bits - 1) - 1), " signed")

    def chosen(condition, a, b):
        return w.make("", I32, value.layout, "select %s, %s, %s : %s, %s", condition.name, a.name,
                      b.name, w.type_of(condition))
    signless = chosen(w.compare("less_than", above, n(0)), low, high)
    sign = shifted("shli", shifted("shri", bits, n(31)), n(to.bits - 1))
    finite = w.compare("less_than", size, n(0x7f800000))
    pattern = chosen(finite, w.binary("ori", signless, sign), n((1 << to.bits) - 1))
    small = w.convert(pattern, Elem("i%d" % to.bits, "int", to.bits, False))
    return w.make("", to, value.layout, "bitcast %s : %s -> %s", small.name, w.type_of(small))
