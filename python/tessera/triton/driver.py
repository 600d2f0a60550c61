# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launching: what Triton asks a GPU's driver for."""
from __future__ import annotations

import functools
import os
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


def _pattern_of(elem: str) -> Callable[[Any], int]:
    """What makes the bits of a number."""
    if elem[0] != "i":
        return lambda value: elements.float_pattern(elem, float(value))
    mask = (1 << elements.BITS[elements.NUMBER[elem]]) - 1
    return lambda value: int(value) & mask


class TesseraLauncher:
    def __init__(self, source, metadata):
        signature = dict(source.signature.items())
        self._types = tuple(expand_signature(signature.values(), None, None))
        self._nested = any(isinstance(kind, tuple) for kind in self._types)
        self._places = [i for i, kind in enumerate(self._types) if kind != "constexpr"]
        self._kernel: Optional[Kernel] = None
        self._ready: List[Any] = []  # arguments that no launch uses at the moment
        self._run = wrap_handle_tensordesc_impl(
            self._launch, signature, [], lambda value, _metadata, _base: decompose_descriptor(value))

    def __call__(self, x, y, z, stream, function, kernel_metadata, launch_metadata, enter_hook,
                 exit_hook, *args):
        if x * y * z <= 0:
            return
        if enter_hook is not None:
            enter_hook(launch_metadata)
        self._run((x, y, z), function, args)
        if exit_hook is not None:
            exit_hook(launch_metadata)

    def _prepare(self, kernel: Kernel) -> None:
        """How the kernel's parameters are filled in: where, and by what."""
        self._fill = [(kernel.place(i), _address if p.is_pointer else _pattern_of(p.elem))
                      for i, p in enumerate(kernel.parameters)]
        self._ready = []
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
        values, ready = self._values(args), self._ready
        if len(values) != len(kernel.parameters):
            raise TypeError("%s takes %d arguments, not %d" % (
                kernel.name, len(kernel.parameters), len(values)))
        try:
            filled = ready.pop()
        except IndexError:  # the first launch, or other threads launch, too
            filled = kernel.arguments()
        words = filled.words
        for (place, fill), value in zip(self._fill, values):
            words[place] = fill(value)
        sizes = ()
        if kernel.device.wraps:
            sizes = [_size_behind(value, words[place]) if p.is_pointer and value is not None else None
                     for (place, _), p, value in zip(self._fill, kernel.parameters, values)]
        kernel.execute(grid_of(grid), filled, sizes)
        ready.append(filled)


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
        from . import tuning  # which asks for this driver

        tuning.install()
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
