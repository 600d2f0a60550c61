# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a function in Python to a kernel: Triton's front end and its own passes, then Tessera."""
from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from triton import knobs
from triton._C.libtriton import ir, passes
from triton.backends.compiler import BaseBackend, GPUTarget, Language

import tessera
from tessera.module import Module


@dataclass(frozen=True)
class Options:
    """What a launch may ask for. What is said about warps, stages and registers is taken and has no
    effect: Tessera decides that itself."""
    num_warps: int = 4
    num_ctas: int = 1
    num_stages: int = 3
    warp_size: int = 32
    maxnreg: Optional[int] = None
    ptx_version: Optional[int] = None
    ptx_options: Optional[str] = None
    ir_override: Optional[str] = None
    enable_fp_fusion: bool = False
    sched4reg: bool = False
    enable_reflect_ftz: bool = False
    launch_cooperative_grid: bool = False
    launch_pdl: bool = False
    clc: bool = False
    supported_fp8_dtypes: Tuple[str, ...] = ("fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16")
    deprecated_fp8_dot_operand_dtypes: Tuple[str, ...] = ()
    default_dot_input_precision: str = "tf32"
    allowed_dot_input_precisions: Tuple[str, ...] = ("tf32", "tf32x3", "ieee", "bf16x3", "bf16x6")
    max_num_imprecise_acc_default: int = 0
    extern_libs: Tuple = ()
    debug: bool = False
    backend_name: str = "tessera"
    sanitize_overflow: bool = True
    arch: Optional[str] = None
    instrumentation_mode: str = ""
    fpsan_homomorphic_casts: bool = False
    min_shared_mem: Optional[int] = None
    waves_per_eu: int = 0  # these two are of AMD's back end
    matrix_instr_nonkdim: int = 0

    def __post_init__(self):
        if self.num_warps <= 0 or self.num_warps & (self.num_warps - 1):
            raise AssertionError("num_warps must be a power of 2")

    def hash(self) -> str:
        text = "_".join("%s-%s" % item for item in sorted(self.__dict__.items()))
        return hashlib.sha256(text.encode()).hexdigest()


class TesseraBackend(BaseBackend):
    name = "tessera"  #: the target; "cuda" in the place of NVIDIA's

    @classmethod
    def supports_target(cls, target: GPUTarget) -> bool:
        return target.backend == cls.name

    def __init__(self, target: GPUTarget) -> None:
        super().__init__(target)
        self.binary_ext = "tessera"

    def hash(self) -> str:
        return "tessera-%s-%s" % (tessera.__version__, self.target.arch)

    def get_target_name(self, options: Options) -> str:
        return "%s:%s" % (self.target.backend, self.target.arch)

    def parse_options(self, opts: Dict[str, Any]) -> Options:
        given = {name: opts[name] for name in Options.__dataclass_fields__
                 if opts.get(name) is not None}
        libraries = given.get("extern_libs")
        if isinstance(libraries, dict):
            given["extern_libs"] = tuple(libraries.items())
        given.setdefault("arch", knobs.runtime.override_arch or "sm%s" % self.target.arch)
        return Options(**given)

    def pack_metadata(self, metadata):
        return (metadata.num_warps, metadata.num_ctas, metadata.shared)

    def get_codegen_implementation(self, options: Options) -> Dict[str, Any]:
        def any_size(_left, _right):
            return (1, 1, 1)
        return {"min_dot_size": any_size, "convert_custom_types": _refuse_custom_types}

    def get_module_map(self):
        from triton.language.extra.cuda import libdevice
        return {"triton.language.extra.libdevice": libdevice}

    def load_dialects(self, context) -> None:
        pass  # Triton's own are all that there is

    # ---- stages ----

    @staticmethod
    def make_ttir(module, metadata, options: Options):
        """The passes that Triton runs before anything is decided about a GPU."""
        manager = ir.pass_manager(module.context)
        manager.enable_debug()
        passes.common.add_inliner(manager)
        passes.ttir.add_rewrite_tensor_descriptor_to_pointer(manager)
        passes.common.add_canonicalizer(manager)
        passes.ttir.add_combine(manager)
        passes.ttir.add_reorder_broadcast(manager)
        passes.common.add_cse(manager)
        passes.common.add_symbol_dce(manager)
        passes.ttir.add_loop_unroll(manager)
        manager.run(module, "make_ttir")
        return module

    @staticmethod
    def make_binary(module, metadata, options: Options) -> bytes:
        """The text of the module, which a device reads when the kernel is first launched. It is read
        here, too, so that what Tile IR can't say is reported where others report it."""
        text = str(module)
        read = Module.of_ttir(text, "<ttir>")
        metadata["name"] = next(iter(read))
        # What scripts ask about a GPU's resources, and divide by.
        metadata["shared"] = 1
        metadata["tmem_size"] = None
        for kind in ("global", "profile"):
            metadata[kind + "_scratch_size"], metadata[kind + "_scratch_align"] = 0, 1
        return text.encode()

    def add_stages(self, stages: Dict[str, Any], options: Options, language: Language) -> None:
        if language != Language.TRITON:
            raise tessera.Unsupported("Gluon: its kernels say which thread holds what; Tessera takes "
                                      "Triton's")
        stages["ttir"] = lambda module, metadata: self.make_ttir(module, metadata, options)
        stages["tessera"] = lambda module, metadata: self.make_binary(module, metadata, options)


def _refuse_custom_types(*_args, **_named):
    raise tessera.Unsupported("fp8e4b15; Tile IR has fp8e4nv and fp8e5")
