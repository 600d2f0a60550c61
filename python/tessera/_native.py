# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""libtessera through ctypes: where it is, its structures and its functions.

The names and the meaning of everything here are those of include/tessera/*.h.
"""
from __future__ import annotations

import ctypes
import os
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_int32,
                    c_int64, c_size_t, c_uint, c_uint8, c_uint32, c_uint64, c_void_p)

OK, ERROR_INPUT, ERROR_USAGE, ERROR_IO, ERROR_MEMORY, ERROR_UNSUPPORTED, ERROR_TRAP = range(7)
SEVERITIES = ("error", "warning", "note", "remark")
ARG_SCALAR, ARG_BUFFER, ARG_ADDRESS, ARG_NULLABLE = range(4)
HINTS_ERROR, HINTS_IGNORE, EXTENSIONS = 8, 16, 32

# ---- structures ---------------------------------------------------------------------------------


class Diagnostic(Structure):
    _fields_ = [("severity", c_int), ("message", c_char_p), ("file", c_char_p),
                ("line", c_uint32), ("column", c_uint32), ("source_line", c_char_p),
                ("length", c_uint32)]


DiagnosticFn = CFUNCTYPE(None, c_void_p, POINTER(Diagnostic))
OutputFn = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)


class ContextOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("on_diagnostic", DiagnosticFn),
                ("diagnostic_user", c_void_p), ("allocator", c_void_p), ("error_limit", c_uint32)]


class Finding(Structure):
    _fields_ = [("check", c_int), ("message", c_char_p), ("detail", c_char_p),
                ("operation", c_char_p), ("file", c_char_p), ("line", c_uint32),
                ("column", c_uint32), ("block", c_int32 * 3), ("element", c_int64),
                ("count", c_uint64), ("address", c_uint64), ("buffer", c_char_p),
                ("offset", c_int64), ("other_operation", c_char_p), ("other_line", c_uint32),
                ("other_column", c_uint32), ("other_block", c_int32 * 3)]


FindingFn = CFUNCTYPE(None, c_void_p, POINTER(Finding))


class DeviceOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("threads", c_uint), ("cpu", c_char_p),
                ("order", c_int), ("seed", c_uint64), ("on_output", OutputFn),
                ("output_user", c_void_p), ("block_group", c_uint), ("sanitize", c_uint),
                ("sanitize_stop", c_bool), ("on_finding", FindingFn), ("finding_user", c_void_p),
                ("cache_dir", c_char_p)]


class Parameter(Structure):
    _fields_ = [("name", c_char_p), ("is_pointer", c_bool), ("elem", c_int)]


class Grid(Structure):
    _fields_ = [("x", c_uint32), ("y", c_uint32), ("z", c_uint32)]


class Arg(Structure):
    _fields_ = [("kind", c_uint8), ("elem", c_uint8), ("bits", c_uint64), ("buffer", c_void_p)]


class GpuOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("warps", c_uint), ("words", POINTER(c_uint64)),
                ("n_words", c_size_t), ("grid", Grid), ("lines", c_bool)]


MAX_RANK, MAX_MODES, MAX_P = 16, 64, 4


class Layout(Structure):
    _fields_ = [("rank", c_uint8), ("modes", c_uint8), ("spatial", c_uint8), ("local", c_uint8),
                ("dim_modes", c_uint8 * MAX_RANK), ("shape", c_int32 * MAX_RANK),
                ("mode_shape", c_int32 * MAX_MODES), ("spatial_modes", c_int32 * MAX_MODES),
                ("local_modes", c_int32 * MAX_MODES)]


class Rh(Structure):
    _fields_ = [("major", c_uint8), ("minor", c_uint8)]


class Encoding(Structure):
    _fields_ = [("x", c_uint8), ("r", c_uint8), ("p", c_uint8), ("y", c_uint8),
                ("h_count", c_uint8 * MAX_RANK), ("p_count", c_uint8 * MAX_P),
                ("rs", c_int32 * MAX_MODES), ("hs", c_int32 * MAX_MODES), ("ps", Rh * MAX_MODES),
                ("ys", Rh * MAX_MODES)]


class MemoryLayout(Structure):
    _fields_ = [("rank", c_uint8), ("modes", c_uint8), ("dim_modes", c_uint8 * MAX_RANK),
                ("swizzle_bits", c_uint8), ("swizzle_base", c_uint8), ("swizzle_shift", c_uint8),
                ("size", c_int32 * MAX_MODES), ("stride", c_int64 * MAX_MODES),
                ("offset", c_int64)]


class LayoutValue(Structure):
    _fields_ = [("kind", c_int), ("layout", Layout), ("encoding", Encoding),
                ("memory", MemoryLayout)]


class LayoutError(Structure):
    _fields_ = [("message", ctypes.c_char * 384), ("dim", c_int32), ("mode", c_int32)]


class LayoutPrintOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("format", c_int), ("warp_size", c_int32),
                ("color", c_bool)]


class CostOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("element_bits", c_int32), ("warp_size", c_int32),
                ("banks", c_int32), ("max_vector_bits", c_int32), ("groups", c_int),
                ("target", c_char_p)]


class LayoutCost(Structure):
    _fields_ = [("vector_elements", c_int32), ("accesses", c_int32), ("registers", c_int32),
                ("lanes", c_int32), ("requests", c_int64), ("sectors", c_int64),
                ("ideal_sectors", c_int64), ("ways", c_int32), ("wavefronts", c_int64),
                ("ideal_wavefronts", c_int64), ("worst_warp", c_int32),
                ("worst_access", c_int32), ("worst_bank", c_int32), ("worst_lanes", c_uint8 * 64)]


class SvgOptions(Structure):
    _fields_ = [("struct_size", c_size_t), ("color", c_int), ("arrows_of", c_int32),
                ("heat", POINTER(c_int32)), ("title", c_char_p)]


# ---- the library --------------------------------------------------------------------------------


def _candidates():
    asked = os.environ.get("TESSERA_LIBRARY")
    if asked:
        yield asked
        return
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, "lib", "libtessera.so")
    yield os.path.join(here, "lib", "libtessera.so.0")
    # The package that `tessera exec` has Python load lies in libexec/tessera/compat/python of an installation.
    yield os.path.join(here, *[os.pardir] * 5, "lib", "libtessera.so.0")
    # In a checkout, the library that `make build` made.
    yield os.path.join(here, "..", "..", "build", "lib", "libtessera.so")
    yield "libtessera.so.0"  # where the system's loader finds it


def open_first(candidates, what):
    """The first library of those paths that opens; else an ImportError that begins with `what`."""
    tried = []
    for path in candidates:
        if os.path.isabs(path) and not os.path.exists(path):
            tried.append("%s: no such file" % path)
            continue
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            tried.append(str(error))
    raise ImportError("%s Tried:\n  %s" % (what, "\n  ".join(tried)))


def _open():
    return open_first(_candidates(),
                      "libtessera was not found. Run `make build` in the checkout, or install the "
                      "package with pip, or set TESSERA_LIBRARY to the file.")


library = _open()


def _declare(name, result, *parameters):
    function = getattr(library, name)
    function.restype = result
    function.argtypes = parameters
    return function


# Pointers to objects of the library are c_void_p throughout; strings that belong to the caller as
# well, since c_char_p would lose the address.
version = _declare("tsr_version", c_char_p)
status_name = _declare("tsr_status_name", c_char_p, c_int)
diagnostic_format = _declare("tsr_diagnostic_format", c_size_t, POINTER(Diagnostic), c_bool,
                             c_char_p, c_size_t)
context_create = _declare("tsr_context_create", c_void_p, POINTER(ContextOptions))

elem_name = _declare("tsr_elem_name", c_char_p, c_int)
elem_bits = _declare("tsr_elem_bits", c_uint, c_int)

module_parse = _declare("tsr_module_parse", c_void_p, c_void_p, c_char_p, c_size_t, c_char_p,
                        c_uint)
module_load = _declare("tsr_module_load", c_void_p, c_void_p, c_char_p, c_uint)
module_destroy = _declare("tsr_module_destroy", None, c_void_p)
module_print = _declare("tsr_module_print", c_void_p, c_void_p, POINTER(c_size_t))
string_free = _declare("tsr_string_free", None, c_void_p, c_void_p)
is_bytecode = _declare("tsr_is_bytecode", c_bool, c_char_p, c_size_t)
module_read_bytecode = _declare("tsr_module_read_bytecode", c_void_p, c_void_p, c_char_p, c_size_t,
                                c_char_p, c_uint)
module_read_ttir = _declare("tsr_module_read_ttir", c_void_p, c_void_p, c_char_p, c_size_t, c_char_p,
                            c_uint)
module_write_bytecode = _declare("tsr_module_write_bytecode", c_void_p, c_void_p, c_uint,
                                 POINTER(c_size_t))
module_kernel_count = _declare("tsr_module_kernel_count", c_size_t, c_void_p)
module_kernel_name = _declare("tsr_module_kernel_name", c_char_p, c_void_p, c_size_t)
module_kernel_parameters = _declare("tsr_module_kernel_parameters", c_int, c_void_p, c_char_p,
                                    POINTER(Parameter), c_size_t)
module_optimize = _declare("tsr_module_optimize", c_int, c_void_p, c_char_p, c_void_p)
module_set_level = _declare("tsr_module_set_level", c_int, c_void_p, c_uint)
module_emit = _declare("tsr_module_emit", c_void_p, c_void_p, c_int, c_char_p, POINTER(c_size_t))
module_emit_gpu = _declare("tsr_module_emit_gpu", c_void_p, c_void_p, c_int, c_char_p,
                           POINTER(GpuOptions), POINTER(c_size_t))
gpu_target_name = _declare("tsr_gpu_target_name", c_char_p, c_size_t)

device_open = _declare("tsr_device_open", c_void_p, c_void_p, c_char_p, POINTER(DeviceOptions))
device_close = _declare("tsr_device_close", None, c_void_p)
device_count = _declare("tsr_device_count", c_size_t)
device_name = _declare("tsr_device_name", c_char_p, c_size_t)
device_describe = _declare("tsr_device_describe", c_size_t, c_char_p, c_char_p, c_size_t)
buffer_create = _declare("tsr_buffer_create", c_void_p, c_void_p, c_size_t)
buffer_wrap = _declare("tsr_buffer_wrap", c_void_p, c_void_p, c_void_p, c_size_t)
buffer_destroy = _declare("tsr_buffer_destroy", None, c_void_p)
program_create = _declare("tsr_program_create", c_void_p, c_void_p, c_void_p)
program_destroy = _declare("tsr_program_destroy", None, c_void_p)
kernel_get = _declare("tsr_kernel_get", c_void_p, c_void_p, c_char_p)
kernel_compile_ms = _declare("tsr_kernel_compile_ms", c_double, c_void_p)
kernel_is_cached = _declare("tsr_kernel_is_cached", c_bool, c_void_p)
kernel_scratch_bytes = _declare("tsr_kernel_scratch_bytes", c_size_t, c_void_p)
launch = _declare("tsr_launch", c_int, c_void_p, Grid, c_void_p, c_size_t)

layout_parse = _declare("tsr_layout_parse", c_int, c_void_p, c_char_p, c_char_p, c_size_t,
                        POINTER(LayoutValue))
layout_print = _declare("tsr_layout_print", c_size_t, POINTER(LayoutValue),
                        POINTER(LayoutPrintOptions), c_char_p, c_size_t)
layout_same_map = _declare("tsr_layout_same_map", c_bool, POINTER(Layout), POINTER(Layout))
layout_spatial_size = _declare("tsr_layout_spatial_size", c_int64, POINTER(Layout))
layout_local_size = _declare("tsr_layout_local_size", c_int64, POINTER(Layout))
layout_copies = _declare("tsr_layout_copies", c_int64, POINTER(Layout))
layout_get_spatial = _declare("tsr_layout_get_spatial", c_int64, POINTER(Layout),
                              POINTER(c_int32), POINTER(c_int32), c_int64)
layout_get_local = _declare("tsr_layout_get_local", c_int32, POINTER(Layout), POINTER(c_int32))
layout_get_global = _declare("tsr_layout_get_global", None, POINTER(Layout), c_int32, c_int32,
                             POINTER(c_int32))
layout_conversion = _declare("tsr_layout_conversion", c_int, POINTER(c_int), POINTER(Layout),
                             POINTER(Layout), c_int32, POINTER(LayoutError))
conversion_name = _declare("tsr_conversion_name", c_char_p, c_int)
layout_cost_of = _declare("tsr_layout_cost_of", c_int, POINTER(LayoutCost), POINTER(Layout),
                          POINTER(MemoryLayout), POINTER(CostOptions), POINTER(LayoutError))
layout_cost_explain = _declare("tsr_layout_cost_explain", c_size_t, POINTER(LayoutCost),
                               POINTER(CostOptions), c_char_p, c_size_t)
layout_conflict_map = _declare("tsr_layout_conflict_map", c_int, POINTER(c_int32), c_size_t,
                               POINTER(Layout), POINTER(MemoryLayout), POINTER(CostOptions),
                               POINTER(LayoutError))
memory_row_major = _declare("tsr_memory_row_major", c_int, POINTER(MemoryLayout), c_uint32,
                            POINTER(c_int32), POINTER(LayoutError))
memory_propose_swizzle = _declare("tsr_memory_propose_swizzle", c_int, POINTER(MemoryLayout),
                                  POINTER(MemoryLayout), POINTER(Layout), POINTER(Layout),
                                  POINTER(CostOptions), POINTER(LayoutError))
memory_offset = _declare("tsr_memory_offset", c_int64, POINTER(MemoryLayout), POINTER(c_int32))
memory_dim = _declare("tsr_memory_dim", c_int32, POINTER(MemoryLayout), c_uint32)
memory_extent = _declare("tsr_memory_extent", c_int64, POINTER(MemoryLayout))
layout_svg = _declare("tsr_layout_svg", c_size_t, POINTER(LayoutValue), POINTER(SvgOptions),
                      c_char_p, c_size_t)
layout_png = _declare("tsr_layout_png", c_size_t, POINTER(LayoutValue), POINTER(SvgOptions),
                      c_char_p, c_size_t)


def text_of(function, *arguments):
    """What a function with the last parameters (char *out, size_t size) writes, snprintf's way."""
    size = 256
    while True:
        out = ctypes.create_string_buffer(size)
        needed = function(*arguments, out, size)
        if needed < size:
            return out.raw[:needed].decode("utf-8", "replace")
        size = needed + 1


def elements():
    """The names of the element types, by number."""
    names = []
    while True:
        name = elem_name(len(names))
        if name is None:
            return names
        names.append(name.decode())
