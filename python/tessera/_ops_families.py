# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How arrays become problems of the operators' families, and what shapes results have.

A family here has
    elem(name, options)       what its parameters say that a tensor holds; None: nothing
    shapes(tensors, options)  the results' names, in their order, and shapes
    problem(tensors, options) settings of the library's problem, and the tensors as it has them
    blank(tensors)            tensors of which kernels are not compiled, with the same types; or
                              none, where the function `blank` of _ops_shapes.py will do
Options are text, by the names of parameters; those of Python alone are `dim`, `keepdims` and
`lines`.
"""
from __future__ import annotations

from typing import Dict, Optional, Tuple

from . import _ops_chains as chains
from . import _ops_experts as experts
from . import _ops_images as images
from . import _ops_tokens as tokens
from ._ops_arrays import Tensor, broadcast, common_shape
from ._ops_shapes import (EPILOGUE, Options, Problem, Settings, Tensors, blank, collapsed, divided,
                          number, with_stages)
from .errors import UsageError

# ---- gemm ---------------------------------------------------------------------------------------


_MORE = {"a": ("a2", "a3", "a4"), "b": ("b2", "b3", "b4"), "d": ("d", "d2", "d3")}
#: Tensors of gemm that are none of an epilogue's stages.
_OWN = ("a", "b", "c", "scale_a", "scale_b", "row_scale") + _MORE["a"] + _MORE["b"] + _MORE["d"]


class _Gemm:
    name = "gemm"
    sizes = ("m", "n", "k")

    def elem(self, name: str, options: Options) -> Optional[str]:
        if name in ("a", "b"):
            return options.get("type_" + name) or options.get("type")
        if name in ("scale_a", "scale_b"):
            return options.get("type_scale")
        return options.get("type_c") if name == "c" else None

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        a, b = tensors["a"], tensors["b"]
        m, n, _ = self._sizes(a, b, options)
        batch = common_shape([a, b], 2)
        out = {"c": batch + (m, n)}
        if "quantise:row" in options.get("epilogue", ""):
            out["row_scale"] = batch + (m,)
        return out

    def _sizes(self, a, b, options):
        for t in (a, b):
            if len(t.shape) < 2:
                raise UsageError("gemm: argument '%s': expected 2 dimensions or more, found the "
                                 "shape %s" % (t.name, tuple(t.shape)))
        if "k" not in options and a.shape[-1] != b.shape[-2]:
            raise UsageError("gemm: argument 'b': expected %s rows, as many as 'a' has columns, "
                             "found the shape %s" % (a.shape[-1], tuple(b.shape)))
        columns = b.shape[-1] // (1 if options.get("gate", "none") == "none" else 2)
        sizes = ("m", a.shape[-2]), ("n", columns), ("k", a.shape[-1])
        return tuple(number(options, key) if key in options else size for key, size in sizes)

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        a, b, c = tensors["a"], tensors["b"], tensors.get("c")
        m, n, k = self._sizes(a, b, options)
        batch = common_shape([a, b], 2)
        settings: Settings = [("type_a", a.elem), ("type_b", b.elem), ("m", str(m)), ("n", str(n)),
                              ("k", str(k))]
        out = dict(tensors)
        if c is not None:
            settings.append(("type_c", c.elem))
            if tuple(c.shape) != batch + (m, n):
                raise UsageError("gemm: argument 'c': expected the shape %s, found %s" % (
                    batch + (m, n), tuple(c.shape)))
        for name in ("a", "b", "c"):
            if name in tensors:
                out[name] = self._matrix(tensors[name], batch, settings)
        self._scales(out, k, options, settings)
        self._combined(out, batch, (m, n, k), settings)
        if "row_scale" in out:
            out["row_scale"], _ = collapsed(out["row_scale"], batch, 1)
        self._added(out, batch, m, n, settings)
        return settings, out

    def _matrix(self, t, batch, settings):
        t, step = collapsed(t, batch, 2)
        name, (rows, columns), (down, along) = t.name, t.shape[-2:], t.strides[-2:]
        if rows == 1:  # never stepped over; even, as rows of halves of bytes are
            down = max(columns * along + 1, 2) & ~1
        by_column = along != 1 and down == 1
        settings += [(name, "column" if by_column else "row"),
                     ("ld" + name, str(along if by_column else down))]
        inc = down if by_column else along
        if inc != 1:
            settings.append(("inc" + name, str(inc)))
        if step is not None:
            settings += [("batch_" + name, str(step))]
            if name == "a":
                settings.append(("batch", str(t.shape[0])))
        return t

    def _scales(self, tensors, k, options, settings):
        for side, line in (("a", "row"), ("b", "column")):
            t = tensors.get("scale_" + side)
            if t is None:
                continue
            count = 1
            for size in t.shape:
                count *= size
            long = [size for size in t.shape if size != 1]
            how = "tensor" if count == 1 else line if len(long) == 1 else "group"
            settings += [("scale_" + side, how), ("type_scale", t.elem)]
            if how == "group" and "group" not in options:
                groups = t.shape[-1 if side == "a" else 0]
                if k % groups:
                    raise UsageError("gemm: argument 'scale_%s': %d groups of %d columns of 'a' "
                                     "have no common size; give group=" % (side, groups, k))
                settings.append(("group", str(k // groups)))

    def _combined(self, tensors, batch, sizes, settings):
        """Tensors of combine_a, combine_b and combine repeat as NumPy's do."""
        (m, n, k), strides, types = sizes, [], []
        for names, shape in ((_MORE["a"], (m, k)), (_MORE["b"], (k, n)), (_MORE["d"], (m, n))):
            for name in names:
                if name not in tensors:
                    continue
                t = broadcast(tensors[name], batch + shape)
                t, step = collapsed(t, batch, 2)
                tensors[name] = t
                steps = ([step or 0] if ("batch" in dict(settings)) else []) + list(t.strides[-2:])
                strides.append("%s:%s" % (name, "x".join(map(str, steps))))
                types.append(t.elem)
        if strides:
            settings += [("strides", "+".join(strides)), ("types", "+".join(types))]

    def _added(self, tensors, batch, m, n, settings):
        """Tensors of an epilogue that have all elements lie alike."""
        known = False
        for name, t in list(tensors.items()):
            if name in _OWN or len(t.shape) < 2:
                continue
            if tuple(t.shape[-2:]) != (m, n) or len(t.shape) > len(batch) + 2:
                continue
            tensors[name], step = collapsed(t, batch, 2)
            down, along = t.strides[-2:]
            if not known:
                by_column = ("c", "column") in settings
                known = True
                ld = along if by_column else down
                if (n if by_column else m) > 1:
                    settings.append(("ldd", str(ld)))
                if step is not None:
                    settings.append(("batch_d", str(step)))


# ---- tensors of one shape -----------------------------------------------------------------------


def dims_of(options: Options, rank: int) -> Tuple[int, ...]:
    """The dimensions that `dim` names, from 0, in their order."""
    text = options.get("dim", "-1")
    rank = max(rank, 1)
    if text == "all":
        return tuple(range(rank))
    dims = []
    for word in text.split("+"):
        try:
            d = int(word)
        except ValueError:
            raise UsageError("dim=%s: expected a dimension, or several" % text) from None
        if not -rank <= d < rank or d % rank in dims:
            raise UsageError("dim=%s: expected each dimension once, from %d to %d" % (
                text, -rank, rank - 1))
        dims.append(d % rank)
    return tuple(sorted(dims))


class _Space:
    """Families of tensors that have all dimensions of one, or those that are kept or go."""

    sizes: Tuple[str, ...] = ()
    whole = "x"  # a tensor with all dimensions
    packed: Tuple[str, ...] = ()  # tensors without strides of their own
    kept: Tuple[str, ...] = ()  # tensors without the dimensions that go
    gone: Tuple[str, ...] = ()  # tensors with those alone

    def elem(self, name: str, options: Options) -> Optional[str]:
        if name in ("weight", "bias", "smooth"):
            return options.get("type_w")
        return options.get("type_y") if name in self.results(options) else options.get("type")

    def results(self, options: Options) -> Tuple[str, ...]:
        raise NotImplementedError

    def types(self, tensors: Tensors, options: Options) -> Settings:
        settings = [("type", tensors[self.whole].elem)]
        y = [tensors[n] for n in self.results(options)[:1] if n in tensors]
        return settings + [("type_y", t.elem) for t in y]

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        shape = tuple(tensors[self.whole].shape)
        kept = self._kept_shape(shape, options)
        return {n: kept if n in self.kept else shape for n in self.results(options)}

    def _kept_shape(self, shape, options):
        dims = dims_of(options, len(shape))
        if options.get("keepdims") == "True":
            return tuple(1 if d in dims else n for d, n in enumerate(shape))
        return tuple(n for d, n in enumerate(shape) if d not in dims)

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        self.refuse_shapes(options)
        shape = tuple(tensors[self.whole].shape) or (1,)
        dims = dims_of(options, len(shape))
        settings = self.types(tensors, options)
        settings += [("shape", "x".join(map(str, shape))), ("dims", "+".join(map(str, dims)))]
        strides = []
        for name, t in tensors.items():
            if name in self.packed:
                continue
            have = self._dims(name, dims, len(shape))
            steps = self._steps(t, have, shape)
            if steps:
                strides.append("%s:%s" % (name, "x".join(map(str, steps))))
        return settings + [("strides", "+".join(strides) or "packed")], dict(tensors)

    def refuse_shapes(self, options: Options) -> None:
        for name in ("shape", "strides", "dims"):
            if name in options:
                raise UsageError("%s=%s: shapes and strides are those of the arrays, and dim= says "
                                 "which dimensions; tessera.ops.op takes %s" % (
                                     name, options[name], name))

    def _dims(self, name, dims, rank):
        if name in self.kept:
            return [d for d in range(rank) if d not in dims]
        return list(dims) if name in self.gone else list(range(rank))

    def _steps(self, t, have, shape):
        """A stride for each dimension that a tensor has."""
        if not t.shape:
            return [1] * len(have)
        if len(t.shape) == len(have):
            at = range(len(have))
        elif len(t.shape) == len(shape):
            at = have
        else:
            at = ()
        if len(at) != len(have) or any(t.shape[i] != shape[d] for i, d in zip(at, have)):
            raise UsageError("%s: argument '%s': expected the shape %s, found %s" % (
                self.name, t.name, tuple(shape[d] for d in have), tuple(t.shape)))
        return [t.strides[i] for i in at]


class _Softmax(_Space):
    name = "softmax"

    def results(self, options):
        return ("y",)


class _Norm(_Space):
    name = "norm"
    kept = ("mean", "scale", "y_scale")
    gone = ("weight", "bias", "smooth")

    def results(self, options):
        out = ["y"]
        if options.get("residual") == "store":
            out.append("h")
        if options.get("save") == "yes":
            out += ["mean", "scale"] if options.get("kind") == "layer" else ["scale"]
        if options.get("quantise", "no") != "no":
            out.append("y_scale")
        return tuple(out)

    def elem(self, name, options):
        if name in ("mean", "scale", "y_scale"):
            return "f32"
        if name.startswith(EPILOGUE):
            return None
        return options.get("type") if name == "h" else super().elem(name, options)

    def blank(self, tensors):
        return blank(divided(tensors)[1])

    def problem(self, tensors, options):
        stages, own = divided(tensors)
        self._check_stages(stages, tuple(own["x"].shape), options)
        if options.get("weights") != "all":
            return with_stages(super().problem(own, options), stages)
        return with_stages(_NormOfChannels().problem(_repeated(own, "x"), options), stages)

    def _check_stages(self, stages, shape, options):
        dims = dims_of(options, len(shape))
        kept = tuple(n for d, n in enumerate(shape) if d not in dims)
        line = tuple(shape[d] for d in dims)
        for t in stages.values():
            if tuple(t.shape) not in (shape, kept, line, (), (1,)):
                raise UsageError("norm: argument '%s': expected the shape %s, %s (m), %s (n) or one "
                                 "number (tensor), found %s" % (t.name, shape, kept, line,
                                                                tuple(t.shape)))

    def types(self, tensors, options):
        settings = super().types(tensors, options)
        return settings + [("type_w", tensors[n].elem) for n in self.gone if n in tensors][:1]


class _NormOfChannels(_Norm):
    gone = ("smooth",)

    def problem(self, tensors, options):
        return _Space.problem(self, tensors, options)

    def types(self, tensors, options):
        return _Norm().types(tensors, options)


def _repeated(tensors, whole):
    """Weights of channels have all dimensions, and repeat along others."""
    shape = tuple(tensors[whole].shape)
    return {n: broadcast(t, shape) if n in ("weight", "bias") else t for n, t in tensors.items()}


class _SoftmaxBackward(_Space):
    name = "softmax_backward"
    whole = "y"

    def results(self, options):
        return ("dx",)

    def elem(self, name, options):
        return options.get("type")

    def types(self, tensors, options):
        return [("type", tensors["y"].elem)]


class _NormBackward(_Space):
    name = "norm_backward"
    kept = ("mean", "scale")
    gone = ("weight", "dweight", "dbias")
    packed = ("dweight", "dbias")

    def results(self, options):
        return ("dx",) + tuple(n for n in ("dweight", "dbias") if options.get(n) == "yes")

    def shapes(self, tensors, options):
        shape = tuple(tensors["x"].shape)
        where = options.get("weight_dims", "line")
        dims = dims_of(options if where == "line" else {"dim": where}, len(shape))
        line = tuple(shape[d] for d in dims)
        return {n: shape if n == "dx" else line for n in self.results(options)}

    def problem(self, tensors, options):
        if options.get("weight_dims", "line") == "line":
            return super().problem(tensors, options)
        return _NormOfChannelsBackward().problem(_repeated(tensors, "x"), options)

    def elem(self, name, options):
        if name in self.kept:
            return "f32"
        return options.get("type_w" if name in self.gone else "type")

    def types(self, tensors, options):
        settings = [("type", tensors["x"].elem)]
        return settings + [("type_w", tensors[n].elem) for n in self.gone if n in tensors][:1]


class _NormOfChannelsBackward(_NormBackward):
    gone = ()

    def problem(self, tensors, options):
        return _Space.problem(self, tensors, options)

    def types(self, tensors, options):
        return _NormBackward().types(tensors, options)


class _CrossEntropyBackward(_Space):
    name = "cross_entropy_backward"
    kept = ("class", "lse", "dloss")

    def results(self, options):
        return ("dx",)

    def elem(self, name, options):
        return options.get("type_class" if name == "class" else "type") if name in (
            "class", "x", "dx") else None

    def types(self, tensors, options):
        settings = [("type", tensors["x"].elem)]
        return settings + [("type_class", t.elem) for n, t in tensors.items() if n == "class"]


class _Reduce(_Space):
    name = "reduce"

    def results(self, options):
        return tuple(options.get("operations", "sum").split("+"))

    @property
    def kept(self):  # every result
        return _Everything("x")


class _Everything:
    """Contains all names but one."""

    def __init__(self, but):
        self._but = but

    def __contains__(self, name):
        return name != self._but


class _CrossEntropy(_Space):
    name = "cross_entropy"
    kept = ("class", "loss", "lse")

    def results(self, options):
        return ("loss", "lse") if options.get("lse") == "yes" else ("loss",)

    def elem(self, name, options):
        return options.get("type_class" if name == "class" else "type") if name in (
            "class", "x") else None

    def types(self, tensors, options):
        settings = [("type", tensors["x"].elem)]
        return settings + [("type_class", t.elem) for n, t in tensors.items() if n == "class"]


class _Elementwise(_Space):
    name = "elementwise"

    def results(self, options):
        return ("y",)

    def shapes(self, tensors, options):
        return {"y": common_shape([t for n, t in tensors.items() if n != "y"])}

    def problem(self, tensors, options):
        self.refuse_shapes(options)
        read = sorted((t for n, t in tensors.items() if n != "y"), key=lambda t: t.name)
        if not read and "y" not in tensors:
            raise UsageError("elementwise: expression=%s: expected at least one array, from a to h"
                             % options.get("expression"))
        y = tensors.get("y")
        shape = common_shape(read)
        if y is not None and tuple(y.shape) != shape:
            raise UsageError("elementwise: argument 'y': expected the shape %s, found %s" % (
                shape, tuple(y.shape)))
        out = {t.name: broadcast(t, shape) for t in tensors.values()}
        settings = [("type", read[0].elem), ("types", "+".join(t.elem for t in read)),
                    ("shape", "x".join(map(str, shape)) or "1"),
                    ("strides", "+".join("%s:%s" % (t.name, "x".join(map(str, t.strides)) or "1")
                                         for t in out.values()))]
        return settings + ([("type_y", y.elem)] if y is not None else []), out


FAMILIES = {"gemm": _Gemm(), "softmax": _Softmax(), "norm": _Norm(), "reduce": _Reduce(),
            "elementwise": _Elementwise(), "cross_entropy": _CrossEntropy(),
            "attention": tokens.Attention(), "append": tokens.Append(),
            "attention_backward": tokens.AttentionBackward(), "topk": tokens.TopK(), "rotary": tokens.Rotary(),
            "contraction": tokens.Contraction(), "softmax_backward": _SoftmaxBackward(),
            "norm_backward": _NormBackward(), "cross_entropy_backward": _CrossEntropyBackward(),
            "convolution": images.Convolution(), "pool": images.Pool(), "unfold": images.Unfold(),
            "moe_sort": experts.MoeSort(), "moe": experts.Moe(),
            "gemm_norm": chains.GemmNorm(), "gemm_gemm": chains.GemmGemm(),
            "shuffle": chains.Shuffle()}
#: Options that the library doesn't know.
PYTHON_ONLY = ("dim", "keepdims", "lines")
