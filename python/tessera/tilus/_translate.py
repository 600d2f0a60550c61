# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of Tilus, after its own inference of layouts, as a kernel of the block level.

Tilus' register tensors and scalars are variables; the block level has values. So statements are
gone through once, keeping for each variable the value that it has: a loop hands on the variables
that its body assigns, and both ways of an `if` yield them.
"""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..errors import Unsupported
from ._elements import BOOL, I32, elem_of, pointer_to
from ._asynchronous import Barrier
from ._groups import Groups, Unmade
from ._instructions import Instructions
from ._places import place_of
from ._scalars import Expressions, name_of
from ._writer import Value, Writer


class Workspace(NamedTuple):
    """Memory that the launcher allocates for a kernel, and hands it as an argument."""
    size: Any    #: in bytes, as `portable` writes expressions
    clean: bool  #: zero before the first launch, and left so by each


class Translated(NamedTuple):
    """A kernel's text, and how to launch it."""
    name: str
    text: str
    grid: List[Any]  #: tile blocks, as `portable` writes expressions
    workspaces: List[Workspace]


def translate(function) -> Translated:
    """A Function of Tilus whose tensors all have layouts."""
    return _Translator(function).run()


def portable(expr, names: Sequence[Any]):
    """An expression over parameters as lists, strings and numbers: ["+", "0", 63], where "0" is the
    first parameter."""
    kind = type(expr).__name__
    if isinstance(expr, (int, float)):
        return expr
    if kind == "Constant":
        return expr.value
    if kind in ("Var", "SymbolVar"):
        if expr not in names:
            raise Unsupported("%s is not known before the kernel runs; only parameters of the "
                              "kernel are" % name_of(expr))
        return str(list(names).index(expr))
    if kind == "Cast":
        return portable(expr.expr, names)
    if kind in PORTABLE:
        return [PORTABLE[kind], portable(expr.a, names), portable(expr.b, names)]
    if kind == "Call":
        name = name_of(expr.func_var).replace("generic_", "")
        if name in ("min", "max"):
            return [name] + [portable(a, names) for a in expr.args]
    raise Unsupported("an expression of kind %s can't be computed by the launcher" % kind)


PORTABLE = {"Add": "+", "Sub": "-", "Multiply": "*", "Div": "/", "FloorDiv": "/", "Mod": "%"}


class _Translator(Groups):
    """The statements of a function. What instructions do is in Instructions."""

    def __init__(self, function):
        self.function, self.metadata = function, function.metadata
        self.writer = Writer(self.metadata.num_warps * 32)
        self.values: Dict[Any, Any] = {}  #: of variables and tensors, as of now
        self.expressions = Expressions(self.writer, self._value)
        self.instructions = Instructions(self)
        self._begin_groups()
        self._loops: List[List[Any]] = []  #: the variables that the loops around hand on
        self._blocks: Dict[str, Value] = {}
        self._assigned: Dict[int, Tuple[Any, ...]] = {}
        self.parameters: List[str] = []
        self.workspaces: List[Workspace] = []

    def run(self) -> Translated:
        function = self.function
        for i, variable in enumerate(function.params):
            self._parameter(i, variable)
        self._write_block_ids()
        if not self.statement(function.body):
            self.writer.line("return")
        grid = [portable(e, function.params) for e in self.metadata.grid_blocks]
        return Translated(function.name, self.writer.module(function.name, self.parameters), grid,
                          self.workspaces)

    def _parameter(self, i, variable):
        elem = elem_of(variable.type)
        hint = "".join(c if c.isalnum() or c == "_" else "_" for c in name_of(variable) or "p%d" % i)
        name = "%%%s" % hint
        if any(p.startswith(name + ":") for p in self.parameters):
            name += "_%d" % i
        self.parameters.append("%s: tile<%s>" % (name, elem.name))
        value = Value(name, elem)
        divisor = self.metadata.param2divisibility.get(variable, 1)
        if divisor > 1 and elem.kind == "int":
            value = self.writer.make("", elem, None, "assume div_by<%d>, %s : %s", divisor, name)
        self.values[variable] = value

    def workspace(self, elem, size, clean: bool) -> Value:
        """One more parameter, for memory of `size` elements."""
        name = "%%workspace%d" % len(self.workspaces)
        self.parameters.append("%s: tile<ptr<i8>>" % name)
        count = portable(size, self.function.params)
        self.workspaces.append(Workspace(["/", ["+", ["*", count, elem.bits], 7], 8], clean))
        return self.writer.retyped(Value(name, pointer_to("i8")), elem)

    def _write_block_ids(self):
        for op, base in (("get_tile_block_id", "blockIdx"), ("get_num_tile_blocks", "gridDim")):
            names = [self.writer.name(base[0]) for _ in range(3)]
            self.writer.op("%s = %s : tile<i32>" % (", ".join(names), op))
            for axis, name in zip("xyz", names):
                self._blocks["%s.%s" % (base, axis)] = Value(name, I32)

    def _value(self, variable) -> Value:
        if variable in self.values:
            return self.whole(variable)
        if variable.name in self._blocks:
            return self._blocks[variable.name]
        if variable.name and variable.name.startswith("cluster"):
            return self._of_cluster(variable.name)
        raise self.unsupported("the variable %s" % name_of(variable),
                               "use blockIdx, gridDim and the kernel's own variables")

    def in_cluster(self) -> None:
        """The kernel uses other blocks of its cluster. Others are launched without."""
        self.writer.cluster = tuple(self.metadata.cluster_blocks)

    def _of_cluster(self, name: str) -> Value:
        """clusterBlockRank, clusterSize, clusterBlockIdx_x, clusterDim_x, …"""
        sizes, axis = self.metadata.cluster_blocks, "xyz".find(name[-1])
        if name == "clusterSize":
            return self.writer.constant(sizes[0] * sizes[1] * sizes[2], I32)
        if name.startswith("clusterDim_"):
            return self.writer.constant(sizes[axis], I32)
        if name != "clusterBlockRank" and not name.startswith("clusterBlockIdx_"):
            raise self.unsupported("the variable %s" % name, "compute it from blockIdx")
        self.in_cluster()
        rank = self.writer.make("", I32, None, "get_cluster_rank : %s")
        if name == "clusterBlockRank":
            return rank
        below = sizes[0] ** (axis > 0) * sizes[1] ** (axis > 1)
        place = self.writer.binary("divi", rank, self.writer.constant(below, I32), " unsigned")
        return self.writer.binary("remi", place, self.writer.constant(sizes[axis], I32), " unsigned")

    def unsupported(self, what: str, instead: str) -> Unsupported:
        """What to raise for something that the block level can't say."""
        place = self.writer.place
        where = "%s:%d: " % place[:2] if place else "%s: " % self.function.name
        return Unsupported("%s%s: not supported by Tessera yet; %s" % (where, what, instead))

    # ---- statements ----

    def statement(self, stmt) -> bool:
        """Writes a statement. True: what follows it is not reached."""
        kind = type(stmt).__name__
        method = getattr(self, "_" + kind, None)
        if method is None:
            raise self.unsupported("statements of kind %s" % kind, "write it with for, while and if")
        self.writer.place = _place_inside(stmt) or self.writer.place
        return bool(method(stmt))

    def _SeqStmt(self, stmt):
        return any(self.statement(s) for s in stmt.seq)

    def _InstStmt(self, stmt):
        return self.instructions.write(stmt.inst)

    def _LetStmt(self, stmt):
        for variable, value in zip(stmt.bind_vars, stmt.bind_values):
            self._set(variable, value)
        return self.statement(stmt.body)

    def _DeclareStmt(self, stmt):
        if stmt.init is None:
            self.values[stmt.var] = self.writer.constant(0, elem_of(stmt.var.type))
        else:
            self._set(stmt.var, stmt.init)

    def _AssignStmt(self, stmt):
        self._set(stmt.var, stmt.value)

    def _set(self, variable, expr):
        if type(expr).__name__ == "Var" and isinstance(self.values.get(expr), Barrier):
            self.values[variable] = self.values[expr]
            return
        self.values[variable] = self.expressions.scalar(expr, elem_of(variable.type))

    def _EvaluateStmt(self, stmt):
        called = getattr(getattr(stmt.expr, "func_var", None), "name", None) or ""
        if called == "this_cluster.sync":
            return self.instructions.cluster_sync()
        raise self.unsupported("the expression %s as a statement" % stmt.expr, "remove it")

    def _TensorItemPtrStmt(self, stmt):
        self.instructions.item_pointer(stmt.ptr_var, stmt.tensor)

    def _TensorItemValueStmt(self, stmt):
        self.instructions.item_value(stmt.var, stmt.tensor)

    def _ReturnStmt(self, _stmt):
        self.writer.op("return")
        return True

    # ---- control flow ----

    def _carried(self, *stmts) -> List[Any]:
        """The variables that statements assign and that have a value before them."""
        keys = dict.fromkeys(k for s in stmts if s is not None for k in self._assigns(s))
        for key in [k for k in keys if isinstance(self.values.get(k), Unmade)]:
            self.make(key)
        self.instructions.land(keys)
        return [k for k in keys if k in self.values and isinstance(self.whole(k), Value)]

    def _assigns(self, stmt) -> Tuple[Any, ...]:
        found = self._assigned.get(id(stmt))
        if found is None:
            found = self._assigned[id(stmt)] = tuple(dict.fromkeys(_assigned_by(stmt, self)))
        return found

    def _with(self, keys, names) -> List[Value]:
        """Gives variables new names."""
        for key, name in zip(keys, names):
            self.values[key] = self.values[key]._replace(name=name)

    def _names(self, keys, hint) -> List[str]:
        return [self.writer.name(hint) for _ in keys]

    def _list(self, keys) -> str:
        return ", ".join(self.instructions.settled(self.whole(k)).name for k in keys)

    def _types(self, keys) -> str:
        return ", ".join(self.writer.type_of(self.values[k]) for k in keys)

    def _leave(self, word, keys):
        self.instructions.land(keys)
        self.writer.op("%s %s : %s" % (word, self._list(keys), self._types(keys)) if keys else word)

    def _ForStmt(self, stmt):
        if _breaks(stmt.body):
            return self._for_with_break(stmt)
        extent = self.expressions.scalar(stmt.extent, elem_of(stmt.iter_var.type))
        keys = self._carried(stmt.body)
        index, inner = self.writer.name("i"), self._names(keys, "v")
        head = "for %s in (%s to %s, step %s) : %s" % (
            index, self.writer.constant(0, extent.elem).name, extent.name,
            self.writer.constant(1, extent.elem).name, self.writer.type_of(extent))
        outer = self._open_loop(head, keys, inner, "iter_values(%s) -> (%s)")
        before = dict(self.values)
        self.values[stmt.iter_var] = Value(index, extent.elem)
        self._with(keys, inner)
        if not self.statement(stmt.body) and keys:
            self._leave("continue", keys)
        self._close(before, keys, outer)

    def _open_loop(self, head, keys, inner, form):
        """Opens a loop that hands on the variables, and returns the names of its results."""
        outer = self._names(keys, "r")
        if keys:
            values = ", ".join("%s = %s" % (name, self.values[k].name)
                               for name, k in zip(inner, keys))
            types = self._types(keys)
            head = "%s = %s %s" % (", ".join(outer), head,
                                   form % ((values,) + (types,) * (form.count("%s") - 1)))
        self.writer.open(head + " {")
        return outer

    def _close(self, before, keys, outer):
        self.writer.close()
        self.values = before
        self._with(keys, outer)

    def _for_with_break(self, stmt):
        """A `loop` that counts, since only loops of that kind can be left."""
        elem = elem_of(stmt.iter_var.type)
        extent = self.expressions.scalar(stmt.extent, elem)
        self.values[stmt.iter_var] = self.writer.constant(0, elem)

        def condition():
            return self.writer.compare("less_than", self.values[stmt.iter_var], extent)

        def step():
            self.values[stmt.iter_var] = self.writer.add(self.values[stmt.iter_var], 1)
        keys = [k for k in self._carried(stmt.body) if k is not stmt.iter_var] + [stmt.iter_var]
        self._loop(stmt.body, keys, condition, step)

    def _WhileStmt(self, stmt):
        def condition():
            return self.expressions.scalar(stmt.cond, BOOL)
        self._loop(stmt.body, self._carried(stmt.body), condition, lambda: None)

    def _loop(self, body, keys, condition, step):
        inner = self._names(keys, "v")
        outer = self._open_loop("loop", keys, inner, "iter_values(%s) : %s -> %s")
        before = dict(self.values)
        self._with(keys, inner)
        self._loops.append(keys)
        self.writer.open("if %s {" % condition().name)
        self.writer.middle("} else {")
        self._leave("break", keys)
        self.writer.close()
        if not self.statement(body):
            step()
            self._leave("continue", keys)
        self._loops.pop()
        self._close(before, keys, outer)

    def _BreakStmt(self, _stmt):
        self._leave("break", self._loops[-1])
        return True

    def _IfStmt(self, stmt):
        condition = self.expressions.scalar(stmt.cond, BOOL)
        keys = self._carried(stmt.then_body, stmt.else_body)
        outer = self._names(keys, "r")
        head = "if %s" % condition.name
        if keys:
            head = "%s = %s -> (%s)" % (", ".join(outer), head, self._types(keys))
        before = dict(self.values)
        self.writer.open(head + " {")
        left = self._branch(stmt.then_body, keys)
        if stmt.else_body is not None or keys:
            self.values = dict(before)
            self.writer.middle("} else {")
            left = self._branch(stmt.else_body, keys) and left
        else:
            left = False
        self._close(before, keys, outer)
        return left

    def _branch(self, body, keys) -> bool:
        if body is not None and self.statement(body):
            return True
        if keys:
            self._leave("yield", keys)
        return False


def _parts(stmt) -> List[Any]:
    """The statements directly inside of a statement."""
    if hasattr(stmt, "seq"):
        return list(stmt.seq)
    parts = [getattr(stmt, name, None) for name in ("body", "then_body", "else_body")]
    return [p for p in parts if p is not None]


def _place_inside(stmt):
    """The place of a statement or of its first instruction."""
    place = place_of(getattr(stmt, "inst", stmt))
    return place or next(filter(None, map(_place_inside, _parts(stmt))), None)


def _assigned_by(stmt, translator):
    """The variables and tensors that a statement may give a new value."""
    kind = type(stmt).__name__
    if kind == "AssignStmt":
        yield stmt.var
    elif kind == "InstStmt":
        inst = stmt.inst
        if type(inst).__name__ in ("AssignInst", "SliceAssignInst"):
            yield inst.inputs[0]
        elif type(inst).__name__.startswith("WgmmaMma"):
            yield inst.inputs[2]
        elif inst.output is not None:
            yield inst.output
    for part in _parts(stmt):
        yield from translator._assigns(part)


def _breaks(stmt) -> bool:
    """Whether a statement leaves the loop that it stands in."""
    kind = type(stmt).__name__
    if kind == "BreakStmt":
        return True
    return kind not in ("ForStmt", "WhileStmt") and any(_breaks(p) for p in _parts(stmt))
