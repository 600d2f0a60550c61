# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of operators, for PyTorch's autograd: operators themselves, by their families."""
from __future__ import annotations

import torch

from ._ops_arrays import NATURAL


def save(ctx, inputs, output):
    """What all of them keep: the arguments, then the results."""
    tensors, names, ctx.options, ctx.numbers, ctx.device = inputs
    ctx.names, ctx.count = names, len(tensors)
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(*tensors, *output)


def _saved(ctx):
    """Arguments by their names, and results."""
    named = dict(zip(ctx.names.split(","), ctx.saved_tensors[:ctx.count]))
    return named, list(ctx.saved_tensors[ctx.count:])


def _given(ctx):
    """Options by their names; of numbers the next one."""
    rest = list(ctx.numbers)
    pairs = [line.partition("=") for line in ctx.options.split("\n") if line]
    return {n: v or repr(float(rest.pop(0))) for n, _, v in pairs}


def _refuse(name, what):
    if what:
        raise NotImplementedError("tessera.ops.%s has no gradient with %s" % (
            name, ", ".join(sorted(what))))


def _call(ctx, name, tensors, options):
    text = "\n".join(["%s=%s" % pair for pair in options.items()])
    tensors = {n: t.contiguous() if n == "dloss" else t for n, t in tensors.items()}
    return getattr(torch.ops.tessera, name)(list(tensors.values()), ",".join(tensors), text, [],
                                            ctx.device)


def _result(ctx, gradients):
    """A gradient for each tensor; None for the rest."""
    # An empty list is wanted back as a list, one of numbers as an argument without a gradient.
    return ([gradients.get(n) for n in ctx.names.split(",")], None, None,
            None if ctx.numbers else [], None)


# ---- products -----------------------------------------------------------------------------------


def _flipped(x):
    return x.transpose(-2, -1)


def _gemm(ctx, grads):
    """c = alpha a b: each factor's gradient is a product of c's and the other one."""
    names = [line.partition("=")[0] for line in ctx.options.split("\n") if line]
    extra = sorted(set(names) - {"alpha", "compute", "type_c"})
    if ctx.names != "a,b" or extra:
        raise NotImplementedError("tessera.ops.gemm has a gradient for alpha a b alone, not with "
                                  "%s" % ", ".join(ctx.names.split(",")[2:] + extra))
    a, b = ctx.saved_tensors[:2]
    kept = [line for line in ctx.options.split("\n") if not line.startswith("type_c=")]

    def product(x, y, like):
        options = "\n".join(kept + ["type_c=" + NATURAL[str(like.dtype).rpartition(".")[2]]])
        c, = torch.ops.tessera.gemm([x, y], "a,b", options, ctx.numbers, ctx.device)
        return c.sum_to_size(like.shape)

    grad = grads[0].to(a.dtype)
    factors = [product(grad, _flipped(b), a), product(_flipped(a), grad, b)]
    return _result(ctx, dict(zip("ab", factors)))


def _product(ctx, x, y, like, **options):
    """x y, as `like` holds numbers."""
    options["type_c"] = NATURAL[str(like.dtype).rpartition(".")[2]]
    return _call(ctx, "gemm", {"a": x, "b": y}, options)[0]


def _gemm_gemm(ctx, grads):
    """c = alpha a b0 b1."""
    tensors, _ = _saved(ctx)
    options = _given(ctx)
    _refuse("gemm_gemm", (set(tensors) - {"a", "b0", "b1"}) |
            (set(options) & {"between", "epilogue", "softmax", "type_h"}))
    a, b0, b1 = tensors["a"], tensors["b0"], tensors["b1"]
    scale = {"alpha": options.get("alpha", "1")}
    grad = grads[0].to(a.dtype)
    h = _product(ctx, a, b0, a, **scale)
    dh = _product(ctx, grad, _flipped(b1), a, **scale)
    return _result(ctx, {"a": _product(ctx, dh, _flipped(b0), a),
                         "b0": _product(ctx, _flipped(a), dh, b0),
                         "b1": _product(ctx, _flipped(h), grad, b1)})


# ---- lines --------------------------------------------------------------------------------------


def _softmax(ctx, grads):
    _, (y,) = _saved(ctx)
    options = _given(ctx)
    _refuse("softmax", set(options) & {"alpha", "beta", "type_y"})
    dx, = _call(ctx, "softmax_backward", {"y": y, "dy": grads[0]},
                {n: v for n, v in options.items() if n in ("kind", "dim")})
    return _result(ctx, {"x": dx})


def _norm(ctx, grads):
    """Of results y, then h where it is stored, then the statistics."""
    tensors, results = _saved(ctx)
    options = _given(ctx)
    _refuse("%s_norm" % options["kind"], {n for n in ("smooth",) if n in tensors} |
            ({"quantise"} if options.get("quantise", "no") != "no" else set()) |
            (set(options) & {"epilogue"}))
    h = tensors["x"]
    stored = options.get("residual") == "store"
    if "residual" in tensors:
        h = results[1] if stored else h + tensors["residual"]
    read = {"x": h, "dy": grads[0] if grads[0] is not None else torch.zeros_like(h)}
    if "weight" in tensors:
        read["weight"] = tensors["weight"]
    if options["kind"] == "layer":
        read["mean"] = results[-2]
    read["scale"] = results[-1]
    wanted = {"dweight": "yes" if "weight" in tensors else "no",
              "dbias": "yes" if "bias" in tensors else "no"}
    if stored and grads[1] is not None:
        read["dh"] = grads[1]
        wanted["residual"] = "add"
    if options.get("weights") == "all":
        wanted["weight_dims"] = _weight_dims(tensors)
    found = _call(ctx, "norm_backward", read, {
        "kind": options["kind"], "dim": options.get("dim", "-1"),
        "weight": "yes" if "weight" in tensors else "no", **wanted})
    names = ["dx"] + [n for n in ("dweight", "dbias") if wanted[n] == "yes"]
    found = dict(zip(names, found))
    for n in ("weight", "bias"):
        if n in tensors:
            found[n] = found["d" + n].view(tensors[n].shape)
    return _result(ctx, {"x": found["dx"], "residual": found["dx"],
                         "weight": found.get("weight"), "bias": found.get("bias")})


def _gemm_norm(ctx, grads):
    """The product and its statistics are computed anew."""
    tensors, _ = _saved(ctx)
    options = _given(ctx)
    _refuse("gemm_norm", (set(tensors) - {"a", "b", "gamma", "beta"}) |
            (set(options) & {"epilogue", "type_h"}) |
            ({"quantise"} if options.get("quantise", "no") != "no" else set()))
    _refuse("gemm_norm", {"results of save=True"} if grads[0] is None else set())
    a, b = tensors["a"], tensors["b"]
    kind = options.get("kind", "layer")
    wide = torch.float64 if a.dtype == torch.float64 else torch.float32
    h = _product(ctx, a, b, torch.empty(0, dtype=wide))
    results = _call(ctx, "norm", {"x": h}, {
        "kind": kind, "weight": "no", "save": "yes", "epsilon": options.get("epsilon", "1e-5")})
    read = {"x": h, "dy": grads[0].to(wide)}
    if "gamma" in tensors:
        read["weight"] = tensors["gamma"].to(wide)
    if kind == "layer":
        read["mean"] = results[-2]
    read["scale"] = results[-1]
    wanted = {"dweight": "yes" if "gamma" in tensors else "no",
              "dbias": "yes" if "beta" in tensors else "no"}
    found = _call(ctx, "norm_backward", read, {
        "kind": kind, "weight": "yes" if "gamma" in tensors else "no", **wanted})
    found = dict(zip(["dx"] + [n for n in ("dweight", "dbias") if wanted[n] == "yes"], found))
    out = {name: found[n].to(tensors[name].dtype)
           for name, n in (("gamma", "dweight"), ("beta", "dbias")) if n in found}
    dh = found["dx"].to(a.dtype)
    return _result(ctx, {"a": _product(ctx, dh, _flipped(b), a),
                         "b": _product(ctx, _flipped(a), dh, b), **out})


def _weight_dims(tensors):
    """Those along which weights of channels do not repeat."""
    shape = tensors["weight" if "weight" in tensors else "bias"].shape \
        if {"weight", "bias"} & set(tensors) else ()
    return "+".join(str(d) for d, n in enumerate(shape) if n != 1) or "1"


def _cross_entropy(ctx, grads):
    tensors, results = _saved(ctx)
    options = _given(ctx)
    if grads[1] is not None:
        _refuse("cross_entropy", {"lse that is used"})
    dx, = _call(ctx, "cross_entropy_backward",
                {"x": tensors["x"], "class": tensors["class"], "lse": results[1],
                 "dloss": grads[0]},
                {n: v for n, v in options.items() if n in ("dim", "smoothing")})
    return _result(ctx, {"x": dx})


# ---- attention ----------------------------------------------------------------------------------


_SCORES = ("causal", "left", "right", "sink_keys", "scale", "corner", "cap", "dropout", "seed",
           "offset")


def _attention(ctx, grads):
    tensors, results = _saved(ctx)
    options = _given(ctx)
    _refuse("attention", set(options) & {"scale_o", "type_o", "epilogue"})
    _refuse("attention", set(tensors) & {"key_lengths"})
    if len(grads) > 1 and grads[1] is not None:
        _refuse("attention", {"lse that is used"})
    kept = {n: options[n] for n in _SCORES if n in options}
    slopes = tensors.get("slopes")
    if slopes is not None:
        _refuse("attention", {"slopes that need one"} if slopes.requires_grad else set())
    wants_bias = "bias" in tensors and tensors["bias"].requires_grad
    if wants_bias:
        kept["dbias"] = "yes"
    read = {n: tensors[n] for n in ("q", "k", "v", "bias", "slopes") if n in tensors}
    out = grads[0].contiguous()
    found = _call(ctx, "attention_backward", {**read, "o": results[0], "do": out,
                                              "lse": results[1]}, kept)
    named = dict(zip(("q", "k", "v", "bias"), found))
    if wants_bias:
        named["bias"] = named["bias"].sum_to_size(tensors["bias"].shape)
    if "sinks" in tensors:
        named["sinks"] = _sinks(tensors["sinks"], results, out)
    return _result(ctx, named)


def _sinks(sinks, results, out):
    """A sink's part of each query's probability has no value: it only takes from the others."""
    delta = (out.float() * results[0].float()).sum(-1)
    part = -torch.exp(sinks[:, None] - results[1]) * delta
    return part.sum([d for d in range(part.dim()) if d != part.dim() - 2])


# ---- images -------------------------------------------------------------------------------------


def _convolution(ctx, grads):
    tensors, _ = _saved(ctx)
    options = _given(ctx)
    _refuse("conv", {"epilogue=" + options["epilogue"]} if options.get(
        "epilogue", "none") not in ("none", "bias") else set())
    x, w = tensors["x"], tensors["w"]
    dy = grads[0].to(x.dtype)
    kept = {n: options[n] for n in ("stride", "padding", "dilation", "groups") if n in options}
    natural = NATURAL[str(x.dtype).rpartition(".")[2]]
    sizes = ["x".join(map(str, t.shape[2:])) for t in (x, w)]
    dx, = _call(ctx, "convolution", {"dy": dy, "w": w},
                {**kept, "pass": "data", "size": sizes[0], "type_y": natural})
    dw, = _call(ctx, "convolution", {"x": x, "dy": dy},
                {**kept, "pass": "weights", "kernel": sizes[1], "type_y": natural})
    found = {"x": dx, "w": dw}
    if "bias" in tensors:
        found["bias"] = dy.sum([0] + list(range(2, dy.dim()))).to(tensors["bias"].dtype)
    return _result(ctx, found)


_WINDOW = ("kernel", "stride", "padding", "dilation", "padding_end")


def _pool(ctx, grads):
    tensors, results = _saved(ctx)
    options = _given(ctx)
    x = tensors["x"]
    read = {"dy": grads[0].to(x.dtype)}
    if options["kind"] == "max":
        read["where"] = results[1]
    kept = {n: options[n] for n in _WINDOW + ("kind", "count") if n in options}
    dx, = _call(ctx, "pool", read,
                {**kept, "pass": "backward", "size": "x".join(map(str, x.shape[2:]))})
    return _result(ctx, {"x": dx})


def _unfold(ctx, grads):
    """Unfolding and folding are each other's gradient."""
    tensors, _ = _saved(ctx)
    options = _given(ctx)
    kept = {n: options[n] for n in _WINDOW if n in options}
    if "y" in tensors:
        dy, = _call(ctx, "unfold", {"x": grads[0].to(tensors["y"].dtype)}, kept)
        return _result(ctx, {"y": dy})
    x = tensors["x"]
    dx, = _call(ctx, "unfold", {"y": grads[0].to(x.dtype).contiguous()},
                {**kept, "pass": "backward", "size": "x".join(map(str, x.shape[2:]))})
    return _result(ctx, {"x": dx})


# ---- experts ------------------------------------------------------------------------------------


def _layer(tensors, options, product):
    """The layer expert by expert, of products that have gradients."""
    x, index, weight = tensors["x"], tensors["index"], tensors["weight"]
    activation = getattr(torch.nn.functional, options["activation"])
    y = torch.zeros(x.shape, dtype=weight.dtype, device=x.device)
    for e in range(tensors["w1"].shape[0]):
        token, place = torch.nonzero(index == e, as_tuple=True)
        if not len(token):
            continue
        h = product(x[token], tensors["w1"][e])
        if options["gated"] == "yes":
            gate, value = h.chunk(2, -1)
            h = activation(gate) * value
        else:
            h = activation(h)
        part = product(h, tensors["w2"][e]).to(y.dtype) * weight[token, place][:, None]
        y = y.index_add(0, token, part)
    return y.to(x.dtype)


def _moe(ctx, grads):
    tensors, _ = _saved(ctx)
    options = _given(ctx)
    _refuse("moe", (set(tensors) - {"x", "index", "weight", "w1", "w2"}) |
            (set(options) & {"quantise", "epilogue", "type_y", "type_h", "type_w"}) |
            ({"activation=" + options["activation"]} if options["activation"] not in
             ("silu", "gelu", "relu", "sigmoid") else set()))

    def product(a, b):
        return torch.ops.tessera.gemm([a, b], "a,b", "", [], ctx.device)[0]

    wanted = ["x", "weight", "w1", "w2"]
    with torch.enable_grad():
        named = {n: t.detach().requires_grad_(n in wanted) for n, t in tensors.items()}
        y = _layer(named, options, product)
        found = torch.autograd.grad(y, [named[n] for n in wanted], grads[0].to(y.dtype),
                                    allow_unused=True)
    return _result(ctx, dict(zip(wanted, found)))


def _if_wanted(backward):
    """Results that nothing depends on have None for a gradient, and then so have the arguments."""
    def run(ctx, grads):
        return _result(ctx, {}) if all(g is None for g in grads) else backward(ctx, grads)
    return run


BACKWARD = {name: _if_wanted(backward) for name, backward in {
    "gemm": _gemm, "softmax": _softmax, "norm": _norm, "cross_entropy": _cross_entropy,
    "convolution": _convolution, "attention": _attention, "pool": _pool, "unfold": _unfold,
    "moe": _moe, "gemm_gemm": _gemm_gemm, "gemm_norm": _gemm_norm}.items()}
