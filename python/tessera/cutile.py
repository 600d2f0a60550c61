# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of cuTile Python on arrays of the CPU, in this process.

    import cuda.tile as ct, numpy as np, tessera.cutile

    @ct.kernel
    def add(a, b, c, TILE: ct.Constant[int]):
        i = ct.bid(0)
        ct.store(c, (i,), ct.load(a, (i,), (TILE,)) + ct.load(b, (i,), (TILE,)))

    tessera.cutile.launch((16,), add, (a, b, c, 64))         # NumPy arrays, tensors of the CPU
    findings = tessera.cutile.debug((16,), add, (a, b, c, 64))

cuTile's own front end compiles the function to Tile IR; the driver library and `tileiras` take no
part, and neither a GPU nor libcuda.so.1 is needed. A kernel is compiled once for each combination
of types, constants and what is assumed of its arrays, as cuTile's own launcher does it.
"""
from __future__ import annotations

import io
import os
import threading
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Tuple, Union

from . import _cutile_args as arguments
from . import _elements as elements
from ._arrays import address_of, bytes_at, likeness_of_torch
from .device import Device, default_device
from .errors import Finding, SanitizerError, Unsupported
from .module import GridLike, Kernel, Module, Parameter, grid_of

__all__ = ["compile", "debug", "launch"]

#: The versions of bytecode that both sides may know, the newest first.
_VERSIONS = ("13.4", "13.3", "13.2", "13.1")
_MAX_PROFILES = 256  #: shapes of arguments that are remembered for each kernel

_lock = threading.RLock()  # of compiling


def _architecture() -> str:
    """The architecture that the driver library would claim to be."""
    major, _, minor = (os.environ.get("TESSERA_CUDA_CAPABILITY") or "10.0").partition(".")
    return "sm_%s%s" % (major, minor)


# ---- cuTile's front end -------------------------------------------------------------------------


def _constraint(spec, compilation, dtypes):
    kind = spec[0]
    if kind == "constant":
        value = float.fromhex(spec[2]) if spec[1] == "float" else spec[2]
        return compilation.ConstantConstraint(value)
    if kind == "scalar":
        return compilation.ScalarConstraint(getattr(dtypes, spec[1]))
    if kind == "tuple":
        return compilation.TupleConstraint([_constraint(s, compilation, dtypes) for s in spec[1]])
    a = spec[1]
    dtype = getattr(dtypes, "bool_" if a.dtype == "bool" else a.dtype)
    divisor = 16 // a.itemsize
    array = compilation.ArrayConstraint(
        dtype, a.ndim, index_dtype=dtypes.int64 if a.wide else dtypes.int32,
        stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=not a.disjoint,
        stride_constant=a.strides, shape_constant=a.shape,
        stride_divisible_by=_divisors(a.packed_strides, divisor, a.strides),
        shape_divisible_by=_divisors(a.even_shape, 16, a.shape),
        base_addr_divisible_by=16 if a.aligned else 1)
    if kind == "array":
        return array
    return compilation.ListConstraint(array, alias_groups=(), elements_may_alias=True)


def _divisors(holds, divisor, constants):
    return tuple(divisor if yes and constant is None else 1
                 for yes, constant in zip(holds, constants))


def _to_bytecode(kernel, spec, architecture) -> bytes:
    import cuda.tile as dtypes
    from cuda.tile import compilation
    from cuda.tile._bytecode.version import BytecodeVersion

    known = {v.as_string() for v in BytecodeVersion}
    version = next(v for v in _VERSIONS if v in known)
    signature = compilation.KernelSignature(
        [_constraint(s, compilation, dtypes) for s in spec],
        compilation.CallingConvention.cutile_python_v2(), symbol=_name(kernel))
    out = io.BytesIO()
    compilation.export_kernel(kernel, [signature], out, gpu_code=architecture,
                              output_format="tileir_bytecode", bytecode_version=version)
    return out.getvalue()


def _name(kernel) -> str:
    return kernel._annotated_function.pyfunc.__name__


def _level(kernel, architecture) -> int:
    return kernel._compiler_options.opt_level_for_target(architecture)


# ---- compiled kernels ---------------------------------------------------------------------------


class _Profile(NamedTuple):
    """Arguments of some types and shapes, ready but for what differs from launch to launch:
    addresses and numbers. The next launch is mostly like the last."""
    kernel: Kernel
    ready: List[Any]  #: Kernel.Arguments that no launch uses at the moment
    sizes: List[Optional[int]]
    addresses: List[Tuple[int, int]]  #: (place in Arguments.words, index of the argument)
    numbers: List[Tuple[int, int, Parameter]]


class _Compiled:
    """What there is of a kernel of cuTile. Kept at the kernel itself, and gone with it."""

    def __init__(self, kernel):
        annotated = kernel._annotated_function
        self.nodes = annotated.parameter_annotations
        self.names = tuple(annotated.pysig.parameters)
        self.constants = tuple(getattr(node, "constant", False) for node in self.nodes)
        self.bytecode: Dict[Tuple, bytes] = {}
        self.kernels: Dict[Tuple, Kernel] = {}
        self.profiles: Dict[Tuple, _Profile] = {}

    def profile_key(self, device, args) -> Tuple[Optional[Tuple], List[Any]]:
        """What tells whether a launch is like an earlier one, and what differs: addresses and
        numbers. None for arguments that take the long way: lists, tuples, strided arrays."""
        if len(args) != len(self.constants):
            return None, []
        key, values = [device], []
        for value, constant in zip(args, self.constants):
            kind = type(value)
            if kind is int or kind is float or kind is bool:
                if constant:
                    key.append((kind, value.hex() if kind is float else value))
                else:
                    key.append(kind)
            else:
                try:
                    address = address_of(bytes_at(value))
                    key.append(value.dtype)
                    key.append(value.shape)
                except (AttributeError, TypeError, ValueError, BufferError):
                    like, address = likeness_of_torch(value)
                    if like is None:
                        return None, []
                    key.append(like)
                key.append(address & 15)  # cuTile assumes 16 bytes where they are there
                value = address
            values.append(value)
        return tuple(key), values

    def remember(self, key, args, kernel: Kernel, filled, sizes) -> None:
        addresses, numbers, at = [], [], 0
        for i, (value, constant) in enumerate(zip(args, self.constants)):
            if not isinstance(value, (int, float)):
                addresses.append((kernel.place(at), i))
                at += 1 + 2 * len(value.shape)
            elif not constant:
                numbers.append((kernel.place(at), i, kernel.parameters[at]))
                at += 1
        if len(self.profiles) >= _MAX_PROFILES:
            self.profiles.clear()
        self.profiles[key] = _Profile(kernel, [filled], sizes, addresses, numbers)


def _compiled(kernel) -> _Compiled:
    try:
        return kernel.__dict__["_tessera"]
    except KeyError:
        pass
    except AttributeError:
        raise _no_kernel(kernel) from None
    if not hasattr(kernel, "_annotated_function") or not hasattr(kernel, "_compiler_options"):
        raise _no_kernel(kernel)
    return kernel.__dict__.setdefault("_tessera", _Compiled(kernel))


def _no_kernel(kernel):
    return TypeError("expected a kernel of cuTile (a function with @cuda.tile.kernel) or a "
                     "tessera.Kernel, found %s" % type(kernel).__name__)


def _bytecode_for(kernel, of: _Compiled, spec, architecture) -> bytes:
    with _lock:
        key = (spec, architecture)
        data = of.bytecode.get(key)
        if data is None:
            data = of.bytecode[key] = _to_bytecode(kernel, spec, architecture)
        return data


def _kernel_for(kernel, of: _Compiled, spec, device: Device) -> Kernel:
    architecture = _architecture()
    key = (spec, architecture, id(device))  # the kernel keeps the device
    made = of.kernels.get(key)
    if made is None:
        with _lock:
            made = of.kernels.get(key)
            if made is None:
                module = Module.foreign(_bytecode_for(kernel, of, spec, architecture),
                                        "<%s>" % _name(kernel))
                if device.name != "interp":
                    module.optimize("O%d" % _level(kernel, architecture))
                made = of.kernels[key] = module.kernel(None, device)
    return made


# ---- launching ----------------------------------------------------------------------------------


def _pattern(parameter: Parameter, value, place: str) -> int:
    """The bits of a number."""
    if isinstance(value, int) and parameter.elem[0] == "i" and not parameter.is_pointer:
        bits = elements.BITS[elements.NUMBER[parameter.elem]]
        if bits == 1 or -(1 << bits - 1) <= value < 1 << bits - 1:
            return value & (1 << bits) - 1
        raise OverflowError("%s: %d does not fit %s; annotate the parameter with "
                            "cuda.tile.ScalarInt64 or cuda.tile.IndexedWithInt64" % (
                                place, value, parameter.elem))
    if isinstance(value, float) and parameter.elem[0] == "f" and not parameter.is_pointer:
        return elements.float_pattern(parameter.elem, value)
    raise TypeError("%s: the kernel takes %s here, not %r" % (place, parameter, value))


def _fill(kernel: Kernel, words):
    """The words as arguments, and how many bytes may be reached from each that is an address."""
    if len(words) != len(kernel.parameters):
        raise TypeError("%s takes %d words (%s), but the arguments are %d" % (
            kernel.name, len(kernel.parameters), ", ".join(map(str, kernel.parameters)),
            len(words)))
    filled = kernel.arguments()
    for k, (word, parameter) in enumerate(zip(words, kernel.parameters)):
        if not word.is_pointer:
            filled.words[kernel.place(k)] = _pattern(parameter, word.value, word.place)
        elif parameter.is_pointer:
            filled.words[kernel.place(k)] = word.value
        else:
            raise TypeError("%s: the kernel takes %s here, not an array" % (word.place, parameter))
    return filled, [word.nbytes for word in words]


def launch(grid: GridLike, kernel: Any, args: Tuple[Any, ...], *,
           device: Optional[Device] = None) -> None:
    """Runs a kernel of cuTile on every tile block of a grid, and returns when all have ended.

    grid     tile blocks along x, y and z: a number, or a tuple of up to three
    kernel   a function with @cuda.tile.kernel; or a tessera.Kernel of bytecode that cuTile
             exported, which takes the arguments that are not Constants
    args     as for cuda.tile.launch: arrays in host memory (NumPy, PyTorch, DLPack, the buffer
             protocol), numbers, lists of arrays, tuples. Arrays may be strided, but not backwards.
             Kernels see the arrays themselves, so these must be writable.
    device   what executes it; default_device()

    Raises what cuTile raises for a wrong kernel, TypeError, ValueError or OverflowError for a wrong
    argument, InputError and Unsupported for a program that can't be compiled, Trap for a failed
    assert. A kernel is compiled when it is first launched with arguments of a kind; any number of
    threads may launch.
    """
    extents = grid_of(grid)
    if isinstance(kernel, Kernel):
        filled, sizes = _fill(kernel, _bind_plain(args).words)
        kernel.execute(extents, filled, sizes)
        return
    of = _compiled(kernel)
    device = device or default_device()
    key, values = of.profile_key(device, args)
    profile = of.profiles.get(key) if key else None
    if profile is not None:
        try:
            filled = profile.ready.pop()
        except IndexError:  # other threads launch the same
            filled = _fill(profile.kernel, arguments.bind(of.nodes, of.names, args)[1].words)[0]
        words = filled.words
        for at, i in profile.addresses:
            words[at] = values[i]
        for at, i, parameter in profile.numbers:
            words[at] = _pattern(parameter, values[i], of.names[i])
        profile.kernel.execute(extents, filled, profile.sizes)
        profile.ready.append(filled)
        return
    spec, bound = arguments.bind(of.nodes, of.names, args)
    ready = _kernel_for(kernel, of, spec, device)
    if ready.has_own_memory and bound.has_table:
        raise Unsupported("a list of arrays can't be passed to the device '%s', whose memory is not "
                          "the host's" % device.name)
    filled, sizes = _fill(ready, bound.words)
    ready.execute(extents, filled, sizes)
    if key:
        of.remember(key, args, ready, filled, sizes)


def _bind_plain(args) -> arguments.Bound:
    nodes = (arguments.Plain(),) * len(args)
    return arguments.bind(nodes, [str(i) for i in range(len(args))], args)[1]


def compile(kernel: Any, args: Tuple[Any, ...], *, device: Optional[Device] = None) -> Kernel:
    """The kernel that `launch` would execute for these arguments. Its module shows what cuTile
    made of the function, and what became of that: `str(k.module)`, `k.module.emit("asm")`."""
    of = _compiled(kernel)
    spec, _ = arguments.bind(of.nodes, of.names, args)
    return _kernel_for(kernel, of, spec, device or default_device())


# ---- looking for mistakes -----------------------------------------------------------------------


def debug(grid: GridLike, kernel: Any, args: Tuple[Any, ...], *,
          checks: Union[bool, str, Iterable[str]] = "all", order: str = "forward", seed: int = 0,
          stop: bool = False, strict: bool = False,
          on_output: Optional[Callable[[str], object]] = None) -> List[Finding]:
    """Runs a kernel of cuTile under the interpreter and its sanitizer, and returns what it found:
    undefined behaviour, each with the file and line of the Python function. Nothing found: [].

    grid, kernel, args   as for `launch`; the arrays are written to as by a launch
    checks      names of "bounds", "assume", "init", "race", "arith", "sync"; "all"
    order       of the tile blocks: "forward", "reverse", "shuffled" (by `seed`)
    stop        at the first finding
    strict      raise SanitizerError instead of returning findings
    on_output   called with what the kernel prints (sys.stdout)

    Raises as `launch` does, and Trap for an assert that failed. Accesses through the arrays of a
    list are checked for everything but their bounds.
    """
    options = {} if on_output is None else {"on_output": on_output}
    device = Device("interp", sanitize=checks, order=order, seed=seed, sanitize_stop=stop,
                    **options)
    extents = grid_of(grid)
    if isinstance(kernel, Kernel):
        bound, data, name = _bind_plain(args), kernel.module.bytecode(), kernel.name
        module = Module.foreign(data, kernel.module.name)
    else:
        of = _compiled(kernel)
        # Where an extent is the constant 1, cuTile assumes of the stride what need not hold: no
        # element is ever reached by it. That would be found, and mean nothing.
        spec, bound = arguments.bind(of.nodes, of.names, args, singletons=False)
        data, name = _bytecode_for(kernel, of, spec, _architecture()), _name(kernel)
        module = Module.foreign(data, "<%s>" % name)
    ready = module.kernel(name, device)
    filled, sizes = _fill(ready, bound.words)
    try:
        ready.execute(extents, filled, sizes)
    except SanitizerError as error:
        if strict or error.diagnostics:  # an assert failed as well
            raise
        return list(error.findings)
    return []
