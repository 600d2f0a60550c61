# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The context that everything of this package is made from, and who may use it when.

A context of the library is used by one thread at a time, but kernels that are ready may be launched
from several. So there is a lock that launches share and all other calls have to themselves.
"""
from __future__ import annotations

import collections
import ctypes
import threading
import warnings
import weakref
from contextlib import contextmanager

from . import _native as native
from .errors import BY_STATUS, Diagnostic, TesseraError, TesseraWarning

# Objects are destroyed before what they were made from.
BUFFER, PROGRAM, MODULE, OPERATORS, STORE, DEVICE = range(6)


class Context:
    def __init__(self):
        self._on_diagnostic = native.DiagnosticFn(self._take)
        self._messages = []
        self._turn = threading.Condition(threading.RLock())
        self._wanted = 0
        self._launches = collections.deque()  # an entry for each under way
        self._garbage = collections.deque()
        options = native.ContextOptions(
            struct_size=ctypes.sizeof(native.ContextOptions), on_diagnostic=self._on_diagnostic)
        self.handle = native.context_create(ctypes.byref(options))
        if not self.handle:
            raise MemoryError("no memory for a context of libtessera")

    def _take(self, _user, pointer):
        d = pointer.contents
        text = native.text_of(native.diagnostic_format, pointer, False)
        self._messages.append(Diagnostic(
            native.SEVERITIES[d.severity], d.message.decode("utf-8", "replace"),
            d.file.decode("utf-8", "replace") if d.file else None, d.line, d.column,
            text.rstrip("\n")))

    # ---- turns ----

    @contextmanager
    def alone(self):
        """For every call but a launch: no other thread is in the library with this context."""
        with self._turn:
            self._wanted += 1
            try:
                while self._launches:
                    self._turn.wait()
                self._collect()
                yield
            finally:
                self._wanted -= 1

    # A launch takes no lock unless somebody wants to be alone. It says so first and looks then, as
    # alone() does the other way round, so one of the two sees the other.

    def begin_launch(self):
        self._launches.append(None)
        if self._wanted:
            self.end_launch()
            with self._turn:
                self._launches.append(None)

    def end_launch(self):
        self._launches.pop()
        if self._wanted:
            with self._turn:
                self._turn.notify_all()

    # ---- lifetimes ----

    def own(self, owner, rank, destroy, handle):
        """Destroys the handle some time after `owner` has gone.

        Not at once: Python may find out that it has gone in the middle of a call."""
        return weakref.finalize(owner, self._garbage.append, (rank, destroy, handle))

    def _collect(self):
        if not self._garbage:
            return
        gone = []
        while self._garbage:
            gone.append(self._garbage.popleft())
        for _rank, destroy, handle in sorted(gone, key=lambda entry: entry[0]):
            destroy(handle)

    # ---- messages ----

    def forget_messages(self):
        self._messages.clear()

    def take_messages(self):
        taken, self._messages[:] = list(self._messages), []
        return taken

    def warn(self, messages, stacklevel=4):
        for m in messages:
            if m.severity == "warning":
                warnings.warn(m.text, TesseraWarning, stacklevel=stacklevel)

    def error(self, status, messages, otherwise):
        """The exception for a status; `otherwise` is its text when the library said nothing."""
        kind = BY_STATUS[status] if 0 < status < len(BY_STATUS) else TesseraError
        text = "\n".join(m.text if m.file or m.severity != "error" else m.message
                         for m in messages)
        return kind(text or otherwise, messages)

    def make(self, status, what, function, *arguments):
        """Calls a function that returns an object or NULL; what it says becomes an exception."""
        with self.alone():
            self.forget_messages()
            handle = function(*arguments)
            messages = self.take_messages()
        if not handle:
            raise self.error(status, messages, "%s failed without a message" % what)
        self.warn(messages)
        return handle

    def check(self, what, function, *arguments):
        """The same for a function that returns a status."""
        with self.alone():
            self.forget_messages()
            status = function(*arguments)
            messages = self.take_messages()
        if status != native.OK:
            raise self.error(status, messages, "%s: %s" % (
                what, native.status_name(status).decode()))
        self.warn(messages)

    def take_string(self, pointer, length):
        """The bytes of a string that belongs to the caller, which is given back."""
        try:
            return ctypes.string_at(pointer, length)
        finally:
            with self.alone():
                native.string_free(self.handle, pointer)


context = Context()
