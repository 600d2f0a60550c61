# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tilus' own way: its CUDA C++, compiled by nvcc, through TVM-FFI. Run by tilus_nvcc.test."""
import torch
import tilus
from tilus import float16, float32, int32
from tilus.utils import cdiv


class Add(tilus.Script):
    def __call__(self, n: int32, a_ptr: ~float32, b_ptr: ~float32, c_ptr: ~float32):
        self.attrs.blocks = cdiv(n, 256)
        self.attrs.warps = 2
        at: int32 = 256 * self.blockIdx.x
        ga = self.global_view(a_ptr, dtype=float32, shape=[n])
        gb = self.global_view(b_ptr, dtype=float32, shape=[n])
        gc = self.global_view(c_ptr, dtype=float32, shape=[n])
        a = self.load_global(ga, offsets=[at], shape=[256])
        b = self.load_global(gb, offsets=[at], shape=[256])
        self.store_global(gc, a + b, offsets=[at])


class Matmul(tilus.Script):
    def __call__(self, m: int32, n: int, k: int, a_ptr: ~float16, b_ptr: ~float16, c_ptr: ~float16):
        self.attrs.blocks = [cdiv(m, 32), cdiv(n, 32)]
        self.attrs.warps = 1
        i: int32 = 32 * self.blockIdx.x
        j: int32 = 32 * self.blockIdx.y
        ga = self.global_view(a_ptr, dtype=float16, shape=[m, k])
        gb = self.global_view(b_ptr, dtype=float16, shape=[k, n])
        gc = self.global_view(c_ptr, dtype=float16, shape=[m, n])
        acc = self.register_tensor(dtype=float32, shape=[32, 32], init=0.0)
        for step in range(cdiv(k, 16)):
            a = self.load_global(ga, offsets=[i, step * 16], shape=[32, 16])
            b = self.load_global(gb, offsets=[step * 16, j], shape=[16, 32])
            self.dot(a, b, acc, out=acc)
        self.store_global(gc, self.cast(acc, dtype=float16), offsets=[i, j])


class Softmax(tilus.Script):
    def __call__(self, m: int, n: int, x_ptr: ~float16, y_ptr: ~float16):
        self.attrs.blocks = cdiv(m, 4)
        self.attrs.warps = 4
        gx = self.global_view(x_ptr, dtype=float16, shape=[m, n])
        gy = self.global_view(y_ptr, dtype=float16, shape=[m, n])
        x = self.load_global(gx, offsets=[self.blockIdx.x * 4, 0], shape=[4, 128]).to(float32)
        e = self.exp(x - self.max(x, dim=1, keepdim=True))
        y = e / self.sum(e, dim=1, keepdim=True)
        self.store_global(gy, y.to(float16), offsets=[self.blockIdx.x * 4, 0])


def main():
    torch.manual_seed(0)
    a, b, c = torch.rand(1000), torch.rand(1000), torch.empty(1000)
    Add()(1000, a, b, c)
    torch.testing.assert_close(c, a + b)
    x = torch.rand(40, 48, device="cuda").half() - 0.5
    y = torch.rand(48, 64, device="cuda").half() - 0.5
    z = torch.empty(40, 64, dtype=torch.float16, device="cuda")
    Matmul()(40, 64, 48, x, y, z)
    torch.testing.assert_close(z, x @ y, atol=1e-2, rtol=1e-2)
    x = torch.rand(6, 128, device="cuda").half()
    y = torch.empty_like(x)
    Softmax()(6, 128, x, y)
    torch.testing.assert_close(y, torch.softmax(x.float(), 1).half(), atol=1e-4, rtol=1e-2)
    print("add, matmul, softmax: right")


main()
