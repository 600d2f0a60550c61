# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The real Tilus under `tessera exec -- python THIS`: scripts call their kernels themselves."""
import os
import sys
import unittest

import torch

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/tilus"))
import scripts  # noqa: E402


class Scripts(unittest.TestCase):
    def test_add_one(self):
        script = scripts.AddOne(64)
        for n in (1, 100, 128):
            a = torch.arange(n, dtype=torch.float32, device="cuda")
            b = torch.empty_like(a)
            script(n, a, b)
            torch.cuda.synchronize()
            self.assertTrue(torch.equal(b, a + 1))

    def test_products(self):
        m, n, k = 100, 128, 96
        a = torch.randn(m, k, dtype=torch.float16, device="cuda")
        b = torch.randn(k, n, dtype=torch.float16, device="cuda")
        c = torch.empty(m, n, dtype=torch.float16, device="cuda")
        scripts.Product()(m, n, k, a, b, c)
        torch.testing.assert_close(c, a @ b, rtol=1e-2, atol=1e-2)
        wide = torch.empty(m, n, dtype=torch.float32, device="cuda")
        staged = scripts.Stages()
        for parts in (1, 3, 1):
            staged(m, n, k, parts, a, b, wide)
            torch.testing.assert_close(wide, a.float() @ b.float(), rtol=1e-3, atol=1e-3)

    def test_rows(self):
        x = torch.randn(5, 150, device="cuda")
        y, above = torch.empty_like(x), torch.empty(5, dtype=torch.int32, device="cuda")
        scripts.Rows()(5, 150, x, y, above)
        torch.testing.assert_close(y, torch.softmax(x, dim=1))
        self.assertTrue(torch.equal(above, (x > x.mean(1, keepdim=True)).sum(1).int()))

    def test_schedules(self):
        """Which Tilus builds in processes of their own."""
        x = torch.arange(1000, dtype=torch.float32, device="cuda")
        y = torch.empty_like(x)
        tuned = scripts.Tuned()
        for _ in range(2):
            y.zero_()
            tuned(1000, x, y)
            self.assertTrue(torch.equal(y, 2 * x))

    def test_arguments_that_are_refused(self):
        script, a = scripts.AddOne(), torch.zeros(100, dtype=torch.float64, device="cuda")
        b = torch.zeros(200, device="cuda")
        with self.assertRaisesRegex(TypeError, "expected an array of float32, found one of float64"):
            script(100, a, b)
        with self.assertRaisesRegex(ValueError, "the array is not contiguous"):
            script(100, b[::2], b)
        self.assertFalse(b.any())

    def test_addresses(self):
        """Which scripts hand kernels, on devices with memory of their own, too."""
        base = torch.zeros(256, device="cuda")
        a, b = base[:100], base[100:200]
        a.copy_(torch.arange(100, dtype=torch.float32))
        scripts.AddOne()(100, a.data_ptr(), b.data_ptr())
        torch.cuda.synchronize()
        self.assertTrue(torch.equal(b, a + 1))
        self.assertFalse(base[200:].any())

    def test_what_is_missing_is_named(self):
        with self.assertRaisesRegex(RuntimeError, r"scripts.py:\d+: a group of the threads 0 to 16"):
            scripts.Group()(torch.zeros(1, device="cuda"))


if __name__ == "__main__":
    if "--race" in sys.argv:
        x = torch.ones(32, 32, device="cuda")
        scripts.Race()(x, torch.empty_like(x))
    else:
        unittest.main()
