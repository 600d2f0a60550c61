# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels written in Python: launching, caching, constants, tools around a launch."""
import array
import concurrent.futures
import multiprocessing
import pickle
import re

import numpy as np
import pytest

import tessera
import tessera.lang as tl
import tessera.testing


@tessera.kernel
def scale(x, y, factor=2.0, *, BLOCK=64):
    i = tl.program_id(0)
    tl.store(y, i, tl.load(x, i, BLOCK) * factor)


def arrays(n=100):
    return np.arange(n, dtype=np.float32), np.zeros(n, np.float32)


# ---- grids and arguments ------------------------------------------------------------------------


@pytest.mark.parametrize("grid", [2, (2,), (2, 1), lambda a: tl.cdiv(a["x"].size, a["BLOCK"]),
                                  lambda a: [2, 1, 1]])
def test_grids(grid):
    x, y = arrays()
    scale[grid](x, y, factor=3)
    np.testing.assert_array_equal(y, 3 * x)


def test_no_grid():
    with pytest.raises(TypeError, match=r"choose a grid: scale\[grid\]"):
        scale(*arrays())


@tessera.kernel
def annotated(x: np.ndarray, n: tl.int64, FLAG: tessera.constant, OTHER: "tessera.constant[int]" = 2):
    tl.static_assert(n.dtype is tl.int64 and FLAG == (1, "a") and OTHER == 2)
    x[0] = n


def test_constants():
    x = np.zeros(1, np.int64)
    annotated[1](x, 7, (1, "a"))
    annotated[1](x, np.int32(7), FLAG=(1, "a"))
    assert x[0] == 7
    with pytest.raises(tessera.KernelError):
        annotated[1](x, 7, (2, "a"))


@tessera.kernel
def types_of(out, a, b, c, d):
    for k, kind in enumerate((tl.bool_, tl.int32, tl.int64, tl.float32, tl.float64, tl.uint8)):
        for i, value in enumerate((a, b, c, d)):
            if value is not None and value.dtype is kind:
                out[i] = k


def test_types_of_numbers():
    out = np.zeros(4, np.int32)
    types_of[1](out, True, 5, 1 << 40, 0.5)
    assert list(out) == [0, 1, 2, 3]
    out[:] = -1
    types_of[1](out, np.float64(1), np.uint8(1), np.bool_(1), None)
    assert list(out) == [4, 5, 0, -1]


class OnlyDlpack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_kinds_of_arrays():
    x, y = arrays()
    scale[2](OnlyDlpack(x), memoryview(y))
    np.testing.assert_array_equal(y, 2 * x)
    a = array.array("f", [0] * 100)
    scale[2](x, a)
    np.testing.assert_array_equal(a, 2 * x)


def test_torch():
    torch = pytest.importorskip("torch")
    x, y = torch.arange(100.0), torch.zeros(100)
    scale[2](x, y)
    assert torch.equal(y, 2 * x)
    half, out = x.bfloat16()[::2], torch.zeros(50, dtype=torch.bfloat16)
    scale[1](half, out)
    assert torch.equal(out, 2 * half)


def test_wrong_arguments():
    x, y = arrays()
    for call, message in [
            (lambda: scale[2](x), r"scale\(x, y, factor=2.0, \*, BLOCK=64\): missing a required"),
            (lambda: scale[2](x, y, WIDTH=3), "unexpected keyword argument 'WIDTH'"),
            (lambda: scale[2](x, "y"), "argument y: expected an array or a number, found str; "
                                       "annotate the parameter with tessera.constant"),
            (lambda: scale[2](x, y, BLOCK={}), "the constant BLOCK can't be hashed, found 'dict'"),
            (lambda: scale[2](x.astype(complex), y), "argument x: elements of type complex128"),
            (lambda: scale[2](x[::-1], y), "negative stride"),
            (lambda: scale[0](x, y), "grid extent 0"),
            (lambda: scale["a"](x, y), "a grid is made of whole numbers")]:
        with pytest.raises((TypeError, ValueError), match=message):
            call()
    y.flags.writeable = False
    with pytest.raises(ValueError, match="writes to the array y, which is read-only"):
        scale[2](x, y)
    with pytest.raises(TypeError, match="no parameters with"):
        tessera.kernel(lambda *args: None)


# ---- caching ------------------------------------------------------------------------------------


def test_compiled_once():
    x, y = arrays()
    kernel = tessera.kernel(scale.python_function)
    assert kernel.compile(x, y) is kernel.compile(x + 1, y[:50].copy(), 5.0)
    for other in (lambda: kernel.compile(x, y, BLOCK=32), lambda: kernel.compile(x, y, 2),
                  lambda: kernel.compile(x[::2], y), lambda: kernel.compile(x.astype("f8"), y),
                  lambda: kernel.compile(x, x)):
        assert other() is not kernel.compile(x, y)
        assert other() is other()
    assert kernel.on("interp").compile(x, y) is kernel.on("interp").compile(x, y)
    assert kernel.on("interp").compile(x, y) is not kernel.compile(x, y)


@tessera.kernel
def add_into(x, y, n, *, BLOCK=64):
    tl.store(y, 0, tl.load(y, 0, BLOCK) + tl.load(x, 0, BLOCK) * n)


def test_launches_that_are_alike():
    """The second launch with such arguments takes a short way: other addresses, other numbers."""
    for dtype in (np.float32, np.int32):
        for n in (2, -3, 1 << 20):
            x, y = np.arange(64, dtype=dtype), np.ones(64, dtype)
            add_into[1](x, y, n)
            np.testing.assert_array_equal(y, 1 + x * dtype(n))
            add_into[1](x=x, n=n, y=y)
            np.testing.assert_array_equal(y, 1 + x * dtype(2 * n))
    add_into[1](x, np.ones(64, np.int64), 1 << 40)
    assert len(add_into._repeats.kept) == 5


def test_memory_that_is_shared_now():
    """Arrays that overlap are not taken for ones that did not, though all else is alike."""
    memory, device = np.zeros(96, np.float32), tessera.default_device()
    kernel = tessera.kernel(add_into.python_function)
    for x, y, is_shared, is_short in [
            (memory[:48], memory[48:], False, True), (memory[:48], memory[16:64], True, False),
            (memory[:48], memory[:48], True, True), (memory[48:], memory[:48], False, True)]:
        kernel[1](x, y, 1)
        bound = kernel._bound((x, y, 1), {}, device)
        assert (bound.groups["x"] == bound.groups["y"]) == is_shared
        kept = kernel._repeats.find(kernel._repeats.like(device, (x, y, 1), {}))
        assert (kept is not None) == is_short
        assert not is_short or kept.compiled.kernel is kernel._compiled_for(bound, device).kernel


def test_emit():
    x, y = arrays()
    fresh = tessera.kernel(scale.python_function)
    with pytest.raises(TypeError, match="has not been launched yet"):
        fresh.emit("ptx", target="sm_80")
    ptx = fresh.emit("ptx", x, y, target="sm_90a").decode()
    assert ".target sm_90a" in ptx and ".entry scale(" in ptx
    assert fresh.emit("ptx", target="sm_90a").decode() == ptx
    assert b"entry @scale" in fresh.emit("tile")
    with pytest.raises(ValueError, match="'ptx' is for GPUs: name one"):
        fresh.emit("ptx")
    with pytest.raises(ValueError, match="kind is one of 'ptx'"):
        fresh.emit("nests", target="sm_80")
    lines = fresh.emit("ptx", target="sm_80", lines=True).decode()
    assert "test_lang_launch.py" in lines and ".loc" in lines


def test_every_operation_has_a_place():
    """But for the heads of regions, which have it at their end."""
    x, y = arrays()
    for module in (scale.compile(x, y).module, add_into.compile(x, x, 1).module,
                   tessera.kernel(nested).compile(x, y, 3).module):
        heads = re.compile(r"[({]$|\{\s*$|^\s*(\}|\(|#|cuda_tile|%\w+ = reduce)|^$")
        for line in str(module).splitlines():
            assert heads.search(line) or "loc(#loc" in line, line
        places = re.findall(r'loc\("(.*)":(\d+):\d+\)', str(module))
        assert places and all(file == __file__ and int(line) > 0 for file, line in places)


def nested(x, y, n):
    for i in range(n):
        while x[i] < 5:
            if y[i] > 2:
                break
            x[i] += tl.sum(tl.load(y, i, 16))


def test_hints():
    hinted = tessera.kernel(hints={"sm_100": {"occupancy": 2}})(scale.python_function)
    assert "occupancy = 2" in str(hinted.compile(*arrays()).module)


# ---- tools --------------------------------------------------------------------------------------


def line_of(text):
    with open(__file__, encoding="utf-8") as file:
        return next(i for i, line in enumerate(file, 1) if line.strip().startswith(text))


@tessera.kernel
def outside(x, y):
    i = tl.program_id(0)
    v = tl.load(x, i + 5, 16)
    tl.store(y, i, v)


def test_sanitize():
    x, y = arrays(16)
    found, = outside[1].sanitize(x, y)
    assert (found.check, found.file, found.line) == ("bounds", __file__,
                                                     line_of("v = tl.load(x, i + 5, 16)"))
    assert found.column == 9
    assert scale[1].sanitize(x, y) == []
    checked = tessera.kernel(sanitize=True)(outside.python_function)
    with pytest.raises(tessera.SanitizerError, match="test_lang_launch.py:%d" % found.line):
        checked[1](x, y)


def test_bench():
    x, y = arrays()
    assert scale[2].bench(x, y, warmup=0, rep=1).median > 0
    assert tessera.testing.do_bench(lambda: scale[2](x, y), warmup=0, rep=1) > 0


def test_profile(tmp_path):
    x, y = arrays()
    line = line_of("tl.store(y, i, tl.load(x, i, BLOCK) * factor)")
    shown = scale.on("emu:sm_80")[2].profile(x, y, card="a100", svg=tmp_path / "p.svg")
    assert "test_lang_launch.py:%d" % line in str(shown) and shown.data["counters"]
    assert (tmp_path / "p.svg").read_text().startswith("<svg")
    assert not y.any()
    assert "scale" in str(scale.on("cpu")[2].profile(x, y))


def test_debug():
    """By lines of Python; arrays with strides, too."""
    x, y = arrays()
    line = line_of("tl.store(y, i, tl.load(x, i, BLOCK) * factor)")
    said = scale[2].debug(x[::2], y, 2.5, block=1, commands="break %d\nrun\nnext\ncontinue\n" % line)
    assert re.search(r"->\s+%d " % line, said)
    assert "tl.load(x, i, BLOCK) * factor" in said and "@scale has ended" in said


def test_save(tmp_path):
    x, y = arrays()
    scale[2].save(tmp_path, x, y)
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), x)
    assert 'loc("%s"' % __file__ in (tmp_path / "kernel.mlir").read_text()


# ---- tuning -------------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setenv("TESSERA_TUNING", str(tmp_path / "tuning.sqlite"))


def tuned(**options):
    return tessera.autotune({"BLOCK": [16, 64]}, seconds=0.05, **options)(
        tessera.kernel(scale.python_function))


def test_autotune(store):
    x, y = arrays()
    kernel, grid = tuned(), lambda a: tl.cdiv(a["x"].size, a["BLOCK"])
    kernel[grid](x, y, 3.0)
    np.testing.assert_array_equal(y, 3 * x)
    best = kernel[grid].tune(x, y, 3.0)
    assert best.source == "measured" and len(best.candidates) == 2
    assert best.grid[0] == -(-100 // best.choice["BLOCK"])
    assert tuned()[grid].tune(x, y, 3.0).source == "record"
    assert tuned(where="BLOCK == 64")[grid].tune(x, y, 3.0).grid == (2, 1, 1)
    tuned(grid=grid, look_up_only=True)(x, y, 4.0)
    np.testing.assert_array_equal(y, 4 * x)
    with pytest.raises(TypeError, match="the constant BLOCK is tuned"):
        kernel[grid](x, y, BLOCK=3)
    with pytest.raises(TypeError, match=r"choose a grid: scale\[grid\]"):
        kernel(x, y)
    with pytest.raises(TypeError, match="'WIDTH' is no constant of the kernel; it has 'BLOCK'"):
        tessera.autotune({"WIDTH": [1]})(scale)


# ---- other processes ----------------------------------------------------------------------------


def run_pickled(kernel):
    x, y = arrays()
    (kernel[2] if isinstance(kernel, tessera.KernelFunction) else kernel)(x, y, 2.0)
    return float(y.sum())


def test_pickle():
    """By name, as functions are; other processes run them."""
    assert pickle.loads(pickle.dumps(scale)) is scale
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(run_pickled, [scale]) == [9900.0]
    with pytest.raises(pickle.PicklingError, match="is not found as"):
        pickle.dumps(tessera.kernel(lambda x: None))


def test_pickle_of_compiled_kernels():
    x, y = arrays()
    compiled = scale.on("interp").compile(x, y)
    again = pickle.loads(pickle.dumps(compiled))
    assert again.device.name == "interp"
    again[2](x, 100, y, 100, 2.0)
    np.testing.assert_array_equal(y, 2 * x)


# ---- threads ------------------------------------------------------------------------------------


def test_threads():
    """Many threads compile and launch one kernel at the same time."""
    kernel = tessera.kernel(scale.python_function)

    def launch(seed):
        x, y = np.full(640, seed, np.float32), np.zeros(640, np.float32)
        for factor in range(1, 20):
            kernel[10](x, y, float(factor))
            if not (y == seed * factor).all():
                return False
        return True

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(launch, range(8)))


def test_amd():
    """The emulator of AMD's GPUs runs them, too."""
    x, y = arrays()
    scale.on("emu:gfx942")[2](x, y)
    np.testing.assert_array_equal(y, 2 * x)
    assert b"scale" in scale.emit("asm", x, y, target="gfx942")
