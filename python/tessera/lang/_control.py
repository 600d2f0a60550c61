# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements of a kernel: conditions and loops become those of Tile IR where the kernel has to
decide, and are executed now where everything is known.

A branch or a body is read into a region of its own, perhaps several times: what a loop carries from
one iteration to the next is known only when its body has been read.
"""
from __future__ import annotations

import ast
import functools
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import _dtypes as dt
from . import _ir as ir
from ._arithmetic import add, compare, converted
from ._memory import device_assert
from ._problem import Problem
from ._source import assignment_of, contains, names_assigned
from ._tile import Tile, as_tile, constant, describe, is_number, natural_dtype, python_number, tile_type
from ._trace import Chain
from ._visit import Closure, Frame, Unset, unsupported

MAX_TRIALS = 6     #: until what a loop carries must be known
MAX_UNROLLED = 10000


class Flow(NamedTuple):
    """How statements end: "next", "return", "break" or "continue"."""
    kind: str
    value: Any = None  #: what is returned
    node: Any = None   #: the statement


NEXT = Flow("next")

# ---- values that are one of several -------------------------------------------------------------


class Leaf(NamedTuple):
    """The type of what a name holds at the end of a branch or an iteration."""
    dtype: dt.DType
    shape: Tuple[int, ...]


def _same(a: Any, b: Any) -> bool:
    """Whether two values are known to be one."""
    if isinstance(a, Tile) or isinstance(b, Tile):
        return isinstance(a, Tile) and isinstance(b, Tile) and a.value is b.value
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    if a is b:
        return True
    if is_number(a) and is_number(b):
        return type(a) is type(b) and (a == b or a != a and b != b)
    return isinstance(a, str) and a == b


def _joined(name: str, a: Any, b: Any, where: str) -> Any:
    """The type of a value that is either of two: a Leaf, or a tuple of them."""
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(x if _same(x, y) and not isinstance(x, Tile) else _joined(name, x, y, where)
                     for x, y in zip(a, b))
    if all(isinstance(x, Tile) or is_number(x) for x in (a, b)):
        leaf = _joined_tiles(a, b)
        if leaf is not None:
            return leaf
    raise Problem("%s is %s %s: give it one type and shape on all ways, as with %s" % (
        name, describe(a), where % describe(b), _cure(a, b)))


def _cure(a: Any, b: Any) -> str:
    tile = b if isinstance(b, Tile) else a
    if not isinstance(tile, Tile):
        return "the same kind of value"
    if tile.shape:
        return "tl.zeros((%s), tl.%s)" % (
            "".join("%d, " % n for n in tile.shape).rstrip(" "), tile.dtype)
    return "tl.%s(…)" % tile.dtype


def _joined_tiles(a: Any, b: Any) -> Optional[Leaf]:
    if is_number(a) and is_number(b):
        if isinstance(a, bool) == isinstance(b, bool):
            first, second = natural_dtype(a), natural_dtype(b)
            return Leaf(first if first.is_float or first.bits > second.bits else second, ())
        return None
    if is_number(a) or is_number(b):
        number, tile = (a, b) if is_number(a) else (b, a)
        return Leaf(tile.dtype, tile.shape) if _number_fits(number, tile.dtype) else None
    if a.shape != b.shape:
        return None
    if a.dtype is b.dtype:
        return Leaf(a.dtype, a.shape)
    if a.dtype.is_float and b.dtype.is_float and a.weak != b.weak:
        return Leaf((b if a.weak else a).dtype, a.shape)
    return None


def _number_fits(number: Any, dtype: dt.DType) -> bool:
    """Whether a number that is known may stand for elements of the type."""
    if dtype.kind == "bool" or isinstance(number, bool):
        return dtype.kind == "bool" and isinstance(number, bool)
    return dtype.is_float or not isinstance(number, float)


def _leaves(kind: Any) -> List[Leaf]:
    if isinstance(kind, Leaf):
        return [kind]
    return [leaf for k in kind for leaf in _leaves(k)] if isinstance(kind, tuple) else []


def _flat(x: Any, kind: Any) -> List[ir.Value]:
    """The values of a type, converted to it by operations that are added here."""
    if isinstance(kind, Leaf):
        if is_number(x):
            return [constant(x, kind.dtype, kind.shape).value]
        return [converted(x, kind.dtype).value]
    if isinstance(kind, tuple):
        return [v for item, k in zip(x, kind) for v in _flat(item, k)]
    return []


def _rebuilt(kind: Any, values, name: Optional[str]) -> Any:
    """A value of a type from an iterator over its values."""
    if isinstance(kind, Leaf):
        value = next(values)
        if value.name is None:
            value.name = name
        return Tile(value, kind.dtype, kind.shape)
    if isinstance(kind, tuple):
        return tuple(_rebuilt(k, values, name) for k in kind)
    return kind


def _types(kinds: Sequence[Any]) -> Tuple[ir.TileType, ...]:
    return tuple(tile_type(leaf.dtype, leaf.shape) for kind in kinds for leaf in _leaves(kind))


# ---- statements ---------------------------------------------------------------------------------


def run_function(frame: Frame, node: ast.FunctionDef) -> Any:
    """What a function returns."""
    flow = run(frame, node.body, ())
    return flow.value if flow.kind == "return" else None


def run(frame: Frame, statements: Sequence[ast.stmt], rest: Sequence[ast.stmt]) -> Flow:
    """Executes statements. `rest` comes after them in the function, for branches that return."""
    for i, statement in enumerate(statements):
        after = tuple(statements[i + 1:]) + tuple(rest)
        with frame.at(statement):
            flow = _statement(frame, statement, after)
        if flow.kind != "next":
            return flow
    return NEXT


def _statement(frame: Frame, node: Any, after: Sequence[ast.stmt]) -> Flow:
    kind = type(node).__name__
    simple = _SIMPLE.get(kind)
    if simple is not None:
        simple(frame, node)
        return NEXT
    if kind == "If":
        return _if(frame, node, after)
    if kind in ("For", "While"):
        if node.orelse:
            raise Problem("kernels have no `else` of loops")
        return _for(frame, node) if kind == "For" else _while(frame, node)
    if kind == "Return":
        return _return(frame, node)
    if kind in ("Break", "Continue"):
        return Flow(kind.lower(), None, node)
    raise unsupported(node)


def _return(frame: Frame, node: ast.Return) -> Flow:
    value = None if node.value is None else frame.value(node.value)
    if frame.is_kernel and value is not None:
        raise Problem("a kernel returns nothing: it writes its results to arrays")
    return Flow("return", value, node)


def _assign(frame: Frame, node: ast.Assign) -> None:
    x = frame.value(node.value)
    for target in node.targets:
        frame.assign(target, x)


def _annotated(frame: Frame, node: ast.AnnAssign) -> None:
    if node.value is None:
        return
    x = frame.value(node.value)
    wanted = dt.find_dtype(frame.value(node.annotation)) if not isinstance(
        node.annotation, ast.Constant) else None
    if wanted is not None and (isinstance(x, Tile) or is_number(x)):
        from ._shapes import astype
        x = astype(x, wanted)
    frame.assign(node.target, x)


def _augmented(frame: Frame, node: ast.AugAssign) -> None:
    load = ast.copy_location(_as_load(node.target), node.target)
    x = frame.visit_BinOp(ast.copy_location(ast.BinOp(load, node.op, node.value), node))
    frame.assign(node.target, x)


def _as_load(target: Any) -> Any:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    raise Problem("kernels assign to names and to elements of arrays only")


def _expression(frame: Frame, node: ast.Expr) -> None:
    frame.value(node.value)


def _assertion(frame: Frame, node: ast.Assert) -> None:
    cond = frame.value(node.test)
    message = frame.value(node.msg) if node.msg is not None else ast.unparse(node.test)
    if isinstance(cond, Tile):
        device_assert(cond, message)
    elif not cond:
        raise Problem("the assertion is false when the kernel is compiled: %s" % message)


def _definition(frame: Frame, node: ast.FunctionDef) -> None:
    if node.decorator_list:
        raise Problem("functions inside a kernel have no decorators")
    frame.names[node.name] = Closure(node, frame)


_SIMPLE: Dict[str, Callable[[Frame, Any], None]] = {
    "Assign": _assign, "AnnAssign": _annotated, "AugAssign": _augmented, "Expr": _expression,
    "Assert": _assertion, "FunctionDef": _definition, "Pass": lambda frame, node: None}

# ---- branches -----------------------------------------------------------------------------------


class Branch(NamedTuple):
    """Statements that were read into a region."""
    region: ir.Region
    flow: Flow
    names: Dict[str, Any]          #: at its end
    chains: Dict[int, Chain]


def _snapshot(frame: Frame) -> Tuple[Dict[str, Any], Dict[int, Chain], int]:
    t = frame.tracer
    return dict(frame.names), dict(t.chains), len(t.accesses)


def _restore(frame: Frame, before, accesses: bool = False) -> None:
    frame.names, frame.tracer.chains = dict(before[0]), dict(before[1])
    if accesses:
        del frame.tracer.accesses[before[2]:]


def _read(frame: Frame, act: Callable[[], Flow], args: Tuple[ir.Value, ...] = ()) -> Branch:
    """Reads something into a region; what it does to names and the order is undone."""
    before = _snapshot(frame)
    region = ir.Region(args)
    try:
        with frame.tracer.inside(region):
            flow = act()
        return Branch(region, flow, frame.names, frame.tracer.chains)
    finally:
        _restore(frame, before)


def _if(frame: Frame, node: ast.If, after: Sequence[ast.stmt]) -> Flow:
    cond = frame.value(node.test)
    if not isinstance(cond, Tile):
        return run(frame, node.body if cond else node.orelse, after)
    cond = frame.scalar_truth(cond, node.test)
    if contains([node], ast.Return) and not (frame.is_kernel and not _returns_value(node)):
        return _returning_if(frame, cond, node, after)
    accesses, begin = frame.tracer.accesses, len(frame.tracer.accesses)
    first = _read(frame, lambda: run(frame, node.body, after))
    end = len(accesses)
    if first.flow.kind != "next":
        _leaving(frame, cond, first, is_first=True)
        return run(frame, node.orelse, after)
    second = _read(frame, lambda: run(frame, node.orelse, after))
    if second.flow.kind != "next":
        del accesses[begin:end]  # the first branch is read again, behind the `if`
        _leaving(frame, cond, second, is_first=False)
        return run(frame, node.body, after)
    _merge(frame, cond, (first, second), names_assigned([node]), node=node)
    return NEXT


def _returns_value(node: ast.If) -> bool:
    return any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(node))


def _leaving(frame: Frame, cond: Tile, branch: Branch, is_first: bool) -> None:
    """An `if` of which one branch leaves the loop, its iteration or the kernel."""
    t, other = frame.tracer, ir.Region()
    with t.inside(branch.region):
        frame.names, saved = dict(branch.names), frame.names
        t.chains, chains = dict(branch.chains), t.chains
        _leave(frame, branch.flow)
        frame.names, t.chains = saved, chains
    with t.inside(other):
        t.emit("yield", ())
    regions = (branch.region, other) if is_first else (other, branch.region)
    t.emit("if", cond.value, regions=regions)


def _leave(frame: Frame, flow: Flow) -> None:
    """The end of a branch that does not go on behind its `if`."""
    if flow.kind == "return":
        frame.tracer.emit("return", ())
        return
    if not frame.exits or frame.exits[-1] is None:
        with frame.at(flow.node):
            raise Problem("`%s` depends on a tile, and the loop around it is unrolled: use range(…), "
                          "or a condition that is known when the kernel is compiled" % flow.kind)
    frame.exits[-1](flow.kind)


def _merge(frame: Frame, cond: Tile, branches: Sequence[Branch], names: Sequence[str],
           values: Optional[Sequence[Any]] = None, node: Any = None) -> Any:
    """An `if` behind which the program goes on: what its branches assign, and the value that they
    have, become its results."""
    t = frame.tracer
    kinds: Dict[str, Any] = {}
    for name in names:
        with frame.at(assignment_of(name, [node]) or node):
            _merge_name(frame, name, [b.names.get(name) for b in branches],
                        [name in b.names for b in branches], kinds)
    if values is not None:
        kinds["the value"] = (values[0] if _same(*values) else
                              _joined("the value", values[0], values[1],
                                      "in one case and %s in the other"))
    groups = sorted(g for g in t.ordered if any(
        b.chains.get(g) is not t.chains.get(g) for b in branches))
    for b, own in zip(branches, values or (None, None)):
        with t.inside(b.region):
            given = [v for name, kind in kinds.items() for v in _flat(
                own if name == "the value" else b.names[name], kind)]
            chains, t.chains = t.chains, dict(b.chains)
            given += [t.order_of(g) for g in groups]
            t.chains = chains
            t.emit("yield", tuple(given))
    types = _types(list(kinds.values())) + (ir.TOKEN,) * len(groups)
    results = iter(t.emit("if", cond.value, types=types, regions=tuple(b.region for b in branches)))
    value = None
    for name, kind in kinds.items():
        made = _rebuilt(kind, results, name if name != "the value" else None)
        if name == "the value":
            value = made
        else:
            frame.names[name] = made
    for g in groups:
        t.chains[g] = Chain(next(results))
    return value


def _merge_name(frame: Frame, name: str, found, there, kinds) -> None:
    """What a name is after an `if`."""
    a, b = found
    missing = [x for x, yes in zip(found, there) if not yes or isinstance(x, Unset)]
    if missing or not (_same(a, b) or _mergeable(a) and _mergeable(b)):
        why = ("is assigned in one of two branches only: give it a value before the `if`" if missing
               else "is %s in one branch and %s in the other" % (describe(a), describe(b)))
        if any(there):
            frame.names[name] = Unset(why)
    elif _same(a, b):
        frame.names[name] = a
    else:
        kinds[name] = _joined(name, a, b, "in one branch and %s in the other")


def _mergeable(x: Any) -> bool:
    return isinstance(x, Tile) or is_number(x) or (isinstance(x, tuple) and all(map(_mergeable, x)))


def _returning_if(frame: Frame, cond: Tile, node: ast.If, after: Sequence[ast.stmt]) -> Flow:
    """An `if` of a function that returns from inside: what comes after it belongs to both
    branches."""
    if frame.loops:
        raise Problem("a `return` inside a loop works in the kernel itself, not in functions that it "
                      "calls: use `break`")
    branches, values = [], []
    for body in (node.body, node.orelse):
        branch = _read(frame, functools.partial(run, frame, tuple(body) + tuple(after), ()))
        branches.append(branch)
        values.append(branch.flow.value if branch.flow.kind == "return" else None)
    return Flow("return", _merge(frame, cond, branches, (), values))


def choose(frame: Frame, cond: Tile, node: ast.IfExp) -> Any:
    """`a if cond else b`."""
    def act(n: ast.expr) -> Flow:
        return Flow("return", frame.value(n))

    branches = [_read(frame, functools.partial(act, n)) for n in (node.body, node.orelse)]
    return _merge(frame, cond, branches, (), [b.flow.value for b in branches])


# ---- loops --------------------------------------------------------------------------------------


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


def _for(frame: Frame, node: ast.For) -> Flow:
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


def _while(frame: Frame, node: ast.While) -> Flow:
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
        self.before = _snapshot(frame)
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
            _restore(self.frame, self.before, accesses=True)
        raise Problem("what the loop carries from one iteration to the next has no fixed types")

    def _trial(self):
        """Reads the body with the types so far; None when these were not right."""
        frame, t = self.frame, self.frame.tracer
        self.ends, carried = [], _types(list(self.kinds.values()))
        kind = self.bounds[0].dtype if self.bounds else None
        args = [ir.Value(c) for c in carried + (ir.TOKEN,) * len(self.groups)]
        if kind is not None:
            args.insert(0, ir.Value(tile_type(kind, ()), self.variable))
        region = ir.Region(tuple(args))
        known = len(t.accesses)
        branch = _read(frame, lambda: self._body(region.args, kind), region.args)
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
            frame.names[name] = _rebuilt(k, values, name)
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
        stop = _read(frame, lambda: Flow("break"))
        _leaving(frame, cond, stop, is_first=False)
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
            if not _fits(x, kind):
                return []  # another trial will have another type, or say what is wrong
            return _flat(x, kind)
        except Problem:
            return []

    # ---- types ----

    def _settled(self) -> bool:
        """Whether the types of what is carried were right; else they are better now."""
        good, first = True, self.before[0]
        for end in self.ends:
            for name in self.candidates:
                x = end[name]
                if name not in self.kinds and _same(x, first[name]):
                    continue
                if isinstance(x, Unset):
                    with self.frame.at(assignment_of(name, self.node.body) or self.node):
                        raise Problem("%s %s" % (name, x.why))
                if name in self.kinds and _fits(x, self.kinds[name]):
                    continue
                wider = self._wider(name, first[name], x)
                if wider != self.kinds.get(name):
                    self.kinds[name], good = wider, False
        self.kinds = {n: self.kinds[n] for n in self.candidates if n in self.kinds}
        return good

    def _wider(self, name: str, first: Any, last: Any) -> Any:
        with self.frame.at(assignment_of(name, self.node.body) or self.node):
            kind = _joined(name, first, last, "before the loop and %s at the end of its body")
            if not _fits(first, kind) or not _fits(last, kind):
                raise Problem("%s is %s before the loop and %s at the end of its body" % (
                    name, describe(first), describe(last)))
            return kind

    # ---- the operation ----

    def _emit(self, branch: Branch) -> None:
        frame, t = self.frame, self.frame.tracer
        given = [v for name, kind in self.kinds.items()
                 for v in _flat(self.before[0][name], kind)]
        given += [t.order_of(g) for g in self.groups]
        types = _types(list(self.kinds.values())) + (ir.TOKEN,) * len(self.groups)
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
            frame.names[name] = _rebuilt(kind, values, name)
        for g in self.groups:
            t.chains[g] = Chain(next(values))
        for name in names_assigned(self.node.body) + ([self.variable] if self.variable else []):
            if name not in self.before[0] or name == self.variable:
                frame.names[name] = Unset("is assigned in a loop, which may not run at all: give it "
                                          "a value before")


def _fits(x: Any, kind: Any) -> bool:
    """Whether a value can be made one of the type without loss of meaning."""
    if isinstance(kind, Leaf):
        if is_number(x):
            return _number_fits(x, kind.dtype)
        return isinstance(x, Tile) and x.shape == kind.shape and (
            x.dtype is kind.dtype or x.weak and kind.dtype.is_float)
    if isinstance(kind, tuple):
        return isinstance(x, tuple) and len(x) == len(kind) and all(map(_fits, x, kind))
    return _same(x, kind)


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
