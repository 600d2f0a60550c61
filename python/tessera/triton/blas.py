# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Triton's scripts reach cuBLAS by, `triton._C.libtriton.nvidia.cublas`, without a GPU: products of
PyTorch's tensors in host memory, summed in f32 or wider and rounded once."""
from __future__ import annotations

import torch

_TYPES = (torch.float8_e4m3fn, torch.float16, torch.float32, torch.bfloat16)
_E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # by the three bits below the sign


def _require(condition: bool, message: str, *values) -> None:
    if not condition:
        raise RuntimeError(message % values if values else message)


def _check(a, b, c) -> None:
    """That c has room for the product of a and the transposed b."""
    _require(a.dtype == b.dtype == c.dtype, "Data types do not match.")
    _require(a.dtype in _TYPES, "Unsupported data type.")
    _require(a.dim() == b.dim() == c.dim() == 2, "Only 2D matrices are supported.")
    _check_sizes(a, b, c)


def _check_sizes(a, b, c) -> None:
    _require(a.shape[1] == b.shape[1] and tuple(c.shape) == (a.shape[0], b.shape[0]),
             "Matrix dimensions do not match. A is %s, B is %s, C is %s. B needs to be transposed.",
             list(a.shape), list(b.shape), list(c.shape))


def _product(a, b):
    return torch.matmul(a, b.transpose(0, 1))


def _store(value, into) -> None:
    if into.dtype is torch.float8_e4m3fn:  # larger numbers become the largest
        value = value.clamp(-448.0, 448.0)
    into.copy_(value.to(into.dtype))


def _rows_of_scales(scales, rows: int, groups: int):
    """Scales in order, a row for each of the operand, of blocks of 128 rows and 4 groups."""
    _require(rows % 128 == 0 and groups % 4 == 0 and scales.numel() == rows * groups,
             "%d scales for %d rows of %d groups", scales.numel(), rows, groups)
    return scales.reshape(rows // 128, groups // 4, 32, 4, 4).permute(0, 3, 2, 1, 4).reshape(rows, groups)


def _scaled(values, scales, group: int):
    rows, columns = values.shape
    scales = _rows_of_scales(scales, rows, columns // group)
    return (values.reshape(rows, -1, group) * scales[:, :, None]).reshape(rows, columns)


def _powers_of_two(bytes_):
    bits = bytes_.view(torch.uint8).to(torch.int32)
    return torch.where(bits == 255, float("nan"), torch.exp2((bits - 127).double()).float())


def _unpacked(pairs):
    """Numbers of four bits, the lower half of each byte first."""
    bits = torch.stack((pairs & 15, pairs >> 4), dim=2).reshape(pairs.shape[0], -1).to(torch.int64)
    magnitudes = torch.tensor(_E2M1)[bits & 7]
    return torch.where(bits > 7, -magnitudes, magnitudes)


class CublasLt:
    def __init__(self, workspace) -> None:
        pass  # the CPU needs none

    def matmul(self, a, b, c) -> None:
        """c = a b', of four types."""
        _check(a, b, c)
        _store(_product(a.float(), b.float()), c)

    def gemm(self, a, b, c, d, alpha: float, beta: float) -> None:
        """d = alpha a b' + beta c."""
        _check(a, b, d)
        _require(c.dtype is torch.float16, "C dtype must be float16, got %s", c.dtype)
        _require(c.shape == d.shape, "C and D shapes must match")
        _store(alpha * _product(a.float(), b.float()) + beta * c.float(), d)

    def block_scaled_matmul_mxfp8(self, a, b, output, scale_a, scale_b) -> None:
        _require(a.dtype == b.dtype == torch.float8_e4m3fn,
                 "block_scaled_matmul_mxfp8 only supports float8_e4m3fn inputs (MXFP8)")
        self._scaled_product(a.float(), b.float(), output, _powers_of_two(scale_a), _powers_of_two(scale_b),
                             32)

    def block_scaled_matmul_nvfp4(self, a, b, output, scale_a, scale_b) -> None:
        _require(a.dtype == b.dtype == torch.uint8,
                 "block_scaled_matmul_nvfp4 only supports uint8 packed FP4 inputs (NVFP4), got A=%s, B=%s",
                 a.dtype, b.dtype)
        self._scaled_product(_unpacked(a), _unpacked(b), output, scale_a.float(), scale_b.float(), 16)

    @staticmethod
    def _scaled_product(a, b, output, scale_a, scale_b, group: int) -> None:
        _require(output.dtype is torch.float16, "the output must be float16, got %s", output.dtype)
        _check_sizes(a, b, output)
        _store(_product(_scaled(a, scale_a, group), _scaled(b, scale_b, group)), output)
