# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `tessera exec` has Python do before a program starts (docs/clients.md).

  - When PyTorch is imported, its device "cuda" becomes the host's memory (TESSERA_TORCH=host), and
    its symmetric memory is what processes of this machine share.
  - cuTile takes the `tileiras` that `tessera exec` put in front of PATH, even where one of NVIDIA's
    packages is installed.
  - Triton compiles with Tessera's back end instead of NVIDIA's (docs/triton.md), unless
    TESSERA_TRITON=ptx asks for PTX, which the emulator executes.
  - Tilus' scripts are built and launched by Tessera, without a GPU and without nvcc (docs/tilus.md),
    unless TESSERA_TILUS=nvcc asks for Tilus' own way, whose PTX the emulator executes.
  - cuTile's exhaustive_search finds the records of searches that were made before (docs/tuning.md).

Then the sitecustomize that would have been there without this one is run.
"""
import os
import sys
from importlib.machinery import PathFinder  # importlib.util would double the time to start

_HERE = os.path.dirname(os.path.abspath(__file__))


def _load(name):
    """A file of the package that stands alone; the package itself is not imported."""
    import importlib.util
    path = os.path.join(_HERE, "tessera", name + ".py")
    spec = importlib.util.spec_from_file_location("tessera_" + name, path)
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _torch(module):
    if os.environ.get("TESSERA_TORCH") == "host":
        _load("torch_on_host").install(module)


def _symmetric_memory(module):
    if os.environ.get("TESSERA_TORCH") == "host":
        sys.modules["tessera_torch_ranks_on_host"].patch_symmetric(sys.modules["torch"], module)


def _dynamo_streams(module):
    """Graphs that torch.compile traces know no streams: PyTorch's own operations have none here."""
    import collections

    class NoStreams(module.SymbolicStreamState):
        def __init__(self):
            self.cur_stream_stack = collections.deque()

    if os.environ.get("TESSERA_TORCH") == "host":
        module.SymbolicStreamState = NoStreams


def _inductor(module):
    """Inductor makes kernels in Triton's language of graphs, as it does for a GPU."""
    if os.environ.get("TESSERA_TORCH") == "host" and os.environ.get("TESSERA_TRITON") != "ptx":
        module.cpu_backend = "triton"


def _cutile(module):
    module._find_pip_tileiras = lambda: None


def _cutile_tune(module):
    search = module.exhaustive_search

    def exhaustive_search(*args, **named):
        try:
            from tessera.cutile_tuning import search_with_records
        except ImportError:  # without records every search is made
            return search(*args, **named)
        return search_with_records(module, search, *args, **named)

    exhaustive_search.__doc__, exhaustive_search.__wrapped__ = search.__doc__, search
    module.exhaustive_search = exhaustive_search


def _triton(module):
    if os.environ.get("TESSERA_TRITON") != "ptx":
        from tessera.triton import replace_nvidia
        replace_nvidia(module.backends)
        return
    # NVIDIA's back end, up to its PTX: machine code cannot be executed.
    compiler = module.backends["nvidia"].compiler
    compiler.make_cubin = lambda self, ptx, *_: ptx.encode() + b"\0"
    compiler.hash = lambda self, inherited=compiler.hash: inherited(self) + "-ptx"


def _triton_autotuner(_module):
    """Before the first search: a driver is made no sooner than by the first launch."""
    if os.environ.get("TESSERA_TRITON") != "ptx":
        from tessera.triton import tuning
        tuning.install()


def _triton_proton(module):
    if os.environ.get("TESSERA_TRITON") != "ptx":
        from tessera.triton import refuse_proton
        refuse_proton(module)


def _tilus(module):
    if os.environ.get("TESSERA_TILUS") == "nvcc":
        # Tilus 0.2 doesn't include what TVM-FFI has in a header of its own since 0.1.11.
        flags = os.environ.get("NVCC_APPEND_FLAGS", "")
        os.environ["NVCC_APPEND_FLAGS"] = (flags + " -include tvm/ffi/container/tensor.h").strip()
        return
    try:
        from tessera import tilus
    except ImportError as error:
        raise ImportError("Tessera's Python package, which runs Tilus' kernels, can't be loaded: %s"
                          % error) from None
    tilus.install(module)


_AFTER = {"torch": _torch, "torch.distributed._symmetric_memory": _symmetric_memory,
          "torch._dynamo.variables.streams": _dynamo_streams,
          "torch._inductor.config": _inductor, "triton.backends": _triton, "triton.runtime.autotuner": _triton_autotuner,
          "triton.profiler.profile": _triton_proton, "cuda.tile._compile": _cutile,
          "cuda.tile.tune._tune": _cutile_tune, "tilus.lang.instantiated_script": _tilus}


class _Loader:
    """Another loader, and something to do once it has loaded."""

    def __init__(self, loader, after):
        self._loader, self._after = loader, after

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._after(module)


class _Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        after = _AFTER.pop(name, None)
        if after is None:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not _Finder else None
            if spec is not None:
                spec.loader = _Loader(spec.loader, after)
                return spec
        return None


def _run_next():
    """The sitecustomize behind this one on the path."""
    others = [entry for entry in sys.path if os.path.abspath(entry or ".") != _HERE]
    spec = PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        import importlib.util
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


sys.meta_path.insert(0, _Finder)
_run_next()
