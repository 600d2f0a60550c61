# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What goes wrong, as exceptions. Each carries the messages of the library as `diagnostics`."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence, Tuple


@dataclass(frozen=True)
class Diagnostic:
    """One message. `text` is the whole of it as compilers print it, with the line and a caret."""
    severity: str  #: "error", "warning", "note" or "remark"
    message: str
    file: Optional[str]
    line: int      #: from 1; 0 when unknown
    column: int    #: from 1, in bytes; 0 when unknown
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Finding:
    """Something that the sanitizer found: `tsr_finding` in <tessera/runtime.h>."""
    check: str     #: "bounds", "assume", "init", "race", "arith" or "sync"
    message: str
    detail: Optional[str]
    operation: str
    file: Optional[str]
    line: int
    column: int
    block: Tuple[int, int, int]
    element: int   #: of the operation's tile, row-major; -1: it is about no element
    count: int     #: elements of this tile with the same fault
    address: int
    buffer: Optional[str]
    offset: int
    other_operation: Optional[str]
    other_line: int
    other_column: int
    other_block: Tuple[int, int, int]

    def __str__(self) -> str:
        where = "%s:%d:%d: " % (self.file or "<unknown>", self.line, self.column)
        text = "%s%s: %s (tile block %d,%d,%d" % ((where, self.check, self.message) + self.block)
        if self.element >= 0:
            text += ", element %d" % self.element
        text += ")"
        return text + ("\n  " + self.detail if self.detail else "")


class TesseraError(Exception):
    """The base of all errors of this package that come from the library."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic] = ()):
        super().__init__(message)
        self.diagnostics = tuple(diagnostics)


class InputError(TesseraError):
    """The program or the layout is wrong; the message says where and what was expected."""


class KernelError(InputError):
    """A kernel that is written in Python is wrong; the message has its file, line and a caret."""


class UsageError(TesseraError, ValueError):
    """The call is wrong: an argument, a grid, a name."""


class FileError(TesseraError, OSError):
    """A file cannot be read."""


class OutOfMemory(TesseraError, MemoryError):
    """There was no memory for it."""


class Unsupported(TesseraError, NotImplementedError):
    """Valid, but this build, device or machine cannot do it."""


class Trap(TesseraError):
    """The kernel stopped itself: an assert failed."""


class SanitizerError(Trap):
    """The sanitizer found something; `findings` says what."""

    def __init__(self, message: str, diagnostics: Sequence[Diagnostic],
                 findings: Sequence[Finding]):
        super().__init__(message, diagnostics)
        self.findings = tuple(findings)


class TesseraWarning(UserWarning):
    """What the library warns of, such as a hint that nobody knows."""


#: By tsr_status.
BY_STATUS = (None, InputError, UsageError, FileError, OutOfMemory, Unsupported, Trap)
