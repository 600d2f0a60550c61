# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is wrong with a kernel, before and after it is known where."""
from __future__ import annotations

from typing import Any, List, NamedTuple, Optional

from ..errors import Diagnostic, KernelError


class Place(NamedTuple):
    """A part of a line of a file."""
    file: str
    line: int     #: from 1
    column: int   #: from 1, in bytes
    length: int   #: in bytes
    text: str     #: the line


class Problem(Exception):
    """Something that is wrong; the expression that is being evaluated, or its argument (a position
    or a keyword), is where."""

    def __init__(self, message: str, argument: Any = None):
        super().__init__(message)
        self.message, self.argument = message, argument
        self.place: Optional[Place] = None
        self.callers: List[Place] = []  #: of the inlined functions, the innermost first


def _quoted(place: Place) -> str:
    """The line with a caret, as compilers print it; tabs stay what they are."""
    raw = place.text.encode()
    before = raw[:place.column - 1].decode("utf-8", "replace")
    about = raw[place.column - 1:place.column - 1 + place.length].decode("utf-8", "replace")
    indent = "".join("\t" if c == "\t" else " " for c in before)
    return "%s\n%s^%s" % (place.text.rstrip(), indent, "~" * (len(about.rstrip()) - 1))


def _diagnostic(severity: str, message: str, place: Place) -> Diagnostic:
    text = "%s:%d:%d: %s: %s" % (place.file, place.line, place.column, severity, message)
    if place.text.strip():
        text += "\n" + "\n".join("  " + line for line in _quoted(place).split("\n"))
    return Diagnostic(severity, message, place.file, place.line, place.column, text)


def error_of(problem: Problem) -> KernelError:
    """The exception that the user gets."""
    found = []
    if problem.place is not None:
        found.append(_diagnostic("error", problem.message, problem.place))
        found += [_diagnostic("note", "called here", place) for place in problem.callers]
    text = "\n".join(d.text for d in found) or problem.message
    return KernelError(text, found)
