# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators as PyTorch's: registered with shape functions, so that graphs with them compile.

    tessera::NAME(Tensor[] tensors, str names, str options, int device) -> Tensor[]
    tessera::NAME_out(Tensor[] tensors, Tensor(a!)[] results, ...) -> ()

A graph has lists and text where Python has keywords: `names` says which tensor is which, "a,b";
`options` has a line NAME=VALUE for each; `device` is the number of a tessera.Device, 0 for the
default one. `op` is for any family, whose text is the first line of its options.
"""
from __future__ import annotations

from typing import Any, Dict, List

import torch

from ._ops_arrays import DTYPES, NATURAL, of_likeness
from ._ops_call import call, call_any, device_of, new_results, plan_of, result_specs
from ._ops_families import FAMILIES


def _options(text: str) -> Dict[str, str]:
    return dict(line.split("=", 1) for line in text.split("\n") if line)


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
    return family, _options(rest)


# ---- families with a way of their own to be called ----------------------------------------------


def _run(name):
    def run(tensors, names, options, device):
        return call(name, _named(tensors, names), None, _options(options), device_of(device))
    return run


def _run_out(name):
    def run(tensors, results, names, options, device):
        call(name, _named(tensors, names), results, _options(options), device_of(device))
    return run


def _shapes(name):
    def shapes(tensors, names, options, device):
        parsed, family = _options(options), FAMILIES[name]
        likeness = {n: of_likeness(n, t, family.elem(n, parsed))
                    for n, t in _named(tensors, names).items()}
        return _empty(result_specs(name, likeness, parsed, device_of(device)), _place(tensors))
    return shapes


# ---- all families -------------------------------------------------------------------------------


def _run_any(tensors, names, options, device):
    family, parsed = _split(options)
    return list(call_any(family, _named(tensors, names), None, parsed,
                         device_of(device)).values())


def _run_any_out(tensors, results, names, options, device):
    """The names of the results stand behind a semicolon."""
    family, parsed = _split(options)
    names, _, written = names.partition(";")
    call_any(family, _named(tensors, names), _named(results, written), parsed, device_of(device))


def _shapes_any(tensors, names, options, device):
    family, parsed = _split(options)
    return _empty(new_results(plan_of(family, parsed, device_of(device))), _place(tensors))


# ---- the gradient of products -------------------------------------------------------------------


def _save(ctx, inputs, output):
    tensors, ctx.names, ctx.options, ctx.device = inputs
    ctx.save_for_backward(*tensors)


def _flipped(x):
    return x.transpose(-2, -1)


def _gemm_backward(ctx, grads):
    """c = alpha a b: each factor's gradient is a product of c's and the other one."""
    options = _options(ctx.options)
    kept = {n: v for n, v in options.items() if n in ("alpha", "compute")}
    extra = sorted(set(options) - set(kept) - {"type_c"})
    if ctx.names != "a,b" or extra:
        raise NotImplementedError("tessera.ops.gemm has a gradient for alpha a b alone, not with "
                                  "%s" % ", ".join(ctx.names.split(",")[2:] + extra))
    a, b = ctx.saved_tensors
    text = "\n".join("%s=%s" % item for item in kept.items())

    def product(x, y, like):
        typed = text + "\ntype_c=" + NATURAL[str(like.dtype).rpartition(".")[2]]
        return torch.ops.tessera.gemm([x, y], "a,b", typed, ctx.device)[0].sum_to_size(like.shape)

    grad = grads[0].to(a.dtype)
    return [product(grad, _flipped(b), a), product(_flipped(a), grad, b)], None, None, None


# ---- registration -------------------------------------------------------------------------------


def _register(name, run, run_out, shapes):
    end = "str names, str options, int device)"
    op = torch.library.custom_op("tessera::" + name, run, mutates_args=(),
                                 schema="(Tensor[] tensors, %s -> Tensor[]" % end)
    op.register_fake(shapes)
    out = torch.library.custom_op("tessera::%s_out" % name, run_out, mutates_args=("results",),
                                  schema="(Tensor[] tensors, Tensor(a!)[] results, %s -> ()" % end)
    out.register_fake(lambda tensors, results, names, options, device: None)
    return op


for _name in FAMILIES:
    _registered = _register(_name, _run(_name), _run_out(_name), _shapes(_name))
    if _name == "gemm":
        _registered.register_autograd(_gemm_backward, setup_context=_save)
_register("op", _run_any, _run_any_out, _shapes_any)


def call_torch(name, tensors, out, options, device):
    """What the functions of tessera.ops come to when arguments are PyTorch's."""
    names, text = ",".join(tensors), "\n".join([n + "=" + v for n, v in options.items()])
    if out is None:
        return getattr(torch.ops.tessera, name)(list(tensors.values()), names, text, device)
    getattr(torch.ops.tessera, name + "_out")(list(tensors.values()), list(out), names, text,
                                              device)
    return list(out)


@torch.compiler.assume_constant_result
def _result_names(text: str, device: int) -> List[str]:
    family, options = _split(text)
    return [o.name for o in plan_of(family, options, device_of(device)).results]


def call_torch_any(family, tensors, out, options, device):
    """The same of `op`: results by their names, which the plan knows."""
    text = "\n".join([family] + [n + "=" + v for n, v in options.items()])
    names = ",".join(tensors)
    if out is None:
        results = torch.ops.tessera.op(list(tensors.values()), names, text, device)
        return dict(zip(_result_names(text, device), results))
    torch.ops.tessera.op_out(list(tensors.values()), list(out.values()),
                             names + ";" + ",".join(out), text, device)
    return dict(out)
