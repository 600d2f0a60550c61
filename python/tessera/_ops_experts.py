# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of mixtures of experts. What a family has is in _ops_families.py."""
from __future__ import annotations

from typing import Dict, Optional, Tuple

from ._ops_arrays import Tensor, packed
from ._ops_shapes import Options, Problem, Settings, Tensors, number
from .errors import UsageError


def _expect(name: str, t: Tensor, shape: Tuple[Optional[int], ...]) -> None:
    """None stands for any size."""
    if len(t.shape) != len(shape) or any(b not in (None, a) for a, b in zip(t.shape, shape)):
        raise UsageError("%s: argument '%s': expected the shape (%s), found %s" % (
            name, t.name, ", ".join("any" if n is None else str(n) for n in shape),
            tuple(t.shape)))


def _is_packed(t: Tensor, strides: Tuple[int, ...]) -> bool:
    return all(n <= 1 or a == b for n, a, b in zip(t.shape, t.strides, strides))


def _expect_packed(name: str, t: Tensor) -> None:
    if not _is_packed(t, packed(t.shape)):
        raise UsageError("%s: argument '%s': expected an array without gaps, found the strides %s; "
                         "pass a contiguous copy" % (name, t.name, tuple(t.strides)))


class MoeSort:
    """Places of pairs of tokens and experts: the rows that an expert has lie together."""

    name = "moe_sort"
    sizes = ("tokens", "top", "experts")

    def elem(self, name: str, options: Options) -> Optional[str]:
        return options.get("type_weight") if name in ("weight", "sorted_weight") else "i32"

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        _expect("moe_sort", tensors["index"], (None, None))
        tokens, top = tensors["index"].shape
        unit, experts = number(options, "unit"), number(options, "experts")
        rows = (tokens * top + min(experts, tokens * top) * (unit - 1)) // unit * unit
        out = {"ids": (rows,), "experts": (rows // unit,), "offsets": (experts + 1,)}
        if "weight" in tensors:
            out["sorted_weight"] = (rows,)
        return out

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        index, weight = tensors["index"], tensors.get("weight")
        settings: Settings = [("tokens", str(index.shape[0])), ("top", str(index.shape[-1]))]
        for t in tensors.values():
            _expect_packed("moe_sort", t)
        if weight is not None:
            _expect("moe_sort", weight, tuple(index.shape))
            settings += [("weights", "yes"), ("type_weight", weight.elem)]
        return settings, dict(tensors)

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        return {n: t._replace(shape=(0, 0), strides=(1, 1)) for n, t in tensors.items()}


class Moe:
    """A layer: w1 [experts, hidden, inter or 2 inter], w2 [experts, inter, hidden], of which rows
    are contiguous, or columns of both."""

    name = "moe"
    sizes = ("tokens", "top", "experts", "hidden", "inter")
    _scales = {"x": ("scale_x", "row"), "w": ("scale_w1", "column")}

    def elem(self, name: str, options: Options) -> Optional[str]:
        if name in ("w1", "w2"):
            return options.get("type_w") or options.get("type")
        if name.startswith("scale_"):
            return options.get("type_scale")
        return {"index": "i32", "x": options.get("type"), "y": options.get("type_y")}.get(name)

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        return {"y": tuple(tensors["x"].shape)}

    def _check(self, tensors, gated):
        x, w1, w2 = tensors["x"], tensors["w1"], tensors["w2"]
        _expect("moe", x, (None, None))
        _expect("moe", tensors["index"], (x.shape[0], None))
        _expect("moe", tensors["weight"], tuple(tensors["index"].shape))
        _expect("moe", w2, (None, None, x.shape[1]))
        _expect("moe", w1, (w2.shape[0], x.shape[1], w2.shape[1] * (2 if gated else 1)))
        for name, t in tensors.items():
            if name not in ("w1", "w2"):
                _expect_packed("moe", t)

    def _layout(self, t):
        """Whether rows or columns are contiguous."""
        experts, rows, columns = t.shape
        if _is_packed(t, packed(t.shape)):
            return "row"
        if _is_packed(t, (rows * columns, 1, rows)):
            return "column"
        raise UsageError("moe: argument '%s': expected rows or columns without gaps, found the "
                         "strides %s; pass a contiguous copy" % (t.name, tuple(t.strides)))

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        gated = options.get("gated", "yes") == "yes"
        self._check(tensors, gated)
        x, w1, w2 = tensors["x"], tensors["w1"], tensors["w2"]
        layouts = {self._layout(w1), self._layout(w2)}
        if len(layouts) > 1 and not (1 in w1.shape[1:] or 1 in w2.shape[1:]):
            raise UsageError("moe: arguments 'w1' and 'w2': expected rows of both to be contiguous, "
                             "or columns of both")
        settings: Settings = [
            ("type", x.elem), ("type_w", w1.elem), ("w", max(layouts) if len(layouts) == 1 else
                                                    "column"),
            ("tokens", str(x.shape[0])), ("top", str(max(tensors["index"].shape[1], 1))),
            ("experts", str(w1.shape[0])), ("hidden", str(x.shape[1])), ("inter", str(w2.shape[1]))]
        if w2.elem != w1.elem:
            raise UsageError("moe: argument 'w2': expected elements of %s, as 'w1', found %s" % (
                w1.elem, w2.elem))
        if "y" in tensors:
            _expect("moe", tensors["y"], tuple(x.shape))
            settings.append(("type_y", tensors["y"].elem))
        self._add_scales(tensors, settings)
        return settings + ([("smooth", "yes")] if "smooth" in tensors else []), dict(tensors)

    def _add_scales(self, tensors, settings):
        """What scales there are follows from their shapes: a number (for each expert), one for
        each row or column, or groups."""
        for side, (name, line) in self._scales.items():
            t = tensors.get(name)
            if t is None:
                continue
            rank = len(t.shape) - (1 if side == "w" else 0)
            is_line = rank == 1 and (side == "w" or t.shape != (1,)) and t.shape[-1:] != (1,)
            how = line if is_line else "group" if rank == 2 else "tensor"
            settings += [("scale_" + side, how), ("type_scale", t.elem)]

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        """No elements, but the layout of weights."""
        out = {n: t._replace(shape=(0,) * len(t.shape), strides=(1,) * len(t.shape))
               for n, t in tensors.items() if n in ("x", "index", "weight", "w1", "w2")}
        return out
