# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans of operators on a device: got once for each problem, launched on arrays that were checked."""
from __future__ import annotations

import ctypes
from typing import Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from . import _elements as elements
from . import _native as native
from . import _native_ops as ops
from . import _native_tune as tuning
from ._context import BUFFER, OPERATORS, STORE, context
from ._ops_arrays import Tensor, accepted, squeezed
from .device import Device
from .errors import UsageError

_functions = ops.functions

Settings = Sequence[Tuple[str, str]]


class Operand(NamedTuple):
    """A tensor of a problem, as the library wants it."""
    name: str
    elem: str
    use: int
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    nbytes: int


class Plan:
    """A problem that is ready to be launched."""

    def __init__(self, handle: int, family: str, asked: Tuple[str, Tuple[Tuple[str, str], ...]]):
        self.handle, self.family, self.asked = handle, family, asked
        self.operands = [_operand(handle, i) for i in range(_functions.plan_operand_count(handle))]
        self.workspace = _functions.plan_workspace(handle)
        self.problem = _functions.plan_problem(handle).decode()

    @property
    def results(self) -> List[Operand]:
        return [o for o in self.operands if o.use != ops.READ]

    def check(self, tensors: Mapping[str, Tensor]) -> None:
        """Everything about the arrays that the library, which sees addresses, can't know."""
        names = [o.name for o in self.operands]
        for name in tensors:
            if name not in names:
                raise UsageError("%s has no tensor '%s' here; it has %s (%s)" % (
                    self.family, name, ", ".join(names), self.problem))
        for operand in self.operands:
            if operand.name not in tensors:
                raise UsageError("%s: '%s' is missing: %s of %s (%s)" % (
                    self.family, operand.name, operand.elem, operand.shape, self.problem))
            _check(self.family, operand, tensors[operand.name])


def _operand(handle, index):
    raw = ops.Operand(struct_size=ctypes.sizeof(ops.Operand))
    _functions.plan_operand(handle, index, ctypes.byref(raw))
    elem = elements.NAMES[raw.elem]
    if raw.is_unsigned and elem.startswith("i"):
        elem = "u" + elem[1:]
    return Operand(raw.name.decode(), elem, raw.use, tuple(raw.shape[:raw.rank]),
                   tuple(raw.strides[:raw.rank]), raw.bytes)


def _check(family, operand, t):
    where = "%s: argument '%s'" % (family, t.name)
    if not _holds(t, operand.elem):
        raise UsageError("%s: expected elements of %s, found %s (an array of %s)" % (
            where, operand.elem, t.elem, t.dtype))
    sizes, strides = squeezed(t.shape, t.strides)
    wanted, steps = squeezed(operand.shape, operand.strides)
    if sizes != wanted:
        raise UsageError("%s: expected the shape %s, found %s" % (
            where, operand.shape, tuple(t.shape)))
    if strides != steps and 0 not in sizes:
        raise UsageError("%s: expected the strides %s, found %s: pass a copy that lies so" % (
            where, operand.strides, tuple(t.strides)))
    if operand.use != ops.READ and not t.writable:
        raise UsageError("%s: the array is read-only, and results are written to it" % where)


def _holds(t, elem):
    """Unsigned integers may be the bits of floats; other integers have the sign that they have."""
    return t.elem == elem or (elem[:1] not in "iu" and t.dtype in accepted(elem))


class Measured(NamedTuple):
    """What was found out about an instance of an operator."""
    instance: str           #: its name, which is a problem's text, too
    ms: Optional[float]     #: the median; None: there is no time
    refused: Optional[str]  #: why there is none


def _problem(asked):
    family, settings = asked
    raw = (ops.Setting * max(len(settings), 1))(
        *[(n.encode(), v.encode(), 0, 0.0) for n, v in settings])
    return ops.Problem(ctypes.sizeof(ops.Problem), family.encode(), raw, len(settings))


class Library:
    """The operators of a device. The device owns it, so it holds no reference to the device."""

    def __init__(self, device: Device):
        store = context.make(native.ERROR_MEMORY, "the store", tuning.store_open, context.handle,
                             None)
        context.own(device, STORE, tuning.store_close, store)
        options = ops.LibraryOptions(struct_size=ctypes.sizeof(ops.LibraryOptions), store=store)
        self.handle = context.make(native.ERROR_MEMORY, "the operators", _functions.library_create,
                                   device.handle, ctypes.byref(options))
        # Finalizers that are registered later are called earlier: it goes before its device.
        context.own(device, OPERATORS, _functions.library_destroy, self.handle)
        self._plans: Dict[Tuple[str, Tuple[Tuple[str, str], ...]], Plan] = {}
        self._spare: List["_Workspace"] = []  # that no launch uses at the moment
        self.prepared: Dict[object, object] = {}  #: for those that come with the same arrays

    def plan(self, family: str, settings: Settings) -> Plan:
        """The plan of a problem; `family` may be text with parameters, which settings override."""
        key = family, tuple(settings)
        plan = self._plans.get(key)
        if plan is None:
            handle = context.make(native.ERROR_USAGE, "planning %s" % family, _functions.plan_get,
                                  self.handle, ctypes.byref(_problem(key)))
            plan = self._plans[key] = Plan(handle, family.partition(":")[0], key)
        return plan

    def tune(self, device: Device, plan: Plan, tensors: Mapping[str, Tensor],
             seconds: float) -> List["Measured"]:
        """Measures the instances of the plan's problem; plans that are got later have the fastest,
        and so do other processes with the store."""
        args = (ops.Argument * len(plan.operands))()
        buffers: List[int] = []
        found: List[Measured] = []

        def each(_user, raw):
            m = raw.contents
            found.append(Measured(m.instance.decode(), None if m.refused else m.median_ms,
                                  m.refused.decode() if m.refused else None))
            return True

        options = ops.TuneOptions(ctypes.sizeof(ops.TuneOptions), seconds, ops.JudgeFn(),
                                  ops.EachFn(each), None)
        try:
            _fill(device, plan, tensors, args, buffers)
            with context.alone():
                context.forget_messages()
                status = _functions.tune(self.handle, ctypes.byref(_problem(plan.asked)), args,
                                         len(plan.operands), ctypes.byref(options))
                messages = context.take_messages()
        finally:
            self._release(buffers)
        if status:
            raise device.failure(status, messages, "tuning %s" % plan.family)
        self._plans.pop(plan.asked, None)
        self.prepared.clear()
        return found

    def _release(self, buffers):
        if buffers:
            with context.alone():
                for buffer in buffers:
                    native.buffer_destroy(buffer)

    def launch(self, device: Device, plan: Plan, tensors: Mapping[str, Tensor]) -> None:
        """Executes a plan on tensors that it has checked, and waits for the end."""
        args = (ops.Argument * (len(plan.operands) + 1))()
        buffers: List[int] = []
        count = len(plan.operands)
        workspace = self._take_workspace(device, plan.workspace)
        try:
            _fill(device, plan, tensors, args, buffers)
            if workspace:
                args[count].name = b"workspace"
                args[count].arg.kind, args[count].arg.buffer = native.ARG_BUFFER, workspace.handle
                count += 1
            self._execute(device, plan, args, count)
        finally:
            if workspace:
                self._spare.append(workspace)
            self._release(buffers)

    def _execute(self, device, plan, args, count):
        device.findings.clear()
        context.begin_launch()
        try:
            status = _functions.launch(plan.handle, None, args, count)
            messages = context.take_messages() if status else ()
        finally:
            context.end_launch()
        if device.has_raised:
            raise device.take_raised()
        if status:
            raise device.failure(status, messages, "executing %s" % plan.family)

    def _take_workspace(self, device, nbytes):
        """Memory that no other launch has; the next one of this size or less may have it."""
        if not nbytes:
            return None
        try:
            spare = self._spare.pop()
        except IndexError:
            spare = None
        if spare is None or spare.nbytes < nbytes:
            if spare:
                spare.release()
            spare = _Workspace(device, nbytes)
        return spare


class _Workspace:
    def __init__(self, device, nbytes):
        self.nbytes = nbytes
        self.handle = context.make(native.ERROR_MEMORY, "a workspace of %d bytes" % nbytes,
                                   native.buffer_create, device.handle, nbytes)
        self.release = context.own(device, BUFFER, native.buffer_destroy, self.handle)


def _fill(device, plan, tensors, args, buffers):
    wraps = device.wraps
    for arg, operand in zip(args, plan.operands):
        t = tensors[operand.name]
        arg.name = operand.name.encode()
        arg.arg.kind, arg.arg.bits = native.ARG_NULLABLE, t.address if operand.nbytes else 0
        if wraps and operand.nbytes and not t.on_gpu:
            buffer = context.make(native.ERROR_MEMORY, "a buffer", native.buffer_wrap,
                                  device.handle, t.address, operand.nbytes)
            buffers.append(buffer)
            arg.arg.kind, arg.arg.buffer = native.ARG_BUFFER, buffer


def library_of(device: Device) -> Library:
    """The operators of a device, made when they are first asked for."""
    library = device.operators
    if library is None:
        with context.alone():
            if device.operators is None:
                device.operators = Library(device)
            library = device.operators
    return library
