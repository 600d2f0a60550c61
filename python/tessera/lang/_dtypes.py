# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of tiles and arrays, and which type two of them have together."""
from __future__ import annotations

import sys
from typing import Any, Dict, Optional

from ._problem import Problem


class DType:
    """The type of the elements of a tile or an array. Called in a kernel it converts:
    `tl.float32(x)` is `x.astype(tl.float32)`."""

    def __init__(self, name: str, elem: str, kind: str, bits: int):
        self.name = name  #: as NumPy and ml_dtypes have it
        self.elem = elem  #: as Tile IR spells it
        self.kind = kind  #: "bool", "int", "uint" or "float"
        self.bits = bits  #: of one element

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self):
        return dtype_named, (self.name,)

    def __call__(self, x: Any) -> Any:
        from ._shapes import astype
        return astype(x, self)

    @property
    def is_integer(self) -> bool:
        """Of whole numbers, truth values aside."""
        return self.kind in ("int", "uint")

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def signedness(self) -> str:
        """As operations of Tile IR are told it."""
        return "signed" if self.kind == "int" else "unsigned"

    @property
    def low(self) -> int:
        """The least integer of the type."""
        return -(1 << self.bits - 1) if self.kind == "int" else 0

    @property
    def high(self) -> int:
        """The largest one."""
        return (1 << self.bits - (self.kind == "int")) - 1


bool_ = DType("bool", "i1", "bool", 1)
int8 = DType("int8", "i8", "int", 8)
int16 = DType("int16", "i16", "int", 16)
int32 = DType("int32", "i32", "int", 32)
int64 = DType("int64", "i64", "int", 64)
uint8 = DType("uint8", "i8", "uint", 8)
uint16 = DType("uint16", "i16", "uint", 16)
uint32 = DType("uint32", "i32", "uint", 32)
uint64 = DType("uint64", "i64", "uint", 64)
float16 = DType("float16", "f16", "float", 16)
bfloat16 = DType("bfloat16", "bf16", "float", 16)
float32 = DType("float32", "f32", "float", 32)
tfloat32 = DType("tfloat32", "tf32", "float", 32)
float64 = DType("float64", "f64", "float", 64)
float8_e4m3fn = DType("float8_e4m3fn", "f8E4M3FN", "float", 8)
float8_e5m2 = DType("float8_e5m2", "f8E5M2", "float", 8)
float8_e8m0fnu = DType("float8_e8m0fnu", "f8E8M0FNU", "float", 8)

ALL = (bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32,
       tfloat32, float64, float8_e4m3fn, float8_e5m2, float8_e8m0fnu)
BY_NAME: Dict[str, DType] = {dtype.name: dtype for dtype in ALL}
_OF_PYTHON = {bool: bool_, int: int32, float: float32}
#: Types that can be computed with; others are for memory, products and conversions.
_COMPUTED = (float16, bfloat16, float32, float64)


def dtype_named(name: str) -> DType:
    return BY_NAME[name]


def find_dtype(like: Any) -> Optional[DType]:
    """The type that an object stands for: one of these, a name, NumPy's or PyTorch's."""
    if isinstance(like, DType):
        return like
    if isinstance(like, str):
        return BY_NAME.get(like)
    if isinstance(like, type) and like in _OF_PYTHON:
        return _OF_PYTHON[like]
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(like, torch.dtype):
        return BY_NAME.get(str(like).rpartition(".")[2])
    numpy = sys.modules.get("numpy")
    if numpy is not None and (isinstance(like, numpy.dtype) or isinstance(like, type)):
        try:
            return BY_NAME.get(numpy.dtype(like).name)
        except TypeError:
            return None
    return None


def dtype_of(like: Any, argument: Any = None) -> DType:
    """The same, where nothing else will do."""
    found = find_dtype(like)
    if found is None:
        raise Problem("expected an element type, such as tl.float32, found %r" % (like,), argument)
    return found


def computable(dtype: DType, what: str) -> DType:
    """The type, when operations of floats take it."""
    if dtype.is_float and dtype not in _COMPUTED:
        raise Problem("%s does not take elements of %s: convert them first, as by "
                      ".astype(tl.float32)" % (what, dtype))
    return dtype


def promoted(a: DType, b: DType) -> DType:
    """The type of what two operands give together."""
    if a is b:
        return a
    rank = {"bool": 0, "uint": 1, "int": 1, "float": 2}
    if rank[a.kind] != rank[b.kind]:
        return a if rank[a.kind] > rank[b.kind] else b
    if a.kind == b.kind and a.bits != b.bits:
        return a if a.bits > b.bits else b
    signed, unsigned = (a, b) if a.kind == "int" else (b, a)
    if signed.kind != unsigned.kind and signed.bits > unsigned.bits:
        return signed
    raise Problem("%s and %s have no common type: convert one of them with .astype(…)" % (a, b))
