# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of two products or a product and a norm, and orders of weights for matrix instructions.
What a family has is in _ops_families.py."""
from __future__ import annotations

from typing import Dict, Optional, Tuple

from ._ops_arrays import Tensor, bits_of
from ._ops_shapes import Options, Problem, Settings, Tensors, blank, collapsed
from .errors import UsageError


def _matrices(name: str, t: Tensor, batch: Tuple[int, ...]) -> Tuple[Tensor, str]:
    """The matrices of a tensor without gaps, and which of rows and columns are contiguous."""
    t, step = collapsed(t, batch, 2)
    rows, columns = t.shape[-2:]
    order = None
    for way, strides in (("row", (columns, 1)), ("column", (1, rows))):
        fits = all(n <= 1 or s == p for n, s, p in zip(t.shape[-2:], t.strides[-2:], strides))
        order = order or (way if fits else None)
    if order is None or step not in (None, rows * columns):
        raise UsageError("%s: argument '%s': expected rows or columns without gaps, found the "
                         "strides %s; pass a contiguous copy" % (name, t.name, tuple(t.strides)))
    return t, order


def _expect_rank(name: str, tensors: Tensors, names: Tuple[str, ...], rank: int) -> None:
    for n in names:
        if len(tensors[n].shape) < rank:
            raise UsageError("%s: argument '%s': expected %d dimensions or more, found the shape "
                             "%s" % (name, n, rank, tuple(tensors[n].shape)))


def _expect_rows(name: str, t: Tensor, rows: int, of: str) -> None:
    if t.shape[-2] != rows:
        raise UsageError("%s: argument '%s': expected %d rows, as many as '%s' has columns, found "
                         "the shape %s" % (name, t.name, rows, of, tuple(t.shape)))


class GemmNorm:
    """a [m, k], b [k, n]; gamma, beta [n]; norm_y [m, n], and a number for each row of
    other results."""

    name = "gemm_norm"
    sizes = ("m", "n", "k")

    def elem(self, name: str, options: Options) -> Optional[str]:
        if name in ("gamma", "beta"):
            return options.get("type_w")
        return {"a": options.get("type"), "b": options.get("type"),
                "norm_y": options.get("type_y")}.get(name)

    def _sizes(self, tensors):
        _expect_rank(self.name, tensors, ("a", "b"), 2)
        a, b = tensors["a"], tensors["b"]
        for t in (a, b):
            if len(t.shape) != 2:
                raise UsageError("gemm_norm: argument '%s': expected 2 dimensions, found the shape "
                                 "%s" % (t.name, tuple(t.shape)))
        _expect_rows(self.name, b, a.shape[1], "a")
        if a.elem != b.elem:
            raise UsageError("gemm_norm: argument 'b': expected elements of %s, as 'a', found %s" % (
                a.elem, b.elem))
        return a.shape[0], b.shape[1], a.shape[1]

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        self._sizes(tensors)
        return blank(tensors)

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        m, n, _ = self._sizes(tensors)
        out: Dict[str, Tuple[int, ...]] = {"norm_y": (m, n)}
        if options.get("save") == "yes":
            names = ["norm_mean", "norm_scale"][options.get("kind") == "rms":]
            out.update({name: (m,) for name in names})
        if options.get("quantise") == "row":
            out["norm_y_scale"] = (m,)
        return out

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        m, n, k = self._sizes(tensors)
        settings: Settings = [("type", tensors["a"].elem), ("m", str(m)), ("n", str(n)),
                              ("k", str(k))]
        out = dict(tensors)
        for name in ("a", "b"):
            out[name], order = _matrices(self.name, tensors[name], ())
            settings.append((name, order))
        for name in ("gamma", "beta"):
            if name in tensors:
                settings.append(("type_w", tensors[name].elem))
        is_rms = options.get("kind") == "rms"
        settings.append(("gamma", "yes" if "gamma" in tensors else "no"))
        settings.append(("beta", "yes" if "beta" in tensors and not is_rms else "no"))
        if "beta" in tensors and is_rms:
            raise UsageError("gemm_norm: argument 'beta': RMS normalisation has none")
        if "norm_y" in tensors:
            settings.append(("type_y", tensors["norm_y"].elem))
        return settings, out


class GemmGemm:
    """a [..., m, k], b0 [..., k, n], b1 [..., n, o]; c [..., m, o]."""

    name = "gemm_gemm"
    sizes = ("m", "n", "k", "o", "batch")
    _own = ("a", "b0", "b1", "c")

    def elem(self, name: str, options: Options) -> Optional[str]:
        if name in ("a", "b0", "b1"):
            return options.get("type")
        return options.get("type_c") if name == "c" else None

    def _check(self, tensors):
        _expect_rank(self.name, tensors, ("a", "b0", "b1"), 2)
        a, b0, b1 = tensors["a"], tensors["b0"], tensors["b1"]
        _expect_rows(self.name, b0, a.shape[-1], "a")
        _expect_rows(self.name, b1, b0.shape[-1], "b0")
        for t in (b0, b1):
            if t.elem != a.elem:
                raise UsageError("gemm_gemm: argument '%s': expected elements of %s, as 'a', found "
                                 "%s" % (t.name, a.elem, t.elem))
            if t.shape[:-2] != a.shape[:-2]:
                raise UsageError("gemm_gemm: argument '%s': expected the batches %s, as 'a', found "
                                 "the shape %s" % (t.name, tuple(a.shape[:-2]), tuple(t.shape)))

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        self._check(tensors)
        return blank(tensors)

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        self._check(tensors)
        return {"c": tuple(tensors["a"].shape[:-1]) + (tensors["b1"].shape[-1],)}

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        self._check(tensors)
        a, b1 = tensors["a"], tensors["b1"]
        batch, count = tuple(a.shape[:-2]), 1
        for size in batch:
            count *= size
        settings: Settings = [
            ("type", a.elem), ("m", str(a.shape[-2])), ("k", str(a.shape[-1])),
            ("n", str(b1.shape[-2])), ("o", str(b1.shape[-1])), ("batch", str(count))]
        out = dict(tensors)
        for name in self._own:
            if name not in tensors:
                continue
            out[name], order = _matrices(self.name, tensors[name], batch)
            settings.append((name, order))
        for name, t in tensors.items():
            if name not in self._own and len(t.shape) > 1:
                out[name], _ = collapsed(t, batch, 2)
        if "c" in tensors:
            settings.append(("type_c", tensors["c"].elem))
        return settings, out


class Shuffle:
    """x [..., k, n] of weights and of scale_b, [..., n, k] of scale_a; y in blocks."""

    name = "shuffle"
    sizes = ("n", "k", "batch")

    def elem(self, name: str, options: Options) -> Optional[str]:
        return options.get("type")

    def _sizes(self, x, options):
        _expect_rank(self.name, {"x": x}, ("x",), 2)
        first, last = x.shape[-2:]
        return (first, last) if options.get("lines") == "rows" else (last, first)

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        _expect_rank(self.name, tensors, ("x",), 2)
        return blank(tensors)

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        x = tensors["x"]
        n, k = self._sizes(x, options)
        lines, vector = 32 if options.get("shuffle") == "n32" else 16, 128 // bits_of(x.elem)
        block = [64 // lines, lines, vector]
        if options.get("kind") == "scales":
            lines, block = 32, [4, 16, 2, 2]
            depth = 8
        else:
            depth = block[0] * vector
        return {"y": tuple(x.shape[:-2]) + (-(-n // lines), -(-k // depth)) + tuple(block)}

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        x = tensors["x"]
        n, k = self._sizes(x, options)
        batch, count = tuple(x.shape[:-2]), 1
        for size in batch:
            count *= size
        x, order = _matrices(self.name, x, batch)
        if order == "column":
            shape, strides = list(x.shape), list(x.strides)
            shape[-2:], strides[-2:] = shape[:-3:-1], strides[:-3:-1]
            x = x._replace(shape=tuple(shape), strides=tuple(strides))
        by_rows = (order == "row") == (options.get("lines") == "rows")
        settings: Settings = [("type", x.elem), ("n", str(n)), ("k", str(k)),
                              ("batch", str(count)), ("x", "column" if by_rows else "row")]
        return settings, {**tensors, "x": x}
