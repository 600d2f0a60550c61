# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the families of operators share on the way from arrays to problems."""
from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Tuple

from ._ops_arrays import Tensor, bits_of, broadcast
from .errors import UsageError

Options = Mapping[str, str]
Tensors = Mapping[str, Tensor]
Settings = List[Tuple[str, str]]
Problem = Tuple[Settings, Dict[str, Tensor]]


EPILOGUE = "epilogue_"  #: what tensors of an epilogue begin with, where others have their names


def divided(tensors: Tensors) -> Tuple[Dict[str, Tensor], Dict[str, Tensor]]:
    """Those of an epilogue, and the others."""
    stages = {n: t for n, t in tensors.items() if n.startswith(EPILOGUE)}
    return stages, {n: t for n, t in tensors.items() if n not in stages}


def with_stages(problem: Problem, stages: Tensors) -> Problem:
    """The problem with the tensors of its epilogue, which lie as they do; one number has no strides."""
    settings, out = problem
    given = dict(settings).get("strides", "packed")
    strides = [given] if given != "packed" else []
    strides += ["%s:%s" % (n, "x".join(map(str, t.strides))) for n, t in stages.items()
                if any(size != 1 for size in t.shape)]
    settings = [(n, v) for n, v in settings if n != "strides"]
    return settings + [("strides", "+".join(strides) or "packed")], {**out, **stages}


def number(options: Options, name: str) -> int:
    try:
        return int(options[name])
    except ValueError:
        raise UsageError("%s=%s: expected a whole number" % (name, options[name])) from None


def collapsed(t: Tensor, batch: Tuple[int, ...], ends: int) -> Tuple[Tensor, Optional[int]]:
    """The tensor with its dimensions of batches as one, and that one's stride; None: one piece."""
    t = broadcast(t, batch + tuple(t.shape[len(t.shape) - ends:]))
    merged: List[List[int]] = []
    for size, stride in zip(t.shape[:-ends], t.strides[:-ends]):
        if size == 1:
            continue
        if merged and merged[-1][1] == size * stride:
            merged[-1] = [merged[-1][0] * size, stride]
        else:
            merged.append([size, stride])
    tail = tuple(t.shape[-ends:]), tuple(t.strides[-ends:])
    if not merged:
        return t._replace(shape=tail[0], strides=tail[1]), None
    if any(size == 0 for size, _ in merged):
        merged = [[0, 0]]
    if len(merged) > 1:
        raise UsageError("argument '%s': dimensions of batches with the sizes %s and strides %s "
                         "can't be gone through as one; pass a contiguous copy" % (
                             t.name, tuple(t.shape[:-ends]), tuple(t.strides[:-ends])))
    (size, stride), = merged
    return t._replace(shape=(size,) + tail[0], strides=(stride,) + tail[1]), stride


def blank(tensors: Tensors) -> Dict[str, Tensor]:
    """The tensors without elements: kernels of such a problem are not compiled, and it has the
    same types. Strides keep no more than which of them is 1."""
    return {n: t._replace(shape=(0,) * (len(t.shape) or 1), strides=_blank_strides(t))
            for n, t in tensors.items()}


def _blank_strides(t):
    if bits_of(t.elem) >= 8:
        return (1,) * (len(t.shape) or 1)
    return tuple(1 if s == 1 else 8 for s in t.strides) or (1,)
