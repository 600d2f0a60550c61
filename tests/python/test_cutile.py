# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tessera.cutile: kernels of cuTile on arrays, in this process. Runs with cuda-tile where it is
installed, and with what it made of the kernels where it is not (cutile_recorded.py)."""
import ctypes
import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import cutile_recorded
import tessera
from by_dlpack import ByDlpackOnly
from tessera import cutile

ENGINES = ["cpu", "interp"]


@pytest.fixture
def kernels(monkeypatch):
    cutile_recorded.install(monkeypatch)
    return cutile_recorded.load()


@pytest.fixture(params=ENGINES)
def device(request):
    return tessera.Device(request.param)


def vectors(n=1000, dtype=np.float32):
    return np.arange(n).astype(dtype), np.ones(n, dtype), np.zeros(n, dtype)


# ---- launching ----------------------------------------------------------------------------------


def test_add(kernels, device):
    a, b, c = vectors()
    for _ in range(2):  # the second launch takes the short way
        c[:] = 0
        cutile.launch((16,), kernels["add"], (a, b, c, 64), device=device)
        np.testing.assert_array_equal(c, a + b)


def test_neither_driver_nor_tileiras_take_part(kernels):
    a, b, c = vectors()
    cutile.launch(16, kernels["add"], (a, b, c, 64))
    assert "cuda.tile._load_libcuda" not in sys.modules


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float16, np.float64])
def test_element_types(kernels, dtype):
    a, b, c = vectors(1000, dtype)
    cutile.launch((16,), kernels["add"], (a, b, c, 64))
    np.testing.assert_array_equal(c, a + b)


def test_other_arrays(kernels):
    a, b, c = vectors()
    out = bytearray(4000)
    cutile.launch((16,), kernels["add"], (ByDlpackOnly(a), memoryview(b), c, 64))
    np.testing.assert_array_equal(c, a + b)
    cutile.launch((16,), kernels["add"], (a, b, memoryview(out).cast("f"), 64))
    np.testing.assert_array_equal(np.frombuffer(out, np.float32), a + b)


def test_torch(kernels):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    a, b, c = torch.arange(1000.0), torch.ones(1000), torch.zeros(1000)
    for _ in range(2):
        cutile.launch((16,), kernels["add"], (a, b, c, 64))
        assert torch.equal(c, a + b)
        c.zero_()


def test_strides(kernels, device):
    x = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
    y = np.zeros((64, 64), np.float32)
    cutile.launch((4, 4), kernels["transpose"], (x, y, 16, 16), device=device)
    np.testing.assert_array_equal(y, x.T)
    z = np.zeros((32, 32), np.float32)
    cutile.launch((2, 2), kernels["transpose"], (x[::2, 1:33], z, 16, 16), device=device)
    np.testing.assert_array_equal(z, x[::2, 1:33].T)


def test_numbers(kernels, device):
    for factor, offset, flag in ((2.0, 3.0, False), (0.5, -1.0, True), (np.float32(4), -1.5, False)):
        x = np.arange(128, dtype=np.float32)
        expected = x * np.float32(factor) + np.float32(offset)
        cutile.launch((4,), kernels["scale"], (x, factor, offset, flag, 32), device=device)
        np.testing.assert_array_equal(x, -expected if flag else expected)


def test_64_bits(kernels):
    x = np.zeros(1, np.int64)
    for n in (1 << 40, -(1 << 50), 7, np.int32(-3)):
        cutile.launch(1, kernels["wide"], (x, n))
        assert x[0] == n


def test_lists(kernels, device):
    for n in (1, 3, 7):
        arrays = [np.full(32, k + 1.0, np.float32) for k in range(n)]
        out = np.zeros(32, np.float32)
        cutile.launch((1,), kernels["sum_list"], (arrays, out, 32), device=device)
        assert (out == n * (n + 1) / 2).all()


def test_tuples(kernels, device):
    x, out = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    cutile.launch((1,), kernels["use_tuple"], ((x, 2.0), out, 32), device=device)
    np.testing.assert_array_equal(out, x + 2)


def test_each_kind_of_arguments_has_its_kernel(kernels):
    """What is assumed of one launch's arrays must not be used for another's."""
    a, b, c = vectors(1024)
    k = kernels["add"]
    first = cutile.compile(k, (a, b, c, 64))
    assert first is cutile.compile(k, (a + 1, b, c, 64))
    assert first is not cutile.compile(k, (a[:1000], b[:1000], c[:1000], 64))  # no multiple of 16
    assert first is not cutile.compile(k, (a[1:], b[1:], c[1:], 64))           # not aligned
    for n, start in ((1024, 0), (1000, 0), (1000, 1), (1000, 16), (1024, 0)):
        s = slice(start, start + n)
        c[:] = 0
        cutile.launch(16, k, (a[s], b[s], c[s], 64))
        np.testing.assert_array_equal(c[s], (a + b)[s])


def test_constants_are_told_apart_by_type(kernels):
    a, b, c = vectors(64)
    cutile.launch((2,), kernels["add"], (a, b, c, 32))
    cutile.launch((1,), kernels["add"], (a, b, c, 64))
    np.testing.assert_array_equal(c, a + b)


def test_compiled_kernels_go_with_their_kernel(kernels):
    a, b, c = vectors()
    made = weakref.ref(cutile.compile(kernels["add"], (a, b, c, 64)))
    kernels.clear()
    gc.collect()
    if not cutile_recorded.HAS_FRONT_END:  # cuTile keeps functions in caches of its own
        assert made() is None


def test_eight_threads(kernels):
    errors = []

    def work(seed):
        try:
            a, b, c = vectors(512 + 16 * (seed % 2))
            for k in range(20):
                c[:] = 0
                cutile.launch((64,), kernels["add"], (a, b, c, 16 if k % 2 else 64))
                assert np.array_equal(c, a + b), (seed, k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(s,)) for s in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert errors == []


def test_a_kernel_of_exported_bytecode(kernels, device):
    """cuTile's bytecode as a module: its kernels take the arguments that are not constants."""
    a, b, c = vectors()
    data = cutile.compile(kernels["add"], (a, b, c, 64)).module.bytecode()
    kernel = tessera.Module(data).kernel("add", device)
    cutile.launch((16,), kernel, (a, b, c))
    np.testing.assert_array_equal(c, a + b)
    with pytest.raises(TypeError, match="takes 9 words .* but the arguments are 6"):
        cutile.launch((16,), kernel, (a, b))
    with pytest.raises(TypeError, match="argument 2.*the kernel takes ptr<f32> here, not 64"):
        cutile.launch((16,), kernel, (a, b, 64, 1, 1))


# ---- what comes out -----------------------------------------------------------------------------


def test_print(kernels, capsys):
    cutile.launch((1,), kernels["talk"], (np.array([7], np.int32),))
    assert capsys.readouterr().out == "value [7]\n"


def test_assert(kernels, device):
    with pytest.raises(tessera.Trap, match=r"(?s)kernels.py:\d+:\d+.*must be positive"):
        cutile.launch((1,), kernels["demand"], (np.array([-1], np.int32),), device=device)
    cutile.launch((1,), kernels["demand"], (np.array([1], np.int32),), device=device)


def line_of(text):
    with open(cutile_recorded.SOURCE, encoding="utf-8") as file:
        return next(i for i, line in enumerate(file, 1) if text in line)


def test_debug(kernels):
    a, b, c = vectors()
    assert cutile.debug((16,), kernels["add"], (a, b, c, 64)) == []
    np.testing.assert_array_equal(c, a + b)
    x, y = np.arange(100, dtype=np.float32), np.zeros(128, np.float32)
    findings = cutile.debug((4,), kernels["gather_past_the_end"], (x, y, 32))
    assert [(f.check, f.operation, f.line) for f in findings] == [
        ("bounds", "load_ptr_tko", line_of("ct.gather("))]
    assert findings[0].file.endswith(cutile_recorded.SOURCE)
    assert "reads element 100 of " in findings[0].message
    assert findings[0].block == (3, 0, 0) and findings[0].count == 28
    np.testing.assert_array_equal(y[:100], x)


def test_debug_strict(kernels):
    x, y = np.arange(100, dtype=np.float32), np.zeros(128, np.float32)
    with pytest.raises(tessera.SanitizerError, match="reads element 100 of") as caught:
        cutile.debug((4,), kernels["gather_past_the_end"], (x, y, 32), strict=True)
    assert len(caught.value.findings) == 1
    # A check that was not asked for finds nothing; the memory goes on behind this array.
    part = np.arange(128, dtype=np.float32)[:100]
    assert cutile.debug((4,), kernels["gather_past_the_end"], (part, y, 32), checks="race") == []


def test_debug_of_tile_blocks_that_write_the_same(kernels):
    a, b = np.zeros((2, 32), np.float32), np.zeros((2, 32), np.float32)
    same = np.lib.stride_tricks.as_strided(b, (32, 2), (4, 0))  # both columns are one
    findings = cutile.debug((2, 2), kernels["transpose"], (a, tessera.unchecked(same), 1, 16))
    assert {(f.check, f.operation) for f in findings} == {("race", "store_view_tko")}
    assert findings[0].line == line_of("tile=ct.transpose")


def test_debug_assumes_nothing_of_single_elements(kernels):
    a, b, c = vectors(64)
    findings = cutile.debug((2,), kernels["add"], (a, b, c[:1], 64))
    assert {f.check for f in findings} == {"bounds"}
    assert {f.block for f in findings} == {(1, 0, 0)}


def test_debug_output(kernels):
    said = []
    cutile.debug((1,), kernels["talk"], (np.array([7], np.int32),), on_output=said.append)
    assert "".join(said) == "value [7]\n"
    with pytest.raises(tessera.Trap, match="must be positive"):
        cutile.debug((1,), kernels["demand"], (np.array([-1], np.int32),))


def test_debug_reports_asserts_beside_findings(kernels):
    with pytest.raises(tessera.SanitizerError, match="(?s)bounds: .*must be positive") as caught:
        cutile.debug(2, kernels["demand_all"], (np.array([-1], np.int32),), order="reverse")
    assert [f.check for f in caught.value.findings if f.operation == "load_view_tko"] == ["bounds"]


def test_debug_of_a_list(kernels):
    arrays = [np.ones(32, np.float32) for _ in range(3)]
    out = np.zeros(32, np.float32)
    assert cutile.debug((1,), kernels["sum_list"], (arrays, out, 32)) == []
    assert (out == 3).all()


# ---- mistakes: nothing is launched ----------------------------------------------------------------


def wrong(kernels, error, message, grid=(16,), kernel="add", args=None):
    a, b, c = vectors()
    with pytest.raises(error, match=message):
        cutile.launch(grid, kernels[kernel], args(a, b, c) if args else (a, b, c, 64))
    assert not c.any()


def test_wrong_arguments(kernels):
    def bad(error, message, args, kernel="add"):
        wrong(kernels, error, message, kernel=kernel, args=args)
    bad(TypeError, r"takes 4 arguments \(a, b, c, TILE\), not 3", lambda a, b, c: (a, b, c))
    bad(TypeError, r"argument 3 \(TILE\) is a Constant: .* found str", lambda a, b, c: (a, b, c, "64"))
    bad(TypeError, r"argument 0 \(a\): expected an array .* found str", lambda a, b, c: ("a", b, c, 64))
    bad(ValueError, r"argument 2 \(c\): the array is read-only", lambda a, b, c: (
        a, b, np.broadcast_to(c, c.shape), 64))
    bad(ValueError, r"argument 0 \(a\): an array with negative strides", lambda a, b, c: (
        a[::-1], b, c, 64))
    bad(ValueError, "lies on a cuda device", lambda a, b, c: (ByDlpackOnly(a, (2, 0)), b, c, 64))
    bad(ValueError, "not aligned to the 4 bytes", lambda a, b, c: (
        np.frombuffer(bytearray(4001), np.float32, 1000, 1), b, c, 64))
    bad(TypeError, "complex", lambda a, b, c: (a.astype(np.complex64), b, c, 64))
    bad(ValueError, "empty list", lambda a, b, c: ([], c, 32), "sum_list")
    bad(TypeError, "found float64 of rank 1", lambda a, b, c: ([a, a.astype(float)], c, 32), "sum_list")
    bad(OverflowError, "does not fit i64", lambda a, b, c: (np.zeros(1, np.int64), 1 << 63), "wide")


def test_strides_in_part_of_an_element(kernels):
    records = np.zeros(100, np.dtype([("x", np.float32), ("y", np.uint8)], align=False))
    a, b, c = vectors(100)
    with pytest.raises(ValueError, match="not aligned|no multiples"):
        cutile.launch((4,), kernels["add"], (records["x"], b, c, 32))


@pytest.mark.parametrize("grid, error", [
    (0, tessera.UsageError), (-1, tessera.UsageError), ((1, 0), tessera.UsageError),
    ((1, 1, 1, 1), tessera.UsageError), ((), tessera.UsageError), (1.5, TypeError),
    (1 << 31, tessera.UsageError), ((1 << 30, 1 << 30), tessera.UsageError)])
def test_wrong_grids(kernels, grid, error):
    wrong(kernels, error, "grid|whole numbers", grid=grid)


def test_wrong_kernels():
    for kernel in (None, len, lambda x: x, 7, object()):
        with pytest.raises(TypeError, match="expected a kernel of cuTile"):
            cutile.launch((1,), kernel, ())


def test_bytecode_from_the_future(kernels, monkeypatch):
    make = cutile._to_bytecode

    def future(*args):
        data = bytearray(make(*args))
        data[9] = 99  # the minor version, behind the magic and the major
        return bytes(data)
    monkeypatch.setattr(cutile, "_to_bytecode", future)
    wrong(kernels, tessera.InputError, r"13\.99")


def test_damaged_bytecode(kernels, monkeypatch):
    make = cutile._to_bytecode
    for cut in (0, 7, 12, 100):
        monkeypatch.setattr(cutile, "_to_bytecode", lambda *args: make(*args)[:cut])
        wrong(kernels, tessera.InputError, "bytecode|magic|ends|module")


def test_what_is_wrong_in_a_kernel_is_cutiles_to_say():
    ct = pytest.importorskip("cuda.tile", reason="cuda-tile is not installed")
    a, b, c = vectors()

    @ct.kernel
    def mixed(x, y):
        ct.store(y, index=(0,), tile=ct.load(x, index=(0,), shape=(3,)))

    with pytest.raises(Exception, match="power of two"):
        cutile.launch((1,), mixed, (a, c))
    assert not c.any()
