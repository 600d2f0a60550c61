# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The kernel that is being read at the moment: where its next operation goes, from which line it
comes, and in which order its accesses to memory happen."""
from __future__ import annotations

import functools
import threading
from contextlib import contextmanager
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Set, Tuple, TypeVar

from . import _ir as ir
from ._problem import Problem


Function = TypeVar("Function", bound=Callable[..., Any])


class Access(NamedTuple):
    """A place in the kernel where memory of a group of arrays is accessed."""
    group: int
    writes: bool
    reads: bool
    parallel: bool  #: executions of it in different iterations of loops touch different elements


class Chain:
    """What accesses to a group of arrays have to wait for: the last write, and the reads since."""
    __slots__ = ("last", "reads")

    def __init__(self, last: Optional[ir.Value] = None, reads: Tuple[ir.Value, ...] = ()):
        self.last, self.reads = last, reads


class Tracer:
    """What a kernel has become so far. `ordered` are the groups of arrays whose accesses are kept
    in the order of the program; those of others cannot meet."""

    def __init__(self, ordered: Set[int]):
        self.prologue, self.ordered = ir.Region(), ordered
        self.regions: List[ir.Region] = []
        self.location: ir.Location = ("", 0, 0)
        self.first: ir.Location = ("", 0, 0)  #: of the kernel
        self.frame: Any = None  #: the function that is being read
        self.accesses: List[Access] = []
        self.chains: Dict[int, Chain] = {}
        self.loop_variables: List[Optional[ir.Value]] = []  #: of the open loops; None of a `while`
        self.views: Dict[Any, Any] = {}  #: that the prologue makes
        self.written: Set[int] = set()   #: arrays, by their number
        #: names outside of the kernel that it has read: where they are, name, value
        self.outside: Dict[Tuple[int, str], Tuple[Any, str, Any]] = {}

    # ---- operations ----

    def emit(self, name: str, *operands: Any, types: Tuple[Any, ...] = (),
             regions: Tuple[ir.Region, ...] = (), typed: bool = True,
             number: Any = None, **attributes: Any) -> Tuple[ir.Value, ...]:
        """Appends an operation; each of the operands is a value or a tuple of values."""
        groups = tuple((o,) if isinstance(o, ir.Value) else tuple(o) for o in operands)
        op = ir.Op(name, groups, attributes, types, regions, self.location, number, typed)
        self.regions[-1].ops.append(op)
        return op.results

    @contextmanager
    def inside(self, region: ir.Region):
        """Operations go to the end of the region."""
        self.regions.append(region)
        try:
            yield region
        finally:
            self.regions.pop()

    def uses(self, where: Any, name: str, found: Any) -> None:
        """The kernel depends on what a name outside of it is."""
        self.outside[id(where), name] = where, name, found

    @contextmanager
    def at_beginning(self):
        """Operations go to the beginning of the kernel and belong to its first line: what depends
        on parameters only, once for the whole kernel."""
        before, self.location = self.location, self.first
        try:
            with self.inside(self.prologue):
                yield
        finally:
            self.location = before

    def call(self, function: Any, *args: Any) -> Any:
        """What a function of the user gives, as if it were called where the kernel is now."""
        from ._calls import apply
        return apply(self.frame, function, args, {})

    # ---- order of accesses ----

    def access(self, group: int, writes: bool, reads: bool, parallel: bool = False) -> None:
        self.accesses.append(Access(group, writes, reads, parallel or not self.loop_variables))

    def token_before(self, group: int, writes: bool) -> Tuple[ir.Value, ...]:
        """What an access has to wait for: nothing or a token."""
        if group not in self.ordered:
            return ()
        chain = self.chains.setdefault(group, Chain())
        if writes:
            return self._joined(chain)
        return () if chain.last is None else (chain.last,)

    def token_after(self, group: int, writes: bool, token: ir.Value) -> None:
        """The access has been made."""
        if group not in self.ordered:
            return
        chain = self.chains.get(group, Chain())
        self.chains[group] = Chain(token) if writes else Chain(chain.last, chain.reads + (token,))

    def _joined(self, chain: Chain) -> Tuple[ir.Value, ...]:
        tokens = ((chain.last,) if chain.last is not None else ()) + chain.reads
        return tokens if len(tokens) < 2 else self.emit("join_tokens", tokens, types=(ir.TOKEN,))

    def order_of(self, group: int) -> ir.Value:
        """A token that comes after all accesses so far."""
        token = self._joined(self.chains.get(group, Chain()))
        return token[0] if token else self.emit("make_token", types=(ir.TOKEN,))[0]

    def order_needed(self) -> Set[int]:
        """The groups whose accesses could meet, when they are not kept in order."""
        by_group: Dict[int, List[Access]] = {}
        for access in self.accesses:
            by_group.setdefault(access.group, []).append(access)
        return {group for group, found in by_group.items() if _can_meet(found)}


def _can_meet(accesses: List[Access]) -> bool:
    if not any(a.writes for a in accesses):
        return False
    return len(accesses) > 1 or not accesses[0].parallel


# ---- the one of this thread ---------------------------------------------------------------------


_local = threading.local()


@contextmanager
def tracing(tracer: Tracer):
    """The thread reads a kernel."""
    before = getattr(_local, "tracer", None)
    _local.tracer = tracer
    try:
        yield tracer
    finally:
        _local.tracer = before


def tracer() -> Tracer:
    """What is being read."""
    found = getattr(_local, "tracer", None)
    if found is None:
        raise Problem("this works in kernels only")
    return found


def is_tracing() -> bool:
    return getattr(_local, "tracer", None) is not None


def operation(function: Function) -> Function:
    """A function of the language: its body is executed while a kernel is read."""
    @functools.wraps(function)
    def call(*args, **named):
        if not is_tracing():
            raise RuntimeError("tl.%s works in kernels only: in functions with @tessera.kernel, and "
                               "functions that these call" % function.__name__)
        return function(*args, **named)

    call.is_operation = True  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]
