# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tessera.triton.blas: the products that Triton's scripts ask NVIDIA's library for; its profiler."""
import os

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")

from tessera.triton.blas import CublasLt  # noqa: E402

BLAS = CublasLt(torch.empty(16, dtype=torch.uint8))
TYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float8_e4m3fn)


def numbers(*shape):
    return torch.randint(-4, 5, shape).float()


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_matmul(dtype):
    a, b, c = numbers(5, 12), numbers(7, 12), torch.empty(5, 7, dtype=dtype)
    BLAS.matmul(a.to(dtype), b.to(dtype), c)
    assert torch.equal(c.float(), (a @ b.T).to(dtype).float())


def test_matmul_of_fp8_ends_at_the_largest_number():
    a, c = torch.full((1, 32), 16.0).to(torch.float8_e4m3fn), torch.empty(1, 1, dtype=torch.float8_e4m3fn)
    BLAS.matmul(a, a, c)
    assert c.item() == 448


def test_gemm():
    a, b, c = numbers(5, 12).half(), numbers(7, 12).half(), numbers(5, 7).half()
    d = torch.empty_like(c)
    BLAS.gemm(a, b, c, d, 0.5, 2.0)
    assert torch.equal(d, (0.5 * (a.float() @ b.float().T) + 2 * c.float()).half())


def in_blocks(scales):
    """As the library wants them: 128 rows and 4 groups together, a row's 4 side by side, 32 rows apart."""
    rows, groups = scales.shape
    blocks = scales.reshape(rows // 128, 4, 32, groups // 4, 4)
    return blocks.permute(0, 3, 2, 1, 4).contiguous().flatten()


def test_mxfp8():
    a, b = numbers(128, 256), numbers(256, 256)
    exponents = torch.randint(122, 130, (128, 8)), torch.randint(122, 130, (256, 8))
    scales = [torch.exp2((e - 127).float()) for e in exponents]
    exact = (a * scales[0].repeat_interleave(32, 1)) @ (b * scales[1].repeat_interleave(32, 1)).T
    out = torch.empty(128, 256, dtype=torch.float16)
    BLAS.block_scaled_matmul_mxfp8(a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn), out,
                                   *[in_blocks(e.to(torch.uint8)) for e in exponents])
    torch.testing.assert_close(out.float(), exact, atol=1e-3, rtol=1e-3)


def test_nvfp4():
    values = torch.tensor([0, .5, 1, 1.5, 2, 3, 4, 6, -0.0, -.5, -1, -1.5, -2, -3, -4, -6])
    a, b = torch.randint(0, 16, (128, 64)), torch.randint(0, 16, (128, 64))
    scales = [torch.rand(128, 4).to(torch.float8_e4m3fn) for _ in range(2)]
    exact = (values[a] * scales[0].float().repeat_interleave(16, 1)) @ \
        (values[b] * scales[1].float().repeat_interleave(16, 1)).T
    out = torch.empty(128, 128, dtype=torch.float16)
    packed = [(x[:, ::2] | x[:, 1::2] << 4).to(torch.uint8) for x in (a, b)]
    BLAS.block_scaled_matmul_nvfp4(*packed, out, *[in_blocks(s) for s in scales])
    torch.testing.assert_close(out.float(), exact, atol=1e-3, rtol=1e-3)


def test_refuses_what_does_not_fit():
    a = torch.ones(4, 8, dtype=torch.float16)
    for b, c, message in ((a.float(), a, "types"), (a[:, :4], a[:, :4], "transposed"), (a, a, "transposed"),
                          (a.double(), a.double(), "types")):
        with pytest.raises(RuntimeError, match=message):
            BLAS.matmul(a, b, c)
    eight = torch.ones(4, 64).to(torch.float8_e4m3fn)
    with pytest.raises(RuntimeError, match="scales"):
        BLAS.block_scaled_matmul_mxfp8(eight, eight, torch.empty(4, 4, dtype=torch.float16),
                                       torch.ones(8, dtype=torch.uint8), torch.ones(8, dtype=torch.uint8))


@pytest.mark.skipif(os.environ.get("TESSERA_TORCH") != "host", reason="for scripts under `tessera exec`")
def test_is_what_scripts_get():
    from triton._C.libtriton import nvidia
    assert isinstance(nvidia.cublas.CublasLt(torch.empty(1)), CublasLt)


@pytest.mark.skipif(os.environ.get("TESSERA_TORCH") != "host", reason="for scripts under `tessera exec`")
def test_profiler_is_refused_by_name():
    import tessera
    proton = pytest.importorskip("triton.profiler")
    with pytest.raises(tessera.Unsupported, match="Proton"):
        proton.start("x", hook="triton")
