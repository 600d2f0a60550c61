# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler for Inductor's target."""
from .. import compiler as tessera_compiler


class CpuBackend(tessera_compiler.TesseraBackend):
    name = "cpu"
