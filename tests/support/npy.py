#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy files for tests, without NumPy.

  npy.py make FILE DESCR SHAPE [EXPRESSION]     make '<f4' 4x8 'i % 7'; i is the flat index
  npy.py raw FILE HEADER BYTES [MAJOR]          any header text, then BYTES zero bytes
  npy.py show FILE                              "<f4 (4, 8): 0.0 1.0 ..." (at most 64 elements)
  npy.py expect FILE DESCR SHAPE EXPRESSION     every element is what the expression says
  npy.py compare FILE FILE                      the same type, shape and elements

SHAPE is 4x8, or () for a single element. EXPRESSION is Python: i, the indices x0, x1, ..., and
what `math` has. Options: --elem=bf16 reads elements of a type that NumPy lacks (bf16, e4m3, e5m2,
e8m0, i4, e2m1); --rtol=R and --atol=A allow |a-b| <= A + R*|b|; --exact compares bits, so that -0
differs from 0 (NaN always equals NaN). The exit status is 1 when something differs.
"""
import ast
import math
import struct
import sys

FORMATS = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
           "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "b1": "?"}


def tiny_float(bits, exponent_bits, mantissa_bits, bias, has_inf, has_nan):
    """The value of a small format's pattern."""
    sign = -1.0 if bits >> (exponent_bits + mantissa_bits) else 1.0
    exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1)
    mantissa = bits & ((1 << mantissa_bits) - 1)
    if has_inf and exponent == (1 << exponent_bits) - 1:
        return sign * math.inf if mantissa == 0 else math.nan
    if has_nan and not has_inf and bits | 1 << (exponent_bits + mantissa_bits) == \
            (1 << (1 + exponent_bits + mantissa_bits)) - 1:
        return math.nan
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits)


DECODERS = {
    "bf16": lambda v: struct.unpack("<f", struct.pack("<I", v << 16))[0],
    "tf32": lambda v: struct.unpack("<f", struct.pack("<I", v & ~0x1fff))[0],
    "e4m3": lambda v: tiny_float(v, 4, 3, 7, False, True),
    "e5m2": lambda v: tiny_float(v, 5, 2, 15, True, True),
    "e8m0": lambda v: math.nan if v == 255 else math.ldexp(1.0, v - 127),
    "e2m1": lambda v: tiny_float(v, 2, 1, 1, False, False),
    "i4": lambda v: v - 16 if v > 7 else v,
}


def read(path, elem=None):
    """(descr, shape, elements)."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x93NUMPY":
        sys.exit(f"{path} is no NumPy file")
    size = struct.unpack("<H" if data[6] == 1 else "<I", data[8:10 if data[6] == 1 else 12])[0]
    start = (10 if data[6] == 1 else 12) + size
    header = ast.literal_eval(data[start - size:start].decode())
    descr, shape = header["descr"], header["shape"]
    if start % 64:
        sys.exit(f"{path}: the data begins at byte {start}, no multiple of 64")
    count = math.prod(shape)
    values = struct.unpack(f"<{count}{FORMATS[descr[1:]]}", data[start:])
    if elem in ("i4", "e2m1"):
        values = [half for v in values for half in (v & 15, v >> 4)]
    if elem:
        values = [DECODERS[elem](v) for v in values]
    return descr, shape, list(values)


def header_bytes(text, major=1):
    head = 10 if major == 1 else 12
    text = text + " " * (63 - (head + len(text)) % 64) + "\n"
    return b"\x93NUMPY" + bytes([major, 0]) + struct.pack("<H" if major == 1 else "<I",
                                                         len(text)) + text.encode()


def parse_shape(text):
    return () if text == "()" else tuple(int(n) for n in text.split("x"))


def evaluate(expression, shape):
    """All values of an expression over the indices of a shape."""
    code = compile(expression, "expression", "eval")
    names = {name: getattr(math, name) for name in dir(math) if name[0] != "_"}
    names.update(abs=abs, min=min, max=max, int=int, float=float, round=round, sum=sum,
                 range=range, f32=lambda v: struct.unpack("<f", struct.pack("<f", v))[0])
    for i in range(math.prod(shape)):
        names["i"] = rest = i
        for d in reversed(range(len(shape))):
            names[f"x{d}"] = rest % shape[d]
            rest //= shape[d]
        yield eval(code, names)


def same(a, b, options):
    if a != a or b != b:
        return a != a and b != b
    if "--exact" in options:
        return a == b and math.copysign(1, a) == math.copysign(1, b)
    return a == b or abs(a - b) <= options.get("--atol", 0) + options.get("--rtol", 0) * abs(b)


def differences(actual, expected, options):
    bad = [i for i, (a, b) in enumerate(zip(actual, expected)) if not same(a, b, options)]
    for i in bad[:8]:
        print(f"element {i}: {actual[i]!r} where {expected[i]!r} is expected")
    if bad:
        print(f"{len(bad)} of {len(expected)} elements differ")
    return 1 if bad else 0


def main():
    options, words = {}, []
    for word in sys.argv[1:]:
        if word.startswith("--"):
            name, _, value = word.partition("=")
            options[name] = value if name in ("--elem", "--exact") else float(value)
        else:
            words.append(word)
    elem = options.get("--elem")
    if words[:1] == ["make"]:
        descr, shape = words[2], parse_shape(words[3])
        values = list(evaluate(words[4] if len(words) > 4 else "i", shape))
        with open(words[1], "wb") as out:
            out.write(header_bytes(f"{{'descr': '{descr}', 'fortran_order': False, "
                                   f"'shape': {shape}, }}"))
            out.write(struct.pack(f"<{len(values)}{FORMATS[descr[1:]]}", *values))
    elif words[:1] == ["raw"]:
        with open(words[1], "wb") as out:
            out.write(header_bytes(words[2], int(words[4]) if len(words) > 4 else 1))
            out.write(bytes(int(words[3])))
    elif words[:1] == ["show"]:
        descr, shape, values = read(words[1], elem)
        print(descr, f"{shape}:", *values[:64], *(["..."] if len(values) > 64 else []))
    elif words[:1] == ["expect"]:
        descr, shape, values = read(words[1], elem)
        if (descr, shape) != (words[2], parse_shape(words[3])):
            sys.exit(f"{words[1]} is {descr} {shape}")
        if elem in ("i4", "e2m1"):
            shape = shape[:-1] + (2 * shape[-1],)
        return differences(values, list(evaluate(words[4], shape)), options)
    elif words[:1] == ["compare"]:
        a, b = read(words[1], elem), read(words[2], elem)
        if a[:2] != b[:2]:
            sys.exit(f"{words[1]} is {a[0]} {a[1]}, {words[2]} is {b[0]} {b[1]}")
        return differences(a[2], b[2], options)
    else:
        sys.exit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main())
