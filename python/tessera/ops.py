# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on arrays: matrix products, softmax, norms, reductions, element-wise expressions.

    import numpy as np, tessera.ops as ops

    y = ops.gemm(a, b, epilogue="bias:n+gelu", bias=v)
    p = ops.softmax(y)

Kernels are made for the types and layouts at hand when they are first asked for, and kept in the
cache on disk; docs/operators.md describes the families. Arrays are NumPy's, PyTorch's, or whatever
speaks DLPack or the buffer protocol. They are used where they lie: strides are kept, never copied.
Results are new arrays without gaps, PyTorch's where an argument is, else NumPy's; or they are
written to `out`, which may have strides, too.

Common to all functions:

out        the array for the result, or a tuple of arrays where there are several results. It may
           not overlap with another argument.
device     a tessera.Device; None: tessera.default_device()
settings   further parameters of the family, as docs/operators.md and `tessera op explain FAMILY`
           list them: `compute="tf32"`, `tile_m=64`. `type="bf16"`, `type_y=...` and the like say
           what an array of unsigned integers holds, or what a new result shall hold.

UsageError (a ValueError) or TypeError says which argument is wrong, its value and what would be
accepted; nothing has been written then. Unsupported: the device can't compute it. ImportError:
libtessera-ops is not there. Several threads may call everything here at once.

PyTorch's tensors go through operators that are registered with it as tessera::NAME, so graphs that
have them compile (`torch.compile(fullgraph=True)`). Gradients: of `gemm` without epilogue, softmax,
log_softmax, layer_norm, rms_norm, group_norm, batch_norm, cross_entropy, attention (of f32, f16 and bf16),
convolutions whose epilogue is a bias, pooling, unfold, fold, and moe without scales; to ask for
another one raises an error.
"""
from __future__ import annotations

import math
import sys
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _native_ops as _native
from ._ops_call import call as _call_arrays
from ._ops_call import call_any as _call_any
from ._ops_call import number_of as _number_of
from ._ops_call import text_of as _text_of
from ._ops_call import tuned as _tuned
from ._ops_plans import Measured
from ._ops_structs import Struct
from .device import Device
from .device import device_of as _device_of
from .errors import UsageError

__all__ = ["Measured", "Normalised", "Sorted", "Struct", "append", "attention", "avg_pool", "batch_norm", "contract",
           "conv1d", "conv2d", "conv3d", "cross_entropy", "elementwise", "families", "fold", "gemm",
           "gemm_gemm", "gemm_norm", "group_norm", "layer_norm", "log_softmax", "max_pool", "moe", "moe_sort", "op", "reduce",
           "rms_norm", "rotary", "shuffle", "softmax", "topk", "tune", "unfold"]

Dims = Union[None, int, Sequence[int]]


class Normalised(NamedTuple):
    """What layer_norm and rms_norm give when there is more than y; None: not asked for."""
    y: Any
    h: Any = None        #: the sum of x and residual, like x
    mean: Any = None     #: f32, a number for each line
    scale: Any = None    #: f32, 1 / sqrt(variance + epsilon) of each line
    y_scale: Any = None  #: f32, what each line of y is to be multiplied by


def _torch():
    return sys.modules.get("torch")


def _is_any_torch(tensors):
    torch = _torch()
    return torch is not None and any([isinstance(t, torch.Tensor) for t in tensors])


def _expect_torch(tensors):
    torch = _torch()
    for n, t in tensors.items():
        if not isinstance(t, torch.Tensor):
            raise TypeError("argument '%s': expected a PyTorch tensor, as others are, found %s" % (
                n, type(t).__name__))


def _call(name, tensors, out, options, device):
    """Results in their order. What is None was not given."""
    for n in ("a", "b", "x", "q", "k", "v"):
        if n in tensors and tensors[n] is None:
            raise UsageError("%s: argument '%s': expected an array, found None" % (name, n))
    tensors = {n: t for n, t in tensors.items() if t is not None}
    options, numbers = _settled(options)
    if out is not None and not isinstance(out, (tuple, list)):
        out = (out,)
    if _is_any_torch(tensors.values()):
        _expect_torch({**tensors, **{"out[%d]" % i: t for i, t in enumerate(out or ())}})
        from ._ops_torch import call_torch
        return call_torch(name, tensors, out, options, numbers, _number_of(device))
    options.update({n: repr(v) for n, v in numbers.items()})
    return _call_arrays(name, tensors, out, options, _device_of(_number_of(device)))


def _settled(options):
    """Settings as text, but for floats: in graphs those may be unknown."""
    numbers = {n: v for n, v in options.items() if isinstance(v, float)}
    return {n: _text_of(n, v) for n, v in options.items()
            if v is not None and n not in numbers}, numbers


def _dims(dim: Dims) -> str:
    if dim is None:
        return "all"
    if isinstance(dim, (tuple, list)):
        return "+".join([str(d) for d in dim])
    return str(dim)


def _divided(named: Mapping[str, Any], is_tensor) -> Tuple[Dict[str, Any], Dict[str, Any]]:
    """Keywords that are arrays, and those that are settings."""
    tensors = {n: v for n, v in named.items() if is_tensor(v)}
    return tensors, {n: v for n, v in named.items() if n not in tensors}


def _is_tensor(value: Any) -> bool:
    return value is not None and not isinstance(value, (str, int, float, bool))


def _of_epilogue(named):
    """Keywords that are tensors of an epilogue, and the others."""
    tensors = {n: v for n, v in named.items() if n.startswith("epilogue_")}
    return tensors, {n: v for n, v in named.items() if n not in tensors}


def gemm(a: Any, b: Any, out: Any = None, epilogue: Optional[str] = None, *, alpha: float = 1,
         beta: float = 0, scale_a: Any = None, scale_b: Any = None,
         device: Optional[Device] = None, **more: Any) -> Any:
    """The product c = epilogue(alpha a b + beta c), of matrices or of batches of them.

    a          [..., m, k], rows or columns contiguous, or any strides
    b          [..., k, n]; dimensions before the last two repeat as NumPy's do
    out        [..., m, n]; with `beta` it is read, too
    epilogue   stages from the left to the right, "bias:n+gelu+residual"; their tensors are given
               as keywords: bias=[n], residual=[..., m, n]
    scale_a    what a is multiplied by: one number, one for each row [m], or one for each group
               along k of each row [m, k/group]
    scale_b    the same for b: one number, [n], or [k/group, n/group_n]

    `combine_a="a*b"` makes a an expression of a and the keywords a2=, a3=, a4=; `combine_b` of b,
    b2=, ...; `combine` makes c one of the product (a) and d=, d2=, d3= (b, c, d). `gate="silu"`
    takes b with the columns of two matrices.

    Gives [..., m, n]: i32 for integers, f16 for floats of 8 bits and less, else a's and b's type,
    unless `type_c` or the epilogue says otherwise; with the stage quantise:row a pair, c and what
    each row is to be multiplied by, f32. Elements of 4 bits lie two to a byte along the
    dimension with stride 1 (`type_b="i4"`). Raises UsageError when shapes don't fit.

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.gemm(np.ones((2, 3), "f"), np.ones((3, 2), "f"), epilogue="relu", alpha=2)
    array([[6., 6.],
           [6., 6.]], dtype=float32)
    """
    extra, settings = _divided(more, _is_tensor)
    if beta != 0 and out is None:
        raise UsageError("gemm: beta=%r adds to what the result held, so out= is needed" % (beta,))
    reads = {"a": a, "b": b, "scale_a": scale_a, "scale_b": scale_b, **extra}
    options = {"epilogue": epilogue, "alpha": None if alpha == 1 else alpha,
               "beta": None if beta == 0 else beta, **settings}
    results = _call("gemm", reads, out, options, device)
    return results[0] if len(results) == 1 else tuple(results)


def attention(q: Any, k: Any, v: Any, out: Any = None, *, causal: bool = False,
              scale: Optional[float] = None, bias: Any = None, slopes: Any = None,
              sinks: Any = None, window: Tuple[Optional[int], Optional[int]] = (None, None),
              cap: float = 0, dropout: float = 0, seed: int = 0, lse: bool = False,
              key_lengths: Any = None, table: Any = None, epilogue: Optional[str] = None,
              device: Optional[Device] = None, **more: Any) -> Any:
    """epilogue(softmax(scale q k^T + bias) v) for each head.

    q        [batch, heads, tokens, size], or without batch; any strides, the last one 1
    k        [batch, kv_heads, keys, size]; kv_heads divides heads, which share keys in their order
    v        [batch, kv_heads, keys, size of results]
    causal   a query sees no key behind its place; the last query is aligned with the last key
             (`corner="top"`: the first with the first)
    scale    None: 1 / sqrt(size)
    bias     added to scores; repeats as NumPy's arrays do to [batch, heads, tokens, keys]
    slopes   f32 [heads] or [batch, heads]: scores fall by it times the distance (ALiBi)
    sinks    f32 [heads]: one more score of each head, without a value
    window   how many keys before and behind its place a query sees
    cap      scores become cap * tanh(score / cap)
    dropout  part of the probabilities that is left out, by `seed`
    lse      give the logarithms of sums, too: f32 [batch, heads, tokens]
    key_lengths  i32 [batch]: k and v are a cache of which each sequence has so many keys
    table        i32 [batch, pages of a sequence]: the cache is [pages, kv_heads, keys of a page,
                 size], and this says in which pages the keys of a sequence are
    epilogue as gemm's; its tensors are keywords that begin with epilogue_: epilogue_residual= like
             the result, spans of m [batch, tokens], of n [heads, size of v]

    Gives [batch, heads, tokens, size of v], of q's type unless `type_o` or the epilogue says
    otherwise; or a tuple with lse, and with what quantise:row has found of each query of a head.

    >>> import numpy as np, tessera.ops
    >>> x = np.ones((1, 2, 3, 4), np.float32)
    >>> tessera.ops.attention(x, x, x, causal=True).shape
    (1, 2, 3, 4)
    """
    extra, settings = _of_epilogue(more)
    left, right = window
    options = {"epilogue": epilogue, "causal": "yes" if causal else None, "scale": None if scale is None else float(scale),
               "left": left, "right": right, "cap": float(cap) if cap else None,
               "dropout": float(dropout) if dropout else None, "seed": seed or None,
               "lse": "yes" if lse or (out is None and _needs_gradient(q, k, v)) else None,
               **settings}
    reads = {"q": q, "k": k, "v": v, "bias": bias, "slopes": slopes, "sinks": sinks,
             "key_lengths": key_lengths, "table": table, **extra}
    if table is not None and key_lengths is None:
        raise UsageError("attention: argument 'table': expected with 'key_lengths'")
    results = list(_call("attention", reads, out, options, device))
    if options["lse"] and not lse:
        del results[1]  # kept for the gradient
    return results[0] if len(results) == 1 else tuple(results)


def append(k: Any, v: Any, new_k: Any, new_v: Any, key_lengths: Any, table: Any = None, *,
           cos: Any = None, sin: Any = None, q: Any = None, interleaved: bool = False,
           device: Optional[Device] = None, **settings: Any) -> Any:
    """Puts new keys and values behind those of caches, which change.

    k, v          the caches, as attention takes them with key_lengths and table
    new_k, new_v  [batch, kv_heads, tokens, size]; what doesn't fit is left out
    key_lengths   i32 [batch]: keys before; they stay what they are
    cos, sin      [places, pairs]: new keys are turned by their places (as by `rotary`)
    q             [batch, heads, tokens, size]: queries, turned by the places of the new keys
                  (`places="same"`: all by the first one's)

    Gives the caches, and queries that were turned.
    """
    reads = {"new_k": new_k, "new_v": new_v, "key_lengths": key_lengths, "table": table,
             "cos": cos, "sin": sin, "q": q}
    for n, t in (("k", k), ("v", v), ("new_k", new_k), ("new_v", new_v)):
        if t is None:
            raise UsageError("append: argument '%s': expected an array, found None" % n)
    if (cos is None) != (sin is None) or (q is not None and cos is None):
        raise UsageError("append: arguments 'cos' and 'sin': expected both, and with 'q'")
    turned = () if q is None else (_empty_like(q),)
    options = {"pairs": "interleaved" if interleaved else None, **settings}
    reads = {n: t for n, t in reads.items() if t is not None}
    return tuple(_call("append", reads, (k, v) + turned, options, device))


def _empty_like(x):
    if _is_any_torch([x]):
        import torch
        return torch.empty(x.shape, dtype=x.dtype, device=x.device)
    import numpy
    return numpy.empty(x.shape, x.dtype)


def contract(dims: str, a: Any, b: Any, out: Any = None, *, epilogue: Optional[str] = None,
             alpha: float = 1, device: Optional[Device] = None, **settings: Any) -> Any:
    """Sums of products over any dimensions, "gmk,gkn->gmn": a letter for each dimension of a, of b
    and of the result. Arrays are used where they lie, whatever their strides.

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.contract("ij,kj->ik", np.eye(2), np.arange(4.0).reshape(2, 2))
    array([[0., 2.],
           [1., 3.]])
    """
    extra, settings = _divided(settings, _is_tensor)
    options = {"dims": dims.replace(" ", "").replace(",", "*"), "epilogue": epilogue,
               "alpha": None if alpha == 1 else float(alpha), **settings}
    return _call("contraction", {"a": a, "b": b, **extra}, out, options, device)[0]


def _softmax(kind, x, out, dim, device, settings):
    return _call("softmax", {"x": x}, out, {"kind": kind, "dim": _dims(dim), **settings},
                 device)[0]


def softmax(x: Any, out: Any = None, *, dim: Dims = -1, device: Optional[Device] = None,
            **settings: Any) -> Any:
    """exp(x) over its sum along `dim`: a dimension, several, or None for all. Like x.

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.softmax(np.zeros((1, 4), np.float32))
    array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
    """
    return _softmax("softmax", x, out, dim, device, settings)


def log_softmax(x: Any, out: Any = None, *, dim: Dims = -1, device: Optional[Device] = None,
                **settings: Any) -> Any:
    """The natural logarithm of softmax. Like x."""
    return _softmax("log_softmax", x, out, dim, device, settings)


def _needs_gradient(*tensors):
    """Whether the forward pass should keep what a backward pass takes."""
    torch = _torch()
    return torch is not None and torch.is_grad_enabled() and any(
        isinstance(t, torch.Tensor) and t.requires_grad for t in tensors)


def _norm(kind, x, weight, bias, out, options, residual, store_sum, save, quantise, smooth, device):
    extra, options = _of_epilogue(options)
    reads = {"x": x, "residual": residual, "weight": weight, "bias": bias, "smooth": smooth, **extra}
    if store_sum and residual is None:
        raise UsageError("%s_norm: store_sum=True stores x + residual; give residual=" % kind)
    how = "smooth" if smooth is not None else "row" if quantise else None
    kept = save or (out is None and not how and _needs_gradient(x, residual, weight, bias))
    options = {"kind": kind, "weight": weight is not None, "bias": bias is not None,
               "residual": None if residual is None else "store" if store_sum else "add",
               "save": bool(kept), "quantise": how, **options}
    results = _call("norm", reads, out, options, device)
    names = ["y"] + (["h"] if store_sum else [])
    names += (["mean"] if kind == "layer" else []) + ["scale"] if kept else []
    found = dict(zip(names + (["y_scale"] if how else []), results))
    if not save:
        found.pop("mean", None)
        found.pop("scale", None)
    return results[0] if len(found) == 1 else Normalised(**found)


def layer_norm(x: Any, weight: Any = None, bias: Any = None, out: Any = None, *, dim: Dims = -1,
               epsilon: float = 1e-5, residual: Any = None, store_sum: bool = False,
               save: bool = False, quantise: bool = False, smooth: Any = None,
               device: Optional[Device] = None, **settings: Any) -> Any:
    """(h - mean) / sqrt(variance + epsilon) * weight + bias along `dim`, of h = x + residual.

    x, residual   of one shape
    weight, bias  the sizes of `dim`
    store_sum     give h as well
    save          give mean and 1 / sqrt(variance + epsilon) of each line as well, as f32
    quantise      y is i8 (or `type_y`), and y_scale holds what each line is to be multiplied by
    smooth        like weight: multiplied by before a line is quantised, which it implies

    `epilogue="residual+gelu"` changes y's elements before they are quantised. Its tensors are
    keywords that begin with epilogue_: epilogue_residual= like x, spans of n like weight, of m a
    number for each line.

    Gives y, like x; or Normalised when there is more, in which case `out` is a tuple of arrays for
    all that it has.
    """
    return _norm("layer", x, weight, bias, out, {"dim": _dims(dim), "epsilon": epsilon, **settings},
                 residual, store_sum, save, quantise, smooth, device)


def rms_norm(x: Any, weight: Any = None, out: Any = None, *, dim: Dims = -1,
             epsilon: float = 1e-5, residual: Any = None, store_sum: bool = False,
             save: bool = False, quantise: bool = False, smooth: Any = None,
             device: Optional[Device] = None, **settings: Any) -> Any:
    """h / sqrt(mean of h^2 + epsilon) * weight along `dim`, of h = x + residual: arguments and
    results as of layer_norm, without bias and mean."""
    return _norm("rms", x, weight, None, out, {"dim": _dims(dim), "epsilon": epsilon, **settings},
                 residual, store_sum, save, quantise, smooth, device)


def _of_channels(name, x, weight, bias, shape, dim, epsilon, save, device, settings):
    """A norm whose weights are numbers of channels; x as `shape`."""
    channels = x.shape[1]
    for n, t in (("weight", weight), ("bias", bias)):
        if t is not None and tuple(t.shape) != (channels,):
            raise UsageError("%s: argument '%s': expected the shape (%d,), found %s" % (
                name, n, channels, tuple(t.shape)))
    line = tuple([n if d in (1, 2) and len(shape) == 4 or d == 1 else 1
                  for d, n in enumerate(shape)])
    weight, bias = (None if t is None else t.reshape(line) for t in (weight, bias))
    settings = {n: v.reshape(shape) if _is_tensor(v) and tuple(v.shape) == tuple(x.shape) else v
                for n, v in settings.items()}
    options = {"dim": dim, "epsilon": epsilon, "weights": "all", **settings}
    found = _norm("layer", x.reshape(shape), weight, bias, None, options, None, False, save, False,
                  None, device)
    return found._replace(y=found.y.reshape(x.shape)) if save else found.reshape(x.shape)


def group_norm(x: Any, groups: int, weight: Any = None, bias: Any = None, *,
               epsilon: float = 1e-5, save: bool = False, device: Optional[Device] = None,
               **settings: Any) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * weight + bias for each group of the channels of
    [batch, channels, ...], NumPy's or PyTorch's; weight and bias [channels].

    Gives y, like x; or, with `save`, Normalised, whose mean and scale are [batch, groups].
    """
    if len(x.shape) < 2 or groups < 1 or x.shape[1] % groups:
        raise UsageError("group_norm: groups=%d: expected a divisor of the channels of the shape %s"
                         % (groups, tuple(x.shape)))
    shape = (x.shape[0], groups, x.shape[1] // groups, math.prod(x.shape[2:]))
    return _of_channels("group_norm", x, weight, bias, shape, "2+3", epsilon, save, device,
                        settings)


def batch_norm(x: Any, weight: Any = None, bias: Any = None, *, epsilon: float = 1e-5,
               save: bool = False, device: Optional[Device] = None, **settings: Any) -> Any:
    """The same over the batch and all pixels of each channel, as training does; with `save` mean
    and scale are [channels]."""
    if len(x.shape) < 2:
        raise UsageError("batch_norm: argument 'x': expected [batch, channels, ...], found the "
                         "shape %s" % (tuple(x.shape),))
    shape = (x.shape[0], x.shape[1], math.prod(x.shape[2:]))
    return _of_channels("batch_norm", x, weight, bias, shape, "0+2", epsilon, save, device,
                        settings)


def _sizes_text(name, value):
    if isinstance(value, (tuple, list)):
        return "x".join([str(int(n)) for n in value])
    return _text_of(name, value)


def _convolution(rank, x, w, bias, out, stride, padding, dilation, groups, epilogue, device,
                 settings):
    if len(getattr(x, "shape", ())) != rank + 2:
        raise UsageError("conv%dd: argument 'x': expected %d dimensions, found the shape %s" % (
            rank, rank + 2, tuple(getattr(x, "shape", ()))))
    extra, settings = _divided(settings, _is_tensor)
    if bias is not None:
        epilogue = "bias" + ("+" + epilogue if epilogue else "")
    options = {"epilogue": epilogue, "stride": _sizes_text("stride", stride),
               "padding": _sizes_text("padding", padding),
               "dilation": _sizes_text("dilation", dilation), "groups": groups, **settings}
    return _call("convolution", {"x": x, "w": w, "bias": bias, **extra}, out, options, device)[0]


def conv1d(x: Any, w: Any, bias: Any = None, out: Any = None, *, stride: Any = 1, padding: Any = 0,
           dilation: Any = 1, groups: int = 1, epilogue: Optional[str] = None,
           device: Optional[Device] = None, **settings: Any) -> Any:
    """As conv2d, of [batch, channels, length]."""
    return _convolution(1, x, w, bias, out, stride, padding, dilation, groups, epilogue, device,
                        settings)


def conv2d(x: Any, w: Any, bias: Any = None, out: Any = None, *, stride: Any = 1, padding: Any = 0,
           dilation: Any = 1, groups: int = 1, epilogue: Optional[str] = None,
           device: Optional[Device] = None, **settings: Any) -> Any:
    """Images [batch, channels, height, width] with filters [filters, channels / groups, ...].

    stride, padding, dilation   a number, or one for each dimension of images
    bias                        [filters]
    epilogue                    stages after the bias, as of gemm; filters are the columns

    Any strides: results have gaps nowhere and channels before images, unless `out` lies otherwise.
    """
    return _convolution(2, x, w, bias, out, stride, padding, dilation, groups, epilogue, device,
                        settings)


def conv3d(x: Any, w: Any, bias: Any = None, out: Any = None, *, stride: Any = 1, padding: Any = 0,
           dilation: Any = 1, groups: int = 1, epilogue: Optional[str] = None,
           device: Optional[Device] = None, **settings: Any) -> Any:
    """As conv2d, of [batch, channels, depth, height, width]."""
    return _convolution(3, x, w, bias, out, stride, padding, dilation, groups, epilogue, device,
                        settings)


def _windows(stride, kernel, padding, dilation):
    return {"kernel": _sizes_text("kernel", kernel), "padding": _sizes_text("padding", padding),
            "stride": _sizes_text("stride", kernel if stride is None else stride),
            "dilation": _sizes_text("dilation", dilation)}


def max_pool(x: Any, kernel: Any, out: Any = None, *, stride: Any = None, padding: Any = 0,
             dilation: Any = 1, indices: bool = False, device: Optional[Device] = None,
             **settings: Any) -> Any:
    """The largest number of each window of images [batch, channels, ...] of one to three
    dimensions.

    kernel    sizes of the window: a number, or one for each dimension; stride None: the same
    indices   give the places of these numbers in their image, too, i32, row by row

    Gives [batch, channels, ...], or a pair with `indices`.

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.max_pool(np.arange(6.0).reshape(1, 1, 6), 2)
    array([[[1., 3., 5.]]])
    """
    kept = indices or (out is None and _needs_gradient(x))
    options = {"kind": "max", "where": "yes" if kept else None,
               **_windows(stride, kernel, padding, dilation), **settings}
    results = _call("pool", {"x": x}, out, options, device)
    return tuple(results) if indices else results[0]


def avg_pool(x: Any, kernel: Any, out: Any = None, *, stride: Any = None, padding: Any = 0,
             count_padding: bool = True, device: Optional[Device] = None, **settings: Any) -> Any:
    """The average of each window, as of max_pool; count_padding=False: of what lies in the image."""
    options = {"kind": "average", "count": "all" if count_padding else "image",
               **_windows(stride, kernel, padding, 1), **settings}
    return _call("pool", {"x": x}, out, options, device)[0]


def unfold(x: Any, kernel: Any, out: Any = None, *, stride: Any = 1, padding: Any = 0,
           dilation: Any = 1, device: Optional[Device] = None, **settings: Any) -> Any:
    """What each window of images [batch, channels, ...] sees, as a line: [batch, places, elements
    of the window, channels]."""
    options = {**_windows(stride, kernel, padding, dilation), **settings}
    return _call("unfold", {"x": x}, out, options, device)[0]


def fold(y: Any, size: Any, kernel: Any, out: Any = None, *, stride: Any = 1, padding: Any = 0,
         dilation: Any = 1, device: Optional[Device] = None, **settings: Any) -> Any:
    """Images of `size` (as "56x56" or (56, 56)) whose pixels are the sums of all that unfold would
    have taken from them: [batch, channels, ...]."""
    options = {"pass": "backward", "size": _sizes_text("size", size),
               **_windows(stride, kernel, padding, dilation), **settings}
    return _call("unfold", {"y": y}, out, options, device)[0]


class Sorted(NamedTuple):
    """What moe_sort gives."""
    ids: Any            #: i32 [rows]: number of the pair, token * top + place; of padding, as many
    experts: Any        #: i32 [rows / unit]: expert of each unit; behind the last one -1
    offsets: Any        #: i32 [experts + 1]: where each expert's rows begin, and the last one's end
    weight: Any = None  #: [rows]: of each pair, 0 of padding


def moe_sort(index: Any, experts: int, weight: Any = None, out: Any = None, *, unit: int = 32,
             device: Optional[Device] = None, **settings: Any) -> Sorted:
    """Pairs of tokens and experts, sorted by expert, for `gemm:rows=sorted`.

    index    i32 [tokens, top]: experts of each token; a number that is none of 0 to experts - 1
             has no row
    weight   [tokens, top], sorted as well
    unit     rows of an expert are rounded up to a multiple of it

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.moe_sort(np.array([[1], [0], [1]], np.int32), 2, unit=2).ids
    array([1, 3, 0, 2], dtype=int32)
    """
    options = {"experts": experts, "unit": unit, **settings}
    return Sorted(*_call("moe_sort", {"index": index, "weight": weight}, out, options, device))


def moe(x: Any, index: Any, weight: Any, w1: Any, w2: Any, out: Any = None, *,
        activation: str = "silu", gated: bool = True, scale_x: Any = None, scale_w1: Any = None,
        scale_w2: Any = None, smooth: Any = None, quantise: bool = False,
        epilogue: Optional[str] = None, device: Optional[Device] = None, **more: Any) -> Any:
    """A layer of experts: the sum over a token's experts e of weight (h w2[e]), where h is
    activation(x g[e]) * (x u[e]), or without `gated` activation(x w1[e]).

    x         [tokens, hidden]
    index     i32 [tokens, top]: experts of each token; what is none of them adds nothing
    weight    f32 [tokens, top]
    w1        [experts, hidden, 2 inter]: g, then u; or [experts, hidden, inter]
    w2        [experts, inter, hidden]; both with contiguous rows, or both with columns
    scale_x   what x is multiplied by: a number, [tokens], or [tokens, hidden / group]
    scale_w1, scale_w2   for each expert a number, one for each column, or [inputs / group, columns]
    smooth    [experts, inter]: h is multiplied by it
    quantise  rows of h are quantised to x's type, or `type_h`

    Gives [tokens, hidden]: x's type, or f16 where that has 8 bits, unless `type_y` says otherwise.
    """
    extra, settings = _divided(more, _is_tensor)
    options = {"activation": activation, "gated": "yes" if gated else "no",
               "quantise": "row" if quantise else None, "epilogue": epilogue, **settings}
    reads = {"x": x, "index": index, "weight": weight, "w1": w1, "w2": w2, "scale_x": scale_x,
             "scale_w1": scale_w1, "scale_w2": scale_w2, "smooth": smooth, **extra}
    return _call("moe", reads, out, options, device)[0]


def gemm_norm(a: Any, b: Any, gamma: Any = None, beta: Any = None, out: Any = None, *,
              kind: str = "layer", epilogue: Optional[str] = None, epsilon: float = 1e-5,
              save: bool = False, quantise: bool = False, device: Optional[Device] = None,
              **settings: Any) -> Any:
    """The rows of a b, normalised: of the kind "layer", or "rms", which has no beta.

    a, b         [m, k] and [k, n]; rows or columns without gaps
    gamma, beta  [n], what normalised rows are multiplied by, and what is added
    epilogue     what becomes of a b before; its tensors are keywords
    save         give mean (of the kind layer) and scale of each row, too
    quantise     by row: i8, and y_scale. Of several results a Normalised.

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.gemm_norm(np.eye(2), np.array([[3.0, 5.0], [4.0, 2.0]]), epsilon=0.0)
    array([[-1.,  1.],
           [ 1., -1.]])
    """
    extra, settings = _divided(settings, _is_tensor)
    options = {"kind": kind, "epilogue": epilogue, "epsilon": float(epsilon),
               "save": "yes" if save else None, "quantise": "row" if quantise else None, **settings}
    found = _call("gemm_norm", {"a": a, "b": b, "gamma": gamma, "beta": beta, **extra}, out,
                  options, device)
    if len(found) == 1:
        return found[0]
    names = ["y"] + (["mean", "scale"][kind == "rms":] if save else [])
    return Normalised(**dict(zip(names + ["y_scale"], found)))


def gemm_gemm(a: Any, b0: Any, b1: Any, out: Any = None, *, between: Optional[str] = None,
              softmax: Optional[str] = None, epilogue: Optional[str] = None, alpha: float = 1,
              device: Optional[Device] = None, **settings: Any) -> Any:
    """softmax(between(alpha a b0)) b1, for matrices or batches of them, of which rows or columns
    have no gaps. `between` and `epilogue` are specifications as `gemm` takes them; their tensors
    are keywords, those of `between` with that word in front (between_bias). `softmax` "row" makes
    the rows of the first product probabilities, "causal" of the columns up to the row's number.

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.gemm_gemm(np.eye(2), np.diag([2.0, -1.0]), np.ones((2, 1)), between="relu")
    array([[2.],
           [0.]])
    """
    extra, settings = _divided(settings, _is_tensor)
    options = {"between": between, "softmax": softmax, "epilogue": epilogue,
               "alpha": None if alpha == 1 else float(alpha), **settings}
    return _call("gemm_gemm", {"a": a, "b0": b0, "b1": b1, **extra}, out, options, device)[0]


def shuffle(x: Any, kind: str = "weights", out: Any = None, *, rows: bool = False,
            columns: int = 16, device: Optional[Device] = None, **settings: Any) -> Any:
    """Weights or scales in the order of matrix instructions, as `gemm` takes them with
    `b="shuffled"` and `scale_order="shuffled"`: in blocks, filled up with zeros.

    x        weights [..., k, n], or (kind "scales") numbers [..., groups, n]; any of the two
             dimensions may be contiguous
    rows     scales of the left matrix: [..., m, groups]
    columns  of a matrix instruction, 16 or 32

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.shuffle(np.zeros((40, 20), np.float16)).shape
    (2, 2, 4, 16, 8)
    """
    if columns not in (16, 32):
        raise UsageError("shuffle: columns=%r: expected 16 or 32" % (columns,))
    options = {"kind": kind, "shuffle": "n%d" % columns, "lines": "rows" if rows else None,
               **settings}
    return _call("shuffle", {"x": x}, out, options, device)[0]


def cross_entropy(x: Any, classes: Any, out: Any = None, *, dim: int = -1, smoothing: float = 0,
                  lse: bool = False, device: Optional[Device] = None, **settings: Any) -> Any:
    """The loss of each line of logits along `dim`, given its class, i32 or i64; lines whose class
    is none of theirs have the loss 0. With `lse` a pair: losses, and the logarithms of sums.

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.cross_entropy(np.zeros((1, 8), np.float32), np.array([3])).round(3)
    array([2.079], dtype=float32)
    """
    options = {"dim": _dims(dim), "smoothing": float(smoothing) if smoothing else None,
               "lse": "yes" if lse or (out is None and _needs_gradient(x)) else None, **settings}
    results = _call("cross_entropy", {"x": x, "class": classes}, out, options, device)
    return tuple(results) if lse else results[0]


def topk(x: Any, k: int, out: Any = None, *, softmax: str = "no", device: Optional[Device] = None,
         **settings: Any) -> Tuple[Any, Any]:
    """The k largest numbers along the last dimension in falling order, and their places, i32.
    softmax="row" gives probabilities among all numbers of the line, "chosen" among these.

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.topk(np.array([[1, 4, 3]], np.float32), 2)[1]
    array([[1, 2]], dtype=int32)
    """
    y, index = _call("topk", {"x": x}, out, {"k": k, "softmax": softmax, **settings}, device)
    return y, index


def rotary(x: Any, cos: Any, sin: Any, out: Any = None, *, interleaved: bool = False,
           device: Optional[Device] = None, **settings: Any) -> Any:
    """Pairs of elements of each token turned by its angles. Like x.

    x         [batch, heads, tokens, size], or without batch
    cos, sin  [tokens, pairs]; elements behind the pairs stay
    """
    options = {"pairs": "interleaved" if interleaved else None, **settings}
    return _call("rotary", {"x": x, "cos": cos, "sin": sin}, out, options, device)[0]


def elementwise(expression: str, *tensors: Any, out: Any = None, device: Optional[Device] = None,
                **more: Any) -> Any:
    """An expression of arrays, which repeat as NumPy's do: "relu(a * 2 + b)".

    The first array is a, the next one b, up to h; or they are given by these names. Functions are
    listed in docs/operators.md; numbers are written into the expression. Gives an array of a's
    type, unless `type_y` says otherwise: integers are rounded and saturated.

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.elementwise("a*b + 1", np.arange(3.0), np.full((2, 1), 10.0))
    array([[ 1., 11., 21.],
           [ 1., 11., 21.]])
    """
    if len(tensors) > 8:
        raise UsageError("elementwise: %d arrays; expected at most 8" % len(tensors))
    named, settings = _divided(more, _is_tensor)
    reads = dict(zip("abcdefgh", tensors))
    for n in named:
        if n in reads or n not in tuple("abcdefgh"):
            raise UsageError("elementwise: argument '%s': %s" % (
                n, "given twice" if n in reads else "expected arrays by the names a to h"))
    reads.update(named)
    return _call("elementwise", reads, out, {"expression": expression, **settings}, device)[0]


def reduce(x: Any, operations: str = "sum", out: Any = None, *, dim: Dims = None,
           keepdims: bool = False, device: Optional[Device] = None, **settings: Any) -> Any:
    """Sums, extremes and others along `dim`: a dimension, several, or None for all.

    operations   some of sum product max min mean amax norm1 norm2 squares, with + between
    keepdims     dimensions that go have the size 1 in results

    Gives an array for each operation, in a tuple if there are several: of x's type, of i32 (i64)
    for integers, unless `type_y` says otherwise.

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.reduce(np.arange(6.0).reshape(2, 3), "sum+max", dim=0)
    (array([3., 5., 7.]), array([3., 4., 5.]))
    """
    options = {"operations": operations, "dim": _dims(dim), "keepdims": str(bool(keepdims)),
               **settings}
    results = _call("reduce", {"x": x}, out, options, device)
    return results[0] if len(results) == 1 else tuple(results)


def op(family: str, tensors: Mapping[str, Any], out: Optional[Mapping[str, Any]] = None, *,
       device: Optional[Device] = None, **settings: Any) -> Dict[str, Any]:
    """Any family of operators, by its parameters alone: sizes and strides are given, too.

    family     its name, or its name with parameters: "gemm:type=bf16,b=column"
    tensors    what is read, by name
    out        what is written, all of it, by name; None: new arrays
    settings   values of parameters, before those in `family`

    Gives the results by their names. Shapes, strides and types of arrays must be those of the
    problem.

    >>> import numpy as np, tessera.ops
    >>> tessera.ops.op("reduce:operations=max", {"x": np.arange(4.0)}, type="f64", shape="4")
    {'max': array(3.)}
    """
    options, numbers = _settled(settings)
    if _is_any_torch(list(tensors.values()) + list((out or {}).values())):
        _expect_torch({**tensors, **(out or {})})
        from ._ops_torch import call_torch_any
        return call_torch_any(family, tensors, out, options, numbers, _number_of(device))
    options.update({n: repr(v) for n, v in numbers.items()})
    return _call_any(family, tensors, out, options, _device_of(_number_of(device)))


def tune(function: Callable[..., Any], *arguments: Any, seconds: float = 10,
         **keywords: Any) -> List[Measured]:
    """Measures all instances of what a call of `function` computes, for about `seconds`.

    The fastest one is remembered in the tuning store (docs/tuning.md), and computes the same
    problem from then on, here and in other processes. Gives what was measured or refused.

    >>> import numpy as np, tessera.ops as ops
    >>> x = np.zeros((64, 64), np.float32)
    >>> any(m.ms for m in ops.tune(ops.softmax, x, seconds=0.1))
    True
    """
    return _tuned(float(seconds), function, arguments, keywords)


def families() -> Dict[str, str]:
    """The families and what they compute, in a sentence each."""
    functions = _native.functions
    names = [functions.family_name(i) for i in range(functions.family_count())]
    return {n.decode(): functions.family_about(n).decode() for n in names}
