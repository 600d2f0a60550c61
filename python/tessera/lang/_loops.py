# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of a kernel. A body may be read several times: what a loop carries from one iteration to the
next is known only when its body has been read."""
from __future__ import annotations

import ast
from typing import Any, Dict, List, Optional, Sequence

from . import _dtypes as dt
from . import _ir as ir
from ._arithmetic import add, compare, converted
from ._control import NEXT, Branch, Flow, leaving, read, restore, run, snapshot
from ._joins import Leaf, fits, flat, joined, rebuilt, same, types_of
from ._problem import Problem
from ._source import assignment_of, contains, names_assigned
from ._tile import Tile, as_tile, describe, natural_dtype, python_number, tile_type
from ._trace import Chain
from ._visit import Frame, Unset

MAX_TRIALS = 6     #: until what a loop carries must be known
MAX_UNROLLED = 10000


class DynamicRange:
    """range(…) in a kernel."""

    def __init__(self, bounds: Sequence[Any]):
        bounds = [python_number(b) for b in bounds]
        if not 1 <= len(bounds) <= 3:
            raise Problem("range takes one to three numbers, found %d" % len(bounds))
        for i, b in enumerate(bounds):
            good = b.dtype.is_integer and not b.shape if isinstance(b, Tile) else isinstance(b, int)
            if not good:
                raise Problem("range takes whole numbers, found %s" % describe(b), i)
        start, stop, step = (0, bounds[0], 1) if len(bounds) == 1 else (*bounds, 1)[:3]
        if not isinstance(step, Tile) and step <= 0:
            raise Problem("the step of a loop in a kernel is positive, found %s" % describe(step), 2)
        self.start, self.stop, self.step = start, stop, step

    def __iter__(self):
        return iter(self.known())

    def known(self) -> range:
        """The same in Python, when all is known."""
        if any(isinstance(b, Tile) for b in (self.start, self.stop, self.step)):
            raise Problem("this range must be known when the kernel is compiled")
        return range(self.start, self.stop, self.step)


class StaticRange(tuple):
    """tl.static_range(…): a loop over it is unrolled."""


def for_loop(frame: Frame, node: ast.For) -> Flow:
    over = frame.value(node.iter)
    if not isinstance(over, DynamicRange):
        return _unrolled(frame, node, frame.static_items(over, node.iter))
    if not isinstance(node.target, ast.Name):
        raise Problem("the variable of a loop over range(…) is a name")
    wide = any((b.dtype if isinstance(b, Tile) else natural_dtype(b)).bits > 32
               for b in (over.start, over.stop, over.step))
    kind = dt.int64 if wide else dt.int32
    bounds = [converted(as_tile(b, None, kind), kind) for b in (over.start, over.stop, over.step)]
    leaves = contains(node.body, ast.Break, through_loops=False) or contains(node.body, ast.Return)
    loop = _Loop(frame, node, node.target.id, bounds, early=leaves)
    loop.read()
    return NEXT


def _unrolled(frame: Frame, node: ast.For, items: Sequence[Any]) -> Flow:
    if len(items) > MAX_UNROLLED:
        raise Problem("the loop is unrolled %d times; range(…) makes a loop" % len(items))
    frame.exits.append(None)
    try:
        for item in items:
            frame.assign(node.target, item)
            flow = run(frame, node.body, ())
            if flow.kind == "break":
                break
            if flow.kind == "return":
                return flow
    finally:
        frame.exits.pop()
    return NEXT


def while_loop(frame: Frame, node: ast.While) -> Flow:
    loop = _Loop(frame, node, None, (), early=True)
    loop.read()
    return NEXT


class _Loop:
    """A loop of the kernel's. `early`: it may be left from inside, and Tile IR's `for` may not."""

    def __init__(self, frame: Frame, node: Any, variable: Optional[str], bounds: Sequence[Tile],
                 early: bool):
        self.frame, self.node, self.bounds = frame, node, bounds
        self.variable: Any = variable      #: its name
        self._variable: Any = None         #: its value in the body that is being read
        self.early = early
        self.before = snapshot(frame)
        names = frame.names
        self.candidates = [n for n in names_assigned(node.body) if n in names and n != variable
                           and not isinstance(names[n], Unset)]
        #: The types of what is carried; names that are not in it keep their value, so far.
        self.kinds: Dict[str, Any] = {n: self._first_kind(names[n]) for n in self.candidates
                                      if self._first_kind(names[n]) is not None}
        self.groups: List[int] = []  #: whose order is carried
        self.ends: List[Dict[str, Any]] = []   #: the names at each end of an iteration

    @staticmethod
    def _first_kind(x: Any) -> Any:
        """What is taken to be carried before the body is known; numbers may stay what they are."""
        if isinstance(x, Tile) and not x.weak:
            return Leaf(x.dtype, x.shape)
        if isinstance(x, tuple) and x and all(isinstance(t, Tile) for t in x):
            return tuple(Leaf(t.dtype, t.shape) for t in x)
        return None

    # ---- reading ----

    def read(self) -> None:
        for _ in range(MAX_TRIALS):
            attempt = self._trial()
            if attempt is not None:
                self._emit(*attempt)
                return
            restore(self.frame, self.before, accesses=True)
        raise Problem("what the loop carries from one iteration to the next has no fixed types")

    def _trial(self):
        """Reads the body with the types so far; None when these were not right."""
        frame, t = self.frame, self.frame.tracer
        self.ends, carried = [], types_of(list(self.kinds.values()))
        kind = self.bounds[0].dtype if self.bounds else None
        args = [ir.Value(c) for c in carried + (ir.TOKEN,) * len(self.groups)]
        if kind is not None:
            args.insert(0, ir.Value(tile_type(kind, ()), self.variable))
        region = ir.Region(tuple(args))
        known = len(t.accesses)
        branch = read(frame, lambda: self._body(region.args, kind), region.args)
        touched = sorted({a.group for a in t.accesses[known:]} & t.ordered)
        if touched != self.groups:
            self.groups = touched
            return None
        return (branch,) if self._settled() else None

    def _body(self, args, kind) -> Flow:
        frame, t = self.frame, self.frame.tracer
        values = iter(args)
        variable = next(values) if kind is not None else None
        for name, k in self.kinds.items():
            frame.names[name] = rebuilt(k, values, name)
        for g in self.groups:
            t.chains[g] = Chain(next(values))
        if variable is not None:
            frame.names[self.variable] = Tile(variable, kind, ())
        frame.exits.append(self._exit)
        t.loop_variables.append(variable)
        frame.loops += 1
        try:
            self._variable = variable
            if self._condition():
                flow = run(frame, self.node.body, ())
                self._exit("continue" if flow.kind == "next" else flow.kind)
            return NEXT
        finally:
            frame.loops -= 1
            t.loop_variables.pop()
            frame.exits.pop()

    def _condition(self) -> bool:
        """Leaves the loop at the beginning of an iteration when its condition is false."""
        frame = self.frame
        if self.bounds:
            if not self.early:
                return True
            cond = compare("less_than", Tile(self._variable, self.bounds[0].dtype, ()),
                           self.bounds[1])
        else:
            cond = frame.value(self.node.test)
            if not isinstance(cond, Tile):
                if not cond:
                    self._exit("break")
                return bool(cond)
            cond = frame.scalar_truth(cond, self.node.test)
        stop = read(frame, lambda: Flow("break"))
        leaving(frame, cond, stop, is_first=False)
        return True

    def _exit(self, kind: str) -> None:
        """The end of an iteration: the operation is completed when the types are known."""
        frame, t = self.frame, self.frame.tracer
        if kind == "return":
            if not frame.is_kernel:
                raise Problem("a `return` inside a loop works in the kernel itself, not in functions "
                              "that it calls: use `break`")
            t.emit("return", ())
            return
        self.ends.append(dict(frame.names))
        given = []
        if self.bounds and self.early:  # counted by the loop itself
            at = Tile(self._variable, self.bounds[0].dtype, ())
            given.append((add(at, self.bounds[2]) if kind == "continue" else at).value)
        for name, k in self.kinds.items():
            given += self._given(name, k)
        given += [t.order_of(g) for g in self.groups]
        t.emit(kind, tuple(given))

    def _given(self, name: str, kind: Any) -> List[ir.Value]:
        x = self.frame.names[name]
        try:
            if not fits(x, kind):
                return []  # another trial will have another type, or say what is wrong
            return flat(x, kind)
        except Problem:
            return []

    # ---- types ----

    def _settled(self) -> bool:
        """Whether the types of what is carried were right; else they are better now."""
        good, first = True, self.before[0]
        for end in self.ends:
            for name in self.candidates:
                x = end[name]
                if name not in self.kinds and same(x, first[name]):
                    continue
                if isinstance(x, Unset):
                    with self.frame.at(assignment_of(name, self.node.body) or self.node):
                        raise Problem("%s %s" % (name, x.why))
                if name in self.kinds and fits(x, self.kinds[name]):
                    continue
                wider = self._wider(name, first[name], x)
                if wider != self.kinds.get(name):
                    self.kinds[name], good = wider, False
        self.kinds = {n: self.kinds[n] for n in self.candidates if n in self.kinds}
        return good

    def _wider(self, name: str, first: Any, last: Any) -> Any:
        with self.frame.at(assignment_of(name, self.node.body) or self.node):
            kind = joined(name, first, last, "before the loop and %s at the end of its body")
            if not fits(first, kind) or not fits(last, kind):
                raise Problem("%s is %s before the loop and %s at the end of its body" % (
                    name, describe(first), describe(last)))
            return kind

    # ---- the operation ----

    def _emit(self, branch: Branch) -> None:
        frame, t = self.frame, self.frame.tracer
        given = [v for name, kind in self.kinds.items()
                 for v in flat(self.before[0][name], kind)]
        given += [t.order_of(g) for g in self.groups]
        types = types_of(list(self.kinds.values())) + (ir.TOKEN,) * len(self.groups)
        if self.bounds and not self.early:
            low, high, step = (b.value for b in self.bounds)
            results = t.emit("for", low, high, step, tuple(given), types=types,
                             regions=(branch.region,))
        else:
            begin = [b.value for b in self.bounds[:1]]
            results = t.emit("loop", tuple(begin + given), regions=(branch.region,),
                             types=tuple(v.type for v in begin) + types)[len(begin):]
        values = iter(results)
        for name, kind in self.kinds.items():
            frame.names[name] = rebuilt(kind, values, name)
        for g in self.groups:
            t.chains[g] = Chain(next(values))
        for name in names_assigned(self.node.body) + ([self.variable] if self.variable else []):
            if name not in self.before[0] or name == self.variable:
                frame.names[name] = Unset("is assigned in a loop, which may not run at all: give it "
                                          "a value before")


def static_range(*bounds: int) -> StaticRange:
    """A range over which a loop is unrolled: its numbers are known when the kernel is compiled."""
    return StaticRange(DynamicRange(bounds).known())


def static_assert(cond: Any, message: str = "") -> None:
    """Refuses to compile the kernel when the condition, which must be known then, is false."""
    if isinstance(cond, Tile):
        raise Problem("tl.static_assert takes what is known when the kernel is compiled, found %s; "
                      "`assert` checks when the kernel runs" % describe(cond), 0)
    if not cond:
        raise Problem(message or "the assertion is false")


static_range.is_operation = static_assert.is_operation = True  # type: ignore[attr-defined]
