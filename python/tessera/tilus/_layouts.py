# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of Tilus in Tessera's words, and the few operations on them that translating needs."""
from __future__ import annotations

import math
from typing import NamedTuple, Optional, Sequence, Tuple


class Layout(NamedTuple):
    """Which thread holds which element of a tile, in which slot: Tilus' RegisterLayout."""
    shape: Tuple[int, ...]
    modes: Tuple[int, ...]    #: sizes; each dimension is the product of some neighbouring ones
    spatial: Tuple[int, ...]  #: modes that number the threads; -n: n threads with copies
    local: Tuple[int, ...]    #: modes that number the slots

    @classmethod
    def of(cls, layout) -> "Layout":
        return cls(tuple(layout.shape), tuple(layout.mode_shape), tuple(layout.spatial_modes),
                   tuple(layout.local_modes))

    @property
    def threads(self) -> int:
        return math.prod(self.modes[m] if m >= 0 else -m for m in self.spatial)

    def __str__(self) -> str:
        return "RegisterLayout(shape=%s, mode_shape=%s, spatial_modes=%s, local_modes=%s)" % tuple(
            "[%s]" % ", ".join(map(str, part)) for part in self)

    def with_shape(self, shape: Sequence[int]) -> "Layout":
        """The same modes for another shape: dimensions of size 1 come or go."""
        return self._replace(shape=tuple(shape))

    def groups(self) -> Tuple[Tuple[int, ...], ...]:
        """The modes of each dimension."""
        out, at = [], 0
        for size in self.shape:
            start = at
            while size > 1:
                size //= self.modes[at]
                at += 1
            out.append(tuple(range(start, at)))
        return tuple(out)

    def reduced(self, dims: Sequence[int]) -> "Layout":
        """With size 1 along some dimensions, whose threads hold copies."""
        gone = {m for d in dims for m in self.groups()[d]}
        left = [m for m in range(len(self.modes)) if m not in gone]
        number = {m: i for i, m in enumerate(left)}
        return Layout(tuple(1 if d in dims else n for d, n in enumerate(self.shape)),
                      tuple(self.modes[m] for m in left),
                      tuple(-self.modes[m] if m in gone else number.get(m, m)
                            for m in self.spatial),
                      tuple(number[m] for m in self.local if m not in gone))

    def without(self, dims: Sequence[int]) -> "Layout":
        """Without some dimensions, whose threads hold copies."""
        kept = [n for d, n in enumerate(self.shape) if d not in dims]
        return self.reduced(dims).with_shape(kept)

    def split(self, parts: int) -> "Layout":
        """With as many elements, in slots that follow each other, in place of each one of the last
        dimension."""
        modes = self.modes + (parts,)
        return Layout(self.shape[:-1] + (self.shape[-1] * parts,), modes, self.spatial,
                      self.local + (len(self.modes),))

    def reshaped(self, shape: Sequence[int]) -> Optional["Layout"]:
        """The layout of the same elements, in rows one after the other, in another shape. None: a
        mode would be cut where its size can't be divided."""
        of, wanted, left = [], list(reversed([n for n in shape if n > 1])), 1
        for size in reversed(self.modes):
            parts = []
            while size > 1:
                if left == 1:
                    left = wanted.pop(0)
                step = math.gcd(size, left)
                if step == 1:
                    return None
                parts.append(step)
                size //= step
                left //= step
            of.append(tuple(reversed(parts)))
        of.reverse()
        first = [sum(map(len, of[:m])) for m in range(len(of))]

        def numbers(modes):
            return tuple(i for m in modes
                         for i in ((m,) if m < 0 else range(first[m], first[m] + len(of[m]))))
        return Layout(tuple(shape), tuple(n for parts in of for n in parts), numbers(self.spatial),
                      numbers(self.local))

    def apart(self, dim: int, lanes: int) -> Optional[Tuple["Layout", "Layout"]]:
        """Of an operand whose threads hold neighbours for several matrix instructions along `dim`,
        `lanes` in a register for each: the same slots with elements renamed so that those of an
        instruction are neighbours, and the slots in the order of instructions. None: there are no
        more neighbours than one instruction has."""
        group = self.groups()[dim]
        if len(group) < 2 or group[-1] not in self.local or group[-2] not in self.spatial:
            return None
        last, threads, before = group[-1], group[-2], group[-3:-2]
        if self.modes[last] <= lanes or self.modes[last] % lanes:
            return None
        parts = {m: [(m, n)] for m, n in enumerate(self.modes)}
        steps, inner = ("steps", self.modes[last] // lanes), (last, lanes)
        parts[last] = [steps, inner]
        halves = []
        if before and before[0] in self.local and self.modes[before[0]] % 2 == 0:
            parts[before[0]] = [(before[0], self.modes[before[0]] // 2), ("half", 2)]
            halves = parts[before[0]][1:]
        order = [p for m in range(last - 1 - len(before)) for p in parts[m]]
        order += [p for m in before for p in parts[m] if p not in halves]
        order += [steps] + halves + parts[threads] + [inner]
        order += [p for m in range(last + 1, len(self.modes)) for p in parts[m]]
        order = [p for p in order if p[1] > 1]
        number = {p: i for i, p in enumerate(order)}
        local = [p for m in self.local for p in parts[m] if p[1] > 1]
        spatial = tuple(m if m < 0 else number[parts[m][0]] for m in self.spatial)
        sizes = tuple(n for _, n in order)
        renamed, sorted_ = (Layout(self.shape, sizes, spatial, tuple(number[p] for p in slots))
                            for slots in (local, [steps] + [p for p in local if p != steps]))
        return renamed, sorted_

    def permuted(self, dims: Sequence[int]) -> "Layout":
        groups = self.groups()
        order = [m for d in dims for m in groups[d]]
        number = {m: i for i, m in enumerate(order)}
        return Layout(tuple(self.shape[d] for d in dims), tuple(self.modes[m] for m in order),
                      tuple(number.get(m, m) for m in self.spatial),
                      tuple(number[m] for m in self.local))


def replicated(rank: int, threads: int) -> Layout:
    """One element, with a copy in every thread."""
    return Layout((1,) * rank, (), (-threads,) if threads > 1 else (), ())


def for_copies(shape: Sequence[int], bits: int, threads: int, along: int) -> Layout:
    """Who copies what: 16 bytes in a row along a dimension at a time where the sizes allow it."""
    vector = math.gcd(max(128 // bits, 1), shape[along])
    rest = list(shape)
    rest[along] //= vector
    spread, left = [1] * len(shape), threads
    for d in [along] + [d for d in reversed(range(len(shape))) if d != along]:
        spread[d] = math.gcd(left, rest[d])
        rest[d] //= spread[d]
        left //= spread[d]
    modes, kinds = [], []  # of each dimension: the slots' outer part, the threads, the vector
    for d in range(len(shape)):
        for kind, size in (("outer", rest[d]), ("thread", spread[d]),
                           ("inner", vector if d == along else 1)):
            if size > 1:
                modes.append(size)
                kinds.append(kind)
    chosen = {kind: tuple(i for i, k in enumerate(kinds) if k == kind)
              for kind in ("outer", "thread", "inner")}
    copies = (-left,) if left > 1 else ()
    return Layout(tuple(shape), tuple(modes), copies + chosen["thread"],
                  chosen["outer"] + chosen["inner"])


def memory_text(layout) -> str:
    """A SharedLayout of Tilus in CuTe's notation, whose modes are innermost first."""
    at, shapes, strides = 0, [], []
    for size in layout.shape:
        sizes, steps = [], []
        while size > 1:
            sizes.append(layout.mode_shape[at])
            steps.append(layout.mode_strides[at])
            size //= layout.mode_shape[at]
            at += 1
        shapes.append(_tuple(list(reversed(sizes)) or [1]))
        strides.append(_tuple(list(reversed(steps)) or [0]))
    text = "(%s):(%s)" % (",".join(shapes), ",".join(strides))
    swizzle = layout.optional_swizzle
    if swizzle is None or swizzle.bits == 0:
        return text
    return "Sw<%d,%d,%d> o %s" % (swizzle.bits, swizzle.base, swizzle.shift, text)


def _tuple(numbers) -> str:
    return str(numbers[0]) if len(numbers) == 1 else "(%s)" % ",".join(map(str, numbers))
