# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments as cuTile's kernels take them: what they are compiled for, and the words they become.

The calling convention (docs/clients.md): parameters in the order of the Python function, constants
left out. An array is its address, its extents and its strides in elements; a list of arrays is the
address of a table of 64-bit words that has the same for each, and its length; tuples are what they
hold. Whole numbers are i32, or i64 where the parameter says ScalarInt64; floats are f32.

A *spec* says what a kernel is compiled for. It is made of tuples, so that it can be looked up.
"""
from __future__ import annotations

import ctypes
import sys
from typing import Any, List, NamedTuple, Optional, Tuple

from ._arrays import Unchecked, View, view_of

#: Assumptions are made of no more dimensions than cuTile's own launcher makes them of.
_MAX_ASSUMED = 5
_DIVISOR = 16  # bytes of addresses and strides, elements of extents

#: The element types of cuTile's arrays.
_DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
           "float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2",
           "float8_e8m0fnu")


class ArraySpec(NamedTuple):
    """What is assumed of an array; of the arrays of a list, what holds for all."""
    dtype: str
    ndim: int
    wide: bool     #: extents and strides are i64
    aligned: bool  #: to 16 bytes
    disjoint: bool  #: no two elements share memory
    packed_strides: Tuple[bool, ...]  #: multiples of 16 bytes
    even_shape: Tuple[bool, ...]      #: multiples of 16
    shape: Tuple[Optional[int], ...]  #: constants
    strides: Tuple[Optional[int], ...]
    itemsize: int

    def both(self, other: "ArraySpec", place: str) -> "ArraySpec":
        if (self.dtype, self.ndim) != (other.dtype, other.ndim):
            raise TypeError("%s: the arrays of a list have one element type and rank; expected %s "
                            "of rank %d, found %s of rank %d" % (
                                place, self.dtype, self.ndim, other.dtype, other.ndim))

        def each(a, b):
            return tuple(x and y for x, y in zip(a, b))

        def same(a, b):
            return tuple(x if x == y else None for x, y in zip(a, b))

        return self._replace(
            aligned=self.aligned and other.aligned, disjoint=self.disjoint and other.disjoint,
            packed_strides=each(self.packed_strides, other.packed_strides),
            even_shape=each(self.even_shape, other.even_shape),
            shape=same(self.shape, other.shape), strides=same(self.strides, other.strides))


class Word(NamedTuple):
    """A parameter of the compiled kernel: an address, or a number."""
    is_pointer: bool
    value: Any
    nbytes: Optional[int]  #: that may be reached from the address; None: nobody knows
    place: str


class Bound:
    """Arguments in their order, as words."""

    def __init__(self, singletons: bool):
        self.singletons = singletons  #: is an extent of 1 a constant?
        self.words: List[Word] = []
        self.keep: List[Any] = []  #: what the addresses belong to
        self.has_table = False

    def number(self, value, place):
        self.words.append(Word(False, value, None, place))

    def array(self, view: View, place):
        self.words.append(Word(True, view.address, view.span, place))
        self.keep.append(view)
        for extent in view.shape:
            self.number(extent, place)
        for stride in view.strides:
            self.number(stride // view.itemsize, place)

    def table(self, views, place):
        words = []
        for view in views:
            words += [view.address, *view.shape, *(s // view.itemsize for s in view.strides)]
            self.keep.append(view)
        table = (ctypes.c_int64 * len(words))(*words)
        self.keep.append(table)
        self.has_table = True
        # What the items of the table point to is not known to belong to the launch, so its memory
        # is left unbounded: see docs/clients.md.
        self.words.append(Word(True, ctypes.addressof(table), None, place))
        self.number(len(views), place)


# ---- arrays -------------------------------------------------------------------------------------


def _view(value, place) -> View:
    checked = not isinstance(value, Unchecked)
    try:
        view = view_of(value if checked else value.array)
    except (TypeError, ValueError, BufferError) as error:
        raise type(error)("%s: %s" % (place, error)) from None
    if view.dtype not in _DTYPES:
        raise TypeError("%s: cuTile has no arrays of %s; expected %s" % (
            place, view.dtype, ", ".join(_DTYPES)))
    if checked and not view.writable:
        raise ValueError("%s: the array is read-only; pass a copy, or tessera.unchecked(x) if the "
                         "kernel only reads it" % place)
    if any(s < 0 and n > 1 for n, s in zip(view.shape, view.strides)):
        raise ValueError("%s: an array with negative strides can't be passed, because cuTile "
                         "compiles for strides from 0 on; pass numpy.ascontiguousarray(x)" % place)
    if any(s % view.itemsize for s in view.strides):
        raise ValueError("%s: the strides are no multiples of an element's %d bytes; pass "
                         "numpy.ascontiguousarray(x)" % (place, view.itemsize))
    if view.address % view.itemsize:
        raise ValueError("%s: the array is not aligned to the %d bytes of an element; pass a copy"
                         % (place, view.itemsize))
    # A dimension of one element may have any stride.
    return view._replace(strides=tuple(max(s, 0) for s in view.strides))


def _disjoint(shape, strides):
    """Sorted by strides, each reaches over what is below it."""
    pairs = sorted(zip(strides, shape))
    return (not pairs or pairs[0][0] > 0) and all(
        b[0] > 0 and b[0] >= a[0] * a[1] for a, b in zip(pairs, pairs[1:]))


def _constants(given, values, place, what):
    out = [None] * len(values)
    for d in given:
        if not -len(values) <= d < len(values):
            raise ValueError("%s: %s names dimension %d, but the array has rank %d" % (
                place, what, d, len(values)))
        out[d] = values[d]
    return tuple(out)


def _array_spec(annotation, view, place, singletons) -> ArraySpec:
    strides = tuple(s // view.itemsize for s in view.strides)
    wide, fixed_shape, fixed_strides = False, (), ()
    if annotation is not None:
        wide = str(annotation.index_dtype) == "int64"
        fixed_shape, fixed_strides = annotation.static_shape_dims, annotation.static_stride_dims
    some = len(view.shape) <= _MAX_ASSUMED
    shape_constants = _constants(fixed_shape, view.shape, place, "static_shape_dims")
    if not fixed_shape:
        shape_constants = tuple(1 if some and singletons and n == 1 else None
                                for n in view.shape)
    stride_constants = _constants(fixed_strides, strides, place, "static_stride_dims")
    if not fixed_strides:
        stride_constants = tuple(1 if some and s == 1 else None for s in strides)
    return ArraySpec(
        view.dtype, len(view.shape), wide, view.address % _DIVISOR == 0,
        _disjoint(view.shape, strides),
        tuple(some and s % _DIVISOR == 0 for s in view.strides),
        tuple(some and n % _DIVISOR == 0 for n in view.shape),
        shape_constants, stride_constants, view.itemsize)


def _bind_array(annotation, value, place, out):
    view = _view(value, place)
    out.array(view, place)
    return ("array", _array_spec(annotation, view, place, out.singletons))


def _bind_list(annotation, values, place, out):
    if not values:
        raise ValueError("%s: an empty list can't be passed: its element type is not known" % place)
    element = annotation.element if annotation is not None else None
    spec, views = None, []
    for i, value in enumerate(values):
        item_place = "item %d of %s" % (i, place)
        view = _view(value, item_place)
        item = _array_spec(element, view, item_place, out.singletons)
        if spec is not None:
            for what, a, b in (("shape", spec.shape, item.shape),
                               ("stride", spec.strides, item.strides)):
                fixed = getattr(element, "static_%s_dims" % what, ())
                if fixed and a != b:
                    raise ValueError("%s: its %s differs where static_%s_dims says that all arrays "
                                     "of the list have the same" % (item_place, what, what))
        spec = item if spec is None else spec.both(item, item_place)
        views.append(view)
    out.table(views, place)
    return ("list", spec)


# ---- arguments ----------------------------------------------------------------------------------


def _bind_constant(value, place):
    if isinstance(value, bool):
        return ("constant", "bool", value)
    if isinstance(value, int):
        return ("constant", "int", value)
    if isinstance(value, float):
        return ("constant", "float", float(value).hex())  # NaN is equal to itself, -0 not to 0
    raise TypeError("%s is a Constant: expected a bool, an int or a float, found %s" % (
        place, type(value).__name__))


def _as_number(value):
    """Python's number for one of NumPy's; other values as they are."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic) and not isinstance(value, float):
        if isinstance(value, (numpy.bool_, numpy.integer, numpy.floating)):
            return value.item()
    return value


def _bind_leaf(node, value, place, out):
    value = _as_number(value)
    if node.constant:
        return _bind_constant(value, place)
    if isinstance(value, bool):
        out.number(value, place)
        return ("scalar", "bool_")
    if isinstance(value, int):
        out.number(value, place)
        wide = node.scalar is not None and str(node.scalar.dtype) == "int64"
        return ("scalar", "int64" if wide else "int32")
    if isinstance(value, float):
        out.number(value, place)
        return ("scalar", "float32")
    if isinstance(value, list):
        return _bind_list(node.list, value, place, out)
    return _bind_array(node.array, value, place, out)


def _bind(node, value, place, out):
    if type(value) is tuple:
        nodes = [node] * len(value)
        if node.KIND == "homogeneous_tuple":
            nodes = [node.each] * len(value)
        elif node.KIND == "heterogeneous_tuple":
            nodes = node.items
            if len(nodes) != len(value):
                raise TypeError("%s: expected a tuple of %d, found one of %d" % (
                    place, len(nodes), len(value)))
        return ("tuple", tuple(_bind(n, v, "item %d of %s" % (i, place), out)
                               for i, (n, v) in enumerate(zip(nodes, value))))
    if node.KIND != "leaf":
        raise TypeError("%s: expected a tuple, found %s" % (place, type(value).__name__))
    return _bind_leaf(node, value, place, out)


class Plain(NamedTuple):
    """A parameter of which nothing is said: what a kernel that was compiled elsewhere has."""
    KIND = "leaf"
    constant: bool = False
    scalar: Any = None
    array: Any = None
    list: Any = None


def bind(nodes, names, args, singletons: bool = True) -> Tuple[Tuple, Bound]:
    """The spec of arguments, and their words. `nodes` are cuTile's annotations of parameters.
    `singletons` says whether an extent of 1 is made a constant, as cuTile's own launcher does."""
    if len(args) != len(nodes):
        raise TypeError("the kernel takes %d arguments (%s), not %d" % (
            len(nodes), ", ".join(names), len(args)))
    out = Bound(singletons)
    spec = tuple(_bind(node, value, "argument %d (%s)" % (i, name), out)
                 for i, (node, name, value) in enumerate(zip(nodes, names, args)))
    return spec, out
