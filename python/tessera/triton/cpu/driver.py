# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The driver for Inductor's target."""
from triton.backends.compiler import GPUTarget

from .. import driver as tessera_driver


class CpuDriver(tessera_driver.TesseraDriver):
    @staticmethod
    def is_active() -> bool:
        return False  # Inductor sets it by name

    def get_current_target(self) -> GPUTarget:
        return GPUTarget("cpu", "", 32)
