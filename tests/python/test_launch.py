# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels on arrays: each kind of array and number, each engine, each mistake."""
import array
import ctypes
import gc
import threading

import numpy as np
import pytest

import tessera
from by_dlpack import ByDlpackOnly

ENGINES = ["cpu", "interp"]

COPY = """
cuda_tile.module @m {
  entry @copy(%%x: tile<ptr<%(t)s>>, %%y: tile<ptr<%(t)s>>) {
    %%i = iota : tile<8xi32>
    %%x1 = reshape %%x : tile<ptr<%(t)s>> -> tile<1xptr<%(t)s>>
    %%xs = broadcast %%x1 : tile<1xptr<%(t)s>> -> tile<8xptr<%(t)s>>
    %%xp = offset %%xs, %%i : tile<8xptr<%(t)s>>, tile<8xi32> -> tile<8xptr<%(t)s>>
    %%y1 = reshape %%y : tile<ptr<%(t)s>> -> tile<1xptr<%(t)s>>
    %%ys = broadcast %%y1 : tile<1xptr<%(t)s>> -> tile<8xptr<%(t)s>>
    %%yp = offset %%ys, %%i : tile<8xptr<%(t)s>>, tile<8xi32> -> tile<8xptr<%(t)s>>
    %%v, %%t0 = load_ptr_tko weak %%xp : tile<8xptr<%(t)s>> -> tile<8x%(t)s>, token
    %%t1 = store_ptr_tko weak %%yp, %%v : tile<8xptr<%(t)s>>, tile<8x%(t)s> -> token
  }
}
"""

NUMBER = """
cuda_tile.module @m {
  entry @put(%%y: tile<ptr<%(t)s>>, %%v: tile<%(t)s>) {
    %%t = store_ptr_tko weak %%y, %%v : tile<ptr<%(t)s>>, tile<%(t)s> -> token
  }
}
"""


@pytest.fixture(params=ENGINES)
def device(request):
    return tessera.Device(request.param)


@pytest.fixture
def saxpy(device):
    return tessera.load("kernels/saxpy.mlir").kernel("saxpy_f32", device)


def copy_kernel(elem, device):
    return tessera.Module(COPY % {"t": elem}).kernel("copy", device)


# ---- arrays -------------------------------------------------------------------------------------


def test_saxpy(saxpy):
    x = np.arange(10000, dtype=np.float32)
    y = np.ones_like(x)
    saxpy[3](x, y, 2.0, x.size)
    assert np.array_equal(y, 2 * x + 1)
    saxpy.launch((3, 1, 1), x, y, n=x.size, alpha=np.float32(-2))
    assert np.array_equal(y, np.ones_like(x))


@pytest.mark.parametrize("elem, dtype", [
    ("i8", "int8"), ("i8", "uint8"), ("i16", "int16"), ("i16", "uint16"), ("i32", "int32"),
    ("i32", "uint32"), ("i64", "int64"), ("i64", "uint64"), ("f16", "float16"),
    ("f32", "float32"), ("f64", "float64"), ("tf32", "float32"), ("bf16", "uint16"),
    ("f8E4M3FN", "uint8"), ("f8E5M2", "uint8"), ("f8E8M0FNU", "uint8"), ("i1", "bool")])
def test_element_types(device, elem, dtype):
    x = np.array([1, 0, 1, 1, 0, 0, 1, 0]).astype(dtype)
    y = np.zeros_like(x)
    copy_kernel(elem, device)[1](x, y)
    assert np.array_equal(x, y)


@pytest.mark.parametrize("elem, dtype", [
    ("bf16", "bfloat16"), ("f8E4M3FN", "float8_e4m3fn"), ("f8E5M2", "float8_e5m2")])
def test_ml_dtypes(device, elem, dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(8).astype(getattr(ml_dtypes, dtype))
    y = np.zeros_like(x)
    copy_kernel(elem, device)[1](x, y)
    assert np.array_equal(x, y)


def test_buffer_protocol(device):
    x = array.array("f", range(8))
    y = (ctypes.c_float * 8)()
    kernel = copy_kernel("f32", device)
    kernel[1](x, memoryview(y))
    assert list(y) == list(x)
    raw = bytearray(8)
    copy_kernel("i8", device)[1](bytearray(b"tile ir!"), raw)
    assert raw == b"tile ir!"


def test_dlpack(device):
    x, y = np.arange(8, dtype=np.float32), np.zeros(8, dtype=np.float32)
    copy_kernel("f32", device)[1](ByDlpackOnly(x), ByDlpackOnly(y))
    assert np.array_equal(x, y)
    with pytest.raises(ValueError, match="not contiguous"):
        copy_kernel("f32", device)[1](ByDlpackOnly(np.zeros((8, 2), np.float32)[:, 0]), y)


def test_torch(device):
    torch = pytest.importorskip("torch")
    x, y = torch.arange(8, dtype=torch.bfloat16), torch.zeros(8, dtype=torch.bfloat16)
    copy_kernel("bf16", device)[1](x, y)
    assert torch.equal(x, y)


def test_strided_and_read_only(device):
    kernel = copy_kernel("i32", device)
    x, y = np.arange(16, dtype=np.int32), np.zeros(8, dtype=np.int32)
    with pytest.raises(ValueError, match=r"argument 0 \(x: ptr<i32>\): the array is not contig"):
        kernel[1](x[::2], y)
    kernel[1](tessera.unchecked(x[::-1][8:][::-1]), y)  # a view that happens to be contiguous
    assert np.array_equal(y, x[:8])
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        kernel[1](x, y)
    kernel[1](tessera.unchecked(x), y)
    assert np.array_equal(y, x[:8])


def test_empty_array(saxpy):
    nothing = np.zeros(0, dtype=np.float32)
    saxpy[1](nothing, nothing, 1.0, 0)


def test_arrays_live_long_enough(saxpy):
    y = np.ones(100, dtype=np.float32)
    saxpy[1](np.full(100, 3, np.float32), y, 1.0, 100)
    gc.collect()
    assert y.tolist() == [4.0] * 100


# ---- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("elem, dtype, value, stored", [
    ("i8", "int8", -128, -128), ("i8", "uint8", 255, 255), ("i16", "int16", -2, -2),
    ("i32", "int32", 2**31 - 1, 2**31 - 1), ("i32", "uint32", 2**32 - 1, 2**32 - 1),
    ("i64", "int64", -2**63, -2**63), ("i64", "uint64", 2**64 - 1, 2**64 - 1),
    ("i1", "uint8", True, 1), ("f16", "float16", 0.1, np.float16(0.1)),
    ("f32", "float32", 0.1, np.float32(0.1)), ("f64", "float64", 0.1, 0.1),
    ("f32", "float32", 1e39, np.float32("inf")), ("f16", "float16", 65520.0, np.float16("inf")),
    ("f32", "float32", 3, 3.0), ("i32", "int32", np.int64(-7), -7)])
def test_numbers(device, elem, dtype, value, stored):
    y = np.zeros(1, dtype=dtype)
    tessera.Module(NUMBER % {"t": elem}).kernel("put", device)[1](y, value)
    assert y[0] == stored


@pytest.mark.parametrize("elem, value, pattern", [
    ("bf16", 1.0, 0x3f80), ("bf16", 1 + 2**-8, 0x3f80), ("bf16", 1 + 3 * 2**-8, 0x3f82),
    ("bf16", 1e40, 0x7f80), ("bf16", -0.0, 0x8000), ("bf16", 2.0**-133, 1),
    ("f8E4M3FN", 448.0, 0x7e), ("f8E4M3FN", -448.0, 0xfe), ("f8E4M3FN", 2.0**-9, 1),
    ("f8E5M2", 57344.0, 0x7b), ("f8E5M2", 61440.0, 0x7c), ("f8E8M0FNU", 1.0, 127)])
def test_low_precision_numbers(device, elem, value, pattern):
    y = np.zeros(1, dtype=np.uint16 if elem == "bf16" else np.uint8)
    tessera.Module(NUMBER % {"t": elem}).kernel("put", device)[1](y, value)
    assert y[0] == pattern


def test_low_precision_patterns_are_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    from tessera._elements import float_pattern
    values = np.random.default_rng(1).normal(size=20000) * 8.0 ** np.linspace(-12, 12, 20000)
    for elem, dtype, view in (("bf16", "bfloat16", np.uint16), ("f8E5M2", "float8_e5m2", np.uint8)):
        expected = values.astype(getattr(ml_dtypes, dtype)).view(view)
        assert [float_pattern(elem, v) for v in values] == expected.tolist()


@pytest.mark.parametrize("elem, value, error", [
    ("i8", 256, OverflowError), ("i8", -129, OverflowError), ("i1", 2, OverflowError),
    ("i32", 1.0, TypeError), ("i32", "1", TypeError), ("f32", "one", ValueError),
    ("f32", None, TypeError), ("f8E4M3FN", 1e9, OverflowError), ("f8E8M0FNU", 3.0, ValueError)])
def test_wrong_numbers(elem, value, error):
    y = np.zeros(1, dtype={"i32": "int32", "f32": "float32"}.get(elem, "uint8"))
    kernel = tessera.Module(NUMBER % {"t": elem})["put"]
    with pytest.raises(error, match=r"argument 1 \(v: "):
        kernel[1](y, value)


# ---- mistakes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("grid, error", [
    (0, tessera.UsageError), (-1, tessera.UsageError), (2**31, tessera.UsageError),
    ((1, 1, 1, 1), tessera.UsageError), ((), tessera.UsageError), (1.0, TypeError),
    ((2**20, 2**20, 2), tessera.UsageError)])
def test_wrong_grids(saxpy, grid, error):
    x = np.zeros(4, np.float32)
    with pytest.raises(error):
        saxpy[grid](x, x.copy(), 1.0, 4)


def test_a_grid_is_missing(saxpy):
    x = np.zeros(4, np.float32)
    with pytest.raises(TypeError, match=r"choose a grid: kernel\[grid\]\(x, y, alpha, n\)"):
        saxpy(x, x.copy(), 1.0, 4)


def test_wrong_arguments(saxpy):
    x = np.zeros(4, np.float32)
    with pytest.raises(TypeError, match=r"takes 4 arguments \(x: ptr<f32>, .*n: i64\), not 3"):
        saxpy[1](x, x, 1.0)
    with pytest.raises(TypeError, match="expected an array of float32, found one of float64"):
        saxpy[1](x.astype(np.float64), x, 1.0, 4)
    with pytest.raises(TypeError, match="foreign-endian"):
        saxpy[1](x.astype(">f4"), x, 1.0, 4)
    with pytest.raises(TypeError, match="expected an array .* found int"):
        saxpy[1](7, x, 1.0, 4)
    with pytest.raises(TypeError, match="no parameter 'beta'"):
        saxpy[1](x, x, beta=1.0, n=4)
    with pytest.raises(TypeError, match="'x' twice"):
        saxpy[1](x, x=x, y=x, n=4)
    with pytest.raises(TypeError, match="misses 'alpha', 'n'"):
        saxpy[1](x, y=x)
    with pytest.raises(ValueError, match="lies on a cuda device"):
        saxpy[1](ByDlpackOnly(x, (2, 0)), x, 1.0, 4)


def test_unknown_names():
    module = tessera.load("kernels/saxpy.mlir")
    with pytest.raises(tessera.UsageError, match="there is no kernel 'sapxy'"):
        module["sapxy"]
    with pytest.raises(tessera.UsageError, match="unknown device 'gpu'; there are: cpu"):
        tessera.Device("gpu")
    with pytest.raises(ValueError, match="unknown check 'bound'"):
        tessera.Device("interp", sanitize="bound")
    with pytest.raises(ValueError, match="order is"):
        tessera.Device("interp", order="backward")


# ---- what kernels say ---------------------------------------------------------------------------


PRINTS = """
cuda_tile.module @m {
  entry @speak(%v: tile<i32>) {
    print_tko "v = %i\\n", %v : tile<i32> -> token
  }
}
"""

ASSERTS = """
cuda_tile.module @m {
  entry @claim(%ok: tile<i1>) {
    assert %ok, "it is not so" : tile<i1>
  }
}
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_output(engine, capsys):
    said = []
    device = tessera.Device(engine, on_output=said.append)
    tessera.Module(PRINTS).kernel("speak", device)[1](42)
    assert "".join(said) == "v = 42\n"
    tessera.Module(PRINTS).kernel("speak", tessera.Device(engine))[1](7)
    assert capsys.readouterr().out == "v = 7\n"


def test_output_that_raises():
    def refuse(_text):
        raise RuntimeError("no more")

    kernel = tessera.Module(PRINTS).kernel("speak", tessera.Device("interp", on_output=refuse))
    with pytest.raises(RuntimeError, match="no more"):
        kernel[1](1)


@pytest.mark.parametrize("engine", ENGINES)
def test_assert(engine):
    kernel = tessera.Module(ASSERTS, name="claims.mlir").kernel("claim", tessera.Device(engine))
    kernel[1](True)
    with pytest.raises(tessera.Trap, match="it is not so") as caught:
        kernel[1](False)
    assert any(d.severity == "error" for d in caught.value.diagnostics)
    kernel[1](True)  # a launch that failed leaves nothing behind


def test_sanitizer():
    device = tessera.Device("interp", sanitize=True)
    saxpy = tessera.load("kernels/saxpy.mlir").kernel("saxpy_f32", device)
    x, y = np.zeros(100, np.float32), np.zeros(100, np.float32)
    saxpy[1](x, y, 1.0, 100)
    with pytest.raises(tessera.SanitizerError, match="bounds: load_view_tko reads") as caught:
        saxpy[1](x[:50], y, 1.0, 100)
    finding = caught.value.findings[0]
    assert (finding.check, finding.buffer, finding.element, finding.count) == (
        "bounds", "%x", 50, 50)
    assert finding.file.endswith("saxpy.mlir") and finding.line > 0
    saxpy[1](x, y, 1.0, 100)
    assert not device.findings


# ---- threads and lifetimes ----------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_threads(engine):
    device = tessera.Device(engine)
    kernel = tessera.load("kernels/saxpy.mlir").kernel("saxpy_f32", device)
    wrong = []

    def work(seed):
        x = np.random.default_rng(seed).normal(size=5000).astype(np.float32)
        for i in range(20):
            y = np.zeros_like(x)
            kernel[2](x, y, float(i), x.size)
            if not np.array_equal(y, np.float32(i) * x):
                wrong.append((seed, i))
            tessera.Module(PRINTS)  # another thread compiles while this one launches

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_kernels_outlive_the_names_of_their_modules():
    kernel = tessera.Module(PRINTS).kernel("speak", tessera.Device("interp", on_output=str))
    for _ in range(50):
        tessera.Module(PRINTS).kernel("speak", tessera.Device("interp", on_output=str))
    gc.collect()
    tessera.Module(PRINTS)  # what has gone is destroyed now
    kernel[1](1)


def test_sanitizer_reads_no_memory_that_is_not_there():
    """The extent of an unchecked array is not known, but nothing lies 2^46 bytes behind it."""
    checked = tessera.Device("interp", sanitize=True)
    kernel = tessera.Module("""
      cuda_tile.module @m {
        entry @far(%x: tile<ptr<f32>>, %i: tile<i64>) {
          %p = offset %x, %i : tile<ptr<f32>>, tile<i64> -> tile<ptr<f32>>
          %v, %t0 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<f32>, token
          %t1 = store_ptr_tko weak %x, %v token=%t0 : tile<ptr<f32>>, tile<f32> -> token
        }
      }""").kernel("far", checked)
    x = np.ones((2, 2), np.float32)[:, ::2]
    kernel[1](tessera.unchecked(x), 0)
    with pytest.raises(tessera.SanitizerError, match="load_ptr_tko reads 4 bytes that belong to no"):
        kernel[1](tessera.unchecked(x), 1 << 44)
