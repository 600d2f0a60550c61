# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tile kernels on CPUs, from Python: CUDA Tile IR checked, compiled, run and debugged.

    import numpy, tessera

    saxpy = tessera.load("kernels/saxpy.mlir")["saxpy_f32"]
    saxpy[grid](x, y, 2.0, x.size)

Nothing but Python is needed; arrays of NumPy, PyTorch and others are used as they are.
"""
from . import _native, lang, ops
from .device import Device, default_device, describe, devices
from .errors import (Diagnostic, FileError, Finding, InputError, KernelError, OutOfMemory,
                     SanitizerError, TesseraError, TesseraWarning, Trap, Unsupported, UsageError)
from .lang import cdiv, constant
from .lang._launch import KernelFunction, kernel
from .layout import Cost, Layout
from .module import Kernel, Launcher, Module, Parameter, load, unchecked
from .tune import Autotuned, Tuned, autotune, load_text

__version__ = _native.version().decode()

__all__ = [
    "Autotuned", "Cost", "Device", "Diagnostic", "FileError", "Finding", "InputError", "Kernel",
    "KernelError", "KernelFunction", "Launcher", "Layout", "Module", "OutOfMemory", "Parameter", "SanitizerError", "TesseraError",
    "TesseraWarning", "Trap", "Tuned", "Unsupported", "UsageError", "autotune", "cdiv", "constant",
    "default_device", "describe", "devices", "kernel", "lang", "load", "load_text", "ops", "unchecked", "__version__",
]
