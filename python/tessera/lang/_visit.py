# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions of a kernel, evaluated: what is known now becomes a value of Python, the rest tiles
and the operations that give them."""
from __future__ import annotations

import ast
import builtins
import operator
import types
from contextlib import contextmanager
from typing import Any, Dict, List, Optional, Sequence

from . import _arithmetic as arithmetic
from ._arrays import Array
from ._memory import Text, gather
from ._problem import Place, Problem
from ._source import Source
from ._tile import Tile, describe, python_number
from ._trace import Tracer

_BINARY = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
    ast.Pow: operator.pow, ast.MatMult: operator.matmul, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift,
    ast.RShift: operator.rshift}
_COMPARED = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
             ast.Gt: operator.gt, ast.GtE: operator.ge}
#: What a statement or an expression is called in a message.
_TITLES = {
    "Try": "`try`", "TryStar": "`try`", "With": "`with`", "Raise": "`raise`",
    "ClassDef": "classes", "Import": "`import`", "ImportFrom": "`import`", "Global": "`global`",
    "Nonlocal": "`nonlocal`", "Delete": "`del`", "AsyncFor": "`async`", "AsyncWith": "`async`",
    "Await": "`await`", "Yield": "`yield`", "YieldFrom": "`yield`", "Match": "`match`",
    "Dict": "dictionaries: use tuples", "Set": "sets: use tuples", "NamedExpr": "`:=`",
    "Starred": "`*` here", "AsyncFunctionDef": "`async`", "SetComp": "sets: use tuples",
    "DictComp": "dictionaries: use tuples"}


def unsupported(node: ast.AST) -> Problem:
    """What is said of a statement or expression that kernels don't have."""
    title = _TITLES.get(type(node).__name__, type(node).__name__)
    return Problem("kernels have no %s" % title)


class Unset:
    """What a name has that was assigned on some ways only."""

    def __init__(self, why: str):
        self.why = why


class Closure:
    """A function that is defined inside a kernel, with the names around it."""

    def __init__(self, node: Any, frame: "Frame"):
        self.node, self.frame = node, frame
        self.__name__ = getattr(node, "name", "<lambda>")

    def __call__(self, *args: Any, **named: Any) -> Any:
        from ._calls import call_closure
        return call_closure(self, args, named)


class Frame:
    """A function that is being read: its names, and the functions that call it."""

    def __init__(self, tracer: Tracer, source: Source, names: Dict[str, Any], scope: Any,
                 caller: Optional["Frame"] = None, outer: Optional["Frame"] = None):
        self.tracer, self.source, self.names, self.scope = tracer, source, names, scope
        self.caller, self.outer = caller, outer
        self.node: Any = source.node  #: that is being evaluated
        self.loops = 0  #: that are open and not unrolled, in this function
        self.is_kernel = False
        #: What ends an iteration of each open loop: called with "break" or "continue". None where
        #: a loop is unrolled.
        self.exits: List[Any] = []

    # ---- places ----

    @contextmanager
    def at(self, node: ast.AST):
        """Operations and problems belong to the node."""
        tracer, node_before = self.tracer, self.node
        before, tracer.frame = (tracer.location, tracer.frame), self
        if hasattr(node, "lineno"):
            place = self.source.place(node)
            tracer.location, self.node = (place.file, place.line, place.column), node
        try:
            yield
        except Problem as problem:
            self.locate(problem, node)
            raise
        finally:
            (tracer.location, tracer.frame), self.node = before, node_before

    def locate(self, problem: Problem, node: ast.AST) -> None:
        """Says of a problem where it is, unless that is known."""
        if problem.place is None and hasattr(node, "lineno"):
            problem.place = self.source.place(_argument_of(node, problem.argument))
            problem.callers = self.calls()

    def calls(self) -> List[Place]:
        places, frame = [], self.caller
        while frame is not None:
            places.append(frame.source.place(frame.node))
            frame = frame.caller
        return places

    # ---- expressions ----

    def value(self, node: ast.AST) -> Any:
        """The value of an expression."""
        kind = type(node).__name__
        visit = getattr(self, "visit_" + kind, None)
        with self.at(node):
            if visit is None:
                raise unsupported(node)
            return visit(node)

    def values(self, nodes: Sequence[ast.AST]) -> List[Any]:
        found: List[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found += self.static_items(self.value(node.value), node)
            else:
                found.append(self.value(node))
        return found

    def visit_Constant(self, node):
        if isinstance(node.value, (complex, bytes)):
            raise Problem("kernels have no %s" % type(node.value).__name__)
        return node.value

    def visit_Name(self, node):
        found = self.look_up(node.id)
        if isinstance(found, Unset):
            raise Problem("%s %s" % (node.id, found.why))
        return python_number(found)

    def look_up(self, name: str) -> Any:
        frame: Optional[Frame] = self
        while frame is not None:
            if name in frame.names:
                return frame.names[name]
            last, frame = frame, frame.outer
        found, where = last.scope(name)
        if where is not None and not isinstance(found, types.ModuleType):
            self.tracer.uses(where, name, found)
        return found

    def visit_Tuple(self, node):
        return tuple(self.values(node.elts))

    def visit_List(self, node):
        return tuple(self.values(node.elts))

    def visit_BinOp(self, node):
        left, right = self.value(node.left), self.value(node.right)
        return self.binary(_BINARY[type(node.op)], left, right)

    def binary(self, function, left, right):
        left, right = python_number(left), python_number(right)
        if isinstance(left, (Tile, Array)) or isinstance(right, (Tile, Array)):
            return arithmetic.BINARY[function](left, right)
        return self.known(function, left, right)

    def known(self, function, *args: Any, **named: Any) -> Any:
        """What Python itself says."""
        try:
            return function(*args, **named)
        except Problem:
            raise
        except Exception as error:
            raise Problem("%s: %s" % (type(error).__name__, error)) from None

    def visit_UnaryOp(self, node):
        x = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return arithmetic.invert(self.scalar_truth(x, node.operand)) if isinstance(
                x, Tile) else not x
        if isinstance(x, Tile):
            return {ast.USub: arithmetic.negative, ast.Invert: arithmetic.invert,
                    ast.UAdd: lambda t: t}[type(node.op)](x)
        return self.known({ast.USub: operator.neg, ast.Invert: operator.invert,
                           ast.UAdd: operator.pos}[type(node.op)], x)

    def visit_Compare(self, node):
        left, result = self.value(node.left), None
        for op, right_node in zip(node.ops, node.comparators):
            right = self.value(right_node)
            one = self.compare(op, left, right)
            result = one if result is None else self.both(result, one)
            left = right
        return result

    def compare(self, op, left, right):
        if isinstance(op, (ast.Is, ast.IsNot)):
            return (left is right) == isinstance(op, ast.Is)
        if isinstance(op, (ast.In, ast.NotIn)):
            if isinstance(left, Tile) or not isinstance(right, (tuple, str)):
                raise Problem("`in` looks for numbers in tuples that are known when the kernel is "
                              "compiled, found %s" % describe(left))
            return self.known(operator.contains, right, left) == isinstance(op, ast.In)
        function = _COMPARED[type(op)]
        if (isinstance(left, Tile) or isinstance(right, Tile)) and not (
                left is None or right is None):
            return arithmetic.compare(arithmetic.COMPARISONS[function], left, right)
        return self.known(function, left, right)

    def both(self, a, b):
        if isinstance(a, Tile) and isinstance(b, Tile):
            return arithmetic.bitwise_and(a, b)
        known, other = (b, a) if isinstance(a, Tile) else (a, b)
        return other if known else known

    def visit_BoolOp(self, node):
        """`and` and `or`: both sides are evaluated where the first is not known."""
        is_and = isinstance(node.op, ast.And)
        result = self.value(node.values[0])
        for other in node.values[1:]:
            if not isinstance(result, Tile):
                if bool(result) != is_and:
                    return result
                result = self.value(other)
                continue
            a, b = self.scalar_truth(result, node.values[0]), self.value(other)
            b = self.scalar_truth(b, other) if isinstance(b, Tile) else arithmetic.truth(b)
            result = (arithmetic.bitwise_and if is_and else arithmetic.bitwise_or)(a, b)
        return result

    def scalar_truth(self, x: Any, node: ast.AST) -> Tile:
        """The truth of a scalar, as `if`, `while`, `and`, `or` and `not` take it."""
        if isinstance(x, Tile) and x.shape:
            with self.at(node):
                raise Problem("expected a scalar, found %s: tl.where(…) chooses element by element, "
                              "& | ~ combine truth values, tl.any(…) and tl.all(…) give a scalar"
                              % describe(x))
        with self.at(node):
            return arithmetic.truth(x)

    def visit_Attribute(self, node):
        x = self.value(node.value)
        if isinstance(x, (Tile, Array)) and node.attr not in _attributes(type(x)):
            raise Problem("%s has no attribute %r; it has %s" % (
                describe(x), node.attr, ", ".join(_attributes(type(x)))))
        return self.known(getattr, x, node.attr)

    def visit_Subscript(self, node):
        x, index = self.value(node.value), self.index(node.slice)
        if isinstance(x, Array):
            return gather(x, index)
        if isinstance(x, Tile):
            return x[index]
        if any(isinstance(i, Tile) for i in (index if isinstance(index, tuple) else (index,))):
            raise Problem("%s is indexed by numbers that are known when the kernel is compiled, not "
                          "by %s" % (describe(x), describe(index)))
        return self.known(operator.getitem, x, index)

    def index(self, node):
        if isinstance(node, ast.Slice):
            return slice(*[None if n is None else self.value(n)
                           for n in (node.lower, node.upper, node.step)])
        if isinstance(node, ast.Tuple):
            return tuple(self.index(n) for n in node.elts)
        return self.value(node)

    def visit_IfExp(self, node):
        cond = self.value(node.test)
        if not isinstance(cond, Tile):
            return self.value(node.body if cond else node.orelse)
        from ._control import choose
        return choose(self, self.scalar_truth(cond, node.test), node)

    def visit_Lambda(self, node):
        return Closure(node, self)

    def visit_JoinedStr(self, node):
        parts = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append((part.value, ""))
                continue
            x = self.value(part.value)
            spec = "" if part.format_spec is None else self.value(part.format_spec)
            parts.append((x, spec) if isinstance(x, Tile) else (
                self.known(format, x, spec) if spec else str(x), ""))
        if any(isinstance(p, Tile) for p, _ in parts):
            return Text(parts)
        return "".join(p for p, _ in parts)

    def visit_ListComp(self, node):
        return tuple(self.comprehension(node, node.generators))

    visit_GeneratorExp = visit_ListComp

    def comprehension(self, node, generators):
        if not generators:
            return [self.value(node.elt)]
        first, found, before = generators[0], [], dict(self.names)
        for item in self.static_items(self.value(first.iter), first.iter):
            self.assign(first.target, item)
            if all(self.static_truth(test) for test in first.ifs):
                found += self.comprehension(node, generators[1:])
        self.names = before
        return found

    def static_truth(self, node) -> bool:
        x = self.value(node)
        if isinstance(x, Tile):
            with self.at(node):
                raise Problem("this must be known when the kernel is compiled, found %s"
                              % describe(x))
        return bool(x)

    def static_items(self, x: Any, node: ast.AST) -> List[Any]:
        """What a loop that is unrolled goes over."""
        if isinstance(x, (tuple, builtins.list, range, dict)):
            return list(x)
        with self.at(node):
            if hasattr(x, "known"):
                return list(x.known())
            raise Problem("expected a tuple, or range(…), found %s" % describe(x))

    def visit_Call(self, node):
        from ._calls import call
        return call(self, node)

    # ---- assignment ----

    def assign(self, target: ast.AST, x: Any) -> None:
        """Gives a value to a name, a tuple of names or elements of an array."""
        with self.at(target):
            if isinstance(target, ast.Name):
                self.names[target.id] = x
                _name(x, target.id)
            elif isinstance(target, (ast.Tuple, ast.List)):
                self.unpack(target, x)
            elif isinstance(target, ast.Subscript):
                self.assign_element(target, x)
            else:
                raise Problem("kernels assign to names and to elements of arrays only")

    def unpack(self, target, x):
        for t in target.elts:
            if isinstance(t, ast.Starred):
                with self.at(t):
                    raise unsupported(t)
        if not isinstance(x, tuple) or len(x) != len(target.elts):
            raise Problem("expected a tuple of %d values, found %s" % (
                len(target.elts), describe(x)))
        for t, item in zip(target.elts, x):
            self.assign(t, item)

    def assign_element(self, target, x):
        from ._memory import scatter
        array = self.value(target.value)
        if not isinstance(array, Array):
            raise Problem("only elements of arrays can be assigned to, not of %s: tl.where(…) makes "
                          "a tile with other elements" % describe(array))
        scatter(array, self.index(target.slice), x)


def _name(x: Any, name: str) -> None:
    if isinstance(x, Tile) and x.value.name is None:
        x.value.name = name


def _attributes(kind) -> List[str]:
    return sorted(n for n in dir(kind) if not n.startswith("_")
                  and n not in ("value", "weak", "is_array", "number", "group", "info", "base",
                                "parameters", "view", "tiles", "name"))


def _argument_of(node: ast.AST, argument: Any) -> ast.AST:
    """The argument of a call that a problem is about; the node when it is about no argument."""
    if isinstance(node, ast.BinOp) and argument in (0, 1):
        return node.right if argument else node.left
    if isinstance(node, ast.Call) and argument is not None:
        if isinstance(argument, int) and argument < len(node.args):
            return node.args[argument]
        for keyword in node.keywords:
            if keyword.arg == argument:
                return keyword.value
    return node
