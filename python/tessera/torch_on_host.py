# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's device "cuda" on the host's memory, for programs that were written for a GPU.

`tessera exec` runs a command with NVIDIA's driver library replaced by one that executes kernels on
the CPU. That device works on the host's memory, so a "cuda" tensor can be an ordinary CPU tensor.
`install()` makes PyTorch agree:

  - every function that takes a device takes "cuda" and makes a tensor in the host's memory;
  - `Tensor.is_cuda` is true, DLPack capsules given to kernels say "CUDA";
  - matrix products, norms, softmax and cross entropy of narrow types are rounded once, as a GPU's
    libraries do;
  - `torch.cuda` has one device, or as many as TESSERA_CUDA_DEVICES says, whose streams, events and
    graphs are the driver library's (torch_ranks_on_host.py has what processes share);
  - kernels of PTX reach all of the process's memory (TESSERA_CUDA_PAGEABLE), as tensors lie there.

What stays different: PyTorch's own operations are executed when they are called. They are not
recorded by a graph; only kernels are.

This file stands alone: it imports nothing of the package, so that it can be loaded at start-up.
"""
import contextlib
import ctypes
import functools
import importlib.util
import os
import sys
import threading
import types

_CUDA = 2  # kDLCUDA, https://dmlc.github.io/dlpack/latest/c_api.html
_installed = False


# ---- the driver library --------------------------------------------------------------------------

class _Driver:
    """The driver library, with a current primary context in every thread that uses it."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.check(self.library.cuInit(0), "cuInit")
        context = ctypes.c_void_p()
        self.check(self.library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0),
                   "cuDevicePrimaryCtxRetain")
        self.context = context

    def check(self, result, what):
        if result:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(result, ctypes.byref(text))
            reason = text.value.decode() if text.value else f"error {result}"
            raise RuntimeError(f"CUDA error: {reason} ({what})")

        self.threads = threading.local()

    def enter(self):
        """Makes the primary context current, as PyTorch does in every thread that uses CUDA."""
        if not getattr(self.threads, "entered", False):
            self.check(self.library.cuCtxSetCurrent(self.context), "cuCtxSetCurrent")
            self.threads.entered = True

    def call(self, name, *arguments):
        self.enter()
        self.check(getattr(self.library, name)(*arguments), name)

    def attribute(self, number):
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), number, 0)
        return value.value


@functools.lru_cache(maxsize=None)
def _driver():
    return _Driver()


# ---- devices in arguments ------------------------------------------------------------------------

def _is_cuda(torch, device):
    if isinstance(device, str):
        return device == "cuda" or device.startswith("cuda:")
    return isinstance(device, torch.device) and device.type == "cuda"


def _host(torch, device):
    """The device where a tensor for this one really lies."""
    if isinstance(device, int) and not isinstance(device, bool):
        return torch.device("cpu")
    return torch.device("cpu") if _is_cuda(torch, device) else device


def _wrap_keyword(torch, function):
    @functools.wraps(function)
    def on_host(*arguments, **keywords):
        device = keywords.get("device")
        if device is not None:
            keywords["device"] = _host(torch, device)
        if keywords.get("pin_memory"):
            keywords["pin_memory"] = False
        return function(*arguments, **keywords)
    return on_host


def _patch_constructors(torch):
    from torch.utils._device import _device_constructors
    for function in _device_constructors():
        name = function.__name__
        for module in (torch, torch.fft, torch.nested):
            if getattr(module, name, None) is function:
                setattr(module, name, _wrap_keyword(torch, function))
    for name in ("empty_like", "full_like", "ones_like", "rand_like", "randint_like", "randn_like",
                 "zeros_like"):
        setattr(torch, name, _wrap_keyword(torch, getattr(torch, name)))
    for name in dir(torch.Tensor):
        if name.startswith("new_"):
            setattr(torch.Tensor, name, _wrap_keyword(torch, getattr(torch.Tensor, name)))


def _make_generator_class(torch):
    """A type that makes and recognises PyTorch's generators; theirs cannot be derived from."""
    generator = torch.Generator

    class Meta(type):
        def __call__(cls, device="cpu"):
            return generator(_host(torch, device))

        def __instancecheck__(cls, instance):
            return isinstance(instance, generator)

    return Meta("Generator", (), {"__doc__": generator.__doc__, "__module__": "torch"})


def _patch_tensor(torch):
    tensor_to, set_default = torch.Tensor.to, torch.set_default_device

    def to(self, *arguments, **keywords):
        arguments = [_host(torch, a) if _is_cuda(torch, a) else a for a in arguments]
        if keywords.get("device") is not None:
            keywords["device"] = _host(torch, keywords["device"])
        return tensor_to(self, *arguments, **keywords)

    def cuda(self, device=None, non_blocking=False, memory_format=torch.preserve_format):
        return tensor_to(self, "cpu", memory_format=memory_format)

    def module_cuda(self, device=None):
        return self

    torch.Tensor.to = to
    torch.Tensor.cuda = cuda
    torch.Tensor.is_cuda = property(lambda self: True)
    torch.Tensor.get_device = lambda self: 0
    torch.Tensor.pin_memory = lambda self, device=None: self
    torch.nn.Module.cuda = module_cuda
    torch.Generator = _make_generator_class(torch)
    torch.set_default_device = lambda device: set_default(_host(torch, device))


# ---- precision -----------------------------------------------------------------------------------

def _to_tf32(torch, a):
    """Rounded to TF32's 10 bits behind the point, ties to even: what a GPU's matrix units read."""
    bits = a.contiguous().view(torch.int32)
    rounded = (bits + 0xfff + ((bits >> 13) & 1)) & ~0x1fff
    return torch.where(torch.isfinite(a), rounded.view(torch.float32), a)


def _uses_tf32(torch):
    return (torch.get_float32_matmul_precision() != "highest" or
            getattr(torch.backends.cuda.matmul, "fp32_precision", "") == "tf32")


def _wrap_wider(torch, function, wide):
    """The function on operands of the type `wide`, its result rounded to the operands' own."""
    narrow = {torch.float16: wide, torch.bfloat16: wide}
    if wide is torch.float64:
        narrow[torch.float32] = wide

    @functools.wraps(function)
    def computed_wider(*arguments, **keywords):
        tensors = [a for a in (*arguments, *keywords.values()) if isinstance(a, torch.Tensor)]
        if keywords.get("dtype") is not None:  # it says in which type to compute
            return function(*arguments, **keywords)
        result_type = keywords.pop("out_dtype", None)  # products on a GPU have it
        if not tensors or tensors[0].dtype not in narrow or keywords.get("out") is not None:
            if result_type is None:
                return function(*arguments, **keywords)
            return function(*[a.to(result_type) if isinstance(a, torch.Tensor) else a
                              for a in arguments], **keywords)

        products = wide is torch.float64
        tf32 = products and tensors[0].dtype is torch.float32 and _uses_tf32(torch)

        def widen(a):
            known = isinstance(a, torch.Tensor) and a.dtype in narrow
            if known and tf32 and not a.requires_grad:
                a = _to_tf32(torch, a)
            return a.to(narrow[a.dtype]) if known else a
        result = function(*[widen(a) for a in arguments],
                          **{name: widen(a) for name, a in keywords.items()})
        return result.to(result_type or tensors[0].dtype)
    return computed_wider


def _patch_precision(torch):
    """A GPU's libraries add up products of narrow types in wide ones and round once; PyTorch on a
    CPU rounds in between. Results that a kernel is compared with would be the less exact ones."""
    functional = torch.nn.functional
    for module, names in ((torch, ("matmul", "mm", "bmm", "addmm", "baddbmm")),
                          (torch.Tensor, ("matmul", "mm", "bmm", "__matmul__")),
                          (functional, ("linear",))):
        for name in names:
            setattr(module, name, _wrap_wider(torch, getattr(module, name), torch.float64))
    for name in ("layer_norm", "rms_norm", "group_norm", "scaled_dot_product_attention",
                 "cross_entropy", "softmax", "log_softmax"):
        setattr(functional, name, _wrap_wider(torch, getattr(functional, name), torch.float32))
    for module in (torch, torch.Tensor):
        for name in ("softmax", "log_softmax"):
            setattr(module, name, _wrap_wider(torch, getattr(module, name), torch.float32))
    # Kernels that exist for GPUs only must not be chosen.
    torch.nn.attention.sdpa_kernel = _any_kernel


@contextlib.contextmanager
def _any_kernel(*_, **__):
    """A function of this form, as torch.compile knows it by what it wraps."""
    yield


def _wrap_abs(torch, function):
    @functools.wraps(function)
    def absolute(a, *arguments, **keywords):
        if isinstance(a, torch.Tensor) and a.dtype is torch.bool and not keywords:
            return a.clone()
        return function(a, *arguments, **keywords)
    return absolute


def _patch_missing(torch):
    """What PyTorch has for GPUs only: the absolute value of bool."""
    for module, names in ((torch, ("abs", "absolute")),
                          (torch.Tensor, ("abs", "absolute", "__abs__"))):
        for name in names:
            setattr(module, name, _wrap_abs(torch, getattr(module, name)))


def _patch_library(torch):
    """Operators that programs register for CUDA are those of the host's tensors."""
    library = torch.library

    def on_host(key):
        return {"CUDA": "CPU", "AutogradCUDA": "AutogradCPU", "cuda": "cpu"}.get(key, key)

    def devices(types):
        if types is None or isinstance(types, str):
            return on_host(types)
        return list(dict.fromkeys(map(on_host, types)))

    def wrap_key(method):  # (self, ..., dispatch_key)
        @functools.wraps(method)
        def with_host_key(self, name, second, dispatch_key="", **named):
            return method(self, name, second, on_host(dispatch_key), **named)
        return with_host_key

    def wrap_devices(function):  # (operator, device_types, ...)
        @functools.wraps(function)
        def with_host_devices(op, device_types=None, *arguments, **named):
            return function(op, devices(device_types), *arguments, **named)
        return with_host_devices

    def wrap_custom(function):  # (name, fn, /, *, device_types)
        @functools.wraps(function)
        def with_host_devices(*arguments, device_types=None, **named):
            return function(*arguments, device_types=devices(device_types), **named)
        return with_host_devices

    library.Library.__init__ = wrap_key(library.Library.__init__)
    library.Library.impl = wrap_key(library.Library.impl)
    library.register_kernel = wrap_devices(library.register_kernel)
    library.custom_op = wrap_custom(library.custom_op)


# ---- DLPack --------------------------------------------------------------------------------------

class _DLDevice(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DLTensorHead(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _DLDevice)]


def _patch_dlpack(torch):
    """cuTile takes tensors that say they are on a CUDA device."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype = ctypes.c_void_p
    pointer_of.argtypes = [ctypes.py_object, ctypes.c_char_p]
    to_dlpack = torch._C._to_dlpack

    def to_cuda_dlpack(tensor, *arguments, **keywords):
        capsule = to_dlpack(tensor, *arguments, **keywords)
        head = _DLTensorHead.from_address(pointer_of(capsule, b"dltensor"))
        head.device.type = _CUDA
        return capsule

    torch._C._to_dlpack = to_cuda_dlpack


# ---- torch.cuda ----------------------------------------------------------------------------------

def _make_stream_classes(torch):
    current = []

    class Stream:
        """A stream of the driver library; the default one has the handle 0."""

        def __init__(self, device=None, priority=0, stream_ptr=None, **_):
            self._owned = stream_ptr is None
            self.cuda_stream = stream_ptr or 0
            self.device = torch.device("cuda", 0)
            self.device_index = 0
            self.priority = priority
            if self._owned:
                handle = ctypes.c_void_p()
                _driver().call("cuStreamCreateWithPriority", ctypes.byref(handle), 1, priority)
                self.cuda_stream = handle.value

        def __del__(self):
            if self._owned and self.cuda_stream:
                _driver().library.cuStreamDestroy_v2(ctypes.c_void_p(self.cuda_stream))

        def __eq__(self, other):
            return isinstance(other, Stream) and self.cuda_stream == other.cuda_stream

        def __hash__(self):
            return hash(self.cuda_stream)

        def __repr__(self):
            return f"<torch.cuda.Stream device=cuda:0 cuda_stream={self.cuda_stream:#x}>"

        def query(self):
            return True

        def synchronize(self):
            _driver().call("cuStreamSynchronize", ctypes.c_void_p(self.cuda_stream))

        def wait_event(self, event):
            event.wait(self)

        def wait_stream(self, other):
            self.wait_event(other.record_event())

        def record_event(self, event=None):
            event = event or Event()
            event.record(self)
            return event

        def __enter__(self):
            current.append(self)
            return self

        def __exit__(self, *_):
            current.pop()

    class Event:
        """An event of the driver library."""

        def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
            handle = ctypes.c_void_p()
            _driver().call("cuEventCreate", ctypes.byref(handle), 0 if enable_timing else 2)
            self.cuda_event = handle.value

        def __del__(self):
            if getattr(self, "cuda_event", None):
                _driver().library.cuEventDestroy_v2(ctypes.c_void_p(self.cuda_event))

        def record(self, stream=None):
            stream = stream or current_stream()
            _driver().call("cuEventRecord", ctypes.c_void_p(self.cuda_event),
                           ctypes.c_void_p(stream.cuda_stream))

        def wait(self, stream=None):
            stream = stream or current_stream()
            _driver().call("cuStreamWaitEvent", ctypes.c_void_p(stream.cuda_stream),
                           ctypes.c_void_p(self.cuda_event), 0)

        def query(self):
            return True

        def synchronize(self):
            _driver().call("cuEventSynchronize", ctypes.c_void_p(self.cuda_event))

        def elapsed_time(self, end):
            ms = ctypes.c_float()
            _driver().call("cuEventElapsedTime", ctypes.byref(ms),
                           ctypes.c_void_p(self.cuda_event), ctypes.c_void_p(end.cuda_event))
            return ms.value

    default = Stream(stream_ptr=0)

    def current_stream(device=None):
        _driver().enter()
        return current[-1] if current else default

    def default_stream(device=None):
        return default

    def stream(s):
        return s if s is not None else contextlib.nullcontext()

    def set_stream(s):
        current[:] = [s] if s is not None else []

    return types.SimpleNamespace(Stream=Stream, Event=Event, current_stream=current_stream,
                                 default_stream=default_stream, stream=stream, set_stream=set_stream)


def _make_graph_classes(streams):
    class CUDAGraph:
        """A graph of the driver library: of the kernels that were launched while it was captured."""

        def __init__(self, keep_graph=False):
            self._graph = self._exec = None
            self._stream = None

        def capture_begin(self, pool=None, capture_error_mode="global"):
            self._stream = streams.current_stream()
            _driver().call("cuStreamBeginCapture_v2", ctypes.c_void_p(self._stream.cuda_stream), 2)

        def capture_end(self):
            graph, instance = ctypes.c_void_p(), ctypes.c_void_p()
            _driver().call("cuStreamEndCapture", ctypes.c_void_p(self._stream.cuda_stream),
                           ctypes.byref(graph))
            self._graph = graph
            _driver().call("cuGraphInstantiateWithFlags", ctypes.byref(instance), graph,
                           ctypes.c_ulonglong(0))
            self._exec = instance

        def replay(self):
            _driver().call("cuGraphLaunch", self._exec,
                           ctypes.c_void_p(streams.current_stream().cuda_stream))

        def reset(self):
            library = _driver().library
            if self._exec:
                library.cuGraphExecDestroy(self._exec)
            if self._graph:
                library.cuGraphDestroy(self._graph)
            self._graph = self._exec = None

        def pool(self):
            return (0, 0)

        __del__ = reset

    class graph:
        """`with torch.cuda.graph(g):` captures into g."""

        def __init__(self, cuda_graph, pool=None, stream=None, capture_error_mode="global"):
            self._graph = cuda_graph
            self._stream = stream or streams.Stream()

        def __enter__(self):
            self._stream.__enter__()
            self._graph.capture_begin()

        def __exit__(self, *_):
            try:
                self._graph.capture_end()
            finally:
                self._stream.__exit__()

    return CUDAGraph, graph


def _device_properties(device=None):
    driver = _driver()
    name = ctypes.create_string_buffer(256)
    total = ctypes.c_size_t()
    driver.call("cuDeviceGetName", name, 256, 0)
    driver.call("cuDeviceTotalMem_v2", ctypes.byref(total), 0)
    return types.SimpleNamespace(
        name=name.value.decode(), major=driver.attribute(75), minor=driver.attribute(76),
        total_memory=total.value, multi_processor_count=driver.attribute(16), warp_size=32,
        L2_cache_size=driver.attribute(38), is_integrated=True, is_multi_gpu_board=False,
        max_threads_per_multi_processor=driver.attribute(39), regs_per_multiprocessor=65536,
        shared_memory_per_block=driver.attribute(8),
        shared_memory_per_block_optin=driver.attribute(97),
        shared_memory_per_multiprocessor=driver.attribute(81))


def _memory_info(device=None):
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    _driver().call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


def _capability(device=None):
    return (_driver().attribute(75), _driver().attribute(76))


def _patch_cuda(torch, device_count):
    streams = _make_stream_classes(torch)
    graph_class, graph = _make_graph_classes(streams)

    class device:
        """`with torch.cuda.device(0):` — all are the host."""

        def __init__(self, index=0):
            self.idx = 0

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    cuda = torch.cuda
    for name, value in {
        "Stream": streams.Stream, "Event": streams.Event, "stream": streams.stream,
        "current_stream": streams.current_stream, "default_stream": streams.default_stream,
        "set_stream": streams.set_stream, "CUDAGraph": graph_class, "graph": graph,
        "device": device, "is_available": lambda: True, "is_initialized": lambda: True,
        "init": lambda: None, "device_count": lambda: device_count,
        "current_device": lambda: 0, "set_device": lambda index: None, "get_device_capability": _capability,
        "get_device_name": lambda device=None: _device_properties().name,
        "get_device_properties": _device_properties, "mem_get_info": _memory_info,
        "synchronize": lambda device=None: _driver().call("cuCtxSynchronize"),
        "empty_cache": lambda: None, "ipc_collect": lambda: None, "_sleep": lambda cycles: None,
        "reset_peak_memory_stats": lambda device=None: None,
        "memory_allocated": lambda device=None: 0, "memory_reserved": lambda device=None: 0,
        "max_memory_allocated": lambda device=None: 0, "is_bf16_supported": lambda *_, **__: True,
        "manual_seed": torch.default_generator.manual_seed,
        "manual_seed_all": torch.default_generator.manual_seed,
        "is_current_stream_capturing": lambda: False, "can_device_access_peer": lambda *_: device_count > 1,
    }.items():
        setattr(cuda, name, value)
    # As without a GPU: the library's own answer would ask NVIDIA's runtime library.
    torch._C._get_accelerator = lambda *_: torch.device("cpu")
    torch._C._cuda_getCurrentRawStream = lambda device=None: streams.current_stream().cuda_stream
    cuda.streams.Stream, cuda.streams.Event = streams.Stream, streams.Event
    # Lazy initialisation would ask NVIDIA's runtime library.
    cuda._lazy_init = lambda: None
    _patch_random(torch)


def _patch_random(torch):
    """The state of random numbers is the host's: torch.compile saves and restores a GPU's."""
    host = torch.random
    for name, value in {
        "get_rng_state": lambda device="cuda": host.get_rng_state(),
        "set_rng_state": lambda state, device="cuda": host.set_rng_state(state),
        "get_rng_state_all": lambda: [host.get_rng_state()],
        "set_rng_state_all": lambda states: host.set_rng_state(states[0]),
        "initial_seed": host.initial_seed, "seed": host.seed, "seed_all": host.seed,
    }.items():
        setattr(torch.cuda, name, value)
        setattr(torch.cuda.random, name, value)


def _ranks_on_host():
    """The file beside this one."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_ranks_on_host.py")
    spec = importlib.util.spec_from_file_location("tessera_torch_ranks_on_host", path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def install(torch):
    """Makes this process's PyTorch take "cuda" for the host's memory. Once is enough."""
    global _installed
    if _installed:
        return
    _installed = True
    os.environ.setdefault("TESSERA_CUDA_PAGEABLE", "1")
    _driver().enter()
    _patch_constructors(torch)
    _patch_tensor(torch)
    _patch_precision(torch)
    _patch_missing(torch)
    _patch_library(torch)
    _patch_dlpack(torch)
    ranks = _ranks_on_host()
    ranks.patch_distributed(torch)
    _patch_cuda(torch, ranks.device_count())
