# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tessera.triton.repeat: launches that repeat an earlier one find its kernel without Triton, and what
differs from them does not. Skipped where Triton is not installed."""
import os
import threading

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
triton = pytest.importorskip("triton", reason="Triton is not installed")
import triton.language as tl  # noqa: E402

if os.environ.get("TESSERA_TORCH") != "host":  # not under `tessera exec`
    import tessera.triton
    tessera.triton.install()

FACTOR = tl.constexpr(3)


@triton.jit
def scale_kernel(x, out, n, by: float, BLOCK: tl.constexpr, TYPE: tl.constexpr = tl.float32):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n).to(TYPE) * by
    tl.store(out + at, v, mask=at < n)


@triton.jit
def global_kernel(out):
    tl.store(out, FACTOR)


@pytest.fixture
def ways(monkeypatch):
    """How many launches went Triton's way, in a list of one."""
    from tessera.triton import repeat
    counted, run = [0], repeat._run

    def count(*args, **named):
        counted[0] += 1
        return run(*args, **named)

    monkeypatch.setattr(repeat, "_run", count)
    scale_kernel.device_caches.clear()
    vars(scale_kernel).pop(repeat._LAUNCH, None)
    return counted


def launch(x, out, n, by=2.0, grid=None, **named):
    return scale_kernel[grid or (triton.cdiv(n, 64),)](x, out, n, by, BLOCK=64, **named)


def expect(n, by=2.0, x=None, **named):
    x = torch.randn(n) if x is None else x
    out = torch.full((n + 1,), -1.0)
    launch(x, out, n, by, **named)
    assert torch.equal(out[:n], x[:n].float() * by) and out[n] == -1


def test_repeated_launches_do_not_ask_triton(ways):
    for by in (2.0, 3.0, 4.0, -1.0):
        expect(128, by)
    assert ways == [2]  # the first makes the launcher, the second finds the kernel


@pytest.mark.parametrize("named", [{}, {"num_warps": 8}, {"grid": lambda meta: (4096 // meta["BLOCK"],)},
                                   {"grid": [64, 1]}, {"grid": (64, 1, 1)}])
def test_each_kind_of_argument_has_its_kernel(ways, named):
    """Sizes that are 1 or multiples of 16, addresses that are not, types, constants."""
    for _ in range(3):
        for n in (1, 16, 128, 100, 17, 4096):
            expect(n, **named)
        for x in (torch.randn(200)[1:], torch.randn(200).half(), torch.arange(200, dtype=torch.int32)):
            expect(128, x=x, **named)
        expect(64, x=torch.nn.Parameter(torch.randn(64), requires_grad=False), **named)
        expect(100, x=torch.randn(100, dtype=torch.float64).round(), TYPE=tl.float64, **named)
    assert ways[0] <= 16


def test_kernels_differ_by_what_they_may_assume(ways):
    x, out = torch.randn(200), torch.zeros(200)
    for _ in range(3):
        aligned, odd = launch(x, out, 128), launch(x[1:], out, 128)
        other, one = launch(x, out, 100), launch(x, out, 1)
        assert len({id(k) for k in (aligned, odd, other, one)}) == 4
    assert ways == [5]


def test_results_are_those_of_the_constant(ways):
    x, out = torch.full((64,), 1 / 3), torch.zeros(64)
    for kind, expected in [(tl.float16, torch.float16), (tl.float32, torch.float32)] * 3:
        launch(x, out, 64, 1.0, TYPE=kind)
        assert torch.equal(out, x.to(expected).float())


def test_a_number_that_does_not_fit(ways):
    for by in (2.0, 1e39, 2.0, -1e39):
        out = torch.zeros(64)
        launch(torch.ones(64), out, 64, by)
        assert out[0] == (by if abs(by) < 1e38 else by * 10)


def test_no_blocks_and_the_compiled_kernel(ways):
    out = torch.zeros(64)
    kernels = [launch(torch.ones(64), out, 64) for _ in range(3)]
    assert kernels[0] is kernels[1] is kernels[2]
    out.zero_()
    assert launch(torch.ones(64), out, 64, grid=(0,)) is kernels[0]
    assert not out.any()


def test_what_asks_for_another_kernel_is_heard(ways):
    for _ in range(3):
        expect(128)
    for clear in (lambda: scale_kernel.device_caches.clear(), lambda: scale_kernel.device_caches[0][0].clear()):
        before = ways[0]
        clear()
        expect(128)
        assert ways[0] == before + 1
        for _ in range(2):
            expect(128)
        assert ways[0] == before + 1
    heard = []
    scale_kernel.add_pre_run_hook(lambda *args, **named: heard.append("run"))
    try:
        expect(128)
    finally:
        scale_kernel.pre_run_hooks.clear()
    enter = lambda metadata: heard.append("enter")  # noqa: E731
    triton.knobs.runtime.launch_enter_hook.add(enter)
    try:
        expect(128)
    finally:
        triton.knobs.runtime.launch_enter_hook.remove(enter)
    assert heard == ["run", "enter"]


def test_a_global_that_changes_is_told():
    global FACTOR
    out = torch.zeros(16)
    for _ in range(3):
        global_kernel[(1,)](out)
    assert out[0] == 3
    FACTOR = tl.constexpr(4)
    try:
        with pytest.raises(RuntimeError, match="FACTOR has changed"):
            global_kernel[(1,)](out)
    finally:
        FACTOR = tl.constexpr(3)


def test_threads_have_arguments_of_their_own(ways):
    wrong = []

    def work(by):
        x, out = torch.ones(64), torch.zeros(64)
        for _ in range(200):
            launch(x, out, 64, by)
            if out[0] != by:
                wrong.append((by, out[0].item()))

    threads = [threading.Thread(target=work, args=(float(i + 1),)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_cdiv_of_wrapped_numbers():
    assert triton.cdiv(10, 4) == 3
    assert triton.cdiv(tl.constexpr(10), 4) == 3
    assert triton.cdiv(x=10, y=4) == 3
