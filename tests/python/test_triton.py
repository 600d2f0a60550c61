# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tessera.triton and Module.of_ttir: kernels of Triton on tensors in host memory. What needs Triton
is skipped where it is not installed; tests/ttir has programs that it made."""
import os

import pytest

import tessera

try:
    import torch
    import triton
    import triton.language as tl
except ImportError:
    triton = None

needs_triton = pytest.mark.skipif(triton is None, reason="Triton is not installed")

SCALE = """
module {
  tt.func public @scale(%x: !tt.ptr<f32> loc("scale.py":1:1), %n: f32) {
    %v = tt.load %x : !tt.ptr<f32> loc("scale.py":2:9)
    %w = arith.mulf %v, %n : f32
    tt.store %x, %w : !tt.ptr<f32>
    tt.return
  }
}
"""


def test_module_of_ttir():
    np = pytest.importorskip("numpy")
    module = tessera.Module.of_ttir(SCALE)
    assert list(module) == ["scale"]
    x = np.array([3], np.float32)
    module["scale"][1](x, 2.5)
    assert x[0] == 7.5


def test_refusal_has_the_python_line():
    text = SCALE.replace("tt.load %x :", "tt.elementwise_inline_asm \"nop;\" {pure = true} %n : f32 ->") \
                .replace("f32 -> !tt.ptr<f32> loc", "f32 -> f32 loc")
    with pytest.raises(tessera.InputError, match="scale.py:2:9: error: inline assembly"):
        tessera.Module.of_ttir(text)


if triton is not None:
    if os.environ.get("TESSERA_TORCH") != "host":  # not under `tessera exec`
        import tessera.triton
        tessera.triton.install()

    @triton.jit
    def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < n
        tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)

    @triton.jit
    def softmax_kernel(out, x, stride, rows, columns, BLOCK: tl.constexpr):
        for row in tl.range(tl.program_id(0), rows, tl.num_programs(0)):
            at = tl.arange(0, BLOCK)
            v = tl.load(x + row * stride + at, mask=at < columns, other=-float("inf"))
            e = tl.exp(v - tl.max(v, axis=0))
            tl.store(out + row * stride + at, e / tl.sum(e, axis=0), mask=at < columns)

    @triton.autotune([triton.Config({"BLOCK": 16}), triton.Config({"BLOCK": 32}, num_warps=8)],
                     key=["n"])
    @triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
    @triton.jit
    def matmul_kernel(a, b, c, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        k = tl.arange(0, BLOCK)
        sums = tl.zeros((BLOCK, BLOCK), tl.float32)
        for start in range(0, n, BLOCK):
            if EVEN:
                x = tl.load(a + i[:, None] * n + start + k[None, :])
                y = tl.load(b + (start + k)[:, None] * n + j[None, :])
            else:
                inside = start + k < n
                x = tl.load(a + i[:, None] * n + start + k[None, :],
                            mask=(i[:, None] < n) & inside[None, :], other=0)
                y = tl.load(b + (start + k)[:, None] * n + j[None, :],
                            mask=inside[:, None] & (j[None, :] < n), other=0)
            sums = tl.dot(x, y, sums, input_precision="ieee")
        tl.store(c + i[:, None] * n + j[None, :], sums,
                 mask=(i[:, None] < n) & (j[None, :] < n))

    @triton.jit
    def early_kernel(x, n, limit):
        if tl.program_id(0) >= limit:
            return
        tl.atomic_add(x, n)

    @triton.jit
    def descriptor_kernel(source, target, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
        row = tl.program_id(0) * ROWS
        target.store([row, 0], source.load([row, 0]) * 2)

    @triton.jit
    def scalars_kernel(out, wide, negative, real, flag, unsigned: "u8", half: "fp16", double: "fp64"):
        tl.store(out, wide.to(tl.float64))
        tl.store(out + 1, negative)
        tl.store(out + 2, real)
        tl.store(out + 3, flag.to(tl.int32))
        tl.store(out + 4, unsigned)
        tl.store(out + 5, half)
        tl.store(out + 6, double)

    @triton.jit
    def tuple_kernel(pair, out, FACTOR: tl.constexpr):
        tl.store(out, (tl.load(pair[0]) + pair[1]) * FACTOR)


@pytest.fixture(params=["cpu", "interp", "emu:sm_80"])
def device(request, monkeypatch):
    from tessera.triton import driver
    monkeypatch.setenv("TESSERA_DEVICE", request.param)
    driver._device.cache_clear()
    if triton is not None:
        for kernel in (add_kernel, softmax_kernel, early_kernel, scalars_kernel):
            kernel.device_caches.clear()
    yield request.param
    driver._device.cache_clear()


@needs_triton
def test_add(device):
    x, y = torch.randn(1000), torch.randn(1000)
    out = torch.empty(1000)
    add_kernel[(triton.cdiv(1000, 128),)](x, y, out, 1000, BLOCK=128)
    assert torch.equal(out, x + y)


@needs_triton
def test_views_reach_the_end_of_their_memory(device):
    """A pointer into the middle of a tensor, and narrow numbers."""
    x = torch.arange(300, dtype=torch.int16)
    out = torch.zeros(300, dtype=torch.int16)
    add_kernel[(2,)](x[100:], x[50:], out[100:], 200, BLOCK=128)
    assert torch.equal(out[100:], x[100:] + x[50:250])
    assert not out[:100].any()


@needs_triton
def test_softmax(device):
    x = torch.randn(23, 50)
    out = torch.empty_like(x)
    softmax_kernel[(4,)](out, x, x.stride(0), 23, 50, BLOCK=64)
    torch.testing.assert_close(out, torch.softmax(x, 1))


@needs_triton
def test_early_return_and_atomics(device):
    x = torch.zeros(1, dtype=torch.int32)
    early_kernel[(10,)](x, 3, 7)
    assert x.item() == 21


@needs_triton
@pytest.mark.parametrize("n", [64, 50])
def test_autotuned_matmul(n):
    a, b = torch.randn(n, n), torch.randn(n, n)
    c = torch.empty(n, n)
    matmul_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),) * 2](a, b, c, n)
    torch.testing.assert_close(c, (a.double() @ b.double()).float(), rtol=1e-4, atol=1e-4)


@needs_triton
def test_descriptors_of_the_host():
    from triton.tools.tensor_descriptor import TensorDescriptor
    x = torch.randn(16, 8)
    out = torch.zeros(16, 8)
    source, target = (TensorDescriptor.from_tensor(t, [4, 8]) for t in (x, out))
    descriptor_kernel[(3,)](source, target, ROWS=4, COLUMNS=8)
    assert torch.equal(out[:12], 2 * x[:12])
    assert not out[12:].any()


@needs_triton
def test_tuples_and_constants():
    x, out = torch.tensor([2.0]), torch.zeros(1)
    tuple_kernel[(1,)]((x, 3.5), out, FACTOR=4)
    assert out.item() == 22


@needs_triton
@pytest.mark.parametrize("real, expected", [(0.1, 0.10000000149011612), (1e39, float("inf"))])
def test_numbers_as_arguments(device, real, expected):
    """Every kind of scalar; a float that is too large for f32 is infinite."""
    out = torch.zeros(7, dtype=torch.float64)
    scalars_kernel[(1,)](out, 1 << 40, -3, real, True, 300, 0.1, 0.1)
    assert out.tolist() == [1 << 40, -3, expected, 1, 44, 0.0999755859375, 0.1]


@needs_triton
def test_no_blocks():
    x = torch.zeros(1, dtype=torch.int32)
    early_kernel[(0,)](x, 3, 7)
    assert x.item() == 0


@needs_triton
def test_bench():
    x = torch.randn(1000)
    out = torch.empty(1000)
    ms = triton.testing.do_bench(lambda: add_kernel[(8,)](x, x, out, 1000, BLOCK=128), warmup=1, rep=2)
    assert ms > 0


@needs_triton
def test_compiled_kernel_is_shown():
    x = torch.randn(128)
    out = torch.empty(128)
    compiled = add_kernel[(1,)](x, x, out, 128, BLOCK=128)
    assert "tt.load" in compiled.asm["ttir"]
    assert compiled.metadata.name == "add_kernel"
    assert compiled.n_regs > 0


@needs_triton
def test_errors_of_tile_ir():
    @triton.jit
    def assembly(out):
        at = tl.arange(0, 16)
        tl.store(out + at, tl.inline_asm_elementwise("nop;", "=r,r", [at], tl.int32, True, 1))

    with pytest.raises(tessera.InputError, match=r"test_triton.py:\d+:\d+: error: inline assembly"):
        assembly[(1,)](torch.zeros(16, dtype=torch.int32))


@needs_triton
def test_gluon_is_refused():
    """Its kernels say which thread holds what."""
    from triton.experimental import gluon
    from triton.experimental.gluon import language as gl

    @gluon.jit
    def fill(out, N: gl.constexpr):
        layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
        gl.store(out + gl.arange(0, N, layout), 1)

    with pytest.raises(tessera.Unsupported, match="Gluon"):
        fill[(1,)](torch.zeros(128), N=128)


@needs_triton
def test_narrow_types_are_rounded_once():
    """What scripts compare kernels with, under `tessera exec`: as exact as a GPU's libraries."""
    if not torch.zeros(1).is_cuda:
        pytest.skip("not under tessera exec")
    logits = (4 * torch.randn(6, 500)).bfloat16()
    targets = torch.arange(6)
    for function in (lambda x: torch.nn.functional.cross_entropy(x, targets, reduction="sum"),
                     lambda x: torch.softmax(x, -1)[:, 0].sum(),
                     lambda x: x.log_softmax(-1)[:, 0].sum()):
        narrow, wide = logits.clone().requires_grad_(), logits.double().requires_grad_()
        for x in (narrow, wide):
            function(x).backward()
        torch.testing.assert_close(narrow.grad.double(), wide.grad, rtol=2 ** -8, atol=1e-30)
    assert torch.softmax(logits, -1, dtype=torch.float32).dtype is torch.float32


@needs_triton
def test_operators_for_cuda():
    """What a program registers for CUDA is called for tensors on "cuda"."""
    if not torch.zeros(1).is_cuda:
        pytest.skip("not under tessera exec")

    @torch.library.custom_op("tessera_test::twice", mutates_args=(), device_types="cuda")
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x + x

    library = torch.library.Library("tessera_test", "FRAGMENT")
    library.define("thrice(Tensor x) -> Tensor")
    library.impl("thrice", lambda x: x + x + x, "CUDA")
    x = torch.ones(3, device="cuda")
    assert twice(x).sum() == 6
    assert torch.ops.tessera_test.thrice(x).sum() == 9


@needs_triton
def test_autotune_has_records(tmp_path, monkeypatch):
    """What was measured once is not measured again, by another tuner of the same kernel."""
    monkeypatch.setenv("TESSERA_TUNING", str(tmp_path / "tuning.sqlite"))
    measured = []

    def bench(call, quantiles):
        call()
        measured.append(call)
        return [len(measured), len(measured) - .1, len(measured) + .1]

    def tuned(sizes):
        return triton.autotune([triton.Config({"BLOCK": b}) for b in sizes], key=["n"],
                               do_bench=bench)(add_kernel)

    x = torch.randn(1000)
    out = torch.empty(1000)

    def run(kernel, n):
        out.zero_()
        kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, x, out, n)
        torch.testing.assert_close(out[:n], 2 * x[:n])
        return kernel.best_config.kwargs["BLOCK"]

    assert run(tuned([64, 128]), 1000) == 64 and len(measured) == 2
    assert run(tuned([64, 128]), 1000) == 64 and len(measured) == 2
    assert run(tuned([64, 128]), 900) == 64 and len(measured) == 4  # another key
    assert run(tuned([128, 64, 32]), 1000) == 128 and len(measured) == 7  # other configurations
    monkeypatch.setenv("TESSERA_TUNING", "off")
    assert run(tuned([64, 128]), 1000) == 64 and len(measured) == 9


@needs_triton
@pytest.mark.parametrize("key", [["n"], []])
def test_autotune_measures_what_is_alike_once(monkeypatch, key):
    """Warps and stages say nothing to Tessera."""
    monkeypatch.setenv("TESSERA_TUNING", "off")
    measured = []

    def bench(call, quantiles):
        call()
        measured.append(call)
        return [len(measured), len(measured) - .1, len(measured) + .1]

    configs = [triton.Config({"BLOCK": b}, num_warps=w, num_stages=s)
               for w in (4, 8) for s in (1, 3) for b in (64, 128)]
    kernel = triton.autotune(configs, key=key, do_bench=bench)(add_kernel)
    x, out = torch.randn(1000), torch.empty(1000)
    kernel[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, x, out, 1000)
    torch.testing.assert_close(out, 2 * x)
    assert len(measured) == 2 and kernel.best_config is configs[0]
    assert len(kernel.configs_timings) == 8
    assert {t[0] for c, t in kernel.configs_timings.items() if c.kwargs["BLOCK"] == 128} == {2}


@pytest.fixture
def inductor(tmp_path, monkeypatch):
    """Inductor that makes kernels of Triton: `tessera exec` asks for them, elsewhere a program does."""
    from torch._inductor import config

    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    before = triton.runtime.driver.active
    choice = {} if torch.zeros(1).is_cuda else {"cpu_backend": "triton"}
    with config.patch(compile_threads=1, **choice):
        yield
    triton.runtime.driver.set_active(before)


@needs_triton
def test_inductor(inductor):
    from torch._inductor.utils import run_and_get_code

    x = torch.randn(30, 100)
    got, code = run_and_get_code(torch.compile(lambda x: torch.softmax(x * 2 + 1, -1)), x)
    assert "async_compile.triton" in code[0]
    torch.testing.assert_close(got, torch.softmax(x * 2 + 1, -1))


@needs_triton
def test_inductor_trains(inductor):
    """Backwards, too, with tensors on the device that the program asks for."""
    device = "cuda" if torch.zeros(1).is_cuda else "cpu"
    x = torch.randn(8, 20, device=device)
    model = torch.nn.Sequential(torch.nn.Linear(20, 12), torch.nn.GELU(),
                                torch.nn.LayerNorm(12)).to(device)
    grads = []
    for run in (model, torch.compile(model)):
        model.zero_grad()
        run(x).square().sum().backward()
        grads.append([p.grad.clone() for p in model.parameters()])
    for expected, got in zip(*grads):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
