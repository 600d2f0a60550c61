# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From Tilus' programs to files that launches are made from, in place of what Tilus itself builds.

Tilus goes through its schedules in processes of their own, so what is handed from one step to the
next is a file beside those that Tilus keeps of a program.
"""
from __future__ import annotations

import functools
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Optional

from .. import _native as native
from ..device import Device, default_device
from . import _casts
from ._launch import Launch, Program, device_of_environment
from ._translate import translate

_PASSES_END = "LayoutInferencePass"


def program_of(prog, options=None) -> Program:
    """A program of Tilus' as Tessera's: its own passes up to the layouts, then the translation."""
    from tilus.ir.tools import verify
    from tilus.transforms import PassContext, get_default_passes
    verify(prog)
    with PassContext():
        for step in get_default_passes():
            prog = step(prog)
            if type(step).__name__ == _PASSES_END:
                break
    if len(prog.functions) != 1:
        raise ValueError("a program of one kernel was expected, not of %d" % len(prog.functions))
    function = next(iter(prog.functions.values()))
    made = translate(function)
    return Program(made.name, made.text, [_kind_of(p) for p in function.params], made.grid,
                   [list(w) for w in made.workspaces])


def _kind_of(parameter) -> str:
    base = getattr(parameter.type, "base_type", None)
    return "void" if type(base).__name__ == "VoidType" else str(parameter.type)


# ---- files ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=2)
def _stamp(casts: str) -> str:
    """Tells the files of this version of the translation from others."""
    digest = hashlib.sha256(native.version() + casts.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _file_in(folder) -> Path:
    return Path(folder) / ("tessera-%s.json" % _stamp(_casts.kind()))


def write_program(folder, program: Program) -> None:
    """All at once: other processes may be writing the same."""
    path = _file_in(folder)
    handle, scratch = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "w") as file:
        json.dump(program, file)
    os.replace(scratch, path)


def read_program(folder) -> Program:
    return Program(*json.loads(_file_in(folder).read_text()))


def _uses_files() -> bool:
    return os.environ.get("TESSERA_CACHE") != "off"


# ---- in place of Tilus' own ----------------------------------------------------------------------


def build_program(prog, options=None) -> str:
    """What tilus.drivers.build_program does, without nvcc: a folder with the program's file."""
    from tilus.drivers import BuildOptions, get_cache_dir
    folder = get_cache_dir(prog, options or BuildOptions())
    if not (_uses_files() and _file_in(folder).exists()):
        write_program(folder, program_of(prog, options))
    return str(folder)


class CompiledProgram:
    """What tilus.runtime.CompiledProgram is to Tilus."""

    def __init__(self, folder):
        self.program_dir = Path(folder)
        self.program = read_program(folder)
        self._launch: Optional[Launch] = None

    def get_launch_func(self) -> Launch:
        if self._launch is None:
            self._launch = Launch(self.program, default())
        return self._launch

    def __call__(self, *args):
        return self.get_launch_func()(*args)


_default: Optional[Device] = None


def default() -> Device:
    global _default
    if _default is None:
        _default = device_of_environment() or default_device()
    return _default
