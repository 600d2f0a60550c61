# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices with memory of their own: an emulated GPU, "cuda:0" with the driver library that executes
PTX, and "hip:0" with the HIP that executes code objects (libexec/tessera/compat)."""
import ctypes
import os

import numpy as np
import pytest

import tessera
from tessera import _native as native

COMPAT = os.path.join(os.path.dirname(os.path.realpath(native.library._name)), "..", "libexec",
                      "tessera", "compat")
os.environ.setdefault("TESSERA_CUDA_DRIVER", os.path.join(COMPAT, "libcuda.so.1"))
os.environ.setdefault("TESSERA_HIP_LIBRARY", os.path.join(COMPAT, "libamdhip64.so.6"))
os.environ.setdefault("TESSERA_CUDA_CAPABILITY", "9.0")


@pytest.fixture(params=["emu:sm_80", "cuda:0", "emu:gfx942", "hip:0"])
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
    """An array that says it is a GPU's; the memory of the stand-ins' cards is the host's."""

    def __init__(self, array, kind=2):
        self.array, self.kind = array, kind

    def __dlpack_device__(self):
        return self.kind, 0

    def __dlpack__(self, **_):
        return self.array.__dlpack__()


def test_arrays_of_the_gpu():
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, dtype=np.float32)
    cpu = tessera.load("kernels/saxpy.mlir").kernel("saxpy_f32", tessera.Device("interp"))
    with pytest.raises(ValueError, match="the array lies on a cuda device"):
        cpu[1](OnGpu(x), y, 1.0, 100)


def test_arrays_of_the_gpu_are_taken_as_they_are():
    """Memory of HIP's, which DLPack calls ROCm."""
    saxpy = tessera.load("kernels/saxpy.mlir").kernel("saxpy_f32", tessera.Device("hip:0"))
    hip = ctypes.CDLL(os.environ["TESSERA_HIP_LIBRARY"])
    arrays, addresses = [], []
    for values in (np.arange(100, dtype=np.float32), np.ones(100, dtype=np.float32)):
        address = ctypes.c_void_p()
        assert hip.hipMalloc(ctypes.byref(address), ctypes.c_size_t(400)) == 0
        array = np.frombuffer((ctypes.c_char * 400).from_address(address.value), np.float32)
        array[:] = values
        arrays.append(OnGpu(array, 10))
        addresses.append(address)
    saxpy[1](*arrays, 2.0, 100)
    np.testing.assert_array_equal(arrays[1].array, 1 + 2 * np.arange(100))
    with pytest.raises(ValueError, match="the array lies on a cuda device"):
        saxpy[1](OnGpu(arrays[0].array), arrays[1], 2.0, 100)
    for address in addresses:
        assert hip.hipFree(address) == 0
