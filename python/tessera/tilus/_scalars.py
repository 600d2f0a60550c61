# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions of Tilus' programs: on scalars, and for each element of tiles.

Nodes are told apart by the names of their classes, so that this module needs no Tilus.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Mapping, Optional

from ..errors import Unsupported
from ._elements import BOOL, I32, Elem, elem_of, promoted
from ._layouts import Layout
from ._writer import Value, Writer

_ARITHMETIC = {"Add": ("addf", "addi"), "Sub": ("subf", "subi"), "Multiply": ("mulf", "muli"),
               "Div": ("divf", "divi"), "FloorDiv": ("divf", "divi"), "Mod": ("remf", "remi")}
_BITS = {"BitwiseAnd": "andi", "BitwiseOr": "ori", "BitwiseXor": "xori", "LogicalAnd": "andi",
         "LogicalOr": "ori"}
_SHIFTS = {"LeftShift": "shli", "RightShift": "shri"}
_COMPARISONS = {"LessThan": "less_than", "LessEqual": "less_than_or_equal", "Equal": "equal",
                "NotEqual": "not_equal"}
_UNARY = ("exp", "exp2", "log", "log2", "sin", "cos", "tan", "sinh", "cosh", "tanh", "sqrt",
          "rsqrt", "ceil", "floor")
_SIGNED = ("divi", "remi", "shri", "maxi", "mini")


def name_of(variable) -> str:
    """What a variable is called: Tilus 0.2.0 has names and hints, later ones have names."""
    return variable.name or getattr(variable, "hint", None) or ""


class Expressions:
    """Writes expressions. `values` says what variables are; variables of elements (`bound`) come
    with each call, and then the result is a tile of the layout."""

    def __init__(self, writer: Writer, values: Callable[[Any], Value]):
        self._w, self._values = writer, values
        self._bound: Mapping[Any, Value] = {}
        self._layout: Optional[Layout] = None

    def scalar(self, expr, elem: Optional[Elem] = None) -> Value:
        value = self._of(expr)
        return value if elem is None else self._w.convert(value, elem)

    def tile(self, expr, bound: Dict[Any, Value], layout: Layout, elem: Elem) -> Value:
        """The expression for each element of a tile."""
        saved = self._bound, self._layout
        self._bound, self._layout = bound, layout
        try:
            value = self._of(expr)
        finally:
            self._bound, self._layout = saved
        return self.spread(self._w.convert(value, elem), layout)

    def spread(self, value: Value, layout: Optional[Layout]) -> Value:
        if value.layout is None and layout is not None:
            return self._w.broadcast(value, layout)
        return value

    def number(self, expr):
        """An int where it is known, else a scalar."""
        if isinstance(expr, int):
            return expr
        if type(expr).__name__ == "Constant":
            return int(expr.value)
        return self._of(expr)

    # ---- dispatch ----

    def _of(self, expr) -> Value:
        if isinstance(expr, (bool, int, float)):
            return self._plain(expr)
        kind = type(expr).__name__
        method = getattr(self, "_" + kind, None)
        if method is not None:
            return method(expr)
        if kind in _ARITHMETIC:
            return self._arithmetic(kind, self._of(expr.a), self._of(expr.b))
        if kind in _BITS:
            return self._bitwise(kind, self._of(expr.a), self._of(expr.b))
        if kind in _SHIFTS:
            return self._shift(_SHIFTS[kind], self._of(expr.a), self._of(expr.b))
        if kind in _COMPARISONS:
            a, b = self._alike(self._of(expr.a), self._of(expr.b))
            return self._w.compare(_COMPARISONS[kind], a, b)
        raise Unsupported("%s: an expression of kind %s is not supported" % (expr, kind))

    def _plain(self, number) -> Value:
        if isinstance(number, bool):
            return self._w.constant(number, BOOL)
        return self._w.constant(number, I32 if isinstance(number, int) else elem_of("float32"))

    def _Constant(self, expr) -> Value:
        return self._w.constant(expr.value, elem_of(expr.type))

    def _Var(self, expr) -> Value:
        return self._bound[expr] if expr in self._bound else self._values(expr)

    _SymbolVar = _Var

    def _Cast(self, expr) -> Value:
        return self._w.convert(self._of(expr.expr), elem_of(expr.target_type))

    def _Let(self, expr) -> Value:
        saved = self._bound
        self._bound = {**saved, expr.var: self._of(expr.value)}
        try:
            return self._of(expr.body)
        finally:
            self._bound = saved

    def _IfThenElse(self, expr) -> Value:
        condition = self._truth(self._of(expr.cond))
        return self.select(condition, self._of(expr.then_expr), self._of(expr.else_expr))

    def _LogicalNot(self, expr) -> Value:
        value = self._truth(self._of(expr.a))
        return self._w.binary("xori", value, self._w.constant(True, BOOL, value.layout))

    def _BitwiseNot(self, expr) -> Value:
        value = self._of(expr.a)
        return self._w.binary("xori", value, self._w.constant(-1, value.elem, value.layout))

    def _Neg(self, expr) -> Value:
        return self.negated(self._of(expr.a))

    # ---- operations ----

    def _level(self, *values: Value) -> List[Value]:
        """All tiles if one is."""
        layout = next((v.layout for v in values if v.layout is not None), None)
        return [self.spread(v, layout) for v in values]

    def _alike(self, a: Value, b: Value) -> List[Value]:
        elem = promoted(a.elem, b.elem)
        return self._level(self._w.convert(a, elem), self._w.convert(b, elem))

    def _truth(self, value: Value) -> Value:
        return self._w.convert(value, BOOL)

    def _apply(self, op: str, a: Value, b: Value) -> Value:
        return self._w.binary(op, a, b, " " + a.elem.sign if op in _SIGNED else "")

    def arithmetic(self, kind: str, a: Value, b: Value) -> Value:
        return self._arithmetic(kind, a, b)

    def _arithmetic(self, kind, a, b):
        if a.elem.kind == "ptr" or b.elem.kind == "ptr":
            return self._pointer(kind, a, b)
        a, b = self._alike(a, b)
        if a.elem.kind == "bool":
            a, b = self._w.convert(a, I32), self._w.convert(b, I32)
        return self._apply(_ARITHMETIC[kind][a.elem.kind == "int"], a, b)

    def _pointer(self, kind, a, b):
        pointer, number = (a, b) if a.elem.kind == "ptr" else (b, a)
        if kind == "Sub":
            number = self.negated(number)
        elif kind != "Add":
            raise Unsupported("%s of a pointer is not supported" % kind)
        return self._w.moved(pointer, number)

    def _bitwise(self, kind, a, b):
        if kind.startswith("Logical"):
            a, b = self._truth(a), self._truth(b)
        a, b = self._alike(a, b)
        return self._w.binary(_BITS[kind], a, b)

    def _shift(self, op, a, b):
        a, b = self._level(a, self._w.convert(b, a.elem))
        return self._apply(op, a, b)

    def select(self, condition: Value, a: Value, b: Value) -> Value:
        a, b = self._alike(a, b)
        condition, a, b = self._level(condition, a, b)
        return self._w.make("", a.elem, a.layout, "select %s, %s, %s : %s, %s", condition.name,
                            a.name, b.name, self._w.type_of(condition))

    def negated(self, value: Value) -> Value:
        return self.unary("negf" if value.elem.kind == "float" else "negi", value)

    def unary(self, op: str, value: Value) -> Value:
        return self._w.make("", value.elem, value.layout, "%s %s : %s", op, value.name)

    # ---- functions ----

    def _Call(self, expr) -> Value:
        name = name_of(expr.func_var)
        short = name[len("generic_"):] if name.startswith("generic_") else name
        return self.call(short, [self._of(a) for a in expr.args])

    def call(self, name: str, args: List[Value]) -> Value:
        """A function of Tilus' by its name."""
        method = getattr(self, "_call_" + name, None)
        if method is not None:
            return method(*args)
        if name in _UNARY and len(args) == 1:
            value = args[0]
            if value.elem.kind == "float":
                return self.unary(name, value)
            return value if name in ("ceil", "floor") else self.unary(
                name, self._w.convert(value, elem_of("float32")))
        raise Unsupported("the function %s is not supported in kernels" % name)

    def _call_max(self, a, b):
        a, b = self._alike(a, b)
        return self._apply("maxf" if a.elem.kind == "float" else "maxi", a, b)

    def _call_min(self, a, b):
        a, b = self._alike(a, b)
        return self._apply("minf" if a.elem.kind == "float" else "mini", a, b)

    def _call_mod(self, a, b):
        return self._arithmetic("Mod", a, b)

    def _call_cuda_fastdiv(self, a, b):
        """Tilus divides by a number that the launcher prepares; dividing is the same."""
        return self._arithmetic("Div", a, b)

    def _call_pow(self, a, b):
        a, b = self._alike(a, b)
        return self._w.binary("pow", a, b)

    def _call_atan2(self, a, b):
        a, b = self._alike(a, b)
        return self._w.binary("atan2", a, b)

    def _call_fma(self, a, b, c):
        if a.elem.kind != "float":
            return self._arithmetic("Add", self._arithmetic("Multiply", a, b), c)
        a, b, c = self._level(a, b, c)
        return self._w.make("", a.elem, a.layout, "fma %s, %s, %s : %s", a.name, b.name, c.name)

    def _call_abs(self, value):
        if value.elem.kind == "float":
            return self.unary("absf", value)
        return self.unary("absi", value) if value.elem.signed else value

    def _call_trunc(self, value):
        if value.elem.kind != "float":
            return value
        return self.select(self._is_negative(value), self.unary("ceil", value),
                           self.unary("floor", value))

    def _call_round(self, value):
        """Halves away from zero, as C's round()."""
        if value.elem.kind != "float":
            return value
        size = self.unary("absf", value)
        low = self.unary("floor", size)
        rest = self._w.binary("subf", size, low)
        up = self._w.binary("addf", low, self._w.constant(1.0, value.elem, value.layout))
        below = self._w.compare("less_than", rest,
                                self._w.constant(0.5, value.elem, value.layout))
        rounded = self.select(below, low, up)
        return self.select(self._is_negative(value), self.negated(rounded), rounded)

    def _call_log10(self, value):
        value = self.unary("log2", value)
        return self._w.binary("mulf", value, self._w.constant(math.log10(2), value.elem,
                                                              value.layout))

    def _is_negative(self, value):
        return self._w.compare("less_than", value,
                               self._w.constant(0.0, value.elem, value.layout))

    def _call_isnan(self, value):
        return self._w.compare("not_equal", value, value)

    def _call_isinf(self, value):
        return self._w.compare("equal", self.unary("absf", value),
                               self._w.constant(math.inf, value.elem, value.layout))

    def _call_isfinite(self, value):
        return self._w.compare("less_than", self.unary("absf", value),
                               self._w.constant(math.inf, value.elem, value.layout))
