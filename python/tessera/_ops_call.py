# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of operators on arrays of any kind: problems are planned once, and launched on memory."""
from __future__ import annotations

import threading
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from . import _native_ops as native
from ._ops_arrays import Tensor, bits_of, empty, of_array, packed
from ._ops_families import FAMILIES, PYTHON_ONLY
from ._ops_plans import Library, Measured, Plan, library_of
from ._ops_shapes import Options, Settings, blank
from .device import Device
from .errors import UsageError


def number_of(device: Optional[Device]) -> int:
    """A number that stands for a device; 0: the default one."""
    if device is None:
        return 0
    if not isinstance(device, Device):
        raise TypeError("device: expected a tessera.Device, found %s" % type(device).__name__)
    return device.number


def text_of(name: str, value: Any) -> str:
    """A parameter's value as operators spell it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) and not value:
        raise UsageError("%s: expected a value, found an empty text" % name)
    if isinstance(value, (str, int)):
        return str(value)
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise TypeError("%s: expected a number or text, found %s" % (
            name, type(value).__name__)) from None


def _on_gpu(device):
    return device.gpu


# ---- tuning instead of a launch -----------------------------------------------------------------

_tuning = threading.local()


def _execute(library, device, plan, tensors):
    seconds = getattr(_tuning, "seconds", None)
    if seconds is not None:
        _tuning.found.extend(library.tune(device, plan, tensors, seconds))
        # The fastest one computes the results.
        plan = library.plan(*plan.asked)
    library.launch(device, plan, tensors)


def tuned(seconds: float, function, arguments, keywords) -> List[Measured]:
    """Calls a function of which each operator is tuned; what was measured."""
    _tuning.seconds, _tuning.found = seconds, []
    try:
        function(*arguments, **keywords)
        return _tuning.found
    finally:
        _tuning.seconds = None


# ---- families with a way of their own to be called ----------------------------------------------


def _settings(derived: Settings, options: Options) -> Settings:
    """What follows from the arrays, unless options say otherwise."""
    own = [(n, v) for n, v in options.items() if n not in PYTHON_ONLY]
    given = {n for n, _ in own}
    return [(n, v) for n, v in derived if n not in given] + own


def result_types(name: str, tensors: Mapping[str, Tensor], options: Options,
                 device: Device) -> Dict[str, str]:
    """What results hold when nobody says so, by asking for the same problem without elements."""
    family, library = FAMILIES[name], library_of(device)
    key = "types", name, tuple(options.items()), tuple((t.name, t.elem, len(t.shape))
                                                       for t in tensors.values())
    types = library.prepared.get(key)
    if types is None:
        few = {n: v for n, v in options.items() if n not in family.sizes}
        seen = {n: t for n, t in tensors.items() if name != "gemm" or n in ("a", "b")}
        settings, _ = family.problem(getattr(family, "blank", blank)(seen), few)
        plan = library.plan(family.name, _settings(settings, few))
        types = library.prepared[key] = {o.name: o.elem for o in plan.results}
    return types


def result_specs(name: str, tensors: Mapping[str, Tensor], options: Options,
                 device: Device) -> Dict[str, Tuple[Tuple[int, ...], str]]:
    """Shapes and element types of new results."""
    types = result_types(name, tensors, options, device)
    return {n: (shape, types[n])
            for n, shape in FAMILIES[name].shapes(tensors, options).items()}


def _plan(library: Library, name: str, tensors: Mapping[str, Tensor], options: Options) -> Plan:
    family = FAMILIES[name]
    derived, seen = family.problem(tensors, options)
    plan = library.plan(family.name, _settings(derived, options))
    plan.check(seen)
    return plan


def _likeness(tensors):
    return tuple((t.name, t.elem, t.dtype, t.shape, t.strides, t.writable)
                 for t in tensors.values())


def _made(specs, like):
    """New arrays, and as tensors."""
    arrays = {n: empty(shape, elem, like) for n, (shape, elem) in specs.items()}
    return arrays, {n: of_array(n, arrays[n], elem, True) for n, (_, elem) in specs.items()}


def _planned_on_new(library, device, name, read, options):
    """A plan with results that are allocated, and what those are."""
    specs = result_specs(name, read, options, device)
    made = {n: Tensor(n, elem, "", shape, packed(shape), 0, True, False, None)
            for n, (shape, elem) in specs.items()}
    return _plan(library, name, {**read, **made}, options), specs


def call(name: str, arrays: Mapping[str, Any], out: Optional[Sequence[Any]], options: Options,
         device: Device) -> List[Any]:
    """Executes an operator of FAMILIES; its results in their order, which are `out` where given."""
    library, family, gpu = library_of(device), FAMILIES[name], _on_gpu(device)
    read = {n: of_array(n, a, family.elem(n, options), gpu) for n, a in arrays.items()}
    key: Any = name, tuple(options.items()), _likeness(read)
    if out is not None:
        written = _given(family, name, read, out, options, gpu)
        key += (_likeness(written),)
        plan = library.prepared.get(key)
        if plan is None:
            plan = library.prepared[key] = _plan(library, name, {**read, **written}, options)
        results = list(out)
    else:
        found = library.prepared.get(key)
        if found is None:
            found = library.prepared[key] = _planned_on_new(library, device, name, read, options)
        plan, specs = found
        made, written = _made(specs, list(read.values()))
        results = list(made.values())
    _execute(library, device, plan, {**read, **written})
    return results


def _given(family, name, read, out, options, gpu):
    names = list(family.shapes(read, options))
    if len(out) != len(names):
        raise UsageError("%s: out has %d arrays; expected %d: %s" % (
            name, len(out), len(names), ", ".join(names)))
    return {n: of_array(n, a, family.elem(n, options), gpu) for n, a in zip(names, out)}


# ---- all families -------------------------------------------------------------------------------


def plan_of(family: str, options: Options, device: Device) -> Plan:
    return library_of(device).plan(family, list(options.items()))


def _described(operand, array, gpu):
    """Integers have a sign of their own; what else an array's bits are, the problem says."""
    is_plain = operand.elem[:1] in "iu" and bits_of(operand.elem) >= 8
    return of_array(operand.name, array, None if is_plain else operand.elem, gpu)


def call_any(family: str, arrays: Mapping[str, Any], out: Optional[Mapping[str, Any]],
             options: Options, device: Device) -> Dict[str, Any]:
    """Executes the problem that a text and options describe; its results by their names."""
    library, plan, gpu = library_of(device), plan_of(family, options, device), _on_gpu(device)
    names = [o.name for o in plan.results]
    for name in list(out or ()) + list(arrays):
        if (name in names) != (out is not None and name in out):
            raise UsageError("%s: '%s' is %s; give it %s" % (
                plan.family, name, "written" if name in names else "no result",
                "in out=" if name in names else "with the other tensors"))
    operands = {o.name: o for o in plan.operands}
    given = {n: _described(operands[n], a, gpu) if n in operands else of_array(n, a, None, gpu)
             for n, a in {**arrays, **(out or {})}.items()}
    results = dict(out or {})
    if out is None:
        specs = new_results(plan)
        results, made = _made(specs, list(given.values()))
        given.update(made)
    plan.check(given)
    _execute(library, device, plan, given)
    return results


def new_results(plan: Plan) -> Dict[str, Tuple[Tuple[int, ...], str]]:
    """Shapes and types of the results of a plan, which are new arrays without gaps."""
    for o in plan.results:
        if o.use == native.UPDATED:
            raise UsageError("%s: '%s' is read, too; give it in out=" % (plan.family, o.name))
    return {o.name: (o.shape, o.elem) for o in plan.results}
