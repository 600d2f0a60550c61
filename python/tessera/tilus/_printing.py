# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions that print."""
from __future__ import annotations

import json
import re

from ._elements import BOOL
from ._layouts import Layout
from ._writer import Value

_CONVERSION = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?(?:hh|h|ll|l|z|j|t)?([a-zA-Z%])")
_FORMATS = {"i1": "%1d", "i8": "%3d", "i32": "%5d", "f8E4M3FN": "%5.2f", "f16": "%5.2f",
            "bf16": "%5.3f", "f32": "%6.3f"}


class Printing:
    """The part of Instructions that prints."""

    def _FormatPrintInst(self, inst):
        strings, values = [], []
        for expr in inst.expressions:
            text = getattr(expr, "value", None)
            strings.append(text if isinstance(text, str) else None)
            values.append(None if isinstance(text, str) else expr)
        self._where(inst.cond, lambda: self._format(inst.fstring, strings, values))

    def _format(self, text, strings, expressions):
        """C's format, in which strings are constants."""
        left, values = list(zip(strings, expressions)), []

        def one(match):
            if match.group(1) == "%" or not left:
                return match.group(0)
            string, expr = left.pop(0)
            if string is not None:
                return string.replace("%", "%%")
            values.append(self._e.scalar(expr))
            return match.group(0)
        self._print(_CONVERSION.sub(one, text), values)

    def _print(self, text: str, values):
        args = "".join(", " + v.name for v in values)
        types = " : " + ", ".join(self._w.type_of(v) for v in values) if values else ""
        self._w.op("%s = print_tko %s%s%s -> token" % (self._w.name("t"), _quoted(text), args,
                                                       types))

    def _where(self, condition, write):
        """What stands under a condition, unless it always holds."""
        if isinstance(condition, bool) or type(condition).__name__ == "Constant":
            if condition if isinstance(condition, bool) else condition.value:
                write()
            return
        self._w.open("if %s {" % self._e.scalar(condition, BOOL).name)
        write()
        self._w.close()

    def _PrintTensorInst(self, inst):
        tensor = inst.inputs[0]
        value = self._t.values.get(tensor)
        if not isinstance(value, Value):
            self._refuse_print(value)
        head = "%sregister_tile(dtype=%s, shape=%s) layout=%s\n" % (
            inst.msg, tensor.dtype.name, list(tensor.shape), Layout.of(tensor.layout))
        form = inst.fmt or _FORMATS.get(value.elem.name, "%")

        def write():
            self._print(head.replace("%", "%%"), [])
            self._print(form + "\n", [value])
        self._where(inst.cond, write)

    def _refuse_print(self, _value):
        raise self._t.unsupported("printing a tensor that is not in registers",
                                  "load it into a register tensor and print that")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
