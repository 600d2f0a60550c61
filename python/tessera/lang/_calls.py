# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls in a kernel: of the language's functions, of Python's, and of the user's, which become part
of the kernel."""
from __future__ import annotations

import ast
import builtins
import functools
import inspect
import types
from typing import Any, Callable, Dict, Tuple

from . import _arithmetic as arithmetic
from . import _dtypes as dt
from . import _memory as memory
from . import _shapes as shapes
from ._arrays import Array
from ._problem import Problem
from ._source import source_of
from ._tile import Tile, describe
from ._visit import Closure, Frame

MAX_DEPTH = 64  #: of functions that call each other


def call(frame: Frame, node: ast.Call) -> Any:
    """The value of a call."""
    function = frame.value(node.func)
    args = tuple(frame.values(node.args))
    named: Dict[str, Any] = {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise Problem("kernels have no `**`")
        named[keyword.arg] = frame.value(keyword.value)
    return apply(frame, function, args, named)


def apply(frame: Frame, function: Any, args: Tuple[Any, ...], named: Dict[str, Any]) -> Any:
    function = getattr(function, "python_function", function)  # a kernel is a function, too
    if _is_hashable(function) and function in _BUILTINS:
        return _BUILTINS[function](frame, *_bound(function, args, named))
    if isinstance(function, Closure):
        return call_closure(function, args, named, frame)
    if isinstance(function, functools.partial):
        return apply(frame, function.func, function.args + args, {**function.keywords, **named})
    if _of_language(function):
        _check_call(function, args, named)
        return function(*args, **named)
    if isinstance(function, types.FunctionType):
        if function.__module__.startswith("tessera.lang."):
            return function(*args, **named)
        if not _is_of_library(function):
            return inline(frame, function, args, named)
    return _host(frame, function, args, named)


def _is_hashable(function) -> bool:
    try:
        hash(function)
    except TypeError:
        return False
    return True


def _of_language(function) -> bool:
    owner = getattr(function, "__self__", None)
    return getattr(function, "is_operation", False) or isinstance(function, dt.DType) or isinstance(
        owner, (Tile, Array))


def _is_of_library(function) -> bool:
    """Functions that kernels can't be made of: those of packages that compute outside."""
    return (function.__module__ or "").partition(".")[0] in ("numpy", "torch", "math", "builtins")


def _check_call(function, args, named) -> None:
    if isinstance(function, dt.DType):
        return
    try:
        inspect.signature(function).bind(*args, **named)
    except TypeError as error:
        raise Problem("tl.%s%s: %s" % (getattr(function, "__name__", "…"), _plain(function), error)
                      ) from None


def _plain(function) -> inspect.Signature:
    """The signature without annotations."""
    signature = inspect.signature(function)
    return signature.replace(return_annotation=inspect.Signature.empty, parameters=[
        p.replace(annotation=p.empty) for p in signature.parameters.values()])


def _holds_tiles(x: Any) -> bool:
    if isinstance(x, (tuple, list)):
        return any(map(_holds_tiles, x))
    return isinstance(x, (Tile, Array, memory.Text))


def _host(frame: Frame, function: Any, args, named) -> Any:
    """A call that Python makes now."""
    if not callable(function):
        raise Problem("%s can't be called" % describe(function))
    name = getattr(function, "__name__", str(function))
    if any(map(_holds_tiles, (*args, *named.values()))):
        from .. import lang
        cure = ("tl.%s(…) does" % name if name in lang.__all__ else
                "kernels call functions of tessera.lang and functions that are written in Python")
        raise Problem("%s does not take tiles: %s" % (_full_name(function), cure))
    return frame.known(function, *args, **named)


def _full_name(function) -> str:
    module = getattr(function, "__module__", None)
    name = getattr(function, "__name__", str(function))
    return name if module in (None, "builtins") else "%s.%s" % (module, name)


# ---- functions of the user ----------------------------------------------------------------------


def scope_of(function: Any) -> Callable[[str], Tuple[Any, bool]]:
    """What names mean in a function that it doesn't assign to itself: the value, and the names or
    the cell that it comes from (None: it stays)."""
    code, around = function.__code__, function.__globals__
    cells = dict(zip(code.co_freevars, function.__closure__ or ()))

    def look_up(name: str):
        if name in cells:
            try:
                return cells[name].cell_contents, cells[name]
            except ValueError:
                raise Problem("%s has no value yet" % name) from None
        if name in around:
            return around[name], around
        if hasattr(builtins, name):
            return getattr(builtins, name), None
        raise Problem("the name %s is not defined" % name)

    return look_up


def inline(frame: Frame, function: Any, args, named) -> Any:
    """The body of a function in the place of its call."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **named)
    except TypeError as error:
        raise Problem("%s%s: %s" % (function.__name__, signature, error)) from None
    bound.apply_defaults()
    inner = Frame(frame.tracer, source_of(function), dict(bound.arguments), scope_of(function),
                  caller=frame)
    return _run(inner, source_of(function).node, frame)


def call_closure(closure: Closure, args, named, caller: Any = None) -> Any:
    """The same of a function that stands in the kernel."""
    outer = closure.frame
    names = _arguments(closure, args, named)
    inner = Frame(outer.tracer, outer.source, names, outer.scope, caller=caller or outer,
                  outer=outer)
    return _run(inner, closure.node, inner.caller)


def _arguments(closure: Closure, args, named) -> Dict[str, Any]:
    a = closure.node.args
    if a.vararg or a.kwarg or a.kwonlyargs:
        raise Problem("functions inside a kernel have plain parameters only")
    parameters = [p.arg for p in a.posonlyargs + a.args]
    defaults = dict(zip(parameters[len(parameters) - len(a.defaults):], a.defaults))
    names = dict(zip(parameters, args))
    if len(args) > len(parameters) or set(named) - set(parameters) or set(named) & set(names):
        raise Problem("%s takes (%s), found %d arguments" % (
            closure.__name__, ", ".join(parameters), len(args) + len(named)))
    names.update(named)
    for name in parameters:
        if name not in names:
            if name not in defaults:
                raise Problem("%s misses the argument %s" % (closure.__name__, name))
            names[name] = closure.frame.value(defaults[name])
    return names


def _run(inner: Frame, node: Any, caller: Any) -> Any:
    depth = 0
    frame: Any = inner
    while frame is not None:
        depth, frame = depth + 1, frame.caller
    if depth > MAX_DEPTH:
        raise Problem("functions call each other more than %d deep: kernels have no recursion, "
                      "unless it ends when the kernel is compiled" % MAX_DEPTH)
    if isinstance(node, ast.Lambda):
        return inner.value(node.body)
    from ._control import run_function
    return run_function(inner, node)


# ---- Python's own functions ---------------------------------------------------------------------


def _bound(function, args, named):
    if named and function is not builtins.print:
        raise Problem("%s takes no keywords in kernels" % function.__name__)
    return (args, named)


def _where_known(function, of_tiles):
    """A function of Python's where all is known, and another one of tiles."""
    def apply_either(frame, args, _named):
        if any(map(_holds_tiles, args)):
            return of_tiles(*args)
        return frame.known(function, *args)
    return apply_either


def _extremum(of_two):
    def of_all(*args):
        items = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        if len(items) < 2:
            raise Problem("min and max of one tile: tl.min(x) and tl.max(x) reduce it")
        result = items[0]
        for item in items[1:]:
            result = of_two(result, item)
        return result
    return of_all


def _cast(dtype):
    def convert(*args):
        if len(args) != 1:
            raise Problem("expected one argument, found %d" % len(args))
        return shapes.astype(args[0], dtype)
    return convert


def _length(x):
    if isinstance(x, Array):
        return x.shape[0]
    if isinstance(x, Tile):
        if not x.shape:
            raise Problem("a scalar has no length")
        return x.shape[0]
    return len(x)


def _sum_of(x, start=0):
    if isinstance(x, Tile):
        raise Problem("sum(…) adds up tuples; tl.sum(x) adds up the elements of a tile")
    total = start
    for item in x:
        total = arithmetic.add(total, item) if _holds_tiles((total, item)) else total + item
    return total


def _range(*bounds):
    from ._loops import DynamicRange
    return DynamicRange(bounds)


def _type(frame, args, _named):
    raise Problem("kernels have no types of Python; x.dtype is a tile's element type")


def _isinstance(frame, args, _named):
    return frame.known(isinstance, *args)


def _print(frame, args, named):
    return memory.device_print(*args, **named)


_BUILTINS: Dict[Any, Callable[..., Any]] = {
    builtins.abs: _where_known(abs, arithmetic.abs),
    builtins.min: _where_known(min, _extremum(arithmetic.minimum)),
    builtins.max: _where_known(max, _extremum(arithmetic.maximum)),
    builtins.float: _where_known(float, _cast(dt.float32)),
    builtins.int: _where_known(int, _cast(dt.int32)),
    builtins.bool: _where_known(bool, _cast(dt.bool_)),
    builtins.pow: _where_known(pow, arithmetic.power),
    builtins.len: _where_known(len, _length),
    builtins.sum: _where_known(sum, _sum_of),
    builtins.range: lambda frame, args, _named: _range(*args),
    builtins.tuple: lambda frame, args, _named: frame.known(tuple, *args),
    builtins.list: lambda frame, args, _named: frame.known(tuple, *args),
    builtins.zip: lambda frame, args, _named: tuple(frame.known(zip, *args)),
    builtins.enumerate: lambda frame, args, _named: tuple(frame.known(enumerate, *args)),
    builtins.reversed: lambda frame, args, _named: tuple(frame.known(reversed, *args)),
    builtins.isinstance: _isinstance,
    builtins.type: _type,
    builtins.print: _print,
}
