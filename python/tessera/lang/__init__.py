# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The language of kernels that are written in Python; docs/python-kernels.md teaches it.

    import tessera
    import tessera.lang as tl

    @tessera.kernel
    def add(x, y, out, *, BLOCK):
        i = tl.program_id(0)
        tl.store(out, i, tl.load(x, i, BLOCK) + tl.load(y, i, BLOCK))

The functions here work in kernels only, `cdiv` everywhere.
"""
from ._arguments import constant
from ._arithmetic import (abs, atan2, cdiv, ceil, clamp, cos, cosh, exp, exp2, floor, fma, isnan,
                          log, log2, maximum, minimum, multiple_of, pow, rsqrt, sigmoid, sin, sinh,
                          sqrt, tan, tanh, where)
from ._arrays import Array
from ._loops import static_assert, static_range
from ._dtypes import (DType, bfloat16, bool_, float8_e4m3fn, float8_e5m2, float8_e8m0fnu, float16,
                      float32, float64, int8, int16, int32, int64, tfloat32, uint8, uint16, uint32,
                      uint64)
from ._memory import (atomic_add, atomic_and, atomic_cas, atomic_max, atomic_min, atomic_or,
                      atomic_xchg, atomic_xor, device_assert, device_print, gather, load, num_tiles,
                      scatter, store)
from ._products import dot, mma, mma_scaled
from ._reductions import (all, any, argmax, argmin, associative_scan, cumprod, cumsum, max, min,
                          prod, reduce, scan, sum)
from ._shapes import (arange, astype, bitcast, broadcast_to, cat, expand_dims, extract, full,
                      num_programs, ones, permute, program_id, ravel, reshape, trans, transpose,
                      zeros, zeros_like)
from ._tile import Tile

__all__ = [
    "Array", "DType", "Tile", "abs", "all", "any", "arange", "argmax", "argmin",
    "associative_scan", "astype", "atan2", "atomic_add", "atomic_and", "atomic_cas", "atomic_max",
    "atomic_min", "atomic_or", "atomic_xchg", "atomic_xor", "bfloat16", "bitcast", "bool_",
    "broadcast_to", "cat", "cdiv", "ceil", "clamp", "constant", "cos", "cosh", "cumprod", "cumsum",
    "device_assert", "device_print", "dot", "exp", "exp2", "expand_dims", "extract", "float16",
    "float32", "float64", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "floor", "fma", "full",
    "gather", "int16", "int32", "int64", "int8", "isnan", "load", "log", "log2", "max", "maximum",
    "min", "minimum", "mma", "mma_scaled", "multiple_of", "num_programs", "num_tiles", "ones",
    "permute", "pow", "prod", "program_id", "ravel", "reduce", "reshape", "rsqrt", "scan",
    "scatter", "sigmoid", "sin", "sinh", "sqrt", "static_assert", "static_range", "store", "sum",
    "tan", "tanh", "tfloat32", "trans", "transpose", "uint16", "uint32", "uint64", "uint8", "where",
    "zeros", "zeros_like",
]
