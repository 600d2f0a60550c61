# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which line of a script an instruction came from.

Tilus' programs don't say. So its transpiler is followed while it goes through the lines, and each
instruction that it makes is given its place, which passes then hand on to what they make of it.
"""
from __future__ import annotations

import ast
from typing import Optional, Tuple

_NAME = "_tessera_place"


def place_of(inst) -> Optional[Tuple[str, int, int]]:
    """File, line and column of an instruction, if they are known."""
    return inst.__dict__.get(_NAME)


def _mark(inst, place) -> None:
    if place is not None and _NAME not in inst.__dict__:
        object.__setattr__(inst, _NAME, place)


def install() -> None:
    """Has Tilus' transpiler and passes keep places. Doing it again changes nothing."""
    from tilus.ir.builders.stmt_builder import StmtBuilder
    from tilus.ir.functors import IRRewriter
    from tilus.ir.inst import Instruction
    from tilus.lang.transpiler import Transpiler
    if getattr(Transpiler.visit, _NAME, False):
        return
    _hide_attribute(Instruction)
    _follow(Transpiler)
    _mark_appended(StmtBuilder)
    _hand_on(IRRewriter)


def _hide_attribute(instruction):
    attributes = instruction.attributes.fget
    instruction.attributes = property(
        lambda self: {k: v for k, v in attributes(self).items() if k != _NAME},
        doc=attributes.__doc__)


def _follow(transpiler):
    visit = transpiler.visit

    def visit_and_follow(self, node):
        if not isinstance(node, (ast.stmt, ast.Call)):
            return visit(self, node)
        before = self.__dict__.get(_NAME)
        self.__dict__[_NAME] = (self.file, self.start_lineno + node.lineno - 1,
                                self.start_column + node.col_offset + 1)
        try:
            return visit(self, node)
        finally:
            self.__dict__[_NAME] = before
    setattr(visit_and_follow, _NAME, True)
    transpiler.visit = visit_and_follow


def _has_place(inst_or_stmt) -> bool:
    """Instructions, and what is called as a statement, as cluster.sync is."""
    return hasattr(inst_or_stmt, "inputs") or type(inst_or_stmt).__name__ == "EvaluateStmt"


def _mark_appended(builder):
    append = next(cls for cls in builder.__mro__ if "append" in cls.__dict__).append

    def append_marked(self, inst_or_stmt):
        if _has_place(inst_or_stmt):
            _mark(inst_or_stmt, self.__dict__.get(_NAME))
        return append(self, inst_or_stmt)
    builder.append = append_marked


def _hand_on(rewriter):
    visit, evaluate = rewriter.visit_InstStmt, rewriter.visit_EvaluateStmt

    def visit_and_hand_on(self, stmt):
        result = visit(self, stmt)
        place = place_of(stmt.inst)
        if place is not None:
            _mark_all(result, place)
        return result

    def evaluate_and_hand_on(self, stmt):
        result = evaluate(self, stmt)
        _mark(result, place_of(stmt))
        return result
    rewriter.visit_InstStmt, rewriter.visit_EvaluateStmt = visit_and_hand_on, evaluate_and_hand_on


def _mark_all(stmt, place) -> None:
    if hasattr(stmt, "inst"):
        _mark(stmt.inst, place)
    for part in getattr(stmt, "seq", ()):
        _mark_all(part, place)
