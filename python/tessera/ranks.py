# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several ranks: the processes that mpirun starts, memory that they share, operators over them.

    import numpy as np, tessera.ranks

    with tessera.ranks.join() as all:                    # mpirun -n 4 python3 program.py
        total = all.all_reduce(np.ones(8, "f4"))         # 4 everywhere
        ring = all.operator("ring_attention", "attention:heads=8,seq=4096,causal=yes")
        o = ring(q=my_q, k=my_k, v=my_v)                 # of this rank's tokens

What include/tessera/ranks.h and op_ranks.h say holds: all ranks make the same calls in the same
order, and each gets an error when one does not, has ended, or does not come in time. One thread at a
time uses a communicator and what was made from it. Arrays are NumPy's; others are taken where they
are read.
"""
from __future__ import annotations

import ctypes
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from . import _elements as elements
from . import _native as native
from . import _native_ranks as raw
from ._context import context
from ._ops_arrays import DTYPES, NATURAL, Tensor, of_array
from ._ops_plans import Operand, _check, _problem, library_of
from .device import Device, default_device
from .errors import UsageError

__all__ = ["FORMS", "Operator", "Ranks", "Symmetric", "join", "started"]

#: What an operator over ranks can be, in the order of tsr_op_ranks_form.
FORMS = ("all_gather_gemm", "gemm_reduce_scatter", "gemm_all_reduce", "split_keys_attention",
         "ring_attention")
_REDUCTIONS = ("sum", "min", "max")
_SHOTS = ("auto", "one", "two")
_NOTIFY = ("set", "add")
_UNTIL = ("==", "!=", ">=")


def _number(names: Sequence[str], name: str, what: str) -> int:
    if name not in names:
        raise ValueError("%s is one of %s, not %r" % (what, ", ".join(map(repr, names)), name))
    return names.index(name)


def started() -> bool:
    """Whether mpirun, or another launcher of an MPI, started this process."""
    return bool(raw.started())


def join(comm: Any = None, *, mpi: Optional[str] = None, timeout: float = 0) -> "Ranks":
    """Collective: the communicator of all that mpirun started, or of `comm`, one of mpi4py's.

    mpi      "openmpi", "mpich", or a plugin's file; None: TESSERA_MPI, else that of the process
    timeout  seconds that a call waits for another rank; 0: TESSERA_RANKS_TIMEOUT, else 60
    """
    return Ranks(comm, mpi, timeout)


class Ranks:
    """A communicator. Leaving it, or the end of a `with`, is collective."""

    def __init__(self, comm: Any, mpi: Optional[str], timeout: float):
        address = None
        if comm is not None:
            from mpi4py import MPI  # whose object it is
            address = MPI._addressof(comm)
        options = raw.RanksOptions(raw.sizeof(raw.RanksOptions), mpi.encode() if mpi else None,
                                   address, timeout)
        self._comm = comm
        self._made: List[Any] = []
        self.handle: Optional[int] = context.make(native.ERROR_TRAP, "joining the ranks", raw.join,
                                                  context.handle, ctypes.byref(options))
        self.rank: int = raw.rank(self.handle)
        self.size: int = raw.size(self.handle)
        self.library: str = raw.library(self.handle).decode()  #: "Open MPI"

    def __repr__(self) -> str:
        return "<tessera.ranks.Ranks: rank %d of %d, %s>" % (self.rank, self.size, self.library)

    def __enter__(self) -> "Ranks":
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Collective. What was made from it goes first, in the order in which it was made last."""
        if self.handle is None:
            return
        while self._made:
            self._made[-1].destroy()
        handle, self.handle = self.handle, None
        with context.alone():
            raw.leave(handle)

    def is_near(self, rank: int) -> bool:
        """Whether kernels of this rank reach the memory of that one."""
        return bool(raw.is_near(self._open(), rank))

    def _open(self) -> int:
        if self.handle is None:
            raise UsageError("this rank has left the communicator")
        return self.handle

    # ---- collective calls ----

    def barrier(self) -> None:
        context.check("barrier", raw.barrier, self._open())

    def broadcast(self, array: np.ndarray, root: int = 0) -> np.ndarray:
        """The array of rank `root`, into this one, on all others."""
        _writable("broadcast", array)
        context.check("broadcast", raw.broadcast, self._open(), root, array.ctypes.data,
                      array.nbytes)
        return array

    def all_gather(self, array: Any) -> np.ndarray:
        """The arrays of all ranks, one after the other: (size, ...)."""
        x = np.ascontiguousarray(array)
        out = np.empty((self.size,) + x.shape, x.dtype)
        context.check("all_gather", raw.all_gather, self._open(), x.ctypes.data, out.ctypes.data,
                      x.nbytes)
        return out

    def all_to_all(self, array: Any) -> np.ndarray:
        """Row r goes to rank r; row r of the result came from there."""
        x = np.ascontiguousarray(array)
        self._rows("all_to_all", x)
        out = np.empty_like(x)
        context.check("all_to_all", raw.all_to_all, self._open(), x.ctypes.data, out.ctypes.data,
                      x.nbytes // self.size)
        return out

    def all_reduce(self, array: Any, reduction: str = "sum", shots: str = "auto") -> np.ndarray:
        """Element-wise over the ranks; all get the same bits."""
        x = np.ascontiguousarray(array)
        out = np.empty_like(x)
        context.check("all_reduce", raw.all_reduce, self._open(), x.ctypes.data, out.ctypes.data,
                      x.size, _elem(x), _number(_REDUCTIONS, reduction, "reduction"),
                      _number(_SHOTS, shots, "shots"))
        return out

    def reduce_scatter(self, array: Any, reduction: str = "sum") -> np.ndarray:
        """Row `rank` of what all_reduce would give."""
        x = np.ascontiguousarray(array)
        self._rows("reduce_scatter", x)
        out = np.empty(x.shape[1:], x.dtype)
        context.check("reduce_scatter", raw.reduce_scatter, self._open(), x.ctypes.data,
                      out.ctypes.data, out.size, _elem(x),
                      _number(_REDUCTIONS, reduction, "reduction"))
        return out

    def _rows(self, what: str, x: np.ndarray) -> None:
        if x.ndim < 1 or x.shape[0] != self.size:
            raise UsageError("%s: expected a row for each of %d ranks, found the shape %s" % (
                what, self.size, x.shape))

    # ---- what is made from it ----

    def symmetric(self, shape: Union[int, Tuple[int, ...]], dtype: Any = np.float32,
                  device: Optional[Device] = None) -> "Symmetric":
        """Collective: zeroed memory on every rank that others read and write."""
        return Symmetric(self, shape, np.dtype(dtype), device or default_device())

    def operator(self, form: str, problem: str, *, pieces: int = 0,
                 device: Optional[Device] = None) -> "Operator":
        """Collective: one of FORMS, of a problem of the family gemm or attention.

        pieces  of products: in how many of them rows travel; 0: as include/tessera/op_ranks.h says
        """
        return Operator(self, form, problem, pieces, device or default_device())


def _elem(x: np.ndarray) -> int:
    name = NATURAL.get(x.dtype.name, "")
    number = elements.NUMBER.get(name)
    if number is None:
        raise UsageError("expected an array of i8 to i64, f16, bf16, f32 or f64, found %s" % x.dtype)
    return number


def _writable(what: str, array: Any) -> None:
    if not (isinstance(array, np.ndarray) and array.flags.c_contiguous and array.flags.writeable):
        raise UsageError("%s: expected a row-major NumPy array that can be written" % what)


class _Made:
    """Something that belongs to a communicator and is destroyed collectively."""

    def __init__(self, ranks: Ranks):
        self._ranks = ranks
        self.handle: Optional[int] = None
        ranks._made.append(self)

    def _free(self, handle: int) -> None:
        raise NotImplementedError

    def _open(self) -> int:
        if self.handle is None:
            raise UsageError("it has been destroyed")
        return self.handle

    def destroy(self) -> None:
        """Collective."""
        if self in self._ranks._made:
            self._ranks._made.remove(self)
        handle, self.handle = self.handle, None
        if handle is not None:
            with context.alone():
                self._free(handle)


class Symmetric(_Made):
    """Memory of which every rank has one, as large on all. `array` is this rank's."""

    def __init__(self, ranks: Ranks, shape: Union[int, Tuple[int, ...]], dtype: np.dtype,
                 device: Device):
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.dtype, self._device = dtype, device
        self.nbytes = int(np.prod(self.shape, dtype=np.int64)) * dtype.itemsize
        super().__init__(ranks)
        try:
            self.handle = context.make(native.ERROR_TRAP, "symmetric memory", raw.symmetric_create,
                                       ranks._open(), device.handle, self.nbytes)
        except BaseException:
            ranks._made.remove(self)
            raise
        self.array = self._at(raw.symmetric_buffer(self.handle))

    def _free(self, handle: int) -> None:
        raw.symmetric_destroy(handle)

    def _at(self, buffer: int) -> np.ndarray:
        """Memory of a rank; it ends with this object, and so do arrays of it."""
        address = raw.buffer_data(buffer)
        if not self.nbytes:
            return np.empty(self.shape, self.dtype)
        memory = (ctypes.c_char * self.nbytes).from_address(address)
        return np.frombuffer(memory, self.dtype).reshape(self.shape)

    def peer(self, rank: int) -> Optional[np.ndarray]:
        """Another rank's; None: it is on another machine."""
        buffer = raw.symmetric_peer(self._open(), rank)
        return self._at(buffer) if buffer else None

    def put(self, rank: int, array: Any, offset: int = 0) -> None:
        """Copies an array to a rank's memory, from byte `offset` on."""
        x = np.ascontiguousarray(array)
        context.check("put", raw.symmetric_put, self._open(), rank, offset, x.ctypes.data, x.nbytes)

    def get(self, rank: int, array: np.ndarray, offset: int = 0) -> np.ndarray:
        """Fills an array from there."""
        _writable("get", array)
        context.check("get", raw.symmetric_get, self._open(), rank, offset, array.ctypes.data,
                      array.nbytes)
        return array

    def fence(self) -> None:
        """Waits until everything that was put and notified has arrived."""
        context.check("fence", raw.symmetric_fence, self._open())

    def notify(self, rank: int, offset: int, value: int, how: str = "set") -> None:
        """Sets a word of 64 bits there, or adds to it, after what was put."""
        context.check("notify", raw.symmetric_notify, self._open(), rank, offset,
                      _number(_NOTIFY, how, "how"), value)

    def wait(self, offset: int, value: int, until: str = "==") -> int:
        """Waits for a word of this rank's memory; returns it."""
        seen = ctypes.c_uint64()
        context.check("wait", raw.symmetric_wait, self._open(), offset,
                      _number(_UNTIL, until, "until"), value, ctypes.byref(seen))
        return seen.value


class Operator(_Made):
    """A product or attention over ranks; called with arrays by the names of its tensors."""

    def __init__(self, ranks: Ranks, form: str, problem: str, pieces: int, device: Device):
        number = _number(FORMS, form, "form")
        options = raw.OperatorOptions(raw.sizeof(raw.OperatorOptions), pieces)
        self.form, self._device = form, device
        super().__init__(ranks)
        try:
            self.handle = context.make(
                native.ERROR_USAGE, form, raw.functions.ranks_create, ranks._open(),
                library_of(device).handle, number, ctypes.byref(_problem((problem, ()))),
                ctypes.byref(options))
        except BaseException:
            ranks._made.remove(self)
            raise
        self.operands = self._operands()

    def _free(self, handle: int) -> None:
        raw.functions.ranks_destroy(handle)

    def _operands(self) -> List[Operand]:
        found, one = [], raw.ops.Operand(struct_size=raw.sizeof(raw.ops.Operand))
        while raw.functions.ranks_operand(self.handle, len(found), ctypes.byref(one)) == native.OK:
            elem = elements.NAMES[one.elem]
            if one.is_unsigned and elem.startswith("i"):
                elem = "u" + elem[1:]
            found.append(Operand(one.name.decode(), elem, one.use, tuple(one.shape[:one.rank]),
                                 tuple(one.strides[:one.rank]), one.bytes))
        return found

    def rows(self, rank: int) -> range:
        """The rows of a rank: of a product's a or c, or of attention's queries."""
        return self._range(raw.functions.ranks_rows, rank)

    def keys(self, rank: int) -> range:
        """The keys of a rank."""
        return self._range(raw.functions.ranks_keys, rank)

    def _range(self, function: Any, rank: int) -> range:
        first = ctypes.c_int64()
        count = function(self._open(), rank, ctypes.byref(first))
        return range(first.value, first.value + count)

    def _result(self, operand: Operand) -> np.ndarray:
        """A new array for it."""
        dtype = DTYPES[operand.elem]
        try:
            kind = np.dtype(dtype)
        except TypeError:
            import ml_dtypes  # which has what NumPy has not
            kind = np.dtype(getattr(ml_dtypes, dtype))
        memory = np.empty(max(operand.nbytes // kind.itemsize, 1), kind)
        steps = tuple(s * kind.itemsize for s in operand.strides)
        return np.lib.stride_tricks.as_strided(memory, operand.shape, steps)

    def __call__(self, **arrays: Any) -> Any:
        """Collective: computes it. Results that are not given are made. Returns the one result, or
        a dictionary of several."""
        tensors: Dict[str, Tensor] = {}
        results: Dict[str, Any] = {}
        for operand in self.operands:
            array = arrays.pop(operand.name, None)
            if operand.use != raw.ops.READ:
                array = results[operand.name] = self._result(operand) if array is None else array
            if array is None:
                raise UsageError("%s: '%s' is missing: %s of %s" % (
                    self.form, operand.name, operand.elem, operand.shape))
            tensors[operand.name] = of_array(operand.name, array, operand.elem, None)
            _check(self.form, operand, tensors[operand.name])
        if arrays:
            raise UsageError("%s has no tensor '%s'; it has %s" % (
                self.form, next(iter(arrays)), ", ".join(o.name for o in self.operands)))
        args = (raw.ops.Argument * len(self.operands))()
        for i, operand in enumerate(self.operands):
            args[i].name = operand.name.encode()
            args[i].arg.kind = native.ARG_ADDRESS
            args[i].arg.bits = tensors[operand.name].address
        context.check(self.form, raw.functions.ranks_launch, self._open(), args, len(args))
        return next(iter(results.values())) if len(results) == 1 else results
