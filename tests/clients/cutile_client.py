# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The real cuTile as a client of the driver library and tileiras: `tessera exec -- python THIS`.

Needs cuda-tile and NumPy; what needs PyTorch is skipped without it, and says so.
"""
import ctypes
import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

import cuda.tile as ct

try:
    import torch
except ImportError:
    torch = None

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../data/cutile"))
from kernels import add, demand, scale, sum_list, talk, transpose, use_tuple, wide  # noqa: E402


@ct.kernel
def refused(x, out):
    whole = ct.load(x, index=(0,), shape=(16,)).astype(ct.uint32)
    ct.store(out, index=(0,), tile=(whole // 3).astype(ct.float32))  # of unsigned ones: see divi


class Interface:
    """A NumPy array that says it is CUDA's by __cuda_array_interface__."""

    def __init__(self, array):
        self.array = array
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3,
                                         "strides": array.strides}


class DLPack:
    """A NumPy array that says it is CUDA's by DLPack."""

    def __init__(self, array, device=2):
        self.array, self.device = array, device

    def __dlpack_device__(self):
        return (self.device, 0)

    def __dlpack__(self, stream=None, **_):
        capsule = self.array.__dlpack__()
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        ctypes.c_int32.from_address(pointer(capsule, b"dltensor") + 8).value = self.device
        return capsule


def vectors(n=1000, dtype=np.float32):
    a = np.arange(n).astype(dtype)
    return a, np.ones(n, dtype), np.zeros(n, dtype)


class Arrays(unittest.TestCase):
    def test_cuda_array_interface(self):
        a, b, c = vectors()
        ct.launch(0, (16,), add, (Interface(a), Interface(b), Interface(c), 64))
        np.testing.assert_array_equal(c, a + b)

    def test_dlpack(self):
        a, b, c = vectors()
        ct.launch(0, (16,), add, (DLPack(a), DLPack(b), DLPack(c), 64))
        np.testing.assert_array_equal(c, a + b)

    def test_element_types(self):
        for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint32, np.float16,
                      np.float64):
            a, b, c = vectors(100, dtype)
            ct.launch(0, (4,), add, (Interface(a), Interface(b), Interface(c), 32))
            np.testing.assert_array_equal(c, a + b, str(dtype))

    def test_strides(self):
        x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)[::2, 1:33]
        y = np.zeros((32, 32), np.float32)
        ct.launch(0, (2, 2), transpose, (Interface(x), Interface(y), 16, 16))
        np.testing.assert_array_equal(y, x.T)

    def test_host_claims_are_refused(self):
        a, b, c = vectors()
        with self.assertRaises((RuntimeError, TypeError, ValueError, BufferError)):
            ct.launch(0, (16,), add, (DLPack(a, device=1), DLPack(b), DLPack(c), 64))
        self.assertFalse(c.any())

    @unittest.skipIf(torch is None or os.environ.get("TESSERA_TORCH") != "host",
                     "PyTorch is not installed, or left alone")
    def test_torch(self):
        for dtype in (torch.float32, torch.bfloat16, torch.int64):
            a = torch.arange(100, device="cuda").to(dtype)
            c = torch.zeros_like(a)
            ct.launch(torch.cuda.current_stream(), (4,), add, (a, a, c, 32))
            torch.cuda.synchronize()
            self.assertTrue(torch.equal(c, a + a))
            self.assertTrue(c.is_cuda)


class Arguments(unittest.TestCase):
    def test_scalars(self):
        for factor, offset, flag in ((2.0, 3.0, False), (0.5, -1.0, True)):
            x = np.arange(100, dtype=np.float32)
            expected = x * np.float32(factor) + np.float32(offset)
            ct.launch(0, (4,), scale, (Interface(x), factor, offset, flag, 32))
            np.testing.assert_allclose(x, -expected if flag else expected, rtol=1e-6)

    def test_lists(self):
        for n in (1, 3, 7):
            arrays = [np.full(32, k + 1.0, np.float32) for k in range(n)]
            out = np.zeros(32, np.float32)
            ct.launch(0, (1,), sum_list, ([Interface(a) for a in arrays], Interface(out), 32))
            self.assertTrue((out == n * (n + 1) / 2).all(), out)

    def test_tuples(self):
        x, out = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
        ct.launch(0, (1,), use_tuple, ((Interface(x), 2.0), Interface(out), 32))
        np.testing.assert_array_equal(out, x + 2)

    def test_64_bits(self):
        x = np.zeros(1, np.int64)
        for n in (1 << 40, -(1 << 50), 7):
            ct.launch(0, (1,), wide, (Interface(x), n))
            self.assertEqual(x[0], n)

    def test_wrong_grids(self):
        a, b, c = vectors()
        for grid in ((1, 1 << 20), (1 << 25,)):
            with self.assertRaises(ValueError):
                ct.launch(0, grid, add, (Interface(a), Interface(b), Interface(c), 64))


class Threads(unittest.TestCase):
    def test_eight_threads(self):
        errors = []

        def work(seed):
            for k in range(10):
                a, b, c = vectors(512 + seed)
                ct.launch(0, (64,), add, (Interface(a), Interface(b), Interface(c), 2 << (k % 6)))
                n = min(c.size, 64 * (2 << (k % 6)))
                if not np.array_equal(c[:n], (a + b)[:n]):
                    errors.append((seed, k))
        threads = [threading.Thread(target=work, args=(s,)) for s in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(errors, [])


def run_self(*arguments):
    return subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True)


class Processes(unittest.TestCase):
    def test_print(self):
        done = run_self("--talk")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "value [7]\nend\n")

    def test_assert(self):
        done = run_self("--demand")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("must be positive", done.stdout)
        self.assertIn("device-side assert", done.stderr)

    def test_refused(self):
        """What tileiras says reaches the user, with the place."""
        done = run_self("--refused")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"cutile_client\.py:\d+:\d+: error: divi: rounding<negative_inf>")
        self.assertIn("tile=(whole // 3)", done.stderr)

    @unittest.skipIf(os.environ.get("TESSERA_SANITIZE") != "1", "needs tessera exec --sanitize")
    def test_negative_strides(self):
        """cuTile promises the compiler that there are none."""
        done = run_self("--backwards")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("assume", done.stderr)

    def test_cache_key(self):
        """What a build compiled is found again by that build only."""
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "CUDA_TILE_CACHE_DIR": folder}
            sizes = []
            for _ in range(2):
                subprocess.run([sys.executable, __file__, "--once"], check=True, env=env)
                with sqlite3.connect(os.path.join(folder, "cache.db")) as cache:
                    sizes.append(cache.execute("select count(*) from cache").fetchone()[0])
            self.assertEqual(sizes, [1, 1])
        version = subprocess.run(["tileiras", "--version"], capture_output=True, text=True).stdout
        self.assertRegex(version, "Build [0-9a-f]{40}")


def main(argument):
    if argument == "--talk":
        ct.launch(0, (1,), talk, (Interface(np.array([7], np.int32)),))
        print("end")
    elif argument == "--demand":
        for _ in range(2):  # the second finds the context lost, as on a GPU
            ct.launch(0, (1,), demand, (Interface(np.array([-1], np.int32)),))
    elif argument == "--refused":
        a, b, _ = vectors()
        ct.launch(0, (1,), refused, (Interface(a), Interface(b)))
    elif argument == "--backwards":
        a, b, c = vectors(64)
        for _ in range(2):
            ct.launch(0, (1,), add, (Interface(a[::-1]), Interface(b), Interface(c), 64))
    elif argument == "--once":
        a, b, c = vectors()
        ct.launch(0, (16,), add, (Interface(a), Interface(b), Interface(c), 64))


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1] in (
            "--talk", "--demand", "--once", "--refused", "--backwards"):
        main(sys.argv[1])
    else:
        unittest.main()
