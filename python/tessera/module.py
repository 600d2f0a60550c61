# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of kernels, and launching them."""
from __future__ import annotations

import ctypes
import os
from contextlib import contextmanager
from html import escape
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _elements as elements
from . import _native as native
from ._arrays import Unchecked, UsualArrays, view_of
from ._context import BUFFER, MODULE, PROGRAM, context
from .device import Device, default_device
from .errors import UsageError

_MAX_EXTENT = 2**31 - 1
_EMITS = ("llvm", "asm", "object", "nests", "tile")
_GPU_EMITS = ("ptx", "llvm", "cubin", "layouts", "resources", "launch", "asm", "hsaco", "block",
              "block-tma", "block-cluster")
_ARG_WORDS = ctypes.sizeof(native.Arg) // 8  # an argument in 64-bit words, and which has its bits
_ARG_BITS = native.Arg.bits.offset // 8

#: How many tile blocks to launch along x, y and z.
GridLike = Union[int, Tuple[int, ...]]


class Parameter(NamedTuple):
    """What a kernel takes at a place: a number, or the address of elements."""
    name: Optional[str]
    is_pointer: bool
    elem: str  #: as Tile IR spells it: "f32"

    def __str__(self) -> str:
        kind = "ptr<%s>" % self.elem if self.is_pointer else self.elem
        return "%s: %s" % (self.name, kind) if self.name else kind


def _html_row(name: str, parameters: Sequence[Parameter]) -> str:
    return "<tr><td><code>%s</code></td><td><code>%s</code></td></tr>" % (
        escape(name), escape(", ".join(map(str, parameters))))


def _flags(extensions: bool) -> int:
    return native.EXTENSIONS if extensions else 0


class Module:
    """A module of Tile IR, read from text or bytecode and checked.

    >>> import tessera
    >>> m = tessera.Module('''
    ... cuda_tile.module @m {
    ...   entry @hello() {
    ...     print_tko "hello\\\\n" -> token
    ...   }
    ... }''')
    >>> m
    <tessera.Module: hello()>
    >>> m["hello"][1]()
    hello

    `source` is text, or the bytes of bytecode; `name` is what messages call it. A program that is
    wrong raises InputError, with every error and its place. With `extensions`, text may have the
    element types that Tile IR doesn't have, such as i3 and f6E2M3FN.
    """

    def __init__(self, source: Union[str, bytes, bytearray, memoryview], name: str = "<string>",
                 *, extensions: bool = False):
        if isinstance(source, str):
            data = source.encode()
        elif isinstance(source, (bytes, bytearray, memoryview)):
            data = bytes(source)
        else:
            raise TypeError("source is text or the bytes of bytecode, not %s; "
                            "tessera.load(path) reads a file" % type(source).__name__)
        read = native.module_parse
        if native.is_bytecode(data, len(data)):
            read = native.module_read_bytecode
        self._take(context.make(native.ERROR_INPUT, "reading the module", read, context.handle,
                                data, len(data), name.encode(), _flags(extensions)), name)

    @classmethod
    def foreign(cls, data: bytes, name: str) -> "Module":
        """Bytecode of a front end, whose hints may be newer than this package."""
        module = cls.__new__(cls)
        module._take(context.make(native.ERROR_INPUT, "reading %s" % name,
                                  native.module_read_bytecode, context.handle, data, len(data),
                                  name.encode(), native.HINTS_IGNORE), name)
        return module

    @classmethod
    def of_ttir(cls, text: str, name: str = "<ttir>") -> "Module":
        """What Triton's front end makes of a kernel, `str(module)` of its representation TTIR. A
        program that Tile IR can't say raises InputError, with the place in the Python file."""
        data = text.encode()
        module = cls.__new__(cls)
        module._take(context.make(native.ERROR_INPUT, "reading %s" % name, native.module_read_ttir,
                                  context.handle, data, len(data), name.encode(),
                                  native.EXTENSIONS), name)
        return module

    @classmethod
    def load(cls, path: Union[str, os.PathLike], *, extensions: bool = False) -> "Module":
        """Reads a file of text, bytecode or Triton's representation; "tessera:NAME" is a program
        that comes with Tessera, as "tessera:softmax". For `extensions` see Module."""
        name = os.fspath(path)
        if not os.fsdecode(name).startswith("tessera:"):
            with open(name, "rb"):
                pass  # Python's own error, if it cannot be read
        module = cls.__new__(cls)
        module._take(context.make(native.ERROR_INPUT, "reading %s" % name, native.module_load,
                                  context.handle, os.fsencode(name), _flags(extensions)), name)
        return module

    def _take(self, handle, name):
        self.handle, self.name = handle, name
        self._programs: Dict[int, "_Program"] = {}
        context.own(self, MODULE, native.module_destroy, handle)

    def __reduce__(self):
        return _module_of_text, (str(self), self.name)

    # ---- looking ----

    @property
    def kernels(self) -> Dict[str, Tuple[Parameter, ...]]:
        """The kernels by name, with what they take."""
        with context.alone():
            names = [native.module_kernel_name(self.handle, i)
                     for i in range(native.module_kernel_count(self.handle))]
            return {name.decode(): self._parameters(name) for name in names}

    def _parameters(self, name):
        count = native.module_kernel_parameters(self.handle, name, None, 0)
        raw = (native.Parameter * max(count, 1))()
        native.module_kernel_parameters(self.handle, name, raw, count)
        return tuple(Parameter(p.name.decode() if p.name else None, p.is_pointer,
                               elements.NAMES[p.elem]) for p in raw[:count])

    def __repr__(self) -> str:
        return "<tessera.Module: %s>" % ", ".join(
            "%s(%s)" % (name, ", ".join(map(str, parameters)))
            for name, parameters in self.kernels.items())

    def _repr_html_(self) -> str:
        """For notebooks: its kernels with what they take, and its text below them."""
        rows = "".join(_html_row(name, parameters) for name, parameters in self.kernels.items())
        return "<table>%s%s</table><details><summary>%s</summary><pre>%s</pre></details>" % (
            "<tr><th>kernel</th><th>takes</th></tr>", rows, escape(self.name), escape(str(self)))

    def __str__(self) -> str:
        """The module as text."""
        length = ctypes.c_size_t()
        pointer = context.make(native.ERROR_MEMORY, "printing the module", native.module_print,
                               self.handle, ctypes.byref(length))
        return context.take_string(pointer, length.value).decode("utf-8", "replace")

    def bytecode(self, version: str = "newest") -> bytes:
        """The module as bytecode of a version, such as "13.1"."""
        number = 0
        if version != "newest":
            major, dot, minor = version.partition(".")
            if not (dot and major.isdigit() and minor.isdigit()):
                raise ValueError("version is like '13.1', or 'newest', not %r" % (version,))
            number = int(major) << 8 | int(minor)
        length = ctypes.c_size_t()
        pointer = context.make(native.ERROR_INPUT, "writing bytecode", native.module_write_bytecode,
                               self.handle, number, ctypes.byref(length))
        return context.take_string(pointer, length.value)

    def emit(self, kind: str = "asm", cpu: Optional[str] = None, *, target: Optional[str] = None,
             lines: bool = False) -> bytes:
        """What the kernels are compiled to. For the CPU: "llvm", "asm", "object", "nests"; "tile" is
        the Tile IR that is compiled, without the threads of block-level kernels. For a GPU, the
        `target` such as "sm_90a" or "gfx942": "ptx", "cubin", "asm", "hsaco", "llvm", "layouts",
        "resources", "launch", "block", "block-tma", "block-cluster" (as `tessera build --emit`); with `lines`, PTX and cubins say
        which line each instruction comes from."""
        kinds = _EMITS if target is None else _GPU_EMITS
        if kind not in kinds:
            known = ", ".join(map(repr, kinds))
            if target is None and kind in _GPU_EMITS:
                raise ValueError("%r is for GPUs: name one, as in emit(%r, target='sm_90a')" % (
                    kind, kind))
            raise ValueError("kind is one of %s, not %r" % (known, kind))
        length = ctypes.c_size_t()
        if target is None:
            pointer = context.make(native.ERROR_UNSUPPORTED, "compiling", native.module_emit,
                                   self.handle, kinds.index(kind), cpu.encode() if cpu else None,
                                   ctypes.byref(length))
        else:
            options = native.GpuOptions(struct_size=ctypes.sizeof(native.GpuOptions), lines=lines)
            pointer = context.make(native.ERROR_UNSUPPORTED, "compiling", native.module_emit_gpu,
                                   self.handle, kinds.index(kind), target.encode(),
                                   ctypes.byref(options), ctypes.byref(length))
        return context.take_string(pointer, length.value)

    # ---- changing ----

    def optimize(self, passes: str = "O2") -> "Module":
        """Runs passes over the module ("O1", "canonicalize,cse,...") and returns it. No kernel of
        it may have been taken before."""
        if self._programs:
            raise UsageError("optimise a module before taking kernels from it")
        context.check("optimising", native.module_optimize, self.handle, passes.encode(), None)
        return self

    # ---- kernels ----

    def kernel(self, name: Optional[str] = None, device: Optional[Device] = None) -> "Kernel":
        """A kernel, compiled for a device (default_device()). Without a name, the only one."""
        device = device or default_device()
        if name is None:
            names = list(self.kernels)
            if len(names) != 1:
                raise KeyError("the module has %d kernels: %s; name one" % (
                    len(names), ", ".join(names) or "none"))
            name = names[0]
        program = self._programs.get(id(device))
        if program is None:
            program = self._programs[id(device)] = _Program(self, device)
        return Kernel(self, program, name)

    def __getitem__(self, name: str) -> "Kernel":
        return self.kernel(name)

    def __contains__(self, name: str) -> bool:
        return name in self.kernels

    def __iter__(self) -> Iterator[str]:
        return iter(self.kernels)

    def __len__(self) -> int:
        return len(self.kernels)


def load(path: Union[str, os.PathLike], *, extensions: bool = False) -> Module:
    """Reads a module from a file of text or bytecode, or one that comes with Tessera:

    >>> import tessera
    >>> sorted(tessera.load("tessera:saxpy"))
    ['saxpy_f32']

    With `extensions`, text may have the element types that Tile IR doesn't have."""
    return Module.load(path, extensions=extensions)


def _module_of_text(text: str, name: str) -> Module:
    """For pickle."""
    return Module(text, name, extensions=True)


def _kernel_of(module: Module, name: str, device: Device) -> "Kernel":
    """For pickle."""
    return module.kernel(name, device)


class _Program:
    """A module on a device. It keeps the device alive, and the kernels keep the module."""

    def __init__(self, module: Module, device: Device):
        self.device = device
        self.handle = context.make(native.ERROR_INPUT, "preparing the module",
                                   native.program_create, device.handle, module.handle)
        context.own(self, PROGRAM, native.program_destroy, self.handle)


class Kernel:
    """A kernel that is ready to be launched:

        kernel[grid](x, y, 2.0)

    `grid` says how many tile blocks along x, y and z: a number or up to three. Arrays (NumPy,
    PyTorch, whatever speaks DLPack or the buffer protocol) are handed over as they are; their
    element type must be the parameter's, and they must be contiguous (`tessera.unchecked` passes
    others). Arguments may be named as the kernel names its parameters. Launches return when all
    tile blocks have finished; several threads may launch at the same time.
    """

    def __init__(self, module: Module, program: _Program, name: str):
        self.name, self.device = name, program.device
        self._module, self._program = module, program
        self._handle = context.make(native.ERROR_USAGE, "the kernel %s" % name, native.kernel_get,
                                    program.handle, name.encode())
        self.parameters = module._parameters(name.encode())
        # The interpreter checks accesses against buffers, so it has to be told how large they are;
        # GPUs, emulated ones too, have memory of their own.
        self._gpu = self.device.gpu
        self.has_own_memory = self.device.has_own_memory
        self._wraps = self.device.wraps
        self._fill = [(self.place(i), _filler(i, p, self._wraps, self._gpu))
                      for i, p in enumerate(self.parameters)]
        self._ready: List[Arguments] = []  # that no launch uses at the moment
        self._count = len(self.parameters)
        self._template = (native.Arg * len(self.parameters))()
        for arg, p in zip(self._template, self.parameters):
            # Arrays without elements may have no address.
            arg.kind = native.ARG_NULLABLE if p.is_pointer else native.ARG_SCALAR
            arg.elem = elements.NUMBER[p.elem]
        self._bytes = bytes(self._template)
        self._args = type(self._template)

    def __repr__(self) -> str:
        return "<tessera.Kernel %s(%s) on %s>" % (
            self.name, ", ".join(map(str, self.parameters)), self.device.name)

    def _repr_html_(self) -> str:
        """For notebooks: what it takes, and how it is launched."""
        call = "%s[grid](%s)" % (self.name, ", ".join(p.name or "…" for p in self.parameters))
        rows = "".join("<tr><td><code>%s</code></td><td>%s</td></tr>" % (
            escape(p.name or "…"), "array of %s" % p.elem if p.is_pointer else p.elem)
            for p in self.parameters)
        return "<p><code>%s</code> on %s</p><table>%s%s</table>" % (
            escape(call), escape(self.device.name),
            "<tr><th>parameter</th><th>type</th></tr>", rows)

    def __reduce__(self):
        return _kernel_of, (self._module, self.name, self.device)

    @property
    def compile_ms(self) -> float:
        """How long compiling it, or loading it from the cache, took."""
        return native.kernel_compile_ms(self._handle)

    @property
    def is_cached(self) -> bool:
        """Whether it came from the cache on disk."""
        return native.kernel_is_cached(self._handle)

    @property
    def scratch_bytes(self) -> int:
        """Scratch memory that one thread needs while it executes a tile block."""
        return native.kernel_scratch_bytes(self._handle)

    def __getitem__(self, grid: GridLike) -> "Launcher":
        return Launcher(self, grid_of(grid))

    def __call__(self, *args: Any, **named: Any) -> None:
        raise TypeError("choose a grid: kernel[grid](%s)" % ", ".join(
            p.name or "…" for p in self.parameters))

    def launch(self, grid: GridLike, *args: Any, **named: Any) -> None:
        """The same as kernel[grid](*args, **named)."""
        self._launch(grid_of(grid), args, named)

    def _ordered(self, args, named):
        if not named:
            if len(args) != len(self.parameters):
                raise TypeError("%s takes %d arguments (%s), not %d" % (
                    self.name, len(self.parameters), ", ".join(map(str, self.parameters)),
                    len(args)))
            return args
        names = [p.name for p in self.parameters]
        given = dict(zip(names, args))
        if len(args) > len(names):
            raise TypeError("%s takes %d arguments, not %d" % (
                self.name, len(names), len(args) + len(named)))
        for name, value in named.items():
            if name not in names:
                raise TypeError("%s has no parameter %r; it has %s" % (
                    self.name, name, ", ".join(map(str, self.parameters))))
            if name in given:
                raise TypeError("%s got the argument %r twice" % (self.name, name))
            given[name] = value
        missing = [name for name in names if name not in given]
        if missing:
            raise TypeError("%s misses %s" % (self.name, ", ".join(map(repr, missing))))
        return [given[name] for name in names]

    @property
    def module(self) -> Module:
        """What it is a kernel of."""
        return self._module

    def _launch(self, grid, args, named):
        try:
            filled = self._ready.pop()
        except IndexError:  # the first launch, or other threads launch, too
            filled = self.arguments()
        words, views, sizes = filled.words, {}, ()
        for (place, fill), value in zip(self._fill, self._ordered(args, named)):
            got = fill(value)
            if type(got) is not int:
                views[place] = got
                got = got.address
            words[place] = got
        if self._wraps:  # the extent of an unchecked array is known to nobody
            sizes = [self._extent(views.get(place)) for place, _ in self._fill]
        self.execute(grid, filled, sizes)
        self._ready.append(filled)

    @contextmanager
    def _raw_arguments(self, values):
        """Arguments in the library's form, with a buffer for each array."""
        filled, sizes = self.arguments(), []
        for i, (parameter, value) in enumerate(zip(self.parameters, values)):
            got = _filler(i, parameter, True, self._gpu)(value)
            view = None if type(got) is int else got
            filled.words[self.place(i)] = got if view is None else view.address
            sizes.append(self._extent(view))
        with self._wrapped(filled, sizes) as raw:
            yield raw

    @contextmanager
    def _wrapped(self, filled, sizes):
        """Filled arguments in the library's form, with a buffer for each array of so many bytes."""
        raw = self._args.from_buffer_copy(filled.raw)
        buffers = self._wrap(raw, sizes)
        try:
            yield raw
        finally:
            with context.alone():
                for buffer in buffers:
                    native.buffer_destroy(buffer)

    def arguments(self) -> "Arguments":
        """Arguments of the right kinds, to be filled in for `execute`."""
        return Arguments(self._args.from_buffer_copy(self._bytes))

    @staticmethod
    def place(k: int) -> int:
        """Where the bits of argument k lie among Arguments.words."""
        return k * _ARG_WORDS + _ARG_BITS

    def execute(self, grid: native.Grid, filled: "Arguments",
                sizes: Sequence[Optional[int]]) -> None:
        """A launch with arguments that have been filled in. `sizes` says how many bytes lie behind
        each address, where that is known; whoever calls keeps the memory alive."""
        raw, buffers = filled.raw, None
        if self._wraps:  # which changes what kind they are
            raw = self._args.from_buffer_copy(raw)
            buffers = self._wrap(raw, sizes)
        device = self.device
        if device.sanitize:
            device.findings.clear()
        context.begin_launch()
        try:
            status = native.launch(self._handle, grid, raw, self._count)
            messages = context.take_messages() if status else ()
        finally:
            context.end_launch()
            if buffers:
                with context.alone():
                    for buffer in buffers:
                        native.buffer_destroy(buffer)
        if status or device.has_raised:
            self._raise(status, messages)

    def _raise(self, status, messages):
        if self.device.has_raised:
            raise self.device.take_raised()
        raise self.device.failure(status, messages, "launching %s" % self.name)

    def _extent(self, view) -> Optional[int]:
        """How many bytes lie behind an argument's address; None when it is none, or nobody knows."""
        if view is None or view.contiguous:
            return view and view.nbytes
        if self.has_own_memory and not view.on_gpu:
            raise ValueError("a strided array cannot be copied to the device '%s': pass a contiguous "
                             "one" % self.device.name)
        return None

    def _wrap(self, raw, sizes):
        """Tells the device how large the memory behind each address is."""
        buffers = []
        with context.alone():
            for arg, size in zip(raw, sizes):
                if size is None:
                    continue
                buffer = native.buffer_wrap(self.device.handle, arg.bits, size)
                if not buffer:
                    for made in buffers:
                        native.buffer_destroy(made)
                    raise MemoryError("no memory for a buffer")
                buffers.append(buffer)
                arg.kind, arg.buffer = native.ARG_BUFFER, buffer
        return buffers


class Arguments:
    """Arguments in the library's form, and their memory as 64-bit words. For one launch at a time."""

    __slots__ = ("raw", "words")

    def __init__(self, raw):
        self.raw, self.words = raw, memoryview(raw).cast("B").cast("Q")


class Launcher:
    """A kernel and a grid: call it with the arguments."""

    __slots__ = ("kernel", "_grid")

    def __init__(self, kernel: Kernel, grid: native.Grid):
        self.kernel, self._grid = kernel, grid

    def __call__(self, *args: Any, **named: Any) -> None:
        self.kernel._launch(self._grid, args, named)


# ---- arguments ----------------------------------------------------------------------------------


_last_grid: Tuple[Any, Optional[native.Grid]] = (None, None)


def grid_of(grid: GridLike) -> native.Grid:
    """The grid in the library's form. Most programs launch the same one again and again."""
    global _last_grid
    last, made = _last_grid
    if grid is not last or made is None:
        made = _make_grid(grid)
        _last_grid = grid, made
    return made


def _make_grid(grid: GridLike) -> native.Grid:
    extents = grid if isinstance(grid, tuple) else (grid,)
    if not 1 <= len(extents) <= 3:
        raise UsageError("a grid has one to three extents, not %d" % len(extents))
    numbers = [1, 1, 1]
    for i, n in enumerate(extents):
        try:
            numbers[i] = n.__index__()
        except AttributeError:
            raise TypeError("a grid is made of whole numbers, not of %r" % (n,)) from None
        if not 1 <= numbers[i] <= _MAX_EXTENT:
            raise UsageError("grid extent %d: expected 1 to %d, found %d" % (i, _MAX_EXTENT, n))
    return native.Grid(*numbers)


def _filler(index: int, parameter: Parameter, sized: bool, gpu: bool):
    """A function that gives the bits of a value; or the View of an array, always if `sized`, and
    else when there is more to keep alive than the argument. With `gpu`, arrays may lie there."""
    place = "argument %d (%s)" % (index, parameter)
    if parameter.is_pointer:
        return _pointer_filler(place, parameter.elem, sized, gpu)
    if elements.NUMBER[parameter.elem] <= elements.NUMBER["i64"]:
        return _integer_filler(place, parameter.elem)
    if parameter.elem == "ptr":
        return _pointer_filler(place, None, sized, gpu)
    return _float_filler(place, parameter.elem)


def _pointer_filler(place: str, elem: Optional[str], sized: bool, gpu: bool):
    accepted = elements.ARRAYS.get(elem) if elem else None

    usual = UsualArrays()

    def fill(value):
        address = usual.address(value)
        if address is not None:
            return address
        checked = not isinstance(value, Unchecked)
        try:
            view = view_of(value if checked else value.array, gpu)
        except (TypeError, ValueError, BufferError) as error:
            raise type(error)("%s: %s" % (place, error)) from None
        if accepted and view.dtype not in accepted:
            raise TypeError("%s: expected an array of %s, found one of %s" % (
                place, " or ".join(accepted), view.dtype))
        if checked and not view.contiguous:
            raise ValueError("%s: the array is not contiguous; pass numpy.ascontiguousarray(x), or "
                             "tessera.unchecked(x) if the kernel is told the strides" % place)
        if checked and not view.writable:
            raise ValueError("%s: the array is read-only; pass a copy, or tessera.unchecked(x) if "
                             "the kernel only reads it" % place)
        if checked and not sized:
            usual.learn(value)
        return view

    return fill


def _integer_filler(place: str, elem: str):
    def fill(value):
        try:
            return elements.integer_pattern(elem, value.__index__())
        except AttributeError:
            raise TypeError("%s: expected a whole number, found %s" % (
                place, type(value).__name__)) from None
        except OverflowError as error:
            raise OverflowError("%s: %s" % (place, error)) from None

    return fill


def _float_filler(place: str, elem: str):
    def fill(value):
        try:
            return elements.float_pattern(elem, float(value))
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)("%s: %s" % (place, error)) from None

    return fill


def unchecked(array: Any) -> Unchecked:
    """Hands an array to a kernel although it is strided or read-only. The kernel gets the address
    of its first element; that it stays within the array is then the caller's business."""
    return Unchecked(array)
