# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""@tilus.autotune by Tessera's tuning: all schedules are compiled in this process and measured in
turns, and what was found is kept in the store of docs/tuning.md."""
from __future__ import annotations

from contextlib import contextmanager
from typing import Any, List

from ..errors import TesseraError
from ..tune import Autotuned
from ._build import default
from ._launch import Launch, Program, evaluate

_NAME = "_tessera_schedules"


def pick_best_program(instance, args):
    """What JitInstance._pick_best_program does: the fastest program for the sizes of a call."""
    if not instance.valid_programs:
        instance._build_programs()
    if len(instance.compiled_programs) == 1:
        return instance.compiled_programs[0]
    schedules = instance.__dict__.get(_NAME)
    if schedules is None:
        schedules = instance.__dict__[_NAME] = Schedules(instance.compiled_programs, default())
    return schedules.best([args[i] for i in instance.call_params.kernel_params])


class Schedules:
    """The programs that a script's schedules became, on a device."""

    def __init__(self, compiled: List[Any], device):
        self._compiled, self._device = compiled, device
        self._workspaces = max(len(c.program.workspaces) for c in compiled)
        self._programs = [self._padded(c.program) for c in compiled]
        self._first, launch = self._first_that_can_be_built()
        self._tuned = Autotuned(self._text, {"schedule": range(self._first, len(compiled))},
                                self._grid, device=device)
        self._tuned._first = _Arguments(launch, self._workspace)
        self._args: List[Any] = []

    def best(self, args):
        """The program that is the fastest for some arguments. A sanitizer takes the first."""
        if self._device.sanitize:
            return self._compiled[self._first]
        self._args = args
        return self._compiled[self._tuned.tune(*args).choice["schedule"]]

    def _padded(self, program: Program) -> Program:
        """With as many workspaces as any, since all candidates are given the same arguments."""
        have = len(program.workspaces)
        more = "".join(", %%workspace%d: tile<ptr<i8>>" % i for i in range(have, self._workspaces))
        return program._replace(text=program.text.replace(") threads(", more + ") threads(", 1))

    def _first_that_can_be_built(self):
        first = None
        for i, program in enumerate(self._programs):
            try:
                return i, Launch(program, self._device)
            except TesseraError as error:
                first = first or error
        raise first

    def _text(self, schedule):
        return self._programs[schedule].text

    def _grid(self, schedule, **_sizes):
        return tuple(evaluate(e, self._args) for e in self._programs[schedule].grid)

    def _workspace(self, args):
        """Memory for each workspace, which is enough for every schedule."""
        sizes = [1] * self._workspaces
        for program in self._programs:
            for i, (size, _clean) in enumerate(program.workspaces):
                sizes[i] = max(sizes[i], evaluate(size, args))
        return [bytearray(n) for n in sizes]


class _Arguments:
    """What Autotuned wants to know of a kernel, for arguments as scripts are called with."""

    def __init__(self, launch: Launch, workspaces):
        kernel = launch.kernel
        self.name, self.device, self.parameters = kernel.name, kernel.device, kernel.parameters
        self._launch, self._workspaces = launch, workspaces

    def _ordered(self, args, _named):
        return args

    @contextmanager
    def _raw_arguments(self, args):
        filled, sizes, _kept = self._launch.fill(args, self._workspaces(args))
        with self._launch.kernel._wrapped(filled, sizes) as raw:
            yield raw
