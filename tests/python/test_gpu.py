# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices with memory of their own: an emulated GPU, and "cuda:0" with the driver library that
executes PTX (libexec/tessera/compat)."""
import os

import numpy as np
import pytest

import tessera
from tessera import _native as native

COMPAT = os.path.join(os.path.dirname(os.path.realpath(native.library._name)), "..", "libexec",
                      "tessera", "compat", "libcuda.so.1")
os.environ.setdefault("TESSERA_CUDA_DRIVER", COMPAT)
os.environ.setdefault("TESSERA_CUDA_CAPABILITY", "9.0")


@pytest.fixture(params=["emu:sm_80", "cuda:0"])
def device(request):
    try:
        device = tessera.Device(request.param)
        tessera.load("kernels/saxpy.mlir").kernel("saxpy_f32", device)
    except tessera.TesseraError as error:
        if "compiler" in str(error):
            pytest.skip(str(error))
        raise
    return device


@pytest.fixture
def saxpy(device):
    return tessera.load("kernels/saxpy.mlir").kernel("saxpy_f32", device)


def test_saxpy(saxpy):
    x = np.arange(10000, dtype=np.float32)
    y = np.ones_like(x)
    for n in range(1, 3):
        saxpy[10](x, y, 2.0, x.size)
        np.testing.assert_array_equal(y, 1 + 2 * n * x)


def test_strided_arrays_are_refused(saxpy):
    x = np.arange(20, dtype=np.float32)
    with pytest.raises(ValueError, match="a strided array cannot be copied to the device"):
        saxpy[1](tessera.unchecked(x[::2]), x, 2.0, 10)


class OnGpu:
    """An array that says it is a GPU's; the driver library's memory is the host's."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **_):
        return self.array.__dlpack__()


def test_arrays_of_the_gpu():
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, dtype=np.float32)
    cpu = tessera.load("kernels/saxpy.mlir").kernel("saxpy_f32", tessera.Device("interp"))
    with pytest.raises(ValueError, match="the array lies on a cuda device"):
        cpu[1](OnGpu(x), y, 1.0, 100)
