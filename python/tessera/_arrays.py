# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of others, without copies: NumPy, PyTorch, DLPack, the buffer protocol."""
from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, Structure, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint64, c_void_p
from typing import Any, NamedTuple, Optional, Tuple


class View(NamedTuple):
    """Memory that belongs to `owner`."""
    address: int  #: of element [0, ..., 0]
    nbytes: int   #: of its elements, without gaps
    dtype: str    #: NumPy's or ml_dtypes' name
    contiguous: bool
    writable: bool
    owner: Any
    itemsize: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]  #: in bytes
    on_gpu: bool = False  #: its memory is a GPU's

    @property
    def span(self) -> int:
        """Bytes from the address to behind the last element, when no stride is negative."""
        if 0 in self.shape:
            return 0
        return sum((n - 1) * s for n, s in zip(self.shape, self.strides)) + self.itemsize


def _row_major(shape, itemsize):
    strides, step = [], itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


class Unchecked:
    """An array that is handed to a kernel although it is strided or read-only.

    The kernel gets the address of element [0, ..., 0] and must know the strides; and it must not
    write to what can't be written."""

    def __init__(self, array: Any):
        self.array = array


# ---- DLPack -------------------------------------------------------------------------------------


class _Tensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int), ("device_id", c_int32),
                ("ndim", c_int32), ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16),
                ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


_DLPACK_CODES = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool", 10: "float8_e4m3fn",
                 12: "float8_e5m2", 14: "float8_e8m0fnu"}
_DLPACK_DEVICES = {1: "cpu", 2: "cuda", 3: "cuda_host", 4: "opencl", 7: "vulkan", 8: "metal",
                   10: "rocm", 13: "cuda_managed"}
_ON_HOST = (1, 3, 13)
_ON_GPU = {"cuda": (2,), "hip": (10,)}

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = c_void_p, [ctypes.py_object, ctypes.c_char_p]


def _of_dlpack(array, gpu):
    device = array.__dlpack_device__()[0]
    on_gpu = int(device) in _ON_GPU.get(gpu, ())
    if int(device) not in _ON_HOST and not on_gpu:
        raise ValueError("the array lies on a %s device; kernels of the CPU take arrays in host "
                         "memory, such as array.cpu()"
                         % _DLPACK_DEVICES.get(int(device), "type-%d" % int(device)))
    capsule = array.__dlpack__()
    tensor = ctypes.cast(_capsule_pointer(capsule, b"dltensor"), POINTER(_Tensor)).contents
    name = _DLPACK_CODES.get(tensor.code, "type %d" % tensor.code)
    if tensor.lanes != 1:
        raise TypeError("arrays of vectors are not taken")
    if name in ("int", "uint", "float", "bfloat"):
        name += str(tensor.bits)
    shape, size = tuple(tensor.shape[:tensor.ndim]), tensor.bits // 8
    count = 1
    for n in shape:
        count *= n
    packed = strides = _row_major(shape, size)
    if tensor.strides:
        strides = tuple(size * n for n in tensor.strides[:tensor.ndim])
    contiguous = not count or all(n <= 1 or a == b for n, a, b in zip(shape, strides, packed))
    return View((tensor.data or 0) + tensor.byte_offset, count * tensor.bits // 8, name,
                contiguous, True, (array, capsule), size, shape, strides, on_gpu)


# ---- the others ---------------------------------------------------------------------------------


_dtype_names = {}  # NumPy takes 4 us to make a dtype's name
#: address_of(bytes_at(array)) takes what is writable and row-major, and raises for others.
bytes_at, address_of = ctypes.c_char.from_buffer, ctypes.addressof


def _of_numpy(array):
    dtype, flags = array.dtype, array.flags
    name = _dtype_names.get(dtype)
    if name is None:
        name = _dtype_names[dtype] = dtype.name if dtype.isnative else "foreign-endian " + dtype.name
    nbytes = array.nbytes
    if flags.carray and nbytes:
        try:
            # Six times as fast as __array_interface__.
            return View(ctypes.addressof(bytes_at(array)), nbytes, name, True, True, array,
                        dtype.itemsize, array.shape, array.strides)
        except (TypeError, ValueError, BufferError):
            pass  # a type that the buffer protocol can't describe, such as bfloat16
    return View(array.__array_interface__["data"][0], nbytes, name, flags.c_contiguous,
                flags.writeable, array, dtype.itemsize, array.shape, array.strides)


class UsualArrays:
    """The short way for NumPy arrays like those that have passed all checks before."""

    def __init__(self):
        self._kind, self._dtypes = (), set()

    def learn(self, array):
        numpy = sys.modules.get("numpy")
        if numpy is not None and type(array) is numpy.ndarray:
            self._kind = numpy.ndarray
            self._dtypes.add(array.dtype)

    def address(self, array):
        """The address of such an array; None for all others."""
        if type(array) is self._kind and array.dtype in self._dtypes:
            try:
                return address_of(bytes_at(array))
            except (TypeError, ValueError, BufferError):
                pass
        return None


def likeness_of_torch(array: Any) -> Tuple[Any, int]:
    """What two tensors have in common that differ in their address only, to be compared, and the
    address. None for other objects."""
    kind = type(array)
    if kind.__name__ == "Tensor" and kind.__module__ == "torch":
        try:
            return (array.dtype, array.device, array.shape, array.stride()), array.data_ptr()
        except RuntimeError:  # a sparse tensor, or one without memory
            pass
    return None, 0


def _of_torch(tensor, gpu):
    on_gpu = bool(gpu) and tensor.device.type == "cuda"  # PyTorch's name for AMD's, too
    if tensor.device.type != "cpu" and not on_gpu:
        raise ValueError("the tensor lies on device %s; kernels of the CPU take tensors in host "
                         "memory, such as tensor.cpu()" % tensor.device)
    if tensor.is_sparse:
        raise TypeError("a sparse tensor is not taken; tensor.to_dense() is")
    size = tensor.element_size()
    return View(tensor.data_ptr(), tensor.numel() * size, str(tensor.dtype).rpartition(".")[2],
                tensor.is_contiguous(), True, tensor, size, tuple(tensor.shape),
                tuple(size * n for n in tensor.stride()), on_gpu)


_FORMATS = {"?": "bool", "b": "int8", "B": "uint8", "c": "uint8", "e": "float16", "f": "float32",
            "d": "float64"}


def _of_buffer(array):
    view = memoryview(array)
    code = view.format.lstrip("@=<")
    name = _FORMATS.get(code)
    if name is None and code in "hHiIlLqQnN":
        name = ("uint" if code.isupper() else "int") + str(8 * view.itemsize)
    return View(_buffer_address(view), view.nbytes, name or "format '%s'" % view.format,
                view.c_contiguous, not view.readonly, (array, view), view.itemsize,
                tuple(view.shape), tuple(view.strides))


class _PyBuffer(Structure):
    _fields_ = [("buf", c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", c_int), ("ndim", c_int),
                ("format", ctypes.c_char_p), ("shape", c_void_p), ("strides", c_void_p),
                ("suboffsets", c_void_p), ("internal", c_void_p)]


def _buffer_address(view):
    raw = _PyBuffer()
    full_read_only = 0x011c  # PyBUF_FULL_RO
    if ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(raw),
                                           full_read_only):
        raise BufferError("the memory of %r can't be reached" % type(view.obj).__name__)
    address = raw.buf or 0
    ctypes.pythonapi.PyBuffer_Release(ctypes.byref(raw))
    return address


def view_of(array: Any, gpu: Optional[str] = None) -> View:
    """The memory of an array; TypeError when it is none. With `gpu`, "cuda" or "hip", it may be such
    a device's."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(array, numpy.ndarray):
        return _of_numpy(array)
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return _of_torch(array, gpu)
    if hasattr(array, "__dlpack__"):
        return _of_dlpack(array, gpu)
    try:
        return _of_buffer(array)
    except TypeError:
        raise TypeError("expected an array (NumPy, PyTorch, DLPack or the buffer protocol), found "
                        "%s" % type(array).__name__) from None
