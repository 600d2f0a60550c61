# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: which arrays hold them, and numbers as their bit patterns."""
from __future__ import annotations

import math
import struct
from typing import Dict, Tuple

from . import _native as native

NAMES = native.elements()
BITS = [native.elem_bits(i) for i in range(len(NAMES))]
NUMBER = {name: i for i, name in enumerate(NAMES)}

#: Which types of arrays, by the names that NumPy and ml_dtypes have for them, hold the elements of
#: a type. Unsigned integers stand for the bits of what NumPy has no name for. Types of 2 to 7 bits
#: are packed: element k begins at bit k*N, and the lowest bits of a byte come first.
ARRAYS: Dict[str, Tuple[str, ...]] = {
    "i1": ("bool", "uint8", "int8"),
    "i8": ("int8", "uint8"),
    "i16": ("int16", "uint16"),
    "i32": ("int32", "uint32"),
    "i64": ("int64", "uint64"),
    "f16": ("float16",),
    "bf16": ("bfloat16", "uint16"),
    "f32": ("float32",),
    "tf32": ("float32",),
    "f64": ("float64",),
    "f8E4M3FN": ("float8_e4m3fn", "uint8"),
    "f8E5M2": ("float8_e5m2", "uint8"),
    "f8E8M0FNU": ("float8_e8m0fnu", "uint8"),
    "f8E5M3FNU": ("uint8",),
    "f8E4M3FNUZ": ("float8_e4m3fnuz", "uint8"),
    "f8E5M2FNUZ": ("float8_e5m2fnuz", "uint8"),
    "ptr": ("uint64", "int64"),
}
for _name, _bits in zip(NAMES, BITS):
    if 1 < _bits < 8:
        ARRAYS[_name] = ("uint8", "int8")

#: (exponent bits, mantissa bits, bias, has infinities, is signed) of the formats struct can't pack.
_FORMATS = {
    "bf16": (8, 7, 127, True, True),
    "tf32": (8, 10, 127, True, True),
    "f8E4M3FN": (4, 3, 7, False, True),
    "f8E5M2": (5, 2, 15, True, True),
    "f8E8M0FNU": (8, 0, 127, False, False),
    "f4E2M1FN": (2, 1, 1, False, True),
}
_PACKED = {"f16": "<e", "f32": "<f", "f64": "<d"}


def integer_pattern(elem: str, value: int) -> int:
    """Two's complement; accepts what fits as a signed or as an unsigned number."""
    bits = BITS[NUMBER[elem]]
    low = 0 if bits == 1 else -(1 << (bits - 1))
    if not low <= value < 1 << bits:
        raise OverflowError("%d does not fit %s: expected %d to %d" % (
            value, elem, low, (1 << bits) - 1))
    return value & ((1 << bits) - 1)


def float_pattern(elem: str, value: float) -> int:
    """The nearest number of the format, ties to even; what is too large becomes infinity where the
    format has one, and is refused where it has none."""
    code = _PACKED.get(elem)
    if code:
        try:
            packed = struct.pack(code, value)
        except OverflowError:  # struct refuses what rounds to infinity
            packed = struct.pack(code, math.copysign(math.inf, value))
        return int.from_bytes(packed, "little")
    if elem not in _FORMATS:
        raise TypeError("a number can't be passed as %s" % elem)
    exponent_bits, mantissa_bits, bias, infinite, signed = _FORMATS[elem]
    if elem == "f8E8M0FNU":
        return _power_of_two(value)
    sign = int(math.copysign(1, value) < 0) << (exponent_bits + mantissa_bits)
    top = (1 << exponent_bits) - 1
    pattern = 0
    if math.isnan(value):
        if elem == "f4E2M1FN":
            raise ValueError("f4E2M1FN has no NaN")
        sign = 0
        pattern = top << mantissa_bits | (1 << mantissa_bits) - 1
        if infinite:
            pattern = top << mantissa_bits | 1 << (mantissa_bits - 1)
    elif value and not math.isinf(value):
        least = 1 - bias  # of normal numbers
        exponent = max(math.frexp(abs(value))[1] - 1, least)
        scaled = round(math.ldexp(abs(value), mantissa_bits - exponent))  # ties to even
        pattern = ((exponent - least) << mantissa_bits) + scaled
    largest = (top << mantissa_bits) - 1  # below infinity
    if not infinite:
        largest = (1 << (exponent_bits + mantissa_bits)) - (1 if elem == "f4E2M1FN" else 2)
    if math.isinf(value) or (not math.isnan(value) and pattern > largest):
        if not infinite:
            raise OverflowError("%r does not fit %s, which has no infinity" % (value, elem))
        pattern = top << mantissa_bits
    pattern |= sign
    return pattern << 13 if elem == "tf32" else pattern


def _power_of_two(value: float) -> int:
    if math.isnan(value):
        return 0xff
    mantissa, exponent = math.frexp(value)
    if value <= 0 or math.isinf(value) or mantissa != 0.5 or not -127 <= exponent - 1 <= 127:
        raise ValueError("%r is no power of two from 2^-127 to 2^127, as f8E8M0FNU holds" % value)
    return exponent - 1 + 127
