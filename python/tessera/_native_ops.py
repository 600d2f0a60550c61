# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libtessera-ops (include/tessera/op.h), through ctypes.

It is a library of its own, loaded when the first operator is asked for: it must be of the same
build as libtessera, so it is looked for beside that.
"""
from __future__ import annotations

import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int64,
                    c_size_t, c_uint, c_void_p)

from . import _native as native

READ, WRITTEN, UPDATED = range(3)
FORM, SIZE, CHOICE, DERIVED = range(4)
MAX_RANK = 8

# ---- structures ---------------------------------------------------------------------------------


class Parameter(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("kind", c_int), ("role", c_int),
                ("least", c_int64), ("most", c_int64), ("words", c_char_p),
                ("default_value", c_char_p), ("about", c_char_p)]


class Setting(Structure):
    _fields_ = [("name", c_char_p), ("word", c_char_p), ("integer", c_int64), ("real", c_double)]


class Problem(Structure):
    _fields_ = [("struct_size", c_size_t), ("text", c_char_p), ("settings", POINTER(Setting)),
                ("n_settings", c_size_t)]


class Operand(Structure):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("elem", c_int),
                ("is_unsigned", c_bool), ("use", c_int), ("rank", c_uint),
                ("shape", c_int64 * MAX_RANK), ("strides", c_int64 * MAX_RANK),
                ("bytes", c_size_t)]


class LibraryOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("store", c_void_p)]


class Argument(Structure):
    _fields_ = [("name", c_char_p), ("arg", native.Arg)]


class Measurement(Structure):
    _fields_ = [("instance", c_char_p), ("refused", c_char_p), ("median_ms", c_double),
                ("spread_ms", c_double), ("samples", c_uint), ("min_ms", c_double)]


JudgeFn = CFUNCTYPE(c_char_p, c_void_p)
EachFn = CFUNCTYPE(c_bool, c_void_p, POINTER(Measurement))


class TuneOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("seconds", c_double), ("judge", JudgeFn),
                ("each", EachFn), ("user", c_void_p)]


# ---- the library --------------------------------------------------------------------------------


def _candidates():
    """Paths beside libtessera; its name alone where the system's loader found that."""
    path = native.library._name
    for folder in {os.path.dirname(path): None, os.path.dirname(os.path.realpath(path)): None}:
        if os.path.isabs(folder):
            yield os.path.join(folder, "libtessera-ops.so")
            yield os.path.join(folder, "libtessera-ops.so.0")
    if not os.path.dirname(path):
        yield "libtessera-ops.so.0"


def _open():
    return native.open_first(_candidates(),
                             "libtessera-ops was not found beside %s. Run `make build` in the "
                             "checkout, or install the package with pip." % native.library._name)


class _Functions:
    """The functions, by their names without tsr_op_; the library is opened for the first one."""

    _PROTOTYPES = {
        "family_count": (c_size_t,),
        "family_name": (c_char_p, c_size_t),
        "family_about": (c_char_p, c_char_p),
        "parameter_count": (c_size_t, c_char_p),
        "parameter_get": (c_int, c_char_p, c_size_t, POINTER(Parameter)),
        "library_create": (c_void_p, c_void_p, POINTER(LibraryOptions)),
        "library_destroy": (None, c_void_p),
        "plan_get": (c_void_p, c_void_p, POINTER(Problem)),
        "plan_problem": (c_char_p, c_void_p),
        "plan_workspace": (c_size_t, c_void_p),
        "plan_flops": (c_double, c_void_p),
        "plan_bytes": (c_double, c_void_p),
        "plan_operand_count": (c_size_t, c_void_p),
        "plan_operand": (c_int, c_void_p, c_size_t, POINTER(Operand)),
        "tune": (c_int, c_void_p, POINTER(Problem), POINTER(Argument), c_size_t,
                 POINTER(TuneOptions)),
        "launch": (c_int, c_void_p, c_void_p, POINTER(Argument), c_size_t),
    }

    def __getattr__(self, name):
        if name not in self._PROTOTYPES:
            raise AttributeError(name)
        if "_library" not in self.__dict__:
            self._library = _open()
        function = getattr(self._library, "tsr_op_" + name)
        function.restype, *function.argtypes = self._PROTOTYPES[name]
        setattr(self, name, function)
        return function


functions = _Functions()
