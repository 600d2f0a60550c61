# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements of a kernel: conditions become those of Tile IR where the kernel has to decide, and are
executed now where everything is known. A branch is read into a region of its own."""
from __future__ import annotations

import ast
import functools
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence, Tuple

from . import _dtypes as dt
from . import _ir as ir
from ._joins import flat, joined, rebuilt, same, types_of
from ._memory import device_assert
from ._problem import Problem
from ._source import assignment_of, contains, names_assigned
from ._tile import Tile, describe, is_number
from ._trace import Chain
from ._visit import Closure, Frame, Unset, unsupported


class Flow(NamedTuple):
    """How statements end: "next", "return", "break" or "continue"."""
    kind: str
    value: Any = None  #: what is returned
    node: Any = None   #: the statement


NEXT = Flow("next")

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
        from ._loops import for_loop, while_loop
        return for_loop(frame, node) if kind == "For" else while_loop(frame, node)
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


def snapshot(frame: Frame) -> Tuple[Dict[str, Any], Dict[int, Chain], int]:
    t = frame.tracer
    return dict(frame.names), dict(t.chains), len(t.accesses)


def restore(frame: Frame, before, accesses: bool = False) -> None:
    frame.names, frame.tracer.chains = dict(before[0]), dict(before[1])
    if accesses:
        del frame.tracer.accesses[before[2]:]


def read(frame: Frame, act: Callable[[], Flow], args: Tuple[ir.Value, ...] = ()) -> Branch:
    """Reads something into a region; what it does to names and the order is undone."""
    before = snapshot(frame)
    region = ir.Region(args)
    try:
        with frame.tracer.inside(region):
            flow = act()
        return Branch(region, flow, frame.names, frame.tracer.chains)
    finally:
        restore(frame, before)


def _if(frame: Frame, node: ast.If, after: Sequence[ast.stmt]) -> Flow:
    cond = frame.value(node.test)
    if not isinstance(cond, Tile):
        return run(frame, node.body if cond else node.orelse, after)
    cond = frame.scalar_truth(cond, node.test)
    if contains([node], ast.Return) and not (frame.is_kernel and not _returns_value(node)):
        return _returning_if(frame, cond, node, after)
    accesses, begin = frame.tracer.accesses, len(frame.tracer.accesses)
    first = read(frame, lambda: run(frame, node.body, after))
    end = len(accesses)
    if first.flow.kind != "next":
        leaving(frame, cond, first, is_first=True)
        return run(frame, node.orelse, after)
    second = read(frame, lambda: run(frame, node.orelse, after))
    if second.flow.kind != "next":
        del accesses[begin:end]  # the first branch is read again, behind the `if`
        leaving(frame, cond, second, is_first=False)
        return run(frame, node.body, after)
    _merge(frame, cond, (first, second), names_assigned([node]), node=node)
    return NEXT


def _returns_value(node: ast.If) -> bool:
    return any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(node))


def leaving(frame: Frame, cond: Tile, branch: Branch, is_first: bool) -> None:
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
        kinds["the value"] = (values[0] if same(*values) else
                              joined("the value", values[0], values[1],
                                      "in one case and %s in the other"))
    groups = sorted(g for g in t.ordered if any(
        b.chains.get(g) is not t.chains.get(g) for b in branches))
    for b, own in zip(branches, values or (None, None)):
        with t.inside(b.region):
            given = [v for name, kind in kinds.items() for v in flat(
                own if name == "the value" else b.names[name], kind)]
            chains, t.chains = t.chains, dict(b.chains)
            given += [t.order_of(g) for g in groups]
            t.chains = chains
            t.emit("yield", tuple(given))
    types = types_of(list(kinds.values())) + (ir.TOKEN,) * len(groups)
    results = iter(t.emit("if", cond.value, types=types, regions=tuple(b.region for b in branches)))
    value = None
    for name, kind in kinds.items():
        made = rebuilt(kind, results, name if name != "the value" else None)
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
    if missing or not (same(a, b) or _mergeable(a) and _mergeable(b)):
        why = ("is assigned in one of two branches only: give it a value before the `if`" if missing
               else "is %s in one branch and %s in the other" % (describe(a), describe(b)))
        if any(there):
            frame.names[name] = Unset(why)
    elif same(a, b):
        frame.names[name] = a
    else:
        kinds[name] = joined(name, a, b, "in one branch and %s in the other")


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
        branch = read(frame, functools.partial(run, frame, tuple(body) + tuple(after), ()))
        branches.append(branch)
        values.append(branch.flow.value if branch.flow.kind == "return" else None)
    return Flow("return", _merge(frame, cond, branches, (), values))


def choose(frame: Frame, cond: Tile, node: ast.IfExp) -> Any:
    """`a if cond else b`."""
    def act(n: ast.expr) -> Flow:
        return Flow("return", frame.value(n))

    branches = [read(frame, functools.partial(act, n)) for n in (node.body, node.orelse)]
    return _merge(frame, cond, branches, (), [b.flow.value for b in branches])
