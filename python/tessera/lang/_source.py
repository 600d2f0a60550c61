# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions as syntax trees whose nodes know their place in the file."""
from __future__ import annotations

import ast
import inspect
import textwrap
from typing import Any, Dict, List, NamedTuple, Optional

from ._problem import Place, Problem


class Source(NamedTuple):
    """A function's text."""
    file: str
    first: int         #: the number of its first line
    indent: int        #: bytes that were cut off the beginning of every line
    lines: List[str]   #: of the function, as they stand in the file
    node: Any          #: ast.FunctionDef or ast.Lambda

    def place(self, node: ast.AST) -> Place:
        """Where a node is; for more than a line, its first line."""
        line = getattr(node, "lineno", 1)
        column = getattr(node, "col_offset", 0)
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        end = getattr(node, "end_col_offset", column + 1)
        if getattr(node, "end_lineno", line) != line:
            end = len(text.encode()) - self.indent
        return Place(self.file, self.first + line - 1, column + self.indent + 1,
                     max(end - column, 1), text)


_sources: Dict[Any, Source] = {}  # by code object


def source_of(function: Any) -> Source:
    """The text of a function; Problem when there is none."""
    code = function.__code__
    found = _sources.get(code)
    if found is None:
        found = _sources[code] = _read(function)
    return found


def _read(function: Any) -> Source:
    name = function.__name__
    try:
        lines, first = inspect.getsourcelines(function)
        file = inspect.getsourcefile(function) or function.__code__.co_filename
    except (OSError, TypeError):
        raise Problem("the text of the function %s was not found: kernels are read from files or "
                      "notebooks, not from exec() or a prompt" % name) from None
    lines = [line.rstrip("\n") for line in lines]
    text = "\n".join(lines)
    short = textwrap.dedent(text)
    indent = len(lines[0]) - len(lines[0].lstrip()) if short != text else 0
    return Source(file, max(first, 1), indent, lines, _node_of(function, short))


def _node_of(function: Any, text: str) -> Any:
    try:
        tree = ast.parse(text)
    except SyntaxError:  # a lambda in the middle of an expression
        raise Problem("the text of %s could not be read: write it as a function with `def`"
                      % function.__name__) from None
    if function.__name__ != "<lambda>":
        return next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)
                    and n.name == function.__name__)
    found = [n for n in ast.walk(tree) if isinstance(n, ast.Lambda)]
    if len(found) != 1:
        raise Problem("there are %d lambdas in the line of this one: write it as a function with "
                      "`def`" % len(found))
    return found[0]


# ---- what statements do with names --------------------------------------------------------------


class _Names(ast.NodeVisitor):
    def __init__(self):
        self.found: Dict[str, None] = {}

    def visit_Name(self, node):
        if not isinstance(node.ctx, ast.Load):
            self.found[node.id] = None

    def visit_FunctionDef(self, node):
        self.found[node.name] = None

    def visit_Lambda(self, node):
        pass

    visit_ListComp = visit_GeneratorExp = visit_SetComp = visit_DictComp = visit_Lambda


def names_assigned(statements) -> List[str]:
    """The names that statements assign to, in the order of the text."""
    names = _Names()
    for statement in statements:
        names.visit(statement)
    return list(names.found)


def assignment_of(name: str, statements) -> Optional[ast.Name]:
    """Where statements assign to a name last."""
    found = [n for s in statements for n in ast.walk(s)
             if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store)]
    return max(found, key=lambda n: (n.lineno, n.col_offset), default=None)


def contains(node: Any, kinds, through_loops: bool = True) -> bool:
    """Whether there is a node of these kinds in statements, functions inside aside."""
    for n in node if isinstance(node, list) else [node]:
        if isinstance(n, kinds):
            return True
        if isinstance(n, (ast.FunctionDef, ast.Lambda)):
            continue
        if not through_loops and isinstance(n, (ast.For, ast.While)):
            continue
        if contains(list(ast.iter_child_nodes(n)), kinds, through_loops):
            return True
    return False
