# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A back end for Triton: @triton.jit functions run on Tessera's devices.

Triton finds it by the entry point `triton.backends` where the package is installed, and `tessera
exec` puts it in the place of NVIDIA's back end. From a source tree, or to choose it where a GPU is
there, a program calls

    import tessera.triton
    tessera.triton.install()

Kernels take PyTorch's tensors in host memory. TESSERA_DEVICE says what executes them: "cpu",
"interp" (the reference interpreter), "emu:sm_90a" (an emulated GPU); TESSERA_SANITIZE=1 takes the
interpreter and looks for undefined behaviour.
"""
from __future__ import annotations

import functools
import os
import sys

__all__ = ["install", "replace_nvidia"]


def _backends():
    """By the name of their target, Tessera's own last."""
    from triton.backends import Backend

    from .compiler import TesseraBackend
    from .cpu.compiler import CpuBackend
    from .cpu.driver import CpuDriver
    from .driver import TesseraDriver
    return {"cpu": Backend(CpuBackend, CpuDriver),
            TesseraBackend.name: Backend(TesseraBackend, TesseraDriver)}


def _compile_here() -> None:
    """Inductor's other processes would find Tessera by its entry point only."""
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    config = sys.modules.get("torch._inductor.config")
    if config is not None:
        config.compile_threads = int(os.environ["TORCHINDUCTOR_COMPILE_THREADS"])


def install() -> None:
    """Makes Triton use Tessera in this process, from now on."""
    import triton
    from triton.backends import backends

    if "tessera" not in backends:
        _compile_here()
    backends.update(_backends())
    triton.runtime.driver.set_active(backends["tessera"].driver())


def replace_nvidia(backends: dict) -> None:
    """Puts Tessera in the place of the back ends for GPUs, for programs that ask for CUDA."""
    from .compiler import TesseraBackend

    TesseraBackend.name = "cuda"
    made = _backends()
    backends.clear()
    backends.update(cpu=made["cpu"], nvidia=made["cuda"])
    _replace_cublas()


def _replace_cublas() -> None:
    """Triton's own scripts multiply by NVIDIA's library as well, which needs a GPU."""
    from triton._C import libtriton

    def cublas_lt(workspace):
        from .blas import CublasLt  # which needs PyTorch, as its callers do
        return CublasLt(workspace)

    cublas = getattr(getattr(libtriton, "nvidia", None), "cublas", None)
    if cublas is not None:
        cublas.CublasLt = cublas_lt


def refuse_proton(module) -> None:
    """Triton's profiler, by name: it measures with a library of the GPU."""
    start = module.start

    @functools.wraps(start)
    def refused(*args, **named):
        from triton import knobs

        from tessera import Unsupported
        if knobs.proton.disable:
            return start(*args, **named)
        raise Unsupported("Proton, which measures with a GPU's own library (CUPTI): measure with "
                          "triton.testing.do_bench, or set TRITON_PROTON_DISABLE=1")

    module.start = refused
