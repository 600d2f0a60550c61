# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From operations in Python to a module, through the library's builder."""
from __future__ import annotations

from ctypes import byref, pointer

from .. import _elements as elements
from .. import _native as native
from .. import _native_build as build
from .._context import context
from ..module import Module
from . import _ir as ir

_TERMINATORS = ("yield", "continue", "break", "return")


class _Emitter:
    def __init__(self, builder):
        self.builder, self.types = builder, {}

    # ---- types ----

    def type(self, t) -> int:
        key = (type(t), t)  # types of different kinds may have the same fields
        made = self.types.get(key)
        if made is None:
            made = self.types[key] = self.make_type(t)
        return made

    def make_type(self, t):
        b = self.builder
        if isinstance(t, ir.TokenType):
            return build.type_token(b)
        if isinstance(t, ir.TileType):
            return build.type_tile(b, elements.NUMBER[t.elem], build.ints(t.shape))
        if isinstance(t, ir.PointersType):
            return build.type_pointers(b, elements.NUMBER[t.pointee], build.ints(t.shape))
        if isinstance(t, ir.ViewType):
            sizes, strides = ([build.DYNAMIC if n is None else n for n in numbers]
                              for numbers in (t.shape, t.strides))
            return build.type_tensor_view(b, elements.NUMBER[t.elem], build.ints(sizes),
                                          build.ints(strides))
        return build.type_partition_view(b, build.ints(t.tile), self.type(t.view),
                                         build.ints(t.order), build.PADDINGS.index(t.padding))

    # ---- attributes ----

    def attribute(self, name, value):
        attr = build.Attr(name=name.encode())
        if isinstance(value, str):
            attr.s = value.encode()
        elif isinstance(value, int):
            attr.i = value
        elif isinstance(value, ir.Scalars):
            items = (build.Scalar * len(value.items))(*[
                build.Scalar(elements.NUMBER[elem], bits) for elem, bits in value.items])
            attr.scalars = build.Scalars(items, len(items))
        elif isinstance(value, ir.Fact):
            attr.predicate = pointer(_predicate(value))
        else:
            attr.ints = build.ints(value)
        return attr

    # ---- operations ----

    def region(self, region: ir.Region, file, line):
        for i, argument in enumerate(region.args):
            argument.handle = build.argument(file, line, self.builder, i)
            self.name(argument)
        for op in region.ops:
            self.op(op)

    def op(self, op: ir.Op):
        file, line, column = op.location[0].encode(), op.location[1], op.location[2]
        if op.name == "constant":
            op.results[0].handle = self.constant(op, file, line)
            return
        made = self.operation(op, file, line, column)
        for i, region in enumerate(op.regions):
            if i:
                build.begin_else(file, line, self.builder)
            self.region(region, file, line)
        if op.regions:
            build.end(file, line, self.builder)
        for i, value in enumerate(op.results):
            value.handle = build.result(made, i) if made else None
            self.name(value)

    def name(self, value):
        if value.name and value.handle:
            build.set_name(self.builder, value.handle, value.name.encode())

    def operation(self, op, file, line, column):
        groups = [build.handles([v.handle for v in group]) for group in op.operands]
        attrs = [self.attribute(*item) for item in op.attributes.items()]
        spec = build.OpSpec(name=op.name.encode(), operand_groups=len(groups),
                            attr_count=len(attrs), file=file, line=line, column=column)
        spec.operands = (build.Handles * max(len(groups), 1))(*groups)
        spec.attrs = (build.Attr * max(len(attrs), 1))(*attrs)
        if op.typed:
            spec.types = build.handles([self.type(v.type) for v in op.results])
        return build.operation(self.builder, byref(spec))

    def constant(self, op, file, line):
        made = self.type(op.results[0].type)
        if isinstance(op.number, float):
            return build.number_real(file, line, self.builder, made, op.number)
        number = op.number & (1 << 64) - 1
        return build.number_int(file, line, self.builder, made, number - (number >> 63 << 64))

    def hints(self, hints):
        for target, entries in hints.items():
            for key, value in entries.items():
                add = build.hint_bool if isinstance(value, bool) else build.hint_int
                add(self.builder, None, target.encode(), key.encode(), value)

    def function(self, function: ir.Function):
        file, line = function.location[0].encode(), function.location[1]
        types = [self.type(a.type) for a in function.body.args]
        build.entry(file, line, self.builder, function.name.encode(), build.handles(types))
        self.hints(function.hints)
        self.region(function.body, file, line)
        build.end(file, line, self.builder)


def _predicate(fact):
    if fact.divisor:
        return build.Predicate(kind=build.DIV_BY, divisor=fact.divisor)
    return build.Predicate(kind=build.BOUNDED, has_lower=fact.lower is not None,
                           has_upper=fact.upper is not None, lower=fact.lower or 0,
                           upper=fact.upper or 0)


def _build(name, function):
    builder = build.create(context.handle, name)
    if not builder:
        return None
    try:
        _Emitter(builder).function(function)
    except BaseException:
        build.destroy(builder)
        raise
    return build.finish(builder)


def module_of(function: ir.Function) -> Module:
    """A module with the kernel, checked."""
    handle = context.make(native.ERROR_INPUT, "building %s" % function.name, _build,
                          function.name.encode(), function)
    module = Module.__new__(Module)
    module._take(handle, "<%s>" % function.name)
    return module
