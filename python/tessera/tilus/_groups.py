# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Thread groups: programs of some of a block's threads.

A variable that a group assigns has the new value in the group's threads and the old one in the
others. The block level hands the new one out of the group, to later groups of the same threads.
"""
from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from ._layouts import Layout
from ._writer import Value

#: Threads of the block from ... up to ..., and whether it is one of them that was elected.
Threads = Tuple[int, int, bool]


class Unmade(NamedTuple):
    """A register tensor that was allocated where other threads were than those that hold it."""
    inst: Any
    threads: int


class Divided(NamedTuple):
    """A variable that groups assigned: what it was before them, and what it is in each."""
    before: Any
    inside: Dict[Threads, Optional[Value]]  #: None: it differs in them


def _overlap(a: Threads, b: Threads) -> bool:
    return a[0] < b[1] and b[0] < a[1]


class Groups:
    """The statements of thread groups."""

    def _begin_groups(self) -> None:
        self._threads: Threads = (0, self.writer.threads, False)

    def _ThreadGroupStmt(self, stmt):
        begin, count = stmt.thread_begin, stmt.num_threads
        if count == self.writer.threads:
            return self.statement(stmt.body)
        head, threads = self._opening(begin, count)
        before, outside = dict(self.values), self._threads
        self._enter(threads)
        self.writer.open_group(count)
        keys = self._handed_out(stmt.body)
        self._inside(stmt.body)
        out = [] if threads[2] else [k for k in keys if not isinstance(self.values[k], Divided)]
        results = self._names(out, "r")
        if out:
            head = "%s = %s -> (%s)" % (", ".join(results), head, self._types(out))
            self._leave("yield", out)
        self.writer.close_group(head)
        made = {key: self.values[key]._replace(name=name) for key, name in zip(out, results)}
        self._threads, self.values = outside, before
        for key in keys:
            self._divide(key, threads, made.get(key))

    def _opening(self, begin: int, count: int) -> Tuple[str, Threads]:
        first, end, elected = self._threads
        if count == 1 and not elected:
            return "elect", (first, end, True)
        begin = max(begin, 0)  # -1 leaves it open which threads
        if begin % 32 or count % 32:
            raise self.unsupported("a group of the threads %d to %d" % (begin, begin + count),
                                   "use whole warps, or one thread")
        return ("group threads(%d to %d)" % (begin, begin + count),
                (first + begin, first + begin + count, False))

    def _enter(self, threads: Threads) -> None:
        """Has variables have the values of these threads."""
        self._threads = threads
        for key, value in list(self.values.items()):
            if isinstance(value, Divided):
                if threads in value.inside:
                    self.values[key] = value.inside[threads] or value
                elif not any(_overlap(threads, other) for other in value.inside):
                    self.values[key] = value.before

    def _handed_out(self, body) -> List[Any]:
        """The variables from around a group that it assigns, all of which it can."""
        keys = [k for k in self._assigns(body) if k in self.values]
        for key in keys:
            if isinstance(self.values[key], Unmade):
                self.make(key)
            self.whole(key)
        return [k for k in keys if isinstance(self.values[k], Value)]

    def whole(self, key) -> Any:
        """What a variable is, or an error where these threads have several values for it."""
        value = self.values[key]
        if isinstance(value, Divided):
            raise self.unsupported(
                "a variable that only some of the threads here have assigned",
                "use it in a group of just these threads, or assign it in all threads")
        return value

    def _inside(self, body) -> None:
        loops, self._loops = self._loops, []
        if self.statement(body):
            raise self.unsupported("a thread group that is left by return or break",
                                   "write a condition around what follows")
        self._loops = loops

    def _divide(self, key, threads: Threads, value) -> None:
        old = self.values[key]
        before, inside = old if isinstance(old, Divided) else (old, {})
        self.values[key] = Divided(before, {
            **{t: None if _overlap(t, threads) else v for t, v in inside.items()}, threads: value})

    # ---- register tensors of other threads ----

    def allocate(self, inst) -> None:
        """Allocates a register tensor, or leaves that to the group that holds it."""
        threads = Layout.of(inst.output.layout).threads
        if threads == self.writer.threads:
            self.instructions.make_registers(inst)
        else:
            self.values[inst.output] = Unmade(inst, threads)

    def make(self, key) -> Any:
        unmade = self.values[key]
        if unmade.threads != self.writer.threads:
            raise self.unsupported(
                "a register tensor that %d threads hold, among %d" % (
                    unmade.threads, self.writer.threads), "use it in a group of its threads")
        self.instructions.make_registers(unmade.inst)
        return self.values[key]
