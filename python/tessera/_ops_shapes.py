# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the families of operators share on the way from arrays to problems."""
from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Tuple

from ._ops_arrays import Tensor, broadcast
from .errors import UsageError

Options = Mapping[str, str]
Tensors = Mapping[str, Tensor]
Settings = List[Tuple[str, str]]
Problem = Tuple[Settings, Dict[str, Tensor]]


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
