# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators as PyTorch's: registered with shape functions, so that graphs with them compile.

    tessera::NAME(Tensor[] tensors, str names, str options, float[] numbers, int device) -> Tensor[]
    tessera::NAME_out(Tensor[] tensors, Tensor(a!)[] results, ...) -> ()

A graph has lists and text where Python has keywords: `names` says which tensor is which, "a,b";
`options` has a line NAME=VALUE for each, VALUE left out where it is the next one of `numbers`;
`device` is the number of a tessera.Device, 0 for the default one. `op` is for any family, whose
text is the first line of its options.
"""
from __future__ import annotations

from typing import Any, Dict, List, Sequence

import torch

from ._ops_arrays import DTYPES, of_likeness
from ._ops_call import call, call_any, new_results, plan_of, result_specs
from ._ops_families import FAMILIES
from ._ops_gradients import BACKWARD, save
from .device import device_of


def _options(text: str, numbers: Sequence[float]) -> Dict[str, str]:
    options, rest = dict(line.split("=", 1) for line in text.split("\n") if line), list(numbers)
    return {n: v or repr(float(rest.pop(0))) for n, v in options.items()}


def _form(text: str) -> Dict[str, str]:
    """Without numbers, which shapes and types don't depend on, and which may be unknown."""
    return _options("\n".join(line for line in text.split("\n") if not line.endswith("=")), ())


def _named(tensors, names) -> Dict[str, Any]:
    return dict(zip(names.split(",") if names else [], tensors))


def _empty(specs, device) -> List[torch.Tensor]:
    return [torch.empty(shape, dtype=getattr(torch, DTYPES[elem]), device=device)
            for shape, elem in specs.values()]


def _place(tensors):
    return tensors[0].device if tensors else None


def _split(options):
    """The family's text and the rest."""
    family, _, rest = options.partition("\n")
    return family, rest


# ---- families with a way of their own to be called ----------------------------------------------


def _run(name):
    def run(tensors, names, options, numbers, device):
        return call(name, _named(tensors, names), None, _options(options, numbers),
                    device_of(device))
    return run


def _run_out(name):
    def run(tensors, results, names, options, numbers, device):
        call(name, _named(tensors, names), results, _options(options, numbers), device_of(device))
    return run


def _shapes(name):
    def shapes(tensors, names, options, numbers, device):
        parsed, family = _form(options), FAMILIES[name]
        likeness = {n: of_likeness(n, t, family.elem(n, parsed))
                    for n, t in _named(tensors, names).items()}
        return _empty(result_specs(name, likeness, parsed, device_of(device)), _place(tensors))
    return shapes


# ---- all families -------------------------------------------------------------------------------


def _run_any(tensors, names, options, numbers, device):
    family, rest = _split(options)
    return list(call_any(family, _named(tensors, names), None, _options(rest, numbers),
                         device_of(device)).values())


def _run_any_out(tensors, results, names, options, numbers, device):
    """The names of the results follow a semicolon."""
    family, rest = _split(options)
    names, _, written = names.partition(";")
    call_any(family, _named(tensors, names), _named(results, written), _options(rest, numbers),
             device_of(device))


def _shapes_any(tensors, names, options, numbers, device):
    family, rest = _split(options)
    return _empty(new_results(plan_of(family, _form(rest), device_of(device))), _place(tensors))


# ---- registration -------------------------------------------------------------------------------


def _register(name, run, run_out, shapes):
    end = "str names, str options, float[] numbers, int device)"
    op = torch.library.custom_op("tessera::" + name, run, mutates_args=(),
                                 schema="(Tensor[] tensors, %s -> Tensor[]" % end)
    op.register_fake(shapes)
    out = torch.library.custom_op("tessera::%s_out" % name, run_out, mutates_args=("results",),
                                  schema="(Tensor[] tensors, Tensor(a!)[] results, %s -> ()" % end)
    out.register_fake(lambda *_: None)
    return op


for _name in FAMILIES:
    _registered = _register(_name, _run(_name), _run_out(_name), _shapes(_name))
    if _name in BACKWARD:
        _registered.register_autograd(BACKWARD[_name], setup_context=save)
_register("op", _run_any, _run_any_out, _shapes_any)


def _text(options, numbers):
    return "\n".join([n + "=" + v for n, v in options.items()] + [n + "=" for n in numbers])


def call_torch(name, tensors, out, options, numbers, device):
    """What the functions of tessera.ops come to when arguments are PyTorch's."""
    rest = ",".join(tensors), _text(options, numbers), list(numbers.values()), device
    if out is None:
        return getattr(torch.ops.tessera, name)(list(tensors.values()), *rest)
    getattr(torch.ops.tessera, name + "_out")(list(tensors.values()), list(out), *rest)
    return list(out)


@torch.compiler.assume_constant_result
def _result_names(text: str, device: int) -> List[str]:
    family, rest = _split(text)
    return [o.name for o in plan_of(family, _form(rest), device_of(device)).results]


def call_torch_any(family, tensors, out, options, numbers, device):
    """The same of `op`: results by their names, which the plan knows."""
    text = family + "\n" + _text(options, numbers)
    rest = text, list(numbers.values()), device
    if out is None:
        results = torch.ops.tessera.op(list(tensors.values()), ",".join(tensors), *rest)
        return dict(zip(_result_names(text, device), results))
    names = ",".join(tensors) + ";" + ",".join(out)
    torch.ops.tessera.op_out(list(tensors.values()), list(out.values()), names, *rest)
    return dict(out)
