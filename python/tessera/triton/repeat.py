# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches that repeat an earlier one.

Triton finds the kernel of each launch by a text made of all that the launch says, and asks its knobs
and hooks; together that takes longer than small kernels do. Here each function gets a launcher of its
own, made for the kinds of arguments that it was launched with, which knows the kernel by what Triton
tells kernels apart by. Whatever it does not know is left to Triton: the first launch of a kind,
hooks, options for debugging, another driver."""
from __future__ import annotations

import functools
import inspect
import struct
from typing import Any, Callable, List, Optional, Tuple

from triton import knobs
from triton.runtime.driver import driver
from triton.runtime.jit import JITFunction

try:
    from triton.runtime.jit import ConstexprFunction
except ImportError:  # of a Triton that divides plainly
    ConstexprFunction = None

from tessera.module import Kernel, grid_of

_LAUNCH = "_tessera_launch"  # of a function: the launcher used last; None: it is left to Triton
_NOTHING = object()
_MOST = 256  # kernels that a launcher knows, and grids


def _is_unusual() -> bool:
    """Whether somebody listens to launches, or asks for another compilation."""
    runtime = knobs.runtime
    return bool(runtime.launch_enter_hook.calls or runtime.launch_exit_hook.calls or runtime.debug
                or runtime.add_stages_inspection_hook is not None
                or knobs.compilation.instrumentation_mode
                or knobs.compilation.fpsan_homomorphic_casts)


_grids: dict = {}  # in the library's form, by tuples; None: it has no blocks


def _make_grid(grid):
    x, y, z = (*grid, 1, 1)[:3]
    made = grid_of((x, y, z)) if x * y * z > 0 else None
    if isinstance(grid, tuple):
        if len(_grids) >= _MOST:
            _grids.clear()
        _grids[grid] = made
    return made


class Ready:
    """A compiled kernel, by the key that Triton has for it, and how its arguments become the library's."""

    __slots__ = ("compiled", "key", "kernel", "pack", "spare")

    def __init__(self, compiled, kernel: Kernel, pack: Callable[..., None], spare: List[Any]):
        self.compiled, self.key, self.kernel, self.pack = compiled, None, kernel, pack
        self.spare = spare  # arguments that no launch uses at the moment

    def __call__(self, grid, *values) -> Any:
        """The compiled kernel; None, and nothing is launched, where a number does not fit."""
        try:
            made = _grids[grid]
        except (KeyError, TypeError):  # of one that is no tuple
            made = _make_grid(grid)
        if made is None:
            return self.compiled
        try:
            filled = self.spare.pop()
        except IndexError:  # other threads launch, too
            filled = self.kernel.arguments()
        try:
            self.pack(filled.raw, *values)
        except (OverflowError, struct.error):
            return None  # what the call wrote is lost with it
        self.kernel.execute(made, filled, ())
        self.spare.append(filled)
        return self.compiled


# ---- a launcher ---------------------------------------------------------------------------------


def _kinds(function: JITFunction, values) -> Tuple[Optional[type], ...]:
    """The classes that arguments have to be of, None for a constant. Raises for those that are left to
    Triton: truth values, None, tuples, descriptors."""
    return tuple(None if p.is_constexpr else _kind_of(v) for p, v in zip(function.params, values))


def _kind_of(value) -> type:
    if type(value) in (int, float) or callable(getattr(value, "untyped_storage", None)):
        return type(value)
    raise TypeError


_TEXT = """
def launch(tessera_grid, /, {parameters}):
    tessera_key = None
    if {usual} and not tessera_unusual() and tessera_driver._active is tessera_ours:
        {addresses}
        tessera_key = ({key})
        try:
            tessera_ready = tessera_known.get(tessera_key)
        except TypeError:
            tessera_key = tessera_ready = None
        if tessera_ready is not None and tessera_is_current(tessera_ready):
            if callable(tessera_grid):
                tessera_grid = tessera_grid({bound})
            tessera_done = tessera_ready(tessera_grid{values})
            if tessera_done is not None:
                return tessera_done
    return tessera_otherwise(tessera_key, tessera_grid, ({positional}), tessera_options)
"""


def _text(function: JITFunction, kinds) -> str:
    """The launcher's program. The kernel depends on types, on whether addresses and integers are
    multiples of 16, and on whether integers are 1; those of more than 32 bits are left to Triton."""
    tests, addresses, key, values = [], [], [], []
    for i, (name, kind) in enumerate(zip(function.arg_names, kinds)):
        value = name
        if kind is None:
            key += [name, name + ".__class__"]
        else:
            tests.append("%s.__class__ is tessera_kind%d" % (name, i))
        if kind is int:
            tests.append("-0x80000000 <= %s < 0x80000000" % name)
            key += [name + " == 1", "not %s & 15" % name]
        elif kind not in (None, float):
            value = "tessera_at%d" % i
            addresses.append("%s = %s.data_ptr()" % (value, name))
            key += [name + ".dtype", "not %s & 15" % value]
        values.append(value)
    parameters = [p.name if p.default is inspect.Parameter.empty else "%s=tessera_default%d" % (p.name, i)
                  for i, p in enumerate(function.signature.parameters.values())]
    names = function.arg_names
    return _TEXT.format(
        parameters=", ".join(parameters + ["**tessera_options"]), usual=" and ".join(tests or ["True"]),
        addresses="; ".join(addresses or ["pass"]),
        key=", ".join(key + ["tuple(tessera_options.items()) if tessera_options else None"]),
        bound="{%s}" % ", ".join("%r: %s" % (n, n) for n in names),
        values="".join(", " + v for v in values), positional="".join(n + ", " for n in names))


class _Launchers:
    """The launchers of a function, by the kinds of arguments."""

    def __init__(self, function: JITFunction, ready_of: Callable[[Any], Optional[Ready]]):
        self.function, self.ready_of, self.made = function, ready_of, {}
        self.caches = function.device_caches[0]

    def is_current(self, ready: Ready) -> bool:
        """Whether the kernel is still Triton's, and whether the hooks and the globals that the function
        reads are what they were."""
        function, caches = self.function, self.caches
        if function.device_caches.get(0) is not caches or function.pre_run_hooks \
                or caches[0].get(ready.key) is not ready.compiled:
            return False
        for (name, _), (value, values) in function.used_global_vals.items():
            if values.get(name) is not value:
                return False
        return True

    def launch(self, known, kinds, key, grid, values, options):
        """Triton's way; the next launch that is alike knows the kernel. With other kinds of arguments, by
        the launcher for them."""
        function = self.function
        if key is None:
            try:
                found = _kinds(function, values)
            except TypeError:
                found = kinds
            if found != kinds:
                return self.of(found)(grid, *values, **options)
        compiled = _run(function, *values, grid=grid, warmup=False, **options)
        if key is not None and compiled is not None:
            self._keep(known, key, compiled)
        return compiled

    def _keep(self, known, key, compiled) -> None:
        self.caches = self.function.device_caches[0]
        ready = self.ready_of(compiled)
        if ready is not None and len(known) < _MOST:
            ready.key = next((k for k, v in self.caches[0].items() if v is compiled), None)
            known[key] = ready
        elif ready is not None:
            known.clear()

    def of(self, kinds) -> Callable[..., Any]:
        launch = self.made.get(kinds)
        if launch is None:
            self.made[kinds] = launch = self._make(kinds)
        vars(self.function)[_LAUNCH] = launch
        return launch

    def _make(self, kinds) -> Callable[..., Any]:
        known: dict = {}
        scope = {"tessera_default%d" % i: p.default
                 for i, p in enumerate(self.function.signature.parameters.values())}
        scope.update({"tessera_kind%d" % i: kind for i, kind in enumerate(kinds)})
        scope.update(tessera_known=known, tessera_is_current=self.is_current, tessera_unusual=_is_unusual,
                     tessera_otherwise=functools.partial(self.launch, known, kinds),
                     tessera_driver=driver, tessera_ours=driver.active)
        exec(_text(self.function, kinds), scope)
        return scope["launch"]


# ---- in Triton's place --------------------------------------------------------------------------

_run = JITFunction.run
_item = JITFunction.__getitem__


def _learn(function: JITFunction, args, named, ready_of) -> None:
    """Makes a launcher for arguments of these kinds; where that is not possible, not again."""
    try:
        if any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in function.signature.parameters.values()):
            raise TypeError
        bound = function.signature.bind(*args, **{n: v for n, v in named.items()
                                                  if n in function.signature.parameters})
        bound.apply_defaults()
        kinds = _kinds(function, bound.arguments.values())
        _Launchers(function, ready_of).of(kinds)
    except TypeError:
        vars(function)[_LAUNCH] = None


def _call_plainly(function_class) -> None:
    """Scripts divide by triton.cdiv for each grid, whose arguments Triton first frees of a wrapping that
    only its compiler puts around them."""
    call = function_class.__call__

    def plainly(self, *args, _semantic=None, **named):
        if _semantic is None and not named:
            for value in args:
                if value.__class__ is not int:
                    break
            else:
                return self.fn(*args)
        return call(self, *args, _semantic=_semantic, **named)

    function_class.__call__ = plainly


def install(ready_of: Callable[[Any], Optional[Ready]]) -> None:
    """From now on. `ready_of` makes a compiled kernel ready; None when it has to be launched in
    Triton's way."""
    if JITFunction.run is not _run:
        return

    def run(self, *args, grid, warmup, **named):
        launch = vars(self).get(_LAUNCH, _NOTHING)
        if launch is not None and launch is not _NOTHING and not warmup:
            return launch(grid, *args, **named)
        compiled = _run(self, *args, grid=grid, warmup=warmup, **named)
        if launch is _NOTHING and not warmup and compiled is not None and ready_of(compiled) is not None:
            _learn(self, args, named, ready_of)
        return compiled

    def item(self, grid):
        launch = vars(self).get(_LAUNCH)
        return _item(self, grid) if launch is None else functools.partial(launch, grid)

    JITFunction.run, JITFunction.__getitem__ = run, item
    if ConstexprFunction is not None:
        _call_plainly(ConstexprFunction)
