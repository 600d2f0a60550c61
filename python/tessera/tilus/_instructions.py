# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each instruction of Tilus is at the block level. A method is named after the class."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..errors import Unsupported
from ._asynchronous import Asynchronous, Barrier, InFlight
from ._elements import BOOL, I32, Elem, elem_of, number_text, pointer_to
from ._groups import Divided, Unmade
from ._layouts import Layout, for_copies, memory_text, replicated
from ._linear import strides_of
from ._packed import Packed
from ._printing import Printing
from ._writer import Number, Value

#: What is refused, by what the name of an instruction's class begins with.
_MISSING = (
    (("CopyAsyncBulk",), "bulk copies between blocks", "launch without cluster_blocks"),
    (("Tcgen05",), "tensor memory (self.tcgen05)", "use self.dot, or the kernel for sm_80"),
    (("ClusterLaunchControl",), "cluster launch control (self.clc)",
     "let each block take its work from blockIdx"),
)


class Global(NamedTuple):
    """A tensor in global memory."""
    pointer: Value
    elem: Elem
    shape: List[Number]
    strides: List[Number]
    view: str          #: the name of its tensor_view
    view_type: str
    gap: Optional[Callable[[str], None]] = None  #: where lines about the view can be added
    maps: Optional[Dict[str, str]] = None        #: its tensor maps by type


class Shared(NamedTuple):
    """A tensor in shared memory."""
    name: str
    elem: Elem
    shape: Tuple[int, ...]
    memory: str  #: its layout
    turned: Optional[Tuple[int, ...]] = None  #: the shape that it is seen in; else its own

    def written(self, writer) -> str:
        return writer.shared_type(self.shape, self.elem, self.memory)


class Instructions(Asynchronous, Packed, Printing):
    def __init__(self, translator):
        self._t, self._w, self._e = translator, translator.writer, translator.expressions
        self._stale: Dict[Any, Tuple] = {}  # views of registers that were assigned since: where
        self._views: Dict[Any, List[Any]] = {}  # tensors that are the same registers
        self._begin_asynchronous()

    def write(self, inst) -> bool:
        """Writes an instruction. True: what follows it is not reached."""
        kind = type(inst).__name__
        for tensor in inst.inputs:
            self._check_stale(tensor)
        method = getattr(self, "_" + kind, None)
        if method is None:
            raise self._refused(kind)
        return bool(method(inst))

    def _refused(self, kind) -> Unsupported:
        for beginnings, what, instead in _MISSING:
            if kind.startswith(beginnings):
                return self._t.unsupported(what, instead)
        return self._t.unsupported("the instruction %s" % kind, "write it with other instructions")

    # ---- registers ----

    def _tile(self, tensor) -> Value:
        value = self._t.values.get(tensor)
        if isinstance(value, Unmade):
            value = self._t.make(tensor)
        if isinstance(value, (Divided, InFlight)):
            self.settled(self._t.whole(tensor))
        if not isinstance(value, Value):
            raise self._t.unsupported("a tensor that is read where it has no value",
                                      "give it one before the loop or the branch that assigns it")
        return value

    def _set(self, tensor, value: Value) -> None:
        """Gives a register tensor a value, brought into the tensor's layout and type."""
        elem = elem_of(tensor.dtype)
        value = self._w.placed(self._w.convert(value, elem), Layout.of(tensor.layout))
        if tensor in self._t.values:
            for other in self._views.get(tensor, ()):
                self._stale[other] = self._w.place
        self._stale.pop(tensor, None)
        self._t.values[tensor] = value

    def _check_stale(self, tensor):
        """In Tilus a view is the same registers. Here it is a copy: the same unless one of them is
        assigned, and the other still read."""
        if tensor in self._stale:
            place = self._stale[tensor]
            raise self._t.unsupported(
                "a view of registers that were assigned%s after it was made" % (
                    " in line %d" % place[1] if place else ""),
                "make the view again, or assign to another tensor")

    def _AllocateRegisterInst(self, inst):
        self._t.allocate(inst)

    def make_registers(self, inst) -> None:
        tensor = inst.output
        layout, elem = Layout.of(tensor.layout), elem_of(tensor.dtype)
        if inst.init is None:
            self._t.values[tensor] = self._w.constant(0, elem, layout)
            return
        if type(inst.init).__name__ == "Constant":
            self._t.values[tensor] = self._w.constant(inst.init.value, elem, layout)
            return
        axes = {axis: self._index(layout, d) for d, axis in enumerate(inst.axes)
                if _mentions(inst.init, axis)}
        self._t.values[tensor] = self._e.tile(inst.init, axes, layout, elem)

    def _index(self, layout: Layout, dim: int) -> Value:
        """The index along a dimension, for each element of a tile."""
        others = [d for d in range(len(layout.shape)) if d != dim]
        row = self._w.make("", I32, layout.without(others), "iota : %s")
        return self._w.broadcast(self._w.reshaped(row, layout.reduced(others)), layout)

    def _AssignInst(self, inst):
        self._set(inst.inputs[0], self._tile(inst.inputs[1]))

    def _SliceRegisterInst(self, inst):
        barriers = self._t.values.get(inst.inputs[0])
        if isinstance(barriers, Barrier):
            self._t.values[inst.output] = self._one_barrier(barriers, inst.offsets)
            return
        source, layout = self._tile(inst.inputs[0]), Layout.of(inst.output.layout)
        dims = inst.dims if inst.dims is not None else range(len(source.layout.shape))
        part, indices = self._slice(source, layout, inst.offsets, dims)
        taken = self._w.make("", source.elem, part, "extract %s[%s] : %s -> %s", source.name,
                             ", ".join(indices), self._w.type_of(source))
        self._set(inst.output, self._w.reshaped(taken, part.with_shape(layout.shape)))

    def _SliceAssignInst(self, inst):
        target, source = self._tile(inst.inputs[0]), self._tile(inst.inputs[1])
        dims = inst.dims if inst.dims is not None else range(len(target.layout.shape))
        layout = source.layout or replicated(0, self._w.threads)
        part, indices = self._slice(target, layout, inst.offsets, dims)
        source = self._w.reshaped(source, part)
        self._set(inst.inputs[0], self._w.make(
            "", target.elem, target.layout, "insert %s, %s[%s] : %s, %s -> %s", source.name,
            target.name, ", ".join(indices), self._w.type_of(source), self._w.type_of(target)))

    def _slice(self, whole: Value, part: Layout, offsets, dims):
        """A part as a tile of the whole's rank, and which one it is along each dimension."""
        sizes = [1] * len(whole.layout.shape)
        for dim, size in zip(dims, part.shape):
            sizes[dim] = size
        indices = []
        for offset, size in zip(offsets, sizes):
            number = self._e.number(offset)
            if isinstance(number, int):
                if number % size:
                    raise self._t.unsupported(
                        "a part of a register tensor that begins at %d, not at a multiple of its "
                        "size %d" % (number, size), "move it to a multiple")
                number //= size
            elif size > 1:
                number = self._e.arithmetic("Div", number, self._w.constant(size, number.elem))
            indices.append(self._w.scalar(number).name)
        return part.with_shape(sizes), indices

    def _ViewInst(self, inst):
        tensor = inst.inputs[0]
        source = self._tile(tensor)
        layout, elem = Layout.of(inst.output.layout), elem_of(inst.output.dtype)
        if self._e.number(inst.local_offset) != 0:
            raise self._t.unsupported("a view of registers with an offset", "view all of them")
        value = source
        if (source.layout, source.elem.name) != (layout, elem.name):
            value = self._w.make("", elem, layout, "reinterpret %s : %s -> %s", source.name,
                                 self._w.type_of(source))
        self._t.values[inst.output] = value._replace(elem=elem)
        family = self._views.setdefault(tensor, [])
        for other in [tensor] + family:
            self._views.setdefault(other, []).append(inst.output)
            self._views.setdefault(inst.output, []).append(other)

    def item_value(self, variable, tensor):
        self._check_stale(tensor)
        if isinstance(self._t.values.get(tensor), Barrier):
            self._t.values[variable] = self._t.values[tensor]
            return
        elem = elem_of(variable.type)
        if type(tensor).__name__ == "SharedTensor":
            value = self._load_item(self._shared(tensor))
        elif type(tensor).__name__ == "GlobalTensor":
            value = self._load_global_item(tensor)
        else:
            value = self._tile(tensor)
        self._t.values[variable] = self._w.convert(self._w.to_scalar(value), elem)

    def _load_item(self, shared: Shared) -> Value:
        return self._loaded(shared.elem, replicated(len(shared.shape), self._w.threads),
                            "load_shared %s : %s -> %s", shared.name, shared.written(self._w))

    def _loaded(self, elem: Elem, layout: Layout, text: str, *parts) -> Value:
        if elem.is_bit:
            raise self._t.unsupported("a single element of 1 bit in memory", "load a row of 8")
        return self._w.loaded(self._w.make("", elem.stored, layout, text, *parts), elem)

    def _load_global_item(self, tensor) -> Value:
        source, offsets = self._access(tensor, [0] * len(self._globally(tensor).shape), ())
        return self._loaded(source.elem, self._single(), "load_global %s[%s] : %s -> %s",
                            source.view, offsets, source.view_type)

    def item_pointer(self, variable, tensor):
        value = self._t.values.get(tensor)
        if not isinstance(value, Global):
            raise self._t.unsupported("the address of an item outside of global memory",
                                      "take the address of a global tensor's item")
        self._t.values[variable] = self._w.convert(value.pointer, elem_of(variable.type))

    # ---- computing ----

    def _binary(self, inst, compute):
        layout = Layout.of(inst.output.layout)
        a, b = (self._w.broadcast(self._tile(t), layout) for t in inst.inputs)
        self._set(inst.output, compute(a, b))

    def _arithmetic(self, inst, kind):
        self._binary(inst, lambda a, b: self._e.arithmetic(kind, a, b))

    def _AddInst(self, inst):
        self._arithmetic(inst, "Add")

    def _SubInst(self, inst):
        self._arithmetic(inst, "Sub")

    def _MulInst(self, inst):
        self._arithmetic(inst, "Multiply")

    def _DivInst(self, inst):
        self._arithmetic(inst, "Div")

    def _ModInst(self, inst):
        self._arithmetic(inst, "Mod")

    def _ElementwiseBinaryInst(self, inst):
        layout, elem = Layout.of(inst.output.layout), elem_of(inst.output.dtype)
        self._binary(inst, lambda a, b: self._e.tile(
            inst.value, {inst.args[0]: a, inst.args[1]: b}, layout, elem))

    def _unary(self, inst, compute):
        layout = Layout.of(inst.output.layout)
        value = self._w.broadcast(self._tile(inst.inputs[0]), layout)
        self._set(inst.output, compute(value))

    def _ElementwiseUnaryInst(self, inst):
        layout, elem = Layout.of(inst.output.layout), elem_of(inst.output.dtype)
        self._unary(inst, lambda x: self._e.tile(inst.value, {inst.arg: x}, layout, elem))

    def _NegInst(self, inst):
        self._unary(inst, self._e.negated)

    def _AbsInst(self, inst):
        self._unary(inst, lambda x: self._e.call("abs", [x]))

    def _ClipInst(self, inst):
        low, high = self._e.scalar(inst.min), self._e.scalar(inst.max)
        self._unary(inst, lambda x: self._e.call(
            "min", [self._e.call("max", [x, self._e.spread(low, x.layout)]),
                    self._e.spread(high, x.layout)]))

    def _CastInst(self, inst):
        self._unary(inst, lambda x: x)

    def _WhereInst(self, inst):
        layout = Layout.of(inst.output.layout)
        condition, a, b = (self._w.broadcast(self._tile(t), layout) for t in inst.inputs)
        self._set(inst.output, self._e.select(self._w.convert(condition, BOOL), a, b))

    def _ReduceInst(self, inst):
        source = self._tile(inst.inputs[0])
        combine, identity = _reduction(inst.op, source.elem)
        layout = source.layout.without([inst.dim])
        scalar = "tile<%s>" % source.elem.name
        whole = self._w.make(
            "", source.elem, layout,
            "reduce %s dim=%d identities=[%s : %s] : %s -> %s "
            "(%%a: %s, %%b: %s) { %%c = %s : %s yield %%c : %s }".replace("-> %s ", "-> @ ", 1)
            .replace("@", self._w.tile_type(source.elem, layout)) + "%.0s",
            source.name, inst.dim, identity, source.elem.name, self._w.type_of(source), scalar,
            scalar, combine, scalar, scalar)
        shape = inst.output.shape
        self._set(inst.output, self._w.reshaped(whole, layout.with_shape(shape)))

    def _DotInst(self, inst):
        a, b, c = (self._tile(t) for t in inst.inputs)
        a, b = self._by_instruction(a, 1), self._by_instruction(b, 0)
        output = Layout.of(inst.output.layout)
        c = self._w.placed(self._w.convert(c, elem_of(inst.output.dtype)), output)
        op, signs = "mmaf", ""
        if a.elem.kind == "int":
            op, signs = "mmai", " %s %s" % (a.elem.sign, b.elem.sign)
        self._set(inst.output, self._w.make(
            "", c.elem, output, "%s %s, %s, %s%s : %s, %s, %s", op, a.name, b.name, c.name, signs,
            self._w.type_of(a), self._w.type_of(b)))

    _SimtDotInst = _DotInst

    def _by_instruction(self, operand: Value, dim: int) -> Value:
        """With vec_k > 1 a thread holds neighbours for several instructions. Both operands are renamed
        along k in the same way, which changes no sum."""
        apart = operand.layout.apart(dim, max(32 // operand.elem.bits, 1))
        if apart is None:
            return operand
        renamed = self._w.make("", operand.elem, apart[0], "reinterpret %s : %s -> %s", operand.name,
                               self._w.type_of(operand))
        return self._w.placed(renamed, apart[1])

    # ---- shapes of registers ----

    def _reshape(self, inst):
        source = self._tile(inst.inputs[0])
        layout = source.layout or replicated(0, self._w.threads)
        self._set(inst.output, self._w.reshaped(source, layout.with_shape(inst.output.shape)))

    _SqueezeInst = _UnsqueezeInst = _reshape

    def _TransposeInst(self, inst):
        self._set(inst.output, self._w.permuted(self._tile(inst.inputs[0]), [1, 0]))

    # ---- global memory ----

    def _GlobalViewInst(self, inst):
        elem = elem_of(inst.output.dtype)
        pointer = self._w.retyped(self._e.scalar(inst.ptr), elem)
        self._t.values[inst.output] = self._global(pointer, elem, inst.output.layout)

    def _AllocateGlobalInst(self, inst):
        elem, layout = elem_of(inst.output.dtype), inst.output.layout
        pointer = self._t.workspace(elem, layout.size, inst.require_clean)
        self._t.values[inst.output] = self._global(pointer, elem, layout)

    def _global(self, pointer, elem, layout) -> Global:
        strides, start = strides_of(layout, self._w, self._e)
        return self._viewed(self.moved(pointer, elem, start), elem,
                            [self._e.number(n) for n in layout.shape], strides)

    def _viewed(self, pointer, elem, shape, strides) -> Global:
        """Makes the view. Without dimensions there is none."""
        if not shape:
            return Global(pointer, elem, shape, strides, "", "")
        seen = self.bytes_view(shape, strides) if elem.is_bit else (shape, strides)
        sizes, steps, dynamic = self._dynamic(*seen)

        def written(numbers):
            return ["?" if isinstance(n, Value) else str(n) for n in numbers]
        kind = "tensor_view<%sx%s, strides=[%s]>" % (
            "x".join(written(sizes)), elem.stored.name, ",".join(written(steps)))
        name = self._w.name("g")
        lists = [", ".join(n.name if isinstance(n, Value) else str(n) for n in numbers)
                 for numbers in (sizes, steps)]
        self._w.op("%s = make_tensor_view %s, shape = [%s], strides = [%s] : %s%s" % (
            name, pointer.name, lists[0], lists[1], dynamic, kind))
        if not elem.is_bit:
            shape, strides = sizes, steps
        return Global(pointer, elem, shape, strides, name, kind, self._w.gap(), {})

    def _dynamic(self, shape, strides):
        """Sizes and strides that are not known, all in one type."""
        unknown = [n for n in shape + strides if isinstance(n, Value)]
        if not unknown:
            return shape, strides, ""
        widest = max((n.elem for n in unknown), key=lambda e: e.bits)
        shape, strides = ([self._w.convert(n, widest) if isinstance(n, Value) else n
                           for n in numbers] for numbers in (shape, strides))
        return shape, strides, "tile<%s> -> " % widest.name

    def _globally(self, tensor) -> Global:
        value = self._t.values.get(tensor)
        if not isinstance(value, Global):
            raise self._t.unsupported("a global tensor that is used where it is not defined",
                                      "define it outside of the loop or the branch")
        return value

    def _SliceGlobalInst(self, inst):
        whole = self._globally(inst.inputs[0])
        offsets = [self._e.number(o) for o in inst.offsets]
        dims = inst.dims if inst.dims is not None else range(len(whole.shape))
        pointer = whole.pointer
        for offset, stride in zip(offsets, whole.strides):
            pointer = self.moved(pointer, whole.elem, self._w.multiply(offset, stride))
        self._t.values[inst.output] = self._viewed(
            pointer, whole.elem, [self._e.number(n) for n in inst.output.layout.shape],
            [whole.strides[d] for d in dims])

    def _access(self, tensor, offsets, dims) -> Tuple[Global, str]:
        """The view that an access is of, and the offsets in it. Dimensions that the tile does not
        have are left out: the view begins at their offsets, and is empty where those are outside."""
        whole = self._globally(tensor)
        numbers = [self._e.number(o) for o in offsets]
        kept = list(dims) if dims is not None else list(range(len(whole.shape)))
        if kept != list(range(len(whole.shape))) or not kept:
            whole = self._without(whole, numbers, kept)
            numbers = [numbers[d] for d in kept] or [0]
        if whole.elem.is_bit:
            numbers[-1] = self.bytes_of(numbers[-1])
        wide = max((n.elem for n in numbers if isinstance(n, Value)), key=lambda e: e.bits,
                   default=I32)
        return whole, ", ".join(self._w.scalar(n, wide).name for n in numbers)

    def _without(self, whole: Global, numbers, kept) -> Global:
        pointer, inside = whole.pointer, None
        for d, number in enumerate(numbers):
            if d in kept:
                continue
            pointer = self.moved(pointer, whole.elem, self._w.multiply(number, whole.strides[d]))
            here = self._within(number, whole.shape[d])
            inside = here if inside is None else self._w.binary("andi", inside, here)
        shape = [whole.shape[d] for d in kept] or [1]
        strides = [whole.strides[d] for d in kept] or [1]
        if inside is not None:
            size = self._w.scalar(shape[0], shape[0].elem if isinstance(shape[0], Value) else I32)
            shape[0] = self._e.select(inside, size, self._w.constant(0, size.elem))
        return self._viewed(pointer, whole.elem, shape, strides)

    def _within(self, number: Number, size: Number) -> Value:
        """Whether an index is one of a dimension: as unsigned numbers, negative ones are large."""
        wide = next((n.elem for n in (number, size) if isinstance(n, Value) and n.elem.bits == 64),
                    I32)._replace(signed=False)
        return self._w.compare("less_than", self._w.scalar(number, wide)._replace(elem=wide),
                               self._w.scalar(size, wide)._replace(elem=wide))

    def _LoadGlobalInst(self, inst):
        source, offsets = self._access(inst.inputs[0], inst.offsets, inst.dims)
        layout = Layout.of(inst.output.layout)
        if source.elem.is_bit and layout.shape:
            last = inst.dims[-1] if inst.dims is not None else -1
            first = self._e.number(inst.offsets[last])
            self._set(inst.output, self.load_bits(source, offsets, first, layout))
            return
        value = self._loaded(source.elem, layout if layout.shape else self._single(),
                             "load_global %s[%s] : %s -> %s", source.view, offsets,
                             source.view_type)
        self._set(inst.output, value if layout.shape else self._w.to_scalar(value))

    def _single(self) -> Layout:
        """What stands for a scalar where memory is accessed: one element, in every thread."""
        return replicated(1, self._w.threads)

    def _StoreGlobalInst(self, inst):
        target, offsets = self._access(inst.inputs[0], inst.offsets, inst.dims)
        if target.elem.is_bit and self._tile(inst.inputs[1]).layout is not None:
            self.store_bits(self._w.convert(self._tile(inst.inputs[1]), target.elem), target, offsets)
            return
        value = self._w.to_store(self._tile(inst.inputs[1]), target.elem)
        if value.layout is None:
            value = self._w.broadcast(value, self._single())
        self._w.op("store_global %s, %s[%s] : %s, %s" % (
            value.name, target.view, offsets, self._w.type_of(value), target.view_type))

    # ---- shared memory ----

    def _shared(self, tensor) -> Shared:
        value = self._t.values.get(tensor)
        if not isinstance(value, Shared):
            raise self._t.unsupported("a shared tensor that is used where it is not defined",
                                      "define it outside of the loop or the branch")
        if value.turned:
            raise self._t.unsupported("a part, a copy or a product of a reshaped shared tensor",
                                      "reshape the part, or use the tensor as it was allocated")
        return value

    def _seen(self, tensor) -> Shared:
        value = self._t.values.get(tensor)
        return value if isinstance(value, Shared) else self._shared(tensor)

    def _new_shared(self, tensor, text) -> None:
        elem = elem_of(tensor.dtype)
        if elem.is_bit:
            raise self._t.unsupported("elements of 1 bit in shared memory", "keep their bytes there, "
                                      "as uint8, and view these when they are loaded")
        value = Shared(self._w.name("s"), elem, tuple(tensor.shape), memory_text(tensor.layout))
        self._w.op("%s = %s%s" % (value.name, text, value.written(self._w)))
        self._t.values[tensor] = value

    def _AllocateSharedInst(self, inst):
        self._new_shared(inst.output, "alloc_shared : ")

    def _FreeSharedInst(self, inst):
        shared = self._shared(inst.inputs[0])
        self._w.op("free_shared %s : %s" % (shared.name, shared.written(self._w)))

    def _SliceSharedInst(self, inst):
        whole = self._shared(inst.inputs[0])
        rank = len(whole.shape)
        kept = list(inst.dims) if inst.dims is not None else list(range(rank))
        order = [d for d in range(rank) if d not in kept] + kept
        if order != list(range(rank)):
            raise self._t.unsupported("a part of shared memory without a dimension that is not "
                                      "among the first", "put that dimension first")
        offsets = [self._w.scalar(self._e.number(o)) for o in inst.offsets]
        self._new_shared(inst.output, "subview %s[%s] : %s -> " % (
            whole.name, ", ".join(o.name for o in offsets), whole.written(self._w)))

    def _PermuteSharedInst(self, inst):
        whole = self._shared(inst.inputs[0])
        self._new_shared(inst.output, "permute_view %s [%s] : %s -> " % (
            whole.name, ", ".join(map(str, inst.dims)), whole.written(self._w)))

    def _ReshapeSharedInst(self, inst):
        """The same memory. What is loaded from it and stored to it is reshaped."""
        whole = self._seen(inst.inputs[0])
        shape = tuple(inst.output.shape)
        self._t.values[inst.output] = whole._replace(turned=shape if shape != whole.shape else None)

    def _turned(self, layout: Layout, shape) -> Layout:
        made = layout.reshaped(shape)
        if made is None:
            raise self._t.unsupported("a reshaped shared tensor that is loaded or stored in a layout "
                                      "which cuts its rows", "load it in another layout")
        return made

    def _LoadSharedInst(self, inst):
        source, layout = self._seen(inst.inputs[0]), Layout.of(inst.output.layout)
        own = self._turned(layout, source.shape) if source.turned else layout
        value = self._loaded(source.elem, own, "load_shared %s : %s -> %s", source.name,
                             source.written(self._w))
        self._set(inst.output, self._w.reshaped(value, layout))

    def _StoreSharedInst(self, inst):
        target = self._seen(inst.inputs[0])
        value = self._w.to_store(self._tile(inst.inputs[1]), target.elem)
        if target.turned:
            value = self._w.reshaped(value, self._turned(value.layout, target.shape))
        self._w.op("store_shared %s, %s : %s, %s" % (
            value.name, target.name, self._w.type_of(value), target.written(self._w)))

    # ---- copies and waiting ----

    def _CopyAsyncInst(self, inst):
        target = self._shared(inst.inputs[0])
        source, offsets = self._access(inst.inputs[1], inst.offsets, inst.dims)
        along = max((d for d, n in enumerate(source.strides) if n == 1),
                    default=len(target.shape) - 1)
        who = for_copies(target.shape, target.elem.bits, self._w.threads, along)
        self._w.op("cp_async %s[%s], %s by %s : %s, %s" % (
            source.view, offsets, target.name, self._w.layout_name(str(who)), source.view_type,
            target.written(self._w)))

    def _CopyAsyncCommitGroupInst(self, _inst):
        self._w.op("cp_async_commit")

    def _CopyAsyncWaitGroupInst(self, inst):
        pending = self._e.number(inst.n)
        if not isinstance(pending, int):
            raise self._t.unsupported("copy_async_wait_group with a number that is not constant",
                                      "wait for a constant number of groups")
        self._w.op("cp_async_wait %d" % pending)

    def _CopyAsyncWaitAllInst(self, _inst):
        self._w.op("cp_async_commit")
        self._w.op("cp_async_wait 0")

    def _SyncThreadsInst(self, _inst):
        if self._w.threads > 1:
            self._w.op("barrier")

    def _LockSemaphoreInst(self, inst):
        pointer = self._w.retyped(self._e.scalar(inst.semaphore), I32)
        wanted = self._e.scalar(inst.value, I32)
        self._w.open("loop {")
        found, token = self._w.name(), self._w.name("t")
        self._w.op("%s, %s = atomic_rmw_tko acquire device %s, add, %s : tile<ptr<i32>>, tile<i32> "
                   "-> tile<i32>, token" % (found, token, pointer.name,
                                            self._w.constant(0, I32).name))
        self._w.open("if %s {" % self._w.compare("equal", Value(found, I32), wanted).name)
        self._w.op("break")
        self._w.close()
        self._w.close()
        self._w.op("barrier")

    def _ReleaseSemaphoreInst(self, inst):
        pointer = self._w.retyped(self._e.scalar(inst.semaphore), I32)
        value = self._e.scalar(inst.value, I32)
        old, token = self._w.name(), self._w.name("t")
        self._w.op("%s, %s = atomic_rmw_tko release device %s, xchg, %s : tile<ptr<i32>>, tile<i32> "
                   "-> tile<i32>, token" % (old, token, pointer.name, value.name))

    # ---- nothing to do ----

    def _nothing(self, _inst):
        pass

    _AnnotateLayoutInst = _AssumeInst = _NopInst = _nothing

    def _ExitInst(self, _inst):
        self._w.op("return")
        return True


def _reduction(op: str, elem: Elem) -> Tuple[str, str]:
    """How two elements are combined, and what changes nothing."""
    is_float = elem.kind == "float"
    if op == "sum":
        return ("addf" if is_float else "addi") + " %a, %b", number_text(0, elem)
    if op in ("max", "min"):
        if is_float:
            return "%sf %%a, %%b" % op, number_text(float("-inf" if op == "max" else "inf"), elem)
        return "%si %%a, %%b %s" % (op, elem.sign), str(_extreme(elem, op == "min"))
    name = "ori" if op == "any" else "andi"
    least = "false" if op == "any" else "true"
    return name + " %a, %b", least if elem.kind == "bool" else str(0 if op == "any" else -1)


def _extreme(elem: Elem, largest: bool) -> int:
    if not elem.signed:
        return (1 << elem.bits) - 1 if largest else 0
    return (1 << elem.bits - 1) - 1 if largest else -(1 << elem.bits - 1)


def _mentions(expr, variable) -> bool:
    """Whether an expression reads a variable."""
    if expr is variable:
        return True
    if isinstance(expr, (list, tuple)):
        return any(_mentions(e, variable) for e in expr)
    if not hasattr(expr, "__dict__") or type(expr).__name__ in ("Constant", "Var"):
        return False
    return any(_mentions(e, variable) for e in vars(expr).values())
