# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are written in Python, and launching them."""
from __future__ import annotations

import functools
import pickle
import sys
import threading
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple, Union

from ..device import Device, default_device
from ..errors import Finding, SanitizerError
from ..module import Kernel, grid_of
from ..testing import Times, bench_raw
from . import _tools
from ._arguments import Bound, Parameters, bind
from ._repeat import Repeats
from ._specialise import Specialised, specialise
from ._tools import Profile

#: How many tile blocks along x, y and z: a number, up to three, or a function of the arguments.
GridLike = Union[int, Tuple[int, ...], Callable[[Dict[str, Any]], Any]]

_lock = threading.RLock()  # of compiling


class _Compiled(NamedTuple):
    """What a launch needs that is like an earlier one."""
    specialised: Specialised
    kernel: Kernel


class KernelFunction:
    """A kernel that is written in Python (`@tessera.kernel`):

        kernel[grid](x, y, out, BLOCK=128)

    `grid` says how many tile blocks along x, y and z: a number, a tuple of up to three, or a
    function of the arguments (a dictionary by name). Arrays of NumPy, PyTorch, DLPack and the
    buffer protocol are used where they lie, strides and all. The kernel is compiled when it is
    first launched with such types, ranks and constants.
    """

    __name__: str
    __qualname__: str

    def __init__(self, function: Any, device: Union[None, str, Device] = None,
                 sanitize: Any = None, hints: Optional[Dict[str, Dict[str, Any]]] = None):
        self.python_function, self._parameters = function, Parameters(function)
        self.hints = dict(hints or {})
        self._repeats = Repeats(self._parameters)
        self._asked = (device, sanitize)
        self._device: Optional[Device] = None
        self._elsewhere: Dict[str, "KernelFunction"] = {}  # by the name of the device
        self._specialised: Dict[Tuple[Any, ...], Specialised] = {}
        self._compiled: Dict[Tuple[Any, ...], _Compiled] = {}
        self._last: Optional[Specialised] = None
        functools.update_wrapper(self, function)

    def __repr__(self) -> str:
        return "<tessera.kernel %s%s>" % (self.__name__, self._parameters.signature)

    def __call__(self, *_args: Any, **_named: Any) -> None:
        raise TypeError("choose a grid: %s[grid](…), with how many tile blocks along x, y and z"
                        % self.__name__)

    def __getitem__(self, grid: GridLike) -> "Launch":
        return Launch(self, grid)

    def __reduce__(self):
        found: Any = sys.modules.get(self.__module__)
        for part in self.__qualname__.split("."):
            found = getattr(found, part, None)
        if found is not self:
            raise pickle.PicklingError("the kernel %s is not found as %s.%s; kernels are pickled by "
                                       "name, as functions are" % (
                                           self.__name__, self.__module__, self.__qualname__))
        return _named, (self.__module__, self.__qualname__)

    # ---- devices ----

    @property
    def device(self) -> Device:
        """What executes it."""
        device, sanitize = self._asked
        if device is None and not sanitize:
            return default_device()
        if self._device is None:
            if isinstance(device, Device):
                self._device = device
            else:
                self._device = Device(device or "interp", sanitize=sanitize)
        return self._device

    def on(self, device: Union[str, Device], **options: Any) -> "KernelFunction":
        """The same kernel on another device: `kernel.on("emu:sm_90a")[grid](…)`. Options are those of
        tessera.Device."""
        if isinstance(device, Device):
            return KernelFunction(self.python_function, device, None, self.hints)
        if options:
            return self.on(Device(device, **options))
        found = self._elsewhere.get(device)
        if found is None:
            found = self._elsewhere[device] = self.on(Device(device))
        return found

    # ---- compiling ----

    def _bound(self, args: Tuple[Any, ...], named: Dict[str, Any], device: Device) -> Bound:
        """The arguments of a launch."""
        return bind(self._parameters, args, named, device.gpu)

    def _specialised_for(self, bound: Bound) -> Specialised:
        """The kernel for these arguments, on no device yet."""
        with _lock:
            found = self._specialised.get(bound.key)
            if found is None or not found.is_current():
                found = specialise(self.python_function, bound.infos, bound.groups, self.hints)
                self._specialised[bound.key] = found
            self._last = found
            return found

    def _compiled_for(self, bound: Bound, device: Device) -> _Compiled:
        """The same on a device."""
        key = bound.key + (device.number,)
        found = self._compiled.get(key)
        if found is None or not found.specialised.is_current():
            specialised = self._specialised_for(bound)
            with _lock:
                kernel = specialised.module.kernel(None, device)
                found = self._compiled[key] = _Compiled(specialised, kernel)
        return found

    def compile(self, *args: Any, **named: Any) -> Kernel:
        """The compiled kernel that a launch with these arguments would execute: `str(k.module)` is
        its Tile IR."""
        device = self.device
        return self._compiled_for(self._bound(args, named, device), device).kernel

    def emit(self, kind: str, *args: Any, target: Optional[str] = None, lines: bool = False,
             **named: Any) -> bytes:
        """What it is compiled to, for these arguments or those of the last launch: "asm", "llvm",
        "tile"; with a target such as "sm_90a" also "ptx" and the other kinds of Module.emit, with
        `lines` by lines of Python."""
        if args or named:
            module = self._specialised_for(self._bound(args, named, self.device)).module
        elif self._last is not None:
            module = self._last.module
        else:
            raise TypeError("%s has not been launched yet: say for which arguments, as in "
                            "emit(%r, x, y, …)" % (self.__name__, kind))
        return module.emit(kind, target=target, lines=lines) if target else module.emit(kind)


def _named(module: str, name: str) -> Any:
    """The kernel of a module; for pickle."""
    __import__(module)
    found: Any = sys.modules[module]
    for part in name.split("."):
        found = getattr(found, part)
    return found


def kernel(function: Optional[Callable[..., Any]] = None, *,
           device: Union[None, str, Device] = None, sanitize: Any = None,
           hints: Optional[Dict[str, Dict[str, Any]]] = None) -> Any:
    """Makes a kernel of a function, which is compiled when it is launched:

        @tessera.kernel
        def add(x, y, out, *, BLOCK):
            i = tl.program_id(0)
            tl.store(out, i, tl.load(x, i, BLOCK) + tl.load(y, i, BLOCK))

        add[tessera.cdiv(x.size, 128)](x, y, out, BLOCK=128)

    device     what executes it: a name such as "interp" or "emu:sm_90a", or a Device; otherwise
               tessera.default_device()
    sanitize   True, or names of checks: launches look for undefined behaviour, on the interpreter
               unless `device` says otherwise, and raise SanitizerError with lines of Python
    hints      of optimisation, by target: {"sm_90": {"num_cta_in_cga": 2}, "default": …}
    """
    if function is not None:
        return KernelFunction(function, device, sanitize, hints)
    return lambda f: KernelFunction(f, device, sanitize, hints)


# ---- launching ----------------------------------------------------------------------------------


class Launch:
    """A kernel and a grid: call it with the arguments."""
    __slots__ = ("kernel", "grid")

    def __init__(self, kernel: KernelFunction, grid: GridLike):
        self.kernel, self.grid = kernel, grid

    def __call__(self, *args: Any, **named: Any) -> None:
        self._on(self.kernel.device, args, named)

    def _on(self, device: Device, args, named) -> None:
        if _is_fake(args) or _is_fake(tuple(named.values())):
            return  # PyTorch asks for shapes only
        repeats = self.kernel._repeats
        like = repeats.like(device, args, named)
        kept = repeats.find(like) if like is not None else None
        if like is not None and kept is not None:
            grid = self.grid
            if callable(grid):
                grid = grid(self.kernel._parameters.bind(args, named))
            filled = repeats.fill(kept, like.values)
            kept.compiled.kernel.execute(_extents(grid), filled, kept.sizes)
            kept.ready.append(filled)
            return
        bound = self.kernel._bound(args, named, device)
        compiled = self.kernel._compiled_for(bound, device)
        filled, sizes = filled_words(compiled, bound)
        compiled.kernel.execute(self._extents_of(bound), filled, sizes)
        if like is not None:
            names = list(bound.values)[:len(args)] + list(named)
            repeats.keep(like, bound, compiled, filled, sizes, names)

    def _extents_of(self, bound: Bound) -> Any:
        """The grid as numbers."""
        return _extents(self.grid(dict(bound.values)) if callable(self.grid) else self.grid)

    def sanitize(self, *args: Any, checks: Any = "all", order: str = "forward", seed: int = 0,
                 **named: Any) -> List[Finding]:
        """Runs it under the interpreter's sanitizer and returns what was found, with the file and
        line in Python; nothing: []."""
        device = Device("interp", sanitize=checks, order=order, seed=seed)
        try:
            self._on(device, args, named)
        except SanitizerError as error:
            return list(error.findings)
        return []

    def bench(self, *args: Any, warmup: float = 25, rep: float = 100, cold: bool = False,
              **named: Any) -> Times:
        """How long launches take, without the way from Python to them: milliseconds. See
        tessera.testing.bench."""
        device = self.kernel.device
        bound = self.kernel._bound(args, named, device)
        compiled = self.kernel._compiled_for(bound, device)
        with compiled.kernel._wrapped(*filled_words(compiled, bound)) as raw:
            return bench_raw(compiled.kernel, self._extents_of(bound), raw, warmup, rep, cold)

    def save(self, folder: Any, *args: Any, **named: Any) -> List[str]:
        """Writes the kernel (kernel.mlir, with places in Python) and its arrays (.npy) to a folder,
        and returns the arguments of the commands `tessera run` and `tessera debug` for the launch."""
        return _tools.save(folder, *self._ready(args, named))

    def profile(self, *args: Any, svg: Any = None, card: Optional[str] = None,
                **named: Any) -> Profile:
        """Where the time goes, by lines of Python, found by launching copies of the arrays in the
        command `tessera`: on "cpu" what `tessera run --profile` prints; on an emulated GPU its
        counters, with an estimate for a `card` such as "h100". A picture goes to the file `svg`."""
        return _tools.profile(self.kernel.device.name, *self._ready(args, named), svg=svg, card=card)

    def debug(self, *args: Any, block: Any = (0, 0, 0), commands: Optional[str] = None,
              **named: Any) -> str:
        """Steps through a tile block by lines of Python, in the command `tessera debug`, on copies of
        the arrays: at its prompt, or by `commands`, of which the answers are returned."""
        return _tools.debug(*self._ready(args, named), block=block, commands=commands)

    def _ready(self, args, named):
        bound = self.kernel._bound(args, named, self.kernel.device)
        return self.kernel._specialised_for(bound).module, bound, self._extents_of(bound)


def _extents(grid: Any) -> Any:
    return grid_of(tuple(grid) if isinstance(grid, list) else grid)


def _is_fake(values) -> bool:
    for value in values:
        if type(value).__name__ == "FakeTensor":
            return True
    return False


def filled_words(compiled: _Compiled, bound: Bound):
    """The arguments in the library's form, and how many bytes lie behind each address."""
    for name in compiled.specialised.written:
        if not bound.views[name].writable:
            raise ValueError("%s writes to the array %s, which is read-only: pass a copy" % (
                compiled.kernel.name, name))
    kernel, sizes = compiled.kernel, []
    filled = kernel.arguments()
    for k, (word, array) in enumerate(bound.words()):
        filled.words[kernel.place(k)] = word & (1 << 64) - 1
        sizes.append(None if array is None else bound.views[array].span)
    return filled, sizes
