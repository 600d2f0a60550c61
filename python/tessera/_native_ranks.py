# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""include/tessera/ranks.h and op_ranks.h, through ctypes."""
from __future__ import annotations

import ctypes
from ctypes import (POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint,
                    c_uint64, c_void_p)

from . import _native as native
from . import _native_ops as ops


class RanksOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("mpi", c_char_p), ("comm", c_void_p),
                ("timeout", c_double)]


class OperatorOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("pieces", c_uint)]


def _declare(name, result, *arguments):
    function = getattr(native.library, name)
    function.restype, function.argtypes = result, list(arguments)
    return function


started = _declare("tsr_ranks_started", c_bool)
join = _declare("tsr_ranks_join", c_void_p, c_void_p, POINTER(RanksOptions))
leave = _declare("tsr_ranks_leave", None, c_void_p)
rank = _declare("tsr_ranks_rank", c_uint, c_void_p)
size = _declare("tsr_ranks_size", c_uint, c_void_p)
library = _declare("tsr_ranks_library", c_char_p, c_void_p)
is_near = _declare("tsr_ranks_is_near", c_bool, c_void_p, c_uint)
barrier = _declare("tsr_ranks_barrier", c_int, c_void_p)
broadcast = _declare("tsr_ranks_broadcast", c_int, c_void_p, c_uint, c_void_p, c_size_t)
all_gather = _declare("tsr_ranks_all_gather", c_int, c_void_p, c_void_p, c_void_p, c_size_t)
all_to_all = _declare("tsr_ranks_all_to_all", c_int, c_void_p, c_void_p, c_void_p, c_size_t)
all_reduce = _declare("tsr_ranks_all_reduce", c_int, c_void_p, c_void_p, c_void_p, c_size_t, c_int,
                      c_int, c_int)
reduce_scatter = _declare("tsr_ranks_reduce_scatter", c_int, c_void_p, c_void_p, c_void_p, c_size_t,
                          c_int, c_int)
symmetric_create = _declare("tsr_symmetric_create", c_void_p, c_void_p, c_void_p, c_size_t)
symmetric_destroy = _declare("tsr_symmetric_destroy", None, c_void_p)
symmetric_buffer = _declare("tsr_symmetric_buffer", c_void_p, c_void_p)
symmetric_peer = _declare("tsr_symmetric_peer", c_void_p, c_void_p, c_uint)
symmetric_put = _declare("tsr_symmetric_put", c_int, c_void_p, c_uint, c_size_t, c_void_p, c_size_t)
symmetric_get = _declare("tsr_symmetric_get", c_int, c_void_p, c_uint, c_size_t, c_void_p, c_size_t)
symmetric_fence = _declare("tsr_symmetric_fence", c_int, c_void_p)
symmetric_notify = _declare("tsr_symmetric_notify", c_int, c_void_p, c_uint, c_size_t, c_int,
                            c_uint64)
symmetric_wait = _declare("tsr_symmetric_wait", c_int, c_void_p, c_size_t, c_int, c_uint64,
                          POINTER(c_uint64))
buffer_data = _declare("tsr_buffer_data", c_void_p, c_void_p)

#: Functions of libtessera-ops.
OPERATORS = {
    "ranks_create": (c_void_p, c_void_p, c_void_p, c_int, POINTER(ops.Problem),
                     POINTER(OperatorOptions)),
    "ranks_destroy": (None, c_void_p),
    "ranks_rows": (c_int64, c_void_p, c_uint, POINTER(c_int64)),
    "ranks_keys": (c_int64, c_void_p, c_uint, POINTER(c_int64)),
    "ranks_operand": (c_int, c_void_p, c_size_t, POINTER(ops.Operand)),
    "ranks_launch": (c_int, c_void_p, POINTER(ops.Argument), c_size_t),
}
ops._Functions._PROTOTYPES.update(OPERATORS)
functions = ops.functions
sizeof = ctypes.sizeof
