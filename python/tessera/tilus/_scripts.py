# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts of Tilus: taking over their calls, and preparing them in this process."""
from __future__ import annotations

import os
import weakref
from typing import Any, Dict, Tuple

from ..device import Device
from . import _build, _places
from ._launch import Launch, Program

#: The target of Tilus when nothing else is said: the newest without tensor memory.
_TARGET = "sm_90a"


def install(module) -> None:
    """Takes the place of what Tilus builds, loads and tunes. Doing it again changes nothing."""
    from . import _addresses, _pictures, _tuning
    _addresses.install()
    _places.install()
    _pictures.install()
    set_target()
    module.build_program = _build.build_program
    module.load_compiled_program = _build.CompiledProgram
    module.JitInstance._pick_best_program = _tuning.pick_best_program


def set_target() -> None:
    """Gives Tilus a target, since there may be no GPU that it could ask. An emulated card's is its
    own."""
    from tilus import target
    if target._target is not None:
        return
    name = os.environ.get("TESSERA_DEVICE", "")
    wanted = name[len("emu:"):] if name.startswith("emu:sm_") else _TARGET
    known = getattr(target, "nvgpu_" + wanted.replace("_", ""), None)
    target.set_current_target(known or getattr(target, "nvgpu_" + _TARGET.replace("_", "")))


# ---- in this process -----------------------------------------------------------------------------


class Instance:
    """A script for some constants and divisors of its arguments: what Tilus calls a JIT key."""

    def __init__(self, jit):
        self._programs = list(jit.transpiled_programs)
        self._program: Any = None
        self._launches: "weakref.WeakKeyDictionary[Device, Launch]" = weakref.WeakKeyDictionary()

    def program(self) -> Program:
        """Of the first schedule that can be built."""
        if self._program is None:
            first = None
            for prog in self._programs:
                try:
                    self._program = _build.program_of(prog)
                    break
                except Exception as error:
                    first = first or error
            else:
                raise first
        return self._program

    def launch(self, device: Device) -> Launch:
        made = self._launches.get(device)
        if made is None:
            made = self._launches[device] = Launch(self.program(), device)
        return made


_instances: "weakref.WeakKeyDictionary[Any, Dict[Any, Instance]]" = weakref.WeakKeyDictionary()


def instance_of(script, args, named) -> Tuple[Instance, Tuple[Any, ...]]:
    """The instance for some arguments, and all of these in order."""
    if not hasattr(script, "kernel_params") or not hasattr(script, "script_cls"):
        raise TypeError("expected an instance of a tilus.Script, found %s" % type(script).__name__)
    from tilus.lang.instantiated_script import JitInstance, extract_keys
    _places.install()
    set_target()
    if named or script.with_default:
        bound = script.params.signature.bind(None, *args, **named)
        bound.apply_defaults()
        args = bound.args[1:]
    elif len(args) != len(script.params.param_names):
        raise TypeError("%s takes %d arguments (%s), not %d" % (
            script.script_name, len(script.params.param_names),
            ", ".join(script.params.param_names), len(args)))
    key = extract_keys(args, script.const_params, script.tuning_params)[0]
    known = _instances.setdefault(script, {})
    if key not in known:
        known[key] = Instance(JitInstance(script.script_cls, script.params, script.build_options,
                                          script.schedules, key))
    return known[key], tuple(args)
