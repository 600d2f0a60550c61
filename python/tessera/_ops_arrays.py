# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays as operators see them: element types, shapes and strides that count elements."""
from __future__ import annotations

import sys
from typing import Any, NamedTuple, Optional, Sequence, Tuple

from . import _elements as elements
from ._arrays import view_of
from .errors import UsageError

#: What an array of a type holds when nobody says otherwise.
NATURAL = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16",
           "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
           "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
           "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e8m0fnu": "f8E8M0FNU",
           "float8_e4m3fnuz": "f8E4M3FNUZ", "float8_e5m2fnuz": "f8E5M2FNUZ"}
#: Types of new arrays.
DTYPES = {elem: name for name, elem in NATURAL.items()}


class Tensor(NamedTuple):
    """An array's place in memory, or that of an array that is not there yet (address 0)."""
    name: str
    elem: str     #: as operators spell it: "u8"
    dtype: str
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]  #: elements
    address: int
    writable: bool
    on_gpu: bool
    owner: Any
    view: Any = None  #: what keeps the memory there


def _signed(elem: str) -> str:
    return "i" + elem[1:] if elem[:1] == "u" and elem[1:].isdigit() else elem


def bits_of(elem: str) -> int:
    """Bits of an element; 8 where the library will refuse the name."""
    number = elements.NUMBER.get(_signed(elem))
    return 8 if number is None else elements.BITS[number]


def accepted(elem: str) -> Tuple[str, ...]:
    """Types of arrays that hold such elements."""
    return elements.ARRAYS.get(_signed(elem), ())


def of_array(name: str, array: Any, elem: Optional[str], gpu: Optional[str]) -> Tensor:
    """An array that holds `elem`; None: what its type says."""
    try:
        view = view_of(array, gpu)
    except (TypeError, ValueError, BufferError) as error:
        raise type(error)("argument '%s': %s" % (name, error)) from None
    return _described(name, elem, view.dtype, view.shape, view.strides, view.itemsize,
                      view.address, view.writable, view.on_gpu, array)._replace(view=view)


def of_likeness(name: str, tensor: Any, elem: Optional[str]) -> Tensor:
    """A PyTorch tensor that has a shape and no memory."""
    size = tensor.element_size()
    return _described(name, elem, str(tensor.dtype).rpartition(".")[2], tuple(tensor.shape),
                      tuple(size * s for s in tensor.stride()), size, 0, True, False, tensor)


def _described(name, elem, dtype, shape, strides, size, address, writable, on_gpu, owner):
    elem = elem or NATURAL.get(dtype)
    if elem is None:
        raise TypeError("argument '%s': arrays of %s are not taken; expected one of %s" % (
            name, dtype, ", ".join(NATURAL)))
    types = accepted(elem)
    if types and dtype not in types:
        raise TypeError("argument '%s': expected an array of %s to hold %s, found one of %s" % (
            name, " or ".join(types), elem, dtype))
    if bits_of(elem) < 8:
        shape, strides = _unpacked(name, shape, strides, bits_of(elem))
    else:
        strides = _in_elements(name, shape, strides, size)
    return Tensor(name, elem, dtype, shape, strides, address, writable, on_gpu, owner)


def _in_elements(name, shape, strides, size):
    out = []
    for n, s in zip(shape, strides):
        if n <= 1:  # never stepped over: any number will do
            out.append(1)
        elif s < 0 or s % size:
            raise ValueError("argument '%s': a stride of %d bytes between elements of %d; expected "
                             "a multiple that is not negative: pass a copy" % (name, s, size))
        else:
            out.append(s // size)
    return tuple(out)


def _unpacked(name, shape, strides, bits):
    """Bytes that hold several elements: the dimension whose bytes follow each other has more."""
    packed = [d for d, (n, s) in enumerate(zip(shape, strides)) if s == 1 and n != 1]
    if not packed:
        packed = [d for d, n in enumerate(shape) if n == 1][-1:]
    if not packed:
        raise ValueError("argument '%s': elements of %d bits lie together in bytes that follow each "
                         "other; expected a stride of 1, found %s" % (name, bits, strides))
    sizes, steps = list(shape), []
    for d, (n, s) in enumerate(zip(shape, strides)):
        if d == packed[-1]:
            sizes[d], s = n * 8 // bits, bits
        if s < 0 or (s * 8 % bits and n > 1):
            raise ValueError("argument '%s': a stride of %d bytes is no whole number of elements of "
                             "%d bits" % (name, s, bits))
        steps.append(1 if d == packed[-1] else s * 8 // bits)
    return tuple(sizes), tuple(steps)


def squeezed(shape: Sequence[int], strides: Sequence[int]) -> Tuple[Tuple[int, ...], ...]:
    """Sizes that are not 1, and their strides."""
    pairs = [(n, s) for n, s in zip(shape, strides) if n != 1]
    return tuple(n for n, _ in pairs), tuple(s for _, s in pairs)


def packed(shape: Sequence[int]) -> Tuple[int, ...]:
    """Strides of a row-major array without gaps."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n
    return tuple(reversed(strides))


def broadcast(tensor: Tensor, shape: Sequence[int]) -> Tensor:
    """The tensor with leading dimensions added, and those of size 1 repeated."""
    missing = len(shape) - len(tensor.shape)
    sizes = (1,) * missing + tuple(tensor.shape)
    strides = (0,) * missing + tuple(tensor.strides)
    if missing < 0 or any(a not in (1, b) for a, b in zip(sizes, shape)):
        raise UsageError("argument '%s': the shape %s can't be repeated to %s" % (
            tensor.name, tuple(tensor.shape), tuple(shape)))
    return tensor._replace(shape=tuple(shape), strides=tuple(
        s if a == b and a != 1 else 0 if b != 1 else 1
        for a, b, s in zip(sizes, shape, strides)))


def common_shape(tensors: Sequence[Tensor], ends: int = 0) -> Tuple[int, ...]:
    """The shape that tensors are repeated to, without the last `ends` dimensions of each."""
    shapes = [t.shape[:len(t.shape) - ends] for t in tensors]
    rank = max(map(len, shapes), default=0)
    out = []
    for d in range(-rank, 0):
        size, giver = 1, None
        for t, shape in zip(tensors, shapes):
            n = shape[d] if -d <= len(shape) else 1
            if n != 1 and size == 1:
                size, giver = n, t
            elif n not in (1, size):
                raise UsageError("argument '%s': size %d along a dimension where '%s' has %d" % (
                    t.name, n, giver.name, size))
        out.append(size)
    return tuple(out)


def empty(shape: Sequence[int], elem: str, like: Sequence[Tensor]) -> Any:
    """A new array of the kind that the arguments are: PyTorch's, else NumPy's. What NumPy has no
    type for is ml_dtypes' where an argument is, else an unsigned integer with the bits."""
    torch = sys.modules.get("torch")
    for t in like:
        if torch is not None and isinstance(t.owner, torch.Tensor):
            name = DTYPES.get(elem)
            if name is None or not hasattr(torch, name):
                raise UsageError("PyTorch has no type for results of %s" % elem)
            return torch.empty(shape, dtype=getattr(torch, name), device=t.owner.device)
    try:
        import numpy
    except ImportError:
        raise UsageError("a new array for the result needs NumPy; give out=") from None
    return numpy.empty(shape, _numpy_type(numpy, elem, like))


def _numpy_type(numpy, elem, like):
    name = DTYPES.get("f32" if elem == "tf32" else elem)
    if name is None:
        return numpy.dtype("uint8")  # bits of what nobody has a name for
    is_native = name.startswith(("int", "uint")) or name in ("float16", "float32", "float64")
    has_names = any(t.dtype not in numpy.sctypeDict for t in like)
    if is_native or ("ml_dtypes" in sys.modules and has_names):
        return numpy.dtype(name)
    return numpy.dtype("uint%d" % bits_of(elem))
