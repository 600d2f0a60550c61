# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The part of libtessera that builds modules (include/tessera/build.h), through ctypes."""
from __future__ import annotations

from ctypes import (POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int64, c_size_t,
                    c_uint, c_uint64, c_void_p)

from ._native import _declare

DYNAMIC = -(1 << 63)  #: a size or stride of a view that a value gives
PADDINGS = ("none", "zero", "neg_zero", "nan", "pos_inf", "neg_inf")
DIV_BY, SAME_ELEMENTS, BOUNDED = range(3)


class Ints(Structure):
    _fields_ = [("data", POINTER(c_int64)), ("len", c_size_t)]


class Handles(Structure):
    """tsr_values or tsr_types."""
    _fields_ = [("data", POINTER(c_void_p)), ("len", c_size_t)]


class Scalar(Structure):
    _fields_ = [("elem", c_int), ("bits", c_uint64)]


class Scalars(Structure):
    _fields_ = [("data", POINTER(Scalar)), ("len", c_size_t)]


class Predicate(Structure):
    _fields_ = [("kind", c_int), ("has_every", c_bool), ("has_lower", c_bool),
                ("has_upper", c_bool), ("divisor", c_uint64), ("every", c_int64),
                ("along", c_int64), ("lower", c_int64), ("upper", c_int64), ("same", Ints)]


class Attr(Structure):
    _fields_ = [("name", c_char_p), ("i", c_int64), ("s", c_char_p), ("ints", Ints),
                ("scalars", Scalars), ("predicate", POINTER(Predicate)), ("layout", c_void_p)]


class OpSpec(Structure):
    _fields_ = [("name", c_char_p), ("operands", POINTER(Handles)), ("operand_groups", c_size_t),
                ("attrs", POINTER(Attr)), ("attr_count", c_size_t), ("types", Handles),
                ("file", c_char_p), ("line", c_uint), ("column", c_uint)]


def ints(numbers) -> Ints:
    """A list of numbers, which keeps its memory alive."""
    data = (c_int64 * max(len(numbers), 1))(*numbers)
    return Ints(data, len(numbers))


def handles(pointers) -> Handles:
    """The same of values or types."""
    data = (c_void_p * max(len(pointers), 1))(*pointers)
    return Handles(data, len(pointers))


create = _declare("tsr_builder_create", c_void_p, c_void_p, c_char_p)
finish = _declare("tsr_builder_finish", c_void_p, c_void_p)
destroy = _declare("tsr_builder_destroy", None, c_void_p)
type_tile = _declare("tsr_type_tile", c_void_p, c_void_p, c_int, Ints)
type_pointers = _declare("tsr_type_pointers", c_void_p, c_void_p, c_int, Ints)
type_token = _declare("tsr_type_token", c_void_p, c_void_p)
type_tensor_view = _declare("tsr_type_tensor_view", c_void_p, c_void_p, c_int, Ints, Ints)
type_partition_view = _declare("tsr_type_partition_view", c_void_p, c_void_p, Ints, c_void_p, Ints,
                               c_int)
entry = _declare("tsr_build_entry_at", c_void_p, c_char_p, c_uint, c_void_p, c_char_p, Handles)
end = _declare("tsr_build_end_at", None, c_char_p, c_uint, c_void_p)
begin_else = _declare("tsr_build_else_at", None, c_char_p, c_uint, c_void_p)
argument = _declare("tsr_build_arg_at", c_void_p, c_char_p, c_uint, c_void_p, c_size_t)
number_int = _declare("tsr_build_int_at", c_void_p, c_char_p, c_uint, c_void_p, c_void_p, c_int64)
number_real = _declare("tsr_build_real_at", c_void_p, c_char_p, c_uint, c_void_p, c_void_p,
                       c_double)
operation = _declare("tsr_build_op", c_void_p, c_void_p, POINTER(OpSpec))
result = _declare("tsr_op_result", c_void_p, c_void_p, c_size_t)
set_name = _declare("tsr_value_set_name", None, c_void_p, c_void_p, c_char_p)
hint_int = _declare("tsr_build_hint_int", None, c_void_p, c_void_p, c_char_p, c_char_p, c_int64)
hint_bool = _declare("tsr_build_hint_bool", None, c_void_p, c_void_p, c_char_p, c_char_p, c_bool)
