# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches handed to the command `tessera`: profiles, counters, the debugger."""
from __future__ import annotations

import ctypes
import json
import os
import subprocess
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional

from .._command import command
from ..module import Module
from ._arguments import Bound
from ._specialise import ScalarInfo


class Profile(NamedTuple):
    """What was measured or counted."""
    text: str                       #: for people
    data: Optional[Dict[str, Any]]  #: of an emulated GPU: the report of `tessera run --report`

    def __str__(self) -> str:
        return self.text


# ---- arrays as files ----------------------------------------------------------------------------

_DESCRIPTIONS = {"bool": "|b1", "float16": "<f2", "float32": "<f4", "float64": "<f8"}


def _description(name: str, itemsize: int) -> str:
    """The type in a file of NumPy; what NumPy has no name for is written as its bits."""
    if name in _DESCRIPTIONS:
        return _DESCRIPTIONS[name]
    kind = "i" if name.startswith("int") else "u"
    return "%s%s%d" % ("|" if itemsize == 1 else "<", kind, itemsize)


def _write_array(path: str, view: Any) -> None:
    """The memory of an array; one that is not row-major becomes a row of what it spans."""
    shape = view.shape if view.contiguous else (view.span // view.itemsize,)
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % (
        _description(view.dtype, view.itemsize), "".join("%d, " % n for n in shape))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
        file.write(ctypes.string_at(view.address, view.span) if view.span else b"")


# ---- launches as command lines ------------------------------------------------------------------


def save(folder: Any, module: Module, bound: Bound, grid: Any) -> List[str]:
    """Writes a launch to a folder; the command's arguments for it."""
    folder = os.fspath(folder)
    os.makedirs(folder, exist_ok=True)
    program = os.path.join(folder, "kernel.mlir")
    with open(program, "w", encoding="utf-8") as file:
        file.write(str(module))
    args = [program, "--grid", "%d,%d,%d" % (grid.x, grid.y, grid.z)]
    for name, words in bound.words_of().items():
        info = bound.infos[name]
        if isinstance(info, ScalarInfo):
            args.append("%s:%s" % (info.dtype.elem, _number(info, words[0][0])))
            continue
        path = os.path.join(folder, name + ".npy")
        _write_array(path, bound.views[name])
        args.append("%s=%s" % (name, path))
        args += ["%s:%d" % (info.index_dtype.elem, n) for n, _ in words[1:]]
    return args


def _number(info: ScalarInfo, word: int) -> str:
    if info.dtype.kind == "bool":
        return "true" if word else "false"
    return "0x%x" % word


def _run(arguments: List[str]) -> str:
    done = subprocess.run([command()] + arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)
    if done.returncode:
        raise RuntimeError("tessera %s: %s" % (arguments[0], (done.stderr or done.stdout).strip()))
    return done.stdout


def profile(device: str, module: Module, bound: Bound, grid: Any, *, svg: Any,
            card: Optional[str]) -> Profile:
    """What `tessera run` says of the launch on a device."""
    with tempfile.TemporaryDirectory() as folder:
        launch = save(folder, module, bound, grid)
        if not device.startswith("emu:"):
            picture = "" if svg is None else "=" + os.fspath(svg)
            return Profile(_run(["run", "--target", device, "--profile" + picture] + launch), None)
        options = ["--counters"] + (["--card", card] if card else [])
        if svg is not None:
            _run(["run", "--target", device, "--report", os.fspath(svg)] + options + launch)
        report = os.path.join(folder, "report.json")
        text = _run(["run", "--target", device, "--report", report] + options + launch)
        with open(report, encoding="utf-8") as file:
            return Profile(text, json.load(file))


def debug(module: Module, bound: Bound, grid: Any, *, block: Any, commands: Optional[str]) -> str:
    """A session of `tessera debug`."""
    at = block if isinstance(block, (tuple, list)) else (block,)
    with tempfile.TemporaryDirectory() as folder:
        launch = ["debug", "--block", ",".join(map(str, at))] + save(folder, module, bound, grid)
        if commands is None:
            subprocess.run([command()] + launch)
            return ""
        script = os.path.join(folder, "commands")
        with open(script, "w", encoding="utf-8") as file:
            file.write(commands)
        return _run(launch + ["--batch", "-x", script])
