# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Families of windows over images. What a family has is in _ops_families.py."""
from __future__ import annotations

from typing import Dict, List, Optional, Tuple

from ._ops_arrays import Tensor
from ._ops_shapes import Options, Problem, Settings, Tensors, number
from .errors import UsageError


def _numbers(options: Options, name: str, rank: int, usual: int) -> List[int]:
    """One number means all dimensions."""
    words = options.get(name, str(usual)).split("x")
    try:
        found = [int(word) for word in words]
    except ValueError:
        found = []
    if len(found) not in (1, rank):
        raise UsageError("%s=%s: expected one number or %d with x between" % (
            name, options.get(name), rank))
    return found * rank if len(found) == 1 else found


def _text(sizes) -> str:
    return "x".join(map(str, sizes))


def _expect_image(family, t):
    if not 3 <= len(t.shape) <= 5:
        raise UsageError("%s: argument '%s': expected batch, channels and one to three dimensions, "
                         "found the shape %s" % (family, t.name, tuple(t.shape)))


def _places(size, kernel, options):
    """How many places of the window there are along each dimension."""
    rank, out = len(size), []
    given = [_numbers(options, n, rank, usual) for n, usual in (
        ("stride", 1), ("dilation", 1), ("padding", 0))]
    for n, k, s, d, p in zip(size, kernel, *given):
        out.append(max((n + 2 * p - d * (k - 1) - 1) // s + 1, 0))
    return out


def _steps(t):
    """Strides; dimensions of size 1 are never stepped over: numbers that are large enough."""
    steps, run = list(t.strides), 1
    for d in sorted(range(len(steps)), key=lambda d: (steps[d], -d)):
        if t.shape[d] == 1:
            steps[d] = run
        run = max(run, steps[d] * max(t.shape[d], 1))
    return steps


class Convolution:
    """Tensors of [batch, channels, image], filters of [filters, channels of a group, window]."""

    name = "convolution"
    sizes = ("batch", "channels", "filters", "strides", "layout")
    #: What is read, and what is the result, of each pass.
    passes = {"forward": ("x", "w", "y"), "data": ("dy", "w", "dx"), "weights": ("x", "dy", "dw")}

    def elem(self, name: str, options: Options) -> Optional[str]:
        read = self.passes[options.get("pass", "forward")]
        if name in read:
            return options.get("type_y" if name == read[2] else "type")
        return None

    def _shapes(self, tensors, options):
        """The image, the window, the sizes of results, then batch, channels and filters."""
        groups = number(options, "groups") if "groups" in options else 1
        image, weight = tensors.get("x"), tensors.get("w")
        result = tensors.get("dy")
        for t in (image, weight, result):
            if t is not None:
                _expect_image("convolution", t)
        rank = len((image if image is not None else weight).shape) - 2
        size = list(image.shape[2:]) if image is not None else _numbers(options, "size", rank, 1)
        kernel = list(weight.shape[2:]) if weight is not None else _numbers(options, "kernel", rank,
                                                                            1)
        if len(kernel) != rank or len(size) != rank:
            raise UsageError("convolution: argument '%s': expected %d dimensions, found the shape "
                             "%s" % ((weight or image).name, rank + 2,
                                     tuple((weight or image).shape)))
        channels = image.shape[1] if image is not None else weight.shape[1] * groups
        filters = weight.shape[0] if weight is not None else result.shape[1]
        if weight is not None and weight.shape[1] * groups != channels:
            raise UsageError("convolution: argument 'w': expected filters of %d channels, as 'x' "
                             "has %d in %d groups, found the shape %s" % (
                                 channels // groups, channels, groups, tuple(weight.shape)))
        batch = (image if image is not None else result).shape[0]
        return size, kernel, _places(size, kernel, options), batch, channels, filters, groups

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        size, kernel, out, batch, channels, filters, groups = self._shapes(tensors, options)
        which = options.get("pass", "forward")
        shape = {"forward": [batch, filters] + out, "data": [batch, channels] + size,
                 "weights": [filters, channels // groups] + kernel}[which]
        return {self.passes[which][2]: tuple(shape)}

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        """No images."""
        return {n: t if n == "w" else t._replace(shape=(0,) + tuple(t.shape[1:]))
                for n, t in tensors.items() if n in ("x", "w", "dy")}

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        size, kernel, _, batch, channels, filters, groups = self._shapes(tensors, options)
        names = self.passes[options.get("pass", "forward")]
        read = [tensors[n] for n in names[:2]]
        if read[0].elem != read[1].elem:
            raise UsageError("convolution: argument '%s': expected elements of %s, as '%s', found "
                             "%s" % (read[1].name, read[0].elem, read[0].name, read[1].elem))
        settings: Settings = [
            ("type", read[0].elem), ("size", _text(size)), ("kernel", _text(kernel)),
            ("batch", str(batch)), ("channels", str(channels)), ("filters", str(filters)),
            ("groups", str(groups)), ("layout", "first")]
        if names[2] in tensors:
            settings.append(("type_y", tensors[names[2]].elem))
        strides = ["%s:%s" % (n, _text(_steps(tensors[n]))) for n in names if n in tensors]
        return settings + [("strides", "+".join(strides))], dict(tensors)


class _Windows:
    """Windows over images of [batch, channels, image]: results or, backward, gradients."""

    name = ""
    sizes = ("batch", "channels", "strides", "layout")

    def _back(self, options):
        return options.get("pass") == "backward"

    def _image(self, tensors, options):
        """Batch, channels and sizes of the image, of which a gradient's options tell."""
        t = self._read(tensors)
        rank = len(t.shape) - 2
        if self._back(options):
            return t.shape[0], t.shape[1], _numbers(options, "size", rank, 1)
        return t.shape[0], t.shape[1], list(t.shape[2:])

    def _read(self, tensors):
        raise NotImplementedError

    def _settings(self, tensors, options, names):
        batch, channels, size = self._image(tensors, options)
        strides = ["%s:%s" % (n, _text(_steps(tensors[n]))) for n in names if n in tensors]
        return [("type", self._read(tensors).elem), ("size", _text(size)),
                ("batch", str(batch)), ("channels", str(channels)), ("layout", "first"),
                ("strides", "+".join(strides))]

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        """No images."""
        return {n: t._replace(shape=(0,) + tuple(t.shape[1:])) for n, t in tensors.items()}


class Pool(_Windows):
    name = "pool"

    def elem(self, name: str, options: Options) -> Optional[str]:
        return "i32" if name == "where" else options.get("type")

    def _read(self, tensors):
        t = tensors.get("x", tensors.get("dy"))
        _expect_image("pool", t)
        return t

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        batch, channels, size = self._image(tensors, options)
        if self._back(options):
            return {"dx": (batch, channels) + tuple(size)}
        kernel = _numbers(options, "kernel", len(size), 1)
        shape = (batch, channels) + tuple(_places(size, kernel, options))
        return {n: shape for n in (("y", "where") if options.get("where") == "yes" else ("y",))}

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        return self._settings(tensors, options, ("x", "dy", "y", "dx", "where")), dict(tensors)


class Unfold(_Windows):
    """Columns of [batch, places, elements of the window, channels], without gaps."""

    name = "unfold"

    def elem(self, name: str, options: Options) -> Optional[str]:
        return options.get("type")

    def _read(self, tensors):
        t = tensors.get("y") if "x" not in tensors else tensors["x"]
        if t.name == "x":
            _expect_image("unfold", t)
        return t

    def _image(self, tensors, options):
        t = self._read(tensors)
        if not self._back(options):
            return t.shape[0], t.shape[1], list(t.shape[2:])
        if len(t.shape) != 4:
            raise UsageError("unfold: argument 'y': expected [batch, places, elements, channels], "
                             "found the shape %s" % (tuple(t.shape),))
        size = _numbers(options, "size", options.get("size", "").count("x") + 1, 1)
        return t.shape[0], t.shape[3], size

    def _places(self, size, options):
        kernel = _numbers(options, "kernel", len(size), 1)
        places, elements = 1, 1
        for n in _places(size, kernel, options):
            places *= n
        for n in kernel:
            elements *= n
        return places, elements

    def shapes(self, tensors: Tensors, options: Options) -> Dict[str, Tuple[int, ...]]:
        batch, channels, size = self._image(tensors, options)
        if self._back(options):
            return {"x": (batch, channels) + tuple(size)}
        return {"y": (batch,) + self._places(size, options) + (channels,)}

    def problem(self, tensors: Tensors, options: Options) -> Problem:
        if self._back(options):
            y = tensors["y"]
            batch, channels, size = self._image({"y": y}, options)
            wanted = (batch,) + self._places(size, options) + (channels,)
            if tuple(y.shape) != wanted:
                raise UsageError("unfold: argument 'y': expected the shape %s, found %s" % (
                    wanted, tuple(y.shape)))
            strides = "x:" + _text(_steps(tensors["x"])) if "x" in tensors else "packed"
            return [("type", y.elem), ("size", _text(size)), ("batch", str(batch)),
                    ("channels", str(channels)), ("layout", "first"),
                    ("strides", strides)], dict(tensors)
        return self._settings(tensors, options, ("x",)), dict(tensors)

    def blank(self, tensors: Tensors) -> Dict[str, Tensor]:
        return {n: t._replace(shape=(0,) + tuple(t.shape[1:])) for n, t in tensors.items()
                if n in ("x", "y")}
