# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices: what executes kernels."""
from __future__ import annotations

import ctypes
import itertools
import os
import sys
import weakref
from typing import Any, Callable, Iterable, List, MutableMapping, Optional, Union

from . import _native as native
from ._context import DEVICE, context
from .errors import Finding, SanitizerError

_CHECKS = {"bounds": 1, "assume": 2, "init": 4, "race": 8, "arith": 16, "sync": 32}
_CHECK_NAMES = {bit: name for name, bit in _CHECKS.items()}
_numbers = itertools.count(1)
_by_number: MutableMapping[int, "Device"] = weakref.WeakValueDictionary()
_ORDERS = ("forward", "reverse", "shuffled")


def _write(text: str) -> None:
    sys.stdout.write(text)


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode("utf-8", "replace")


def _mask(sanitize: Union[None, bool, str, Iterable[str]]) -> int:
    if not sanitize:
        return 0
    if sanitize is True or sanitize == "all":
        return sum(_CHECKS.values())
    names = sanitize.split(",") if isinstance(sanitize, str) else list(sanitize)
    for name in names:
        if name not in _CHECKS:
            raise ValueError("unknown check %r: expected %s, or 'all'" % (
                name, ", ".join(map(repr, _CHECKS))))
    return sum(_CHECKS[name] for name in set(names))


class Device:
    """Something that executes kernels: "cpu" compiles them, "interp" is the reference interpreter,
    "cuda:0" and "hip:0" are GPUs of NVIDIA's and AMD's, "emu:sm_90a" and "emu:gfx942" emulated
    ones (`tessera.devices()` lists them).

    A GPU takes its own arrays (PyTorch's, through DLPack others') as they are, which must be ready
    on CUDA's or HIP's default stream; arrays in host memory are copied there and back by each launch. What
    kernels print goes to the process's standard output.

    >>> import tessera
    >>> tessera.Device("cpu", threads=2)
    <tessera.Device 'cpu'>

    threads     cpu: how many, the caller's included (TESSERA_THREADS, else one per core)
    cpu         cpu: the feature level, "baseline", "avx2" or "avx512" (the machine's best)
    cache_dir   cpu, cuda, hip: where compiled kernels are kept; "" keeps none
    order       interp: "forward", "reverse" or "shuffled" (by `seed`)
    sanitize    checks to run: True, or names of "bounds", "assume", "init", "race", "arith", "sync"; a
                launch that finds something raises SanitizerError
    sanitize_stop   stop at the first finding
    on_output   called with what print_tko writes (sys.stdout)
    """

    def __init__(self, name: str = "cpu", *, threads: int = 0, cpu: Optional[str] = None,
                 cache_dir: Union[None, str, os.PathLike] = None, order: str = "forward",
                 seed: int = 0, sanitize: Union[None, bool, str, Iterable[str]] = None,
                 sanitize_stop: bool = False, on_output: Callable[[str], object] = _write):
        if order not in _ORDERS:
            raise ValueError("order is 'forward', 'reverse' or 'shuffled', not %r" % (order,))
        if not 0 <= threads < 1 << 31:
            raise ValueError("threads is 0 (one per core) or their number, not %r" % (threads,))
        self.name = name
        self._made_with = dict(threads=threads, cpu=cpu, cache_dir=cache_dir, order=order, seed=seed,
                               sanitize=sanitize, sanitize_stop=sanitize_stop, on_output=on_output)
        self.number = next(_numbers)  #: no other device of the process has it
        self.operators: Any = None    # of tessera.ops, when there are some
        self.findings: List[Finding] = []  #: of the last launch
        self.sanitize = _mask(sanitize)
        # ctypes' callbacks hold no reference to the device: it would never be found to be unused.
        findings, raised = self.findings, []
        self._raised_in_callback = raised

        def output(_user, text, length):
            try:
                on_output(ctypes.string_at(text, length).decode("utf-8", "replace"))
            except BaseException as error:  # cannot go through the library
                raised.append(error)

        def finding(_user, pointer):
            findings.append(_finding(pointer.contents))

        self._output, self._finding = native.OutputFn(output), native.FindingFn(finding)
        options = native.DeviceOptions(
            struct_size=ctypes.sizeof(native.DeviceOptions), threads=threads,
            cpu=cpu.encode() if cpu else None, order=_ORDERS.index(order), seed=seed,
            on_output=self._output, sanitize=self.sanitize, sanitize_stop=sanitize_stop,
            cache_dir=os.fsencode(cache_dir) if cache_dir is not None else None)
        if self.sanitize:
            options.on_finding = self._finding
        self.handle = context.make(native.ERROR_USAGE, "opening the device", native.device_open,
                                   context.handle, name.encode(), ctypes.byref(options))
        context.own(self, DEVICE, native.device_close, self.handle)
        _by_number[self.number] = self

    def __repr__(self) -> str:
        return "<tessera.Device %r>" % self.name

    def __reduce__(self):
        return _device_with, (self.name, self._made_with)

    @property
    def description(self) -> str:
        """A line about the device of this machine."""
        return describe(self.name)

    @property
    def has_own_memory(self) -> bool:
        """Whether arrays in host memory are copied there and back: GPUs and emulated ones."""
        return self.gpu is not None or self.name.startswith("emu:")

    @property
    def gpu(self) -> Optional[str]:
        """"cuda" or "hip", whose arrays it takes as they are; None: it is no GPU."""
        kind = self.name.partition(":")[0]
        return kind if kind in ("cuda", "hip") else None

    @property
    def wraps(self) -> bool:
        """Whether it has to be told how large the memory behind an address is: to copy it, or to
        check accesses."""
        return bool(self.sanitize) or self.name == "interp" or self.has_own_memory

    def failure(self, status, messages, what: str) -> Exception:
        """The exception for a launch that returned a status other than OK."""
        if status == native.ERROR_TRAP and self.findings:
            texts = [str(f) for f in self.findings] + [m.text for m in messages]
            return SanitizerError("\n".join(texts), messages, self.findings)
        return context.error(status, messages, "%s: %s" % (
            what, native.status_name(status).decode()))

    @property
    def has_raised(self) -> bool:
        """Whether `on_output` raised something during a launch."""
        return bool(self._raised_in_callback)

    def take_raised(self) -> BaseException:
        """What it was."""
        error = self._raised_in_callback[0]
        self._raised_in_callback.clear()
        return error


def _device_with(name: str, options: dict) -> Device:
    """For pickle: a device like another one, the default one where that is meant."""
    default = default_device()
    return default if (default.name, default._made_with) == (name, options) else Device(name, **options)


def _finding(f: native.Finding) -> Finding:
    return Finding(
        _CHECK_NAMES.get(f.check, str(f.check)), _text(f.message) or "", _text(f.detail),
        _text(f.operation) or "", _text(f.file), f.line, f.column, tuple(f.block), f.element,
        f.count, f.address, _text(f.buffer), f.offset, _text(f.other_operation), f.other_line,
        f.other_column, tuple(f.other_block))


def describe(name: str) -> str:
    """A line about a device of this machine, or why it can't be used."""
    return native.text_of(native.device_describe, name.encode())


def devices() -> List[str]:
    """The names of the devices that this build knows."""
    return [native.device_name(i).decode() for i in range(native.device_count())]


_default: Optional[Device] = None


def default_device() -> Device:
    """The device of kernels that were not given one: "cpu", or what TESSERA_DEVICE names."""
    global _default
    if _default is None:
        _default = Device(os.environ.get("TESSERA_DEVICE") or "cpu")
    return _default


def device_of(number: int) -> Device:
    """The device that has the number; 0: the default one."""
    return _by_number[number] if number else default_device()
