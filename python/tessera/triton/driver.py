# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching: what Triton asks a GPU's driver for."""
from __future__ import annotations

import functools
import os
import struct
import sys
import threading
import time
import types
from typing import Any, Callable, List, Optional, Tuple

from triton.backends.compiler import GPUTarget
from triton.backends.driver import (DriverBase, decompose_descriptor, expand_signature,
                                    wrap_handle_tensordesc_impl)

from tessera import _elements as elements
from tessera.device import Device
from tessera.module import Kernel, Module, grid_of

from .compiler import TesseraBackend

_LEVEL = "O2"


@functools.lru_cache(maxsize=None)
def _device() -> Device:
    if os.environ.get("TESSERA_SANITIZE") == "1":
        return Device("interp", sanitize="all")
    return Device(os.environ.get("TESSERA_DEVICE") or os.environ.get("TESSERA_CUDA_DEVICE") or "cpu")


# ---- arguments ----------------------------------------------------------------------------------


def _address(value: Any) -> int:
    return 0 if value is None else value if isinstance(value, int) else value.data_ptr()


def _size_behind(value: Any, address: int) -> Optional[int]:
    """How many bytes may be reached from the address; None when nobody knows."""
    tensor = getattr(value, "base", None)  # triton.reinterpret gives such
    tensor = tensor if hasattr(tensor, "untyped_storage") else value
    try:
        storage = tensor.untyped_storage()
        begin, size = storage.data_ptr(), storage.nbytes()
    except (AttributeError, RuntimeError):
        return None
    return begin + size - address if begin <= address <= begin + size else None


def _flatten(types_: Any, values: Any, out: List[Any]) -> None:
    """The values that are arguments of the kernel: no constants, and tuples one by one."""
    for kind, value in zip(types_, values):
        if isinstance(kind, tuple):
            _flatten(kind, value, out)
        elif kind != "constexpr":
            out.append(value)


def _mask_of(elem: str) -> int:
    return (1 << elements.BITS[elements.NUMBER[elem]]) - 1


def _pattern_of(elem: str) -> Callable[[Any], int]:
    """What makes the bits of a number."""
    if elem[0] != "i":
        return lambda value: elements.float_pattern(elem, float(value))
    mask = _mask_of(elem)
    return lambda value: int(value) & mask


def _packer(kernel: Kernel, count: int, places: List[int],
            address: str = "a%d.data_ptr()") -> Callable[..., None]:
    """A function that writes `count` arguments of a launch, of which those at `places` are the
    kernel's, to the library's form in one call. What is no tensor and no number raises. `address` says
    how that of an argument is found."""
    template = kernel.arguments().words
    form, values, names = "<", [], {"pack": None}
    for k, (i, p) in enumerate(zip(places, kernel.parameters)):
        kind = template[kernel.place(k) - 1]
        value = address % i
        if not p.is_pointer and p.elem in ("f32", "f64"):
            value = "a%d" % i
        elif not p.is_pointer:
            names["p%d" % k] = _pattern_of(p.elem)
            value = "a%d & %d" % (i, _mask_of(p.elem)) if p.elem[0] == "i" else "p%d(a%d)" % (k, i)
        form += "Q%sQ" % ({"f32": "f4x", "f64": "d"}.get(p.elem, "Q") if not p.is_pointer else "Q")
        values += [str(kind), value, "0"]
    names["pack"] = struct.Struct(form).pack_into
    arguments = ", ".join(["raw"] + ["a%d" % i for i in range(count)])
    return eval("lambda %s: pack(raw, 0, %s)" % (arguments, ", ".join(values)), names)


@functools.lru_cache(maxsize=1024)
def _grid(x: int, y: int, z: int):
    return grid_of((x, y, z))


class TesseraLauncher:
    def __init__(self, source, metadata):
        signature = dict(source.signature.items())
        self._types = tuple(expand_signature(signature.values(), None, None))
        self._nested = any(isinstance(kind, tuple) for kind in self._types)
        self._places = [i for i, kind in enumerate(self._types) if kind != "constexpr"]
        self._kernel: Optional[Kernel] = None
        self._pack: Optional[Callable[..., None]] = None  # None: one argument at a time
        self._ready: List[Any] = []  # arguments that no launch uses at the moment
        self._run = wrap_handle_tensordesc_impl(
            self._launch, signature, [], lambda value, _metadata, _base: decompose_descriptor(value))

    def __call__(self, x, y, z, stream, function, kernel_metadata, launch_metadata, enter_hook,
                 exit_hook, *args):
        if x * y * z <= 0:
            return
        if enter_hook is not None:
            enter_hook(launch_metadata)
        self._run(_grid(x, y, z), function, args)
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def _prepare(self, kernel: Kernel) -> None:
        """How the kernel's parameters are filled in: where, and by what."""
        self._fill = [(kernel.place(i), _address if p.is_pointer else _pattern_of(p.elem))
                      for i, p in enumerate(kernel.parameters)]
        self._ready = []
        self._pack = None
        if not (self._nested or kernel.device.wraps or len(self._places) != len(kernel.parameters)):
            self._pack = _packer(kernel, len(self._types), self._places)
        self._kernel = kernel

    def _values(self, args) -> List[Any]:
        if not self._nested:
            return [args[i] for i in self._places]
        values: List[Any] = []
        _flatten(self._types, args, values)
        return values

    def _launch(self, grid, kernel: Kernel, args) -> None:
        if kernel is not self._kernel:
            self._prepare(kernel)
        try:
            filled = self._ready.pop()
        except IndexError:  # the first launch, or other threads launch, too
            filled = kernel.arguments()
        sizes = ()
        if self._pack is None:
            sizes = self._fill_in(kernel, filled, args)
        else:
            try:
                self._pack(filled.raw, *args)
            except (TypeError, AttributeError, OverflowError, struct.error):
                filled = kernel.arguments()  # what a half-made call wrote is lost
                sizes = self._fill_in(kernel, filled, args)
        kernel.execute(grid, filled, sizes)
        self._ready.append(filled)

    def ready(self, compiled):
        """A repeat.Ready for launches that are like the last one; None where arguments have to be looked
        at."""
        from .repeat import Ready

        kernel = self._kernel
        if kernel is None or kernel is not compiled.function or self._pack is None:
            return None
        pack = _packer(kernel, len(self._types), self._places, "a%d")
        return Ready(compiled, kernel, pack, self._ready)

    def _fill_in(self, kernel: Kernel, filled, args):
        """One argument at a time: any that there may be. Returns what is known of their sizes."""
        values, words = self._values(args), filled.words
        if len(values) != len(kernel.parameters):
            raise TypeError("%s takes %d arguments, not %d" % (
                kernel.name, len(kernel.parameters), len(values)))
        for (place, fill), value in zip(self._fill, values):
            words[place] = fill(value)
        if not kernel.device.wraps:
            return ()
        return [_size_behind(value, words[place]) if p.is_pointer and value is not None else None
                for (place, _), p, value in zip(self._fill, kernel.parameters, values)]


def _ready_of(compiled):
    launcher = compiled.run
    return launcher.ready(compiled) if isinstance(launcher, TesseraLauncher) else None


# ---- the driver's utilities -----------------------------------------------------------------------


class _Utilities:
    """What Triton and scripts ask about a GPU. The numbers are of no particular one."""

    @staticmethod
    def get_device_properties(device: int):
        return {"max_shared_mem": 232448, "max_num_regs": 65536, "warpSize": 32,
                "multiprocessor_count": os.cpu_count() or 1, "sm_clock_rate": 1000000,
                "mem_clock_rate": 1000000, "mem_bus_width": 64}

    @staticmethod
    def load_binary(name: str, data: bytes, shared: int, device: int):
        module = Module.of_ttir(data.decode(), "<%s>" % name)
        target = _device()
        if target.name != "interp":
            module.optimize(_LEVEL)
        return module, module.kernel(name, target), 32, 0, 1024  # registers, spills, threads

    @staticmethod
    def unload_module(module) -> None:
        pass  # it goes with its last reference


class _Event:
    """Launches have ended when they return: an event is a time."""

    def __init__(self, enable_timing: bool = False, **_named):
        self._time = 0.0

    def record(self, stream=None) -> None:
        self._time = time.perf_counter()

    def elapsed_time(self, end: "_Event") -> float:
        return max((end._time - self._time) * 1e3, 1e-6)

    def synchronize(self) -> None:
        pass

    wait = synchronize

    def query(self) -> bool:
        return True


_interface = types.SimpleNamespace(
    Event=_Event, synchronize=lambda device=None: None, current_device=lambda: 0,
    set_device=lambda device: None, is_available=lambda: True, device_count=lambda: 1,
    get_device_capability=lambda device=None: _capability())


def _capability() -> Tuple[int, int]:
    """What `tessera exec` says that the device can do."""
    major, _, minor = (os.environ.get("TESSERA_CUDA_CAPABILITY") or "10.0").partition(".")
    return int(major), int(minor or 0)


class TesseraDriver(DriverBase):
    def __init__(self):
        from . import repeat, tuning  # which ask for this driver, and for Triton's own classes

        tuning.install()
        repeat.install(_ready_of)
        self.utils = _Utilities()
        self.launcher_cls = TesseraLauncher

    @staticmethod
    def is_active() -> bool:
        """Unless a GPU is there."""
        if TesseraBackend.name == "cuda" or os.environ.get("TRITON_DEFAULT_BACKEND") == "tessera":
            return True
        torch = sys.modules.get("torch")
        if torch is None:
            try:
                import torch
            except ImportError:
                return True
        return not torch.cuda.is_available()

    def get_current_target(self) -> GPUTarget:
        if TesseraBackend.name != "cuda":
            return GPUTarget("tessera", "tile", 32)
        major, minor = _capability()
        return GPUTarget("cuda", 10 * major + minor, 32)

    def map_python_to_cpp_type(self, ty: str) -> str:
        raise NotImplementedError("Tessera's launcher is not made of C++")

    def get_active_torch_device(self):
        import torch
        return torch.device("cpu")

    def get_device_interface(self):
        return _interface

    def get_device_capability(self, device: int = 0) -> Tuple[int, int]:
        return _capability()

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: int = 0) -> int:
        return 0

    def get_benchmarker(self):
        from triton.testing import do_bench
        return do_bench

    def get_empty_cache_for_benchmark(self):
        """Caches are left as they are: a CPU's can't be emptied without taking longer than what is
        measured."""
        return None

    def clear_cache(self, cache) -> None:
        pass
